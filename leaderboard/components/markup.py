"""The environment of all templates, the macros of all components, which alone write HTML, and links to other boards.

``REMEMBERED`` says how many rendered components are kept.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, cast

from jinja2 import BytecodeCache, Environment, PackageLoader, StrictUndefined
from jinja2.compiler import CodeGenerator
from jinja2.environment import TemplateModule
from markupsafe import Markup, escape

from leaderboard.words import MISSING, PROGRAM_MARK, PROGRAM_MEANING

REMEMBERED = 16_384
"""Rendered components kept in memory: a pair's score stands on its page, on boards and on a dozen matrices."""

_ACTIVE = re.compile("[&<>'\"]")
"""Characters that HTML acts on: those that ``escape`` replaces."""


class _InsertingGenerator(CodeGenerator):
    """Compiler of templates whose every value passes through ``TemplateEnvironment.insert``."""

    def _output_child_pre(self, *_: object) -> None:
        # Where Jinja writes "escape(" or, in a template that does not escape, "str(".
        self.write("environment.insert(")


class TemplateEnvironment(Environment):
    """Environment of the project's templates, in which every value is escaped, and a misspelt one stops the build.

    Args:
        bytecode_cache: Cache of compiled templates; None for none.
    """

    code_generator_class = _InsertingGenerator

    def __init__(self, bytecode_cache: BytecodeCache | None = None) -> None:
        super().__init__(
            loader=PackageLoader("leaderboard"),
            # Jinja's select_autoescape would leave *.html.j2 unescaped; True escapes everything.
            autoescape=True,
            # By default Jinja would print nothing in the place of a misspelt value.
            undefined=StrictUndefined,
            trim_blocks=True,
            # Templates do not change while a site is built, so none is looked at a second time.
            auto_reload=False,
            bytecode_cache=bytecode_cache,
        )

    @staticmethod
    def insert(value: Any) -> str:
        """Return a value as a template writes it: escaped, unless it is HTML of our own.

        ``escape`` alone makes an object for every value, which takes a third of the time of a table.
        """
        kind = type(value)
        is_safe = kind is Markup or kind is int or (kind is str and not _ACTIVE.search(value))
        return str(value) if is_safe else escape(value)


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
    environment = TemplateEnvironment()
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
