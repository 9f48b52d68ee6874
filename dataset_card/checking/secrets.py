"""Texts of a release that must not be published: a finding names the rule, and too few characters to use a key."""

from functools import lru_cache

from ircore.core.private_text import PATTERNS, find_leaks

SHOWN, SHOWN_OF_OURS = 3, 8
"""Characters that a report repeats of a leak by ``detect-secrets`` and by our patterns: enough to search for the leak,
too few to use it."""

REMEMBERED = 10_000
"""Texts whose result is cached: names and words that occur in many rows."""


@lru_cache(REMEMBERED)
def find_forbidden(text: str) -> str | None:
    """Return the first leak in a text; None without a leak.

    >>> find_forbidden("a photograph in /home/somebody/pictures")
    'a path of a machine (/home/so…)'
    """
    leak = next(find_leaks(text), None)
    if leak is None:
        return None
    most = SHOWN_OF_OURS if leak.rule in PATTERNS else SHOWN
    return f"{leak.rule} ({text[leak.begin : leak.end][:most]}…)"
