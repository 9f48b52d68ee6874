"""The outcomes of a game's episodes, and the columns by which its tables say who played by which rules."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from ircore.core.game_records import rules_key, rules_words
from ircore.core.submission_records import Run
from ircore.games.base import Seat
from ircore.results.model import BoardRow, Results
from ircore.results.subsets import board_rows, rules_apart
from ircore.results.tables.model import Column, Table, Value
from ircore.results.tables.pairs import seat_column
from ircore.results.tables.ranks import Filled


def rules_columns(results: Results) -> tuple[Column, ...]:
    """Return the column with the key of a run's rules, and one for people where rules differ."""
    key = Column("rules", "rules", "Key of the rules played by: each rule and its value, such as rounds=3.",
                 digits=None, audience="programs")  # fmt: skip
    other = Column("other_rules", "Rules", "Rules that are not the usual ones.", digits=None, audience="readers")
    return (other, key) if _rules_differ(results) else (key,)


def rules_values(results: Results, run: Run) -> tuple[Value, ...]:
    """Return the entries of a run in these columns."""
    key, apart = Value(rules_key(run.rules)), rules_apart(results, run)
    other = Value(rules_words(apart) or "the usual")
    return (other, key) if _rules_differ(results) else (key,)


def _rules(results: Results) -> Iterator[Filled[BoardRow]]:
    def entry(place: int, row: BoardRow) -> Value:
        return rules_values(results, row.submission.run)[place]

    for place, column in enumerate(rules_columns(results)):
        yield Filled(column, partial(entry, place))


def _rules_differ(results: Results) -> bool:
    return any(rules_apart(results, run.run) for run in results.every_run)


def of_condition(category: str | None, difficulty: str | None) -> str:
    """Return the words by which a caption says that a table is of one category or difficulty."""
    return "".join(f" Only {name}." for name in (category, difficulty) if name)


def _who(results: Results) -> tuple[Filled[BoardRow], ...]:
    """Return the columns of a run: its submission, and who took each seat."""
    submission = Column("submission", "Submission", "Its folder's name.", digits=None)
    return (
        Filled(submission, lambda row: Value(row.submission.run.slug)),
        *(_seat(seat) for seat in results.seats),
    )


def _seat(seat: Seat[Any, Any]) -> Filled[BoardRow]:
    return Filled(seat_column(seat), lambda row: Value(row.submission.run.submission.label_of(seat.name)))


def _count(key: str, description: str, get: Callable[[BoardRow], int]) -> Filled[BoardRow]:
    return Filled(Column(key, key.replace("_", " ").capitalize(), description, digits=0), lambda row: Value(get(row)))


_ENDED = (
    _count("ended", "Episodes that have ended.", lambda row: row.cell.ended),
    _count("episodes", "Instances of the set.", lambda row: row.cell.episodes),
)


def game_outcomes(results: Results, category: str | None = None, difficulty: str | None = None) -> Table:
    """Return how the episodes of each run ended, best run first.

    Args:
        results: Of one game.
        category: One of the set's categories, or None for all.
        difficulty: ``easy``, ``hard``, or None for both.

    Raises:
        InputError: There is no such category or difficulty in the results.
    """
    game, rows = results.game, board_rows(results, None, category, difficulty)

    def count(outcome: str) -> Callable[[BoardRow], int]:
        return lambda row: row.cell.outcomes[outcome]

    columns = (
        *_who(results),
        *(
            _count(outcome.name, f"Episodes that ended as {outcome.name.replace('_', ' ')}.", count(outcome.name))
            for outcome in game.outcomes
        ),
        *_ENDED,
        *_rules(results),
    )
    return Table(
        name=f"outcomes_{game.name}",
        title=f"{game.title}: outcomes",
        caption=f"How episodes ended.{of_condition(category, difficulty)}",
        columns=tuple(filled.column for filled in columns),
        rows=tuple(tuple(filled.value(row) for filled in columns) for row in rows),
        spare=("ended", "episodes"),
    )
