"""Forecasting the requests, tokens and cost of a run at most, with every assumption stated."""

from collections.abc import Callable
from dataclasses import dataclass

from ircore.core.counted import counted
from ircore.core.episode_records import Usage
from ircore.core.tokens import count_tokens
from ircore.games.reconstruction.prompts import Prompts
from ircore.games.reconstruction.records import Rules
from ircore.players.base import Role
from ircore.runs.costs.prices import RunPrices, SeatPrice
from ircore.runs.costs.totals import Totals
from ircore.runs.folder import RunFolder

IMAGE_READ_TOKENS = 1000
"""Assumed tokens of a picture that a model reads; gpt-4o counts 85 + 170 for 512 × 512 pixels, other models more."""

IMAGE_WRITTEN_TOKENS = 1000
"""Assumed tokens of a picture that is billed by tokens; 1,056 were gpt-image-1's for 1024 × 1024 at medium quality."""


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
class Estimate:
    """Requests, images, tokens and cost of a run at most, by seat, and the assumptions behind them.

    >>> from ircore.core.submission_records import Submission
    >>> from ircore.games.reconstruction.prompts import load_prompts
    >>> from ircore.runs.costs.prices import read_prices
    >>> pair = Submission(schema=1, name="classical + canvas", licence="Apache-2.0", describer={"player": "classical"},
    ...                   generator={"player": "canvas"})
    >>> prices = RunPrices(read_prices(), pair)
    >>> estimate(2, Rules(max_turns=5), load_prompts("reconstruction"), prices).generator.images  # 2 episodes × 5 turns
    10
    """

    describer: SeatEstimate
    generator: SeatEstimate
    assumptions: tuple[str, ...]


def estimate(episodes: int, rules: Rules, prompts: Prompts, prices: RunPrices) -> Estimate:
    """Estimate requests, tokens and cost of play if no episode ends before its last turn.

    Args:
        episodes: Number of episodes to play.
        rules: Their rules.
        prompts: The game master's words.
        prices: Prices of the run.
    """
    turns = range(1, rules.max_turns + 1)
    describer, generator = prices.seats["describer"], prices.seats["generator"]
    spoken = _tokens(episodes, rules.max_turns, lambda turn: _describer_reads(turn, rules, prompts), rules.token_budget)
    drawn = _tokens(episodes, rules.max_turns, lambda turn: _generator_reads(turn, rules), IMAGE_WRITTEN_TOKENS)
    count = episodes * len(turns)
    return Estimate(
        SeatEstimate(count, 0, spoken, _cost(describer, spoken, 0)),
        SeatEstimate(count, count, drawn, _cost(generator, drawn, count)),
        (
            f"every episode takes all {rules.max_turns} turns and every message its {rules.token_budget} tokens",
            f"a picture read is {IMAGE_READ_TOKENS:,} tokens",
            f"each turn the describer reads the target and renderings so far ({rules.history}), the generator "
            f"{'its last one' if rules.drawing == 'edit' else 'none'}",
            f"a picture made is {IMAGE_WRITTEN_TOKENS:,} tokens where no price an image is known",
            "no reasoning tokens, no cached input, no retries",
        ),
    )


def _describer_reads(turn: int, rules: Rules, prompts: Prompts) -> int:
    remembered = len(rules.remembered(turn - 1))
    # The remembered turns, and this one.
    words = sum(count_tokens(prompts.describer(earlier, rules.token_budget)) for earlier in range(1, remembered + 2))
    return words + remembered * rules.token_budget + (remembered + 1) * IMAGE_READ_TOKENS


def _generator_reads(turn: int, rules: Rules) -> int:
    return turn * rules.token_budget + (IMAGE_READ_TOKENS if turn > 1 and rules.drawing == "edit" else 0)


def _tokens(episodes: int, turns: int, read: Callable[[int], int], written: int) -> Usage:
    return Usage(
        requests=episodes * turns,
        prompt_tokens=episodes * sum(read(turn) for turn in range(1, turns + 1)),
        completion_tokens=episodes * turns * written,
    )


def _cost(seat: SeatPrice, usage: Usage, images: int) -> float | None:
    if seat.offline:
        return 0.0
    if seat.price is None:
        return None
    # A price an image stands for what is written; what is read is billed by tokens.
    if images and seat.image is not None:
        return images * seat.image + (seat.price.tokens(Usage(prompt_tokens=usage.prompt_tokens)) or 0.0)
    return None if seat.images_apart else seat.price.tokens(usage)


def measured(folder: RunFolder, prices: RunPrices, episodes: int) -> str:
    """Return the time and cost of ``episodes`` more at the mean rate of ended episodes; empty if none has ended."""
    ended = {episode.episode_id for episode in folder.ended().values()}
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


def as_text(estimated: Estimate, prices: RunPrices) -> str:
    """Return an estimate for people: requests, tokens, images and cost of each seat, then the assumptions."""
    seats: tuple[tuple[Role, SeatEstimate], ...] = (
        ("describer", estimated.describer),
        ("generator", estimated.generator),
    )
    lines = [
        f"  at most {counted(seat.requests, f'{name} request')}{_seat(seat, prices.seats[name])}"
        for name, seat in seats
    ]
    if all(seat.offline for seat in prices.seats.values()):
        return "\n".join(lines)
    costs = [seat.cost_usd for _, seat in seats if seat.cost_usd is not None]
    if costs:
        unknown = "" if len(costs) == len(seats) else " and what has no known price"
        lines.append(f"  together at most about {sum(costs):.2f} US${unknown}")
    return "\n".join([*lines, "  assumed:", *(f"    {assumption}" for assumption in estimated.assumptions)])


def _seat(estimated: SeatEstimate, seat: SeatPrice) -> str:
    drawn = f", {counted(estimated.images, 'image')}" if estimated.images else ""
    if seat.offline:
        return f"{drawn}: {seat.label} asks no provider"
    usage = estimated.usage
    tokens = f"{usage.prompt_tokens or 0:,} tokens read, {usage.completion_tokens or 0:,} written"
    if estimated.cost_usd is None or seat.price is None:
        return f"{drawn}, {tokens}: no price of {seat.label} is known (--prices FILE)"
    return f"{drawn}, {tokens}: about {estimated.cost_usd:.2f} US$ by prices of {seat.label} on {seat.price.date}"
