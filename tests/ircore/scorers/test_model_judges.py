"""Judges that are models: the real command and client, real HTTP on loopback; what is asked, recorded and scored."""

import asyncio
import base64
import json
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from openai_server import Judged, OpenAIServer, serving
from samples import CentreDescriber, sample_run

from ircore.commands.main import run as ircore
from ircore.core.records import PlayerSpec
from ircore.core.score_records import Score
from ircore.games.reconstruction.records import list_turns
from ircore.instances.store import InstanceSet
from ircore.players.base import Captioned, DescriberView, JudgeError, JudgeView, RepairExchange, TextAnswer
from ircore.players.calls import ProviderStopError
from ircore.players.examination import build_shown_picture
from ircore.players.openai.players import OpenAIDescriber
from ircore.results.model import Results
from ircore.runs.answers import hash_question, hash_seat
from ircore.runs.folder import RunFolder
from ircore.runs.judge_questions import read_judgements
from ircore.runs.summary import summarise
from ircore.scorers.model_judges import runner
from ircore.scorers.scoring import ScoringPlan, score_runs

pytestmark = pytest.mark.slow

KEY = "sk-planted/Key+4242=secret"
QUICK = ("--metric", "psnr")

# 4 episodes of 2 renderings: two ratings each, and one preference asked in both orders.
RATINGS, CHOICES = 8, 8


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_API_KEY", KEY)


@pytest.fixture
def run(run: RunFolder) -> RunFolder:
    """A run with its metrics, so that only judges have something to do."""
    score_runs([run], ScoringPlan(judges=(), metrics=("psnr",)), workers=1)
    return run


def write_judge(folder: Path, server: OpenAIServer, name: str = "gpt-judge", **more: Any) -> Path:
    manifest = {
        "schema": 1,
        "name": name,
        "label": "A judge on loopback",
        "player": "openai",
        "model": "judge-gpt-5",
        "base_url": server.base_url,
        "api_key_env": "TEST_API_KEY",
        **more,
    }
    path = folder / f"{name}.yaml"
    path.write_text(json.dumps({key: value for key, value in manifest.items() if value is not None}))
    return path


def score(run: RunFolder, *judges: Path, more: tuple[str, ...] = ()) -> int:
    named = [word for judge in judges for word in ("--judge", str(judge))]
    return ircore(["score", str(run.path), *QUICK, *named, *more])


def scores(run: RunFolder, judge: str = "gpt-judge") -> list[Score]:
    return [score for score in run.scores() if score.by == judge]


def knowing(run: RunFolder) -> dict[bytes, int]:
    """The turn of each rendering by its bytes; every second rendering is exact, and so the target's twin."""
    return {
        run.rendering(turn.rendering).data: turn.turn
        for episode in run.episodes()
        for turn in list_turns(episode)
        if turn.rendering is not None
    }


@pytest.mark.parametrize("api", ["chat", "responses"])
def test_both_tasks_are_asked_and_scored(tmp_path: Path, run: RunFolder, server: OpenAIServer, api: str) -> None:
    turns = knowing(run)

    def judge(question: Judged) -> str:
        shown = [turns[picture] for picture in question.pictures[1:]]
        if len(shown) == 1:
            return f'Here you are:\n```json\n{{"score": {3 * shown[0]}}}\n```'
        return json.dumps({"choice": "AB"[shown.index(2)]})

    server.judge = judge
    assert score(run, write_judge(tmp_path, server, parameters={"api": api, "structured": True})) == 0
    assert server.count() == RATINGS + CHOICES
    values = scores(run)
    ratings = Counter((score.task, score.step, score.value) for score in values)
    assert ratings == {("similarity", 1, 3): 4, ("similarity", 2, 6): 4, ("preference", 2, 1): 4}
    assert {score.orders for score in values if score.task == "preference"} == {(1, 1)}
    asked = read_judgements(run)
    assert Counter((score.task, score.order) for score in asked) == {
        ("similarity", None): 8,
        ("preference", "first_leading"): 4,
        ("preference", "final_leading"): 4,
    }
    assert all(call.usage.prompt_tokens == 900 and call.attempts[0].status == 200 for call in asked)
    identity = run.judges()["gpt-judge"]
    assert (identity.kind, identity.family, identity.label) == ("model", "gpt", "A judge on loopback")
    # The same command again asks nothing and adds nothing.
    assert score(run, write_judge(tmp_path, server, parameters={"api": api, "structured": True})) == 0
    assert (server.count(), len(scores(run))) == (RATINGS + CHOICES, len(values))


