"""The frozen boards of former versions of the benchmark: written when a version ends, read again, and their pages.

Results of different versions are never compared, so a site shows one of them live; the boards of the others stay as
they were, read-only. Of every other game the data are frozen too, with a page for each game. Pages of frozen boards
stand within the site's shell, and alone in the frozen folder.
"""

import json
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ircore.core.errors import InputError
from ircore.core.files import write_new_folder, write_text
from ircore.core.terminal import make_printable
from ircore.core.untrusted_text import format_one_line
from ircore.core.validation import describe_validation_error
from ircore.instances.benchmark import BenchmarkVersion, read_versions
from ircore.results.benchmark_version import Version
from leaderboard.components.markup import Chip
from leaderboard.model.site import Page
from leaderboard.rendering.render import render_block
from leaderboard.rendering.shell import Shell
from leaderboard.words import format_category

GAMES = "games"
"""Folder of the games, on a site and beside the frozen boards."""

GAME_FILES = ("board.json", "board.csv")
"""Files of a game's board, on a site and in the archive."""

REMEDY = "Freeze the version again."
"""What to do about a damaged archive."""

_MAX_BYTES = 64 * 1024 * 1024
_NAME = re.compile(r"[a-z][a-z0-9-]{0,39}")

_ELSEWHERE = frozenset({"played_share", "detectable"})
"""Numbers that the page has in other words, or that say nothing of one row."""

VERSION = "version.json"
BOARD_FILES = ("leaderboard.json", "leaderboard.csv")
"""Files that are archived for a version besides its record: those under ``data/`` of its last site."""

FOLDER = "versions"
_OF_RUNS = ("trust", "date", "ircore", "rules")

Row = Mapping[str, Any]
"""A row of ``leaderboard.json``."""

_FIELDS = ("judge", "category", "difficulty", "rules")
"""Fields that tell boards apart: pairs were ranked among pairs under the same rules."""

ALL = "all"
"""Entry of a row for all categories, and for both difficulties."""


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
    for board in sorted(site.glob(f"{GAMES}/*/{GAME_FILES[0]}")):
        copy_game(board.parent, folder / GAMES / board.parent.name)


def copy_game(source: Path, target: Path) -> None:
    """Copy the files of a game's boards."""
    target.mkdir(parents=True, exist_ok=True)
    for name in GAME_FILES:
        shutil.copyfile(source / name, target / name)


def read_games(folder: Path) -> Iterator[FrozenGame]:
    """Yield the games of a folder of frozen boards, by name.

    Raises:
        InputError: A file is too large or no board, or a folder's name is no name of a game.
    """
    for path in sorted(folder.glob(f"{GAMES}/*/{GAME_FILES[0]}")):
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


@dataclass(frozen=True)
class FrozenBoard:
    """The boards of a former version.

    Example:
        >>> from pathlib import Path
        >>> FrozenBoard(record=None, folder=Path("versions/2026.1"), rows=({"pair": "a + b"},)).rows[0]["pair"]
        'a + b'
    """

    record: BenchmarkVersion
    """Record of the version."""

    folder: Path
    """Folder of the version's files."""

    rows: tuple[Mapping[str, Any], ...]
    """Rows of its ``leaderboard.json``, each with the fields ``_OF_RUNS`` that the file states about the row's run."""

    games: tuple[FrozenGame, ...] = ()
    """Boards of other games, as they were when the version ended."""

    @property
    def path(self) -> str:
        """Folder of its page and files on the site."""
        return f"{FOLDER}/{self.record.name}"


def make_released_version(
    marker: Mapping[str, Any], name: str, day: str | None = None, notes: str | None = None
) -> BenchmarkVersion:
    """Return the record that makes the benchmark of a built site a released version.

    Args:
        marker: Content of the site's marker file.
        name: Name of the version, such as 2026.1.
        day: When it was released, YYYY-MM-DD; None for today, in UTC.
        notes: What is new in it, in one line.

    Raises:
        InputError: A value is not valid, or the site shows no run of the reconstruction game.
    """
    _refuse_other_games(marker)
    about = {"instance_set": marker.get("instance_set"), "prompts": marker.get("prompts")}
    today = datetime.now(UTC).date().isoformat()
    try:
        return BenchmarkVersion.model_validate({"name": name, "date": day or today, "notes": notes, **about})
    except ValidationError as error:
        raise InputError(
            f"version {make_printable(name)}: {describe_validation_error(error)}", "Correct the value."
        ) from error


