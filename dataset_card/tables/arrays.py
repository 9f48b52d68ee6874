"""Rows to Arrow tables, buffer by buffer.

``pyarrow`` makes arrays of Python values too, but imports pandas for it, which takes longer than making all of a small
release's tables.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dataset_card.tables.columns import ITEMS, MESSAGE, Config, Kind
from dataset_card.tables.rows import Row

if TYPE_CHECKING:
    import pyarrow as pa

_NUMBERS: dict[Kind, type[np.generic]] = {"int32": np.int32, "int64": np.int64, "float64": np.float64}


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
