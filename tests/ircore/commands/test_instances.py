"""``ircore instances`` on the command line."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

from ircore.commands.main import run

pytestmark = pytest.mark.slow


@pytest.fixture
def shapes(tmp_path: Path) -> Path:
    """A small set: two easy and two hard pictures of shapes."""
    out = tmp_path / "shapes"
    assert run(["instances", "build", "--out", str(out), "--per-condition", "2", "-c", "simple_shapes"]) == 0
    return out


def test_show_as_json_is_one_document(shapes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert run(["instances", "show", str(shapes), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["instances"] == 4
    assert len(shown["identity"]) == 64
    assert shown["conditions"] == [
        {"category": "simple_shapes", "difficulty": "easy", "instances": 2},
        {"category": "simple_shapes", "difficulty": "hard", "instances": 2},
    ]
    assert shown["sizes"] == [{"width": 512, "height": 512, "instances": 4}]
    assert shown["licences"] == {"simple_shapes": {"CC0-1.0": 4}}
    assert shown["bytes"] == sum(path.stat().st_size for path in (shapes / "images").iterdir())


def test_a_sheet_shows_every_picture(shapes: Path, tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.png"
    assert run(["instances", "show", str(shapes), "--sheet", str(sheet)]) == 0
    with Image.open(sheet) as image:
        assert image.size == (10 + 2 * 170, 10 + 2 * 188)


def test_show_notices_a_changed_picture(shapes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (shapes / "images" / "simple_shapes-easy-01.png").write_bytes(b"")
    assert run(["instances", "show", str(shapes)]) == 2
    assert "not the picture that was recorded" in capsys.readouterr().err


def test_importing_a_folder(shapes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--category", "photos", "--difficulty", "hard", "--licence", "CC0-1.0", "--source", "My own"]
    out = tmp_path / "mine"
    assert run(["instances", "import", "folder", str(shapes / "images"), "--out", str(out), *options]) == 0
    assert ["photos", "–", "4", "4", "CC0-1.0"] in [line.split() for line in capsys.readouterr().out.splitlines()]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a POSIX shell")
def test_a_disk_that_takes_no_more_leaves_nothing_half_written(tmp_path: Path) -> None:
    """A limit on the size of files stands for the full disk: writing fails in the same way.

    Python writes no bytecode (-B): files of it would be cut off, too, and break whatever imports them next.
    """
    command = f"ulimit -f 8; exec {sys.executable} -B -m ircore instances build --out set -c photos"
    done = subprocess.run(["/bin/bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "cannot be written (File too large)" in done.stderr
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_diff_names_what_was_added_removed_and_changed(
    shapes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other"
    lines = (shapes / "instances.jsonl").read_text().splitlines()
    other.mkdir()
    edited = [lines[0].replace('"procedural"', '"drawn by hand"'), *lines[2:]]
    (other / "instances.jsonl").write_text("".join(f"{line}\n" for line in edited))
    capsys.readouterr()
    assert run(["instances", "diff", str(shapes), str(other)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "removed  simple_shapes-easy-02",
        "changed  simple_shapes-easy-01: source",
        "0 added, 1 removed, 1 changed, 2 the same",
    ]
    assert run(["instances", "diff", str(other), str(shapes)]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "added    simple_shapes-easy-02"


def test_stats_counts_elements_as_the_index_lists_them(shapes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    records = [json.loads(line) for line in (shapes / "instances.jsonl").read_text().splitlines()]
    capsys.readouterr()
    assert run(["instances", "stats", str(shapes), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    counts = {name: measures["elements"] for name, measures in document["instances"].items()}
    assert counts == {record["instance_id"]: len(record["payload"]["scene"]["elements"]) for record in records}
    easy, hard = document["conditions"]
    assert easy["elements"] == sum(counts[f"simple_shapes-easy-0{index}"] for index in (1, 2)) / 2
    assert hard["elements"] > easy["elements"]
    assert document["not_rising"] == document["near_duplicates"] == []


def test_the_page_fetches_nothing_and_names_every_picture(shapes: Path, tmp_path: Path) -> None:
    page = tmp_path / "statistics.html"
    assert run(["instances", "stats", str(shapes), "--page", str(page)]) == 0
    text = page.read_text(encoding="utf-8")
    assert "http" not in text.replace("http-equiv", "")
    assert "<script" not in text
    assert all(f"simple_shapes-{level}-0{index}" in text for level in ("easy", "hard") for index in (1, 2))


def test_stats_refuses_a_page_of_another_kind(shapes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["instances", "stats", str(shapes), "--page", "statistics.pdf"]) == 2
    assert "not a .html file" in capsys.readouterr().err
