"""Scores of the reasoning game by GIR-Bench's rules, dimension by dimension, as its paper reports them."""

from collections.abc import Sequence
from statistics import fmean

from ircore.core.episode_records import Episode
from ircore.core.errors import InputError
from ircore.core.images import Picture
from ircore.core.score_records import Score
from ircore.games.reasoning.dimensions.registry import DIMENSIONS
from ircore.games.reasoning.records import Attempt
from ircore.results.model import Results
from ircore.results.played_run import PlayedRun
from ircore.results.tables.model import Column, Table, Value

COLUMNS = (
    Column("run", "Run", "Its folder's name.", digits=None),
    Column("dimension", "Dimension", "Category of the tasks.", digits=None),
    Column("tasks", "Tasks", "Tasks that were played.", digits=0),
    Column("answered", "Answered", "Tasks with an answer.", digits=0),
    Column("published", "As published", "Mean over answers alone; of jigsaws, exp(−FID / 60) over all of them.",
           "0–1", "higher", nullable=True),
    Column("each", "Jigsaws one by one", "Mean over answers of exp(−squared distance / 60), each held against its own "
           "original.", "0–1", "higher", nullable=True),
    Column("published_all", "Missing as 0", "As published, with 0 for each task without an answer.", "0–1", "higher",
           nullable=True),
    Column("verified", "Verified", "Mean by the corrected rules, missing answers as 0.", "0–1", "higher",
           nullable=True),
)  # fmt: skip
"""Columns of the table."""


def girbench_table(results: Results) -> Table:
    """Return both scores of each run and dimension; GIR-Bench's code leaves missing answers out."""
    rows = [row for run in results.every_run for name in DIMENSIONS for row in _rows(run, name)]
    return Table(
        name="reasoning_girbench",
        title="Reasoning tasks by GIR-Bench's rules",
        caption="Scores as its published code computes them, on the instances of these runs, beside ours.",
        columns=COLUMNS,
        rows=tuple(rows),
    )


def _rows(run: PlayedRun, dimension: str) -> list[tuple[Value, ...]]:
    """Return the row of a dimension; none if no task of it was played."""
    episodes = [episode for episode in run.episodes if episode.category == dimension and episode.steps]
    if not episodes:
        return []
    # Tasks of this game have a single step.
    attempts = [Attempt.model_validate(episode.steps[0]) for episode in episodes]
    answered = sum(attempt.missing is None for attempt in attempts)
    if dimension == "jigsaw":
        published, each = _jigsaws(run, episodes, attempts)
    else:
        published, each = _mean(run, "published", episodes), Value(None, missing="of jigsaws alone")
    # A missing answer as 0 in a mean over answers is the mean times the share of answers.
    share = answered / len(episodes)
    of_all = published if published.value is None else Value(float(published.value) * share)
    verified = _mean(run, "verified", episodes)
    counts = Value(len(episodes)), Value(answered)
    return [(Value(run.run.slug), Value(dimension), *counts, published, each, of_all, verified)]


def _mean(run: PlayedRun, measure: str, episodes: Sequence[Episode]) -> Value:
    """Return the mean of a measure over the episodes that have a value; the first reason if none has."""
    names = {episode.episode_id for episode in episodes}
    scores: list[Score] = [score for score in run.every_score if score.measure == measure and score.episode_id in names]
    values = [score.value for score in scores if score.value is not None]
    if values:
        return Value(fmean(values))
    return Value(None, missing=next((score.reason for score in scores if score.reason), "not scored"))


def _jigsaws(run: PlayedRun, episodes: Sequence[Episode], attempts: Sequence[Attempt]) -> tuple[Value, Value]:
    """Return the normalised FID of all answered jigsaws and the mean of theirs one by one, or why there is none."""
    # The network's libraries are imported only where jigsaws were played.
    from ircore.scorers.metrics.frechet import FEWEST, jigsaw_each, jigsaw_published
    from ircore.scorers.metrics.networks.scripts import FID_METRIC, inception_features

    if obstacle := FID_METRIC.obstacle():
        return _without(obstacle)
    stored = run.instances
    instances = {instance.instance_id: instance for instance in stored.instances}
    pairs: list[tuple[Picture, Picture]] = [
        (stored.pictures(instances[episode.instance_id])["truth"], run.source.rendering(attempt.rendering))
        for episode, attempt in zip(episodes, attempts, strict=True)
        if attempt.rendering is not None
    ]
    if len(pairs) < FEWEST:
        return _without(f"fewer than {FEWEST} answers")
    try:
        truths, answers = (
            inception_features([picture.pixels for picture in side]) for side in zip(*pairs, strict=True)
        )
    except InputError as error:
        return _without(error.problem)
    return Value(jigsaw_published(truths, answers)), Value(fmean(jigsaw_each(truths, answers)))


def _without(reason: str) -> tuple[Value, Value]:
    return Value(None, missing=reason), Value(None, missing=reason)
