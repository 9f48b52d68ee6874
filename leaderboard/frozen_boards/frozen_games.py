"""Boards of other games as they were when a version of the benchmark ended: their data, and a page for each."""

import json
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ircore.core.errors import InputError

GAMES = "games"
"""Folder of the games, on a site and beside the frozen boards."""

FILES = ("board.json", "board.csv")
"""Files of a game's board, on a site and in the archive."""

REMEDY = "Freeze the version again."
"""What to do about a damaged archive."""

_MAX_BYTES = 64 * 1024 * 1024
_NAME = re.compile(r"[a-z][a-z0-9-]{0,39}")

_ELSEWHERE = frozenset({"played_share", "detectable"})
"""Numbers that the page has in other words, or that say nothing of one row."""


@dataclass(frozen=True)
class FrozenGame:
    """The boards of a game, a board for each of its rules, as a file of former times has them.

    >>> FrozenGame("reference", {"main_score_mean": "0–100"}, ({"main_score_mean": 91.5},)).columns
    (('main_score_mean', 'main score', '0–100'),)
    """

    name: str
    """Name of the game."""

    units: Mapping[str, str]
    """Unit of each number, by its key in the rows."""

    rows: tuple[Mapping[str, Any], ...]
    """Best first under each rules."""

    rule_words: Mapping[str, str] = field(default_factory=dict)
    """Rules in words, by their key in the rows."""

    @property
    def path(self) -> str:
        """Path of its page and folder of its files below those of the version, without suffix."""
        return f"{GAMES}/{self.name}"

    @property
    def columns(self) -> tuple[tuple[str, str, str], ...]:
        """Key, heading and unit of each number that some row has; a unit that is the heading is left out."""
        given = {key for row in self.rows for key, value in row.items() if isinstance(value, int | float)}
        headings = {key: self._find_heading(key) for key in self.units if key in given - _ELSEWHERE}
        return tuple((key, words, self.units[key].replace(words, "")) for key, words in headings.items())

    def _find_heading(self, key: str) -> str:
        """Return the heading of a number; the board's own measure stands in the rows where judges do for others."""
        named = str(self.rows[0].get("judge", "value")) if key == "mean" else key.removesuffix("_mean")
        return named.replace("_", " ")

    @property
    def boards(self) -> dict[str, list[Mapping[str, Any]]]:
        """The rows by the words of their rules, which are never mixed."""
        boards: dict[str, list[Mapping[str, Any]]] = {}
        for row in self.rows:
            boards.setdefault(str(row.get("rules", "")), []).append(row)
        return {self.rule_words.get(key, key): rows for key, rows in boards.items()}


def copy_games(site: Path, folder: Path) -> None:
    """Copy the files of the boards of other games from a built site into a folder of frozen boards."""
    for board in sorted(site.glob(f"{GAMES}/*/{FILES[0]}")):
        copy_game(board.parent, folder / GAMES / board.parent.name)


def copy_game(source: Path, target: Path) -> None:
    """Copy the files of a game's boards."""
    target.mkdir(parents=True, exist_ok=True)
    for name in FILES:
        shutil.copyfile(source / name, target / name)


def read_games(folder: Path) -> Iterator[FrozenGame]:
    """Yield the games of a folder of frozen boards, by name.

    Raises:
        InputError: A file is too large or no board, or a folder's name is no name of a game.
    """
    for path in sorted(folder.glob(f"{GAMES}/*/{FILES[0]}")):
        name, document = path.parent.name, read_boards(path)
        if not _NAME.fullmatch(name) or document.get("game") != name:
            raise InputError(f"{path}: not the boards of a game named {name[:40]!r}", REMEDY)
        units, words = (_read_texts(document.get(key)) for key in ("units", "rule_words"))
        yield FrozenGame(name, units, tuple(document["rows"]), words)


def read_boards(path: Path) -> dict[str, Any]:
    """Return the content of a file of boards, whose ``rows`` are mappings.

    Raises:
        InputError: The file is too large, cannot be read or holds no boards.
    """
    try:
        # The file may come from elsewhere: its size is checked before it is read into memory.
        if path.stat().st_size > _MAX_BYTES:
            raise InputError(f"{path}: larger than {_MAX_BYTES // 2**20} MiB", REMEDY)
        document = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot be read", REMEDY) from error
    rows = document.get("rows") if isinstance(document, dict) else None
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise InputError(f"{path}: not the boards of a site", REMEDY)
    return dict(document)


def _read_texts(mapping: object) -> dict[str, str]:
    return {str(key): str(value) for key, value in mapping.items()} if isinstance(mapping, dict) else {}
