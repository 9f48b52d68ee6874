"""Drawn targets, charts and shapes: what their scenes say is what their pixels show."""

import itertools
import math
import random
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest

from ircore.core.drawing import AxisScale
from ircore.core.images import Pixels
from ircore.core.records import Box, Difficulty, Element, Scene
from ircore.instances.targets import (
    bar_graph,
    categories,
    functions,
    geometry_easy,
    geometry_hard,
    line_graph,
    pie_graph,
    simple_shapes,
)
from ircore.instances.targets.axes import draw_until_legible, has_overlapping_texts, is_free
from ircore.instances.targets.base import (
    MARGIN,
    SIZE,
    Builder,
    Circle,
    Drawn,
    SceneDrawing,
    build_circumcircle,
    build_incircle,
    build_triangle,
    compute_centroid,
    find_foot,
    find_orthocentre,
    find_tangent_points,
    intersect_circles,
    intersect_lines,
    point_beside,
)
from ircore.instances.targets.palettes import measure_contrast, select_distinct_colours
from ircore.instances.targets.sheet import CrowdedError, Sheet, choose_style
from ircore.seeing.colours import compute_contrast

pytestmark = pytest.mark.slow


BUILDERS: dict[str, Builder] = {
    "bar_graph": bar_graph.build,
    "line_graph": line_graph.build,
    "pie_graph": pie_graph.build,
    "functions": functions.build,
}
LEVELS: tuple[Difficulty, ...] = ("easy", "hard")
CONDITIONS = list(itertools.product(BUILDERS, LEVELS))


def draw(category: str, difficulty: Difficulty, seed: int) -> Drawn:
    return BUILDERS[category](difficulty, random.Random(f"{category}-{difficulty}-{seed}"))


once = cache(draw)
"""Many tests look at the same pictures."""


def drawn(category: str, difficulty: Difficulty, count: int) -> Iterator[Drawn]:
    return (once(category, difficulty, seed) for seed in range(count))


def every(category: str, count: int) -> Iterator[Drawn]:
    for difficulty in LEVELS:
        yield from drawn(category, difficulty, count)


def rgb(colour: str) -> tuple[int, ...]:
    return tuple(bytes.fromhex(colour[1:]))


def of_type(scene: Scene, type_: str) -> list[Element]:
    return [element for element in scene.elements if element.type == type_]