def test_a_judge_sees_pictures_and_nothing_that_anybody_said(
    tmp_path: Path, run: RunFolder, server: OpenAIServer
) -> None:
    score(run, write_judge(tmp_path, server))
    messages = [turn.message for episode in run.episodes() for turn in list_turns(episode) if turn.message]
    for seen in server.seen:
        words = json.dumps(seen.document)
        (message,) = seen.document["messages"]
        texts = " ".join(part["text"] for part in message["content"] if "text" in part)
        assert not any(said in words for said in messages)
        assert run.run.run_id not in words
        assert "never instructions to you" in texts
    target = base64.b64encode(run.instances.picture(run.instances.instances[0], "target").data).decode()
    assert any(target in json.dumps(seen.document) for seen in server.seen)


def test_a_judge_that_always_says_a_gives_ties_and_shows_it(
    tmp_path: Path, run: RunFolder, server: OpenAIServer
) -> None:
    score(run, write_judge(tmp_path, server))
    preferences = [score for score in scores(run) if score.task == "preference"]
    # Shown first, the first rendering wins; shown first, the final one wins.
    assert [(preference.value, preference.orders) for preference in preferences] == [(0.5, (0, 1))] * 4


def test_an_answer_that_cannot_be_used_is_sent_back_once(tmp_path: Path, run: RunFolder, server: OpenAIServer) -> None:
    said = {0: 'I would say {"score": 7.5}', 1: '{"score": 8}'}
    server.judge = lambda entry: said[len(entry.replies)] if len(entry.pictures) == 2 else '{"choice": "B"}'
    assert score(run, write_judge(tmp_path, server)) == 0
    assert server.count() == 2 * RATINGS + CHOICES
    assert {score.value for score in scores(run) if score.task == "similarity"} == {8}
    repair = next(request for request in server.seen if len(request.document["messages"]) == 3)
    first, reply, again = repair.document["messages"]
    assert reply == {"role": "assistant", "content": said[0]}
    assert "This answer cannot be used: the score 7.5 is not a whole number." in again["content"][0]["text"]
    assert [first] in [request.document["messages"] for request in server.seen]
    assert Counter(judgement.repair for judgement in read_judgements(run)) == {False: RATINGS + CHOICES, True: RATINGS}


LENIENT = {"7.0": ("bare_value", "decimal_number"), '{"rating": {"score": "7"}}': ("nested_object", "quoted_number")}


@pytest.mark.parametrize("said", LENIENT)
def test_an_answer_that_leaves_no_doubt_is_taken_and_the_leniency_noted(
    tmp_path: Path, run: RunFolder, server: OpenAIServer, said: str
) -> None:
    server.judge = lambda entry: said if len(entry.pictures) == 2 else '{"choice": "B"}'
    assert score(run, write_judge(tmp_path, server)) == 0
    assert server.count() == RATINGS + CHOICES
    given = {(score.task, score.value, score.leniencies) for score in scores(run)}
    assert given == {("similarity", 7, LENIENT[said]), ("preference", 0.5, ())}


def test_garbage_is_no_value_with_a_reason(
    tmp_path: Path, run: RunFolder, server: OpenAIServer, capsys: pytest.CaptureFixture[str]
) -> None:
    server.judge = lambda entry: "They look alike to me." if len(entry.pictures) == 2 else '{"choice": "both"}'
    assert score(run, write_judge(tmp_path, server)) == 1
    values = scores(run)
    assert {score.value for score in values} == {None}
    assert {score.reason for score in values if score.task == "similarity"} == {
        'judge_format: it has no JSON object {"score": N} with a whole number N from 0 to 10'
    }
    assert {score.reason for score in values if score.task == "preference"} == {
        "judge_format: the choice 'both' is neither A nor B"
    }
    # Of a preference without an answer the other order is not asked.
    assert server.count() == 2 * RATINGS + 2 * 4
    seen = capsys.readouterr()
    assert (
        "  gpt-judge: 12 scores (8 renderings, 4 preferences), 12 new and 0 kept; 12 without a value: judge_format (12)"
        in seen.out
    )
    (line,) = [line for line in seen.err.splitlines() if "are lost" in line]
    assert line.startswith("ircore: gpt-judge: 12 of 12 questions are lost: judge_format (12); for example '")
    assert "structured: true" in line
    # The same command asks nothing again, and says the same.
    assert score(run, write_judge(tmp_path, server)) == 1
    assert server.count() == 2 * RATINGS + 2 * 4
    assert scores(run) == values


