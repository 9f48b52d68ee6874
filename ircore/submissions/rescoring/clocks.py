"""Times, tokens and costs that cannot be, or hardly can: by the submitter's word alone, and without effect on a score.

Each bound is one of physics or of counting, far from what honest services do; what passes it is listed for people.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from math import atanh, sqrt, tanh

from ircore.core.counted import counted
from ircore.core.records import PlayerSpec
from ircore.core.submission_records import Run
from ircore.core.tokens import count_tokens
from ircore.instances.benchmark import read_versions
from ircore.runs.costs.prices import read_prices
from ircore.runs.events import Call, Event
from ircore.runs.provenance import Flag

NO_TIME = 0.001
"""Seconds in which no model answers."""

TOKENS_A_SECOND = 10_000
"""Tokens that no service writes in a second for one answer; the fastest ones say about 3,000."""

SAME_TIME = 0.1
"""Share of answers that took the same time to a tenth of a millisecond from which on times were not measured."""

LEAST_SAME = 5
"""Answers of the same time from which on that is no chance: of times within half a second, one in 5,000 agrees."""

LEAST_ANSWERS = 30
"""Answers from which on times are compared with the tokens written."""

LEAST_CORRELATION = 0.2
"""Rank correlation of time and tokens written that an honest service has at least: tokens are written one by one."""

FAR_BELOW = 3.09
"""Standard errors below ``LEAST_CORRELATION``: once in 1,000 honest runs by chance."""

FEWER_TOKENS = 3
"""Tokens of o200k_base for each token of any other vocabulary, at most; those in use differ by less than 2."""

FIRST_DAY = "2026-06-01"
"""The month of the game's paper: nobody played it before."""


def clock(run: Run, events: Sequence[Event], now: datetime | None = None) -> Iterator[Flag]:
    """Yield a finding if a run began before its targets were released, or has an episode longer than the time since.

    Args:
        run: The run's identity; ``started`` is its submitter's word.
        events: The transcript. Turns of an episode follow each other, so that their seconds add up.
        now: When the transcript was handed in, in UTC; the present by default.
    """
    played_on = (run.instance_set, run.prompts)
    released = [known for known in read_versions() if (known.instance_set, known.prompts) == played_on]
    day, name = min((version.date, version.name) for version in released) if released else (FIRST_DAY, "")
    started = datetime.fromisoformat(run.started).astimezone(UTC)
    # A day's slack, since a release is a day and clocks have time zones.
    if started < datetime.fromisoformat(day).replace(tzinfo=UTC) - timedelta(days=1):
        since = f"version {name} was released on {day}" if name else f"the game was first described after {day}"
        yield Flag(rule="clock", where="the run", what=f"it began on {run.started[:10]}; {since}")
    seconds: defaultdict[str, float] = defaultdict(float)
    for event in events:
        if isinstance(event, Call):
            seconds[event.episode_id] += event.seconds
    longest = max(seconds, key=seconds.__getitem__, default="")
    passed = ((now or datetime.now(UTC)) - started).total_seconds()
    # An hour's slack for clocks that are set wrong.
    if longest and seconds[longest] > passed + 3600:
        problem = f"its answers took {seconds[longest]:.0f} s, but only {passed:.0f} s passed since the run began"
        yield Flag(rule="clock", where=longest, what=problem)


def answers_of_models(run: Run, events: Sequence[Event]) -> Iterator[Flag]:
    """Yield findings about seconds, tokens and costs that the answers of models state.

    Args:
        run: The run's identity.
        events: The transcript.
    """
    for role, spec in run.submission.players.items():
        if spec.model is not None:
            calls = [event for event in events if isinstance(event, Call) and event.role == role]
            yield from _times(role, calls)
            yield from _tokens(role, calls)
            yield from _costs(role, spec, calls)


