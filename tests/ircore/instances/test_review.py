"""Reviewing a set of targets: what a person accepts becomes the set; the page itself is tested with made figures."""

import json
from pathlib import Path

import pytest

from ircore.commands.main import run
from ircore.instances.requests import ImportRequest
from ircore.instances.review import review_set
from ircore.instances.store import InstanceSet, read_instances
from ircore.instances.visual_genome import import_visual_genome
from ircore.instances.withheld_pictures import may_be_published


@pytest.fixture
def targets(genome: Path, tmp_path: Path) -> InstanceSet:
    """The photographs photos-easy-vg1, of a dog and a ball, and photos-hard-vg2, of forty cups."""
    return import_visual_genome(ImportRequest(genome, tmp_path / "set"))


def saved(path: Path, instances: InstanceSet, **verdicts: str) -> Path:
    """Write the file that the page saves, by difficulty of the photograph."""
    decisions = {
        target.instance_id: {"sha256": target.pictures["target"].sha256, "verdict": verdicts[target.difficulty]}
        for target in instances.instances
        if target.difficulty in verdicts
    }
    path.write_text(json.dumps({"schema": 1, "run": f"set-{instances.identity[:12]}", "decisions": decisions}))
    return path


def test_accepted_photographs_keep_record_and_picture(targets: InstanceSet, tmp_path: Path) -> None:
    decisions = saved(tmp_path / "decisions.json", targets, easy="reject", hard="accept")
    assert run(["instances", "accept", str(targets.folder), str(decisions), "--out", str(tmp_path / "accepted")]) == 0
    accepted = read_instances(tmp_path / "accepted")
    assert accepted.instances == targets.instances[1:]
    assert not may_be_published(accepted.instances[0].licence)
    assert accepted.picture_bytes(accepted.instances[0], "target") == targets.picture_bytes(
        targets.instances[1], "target"
    )


def test_where_nothing_is_accepted_there_is_no_set(
    targets: InstanceSet, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    decisions = saved(tmp_path / "decisions.json", targets, easy="reject")
    assert run(["instances", "accept", str(targets.folder), str(decisions), "--out", str(tmp_path / "accepted")]) == 2
    assert "accepts no picture" in capsys.readouterr().err
    assert not (tmp_path / "accepted").exists()


def test_decisions_on_another_set_are_refused(
    targets: InstanceSet, instances: InstanceSet, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    decisions = saved(tmp_path / "decisions.json", targets, easy="accept")
    other = ["instances", "accept", str(instances.folder), str(decisions), "--out", str(tmp_path / "accepted")]
    assert run(other) == 2
    assert f"run: the decisions are on set-{targets.identity[:12]}" in capsys.readouterr().err


def test_a_set_of_drawn_targets_is_reviewed_too(instances: InstanceSet, tmp_path: Path) -> None:
    assert review_set(instances, tmp_path / "review") == len(instances.instances)
    for target in instances.instances:
        assert (tmp_path / "review" / f"{target.instance_id}.png").read_bytes() == instances.picture_bytes(
            target, "target"
        )
