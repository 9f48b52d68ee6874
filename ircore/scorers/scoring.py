"""Scoring runs, here or on a cluster: judges and metrics on renderings of every played episode.

Judges rate the pictures that a game names in its method ``list_rated_pictures``. What has been scored is never scored
again. Episodes are spread over the cores; their scores are written in the order of the instance set whatever finishes
first, each episode's at once, so that stopping loses nothing that was finished. At the end scores are counted by judge
or metric, new or there already, with the reasons why some have no value.
"""

import asyncio
import os
import pickle
from collections import deque
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import TypeAlias

from ircore.core.errors import InputError
from ircore.core.plain_words import format_count
from ircore.core.records import Instance, Scene, list_scene_categories
from ircore.core.score_records import JudgeIdentity, Score, Task
from ircore.core.terminal import show_progress
from ircore.core.workers import AHEAD, map_in_order
from ircore.games.registry import load_game
from ircore.runs.cluster import Cluster
from ircore.runs.cluster_worker import check_version
from ircore.runs.folder import RunFolder, add_facts
from ircore.scorers.judges.base import SceneJudge, describe_identity, list_tasks
from ircore.scorers.material import (
    Material,
    Scored,
    Wanted,
    compute_scores,
    find_question,
    load_judge,
    read_metric_version,
)
from ircore.scorers.metrics.base import load_metrics
from ircore.scorers.rated_episodes import Original, RatedEpisode, list_rated_episodes, read_original, read_scene

JUDGES = ("structural", "verified")
METRICS = ("psnr", "ssim", "uqi", "uqi_sewar", "brisque")
"""Metrics and judges that ``ircore score`` computes by default."""

RUNS_AT_ONCE = 8
"""Runs whose episodes of one target are scored together."""

Elsewhere: TypeAlias = Callable[[Iterable[Material]], Iterator[Scored]]
"""Computes the scores of each material, in order, somewhere else than in this process and its pool."""


@dataclass
class ScoreCount:
    """Counts of one judge or metric."""

    new: int = 0
    """Scores that were added."""

    kept: int = 0
    """Scores that were there already."""

    new_without: int = 0
    """Number of new scores without a value."""

    without: dict[str, int] = field(default_factory=dict)
    """Number of scores without a value, by reason (its part before a colon)."""

    preferences: int = 0
    """Number of scores, new or not, that compare the final rendering with the first; any other is of one rendering."""

    left_out: int = 0
    """Played episodes that have no score, since the judge does not rate pictures such as theirs."""

    undrawn: int = 0
    """Played episodes in which nothing was drawn, as by rules that leave the seat empty."""

    unread: int = 0
    """Ratings that labels leave open which nobody read."""

    open_share: float = 0.0
    """Of these ratings, the sum of the shares of facts that are open."""

    def unread_words(self, missing: str | None) -> str | None:
        """Return one line on what it costs that labels were not read; None if it costs nothing.

        Args:
            missing: The package that a reader of texts lacks; None if none is missing.

        >>> ScoreCount(new=4, unread=2, open_share=0.4).unread_words("rapidocr").partition(";")[0]
        'labels of 2 of 4 renderings are not read (no rapidocr), so 20 % of their facts are open'
        """
        if not self.unread or missing is None:
            return None
        rated = format_count(self.new + self.kept - self.preferences, "rendering")
        share = f"{100 * self.open_share / self.unread:.0f} %"
        return (
            f"labels of {self.unread:,} of {rated} are not read (no {missing}), so {share} of their "
            "facts are open; with over 5 % open a run has no rank. Read them with: make ocr, or "
            "pip install 'ircore[ocr]', then the same command again."
        )

    def text(self) -> str:
        """Return the counts for people; the numbers of each part add up.

        >>> ScoreCount(new=5, kept=1, preferences=2, without={"no answer": 1}).text()
        '6 scores (4 renderings, 2 preferences), 5 new and 1 kept; 1 without a value: no answer (1)'
        >>> ScoreCount(kept=1, left_out=3).text()
        '1 score, 0 new and 1 kept; 3 episodes of pictures that it does not rate'
        >>> ScoreCount(kept=1, undrawn=1).text()
        '1 score, 0 new and 1 kept; 1 episode without a picture'
        """
        total = self.new + self.kept
        rated = format_count(total - self.preferences, "rendering")
        tasks = f" ({rated}, {format_count(self.preferences, 'preference')})" if self.preferences else ""
        reasons = ", ".join(f"{reason} ({count:,})" for reason, count in sorted(self.without.items()))
        lacking = f"; {sum(self.without.values()):,} without a value: {reasons}" if reasons else ""
        left_out = (
            f"; {format_count(self.left_out, 'episode')} of pictures that it does not rate" if self.left_out else ""
        )
        undrawn = f"; {format_count(self.undrawn, 'episode')} without a picture" if self.undrawn else ""
        counts = f"{format_count(total, 'score')}{tasks}, {self.new:,} new and {self.kept:,} kept"
        return f"{counts}{lacking}{left_out}{undrawn}"


