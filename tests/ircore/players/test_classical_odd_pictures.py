"""Strangers' pictures: whatever their size and content, a describer answers."""

import asyncio

import numpy as np
import pytest

from ircore.core.drawing import Drawing
from ircore.core.images import Picture, Pixels
from ircore.core.records import PlayerSpec
from ircore.players.base import DescriberView
from ircore.players.builtin.captioner import CaptionerDescriber
from ircore.players.builtin.classical.describer import ClassicalDescriber

pytestmark = pytest.mark.slow

Describer = ClassicalDescriber | CaptionerDescriber
DESCRIBERS: list[Describer] = [
    ClassicalDescriber(PlayerSpec(player="classical")),
    CaptionerDescriber(PlayerSpec(player="captioner")),
]


def noise(high: int, wide: int, levels: int = 256) -> Pixels:
    shades = np.linspace(0, 255, levels).astype(np.uint8)
    return np.random.default_rng(high * wide).choice(shades, (high, wide, 3))


def ramp(high: int, wide: int) -> Pixels:
    level = np.linspace(0, 255, high * wide).astype(np.uint8).reshape(high, wide, 1)
    return level.repeat(3, axis=2)


def checks(high: int, wide: int, side: int) -> Pixels:
    rows, columns = np.indices((high, wide)) // side
    return ((rows + columns) % 2 * 255).astype(np.uint8)[..., None].repeat(3, axis=2)


def scene(factor: int = 1, x: int = 120) -> Pixels:
    drawing = Drawing(256, 256, "#f4f1ea")
    drawing.ellipse((x, 100), (40, 40), "#d62728")
    drawing.rectangle(150, 150, 190, 190, "#1f77b4")
    return drawing.pixels.repeat(factor, axis=0).repeat(factor, axis=1)


ODD = {
    "one pixel": ramp(1, 1),
    "two pixels": ramp(1, 2),
    "a row": ramp(1, 300),
    "a column of two": noise(300, 2, 2),
    "a sliver": checks(4, 4096, 3),
    "a column": ramp(4096, 16),
    "white": np.full((64, 64, 3), 255, np.uint8),
    "noise": noise(96, 96),
    "noise of few colours": noise(96, 96, 2),
    "small checks": checks(90, 90, 1),
    "checks": checks(96, 96, 6),
    "drawn": scene(),
}


def answer(describer: Describer, target: Pixels, *renderings: Pixels) -> str:
    pictures, said = tuple(map(Picture.from_pixels, renderings)), ("Something.",) * len(renderings)
    view = DescriberView(len(pictures) + 1, "", Picture.from_pixels(target), pictures, said, said, said, 200, 0)
    return asyncio.run(describer.describe(view)).text


@pytest.mark.parametrize("describer", DESCRIBERS)
@pytest.mark.parametrize("name", ODD)
@pytest.mark.filterwarnings("error")
def test_any_picture_is_answered(name: str, describer: Describer) -> None:
    for text in (
        answer(describer, ODD[name]),
        answer(describer, scene(), ODD[name]),
        answer(describer, ODD[name], scene()),
    ):
        assert text == "<DONE>" or text.startswith("<DESCRIPTION>")


@pytest.mark.parametrize("factor", [2, 3])
@pytest.mark.parametrize("describer", DESCRIBERS)
def test_a_rendering_of_another_size_is_seen_in_that_of_the_target(describer: Describer, factor: int) -> None:
    assert answer(describer, scene(), scene(factor)) == "<DONE>"
    assert answer(describer, scene(), scene(factor, x=60)) == answer(describer, scene(), scene(x=60))
