"""Turning a validation error into a single line that names the field and the expected value."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from ircore.core.errors import InputError
from ircore.core.files import read_table
from ircore.core.records import NAME, ONE_LINE
from ircore.core.untrusted_text import encode_unprintable, shorten_text

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails


@contextmanager
def convert_validation_errors(where: Path | str, remedy: str) -> Iterator[None]:
    """Turn a validation error in the block into an ``InputError`` that names the place.

    >>> from ircore.core.episode_records import Usage
    >>> with convert_validation_errors("usage.yaml", "Mend this field."):
    ...     Usage(requests=-1)
    Traceback (most recent call last):
    ...
    ircore.core.errors.InputError: usage.yaml: requests: must be at least 0
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
    faults = [_format_fault(details) for details in error.errors()]
    more = f"; and {len(faults) - most} more" if len(faults) > most else ""
    return "; ".join(faults[:most]) + more


WORDING: dict[str, str] = read_table("ircore.core", "fault_words")
"""Words for a fault, by pydantic's name of its kind; pydantic's own words are used for other kinds."""


_PATTERNS = {
    ONE_LINE: "must be one line",
    NAME: "must be lower-case letters, digits, '_', '.' and '-', a letter or digit first, at most 100",
}


def describe_fault(detail: "ErrorDetails") -> str:
    """Return the fault of a value in words, without the value, which may be a secret key."""
    # A bound of a field of floats is shown as people write it: 10, not 10.0.
    limits = {
        name: int(limit) if isinstance(limit, float) and limit.is_integer() else limit
        for name, limit in detail.get("ctx", {}).items()
    }
    if detail["type"] == "string_pattern_mismatch" and limits["pattern"] in _PATTERNS:
        return _PATTERNS[limits["pattern"]]
    # Whatever is no field of a manifest is taken for a seat.
    if detail["type"] == "model_type" and limits.get("class_name") == "PlayerSpec":
        return "unknown key, or a seat that is no mapping with a player"
    if detail["type"] in WORDING:
        return WORDING[detail["type"]].format_map(limits)
    return detail["msg"].removeprefix("Value error, ")


def _format_fault(detail: "ErrorDetails") -> str:
    # Keys of a mapping are strangers' text, of any length and with any characters.
    field = ".".join(shorten_text(encode_unprintable(str(part)), 120) for part in detail["loc"]) or "record"
    return f"{field}: {describe_fault(detail)}"
