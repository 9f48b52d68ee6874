"""What people see at a terminal: strangers' text in colours and widths that it has, and the progress of long work.

Progress goes to stderr: a bar on a terminal, a plain line now and then elsewhere.
"""

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from shutil import get_terminal_size
from textwrap import wrap
from time import monotonic
from typing import Protocol, TextIO, TypeVar

from ircore.core.untrusted_text import replace_controls

COLOURS = {"red": 31, "green": 32, "yellow": 33, "cyan": 36, "bold": 1, "dim": 2}
"""Codes of ECMA-48 (SGR) by the names that ``style_text`` takes."""

T = TypeVar("T")

PLAIN_INTERVAL = 10.0
"""Seconds between plain lines."""

BAR = "{desc}: {percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt} [{elapsed}, {remaining} left{postfix}]"
BAR_INTERVAL = 0.5
"""Seconds between notes on a bar."""


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


def find_terminal_width(stream: TextIO | None = None) -> int | None:
    """Return the columns of the terminal behind a stream (stdout if None); None for files and pipes."""
    return get_terminal_size().columns if (stream or sys.stdout).isatty() else None


class Progress(Protocol):
    """Counts finished pieces of work.

    >>> class Steps:
    ...     done = 0
    ...     def advance(self, note=""):
    ...         self.done += 1
    ...     def refresh(self, note):
    ...         pass
    >>> steps: Progress = Steps()
    >>> steps.advance("first")
    >>> steps.done
    1
    """

    def advance(self, note: str = "") -> None:
        """Count another piece as done; ``note`` is shown behind the count."""
        ...

    def refresh(self, note: Callable[[], str]) -> None:
        """Show another note if the last note is old enough; ``note`` is called only in that case."""
        ...


@contextmanager
def show_progress(label: str, total: int) -> Iterator[Progress]:
    """Show how much of ``total`` is done while the block runs."""
    # In a log file the characters by which a bar moves back would only pile up.
    if sys.stderr.isatty():
        with _show_bar(label, total) as bar:
            yield bar
    else:
        yield _Plain(label, total)


def track_progress(things: Iterable[T], label: str, total: int) -> Iterator[T]:
    """Yield ``things`` and count each of them as done when the next is asked for."""
    with show_progress(label, total) as shown:
        for thing in things:
            yield thing
            shown.advance()


def format_duration(seconds: float) -> str:
    """Return a duration for people: 40 s, 12 min, 3.5 h."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def _wrap_line(line: str, columns: int) -> list[str]:
    """Return the parts of a line; the rest of a line whose last column begins far to the right is indented by four."""
    # A rule across a table is cut, not continued on the next line.
    if len(line) <= columns or set(line) == {"─"}:
        return [line[:columns]]
    # A column that begins in the right half would leave too little room for its rest.
    ends = [gap.end() for gap in re.finditer(r" {2,}", line) if gap.end() <= columns // 2]
    blanks = " " * (ends[-1] if ends else 4)
    return wrap(line, columns, subsequent_indent=blanks, break_on_hyphens=False) or [line]


@contextmanager
def _show_bar(label: str, total: int) -> Iterator[Progress]:
    from tqdm import tqdm

    shown = 0.0

    class ProgressBar:
        def advance(self, note: str = "") -> None:
            bar.set_postfix_str(note, refresh=False)
            bar.update()

        def refresh(self, note: Callable[[], str]) -> None:
            nonlocal shown
            if monotonic() - shown >= BAR_INTERVAL:
                shown = monotonic()
                bar.set_postfix_str(note())

    with tqdm(total=total, desc=label, dynamic_ncols=True, leave=False, bar_format=BAR) as bar:
        yield ProgressBar()


class _Plain:
    def __init__(self, label: str, total: int) -> None:
        self.label, self.total, self.done = label, total, 0
        self.started = self.shown = monotonic()

    def advance(self, note: str = "") -> None:
        self.done += 1
        # The last piece always shows, so that a log says that the work ended.
        if monotonic() - self.shown >= PLAIN_INTERVAL or self.done == self.total:
            self._show(note)

    def refresh(self, note: Callable[[], str]) -> None:
        if monotonic() - self.shown >= PLAIN_INTERVAL:
            self._show(note())

    def _show(self, note: str) -> None:
        self.shown = monotonic()
        words = [note] if note else []
        if 0 < self.done < self.total:
            words.append(
                f"about {format_duration((self.shown - self.started) / self.done * (self.total - self.done))} left"
            )
        behind = f" ({', '.join(words)})" if words else ""
        print(f"{self.label}: {self.done} of {self.total}{behind}", file=sys.stderr)
