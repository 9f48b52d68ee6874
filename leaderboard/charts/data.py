"""Data of the figures: the pairs, the judge, and the tables that hold the numbers.

No number is computed here or in any figure: they come from ``ircore.results.tables``, and the table beside a
figure is a selection of their columns and rows.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from ircore.results.model import Results
from ircore.results.tables.board import board_table
from ircore.results.tables.formats import use_standard_errors
from ircore.results.tables.model import Column, Table, Value
from leaderboard import words
from leaderboard.model.site import Pair

Entry = dict[str, Value]
"""Entries of one row of a table, by key."""

RUN = "run_id"
"""Key of the column that says which run a row is about."""

MOST_ROWS = 24
"""Maximum of pairs in a figure with a row per pair: the best are shown, and the reading aid says so."""

MOST_PANELS = 12
"""Maximum of pairs in a figure with a panel per pair."""


_BOARD = (RUN, "pair", "score", "delta", "preference", "cost", "seconds")
"""Keys of the columns of boards that figures draw."""


@dataclass(frozen=True)
class ConditionChoice:
    """A condition that a reader chooses for a figure, which then holds every pair.

    >>> ConditionChoice(alone=True).category
    """

    category: str | None = None
    """Category of the instances; None for all."""

    alone: bool = False
    """Whether the subject's judge was chosen, so that a figure of all judges shows this judge alone."""


class ChartSubject:
    """Results that the figures of one judge are drawn from.

    Args:
        results: Results of some runs.
        pairs: Names and marks of the pairs, by run_id.
        judge: Judge of the figures that show the ratings of one judge.
        ranked: Every pair, best first; by default as on the board of the judge.
        bars: What stands beside means.
        choice: What a reader chose; None for the figures that pages are built with, which show the best pairs.

    Example:
        >>> from pathlib import Path
        >>> from leaderboard.model.site import Site
        >>> from leaderboard.model.site_runs import SiteRun
        >>> site = Site([SiteRun(Path("run"))])
        >>> subject = ChartSubject(site.results, site.pairs, "structural")
        >>> [pair.describer for pair in subject.ranked]
        ['classical']
    """

    def __init__(
        self,
        results: Results,
        pairs: Mapping[str, Pair],
        judge: str,
        ranked: Sequence[Pair] | None = None,
        bars: Literal["interval", "sem"] = "interval",
        choice: ConditionChoice | None = None,
    ) -> None:
        self.results = results
        self.pairs = pairs
        self.judge = judge
        self.bars = bars
        self.choice = choice
        self._ranked = ranked
        self._tables: dict[tuple[object, ...], Table] = {}

    def chosen(self, judge: str, choice: ConditionChoice) -> "ChartSubject":
        """Return the same under a reader's choice; tables are shared."""
        made = ChartSubject(self.results, self.pairs, judge, bars=self.bars, choice=choice)
        made._tables = self._tables
        return made

    @property
    def category(self) -> str | None:
        """Category of the instances; None for all."""
        return self.choice.category if self.choice else None

    @property
    def judges(self) -> tuple[str, ...]:
        """Judges of a figure of all judges, the subject's own first."""
        if self.choice and self.choice.alone:
            return (self.judge,)
        # Stable: False sorts before True, and the other judges keep their order.
        return tuple(sorted(self.results.judges, key=lambda judge: judge != self.judge))

    def table(self, make: Callable[..., Table], *about: str | None) -> Table:
        """Return a table of the results, made once.

        Args:
            make: Maker of the table.
            about: What it takes besides the results.
        """
        key = (make, *about)
        if key not in self._tables:
            self._tables[key] = make(self.results, *about)
        return self._tables[key]

    @cached_property
    def ranked(self) -> tuple[Pair, ...]:
        """Every pair, best first; pairs without a score last."""
        if self._ranked is not None:
            return tuple(self._ranked)
        return tuple(self.pairs[row.submission.run_id] for row in self.results.board(self.judge))

    def select_placed(self, pairs: Sequence[Pair]) -> list[Pair]:
        """Return those of some pairs that have a rank, which headlines may name; all of them where no pair has one."""
        board = self.results.board(self.judge, self.category)
        placed = {row.submission.run_id for row in board if row.rank_low is not None}
        return [pair for pair in pairs if not placed or pair.run_id in placed]

    def shown(self, most: int) -> tuple[Pair, ...]:
        """Return the best pairs, those that a figure shows; every pair if a reader chooses among them."""
        return self.ranked if self.choice else self.ranked[:most]

    def best(self, most: int) -> "ChartSubject":
        """Return the same about the pairs shown only."""
        return self if self.choice else self._restrict_to(self.ranked[:most])

    def only(self, pair: Pair) -> "ChartSubject":
        """Return a subject that holds this pair alone."""
        return self._restrict_to((pair,))

    def _restrict_to(self, pairs: Sequence[Pair]) -> "ChartSubject":
        chosen = {pair.run_id: pair for pair in pairs}
        # Order of the results, not of the ranks: only ``ranked`` says who is best.
        submissions = tuple(submission for submission in self.results.submissions if submission.run_id in chosen)
        episodes = {submission.run_id: self.results.episodes[submission.run_id] for submission in submissions}
        return ChartSubject(
            replace(self.results, submissions=submissions, episodes=episodes), chosen, self.judge, pairs, self.bars
        )

    def selection_words(self, most: int) -> str:
        """Return a sentence that says which ``most`` pairs a figure shows; empty if the figure shows all pairs."""
        count = len(self.pairs)
        return (
            f"Shown are the {most} of {count} pairs with the best main scores by {self.judge}." if count > most else ""
        )

    def among_words(self, most: int | None = None) -> str:
        """Return the words before a headline about the ``most`` best pairs only, or about a reader's choice.

        Args:
            most: Number of pairs; None for a headline about all pairs.
        """
        parts = [f"of the {most} best pairs"] if most is not None and len(self.pairs) > most else []
        said = ", ".join([*parts, *filter(None, [self.scope])])
        return f"{said[0].upper()}{said[1:]}: " if said else ""

    @property
    def scope(self) -> str:
        """What a reader chose besides pairs, in words."""
        on = [f"on {words.format_category(self.category).lower()}"] if self.category else []
        by = [f"judged by {self.judge}"] if self.choice and self.choice.alone else []
        return ", ".join([*on, *by])

    def board(self, judge: str, keys: Sequence[str], category: str | None = None) -> Table:
        """Return some columns of a judge's board, all pairs, under the subject's category unless another is given."""
        about = judge, category or self.category
        key = (*about, *keys)
        if key not in self._tables:
            table = select_columns(self.table(_build_board, *about), keys)
            # Standard errors take long: only the subject's own pairs have them, which may be the pairs shown alone.
            run_ids = [pair.run_id for pair in self.ranked]
            self._tables[key] = table if self.bars == "interval" else self.barred(select_runs(table, run_ids))
        return self._tables[key]

    def barred(self, table: Table) -> Table:
        """Return a table with what stands beside means in this subject's figures: intervals, or standard errors."""
        return table if self.bars == "interval" else use_standard_errors(table, self.results)

    def by_run(self, judge: str, key: str) -> dict[str, Value]:
        """Return a column of a judge's board as values by run_id."""
        return {str(run.value): value for run, _, value in self.board(judge, (RUN, "pair", key)).rows}


