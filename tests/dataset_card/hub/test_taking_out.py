"""What ``docs/taking-out.md`` tells maintainers to do leaves nothing of a withdrawn run on a Hub-compatible server."""

from collections.abc import Callable
from pathlib import Path

import pytest
from documented_blocks import read_blocks
from hub_clients import Outcome, published, run_with_hub
from hub_server import HubServer
from releases import contents
from shared_folders import ROOT

from dataset_card.releases.build import BuildPlan, build_release
from dataset_card.releases.record import read_release
from ircore.core.submission_records import Withdrawal

pytestmark = pytest.mark.slow

REPO = "org/irg"
GONE = "other-block"
Run = Callable[..., Outcome]


def blocks(language: str) -> list[str]:
    """Return the blocks of the page in a language, about this repository."""
    page = (ROOT / "docs/taking-out.md").read_text("utf-8").replace("ORG/NAME", REPO)
    return [block.text for block in read_blocks(page) if block.language == language]


@pytest.fixture
def withdrawn(release: Path, built: Path, tmp_path: Path, ircore_on: Run) -> Path:
    """A release upon the sample one without one of its runs; both were pushed."""
    gone = Withdrawal(slug=GONE, kind="withdrawn", reason="at the wish of a person", date="2100-01-01")
    build_release([], built / "instances", tmp_path / "second", BuildPlan(built / "release", [gone]))
    for folder in (release, tmp_path / "second"):
        assert ircore_on("release", "push", folder, "--repo", REPO).code == 0
    return tmp_path / "second"


def test_the_history_of_a_repository_is_taken_out(
    withdrawn: Path, three_runs: Path, tmp_path: Path, hub: HubServer, ircore_on: Run
) -> None:
    (block,) = blocks("python")
    done = run_with_hub(hub, tmp_path / "hf", ["-c", block])
    assert done.code == 0, done.err
    repo, name = hub.repos[REPO], read_release(withdrawn).name
    assert (repo.titles, repo.tags) == ([f"Release {name}"], {name: repo.head})
    assert published(hub, REPO) == contents(withdrawn)
    assert hub.blobs.keys() == {file.sha256 for file in repo.tree.values() if file.large}
    # The same push again has nothing to do, and the next release goes on from what is left.
    again = ircore_on("release", "push", withdrawn, "--repo", REPO)
    assert f"{name} is there already with the same files" in again.err
    inputs = ("--runs", three_runs / "runs/third-block", "--instances", three_runs / "instances")
    built = ircore_on("release", "build", "--former", REPO, *inputs, "--out", tmp_path / "next")
    assert built.code == 0, built.err
    assert ircore_on("release", "push", tmp_path / "next", "--repo", REPO).code == 0
    assert len(repo.titles) == 2


def test_all_of_a_repository_is_taken_out(withdrawn: Path, tmp_path: Path, hub: HubServer, ircore_on: Run) -> None:
    (commands,) = (block for block in blocks("") if block.startswith("hf repos delete"))
    delete, push = (line.split()[1:] for line in commands.splitlines())
    done = run_with_hub(hub, tmp_path / "hf", ["-m", "huggingface_hub.cli.hf", *delete, "--yes"])
    assert done.code == 0, done.err
    assert REPO not in hub.repos
    done = ircore_on(*(withdrawn if word == "build/dataset" else word for word in push))
    assert done.code == 0, done.err
    assert hub.repos[REPO].titles == ["initial commit", f"Release {read_release(withdrawn).name}"]
    assert not any(GONE in path for tree in hub.repos[REPO].commits.values() for path in tree)
