"""Tables of a game: the same five tables for every game, with the game's own columns.

Reconstruction may have a sixth: small copies of the pictures of turns, for looking through dialogues.
"""

import io
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from PIL import Image, ImageOps

from dataset_card.tables.columns import Config
from dataset_card.tables.fact_table import fact_rows
from dataset_card.tables.rows import (
    PictureFile,
    ReconstructionSource,
    Row,
    episode_rows,
    instance_rows,
    leaderboard_rows,
    score_rows,
    transcript_rows,
)
from dataset_card.tables.schema import (
    ALL_CONFIGS,
    EPISODES,
    FACTS,
    INSTANCES,
    LEADERBOARD,
    PREVIEW_SIDE,
    PREVIEWS,
    SCORES,
)
from dataset_card.tables.shared_tables import fill_row
from ircore.games.reconstruction.records import RECONSTRUCTION, Rules
from ircore.instances.store import InstanceSet
from ircore.results.played_run import PlayedRun

OF_NO_RUN = frozenset({INSTANCES.name, LEADERBOARD.name})
"""Tables that are written whole; every other table has files of its own for each run."""


class GameTables(ABC):
    """The tables of a game.

    >>> class NoTables(GameTables):
    ...     name, runs, configs = "none", (), {}
    ...
    ...     def own_rows(self, config, run):
    ...         return []
    >>> NoTables().name
    'none'
    """

    instances: InstanceSet
    """The set that all of its runs were played on."""

    @property
    @abstractmethod
    def runs(self) -> Sequence[Any]:
        """The game's runs, in the order of their rows."""

    @property
    @abstractmethod
    def name(self) -> str:
        """Name of the game."""

    @property
    @abstractmethod
    def configs(self) -> Mapping[str, Config]:
        """The game's tables by name, as in a release of this game alone; the default table first."""

    @abstractmethod
    def own_rows(self, config: Config, run: Any) -> Iterable[Row]:
        """Return the rows of a table in ``configs``, in an order that only the content decides.

        Args:
            config: The table.
            run: Whose rows; None for a table in ``OF_NO_RUN``.
        """

    def rows(self, config: Config, run: Any = None) -> Iterable[Row]:
        """Return the game's rows of a table that may be shared with other games; see ``own_rows``."""
        own = self.configs[config.name]
        return (fill_row(config, own, row) for row in self.own_rows(own, run))


class ReconstructionTables(GameTables):
    """The tables of the reconstruction game.

    Args:
        source: Runs and results.

    >>> [*ReconstructionTables.configs][:2]
    ['transcripts', 'instances']
    """

    name = RECONSTRUCTION
    configs: Mapping[str, Config] = {config.name: config for config in ALL_CONFIGS}
    runs: Sequence[PlayedRun] = ()

    def __init__(self, source: ReconstructionSource) -> None:
        self.source, self.instances, self.runs = source, source.instances, source.runs

    def own_rows(self, config: Config, run: Any) -> Iterable[Row]:
        """See ``GameTables``."""
        source = self.source
        if config.name == INSTANCES.name:
            return instance_rows(source.instances)
        if config.name == LEADERBOARD.name:
            return leaderboard_rows(source.results)
        if config.name == SCORES.name:
            return score_rows(run, Rules.of(run.run).key)
        make = {
            EPISODES.name: episode_rows,
            PREVIEWS.name: preview_rows,
            FACTS.name: fact_rows,
        }
        return make.get(config.name, transcript_rows)(source.instances, run)


QUALITY = 85
"""Quality of the JPEG files, 0–100."""


def preview_rows(instances: InstanceSet, run: PlayedRun) -> Iterator[Row]:
    """Yield the rows of ``previews`` of a run: the rows of ``transcripts`` with small pictures."""
    names = [column.name for column in PREVIEWS.columns]
    last: tuple[object, PictureFile | None] = (None, None)
    for row in transcript_rows(instances, run):
        if row["target"] is not last[0]:  # the same object for all turns of an episode, and so is its preview
            last = row["target"], _small_file(row["target"])
        yield {name: row[name] for name in names} | {"target": last[1], "rendering": _small_file(row["rendering"])}


def shrink(data: bytes) -> bytes:
    """Return a picture as a JPEG file of at most ``PREVIEW_SIDE`` × ``PREVIEW_SIDE`` pixels, without any metadata."""
    buffer = io.BytesIO()
    with Image.open(io.BytesIO(data)) as image:
        # JPEG has neither transparency nor palettes.
        small = image.convert("RGB")
    if max(small.size) > PREVIEW_SIDE:
        small = ImageOps.contain(small, (PREVIEW_SIDE, PREVIEW_SIDE), Image.Resampling.LANCZOS)
    # Pillow would write comment, EXIF and profile of the original into the JPEG file.
    small.info.clear()
    small.save(buffer, "JPEG", quality=QUALITY, optimize=True)
    return buffer.getvalue()


def _small_file(original: object) -> PictureFile | None:
    if not isinstance(original, PictureFile):
        return None
    # A preview is made when its row is written, and rows that the previous release has are not written.
    return PictureFile(f"{original.path.rpartition('.')[0]}.jpg", lambda: shrink(original.load()))
