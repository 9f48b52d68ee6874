"""The columns that identify a row's pair, and captions that state a table's selection."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ircore.core.counted import counted
from ircore.games.base import Seat
from ircore.results.conditions import under
from ircore.results.model import Results, SubmissionResult
from ircore.results.subsets import rule_sets
from ircore.results.tables.model import Column, Table, Value

ALL = "all"
"""Stands in files for every category, or both difficulties."""

MOST_NAMES = 2
"""Players by whose names a submission is known; of more players the submission's own name stands."""


def pair_names(submissions: Sequence[SubmissionResult], with_rules: bool = True) -> Mapping[str, str]:
    """Return each pair's name by run id: players, unusual rules, prompts where they differ, slug if names coincide.

    Args:
        submissions: Those that are to be told apart.
        with_rules: Whether names say unusual rules.
    """
    several = len({submission.run.prompts for submission in submissions}) > 1
    names = {submission.run_id: _pair(submission, with_rules, several) for submission in submissions}
    count = Counter(names.values())
    return {
        submission.run_id: names[submission.run_id]
        if count[names[submission.run_id]] == 1
        else f"{names[submission.run_id]} ({submission.slug})"
        for submission in submissions
    }


def _pair(submission: SubmissionResult, with_rules: bool, with_prompts: bool) -> str:
    prompts = [f"prompts {submission.run.prompts}"] if with_prompts else []
    unusual = [*(submission.rules.unusual if with_rules else ()), *prompts]
    names = submission.players
    # A row of more names is read by nobody, and a player alone in seats that others may share is no pair.
    if len(names) > MOST_NAMES or (len(submission.game.seats) > MOST_NAMES and len(set(names)) == 1):
        names = (submission.name,)
    return " + ".join(names) + (f" ({', '.join(unusual)})" if unusual else "")


def condition_words(instances: str, category: str | None, difficulty: str | None) -> str:
    """Name a condition in words, such as ``hard geometry`` or ``all targets``; ``instances`` is the game's word."""
    if category is None and difficulty is None:
        return f"all {instances}"
    return " ".join(part for part in (difficulty, (category or instances).replace("_", " ")) if part)


def pair_columns(results: Results) -> tuple[Column, ...]:
    """Return the columns that say who played: run, submission and the player of each seat; for people one name."""
    return (
        Column("run_id", "Run", "The run: the players of a submission under one set of rules.", digits=None,
               audience="programs"),
        Column("submission", "Submission", "Slug of the submission.", digits=None, audience="programs"),
        *(replace(seat_column(seat), audience="programs") for seat in results.seats),
        Column("pair", "pair", "Who played.", digits=None, audience="readers"),
    )  # fmt: skip


def seat_column(seat: Seat[Any, Any]) -> Column:
    """Return the column of the players of a seat."""
    return Column(seat.name, seat.title, f"Player in the seat {seat.name}, who sees {seat.sees}.", digits=None)


def pair_values(results: Results) -> dict[str, tuple[Value, ...]]:
    """Return the entries of ``pair_columns`` by run id."""
    names = pair_names(results.submissions)
    return {entry.run_id: who_played(results, entry, names[entry.run_id]) for entry in results.submissions}


def who_played(results: Results, entry: SubmissionResult, name: str) -> tuple[Value, ...]:
    """Return the entries of ``pair_columns`` of a run; for people it has a name."""
    labels = (entry.run.submission.label_of(seat.name) for seat in results.seats)
    return tuple(map(Value, (entry.run_id, entry.slug, *labels, name)))


def caption(
    results: Results, judge: str | None = None, category: str | None = None, difficulty: str | None = None
) -> str:
    """Return a caption of a table's selection: condition, judge, episodes a pair and instance set."""
    size = len(under(results.instances, category, difficulty))
    game = results.game
    by = f"judged by {judge}" if game.is_judged else f"main score made of {game.headline.title}"
    judged = "" if judge is None else f", {by}"
    repeats = max(submission.run.repeats for submission in results.submissions)
    noun = game.pages.words.instance
    many = counted(size, "episode") if repeats == 1 else f"{counted(size, noun)}, up to {repeats} episodes of each,"
    return (
        f"{condition_words(f'{noun}s', category, difficulty).capitalize()}{judged}; "
        f"{many} a pair; instance set {results.instance_set[:12]}."
    )


RULES = Column("rules", "rules", "Key of the rules played by: token budget, turn limit, what is over the budget.",
               digits=None, audience="programs")  # fmt: skip
"""The last column of every table of runs; several keys, where a row rests on several rules, have ``+`` between them."""

_RUNS = ("run_id", "other_run_id")


def with_rules(table: Table, results: Results) -> Table:
    """Return a table whose last column is the key of the rules of each row, and whose caption names all keys.

    The runs of a row are those that its columns name, else those behind its numbers, else all. People see the column
    only where rules differ, and not at a terminal, where a pair's name says what is unusual.

    Args:
        table: Made from ``results``.
        results: Of some runs.
    """
    keys = {submission.run_id: submission.rules.key for submission in results.submissions}
    every = [rules.key for rules in rule_sets(results)]
    caption = table.caption if table.caption.endswith(".") else f"{table.caption}."
    named = replace(table, caption=f"{caption} Rules {', '.join(every)}.")
    if any(column.key == RULES.key for column in table.columns):
        return named
    places = [index for index, column in enumerate(table.columns) if column.key in _RUNS]
    rows = tuple((*row, Value(_joined({keys[run] for run in _runs(row, places)}, every))) for row in table.rows)
    column = replace(RULES, audience="pages") if len(every) > 1 else RULES
    return replace(named, columns=(*table.columns, column), rows=rows)


def _runs(row: tuple[Value, ...], places: Iterable[int]) -> list[str]:
    """List the runs of a row: the runs that the row names, else the runs behind its numbers."""
    named = [str(row[place].value) for place in places]
    return named or [run_id for value in row if value.episodes is not None for run_id in value.episodes.run_ids]


def _joined(keys: Collection[str], order: Iterable[str]) -> str:
    """Return some keys of rules as a single text, the usual rules first; all keys if none are given."""
    return "+".join(key for key in order if key in keys or not keys)
