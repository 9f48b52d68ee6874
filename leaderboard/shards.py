"""Episodes as small JSON files that an instance's page fetches when a reader wants more pairs than the first few.

``data/gallery/pairs.json`` names every pair once, in the order of the overall board. The first ``FIRST`` of them stand
in every instance's page; the others lie in ``data/gallery/<instance>/<n>.json``, ``SHARD`` pairs a file, n from 0.
How a pair's episodes ended is in ``data/gallery/pairs/<pair>.json``, for the filters of the gallery's index.
"""

import json
from collections.abc import Iterator
from itertools import islice
from typing import Any

from leaderboard.episode_view import EpisodeView, TurnView, view_episode
from leaderboard.marked import CORRECTION_WORDS, Marked
from leaderboard.site import Pair, Site
from leaderboard.text import one_line, visible
from leaderboard.theme import describer_class, generator_path

FIRST = 6
"""Pairs that stand in an instance's page itself."""

SHARD = 20
"""Pairs in one file."""

FOLDER = "data/gallery"
"""Where the files lie, relative to the site's root."""

_NOTE = 400
"""Characters of a generator's note."""


def ranked_pairs(site: Site) -> list[Pair]:
    """Return the pairs in the order of the overall board: the same order on every page."""
    return [site.pairs[row.submission.run_id] for row in site.results.board(site.judge)]


def gallery_shards(site: Site, share: int = 0, shares: int = 1) -> Iterator[tuple[str, str]]:
    """Yield every file of the gallery's data: its path below the site's root, and its text.

    Args:
        site: What is shown; the renderings are added to its pictures.
        share: Which share of the instances, 0-based.
        shares: Into how many shares they are cut.
    """
    pairs = ranked_pairs(site)
    yield f"{FOLDER}/pairs.json", _dumps({"first": FIRST, "shard": SHARD, "pairs": [_pair(one) for one in pairs]})
    for pair in islice(pairs, share, None, shares):
        yield f"{FOLDER}/pairs/{pair.key}.json", _dumps(_outcomes(site, pair))
    later = pairs[FIRST:]
    for gallery in islice(site.galleries.values(), share, None, shares):
        for number, start in enumerate(range(0, len(later), SHARD)):
            views = [view_episode(site, pair, gallery) for pair in later[start : start + SHARD]]
            yield f"{FOLDER}/{gallery.instance.instance_id}/{number}.json", _dumps([episode_json(one) for one in views])


def episode_json(view: EpisodeView) -> dict[str, Any]:
    """Return an episode as ``gallery-rows.js`` reads it; strangers' hidden characters are shown by their code."""
    detail = view.episode.detail if view.episode else None
    return {
        "pair": view.pair.key,
        "ended": view.ended,
        "outcome": view.episode.outcome if view.episode else None,
        "why": view.why,
        "detail": visible(detail) if detail else None,
        "judged": [[one.judge, one.first, one.final, one.delta] for one in view.judged],
        "turns": [_turn(one) for one in view.turns],
    }


def _pair(pair: Pair) -> dict[str, Any]:
    return {
        "key": pair.key,
        "describer": visible(pair.describer),
        "generator": visible(pair.generator),
        "apart": visible(pair.apart),
        "hue": describer_class(pair.hue),
        "mark": generator_path(pair.shape),
    }


def _outcomes(site: Site, pair: Pair) -> dict[str, list[Any]]:
    """Return of each instance that a pair played: outcome, change, and final score by the site's judge."""
    found: dict[str, list[Any]] = {}
    for result in site.results.episodes[pair.run_id]:
        judged = site.judged(result)
        change, final = (judged.convergence, judged.final) if judged else (None, None)
        found[result.episode.instance_id] = [result.episode.outcome, change or "", final]
    return found


def _turn(turn: TurnView) -> dict[str, Any]:
    picture = turn.picture
    return {
        "turn": turn.number,
        "picture": [picture.small, picture.large, picture.width, picture.height] if picture else None,
        "alt": turn.alt,
        "scores": [list(one) for one in turn.scores],
        "message": _message(turn.message) if turn.message else None,
        "tokens": turn.tokens,
        "over": turn.over_budget,
        "notes": [one_line(note, _NOTE) for note in turn.notes],
    }


def _message(message: Marked) -> dict[str, Any]:
    return {
        "text": [
            [visible(one.text), one.corrections[0], ", ".join(CORRECTION_WORDS[name] for name in one.corrections)]
            if one.corrections
            else visible(one.text)
            for one in message.segments
        ],
        "more": message.left_out,
        "fired": [[name, CORRECTION_WORDS[name]] for name in message.corrections],
    }


def _dumps(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False) + "\n"
