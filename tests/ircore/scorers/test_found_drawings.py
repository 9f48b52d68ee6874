"""Where the eye finds a drawing on other canvases: every picture is made from a target by a known matrix."""

from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image
from verified_drawings import target, verified

from ircore.core.images import Picture
from ircore.instances.targets.base import Drawn
from ircore.instances.targets.categories import draw_target
from ircore.scorers.verification.eye.frames import apply_matrix
from ircore.scorers.verification.eye.registration import FrameFit, Model, Transform, compute_cost, register_rendering

CATEGORIES = ("bar_graph", "line_graph", "pie_graph", "functions", "geometry", "simple_shapes")
DARK, GREY = (40, 44, 60), (200, 200, 204)
OWN = None
"""The ground of the target."""

Colour = tuple[int, int, int] | None
Corners = tuple[tuple[float, float], ...]


@cache
def model(category: str) -> Model:
    drawn = target(category)
    return Model(Picture.from_pixels(drawn.drawing.pixels), drawn.scene)


class Layout(NamedTuple):
    """A canvas and where the corners of the target lie on it, clockwise from the upper left."""

    canvas: tuple[int, int]
    corners: Corners
    ground: Colour = OWN


def box(left: float, top: float, right: float, bottom: float) -> Corners:
    return (left, top), (right, top), (right, bottom), (left, bottom)


def turned(degrees: float, corners: Corners, about: tuple[float, float]) -> Corners:
    complex_turn = np.exp(1j * np.radians(degrees))
    middle = complex(*about)
    placed = [(complex(*corner) - middle) * complex_turn + middle for corner in corners]
    return tuple((float(place.real), float(place.imag)) for place in placed)


LAYOUTS = {
    "margins of 5 %": Layout((1024, 1024), box(51, 51, 973, 973)),
    "dark margins of 12 %": Layout((1024, 1024), box(123, 123, 901, 901), DARK),
    "grey margins of 25 %": Layout((1024, 1024), box(256, 256, 768, 768), GREY),
    "uneven margins": Layout((1024, 1024), box(51, 205, 819, 973)),
    "three by two, dark": Layout((1536, 1024), box(300, 60, 1204, 964), DARK),
    "two by three": Layout((1024, 1536), box(102, 358, 922, 1178), GREY),
    "75 % of the size": Layout((512, 512), box(64, 64, 448, 448)),
    "40 % of the size, in a corner": Layout((1024, 1024), box(60, 100, 470, 510)),
    "a canvas of 300 pixels": Layout((300, 300), box(0, 0, 300, 300)),
    "a canvas of 1280 pixels": Layout((1280, 1280), box(0, 0, 1280, 1280)),
    "slightly cropped": Layout((512, 512), box(-25, -25, 537, 537)),
    "stretched to three by two": Layout((1536, 1024), box(0, 0, 1536, 1024)),
    "stretched, with margins": Layout((1024, 1536), box(102, 153, 922, 1383)),
    "flattened": Layout((1024, 1024), box(12, 112, 1012, 912)),
    "turned by -4°": Layout((512, 512), turned(-4, box(0, 0, 512, 512), (256, 256))),
    "turned by 6°": Layout((512, 512), turned(6, box(0, 0, 512, 512), (256, 256))),
    "turned by 4°, with margins": Layout((1024, 1024), turned(4, box(122, 122, 902, 902), (512, 512))),
    "from aside": Layout((1024, 1024), ((40, 20), (1024, 0), (994, 1014), (0, 984))),
    "from below": Layout((1024, 1024), ((60, 30), (964, 30), (1024, 1024), (0, 1024))),
}


def matrix_of(corners: Corners, size: int = 512) -> npt.NDArray[np.float64]:
    """Return the matrix that takes the corners of a square of this size to corners."""
    rows, values = [], []
    for (x, y), (to_x, to_y) in zip(box(0, 0, size, size), corners, strict=True):
        rows += [[x, y, 1, 0, 0, 0, -x * to_x, -y * to_x], [0, 0, 0, x, y, 1, -x * to_y, -y * to_y]]
        values += [to_x, to_y]
    return np.array([*np.linalg.solve(np.array(rows, float), np.array(values, float)), 1.0]).reshape(3, 3)


def laid_out(drawn: Drawn, layout: Layout) -> Image.Image:
    ground = layout.ground or drawn.drawing.image.getpixel((1, 1))
    # Twice the size and reduced afterwards, so that no line breaks.
    large = 2 * layout.canvas[0], 2 * layout.canvas[1]
    back = np.linalg.inv(np.diag([2.0, 2.0, 1.0]) @ matrix_of(layout.corners))
    data = tuple((back / back[2, 2]).ravel()[:8])
    image = drawn.drawing.image.transform(large, Image.Transform.PERSPECTIVE, data, Image.Resampling.BICUBIC)
    inside = Image.new("L", (512, 512), 255).transform(large, Image.Transform.PERSPECTIVE, data)
    page = Image.new("RGB", large, ground)
    page.paste(image, (0, 0), inside)
    return page.resize(layout.canvas, Image.Resampling.LANCZOS)


