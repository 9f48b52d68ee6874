"""Error replies of providers as a ``Fault``: by HTTP status, headers and body, for all players."""

import json
import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from html import unescape
from typing import Any

from ircore.core.episode_records import FaultKind
from ircore.players.faults import Fault
from ircore.players.openai.limits import passed_limit

_NO_CREDIT = ("insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "insufficient_credits")
_FILTERED = ("moderation", "content_policy", "content_filter", "responsibleaipolicy", "safety_violation", "flagged")
_UNSUPPORTED = ("unsupported_parameter", "unsupported_value", "unknown_parameter", "invalid_parameter")


def fault_of_response(status: int, headers: Mapping[str, str], body: str) -> Fault:
    """Return the fault that a reply reports by its status or by an error in its body.

    Args:
        status: HTTP status, or the code that the body names.
        headers: Of the reply; names in any case if the mapping ignores it, else in lower case.
        body: Text of the reply, in any format.
    """
    explanation, marks = _said(body)
    if 300 <= status < 400:
        explanation = f"redirected to {headers.get('location', 'nowhere')}"
    # Some servers answer 500 to what they will never take.
    if status in (400, 413, 422, 500) and (limit := passed_limit(explanation, marks)):
        again = 0.0 if limit.room is not None else None
        return Fault(limit.kind, explanation, status, again, limit.room)
    return Fault(_kind(status, marks), explanation or "no explanation", status, retry_after(headers))


def _kind(status: int, marks: str) -> FaultKind:
    """Return the kind of fault by the provider's own code, else by the status."""
    if status == 402 or any(mark in marks for mark in _NO_CREDIT):
        return "no_credit"
    if status in (400, 403, 422) and any(mark in marks for mark in _FILTERED):
        return "refused"
    if status in (401, 403):
        return "denied"
    if status < 400 or status in (404, 405) or (status < 500 and "model_not_found" in marks):
        return "not_found"
    if status == 429:
        return "rate_limit"
    if status == 408:
        return "timeout"
    if status == 409 or status >= 500:
        return "server"
    return "unsupported" if any(mark in marks for mark in _UNSUPPORTED) else "rejected"


def _said(body: str) -> tuple[str, str]:
    """Return the error message for people, and the error codes for programs in lower case."""
    try:
        document = json.loads(body)
    except ValueError:
        title = re.search(r"<title>(.*?)</title>", body, re.IGNORECASE | re.DOTALL)
        return f"a page titled {unescape(title[1])!r}" if title else re.sub(r"<[^>]*>", " ", body), ""
    error = document.get("error", document) if isinstance(document, dict) else document
    if not isinstance(error, dict):
        return str(error), ""
    marks = {key: error.get(key) for key in ("code", "type", "innererror", "metadata")}
    return str(error.get("message") or error.get("detail") or error), json.dumps(marks).lower()


def error_in_body(document: Any) -> int | None:
    """Return the real status of a reply of status 200 whose body holds an error; None without an error."""
    error = document.get("error") if isinstance(document, dict) else None
    if not error:
        return None
    # A code outside 400 to 599, such as a text, is no status; 500 lets the question be asked again.
    code = error.get("code") if isinstance(error, dict) else None
    return code if isinstance(code, int) and 400 <= code <= 599 else 500


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
