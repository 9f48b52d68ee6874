"""Bringing a release, from a folder or the Hub, back to instance sets and run folders.

``ircore score``, ``results``, ``site build`` and ``release build`` take them as they take runs that were played here.
Questions, answers and tokens are kept in ``calls.jsonl``, from which the next release has them; the journal has no more
than the ends of the episodes, so a pulled run shows no requests. What its episodes cost is kept in ``costs.json``.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import NamedTuple, cast

from dataset_card.card.card import LICENCES
from dataset_card.checking.release_check import require_sound_release
from dataset_card.releases.files import PATTERNS, name_descriptor_file
from dataset_card.releases.record import RELEASE, RUNS
from dataset_card.tables.calls import write_calls
from dataset_card.tables.columns import Config
from dataset_card.tables.game_tables import ReleasedRun
from dataset_card.tables.parquet import read_table
from dataset_card.tables.rows import parse_public_id
from dataset_card.tables.schema import INSTANCES, is_transcripts
from ircore.core.episode_records import Rendering, list_renderings
from ircore.core.errors import InputError, WorkError
from ircore.core.files import write_bytes, write_new_folder, write_text
from ircore.core.images import KnownPicture, Picture
from ircore.core.plugins import build_unknown_name_error
from ircore.instances.store import INDEX, InstanceSet, build_index_bytes, read_instances, select_published_pictures
from ircore.runs.costs.totals import COSTS
from ircore.runs.events import End, EventEntry
from ircore.runs.folder import RunFolder, RunWriter, add_facts, create_run
from ircore.runs.provenance import write_provenance
from ircore.submissions.rescoring.picture_index import INDEX as COPIES_INDEX
from ircore.submissions.seasons import SEASON_GAPS

PICTURE_SUFFIXES = (".png", ".jpg", ".jpeg", ".webp")


@dataclass(frozen=True)
class _Pulled:
    """Folders that were written."""

    instances: Path
    """The instance set; of several games the set of the first."""

    runs: tuple[Path, ...]
    """The run folders."""

    episodes: int
    """Episodes in them."""

    scores: int
    """Scores in them."""


def refuse_other_folders(folder: Path) -> None:
    """Refuse a folder that is no release at all, rather than list all that it lacks.

    Raises:
        InputError: The folder has none of a release's own files.
    """
    if not any((folder / name).exists() for name in (RELEASE, RUNS, "data")):
        raise InputError(
            f"{folder}: no release here (no {RELEASE})", "Name a folder made by: ircore release build … --out DIR"
        )


def find_release(place: str, revision: str | None = None, patterns: Sequence[str] = PATTERNS) -> Path:
    """Return the folder of a release: a folder here, or a dataset on the Hub brought into the user's cache.

    Args:
        place: A folder, or ``ORG/NAME``; a folder of that name goes first.
        revision: Tag, branch or commit on the Hub; the newest commit if None.
        patterns: Patterns of the needed files, with ``*`` for any characters.

    Raises:
        InputError: There is no such folder and it cannot be a name on the Hub, or a folder is asked for a revision.
        WorkError: There is no such dataset or revision, or the Hub cannot be reached.
    """
    folder = Path(place)
    if folder.is_dir():
        if revision is not None:
            raise InputError(f"{place}: is a folder, which has no revisions", "Leave --revision out.")
        refuse_other_folders(folder)
        return folder
    if place.count("/") != 1:
        raise InputError(
            f"{place}: no such folder",
            "Name a folder made by: ircore release build … --out DIR; or ORG/NAME on the Hub.",
        )
    # A release in a folder needs no client of the Hub.
    from dataset_card.hub.repository import HubRepository, TemporaryError

    try:
        return HubRepository(place).download(revision, patterns)
    except TemporaryError as error:
        # Most who name no folder here mean one, and have mistyped it.
        raise WorkError(
            f"{place}: no such folder, and {error.problem}",
            "Name a folder made by: ircore release build … --out DIR; or give the same command again.",
        ) from error


class _PreviousRelease(NamedTuple):
    """Folder and commit of the release that another release is built upon."""

    folder: Path
    """The release's files."""

    commit: str | None
    """The commit on the Hub that they are of; None if the place is a folder of this machine."""


