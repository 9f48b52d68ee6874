"""``ircore verify`` as it is typed."""

import json
from pathlib import Path

import pytest

from ircore.commands.main import run as ircore


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("verify") / "set"
    chosen = ["--category", "bar_graph", "--category", "photos", "--difficulty", "easy", "--per-condition", "1"]
    assert ircore(["instances", "build", "--out", str(out), *chosen]) == 0
    return out


def image_of(folder: Path, instance_id: str) -> str:
    return str(folder / "images" / f"{instance_id}.png")


@pytest.mark.slow
def test_a_perfect_copy_gets_ten(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    image = image_of(folder, "bar_graph-easy-01")
    assert ircore(["verify", "--instances", str(folder), "bar_graph-easy-01", image]) == 0
    assert "10.00 of 10   lies exactly over the target" in capsys.readouterr().out


@pytest.mark.slow
def test_the_document_has_score_parts_and_facts_and_failing_facts_are_no_error(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    image = next((folder / "images").glob("photos*"))
    assert ircore(["verify", "--instances", str(folder), "bar_graph-easy-01", str(image), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert set(document["parts"]) == {"presence", "text", "colour", "value", "place", "count", "extra"}
    assert document["score"] is None or document["score"] < 4
    assert {fact["verdict"] for fact in document["facts"]} <= {"holds", "fails", "undecided"}
    assert all(fact["reason"] for fact in document["facts"] if fact["verdict"] != "holds")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("instance_id", "picture", "said"),
    [
        ("bar_graph-easy-99", "bar_graph-easy-01", "bar_graph-easy-99"),
        ("photos-easy-01", "bar_graph-easy-01", "nobody wrote down what this target shows"),
        ("bar_graph-easy-01", "missing", "cannot be read"),
    ],
)
def test_bad_input_is_one_line_and_status_two(
    folder: Path, capsys: pytest.CaptureFixture[str], instance_id: str, picture: str, said: str
) -> None:
    assert ircore(["verify", "--instances", str(folder), instance_id, image_of(folder, picture)]) == 2
    assert said in capsys.readouterr().err
