"""A world for the workflows: a clone of this working tree, a bare remote, a Hub and GitHub's API on loopback."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from github_server import TOKEN, GitHubServer, running_github
from hub_server import CI_IDENTITY, HubServer, running_hub
from shared_folders import CATEGORIES, ROOT, copy_tree, set_up
from workflows import Outcome, Service, plain_environment, quick_commands

from dataset_card.releases.record import read_release

WORKFLOWS = ROOT / ".github" / "workflows"
REPOSITORY, DATASET = "org/benchmark", "org/results"
FIRST = {"builtin-plain-canvas": "instances", "looker": "contexts", "editor": "tasks"}
"""Submissions of the first release, of three games, each with the demo's folder of its set."""
SOMEBODY = {f"GIT_{who}_{what}": "somebody" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}


@dataclass
class World:
    """Everything that takes part.

    Attributes:
        root: Where all of it lies.
        tree: A clone, in which submitters and maintainers make their changes.
        origin: The repository that the service knows.
        hub: The Hub.
        github: GitHub's API.
        service: Runs the workflows.
        program: The command line that people at home use.
    """

    root: Path
    tree: Path
    origin: Path
    hub: HubServer
    github: GitHubServer
    service: Service
    program: Path

    def git(self, *words: str) -> str:
        command = ["git", "-C", str(self.tree), *words]
        environment = {**os.environ, **SOMEBODY}
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.strip()

    def ircore(self, *words: str | Path) -> str:
        """Give a command as a submitter, or a maintainer at home."""
        command = [str(self.program), *(str(word) for word in words)]
        done = subprocess.run(
            command, cwd=self.root, env=self.service.environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def propose(self, number: int, change: Callable[[Path], object]) -> str:
        """Open a pull request and return its last commit."""
        self.git("checkout", "-q", "-B", f"change-{number}", "main")
        change(self.tree)
        self.git("add", "-A", "-f", ".")
        self.git("commit", "-qm", "a change [skip ci]")
        self.git("push", "-q", "origin", f"HEAD:refs/pull/{number}/head")
        head = self.git("rev-parse", "HEAD")
        self.git("checkout", "-q", "main")
        return head

    def merge(self, head: str) -> str:
        self.git("merge", "-q", "--no-ff", "-m", "merged", head)
        self.git("push", "-q", "origin", "main")
        return self.git("rev-parse", "main")

    def run(self, workflow: str, job: str, commit: str = "main", **context: str) -> Outcome:
        return self.service.run(self.root / "workflows" / f"{workflow}.yml", job, commit, **context)

    def checked(self, head: str, account: str = "somebody", source: str = "") -> Outcome:
        """Run the required check of a pull request; ``source`` is the repository of its branch, the account's fork."""
        source = source or f"{account}/fork"
        about = {"base__sha": self.git("rev-parse", "main"), "head__sha": head, "user__login": account}
        about |= {"head__repo__full_name": source, "head__repo__owner__login": source.partition("/")[0]}
        context = {f"github__event__pull_request__{name}": value for name, value in about.items()}
        # Forks are given no variables.
        context |= {"vars__DATASET": "", "vars__PER_CONDITION": "", "github__event_name": "pull_request"}
        return self.run("submission", "submitted", about["base__sha"], **context)

    def queued(self, head: str) -> Outcome:
        """Run the required check of a change that waits in the merge queue."""
        about = {"base_sha": self.git("rev-parse", "main"), "head_sha": head}
        context = {f"github__event__merge_group__{name}": value for name, value in about.items()}
        return self.run("submission", "submitted", about["base_sha"], github__event_name="merge_group", **context)

    def published(self) -> set[str]:
        """Return the submissions that have a run in the dataset."""
        lines = self.hub.repos[DATASET].tree["runs.jsonl"].data.decode().splitlines()
        return {json.loads(line)["slug"] for line in lines}


@contextmanager
def running_world(root: Path, demo: Path) -> Iterator[World]:
    """Set up the repository, the Hub, GitHub's API and the release of a demo; end with the servers."""
    tree, origin = root / "tree", root / "origin.git"
    (root / "service").mkdir()
    tree.mkdir()
    with (
        running_hub() as hub,
        running_github(root / "service" / "artefacts") as github,
        quick_commands(root) as program,
    ):
        environment = plain_environment(root / "home") | hub.environment(root / "hub", token=None)
        about = {"HF_OIDC_ID_TOKEN": CI_IDENTITY, "GITHUB_API_URL": github.url, "GITHUB_REPOSITORY": REPOSITORY}
        context = {
            "github.repository": REPOSITORY, "github.ref": "refs/heads/main", "github.token": TOKEN,
            "vars.DATASET": DATASET, "vars.PER_CONDITION": "1", "vars.SITE_URL": "https://site.example/",
        }  # fmt: skip

        def prepared(clone: Path) -> None:
            set_up(clone)
            (clone / ".venv").unlink()
            for folder, kept in ((clone / ".venv", "bin"), (clone / ".venv" / "bin", "ircore")):
                folder.mkdir()
                for path in (Path(sys.prefix) / folder.relative_to(clone / ".venv")).iterdir():
                    if path.name != kept:
                        (folder / path.name).symlink_to(path)
            (clone / ".venv" / "bin" / "ircore").symlink_to(program)

        service = Service(
            origin, root / "service", environment | about, context, prepared, lambda: hub.repos[DATASET].head
        )
        world = World(root, tree, origin, hub, github, service, program)
        # Thirty clones are made, and the program of all of them runs this working tree's code.
        copy_tree(tree, left_out=("ircore", "dataset_card", "leaderboard", "tests", "benchmarks"))
        # The set that counts is the demo's.
        (tree / "ircore.toml").write_text(f"[instances.build]\ncategory = {json.dumps(CATEGORIES)}\n", "utf-8")
        for folder in (tree / "submissions").iterdir():
            if folder.name not in FIRST:
                shutil.rmtree(folder)
        # What maintainers write into the workflow once.
        shutil.copytree(WORKFLOWS, root / "workflows")
        checks = root / "workflows" / "submission.yml"
        named = checks.read_text().replace("vars.DATASET || ''", f"vars.DATASET || '{DATASET}'")
        checks.write_text(named.replace("vars.PER_CONDITION || '10'", "vars.PER_CONDITION || '1'"))
        world.git("init", "-q", "-b", "main")
        world.git("add", "-A")
        world.git("commit", "-qm", "the project")
        subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(origin)], check=True)
        # As the service lets clones fetch the commits of pull requests.
        subprocess.run(["git", "-C", str(origin), "config", "uploadpack.allowAnySHA1InWant", "true"], check=True)
        world.git("remote", "add", "origin", str(origin))
        world.git("push", "-q", "origin", "main")
        runs = [demo / "runs" / name for name in FIRST]
        sets = [demo / name for name in FIRST.values()]
        world.ircore("release", "build", "--runs", *runs, "--instances", *sets, "--out", root / "first")
        repo = hub.add_repo(DATASET, files=files_below(root / "first"))
        repo.tags[read_release(root / "first").name] = repo.head
        yield world


def files_below(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def write(path: Path, document: Mapping[str, Any] | str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(document if isinstance(document, str) else yaml.safe_dump(dict(document), sort_keys=False))
    return path
