"""Every job of the workflows, rehearsed: its steps in order, from a fresh clone; Hub and GitHub's API are on loopback.

Pull requests of strangers and maintainers, an evaluation that is approved late while another one plays, two games, a
push that fails, a withdrawal while pairs are played. Nothing leaves the machine.
"""

import json
import shutil
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from github_server import Uploaded
from hub_server import HubError
from rehearsal_world import DATASET, FIRST, REPOSITORY, WORKFLOWS, World, files_below, running_world, write
from workflows import read_workflow, steps_of

from ircore.submissions.seasons import begin_season

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1200)]

SLUG = "my-players"
MANIFEST: dict[str, Any] = {
    "schema": 1, "game": "reference", "name": "Mine + mine", "speaker": {"player": "literal"},
    "listener": {"player": "looker"}, "licence": "CC-BY-4.0", "submitter": "somebody",
}  # fmt: skip
PLACE = f"submissions/{SLUG}/submission.yaml"


def hand_in(world: World, demo: Path) -> dict[str, Any]:
    """Play at home, pack, upload; return the manifest that names the transcripts."""
    home = write(world.root / "home-of-a-submitter" / SLUG / "submission.yaml", MANIFEST).parent
    run, packed = world.root / "played", world.root / "packed"
    world.ircore("play", home, "--instances", demo / "contexts", "--out", run)
    about = json.loads(world.ircore("submission", "pack", run, "--out", packed, "--json"))
    repo = world.hub.add_repo("me/mine", files=files_below(packed))
    return MANIFEST | {"transcripts": {"repo": "me/mine", "revision": repo.head, "run": about["run"]}}


