"""The board of a game other than reconstruction as a table."""

from collections.abc import Callable
from dataclasses import replace

from ircore.games.base import Measure
from ircore.results.games import GameResults, GameRow
from ircore.results.tables.model import Column, Table, Value
from ircore.results.tables.ranks import RANKS, TOP, UNRANKED, Filled, remedies


def game_board(results: GameResults, category: str | None = None, difficulty: str | None = None) -> Table:
    """Return the board of a game: ranks, players, main score, headline, and the measures that the game's pages name.

    Args:
        results: Of one game.
        category: One of the set's categories, or None for all.
        difficulty: ``easy``, ``hard``, or None for both.

    Raises:
        InputError: There is no such category or difficulty in the results.
    """
    game, rows = results.game, results.board(category, difficulty)
    columns = _columns(results)
    condition = "".join(f" Only {name}." for name in (category, difficulty) if name)
    return Table(
        name=f"board_{game.name}",
        title=f"{game.title}: board",
        caption=f"Runs by main score, made of {game.headline.title}; means with 95 % intervals.{condition}",
        columns=tuple(filled.column for filled in columns),
        rows=tuple(tuple(filled.value(row) for filled in columns) for row in rows),
        notes=tuple(remedies(row.cell.unranked for row in rows)),
        primary=game.headline.key,
    )


def _columns(results: GameResults) -> tuple[Filled[GameRow], ...]:
    game = results.game
    return (
        *RANKS,
        TOP,
        _text(Column("submission", "Submission", "Its folder's name."), lambda row: row.submission.run.slug),
        *(_seat(seat.name, seat.title) for seat in game.seats),
        Filled(
            Column("main_score", "Main score", f"{game.headline.title} from 0, worst, to 100; 0 where not played.",
                   "0–100", "higher", 1, estimated=True),
            lambda row: Value.of(row.cell.main, missing="no value"),
        ),
        *(_mean(measure) for measure in results.shown),
        _count("played", "Episodes that count as played.", lambda row: row.cell.played),
        _count("ended", "Episodes that have ended.", lambda row: row.cell.ended),
        _count("episodes", "Instances of the set.", lambda row: row.cell.episodes),
        UNRANKED,
    )  # fmt: skip


def _text(column: Column, get: Callable[[GameRow], str]) -> Filled[GameRow]:
    return Filled(replace(column, digits=None), lambda row: Value(get(row)))


def _seat(name: str, title: str) -> Filled[GameRow]:
    return _text(
        Column(name, title, f"Who took the seat {name}."), lambda row: row.submission.run.submission.players[name].label
    )


def _count(key: str, description: str, get: Callable[[GameRow], int]) -> Filled[GameRow]:
    return Filled(Column(key, key.capitalize(), description, digits=0), lambda row: Value(get(row)))


def measure_column(measure: Measure) -> Column:
    """Return the column of a measure's means."""
    scale = f"{measure.range[0]:g}–{measure.range[1]:g}" if measure.range else measure.unit
    about = f"{measure.title}, mean over played episodes; {measure.direction} is better."
    return Column(measure.key, measure.title, about, scale, measure.direction, 2, estimated=True)


def _mean(measure: Measure) -> Filled[GameRow]:
    return Filled(measure_column(measure), lambda row: Value.of(row.cell.measures[measure.key], missing="no value"))
