"""A release carries on the published one: nothing is lost, nothing withdrawn comes back, nothing half is tagged.

The real client pushes to a Hub-compatible server; races and kills are real processes.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hub_clients import HubClient, Outcome, environment_for
from hub_server import DroppedError, File, HubServer, Tree
from releases import contents
from samples import sample_run, sample_submission

from dataset_card.releases.record import Parent, read_release
from ircore.instances.store import read_instances
from ircore.lifecycle import Withdrawal, WithdrawalKind, withdrawal_lines
from ircore.records import Score
from ircore.runs import RunFolder

REPO = "org/irg"
COMMIT = r"POST /api/datasets/org/irg/commit/main"
TAG = r"POST /api/datasets/org/irg/tag"

Run = Callable[..., Outcome]
Build = Callable[..., Path]


@pytest.fixture
def inputs(built: Path, tmp_path: Path) -> Path:
    """Instances, two runs that the sample release has, and a third one."""
    shutil.copytree(built / "instances", tmp_path / "instances")
    shutil.copytree(built / "runs", tmp_path / "runs")
    play(tmp_path, "third-block")
    return tmp_path


@pytest.fixture
def build(inputs: Path, ircore_on: Run) -> Build:
    """Build a release NAME of some runs, upon a former one, with the command."""

    def made(name: str, *slugs: str, former: object = None, gone: tuple[Withdrawal, ...] | None = None) -> Path:
        options: list[object] = [] if former is None else ["--former", former]
        if gone is not None:
            (inputs / "gone.jsonl").write_text(withdrawal_lines(gone))
            options += ["--withdrawals", inputs / "gone.jsonl"]
        options += [word for slug in slugs for word in ("--runs", inputs / "runs" / slug)]
        done = ircore_on("release", "build", *options, "--instances", inputs / "instances", "--out", inputs / name)
        assert done.code == 0, done.err
        return inputs / name

    return made


@pytest.fixture
def push(ircore_on: Run) -> Run:
    """Push a release."""
    return lambda folder, *options: ircore_on("release", "push", folder, "--repo", REPO, *options)


def play(inputs: Path, slug: str, name: str | None = None) -> RunFolder:
    """Play a pair and let the judge rate every first rendering 6."""
    run = sample_run(
        inputs / "runs" / slug, read_instances(inputs / "instances"), sample_submission(slug, name or slug)
    )
    rate(run, 6)
    return run


def rate(run: RunFolder, value: float) -> None:
    """Let the judge give every first rendering of a run a similarity."""
    run.add_scores(
        Score(episode_id=one.episode_id, turn=1, task="similarity", judge="eye", value=value, rendering=drawn.sha256)
        for one in run.episodes()
        if one.turns and (drawn := one.turns[0].rendering)
    )


def run_id(inputs: Path, slug: str) -> str:
    return RunFolder.open(inputs / "runs" / slug).run.run_id


def decision(inputs: Path, slug: str, kind: WithdrawalKind = "withdrawn", date: str = "2100-01-01") -> Withdrawal:
    why = "the wrong model was asked"
    return Withdrawal(slug=slug, run_id=run_id(inputs, slug), kind=kind, reason=why, date=date)


def published(hub: HubServer, revision: str = "main") -> dict[str, bytes]:
    """Return the files of the repository that are not its own."""
    repo = hub.repos[REPO]
    return {path: file.data for path, file in repo.commits[repo.revision(revision)].items() if path != ".gitattributes"}


def published_pairs(hub: HubServer) -> set[str]:
    """Return the slugs of the runs that the newest commit holds."""
    return {json.loads(line)["slug"] for line in published(hub)["runs.jsonl"].splitlines()}


def refusal(done: Outcome) -> str:
    """Return the line that says why a push was refused."""
    assert (done.code, done.out) == (1, "")
    assert "Traceback" not in done.err
    return next(line for line in done.err.splitlines() if line.startswith("ircore: "))


def test_a_release_names_the_release_and_the_commit_that_it_was_built_upon(
    build: Build, push: Run, hub: HubServer
) -> None:
    first = build("first", "centre-block")
    name = read_release(first).name
    assert read_release(first).parent is None

    assert push(first).code == 0
    upon_folder = read_release(build("upon folder", "other-block", former=first))
    upon_commit = read_release(build("upon commit", "other-block", former=REPO))
    assert upon_folder.parent == Parent(release=name)
    assert upon_commit.parent == Parent(release=name, commit=hub.repos[REPO].head)
    assert upon_folder.content == upon_commit.content


@pytest.mark.parametrize("former", ["folder", "repository"])
def test_a_release_that_carries_the_published_one_on_is_pushed(
    former: str, inputs: Path, build: Build, push: Run, hub: HubServer
) -> None:
    first = build("first", "centre-block")
    assert push(first).code == 0
    second = build("second", "other-block", former=first if former == "folder" else REPO)
    third = build("third", "third-block", former=second)  # two steps at once are fine too

    done = push(third)

    assert done.code == 0, done.err
    assert published_pairs(hub) == {"centre-block", "other-block", "third-block"}
    again = push(third)
    assert again.code == 0
    assert "is there already with the same files" in again.err
    assert len(hub.repos[REPO].titles) == 3  # the repository's first commit and two releases


def test_a_release_that_knows_nothing_of_the_published_one_is_refused(
    inputs: Path, build: Build, push: Run, hub: HubServer
) -> None:
    """The case that was seen: a pair's run vanished, a withdrawn one came back."""
    first = build("first", "centre-block", "other-block")
    assert push(first).code == 0
    gone = (decision(inputs, "other-block"),)
    assert push(build("second", former=REPO, gone=gone)).code == 0
    before, tags = published(hub), dict(hub.repos[REPO].tags)
    stranger = build("stranger", "other-block", "third-block")

    for options in ([], ["--dry-run"], ["--revision", "v3"]):
        done = push(stranger, *options)
        name = read_release(inputs / "second").name
        assert refusal(done) == (
            f"ircore: org/irg: {stranger} was not built upon the newest release there, {name}: "
            f"run {run_id(inputs, 'centre-block')} would vanish; "
            f"withdrawn run {run_id(inputs, 'other-block')} would come back"
        )
        assert "--rebase" in done.err
        assert "--former org/irg" in done.err
    assert (published(hub), hub.repos[REPO].tags) == (before, tags)

    # What was pushed before the withdrawal is not pushed again over it either, under whatever name.
    assert f"run {run_id(inputs, 'other-block')} would come back" in refusal(push(first, "--revision", "v4"))

    done = push(stranger, "--rebase")
    assert done.code == 0, done.err
    assert published_pairs(hub) == {"centre-block", "third-block"}
    assert published(hub)["tombstones.jsonl"] == withdrawal_lines(gone).encode()
    assert published(hub) == contents(stranger), "The folder is the merged release now."
    assert read_release(stranger).parent == Parent(release=name, commit=tags[name])
    assert hub.repos[REPO].tags[read_release(stranger).name] == hub.repos[REPO].head


