"""The hand-written pages: short, in the navigation, and the tutorials run as they stand."""

import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from ircore.commands.main import run as ircore

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
ROOMS = ("ircore", "leaderboard", "dataset_card")
TUTORIALS = ("model.md", "question.md", "maintain.md", "build-on.md")
"""The pages for each kind of reader, in the order in which their folders are made."""

GENERATED = {"library.md": "docs_library.py", "commands.md": "docs_commands.py", "columns.md": "docs_columns.py"}
"""Reference pages that scripts in ``benchmarks/`` write."""

LONGEST = 1200
"""Words of a page that is written by hand, code included."""


def test_every_page_is_short() -> None:
    words = {path.name: len(path.read_text("utf-8").split()) for path in DOCS.glob("*.md")}
    assert {name: count for name, count in words.items() if count > LONGEST and name not in GENERATED} == {}


def test_the_readme_is_read_in_a_few_minutes() -> None:
    assert len((ROOT / "README.md").read_text("utf-8").split()) <= 900


def test_every_page_stands_in_the_navigation_once() -> None:
    navigation = yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))["nav"]
    named = list(pages_of(navigation))
    assert len(named) == len(set(named))
    documents = navigation[-1]["Docs"]
    assert {path.name for path in DOCS.glob("*.md")} <= set(pages_of(documents))
    assert [title for section in documents for title in section] == ["Tutorials", "How-to", "Reference", "Explanation"]
    # With the tab of the other games, which the build adds.
    assert len(navigation) <= 6


def pages_of(entry: Any) -> Iterator[str]:
    """Pages of a navigation, or of a part of it."""
    if isinstance(entry, str):
        yield entry
    for part in entry.values() if isinstance(entry, dict) else entry if isinstance(entry, list) else ():
        yield from pages_of(part)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(GENERATED))
def test_a_reference_page_is_what_the_code_says(name: str) -> None:
    command = [sys.executable, str(ROOT / "benchmarks" / GENERATED[name])]
    environment = {**os.environ, "PYTHONUTF8": "1"}
    page = subprocess.run(command, capture_output=True, encoding="utf-8", check=True, env=environment).stdout
    renew = f"python benchmarks/{GENERATED[name]} > docs/{name}"
    assert (DOCS / name).read_text("utf-8") == page, f"Renew the page: {renew}"


def steps(page: str) -> list[str]:
    """The commands in blocks and the Python code of a page, in order."""
    blocks = re.findall(r"^    (ircore [^\n]+)$|^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    return [command or code for command, code in blocks]


@pytest.mark.slow
def test_the_tutorials_run_as_they_stand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One reader after another, in the same folder, offline."""
    monkeypatch.chdir(tmp_path)
    for name in TUTORIALS:
        for step in steps((DOCS / name).read_text("utf-8")):
            if step.startswith("ircore "):
                assert ircore(shlex.split(step)[1:]) == 0, f"{name}: {step}\n{capsys.readouterr().err}"
            else:
                exec(compile(step, name, "exec"), {})


def test_the_extras_that_pages_and_messages_name_can_be_installed() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    sources = [*DOCS.glob("*.md"), *(path for room in ROOMS for path in (ROOT / room).rglob("*.py"))]
    for path in sources:
        for names in re.findall(r"ircore\\?\[([a-z, ]+)\\?\]", path.read_text("utf-8")):
            assert {name.strip() for name in names.split(",")} <= extras.keys(), path
    page = (DOCS / "install.md").read_text("utf-8")
    assert all(f"`{extra}`" in page for extra in extras)


def test_the_changelog_has_a_line_for_each_change_under_the_heading_of_its_kind() -> None:
    changes = (ROOT / "CHANGELOG.md").read_text("utf-8").partition("## Unreleased\n")[2]
    lines = [line for line in changes.partition("\n## ")[0].splitlines() if line]
    assert [line for line in lines if line.startswith("#")] == ["### Added", "### Changed", "### Fixed", "### Security"]
    assert [line for line in lines if not line.startswith(("### ", "* "))] == []
    assert [line for line in lines if len(line) > 200] == []
