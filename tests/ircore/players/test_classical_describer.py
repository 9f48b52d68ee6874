"""The classical describer's messages: within budget, on the point, and done when nothing is left to say."""

import asyncio
import itertools
import math

import numpy as np
import pytest
from scipy import ndimage
from skimage.measure import approximate_polygon

from ircore.core.drawing import Drawing, Point, arc_points
from ircore.core.images import Picture, Pixels
from ircore.core.records import PlayerSpec
from ircore.core.tokens import count_tokens, truncate_tokens
from ircore.instances.targets.categories import draw_target
from ircore.players.base import DescriberView, GeneratorView
from ircore.players.builtin.canvas.generator import CanvasGenerator
from ircore.players.builtin.canvas.reader import read
from ircore.players.builtin.canvas.shapes import Blob
from ircore.players.builtin.captioner import CaptionerDescriber
from ircore.players.builtin.classical.describer import ClassicalDescriber, write_brief_messages, write_first_message
from ircore.players.builtin.classical.outlines import approximate_path
from ircore.players.builtin.classical.perceive import perceive_picture, perceive_pixels
from ircore.seeing.arrays import add_direct_neighbours, dilate, erode, fill_holes, mark_uniform_pixels, remove_rim
from ircore.seeing.flat_colours import segment_colours
from ircore.seeing.percepts import Bars, Grid, Perception, Pie, Shape, Stroke, Ticks


def answer(target: Drawing, *renderings: Drawing, budget: int = 200, messages: tuple[str, ...] | None = None) -> str:
    pictures = tuple(Picture.from_pixels(drawing.pixels) for drawing in renderings)
    said = messages if messages is not None else ("Something.",) * len(pictures)
    seen, blank = Picture.from_pixels(target.pixels), ("",) * len(pictures)
    view = DescriberView(len(pictures) + 1, "", seen, pictures, said, said, blank, budget, 0)
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


@pytest.mark.slow
def test_first_message_says_background_then_objects() -> None:
    said = message(answer(scene()))
    assert said.index("#f4f1ea") < said.index("#d62728")
    assert "circle of radius 40 px centred at (120, 200)" in said
    assert "square of side 80 px centred at (340, 340)" in said


@pytest.mark.slow
@pytest.mark.parametrize("budget", [5, 10, 50, 200])
def test_budget_is_kept(budget: int) -> None:
    drawing = Drawing(512, 512)
    for row, column in itertools.product(range(5), range(5)):
        drawing.ellipse((60 + 95 * column, 60 + 95 * row), (20 + row, 20 + row), f"#{40 * row:02x}{50 * column:02x}80")
    said = message(answer(drawing, budget=budget))
    assert 0 < count_tokens(said) <= budget


@pytest.mark.slow
def test_ten_tokens_name_the_most_telling_thing() -> None:
    drawing = scene()
    drawing.rectangle(200, 20, 500, 250, "#2ca02c")
    assert "reen rectangle" in message(answer(drawing, budget=10))


@pytest.mark.slow
def test_no_difference_is_done() -> None:
    assert answer(scene(), scene()) == "<DONE>"


@pytest.mark.slow
def test_move_is_relational() -> None:
    said = message(answer(scene(x=120), scene(x=160)))
    assert said.startswith("Move the red (#d62728) circle at (160, 200) 40 px left")


@pytest.mark.slow
def test_size_colour_missing_and_extra_things() -> None:
    assert "smaller: radius 40 px" in message(answer(scene(), scene(radius=60)))
    assert "to #d62728" in message(answer(scene(), scene(colour="#8c564b")))
    assert "Add a #1f77b4 square" in message(answer(scene(), scene(square=False)))
    assert "Remove the blue (#1f77b4) square" in message(answer(scene(square=False), scene()))


@pytest.mark.slow
def test_said_twice_in_vain_is_left() -> None:
    said = message(answer(scene(), scene(square=False)))
    second, third = scene(square=False), scene(square=False)
    second.ellipse((5, 5), (1, 1), "#000000")
    assert answer(scene(), second, third, messages=(said, said)) == "<DONE>"


