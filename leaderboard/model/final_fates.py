"""The fates of all marks in a pair's final renderings: the marks that the pair can and cannot draw.

They are computed with the pair's fragments for the gallery and kept in the build cache beside them, so that pages on
pairs and on players read no facts again.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from ircore.core.score_records import Placement
from leaderboard.model.site import Pair, Site
from leaderboard.model.turn_facts import Lines
from leaderboard.model.xray import LETTER, Fate, build_xrays
from leaderboard.storage.build_cache import load_or_make

_FATE: Mapping[str, Fate] = {letter: fate for fate, letter in LETTER.items()}


@dataclass(frozen=True)
class FinalFates:
    """The fates of a target's marks in the final rendering of an episode.

    >>> FinalFates((0.0, 0.0, 1.0, 0.0), ("right", "missing")).fates.count("missing")
    1
    """

    transform: Placement
    """From target to rendering, as ``Xray.transform``."""

    fates: tuple[Fate, ...]
    """One a mark."""


def load_pair_facts(site: Site, pair: Pair) -> Lines:
    """Return the facts of a single pair's renderings; the facts of all pairs would not fit in memory."""
    run = site.results.runs[pair.run_id]
    return {(line.episode_id, line.rendering): line for line in run.facts()}


def load_final_fates(site: Site, pair: Pair) -> dict[str, FinalFates]:
    """Return the fates in each of a pair's final renderings whose facts are known, by instance."""
    text = load_or_make(site.cache, _name(site, pair), lambda: _compute_fates(site, pair, load_pair_facts(site, pair)))
    return {
        instance: FinalFates(tuple(transform), tuple(_FATE[letter] for letter in letters))
        for instance, (transform, letters) in json.loads(text).items()
    }


def store_fates(site: Site, pair: Pair, facts: Lines) -> None:
    """Keep a pair's fates in the build cache.

    Raises:
        WorkError: The disk is full.
    """
    if site.cache is not None:
        site.cache.store(_name(site, pair), _compute_fates(site, pair, facts))


def _compute_fates(site: Site, pair: Pair, facts: Lines) -> bytes:
    fates = {}
    for result in site.results.episodes[pair.run_id]:
        gallery = site.galleries[result.episode.instance_id]
        # Turns count from 1: turn 0 is in no X-ray.
        last = max(result.episode.renderings, default=0)
        ray = (
            build_xrays(gallery.drawn, site.results.game, result.episode, facts, only=last).get(last) if facts else None
        )
        if ray is not None:
            letters = "".join(LETTER[fate] for fate in ray.fates)
            # A letter a fate keeps the cache small: pages need the fates of thousands of marks.
            fates[result.episode.instance_id] = [list(ray.transform), letters]
    return json.dumps(fates, separators=(",", ":")).encode()


def _name(site: Site, pair: Pair) -> str:
    return f"fates/{site.key(pair)}"
