"""Pages of describers and generators: one for each player, and boards of each seat's players.

The page of a player shows all its pairs, the mean over its partners, and its effect. There is a board for every judge,
set of rules and condition.
"""

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache, partial
from typing import Any

from ircore.core.plain_words import form_plural
from ircore.core.untrusted_text import format_one_line, make_visible
from ircore.results.effects import PlayerResult
from ircore.results.next_episodes import PairDifferences
from ircore.results.statistics.effects import Effects
from ircore.results.statistics.intervals import MINIMUM_PICTURES, Estimate, are_too_few
from ircore.results.statistics.mixed import Unavailable
from ircore.results.tables.pairs import FEW, describe_ties
from leaderboard.components.markup import Chip
from leaderboard.model.player_ranks import PlayerBoard, load_player, load_player_effects, rank_players
from leaderboard.model.site import Gallery, Page, Pair, Site
from leaderboard.pages.board_views import (
    BoardView,
    build_chips,
    describe_leader,
    describe_view,
    format_view_heading,
    format_view_title,
    is_rated,
    judge_words,
    list_views,
    name_view,
    select_view_results,
    split_chips,
    view_path,
)
from leaderboard.pages.cannot_draw import find_undrawable_marks
from leaderboard.pages.citation import dump_provenance
from leaderboard.pages.pair_comparison import AGAINST_FOLDER, dump_against_file
from leaderboard.pages.selections import list_judged_episodes
from leaderboard.words import describe_estimate, describe_extremes, format_category

_OTHER: Mapping[str, str] = {"describer": "generator", "generator": "describer"}

_PARTNERS = 6
"""Maximum of pictures in the strip."""


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
        return {(seat.name, label): site.path("pairs/index") for seat in site.seats for label in site.labels(seat.name)}
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
        pairs = [pair for pair in site.pairs.values() if _get_label(pair, role) == label]
        pairs.sort(key=lambda pair: places[pair.run_id])
        values = {
            "role": role,
            "label": label,
            "hue": pairs[0].hue if role == "describer" else None,
            "shape": pairs[0].shape if role == "generator" else None,
            "pairs": [{"pair": pair, "row": rows[pair.run_id]} for pair in pairs],
            "partners": len({_get_label(pair, _OTHER[role]) for pair in pairs}),
            "judge_words": judge_words(site, site.judge),
        }
        title, finding = f"{role.capitalize()} {format_one_line(label)}", partial(_describe_finding, site.judge)
        later = partial(_collect_player_values, site, role, label, pairs)
        yield Page(path, title, "player", values, later=later, finding=finding)


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


def player_board_path(site: Site, view: BoardView, role: str) -> str:
    """Return where a board of players stands, without suffix: ``boards/describers/index`` and so on."""
    return f"{site.path('boards')}/{role}s/{name_view(site, replace(view, order='main'))}"


def build_subject_chips(site: Site, view: BoardView, shown: str | None = None) -> list[tuple[str, list[Chip]]]:
    """Return links to the boards of pairs, describers and generators; none if players cannot be ranked.

    Args:
        site: What is shown.
        view: The condition.
        shown: Seat of the board that is shown; None for the board of pairs.
    """
    # With a single describer and a single generator there is nobody to be ranked against.
    if view.rules is None or not site.roles or not is_rated(site, view):
        return []
    if math.prod(len(site.labels(role)) for role in site.roles) < 2:
        return []
    boards = [
        Chip(form_plural(site.seat_title(role)), player_board_path(site, view, role), role == shown)
        for role in site.roles
    ]
    return [
        (
            "Of",
            [Chip(f"{site.noun.capitalize()}s", view_path(site, replace(view, order="main")), shown is None), *boards],
        )
    ]


def build_player_board_pages(site: Site) -> Iterator[Page]:
    """Yield a page for every board of describers and of generators."""
    for view in _list_views(site):
        for role in site.roles:
            yield _build_page(site, view, role)


def build_board_lists(site: Site, written: Callable[[str], bool]) -> Iterator[tuple[str, str]]:
    """Yield for each role the list of the boards by which Compare compares its players: path, and text.

    They are those of the site's own judge and rules.

    Args:
        site: What is shown.
        written: Whether a board's page wrote the file of differences at a path: only boards with ranks have one.
    """
    for role in site.roles:
        folder = f"{site.path(AGAINST_FOLDER)}/{role}s"
        paths = {_against_path(site, view, role): _format_condition(site, view) for view in _list_views(site)}
        names = {path: path.removeprefix(f"{folder}/").removesuffix(".json") for path in paths}
        # Boards of other judges and rules stand in folders of their own.
        boards = [(paths[path], name) for path, name in names.items() if "/" not in name and written(path)]
        yield f"{folder}/boards.json", json.dumps(boards) + "\n"


