"""What maintainers give once a week, what their protected job gives, and the settings of the repository."""

import copy
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from github_server import TOKEN, GitHubServer, running_github
from hub_server import DroppedError, HubServer, running_hub
from pairs import write_pair
from samples import sample_instances
from transcripts import hand_in, write_manifest

from ircore.commands.main import run as ircore
from ircore.core.records import PlayerSpec
from ircore.players.submission import read_manifest
from ircore.runs.folder import RunFolder
from ircore.submissions.reproduce import is_played_offline
from ircore.submissions.rescoring.fetch import DeadLink, Link, find_dead_links, list_links


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[HubServer]:
    with running_hub() as server:
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        monkeypatch.setattr("ircore.submissions.rescoring.fetch.WAIT", 0.01)
        yield server


def test_links_that_lead_nowhere_are_told(hub: HubServer) -> None:
    hub.add_repo("me/mine", files={"README.md": b"here"})
    hub.fail("GET /api/datasets/me/gone", DroppedError(), times=2)
    hub.fail("GET /api/datasets/me/mine", DroppedError(), times=1)  # a stumble
    there, missing, dropped, odd = (
        Link("a-pair", "links.code", address)
        for address in (
            f"{hub.url}/api/datasets/me/mine",
            f"{hub.url}/api/datasets/no/such",
            f"{hub.url}/api/datasets/me/gone",
            "file:///etc/passwd",
        )
    )
    dead = find_dead_links([there, missing, dropped, odd])
    assert [item.link for item in dead] == [missing, dropped, odd]
    assert dead[0] == DeadLink(missing, "answers 401")  # so does the Hub, to whoever may not know
    assert dead[2].problem == "not https at a public host with a name"


