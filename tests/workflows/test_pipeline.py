"""From a pull request to the rebuilt site and the pushed dataset: every command of the workflows, run on this machine.

The code is a clone of this working tree; the Hub and the models are servers on loopback. Nothing leaves the machine.
"""

import json
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from github_server import GitHubServer, Uploaded
from pipeline_world import (
    DATASET,
    FIRST,
    PLAYED,
    REPOSITORY,
    SLUG,
    WORKFLOWS,
    World,
    github_of,
    hand_in,
    manifest,
    published_slugs,
    write,
)
from workflows import read_workflow, steps_of

from ircore.instances.store import read_instances
from ircore.submissions.seasons import begin_season, committed_set

# Minutes on a slow machine: every command of the workflows starts a program of its own.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(2400)]


@pytest.fixture
def github(world: World) -> Iterator[GitHubServer]:
    with github_of(world) as server:
        yield server


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
    "a link": (lambda world, tree: link_of(tree / f"submissions/{SLUG}/submission.yaml"), "is a symbolic link"),
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
    assert (outcome.failed or "").startswith('.venv/bin/ircore submission check-change "$BASE" "$HEAD" --by "$BY" ')
    assert told in outcome.output
    assert "::error" in outcome.output
    assert "refused" in outcome.summary
    assert "Traceback" not in outcome.output


def accepts(world: World, github: GitHubServer) -> None:
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
    assert re.search(r"place  1–[23] of 3 by structural: main score ", outcome.summary)
    assert list(world.service.artefact("preview").glob(f"pairs/{SLUG}.html"))
    # Its account and its messages are checked from outside, and its account is recorded once it is merged.
    github.titles[1] = "My two models"
    gate = world.run("gate", "statuses", base)
    assert gate.failed is None, gate.output
    assert github.statuses[head] == (True, "the account and the messages are in order")
    merged = world.merge(head)
    recorded = world.run("gate", "owners", merged)
    assert f"{SLUG}: belongs to somebody" in recorded.output
    world.git("pull", "-q", "--ff-only", "origin", "main")
    # What was merged is checked again.
    again = world.run("submission", "merged", merged)
    assert again.failed is None, again.output

    # A stranger's pull request leaves a newer artefact from a branch that is called main: it is not looked at.
    forged = world.service.artefact("foreign") / PLAYED
    shutil.copytree(world.root / "played", forged)
    github.uploads.append(Uploaded("foreign", created="2027-01-01T00:00:00Z", fork=True, event="pull_request"))

    # A maintainer re-scores it, and plays another pair; the judge that is a model is asked, with no word of the
    # describer's. The season is drawn again from its secret, and each pair that can be asked here plays ten pictures.
    asked = len(world.models.seen)
    secret = begin_season("2027-spring", world.root / "season", world.root / "season.json", per_condition=1)
    season = {"vars__SEASON": "2027-spring", "secrets__SEASON_SECRET": (world.root / "season/secret.json").read_text()}
    evaluated = world.run("evaluate", "evaluate", merged, inputs__slugs=f"{SLUG},{PLAYED}", **season)
    assert evaluated.failed is None, evaluated.output
    assert "secret pictures: no key here" in evaluated.output
    assert f"those of commitment {secret.commitment[:12]}" in evaluated.output
    assert "episodes hold by the rules (re-scored)" in evaluated.output
    judged = world.models.seen[asked:]
    assert {request.document["model"] for request in judged} == {"judge-one"}
    assert "a red circle in the middle" not in json.dumps([request.document for request in judged])
    provenance = json.loads((world.service.artefact("runs") / SLUG / "provenance.json").read_text())
    assert provenance["kind"] == "rescored"
    assert provenance["commit"] == merged
    assert provenance["source"] == document["transcripts"]
    assert "foreign" not in github.downloaded

    # The dataset, then the site. The runs of other games, which the first release has, stay in it.
    published = world.run("evaluate", "publish", merged, **season)
    assert published.failed is None, published.output
    assert published_slugs(world) == FIRST | {SLUG}
    # The gap of the pair that played them is public; the pictures, their seed and salt are not, nor what was said.
    (gap,) = json.loads(world.hub.repos[DATASET].tree["season_gaps.json"].data)["gaps"]
    assert gap["run_id"].startswith(PLAYED)
    held = committed_set(world.root / "season")
    pictures = read_instances(held.instances.folder).instances
    secrets = [held.salt, held.instances.identity, *(each.pictures["target"].sha256 for each in pictures)]
    public = [path.read_bytes() for path in (world.root / "service" / "artefacts").rglob("*") if path.is_file()]
    public += [file.data for file in world.hub.repos[DATASET].tree.values()] + [evaluated.output.encode()]
    assert not [word for word in secrets if any(word.encode() in data for data in public)]
    assert b"rescored" in world.hub.repos[DATASET].tree["provenance.jsonl"].data
    for job in ("build", "deploy"):
        pages = world.run("pages", job, merged)
        assert pages.failed is None, pages.output
    assert "season 2027-spring" in (world.service.folder / "deployed" / "boards" / "index.html").read_text()
    page = (world.service.folder / "deployed" / "pairs" / f"{SLUG}.html").read_text()
    assert "My two models" in page
    assert "re-scored" in page or "re-scored" in (world.service.folder / "deployed" / "index.html").read_text()

    # Once a week: links, and the offline pairs again.
    for job in ("links", "reproduce"):
        checked = world.run("scheduled", job, merged)
        assert checked.failed is None, checked.output
    assert "3 of 4 runs played again: the same words and the same pictures" in checked.output

    # Maintainers change two built-in pairs and a page; from a fork, nobody may.
    def mend(tree: Path) -> None:
        for pair in (PLAYED, "builtin-plain-canvas"):
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
    assert published_slugs(world) == FIRST
    assert SLUG.encode() not in repo.tree["runs.jsonl"].data
    assert b"we named the wrong model" in repo.tree["tombstones.jsonl"].data


def commands() -> set[str]:
    """All but those of ``ci``, which developers give every day, and those of a maintainer's week (``test_week``)."""
    files = (path for path in WORKFLOWS.glob("*.yml") if path.stem not in ("ci", "inbox", "withdrawals"))
    steps = [step for path in files for step in steps_of(read_workflow(path))]
    return {step["run"] for job, step in steps if "run" in step and job != "inbox"}


def test_from_pull_request_to_site_and_dataset(world: World, github: GitHubServer, subtests: pytest.Subtests) -> None:
    """One test, since it is one world: it takes about a minute and a half of processor."""
    for number, name in enumerate(BAD, start=100):
        with subtests.test(f"a pull request with {name}"):
            refuses(world, name, number)
    with subtests.test("a good pull request"):
        accepts(world, github)
    with subtests.test("every command was run"):
        # The demo stands in for a missing dataset.
        assert commands() - set(world.service.ran) == {"make demo PER_CONDITION=10"}
