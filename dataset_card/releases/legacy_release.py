"""Releases of a single game other than reconstruction, as written before games shared a release.

They have tables, runs and a plain card, and neither history, licences nor a Croissant file. They can be checked, loaded
and pulled; the next release is built from the runs that were pulled.
"""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from pydantic import Field

from dataset_card.releases.record import EARLIER, RUNS, Entry, GameRecord, ReleaseRecord, TableRecord, release_name
from dataset_card.tables.parts import Part, Shard
from ircore.core.records import Line, Name, Record, Sha256

UNKNOWN = "0" * 64
"""Stands for hashes that these releases do not state."""

DAY = "1970-01-01"
"""Stands for the date, which they do not state."""


class _Table(TableRecord):
    files: dict[Line, Sha256]
    rows: int = Field(ge=0)


class _EarlierRelease(Record):
    schema_: Literal[2] = Field(alias="schema")
    game: Name
    instance_set: Sha256
    configs: tuple[_Table, ...]
    runs: Sha256
    content: Sha256


def read_earlier_release(folder: Path, data: bytes) -> ReleaseRecord:
    """Return the record of an earlier release in today's form.

    Args:
        folder: The release.
        data: Content of its ``release.json``.

    Raises:
        pydantic.ValidationError: The file is damaged.
    """
    stated = _EarlierRelease.model_validate_json(data)
    tables = tuple(
        TableRecord(name=table.name, row=table.row, columns=table.columns, default=table.default)
        for table in stated.configs
    )
    name = release_name(None, DAY, stated.content)
    game = GameRecord(
        name=stated.game, title=stated.game, headline="-", seats=(), instance_set=stated.instance_set, prompts="-"
    )
    return ReleaseRecord(
        schema_=EARLIER,
        name=name,
        benchmark=None,
        instance_set=stated.instance_set,
        prompts="-",
        games=(game,),
        tables=tables,
        date=DAY,
        content=stated.content,
        layout=UNKNOWN,
        program=UNKNOWN,
        judges=(),
        parts=tuple(_part(folder, table) for table in stated.configs),
        history=(Entry(name=name, date=DAY),),
    )


def _part(folder: Path, table: _Table) -> Part:
    shards = tuple(Shard(size=_size(folder / name), sha256=sha256) for name, sha256 in table.files.items())
    return Part(config=table.name, key=UNKNOWN, rows=table.rows, num_bytes=0, shards=shards)


def _size(path: Path) -> int:
    return path.stat().st_size if path.is_file() else 0


def earlier_faults(folder: Path, record: ReleaseRecord) -> Iterator[str]:
    """Yield a fault if the content hash of an earlier release does not match the files."""
    runs = hashlib.sha256((folder / RUNS).read_bytes()).hexdigest()
    # Computed as these releases did: today's hash is of rows instead of files.
    lines = sorted(f"{name} {sha256}" for name, sha256 in record.hashes.items())
    if hashlib.sha256("\n".join([*lines, runs]).encode()).hexdigest() != record.content:
        yield "content is not the hash of what the release holds"
