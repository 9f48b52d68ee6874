"""Fixtures that many tests share: each test gets folders of its own."""

from pathlib import Path

import pytest
from samples import sample_instances, sample_run

from ircore.instances.store import InstanceSet
from ircore.runs import RunFolder


@pytest.fixture
def instances(tmp_path: Path) -> InstanceSet:
    """Four small target pictures."""
    return sample_instances(tmp_path / "instances")


@pytest.fixture
def run(tmp_path: Path, instances: InstanceSet) -> RunFolder:
    """A run that two simple players played on them."""
    return sample_run(tmp_path / "run", instances)
