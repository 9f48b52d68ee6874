"""Figures of metrics beside raters, and of the shares said, drawn and corrected: cases whose answer is known."""

from dataclasses import replace
from pathlib import Path

import pytest
from charts import chart_instances
from invented import InventedRun, invented_run, invented_set, judged_also, preferring, repeated
from invented_pairs import pairs_of

from ircore.results.model import Results
from ircore.scorers.stated_facts.records import SaidTurn
from ircore.scorers.verification.scene_facts.scene import facts_of
from leaderboard.charts.catalogue import Chart, figures


def measured(run: InventedRun, metric: str, factor: float) -> InventedRun:
    """The same run with a metric that is ``factor`` times the rating of each rendering."""
    more = [
        score.model_copy(update={"task": "metric", "judge": metric, "value": factor * (score.value or 0.0)})
        for score in run.given
        if score.task == "similarity" and score.judge == "structural"
    ]
    return replace(run, given=(*run.given, *more))


def charts_of(results: Results, *wanted: str) -> dict[str, Chart]:
    return figures(results, pairs_of(results), wanted)


@pytest.fixture(scope="module")
def results() -> Results:
    """SSIM rises with the rating; PSNR falls with it; BRISQUE, of which less is better, falls with it too."""
    run = preferring(invented_run(invented_set(3), "seer", "painter", 5, 0.6))
    for metric, factor in (("ssim", 0.1), ("psnr", -1.0), ("brisque", -3.0)):
        run = measured(run, metric, factor)
    return Results.from_runs([run])


@pytest.mark.slow
def test_marks_stand_at_the_correlations_the_worst_metric_last(results: Results) -> None:
    chart = charts_of(results, "metric-correlations")["metric-correlations"]
    assert [trace["x"][0] for trace in chart.figure["data"]] == pytest.approx([1, 1, -1])
    names = [note["text"] for note in chart.figure["layout"]["annotations"]]
    assert names[:3] == ["BRISQUE", "SSIM", "PSNR"]
    # The very same order has no interval, and without one no metric is named.
    assert chart.title == "Which metrics order renderings as raters do?"
    assert chart.figure["layout"]["xaxis"]["range"][0] == pytest.approx(-1.02)


@pytest.mark.slow
def test_shares_of_the_same_preference_are_in_percent(results: Results) -> None:
    chart = charts_of(results, "metric-preferences")["metric-preferences"]
    assert [trace["x"][0] for trace in chart.figure["data"]] == pytest.approx([100, 100, 0])


@pytest.mark.slow
def test_titles_are_about_people_where_people_rated() -> None:
    run = judged_also(invented_run(invented_set(3), "seer", "painter", 5, 0.6), "human", 0.0, 0.0, "ann")
    run = measured(measured(run, "ssim", 0.1), "psnr", -1.0)
    chart = charts_of(Results.from_runs([run]), "metric-correlations")["metric-correlations"]
    assert chart.title.startswith("SSIM comes nearest to people: 0.9")
    tied = charts_of(Results.from_runs([measured(run, "uqi", 0.2)]), "metric-correlations")["metric-correlations"]
    assert tied.title.startswith("Nearest to people are SSIM, 0.9")
    assert tied.title.endswith("), and 1 metric that cannot be told from it")


def told(results: Results) -> Results:
    """Facts of every turn: at turn 1 nothing is said and nothing right, then all is said, named and right."""
    scenes = {instance.instance_id: instance.scene for instance in results.instances}
    turns = {}
    for run_id, episodes in results.episodes.items():
        lines = []
        for result in episodes:
            scene = scenes[result.episode.instance_id]
            assert scene is not None
            for turn in result.episode.rendered_turns:
                assert turn.rendering is not None
                letters = ("1" if turn.turn > 1 else "0") * len(facts_of(scene))
                head = {"episode_id": result.episode.episode_id, "turn": turn.turn, "rendering": turn.rendering.sha256}
                said = {"stated": letters, "named": letters, "shown": letters}
                lines.append(SaidTurn.model_validate({**head, **said, "reader": "grammar", "version": "1"}))
        turns[run_id] = tuple(lines)
    return replace(results, said=turns)


@pytest.mark.slow
def test_a_panel_a_share_stands_at_the_shares_of_each_turn(tmp_path: Path) -> None:
    results = told(Results.from_runs([invented_run(chart_instances(tmp_path), "seer", "painter", 5, 0.6)]))
    chart = charts_of(results, "said-seer-painter")["said-seer-painter"]
    lines = [trace for trace in chart.figure["data"] if trace["mode"] == "lines+markers"]
    assert [line["y"][0] for line in lines] == [0, None, None]
    assert [line["y"][1] for line in lines] == [100, 100, 100]
    assert chart.title.startswith("The describer says 0 % of the facts at first and 100 % in the end")
    titles = [note["text"] for note in chart.figure["layout"]["annotations"]]
    assert {"Said", "Drawn", "Corrected"} <= set(titles)


def test_luck_stands_beside_pictures_and_is_named_where_it_is_surely_smaller() -> None:
    runs = [invented_run(invented_set(3), name, "painter", 5, 0.6) for name in ("seer", "looker")]
    chart = charts_of(Results.from_runs([repeated(run, 0.2) for run in runs]), "variance")["variance"]
    assert chart.table is not None
    luck = [
        value
        for source, value in zip(chart.table.column("source"), chart.table.column("deviation"), strict=True)
        if source.value == "luck of play"
    ]
    # Two episodes that are 2 points of 100 apart have the deviation √2, those that were not played the deviation 0.
    assert luck[0].value is not None
    assert 1.2 < float(luck[0].value) <= 2**0.5 + 1e-9
    assert chart.figure["data"][2]["x"][0] == pytest.approx(float(luck[0].value), abs=1e-3)
    once = charts_of(Results.from_runs(runs), "variance")["variance"]
    assert once.missing == "No target was played twice: ircore play … --repeats 2"
