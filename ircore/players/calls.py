"""Calls to providers that may fail: classified once, paced, retried, recorded; for all players that use a network.

A *call* is one question of a player; it takes one or more *attempts*, each an ``Attempt`` in the journal. The clients
of players do no retries of their own. What is done about a fault, and how often a call may meet it, depends on its kind
only (``FaultKind``); a wait that the provider asks for (Retry-After) is kept however long it is, as long as the call's
deadline allows it, and a provider that says "too many" is asked less at a time (``Gate``). When asking ends
(``open_questions.Halt``) every wait ends and nothing more is sent; a request under way goes on.
"""

import asyncio
import math
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from random import Random
from typing import Generic, TypeVar

from ircore.core.episode_records import AbortReason, Attempt, FaultKind, Purpose, Usage
from ircore.core.errors import WorkError
from ircore.core.score_records import JudgeReason
from ircore.core.untrusted_text import format_plain_line
from ircore.players.base import Role
from ircore.players.open_questions import OpenQuestion, open_question
from ircore.players.pacing import Gate, Pace, compute_wait

MOST_ATTEMPTS: dict[FaultKind, float] = {
    # Faults that pass by themselves have no count of their own: the deadline bounds them.
    "rate_limit": math.inf,
    "server": math.inf,
    "timeout": 5,
    "unreachable": math.inf,
    "dropped": math.inf,
    # Everything below was or may have been billed.
    "malformed": 6,
    "cut_off": 4,
    "empty": 3,
    "no_image": 3,
    "bad_image": 3,
    "filtered": 2,
    "answer_too_long": 3,  # asked again with room for a shorter answer
    # The same question would get the same answer.
    "refused": 1,
    "rejected": 1,
    "denied": 1,
    "not_found": 1,
    "no_credit": 1,
    "unsupported": 1,
    "no_edits": 1,
    "too_many_pictures": 1,
    "context_too_long": 1,
}
"""How often a call may meet a kind of fault before it gives up; the deadline ends every call."""

STRANGER_ATTEMPTS = 5
"""How often a call tries to reach a provider that was never reached: then its address is wrong, and the run stops."""

SAME_ERRORS = 20
"""How often a service may fail with status 500 in the same words before a call gives up, some ten minutes on: services
that answer so to what they will never do are many, and their words know no rule."""

# Refused questions are not among them: another question may well be answered.
HARD: frozenset[FaultKind] = frozenset({"denied", "not_found", "no_credit", "unsupported", "no_edits"})
"""Faults that every further call would meet too: they stop the run."""

LIMITS: Mapping[FaultKind, AbortReason] = {
    "too_many_pictures": "too_many_pictures",
    "context_too_long": "context_too_long",
    "answer_too_long": "context_too_long",
}
"""Limits of a service that a question passed, with the abort reason: every repetition would pass them too."""

T = TypeVar("T")

BACKOFF_S = 0.5
"""Seconds before the second attempt, roughly; doubled with every further attempt."""

LONGEST_BACKOFF_S = 60.0
LONGEST_WORDS = 300
"""Characters of a service's own words that are recorded."""

_REASONS: dict[Role | None, tuple[AbortReason, AbortReason, AbortReason]] = {
    "describer": ("describer_refused", "generator_no_image", "describer_empty"),
    "generator": ("generator_refused", "generator_no_image", "describer_empty"),
    None: ("answer_refused", "answer_format", "answer_empty"),
}
"""Abort reasons by seat: the question was refused, the picture cannot be used, the answer is empty."""

Number = TypeVar("Number", int, float)


@dataclass(frozen=True)
class RequestFault:
    """The reason why an attempt failed.

    >>> RequestFault("rate_limit", "slow down", 429).retriable
    True

    Attributes:
        kind: Kind of fault, which decides whether the call is repeated.
        detail: The provider's whole words; they are shortened after secrets are removed.
        status: HTTP status, if one was read.
        retry_after: Seconds that the provider asks to wait, if it does; infinite if it names no time that comes.
        room: Tokens that the service has left for an answer, where it says that more were asked for.
        final: Whether asking again would pay again for what was already made, so that the call is not repeated.
    """

    kind: FaultKind
    detail: str
    status: int | None = None
    retry_after: float | None = None
    room: int | None = None
    final: bool = False

    @property
    def retriable(self) -> bool:
        """Whether the same question may be asked again."""
        return MOST_ATTEMPTS[self.kind] > 1


