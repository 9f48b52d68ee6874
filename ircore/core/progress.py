"""Progress of long work on stderr: a bar on a terminal, a plain line now and then elsewhere."""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Protocol, TypeVar

T = TypeVar("T")

PLAIN_INTERVAL = 10.0
"""Seconds between plain lines."""

BAR = "{desc}: {percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt} [{elapsed}, {remaining} left{postfix}]"
BAR_INTERVAL = 0.5
"""Seconds between notes on a bar."""


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


@contextmanager
def _show_bar(label: str, total: int) -> Iterator[Progress]:
    from tqdm import tqdm

    shown = 0.0

    class Bar:
        def advance(self, note: str = "") -> None:
            bar.set_postfix_str(note, refresh=False)
            bar.update()

        def refresh(self, note: Callable[[], str]) -> None:
            nonlocal shown
            if monotonic() - shown >= BAR_INTERVAL:
                shown = monotonic()
                bar.set_postfix_str(note())

    with tqdm(total=total, desc=label, dynamic_ncols=True, leave=False, bar_format=BAR) as bar:
        yield Bar()


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


def format_duration(seconds: float) -> str:
    """Return a duration for people: 40 s, 12 min, 3.5 h."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
