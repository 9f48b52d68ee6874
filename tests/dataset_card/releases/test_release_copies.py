"""A release keeps the descriptors of its renderings, so that later runs are compared without decoding every picture."""

from pathlib import Path

import pytest
from releases import sample_release

from dataset_card.checking.release_check import check_release
from dataset_card.hub.pull import pull_release
from dataset_card.releases.build import BuildPlan, build_release
from dataset_card.releases.files import COPIES
from dataset_card.releases.record import read_release
from ircore.runs.folder import RunFolder
from ircore.submissions.copies import index as copies
from ircore.submissions.copies.index import index_bytes, index_of, look_at, read_index

pytestmark = pytest.mark.slow


def test_descriptors_are_built_once_and_read_ever_after(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    release = sample_release(tmp_path)
    names = sorted(path.name for path in (release / COPIES).iterdir())
    assert {f"{COPIES}/{name}" for name in names} <= set(read_release(release).files)
    assert check_release(release).faults == ()

    pulled = [RunFolder(path) for path in pull_release(release, tmp_path / "pulled").runs]
    assert names == sorted(f"{run.run.run_id}.npz" for run in pulled)
    first = {run.run.run_id: run.rendering(run.episodes()[0].rendered_turns[0].rendering) for run in pulled}  # type: ignore[arg-type]  # a rendered turn

    def fails(picture: object) -> None:
        raise AssertionError("a published picture was decoded")

    monkeypatch.setattr(copies, "look_at", fails)
    for run in pulled:
        known = index_of(run)
        assert len(known.sha256) == len({*known.keys()}) > 0
        look = look_at(first[run.run.run_id])
        assert known.pixels[0] == look.pixels
        assert (known.descriptors[0] == look.descriptor).all()
    # The next release takes them over as they are.
    plan = BuildPlan(previous=release)
    build_release([], tmp_path / "instances", tmp_path / "next", plan)
    for name in names:
        assert (tmp_path / "next" / COPIES / name).read_bytes() == (release / COPIES / name).read_bytes()


def test_descriptors_of_something_else_are_at_fault(tmp_path: Path) -> None:
    release = sample_release(tmp_path)
    first, second = sorted((release / COPIES).iterdir())
    other, known = second.read_bytes(), read_index(second)
    assert known is not None
    second.write_bytes(index_bytes(known._replace(sha256=("0" * 64, *known.sha256[1:]))))
    first.write_bytes(b"no archive")
    (release / COPIES / "nobody.npz").write_bytes(other)
    faults = set(check_release(release).faults)
    assert {
        f"{COPIES}/{first.name}: holds no descriptors",
        f"{COPIES}/{second.name}: is not of the run's renderings",
        f"{COPIES}/nobody.npz: is of no run here",
    } <= faults
