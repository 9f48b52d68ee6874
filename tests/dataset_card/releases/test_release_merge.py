"""A release carries on the published one, and two that do become one: which runs, rows and decisions hold."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hub_clients import Outcome, published, refusal
from hub_server import File, HubServer
from releases import contents, copy_inputs, play_rated, rate_first, run_id_of, table, tables
from samples import sample_instances

from dataset_card.checking.release_check import check_release
from dataset_card.releases.build import BuildPlan, build_release
from dataset_card.releases.merge import merge_releases
from dataset_card.releases.record import Parent, read_release
from dataset_card.releases.stored_release import StoredRelease
from dataset_card.tables.schema import SCORES
from ircore.core.errors import WorkError
from ircore.core.submission_records import Withdrawal, WithdrawalKind, format_decisions
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
        patch.setattr("dataset_card.tables.writing.LAYOUT", 1)
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
    renamed = read_release(second).model_copy(update={"parent": Parent(release="another")})
    (second / "release.json").write_text(renamed.model_dump_json(by_alias=True))
    assert "release.json: its parent is not the release before it in its history" in check_release(second).faults


REPO = "org/irg"
COMMIT = r"POST /api/datasets/org/irg/commit/main"
Run = Callable[..., Outcome]


def decision(three_runs: Path, slug: str, kind: WithdrawalKind = "withdrawn", date: str = "2100-01-01") -> Withdrawal:
    why = "the wrong model was asked"
    return Withdrawal(slug=slug, run_id=run_id_of(three_runs, slug), kind=kind, reason=why, date=date)


def published_pairs(hub: HubServer) -> set[str]:
    """Return the slugs of the runs that the newest commit holds."""
    return {json.loads(line)["slug"] for line in published(hub, REPO)["runs.jsonl"].splitlines()}


def test_a_release_names_the_release_and_the_commit_that_it_was_built_upon(
    build_upon: Build, push: Run, hub: HubServer
) -> None:
    first = build_upon("first", "centre-block")
    name = read_release(first).name
    assert read_release(first).parent is None
    assert push(first).code == 0
    upon_folder = read_release(build_upon("upon folder", "other-block", former=first))
    upon_commit = read_release(build_upon("upon commit", "other-block", former=REPO))
    assert upon_folder.parent == Parent(release=name)
    assert upon_commit.parent == Parent(release=name, commit=hub.repos[REPO].head)
    assert upon_folder.content == upon_commit.content


def test_a_release_that_carries_the_published_one_on_is_pushed(build_upon: Build, push: Run, hub: HubServer) -> None:
    first = build_upon("first", "centre-block")
    assert push(first).code == 0
    second = build_upon("second", "other-block", former=first)
    third = build_upon("third", "third-block", former=second)  # two steps at once are fine too
    done = push(third)
    assert done.code == 0, done.err
    assert published_pairs(hub) == {"centre-block", "other-block", "third-block"}
    again = push(third)
    assert again.code == 0
    assert "is there already with the same files" in again.err
    assert len(hub.repos[REPO].titles) == 3  # the repository's first commit and two releases


def test_a_release_that_knows_nothing_of_the_published_one_is_refused(
    three_runs: Path, build_upon: Build, push: Run, hub: HubServer
) -> None:
    """The case that was seen: a pair's run vanished, a withdrawn one came back."""
    first = build_upon("first", "centre-block", "other-block")
    assert push(first).code == 0
    gone = (decision(three_runs, "other-block"),)
    assert push(build_upon("second", former=REPO, gone=gone)).code == 0
    before, tags = published(hub, REPO), dict(hub.repos[REPO].tags)
    stranger = build_upon("stranger", "other-block", "third-block")
    unmerged = contents(stranger)
    for options in ([], ["--dry-run"], ["--revision", "v3"]):
        done = push(stranger, *options)
        name = read_release(three_runs / "second").name
        assert refusal(done) == (
            f"ircore: org/irg: {stranger} was not built upon the newest release there, {name}: "
            f"run {run_id_of(three_runs, 'centre-block')} would vanish; "
            f"withdrawn run {run_id_of(three_runs, 'other-block')} would come back"
        )
        assert "--rebase" in done.err
        assert "--former org/irg" in done.err
    assert (published(hub, REPO), hub.repos[REPO].tags) == (before, tags)
    # What was pushed before the withdrawal is not pushed again over it either, under whatever name.
    assert f"run {run_id_of(three_runs, 'other-block')} would come back" in refusal(push(first, "--revision", "v4"))
    preview = push(stranger, "--rebase", "--dry-run").out.splitlines()
    assert preview[0] == f"{stranger}: would be merged with the newest release there"
    assert contents(stranger) == unmerged
    done = push(stranger, "--rebase")
    assert done.code == 0, done.err
    assert f"run {gone[0].run_id} stays out until reinstated: withdrawn on 2100-01-01" in done.err
    assert published_pairs(hub) == {"centre-block", "third-block"}
    assert published(hub, REPO)["tombstones.jsonl"] == format_decisions(gone).encode()
    assert published(hub, REPO) == contents(stranger), "The folder is the merged release now."
    assert read_release(stranger).parent == Parent(release=name, commit=tags[name])
    assert hub.repos[REPO].tags[read_release(stranger).name] == hub.repos[REPO].head


