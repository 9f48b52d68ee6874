"""Turning a validation error into one line that names the field and what was expected."""

from typing import TYPE_CHECKING

from pydantic import ValidationError

from ircore.records import ONE_LINE

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails


def describe_validation_error(error: ValidationError, most: int = 3) -> str:
    """Return the first ``most`` faults as ``field: what is wrong``, joined by semicolons."""
    faults = [_fault(one) for one in error.errors()]
    more = f"; and {len(faults) - most} more" if len(faults) > most else ""
    return "; ".join(faults[:most]) + more


def _fault(detail: "ErrorDetails") -> str:
    field = ".".join(str(part) for part in detail["loc"]) or "record"
    wording = {
        "extra_forbidden": "unknown key",
        "missing": "is missing",
        "model_type": "must be a mapping",
        "string_too_short": "is empty",
    }
    if detail["type"] == "string_pattern_mismatch" and detail.get("ctx", {}).get("pattern") == ONE_LINE:
        return f"{field}: must be one line"
    return f"{field}: {wording.get(detail['type'], detail['msg'].removeprefix('Value error, '))}"
