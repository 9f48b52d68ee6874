"""Tables of a game: outcomes of episodes, scores by GIR-Bench's rules, and the figures and sentences of a paper.

Scores of the reasoning game go by GIR-Bench's rules, dimension by dimension, as its paper reports them. Published
figures have tables of their own and never stand among results of runs; the sentences of a paper are held against runs.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from statistics import fmean
from typing import TYPE_CHECKING, Any

from ircore.core.episode_records import Episode
from ircore.core.errors import InputError
from ircore.core.images import Picture
from ircore.core.records import describe_rules, format_rules_key
from ircore.core.score_records import Score
from ircore.core.submission_records import Run
from ircore.games.base import Game, Seat
from ircore.results.model import BoardRow, Results
from ircore.results.played_run import PlayedRun
from ircore.results.subsets import find_unusual_rules, list_board_rows
from ircore.results.tables.model import Column, Table, Value
from ircore.results.tables.pairs import FilledColumn, build_seat_column, format_caption
from ircore.results.tables.paper_claims import check_paper

if TYPE_CHECKING:
    from ircore.games.reasoning.tasks import TaskAttempt

GIRBENCH_COLUMNS = (
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

NOT_GIVEN = "not given by the paper"


def build_rules_columns(results: Results) -> tuple[Column, ...]:
    """Return the column with the key of a run's rules, and one for people where rules differ."""
    key = Column("rules", "rules", "Key of the rules played by: each rule and its value, such as rounds=3.",
                 digits=None, audience="programs")  # fmt: skip
    other = Column("other_rules", "Rules", "Rules that are not the usual ones.", digits=None, audience="readers")
    return (other, key) if _are_rules_different(results) else (key,)


def list_rules_values(results: Results, run: Run) -> tuple[Value, ...]:
    """Return the entries of a run in these columns."""
    key, apart = Value(format_rules_key(run.rules)), find_unusual_rules(results, run)
    other = Value(describe_rules(apart) or "the usual")
    return (other, key) if _are_rules_different(results) else (key,)


def format_condition(category: str | None, difficulty: str | None) -> str:
    """Return the words by which a caption says that a table is of one category or difficulty."""
    return "".join(f" Only {name}." for name in (category, difficulty) if name)


def game_outcomes(results: Results, category: str | None = None, difficulty: str | None = None) -> Table:
    """Return how the episodes of each run ended, best run first.

    Args:
        results: Of one game.
        category: One of the set's categories, or None for all.
        difficulty: ``easy``, ``hard``, or None for both.

    Raises:
        InputError: There is no such category or difficulty in the results.
    """
    game, rows = results.game, list_board_rows(results, None, category, difficulty)

    def count(outcome: str) -> Callable[[BoardRow], int]:
        return lambda row: row.cell.outcomes[outcome]

    columns = (
        *_build_run_columns(results),
        *(
            _make_count(outcome.name, f"Episodes that ended as {outcome.name.replace('_', ' ')}.", count(outcome.name))
            for outcome in game.outcomes
        ),
        *_ENDED_COLUMNS,
        *_fill_rules_columns(results),
    )
    return Table(
        name=f"outcomes_{game.name}",
        title=f"{game.title}: outcomes",
        caption=f"How episodes ended.{format_condition(category, difficulty)}",
        columns=tuple(filled.column for filled in columns),
        rows=tuple(tuple(filled.value(row) for filled in columns) for row in rows),
        spare=("ended", "episodes"),
    )


def girbench_table(results: Results) -> Table:
    """Return both scores of each run and dimension; GIR-Bench's code leaves missing answers out."""
    # Only here: the game looks at pixels, and takes longer to import than any other table to compute.
    from ircore.games.reasoning.build import DIMENSIONS

    rows = [row for run in results.every_run for name in DIMENSIONS for row in _build_rows(run, name)]
    return Table(
        name="reasoning_girbench",
        title="Reasoning tasks by GIR-Bench's rules",
        caption="Scores as its published code computes them, on the instances of these runs, beside ours.",
        columns=GIRBENCH_COLUMNS,
        rows=tuple(rows),
    )


def published_table(game: Game[Any], name: str) -> Table:
    """Return a table of a game's paper.

    Args:
        game: The game.
        name: Of one of ``game.build_published_tables``.
    """
    table = next(table for table in game.build_published_tables() if table.name == name)
    columns = tuple(
        Column(
            column.key, column.title, column.about, column.unit, column.better, column.digits, nullable=column.nullable
        )
        for column in table.columns
    )
    rows = tuple(tuple(Value.or_missing(entry, NOT_GIVEN) for entry in row) for row in table.rows)
    return Table(
        table.name, table.title, table.caption, columns, rows, origin="reported by the paper", spare=table.spare
    )