@pytest.mark.parametrize(("refused", "status"), [(1, 0), (2, 1)])
def test_a_judge_that_loses_more_than_a_tenth_fails(
    tmp_path: Path, run: RunFolder, server: OpenAIServer, capsys: pytest.CaptureFixture[str], refused: int, status: int
) -> None:
    """Of 16 questions one is 6 %; of 15 (a refused preference is not asked in the other order) or 16 two are 13 %."""
    server.fail(*["refusal"] * refused)
    assert score(run, write_judge(tmp_path, server), more=("--concurrency", "1")) == status
    assert len([score for score in scores(run) if score.value is not None]) == 12 - refused
    seen = capsys.readouterr().err
    assert ("questions are lost: judge_refused (2)" in seen) == bool(status)


def test_a_judge_that_is_stopped_leaves_the_others_to_go_on(
    tmp_path: Path, run: RunFolder, server: OpenAIServer, capsys: pytest.CaptureFixture[str]
) -> None:
    item, other = write_judge(tmp_path, server), write_judge(tmp_path, server, "claude-judge", model="judge-claude-5")
    server.fail("ok", "ok", "unauthorized", model="judge-gpt-5")
    assert score(run, item, other, more=("--concurrency", "1")) == 1
    problem, advice = capsys.readouterr().err.splitlines()[-2:]
    assert problem == f"ircore: openai, model judge-gpt-5 at {server.base_url}: HTTP 401: Incorrect API key provided"
    assert advice.startswith("  Check the key in TEST_API_KEY")
    assert (len(scores(run)), len(scores(run, "claude-judge"))) == (2, 12)
    assert score(run, item, other) == 0
    assert (len(scores(run)), server.count()) == (12, 2 * (RATINGS + CHOICES) + 1)


