"""Remedies for a player that could not answer the doctor."""

from collections.abc import Sequence
from typing import cast

from ircore.core.episode_records import Attempt, FaultKind
from ircore.core.records import PlayerSpec
from ircore.players.base import PlayerError
from ircore.players.openai.meanings import meaning_table
from ircore.players.openai.remedies import remedies_for


def remedy_of(error: PlayerError, spec: PlayerSpec) -> str:
    """Return the remedy for a player that could not answer."""
    if error.reason == "generator_no_image":
        return f"Make sure that {spec.label} makes pictures through the player {spec.player}; try another player."
    if error.reason in ("describer_refused", "generator_refused", "answer_refused"):
        return (
            "The model or its provider's filter declined a plain circle: look at its settings, or name another model."
        )
    return service_remedy(spec, error.attempts)


def meaning_words(attempts: Sequence[Attempt]) -> str:
    """Return what the last request's fault was read as, such as ``read as denied: a key that is wrong``; else empty."""
    kind = attempts[-1].kind if attempts else "answered"
    return "" if kind == "answered" else f"read as {kind}: {meaning_table().meanings[kind]}"


def service_remedy(spec: PlayerSpec, attempts: Sequence[Attempt] = ()) -> str:
    """Return the remedy for the fault of the last request; without a request, for the player's settings."""
    # The last request decided: earlier ones were repeated.
    if attempts and (remedy := remedies_for(spec).get(cast(FaultKind, attempts[-1].kind))):
        return remedy
    if spec.model is None:
        return f"Look at the settings of the player {spec.player} in the manifest."
    where = f" at {spec.base_url}" if spec.base_url else ""
    return f"Make sure that the service{where} is up and knows {spec.label}, then try again."
