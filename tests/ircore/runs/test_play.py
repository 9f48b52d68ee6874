"""The runner: nothing answered is asked again, whatever happens."""

import asyncio
import json
import random
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import samples
from clocks import LoopClock
from samples import CentreDescriber, sample_instances, sample_run, sample_submission
from transcripts import hand_in

from dataset_card.hub.pull import pull_release
from dataset_card.releases.build import build_release
from ircore.commands.main import run as ircore
from ircore.core.episode_records import Episode
from ircore.core.errors import InputError, WorkError
from ircore.core.images import Picture
from ircore.core.records import PlayerSpec
from ircore.games.base import Seat
from ircore.games.reconstruction.prompts import load_prompts
from ircore.games.reconstruction.records import Rules, list_rendered_turns, list_turns
from ircore.instances.store import InstanceSet
from ircore.players.base import (
    Answer,
    AnswerKind,
    ChoiceAnswer,
    DescriberView,
    PictureAnswer,
    PlayerError,
    Question,
    TextAnswer,
)
from ircore.results.model import Results
from ircore.runs.answers import check_answer, clean_answer
from ircore.runs.folder import RunFolder
from ircore.runs.play import declare_final, make_run, open_run
from ircore.runs.summary import summarise
from ircore.scorers.scoring import ScoringPlan, score_runs
from ircore.submissions.rescoring.rescore import RefusedError, rescore

SLOW_PLAY = Path(samples.__file__).with_name("slow_play.py")


def without_times(episodes: tuple[Episode, ...]) -> list[dict[str, object]]:
    return [episode.model_dump(exclude={"steps": {"__all__": {"seconds"}}}) for episode in episodes]


def test_a_run_is_what_the_players_did(run: RunFolder) -> None:
    episodes = run.episodes()
    assert [episode.outcome for episode in episodes] == ["converged"] * 4
    assert [episode.instance_id for episode in episodes] == [
        instance.instance_id for instance in run.instances.instances
    ]
    assert {len(list_rendered_turns(episode)) for episode in episodes} == {2}
    summary = summarise(run)
    assert summary["requests"] == {"describer": 12, "generator": 8, "judge": 0}
    assert summary["turns"] == 12


def test_a_finished_run_is_left_as_it_is(run: RunFolder, instances: InstanceSet) -> None:
    before = {path: path.read_bytes() for path in run.path.rglob("*") if path.is_file()}
    sample_run(run.path, instances)
    assert {path: path.read_bytes() for path in run.path.rglob("*") if path.is_file()} == before


@pytest.mark.slow
def test_a_limit_stops_early_and_the_rest_comes_later(tmp_path: Path, instances: InstanceSet) -> None:
    assert len(sample_run(tmp_path / "run", instances, limit=1).episodes()) == 1
    assert len(sample_run(tmp_path / "run", instances).episodes()) == 4


@pytest.mark.slow
def test_kill_9_loses_nothing_that_was_answered(tmp_path: Path) -> None:
    instances = sample_instances(tmp_path / "instances", per_condition=3)
    undisturbed = sample_run(tmp_path / "undisturbed", instances)
    folder, questions = tmp_path / "run", tmp_path / "questions"
    command = [sys.executable, str(SLOW_PLAY), str(instances.folder), str(folder), str(questions), "0.02"]
    for moment in random.Random(4).sample(range(5, 30), 3):
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        while process.poll() is None and len(_lines(questions)) < moment:
            time.sleep(0.005)
        process.kill()
        process.wait()
        answered, asked_before = _answers(folder), len(_lines(questions))
        subprocess.run([*command[:-1], "0"], check=True, stderr=subprocess.DEVNULL, timeout=300)
        again = _lines(questions)[asked_before:]
        # Every question is asked once a run; those that the killed process had no answer to are asked once more.
        assert len(again) == _answers(folder) - answered
        assert without_times(RunFolder(folder).episodes()) == without_times(undisturbed.episodes())
        assert not list((folder / "renderings").glob(".*"))
        _empty(folder, questions)


