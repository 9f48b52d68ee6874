"""One thing that a reader of a release waits for; prints its seconds by the clock and by the processor.

Needs nothing but ``datasets``, so that it can run where nothing else is installed.

    python benchmarks/loading.py import|stream|load RELEASE [again|imported]

import    ``import datasets``, which everybody has to; the others come after it
stream    the first row of a stream, its pictures decoded
load      ``load_dataset``
again     the second time in one process
imported  what the step imports by itself is there beforehand
"""

import importlib
import os
import sys
from collections.abc import Callable
from importlib.util import find_spec
from time import perf_counter, process_time


def import_datasets(_: str) -> None:
    """Import the library."""
    importlib.import_module("datasets")


def load_first_row(release: str) -> None:
    """Take the first row of a stream."""
    from datasets import load_dataset

    row = next(iter(load_dataset(release, split="test", streaming=True)))
    assert row["rendering"].size == row["target"].size


def load_whole(release: str) -> None:
    """Load all turns."""
    from datasets import load_dataset

    assert len(load_dataset(release, split="test"))


STEPS: dict[str, Callable[[str], None]] = {"import": import_datasets, "stream": load_first_row, "load": load_whole}


def main(step: str, release: str, before: str = "") -> None:
    """Do a step and print what it took; ends the process."""
    if step != "import":
        importlib.import_module("datasets")
    if before == "again":
        STEPS[step](release)
    if before == "imported":
        for name in ("scipy.io", "PIL.PngImagePlugin"):
            if find_spec(name.partition(".")[0]):
                importlib.import_module(name)
    began, used = perf_counter(), process_time()
    STEPS[step](release)
    print(perf_counter() - began, process_time() - used, flush=True)
    os._exit(0)  # an open stream can keep Python from exiting (apache/arrow#45214)


if __name__ == "__main__":
    main(*sys.argv[1:])