def paper_table(results: Results, judge: str) -> Table:
    """Return the sentences of the paper that can be checked: what its own tables and what some runs say of each."""
    columns = (
        Column("claim", "Claim", "Key of the sentence.", digits=None, audience="programs"),
        Column("section", "section", "Of the paper; B is an appendix.", digits=None),
        Column("sentence", "what the paper says", "In other words than its own.", digits=None),
        Column("in_paper", "in its tables", "Whether the paper's printed tables bear it out.", digits=None),
        Column("paper_evidence", "their numbers", "Numbers of the paper that say so.", digits=None),
        Column("here", "here", "Whether these runs bear it out.", digits=None),
        Column("here_evidence", "numbers here", "Numbers of these runs that say so.", digits=None),
    )
    here = check_paper(results, judge)
    rows = tuple(
        tuple(Value(text) for text in (claim.key, claim.section, claim.sentence, *claim.in_paper, *here[claim.key]))
        for claim in results.game.list_claims()
    )
    notes = (
        f"The paper is {results.game.paper}: other players, targets and judges; its tables have no intervals, so that "
        "verdicts on them go by printed numbers alone. Here verdicts go by 95 % intervals: open is what these do not "
        "tell.",
    )
    words = format_caption(results, judge)
    return Table("paper", "What the paper says", words, columns, rows, notes, spare=("paper_evidence", "here_evidence"))


def _fill_rules_columns(results: Results) -> Iterator[FilledColumn[BoardRow]]:
    def entry(place: int, row: BoardRow) -> Value:
        return list_rules_values(results, row.submission.run)[place]

    for place, column in enumerate(build_rules_columns(results)):
        yield FilledColumn(column, partial(entry, place))


def _are_rules_different(results: Results) -> bool:
    return any(find_unusual_rules(results, run.run) for run in results.every_run)


def _build_run_columns(results: Results) -> tuple[FilledColumn[BoardRow], ...]:
    """Return the columns of a run: its submission, and who took each seat."""
    submission = Column("submission", "Submission", "Its folder's name.", digits=None)
    return (
        FilledColumn(submission, lambda row: Value(row.submission.run.slug)),
        *(_build_seat_column(seat) for seat in results.seats),
    )


def _build_seat_column(seat: Seat[Any, Any]) -> FilledColumn[BoardRow]:
    return FilledColumn(build_seat_column(seat), lambda row: Value(row.submission.run.submission.label_of(seat.name)))


def _make_count(key: str, description: str, get: Callable[[BoardRow], int]) -> FilledColumn[BoardRow]:
    return FilledColumn(
        Column(key, key.replace("_", " ").capitalize(), description, digits=0), lambda row: Value(get(row))
    )


_ENDED_COLUMNS = (
    _make_count("ended", "Episodes that have ended.", lambda row: row.cell.ended),
    _make_count("episodes", "Instances of the set.", lambda row: row.cell.episodes),
)


def _build_rows(run: PlayedRun, dimension: str) -> list[tuple[Value, ...]]:
    """Return the row of a dimension; none if no task of it was played."""
    from ircore.games.reasoning.tasks import TaskAttempt

    episodes = [episode for episode in run.episodes if episode.category == dimension and episode.steps]
    if not episodes:
        return []
    # Tasks of this game have a single step.
    attempts = [TaskAttempt.model_validate(episode.steps[0]) for episode in episodes]
    answered = sum(attempt.missing is None for attempt in attempts)
    if dimension == "jigsaw":
        published, each = _estimate_jigsaws(run, episodes, attempts)
    else:
        published, each = _average_measure(run, "published", episodes), Value(None, missing="of jigsaws alone")
    # A missing answer as 0 in a mean over answers is the mean times the share of answers.
    share = answered / len(episodes)
    of_all = published if published.value is None else Value(float(published.value) * share)
    verified = _average_measure(run, "verified", episodes)
    counts = Value(len(episodes)), Value(answered)
    return [(Value(run.run.slug), Value(dimension), *counts, published, each, of_all, verified)]


def _average_measure(run: PlayedRun, measure: str, episodes: Sequence[Episode]) -> Value:
    """Return the mean of a measure over the episodes that have a value; the first reason if none has."""
    names = {episode.episode_id for episode in episodes}
    scores: list[Score] = [score for score in run.every_score if score.measure == measure and score.episode_id in names]
    values = [score.value for score in scores if score.value is not None]
    if values:
        return Value(fmean(values))
    return Value(None, missing=next((score.reason for score in scores if score.reason), "not scored"))


def _estimate_jigsaws(
    run: PlayedRun, episodes: Sequence[Episode], attempts: "Sequence[TaskAttempt]"
) -> tuple[Value, Value]:
    """Return the normalised FID of all answered jigsaws and the mean of theirs one by one, or why there is none."""
    # The network's libraries are imported only where jigsaws were played.
    from ircore.scorers.metrics.base import FEWEST, score_each_jigsaw, score_jigsaw_set
    from ircore.scorers.metrics.network_weights import FID_METRIC, compute_inception_features

    if obstacle := FID_METRIC.obstacle():
        return _build_missing_pair(obstacle)
    stored = run.instances
    instances = {instance.instance_id: instance for instance in stored.instances}
    pairs: list[tuple[Picture, Picture]] = [
        (stored.pictures(instances[episode.instance_id])["truth"], run.source.rendering(attempt.rendering))
        for episode, attempt in zip(episodes, attempts, strict=True)
        if attempt.rendering is not None
    ]
    if len(pairs) < FEWEST:
        return _build_missing_pair(f"fewer than {FEWEST} answers")
    try:
        truths, answers = (
            compute_inception_features([picture.pixels for picture in side]) for side in zip(*pairs, strict=True)
        )
    except InputError as error:
        return _build_missing_pair(error.problem)
    return Value(score_jigsaw_set(truths, answers)), Value(fmean(score_each_jigsaw(truths, answers)))


def _build_missing_pair(reason: str) -> tuple[Value, Value]:
    return Value(None, missing=reason), Value(None, missing=reason)
