"""Reading a model's answer as a judge: a JSON object, read leniently, accepted only if unambiguous.

Deviations from ``{"score": 7}`` that leave no doubt about the value are accepted and named, as a describer's are:

==================  ====================================================================
``code_fence``      the answer stands in a code fence
``surrounding_text``  there is text, or another object, around the object
``letter_case``     the key, or the letter of a choice, is written in another case
``nested_object``   the value lies one or more objects deeper
``other_key``       the only rating stands under another name, such as ``rating``
``bare_value``      there is no object, only the value
``quoted_number``   the number is a text
``decimal_number``  the whole number is written with a fraction of zero
``other_word``      a verdict on a sentence is written ``true``, ``unsure`` or alike
``listed``          verdicts on sentences stand in a list or in lines, not in an object
``unanswered``      some sentences have no verdict, or two that differ
==================  ====================================================================

What is strictly in place counts before anything lenient. Values of another type, out of range, or different ones in
equally plausible places are refused with words that the model can be told.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from pydantic import JsonValue

T = TypeVar("T", bound=int | str)

LONGEST = 16_000
"""Characters of an answer that are read and recorded."""

SIMILARITY_FORM = '{"score": N} with a whole number N from 0 to 10'
VERDICT_WORDS = {"yes": "1", "no": "0", "cannot tell": "?"}
"""Verdicts on a sentence, and the letters by which they are recorded."""
PREFERENCE_FORM = '{"choice": "A"} or {"choice": "B"}'

OTHER_KEYS = {"score": ("rating", "similarity"), "choice": ("answer", "preference")}
"""Names under which models put the value although the prompt names another."""

_FENCE = re.compile(r"```[a-zA-Z]*\s*\n(?P<inside>.*?)\n?```", re.DOTALL)
_WHOLE = re.compile(r"(?P<whole>-?\d{1,19})(?P<fraction>\.0*)?", re.ASCII)

_OTHER_VERDICTS = {
    **dict.fromkeys(("true", "y", "correct", "right"), "1"),
    **dict.fromkeys(("false", "n", "incorrect", "wrong"), "0"),
    **dict.fromkeys(("can't tell", "cannot_tell", "can not tell", "unsure", "unclear", "unknown", "null"), "?"),
}
_LINE = re.compile(r"^\W{0,4}(\d{1,3})\W{1,4}([a-z' _]{1,12}?)\W{0,3}$", re.MULTILINE | re.IGNORECASE)


def _build_schema(key: str, value: dict[str, JsonValue]) -> dict[str, JsonValue]:
    return {"type": "object", "properties": {key: value}, "required": [key], "additionalProperties": False}


# Values one by one: not every server that holds answers to a schema knows minimum and maximum.
SIMILARITY_SCHEMA = _build_schema("score", {"type": "integer", "enum": [*range(11)]})
PREFERENCE_SCHEMA = _build_schema("choice", {"type": "string", "enum": ["A", "B"]})


class AnswerError(ValueError):
    """An answer that cannot be used; the text says why, without a full stop.

    >>> read_score('{"score": 11}')
    Traceback (most recent call last):
    ...
    ircore.runs.judge_answers.AnswerError: the score 11 is not within 0 and 10
    """


class JudgeAnswer(NamedTuple, Generic[T]):
    """A judge's answer: a rating or a letter.

    >>> read_choice("b").leniencies
    ('bare_value', 'letter_case')
    """

    value: T
    leniencies: tuple[str, ...] = ()
    """Names of the deviations that were accepted, as in the module's docstring, sorted."""


def read_score(text: str) -> JudgeAnswer[int]:
    """Return the rating 0–10 in an answer.

    Raises:
        AnswerError: There is none, or more than one.

    >>> read_score('{"score": 7}')
    JudgeAnswer(value=7, leniencies=())
    >>> read_score('{"rating": {"score": "7"}}')
    JudgeAnswer(value=7, leniencies=('nested_object', 'quoted_number'))
    """
    return _read(text, "score", SIMILARITY_FORM, _parse_whole_number)


