"""The rules of a game, played again on a transcript: the record must equal the outcome of the rules.

The game itself is asked, with the recorded answers in all seats. So outcomes, order, budgets and limits are not checked
by a second copy of the rules: the episode that comes out is compared with the recorded episode.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from math import isclose
from typing import Any

from ircore.core.episode_records import GIVEN_UP, TECHNICAL_REASONS, Episode, Rendering, repeat_id
from ircore.core.errors import InputError
from ircore.core.images import Picture
from ircore.core.plain_words import format_count
from ircore.core.private_text import redact_leaks
from ircore.core.submission_records import Run
from ircore.games.base import EpisodeSetup, Game, GamePrompts, Seat
from ircore.games.registry import find_step_word
from ircore.instances.store import InstanceSet
from ircore.players.base import RECORDED, PlayerError
from ircore.runs.answers import (
    MissingAnswerError,
    RecordedTable,
    build_asked_question,
    build_known_picture,
    call_entry,
    call_key,
    clean_answer,
    is_answer_alone,
)
from ircore.runs.episode import build_setup, play_episode, record_ending
from ircore.runs.events import Call, CallKey, End, Event, Failure, get_episode_id
from ircore.runs.session import DueEpisode

MAX_FAULTS = 100
STATED = ("instance_id", "category", "difficulty", "outcome", "abort_reason", "detail")
"""Fields of an episode besides its steps that must be those that the rules lead to."""


@dataclass
class _Transcript:
    """The records of a transcript about an episode."""

    calls: dict[CallKey, Call] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)
    ended: Episode | None = None


class _Table(RecordedTable):
    """The table at which an episode is played again.

    Attributes:
        shown: SHA-256 of the pictures that each seat was shown, by seat.
        exchanged: Questions to a seat of recorded answers whose answer is another than the instance has.
    """

    def __init__(
        self,
        episode_id: str,
        transcript: _Transcript,
        replay: "TranscriptReplay",
        setup: EpisodeSetup[Any],
        sources: Mapping[str, str],
    ) -> None:
        super().__init__(episode_id, transcript.calls, transcript.failures, replay.picture_of)
        self._episode_id = episode_id
        self._calls = transcript.calls
        self._game, self._setup, self._sources, self._replay = replay.game, setup, sources, replay
        self.shown: dict[str, set[str]] = {}
        self.exchanged: list[CallKey] = []

    async def ask(self, seat: Seat[Any, Any], question: Any) -> Any:
        pictures = getattr(question, "pictures", ())
        # A generator that returns the picture it was shown has copied nothing that it should not know.
        self.shown.setdefault(seat.name, set()).update(captioned.picture.sha256 for captioned in pictures)
        if seat.name not in self._sources:
            if seat.name in self._replay.players:
                await self._ask_again(seat, question)
            return await super().ask(seat, question)
        key = call_key(self._episode_id, seat, question)
        self.asked.add(key)
        answer = self._game.find_recorded_answer(seat, question, self._setup, self._sources[seat.name])
        if not _are_alike(self._calls.get(key), call_entry(key, seat, question, clean_answer(answer), 0).event):
            self.exchanged.append(key)
        return answer

    async def _ask_again(self, seat: Seat[Any, Any], question: Any) -> None:
        """Ask an offline player itself, and note whether it answers as recorded."""
        key = call_key(self._episode_id, seat, question)
        call = self._calls.get(key)
        # A missing answer is told by the rules.
        if call is None:
            return
        try:
            answer = await getattr(self._replay.players[seat.name], seat.method)(build_asked_question(seat, question))
        # An offline player that fails here answered when the transcript was recorded.
        except (PlayerError, InputError):
            self._replay.differing.append(key)
            return
        if not _are_alike(call, call_entry(key, seat, question, clean_answer(answer), 0).event):
            self._replay.differing.append(key)
        elif call.rendering is not None:
            self._replay.reproduced.add((key.episode_id, call.rendering.sha256))


def _are_alike(call: Call | None, other: Any) -> bool:
    return call is not None and (call.text, call.choice, call.rendering) == (other.text, other.choice, other.rendering)


@dataclass
class TranscriptReplay:
    """Plays the episodes of a transcript again.

    Attributes:
        run: The run as stored here, whose rules and seed count.
        instances: The set that was played.
        game: The rules.
        prompts: The game master's words.
        due: Ids of the episodes that the transcript must hold; None for all of the run.
        picture_of: Returns the picture of a rendering; by default one without pixels, for rules that look at none.
        players: Offline players by seat, asked again: they must answer as recorded. Models are not asked.
        drawn_from: After ``faults``: episode and SHA-256 of renderings that their seat had been shown itself.
        reproduced: After ``faults``: episode and SHA-256 of renderings that an offline player drew again, the same.
        differing: After ``faults``: questions that an offline player answers otherwise than recorded.

    >>> from pathlib import Path
    >>> from ircore.games.registry import load_game
    >>> from ircore.runs.folder import RunFolder
    >>> folder, game = RunFolder(Path("run")), load_game("reconstruction")
    >>> TranscriptReplay(folder.run, folder.instances, game, game.read_prompts(None)).faults(list(folder.events()))
    ()
    """

    run: Run
    instances: InstanceSet
    game: Game[Any]
    prompts: GamePrompts
    picture_of: Callable[[Rendering], Picture] = build_known_picture
    players: Mapping[str, Any] = field(default_factory=dict)
    drawn_from: set[tuple[str, str]] = field(default_factory=set)
    reproduced: set[tuple[str, str]] = field(default_factory=set)
    differing: list[CallKey] = field(default_factory=list)
    due: frozenset[str] | None = None

    def faults(self, events: Sequence[Event]) -> tuple[str, ...]:
        """Return the parts of a transcript that the rules cannot produce, a line each, at most ``MAX_FAULTS``."""
        return tuple(islice(self._faults(events), MAX_FAULTS))

    def _faults(self, events: Sequence[Event]) -> Iterator[str]:
        # By the id of each episode: its instance, and which of the instance's episodes it is.
        places = {
            name: DueEpisode(instance, repeat)
            for instance in self.instances.instances
            for repeat, name in enumerate(self.run.episode_ids([instance.instance_id]), start=1)
        }
        transcripts = {name: _Transcript() for name in places}
        for event in events:
            name = get_episode_id(event)
            if name not in places:
                yield f"{name}: no episode of an instance of this set"
            elif fault := self._take(transcripts[name], event):
                yield f"{name}: {fault}"
        due = transcripts.keys() if self.due is None else self.due
        missing = [name for name, transcript in transcripts.items() if transcript.ended is None and name in due]
        if missing:
            names = ", ".join(missing[:5]) + (" …" if len(missing) > 5 else "")
            yield f"{len(missing)} of {format_count(len(places), 'episode')} were not played to their end: {names}"
        for name, transcript in transcripts.items():
            if transcript.ended is not None:
                yield from (f"{name}: {fault}" for fault in self._replay(places[name], transcript, transcript.ended))

    def _take(self, transcript: _Transcript, event: Event) -> str | None:
        """Sort an event into its transcript; return the event's fault, or None."""
        if isinstance(event, Failure):
            transcript.failures.append(event)
            return None
        if isinstance(event, End):
            # After a technical failure an episode is taken up again, so that it may end once more.
            before, transcript.ended = transcript.ended, event.episode
            return "ended twice" if before is not None and before.abort_reason not in TECHNICAL_REASONS else None
        seat = next((seat for seat in self.game.seats if seat.name == event.role), None)
        if seat is None or not is_answer_alone(seat, event):
            return f"{self._at(event.turn)}: not an answer of a {event.role}"
        key = CallKey(event.episode_id, event.turn, event.role)
        if transcript.calls.setdefault(key, event) is not event:
            return f"{self._at(event.turn)}: two answers of the {event.role}"
        return None

    def _replay(self, place: DueEpisode, transcript: _Transcript, ended: Episode) -> Iterator[str]:
        """Play an episode again and yield the differences."""
        sources = {
            seat: spec.source or "" for seat, spec in self.run.submission.players.items() if spec.player == RECORDED
        }
        setup = self._setup(place)
        name = repeat_id(place.instance.instance_id, place.repeat)
        table = _Table(name, transcript, self, setup, sources)
        try:
            episode = record_ending(
                self.game, place.instance, asyncio.run(play_episode(self.game, table, setup)), place.repeat
            )
        except MissingAnswerError as missing:
            if ended.abort_reason != GIVEN_UP:
                yield f"{self._at(missing.key.turn)}: the {missing.key.role}'s answer is missing"
            return
        yield from self._differences(episode, ended)
        for key in table.exchanged:
            yield f"{self._at(key.turn)}: the {key.role}'s answer is not the recorded one"
        for step, seat in table.odd:
            yield f"{self._at(step)}: the {seat} was told something else than the rules say"
        if unasked := transcript.calls.keys() - table.asked:
            first = min(unasked, key=lambda key: (key.turn, key.role))
            yield f"{self._at(first.turn)}: an answer of the {first.role} that the rules never asked for"
        for key, call in transcript.calls.items():
            if call.rendering is not None and call.rendering.sha256 in table.shown.get(key.role, ()):
                self.drawn_from.add((key.episode_id, call.rendering.sha256))

    def _setup(self, place: DueEpisode) -> EpisodeSetup[Any]:
        """Return the setup of an episode; its pictures are read only if the rules look at them."""
        instance = place.instance
        pictures = {
            name: Picture.stored(self.instances.folder / file.image, file.sha256, file.width, file.height)
            for name, file in instance.pictures.items()
        }
        return build_setup(self.game, self.run, self.instances, instance, self.prompts, pictures, place.repeat)

    def _at(self, step: int) -> str:
        return f"{find_step_word(self.run.game)} {step}"

    def _differences(self, by_rules: Episode, recorded: Episode) -> Iterator[str]:
        """Yield the parts of a recorded episode that differ from the outcome of the rules."""
        our_steps, their_steps = by_rules.steps, recorded.steps
        if recorded.abort_reason == GIVEN_UP:
            # It must have failed; what was recorded of it must be what the rules led to before they failed.
            if by_rules.abort_reason not in TECHNICAL_REASONS:
                yield f"was declared final, but by the rules it has a result: {by_rules.outcome}"
        else:
            for name in STATED:
                stated, right = getattr(recorded, name), getattr(by_rules, name)
                if right != stated:
                    yield f"{name} is {_shorten_value(stated)}; by the rules it is {_shorten_value(right)}"
            if len(our_steps) != len(their_steps):
                word = find_step_word(self.run.game)
                yield f"has {len(their_steps)} {word}s; by the rules it has {len(our_steps)}"
        for number, (our_step, their_step) in enumerate(zip(our_steps, their_steps, strict=False), start=1):
            for name in dict.fromkeys([*our_step, *their_step]):
                our, their = our_step.get(name), their_step.get(name)
                if not _are_same(our, their):
                    yield (
                        f"{self._at(number)}: {name} is {_shorten_value(their)}; by the rules it is "
                        f"{_shorten_value(our)}"
                    )


def _are_same(first: Any, second: Any) -> bool:
    """Return whether two JSON values are the same, numbers as far as they can be computed."""
    if isinstance(first, dict) and isinstance(second, dict):
        return first.keys() == second.keys() and all(_are_same(value, second[name]) for name, value in first.items())
    if isinstance(first, list) and isinstance(second, list):
        return len(first) == len(second) and all(map(_are_same, first, second))
    if isinstance(first, float) and isinstance(second, float | int) and not isinstance(second, bool):
        # Seconds are sums, which may end otherwise in another order.
        return isclose(first, second, rel_tol=1e-9, abs_tol=1e-6)
    # 1 equals True in Python, not in JSON.
    return type(first) is type(second) and bool(first == second)


def _shorten_value(value: object) -> str:
    if isinstance(value, dict) and value.keys() == Rendering.model_fields.keys():
        return f"the rendering {str(value['sha256'])[:12]}…"
    text = redact_leaks(ascii(value))
    return text if len(text) <= 60 else f"{text[:57]}…"