@pytest.mark.slow
def test_three_equal_renderings_are_the_end() -> None:
    assert answer(scene(), *[scene(square=False)] * 3) == "<DONE>"


@pytest.mark.slow
def test_playing_with_canvas_comes_close_and_ends() -> None:
    target = scene()
    for number in range(14):
        target.ellipse((40 + 33 * number, 450), (12, 12), f"#{15 * number:02x}6040", outline="#222222", width=2)
    pictures: list[Picture] = []
    said: list[str] = []
    describer = ClassicalDescriber(PlayerSpec(player="classical"))
    generator = CanvasGenerator(PlayerSpec(player="canvas"))
    picture = Picture.from_pixels(target.pixels)
    while len(said) < 6:
        seen = DescriberView(len(said) + 1, "", picture, tuple(pictures), tuple(said), (), (), 200, 0)
        text = asyncio.run(describer.describe(seen)).text
        if text == "<DONE>":
            break
        view = GeneratorView(len(said) + 1, message(text), tuple(said), pictures[-1] if pictures else None, 0, "")
        pictures.append(asyncio.run(generator.render(view)).picture)
        said.append(message(text))
    off = [float(np.abs(made.pixels.astype(float) - target.pixels).mean()) for made in pictures]
    assert 2 <= len(said) < 6
    assert off[-1] < off[0]
    assert off[-1] < 1


CATEGORIES = ("bar_graph", "functions", "geometry", "line_graph", "pie_graph", "simple_shapes")


@pytest.mark.slow
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


@pytest.mark.slow
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


def one(perception: Perception, kind: type, colour: str | None = None) -> object:
    matches = [p for p in perception.percepts if isinstance(p, kind) and colour in {None, getattr(p, "colour", None)}]
    assert len(matches) == 1, perception.percepts
    return matches[0]


def shape(drawing: Drawing, colour: str | None = None) -> Shape:
    each = one(perceive_pixels(drawing.pixels), Shape, colour)
    assert isinstance(each, Shape)
    return each


def stroke(drawing: Drawing, colour: str | None = None) -> Stroke:
    each = one(perceive_pixels(drawing.pixels), Stroke, colour)
    assert isinstance(each, Stroke)
    return each


def near(one_point: Point, other: Point, within: float = 1.0) -> bool:
    return math.dist(one_point, other) <= within


def test_flat_colours_are_exact_and_antialiasing_adds_none() -> None:
    drawing = Drawing(200, 200, "#f4f1ea")
    drawing.ellipse((100, 100), (60, 40), "#d62728", rotation=20)
    segmentation = segment_colours(drawing.pixels)
    assert [segmentation.hex(label) for label in range(len(segmentation.colours))] == ["#f4f1ea", "#d62728"]


def test_background_that_fades_is_seen_as_one() -> None:
    rows = np.linspace([170, 187, 204], [17, 34, 51], 240)
    pixels = np.repeat(rows[:, None, :], 240, axis=1).round().astype(np.uint8)
    pixels[80:160, 60:180] = (255, 0, 0)
    perception = perceive_pixels(pixels)
    assert perception.backdrop.last is not None
    assert [p.kind for p in perception.percepts if isinstance(p, Shape)] == ["rectangle"]


@pytest.mark.parametrize(("centre", "radius"), [((120, 200), 40), ((250.5, 61.25), 33.5), ((300, 300), 9)])
def test_circle(centre: Point, radius: float) -> None:
    drawing = Drawing(512, 512)
    drawing.ellipse(centre, (radius, radius), "#d62728")
    seen = shape(drawing)
    assert (seen.kind, seen.colour) == ("circle", "#d62728")
    assert near(seen.centre, centre)
    assert abs(seen.size[0] - 2 * radius) <= 2


