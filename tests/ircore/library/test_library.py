"""What ``import ircore`` offers beyond the examples of its docstrings: notebooks, several runs, what goes wrong."""

import ast
import asyncio
import doctest
import inspect
import re
import shutil
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import pytest
from PIL import Image
from samples import sample_instances, sample_run, sample_submission

import ircore
import ircore.library
from ircore.core import workers as workers_module
from ircore.instances.store import InstanceSet
from ircore.scorers import game_measures

LOOKER = Path(__file__).parents[3] / "submissions" / "looker"


def test_importing_the_library_imports_nothing_heavy() -> None:
    """Not even when its names are listed, as a notebook does to complete them."""
    code = "import ircore, sys; assert 'play' in dir(ircore); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"numpy", "pandas", "pydantic", "click", "ircore.library"} & set(done.stdout.split())


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'plya'"):
        ircore.plya  # noqa: B018 - looking it up is the test


def test_play_works_where_an_event_loop_runs_already(tmp_path: Path, instances: InstanceSet) -> None:
    """As in a notebook, whose cells are run by the loop of its kernel."""

    async def cell() -> int:
        run = ircore.play("captioner+sketch", instances.folder, tmp_path / "run", limit=1)
        return len(run.episodes())

    assert asyncio.run(cell()) == 1


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_another_games_run_is_measured_by_as_many_processes_as_are_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workers: int
) -> None:
    counts = []

    def in_order(work: Callable[[Any], Any], parts: Sequence[Any], count: int) -> Iterator[Any]:
        counts.append(count)
        return map(work, parts)

    few = tmp_path / "set"
    ircore.build_instances(few, game="reference", per_condition=1, categories=["lineup"], difficulties=["easy"])
    run = ircore.play(LOOKER, few, tmp_path / "run")
    # As if the game had measures of pictures, which are worth a process.
    monkeypatch.setattr(game_measures, "needs_pictures", lambda _: True)
    monkeypatch.setattr(workers_module, "map_in_order", in_order)
    assert ircore.score(run, workers=workers) > 0
    assert counts == [workers]


@pytest.mark.slow
def test_runs_are_taken_by_path_by_folder_and_as_results(tmp_path: Path) -> None:
    targets = sample_instances(tmp_path / "instances")
    runs = [sample_run(tmp_path / slug, targets, sample_submission(slug, slug)) for slug in ("first", "second")]
    assert ircore.score(*runs) > 0
    results = ircore.load_results(*runs)
    by_path = ircore.board([tmp_path / "first", str(tmp_path / "second")])
    boards = [by_path, ircore.board(runs), ircore.board(results)]
    assert [sorted(board["submission"]) for board in boards] == [["first", "second"]] * 3
    assert boards[0].equals(boards[1])
    assert boards[0].equals(boards[2])
    with pytest.raises(ircore.InputError, match="unknown table 'bord'"):
        ircore.table(results, "bord")
    with pytest.raises(ircore.InputError, match="game 'reasoning': these are results of reconstruction"):
        ircore.board(runs, game="reasoning")


def test_pictures_are_compared_as_published_or_as_a_viewer_shows_them(tmp_path: Path) -> None:
    """A picture whose black pixels are all transparent is black as stored, and white to a viewer."""
    clear, white = Image.new("RGBA", (16, 16), (0, 0, 0, 0)), Image.new("RGB", (16, 16), "white")
    clear.save(tmp_path / "clear.png")
    for picture in (clear, tmp_path / "clear.png", str(tmp_path / "clear.png")):
        assert ircore.compare(white, picture, ["psnr"])["psnr"].value == 0  # 255 of 255 off
        viewed = ircore.compare(white, picture, ["psnr"], loading="native")["psnr"]
        assert (viewed.value, bool(viewed.reason)) == (None, True)  # nothing is off: infinite, so no value


@pytest.mark.parametrize(
    ("call", "problem", "remedy"),
    [
        (lambda: ircore.play("classical+canvass", "set", "run"), "unknown built-in pair", "classical+canvas"),
        (lambda: ircore.load_results("nowhere"), "nowhere: no such folder", "ORG/NAME"),
        (lambda: ircore.compare("a.png", "b.png", ["simm"]), "unknown metric 'simm'", "ssim"),
        (lambda: ircore.compare("a.png", "b.png", loading=cast(Any, "raw")), "unknown loading 'raw'", "upstream"),
        (lambda: ircore.compare("a.png", "b.png"), "a.png: cannot be read", "Check the path"),
        (lambda: ircore.load_table("nowhere", "turns"), "nowhere: no such folder", "ORG/NAME"),
        (lambda: ircore.verify("nowhere", share=0), "share 0: must be above 0", "0.25"),
        (lambda: ircore.load_results(), "no run", ""),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_a_mistake_says_what_and_what_to_do(
    call: "object", problem: str, remedy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert callable(call)
    with pytest.raises(ircore.InputError) as caught:
        call()
    assert problem in caught.value.problem
    # What a notebook shows.
    assert remedy in "".join(traceback.format_exception(caught.value))


def test_every_public_name_has_its_type() -> None:
    """What type checkers and editors read in ``ircore/__init__.py`` is what is imported at run time."""
    source = Path(ircore.__file__).read_text(encoding="utf-8")
    typed = {
        alias.asname: node.module
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("ircore.")
        for alias in node.names
    }
    assert typed == ircore._HOMES


FUNCTIONS = [name for name in ircore._HOMES if inspect.isfunction(getattr(ircore, name))]


INTRODUCTION = re.findall(r"\n\n((?: {4}.*\n|\n(?= {4}))+)", ircore.library.__doc__ or "")


def test_the_first_example_has_five_lines() -> None:
    assert len([line for line in INTRODUCTION[0].splitlines() if line.strip()]) == 5


@pytest.mark.slow
@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_example_of_a_call_is_true(
    name: str, example_files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(shutil.copytree(example_files, tmp_path / "copy"))
    (example,) = doctest.DocTestFinder(recurse=False).find(getattr(ircore, name), name, globs={"ircore": ircore})
    assert example.examples
    assert doctest.DocTestRunner().run(example).failed == 0


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_argument_of_a_call_is_described(name: str) -> None:
    function = getattr(ircore, name)
    _, _, after = inspect.cleandoc(function.__doc__).partition("Args:\n")
    described = re.findall(r"^    (\w+): ", after.partition("\n\n")[0], re.MULTILINE)
    assert described == list(inspect.signature(function).parameters)
