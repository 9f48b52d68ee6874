"""Scores of games other than reconstruction: measures that the game computes from played episodes' steps."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from pydantic import ValidationError

from ircore.core.errors import InputError, WorkError
from ircore.core.game_records import GameEpisode, GameInstance, GameScore
from ircore.core.validation import describe_validation_error
from ircore.games.base import Ending, Game, Measure, Measured
from ircore.runs.episode import payload_of
from ircore.runs.folder import GameRunFolder


class _MeasureCounts(NamedTuple):
    """Counts of scoring a run: played episodes, new or changed values, and values that were there already."""

    episodes: int
    new: int
    kept: int


def score_game_run(run: GameRunFolder, game: Game[Any]) -> _MeasureCounts:
    """Compute the measures of a run and store them in the run.

    Args:
        run: The run.
        game: Its game.

    Raises:
        InputError: Another process works on the run, or an episode does not fit the game that is installed.
        WorkError: The game computed what it does not declare, or nothing can be written.
    """
    with run.lock():
        known = set(run.measured())
        instances = {instance.instance_id: instance for instance in run.instances.instances}
        payloads = {name: payload_of(game, run.instances, instance) for name, instance in instances.items()}
        episodes = [episode for episode in run.episodes() if played(game, episode)]
        scores = [score for episode in episodes for score in measured_scores(game, episode, payloads)]
        run.keep_measured(scores)
    kept = sum(score in known for score in scores)
    return _MeasureCounts(len(episodes), len(scores) - kept, kept)


def measured_scores(game: Game[Any], episode: GameEpisode, payloads: Mapping[str, Any]) -> Iterator[GameScore]:
    """Yield the values of a game's measures of one played episode.

    Raises:
        InputError: The episode does not fit the game that is installed.
        WorkError: The game broke, or computed what it does not declare.
    """
    declared = {measure.key: measure for measure in game.measures}
    try:
        values = list(game.measured(payloads[episode.instance_id], ending_of(game, episode)))
    except (InputError, WorkError):
        raise
    except Exception as error:  # a plug-in is somebody else's code
        raise WorkError(
            f"{episode.episode_id}: the game {game.name} broke with {type(error).__name__}: {error}",
            "This is a fault of the game: mend it and score again.",
        ) from error
    for value in values:
        if fault := _fault(declared.get(value.measure), value):
            raise WorkError(
                f"{episode.episode_id}: the game {game.name} measured {value.measure}: {fault}",
                "This is a fault of the game: mend it and score again.",
            )
        yield GameScore(
            episode_id=episode.episode_id,
            measure=value.measure,
            step=value.step,
            value=value.value,
            reason=(value.reason or "not given")[:500] if value.value is None else None,
        )


def _fault(measure: Measure | None, value: Measured) -> str:
    if measure is None:
        return "it declares no such measure"
    if (value.step is None) != (measure.per == "episode"):
        return f"it is a measure per {measure.per}"
    if value.value is not None and measure.range and not measure.range[0] <= value.value <= measure.range[1]:
        return f"{value.value:g} is out of its range {measure.range[0]:g}–{measure.range[1]:g}"
    return ""


def played(game: Game[Any], episode: GameEpisode) -> bool:
    """Return whether an episode counts as played."""
    return any(outcome.played and outcome.name == episode.outcome for outcome in game.outcomes)


def ending_of(game: Game[Any], episode: GameEpisode) -> Ending:
    """Return a recorded episode with its steps as the game's records.

    Raises:
        InputError: They do not fit: another version of the game played it.
    """
    try:
        steps = tuple(game.step.model_validate_json(_json(step)) for step in episode.steps)
    except ValidationError as error:
        raise InputError(
            f"{episode.episode_id}: a step does not fit the game {game.name}: {describe_validation_error(error)}",
            "Install the version of the game that played it.",
        ) from error
    return Ending(episode.outcome, steps, episode.abort_reason, episode.detail)


def payloads_of(game: Game[Any], instances: Any, members: Iterable[GameInstance]) -> dict[str, Any]:
    """Return the game's own fields of instances as its records, by id."""
    return {instance.instance_id: payload_of(game, instances, instance) for instance in members}


def _json(step: object) -> str:
    import json

    return json.dumps(step)