@pytest.mark.parametrize("rotation", [0, 15, 40])
def test_rectangle(rotation: float) -> None:
    drawing = Drawing(512, 512, "#202040")
    turn = math.radians(rotation)
    corners = [
        (250 + x * math.cos(turn) - y * math.sin(turn), 200 + x * math.sin(turn) + y * math.cos(turn))
        for x, y in ((-60, -35), (60, -35), (60, 35), (-60, 35))
    ]
    drawing.polygon(corners, "#ffcc00")
    seen = shape(drawing)
    assert (seen.kind, seen.colour) == ("rectangle", "#ffcc00")
    assert near(seen.centre, (250, 200))
    assert seen.size == pytest.approx((120, 70), abs=2)
    assert abs(seen.rotation - rotation) <= 2


def test_outline_is_seen_with_colour_and_width() -> None:
    drawing = Drawing(512, 512)
    drawing.rectangle(260, 70, 340, 130, "#1f77b4", outline="#000000", width=3)
    seen = shape(drawing)
    assert seen.outline == ("#000000", 3.0)
    assert seen.size == pytest.approx((80, 60), abs=2)


def test_corners_of_triangle_star_and_hexagon() -> None:
    drawing = Drawing(512, 512)
    triangle = [(300.0, 300.0), (400.0, 320.0), (330.0, 420.0)]
    drawing.polygon(triangle, "#2ca02c")
    star = [
        (100 + r * math.sin(i * math.pi / 5), 400 - r * math.cos(i * math.pi / 5))
        for i in range(10)
        for r in [40 if i % 2 == 0 else 17]
    ]
    drawing.polygon(star, "#ffbf00")
    hexagon = [(120 + 50 * math.sin(i * math.pi / 3), 120 - 50 * math.cos(i * math.pi / 3)) for i in range(6)]
    drawing.polygon(hexagon, "#7b2cbf")
    seen = {p.colour: p for p in perceive_pixels(drawing.pixels).percepts if isinstance(p, Shape)}
    assert {colour: p.kind for colour, p in seen.items()} == {
        "#2ca02c": "triangle", "#ffbf00": "star", "#7b2cbf": "regular",
    }  # fmt: skip
    for colour, corners in (("#2ca02c", triangle), ("#7b2cbf", hexagon)):
        for corner in corners:
            assert min(math.dist(corner, other) for other in seen[colour].corners) <= 1.5
    assert near(seen["#ffbf00"].centre, (100, 400))


def test_circle_behind_another_is_completed() -> None:
    drawing = Drawing(512, 512)
    drawing.ellipse((200, 200), (80, 80), "#d62728")
    drawing.ellipse((270, 240), (60, 60), "#1f77b4")
    seen = shape(drawing, "#d62728")
    assert seen.kind == "circle"
    assert near(seen.centre, (200, 200))


@pytest.mark.slow
def test_pie_shares_start_and_radius() -> None:
    drawing, at = Drawing(512, 512), 20.0
    shares = (("#d62728", 0.25), ("#1f77b4", 0.3), ("#2ca02c", 0.05), ("#ff7f0e", 0.4))
    for colour, share in shares:
        drawing.wedge((256, 250), 180, at - 90, at - 90 + 360 * share, colour, outline="#ffffff", width=2)
        at += 360 * share
    pie = one(perceive_pixels(drawing.pixels), Pie)
    assert isinstance(pie, Pie)
    assert near(pie.centre, (256, 250))
    assert abs(pie.radius - 180) <= 2
    assert abs(pie.start - 20) <= 1
    assert dict(pie.wedges) == pytest.approx(dict(shares), abs=0.005)


@pytest.mark.slow
def test_an_octagon_with_a_marked_angle_is_no_pie() -> None:
    drawing = Drawing(512, 512)
    corners = [
        (256 + 180 * math.cos(math.radians(at)), 256 + 180 * math.sin(math.radians(at))) for at in range(0, 360, 45)
    ]
    drawing.polygon(corners, "#fde0e0", "#3b2a20", 3)
    for corner in corners[:2]:
        drawing.line([(256, 256), corner], "#c62828", 3)
    drawing.line(arc_points((256, 256), (60, 60), 0, 45), "#c62828", 3)
    assert not any(isinstance(percept, Pie) for percept in perceive_pixels(drawing.pixels).percepts)