def read_choice(text: str) -> JudgeAnswer[str]:
    """Return ``A`` or ``B``.

    Raises:
        AnswerError: There is neither, or both.
    """
    return _read(text, "choice", PREFERENCE_FORM, _parse_letter)


def read_verdicts(text: str, count: int) -> JudgeAnswer[str]:
    """Return the verdicts on numbered sentences, a letter each: ``1`` yes, ``0`` no, ``?`` undecided.

    A sentence without a verdict, or with two that differ, is undecided.

    Args:
        text: The answer.
        count: How many sentences were asked.

    Raises:
        AnswerError: Fewer than half of the sentences have a verdict.

    >>> read_verdicts('{"1": "yes", "2": "No", "3": "cannot tell"}', 3)
    JudgeAnswer(value='10?', leniencies=('letter_case',))
    """
    if len(text) > LONGEST:
        raise AnswerError(f"it is longer than {LONGEST:,} characters")
    inside, around = _unwrap(text)
    by_number: dict[int, set[str]] = {}
    leniencies: set[str] = set()
    for number, word, deviations in _list_numbered(inside, count):
        verdict, spelling = _parse_verdict(word)
        if verdict is not None and 1 <= number <= count:
            by_number.setdefault(number, set()).add(verdict)
            leniencies.update(deviations, spelling)
    letters = "".join(
        next(iter(by_number[number])) if len(by_number.get(number, ())) == 1 else " " for number in range(1, count + 1)
    )
    unanswered = letters.count(" ")
    if 2 * unanswered > count:
        raise AnswerError(f"it has a verdict on {count - unanswered} of {count} sentences")
    # In lines of text there is no object that words could stand around.
    leniencies.update(around if "listed" not in leniencies else ("code_fence",) if "code_fence" in around else ())
    if unanswered:
        leniencies.add("unanswered")
    return JudgeAnswer(letters.replace(" ", "?"), tuple(sorted(leniencies)))


def describe_verdicts_form(count: int) -> str:
    """Return in words what an answer on so many sentences must look like."""
    return f'{{"1": "yes", "2": "no", …}} with yes, no or cannot tell for each number from 1 to {count}'


def build_verdicts_schema(count: int) -> dict[str, JsonValue]:
    """Return the JSON Schema of an answer on so many sentences."""
    names = [str(number) for number in range(1, count + 1)]
    verdict: JsonValue = {"type": "string", "enum": [*VERDICT_WORDS]}
    return {
        "type": "object",
        "properties": dict.fromkeys(names, verdict),
        "required": [*names],
        "additionalProperties": False,
    }


def _parse_verdict(word: Any) -> tuple[str | None, tuple[str, ...]]:
    """Return the letter of a verdict's word, None if it is none, and how the word deviates."""
    if word is None or isinstance(word, bool):
        return {True: "1", False: "0", None: "?"}[word], ("other_word",)
    if not isinstance(word, str):
        return None, ()
    plain = " ".join(word.split()).rstrip(".").casefold()
    if word in VERDICT_WORDS:
        return VERDICT_WORDS[word], ()
    if plain in VERDICT_WORDS:
        return VERDICT_WORDS[plain], ("letter_case",)
    return _OTHER_VERDICTS.get(plain), ("other_word",)


def _list_numbered(text: str, count: int) -> Iterator[tuple[int, Any, tuple[str, ...]]]:
    """Yield number, verdict and leniencies of each sentence that an answer names."""
    matches = list(_list_named_verdicts(text))
    if not matches:
        # A list has no numbers; only one of the right length tells which verdict is whose.
        for words in _find_lists(text):
            if len(words) == count:
                matches = [(number, word, ("listed",)) for number, word in enumerate(words, start=1)]
    yield from matches or ((int(number), word, ("listed",)) for number, word in _LINE.findall(text))


def _list_named_verdicts(text: str) -> Iterator[tuple[int, Any, tuple[str, ...]]]:
    for _, _, pairs in _find_objects(text):
        for member in _list_members(pairs):
            if re.fullmatch(r"\d{1,3}", member.name, re.ASCII):
                word, deeper = _unwrap_member(member.value)
                yield int(member.name), word, tuple({*member.deeper, *deeper})
            elif isinstance(member.value, _Pairs):
                yield from _number_beside_verdict(member.value)
            elif isinstance(member.value, list):
                for item in member.value:
                    if isinstance(item, _Pairs):
                        yield from _number_beside_verdict(item)
        yield from _number_beside_verdict(pairs)


