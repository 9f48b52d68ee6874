"""The contamination probe against a model behind a loopback service that knows one of the targets by heart."""

import json
from pathlib import Path
from typing import Any

import pytest
from openai_server import Judged, OpenAIServer, serving

from ircore.commands.main import run as ircore
from ircore.core.records import Box, Element, Instance, Scene
from ircore.instances.store import InstanceSet, read_instances
from ircore.scorers.contamination import guessed_share, read_known


def labelled(*texts: str) -> Instance:
    elements = tuple(Element(type="label", text=text, box=Box(0, 0, 5, 5)) for text in texts)
    return Instance(
        instance_id="a", category="bar_graph", difficulty="easy", image="images/a.png", sha256="0" * 64, width=64,
        height=64, scene=Scene(width=64, height=64, elements=elements), source="procedural", licence="CC0-1.0",
    )  # fmt: skip


def test_half_of_the_texts_are_in_the_description() -> None:
    """Sales and 2019 are there as whole words, 40 only within 400, Profit not; one letter does not count."""
    target = labelled("Sales", "2019", "40", "Profit", "x")
    assert guessed_share(target, "Sales of 2019, up to 400, on x") == 0.5
    assert guessed_share(labelled("x", "y"), "x and y") is None


@pytest.mark.parametrize(
    ("answer", "known"),
    [
        ("YES: coffee of scikit-image", (True, "coffee of scikit-image")),
        ("**No**", (False, "")),
        ("Nothing I know", (None, "")),
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


def probed(server: OpenAIServer, folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.setenv("TEST_API_KEY", "sk-planted")
    manifest = folder / "judge.yaml"
    manifest.write_text(
        f"schema: 1\nname: asked\nlabel: Asked\nplayer: openai\nmodel: judge-1\nbase_url: {server.base_url}\n"
        "api_key_env: TEST_API_KEY\n",
        encoding="utf-8",
    )
    command = ["instances", "probe", str(folder / "targets"), "--judge", str(manifest), "--out", str(folder / "probe")]
    assert ircore(command) == 0
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
        return "YES: seen in training" if question.pictures[0] == targets.picture_bytes(easy) else "NO"

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
