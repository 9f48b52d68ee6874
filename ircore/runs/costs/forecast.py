"""Forecasting the requests, tokens and cost of a run at most, for any game, with every assumption stated.

The rules are played with stand-ins for every answer, and each question is counted with the words and pictures that it
shows.
"""

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ircore.core.episode_records import Usage
from ircore.core.images import Picture
from ircore.core.plain_words import format_count
from ircore.core.records import GameRules
from ircore.core.submission_records import Submission
from ircore.core.tokens import count_tokens
from ircore.games.base import EpisodeSetup, Game, GamePrompts, Seat
from ircore.instances.store import InstanceSet
from ircore.players.base import (
    RECORDED,
    Answer,
    Asked,
    ChoiceAnswer,
    DescriberView,
    GeneratorView,
    PictureAnswer,
    PlayerError,
    Question,
    TextAnswer,
)
from ircore.runs.costs.prices import RunPrices, SeatPrice
from ircore.runs.costs.totals import Totals
from ircore.runs.episode import parse_payload
from ircore.runs.folder import RunFolder

IMAGE_READ_TOKENS = 1000
"""Assumed tokens of a picture that a model reads; gpt-4o counts 85 + 170 for 512 × 512 pixels, other models more."""

IMAGE_WRITTEN_TOKENS = 1000
"""Assumed tokens of a picture that is billed by tokens; 1,056 were gpt-image-1's for 1024 × 1024 at medium quality."""

TEXT_WRITTEN_TOKENS = 200
"""Assumed tokens of an answer in words where the rules have no token budget."""

CHOICE_WRITTEN_TOKENS = 10
"""Assumed tokens of a choice."""


@dataclass(frozen=True)
class SeatEstimate:
    """Requests, images, tokens and cost of a seat at most, over all episodes.

    Attributes:
        requests: Sent, without retries.
        cost_usd: US dollars; None if no price is known.
    """

    requests: int
    images: int
    usage: Usage
    cost_usd: float | None


@dataclass(frozen=True)
class CostForecast:
    """Requests, images, tokens and cost of a run at most, by seat, and the assumptions behind them.

    Attributes:
        seats: By the seat's name, in the order of the game; seats that are never asked are left out.
        assumptions: For people, a line each.
        refused: Whether the rules took no stand-in for an answer, so that they may ask more than was counted.
    """

    seats: Mapping[str, SeatEstimate]
    assumptions: tuple[str, ...]
    refused: bool = False

    @property
    def cost_usd(self) -> float | None:
        """US dollars of all seats; None if a price is not known, or more may be asked."""
        costs = [seat.cost_usd for seat in self.seats.values() if seat.cost_usd is not None]
        return None if self.refused or len(costs) < len(self.seats) else sum(costs)


class PlannedPlay(NamedTuple):
    """What is to be played.

    >>> from pathlib import Path
    >>> from ircore.games.registry import load_game
    >>> from ircore.instances.store import read_instances
    >>> from ircore.players.builtin_pairs import list_builtin_pairs
    >>> from ircore.players.submission import read_manifest
    >>> from ircore.runs.costs.prices import read_prices
    >>> game, pair = load_game("reconstruction"), read_manifest(list_builtin_pairs()["classical+canvas"]).submission
    >>> targets, rules = read_instances(Path("targets")), game.rules(max_turns=5)
    >>> planned = PlannedPlay(game, pair, rules, game.read_prompts(None), targets)
    >>> estimated = estimate(planned, {targets.instances[0].instance_id: 2}, RunPrices(read_prices(), pair))
    >>> estimated.seats["generator"].images  # 2 episodes × 5 turns
    10
    """

    game: Game[Any]
    submission: Submission
    rules: GameRules
    prompts: GamePrompts
    instances: InstanceSet


