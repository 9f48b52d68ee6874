"""Dates without a time of day, as manifests, releases and decisions state them."""

from datetime import date, datetime
from re import ASCII, fullmatch
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from ircore.core.errors import InputError


def _as_day(value: Any) -> str:
    """Return a date as text: YAML reads 2026-11-22 as a date, JSON as text."""
    # A datetime is a date, too: a time of day is refused here.
    if isinstance(value, date) and not isinstance(value, datetime):
        return value.isoformat()
    if not (isinstance(value, str) and fullmatch(r"\d{4}-\d{2}-\d{2}", value, flags=ASCII)):
        raise ValueError("must be a date, YYYY-MM-DD")
    # Read and written again, since the pattern alone takes 2026-02-30.
    return date.fromisoformat(value).isoformat()


Day = Annotated[str, BeforeValidator(_as_day), Field(json_schema_extra={"format": "date"})]
"""A date, YYYY-MM-DD."""


def parse_day(text: str, name: str) -> str:
    """Check that a text is a date and return the same text.

    Args:
        text: YYYY-MM-DD.
        name: Name of the date in an error message.

    Raises:
        InputError: It is no date.
    """
    try:
        return _as_day(text)
    except ValueError as error:
        raise InputError(f"{name}: {text!r} is not a date", "Give it as YYYY-MM-DD.") from error
