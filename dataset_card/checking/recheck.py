"""Computing the new runs of a release again before publication, and recording that in the release."""

import hashlib
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from dataset_card.card.card import CARD
from dataset_card.card.croissant import CROISSANT
from dataset_card.card.verification import (
    VERIFICATION,
    Verification,
    dump_verification,
    keep_unchanged,
    merge_verifications,
    run_key,
)
from dataset_card.checking.copies import check_descriptors
from dataset_card.checking.derived_file_check import read_unchecked_texts
from dataset_card.checking.release_check import Report
from dataset_card.checking.rescore import rescore_release
from dataset_card.checking.rescored_run import Draw
from dataset_card.releases.derived_files import build_derived_files
from dataset_card.releases.files import read_release_files
from dataset_card.releases.record import ReleaseRecord, read_release
from dataset_card.releases.renderer import compute_program_key
from dataset_card.tables.release_source import ReleasedRun
from ircore.core.errors import WorkError
from ircore.core.files import cache_folder, write_bytes, write_text

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


def recheck_new_runs(folder: Path, report: Report, parent: ReleaseRecord | None, known: Verification) -> _Rechecked:
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
    folder: Path, report: Report, record: ReleaseRecord, verification: Verification
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


def remember_verification(folder: Path, verification: Verification) -> None:
    """Keep in the user's folder for caches that every value of a release was computed again without a difference."""
    if (path := _locate_note(folder)) is not None:
        with suppress(WorkError):  # without the note a push computes it once more
            write_text(path, dump_verification(verification))


def recall_verification(folder: Path) -> Verification | None:
    """Return what ``release verify`` has computed here of the same bytes by the same code; None if nothing."""
    path = _locate_note(folder)
    with suppress(OSError, ValidationError):
        return None if path is None else Verification.model_validate_json(path.read_bytes())
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
