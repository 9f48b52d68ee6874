"""The page *Try it*: a visitor describes targets, and the built-in canvas draws in the visitor's browser."""

import json
from typing import Any

from ircore.core.untrusted_text import make_visible
from leaderboard.model.site import Gallery, Page, Site

JUDGE = "structural"
"""The judge that the page's script computes too."""
SIDE = 512
"""Side of the targets that are offered, in pixels."""


def try_page(site: Site) -> Page:
    """Return the page, with the first drawn target of each category and difficulty."""
    return Page("try", "Try it", "try", searchable=True, later=lambda: {"targets": _list_targets(site)})


def _list_targets(site: Site) -> list[dict[str, Any]]:
    """Return the targets that are offered, the easy targets first, each with the pairs' final scores."""
    firsts: dict[tuple[str, str], Gallery] = {}
    for gallery in site.galleries.values():
        instance = gallery.instance
        if instance.scene is not None and (instance.pictures["target"].width, instance.pictures["target"].height) == (
            SIDE,
            SIDE,
        ):
            firsts.setdefault((instance.difficulty, instance.category), gallery)
    ordered = [firsts[key] for key in sorted(firsts, key=lambda key: (key[0], key[1] != "simple_shapes", key[1]))]
    return [
        {"title": gallery.title, "large": gallery.target.large, "scores": json.dumps(_list_scores(site, gallery))}
        for gallery in ordered
        # The script reads pixels of the target, which a browser forbids for pictures of another site.
        if not gallery.target.large.startswith("https:")
    ]


def _list_scores(site: Site, gallery: Gallery) -> list[tuple[str, float]]:
    """Return the name and the final score of each pair that has one."""
    scores = []
    for pair in site.pairs.values():
        episode = site.episode(pair.run_id, gallery.instance.instance_id)
        judged = site.judged(episode, JUDGE)
        if judged is not None and judged.final is not None:
            apart = f" ({pair.apart})" if pair.apart else ""
            scores.append((make_visible(f"{pair.describer} + {pair.generator}{apart}"), round(judged.final, 2)))
    return scores
