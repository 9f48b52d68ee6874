"""The episodes of a pair as the gallery shows them: rendered once, and cached while the run is unchanged.

A pair that stands in every instance's page itself has sections of these pages; of the others data is made, which the
browser fetches. Neither depends on other runs. A pair's fragments are cached together, one line an instance in the
order of the set, and the outcomes of all its episodes in an entry of their own, which is a tenth as large.
"""

import json
from collections.abc import Sequence
from functools import partial
from typing import Any

from markupsafe import Markup

from ircore.core.untrusted_text import format_one_line, make_visible
from ircore.core.workers import run_shares
from leaderboard.components.xray_data import build_xray_data
from leaderboard.gallery.episode_view import EpisodeView, TurnView, view_episode
from leaderboard.gallery.pair_outcomes import pair_outcomes
from leaderboard.model.final_fates import load_pair_facts, store_fates
from leaderboard.model.site import Pair, Site
from leaderboard.model.turn_facts import Lines, TurnFacts
from leaderboard.rendering.render import render_block
from leaderboard.storage.build_cache import BuildCache, load_or_make
from leaderboard.words.labels import open_words
from leaderboard.words.marked_messages import CORRECTION_WORDS, Marked

FIRST = 6
"""Number of pairs whose episodes stand in an instance's page itself."""

_NOTE = 400
"""Characters shown of a generator's note."""

_MANY = 4
"""Number of pairs from which fragments are rendered in several processes."""

_ROOT = "../"
"""Relative address of the site's root from an instance's page."""


def list_ranked_pairs(site: Site) -> list[Pair]:
    """Return the pairs in the order of the overall board: the same order on every page."""
    return [site.pairs[row.submission.run_id] for row in site.results.board(site.judge)]


class Fragments:
    """The fragments of a site's episodes.

    Args:
        site: The site; without a build cache, fragments are rendered at every call.

    Example:
        >>> from pathlib import Path
        >>> from leaderboard.model.site_runs import SiteRun
        >>> site = Site([SiteRun(Path("run"))])
        >>> len(Fragments(site).of(next(iter(site.pairs.values()))))
        2
    """

    def __init__(self, site: Site) -> None:
        self._site = site
        self._first = {pair.run_id for pair in list_ranked_pairs(site)[:FIRST]}
        self._sections: dict[str, list[Markup]] = {}

    def make(self) -> None:
        """Render the fragments missing in the build cache, and register the pictures that all fragments show.

        Raises:
            WorkError: The disk is full.
        """
        # Cached fragments name pictures without asking for them, so the pictures of all turns are registered here.
        for run_id, results in self._site.results.episodes.items():
            for rendering in (drawn for result in results for drawn in result.episode.renderings.values()):
                self._site.rendering(run_id, rendering)
        cache = self._site.cache
        if cache is not None:
            pairs = self._site.pairs.values()
            todo = [
                pair for pair in pairs if not (cache.has(self._name(pair)) and cache.has(self._name_outcomes(pair)))
            ]
            run_shares(partial(self._make_share, todo, cache), len(todo) >= _MANY)

    def sections(self, pair: Pair) -> list[Markup]:
        """Return the HTML sections of one of the first ``FIRST`` pairs, one per instance, in the set's order."""
        if pair.run_id not in self._sections:
            # Made by a template, which has escaped what was to be escaped.
            self._sections[pair.run_id] = [Markup(json.loads(line)) for line in self.of(pair)]  # noqa: S704
        return self._sections[pair.run_id]

    def of(self, pair: Pair) -> list[str]:
        """Return a pair's fragments as JSON texts, one per instance, in the set's order."""
        cached = self._site.cache.load(self._name(pair)) if self._site.cache else None
        lines = cached.decode().split("\n") if cached is not None else []
        # A line for each instance; another number means a damaged cache entry.
        return (
            lines
            if len(lines) == len(self._site.galleries)
            else self._render_fragments(pair, self._view_episodes(pair))
        )

    def outcomes(self, pair: Pair) -> str:
        """Return ``pair_outcomes`` of a pair's episodes as a JSON text."""
        return load_or_make(
            self._site.cache, self._name_outcomes(pair), lambda: self._dump_outcomes(self._view_episodes(pair))
        ).decode()

    def _make_share(self, todo: list[Pair], cache: BuildCache, share: int, shares: int) -> None:
        for pair in todo[share::shares]:
            facts = load_pair_facts(self._site, pair)
            views = self._view_episodes(pair, facts)
            cache.store(self._name(pair), "\n".join(self._render_fragments(pair, views)).encode())
            cache.store(self._name_outcomes(pair), self._dump_outcomes(views))
            store_fates(self._site, pair, facts)

    def _dump_outcomes(self, views: Sequence[EpisodeView]) -> bytes:
        return dump_compact(pair_outcomes(self._site, views)).encode()

    def _view_episodes(self, pair: Pair, facts: Lines | None = None) -> list[EpisodeView]:
        known = load_pair_facts(self._site, pair) if facts is None else facts
        return [view_episode(self._site, pair, gallery, known) for gallery in self._site.galleries.values()]

    def _render_fragments(self, pair: Pair, views: Sequence[EpisodeView]) -> list[str]:
        if pair.run_id in self._first:
            return [dump_compact(render_block("episode", {"row": view, "root": _ROOT})) for view in views]
        return [dump_compact(build_episode_json(view)) for view in views]

    def _name(self, pair: Pair) -> str:
        # The place on the board decides the form, so both forms of a run are cached apart.
        return f"{'sections' if pair.run_id in self._first else 'fragments'}/{self._site.key(pair)}"

    def _name_outcomes(self, pair: Pair) -> str:
        return f"outcomes/{self._site.key(pair)}"


