"""A sample row of an instance page, from which scripts make the rows of pairs that are not in the page."""

from functools import partial

from ircore.core.episode_records import Episode
from ircore.results.episodes import Doubt, JudgedEpisode
from ircore.results.vouched_scores import VouchedScores
from leaderboard.gallery.episode_view import EpisodeView, TurnView
from leaderboard.model.site import Pair
from leaderboard.model.turn_facts import FactGroup, TurnFacts
from leaderboard.storage.pictures import Shown
from leaderboard.words.marked_messages import Marked, Segment

_ANY = "…"
"""Stands where a script puts words."""


def sample_episode(pair: Pair) -> EpisodeView:
    """Return a sample episode that contains every element a gallery row can show.

    Its judges are one with a change and one of a single rendering, its turns one with a rendering and one without.

    Args:
        pair: A pair without a row in the page, so that no id is there twice.
    """
    judged = partial(JudgedEpisode, _ANY, 0.0, 0.0, convergence=None, preference=None, trajectory={})
    message = Marked((Segment(_ANY, ("position",)),), 1, ("position",))
    facts = TurnFacts(0, 0, 1, 1, Doubt(0, 0, 1, unread=True), (FactGroup(_ANY, (("presence", _ANY),)),))
    turn = partial(
        TurnView, alt=_ANY, scores=((_ANY, 0.0), (_ANY, None)), message=message, tokens=0, over_budget=True, facts=facts
    )
    picture = Shown("index.html", "index.html", 1, 1)
    return EpisodeView(
        pair=pair,
        episode=Episode(
            episode_id="sample",
            instance_id="sample",
            category="sample",
            difficulty="easy",
            outcome="aborted",
            abort_reason="given_up",
            detail=_ANY,
            turns=(),
        ),
        judged=(judged(0.0), judged(None)),
        turns=(turn(1, picture, notes=(_ANY,)), turn(2, None, notes=(_ANY,))),
        ended=_ANY,
        why=_ANY,
        vouched=VouchedScores(1, 1),
    )
