"""Counts, dates and times in words: singular, plural and articles; dates as manifests, runs and releases state them."""

from datetime import UTC, date, datetime
from re import ASCII, fullmatch
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field

from ircore.core.errors import InputError


def format_count(count: int, noun: str, plural: str = "") -> str:
    """Return a count with its noun, such as ``1 episode`` or ``1,200 episodes``.

    >>> format_count(1, "episode"), format_count(0, "new turn"), format_count(1200, "query", "queries")
    ('1 episode', '0 new turns', '1,200 queries')

    Args:
        count: How many.
        noun: In the singular, with the words before it.
        plural: The same in the plural; made by the rules of spelling if empty.
    """
    return f"{count:,} {noun if count == 1 else plural or form_plural(noun)}"


def form_plural(noun: str) -> str:
    """Return the plural of a noun that follows the rules of spelling.

    >>> form_plural("round"), form_plural("guess"), form_plural("query"), form_plural("day")
    ('rounds', 'guesses', 'queries', 'days')
    """
    if noun.endswith(("s", "x", "z", "ch", "sh")):
        return f"{noun}es"
    if noun.endswith("y") and not noun.endswith(("ay", "ey", "oy", "uy")):
        return f"{noun[:-1]}ies"
    return f"{noun}s"


def add_article(words: str) -> str:
    """Put ``A`` or ``An`` before words."""
    return f"An {words}" if words[0] in "aeiou" else f"A {words}"


def _format_day(value: Any) -> str:
    """Return a date as text: YAML reads 2026-11-22 as a date, JSON as text."""
    # A datetime is a date, too: a time of day is refused here.
    if isinstance(value, date) and not isinstance(value, datetime):
        return value.isoformat()
    if not (isinstance(value, str) and fullmatch(r"\d{4}-\d{2}-\d{2}", value, flags=ASCII)):
        raise ValueError("must be a date, YYYY-MM-DD")
    # Read and written again, since the pattern alone takes 2026-02-30.
    return date.fromisoformat(value).isoformat()


Day = Annotated[str, BeforeValidator(_format_day), Field(json_schema_extra={"format": "date"})]
"""A date, YYYY-MM-DD."""


def _check_moment(text: str) -> str:
    """Check that a text is a time in UTC in the only form in which texts sort as times."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = None
    # A time without a zone is of some clock that nobody knows.
    if moment is None or moment.tzinfo is None or format_moment(moment) != text:
        raise ValueError("must be a time in UTC, such as 2026-11-22T07:45:00+00:00")
    return text


Moment = Annotated[str, AfterValidator(_check_moment), Field(json_schema_extra={"format": "date-time"})]
"""A time in UTC, to the second, as ``format_moment`` writes it: the first ten characters are the day."""


def format_moment(moment: datetime) -> str:
    """Return a time in UTC as text; a time without a zone counts as UTC.

    >>> format_moment(datetime(2026, 11, 22, 7, 45))
    '2026-11-22T07:45:00+00:00'
    """
    known = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    return known.astimezone(UTC).isoformat(timespec="seconds")


def parse_day(text: str, name: str) -> str:
    """Check that a text is a date and return the same text.

    Args:
        text: YYYY-MM-DD.
        name: Name of the date in an error message.

    Raises:
        InputError: It is no date.
    """
    try:
        return _format_day(text)
    except ValueError as error:
        raise InputError(f"{name}: {text!r} is not a date", "Give it as YYYY-MM-DD.") from error
