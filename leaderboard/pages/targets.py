"""Pages about targets: a contact sheet with counts by condition, and *Try it*, where a visitor describes them.

On *Try it* the built-in canvas draws what a visitor says, in the visitor's browser.
"""

import json
from typing import Any

from ircore.core.untrusted_text import make_visible
from ircore.games.registry import find_category_words
from ircore.results.tables.targets import targets_table
from leaderboard.model.alt_texts import describe_target_picture
from leaderboard.model.site import Gallery, Page, Site

TRY_JUDGE = "structural"
"""The judge that the page's script computes too."""
TRY_SIDE = 512
"""Side of the targets that are offered, in pixels."""


def build_targets_page(site: Site) -> Page:
    """Return the page of targets."""
    return Page(
        "targets", "Targets", "targets", searchable=True, later=lambda: _collect_targets(site), found_by="instances"
    )


def build_try_page(site: Site) -> Page:
    """Return the page *Try it*, with the first drawn target of each category and difficulty."""
    return Page(
        "try",
        "Try it",
        "try",
        searchable=True,
        later=lambda: {"targets": _list_targets(site)},
        cited=False,
        found_by="play",
    )


def _collect_targets(site: Site) -> dict[str, Any]:
    groups = [_collect_category(site, category) for category in site.results.categories]
    return {"table": targets_table(site.under()).for_readers(), "groups": groups}


def _collect_category(site: Site, category: str) -> dict[str, Any]:
    levels = [_build_sheet(site, category, level) for level in site.results.difficulties]
    return {
        "category": category,
        "asks": find_category_words(category).asks,
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
        "words": find_category_words(category).levels.get(difficulty, ""),
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
