"""A release is built once for all tests that only read it; those that change one get a copy."""

import shutil
from pathlib import Path

import pytest
from releases import sample_release


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with instances, runs and a release, not to be changed."""
    folder = tmp_path_factory.mktemp("built")
    sample_release(folder)
    return folder


@pytest.fixture
def release(built: Path, tmp_path: Path) -> Path:
    """A copy of the release."""
    return shutil.copytree(built / "release", tmp_path / "release")