def _times(role: str, calls: Sequence[Call]) -> Iterator[Flag]:
    quick = sum(call.seconds < NO_TIME for call in calls)
    if quick:
        yield _of_run("time", f"the {role}, a model, answered {quick} of {counted(len(calls), 'time')} in no time")
        return
    fast = sum((call.usage.completion_tokens or 0) > TOKENS_A_SECOND * call.seconds for call in calls)
    if fast:
        yield _of_run("time", f"the {role} wrote over {TOKENS_A_SECOND:,} tokens a second in {fast} of {len(calls)}")
    value, times = Counter(call.seconds for call in calls).most_common(1)[0] if calls else (0.0, 0)
    # A number as well as a share, because of few answers two may take the same time.
    if value >= NO_TIME and times >= max(LEAST_SAME, SAME_TIME * len(calls)):
        yield _of_run("time", f"{times} of {len(calls)} answers of the {role} took the same time, {value:g} s")
    # Of an answer that took several requests, the last one alone wrote the tokens that are there.
    pairs = [
        (call.usage.completion_tokens, call.attempts[-1].seconds if call.attempts else call.seconds)
        for call in calls
        if call.usage.completion_tokens
    ]
    if (most := most_correlation(pairs)) is not None and most < LEAST_CORRELATION:
        problem = f"seconds of the {role}'s {len(pairs)} answers do not grow with the tokens written"
        yield _of_run("time", f"{problem}: rank correlation at most {most:.2f}")


def most_correlation(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Return the highest rank correlation that tokens and seconds may have, but for one sample in 1,000.

    By Fisher's transformation of Spearman's coefficient, with the standard error 1.03 / √(n − 3) of Fieller, Hartley
    and Pearson (1957).

    Args:
        pairs: Tokens written and seconds, for each answer.

    Returns:
        The upper bound; None for fewer than ``LEAST_ANSWERS`` answers, or for answers of much the same length.
    """
    lengths = sorted(tokens for tokens, _ in pairs)
    # Where nearly all answers are of one length, an honest service shows no correlation either.
    if len(pairs) < LEAST_ANSWERS or lengths[len(pairs) * 9 // 10] < 2 * lengths[len(pairs) // 10]:
        return None
    tokens, seconds = zip(*pairs, strict=True)
    # Constant seconds have no rank correlation: SciPy returns NaN.
    if len(set(seconds)) == 1:
        return 0.0
    from scipy.stats import spearmanr

    correlation = float(spearmanr(tokens, seconds).statistic)
    # atanh is infinite at 1 and -1.
    return tanh(atanh(min(max(correlation, -0.999), 0.999)) + FAR_BELOW * 1.03 / sqrt(len(pairs) - 3))


def _tokens(role: str, calls: Sequence[Call]) -> Iterator[Flag]:
    """Yield a finding if answers are longer than the tokens that they are said to have."""
    measured = [call for call in calls if call.text and call.usage.completion_tokens is not None]
    # Five for short answers, whose tags a vocabulary may hold as single tokens.
    fewer = sum(
        FEWER_TOKENS * ((call.usage.completion_tokens or 0) + 5) < count_tokens(call.text or "") for call in measured
    )
    unread = sum(call.usage.prompt_tokens == 0 for call in measured)
    if fewer or unread:
        problem = f"more words than the tokens counted: {fewer}, no token counted as read: {unread}"
        yield _of_run("tokens", f"of {counted(len(measured), 'answer')} of the {role}, a model, {problem}")


def _costs(role: str, spec: PlayerSpec, calls: Sequence[Call]) -> Iterator[Flag]:
    """Yield a finding if answers of a model whose price is known are said to have cost nothing."""
    seat = read_prices().seat(spec)
    free = sum(call.usage.cost_usd == 0 and call.usage.requests > 0 for call in calls)
    if free and seat.price is not None:
        cheap = f"{free} of {counted(len(calls), 'answer')}"
        yield _of_run("no_cost", f"{cheap} of the {role} cost nothing; {seat.label} has a price")


def _of_run(rule: str, problem: str) -> Flag:
    return Flag(rule=rule, where="the run", what=problem)
