"""Unlikely facts in a transcript that break no rule: findings for people to look at, never a verdict.

They are times, tokens and costs that cannot be, or hardly can: by the submitter's word alone, and without effect on a
score. Each bound is one of physics or of counting, far from what honest services do; what passes it is listed for
people.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import chain, groupby
from math import atanh, sqrt, tanh
from operator import attrgetter
from typing import NamedTuple

from ircore.core.episode_records import TECHNICAL_REASONS, Episode, Rendering, list_renderings
from ircore.core.images import Picture
from ircore.core.plain_words import format_count
from ircore.core.records import PlayerSpec
from ircore.core.submission_records import Run
from ircore.core.tokens import count_tokens
from ircore.games.base import Game, list_messages
from ircore.games.registry import find_step_word, load_game
from ircore.instances.benchmark import read_versions
from ircore.instances.store import InstanceSet
from ircore.runs.costs.prices import read_prices
from ircore.runs.events import Call, CallKey, End, Event, Failure, get_episode_id
from ircore.runs.folder import RunFolder
from ircore.runs.provenance import Flag, sort_ids
from ircore.seeing.descriptors import compute_descriptor
from ircore.submissions.rescoring.copies import CopyComparison, name_some
from ircore.submissions.rescoring.messages import compile_name_search, find_remarks
from ircore.submissions.rescoring.pictures import Reader, find_texts_to_a_judge
from ircore.submissions.rescoring.selection import check_failures, check_stopping, select_peers

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

_SNAPSHOT = re.compile(r"(-(20\d\d-\d\d-\d\d|20\d{6}|\d\d-\d\d|\d\d-20\d\d|\d{3,4}|latest|preview))+$")
"""What names of services add to say which version of a model it is."""

SAME_WORDS = 6
"""Shorter messages may well be alike by chance."""

MOST_OF_A_RULE = 20
"""Flags of one rule that are listed, so that many harmless flags do not hide another."""

LEAST_SIDE = 64
"""Pixels of the shorter side below which a rendering is listed: nothing of a target can be judged in it."""

LEAST_ORDERED = 12
"""Episodes from which on their order is compared with the order that a commitment gives."""

LEAST_ALIKE = 0.5
"""Rank correlation below which two orders are not alike; one of 20 unrelated orders of 12 episodes passes it."""


def check_clock(run: Run, events: Sequence[Event], now: datetime | None = None) -> Iterator[Flag]:
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


def flag_answers_of_models(run: Run, events: Sequence[Event]) -> Iterator[Flag]:
    """Yield findings about seconds, tokens and costs that the answers of models state.

    Args:
        run: The run's identity.
        events: The transcript.
    """
    for role, spec in run.submission.players.items():
        if spec.model is not None:
            calls = [event for event in events if isinstance(event, Call) and event.role == role]
            yield from _flag_times(role, calls)
            yield from _flag_tokens(role, calls)
            yield from _flag_costs(role, spec, calls)


def compute_most_correlation(pairs: Sequence[tuple[float, float]]) -> float | None:
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


def flag_other_models(run: Run, events: Sequence[Event]) -> Iterator[Flag]:
    """Yield a finding for each model that answered in a seat whose manifest names another.

    Args:
        run: The run's identity.
        events: The transcript. Answers of services that do not say which model answered prove nothing.
    """
    answered: Counter[tuple[str, str]] = Counter()
    for event in events:
        if isinstance(event, Call):
            names = {attempt.served for attempt in event.attempts if attempt.kind == "answered" and attempt.served}
            answered.update((event.role, name) for name in names)
    for (role, served), count in sorted(answered.items()):
        spec = run.submission.players.get(role)
        if spec is None or spec.model is None or any(is_same_model(name, served) for name in _list_named_models(spec)):
            continue
        problem = (
            f"{format_count(count, 'answer')} of the {role} by {served.partition('@')[0][:80]}, not by "
            f"{spec.model[:80]}"
        )
        yield Flag(rule="another_model", where="the run", what=problem)


def is_same_model(named: str, served: str) -> bool:
    """Return whether a service's name of the model that answered can stand for the model that was named.

    Args:
        named: As in the manifest; a folder of weights or a name with its maker before a slash, too.
        served: As the service says it, perhaps with a fingerprint after ``@``.

    >>> is_same_model("gpt-5.2", "gpt-5.2-2026-01-15@fp_1"), is_same_model("gpt-5.2", "gpt-5.2-mini")
    (True, False)
    """
    # What follows the sign is a fingerprint of the service's, not part of the model's name.
    plain_named, plain_served = _normalise_model(named), _normalise_model(served.partition("@")[0])
    if plain_named == plain_served:
        return True
    if _SNAPSHOT.sub("", plain_named) != _SNAPSHOT.sub("", plain_served):
        return False
    dates = [re.sub(r"\D", "", match[0]) for name in (plain_named, plain_served) if (match := _SNAPSHOT.search(name))]
    return len([date for date in dates if date]) < 2  # two versions that are both stated have to be the same


class Replayed(NamedTuple):
    """Results of playing a transcript again.

    >>> Replayed().reproduced
    frozenset()
    """

    drawn_from: Collection[tuple[str, str]] = frozenset()
    """Episode and SHA-256 of renderings that are a picture which their seat was shown: no sign of a leak there."""

    reproduced: Collection[tuple[str, str]] = frozenset()
    """Episode and SHA-256 of renderings that an offline player drew again."""

    differing: Sequence[CallKey] = ()
    """Questions that an offline player answers otherwise than recorded."""


def find_flags(
    run: Run,
    events: Sequence[Event],
    instances: InstanceSet,
    rendering: Callable[[Rendering], Picture],
    others: Sequence[RunFolder] = (),
    replayed: Replayed = Replayed(),  # noqa: B008 - immutable
    read: Reader | None = None,
) -> tuple[Flag, ...]:
    """Return the unlikely facts in a transcript, the first ``MOST_OF_A_RULE`` of each rule and the number of the rest.

    Args:
        run: The run's identity.
        events: The transcript; the rules hold for it.
        instances: The set that was played.
        rendering: Returns the picture of a rendering.
        others: Published runs of other pairs, whose renderings these should not be.
        replayed: What playing the rules and the offline players again has shown.
        read: Returns the text in a picture; None where texts in renderings are not read.
    """
    episodes = {event.episode.episode_id: event.episode for event in events if isinstance(event, End)}
    drawings = {
        name: {
            sha256: step for sha256, step in _list_drawn(episode).items() if (name, sha256) not in replayed.drawn_from
        }
        for name, episode in episodes.items()
    }
    known = {drawn.sha256: drawn for episode in episodes.values() for _, drawn in list_renderings(episode)}
    # Several rules look at the same rendering, and decoding takes longer than comparing.
    looks = cache(lambda sha256: compute_descriptor(rendering(known[sha256])))
    comparison = CopyComparison(
        find_step_word(run.game), drawings, lambda sha256: rendering(known[sha256]), looks, replayed.reproduced
    )
    flags = [
        *comparison.with_instances(instances),
        *comparison.seen_again(),
        *comparison.with_others(run, others, instances),
        *_flag_not_reproduced(run, replayed.differing),
        *_find_tiny(drawings, known, find_step_word(run.game)),
        *find_texts_to_a_judge(comparison, instances, read),
        *flag_unlikely_records(run, events, instances, rendering, others),
        *_check_order(run, events),
    ]
    # By rule first, because groupby joins neighbours alone.
    rule = attrgetter("rule")
    return tuple(chain.from_iterable(_limit_flags(list(same)) for _, same in groupby(sorted(flags, key=rule), rule)))


def flag_unlikely_records(
    run: Run,
    events: Sequence[Event],
    instances: InstanceSet,
    rendering: Callable[[Rendering], Picture],
    others: Sequence[RunFolder] = (),
) -> Iterator[Flag]:
    """Yield flags on messages, order, times, counts, ends and failures; pictures are not compared.

    Args:
        run: The run's identity.
        events: The transcript.
        instances: The set that was played.
        rendering: Returns the picture of a rendering.
        others: Published runs of other pairs.
    """
    episodes = {event.episode.episode_id: event.episode for event in events if isinstance(event, End)}
    peers = select_peers(run, others)
    yield from _flag_messages(run, events, instances)
    yield from _order(run, events)
    yield from check_clock(run, events)
    yield from flag_answers_of_models(run, events)
    yield from flag_other_models(run, events)
    yield from check_stopping(episodes, instances, rendering, peers)
    yield from check_failures(episodes, peers)


def _flag_times(role: str, calls: Sequence[Call]) -> Iterator[Flag]:
    quick = sum(call.seconds < NO_TIME for call in calls)
    if quick:
        yield _build_run_flag(
            "time", f"the {role}, a model, answered {quick} of {format_count(len(calls), 'time')} in no time"
        )
        return
    fast = sum((call.usage.completion_tokens or 0) > TOKENS_A_SECOND * call.seconds for call in calls)
    if fast:
        yield _build_run_flag(
            "time", f"the {role} wrote over {TOKENS_A_SECOND:,} tokens a second in {fast} of {len(calls)}"
        )
    value, times = Counter(call.seconds for call in calls).most_common(1)[0] if calls else (0.0, 0)
    # A number as well as a share, because of few answers two may take the same time.
    if value >= NO_TIME and times >= max(LEAST_SAME, SAME_TIME * len(calls)):
        yield _build_run_flag("time", f"{times} of {len(calls)} answers of the {role} took the same time, {value:g} s")
    # Of an answer that took several requests, the last one alone wrote the tokens that are there.
    pairs = [
        (call.usage.completion_tokens, call.attempts[-1].seconds if call.attempts else call.seconds)
        for call in calls
        if call.usage.completion_tokens
    ]
    if (most := compute_most_correlation(pairs)) is not None and most < LEAST_CORRELATION:
        problem = f"seconds of the {role}'s {len(pairs)} answers do not grow with the tokens written"
        yield _build_run_flag("time", f"{problem}: rank correlation at most {most:.2f}")


def _flag_tokens(role: str, calls: Sequence[Call]) -> Iterator[Flag]:
    """Yield a finding if answers are longer than the tokens that they are said to have."""
    measured = [call for call in calls if call.text and call.usage.completion_tokens is not None]
    # Five for short answers, whose tags a vocabulary may hold as single tokens.
    fewer = sum(
        FEWER_TOKENS * ((call.usage.completion_tokens or 0) + 5) < count_tokens(call.text or "") for call in measured
    )
    unread = sum(call.usage.prompt_tokens == 0 for call in measured)
    if fewer or unread:
        problem = f"more words than the tokens counted: {fewer}, no token counted as read: {unread}"
        yield _build_run_flag("tokens", f"of {format_count(len(measured), 'answer')} of the {role}, a model, {problem}")


def _flag_costs(role: str, spec: PlayerSpec, calls: Sequence[Call]) -> Iterator[Flag]:
    """Yield a finding if answers of a model whose price is known are said to have cost nothing."""
    seat = read_prices().seat(spec)
    free = sum(call.usage.cost_usd == 0 and call.usage.requests > 0 for call in calls)
    if free and seat.price is not None:
        cheap = f"{free} of {format_count(len(calls), 'answer')}"
        yield _build_run_flag("no_cost", f"{cheap} of the {role} cost nothing; {seat.label} has a price")


def _build_run_flag(rule: str, problem: str) -> Flag:
    return Flag(rule=rule, where="the run", what=problem)


def _list_named_models(spec: PlayerSpec) -> list[str]:
    """Return the models that a manifest names for a seat: its own, the tool's, and that which merges a dialogue."""
    return [
        str(name) for name in (spec.model, spec.parameters.get("rewriter"), spec.parameters.get("image_model")) if name
    ]


