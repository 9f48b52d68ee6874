"""Writing the tables of a release as Parquet files, part by part.

A part is the rows of a run in a table, identified by a hash of its content, and written to files of its own, so that a
new run leaves the files of all others as they are, to the byte. Two parts with the same key hold the same rows and
pictures, whichever machine or release they were made on.

Files are written row group by row group, so memory is bounded by ``GROUP_BYTES`` whatever the size of a release. A
small first group, and gaps between groups, let a stream show its first row without fetching much. Groups end where an
episode ends, so that none of its pictures stands in two of them. The same rows give the same bytes.

Of a picture that several rows of a column hold, such as the target of an episode's turns, a row group stores the bytes
once. Stored more than once are a picture in several row groups, in several columns or tables (each loads by itself:
first and final renderings stand in ``episodes`` and ``transcripts``), and targets in the files of every run (which are
not to change when another run comes): the format has no way to point from one of these to another.
"""

import hashlib
import io
import json
import os
from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import Field

from dataset_card.tables.columns import ITEMS, SPLIT, Config
from dataset_card.tables.parquet import PLAIN_KINDS, build_arrow_schema, make_table
from dataset_card.tables.rows import EmbeddedImage, Row, RowPicture
from ircore.core.records import Name, Record, Sha256

if TYPE_CHECKING:
    import pyarrow as pa
    from _typeshed import ReadableBuffer as Buffer

FIRST_GROUP_BYTES = 3 * 1024 * 1024
"""Approximate bytes of pictures in the first row group of a table, which a stream reads before its first row."""

GROUP_BYTES = 12 * 1024 * 1024
"""Limit of later row groups, which grow up to it: few groups are read fast. The Hub's viewer takes 300 MB."""

GAP = bytes(8 * 1024 + 1)
"""Between row groups: pyarrow fetches what lies less than 8 KiB apart at once, up to 32 MiB for the first row."""

AHEAD = 8
"""Rows, and pictures, that are read before they are written."""

GROUP_ROWS_WITH_IMAGES = 100
GROUP_ROWS = 10_000

SHARD_BYTES = 500_000_000
"""Size after which a new file begins, as in ``datasets``."""

_MAGIC = b"PAR1"
"""First bytes of a Parquet file."""

# The second layout lets row groups end with an episode and keeps gaps between groups.
LAYOUT = 2
"""Raised whenever the same rows are written differently, so that no file of an earlier release is reused."""

_ENCODER = json.JSONEncoder(separators=(",", ":"))
"""Made once: ``json.dumps`` would make one for each of the hundred thousand rows of a release."""


@dataclass(frozen=True)
class Written:
    """Size of a table that was written.

    Attributes:
        config: The table.
        rows: Number of rows.
        num_bytes: Size in memory, as ``dataset_info`` states it.
        files: Size and SHA-256 of each of its files.

    >>> from dataset_card.tables.schema import SCORES
    >>> Written(SCORES, rows=4, num_bytes=300, files=((1200, "0" * 64), (800, "1" * 64))).file_bytes
    2000
    """

    config: Config
    rows: int
    num_bytes: int
    files: tuple[tuple[int, str], ...]

    @property
    def file_bytes(self) -> int:
        """Size of all files together, in bytes."""
        return sum(size for size, _ in self.files)


def write_table(folder: Path, config: Config, rows: Iterable[Row], run_id: str | None = None) -> Written:
    """Write a table, or the rows of a run in a table, below a release folder.

    Args:
        folder: The release.
        config: The table to write; decides names and types.
        rows: Each with exactly the config's columns; taken one at a time, pictures read when they are written.
        run_id: The run whose rows they are; None for all rows of the config.
    """
    target = folder / "data" / config.name
    target.mkdir(parents=True, exist_ok=True)
    writer = TableWriter(config, target, run_id)
    for row in _read_ahead(config, rows) if config.images else rows:
        writer.take(row)
    return writer.finish()


class TableWriter:
    """Writes a table, or the rows of a run in a table, from rows that are given one by one.

    Args:
        config: The table.
        folder: Folder of its files; None to hash what would be written, without writing it.
        run_id: The run whose rows they are; None for all rows of the config.

    >>> from dataset_card.tables.schema import MEASURES
    >>> writer = TableWriter(MEASURES, folder=None)
    >>> writer.finish().rows
    0
    """

    def __init__(self, config: Config, folder: Path | None, run_id: str | None = None) -> None:
        self._config, self._schema = config, build_arrow_schema(config)
        self._groups = _RowGroups(config)
        self._shards = _Shards(folder, config, self._schema, run_id)
        self._rows = self._num_bytes = 0

    def take(self, row: Row) -> None:
        """Take the next row, its pictures read; a row group that is full is written."""
        group = self._groups.take(row)
        if group:
            self._write(group)

    def finish(self) -> Written:
        """Write the last rows and return the size of the table."""
        if self._groups.waiting:
            self._write(self._groups.waiting)
        return Written(self._config, self._rows, self._num_bytes, self._shards.finish())

    def _write(self, group: list[Row]) -> None:
        table = make_table(self._config, self._schema, group)
        self._shards.write(table)
        self._rows += table.num_rows
        self._num_bytes += table.nbytes