def covered_later(scene: Scene, element: Element) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Which pixels elements in front of this one may have touched."""
    covered = np.zeros((scene.height, scene.width), dtype=bool)
    for later in scene.elements[scene.elements.index(element) + 1 :]:
        covered[later.box.top : later.box.bottom, later.box.left : later.box.right] = True
    return covered


def facts(element: Element) -> dict[str, Any]:
    return dict(element.parameters)


def scales(scene: Scene) -> dict[str, AxisScale]:
    """The axes of a chart as its scene tells them."""
    return {
        str(facts(axis)["axis"]): AxisScale(*facts(axis)["data_range"], *facts(axis)["pixel_range"])
        for axis in of_type(scene, "axis")
    }


@pytest.mark.parametrize(("category", "difficulty"), CONDITIONS)
def test_ten_seeds_give_ten_pictures_and_each_seed_always_the_same(category: str, difficulty: Difficulty) -> None:
    pictures = [target.drawing.image.tobytes() for target in drawn(category, difficulty, 10)]
    assert len(set(pictures)) == 10
    for seed, first in enumerate(drawn(category, difficulty, 2)):
        again = draw(category, difficulty, seed)
        assert first.drawing.image.tobytes() == again.drawing.image.tobytes()
        assert first.scene.model_dump_json() == again.scene.model_dump_json()


@pytest.mark.parametrize(("category", "difficulty"), CONDITIONS)
def test_the_boxes_hold_every_pixel_that_is_not_background(category: str, difficulty: Difficulty) -> None:
    for target in drawn(category, difficulty, 6):
        assert target.scene.background
        touched = (target.drawing.pixels != rgb(target.scene.background)).any(axis=2)
        for element in target.scene.elements:
            touched[element.box.top : element.box.bottom, element.box.left : element.box.right] = False
        assert not touched.any()


@pytest.mark.parametrize(("category", "difficulty"), CONDITIONS)
def test_scenes_are_json_with_clear_texts_in_the_fonts_characters_and_all_inside(
    category: str, difficulty: Difficulty
) -> None:
    for target in drawn(category, difficulty, 10):
        assert (target.scene.width, target.scene.height) == target.drawing.image.size == (SIZE, SIZE)
        assert Scene.model_validate_json(target.scene.model_dump_json()) == target.scene
        assert not has_overlapping_texts(target.scene)
        for element in target.scene.elements:
            assert all(character.isascii() or character == "°" for character in element.text or "")
            assert min(element.box.left, element.box.top) >= MARGIN
            assert max(element.box.right, element.box.bottom) <= SIZE - MARGIN
            assert element.type not in ("title", "legend")


@pytest.mark.parametrize(("category", "difficulty"), CONDITIONS)
def test_texts_stand_out_from_what_they_are_written_on(category: str, difficulty: Difficulty) -> None:
    for target in drawn(category, difficulty, 10):
        for element in (element for element in target.scene.elements if element.text):
            box = element.box
            around = target.drawing.pixels[box.top - 1 : box.bottom + 1, box.left - 1 : box.right + 1].reshape(-1, 3)
            colours, counts = np.unique(around, axis=0, return_counts=True)
            ground = "#" + bytes(colours[counts.argmax()].tolist()).hex()
            assert element.colour
            assert compute_contrast(element.colour, ground) > 2.3, element.text


def test_bars_are_filled_with_their_colour_and_end_where_their_value_lies() -> None:
    checked = 0
    for target in every("bar_graph", 10):
        axes = scales(target.scene)
        for bar in of_type(target.scene, "bar"):
            check_bar(target, bar)
            along = "x" if facts(bar)["orientation"] == "horizontal" else "y"
            if along in axes:
                base, value = float(facts(bar)["baseline"]), float(facts(bar)["value"])
                low, high = sorted(axes[along](at) for at in (base, base + value))
                result = (bar.box.left, bar.box.right) if along == "x" else (bar.box.top, bar.box.bottom)
                assert result == pytest.approx((low, high), abs=0.51)
                checked += 1
    assert checked > 50


def check_bar(one: Drawn, bar: Element) -> None:
    box, pixels, free = bar.box, one.drawing.pixels, ~covered_later(one.scene, bar)
    assert bar.colour
    inner = (slice(box.top + 1, box.bottom - 1), slice(box.left + 1, box.right - 1))
    assert (pixels[inner][free[inner]] == rgb(bar.colour)).all()
    for row in (box.top - 1, box.bottom):
        beyond = pixels[row, box.left : box.right]
        neighbours = [other.box for other in one.scene.elements if other.colour == bar.colour and other is not bar]
        if not any(other.top <= row < other.bottom for other in neighbours):
            assert not (beyond == rgb(bar.colour)).all(axis=1).any()


def test_values_are_written_beside_bars_not_across_lines_or_other_bars() -> None:
    for target in every("bar_graph", 10):
        bars = of_type(target.scene, "bar")
        is_stacked = any(facts(bar)["baseline"] for bar in bars)
        lines = [*of_type(target.scene, "axis"), *of_type(target.scene, "frame"), *([] if is_stacked else bars)]
        for label in of_type(target.scene, "value_label"):
            assert not any(label.box.overlaps(line.box) for line in lines), label.text


def test_wedges_side_by_side_do_not_look_alike() -> None:
    for target in every("pie_graph", 10):
        colours = [str(wedge.colour) for wedge in of_type(target.scene, "wedge")]
        assert all(measure_contrast(a, b) >= 0.15 for a, b in zip(colours, colours[1:] + colours[:1], strict=True))


def test_tick_labels_say_the_value_of_their_pixel() -> None:
    for category in ("bar_graph", "line_graph", "functions"):
        for target in every(category, 8):
            axes = scales(target.scene)
            for tick in of_type(target.scene, "tick"):
                axis, value = str(facts(tick)["axis"]), float(facts(tick)["value"])
                if axis in axes:
                    start, end = (tick.box.left, tick.box.right) if axis == "x" else (tick.box.top, tick.box.bottom)
                    assert end - start == 1
                    assert start <= axes[axis](value) < end
            for label in of_type(target.scene, "tick_label"):
                numeric = (label.text or "").rstrip("°")
                if category == "functions":
                    assert float(numeric) == facts(label)["value"]


def test_lines_go_through_their_values() -> None:
    for target in every("line_graph", 8):
        axes, lines = scales(target.scene), of_type(target.scene, "polyline")
        for line in lines:
            points, values = facts(line)["points"], facts(line)["values"]
            assert [axes["x"](at) for at in range(len(values))] == pytest.approx([x for x, _ in points], abs=0.01)
            if "y" in axes:
                assert [axes["y"](value) for value in values] == pytest.approx([y for _, y in points], abs=0.01)
        for column in zip(*(facts(line)["points"] for line in lines), strict=True):
            heights = sorted(y for _, y in column)
            assert all(after - before > 3 for before, after in itertools.pairwise(heights))


def test_wedges_are_filled_with_their_colour_and_add_up() -> None:
    for target in every("pie_graph", 8):
        wedges = of_type(target.scene, "wedge")
        shares = [float(facts(wedge)["share"]) for wedge in wedges]
        assert sum(shares) == 100
        assert len(set(shares)) == len(shares)
        labels = [element.box for element in target.scene.elements if element.text]
        for wedge, after in itertools.pairwise([*wedges, wedges[0]]):
            check_wedge(target, wedge, labels)
            gap = float(facts(after)["start"]) - float(facts(wedge)["end"])
            assert math.isclose(math.sin(math.radians(gap)), 0, abs_tol=1e-6)


def check_wedge(one: Drawn, wedge: Element, labels: list[Box]) -> None:
    told = facts(wedge)
    assert told["end"] - told["start"] == pytest.approx(3.6 * told["share"])
    ring = told["radius"] - told["hole"]
    for turn, depth in itertools.product((0.3, 0.5, 0.7), (0.55, 0.85)):
        angle = math.radians(told["start"] + turn * (told["end"] - told["start"]))
        reach = told["hole"] + depth * ring
        x, y = (told["centre"][0] + reach * math.cos(angle), told["centre"][1] + reach * math.sin(angle))
        if not any(box.left <= x < box.right and box.top <= y < box.bottom for box in labels) and wedge.colour:
            assert tuple(one.drawing.pixels[int(y), int(x)]) == rgb(wedge.colour)


def evaluated(formula: str, unit: str) -> Callable[[float], float]:
    """Read a formula independently of the builder."""
    turn = math.pi / 180 if unit == "degree" else 1.0
    names: dict[str, Any] = {
        "ln": np.log, "sqrt": np.sqrt, "abs": abs, "sin": lambda x: math.sin(x * turn),
        "cos": lambda x: math.cos(x * turn),
    }  # fmt: skip
    return lambda x: float(
        eval(formula.removeprefix("y = ").replace("^", "**"), {"__builtins__": {}}, {**names, "x": x})
    )


@pytest.mark.filterwarnings("ignore:(invalid|divide)")
def test_every_point_of_a_curve_satisfies_its_formula() -> None:
    families = set()
    for target in every("functions", 10):
        axes = scales(target.scene)
        for curve in of_type(target.scene, "curve") if len(axes) == 2 else []:
            told = facts(curve)
            families.add(told["family"])
            compute = evaluated(told["formula"], told["angle_unit"])
            for px, py in told["points"][1:-1]:
                near = [axes["y"](compute(axes["x"].value(px + shift))) for shift in (-0.02, 0, 0.02)]
                assert np.nanmin(near) - 0.1 < py < np.nanmax(near) + 0.1
    assert len(families) >= 8


def test_what_leaves_the_margin_is_refused_unless_it_is_meant_to() -> None:
    scene = SceneDrawing("#fafafa")
    scene.add("sky", scene.drawing.rectangle(0, 0, SIZE, 100, "#aaccee"), "#aaccee", bleeds=True)
    assert scene.finish().scene.elements[0].box == Box(0, 0, SIZE, 100)
    scene.text("label", (3, 200), "cut off", 14, "#000000")
    with pytest.raises(AssertionError, match="cut off"):
        scene.finish()


def test_illegible_pictures_are_drawn_again() -> None:
    attempts = iter([2, 60])

    def scribble(_: random.Random) -> Drawn:
        scene, distance = SceneDrawing(), next(attempts)
        for x in (100, 100 + distance):
            scene.text("label", (x, 100), "word", 14, "#000000", "lm")
        return scene.finish()

    assert draw_until_legible(scribble, random.Random(1)).scene.elements[1].box.left == 160


def test_free_places_hold_only_colours_that_may_be_covered() -> None:
    scene = SceneDrawing()
    scene.line("gridline", [(50, 100.5), (200, 100.5)], "#dddddd", 1)
    place = Box(60, 90, 90, 110)
    assert is_free(scene, place, ("#ffffff", "#dddddd"))
    assert not is_free(scene, place, ("#ffffff",))
    assert not is_free(scene, Box(0, 0, 20, 20), ("#ffffff",))


SEEDS = range(5)
DIFFICULTIES: tuple[Difficulty, Difficulty] = ("easy", "hard")


def shapes(difficulty: Difficulty, seed: int) -> Drawn:
    return simple_shapes.build(difficulty, random.Random(seed))


def foreground(drawn: Drawn) -> list[Element]:
    return [element for element in drawn.scene.elements if element.type != "background"]


def colour_at(pixels: Pixels, x: float, y: float) -> str:
    return "#" + "".join(f"{value:02x}" for value in pixels[int(y), int(x)])


def centre(box: Box) -> tuple[float, float]:
    return (box.left + box.right) / 2, (box.top + box.bottom) / 2


def side(box: Box) -> int:
    """The shorter side of a box."""
    return min(box.right - box.left, box.bottom - box.top)


def apart(one: Box, other: Box) -> bool:
    return one.right <= other.left or other.right <= one.left or one.bottom <= other.top or other.bottom <= one.top


@pytest.mark.parametrize("build", [simple_shapes.build, categories.build_geometry])
@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_the_same_seed_gives_the_same_picture_and_scene(build: Builder, difficulty: Difficulty) -> None:
    target, other, third = (build(difficulty, random.Random(seed)) for seed in (5, 5, 6))
    assert np.array_equal(target.drawing.pixels, other.drawing.pixels)
    assert target.scene == other.scene
    assert not np.array_equal(target.drawing.pixels, third.drawing.pixels)


@pytest.mark.parametrize("build", [simple_shapes.build, categories.build_geometry])
@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_everything_lies_inside_and_what_no_box_holds_is_background(build: Builder, difficulty: Difficulty) -> None:
    for seed in SEEDS:
        drawn = build(difficulty, random.Random(seed))
        untouched = np.ones((SIZE, SIZE), dtype=bool)
        for element in drawn.scene.elements:
            box = element.box
            if element.type not in {"background", "grid_line"}:
                assert min(box.left, box.top, SIZE - box.right, SIZE - box.bottom) >= MARGIN
            untouched[box.top : box.bottom, box.left : box.right] = False
        assert drawn.scene.background is not None
        assert (drawn.drawing.pixels[untouched] == list(bytes.fromhex(drawn.scene.background[1:]))).all()


def test_shapes_that_overlap_differ_in_colour() -> None:
    for seed in range(24):
        ink = foreground(shapes("hard", seed))
        for item, other in itertools.combinations(ink, 2):
            if item.colour == other.colour:
                assert math.dist(centre(item.box), centre(other.box)) > min(side(item.box), side(other.box)) / 2 + 10
                assert ink.index(other) < len(ink) - 1


def test_the_edge_of_a_filled_shape_can_be_told_from_the_ground() -> None:
    edged = 0
    for seed in range(24):
        drawn = shapes("hard", seed)
        ground = [str(drawn.scene.background), *(str(e.colour) for e in drawn.scene.elements if e.type == "background")]
        for element in foreground(drawn):
            if element.parameters.get("filled"):
                edged += 1
                assert select_distinct_colours(ground, (str(element.parameters["outline"]),), 0.25)
    assert edged > 24


def test_the_middle_of_a_filled_shape_has_its_colour() -> None:
    checked = Counter[str]()
    for seed in range(20):
        drawn = shapes("easy", seed)
        for element in foreground(drawn):
            box = element.box
            if element.type not in {"ring", "half_circle"}:
                x, y = (box.left + box.right) / 2, (box.top + box.bottom) / 2
                assert colour_at(drawn.drawing.pixels, x, y) == element.colour
                checked[element.type] += 1
    assert len(checked) == len(simple_shapes.EASY_KINDS) - 2


def test_a_square_is_exact_to_the_pixel() -> None:
    for seed in range(16):
        drawn = shapes("easy", seed)
        for element in foreground(drawn):
            if element.type in {"square", "rectangle"}:
                box = element.box
                inside = drawn.drawing.pixels[box.top : box.bottom, box.left : box.right].reshape(-1, 3)
                assert {colour_at(inside[None], x, 0) for x in range(0, len(inside), 31)} == {element.colour}
                corners = element.parameters["corners"]
                assert corners == [
                    [box.left, box.top], [box.right, box.top], [box.right, box.bottom], [box.left, box.bottom],
                ]  # fmt: skip


def flat(circle: Circle) -> tuple[float, float, float]:
    (x, y), radius = circle
    return x, y, radius


def test_triangle_centres_of_a_known_triangle() -> None:
    """The 3-4-5 triangle: circumcentre in the middle of the hypotenuse, incircle of radius 1."""
    a, b, c = (0.0, 0.0), (4.0, 0.0), (0.0, 3.0)
    assert flat(build_circumcircle(a, b, c)) == pytest.approx((2, 1.5, 2.5))
    assert flat(build_incircle(a, b, c)) == pytest.approx((1, 1, 1))
    assert find_orthocentre(a, b, c) == pytest.approx(a)
    assert compute_centroid(a, b, c) == pytest.approx((4 / 3, 1))
    assert find_foot(a, b, c) == pytest.approx((36 / 25, 48 / 25))


def test_lines_and_circles_meet_where_they_should() -> None:
    assert intersect_lines((0, 0), (2, 2), (0, 2), (2, 0)) == pytest.approx((1, 1))
    assert point_beside((0, 0), (0, 0), (5, 0), 3) == pytest.approx((0, -3))
    for point in find_tangent_points((5, 0), ((0, 0), 3)):
        assert math.dist(point, (0, 0)) == pytest.approx(3)
        assert math.dist(point, (5, 0)) == pytest.approx(4)
    for point in intersect_circles(((0, 0), 5), ((6, 0), 5)):
        assert (point[0], abs(point[1])) == pytest.approx((3, 4))


def test_a_triangle_has_the_angles_it_was_asked_for() -> None:
    a, b, c = build_triangle(50, 70)
    at_a = math.degrees(math.atan2(-(c[1] - a[1]), c[0] - a[0]))
    at_b = math.degrees(math.atan2(-(c[1] - b[1]), b[0] - c[0]))
    assert (at_a, at_b) == pytest.approx((50, 70))


@pytest.mark.parametrize("recipe", [*geometry_easy.RECIPES, *geometry_hard.RECIPES], ids=lambda recipe: recipe.__name__)
def test_every_figure_has_labels_that_touch_nothing(recipe: geometry_easy.Recipe) -> None:
    hard = recipe in geometry_hard.RECIPES
    finished = 0
    for seed in range(2):
        rng = random.Random(seed)
        sheet = Sheet(choose_style(rng, dense=hard), rng)
        try:
            recipe(sheet)
            drawn = sheet.finish()
        except CrowdedError:
            continue
        finished += 1
        check_labels(drawn)
    assert finished


def check_labels(drawn: Drawn) -> None:
    """Labels overlap no other label and no stroke: about each there is a frame without a dark pixel of another."""
    labels = [element for element in drawn.scene.elements if element.type == "label"]
    assert all(label.text and all(char.isascii() or char == "°" for char in label.text) for label in labels)
    assert all(apart(a.box, b.box) for a in labels for b in labels if a is not b)
    bright = drawn.drawing.pixels.min(axis=2)
    for label in labels:
        box = label.box
        frame = bright[box.top - 1 : box.bottom + 1, box.left - 1 : box.right + 1].copy()
        frame[1:-1, 1:-1] = 255
        assert frame.min() > 150, f"{label.text} at {tuple(box)}"


def test_marked_angles_are_the_angles_drawn() -> None:
    """Every text in degrees beside an angle states that angle, to the nearest degree."""
    for seed in range(10):
        elements = categories.build_geometry("easy", random.Random(seed)).scene.elements
        drawn = {round(float(element.parameters["degrees"])) for element in elements if element.type == "angle"}  # type: ignore[arg-type]
        told = {int(element.text[:-1]) for element in elements if element.text and element.text.endswith("°")}
        assert told <= drawn