@pytest.mark.slow
def test_transcripts_are_a_link_to_their_commit(
    tmp_path: Path, hub: HubServer, capsys: pytest.CaptureFixture[str]
) -> None:
    handed = hand_in(tmp_path)
    repo = hub.add_repo("me/mine", files=handed.files())
    write_manifest(handed.submission, {"repo": "me/mine", "revision": repo.head, "run": handed.run.name})
    (link,) = list_links(read_manifest(handed.submission))
    assert link.address == f"{hub.url}/api/datasets/me/mine/tree/{repo.head}/{handed.run.name}"
    assert ircore(["maintain", "links", str(tmp_path / "submissions")]) == 0
    hub.empty()
    assert ircore(["maintain", "links", str(tmp_path / "submissions")]) == 1
    assert ircore(["maintain", "withdraw", str(handed.submission), "--reason", "r"]) == 0
    assert ircore(["maintain", "links", str(tmp_path / "submissions")]) == 0
    assert ircore(["maintain", "links", str(tmp_path / "nowhere")]) == 2
    shown = capsys.readouterr()
    assert "centre-block: transcripts: " in shown.out
    assert "links that lead nowhere: 1 of 1" in shown.err


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of an offline pair."""
    folder = tmp_path_factory.mktemp("published")
    sample_instances(folder / "set")
    pair = write_pair(folder, {"player": "captioner"}, {"player": "sketch"})
    assert ircore(["play", str(pair), "--instances", str(folder / "set"), "--out", str(folder / "run")]) == 0
    return folder


@pytest.mark.slow
def test_an_offline_run_comes_out_the_same(tmp_path: Path, published: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["maintain", "reproduce", str(published / "run"), "--instances", str(published / "set")]
    assert ircore([*words, "--out", str(tmp_path / "again")]) == 0
    assert "1 of 1 run played again: the same words and the same pictures" in capsys.readouterr().out
    other = sample_instances(tmp_path / "other", per_condition=2)
    words[-1] = str(other.folder)
    assert ircore([*words, "--out", str(tmp_path / "third")]) == 2
    assert "was not played on the set" in capsys.readouterr().err


@pytest.mark.slow
def test_a_run_that_comes_out_otherwise_is_told(
    tmp_path: Path, published: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import shutil

    shutil.copytree(published / "run", tmp_path / "run")
    journal = tmp_path / "run" / "journal.jsonl"
    lines = [json.loads(line) for line in journal.read_text().splitlines()]
    ended = next(line for line in lines if line["event"] == "end" and line["episode"]["steps"])
    ended["episode"]["steps"][0]["message"] = "something else"
    journal.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert ircore(["maintain", "reproduce", str(tmp_path / "run"), "--out", str(tmp_path / "again")]) == 1
    shown = capsys.readouterr()
    assert "turn 1: another message than was published" in shown.out
    assert "1 episode differs from what was published" in shown.err


@pytest.mark.slow
def test_models_and_people_are_not_asked_again(published: Path) -> None:
    run = RunFolder(published / "run").run
    assert is_played_offline(run)
    for spec in (PlayerSpec(player="openai", model="m"), PlayerSpec(player="human"), PlayerSpec(player="replay")):
        changed = run.submission.model_copy(update={"describer": spec})
        assert not is_played_offline(run.model_copy(update={"submission": changed}))


@pytest.mark.slow
def test_evaluation_plays_and_scores(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sample_instances(tmp_path / "set")
    pair = write_pair(tmp_path, {"player": "captioner"}, {"player": "sketch"})
    words = ["maintain", "evaluate", str(pair), "--instances", str(tmp_path / "set"), "--out", str(tmp_path / "run")]
    assert ircore(words) == 0
    assert "+ ircore play" in capsys.readouterr().err
    run = RunFolder(tmp_path / "run")
    known = run.provenance()
    assert known is not None
    assert known.kind == "maintainers"
    assert {score.by for score in run.scores() if score.task == "similarity"} == {"structural"}
    # The same command again goes on: nothing is left to do.
    assert ircore(words) == 0


@pytest.mark.parametrize(
    ("describer", "told"),
    [
        ({"player": "replay", "parameters": {"run": "../../secret"}}, "replay answers from a run on your machine"),
        ({"player": "human", "parameters": {"folder": "/tmp/desk"}}, "names a file or folder"),
        (
            {"player": "openai", "model": "m", "base_url": "https://10.0.0.1/v1", "api_key_env": "MY_KEY"},
            "an address inside a network",
        ),
        ({"player": "openai", "model": "m", "api_key_env": "GITHUB_APP_KEY"}, "continuous integration"),
    ],
)
def test_evaluation_plays_nothing_that_a_check_refuses(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], describer: dict[str, Any], told: str
) -> None:
    """Also by hand, where no workflow checks it beforehand."""
    sample_instances(tmp_path / "set")
    pair = write_pair(tmp_path, describer, {"player": "sketch"})
    words = ["maintain", "evaluate", str(pair), "--instances", str(tmp_path / "set"), "--out", str(tmp_path / "run")]
    assert ircore(words) == 2
    shown = capsys.readouterr().err
    assert told in shown
    assert "+ ircore play" not in shown
    assert not (tmp_path / "run").exists()


def test_evaluation_ends_with_the_command_that_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pair = write_pair(tmp_path, {"player": "captioner"}, {"player": "sketch"})
    words = [
        "maintain", "evaluate", str(pair), "--instances", str(tmp_path / "nowhere"), "--out", str(tmp_path / "run"),
    ]  # fmt: skip
    assert ircore(words) == 2
    shown = capsys.readouterr().err
    assert "holds no instance set" in shown
    assert "ircore play" in shown.splitlines()[-2]


MAIN = {"branch_policies": [{"name": "main", "type": "branch"}]}
GOOD: dict[str, Any] = {
    "": {
        "visibility": "public", "default_branch": "main", "allow_merge_commit": True, "allow_squash_merge": False,
        "allow_rebase_merge": False,
    },
    "/labels": [{"name": "dispute"}], "/private-vulnerability-reporting": {"enabled": True},
    "/pages": {"build_type": "workflow"},
    "/rules/branches/main": [
        {
            "type": "pull_request",
            "parameters": {"required_approving_review_count": 1, "require_code_owner_review": True},
        },
        {
            "type": "required_status_checks",
            "parameters": {"required_status_checks": [{"context": "Check what is submitted"}]},
        },
        {"type": "non_fast_forward"}, {"type": "deletion"},
    ],
    "/actions/permissions": {"enabled": True},
    "/actions/permissions/workflow": {
        "default_workflow_permissions": "read", "can_approve_pull_request_reviews": False,
    },
    "/actions/permissions/fork-pr-contributor-approval": {"approval_policy": "all_external_contributors"},
    "/environments/evaluation": {"protection_rules": [{"type": "required_reviewers", "reviewers": [{"type": "Team"}]}]},
    "/environments/dataset": {"protection_rules": []}, "/environments/github-pages": {},
    **{f"/environments/{name}/deployment-branch-policies": MAIN for name in ("evaluation", "dataset", "github-pages")},
    "/environments/evaluation/secrets": {"secrets": [{"name": "OPENAI_API_KEY"}]},
    "/actions/secrets": {"total_count": 0}, "/actions/organization-secrets": {"total_count": 0},
    "/actions/variables": {
        "variables": [{"name": "DATASET", "value": "org/data"}, {"name": "SITE_URL", "value": "https://x.example/"}]
    },
}  # fmt: skip


@pytest.fixture
def github(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[GitHubServer]:
    workflow = tmp_path / ".github" / "workflows" / "submission.yml"
    workflow.parent.mkdir(parents=True)
    workflow.write_text("DATASET: ${{ vars.DATASET || 'org/data' }}\n")
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    monkeypatch.chdir(tmp_path)
    with running_github(tmp_path / "artefacts") as server:
        for name, value in {"API_URL": server.url, "REPOSITORY": "org/benchmark", "TOKEN": TOKEN}.items():
            monkeypatch.setenv(f"GITHUB_{name}", value)
        server.settings = copy.deepcopy(GOOD)
        yield server


@pytest.mark.slow
def test_what_is_missing_is_named_with_its_place(github: GitHubServer, capsys: pytest.CaptureFixture[str]) -> None:
    assert ircore(["maintain", "setup", "--check"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 25
    assert all(line.startswith("ok ") for line in lines)
    # Each answer at a time is not there, as on a repository that was just made.
    for path in GOOD:
        if path in ("/environments/dataset", "/environments/github-pages"):
            continue
        github.settings = {known: answer for known, answer in GOOD.items() if known != path}
        assert ircore(["maintain", "setup", "--check"]) == 1, path
    github.settings = {**GOOD, "/actions/permissions/workflow": {"default_workflow_permissions": "write"}}
    capsys.readouterr()
    assert ircore(["maintain", "setup", "--check", "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    missing = [setting["name"] for setting in told["settings"] if not setting["is_met"]]
    assert missing == ["workflows may read, unless they say more", "workflows approve no pull requests"]


def test_a_season_needs_its_secret(github: GitHubServer, capsys: pytest.CaptureFixture[str]) -> None:
    github.settings["/actions/variables"]["variables"].append({"name": "SEASON", "value": "2027-spring"})
    assert ircore(["maintain", "setup", "--check"]) == 1
    assert "missing  there is a SEASON_SECRET for SEASON" in capsys.readouterr().out


def test_without_a_token_nothing_is_asked(
    github: GitHubServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("GITHUB_TOKEN")
    assert ircore(["maintain", "setup", "--check"]) == 2
    assert "gh auth token" in capsys.readouterr().err
