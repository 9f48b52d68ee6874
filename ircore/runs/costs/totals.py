"""Adding up requests, tokens, images, seconds and US dollars over questions."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import fsum
from typing import Any

from pydantic import TypeAdapter

from ircore.core.episode_records import EpisodeCost
from ircore.core.plain_words import format_count
from ircore.core.validation import convert_validation_errors
from ircore.runs.costs.prices import (
    Asked,
    RunPrices,
    count_doubtful_images,
    count_images,
    find_usage,
    load_run_prices,
    measure_seconds,
)
from ircore.runs.events import End
from ircore.runs.folder import RunFolder


@dataclass
class Totals:
    """Sums over questions.

    >>> Totals(prompt_tokens=1200, completion_tokens=80).tokens
    1280
    >>> Totals(cost_usd=0.5, priced=3, unpriced=1).cost_text()
    '0.5000 US$ and 1 answer of unknown cost'

    Attributes:
        requests: Sent to providers, retries included.
        prompt_tokens: Read, as providers count.
        completion_tokens: Written, as providers count, reasoning included.
        reasoning_tokens: Written tokens that are not shown.
        cached_tokens: Read tokens that came from the provider's cache.
        images: Pictures that arrived.
        images_perhaps_billed: Pictures besides these that may have been made and billed, their requests having failed.
        seconds: Seconds of waiting for answers.
        cost_usd: US dollars as far as known.
        unpriced: Questions whose cost is not known.
        priced: Questions whose cost is known and that asked somebody.
    """

    requests: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    reasoning_tokens: int = 0
    cached_tokens: int = 0
    images: int = 0
    images_perhaps_billed: int = 0
    seconds: float = 0.0
    cost_usd: float = 0.0
    unpriced: int = 0
    priced: int = 0

    @classmethod
    def of(cls, questions: Iterable[Asked], prices: RunPrices) -> "Totals":
        """Add up questions."""
        totals = cls()
        for question in questions:
            totals.add(question, prices)
        return totals

    def add(self, question: Asked, prices: RunPrices) -> float | None:
        """Add a question and return its cost; None if unknown."""
        usage, cost = find_usage(question), prices.cost(question)
        self.requests += usage.requests
        self.prompt_tokens += usage.prompt_tokens or 0
        self.completion_tokens += usage.completion_tokens or 0
        self.reasoning_tokens += usage.reasoning_tokens or 0
        self.cached_tokens += usage.cached_tokens or 0
        self.images += count_images(question)
        self.images_perhaps_billed += count_doubtful_images(question, prices)
        self.seconds += measure_seconds(question)
        # Of a question whose cost is not known in all, the part that is.
        self.cost_usd += prices.compute_bill(question).known if cost is None else cost
        self.unpriced += cost is None
        # Players that ask nobody are free; their answers alone do not make a cost known.
        self.priced += cost is not None and usage.requests > 0
        return cost

    @property
    def tokens(self) -> int:
        """Read and written, as providers count."""
        return self.prompt_tokens + self.completion_tokens

    @property
    def cost_known(self) -> bool:
        """Whether ``cost_usd`` covers every question."""
        return self.unpriced == 0

    def as_dict(self) -> dict[str, Any]:
        """Return the sums as JSON answers show them: ``cost_usd`` is null where no cost at all is known."""
        nothing_known = self.unpriced > 0 and self.priced == 0 and not self.cost_usd
        return {
            "requests": self.requests,
            "tokens": {
                kind: getattr(self, kind)
                for kind in ("prompt_tokens", "completion_tokens", "reasoning_tokens", "cached_tokens")
            },
            "images": self.images,
            "images_perhaps_billed": self.images_perhaps_billed,
            "seconds": round(self.seconds, 3),
            "cost_usd": None if nothing_known else round(self.cost_usd, 6),
            "cost_known": self.cost_known,
        }

    def cost_text(self) -> str:
        """Return the cost for people, with the number of answers of unknown cost."""
        if self.unpriced == 0:
            return f"{self.cost_usd:.4f} US$"
        if self.priced == 0 and not self.cost_usd:
            return "not known"
        return f"{self.cost_usd:.4f} US$ and {format_count(self.unpriced, 'answer')} of unknown cost"


COSTS = "costs.json"
"""File in a run folder whose journal has no answers, as one pulled from a release: the cost of each episode."""

_COSTS = TypeAdapter(dict[str, EpisodeCost])


def compute_episode_costs(run: RunFolder) -> Mapping[str, EpisodeCost]:
    """Return what each episode cost, failed questions included.

    Args:
        run: A run of any game.

    Raises:
        InputError: The run folder's own table of prices, or of costs, is damaged.
    """
    known = _read_recorded_costs(run)
    if known is not None:
        return known
    prices = load_run_prices(run)
    dollars: dict[str, list[float | None]] = defaultdict(list)
    waited: dict[str, list[float]] = defaultdict(list)
    for event in run.events():
        if not isinstance(event, End):
            dollars[event.episode_id].append(prices.cost(event))
            waited[event.episode_id].append(measure_seconds(event))
    return {episode: EpisodeCost(usd=_sum(usd), seconds=fsum(waited[episode])) for episode, usd in dollars.items()}


def _read_recorded_costs(run: RunFolder) -> Mapping[str, EpisodeCost] | None:
    """Return the costs recorded in a run folder that was pulled from a release; None for any other run folder."""
    path = run.path / COSTS
    if not path.is_file():
        return None
    with convert_validation_errors(path, "Pull the release again."):
        return _COSTS.validate_json(path.read_bytes())


def _sum(costs: list[float | None]) -> float | None:
    # One unknown answer makes the episode's cost unknown: a sum of the others would pass for the whole.
    known = [cost for cost in costs if cost is not None]
    return fsum(known) if len(known) == len(costs) else None
