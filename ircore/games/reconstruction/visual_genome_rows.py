"""Visual Genome from a copy on the Hub, streamed; ``Genome`` of the importer says what is read.

Such a copy has a config for objects and perhaps others for attributes and relations. A row is an image with its
annotations, named as in the dataset's own files. Pictures are only fetched for the images that were chosen.
"""

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, Protocol

from ircore.core.errors import InputError
from ircore.core.images import Picture
from ircore.core.plugins import load
from ircore.games.reconstruction.visual_genome_files import Annotated, GenomeFiles

FILE_OF_IMAGES = "image_data.json"
OBJECTS, ATTRIBUTES, RELATIONS = "objects", "attributes", "relationships"


class _Dataset(Protocol):
    """A dataset on the Hub, as ``dataset_card.hub.dataset_rows.HubDataset`` reads it."""

    name: str

    @property
    def configs(self) -> list[str]: ...

    def has_file(self, path: str) -> bool: ...

    def fetch(self, patterns: tuple[str, ...]) -> Path: ...

    def columns(self, config: str) -> set[str]: ...

    def rows(
        self, config: str, columns: tuple[str, ...], filters: object = None, picture: str = ""
    ) -> Iterator[dict[str, Any]]: ...


def genome_on_the_hub(
    name: str, config: str | None, *, revision: str | None, split: str, streaming: bool
) -> "GenomeFiles | GenomeRows":
    """Return a copy of Visual Genome on the Hub: its own files, brought into the user's Hub cache, or a table.

    Args:
        name: ``ORG/NAME``.
        config: Of the objects; the last one named ``objects…`` if None.
        revision: Commit, branch or tag; the newest commit if None.
        split: Name of the split.
        streaming: Whether a table is read over the network; otherwise its files are downloaded first.

    Raises:
        InputError: That cannot be the name of a dataset, or it has no objects.
        WorkError: There is no such dataset or revision, or the Hub cannot be reached.
    """
    dataset: _Dataset = load("releases", "open_dataset")(name, revision, split, streaming)
    if dataset.has_file(FILE_OF_IMAGES):
        return GenomeFiles(dataset.fetch(("*.json", "VG_100K/*", "VG_100K_2/*")))
    return GenomeRows(dataset, config)


class GenomeRows:
    """A copy of Visual Genome as a dataset of rows.

    Args:
        dataset: The dataset.
        config: Of the objects; the last one named ``objects…`` if None.

    Raises:
        InputError: No config has objects.
        WorkError: There is no such dataset or revision, or the Hub cannot be reached.
    """

    def __init__(self, dataset: _Dataset, config: str | None) -> None:
        self._dataset, self.name = dataset, dataset.name
        configs = dataset.configs
        self._objects = config or self._config_of(OBJECTS) or configs[-1]
        if self._objects not in configs:
            raise InputError(
                f"--option config={self._objects}: {self.name} has no such config", f"Known: {', '.join(configs)}."
            )
        missing = {OBJECTS, "width", "height"} - dataset.columns(self._objects)
        if missing:
            raise InputError(
                f"{self.name}: the config {self._objects} has no column {', '.join(sorted(missing))}",
                f"Name the config of the objects with --option config=…; there are: {', '.join(configs)}.",
            )

    def images(self) -> Iterator[Annotated]:
        """Yield the images that have a size, with their objects; WorkError if the Hub cannot be reached."""
        for row in self._dataset.rows(self._objects, ("image_id", "width", "height", OBJECTS)):
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
        if "image" not in self._dataset.columns(self._objects):
            raise InputError(f"{self.name}: the config {self._objects} has no pictures", "Name another dataset.")
        wanted = set(image_ids)
        filters = [("image_id", "in", sorted(wanted))]
        for row in self._dataset.rows(self._objects, ("image_id", "image"), filters, picture="image"):
            if row["image_id"] in wanted:
                wanted.discard(row["image_id"])
                data = (row["image"] or {}).get("bytes") or b""
                yield row["image_id"], Picture.from_untrusted(data, f"{self.name}: image {row['image_id']}")

    def _annotations(self, name: str) -> Iterator[tuple[int, list[Any]]]:
        config = self._config_of(name) or self._objects
        columns = self._dataset.columns(config)
        # The published attributes stand under "objects" in one version of the dataset's loader.
        column = name if name in columns else OBJECTS
        if column not in columns or (column == OBJECTS and config == self._objects):
            return
        for row in self._dataset.rows(config, ("image_id", column)):
            yield row["image_id"], row[column] or []

    def _config_of(self, name: str) -> str | None:
        """Return the newest config of some annotations, such as ``objects_v1.2.0``."""
        return next((config for config in reversed(self._dataset.configs) if config.startswith(name)), None)
