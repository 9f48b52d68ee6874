"""The game: one seat shows a sign as a picture, the other chooses what beats it."""

from collections.abc import Iterable
from importlib.resources import files
from typing import Any, Literal

from pydantic import Field

from ircore.core.episode_records import Rendering
from ircore.core.records import GameRules, Record, derive_seed
from ircore.games.base import (
    Curve,
    Ending,
    EpisodeSetup,
    Game,
    GameOutcome,
    Measure,
    Measured,
    Pages,
    PublishedFigure,
    RatedPicture,
    Seat,
    SeatTable,
)
from ircore.players.base import Captioned, ChoiceAnswer, PictureAnswer, PlayerError, Question

SIGNS = ("rock", "paper", "scissors")
BEATS = {"rock": "paper", "paper": "scissors", "scissors": "rock"}
"""What beats each sign."""

SIGNER: Seat[Question, PictureAnswer] = Seat("signer", "Signer", "the picture of a sign", "picture")
CHOOSER: Seat[Question, ChoiceAnswer] = Seat(
    "chooser", "Chooser", "the picture that the signer showed", "choice", recorded=True
)


class Payload(Record):
    """The signs that are shown, round by round, and what a person chose."""

    signs: tuple[Literal["rock", "paper", "scissors"], ...] = Field(description="Shown in this order, over again.")
    human: tuple[str, ...] = Field(default=(), description="What a person chose in each round.")


class Rules(GameRules):
    """How long an episode is."""

    rounds: int = Field(default=3, ge=1, le=20, description="Signs that are shown.")


class Round(Record):
    """One sign and what was chosen against it."""

    sign: Rendering = Field(description="What the signer showed.")
    choice: str = Field(description="What the chooser chose.")
    won: bool = Field(description="Whether that beats the sign.")


class RockPaperScissors(Game[Rules]):
    """Rock, paper, scissors."""

    name = "rps"
    title = "Rock, paper, scissors"
    seats = (SIGNER, CHOOSER)
    payload = Payload
    rules = Rules
    step = Round
    outcomes = (GameOutcome("completed", played=True), GameOutcome("aborted", played=False))
    measures = (
        Measure("wins", "Rounds won", "", (0, 1)),
        Measure("won", "Won", "", (0, 1), per="step"),
        Measure("rounds", "Rounds", "rounds"),
        Measure("likeness", "Sign as it is", "points", (0, 10), per="step", needs="judge"),
        Measure("last_likeness", "Last sign as it is, to people", "points", (0, 10), needs="person"),
    )
    pages = Pages(
        columns=("rounds", "likeness", "last_likeness"),
        figures=("wins", "rounds"),
        curves=(Curve("won", axis="round"),),
        method="The signer shows a sign as a picture.\n\nThe chooser sees the picture and chooses what beats it.",
        episode=files("toy_rps").joinpath("episode.html.j2").read_text(encoding="utf-8"),
    )
    published = (PublishedFigure("by chance", "wins", 1 / 3, "https://example.org/rps"),)

    async def play(self, table: SeatTable, setup: EpisodeSetup[Rules]) -> Ending:
        """Play one episode."""
        rounds: list[Round] = []
        try:
            for step in range(1, setup.rules.rounds + 1):
                rounds.append(await _round(step, table, setup))  # noqa: PERF401 - an abort keeps those before it
        except PlayerError as fault:
            return Ending("aborted", tuple(rounds), fault.reason, fault.detail)
        return Ending("completed", tuple(rounds))

    def measure(self, payload: Payload, ending: Ending) -> Iterable[Measured]:
        """Count the rounds and those that were won."""
        rounds: tuple[Round, ...] = ending.steps
        yield Measured("wins", None, sum(item.won for item in rounds) / len(rounds))
        yield Measured("rounds", None, len(rounds))
        for number, item in enumerate(rounds, start=1):
            yield Measured("won", number, float(item.won))

    def list_rated_pictures(self, payload: Payload, ending: Ending) -> Iterable[RatedPicture]:
        """Return what the signer showed in each round, to be compared with the sign."""
        for number, step in enumerate(ending.steps, start=1):
            yield RatedPicture(number, payload.signs[(number - 1) % len(payload.signs)], step.sign)

    def collect_shown_values(self, payload: Payload, ending: Ending | None) -> dict[str, int]:
        """Return how many rounds were won, for the template of an episode."""
        return {"won": sum(step.won for step in ending.steps)} if ending else {}

    def find_recorded_answer(
        self, seat: Seat[Any, Any], question: Question, setup: EpisodeSetup[Rules], source: str
    ) -> ChoiceAnswer:
        """Return what a person chose."""
        chosen = setup.payload.human
        if source != "human" or question.step > len(chosen):
            raise PlayerError("provider_error", f"nothing is recorded of {source} in round {question.step}")
        return ChoiceAnswer(chosen[question.step - 1])


async def _round(step: int, table: SeatTable, setup: EpisodeSetup[Rules]) -> Round:
    sign = setup.payload.signs[(step - 1) % len(setup.payload.signs)]
    original = Captioned(sign, setup.pictures[sign])
    shown = await table.ask(
        SIGNER, Question(step, "Show this sign.", (original,), seed=derive_seed(setup.seed, step, SIGNER.name))
    )
    seen = Captioned("the sign", shown.picture)
    prompt = "Choose what beats this sign."
    chosen = await table.ask(
        CHOOSER, Question(step, prompt, (seen,), SIGNS, seed=derive_seed(setup.seed, step, CHOOSER.name))
    )
    picture = shown.picture
    rendering = Rendering.of(picture)
    return Round(sign=rendering, choice=chosen.choice, won=chosen.choice == BEATS[sign])
