"""Measures over the turns: published series, cases by hand, and the tables of runs."""

import json
import os
from math import nan
from pathlib import Path
from typing import Any

import pytest

from ircore.results.hops import by_turn, normalised, normalised_means
from ircore.results.model import Results
from ircore.results.tables.hops import by_turn_table, normalised_table
from ircore.runs.folder import RunFolder
from ircore.scorers.scoring import ScoringPlan, score_runs

SHARED = Path(os.environ.get("IRCORE_SHARED_DATA", Path(__file__).resolve().parents[3].parent / "shared" / "data"))
VECTORS = SHARED / "metrics" / "hop_vectors.json"
MEASURES: dict[str, Any] = json.loads(VECTORS.read_text())["metrics"] if VECTORS.is_file() else {}


@pytest.mark.skipif(not MEASURES, reason="the published values are not beside the checkout")
@pytest.mark.parametrize("measure", sorted(MEASURES))
def test_published_means_of_85_conversations(measure: str) -> None:
    series = list(MEASURES[measure]["series"].values())
    assert len(series) == 85
    turns = [point.at.mean for point in by_turn(series)]
    assert turns == pytest.approx(MEASURES[measure]["mean_by_hop_index"], abs=1e-12)
    places = normalised_means(series)
    assert [point.mean for point in places] == pytest.approx(MEASURES[measure]["mean_normalised_20"], abs=1e-12)
    assert all(point.low is not None and point.low < (point.mean or nan) < (point.high or nan) for point in places)


def test_the_normalised_axis_by_hand() -> None:
    assert normalised([2.0, 4.0, 8.0], 5) == (2, 3, 4, 6, 8)
    assert normalised([7.0], 3) == (7, 7, 7)
    assert normalised([]) == ()
    assert normalised([None, None]) == ()


def test_a_turn_without_a_value_is_bridged() -> None:
    assert normalised([0.0, None, 4.0], 3) == (0, 2, 4)
    assert normalised([None, 3.0, 5.0], 3) == (3, 3, 5)


def test_up_to_turn_k_by_hand() -> None:
    first, second, third = by_turn([[1.0, 5.0, 3.0], [2.0]])
    assert (first.at.mean, first.at.n) == (1.5, 2)
    assert (second.at.mean, second.at.n) == (5, 1)  # the other episode has ended
    assert (second.latest.mean, second.latest.n) == (3.5, 2)  # and keeps its 2
    assert (third.latest.mean, third.best.mean) == (2.5, 3.5)


def test_what_is_best_depends_on_the_direction() -> None:
    assert by_turn([[4.0, 2.0, 9.0]], higher_is_better=False)[-1].best.mean == 2


def test_episodes_without_a_value_count_nowhere() -> None:
    assert by_turn([[], [None, 6.0]])[0].at.n == 0
    assert by_turn([[], [None, 6.0]])[1].latest.mean == 6
    assert normalised_means([[], [None]]) == ()
    assert by_turn([]) == ()


@pytest.mark.slow
def test_tables_of_a_run_end_where_the_judges_means_are(run: RunFolder) -> None:
    score_runs([run], ScoringPlan(metrics=("psnr", "ssim"), every_turn=True))
    results = Results.from_runs([run])
    (pair,) = results.submissions
    turns, places = by_turn_table(results), normalised_table(results)
    assert {row.value for row in turns.column("measure")} == {"structural", "psnr", "ssim"}
    last = [row for row in range(len(turns.rows)) if turns.entry(row, "measure").value == "structural"][-1]
    assert turns.entry(last, "latest").value == results.cell(pair.run_id, "structural").score.mean
    assert len(places.rows) == 3 * 20
    ends = [row for row in range(len(places.rows)) if places.entry(row, "place").value == 1]
    finals = {places.entry(row, "measure").value: places.entry(row, "value").value for row in ends}
    assert finals["structural"] == results.cell(pair.run_id, "structural").score.mean
    assert finals["ssim"] == pytest.approx(1)
