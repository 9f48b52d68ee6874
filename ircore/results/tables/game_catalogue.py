"""Every table of a game by name, as ``ircore results --table`` offers them for runs of that game.

Another package adds a table by an entry point ``GAME.TABLE`` in the group ``ircore.game_tables``.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from ircore.core.errors import InputError, WorkError
from ircore.core.plugin_work import plugin_work
from ircore.core.plugins import available, load, unknown
from ircore.core.records import RECONSTRUCTION
from ircore.games.base import Game
from ircore.games.registry import load_game
from ircore.results.games import GameResults
from ircore.results.tables.catalogue import table_names
from ircore.results.tables.game_curves import players_table, published_figures_table, stepped_tables
from ircore.results.tables.games import game_board, game_outcomes
from ircore.results.tables.model import Table
from ircore.results.tables.next_episodes import game_next_table

GAME_TABLES: Mapping[str, Callable[[GameResults, str | None, str | None], Table]] = {
    "board": game_board,
    "outcomes": game_outcomes,
    "next": game_next_table,
}
"""The tables of runs of any game, by the name that users give."""


def game_tables(game: Game[Any]) -> Mapping[str, Callable[[GameResults], Table]]:
    """Return the tables of a game beside its board, of all instances, by the names that users give."""
    tables: dict[str, Callable[[GameResults], Table]] = {**stepped_tables(game), "players": players_table}
    if game.published:
        tables["published"] = lambda results: published_figures_table(results.game)
    of_game = f"{game.name}."
    for name in available("game_tables"):
        # Plug-ins for tables of a game are called GAME.TABLE.
        if name.startswith(of_game) and plugin_table_fault(name) is None:
            tables[name.removeprefix(of_game)] = partial(_of_plugin, name=name)
    return tables


def games_with_table(name: str, games: Sequence[str]) -> list[str]:
    """Return the games that have a table.

    Args:
        name: The table's.
        games: Names of games, reconstruction and others; a game that cannot be loaded has the tables of all games.
    """
    return [game for game in games if name in (table_names() if game == RECONSTRUCTION else _names_of(game))]


def _names_of(game: str) -> set[str]:
    with suppress(InputError, WorkError):
        return {*GAME_TABLES, *game_tables(load_game(game))}
    return {*GAME_TABLES}


def tables_of_game(
    results: GameResults,
    name: str | None,
    category: str | None = None,
    difficulty: str | None = None,
    left_out: Callable[[WorkError], None] | None = None,
) -> dict[str, Table]:
    """Return tables of a game by their names: its board, measures, curves and the tables of plug-ins.

    Args:
        results: Of one game.
        name: The only table wanted; all tables if None.
        category: Only this category; all if None.
        difficulty: Only this difficulty; both if None.
        left_out: Told of a plug-in that breaks, whose table is then left out; None to stop at it.

    Raises:
        InputError: There is no such table, category or difficulty, or the table is of all instances.
    """
    by_condition = {
        key: partial(make, results, category, difficulty)
        for key, make in {**GAME_TABLES, **stepped_tables(results.game)}.items()
    }
    # game_tables has the tables by step too, which take a condition here.
    of_all = {key: partial(make, results) for key, make in game_tables(results.game).items() if key not in by_condition}
    tables: dict[str, Callable[[], Table]] = {**by_condition, **of_all}
    if name is not None and name not in tables:
        if name not in table_names():
            raise unknown("table", name, dict(tables), "--table")
        raise InputError(
            f"--table {name}: the game {results.game.name} has no such table",
            f"Choose one of: {', '.join(tables)}.",
        )
    if name in of_all and (category or difficulty):
        raise InputError(f"--table {name}: is of all instances", "Leave out --category and --difficulty.")
    made = {}
    for key, make in tables.items():
        if name in (None, key):
            try:
                made[key] = make()
            except WorkError as error:
                if left_out is None:
                    raise
                left_out(error)
    return made


def plugin_table_fault(name: str) -> str | None:
    """Return why no command shows a plug-in's table, ``GAME.TABLE``: its name is taken, or there is no such game."""
    game, _, table = name.partition(".")
    try:
        declared = load_game(game)
    except InputError as error:
        return error.problem
    own = {**GAME_TABLES, **stepped_tables(declared), "players": players_table, "published": published_figures_table}
    return f"the game {game} has a table {table} of its own" if table in own else None


def _of_plugin(results: GameResults, name: str) -> Table:
    make = load("game_tables", name, "--table")
    with plugin_work(f"table {name!r}"):
        table = make(results)
        if not isinstance(table, Table):
            raise TypeError(f"it returned a {type(table).__name__}, not a Table")
        return table
