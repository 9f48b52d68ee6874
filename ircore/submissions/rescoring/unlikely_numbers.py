"""Numbers of a transcript that honest play hardly gives: clocks, times, counts, failures, and when episodes stop.

Each test has a stated chance of a false alarm, and none of its findings holds a run: people look at them.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import NamedTuple

from ircore.core.episode_records import GIVEN_UP, TECHNICAL_REASONS
from ircore.core.game_records import AnyEnded, GameRun, drawn_renderings
from ircore.core.submission_records import Run
from ircore.instances.store import AnyInstanceSet, InstanceSet
from ircore.runs.costs.prices import RunPrices, read_prices
from ircore.runs.events import AnyEvent, Call
from ircore.runs.folder import GameRunFolder, RunFolder
from ircore.runs.provenance import Flag
from ircore.submissions.copies.index import SIDE, Look, index_of, look_at

EARLIEST = datetime(2025, 1, 1, tzinfo=UTC)
"""No version of this software is older."""

AT_ONCE = 256
"""Episodes that are played at the same time at most: so much time at least must have passed."""

NO_TIME = 0.001
"""Seconds in which no model answers."""

LEAST_ANSWERS = 20
"""Answers from which on their times are compared with each other."""

SAME_TIME = 0.5
"""Share of a seat's answers that take the same time to the millisecond, from which on nobody measured it."""

SLOW = 0.1
"""Seconds of the median answer from which on equal times are no rounding."""

MANY_FAILED = 0.05
"""Share of episodes that failed for technical reasons from which on it looks like a choice, whatever others have."""

LEVEL = 1e-4
"""Chance of a false alarm of a comparison with other pairs."""

MOST_OTHERS = 30
"""Runs of other pairs that are compared at most: more change no result and take time."""

LEAST_STOPPED = 30
"""Episodes of three or more renderings from which on it is compared when they stop."""

NEARLY_ALWAYS = 0.98
"""Share of episodes that end at their best picture, from which on that is compared with other pairs."""


class Share(NamedTuple):
    """How often something happened.

    >>> Share(3, 140).value > Share(1, 140).value
    True
    """

    number: int
    """How often it did."""

    total: int
    """How often it could have."""

    @property
    def value(self) -> float:
        """The share, 0–1."""
        return self.number / self.total if self.total else 0.0


def number_flags(
    run: Run | GameRun,
    events: Sequence[AnyEvent],
    episodes: Mapping[str, AnyEnded],
    instances: AnyInstanceSet,
    look: Callable[[str], Look],
    others: Sequence[RunFolder | GameRunFolder],
) -> Iterator[Flag]:
    """Yield a finding for each number that honest play hardly gives.

    Args:
        run: The run's identity.
        events: The transcript.
        episodes: Its episodes by id.
        instances: The set that was played.
        look: Returns the descriptor of a rendering by its file's hash.
        others: Published runs of other pairs.
    """
    compared = [other for other in others if other.run.game == run.game and other.run.slug != run.slug]
    known = [other.ended() for other in islice(compared, MOST_OTHERS)]
    yield from _clock(run, events)
    yield from _times(run, events)
    yield from _no_tokens(run, events)
    yield from _failures(episodes, known)
    if isinstance(instances, InstanceSet):
        yield from _stopping(episodes, instances, look, list(islice(compared, MOST_OTHERS)))


def more_often(own: Share, others: Share) -> float:
    """Return the probability of so high a share if a pair is like the others: Fisher's exact test, one-sided.

    Source: Fisher, The logic of inductive inference, Journal of the Royal Statistical Society 98 (1935).

    >>> round(more_often(Share(3, 4), Share(1, 4)), 4)  # the lady tasting tea: 17 of 70
    0.2429
    """
    import numpy as np
    from scipy.stats import fisher_exact

    table = [[own.number, own.total - own.number], [others.number, others.total - others.number]]
    return float(fisher_exact(np.array(table), alternative="greater").pvalue)


def _clock(run: Run | GameRun, events: Sequence[AnyEvent]) -> Iterator[Flag]:
    """Yield a finding for a run that began before this software, or that cannot have lasted as long as its answers."""
    began = datetime.fromisoformat(run.started)
    if began < EARLIEST:
        yield _flag("time", f"it began {run.started}, before there was any version of ircore")
    taken = timedelta(seconds=sum(event.seconds for event in events if isinstance(event, Call)) / AT_ONCE)
    if began + taken > datetime.now(UTC) + timedelta(hours=1):
        hours = taken.total_seconds() / 3600
        yield _flag("time", f"its answers take {hours:.1f} hours at least, and it began {run.started}")


