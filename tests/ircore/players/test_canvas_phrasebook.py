"""The sentences that describers write, and the pixels that come out."""

import numpy as np
import pytest

from ircore.core.images import Pixels
from ircore.players.builtin.canvas.reader import read
from ircore.players.builtin.canvas.render import draw
from ircore.players.builtin.canvas.shapes import Label, Stroke

WHITE = (255, 255, 255)
BLACK = (0, 0, 0)


def drawn(*messages: str) -> Pixels:
    canvas, notes = read(messages)
    assert notes == ()
    return draw(canvas)


def at(pixels: Pixels, x: int, y: int) -> tuple[int, ...]:
    return tuple(int(part) for part in pixels[y, x])


def ink(pixels: Pixels) -> tuple[int, int, int, int]:
    """The box of everything that is not white: left, top, right, bottom (half open)."""
    rows, columns = np.nonzero((pixels < 250).any(axis=2))
    return int(columns.min()), int(rows.min()), int(columns.max()) + 1, int(rows.max()) + 1


def test_a_blank_canvas_is_white_and_512_px_square() -> None:
    pixels = drawn("The picture has a white background.")
    assert pixels.shape == (512, 512, 3)
    assert (pixels == 255).all()


@pytest.mark.parametrize(
    ("sentence", "first", "last"),
    [
        ("The background fades from #aabbcc at the top to #112233 at the bottom.", (256, 0), (256, 511)),
        ("The background fades from #aabbcc at the bottom to #112233 at the top.", (256, 511), (256, 0)),
        ("A gradient background from #aabbcc on the left to #112233 on the right.", (0, 256), (511, 256)),
    ],
)
def test_backgrounds_that_fade(sentence: str, first: tuple[int, int], last: tuple[int, int]) -> None:
    pixels = drawn(sentence).astype(int)
    assert np.abs(pixels[first[1], first[0]] - (0xAA, 0xBB, 0xCC)).max() <= 1
    assert np.abs(pixels[last[1], last[0]] - (0x11, 0x22, 0x33)).max() <= 1


def test_dashed_line_has_gaps() -> None:
    pixels = drawn("A 2 px grey dashed line from (40, 60) to (200, 60).")
    row = pixels[60, 40:200, 0]
    assert row.min() == 128
    assert row.max() == 255
    solid = drawn("A 2 px grey line from (40, 60) to (200, 60).")
    assert set(solid[60, 41:199, 0]) == {128}
    assert set(solid[58, :, 0]) == {255}


def test_an_upright_line_of_one_pixel_is_sharp() -> None:
    pixels = drawn("A 1 px black line from (40, 60) to (200, 60).")
    assert at(pixels, 100, 60) == BLACK
    assert at(pixels, 100, 59) == at(pixels, 100, 61) == WHITE


def test_text_height_is_that_of_its_ink() -> None:
    left, top, right, bottom = ink(drawn('The text "A" in black, 16 px high, centred at (100, 200).'))
    assert abs((bottom - top) - 16) <= 1
    assert abs((left + right) / 2 - 100) <= 1
    assert abs((top + bottom) / 2 - 200) <= 1
    left, top, right, bottom = ink(drawn('The text "Value" rotated 90 degrees centred at (100, 200).'))
    assert bottom - top > right - left


def test_axes_ticks_and_tick_labels() -> None:
    canvas, notes = read(
        [
            "A black x axis from (60, 450) to (480, 450). A black y axis from (60, 40) to (60, 450). "
            "Ticks of 6 px on the x axis at x 60, 120, 180. "
            "Tick labels 0, 20, 40, 60 beside the y axis, right-aligned at x 50, at y 450, 350, 250, 150. "
            'Tick labels "A", "B" below the x axis at y 465, at x 90, 150.'
        ]
    )
    assert notes == ()
    ticks = [item.points for item in canvas.items if isinstance(item, Stroke) and item.kind == "tick"]
    assert ticks == [((x, 450), (x, 456)) for x in (60, 120, 180)]
    labels = [(item.text, item.at, item.anchor) for item in canvas.items if isinstance(item, Label)]
    assert labels[:4] == [
        (text, (50, y), "rm") for text, y in zip(("0", "20", "40", "60"), (450, 350, 250, 150), strict=True)
    ]
    assert labels[4:] == [("A", (90, 465), "mm"), ("B", (150, 465), "mm")]


def test_standing_bars_go_on_after_a_semicolon() -> None:
    pixels = drawn(
        "Bars standing on y 450: #1f77b4 from x 80 to 120 up to y 220; #ff7f0e from x 140 to 180 up to y 300."
    )
    assert at(pixels, 80, 220) == at(pixels, 119, 449) == (0x1F, 0x77, 0xB4)
    assert at(pixels, 140, 300) == at(pixels, 179, 449) == (0xFF, 0x7F, 0x0E)
    assert at(pixels, 130, 400) == at(pixels, 100, 219) == at(pixels, 100, 450) == WHITE


def test_bars_as_lists() -> None:
    pixels = drawn("Blue bars 40 px wide standing on y 450 at x 100, 160 up to y 220, 300.")
    assert at(pixels, 81, 221) == at(pixels, 141, 301) == (0, 0, 255)
    assert at(pixels, 100, 219) == at(pixels, 160, 299) == at(pixels, 130, 440) == WHITE


def test_pie_runs_clockwise_from_the_top() -> None:
    pixels = drawn(
        "A pie of radius 180 px centred at (256, 256), clockwise from 12 o'clock: "
        "#d62728 25%, #1f77b4 30%, #2ca02c 45%."
    )
    assert at(pixels, 350, 150) == (0xD6, 0x27, 0x28)
    assert at(pixels, 256, 400) == (0x1F, 0x77, 0xB4)
    assert at(pixels, 150, 150) == (0x2C, 0xA0, 0x2C)
    assert at(pixels, 256, 70) == WHITE
