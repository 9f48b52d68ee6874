"""The examples of the library's docstrings run as they stand there, on the files that its first five lines make."""

import doctest
import inspect
import re
import shutil
from pathlib import Path

import pytest

import ircore
import ircore.library

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