def off_by(fit: FrameFit, layout: Layout) -> float:
    """Return how far off points of the target are found, in shares of the drawing's size."""
    points = np.array([(x, y) for x in (40, 256, 472) for y in (40, 256, 472)], float)
    canvas = np.array(layout.canvas)
    wanted = apply_matrix(matrix_of(layout.corners), points) / canvas
    found = fit.transform.place_points(points, 512, 512) / 512
    return float(np.abs((wanted - found) / (fit.transform.wide, fit.transform.high)).max())


def next_category(name: str) -> str:
    """Return the category that a layout is tried on: each has three or four of the nineteen."""
    return CATEGORIES[list(LAYOUTS).index(name) % 6]


@pytest.mark.slow
@pytest.mark.parametrize("name", LAYOUTS)
def test_a_drawing_is_found_wherever_it_lies(name: str) -> None:
    layout = LAYOUTS[name]
    category = next_category(name)
    fit = register_rendering(model(category), np.asarray(laid_out(target(category), layout)))
    assert fit.is_found
    assert off_by(fit, layout) <= 0.005  # 1 % of a drawing of 40 % is a pixel of the rendering


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "least", "most"),
    [
        ("three by two, dark", 9, 10), ("75 % of the size", 8, 10), ("stretched to three by two", 6, 8),
        ("turned by -4°", 7.5, 8.5), ("from aside", 7.5, 9),
    ],
)  # fmt: skip
def test_a_perfect_drawing_in_another_layout_costs_what_it_looks_like(name: str, least: float, most: float) -> None:
    drawn = target(next_category(name))
    assert least <= (verified(drawn, laid_out(drawn, LAYOUTS[name])).score or 0.0) <= most


@pytest.mark.slow
def test_a_canvas_of_noise_or_without_anything_shows_nothing() -> None:
    noise = np.random.default_rng(3).integers(0, 256, (640, 960, 3), dtype=np.uint8)
    blank = np.full((1536, 1024, 3), 240, np.uint8)
    for pixels in (noise, blank):
        fit = register_rendering(model("pie_graph"), pixels)
        assert fit.is_found
        moved = fit.transform
        assert (moved.turn, moved.slant, moved.tilt_x, moved.tilt_y) == (0, 0, 0, 0)


@pytest.mark.slow
def test_a_drawing_turned_too_far_is_there_but_not_found() -> None:
    drawn = target("simple_shapes")
    far = drawn.drawing.image.rotate(33, fillcolor=drawn.scene.background)
    assert not register_rendering(model("simple_shapes"), np.asarray(far)).is_found


def test_another_target_is_not_there_and_so_not_unfound() -> None:
    assert register_rendering(model("simple_shapes"), target("simple_shapes", 25).drawing.pixels).is_found


@pytest.mark.slow
def test_a_target_pasted_on_another_picture_is_little() -> None:
    drawn, other = target("bar_graph"), target("bar_graph", 9)
    page = other.drawing.image.copy()
    page.paste(drawn.drawing.image.resize((256, 256), Image.Resampling.LANCZOS), (128, 128))
    assert (verified(drawn, page).score or 0.0) < 5


def test_a_transform_is_told_by_its_matrix() -> None:
    transform = Transform(0.05, -0.03, 0.6, 0.7, 5.0, 0.02, 0.05, -0.03, 1.5)
    assert Transform.from_matrix(3 * transform.matrix(512, 384), 512, 384, 1.5) == transform


@pytest.mark.parametrize(
    ("slight", "strong"),
    [
        (Transform(x=0.02), Transform(x=0.1)),
        (Transform(wide=0.9, high=0.9), Transform(wide=0.5, high=0.5)),
        (Transform(aspect=1.1), Transform(aspect=1.5)),
        (Transform(turn=-1), Transform(turn=3)),
        (Transform(tilt_x=0.02), Transform(tilt_y=0.08)),
        (Transform(wide=0.5, high=0.5, x=0.2), Transform(x=0.2)),
    ],
)
def test_more_of_a_change_costs_more(slight: Transform, strong: Transform) -> None:
    assert 0 < compute_cost(slight) < compute_cost(strong) <= 4


@pytest.mark.slow
@pytest.mark.parametrize(
    ("category", "seed", "key"),
    [("simple_shapes", 26000, "triangle-1/shape"), ("pie_graph", 26001, "wedge-2/value")],
)  # fmt: skip
def test_an_outline_and_a_ring_under_its_labels_are_read_whole_in_margins(category: str, seed: int, key: str) -> None:
    """Only corners of the outline have an inside; the label covers most of the ring from inside to outside."""
    drawn = draw_target(category, "hard", seed)
    seen = verified(drawn, laid_out(drawn, LAYOUTS["margins of 5 %"]))
    assert {checked.verdict for checked in seen.facts if checked.fact.key == key} == {"holds"}
