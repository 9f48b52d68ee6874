"""The world in which workflows run."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pipeline_world import World, running_world


@pytest.fixture
def world(tmp_path: Path, demo: Path) -> Iterator[World]:
    with running_world(tmp_path, demo) as made:
        yield made
