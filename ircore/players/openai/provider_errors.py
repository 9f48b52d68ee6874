"""Error replies of providers as a ``Fault``: by HTTP status, headers and body, for all players.

A service names its reason by a status, by codes, or in prose; the error is an object, a list or a text, flat or nested,
and a proxy puts the error of another service into its own as text. All that is said is read together, and what it means
is told by the rules in ``meanings.yaml``.
"""

import json
import math
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from fnmatch import fnmatchcase
from functools import cache
from html import unescape
from importlib.resources import files
from typing import Any, NamedTuple, cast

from pydantic import Field

from ircore.core.episode_records import FaultKind
from ircore.core.files import read_table
from ircore.core.records import Line, PlayerSpec, Record
from ircore.core.strict_yaml import load_own_mapping
from ircore.players.calls import LIMITS, RequestFault

SMALLEST_ROOM = 64
"""Tokens; an answer with less room would break off."""

LONGEST_BODY = 256 * 1024
"""Characters of an error that are read."""

LONGEST_TEXT = 8_000
"""Characters of its texts in which rules look for words."""

MOST_VALUES = 400
"""Values of an error that are read; errors that repeat the request can hold any number."""

_ECHOES = frozenset({"input", "inputs", "prompt", "messages", "request", "ctx", "url", "links", "failed_generation"})
"""Keys under which errors repeat what was asked, or point to pages; their values say nothing about the reason."""

_EXPLAINING = ("message", "msg", "error", "detail", "details", "errors", "error_description", "description", "title")
"""Keys of what an error says to people; the first that is there counts."""

_LONGEST_CODE = 120
_CODE_IN_TEXT = re.compile(r"\b[A-Za-z0-9]+(?:_[A-Za-z0-9]+)+\b|\b[A-Z]?[a-z0-9]+(?:[A-Z][a-z0-9]+){1,12}\b")
"""Codes that stand in prose, such as ``content_filter`` or ``ContentPolicyViolationError``."""

_PAUSE = re.compile(
    r"(?:try again|retry|available) in (?:(\d{1,4})h)?(?:(\d{1,4})m)?(\d{1,6}(?:\.\d+)?) ?(m?s)\b", re.IGNORECASE
)
"""How services that send no header name the pause that they ask for, such as ``try again in 7m12.5s``."""

_REPORTING = ("code", "status", "message", "msg", "detail", "details", "errors", "name", "output", "promptFeedback")
"""Keys under which replies of status 200 tell of an error."""


class MeaningRule(Record):
    """A rule of ``meanings.yaml``, where each field is described."""

    meaning: FaultKind
    service: Line
    source: str
    status: tuple[int | str, ...] = ()
    codes: tuple[str, ...] = ()
    words: str | tuple[str, ...] = ()
    unless: str | tuple[str, ...] = ()


class _Numbers(Record):
    whole: tuple[str, ...]
    read: tuple[str, ...]
    most: tuple[str, ...]


class MeaningTable(Record):
    """The table of rules, the words for each meaning, and where texts name numbers of tokens."""

    meanings: dict[FaultKind, Line]
    numbers: _Numbers
    rules: tuple[MeaningRule, ...] = Field(min_length=1)


class ServiceError(NamedTuple):
    """An error as a service words it.

    Attributes:
        explanation: What it says to people.
        codes: Codes, types, names and keys, letters and digits in lower case alone.
        text: All of its texts.
    """

    explanation: str
    codes: frozenset[str]
    text: str


class Meaning(NamedTuple):
    """What an error means.

    Attributes:
        kind: The meaning.
        rule: The rule that decided; None if none did.
        room: Tokens that an answer may have, for ``answer_too_long``.
    """

    kind: FaultKind
    rule: MeaningRule | None = None
    room: int | None = None


def read_error(body: str) -> ServiceError:
    """Return what an error says, whatever its shape.

    >>> read_error('{"code": "permission-denied", "error": "Content violates usage guidelines."}').explanation
    'Content violates usage guidelines.'

    Args:
        body: Of the reply: JSON, a page, or plain text.
    """
    body = body[:LONGEST_BODY]
    document = _parse_document(body)
    if document is None:
        title = re.search(r"<title>([^<]{0,500})</title>", body, re.IGNORECASE)
        text = f"a page titled {unescape(title[1])!r}" if title else re.sub(r"<[^<>]{0,500}>", " ", body)
        return ServiceError(text, _find_codes(text), text[:LONGEST_TEXT])
    values = list(_list_values(document))
    codes = frozenset(
        _simplify_code(value) for value in values if len(value) <= _LONGEST_CODE and len(value.split()) == 1
    )
    text = " ".join(values)[:LONGEST_TEXT]
    return ServiceError(
        _find_explanation(document) or json.dumps(document)[:LONGEST_TEXT], codes | _find_codes(text), text
    )


