"""Data from which a board says of every pair whether it is better or worse than a chosen pair, or undecided.

``data/against/<board>.json`` holds ``pairs``, the keys of the pairs with ranks; ``means``, their main scores; and
``low``: in the row of each pair the lower ends of its difference to every other, in tenths of a point. The upper end is
minus the lower end of the other order.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ircore.results.next_episodes import PairDifferences, pair_differences
from leaderboard.model.site import Site
from leaderboard.pages.board_views import View, is_rated, list_views, name_view, select_view_results

FOLDER = "data/against"
"""Folder of the files, relative to the site's root."""


def against_path(site: Site, view: View) -> str:
    """Return the path of a board's file, relative to the site's root."""
    return f"{site.path(FOLDER)}/{name_view(site, replace(view, order='main'))}.json"


def build_against_files(site: Site) -> Iterator[tuple[str, str]]:
    """Yield the file of every board that ranks pairs under one set of rules: path below the site's root, and text."""
    for view in list_views(site):
        if view.rules is None or not is_rated(site, view):
            continue
        board = pair_differences(select_view_results(site, view), view.judge, view.category, view.difficulty)
        if board is not None:
            yield (
                against_path(site, view),
                dump_against_file(board, [site.pairs[run_id].key for run_id in board.run_ids]),
            )


def dump_against_file(board: PairDifferences, keys: Sequence[str], names: Sequence[str] = ()) -> str:
    """Return the content of a file.

    Args:
        board: Differences of every two.
        keys: Rows of the board's page.
        names: Their names where a page cannot know them by the keys; a stranger's words, so that scripts escape them.
    """
    # Whole tenths are the shortest in JSON, and these files grow with the square of the pairs.
    low = (board.low * 10).round().astype(int).tolist()
    value = {"pairs": keys, **({"names": names} if names else {}), "means": board.means.round(2).tolist(), "low": low}
    return json.dumps(value, separators=(",", ":")) + "\n"
