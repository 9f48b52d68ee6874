"""Values that may be missing, where a test knows that they are there."""

from typing import TypeVar

T = TypeVar("T")


def known(value: T | None) -> T:
    """Return a value that is not missing."""
    assert value is not None
    return value