def name_shard(run_id: str | None, index: int, count: int) -> str:
    """Return the name of a file of a table: ``datasets`` finds files by it and sorts a run's files together."""
    return f"{SPLIT}-{run_id + '-' if run_id else ''}{index:05d}-of-{count:05d}.parquet"


def choose_writer_settings(config: Config) -> dict[str, Any]:
    """Return how pyarrow's writer is to write a table.

    Pictures are compressed already: they are stored as they are, and once a group where neighbours share them.
    """
    plain = [column.name for column in config.columns if column.kind in PLAIN_KINDS]
    places = {
        column.name: f"{column.name}{'.list.element' if column.kind in ITEMS else ''}" for column in config.columns
    }
    pictures = [f"{places[column.name]}.bytes" for column in config.images]
    others = [f"{places[column.name]}.path" for column in config.images]
    others += [places[column.name] for column in config.columns if ITEMS.get(column.kind, "image") != "image"]
    parts = ("role", "content.list.element.type", "content.list.element.text")
    others += [
        f"{column.name}.list.element.{part}"
        for column in config.columns if column.kind == "messages" for part in parts
    ]  # fmt: skip
    return {
        "compression": dict.fromkeys(plain + others, "zstd") | dict.fromkeys(pictures, "none"),
        "use_dictionary": [
            *plain, *others, *(f"{places[column.name]}.bytes" for column in config.images if column.repeats),
        ],
        # Above this limit the writer gives the dictionary up, and a shared picture would be stored for every row.
        "dictionary_pagesize_limit": 4 * GROUP_BYTES,
        "write_statistics": plain,
        "write_page_index": True,
        "write_page_checksum": True,
        # Not cut where the content says: files of unchanged runs are not uploaded again at all, and in others the Hub's
        # own chunks find the pictures, which lie there byte for byte.
        "use_content_defined_chunking": False,
    }  # fmt: skip


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
        values = [row[name] for name in self._plain]
        for name in self._floats:
            value: Any = row[name]
            values.append(value if value is None else float(value))  # 0 is 0.0
        self._hash.update(_dump_json(values))

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


