"""Episodes for the gallery's index: how each ended and changed, its scores, faults and pictures."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from leaderboard.gallery.episode_view import EpisodeView, TurnView
from leaderboard.model.site import Site

Outcomes = dict[str, list[Any]]
"""By instance: outcome, change, final and first score by the site's judge, number of facts wrong in the end, and the
final and the first picture, each ``[file, width, height, turn]``; null where something is not known or not there."""

_PAIR, _FINAL, _FIRST, _LAST, _BEGUN = 0, 3, 4, 6, 7
"""Places in an outcome behind the pair's key."""


def pair_outcomes(site: Site, views: Iterable[EpisodeView]) -> Outcomes:
    """Return the outcomes of a pair's episodes that were played.

    Args:
        site: What is shown.
        views: Views of the pair's episodes.
    """
    return {view.episode.instance_id: _list_outcome_fields(site, view) for view in views if view.episode is not None}


def _list_outcome_fields(site: Site, view: EpisodeView) -> list[Any]:
    assert view.episode is not None  # noqa: S101 - the caller leaves others out
    judged = next((judged for judged in view.judged if judged.judge == site.judge), None)
    change, final, first = (judged.convergence or "", judged.final, judged.first) if judged else ("", None, None)
    drawn = [turn for turn in view.turns if turn.picture is not None]
    last = drawn[-1] if drawn else None
    wrong = last.facts.decided - last.facts.held if last and last.facts else None
    # With a single rendering, first and final are the same picture.
    pictures = [_list_picture_fields(last), _list_picture_fields(drawn[0]) if len(drawn) > 1 else None]
    return [view.episode.outcome, change, final, first, wrong, *pictures]


def select_extreme_episodes(outcomes: Mapping[str, Outcomes]) -> dict[str, list[list[Any]]]:
    """Return the episodes that may be best, worst, most improved or most regressed under some filter.

    Args:
        outcomes: By key of each pair, the outcomes of its episodes.

    Returns:
        By instance the extreme episodes of all that ended and changed the same way: the pair's key, then the outcome.
    """
    groups: dict[str, dict[tuple[str, str], list[list[Any]]]] = {}
    for key, of_pair in sorted(outcomes.items()):
        for instance_id, outcome in of_pair.items():
            same_end = groups.setdefault(instance_id, {}).setdefault((outcome[0], outcome[1]), [])
            same_end.append([key, *outcome])
    return {
        instance_id: [episode for episodes in by_end.values() for episode in _select_extremes(episodes)]
        for instance_id, by_end in groups.items()
    }


def _select_extremes(episodes: Sequence[list[Any]]) -> list[list[Any]]:
    """Return those of the lowest and highest final score and of the largest loss and gain, each once, as listed."""
    shown = [episode for episode in episodes if episode[_FINAL] is not None and episode[_LAST]]
    moved = [episode for episode in shown if episode[_FIRST] is not None and episode[_BEGUN]]
    among = ((shown, _get_final), (moved, _compute_gain))
    pairs = {choose(some, key=value)[_PAIR] for some, value in among if some for choose in (min, max)}
    return [episode for episode in shown if episode[_PAIR] in pairs]


def _get_final(episode: Sequence[Any]) -> float:
    return float(episode[_FINAL])


def _compute_gain(episode: Sequence[Any]) -> float:
    return float(episode[_FINAL] - episode[_FIRST])


def _list_picture_fields(turn: TurnView | None) -> list[Any] | None:
    if turn is None or turn.picture is None:
        return None
    return [turn.picture.small, turn.picture.width, turn.picture.height, turn.number]
