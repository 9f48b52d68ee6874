"""Every file of numbers says where they come from: benchmark, instance set, judge, condition, and units by column."""

import csv
import io
import json
from dataclasses import replace

import pytest
from invented import invented_results
from invented_games import Guessing, guessed, guessing_set
from invented_pairs import pairs_of
from known_values import known

from ircore.core.episode_records import Episode
from ircore.core.records import Instance
from ircore.core.score_records import Score
from ircore.core.submission_records import Run, Submission
from ircore.games.declarations import Measure
from ircore.instances.benchmark import BenchmarkVersion
from ircore.results.benchmark_version import Version
from ircore.results.model import Results
from ircore.results.tables.board import leaderboard_table
from ircore.results.tables.formats import list_flat_names
from leaderboard.building.sources import build_json_schemas
from leaderboard.charts.catalogue import Chart, make_figures
from leaderboard.games.board_files import build_games_board_files, build_only_games_files
from leaderboard.model.section import GameSection
from leaderboard.pages.board_views import build_leaderboard_files

pytestmark = pytest.mark.slow


PROMPTS = "reconstruction-test"
SOURCE = ["benchmark", "instance_set", "prompts", "units"]


@pytest.fixture(scope="module")
def results() -> Results:
    return invented_results(["seer", "teller"], ["painter"])


@pytest.fixture(scope="module")
def version(results: Results) -> Version:
    released = BenchmarkVersion(name="2026.1", date="2026-05-01", instance_set=results.instance_set, prompts=PROMPTS)
    return Version(results.instance_set, PROMPTS, released)


@pytest.fixture(scope="module")
def charts(results: Results, version: Version) -> dict[str, Chart]:
    return make_figures(results, pairs_of(results), version=version)


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def units_of(text: str) -> dict[str, str]:
    return dict(unit.split(": ") for unit in text.split("; "))


def test_the_boards_say_benchmark_set_and_units_behind_the_columns_that_they_always_had(
    results: Results, version: Version
) -> None:
    files = dict(build_leaderboard_files(results, version))
    row = rows_of(files["data/leaderboard.csv"])[0]
    assert list(row) == [*list_flat_names(leaderboard_table(results)), *SOURCE]
    assert (row["benchmark"], row["instance_set"], row["prompts"]) == ("2026.1", results.instance_set, PROMPTS)
    assert row["judge"] == "structural"
    units = units_of(row["units"])
    wanted = {"main_score_mean": "0–100", "mean": "0–10", "delta_mean": "points of 10", "cost_mean": "US$"}
    assert wanted.items() <= units.items()
    document = json.loads(files["data/leaderboard.json"])
    assert document["units"] == units
    assert set(units) < set(document["rows"][0])


def test_an_unreleased_benchmark_has_no_name_but_a_set(results: Results) -> None:
    row = rows_of(dict(build_leaderboard_files(results, Version("f" * 64, PROMPTS)))["data/leaderboard.csv"])[0]
    assert (row["benchmark"], row["instance_set"]) == ("", "f" * 64)


@pytest.mark.parametrize(
    ("chart", "judge", "unit"),
    [
        ("delta", "structural", ("delta_mean", "points of 10")),
        ("trajectories", "structural", ("mean", "0–10")),
        ("seconds", "structural", ("seconds_mean", "seconds")),
        ("lengths", None, ("tokens_mean", "tokens")),
        ("corrections", None, ("colour_mean", "0–1")),
        ("trajectory-seer-painter", "structural", ("mean", "0–10")),
    ],
)
def test_a_figure_says_its_judge_if_a_judge_gave_its_numbers(
    charts: dict[str, Chart], chart: str, judge: str | None, unit: tuple[str, str]
) -> None:
    row = rows_of(charts[chart].csv())[0]
    assert list(row)[-4:] == SOURCE
    assert (row.get("judge"), row["category"], row["difficulty"]) == (judge, "all", "all")
    assert row["benchmark"] == "2026.1"
    units = units_of(row["units"])
    assert units[unit[0]] == unit[1]
    assert json.loads(charts[chart].json())["units"] == units


