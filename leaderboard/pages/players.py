"""A page per describer and per generator: all its pairs, the mean over its partners, and its effect."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Any

from ircore.core.untrusted_text import format_one_line
from ircore.results.effects import PlayerResult
from ircore.results.statistics.effects import Effects
from ircore.results.statistics.intervals import Estimate, are_too_few
from ircore.results.statistics.mixed import Unavailable
from leaderboard.model.player_ranks import load_player, load_player_effects
from leaderboard.model.site import Gallery, Page, Pair, Site
from leaderboard.pages.board_views import judge_words
from leaderboard.pages.cannot_draw import find_undrawable_marks
from leaderboard.pages.selections import list_judged_episodes
from leaderboard.words import describe_estimate, describe_extremes, format_category

_OTHER: Mapping[str, str] = {"describer": "generator", "generator": "describer"}

_PARTNERS = 6
"""Maximum of pictures in the strip."""


@cache
def _make_slug(label: str) -> str:
    # A label may have no plain letter at all, and a file needs a name of moderate length.
    return re.sub(r"[^a-z0-9]+", "-", label.lower()).strip("-")[:60] or "player"


def make_player_keys(labels: Sequence[str]) -> dict[str, str]:
    """Return an address for each label: plain letters, and a number where two would be the same."""
    keys: dict[str, str] = {}
    for label in labels:
        key, number = _make_slug(label), 2
        # Labels that differ only in case or in signs have the same letters.
        while key in keys.values():
            key, number = f"{_make_slug(label)}-{number}", number + 1
        keys[label] = key
    return keys


def player_paths(site: Site) -> dict[tuple[str, str], str]:
    """Return where each player's page stands, without suffix, by seat and label; of other games the list of players."""
    if site.folder:
        return {(role, label): site.path("pairs/index") for role in site.roles for label in site.labels(role)}
    return {
        (role, label): f"{role}s/{key}"
        for role in site.roles
        for label, key in make_player_keys(site.labels(role)).items()
    }


def build_player_pages(site: Site) -> Iterator[Page]:
    """Yield a page for each describer and generator."""
    rows = {row.submission.run_id: row for rules in site.rule_sets for row in site.under(rules).board(site.judge)}
    places = {run_id: place for place, run_id in enumerate(rows)}
    for (role, label), path in player_paths(site).items():
        pairs = [pair for pair in site.pairs.values() if _label(pair, role) == label]
        pairs.sort(key=lambda pair: places[pair.run_id])
        values = {
            "role": role,
            "label": label,
            "hue": pairs[0].hue if role == "describer" else None,
            "shape": pairs[0].shape if role == "generator" else None,
            "pairs": [{"pair": pair, "row": rows[pair.run_id]} for pair in pairs],
            "partners": len({_label(pair, _OTHER[role]) for pair in pairs}),
            "judge_words": judge_words(site, site.judge),
        }
        title, finding = f"{role.capitalize()} {format_one_line(label)}", partial(_describe_finding, site.judge)
        later = partial(_collect_player_values, site, role, label, pairs)
        yield Page(path, title, "player", values, later=later, finding=finding)


def _describe_finding(judge: str, values: Mapping[str, Any]) -> str:
    """Return a player's mean over its partners, and the categories that it is best and worst on."""
    result: PlayerResult = values["result"]
    if result.score.mean is None:
        return ""
    mean = f"mean score over partners {describe_estimate(result.score)}, judged by {judge}"
    if not values["extremes"]:
        return mean
    best, worst = (
        (format_category(name).lower(), cell.mean)
        for name, cell in (values["extremes"]["best"], values["extremes"]["worst"])
    )
    return f"{mean}; {describe_extremes(best, worst)}"


def _collect_player_values(site: Site, role: str, label: str, pairs: Sequence[Pair]) -> dict[str, Any]:
    """Return the values of a page that take long to compute."""
    result = load_player(site, role, label)
    strip, cannot = _strip(site, pairs), find_undrawable_marks(site, pairs)
    effect = _describe_effect(load_player_effects(site, site.results, site.judge), role, label)
    return {"result": result, "extremes": find_extremes(result), "strip": strip, "cannot": cannot, "effect": effect}


def _list_labels(site: Site, role: str) -> tuple[str, ...]:
    return site.describers if role == "describer" else site.generators


def _label(pair: Pair, role: str) -> str:
    return pair.describer if role == "describer" else pair.generator


def _describe_effect(effects: Effects | Unavailable, role: str, label: str) -> dict[str, Any]:
    """Return the player's effect with its interval, or why there is none."""
    if not isinstance(effects, Effects):
        return {"estimate": None, "why": effects.reason}
    by_label: Mapping[str, Estimate] = effects.describer if role == "describer" else effects.generator
    # Effects are of the largest grid that is played in full, and a player may stand outside that grid.
    if label not in by_label:
        return {"estimate": None, "why": "it was not played with every partner of the full grid"}
    return {
        "estimate": by_label[label],
        "why": "",
        "size": f"{len(effects.describers)} × {len(effects.generators)}",
    }


def find_extremes(result: PlayerResult) -> dict[str, tuple[str, Estimate]]:
    """Return the categories with the highest and the lowest mean; empty unless two have enough targets.

    Args:
        result: The player.

    Returns:
        ``best`` and ``worst``, each with the category and its mean score over partners, 0–10.
    """
    known = [
        (cell.mean, name, cell)
        for name, cell in result.by_category.items()
        if cell.mean is not None and not are_too_few(cell.n)
    ]
    # A single category would be the best and the worst at once.
    if len(known) < 2:
        return {}
    (_, best, high), (_, worst, low) = max(known, key=lambda entry: entry[0]), min(known, key=lambda entry: entry[0])
    return {"best": (best, high), "worst": (worst, low)}


def _strip(site: Site, pairs: Sequence[Pair]) -> dict[str, Any] | None:
    """Return the player's renderings of a target with each partner: most partners first, then widest spread."""
    by_instance: dict[str, dict[str, Any]] = {}
    for chosen in list_judged_episodes(site, pairs):
        by_instance.setdefault(chosen.gallery.instance.instance_id, {})[chosen.pair.run_id] = chosen
    if not by_instance:
        return None

    def telling(entry: tuple[str, dict[str, Any]]) -> tuple[int, float, str]:
        finals = [chosen.judged.final for chosen in entry[1].values()]
        # The id comes last, so that equal targets are chosen alike in every build.
        return len(finals), max(finals) - min(finals), entry[0]

    _, shown = max(by_instance.items(), key=telling)
    gallery: Gallery = next(iter(shown.values())).gallery
    pictures = [
        {
            "pair": pair,
            "picture": site.rendering(pair.run_id, shown[pair.run_id].final.rendering),
            "score": shown[pair.run_id].judged.final,
        }
        for pair in pairs
        if pair.run_id in shown
    ]
    return {"gallery": gallery, "pictures": pictures[:_PARTNERS], "played": len(pictures)}
