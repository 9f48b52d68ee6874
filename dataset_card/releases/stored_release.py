"""A release on disk as the base of the next release: records and files."""

import shutil
from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from pydantic import TypeAdapter

from dataset_card.releases.record import ANY_RUN, JUDGES, PROVENANCE, RUNS, TOMBSTONES, Parent, Vouched, read_release
from dataset_card.releases.renderer import compute_program_key
from dataset_card.releases.run_records import records_path
from dataset_card.tables.columns import Config
from dataset_card.tables.parquet import read_plain
from dataset_card.tables.parts import TablePart
from dataset_card.tables.records_of_rows import parse_board_cells
from dataset_card.tables.rows import Row
from dataset_card.tables.schema import GAME, LEADERBOARD, PREVIEWS, holds_records
from ircore.core.errors import WorkError
from ircore.core.journal import read_records
from ircore.core.score_records import JudgeIdentity
from ircore.core.submission_records import Run, Withdrawal
from ircore.games.registry import load_game
from ircore.results.cells import BoardKey, Cell
from ircore.results.tables.board import build_board_columns


class StoredRelease:
    """A release that was built before.

    Args:
        folder: The release.
        commit: The commit of a repository that it was read from; None if it is a folder of this machine.

    Raises:
        InputError: The folder holds no release, or its records are damaged.

    >>> release = StoredRelease(Path("release"))
    >>> [run.slug for run in release.runs.values()], release.has_previews
    (['builtin-classical-canvas'], False)
    """

    def __init__(self, folder: Path, commit: str | None = None) -> None:
        self.folder = folder
        self.commit = commit
        self.record = read_release(folder)
        self.configs = {config.name: config for config in self.record.configs}
        self.parts = {(part.config, part.run_id): part for part in self.record.parts}
        self.runs = {run.run_id: run for run in read_records(folder / RUNS, ANY_RUN)}
        self.judges = {judge.name: judge for judge in read_records(folder / JUDGES, TypeAdapter(JudgeIdentity))}
        vouched = read_records(folder / PROVENANCE, TypeAdapter(Vouched))
        self.provenance = {voucher.run_id: voucher.provenance for voucher in vouched}
        self.tombstones = tuple(read_records(folder / TOMBSTONES, TypeAdapter(Withdrawal)))

    def as_parent(self) -> Parent:
        """Return the reference by which a later release names this release as its parent."""
        return Parent(release=self.record.name, commit=self.commit)

    @property
    def has_previews(self) -> bool:
        """Whether the release has the table of small pictures."""
        return any(config == PREVIEWS.name for config, _ in self.parts)

    def cells_of(self, run: Run) -> Mapping[BoardKey, Cell]:
        """Return the cells of the boards of a run; empty if other code computed them, or a game without judges."""
        return self._load_cells(run.game).get(run.run_id, {})

    @cache  # noqa: B019 - as long as the release itself
    def _load_cells(self, game_name: str) -> Mapping[str, Mapping[BoardKey, Cell]]:
        """Return the cells of the boards of a game by run."""
        part, game = self.parts.get((LEADERBOARD.name, None)), load_game(game_name)
        if part is None or self.record.program != compute_program_key() or not game.is_judged:
            return {}
        columns = build_board_columns(game, game.seats)
        rows: defaultdict[str, list[Row]] = defaultdict(list)
        files, config = (self.folder / name for name in part.files), self.configs[LEADERBOARD.name]
        for row in read_plain(files, config, [column.name for column in config.columns]):
            if row[GAME.name] == game_name:
                rows[str(row["run_id"])].append(row)
        return {
            run_id: {(cell.category, cell.difficulty, cell.judge): cell for cell in parse_board_cells(own, columns)}
            for run_id, own in rows.items()
        }

    def keys(self, run_id: str) -> Mapping[str, str]:
        """Return the hash of the rows that a run's records are read from, by table."""
        return {name: part.key for (name, owner), part in self.parts.items() if owner == run_id and holds_records(name)}

    def paths(self, config: Config, run_id: str) -> tuple[Path, ...]:
        """Return the files with the rows of a run in a table."""
        part = self.parts.get((config.name, run_id))
        return tuple(self.folder / name for name in part.files) if part is not None else ()

    def records_path(self, run_id: str) -> Path:
        """Return where the records of a run lie, if they are kept."""
        return records_path(self.folder, (part for (_, owner), part in self.parts.items() if owner == run_id))

    def take_over(self, part: TablePart, folder: Path) -> None:
        """Put the files of a part into another release as they are: as further names of the same files if possible.

        Raises:
            WorkError: A file is not as large as the record says, or cannot be had.
        """
        for name, shard in part.files.items():
            source, target = self.folder / name, folder / name
            try:
                # By size alone: hashing would cost what taking over saves, and a check of the release compares hashes.
                if source.stat().st_size != shard.size:
                    raise WorkError(f"{source}: has changed since it was built", "Get the previous release again.")
                link_or_copy(source, target)
            except OSError as error:
                raise WorkError(
                    f"{source}: cannot be taken over ({error.strerror})",
                    "Check that both folders can be read and written.",
                ) from error


def link_or_copy(source: Path, target: Path) -> None:
    """Give a file a further name; a file of a cache, or on another disk, is copied."""
    target.parent.mkdir(parents=True, exist_ok=True)
    # The Hub's cache holds links, and a further name of a link would break with the cache.
    if not source.is_symlink():
        try:
            target.hardlink_to(source)
        except OSError:
            pass
        else:
            return
    shutil.copyfile(source, target)
