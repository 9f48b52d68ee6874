"""Parts of a board's row, written in Python because a site has tens of thousands of them; see ``marks``.

Numbers stand in full in data attributes: what is sorted, filtered and exported.
"""

from collections.abc import Sequence

from markupsafe import Markup, escape

from ircore.results.model import BoardRow, Cell
from ircore.results.statistics.intervals import Estimate
from leaderboard.labels import interval_width, interval_words, number, percent, rank, signed, unrated_words
from leaderboard.pages.boards import Heat
from leaderboard.rendering.marks import missing, safe
from leaderboard.rendering.result_marks import empty_heat, rank_of, rated
from leaderboard.theme import score_class


def ends(estimate: Estimate) -> Markup:
    """Return a mean with the ends of its interval, as attributes.

    Means stand in full, the page's own file has everything; the ends of intervals, which resampling knows to about
    three digits, with six.
    """
    between = "" if estimate.low is None else f' data-low="{estimate.low:.6g}" data-high="{estimate.high:.6g}"'
    return safe(f'data-sort="{_plain(estimate.mean)}"{between} data-n="{estimate.n}"')


def mean(estimate: Estimate) -> Markup:
    """Return a mean as attributes."""
    return safe(f'data-sort="{_plain(estimate.mean)}" data-n="{estimate.n}"')


def shown(estimate: Estimate, digits: int = 2, why: str = "no rated episode", difference: bool = False) -> Markup:
    """Return a mean over half the width of its interval.

    Args:
        estimate: What is shown.
        digits: Decimals.
        why: Why there is none.
        difference: Whether it has a sign, and an arrow.
    """
    value = estimate.mean
    if value is None:
        return missing(why)
    # Two ends with two decimals each would reach into the next column.
    half = interval_width(estimate, digits, min(digits, 1)) or f"n {estimate.n}"
    text = f"{_arrow(value)}{signed(value, digits)}" if difference else number(value, digits)
    return safe(f'<span class="value">{text}</span><span class="half">{half}</span>')


def share(estimate: Estimate, why: str, of: str = "") -> Markup:
    """Return a share in percent over what it is of; ``why`` says why there is none."""
    if estimate.mean is None:
        return missing(why)
    value = f'<span class="value" title="{interval_words(estimate)}">{percent(estimate.mean)}</span>'
    return safe(f'{value}<span class="half">{escape(of) if of else f"n {estimate.n}"}</span>')


def rated_cell(cell: Cell, page: str) -> Markup:
    """Return the cell that says how much of what was played is rated; ``page`` is what it leads to."""
    share = cell.rated / cell.applicable if cell.applicable else ""
    counts = (
        f'data-rated="{cell.rated}" data-applicable="{cell.applicable}" data-refused="{cell.refused}" '
        f'data-pending="{cell.pending}" data-outside="{cell.played - cell.applicable}"'
    )
    return safe(
        f'<td role="cell" class="number rated" data-label="Rated" data-sort="{share}" {counts}>'
        f'<a class="episodes" href="{escape(page)}">{rated(cell)}</a></td>'
    )


def rank_cell(row: BoardRow, of: int) -> Markup:
    """Return the table cell with the range of ranks that a pair may have."""
    low, high = row.rank_low, row.rank_high
    if low is None or high is None:
        return safe(f'<td role="cell" class="rank" data-sort="" data-high="">{rank_of(row)}</td>')
    bar = (
        f'<svg class="rank-bar" viewBox="0 0 {of} 4" preserveAspectRatio="none" aria-hidden="true">'
        f'<path d="M0 2H{of}"></path><path class="own" d="M{low - 1} 2H{high}"></path></svg>'
    )
    top = '<span class="sr-only"> top group</span>' if row.top else ""
    return safe(
        f'<td role="cell" class="rank" data-sort="{low}" data-high="{high}">'
        f'<span class="rank-range">{rank(low, high)}</span>{bar if of > 1 else ""}{top}</td>'
    )


def heat_column(heats: Sequence[Heat], page: str, label: str, times: float) -> Markup:
    """Return the cell of a column of small cells.

    Args:
        heats: What stands in them.
        page: Address of the pair's page, which they lead to.
        label: Of the column.
        times: What makes a mean a similarity, 0–10, by which it is coloured: 10 for a share.
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


def _arrow(value: float) -> str:
    arrow = "↑" if value > 0.005 else "↓" if value < -0.005 else "→"
    return f'<span class="arrow" aria-hidden="true">{arrow}</span>'


def _plain(value: float | None) -> str:
    return "" if value is None else str(value)
