"""The front page and the describer × generator matrix."""

from collections.abc import Iterator
from typing import Any

from ircore.records import Turn
from ircore.results.effects import pair_effects
from ircore.results.episodes import EpisodeResult, JudgedEpisode
from ircore.statistics.mixed import Unavailable
from leaderboard.boards import board_words, paired
from leaderboard.site import Gallery, Page, Pair, Site

_TOP = 5
"""Pairs on the front page."""

_STRIP = 4
"""Renderings on the front page; of a longer episode the ones between are left out."""

_TELLING = 3
"""Renderings from which a dialogue is seen to go somewhere; shorter episodes only stand there if there is no other."""

_GOOD_ENOUGH = 6.0
"""Final similarity from which an episode may stand on the front page for its improvement."""


def overview_pages(site: Site) -> Iterator[Page]:
    """Yield the front page and the matrix."""
    rows = paired(site, site.under().board(site.judge))
    words = board_words(site, site.judge)
    front = {"rows": rows[:_TOP], "words": words, "strip": _strip(site)}
    yield Page("index", "The Image Reconstruction Game", "front", front, searchable=True)
    yield _matrix_page(site, words)


def _strip(site: Site) -> dict[str, Any] | None:
    """Choose the episode that improved most among those that came close, else the best one; show its turns."""
    candidates = [
        (pair, result, judged)
        for pair in site.pairs.values()
        for result in site.results.episodes[pair.run_id]
        if (judged := site.judged(result)) is not None and judged.final is not None
    ]
    if not candidates:
        return None
    pair, result, judged = max(candidates, key=lambda one: _worth(one[1], one[2]))
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


def _matrix_page(site: Site, words: str) -> Page:
    gallery = _telling_instance(site)
    grid = [
        {
            "describer": describer,
            "cells": [
                [_matrix_cell(site, pair, gallery) for pair in _pairs_of(site, describer, generator)]
                for generator in site.generators
            ],
        }
        for describer in site.describers
    ]
    # One set of rules, as everywhere: other runs of the same pair stand on boards of their own.
    found = pair_effects(site.under(), site.judge, modelled=False).decomposition
    effects = None if isinstance(found, Unavailable) else found
    values = {"grid": grid, "gallery": gallery, "words": words, "effects": effects}
    return Page("matrix", "Describers × generators", "matrix", values)


def _pairs_of(site: Site, describer: str, generator: str) -> list[Pair]:
    return [
        one
        for one in site.pairs.values()
        if (one.describer, one.generator, one.result.run.rules) == (describer, generator, site.rule_sets[0])
    ]


def _telling_instance(site: Site) -> Gallery | None:
    """Choose the target that most pairs have drawn and that sets them apart most."""

    def telling(gallery: Gallery) -> tuple[int, float, str]:
        finals = [score for run_id in site.pairs if (score := _final(site, run_id, gallery)) is not None]
        spread = max(finals) - min(finals) if finals else 0.0
        return len(finals), spread, gallery.instance.instance_id

    best = max(site.galleries.values(), key=telling)
    return best if telling(best)[0] else None


def _final(site: Site, run_id: str, gallery: Gallery) -> float | None:
    judged = site.judged(site.episode(run_id, gallery.instance.instance_id))
    return judged.final if judged else None


def _matrix_cell(site: Site, pair: Pair, gallery: Gallery | None) -> dict[str, Any]:
    result = site.episode(pair.run_id, gallery.instance.instance_id) if gallery else None
    turns = result.episode.rendered_turns if result else ()
    last = turns[-1].rendering if turns else None
    return {
        "pair": pair,
        "cell": site.results.cell(pair.run_id, site.judge),
        "picture": site.rendering(pair.run_id, last) if last else None,
        "shown_score": _final(site, pair.run_id, gallery) if gallery else None,
    }
