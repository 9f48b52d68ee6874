"""Counting questions and cost while a run is played or judged, for the progress line and the cost limit.

Every question adds a few numbers, nothing more; text is made only when it is shown.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from time import monotonic
from urllib.parse import urlsplit

from ircore.core.counted import counted
from ircore.core.errors import InputError, WorkError
from ircore.core.plugins import builtin
from ircore.core.records import PlayerSpec
from ircore.players.faults import LIMITS
from ircore.players.traits import traits_of
from ircore.runs.costs.interval import EpisodeCosts
from ircore.runs.costs.prices import Asked, Prices, RunPrices, answered
from ircore.runs.costs.totals import Totals
from ircore.runs.events import Call
from ircore.runs.judge_questions import JudgeQuestion

RESERVE = 2.0
"""Share of a seat's dearest answer so far that is reserved for the next; a turn adds at most as much as was there."""


class NoMoreError(WorkError):
    """No further question may be sent; answers under way are still recorded.

    >>> NoMoreError("stopped", "Every answer is kept.").status
    1
    """


class CostLimitError(NoMoreError):
    """The cost limit of a run is reached, or the cost of its answers is unknown although limited.

    >>> from ircore.runs.costs.prices import read_prices
    >>> CostLimit(RunPrices(read_prices()), max_cost=5).stopped().problem
    '--max-cost: 0.0000 US$ of 5 US$ spent'
    """


BREAKER = 10
"""Questions to a seat that fail in a row, with no answer in between, before the run is stopped."""

BREAKING: frozenset[str] = frozenset({"provider_error", *LIMITS.values()})
"""Reasons of failures that are the service's: a model that refuses to answer has answered."""


class BreakerError(NoMoreError):
    """Everything that is asked of a seat fails.

    >>> BreakerError("the describer: 10 questions failed in a row", "Try: ircore doctor").status
    1
    """


REPORTING = frozenset({"openrouter.ai", "api.x.ai"})
"""Hosts of services that report what each answer cost, so that no price has to be known beforehand."""


def check_limit(players: Mapping[str, PlayerSpec], prices: Prices) -> None:
    """Refuse a limit on the cost of players whose answers have no known price, before any of them is asked.

    Players of other packages may state themselves what an answer cost, and are let through.

    Args:
        players: By seat.
        prices: Known prices.

    Raises:
        InputError: The price of a player is not known; the remedy says what to give.
    """
    for seat, spec in players.items():
        price, host = prices.seat(spec), urlsplit(spec.base_url or "").hostname
        if price.offline or spec.player not in builtin("players") or traits_of(spec.player).needs != "service":
            continue
        billed = price.image is not None if price.images_apart else price.price is not None
        if host in REPORTING or billed:
            continue
        model = str(spec.parameters.get("image_model")) if price.images_apart and price.price else spec.label
        where = f" at {spec.base_url}" if spec.base_url else ""
        own = "A server of your own costs nothing: leave" if spec.on_loopback else "Leave"
        amounts = "input: 0, output: 0" if spec.on_loopback else "input: USD, output: USD"
        stated = f"models: {{{model}: {{{amounts}, date: YYYY-MM-DD, source: …}}}}"
        raise InputError(
            f"--max-cost: what the {seat} costs is not known ({model}{where})",
            f"{own} --max-cost out, or give prices with --prices FILE (docs/costs.md), such as {stated}",
        )