def count_score(counts: dict[str, ScoreCount], score: Score, new: bool) -> None:
    """Count one score under its judge's or metric's name."""
    count = counts.setdefault(score.by, ScoreCount())
    count.new += new
    count.kept += not new
    count.preferences += score.task == "preference"
    if score.unread and score.undecided is not None:
        count.unread += 1
        count.open_share += score.undecided
    if score.reason is not None:
        count.new_without += new
        reason = score.reason.partition(":")[0]
        count.without[reason] = count.without.get(reason, 0) + 1


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
    with ExitStack() as locks:
        # Locked for the whole command: a second scorer would compute the same scores and append them twice.
        for run in runs:
            locks.enter_context(run.lock())
        works: list[tuple[RunFolder, _Work]] = []
        superseding: list[tuple[RunFolder, JudgeIdentity]] = []
        counts: dict[str, ScoreCount] = {}
        episodes = kept_count = 0
        for run in runs:
            rated = list_rated_episodes(run)
            game = load_game(run.game, f"{run.path}/run.json: game")
            # A game that judges do not head measures its pictures by itself.
            metrics = plan.metrics if game.is_judged else ()
            instances = run.instances.instances
            judges = select_applicable_judges(plan.judges, instances, None if game.is_judged else rated)
            plan_of_run = replace(plan, judges=judges, metrics=metrics)
            scened = list_scene_categories(instances)
            works_of_run = [
                _Work(run.path, episode, list_wanted_scores(episode, plan_of_run, scened)) for episode in rated
            ]
            outdated = set()
            for name in plan_of_run.judges:
                identity = describe_identity(name, load_judge(name), scened)
                if _has_outdated_scores(identity, run.judges().get(name)):
                    outdated.add(name)
                    superseding.append((run, identity))
                else:
                    # Before any score, so that scores of another version under the same name are refused at once.
                    run.keep_judge(identity)
            _count_left_out(counts, plan.judges, works_of_run)
            done = {wanted: score for wanted, score in index_scores(run).items() if wanted.judge not in outdated}
            # A question holds the rendering's hash and the metric's version, so outdated scores do not count as done.
            lacking = [part for work in works_of_run for part in _group_by_original(work, done)]
            episodes += len(works_of_run)
            for wanted in (w for work in works_of_run for w in work.wanted if w in done):
                kept_count += 1
                count_score(counts, done[wanted], new=False)
            works += [(run, work) for work in lacking]
        new, unavailable = _score_all(works, workers or os.cpu_count() or 1, elsewhere, counts)
        for run, identity in superseding:
            # Last: a run that is cut off before keeps the earlier judge, and the same command begins again.
            run.replace_judge(identity)
    return ScoringSummary(len(runs), episodes, kept_count, new, unavailable, counts)


def select_applicable_judges(
    judges: Sequence[str], instances: Sequence[Instance], rated: Sequence[RatedEpisode] | None = None
) -> tuple[str, ...]:
    """Return the judges that can rate anything of a run.

    A judge of scenes is left out where no picture has one; where some have, a picture of its categories without one
    counts as missing.

    Args:
        judges: By name.
        instances: Of the run's set.
        rated: Episodes, of a game in which these say what is compared; None if targets are.
    """
    scened = list_scene_categories(instances)
    targets = [(instance.category, instance.scene) for instance in instances]
    compared = (
        targets
        if rated is None
        else [(episode.category, original.scene) for episode in rated for original in episode.originals.values()]
    )
    return tuple(name for name in judges if any(_can_judge(name, *picture, scened) for picture in compared))


def index_scores(run: RunFolder) -> dict[Wanted, Score]:
    """Return the scores of a run by the question that each score answers."""
    return {find_question(score): score for score in run.scores() if score.task != "game"}