def _build_board(results: Results, judge: str, category: str | None) -> Table:
    return board_table(results, judge, category, keys=_BOARD)


def select_columns(table: Table, keys: Sequence[str], **changes: str) -> Table:
    """Return a table with only these columns, in this order.

    Args:
        table: Table to choose from.
        keys: Keys of the columns to keep.
        changes: Other fields of the table to set, such as ``title``.
    """
    places = [[column.key for column in table.columns].index(key) for key in keys]
    made = replace(
        table,
        columns=tuple(table.columns[place] for place in places),
        # Column by column: row by row takes twice as long.
        rows=tuple(zip(*([row[place] for row in table.rows] for place in places), strict=True)),
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def select_runs(table: Table, run_ids: Sequence[str]) -> Table:
    """Return a table with the rows of these runs only, in this order; a run may have several rows."""
    runs = table.column(RUN)
    rows: dict[str, list[tuple[Value, ...]]] = {run_id: [] for run_id in run_ids}
    for run, row in zip(runs, table.rows, strict=True):
        if str(run.value) in rows:
            rows[str(run.value)].append(row)
    return replace(table, rows=tuple(row for run_id in run_ids for row in rows[run_id]), groups=())


def filter_rows(table: Table, key: str, wanted: Callable[[object], bool]) -> Table:
    """Return a table with the rows whose entry under a column is wanted."""
    rows = [row for row, cell in zip(table.rows, table.column(key), strict=True) if wanted(cell.value)]
    return replace(table, rows=tuple(rows), groups=())


def join_judges(tables: Iterable[tuple[str, Table]]) -> Table:
    """Join tables with equal columns into a single table whose first column names the judge of each row."""
    named = list(tables)
    column = Column("rater", "judge", "Who rated.", digits=None)
    first = named[0][1]
    # Columns without digits hold names: the judge's column stands behind these, before the numbers.
    at = sum(column.digits is None for column in first.columns)
    rows = [(*row[:at], Value(judge), *row[at:]) for judge, table in named for row in table.rows]
    return replace(first, columns=(*first.columns[:at], column, *first.columns[at:]), rows=tuple(rows), groups=())


def list_entries(table: Table) -> list[Entry]:
    """Return every row of a table as a dictionary of values by column key."""
    keys = [column.key for column in table.columns]
    return [dict(zip(keys, row, strict=True)) for row in table.rows]


def group_by_run(table: Table) -> dict[str, list[Entry]]:
    """Return the rows of each run by run_id, each row as a dictionary of values by column key."""
    by_run: dict[str, list[Entry]] = {}
    for entry in list_entries(table):
        by_run.setdefault(str(entry[RUN].value), []).append(entry)
    return by_run
