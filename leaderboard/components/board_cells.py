"""Cells of a board's row, with the attributes by which scripts sort, filter and export.

Numbers stand in full in data attributes; what a cell shows comes from ``values`` and ``plots``.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from ircore.results.model import BoardRow, Cell
from ircore.results.statistics.intervals import Estimate
from leaderboard.components.markup import safe
from leaderboard.components.plots import rank_bar
from leaderboard.components.values import empty_heat, rank_range, rated
from leaderboard.theme import score_class
from leaderboard.words.labels import number, percent, rank, unrated_words


@dataclass(frozen=True)
class Heat:
    """Small cell of a board row: a pair's estimate under one condition.

    Example:
        >>> from ircore.results.statistics.intervals import Estimate
        >>> Heat("easy", "geometry", "geometry_easy", Estimate(8.2, 7.5, 8.9, 10), cell=None).estimate.mean
        8.2
    """

    difficulty: str
    """Difficulty of the column's targets; the category stands over the column."""

    anchor: str
    """Anchor of the condition's row on a pair's page."""

    key: str
    """Name of the column in exported files."""

    estimate: Estimate
    """Mean score, or share that prefers the final rendering on the board of a judge that only compares."""

    cell: Cell
    """All numbers of the condition: what was played and rated."""


def ends(estimate: Estimate) -> Markup:
    """Return a mean and the ends of its interval as attributes.

    Means have all digits; the ends of intervals, which resampling knows to about three digits, have six.
    """
    between = "" if estimate.low is None else f' data-low="{estimate.low:.6g}" data-high="{estimate.high:.6g}"'
    return safe(f'data-sort="{_plain(estimate.mean)}"{between} data-n="{estimate.n}"')


def mean(estimate: Estimate) -> Markup:
    """Return a mean as attributes."""
    return safe(f'data-sort="{_plain(estimate.mean)}" data-n="{estimate.n}"')


def rated_cell(cell: Cell, page: str) -> Markup:
    """Return the table cell with the share of played episodes that are rated, linked to ``page``."""
    share = cell.rated / cell.applicable if cell.applicable else ""
    counts = (
        f'data-rated="{cell.rated}" data-applicable="{cell.applicable}" data-refused="{cell.refused}" '
        f'data-pending="{cell.pending}" data-outside="{cell.played - cell.applicable}"'
    )
    return safe(
        f'<td role="cell" class="number rated" data-label="Rated" data-sort="{share}" {counts}>'
        f'<a class="episodes" href="{escape(page)}">{rated(cell)}</a></td>'
    )


def rank_cell(row: BoardRow, rows: int) -> Markup:
    """Return the table cell with a pair's range of possible ranks, on a board of this many rows."""
    low, high = row.rank_low, row.rank_high
    if low is None or high is None:
        return safe(f'<td role="cell" class="rank" data-sort="" data-high="">{rank_range(row)}</td>')
    bar = rank_bar(low, high, rows) if rows > 1 else ""
    top = '<span class="sr-only"> top group</span>' if row.top else ""
    return safe(
        f'<td role="cell" class="rank" data-sort="{low}" data-high="{high}">'
        f'<span class="rank-range">{rank(low, high)}</span>{bar}{top}</td>'
    )


def heat_column(heats: Sequence[Heat], page: str, label: str, times: float) -> Markup:
    """Return the cell of a column of small cells.

    Args:
        heats: The small cells.
        page: Address of the pair's page, to which they lead.
        label: Heading of the column.
        times: Factor that makes a mean a similarity, 0–10, which decides the colour: 10 for a share.
    """
    cells = "".join(_heat(heat, f"{page}#{heat.anchor}", times) for heat in heats)
    return safe(f'<td role="cell" class="heat-column g-quality" data-label="{escape(label)}">{cells}</td>')


def _heat(heat: Heat, href: str, times: float) -> str:
    estimate, where = heat.estimate, f'href="{escape(href)}"'
    if estimate.mean is None:
        text, why = empty_heat(heat.cell)
        return f'<a class="heat none" {where} data-sort="" title="{heat.difficulty}: {why}">{text}</a>'
    half = "" if estimate.half_width is None else f" ± {number(estimate.half_width, 1)}"
    missing_words = "".join(f", {words}" for _, words in unrated_words(heat.cell)) if times == 1 else ""
    said = f"{heat.difficulty}: {number(estimate.mean)}{half}, n {estimate.n} of {heat.cell.episodes}{missing_words}"
    text = number(estimate.mean, 1) if times == 1 else percent(estimate.mean)
    value = f'data-sort="{estimate.mean}" data-n="{estimate.n}"'
    return f'<a class="heat {score_class(estimate.mean * times)}" {where} {value} title="{said}">{text}</a>'


def _plain(value: float | None) -> str:
    return "" if value is None else str(value)