def find_previous(place: str) -> _PreviousRelease:
    """Return folder and commit of the release that another release is built upon.

    Args:
        place: A folder, or ``ORG/NAME`` or ``ORG/NAME@REVISION`` on the Hub.

    Raises:
        InputError: As ``find_release``.
        WorkError: As ``find_release``.
    """
    if Path(place).is_dir():
        return _PreviousRelease(Path(place), None)
    name, _, revision = place.partition("@")
    folder = find_release(name, revision or None)
    return _PreviousRelease(folder, folder.name)  # a folder of the Hub's cache is named by the commit


def pull_release(release: Path, out: Path, run_id: str | None = None) -> _Pulled:
    """Write the instance sets and the runs of a release below ``out``, which appears only when it is complete.

    The release is a stranger's: everything in it is checked before anything is written.

    Args:
        release: The release's folder.
        out: Folder to make; it must not exist or be empty. Gets ``runs/<run_id>`` and the sets, see
            ``write_instance_sets``.
        run_id: The only run to write; all of them if None.

    Raises:
        InputError: There is no such run, or ``out`` holds something.
        WorkError: The release has faults, or ``out`` cannot be written.
    """
    report = require_sound_release(release, str(release))
    runs = [run for run in report.runs if run_id in (None, run.run.run_id)]
    if not runs:
        raise build_unknown_name_error("run", str(run_id), [run.run.run_id for run in report.runs])
    judged = {score.by for run in report.runs for score in run.scores()}
    with write_new_folder(out) as folder:
        sets = write_instance_sets(release, folder, report.configs, runs)
        values = [_write_run(folder, run, sets[run.run.instance_set], judged) for run in runs]
        for config in report.configs:
            if is_transcripts(config.name):
                _write_renderings(release, config, folder, runs)
        for run in runs:
            if (release / (name := name_descriptor_file(run.run.run_id))).is_file():
                write_bytes(folder / "runs" / run.run.run_id / COPIES_INDEX, (release / name).read_bytes())
        # Pictures go nowhere without their licences, and gaps can be given to the next build.
        for name in (LICENCES, SEASON_GAPS):
            if (release / name).is_file():
                write_bytes(folder / name, (release / name).read_bytes())
    paths = tuple(out / "runs" / run.run.run_id for run in runs)
    return _Pulled(out / "instances", paths, sum(len(run.episodes()) for run in runs), sum(values))


def refuse_unsafe(files: Iterable[tuple[str, str]]) -> None:
    """Refuse names of files that would leave the set's folder, or overwrite another file of the set.

    Args:
        files: Instance and file name of each picture.
    """
    images_by_lower_case: dict[str, str] = {}
    for instance_id, image in files:
        path = PurePosixPath(image)
        # ./ and // make other spellings of one file, and a name without a picture's suffix could be the index.
        plain = path.as_posix() == image and "\\" not in image and path.suffix.lower() in PICTURE_SUFFIXES
        # Two dots begin with a dot, so names that climb out of the folder are hidden ones.
        hidden = any(part.startswith(".") for part in path.parts)
        # Names are compared in lower case, since on macOS and Windows such names are one file.
        if not plain or hidden or path.is_absolute() or images_by_lower_case.setdefault(image.lower(), image) != image:
            raise WorkError(
                f"instance {instance_id}: {image!r} is not a safe file name", "Ask the maintainers for a sound copy."
            )