class CostLimit:
    """Counts a run's questions and their cost.

    A question is sent only if the limit has room for it beside the questions under way, each with a reserve of twice
    the dearest answer of its seat so far. Where there is no room, or a seat has not answered yet, a question waits
    until it is alone; so the limit is passed by one answer at most.

    >>> from ircore.runs.costs.prices import read_prices
    >>> cost_limit = CostLimit(RunPrices(read_prices()), max_cost=5)
    >>> reserve = asyncio.run(cost_limit.reserve("describer"))
    >>> cost_limit.in_flight, cost_limit.may_ask()
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
        self._dearest: dict[str, float] = {}
        self._failed_in_a_row: Counter[str] = Counter()
        self._reserved = 0.0
        self._waiting: list[asyncio.Future[None]] = []
        self._episodes = EpisodeCosts()

    def begin(self, earlier: Iterable[Asked], planned: int = 0, ended: Iterable[str] = ()) -> None:
        """Start the clock and count the questions of earlier sessions.

        Args:
            earlier: Questions, answered or not.
            planned: Episodes of the run, those that have ended included; 0 if the cost in all is not to be foretold.
            ended: Ids of the episodes that have ended.
        """
        self._episodes = EpisodeCosts(planned, ended)
        for question in earlier:
            self._count(question)
        self._episodes.begin()
        self._requests_before = self.totals.requests
        self._started = self._clock()

    def may_ask(self) -> bool:
        """Whether another question may be sent."""
        if self.ended_early is not None:
            return False
        return self.max_cost is None or (not self._unpriced and self.totals.cost_usd < self.max_cost)

    async def reserve(self, seat: str) -> float:
        """Wait until a question may be sent, count it as under way, and return its reserved cost in US dollars.

        Args:
            seat: Who is asked: the name of a seat or of a judge.

        Raises:
            NoMoreError: No further question may be sent.
        """
        while self.may_ask():
            # Looked up again after each wait: answers that came meanwhile have changed what is reserved.
            dearest = 0.0 if self.prices.offline(seat) else self._dearest.get(seat)
            if self._has_room(dearest):
                self.in_flight += 1
                reserve = RESERVE * (dearest or 0.0)
                self._reserved += reserve
                return reserve
            change = asyncio.get_running_loop().create_future()
            self._waiting.append(change)
            await change
        raise self.stopped()

    def _has_room(self, dearest: float | None) -> bool:
        if self.max_cost is None or self.in_flight == 0:
            return True
        if dearest is None:
            return False
        return self.totals.cost_usd + self._reserved + RESERVE * dearest <= self.max_cost

    def asked(self, question: Asked) -> None:
        """Count a question that was answered, or was asked in vain."""
        self._count(question)
        self._break(question)

    def _count(self, question: Asked) -> None:
        cost = self.totals.add(question, self.prices)
        if cost is None:
            # A question without an answer may have cost nothing, so it does not count against the limit.
            if answered(question):
                self._unpriced.add(self.prices.seat_of(question).label)
            return
        seat = question.judge if isinstance(question, JudgeQuestion) else question.role
        self._dearest[seat] = max(cost, self._dearest.get(seat, 0.0))
        self._episodes.add(question.episode_id, cost)

    def _break(self, question: Asked) -> None:
        """Send no more questions if a service fails at all of them; an answer under way may still show otherwise."""
        seat = question.judge if isinstance(question, JudgeQuestion) else question.role
        if isinstance(question, Call) or answered(question):
            self._failed_in_a_row[seat] = 0
            return
        # A refusal neither counts nor ends the row: the service works, and this question says nothing about the others.
        if question.reason not in BREAKING:
            return
        self._failed_in_a_row[seat] += 1
        failed = self._failed_in_a_row[seat]
        # Twice the questions under way, so that one bad moment of a service does not stop a run of many episodes.
        if self.ended_early is None and failed >= max(BREAKER, 2 * self.in_flight):
            self.ended_early = BreakerError(
                f"the {seat}: {counted(failed, 'question')} failed in a row, without an answer in between",
                f"Every answer is kept; ircore doctor tries the service. Last: {question.detail or question.reason}",
            )

    def release(self, reserve: float) -> None:
        """Count a question as no longer under way, answered or not, and free its reserved cost."""
        self.in_flight -= 1
        # Set to 0 where nothing is under way, so that errors of rounding do not add up over a run.
        self._reserved = self._reserved - reserve if self.in_flight else 0.0
        # All of them look again, since the next one in line may need more room than one further back.
        waiting, self._waiting = self._waiting, []
        for change in waiting:
            if not change.done():
                change.set_result(None)

    def ended(self, outcome: str, episode: str | None = None) -> None:
        """Count an episode that has ended, or something that has been judged."""
        self.outcomes[outcome] += 1
        if episode is not None:
            self._episodes.end(episode)

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
        return ", ".join([*counted, *self._money()])

    def _money(self) -> list[str]:
        """Return the cost so far, the expected total, and the models whose price is not known."""
        amounts = []
        if self.totals.priced:
            amounts.append(f"{self.totals.cost_usd:.4f} US$")
            if (limits := self._episodes.range()) is not None:
                amounts.append(f"{limits[0]:.2f} to {limits[1]:.2f} US$ in all")
        if self._unpriced:
            amounts.append(f"price of {' and '.join(sorted(self._unpriced))} not known")
        return amounts

    def stopped(self) -> NoMoreError:
        """Return the error that says why no further question may be sent."""
        if self.ended_early is not None:
            return self.ended_early
        if self._unpriced:
            return CostLimitError(
                f"--max-cost: what answers of {' and '.join(sorted(self._unpriced))} cost is not known",
                "Give prices with --prices FILE (see docs/costs.md), or leave out --max-cost.",
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
