"""Shared parts of the conformance checks of plug-ins: the error, sample pictures and a watch on outside calls."""

import asyncio
import gc
import io
import os
import random
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

from ircore.core.drawing import Drawing
from ircore.core.images import Picture


class ConformanceError(AssertionError):
    """A plug-in does not keep its contract; the message names the plug-in and the fault.

    >>> expect(False, "metric sharpness: the value 2 is above its high of 1")
    Traceback (most recent call last):
    ...
    ircore.core.conformance.ConformanceError: metric sharpness: the value 2 is above its high of 1
    """


def expect(holds: bool, fault: str) -> None:
    """Raise a fault unless a condition holds.

    Args:
        holds: The condition.
        fault: Name of the plug-in and what is wrong with it, in one line.

    Raises:
        ConformanceError: The condition does not hold.
    """
    if not holds:
        raise ConformanceError(fault)


def sample_pictures(scale: int = 1) -> tuple[Picture, ...]:
    """Return four drawn pictures: the second differs from the first in place, the third in colour, the fourth in size.

    Args:
        scale: Side of the square that stands for each drawn pixel, for what needs larger pictures.
    """
    sides = ((96, 64, 12, "#d62728"), (96, 64, 44, "#d62728"), (96, 64, 12, "#1f77b4"), (48, 80, 8, "#2ca02c"))
    pictures = []
    for width, height, left, colour in sides:
        drawing = Drawing(width, height)
        drawing.rectangle(left, 16, left + 30, 46, fill=colour)
        pictures.append(Picture.from_pixels(drawing.pixels.repeat(scale, axis=0).repeat(scale, axis=1)))
    return tuple(pictures)


FUNCTIONS: dict[Any, str] = {
    **dict.fromkeys((io.open, os.open, os.listdir, os.scandir, os.stat), "a file"),
    **dict.fromkeys((time.time, time.monotonic, time.perf_counter, time.sleep), "the clock"),
    **dict.fromkeys((time.time_ns, time.monotonic_ns, time.perf_counter_ns), "the clock"),
    os.urandom: "unseeded chance",
}
"""Functions that reach outside, and what they reach."""

NETWORK = ("socket", "ssl", "subprocess")
"""Modules of which no function may be called."""

MACHINERY = ("asyncio", "selectors", "importlib", "_frozen_importlib", "_frozen_importlib_external")
"""Callers that are no part of a plug-in: the event loop looks at the clock, an import opens files."""


@contextmanager
def watch_outside_calls() -> Iterator[list[str]]:
    """Watch this thread for calls that reach files, the clock, the network or unseeded chance.

    Everything is let through, so that a plug-in cannot hide a call by catching an error.

    >>> with watch_outside_calls() as calls:
    ...     moment = time.time()
    >>> [call.partition(" reaches ")[2] for call in calls]
    ['the clock (time)']

    Yields:
        A list that fills with one line a call, such as ``rules.py:12 reaches the clock (time)``.
    """
    calls: list[str] = []

    def note_call(frame: FrameType, event: str, function: Any) -> None:
        if event not in ("call", "c_call"):
            return
        reached = _describe_python_call(frame) if event == "call" else _describe_builtin_call(frame, function)
        if reached is not None:
            calls.append(f"{_find_caller(frame)} reaches {reached}")

    before, collecting = sys.getprofile(), gc.isenabled()
    # Whoever listens to the garbage collector may read a clock: that is no call of what is watched.
    gc.disable()
    sys.setprofile(note_call)
    try:
        yield calls
    finally:
        sys.setprofile(before)
        if collecting:
            gc.enable()


def _describe_python_call(frame: FrameType) -> str | None:
    # Python's own function, which the profiler sees as a call of Python code and not of a built-in one.
    if frame.f_code is asyncio.sleep.__code__:
        return "the clock (asyncio.sleep)"
    caller = frame.f_back
    if (
        _find_module_name(frame) in NETWORK
        and caller is not None
        and _find_module_name(caller) not in (*NETWORK, *MACHINERY)
    ):
        return f"the network ({_find_module_name(frame)})"
    return None


def _describe_builtin_call(frame: FrameType, function: Any) -> str | None:
    if _find_module_name(frame) in MACHINERY:
        return None
    owner, name = getattr(function, "__self__", None), getattr(function, "__name__", "")
    if (owner is datetime or owner is date) and name in ("now", "utcnow", "today"):
        return f"the clock ({name})"
    # Functions of the module random are methods of one hidden generator; a generator with a seed is allowed.
    if owner is getattr(random, "_inst", None) and name in ("random", "getrandbits"):
        return "unseeded chance (the module random)"
    reached = FUNCTIONS.get(function) if owner is None or isinstance(owner, ModuleType) else None
    return None if reached is None else f"{reached} ({name})"


def _find_module_name(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", "")).split(".")[0]


def _find_caller(frame: FrameType) -> str:
    """Return file and line of the nearest caller outside Python's own library."""
    caller: FrameType | None = frame
    while (
        caller is not None
        and _find_module_name(caller) in sys.stdlib_module_names
        and _find_module_name(caller) != "__main__"
    ):
        caller = caller.f_back
    nearest = caller or frame
    return f"{Path(nearest.f_code.co_filename).name}:{nearest.f_lineno}"
