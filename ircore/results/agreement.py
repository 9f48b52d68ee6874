"""How judges, people and single annotators agree, which scores two judges give, and how a judge agrees with itself.

These are the data of the paper's Tables 1, 2 and 4. Task 1, similarity, is compared on every rendering that both rated,
matched by run, instance and turn. Task 2, preference, is compared on every episode in which both were asked. A judge
agrees with itself as far as it gives the same pictures the same answer when it is asked a second time. Intervals are
clustered on instances, across all runs: renderings of one instance are not independent.

In task 2 a tie is an answer of its own: a judge whose choice turns with the order of showing, or annotators who are
split, did not prefer either. Leaving ties out would keep the episodes that are easy to decide and flatter everyone. The
paper is silent on this, and its judges had to choose; so the figures without ties stand beside.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import fsum
from statistics import fmean
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ircore.core.score_records import HUMAN, Orders, Score, Task
from ircore.results.episodes import EpisodeResult, JudgedEpisode
from ircore.results.statistics.agreement import (
    Agreement,
    Level,
    cohens_kappa,
    krippendorffs_alpha,
    observed_agreement,
    pearson,
    spearman,
)
from ircore.results.statistics.intervals import Estimate, estimate_clustered_share
from ircore.runs.folder import RunFolder

Floats = NDArray[np.float64]
Kind = Literal["judge-judge", "judge-human", "human-human"]
"""Two judges, a judge and the mean of all annotators, or two annotators."""

EpisodesByRun = Mapping[str, Sequence[EpisodeResult]]
"""``Results.episodes``: by run_id."""

NEAR = 1.0
"""Points apart up to which two scores count as near each other."""


@dataclass(frozen=True)
class RatedTask:
    """Ratings of the same renderings in one task, one row of numbers for each rater.

    Example:
        >>> import numpy as np
        >>> task = RatedTask({"gpt": np.array([7.0, 9.0])}, {}, np.array([0, 1]), ("pie", "pie"), ("run", "run"))
        >>> float(task.judges["gpt"].mean())
        8.0
    """

    judges: Mapping[str, Floats]
    """By judge, ``human`` included where there are annotators; shape (things,), NaN where missing."""

    annotators: Mapping[str, Floats]
    """By pseudonym, the same shape."""

    instances: NDArray[np.intp]
    """Instance of each thing, counted from 0."""

    categories: tuple[str, ...]
    """Category of each thing."""

    runs: tuple[str, ...]
    """run_id of each thing: which pair made it."""


@dataclass(frozen=True)
class RaterPair:
    """Two raters side by side: a row of a table.

    Example:
        >>> import numpy as np
        >>> from ircore.results.statistics.agreement import pearson
        >>> agreement = pearson([1.0, 2.0, 3.0, 4.0], [2.0, 4.0, 6.0, 8.0])
        >>> pair = RaterPair("gpt", "human", "judge-human", *[agreement] * 6)
        >>> pair.pearson.value
        1.0
    """

    first_rater: str
    """A judge, or an annotator's pseudonym."""

    second_rater: str
    """A judge, ``human`` for the mean of all annotators, or an annotator's pseudonym."""

    kind: Kind
    """Who the two are."""

    pearson: Agreement
    """Task 1: Pearson's r."""

    spearman: Agreement
    """Task 1: Spearman's ρ."""

    agreement: Agreement
    """Task 2: share of episodes in which both answer the same, 0–1, a tie being an answer."""

    kappa: Agreement
    """Task 2: Cohen's κ of first, final and tie."""

    decided_agreement: Agreement
    """The share among episodes that neither of the two left tied."""

    decided_kappa: Agreement
    """Cohen's κ on these episodes."""


@dataclass(frozen=True)
class _OrderBias:
    """Effect of the order of showing two renderings on a judge's preference."""

    judge: str
    """The judge."""

    episodes: int
    """Number of episodes with an answer in both orders, over all runs."""

    disagree: Estimate
    """Share of episodes in which the two orders lead to different answers, 0–1; clustered on instances, which n
    counts."""

    first_shown: Estimate
    """Share of answers, ties left out, that choose the rendering shown first, 0–1; 0.5 is no bias. Each episode counts
    once, with the share of its own answers; clustered on instances, which n counts."""


