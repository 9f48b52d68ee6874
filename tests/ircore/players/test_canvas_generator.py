"""The generator as the game sees it: a view in, a picture out, nothing else."""

import ast
import asyncio
import importlib.util
from pathlib import Path

import pytest

import ircore.players
from ircore.core.errors import InputError
from ircore.core.images import Picture
from ircore.core.records import PlayerSpec
from ircore.players.base import Generator, GeneratorView
from ircore.players.builtin.canvas.generator import CanvasGenerator
from ircore.players.builtin.sketch import SketchGenerator

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


@pytest.mark.parametrize("path", modules(), ids=lambda path: path.stem)
def test_no_player_can_reach_scenes_or_runs(path: Path) -> None:
    names = imported(ast.parse(path.read_text("utf-8")))
    forbidden = (
        "ircore.instances",
        "ircore.runs.folder",
        "ircore.games",
        "ircore.core.records.Scene",
        "ircore.core.records.Instance",
    )
    assert not [name for name in names if name.startswith(forbidden)]


def generator_modules() -> list[Path]:
    return [path for path in modules() if path.parent.name == "canvas" or path.stem == "sketch"]


@pytest.mark.parametrize("path", generator_modules(), ids=lambda path: path.stem)
def test_the_generators_read_no_files_and_ask_no_clock(path: Path) -> None:
    tree = ast.parse(path.read_text("utf-8"))
    roots = {name.split(".")[0] for name in imported(tree)}
    assert not roots & {"os", "io", "pathlib", "sys", "time", "datetime", "random", "socket", "subprocess", "importlib"}
    called = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    assert not called & {"open", "exec", "eval", "__import__"}
    methods = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    assert not methods & {"read_text", "read_bytes", "open", "load"}


def test_all_generator_modules_are_looked_at() -> None:
    spec = importlib.util.find_spec("ircore.players.builtin.canvas.reader")
    assert spec is not None
    assert Path(str(spec.origin)) in generator_modules()
