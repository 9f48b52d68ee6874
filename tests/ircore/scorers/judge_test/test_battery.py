"""Graded edits do to a picture what their names say, and nothing else."""

from pathlib import Path

import numpy as np
import pytest
from charts import BLUE, RED, WHITE, chart_instances, instance_of

from ircore.core.images import Pixels
from ircore.games.reconstruction.build_targets import build_instances
from ircore.instances.store import InstanceSet, write_instances
from ircore.instances.targets.base import SceneDrawing
from ircore.scorers.judge_test.battery import HARMLESS, ORDERS, WRONG, make_edits
from ircore.scorers.judge_test.redraw import redraw_scene

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def charts(tmp_path_factory: pytest.TempPathFactory) -> InstanceSet:
    return chart_instances(tmp_path_factory.mktemp("charts") / "set")


def edited(instances: InstanceSet) -> dict[str, Pixels]:
    instance = next(instance for instance in instances.instances if instance.instance_id == "pets")
    return {name: picture.pixels for name, picture in make_edits(instances, instance).pictures.items()}


@pytest.fixture(scope="module")
def pets(charts: InstanceSet) -> dict[str, Pixels]:
    """The edits of a chart; not to be changed."""
    return edited(charts)


def area(pixels: Pixels, colour: str) -> int:
    """Number of pixels that have exactly this colour."""
    return int((pixels == list(bytes.fromhex(colour[1:]))).all(axis=2).sum())


def test_one_bar_gets_shorter_by_the_percentage_in_the_name(pets: dict[str, Pixels]) -> None:
    assert area(pets["identity"], BLUE) == 30 * 80
    assert area(pets["bar-10"], BLUE) == 30 * 72
    assert area(pets["bar-25"], BLUE) == 30 * 60
    assert area(pets["bar-40"], BLUE) == 30 * 48
    assert all(area(pets[name], RED) == 30 * 60 for name in ("bar-10", "bar-25", "bar-40"))


def test_swapped_colours_take_each_other_s_area(pets: dict[str, Pixels]) -> None:
    swapped = pets["colours-swapped"]
    assert (area(swapped, RED), area(swapped, BLUE)) == (30 * 80, 30 * 60)


def test_wrong_colours_are_none_of_the_target_s_and_differ_from_each_other(pets: dict[str, Pixels]) -> None:
    wrong = pets["colours-wrong"]
    assert area(wrong, RED) == area(wrong, BLUE) == 0
    bars_only = wrong[100:158, 15:]
    assert len({tuple(pixel) for pixel in bars_only.reshape(-1, 3).tolist()} - {(255, 255, 255)}) == 2


def test_removed_labels_leave_paper_and_the_bars_alone(pets: dict[str, Pixels]) -> None:
    assert (pets["labels-removed"][164:] == 255).all()
    assert (pets["labels-removed"][:160] == pets["identity"][:160]).all()


def test_exchanged_and_misspelt_labels_change_the_labels_alone(pets: dict[str, Pixels]) -> None:
    for name in ("labels-exchanged", "labels-misspelt"):
        assert (pets[name][:160] == pets["identity"][:160]).all()
        assert (pets[name][160:] != pets["identity"][160:]).any()


def test_other_targets_come_from_the_set(charts: InstanceSet, pets: dict[str, Pixels]) -> None:
    drinks = next(instance for instance in charts.instances if instance.instance_id == "drinks")
    assert (pets["same-category"] == charts.picture(drinks, "target").pixels).all()
    assert "other-category" not in pets  # the set has one category


def test_wedges_exchange_their_shares(tmp_path: Path) -> None:
    scene = SceneDrawing(WHITE, 200, 200)
    start = -90.0
    for word, share, colour in (("Tea", 60, RED), ("Milk", 30, "#2a9d4a"), ("Beer", 10, BLUE)):
        end = start + share * 3.6
        box = scene.drawing.wedge((100, 100), 80, start, end, colour, WHITE, 1)
        scene.add(
            "wedge", box, colour, category=word, share=share, start=start, end=end, centre=[100, 100], radius=80,
            hole=0, exploded=False, outline=WHITE, outline_width=1,
        )  # fmt: skip
        start = end
    instances = write_instances(tmp_path / "set", [instance_of(scene.finish(), "pets", "pie_graph")])
    exchanged = edited(instances)["wedges-exchanged"]
    disc = np.pi * 80**2
    shares = [area(exchanged, colour) / disc for colour in (RED, "#2a9d4a", BLUE)]
    assert shares == pytest.approx([0.1, 0.3, 0.6], abs=0.025)  # white outlines take some


def test_every_harmless_edit_is_above_every_wrong_one_and_degrees_are_in_order() -> None:
    assert set(HARMLESS) == {
        "identity", "shift-1", "shift-2", "shift-5", "shift-10", "scale-95", "blur-1", "jpeg-10",
    }  # fmt: skip
    strict = {(order.better, order.worse) for order in ORDERS if order.strict}
    assert strict == {(better, worse) for better in HARMLESS for worse in WRONG}
    assert ("bar-10", "bar-25") in {(order.better, order.worse) for order in ORDERS if not order.strict}


def test_orders_are_between_edits_that_apply(charts: InstanceSet) -> None:
    made = make_edits(charts, charts.instances[0])
    assert all({order.better, order.worse} <= made.pictures.keys() for order in made.orders)
    assert len([order for order in made.orders if order.strict]) == 8 * 10


@pytest.fixture(scope="module")
def drawn_targets(tmp_path_factory: pytest.TempPathFactory) -> InstanceSet:
    return build_instances(tmp_path_factory.mktemp("targets") / "set", per_condition=2)


def test_a_scene_without_text_is_redrawn_but_for_shades_at_edges(drawn_targets: InstanceSet) -> None:
    shapes = [instance for instance in drawn_targets.instances if instance.category == "simple_shapes"]
    for instance in shapes:
        assert instance.scene is not None
        difference = np.abs(redraw_scene(instance.scene).astype(int) - drawn_targets.picture(instance, "target").pixels)
        assert difference.max() <= 64, instance.instance_id  # corners are known to a tenth of a pixel


def test_the_same_set_gives_the_same_pictures(charts: InstanceSet, pets: dict[str, Pixels]) -> None:
    again = edited(charts)
    assert again.keys() == pets.keys()
    assert all(np.array_equal(again[name], pixels) for name, pixels in pets.items())
