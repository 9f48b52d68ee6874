"""The settings of the repository, read through GitHub's API on loopback: all there, then each missing."""

import copy
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from github_server import TOKEN, GitHubServer, running_github

from ircore.commands.main import run as ircore

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
