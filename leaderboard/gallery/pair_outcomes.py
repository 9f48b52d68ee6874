"""A pair's episodes for the gallery's index: how each ended and changed, its scores, faults and pictures."""

from collections.abc import Iterable
from typing import Any

from leaderboard.gallery.episode_view import EpisodeView, TurnView
from leaderboard.model.site import Site

Outcomes = dict[str, list[Any]]
"""By instance: outcome, change, final and first score by the site's judge, number of facts wrong in the end, and the
final and the first picture, each ``[file, width, height, turn]``; null where something is not known or not there."""


def pair_outcomes(site: Site, views: Iterable[EpisodeView]) -> Outcomes:
    """Return the outcomes of a pair's episodes that were played.

    Args:
        site: What is shown.
        views: Views of the pair's episodes.
    """
    return {view.episode.instance_id: _outcome(site, view) for view in views if view.episode is not None}


def _outcome(site: Site, view: EpisodeView) -> list[Any]:
    assert view.episode is not None  # noqa: S101 - the caller leaves others out
    judged = next((judged for judged in view.judged if judged.judge == site.judge), None)
    change, final, first = (judged.convergence or "", judged.final, judged.first) if judged else ("", None, None)
    drawn = [turn for turn in view.turns if turn.picture is not None]
    last = drawn[-1] if drawn else None
    wrong = last.facts.decided - last.facts.held if last and last.facts else None
    # With a single rendering, first and final are the same picture.
    pictures = [_picture(last), _picture(drawn[0]) if len(drawn) > 1 else None]
    return [view.episode.outcome, change, final, first, wrong, *pictures]


def _picture(turn: TurnView | None) -> list[Any] | None:
    if turn is None or turn.picture is None:
        return None
    return [turn.picture.small, turn.picture.width, turn.picture.height, turn.number]
