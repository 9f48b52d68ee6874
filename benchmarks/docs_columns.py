"""Writes the page of the columns of a release from their definitions.

python benchmarks/docs_columns.py > docs/columns.md    renews the page
"""

from collections.abc import Iterator

from dataset_card.tables.columns import ITEMS, Config, ReleaseColumn
from dataset_card.tables.schema import TABLES, make_transcripts_config
from ircore.games.registry import load_game, sort_game_names

HEAD = """\
---
hide: [navigation]
---

# Columns of a release

Every table of [a release](data.md) begins with `game`. Null is unknown, 0 is zero. A picture is embedded with the bytes
of its original file; its SHA-256 is that of its width and height, four bytes each (big-endian), and of its RGB bytes,
row by row, so that the same pixels are the same picture however they are compressed.

"""

GAMES = ("conversation", "reasoning", "reconstruction", "reference")


def page() -> str:
    """Return the page as Markdown."""
    steps = (make_transcripts_config(load_game(name)) for name in sort_game_names(GAMES))
    return HEAD + "\n".join(line for config in (*steps, *TABLES) for line in _lines(config)).rstrip() + "\n"


def _lines(config: Config) -> Iterator[str]:
    yield f"## `{config.name}`"
    yield ""
    yield f"A row is {config.row}."
    yield ""
    yield "| Column | Type | Meaning |"
    yield "|---|---|---|"
    for column in config.columns:
        yield f"| `{column.name}` | {_type_of(column)} | {column.description} |"
    yield ""


def _type_of(column: ReleaseColumn) -> str:
    item: str = ITEMS.get(column.kind, column.kind)
    name = {"image": "Image", "messages": "list of `role` and `content`, a list of `type` and `text`"}.get(item, item)
    name = f"list of {name}" if column.kind in ITEMS else name
    return f"{name}, may be null" if column.nullable else name


if __name__ == "__main__":
    print(page(), end="")
