"""Check that a game keeps the contract of ``ircore.games.base``: played, recorded and played again from the record."""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import Any

from pydantic import ValidationError

from ircore.core.conformance import ConformanceError, expect, watch_outside_calls
from ircore.core.episode_records import TECHNICAL_REASONS, AbortReason, Rendering, list_renderings
from ircore.core.errors import InputError, WorkError
from ircore.core.images import Picture
from ircore.core.validation import describe_validation_error
from ircore.games.base import Ending, EpisodeSetup, Game, Instruments, Measured, Seat, SeatTable, is_played
from ircore.games.declarations import find_rating_fault
from ircore.games.registry import find_declaration_faults
from ircore.instances.store import InstanceSet
from ircore.players.base import Answer, Asked, PlayerError
from ircore.runs.answers import answer_of, build_asked_question, call_entry, call_key, check_answer
from ircore.runs.episode import parse_payload, play_episode, record_ending
from ircore.runs.events import Call, CallKey

EPISODE = "episode"
REFUSALS: Mapping[str, AbortReason] = {"describe": "describer_refused", "render": "generator_refused"}
"""Reasons of refusals by the method of the seat; those of other seats name no seat."""

MakeInstruments = Callable[[Mapping[str, Picture], Callable[[Rendering], Picture]], Instruments]
"""Makes instruments of an instance's pictures by name and of what reads a rendering."""


class _InterruptedError(BaseException):
    """Ends a replay where the record ends, as a crash would; no ``except Exception`` of the rules catches it."""


@dataclass
class _Table:
    """A table whose seats answer from a record, and from players where these are given.

    Attributes:
        seats: Those that the rules of the episode fill; manifests leave all others empty.
        players: By their seats; empty if only the record answers.
        record: Answers as a journal keeps them.
        pictures: Answered pictures by their hash.
        questions: Every question so far.
    """

    game: Game[Any]
    seats: tuple[Seat[Any, Any], ...]
    players: Mapping[str, Any] = field(default_factory=dict)
    record: dict[CallKey, Call] = field(default_factory=dict)
    pictures: dict[str, Picture] = field(default_factory=dict)
    questions: dict[CallKey, Asked] = field(default_factory=dict)

    async def ask(self, seat: Seat[Any, Any], question: Any) -> Any:
        """Answer a question, and record the answer."""
        where = f"game {self.game.name}: seat {seat.name}, step {question.step}"
        expect(question.step >= 1, f"{where}: steps are counted from 1")
        empty = seat in self.game.seats and seat not in self.seats
        expect(not empty, f"{where}: is asked without the rule {seat.when}, where manifests leave the seat empty")
        key = call_key(EPISODE, seat, question)
        self.questions[key] = question
        if key not in self.record:
            await self._ask_player(key, seat, question, where)
        answer = answer_of(seat, self.record[key], self.drawn)
        expect(answer is not None, f"{where}: the record holds no {seat.answers}")
        return answer

    def drawn(self, rendering: Rendering) -> Picture:
        """Return a picture that was drawn in the episode."""
        return self.pictures[rendering.sha256]

    async def _ask_player(self, key: CallKey, seat: Seat[Any, Any], question: Any, where: str) -> None:
        # Without players the record alone answers, and here it ends.
        if not self.players:
            raise _InterruptedError
        if seat.name not in self.players:
            raise ConformanceError(f"{where}: players has nobody for this seat")
        method = getattr(self.players[seat.name], seat.method, None)
        if method is None:
            raise ConformanceError(f"{where}: its player has no method {seat.method}")
        answer: Answer = await method(build_asked_question(seat, question))
        try:
            check_answer(seat, question, answer)
        except WorkError as error:
            raise ConformanceError(f"{where}: {error.problem}") from error
        entry = call_entry(key, seat, question, answer, answer.seconds)
        # Through JSON, so that whatever a journal loses is lost here too.
        self.record[key] = Call.model_validate_json(entry.event.model_dump_json())
        if entry.picture is not None:
            self.pictures[entry.picture.sha256] = entry.picture


