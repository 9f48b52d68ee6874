"""Columns and tables of a release: names, types, places in the records, and the features that ``datasets`` reads."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

SPLIT = "test"

Kind = Literal["string", "int32", "int64", "float64", "bool", "image", "strings", "int32s", "images", "messages"]
"""Types of columns by their name in ``datasets``; a name in the plural is a list. Messages are those of a chat."""

ITEMS: Mapping[Kind, Kind] = {"strings": "string", "int32s": "int32", "images": "image"}
"""What each list is of."""


MESSAGE: Mapping[str, Any] = {"role": "string", "content": {"type": "string", "text": "string"}}
"""Fields of a message, and of each part of its content: a text, or the place of a picture."""


@dataclass(frozen=True)
class ReleaseColumn:
    """A column of a table.

    >>> ReleaseColumn("width", "int32", "Pixels.").nullable
    False
    """

    name: str
    """Name of the column in the files."""

    kind: Kind
    """Type of the values."""

    description: str
    """One line for people, with unit and range."""

    nullable: bool = False
    """Whether a row may lack a value."""

    repeats: bool = False
    """Whether several rows may hold the same picture, which a row group then stores once."""

    field: str = ""
    """Where its value stands in the record that the row is of, as in ``rendering.width``; empty if in none."""

    as_json: bool = False
    """Whether its text is the JSON of the value."""


@dataclass(frozen=True)
class Config:
    """A table of a release; the Hub calls a table a config.

    >>> Config("words", "a word", (ReleaseColumn("word", "string", "A word."),)).pattern
    'data/words/test-*.parquet'
    """

    name: str
    """Name of the table in ``load_dataset(…, name)``."""

    row: str
    """Meaning of a row."""

    columns: tuple[ReleaseColumn, ...]
    """Columns in the order of the files."""

    default: bool = False
    """Whether ``load_dataset`` loads this table when no table is named."""

    @property
    def pattern(self) -> str:
        """Pattern of the table's files, relative to the release."""
        return f"data/{self.name}/{SPLIT}-*.parquet"

    @cached_property
    def images(self) -> tuple[ReleaseColumn, ...]:
        """The columns that hold pictures, one or several."""
        return tuple(column for column in self.columns if ITEMS.get(column.kind, column.kind) == "image")

    def features(self) -> dict[str, dict[str, Any]]:
        """Return the features as ``datasets`` keeps them in a Parquet file's metadata."""
        return {column.name: _build_feature(column.kind) for column in self.columns}

    def yaml_features(self) -> list[dict[str, Any]]:
        """Return the features as the YAML of a card has them."""
        return [_build_yaml_feature(column.name, column.kind) for column in self.columns]


def build_cells(columns: Iterable[ReleaseColumn], record: object) -> dict[str, object]:
    """Return the columns that hold fields of a record.

    Args:
        columns: Of the table; those without a field are left out.
        record: A record, or its fields by name.

    >>> side = ReleaseColumn("side", "int32", "Pixels.", field="size.width")
    >>> columns = (side, ReleaseColumn("about", "string", "Words."))
    >>> build_cells(columns, {"size": {"width": 3}})
    {'side': 3}
    """
    return {column.name: _format_cell(column, _find_value(record, column.field)) for column in columns if column.field}


def parse_cells(columns: Iterable[ReleaseColumn], row: Mapping[str, object]) -> dict[str, Any]:
    """Return the fields of the record that a row is of, which the caller validates; the way back of ``build_cells``.

    Args:
        columns: Of the table.
        row: The row.

    Raises:
        ValueError: A text that must be JSON is none.

    >>> parse_cells((ReleaseColumn("side", "int32", "Pixels.", field="size.width"),), {"side": 3})
    {'size': {'width': 3}}
    """
    fields: dict[str, Any] = {}
    groups: dict[str, dict[str, Any]] = {}
    for column in columns:
        if column.field:
            value = row[column.name]
            if column.as_json and value is not None:
                value = json.loads(str(value))
            group, _, name = column.field.rpartition(".")
            # In the order of the columns, groups too, so that a record has the same bytes when it is written again.
            inner = groups.setdefault(group, fields.setdefault(group, {})) if group else fields
            inner[name] = value
    # A part of a record without any value is not there.
    return fields | {name: None for name, group in groups.items() if all(value is None for value in group.values())}


def _find_value(record: Any, path: str) -> Any:
    for name in path.split("."):
        if record is None:
            return None
        record = record.get(name) if isinstance(record, Mapping) else getattr(record, name)
    return record


def _format_cell(column: ReleaseColumn, value: Any) -> object:
    if value is None:
        return None
    if column.as_json:
        # Sorted keys, so that the same value has the same bytes in each release.
        return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return list(value) if column.kind in ITEMS else value


def _build_feature(kind: Kind) -> dict[str, Any]:
    if kind == "messages":
        return _build_list_feature(MESSAGE)
    if kind in ITEMS:
        return {"feature": _build_feature(ITEMS[kind]), "_type": "List"}
    return {"_type": "Image"} if kind == "image" else {"dtype": kind, "_type": "Value"}


def _build_list_feature(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the feature of a list of records; a field that has fields is such a list too."""
    feature = {
        name: {"dtype": kind, "_type": "Value"} if isinstance(kind, str) else _build_list_feature(kind)
        for name, kind in fields.items()
    }
    return {"feature": feature, "_type": "List"}


def _build_yaml_feature(name: str, kind: Any) -> dict[str, Any]:
    """Return a feature as YAML has it, where a list stands under another key than in the metadata of Parquet files."""
    fields = MESSAGE if kind == "messages" else kind
    if isinstance(fields, Mapping):
        return {"name": name, "list": [_build_yaml_feature(inner, of_field) for inner, of_field in fields.items()]}
    return {"name": name, "list" if kind in ITEMS else "dtype": ITEMS.get(kind, kind)}
