"""Visual Genome from a copy on the Hub, streamed by ``datasets``; ``Genome`` of the importer says what is read.

Such a copy has a config for objects and perhaps others for attributes and relations. A row is an image with its
annotations, named as in the dataset's own files. Pictures are only fetched for the images that were chosen.
"""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dataset_card.hub.repository import Repository
from ircore.core.errors import InputError, WorkError
from ircore.core.images import Picture
from ircore.games.reconstruction.import_visual_genome import Genome, HubSelection
from ircore.games.reconstruction.visual_genome_files import Annotated, GenomeFiles

FILE_OF_IMAGES = "image_data.json"
OBJECTS, ATTRIBUTES, RELATIONS = "objects", "attributes", "relationships"


def genome_on_the_hub(name: str, selection: HubSelection) -> Genome:
    """Return a copy of Visual Genome on the Hub: its own files, brought into the user's Hub cache, or a table.

    Args:
        name: ``ORG/NAME``.
        selection: Which part of the dataset is read.

    Raises:
        InputError: That cannot be the name of a dataset, or it has no objects.
        WorkError: There is no such dataset or revision, or the Hub cannot be reached.
    """
    repo = Repository(name)
    if FILE_OF_IMAGES in repo.files(selection.revision or "main"):
        return GenomeFiles(Path(repo.fetch(selection.revision, ("*.json", "VG_100K/*", "VG_100K_2/*"))))
    return GenomeRows(name, selection)


class GenomeRows:
    """A copy of Visual Genome as a dataset of rows.

    Args:
        name: ``ORG/NAME``.
        selection: Which revision, config and split are read, and whether over the network.

    Raises:
        InputError: No config has objects.
        WorkError: There is no such dataset or revision, or the Hub cannot be reached.

    >>> from inspect import signature
    >>> list(signature(GenomeRows).parameters)
    ['name', 'selection']
    """

    def __init__(self, name: str, selection: HubSelection) -> None:
        # The import of datasets takes more than a second, which other sources of pictures should not pay.
        from datasets import get_dataset_config_names

        self.name, self.selection = name, selection
        with self._explained():
            self._configs: list[str] = sorted(get_dataset_config_names(name, revision=selection.revision))
        self._objects = selection.config or self._config_of(OBJECTS) or self._configs[-1]
        if self._objects not in self._configs:
            raise InputError(
                f"--option config={self._objects}: {name} has no such config", f"Known: {', '.join(self._configs)}."
            )
        missing = {OBJECTS, "width", "height"} - self._columns(self._objects)
        if missing:
            raise InputError(
                f"{name}: the config {self._objects} has no column {', '.join(sorted(missing))}",
                f"Name the config of the objects with --option config=…; there are: {', '.join(self._configs)}.",
            )

    def images(self) -> Iterator[Annotated]:
        """Yield the images that have a size, with their objects; WorkError if the Hub cannot be reached."""
        for row in self._rows(self._objects, ("image_id", "width", "height", OBJECTS)):
            # Places of objects are pixels, which say nothing without the size of the image.
            if row["width"] and row["height"]:
                yield Annotated(row["image_id"], row["width"], row["height"], row[OBJECTS] or [])

    def attributes(self) -> Iterator[tuple[int, list[Any]]]:
        """Yield ids of images and objects with attributes, if there is a config of them."""
        return self._annotations(ATTRIBUTES)

    def relations(self) -> Iterator[tuple[int, list[Any]]]:
        """Yield ids of images and relations, if there is a config of them."""
        return self._annotations(RELATIONS)

    def pictures(self, image_ids: Collection[int]) -> Iterator[tuple[int, Picture]]:
        """Yield the pictures of images, each once.

        Raises:
            InputError: The config has no pictures, or one cannot be read.
            WorkError: The Hub cannot be reached.
        """
        from datasets import Image

        if "image" not in self._columns(self._objects):
            raise InputError(f"{self.name}: the config {self._objects} has no pictures", "Name another dataset.")
        wanted = set(image_ids)
        filters = [("image_id", "in", sorted(wanted))]
        with self._explained():
            # Not decoded by the library: the bytes are a stranger's, and are checked first.
            rows = self._opened(self._objects, ("image_id", "image"), filters).cast_column("image", Image(decode=False))
            for row in rows:
                if row["image_id"] in wanted:
                    wanted.discard(row["image_id"])
                    data = (row["image"] or {}).get("bytes") or b""
                    yield row["image_id"], Picture.from_untrusted(data, f"{self.name}: image {row['image_id']}")

    def _annotations(self, name: str) -> Iterator[tuple[int, list[Any]]]:
        config = self._config_of(name) or self._objects
        columns = self._columns(config)
        # The published attributes stand under "objects" in one version of the dataset's loader.
        column = name if name in columns else OBJECTS
        if column not in columns or (column == OBJECTS and config == self._objects):
            return
        for row in self._rows(config, ("image_id", column)):
            yield row["image_id"], row[column] or []

    def _config_of(self, name: str) -> str | None:
        """Return the newest config of some annotations, such as ``objects_v1.2.0``."""
        return next((config for config in reversed(self._configs) if config.startswith(name)), None)

    def _columns(self, config: str) -> set[str]:
        with self._explained():
            opened = self._opened(config)
            # Streamed JSON has no features before its first row.
            return set(opened.features or next(iter(opened), {}))

    def _rows(self, config: str, columns: tuple[str, ...]) -> Iterator[dict[str, Any]]:
        with self._explained():
            yield from self._opened(config, columns)

    def _opened(self, config: str, columns: tuple[str, ...] | None = None, filters: object = None) -> Any:
        from datasets import load_dataset

        chosen = self.selection
        narrowed = {"columns": list(columns)} if columns else {}
        return load_dataset(
            self.name, config, split=chosen.split, revision=chosen.revision, streaming=chosen.streaming,
            **narrowed, **({"filters": filters} if filters else {}),
        )  # fmt: skip

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn errors of ``datasets`` into a line with a remedy."""
        from datasets.exceptions import DatasetNotFoundError

        try:
            yield
        except DatasetNotFoundError as error:
            raise WorkError(
                f"{self.name}: no such dataset or revision, or none that this token may see",
                "Check the name, --option revision=…, and HF_TOKEN.",
            ) from error
        except (ValueError, RuntimeError) as error:
            line = " ".join(str(error).split())[:200]
            raise InputError(
                f"{self.name}: cannot be read ({line})", "Check --option config, split, revision."
            ) from error
        except OSError as error:
            raise WorkError(f"{self.name}: the Hub cannot be reached ({error})", "Try again later.") from error
