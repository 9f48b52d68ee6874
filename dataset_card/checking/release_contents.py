"""Runs and instances of a checked release with the pictures of its own tables, for writing derived files again."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path

from dataset_card.tables.columns import SPLIT
from dataset_card.tables.embedded_pictures import EmbeddedPictures
from dataset_card.tables.game_tables import ReconstructionTables
from dataset_card.tables.parquet import table_files
from dataset_card.tables.released_run import ReleasedRun
from dataset_card.tables.rows import ReconstructionSource
from dataset_card.tables.schema import FACTS, INSTANCES, TRANSCRIPTS
from ircore.core.images import Picture
from ircore.core.records import Instance
from ircore.instances.store import InstanceSet
from ircore.results.model import Results
from ircore.results.played_run import PlayedRun


@dataclass(frozen=True)
class EmbeddedInstances(InstanceSet):
    """The instance set of a release.

    Attributes:
        embedded: The targets, in the table ``instances``.

    >>> from dataset_card.checking.release_check import check_release
    >>> instances = check_release(Path("release")).source.reconstruction.instances
    >>> instances.picture(instances.instances[0], "target").width
    512
    """

    embedded: EmbeddedPictures

    def picture(self, instance: Instance, name: str) -> Picture:
        """Return a picture of an instance, its pixels checked."""
        return self.embedded.read(instance.pictures[name])


def embedded_pictures(folder: Path, run_id: str) -> EmbeddedPictures:
    """Return the renderings of a run of a release."""
    paths = [path for path in table_files(folder, TRANSCRIPTS) if _is_of(path, run_id)]
    return EmbeddedPictures(paths, "rendering")


def with_facts(folder: Path, runs: Iterable[ReleasedRun]) -> tuple[ReleasedRun, ...]:
    """Return runs with the files of their facts."""
    files = table_files(folder, FACTS)
    return tuple(replace(run, fact_files=tuple(path for path in files if _is_of(path, run.run.run_id))) for run in runs)


def instances_of(folder: Path, instances: InstanceSet) -> EmbeddedInstances:
    """Return the instance set of a release, together with the pictures in the release's tables."""
    pictures = EmbeddedPictures(table_files(folder, INSTANCES), "image")
    return EmbeddedInstances(folder, instances.identity, instances.instances, pictures)


def released_tables(folder: Path, runs: tuple[ReleasedRun, ...], results: Results) -> ReconstructionTables:
    """Return the tables of reconstruction of a release.

    Args:
        folder: The release, checked.
        runs: The release's runs, as read back.
        results: Computed from them.
    """
    instances = instances_of(folder, runs[0].instances)
    by_id = {
        run.run.run_id: PlayedRun(replace(run, instances=instances, pictures=embedded_pictures(folder, run.run.run_id)))
        for run in with_facts(folder, runs)
    }
    ordered = tuple(by_id[entry.run_id] for entry in results.submissions)
    return ReconstructionTables(ReconstructionSource(instances, ordered, results))


def _is_of(path: Path, run_id: str) -> bool:
    """Return whether a file of a table holds rows of a run."""
    # Digits alone, since the id of one run may begin with the id of another.
    number = "[0-9]" * 5
    return fnmatchcase(path.name, f"{SPLIT}-{run_id}-{number}-of-{number}.parquet")
