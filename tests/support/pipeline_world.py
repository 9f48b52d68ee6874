"""A world for the workflows: a clone of this working tree, a bare remote, a Hub and models on loopback."""

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
from openai_server import OpenAIServer, serving
from shared_folders import ROOT, copy_tree, set_up
from workflows import Outcome, Service, plain_environment

from dataset_card.releases.record import read_release

WORKFLOWS = ROOT / ".github" / "workflows"
REPOSITORY = "org/benchmark"
DATASET = "org/results"
SLUG = "my-models"
PLAYED = "builtin-captioner-canvas"
"""A pair that the maintainers play themselves."""
FIRST = {PLAYED, "builtin-plain-canvas", "extractive"}
"""Submissions of the first release: two pairs, and a player of another game."""
FOREVER = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org", "GIT_COMMITTER_NAME": "a"} | {
    "GIT_COMMITTER_EMAIL": "a@example.org"
}


@dataclass
class World:
    """Everything that takes part.

    Attributes:
        root: Where all of it lies.
        tree: The submitter's clone of the repository.
        origin: The repository that the service knows.
        hub: The Hub.
        models: The models, players and judges.
        service: Runs the workflows.
    """

    root: Path
    tree: Path
    origin: Path
    hub: HubServer
    models: OpenAIServer
    service: Service

    def git(self, *words: str) -> str:
        done = subprocess.run(
            ["git", "-C", str(self.tree), *words],
            env={**os.environ, **FOREVER},
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.strip()

    def ircore(self, *words: str | Path, **variables: str) -> str:
        """Give a command as the submitter, or a maintainer at home."""
        done = subprocess.run(
            [f"{sys.prefix}/bin/ircore", *(str(word) for word in words)],
            cwd=self.root, env={**self.service.environment, "PYTHONPATH": str(self.tree), **variables},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def main(self) -> str:
        return self.git("rev-parse", "main")

    def propose(self, number: int, change: Callable[[Path], object]) -> tuple[str, str]:
        """Open a pull request and return its base and its head."""
        base = self.main()
        self.git("checkout", "-q", "-B", f"change-{number}", "main")
        change(self.tree)
        self.git("add", "-A", "-f", ".")
        self.git("commit", "-qm", "a change")
        head = self.git("rev-parse", "HEAD")
        self.git("push", "-q", "origin", f"HEAD:refs/pull/{number}/head")
        self.git("checkout", "-q", "main")
        return base, head

    def merge(self, head: str) -> str:
        self.git("merge", "-q", "--no-ff", "-m", "merged", head)
        self.git("push", "-q", "origin", "main")
        return self.main()

    def run(self, workflow: str, job: str, commit: str, **context: str) -> Outcome:
        return self.service.run(self.root / "workflows" / f"{workflow}.yml", job, commit, **context)

    def checked(self, number: int, change: Callable[[Path], object]) -> Outcome:
        base, head = self.propose(number, change)
        return self.submitted(number, base, head)

    def submitted(
        self, number: int, base: str, head: str, origin: str = "somebody/fork", account: str = "7", title: str = "Mine"
    ) -> Outcome:
        about = {"base__sha": base, "head__sha": head, "number": str(number), "head__repo__full_name": origin}
        about |= {"user__id": account, "head__repo__owner__login": origin.partition("/")[0], "title": title}
        context = {f"github__event__pull_request__{name}": value for name, value in about.items()}
        if origin != REPOSITORY:  # forks are given no variables
            context |= {"vars__DATASET": "", "vars__PER_CONDITION": ""}
        return self.run("submission", "submitted", base, **context)


@contextmanager
def running_world(root: Path, demo: Path) -> Iterator[World]:
    """Set up the repository, the Hub, the models and the release of a demo; end with the servers."""
    tree, origin = root / "tree", root / "origin.git"
    (root / "service").mkdir()
    tree.mkdir()
    with running_hub() as hub, serving(side=64) as models:
        environment = plain_environment(root / "home") | hub.environment(root / "hub", token=None)
        environment |= {"HF_OIDC_ID_TOKEN": CI_IDENTITY, "PYTHONDONTWRITEBYTECODE": "1"}
        context = {
            "github.repository": REPOSITORY,
            "vars.DATASET": DATASET,
            "vars.PER_CONDITION": "1",
            "vars.SITE_URL": "https://site.example/",
        }

        def prepared(clone: Path) -> None:
            set_up(clone)
            service.environment = {**service.environment, "PYTHONPATH": str(clone)}

        service = Service(origin, root / "service", environment, context, prepared, lambda: hub.repos[DATASET].head)
        made = World(root, tree, origin, hub, models, service)
        copy_tree(tree)
        for folder in (tree / "submissions").iterdir():
            if folder.name not in FIRST:
                shutil.rmtree(folder)
        # What maintainers write into the workflow once.
        shutil.copytree(WORKFLOWS, root / "workflows")
        checks = root / "workflows" / "submission.yml"
        named = checks.read_text().replace("vars.DATASET || ''", f"vars.DATASET || '{DATASET}'")
        checks.write_text(named.replace("vars.PER_CONDITION || '10'", "vars.PER_CONDITION || '1'"))
        # The maintainers ask one model as a judge.
        judge = {"schema": 1, "name": "eye", "label": "Eye", "player": "openai", "model": "judge-one"}
        (tree / "judges" / "eye.yaml").write_text(json.dumps(judge | {"base_url": models.base_url}))
        made.git("init", "-q", "-b", "main")
        made.git("add", "-A")
        made.git("commit", "-qm", "the project")
        subprocess.run(["git", "init", "-q", "--bare", str(origin)], check=True)
        made.git("remote", "add", "origin", str(origin))
        made.git("push", "-q", "origin", "main")
        bootstrap(made, demo)
        yield made


def bootstrap(world: World, demo: Path) -> None:
    """The first release of the dataset: some of the demo's runs, of two games."""
    shutil.copytree(demo / "instances", world.root / "instances")
    runs = [demo / "runs" / name for name in sorted(FIRST)]
    sets = [demo / name for name in ("instances", "dialogues")]
    first = world.root / "first"
    world.ircore("release", "build", "--runs", *runs, "--instances", *sets, "--out", first)
    repo = world.hub.add_repo(DATASET, files=files_below(first))
    repo.tags[read_release(first).name] = repo.head


def files_below(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def published_slugs(world: World) -> set[str]:
    lines = world.hub.repos[DATASET].tree["runs.jsonl"].data.decode().splitlines()
    return {json.loads(line)["slug"] for line in lines}


def write(path: Path, document: Mapping[str, Any] | str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(document if isinstance(document, str) else yaml.safe_dump(dict(document), sort_keys=False))
    return path


def manifest(world: World, transcripts: Mapping[str, str] | None = None) -> dict[str, Any]:
    """A pair of models behind the loopback server, played by its submitter."""
    where = {"base_url": world.models.base_url}
    seats = {
        "describer": {"player": "openai", "model": "a-describer", "revision": "2026-11-01", **where},
        "generator": {"player": "openai-images", "model": "a-generator", "revision": "2026-11-01", **where},
    }
    about = {"schema": 1, "name": "My two models", "authors": ["Somebody"], "licence": "CC-BY-4.0"}
    return about | seats | ({"transcripts": dict(transcripts)} if transcripts else {})


def hand_in(world: World) -> dict[str, Any]:
    """Play at home, pack, upload; return the manifest that names the transcripts."""
    home = world.root / "home-of-a-submitter" / SLUG
    write(home / "submission.yaml", manifest(world))
    run, packed = world.root / "played", world.root / "packed"
    world.ircore("play", home, "--instances", world.root / "instances", "--out", run)
    about = json.loads(world.ircore("submission", "pack", run, "--out", packed, "--json"))
    repo = world.hub.add_repo("me/mine", files=files_below(packed))
    return manifest(world, {"repo": "me/mine", "revision": repo.head, "run": about["run"]})


@contextmanager
def github_of(world: World) -> Iterator[GitHubServer]:
    """Serve GitHub's API to the workflows of a world until the block ends."""
    with running_github(world.origin, world.root / "service" / "artefacts") as server:
        about = {"GITHUB_API_URL": server.url, "GITHUB_REPOSITORY": REPOSITORY}
        about["GITHUB_EVENT_PATH"] = str(world.root / "event.json")
        world.service.environment = {**world.service.environment, **about}
        world.service.context |= {"github.token": TOKEN}
        yield server
