"""The table of calls: every question with its answer, those of aborted episodes and those to judges too."""

import json
import shutil
from pathlib import Path

import pytest
from releases import contents, rate_first, rewrite, table
from samples import CentreDescriber, sample_instances, sample_run, sample_submission

from dataset_card.checking.release_check import check_release
from dataset_card.hub.pull import pull_release
from dataset_card.releases.build import build_release
from dataset_card.releases.record import read_release
from dataset_card.tables.rows import Row
from dataset_card.tables.schema import CALLS, EPISODES, INSTANCES
from ircore.core.episode_records import Attempt, Usage
from ircore.players.base import DescriberView, PlayerError, TextAnswer
from ircore.runs.judge_questions import JudgementEntry, JudgementWriter, JudgeQuestion
from ircore.scorers.judges.manifest import load_judge_prompts

FAILED = Attempt(
    kind="refused", status=400, seconds=0.5, served="/home/somebody/model-1", detail="see /home/somebody/log"
)
SECOND_TURN = 2


class ChattyDescriber(CentreDescriber):
    """States its tokens; in the second turn it refuses some pictures, and of others it names no more than a path."""

    async def describe(self, view: DescriberView) -> TextAnswer:
        kind = int(view.target.sha256[:2], 16) % 3 if view.turn == SECOND_TURN else None
        if kind == 0:
            raise PlayerError("describer_refused", "no more", (FAILED,))
        answer = await super().describe(view)
        text = "Saved in /home/somebody/x." if kind == 1 else answer.text
        return TextAnswer(text, Usage(prompt_tokens=7, completion_tokens=0), attempts=(FAILED,))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Instances, a run in which some episodes are aborted, and its release."""
    folder = tmp_path_factory.mktemp("calls")
    instances = sample_instances(folder / "instances", per_condition=2)
    run = sample_run(folder / "run", instances, sample_submission("chatty", "chatty"), describer=ChattyDescriber)
    rate_first(run, 5.0)
    episode = next(episode for episode in run.episodes() if episode.renderings)
    question = JudgeQuestion(
        judge="eye", asked_as="0" * 64, prompts=load_judge_prompts().version, episode_id=episode.episode_id, turn=1,
        task="similarity", target="1" * 64, shown=(episode.renderings[1].sha256,), text="five", seconds=1.5,
    )  # fmt: skip
    repaired = question.model_copy(update={"repair": True, "text": '{"score": 5}'})
    with JudgementWriter() as writer:
        writer.record([JudgementEntry(run.path, question), JudgementEntry(run.path, repaired)])
    build_release([run.path], instances.folder, folder / "release")
    return folder


@pytest.fixture
def rows(folder: Path) -> list[Row]:
    return table(folder / "release", CALLS)


@pytest.mark.slow
def test_each_question_has_a_row_with_its_words_and_pictures(folder: Path, rows: list[Row]) -> None:
    assert check_release(folder / "release").faults == ()
    assert [row["call"] for row in rows] == [*range(1, len(rows) + 1)]
    targets = {row["instance_id"]: row["image_sha256"] for row in table(folder / "release", INSTANCES)}
    described, drawn = rows[:2]
    assert described["pictures_sha256"] == [targets[described["instance_id"]]]
    assert "<DESCRIPTION>" in str(described["prompt"])
    # What a generator is asked stands in no journal: it follows from the message before.
    assert str(drawn["prompt"]) in str(described["answer"])
    assert (drawn["seat"], drawn["answer"]) == ("generator", None)
    assert drawn["rendering_sha256"]


@pytest.mark.slow
def test_tokens_that_are_unknown_are_null_and_none_are_zero(rows: list[Row]) -> None:
    described, drawn = rows[:2]
    assert (described["input_tokens"], described["output_tokens"], described["cached_tokens"]) == (7, 0, None)
    assert (drawn["input_tokens"], drawn["served"]) == (None, None)
    assert described["served"] == "[a path of a machine was here]/model-1"


def test_aborted_episodes_have_rows_in_calls_and_episodes(folder: Path, rows: list[Row]) -> None:
    aborted = {row["episode_id"]: row["abort_reason"] for row in table(folder / "release", EPISODES)}
    refused = [row for row in rows if row["outcome"] == "describer_refused"]
    assert {row["episode_id"] for row in refused} == {
        name for name, reason in aborted.items() if reason == "describer_refused"
    }
    assert "describer_format" in aborted.values()
    assert {(row["step"], row["answer"], row["detail"], row["seconds"]) for row in refused} == {
        (2, None, "no more", 0.5)
    }


def test_paths_of_machines_are_not_published(rows: list[Row]) -> None:
    assert "Saved in [a path of a machine was here]/x." in {row["answer"] for row in rows}
    assert "/home" not in "".join(str(row["attempts"]) for row in rows)


def test_a_question_to_a_judge_follows_those_of_its_episode(rows: list[Row]) -> None:
    judged, repaired = (row for row in rows if row["judge"])
    before = rows[rows.index(judged) - 1]
    assert (judged["seat"], judged["judge"], judged["answer"]) == (None, "eye", "five")
    assert judged["prompt"] == load_judge_prompts().similarity
    # The request for repair quotes the answer, and says what was asked for.
    assert (repaired["repair"], repaired["answer"]) == (True, '{"score": 5}')
    assert '{"score": N} with a whole number N from 0 to 10' in str(repaired["prompt"])
    assert judged["captions"] == ["Picture A, the original:", "Picture B:"]
    assert before["episode_id"] == judged["episode_id"]


@pytest.mark.slow
def test_a_pulled_run_gives_the_same_release(folder: Path, tmp_path: Path) -> None:
    pull_release(folder / "release", tmp_path / "out")
    build_release([*(tmp_path / "out/runs").iterdir()], tmp_path / "out/instances", tmp_path / "again")
    assert contents(tmp_path / "again") == contents(folder / "release")


@pytest.mark.slow
def test_rows_that_no_record_makes_are_found(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder / "release", tmp_path / "release")

    def edit(rows: list[Row]) -> None:
        rows[0]["judge"] = "eye"
        rows[1]["episode_id"] = f"{rows[1]['run_id']}/elsewhere"

    rewrite(tmp_path / "release", CALLS, edit)
    faults = "\n".join(check_release(tmp_path / "release").faults)
    assert "names both a seat and a judge, or neither" in faults
    assert "unknown episode" in faults


@pytest.mark.slow
def test_what_was_asked_with_other_prompts_is_unknown(folder: Path, tmp_path: Path) -> None:
    """The words of their own that a run was played with are not kept, but for those in the journal."""
    shutil.copytree(folder / "run", tmp_path / "run")
    identity = json.loads((tmp_path / "run" / "run.json").read_text())
    (tmp_path / "run" / "run.json").write_text(json.dumps(identity | {"prompts": "own 0123456789ab"}))
    build_release([tmp_path / "run"], folder / "instances", tmp_path / "release")
    described, drawn = table(tmp_path / "release", CALLS)[:2]
    assert "<DESCRIPTION>" in str(described["prompt"])
    assert (drawn["prompt"], described["pictures_sha256"], drawn["pictures_sha256"]) == (None, None, None)
    assert "dialogues" not in {config.name for config in read_release(tmp_path / "release").configs}
    assert check_release(tmp_path / "release").faults == ()
