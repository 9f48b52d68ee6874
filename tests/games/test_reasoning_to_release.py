"""The reasoning game from tasks to a data set: all nine dimensions, the built-in players and a floor."""

import json
from pathlib import Path

import pytest
from loaded_datasets import load_dataset

from dataset_card.data import load_table
from ircore.commands.main import run as ircore
from ircore.games.reasoning.build import DIMENSIONS
from ircore.results.model import Results
from ircore.results.subsets import list_board_rows
from ircore.runs.folder import RunFolder

pytestmark = pytest.mark.slow

SUBMISSIONS = Path(__file__).parents[2] / "submissions"
FLOOR = """{schema: 1, game: reasoning, name: floor, licence: CC0-1.0,
  drawer: {player: FLOOR}, reader: {player: FLOOR}}"""
SOLVED = {"quantity", "layout", "text", "jigsaw", "sudoku", "entity-named"}
"""Dimensions that solver and editor solve without exception; of the others they solve some."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One task of each dimension and difficulty; runs of the built-in players and the floors, scored."""
    folder = tmp_path_factory.mktemp("reasoning")
    done("instances", "build", "--game", "reasoning", "--per-condition", 1, "--out", folder / "tasks")
    places = [SUBMISSIONS / "solver-editor", SUBMISSIONS / "editor"]
    for floor in ("identity-editor", "random-editor"):
        places.append(folder / "submissions" / floor)
        places[-1].mkdir(parents=True)
        (places[-1] / "submission.yaml").write_text(FLOOR.replace("FLOOR", floor))
    for place in places:
        done("play", place, "--instances", folder / "tasks", "--out", folder / "runs" / place.name)
        done("score", folder / "runs" / place.name)
    return folder


def done(*words: object) -> None:
    assert ircore([str(word) for word in words]) == 0


def results(folder: Path) -> Results:
    return Results.from_runs([RunFolder(path) for path in sorted((folder / "runs").iterdir())])


def means(folder: Path, slug: str, measure: str) -> dict[str, float | None]:
    """Return the mean of a measure by dimension."""
    found = results(folder)
    run = next(run for run in found.every_run if run.run.slug == slug)
    return {name: found.mean(run.run.run_id, measure, category=name).mean for name in DIMENSIONS}


def test_solver_and_editor_solve_what_can_be_worked_out(folder: Path) -> None:
    verified = means(folder, "solver-editor", "verified")
    assert {name for name, mean in verified.items() if mean == 1} >= SOLVED
    assert verified["entity-described"] == 0  # it recognises things by name, not by description


def test_runs_with_and_without_thinking_are_conditions_of_their_own(folder: Path) -> None:
    """Each has ranks among runs by the same rules, and its own row where a submission played both."""
    rules = {row.submission.run.slug: row.submission.run.rules for row in list_board_rows(results(folder))}
    assert rules["solver-editor"] == {"thinking": True}
    assert all(not own.get("thinking") for slug, own in rules.items() if slug != "solver-editor")
    ranks = {row.submission.run.slug: row.rank_low for row in list_board_rows(results(folder))}
    assert (ranks["solver-editor"], ranks["editor"]) == (1, 1)


def test_without_thinking_nothing_is_worked_out(folder: Path) -> None:
    verified = means(folder, "editor", "verified")
    assert [verified[name] for name in ("quantity", "layout", "text")] == [0, 0, 0]
    assert [verified[name] for name in ("jigsaw", "sudoku", "entity-named")] == [1, 1, 1]


def test_an_untouched_picture_scores_nothing_and_floors_have_no_rank(folder: Path) -> None:
    verified = means(folder, "identity-editor", "verified")
    assert {name for name, mean in verified.items() if mean} <= {"recognition"}
    ranks = {row.submission.run.slug: row.rank_low for row in list_board_rows(results(folder))}
    assert ranks == {"solver-editor": 1, "editor": 1, "identity-editor": None, "random-editor": None}


def test_the_gap_is_between_drawing_and_recognising(folder: Path) -> None:
    drawn, recognised = (means(folder, "editor", measure) for measure in ("drawn", "recognised"))
    assert {name for name, mean in drawn.items() if mean is not None} == {"entity-named", "entity-described"}
    assert {name for name, mean in recognised.items() if mean is not None} == {"recognition"}


def test_a_table_has_both_scores_of_each_dimension(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    done("results", folder / "runs" / "identity-editor", "--table", "girbench", "--format", "json")
    rows = {row["dimension"]: row for row in json.loads(capsys.readouterr().out)["rows"]}
    assert list(rows) == list(DIMENSIONS)
    assert (rows["painting"]["tasks"], rows["painting"]["answered"]) == (2, 2)
    assert rows["painting"]["published"] == rows["painting"]["published_all"] == rows["painting"]["verified"] == 0
    assert rows["jigsaw"]["verified"] == 0
    assert rows["jigsaw"]["published"] is rows["jigsaw"]["each"] is None  # need a network for the FID
    assert rows["entity-named"]["published"] is None  # needs the weights of DINO


def test_the_runs_make_a_release_whose_transcripts_load(folder: Path, tmp_path: Path) -> None:
    runs = [folder / "runs" / name for name in ("solver-editor", "editor")]
    done("release", "build", "--runs", *runs, "--instances", folder / "tasks", "--out", tmp_path / "release")
    done("release", "check", "--no-load", tmp_path / "release")
    table = load_table(str(tmp_path / "release"), "scores")
    kept = {(row.run_id, row.episode_id, row.measure): row.note for row in table.dropna(subset=["note"]).itertuples()}
    said = {
        (run_id := RunFolder(path).run.run_id, f"{run_id}/{score.episode_id}", score.measure): score.note
        for path in runs
        for score in RunFolder(path).scores()
        if score.note
    }
    assert kept == said  # the verifier's reasons
    assert any("sudoku" in episode for _, episode, _ in said)
    steps = load_dataset(tmp_path / "release", "transcripts_reasoning", tmp=tmp_path / "cache")
    assert steps["rows"] == 2 * 2 * 9
    assert steps["first"]["game"] == "reasoning"
    assert {"told", "thought", "rendering", "choice", "missing"} <= set(steps["columns"])
