"""The conformance checks name the fault of a plug-in that does not keep its contract."""

import random
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from ircore.core.conformance import ConformanceError, watch_outside_calls
from ircore.core.episode_records import Rendering
from ircore.core.images import Picture, Pixels
from ircore.core.records import Box, Difficulty, GameRules, Instance, Record
from ircore.games.base import (
    Ending,
    EpisodeSetup,
    Game,
    GameOutcome,
    Instruments,
    Measure,
    Measured,
    RatedPicture,
    Seat,
    SeatTable,
)
from ircore.instances.targets.base import Builder, Drawn, SceneDrawing, check_category
from ircore.players.base import PlayerError, Question, TextAnswer
from ircore.runs.conformance import check_game
from ircore.scorers.conformance import check_judge, check_metric
from ircore.scorers.game_measures import EpisodeInstruments
from ircore.scorers.judges.base import Judgement
from ircore.scorers.judges.structural import StructuralJudge
from ircore.scorers.metrics.base import Metric
from ircore.scorers.metrics.pixel_metrics import PSNR as PSNR


@pytest.mark.parametrize(
    ("reach", "what"),
    [
        (lambda: Path(__file__).read_bytes(), "a file (open)"),
        (time.time, "the clock (time)"),
        (lambda: datetime.now(UTC), "the clock (now)"),
        (lambda: random.random(), "unseeded chance"),
        (lambda: random.choice("ab"), "unseeded chance"),
        (lambda: __import__("socket").socket().close(), "the network (socket)"),
    ],
)
def test_a_call_to_the_outside_is_seen(reach: Any, what: str) -> None:
    with watch_outside_calls() as calls:
        reach()
    assert what in calls[0]


def test_seeded_chance_and_arithmetic_are_not_outside() -> None:
    with watch_outside_calls() as calls:
        random.Random(1).choice("ab")
        np.arange(4).astype(np.float64).sum()
    assert calls == []


def _spoils(target: Pixels, image: Pixels) -> float:
    target[:] = 0
    return 1.0


@pytest.mark.parametrize(
    ("metric", "fault"),
    [
        (replace(PSNR, high=1.0), "metric psnr: the value .* is above its high of 1"),
        (replace(PSNR, source=""), "metric psnr: source is empty"),
        (replace(PSNR, compute=lambda target, image: float("nan")), "the value is nan"),
        (replace(PSNR, compute=lambda target, image: float((target - image).mean())), "ValueError on pictures of"),
        (replace(PSNR, compute=_spoils), "changes the pixels that it is given"),
        (replace(PSNR, compute=lambda target, image: time.time()), "reaches the clock"),
        (replace(PSNR, compute=lambda target, image: random.random()), "unseeded chance"),
        (object(), "metric: object is no ircore.scorers.metrics.base.Metric"),
    ],
)
def test_faults_of_metrics(metric: Metric, fault: str) -> None:
    with pytest.raises(ConformanceError, match=fault):
        check_metric(metric)


class Generous(StructuralJudge):
    def rate(self, target: Picture, image: Picture) -> Judgement:
        return Judgement(11.0)


class Wavering(StructuralJudge):
    def rate(self, target: Picture, image: Picture) -> Judgement:
        return Judgement(random.random())


class Mute(StructuralJudge):
    def rate(self, target: Picture, image: Picture) -> Judgement:
        return Judgement(None)


class Biased(StructuralJudge):
    def prefer(self, target: Picture, first: Picture, final: Picture) -> Judgement:
        return Judgement(1.0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("judge", "fault"),
    [
        (Generous(), "judge structural: rate: the value 11 is above its high of 10"),
        (Wavering(), "judges the same pictures differently the second time"),
        (Mute(), "rate: give either a value or a reason"),
        (Biased(), "prefer: depends on which rendering is shown first"),
    ],
)
def test_faults_of_judges(judge: StructuralJudge, fault: str) -> None:
    with pytest.raises(ConformanceError, match=fault):
        check_judge(judge)


@pytest.mark.slow
def test_a_category_that_draws_by_unseeded_chance() -> None:
    def build(difficulty: Difficulty, rng: random.Random) -> Drawn:
        scene = SceneDrawing()
        scene.add("disc", scene.drawing.ellipse((random.randint(100, 400), 200), (20, 20), fill="#ff0000"), "#ff0000")
        return scene.finish()

    with pytest.raises(ConformanceError, match="reaches unseeded chance"):
        check_category(build, "discs")


