"""A quick look into manifests that were checked before: only what concerns their neighbours."""

from typing import Any, NamedTuple

import yaml

from ircore.strict_yaml import MAX_BYTES
from ircore.submissions.addresses import OPENAI_HOST, AddressError, read_address

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Quick(NamedTuple):
    """What a quick look shows."""

    name: str
    """The submission's name."""

    keys: tuple[tuple[str, str], ...]
    """Each key's name, and the host it is sent to."""


def read_quickly(data: bytes) -> Quick | None:
    """Read a manifest some ten times as fast as with every check; None if it is not one.

    A file that is refused by the real check may be read here: nothing is taken from it but names to compare with.
    """
    if len(data) > MAX_BYTES or b"&" in data or b"!" in data:
        return None
    try:
        document = yaml.load(data, Loader=_LOADER)  # noqa: S506 - a SafeLoader either way
    except (yaml.YAMLError, ValueError, RecursionError):
        return None
    if not isinstance(document, dict) or not isinstance(document.get("name"), str):
        return None
    seats = (document.get(seat) for seat in ("describer", "generator"))
    keys = tuple(found for seat in seats if isinstance(seat, dict) and (found := _key(seat)))
    return Quick(document["name"], keys)


def _key(seat: dict[Any, Any]) -> tuple[str, str] | None:
    key, url = seat.get("api_key_env"), seat.get("base_url")
    if not isinstance(key, str):
        return None
    if url is None:
        return key, OPENAI_HOST
    try:
        return key, read_address(str(url)).host
    except AddressError:
        return None
