"""A drawing, which is one Plotly figure in two layouts, and the still picture of it."""

from xml.etree import ElementTree

import plotly.graph_objects as go
import pytest

from leaderboard.charts.grammar import Drawing, Json, axis, layout, vertical, words
from leaderboard.charts.still import still_picture


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
