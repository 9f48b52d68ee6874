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
from ircore.submissions.services import link_hosts

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


def test_the_page_on_measures_names_every_feature_that_is_asked_for() -> None:
    asked = {
        feature
        for room in ROOMS
        for path in (ROOT / room).rglob("*.py")
        for feature in re.findall(r'require_support\("([a-z _]+)"', path.read_text("utf-8"))
    } - {"clembench export", "export to inspect_ai"}  # of what two commands write of reconstruction alone
    page = (ROOT / "docs" / "game-measures.md").read_text("utf-8")
    (row,) = (line for line in page.splitlines() if line.startswith("| `supports`"))
    assert asked <= set(re.findall("`([^`]+)`", row))


def test_the_changelog_has_a_line_for_each_change_under_the_heading_of_its_kind() -> None:
    changes = (ROOT / "CHANGELOG.md").read_text("utf-8").partition("## Unreleased\n")[2]
    lines = [line for line in changes.partition("\n## ")[0].splitlines() if line]
    assert [line for line in lines if line.startswith("#")] == ["### Added", "### Changed", "### Fixed", "### Security"]
    assert [line for line in lines if not line.startswith(("### ", "* "))] == []
    assert [line for line in lines if len(line) > 200] == []


GITHUB = ROOT / ".github"
FORMS = sorted(path for path in (GITHUB / "ISSUE_TEMPLATE").glob("*.yml") if path.name != "config.yml")
LABELS = {entry["name"] for entry in yaml.safe_load((GITHUB / "labels.yml").read_text())}
FIELDS = {"markdown", "input", "textarea", "dropdown", "checkboxes"}


def read(path: Path) -> dict[str, Any]:
    result: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return result


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_a_form_is_as_the_service_takes_it(path: Path) -> None:
    form = read(path)
    assert form["name"]
    assert form["description"]
    assert set(form["labels"]) <= LABELS
    asked = [part for part in form["body"] if part["type"] != "markdown"]
    assert {part["type"] for part in form["body"]} <= FIELDS
    assert len({part["id"] for part in asked}) == len(asked) == len({part["attributes"]["label"] for part in asked})
    assert all(re.fullmatch(r"[A-Za-z0-9_-]+", part["id"]) for part in asked)
    assert all(part["attributes"]["options"] for part in asked if part["type"] in ("dropdown", "checkboxes"))
    assert any(part.get("validations", {}).get("required") for part in asked)


def test_the_instructions_list_every_host_and_every_key() -> None:
    from ircore.core.records import PlayerSpec
    from ircore.core.submission_records import Submission

    pages = ("submit.md", "who-plays.md", "submission-checks.md")
    page = "\n".join((ROOT / "docs" / name).read_text(encoding="utf-8") for name in pages)
    services = yaml.safe_load((ROOT / "ircore" / "submissions" / "addresses.yaml").read_text())["services"]
    assert [key for key in services.values() if key.removesuffix("_API_KEY").lower() not in page.lower()] == []
    for host in link_hosts():
        assert f"{'*' if host.startswith('.') else ''}{host}" in page
    for record in (Submission, PlayerSpec):
        for name, field in record.model_fields.items():
            assert f"`{field.alias or name}" in page