class _HashedFile(io.RawIOBase):
    """A file that is hashed while being written, so that no second reading is needed.

    Args:
        path: The file; None to hash what would be written.

    Attributes:
        size: Bytes so far.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.size = 0
        self._hash = hashlib.sha256()
        self._file = None if path is None else path.open("wb", buffering=0)

    def writable(self) -> bool:
        return True

    def write(self, data: "Buffer") -> int:
        left = memoryview(data)
        length = len(left)
        self._hash.update(left)
        # An unbuffered file may take fewer bytes than it is given.
        while left and self._file is not None:
            left = left[self._file.write(left) :]
        self.size += length
        return length

    def close(self) -> None:
        if not self.closed and self._file is not None:
            self._file.close()
        super().close()

    def hexdigest(self) -> str:
        return self._hash.hexdigest()


class _Shards:
    """Writes row groups into numbered files, which get their names when the number of files is known."""

    def __init__(self, folder: Path | None, config: Config, schema: "pa.Schema", run_id: str | None) -> None:
        self._folder, self._config, self._schema, self._run_id = folder, config, schema, run_id
        self._files: list[_HashedFile] = []
        self._begin()

    def write(self, table: "pa.Table") -> None:
        if self._files[-1].size > SHARD_BYTES:
            self._end_shard()
            self._begin()
        # A new file holds its first bytes alone, and a gap before the first group would part nothing.
        if self._files[-1].size > len(_MAGIC):
            self._sink.write(GAP)
        self._writer.write_table(table)

    def finish(self) -> tuple[tuple[int, str], ...]:
        self._end_shard()
        for index, file in enumerate(self._files):
            if file.path is not None:
                file.path.rename(file.path.with_name(name_shard(self._run_id, index, len(self._files))))
        return tuple((file.size, file.hexdigest()) for file in self._files)

    def _begin(self) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        # With the run's id, since the files of several runs may be written at a time.
        name = f".part-{self._run_id or ''}-{len(self._files)}"
        path = None if self._folder is None else self._folder / name
        self._files.append(_HashedFile(path))
        self._sink = pa.PythonFile(self._files[-1], "w")
        self._writer = pq.ParquetWriter(self._sink, self._schema, **choose_writer_settings(self._config))

    def _end_shard(self) -> None:
        self._writer.close()
        self._sink.close()


class _RowGroups:
    """Cuts rows into groups, bounded in number and in bytes of pictures.

    A full group ends before a row that shares no picture with it, or when it is twice as large as it should be.

    Attributes:
        waiting: The rows that are in no group yet.
    """

    def __init__(self, config: Config) -> None:
        self._config = config
        self.waiting: list[Row] = []
        self._stored: dict[tuple[str, str], int] = {}
        self._held_bytes = self._written = 0

    def take(self, row: Row) -> list[Row] | None:
        """Take the next row; return the rows before it if they make a group, else None."""
        return self._take_with_pictures(row) if self._config.images else self._take_plain(row)

    def _take_plain(self, row: Row) -> list[Row] | None:
        group = None
        if len(self.waiting) >= GROUP_ROWS:
            group, self.waiting = self.waiting, []
        self.waiting.append(row)
        return group

    def _take_with_pictures(self, row: Row) -> list[Row] | None:
        # Each group is as large as all before it, up to the limit: small where a stream begins, few in a large table.
        full = min(max(FIRST_GROUP_BYTES, self._written), GROUP_BYTES)
        # By the hash in the column beside it: the same rows give the same groups, wherever their pictures come from.
        sizes = {
            # Where nothing stands beside the picture, rows share it if they hold the same object.
            (column.name, sha256 or str(id(picture["bytes"]))): len(picture["bytes"])
            for column in self._config.images
            for picture, sha256 in _pair_with_hashes(row[column.name], row.get(f"{column.name}_sha256"))
        }
        enough = 2 * full if sizes.keys() & self._stored.keys() else full
        stored_bytes = sum(self._stored.values())
        group = None
        # A picture that several rows share is stored once, but held for each of them until it is written.
        if len(self.waiting) >= GROUP_ROWS_WITH_IMAGES or stored_bytes >= enough or self._held_bytes >= 4 * full:
            group = self.waiting
            self._written += stored_bytes
            self.waiting, self._stored, self._held_bytes = [], {}, 0
        self.waiting.append(row)
        self._stored |= sizes
        self._held_bytes += sum(sizes.values())
        return group


def _pair_with_hashes(held: object, beside: object) -> Iterable[tuple[EmbeddedImage, str | None]]:
    """Return the pictures of a cell, one or several, each with its hash."""
    pictures, hashes = ([*cell] if isinstance(cell, list) else [cell] for cell in (held, beside))
    return ((picture, sha256) for picture, sha256 in zip(pictures, hashes, strict=False) if picture is not None)


def _read_ahead(config: Config, rows: Iterable[Row]) -> Iterator[Row]:
    """Yield rows with their pictures read, each as an ``EmbeddedImage``; a picture of several rows is read once.

    Threads read a few rows ahead: most of the time goes into decoding, which checks a picture and holds up no other.
    """
    begun: OrderedDict[int, tuple[RowPicture, Future[EmbeddedImage]]] = OrderedDict()

    def begin(value: object) -> object:
        if isinstance(value, list):
            return [begin(item) for item in value]
        if not isinstance(value, RowPicture):
            return value
        if id(value) not in begun:
            begun[id(value)] = value, pool.submit(_read, value)
            if len(begun) > AHEAD:
                begun.popitem(last=False)
        return begun[id(value)][1]

    waiting = deque[Row]()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for row in rows:
            waiting.append(row | {column.name: begin(row[column.name]) for column in config.images})
            if len(waiting) > AHEAD:
                yield _load_pictures(config, waiting.popleft())
        while waiting:
            yield _load_pictures(config, waiting.popleft())


def _read(picture: RowPicture) -> EmbeddedImage:
    return EmbeddedImage(bytes=picture.load(), path=picture.path)


def _load_pictures(config: Config, row: Row) -> Row:
    """Return a row whose pictures have been read."""

    def end(value: object) -> object:
        return [*map(end, value)] if isinstance(value, list) else value.result() if isinstance(value, Future) else value

    return row | {column.name: end(row[column.name]) for column in config.images}


def _dump_json(value: object) -> bytes:
    return _ENCODER.encode(value).encode() + b"\n"
