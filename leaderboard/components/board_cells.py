"""Cells of a board's row, with the attributes by which scripts sort, filter and export.

Numbers stand in full in data attributes; what a cell shows comes from ``values``. Heads and cells of what episodes take
follow from ``ircore.results.column``, on the boards of every game.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from ircore.games.base import Game
from ircore.results.column import AMOUNTS, Amount, Column
from ircore.results.model import BoardRow, Cell
from ircore.results.statistics.intervals import Estimate, are_too_few
from ircore.results.tables.board import build_amount_column
from ircore.results.tables.pairs import format_percent
from leaderboard.components.markup import macro
from leaderboard.components.values import (
    CHANCE,
    RANK,
    describe_empty_cell,
    missing,
    rank_bar,
    rank_range,
    rated,
    render_price,
    share,
    stacked,
)
from leaderboard.model.site import Pair
from leaderboard.theme import score_class
from leaderboard.words import describe_unrated, format_interval_width, format_share, number, rank

MONEY, SHARE = "US$", "0–1"
"""Units whose values are written in a way of their own."""


@dataclass(frozen=True)
class Heat:
    """Small cell of a board row: a pair's estimate under one condition.

    Example:
        >>> from ircore.results.statistics.intervals import Estimate, are_too_few
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
    low, high = ("", "") if estimate.low is None else (f"{estimate.low:.5g}", f"{estimate.high:.5g}")
    return macro("ends")(_format_plain(estimate.mean), low, high, estimate.n)


def format_mean(estimate: Estimate) -> Markup:
    """Return a mean as attributes."""
    return macro("ends")(_format_plain(estimate.mean), "", "", estimate.n)


def mark_unsorted() -> Markup:
    """Return the attribute of a cell without a value."""
    return macro("unsorted")()


def format_doubt(cell: Cell) -> Markup:
    """Return the interval that undecided facts leave open, and their share, as attributes; empty of other judges."""
    if cell.doubt is None:
        return Markup()
    low, high, undecided, _ = cell.doubt
    return macro("doubted")(f"{low:.5g}", f"{high:.5g}", f"{undecided:.4g}")


def link_pair_page(pair: Pair, root: str, anchor: str = "") -> str:
    """Return the address of a pair's page, or of an anchor there.

    Args:
        pair: The pair.
        root: Relative address of the site's root.
        anchor: Name of the anchor; the top of the page if empty.
    """
    return f"{root}{pair.path}.html{f'#{anchor}' if anchor else ''}"


def render_played_cell(cell: Cell, page: str) -> Markup:
    """Return the table cell with the share of episodes that were played, linked to the outcomes on ``page``."""
    played = share(cell.played_rate, "", f"{cell.played}/{cell.episodes}")
    return macro("played_cell")(cell.played_share, cell.played, cell.episodes, page, played)


def render_rated_cell(cell: Cell, page: str) -> Markup:
    """Return the table cell with the share of played episodes that are rated, linked to ``page``."""
    rated_share = cell.rated / cell.applicable if cell.applicable else ""
    return macro("rated_cell")(rated_share, cell, page, rated(cell))


def rank_cell(row: BoardRow, rows: int, grouped: bool = False) -> Markup:
    """Return the table cell with a pair's range of possible ranks, on a board of this many rows.

    Args:
        row: Row of the board.
        rows: Number of rows.
        grouped: Whether the pair's group leads, as on boards of many pairs whose ranges overlap.
    """
    low, high = row.rank_low, row.rank_high
    if low is None or high is None or row.group is None:
        return macro("no_rank_cell")(rank_range(row))
    letter = group_letter(row.group) if grouped else ""
    bar = rank_bar(low, high, rows) if rows > 1 and not grouped else ""
    return macro("rank_cell")(row, RANK, letter, rank(low, high), bar)


def group_letter(group: int) -> str:
    """Return the name of a group of pairs: A to Z, then AA and so on.

    >>> group_letter(1), group_letter(26), group_letter(28)
    ('A', 'Z', 'AB')
    """
    # Groups count from 1 and there is no letter for zero, as in the columns of a spreadsheet.
    tens, ones = divmod(group - 1, 26)
    return (group_letter(tens) if tens else "") + chr(ord("A") + ones)


