"""Corrections change what they name, and nothing else."""

import ast
import asyncio
from pathlib import Path

import numpy as np
import pytest

import ircore.players
from ircore.core.errors import InputError
from ircore.core.images import Picture, Pixels
from ircore.core.records import PlayerSpec
from ircore.players.base import Generator, GeneratorView
from ircore.players.builtin.canvas.generator import CanvasGenerator, SketchGenerator
from ircore.players.builtin.canvas.reader import read
from ircore.players.builtin.canvas.render import draw
from ircore.players.builtin.canvas.shapes import Blob, Item, Label, LineItem, PieItem

WHITE = (255, 255, 255)
SCENE = (
    "A red (#d62728) circle of radius 40 px centred at (120, 200). "
    "A blue rectangle 80 px wide and 60 px high centred at (300, 100). "
    "A green star of radius 20 px centred at (50, 60). "
    'The text "A" in black, 16 px high, centred at (100, 400). '
    "A 2 px black line from (200, 300) to (400, 300)."
)


def items(*messages: str) -> tuple[Item, ...]:
    canvas, notes = read(messages)
    assert notes == ()
    return canvas.items


def drawn(*messages: str) -> Pixels:
    return draw(read(messages)[0])


def only_changed(correction: str, index: int) -> Item:
    """Return the item that the correction changed, after checking that all others are as they were."""
    before, after = items(SCENE), items(SCENE, correction)
    assert len(before) == len(after)
    assert [k for k in range(len(before)) if before[k] != after[k]] == [index]
    return after[index]


def test_moving_leaves_every_other_pixel() -> None:
    before = drawn(SCENE)
    after = drawn(SCENE, "Move the red circle 100 px right and 10 px down.")
    assert tuple(after[210, 220]) == (0xD6, 0x27, 0x28)
    assert tuple(after[200, 120]) == WHITE
    outside = np.ones(before.shape[:2], bool)
    outside[160:240, 80:160] = False
    outside[170:250, 180:260] = False
    assert (before[outside] == after[outside]).all()


@pytest.mark.parametrize(
    ("correction", "centre"),
    [
        ("Move the red circle 40 px left and 10 px down.", (80, 210)),
        ("Move the red circle to (310, 120).", (310, 120)), ("Shift the circle up by 20 pixels.", (120, 180)),
        ("The red circle should be 15 px higher.", (120, 185)), ("The red circle is at (130, 210).", (130, 210)),
        ("Please move the disc at (120, 200) to the right by 10%.", (171.2, 200)),
        ("The circle should be centred at (25%, 50%).", (128, 256)), ("Raise the circle by 5 px.", (120, 195)),
        ("The circle is too far left.", (130, 200)), ("The red circle should be further up.", (120, 180)),
    ],
)  # fmt: skip
def test_places(correction: str, centre: tuple[float, float]) -> None:
    assert only_changed(correction, 0).centre == pytest.approx(centre)


@pytest.mark.parametrize(
    ("correction", "width", "height"),
    [
        ("Make the blue rectangle 90 px wide and 70 px high.", 90, 70),
        ("Make the blue rectangle 20% smaller.", 64, 48),
        ("Make the rectangle twice as large.", 160, 120),
        ("The blue rectangle should be 10 px wider.", 90, 60),
        ("Change the width of the blue rectangle to 100 px.", 100, 60),
        ("The height of the rectangle should be 30 px.", 80, 30),
        ("Double the size of the rectangle.", 160, 120),
        ("Make the rectangle half as tall.", 80, 30),
    ],
)
def test_sizes(correction: str, width: float, height: float) -> None:
    changed = only_changed(correction, 1)
    assert isinstance(changed, Blob)
    assert (changed.width, changed.height) == pytest.approx((width, height))
    assert changed.centre == (300, 100)


@pytest.mark.parametrize(
    ("correction", "index", "colour"),
    [
        ("Change the colour of the blue rectangle at (300, 100) to #3366cc.", 1, "#3366cc"),
        ("The circle should be orange, not red.", 0, "#ffa500"),
        ("Change the circle from red to purple.", 0, "#800080"),
        ("Make the star yellow instead of green.", 2, "#ffff00"),
        ("Recolor the line #ff0000.", 4, "#ff0000"),
        ('The text "A" should be dark blue.', 3, "#00008b"),
    ],
)
def test_colours(correction: str, index: int, colour: str) -> None:
    assert only_changed(correction, index).colour == colour


