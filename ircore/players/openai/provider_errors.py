"""Error replies of providers as a ``Fault``: by HTTP status, headers and body, for all players."""

import json
import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from ircore.players.faults import LIMITS, Fault
from ircore.players.openai.meanings import meaning_of, read_error

_PAUSE = re.compile(
    r"(?:try again|retry|available) in (?:(\d{1,4})h)?(?:(\d{1,4})m)?(\d{1,6}(?:\.\d+)?) ?(m?s)\b", re.IGNORECASE
)
"""How services that send no header name the pause that they ask for, such as ``try again in 7m12.5s``."""


def fault_of_response(status: int, headers: Mapping[str, str], body: str) -> Fault:
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
    meaning = meaning_of(status, error)
    if meaning.kind in LIMITS:
        again = 0.0 if meaning.room is not None else None
        return Fault(meaning.kind, explanation, status, again, meaning.room)
    pause = retry_after(headers)
    if pause is None and meaning.kind in ("rate_limit", "server"):
        pause = _pause_in(error.text)
    return Fault(meaning.kind, explanation, status, pause)


def fault_in_reply(document: Any) -> Fault | None:
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
    meaning = meaning_of(200, error)
    known = meaning.rule is not None and (meaning.rule.words or meaning.rule.codes)
    return Fault(meaning.kind, error.explanation, 200, None, meaning.room) if known else None


_REPORTING = ("code", "status", "message", "msg", "detail", "details", "errors", "name", "output", "promptFeedback")
"""Keys under which replies of status 200 tell of an error."""


def error_in_body(document: Any) -> int | None:
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


def _pause_in(text: str) -> float | None:
    """Return the seconds that an error asks to wait in its words."""
    if match := _PAUSE.search(text):
        hours, minutes, seconds, unit = match.groups()
        return int(hours or 0) * 3600 + int(minutes or 0) * 60 + float(seconds) * (0.001 if unit.lower() == "ms" else 1)
    return None


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
