"""Shards: a run played in parts, on machines that know nothing of each other.

Shard i of n plays every n-th of the selected instances, from the i-th on, so that all categories are spread evenly. A
shard is a run folder like any other, of the same identity, with the file ``shard.json`` that says what is its part.
"""

import re
from pathlib import Path
from typing import TypeVar

from pydantic import Field

from ircore.core.errors import InputError
from ircore.core.files import write_text
from ircore.core.records import Name, Record
from ircore.core.validation import validating
from ircore.runs.folder import JOURNAL, AnyRunFolder

T = TypeVar("T")

SHARD_FILE = "shard.json"
MOST_SHARDS = 10_000


class Shard(Record):
    """The number of a part of a run, and the number of parts.

    >>> ("a", "b", "c", "d", "e")[parse_shard("2/3").places]
    ('b', 'e')
    """

    index: int = Field(ge=1, description="1-based.")
    count: int = Field(ge=1, le=MOST_SHARDS)

    def __str__(self) -> str:
        return f"{self.index}/{self.count}"

    @property
    def places(self) -> slice:
        """This shard's places among the instances that all shards are to play."""
        return slice(self.index - 1, None, self.count)


class Part(Record):
    """The instances that a shard is to play. File ``shard.json``.

    >>> Part(shard=parse_shard("1/2"), instances=("geometry-easy-01",)).model_dump_json()
    '{"shard":{"index":1,"count":2},"instances":["geometry-easy-01"]}'
    """

    shard: Shard
    instances: tuple[Name, ...]


def parse_shard(text: str) -> Shard:
    """Read ``i/n``.

    Raises:
        InputError: It is something else.
    """
    # ASCII digits alone: int() would also take underscores and the digits of other scripts.
    parts = re.fullmatch(r"([0-9]{1,6})/([0-9]{1,6})", text)
    index, count = (int(parts[1]), int(parts[2])) if parts else (0, 0)
    if not 1 <= index <= count <= MOST_SHARDS:
        raise InputError(f"--shard {text}: not a shard", "Give it as i/n with 1 ≤ i ≤ n, such as 1/4.")
    return Shard(index=index, count=count)


def keep_part(folder: AnyRunFolder, shard: Shard | None, instances: tuple[str, ...]) -> None:
    """Write down which part of a run is played in this folder.

    Raises:
        InputError: Another part is.
    """
    known = read_part(folder)
    # A journal without the file of a shard is that of an undivided run.
    begun = (folder.path / JOURNAL).is_file()
    if (known and known.shard) != shard and (known or begun):
        played = f"shard {known.shard}" if known else "a run in one piece"
        again = f"Give --shard {known.shard}" if known else "Leave --shard out"
        raise InputError(f"{folder.path}: {played} is played here", f"{again}, or choose another --out.")
    # Written again if --limit or the chosen conditions have changed what the shard is to play.
    if shard is not None and (known is None or known.instances != instances):
        part = Part(shard=shard, instances=instances)
        write_text(folder.path / SHARD_FILE, part.model_dump_json(indent=2) + "\n", durable=True)


def read_part(folder: AnyRunFolder) -> Part | None:
    """Return the part of a run that a folder holds; None for an undivided run.

    Raises:
        InputError: The file is damaged.
    """
    path: Path = folder.path / SHARD_FILE
    if not path.is_file():
        return None
    with validating(path, "Play this shard again."):
        return Part.model_validate_json(path.read_bytes())
