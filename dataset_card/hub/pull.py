"""A release, from a folder or the Hub, back to what it was made of: an instance set and run folders.

``ircore score``, ``results``, ``site build`` and ``release build`` take them as they take runs that were played here.
What a release does not hold is not invented: the players' raw answers, their tokens and the judges' own texts stay
away, so a pulled run shows no requests. What its episodes cost is kept in ``costs.json``.
"""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from dataset_card.card.card import LICENCES
from dataset_card.checking.check import check_release
from dataset_card.releases.files import PATTERNS, SINGLE_FILES
from dataset_card.tables.parquet import read_table
from dataset_card.tables.reading import ReleasedRun
from dataset_card.tables.rows import Row
from dataset_card.tables.schema import INSTANCES, TRANSCRIPTS
from ircore.core.errors import InputError, WorkError
from ircore.core.files import new_folder, write_bytes, write_text
from ircore.core.plugins import unknown
from ircore.core.records import Instance
from ircore.instances.store import INDEX, index_bytes, read_instances
from ircore.runs.costs.episode_costs import COSTS
from ircore.runs.events import End, Entry
from ircore.runs.folder import RunFolder
from ircore.runs.provenance import write_provenance
from ircore.runs.writer import RunWriter

MAX_FILE_BYTES = 64 * 1024 * 1024
"""Of the files beside the tables."""

PICTURE_SUFFIXES = (".png", ".jpg", ".jpeg", ".webp")


@dataclass(frozen=True)
class Pulled:
    """What was written."""

    instances: Path
    """The instance set."""

    runs: tuple[Path, ...]
    """The run folders."""

    episodes: int
    """Episodes in them."""

    scores: int
    """Scores in them."""


def find_release(place: str, revision: str | None = None, patterns: Sequence[str] = PATTERNS) -> Path:
    """Return the folder of a release: a folder here, or a dataset on the Hub brought into the user's cache.

    Args:
        place: A folder, or ``ORG/NAME``; a folder of that name goes first.
        revision: Tag, branch or commit on the Hub; the newest commit if None.
        patterns: Which of its files are needed, with ``*`` for any characters.

    Raises:
        InputError: There is no such folder and it cannot be a name on the Hub, or a folder is asked for a revision.
        WorkError: There is no such dataset or revision, or the Hub cannot be reached.
    """
    folder = Path(place)
    if folder.is_dir():
        if revision is not None:
            raise InputError(f"{place}: is a folder, which has no revisions", "Leave --revision out.")
        return folder
    if place.count("/") != 1:
        raise InputError(
            f"{place}: no such folder",
            "Name a folder made by: ircore release build … --out DIR; or ORG/NAME on the Hub.",
        )
    from dataset_card.hub.repository import Repository

    return Repository(place).download(revision, patterns)


class PreviousRelease(NamedTuple):
    """Where the release lies that another one is built upon."""

    folder: Path
    """The release's files."""

    commit: str | None
    """The commit on the Hub that they are of; None if the place is a folder of this machine."""


def find_previous(place: str) -> PreviousRelease:
    """Return where the release lies that another one is built upon.

    Args:
        place: A folder, or ``ORG/NAME`` or ``ORG/NAME@REVISION`` on the Hub.

    Raises:
        InputError: As ``find_release``.
        WorkError: As ``find_release``.
    """
    if Path(place).is_dir():
        return PreviousRelease(Path(place), None)
    name, _, revision = place.partition("@")
    folder = find_release(name, revision or None)
    return PreviousRelease(folder, folder.name)  # a folder of the Hub's cache is named by the commit


def pull_release(release: Path, out: Path, run_id: str | None = None) -> Pulled:
    """Write the instance set and the runs of a release below ``out``, which appears only when it is complete.

    The release is a stranger's: everything in it is checked before anything is written.

    Args:
        release: The release's folder.
        out: Where to; it must not exist or be empty. Gets ``instances`` and ``runs/<run_id>``.
        run_id: The only run to write; all of them if None.

    Raises:
        InputError: There is no such run, or ``out`` holds something.
        WorkError: The release has faults, or the place cannot be written.
    """
    _refuse_large(release)
    report = check_release(release, card=False)
    if report.faults:
        raise WorkError(
            f"{release}: {report.faults[0]} ({len(report.faults)} in all)", f"See: ircore release check {release}"
        )
    runs = [one for one in report.runs if run_id in (None, one.run.run_id)]
    if not runs:
        raise unknown("run", str(run_id), [one.run.run_id for one in report.runs])
    instances = runs[0].instances.instances
    judged = {score.judge for one in report.runs for score in one.scores()}
    with new_folder(out) as folder:
        write_target_set(release, folder / "instances", instances)
        for one in runs:
            _write_run(folder, one, judged)
        _write_renderings(release, folder, runs)
        write_bytes(folder / LICENCES, (release / LICENCES).read_bytes())
    return Pulled(
        out / "instances",
        tuple(out / "runs" / one.run.run_id for one in runs),
        sum(len(one.episodes()) for one in runs),
        sum(len(one.scores()) for one in runs),
    )


