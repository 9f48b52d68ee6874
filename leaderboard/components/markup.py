"""Helpers of all components: their macros, HTML that is known to be safe, and an attribute for decoration."""

from collections.abc import Callable
from functools import cache, lru_cache
from typing import cast

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from leaderboard.words.labels import PROGRAM_MARK, PROGRAM_MEANING

HIDDEN = 'aria-hidden="true"'
"""Attribute of decoration that a screen reader skips, because the same is said in words beside it."""

REMEMBERED = 16_384
"""Rendered components kept in memory: a pair's score stands on its page, on boards and on a dozen matrices."""


def safe(html: str) -> Markup:
    """Return HTML put together from numbers, our own words and escaped text, marked as safe to insert."""
    # As Markup(html), without its look for an object that renders itself: a site has a million components.
    return str.__new__(Markup, html)


@cache
def macro(name: str) -> Callable[..., Markup]:
    """Return a macro of ``templates/_components.html.j2``, which escapes whatever it inserts.

    Args:
        name: Name of the macro.
    """
    # Jinja's select_autoescape would leave *.html.j2 unescaped; True escapes everything.
    environment = Environment(
        loader=PackageLoader("leaderboard"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    environment.globals.update(PROGRAM_MARK=PROGRAM_MARK, PROGRAM_MEANING=PROGRAM_MEANING)
    return cast(Callable[..., Markup], getattr(environment.get_template("_components.html.j2").module, name))


@lru_cache(maxsize=REMEMBERED)
def escaped(text: str) -> Markup:
    """Return an escaped text that stands in many rows, such as a label."""
    return escape(text)
