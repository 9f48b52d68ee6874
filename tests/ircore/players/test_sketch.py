"""The weaker generator: coarse, forgetful of what a correction is, and honest about it."""

import asyncio

import pytest

from ircore.core.images import Pixels
from ircore.core.records import PlayerSpec
from ircore.players.base import GeneratorView
from ircore.players.builtin.canvas.reader import read
from ircore.players.builtin.canvas.shapes import Blob, Stroke
from ircore.players.builtin.sketch import GRID, SketchGenerator, coarse

CIRCLE = "A red (#d62728) circle of radius 40 px centred at (120, 200)."


def sketched(*messages: str) -> Pixels:
    view = GeneratorView(len(messages), messages[-1], messages[:-1], None, 0, "\n".join(messages))
    return asyncio.run(SketchGenerator(PlayerSpec(player="sketch")).render(view)).picture.pixels


def test_positions_and_colours_are_coarse() -> None:
    canvas, _ = read([CIRCLE + " A 2 px dashed crimson line from (10, 10) to (333, 49)."])
    circle, line = coarse(canvas).items
    assert isinstance(circle, Blob)
    assert isinstance(line, Stroke)
    assert (circle.centre, circle.width, circle.fill) == ((128, 192), 64, "#e02020")
    assert (line.points, line.dash, line.colour) == (((0, 0), (320, 64)), (), "#e02020")
    assert all(part % GRID == 0 for point in line.points for part in point)


@pytest.mark.slow
def test_a_correction_is_taken_for_a_description() -> None:
    once = sketched(CIRCLE)
    again = sketched(CIRCLE, "Move the red circle 200 px right.")
    assert tuple(again[192, 128]) == tuple(once[192, 128]) == (0xE0, 0x20, 0x20)
    assert tuple(sketched(CIRCLE, "Remove the red circle.")[192, 128]) == (0xE0, 0x20, 0x20)
    added = sketched(CIRCLE, "Add a blue square of side 96 px centred at (384, 384).")
    assert tuple(added[384, 384]) == (0x20, 0x60, 0xD0)


def test_a_moved_thing_is_there_twice() -> None:
    pixels = sketched(CIRCLE, "Move the red circle 200 px right.")
    red = (pixels == (0xE0, 0x20, 0x20)).all(axis=2)
    assert red[:, :256].any()
    assert red[:, 320:].any()
