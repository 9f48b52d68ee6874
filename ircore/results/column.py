"""A column of a table: its heading, unit, direction and meaning, and who gets it."""

from dataclasses import dataclass
from typing import Literal

Better = Literal["higher", "lower", "neither"]
"""Direction of a column that is better."""

Which = Literal["ended", "played", "rated", "refined"]
"""Episodes that have ended; of these not aborted; of these rated at the end; of these rated at both ends of several
turns."""

Audience = Literal["everyone", "readers", "pages", "programs"]
"""``readers``: people only, since programs have the same in other columns; ``pages``: everyone but a terminal, where
space is short; ``programs``: CSV, JSON and flat records only."""


@dataclass(frozen=True)
class Column:
    """One column of a table.

    >>> Column("delta", "ΔQ", "Final minus first score.", "0–10", "higher", signed=True).heading
    'ΔQ (0–10)'
    """

    key: str
    """Identifier in files, such as ``delta``."""

    title: str
    """Heading for people, without the unit."""

    description: str
    """Description of the column, in one sentence."""

    unit: str = ""
    """Unit or scale, such as ``0–10`` or ``US$``; empty for texts, and where the title says it."""

    better: Better = "neither"
    """Direction that is better."""

    digits: int | None = 2
    """Decimals shown to people; None for texts. Files for programs have full precision."""

    signed: bool = False
    """Whether positive numbers are shown with their sign, as differences are."""

    estimated: bool = False
    """Whether entries have an interval and n, so that flat files have four columns for this one."""

    nullable: bool = False
    """Whether entries that are no estimates may be missing."""

    audience: Audience = "everyone"
    """Who gets this column."""

    implied: str = ""
    """Unit that stands in files alone, since readers know it from the title, such as ``turns``."""

    @property
    def heading(self) -> str:
        """Title and unit."""
        return f"{self.title} ({self.unit})" if self.unit else self.title
