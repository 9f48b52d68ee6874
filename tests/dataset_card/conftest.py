"""A release is built once for all tests that only read it; those that change one get a copy."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hub_clients import Outcome, run_with_hub
from hub_server import HubServer, running_hub
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


@pytest.fixture
def hub() -> Iterator[HubServer]:
    """A Hub of one's own, empty."""
    with running_hub() as server:
        yield server


@pytest.fixture
def ircore_on(hub: HubServer, tmp_path: Path) -> Callable[..., Outcome]:
    """Run ``ircore`` against that Hub, in a process of its own with an empty home."""

    def run(*arguments: object, **changes: str | None) -> Outcome:
        return run_with_hub(hub, tmp_path / "hf", ["-m", "ircore", *map(str, arguments)], changes)

    return run