def check_game(
    game: Game[Any] | type[Game[Any]],
    setups: Sequence[EpisodeSetup[Any]],
    players: Mapping[str, Any],
    instruments: MakeInstruments | None = None,
) -> None:
    """Check a game's declarations and measures; play an episode of each setup and resume it after every answer.

    Each setup is played under its rules and, where seats are asked with a rule, with that rule turned round. Every
    question is also asked in vain: refused, which the rules may handle, and failed for a technical reason.

    Args:
        game: The game or its class.
        setups: Setups of the episodes to play, at least one; ``build_setups`` makes them from an instance set.
        players: One for each seat, by the seat's name; seats that are asked with a rule have one, too.
        instruments: ``ircore.scorers.game_measures.EpisodeInstruments``, for measures that need pictures; these are
            not checked if None.

    Raises:
        ConformanceError: The first fault.
    """
    declared_game = game() if isinstance(game, type) else game
    faults = find_declaration_faults(declared_game)
    expect(not faults, f"game {getattr(declared_game, 'name', type(declared_game).__name__)}: {'; '.join(faults)}")
    expect(bool(setups), f"game {declared_game.name}: no episode to play: give setups")
    for setup, under in _vary_rules(declared_game, setups):
        where = f"game {declared_game.name}: {setup.instance.instance_id}{under}"
        expect(
            isinstance(setup.payload, declared_game.payload), f"{where}: payload is no {declared_game.payload.__name__}"
        )
        first = _Table(declared_game, declared_game.list_seats(setup.rules), players)
        ending = asyncio.run(_play_checked(declared_game, first, setup))
        _check_ending(declared_game, setup, ending, where)
        _check_record(declared_game, setup, first, ending, where)
        _check_resumes(declared_game, setup, first, where)
        _check_unanswered(declared_game, setup, first, where)
        if is_played(declared_game, ending):
            _check_measures(declared_game, setup, ending, where)
            _check_rated(declared_game, setup, ending, where)
            if instruments is not None:
                shown = instruments(setup.pictures, first.drawn)
                _check_picture_measures(declared_game, setup, ending, shown, where)
        # Pages show every episode, aborted ones too, and each instance by itself.
        for shown_ending in (ending, None):
            _check_shown(declared_game, setup, shown_ending, where)


def build_setups(game: Game[Any], instances: InstanceSet) -> tuple[EpisodeSetup[Any], ...]:
    """Return a setup for every instance of a set, with the game's default rules and prompts.

    Args:
        game: The game.
        instances: A set of that game.
    """
    return tuple(
        EpisodeSetup(
            instance=instance,
            payload=parse_payload(game, instances, instance),
            pictures=instances.pictures(instance),
            rules=game.rules(),
            prompts=game.read_prompts(None),
        )
        for instance in instances.instances
    )


def _vary_rules(game: Game[Any], setups: Sequence[EpisodeSetup[Any]]) -> Iterator[tuple[EpisodeSetup[Any], str]]:
    """Yield each setup, and again with each rule that seats go with turned round; with words for messages."""
    for setup in setups:
        yield setup, ""
        for name in dict.fromkeys(seat.when for seat in game.seats if seat.when):
            turned = {**setup.rules.model_dump(), name: not getattr(setup.rules, name)}
            try:
                rules = game.rules.model_validate(turned)
            except ValidationError:  # these rules cannot be had together, so nobody plays by them
                continue
            yield replace(setup, rules=rules), f", rule {name}={str(turned[name]).lower()}"


async def _play_checked(game: Game[Any], table: SeatTable, setup: EpisodeSetup[Any]) -> Ending:
    try:
        return await play_episode(game, table, setup)
    except WorkError as error:
        raise ConformanceError(error.problem) from error


