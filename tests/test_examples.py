"""The examples in docstrings run as they stand there, beside the files that the library's introduction makes."""

import doctest
import importlib
import re
import shutil
import traceback
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("ircore", "leaderboard", "dataset_card")
LIBRARY = "ircore.library"  # its examples share files: tests/ircore/library/test_library.py runs them


NAMES_FILES = re.compile(r'^ +(>>>|\.\.\.) .*"(targets|run|release)["/]', re.MULTILINE)
"""An example that reads the files of the introduction; copying them takes longer than most examples."""


def _path_of(module: str) -> Path:
    path = ROOT.joinpath(*module.split("."))
    # A folder that is none any more may be left with its compiled modules.
    package = path / "__init__.py"
    return package if package.is_file() else path.with_suffix(".py")


def _modules_with_examples() -> list[str]:
    paths = (path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
    names = sorted(
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for path in paths
        if ">>> " in path.read_text(encoding="utf-8") and "plugin_templates" not in path.parts
    )
    return [name for name in names if not name.startswith(LIBRARY)]


def _needs_files(module: str) -> bool:
    return NAMES_FILES.search(_path_of(module).read_text(encoding="utf-8")) is not None


@pytest.mark.slow
@pytest.mark.parametrize("name", _modules_with_examples())
def test_the_examples_of_a_module_are_true(
    name: str, request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    if _needs_files(name):
        shutil.copytree(request.getfixturevalue("example_files"), tmp_path, dirs_exist_ok=True)
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as missing:
        if (missing.name or "").split(".")[0] in PACKAGES:
            raise
        pytest.skip(f"needs {missing.name}, which an extra brings")
    # The first versions of Python 3.11 compare the last line alone, which is a note of the error.
    formatted = traceback.format_exception_only
    monkeypatch.setattr(traceback, "format_exception_only", lambda *error: ["".join(formatted(*error))])
    examples = doctest.testmod(module)
    assert examples.attempted > 0
    assert examples.failed == 0
