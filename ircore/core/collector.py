"""Work that makes very many small objects that all stay: Python's garbage collector only slows it down."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_collector() -> Iterator[None]:
    """Keep the garbage collector from going through what is made again and again, which takes longer than making it.

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
