"""Shares of facts: stated by messages, drawn and corrected by turn, shown part by part, and under other weights.

Shares by turn come from the measurements of ``ircore score --facts``; the parts of a final rendering and its score
under other weights come from the facts of judge ``verified``. The latter show how much ranks owe to the choice of
weights (``ircore.results.tables.sensitivity``); none of them is published as a score.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import TYPE_CHECKING, NamedTuple

from ircore.core.episode_records import Episode
from ircore.core.records import Instance, Scene
from ircore.core.score_records import PARTS, Part, PartShare, RenderingFacts
from ircore.results.arrays import strata
from ircore.results.statistics.intervals import SHARE, Estimate, estimate, estimate_all
from ircore.runs.folder import SaidTurn

if TYPE_CHECKING:
    from ircore.scorers.verification.score import ScoredFact
    from ircore.scorers.verification.verdicts import CheckedFact

Weights = tuple[float, ...]


@dataclass(frozen=True)
class _SaidPoint:
    """The three shares of some episodes at a given turn, or at each episode's last turn."""

    turn: int | None
    """1-based; None for each episode's last turn, and for corrections at any turn."""

    said: Estimate
    """Share of the facts, by weight, that the messages up to this turn state, of those that can be told; 0–1."""

    drawn: Estimate
    """Share of the stated facts that the rendering shows; 0–1."""

    corrected: Estimate
    """Share of the facts that were wrong one turn before and named at this turn which are right now; 0–1."""


def compute_said_points(
    turns: Iterable[SaidTurn], episodes: Iterable[Episode], instances: Iterable[Instance]
) -> tuple[_SaidPoint, ...]:
    """Return the shares of a run: over all turns first, then turn by turn.

    Means are over episodes, so over pictures; intervals as everywhere (``ircore.results.statistics.intervals``). An
    episode that has ended counts with its last turn, as in the score by turn.

    Args:
        turns: As one reader read them; those of renderings that were drawn anew since are passed over.
        episodes: That count, of one run.
        instances: Of the set.
    """
    scenes = {instance.instance_id: instance.scene for instance in instances if instance.scene is not None}
    played = list(episodes)
    by_episode = _group_by_episode(turns, played)
    tracks = [_list_steps(turns_of, _list_weights(scenes[turns_of[0].episode_id])) for turns_of in by_episode]
    label_of = dict(zip((episode.episode_id for episode in played), strata(played), strict=True))
    labels = [label_of[turns_of[0].episode_id] for turns_of in by_episode]
    longest = max((len(track) for track in tracks), default=0)
    return tuple(_compute_point(tracks, turn, labels) for turn in (None, *range(1, longest + 1)))


@dataclass(frozen=True)
class _ReaderAgreement:
    """How far two readers of the same turns agree which facts the messages state."""

    agreement: Estimate
    """Share of the facts on which they agree, 0–1: mean over episodes."""

    kappa: float | None
    """Cohen's κ (1960) over all facts of all turns, −1 to 1; None if a reader says the same of every fact."""

    facts: int
    """Number of facts compared, each once a turn."""


def compare_readers(first: Iterable[SaidTurn], second: Iterable[SaidTurn]) -> _ReaderAgreement:
    """Compare two readers on the turns that both have read; facts that either cannot tell are left out."""
    known = {(turn.episode_id, turn.turn, turn.rendering): turn for turn in second}
    pairs: dict[str, list[tuple[str, str]]] = {}
    for turn in first:
        twin = known.get((turn.episode_id, turn.turn, turn.rendering))
        # Readings of different lists of facts cannot be compared letter by letter.
        if twin is not None and len(twin.stated) == len(turn.stated):
            decided = [pair for pair in zip(turn.stated, twin.stated, strict=True) if set(pair) <= {"0", "1"}]
            pairs.setdefault(turn.episode_id, []).extend(decided)
    shares = [sum(a == b for a, b in decided) / len(decided) for decided in pairs.values() if decided]
    every = [pair for decided in pairs.values() for pair in decided]
    return _ReaderAgreement(estimate(shares, SHARE), _compute_kappa(every), len(every))


