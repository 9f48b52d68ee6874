"""Reading what a model answered as a judge: one JSON object, found leniently, accepted only if it is unambiguous.

A code fence and text around the object are passed over. Values of another type, out of range, or different ones side
by side are refused with words that the model can be told.
"""

import json
from collections.abc import Iterator
from typing import Any

from pydantic import JsonValue

LONGEST = 16_000
"""Characters of an answer that are read and kept."""

SIMILARITY_FORM = '{"score": N} with a whole number N from 0 to 10'
PREFERENCE_FORM = '{"choice": "A"} or {"choice": "B"}'

SIMILARITY_SCHEMA: dict[str, JsonValue] = {
    "type": "object",
    # Values one by one: not every server that holds answers to a schema knows minimum and maximum.
    "properties": {"score": {"type": "integer", "enum": [*range(11)]}},
    "required": ["score"],
    "additionalProperties": False,
}
PREFERENCE_SCHEMA: dict[str, JsonValue] = {
    "type": "object",
    "properties": {"choice": {"type": "string", "enum": ["A", "B"]}},
    "required": ["choice"],
    "additionalProperties": False,
}


class AnswerError(ValueError):
    """An answer that cannot be used; the text says why, without a full stop."""


def read_score(text: str) -> int:
    """Return the rating 0–10 in an answer.

    Raises:
        AnswerError: There is none, or more than one.
    """
    value = _only_value(text, "score", SIMILARITY_FORM)
    if type(value) is not int:  # a bool is an int
        raise AnswerError(f"the score {_shown(value)} is not a whole number")
    if not 0 <= value <= 10:
        raise AnswerError(f"the score {value} is not within 0 and 10")
    return value


def read_choice(text: str) -> str:
    """Return ``A`` or ``B``.

    Raises:
        AnswerError: There is neither, or both.
    """
    value = _only_value(text, "choice", PREFERENCE_FORM)
    if not isinstance(value, str) or value.strip().upper() not in ("A", "B"):
        raise AnswerError(f"the choice {_shown(value)} is neither A nor B")
    return value.strip().upper()


def _only_value(text: str, key: str, form: str) -> Any:
    """Return the value of ``key`` in the objects of a text; all of them must agree."""
    if len(text) > LONGEST:
        raise AnswerError(f"it is longer than {LONGEST:,} characters")
    values = [value for pairs in _objects(text) for name, value in pairs if name == key]
    if not values:
        raise AnswerError(f"it has no JSON object {form}")
    if len({repr(one) for one in values}) > 1:
        raise AnswerError(f"it has several values: {', '.join(_shown(one) for one in values[:3])}")
    return values[0]


class _Pairs(list[tuple[str, Any]]):
    """A JSON object with every key that it has, also one that it has twice."""


def _objects(text: str) -> Iterator[_Pairs]:
    """Yield the outermost JSON objects in a text."""
    decoder = json.JSONDecoder(object_pairs_hook=_Pairs, parse_int=_whole)
    start = text.find("{")
    while start >= 0:
        end = start + 1
        try:
            found, end = decoder.raw_decode(text, start)
            yield found
        except (ValueError, RecursionError):
            pass
        start = text.find("{", end)


def _whole(digits: str) -> int | float:
    """Read a number; one of thousands of digits, which Python refuses to convert, is as wrong as infinity."""
    return int(digits) if len(digits) < 20 else float("inf")


def _shown(value: object) -> str:
    """Return a value for an error message, short."""
    if value is None:
        return "null"
    text = repr(value) if isinstance(value, (int, float, str)) else "a list"
    return text if len(text) <= 40 else f"{text[:39]}…"
