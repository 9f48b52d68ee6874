"""What is wrong with a game of another package is named in one line, when it is played and when it is measured."""

import asyncio
from collections.abc import Iterable
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from pydantic import Field

from ircore.commands.main import run as ircore
from ircore.core.episode_records import Rendering
from ircore.core.errors import InputError, WorkError
from ircore.core.images import Picture
from ircore.core.records import GameRules, Instance, Record
from ircore.games.base import Ending, EpisodeSetup, Game, GameOutcome, Measure, Measured, Seat, SeatTable
from ircore.games.reference.build import build
from ircore.games.reference.game import ReferenceGame
from ircore.instances.requests import BuildRequest
from ircore.players.base import PlayerError, Question, TextAnswer
from ircore.runs.costs.limit import NoMoreError
from ircore.runs.episode import play_episode, record_ending
from ircore.scorers.game_measures import compute_measure_scores

WHITE = Picture.from_pixels(np.full((8, 8, 3), 255, np.uint8))
GUESSER: Seat[Question, TextAnswer] = Seat("guesser", "Guesser", "the prompt alone", "text")
STRANGER: Seat[Question, TextAnswer] = Seat("stranger", "Stranger", "nothing", "text")


class Secret(Record):
    """An instance's own field."""

    secret: str


class Guessed(Record):
    """A step."""

    guess: str


class Guess(Game[GameRules]):
    """A game without faults; each test breaks one thing."""

    name, title = "guess", "Guess a word"
    seats = (GUESSER,)
    payload, rules = Secret, GameRules
    step: ClassVar[type[Record]] = Guessed
    outcomes: ClassVar[tuple[GameOutcome, ...]] = (
        GameOutcome("completed", played=True),
        GameOutcome("aborted", played=False),
    )
    measures = (Measure("correct", "Correct", range=(0, 1)),)

    async def play(self, table: SeatTable, setup: EpisodeSetup[GameRules]) -> Ending:
        answer = await table.ask(GUESSER, Question(step=1, prompt="Guess."))
        return Ending("completed", (Guessed(guess=answer.text),))


class Apple:
    """A table at which everybody says apple."""

    async def ask(self, seat: Seat[Any, Any], question: Any) -> Any:
        return TextAnswer("apple")


