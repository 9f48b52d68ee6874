"""Finding games, players, judges, metrics and commands by name, in this and every other installed package."""

import sys
from difflib import get_close_matches
from functools import lru_cache
from importlib.metadata import EntryPoint, EntryPoints, entry_points
from pathlib import Path
from typing import Any, Literal

from ircore.core.errors import InputError, WorkError

Group = Literal[
    "commands",
    "game_tables",
    "games",
    "instances",
    "judges",
    "metrics",
    "players",
    "previews",
    "releases",
    "tables",
    "traits",
]


class BrokenPluginError(WorkError):
    """A plug-in is installed and cannot be imported.

    >>> str(BrokenPluginError("game 'chess' cannot be loaded: No module named 'board'", "Install its package again."))
    "game 'chess' cannot be loaded: No module named 'board'"
    """


def available(group: Group) -> dict[str, EntryPoint]:
    """Return the plug-ins of a group by name, not yet imported, sorted by name."""
    installed = _installed(f"ircore.{group}", tuple((folder, _changed_at(folder)) for folder in sys.path))
    return {point.name: point for point in sorted(installed, key=lambda point: point.name)}


@lru_cache(maxsize=32)
def _installed(group: str, _folders: tuple[tuple[str, int], ...]) -> EntryPoints:
    """Return the entry points of a group, read again when a folder of the import path has changed."""
    return entry_points(group=group)  # reads a file of every installed package: 10 ms, and commands ask again and again


def _changed_at(folder: str) -> int:
    """Return when an entry of a folder was added or removed, in nanoseconds; 0 where there is no such folder."""
    try:
        return Path(folder).stat().st_mtime_ns
    except OSError:
        return 0


def load(group: Group, name: str, where: str = "") -> Any:
    """Import a plug-in.

    Args:
        group: Kind of the plug-in.
        name: Name of the plug-in.
        where: File and field in which the name stood, for the error message.

    Returns:
        What the entry point names: a class, an object or a click command.

    Raises:
        InputError: There is none of that name; the message names the nearest one.
        WorkError: Its package is broken or lacks something it needs.
    """
    points = available(group)
    if name not in points:
        raise unknown(group.removesuffix("s"), name, points, where)
    try:
        return points[name].load()
    except Exception as error:  # a plug-in is somebody else's code: importing it may raise anything
        raise BrokenPluginError(
            f"{group.removesuffix('s')} {name!r} cannot be loaded: {_reason(error)}", "Install its package again."
        ) from error


def builtin(group: Group) -> frozenset[str]:
    """Return the names of a group's plug-ins that come with this package."""
    return frozenset(name for name, point in available(group).items() if point.dist and point.dist.name == "ircore")


def _reason(error: Exception) -> str:
    said = " ".join(str(error).split())
    return said if isinstance(error, ImportError) else f"{type(error).__name__}: {said}"


def unknown(kind: str, name: str, known: "dict[str, Any] | tuple[str, ...] | list[str]", where: str = "") -> InputError:
    """Make the error for an unknown name, with the nearest known name.

    >>> str(unknown("category", "geomtry", ["geometry", "photos"]))
    "unknown category 'geomtry'"
    >>> unknown("category", "geomtry", ["geometry", "photos"]).remedy
    'Did you mean geometry? Known: geometry, photos.'

    Args:
        kind: Kind of the named object, such as ``"category"``.
        name: The unknown name.
        known: The names that exist.
        where: File and field in which the name stood.
    """
    near = get_close_matches(name.lower(), list(known), n=1, cutoff=0.4)
    prefix = f"{where}: " if where else ""
    hint = f"Did you mean {near[0]}? " if near else ""
    return InputError(f"{prefix}unknown {kind} {name!r}", f"{hint}Known: {', '.join(sorted(known))}.")
