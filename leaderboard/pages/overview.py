"""The front page."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from ircore.core.episode_records import Turn
from ircore.results.episodes import EpisodeResult, JudgedEpisode
from leaderboard.model.site import Page, Pair, Site
from leaderboard.pages.boards import board_words, paired

_TOP = 5
"""Pairs on the front page."""

_STRIP = 4
"""Renderings on the front page; of a longer episode the ones between are left out."""

_TELLING = 3
"""Renderings from which a dialogue is seen to go somewhere; shorter episodes only stand there if there is no other."""

_GOOD_ENOUGH = 6.0
"""Final similarity from which an episode may stand on the front page for its improvement."""


def games_front_page(games: Sequence[Any], handed_in: Sequence[Page] = ()) -> Page:
    """Return the front page of a site without the reconstruction game: the top of each game's board.

    Args:
        games: A ``leaderboard.games.section.GameSection`` for each game that has results.
        handed_in: Pages of the submissions without a run.
    """
    values = {"games": games, "handed_in": handed_in}
    return Page("index", "Games with words and pictures", "front_games", values, searchable=True)


def front_page(site: Site, games: Sequence[Any] = ()) -> Page:
    """Return the front page: one episode, the best pairs, three doors, and the other games that have results.

    Args:
        site: Results of the reconstruction game.
        games: As for ``games_front_page``.
    """
    rows = paired(site, site.under().board(site.judge))
    words = board_words(site, site.judge)
    shown = rows[:_TOP]
    front = {"games": games, "rows": shown, "words": words, "reasons": [entry["row"].cell.unranked for entry in shown]}
    later = partial(_best_episode, site)
    return Page("index", "The Image Reconstruction Game", "front", front, searchable=True, later=later)


def _best_episode(site: Site) -> dict[str, Any]:
    return {"strip": _strip(site)}


def _strip(site: Site) -> dict[str, Any] | None:
    """Return the turns of the most improved episode among close reconstructions, else of the best episode."""
    candidates = [
        (pair, result, judged)
        for pair in site.pairs.values()
        for result in site.results.episodes[pair.run_id]
        if (judged := site.judged(result)) is not None and judged.final is not None
    ]
    if not candidates:
        return None
    pair, result, judged = max(candidates, key=lambda entry: _worth(entry[1], entry[2]))
    shown = _selected([turn for turn in result.episode.rendered_turns if turn.turn in judged.trajectory])
    return {
        "pair": pair,
        "gallery": site.galleries[result.episode.instance_id],
        "turns": [_turn(site, pair, judged, turn) for turn in shown],
        "skipped": len(result.episode.rendered_turns) - len(shown),
    }


def _worth(result: EpisodeResult, judged: JudgedEpisode) -> tuple[bool, bool, float, str]:
    final, delta = judged.final or 0.0, judged.delta or 0.0
    good = final >= _GOOD_ENOUGH
    tells = good and delta > 0 and len(result.episode.rendered_turns) >= _TELLING
    return good, tells, delta if good else final, result.episode.episode_id


def _selected(turns: list[Turn]) -> list[Turn]:
    return turns if len(turns) <= _STRIP else [*turns[: _STRIP - 1], turns[-1]]


def _turn(site: Site, pair: Pair, judged: JudgedEpisode, turn: Turn) -> dict[str, Any]:
    assert turn.rendering is not None  # noqa: S101 - a rendered turn
    return {
        "number": turn.turn,
        "picture": site.rendering(pair.run_id, turn.rendering),
        "score": judged.trajectory[turn.turn],
        "message": turn.message or "",
    }
