"""Turning a validation error into one line that names the field and what was expected."""

from pydantic import ValidationError


def describe_validation_error(error: ValidationError, most: int = 3) -> str:
    """Return the first ``most`` faults as ``field: what is wrong``, joined by semicolons."""
    faults = [f"{'.'.join(str(part) for part in one['loc']) or 'record'}: {one['msg']}" for one in error.errors()]
    more = f"; and {len(faults) - most} more" if len(faults) > most else ""
    return "; ".join(faults[:most]) + more
