"""The examples in the docstrings of results run as they stand there."""

import doctest
from types import ModuleType

import pytest

from ircore.results import coverage, ranking
from ircore.results.statistics import intervals, ranks
from ircore.results.tables import model


@pytest.mark.parametrize("module", [coverage, intervals, model, ranking, ranks], ids=lambda module: module.__name__)
def test_examples_are_true(module: ModuleType) -> None:
    results = doctest.testmod(module)
    assert results.attempted
    assert not results.failed
