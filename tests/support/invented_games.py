"""Runs of an invented game that nobody played: the values of its headline are given episode by episode."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from invented import InventedRun

from ircore.core.episode_records import Episode
from ircore.core.records import GameRules, Instance, PlayerSpec, Record
from ircore.core.score_records import Score
from ircore.core.submission_records import Run, Submission
from ircore.games.base import Ending, Game, GameOutcome, Measure, Measured, Pages, Seat
from ircore.instances.records import Instances
from ircore.instances.store import InstanceSet
from ircore.players.base import Question, TextAnswer

GUESSER: Seat[Question, TextAnswer] = Seat("guesser", "Guesser", "nothing but the prompt", "text")


class Nothing(Record):
    """A payload, and a step, without fields."""


class Guessing(Game[GameRules]):
    """A game with one seat: its episodes share a headline from 0 to 10 and a count without bounds."""

    name, title = "guessing", "Guessing"
    seats: ClassVar[tuple[Seat[Any, Any], ...]] = (GUESSER,)
    payload = Nothing
    step: ClassVar[type[Record]] = Nothing
    outcomes: ClassVar[tuple[GameOutcome, ...]] = (
        GameOutcome("completed", played=True),
        GameOutcome("aborted", played=False),
    )
    measures: ClassVar[tuple[Measure, ...]] = (
        Measure("points", "Points", "points", (0, 10)),
        Measure("words", "Words", direction="lower"),
    )
    pages = Pages(columns=("words",))

    async def play(self, table: Any, setup: Any) -> Ending:
        raise NotImplementedError("runs of this game are invented")

    def measure(self, payload: Any, ending: Ending) -> Iterable[Measured]:
        return ()


class Erring(Guessing):
    """The same game, counting errors instead of points: fewer are better."""

    measures = (Measure("errors", "Errors", "", (0, 10), direction="lower"),)
    pages = Pages()


def guessing_set(per_condition: int, categories: Sequence[str] = ("beasts", "birds")) -> InstanceSet:
    """As many instances in each of two categories and difficulties."""
    names = [(category, hard) for category in categories for hard in ("easy", "hard")]
    made = tuple(
        Instance.model_validate(
            {
                "instance_id": f"{category}-{difficulty}-{index:02d}", "category": category, "difficulty": difficulty,
                "game": "guessing", "source": "invented for a test", "licence": "CC0-1.0",
            }
        )
        for category, difficulty in names
        for index in range(per_condition)
    )  # fmt: skip
    return InstanceSet(Path("nowhere"), "0" * 64, Instances.of(made))


def guessed(
    slug: str,
    instances: InstanceSet,
    values: Sequence[float | str | None],
    rules: Mapping[str, Any] | None = None,
    measure: str = "points",
    reference: bool = False,
) -> InventedRun:
    """A run whose episodes have these values: a number, a reason why it was aborted, or None for not scored yet.

    An instance beyond the values was not begun.
    """
    submission = Submission.model_validate(
        {"schema": 1, "game": "guessing", "name": slug, "licence": "CC0-1.0",
         "guesser": PlayerSpec(player="openai", model=f"{slug}-model")}
    )  # fmt: skip
    run = Run(
        schema_=1, run_id=f"{slug}-{len(rules or {})}", game="guessing", slug=slug, submission=submission,
        instance_set=instances.identity, rules=dict(rules or {}), prompts="guessing-test", seed=0, version="0",
        started="2026-01-01T00:00:00+00:00", reference=reference,
    )  # fmt: skip
    given = list(zip(instances.instances, values, strict=False))
    ended = tuple(
        Episode.model_validate(
            {
                "episode_id": instance.instance_id, "instance_id": instance.instance_id, "steps": (),
                "category": instance.category, "difficulty": instance.difficulty,
                "outcome": "aborted" if isinstance(value, str) else "completed",
                "abort_reason": value if isinstance(value, str) else None,
            }
        )
        for instance, value in given
    )  # fmt: skip
    scores = tuple(
        Score(episode_id=instance.instance_id, measure=measure, by="guessing", value=value)
        for instance, value in given
        if isinstance(value, float)
    )
    return InventedRun(Path(slug), run, instances, ended, scores)
