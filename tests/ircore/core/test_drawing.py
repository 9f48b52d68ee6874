"""Drawing: exact pixels, exact boxes, and elementary functions that give the same bits everywhere."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ircore.core import drawing, exact
from ircore.core.drawing import Drawing, split_into_dashes, text_size
from ircore.core.records import Box

NOTHING = Box(0, 0, 0, 0)


def changed_box(drawing: Drawing) -> Box:
    """The smallest box that holds every pixel that is not white."""
    rows, columns = np.nonzero((drawing.pixels != 255).any(axis=2))
    return Box(int(columns.min()), int(rows.min()), int(columns.max()) + 1, int(rows.max()) + 1)


def ink(drawing: Drawing) -> float:
    """The area painted black on white, in pixels."""
    return float((255 - drawing.pixels[..., 0].astype(float)).sum() / 255)


def test_a_rectangle_at_whole_pixels_is_exact() -> None:
    drawing = Drawing(64, 64)
    box = drawing.rectangle(10, 20, 30, 44, fill="#ff0000")
    expected = np.full((64, 64, 3), 255, dtype=np.uint8)
    expected[20:44, 10:30] = (255, 0, 0)
    assert box == (10, 20, 30, 44)
    assert np.array_equal(drawing.pixels, expected)


def test_half_a_pixel_is_half_covered() -> None:
    drawing = Drawing(16, 16)
    assert drawing.rectangle(4.5, 4, 8, 8, fill="#000000") == (4, 4, 8, 8)
    assert drawing.pixels[5, 4, 0] == pytest.approx(127, abs=2)
    assert drawing.pixels[5, 5, 0] == 0


def test_an_outline_is_centred_on_the_edge() -> None:
    drawing = Drawing(64, 64)
    box = drawing.rectangle(20, 20, 40, 40, outline="#000000", width=4)
    assert box == (18, 18, 42, 42)
    assert drawing.pixels[30, 30].tolist() == [255, 255, 255]
    assert (drawing.pixels[30, 18:22] == 0).all()
    assert (drawing.pixels[30, 22:38] == 255).all()


@pytest.mark.parametrize("radius", [3, 10, 40.5, 100])
def test_a_disc_has_the_area_of_a_circle(radius: float) -> None:
    drawing = Drawing(256, 256)
    box = drawing.ellipse((128, 128), (radius, radius), fill="#000000")
    assert ink(drawing) == pytest.approx(math.pi * radius**2, rel=0.02, abs=2)
    assert box == (128 - math.ceil(radius), 128 - math.ceil(radius), 128 + math.ceil(radius), 128 + math.ceil(radius))


def test_a_quarter_wedge_lies_below_right_for_angles_0_to_90() -> None:
    drawing = Drawing(128, 128)
    assert drawing.wedge((20, 30), 60, 0, 90, fill="#000000") == (20, 30, 80, 90)
    assert ink(drawing) == pytest.approx(math.pi * 60**2 / 4, rel=0.02)


def test_a_line_of_two_pixels_covers_two_rows_and_has_round_ends() -> None:
    drawing = Drawing(64, 32)
    box = drawing.line([(10, 16), (50, 16)], "#000000", width=2)
    assert box == (9, 15, 51, 17)
    assert (drawing.pixels[15:17, 11:49] == 0).all()


@pytest.mark.parametrize("width", [0.1, 0.25, 0.5, 1, 1.5, 7])
@pytest.mark.parametrize("shift", [0.0, 0.125, 0.3, 0.5])
def test_lines_of_any_width_can_be_drawn_anywhere(width: float, shift: float) -> None:
    drawing = Drawing(64, 64)
    box = drawing.line([(10 + shift, 10 + shift), (50.7, 31 + shift), (20, 50)], "#000000", width)
    assert box.left >= 10 - width - 1
    assert box.right <= 51 + width + 1


def test_dashes_have_the_lengths_of_the_pattern() -> None:
    assert split_into_dashes([(0, 0), (35, 0)], (10, 5)) == [[(0, 0), (10, 0)], [(15, 0), (25, 0)], [(30, 0), (35, 0)]]


def test_dashes_go_round_corners() -> None:
    assert split_into_dashes([(0, 0), (6, 0), (6, 10)], (8, 4, 2, 4)) == [[(0, 0), (6, 0), (6, 2)], [(6, 6), (6, 8)]]


DRAW: dict[str, Callable[[Drawing], Box]] = {
    "polygon": lambda d: d.polygon([(12.3, 20.1), (90.2, 35.7), (40.4, 99.9)], "#000000"),
    "outlined polygon": lambda d: d.polygon([(12, 20), (90, 35), (40, 99)], "#000000", "#000000", 5),
    "turned ellipse": lambda d: d.ellipse((60, 60), (40, 15), "#000000", rotation=30),
    "wedge": lambda d: d.wedge((60, 60), 40, 200, 290, "#000000"),
    "line": lambda d: d.line([(10, 10), (100, 33), (20, 90)], "#000000", 3),
    "dashed line": lambda d: d.line([(10, 10), (100, 33), (20, 90)], "#000000", 3, (9, 4)),
    "text": lambda d: d.text((60, 60), "Agj 90°", 20),
    "upward text": lambda d: d.text((60, 60), "Agj", 20, rotation=90),
    "beyond the left edge": lambda d: d.ellipse((0, 60), (20, 20), "#000000"),
    "beyond the lower right corner": lambda d: d.rectangle(100, 100, 400, 400, "#000000"),
}


@pytest.mark.parametrize("name", DRAW)
def test_the_box_is_what_was_touched(name: str) -> None:
    drawing = Drawing(128, 128)
    assert DRAW[name](drawing) == changed_box(drawing)


def test_what_lies_outside_touches_nothing() -> None:
    drawing = Drawing(64, 64)
    assert drawing.ellipse((-100, 20), (10, 10), "#000000") == NOTHING
    assert drawing.line([(100, 100), (200, 120)], "#000000") == NOTHING
    assert drawing.text((500, 500), "far", 20) == NOTHING
    assert drawing.polygon([(1, 1), (5, 1), (5, 5)]) == NOTHING
    assert (drawing.pixels == 255).all()


@pytest.mark.parametrize(("anchor", "x", "y"), [("lt", "left", "top"), ("rb", "right", "bottom")])
def test_text_is_anchored_by_its_ink(anchor: str, x: str, y: str) -> None:
    drawing = Drawing(256, 128)
    box = drawing.text((100, 60), "Ag", 24, anchor=anchor)
    assert abs(getattr(box, x) - 100) <= 1
    assert abs(getattr(box, y) - 60) <= 1


def test_text_is_centred_and_as_large_as_told() -> None:
    drawing = Drawing(256, 128)
    box = drawing.text((128, 64), "Hamburg", 30)
    wide, high = text_size("Hamburg", 30)
    assert (box.left + box.right) / 2 == pytest.approx(128, abs=1)
    assert (box.top + box.bottom) / 2 == pytest.approx(64, abs=1)
    assert (box.right - box.left, box.bottom - box.top) == pytest.approx((wide, high), abs=1.5)


def test_blank_text_draws_nothing() -> None:
    drawing = Drawing(64, 64)
    assert drawing.text((32, 32), " ", 20) == NOTHING
    assert (drawing.pixels == 255).all()


def test_pixels_are_a_copy() -> None:
    drawing = Drawing(8, 8)
    drawing.pixels[:] = 0
    assert (drawing.pixels == 255).all()


places = st.integers(-30, 70).map(lambda quarter: quarter / 4)


def test_a_triangle_worked_by_hand() -> None:
    """Middles (x + ½, y + ½) above the diagonal from (0, 0) to (4, 4)."""
    inside = drawing.fill_polygon([(0, 0), (4, 0), (4, 4)], 4, 4)
    assert inside.astype(int).tolist() == [[1, 1, 1, 1], [0, 1, 1, 1], [0, 0, 1, 1], [0, 0, 0, 1]]


def test_what_covers_itself_twice_is_outside_unless_filled_together() -> None:
    square, inner = [(0, 0), (6, 0), (6, 6), (0, 6)], [(2, 2), (4, 2), (4, 4), (2, 4)]
    twice = [*square, square[0], *inner, inner[0]]
    assert drawing.fill_polygon(twice, 6, 6).sum() == 36 - 4
    assert drawing.fill_polygons([square, inner[::-1]], 6, 6).sum() == 36


@pytest.mark.slow
@given(st.lists(st.tuples(places, places), min_size=4, max_size=4, unique=True))
def test_a_cut_shares_pixels_out(corners: list[tuple[float, float]]) -> None:
    """The two triangles of a four-sided figure, by the even-odd rule, are the figure."""
    a, b, c, d = corners
    whole = drawing.fill_polygon([a, b, c, d], 12, 12)
    assert (drawing.fill_polygon([a, b, c], 12, 12) ^ drawing.fill_polygon([a, c, d], 12, 12) == whole).all()


def test_quarter_turns_move_pixels_only() -> None:
    mask = np.arange(6, dtype=np.uint8).reshape(2, 3)
    assert drawing.rotate_mask(mask, 90).tolist() == [[2, 5], [1, 4], [0, 3]]
    assert drawing.rotate_mask(mask, 180).tolist() == [[5, 4, 3], [2, 1, 0]]
    assert drawing.rotate_mask(mask, 0).tolist() == mask.tolist()


def test_a_turned_mask_keeps_its_ink_and_its_direction() -> None:
    mask = np.zeros((40, 80), np.uint8)
    mask[18:22, 60:80] = 255
    by_45 = drawing.rotate_mask(mask, 45)
    assert by_45.sum(dtype=int) == pytest.approx(mask.sum(dtype=int), rel=0.03)
    rows, columns = np.nonzero(by_45)
    assert rows.mean() < by_45.shape[0] / 2 < columns.mean()  # what was on the right is now at the upper right


NEAR = 1e-15
"""The error that the module promises, relative to the larger of 1 and the result."""

angles = st.floats(-1e6, 1e6)
positive = st.floats(1e-300, 1e300)


@pytest.mark.slow
@given(angles)
def test_sine_and_cosine_agree_with_the_c_library(angle: float) -> None:
    assert exact.sin(angle) == pytest.approx(math.sin(angle), rel=NEAR, abs=NEAR)
    assert exact.cos(angle) == pytest.approx(math.cos(angle), rel=NEAR, abs=NEAR)


@pytest.mark.slow
@given(st.floats(-1e3, 1e3), st.floats(-1e3, 1e3))
def test_directions_and_lengths_agree_with_the_c_library(y: float, x: float) -> None:
    assert exact.atan2(y, x) == pytest.approx(math.atan2(y, x) if (x, y) != (0, 0) else 0.0, rel=NEAR, abs=NEAR)
    assert exact.hypot(y, x) == pytest.approx(math.hypot(y, x), rel=NEAR, abs=1e-150)


@pytest.mark.slow
@given(st.floats(-700, 700), positive)
def test_exponentials_and_logarithms_agree_with_the_c_library(x: float, y: float) -> None:
    assert exact.exp(x) == pytest.approx(math.exp(x), rel=NEAR)
    assert exact.log(y) == pytest.approx(math.log(y), rel=NEAR, abs=NEAR)


@pytest.mark.parametrize("exponent", range(-12, 13))
def test_decimal_logarithms_of_powers_of_ten_are_whole(exponent: int) -> None:
    assert exact.log10(float(f"1e{exponent}")) == exponent
    assert exact.power_of_ten(exponent) == float(f"1e{exponent}")


def test_values_that_everybody_knows() -> None:
    assert exact.sin(0.0) == 0.0
    assert exact.cos(0.0) == 1.0
    assert exact.sin(math.radians(30)) == pytest.approx(0.5, abs=1e-15)
    assert exact.tan(math.radians(45)) == pytest.approx(1.0, abs=1e-15)
    assert math.degrees(exact.atan2(1.0, -1.0)) == pytest.approx(135)
    assert exact.hypot(3.0, 4.0) == exact.dist((0, 0), (3, 4)) == 5.0
    assert exact.dist((1, 2, 3), (1, 2, 3)) == 0.0
    assert [exact.cbrt(x) for x in (27.0, -8.0, 0.0)] == [3.0, -2.0, 0.0]
    assert [exact.whole_power(2.0, n) for n in (-2, 0, 10)] == [0.25, 1.0, 1024.0]
    assert exact.power(9.0, 0.5) == pytest.approx(3.0, rel=1e-15)


def test_what_has_no_value_is_nan_or_infinite_and_no_error() -> None:
    assert math.isnan(exact.log(-1.0))
    assert exact.log(0.0) == -math.inf
    assert math.isnan(exact.acos(1.5))
    assert math.isnan(exact.sin(math.inf))
    assert exact.exp(1000.0) == math.inf
    assert exact.exp(-1000.0) == 0.0
    with pytest.raises(ZeroDivisionError):
        exact.whole_power(0.0, -1)


@pytest.mark.parametrize("name", ["sin", "cos", "exp", "log"])
def test_an_array_gives_the_bits_that_its_numbers_give_one_by_one(name: str) -> None:
    function = getattr(exact, name)
    values = np.linspace(0.01, 40, 4001)
    assert function(values).tolist() == [function(value) for value in values.tolist()]


def test_directions_of_an_array_are_those_of_its_vectors() -> None:
    y, x = np.random.default_rng(0).uniform(-9, 9, (2, 1000))
    assert exact.atan2(y, x).tolist() == [exact.atan2(*pair) for pair in zip(y.tolist(), x.tolist(), strict=True)]
    assert exact.hypot(y, x).tolist() == [exact.hypot(*pair) for pair in zip(y.tolist(), x.tolist(), strict=True)]
