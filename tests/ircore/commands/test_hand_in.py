"""One command from nothing to a pull request: a loopback model, a loopback Hub and a bare git remote."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hub_clients import environment_for
from hub_server import HubServer, running_hub
from openai_server import OpenAIServer, serving
from samples import sample_instances, sample_run
from workflows import quick_commands

from ircore.commands.submission import hand_in
from ircore.commands.submission.hand_in import STEPS
from ircore.players.submission import read_manifest
from ircore.runs.folder import RunFolder
from ircore.submissions.branches import place_of

SLUG = "my-models"


@dataclass
class World:
    """A submitter's machine, with what it can reach.

    Attributes:
        clone: The clone, with the remotes ``origin``, a fork, and ``upstream``, the main repository.
        origin: The fork.
        upstream: The main repository.
        program: The command line.
    """

    clone: Path
    origin: Path
    upstream: Path
    hub: HubServer
    models: OpenAIServer
    environment: dict[str, str]
    program: Path

    @property
    def folder(self) -> Path:
        return self.clone / "submissions" / SLUG

    @property
    def seats(self) -> tuple[str, ...]:
        address = self.models.base_url
        return (f"describer=openai a-describer {address}", f"generator=openai-images a-generator {address}")

    def hand_in(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Give the command, without a terminal."""
        command = [str(self.program), "submission", "hand-in", f"submissions/{SLUG}", *words]
        return subprocess.run(
            command, cwd=self.clone, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=300, check=False,
        )  # fmt: skip

    def git(self, folder: Path, *words: str) -> str:
        command = ["git", "-C", str(folder), *words]
        return subprocess.run(command, env=self.environment, capture_output=True, text=True, check=True).stdout.strip()


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with quick_commands(tmp_path_factory.mktemp("program")) as program:
        yield program


