"""Work that makes very many small objects that all stay: Python's garbage collector only slows it down."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_collector() -> Iterator[None]:
    """Keep the garbage collector from going through what is made again and again, which takes longer than making it."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()
