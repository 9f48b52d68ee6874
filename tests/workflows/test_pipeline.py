"""From a pull request to the rebuilt site and the pushed dataset: every command of the workflows, run on this machine.

The code is a clone of this working tree; the Hub and the models are servers on loopback. Nothing leaves the machine.
"""

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from hub_server import CI_IDENTITY, HubServer, running_hub
from openai_server import OpenAIServer, serving
from workflows import Outcome, Service, plain_environment, read_workflow, steps_of

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = ROOT / ".github" / "workflows"
REPOSITORY = "org/benchmark"
DATASET = "org/results"
SLUG = "my-models"
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
            [str(ROOT / ".venv" / "bin" / "ircore"), *(str(word) for word in words)],
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

    def submitted(self, number: int, base: str, head: str, origin: str = "somebody/fork") -> Outcome:
        about = {"base__sha": base, "head__sha": head, "number": str(number), "head__repo__full_name": origin}
        context = {f"github__event__pull_request__{name}": value for name, value in about.items()}
        if origin != REPOSITORY:  # forks are given no variables
            context |= {"vars__DATASET": "", "vars__PER_CONDITION": ""}
        return self.run("submission", "submitted", base, **context)


def scratch(folder: Path) -> None:
    """Copy the files of this working tree, new ones included, into a repository of their own."""
    names = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "-co", "--exclude-standard", "-z"], capture_output=True, check=True
    ).stdout.decode()
    for name in filter(None, names.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, folder / name)


def set_up(clone: Path) -> None:
    """What `make install` would make is there already: the environment that runs these tests."""
    (clone / ".venv").symlink_to(ROOT / ".venv")
    for name in ("requirements/run.txt", "pyproject.toml"):
        os.utime(clone / name, (0, 0))


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    if not (ROOT / ".venv" / "bin" / "ircore").exists() or not (ROOT / ".git").exists():
        pytest.skip("needs a clone with .venv")
    root = tmp_path_factory.mktemp("world")
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
            service.environment = {**environment, "PYTHONPATH": str(clone)}

        service = Service(origin, root / "service", environment, context, prepared)
        made = World(root, tree, origin, hub, models, service)
        scratch(tree)
        # What maintainers write into the workflow once.
        shutil.copytree(WORKFLOWS, root / "workflows")
        checks = root / "workflows" / "submission.yml"
        named = checks.read_text().replace("vars.DATASET || ''", f"vars.DATASET || '{DATASET}'")
        checks.write_text(named.replace("vars.PER_CONDITION || '10'", "vars.PER_CONDITION || '1'"))
        # The maintainers ask one model as a judge, and two offline pairs take part.
        judge = {"schema": 1, "name": "eye", "label": "Eye", "player": "openai", "model": "judge-one"}
        (tree / "judges" / "eye.yaml").write_text(json.dumps(judge | {"base_url": models.base_url}))
        made.git("init", "-q", "-b", "main")
        made.git("add", "-A")
        made.git("commit", "-qm", "the project")
        subprocess.run(["git", "init", "-q", "--bare", str(origin)], check=True)
        made.git("remote", "add", "origin", str(origin))
        made.git("push", "-q", "origin", "main")
        bootstrap(made)
        yield made


def bootstrap(world: World) -> None:
    """The first release of the dataset, which a maintainer makes by hand."""
    pair = world.root / "offline" / "builtin-captioner-sketch"
    shutil.copytree(world.tree / "submissions" / pair.name, pair)
    run = world.root / "runs" / pair.name
    world.ircore("instances", "build", "--per-condition", "1", "--out", world.root / "instances")
    common = ("--instances", world.root / "instances")
    world.ircore("play", pair, *common, "--out", run, "--as-maintainers")
    world.ircore("score", run)
    world.ircore("release", "build", "--runs", run, *common, "--out", world.root / "first")
    world.hub.add_repo(DATASET)
    world.ircore("release", "push", world.root / "first", "--repo", DATASET, HF_OIDC_RESOURCE=f"datasets/{DATASET}")


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
    files = {path.relative_to(packed).as_posix(): path.read_bytes() for path in packed.rglob("*") if path.is_file()}
    repo = world.hub.add_repo("me/mine", files=files)
    return manifest(world, {"repo": "me/mine", "revision": repo.head, "run": about["run"]})