@pytest.fixture
def world(tmp_path: Path, program: Path) -> Iterator[World]:
    clone, origin, upstream = tmp_path / "clone", tmp_path / "origin.git", tmp_path / "upstream.git"
    sample_instances(tmp_path / "instances")
    (clone / "submissions").mkdir(parents=True)
    (clone / "README.md").write_text("The project.\n")
    with running_hub() as hub, serving(side=64, turns=1) as models:
        names = {f"GIT_{who}_{what}": "somebody" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        paths = os.pathsep.join([*(path for path in sys.path if path), os.environ.get("PYTHONPATH", "")])
        environment = environment_for(hub, tmp_path / "home") | names | {"PYTHONPATH": paths}
        # Without the program gh, wherever these tests are run.
        environment["PATH"] = str(tmp_path / "bin")
        (tmp_path / "bin").mkdir()
        (tmp_path / "bin" / "git").symlink_to(subprocess.check_output(["which", "git"], text=True).strip())
        made = World(clone, origin, upstream, hub, models, environment, program)
        made.git(tmp_path, "init", "-q", "-b", "main", str(clone))
        for words in (["add", "-A"], ["commit", "-qm", "start"]):
            made.git(clone, *words)
        for name, place in (("origin", origin), ("upstream", upstream)):
            made.git(tmp_path, "init", "-q", "--bare", "-b", "main", str(place))
            made.git(clone, "remote", "add", name, str(place))
            made.git(clone, "push", "-q", name, "main")
        yield made


@pytest.mark.slow
def test_from_nothing_to_a_pull_request(world: World) -> None:
    instances = ("--instances", str(world.clone.parent / "instances"))
    seats = tuple(word for seat in world.seats for word in ("--seat", seat))
    (world.clone / "unfinished.txt").write_text("other work of the submitter")

    # Everything by options: it stops where the repository for the transcripts is not named …
    stopped = world.hand_in("--yes", "--max-cost", "5", *seats, *instances)
    assert stopped.returncode == 2, stopped.stdout + stopped.stderr
    assert "Give --repo ORG/NAME" in stopped.stderr
    assert "self-reported" in stopped.stderr
    assert "a-describer, a-generator: on this machine, taken to cost nothing" in stopped.stderr
    asked = len(world.models.seen)
    # … and goes on there, without a question to the models that was asked before.
    done = world.hand_in("--yes", "--repo", "org/mine", *instances)
    assert done.returncode == 0, done.stderr
    assert len(world.models.seen) == asked
    # No score is computed twice, for the rehearsal, whose pictures are those of the run, or when it is started again.
    first, rehearsed, started_again = (
        list(map(int, counts)) for counts in re.findall(r"1 run: (\d+) scores, (\d+) new", stopped.stdout + done.stdout)
    )
    assert first[0] == first[1] == rehearsed[0] == started_again[0] > 0
    assert rehearsed[1] == started_again[1] == 0
    assert "left out, since this very run was rehearsed" in done.stderr
    assert "gh pr create --base main --head my-models" in done.stdout
    assert "place" in stopped.stdout

    reference = read_manifest(world.folder).submission.transcripts
    assert reference is not None
    assert (reference.repo, reference.revision) == ("org/mine", world.hub.repos["org/mine"].head)
    assert not world.hub.repos["org/mine"].private
    # The branch holds the manifest and nothing else; the user's own files and branch are as they were.
    changed = world.git(world.origin, "diff", "--name-only", "main", SLUG)
    assert changed == f"submissions/{SLUG}/submission.yaml"
    assert world.git(world.clone, "rev-parse", "--abbrev-ref", "HEAD") == "main"

    # Once more: nothing is left to do, nothing is uploaded, committed or asked again.
    commits = (world.hub.repos["org/mine"].head, world.git(world.origin, "rev-parse", SLUG))
    again = world.hand_in("--yes", *instances)
    assert again.returncode == 0, again.stderr
    assert (world.hub.repos["org/mine"].head, world.git(world.origin, "rev-parse", SLUG)) == commits
    assert len(world.models.seen) == asked


@pytest.mark.slow
def test_a_run_is_announced_before_it_is_played(world: World) -> None:
    seats = tuple(word for seat in world.seats for word in ("--seat", seat))
    instances = ("--instances", str(world.clone.parent / "instances"))
    words = ("--yes", "--commit", "--played-by", "me", "--repo", "org/mine", *instances)

    # First the pull request, with the commitment and without transcripts: no model is asked yet.
    announced = world.hand_in(*words, *seats)
    assert announced.returncode == 0, announced.stderr
    assert "Once the pull request is merged" in announced.stderr
    assert world.models.seen == []
    submission = read_manifest(world.folder).submission
    assert submission.commitment is not None
    assert submission.commitment in world.git(world.origin, "show", f"{SLUG}:submissions/{SLUG}/submission.yaml")
    # Nothing is merged yet: the same command says so again, and nothing else happens.
    assert "Once the pull request is merged" in world.hand_in(*words).stderr
    assert world.models.seen == []

    # The pull request is merged, and the run is played by the merge commit.
    merging = world.clone.parent / "merging"
    world.git(merging.parent, "clone", "-q", str(world.upstream), str(merging))
    world.git(merging, "fetch", "-q", str(world.origin), SLUG)
    world.git(merging, "merge", "-q", "--no-ff", "-m", "merged", "FETCH_HEAD")
    world.git(merging, "push", "-q", "origin", "main")
    done = world.hand_in(*words)
    assert done.returncode == 0, done.stderr
    run = RunFolder(world.clone / "build" / "runs" / SLUG).run
    assert run.opening is not None
    assert run.opening.nonce == world.git(merging, "rev-parse", "main")
    assert f"{run.opening.salt}\n" == (world.clone / f"{SLUG}.salt").read_text()
    assert "transcripts:" in world.git(world.origin, "show", f"{SLUG}:submissions/{SLUG}/submission.yaml")
    # The pull request holds the manifest alone; the secret number is in no commit.
    assert world.git(world.origin, "diff", "--name-only", "main", SLUG) == f"submissions/{SLUG}/submission.yaml"


@pytest.mark.slow
def test_a_part_of_the_set_is_told_before_play(world: World) -> None:
    """The published runs say which set counts: a pair that was played on less of it would never be scored."""
    seats = tuple(word for seat in world.seats for word in ("--seat", seat))
    words = ("--yes", *seats, "--played-by", "me", "--dry-run")
    published = world.clone.parent / "published"
    sample_run(published / "runs" / "other", sample_instances(published / "instances", per_condition=2))
    refused = world.hand_in(*words, "--instances", str(world.clone.parent / "instances"), "--published", str(published))
    assert refused.returncode == 2
    assert "has 4 of the 8 instances that count for reconstruction" in refused.stderr
    assert world.models.seen == []


OFFLINE = ("--yes", "--seat", "describer=classical", "--seat", "generator=canvas")


def branches(world: World, place: Path) -> set[str]:
    return set(world.git(place, "for-each-ref", "--format=%(refname:short)", "refs/heads").split())


@pytest.mark.slow
def test_nothing_is_pushed_to_the_main_repository(world: World) -> None:
    """In a clone of the main repository, ``origin`` is no fork: everything is done but the push."""
    for words in (["remote", "remove", "origin"], ["remote", "rename", "upstream", "origin"]):
        world.git(world.clone, *words)
    refused = world.hand_in(*OFFLINE)
    assert refused.returncode == 2
    assert "origin is the repository to be merged into" in refused.stderr.splitlines()[-2]
    assert "--remote fork" in refused.stderr.splitlines()[-1]
    assert "git remote add upstream ADDRESS" in refused.stderr.splitlines()[-1]
    assert refused.stderr.startswith("Nothing will be pushed: ")
    assert branches(world, world.upstream) == {"main"}
    assert SLUG in branches(world, world.clone)
    # As it says: the fork is named once.
    world.git(world.clone, "remote", "add", "fork", str(world.origin))
    assert "Name your fork: --remote fork." in world.hand_in(*OFFLINE).stderr
    done = world.hand_in(*OFFLINE, "--remote", "fork")
    assert done.returncode == 0, done.stderr
    assert branches(world, world.upstream) == {"main"}
    assert branches(world, world.origin) == {"main", SLUG}


@pytest.mark.slow
@pytest.mark.parametrize("way", ["push address", "rule", "link"])
def test_every_way_to_the_main_repository_is_known(world: World, way: str) -> None:
    upstream = str(world.upstream)
    if way == "push address":
        world.git(world.clone, "remote", "set-url", "--add", "--push", "origin", upstream)
    elif way == "rule":
        world.git(world.clone, "config", f"url.{upstream}.insteadOf", str(world.origin))
    else:
        (world.clone.parent / "link").symlink_to(upstream)
        world.git(world.clone, "remote", "set-url", "origin", "../link")
    refused = world.hand_in(*OFFLINE)
    assert refused.returncode == 2, refused.stderr
    assert "the repository to be merged into" in refused.stderr
    assert branches(world, world.upstream) == branches(world, world.origin) == {"main"}


@pytest.mark.parametrize(
    "address",
    [
        "https://github.com/org/benchmark", "https://github.com/Org/Benchmark.git",
        "https://somebody:token@github.com:443/org/benchmark.git/", "http://www.github.com/org/benchmark",
        "git@github.com:org/benchmark.git", "github.com:org/benchmark", "work-account:org/benchmark",
        "ssh://git@ssh.github.com:443/org/benchmark.git", "git://github.com/org//benchmark",
        "git+ssh://git@github.com/org/bench%6Dark",
    ],
)  # fmt: skip
def test_a_repository_is_one_however_it_is_reached(address: str) -> None:
    assert place_of(address, Path()) == "org/benchmark"
    assert place_of(address.replace("org", "me").replace("Org", "me"), Path()) == "me/benchmark"


@pytest.mark.slow
def test_a_dry_run_does_all_but_push(world: World) -> None:
    done = world.hand_in(*OFFLINE, "--dry-run")
    assert done.returncode == 0, done.stderr
    assert branches(world, world.origin) == branches(world, world.upstream) == {"main"}
    changed = world.git(world.clone, "diff", "--name-only", "main", SLUG)
    assert changed == f"submissions/{SLUG}/submission.yaml"
    assert "+ ircore submission check-change" in done.stderr
    assert "The push and the pull request are left out, since --dry-run is given." in done.stderr
    assert f"git push origin {SLUG}" in done.stderr
    # Every step says what it does, or why it is left out.
    lines = [line for line in done.stderr.splitlines() if line[:2] in {f"{number}." for number in range(1, 8)}]
    assert [line.partition(":")[0] for line in lines] == [f"{n}. {title}" for n, title in enumerate(STEPS, start=1)]
    assert lines[2:6] == [
        f"{number}. {title}: left out, since the maintainers will play the pair"
        for number, title in enumerate(STEPS[2:6], start=3)
    ]
    # The same without it goes on there.
    assert world.hand_in(*OFFLINE).returncode == 0
    assert SLUG in branches(world, world.origin)


@pytest.mark.slow
def test_outside_of_a_clone_nothing_is_begun(world: World, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    place = replace(world, clone=tmp_path / "elsewhere")
    refused = place.hand_in(*OFFLINE)
    assert refused.returncode == 2
    assert "not in a clone of the repository" in refused.stderr
    assert not place.folder.exists()


@pytest.mark.slow
def test_gh_opens_the_pull_request_where_it_is_installed(world: World) -> None:
    gh = world.clone.parent / "bin" / "gh"
    gh.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {world.clone.parent}/asked\n')
    gh.chmod(0o755)
    done = world.hand_in(*OFFLINE)
    assert done.returncode == 0, done.stderr
    asked = (world.clone.parent / "asked").read_text().splitlines()
    assert asked[:6] == ["pr", "create", "--base", "main", "--head", SLUG]


def test_a_seat_of_a_rule_brings_its_rule() -> None:
    plan: Any = SimpleNamespace(
        game="reasoning", seats=("drawer=editor", "reader=editor", "thinker=solver"), rules=(), yes=True
    )
    players = [f"--player {seat}" for seat in plan.seats]
    assert " ".join(hand_in._build_seat_options(plan)) == f"{players[0]} {players[1]} --rule thinking=true {players[2]}"
    plan.rules = ("thinking=false",)
    assert " ".join(hand_in._build_seat_options(plan)) == " ".join(["--rule thinking=false", *players])


def test_a_rehearsal_holds_for_this_program_manifest_run_scores_and_site_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan: Any = SimpleNamespace(folder=tmp_path, run=tmp_path, published="")
    files = [tmp_path / name for name in ("submission.yaml", "run.json", "journal.jsonl", "scores.jsonl")]
    for file in files:
        file.touch()
    states = [hand_in._state(plan)]
    for file in files:
        file.write_text("changed")
        states.append(hand_in._state(plan))
    plan.published = "org/data"
    states.append(hand_in._state(plan))
    monkeypatch.setattr(hand_in, "__version__", "another")
    assert len({*states, hand_in._state(plan)}) == 7
