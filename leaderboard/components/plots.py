"""Small plots in table cells: a mean with its interval, bars of counts, a range of ranks."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from markupsafe import Markup, escape

from ircore.results.model import Cell
from ircore.results.statistics.intervals import Estimate
from leaderboard.components.markup import HIDDEN, REMEMBERED, safe
from leaderboard.theme import describer_class
from leaderboard.words.labels import interval_words, number

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
        return safe("")
    # Four units of margin at both ends leave room for half a dot; values beyond the scale stand on its end.
    places = {name: 4 + 112 * (min(max(value, low), high) - low) / (high - low) for name, value in _ends(estimate)}
    line = "" if zero is None else f'<path class="zero" d="M{4 + 112 * (zero - low) / (high - low):.1f} 2V18"></path>'
    for value in references:
        at = 4 + 112 * (min(max(value, low), high) - low) / (high - low)
        line += f'<path class="reference" d="M{at:.1f} 1V19"></path>'
    whisker = (
        f'<path class="whisker" d="M{places["low"]:.1f} 10H{places["high"]:.1f}"></path>'
        if "low" in places and "high" in places
        else ""
    )
    mean = f'<circle class="mean" cx="{places["mean"]:.1f}" cy="10" r="4"></circle>'
    words = f'role="img" aria-label="{number(estimate.mean)}, {interval_words(estimate)}"'
    colour = "" if hue is None else f" {describer_class(hue)}"
    return safe(
        f'<svg class="dotplot{colour}" viewBox="0 0 120 20" {words if labelled else HIDDEN}>'
        f'<path class="scale" d="M4 10H116M4 7V13M60 7V13M116 7V13"></path>{line}{whisker}{mean}</svg>'
    )


def reference_key() -> Markup:
    """Return the line of a reference alone, for a legend."""
    return safe(f'<svg class="dotplot" viewBox="0 0 12 20" {HIDDEN}><path class="reference" d="M6 1V19"></path></svg>')


def _ends(estimate: Estimate) -> list[tuple[str, float]]:
    values = (("low", estimate.low), ("high", estimate.high), ("mean", estimate.mean))
    return [(name, value) for name, value in values if value is not None]


def main_dot(cell: Cell, hue: int | None = None, labelled: bool = True, references: tuple[float, ...] = ()) -> Markup:
    """Return the main score on its scale; see ``dot``."""
    return dot(cell.main, hue, *MAIN, labelled=labelled, references=references)


def scale(span: float, caption: str = "Interval, from −{0} to {0}") -> Markup:
    """Return the heading of a column of dots around 0: the ends of the scale and its middle."""
    ends = "".join(f"<span>{end}</span>" for end in (f"−{span}", "0", f"+{span}"))
    words = f'<span class="sr-only">{caption.format(span)}</span>'
    return safe(f'<span class="plot-scale" aria-hidden="true">{ends}</span>{words}')


def wins_bar(wins: int, ties: int, losses: int) -> Markup:
    """Return on how many instances the first pair was better, equal or worse, as counts around a bar."""
    # Without common instances all widths are zero, and the division must not fail.
    total = (wins + ties + losses) or 1
    starts = (("first", 0, wins), ("tie", wins, ties), ("second", wins + ties, losses))
    parts = "".join(_part(name, 100 * start / total, 100 * count / total, 8) for name, start, count in starts)
    equal = f'<span class="muted">{ties} equal</span>' if ties else ""
    words = f"first better on {wins}, equal on {ties}, second better on {losses}"
    return safe(
        f'<span class="wins" role="img" aria-label="{words}">'
        f'<span class="wins-first">{wins}</span>'
        f'<svg viewBox="0 0 100 8" preserveAspectRatio="none" {HIDDEN}>{parts}</svg>'
        f'<span class="wins-second">{losses}</span>{equal}</span>'
    )


def counts_bar(parts: Sequence[BarPart]) -> Markup:
    """Return a bar whose parts are shares of all episodes; parts without an episode are left out."""
    words = ", ".join(f"{part.label}: {part.count}" for part in parts)
    return safe(
        f'<svg viewBox="0 0 100 6" preserveAspectRatio="none" role="img" aria-label="{escape(words)}">'
        f"{_parts(part for part in parts if part.count)}</svg>"
    )


def _parts(parts: Iterable[BarPart]) -> str:
    return "".join(_part(part.name, part.start, part.width, 6) for part in parts)


def _part(name: str, start: float, width: float, height: int) -> str:
    where = f'x="{start:.2f}" y="0" width="{width:.2f}" height="{height}"'
    return f'<rect class="part-{escape(name)}" {where}></rect>'


def rank_bar(low: int, high: int, rows: int) -> Markup:
    """Return the range of a rank, 1-based, on a scale of all rows of a board."""
    return safe(
        f'<svg class="rank-bar" viewBox="0 0 {rows} 4" preserveAspectRatio="none" {HIDDEN}>'
        f'<path d="M0 2H{rows}"></path><path class="own" d="M{low - 1} 2H{high}"></path></svg>'
    )