def render_chance_cells(row: BoardRow) -> Markup:
    """Return the cell of a comparison with a chosen row, which a script fills, and the chance of being the best."""
    shown = missing("no rank") if row.chance is None else format_percent(row.chance)
    return macro("chance_cells")(_format_plain(row.chance), "" if row.chance is None else CHANCE, shown)


def render_heat_column(heats: Sequence[Heat], page: str, label: str, times: float) -> Markup:
    """Return the cell of a column of small cells.

    Args:
        heats: The small cells.
        page: Address of the pair's page, to which they lead.
        label: Heading of the column.
        times: Factor that makes a mean a similarity, 0–10, which decides the colour: 10 for a share.
    """
    return macro("heat_column")(label, [_describe_heat(heat, f"{page}#{heat.anchor}", times) for heat in heats])


@dataclass(frozen=True)
class AmountColumn:
    """A column of a board with an amount.

    >>> from ircore.games.registry import load_game
    >>> [column.title for column in select_amount_columns(load_game("reference"), [])]
    []
    """

    amount: Amount
    """What it shows."""

    column: Column
    """Its definition, with the game's word for steps."""

    @property
    def group(self) -> str:
        """Group of columns that readers show and hide together."""
        return self.amount.group

    @property
    def title(self) -> str:
        """Heading."""
        return self.column.title.capitalize()

    @property
    def unit(self) -> str:
        """Unit beside the heading; shares are shown in percent."""
        return "%" if self.column.unit == SHARE else self.column.unit

    @property
    def export(self) -> str:
        """Columns of files that readers export, as ``board.js`` reads them."""
        return f"{self.column.key} {self.column.key}_n:n"

    def cell(self, cell: Cell, episodes: str) -> Markup:
        """Return the table cell of a row, which opens the episodes behind the number.

        Args:
            cell: Numbers of the row.
            episodes: Address of the episodes.
        """
        estimate, missing = cell.amounts[self.column.key], self.amount.missing
        if self.column.unit == MONEY:
            shown = render_price(estimate)
        elif self.column.unit == SHARE:
            shown = share(estimate, missing)
        else:
            shown = stacked(estimate, self.column.digits or 0, missing)
        label = f"{self.title}, {self.unit}" if self.unit else self.title
        return macro("number_cell")(f"g-{self.group}", label, format_mean(estimate), shown, episodes)


def select_amount_columns(game: Game[Any], cells: Iterable[Cell]) -> tuple[AmountColumn, ...]:
    """Return the columns that say something: some cell has an amount that is not 0, and steps that are not always one.

    Args:
        game: Whose board.
        cells: Of its rows.
    """
    means = {(key, estimate.mean) for cell in cells for key, estimate in cell.amounts.items() if estimate.mean}
    taken = {key for key, _ in means - {("steps", 1.0)}}
    return tuple(
        AmountColumn(amount, build_amount_column(game, amount)) for amount in AMOUNTS if amount.column.key in taken
    )


def _describe_heat(heat: Heat, href: str, times: float) -> tuple[str, str, str, int | None, str, str]:
    """Return colour, address, value, number of pictures, tooltip and text of a small cell."""
    estimate = heat.estimate
    if estimate.mean is None:
        text, why = describe_empty_cell(heat.cell)
        return "none", href, "", None, f"{heat.difficulty}: {why}", text
    missing_words = "".join(f", {words}" for _, words in describe_unrated(heat.cell)) if times == 1 else ""
    shown = heat.own or estimate
    few, width = are_too_few(estimate.n), format_interval_width(shown, heat.digits if times == 1 else 2)
    behind = ": too few" if few else f", {width}" if width else ""
    counted = f"n {estimate.n}" if estimate.n == heat.cell.episodes else f"n {estimate.n} of {heat.cell.episodes}"
    said = f"{heat.difficulty}: {counted}{behind}{missing_words}"
    colour = "few" if few else score_class(estimate.mean * times)
    text = number(shown.mean, heat.digits) if times == 1 else format_share(estimate.mean)
    # Three digits say more than the interval of a dozen pictures; a board of 200 pairs has 2,800 such cells.
    return colour, href, f"{shown.mean:.3g}", estimate.n, said, text


def _format_plain(value: float | None) -> str:
    """Return a value for files and for sorting: seven digits, as intervals have at most."""
    return "" if value is None else f"{value:.7g}"
