"""The other submissions beside a checked submission: their names, and the hosts that their keys are sent to."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from ircore.core.strict_yaml import MAX_BYTES, load_flat
from ircore.players.submission import MANIFEST
from ircore.submissions.addresses import OPENAI_HOST, AddressError, read_address


class Neighbour(NamedTuple):
    """Properties of another submission that a checked submission must differ from, or agree with.

    >>> manifest = b"{name: a + b, describer: {player: openai, api_key_env: OPENAI_API_KEY}}"
    >>> neighbour("a-b", manifest)
    Neighbour(slug='a-b', name='a + b', keys={'OPENAI_API_KEY': 'api.openai.com'})
    """

    slug: str
    """The other submission's folder."""

    name: str
    """Name of the pair or submission."""

    keys: Mapping[str, str]
    """Host that each key it names is sent to."""


def neighbours_in(folder: Path) -> tuple[Neighbour, ...]:
    """Return the submissions in a folder as neighbours, without damaged submissions."""
    return neighbours_of(_manifests_in(folder))


def neighbours_of(manifests: Iterable[tuple[str, bytes]]) -> tuple[Neighbour, ...]:
    """Return submissions as neighbours, without submissions whose manifest cannot be read.

    Args:
        manifests: Folder name and manifest of each submission.
    """
    return tuple(other for slug, data in manifests if (other := neighbour(slug, data)) is not None)


def _manifests_in(folder: Path) -> Iterator[tuple[str, bytes]]:
    for manifest in sorted(folder.glob(f"*/{MANIFEST}")):
        with suppress(OSError):
            # No link is followed: it could lead to any file of this machine.
            if not manifest.is_symlink() and manifest.is_file() and manifest.stat().st_size <= MAX_BYTES:
                yield manifest.parent.name, manifest.read_bytes()


def neighbour(slug: str, data: bytes) -> Neighbour | None:
    """Return the parts of a merged manifest that concern other submissions; None for an unreadable manifest.

    Several times as fast as the check: thousands of neighbours are read for each submission that is checked.
    """
    if len(data) > MAX_BYTES:
        return None
    try:
        document = load_flat(data)
    except (yaml.YAMLError, ValueError):
        return None
    if not isinstance(document, dict) or not isinstance(document.get("name"), str):
        return None
    return Neighbour(slug, document["name"], dict(filter(None, map(_key, document.values()))))


def _key(seat: Any) -> tuple[str, str] | None:
    """Return the name of a seat's key and the host that receives the key; None for a seat without a key."""
    key, address = (seat.get("api_key_env"), seat.get("base_url")) if isinstance(seat, dict) else (None, None)
    if not isinstance(key, str) or not isinstance(address, str | None):
        return None
    try:
        return key, OPENAI_HOST if address is None else read_address(address).host
    except AddressError:
        return None
