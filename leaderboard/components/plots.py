"""Small plots in table cells: a mean with its interval, bars of counts, a range of ranks."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from markupsafe import Markup

from ircore.results.model import Cell
from ircore.results.statistics.intervals import Estimate
from leaderboard.components.markup import REMEMBERED, macro
from leaderboard.theme import describer_class
from leaderboard.words import describe_interval, number

MAIN = (0.0, 100.0)
"""Ends of the main score's scale."""


@dataclass(frozen=True)
class BarPart:
    """A part of a bar of counts.

    Two of eight episodes, behind six others:

    >>> part = BarPart("aborted", "aborted", 2, start=75, width=25)
    >>> part.start + part.width
    100
    """

    name: str
    """Name of its colour, as in the class ``part-NAME``."""

    label: str
    """Its meaning, in words."""

    count: int
    """Number of episodes."""

    start: float
    """Left end, percent of the bar."""

    width: float
    """Width, percent of the bar."""


@lru_cache(maxsize=REMEMBERED)
def dot(
    estimate: Estimate,
    hue: int | None = None,
    low: float = 0,
    high: float = 10,
    zero: float | None = None,
    labelled: bool = True,
    references: tuple[float, ...] = (),
) -> Markup:
    """Return a mean with its interval on a fixed scale, as a picture of 120 × 20 units; empty without a mean.

    Args:
        estimate: Mean and interval.
        hue: Number of the describer's colour, 0-based; None for a neutral colour.
        low: Lower end of the scale.
        high: Upper end.
        zero: Position of a vertical line; None for no line.
        labelled: Whether screen readers are told the numbers; False where these stand beside it.
        references: Values of ceilings and floors, drawn as upright lines.
    """
    if estimate.mean is None:
        return Markup()

    def place(value: float) -> str:
        # Four units of margin at both ends leave room for half a dot; values beyond the scale stand on its end.
        return f"{4 + 112 * (min(max(value, low), high) - low) / (high - low):.1f}"

    known = estimate.low is not None and estimate.high is not None
    return macro("dot")(
        "" if hue is None else f" {describer_class(hue)}",
        f"{number(estimate.mean)}, {describe_interval(estimate)}" if labelled else "",
        None if zero is None else place(zero),
        [place(value) for value in references],
        [place(end) for end in (estimate.low, estimate.high) if end is not None] if known else None,
        place(estimate.mean),
    )


def reference_key() -> Markup:
    """Return the line of a reference alone, for a legend."""
    return macro("reference_key")()


def main_dot(cell: Cell, hue: int | None = None, labelled: bool = True, references: tuple[float, ...] = ()) -> Markup:
    """Return the main score on its scale; see ``dot``."""
    return dot(cell.main, hue, *MAIN, labelled=labelled, references=references)


def scale(span: float, caption: str = "Interval, from −{0} to {0}") -> Markup:
    """Return the heading of a column of dots around 0: the ends of the scale and its middle."""
    return macro("scale")(span, caption.format(span))


def wins_bar(wins: int, ties: int, losses: int) -> Markup:
    """Return on how many instances the first pair was better, equal or worse, as counts around a bar."""
    # Without common instances all widths are zero, and the division must not fail.
    total = (wins + ties + losses) or 1
    starts = (("first", 0, wins), ("tie", wins, ties), ("second", wins + ties, losses))
    parts = [_format_part(name, 100 * start / total, 100 * count / total) for name, start, count in starts]
    return macro("wins_bar")(wins, ties, losses, parts)


def counts_bar(parts: Sequence[BarPart]) -> Markup:
    """Return a bar whose parts are shares of all episodes; parts without an episode are left out."""
    words = ", ".join(f"{part.label}: {part.count}" for part in parts)
    return macro("counts_bar")(words, [_format_part(part.name, part.start, part.width) for part in parts if part.count])


def _format_part(name: str, start: float, width: float) -> tuple[str, str, str]:
    return name, f"{start:.2f}", f"{width:.2f}"


def rank_bar(low: int, high: int, rows: int) -> Markup:
    """Return the range of a rank, 1-based, on a scale of all rows of a board."""
    return macro("rank_bar")(low, high, rows)
