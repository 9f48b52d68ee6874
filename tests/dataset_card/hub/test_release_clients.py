"""What was pushed, read back with the real ``datasets`` and ``huggingface_hub``: by tag, streamed, offline."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hub_clients import Outcome, run_with_hub
from hub_server import DroppedError, HubError, HubServer
from releases import contents

from dataset_card.releases.build import BuildPlan, build_release
from dataset_card.releases.record import read_release
from ircore.core.submission_records import Withdrawal

pytestmark = pytest.mark.slow

REPO = "org/irg"
SCRIPT = str(Path(__file__).with_name("load_from_hub.py"))
Run = Callable[..., Outcome]


def read_back(hub: HubServer, home: Path, *tags: str, **changes: str) -> dict[str, Any]:
    done = run_with_hub(hub, home, [SCRIPT, REPO, *tags], **changes)
    assert done.code == 0, done.err
    document: dict[str, Any] = json.loads(done.out.splitlines()[-1])
    return document


def hashes(folder: Path) -> dict[str, str]:
    return {name: hashlib.sha256(data).hexdigest() for name, data in contents(folder).items()}


@pytest.fixture
def without_one(built: Path, tmp_path: Path) -> Path:
    """The release after the sample one: one of its two runs was withdrawn."""
    gone = Withdrawal(slug="other-block", kind="withdrawn", reason="wrong model", date="2100-01-01")
    build_release([], built / "instances", tmp_path / "second", BuildPlan(built / "release", [gone]))
    return tmp_path / "second"


def test_every_release_loads_by_its_tag_also_after_a_run_was_withdrawn(
    built: Path, release: Path, without_one: Path, tmp_path: Path, hub: HubServer, ircore_on: Run
) -> None:
    releases = (release, without_one)
    names = [read_release(release).name for release in releases]
    for item in releases:
        assert ircore_on("release", "push", item, "--repo", REPO).code == 0
    assert not any("other-block" in name for name in hub.repos[REPO].tree)
    uploads = [request for request in hub.requests if request.startswith("PUT /lfs/")]
    seen = read_back(hub, tmp_path / "hf", *names)
    first, second = (seen[name] for name in names)
    assert seen["tags"] == sorted(names)
    assert first["runs"] == {"centre-block": 30, "other-block": 30}
    assert second["runs"] == {"centre-block": 30}
    boards = {"leaderboard": first["rows"]["leaderboard"], "measures": first["rows"]["measures"]}
    rows = {"transcripts": 60, "episodes": 24, "scores": 80, "runs": 2, "calls": 104, "dialogues": 44}
    assert first["rows"] == rows | {"instances": 12} | boards
    boards["leaderboard"] //= 2
    assert second["rows"] == {name: count // 2 for name, count in rows.items()} | {"instances": 12} | boards
    assert first["first"] == second["first"] == ["left 41 colour #1f77b4", [96, 96], [96, 96]]
    assert (first["typed"], second["typed"]) == (["centre-block", "other-block"], ["centre-block"])
    assert (first["frame"], second["frame"]) == (60, 30)
    for item, name in zip(releases, names, strict=True):
        assert {path: sha for path, sha in seen[name]["files"].items() if path != ".gitattributes"} == hashes(item)
    assert (seen["no such repository"], seen["no such revision"]) == ("DatasetNotFoundError", "DatasetNotFoundError")
    # Of the second release only what is new was sent: the board and pictures of the card.
    new = {sha for name, sha in hashes(without_one).items() if sha not in hashes(built / "release").values()}
    assert {upload.removeprefix("PUT /lfs/") for upload in uploads} - set(hashes(built / "release").values()) <= new
    hub.fail("", DroppedError(), times=10**6)
    offline = read_back(hub, tmp_path / "hf", HF_HUB_OFFLINE="1")
    assert offline == {"rows": 30}  # the newest, as it was loaded before


@pytest.mark.parametrize(
    ("request_", "raises"),
    [
        (r"GET /api/datasets/org/irg$", HubError(429, "", "Too Many Requests", **{"Retry-After": "1"})),
        (r"GET /datasets/org/irg/resolve/.*leaderboard", DroppedError()),
    ],
    ids=["429", "file dropped"],
)
def test_a_pull_goes_on_after_what_fails_for_a_while(
    request_: str, raises: Exception, release: Path, tmp_path: Path, hub: HubServer, ircore_on: Run
) -> None:
    assert ircore_on("release", "push", release, "--repo", REPO, "--message", request_).code == 0
    hub.fail(request_, raises)
    done = ircore_on("release", "pull", REPO, "--out", tmp_path / "out")
    assert done.code == 0, done.err
    assert done.out.startswith("2 runs, 24 episodes")


def test_a_pull_with_a_wrong_token_is_one_clear_line(hub: HubServer, tmp_path: Path, ircore_on: Run) -> None:
    hub.add_repo(REPO, private=True)
    done = ircore_on("release", "pull", REPO, "--out", tmp_path / "out", HF_TOKEN="hf_wrong")
    assert (done.code, done.err.splitlines()[0]) == (1, "ircore: org/irg: the Hub does not accept the token")
