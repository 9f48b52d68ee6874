"""Adding up requests, tokens, images, seconds and US dollars over questions."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ircore.core.counted import counted
from ircore.runs.costs.prices import Asked, RunPrices, images, images_perhaps_billed, seconds, usage_of_question


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
        usage, cost = usage_of_question(question), prices.cost(question)
        self.requests += usage.requests
        self.prompt_tokens += usage.prompt_tokens or 0
        self.completion_tokens += usage.completion_tokens or 0
        self.reasoning_tokens += usage.reasoning_tokens or 0
        self.cached_tokens += usage.cached_tokens or 0
        self.images += images(question)
        self.images_perhaps_billed += images_perhaps_billed(question, prices)
        self.seconds += seconds(question)
        # Of a question whose cost is not known in all, the part that is.
        self.cost_usd += prices.billed(question).known if cost is None else cost
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
        return f"{self.cost_usd:.4f} US$ and {counted(self.unpriced, 'answer')} of unknown cost"
