"""The charts: what they say, that their tables say the same, and that they carry nothing they should not."""

import gzip
import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import plotly.graph_objects as go
import pytest
from charts import chart_instances
from invented import (
    InventedRun,
    invented_results,
    invented_run,
    invented_set,
    judged_also,
    preferring,
    repeated,
    scored_run,
)
from invented_pairs import pairs_of
from known_values import known
from plotly.offline import get_plotlyjs_version

import leaderboard
from ircore.games.reconstruction.records import Turn, list_rendered_turns, list_turns
from ircore.results.episodes import CONVERGENCES
from ircore.results.model import Results
from ircore.results.tables.model import Selection, Value
from ircore.results.tables.turns import average_trajectories
from ircore.runs.folder import SaidTurn
from ircore.scorers.verification.scene_facts import list_facts
from leaderboard import theme
from leaderboard.charts.catalogue import OF_ALL, OF_JUDGE, OF_PAIR, OF_PAIR_ONCE, Chart, make_chart_id, make_figures
from leaderboard.charts.grammar import (
    Json,
    PlotlyDrawing,
    build_layout,
    make_annotation,
    make_axis,
    make_scatter,
    make_vertical_line,
)
from leaderboard.charts.names_beside import NamedSpot, choose_places, draw_end_names
from leaderboard.charts.still import draw_still
from leaderboard.model.site import MarkedPlayers

BEHIND = Selection(("seer-painter",), "refined", judge="structural")
ASSETS = Path(leaderboard.__file__).parent / "assets"


@pytest.fixture(scope="module")
def results() -> Results:
    return invented_results(["seer", "teller"], ["painter", "sketcher"])


@pytest.fixture(scope="module")
def charts(results: Results) -> dict[str, Chart]:
    return make_figures(results, pairs_of(results))


def drawn(charts: Mapping[str, Chart]) -> list[Chart]:
    return [chart for chart in charts.values() if not chart.missing]


def entries(chart: Chart, key: str) -> tuple[Value, ...]:
    return known(chart.table).column(key)


def texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from texts(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from texts(item)


def without_empty(value: Any) -> Any:
    """A figure as JSON has it, without the lists that say nothing: Plotly leaves them out."""
    if isinstance(value, Mapping):
        return {name: without_empty(item) for name, item in value.items() if name != "uid" and item != []}
    return [without_empty(item) for item in value] if isinstance(value, list | tuple) else value


@pytest.mark.slow
def test_turns_that_were_not_scored_are_left_out() -> None:
    results = Results.from_runs([scored_run([4, None, None, 8], [2, None, 5])])
    points = average_trajectories(results.episodes["seer-painter"], "structural", [None])[None]
    assert [(point.turn, point.reached.mean) for point in points] == [(1, 3), (4, 6.5)]


@pytest.mark.slow
def test_every_chart_is_there(results: Results, charts: dict[str, Chart]) -> None:
    every = {*OF_ALL, *OF_JUDGE}
    for submission in results.submissions:
        every |= {make_chart_id(kind, submission.slug) for kind in {**OF_PAIR, **OF_PAIR_ONCE}}
    assert charts.keys() == every
    assert all(chart.id == identity and identity.startswith(chart.kind) for identity, chart in charts.items())
    assert make_chart_id("delta", judge="panel") == "delta-by-panel"


@pytest.mark.slow
def test_the_table_says_what_the_figure_draws(results: Results, charts: dict[str, Chart]) -> None:
    chart = charts["delta"]
    marks = [(trace["x"][0], trace["error_x"]) for trace in chart.figure["data"]]
    assert len(marks) == 4
    for (mean, whisker), value in zip(marks, entries(chart, "delta"), strict=True):
        assert value.value == pytest.approx(mean, abs=0.001)
        assert value.high == pytest.approx(mean + whisker["array"][0], abs=0.001)
    means = [mean for mean, _ in marks]
    assert means == sorted(means, reverse=True)


@pytest.mark.slow
def test_shares_of_a_bar_add_up(charts: dict[str, Chart]) -> None:
    bars = charts["convergence"].figure["data"]
    assert [sum(bar["x"][row] for bar in bars) for row in range(4)] == pytest.approx([100] * 4, abs=0.03)
    shares = [[share.value for share in entries(charts["convergence"], outcome)] for outcome in CONVERGENCES]
    assert [sum(row) for row in zip(*shares, strict=True)] == pytest.approx([1] * 4)


@pytest.mark.slow
def test_titles_say_the_finding() -> None:
    three: list[list[float | None]] = [[4, 6], [2, 4.1], [6, 8.1]]
    better = Results.from_runs([scored_run(*three, *three, *three)])
    charts = make_figures(better, pairs_of(better))
    assert charts["delta"].title == "Refinement helps 1 of 1 pair and harms none"
    assert charts["convergence"].title == "100 % of rated episodes end better than they began, 0 % worse"
    assert charts["trajectory-seer-painter"].title == "From 4.0 after the first turn to 6.1 after the last"


def silent(run: InventedRun, describer: str) -> InventedRun:
    """The same run under another describer's name, of which nothing was played."""
    submission = run.run.submission
    player = submission.players["describer"].model_copy(update={"model": describer})
    about = {"run_id": describer, "slug": describer, "submission": submission.model_copy(update={"describer": player})}
    return replace(run, run=run.run.model_copy(update=about), played=(), given=())


@pytest.mark.slow
def test_titles_count_only_pairs_that_were_rated() -> None:
    three: list[list[float | None]] = [[4, 6], [2, 4.1], [6, 8.1]]
    played = scored_run(*three, *three, *three)
    results = Results.from_runs([played, silent(played, "ghost"), silent(played, "mute")])
    charts = make_figures(results, pairs_of(results))
    assert charts["delta"].title == "Refinement helps 1 of 1 pair and harms none"
    assert charts["scores"].title == "How similar is what the pair draws?"
    assert charts["trajectories"].title == "How far does each pair get, turn by turn?"
    assert charts["pair-convergence-ghost"].missing == "No episode was rated."


@pytest.mark.slow
def test_categories_of_too_few_pictures_leave_their_questions_open() -> None:
    titles = {}
    for per_condition in (2, 4):
        results = invented_results(["seer"], ["painter"], per_condition)
        charts = make_figures(results, pairs_of(results))
        titles[per_condition] = charts["categories"].title, charts["heat-maps"].title
        # Of so few pictures there is a mean, and no interval.
        lengths = {end for mark in charts["categories"].figure["data"] for end in mark["error_x"]["array"]}
        assert (lengths == {0.0}) == (per_condition == 2)
    assert titles[2] == (
        "Which category is hardest? No pair has 5 rated pictures of every category: too few to tell",
        "In which categories do more turns pay?",
    )
    assert titles[4][0].startswith("Which category is hardest? ")
    assert titles[4][1].startswith("The turns bring most on ")


@pytest.mark.slow
def test_the_last_messages_are_those_of_the_last_turn_that_enough_episodes_reach() -> None:
    """Five messages of about 40 tokens at turn 2, one of 10 at turn 3: the last turn that counts is the second."""
    instances = invented_set(3, ("geometry",))
    run = invented_run(instances, "seer", "painter", 5, 0)
    for last, said in (
        (40, "Messages get shorter in 1 of 1 pair and longer in none"),
        # Within the intervals of both turns, which lie on each other.
        (59, "Do messages get shorter? No pair's length at its last turn is clear of that at turn 1"),
    ):
        lengths = [(60 + at, last + at) for at in range(5)] + [(62, last, 10)]
        played = [
            episode.with_steps(tuple(turns_like(list_turns(episode)[0], tokens)))
            for episode, tokens in zip(run.played, lengths, strict=True)
        ]
        results = Results.from_runs([replace(run, played=tuple(played))])
        charts = make_figures(results, pairs_of(results))
        assert charts["lengths"].title == said
        assert charts["novelty"].title == "Do later messages say anything new?"


def turns_like(turn: Turn, lengths: tuple[int, ...]) -> Iterator[Turn]:
    for number, tokens in enumerate(lengths, start=1):
        yield turn.model_copy(update={"turn": number, "message_tokens": tokens})


@pytest.mark.slow
def test_one_episode_and_no_score_are_drawn_without_a_whisker() -> None:
    single = Results.from_runs([scored_run([4, 6])])
    charts = make_figures(single, pairs_of(single))
    assert charts["delta"].figure["data"][0]["error_x"]["array"] == [0]
    assert entries(charts["delta"], "delta")[0] == Value.of(single.cell("seer-painter", "structural").delta, BEHIND)
    no_refinement = Results.from_runs([scored_run([4])])
    charts = make_figures(no_refinement, pairs_of(no_refinement))
    assert charts["delta"].figure["data"] == []
    assert entries(charts["delta"], "delta")[0].missing == "no episode of several renderings"


@pytest.mark.slow
def test_figures_hold_only_colours_that_the_stylesheet_defines(charts: dict[str, Chart]) -> None:
    known = theme.list_variables().keys()
    for chart in drawn(charts):
        used = {match for text in texts(chart.figure) for match in re.findall(r"var\(--irc-([a-z0-9-]+)\)", text)}
        assert used
        assert used <= known
        assert not [text for text in texts(chart.figure) if re.fullmatch(r"#[0-9a-f]{3,8}|rgb\(.*\)", text)]


@pytest.mark.slow
def test_files_are_small_and_plain(charts: dict[str, Chart]) -> None:
    for chart in drawn(charts):
        read = json.loads(chart.json())
        assert not {"template"} & {*read["layout"], *read["narrow"]}
        assert len(json.dumps(read["template"])) < 2_500
        assert "bdata" not in chart.json()
        assert len(chart.json()) < 40_000
        assert chart.reading_aid.endswith(".")
        assert chart.csv().count("\n") == len(known(chart.table).rows) + 1
        assert read["narrow"]["height"] >= 200


@pytest.mark.slow
def test_a_hostile_name_stays_words() -> None:
    instances = invented_set(1, ("geometry",))
    name = "<a href='javascript:x'>&\u202e model"
    results = Results.from_runs([invented_run(instances, name, "painter", 5, 0.5)])
    for chart in make_figures(results, pairs_of(results)).values():
        for text in texts(chart.figure):
            assert "<a" not in text
            assert "\u202e" not in text


MOST_OF_PLOTLY = 400_000
"""Bytes of the library, gzipped: only the traces in use are in it."""


@pytest.mark.slow
def test_the_vendored_bundle_is_the_one_that_plotly_was_made_for() -> None:
    vendored = json.loads((ASSETS / "vendor" / "VENDORED.json").read_text())
    assert len(vendored) == 1
    for name, facts in vendored.items():
        content = (ASSETS / "vendor" / name).read_bytes()
        assert hashlib.sha256(content).hexdigest() == facts["sha256"]
        assert facts["version"] == get_plotlyjs_version()
        assert f"v{facts['version']}".encode() in content[:200]
        assert len(gzip.compress(content, 9)) <= MOST_OF_PLOTLY
        assert "Permission is hereby granted" in (ASSETS / "vendor" / facts["licence_file"]).read_text()


@pytest.mark.slow
def test_plotly_knows_every_property_and_value(charts: dict[str, Chart]) -> None:
    # The template too, which holds what all charts have in common.
    for chart in drawn(charts):
        for layout in (chart.figure["layout"], chart.figure["narrow"]):
            checked = go.Figure(
                {"data": chart.figure["data"], "layout": {**layout, "template": chart.figure["template"]}}
            )
            said = checked.to_plotly_json()
            assert without_empty(said["layout"].pop("template")) == without_empty(chart.figure["template"])
            assert without_empty(said["data"]) == without_empty(chart.figure["data"])
            assert without_empty(said["layout"]) == without_empty(layout)


@pytest.mark.slow
def test_scripts_write_text_and_never_markup() -> None:
    forbidden = (
        "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function",
        'setAttribute("on', "setAttribute('on", "DOMParser", "https:", "http:", "window.irc",
    )  # fmt: skip
    scripts = list((ASSETS / "js").glob("*.js"))
    assert len(scripts) > 40
    for script in scripts:
        # The name of SVG reads like an address, but nothing is fetched from there.
        source = script.read_text().replace("http://www.w3.org/2000/svg", "")
        assert [words for words in forbidden if words in source] == [], script.name


def measured(run: InventedRun, metric: str, factor: float) -> InventedRun:
    """The same run with a metric that is ``factor`` times the rating of each rendering."""
    more = [
        score.model_copy(update={"measure": metric, "by": metric, "value": factor * (score.value or 0.0)})
        for score in run.given
        if score.task == "similarity" and score.by == "structural"
    ]
    return replace(run, given=(*run.given, *more))


def charts_of(measured_results: Results, *wanted: str) -> dict[str, Chart]:
    return make_figures(measured_results, pairs_of(measured_results), wanted)


@pytest.fixture(scope="module")
def measured_results() -> Results:
    """SSIM rises with the rating; PSNR falls with it; BRISQUE, of which less is better, falls with it too."""
    run = preferring(invented_run(invented_set(3), "seer", "painter", 5, 0.6))
    for metric, factor in (("ssim", 0.1), ("psnr", -1.0), ("brisque", -3.0)):
        run = measured(run, metric, factor)
    return Results.from_runs([run])


@pytest.mark.slow
def test_marks_stand_at_the_correlations_the_worst_metric_last(measured_results: Results) -> None:
    chart = charts_of(measured_results, "metric-correlations")["metric-correlations"]
    assert [trace["x"][0] for trace in chart.figure["data"]] == pytest.approx([1, 1, -1])
    names = [note["text"] for note in chart.figure["layout"]["annotations"]]
    assert names[:3] == ["BRISQUE", "SSIM", "PSNR"]
    # The very same order has no interval, and without one no metric is named.
    assert chart.title == "Which metrics order renderings as raters do?"
    assert chart.figure["layout"]["xaxis"]["range"][0] == pytest.approx(-1.02)


@pytest.mark.slow
def test_shares_of_the_same_preference_are_in_percent(measured_results: Results) -> None:
    chart = charts_of(measured_results, "metric-preferences")["metric-preferences"]
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


def told(measured_results: Results) -> Results:
    """Facts of every turn: at turn 1 nothing is said and nothing right, then all is said, named and right."""
    scenes = {instance.instance_id: instance.scene for instance in measured_results.instances}
    turns = {}
    for run_id, episodes in measured_results.episodes.items():
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
    return replace(measured_results, said=turns)


@pytest.mark.slow
def test_a_panel_a_share_stands_at_the_shares_of_each_turn(tmp_path: Path) -> None:
    measured_results = told(Results.from_runs([invented_run(chart_instances(tmp_path), "seer", "painter", 5, 0.6)]))
    chart = charts_of(measured_results, "said-seer-painter")["said-seer-painter"]
    lines = [trace for trace in chart.figure["data"] if trace["mode"] == "lines+markers"]
    assert [line["y"][0] for line in lines] == [0, None, None]
    assert [line["y"][1] for line in lines] == [100, 100, 100]
    assert chart.title.startswith("The describer says 0 % of the facts at first and 100 % in the end")
    titles = [note["text"] for note in chart.figure["layout"]["annotations"]]
    assert {"Said", "Drawn", "Corrected"} <= set(titles)


@pytest.mark.slow
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
    assert once.missing == "No pair played a target twice, so luck cannot be told from pictures."


def test_a_lone_name_stands_above_its_mark_towards_the_middle() -> None:
    assert choose_places([NamedSpot(20, 100, "left")], [(20, 100)], 400) == [("left middle", (10, 10))]
    assert choose_places([NamedSpot(380, 100, "right")], [(380, 100)], 400) == [("right middle", (-10, 10))]


def test_a_second_mark_on_the_same_spot_is_named_below() -> None:
    names = [NamedSpot(20, 100, "one"), NamedSpot(22, 101, "two")]
    assert choose_places(names, [(20, 100), (22, 101)], 400) == [("left middle", (10, 10)), ("left middle", (10, -10))]


def test_a_name_avoids_a_mark_that_has_no_name() -> None:
    # The name would reach from 30 to 96, 83 to 97 px from above; the other mark stands at (60, 90).
    assert choose_places([NamedSpot(20, 100, "a" * 10)], [(20, 100), (60, 90)], 400) == [("left middle", (10, -10))]


def test_a_name_that_is_too_long_for_its_side_stands_on_the_other() -> None:
    assert choose_places([NamedSpot(190, 100, "a" * 20)], [], 300) == [("right middle", (-10, 10))]


def test_no_name_stands_below_the_plot_among_the_words_of_its_axis() -> None:
    names = [NamedSpot(20, 295, "one"), NamedSpot(22, 295, "two")]
    marks = [(20.0, 295.0), (22.0, 295.0)]
    assert choose_places(names, marks, 400) == [("left middle", (10, 10)), ("left middle", (10, -10))]
    # 10 px below its mark, the second name would reach from 298 to 312 px.
    assert choose_places(names, marks, 400, 300) == [("left middle", (10, 10)), ("left middle", (10, 24))]


def test_pairs_of_one_describer_of_a_long_name_are_told_apart_on_two_lines() -> None:
    names = [
        MarkedPlayers("provider/model-4-17B-128E-instruct-FP8", generator, "", hue=0, shape=0)
        for generator in ("one", "two")
    ]
    annotations, room, _ = draw_end_names([(60.0, names[0]), (50.0, names[1])], (0, 100), narrow=False)
    assert [note["text"].split("<br>") for note in annotations] == [
        ["provider/model-4-17B-128E-instruct-FP8", "+ one"], ["provider/model-4-17B-128E-instruct-FP8", "+ two"],
    ]  # fmt: skip
    assert room > 6 * len("provider/model-4-17B-128E-instruct-FP8")
    short = [MarkedPlayers("poet", generator, "", hue=0, shape=0) for generator in ("one", "two")]
    lines, _, _ = draw_end_names([(60.0, short[0]), (50.0, short[1])], (0, 100), narrow=False)
    assert [note["text"] for note in lines] == ["poet + one", "poet + two"]
    # Five lines at one height: names beside the lowest would be far away, so that all stand above, as on a phone.
    for near, narrow, room in (([90.0] * 5, False, 83), ([90.0, 50.0], True, 38)):
        listed = draw_end_names([(value, short[0]) for value in near], (0, 100), narrow)
        assert (listed.annotations[0]["text"], listed.above) == ("● poet + one", room)


def test_a_name_avoids_an_interval_if_it_can() -> None:
    # To the right of the mark the name would lie over the line at 50 px.
    assert choose_places([NamedSpot(90, 100, "aaaaa")], [], 300, lines=[(110, 110, 60, 140)]) == [
        ("right middle", (-10, 10))
    ]


@pytest.mark.parametrize(("wide", "narrow"), [({"hight": 300}, {}), ({}, {"xaxis": {"ragne": [0, 1]}})])
def test_a_drawing_with_a_property_that_plotly_does_not_know_fails_its_test(wide: Json, narrow: Json) -> None:
    with pytest.raises(ValueError, match="Invalid property"):
        PlotlyDrawing([], wide, narrow).plotly()


def test_a_still_picture_takes_the_look_from_the_template_and_the_rest_from_the_figure() -> None:
    # A plot of 660 × 100 CSS pixels whose left upper corner is at (60, 20): x = 4 of 0–10 stands at 60 + 0.4 · 660.
    trace = make_scatter(mode="markers", x=[4], y=[1], marker={"symbol": "circle", "size": 10, "color": "teal"})
    trace["error_x"] = {"array": [2], "arrayminus": [1], "color": "teal"}
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
    still = draw_still(PlotlyDrawing([trace], {**shape, "annotations": [note]}, shape).plotly(), narrow=False)
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
        draw_still(PlotlyDrawing([{"type": "pie", "values": [1]}], shape, shape).plotly(), narrow=False)
