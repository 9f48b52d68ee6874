"""Names beside the marks of a figure do not lie over each other, nor over marks, while there is room."""

from xml.etree import ElementTree

import plotly.graph_objects as go
import pytest

from leaderboard.charts.beside_ends import end_names
from leaderboard.charts.beside_marks import Spot, places
from leaderboard.charts.grammar import Drawing, Json, axis, layout, vertical, words
from leaderboard.charts.still import still_picture
from leaderboard.model.site import Marked


def test_a_lone_name_stands_above_its_mark_towards_the_middle() -> None:
    assert places([Spot(20, 100, "left")], [(20, 100)], 400) == [("left middle", (10, 10))]
    assert places([Spot(380, 100, "right")], [(380, 100)], 400) == [("right middle", (-10, 10))]


def test_a_second_mark_on_the_same_spot_is_named_below() -> None:
    names = [Spot(20, 100, "one"), Spot(22, 101, "two")]
    assert places(names, [(20, 100), (22, 101)], 400) == [("left middle", (10, 10)), ("left middle", (10, -10))]


def test_a_name_avoids_a_mark_that_has_no_name() -> None:
    # The name would reach from 30 to 96, 83 to 97 px from above; the other mark stands at (60, 90).
    assert places([Spot(20, 100, "a" * 10)], [(20, 100), (60, 90)], 400) == [("left middle", (10, -10))]


def test_a_name_that_is_too_long_for_its_side_stands_on_the_other() -> None:
    assert places([Spot(190, 100, "a" * 20)], [], 300) == [("right middle", (-10, 10))]


def test_no_name_stands_below_the_plot_among_the_words_of_its_axis() -> None:
    names = [Spot(20, 295, "one"), Spot(22, 295, "two")]
    marks = [(20.0, 295.0), (22.0, 295.0)]
    assert places(names, marks, 400) == [("left middle", (10, 10)), ("left middle", (10, -10))]
    # 10 px below its mark, the second name would reach from 298 to 312 px.
    assert places(names, marks, 400, 300) == [("left middle", (10, 10)), ("left middle", (10, 24))]


def test_pairs_of_one_describer_of_a_long_name_are_told_apart_on_two_lines() -> None:
    names = [
        Marked("provider/model-4-17B-128E-instruct-FP8", generator, "", hue=0, shape=0) for generator in ("one", "two")
    ]
    annotations, room = end_names([(60.0, names[0]), (50.0, names[1])], (0, 100), narrow=False)
    assert [note["text"].split("<br>") for note in annotations] == [
        ["provider/model-4-17B-128E-instruct-FP8", "+ one"], ["provider/model-4-17B-128E-instruct-FP8", "+ two"],
    ]  # fmt: skip
    assert room > 6 * len("provider/model-4-17B-128E-instruct-FP8")
    short = [Marked("poet", generator, "", hue=0, shape=0) for generator in ("one", "two")]
    lines, _ = end_names([(60.0, short[0]), (50.0, short[1])], (0, 100), narrow=False)
    assert [note["text"] for note in lines] == ["poet + one", "poet + two"]


@pytest.mark.parametrize(("wide", "narrow"), [({"hight": 300}, {}), ({}, {"xaxis": {"ragne": [0, 1]}})])
def test_plotly_refuses_a_property_that_it_does_not_know(wide: Json, narrow: Json) -> None:
    with pytest.raises(ValueError, match="Invalid property"):
        Drawing([], wide, narrow).plotly()


def test_a_still_picture_takes_the_look_from_the_template_and_the_rest_from_the_figure() -> None:
    # A plot of 660 × 100 CSS pixels whose left upper corner is at (60, 20): x = 4 of 0–10 stands at 60 + 0.4 · 660.
    trace = go.Scatter(mode="markers", x=[4], y=[1], marker={"symbol": "circle", "size": 10, "color": "teal"})
    trace.error_x = {"array": [2], "arrayminus": [1], "color": "teal"}
    shape = layout(160, 60, 40, 20, 40, xaxis=axis(0, 10, [(5, "five")]), yaxis=axis(0, 2), shapes=[vertical(0)])
    note = words("a &lt; b", (1, 1), "paper paper", "right bottom", (0, 5))
    still = still_picture(Drawing([trace], {**shape, "annotations": [note]}, shape).plotly(), narrow=False)
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
    shape = layout(160, 60, 40, xaxis=axis(0, 1), yaxis=axis(0, 1))
    with pytest.raises(ValueError, match="no pie traces"):
        still_picture(Drawing([go.Pie(values=[1])], shape, shape).plotly(), narrow=False)
