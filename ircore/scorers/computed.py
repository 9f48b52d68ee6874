"""Scoring runs: every judge and metric on the first and final rendering of every played episode.

What has been scored is never scored again. Episodes are spread over the cores; their scores are written in the order of
the instance set whatever finishes first, each episode's at once, so that stopping loses nothing that was finished.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple, TypeAlias

from ircore.core.episode_records import Episode, Rendering
from ircore.core.errors import InputError
from ircore.core.images import Picture
from ircore.core.plugins import load
from ircore.core.progress import progress
from ircore.core.records import Instance, Scene
from ircore.core.score_records import Score, Task
from ircore.core.workers import in_order
from ircore.runs.folder import RunFolder
from ircore.scorers.judges.base import Judge, Judgement, identity_of, tasks_of, with_scene
from ircore.scorers.metrics.base import Metric
from ircore.scorers.metrics.measure import MetricKey, load_metrics, measure, version_of
from ircore.scorers.score_counts import ScoreCount, count_score

JUDGES = ("structural",)
METRICS = ("psnr", "ssim", "uqi", "uqi_sewar", "brisque")
"""Metrics and judges that ``ircore score`` computes by default."""


@dataclass(frozen=True)
class ScoringPlan:
    """Selection of the metrics, judges and renderings to score."""

    judges: tuple[str, ...] = JUDGES
    """Judges by name: similarity of renderings, and preference of the final to the first."""

    metrics: tuple[str, ...] = METRICS
    """Metrics by name, such as ``ssim``; with native loading ``ssim.native`` (``metrics.measure.MetricKey``)."""

    every_turn: bool = False
    """Whether every rendering is scored, not only the first and the final one."""

    preferences: bool = True
    """Whether the final rendering is compared with the first one."""


@dataclass(frozen=True)
class ScoringSummary:
    """Counts of a scoring command."""

    runs: int
    """Run folders."""

    episodes: int
    """Played episodes in them."""

    kept: int
    """Scores that were there already."""

    new: int
    """Scores that were added."""

    unavailable: int
    """Number of new scores without a value."""

    counts: dict[str, ScoreCount] = field(default_factory=dict)
    """The same by judge and metric, with the reasons why some have no value."""


class Wanted(NamedTuple):
    """A score to be had: what identifies it."""

    episode_id: str
    turn: int
    task: Task
    judge: str
    rendering: str
    version: str | None = None
    """Of a metric: values of another version do not answer this."""


@dataclass(frozen=True)
class _Work:
    """One episode's part: what a process needs to know."""

    run: Path
    episode: Episode
    wanted: tuple[Wanted, ...]


@dataclass(frozen=True)
class Material:
    """All that the scores of one episode depend on; it can be scored where the run folder is not."""

    target: Picture
    """The target picture."""

    first: Picture
    """The first rendering."""

    pictures: dict[str, Picture]
    """The renderings to be scored, by hash."""

    wanted: tuple[Wanted, ...]
    """The scores to be had."""

    scene: Scene | None = None
    """What the target shows, for judges that verify; None if nobody knows."""


Elsewhere: TypeAlias = Callable[[Iterable[Material]], Iterator[list[Score]]]
"""Computes the scores of each material, in order, somewhere else than in this process and its pool."""


def score_runs(
    runs: Sequence[RunFolder], plan: ScoringPlan, workers: int | None = None, elsewhere: Elsewhere | None = None
) -> ScoringSummary:
    """Add to runs the scores that they lack.

    Args:
        runs: Each one once.
        plan: What to score.
        workers: Processes; as many as there are cores if None. The result does not depend on it.
        elsewhere: Computes instead of processes here, such as ``executors.scores.scored_by``.

    Raises:
        InputError: An unknown judge or metric, another process works on a run, or a picture of it is damaged.
        WorkError: Scores cannot be written; those of earlier episodes are kept.
    """
    _check_names(plan)
    with ExitStack() as held:
        for run in runs:
            held.enter_context(run.lock())
        works: list[tuple[RunFolder, _Work]] = []
        counts: dict[str, ScoreCount] = {}
        episodes = kept = 0
        for run in runs:
            works_of_run = [_work(run, episode, plan) for episode in run.episodes() if episode.played]
            for name in plan.judges:
                run.keep_judge(identity_of(name, _judge(name)))
            done = scores_by_question(run)
            lacking = [
                _Work(work.run, work.episode, tuple(w for w in work.wanted if w not in done)) for work in works_of_run
            ]
            episodes += len(works_of_run)
            for wanted in (w for work in works_of_run for w in work.wanted if w in done):
                kept += 1
                count_score(counts, done[wanted], new=False)
            works += [(run, work) for work in lacking if work.wanted]
        new, unavailable = _score_all(works, workers or os.cpu_count() or 1, elsewhere, counts)
    return ScoringSummary(len(runs), episodes, kept, new, unavailable, counts)


def scores_by_question(run: RunFolder) -> dict[Wanted, Score]:
    """Return the scores of a run by what each of them answers."""
    return {wanted_of(score): score for score in run.scores()}


def wanted_of(score: Score) -> Wanted:
    """Return the question that a score answers."""
    return Wanted(score.episode_id, score.turn, score.task, score.judge, score.rendering, score.version)


