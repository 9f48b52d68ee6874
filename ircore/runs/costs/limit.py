"""Counting questions and cost while a run is played or judged, for the progress line and the cost limit.

Every question adds a few numbers, nothing more; text is made only when it is shown.
"""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from math import sqrt
from time import monotonic
from urllib.parse import urlsplit

from ircore.core.episode_records import Attempt
from ircore.core.errors import InputError, WorkError
from ircore.core.plain_words import format_count
from ircore.core.plugins import list_builtin
from ircore.core.records import PlayerSpec
from ircore.players.calls import LIMITS
from ircore.players.open_questions import Halt
from ircore.players.traits import load_traits
from ircore.runs.costs.prices import Asked, Billed, Prices, RunPrices, is_answered
from ircore.runs.costs.totals import Totals
from ircore.runs.events import Call
from ircore.runs.judge_questions import JudgeQuestion

FEWEST = 5
"""Episodes that must have ended before a range is given."""

Z = 1.96
"""Standard normal quantile of 97.5 %."""


class EpisodeCosts:
    """Adds up the cost of each episode, and foretells the cost of a run from the episodes that have ended.

    >>> costs = EpisodeCosts(planned=10)
    >>> for number in range(5):
    ...     costs.add(f"episode-{number}", 0.2)
    ...     costs.end(f"episode-{number}")
    >>> low, high = costs.range()
    >>> round(low, 6), round(high, 6)  # ten equal episodes of 0.20 US$
    (2.0, 2.0)

    Args:
        planned: Episodes of the run, those that have ended included; 0 where nothing is to be foretold.
        ended: Episodes that had ended before.
    """

    def __init__(self, planned: int = 0, ended: Iterable[str] = ()) -> None:
        self._planned = planned
        self._before = tuple(ended)
        self._open: defaultdict[str, float] = defaultdict(float)
        self._spent = 0.0
        self._count, self._mean, self._squares = 0, 0.0, 0.0

    def begin(self) -> None:
        """Count the episodes that had ended before as ended, after their questions have been added."""
        for episode in self._before:
            self.end(episode)

    def add(self, episode: str, cost: float) -> None:
        """Add the cost of a question, in US dollars."""
        if self._planned:
            self._open[episode] += cost
            self._spent += cost

    def end(self, episode: str) -> None:
        """Note that an episode has ended; mean and squared deviations are updated as in Welford (1962)."""
        if self._planned:
            # Removed, so that memory does not grow with the run.
            cost = self._open.pop(episode, 0.0)
            self._count += 1
            away = cost - self._mean
            self._mean += away / self._count
            self._squares += away * (cost - self._mean)

    def range(self) -> tuple[float, float] | None:
        """Return the limits of a 95 % prediction interval for the cost of the whole run, in US dollars.

        The sum of ``r`` further episodes, of which ``n`` like them cost ``m`` on average with deviation ``s``, has the
        standard error ``s √(r + r² / n)``. The lower limit is never below what was spent.

        Returns:
            Lower and upper limit; None before five episodes have ended, and when none is left.
        """
        count, left = self._count, self._planned - self._count
        if count < FEWEST or left <= 0:
            return None
        margin = Z * sqrt(self._squares / (count - 1) * (left + left**2 / count))
        expected = self._planned * self._mean
        # Episodes under way may already have cost more than the lower limit of the interval.
        return max(expected - margin, self._spent), max(expected + margin, self._spent)


DEARER = 50.0
"""Times the dearest answer of its seat so far that is reserved for a question: models that think cost so much more now
and then."""

JUMP = 2.0
"""An answer so many times as dear as any before it shows that prices are not known yet."""


class NoMoreError(WorkError):
    """No further question may be sent; answers under way are still recorded.

    >>> NoMoreError("stopped", "Every answer is kept.").status
    1
    """


class CostLimitError(NoMoreError):
    """The cost limit of a run is reached, or the cost of its answers is unknown although limited.

    >>> from ircore.runs.costs.prices import read_prices
    >>> CostLimit(RunPrices(read_prices()), max_cost=5).build_stop_error().problem
    '--max-cost: 0.0000 US$ of 5 US$ spent'
    """


BREAKER = 10
"""Failures in a row of a seat's questions, with no answer in between, before the run is stopped."""

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
        if price.offline or spec.player not in list_builtin("players") or load_traits(spec.player).needs != "service":
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


@dataclass(eq=False)
class Reserve:
    """The share of the limit that is kept for a question under way.

    >>> Reserve("describer", 0.5).attempts
    []

    Attributes:
        seat: Who is asked.
        cost: US dollars.
        attempts: The requests of the question so far, whose cost is counted before the question has ended.
        billed: Their cost.
    """

    seat: str
    cost: float
    attempts: list[Attempt] = field(default_factory=list)
    billed: Billed = field(default_factory=Billed)


