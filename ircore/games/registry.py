"""Finding games: every installed game, and broken games with the reason."""

from typing import Any

from ircore.core.errors import WorkError
from ircore.core.plugin_work import plugin_work
from ircore.core.plugins import available, load, unused
from ircore.games.base import Game
from ircore.games.declarations import declaration_faults


def load_game(name: str, where: str = "") -> Game[Any]:
    """Return a game by the name of its entry point.

    Args:
        name: Name of the game.
        where: File and field in which the name stood, for the error message.

    Raises:
        InputError: There is none of that name.
        WorkError: It cannot be imported, or its declarations are not sound.
    """
    named = load("games", name, where)
    with plugin_work(f"game {name!r}"):
        return _sound(name, named)


def _sound(name: str, named: Any) -> Game[Any]:
    """Return the game that an entry point names, its declarations checked."""
    game = named() if isinstance(named, type) else named
    if not isinstance(game, Game):
        raise WorkError(
            f"game {name!r}: {type(game).__name__} is not an ircore.games.base.Game", "Derive the game from Game."
        )
    faults = declaration_faults(game)
    if game.name != name:
        faults += (f"its name is {game.name}, its entry point's {name}",)
    if faults:
        raise WorkError(f"game {name!r}: {'; '.join(faults)}", "Mend the game's package.")
    return game


def installed_games() -> tuple[dict[str, Game[Any]], dict[str, str]]:
    """Return the installed games by name, and the reasons why others cannot be used, also by name."""
    games: dict[str, Game[Any]] = {}
    broken = {plugin.label: plugin.reason for plugin in unused("games")}
    for name in available("games"):
        try:
            games[name] = load_game(name)
        except WorkError as error:
            broken[name] = error.problem.partition(": ")[2] or error.problem
    return games, broken