def scored_turns(episode: Episode, every_turn: bool) -> list[tuple[int, str]]:
    """List turn and rendering's hash of what is rated: the first and the final one, or all; the last is the final."""
    rendered = [(turn.turn, turn.rendering.sha256) for turn in episode.turns if turn.rendering is not None]
    return rendered if every_turn or len(rendered) < 2 else [rendered[0], rendered[-1]]


def wanted_scores(episode: Episode, plan: ScoringPlan) -> tuple[Wanted, ...]:
    """List the scores that a plan asks of a played episode: turn by turn, the preference last."""
    scored = scored_turns(episode, plan.every_turn)
    if not scored:
        return ()
    judges = tuple(name for name in plan.judges if identity_of(name, _judge(name)).rates(episode.category))
    raters = tuple(name for name in judges if "similarity" in tasks_of(_judge(name)))
    tasks: list[tuple[Task, tuple[str, ...]]] = [("similarity", raters), ("metric", plan.metrics)]
    wanted = [
        Wanted(episode.episode_id, turn, task, judge, sha256, _version(judge) if task == "metric" else None)
        for turn, sha256 in scored
        for task, judges in tasks
        for judge in judges
    ]
    final, sha256 = scored[-1]
    if len(scored) > 1 and plan.preferences:
        choosers = [name for name in judges if "preference" in tasks_of(_judge(name))]
        wanted += [Wanted(episode.episode_id, final, "preference", judge, sha256) for judge in choosers]
    return tuple(wanted)


def _check_names(plan: ScoringPlan) -> None:
    for name in plan.judges:
        _judge(name)
    _, lacking = load_metrics(plan.metrics) if plan.metrics else ({}, {})
    for name, reason in lacking.items():
        raise InputError(f"metric {name}: {reason}", "Install what it needs, or name other metrics.")


def _work(run: RunFolder, episode: Episode, plan: ScoringPlan) -> _Work:
    return _Work(run.path, episode, wanted_scores(episode, plan))


def _score_all(
    works: Sequence[tuple[RunFolder, _Work]], workers: int, elsewhere: Elsewhere | None, counts: dict[str, ScoreCount]
) -> tuple[int, int]:
    """Compute and write in order; return how many scores are new and how many of them have no value."""
    new = unavailable = 0
    parts = [work for _, work in works]
    computed = elsewhere(map(_material, parts)) if elsewhere else in_order(_scores, parts, min(workers, len(parts)))
    with progress("scoring", len(works)) as shown:
        for (run, _), scores in zip(works, computed, strict=True):
            run.add_scores(scores)
            new += len(scores)
            unavailable += sum(score.value is None for score in scores)
            for score in scores:
                count_score(counts, score, new=True)
            shown.advance()
    return new, unavailable


def _scores(work: _Work) -> list[Score]:
    """Score one episode; runs in a process of its own."""
    return scores_of(_material(work))


def _material(work: _Work) -> Material:
    """Read the pictures that the scores of an episode need."""
    run, instances = _opened(work.run)
    instance = instances[work.episode.instance_id]
    target = run.target(instance)
    renderings = [turn.rendering for turn in work.episode.rendered_turns if turn.rendering is not None]
    needed = {request.rendering for request in work.wanted} | {renderings[0].sha256}
    pictures = {
        rendering.sha256: run.rendering(rendering) for rendering in _distinct(renderings) if rendering.sha256 in needed
    }
    return Material(target, pictures[renderings[0].sha256], pictures, work.wanted, instance.scene)


def scores_of(material: Material) -> list[Score]:
    """Compute the scores of one episode. What two turns share is computed once."""
    known: dict[tuple[str, str, str], Judgement] = {}
    scores = []
    for request in material.wanted:
        key = (request.task, request.judge, request.rendering)
        if key not in known:
            known[key] = _judged(request, material)
        scores.append(_score(request, known[key]))
    return scores


def _distinct(renderings: Sequence[Rendering]) -> Iterator[Rendering]:
    return iter({rendering.sha256: rendering for rendering in renderings}.values())


def _judged(wanted: Wanted, material: Material) -> Judgement:
    target, picture = material.target, material.pictures[wanted.rendering]
    if wanted.task == "metric":
        key = MetricKey.parse(wanted.judge)
        measured = measure(_metric(key.name), target.pixels, picture.pixels, key.loading)
        return Judgement(measured.value, measured.reason)
    judge = with_scene(_judge(wanted.judge), material.scene)
    if wanted.task == "similarity":
        return judge.rate(target, picture)
    return judge.prefer(target, material.first, picture)


def _score(wanted: Wanted, judgement: Judgement) -> Score:
    return Score(
        episode_id=wanted.episode_id,
        turn=wanted.turn,
        task=wanted.task,
        judge=wanted.judge,
        value=judgement.value,
        reason=judgement.reason[:500] if judgement.reason else None,
        rendering=wanted.rendering,
        version=_version(wanted.judge) if wanted.task == "metric" else None,
        loading=MetricKey.parse(wanted.judge).loading if wanted.task == "metric" else None,
    )


@lru_cache(maxsize=2)
def _opened(path: Path) -> tuple[RunFolder, dict[str, Instance]]:
    run = RunFolder.open(path)
    return run, {instance.instance_id: instance for instance in run.instances.instances}


@cache
def _judge(name: str) -> Judge:
    judge: Judge = load("judges", name)()
    return judge


@cache
def _version(key: str) -> str | None:
    return version_of(key)


@cache
def _metric(name: str) -> Metric:
    metric: Metric = load("metrics", name)
    return metric