def test_a_release_of_the_same_runs_without_the_history_is_refused(build: Build, push: Run) -> None:
    assert push(build("first", "centre-block")).code == 0
    assert push(build("second", "other-block", former=REPO)).code == 0
    assert "its history would be lost" in refusal(push(build("all", "centre-block", "other-block", "third-block")))


def test_of_two_pushes_at_once_one_is_refused_and_a_rebase_brings_both(
    inputs: Path, build: Build, push: Run, hub: HubServer, hub_client: HubClient
) -> None:
    assert push(build("first", "centre-block")).code == 0
    releases = [build(f"with {slug}", slug, former=REPO) for slug in ("other-block", "third-block")]

    command = [sys.executable, "-m", "ircore", "release", "push"]
    racers = [
        subprocess.Popen(
            [*command, str(release), "--repo", REPO],
            env=environment_for(hub, hub_client.home), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        for release in releases
    ]  # fmt: skip
    ends = [racer.communicate(timeout=300)[1] for racer in racers]

    codes = [racer.returncode for racer in racers]
    assert sorted(codes) == [0, 1], ends
    lost = codes.index(1)
    winner = run_id(inputs, ("third-block", "other-block")[lost])
    assert f"run {winner} would vanish" in ends[lost]
    assert len(published_pairs(hub)) == 2

    done = push(releases[lost], "--rebase")
    assert done.code == 0, done.err
    assert published_pairs(hub) == {"centre-block", "other-block", "third-block"}
    assert len(hub.repos[REPO].tags) == 3


def test_a_release_that_comes_between_reading_and_committing_is_not_overwritten(
    inputs: Path, build: Build, push: Run, hub: HubServer
) -> None:
    assert push(build("first", "centre-block")).code == 0
    repo = hub.repos[REPO]
    mine, theirs = (build(slug, slug, former=REPO) for slug in ("other-block", "third-block"))
    tree = {name: File(data, name.endswith(".parquet")) for name, data in contents(theirs).items()}
    hub.fail(COMMIT, meanwhile=lambda: repo.commit("theirs", tree))

    assert f"run {run_id(inputs, 'third-block')} would vanish" in refusal(push(mine))
    assert repo.titles[-1] == "theirs"
    assert published(hub) == contents(theirs)


def test_a_file_that_was_edited_there_after_the_build_is_not_overwritten(
    build: Build, push: Run, hub: HubServer
) -> None:
    assert push(build("first", "centre-block")).code == 0
    second = build("second", "other-block", former=REPO)
    repo = hub.repos[REPO]
    card = repo.tree["README.md"].data + b"\nAsk if in doubt.\n"
    edited = {"README.md": File(card, False), "notes.txt": File(b"mine", False)}
    repo.commit("by hand", repo.tree | edited)

    assert refusal(push(second)) == "ircore: org/irg: README.md was changed by another commit meanwhile"
    done = push(second, "--rebase")
    assert done.code == 0, done.err
    assert published(hub) == contents(second) | {"notes.txt": b"mine"}


def test_a_release_of_an_earlier_layout_names_no_parent_and_is_carried_on(
    build: Build, push: Run, hub: HubServer
) -> None:
    first = build("first", "centre-block")
    document = json.loads((first / "release.json").read_text())
    for name in ("parent", "files"):
        del document[name]
    (first / "release.json").write_text(json.dumps(document))
    assert read_release(first).parent is None
    assert push(first).code == 0

    done = push(build("second", "other-block", former=REPO))
    assert done.code == 0, done.err
    assert "would vanish" in refusal(push(build("stranger", "third-block")))


def test_files_that_the_release_has_no_more_go_and_those_of_the_maintainers_stay(
    inputs: Path, build: Build, push: Run, hub: HubServer
) -> None:
    first = build("first", "centre-block", "other-block")
    disputed = build("second", former=first, gone=(decision(inputs, "other-block", "disputed"),))
    # As a version of this project would that had one more picture in its card.
    document = json.loads((disputed / "release.json").read_text())
    document["files"].append("assets/more.png")
    (disputed / "release.json").write_text(json.dumps(document))
    assert push(disputed).code == 0
    repo = hub.repos[REPO]
    own = {name: File(b"theirs", False) for name in ("notes.txt", "assets/logo.png", "data/extra/test.parquet")}
    repo.commit("by others", repo.tree | own | {"assets/more.png": File(b"old", False)})
    assert "tombstones.jsonl" in published(hub)

    settled = build("third", former=REPO, gone=(decision(inputs, "other-block"),))
    done = push(settled, "--dry-run")
    gone = [line.split()[1] for line in done.out.splitlines() if line.startswith("  removed ")]
    withdrawn = run_id(inputs, "other-block")
    tables = [f"data/{name}/test-{withdrawn}-00000-of-00001.parquet" for name in ("episodes", "scores", "transcripts")]
    assert gone == ["assets/more.png", *tables]
    assert push(settled).code == 0
    assert published(hub) == contents(settled) | dict.fromkeys(own, b"theirs")
    assert ".gitattributes" in repo.tree

    # A dispute that is over leaves no tombstone, and no file of them.
    over = build("fourth", former=disputed, gone=())
    assert not (over / "tombstones.jsonl").exists()


def test_tombstones_go_from_the_repository_when_the_release_has_none(
    inputs: Path, build: Build, push: Run, hub: HubServer
) -> None:
    first = build("first", "centre-block", "other-block")
    assert push(build("second", former=first, gone=(decision(inputs, "other-block", "disputed"),))).code == 0
    assert "tombstones.jsonl" in published(hub)
    assert push(build("third", former=REPO, gone=())).code == 0
    assert "tombstones.jsonl" not in published(hub)


def test_a_tombstone_survives_pull_build_and_push(
    inputs: Path, build: Build, push: Run, ircore_on: Run, hub: HubServer
) -> None:
    gone = (decision(inputs, "other-block"),)
    assert push(build("first", "centre-block", "other-block")).code == 0
    assert push(build("second", former=REPO, gone=gone)).code == 0

    def rebuilt(*options: object) -> Path:
        shutil.rmtree(inputs / "pulled", ignore_errors=True)
        shutil.rmtree(inputs / "built", ignore_errors=True)
        assert ircore_on("release", "pull", REPO, "--out", inputs / "pulled").code == 0
        (run,) = (inputs / "pulled" / "runs").iterdir()
        common = ("--instances", inputs / "pulled" / "instances", "--out", inputs / "built")
        given = ("--runs", run, "--runs", inputs / "runs" / "third-block", "--runs", inputs / "runs" / "other-block")
        assert ircore_on("release", "build", *given, *common, *options).code == 0
        return inputs / "built"

    alone = rebuilt()
    assert f"withdrawn run {gone[0].run_id} would come back" in refusal(push(alone))
    upon = rebuilt("--former", REPO)
    assert push(upon).code == 0
    assert published_pairs(hub) == {"centre-block", "third-block"}
    assert published(hub)["tombstones.jsonl"] == withdrawal_lines(gone).encode()


def test_a_push_that_was_killed_before_the_tag_is_taken_up_by_the_same_command(
    build: Build, push: Run, hub: HubServer, hub_client: HubClient
) -> None:
    assert push(build("first", "centre-block")).code == 0
    second = build("second", "other-block", former=REPO)
    command = [sys.executable, "-m", "ircore", "release", "push", str(second), "--repo", REPO]
    killed = subprocess.Popen(command, env=environment_for(hub, hub_client.home), stderr=subprocess.DEVNULL)
    hub.fail(TAG, DroppedError(), meanwhile=lambda: os.kill(killed.pid, signal.SIGKILL))
    assert killed.wait(timeout=300) == -signal.SIGKILL
    repo = hub.repos[REPO]
    head = repo.head
    assert published(hub) == contents(second)
    assert len(repo.tags) == 1

    done = push(second)

    assert done.code == 0, done.err
    assert repo.tags[read_release(second).name] == repo.head == head


def lose(tree: Tree) -> None:
    del tree["judges.jsonl"]


def damage_small(tree: Tree) -> None:
    tree["runs.jsonl"] = File(tree["runs.jsonl"].data.replace(b"1", b"2", 1), False)


def damage_large(tree: Tree) -> None:
    name = "data/leaderboard/test-00000-of-00001.parquet"
    tree[name] = File(tree[name].data[:-1] + b"x", True)


def cut(tree: Tree) -> None:
    name = "assets/targets.png"
    tree[name] = File(tree[name].data[:100], True)


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lose, "judges.jsonl is missing"),
        (damage_small, "runs.jsonl is another file"),
        (damage_large, "data/leaderboard/test-00000-of-00001.parquet is another file"),
        (cut, "assets/targets.png is another file"),
    ],
)
def test_what_does_not_arrive_whole_is_not_tagged(
    spoil: Callable[[Tree], None], said: str, release: Path, push: Run, hub: HubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = hub.add_repo(REPO)
    keep: Callable[[str, Tree], str] = repo.commit

    def commit(title: str, tree: Tree) -> str:
        spoil(tree)
        return keep(title, tree)

    with monkeypatch.context() as patch:
        patch.setattr(repo, "commit", commit)
        line = refusal(push(release))
    assert line == f"ircore: org/irg: commit {repo.head} is not the release, and was not tagged: {said}"
    assert repo.tags == {}


def test_a_tag_that_somebody_sets_meanwhile_is_not_moved(release: Path, push: Run, hub: HubServer) -> None:
    repo = hub.add_repo(REPO)
    first = repo.head
    hub.fail(TAG, meanwhile=lambda: repo.tags.update(v1=first))
    assert refusal(push(release, "--revision", "v1")) == "ircore: org/irg: tag v1 was set by somebody else meanwhile"
    assert repo.tags == {"v1": first}


def test_tables_without_a_record_of_their_release_are_not_overwritten(release: Path, push: Run, hub: HubServer) -> None:
    name = "data/scores/test-00000-of-00001.parquet"
    repo = hub.add_repo(REPO, files={name: b"somebody's"})
    assert refusal(push(release)) == f"ircore: org/irg: holds tables of a release ({name}) but no release.json"
    repo.commit("damaged", repo.tree | {"release.json": File(b"{}", False)})
    assert refusal(push(release)).startswith("ircore: org/irg: its newest release cannot be read (release.json: ")


def test_a_rebase_that_cannot_be_done_leaves_everything_as_it_was(
    inputs: Path, build: Build, push: Run, hub: HubServer
) -> None:
    assert push(build("first", "centre-block", "other-block")).code == 0
    run = RunFolder.open(inputs / "runs" / "other-block")
    for name, value in (("mine", 2.0), ("theirs", 3.0)):
        rate(run, value)
        build(name, "other-block", former=REPO)
    assert push(inputs / "theirs").code == 0
    before = contents(inputs / "mine"), published(hub)

    done = push(inputs / "mine", "--rebase")

    assert refusal(done).startswith(f"ircore: {inputs / 'mine'}: holds run {run.run.run_id} with another content than ")
    assert (contents(inputs / "mine"), published(hub)) == before
    assert sorted(path.name for path in inputs.iterdir() if path.name.startswith(".")) == []