@dataclass(frozen=True)
class PartResult:
    """Mean share of one part of the facts over episodes of a run.

    >>> PartResult(estimate([0.5, 1.0], SHARE), held=3, decided=4, total=5).share.mean
    0.75
    """

    share: Estimate
    """Share of the facts, by weight, that final renderings show, 0–1: mean over episodes. Of extra: precision."""

    held: int
    """Number of facts that hold, over all these episodes."""

    decided: int
    """Number of facts that hold or fail."""

    total: int
    """Number of facts."""


def compute_final_parts(
    episodes: Iterable[Episode], facts: Iterable[RenderingFacts]
) -> dict[str, dict[Part, PartShare]]:
    """Return the parts of each episode's final rendering whose facts are known.

    Args:
        episodes: Of one run.
        facts: Of the same run; read once, nothing else of them is kept.
    """
    finals = {}
    # Only the hash of each final rendering is held while facts, which can be many, are read once.
    for episode in episodes:
        if episode.played and episode.renderings:
            finals[episode.episode_id] = [*episode.renderings.values()][-1].sha256
    return {line.episode_id: dict(line.parts) for line in facts if finals.get(line.episode_id) == line.rendering}


def estimate_parts(shares: Iterable[Mapping[Part, PartShare]], labels: Sequence[str] = ()) -> dict[Part, PartResult]:
    """Return each part over some episodes, given with the condition of each.

    >>> estimate_parts([{"text": PartShare(0.5, 1, 2, 3)}, {"text": PartShare(1.0, 2, 2, 2)}])["text"].share.mean
    0.75
    """
    episodes = list(shares)
    columns = [[parts.get(part) for parts in episodes] for part in PARTS]
    means = estimate_all(([score and score.share for score in column] for column in columns), SHARE, labels)
    results: dict[Part, PartResult] = {}
    for part, column, mean in zip(PARTS, columns, means, strict=True):
        own = [score for score in column if score is not None]
        held, decided, total = (sum(getattr(score, count) for score in own) for count in ("held", "decided", "total"))
        results[part] = PartResult(mean, held, decided, total)
    return results


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


def reweigh_scores(
    instances: Iterable[Instance], episodes: Iterable[Episode], facts: Iterable[RenderingFacts]
) -> dict[str, dict[str, list[float]]]:
    """Return the scores of final renderings whose facts can be restored, by weighing and instance.

    A pair that played an instance several times has several final renderings of it.

    Args:
        instances: What was played.
        episodes: Of one run.
        facts: Of the same run; read once, nothing of them but the scores is kept.
    """
    from ircore.scorers.verification.judge import restore_checked_facts
    from ircore.scorers.verification.score import compute_score_interval

    scenes = {instance.instance_id: instance.scene for instance in instances}
    finals = {
        (episode.episode_id, [*episode.renderings.values()][-1].sha256): episode.instance_id
        for episode in episodes
        if episode.played and episode.renderings
    }
    scores: dict[str, dict[str, float]] = {}
    for line in facts:
        scene = scenes.get(finals.get((line.episode_id, line.rendering), ""))
        checked = restore_checked_facts(scene, line) if scene is not None else ()
        if not checked:
            continue
        surplus = fsum(extra.weight for extra in line.extras)
        for name, (writing, linear) in WEIGHINGS.items():
            weighed = compute_score_interval(_reweigh_facts(checked, writing), surplus, line.cost, linear=linear)
            # Of two lines on one rendering the later counts.
            scores.setdefault(name, {})[line.episode_id] = weighed.score
    played = {episode_id: instance_id for (episode_id, _), instance_id in finals.items()}
    return {name: _group_by_instance(by_episode, played) for name, by_episode in scores.items()}


@dataclass(frozen=True)
class _Step:
    """The shares of facts at one turn of an episode; None where no fact counts towards a share."""

    said: float | None
    drawn: float | None
    corrected: tuple[float, float]
    """Weight of facts that were wrong and named, and of these, right now."""


def _group_by_episode(turns: Iterable[SaidTurn], episodes: Iterable[Episode]) -> list[list[SaidTurn]]:
    """Return the measured turns of each episode all of whose turns were measured, in order."""
    known = {(turn.episode_id, turn.turn, turn.rendering): turn for turn in turns}
    tracks = []
    for episode in episodes:
        keys = [(episode.episode_id, turn, rendering.sha256) for turn, rendering in episode.renderings.items()]
        if keys and all(key in known for key in keys):
            tracks.append([known[key] for key in keys])
    return tracks


