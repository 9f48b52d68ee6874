"""A category of targets and a format that another package adds to the reconstruction game, as a user meets them."""

import json
from pathlib import Path

import pytest
from toy_games import Toy, installed

from ircore.core.images import read_picture
from ircore.instances.store import read_instances

pytestmark = pytest.mark.slow

PAIR = Path(__file__).parents[2] / "submissions" / "builtin-captioner-sketch"


@pytest.fixture(scope="session")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return installed("toy_targets", tmp_path_factory)


@pytest.fixture
def user(tmp_path: Path, packages: Path) -> Toy:
    return Toy(tmp_path, packages)


def test_a_category_is_drawn_when_it_is_asked_for_and_played(user: Toy) -> None:
    asked = ["--category", "discs", "--category", "geometry", "--per-condition", "1", "--seed", "7"]
    user.run("instances", "build", *asked, "--out", "set")
    user.run("instances", "build", *asked, "--out", "again")
    made = read_instances(user.folder / "set")
    assert [(instance.category, instance.difficulty) for instance in made.instances] == [
        ("geometry", "easy"), ("geometry", "hard"), ("discs", "easy"), ("discs", "hard"),
    ]  # fmt: skip
    assert made.identity == read_instances(user.folder / "again").identity
    discs = {instance.difficulty: instance.scene for instance in made.instances if instance.category == "discs"}
    assert {name: len(scene.elements) for name, scene in discs.items() if scene} == {"easy": 1, "hard": 2}
    user.run("play", PAIR, "--instances", "set", "--category", "discs", "--out", "run")
    shown = json.loads(user.run("show", "run", "--json"))
    assert shown["episodes"] == 2


def test_a_category_with_kinds_of_its_own_goes_all_the_way_to_site_and_release(user: Toy) -> None:
    user.run("instances", "build", "--category", "clocks", "--per-condition", "3", "--seed", "7", "--out", "set")
    user.run("play", PAIR, "--instances", "set", "--out", "run")
    user.run("score", "run")
    assert json.loads((user.folder / "run/judges/verified.json").read_text())["categories"][-1] == "clocks"
    board = json.loads(user.run("results", "run", "--json"))
    assert "verified" in board["caption"]
    # Neither drawer nor describer of this pair knows clocks: what they show of one is little, and it is rated.
    facts = json.loads(user.run("results", "run", "--table", "facts", "--json"))
    kinds = {row["part"]: row["facts"] for row in facts["rows"] if row["difficulty"] == "hard"}
    assert kinds["text"] == 3 * 12
    user.run("site", "build", "--runs", "run", "--out", "site")
    assert "The hand at" in "".join(page.read_text() for page in (user.folder / "site").rglob("*.html"))
    user.run("release", "build", "--runs", "run", "--instances", "set", "--out", "release")
    assert "0 faults" in user.run("release", "check", "--no-load", "release")
    user.run("release", "pull", "release", "--out", "pulled")
    pulled = next((user.folder / "pulled").rglob("instances.jsonl"))
    assert '"kinds":{"dial":0.5,"hand":2.0}' in pulled.read_text()


def test_a_category_that_cannot_be_imported_stops_nothing_else(user: Toy) -> None:
    said = user.run("instances", "build", "--category", "torn", "--out", "set", status=1)
    assert "'category.torn' cannot be loaded" in said
    assert not (user.folder / "set").exists()
    user.run("instances", "build", "--category", "discs", "--per-condition", "1", "--out", "set")


def test_a_format_is_imported_by_its_name(user: Toy) -> None:
    (user.folder / "colours.txt").write_text("#ff0000\n#00ff00\n")
    user.run("instances", "import", "colours", "colours.txt", "--licence", "CC-BY-4.0", "--out", "set")
    made = read_instances(user.folder / "set")
    assert [(instance.instance_id, instance.category, instance.licence) for instance in made.instances] == [
        ("colour-01", "colours", "CC-BY-4.0"),
        ("colour-02", "colours", "CC-BY-4.0"),
    ]
    pictures = [read_picture(user.folder / "set" / instance.pictures["target"].image) for instance in made.instances]
    assert [picture.pixels[0, 0].tolist() for picture in pictures] == [[255, 0, 0], [0, 255, 0]]
    said = user.run("instances", "import", "colors", "colours.txt", "--out", "other", status=2)
    assert "Did you mean colours?" in said