def _refuse_other_games(marker: Mapping[str, Any]) -> None:
    if not marker.get("instance_set"):
        raise InputError(
            "the site shows no run of reconstruction, whose targets and prompts a version of the benchmark is",
            "Build it with such runs, too: ircore site build --runs RUN …",
        )


def freeze_site(
    site: Path, out: Path, marker: Mapping[str, Any], known: Sequence[BenchmarkVersion] | None = None
) -> BenchmarkVersion:
    """Freeze the boards of a built site under its benchmark version: data, and pages readable without the site.

    Args:
        site: A built site.
        out: The folder to make.
        marker: Content of the site's marker file.
        known: The released versions; by default those of ``versions.yaml``.

    Raises:
        InputError: The site's benchmark is not released, or ``out`` holds something.
        WorkError: ``out`` cannot be written.
    """
    name = marker.get("benchmark")
    record = next((version for version in (read_versions() if known is None else known) if version.name == name), None)
    _refuse_other_games(marker)
    # A board frozen under an unreleased name could later be taken for the release of that name.
    if record is None or record.instance_set != marker.get("instance_set"):
        raise InputError(
            f"{site}: shows an unreleased benchmark (set {marker['instance_set'][:8]})",
            f"Record it (ircore site record {site} NAME), build the site again with --version NAME, then freeze it.",
        )
    with write_new_folder(out) as folder:
        for file in BOARD_FILES:
            shutil.copyfile(site / "data" / file, folder / file)
        copy_games(site, folder)
        write_text(folder / VERSION, record.model_dump_json(indent=2) + "\n")
        _write_pages(_read_frozen(folder / VERSION), folder)
    return record


def read_archive(folder: Path, current: Version) -> tuple[FrozenBoard, ...]:
    """Read the frozen boards of former versions, newest first.

    Args:
        folder: Holds one folder a version, as ``freeze_site`` makes them.
        current: Version that the site shows live; its own frozen board is skipped.

    Raises:
        InputError: A version is damaged, or one name stands for two versions.
    """
    boards: dict[str, FrozenBoard] = {}
    for path in sorted(folder.glob(f"*/{VERSION}")):
        board = _read_frozen(path)
        # Two folders may claim one name; which of them is right cannot be told here.
        twin = boards.setdefault(board.record.name, board)
        if twin is not board or (board.record.name == current.name and not _has_same_content(board.record, current)):
            other = "the site's own" if twin is board else str(twin.folder)
            raise InputError(
                f"{path}: version {board.record.name} differs from {other}", "Give one of them another name."
            )
    if not boards and not folder.is_dir():
        raise InputError(f"{folder}: no folder of frozen boards", "Make one: ircore site freeze SITE --out DIR/NAME")
    former = [board for name, board in boards.items() if name != current.name]
    return tuple(sorted(former, key=lambda board: (board.record.date, board.record.name), reverse=True))


def write_frozen(frozen: Sequence[FrozenBoard], folder: Path) -> None:
    """Copy the data files of frozen boards beside their pages."""
    for board in frozen:
        (folder / board.path).mkdir(parents=True, exist_ok=True)
        for name in BOARD_FILES:
            shutil.copyfile(board.folder / name, folder / board.path / name)
        for game in board.games:
            copy_game(board.folder / game.path, folder / board.path / game.path)


def build_version_pages(current: Version, frozen: Sequence[FrozenBoard]) -> Iterator[Page]:
    """Yield the list of versions and a page for each frozen board, of other games too."""
    values = {"current": current, "frozen": frozen}
    yield Page(
        f"{FOLDER}/index",
        "Versions of the benchmark",
        "versions",
        values,
        searchable=True,
        cited=False,
        found_by="releases",
    )
    for board in frozen:
        views = list_frozen_views(board.rows)
        for view in views:
            shown = {**build_values(board.record, views, view), "site_root": "../../"}
            yield Page(f"{board.path}/{view.name}", f"Benchmark {board.record.name}", "frozen", shown)
        for game in board.games:
            shown = {"record": board.record, "game": game, "site_root": "../../../", "up": "../"}
            title = f"Benchmark {board.record.name}: {game.name}"
            yield Page(f"{board.path}/{game.path}", title, "frozen_game", shown, cited=False)


@dataclass(frozen=True)
class _FrozenView:
    """Board of a former version."""

    name: str
    """Path of the board's page, without suffix: ``index``, or ``board-`` and a number."""

    judge: str
    """Judge of the board."""

    category: str
    """Category, or ``all``."""

    difficulty: str
    """Difficulty, or ``all``."""

    rules: str
    """Rules of its pairs, in words."""

    rows: tuple[Row, ...]
    """Best first, as they were."""

    @property
    def heading(self) -> str:
        """Title of the board."""
        categories = "All categories" if self.category == ALL else format_category(self.category)
        return categories if self.difficulty == ALL else f"{categories}, {self.difficulty}"


