"""Shards: a run played in parts, on machines that know nothing of each other.

Shard i of n plays every n-th of the selected instances, from the i-th on, so that all categories are spread evenly. A
shard is a run folder like any other, of the same identity, with the file ``shard.json`` that says what is its part.
"""

import re
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from pydantic import Field

from ircore.core.errors import InputError
from ircore.core.files import write_text
from ircore.core.records import Name, Record, Sha256
from ircore.core.validation import validating
from ircore.runs.folder import RunFolder

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
    """The instances that a shard is to play, and those that all shards together are to play. File ``shard.json``.

    >>> part = Part.of(parse_shard("1/2"), ["geometry-easy-01", "geometry-easy-02", "geometry-hard-01"])
    >>> part.instances, part.selected
    (('geometry-easy-01', 'geometry-hard-01'), 3)
    """

    shard: Shard
    instances: tuple[Name, ...]
    selected: int = Field(ge=0, description="Instances that all shards together are to play.")
    selection: Sha256 = Field(description="Of their ids in their order, one a line.")

    @classmethod
    def of(cls, shard: Shard, selected: Sequence[str]) -> "Part":
        """Return a shard's part of the selected instances, given by their ids."""
        ids = "".join(f"{name}\n" for name in selected)
        return cls(
            shard=shard,
            instances=tuple(selected[shard.places]),
            selected=len(selected),
            selection=sha256(ids.encode()).hexdigest(),
        )


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


def check_part(folder: RunFolder, part: Part | None) -> None:
    """Check that a run folder is for a part of a run; None for a run in one piece.

    Raises:
        InputError: Another part is played there.
    """
    known = read_part(folder)
    if (known and known.shard) != (part and part.shard):
        played = f"shard {known.shard}" if known else "a run in one piece"
        again = f"Give --shard {known.shard}" if known else "Leave --shard out"
        raise InputError(f"{folder.path}: {played} is played here", f"{again}, or choose another --out.")


def write_part(path: Path, part: Part) -> None:
    """Write down which part of a run is played in a folder, in place of what stood there.

    The same shard is written anew where --limit or the chosen conditions have changed what all shards are to play.
    """
    write_text(path / SHARD_FILE, part.model_dump_json(indent=2) + "\n", durable=True)


def read_part(folder: RunFolder) -> Part | None:
    """Return the part of a run that a folder holds; None for an undivided run.

    Raises:
        InputError: The file is damaged.
    """
    path: Path = folder.path / SHARD_FILE
    if not path.is_file():
        return None
    with validating(path, "Play this shard again."):
        return Part.model_validate_json(path.read_bytes())
