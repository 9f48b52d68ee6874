"""A release is built once for all tests that only read it; those that change one get a copy."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hub_clients import HubClient, Outcome
from hub_server import HubServer, running_hub
from releases import copy_inputs, sample_release
from shared_folders import made_once

from dataset_card.releases.build import BuildPlan, build_release
from ircore.core.submission_records import Withdrawal, format_decisions


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with instances, runs and a release, not to be changed."""
    return made_once(tmp_path_factory, "built", sample_release)


@pytest.fixture
def release(built: Path, tmp_path: Path) -> Path:
    """A copy of the release."""
    return shutil.copytree(built / "release", tmp_path / "release")


@pytest.fixture
def whole_release(built: Path, tmp_path: Path) -> Path:
    """A copy of the release in ``tmp_path``, where copies of its ``instances`` and ``runs`` are, too."""
    return shutil.copytree(built, tmp_path, dirs_exist_ok=True) / "release"


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


@pytest.fixture
def three_runs(built: Path, tmp_path: Path) -> Path:
    """Instances, two runs that the sample release has, and a third one."""
    return copy_inputs(built, tmp_path)


@pytest.fixture
def build_upon(three_runs: Path, ircore_on: Callable[..., Outcome]) -> Callable[..., Path]:
    """Build a release NAME of some runs, upon a former one, with the command."""

    def made(name: str, *slugs: str, former: object = None, gone: tuple[Withdrawal, ...] | None = None) -> Path:
        options: list[object] = [] if former is None else ["--former", former]
        if gone is not None:
            (three_runs / "gone.jsonl").write_text(format_decisions(gone))
            options += ["--withdrawals", three_runs / "gone.jsonl"]
        options += [word for slug in slugs for word in ("--runs", three_runs / "runs" / slug)]
        done = ircore_on(
            "release", "build", *options, "--instances", three_runs / "instances", "--out", three_runs / name
        )
        assert done.code == 0, done.err
        return three_runs / name

    return made


@pytest.fixture
def push(ircore_on: Callable[..., Outcome]) -> Callable[..., Outcome]:
    """Push a release to ``org/irg``."""
    return lambda folder, *options: ircore_on("release", "push", folder, "--repo", "org/irg", *options)


@pytest.fixture
def build(inputs: Path) -> Callable[..., Path]:
    """Build a release NAME of some runs, upon a former one."""

    def made(name: str, *slugs: str, former: str | None = None, **more: object) -> Path:
        plan = BuildPlan(previous=None if former is None else inputs / former, **more)  # type: ignore[arg-type]
        build_release([inputs / "runs" / slug for slug in slugs], inputs / "instances", inputs / name, plan)
        return inputs / name

    return made
