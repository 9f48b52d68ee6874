"""``import ircore`` on releases: from a folder and from the Hub, sound and changed by hand."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hub_clients import Outcome, run_with_hub
from hub_server import HubServer
from releases import FINALS

import ircore

ON_THE_HUB = """
import ircore, json
board = ircore.board("org/irg")
instances = ircore.load_table("org/irg", "instances", revision="v1.0.0")
faults = ircore.verify("org/irg", revision="v1.0.0", share=0.5).faults
print(json.dumps([board[["submission", "mean", "n"]].values.tolist(), len(instances), faults]))
"""


@pytest.mark.slow
def test_a_board_of_a_release_is_the_board_of_its_runs(built: Path) -> None:
    runs = ircore.load_results(*(built / "runs" / slug for slug in FINALS))
    released = ircore.load_results(built / "release")
    assert ircore.board(released).equals(ircore.board(runs))
    assert ircore.board(built / "release").equals(ircore.board(released))


@pytest.mark.slow
def test_a_release_on_the_hub_is_read_at_its_tag(
    release: Path, tmp_path: Path, hub: HubServer, ircore_on: Callable[..., Outcome]
) -> None:
    assert ircore_on("release", "push", release, "--repo", "org/irg", "--revision", "v1.0.0").code == 0
    done = run_with_hub(hub, tmp_path / "hf", ["-c", ON_THE_HUB])
    assert done.code == 0, done.err
    board, instances, faults = json.loads(done.out.splitlines()[-1])
    # Finals are 7 and 9 in turn in one run and 5 in the other, 10 of 12 episodes are played.
    assert board == [["centre-block", 8, 10], ["other-block", 5, 10]]
    assert instances == 12
    assert faults == []


@pytest.mark.slow
def test_runs_have_no_revision(built: Path) -> None:
    with pytest.raises(ircore.InputError, match="have no revisions"):
        ircore.load_results(built / "runs" / "centre-block", revision="v1")