@dataclass(frozen=True)
class AgreementResults:
    """All that is known about how raters agree.

    Example:
        >>> from pathlib import Path
        >>> from ircore.results.model import Results
        >>> from ircore.runs.folder import RunFolder
        >>> Results.from_runs([RunFolder(Path("run"))]).raters.agreement.annotators
        ()
    """

    pairs: tuple[RaterPair, ...]
    """Judges with judges, judges with humans, annotators with annotators, in this order."""

    annotators: tuple[str, ...]
    """Pseudonyms, in order."""

    similarity_alpha: Mapping[Level, Agreement]
    """Krippendorff's α of all annotators in task 1, interval and ordinal."""

    preference_alpha: Agreement
    """Krippendorff's α of all annotators in task 2, nominal."""

    orders: tuple[_OrderBias, ...]
    """Order effect of each judge that was asked in both orders."""


def compare_raters(episodes: EpisodesByRun, similarity: RatedTask) -> AgreementResults:
    """Compare all raters of some runs.

    Args:
        episodes: By run_id, all of one instance set.
        similarity: Their ratings of task 1, as ``collect_similarity`` collects them.
    """
    preference = collect_preference(episodes)
    annotators = tuple(sorted({*similarity.annotators, *preference.annotators}))
    return AgreementResults(
        pairs=tuple(
            _compare_pair(first, other, kind, similarity, preference)
            for first, other, kind in _list_rater_pairs(similarity, preference)
        ),
        annotators=annotators,
        similarity_alpha={level: _compute_alpha(similarity, level) for level in ("interval", "ordinal")},
        preference_alpha=_compute_alpha(preference, "nominal"),
        orders=_measure_order_bias(episodes),
    )


def collect_similarity(episodes: EpisodesByRun) -> RatedTask:
    """Collect task 1: a thing is a rendering of a played episode, known by run, instance and turn; scores 0–10."""
    results: list[EpisodeResult] = []
    collector = _Collector()
    for result in _select_judged(episodes):
        places = {step: len(results) + at for at, step in enumerate(result.episode.renderings)}
        results += [result] * len(places)
        for ratings, judged in collector.of(result):
            ratings.places.extend(map(places.__getitem__, judged.trajectory))
            ratings.values.extend(judged.trajectory.values())
    return collector.task(results)


def collect_preference(episodes: EpisodesByRun) -> RatedTask:
    """Collect task 2: a thing is an episode; 1 prefers the final rendering, 0 the first, 0.5 neither.

    Of humans, 1 and 0 are what more of the annotators prefer.
    """
    results: list[EpisodeResult] = []
    collector = _Collector()
    for result in _select_judged(episodes):
        for ratings, judged in collector.of(result):
            if judged.preference is not None:
                # The mean of people may be 0.75, which prefers the final rendering as 1 does.
                ratings.places.append(len(results))
                ratings.values.append((judged.preference > 0.5) + (judged.preference == 0.5) / 2)
        results.append(result)
    return collector.task(results)


@dataclass(frozen=True)
class CrossedRatings:
    """Two judges' scores of the renderings that both rated.

    Example:
        >>> CrossedRatings("gpt", "claude", {(7, 8): 3, (2, 2): 1}, renderings=4, near=1.0).counts[7, 8]
        3
    """

    first_judge: str
    """A judge."""

    second_judge: str
    """The other judge; people come last."""

    counts: Mapping[tuple[int, int], int]
    """Number of renderings by the two scores, each to the nearest whole point (a half upwards), 0–10."""

    renderings: int
    """Number of renderings that both judges rated."""

    near: float
    """Share of these on which the two are at most ``NEAR`` points apart, before rounding, 0–1."""


def cross_tabulate_ratings(task: RatedTask) -> tuple[CrossedRatings, ...]:
    """Return every two judges that rated the same renderings: judges with people first, then judges with judges.

    Args:
        task: Ratings of task 1, as ``ircore.results.agreement.collect_similarity`` collects them.
    """
    crossings = (_cross_tabulate_pair(first, other, task) for first, other in _list_judge_pairs(task))
    # Judges of different categories have no rendering in common.
    return tuple(crossed for crossed in crossings if crossed.renderings)


@dataclass(frozen=True)
class RetestAgreement:
    """One judge's first and second answers to the same questions."""

    judge: str
    """The judge's name."""

    task: Task
    """Similarity, or preference."""

    n: int
    """Questions that were answered twice."""

    same: Agreement
    """Share of them with the same answer."""

    correlation: Agreement
    """Pearson's r of the two answers, the test-retest reliability."""

    deviation: float
    """Standard deviation of a single answer around the judge's own mean, √(Σd² / 2n) (Bland and Altman 1996,
    *Measurement Error*, BMJ 312)."""

    shift: float
    """Mean of second less first answer."""

    def text(self) -> str:
        """Return the agreement for people."""
        r = "" if self.correlation.value is None else f", r {self.correlation.value:.2f}"
        unit = " of 10" if self.task == "similarity" else ""
        return (
            f"{self.judge}, {self.task}, {self.n} asked twice: {100 * (self.same.value or 0):.0f} % alike{r}, a single "
            f"answer is off by {self.deviation:.2f}{unit} (standard deviation), the second by {self.shift:+.2f}"
        )


