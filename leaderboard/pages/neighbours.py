"""Comparisons of a pair with others on its board: with all of few, with its neighbours among many.

Two neighbours are on each other's page. Their comparison is computed once, with those of the places around them.
"""

from functools import lru_cache

from ircore.core.records import Rules
from ircore.results.model import BoardRow
from ircore.results.statistics.comparison import Comparison
from ircore.results.tables.comparisons import MOST
from leaderboard.model.site import Pair, Site

REACH = 2
"""Pairs above and below on the board with which a pair is compared where there are many."""

_BLOCK = 16
"""Places of a board whose comparisons are computed together."""


def compared_pairs(site: Site, pair: Pair) -> list[tuple[BoardRow, Comparison]]:
    """Compare a pair with the others on the board of the site's judge under the pair's rules.

    Returns:
        The rows of the other pairs in the order of the board, each with the comparison of this pair minus the other.
    """
    rules = pair.result.run.rules
    board = site.under(rules).board(site.judge)
    place = next(place for place, row in enumerate(board) if row.submission.run_id == pair.run_id)
    reach = _reach(len(board))
    others = range(max(0, place - reach), min(len(board), place + reach + 1))
    return [(board[other], _compared(site, rules, place, other)) for other in others if other != place]


def _reach(pairs: int) -> int:
    """Return how many places up and down a board of so many pairs a pair is compared."""
    return pairs if pairs <= MOST else REACH


def _compared(site: Site, rules: Rules, first: int, second: int) -> Comparison:
    """Return the comparison of the pairs at two places of a board."""
    upper, lower = min(first, second), max(first, second)
    comparison = _block(site, rules, upper // _BLOCK)[upper, lower]
    return comparison if first == upper else comparison.turned


@lru_cache(maxsize=8)
def _block(site: Site, rules: Rules, block: int) -> dict[tuple[int, int], Comparison]:
    """Compare the pairs at the places of a block with those below them, by both places."""
    results = site.under(rules)
    board = results.board(site.judge)
    reach = _reach(len(board))
    places = [
        (upper, lower)
        for upper in range(block * _BLOCK, min((block + 1) * _BLOCK, len(board)))
        for lower in range(upper + 1, min(upper + reach + 1, len(board)))
    ]
    couples = [(board[upper].submission.run_id, board[lower].submission.run_id) for upper, lower in places]
    return dict(zip(places, results.compare_couples(couples, site.judge), strict=True))