@cache
def _make_slug(label: str) -> str:
    # A label may have no plain letter at all, and a file needs a name of moderate length.
    return re.sub(r"[^a-z0-9]+", "-", label.lower()).strip("-")[:60] or "player"


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
    strip, cannot = _collect_strip(site, pairs), find_undrawable_marks(site, pairs)
    effect = _describe_effect(_load_effects(site), role, label)
    return {"result": result, "extremes": find_extremes(result), "strip": strip, "cannot": cannot, "effect": effect}


@lru_cache(maxsize=1)  # the page of each player says its own
def _load_effects(site: Site) -> Effects | Unavailable:
    return load_player_effects(site, site.results, site.judge)


def _get_label(pair: Pair, role: str) -> str:
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


def _collect_strip(site: Site, pairs: Sequence[Pair]) -> dict[str, Any] | None:
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
    pictures.sort(key=lambda drawn: -drawn["score"])
    return {"gallery": gallery, "pictures": pictures[:_PARTNERS], "played": len(pictures)}


def _build_differences(site: Site, path: str, role: str, values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the file of the differences of every two players of a board: path below the site's root, and text."""
    against: PairDifferences | None = values["differences"]
    if against is not None:
        keys = make_player_keys(site.labels(role))
        shown = [make_visible(label) for label in against.run_ids]
        yield path, dump_against_file(against, [keys[label] for label in against.run_ids], shown)


def _format_condition(site: Site, view: BoardView) -> str:
    words = [format_category(view.category) if view.category else "", view.difficulty or ""]
    return ", ".join(filter(None, words)).capitalize() or f"All {site.game.pages.words.instance}s"


def _list_views(site: Site) -> Iterator[BoardView]:
    return (view for view in list_views(site) if build_subject_chips(site, view))


def _against_path(site: Site, view: BoardView, role: str) -> str:
    return f"{site.path(AGAINST_FOLDER)}/{role}s/{name_view(site, replace(view, order='main'))}.json"


def _build_page(site: Site, view: BoardView, role: str) -> Page:
    # Players are ranked under one set of rules, so the link to all rules leads to the board of pairs.
    def path(site: Site, other: BoardView) -> str:
        return player_board_path(site, other, role) if other.rules is not None else view_path(site, other)

    plain = [(label, links) for label, links in build_chips(site, view, path) if label not in ("Order", "Metric")]
    above = split_chips([*build_subject_chips(site, view, role), *plain])
    title = site.seat_title(role)
    heading = form_plural(title) + ("" if view.overall else f": {format_view_heading(view).lower()}")
    return Page(
        path=player_board_path(site, view, role),
        title=format_view_title(site, view).replace(format_view_heading(view), heading, 1),
        template="player_board",
        values={
            "heading": heading,
            "role": role,
            "site": site,
            "seat_title": title,
            "view": view,
            "about": dump_provenance(site, view),
            **above,
            "words": describe_view(site, view),
            "judge_words": judge_words(site, view.judge),
            "against": _against_path(site, view, role),
        },
        later=partial(_collect_values, site, view, role),
        finding=partial(_describe_board_finding, site, view, role),
        files=partial(_build_differences, site, _against_path(site, view, role), role),
    )


def _describe_board_finding(site: Site, view: BoardView, role: str, values: Mapping[str, Any]) -> str:
    """Return which player leads the board, and how far players can be told apart."""
    lines = values["lines"]
    best = lines[0]["label"] if lines else ""
    return describe_leader(site, view.judge, [line["row"] for line in lines], best, role, values["headline"])


def _explain_no_ranks(board: PlayerBoard) -> str:
    """Return why nobody has a rank on a board, and in which order its players stand."""
    if board.partners:
        why = f"fewer than {MINIMUM_PICTURES} pictures a {board.role} are too few to rank by"
        return f"{why}; {form_plural(board.role)} stand in the order of their main scores"
    return f"{board.rows[0].cell.unranked_words}; {form_plural(board.role)} stand by name"


def _collect_values(site: Site, view: BoardView, role: str) -> dict[str, Any]:
    board = rank_players(select_view_results(site, view), role, view.judge, view.category, view.difficulty)
    paths, keys = player_paths(site), make_player_keys(site.labels(role))
    lines = [
        {
            "row": row,
            "label": row.submission,
            "path": paths[role, row.submission],
            "key": keys[row.submission],
            "mark": site.hues.number(row.submission)
            if role == site.roles[0]
            else site.labels(role).index(row.submission),
        }
        for row in board.rows
    ]
    ranked = sum(row.rank_low is not None for row in board.rows)
    return {
        "lines": lines,
        "partners": board.partners,
        "differences": board.against,
        "order": "best first" if ranked else "by main score, descending" if board.partners else "by name",
        "no_ranks": "" if ranked or not lines else _explain_no_ranks(board),
        "grouped": ranked > FEW,
        "headline": describe_ties(board.standing, form_plural(role)) if board.standing else "",
        "detectable": board.standing.detectable if board.standing else None,
    }
