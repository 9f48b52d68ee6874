"""Showing strangers' text to people at a terminal, in colours and widths that the terminal has."""

import os
import re
import sys
from shutil import get_terminal_size
from textwrap import wrap
from typing import TextIO

from ircore.core.untrusted_text import replace_controls

COLOURS = {"red": 31, "green": 32, "yellow": 33, "cyan": 36, "bold": 1, "dim": 2}
"""Codes of ECMA-48 (SGR) by the names that ``style_text`` takes."""


def make_printable(text: str) -> str:
    """Return a text without characters that could steer a terminal or hide other text; line breaks stay."""
    return replace_controls(text, "\N{REPLACEMENT CHARACTER}", stays="\n")


def has_colours(stream: TextIO) -> bool:
    """Return whether a stream is a terminal with colours, and the user wants them (https://no-color.org)."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def style_text(text: str, *styles: str, stream: TextIO | None = None) -> str:
    """Return a text in colours for a terminal; unchanged for files, pipes and people who set ``NO_COLOR``.

    Args:
        text: What to show; make a stranger's text ``make_printable`` first.
        styles: Names in ``COLOURS``.
        stream: Where the text goes; stdout if None.
    """
    if not has_colours(stream or sys.stdout):
        return text
    codes = ";".join(str(COLOURS[style]) for style in styles)
    return f"\x1b[{codes}m{text}\x1b[0m"


def wrap_with_indent(text: str, columns: int | None) -> str:
    """Return a text with lines that are too long broken between words, their rest below the last column.

    >>> print(wrap_with_indent("uqi   UQI by the formula of sewar", 24))
    uqi   UQI by the formula
          of sewar

    Args:
        text: Lines, whose columns are two blanks or more apart.
        columns: Width of the terminal; None for files and pipes, which get the text as it is.
    """
    if columns is None:
        return text
    return "\n".join(part for line in text.split("\n") for part in _wrap_line(line, columns))


def _wrap_line(line: str, columns: int) -> list[str]:
    """Return the parts of a line; the rest of a line whose last column begins far to the right is indented by four."""
    # A rule across a table is cut, not continued on the next line.
    if len(line) <= columns or set(line) == {"─"}:
        return [line[:columns]]
    # A column that begins in the right half would leave too little room for its rest.
    ends = [gap.end() for gap in re.finditer(r" {2,}", line) if gap.end() <= columns // 2]
    blanks = " " * (ends[-1] if ends else 4)
    return wrap(line, columns, subsequent_indent=blanks, break_on_hyphens=False) or [line]


def find_terminal_width(stream: TextIO | None = None) -> int | None:
    """Return the columns of the terminal behind a stream (stdout if None); None for files and pipes."""
    return get_terminal_size().columns if (stream or sys.stdout).isatty() else None
