"""Columns and tables of a release: names, types, and the features that ``datasets`` reads."""

from dataclasses import dataclass
from typing import Any, Literal

SPLIT = "test"

Kind = Literal["string", "int32", "int64", "float64", "bool", "image", "strings"]
"""Types of columns by their name in ``datasets``; ``strings`` is a list of strings."""


@dataclass(frozen=True)
class Column:
    """A column of a table.

    >>> Column("width", "int32", "Pixels.").nullable
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


@dataclass(frozen=True)
class Config:
    """A table of a release; the Hub calls a table a config.

    >>> Config("words", "a word", (Column("word", "string", "A word."),)).pattern
    'data/words/test-*.parquet'
    """

    name: str
    """Name of the table in ``load_dataset(…, name)``."""

    row: str
    """Meaning of a row."""

    columns: tuple[Column, ...]
    """Columns in the order of the files."""

    default: bool = False
    """Whether ``load_dataset`` loads this table when no table is named."""

    @property
    def pattern(self) -> str:
        """Pattern of the table's files, relative to the release."""
        return f"data/{self.name}/{SPLIT}-*.parquet"

    @property
    def images(self) -> tuple[Column, ...]:
        """The columns that hold pictures."""
        return tuple(column for column in self.columns if column.kind == "image")

    def features(self) -> dict[str, dict[str, Any]]:
        """Return the features as ``datasets`` keeps them in a Parquet file's metadata."""
        return {column.name: _feature(column.kind) for column in self.columns}

    def yaml_features(self) -> list[dict[str, str]]:
        """Return the features as the YAML of a card has them."""
        return [
            # The library datasets writes a list under another key in YAML than in the metadata of Parquet files.
            {"name": column.name, "list": "string"}
            if column.kind == "strings"
            else {"name": column.name, "dtype": column.kind}
            for column in self.columns
        ]


def _feature(kind: Kind) -> dict[str, Any]:
    if kind == "image":
        return {"_type": "Image"}
    if kind == "strings":
        return {"feature": _feature("string"), "_type": "List"}
    return {"dtype": kind, "_type": "Value"}
