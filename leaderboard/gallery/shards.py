"""Episodes as small JSON files that an instance's page fetches when a reader wants more pairs than the first few.

``data/gallery/pairs.json`` names every pair once, in the order of the overall board. The first ``FIRST`` of them stand
in every instance's page; the others lie in ``data/gallery/<instance>/<n>.json``, ``SHARD`` pairs a file, n from 0.
How a pair's episodes ended, with scores, faults and pictures, is in ``data/gallery/pairs/<pair>.json``, for the index
of the gallery (``leaderboard.gallery.pair_outcomes``); ``data/gallery/extremes.json`` holds those of all pairs that a
filter there may bring to the top.
"""

import json
from collections.abc import Iterator
from itertools import islice
from typing import Any

from leaderboard.gallery.fragments import FIRST, Fragments, dump_compact, list_ranked_pairs
from leaderboard.gallery.pair_outcomes import select_extreme_episodes
from leaderboard.model.site import Site

SHARD = 20
"""Pairs in one file."""

FOLDER = "data/gallery"
"""Folder of the files, relative to the site's root."""


def build_gallery_shards(
    site: Site, fragments: Fragments, share: int = 0, shares: int = 1
) -> Iterator[tuple[str, str]]:
    """Yield every file of the gallery's data: its path below the site's root, and its text.

    Args:
        site: What is shown.
        fragments: Its episodes.
        share: Number of the share of the files to make, 0-based.
        shares: Number of shares.
    """
    pairs = list_ranked_pairs(site)
    yield f"{FOLDER}/pairs.json", _dump_file({"first": FIRST, "shard": SHARD, "pairs": [pair.shown for pair in pairs]})
    for pair in islice(pairs, share, None, shares):
        yield f"{FOLDER}/pairs/{pair.key}.json", fragments.outcomes(pair) + "\n"
    if share == 0:
        outcomes = {pair.key: json.loads(fragments.outcomes(pair)) for pair in pairs}
        yield f"{FOLDER}/extremes.json", _dump_file(select_extreme_episodes(outcomes))
    later = pairs[FIRST:]
    # Minus twice rounds the number of files up.
    for number in range(share, -(-len(later) // SHARD), shares):
        columns = [fragments.of(pair) for pair in later[number * SHARD : (number + 1) * SHARD]]
        # Fragments are JSON texts already, so they are joined without being parsed again.
        for instance_id, *lines in zip(site.galleries, *columns, strict=True):
            yield f"{FOLDER}/{instance_id}/{number}.json", f"[{','.join(lines)}]\n"


def _dump_file(value: Any) -> str:
    return dump_compact(value) + "\n"