def dump_compact(value: Any) -> str:
    """Return JSON without spaces and line breaks."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def build_episode_json(view: EpisodeView) -> dict[str, Any]:
    """Return an episode as ``gallery-rows.js`` reads it; strangers' hidden characters are shown by their code."""
    detail = view.episode.detail if view.episode else None
    return {
        "pair": view.pair.key,
        "ended": view.ended,
        "outcome": view.episode.outcome if view.episode else None,
        "why": view.why,
        "detail": make_visible(detail) if detail else None,
        "vouched": [view.vouched.vouched, view.vouched.scores],
        "judged": [[judged.judge, judged.first, judged.final, judged.delta] for judged in view.judged],
        "turns": [_turn(turn) for turn in view.turns],
    }


def _turn(turn: TurnView) -> dict[str, Any]:
    picture = turn.picture
    return {
        "turn": turn.number,
        "picture": [picture.small, picture.large, picture.width, picture.height] if picture else None,
        "alt": turn.alt,
        "scores": [list(score) for score in turn.scores],
        "message": _build_message(turn.message) if turn.message else None,
        "tokens": turn.tokens,
        "over": turn.over_budget,
        "notes": [format_one_line(note, _NOTE) for note in turn.notes],
        "facts": _build_facts(turn.facts) if turn.facts else None,
        "xray": build_xray_data(turn.xray) if turn.xray else None,
    }


def _build_facts(facts: TurnFacts) -> dict[str, Any]:
    return {
        "counts": [facts.held, facts.decided, facts.gained, facts.lost],
        "open": None if facts.doubt is None else open_words(facts.doubt),
        "groups": [[group.heading, [list(part) for part in group.parts]] for group in facts.groups],
    }


def _build_message(message: Marked) -> dict[str, Any]:
    return {
        "text": [
            [
                make_visible(segment.text),
                segment.corrections[0],
                ", ".join(CORRECTION_WORDS[name] for name in segment.corrections),
            ]
            if segment.corrections
            else make_visible(segment.text)
            for segment in message.segments
        ],
        "more": message.left_out,
        "fired": [[name, CORRECTION_WORDS[name]] for name in message.corrections],
    }