class TwoAnswers(NamedTuple):
    """First and second answer of a judge to the same question."""

    judge: str
    task: Task
    instance_id: str
    first: float
    second: float


def measure_retests(answers: Iterable[TwoAnswers], judge: str) -> Iterator[RetestAgreement]:
    """Yield how far a judge agrees with itself, task by task; nothing without second answers.

    Args:
        answers: Of any runs and judges (``PlayedRun.second_answers``).
        judge: The judge's name.
    """
    by_task: dict[Task, list[TwoAnswers]] = {}
    for answer in answers:
        if answer.judge == judge:
            by_task.setdefault(answer.task, []).append(answer)
    for task, both in sorted(by_task.items()):
        once, again = np.array([(answer.first, answer.second) for answer in both], np.float64).T
        clusters = [answer.instance_id for answer in both]
        yield RetestAgreement(
            judge,
            task,
            len(both),
            observed_agreement(once, again, clusters),
            pearson(once, again, clusters),
            float(np.sqrt(np.mean((again - once) ** 2) / 2)),
            float(np.mean(again - once)),
        )


def pair_answers(run: RunFolder) -> Iterator[TwoAnswers]:
    """Yield first and second answer of each judge to each question of a run that has both."""
    # Of two scores of the same thing the later line counts, as in results.
    second = {_build_question_key(score): score for score in run.retests()}
    if not second:
        return
    first = {question: score for score in run.scores() if (question := _build_question_key(score)) in second}
    instances = {name: episode.instance_id for name, episode in run.read_endings().items()}
    for question, again in second.items():
        once = first.get(question)
        if once is None or once.value is None or again.value is None or again.episode_id not in instances:
            continue
        yield TwoAnswers(again.by, again.task, instances[again.episode_id], once.value, again.value)


class _Ratings(NamedTuple):
    """The ratings of one rater."""

    places: list[int]
    """Places of the things that are rated, each once."""

    values: list[float]
    """Their ratings."""

    def filled(self, size: int) -> Floats:
        """Return the ratings of so many things, NaN where there is none."""
        values = np.full(size, np.nan)
        values[self.places] = self.values
        return values


class _Collector:
    """Ratings by rater."""

    def __init__(self) -> None:
        self._judges: dict[str, _Ratings] = {}
        self._annotators: dict[str, _Ratings] = {}

    def of(self, result: EpisodeResult) -> Iterator[tuple[_Ratings, JudgedEpisode]]:
        """Yield each judge and annotator of an episode, with the ratings that they gave so far."""
        for known, ratings in ((self._judges, result.judged), (self._annotators, result.annotations)):
            for name, judged in ratings.items():
                if name not in known:
                    known[name] = _Ratings([], [])
                yield known[name], judged

    def task(self, results: Sequence[EpisodeResult]) -> RatedTask:
        instances = [result.episode.instance_id for result in results]
        codes = {name: code for code, name in enumerate(dict.fromkeys(instances))}
        # A rater without a single rating of this task is left out: a row of NaN says nothing.
        judges, annotators = (
            {name: raters[name].filled(len(results)) for name in sorted(raters) if raters[name].places}
            for raters in (self._judges, self._annotators)
        )
        return RatedTask(
            judges,
            annotators,
            np.array([codes[name] for name in instances], np.intp),
            tuple(result.episode.category for result in results),
            tuple(result.run_id for result in results),
        )


def _select_judged(episodes: EpisodesByRun) -> Iterator[EpisodeResult]:
    return (result for results in episodes.values() for result in results if result.judged or result.annotations)


def _list_rater_pairs(similarity: RatedTask, preference: RatedTask) -> Iterator[tuple[str, str, Kind]]:
    judges = sorted({*similarity.judges, *preference.judges})
    annotators = sorted({*similarity.annotators, *preference.annotators})
    machines = [name for name in judges if name != HUMAN]
    yield from ((first, other, "judge-judge") for first, other in combinations(machines, 2))
    if HUMAN in judges:
        yield from ((machine, HUMAN, "judge-human") for machine in machines)
    yield from ((first, other, "human-human") for first, other in combinations(annotators, 2))


