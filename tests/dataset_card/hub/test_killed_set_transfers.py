"""A process that is killed (SIGKILL) anywhere in ``ircore instances push`` or ``pull`` leaves a whole set or none."""

import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hub_clients import Outcome, environment_for
from hub_server import HubServer
from releases import contents
from samples import sample_instances

from ircore.instances.store import InstanceSet

pytestmark = pytest.mark.slow

REPO = "org/targets"
Run = Callable[..., Outcome]


def killed(hub: HubServer, home: Path, command: list[object], request: str, earlier: int, delay: float) -> None:
    """Run a command and kill its process at a request of the Hub.

    Args:
        request: Pattern of the request.
        earlier: Requests of that pattern that pass before.
        delay: Seconds from the request on.
    """
    running: list[subprocess.Popen[bytes]] = []
    dead = threading.Event()

    def end() -> None:
        time.sleep(delay)
        running[0].kill()
        dead.set()

    if earlier:
        hub.fail(request, times=earlier)
    hub.fail(request, meanwhile=threading.Thread(target=end).start if delay else end)
    arguments = [sys.executable, "-m", "ircore", *map(str, command)]
    with subprocess.Popen(
        arguments, env=environment_for(hub, home), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        running.append(process)
        process.wait(120)
    assert dead.wait(10), f"the Hub was never asked for {request}"
    hub.forgive()


@pytest.mark.parametrize(
    ("request_", "earlier"),
    [
        ("PUT /lfs/", 3),
        ("POST /api/datasets/org/targets/commit", 0),
        ("POST /api/datasets/org/targets/tag", 0),
    ],
)
def test_a_killed_push_leaves_the_old_set_or_the_new_one_and_goes_on(
    request_: str, earlier: int, instances: InstanceSet, tmp_path: Path, hub: HubServer, ircore_on: Run
) -> None:
    larger = sample_instances(tmp_path / "larger", per_condition=4)
    assert ircore_on("instances", "push", instances.folder, "--repo", REPO).code == 0
    push = ["instances", "push", larger.folder, "--repo", REPO]
    killed(hub, tmp_path / "home", push, request_, earlier, 0)
    pulled = ircore_on("instances", "pull", REPO, "--out", tmp_path / "meanwhile")
    assert pulled.code == 0, pulled.err
    assert contents(tmp_path / "meanwhile") in (contents(instances.folder), contents(larger.folder))
    again = ircore_on(*push)
    assert again.code == 0, again.err
    tag = f"set-{larger.identity[:12]}"
    pulled = ircore_on("instances", "pull", REPO, "--revision", tag, "--out", tmp_path / "back")
    assert pulled.code == 0, pulled.err
    assert contents(tmp_path / "back") == contents(larger.folder)
    former = f"set-{instances.identity[:12]}"
    pulled = ircore_on("instances", "pull", REPO, "--revision", former, "--out", tmp_path / "former")
    assert pulled.code == 0, pulled.err
    assert contents(tmp_path / "former") == contents(instances.folder)


@pytest.mark.parametrize(
    ("request_", "earlier", "delay"),
    [
        ("GET /datasets/org/targets/resolve/.*instances.jsonl", 0, 0.0),
        ("GET /datasets/org/targets/resolve/.*png", 3, 0.0),
        ("GET /datasets/org/targets/resolve/.*png", 3, 0.1),
    ],
)
def test_a_killed_pull_leaves_no_folder_or_the_whole_set_and_goes_on(
    request_: str, earlier: int, delay: float, instances: InstanceSet, tmp_path: Path, hub: HubServer, ircore_on: Run
) -> None:
    assert ircore_on("instances", "push", instances.folder, "--repo", REPO).code == 0
    out = tmp_path / "set"
    pull = ["instances", "pull", REPO, "--out", out]
    killed(hub, tmp_path / "home", pull, request_, earlier, delay)
    if not out.exists():
        again = ircore_on(*pull)
        assert again.code == 0, again.err
    assert contents(out) == contents(instances.folder)
