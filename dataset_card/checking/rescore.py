"""Values computed again from the embedded pictures, and episodes played again by the rules: of any run, or of new ones.

``release check --rescore`` computes all runs of a release again, or a share of each. Before publication the new runs
are, and that is recorded in the release.
"""

import hashlib
import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from dataset_card.card.card import CARD
from dataset_card.card.croissant import CROISSANT
from dataset_card.card.verification import (
    VERIFICATION,
    RunVerification,
    VerificationRecord,
    dump_verification,
    keep_unchanged,
    merge_verifications,
    run_key,
)
from dataset_card.checking.file_checks import check_descriptors, read_unchecked_texts
from dataset_card.checking.recomputing import TargetPiece, recompute
from dataset_card.checking.release_check import Report
from dataset_card.checking.rescored_run import Draw, RunTask, rescore_game_run
from dataset_card.releases.files import build_derived_files, read_release_files
from dataset_card.releases.record import ReleaseRecord, compute_program_key, read_release
from dataset_card.tables.game_tables import ReleasedRun
from ircore.core.errors import InputError, WorkError
from ircore.core.files import cache_folder, write_bytes, write_text
from ircore.core.plain_words import format_count
from ircore.core.records import Instance
from ircore.core.terminal import track_progress
from ircore.core.workers import map_in_order
from ircore.games.registry import has_support
from ircore.instances.store import InstanceSet

RUNS_AT_ONCE = 16
"""Runs that are gone through together, target by target; of each a row group of pictures is held."""

_SHARE = re.compile(r"(\d+(?:\.\d+)?|\.\d+)\s*(%?)")


@dataclass(frozen=True)
class Rescoring:
    """Result of computing values of a release again.

    Attributes:
        faults: One line each: run, episode, turn, judge or metric, what is stated and what was computed.
        runs: Verification of each run, by the run's id.

    >>> list(Rescoring(faults=(), runs={}).lines())
    ['computed again: 0 runs, 0 episodes']
    """

    faults: tuple[str, ...]
    runs: dict[str, RunVerification]

    def lines(self) -> Iterator[str]:
        """Yield lines for people: values that were computed again, and values that were not, with the reason."""
        episodes = sum(run.episodes for run in self.runs.values())
        shares = {(run.share, run.seed) for run in self.runs.values()}
        drawn = "".join(f", {100 * share:g} % drawn with seed {seed}" for share, seed in shares if share < 1)
        count = format_count(len(self.runs), "run")
        rules = " by the rules" if any(run.rules for run in self.runs.values()) else ""
        yield f"computed again: {count}, {format_count(episodes, 'episode')}{rules}{drawn}"
        for kind in ("judges", "metrics"):
            counts = Counter[str]()
            for run in self.runs.values():
                counts.update(getattr(run, kind))
            if counts:
                yield f"computed again: {kind} {', '.join(f'{name} {counts[name]:,}' for name in sorted(counts))}"
        for name, reason in sorted({obstacle for run in self.runs.values() for obstacle in run.not_verified.items()}):
            yield f"not recomputed: {name}: {reason}"


def parse_share(text: str) -> float:
    """Return a share: ``0.25`` or ``25%``.

    Raises:
        InputError: It is neither above 0 and up to 1, nor above 0 % and up to 100 %.
    """
    match = _SHARE.fullmatch(text.strip())
    value = float(match[1]) / (100 if match[2] else 1) if match else 0.0
    if not 0 < value <= 1:
        raise InputError(
            f"--rescore {text}: not a share of a release",
            "Give 0.25 or 25%, or no value for all; the folder stands before the option.",
        )
    return value


def rescore_release(folder: Path, runs: Sequence[ReleasedRun], draw: Draw, processes: int) -> Rescoring:
    """Compute values again from the pictures of a release, and play the episodes again by the rules.

    The descriptors of renderings, by which later runs are compared, are computed again too. Where a game can be
    replayed, its rules are played again; else its measures are computed again from the recorded steps and pictures.

    Args:
        folder: The release; its tables have no fault.
        runs: Runs to compute again, as they were read back.
        draw: Choice of the episodes.
        processes: Number of processes.

    Raises:
        InputError: A picture has changed since it was checked.
        WorkError: A process was killed.
    """
    parts = read_release(folder).parts
    ruled = [run for run in runs if has_support("replay", run.run.game)]
    tasks = {run.run.run_id: RunTask(run, draw) for run in ruled}
    faults: list[str] = []
    for start in range(0, len(tasks), RUNS_AT_ONCE):
        faults += _rescore_runs(list(tasks.values())[start : start + RUNS_AT_ONCE], processes)
    for run in ruled:
        faults += check_descriptors(folder, run, tasks[run.run.run_id].drawn, processes)
    verified = {run_id: task.verification(run_key(parts, run_id), draw) for run_id, task in tasks.items()}
    for run in (run for run in runs if run.run.run_id not in tasks):
        run_faults, verification = rescore_game_run(run, run_key(parts, run.run.run_id), draw)
        faults += run_faults
        verified[run.run.run_id] = verification
    # Several runs share a judge, and a fault of its identity is told once.
    return Rescoring(tuple(dict.fromkeys(faults)), verified)