@pytest.mark.slow
def test_a_category_that_ignores_its_generator() -> None:
    def build(difficulty: Difficulty, rng: random.Random) -> Drawn:
        scene = SceneDrawing()
        scene.add("disc", scene.drawing.ellipse((200, 200), (20, 20), fill="#ff0000"), "#ff0000")
        return scene.finish()

    with pytest.raises(ConformanceError, match="category discs, easy: 3 different seeds give the same picture"):
        check_category(build, "discs")


def drawn_by(kind: str, text: str | None = None, kinds: dict[str, float] | None = None, **about: Any) -> Builder:
    """Return a category that draws a disc and calls it ``kind``."""

    def build(difficulty: Difficulty, rng: random.Random) -> Drawn:
        scene = SceneDrawing(kinds=kinds)
        box = scene.drawing.ellipse((rng.randint(100, 400), 200), (20, 20), fill="#ff0000")
        scene.add(kind, box, "#ff0000", text, **about)
        return scene.finish()

    return build


@pytest.mark.slow
def test_a_category_with_kinds_of_its_own() -> None:
    check_category(drawn_by("blob", kinds={"blob": 2.0}, size=[3], corners="none"))


@pytest.mark.parametrize(
    ("build", "fault"),
    [
        (drawn_by("bar", value=3), "bar at .* states no baseline, category, series, orientation in the form"),
        (drawn_by("circle", radius="large"), "circle at .* states no centre, radius in the form .* name of your own"),
        (drawn_by("bar", text="12"), "bar at .* states no value"),
        (drawn_by("disc", text="12"), "disc has the text '12': give texts a type of their own"),
        (drawn_by("blob", kinds={"disc": 2.0}), "kinds gives a weight to disc, whose weight is fixed"),
    ],
)
def test_faults_of_scenes(build: Builder, fault: str) -> None:
    with pytest.raises(ConformanceError, match=fault):
        check_category(build, "discs")


def test_a_category_whose_pictures_show_nothing_of_what_the_scene_says() -> None:
    def build(difficulty: Difficulty, rng: random.Random) -> Drawn:
        scene = SceneDrawing()
        scene.drawing.ellipse((rng.randint(100, 400), 200), (20, 20), fill="#ff0000")
        scene.add("blob", Box(20, 400, 60, 440), "#00ff00")
        return scene.finish()

    with pytest.raises(ConformanceError, match="verified rates the target of seed 0 itself with None"):
        check_category(build, "blobs")


class Step(Record):
    guess: str


class Payload(Record):
    pass


GUESSER: Seat[Question, TextAnswer] = Seat("guesser", "Guesser", "the prompt alone", "text")


class Sound(Game[GameRules]):
    """A game of two questions that keeps the contract; those below break it in one place each."""

    name, title = "sound", "Sound"
    seats = (GUESSER,)
    payload, rules, step = Payload, GameRules, Step
    outcomes = (GameOutcome("completed", played=True), GameOutcome("aborted", played=False))
    measures: ClassVar[tuple[Measure, ...]] = (Measure("length", "Length", range=(0, 10)),)

    async def play(self, table: SeatTable, setup: EpisodeSetup[GameRules]) -> Ending:
        first = await table.ask(GUESSER, Question(1, "Guess."))
        second = await table.ask(GUESSER, Question(2, f"Not {first.text}. Guess again."))
        return Ending("completed", (Step(guess=first.text), Step(guess=second.text)))

    def measure(self, payload: Any, ending: Ending) -> Iterator[Measured]:
        yield Measured("length", None, len(ending.steps))


class Timed(Sound):
    async def play(self, table: SeatTable, setup: EpisodeSetup[GameRules]) -> Ending:
        time.monotonic()
        return await super().play(table, setup)


class Remembering(Sound):
    episodes = 0

    async def play(self, table: SeatTable, setup: EpisodeSetup[GameRules]) -> Ending:
        self.episodes += 1
        answer = await table.ask(GUESSER, Question(1, f"Episode {self.episodes}: guess."))
        return Ending("completed", (Step(guess=answer.text),))


class Repeating(Sound):
    async def play(self, table: SeatTable, setup: EpisodeSetup[GameRules]) -> Ending:
        await table.ask(GUESSER, Question(1, "Guess."))
        await table.ask(GUESSER, Question(1, "Guess again."))
        return Ending("completed", ())


class Undeclared(Sound):
    async def play(self, table: SeatTable, setup: EpisodeSetup[GameRules]) -> Ending:
        return Ending("won", ())


class Beyond(Sound):
    measures = (Measure("length", "Length", range=(0, 1)),)


