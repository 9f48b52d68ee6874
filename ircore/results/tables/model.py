"""The table model: the form in which site, release, CSV, JSON, Markdown and LaTeX all get their numbers.

A table is a frozen value. Every column says its unit and which direction is better; every number carries its interval,
how many values it rests on, and which episodes these are; what is missing says why.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

from ircore.results.arrays import is_under
from ircore.results.column import Better as Better
from ircore.results.column import Column as Column
from ircore.results.column import Which as Which
from ircore.results.episodes import EpisodeResult
from ircore.results.model import Results
from ircore.results.statistics.intervals import Estimate

Origin = Literal["computed here", "reported by the paper"]
"""Origin of a table's numbers: own results or published figures, never mixed in one table."""


class Selection(NamedTuple):
    """Selection of the episodes that a number was computed from."""

    run_ids: tuple[str, ...]
    """The runs."""

    which: Which
    """State that selects among the runs' episodes."""

    category: str | None = None
    """Only this category; None for all."""

    difficulty: str | None = None
    """Only this difficulty; None for both."""

    judge: str | None = None
    """Judge whose ratings ``rated`` and ``refined`` refer to."""

    def episodes(self, results: Results) -> tuple[tuple[str, str], ...]:
        """Return run id and episode id of each, in the order of the runs and of the set."""
        return tuple((result.run_id, result.episode.episode_id) for result in self.results_of(results))

    def results_of(self, results: Results) -> Iterator[EpisodeResult]:
        """Yield the results of each, in the order of the runs and of the set."""
        return (result for run_id in self.run_ids for result in results.episodes[run_id] if self._has(result))

    def _has(self, result: EpisodeResult) -> bool:
        episode = result.episode
        if not is_under(episode, self.category, self.difficulty):
            return False
        if self.which == "ended":
            return True
        if self.which == "played":
            return episode.played
        judged = result.judged.get(self.judge or "")
        if judged is None or not episode.played:
            return False
        return judged.delta is not None if self.which == "refined" else judged.final is not None


class Value(NamedTuple):
    """One entry of a table: a text, a count, or a number with its interval.

    >>> Value("a pair").value, Value(6.1, low=5.2, high=7.0, n=42).n
    ('a pair', 42)
    >>> Value(None, missing="no rated episode").missing
    'no rated episode'
    """

    value: float | int | str | None
    """The value; None where there is none."""

    low: float | None = None
    """Lower end of the 95 % interval, in the column's unit; None where there is no interval."""

    high: float | None = None
    """Upper end."""

    n: int | None = None
    """Number of values that a mean rests on; None for texts and counts."""

    missing: str | None = None
    """Reason why ``value`` is None."""

    marks: tuple[str, ...] = ()
    """Keys of the table's marks that this entry carries."""

    episodes: Selection | None = None
    """The episodes behind the number."""

    @classmethod
    def of(
        cls,
        estimate: Estimate,
        episodes: Selection | None = None,
        missing: str = "no rated episode",
        marks: tuple[str, ...] = (),
    ) -> "Value":
        """Return the entry of an estimate; ``missing`` is the reason if there is no estimate."""
        reason = missing if estimate.mean is None else None
        return cls(estimate.mean, estimate.low, estimate.high, estimate.n, reason, marks, episodes)

    @classmethod
    def or_missing(cls, value: float | int | str | None, missing: str) -> "Value":
        """Return the entry of a value without an interval; ``missing`` is the reason if there is no value.

        >>> Value.or_missing(None, "not played").missing, Value.or_missing(0, "not played").missing
        ('not played', None)
        """
        return cls(value, missing=missing if value is None else None)


@dataclass(frozen=True)
class Table:
    """Rows of values under columns.

    >>> columns = (Column("pair", "pair", "Who played.", digits=None), Column("score", "score", "Mean.", "0–10"))
    >>> table = Table("scores", "Scores", "Two pairs.", columns, ((Value("a"), Value(6.1)), (Value("b"), Value(5.0))))
    >>> [value.value for value in table.column("score")]
    [6.1, 5.0]
    """

    name: str
    """Identifier, such as ``board``; also its file's name."""

    title: str
    """Title of the table, for people."""

    caption: str
    """Caption in words: the selection, the judge, the number of episodes, the instance set."""

    columns: tuple[Column, ...]
    """Columns in order."""

    rows: tuple[tuple[Value, ...], ...]
    """Rows, each as long as ``columns``."""

    notes: tuple[str, ...] = ()
    """Remarks on the whole table."""

    marks: Mapping[str, str] = field(default_factory=dict)
    """Meaning of the marks of entries, by key."""

    origin: Origin = "computed here"
    """Origin of the numbers: results of runs, or published figures."""

    primary: str | None = None
    """Key of the column whose flat names are plain ``mean``, ``low``, ``high`` and ``n``; None if there is none."""

    spare: tuple[str, ...] = ()
    """Keys of the columns that a narrow terminal may leave out, the least important first."""

    groups: tuple[tuple[int, str], ...] = ()
    """Place (0-based) of each group's first row, and what its rows have in common, which people read once above them;
    empty for rows that are not grouped."""

    @property
    def spare_places(self) -> list[int]:
        """Places of the columns in ``spare`` (0-based), in the order of ``spare``."""
        keys = [column.key for column in self.columns]
        return [keys.index(key) for key in self.spare if key in keys]

    @property
    def carried(self) -> tuple[str, ...]:
        """The keys of the marks that some entry carries, in the order of ``marks``."""
        # A legend of marks that no entry carries would only puzzle readers.
        carried = {mark for row in self.rows for value in row for mark in value.marks}
        return tuple(key for key in self.marks if key in carried)

    def for_readers(self, terminal: bool = False) -> "Table":
        """Return the table with the columns that people see, at a terminal or elsewhere."""
        hidden = {"programs", "pages"} if terminal else {"programs"}
        return self._without(hidden)

    def for_programs(self) -> "Table":
        """Return the table with the columns that programs get."""
        return self._without({"readers"})

    def _without(self, hidden: set[str]) -> "Table":
        return self.at_places([place for place, column in enumerate(self.columns) if column.audience not in hidden])

    def at_places(self, places: Sequence[int]) -> "Table":
        """Return the table with the columns at these places (0-based) alone."""
        columns = tuple(self.columns[index] for index in places)
        keys = {column.key for column in columns}
        return replace(
            self,
            columns=columns,
            rows=tuple(tuple(row[index] for index in places) for row in self.rows),
            spare=tuple(key for key in self.spare if key in keys),
        )

    def column(self, key: str) -> tuple[Value, ...]:
        """Return a column's entries; KeyError for an unknown column."""
        keys = [column.key for column in self.columns]
        if key not in keys:
            raise KeyError(key)
        index = keys.index(key)
        return tuple(row[index] for row in self.rows)

    def entry(self, row: int, key: str) -> Value:
        """Return the entry of a row (0-based) under a column; KeyError for an unknown column."""
        return self.column(key)[row]
