"""The episodes of a pair as the gallery's data holds them: made once, and taken over while the run stays as it is.

A fragment depends on the run and who vouches for it, on the pair's name in addresses, on the site's judge and on where
originals lie; not on other runs. A pair's fragments are kept together, one line an instance in the order of the set.
"""

import json
from functools import partial
from typing import Any

from leaderboard.gallery.episode_view import EpisodeView, TurnView, view_episode
from leaderboard.gallery.marked import CORRECTION_WORDS, Marked
from leaderboard.kept import Kept, content_key
from leaderboard.shares import in_shares
from leaderboard.site import Pair, Site
from leaderboard.text import one_line, visible

_NOTE = 400
"""Characters of a generator's note."""

_MANY = 4
"""Pairs from which fragments are made in several processes."""


class Fragments:
    """The fragments of a site's episodes.

    Args:
        site: What is shown.
        kept: Where they are kept from build to build; None for nowhere, so that they are made whenever asked for.
    """

    def __init__(self, site: Site, kept: Kept | None = None) -> None:
        self._site = site
        self._kept = kept

    def make(self) -> None:
        """Make all that are not kept yet, and show their renderings: a fragment that is taken over has them too.

        Raises:
            WorkError: The disk is full.
        """
        for run_id, results in self._site.results.episodes.items():
            for turn in (turn for one in results for turn in one.episode.rendered_turns):
                assert turn.rendering is not None  # noqa: S101 - a rendered turn
                self._site.rendering(run_id, turn.rendering)
        if self._kept is not None:
            todo = [pair for pair in self._site.pairs.values() if self._kept.find(self._name(pair)) is None]
            in_shares(partial(self._make_share, todo, self._kept), len(todo) >= _MANY)

    def of(self, pair: Pair) -> list[str]:
        """Return a pair's fragments as JSON, one an instance in the order of the set."""
        found = self._kept.find(self._name(pair)) if self._kept else None
        lines = found.decode().split("\n") if found is not None else []
        return lines if len(lines) == len(self._site.galleries) else self._made(pair)

    def _make_share(self, todo: list[Pair], kept: Kept, share: int, shares: int) -> None:
        for pair in todo[share::shares]:
            kept.keep(self._name(pair), "\n".join(self._made(pair)).encode())

    def _made(self, pair: Pair) -> list[str]:
        views = (view_episode(self._site, pair, gallery) for gallery in self._site.galleries.values())
        return [compact(episode_json(view)) for view in views]

    def _name(self, pair: Pair) -> str:
        run, known = self._site.runs[pair.run_id], pair.result.provenance
        vouched = known.kind if known else ""
        return f"fragments/{content_key(run.key, pair.key, self._site.judge, self._site.pictures.originals, vouched)}"


def compact(value: Any) -> str:
    """Return JSON without spaces and line breaks."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def episode_json(view: EpisodeView) -> dict[str, Any]:
    """Return an episode as ``gallery-rows.js`` reads it; strangers' hidden characters are shown by their code."""
    detail = view.episode.detail if view.episode else None
    return {
        "pair": view.pair.key,
        "ended": view.ended,
        "outcome": view.episode.outcome if view.episode else None,
        "why": view.why,
        "detail": visible(detail) if detail else None,
        "verified": [view.verified.verified, view.verified.scores],
        "judged": [[one.judge, one.first, one.final, one.delta] for one in view.judged],
        "turns": [_turn(one) for one in view.turns],
    }


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
