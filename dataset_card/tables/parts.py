"""Parts of a release: the rows of each run in each table, identified by a hash of their content.

A part is written to files of its own, so that a new run leaves the files of all others as they are, to the byte. Two
parts with the same key hold the same rows and pictures, whichever machine or release they were made on.
"""

import hashlib
import json
from collections.abc import Iterable
from typing import cast

from pydantic import Field

from dataset_card.tables.columns import Config
from dataset_card.tables.rows import Row
from dataset_card.tables.writing import Written, name_shard
from ircore.core.records import Name, Record, Sha256

# The second layout lets row groups end with an episode and keeps gaps between groups.
LAYOUT = 2
"""Raised whenever the same rows are written differently, so that no file of an earlier release is reused."""


class ParquetShard(Record):
    """A Parquet file."""

    size: int = Field(ge=0, description="Bytes.")
    sha256: Sha256 = Field(description="SHA-256 of its bytes.")


class TablePart(Record):
    """The rows of a run in a table, or a whole table that belongs to no run.

    >>> shards = (ParquetShard(size=1200, sha256="0" * 64),)
    >>> [*TablePart(config="scores", run_id="a", key="1" * 64, rows=4, num_bytes=300, shards=shards).files]
    ['data/scores/test-a-00000-of-00001.parquet']
    """

    config: Name = Field(description="The table.")
    run_id: Name | None = Field(default=None, description="The run; null for instances and leaderboard.")
    key: Sha256 = Field(description="Hash of the rows in their order, pictures as their SHA-256, and of the columns.")
    rows: int = Field(ge=0, description="Number of rows.")
    num_bytes: int = Field(ge=0, description="Size in memory, as dataset_info has it.")
    shards: tuple[ParquetShard, ...] = Field(description="Its files, in the order of their names.")

    @property
    def files(self) -> dict[str, ParquetShard]:
        """The part's files by their path in the release."""
        count = len(self.shards)
        names = (f"data/{self.config}/{name_shard(self.run_id, index, count)}" for index in range(count))
        return dict(zip(names, self.shards, strict=True))

    @property
    def size(self) -> int:
        """Bytes of all files together."""
        return sum(shard.size for shard in self.shards)


class PartKey:
    """Hashes the rows of a part, row by row.

    Args:
        config: The table.

    >>> from dataset_card.tables.columns import ReleaseColumn
    >>> table = Config("words", "a word", (ReleaseColumn("word", "string", "A word."),))
    >>> red = [{"word": "red"}]
    >>> compute_part_key(table, red) == compute_part_key(table, list(red)) != compute_part_key(table, [])
    True
    """

    def __init__(self, config: Config) -> None:
        self._plain = [
            column.name for column in config.columns if column not in config.images and column.kind != "float64"
        ]
        # Floats apart from the rest, since 0 and 0.0 are equal and have different JSON.
        self._floats = [column.name for column in config.columns if column.kind == "float64"]
        # With name and columns, so that two tables without rows have different keys.
        self._hash = hashlib.sha256(_dump_json([config.name, config.features()]))

    def take(self, row: Row) -> None:
        """Take the next row; a picture counts by the SHA-256 in the column beside the picture."""
        floats = [None if row[name] is None else float(cast("float", row[name])) for name in self._floats]  # 0 is 0.0
        self._hash.update(_dump_json([*(row[name] for name in self._plain), *floats]))

    def hexdigest(self) -> str:
        """Return the key."""
        return self._hash.hexdigest()


def compute_part_key(config: Config, rows: Iterable[Row]) -> str:
    """Return the key of rows."""
    key = PartKey(config)
    for row in rows:
        key.take(row)
    return key.hexdigest()


def compute_layout_key(configs: Iterable[Config]) -> str:
    """Return the hash of the columns of configs and of how they are written."""
    return hashlib.sha256(_dump_json([LAYOUT, *(compute_part_key(config, ()) for config in configs)])).hexdigest()


def make_part(config: Config, run_id: str | None, key: str, written: Written) -> TablePart:
    """Describe a part that was written."""
    return TablePart(
        config=config.name,
        run_id=run_id,
        key=key,
        rows=written.rows,
        num_bytes=written.num_bytes,
        shards=tuple(ParquetShard(size=size, sha256=sha256) for size, sha256 in written.files),
    )


def sum_parts(config: Config, parts: Iterable[TablePart]) -> Written:
    """Return the size of the parts of a table together."""
    own = [part for part in parts if part.config == config.name]
    files = tuple((shard.size, shard.sha256) for part in own for shard in part.shards)
    return Written(config, sum(part.rows for part in own), sum(part.num_bytes for part in own), files)


_ENCODER = json.JSONEncoder(separators=(",", ":"))
"""Made once: ``json.dumps`` would make one for each of the hundred thousand rows of a release."""


def _dump_json(value: object) -> bytes:
    return _ENCODER.encode(value).encode() + b"\n"
