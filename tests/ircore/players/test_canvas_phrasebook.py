"""The sentences that describers write, and the pixels that come out."""

import ast
import asyncio
import importlib.util
from pathlib import Path

import numpy as np
import pytest

import ircore.players
from ircore.core.errors import InputError
from ircore.core.images import Picture, Pixels
from ircore.core.records import PlayerSpec
from ircore.players.base import Generator, GeneratorView
from ircore.players.builtin.canvas.generator import CanvasGenerator
from ircore.players.builtin.canvas.reader import read
from ircore.players.builtin.canvas.render import draw
from ircore.players.builtin.canvas.shapes import Label, Stroke
from ircore.players.builtin.sketch import SketchGenerator

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


def test_no_player_can_reach_scenes_or_runs() -> None:
    forbidden = (
        "ircore.instances",
        "ircore.runs.folder",
        "ircore.games",
        "ircore.core.records.Scene",
        "ircore.core.records.Instance",
    )
    # What reference describers are given beside the picture names a target; it plays nothing itself.
    for path in (path for path in modules() if path.stem != "informed_view"):
        names = imported(ast.parse(path.read_text("utf-8")))
        assert [name for name in names if name.startswith((*forbidden, "ircore.players.informed_view"))] == [], path


def generator_modules() -> list[Path]:
    return [path for path in modules() if path.parent.name == "canvas" or path.stem == "sketch"]


def test_the_generators_read_no_files_and_ask_no_clock() -> None:
    machine = {"os", "io", "pathlib", "sys", "time", "datetime", "random", "socket", "subprocess", "importlib"}
    for path in generator_modules():
        tree = ast.parse(path.read_text("utf-8"))
        nodes = list(ast.walk(tree))
        assert not {name.split(".")[0] for name in imported(tree)} & machine, path
        called = {node.func.id for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
        assert not called & {"open", "exec", "eval", "__import__"}, path
        methods = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
        assert not methods & {"read_text", "read_bytes", "open", "load"}, path


def test_all_generator_modules_are_looked_at() -> None:
    spec = importlib.util.find_spec("ircore.players.builtin.canvas.reader")
    assert spec is not None
    assert Path(str(spec.origin)) in generator_modules()