def _normalise_model(name: str) -> str:
    """Return a model's name in lower case, without its maker or folder, and without a route such as ``:free``."""
    return name.lower().rstrip("/\\").replace("\\", "/").rpartition("/")[2].partition(":")[0]


def _limit_flags(flags: list[Flag]) -> Iterator[Flag]:
    """Yield at most ``MOST_OF_A_RULE`` flags of a rule, so that one noisy rule cannot hide the others."""
    yield from flags[:MOST_OF_A_RULE]
    if (more := len(flags) - MOST_OF_A_RULE) > 0:
        yield _flag(flags[0].rule, "further turns", f"{more} more like these")


def _list_drawn(episode: Episode) -> dict[str, int]:
    """Return the hashes of the renderings of an episode, each with the first step that shows the rendering."""
    # Reversed, so that the first step with a rendering replaces later ones.
    return {drawn.sha256: step for step, drawn in reversed(list_renderings(episode))}


def _flag_not_reproduced(run: Run, differing: Sequence[CallKey]) -> Iterator[Flag]:
    """Yield a finding for each seat whose offline player answers otherwise than recorded."""
    for role in dict.fromkeys(key.role for key in differing):
        keys = [key for key in differing if key.role == role]
        where = f"{keys[0].episode_id}, {find_step_word(run.game)} {keys[0].turn}"
        verb, label = "is" if len(keys) == 1 else "are", run.submission.players[role].label
        problem = f"{format_count(len(keys), 'answer')} of the {role} {verb} not what {label} gives"
        yield _flag("not_reproduced", where, problem)