class CostLimit:
    """Counts a run's questions and their cost, and says when no more may be sent.

    The limit is passed by one answer at most. Prices become known by answers: the first question of a seat goes out
    alone, then at most as many are under way as the seat has answered since its last jump in price. Each needs room for
    ``DEARER`` times the dearest answer of its seat so far, beside what is reserved for the others; where there is no
    room a question waits until it is alone. So an answer may cost that many times as much as any before it.

    Requests that brought nothing count, too, while their question is still under way: as the provider bills them, else
    by the prices known, else like the dearest answer of the seat. Where nothing at all is known of a seat's prices,
    one such request is the last.

    >>> from ircore.runs.costs.prices import read_prices
    >>> cost_limit = CostLimit(RunPrices(read_prices()), max_cost=5)
    >>> reserve = asyncio.run(cost_limit.reserve("describer"))
    >>> cost_limit.in_flight, cost_limit.may_ask()
    (1, True)

    Attributes:
        ended_early: Why no further question may be sent, whatever the cost; None while more may be sent. See ``end``.
        halt: Set as soon as nothing more may be sent.
        when_ended: Called when ``end`` is; None for nothing.

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
        self.halt = Halt()
        self.when_ended: Callable[[], None] | None = None
        self.outcomes: Counter[str] = Counter()
        self._clock = clock
        self._started = clock()
        self._requests_before = 0
        self._unpriced: set[str] = set()
        self._blind: set[str] = set()
        self._known = 0.0
        self._lost: Counter[str] = Counter()
        self._dearest: dict[str, float] = {}
        self._answers: Counter[str] = Counter()
        self._failed_in_a_row: Counter[str] = Counter()
        self._reserves: set[Reserve] = set()
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
        # What was lost before may be tried once more in this session, or no run could ever go on.
        self._blind.clear()
        self._episodes.begin()
        self._requests_before = self.totals.requests
        self._started = self._clock()

    def may_ask(self) -> bool:
        """Whether another question may be sent."""
        if self.ended_early is not None:
            return False
        if self.max_cost is None:
            return True
        return not self._unpriced and not self._blind and self.spent() < self.max_cost

    def spent(self) -> float:
        """Return the US dollars that count towards the limit, requests of questions under way included."""
        known, lost = self._known, self._lost.copy()
        for reserve in self._reserves:
            if reserve.attempts:
                known += reserve.billed.known
                lost[reserve.seat] += reserve.billed.lost
        return known + sum(number * (self._estimate_lost_cost(seat) or 0.0) for seat, number in lost.items())

    def _estimate_lost_cost(self, seat: str) -> float | None:
        """Return US dollars that a lost request of unknown cost is taken to have cost; None if nothing is known."""
        return self._dearest.get(seat, self.prices.of(seat).lost)

    async def reserve(self, seat: str) -> Reserve:
        """Wait until a question may be sent, count it as under way, and return what is reserved for it.

        Args:
            seat: Who is asked: the name of a seat or of a judge.

        Raises:
            NoMoreError: No further question may be sent.
        """
        while self.may_ask():
            # Looked up again after each wait: answers that came meanwhile have changed what is reserved.
            cost = self._bound_cost(seat)
            if self._has_room(seat, cost):
                self.in_flight += 1
                reserve = Reserve(seat, cost or 0.0)
                if not self.prices.offline(seat):
                    self._reserves.add(reserve)
                    self._reserved += reserve.cost
                return reserve
            change = asyncio.get_running_loop().create_future()
            self._waiting.append(change)
            await change
        raise self.build_stop_error()

    def _bound_cost(self, seat: str) -> float | None:
        """Return US dollars that a question is taken to cost at most; None before its seat has answered."""
        if self.prices.offline(seat):
            return 0.0
        dearest, most = self._dearest.get(seat), self.prices.of(seat).most
        if dearest is None:
            return None
        # A model that is billed by the picture alone has one price.
        return most if most is not None and dearest <= most else DEARER * dearest

    def _has_room(self, seat: str, cost: float | None) -> bool:
        if self.max_cost is None or not self._reserves or self.prices.offline(seat):
            return True
        if cost is None or len(self._reserves) >= self._answers[seat]:
            return False
        return self.spent() + self._reserved + cost <= self.max_cost

    def count_attempt(self, reserve: Reserve, attempt: Attempt) -> None:
        """Count a request of a question that is still under way."""
        if self.max_cost is None or reserve not in self._reserves:
            return
        reserve.attempts.append(attempt)
        price, draws = self.prices.of(reserve.seat), self.prices.draws_in(reserve.seat)
        reserve.billed = self.prices.billed_requests(price, reserve.attempts, draws)
        self._check_blind(reserve.seat, reserve.billed.lost)
        self._halt_at_limit()

    def count_question(self, question: Asked, reserve: Reserve | None = None) -> None:
        """Count a question that was answered, or was asked in vain.

        Args:
            question: The question.
            reserve: What was reserved for it; None if it is to be found by its requests.
        """
        for open_reserve in [reserve] if reserve is not None else list(self._reserves):
            # From here on the question's own record is counted, and not its requests as well.
            if open_reserve.attempts and (reserve is not None or open_reserve.attempts == list(question.attempts)):
                open_reserve.attempts, open_reserve.billed = [], Billed()
                break
        self._count(question)
        self._break(question)
        self._halt_at_limit()

    def _count(self, question: Asked) -> None:
        cost, billed, seat = (
            self.totals.add(question, self.prices),
            self.prices.compute_bill(question),
            _find_seat(question),
        )
        self._known += billed.known
        self._lost[seat] += billed.lost
        if billed.unknown:
            self._unpriced.add(self.prices.seat_of(question).label)
        if billed.dearest is not None:
            before = self._dearest.get(seat)
            self._dearest[seat] = max(billed.dearest, before or 0.0)
            has_jumped = before is not None and billed.dearest > JUMP * before
            self._answers[seat] = 1 if has_jumped else self._answers[seat] + 1
            self._blind.discard(self.prices.seat_of(question).label)
        self._check_blind(seat, billed.lost)
        if cost is not None:
            self._episodes.add(question.episode_id, cost)

    def _check_blind(self, seat: str, lost: int) -> None:
        """Note a seat that may have billed a request of which nobody knows what it cost, not even about."""
        if lost and self._estimate_lost_cost(seat) is None:
            self._blind.add(self.prices.of(seat).label)

    def _break(self, question: Asked) -> None:
        """Send no more questions if a service fails at all of them; an answer under way may still show otherwise."""
        seat = _find_seat(question)
        if isinstance(question, Call) or is_answered(question):
            self._failed_in_a_row[seat] = 0
            return
        # A refusal neither counts nor ends the row: the service works, and this question says nothing about the others.
        if question.reason not in BREAKING:
            return
        self._failed_in_a_row[seat] += 1
        failed = self._failed_in_a_row[seat]
        if failed >= BREAKER:
            self.end(
                BreakerError(
                    f"the {seat}: {format_count(failed, 'question')} failed in a row, without an answer in between",
                    "Every answer is kept; ircore doctor tries the service. "
                    f"Last: {question.detail or question.reason}",
                )
            )

    def end(self, why: NoMoreError) -> None:
        """Let nothing more be sent, whatever the cost, and end every wait; only the first call has an effect."""
        if self.ended_early is not None:
            return
        self.ended_early = why
        self._end_waits()
        if self.when_ended is not None:
            self.when_ended()

    def _halt_at_limit(self) -> None:
        if not self.may_ask():
            self._end_waits()

    def _end_waits(self) -> None:
        self.halt.set()
        self._look_again()

    def release(self, reserve: Reserve) -> None:
        """Count a question as no longer under way, answered or not, and free what was reserved for it."""
        self.in_flight -= 1
        self._reserves.discard(reserve)
        # Set to 0 where nothing is under way, so that errors of rounding do not add up over a run.
        self._reserved = self._reserved - reserve.cost if self._reserves else 0.0
        self._look_again()

    def _look_again(self) -> None:
        # All of them look again, since the next one in line may need more room than one further back.
        waiting, self._waiting = self._waiting, []
        for change in waiting:
            if not change.done():
                change.set_result(None)

    def count_end(self, outcome: str, episode: str | None = None) -> None:
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
            f"{_format_count(self.totals.tokens)} tokens",
        ]
        return ", ".join([*counted, *self._describe_cost()])

    def _describe_cost(self) -> list[str]:
        """Return the cost so far, the expected total, and the models whose price is not known."""
        amounts = []
        if self.totals.priced:
            amounts.append(f"{self.totals.cost_usd:.4f} US$")
            if (limits := self._episodes.range()) is not None:
                amounts.append(f"{limits[0]:.2f} to {limits[1]:.2f} US$ in all")
        if self._unpriced:
            amounts.append(f"price of {' and '.join(sorted(self._unpriced))} not known")
        return amounts

    def build_stop_error(self) -> NoMoreError:
        """Return the error that says why no further question may be sent."""
        if self.ended_early is not None:
            return self.ended_early
        if self._unpriced:
            return CostLimitError(
                f"--max-cost: what answers of {' and '.join(sorted(self._unpriced))} cost is not known",
                "Give prices with --prices FILE (see docs/costs.md), or leave out --max-cost.",
            )
        if self._blind:
            return CostLimitError(
                f"--max-cost: a request to {' and '.join(sorted(self._blind))} brought no answer and may have been "
                "billed; what it cost is not known",
                "Give prices with --prices FILE (see docs/costs.md), or give the same command again to try once more.",
            )
        lost = sum(self._lost.values())
        estimated = f", {format_count(lost, 'request')} without an answer included" if lost else ""
        return CostLimitError(
            f"--max-cost: {self.spent():.4f} US$ of {self.max_cost:g} US$ spent{estimated}",
            "Every answer is kept; the same command with a larger --max-cost goes on from there.",
        )


def _find_seat(question: Asked) -> str:
    return question.judge if isinstance(question, JudgeQuestion) else question.role


def _format_count(number: int) -> str:
    """Return a count for people: 950, 12.3k, 4.5M."""
    for unit, size in (("M", 1_000_000), ("k", 1_000)):
        if number >= size:
            return f"{number / size:.1f}{unit}"
    return str(number)
