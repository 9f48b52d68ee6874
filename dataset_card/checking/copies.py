"""Check the descriptors by which later runs are compared: those of a run are of its renderings, of all and no other."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from dataset_card.releases.files import COPIES, copies_name
from dataset_card.tables.released_run import ReleasedRun
from ircore.submissions.copies.index import read_index, rendering_keys

MAX_BYTES = 256 * 1024**2
"""Largest file of descriptors, in bytes: some 200,000 renderings of a run."""


def copies_faults(folder: Path, runs: Iterable[ReleasedRun]) -> Iterator[tuple[str, str]]:
    """Yield file and fault of each file of descriptors; earlier releases have none.

    Args:
        folder: The release.
        runs: Its runs of reconstruction, as the check has read them.
    """
    files = {copies_name(run.run.run_id): run for run in runs}
    present = {path.relative_to(folder).as_posix(): path for path in sorted((folder / COPIES).glob("*"))}
    for name in sorted(present.keys() - files.keys()):
        yield name, "is of no run here"
    for name in sorted(present.keys() & files.keys()):
        index = read_index(present[name]) if present[name].stat().st_size <= MAX_BYTES else None
        if index is None:
            yield name, "holds no descriptors"
        elif list(index.keys()) != rendering_keys(files[name]):
            yield name, "is not of the run's renderings"