def test_background_instead_of_white() -> None:
    canvas, notes = read([SCENE, "The background should be #f4f1ea instead of white."])
    assert notes == ()
    assert canvas.background == "#f4f1ea"
    assert canvas.items == items(SCENE)


def test_rotation() -> None:
    changed = only_changed("Rotate the rectangle by 20 degrees clockwise.", 1)
    assert isinstance(changed, Blob)
    assert changed.rotation == 20
    back = only_changed("Rotate the rectangle 20 degrees counter-clockwise.", 1)
    assert isinstance(back, Blob)
    assert back.rotation == 340


def test_removing() -> None:
    before = items(SCENE)
    assert items(SCENE, "Remove the green star at (50, 60).") == before[:2] + before[3:]
    assert items(SCENE, 'Delete the text "A" and the line.') == before[:3]
    assert items(SCENE, "Remove the outline of the rectangle.") == before


def test_replacing_keeps_the_place_in_the_stack() -> None:
    after = items(SCENE, "Replace the red circle with a green square.")
    assert (after[0].kind, after[0].colour, after[0].centre) == ("square", "#008000", (120, 200))
    assert after[1:] == items(SCENE)[1:]
    line = items(SCENE, "Replace the line with a 3 px blue curve through (200, 300), (300, 250), (400, 300).")[4]
    assert isinstance(line, LineItem)
    assert (line.kind, line.stroke, len(line.points)) == ("curve", 3, 3)


def test_texts_and_lines() -> None:
    text = only_changed('Change the text "A" to "Bc".', 3)
    assert isinstance(text, Label)
    assert text.text == "Bc"
    dashed = only_changed("The line from (200, 300) to (400, 300) should be dashed.", 4)
    assert isinstance(dashed, LineItem)
    assert dashed.dash
    wide = only_changed("The line should be 4 px wide.", 4)
    assert isinstance(wide, LineItem)
    assert wide.stroke == 4


def test_outlines() -> None:
    for correction in ("Give the rectangle a 4 px red outline.", "Add a 4 px red outline to the rectangle."):
        changed = only_changed(correction, 1)
        assert isinstance(changed, Blob)
        assert (changed.fill, changed.outline, changed.stroke) == ("#0000ff", "#ff0000", 4)
    hollow = only_changed("The circle should not be filled.", 0)
    assert isinstance(hollow, Blob)
    assert (hollow.fill, hollow.outline) == (None, "#d62728")


def test_bars_reach_further() -> None:
    chart = "Bars standing on y 450: #1f77b4 from x 80 to 120 up to y 220; #ff7f0e from x 140 to 180 up to y 300."
    before, after = items(chart), items(chart, "Change the bar at (100, 300) to reach y 240.")
    assert after[1] == before[1]
    assert after[0].box == (80, 240, 120, 450)


def test_wedges_have_shares_of_their_own() -> None:
    chart = "A pie of radius 180 px centred at (256, 256): #d62728 25%, #1f77b4 30%, #2ca02c 45%."
    (pie,) = items(chart, "The wedge #d62728 should be 27%. The wedge #2ca02c should be 43%.")
    assert isinstance(pie, PieItem)
    assert [part.share for part in pie.slices] == [27, 30, 43]
    (recoloured,) = items(chart, "Change the colour of the blue wedge to #ff7f0e.")
    assert isinstance(recoloured, PieItem)
    assert [part.colour for part in recoloured.slices] == ["#d62728", "#ff7f0e", "#2ca02c"]


@pytest.mark.parametrize(
    ("reference", "index"),
    [
        ("the leftmost circle", 0), ("the circle on the right", 2), ("the largest circle", 1),
        ("the second circle", 1), ("the circle at (305, 98)", 2), ("the red circle near (210, 100)", 1),
        ("the red circle", 2), ("the blue one", 3), ("the smaller blue square", 3),
    ],
)  # fmt: skip
def test_references(reference: str, index: int) -> None:
    scene = (
        "A red circle of radius 20 px at (100, 100). A red circle of radius 30 px at (200, 100). "
        "A red circle of radius 20 px at (300, 100). A blue square of side 40 px at (200, 300)."
    )
    after = items(scene, f"Move {reference} 7 px down.")
    assert [k for k, (item, two) in enumerate(zip(items(scene), after, strict=True)) if item != two] == [index]


