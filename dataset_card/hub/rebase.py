"""Merging a release with the newest release of a repository, to build upon the newest release."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from dataset_card.checking.release_check import require_sound_release
from dataset_card.hub.pull import write_instance_sets
from dataset_card.hub.repository import Repository
from dataset_card.releases.build import Built
from dataset_card.releases.files import PATTERNS
from dataset_card.releases.merge import merge_releases
from dataset_card.releases.stored_release import StoredRelease
from ircore.core.errors import WorkError


@contextmanager
def merge_with_head(repo: Repository, folder: Path, commit: str) -> Iterator[tuple[Path, Built]]:
    """Merge a release with the release of a commit; the result lies in a temporary folder beside the release.

    Args:
        repo: The repository.
        folder: The release.
        commit: Commit of the newest release there.

    Yields:
        The folder of the merged release, and a report of the build.

    Raises:
        InputError: As ``merge_releases``.
        WorkError: As ``merge_releases``; or the release there has faults, or the Hub cannot be reached.
    """
    there = repo.download(commit, PATTERNS)
    report = require_sound_release(there, repo.name)
    with _make_scratch_folder(folder) as scratch:
        instances = write_instance_sets(there, scratch / "there", report.configs, report.runs)
        mine = StoredRelease(folder)
        needed = {identity for own in mine.record.instance_sets.values() for identity in own}
        if not instances.keys() >= needed:  # it has a game or a set that the other one lacks
            own_report = require_sound_release(folder, str(folder))
            instances = write_instance_sets(folder, scratch / "here", own_report.configs, own_report.runs) | instances
        built = merge_releases(mine, StoredRelease(there, commit), instances, scratch / "release")
        yield scratch / "release", built


def replace_release(folder: Path, merged: Path) -> None:
    """Replace a release by the merged version.

    Raises:
        WorkError: The folder cannot be replaced.
    """
    aside = merged.with_name("before")
    try:
        folder.rename(aside)
        merged.rename(folder)
    except OSError as error:
        # The first move went well and the second did not: the release goes back to its place.
        if aside.exists() and not folder.exists():
            aside.rename(folder)
        raise WorkError(f"{folder}: cannot be replaced ({error.strerror})", "Build it again with --former.") from error


@contextmanager
def _make_scratch_folder(folder: Path) -> Iterator[Path]:
    try:
        # On the release's own disk, so that the merged release can be moved into its place.
        scratch = TemporaryDirectory(prefix=f".{folder.name}.", dir=folder.parent)
    except OSError as error:
        raise WorkError(
            f"{folder.parent}: cannot be written ({error.strerror})", "Make the folder writable."
        ) from error
    with scratch as name:
        yield Path(name)
