"""Finding games: every installed game, and broken games with the reason."""

from collections.abc import Iterable
from typing import Any

from ircore.core.errors import InputError, WorkError
from ircore.core.plugin_work import plugin_work
from ircore.core.plugins import available, load, unused
from ircore.core.records import DEFAULT_GAME
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


def in_registry_order(names: Iterable[str]) -> list[str]:
    """Return names of games in the order in which games are listed: the default one first, others by their names."""
    return sorted(names, key=lambda name: (name != DEFAULT_GAME, name))


def title_of(name: str) -> str:
    """Return the title of a game; its name if it is not installed, or broken."""
    try:
        return load_game(name).title
    except WorkError:
        return name


def step_word(name: str) -> str:
    """Return a game's word for one of its steps; ``step`` if the game is not installed, or broken."""
    try:
        return load_game(name).step_word
    except WorkError:
        return "step"


def has_support(feature: str, name: str) -> bool:
    """Return whether a feature works with a game, see ``Game.supports``; not if the game is not installed, or broken.

    >>> has_support("replay", "reconstruction"), has_support("replay", "chess")
    (True, False)
    """
    try:
        return feature in load_game(name).supports
    except (InputError, WorkError):
        return False


def require_support(feature: str, name: str, subject: str) -> None:
    """Refuse a game with which a feature does not work; see ``Game.supports``.

    Args:
        feature: Name of the feature, such as ``spot replay``.
        name: Name of the game.
        subject: What is of the game, for the error message, such as the path of a run.

    Raises:
        InputError: It does not work with the game.
    """
    if feature in load_game(name).supports:
        return
    others = [game.name for game in installed_games()[0].values() if feature in game.supports]
    raise InputError(
        f"{subject}: is of the game {name}, which has no {feature}", f"Name one of {' or '.join(others) or 'no game'}."
    )


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
