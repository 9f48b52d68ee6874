"""Only what arrived whole is tagged, and a push that was cut off is taken up again."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hub_clients import HubClient, Outcome, environment_for, published, refusal
from hub_server import DroppedError, File, HubServer, Tree
from releases import contents

from dataset_card.releases.record import read_release

pytestmark = pytest.mark.slow

REPO = "org/irg"
TAG = r"POST /api/datasets/org/irg/tag"

Run = Callable[..., Outcome]
Build = Callable[..., Path]


def test_a_push_that_was_killed_before_the_tag_is_taken_up_by_the_same_command(
    build_upon: Build, push: Run, hub: HubServer, hub_client: HubClient
) -> None:
    assert push(build_upon("first", "centre-block")).code == 0
    second = build_upon("second", "other-block", former=REPO)
    command = [sys.executable, "-m", "ircore", "release", "push", str(second), "--repo", REPO]
    killed = subprocess.Popen(command, env=environment_for(hub, hub_client.home), stderr=subprocess.DEVNULL)
    hub.fail(TAG, DroppedError(), meanwhile=lambda: os.kill(killed.pid, signal.SIGKILL))
    assert killed.wait(timeout=300) == -signal.SIGKILL
    repo = hub.repos[REPO]
    head = repo.head
    assert published(hub, REPO) == contents(second)
    assert len(repo.tags) == 1
    done = push(second)
    assert done.code == 0, done.err
    assert repo.tags[read_release(second).name] == repo.head == head


def lose(tree: Tree) -> None:
    del tree["judges.jsonl"]


def lose_record(tree: Tree) -> None:
    del tree["release.json"]


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
        (lose_record, "release.json is missing"),
        (damage_large, "data/leaderboard/test-00000-of-00001.parquet is another file"),
    ],
)
def test_what_does_not_arrive_whole_is_not_tagged_until_it_was_sent_again(
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
    done = push(release)
    assert done.code == 0, done.err
    assert published(hub, REPO) == contents(release)
    assert repo.tags == {read_release(release).name: repo.head}


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
