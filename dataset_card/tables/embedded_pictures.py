"""Pictures in the tables of a release, read on demand, a row group at a time."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from dataset_card.tables.columns import SPLIT, Config
from dataset_card.tables.parquet import find_pictures, list_table_files, read_picture_group
from dataset_card.tables.schema import INSTANCES
from ircore.core.errors import InputError
from ircore.core.images import KnownPicture, Picture
from ircore.core.records import Instance
from ircore.instances.store import InstanceSet

_REMEDY = "Get the release again."


class _Place(NamedTuple):
    """Where a picture stands."""

    path: Path
    group: int
    column: str


class EmbeddedPictures:
    """The pictures of columns of a table, by their SHA-256.

    Args:
        paths: The files of the table.
        columns: The columns with pictures.

    >>> pictures = EmbeddedPictures(list(Path("release/data/instances").glob("*.parquet")), ["pictures"])
    >>> "0" * 64 in pictures
    False
    """

    def __init__(self, paths: Sequence[Path], columns: Sequence[str]) -> None:
        self._paths, self._columns = tuple(paths), tuple(columns)
        self._group: tuple[_Place, dict[str, bytes]] | None = None

    def __eq__(self, other: object) -> bool:
        own = (self._paths, self._columns)
        return isinstance(other, EmbeddedPictures) and own == (other._paths, other._columns)

    def __hash__(self) -> int:
        return hash((self._paths, self._columns))

    def __contains__(self, sha256: str) -> bool:
        return sha256 in self._places

    def read(self, known: KnownPicture) -> Picture:
        """Return a picture; of neighbours in a table, the row group is read once.

        Raises:
            InputError: The table does not have it, or has another picture under its hash.
        """
        if known.sha256 not in self:
            raise InputError(f"picture {known.sha256[:12]}… is missing", _REMEDY)
        data = self.find(known.sha256)
        if data is None:
            raise InputError(f"picture {known.sha256[:12]}… is not published", _REMEDY)
        # The hash comes from a column beside the picture, where a stranger may have written any other.
        return Picture.from_own_file(data, known, str(self._places[known.sha256].path), _REMEDY)

    def find(self, sha256: str) -> bytes | None:
        """Return the file of a picture, its pixels unchecked; None if it is not there or not published."""
        place = self._places.get(sha256)
        if place is None:
            return None
        # One held group bounds the memory, and readers go through a table in its order. Several threads may read.
        group = self._group
        if group is None or group[0] != place:
            group = self._group = place, read_picture_group(*place)
        return group[1].get(sha256)

    @cached_property
    def _places(self) -> dict[str, _Place]:
        return {
            sha256: _Place(*where, column)
            for column in self._columns
            for sha256, where in find_pictures(self._paths, column).items()
        }


@dataclass(frozen=True)
class EmbeddedInstances(InstanceSet):
    """The instance set of a game in a release.

    Attributes:
        embedded: Its pictures, in the table ``instances``.

    >>> from dataset_card.checking.release_check import check_release
    >>> instances = check_release(Path("release")).source.lead.instances
    >>> instances.picture(instances.instances[0], "target").width
    512
    """

    embedded: EmbeddedPictures

    def picture(self, instance: Instance, name: str) -> Picture:
        """Return a picture of an instance, its pixels checked."""
        return self.embedded.read(instance.pictures[name])


def index_instance_pictures(folder: Path) -> EmbeddedPictures:
    """Return the pictures of the instances of a release."""
    return EmbeddedPictures(list_table_files(folder, INSTANCES), ["pictures"])


def index_step_pictures(paths: Sequence[Path], config: Config) -> EmbeddedPictures:
    """Return the renderings in files of a game's transcripts; what was shown with each step is none."""
    fields = {column.name for column in config.columns if column.field}
    return EmbeddedPictures(paths, [column.name for column in config.images if f"{column.name}_sha256" in fields])


def list_run_files(folder: Path, config: Config, run_id: str) -> tuple[Path, ...]:
    """Return the files with the rows of a run in a table."""
    # Digits alone, since the id of one run may begin with the id of another.
    number = "[0-9]" * 5
    return tuple(sorted((folder / "data" / config.name).glob(f"{SPLIT}-{run_id}-{number}-of-{number}.parquet")))
