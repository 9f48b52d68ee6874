"""The page of targets: counts by condition, and a contact sheet of each condition's thumbnails."""

from typing import Any

from ircore.results.tables.targets import targets_table
from leaderboard.model.site import Page, Site
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


def build_targets_page(site: Site) -> Page:
    """Return the page."""
    return Page(
        "targets",
        "Targets",
        "targets",
        {
            "table": targets_table(site.under()).for_readers(),
            "groups": [_group(site, category) for category in site.results.categories],
        },
        searchable=True,
    )


def _group(site: Site, category: str) -> dict[str, Any]:
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
