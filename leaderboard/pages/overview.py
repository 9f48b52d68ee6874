"""The front page."""

import re
from collections.abc import Iterable, Sequence
from functools import partial
from operator import itemgetter
from typing import Any

from ircore.core.episode_records import Turn
from ircore.results.episodes import JudgedEpisode
from leaderboard.model.site import Page, Pair, Site
from leaderboard.pages.boards import board_words, paired
from leaderboard.pages.finding import finding
from leaderboard.pages.selections import GOOD, Chosen, judged_episodes

_TOP = 5
"""Pairs on the front page."""

_EASY_WORDS = 60
"""Words and numbers of a message that people read without effort."""

_STRIP = 4
"""Renderings on the front page; of a longer episode the ones between are left out."""

_Worth = tuple[bool, bool, float, str]
"""Whether an episode ends well, whether it improves over turns, its gain in legible words, and its id."""


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
    front: dict[str, Any] = {
        "games": games,
        "rows": shown,
        "words": words,
        "reasons": [entry["row"].cell.unranked for entry in shown],
    }
    front["finding"] = finding(site)
    later = partial(_best_episode, site)
    return Page("index", "The Image Reconstruction Game", "front", front, searchable=True, later=later)


def _best_episode(site: Site) -> dict[str, Any]:
    return {"strip": _strip(site)}


def _strip(site: Site) -> dict[str, Any] | None:
    """Return the turns of a close reconstruction that improved much and is told in words that people read easily.

    A held run is no example: its pictures may be copies.
    """
    cleared = (chosen for chosen in judged_episodes(site) if chosen.pair.run_id not in site.results.held)
    best = _best(cleared)
    if best is None:
        return None
    turns = best.result.episode.rendered_turns
    shown = _selected([turn for turn in turns if turn.turn in best.judged.trajectory])
    return {
        "pair": best.pair,
        "gallery": best.gallery,
        "turns": [_turn(site, best.pair, best.judged, turn) for turn in shown],
        "skipped": len(turns) - len(shown),
    }


def _best(episodes: Iterable[Chosen]) -> Chosen | None:
    """Return the episode of the greatest worth; messages are read only of episodes that may be the best."""
    best: tuple[_Worth, Chosen] | None = None
    for most, chosen in sorted(((_most(chosen), chosen) for chosen in episodes), key=itemgetter(0), reverse=True):
        if best is not None and best[0] > most:
            break
        if best is None or _worth(chosen) > best[0]:
            best = _worth(chosen), chosen
    return best[1] if best else None


def _most(chosen: Chosen) -> _Worth:
    """Return the worth that an episode would have if its messages were all words."""
    good, tells, value, episode_id = _worth(chosen, legible=1.0)
    return good, tells, max(value, 0.0), episode_id


def _worth(chosen: Chosen, legible: float | None = None) -> _Worth:
    """Return what orders episodes: a shorter episode, or a worse one, is shown only if there is no better.

    Of good episodes that improve, the gain counts by how much of their messages are words.

    Args:
        chosen: The episode.
        legible: How easily its messages read, 0-1; None to read them.
    """
    final, delta = chosen.judged.final or 0.0, chosen.judged.delta or 0.0
    good, turns = final >= GOOD, chosen.result.episode.rendered_turns
    tells = good and delta > 0 and len(turns) > 1
    if good and legible is None:
        legible = legibility([turn.message or "" for turn in turns])
    return good, tells, delta * (legible or 0.0) if good else final, chosen.result.episode.episode_id


def legibility(messages: Sequence[str]) -> float:
    """Return how easily messages read, 0–1: the share of words among words and numbers, less for long messages.

    >>> legibility(["A red circle in the middle"]) > legibility(["A #ff0000 circle at (256, 256)"])
    True

    Args:
        messages: Of an episode.
    """
    tokens: list[str] = [token for message in messages for token in re.findall(r"#?\w[\w.'-]*", message)]
    words = sum(token.isalpha() for token in tokens)
    easy = _EASY_WORDS * len(messages)
    return words * min(1.0, easy / max(1, len(tokens))) / max(1, len(tokens))


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
