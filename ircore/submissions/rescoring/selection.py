"""Choices that look back: episodes cut at their best rendering, and failures where a pair would have done badly.

Both are compared with other pairs on the same targets, and stated as the probability of an honest run.
"""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from ircore.core.episode_records import GIVEN_UP, TECHNICAL_REASONS, Episode, Rendering
from ircore.core.images import Picture
from ircore.core.plain_words import format_count
from ircore.core.submission_records import Run
from ircore.games.registry import load_game
from ircore.instances.store import InstanceSet
from ircore.runs.folder import RunFolder
from ircore.runs.provenance import Flag

MANY_FAILED = 0.05
"""Share of episodes that failed for technical reasons from which on it looks like a choice."""

UNLIKELY = 0.001
"""Probability of an honest run below which a finding is listed."""

MOST_PEERS = 20
"""Other pairs that are looked at; more of them would hardly change what is common."""

LEAST_EPISODES = 20
"""Wavering episodes of other pairs, and of a pair's own five, below which nothing is said about stopping."""

LEAST_OWN = 5
LEAST_FAILED = 3
DRAWS = 20_000
"""Random choices of failed episodes that the actual ones are compared with."""

_JUDGE = "structural"

Curve = Sequence[float]
"""Similarities of an episode's renderings, 0–10, in the order of turns."""


class Peers(NamedTuple):
    """Episodes of other pairs on the same targets.

    >>> Peers([[[3.0, 2.0, 5.0]]], {"geometry-easy-01": 5.0}).expected["geometry-easy-01"]
    5.0
    """

    curves: Sequence[Sequence[Curve]]
    """Of each pair, the curves of episodes that its describer ended."""

    expected: Mapping[str, float]
    """The mean similarity of final renderings, by instance."""


def select_peers(run: Run, others: Sequence[RunFolder]) -> Peers:
    """Return the scored episodes of other pairs on the same targets, of at most ``MOST_PEERS`` pairs.

    Args:
        run: The run that is compared.
        others: Published runs.
    """
    curves: list[list[list[float]]] = []
    finals: dict[str, list[float]] = {}
    for folder in others:
        alike = folder.run.instance_set == run.instance_set
        # The pair's own runs would be compared with themselves.
        if not alike or folder.run.slug == run.slug or len(curves) == MOST_PEERS:
            continue
        ratings: dict[str, dict[int, float]] = {}
        for score in folder.scores():
            if score.by == _JUDGE and score.task == "similarity" and score.value is not None:
                ratings.setdefault(score.episode_id, {})[score.picture[0]] = score.value
        by_episode = {name: [turns[turn] for turn in sorted(turns)] for name, turns in ratings.items()}
        converged = {name for name, episode in folder.read_endings().items() if episode.outcome == "converged"}
        curves.append([curve for name, curve in by_episode.items() if name in converged])
        for name, curve in by_episode.items():
            finals.setdefault(name, []).append(curve[-1])
    return Peers(curves, {name: sum(values) / len(values) for name, values in finals.items()})


def check_stopping(
    episodes: Mapping[str, Episode],
    instances: InstanceSet,
    rendering: Callable[[Rendering], Picture],
    peers: Peers,
) -> Iterator[Flag]:
    """Yield a finding if wavering episodes end at their best rendering far more often than other pairs' do.

    A describer sees what was drawn, not what would be drawn next. Whoever cuts episodes afterwards knows.

    Args:
        episodes: The run's episodes by id.
        instances: The set that was played.
        rendering: Returns the picture of a rendering.
        peers: Other pairs.
    """
    from ircore.scorers.judges.structural import StructuralJudge

    common = compute_common_share(peers.curves)
    if common is None or not load_game(instances.game).is_judged:
        return
    targets = {instance.instance_id: instance for instance in instances.instances}
    judge, curves = StructuralJudge(), []
    for episode in episodes.values():
        # Two renderings cannot waver and end at the best one.
        if isinstance(episode, Episode) and episode.outcome == "converged" and len(episode.renderings) > 2:
            target = instances.picture(targets[episode.instance_id], "target")
            ratings = [judge.rate(target, rendering(drawn)).value for drawn in episode.renderings.values()]
            curves.append([rating or 0.0 for rating in ratings])
    at_best, wavering = count_ends_at_best(curves)
    if wavering >= LEAST_OWN and (chance := compute_tail(at_best, wavering, common)) < UNLIKELY:
        problem = (
            f"{at_best} of {wavering} episodes that wavered end at their best rendering; of other pairs {common:.0%}"
        )
        yield Flag(rule="stops_at_best", where="the run", what=f"{problem} (chance {chance:.1g})")


