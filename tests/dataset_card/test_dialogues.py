"""Episodes as dialogues: the form that chat templates and collators take, pictures in the order of their places."""

import json
import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import datasets
import numpy as np
import pytest
import releases
from releases import rate_first, table
from samples import CentreDescriber, rating_of, sample_instances, sample_run, sample_submission

from dataset_card.checking.release_check import check_release
from dataset_card.data import load_dialogues, load_preferences
from dataset_card.releases.build import build_release
from dataset_card.tables.schema import CALLS, DIALOGUES
from ircore.core.images import hash_pixels
from ircore.games.reconstruction.records import list_rendered_turns
from ircore.players.base import DescriberView, TextAnswer


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


@pytest.mark.slow
def test_a_release_whose_runs_have_no_questions_has_no_dialogues(built: Path, tmp_path: Path) -> None:
    shutil.copytree(built / "runs" / "centre-block", tmp_path / "run")
    journal = tmp_path / "run" / "journal.jsonl"
    journal.write_text("".join(line for line in journal.read_text().splitlines(True) if '"event":"end"' in line))
    build_release([tmp_path / "run"], built / "instances", tmp_path / "release")
    assert check_release(tmp_path / "release").faults == ()
    assert [*load_dialogues(str(tmp_path / "release"))] == []


@pytest.fixture(scope="module")
def rivals(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The release of two pairs that share a generator: what their describers say first is rated 4 and 7."""
    folder = tmp_path_factory.mktemp("rivals")
    instances = sample_instances(folder / "instances", per_condition=1)
    for slug, describer, value in (("one", CentreDescriber, 7.0), ("two", AiryDescriber, 4.0)):
        run = sample_run(folder / slug, instances, sample_submission(slug, slug), describer=describer)
        rate_first(run, value)
        # The final renderings are rated alike: what came of the first answers decides.
        run.add_scores(rating_of(episode, list_rendered_turns(episode)[-1], 9.0) for episode in run.episodes())
    build_release([folder / "one", folder / "two"], instances.folder, folder / "release")
    return folder / "release"


class AiryDescriber(CentreDescriber):
    """Says the same behind an empty line, which the rules allow."""

    async def describe(self, view: DescriberView) -> TextAnswer:
        answer = await super().describe(view)
        return replace(answer, text=f"\n{answer.text}")


@pytest.mark.slow
def test_of_two_answers_to_one_question_the_better_one_is_chosen(rivals: Path) -> None:
    assert check_release(rivals).faults == ()
    pairs = [*load_preferences(str(rivals), seat="describer")]
    assert len(pairs) == 4
    for pair in pairs:
        (asked,), (chosen,), (rejected,) = pair["prompt"], pair["chosen"], pair["rejected"]
        assert [part["type"] for part in asked["content"]] == ["text", "image"]
        assert len(pair["images"]) == 1
        assert rejected["content"][0]["text"] == f"\n{chosen['content'][0]['text']}"
        assert (pair["judge"], pair["margin"], pair["chosen_image"]) == ("eye", 3.0, None)
        assert pair["chosen_episode_id"].startswith("one-")


@pytest.mark.slow
def test_the_same_answer_is_no_preference(rivals: Path) -> None:
    """The generator got the same words from both describers and drew the same, whatever it was rated."""
    assert [*load_preferences(str(rivals), seat="generator")] == []


@pytest.mark.slow
def test_trl_collates_them_and_a_tiny_model_learns_from_them(built: Path, rivals: Path, tmp_path: Path) -> None:
    """IRCORE_TRL_PYTHON names a Python that has TRL, transformers and torch."""
    python = os.environ.get("IRCORE_TRL_PYTHON")
    if python is None:
        pytest.skip("IRCORE_TRL_PYTHON names no Python with TRL")
    for name, rows in (
        ("dialogues", load_dialogues(str(built / "release"), seat="describer")),
        ("preferences", load_preferences(str(rivals), seat="describer")),
    ):
        datasets.Dataset.from_list([*rows]).save_to_disk(tmp_path / name)
    model, dialogues, preferences = (str(tmp_path / name) for name in ("model", "dialogues", "preferences"))
    support = Path(releases.__file__).parent
    outputs = [
        subprocess.run(
            [python, str(support / script), *arguments], capture_output=True, text=True, timeout=600, check=False
        )
        for script, arguments in (
            ("tiny_vision_model.py", [model]),
            ("collate_dialogues.py", [model, dialogues, preferences]),
        )
    ]
    assert [done.returncode for done in outputs] == [0, 0], outputs[-1].stderr
    seen = json.loads(outputs[-1].stdout.splitlines()[-1])
    # Of two dialogues, the target and two renderings each; of two pairs, two answers each.
    assert (seen["pictures"], seen["answers"]) == (6, 4)
    assert seen["loss"] > 0
