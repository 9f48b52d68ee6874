"""Names beside the marks of a figure do not lie over each other, nor over marks, while there is room."""

from leaderboard.charts.beside_marks import Spot, places


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