def _find_tiny(drawings: Mapping[str, Mapping[str, int]], known: Mapping[str, Rendering], word: str) -> Iterator[Flag]:
    """Yield renderings too small to show a target."""
    for name, drawn in drawings.items():
        for sha256, step in drawn.items():
            width, height = known[sha256].width, known[sha256].height
            if min(width, height) < LEAST_SIDE:
                yield _flag("tiny_rendering", f"{name}, {word} {step}", f"the rendering is {width} × {height} pixels")


def _list_texts(run: Run, events: Sequence[Event]) -> Iterator[tuple[str, int, str]]:
    """Yield episode, step and words of every message: as the game tells them, or every text answer as it stands."""
    game = load_game(run.game)
    raw = type(game).list_messages is Game.list_messages
    for event in events:
        if isinstance(event, End):
            messages = list_messages(game, event.episode)
            yield from ((event.episode.episode_id, message.step, message.text) for message in messages)
        elif isinstance(event, Call) and raw:
            yield event.episode_id, event.turn, event.text or ""


def _flag_messages(run: Run, events: Sequence[Event], instances: InstanceSet) -> Iterator[Flag]:
    """Find messages that answer different instances, and messages that hold more than words."""
    episodes_by_message: dict[str, list[str]] = defaultdict(list)
    name_in = compile_name_search([instance.instance_id for instance in instances.instances])
    stated = run.rules.get("token_budget")
    budget, word = stated if isinstance(stated, int) else None, find_step_word(run.game)
    for name, step, text in _list_texts(run, events):
        where = f"{name}, {word} {step}"
        # Later messages ask for corrections, which are often alike.
        if step == 1 and len(text.split()) >= SAME_WORDS:
            episodes_by_message[" ".join(text.split())].append(name)
        for remark in find_remarks(text, budget, name_in):
            yield _flag(remark.rule, where, remark.what)
    for names in episodes_by_message.values():
        if len(set(names)) > 1:
            yield _flag("same_message", name_some(names), f"the same first message in {len(names)} episodes")


