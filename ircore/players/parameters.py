"""A player's parameters in the manifest, read as the record of its settings."""

from typing import TypeVar

from pydantic import ValidationError
from pydantic_core import to_json

from ircore.core.errors import InputError
from ircore.core.plugins import unknown
from ircore.core.records import PlayerSpec, Record
from ircore.core.validation import describe_validation_error

_REMEDY = "Correct it, or take it out for the default; docs/players.md has every parameter."

Settings = TypeVar("Settings", bound=Record)


def read_parameters(spec: PlayerSpec, kind: type[Settings], name_model: str) -> Settings:
    """Return the settings of a player with a model; ``name_model`` is the remedy where none is named.

    ``InputError`` names a parameter that is unknown or of the wrong kind.
    """
    if spec.model is None:
        raise InputError("model is missing", name_model)
    for name in spec.parameters:
        if name not in kind.model_fields:
            raise unknown("parameter", name, list(kind.model_fields), "parameters")
    try:
        # As JSON, in which lists are lists, so that no kind of value passes for another: true for 1, text for a number.
        return kind.model_validate_json(to_json(spec.parameters), strict=True)
    except ValidationError as error:
        raise InputError(f"parameters.{describe_validation_error(error)}", _REMEDY) from error
