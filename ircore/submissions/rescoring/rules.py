"""The rules of the game, played again on a transcript: what was recorded must be what they lead to.

The game itself is asked, with the recorded answers in both seats. So outcomes, order, tags, budgets, the turn limit and
done on turn 1 are not checked by a second copy of the rules: the episode that comes out is compared with the recorded
one.
"""

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import isclose
from typing import Any

from ircore.core.images import Picture
from ircore.core.private_text import without_leaks
from ircore.core.records import GIVEN_UP, TECHNICAL_REASONS, Episode, Instance, Rendering, Run, Turn
from ircore.core.seeds import derived_seed
from ircore.games.base import EpisodeSetup, Game
from ircore.games.reconstruction.prompts import Prompts
from ircore.instances.store import InstanceSet
from ircore.runs.answers import answers_alone
from ircore.runs.events import Call, CallKey, End, Failure
from ircore.runs.play import ended_episode
from ircore.runs.recorded import MissingAnswerError, RecordedTable, known_picture

MAX_FAULTS = 100


@dataclass
class _Recorded:
    """What a transcript says of one episode."""

    calls: dict[CallKey, Call] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)
    ended: Episode | None = None


def rule_faults(
    run: Run, events: Sequence[Call | Failure | End], instances: InstanceSet, game: Game[Any], prompts: Prompts
) -> tuple[str, ...]:
    """Return what in a transcript cannot be the outcome of the rules, one line each, at most ``MAX_FAULTS``.

    Args:
        run: As it will be kept here: its rules and seed count.
        events: The transcript.
        instances: The set that was played.
        game: The rules.
        prompts: The game master's words.
    """
    return tuple(_first(_faults(run, events, instances, game, prompts), MAX_FAULTS))


def _faults(
    run: Run, events: Sequence[Call | Failure | End], instances: InstanceSet, game: Game[Any], prompts: Prompts
) -> Iterator[str]:
    known = {one.instance_id: one for one in instances.instances}
    recorded: dict[str, _Recorded] = {name: _Recorded() for name in known}
    for event in events:
        name = _episode_id(event)
        if name not in known:
            yield f"{name}: no instance of this set"
        elif fault := _take(recorded[name], event, game):
            yield f"{name}: {fault}"
    missing = [name for name, one in recorded.items() if one.ended is None]
    if missing:
        names = ", ".join(missing[:5]) + (" …" if len(missing) > 5 else "")
        yield f"{len(missing)} of {len(known)} instances were not played to their end: {names}"
    for name, one in recorded.items():
        if one.ended is not None:
            yield from (f"{name}: {fault}" for fault in _replayed(run, known[name], one, one.ended, game, prompts))


def _take(recorded: _Recorded, event: Call | Failure | End, game: Game[Any]) -> str | None:
    """Sort an event in; return what is wrong with it."""
    if isinstance(event, Failure):
        recorded.failures.append(event)
        return None
    if isinstance(event, End):
        before, recorded.ended = recorded.ended, event.episode
        return "ended twice" if before is not None and before.abort_reason not in TECHNICAL_REASONS else None
    seat = next((seat for seat in game.seats if seat.name == event.role), None)
    if seat is None or not answers_alone(seat, event):
        return f"turn {event.turn}: not an answer of a {event.role}"
    key = CallKey(event.episode_id, event.turn, event.role)
    if recorded.calls.setdefault(key, event) is not event:
        return f"turn {event.turn}: two answers of the {event.role}"
    return None


def _replayed(
    run: Run, instance: Instance, recorded: _Recorded, ended: Episode, game: Game[Any], prompts: Prompts
) -> Iterator[str]:
    """Play one episode again and yield what differs."""
    table = RecordedTable(instance.instance_id, recorded.calls, recorded.failures, known_picture)
    setup = EpisodeSetup(
        instance=instance,
        payload=None,
        pictures={"target": Picture(b"", instance.width, instance.height)},  # recorded answers do not look at it
        rules=run.rules,
        prompts=prompts,
        seed=derived_seed(run.seed, instance.instance_id),
    )
    try:
        episode = ended_episode(game, instance, asyncio.run(game.play(table, setup)))
    except MissingAnswerError as error:
        if ended.abort_reason != GIVEN_UP:
            yield str(error)
        return
    if not isinstance(episode, Episode):
        raise TypeError("episodes of another game")
    yield from _given_up_differences(episode, ended) if ended.abort_reason == GIVEN_UP else _differences(episode, ended)
    yield from (f"turn {turn}: the {seat} was told something else than the rules say" for turn, seat in table.odd)
    if unasked := recorded.calls.keys() - table.asked:
        first = min(unasked, key=lambda key: (key.turn, key.role))
        yield f"turn {first.turn}: an answer of the {first.role} that the rules never asked for"


def _differences(ours: Episode, theirs: Episode) -> Iterator[str]:
    for name in ("instance_id", "category", "difficulty", "outcome", "abort_reason", "detail"):
        if getattr(ours, name) != getattr(theirs, name):
            yield f"{name} is {_short(getattr(theirs, name))}; by the rules it is {_short(getattr(ours, name))}"
    if len(ours.turns) != len(theirs.turns):
        yield f"has {len(theirs.turns)} turns; by the rules it has {len(ours.turns)}"
    for our, their in zip(ours.turns, theirs.turns, strict=False):
        yield from _turn_differences(our, their)


def _given_up_differences(ours: Episode, theirs: Episode) -> Iterator[str]:
    """Yield what does not fit an episode that was declared final: it must have failed, and its turns must be those."""
    if ours.finished:
        yield f"was declared final, but by the rules it has a result: {ours.outcome}"
    for our, their in zip(ours.turns, theirs.turns, strict=False):
        yield from _turn_differences(our, their)


def _turn_differences(ours: Turn, theirs: Turn) -> Iterator[str]:
    for name in Turn.model_fields:
        one, other = getattr(ours, name), getattr(theirs, name)
        same = isclose(one, other, rel_tol=1e-9, abs_tol=1e-6) if isinstance(one, float) else one == other
        if not same:
            yield f"turn {ours.turn}: {name} is {_short(other)}; by the rules it is {_short(one)}"


def _episode_id(event: Call | Failure | End) -> str:
    return event.episode.episode_id if isinstance(event, End) else event.episode_id


def _short(value: object) -> str:
    if isinstance(value, Rendering):
        return f"the rendering {value.sha256[:12]}…"
    text = without_leaks(ascii(value))
    return text if len(text) <= 60 else f"{text[:57]}…"


def _first(things: Iterable[str], most: int) -> Iterator[str]:
    for number, thing in enumerate(things):
        if number == most:
            return
        yield thing
