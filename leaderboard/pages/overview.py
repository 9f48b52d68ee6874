"""The front page."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from ircore.results.episodes import JudgedEpisode
from leaderboard.model.site import Page, Pair, Site
from leaderboard.pages.boards import describe_board, join_pairs
from leaderboard.pages.finding import collect_findings
from leaderboard.pages.selections import choose_front_episode, strip_path

_TOP = 5
"""Pairs on the front page."""

_STRIP = 4
"""Renderings on the front page; of a longer episode the ones between are left out."""


def build_games_front_page(games: Sequence[Any], handed_in: Sequence[Page] = ()) -> Page:
    """Return the front page of a site without the reconstruction game: the top of each game's board.

    Args:
        games: A ``leaderboard.model.section.GameSection`` for each game that has results.
        handed_in: Pages of the submissions without a run.
    """
    values = {"games": games, "handed_in": handed_in}
    return Page("index", "Games with words and pictures", "front_games", values, searchable=True, cited=False)


def build_front_page(site: Site, games: Sequence[Any] = ()) -> Page:
    """Return the front page: one episode, the best pairs, three doors, and the other games that have results.

    Args:
        site: Results of the reconstruction game.
        games: As for ``build_games_front_page``.
    """
    rows = join_pairs(site, site.under().board(site.judge))
    words = describe_board(site, site.judge)
    shown = rows[:_TOP]
    front: dict[str, Any] = {
        "games": games,
        "rows": shown,
        "words": words,
        "reasons": [entry["row"].cell.unranked for entry in shown],
    }
    front["finding"] = collect_findings(site)
    later = partial(_collect_best_episode, site)
    return Page("index", "The Image Reconstruction Game", "front", front, searchable=True, later=later)


def _collect_best_episode(site: Site) -> dict[str, Any]:
    return {"strip": _collect_strip(site)}


def _collect_strip(site: Site) -> dict[str, Any] | None:
    """Return the turns of the front page's episode, and its animation."""
    best = choose_front_episode(site)
    if best is None:
        return None
    turns = best.pair.rendered(best.result.episode)
    # Turns that the judge has not rated have no score to show.
    shown = _select_turns([turn for turn in turns if turn.turn in best.judged.trajectory])
    return {
        "pair": best.pair,
        "gallery": best.gallery,
        "turns": [_collect_turn(site, best.pair, best.judged, turn) for turn in shown],
        "skipped": len(turns) - len(shown),
        "animation": strip_path(best),
    }


def _select_turns(turns: list[Any]) -> list[Any]:
    # The last rendering always stands, because the final score is of that rendering.
    return turns if len(turns) <= _STRIP else [*turns[: _STRIP - 1], turns[-1]]


def _collect_turn(site: Site, pair: Pair, judged: JudgedEpisode, turn: Any) -> dict[str, Any]:
    assert turn.rendering is not None  # noqa: S101 - a rendered turn
    return {
        "number": turn.turn,
        "picture": site.rendering(pair.run_id, turn.rendering),
        "score": judged.trajectory[turn.turn],
        "message": turn.message or "",
    }
