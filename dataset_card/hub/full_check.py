"""``release check``: the content of a release here or on the Hub, loading with ``datasets``, and the card's code."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from dataset_card.card.code import run_blocks
from dataset_card.card.verification import RunVerification, VerificationRecord, merge_verifications
from dataset_card.checking.loading import check_loading
from dataset_card.checking.release_check import Report, check_release
from dataset_card.hub.pull import find_release
from dataset_card.releases.files import is_release_file
from ircore.core.plain_words import format_count

if TYPE_CHECKING:
    from dataset_card.checking.rescored_run import Draw

MOST_LISTED = 20
"""Foreign files that are named: somebody may have given a wrong folder."""


def check_release_fully(
    place: str, load: bool = True, run_card: bool = False, processes: int = 1, draw: "Draw | None" = None
) -> Report:
    """Check a release in a folder or on the Hub.

    Args:
        place: A folder, or ``ORG/NAME`` or ``ORG/NAME@REVISION`` on the Hub; a folder of that name goes first.
        load: Whether to load every table with ``datasets``, whole and streamed; of the Hub, at the commit that is
            checked.
        processes: Number of processes that compute again.
        draw: Choice of episodes to compute again from the pictures; None for no episode.
        run_card: Whether to run the code of the card, after the check that this version wrote it.

    Returns:
        A report. A release with faults is not loaded, and the code of its card is not run.

    Raises:
        InputError: There is no such folder, and it cannot be a name on the Hub.
        WorkError: The Hub has no such dataset or revision or cannot be reached, or no process can be started.
    """
    here = Path(place).is_dir()
    name, _, revision = (place, "", "") if here else place.partition("@")
    folder = find_release(name, revision or None)
    dataset = str(folder.resolve()) if here else name
    report = check_release(folder)
    runs: Mapping[str, RunVerification] = {}
    if draw is not None:
        report, runs = _rescore_release(folder, report, draw, processes)
    faults = [*report.faults, *(_find_foreign_files(folder) if here else ())]
    if faults:
        faults += ["load_dataset: not tried, because of the faults above"] if load else []
        return replace(report, faults=tuple(faults))
    if here and draw is not None and draw.share == 1:
        from dataset_card.checking.rescore import remember_verification

        remember_verification(folder, merge_verifications(VerificationRecord(), runs))
    if load:
        # A folder of the Hub's cache is named by the commit.
        faults += check_loading(dataset, None if here else folder.name, report.configs, report.counts)
    if run_card and not faults:
        names = [config.name for config in report.configs]
        faults += [f"README.md: {fault}" for fault in run_blocks(dataset, folder, names)]
    return replace(report, faults=tuple(faults))


def _rescore_release(
    folder: Path, report: Report, draw: "Draw", processes: int
) -> tuple[Report, Mapping[str, RunVerification]]:
    """Add the differences of values that were computed again to a report; return what was computed of each run, too."""
    if report.source is None:
        reason = "of the faults above" if report.faults else "; ".join(report.not_checked)
        return replace(report, faults=(*report.faults, f"rescoring: not tried, because {reason}")), {}
    # Judges and metrics are imported where they compute again.
    from dataset_card.checking.rescore import rescore_release

    rescoring = rescore_release(folder, report.runs, draw, processes)
    faults = (*report.faults, *rescoring.faults)
    return replace(report, faults=faults, rescored=tuple(rescoring.lines())), rescoring.runs


def _find_foreign_files(folder: Path) -> list[str]:
    """Return a line for each file that is no part of a release, hidden files left out; ``push`` refuses such files."""
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir())
    # Hidden files, such as the cache of records for the next build, are never published.
    shown = [name for name in names if not any(part.startswith(".") for part in name.split("/"))]
    strangers = [name for name in shown if not is_release_file(name)]
    listed = [
        *strangers[:MOST_LISTED],
        *([f"{format_count(left, 'more file')}"] if (left := len(strangers) - MOST_LISTED) > 0 else []),
    ]
    return [f"{name}: not part of a release" for name in listed]