def link_of(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to("/etc/passwd")


BAD: dict[str, tuple[Callable[[World, Path], object], str]] = {
    "a workflow besides": (
        lambda world, tree: (
            write(tree / f"submissions/{SLUG}/submission.yaml", manifest(world)),
            write(tree / ".github/workflows/submission.yml", "on: pull_request\n"),
        ),
        ".github/workflows/submission.yml",
    ),
    "two folders": (
        lambda world, tree: [
            write(tree / f"submissions/{slug}/submission.yaml", manifest(world)) for slug in ("one-pair", "other-pair")
        ],
        "touches 2 submissions",
    ),
    "a link": (lambda world, tree: link_of(tree / f"submissions/{SLUG}/submission.yaml"), "is a symbolic link"),
    "a program": (
        lambda world, tree: (
            write(tree / f"submissions/{SLUG}/submission.yaml", manifest(world)),
            write(tree / f"submissions/{SLUG}/conftest.py", "raise SystemExit"),
        ),
        "conftest.py",
    ),
    "somebody's secret": (
        lambda world, tree: write(
            tree / f"submissions/{SLUG}/submission.yaml",
            {
                **manifest(world),
                "describer": {"player": "openai", "model": "m", "api_key_env": "GITHUB_TOKEN_KEY"},
                "generator": {"player": "canvas"},
            },
        ),
        "api_key_env",
    ),
    "an address inside": (
        lambda world, tree: write(
            tree / f"submissions/{SLUG}/submission.yaml",
            {
                **manifest(world),
                "describer": {"player": "openai", "model": "m", "base_url": "https://169.254.169.254/v1"},
            },
        ),
        "base_url",
    ),
    "scores of their own": (
        lambda world, tree: write(tree / f"submissions/{SLUG}/submission.yaml", {**manifest(world), "score": 10}),
        "score",
    ),
    "code for Python's start": (
        lambda world, tree: (
            write(tree / f"submissions/{SLUG}/submission.yaml", manifest(world)),
            write(tree / "sitecustomize.py", "open('/tmp/owned', 'w')"),
        ),
        "sitecustomize.py",
    ),
}


def refuses(world: World, name: str, number: int) -> None:
    change, told = BAD[name]
    outcome = world.checked(number, lambda tree: change(world, tree))
    assert outcome.failed == '.venv/bin/ircore submission check-change "$BASE" "$HEAD" --by "$BY" --github'
    assert told in outcome.output
    assert "::error" in outcome.output
    assert "refused" in outcome.summary
    assert "Traceback" not in outcome.output


def accepts(world: World) -> None:
    """A good one, from the pull request to the site and the dataset, and out again."""
    document = hand_in(world)

    # The pull request: checked without a secret, and shown beside what is published.
    base, head = world.propose(1, lambda tree: write(tree / f"submissions/{SLUG}/submission.yaml", document))
    outcome = world.submitted(1, base, head)
    assert outcome.failed is None, outcome.output
    assert "valid" in outcome.summary
    # Its transcripts are replayed and scored before anybody merges it: whoever opened it sees its place.
    assert "14 episodes hold by the rules" in outcome.output
    assert "### Preview" in outcome.summary
    assert "place  2 of 2 by structural: " in outcome.summary
    assert list(world.service.artefact("preview").glob(f"pairs/{SLUG}.html"))
    # What was merged is checked again.
    merged = world.merge(head)
    again = world.run("submission", "merged", merged)
    assert again.failed is None, again.output

    # A maintainer re-scores it; the judge that is a model is asked, with no word of the describer's.
    asked = len(world.models.seen)
    evaluated = world.run("evaluate", "evaluate", merged, inputs__slug=SLUG)
    assert evaluated.failed is None, evaluated.output
    assert "episodes hold by the rules (re-scored)" in evaluated.output
    judged = world.models.seen[asked:]
    assert {request.document["model"] for request in judged} == {"judge-one"}
    assert "a red circle in the middle" not in json.dumps([request.document for request in judged])
    provenance = json.loads((world.service.artefact("runs") / SLUG / "provenance.json").read_text())
    assert provenance["kind"] == "rescored"
    assert provenance["commit"] == merged
    assert provenance["source"] == document["transcripts"]

    # The dataset, then the site.
    published = world.run("evaluate", "publish", merged)
    assert published.failed is None, published.output
    assert b"rescored" in world.hub.repos[DATASET].tree["provenance.jsonl"].data
    for job in ("build", "deploy"):
        pages = world.run("pages", job, merged)
        assert pages.failed is None, pages.output
    page = (world.service.folder / "deployed" / "pairs" / f"{SLUG}.html").read_text()
    assert "My two models" in page
    assert "re-scored" in page or "re-scored" in (world.service.folder / "deployed" / "index.html").read_text()

    # Once a week: links, and the offline pairs again.
    for job in ("links", "reproduce"):
        checked = world.run("scheduled", job, merged)
        assert checked.failed is None, checked.output
    assert "1 of 2 runs played again: the same words and the same pictures" in checked.output

    # Maintainers change two built-in pairs and a page; from a fork, nobody may.
    def mend(tree: Path) -> None:
        for pair in ("builtin-classical-canvas", "builtin-classical-sketch"):
            with (tree / "submissions" / pair / "submission.yaml").open("a") as file:
                file.write("hardware: any laptop\n")
        (tree / "README.md").write_text("Another page.\n")

    base, head = world.propose(3, mend)
    theirs = world.submitted(3, base, head, REPOSITORY)
    assert theirs.failed is None, theirs.output
    assert "nothing to preview" in theirs.output
    assert "only maintainers" in world.submitted(3, base, head).output

    # Its submitter asks for it to be withdrawn: a line in its history, and the next release follows it.
    def withdraw(tree: Path) -> None:
        world.ircore("submission", "withdraw", tree / "submissions" / SLUG, "--reason", "we named the wrong model")

    base, head = world.propose(2, withdraw)
    asked_for = world.submitted(2, base, head)
    assert asked_for.failed is None, asked_for.output
    without = world.merge(head)
    released = world.run("release-dataset", "release", without, github__event__release__tag_name="v2026.2")
    assert released.failed is None, released.output
    repo = world.hub.repos[DATASET]
    assert repo.tags["v2026.2"] == repo.head
    assert SLUG.encode() not in repo.tree["runs.jsonl"].data
    assert b"we named the wrong model" in repo.tree["tombstones.jsonl"].data


def commands() -> set[str]:
    """All but those of ``ci``, which developers give every day."""
    files = (path for path in WORKFLOWS.glob("*.yml") if path.stem != "ci")
    return {step["run"] for path in files for _, step in steps_of(read_workflow(path)) if "run" in step}


def test_from_pull_request_to_site_and_dataset(world: World, subtests: pytest.Subtests) -> None:
    """One test, since it is one world: it takes about a minute and a half of processor."""
    for number, name in enumerate(BAD, start=100):
        with subtests.test(f"a pull request with {name}"):
            refuses(world, name, number)
    with subtests.test("a good pull request"):
        accepts(world)
    with subtests.test("every command was run"):
        # The demo stands in for a missing dataset.
        assert commands() - set(world.service.ran) == {"make demo PER_CONDITION=10"}