def find_meaning(status: int, error: ServiceError) -> Meaning:
    """Return what an error means, by the first rule that fits.

    Args:
        status: Of the reply, or the one that the body names.
        error: What it says.
    """
    for rule in _compile_rules():
        if rule.fits(status, error):
            kind = rule.rule.meaning
            if kind == "context_too_long" and (room := _parse_room(error.text)) is not None:
                return Meaning("answer_too_long", rule.rule, room)
            return Meaning(kind, rule.rule)
    return Meaning("rejected")


@cache
def load_meaning_table() -> MeaningTable:
    """Return the table in ``meanings.yaml``."""
    return MeaningTable.model_validate(load_own_mapping(files("ircore.players.openai") / "meanings.yaml"))


def list_remedies(spec: PlayerSpec) -> dict[FaultKind, str]:
    """Return the remedy for each kind of fault that a player behind a service may meet.

    Args:
        spec: The player, as in the manifest.
    """
    key = f"the key in {spec.api_key_env}" if spec.api_key_env else "api_key_env, which the manifest does not give"
    again = "the same command then goes on where it stopped"
    return {
        **cast("dict[FaultKind, str]", read_table("ircore.players.openai", "remedies")),
        "denied": f"Check {key}, and what it may use; {again}.",
        "no_credit": f"Add credit with the provider, or wait until the quota is renewed; {again}.",
    }


def find_response_fault(status: int, headers: Mapping[str, str], body: str) -> RequestFault:
    """Return the fault that a reply reports by its status or by an error in its body.

    Args:
        status: HTTP status, or the code that the body names.
        headers: Of the reply; names in any case if the mapping ignores it, else in lower case.
        body: Text of the reply, in any format.
    """
    error = read_error(body)
    explanation = error.explanation.strip() or "no explanation"
    if 300 <= status < 400:
        explanation = f"redirected to {headers.get('location', 'nowhere')}"
    meaning = find_meaning(status, error)
    if meaning.kind in LIMITS:
        again = 0.0 if meaning.room is not None else None
        return RequestFault(meaning.kind, explanation, status, again, meaning.room)
    pause = retry_after(headers)
    if pause is None and meaning.kind in ("rate_limit", "server"):
        pause = _pause_in(error.text)
    return RequestFault(meaning.kind, explanation, status, pause)


def find_reply_fault(document: Any) -> RequestFault | None:
    """Return the fault that a reply of status 200 reports instead of an answer, under other names than ``error``.

    None if no rule knows its words, so that it is just no answer.

    Args:
        document: A reply that holds no answer.
    """
    named = document if isinstance(document, dict) else {}
    said = {key: named[key] for key in _REPORTING if named.get(key)}
    # Gemini's own endpoint tells of a filter in the place of its answers.
    if isinstance(candidates := named.get("candidates"), list) and candidates and isinstance(candidates[0], dict):
        said["finishReason"] = candidates[0].get("finishReason")
    if not said:
        return None
    error = read_error(json.dumps(said))
    meaning = find_meaning(200, error)
    known = meaning.rule is not None and (meaning.rule.words or meaning.rule.codes)
    return RequestFault(meaning.kind, error.explanation, 200, None, meaning.room) if known else None