def _list_steps(turns: Sequence[SaidTurn], weights: Weights) -> list[_Step]:
    steps = []
    for place, turn in enumerate(turns):
        stated_share = _compute_share(weights, turn.stated)
        # What was not stated counts neither for nor against the generator.
        both = "".join(shown if stated == "1" else "?" for stated, shown in zip(turn.stated, turn.shown, strict=True))
        drawn = _compute_share(weights, both)
        steps.append(
            _Step(stated_share, drawn, _sum_corrections(weights, turns[place - 1], turn) if place else (0.0, 0.0))
        )
    return steps


def _compute_share(weights: Weights, letters: str) -> float | None:
    """Return the weighted share of decidable facts that hold; None if no fact is decidable."""
    decided = [(weight, letter) for weight, letter in zip(weights, letters, strict=True) if letter in "01"]
    whole = fsum(weight for weight, _ in decided)
    return fsum(weight for weight, letter in decided if letter == "1") / whole if whole else None


def _sum_corrections(weights: Weights, before: SaidTurn, now: SaidTurn) -> tuple[float, float]:
    letters = list(zip(weights, before.shown, now.named, now.shown, strict=True))
    wrong = [(weight, shown) for weight, was, named, shown in letters if was == "0" and named == "1" and shown in "01"]
    return fsum(weight for weight, _ in wrong), fsum(weight for weight, shown in wrong if shown == "1")


def _compute_point(tracks: Sequence[Sequence[_Step]], turn: int | None, labels: Sequence[str]) -> _SaidPoint:
    corrections = [
        (fsum(step.corrected[0] for step in steps), fsum(step.corrected[1] for step in steps))
        for track in tracks
        for steps in [track if turn is None else track[turn - 1 : turn]]
    ]
    return _SaidPoint(
        turn,
        _estimate_mean([[step.said for step in track] for track in tracks], turn, labels),
        _estimate_mean([[step.drawn for step in track] for track in tracks], turn, labels),
        estimate([right / wrong if wrong else None for wrong, right in corrections], SHARE, labels),
    )


def _estimate_mean(series: Sequence[Sequence[float | None]], turn: int | None, labels: Sequence[str]) -> Estimate:
    """Return the mean at a turn over the episodes with a value at the first turn that has any, or at the last turn."""
    if turn is None:
        return estimate([values[-1] for values in series], SHARE, labels)
    first = min((place for values in series for place, value in enumerate(values) if value is not None), default=0)
    same = [len(values) > first and values[first] is not None for values in series]
    # An episode that has ended keeps its last turn, so that every turn averages the same episodes.
    latest = [
        values[min(turn, len(values)) - 1] if is_same else None for values, is_same in zip(series, same, strict=True)
    ]
    return estimate(latest, SHARE, labels)


def _list_weights(scene: Scene) -> Weights:
    from ircore.scorers.verification.scene_facts import list_facts

    return tuple(fact.weight for fact in list_facts(scene))


def _compute_kappa(pairs: Sequence[tuple[str, str]]) -> float | None:
    if not pairs:
        return None
    count = len(pairs)
    observed = sum(letter == other_letter for letter, other_letter in pairs) / count
    first, second = (sum(pair[side] == "1" for pair in pairs) / count for side in (0, 1))
    chance = first * second + (1 - first) * (1 - second)
    return (observed - chance) / (1 - chance) if chance < 1 else None


def _group_by_instance(scores: Mapping[str, float], played: Mapping[str, str]) -> dict[str, list[float]]:
    of_instances: dict[str, list[float]] = {}
    for episode_id, score in scores.items():
        of_instances.setdefault(played[episode_id], []).append(score)
    return of_instances


def _reweigh_facts(checked: Sequence["CheckedFact"], writing: float) -> list["ScoredFact"]:
    """Return facts with the weight of writing multiplied, all together still 100."""
    from ircore.scorers.verification.scene_facts import find_share
    from ircore.scorers.verification.score import ScoredFact

    written = {each.fact.mark for each in checked if each.fact.attribute == "text"}
    weights = [each.fact.weight * (writing if find_share(each.fact, written) == "writing" else 1.0) for each in checked]
    scale = 100 / whole if writing != 1 and (whole := fsum(weights)) else 1.0
    return [
        ScoredFact(each.fact.attribute, scale * weight, each.verdict, each.credit)
        for each, weight in zip(checked, weights, strict=True)
    ]
