"""The captioner: what and roughly where, no measures, and soon content."""

import asyncio
import re

import pytest

from ircore.core.drawing import Drawing
from ircore.core.images import Picture
from ircore.core.records import PlayerSpec
from ircore.core.tokens import count_tokens
from ircore.players.base import DescriberView
from ircore.players.builtin.captioner import CaptionerDescriber


def answer(target: Drawing, *renderings: Drawing, budget: int = 200) -> str:
    pictures = tuple(Picture.from_pixels(drawing.pixels) for drawing in renderings)
    said = ("Something.",) * len(pictures)
    view = DescriberView(
        len(pictures) + 1, "", Picture.from_pixels(target.pixels), pictures, said, said, said, budget, 0
    )
    return asyncio.run(CaptionerDescriber(PlayerSpec(player="captioner")).describe(view)).text


def scene(x: float = 90) -> Drawing:
    drawing = Drawing(512, 512)
    drawing.ellipse((x, 90), (85, 85), "#d62728")
    drawing.rectangle(240, 240, 280, 280, "#1f77b4")
    return drawing


def test_caption_has_kinds_places_and_no_measures() -> None:
    said = answer(scene())
    assert "A large red circle in the upper left." in said
    assert "A small blue square near the centre." in said
    assert not re.search(r"\d|#", said)


@pytest.mark.parametrize("budget", [10, 50, 200])
def test_budget_and_own_limit(budget: int) -> None:
    drawing = Drawing(512, 512)
    for number in range(12):
        drawing.ellipse((40 + 38 * number, 40 + 35 * number), (15, 15), f"#{20 * number:02x}40a0")
    said = answer(drawing, budget=budget).removeprefix("<DESCRIPTION>").removesuffix("</DESCRIPTION>")
    assert 0 < count_tokens(said) <= min(budget, 60)


def test_corrections_are_vague() -> None:
    assert answer(scene(), scene(x=300)) == "<DESCRIPTION>The red circle should be further left.</DESCRIPTION>"


def test_gives_up_by_the_third_turn() -> None:
    assert answer(scene(), scene(x=300), scene(x=310)) == "<DONE>"
    assert answer(scene(), scene()) == "<DONE>"