def list_scored_turns(episode: RatedEpisode, every_turn: bool) -> list[tuple[int, str]]:
    """List turn and hash of each rendering to be rated: the first and the final, or all; the final comes last."""
    rendered = [(turn, rendering.sha256) for turn, rendering in episode.renderings.items()]
    # An episode of one rendering would otherwise list that rendering twice, as first and as final.
    return rendered if every_turn or len(rendered) < 2 else [rendered[0], rendered[-1]]


def list_wanted_scores(episode: RatedEpisode, plan: ScoringPlan, with_scenes: Sequence[str] = ()) -> tuple[Wanted, ...]:
    """List the scores that a plan asks of a played episode: turn by turn, the preference last.

    Args:
        episode: The episode.
        plan: What to score.
        with_scenes: Categories of the run's set whose targets have scenes.
    """
    scored = list_scored_turns(episode, plan.every_turn)
    if not scored:
        return ()
    identities = {name: describe_identity(name, load_judge(name), with_scenes) for name in plan.judges}
    judges = tuple(name for name in plan.judges if identities[name].rates(episode.category))
    raters = tuple(name for name in judges if "similarity" in list_tasks(load_judge(name)))
    tasks: list[tuple[Task, tuple[str, ...]]] = [("similarity", raters), ("metric", plan.metrics)]
    wanted = [
        Wanted(episode.episode_id, turn, task, judge, sha256, read_metric_version(judge) if task == "metric" else None)
        for turn, sha256 in scored
        for task, judges in tasks
        for judge in judges
    ]
    final, sha256 = scored[-1]
    # A single rendering has nothing to be compared with.
    if episode.compared and plan.preferences:
        choosers = [name for name in judges if "preference" in list_tasks(load_judge(name))]
        wanted += [Wanted(episode.episode_id, final, "preference", judge, sha256) for judge in choosers]
    return tuple(wanted)


def build_cluster_scorer(scheduler: str) -> Elsewhere:
    """Return the function that computes scores on the workers of a cluster.

    Args:
        scheduler: The address.

    Raises:
        InputError: This is no address, or Dask is not installed.
    """
    cluster = Cluster(scheduler)
    return lambda materials: _score_on_cluster(cluster, materials)


def score_pickled_material(version: str, material: bytes) -> Scored:
    """Compute the scores of a pickled ``Material``; runs on a worker.

    Raises:
        InputError: The version differs, or a judge or metric is not installed.
    """
    check_version(version)
    return compute_scores(pickle.loads(material))  # noqa: S301 - see above


@dataclass(frozen=True)
class _Work:
    """An episode to be scored, with everything that a worker process needs."""

    run: Path
    episode: RatedEpisode
    wanted: tuple[Wanted, ...]

    @property
    def original(self) -> Original:
        """The picture that all its renderings are compared with."""
        return self.episode.originals[self.wanted[0].turn]


def _has_outdated_scores(judge: JudgeIdentity, known: JudgeIdentity | None) -> bool:
    """Return whether a judge gives its scores of a run anew, in place of those of an earlier version of itself."""
    if known is None or known == judge or known.version not in getattr(load_judge(judge.name), "supersedes", ()):
        return False
    return known.model_copy(update={"version": judge.version}) == judge


def _group_by_original(work: _Work, done: Container[Wanted]) -> Iterator[_Work]:
    """Yield the part of an episode's work that is not done, by the original that its renderings are compared with."""
    lacking: dict[str, list[Wanted]] = {}
    for wanted in work.wanted:
        if wanted not in done:
            lacking.setdefault(work.episode.originals[wanted.turn].sha256, []).append(wanted)
    for of_original in lacking.values():
        yield replace(work, wanted=tuple(of_original))


def _count_left_out(counts: dict[str, ScoreCount], judges: Sequence[str], works: Sequence[_Work]) -> None:
    """Count, for each judge, the played episodes of a run that it does not rate, and those without a picture."""
    drawn = [work for work in works if work.episode.originals]
    for name in judges:
        count = counts.setdefault(name, ScoreCount())
        count.left_out += sum(all(wanted.judge != name for wanted in work.wanted) for work in drawn)
        count.undrawn += len(works) - len(drawn)


def _can_judge(name: str, category: str, scene: Scene | None, scened: Sequence[str] = ()) -> bool:
    judge = load_judge(name)
    return describe_identity(name, judge, scened).rates(category) and not (
        isinstance(judge, SceneJudge) and scene is None
    )


