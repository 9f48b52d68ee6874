"""Figures of metrics beside raters, and of the shares said, drawn and corrected: cases whose answer is known."""

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import plotly.graph_objects as go
import pytest
from charts import chart_instances
from invented import InventedRun, invented_run, invented_set, judged_also, preferring, repeated
from invented_pairs import pairs_of

from ircore.games.reconstruction.records import list_rendered_turns
from ircore.results.model import Results
from ircore.scorers.stated_facts.measuring import SaidTurn
from ircore.scorers.verification.scene_facts.scene import list_facts
from leaderboard.charts.catalogue import Chart, make_figures
from leaderboard.charts.grammar import Drawing, Json, build_layout, make_annotation, make_axis, make_vertical_line
from leaderboard.charts.names_beside import Spot, choose_places, draw_end_names
from leaderboard.charts.still import draw_still
from leaderboard.model.site import Marked


def measured(run: InventedRun, metric: str, factor: float) -> InventedRun:
    """The same run with a metric that is ``factor`` times the rating of each rendering."""
    more = [
        score.model_copy(update={"measure": metric, "by": metric, "value": factor * (score.value or 0.0)})
        for score in run.given
        if score.task == "similarity" and score.by == "structural"
    ]
    return replace(run, given=(*run.given, *more))


def charts_of(results: Results, *wanted: str) -> dict[str, Chart]:
    return make_figures(results, pairs_of(results), wanted)


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
            for turn in list_rendered_turns(result.episode):
                assert turn.rendering is not None
                letters = ("1" if turn.turn > 1 else "0") * len(list_facts(scene))
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


def test_a_lone_name_stands_above_its_mark_towards_the_middle() -> None:
    assert choose_places([Spot(20, 100, "left")], [(20, 100)], 400) == [("left middle", (10, 10))]
    assert choose_places([Spot(380, 100, "right")], [(380, 100)], 400) == [("right middle", (-10, 10))]


def test_a_second_mark_on_the_same_spot_is_named_below() -> None:
    names = [Spot(20, 100, "one"), Spot(22, 101, "two")]
    assert choose_places(names, [(20, 100), (22, 101)], 400) == [("left middle", (10, 10)), ("left middle", (10, -10))]


def test_a_name_avoids_a_mark_that_has_no_name() -> None:
    # The name would reach from 30 to 96, 83 to 97 px from above; the other mark stands at (60, 90).
    assert choose_places([Spot(20, 100, "a" * 10)], [(20, 100), (60, 90)], 400) == [("left middle", (10, -10))]


def test_a_name_that_is_too_long_for_its_side_stands_on_the_other() -> None:
    assert choose_places([Spot(190, 100, "a" * 20)], [], 300) == [("right middle", (-10, 10))]


def test_no_name_stands_below_the_plot_among_the_words_of_its_axis() -> None:
    names = [Spot(20, 295, "one"), Spot(22, 295, "two")]
    marks = [(20.0, 295.0), (22.0, 295.0)]
    assert choose_places(names, marks, 400) == [("left middle", (10, 10)), ("left middle", (10, -10))]
    # 10 px below its mark, the second name would reach from 298 to 312 px.
    assert choose_places(names, marks, 400, 300) == [("left middle", (10, 10)), ("left middle", (10, 24))]


def test_pairs_of_one_describer_of_a_long_name_are_told_apart_on_two_lines() -> None:
    names = [
        Marked("provider/model-4-17B-128E-instruct-FP8", generator, "", hue=0, shape=0) for generator in ("one", "two")
    ]
    annotations, room = draw_end_names([(60.0, names[0]), (50.0, names[1])], (0, 100), narrow=False)
    assert [note["text"].split("<br>") for note in annotations] == [
        ["provider/model-4-17B-128E-instruct-FP8", "+ one"], ["provider/model-4-17B-128E-instruct-FP8", "+ two"],
    ]  # fmt: skip
    assert room > 6 * len("provider/model-4-17B-128E-instruct-FP8")
    short = [Marked("poet", generator, "", hue=0, shape=0) for generator in ("one", "two")]
    lines, _ = draw_end_names([(60.0, short[0]), (50.0, short[1])], (0, 100), narrow=False)
    assert [note["text"] for note in lines] == ["poet + one", "poet + two"]


@pytest.mark.parametrize(("wide", "narrow"), [({"hight": 300}, {}), ({}, {"xaxis": {"ragne": [0, 1]}})])
def test_plotly_refuses_a_property_that_it_does_not_know(wide: Json, narrow: Json) -> None:
    with pytest.raises(ValueError, match="Invalid property"):
        Drawing([], wide, narrow).plotly()


def test_a_still_picture_takes_the_look_from_the_template_and_the_rest_from_the_figure() -> None:
    # A plot of 660 × 100 CSS pixels whose left upper corner is at (60, 20): x = 4 of 0–10 stands at 60 + 0.4 · 660.
    trace = go.Scatter(mode="markers", x=[4], y=[1], marker={"symbol": "circle", "size": 10, "color": "teal"})
    trace.error_x = {"array": [2], "arrayminus": [1], "color": "teal"}
    shape = build_layout(
        160,
        60,
        40,
        20,
        40,
        xaxis=make_axis(0, 10, [(5, "five")]),
        yaxis=make_axis(0, 2),
        shapes=[make_vertical_line(0)],
    )
    note = make_annotation("a &lt; b", (1, 1), "paper paper", "right bottom", (0, 5))
    still = draw_still(Drawing([trace], {**shape, "annotations": [note]}, shape).plotly(), narrow=False)
    picture = ElementTree.fromstring(still)
    grid, zero, whisker, mark = picture.iter("path")
    assert (grid.get("d"), grid.get("stroke")) == ("M390.0 120.0L390.0 20.0", "var(--irc-hairline)")
    assert zero.get("d", "").startswith("M60.0 ")
    assert (zero.get("stroke"), zero.get("stroke-width")) == ("var(--irc-zero)", "1.5")
    assert whisker.get("d") == "M258.0 70.0L456.0 70.0"
    assert mark.get("transform") == "translate(324.0 70.0) scale(6.00)"
    tick, words_above = picture.iter("text")
    assert (tick.text, tick.get("x"), tick.get("text-anchor")) == ("five", "390.0", "middle")
    assert (words_above.text, words_above.get("x"), words_above.get("fill")) == ("a < b", "720.0", "var(--irc-muted)")


def test_a_still_picture_is_not_made_of_what_it_cannot_draw() -> None:
    shape = build_layout(160, 60, 40, xaxis=make_axis(0, 1), yaxis=make_axis(0, 1))
    with pytest.raises(ValueError, match="no pie traces"):
        draw_still(Drawing([go.Pie(values=[1])], shape, shape).plotly(), narrow=False)
