"""Every table that there is, by name: what ``ircore results --table`` offers."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ircore.errors import InputError
from ircore.results.model import Results
from ircore.tables.board import board_table, leaderboard_table
from ircore.tables.model import Table


@dataclass(frozen=True)
class Question:
    """What a table is asked for."""

    judge: str | None = None
    """Whose ratings; None if the table is of no judge, or there is only one."""

    category: str | None = None
    """Only this category."""

    difficulty: str | None = None
    """Only this difficulty."""

    def the_judge(self, results: Results) -> str:
        """Return the judge asked for, or the only one.

        Raises:
            InputError: Nobody has rated, or several judges have and none of them was named.
        """
        if not results.judges:
            raise InputError("these runs have no ratings yet", "Rate them with: ircore score RUN...")
        if self.judge is None and len(results.judges) > 1:
            raise InputError("several judges rated these runs", f"Choose one: --judge {'|'.join(results.judges)}")
        return self.judge or results.judges[0]


@dataclass(frozen=True)
class Entry:
    """A table on offer."""

    description: str
    """One line for people."""

    build: Callable[[Results, Question], Table]
    """Makes it."""


TABLES: Mapping[str, Entry] = {
    "board": Entry(
        "pairs under one condition, best first",
        lambda results, asked: board_table(results, asked.the_judge(results), asked.category, asked.difficulty),
    ),
    "leaderboard": Entry("every board below one another", lambda results, _: leaderboard_table(results)),
}
"""By the name that users give; the first is the default."""
