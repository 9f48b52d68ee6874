"""The frozen boards of former versions of the benchmark.

Results of different versions are never compared, so a site shows one of them live; the boards of the others stay as
they were, read-only.
"""

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ircore.core.errors import InputError
from ircore.core.files import write_new_folder, write_text
from ircore.core.terminal import make_printable
from ircore.core.validation import describe_validation_error
from ircore.instances.benchmark import RECORDS, BenchmarkVersion, read_versions
from ircore.results.benchmark_version import Version
from leaderboard.frozen_boards.frozen_games import (
    REMEDY,
    FrozenGame,
    copy_game,
    copy_games,
    read_boards,
    read_games,
)
from leaderboard.frozen_boards.frozen_views import build_values, list_frozen_views
from leaderboard.rendering.render import render_block
from leaderboard.rendering.shell import Shell

VERSION = "version.json"
BOARDS = ("leaderboard.json", "leaderboard.csv")
"""Files that are archived for a version besides its record: those under ``data/`` of its last site."""

FOLDER = "versions"
_OF_RUNS = ("trust", "date", "ircore", "rules")


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
        InputError: A value is not valid.
    """
    about = {"instance_set": marker.get("instance_set"), "prompts": marker.get("prompts")}
    today = datetime.now(UTC).date().isoformat()
    try:
        return BenchmarkVersion.model_validate({"name": name, "date": day or today, "notes": notes, **about})
    except ValidationError as error:
        raise InputError(
            f"version {make_printable(name)}: {describe_validation_error(error)}", "Correct the value."
        ) from error


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
    # A board frozen under an unreleased name could later be taken for the release of that name.
    if record is None or record.instance_set != marker.get("instance_set"):
        raise InputError(
            f"{site}: shows an unreleased benchmark (set {str(marker.get('instance_set'))[:8]})",
            f"Record the version in ircore/{RECORDS.name}, build the site again, then freeze it.",
        )
    with write_new_folder(out) as folder:
        for file in BOARDS:
            shutil.copyfile(site / "data" / file, folder / file)
        copy_games(site, folder)
        write_text(folder / VERSION, record.model_dump_json(indent=2) + "\n")
        _write_pages(_read_frozen(folder / VERSION), folder)
    return record


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


def _has_same_content(record: BenchmarkVersion, current: Version) -> bool:
    return (record.instance_set, record.prompts) == (current.instance_set, current.prompts)


def _read_frozen(path: Path) -> FrozenBoard:
    board = path.parent / BOARDS[0]
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


def write_frozen(frozen: Sequence[FrozenBoard], folder: Path) -> None:
    """Copy the data files of frozen boards beside their pages."""
    for board in frozen:
        (folder / board.path).mkdir(parents=True, exist_ok=True)
        for name in BOARDS:
            shutil.copyfile(board.folder / name, folder / board.path / name)
        for game in board.games:
            copy_game(board.folder / game.path, folder / board.path / game.path)
