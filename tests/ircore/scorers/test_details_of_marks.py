"""What the eye makes of details: parts that a shape lacks or has too much, vertices and markers of a line."""

import math
import random
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
import verified_drawings
from known_values import known
from PIL import Image, ImageDraw, ImageOps

from ircore.core.records import Element
from ircore.instances.targets.base import SceneDrawing
from ircore.instances.targets.categories import draw_target
from ircore.scorers.judge_test.drawers import DRAWERS, choose_faithful_style, redraw_scene
from ircore.scorers.judge_test.redraw import redraw_scene as redrawn_by_us
from ircore.scorers.verification.eye.forms import lay_over
from ircore.scorers.verification.eye.regions import draw_polygon_mask
from ircore.scorers.verification.eye.strokes import Course, find_colour, sample_places_along
from ircore.scorers.verification.eye.view import parse_rgb
from ircore.scorers.verification.scene_facts.charts import find_scale
from ircore.scorers.verification.score import Verification

pytestmark = pytest.mark.slow

verified = partial(verified_drawings.verified, ocr=False)


def wrong_facts(verification: Verification) -> dict[str, str]:
    """Return the reasons of the facts that fail, by their keys."""
    return {checked.fact.key: checked.reason for checked in verification.facts if checked.verdict == "fails"}


@pytest.mark.parametrize(("x", "y", "size", "degrees"), [(90, 110, 0.8, 20.0), (112, 96, 1.3, -50.0)])
def test_a_shape_that_lacks_a_corner_is_laid_over_the_rest_of_its_form(
    x: int, y: int, size: float, degrees: float
) -> None:
    corners = [(-40, -30), (50, -30), (50, 25), (10, 25), (10, 50), (-40, 50)]
    turn = math.radians(degrees)
    turned = [(x + size * (a * math.cos(turn) - b * math.sin(turn)),
               y + size * (a * math.sin(turn) + b * math.cos(turn))) for a, b in corners]  # fmt: skip
    whole = draw_polygon_mask(turned, 200, 200)
    bitten = whole & ~draw_polygon_mask(
        [turned[1], turned[2], ((turned[1][0] + x) / 2, (turned[1][1] + y) / 2)], 200, 200
    )
    laid = lay_over(draw_polygon_mask([(100 + a, 100 + b) for a, b in corners], 200, 200), bitten)
    assert (laid ^ whole).sum() < 0.06 * whole.sum()


@pytest.mark.parametrize("fault", ["notch", "bump"])
def test_a_part_that_a_shape_lacks_or_has_too_much_costs_a_little(fault: str) -> None:
    drawn = draw_target("simple_shapes", "easy", 305)
    shape = next(element for element in drawn.scene.elements if element.type == "hexagon")
    corners: Any = shape.parameters["corners"]
    x, y = corners[0]
    image = drawn.drawing.image.copy()
    colour = drawn.scene.background if fault == "notch" else shape.colour
    ImageDraw.Draw(image).ellipse((x - 22, y - 22, x + 22, y + 22), fill=colour)
    verification = verified(drawn, image)
    assert "of it is missing or added" in wrong_facts(verification)["hexagon-1/whole"]
    assert 7.5 < (verification.score or 0) < 9.7


def test_a_shape_that_is_not_turned_in_the_target_is_turned_in_a_rendering() -> None:
    drawing = SceneDrawing("#ffffff", 200, 200)
    half: Any = {"centre": [100, 120], "radius": 40}
    rim = [(100 - 40 * math.cos(turn), 120 - 40 * math.sin(turn)) for turn in np.linspace(0, math.pi, 60)]
    drawing.add("half_circle", drawing.drawing.polygon(rim, "#1d4ed8"), "#1d4ed8", filled=True, **half)
    drawn = drawing.finish()
    assert wrong_facts(verified(drawn, drawn.drawing.image)) == {}
    upside_down = wrong_facts(verified(drawn, ImageOps.flip(drawn.drawing.image)))
    assert upside_down["half_circle-1/angle"].startswith("seen: 180°")


@pytest.mark.parametrize(("wide", "deep"), [(12, 6), (90, 3)])
def test_a_notch_of_a_hundredth_of_the_area_counts_and_a_strip_along_a_side_is_its_proportions(
    wide: int, deep: int
) -> None:
    drawing = SceneDrawing("#ffffff", 200, 200)
    corners = [(60, 70), (150, 70), (150, 110), (60, 110)]
    about: Any = {"centre": [105, 90], "corners": [list(corner) for corner in corners]}
    drawing.add("rectangle", drawing.drawing.polygon(corners, "#1d4ed8"), "#1d4ed8", filled=True, **about)
    drawn = drawing.finish()
    image = drawn.drawing.image.copy()
    ImageDraw.Draw(image).rectangle((60, 70, 59 + wide, 69 + deep), fill="#ffffff")
    (whole,) = [checked for checked in verified(drawn, image).facts if checked.fact.attribute == "whole"]
    # Without the two pixels along the rim that count for nothing.
    share = 10 * 4 / (90 * 40) if deep == 6 else 0
    assert (whole.verdict, whole.seen) == ("fails" if share else "holds", pytest.approx(share, abs=0.002))


