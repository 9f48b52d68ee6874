"""A release of a game from outside on the Hub: checked and pulled by name, and not pushed as one of reconstruction."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hub_clients import environment_for
from hub_server import HubServer, running_hub
from releases import contents
from toy_games import MANIFEST, Toy

REPO = "org/rps"


@pytest.fixture
def hub() -> Iterator[HubServer]:
    with running_hub() as server:
        yield server


@pytest.fixture
def release(toy: Toy, hub: HubServer) -> Path:
    """A release, and commands that talk to the Hub."""
    toy.run("play", toy.manifest("fair", text=MANIFEST), "--instances", "instances", "--out", "run")
    toy.run("score", "run")
    toy.run("release", "build", "--runs", "run", "--instances", "instances", "--out", "release")
    toy.environment = environment_for(hub, toy.folder / "hf") | {"PYTHONPATH": toy.environment["PYTHONPATH"]}
    return toy.folder / "release"


def test_push_says_in_one_line_how_it_is_uploaded(toy: Toy, release: Path, hub: HubServer) -> None:
    for more in ((), ("--dry-run",)):
        said = toy.run("release", "push", release, "--repo", REPO, *more, status=2)
        assert "a release of another game" in said
        assert f"hf upload {REPO} {release} --repo-type dataset" in said
    assert REPO not in hub.repos


def test_a_release_on_the_hub_is_checked_and_pulled_by_name(toy: Toy, release: Path, hub: HubServer) -> None:
    hub.add_repo(REPO, files=contents(release))
    # 12 rounds, 4 instances, 4 episodes, 20 values, 1 run; three signs.
    assert f"{REPO}: 0 faults in 41 rows and 3 pictures" in toy.run("release", "check", REPO)
    toy.run("release", "pull", REPO, "--out", "pulled")
    (pulled,) = (toy.folder / "pulled" / "runs").iterdir()
    assert toy.json("results", pulled)["rows"] == toy.json("results", "run")["rows"]

    repo = hub.repos[REPO]
    card = repo.tree["README.md"]
    repo.commit("spoil", {**repo.tree, "README.md": card._replace(data=card.data + b"more")})
    assert "README.md: not the card of release.json" in toy.start("release", "check", REPO).communicate()[0]
