"""Check the descriptors by which later runs are compared: those of a run are of its renderings, of all and no other."""

from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from dataset_card.releases.files import COPIES, FEATURE, name_descriptor_file
from dataset_card.tables.release_source import ReleasedRun
from ircore.core.workers import map_in_order
from ircore.games.registry import has_support
from ircore.submissions.rescoring.picture_index import (
    ComparedRendering,
    RunIndex,
    list_rendering_keys,
    look_at,
    read_index,
)

MAX_BYTES = 256 * 1024**2
"""Largest file of descriptors, in bytes: some 200,000 renderings of a run."""


MANY = 100
"""Renderings for which a further process is worth its start."""

ROUNDING = 1
"""Difference of a descriptor's values that another processor may make: they are rounded to whole numbers."""


def check_copies(folder: Path, runs: Iterable[ReleasedRun]) -> Iterator[tuple[str, str]]:
    """Yield file and fault of each file of descriptors, and of each run without one.

    Args:
        folder: The release.
        runs: Its runs, as the check has read them; those of games with descriptors have such files.
    """
    files = {name_descriptor_file(run.run.run_id): run for run in runs if has_support(FEATURE, run.run.game)}
    present = {path.relative_to(folder).as_posix(): path for path in sorted((folder / COPIES).glob("*"))}
    for name in sorted(files.keys() - present.keys()):
        yield name, "is missing: the run's renderings could be copied unseen"
    for name in sorted(present.keys() - files.keys()):
        yield name, "is of no run here"
    for name in sorted(present.keys() & files.keys()):
        index = read_index(present[name]) if present[name].stat().st_size <= MAX_BYTES else None
        if index is None:
            yield name, "holds no descriptors"
        elif list(index.keys()) != list_rendering_keys(files[name]):
            yield name, "is not of the run's renderings"


def check_descriptors(folder: Path, run: ReleasedRun, episodes: Collection[str], processes: int) -> Iterator[str]:
    """Compute the descriptors of a run's renderings again; yield a line for each episode in which one differs.

    Args:
        folder: The release, checked.
        run: A run of it.
        episodes: Ids of the episodes whose renderings are computed again.
        processes: Number of processes.
    """
    name, run_id = name_descriptor_file(run.run.run_id), run.run.run_id
    index = read_index(folder / name) if (folder / name).is_file() else None
    # A missing file, or one without descriptors, is a fault of the check.
    if index is None:
        return
    drawn = {shown.sha256: shown for episode in run.episodes() for shown in episode.renderings.values()}
    places = [place for place, (episode, _) in enumerate(index.keys()) if episode in episodes]
    pictures = (run.rendering(drawn[index.sha256[place]]) for place in places)
    differing = [
        index.episodes[place]
        for place, look in zip(
            places, map_in_order(look_at, pictures, min(processes, len(places) // MANY + 1)), strict=True
        )
        if not _is_close(index, place, look)
    ]
    for episode in dict.fromkeys(differing):
        yield f"{name}: run {run_id}, episode {episode}: a descriptor is not that of its rendering"


def _is_close(index: RunIndex, place: int, look: ComparedRendering) -> bool:
    difference = abs(index.descriptors[place].astype(int) - look.descriptor.astype(int)).max()
    return bool(difference <= ROUNDING)