def link_of(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to("/etc/passwd")


BAD: dict[str, tuple[Callable[[Path], object], str]] = {
    "a workflow and code besides": (
        lambda tree: (
            write(tree / PLACE, MANIFEST),
            write(tree / ".github/workflows/submission.yml", "on: pull_request\n"),
            write(tree / "sitecustomize.py", "open('/tmp/owned', 'w')"),
        ),
        "sitecustomize.py",
    ),
    "a link": (lambda tree: link_of(tree / PLACE), "is a symbolic link"),
    "another account": (lambda tree: write(tree / PLACE, MANIFEST | {"submitter": "else"}), "names else, and somebody"),
}


def propose(world: World, demo: Path) -> str:
    """Pull requests and the merge queue; return the commit of the branch main with the merged pair."""
    for number, (change, told) in enumerate(BAD.values(), start=100):
        outcome = world.checked(world.propose(number, change))
        assert (outcome.failed or "").startswith('.venv/bin/ircore submission check-change "$BASE" "$HEAD"')
        assert told in outcome.output
        assert "refused" in outcome.summary
        assert "Traceback" not in outcome.output
    # The check reports for a change without a submission, too, and does no more.
    page = world.checked(world.propose(1, lambda tree: (tree / "README.md").write_text("Another page.\n")))
    assert page.failed is None, page.output
    assert "release pull" not in page.output

    document = hand_in(world, demo)
    head = world.propose(2, lambda tree: write(tree / PLACE, document))
    outcome = world.checked(head)
    assert outcome.failed is None, outcome.output
    assert "14 episodes hold by the rules" in outcome.output, outcome.output
    assert "### Preview" in outcome.summary
    assert list(world.service.artefact("preview").glob(f"**/*{SLUG}*.html"))
    queued = world.queued(head)
    assert queued.failed is None, queued.output
    return world.merge(head)


def evaluate(world: World) -> None:
    """Two evaluations of two games: the first one is approved only while the second one plays, and again afterwards."""
    # Nothing waits for a run that nobody approves.
    assert "concurrency" not in read_workflow(WORKFLOWS / "evaluate.yml")
    secret = begin_season("2027-spring", world.root / "season", world.root / "season.json", per_condition=1)
    assert secret.commitment
    # A stranger's pull request leaves a newer artefact from a branch that is called main: it is not looked at.
    shutil.copytree(world.root / "played", world.service.artefact("foreign") / "editor")
    forged = Uploaded("foreign", created="2027-01-01T00:00:00Z", fork=True, event="pull_request")
    world.github.uploads.append(forged)

    waiting = world.run("evaluate", "waiting")
    assert waiting.outputs == {"count": "4"}, waiting.output
    assert "4 evaluations: at most about 0.00 US$" in waiting.summary
    world.github.unapproved = [1]
    weekly = world.run("evaluate", "waiting", github__event_name="schedule")
    assert (weekly.outputs, weekly.failed) == ({"count": "0"}, None)
    assert "evaluation 1 waits for an approval already" in weekly.summary

    world.github.under_way = [2]
    early = world.run("evaluate", "evaluate")
    assert (early.failed or "").startswith(".venv/bin/ircore maintain paid ")
    assert "evaluation 2 is under way" in early.output

    world.github.under_way = []
    second = world.run("evaluate", "evaluate", inputs__slugs=f"{SLUG},editor,nobody")
    assert second.failed is None, second.output
    assert "2 evaluated: editor, my-players" in second.output
    assert "1 skipped, since they do not wait: nobody" in second.output
    assert second.outputs == {"finished": "2"}
    kinds = [
        json.loads((world.service.artefact("finished") / slug / "provenance.json").read_text())["kind"]
        for slug in (SLUG, "editor")
    ]
    assert kinds == ["rescored", "maintainers"]
    assert "foreign" not in world.github.downloaded

    # While it played, its submitter took the new pair back, and maintainers took a published one out.
    def withdraw(tree: Path) -> None:
        world.ircore("maintain", "withdraw", tree / "submissions" / SLUG, "--reason", "we named the wrong player")

    head = world.propose(3, withdraw)
    assert "belongs to the account somebody" in world.checked(head, "else").output
    asked = world.checked(head)
    assert asked.failed is None, asked.output
    world.merge(head)

    def take_out(tree: Path) -> None:
        world.ircore("maintain", "withdraw", tree / "submissions" / "looker", "--reason", "another version looked")
        (tree / "README.md").write_text("Another page.\n")

    head = world.propose(4, take_out)
    assert "only maintainers" in world.checked(head).output
    theirs = world.checked(head, "maintainer", REPOSITORY)
    assert theirs.failed is None, theirs.output
    world.merge(head)


def publish(world: World) -> None:
    """What was decided reaches the dataset although a push fails; what was withdrawn meanwhile is not published."""
    world.hub.fail("POST .*/commit/", HubError(500, "error", "out of order"), times=9)
    broken = world.run("dataset", "publish")
    assert (broken.failed or "").startswith(".venv/bin/ircore release push "), broken.output
    assert world.published() == set(FIRST)
    world.hub.forgive()
    tagged = world.run("dataset", "publish", github__event__release__tag_name="v2026.2")
    assert tagged.failed is None, tagged.output
    repo = world.hub.repos[DATASET]
    assert repo.tags["v2026.2"] == repo.head
    assert b"another version looked" in repo.tree["tombstones.jsonl"].data
    assert world.published() == set(FIRST) - {"looker"}

    published = world.run("evaluate", "publish", needs__evaluate__outputs__finished="2")
    assert published.failed is None, published.output
    assert world.published() == set(FIRST) - {"looker"}, "the pair that was withdrawn meanwhile stays out"
    assert b'"maintainers"' in repo.tree["provenance.jsonl"].data


def approve_late(world: World) -> None:
    """The first evaluation is approved: all that it names is done or gone. A season is set, and stays secret."""
    nothing = world.run("evaluate", "waiting", inputs__slugs=f"{SLUG},editor")
    assert nothing.outputs == {"count": "0"}
    assert "my-players: skipped, since it does not wait" in unescape(nothing.summary)
    assert world.run("evaluate", "evaluate", needs__waiting__outputs__count="0").skipped
    season = {"vars__SEASON": "2027-spring", "secrets__SEASON_SECRET": (world.root / "season/secret.json").read_text()}
    late = world.run("evaluate", "evaluate", inputs__slugs=f"{SLUG},editor", **season)
    assert late.failed is None, late.output
    assert "2 skipped, since they do not wait: my-players, editor" in late.output
    assert late.outputs == {"finished": "0"}
    assert world.run("evaluate", "publish", needs__evaluate__outputs__finished="0").skipped


def look_after(world: World) -> None:
    """The site, and the weekly jobs."""
    for job in ("build", "deploy"):
        pages = world.run("pages", job)
        assert pages.failed is None, pages.output
    deployed = world.service.folder / "deployed"
    assert "builtin-plain-canvas" in (deployed / "pending.html").read_text(), "nobody vouches for the demo's run"
    assert "editor" not in (deployed / "pending.html").read_text().partition("<h1")[2]
    assert "we named the wrong player" in (deployed / "changes.html").read_text()
    for job in ("submissions", "reproduce"):
        checked = world.run("scheduled", job)
        assert checked.failed is None, checked.output
    assert "2 of 2 runs played again: the same words and the same pictures" in checked.output


def test_every_job_of_the_workflows(tmp_path: Path, demo: Path) -> None:
    with running_world(tmp_path, demo) as world:
        propose(world, demo)
        evaluate(world)
        publish(world)
        approve_late(world)
        look_after(world)
        assert world.github.tokens_elsewhere == []
        files = (path for path in WORKFLOWS.glob("*.yml") if path.stem != "ci")
        commands = {step["run"] for path in files for _, step in steps_of(read_workflow(path)) if "run" in step}
        # The demo stands in for a missing dataset; developers give what ``ci`` does every day.
        assert commands - world.service.ran == {"make demo PER_CONDITION=10"}
