"""Work of a plug-in: code that somebody else wrote may raise anything, and the error names whose fault it is."""

import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from math import isfinite
from numbers import Real
from pathlib import Path

from ircore.core.errors import InputError, StoppedError, WorkError
from ircore.core.untrusted_text import writable

_LIBRARIES = frozenset({"pydantic", "numpy", "PIL"})
"""Packages whose lines say nothing to the author of a plug-in that called them wrongly."""


@contextmanager
def plugin_work(
    who: str, *contract: type[BaseException], remedy: str = "Mend the package that adds it."
) -> Iterator[None]:
    """Turn an unexpected exception of a plug-in into an error of one line.

    Example:
        >>> try:
        ...     with plugin_work("judge 'coin'"):
        ...         1 / 0
        ... except WorkError as error:
        ...     print(error.problem.partition(" (")[0])
        judge 'coin' broke with ZeroDivisionError: division by zero

    Args:
        who: The plug-in, such as ``judge 'coin'``.
        contract: Errors and exits that callers expect of such plug-ins, besides ``InputError``; they pass unchanged.
        remedy: What the user does next.

    Raises:
        WorkError: The plug-in raised an unexpected exception.
    """
    try:
        yield
    except (Exception, SystemExit) as error:  # a plug-in that exits must not end this program
        if isinstance(error, (InputError, StoppedError, *contract)):
            raise
        if StoppedError.last is not None:
            raise StoppedError.last from None  # compiled code may have made another error of what a signal raised
        frames = traceback.extract_tb(error.__traceback__)
        own = [frame for frame in frames if _LIBRARIES.isdisjoint(Path(frame.filename).parts)]
        # The last frame outside of libraries is the plug-in's own line, where its author has to look.
        frame = (own or frames)[-1]
        place, words = f"{Path(frame.filename).name}:{frame.lineno}", " ".join(writable(_said(error)).split())
        raise WorkError(f"{who} broke with {type(error).__name__}: {words} ({place})", remedy) from error


def _said(error: BaseException) -> str:
    """Return what an error says, of a record that is not valid in words of our own."""
    # The import takes a tenth of a second, and what is raised without the library is no error of its.
    if "pydantic" not in sys.modules:
        return str(error)
    from pydantic import ValidationError

    from ircore.core.validation import describe_validation_error

    if isinstance(error, ValidationError):
        return f"{error.title}: {describe_validation_error(error)}"
    return str(error)


def finite(value: object) -> float:
    """Return a value that a plug-in computed as a number.

    >>> finite(1)
    1.0

    Raises:
        TypeError: The value is no finite number.
    """
    if not isinstance(value, Real) or not isfinite(value):
        raise TypeError(f"the value is {value!r}, which is no finite number")
    return float(value)
