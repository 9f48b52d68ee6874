"""A quick look into manifests that were checked before: only what concerns their neighbours."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import yaml

from ircore.core.strict_yaml import MAX_BYTES, MAX_DEPTH
from ircore.submissions.addresses import OPENAI_HOST, AddressError, read_address

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_SEATS = ("describer", "generator")
_COMPLEX = "\0"
"""Stands for a key that is no word."""


class Quick(NamedTuple):
    """What a quick look shows."""

    name: str
    """The submission's name."""

    keys: tuple[tuple[str, str], ...]
    """Each key's name, and the host it is sent to."""


def read_quickly(data: bytes) -> Quick | None:
    """Read a manifest some ten times as fast as with every check; None if it is not one.

    Only the parser's events are looked at: building nested values in C would end the process where they are nested
    some ten thousand deep.
    """
    if len(data) > MAX_BYTES:
        return None
    try:
        texts = dict(_texts(yaml.parse(data, Loader=_LOADER)))
    except (yaml.YAMLError, UnicodeDecodeError):
        return None
    name = texts.get(("name",))
    if name is None:
        return None
    keys = (_key(texts.get((seat, "api_key_env")), texts.get((seat, "base_url"))) for seat in _SEATS)
    return Quick(name, tuple(key for key in keys if key))


def _texts(events: Iterable[Any]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the words in a mapping and in the mappings in it, with their keys; stop where it is nested too deep."""
    keys: list[str | None] = []
    mappings: list[bool] = []
    for event in events:
        if len(mappings) > MAX_DEPTH:
            return
        if isinstance(event, yaml.ScalarEvent):
            path = tuple(key or "" for key in keys)
            if mappings and mappings[-1] and keys[-1] is not None and all(mappings):
                yield path, event.value
            _step(keys, mappings, event.value)
        elif isinstance(event, yaml.CollectionStartEvent):
            mappings.append(isinstance(event, yaml.MappingStartEvent))
            keys.append(None)
        elif isinstance(event, yaml.CollectionEndEvent):
            mappings.pop()
            keys.pop()
            _step(keys, mappings, _COMPLEX)


def _step(keys: list[str | None], mappings: list[bool], value: str) -> None:
    """Note that a value ended: in a mapping, keys and values take turns."""
    if mappings and mappings[-1]:
        keys[-1] = value if keys[-1] is None else None


def _key(key: str | None, url: str | None) -> tuple[str, str] | None:
    if key is None:
        return None
    try:
        return key, OPENAI_HOST if url is None else read_address(url).host
    except AddressError:
        return None
