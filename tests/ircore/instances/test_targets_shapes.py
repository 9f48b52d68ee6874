"""Coloured shapes and geometry: what the scene says is what the pixels show."""

import itertools
import math
import random
from collections import Counter

import numpy as np
import pytest

from ircore.core.images import Pixels
from ircore.core.records import Box, Difficulty, Element
from ircore.instances.targets import categories, geometry_easy, geometry_hard, simple_shapes
from ircore.instances.targets.base import MARGIN, SIZE, Builder, Drawn
from ircore.instances.targets.palettes import select_distinct_colours
from ircore.instances.targets.plane import (
    Circle,
    build_circumcircle,
    build_incircle,
    build_triangle,
    centroid,
    find_foot,
    find_orthocentre,
    find_tangent_points,
    intersect_circles,
    intersect_lines,
    point_beside,
)
from ircore.instances.targets.sheet import CrowdedError, Sheet, choose_style

pytestmark = pytest.mark.slow

SEEDS = range(12)
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
    for seed in range(60):
        ink = foreground(shapes("hard", seed))
        for item, other in itertools.combinations(ink, 2):
            if item.colour == other.colour:
                assert math.dist(centre(item.box), centre(other.box)) > min(side(item.box), side(other.box)) / 2 + 10
                assert ink.index(other) < len(ink) - 1


def test_the_edge_of_a_filled_shape_can_be_told_from_the_ground() -> None:
    edged = 0
    for seed in range(60):
        drawn = shapes("hard", seed)
        ground = [str(drawn.scene.background), *(str(e.colour) for e in drawn.scene.elements if e.type == "background")]
        for element in foreground(drawn):
            if element.parameters.get("filled"):
                edged += 1
                assert select_distinct_colours(ground, (str(element.parameters["outline"]),), 0.25)
    assert edged > 60


def test_the_middle_of_a_filled_shape_has_its_colour() -> None:
    checked = Counter[str]()
    for seed in range(40):
        drawn = shapes("easy", seed)
        for element in foreground(drawn):
            box = element.box
            if element.type not in {"ring", "half_circle"}:
                x, y = (box.left + box.right) / 2, (box.top + box.bottom) / 2
                assert colour_at(drawn.drawing.pixels, x, y) == element.colour
                checked[element.type] += 1
    assert len(checked) == len(simple_shapes.EASY_KINDS) - 2


def test_a_square_is_exact_to_the_pixel() -> None:
    for seed in range(40):
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
    assert centroid(a, b, c) == pytest.approx((4 / 3, 1))
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
    for seed in range(3):
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
    for seed in range(30):
        elements = categories.build_geometry("easy", random.Random(seed)).scene.elements
        drawn = {round(float(element.parameters["degrees"])) for element in elements if element.type == "angle"}  # type: ignore[arg-type]
        told = {int(element.text[:-1]) for element in elements if element.text and element.text.endswith("°")}
        assert told <= drawn
