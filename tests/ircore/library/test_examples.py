"""The examples of the library's docstrings run as they stand there, on the files that its first five lines make."""

import doctest
import inspect
import re
import shutil
import textwrap
from pathlib import Path

import pytest

import ircore
import ircore.library
from ircore.commands.main import run as ircore_command

FUNCTIONS = [name for name in ircore._HOMES if inspect.isfunction(getattr(ircore, name))]


INTRODUCTION = re.findall(r"\n\n((?: {4}.*\n|\n(?= {4}))+)", ircore.library.__doc__ or "")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the introduction's code and its command make; not to be changed."""
    folder = tmp_path_factory.mktemp("library")
    code, command = INTRODUCTION
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        exec(textwrap.dedent(code), {})
        assert ircore_command(command.split()[1:]) == 0
    return folder


def test_the_first_example_has_five_lines() -> None:
    assert len([line for line in INTRODUCTION[0].splitlines() if line.strip()]) == 5


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_example_of_a_call_is_true(name: str, made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(shutil.copytree(made, tmp_path / "copy"))
    (example,) = doctest.DocTestFinder(recurse=False).find(getattr(ircore, name), name, globs={"ircore": ircore})
    assert example.examples
    assert doctest.DocTestRunner().run(example).failed == 0


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_argument_of_a_call_is_described(name: str) -> None:
    function = getattr(ircore, name)
    _, _, after = inspect.cleandoc(function.__doc__).partition("Args:\n")
    described = re.findall(r"^    (\w+): ", after.partition("\n\n")[0], re.MULTILINE)
    assert described == list(inspect.signature(function).parameters)