def test_a_release_of_the_same_runs_without_the_history_is_refused(build_upon: Build, push: Run) -> None:
    assert push(build_upon("first", "centre-block")).code == 0
    assert push(build_upon("second", "other-block", former=REPO)).code == 0
    assert "its history would be lost" in refusal(push(build_upon("all", "centre-block", "other-block", "third-block")))


def test_a_release_that_comes_between_reading_and_committing_is_not_overwritten(
    three_runs: Path, build_upon: Build, push: Run, hub: HubServer
) -> None:
    assert push(build_upon("first", "centre-block")).code == 0
    repo = hub.repos[REPO]
    mine, theirs = (build_upon(slug, slug, former=REPO) for slug in ("other-block", "third-block"))
    tree = {name: File(data, name.endswith(".parquet")) for name, data in contents(theirs).items()}
    hub.fail(COMMIT, meanwhile=lambda: repo.commit("theirs", tree))
    assert f"run {run_id_of(three_runs, 'third-block')} would vanish" in refusal(push(mine))
    assert repo.titles[-1] == "theirs"
    assert published(hub, REPO) == contents(theirs)


def test_a_file_that_was_edited_there_after_the_build_is_not_overwritten(
    build_upon: Build, push: Run, hub: HubServer
) -> None:
    assert push(build_upon("first", "centre-block")).code == 0
    second = build_upon("second", "other-block", former=REPO)
    repo = hub.repos[REPO]
    card = repo.tree["README.md"].data + b"\nAsk if in doubt.\n"
    edited = {"README.md": File(card, False), "notes.txt": File(b"mine", False)}
    repo.commit("by hand", repo.tree | edited)
    assert refusal(push(second)) == "ircore: org/irg: README.md was changed by another commit meanwhile"
    done = push(second, "--rebase")
    assert done.code == 0, done.err
    assert published(hub, REPO) == contents(second) | {"notes.txt": b"mine"}


def test_a_commit_that_the_repository_has_no_more_is_not_built_upon(
    build_upon: Build, push: Run, hub: HubServer
) -> None:
    assert push(build_upon("first", "centre-block")).code == 0
    second = build_upon("second", "other-block", former=REPO)
    gone, files = hub.repos[REPO].head, published(hub, REPO)
    hub.add_repo(REPO, files=files)  # the same release in a repository that was made anew
    assert refusal(push(second)) == f"ircore: org/irg: commit {gone}, which the release was built upon, is not there"
    assert push(second, "--rebase").code == 0
    assert published(hub, REPO) == contents(second)


def test_files_that_the_release_has_no_more_go_and_those_of_the_maintainers_stay(
    three_runs: Path, build_upon: Build, push: Run, hub: HubServer
) -> None:
    first = build_upon("first", "centre-block", "other-block")
    disputed = build_upon("second", former=first, gone=(decision(three_runs, "other-block", "disputed"),))
    # As a version of this project would that had one more picture in its card.
    document = json.loads((disputed / "release.json").read_text())
    document["files"].append("assets/more.png")
    (disputed / "release.json").write_text(json.dumps(document))
    assert push(disputed).code == 0
    repo = hub.repos[REPO]
    own = {name: File(b"theirs", False) for name in ("notes.txt", "assets/logo.png", "data/extra/test.parquet")}
    repo.commit("by others", repo.tree | own | {"assets/more.png": File(b"old", False)})
    assert "tombstones.jsonl" in published(hub, REPO)
    settled = build_upon("third", former=REPO, gone=(decision(three_runs, "other-block"),))
    done = push(settled, "--dry-run")
    gone = [line.split()[1] for line in done.out.splitlines() if line.startswith("  removed ")]
    withdrawn = run_id_of(three_runs, "other-block")
    names = ("calls", "dialogues", "episodes", "scores", "transcripts")
    tables = [f"data/{name}/test-{withdrawn}-00000-of-00001.parquet" for name in names]
    assert gone == ["assets/more.png", f"copies/{withdrawn}.npz", *tables]
    assert push(settled).code == 0
    assert published(hub, REPO) == contents(settled) | dict.fromkeys(own, b"theirs")
    assert ".gitattributes" in repo.tree
    # A dispute that is over leaves no tombstone, and no file of them.
    over = build_upon("fourth", former=disputed, gone=())
    assert not (over / "tombstones.jsonl").exists()


def test_a_rebase_that_cannot_be_done_leaves_everything_as_it_was(
    three_runs: Path, build_upon: Build, push: Run, hub: HubServer
) -> None:
    assert push(build_upon("first", "centre-block", "other-block")).code == 0
    run = RunFolder(three_runs / "runs" / "other-block")
    for name, value in (("mine", 2.0), ("theirs", 3.0)):
        rate_first(run, value)
        build_upon(name, "other-block", former=REPO)
    assert push(three_runs / "theirs").code == 0
    before = contents(three_runs / "mine"), published(hub, REPO)
    done = push(three_runs / "mine", "--rebase")
    assert refusal(done).startswith(
        f"ircore: {three_runs / 'mine'}: holds run {run.run.run_id} with another content than "
    )
    assert (contents(three_runs / "mine"), published(hub, REPO)) == before
    assert sorted(path.name for path in three_runs.iterdir() if path.name.startswith(".")) == []
