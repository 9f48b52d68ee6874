"""The material of an episode's scores, and the scores computed from that material alone on any machine."""

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from ircore.core.images import Picture
from ircore.core.plugins import check_finite, convert_plugin_errors, load_plugin
from ircore.core.records import Scene
from ircore.core.score_records import RenderingFacts, Score, Task
from ircore.scorers.judges.base import Judge, Judgement, give_scene
from ircore.scorers.metrics.base import Metric, MetricKey, find_metric_version, measure


class Wanted(NamedTuple):
    """Identity of a score that is still to be computed."""

    episode_id: str
    turn: int
    task: Task
    judge: str
    rendering: str
    version: str | None = None
    """Of a metric: values of another version do not answer this."""


@dataclass(frozen=True)
class Material:
    """Everything that the scores of one episode depend on, so that another machine can compute them.

    Example:
        >>> import numpy as np
        >>> white = Picture.from_pixels(np.full((8, 8, 3), 255, np.uint8))
        >>> material = Material(white, white, {white.sha256: white}, wanted=())
        >>> material.scene is None
        True
    """

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


class Scored(NamedTuple):
    """The scores of one episode, and the facts behind them."""

    scores: list[Score]
    """In the order in which they were wanted."""

    facts: list[RenderingFacts]
    """One for each rendering that a judge checked facts of."""


def find_question(score: Score) -> Wanted:
    """Return the question that a score answers."""
    return Wanted(score.episode_id, score.picture[0], score.task, score.by, score.picture[1], score.version)


def compute_scores(material: Material) -> Scored:
    """Compute the scores of one episode; equal renderings are scored once."""
    # By rendering and not by turn: a generator that changes nothing returns the same picture again.
    known: dict[tuple[str, str, str], Judgement] = {}
    scores, facts = [], []
    for request in material.wanted:
        key = (request.task, request.judge, request.rendering)
        if key not in known:
            with convert_plugin_errors(f"{'metric' if request.task == 'metric' else 'judge'} {request.judge!r}"):
                known[key] = judgement = _judge_rendering(request, material)
                if judgement.value is not None:
                    check_finite(judgement.value)
            if judgement.facts is not None:
                facts.append(RenderingFacts.of(request.episode_id, request.rendering, request.judge, judgement.facts))
        scores.append(_score(request, known[key]))
    return Scored(scores, facts)


def _judge_rendering(wanted: Wanted, material: Material) -> Judgement:
    target, picture = material.target, material.pictures[wanted.rendering]
    if wanted.task == "metric":
        key = MetricKey.parse(wanted.judge)
        measured = measure(_load_metric(key.name), target.pixels, picture.pixels, key.loading)
        return Judgement(measured.value, measured.reason)
    judge = give_scene(load_judge(wanted.judge), material.scene)
    if wanted.task == "similarity":
        return judge.rate(target, picture)
    return judge.prefer(target, material.first, picture)


def _score(wanted: Wanted, judgement: Judgement) -> Score:
    facts = judgement.facts if wanted.task == "similarity" else None
    return Score(
        episode_id=wanted.episode_id,
        step=wanted.turn,
        measure=wanted.judge if wanted.task == "metric" else wanted.task,
        by=wanted.judge,
        value=judgement.value,
        reason=judgement.reason[:500] if judgement.reason else None,
        rendering=wanted.rendering,
        version=read_metric_version(wanted.judge) if wanted.task == "metric" else None,
        loading=MetricKey.parse(wanted.judge).loading if wanted.task == "metric" else None,
        low=None if facts is None or judgement.value is None else facts.low,
        high=None if facts is None or judgement.value is None else facts.high,
        undecided=None if facts is None else facts.undecided,
        unread=facts is not None and facts.reader is None and facts.undecided > 0,
    )


@cache
def load_judge(name: str) -> Judge:
    """Return an installed judge, made once a process.

    Raises:
        InputError: There is no such judge, or it lacks what it needs.
    """
    with convert_plugin_errors(f"judge {name!r}"):
        judge: Judge = load_plugin("judges", name)()
    return judge


@cache
def read_metric_version(key: str) -> str | None:
    """Return the version of a metric's definition."""
    return find_metric_version(key)


@cache
def _load_metric(name: str) -> Metric:
    metric: Metric = load_plugin("metrics", name)
    return metric
