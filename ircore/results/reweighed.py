"""Scores of final renderings by judge ``verified`` under other weights of the facts, and without their power.

They show how much ranks owe to the choice of weights (``ircore.results.tables.sensitivity``); none is published as a
score.
"""

from collections.abc import Iterable, Mapping, Sequence
from math import fsum
from typing import TYPE_CHECKING, NamedTuple

from ircore.core.episode_records import Episode
from ircore.core.fact_records import RenderingFacts
from ircore.core.records import Instance
from ircore.games.reconstruction.records import renderings_of

if TYPE_CHECKING:
    from ircore.scorers.verification.score import ScoredFact
    from ircore.scorers.verification.verdicts import Checked


class Weighing(NamedTuple):
    """Another way to weigh facts."""

    writing: float = 1.0
    """Factor of the weight of what is written."""

    linear: bool = False
    """Whether what is wrong counts in proportion, without the power."""


WEIGHINGS: Mapping[str, Weighing] = {
    "half the weight of writing": Weighing(writing=0.5),
    "double the weight of writing": Weighing(writing=2.0),
    "no power of what is missing": Weighing(linear=True),
}
"""Other ways to weigh facts, by name."""


def reweighed_scores(
    instances: Iterable[Instance], episodes: Iterable[Episode], facts: Iterable[RenderingFacts]
) -> dict[str, dict[str, list[float]]]:
    """Return the scores of final renderings whose facts can be restored, by weighing and instance.

    A pair that played an instance several times has several final renderings of it.

    Args:
        instances: What was played.
        episodes: Of one run.
        facts: Of the same run; read once, nothing of them but the scores is kept.
    """
    from ircore.scorers.verification.score import score_of
    from ircore.scorers.verification.stored_verdicts import checked_facts

    scenes = {instance.instance_id: instance.scene for instance in instances}
    finals = {
        (episode.episode_id, [*renderings_of(episode).values()][-1].sha256): episode.instance_id
        for episode in episodes
        if episode.played and renderings_of(episode)
    }
    scores: dict[str, dict[str, float]] = {}
    for line in facts:
        scene = scenes.get(finals.get((line.episode_id, line.rendering), ""))
        checked = checked_facts(scene, line) if scene is not None else ()
        if not checked:
            continue
        surplus = fsum(extra.weight for extra in line.extras)
        for name, (writing, linear) in WEIGHINGS.items():
            weighed = score_of(_weighed(checked, writing), surplus, line.cost, linear=linear)
            # Of two lines on one rendering the later counts.
            scores.setdefault(name, {})[line.episode_id] = weighed.score
    played = {episode_id: instance_id for (episode_id, _), instance_id in finals.items()}
    return {name: _by_instance(by_episode, played) for name, by_episode in scores.items()}


def _by_instance(scores: Mapping[str, float], played: Mapping[str, str]) -> dict[str, list[float]]:
    of_instances: dict[str, list[float]] = {}
    for episode_id, score in scores.items():
        of_instances.setdefault(played[episode_id], []).append(score)
    return of_instances


def _weighed(checked: Sequence["Checked"], writing: float) -> list["ScoredFact"]:
    """Return facts with the weight of writing multiplied, all together still 100."""
    from ircore.scorers.verification.scene_facts.weights import share_of
    from ircore.scorers.verification.score import ScoredFact

    written = {each.fact.mark for each in checked if each.fact.attribute == "text"}
    weights = [each.fact.weight * (writing if share_of(each.fact, written) == "writing" else 1.0) for each in checked]
    scale = 100 / whole if writing != 1 and (whole := fsum(weights)) else 1.0
    return [
        ScoredFact(each.fact.attribute, scale * weight, each.verdict, each.credit)
        for each, weight in zip(checked, weights, strict=True)
    ]