def estimate(planned: PlannedPlay, episodes: Mapping[str, int], prices: RunPrices) -> CostForecast:
    """Estimate requests, tokens and cost of play if no episode ends before it must.

    Args:
        planned: The game, its players, rules, words and instances.
        episodes: Number of episodes to play, by the instance's id.
        prices: Prices of the run, by seat.

    Raises:
        InputError: An instance does not fit the game.
    """
    game = planned.game
    written = getattr(planned.rules, "token_budget", TEXT_WRITTEN_TOKENS)
    table = _StandIns(planned, written)
    asyncio.run(_rehearse(planned, episodes, table))
    seats = {
        seat.name: SeatEstimate(
            counts.requests, counts.images, counts.usage, _compute_cost(prices.seats[seat.name], counts)
        )
        for seat in game.seats
        if (counts := table.counts.get(seat.name)) is not None
    }
    return CostForecast(
        seats,
        (
            f"every episode takes all its {game.step_word}s, and every answer in words has {written} tokens",
            f"a picture read is {IMAGE_READ_TOKENS:,} tokens",
            f"a picture made is {IMAGE_WRITTEN_TOKENS:,} tokens where no price an image is known",
            "no reasoning tokens, no cached input, no retries",
        ),
        table.refused,
    )


@dataclass
class _Counts:
    """What a seat was asked so far, over all episodes."""

    requests: int = 0
    images: int = 0
    read: int = 0
    written: int = 0

    @property
    def usage(self) -> Usage:
        return Usage(requests=self.requests, prompt_tokens=self.read, completion_tokens=self.written)


@dataclass
class _StandIns:
    """A table that answers every question with a stand-in and counts what was asked.

    Attributes:
        planned: What is played.
        written: Tokens of an answer in words.
        counts: Of each seat that was asked, by its name.
        episodes: Number of episodes that the questions stand for now.
        setup: What is played now.
        refused: Whether an episode was aborted.
    """

    planned: PlannedPlay
    written: int
    counts: dict[str, _Counts] = field(default_factory=dict)
    episodes: int = 1
    setup: EpisodeSetup[Any] | None = None
    refused: bool = False

    def __post_init__(self) -> None:
        # A word that is one token, so that rules which count tokens count the same.
        self._words = " ".join(["a"] * self.written)
        from ircore.core.drawing import Drawing  # with NumPy, which playing alone does not need

        self._blank = Picture.from_pixels(Drawing(64, 64, "#ffffff").pixels)
        # A reply has the tokens that are assumed, whatever the form costs that the game wants it in.
        self._lengths: dict[str, int] = {}

    async def ask(self, seat: Seat[Any, Any], question: Any) -> Any:
        spec = self.planned.submission.players[seat.name]
        # Recorded answers cost nothing.
        if spec.player == RECORDED and self.setup is not None:
            return self.planned.game.find_recorded_answer(seat, question, self.setup, spec.source or "")
        texts, pictures = _list_question_texts(question)
        counts = self.counts.setdefault(seat.name, _Counts())
        counts.requests += self.episodes
        counts.images += self.episodes * (seat.answers == "picture")
        counts.read += self.episodes * (sum(map(self._count_tokens_once, texts)) + pictures * IMAGE_READ_TOKENS)
        answer, written = self._answer(seat, question)
        counts.written += self.episodes * written
        return answer

    def _count_tokens_once(self, text: str) -> int:
        if text not in self._lengths:
            self._lengths[text] = count_tokens(text)
        return self._lengths[text]

    def _answer(self, seat: Seat[Any, Any], question: Any) -> tuple[Answer, int]:
        """Return a stand-in for an answer, and the tokens that are assumed to be written for one."""
        if seat.answers == "picture":
            return PictureAnswer(self._blank), IMAGE_WRITTEN_TOKENS
        if seat.answers == "choice":
            return ChoiceAnswer(question.choices[0]), CHOICE_WRITTEN_TOKENS
        text = self.planned.game.write_stand_in(seat, self._words)
        self._lengths[text] = self.written
        return TextAnswer(text), self.written