def count_ends_at_best(curves: Sequence[Curve]) -> tuple[int, int]:
    """Return how many wavering curves end at their highest value, and how many waver: fall at least once.

    >>> count_ends_at_best([[1, 2, 3], [2, 1, 3], [2, 1, 1.5]])
    (1, 2)
    """
    wavering = [
        curve for curve in curves if len(curve) > 2 and any(after < before for before, after in pairwise(curve))
    ]
    return sum(curve[-1] == max(curve) for curve in wavering), len(wavering)


def compute_common_share(curves: Sequence[Sequence[Curve]]) -> float | None:
    """Return the share of wavering episodes that end at their best, as high as an honest pair's may be.

    Pairs differ, so the highest share of a pair with ``LEAST_EPISODES`` such episodes counts where it is above the
    share of all; one success and one failure are added to each.

    Args:
        curves: Of each other pair, its curves.

    Returns:
        The share; None where too few episodes waver.
    """
    counts = [count_ends_at_best(of_pair) for of_pair in curves]
    total = (sum(at_best for at_best, _ in counts), sum(wavering for _, wavering in counts))
    if total[1] < LEAST_EPISODES:
        return None
    large = [total, *(count for count in counts if count[1] >= LEAST_EPISODES)]
    return max((at_best + 1) / (wavering + 2) for at_best, wavering in large)


def compute_tail(count: int, trials: int, share: float) -> float:
    """Return the probability of at least so many successes (the upper tail of a binomial distribution).

    >>> compute_tail(2, 2, 0.5)
    0.25
    """
    from scipy.stats import binom

    # sf is the probability of more than its argument.
    return float(binom.sf(count - 1, trials, share))


def check_failures(episodes: Mapping[str, Episode], peers: Peers) -> Iterator[Flag]:
    """Yield findings if many episodes failed for technical reasons, or mainly the episodes on hard targets.

    Args:
        episodes: The run's episodes by id.
        peers: Other pairs, whose similarities say how hard a target is; without any, its difficulty does.
    """
    technical = {*TECHNICAL_REASONS, GIVEN_UP}
    failed = [name for name, episode in episodes.items() if episode.abort_reason in technical]
    if len(failed) > MANY_FAILED * len(episodes):
        problem = f"{len(failed)} of {format_count(len(episodes), 'episode')} failed for technical reasons"
        yield Flag(rule="many_failures", where="the run", what=problem)
    ease = {name: -float(episode.difficulty == "hard") for name, episode in episodes.items()}
    by = "difficulty"
    # Only if known of every target: similarity and difficulty cannot be compared with each other.
    if episodes.keys() <= peers.expected.keys():
        ease, by = {name: peers.expected[name] for name in episodes}, "other pairs' similarity"
    chance = compute_chance_of_low([ease[name] for name in failed], list(ease.values()))
    if len(failed) >= LEAST_FAILED and chance < UNLIKELY:
        problem = f"{len(failed)} technical failures fell on hard targets by {by} (chance {chance:.1g})"
        yield Flag(rule="chosen_failures", where="the run", what=problem)


def compute_chance_of_low(chosen: Sequence[float], values: Sequence[float]) -> float:
    """Return the probability that as many values, drawn at random, have a sum as low (a permutation test).

    Args:
        chosen: The values that were chosen, some of ``values``.
        values: All values.
    """
    # A fixed seed, so that the same transcript has the same findings. Sums in another order differ in the last digits.
    rng, total = random.Random(0), sum(chosen) + 1e-9
    lower = sum(sum(rng.sample(values, len(chosen))) <= total for _ in range(DRAWS)) if chosen else DRAWS
    # The actual choice is counted as one of the draws, so that no probability is 0.
    return (lower + 1) / (DRAWS + 1)
