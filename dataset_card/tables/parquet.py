"""Tables as Parquet files and as Arrow tables; with ``writing`` the only module that imports ``pyarrow``.

The first half reads files and compares them with their columns. The second makes Arrow tables of rows, buffer by
buffer: ``pyarrow`` makes arrays of Python values too, but imports pandas for it, which takes longer than making all of
a small release's tables.
"""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dataset_card.tables.columns import ITEMS, MESSAGE, SPLIT, Config, Kind
from dataset_card.tables.rows import Row
from ircore.core.errors import InputError
from ircore.core.files import compute_file_sha256
from ircore.core.untrusted_text import encode_unprintable

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa
    import pyarrow.parquet as pq

MAX_GROUP_BYTES = 286 * 1024 * 1024
"""Largest uncompressed row group in bytes: the limit of the Hub's viewer, and of memory for a stranger's release."""

# Few rows at a time, because a row may hold two pictures.
READ_ROWS = 8

PLAIN_KINDS: frozenset[Kind] = frozenset({"string", "int32", "int64", "float64", "bool"})
"""Types of columns that are written with statistics and an index of their values: neither pictures nor lists."""

_METADATA = {b"huggingface", b"ARROW:schema"}
"""Keys of a file's own metadata: the features for ``datasets``, and Arrow's schema."""

_REMEDY = "Get the release again."

_NUMBERS: dict[Kind, type[np.generic]] = {"int32": np.int32, "int64": np.int64, "float64": np.float64}


def build_arrow_schema(config: Config) -> "pa.Schema":
    """Return the Arrow schema, with the features that make ``datasets`` decode the pictures."""
    import pyarrow as pa

    fields = [pa.field(column.name, find_arrow_type(column.kind)) for column in config.columns]
    return pa.schema(fields, metadata={"huggingface": json.dumps({"info": {"features": config.features()}})})


def read_table(folder: Path, config: Config) -> Iterator[tuple[str, Row]]:
    """Yield the rows of a config with where each stands (``file:row``, rows counted from 1), a few held at a time.

    Raises:
        InputError: A file is no Parquet file or is damaged.
    """
    yield from read_rows(folder, list_table_files(folder, config))


def read_rows(folder: Path, paths: Iterable[Path]) -> Iterator[tuple[str, Row]]:
    """Yield the rows of some files of a config, as ``read_table``."""
    for path in paths:
        where, number = path.relative_to(folder), 0
        try:
            with open_parquet(path) as file:
                for batch in _read_batches(file):
                    for row in batch.to_pylist():
                        number += 1
                        yield f"{where}:{number}", row
        except (OSError, ValueError) as error:
            raise InputError(
                f"{where}: cannot be read after row {number} ({_shorten_error(error)})", _REMEDY
            ) from error


def read_plain(paths: Iterable[Path], config: Config, columns: Sequence[str]) -> Iterator[Row]:
    """Yield the rows of some files of a config.

    Args:
        paths: The files.
        config: The table.
        columns: Names of the columns to read, as far as the table has them; no pictures, since a file is read at once.

    Raises:
        InputError: A file is damaged, or lacks a column.
    """
    known = {column.name for column in config.columns}
    names = [name for name in columns if name in known]
    for path in paths:
        try:
            with open_parquet(path) as file:
                table = file.read(names, use_threads=False)
            values = [table.column(name).to_pylist() for name in names]
        except (OSError, ValueError, KeyError) as error:
            raise InputError(f"{path}: cannot be read ({_shorten_error(error)})", _REMEDY) from error
        yield from (dict(zip(names, row, strict=True)) for row in zip(*values, strict=True))


def read_picture_group(path: Path, group: int, column: str) -> dict[str, bytes]:
    """Return the pictures of a column in a row group, by the SHA-256 in the column beside it."""
    with open_parquet(path) as file:
        rows = file.read_row_group(group, [column, f"{column}_sha256"], use_threads=False).to_pylist()
    hashes, pictures = ([_list_items(row[name]) for row in rows] for name in (f"{column}_sha256", column))
    # Of pictures that must not be published, the list holds none, and the hashes beside it stay.
    each = (
        (sha256, picture)
        for beside, held in zip(hashes, pictures, strict=True)
        for sha256, picture in zip(beside, held, strict=False)
    )
    return {sha256: picture["bytes"] for sha256, picture in each if picture is not None}


def find_pictures(paths: Iterable[Path], column: str) -> dict[str, tuple[Path, int]]:
    """Return file and row group of each picture of a column, by SHA-256."""
    places: dict[str, tuple[Path, int]] = {}
    for path in paths:
        with open_parquet(path) as file:
            for group in range(file.num_row_groups):
                cells = file.read_row_group(group, [f"{column}_sha256"]).column(0).to_pylist()
                hashes = [sha256 for cell in cells for sha256 in _list_items(cell)]
                # Only the hashes are read, so that finding a picture reads none.
                places |= dict.fromkeys((sha256 for sha256 in hashes if sha256 is not None), (path, group))
    return places


