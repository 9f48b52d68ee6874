"""Pages about targets: a contact sheet with counts by condition, and *Try it*, where a visitor describes them.

On *Try it* the built-in canvas draws what a visitor says, in the visitor's browser.
"""

import json
from typing import Any

from ircore.core.untrusted_text import make_visible
from ircore.results.tables.targets import targets_table
from leaderboard.model.site import Gallery, Page, Site
from leaderboard.words import describe_target_picture

_ASKED = {
    "bar_graph": "A data chart whose bars are read off an axis; a correction has to get the numbers right.",
    "functions": "Graphs of functions: the shape of the curve, the scale and the labels of the axes.",
    "geometry": "A labelled figure or construction, in which small differences of measure matter.",
    "line_graph": "Values over months, years or hours as joined points, on an axis with numbers.",
    "pie_graph": "Shares of a whole as wedges of a disc or a ring.",
    "simple_shapes": "Coloured primitives at clear positions on a plain or patterned ground.",
    "photos": "A photograph: no scene is known, so that only judges and metrics can say how close a rendering came.",
}
"""Skills that a category asks of a pair, in a sentence."""

_LEVELS = {
    ("bar_graph", "easy"): "three to six bars", ("bar_graph", "hard"): "groups, stacks, many bars, or both signs",
    ("functions", "easy"): "one curve", ("functions", "hard"): "several curves, pieces, a tangent, asymptotes, an area",
    ("geometry", "easy"): "one figure, few labels", ("geometry", "hard"): "a construction of many parts",
    ("line_graph", "easy"): "one line", ("line_graph", "hard"): "three to five lines that cross",
    ("pie_graph", "easy"): "three or four wedges", ("pie_graph", "hard"): "six to nine, often a ring or pulled out",
    ("simple_shapes", "easy"): "two to four, upright, apart",
    ("simple_shapes", "hard"): "six to ten, turned, outlined, overlapping, on patterns",
}  # fmt: skip
"""Difference between easy and hard targets of the drawn categories."""

TRY_JUDGE = "structural"
"""The judge that the page's script computes too."""
TRY_SIDE = 512
"""Side of the targets that are offered, in pixels."""


def build_targets_page(site: Site) -> Page:
    """Return the page of targets."""
    return Page("targets", "Targets", "targets", searchable=True, later=lambda: _collect_targets(site))


def build_try_page(site: Site) -> Page:
    """Return the page *Try it*, with the first drawn target of each category and difficulty."""
    return Page("try", "Try it", "try", searchable=True, later=lambda: {"targets": _list_targets(site)})


def _collect_targets(site: Site) -> dict[str, Any]:
    groups = [_collect_category(site, category) for category in site.results.categories]
    return {"table": targets_table(site.under()).for_readers(), "groups": groups}


def _collect_category(site: Site, category: str) -> dict[str, Any]:
    levels = [_build_sheet(site, category, level) for level in site.results.difficulties]
    return {
        "category": category,
        # Other instance sets may have categories of their own, about which nothing is known here.
        "asks": _ASKED.get(category, ""),
        "levels": [level for level in levels if level["entries"]],
    }


def _build_sheet(site: Site, category: str, difficulty: str) -> dict[str, Any]:
    chosen = [
        gallery
        for gallery in site.galleries.values()
        if (gallery.instance.category, gallery.instance.difficulty) == (category, difficulty)
    ]
    return {
        "difficulty": difficulty,
        "words": _LEVELS.get((category, difficulty), ""),
        "entries": [{"gallery": gallery, "seen": describe_target_picture(gallery.instance)} for gallery in chosen],
    }


def _list_targets(site: Site) -> list[dict[str, Any]]:
    """Return the targets that are offered, the easy targets first, each with the pairs' final scores."""
    firsts: dict[tuple[str, str], Gallery] = {}
    for gallery in site.galleries.values():
        instance = gallery.instance
        if instance.scene is not None and (instance.pictures["target"].width, instance.pictures["target"].height) == (
            TRY_SIDE,
            TRY_SIDE,
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
        judged = site.judged(episode, TRY_JUDGE)
        if judged is not None and judged.final is not None:
            apart = f" ({pair.apart})" if pair.apart else ""
            scores.append((make_visible(f"{pair.describer} + {pair.generator}{apart}"), round(judged.final, 2)))
    return scores
