"""What in a transcript breaks no rule and is still unlikely: findings for people to look at, never a verdict."""

import hashlib
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import chain, islice

from ircore.images import Picture
from ircore.instances.store import InstanceSet
from ircore.provenance import MAX_FLAGS, Flag
from ircore.records import TECHNICAL_REASONS, Episode, Run
from ircore.rescoring.addressed import addresses_a_judge
from ircore.runs import Call, End, Failure, RunFolder

SAME_WORDS = 6
"""Shorter messages may well be alike by chance."""

MANY_FAILED = 0.05
"""Share of episodes that failed for technical reasons from which on it looks like a choice."""

NEARLY = 2
"""Levels of 255 by which a rendering may differ from a target in every pixel and count as identical to it."""

NO_TIME = 0.001
"""Seconds in which no model answers."""

_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn"}


def find_flags(
    run: Run,
    events: Sequence[Call | Failure | End],
    instances: InstanceSet,
    rendering: Callable[[str], Picture],
    others: Sequence[RunFolder] = (),
) -> tuple[Flag, ...]:
    """Return what is unlikely in a transcript, the first ``MAX_FLAGS``.

    Args:
        run: The run's identity.
        events: The transcript; the rules hold for it.
        instances: The set that was played.
        rendering: Returns the picture with a hash.
        others: Published runs of other pairs, whose renderings these should not be.
    """
    episodes = {event.episode.episode_id: event.episode for event in events if isinstance(event, End)}
    found = chain(_all(run, events, episodes, instances, rendering), _of_others(run, episodes, rendering, others))
    return tuple(islice(found, MAX_FLAGS))


def _all(
    run: Run,
    events: Sequence[Call | Failure | End],
    episodes: Mapping[str, Episode],
    instances: InstanceSet,
    rendering: Callable[[str], Picture],
) -> Iterator[Flag]:
    yield from _targets(episodes, instances, rendering)
    yield from _reused(episodes)
    yield from _messages(episodes)
    yield from _order(events)
    yield from _times(run, events)
    failed = [one for one in episodes.values() if one.abort_reason in TECHNICAL_REASONS]
    if len(failed) > MANY_FAILED * len(episodes):
        yield _flag(
            "many_failures", "the run", f"{len(failed)} of {len(episodes)} episodes failed for technical reasons"
        )


def _targets(
    episodes: Mapping[str, Episode], instances: InstanceSet, rendering: Callable[[str], Picture]
) -> Iterator[Flag]:
    """Find renderings that are a target: pixel by pixel any target, within ``NEARLY`` levels the episode's own."""
    pixels = {_pixel_hash(instances.target(one)): one.instance_id for one in instances.instances}
    for instance in instances.instances:
        episode = episodes.get(instance.instance_id)
        if episode is None:
            continue
        target = instances.target(instance)
        for turn, known in ((one.turn, one.rendering) for one in episode.turns if one.rendering):
            drawn = rendering(known.sha256)
            where = f"{instance.instance_id}, turn {turn}"
            twin = pixels.get(_pixel_hash(drawn))
            if twin == instance.instance_id:
                yield _flag("identical_to_target", where, "the rendering is the target, pixel by pixel")
            elif twin is not None:
                yield _flag("identical_to_target", where, f"the rendering is the target of {twin}, pixel by pixel")
            elif _is_nearly(drawn, target):
                yield _flag(
                    "identical_to_target", where, f"no pixel differs from the target by more than {NEARLY} levels"
                )


def _pixel_hash(picture: Picture) -> str:
    return hashlib.sha256(f"{picture.width}x{picture.height}".encode() + picture.pixels.tobytes()).hexdigest()


def _is_nearly(one: Picture, other: Picture) -> bool:
    import numpy as np

    if (one.width, one.height) != (other.width, other.height):
        return False
    return bool(np.abs(one.pixels.astype(np.int16) - other.pixels).max() <= NEARLY)


def _reused(episodes: Mapping[str, Episode]) -> Iterator[Flag]:
    """Find pictures that answer different episodes."""
    seen: dict[str, list[str]] = defaultdict(list)
    for name, episode in episodes.items():
        for sha256 in dict.fromkeys(turn.rendering.sha256 for turn in episode.rendered_turns if turn.rendering):
            seen[sha256].append(name)
    for sha256, names in seen.items():
        if len(names) > 1:
            yield _flag("reused_rendering", _some(names), f"the same picture {sha256[:12]}… in {len(names)} episodes")