def read_frame(folder: Path, config: Config, pictures: bool) -> "pd.DataFrame":
    """Return a table as a DataFrame.

    Args:
        folder: The release.
        config: The table.
        pictures: Whether its pictures come along, each a mapping with ``bytes`` and ``path``.

    Raises:
        InputError: There is no file of it, or one is damaged or not as the config has it.
    """
    import pyarrow.parquet as pq

    files = list_table_files(folder, config)
    faults = check_schema(folder, config) or ([] if files else [f"data/{config.name}: is missing"])
    if faults:
        raise InputError(f"{folder}: {faults[0]}", f"See: ircore release check {folder}")
    columns = [column.name for column in config.columns if pictures or column not in config.images]
    try:
        frame: pd.DataFrame = pq.read_table(files, columns=columns, page_checksum_verification=True).to_pandas()
    except (OSError, ValueError) as error:
        raise InputError(f"{folder}: data/{config.name}: cannot be read ({_shorten_error(error)})", _REMEDY) from error
    return frame


def check_schema(folder: Path, config: Config) -> list[str]:
    """Return the faults in columns, types and features of each file of a table."""
    faults = []
    wanted = build_arrow_schema(config)
    for path in list_table_files(folder, config):
        where = path.relative_to(folder)
        try:
            with open_parquet(path) as file:
                file_schema, metadata = file.schema_arrow, file.metadata
                groups = [metadata.row_group(index) for index in range(metadata.num_row_groups)]
                odd = sorted(_find_odd_metadata(file_schema, metadata))
        except (OSError, ValueError) as error:
            faults.append(f"{where}: not a Parquet file ({_shorten_error(error)})")
            continue
        faults += [f"{where}: {fault}" for fault in _compare_schemas(wanted, file_schema)]
        if odd:
            faults.append(f"{where}: has metadata that is never written: {', '.join(odd)[:200]}")
        if max((group.total_byte_size for group in groups), default=0) > MAX_GROUP_BYTES:
            faults.append(f"{where}: a row group is larger than {MAX_GROUP_BYTES // 2**20} MiB")
    return faults


def list_table_files(folder: Path, config: Config) -> list[Path]:
    """Return the files of a config in their order."""
    return sorted(folder.glob(config.pattern))


