"""What a checked release is made of, its pictures read from its own tables: for writing derived files again."""

from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from dataset_card.tables.embedded import EmbeddedPictures
from dataset_card.tables.game_tables import ReconstructionTables
from dataset_card.tables.parquet import table_files
from dataset_card.tables.reading import ReleasedRun
from dataset_card.tables.rows import ReconstructionSource
from dataset_card.tables.schema import INSTANCES, SPLIT, TRANSCRIPTS
from ircore.core.images import Picture
from ircore.core.records import Instance, Rendering
from ircore.instances.store import InstanceSet
from ircore.results.model import Results


@dataclass(frozen=True)
class EmbeddedInstances(InstanceSet):
    """The instance set of a release.

    Attributes:
        embedded: The targets, in the table ``instances``.
    """

    embedded: EmbeddedPictures

    def picture_bytes(self, instance: Instance) -> bytes:
        """Return the bytes of an instance's picture, the hash checked."""
        return self.embedded.read(instance.sha256)


class SourceOfRelease:
    """A run of a release with its pictures.

    Args:
        run: The run as it was read back.
        instances: The set with its pictures.
        pictures: The renderings of all runs, in the table ``transcripts``.
    """

    def __init__(self, run: ReleasedRun, instances: EmbeddedInstances, pictures: EmbeddedPictures) -> None:
        self.path, self.run, self.instances = run.path, run.run, instances
        self.episodes, self.scores, self.judges = run.episodes, run.scores, run.judges
        self.costs, self.provenance = run.costs, run.provenance
        self._pictures = pictures

    def rendering(self, rendering: Rendering) -> Picture:
        """Return one of its renderings, the hash checked."""
        return Picture.from_own_file(self._pictures.read(rendering.sha256), rendering.width, rendering.height)


def renderings_of(folder: Path, run_id: str) -> EmbeddedPictures:
    """Return the renderings of one run of a release."""
    paths = [path for path in table_files(folder, TRANSCRIPTS) if _is_of(path, run_id)]
    return EmbeddedPictures(paths, "rendering")


def instances_of(folder: Path, instances: InstanceSet) -> EmbeddedInstances:
    """Return the instance set of a release with its pictures."""
    pictures = EmbeddedPictures(table_files(folder, INSTANCES), "image")
    return EmbeddedInstances(folder, instances.identity, instances.instances, pictures)


def released_tables(folder: Path, runs: tuple[ReleasedRun, ...], results: Results) -> ReconstructionTables:
    """Return the tables of reconstruction of a release.

    Args:
        folder: The release, checked.
        runs: Its runs as they were read back.
        results: Computed from them.
    """
    instances = instances_of(folder, runs[0].instances)
    by_id = {run.run.run_id: SourceOfRelease(run, instances, renderings_of(folder, run.run.run_id)) for run in runs}
    ordered = tuple(by_id[entry.run_id] for entry in results.submissions)
    return ReconstructionTables(ReconstructionSource(instances, ordered, results))


def _is_of(path: Path, run_id: str) -> bool:
    """Say whether a file of a table is one of a run's own, or of all runs, as in a release of an earlier layout."""
    number = "[0-9]" * 5
    return any(fnmatchcase(path.name, f"{SPLIT}-{owner}{number}-of-{number}.parquet") for owner in (f"{run_id}-", ""))
