"""Names beside the marks of a figure do not lie over each other, nor over marks, while there is room."""

from leaderboard.charts.beside_ends import end_names
from leaderboard.charts.beside_marks import Spot, places
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
