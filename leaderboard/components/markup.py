"""The environment of all templates, the macros of all components, which alone write HTML, and links to other boards.

``REMEMBERED`` says how many rendered components are kept.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import cast

from jinja2 import BytecodeCache, Environment, PackageLoader, StrictUndefined
from jinja2.environment import TemplateModule
from markupsafe import Markup

from leaderboard.words import MISSING, PROGRAM_MARK, PROGRAM_MEANING

REMEMBERED = 4_096
"""Rendered components kept in memory: a pair's score stands on its page, on boards and on a dozen matrices."""


def make_environment(bytecode_cache: BytecodeCache | None = None) -> Environment:
    """Return an environment of the project's templates, in which every value is escaped.

    Args:
        bytecode_cache: Cache of compiled templates; None for none.
    """
    return Environment(
        loader=PackageLoader("leaderboard"),
        # Jinja's select_autoescape would leave *.html.j2 unescaped; True escapes everything.
        autoescape=True,
        # A misspelt value stops the build; by default Jinja would print nothing in its place.
        undefined=StrictUndefined,
        trim_blocks=True,
        # Templates do not change while a site is built, so none is looked at a second time.
        auto_reload=False,
        bytecode_cache=bytecode_cache,
    )


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
    environment = make_environment()
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

    note: str = ""
    """What the label means, in a few words; empty if it says so itself."""
