"""A release is built once for all tests that only read it; those that change one get a copy."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hub_clients import HubClient, Outcome
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


@pytest.fixture(scope="session")
def shared_hub() -> Iterator[HubServer]:
    """A Hub for all tests of a process, one after the other."""
    with running_hub() as server:
        yield server


@pytest.fixture
def hub(shared_hub: HubServer) -> HubServer:
    """That Hub, emptied."""
    shared_hub.empty()
    return shared_hub


@pytest.fixture(scope="session")
def hub_client(shared_hub: HubServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[HubClient]:
    """A process that runs ``ircore`` against that Hub."""
    client = HubClient(shared_hub, tmp_path_factory.mktemp("hf"))
    yield client
    client.close()


@pytest.fixture
def ircore_on(hub: HubServer, hub_client: HubClient) -> Callable[..., Outcome]:
    """Run ``ircore`` against the emptied Hub."""
    return hub_client.run