def test_bars_axes_ticks_and_grid() -> None:
    drawing = Drawing(512, 512)
    for y in (100.5, 200.5, 300.5):
        drawing.line([(60, y), (480, y)], "#dddddd", 1)
    tips = (120, 220, 180, 333)
    for number, tip in enumerate(tips):
        drawing.rectangle(80 + 90 * number, tip, 140 + 90 * number, 450, "#1f77b4")
    drawing.line([(60, 450), (480, 450)], "#000000", 2)
    drawing.line([(60, 40), (60, 450)], "#000000", 2)
    for number in range(4):
        drawing.line([(110 + 90 * number, 450), (110 + 90 * number, 456)], "#000000", 2)
    perception = perceive_pixels(drawing.pixels)
    bars, grid, ticks = one(perception, Bars), one(perception, Grid), one(perception, Ticks)
    assert isinstance(bars, Bars)
    assert isinstance(grid, Grid)
    assert isinstance(ticks, Ticks)
    assert {bar.start: bar.tip for bar in bars.bars} == pytest.approx(dict(zip((80, 170, 260, 350), tips, strict=True)))
    assert (grid.colour, grid.width) == ("#dddddd", 1.0)
    assert grid.at == pytest.approx((100.5, 200.5, 300.5), abs=0.5)
    assert ticks.at == pytest.approx((110, 200, 290, 380), abs=1)
    axes = {p.role: p.points for p in perception.percepts if isinstance(p, Stroke)}
    assert set(axes) == {"x axis", "y axis"}
    assert near(axes["x axis"][0], (60, 450), 2)
    assert near(axes["x axis"][1], (480, 450), 2)


@pytest.mark.parametrize(("start", "end"), [((50, 50), (200, 90)), ((400, 60), (300, 420)), ((30, 300), (480, 300))])
@pytest.mark.parametrize("dash", [(), (8, 5)])
def test_line_ends_within_two_pixels(start: Point, end: Point, dash: tuple[float, ...]) -> None:
    drawing = Drawing(512, 512)
    drawing.line([start, end], "#d62728", 2, dash=dash)
    seen = stroke(drawing)
    assert seen.colour == "#d62728"
    assert (seen.dash == "solid") == (not dash)
    reach = 2.0 if not dash else 7.0  # the last dash may end anywhere within one period
    assert min(math.dist(start, point) for point in seen.points) <= reach
    assert min(math.dist(end, point) for point in seen.points) <= reach


@pytest.mark.slow
def test_curve_points_lie_on_the_curve() -> None:
    drawing = Drawing(512, 512)
    xs = np.linspace(30, 480, 300)
    drawing.line([(x, 256 - 80 * math.sin((x - 256) / 50)) for x in xs], "#d62728", 3)
    seen = stroke(drawing)
    assert len(seen.points) <= 22
    for x, y in seen.points:
        assert (
            min(math.hypot(x - t, y - 256 + 80 * math.sin((t - 256) / 50)) for t in np.arange(x - 5, x + 5, 0.2)) <= 2
        )


def test_photograph_becomes_patches() -> None:
    rng = np.random.default_rng(1)
    pixels = rng.integers(0, 40, (300, 400, 3)).astype(np.uint8)
    pixels[100:220, 80:200] += np.uint8(180)
    perception = perceive_pixels(pixels)
    assert perception.photo
    seen = [p for p in perception.percepts if isinstance(p, Shape)]
    assert any(near(p.centre, (140, 160), 25) for p in seen)


SQUARE = np.ones((3, 3), bool)


@pytest.fixture(params=range(6))
def mask(request: pytest.FixtureRequest) -> np.ndarray:
    rng = np.random.default_rng(request.param)
    high, wide = rng.integers(1, 40, 2)
    return np.asarray(ndimage.binary_dilation(rng.random((high, wide)) < 0.06, iterations=2))


def test_grown_and_shrunk_by_a_square(mask: np.ndarray) -> None:
    for reach in (1, 2, 3, 5):
        assert (dilate(mask, reach) == ndimage.binary_dilation(mask, SQUARE, reach)).all()
        assert (erode(mask, reach) == ndimage.binary_erosion(mask, SQUARE, reach)).all()


