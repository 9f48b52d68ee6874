"""Cells of a board's row, with the attributes by which scripts sort, filter and export.

Numbers stand in full in data attributes; what a cell shows comes from ``values`` and ``plots``.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from ircore.results.model import BoardRow, Cell
from ircore.results.statistics.intervals import Estimate, too_few
from ircore.results.tables.ranks import percents
from leaderboard.components.markup import escaped, safe
from leaderboard.components.plots import rank_bar
from leaderboard.components.values import CHANCE, RANK, empty_heat, missing, rank_range, rated, share
from leaderboard.model.site import Pair
from leaderboard.theme import score_class
from leaderboard.words.labels import interval_width, number, percent, rank, unrated_words


@dataclass(frozen=True)
class Heat:
    """Small cell of a board row: a pair's estimate under one condition.

    Example:
        >>> from ircore.results.statistics.intervals import Estimate, too_few
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

    own: Estimate | None = None
    """The same mean in the unit of the measure that the board is by; None where that is the similarity."""

    digits: int = 1
    """Decimals of what is shown."""


def ends(estimate: Estimate) -> Markup:
    """Return a mean and the ends of its interval as attributes.

    Means have all digits; the ends of intervals, which are not known to more, have five.
    """
    between = "" if estimate.low is None else f' data-low="{estimate.low:.5g}" data-high="{estimate.high:.5g}"'
    return safe(f'data-sort="{_plain(estimate.mean)}"{between} data-n="{estimate.n}"')


def mean(estimate: Estimate) -> Markup:
    """Return a mean as attributes."""
    return safe(f'data-sort="{_plain(estimate.mean)}" data-n="{estimate.n}"')


def doubted(cell: Cell) -> Markup:
    """Return the interval that undecided facts leave open, and their share, as attributes; empty of other judges."""
    if cell.doubt is None:
        return Markup()
    low, high, undecided, _ = cell.doubt
    return safe(f' data-lowest="{low:.5g}" data-highest="{high:.5g}" data-undecided="{undecided:.4g}"')


def page_of(pair: Pair, root: str, anchor: str = "") -> str:
    """Return the address of a pair's page, or of an anchor there.

    Args:
        pair: The pair.
        root: Relative address of the site's root.
        anchor: Name of the anchor; the top of the page if empty.
    """
    return f"{root}{pair.path}.html{f'#{anchor}' if anchor else ''}"


def played_cell(cell: Cell, page: str) -> Markup:
    """Return the table cell with the share of episodes that were played, linked to the outcomes on ``page``."""
    counts = f'data-sort="{cell.played_share}" data-played="{cell.played}" data-n="{cell.episodes}"'
    played = share(cell.played_rate, "", f"{cell.played}/{cell.episodes}")
    return safe(
        f'<td role="cell" class="number g-coverage" data-label="Played, %" {counts}>'
        f'<a class="episodes" href="{escape(page)}#outcomes">{played}</a></td>'
    )


def rated_cell(cell: Cell, page: str) -> Markup:
    """Return the table cell with the share of played episodes that are rated, linked to ``page``."""
    rated_share = cell.rated / cell.applicable if cell.applicable else ""
    counts = (
        f'data-rated="{cell.rated}" data-applicable="{cell.applicable}" data-refused="{cell.refused}" '
        f'data-pending="{cell.pending}" data-outside="{cell.played - cell.applicable}"'
    )
    return safe(
        f'<td role="cell" class="number rated g-coverage" data-label="Rated" data-sort="{rated_share}" {counts}>'
        f'<a class="episodes" href="{escape(page)}">{rated(cell)}</a></td>'
    )


def rank_cell(row: BoardRow, rows: int, grouped: bool = False) -> Markup:
    """Return the table cell with a pair's range of possible ranks, on a board of this many rows.

    Args:
        row: Row of the board.
        rows: Number of rows.
        grouped: Whether the pair's group leads, as on boards of many pairs whose ranges overlap.
    """
    low, high = row.rank_low, row.rank_high
    if low is None or high is None or row.group is None:
        return safe(f'<td role="cell" class="rank" data-sort="" data-high="">{rank_range(row)}</td>')
    top = '<span class="sr-only"> may be the best</span>' if row.top else ""
    if grouped:
        letter = f'<span class="group"><span class="sr-only">group </span>{group_letter(row.group)}</span>'
        shown = f'{letter}<span class="half">{rank(low, high)}</span>'
    else:
        shown = f'<span class="rank-range">{rank(low, high)}</span>{rank_bar(low, high, rows) if rows > 1 else ""}'
    attributes = f'data-sort="{low}" data-high="{high}" data-group="{row.group}" title="{RANK}"'
    return safe(f'<td role="cell" class="rank" {attributes}>{shown}{top}</td>')


def group_letter(group: int) -> str:
    """Return the name of a group of pairs: A to Z, then AA and so on.

    >>> group_letter(1), group_letter(26), group_letter(28)
    ('A', 'Z', 'AB')
    """
    # Groups count from 1 and there is no letter for zero, as in the columns of a spreadsheet.
    tens, ones = divmod(group - 1, 26)
    return (group_letter(tens) if tens else "") + chr(ord("A") + ones)


def chance_cell(row: BoardRow) -> Markup:
    """Return the table cell with a pair's chance of being the best, in percent."""
    if row.chance is None:
        return safe(
            f'<td role="cell" class="number chance g-score" data-label="Best, %" data-sort="">{missing("no rank")}</td>'
        )
    return safe(
        f'<td role="cell" class="number chance g-score" data-label="Best, %" data-sort="{_plain(row.chance)}" '
        f'title="{CHANCE}">{escape(percents(row.chance))}</td>'
    )


def heat_column(heats: Sequence[Heat], page: str, label: str, times: float) -> Markup:
    """Return the cell of a column of small cells.

    Args:
        heats: The small cells.
        page: Address of the pair's page, to which they lead.
        label: Heading of the column.
        times: Factor that makes a mean a similarity, 0–10, which decides the colour: 10 for a share.
    """
    address = escape(page)
    cells = "".join(_heat(heat, f'href="{address}#{escaped(heat.anchor)}"', times) for heat in heats)
    return safe(f'<td role="cell" class="heat-column g-categories" data-label="{escape(label)}">{cells}</td>')


def _heat(heat: Heat, where: str, times: float) -> str:
    estimate = heat.estimate
    if estimate.mean is None:
        text, why = empty_heat(heat.cell)
        return f'<a class="heat none" {where} data-sort="" title="{heat.difficulty}: {why}">{text}</a>'
    missing_words = "".join(f", {words}" for _, words in unrated_words(heat.cell)) if times == 1 else ""
    shown = heat.own or estimate
    few, width = too_few(estimate.n), interval_width(shown, heat.digits if times == 1 else 2)
    behind = ": too few" if few else f", {width}" if width else ""
    counted = f"n {estimate.n}" if estimate.n == heat.cell.episodes else f"n {estimate.n} of {heat.cell.episodes}"
    said = f"{heat.difficulty}: {counted}{behind}{missing_words}"
    colour = "few" if few else score_class(estimate.mean * times)
    text = number(shown.mean, heat.digits) if times == 1 else percent(estimate.mean)
    # Three digits say more than the interval of a dozen pictures; a board of 200 pairs has 2,800 such cells.
    value = f'data-sort="{shown.mean:.3g}" data-n="{estimate.n}"'
    return f'<a class="heat {colour}" {where} {value} title="{said}">{text}</a>'


def _plain(value: float | None) -> str:
    """Return a value for files and for sorting: seven digits, as intervals have at most."""
    return "" if value is None else f"{value:.7g}"
