"""Texts of a release that must not be published: a finding names the rule, and too few characters to use a key."""

import json
from collections.abc import Iterator
from functools import lru_cache

from ircore.core.private_text import PATTERNS, UNSEEN, find_leaks
from ircore.core.untrusted_text import encode_unprintable

SHOWN, SHOWN_OF_OURS = 3, 8
"""Characters that a report repeats of a leak by ``detect-secrets`` and by our patterns: enough to search for the leak,
too few to use it."""

REMEMBERED = 10_000
"""Texts whose result is cached: names and words that occur in many rows."""


@lru_cache(REMEMBERED)
def find_forbidden(text: str) -> str | None:
    r"""Return the first leak in a text, in JSON also behind its escapes; None without a leak.

    >>> find_forbidden("a photograph in /home/somebody/pictures")
    'a path of a machine (/home/so…)'
    >>> find_forbidden('{"name": "a\\u202eb"}')
    'a character that reorders text (⟦U+202E⟧)'
    """
    found = ((part, leak) for part in _list_readings(text) for leak in find_leaks(part))
    text, leak = next(found, (text, None))
    if leak is None:
        return None
    if leak.rule in UNSEEN:
        return f"{leak.rule} ({encode_unprintable(text[leak.begin])})"
    most = SHOWN_OF_OURS if leak.rule in PATTERNS else SHOWN
    return f"{leak.rule} ({text[leak.begin : leak.end][:most]}…)"


def _list_readings(text: str) -> Iterator[str]:
    """Yield a text, and the strings in each of its lines of JSON as far as they are written with escapes."""
    yield text
    if "\\" not in text:
        return
    for line in (text, *text.splitlines()):
        if line.lstrip()[:1] in ("{", "["):
            try:
                yield from _find_strings(json.loads(line))
            except (ValueError, RecursionError):
                continue


def _find_strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, part in value.items():
            yield name
            yield from _find_strings(part)
    elif isinstance(value, list):
        for part in value:
            yield from _find_strings(part)