def write_instance_sets(
    release: Path, folder: Path, configs: Sequence[Config], runs: Iterable[ReleasedRun]
) -> dict[str, InstanceSet]:
    """Write the instance sets that runs of a release were played on; returns them by identity.

    Args:
        release: The release's folder.
        folder: Gets ``instances``, ``instances_<game>`` for each further game, and for each further set of a game
            ``instances_<game>_<digits>`` with the first digits of its identity.
        configs: The release's tables.
        runs: Runs of the release, as a check has read them.

    Raises:
        WorkError: A file of a set would lie outside of the folder or upon another one, or a picture has changed.
    """
    config = next(config for config in configs if config.name == INSTANCES.name)
    sets = {run.run.instance_set: run.instances for run in runs}
    written: dict[str, InstanceSet] = {}
    for identity, instances in sets.items():
        games = {other.game for other in written.values()}
        digits = f"_{identity[:8]}" if instances.game in games else ""
        target = folder / (f"instances_{instances.game}{digits}" if written else "instances")
        files = {instance.instance_id: select_published_pictures(instance) for instance in instances.instances}
        refuse_unsafe((name, file.image) for name, own in files.items() for file in own.values())
        target.mkdir(parents=True)
        for _, row in read_table(release, config):
            if row["instance_set"] == identity:
                cells = cast("Sequence[object]", row["pictures"])
                for cell, file in zip(cells, files[parse_public_id(row["instance_id"])].values(), strict=True):
                    write_bytes(target / file.image, _read_checked_bytes(cell, file))
        write_bytes(target / INDEX, build_index_bytes(instances.instances))
        written[identity] = read_instances(target)
    return written


def _write_run(folder: Path, released: ReleasedRun, instances: InstanceSet, judged: set[str]) -> int:
    """Write a run without renderings; return the number of scores."""
    run = create_run(folder / "runs" / released.run.run_id, released.run, instances)
    with RunWriter(run) as writer:
        writer.record([EventEntry(End(episode=episode)) for episode in released.episodes()])
    if (voucher := released.provenance()) is not None:
        write_provenance(run.path, voucher)
    if scores := released.scores():
        run.add_scores(scores)
    _write_judges(run, released, judged)
    if released.fact_files:
        add_facts(run, released.facts())
    write_calls(run.path, released.calls())
    costs = {name: cost.model_dump() for name, cost in released.costs().items()}
    write_text(run.path / COSTS, json.dumps(costs, indent=2) + "\n")
    return len(scores)


def _write_judges(run: RunFolder, released: ReleasedRun, judged: set[str]) -> None:
    """Write who the judges of a run are."""
    ours = {score.by for score in released.scores()}
    for name, judge in released.judges().items():
        # A judge without any score is known to have been asked, and not of whom.
        if name in ours or name not in judged:
            run.keep_judge(judge)


def _write_renderings(release: Path, config: Config, folder: Path, runs: Sequence[ReleasedRun]) -> None:
    """Write each rendering of the runs once, a few rows of the release held at a time."""
    missing = {run.run.run_id: {drawn.sha256: drawn for drawn in _list_renderings(run)} for run in runs}
    columns = [column.name for column in config.images]
    for _, row in read_table(release, config):
        run_id = str(row["run_id"])
        for column in columns:
            sha256 = row[f"{column}_sha256"]
            if isinstance(sha256, str) and sha256 in missing.get(run_id, ()):
                # Turns may share a rendering, and a rendering may stand in several columns.
                drawn = missing[run_id].pop(sha256)
                write_bytes(
                    folder / "runs" / run_id / "renderings" / f"{sha256}.png", _read_checked_bytes(row[column], drawn)
                )


def _list_renderings(run: ReleasedRun) -> Iterator[Rendering]:
    return (rendering for episode in run.episodes() for _, rendering in list_renderings(episode))


def _read_checked_bytes(cell: object, known: KnownPicture) -> bytes:
    """Return a picture's bytes after comparing the pixels again: the file may have changed since the check."""
    data = cell["bytes"] if isinstance(cell, dict) else b""
    where = f"picture {known.sha256[:12]}…"
    return Picture.from_own_file(data, known, where, "Give the same command again.").data