def _check_ending(game: Game[Any], setup: EpisodeSetup[Any], ending: Ending, where: str) -> None:
    """Check that an ending keeps to the game's declarations and that its steps survive a file."""
    try:
        record_ending(game, setup.instance, ending)
    except WorkError as error:
        raise ConformanceError(error.problem) from error
    except ValidationError as error:
        raise ConformanceError(
            f"{where}: its episode cannot be recorded: {describe_validation_error(error)}"
        ) from error
    expect(
        (ending.outcome == "aborted") == (ending.reason is not None),
        f"{where}: a reason belongs to the outcome aborted, and to no other",
    )
    for number, step in enumerate(ending.steps, start=1):
        again = type(step).model_validate_json(step.model_dump_json())
        expect(again == step, f"{where}: step {number} does not come back from JSON as it was")


def _check_record(game: Game[Any], setup: EpisodeSetup[Any], first: _Table, ending: Ending, where: str) -> None:
    """Play again from the record alone, watched: nothing outside is reached, and the same episode comes out."""

    async def watched() -> tuple[Ending, list[str]]:
        with watch_outside_calls() as calls:
            again = await _play_checked(game, _Table(game, first.seats, {}, dict(first.record), first.pictures), setup)
        return again, calls

    try:
        again, calls = asyncio.run(watched())
    except _InterruptedError:
        raise ConformanceError(f"{where}: asks another question when played again: rules decide by answers") from None
    expect(not calls, f"{where}: play: {calls[0] if calls else ''}: rules only ask their seats")
    expect(again == ending, f"{where}: played again from the recorded answers, the episode is another")


def _check_resumes(game: Game[Any], setup: EpisodeSetup[Any], first: _Table, where: str) -> None:
    """Cut the record after every answer and check that the rules then ask the same questions as before."""
    keys = list(first.record)
    for count in range(len(keys)):
        table = _Table(game, first.seats, {}, {key: first.record[key] for key in keys[:count]}, first.pictures)
        try:
            asyncio.run(_play_checked(game, table, setup))
        except _InterruptedError:
            for key, question in table.questions.items():
                expect(
                    key in first.questions and _describe_content(question) == _describe_content(first.questions[key]),
                    f"{where}: resumed after {count} answers, {key.role} is asked otherwise in step {key.turn}",
                )
            continue
        raise ConformanceError(f"{where}: resumed after {count} answers, the episode ends without the others")


def _check_unanswered(game: Game[Any], setup: EpisodeSetup[Any], first: _Table, where: str) -> None:
    """Ask each question in vain: after a refusal the episode ends as declared, and after an outage it is not closed."""
    keys = list(first.record)
    for count, key in enumerate(keys):
        question = f"{where}: {key.role} in step {key.turn}"
        answered = {key: first.record[key] for key in keys[:count]}
        outage = _end_without(game, setup, first, answered, is_outage=True)
        expect(outage.reason in TECHNICAL_REASONS, f"{question}: an outage closes the episode as {outage.outcome}")
        refused = _end_without(game, setup, first, answered, is_outage=False)
        _check_ending(game, setup, refused, f"{question} refuses")
        if is_played(game, refused):
            _check_measures(game, setup, refused, f"{question} refuses")
        _check_shown(game, setup, refused, f"{question} refuses")


def _end_without(
    game: Game[Any], setup: EpisodeSetup[Any], first: _Table, answered: Mapping[CallKey, Call], *, is_outage: bool
) -> Ending:
    """Return how an episode ends in which whatever is not in the record has no answer."""

    class Refusing(_Table):
        async def _ask_player(self, key: CallKey, seat: Seat[Any, Any], question: Any, where: str) -> None:  # noqa: ARG002
            reason = "provider_error" if is_outage else REFUSALS.get(seat.method, "answer_refused")
            raise PlayerError(reason, "in vain, by the conformance check")

    return asyncio.run(_play_checked(game, Refusing(game, first.seats, {}, dict(answered), first.pictures), setup))