def find_body_error_status(document: Any) -> int | None:
    """Return the real status of a reply of status 200 whose body holds an error; None without an error."""
    if isinstance(document, list):
        document = document[0] if document else None
    error = document.get("error") if isinstance(document, dict) else None
    if not error:
        return None
    named = (
        [error.get(key) for key in ("code", "status", "status_code", "statusCode")] if isinstance(error, dict) else []
    )
    if isinstance(error, dict) and isinstance(error.get("error"), dict):
        named.append(error["error"].get("code"))
    codes = [int(code) for code in named if isinstance(code, (int, str)) and re.fullmatch("[45][0-9][0-9]", str(code))]
    # Any other code, such as a text, is no status; 500 lets the question be asked again.
    return codes[0] if codes else 500


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds, ≥ 0, that a provider asks to wait: ``retry-after-ms``, or ``retry-after``, seconds or a date.

    None if there is no such header, or it is unreadable (RFC 9110, section 10.2.3).
    """
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) * unit
        except ValueError:
            continue
        return None if math.isnan(seconds) else max(0.0, seconds)
    try:
        date = parsedate_to_datetime(headers.get("retry-after", ""))
        zoned = date if date.tzinfo else date.replace(tzinfo=UTC)
        return max(0.0, (zoned - datetime.now(UTC)).total_seconds())
    # A date of a year or a zone that no calendar has overflows.
    except (ValueError, OverflowError, TypeError, IndexError):
        return None


class _CompiledRule(NamedTuple):
    rule: MeaningRule
    statuses: frozenset[int]
    codes: frozenset[str]
    patterns: tuple[str, ...]
    words: re.Pattern[str] | None
    unless: re.Pattern[str] | None

    def fits(self, status: int, error: ServiceError) -> bool:
        if self.statuses and status not in self.statuses:
            return False
        if self.codes or self.patterns:
            matches = self.codes & error.codes or any(
                fnmatchcase(code, pattern) for pattern in self.patterns for code in error.codes
            )
            if not matches:
                return False
        if self.words and not self.words.search(error.text):
            return False
        return not (self.unless and self.unless.search(error.text))


@cache
def _compile_rules() -> tuple[_CompiledRule, ...]:
    return tuple(_compile_rule(rule) for rule in load_meaning_table().rules)


def _compile_rule(rule: MeaningRule) -> _CompiledRule:
    statuses: set[int] = set()
    for status in rule.status:
        # "5xx" stands for a hundred statuses.
        statuses.update(
            [status] if isinstance(status, int) else range(int(status[0]) * 100, int(status[0]) * 100 + 100)
        )
    exact = frozenset(_simplify_code(code) for code in rule.codes if "*" not in code)
    patterns = tuple("*".join(map(_simplify_code, code.split("*"))) for code in rule.codes if "*" in code)
    return _CompiledRule(
        rule, frozenset(statuses), exact, patterns, _build_alternation(rule.words), _build_alternation(rule.unless)
    )


def _build_alternation(patterns: str | tuple[str, ...]) -> re.Pattern[str] | None:
    listed = (patterns,) if isinstance(patterns, str) else patterns
    return re.compile("|".join(listed), re.IGNORECASE) if any(listed) else None


def _parse_room(text: str) -> int | None:
    """Return the tokens that a text leaves for an answer; None if a shorter answer would not help."""
    numbers = load_meaning_table().numbers
    if most := _find_number(numbers.most, text):
        return most
    whole, read = _find_number(numbers.whole, text), _find_number(numbers.read, text)
    # Without both numbers nobody knows whether a shorter answer would fit.
    return whole - read if whole and read and whole - read >= SMALLEST_ROOM else None


def _find_number(patterns: tuple[str, ...], text: str) -> int | None:
    for pattern in patterns:
        if match := re.search(pattern, text, re.IGNORECASE):
            return int(match[1].replace(",", "")[:12])
    return None


def _parse_document(text: str) -> Any:
    """Return a JSON object or list in a text, or None."""
    if not text.lstrip("\ufeff \t\r\n").startswith(("{", "[")):
        return None
    try:
        document = json.loads(text.lstrip("\ufeff"))
    except (ValueError, RecursionError):
        return None
    return document if isinstance(document, (dict, list)) else None


def _list_values(document: Any) -> Iterator[str]:
    """Yield the keys and texts of an error, JSON inside its texts included, without what it repeats of a request."""
    # A stack of our own: errors may be nested deeper than Python calls functions.
    waiting: list[Any] = [document]
    for _ in range(MOST_VALUES):
        if not waiting:
            return
        value = waiting.pop()
        if isinstance(value, dict):
            yield from (key for key, item in value.items() if isinstance(key, str) and item not in (None, "", [], {}))
            waiting += [item for key, item in reversed(value.items()) if key not in _ECHOES]
        elif isinstance(value, list):
            waiting += reversed(value)
        elif isinstance(value, str):
            inner = _parse_document(value)
            yield value if inner is None else ""
            waiting += [] if inner is None else [inner]
        elif isinstance(value, int) and not isinstance(value, bool):
            yield str(value)


def _find_explanation(value: Any, depth: int = 0) -> str:
    """Return what an error says to people."""
    if depth > 6:
        return ""
    if isinstance(value, str):
        inner = _parse_document(value)
        return value if inner is None else _find_explanation(inner, depth + 1) or value
    if isinstance(value, list):
        return "; ".join(text for item in value[:5] if (text := _find_explanation(item, depth + 1)))
    if not isinstance(value, dict):
        return ""
    # Where one text is a code and the other one prose, prose is for people.
    if isinstance(value.get("error"), str) and isinstance(value.get("message"), str) and " " not in value["message"]:
        return str(value["error"])
    said = next((text for key in _EXPLAINING if (text := _find_explanation(value.get(key), depth + 1))), "")
    metadata = value.get("metadata")
    raw = _find_explanation(metadata.get("raw"), depth + 1) if isinstance(metadata, dict) else ""
    return f"{said}: {raw}" if said and raw else said or raw


def _find_codes(text: str) -> frozenset[str]:
    return frozenset(map(_simplify_code, _CODE_IN_TEXT.findall(text[:LONGEST_TEXT])))


def _simplify_code(code: str) -> str:
    return re.sub(r"[^a-z0-9]+", "", code.lower())


def _pause_in(text: str) -> float | None:
    """Return the seconds that an error asks to wait in its words."""
    if match := _PAUSE.search(text):
        hours, minutes, seconds, unit = match.groups()
        return int(hours or 0) * 3600 + int(minutes or 0) * 60 + float(seconds) * (0.001 if unit.lower() == "ms" else 1)
    return None
