"""``ircore release push`` with the real client: what arrives whole, what goes wrong, and what is taken up again."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hub_clients import HubClient, Outcome, environment_for, published, refusal, run_with_hub
from hub_server import CI_IDENTITY, DroppedError, File, HubError, HubServer, Tree, running_hub
from releases import contents, play_rated, rewrite
from samples import sample_instances

from dataset_card.card.card import begin
from dataset_card.card.croissant import CROISSANT
from dataset_card.releases.build import build_release
from dataset_card.releases.record import read_release
from dataset_card.tables.schema import SCORES

pytestmark = pytest.mark.slow


REPO = "org/irg"
Run = Callable[..., Outcome]

COMMIT = r"POST /api/datasets/org/irg/commit/main"


@pytest.fixture(scope="module")
def smallest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of one run of four targets, not to be changed: each push checks it whole."""
    folder = tmp_path_factory.mktemp("smallest")
    run = play_rated(folder / "run", sample_instances(folder / "instances"), "centre-block")
    build_release([run.path], folder / "instances", folder / "release")
    return folder / "release"


@pytest.fixture
def release(smallest: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return shutil.copytree(smallest, tmp_path / "release")


def large_files(release: Path) -> int:
    return sum(name.endswith((".parquet", ".png", ".npz")) for name in contents(release))


def reword(release: Path) -> None:
    """Write into a maintainers' section of the card: all other text is made from the data."""
    card = release / "README.md"
    text = card.read_text("utf-8")
    card.write_text(text.replace(begin("contact"), f"{begin('contact')}\nAsk if in doubt."), "utf-8")


def times_asked(hub: HubServer, request: str) -> int:
    return sum(name.startswith(request) for name in hub.requests)


def test_a_first_push_makes_a_private_dataset_with_one_commit_and_a_tag(
    release: Path, hub: HubServer, ircore_on: Run
) -> None:
    done = ircore_on("release", "push", release, "--repo", REPO, "--revision", "v1.0.0")
    assert done.code == 0, done.err
    repo = hub.repos[REPO]
    assert repo.private
    assert repo.titles == ["initial commit", "Release v1.0.0"]
    assert repo.tags == {"v1.0.0": repo.head}
    assert published(hub, REPO) == contents(release)
    assert json.loads((release / CROISSANT).read_text())["url"] == "https://huggingface.co/datasets/org/irg"
    assert repo.tree["data/leaderboard/test-00000-of-00001.parquet"].large
    assert done.out.splitlines() == [
        "from datasets import load_dataset",
        'turns = load_dataset("org/irg", split="test", revision="v1.0.0")',
        'print(turns[0]["message"])',
    ]


def test_a_dry_run_lists_what_would_change_and_changes_nothing(release: Path, hub: HubServer, ircore_on: Run) -> None:
    assert ircore_on("release", "push", release, "--repo", REPO, "--public").code == 0
    repo = hub.repos[REPO]
    stale, lost = "data/scores/test-00001-of-00002.parquet", "data/instances/test-00000-of-00001.parquet"
    others = {"README.md": File(b"old", False), "notes.txt": File(b"mine", False), stale: File(b"old", True)}
    head = repo.commit("by others", {name: file for name, file in repo.tree.items() if name != lost} | others)
    done = ircore_on("release", "push", release, "--repo", REPO, "--revision", "v2", "--dry-run", HF_TOKEN=None)
    assert done.code == 0, done.err
    lines = done.out.splitlines()
    assert lines[0] == "org/irg: is there, public"
    assert any(line.startswith("  changed  README.md ") for line in lines)
    assert any(line.startswith(f"  added    {lost} ") for line in lines)
    assert f"  removed  {stale}" in lines
    assert not any("notes.txt" in line for line in lines)
    assert lines[-2].startswith(f"1 added, 1 changed, 1 removed, {len(contents(release)) - 2} unchanged; ")
    assert lines[-1] == "then tagged v2"
    again = ircore_on("release", "push", release, "--repo", REPO, "--revision", "v2", "--dry-run", "--json")
    assert json.loads(again.out) == {"repo": REPO, "pushed": False, "changes": lines}
    assert repo.head == head


def test_an_update_keeps_earlier_tags_and_files_of_others(release: Path, hub: HubServer, ircore_on: Run) -> None:
    assert ircore_on("release", "push", release, "--repo", REPO, "--revision", "v1").code == 0
    repo = hub.repos[REPO]
    first = published(hub, REPO)
    stale = "data/scores/test-00001-of-00002.parquet"
    repo.commit("by others", repo.tree | {"notes.txt": File(b"mine", False), stale: File(b"old", True)})
    reword(release)
    done = ircore_on("release", "push", release, "--repo", REPO, "--revision", "v2", "--public")
    assert done.code == 0, done.err
    assert published(hub, REPO, "v1") == first
    assert published(hub, REPO, "v2") == contents(release) | {"notes.txt": b"mine"}
    assert repo.tags.keys() == {"v1", "v2"}
    assert not repo.private
    assert times_asked(hub, "PUT /lfs/") == large_files(release)  # by the first push only


def test_a_tag_is_never_moved(release: Path, hub: HubServer, ircore_on: Run) -> None:
    assert ircore_on("release", "push", release, "--repo", REPO, "--revision", "v1").code == 0
    tagged = dict(hub.repos[REPO].tags)
    reword(release)
    done = ircore_on("release", "push", release, "--repo", REPO, "--revision", "v1")
    assert (done.code, done.out) == (1, "")
    assert done.err.splitlines()[0] == "ircore: org/irg: tag v1 exists already, with another release"
    assert hub.repos[REPO].tags == tagged


def test_a_commit_of_somebody_else_meanwhile_is_kept(release: Path, hub: HubServer, ircore_on: Run) -> None:
    repo = hub.add_repo(REPO)
    note = {"notes.txt": File(b"theirs", large=False)}
    hub.fail(COMMIT, meanwhile=lambda: repo.commit("theirs", repo.tree | note))
    done = ircore_on("release", "push", release, "--repo", REPO)
    assert done.code == 0, done.err
    assert "another commit came first" in done.err
    assert repo.titles == ["initial commit", "theirs", f"Release {read_release(release).name}"]
    assert published(hub, REPO) == contents(release) | {"notes.txt": b"theirs"}


def test_a_file_of_the_release_that_somebody_else_changes_meanwhile_is_not_overwritten(
    release: Path, hub: HubServer, ircore_on: Run
) -> None:
    repo = hub.add_repo(REPO)
    card = {"README.md": File(b"corrected on the Hub", large=False)}
    hub.fail(COMMIT, meanwhile=lambda: repo.commit("theirs", repo.tree | card))
    done = ircore_on("release", "push", release, "--repo", REPO)
    assert done.code == 1
    assert "org/irg: README.md was changed by another commit meanwhile" in done.err
    assert published(hub, REPO) == {"README.md": b"corrected on the Hub"}


@pytest.mark.parametrize(
    ("request_", "raises", "after"),
    [
        ("PUT /lfs/", DroppedError(), False),
        (COMMIT, DroppedError(), True),
        (r"GET /api/datasets/org/irg/tree", HubError(429, "", "Too Many Requests", **{"Retry-After": "1"}), False),
        (r"POST /api/datasets/org/irg/tag", DroppedError(), True),
    ],
    ids=["upload dropped", "answer lost", "tree 429", "tag's answer lost"],
)
def test_what_fails_for_a_while_is_done_again(
    request_: str, raises: Exception, after: bool, release: Path, hub: HubServer, ircore_on: Run
) -> None:
    hub.fail(request_, raises, after=after)
    done = ircore_on("release", "push", release, "--repo", REPO, "--revision", "v1")
    assert done.code == 0, done.err
    assert hub.repos[REPO].titles == ["initial commit", "Release v1"]
    assert published(hub, REPO, "v1") == contents(release)


def test_a_push_that_gave_up_is_taken_up_by_the_same_command(release: Path, hub: HubServer, ircore_on: Run) -> None:
    hub.fail(COMMIT, HubError(429, "", "Too Many Requests", **{"Retry-After": "900"}))
    first = ircore_on("release", "push", release, "--repo", REPO)
    assert first.code == 1
    assert first.err.splitlines()[-2:] == [
        "ircore: org/irg: the Hub cannot do this now: 429 (Too Many Requests)",
        "  Give the same command again in 15 min.",
    ]
    sent = times_asked(hub, "PUT /lfs/")
    assert ircore_on("release", "push", release, "--repo", REPO).code == 0
    assert times_asked(hub, "PUT /lfs/") == sent == large_files(release)
    assert published(hub, REPO) == contents(release)


def test_refusals_are_one_clear_line(release: Path, hub: HubServer, ircore_on: Run) -> None:
    def refused(repo: str = REPO, **changes: str | None) -> tuple[int, str]:
        done = ircore_on("release", "push", release, "--repo", repo, **changes)
        assert "Traceback" not in done.err
        lines = done.err.splitlines()
        return done.code, next(line for line in lines if line.startswith("ircore: ")).removeprefix("ircore: ")

    assert refused(HF_TOKEN=None) == (2, "no token for the Hugging Face Hub")
    assert refused(HF_TOKEN="hf_wrong") == (1, "org/irg: the Hub does not accept the token")
    assert refused("irg") == (2, "irg: not the name of a dataset on the Hub")
    code, problem = refused("others/irg")
    assert code == 1
    assert problem.startswith("others/irg: the Hub refuses: 403 (You don't have the rights")
    hub.quota = 1000
    code, problem = refused()
    assert code == 1
    assert "storage limit reached" in problem


def test_a_hub_that_is_not_there_is_one_clear_line(release: Path, hub: HubServer, tmp_path: Path) -> None:
    command = ["-m", "ircore", "release", "push", str(release), "--repo", REPO]
    done = run_with_hub(hub, tmp_path, command, HF_ENDPOINT="http://127.0.0.1:9")
    assert (done.code, done.out) == (1, "")
    assert done.err.splitlines()[0] == "ircore: http://127.0.0.1:9: the connection failed (ConnectError)"


def test_wrong_usage_is_said_before_anything_is_asked(release: Path, hub: HubServer, ircore_on: Run) -> None:
    done = ircore_on("release", "push", release, "--repo", REPO, "--revision", "main")
    assert (done.code, done.err.splitlines()[0]) == (2, "ircore: --revision main: not the name of a tag")
    (release / "notes.txt").write_text("a key, perhaps")
    done = ircore_on("release", "push", release, "--repo", REPO)
    assert (done.code, done.err.splitlines()[0]) == (2, f"ircore: {release / 'notes.txt'}: not part of a release")
    assert hub.requests == []


def test_a_card_that_the_hub_does_not_take_is_said(release: Path, hub: HubServer, ircore_on: Run) -> None:
    hub.fail("POST /api/validate-yaml", HubError(400, "", "license is unknown"))
    done = ircore_on("release", "push", release, "--repo", REPO)
    assert done.code == 1
    assert done.err.splitlines()[-2].startswith(
        "ircore: org/irg: the Hub refuses the request (Invalid metadata in README"
    )
    assert hub.repos[REPO].titles == ["initial commit"]


def test_a_release_with_faults_is_not_pushed(release: Path, hub: HubServer, ircore_on: Run) -> None:
    rewrite(release, SCORES, lambda rows: rows[0].update(step=9))
    done = ircore_on("release", "push", release, "--repo", REPO)
    assert done.code == 1
    assert "another rendering than that of step 9" in done.err
    assert hub.requests == []


def test_a_public_dataset_is_not_pushed_to_as_private(release: Path, hub: HubServer, ircore_on: Run) -> None:
    hub.add_repo(REPO)
    done = ircore_on("release", "push", release, "--repo", REPO, "--private")
    assert (done.code, done.err.splitlines()[0]) == (2, "ircore: org/irg: is public already")


def test_trusted_publishing_takes_the_identity_of_the_ci(release: Path, hub: HubServer, ircore_on: Run) -> None:
    repo = hub.add_repo(REPO, private=True)
    trusted = {"HF_TOKEN": None, "HF_OIDC_RESOURCE": f"datasets/{REPO}"}
    refused = ircore_on("release", "push", release, "--repo", REPO, **trusted)
    assert refused.code == 1
    assert refused.err.startswith("ircore: trusted publishing failed: HF_OIDC_RESOURCE is set but no OIDC id token")
    done = ircore_on("release", "push", release, "--repo", REPO, **trusted, HF_OIDC_ID_TOKEN=CI_IDENTITY)
    assert done.code == 0, done.err
    assert repo.titles[-1] == f"Release {read_release(release).name}"


def test_large_files_arrive_in_chunks(release: Path, tmp_path: Path) -> None:
    (tmp_path / "store").mkdir()
    with running_hub(cas=tmp_path / "store") as hub:
        done = run_with_hub(hub, tmp_path / "hf", ["-m", "ircore", "release", "push", str(release), "--repo", REPO])
        assert done.code == 0, done.err
        pushed = {path: file.data for path, file in hub.repos[REPO].tree.items() if path != ".gitattributes"}
        assert pushed == contents(release)
        assert not any(request.startswith("PUT /lfs/") for request in hub.requests)


def test_a_store_that_fails_is_one_clear_line(release: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with running_hub(cas=tmp_path / "file" / "store") as hub:
        done = run_with_hub(hub, tmp_path / "hf", ["-m", "ircore", "release", "push", str(release), "--repo", REPO])
        assert done.code == 1
        assert "\nircore: org/irg: large files cannot be moved (" in done.err
        assert hub.repos[REPO].titles == ["initial commit"]


@contextmanager
def dead_service(listens: bool) -> Iterator[str]:
    """The address of a service that takes connections and never answers, or takes none."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        if listens:
            held.listen(8)
        yield f"http://127.0.0.1:{held.getsockname()[1]}"


@pytest.mark.parametrize(("listens", "error"), [(False, "ConnectError"), (True, "ReadTimeout")])
def test_a_store_that_does_not_answer_is_said_soon(listens: bool, error: str, release: Path, tmp_path: Path) -> None:
    with dead_service(listens) as address, running_hub(cas_url=address) as hub:
        began = time.monotonic()
        done = run_with_hub(hub, tmp_path / "hf", ["-m", "ircore", "release", "push", str(release), "--repo", REPO])
        waited = time.monotonic() - began
    assert done.code == 1
    host = address.removeprefix("http://")
    assert done.err.splitlines()[-2:] == [
        f"ircore: org/irg: the store of large files, {host}, does not answer ({error})",
        "  Try again later, or set HF_HUB_DISABLE_XET=1 to send them without it.",
    ]
    assert waited < 240  # the client itself would try for longer, several times
    assert hub.repos[REPO].titles == ["initial commit"]


TAG = r"POST /api/datasets/org/irg/tag"

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


def damage_large(tree: Tree) -> None:
    name = "data/leaderboard/test-00000-of-00001.parquet"
    tree[name] = File(tree[name].data[:-1] + b"x", True)


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda tree: tree.pop("judges.jsonl"), "judges.jsonl is missing"),
        (lambda tree: tree.pop("release.json"), "release.json is missing"),
        (damage_large, "data/leaderboard/test-00000-of-00001.parquet is another file"),
    ],
)
def test_what_does_not_arrive_whole_is_not_tagged_until_it_was_sent_again(
    spoil: Callable[[Tree], object],
    said: str,
    release: Path,
    push: Run,
    hub: HubServer,
    monkeypatch: pytest.MonkeyPatch,
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
    name = read_release(release).name  # which is the tag where none is given
    assert repo.tags == {name: repo.head}
    assert f'revision="{name}"' in done.out


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