def _number_beside_verdict(pairs: "_Pairs") -> Iterator[tuple[int, Any, tuple[str, ...]]]:
    """Yield what an object such as ``{"number": 3, "answer": "yes"}`` says."""
    numbers = [value for _, value in pairs if type(value) is int]
    words = [value for _, value in pairs if isinstance(value, str) and _parse_verdict(value)[0] is not None]
    if len(numbers) == len(words) == 1:
        yield numbers[0], words[0], ("listed",)


def _find_lists(text: str) -> Iterator[list[Any]]:
    """Yield the list that an answer is, and the lists in its objects."""
    try:
        value = json.loads(text)
        if isinstance(value, list):
            yield value
    except (ValueError, RecursionError):
        pass
    for _, _, pairs in _find_objects(text):
        yield from (member.value for member in _list_members(pairs) if isinstance(member.value, list))


class _Place(NamedTuple):
    """A value in a plausible place, with the leniencies needed to look there."""

    value: Any
    leniencies: tuple[str, ...]


def _read(text: str, key: str, form: str, convert: Callable[[Any], JudgeAnswer[T]]) -> JudgeAnswer[T]:
    """Return the value on which the most plausible places of an answer agree."""
    # A bound on the work: the search for objects below may begin at every brace of a hostile answer.
    if len(text) > LONGEST:
        raise AnswerError(f"it is longer than {LONGEST:,} characters")
    inside, around = _unwrap(text)
    places = _list_places(inside, key)
    if not places:
        raise AnswerError(f"it has no JSON object {form}")
    answers: list[JudgeAnswer[T]] = []
    refused: list[tuple[Any, AnswerError]] = []
    for value, leniencies in places:
        try:
            converted = convert(value)
            answers.append(JudgeAnswer(converted.value, (*converted.leniencies, *leniencies)))
        except AnswerError as error:
            refused.append((value, error))
    # Refused values count as well: an answer with 7 in one place and 70 in another is not clear.
    different = len({answer.value for answer in answers}) + len({repr(value) for value, _ in refused})
    if different > 1:
        raise AnswerError(f"it has several values: {', '.join(_format_value(place.value) for place in places[:3])}")
    if refused:
        raise refused[0][1]
    # The same value twice: the plainest of its places is the one that counts.
    plainest = min(answers, key=lambda answer: len(answer.leniencies))
    return JudgeAnswer(plainest.value, tuple(sorted({*plainest.leniencies, *around})))


def _unwrap(text: str) -> tuple[str, tuple[str, ...]]:
    """Return an answer without code fence and white space, and the leniencies for text around the JSON value."""
    inside = text.strip()
    around: tuple[str, ...] = ()
    fence = _FENCE.fullmatch(inside)
    if fence is not None:
        inside, around = fence["inside"].strip(), ("code_fence",)
    spans = [(start, end) for start, end, _ in _find_objects(inside)]
    alone = not spans or spans == [(0, len(inside))]
    return inside, around if alone else (*around, "surrounding_text")


def _list_places(text: str, key: str) -> Sequence[_Place]:
    """List where the value may stand: of the strictest kind of place that there is."""
    objects = [pairs for _, _, pairs in _find_objects(text)]
    if not objects:
        return _find_bare_value(text, key)
    strict = [_Place(*_unwrap_member(value)) for pairs in objects for name, value in pairs if name == key]
    # An answer in the form that was asked for is not put in doubt by numbers elsewhere in it.
    if strict:
        return strict
    members = [member for pairs in objects for member in _list_members(pairs)]
    for names, leniency in (((key,), ()), (OTHER_KEYS[key], ("other_key",))):
        named = [member for member in members if member.name.casefold() in names]
        places = [
            _Place(value, (*leniency, *member.deeper, *deeper, *(("letter_case",) if member.name not in names else ())))
            for member in named
            for value, deeper in [_unwrap_member(member.value)]
            if not isinstance(value, _Pairs)
        ]
        if places:
            return places
    return ()


