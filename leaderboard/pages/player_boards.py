"""Boards of describers and of generators: a page for every judge, set of rules and condition."""

import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from ircore.core.plain_words import form_plural
from ircore.core.untrusted_text import format_one_line, make_visible
from ircore.results.next_episodes import PairDifferences
from ircore.results.statistics.intervals import MINIMUM_PICTURES
from ircore.results.tables.pairs import FEW, describe_ties
from leaderboard.components.markup import Chip
from leaderboard.model.player_ranks import PlayerBoard, rank_players
from leaderboard.model.site import Page, Site
from leaderboard.pages.board_views import (
    BoardView,
    build_chips,
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
from leaderboard.pages.citation import dump_provenance
from leaderboard.pages.pair_comparison import AGAINST_FOLDER, dump_against_file
from leaderboard.pages.players import make_player_keys, player_paths
from leaderboard.words import format_category, lead_words


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


def _build_differences(site: Site, path: str, role: str, values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the file of the differences of every two players of a board: path below the site's root, and text."""
    against: PairDifferences | None = values["differences"]
    if against is not None:
        keys = [_find_key(site, role, label) for label in against.run_ids]
        yield path, dump_against_file(against, keys, [make_visible(label) for label in against.run_ids])


def _format_condition(site: Site, view: BoardView) -> str:
    words = [format_category(view.category) if view.category else "", view.difficulty or ""]
    return ", ".join(filter(None, words)).capitalize() or f"All {site.game.pages.words.instance}s"


def _list_views(site: Site) -> Iterator[BoardView]:
    return (view for view in list_views(site) if build_subject_chips(site, view))


def _build_board(site: Site, view: BoardView, role: str) -> PlayerBoard:
    return rank_players(select_view_results(site, view), role, view.judge, view.category, view.difficulty)


def _find_key(site: Site, role: str, label: str) -> str:
    return make_player_keys(site.labels(role))[label]


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
        finding=partial(_describe_finding, site, view, role),
        files=partial(_build_differences, site, _against_path(site, view, role), role),
    )


def _describe_finding(site: Site, view: BoardView, role: str, values: Mapping[str, Any]) -> str:
    """Return which player leads the board, and how far players can be told apart."""
    lines = values["lines"]
    lead = lead_words([line["row"] for line in lines], format_one_line(lines[0]["label"], 80), role) if lines else ""
    judged = f", judged by {view.judge}." if site.game.is_judged else "."
    return " ".join(part for part in (lead and lead + judged, values["headline"]) if part)


def _explain_no_ranks(board: PlayerBoard) -> str:
    """Return why nobody has a rank on a board, and in which order its players stand."""
    if board.partners:
        why = f"fewer than {MINIMUM_PICTURES} pictures a {board.role} are too few to rank by"
        return f"{why}; {form_plural(board.role)} stand in the order of their main scores"
    return f"{board.rows[0].cell.unranked_words}; {form_plural(board.role)} stand by name"


def _collect_values(site: Site, view: BoardView, role: str) -> dict[str, Any]:
    board = _build_board(site, view, role)
    paths = player_paths(site)
    lines = [
        {
            "row": row,
            "label": row.submission,
            "path": paths[role, row.submission],
            "key": _find_key(site, role, row.submission),
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
