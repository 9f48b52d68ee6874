"""Progress of long work on stderr: a bar on a terminal, a plain line now and then elsewhere."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Protocol, TypeVar

T = TypeVar("T")

PLAIN_INTERVAL = 10.0
"""Seconds between plain lines."""


class Progress(Protocol):
    """Counts what is done."""

    def advance(self, note: str = "") -> None:
        """Count one more as done; ``note`` is shown behind the count."""
        ...


@contextmanager
def progress(label: str, total: int) -> Iterator[Progress]:
    """Show how much of ``total`` is done while the block runs."""
    if sys.stderr.isatty():
        with _bar(label, total) as bar:
            yield bar
    else:
        yield _Plain(label, total)


def tracked(things: Iterable[T], label: str, total: int) -> Iterator[T]:
    """Yield ``things`` one by one, counting each as done when the next is asked for."""
    with progress(label, total) as shown:
        for thing in things:
            yield thing
            shown.advance()


@contextmanager
def _bar(label: str, total: int) -> Iterator[Progress]:
    from tqdm import tqdm

    class Bar:
        def advance(self, note: str = "") -> None:
            bar.set_postfix_str(note, refresh=False)
            bar.update()

    with tqdm(total=total, desc=label, unit="", dynamic_ncols=True, leave=False) as bar:
        yield Bar()


class _Plain:
    def __init__(self, label: str, total: int) -> None:
        self.label, self.total, self.done, self.shown = label, total, 0, monotonic()

    def advance(self, note: str = "") -> None:
        self.done += 1
        if monotonic() - self.shown >= PLAIN_INTERVAL or self.done == self.total:
            self.shown = monotonic()
            print(f"{self.label}: {self.done} of {self.total}{f' ({note})' if note else ''}", file=sys.stderr)