def _check_measures(game: Game[Any], setup: EpisodeSetup[Any], ending: Ending, where: str) -> None:
    values = tuple(game.measure(setup.payload, ending))
    # The second time only: the first may import modules and fill caches, which reads files.
    with watch_outside_calls() as calls:
        again = tuple(game.measure(setup.payload, ending))
    expect(not calls, f"{where}: measure: {calls[0] if calls else ''}: measure the steps alone")
    expect(values == again, f"{where}: measure gives other values the second time")
    keys = [(value.measure, value.step) for value in values]
    expect(len(set(keys)) == len(keys), f"{where}: measure gives two values of one measure and step")
    for value in values:
        _check_value(game, ending, value, f"{where}: measure {value.measure}")
    _expect_all(game, "steps", values, f"{where}: measure")


def _check_picture_measures(
    game: Game[Any], setup: EpisodeSetup[Any], ending: Ending, instruments: Instruments, where: str
) -> None:
    try:
        values = tuple(game.measure_pictures(setup.payload, ending, instruments))
    except InputError as error:
        raise ConformanceError(f"{where}: measure_pictures: {error.problem}") from error
    for value in values:
        _check_value(game, ending, value, f"{where}: measure {value.measure}")
    _expect_all(game, "pictures", values, f"{where}: measure_pictures")


def _expect_all(game: Game[Any], needs: str, values: Sequence[Measured], method: str) -> None:
    """Check that a method of the game gives every measure of an episode that is its own."""
    own = {measure.key for measure in game.measures if measure.needs == needs and measure.per == "episode"}
    missing = sorted(own - {value.measure for value in values})
    expect(not missing, f"{method} gives no {', '.join(missing)}: give None with a reason instead")


def _check_rated(game: Game[Any], setup: EpisodeSetup[Any], ending: Ending, where: str) -> None:
    """Check that the pictures that judges and people rate are the episode's and stand beside the instance's."""
    drawn = list_renderings(record_ending(game, setup.instance, ending))
    fault = find_rating_fault(list(game.list_rated_pictures(setup.payload, ending)), setup.pictures, drawn)
    expect(not fault, f"{where}: list_rated_pictures: {fault}")


def _check_shown(game: Game[Any], setup: EpisodeSetup[Any], ending: Ending | None, where: str) -> None:
    page = "an instance" if ending is None else "an episode"
    try:
        shown = game.collect_shown_values(setup.payload, ending)
    except Exception as error:
        fault = f"{type(error).__name__}: {error}"
        raise ConformanceError(f"{where}: collect_shown_values breaks on {page} with {fault}") from error
    expect(isinstance(shown, Mapping), f"{where}: collect_shown_values returns a {type(shown).__name__}, not a mapping")


def _check_value(game: Game[Any], ending: Ending, value: Measured, where: str) -> None:
    measure = next((measure for measure in game.measures if measure.key == value.measure), None)
    if measure is None:
        raise ConformanceError(f"{where}: is not declared")
    if measure.per == "episode":
        expect(value.step is None, f"{where}: is of the episode and has a value of step {value.step}")
    else:
        expect(
            value.step is not None and 1 <= value.step <= len(ending.steps),
            f"{where}: is of a step, and {value.step} is none of 1 to {len(ending.steps)}",
        )
    if value.value is None:
        expect(bool(value.reason), f"{where}: has neither a value nor a reason")
        return
    expect(value.reason is None, f"{where}: has a value and a reason why there is none")
    expect(isfinite(value.value), f"{where}: the value is {value.value}")
    low, high = measure.range or (-float("inf"), float("inf"))
    expect(low <= value.value <= high, f"{where}: the value {value.value:g} is outside {low:g} to {high:g}")


def _describe_content(question: Any) -> str:
    """Return everything that a question shows, with pictures by their hash."""
    return repr(_convert_value(question))


def _convert_value(shown: Any) -> Any:
    if isinstance(shown, Picture):
        return shown.sha256
    if isinstance(shown, tuple):
        return tuple(map(_convert_value, shown))
    fields = getattr(shown, "__dataclass_fields__", None)
    return {name: _convert_value(getattr(shown, name)) for name in fields} if fields else shown
