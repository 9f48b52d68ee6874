"""A maintainer's week, played whole: what waits stands in one issue, and ticks in it are all that a person does.

Three submissions (one honest, one broken, one cheating), a dispute, a withdrawal and a season, on a bare git remote, a
loopback Hub and a loopback GitHub.
"""

import json
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from github_server import GitHubServer, git
from pipeline_world import DATASET, SLUG, WORKFLOWS, World, github_of, hand_in, manifest, published_slugs, write
from transcripts import Handed
from workflows import read_workflow, steps_of

from ircore.core.images import Picture
from ircore.instances.store import read_instances

# Minutes on a slow machine: every command of the workflows starts a program of its own.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(2400)]

WORDS_A_MINUTE = 238
"""Silent reading of English, Brysbaert (2019), Journal of Memory and Language 109, 104047."""

SECONDS = {"tick": 10, "approval": 60, "held run": 60, "command": 30}
"""What else a maintainer does, each with a generous time: a held run is looked at on its page, picture by picture."""

INBOX = 5
MAINTAINER, STRANGER = "a-maintainer", "a-stranger"


class Effort(Counter[str]):
    """What a maintainer does, counted."""

    seen: frozenset[str] = frozenset()

    def read(self, text: str) -> None:
        """Count the words of new lines as a person sees them: no addresses of links, no hashes, no tags."""
        lines = text.splitlines()
        for line in lines:
            if line not in self.seen:
                shown = re.sub(r"\]\([^)]*\)|<[^>]*>|`[0-9a-f]{40}`", " ", line)
                self["word"] += len(re.findall(r"\w+", shown))
        self.seen = self.seen.union(lines)

    @property
    def minutes(self) -> float:
        return self["word"] / WORDS_A_MINUTE + sum(count * self[what] for what, count in SECONDS.items()) / 60


EFFORT = Effort()


@pytest.fixture
def github(world: World) -> Iterator[GitHubServer]:
    with github_of(world) as server:
        server.maintainers = {MAINTAINER}
        world.service.context |= {"vars.INBOX": str(INBOX)}
        yield server


def propose(world: World, github: GitHubServer, number: int, slug: str, document: dict[str, Any] | str) -> str:
    """Open a pull request, run its check, and return what the check wrote."""
    base, head = world.propose(number, lambda tree: write(tree / f"submissions/{slug}/submission.yaml", document))
    github.titles[number] = f"Submit {slug}\n- [x] **evaluate** `{slug}`"  # a title that would be a box
    outcome = world.submitted(number, base, head)
    if outcome.failed is None:
        github.green.add(head)
    return outcome.output


def cheat(world: World) -> dict[str, Any]:
    """Hand in the honest run's transcripts as a pair of its own, with targets in the place of first renderings."""
    packed = world.root / "cheat"
    shutil.copytree(world.root / "packed", packed)
    (run,) = (path.parent for path in packed.glob("*/pack.json"))
    for name in ("journal.jsonl", "run.json", "pack.json"):
        text = (run / name).read_text().replace(SLUG, "a-cheat").replace("My two models", "A cheat")
        (run / name).write_text(text)
    run = run.rename(packed / json.loads((run / "run.json").read_text())["run_id"])
    known = read_instances(world.root / "instances")
    handed = Handed(world.root, packed, run, known.folder)
    for instance in known.instances:
        # As a rendering is stored: photographs are JPEG files in the set.
        target = Picture.from_pixels(known.picture(instance, "target").pixels)
        handed.draw(target.data, (instance.instance_id,), target.width, target.height)
    repo = world.hub.add_repo("me/cheat", files=handed.files())
    return manifest(world, {"repo": "me/cheat", "revision": repo.head, "run": run.name}) | {"name": "A cheat"}


def weekly(world: World, github: GitHubServer) -> str:
    """Run the last job of the weekly workflow, and return what it wrote into the inbox."""
    # The gate looks at every pull request once an hour.
    for workflow, job in (("gate", "statuses"), ("scheduled", "inbox")):
        outcome = world.run(workflow, job, git(world.origin, "rev-parse", "main").strip())
        assert outcome.failed is None, outcome.output
    EFFORT.read(github.issues[INBOX])
    return github.issues[INBOX]


def tick(world: World, github: GitHubServer, sender: str, *lines: str) -> Any:
    """Tick the boxes whose lines begin as given, as an account, and run what that starts."""
    before = github.issues[INBOX]
    after = before
    for line in lines:
        assert f"- [ ] {line}" in before, before
        after = after.replace(f"- [ ] {line}", f"- [x] {line}")
    issue = {"number": INBOX, "body": after}
    event = {"issue": issue, "sender": {"login": sender}, "changes": {"body": {"from": before}}}
    (world.root / "event.json").write_text(json.dumps(event))
    outcome = world.run("inbox", "act", git(world.origin, "rev-parse", "main").strip())
    if outcome.failed is None:
        github.issues[INBOX] = after
        EFFORT["tick"] += len(lines)
    return outcome


def pull(world: World) -> None:
    world.git("pull", "-q", "--ff-only", "origin", "main")