def _rescore_runs(tasks: Sequence[RunTask], processes: int) -> Iterator[str]:
    """Yield the faults of some runs, target by target, so that each target is decoded once."""
    instances = tasks[0].instances
    # Targets without a drawn episode are not decoded.
    drawn_instances = [
        instance for instance in instances.instances if any(task.episodes.get(instance.instance_id) for task in tasks)
    ]
    pieces = (_build_piece(instances, instance, tasks) for instance in drawn_instances)
    by_run = {task.run_id: task for task in tasks}
    computed = map_in_order(recompute, pieces, min(processes, len(drawn_instances)))
    for recomputed in track_progress(computed, "rescoring", len(drawn_instances)):
        yield from recomputed.faults
        for run_id, scored in recomputed.scored:
            yield from by_run[run_id].differences(scored)


def _build_piece(instances: InstanceSet, instance: Instance, tasks: Sequence[RunTask]) -> TargetPiece:
    target = instances.picture(instance, "target")
    played = [(task, episode) for task in tasks for episode in task.episodes.get(instance.instance_id, ())]
    scored = [(task, episode) for task, episode in played if task.is_scored(episode)]
    return TargetPiece(
        tuple((task.run_id, task.material(target, episode, instance.scene)) for task, episode in scored),
        tuple(task.replay(instance, episode) for task, episode in played if task.is_replayed),
    )


REMEMBERED = "computed again: nothing, since release verify found no fault in the same bytes here"


@dataclass(frozen=True)
class _Rechecked:
    """Outcome of computing new runs again.

    Attributes:
        lines: Values that were computed again, as lines for people; empty without a new run.
        changed: Files of the release that say so now and did not before.
    """

    lines: tuple[str, ...]
    changed: tuple[str, ...]


def find_new_runs(record: ReleaseRecord, report: Report, parent: ReleaseRecord | None) -> tuple[ReleasedRun, ...]:
    """Return the runs whose transcripts, episodes or scores are new or differ from the release before."""
    before = () if parent is None else parent.parts

    def is_new(run: ReleasedRun) -> bool:
        return run_key(before, run.run.run_id) != run_key(record.parts, run.run.run_id)

    return tuple(filter(is_new, report.runs))


def recheck_new_runs(
    folder: Path, report: Report, parent: ReleaseRecord | None, known: VerificationRecord
) -> _Rechecked:
    """Compute the new runs of a release again; write ``verification.json`` and the card.

    What the parent says of the other runs is taken over; what the folder itself says was never looked at. Nothing is
    computed where ``release verify`` has computed all of the same bytes here before.

    Args:
        folder: The release.
        report: Report of the release's check, without a fault.
        parent: Record of the previous release; None for the first release.
        known: Verification of the previous release.

    Raises:
        WorkError: A value differs, or a process was killed.
    """
    record = read_release(folder)
    new = find_new_runs(record, report, parent)
    known = keep_unchanged(known, record.parts)
    new_ids = {run.run.run_id for run in new}
    if (before := recall_verification(folder)) is not None:
        known = merge_verifications(known, {run.run_id: run for run in before.runs if run.run_id in new_ids})
        return _Rechecked((REMEMBERED,) if new else (), _write_verification(folder, report, record, known))
    lines: tuple[str, ...] = ()
    processes = os.cpu_count() or 1
    known_runs = [run for run in report.runs if run.run.run_id not in new_ids]
    # Descriptors are no rows: those of a known run may have changed all the same.
    faults = [
        fault
        for run in known_runs
        for fault in check_descriptors(folder, run, {episode.episode_id for episode in run.episodes()}, processes)
    ]
    if new:
        rescoring = rescore_release(folder, new, Draw(), processes)
        faults += rescoring.faults
        known, lines = merge_verifications(known, rescoring.runs), tuple(rescoring.lines())
    if faults:
        more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        raise WorkError(f"{folder}: {faults[0]}{more}", f"See them with: ircore release check {folder} --rescore")
    return _Rechecked(lines, _write_verification(folder, report, record, known))


def _write_verification(
    folder: Path, report: Report, record: ReleaseRecord, verification: VerificationRecord
) -> tuple[str, ...]:
    """Write the verification into a release; return the files that have changed."""
    text = dump_verification(verification).encode()
    path = folder / VERIFICATION
    # Nothing is written where nothing changes, so that a second push sends nothing.
    if report.source is None or (path.is_file() and path.read_bytes() == text):
        return ()
    files = build_derived_files(
        folder, report.source, record, read_unchecked_texts(folder), verification, record.hashes
    )
    write_bytes(path, text)
    write_bytes(folder / CARD, files[CARD])
    return (VERIFICATION, CARD)


def remember_verification(folder: Path, verification: VerificationRecord) -> None:
    """Keep in the user's folder for caches that every value of a release was computed again without a difference."""
    if (path := _locate_note(folder)) is not None:
        with suppress(WorkError):  # without the note a push computes it once more
            write_text(path, dump_verification(verification))


def recall_verification(folder: Path) -> VerificationRecord | None:
    """Return what ``release verify`` has computed here of the same bytes by the same code; None if nothing."""
    path = _locate_note(folder)
    with suppress(OSError, ValidationError):
        return None if path is None else VerificationRecord.model_validate_json(path.read_bytes())
    return None


def _locate_note(folder: Path) -> Path | None:
    """Return the place of the note of a release; it lies outside of the release, whose own word proves nothing."""
    files = read_release_files(folder)
    # What a push writes is no part of what was computed.
    written = VERIFICATION, CARD, CROISSANT
    held = sorted(f"{name} {file.sha256}" for name, file in files.items() if name not in written)
    key = hashlib.sha256("\n".join((compute_program_key(), *held)).encode()).hexdigest()
    caches = cache_folder()
    return None if caches is None else caches / "verified" / f"{key}.json"
