"""Turning a validation error into a single line that names the field and the expected value."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from ircore.core.errors import InputError
from ircore.core.records import NAME, ONE_LINE

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails


@contextmanager
def validating(where: Path | str, remedy: str) -> Iterator[None]:
    """Turn a validation error in the block into an ``InputError`` that names the place.

    >>> from ircore.core.records import Rules
    >>> with validating("rules.yaml", "Mend this field."):
    ...     Rules(max_turns=0)
    Traceback (most recent call last):
    ...
    ircore.core.errors.InputError: rules.yaml: max_turns: must be at least 1
    Mend this field.

    Args:
        where: File, and line or field, for the message.
        remedy: The user's next step.
    """
    try:
        yield
    except ValidationError as error:
        raise InputError(f"{where}: {describe_validation_error(error)}", remedy) from error


def describe_validation_error(error: ValidationError, most: int = 3) -> str:
    """Return the first ``most`` faults as ``field: fault``, joined by semicolons."""
    faults = [_fault(details) for details in error.errors()]
    more = f"; and {len(faults) - most} more" if len(faults) > most else ""
    return "; ".join(faults[:most]) + more


WORDING = {
    "bool_parsing": "must be true or false",
    "bool_type": "must be true or false",
    "dict_type": "must be a mapping",
    "extra_forbidden": "unknown key",
    "finite_number": "must be a finite number",
    "float_parsing": "must be a number",
    "float_type": "must be a number",
    "greater_than": "must be more than {gt}",
    "greater_than_equal": "must be at least {ge}",
    "int_from_float": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_type": "must be a whole number",
    "less_than": "must be less than {lt}",
    "less_than_equal": "must be at most {le}",
    "list_type": "must be a list",
    "literal_error": "must be {expected}",
    "missing": "is missing",
    "model_type": "must be a mapping",
    "string_too_long": "has more than {max_length} characters",
    "string_too_short": "is empty",
    "string_type": "must be text",
    "tuple_type": "must be a list",
}
"""Words for a fault, by pydantic's name of its kind; pydantic's own words are used for other kinds."""


_PATTERNS = {
    ONE_LINE: "must be one line",
    NAME: "must be lower-case letters, digits, '_', '.' and '-', a letter or digit first, at most 100",
}


def worded(detail: "ErrorDetails") -> str:
    """Return the fault of a value in words, without the value, which may be a secret key."""
    limits = {name: int(limit) if _is_whole(limit) else limit for name, limit in detail.get("ctx", {}).items()}
    if detail["type"] == "string_pattern_mismatch" and limits["pattern"] in _PATTERNS:
        return _PATTERNS[limits["pattern"]]
    if detail["type"] in WORDING:
        return WORDING[detail["type"]].format_map(limits)
    return detail["msg"].removeprefix("Value error, ")


def _is_whole(limit: object) -> bool:
    return isinstance(limit, float) and limit.is_integer()


def _fault(detail: "ErrorDetails") -> str:
    field = ".".join(str(part) for part in detail["loc"]) or "record"
    return f"{field}: {worded(detail)}"
