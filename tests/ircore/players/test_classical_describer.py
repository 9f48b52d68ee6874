"""The classical describer's messages: within budget, on the point, and done when nothing is left to say."""

import asyncio
import itertools

import numpy as np
import pytest

from ircore.core.drawing import Drawing
from ircore.core.images import Picture
from ircore.core.records import PlayerSpec
from ircore.core.tokens import count_tokens, truncate_tokens
from ircore.instances.targets.categories import draw_target
from ircore.players.base import DescriberView, GeneratorView
from ircore.players.builtin.canvas.generator import CanvasGenerator
from ircore.players.builtin.canvas.reader import read
from ircore.players.builtin.canvas.shapes import Blob
from ircore.players.builtin.classical.describer import ClassicalDescriber, write_brief_messages, write_first_message
from ircore.players.builtin.classical.perceive import perceive_picture

pytestmark = pytest.mark.slow


def answer(target: Drawing, *renderings: Drawing, budget: int = 200, messages: tuple[str, ...] | None = None) -> str:
    pictures = tuple(Picture.from_pixels(drawing.pixels) for drawing in renderings)
    said = messages if messages is not None else ("Something.",) * len(pictures)
    view = DescriberView(
        len(pictures) + 1,
        "",
        Picture.from_pixels(target.pixels),
        pictures,
        said,
        said,
        ("",) * len(pictures),
        budget,
        0,
    )
    describer = ClassicalDescriber(PlayerSpec(player="classical"))
    return asyncio.run(describer.describe(view)).text


def message(text: str) -> str:
    assert text.startswith("<DESCRIPTION>")
    assert text.endswith("</DESCRIPTION>")
    return text.removeprefix("<DESCRIPTION>").removesuffix("</DESCRIPTION>")


def scene(x: float = 120, radius: float = 40, colour: str = "#d62728", square: bool = True) -> Drawing:
    drawing = Drawing(512, 512, "#f4f1ea")
    drawing.ellipse((x, 200), (radius, radius), colour)
    if square:
        drawing.rectangle(300, 300, 380, 380, "#1f77b4")
    return drawing


def test_first_message_says_background_then_objects() -> None:
    said = message(answer(scene()))
    assert said.index("#f4f1ea") < said.index("#d62728")
    assert "circle of radius 40 px centred at (120, 200)" in said
    assert "square of side 80 px centred at (340, 340)" in said


@pytest.mark.parametrize("budget", [5, 10, 50, 200])
def test_budget_is_kept(budget: int) -> None:
    drawing = Drawing(512, 512)
    for row, column in itertools.product(range(5), range(5)):
        drawing.ellipse((60 + 95 * column, 60 + 95 * row), (20 + row, 20 + row), f"#{40 * row:02x}{50 * column:02x}80")
    said = message(answer(drawing, budget=budget))
    assert 0 < count_tokens(said) <= budget


def test_ten_tokens_name_the_most_telling_thing() -> None:
    drawing = scene()
    drawing.rectangle(200, 20, 500, 250, "#2ca02c")
    assert "reen rectangle" in message(answer(drawing, budget=10))


def test_no_difference_is_done() -> None:
    assert answer(scene(), scene()) == "<DONE>"


def test_move_is_relational() -> None:
    said = message(answer(scene(x=120), scene(x=160)))
    assert said.startswith("Move the red (#d62728) circle at (160, 200) 40 px left")


def test_size_colour_missing_and_extra_things() -> None:
    assert "smaller: radius 40 px" in message(answer(scene(), scene(radius=60)))
    assert "to #d62728" in message(answer(scene(), scene(colour="#8c564b")))
    assert "Add a #1f77b4 square" in message(answer(scene(), scene(square=False)))
    assert "Remove the blue (#1f77b4) square" in message(answer(scene(square=False), scene()))


def test_said_twice_in_vain_is_left() -> None:
    said = message(answer(scene(), scene(square=False)))
    second, third = scene(square=False), scene(square=False)
    second.ellipse((5, 5), (1, 1), "#000000")
    assert answer(scene(), second, third, messages=(said, said)) == "<DONE>"


def test_three_equal_renderings_are_the_end() -> None:
    assert answer(scene(), *[scene(square=False)] * 3) == "<DONE>"


def test_playing_with_canvas_comes_close_and_ends() -> None:
    target = scene()
    for number in range(14):
        target.ellipse((40 + 33 * number, 450), (12, 12), f"#{15 * number:02x}6040", outline="#222222", width=2)
    pictures: list[Picture] = []
    said: list[str] = []
    describer, generator = (
        ClassicalDescriber(PlayerSpec(player="classical")),
        CanvasGenerator(PlayerSpec(player="canvas")),
    )
    picture = Picture.from_pixels(target.pixels)
    while len(said) < 6:
        seen = DescriberView(len(said) + 1, "", picture, tuple(pictures), tuple(said), (), (), 200, 0)
        text = asyncio.run(describer.describe(seen)).text
        if text == "<DONE>":
            break
        view = GeneratorView(
            turn=len(said) + 1,
            prompt="",
            message=message(text),
            earlier=tuple(said),
            previous=pictures[-1] if pictures else None,
            seed=0,
        )
        pictures.append(asyncio.run(generator.render(view)).picture)
        said.append(message(text))
    off = [float(np.abs(made.pixels.astype(float) - target.pixels).mean()) for made in pictures]
    assert 2 <= len(said) < 6
    assert off[-1] < off[0]
    assert off[-1] < 1


CATEGORIES = ("bar_graph", "functions", "geometry", "line_graph", "pie_graph", "simple_shapes")


@pytest.mark.parametrize("category", CATEGORIES)
@pytest.mark.parametrize("budget", [10, 20])
def test_brief_messages_keep_the_budget_and_are_understood(category: str, budget: int) -> None:
    target = perceive_picture(Picture.from_pixels(draw_target(category, "hard", 31).drawing.pixels))
    messages = write_brief_messages(target, budget)
    assert messages
    assert len(messages) == len(set(messages))
    assert max(map(count_tokens, messages)) <= budget
    for place in range(1, min(10, len(messages)) + 1):
        _, notes = read(messages[:place])
        assert notes == (), messages[place - 1]


def test_ten_brief_messages_say_more_than_a_long_one_cut_off() -> None:
    """A circle, a square and the background: each is told whole; ten tokens of a long message tell the ground alone."""
    target = perceive_picture(Picture.from_pixels(scene().pixels))
    canvas, _ = read(write_brief_messages(target, 10))
    assert canvas.background == "#f4f1ea"
    circle, square = (item for item in canvas.items if isinstance(item, Blob))
    if circle.kind != "circle":
        circle, square = square, circle
    assert (circle.kind, circle.centre, circle.width) == ("circle", (120, 200), 80)
    assert (square.kind, square.centre, square.width) == ("square", (340, 340), 80)
    assert (circle.fill, square.fill) == ("#d62728", "#1f77b4")
    cut, _ = read([truncate_tokens(write_first_message(target, 200), 10)] * 10)
    assert cut.items == ()