def _compare_pair(rater: str, other: str, kind: Kind, similarity: RatedTask, preference: RatedTask) -> RaterPair:
    scores = _select_pair_ratings(rater, other, kind, similarity)
    choices = _select_pair_ratings(rater, other, kind, preference)
    # Ties are coded 0.5; the decided choices leave them out.
    first, second = (np.where(values == 0.5, np.nan, values) for values in choices)
    return RaterPair(
        first_rater=rater,
        second_rater=other,
        kind=kind,
        pearson=pearson(*scores, similarity.instances),
        spearman=spearman(*scores, similarity.instances),
        agreement=observed_agreement(*choices, preference.instances),
        kappa=cohens_kappa(*choices, preference.instances),
        decided_agreement=observed_agreement(first, second, preference.instances),
        decided_kappa=cohens_kappa(first, second, preference.instances),
    )


def _select_pair_ratings(first: str, other: str, kind: Kind, task: RatedTask) -> tuple[Floats, Floats]:
    raters = task.annotators if kind == "human-human" else task.judges
    # A judge may have taken part in one of the two tasks alone.
    nothing = np.full(len(task.instances), np.nan)
    return raters.get(first, nothing), raters.get(other, nothing)


def _compute_alpha(task: RatedTask, level: Level) -> Agreement:
    # Reshaped, since an array of no annotator would have one axis.
    table = np.array([*task.annotators.values()]).reshape(len(task.annotators), len(task.instances))
    return krippendorffs_alpha(table, level, task.instances)


def _measure_order_bias(episodes: EpisodesByRun) -> tuple[_OrderBias, ...]:
    orders_by_judge: dict[str, dict[str, list[Orders]]] = {}
    for result in _select_judged(episodes):
        for name, judged in result.judged.items():
            if judged.orders is not None:
                orders_by_judge.setdefault(name, {}).setdefault(result.episode.instance_id, []).append(judged.orders)
    return tuple(_build_order_bias(name, orders_by_judge[name]) for name in sorted(orders_by_judge))


def _build_order_bias(judge: str, by_instance: Mapping[str, Sequence[Orders]]) -> _OrderBias:
    # Sorted, so that the result does not depend on the order in which runs were read.
    groups = [by_instance[name] for name in sorted(by_instance)]
    disagree = [sum(orders.first_leading != orders.final_leading for orders in group) for group in groups]
    sizes = [len(group) for group in groups]
    decided = [[fmean(chosen) for orders in group if (chosen := _list_first_choices(orders))] for group in groups]
    # An instance whose answers are all ties chose neither place.
    shares = [group for group in decided if group]
    return _OrderBias(
        judge=judge,
        episodes=sum(sizes),
        disagree=estimate_clustered_share(disagree, sizes),
        first_shown=estimate_clustered_share([fsum(group) for group in shares], [len(group) for group in shares]),
    )


def _list_first_choices(orders: Orders) -> list[float]:
    """Return for each order that was decided whether the rendering shown first was chosen, 1 or 0."""
    return [chosen for chosen in (1 - orders.first_leading, orders.final_leading) if chosen != 0.5]


def _list_judge_pairs(task: RatedTask) -> Iterator[tuple[str, str]]:
    machines = sorted(set(task.judges) - {HUMAN})
    if HUMAN in task.judges:
        yield from ((machine, HUMAN) for machine in machines)
    yield from combinations(machines, 2)


def _cross_tabulate_pair(first: str, other: str, task: RatedTask) -> CrossedRatings:
    both = np.stack([task.judges[first], task.judges[other]])
    both = both[:, ~np.isnan(both).any(axis=0)]
    # Not NumPy's rint, which takes a half to the even number: 6.5 and 7.5 must both go up.
    first_scores, other_scores = np.floor(both + 0.5).astype(int)
    # One number for both: NumPy sorts rows of a table many times as slowly.
    width = int(other_scores.max(initial=0)) + 1
    codes, counts = np.unique(first_scores * width + other_scores, return_counts=True)
    by_scores = {divmod(code, width): count for code, count in zip(codes.tolist(), counts.tolist(), strict=True)}
    near = float((np.abs(both[0] - both[1]) <= NEAR).mean()) if both.shape[1] else 0.0
    return CrossedRatings(first, other, by_scores, both.shape[1], near)


def _build_question_key(score: Score) -> tuple[str, str, Task, str]:
    # Turns that share a rendering share its answer.
    return score.by, score.episode_id, score.task, score.picture[1]
