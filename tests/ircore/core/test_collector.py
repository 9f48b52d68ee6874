"""Work without the garbage collector."""

import contextlib
import gc
import platform
from pathlib import Path

import pytest

from ircore.core.collector import give_back_memory, seldom_collecting, without_collector


@pytest.mark.slow
def test_the_collector_rests_and_what_was_made_counts_as_old() -> None:
    with without_collector():
        assert not gc.isenabled()
        made = [[number] for number in range(1000)]
    assert gc.isenabled()
    assert {id(item) for item in made} <= {id(thing) for thing in gc.get_objects(generation=2)}


def test_it_comes_back_after_an_error_and_stays_off_if_it_was_off() -> None:
    with pytest.raises(KeyError), without_collector():
        raise KeyError
    assert gc.isenabled()
    gc.disable()
    try:
        with without_collector():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_it_runs_seldom_while_questions_are_asked_and_as_before_afterwards() -> None:
    before, frozen = gc.get_threshold(), gc.get_freeze_count()
    with contextlib.suppress(KeyError), seldom_collecting():
        assert gc.isenabled()
        assert gc.get_threshold()[0] == 10_000
        assert gc.get_freeze_count() > frozen  # what exists is spared
        raise KeyError
    assert gc.get_threshold() == before
    assert gc.get_freeze_count() == frozen


def test_inside_work_without_the_collector_it_frees_what_is_made_there_alone() -> None:
    with without_collector():
        before = len(gc.get_objects())
        with seldom_collecting():
            for _ in range(100_000):  # an object that refers to itself, as a page's template leaves them behind
                cycle: list[object] = []
                cycle.append(cycle)
            assert len(gc.get_objects()) < before + 50_000
        assert not gc.isenabled()


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another C library decides for itself")
def test_freed_memory_goes_back_to_the_system_where_it_can() -> None:
    texts = [str(number) * 100 for number in range(200_000)]
    keep = texts[::1000]  # holes between what stays, which the C library would keep
    before = resident()
    del texts
    give_back_memory()
    assert resident() < before
    assert len(keep) == 200


def resident() -> int:
    """Return the pages of memory that this process holds."""
    return int(Path("/proc/self/statm").read_text().split()[1])
