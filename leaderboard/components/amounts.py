"""Heads and cells of what episodes take, as ``ircore.results.column`` defines it, on the boards of every game."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from ircore.games.base import Game
from ircore.results.column import AMOUNTS, Amount, Column
from ircore.results.model import Cell
from ircore.results.tables.board import build_amount_column
from leaderboard.components.board_cells import format_mean
from leaderboard.components.markup import macro
from leaderboard.components.values import render_price, share, stacked

MONEY, SHARE = "US$", "0–1"
"""Units whose values are written in a way of their own."""


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
    """Return the columns that say something: some cell has an amount that is not 0.

    Args:
        game: Whose board.
        cells: Of its rows.
    """
    taken = {key for cell in cells for key, estimate in cell.amounts.items() if estimate.mean}
    return tuple(
        AmountColumn(amount, build_amount_column(game, amount)) for amount in AMOUNTS if amount.column.key in taken
    )
