"""A run folder for work that goes through its journal several times."""

from collections.abc import Iterator
from pathlib import Path

from ircore.runs.events import Call, End, Failure
from ircore.runs.folder import RunFolder


class HeldJournal(RunFolder):
    """A run folder whose journal is read when it is opened, and held: for work that goes through it several times.

    Args:
        path: The folder.

    Raises:
        InputError: It holds no readable run, or its journal is damaged.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._events = tuple(super().events())

    def events(self) -> Iterator[Call | Failure | End]:
        """Yield what had happened when it was opened, in the order in which it did."""
        return iter(self._events)