def test_a_week(world: World, github: GitHubServer) -> None:
    # Monday: three pull requests came in. The broken one is refused by its check.
    honest = hand_in(world)
    assert "hold by the rules" in propose(world, github, 1, SLUG, honest)
    assert "::error" in propose(world, github, 2, "broken", "schema: 1\nname: broken\n")
    assert "identical_to_target" in propose(world, github, 3, "a-cheat", cheat(world))
    text = weekly(world, github)
    heads = {number: git(world.origin, "rev-parse", f"refs/pull/{number}/head").strip() for number in (1, 2, 3)}
    assert f"**accept** `#1` `{heads[1]}`" in text
    assert "#2" in text
    assert f"`{heads[2]}`" not in text
    assert text.count("\n- [x]") == 0, "a title is no box"

    # A stranger who can edit issues, and a box that was not offered, start nothing.
    before = git(world.origin, "rev-parse", "main")
    refused = tick(world, github, STRANGER, f"**accept** `#1` `{heads[1]}`")
    assert refused.failed is not None
    assert "may not push" in refused.output
    assert git(world.origin, "rev-parse", "main") == before

    # The maintainer accepts two; what waits to be evaluated is told with its cost, and evaluated at once.
    accepted = tick(world, github, MAINTAINER, f"**accept** `#1` `{heads[1]}`", f"**accept** `#3` `{heads[3]}`")
    assert accepted.failed is None, accepted.output
    text = weekly(world, github)
    assert re.search(rf"- \[ \] \*\*evaluate\*\* `{SLUG}` .*nothing to pay", text)
    ticked = tick(world, github, MAINTAINER, f"**evaluate** `{SLUG}`", "**evaluate** `a-cheat`")
    assert ticked.failed is None, ticked.output
    workflow, inputs = github.started[-1]
    EFFORT["approval"] += 1
    assert (workflow, inputs["slugs"]) == ("evaluate.yml", f"a-cheat,{SLUG}")
    context = {f"inputs__{name}": value for name, value in inputs.items()}
    for job in ("evaluate", "publish"):
        evaluated = world.run("evaluate", job, git(world.origin, "rev-parse", "main").strip(), **context)
        assert evaluated.failed is None, evaluated.output
    assert {SLUG, "a-cheat"} <= published_slugs(world)

    # Whoever looks at a pair at home sees its place among the published ones, which are fetched.
    pull(world)
    look = ("submission", "check", world.tree / "submissions" / SLUG, "--preview", world.root / "look")
    assert "place" in world.ircore(*look, DATASET=DATASET)

    # The cheat is held, with its findings; the honest pair is not. Withdrawn by a tick, it leaves dataset and site.
    text = weekly(world, github)
    held = text.partition("## Held")[2].partition("## Disputed")[0]
    run = re.search(r"\*\*withdraw\*\* `a-cheat` `([^`]+)`", held)
    assert run is not None, held
    assert SLUG not in held
    EFFORT["held run"] += 1
    assert tick(world, github, MAINTAINER, f"**withdraw** `a-cheat` `{run[1]}`").failed is None
    assert github.started[-1] == ("withdrawals.yml", {})
    followed = world.run("withdrawals", "publish", git(world.origin, "rev-parse", "main").strip())
    assert followed.failed is None, followed.output
    assert "a-cheat" not in published_slugs(world)

    # Somebody disputes the honest pair; a maintainer marks it, looks, and settles it by a tick.
    github.disputes.append((9, "Dispute: <img src=x> @everyone [x](https://evil.example)"))
    pull(world)
    world.ircore("submission", "dispute", world.tree / "submissions" / SLUG, "--reason", "is it so")
    world.git("add", "-A")
    world.git("commit", "-qm", "disputed")
    world.git("push", "-q", "origin", "main")
    EFFORT["command"] += 4  # dispute, add, commit, push
    text = weekly(world, github)
    assert f"**settle** `{SLUG}`" in text
    assert "<img" not in text
    assert "@everyone" not in text
    started = len(github.started)
    assert tick(world, github, MAINTAINER, f"**settle** `{SLUG}`").failed is None
    assert len(github.started) == started + 1
    assert github.started[-1] == ("withdrawals.yml", {})

    # A season is announced before anybody plays, and shown afterwards.
    pull(world)
    season, secret = world.root / "season.json", world.root / "secret"
    options = ("--out", secret, "--publish", season, "--per-condition", "1")
    world.ircore("submission", "season", "begin", "2027-spring", *options)
    world.ircore("submission", "season", "reveal", secret, "--publish", season)
    world.ircore("submission", "season", "verify", season, "--instances", secret / "instances")
    EFFORT["command"] += 3
    assert github.tokens_elsewhere == []
    # Every command of the workflows that are a maintainer's week was run.
    steps = [step for name in ("inbox", "withdrawals") for step in steps_of(read_workflow(WORKFLOWS / f"{name}.yml"))]
    steps += [step for step in steps_of(read_workflow(WORKFLOWS / "scheduled.yml")) if step[0] == "inbox"]
    assert {step["run"] for _, step in steps if "run" in step} <= set(world.service.ran)
    # The whole week, with a season, which does not come every week, takes one person ten minutes.
    print(f"{dict(EFFORT)}: {EFFORT.minutes:.1f} minutes")
    assert EFFORT["tick"] == 6
    assert EFFORT.minutes <= 10
