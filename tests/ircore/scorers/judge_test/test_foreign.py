"""Pictures that others draw are what their families say, and the same for everybody."""

import numpy as np
import pytest
from known_values import known
from PIL import Image

from ircore.core.records import Scene
from ircore.instances.targets.categories import draw_target
from ircore.scorers.judge_test.drawers import DRAWERS
from ircore.scorers.judge_test.foreign_families import FAMILIES, draw_picture, plan_picture
from ircore.scorers.judge_test.foreign_part import (
    ORDERS,
    KnownOrder,
    check_orders,
    compute_foreign_part,
    compute_interval,
)


@pytest.fixture(scope="module")
def bars() -> Scene:
    return draw_target("bar_graph", "easy", 1).scene


@pytest.fixture(scope="module")
def pie() -> Scene:
    return draw_target("pie_graph", "hard", 1).scene


def pixels(name: str, scene: Scene, **about: object) -> np.ndarray:
    made = draw_picture(name, scene, "seed", **about)  # type: ignore[arg-type]
    assert made is not None
    return np.asarray(made[0]).astype(int)


@pytest.mark.slow
@pytest.mark.parametrize("drawer", DRAWERS)
def test_every_drawer_draws_the_same_content(pie: Scene, drawer: str) -> None:
    """The middle of each wedge has its wedge's colour, within the shades that a person takes for the same."""
    image = pixels("faithful", pie, drawer=drawer)
    plan = known(plan_picture("faithful", pie, "seed", drawer=drawer))
    unit = plan.style.scale * min(plan.style.canvas) / 512
    for wedge in (element for element in pie.elements if element.type == "wedge"):
        about = wedge.parameters
        turn = np.radians(about["start"] + 1.8 * about["share"])  # type: ignore[operator]
        reach = 0.9 * about["radius"]  # type: ignore[operator]
        x, y = (
            (part - 256) * unit + (0.5 + move) * side
            for part, move, side in zip(
                (about["centre"][0] + reach * np.cos(turn), about["centre"][1] + reach * np.sin(turn)),  # type: ignore[index]
                plan.style.move,
                plan.style.canvas,
                strict=True,
            )
        )
        wanted = np.array(list(bytes.fromhex((wedge.colour or "")[1:])))
        assert np.abs(image[round(y), round(x)] - wanted).max() <= 24


@pytest.mark.slow
def test_the_same_seed_gives_the_same_picture_and_another_one_another(bars: Scene) -> None:
    assert (pixels("texture", bars) == pixels("texture", bars)).all()
    other = known(draw_picture("texture", bars, "another"))
    assert other[0].size != (0, 0)
    assert not np.array_equal(np.asarray(other[0]), pixels("texture", bars))


def test_a_fault_differs_from_the_faithful_picture_by_the_fault_alone(bars: Scene) -> None:
    faithful = plan_picture("faithful", bars, "seed")
    for name in ("wrong-word", "colours-wrong", "bars-40", "labels-exchanged"):
        plan = plan_picture(name, bars, "seed")
        assert faithful is not None
        assert plan is not None
        assert plan.style == faithful.style
        assert plan.scene != faithful.scene


def test_a_tint_is_seen_and_shades_of_faithful_pictures_are_not() -> None:
    from ircore.scorers.judge_test.edits import measure_colour_difference

    scene = draw_target("bar_graph", "hard", 2).scene
    for name, least, most in (("faithful", 0, 2), ("tint", 5, 7)):
        plan = known(plan_picture(name, scene, "seed"))
        for colour in {element.colour for element in scene.elements if element.type == "bar"}:
            assert least <= measure_colour_difference(colour or "", plan.style.shade(colour or "")) <= most


def test_orders_hold_between_bands_that_do_not_overlap_and_of_the_same_style() -> None:
    assert KnownOrder("margins", "garbled-letters") in ORDERS
    assert KnownOrder("faithful", "wrong-word") in ORDERS  # one style, so the fault is all that tells them apart
    assert KnownOrder("margins", "wrong-word") not in ORDERS  # 8–10 and 7–9.7
    assert KnownOrder("garbled-letters", "labels-gone") not in ORDERS
    assert all(KnownOrder(order.worse, order.better) not in ORDERS for order in ORDERS)


def test_equal_ratings_are_in_no_order() -> None:
    same = dict.fromkeys(FAMILIES, 5.0)
    assert not any(check_orders(same).values())
    middle = {name: (family.low + family.high) / 2 for name, family in FAMILIES.items()}
    assert all(check_orders(middle).values())


def test_the_interval_is_that_of_targets_and_not_of_couples() -> None:
    # Wilson's lower bound for 4 of 4 is 4 / (4 + 1.959964²) = 0.5101, however many couples each target has.
    assert compute_interval([(300, 300)] * 4) == (0.5101, 1.0)
    low, high = compute_interval([(10, 10), (0, 10), (10, 10), (0, 10), (10, 10), (0, 10)])
    assert low <= 0.17  # six tries, not sixty: Wilson's of 30 of 60 would begin at 0.38
    assert high >= 0.83


def test_a_part_counts_by_family_and_drawer(bars: Scene) -> None:
    ratings = {"faithful": 9.0, "wrong-word": 9.5, "blank": 0.0}
    plans = {name: plan_picture(name, bars, "seed") for name in ratings}
    styles = {"one": {name: plan.style for name, plan in plans.items() if plan is not None}}
    part = known(compute_foreign_part({"one": check_orders(ratings)}, {"one": ratings}, styles))
    assert (part.right, part.pairs) == (2, 3)  # the wrong word lies above the faithful picture
    faithful = next(family for family in part.families if family.family == "faithful")
    assert (faithful.mean, faithful.inside, faithful.right, faithful.pairs) == (9.0, 1, 1, 2)
    assert sum(group.pairs for group in part.groups["drawers"]) == 3


@pytest.mark.slow
def test_every_family_can_be_drawn_of_some_target() -> None:
    others = {"same": draw_target("bar_graph", "easy", 3).scene, "other": draw_target("geometry", "easy", 3).scene}
    scenes = [draw_target(category, "easy", 4).scene for category in ("bar_graph", "pie_graph")]
    for name in FAMILIES:
        made = [draw_picture(name, scene, "seed", others) for scene in scenes]
        assert any(isinstance(each[0], Image.Image) for each in made if each), name
