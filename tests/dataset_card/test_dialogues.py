"""Episodes as dialogues: the form that chat templates and collators take, pictures in the order of their places."""

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from releases import table

from dataset_card.checking.release_check import check_release
from dataset_card.data import load_dialogues
from dataset_card.releases.build import build_release
from dataset_card.tables.schema import CALLS, DIALOGUES
from ircore.core.errors import InputError
from ircore.core.images import hash_pixels


def places(dialogue: dict[str, Any]) -> int:
    """Count the places of pictures in the messages."""
    return sum(part["type"] == "image" for message in dialogue["messages"] for part in message["content"])


def test_a_describer_is_asked_with_pictures_and_answers_with_words(built: Path) -> None:
    first = next(load_dialogues(str(built / "release"), seat="describer"))
    roles = [message["role"] for message in first["messages"]]
    assert roles == ["user", "assistant"] * 3
    asked, answer = first["messages"][:2]
    assert [part["type"] for part in asked["content"]] == ["text", "image"]
    assert asked["content"][1] == {"type": "image"}
    assert answer["content"][0]["text"].startswith("<DESCRIPTION>")
    assert (first["outcome"], first["judge"], first["score"]) == ("converged", "eye", 7.0)


def test_a_generator_is_asked_with_words_and_answers_with_pictures(built: Path) -> None:
    first = next(load_dialogues(str(built / "release"), seat="generator"))
    assert first["messages"][1]["content"] == [{"type": "image"}]
    assert places(first) == len(first["images"])


def test_pictures_stand_in_the_order_of_their_places(built: Path) -> None:
    dialogues = [*load_dialogues(str(built / "release"))]
    assert len(dialogues) == len(table(built / "release", DIALOGUES))
    for dialogue in dialogues:
        assert [hash_pixels(np.asarray(picture)) for picture in dialogue["images"]] == dialogue["images_sha256"]
        assert places(dialogue) == len(dialogue["images"])


def test_every_answer_stands_in_a_dialogue(built: Path) -> None:
    answers = [row["answer"] for row in table(built / "release", CALLS) if row["seat"] == "describer" and row["answer"]]
    said = [
        message["content"][0]["text"]
        for dialogue in load_dialogues(str(built / "release"), seat="describer")
        for message in dialogue["messages"]
        if message["role"] == "assistant"
    ]
    assert said == answers


def test_a_release_whose_runs_have_no_questions_has_no_dialogues(built: Path, tmp_path: Path) -> None:
    shutil.copytree(built / "runs" / "centre-block", tmp_path / "run")
    journal = tmp_path / "run" / "journal.jsonl"
    journal.write_text("".join(line for line in journal.read_text().splitlines(True) if '"event":"end"' in line))
    build_release([tmp_path / "run"], built / "instances", tmp_path / "release")
    assert check_release(tmp_path / "release").faults == ()
    with pytest.raises(InputError, match="dialogues"):
        next(load_dialogues(str(tmp_path / "release")))
