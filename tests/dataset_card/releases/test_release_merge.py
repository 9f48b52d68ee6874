"""Two releases that carry the same one on become one: which runs, rows and decisions hold."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from releases import contents, copy_inputs, play_rated, rate_first, run_id_of, table, tables
from samples import sample_instances

from dataset_card.checking.release_check import check_release
from dataset_card.releases.build import BuildPlan, build_release
from dataset_card.releases.merge import merge_releases
from dataset_card.releases.record import Parent, ReleaseRecord, read_release
from dataset_card.releases.stored_release import StoredRelease
from dataset_card.tables.schema import SCORES
from ircore.core.errors import WorkError
from ircore.core.submission_records import Withdrawal, WithdrawalKind
from ircore.instances.store import read_instances
from ircore.runs.folder import RunFolder
from ircore.runs.provenance import Provenance, write_provenance

pytestmark = pytest.mark.slow

Build = Callable[..., Path]
Merge = Callable[[str, str], Path]


@pytest.fixture
def inputs(built: Path, tmp_path: Path) -> Path:
    """Instances, two runs that the sample release has, and a third one."""
    return copy_inputs(built, tmp_path)


@pytest.fixture
def merge(inputs: Path) -> Merge:
    """Merge the release MINE into the release HEAD, and return the sound result."""

    def made(mine: str, head: str) -> Path:
        out = inputs / f"{mine} in {head}"
        instances = read_instances(inputs / "instances")
        merge_releases(StoredRelease(inputs / mine), StoredRelease(inputs / head), {instances.identity: instances}, out)
        assert check_release(out).faults == ()
        return out

    return made


@pytest.fixture
def base(built: Path, inputs: Path) -> Path:
    """A release of the runs ``centre-block`` and ``other-block``."""
    return shutil.copytree(built / "release", inputs / "base")


def first_scores(release: Path, slug: str) -> set[object]:
    rows = table(release, SCORES)
    return {row["value"] for row in rows if (row["submission"], row["step"]) == (slug, 1)}


def pairs(release: Path) -> set[str]:
    return {run.slug for run in StoredRelease(release).runs.values()}


def kinds(release: Path) -> dict[str | None, str]:
    return {tombstone.run_id: tombstone.kind for tombstone in StoredRelease(release).tombstones}


def said(kind: WithdrawalKind, date: str = "2100-01-01", slug: str = "other-block") -> Withdrawal:
    return Withdrawal(slug=slug, kind=kind, reason=f"{kind} for a test", date=date)


def test_a_merge_holds_the_runs_of_both_whichever_is_merged_into_which(
    inputs: Path, build: Build, merge: Merge
) -> None:
    build("base", "centre-block")
    build("mine", "third-block", former="base")
    build("head", "other-block", former="base")
    at_once = build("at once", "centre-block", "other-block", "third-block")
    merged, other_way = merge("mine", "head"), merge("head", "mine")
    assert tables(merged) == tables(other_way) == tables(at_once)
    assert read_release(merged).name == read_release(at_once).name
    record = read_release(merged)
    assert record.parent == Parent(release=read_release(inputs / "head").name)
    assert record.history[1:] == read_release(inputs / "head").history
    assert [note.slug for note in record.history[0].added] == ["third-block"]


def test_what_the_head_has_already_merges_into_the_head_itself(inputs: Path, build: Build, merge: Merge) -> None:
    build("mine", "centre-block")
    head = build("head", "other-block", former="mine")
    assert contents(merge("mine", "head")) == contents(head)


@pytest.mark.usefixtures("base")
def test_a_run_that_one_side_scored_again_has_the_new_scores(inputs: Path, build: Build, merge: Merge) -> None:
    build("head", "third-block", former="base")
    rate_first(RunFolder(inputs / "runs" / "other-block"), 2)
    build("mine", "other-block", former="base")
    for merged in (merge("mine", "head"), merge("head", "mine")):
        assert first_scores(merged, "other-block") == {2.0}
        assert pairs(merged) == {"centre-block", "other-block", "third-block"}


@pytest.mark.usefixtures("base")
def test_a_run_that_both_scored_again_in_the_same_way_is_no_conflict(inputs: Path, build: Build, merge: Merge) -> None:
    rate_first(RunFolder(inputs / "runs" / "other-block"), 2)
    build("mine", "other-block", former="base")
    build("head", "other-block", "third-block", former="base")
    assert first_scores(merge("mine", "head"), "other-block") == {2.0}


@pytest.mark.usefixtures("base")
def test_a_run_that_both_scored_again_otherwise_is_refused(inputs: Path, build: Build, merge: Merge) -> None:
    for side, value in (("mine", 2), ("head", 3)):
        rate_first(RunFolder(inputs / "runs" / "other-block"), value)
        build(side, "other-block", former="base")
    with pytest.raises(WorkError, match=f"holds run {run_id_of(inputs, 'other-block')} with another content than"):
        merge("mine", "head")


def test_two_runs_of_a_pair_under_the_same_rules_are_refused_unless_one_was_corrected(
    inputs: Path, build: Build, merge: Merge
) -> None:
    build("base", "centre-block")
    build("head", "other-block", former="base")
    old = run_id_of(inputs, "other-block")
    shutil.rmtree(inputs / "runs" / "other-block")
    new = play_rated(
        inputs / "runs" / "other-block", read_instances(inputs / "instances"), "other-block", "Other, mended"
    )
    build("mine", "other-block", former="base")
    with pytest.raises(WorkError, match=f"holds run {new.run.run_id}, and .* has {old} of the same submission"):
        merge("mine", "head")
    build("corrected", "other-block", former="head", withdrawals=[said("corrected").model_copy(update={"run_id": old})])
    merged = merge("corrected", "head")
    assert StoredRelease(merged).runs.keys() == {run_id_of(inputs, "centre-block"), new.run.run_id}
    assert kinds(merged) == {old: "corrected"}


@pytest.mark.usefixtures("base")
def test_a_run_that_one_side_withdrew_stays_away(inputs: Path, build: Build, merge: Merge) -> None:
    build("mine", former="base", withdrawals=[said("withdrawn")])
    build("head", "third-block", former="base", withdrawals=[said("disputed"), said("disputed", slug="third-block")])
    gone, doubted = run_id_of(inputs, "other-block"), run_id_of(inputs, "third-block")
    for merged in (merge("mine", "head"), merge("head", "mine")):
        assert pairs(merged) == {"centre-block", "third-block"}
        assert kinds(merged) == {gone: "withdrawn", doubted: "disputed"}


def test_the_withdrawals_of_both_hold(inputs: Path, build: Build, merge: Merge) -> None:
    build("base", "centre-block", "other-block", "third-block")
    build("mine", former="base", withdrawals=[said("withdrawn")])
    build("head", former="base", withdrawals=[said("withdrawn", slug="third-block")])
    merged = merge("mine", "head")
    assert pairs(merged) == {"centre-block"}
    assert set(kinds(merged).values()) == {"withdrawn"}
    assert len(kinds(merged)) == 2


@pytest.mark.usefixtures("base")
def test_a_run_that_one_side_reinstated_comes_back(inputs: Path, build: Build, merge: Merge) -> None:
    gone, back = said("withdrawn"), said("reinstated")
    build("second", former="base", withdrawals=[gone])
    build("mine", "other-block", former="second", withdrawals=[gone, back])
    build("head", "third-block", former="second", withdrawals=[gone])
    for merged in (merge("mine", "head"), merge("head", "mine")):
        assert pairs(merged) == {"centre-block", "other-block", "third-block"}
        assert kinds(merged) == {run_id_of(inputs, "other-block"): "reinstated"}


@pytest.mark.usefixtures("base")
def test_a_run_that_was_reinstated_and_withdrawn_once_more_stays_away(build: Build, merge: Merge) -> None:
    gone, back = said("withdrawn"), said("reinstated")
    build("second", former="base", withdrawals=[gone])
    build("third", "other-block", former="second", withdrawals=[gone, back])
    build("mine", "third-block", former="third")
    build("head", former="third", withdrawals=[said("withdrawn", "2100-01-02")])
    assert pairs(merge("mine", "head")) == {"centre-block", "third-block"}
    assert pairs(merge("head", "mine")) == {"centre-block", "third-block"}


@pytest.mark.usefixtures("base")
def test_a_run_that_one_withdrew_and_the_other_withdrew_and_reinstated_stays_away(build: Build, merge: Merge) -> None:
    gone, back = said("withdrawn"), said("reinstated")
    build("mine", "third-block", former="base", withdrawals=[gone])
    build("first", former="base", withdrawals=[gone])
    build("head", "other-block", former="first", withdrawals=[gone, back])
    assert pairs(merge("mine", "head")) == pairs(merge("head", "mine")) == {"centre-block", "third-block"}


def test_who_vouches_for_a_run_is_kept(inputs: Path, build: Build, merge: Merge) -> None:
    build("base", "centre-block")
    build("head", "third-block", former="base")
    vouched = Provenance(kind="maintainers", when="2026-12-01T00:00:00Z", version="1", manifest="0" * 64)
    write_provenance(inputs / "runs" / "centre-block", vouched)
    build("mine", "centre-block", former="base")
    for merged in (merge("mine", "head"), merge("head", "mine")):
        assert StoredRelease(merged).provenance == {run_id_of(inputs, "centre-block"): vouched}


def test_previews_that_either_has_are_those_of_all(inputs: Path, build: Build, merge: Merge) -> None:
    build("base", "centre-block")
    build("mine", "third-block", former="base", previews=True)
    build("head", "other-block", former="base")
    shown = [name for name in tables(merge("mine", "head")) if name.startswith("data/previews/")]
    assert len(shown) == 3


def test_releases_of_different_layouts_are_merged_in_the_newer_one(
    inputs: Path, build: Build, merge: Merge, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("dataset_card.tables.parts.LAYOUT", 1)
        build("base", "centre-block")
        build("head", "other-block", former="base")
    build("mine", "third-block", former="base")
    merged = merge("mine", "head")
    assert pairs(merged) == {"centre-block", "other-block", "third-block"}
    assert read_release(merged).layout == read_release(inputs / "mine").layout


def test_releases_of_other_targets_are_not_merged(inputs: Path, build: Build, merge: Merge) -> None:
    build("mine", "centre-block")
    other = sample_instances(inputs / "other", per_condition=2)
    run = play_rated(inputs / "runs" / "new", other, "new")
    build_release([run.path], other.folder, inputs / "head", BuildPlan(previous=inputs / "mine"))
    with pytest.raises(WorkError, match="is of other targets than"):
        merge("mine", "head")


def test_a_parent_that_the_history_does_not_know_is_a_fault(build: Build) -> None:
    build("first", "centre-block")
    second = build("second", "other-block", former="first")

    def renamed(record: ReleaseRecord) -> ReleaseRecord:
        return record.model_copy(update={"parent": Parent(release="another")})

    (second / "release.json").write_text(renamed(read_release(second)).model_dump_json(by_alias=True))
    assert "release.json: its parent is not the release before it in its history" in check_release(second).faults