@dataclass(frozen=True)
class Tokens:
    """Tokens and cost of an attempt as the provider counts them; None where the provider gives no number.

    >>> Tokens(prompt=100).completion is None
    True
    """

    prompt: int | None = None
    completion: int | None = None
    reasoning: int | None = None
    cost_usd: float | None = None
    cached: int | None = None


def note_reply(tokens: Tokens) -> None:
    """Note that the reply to an attempt has come and was billed, whatever becomes of the attempt from here on."""
    _HEARD.set(tokens)


@dataclass(frozen=True)
class Reply(Generic[T]):
    """A usable answer to an attempt.

    Attributes:
        served: The model that answered, as the service names it, with its fingerprint.
    """

    value: T
    tokens: Tokens
    status: int
    received: int
    headers: Mapping[str, str] = field(default_factory=dict)
    served: str | None = None


class FaultError(Exception):
    """An attempt failed.

    >>> FaultError(RequestFault("server", "overloaded", 503)).status
    503

    Args:
        fault: How.
        tokens: Tokens and cost of the failed attempt.
        received: Bytes of the body that arrived.
    """

    def __init__(self, fault: RequestFault, tokens: Tokens | None = None, received: int = 0) -> None:
        super().__init__(fault.detail)
        self.fault = fault
        self.status = fault.status
        self.tokens = tokens or Tokens()
        self.received = received


class CallError(Exception):
    """A call failed for good: the last fault, and every attempt.

    >>> CallError(RequestFault("refused", "not allowed"), ()).reason("generator")
    'generator_refused'
    """

    def __init__(self, fault: RequestFault, attempts: tuple[Attempt, ...]) -> None:
        super().__init__(fault.detail)
        self.fault = fault
        self.attempts = attempts

    def reason(self, seat: Role | None) -> AbortReason:
        """Return the abort reason of an episode in which ``seat`` was asked; None: any seat of another game."""
        if self.fault.kind in LIMITS:
            return LIMITS[self.fault.kind]
        refused, unusable, empty = _REASONS[seat]
        if self.fault.kind in ("refused", "filtered"):
            return refused
        if self.fault.kind in ("no_image", "bad_image"):
            return unusable
        return empty if self.fault.kind == "empty" else "provider_error"

    @property
    def judge_reason(self) -> JudgeReason:
        """The reason to record for a judge's question."""
        if self.fault.kind in ("refused", "filtered"):
            return "judge_refused"
        return "judge_empty" if self.fault.kind == "empty" else "provider_error"


class ProviderStopError(WorkError):
    """Every further call to this provider would fail as well; ends the run.

    >>> ProviderStopError("no credit left", "Add credit with the provider.").attempts
    ()
    """

    attempts: tuple[Attempt, ...] = ()


@dataclass(frozen=True)
class Called(Generic[T]):
    """An answered call with its attempts.

    >>> Called("hello", ()).usage.requests
    0
    """

    value: T
    attempts: tuple[Attempt, ...]

    @property
    def usage(self) -> Usage:
        """Sum over all attempts: failed attempts may have cost as well."""
        return sum_usage(self.attempts)


def sum_usage(attempts: tuple[Attempt, ...]) -> Usage:
    """Add up attempts; a quantity that no attempt reports stays unknown."""
    return Usage(
        requests=sum(attempt.reached for attempt in attempts),
        prompt_tokens=_sum_known([attempt.prompt_tokens for attempt in attempts]),
        completion_tokens=_sum_known([attempt.completion_tokens for attempt in attempts]),
        reasoning_tokens=_sum_known([attempt.reasoning_tokens for attempt in attempts]),
        cached_tokens=_sum_known([attempt.cached_tokens for attempt in attempts]),
        cost_usd=_sum_known([attempt.cost_usd for attempt in attempts]),
    )


