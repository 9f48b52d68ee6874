"""Writing the tables of a release part by part, and reusing the files of parts that have not changed."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from dataset_card.releases.record import select_layout_configs
from dataset_card.releases.stored_release import StoredRelease
from dataset_card.releases.stored_run import StoredRun
from dataset_card.tables.columns import Config
from dataset_card.tables.game_tables import GameTables
from dataset_card.tables.parts import Part, compute_layout_key, compute_part_key, make_part
from dataset_card.tables.release_source import ReleaseSource
from dataset_card.tables.rows import Row
from dataset_card.tables.schema import OF_NO_RUN
from dataset_card.tables.writing import write_table
from ircore.results.played_run import PlayedRun


class PartWriter:
    """Writes the parts of a release, or reuses files of the previous release or of the release of a stored run.

    Attributes:
        reused: Bytes of reused files.

    >>> from tempfile import mkdtemp
    >>> from dataset_card.tables.schema import INSTANCES, TABLES
    >>> writer = PartWriter(Path(mkdtemp()), previous=None, configs=TABLES)
    >>> writer.write(INSTANCES, run_id=None, content=[]).rows, writer.reused
    (0, 0)
    """

    def __init__(self, folder: Path, previous: StoredRelease | None, configs: Sequence[Config]) -> None:
        self._folder = folder
        self._previous = previous
        self._layout = compute_layout_key(select_layout_configs(configs))
        self.reused = 0

    def reuse(self, config: Config, run: PlayedRun) -> Part | None:
        """Reuse the files of a stored run's rows in a table; None if the rows have to be written."""
        release = run.source.release if isinstance(run.source, StoredRun) else None
        part = self._find_part(release, config, run.run.run_id)
        return self._take_over(release, part) if release is not None and part is not None else None

    def write(self, config: Config, run_id: str | None, content: Iterable[Row]) -> Part:
        """Write rows, unless the previous release has the same rows."""
        # Held as a list for two passes, key and files; pictures are read only when they are written.
        rows = list(content)
        key, known = compute_part_key(config, rows), self._find_part(self._previous, config, run_id)
        if self._previous is not None and known is not None and known.key == key:
            return self._take_over(self._previous, known)
        return make_part(config, run_id, key, write_table(self._folder, config, rows, run_id))

    def _take_over(self, release: StoredRelease, part: Part) -> Part:
        release.take_over(part, self._folder)
        self.reused += part.size
        return part

    def _find_part(self, release: StoredRelease | None, config: Config, run_id: str | None) -> Part | None:
        """Return a part of a release with the current layout, which can be reused; None without such a part."""
        # Of another layout, the same rows have other columns or other bytes.
        if release is None or release.record.layout != self._layout:
            return None
        return release.parts.get((config.name, run_id))


def write_parts(
    configs: Iterable[Config], source: ReleaseSource, writer: PartWriter, advance: Callable[[str], None]
) -> Iterator[Part]:
    """Write every table of a release and yield the parts.

    Args:
        configs: The tables.
        source: The games.
        writer: Writes a part, or reuses one.
        advance: Called with the name of the table after each part.
    """
    for config in configs:
        if config.name in OF_NO_RUN:
            yield writer.write(config, None, source.shared_rows(config))
            advance(config.name)
            continue
        for game, run in list_runs_with_rows(config, source):
            yield writer.reuse(config, run) or writer.write(config, run.run.run_id, game.rows(config, run))
            advance(config.name)


def list_runs_with_rows(config: Config, source: ReleaseSource) -> list[tuple[GameTables, Any]]:
    """Return the runs with rows in a table, each with the tables of the run's game."""
    return [(game, run) for game in source.games if config.name in game.configs for run in game.runs]
