"""Helpers of all components: HTML that is known to be safe, and an attribute for decoration."""

from functools import lru_cache

from markupsafe import Markup, escape

HIDDEN = 'aria-hidden="true"'
"""Attribute of decoration that a screen reader skips, because the same is said in words beside it."""

REMEMBERED = 16_384
"""Rendered components kept in memory: a pair's score stands on its page, on boards and on a dozen matrices."""


def safe(html: str) -> Markup:
    """Return HTML put together from numbers, our own words and escaped text, marked as safe to insert."""
    # As Markup(html), without its look for an object that renders itself: a site has a million components.
    return str.__new__(Markup, html)


@lru_cache(maxsize=REMEMBERED)
def escaped(text: str) -> Markup:
    """Return an escaped text that stands in many rows, such as a label."""
    return escape(text)