def _check_names(plan: ScoringPlan) -> None:
    for name in plan.judges:
        load_judge(name)
    _, lacking = load_metrics(plan.metrics) if plan.metrics else ({}, {})
    for name, reason in lacking.items():
        raise InputError(f"metric {name}: {reason}", "Install what the metric needs, or name other metrics.")


def _score_all(
    works: Sequence[tuple[RunFolder, _Work]], workers: int, elsewhere: Elsewhere | None, counts: dict[str, ScoreCount]
) -> tuple[int, int]:
    """Compute and write in order; return how many scores are new and how many of them have no value."""
    new = unavailable = 0
    groups = _group_by_target(works)
    # The same order as the computed results, which are paired with these works one by one below.
    works = [work for group in groups for work in group]
    parts = [tuple(work for _, work in group) for group in groups]
    computed = (
        elsewhere(_read_material(work) for _, work in works)
        if elsewhere
        else chain.from_iterable(map_in_order(_score_episodes, parts, min(workers, len(parts))))
    )
    with show_progress("scoring", len(works)) as shown:
        for (run, _), (scores, facts) in zip(works, computed, strict=True):
            if facts:
                add_facts(run, facts)  # first: what has a score is not computed again
            run.add_scores(scores)
            new += len(scores)
            unavailable += sum(score.value is None for score in scores)
            for score in scores:
                count_score(counts, score, new=True)
            shown.advance()
    return new, unavailable


def _group_by_target(works: Sequence[tuple[RunFolder, _Work]]) -> list[list[tuple[RunFolder, _Work]]]:
    """Group the episodes of the same target in several runs, so that a judge analyses each target once.

    Groups are in the order of the instance set, a few runs at a time, so that few are open at once.
    """
    places = {run.path: {name: place for place, name in enumerate(run.instances.instances.ids)} for run, _ in works}
    batches = {path: number // RUNS_AT_ONCE for number, path in enumerate(places)}
    groups: dict[tuple[int, int, str], list[tuple[RunFolder, _Work]]] = {}
    for run, work in works:
        # The set is part of the key: an id such as "bar_graph-easy-01" names another target in another set.
        key = (batches[run.path], places[run.path][work.episode.instance_id], run.run.instance_set)
        groups.setdefault(key, []).append((run, work))
    return [groups[key] for key in sorted(groups)]


def _score_episodes(works: tuple[_Work, ...]) -> list[Scored]:
    """Score episodes of one target; runs in a process of its own."""
    return [compute_scores(_read_material(work)) for work in works]


def _read_material(work: _Work) -> Material:
    """Read the pictures that the scores of an episode need."""
    run = _open_run(work.run)
    target = read_original(run, work.original)
    by_hash = {rendering.sha256: rendering for rendering in work.episode.renderings.values()}
    first = next(iter(by_hash))
    # The first rendering is always read, since a preference compares the final rendering with it.
    needed = {request.rendering for request in work.wanted} | {first}
    pictures = {sha256: run.rendering(rendering) for sha256, rendering in by_hash.items() if sha256 in needed}
    return Material(target, pictures[first], pictures, work.wanted, read_scene(run, work.original))


@lru_cache(maxsize=RUNS_AT_ONCE)
def _open_run(path: Path) -> RunFolder:
    """Return a run; the last few runs of a worker process are kept."""
    return RunFolder(path)


def _score_on_cluster(cluster: Cluster, materials: Iterable[Material]) -> Iterator[Scored]:
    """Yield the scores of each material in order; ``AHEAD`` of them are handed out for every place on the workers."""
    with asyncio.Runner() as runner:
        waiting: deque[asyncio.Task[Scored]] = deque()
        try:
            for material in materials:
                if len(waiting) >= AHEAD * runner.run(cluster.slots()):
                    yield runner.run(_await_task(waiting.popleft()))
                waiting.append(runner.run(_start_scoring(cluster, material)))
            while waiting:
                yield runner.run(_await_task(waiting.popleft()))
        finally:
            for task in waiting:
                task.cancel()
            runner.run(cluster.close())


async def _start_scoring(cluster: Cluster, material: Material) -> "asyncio.Task[Scored]":
    task = asyncio.create_task(cluster.run(score_pickled_material, pickle.dumps(material)))
    await asyncio.sleep(0)  # lets it begin
    return task


async def _await_task(task: "asyncio.Task[Scored]") -> Scored:
    return await task
