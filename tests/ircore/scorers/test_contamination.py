"""The contamination probe against a model behind a loopback service that knows one of the targets by heart."""

import json
from pathlib import Path
from typing import Any

import pytest
from openai_server import Judged, OpenAIServer, serving
from target_instances import target_instance

from ircore.commands.main import run as ircore
from ircore.core.records import Box, Element, Instance, Scene
from ircore.instances.store import InstanceSet, read_instances
from ircore.scorers.contamination import compute_guessed_share, read_known


def labelled(*texts: str) -> Instance:
    elements = tuple(Element(type="label", text=text, box=Box(0, 0, 5, 5)) for text in texts)
    return target_instance("a", scene=Scene(width=64, height=64, elements=elements), category="bar_graph")


def test_half_of_the_texts_are_in_the_description() -> None:
    """Sales and 2019 are there as whole words, 40 only within 400, Profit not; one letter does not count."""
    target = labelled("Sales", "2019", "40", "Profit", "x")
    assert compute_guessed_share(target, "Sales of 2019, up to 400, on x") == 0.5
    assert compute_guessed_share(labelled("x", "y"), "x and y") is None


@pytest.mark.parametrize(
    ("answer", "known"),
    [
        ("YES: coffee of scikit-image", (True, "coffee of scikit-image")),
        ("**No**", (False, "")),
        ("I looked closely.\nYES: coffee of scikit-image", (True, "coffee of scikit-image")),
        ("Nothing I know", (None, "Nothing I know")),
    ],
)
def test_answers_are_yes_or_no_or_neither(answer: str, known: tuple[bool | None, str]) -> None:
    assert read_known(answer) == known


@pytest.fixture
def targets(tmp_path: Path) -> InstanceSet:
    """One easy and one hard bar graph."""
    out = tmp_path / "targets"
    assert ircore(["instances", "build", "--out", str(out), "--per-condition", "1", "-c", "bar_graph"]) == 0
    return read_instances(out)


def probing(server: OpenAIServer, folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The command that probes the targets by a model behind the server."""
    monkeypatch.setenv("TEST_API_KEY", "sk-planted")
    manifest = folder / "judge.yaml"
    manifest.write_text(
        f"schema: 1\nname: asked\nlabel: Asked\nplayer: openai\nmodel: judge-1\nbase_url: {server.base_url}\n"
        "api_key_env: TEST_API_KEY\n",
        encoding="utf-8",
    )
    return ["instances", "probe", str(folder / "targets"), "--judge", str(manifest), "--out", str(folder / "probe")]


def probed(server: OpenAIServer, folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    assert ircore(probing(server, folder, monkeypatch)) == 0
    return reported(folder)


def reported(folder: Path) -> dict[str, Any]:
    """The report by target."""
    report = json.loads((folder / "probe" / "probe.json").read_text(encoding="utf-8"))
    return {target["instance_id"]: target for target in report["targets"]} | {"suspicious": report["suspicious"]}


@pytest.mark.slow
def test_a_model_that_knows_one_target_is_found_out(
    targets: InstanceSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    easy, hard = targets.instances
    assert easy.scene is not None
    by_heart = ", ".join(element.text for element in easy.scene.elements if element.text)

    def knows_the_easy_one(question: Judged) -> str:
        if not question.pictures:
            assert "title: procedural" in question.words
            return by_heart if "difficulty: easy" in question.words else "Some bars."
        return "YES: seen in training" if question.pictures[0] == targets.picture_bytes(easy, "target") else "NO"

    with serving() as server:
        server.judge = knows_the_easy_one
        report = probed(server, tmp_path, monkeypatch)
        asked = len(server.seen)
        again = probed(server, tmp_path, monkeypatch)
    assert report == again
    assert asked == len(server.seen) == 4
    assert report["suspicious"] == [easy.instance_id]
    assert (report[easy.instance_id]["guessed"], report[easy.instance_id]["known"]) == (1.0, True)
    assert report[easy.instance_id]["says"] == "seen in training"
    assert report[hard.instance_id]["known"] is False


@pytest.mark.slow
def test_every_photograph_of_the_second_edition_is_probed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """22 photographs, two questions each; the model says that it has seen one, whose title it was told."""
    out = tmp_path / "targets"
    build = ["instances", "build", "--out", str(out), "-c", "photos", "--edition", "2", "--per-condition", "11"]
    assert ircore(build) == 0
    photographs = read_instances(out)
    known = next(photo for photo in photographs.instances if "macaw" in photo.source)
    with serving() as server:
        server.judge = lambda question: (
            "YES: a macaw of Wikimedia Commons"
            if question.pictures and question.pictures[0] == photographs.picture_bytes(known, "target")
            else "NO"
        )
        report = probed(server, tmp_path, monkeypatch)
        assert len(server.seen) == 2 * 22
    assert report.pop("suspicious") == [known.instance_id]
    assert report.keys() == {photo.instance_id for photo in photographs.instances}
    assert all(target["guessed"] is None for target in report.values())  # no text is known to be in a photograph
    assert report[known.instance_id]["says"] == "a macaw of Wikimedia Commons"


@pytest.mark.slow
@pytest.mark.usefixtures("targets")
def test_an_answer_that_is_neither_is_counted_and_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving() as server:
        server.judge = lambda question: "Hard to tell." if question.pictures else "Some bars."
        report = probed(server, tmp_path, monkeypatch)
    said = capsys.readouterr().out
    assert "0 of 0 pictures are said to be known" in said
    assert "questions without an answer: 2 judge_format" in said
    assert report.pop("suspicious") == []
    for target in report.values():
        assert target["unanswered"] == {"known": "judge_format"}
        assert (target["known"], target["says"]) == (None, "Hard to tell.")


@pytest.mark.slow
@pytest.mark.usefixtures("targets")
def test_a_dry_run_counts_the_questions_and_asks_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two targets, two questions each; a description of 300 tokens and a yes or no of 20 for each."""
    with serving() as server:
        assert ircore([*probing(server, tmp_path, monkeypatch), "--dry-run"]) == 0
        assert not server.seen
    assert "0 answers kept; 4 questions, " in (said := capsys.readouterr().out)
    assert " 640 written" in said
    assert not (tmp_path / "probe").exists()