def _times(run: Run | GameRun, events: Sequence[AnyEvent]) -> Iterator[Flag]:
    """Yield a finding for a model that answers in no time, or always in the same time."""
    for role, spec in run.submission.players.items():
        times = sorted(event.seconds for event in events if isinstance(event, Call) and event.role == role)
        if spec.model is None or not times:
            continue
        if quick := sum(seconds < NO_TIME for seconds in times):
            yield _flag("time", f"the {role}, a model, answered {quick} of {len(times)} times in no time")
        seconds, number = Counter(round(seconds, 3) for seconds in times).most_common(1)[0]
        if len(times) >= LEAST_ANSWERS and times[len(times) // 2] >= SLOW and number > SAME_TIME * len(times):
            yield _flag("time", f"{number} of {len(times)} answers of the {role} took exactly {seconds:g} s")


def _no_tokens(run: Run | GameRun, events: Sequence[AnyEvent]) -> Iterator[Flag]:
    """Yield a finding for a model at a service that bills, whose answers count no tokens and cost nothing."""
    seats = RunPrices(read_prices(), run.submission).seats
    for role, seat in seats.items():
        calls = [event for event in events if isinstance(event, Call) and event.role == role and event.text]
        free = sum(not call.usage.completion_tokens and not call.usage.cost_usd for call in calls if call.usage)
        if seat.price is not None and not seat.offline and free:
            yield _flag("no_tokens", f"{free} of {len(calls)} answers of the {role} count no tokens and cost nothing")


def _failures(episodes: Mapping[str, AnyEnded], others: Sequence[Mapping[str, AnyEnded]]) -> Iterator[Flag]:
    """Yield a finding if more episodes failed for technical reasons than 5 %, or than chance explains beside others."""
    own, theirs = _failed(episodes), [_failed(known) for known in others]
    pooled = Share(sum(share.number for share in theirs), sum(share.total for share in theirs))
    if own.value > MANY_FAILED:
        yield _flag("many_failures", f"{own.number} of {own.total} episodes failed for technical reasons")
    elif pooled.total and more_often(own, pooled) < LEVEL:
        than = f"{pooled.number} of {pooled.total} of other pairs"
        yield _flag("many_failures", f"{own.number} of {own.total} episodes failed for technical reasons, and {than}")


def _failed(episodes: Mapping[str, AnyEnded]) -> Share:
    failed = sum(episode.abort_reason in {*TECHNICAL_REASONS, GIVEN_UP} for episode in episodes.values())
    return Share(failed, len(episodes))


def _stopping(
    episodes: Mapping[str, AnyEnded],
    instances: InstanceSet,
    look: Callable[[str], Look],
    others: Sequence[RunFolder | GameRunFolder],
) -> Iterator[Flag]:
    """Yield a finding if nearly every episode ends at its best picture, and those of other pairs do not.

    Whoever cuts the later turns off leaves such episodes. So does a pair that never makes a picture worse.
    """
    targets = _Targets(instances)
    own = _at_their_best(episodes, targets, lambda _, sha256: look(sha256))
    if own.total < LEAST_STOPPED or own.value < NEARLY_ALWAYS:
        return
    shares = [_at_their_best(other.ended(), targets, _looks_of(other)) for other in others]
    pooled = Share(sum(share.number for share in shares), sum(share.total for share in shares))
    if pooled.total >= LEAST_STOPPED and more_often(own, pooled) < LEVEL:
        theirs = f"{100 * pooled.value:.0f} % of other pairs'"
        what = f"{own.number} of {own.total} longer episodes end at their best picture; {theirs}"
        yield _flag("stops_at_its_best", what)


class _Targets:
    """The descriptors of targets, made when they are asked for."""

    def __init__(self, instances: InstanceSet) -> None:
        self._instances = {instance.instance_id: instance for instance in instances.instances}
        self._set = instances
        self._known: dict[str, Look] = {}

    def __call__(self, name: str) -> Look | None:
        if name not in self._instances:
            return None
        if name not in self._known:
            self._known[name] = look_at(self._set.target(self._instances[name]))
        return self._known[name]


def _looks_of(run: RunFolder | GameRunFolder) -> Callable[[str, str], Look]:
    index = index_of(run)
    places = {key: place for place, key in enumerate(index.keys())}
    return lambda name, sha256: Look(index.pixels[places[name, sha256]], index.descriptors[places[name, sha256]])


def _at_their_best(episodes: Mapping[str, AnyEnded], target_of: _Targets, look: Callable[[str, str], Look]) -> Share:
    """Return how many episodes of three or more pictures end at the one that is most like the target."""
    best = longer = 0
    for name, episode in episodes.items():
        hashes = list(dict.fromkeys(drawn.sha256 for _, drawn in drawn_renderings(episode)))
        if len(hashes) < 3 or episode.outcome != "converged" or (target := target_of(episode.instance_id)) is None:
            continue
        longer += 1
        alike = [_alike(look(name, sha256), target) for sha256 in hashes]
        best += max(alike[:-1]) < alike[-1]
    return Share(best, longer)


def _alike(first: Look, second: Look) -> float:
    """Return the correlation of two descriptors, −1 to 1."""
    import numpy as np

    pixels = (look.descriptor.astype(np.float32).reshape(SIDE * SIDE) for look in (first, second))
    one, other = pixels
    return float(one @ other) / max(float(np.linalg.norm(one) * np.linalg.norm(other)), 1.0)


def _flag(rule: str, what: str) -> Flag:
    return Flag(rule=rule, where="the run", what=what)