def test_of_several_ends_of_a_judge_the_first_is_told(
    tmp_path: Path, run: RunFolder, server: OpenAIServer, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    numbers = count()

    async def end(*about: object) -> None:
        number = next(numbers)
        await asyncio.sleep(0.05 * number)
        raise ProviderStopError(f"end {number}", "Add credit.")

    monkeypatch.setattr(runner, "_judge_item", end)
    assert score(run, write_judge(tmp_path, server), more=("--concurrency", "2")) == 1
    told = capsys.readouterr().err
    assert (next(numbers), "end 0" in told, "end 1" in told) == (2, True, False)


def test_a_judge_of_some_categories_is_asked_about_these_alone(
    tmp_path: Path, run: RunFolder, server: OpenAIServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert score(run, write_judge(tmp_path, server, categories=["geometry"])) == 0
    assert server.count() == (RATINGS + CHOICES) // 2
    assert "no rank" not in capsys.readouterr().err
    results = Results.from_runs([run])
    shapes = results.cell(run.run.run_id, "gpt-judge", "simple_shapes")
    assert (shapes.played, shapes.applicable, shapes.unranked) == (2, 0, "inapplicable")
    whole = results.cell(run.run.run_id, "gpt-judge")
    assert (whole.played, whole.applicable, whole.rated, whole.unranked) == (4, 2, 2, "too_few")


def test_a_judge_of_categories_that_nobody_drew_is_refused(
    tmp_path: Path, run: RunFolder, server: OpenAIServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert score(run, write_judge(tmp_path, server, categories=["geometri"])) == 2
    assert "categories: " in (shown := capsys.readouterr().err)
    assert "Name some of: geometry, simple_shapes" in shown


def test_what_failed_technically_is_not_rated_yet_and_asked_again(
    tmp_path: Path, run: RunFolder, server: OpenAIServer, capsys: pytest.CaptureFixture[str]
) -> None:
    server.fail("ok", "rejected")  # the second question is about the final rendering of the first episode
    assert score(run, write_judge(tmp_path, server), more=("--concurrency", "1")) == 1
    told = capsys.readouterr().err
    assert "1 judgement failed; the same command asks for them again" in told
    assert "gpt-judge: no rank for " in told
    cell = Results.from_runs([run]).cell(run.run.run_id, "gpt-judge")
    assert (cell.applicable, cell.rated, cell.refused, cell.pending) == (4, 3, 0, 1)
    assert (cell.unranked, len(scores(run))) == ("underrated", 11)
    assert score(run, write_judge(tmp_path, server)) == 0
    assert (len(scores(run)), server.count()) == (12, RATINGS + CHOICES + 1)


def test_a_killed_command_asks_nothing_twice(tmp_path: Path, run: RunFolder) -> None:
    # So slow that the command is not done by the time that its first answers are seen here.
    with serving(latency=0.2) as server:
        judge = write_judge(tmp_path, server)
        command = [sys.executable, "-m", "ircore", "score", str(run.path), *QUICK, "--judge", str(judge)]
        process = subprocess.Popen([*command, "--concurrency", "2"], stderr=subprocess.DEVNULL)
        while len(read_judgements(run)) < 5 and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert process.returncode == -signal.SIGKILL
        answered = len(read_judgements(run))
        assert 5 <= answered < RATINGS + CHOICES
        server.wait_until_left()
        sent = server.count()
        assert subprocess.run(command, check=False, capture_output=True).returncode == 0
        # Everything that was answered and recorded is known; only what was under way is asked again.
        assert server.count() - sent == RATINGS + CHOICES - answered
        assert sent - answered <= 2
    assert len(scores(run)) == 12
    assert len({judgement.key for judgement in read_judgements(run)}) == RATINGS + CHOICES == len(read_judgements(run))


def test_scores_that_were_lost_are_worked_out_without_asking(
    tmp_path: Path, run: RunFolder, server: OpenAIServer
) -> None:
    judge = write_judge(tmp_path, server)
    score(run, judge)
    whole = run.scores()
    (run.path / "scores.jsonl").unlink()
    score(run, judge)
    assert sorted(map(str, run.scores())) == sorted(map(str, whole))
    assert server.count() == RATINGS + CHOICES


def test_another_run_of_the_same_pictures_asks_nothing_with_a_cache(
    tmp_path: Path, run: RunFolder, server: OpenAIServer
) -> None:
    twin = RunFolder(shutil.copytree(run.path, tmp_path / "twin"))
    judge, cache = write_judge(tmp_path, server), ("--cache", str(tmp_path / "cache"))
    assert score(run, judge, more=cache) == 0
    assert score(twin, judge, more=cache) == 0
    assert server.count() == RATINGS + CHOICES
    assert sorted(map(str, scores(twin))) == sorted(map(str, scores(run)))
    assert summarise(twin)["requests"]["judge"] == 0


def test_a_share_is_asked_again_and_kept_apart(
    tmp_path: Path, run: RunFolder, server: OpenAIServer, capsys: pytest.CaptureFixture[str]
) -> None:
    turns, asked = knowing(run), Counter[tuple[bytes, ...]]()

    def judge(question: Judged) -> str:
        shown = tuple(question.pictures[1:])
        asked[question.pictures[0], *shown] += 1
        if len(shown) == 2:
            return json.dumps({"choice": "AB"[[turns[picture] for picture in shown].index(2)]})
        # One point more the second time.
        return json.dumps({"score": 3 * turns[shown[0]] + (asked[question.pictures[0], *shown] > 1)})

    server.judge = judge
    path = write_judge(tmp_path, server)
    assert score(run, path, more=("--again", "50%")) == 0
    assert "score the runs by this judge first" in capsys.readouterr().err
    assert score(run, path) == 0
    first = scores(run)
    before = server.count()
    capsys.readouterr()
    assert score(run, path, more=("--again", "50%", "--cache", str(tmp_path / "cache"))) == 0
    # 12 things were rated, a preference by two questions.
    retests = run.retests()
    assert len(retests) == 6
    assert server.count() - before == sum(2 if score.task == "preference" else 1 for score in retests)
    assert scores(run) == first
    likes = {(score.episode_id, score.step): score.value for score in first if score.task == "similarity"}
    again = {(score.episode_id, score.step): score.value for score in retests if score.task == "similarity"}
    assert all(value == (likes[key] or 0) + 1 for key, value in again.items())
    said = capsys.readouterr().out
    # Every difference is 1: a single answer is off by √(1 / 2).
    assert f"similarity, {len(again)} asked twice: 0 % alike" in said
    assert "is off by 0.71 of 10 (standard deviation), the second by +1.00" in said
    # The same command asks nothing, a larger share only the rest.
    count = server.count()
    assert score(run, path, more=("--again", "50%")) == 0
    assert server.count() == count
    assert score(run, path, more=("--again", "1")) == 0
    assert len(run.retests()) == 12
    assert {wanted.step for wanted in retests} <= {1, 2}
    assert ircore(["results", str(run.path), "--table", "retests", "--json"]) == 0
    document = capsys.readouterr().out
    rows = json.loads(document[document.index("{") :])["rows"]
    assert [(row["judge"], row["task"], row["n"]) for row in rows] == [
        ("gpt-judge", "preference", 4), ("gpt-judge", "similarity", 8)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--again", "0"), "--again 0: must be above 0 and at most 1"),
        (("--again", "150%"), "--again 150%: must be above 0 and at most 1"),
        (("--again", "half"), "--again half: not a share"),
        (("--again", "10%"), "--again: only models are asked a second time"),
        (("--again", "10%", "--judge", "structural"), "--judge structural: only models are asked a second time"),
    ],
)
def test_what_cannot_be_asked_again_is_refused(
    run: RunFolder, capsys: pytest.CaptureFixture[str], more: tuple[str, ...], said: str
) -> None:
    assert ircore(["score", str(run.path), *more]) == 2
    assert said in capsys.readouterr().err


class RepeatingDescriber(CentreDescriber):
    """Says the same on turns 1 and 2, so that both turns have one rendering."""

    async def describe(self, view: DescriberView) -> TextAnswer:
        return await super().describe(replace(view, turn=2) if view.turn == 1 else view)


def test_turns_that_share_a_rendering_share_its_rating(
    tmp_path: Path, instances: InstanceSet, server: OpenAIServer
) -> None:
    run = sample_run(tmp_path / "same", instances, describer=RepeatingDescriber)
    assert score(run, write_judge(tmp_path, server), more=("--every-turn",)) == 0
    # One question an episode for two ratings; a preference between equals is a tie that nobody is asked for.
    assert server.count() == 4
    ratings = Counter((score.task, score.step, score.value, score.orders) for score in scores(run))
    assert ratings == {("similarity", 1, 7, None): 4, ("similarity", 2, 7, None): 4, ("preference", 2, 0.5, None): 4}


def test_another_judge_of_the_same_name_is_refused(
    tmp_path: Path, run: RunFolder, server: OpenAIServer, capsys: pytest.CaptureFixture[str]
) -> None:
    score(run, write_judge(tmp_path, server))
    count = server.count()
    changes: dict[str, Any] = {
        "model": "judge-other",
        "parameters": {"temperature": 0},
        "family": "qwen",
        "categories": ["geometry"],
    }
    for change in ({name: value} for name, value in changes.items()):
        assert score(run, write_judge(tmp_path, server, **change)) == 2
        assert "the judge gpt-judge of this run is another one" in capsys.readouterr().err
    # Where the key lies says nothing about the judge.
    assert score(run, write_judge(tmp_path, server, api_key_env=None)) == 0
    assert server.count() == count


def test_other_prompts_make_another_judge(
    tmp_path: Path, run: RunFolder, server: OpenAIServer, capsys: pytest.CaptureFixture[str]
) -> None:
    score(run, write_judge(tmp_path, server))
    words = tmp_path / "words"
    words.mkdir()
    for name, text in {"similarity": "Rate.", "preference": "Choose.", "repair": "{problem} {form}"}.items():
        (words / f"{name}.txt").write_text(text)
    assert score(run, write_judge(tmp_path, server, prompts="words")) == 2
    assert "prompts" in capsys.readouterr().err
    assert score(run, write_judge(tmp_path, server, "terse", prompts="words")) == 0
    assert {judgement.prompts.split()[0] for judgement in read_judgements(run) if judgement.judge == "terse"} == {
        "words"
    }
    assert server.seen[-1].document["messages"][0]["content"][0]["text"] in ("Rate.", "Choose.")


def test_costs_of_judges_stand_apart_and_can_be_limited(
    tmp_path: Path, run: RunFolder, server: OpenAIServer, capsys: pytest.CaptureFixture[str]
) -> None:
    judge = write_judge(tmp_path, server)
    # The server says 0.001 US$ an answer.
    assert score(run, judge, more=("--concurrency", "1", "--max-cost", "0.0055")) == 1
    assert "--max-cost: 0.0060 US$ of 0.0055 US$ spent" in capsys.readouterr().err
    # The limit is on the whole: the same command again asks nothing.
    assert score(run, judge, more=("--max-cost", "0.0055")) == 1
    assert server.count() == 6
    assert score(run, judge, more=("--max-cost", "1")) == 0
    summary = summarise(run)
    assert (summary["cost_usd"], summary["tokens"]["prompt_tokens"]) == (0, 0)
    assert summary["judging"]["cost_usd"] == pytest.approx(0.016)
    assert summary["judging"]["per_judge"]["gpt-judge"]["tokens"]["prompt_tokens"] == 16 * 900
    ircore(["show", str(run.path)])
    assert "judge     gpt-judge: 16 requests, 14,400 tokens read, 1,600 written" in capsys.readouterr().out


PRICE = {"input": 2, "output": 10, "date": "2026-01-01", "source": "a test"}


def test_a_dry_run_asks_nobody_and_says_what_it_would_take(
    tmp_path: Path, run: RunFolder, server: OpenAIServer, capsys: pytest.CaptureFixture[str]
) -> None:
    judge = write_judge(tmp_path, server)
    prices = tmp_path / "prices.yaml"
    prices.write_text(json.dumps({"models": {"judge-gpt-5": PRICE}}))
    before = sorted(path.name for path in run.path.iterdir())
    assert score(run, judge, more=("--dry-run", "--prices", str(prices))) == 0
    out = capsys.readouterr().out
    assert out.startswith("gpt-judge: 12 scores to be had, 0 kept; 16 questions, ")
    assert "US$ by prices of judge-gpt-5 on 2026-01-01" in out
    assert server.count() == 0
    assert sorted(path.name for path in run.path.iterdir()) == before
    score(run, judge, more=("--max-cost", "0.003", "--concurrency", "1"))
    capsys.readouterr()
    score(run, judge, more=("--dry-run",))
    assert capsys.readouterr().out.startswith("gpt-judge: 10 scores to be had, 2 kept; 13 questions, ")


def test_json_says_what_each_judge_did(
    tmp_path: Path, run: RunFolder, server: OpenAIServer, capsys: pytest.CaptureFixture[str]
) -> None:
    server.fail("refusal")
    assert score(run, write_judge(tmp_path, server), more=("--json",)) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["new"], document["kept"], document["unavailable"]) == (12, 8, 1)
    assert document["counts"]["gpt-judge"] == {
        "new": 12, "kept": 0, "new_without": 1, "without": {"judge_refused": 1}, "preferences": 4, "left_out": 0,
        "unread": 0, "undrawn": 0, "open_share": 0.0,
    }  # fmt: skip
    assert document["counts"]["psnr"]["without"] == {"identical pictures": 4}


def test_installed_judges_say_who_they_are_too(run: RunFolder, capsys: pytest.CaptureFixture[str]) -> None:
    assert ircore(["score", str(run.path), "--metric", "psnr"]) == 0
    kept = run.judges()["structural"]
    assert (kept.kind, kept.version) == ("computed", "1")
    (run.path / "judges" / "structural.json").write_text(kept.model_copy(update={"version": "0"}).model_dump_json())
    assert ircore(["score", str(run.path), "--metric", "psnr"]) == 2
    said = capsys.readouterr().err
    assert "version: the judge structural of this run is another one" in said
    assert "score a copy of the run without judges, scores.jsonl and facts.jsonl" in said


def test_two_files_with_one_name_are_refused(
    tmp_path: Path, run: RunFolder, server: OpenAIServer, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "other").mkdir()
    assert score(run, write_judge(tmp_path, server), write_judge(tmp_path / "other", server)) == 2
    assert "name: 'gpt-judge' is also that of" in capsys.readouterr().err
    assert not run.judges()


def test_without_its_key_nothing_is_begun(
    tmp_path: Path, run: RunFolder, server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TEST_API_KEY")
    before = (run.path / "scores.jsonl").read_bytes()
    assert ircore(["score", str(run.path), "--judge", str(write_judge(tmp_path, server))]) == 2
    assert (run.path / "scores.jsonl").read_bytes() == before


SCHEMA: dict[str, Any] = {"type": "object", "properties": {"score": {"type": "integer"}}, "required": ["score"]}
TARGET, IMAGE = build_shown_picture(), build_shown_picture("#0000ff")
VIEW = JudgeView("How alike are they?", (Captioned("A:", TARGET), Captioned("B:", IMAGE)), schema=SCHEMA)
REPAIRED = JudgeView(VIEW.prompt, VIEW.pictures, (RepairExchange("seven", "Answer with JSON."),))


def spec(server: OpenAIServer, **parameters: Any) -> PlayerSpec:
    return PlayerSpec(player="openai", model="judge-1", base_url=server.base_url, parameters=parameters)


def ask(server: OpenAIServer, view: JudgeView = VIEW, **parameters: Any) -> TextAnswer:
    async def asked() -> TextAnswer:
        player = OpenAIDescriber(spec(server, **parameters))
        try:
            return await player.judge(view)
        finally:
            await player.close()

    return asyncio.run(asked())


@pytest.mark.parametrize("api", ["chat", "responses"])
def test_pictures_stand_behind_their_captions_and_answers_are_repaired(server: OpenAIServer, api: str) -> None:
    answer = ask(server, REPAIRED, api=api, detail="low")
    assert answer.text == '{"score": 7}'
    assert (answer.usage.requests, answer.usage.prompt_tokens, len(answer.attempts)) == (1, 900, 1)
    first, reply, repair = server.seen[0].document["messages" if api == "chat" else "input"]
    kinds = {"chat": ("text", "image_url"), "responses": ("input_text", "input_image")}[api]
    assert [part["type"] for part in first["content"]] == [kinds[0], kinds[0], kinds[1], kinds[0], kinds[1]]
    assert [part["text"] for part in first["content"] if "text" in part] == ["How alike are they?", "A:", "B:"]
    assert json.dumps(first).count('"detail": "low"') == 2
    assert (reply["role"], reply["content"]) == ("assistant", "seven")
    assert (repair["role"], repair["content"][0]["text"]) == ("user", "Answer with JSON.")
    assert not {"response_format", "text"} & server.seen[0].document.keys()


def test_a_schema_is_sent_only_if_asked_for(server: OpenAIServer) -> None:
    ask(server, structured=True)
    ask(server, structured=True, api="responses")
    chat, responses = (request.document for request in server.seen)
    answer = {"name": "judgement", "strict": True, "schema": SCHEMA}
    assert chat["response_format"] == {"type": "json_schema", "json_schema": answer}
    assert responses["text"] == {"format": {"type": "json_schema", **answer}}


@pytest.mark.parametrize("api", ["chat", "responses"])
@pytest.mark.parametrize(
    ("fault", "times", "reason"),
    [
        ("refusal", 1, "judge_refused"),
        ("filtered", 2, "judge_refused"),
        ("moderation", 1, "judge_refused"),
        ("empty", 3, "judge_empty"),
        ("rejected", 1, "provider_error"),
    ],
)
def test_an_answer_withheld_is_the_judges(server: OpenAIServer, api: str, fault: str, times: int, reason: str) -> None:
    server.fail("ok", *[fault] * times)
    ask(server)
    with pytest.raises(JudgeError) as caught:
        ask(server, api=api)
    assert caught.value.reason == reason
    assert len(caught.value.attempts) == times


def test_another_picture_order_or_repair_is_another_question(server: OpenAIServer) -> None:
    views = [VIEW, REPAIRED, JudgeView(VIEW.prompt, VIEW.pictures[::-1]), JudgeView(VIEW.prompt, VIEW.pictures[:1])]
    asked = spec(server)
    assert len({hash_question(hash_seat("judge", asked), view) for view in views}) == 4
    same = asked.model_copy(update={"api_key_env": "OTHER_KEY"})
    assert hash_question(hash_seat("judge", asked), VIEW) == hash_question(hash_seat("judge", same), VIEW)