class Raising:
    """A table whose questions raise an error."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    async def ask(self, seat: Seat[Any, Any], question: Any) -> Any:
        raise self.error


INSTANCE = Instance(
    instance_id="apple-easy-01", category="fruit", difficulty="easy", game="guess", source="by hand",
    licence="CC0-1.0", payload={"secret": "apple"},
)  # fmt: skip
SETUP = EpisodeSetup(INSTANCE, Secret(secret="apple"), {}, GameRules())


def play_and_record(game: Game[Any], table: SeatTable) -> Any:
    return record_ending(game, INSTANCE, asyncio.run(play_episode(game, table, SETUP)))


def test_rules_that_break_are_named_with_their_line() -> None:
    class Breaks(Guess):
        async def play(self, table: SeatTable, setup: EpisodeSetup[GameRules]) -> Ending:
            return Ending("completed", (Guessed(guess="apple"[9]),))

    with pytest.raises(
        WorkError, match=r"apple-easy-01: the game guess broke with IndexError: .* out of range"
    ) as told:
        play_and_record(Breaks(), Apple())
    assert "(test_faults_of_games.py:" in told.value.problem
    assert told.value.remedy == "This is a fault of the game: mend it and give the same command again."


def test_a_step_that_is_not_valid_is_told_in_words_with_the_line_that_made_it() -> None:
    class Counted(Record):
        right: int = Field(le=9)

    class Miscounts(Guess):
        async def play(self, table: SeatTable, setup: EpisodeSetup[GameRules]) -> Ending:
            return Ending("completed", (Counted(right=10),))

    with pytest.raises(WorkError, match="broke with ValidationError: Counted: right: must be at most 9") as told:
        play_and_record(Miscounts(), Apple())
    assert "(test_faults_of_games.py:" in told.value.problem


def test_what_a_question_raises_is_no_fault_of_the_game() -> None:
    with pytest.raises(OSError, match="no space left"):
        play_and_record(Guess(), Raising(OSError("no space left")))
    refused = play_and_record(Guess(), Raising(PlayerError("answer_refused", "I would rather not.")))
    assert (refused.outcome, refused.abort_reason) == ("aborted", "answer_refused")


class Catches(Guess):
    """Rules that make an outcome of every error, and ask on."""

    outcomes = (GameOutcome("completed", played=True), GameOutcome("refused", played=True),
                GameOutcome("aborted", played=False))  # fmt: skip

    def __init__(self, caught: type[Exception] = PlayerError, ending: Ending | None = None) -> None:
        self.caught, self.ending = caught, ending or Ending("refused", (Guessed(guess=""),))

    async def play(self, table: SeatTable, setup: EpisodeSetup[GameRules]) -> Ending:
        failures = 0
        for step in (1, 2, 3):
            try:
                await table.ask(GUESSER, Question(step=step, prompt="Guess."))
            except self.caught:
                failures += 1
        return self.ending if failures else Ending("completed", ())


class CountingRefusals(Raising):
    """Counts the questions that reach it."""

    asked = 0

    async def ask(self, seat: Seat[Any, Any], question: Any) -> Any:
        self.asked += 1
        raise self.error


def test_an_outage_never_becomes_a_result_whatever_the_rules_return() -> None:
    outage = CountingRefusals(PlayerError("provider_error", "HTTP 503"))
    for ending in (None, Ending("completed", ()), Ending("aborted", (), "answer_refused", "no")):
        episode = play_and_record(Catches(ending=ending), outage)
        assert (episode.outcome, episode.abort_reason, episode.detail) == ("aborted", "provider_error", "HTTP 503")
        assert not episode.finished
    assert outage.asked == 3, "after the first failure of an episode nothing more is asked"


def test_a_refusal_is_for_the_rules_to_handle() -> None:
    refusals = CountingRefusals(PlayerError("answer_refused", "I would rather not."))
    assert play_and_record(Catches(), refusals).outcome == "refused"
    assert refusals.asked == 3


def test_an_outage_after_a_refusal_counts_too() -> None:
    class Flaky(CountingRefusals):
        async def ask(self, seat: Seat[Any, Any], question: Any) -> Any:
            self.error = PlayerError("answer_refused" if question.step == 1 else "provider_error", str(question.step))
            return await super().ask(seat, question)

    episode = play_and_record(Catches(), Flaky(OSError()))
    assert (episode.abort_reason, episode.detail) == ("provider_error", "2")


@pytest.mark.parametrize("error", [OSError("no space left"), NoMoreError("the limit is reached"), InputError("bad")])
def test_errors_that_stop_a_run_pass_rules_that_catch_everything(error: Exception) -> None:
    with pytest.raises(type(error), match=str(error)):
        play_and_record(Catches(Exception), Raising(error))


def test_a_seat_is_declared_and_asked_once_a_step() -> None:
    class AsksStranger(Guess):
        async def play(self, table: SeatTable, setup: EpisodeSetup[GameRules]) -> Ending:
            await table.ask(STRANGER, Question(step=1, prompt="Who are you?"))
            return Ending("completed", ())

    class AsksTwice(Guess):
        async def play(self, table: SeatTable, setup: EpisodeSetup[GameRules]) -> Ending:
            await table.ask(GUESSER, Question(step=1, prompt="Guess something else."))
            return await super().play(table, setup)

    with pytest.raises(WorkError, match="the game guess asks the seat stranger, which it does not declare"):
        play_and_record(AsksStranger(), Apple())
    with pytest.raises(WorkError, match="asks the seat guesser twice in step 1: a question is known by its step"):
        play_and_record(AsksTwice(), Apple())


@pytest.mark.parametrize(
    ("ending", "told"),
    [
        (None, "the game guess returned a NoneType, not an Ending"),
        (Ending("won", ()), "the game guess ended with 'won', which it does not declare"),
        (Ending("completed", (Secret(secret="x"),)), "the game guess ended with a Secret as step 1, not a Guessed"),
    ],
)
def test_an_ending_is_what_the_game_declares(ending: Any, told: str) -> None:
    class Ends(Guess):
        async def play(self, table: SeatTable, setup: EpisodeSetup[GameRules]) -> Ending:
            return ending  # type: ignore[no-any-return]

    with pytest.raises(WorkError, match=told):
        play_and_record(Ends(), Apple())


def test_a_picture_of_a_step_is_one_that_a_seat_drew() -> None:
    class Pictured(Record):
        drawn: Rendering | None

    class Paints(Guess):
        step = Pictured

        async def play(self, table: SeatTable, setup: EpisodeSetup[GameRules]) -> Ending:
            return Ending("completed", (Pictured(drawn=None), Pictured(drawn=Rendering.of(WHITE))))

    with pytest.raises(WorkError, match="the game guess ended with a picture in step 2 that no seat drew"):
        play_and_record(Paints(), Apple())


def test_measures_that_break_are_named_with_their_line() -> None:
    class Mismeasures(Guess):
        def measure(self, payload: Any, ending: Ending) -> Iterable[Measured]:
            yield Measured("correct", None, 1 / len(ending.steps[1:]))

    episode = play_and_record(Guess(), Apple())
    with pytest.raises(WorkError, match="the game guess broke with ZeroDivisionError: division by zero") as told:
        list(compute_measure_scores(Mismeasures(), episode, {INSTANCE.instance_id: SETUP.payload}))
    assert "(test_faults_of_games.py:" in told.value.problem
    assert told.value.remedy == "Mend the game's package and score the run again."


@pytest.mark.slow
def test_a_declared_measure_that_no_episode_has_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    build(BuildRequest(tmp_path / "contexts", per_condition=1, categories=("lineup",)))
    pair, run = Path(__file__).parents[3] / "submissions" / "looker", str(tmp_path / "run")
    assert ircore(["play", str(pair), "--instances", str(tmp_path / "contexts"), "--out", run, "--limit", "1"]) == 0
    measures = (*ReferenceGame.measures, Measure("never", "Never", range=(0, 1)))
    monkeypatch.setattr(ReferenceGame, "measures", measures)
    assert ircore(["score", run]) == 0
    assert "never, which the game reference declares" in capsys.readouterr().err