def _of_others(
    run: Run, episodes: Mapping[str, Episode], rendering: Callable[[str], Picture], others: Sequence[RunFolder]
) -> Iterator[Flag]:
    """Find renderings that another pair made of the same target, pixel by pixel."""
    for other in others:
        if other.run.slug == run.slug or other.run.instance_set != run.instance_set:
            continue
        for theirs in other.episodes():
            ours = episodes.get(theirs.episode_id)
            drawn = {one.rendering.sha256: one.turn for one in ours.turns if one.rendering} if ours else {}
            known = {one.rendering.sha256: one.rendering for one in theirs.turns if one.rendering}
            pixels = {_pixel_hash(other.rendering(one)) for one in known.values()} if drawn else set()
            for sha256, turn in drawn.items():
                if _pixel_hash(rendering(sha256)) in pixels:
                    where = f"{theirs.episode_id}, turn {turn}"
                    yield _flag(
                        "rendering_of_another", where, f"the same picture, pixel by pixel, as {other.run.slug} has"
                    )


def _messages(episodes: Mapping[str, Episode]) -> Iterator[Flag]:
    """Find words that answer different targets, hide characters, or speak to a judge."""
    seen: dict[str, list[str]] = defaultdict(list)
    for name, episode in episodes.items():
        for turn in episode.turns:
            text, where = turn.message or "", f"{name}, turn {turn.turn}"
            if turn.turn == 1 and len(text.split()) >= SAME_WORDS:
                seen[" ".join(text.split())].append(name)
            if hidden := _hidden(text):
                yield _flag("hidden_characters", where, f"the message holds {', '.join(hidden)}")
            if addresses_a_judge(text):
                yield _flag("addresses_a_judge", where, "the message speaks to a judge; judges see pictures only")
    for names in seen.values():
        if len(names) > 1:
            yield _flag("same_message", _some(names), f"the same first message in {len(names)} episodes")


def _hidden(text: str) -> list[str]:
    """Return the code points of a text that cannot be seen, or turn it around."""
    found = {one for one in text if unicodedata.category(one) in _HIDDEN and one not in "\n\t\r"}
    return [f"U+{ord(one):04X}" for one in sorted(found)][:5]


def _order(events: Sequence[Call | Failure | End]) -> Iterator[Flag]:
    """Find answers that were recorded before what they answer: a journal only grows."""
    latest: dict[str, tuple[int, int]] = {}
    told: set[str] = set()
    for event in events:
        name = event.episode.episode_id if isinstance(event, End) else event.episode_id
        if isinstance(event, Failure):
            continue
        if isinstance(event, End):
            # An episode that failed for technical reasons is taken up again.
            place = latest.get(name, (0, 0)) if event.episode.abort_reason in TECHNICAL_REASONS else (10**6, 0)
        else:
            place = (event.turn, 0 if event.role == "describer" else 1)
        if place < latest.get(name, (0, 0)) and name not in told:
            told.add(name)
            yield _flag("out_of_order", name, "an answer is recorded before what it answers")
        latest[name] = max(place, latest.get(name, (0, 0)))


def _times(run: Run, events: Sequence[Call | Failure | End]) -> Iterator[Flag]:
    try:
        started = datetime.fromisoformat(run.started)
    except ValueError:
        started = None
    if started is None or started.tzinfo is None:
        yield _flag("time", "the run", "when it started is no time in UTC")
    elif started > datetime.now(UTC):
        yield _flag("time", "the run", "it started in the future")
    for role, spec in run.submission.players.items():
        if spec.model is None:
            continue
        calls = [event for event in events if isinstance(event, Call) and event.role == role]
        quick = sum(call.seconds < NO_TIME for call in calls)
        if quick:
            yield _flag("time", "the run", f"the {role}, a model, answered {quick} of {len(calls)} times in no time")


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:3]) + (" …" if len(names) > 3 else "")


def _flag(rule: str, where: str, what: str) -> Flag:
    return Flag(rule=rule, where=where, what=what)
