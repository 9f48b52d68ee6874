"""The menus above a board: a menu for everything in which its rows differ."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ircore.submissions.decisions import open_dispute
from leaderboard.components.board_rows import Listed
from leaderboard.components.model_facts import describe_weights, format_makers
from leaderboard.model.site import Pair, Site
from leaderboard.model.trust import find_tier
from leaderboard.pages.board_views import label_rules


def collect_menu_fields(site: Site, pair: Pair) -> dict[str, Any]:
    """Return the fields of ``Listed`` for a pair."""
    disputed = open_dispute(site.history(pair.result.slug), pair.run_id)
    budget = label_rules(site, pair.result.rules)
    models = {"makers": format_makers(pair), "weights": describe_weights(pair)}
    return {"pair": pair, "tier": find_tier(pair.result), "budget": budget, "disputed": disputed, **models}


@dataclass(frozen=True)
class _Menu:
    """A menu above a board that keeps the rows with one value."""

    name: str
    """Name of the menu in addresses and in the rows' data attribute."""

    label: str
    """Label of the menu."""

    options: tuple[str, ...]
    """Values to choose from; may be strangers' words, so escape them."""


def build_menus(lines: Sequence[Listed], seats: Sequence[str] = ("Describer", "Generator")) -> list[_Menu]:
    """Return a menu for everything in which the rows differ.

    Args:
        lines: The rows.
        seats: Titles of the seats whose players' names the rows have.

    >>> from leaderboard.model.site import Marked
    >>> from leaderboard.model.trust import HERE, PAPER
    >>> pair = Marked("seer", "painter", "", hue=0, shape=0)
    >>> rows = [Listed(pair=pair, tier=tier, budget="200 tokens", disputed=None) for tier in (HERE, PAPER)]
    >>> [(tool.name, tool.options) for tool in build_menus(rows)]  # the only difference between the two rows
    [('tier', ('paper', 'played here'))]
    """
    choices = {
        "describer": (seats[0], [line.pair.describer for line in lines]),
        "generator": (seats[-1], [line.pair.generator for line in lines]),
        "budget": ("Rules", [line.budget for line in lines]),
        "tier": ("Trust", [line.tier.label for line in lines]),
        "makers": ("Maker", [line.makers for line in lines]),
        "weights": ("Weights", [line.weights for line in lines]),
    }
    menus = (_Menu(name, label, tuple(sorted(filter(None, set(values))))) for name, (label, values) in choices.items())
    # A menu with a single choice could not narrow the board.
    return [menu for menu in menus if len(menu.options) > 1]
