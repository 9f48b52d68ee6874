"""``ircore instances diff`` and ``stats`` on the command line."""

import json
from pathlib import Path

import pytest

from ircore.commands.main import run


@pytest.fixture
def shapes(tmp_path: Path) -> Path:
    """Two easy and two hard pictures of shapes."""
    out = tmp_path / "shapes"
    assert run(["instances", "build", "--out", str(out), "--per-condition", "2", "-c", "simple_shapes"]) == 0
    return out


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
def test_the_page_fetches_nothing_and_names_every_picture(shapes: Path, tmp_path: Path) -> None:
    page = tmp_path / "statistics.html"
    assert run(["instances", "stats", str(shapes), "--page", str(page)]) == 0
    text = page.read_text(encoding="utf-8")
    assert "http" not in text.replace("http-equiv", "")
    assert "<script" not in text
    assert all(f"simple_shapes-{level}-0{index}" in text for level in ("easy", "hard") for index in (1, 2))


@pytest.mark.slow
def test_stats_refuses_a_page_of_another_kind(shapes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["instances", "stats", str(shapes), "--page", "statistics.pdf"]) == 2
    assert "not a .html file" in capsys.readouterr().err