def _find_bare_value(text: str, key: str) -> Sequence[_Place]:
    """Return the value where the whole answer is nothing else: a JSON number or text, or the letter of a choice."""
    if key == "choice" and re.fullmatch("[ABab]", text):
        return [_Place(text, ("bare_value",))]
    try:
        return [_Place(json.loads(text, parse_int=_parse_whole), ("bare_value",))]
    except (ValueError, RecursionError):
        return ()


def _unwrap_member(value: Any) -> tuple[Any, tuple[str, ...]]:
    """Return the value of an object's only member, as in ``{"score": {"value": 7}}``; other values as they are."""
    deeper: tuple[str, ...] = ()
    while isinstance(value, _Pairs) and len(value) == 1:
        ((_, value),), deeper = value, ("nested_object",)
    return value, deeper


class _Member(NamedTuple):
    """A member of an object; ``deeper`` names the leniency if the object lies in another object."""

    name: str
    value: Any
    deeper: tuple[str, ...]


def _list_members(pairs: "_Pairs") -> Iterator[_Member]:
    """Yield every member of an object and of the objects inside."""
    # A stack of our own: objects may be nested deeper than Python calls functions.
    waiting: list[tuple[Any, tuple[str, ...]]] = [(pairs, ())]
    while waiting:
        value, deeper = waiting.pop()
        if isinstance(value, _Pairs):
            yield from (_Member(name, member, deeper) for name, member in value)
            waiting += [(member, ("nested_object",)) for _, member in value]
        elif isinstance(value, list):
            waiting += [(member, ("nested_object",)) for member in value]


def _parse_whole_number(value: Any) -> JudgeAnswer[int]:
    leniencies: tuple[str, ...] = ()
    number = value
    if isinstance(value, str) and (digits := _WHOLE.fullmatch(value.strip())):
        number = int(digits["whole"])
        leniencies = ("quoted_number", "decimal_number") if digits["fraction"] else ("quoted_number",)
    elif isinstance(value, float) and value.is_integer():
        number, leniencies = int(value), ("decimal_number",)
    if type(number) is not int:  # a bool is an int
        raise AnswerError(f"the score {_format_value(value)} is not a whole number")
    if not 0 <= number <= 10:
        raise AnswerError(f"the score {_format_value(value)} is not within 0 and 10")
    return JudgeAnswer(number, leniencies)


def _parse_letter(value: Any) -> JudgeAnswer[str]:
    letter = value.strip() if isinstance(value, str) else ""
    if letter.upper() not in ("A", "B"):
        raise AnswerError(f"the choice {_format_value(value)} is neither A nor B")
    return JudgeAnswer(letter.upper(), () if letter.isupper() else ("letter_case",))


class _Pairs(list[tuple[str, Any]]):
    """A JSON object with all its members, also members with the same key."""


def _find_objects(text: str) -> Iterator[tuple[int, int, _Pairs]]:
    """Yield the outermost JSON objects in a text with where each begins and ends."""
    decoder = json.JSONDecoder(object_pairs_hook=_Pairs, parse_int=_parse_whole)
    start = text.find("{")
    while start >= 0:
        end = start + 1
        try:
            pairs, end = decoder.raw_decode(text, start)
            yield start, end, pairs
        except (ValueError, RecursionError):
            pass  # a brace of prose, or deeper than Python can read: the next brace may begin an object
        start = text.find("{", end)


def _parse_whole(digits: str) -> int | float:
    """Read a number; a number of 20 digits or more, which no judge can mean, is read as infinity."""
    return int(digits) if len(digits) < 20 else float("inf")


def _format_value(value: object) -> str:
    """Return a value for an error message, short."""
    if value is None:
        return "null"
    kind = "an object" if isinstance(value, _Pairs) else "a list"
    text = repr(value) if isinstance(value, (int, float, str)) else kind
    return text if len(text) <= 40 else f"{text[:39]}…"