def _order(run: Run, events: Sequence[Event]) -> Iterator[Flag]:
    """Yield answers that were recorded before the question was: a journal only grows."""
    latest: dict[str, tuple[int, int]] = {}
    flagged: set[str] = set()
    game = load_game(run.game)
    seats = [seat.name for seat in game.seats] if game.asks_in_order else []
    for event in events:
        name = get_episode_id(event)
        if isinstance(event, Failure):
            continue
        if isinstance(event, End):
            # An episode that failed for technical reasons is taken up again.
            ended = event.episode.abort_reason not in TECHNICAL_REASONS
            # Behind every turn: nothing of an episode follows its end.
            place = (10**6, 0) if ended else latest.get(name, (0, 0))
        else:
            place = (event.turn, seats.index(event.role) if event.role in seats else 0)
        if place < latest.get(name, (0, 0)) and name not in flagged:
            flagged.add(name)
            yield _flag("out_of_order", name, "an answer is recorded before what it answers")
        latest[name] = max(place, latest.get(name, (0, 0)))


def _check_order(run: Run, events: Sequence[Event]) -> Iterator[Flag]:
    """Yield a finding if episodes begin in another order than the run's commitment gives.

    Several are played at a time, so the orders are compared by Spearman's rank correlation.
    """
    begun = list(dict.fromkeys(map(get_episode_id, events)))
    number = len(begun)
    if run.opening is None or number < LEAST_ORDERED:
        return
    # Only the episodes that were begun, whose order among themselves the commitment gives too.
    due = {name: place for place, name in enumerate(sort_ids(run.opening, begun))}
    squares = sum((place - due[name]) ** 2 for place, name in enumerate(begun))
    alike = 1 - 6 * squares / (number * (number**2 - 1))
    if alike < LEAST_ALIKE:
        yield _flag("other_order", "the run", f"episodes begin in another order than committed to (ρ = {alike:.2f})")


def _flag(rule: str, where: str, problem: str) -> Flag:
    return Flag(rule=rule, where=where, what=problem)
