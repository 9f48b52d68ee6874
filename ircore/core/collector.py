"""How a process treats garbage: pauses of Python's collector, rarer searches, and whether freed memory is kept.

The collector's searches cost more than they free while many records are made. Freed memory stays with the process, or
is returned to the system at once.
"""

import ctypes
import gc
from collections.abc import Iterator
from contextlib import contextmanager, suppress

NEW_OBJECTS = 10_000
"""New objects after which the collector runs in commands and in ``slow_collector``; Python's own number is 700 or
2,000."""


@contextmanager
def pause_collector() -> Iterator[None]:
    """Pause the garbage collector, which would otherwise scan the growing set of objects again and again.

    What was made by the end counts as old, so that the collector does not go through it at once when it comes back;
    not where the caller has frozen objects (``gc.freeze``), which cannot be told from others once all are frozen.
    """
    was, frozen = gc.isenabled(), gc.get_freeze_count()
    gc.disable()
    try:
        yield
    finally:
        if not frozen:
            gc.freeze()
            gc.unfreeze()  # into the oldest generation
        if was:
            gc.enable()


@contextmanager
def slow_collector() -> Iterator[None]:
    """Let the garbage collector run seldom, and never over objects that exist already.

    A full search over what the imports alone have made stands still for 80 ms, in which every episode waits. Within
    ``pause_collector`` the collector runs again, over the objects that are made from here on alone. What the caller has
    frozen stays so.

    >>> with slow_collector():
    ...     gc.get_threshold()[0]
    10000
    """
    was, thresholds, frozen = gc.isenabled(), gc.get_threshold(), gc.get_freeze_count()
    gc.set_threshold(NEW_OBJECTS, *thresholds[1:])
    if not frozen:
        gc.freeze()
    gc.enable()
    try:
        yield
    finally:
        if not was:
            gc.disable()
        if not frozen:
            gc.unfreeze()
        gc.set_threshold(*thresholds)


_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
"""Settings of glibc's ``mallopt``: bytes that may be free before they are returned, and from which a piece of memory is
asked of the system by itself."""


def keep_freed_memory() -> None:
    """Keep up to 1 GB of freed memory for later use, where the C library can (glibc).

    A command that reads thousands of pictures asks for the same few megabytes again and again, and the system clears
    each page before it gives it out: that is a tenth of the time of a check of a release.
    """
    # Windows finds no library by this name, and other systems' libraries lack the function.
    with suppress(OSError, TypeError, AttributeError):
        library = ctypes.CDLL(None)
        library.mallopt(_TRIM_THRESHOLD, 2**30)
        library.mallopt(_MMAP_THRESHOLD, 2**25)


def give_back_memory() -> None:
    """Free what only refers to itself, and return freed memory to the system, where the C library can (glibc).

    It would be kept for later use, and of several processes each would keep what the largest of its pieces needed. The
    next call passes over what is there now.
    """
    gc.collect()
    gc.freeze()
    # Windows finds no library by this name, and other systems' libraries lack the function.
    with suppress(OSError, TypeError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