@pytest.mark.parametrize(("place", "by"), [(1, -80), (2, 60), (3, 90)])
def test_a_line_with_one_vertex_far_off_is_there_with_a_wrong_value(place: int, by: int) -> None:
    drawn = draw_target("line_graph", "easy", 303)  # four points

    def bent(element: Element) -> Element:
        points: Any = element.parameters.get("points")
        if element.type != "polyline":
            return element
        moved = [[x, y + by * (at == place)] for at, (x, y) in enumerate(points)]
        return element.model_copy(update={"parameters": {**element.parameters, "points": moved}})

    elements = tuple(bent(element) for element in drawn.scene.elements if element.type != "marker")
    verification = verified(
        drawn, Image.fromarray(redrawn_by_us(drawn.scene.model_copy(update={"elements": elements})))
    )
    scale = known(find_scale(drawn.scene, "y"))
    (value,) = [checked for checked in verification.facts if checked.fact.key == f"line-1/value/{place + 1}"]
    assert set(wrong_facts(verification)) - {"line-1/markers"} == {value.fact.key}
    assert value.seen == pytest.approx(
        scale.value(scale(value.fact.expected) + by), abs=0.02 * (scale.high - scale.low)
    )
    assert 5.5 < known(verification.score) < 8.5


def test_of_thin_lines_in_shades_of_one_hue_markers_tell_which_is_which() -> None:
    drawn = draw_target("line_graph", "hard", 19001)
    dark, lighter = [element.colour for element in drawn.scene.elements if element.type == "polyline"][:2]

    def exchanged(element: Element) -> Element:
        other = {dark: lighter, lighter: dark}.get(element.colour, element.colour)
        return element.model_copy(update={"colour": other})

    scene = drawn.scene.model_copy(update={"elements": tuple(map(exchanged, drawn.scene.elements))})
    verification = verified(drawn, Image.fromarray(redrawn_by_us(scene)))
    assert {"line-1/colour", "line-2/colour"} <= set(wrong_facts(verification))
    assert 4 < known(verification.score) < 6


def test_compression_does_not_make_a_dark_line_blue() -> None:
    places, normals = sample_places_along([[0, 10], [40, 10]], step=1)
    many, navy, blue = len(places), "#111827", "#1d4ed8"
    lines, grounds = (np.tile(parse_rgb(colour), (many, 1)) for colour in ("#506193", "#fdf8e9"))
    seen, widths = np.ones(many, bool), np.full(many, 3, np.float32)
    course = Course(places, normals, np.zeros(many, np.float32), seen, lines, grounds, seen, widths)
    assert find_colour(course, [navy, blue], navy, roughness=0.5) == blue
    pale = replace(course, lines=np.tile(parse_rgb("#50555f"), (many, 1)))
    assert find_colour(pale, [navy, blue], navy, roughness=0.5) == navy


@pytest.mark.parametrize("has_the_lines_colour", [False, True])
def test_a_strong_grid_is_no_line(has_the_lines_colour: bool) -> None:
    drawn = draw_target("line_graph", "easy", 15000)
    (colour,) = {element.colour for element in drawn.scene.elements if element.type == "polyline"}
    elements = tuple(
        element.model_copy(
            update={"parameters": {**element.parameters, "width": 2}}
            | ({"colour": colour} if has_the_lines_colour else {})
        )
        if element.type == "gridline" else element
        for element in drawn.scene.elements if element.type not in {"polyline", "marker"}
    )  # fmt: skip
    verification = verified(
        drawn, Image.fromarray(redrawn_by_us(drawn.scene.model_copy(update={"elements": elements})))
    )
    assert wrong_facts(verification)["line-1/presence"] == "not seen"
    assert known(verification.score) < 2


def test_a_strong_colour_of_the_ground_may_be_a_shade_off_as_a_pale_one_may() -> None:
    drawn = draw_target("simple_shapes", "easy", 208)
    # ΔE2000 7 and 5 off; by Euclid in L*a*b*, the strong yellow is 16 off and the pale green 9.
    shades = {"#fff3b0": "#f7efcc", "#d8f3dc": "#e0ffd8"}
    pixels = drawn.drawing.pixels.copy()
    for colour, shade in shades.items():
        pixels[(pixels == tuple(bytes.fromhex(colour[1:]))).all(axis=2)] = tuple(bytes.fromhex(shade[1:]))
    assert "ground/presence" not in wrong_facts(verified(drawn, Image.fromarray(pixels)))


@pytest.mark.parametrize("drawer", DRAWERS)
def test_the_markers_of_a_line_are_told_by_their_shapes(drawer: str) -> None:
    drawn = draw_target("line_graph", "easy", 301)
    style = choose_faithful_style(random.Random(drawer), drawn.scene, drawer)
    shapes = {element.parameters["shape"] for element in drawn.scene.elements if element.type == "marker"}
    assert len(shapes) == 1
    other = "triangle" if "triangle" not in shapes else "circle"

    def with_other(element: Element) -> Element:
        if element.type != "marker":
            return element
        return element.model_copy(update={"parameters": {**element.parameters, "shape": other}})

    changed = drawn.scene.model_copy(update={"elements": tuple(map(with_other, drawn.scene.elements))})
    assert "line-1/markers" not in wrong_facts(verified(drawn, redraw_scene(drawn.scene, style)))
    assert wrong_facts(verified(drawn, redraw_scene(changed, style)))["line-1/markers"] == f"seen: {other}"