def _lines(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.exists() else []


def _answers(folder: Path) -> int:
    return sum('"event":"call"' in line for line in _lines(folder / "journal.jsonl"))


def _empty(folder: Path, questions: Path) -> None:
    (folder / "journal.jsonl").unlink()
    for rendering in (folder / "renderings").iterdir():
        rendering.unlink()
    questions.unlink()


@pytest.mark.slow
def test_a_journal_cut_in_mid_line_goes_on_from_there(run: RunFolder, instances: InstanceSet) -> None:
    whole = without_times(run.episodes())
    journal = run.path / "journal.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:9]) + lines[9][:25])
    assert len(RunFolder(run.path).calls()) <= 9
    assert without_times(sample_run(run.path, instances).episodes()) == whole
    assert all(json.loads(line) for line in journal.read_text().splitlines())


@pytest.mark.slow
def test_a_damaged_line_is_named(run: RunFolder, instances: InstanceSet) -> None:
    journal = run.path / "journal.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    lines[2] = b'{"event":"call","turn":0}\n'
    journal.write_bytes(b"".join(lines))
    with pytest.raises(InputError, match=r"journal\.jsonl:3: the line is damaged"):
        sample_run(run.path, instances)


@pytest.mark.slow
def test_another_instance_set_is_refused(tmp_path: Path, run: RunFolder) -> None:
    other = sample_instances(tmp_path / "other", per_condition=2)
    with pytest.raises(InputError, match=r"run\.json: instance_set: this run was played with"):
        sample_run(run.path, other)


@pytest.mark.slow
def test_other_rules_are_refused(run: RunFolder, instances: InstanceSet) -> None:
    rules = Rules(token_budget=10)
    made = make_run(sample_submission(), instances, rules, load_prompts("reconstruction"), 0)
    with pytest.raises(InputError, match=r"rules\.token_budget: this run was played with 200, not 10"):
        open_run(run.path, made, instances)


@pytest.mark.slow
def test_two_processes_on_one_run_folder(run: RunFolder, instances: InstanceSet) -> None:
    with run.lock(), pytest.raises(InputError, match="another process is working on this run"):
        sample_run(run.path, instances)


@pytest.mark.slow
def test_a_full_disk_stops_the_run_and_loses_nothing(
    tmp_path: Path, instances: InstanceSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    import os

    real, written = os.write, 0

    def almost_full(file: int, data: bytes) -> int:
        nonlocal written
        written += bytes(data[:1]) == b"{"  # a line, not a picture
        return real(file, data[:10]) if written == 7 else real(file, data)

    monkeypatch.setattr(os, "write", almost_full)
    with pytest.raises(WorkError, match=r"journal\.jsonl: cannot be written \(No space left on device\)"):
        sample_run(tmp_path / "run", instances)
    monkeypatch.undo()
    journal = (tmp_path / "run" / "journal.jsonl").read_bytes()
    assert journal.endswith(b"\n")
    assert len(sample_run(tmp_path / "run", instances).episodes()) == 4


class FlakyDescriber(CentreDescriber):
    """Its provider is down while ``down`` is set."""

    down = True

    async def describe(self, view: DescriberView) -> TextAnswer:
        if self.down and view.turn == 2:
            raise PlayerError("provider_error", "The server is down.")
        return await super().describe(view)


@pytest.mark.slow
def test_a_technical_failure_is_played_again_when_the_run_is_resumed(tmp_path: Path, instances: InstanceSet) -> None:
    describer = FlakyDescriber(PlayerSpec(player="classical"))
    failed = sample_run(tmp_path / "run", instances, describer=describer, concurrency=4).episodes()
    assert {episode.abort_reason for episode in failed} == {"provider_error"}
    describer.down = False
    played = sample_run(tmp_path / "run", instances, describer=describer, concurrency=4).episodes()
    assert [episode.outcome for episode in played] == ["converged"] * 4


class SleepyDescriber(CentreDescriber):
    """Falls asleep on turn 2; ten minutes are over as soon as it sleeps in all four episodes."""

    clock: LoopClock
    asleep = 0

    async def describe(self, view: DescriberView) -> TextAnswer:
        if view.turn == 2:
            self.asleep += 1
            self.clock.ahead = 600.0 * (self.asleep == 4)
            await asyncio.sleep(3600)
        return await super().describe(view)


@pytest.mark.slow
def test_a_deadline_stops_the_run_and_what_was_answered_is_kept(
    tmp_path: Path, instances: InstanceSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    sleepy = SleepyDescriber(PlayerSpec(player="classical"))
    sleepy.clock = LoopClock(monkeypatch)
    with pytest.raises(WorkError, match="stopped at the deadline of 600 s"):
        sample_run(tmp_path / "run", instances, describer=sleepy, concurrency=4, deadline=600.0)
    assert len(RunFolder(tmp_path / "run").calls()) == 8
    assert len(sample_run(tmp_path / "run", instances).episodes()) == 4


def test_a_damaged_rendering_is_named(run: RunFolder) -> None:
    rendering = list_rendered_turns(run.episodes()[0])[0].rendering
    assert rendering is not None
    run.rendering_path(rendering.sha256).write_bytes(b"something else")
    with pytest.raises(InputError, match="damaged, not the picture that was recorded"):
        run.rendering(rendering)
    run.rendering_path(rendering.sha256).unlink()
    with pytest.raises(InputError, match=r"\.png: missing") as caught:
        run.rendering(rendering)
    assert caught.value.remedy == "Restore it from a copy of the run."


class _UnheardError(BaseException):
    """An exception that nobody expects."""


class _HalfError(PlayerError):
    """A refusal without a reason."""

    def __init__(self) -> None: ...


def _raise(error: BaseException) -> TextAnswer:
    raise error


SAID = "<DESCRIPTION>A red square.</DESCRIPTION>"
ODD: dict[str, Callable[[], Any]] = {
    "an unknown reason": lambda: _raise(PlayerError("tired", "no")),  # type: ignore[arg-type]
    "a reason that is no text": lambda: _raise(PlayerError(["tired"], "no")),  # type: ignore[arg-type]
    "no reason": lambda: _raise(_HalfError()),
    "a surrogate in a refusal": lambda: _raise(PlayerError("describer_refused", "no \ud800")),
    "a surrogate in an error": lambda: _raise(RuntimeError("no \ud800")),
    "attempts that are none": lambda: _raise(PlayerError("describer_refused", "no", ("two",))),  # type: ignore[arg-type]
    "a detail that is no text": lambda: _raise(PlayerError("describer_refused", 7)),  # type: ignore[arg-type]
    "a cancellation": lambda: _raise(asyncio.CancelledError()),
    "an exit": lambda: _raise(SystemExit(0)),
    "an exception of its own": lambda: _raise(_UnheardError("no")),
    "no usage": lambda: TextAnswer(SAID, usage=None),  # type: ignore[arg-type]
    "a usage that is a mapping": lambda: TextAnswer(SAID, usage={"requests": 1}),  # type: ignore[arg-type]
    "no attempts": lambda: TextAnswer(SAID, attempts=None),  # type: ignore[arg-type]
    "no text": lambda: TextAnswer(None),  # type: ignore[arg-type]
    "nothing": lambda: None,
}


@pytest.mark.slow
@pytest.mark.parametrize("what", ODD)
def test_a_plug_in_that_raises_or_returns_odd_things_is_a_player_that_broke(
    tmp_path: Path, instances: InstanceSet, what: str
) -> None:
    class Odd(CentreDescriber):
        async def describe(self, view: DescriberView) -> TextAnswer:
            answer: TextAnswer = ODD[what]()
            return answer

    with pytest.raises(WorkError, match=r"describer (broke|answered)") as caught:
        sample_run(tmp_path / "run", instances, describer=Odd)
    assert "\n" not in caught.value.problem
    assert (caught.value.problem + caught.value.remedy).encode()
    assert RunFolder(tmp_path / "run").calls() == {}
    assert [episode.outcome for episode in sample_run(tmp_path / "run", instances).episodes()] == ["converged"] * 4


def test_a_player_whose_method_is_no_coroutine_is_one_that_broke(tmp_path: Path, instances: InstanceSet) -> None:
    class Hasty(CentreDescriber):
        def describe(self, view: DescriberView) -> TextAnswer:  # type: ignore[override]
            raise ValueError("too soon")

    with pytest.raises(WorkError, match="the describer broke with ValueError: too soon"):
        sample_run(tmp_path / "run", instances, describer=Hasty)


SMALL = Picture.from_pixels(np.zeros((1, 1, 3), np.uint8))
WIDE = Picture.from_pixels(np.zeros((1, 9000, 3), np.uint8))


@pytest.mark.parametrize(
    ("answers", "answer", "problem", "remedy"),
    [
        ("text", None, "answered with a NoneType, not with a text", "Answer with a TextAnswer."),
        ("text", TextAnswer(5), "a TextAnswer whose text is of the type int", "It has to be of the type str."),  # type: ignore[arg-type]
        ("picture", PictureAnswer(b"PNG"), "whose picture is of the type bytes", "It has to be of the type Picture."),  # type: ignore[arg-type]
        ("picture", PictureAnswer(WIDE), "drew 9000 × 1 pixels", "Draw at most 8,192 pixels a side."),
        ("picture", PictureAnswer(SMALL, notes="unclear"), "notes that are no list", 'Write notes=("a note",).'),  # type: ignore[arg-type]
        ("choice", ChoiceAnswer("A", notes=(5,)), "notes that are no list", 'Write notes=("a note",).'),  # type: ignore[arg-type]
        ("choice", ChoiceAnswer("C"), "chose 'C'", "Choose one of: A, B."),
        ("choice", ChoiceAnswer(0), "whose choice is of the type int", "It has to be of the type str."),  # type: ignore[arg-type]
    ],
)
def test_what_does_not_fit_is_named(answers: AnswerKind, answer: Any, problem: str, remedy: str) -> None:
    seat: Seat[Question, Answer] = Seat("maker", "Maker", "the prompt", answers)
    question = Question(step=1, prompt="Make something.", choices=("A", "B"))
    with pytest.raises(WorkError, match=problem) as refused:
        check_answer(seat, question, answer)
    assert refused.value.remedy == remedy


def test_a_question_without_choices_is_the_games_fault() -> None:
    seat: Seat[Question, Answer] = Seat("maker", "Maker", "the prompt", "choice")
    with pytest.raises(WorkError, match="the question to the seat maker in step 1 offers no choices") as refused:
        check_answer(seat, Question(step=1, prompt="Choose something."), ChoiceAnswer("A"))
    assert refused.value.remedy == "This is a fault of the game: ask with Question(…, choices=…)."


def test_words_of_any_length_are_recorded_up_to_a_bound() -> None:
    talk = clean_answer(TextAnswer("word " * 500_000))
    assert isinstance(talk, TextAnswer)
    assert talk.text == "word " * 40_000  # 200,000 characters
    drawn = clean_answer(PictureAnswer(SMALL, notes=("\ud800" * 3_000,) * 500))
    assert isinstance(drawn, PictureAnswer)
    assert drawn.notes == ("?" * 2_000,) * 100


def test_characters_that_nobody_sees_are_not_recorded() -> None:
    said = clean_answer(TextAnswer("<DESCRIPTION>\u202ea r\u200bed\x00 block, 👩\u200d👧\n</DESCRIPTION>"))
    assert isinstance(said, TextAnswer)
    assert said.text == "<DESCRIPTION>a red block, 👩\u200d👧\n</DESCRIPTION>"
    drawn = clean_answer(PictureAnswer(SMALL, notes=("not\u2066 understood",)))
    assert isinstance(drawn, PictureAnswer)
    assert drawn.notes == ("not understood",)


BUILT_IN = Path(__file__).parents[3] / "submissions" / "builtin-classical-canvas"


class BreakingDescriber(CentreDescriber):
    """Its provider is down on the second turn of the target ``breaks_on``."""

    breaks_on = ""

    async def describe(self, view: DescriberView) -> TextAnswer:
        if view.turn == 2 and view.target.sha256 == self.breaks_on:
            raise PlayerError("provider_error", "The server is down.")
        return await super().describe(view)


@pytest.fixture
def broken(tmp_path: Path) -> RunFolder:
    """Seven of eight instances were begun; the first one failed after a rendering."""
    instances = sample_instances(tmp_path / "set", 2)
    describer = BreakingDescriber(sample_submission().submission.players["describer"])
    describer.breaks_on = instances.instances[0].pictures["target"].sha256
    folder = sample_run(tmp_path / "broken", instances, limit=7, describer=describer, concurrency=1)
    score_runs([folder], ScoringPlan(metrics=()), workers=1)
    return folder


def board_of(*runs: RunFolder) -> Sequence[tuple[int | None, str | None]]:
    return [(row.rank_low, row.cell.unranked) for row in Results.from_runs(runs).board("structural")]


@pytest.mark.slow
def test_declaring_a_run_final_gives_what_is_missing_the_outcome_not_played(broken: RunFolder) -> None:
    assert board_of(broken) == [(None, "incomplete")]
    before = broken.episodes()
    assert declare_final(broken, broken.instances.instances) == 2
    assert board_of(broken) == [(1, None)]
    failed, *played, never = broken.episodes()
    assert tuple(played) == before[1:]
    assert (failed.outcome, failed.abort_reason) == ("aborted", "given_up")
    assert failed.detail == "declared final; provider_error: The server is down."
    assert list_turns(failed) == list_turns(before[0])  # what there was of it stays to be seen
    given_up = (never.abort_reason, never.detail, list_turns(never))
    assert given_up == ("given_up", "declared final; never played to an end", ())
    # Nothing was taken out of the journal, and a second time there is nothing left to declare.
    assert [event.episode for event in broken.events() if event.event == "end"][:1] == [before[0]]
    assert declare_final(broken, broken.instances.instances) == 0
    cell = Results.from_runs([broken]).cell(broken.run.run_id, "structural")
    assert cell.score.mean is not None
    assert cell.main_score == pytest.approx(10 * cell.score.mean * 6 / 8)


@pytest.mark.slow
def test_a_final_run_stays_final_in_a_release_and_when_it_is_pulled(broken: RunFolder, tmp_path: Path) -> None:
    build_release([broken.path], broken.path / "instances", tmp_path / "open")
    declare_final(broken, broken.instances.instances)
    build_release([broken.path], broken.path / "instances", tmp_path / "final")
    for name, expected in (("open", (None, "incomplete")), ("final", (1, None))):
        pull_release(tmp_path / name, tmp_path / f"{name}-pulled")
        (path,) = (tmp_path / f"{name}-pulled" / "runs").iterdir()
        assert board_of(RunFolder(path)) == [expected]


@pytest.mark.slow
def test_commands_say_that_a_run_is_incomplete_and_what_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    instances = sample_instances(tmp_path / "set")
    common = ["play", str(BUILT_IN), "--instances", str(instances.folder), "--out", str(tmp_path / "run")]
    assert ircore([*common, "--final"]) == 2
    assert "no run here" in capsys.readouterr().err
    assert ircore([*common, "--limit", "3"]) == 0
    assert ircore(["show", str(tmp_path / "run")]) == 0
    shown = capsys.readouterr().out
    assert "1 of 4 episodes have no result yet, so the run is incomplete and has no rank" in shown
    assert "with --final it counts them as not played" in shown
    assert ircore(["score", str(tmp_path / "run"), "--metric", "psnr"]) == 0
    assert "structural: no rank for builtin-classical-canvas-" in capsys.readouterr().err
    assert ircore(["results", str(tmp_path / "run")]) == 0
    assert "no rank: incomplete: 1 of 4 episodes have no result yet" in capsys.readouterr().out

    assert ircore([*common, "--final"]) == 0
    assert "1 episode declared final; they count as not played" in capsys.readouterr().err
    assert ircore(["show", str(tmp_path / "run"), "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert (summary["unfinished"], summary["abort_reasons"]) == (0, {"given_up": 1})
    assert ircore(["results", str(tmp_path / "run")]) == 0
    assert "incomplete" not in capsys.readouterr().out


@pytest.mark.slow
def test_transcripts_with_episodes_declared_final_hold_by_the_rules(tmp_path: Path) -> None:
    handed = hand_in(tmp_path)
    first = RunFolder(tmp_path / "run").episodes()[0].episode_id

    def give_up(lines: list[dict[str, object]]) -> None:
        kept = [line for line in lines if first in json.dumps(line)]
        lines[:] = [line for line in lines if line not in kept]
        (ended,) = (line for line in kept if line["event"] == "end")
        episode = {**dict(ended["episode"]), "outcome": "aborted", "abort_reason": "given_up", "steps": []}  # type: ignore[call-overload]
        lines.append({"event": "end", "episode": {**episode, "detail": "declared final; never played to an end"}})

    handed.edit(give_up)
    handed.tidy()
    made = rescore(handed.submission, tmp_path / "rescored", handed.instances, handed.packed)
    assert made.folder.episodes()[0].abort_reason == "given_up"


@pytest.mark.slow
def test_an_episode_that_was_played_cannot_be_declared_final(tmp_path: Path) -> None:
    handed = hand_in(tmp_path)

    def give_up(lines: list[dict[str, object]]) -> None:
        ended = next(line for line in lines if line["event"] == "end")
        ended["episode"] |= {"outcome": "aborted", "abort_reason": "given_up", "detail": "declared final"}  # type: ignore[operator]

    handed.edit(give_up)
    with pytest.raises(RefusedError, match="was declared final, but by the rules it has a result: converged"):
        rescore(handed.submission, tmp_path / "rescored", handed.instances, handed.packed)
