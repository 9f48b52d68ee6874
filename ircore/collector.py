"""Work that makes very many small objects that all stay: Python's garbage collector only slows it down."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_collector() -> Iterator[None]:
    """Keep the garbage collector from going through what is made again and again, which takes longer than making it.

    What was made by the end counts as there to stay: no later collection goes through it, at the end of the process
    neither. It is freed as ever when nothing refers to it, unless it refers to itself.
    """
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was:
            gc.enable()
