"""Importing human ratings into the runs whose renderings were rated.

A file is imported whole or not at all: every row must fit an episode, a turn and a rendering of the runs, and
contradict no other row and no earlier import. What is there already is kept, so a file that has grown can be imported
again.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple, cast

from ircore.core.errors import InputError
from ircore.core.score_records import HUMAN, JudgeIdentity, Score
from ircore.runs.folder import SCORES, RunFolder
from ircore.scorers.people.files import RatingRow, RowFaults, quote_cell, read_ratings
from ircore.scorers.rated_episodes import RatedEpisode, list_rated_episodes

HUMAN_JUDGE = JudgeIdentity(name=HUMAN, label="human annotators", kind="human")
"""Who gave the imported scores; single people are told apart by ``Score.annotator``."""


@dataclass(frozen=True)
class AnnotatorSummary:
    """Counts of one annotator's ratings in an imported file."""

    annotator: str
    """Pseudonym."""

    answered: int
    """Items with a value, or with a reason why there is none."""

    without_value: int
    """Number of ratings without a value: the annotator could not tell."""

    items: int
    """Different items that the file names, whoever answered them."""


@dataclass(frozen=True)
class ImportSummary:
    """Counts of an import, done or only tried."""

    added: int
    """New scores."""

    kept: int
    """Ratings that were there already: in the run, or in the file a second time."""

    by_run: Mapping[str, int]
    """New scores by run id."""

    annotators: tuple[AnnotatorSummary, ...]
    """Sorted by pseudonym."""


class _Key(NamedTuple):
    run_id: str
    episode_id: str
    turn: int
    task: str
    annotator: str


class _Given(NamedTuple):
    """A rating, and the place in the file that the rating was read from."""

    score: Score
    where: str


def import_ratings(path: Path, runs: Sequence[RunFolder], check: bool = False) -> ImportSummary:
    """Add the ratings of a CSV file to runs.

    Args:
        path: The file; ``ircore.scorers.people.files`` says what it holds.
        runs: Every run that the file names, each once. One run needs no column ``run_id``.
        check: Whether to write nothing.

    Raises:
        InputError: Anything is wrong with the file, told with row numbers, or a run is of a game without pictures to
            rate; nothing is written then.
        WorkError: A run's game is broken, or the disk is full; runs that were written before are complete, and a second
            import keeps them.
    """
    with ExitStack() as locks:
        # A check writes nothing, so it may run beside a command that holds the lock.
        if not check:
            for run in runs:
                locks.enter_context(run.lock())
        faults = RowFaults(path)
        rows = read_ratings(path, faults)
        by_id = _index_runs(path, runs, rows)
        rated = _match_rows(rows, by_id, faults)
        new, kept_count = _select_new_ratings(rated, by_id, faults)
        # Here at the latest: nothing has been written so far, and nothing is unless every row is right.
        faults.check()
        _check_judge(by_id.values(), write=not check)
        if not check:
            for run_id, scores in new.items():
                by_id[run_id].add_scores(scores)
    counts = {run_id: len(scores) for run_id, scores in new.items()}
    return ImportSummary(sum(counts.values()), kept_count, counts, _summarise_annotators(rows, runs))


def _index_runs(path: Path, runs: Sequence[RunFolder], rows: Sequence[RatingRow]) -> dict[str, RunFolder]:
    by_id: dict[str, RunFolder] = {}
    for run in runs:
        twin = by_id.setdefault(run.run.run_id, run)
        if twin is not run:
            raise InputError(f"{run.path}: is the same run as {twin.path}", "Name the run once.")
    if len(runs) > 1 and any(row.run_id is None for row in rows):
        raise InputError(
            f"{path}: row 1: the column run_id is missing, but several runs are named",
            "Add the column, or name one run.",
        )
    return by_id


def _find_run_id(row: RatingRow, only: str) -> str:
    return only if row.run_id is None else row.run_id


def _match_rows(
    rows: Iterable[RatingRow], runs: Mapping[str, RunFolder], faults: RowFaults
) -> list[tuple[_Key, RatingRow, Score]]:
    """Return the ratings that fit the runs; rows that are not answered yet are passed over once they fit."""
    only = next(iter(runs))
    episodes = {run_id: _read_rated_episodes(run) for run_id, run in runs.items()}
    rated = []
    for row in rows:
        run_id = _find_run_id(row, only)
        if run_id not in runs:
            faults.add(row.row, f"run_id: {quote_cell(run_id)} is none of {', '.join(runs)}")
            continue
        rendering, problem = _find_rendering(row, episodes[run_id])
        if problem:
            faults.add(row.row, problem)
        elif row.value is not None or row.reason is not None:
            key = _Key(run_id, row.episode_id, row.turn, row.task, row.annotator)
            rated.append((key, row, _build_score(row, rendering)))
    return rated


