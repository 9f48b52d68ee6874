"""What a game's paper published: tables as printed, and its sentences with what its own tables say of them.

Nobody played these here; they stand beside results and never among them.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple

Verdict = Literal["holds", "exceptions", "does not hold", "open", "not printed", "no data"]
"""Outcome of a check.

``exceptions``: most of what is compared agrees, and some does not. ``open``: intervals do not tell. ``not printed``:
the paper gives no numbers. ``no data``: runs lack what the check needs.
"""

FAIR = (0.2, 0.4)
"""Cohen's κ of fair agreement (Landis and Koch 1977, Biometrics 33)."""

MODERATE = (0.4, 0.6)
"""Pearson's r that is called moderate."""


class Check(NamedTuple):
    """A sentence of a paper held against numbers."""

    verdict: Verdict
    """Whether it holds."""

    evidence: str
    """The numbers that say so."""


class Claim(NamedTuple):
    """A sentence of a paper that numbers can support or contradict, and what the paper's own tables say of it."""

    key: str
    """Name in files, by which ``ircore.results.tables.paper_claims`` knows how runs are held against it."""

    section: str
    """Section of the paper, or its table or figure."""

    sentence: str
    """What it says, in other words."""

    in_paper: Check
    """What the paper's own printed tables say of it."""

    categories: tuple[str, ...] = ()
    """Categories that it speaks of."""


@dataclass(frozen=True)
class PublishedColumn:
    """A column of a table of a paper.

    Attributes:
        key: In files.
        title: Heading for people.
        about: One sentence.
        unit: Of its numbers, such as ``0–10``.
        better: Direction that is better.
        digits: Decimals that people are shown; None for texts.
        nullable: Whether the paper leaves entries out.
    """

    key: str
    title: str
    about: str
    unit: str = ""
    better: Literal["higher", "lower", "neither"] = "neither"
    digits: int | None = 2
    nullable: bool = False


@dataclass(frozen=True)
class PublishedTable:
    """A table of a paper, or computed from its printed values alone.

    Attributes:
        name: In files.
        title: For people.
        caption: Where the paper has it.
        columns: In order.
        rows: An entry for each column; None where the paper gives none.
        spare: Keys of the columns that a narrow terminal may leave out, the least important first.
    """

    name: str
    title: str
    caption: str
    columns: tuple[PublishedColumn, ...]
    rows: tuple[tuple[float | str | None, ...], ...]
    spare: tuple[str, ...] = ()


def check_of_people(pearson: float, kappa: float, couples: int) -> Check:
    """Return the check that people agree moderately on scores and fairly on preferences, from means over couples."""
    fits = [low <= value <= high for value, (low, high) in ((pearson, MODERATE), (kappa, FAIR))]
    verdict: Verdict = "holds" if all(fits) else "exceptions" if any(fits) else "does not hold"
    return Check(verdict, f"mean r = {pearson:.2f}, κ = {kappa:.2f} of {couples} couples of people")