def test_it_is_what_was_spoken_of_last() -> None:
    after = items(SCENE, "Make the star orange. Move it 10 px right.")
    assert after[2].centre == (60, 60)


def test_what_is_not_there_is_noted() -> None:
    canvas, notes = read([SCENE, "Move the purple hexagon 10 px left. Make the circle larger."])
    assert notes == ('not understood: "Move the purple hexagon 10 px left"',)
    assert canvas.items[1:] == items(SCENE)[1:]


BLACK = (0, 0, 0)


def understood(*messages: str) -> Pixels:
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
    pixels = understood("The picture has a white background.")
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
    pixels = understood(sentence).astype(int)
    assert np.abs(pixels[first[1], first[0]] - (0xAA, 0xBB, 0xCC)).max() <= 1
    assert np.abs(pixels[last[1], last[0]] - (0x11, 0x22, 0x33)).max() <= 1


def test_dashed_line_has_gaps() -> None:
    pixels = understood("A 2 px grey dashed line from (40, 60) to (200, 60).")
    row = pixels[60, 40:200, 0]
    assert row.min() == 128
    assert row.max() == 255
    solid = understood("A 2 px grey line from (40, 60) to (200, 60).")
    assert set(solid[60, 41:199, 0]) == {128}
    assert set(solid[58, :, 0]) == {255}


def test_an_upright_line_of_one_pixel_is_sharp() -> None:
    pixels = understood("A 1 px black line from (40, 60) to (200, 60).")
    assert at(pixels, 100, 60) == BLACK
    assert at(pixels, 100, 59) == at(pixels, 100, 61) == WHITE


def test_text_height_is_that_of_its_ink() -> None:
    left, top, right, bottom = ink(understood('The text "A" in black, 16 px high, centred at (100, 200).'))
    assert abs((bottom - top) - 16) <= 1
    assert abs((left + right) / 2 - 100) <= 1
    assert abs((top + bottom) / 2 - 200) <= 1
    left, top, right, bottom = ink(understood('The text "Value" rotated 90 degrees centred at (100, 200).'))
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
    ticks = [item.points for item in canvas.items if isinstance(item, LineItem) and item.kind == "tick"]
    assert ticks == [((x, 450), (x, 456)) for x in (60, 120, 180)]
    labels = [(item.text, item.at, item.anchor) for item in canvas.items if isinstance(item, Label)]
    assert labels[:4] == [
        (text, (50, y), "rm") for text, y in zip(("0", "20", "40", "60"), (450, 350, 250, 150), strict=True)
    ]
    assert labels[4:] == [("A", (90, 465), "mm"), ("B", (150, 465), "mm")]


def test_standing_bars_go_on_after_a_semicolon() -> None:
    pixels = understood(
        "Bars standing on y 450: #1f77b4 from x 80 to 120 up to y 220; #ff7f0e from x 140 to 180 up to y 300."
    )
    assert at(pixels, 80, 220) == at(pixels, 119, 449) == (0x1F, 0x77, 0xB4)
    assert at(pixels, 140, 300) == at(pixels, 179, 449) == (0xFF, 0x7F, 0x0E)
    assert at(pixels, 130, 400) == at(pixels, 100, 219) == at(pixels, 100, 450) == WHITE


def test_bars_as_lists() -> None:
    pixels = understood("Blue bars 40 px wide standing on y 450 at x 100, 160 up to y 220, 300.")
    assert at(pixels, 81, 221) == at(pixels, 141, 301) == (0, 0, 255)
    assert at(pixels, 100, 219) == at(pixels, 160, 299) == at(pixels, 130, 440) == WHITE