async def _rehearse(planned: PlannedPlay, episodes: Mapping[str, int], table: _StandIns) -> None:
    """Play an episode of every instance at a table of stand-ins."""
    game, _, rules, prompts, instances = planned
    for instance in instances.instances.select(episodes):
        pictures = {
            name: Picture.stored(instances.folder / file.image, file.sha256, file.width, file.height)
            for name, file in instance.pictures.items()
        }
        payload = parse_payload(game, instances, instance)
        table.episodes = episodes[instance.instance_id]
        table.setup = EpisodeSetup(instance, payload, pictures, rules, prompts)
        try:
            ending = await game.play(table, table.setup)
        except PlayerError:
            table.refused = True
        else:
            table.refused |= ending.outcome == "aborted"


def _list_question_texts(question: Asked) -> tuple[Iterable[str], int]:
    """Return the texts that a question shows, and the number of its pictures."""
    if isinstance(question, DescriberView):
        return (*question.prompts, question.prompt, *question.replies), 1 + len(question.renderings)
    if isinstance(question, GeneratorView):
        return (*question.earlier, question.message), int(question.previous is not None)
    if isinstance(question, Question):
        earlier = [text for said in question.earlier for text in (said.prompt, said.answer)]
        return (*earlier, question.prompt), len(question.pictures) + sum(
            len(said.pictures) for said in question.earlier
        )
    return (question.prompt,), 0


def _compute_cost(seat: SeatPrice, counts: _Counts) -> float | None:
    if seat.offline:
        return 0.0
    if seat.price is None:
        return None
    # A price an image stands for what is written; what is read is billed by tokens.
    if counts.images and seat.image is not None:
        return counts.images * seat.image + (seat.price.tokens(Usage(prompt_tokens=counts.read)) or 0.0)
    return None if seat.images_apart else seat.price.tokens(counts.usage)


def describe_rate(folder: RunFolder, prices: RunPrices, episodes: int) -> str:
    """Return the time and cost of ``episodes`` more at the mean rate of ended episodes; empty if none has ended."""
    ended = {episode.episode_id for episode in folder.read_endings().values()}
    questions = folder.questions()
    totals = Totals.of((question for question in questions if question.episode_id in ended), prices)
    # Episodes that have not ended are left out: their questions would make the mean of an episode too low.
    if not ended or all(seat.offline for seat in prices.seats.values()):
        return ""
    share = episodes / len(ended)
    cost = f"{totals.cost_usd * share:.2f} US$" if totals.cost_known else "cost not known"
    return (
        f"  like the {len(ended)} that have ended: about {totals.requests * share:,.0f} requests, "
        f"{totals.tokens * share:,.0f} tokens, {totals.images * share:,.0f} images, {cost}"
    )


def format_estimate(estimated: CostForecast, prices: RunPrices) -> str:
    """Return an estimate for people: requests, tokens, images and cost of each seat, then the assumptions."""
    lines = [
        f"  at most {format_count(seat.requests, f'{name} request')}{_format_seat(seat, prices.seats[name])}"
        for name, seat in estimated.seats.items()
    ]
    if estimated.refused:
        lines.append("  and more: the rules ended an episode at a stand-in for an answer")
    if all(seat.offline for seat in prices.seats.values()):
        return "\n".join(lines)
    costs = [seat.cost_usd for seat in estimated.seats.values() if seat.cost_usd is not None]
    if costs:
        unknown = "" if len(costs) == len(estimated.seats) else " and what has no known price"
        lines.append(f"  together at most about {sum(costs):.2f} US${unknown}")
    return "\n".join([*lines, "  assumed:", *(f"    {assumption}" for assumption in estimated.assumptions)])


def _format_seat(estimated: SeatEstimate, seat: SeatPrice) -> str:
    drawn = f", {format_count(estimated.images, 'image')}" if estimated.images else ""
    if seat.offline:
        return f"{drawn}: {seat.label} asks no provider"
    usage = estimated.usage
    tokens = f"{usage.prompt_tokens or 0:,} tokens read, {usage.completion_tokens or 0:,} written"
    if estimated.cost_usd is None or seat.price is None:
        return f"{drawn}, {tokens}: no price of {seat.label} is known (--prices FILE)"
    return f"{drawn}, {tokens}: about {estimated.cost_usd:.2f} US$ by prices of {seat.label} on {seat.price.date}"
