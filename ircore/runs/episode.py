"""Preparing an episode, running its rules, and recording how the episode ended."""

from collections.abc import Mapping, Sequence
from typing import Any

from ircore.core.episode_records import TECHNICAL_REASONS, AbortReason, Episode, find_renderings, repeat_id
from ircore.core.errors import InputError, WorkError
from ircore.core.images import Picture
from ircore.core.plugins import convert_plugin_errors
from ircore.core.records import Fields, Instance, Record, derive_seed
from ircore.core.submission_records import Run
from ircore.core.validation import convert_validation_errors
from ircore.games.base import Ending, EpisodeSetup, Game, GamePrompts, Seat, SeatTable
from ircore.instances.store import InstanceSet
from ircore.players.base import PictureAnswer, PlayerError


def build_setup(
    game: Game[Any],
    run: Run,
    instances: Any,
    instance: Instance,
    prompts: GamePrompts,
    pictures: Mapping[str, Picture] | None = None,
    repeat: int = 1,
) -> EpisodeSetup[Any]:
    """Return the setup of an episode: instance, rules, prompts and seed.

    Args:
        game: The game.
        run: Identity of the run: its rules and its seeds.
        instances: The instance set.
        instance: The instance of the set that is played.
        prompts: The game master's words.
        pictures: The instance's pictures by name; read from the set if None.
        repeat: Which episode of the instance, 1-based.

    Raises:
        InputError: The instance does not fit the game, or one of its pictures is damaged.
    """
    return EpisodeSetup(
        instance=instance,
        payload=parse_payload(game, instances, instance),
        pictures=instances.pictures(instance) if pictures is None else pictures,
        rules=game.rules.model_validate(run.rules),
        prompts=prompts,
        seed=derive_seed(run.seeds[repeat - 1], instance.instance_id),
    )


def parse_payload(game: Game[Any], instances: InstanceSet, instance: Instance) -> Any:
    """Return the game's own fields of an instance as the game's record.

    Raises:
        InputError: They do not fit.
    """
    where = f"{instances.folder}: {instance.instance_id}: payload"
    with convert_validation_errors(where, f"Build the set again: ircore instances build --game {game.name}"):
        return game.payload.model_validate(instance.payload)


def list_drawn_over(game: Game[Any], instances: InstanceSet) -> list[Instance]:
    """Return the instances whose pictures may stand in renderings, see ``Game.draws_over``.

    Raises:
        InputError: An instance does not fit the game.
    """
    return [instance for instance in instances.instances if game.draws_over(parse_payload(game, instances, instance))]


_REMEDY = "This is a fault of the game: mend it and give the same command again."


class _CheckedTable:
    """A table that tells errors of questions from errors of the rules, and refuses questions that no record can hold.

    Attributes:
        questions: Step and seat of every question so far.
        drawn: Hashes of the pictures that seats answered with.
        errors: Errors that questions raised.
        stopped: The error after which the episode cannot go on now, whatever the rules make of it: any but a refusal by
            the player. From then on nothing is asked, since the answers would follow from an answer that is missing.
    """

    def __init__(self, table: SeatTable, game: Game[Any], where: str) -> None:
        self._table, self._game, self._where = table, game, where
        self.questions: set[tuple[int, str]] = set()
        self.drawn: set[str] = set()
        self.errors: list[Exception] = []
        self.stopped: Exception | None = None

    async def ask(self, seat: Seat[Any, Any], question: Any) -> Any:
        if self.stopped is not None:
            raise self.stopped
        try:
            self._refuse(seat, question.step)
            answer = await self._table.ask(seat, question)
        except Exception as error:
            self.errors.append(error)
            if not isinstance(error, PlayerError) or error.reason in TECHNICAL_REASONS:
                self.stopped = self.stopped or error
            raise
        if isinstance(answer, PictureAnswer):
            self.drawn.add(answer.picture.sha256)
        return answer

    def refuse_other_pictures(self, steps: Sequence[Any]) -> None:
        """Refuse steps that hold a picture that no seat answered with, since no file of it is kept."""
        for number, step in enumerate(steps, start=1):
            fields = step.model_dump(mode="json") if isinstance(step, Record) else None
            if any(rendering.sha256 not in self.drawn for rendering in find_renderings(fields)):
                raise WorkError(f"{self._where} ended with a picture in step {number} that no seat drew", _REMEDY)

    def _refuse(self, seat: Seat[Any, Any], step: int) -> None:
        """Refuse a question that no record could tell from another one."""
        asks = f"{self._where} asks the seat {seat.name}"
        if seat not in self._game.seats:
            raise WorkError(f"{asks}, which it does not declare", _REMEDY)
        if (step, seat.name) in self.questions:
            raise WorkError(f"{asks} twice in step {step}: a question is known by its step and seat", _REMEDY)
        self.questions.add((step, seat.name))