def test_pie_runs_clockwise_from_the_top() -> None:
    pixels = understood(
        "A pie of radius 180 px centred at (256, 256), clockwise from 12 o'clock: "
        "#d62728 25%, #1f77b4 30%, #2ca02c 45%."
    )
    assert at(pixels, 350, 150) == (0xD6, 0x27, 0x28)
    assert at(pixels, 256, 400) == (0x1F, 0x77, 0xB4)
    assert at(pixels, 150, 150) == (0x2C, 0xA0, 0x2C)
    assert at(pixels, 256, 70) == WHITE


GENERATORS = (CanvasGenerator(PlayerSpec(player="canvas")), SketchGenerator(PlayerSpec(player="sketch")))


def view(*messages: str, previous: Picture | None = None, seed: int = 0) -> GeneratorView:
    return GeneratorView(len(messages), messages[-1], messages[:-1], previous, seed, "\n".join(messages))


def test_answers_with_a_picture_and_notes_on_the_last_message() -> None:
    answer = asyncio.run(
        GENERATORS[0].render(view("Blah blah. A red circle.", "Move the circle to (100, 100). Foo baz."))
    )
    assert (answer.picture.width, answer.picture.height) == (512, 512)
    assert tuple(answer.picture.pixels[100, 100]) == (255, 0, 0)
    assert answer.notes == ('not understood: "Foo baz"',)
    assert answer.usage.requests == 1


@pytest.mark.parametrize("generator", GENERATORS, ids=["canvas", "sketch"])
def test_the_picture_depends_on_the_messages_only(generator: Generator) -> None:
    messages = ("A red circle of radius 40 px at (120, 200). A pie: red 20%, blue 80%.", "Make the circle larger.")
    first = asyncio.run(generator.render(view(*messages)))
    other = asyncio.run(generator.render(view(*messages, previous=first.picture, seed=7)))
    assert first.picture.data == other.picture.data
    assert first.notes == other.notes


@pytest.mark.parametrize("kind", [CanvasGenerator, SketchGenerator])
@pytest.mark.parametrize(
    ("settings", "key"),
    [
        ({"parameters": {"size": 3}}, "parameters.size"),
        ({"model": "x"}, "model"),
        ({"api_key_env": "A_KEY"}, "api_key_env"),
    ],
)
def test_settings_are_refused(kind: type[Generator], settings: dict[str, object], key: str) -> None:
    with pytest.raises(InputError, match=key):
        kind(PlayerSpec.model_validate({"player": "canvas", **settings}))


@pytest.mark.slow
def test_too_much_to_draw_is_said() -> None:
    answer = asyncio.run(GENERATORS[0].render(view("A red circle of radius 300 px at (256, 256). " * 200)))
    assert answer.notes[0].startswith("only ")


def modules() -> list[Path]:
    return sorted(Path(ircore.players.__path__[0]).rglob("*.py"))


def imported(tree: ast.AST) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {node.module or ""} | {f"{node.module}.{alias.name}" for alias in node.names}
    return names


@pytest.mark.slow
def test_no_player_can_reach_scenes_or_runs() -> None:
    forbidden = (
        "ircore.instances", "ircore.runs.folder", "ircore.games", "ircore.core.records.Scene",
        "ircore.core.records.Instance",
    )  # fmt: skip
    # What reference describers are given beside the picture names a target; it plays nothing itself.
    for path in (path for path in modules() if path.stem != "informed_view"):
        names = imported(ast.parse(path.read_text("utf-8")))
        assert [name for name in names if name.startswith((*forbidden, "ircore.runs.session"))] == [], path


def generator_modules() -> list[Path]:
    return [path for path in modules() if path.parent.name == "canvas" or path.stem == "sketch"]


@pytest.mark.slow
def test_the_generators_read_no_files_and_ask_no_clock() -> None:
    machine = {"os", "io", "pathlib", "sys", "time", "datetime", "random", "socket", "subprocess", "importlib"}
    assert "reader.py" in {path.name for path in generator_modules()}
    for path in generator_modules():
        tree = ast.parse(path.read_text("utf-8"))
        nodes = list(ast.walk(tree))
        assert not {name.split(".")[0] for name in imported(tree)} & machine, path
        called = {node.func.id for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
        assert not called & {"open", "exec", "eval", "__import__"}, path
        methods = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
        assert not methods & {"read_text", "read_bytes", "open", "load"}, path
