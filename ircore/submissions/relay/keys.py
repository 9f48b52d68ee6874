"""Public keys of the relays whose signatures count."""

from importlib.resources import as_file, files
from pathlib import Path

from pydantic import Field

from ircore.core.records import Name, Record, Sha256
from ircore.core.strict_yaml import read_mapping
from ircore.core.validation import validating

_FORMAT = "Write it as: relays: {NAME: 64 hexadecimal digits}"


class _Relays(Record):
    relays: dict[Name, Sha256] = Field(max_length=1000)


def known_relays(more: Path | None = None) -> dict[str, str]:
    """Return public keys by the relay's name: of this project, and of a further file.

    Args:
        more: A file in the format of ``keys.yaml``; a name in it takes the place of the same name of this project.

    Raises:
        InputError: The file cannot be read, or is not in the format.

    >>> all(len(key) == 64 for key in known_relays().values())
    True
    """
    with as_file(files("ircore.submissions.relay") / "keys.yaml") as own:
        return {**_read(own), **({} if more is None else _read(more))}


def _read(path: Path) -> dict[str, str]:
    with validating(path, _FORMAT):
        return dict(_Relays.model_validate(read_mapping(path, "Check the path.", _FORMAT)).relays)