def _refuse_large(release: Path) -> None:
    """Refuse files that are read as a whole if they are larger than any real one."""
    for name in SINGLE_FILES:
        path = release / name
        if path.is_file() and path.stat().st_size > MAX_FILE_BYTES:
            raise WorkError(f"{path}: larger than {MAX_FILE_BYTES // 2**20} MiB")


def _refuse_unsafe(instances: Sequence[Instance]) -> None:
    """Refuse file names that would leave the set's folder, or lie on top of another file of it."""
    seen: set[str] = set()
    for one in instances:
        path = PurePosixPath(one.image)
        plain = path.as_posix() == one.image and "\\" not in one.image and path.suffix.lower() in PICTURE_SUFFIXES
        hidden = any(part.startswith(".") for part in path.parts)
        if not plain or hidden or path.is_absolute() or one.image.lower() in seen:
            raise WorkError(f"instance {one.instance_id}: {one.image!r} is no file name to write to")
        seen.add(one.image.lower())


def write_target_set(release: Path, folder: Path, instances: Sequence[Instance]) -> None:
    """Write the instance set of a release to a folder.

    Args:
        release: The release's folder.
        folder: Where to.
        instances: Its instances, as a check of the release has read them.

    Raises:
        WorkError: A file of it would lie outside of the folder or upon another one, or a picture has changed.
    """
    _refuse_unsafe(instances)
    known = {one.instance_id: one for one in instances}
    for _, row in read_table(release, INSTANCES):
        one = known[str(row["instance_id"])]
        write_bytes(folder / one.image, _bytes(row, "image", one.sha256))
    write_bytes(folder / INDEX, index_bytes(instances))


def _write_run(folder: Path, released: ReleasedRun, judged: set[str]) -> None:
    """Write a run without its renderings."""
    instances = read_instances(folder / "instances")
    run = RunFolder.create(folder / "runs" / released.run.run_id, released.run, instances)
    with RunWriter(run) as writer:
        writer.record([Entry(End(episode=one)) for one in released.episodes()])
    run.add_scores(released.scores())
    ours = {score.judge for score in released.scores()}
    for name, judge in released.judges().items():
        # A judge without any score is known to have been asked, and not of whom.
        if name in ours or name not in judged:
            run.keep_judge(judge)
    if (vouched := released.provenance()) is not None:
        write_provenance(run.path, vouched)
    write_text(run.path / COSTS, json.dumps(dict(released.costs()), indent=2) + "\n")


def _write_renderings(release: Path, folder: Path, runs: Sequence[ReleasedRun]) -> None:
    """Write each rendering of the runs once, a few rows of the release held at a time."""
    wanted = {one.run.run_id: set(_renderings(one)) for one in runs}
    for _, row in read_table(release, TRANSCRIPTS):
        run_id, sha256 = str(row["run_id"]), row["rendering_sha256"]
        if isinstance(sha256, str) and sha256 in wanted.get(run_id, ()):
            wanted[run_id].remove(sha256)
            write_bytes(folder / "runs" / run_id / "renderings" / f"{sha256}.png", _bytes(row, "rendering", sha256))


def _renderings(run: ReleasedRun) -> Iterator[str]:
    return (turn.rendering.sha256 for one in run.episodes() for turn in one.turns if turn.rendering is not None)


def _bytes(row: Row, column: str, sha256: str) -> bytes:
    """Return a picture's bytes, compared again: the file may have changed since it was checked."""
    cell = row[column]
    data = cell["bytes"] if isinstance(cell, dict) else b""
    if hashlib.sha256(data).hexdigest() != sha256:
        raise WorkError(f"{column} {sha256[:12]}…: has changed while it was read", "Give the same command again.")
    return bytes(data)
