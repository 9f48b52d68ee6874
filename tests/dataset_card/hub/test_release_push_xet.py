"""A push as the Hub takes it by default: large files in chunks, through ``hf_xet``, here into its own local store."""

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hub_clients import run_with_hub
from hub_server import running_hub
from releases import contents

pytestmark = pytest.mark.slow

REPO = "org/irg"


def test_large_files_arrive_in_chunks(release: Path, tmp_path: Path) -> None:
    (tmp_path / "store").mkdir()
    with running_hub(cas=tmp_path / "store") as hub:
        done = run_with_hub(hub, tmp_path / "hf", ["-m", "ircore", "release", "push", str(release), "--repo", REPO])

        assert done.code == 0, done.err
        pushed = {path: file.data for path, file in hub.repos[REPO].tree.items() if path != ".gitattributes"}
        assert pushed == contents(release)
        assert not any(request.startswith("PUT /lfs/") for request in hub.requests)


def test_a_store_that_fails_is_one_clear_line(release: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with running_hub(cas=tmp_path / "file" / "store") as hub:
        done = run_with_hub(hub, tmp_path / "hf", ["-m", "ircore", "release", "push", str(release), "--repo", REPO])

        assert done.code == 1
        assert "\nircore: org/irg: large files cannot be moved (" in done.err
        assert hub.repos[REPO].titles == ["initial commit"]


@contextmanager
def dead_service(listens: bool) -> Iterator[str]:
    """The address of a service that takes connections and never answers, or takes none."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        if listens:
            held.listen(8)
        yield f"http://127.0.0.1:{held.getsockname()[1]}"


@pytest.mark.parametrize(("listens", "error"), [(False, "ConnectError"), (True, "ReadTimeout")])
def test_a_store_that_does_not_answer_is_said_soon(listens: bool, error: str, release: Path, tmp_path: Path) -> None:
    with dead_service(listens) as address, running_hub(cas_url=address) as hub:
        began = time.monotonic()
        done = run_with_hub(hub, tmp_path / "hf", ["-m", "ircore", "release", "push", str(release), "--repo", REPO])
        waited = time.monotonic() - began

    assert done.code == 1
    host = address.removeprefix("http://")
    assert done.err.splitlines()[-2:] == [
        f"ircore: org/irg: the store of large files, {host}, does not answer ({error})",
        "  Try again later, or set HF_HUB_DISABLE_XET=1 to send them without it.",
    ]
    assert waited < 240  # the client itself would try for longer, several times
    assert hub.repos[REPO].titles == ["initial commit"]
