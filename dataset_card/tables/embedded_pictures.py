"""Pictures in the tables of a release, read on demand, a row group at a time."""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from dataset_card.tables.parquet import find_pictures, read_picture_group
from ircore.core.errors import InputError
from ircore.core.images import KnownPicture, Picture

_REMEDY = "Get the release again."


class EmbeddedPictures:
    """The pictures of an image column, by their SHA-256.

    Args:
        paths: The files of the table.
        column: The image column.

    >>> pictures = EmbeddedPictures(list(Path("release/data/instances").glob("*.parquet")), "image")
    >>> "0" * 64 in pictures
    False
    """

    def __init__(self, paths: Sequence[Path], column: str) -> None:
        self._paths, self._column = tuple(paths), column
        self._group: tuple[tuple[Path, int], dict[str, bytes]] | None = None

    def __contains__(self, sha256: str) -> bool:
        return sha256 in self._places

    def read(self, known: KnownPicture) -> Picture:
        """Return a picture; of neighbours in a table, the row group is read once.

        Raises:
            InputError: The table does not have it, or has another picture under its hash.
        """
        where = self._places.get(known.sha256)
        if where is None:
            raise InputError(f"{self._column} {known.sha256[:12]}… is missing", _REMEDY)
        # One held group bounds the memory, and readers go through a table in its order.
        if self._group is None or self._group[0] != where:
            self._group = where, read_picture_group(*where, self._column)
        # The hash comes from a column beside the picture, where a stranger may have written any other.
        return Picture.from_own_file(self._group[1][known.sha256], known, str(where[0]), _REMEDY)

    @cached_property
    def _places(self) -> dict[str, tuple[Path, int]]:
        return find_pictures(self._paths, self._column)
