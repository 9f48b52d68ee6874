"""Counting questions and cost while a run is played or judged, for the progress line and the cost limit.

Every question adds a few numbers, nothing more; text is made only when it is shown.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from time import monotonic

from ircore.core.errors import WorkError
from ircore.runs.costs.prices import Asked, RunPrices, answered
from ircore.runs.costs.totals import Totals


class NoMoreError(WorkError):
    """No further question may be sent; answers under way are still recorded.

    >>> NoMoreError("stopped", "Every answer is kept.").status
    1
    """


class CostLimitError(NoMoreError):
    """The cost limit of a run is reached, or the cost of its answers is unknown although limited.

    >>> from ircore.runs.costs.prices import read_prices
    >>> Watch(RunPrices(read_prices()), max_cost=5).stopped().problem
    '--max-cost: 0.0000 US$ of 5 US$ spent'
    """


class Watch:
    """Counts a run's questions and their cost.

    >>> from ircore.runs.costs.prices import read_prices
    >>> watch = Watch(RunPrices(read_prices()), max_cost=5)
    >>> watch.asking()
    >>> watch.in_flight, watch.may_ask()
    (1, True)

    Attributes:
        ended_early: Why no further question may be sent, whatever the cost; None while more may be sent.

    Args:
        prices: Prices of the run.
        max_cost: US dollars that the run may cost in all, answers of earlier sessions included; None for no limit.
        clock: Seconds from any fixed moment.
    """

    def __init__(
        self, prices: RunPrices, max_cost: float | None = None, clock: Callable[[], float] = monotonic
    ) -> None:
        self.prices = prices
        self.max_cost = max_cost
        self.totals = Totals()
        self.in_flight = 0
        self.ended_early: NoMoreError | None = None
        self.outcomes: Counter[str] = Counter()
        self._clock = clock
        self._started = clock()
        self._requests_before = 0
        self._unpriced: set[str] = set()

    def begin(self, earlier: Iterable[Asked]) -> None:
        """Start the clock and count the questions of earlier sessions."""
        for question in earlier:
            self.asked(question)
        self._requests_before = self.totals.requests
        self._started = self._clock()

    def may_ask(self) -> bool:
        """Whether another question may be sent."""
        if self.ended_early is not None:
            return False
        return self.max_cost is None or (not self._unpriced and self.totals.cost_usd < self.max_cost)

    def asking(self) -> None:
        """Count a question that is being sent."""
        self.in_flight += 1

    def asked(self, question: Asked) -> None:
        """Count a question that was answered, or was asked in vain."""
        cost = self.totals.add(question, self.prices)
        if cost is None and answered(question):
            self._unpriced.add(self.prices.seat_of(question).label)

    def done_asking(self) -> None:
        """Count a question as no longer in flight, answered or not."""
        self.in_flight -= 1

    def ended(self, outcome: str) -> None:
        """Count an episode that has ended, or something that has been judged."""
        self.outcomes[outcome] += 1

    def note(self) -> str:
        """Return outcomes, requests in flight, rate, tokens and cost in a single line."""
        seconds = self._clock() - self._started
        rate = (self.totals.requests - self._requests_before) / seconds if seconds > 0 else 0.0
        counted = [
            *(f"{count} {name}" for name, count in sorted(self.outcomes.items())),
            f"{self.in_flight} in flight",
            f"{rate:.1f} requests/s",
            f"{_short(self.totals.tokens)} tokens",
        ]
        if self.totals.priced:
            counted.append(f"{self.totals.cost_usd:.4f} US$")
        return ", ".join(counted)

    def stopped(self) -> NoMoreError:
        """Return the error that says why no further question may be sent."""
        if self.ended_early is not None:
            return self.ended_early
        if self._unpriced:
            return CostLimitError(
                f"--max-cost: what answers of {' and '.join(sorted(self._unpriced))} cost is not known",
                "Give prices with --prices FILE (see docs/players.md), or leave out --max-cost.",
            )
        return CostLimitError(
            f"--max-cost: {self.totals.cost_usd:.4f} US$ of {self.max_cost:g} US$ spent",
            "Every answer is kept; the same command with a larger --max-cost goes on from there.",
        )


def _short(number: int) -> str:
    """Return a count for people: 950, 12.3k, 4.5M."""
    for unit, size in (("M", 1_000_000), ("k", 1_000)):
        if number >= size:
            return f"{number / size:.1f}{unit}"
    return str(number)
