"""Check that a table keeps the contract of ``ircore.results.tables.model``."""

from pathlib import Path
from typing import Any, get_args

from ircore.core.conformance import ConformanceError, expect, watch_outside_calls
from ircore.core.records import DEFAULT_GAME, PlayerSpec
from ircore.core.submission_records import Submission
from ircore.games.registry import load_game
from ircore.instances.requests import BuildRequest, find_builder
from ircore.players.submission import LoadedSubmission
from ircore.results.model import Results
from ircore.results.tables.catalogue import TableEntry, TableQuestion
from ircore.results.tables.formats import Format, render
from ircore.results.tables.model import Table, Value
from ircore.runs.play import make_run, open_run, play
from ircore.runs.session import PlayPlan
from ircore.runs.setup import make_players
from ircore.scorers.scoring import ScoringPlan, score_runs


def check_table(entry: object, results: Results, question: TableQuestion | None = None) -> None:
    """Check a table: the length of each row, a reason for each missing value, and every output format.

    Args:
        entry: What its entry point names.
        results: Computed from scored runs, such as ``sample_results`` makes.
        question: Judge, category and difficulty that the table is built for; everything if None.

    Raises:
        ConformanceError: The first fault.
    """
    if not isinstance(entry, TableEntry):
        raise ConformanceError(f"table: {type(entry).__name__} is no ircore.results.tables.catalogue.TableEntry")
    expect(bool(entry.description), "table: description is empty")
    question = question or TableQuestion()
    table = entry.table(results, question)
    if not isinstance(table, Table):
        raise ConformanceError(f"table: build returns a {type(table).__name__}, not a Table")
    where = f"table {table.name}"
    _check_cells(table, where)
    for form in get_args(Format):
        expect(bool(render(table, form, None)), f"{where}: is empty as {form}")
    with watch_outside_calls() as calls:
        again = entry.table(results, question)
    expect(not calls, f"{where}: {calls[0] if calls else ''}: compute from the results alone")
    expect(again == table, f"{where}: the same question gives another table the second time")


def sample_results(folder: Path) -> Results:
    """Return the results of two quick built-in players on two drawn targets, scored by the judge ``structural``.

    Args:
        folder: A new folder, for the instance set and the run.
    """
    game = load_game(DEFAULT_GAME)
    instances = find_builder(game.name)(BuildRequest(folder / "instances", 0, 1, ("simple_shapes",)))
    spec = {seat: PlayerSpec(player=player) for seat, player in (("describer", "captioner"), ("generator", "sketch"))}
    submission = Submission(schema_=1, name="Captioner + Sketch", licence="CC0-1.0", **spec)
    rules, prompts = game.rules.model_validate({"max_turns": 2}), game.read_prompts(None)
    loaded = LoadedSubmission("captioner-sketch", submission, folder / "submission.yaml")
    run = make_run(loaded, instances, rules, prompts, seed=0)
    opened = open_run(folder / "run", run, instances)
    plan = PlayPlan(run, instances, instances.instances, prompts, concurrency=1)
    play(plan, opened, game, make_players(game, loaded))
    score_runs([opened], ScoringPlan(metrics=()), workers=1)
    return Results.from_runs([opened])


def _check_cells(table: Table, where: str) -> None:
    for field in ("name", "title", "caption", "columns"):
        expect(bool(getattr(table, field)), f"{where}: {field} is empty")
    keys = [column.key for column in table.columns]
    expect(len(set(keys)) == len(keys), f"{where}: two columns have one key")
    for column in table.columns:
        expect(bool(column.title and column.description), f"{where}: column {column.key} has no title or description")
    for number, row in enumerate(table.rows, start=1):
        expect(len(row) == len(keys), f"{where}: row {number} has {len(row)} values for {len(keys)} columns")
        for key, value in zip(keys, row, strict=True):
            _check_value(table, value, f"{where}: row {number}, {key}")


def _check_value(table: Table, value: Any, where: str) -> None:
    if not isinstance(value, Value):
        raise ConformanceError(f"{where}: is a {type(value).__name__}, not a Value")
    for mark in value.marks:
        expect(mark in table.marks, f"{where}: carries the mark {mark}, which the table does not explain")
    if value.low is not None and value.high is not None:
        expect(value.low <= value.high, f"{where}: the interval ends before it begins")
