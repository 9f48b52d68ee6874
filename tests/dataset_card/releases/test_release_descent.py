"""A release carries on the published one: nothing is lost, nothing withdrawn comes back.

The real client pushes to a Hub-compatible server; races are real processes.
"""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hub_clients import Outcome, published, refusal
from hub_server import File, HubServer
from releases import contents, rate_first, run_id_of

from dataset_card.releases.record import Parent, read_release
from ircore.core.submission_records import Withdrawal, WithdrawalKind, format_decisions
from ircore.runs.folder import RunFolder

pytestmark = pytest.mark.slow

REPO = "org/irg"
COMMIT = r"POST /api/datasets/org/irg/commit/main"
Run = Callable[..., Outcome]
Build = Callable[..., Path]


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


@pytest.mark.parametrize("former", ["folder", "repository"])
def test_a_release_that_carries_the_published_one_on_is_pushed(
    former: str, three_runs: Path, build_upon: Build, push: Run, hub: HubServer
) -> None:
    first = build_upon("first", "centre-block")
    assert push(first).code == 0
    second = build_upon("second", "other-block", former=first if former == "folder" else REPO)
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
