"""Showing strangers' text to people at a terminal, in colours and widths that the terminal has."""

import os
import sys
from shutil import get_terminal_size
from typing import TextIO

COLOURS = {"red": 31, "green": 32, "yellow": 33, "cyan": 36, "bold": 1, "dim": 2}
"""Codes of ECMA-48 (SGR) by the names that ``styled`` takes."""


def printable(text: str) -> str:
    """Return a text without characters that could steer a terminal or hide other text; line breaks stay."""
    return "".join(
        character if character.isprintable() or character == "\n" else "\N{REPLACEMENT CHARACTER}" for character in text
    )


def shows_colours(stream: TextIO) -> bool:
    """Return whether a stream is a terminal with colours, and the user wants them (https://no-color.org)."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def styled(text: str, *styles: str, stream: TextIO | None = None) -> str:
    """Return a text in colours for a terminal; unchanged for files, pipes and people who set ``NO_COLOR``.

    Args:
        text: What to show; make a stranger's text ``printable`` first.
        styles: Names in ``COLOURS``.
        stream: Where the text goes; stdout if None.
    """
    if not shows_colours(stream or sys.stdout):
        return text
    codes = ";".join(str(COLOURS[style]) for style in styles)
    return f"\x1b[{codes}m{text}\x1b[0m"


def terminal_width(stream: TextIO | None = None) -> int | None:
    """Return the columns of the terminal behind a stream (stdout if None); None for files and pipes."""
    return get_terminal_size().columns if (stream or sys.stdout).isatty() else None
