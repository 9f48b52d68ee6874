"""Pausing Python's garbage collector while very many small objects are made that all stay in use."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_collector() -> Iterator[None]:
    """Pause the garbage collector, which would otherwise scan the growing set of objects again and again.

    What was made by the end counts as old, so that the collector does not go through it at once when it comes back.
    """
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.unfreeze()  # into the oldest generation
        if was:
            gc.enable()