def hash_table_files(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of every file of a release's tables, by the file's path in the release."""
    paths = sorted(folder.glob(f"data/*/{SPLIT}-*.parquet"))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return dict(
            zip(
                (path.relative_to(folder).as_posix() for path in paths),
                pool.map(compute_file_sha256, paths),
                strict=True,
            )
        )


def open_parquet(path: Path) -> "pq.ParquetFile":
    """Open a Parquet file; damaged pages are an ``OSError`` when they are read."""
    import pyarrow.parquet as pq

    # Unless asked, pyarrow does not compare checksums, and damaged bytes could be read as other values.
    return pq.ParquetFile(path, page_checksum_verification=True)


def find_arrow_type(kind: Kind) -> "pa.DataType":
    """Return the Arrow type of a kind of column."""
    # Arrow is imported when tables are read or written: the import alone takes a quarter of a second.
    import pyarrow as pa

    if kind == "messages":
        return _record_list_type(MESSAGE)
    if kind in ITEMS:
        return pa.list_(find_arrow_type(ITEMS[kind]))
    makers: dict[Kind, Callable[[], Any]] = {
        "string": pa.string,
        "int32": pa.int32,
        "int64": pa.int64,
        "float64": pa.float64,
        "bool": pa.bool_,
        "image": lambda: pa.struct([("bytes", pa.binary()), ("path", pa.string())]),
    }
    return makers[kind]()


def make_table(config: Config, schema: "pa.Schema", rows: Sequence[Row]) -> "pa.Table":
    """Return rows as a table.

    Args:
        config: The table, with names and kinds of the columns.
        schema: The same columns for Arrow.
        rows: Values of these kinds; pictures as ``EmbeddedImage``; None only where there is no value.
    """
    import pyarrow as pa

    columns = [_build_array(column.kind, [row[column.name] for row in rows]) for column in config.columns]
    return pa.Table.from_arrays(columns, schema=schema)


def _list_items(cell: Any) -> list[Any]:
    """Return what a cell holds: the items of a list, or the one value."""
    return cell if isinstance(cell, list) else [cell]


def _read_batches(file: "pq.ParquetFile") -> Iterator["pa.RecordBatch"]:
    """Yield batches group by group: with all groups at once, pyarrow 26 keeps all read data until the end."""
    for group in range(file.num_row_groups):
        yield from file.iter_batches(READ_ROWS, row_groups=[group], use_threads=False)


def _compare_schemas(wanted: "pa.Schema", file_schema: "pa.Schema") -> Iterator[str]:
    for field in wanted:
        index = file_schema.get_field_index(field.name)
        if index < 0:
            yield f"column {field.name!r} is missing"
        elif file_schema.field(index).type != field.type:
            yield f"column {field.name!r} is {file_schema.field(index).type}, must be {field.type}"
    for name in file_schema.names:
        if name not in wanted.names:
            yield f"unknown column {name[:80]!r}"
    if (file_schema.metadata or {}).get(b"huggingface") != wanted.metadata[b"huggingface"]:
        yield "the features in its metadata are not those of the columns"


def _find_odd_metadata(schema: "pa.Schema", metadata: "pq.FileMetaData") -> set[str]:
    """Return the keys of metadata of a file, its columns and their chunks beyond those that are written."""
    keys = set(metadata.metadata or {}) - _METADATA
    for field in schema:
        keys |= {f"{field.name}: ".encode() + key for key in field.metadata or {}}
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        for index in range(group.num_columns):
            chunk = group.column(index)
            keys |= {f"{chunk.path_in_schema}: ".encode() + key for key in chunk.metadata or {}}
    return {encode_unprintable(key.decode(errors="replace"))[:60] for key in keys}


def _shorten_error(error: Exception) -> str:
    return str(error).partition("\n")[0][:200]


def _build_array(kind: Kind, values: Sequence[Any]) -> "pa.Array":
    import pyarrow as pa

    if kind == "string":
        return _build_text_array(values)
    if kind == "messages":
        return _record_lists(values, MESSAGE)
    buffers: list[Any] = [_pack_validity(values)]
    children: list[Any] | None = None
    if kind == "image":
        children = [
            _build_binary_array([picture and picture["bytes"] for picture in values]),
            _build_text_array([picture and picture["path"] for picture in values]),
        ]
    elif kind in ITEMS:
        # A list that is null needs an offset too, and takes up no items.
        lists = [items or () for items in values]
        buffers.append(_compute_offsets(lists))
        children = [_build_array(ITEMS[kind], [item for items in lists for item in items])]
    elif kind == "bool":
        buffers.append(_pack_bits(values))
    else:
        # NumPy's integers have no null: the validity bits say which zeros stand for no value.
        plain = [0 if value is None else value for value in values]
        buffers.append(pa.py_buffer(np.array(plain, _NUMBERS[kind])))
    return pa.Array.from_buffers(find_arrow_type(kind), len(values), buffers, children=children)


def _record_list_type(fields: Mapping[str, Any]) -> "pa.DataType":
    """Return the type of lists of records whose fields are texts, or such lists again."""
    import pyarrow as pa

    inner = {name: pa.string() if isinstance(kind, str) else _record_list_type(kind) for name, kind in fields.items()}
    return pa.list_(pa.struct([*inner.items()]))


def _record_lists(lists: Sequence[Sequence[Mapping[str, Any]]], fields: Mapping[str, Any]) -> "pa.Array":
    import pyarrow as pa

    records = [record for items in lists for record in items]
    children = [
        _build_text_array([record[name] for record in records])
        if isinstance(kind, str)
        else _record_lists([record[name] for record in records], kind)
        for name, kind in fields.items()
    ]
    kind = _record_list_type(fields)
    structs = pa.Array.from_buffers(kind.value_type, len(records), [None], children=children)
    return pa.Array.from_buffers(kind, len(lists), [None, _compute_offsets(lists)], children=[structs])


def _build_text_array(values: Sequence[str | None]) -> "pa.Array":
    return _build_binary_array([None if text is None else text.encode() for text in values], "string")


def _build_binary_array(values: Sequence[bytes | None], name: str = "binary") -> "pa.Array":
    import pyarrow as pa

    contents = [value or b"" for value in values]
    buffers = [_pack_validity(values), _compute_offsets(contents), pa.py_buffer(b"".join(contents))]
    return pa.Array.from_buffers(pa.type_for_alias(name), len(values), buffers)


def _compute_offsets(values: Sequence[Sequence[Any]]) -> "pa.Buffer":
    """Return the offset of each value, and the end of the last value."""
    import pyarrow as pa

    # Offsets of Arrow's types binary, string and list have 32 bits.
    return pa.py_buffer(np.cumsum([0, *map(len, values)]).astype(np.int32))


def _pack_validity(values: Sequence[object]) -> "pa.Buffer | None":
    # Arrow takes a column without validity bits as one without nulls.
    return _pack_bits([value is not None for value in values]) if any(value is None for value in values) else None


def _pack_bits(values: Sequence[object]) -> "pa.Buffer":
    import pyarrow as pa

    # Arrow counts the bits of a byte from the least significant one.
    return pa.py_buffer(np.packbits([bool(value) for value in values], bitorder="little"))