def test_a_figure_of_conditions_keeps_its_own_column_of_them(charts: dict[str, Chart]) -> None:
    rows = rows_of(charts["heat-map-seer-painter"].csv())
    assert {row["category"] for row in rows} > {"geometry", "bar_graph"}
    assert {row["difficulty"] for row in rows} == {"all"}


def test_boards_of_other_games_say_their_own_set_and_the_scale_of_each_measure() -> None:
    run = guessed("pair", guessing_set(5), [4.0, 6.0] * 10)
    section = GameSection(Results.from_runs(game=Guessing(), runs=[run]))
    files = dict(build_games_board_files([section]))
    row, document = rows_of(files["games/guessing/board.csv"])[0], json.loads(files["games/guessing/board.json"])
    wanted = {"game": "guessing", "category": "all", "difficulty": "all", "instance_set": run.run.instance_set}
    wanted |= {"ircore": run.run.version}
    # Rules are of a run, and a board may hold runs by several.
    assert (wanted | {"rules": "none"}).items() <= row.items()
    assert wanted.items() <= document.items()
    assert document["rows"][0]["rules"] == "none"
    assert units_of(row["units"]) == document["units"]
    assert {"main_score_mean": "0–100", "mean": "0–10", "cost_mean": "US$"}.items() <= document["units"].items()
    files = dict(build_only_games_files([section], ("all.csv", "all.json")))
    points = rows_of(files["all.csv"])[0]
    assert (points["measure"], points["unit"], points["instance_set"]) == ("points", "0–10", run.run.instance_set)
    assert (points["rules"], points["ircore"]) == ("none", run.run.version)
    assert json.loads(files["all.json"])["rows"][0]["unit"] == "0–10"


class Wide(Guessing):
    """The same game with points up to 20."""

    measures = (Measure("points", "Points", range=(0, 20)),)


def test_the_difference_that_a_board_of_another_game_finds_is_in_the_unit_of_its_headline() -> None:
    section = GameSection(Results.from_runs(game=Wide(), runs=[guessed("pair", guessing_set(5), [8.0, 12.0] * 10)]))
    files = dict(build_games_board_files([section]))
    row, units = rows_of(files["games/guessing/board.csv"])[0], json.loads(files["games/guessing/board.json"])["units"]
    assert (units["mean"], units["detectable"]) == ("0–20", "0–20")
    # Cells hold every headline from 0 to 10.
    assert float(row["detectable"]) == pytest.approx(2 * known(known(section.cell(section.ranked[0])).detectable))


def test_no_spreadsheet_runs_what_a_run_of_another_game_says() -> None:
    run = guessed("pair", guessing_set(5), [4.0, 6.0] * 10)
    run = replace(run, run=run.run.model_copy(update={"version": "=HYPERLINK(1)"}))
    section = GameSection(Results.from_runs(game=Guessing(), runs=[run]))
    files = dict(build_only_games_files([section], ("all.csv", "all.json")))
    assert {row["ircore"] for row in rows_of(files["all.csv"])} == {"'=HYPERLINK(1)"}
    assert json.loads(files["all.json"])["rows"][0]["ircore"] == "=HYPERLINK(1)"


def test_every_record_has_a_schema_and_schemas_are_closed() -> None:
    schemas = build_json_schemas()
    assert {kind.__name__.lower() for kind in (Instance, Submission, Run, Episode, Score)} <= schemas.keys()
    # A manifest has the seats and rules of its game.
    formats = [schemas["submission"]["$defs"][name] for name in ("ReconstructionSubmission", "ReferenceSubmission")]
    assert {"speaker", "listener"} <= formats[1]["properties"].keys()
    closed = [*formats, *(schema for name, schema in schemas.items() if name != "submission")]
    assert all(schema["additionalProperties"] is False for schema in closed)