def _read_rated_episodes(run: RunFolder) -> dict[str, RatedEpisode | None]:
    """Return the episodes of a run by id; None for one that was not played."""
    return dict.fromkeys(run.ended()) | {episode.episode_id: episode for episode in list_rated_episodes(run)}


def _find_rendering(row: RatingRow, episodes: Mapping[str, RatedEpisode | None]) -> tuple[str, str]:
    """Return the hash of the rendering that a row rates, or else the row's fault; the other is empty."""
    if row.episode_id not in episodes:
        return "", f"episode_id: the run has no episode {quote_cell(row.episode_id)}"
    episode = episodes[row.episode_id]
    if episode is None:
        return "", f"episode_id: {row.episode_id} was aborted and counts as not played"
    made = {turn: rendering.sha256 for turn, rendering in episode.renderings.items()}
    if row.turn not in made:
        return "", f"turn: {row.episode_id} has no rendering of turn {row.turn}, only of {', '.join(map(str, made))}"
    if row.task == "preference" and not episode.compared:
        why = "has one rendering" if len(made) < 2 else "compares its first and its final rendering with two pictures"
        return "", f"task: {row.episode_id} {why}, so there is no preference"
    if row.task == "preference" and row.turn != max(made):
        return "", f"turn: a preference belongs to the final turn, {max(made)}, not {row.turn}"
    # The run was played anew since the page was built: the rating is of another picture.
    if row.rendering not in (None, made[row.turn]):
        return "", f"rendering: not the picture of {row.episode_id}, turn {row.turn}, in this run"
    return made[row.turn], ""


def _build_score(row: RatingRow, rendering: str) -> Score:
    return Score(
        episode_id=row.episode_id,
        step=row.turn,
        measure=cast(Literal["similarity", "preference"], row.task),
        by=HUMAN,
        value=row.value,
        reason=row.reason,
        rendering=rendering,
        annotator=row.annotator,
    )


def _select_new_ratings(
    rated: Iterable[tuple[_Key, RatingRow, Score]], runs: Mapping[str, RunFolder], faults: RowFaults
) -> tuple[dict[str, list[Score]], int]:
    """Drop ratings that the run already has; a rating that contradicts an earlier rating is a fault."""
    known = {key: rating for run_id, run in runs.items() for key, rating in _iterate_earlier_ratings(run_id, run)}
    new: dict[str, list[Score]] = defaultdict(list)
    kept_count = 0
    for key, row, score in rated:
        earlier = known.get(key)
        if earlier is None:
            known[key] = _Given(score, f"row {row.row}")
            new[key.run_id].append(score)
        elif (earlier.score.value, earlier.score.reason) == (score.value, score.reason):
            kept_count += 1
        else:
            faults.add(
                row.row,
                f"{key.annotator} on {key.episode_id}, turn {key.turn}, {key.task}: {_format_answer(score)} here, "
                f"{_format_answer(earlier.score)} in {earlier.where}",
            )
    return dict(new), kept_count


def _iterate_earlier_ratings(run_id: str, run: RunFolder) -> Iterable[tuple[_Key, _Given]]:
    """Yield the human ratings of a run with their lines, without ratings of renderings that no longer exist."""
    current = {
        (episode.episode_id, turn): rendering.sha256
        for episode in list_rated_episodes(run)
        for turn, rendering in episode.renderings.items()
    }
    for line, score in enumerate(run.scores(), start=1):
        if score.annotator is None:
            continue
        step, rendering = score.picture
        if current.get((score.episode_id, step)) == rendering:
            key = _Key(run_id, score.episode_id, step, score.task, score.annotator)
            yield key, _Given(score, f"{run.path / SCORES}:{line}")


def _format_answer(score: Score) -> str:
    return f"{score.value:g}" if score.value is not None else quote_cell(score.reason or "")


def _check_judge(runs: Iterable[RunFolder], write: bool) -> None:
    """See that the name of the human judge is free or ours in every run, before a score is written into any."""
    for run in runs:
        if write or HUMAN in run.judges():
            run.keep_judge(HUMAN_JUDGE)


def _summarise_annotators(rows: Sequence[RatingRow], runs: Sequence[RunFolder]) -> tuple[AnnotatorSummary, ...]:
    only = runs[0].run.run_id
    items = {(_find_run_id(row, only), row.episode_id, row.turn, row.task) for row in rows}
    answered: dict[str, dict[tuple[str, str, int, str], bool]] = {row.annotator: {} for row in rows}
    for row in rows:
        if row.value is not None or row.reason is not None:
            answered[row.annotator][_find_run_id(row, only), row.episode_id, row.turn, row.task] = row.value is None
    return tuple(
        AnnotatorSummary(name, len(counts), sum(counts.values()), len(items))
        for name, counts in sorted(answered.items())
    )