def test_grown_and_shrunk_by_an_oblong(mask: np.ndarray) -> None:
    oblong = np.ones((5, 3), bool)
    assert (dilate(mask, 2, 1) == ndimage.binary_dilation(mask, oblong)).all()
    assert (erode(mask, 2, 1) == ndimage.binary_erosion(mask, oblong)).all()


def test_the_four_sides_and_holes(mask: np.ndarray) -> None:
    assert (add_direct_neighbours(mask) == ndimage.binary_dilation(mask)).all()
    assert (remove_rim(mask) == ndimage.binary_erosion(mask)).all()
    assert (fill_holes(mask) == ndimage.binary_fill_holes(mask)).all()


def test_uniform_squares(mask: np.ndarray) -> None:
    numbers = mask + 2 * np.roll(mask, 3)
    same = ndimage.minimum_filter(numbers, 3) == ndimage.maximum_filter(numbers, 3)
    assert (mark_uniform_pixels(numbers) == same).all()


def test_a_path_keeps_the_corners_that_douglas_and_peucker_keep() -> None:
    rng = np.random.default_rng(3)
    for tolerance in (0.5, 1.5, 4.0):
        path = np.column_stack([np.arange(80.0), rng.normal(0, 2, 80).cumsum()])
        wanted = approximate_polygon(path, tolerance)  # type: ignore[no-untyped-call]
        assert (approximate_path(path, tolerance) == wanted).all()
    ring = np.array([(0, 0), (5, 0.2), (10, 0), (10, 10), (0, 10), (0, 0)], float)
    assert approximate_path(ring, 1).tolist() == [[0, 0], [10, 0], [10, 10], [0, 10], [0, 0]]


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


def scene_of(factor: int = 1, x: int = 120) -> Pixels:
    drawing = Drawing(256, 256, "#f4f1ea")
    drawing.ellipse((x, 100), (40, 40), "#d62728")
    drawing.rectangle(150, 150, 190, 190, "#1f77b4")
    return drawing.pixels.repeat(factor, axis=0).repeat(factor, axis=1)


ODD = {
    "one pixel": ramp(1, 1), "two pixels": ramp(1, 2), "a row": ramp(1, 300), "a column of two": noise(300, 2, 2),
    "a sliver": checks(4, 4096, 3), "a column": ramp(4096, 16), "white": np.full((64, 64, 3), 255, np.uint8),
    "noise": noise(96, 96), "noise of few colours": noise(96, 96, 2), "small checks": checks(90, 90, 1),
    "checks": checks(96, 96, 6), "drawn": scene_of(),
}  # fmt: skip


def answer_of(describer: Describer, target: Pixels, *renderings: Pixels) -> str:
    pictures, said = tuple(map(Picture.from_pixels, renderings)), ("Something.",) * len(renderings)
    view = DescriberView(len(pictures) + 1, "", Picture.from_pixels(target), pictures, said, said, said, 200, 0)
    return asyncio.run(describer.describe(view)).text


@pytest.mark.slow
@pytest.mark.parametrize("describer", DESCRIBERS)
@pytest.mark.parametrize("name", ODD)
@pytest.mark.filterwarnings("error")
def test_any_picture_is_answered(name: str, describer: Describer) -> None:
    for text in (
        answer_of(describer, ODD[name]),
        answer_of(describer, scene_of(), ODD[name]),
        answer_of(describer, ODD[name], scene_of()),
    ):
        assert text == "<DONE>" or text.startswith("<DESCRIPTION>")


@pytest.mark.slow
@pytest.mark.parametrize("factor", [2, 3])
@pytest.mark.parametrize("describer", DESCRIBERS)
def test_a_rendering_of_another_size_is_seen_in_that_of_the_target(describer: Describer, factor: int) -> None:
    assert answer_of(describer, scene_of(), scene_of(factor)) == "<DONE>"
    assert answer_of(describer, scene_of(), scene_of(factor, x=60)) == answer_of(describer, scene_of(), scene_of(x=60))
