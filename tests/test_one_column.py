"""A column of boards is defined in one place: whoever adds one finds it wherever boards are written or read."""

import csv
import json
import subprocess
import sys
from pathlib import Path

import pytest
from datasets import load_dataset
from pages import read_page
from releases import sample_release
from shared_folders import made_once

pytestmark = pytest.mark.slow

DEFINITION = """
from dataclasses import replace
import ircore.results.column as amounts
from ircore.results.column import Column
from ircore.results.column import Amount

messages = Column("messages", "messages", "Messages per played episode, as this test counts.", digits=1, estimated=True)
amounts.AMOUNTS = (*amounts.AMOUNTS, Amount(messages, lambda result, _: result.effort.messages))
"""
"""Of the new column: all that has to be written."""

COMMANDS = """
import sys
from ircore.__main__ import main
sys.exit(main(sys.argv[1:]))
"""

READING_BACK = """
import sys
from pathlib import Path
from dataset_card.releases.stored_release import StoredRelease

release = StoredRelease(Path(sys.argv[1]))
print(sorted(release.cells_of(run)[None, None, "eye"].amounts["messages"].mean for run in release.runs.values()))
"""


def run(program: str, *words: object) -> str:
    """Run a program in which the column is defined, before anything else is imported."""
    command = [sys.executable, "-c", DEFINITION + program, *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two runs; each of ten played episodes has two messages."""
    return sorted((made_once(tmp_path_factory, "built", sample_release) / "runs").iterdir())


def test_a_column_stands_in_every_format_of_a_table(runs: list[Path]) -> None:
    board = ("results", *runs, "--table", "board")
    assert "messages" in run(COMMANDS, *board).splitlines()[0].split()
    (first, second) = csv.DictReader(run(COMMANDS, *board, "--format", "csv").splitlines())
    assert (first["messages_mean"], second["messages_mean"], first["messages_n"]) == ("2.0", "2.0", "10")
    document = json.loads(run(COMMANDS, *board, "--format", "json"))
    assert "messages" in {column["key"] for column in document["columns"]}
    assert document["rows"][0]["messages"]["mean"] == 2
    assert " & messages" in run(COMMANDS, *board, "--format", "latex")


def test_a_column_stands_in_a_release_and_its_card_and_is_read_back(runs: list[Path], tmp_path: Path) -> None:
    folders = [word for path in runs for word in ("--runs", path)]
    instances = runs[0].parents[1] / "instances"
    run(COMMANDS, "release", "build", *folders, "--instances", instances, "--out", tmp_path / "release")
    rows = load_dataset(str(tmp_path / "release"), "leaderboard", split="test")
    overall = (row for row in rows if row["category"] == row["difficulty"] == "all")
    assert [row["mean"] for row in overall if row["measure"] == "messages"] == [2.0, 2.0]
    measures = load_dataset(str(tmp_path / "release"), "measures", split="test")
    (about,) = (row["description"] for row in measures if row["measure"] == "messages")
    assert about == "Messages per played episode, as this test counts."
    assert run(READING_BACK, tmp_path / "release") == "[2.0, 2.0]\n"


def test_a_column_stands_on_a_page_with_its_head_and_its_cells(runs: list[Path], tmp_path: Path) -> None:
    run(COMMANDS, "site", "build", "--runs", *runs, "--out", tmp_path / "site")
    page = read_page(tmp_path / "site" / "boards" / "index.html")
    (head,) = page.find("th", data_name="Messages")
    assert head.find("abbr")[0].attributes["title"] == "Messages per played episode, as this test counts."
    cells = [cell.attributes for cell in page.find("td", data_label="Messages")]
    assert [(cell["data-sort"], cell["data-n"]) for cell in cells] == [("2", "10"), ("2", "10")]
