"""The macros of all components, which alone write HTML, and the links to other boards.

``REMEMBERED`` says how many rendered components are kept.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import cast

from jinja2 import Environment, PackageLoader, StrictUndefined
from jinja2.environment import TemplateModule
from markupsafe import Markup

from leaderboard.words import MISSING, PROGRAM_MARK, PROGRAM_MEANING

REMEMBERED = 16_384
"""Rendered components kept in memory: a pair's score stands on its page, on boards and on a dozen matrices."""


@cache
def macro(name: str) -> Callable[..., Markup]:
    """Return a macro of ``templates/_components.html.j2``, which escapes whatever it inserts.

    Args:
        name: Name of the macro.
    """
    return cast(Callable[..., Markup], getattr(_load_macros(), name))


@cache
def _load_macros() -> TemplateModule:
    """Return all macros, compiled once: that takes longer than a page."""
    # Jinja's select_autoescape would leave *.html.j2 unescaped; True escapes everything.
    environment = Environment(
        loader=PackageLoader("leaderboard"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    environment.globals.update(MISSING=MISSING, PROGRAM_MARK=PROGRAM_MARK, PROGRAM_MEANING=PROGRAM_MEANING)
    return environment.get_template("_components.html.j2").module


@dataclass(frozen=True)
class Chip:
    """A link to a board that differs from the shown board in one choice."""

    label: str
    """Text of the link; on frozen boards it may be a stranger's words, so escape it."""

    path: str
    """The board's page, without suffix."""

    current: bool
    """Whether the link leads to the board that is shown."""