class Unmeasured(Sound):
    def measure(self, payload: Any, ending: Ending) -> Iterator[Measured]:
        return iter(())


class Prejudging(Sound):
    """Takes a refusal for a played episode that it then cannot measure."""

    async def play(self, table: SeatTable, setup: EpisodeSetup[GameRules]) -> Ending:
        try:
            return await super().play(table, setup)
        except PlayerError:
            return Ending("completed", ())

    def measure(self, payload: Any, ending: Ending) -> Iterator[Measured]:
        return super().measure(payload, ending) if ending.steps else iter(())


class Renaming(Sound):
    async def play(self, table: SeatTable, setup: EpisodeSetup[GameRules]) -> Ending:
        try:
            return await super().play(table, setup)
        except PlayerError:
            return Ending("refused", ())


class Hidden(Sound):
    def collect_shown_values(self, payload: Any, ending: Ending | None) -> dict[str, Any]:
        return {"steps": len(ending.steps)}  # type: ignore[union-attr]  # the fault that is tested


class Misnaming(Sound):
    def list_rated_pictures(self, payload: Any, ending: Ending) -> Iterator[RatedPicture]:
        yield RatedPicture(1, "target", Rendering(sha256="0" * 64, width=8, height=8))


class Guesser:
    async def answer(self, question: Question) -> TextAnswer:
        return TextAnswer("apple")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "fault"),
    [
        (Timed, r"play: test_conformance_faults.py:\d+ reaches the clock \(monotonic\): rules only ask"),
        (Remembering, "resumed after 0 answers, guesser is asked otherwise in step 1"),
        (Repeating, "asks the seat guesser twice in step 1"),
        (Undeclared, "ended with 'won', which it does not declare"),
        (Beyond, "measure length: the value 2 is outside 0 to 1"),
        (Unmeasured, "measure gives no length"),
        (Hidden, "one: collect_shown_values breaks on an instance with AttributeError"),
        (Misnaming, "one: list_rated_pictures: step 1: the rated picture is none of the step's"),
        (Prejudging, "one: guesser in step 1 refuses: measure gives no length"),
        (Renaming, "ended with 'refused', which it does not declare"),
    ],
)
def test_faults_of_games(game: type[Game[GameRules]], fault: str) -> None:
    instance = Instance(
        instance_id="one", category="fruit", difficulty="easy", game="sound", source="by hand", licence="CC0-1.0"
    )
    setup = EpisodeSetup(instance, Payload(), {}, GameRules())
    check_game(Sound, [setup], {"guesser": Guesser()})
    with pytest.raises(ConformanceError, match=fault):
        check_game(game, [setup], {"guesser": Guesser()})


class Seen(Sound):
    """A game with a measure of pictures."""

    measures = (*Sound.measures, Measure("likeness", "Likeness", range=(0, 1), needs="pictures"))

    def measure_pictures(self, payload: Any, ending: Ending, instruments: Instruments) -> Iterator[Measured]:
        yield Measured("likeness", None, 0.7)


class Overrated(Seen):
    def measure_pictures(self, payload: Any, ending: Ending, instruments: Instruments) -> Iterator[Measured]:
        yield Measured("likeness", None, 7.0)


class Misled(Seen):
    def measure_pictures(self, payload: Any, ending: Ending, instruments: Instruments) -> Iterator[Measured]:
        target = instruments.picture("target")
        yield Measured("likeness", None, *instruments.metric("shine", target, target))


class Misspelt(Seen):
    def measure_pictures(self, payload: Any, ending: Ending, instruments: Instruments) -> Iterator[Measured]:
        return iter(())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "fault"),
    [
        (Overrated, "measure likeness: the value 7 is outside 0 to 1"),
        (Misled, "one: measure_pictures: unknown metric 'shine'"),
        (Misspelt, "one: measure_pictures gives no likeness: give None with a reason instead"),
    ],
)
def test_faults_of_measures_of_pictures(game: type[Game[GameRules]], fault: str) -> None:
    instance = Instance(
        instance_id="one", category="fruit", difficulty="easy", game="sound", source="by hand", licence="CC0-1.0"
    )
    target = Picture.from_pixels(np.zeros((8, 8, 3), np.uint8))
    setup = EpisodeSetup(instance, Payload(), {"target": target}, GameRules())
    check_game(Seen, [setup], {"guesser": Guesser()}, EpisodeInstruments)
    check_game(game, [setup], {"guesser": Guesser()})
    with pytest.raises(ConformanceError, match=fault):
        check_game(game, [setup], {"guesser": Guesser()}, EpisodeInstruments)