@dataclass
class Caller:
    """Makes the calls of a player.

    >>> async def ask() -> Reply[str]:
    ...     return Reply("hello", Tokens(), status=200, received=5)
    >>> caller = Caller("a player", Gate(), timeout=5, deadline=10)
    >>> asyncio.run(caller.call(ask)).value
    'hello'

    Attributes:
        who: Player, model and address, for error messages.
        gate: Of the provider.
        timeout: Seconds that one attempt may take.
        deadline: Seconds that one call may take, from its first attempt on.
        pace: Of the model.
        remedies: Advice to the user for each kind of fault.
        scrub: Removes secrets from a text.
        random: Draws the jitter.
    """

    who: str
    gate: Gate
    timeout: float
    deadline: float
    pace: Pace = field(default_factory=Pace)
    remedies: dict[FaultKind, str] = field(default_factory=dict)
    scrub: Callable[[str], str] = str
    random: Random = field(default_factory=lambda: Random(0))

    async def call(self, ask: Callable[[], Awaitable[Reply[T]]], purpose: Purpose | None = None) -> Called[T]:
        """Ask a question, again after faults that may pass, until an answer comes or the question fails for good.

        Args:
            ask: Makes one attempt; raises ``FaultError`` if it fails. Cancelled when the attempt takes too long.
            purpose: What is asked for, where it is not the seat's answer itself.

        Raises:
            CallError: The call failed for good.
            ProviderStopError: Every further call would fail as well.
            HaltedError: Asking has ended, and nothing more was sent.
        """
        loop, question = asyncio.get_running_loop(), open_question()
        question.counts = True
        attempts: list[Attempt] = []
        met: Counter[FaultKind] = Counter()
        errors: Counter[str] = Counter()
        # The deadline runs from the first attempt: waiting for a place at the gate does not count.
        end = math.inf
        decisive: RequestFault | None = None
        while True:
            if (pause := self.pace.turn(loop.time())) > 0:
                async with question.halt.ends_wait():
                    await asyncio.sleep(pause)
            async with self.gate.slot():
                question.halt.check()
                started = loop.time()
                end = min(end, started + self.deadline)
                outcome = await self._make_attempt(ask, end - started, question, purpose)
                seconds = loop.time() - started
                attempts.append(self._record(outcome, seconds, purpose))
                question.note(attempts[-1])
                self.gate.reached |= attempts[-1].reached
                # A failed attempt may have used tokens of the minute's limit as well.
                self.pace.note_answer(_count_tokens(outcome.tokens))
                if isinstance(outcome, Reply):
                    self.gate.note_answer()
                    if (hold := compute_wait(outcome.headers)) is not None:
                        self.pace.hold(hold, loop.time())
                    return Called(outcome.value, tuple(attempts))
                fault = outcome.fault
                if fault.kind == "rate_limit":
                    # Only a 429 speaks of load; other faults say nothing about how many requests fit.
                    self.gate.note_refusal(started, loop.time())
            # An attempt cut short by the deadline tells nothing about the provider; the attempt before it does.
            if decisive is None or fault.kind != "timeout" or end - started >= self.timeout:
                decisive = fault
            met[fault.kind] += 1
            wait = self._wait(fault, len(attempts))
            # A provider that never answered is more likely misspelt than busy, so few attempts are enough.
            most = MOST_ATTEMPTS[fault.kind] if self.gate.reached else STRANGER_ATTEMPTS
            if fault.kind == "server" and fault.status == 500:
                errors[fault.detail] += 1
            lasting = errors[fault.detail] >= SAME_ERRORS
            if fault.final or lasting or met[fault.kind] >= most or loop.time() + wait >= end:
                raise self._build_failure(decisive, tuple(attempts))
            async with question.halt.ends_wait():
                await asyncio.sleep(wait)

    async def _make_attempt(
        self, ask: Callable[[], Awaitable[Reply[T]]], left: float, question: OpenQuestion, purpose: Purpose | None
    ) -> Reply[T] | FaultError:
        """Make an attempt within its time limit; an attempt that is cancelled is noted."""
        # A limit of 0 or less would cancel the attempt before its request is sent.
        seconds = min(self.timeout, max(left, 0.001))
        loop = asyncio.get_running_loop()
        started = loop.time()
        _HEARD.set(None)
        try:
            async with asyncio.timeout(seconds):
                return await ask()
        except TimeoutError:
            # What is asked for again is paid for again, where the reply had come and only its picture had not.
            fault = RequestFault(
                "timeout", f"no complete answer within {seconds:.3g} s", final=_HEARD.get() is not None
            )
            return FaultError(fault, _HEARD.get())
        except FaultError as error:
            return error
        except asyncio.CancelledError:
            given_up = FaultError(RequestFault("timeout", "given up before an answer had come"), _HEARD.get())
            question.note(self._record(given_up, loop.time() - started, purpose))
            raise

    def _record(self, outcome: Reply[T] | FaultError, seconds: float, purpose: Purpose | None) -> Attempt:
        fault, status = outcome.fault if isinstance(outcome, FaultError) else None, outcome.status
        return Attempt(
            kind="answered" if fault is None else fault.kind,
            # Servers send numbers that are no status.
            status=status if status is not None and 100 <= status <= 599 else None,
            seconds=round(seconds, 4),
            received=outcome.received,
            prompt_tokens=outcome.tokens.prompt,
            completion_tokens=outcome.tokens.completion,
            reasoning_tokens=outcome.tokens.reasoning,
            cached_tokens=outcome.tokens.cached,
            cost_usd=outcome.tokens.cost_usd,
            detail=None if fault is None else self._format_line(fault.detail),
            served=self._format_line(outcome.served) if isinstance(outcome, Reply) and outcome.served else None,
            purpose=purpose,
        )

    def _format_line(self, words: str) -> str:
        """Return a provider's words as one short line; secrets are removed before the line is cut."""
        return format_plain_line(self.scrub(words), LONGEST_WORDS)

    def _wait(self, fault: RequestFault, attempts: int) -> float:
        """Return the seconds to wait before the next attempt; jitter keeps waiting calls from coming back at once."""
        # The exponent is bounded: calls may be repeated so often that the power would overflow.
        longest = min(BACKOFF_S * 2.0 ** min(attempts - 1, 30), LONGEST_BACKOFF_S)
        if fault.retry_after is not None:
            # Jitter is only added: coming back before the time that the provider names would be refused.
            return fault.retry_after + self.random.uniform(0, 0.25) * longest
        return self.random.uniform(0.5, 1) * longest

    def _build_failure(self, fault: RequestFault, attempts: tuple[Attempt, ...]) -> Exception:
        explanation = self._format_line(fault.detail)
        # A provider that was never reached has a wrong address: every further call would fail too.
        if fault.kind in HARD or not self.gate.reached:
            remedy = self.remedies.get(fault.kind, "")
            stop = ProviderStopError(f"{self.who}: {_format_status(fault)}{explanation}", remedy)
            stop.attempts = attempts
            return stop
        if fault.retry_after is not None and fault.retriable:
            wait = f"to be asked again after {fault.retry_after:.6g} s; the deadline is {self.deadline:.0f} s"
            explanation = f"{explanation} ({wait})"
        tries = f", {len(attempts)} attempts" if len(attempts) > 1 else ""
        remedy = f" {self.remedies.get(fault.kind, '')}" if fault.kind in LIMITS else ""
        detail = f"{fault.kind}: {_format_status(fault)}{explanation} ({self.who}{tries}){remedy}"
        return CallError(RequestFault(fault.kind, detail.rstrip(), fault.status, fault.retry_after), attempts)


_HEARD: ContextVar[Tokens | None] = ContextVar("heard", default=None)


def _sum_known(values: list[Number | None]) -> Number | None:
    known = [value for value in values if value is not None]
    # The start is a zero of the values' own type: counts stay whole numbers, costs stay floats.
    return sum(known, start=known[0] - known[0]) if known else None


def _count_tokens(tokens: Tokens) -> int | None:
    return None if tokens.prompt is None else tokens.prompt + (tokens.completion or 0)


def _format_status(fault: RequestFault) -> str:
    return "" if fault.status is None else f"HTTP {fault.status}: "