def list_frozen_views(rows: Sequence[Row]) -> tuple[_FrozenView, ...]:
    """Return every board among the rows of ``leaderboard.json``, the first overall board of the first judge first.

    Args:
        rows: Rows of the file, best first on each board; rows without a judge, a condition or rules are skipped.
    """
    rows_by_view: dict[tuple[str, str, str, str], list[Row]] = {}
    for row in rows:
        judge, category, difficulty, rules = (str(row.get(name)) for name in _FIELDS)
        # The file is data from outside: a row of another shape is skipped, not trusted.
        if all(isinstance(row.get(name), str) for name in _FIELDS):
            rows_by_view.setdefault((judge, category, difficulty, rules), []).append(row)
    # Stable: apart from the overall boards, which come first, the order of the file stays.
    keys = sorted(rows_by_view, key=lambda key: (key[1] != ALL or key[2] != ALL, key[0]))
    return tuple(
        _FrozenView("index" if not number else f"board-{number}", *key, tuple(rows_by_view[key]))
        for number, key in enumerate(keys)
    )


def list_choices(views: Sequence[_FrozenView], shown: _FrozenView) -> Iterator[tuple[str, list[Chip]]]:
    """Yield links to the boards that differ from the shown board in a single choice, grouped by that choice."""
    for choice in _FIELDS:
        others = [name for name in _FIELDS if name != choice]
        alike = [view for view in views if all(getattr(view, name) == getattr(shown, name) for name in others)]
        links = [Chip(_format_choice(choice, getattr(view, choice)), view.name, view is shown) for view in alike]
        if len(links) > 1:
            yield choice.capitalize(), links


def build_values(record: BenchmarkVersion, views: Sequence[_FrozenView], view: _FrozenView) -> dict[str, Any]:
    """Return the values of the template ``frozen`` for a board."""
    return {"record": record, "view": view, "choices": list(list_choices(views, view))}


def _read_texts(mapping: object) -> dict[str, str]:
    return {str(key): str(value) for key, value in mapping.items()} if isinstance(mapping, dict) else {}


def _write_pages(board: FrozenBoard, folder: Path) -> None:
    """Write the boards as stand-alone pages, readable when no site shows them any more."""
    views, shell = list_frozen_views(board.rows), Shell(render_block("frozen_page", {}))
    for view in views:
        content = render_block("frozen", {**build_values(board.record, views, view), "site_root": None})
        title = f"Benchmark {board.record.name}: {view.heading}"
        write_text(folder / f"{view.name}.html", shell.filled(content=content, title=title))
    for game in board.games:
        content = render_block("frozen_game", {"record": board.record, "game": game, "site_root": None, "up": "../"})
        title = f"Benchmark {board.record.name}: {game.name}"
        write_text(folder / f"{game.path}.html", shell.filled(content=content, title=title))


def _has_same_content(record: BenchmarkVersion, current: Version) -> bool:
    return (record.instance_set, record.prompts) == (current.instance_set, current.prompts)


def _read_frozen(path: Path) -> FrozenBoard:
    board = path.parent / BOARD_FILES[0]
    try:
        record = BenchmarkVersion.model_validate_json(path.read_bytes())
    except ValidationError as error:
        raise InputError(f"{path}: {describe_validation_error(error)}", REMEDY) from error
    except OSError as error:
        raise InputError(f"{path}: cannot be read", REMEDY) from error
    document = read_boards(board)
    # Boards and record are separate files, so one may have been copied without the other.
    if document.get("instance_set") != record.instance_set:
        raise InputError(f"{board}: of another instance set than {VERSION} names", REMEDY)
    shown = tuple(_add_run_facts(row, document.get("runs")) for row in document["rows"])
    return FrozenBoard(record, path.parent, shown, tuple(read_games(path.parent)))


def _add_run_facts(row: Mapping[str, Any], runs: object) -> Mapping[str, Any]:
    """Return a row with its run's facts, as far as the file, which is data from outside, has them."""
    run = runs.get(str(row.get("run_id"))) if isinstance(runs, dict) else None
    said = run if isinstance(run, dict) else {}
    return {**row, **{name: said[name] for name in _OF_RUNS if isinstance(said.get(name), str)}}


def _format_choice(field: str, value: str) -> str:
    if field == "category":
        return "All" if value == ALL else format_category(value)
    if field == "difficulty":
        return "Both" if value == ALL else value.capitalize()
    return format_one_line(value, 100)