async def play_episode(game: Game[Any], table: SeatTable, setup: EpisodeSetup[Any]) -> Ending:
    """Play an episode; a player's refusal that the rules do not handle aborts the episode.

    A question that failed for a technical reason aborts it with that reason even if the rules handle refusals, so that
    an outage never becomes a result; the episode is played again by the same command.

    Raises:
        WorkError: The rules broke; whatever a question raises passes unchanged, even if the rules catch it.
    """
    where = f"{setup.instance.instance_id}: the game {game.name}"
    checked = _CheckedTable(table, game, where)
    try:
        ending = await game.play(checked, setup)
    except Exception as error:
        if checked.stopped is not None:
            return _end_stopped(checked.stopped)
        if isinstance(error, PlayerError):
            return Ending("aborted", (), error.reason, error.detail)
        if error in checked.errors or isinstance(error, InputError):
            raise
        with convert_plugin_errors(where, remedy=_REMEDY):
            raise
    if isinstance(ending, Ending):
        checked.refuse_other_pictures(ending.steps)
    if checked.stopped is None or (isinstance(ending, Ending) and ending.reason in TECHNICAL_REASONS):
        return ending
    return _end_stopped(checked.stopped)


def _end_stopped(error: Exception) -> Ending:
    """Return the ending of an episode in which a question failed technically; raise any other error."""
    if isinstance(error, PlayerError):
        return Ending("aborted", (), error.reason, error.detail)
    raise error


def record_ending(game: Game[Any], instance: Instance, ending: Ending, repeat: int = 1) -> Episode:
    """Return the record of an episode that has ended.

    Raises:
        WorkError: It ended in a way that the game does not declare.
    """
    where = f"{instance.instance_id}: the game {game.name}"
    if not isinstance(ending, Ending):
        raise WorkError(f"{where} returned a {type(ending).__name__}, not an Ending", _REMEDY)
    if ending.outcome not in {outcome.name for outcome in game.outcomes}:
        raise WorkError(f"{where} ended with {ending.outcome!r}, which it does not declare", _REMEDY)
    for number, step in enumerate(ending.steps, start=1):
        if not isinstance(step, game.step):
            raise WorkError(
                f"{where} ended with a {type(step).__name__} as step {number}, not a {game.step.__name__}", _REMEDY
            )
    return build_episode(instance, ending.outcome, ending.steps, ending.reason, ending.detail, repeat)


def build_episode(
    instance: Instance,
    outcome: str,
    steps: Sequence[Record | Fields],
    reason: AbortReason | None,
    detail: str | None,
    repeat: int = 1,
) -> Episode:
    """Return the record of an episode of any game.

    Args:
        instance: The instance that was played.
        outcome: One of the game's outcomes.
        steps: The steps as the game or an earlier record has them.
        reason: Why the episode was aborted; None for any other outcome.
        detail: Observation that led to the abort; the first 2,000 characters are recorded.
        repeat: Which episode of the instance, 1-based.
    """
    stated = {
        "episode_id": repeat_id(instance.instance_id, repeat),
        "instance_id": instance.instance_id,
        "category": instance.category,
        "difficulty": instance.difficulty,
        "outcome": outcome,
        "abort_reason": reason,
        "detail": detail[:2000] if detail else None,
    }
    return Episode.model_validate({**stated, "steps": tuple(steps)})
