"""``ircore new plugin``: each kind of package is written, installed by pip, passes its own test and is used."""

import json
import os
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest
from installed_packages import install_package
from samples import sample_instances, sample_run
from shared_folders import made_once

from ircore.commands.main import run as ircore
from ircore.commands.new import KINDS, build_plugin_files
from ircore.core.drawing import Drawing
from ircore.core.images import Picture

DOCS = Path(__file__).parents[3] / "docs"
PAGE = "\n".join((DOCS / name).read_text("utf-8") for name in ("adding-plug-ins.md", "adding-targets.md"))


NAMES = {
    "player": "one-colour", "judge": "mean-colour", "metric": "brightness", "category": "discs", "table": "played",
    "game": "fruit-quiz",
}  # fmt: skip
"""A name for each kind of plug-in, which the pages use too."""


def install_packages(folder: Path) -> None:
    """Write a package of each kind, and install all of them by pip, beside nothing else."""
    for kind, name in NAMES.items():
        assert ircore(["new", "plugin", kind, name, "--out", str(folder / name)]) == 0
    options = ["--quiet", "--no-deps", "--no-index", "--no-build-isolation", "--target", str(folder / "packages")]
    packages = [str(folder / name) for name in NAMES.values()]
    subprocess.run([sys.executable, "-m", "pip", "install", *options, *packages], check=True)


class User:
    """Gives commands in a folder, where plug-ins of all kinds are installed."""

    def __init__(self, folder: Path, packages: Path) -> None:
        self.folder, self.environment = folder, {**os.environ, "PYTHONPATH": str(packages)}

    def python(self, *words: object) -> str:
        command = [sys.executable, "-m", *map(str, words)]
        done = subprocess.run(
            command, env=self.environment, cwd=self.folder, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def ircore(self, *words: object) -> str:
        return self.python("ircore", *words)

    def picture(self, colour: str) -> Path:
        path = self.folder / f"{colour[1:]}.png"
        path.write_bytes(Picture.from_pixels(Drawing(64, 64, colour).pixels).data)
        return path


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_once(tmp_path_factory, "new-plug-ins", install_packages)


@pytest.fixture
def user(written: Path, tmp_path: Path) -> User:
    return User(tmp_path, written / "packages")


@pytest.mark.slow
def test_every_package_passes_its_own_test(user: User, written: Path) -> None:
    tests = [written / name / "tests" for name in NAMES.values()]
    printed = user.python("pytest", "-q", "-p", "no:cacheprovider", "--rootdir", user.folder, *tests)
    assert int(re.findall(r"(\d+) passed", printed)[0]) >= len(NAMES)


@pytest.mark.slow
def test_a_metric_compares_two_pictures(user: User) -> None:
    pictures = user.picture("#ffffff"), user.picture("#000000")
    compared = json.loads(user.ircore("compare", *pictures, "--metric", "brightness", "--json"))
    assert compared["metrics"]["brightness"] == 255


@pytest.mark.slow
def test_a_judge_scores_a_run_and_a_table_is_printed_by_name_and_with_all_others(user: User) -> None:
    sample_run(user.folder / "run", sample_instances(user.folder / "set", per_condition=3))
    user.ircore("score", "run", "--judge", "mean-colour")
    (row,) = json.loads(user.ircore("results", "run", "--judge", "mean-colour", "--json"))["rows"]
    # The sample's final renderings are exact, so that no colour differs.
    assert row["score"]["mean"] == 10
    (row,) = json.loads(user.ircore("results", "run", "--table", "played", "--json"))["rows"]
    # Of the twelve squares two begin right of column 40 (4 + 7 · 3 + 20 = 45), where the sample's describer aborts.
    assert (row["pair"], row["played"]) == ("Centre + Block", 10)
    user.ircore("results", "run", "--out", "tables")
    assert (user.folder / "tables" / "played.md").is_file()


@pytest.mark.slow
def test_a_category_is_drawn(user: User) -> None:
    user.ircore("instances", "build", "--category", "discs", "--per-condition", "2", "--out", "set")
    lines = (user.folder / "set" / "instances.jsonl").read_text().splitlines()
    instances = [json.loads(line) for line in lines]
    assert [(instance["category"], len(instance["payload"]["scene"]["elements"])) for instance in instances] == [
        ("discs", 1)
    ] * 2 + [("discs", 3)] * 2


@pytest.mark.slow
def test_a_player_plays(user: User) -> None:
    sample_instances(user.folder / "set")
    (user.folder / "pair").mkdir()
    (user.folder / "pair" / "submission.yaml").write_text(
        "schema: 1\nname: P\ndescriber: {player: classical}\ngenerator: {player: one-colour}\nlicence: CC0-1.0\n"
    )
    user.ircore("play", "pair", "--instances", "set", "--out", "run", "--rule", "max_turns=1")
    assert json.loads(user.ircore("show", "run", "--json"))["episodes"] == 4


@pytest.mark.slow
def test_a_game_is_built_played_and_scored(user: User) -> None:
    (user.folder / "pair").mkdir()
    (user.folder / "pair" / "submission.yaml").write_text(
        "schema: 1\ngame: fruit-quiz\nname: A\nguesser: {player: fruit-quiz-guesser}\nlicence: CC0-1.0\n"
    )
    user.ircore("instances", "build", "--game", "fruit-quiz", "--out", "set")
    user.ircore("play", "pair", "--instances", "set", "--out", "run")
    user.ircore("score", "run")
    (row,) = json.loads(user.ircore("results", "run", "--json"))["rows"]
    # The player always guesses an apple.
    rng = random.Random(0)
    fruits = [rng.choice(("apple", "pear")) for _ in range(20)]
    assert row["correct"]["mean"] == fruits.count("apple") / 20


@pytest.mark.slow
def test_the_importer_of_the_page_imports(tmp_path: Path) -> None:
    """The page's importer, installed as it stands there."""
    (code,) = re.findall(r"## An importer.*?```python\n(.*?)```", PAGE, re.DOTALL)
    (toml,) = re.findall(r"## An importer.*?```toml\n(.*?)```", PAGE, re.DOTALL)
    packages = install_package(tmp_path / "packages", "ircore-colours", toml, code)
    (tmp_path / "colours.txt").write_text("#ff0000\n#00ff00\n")
    command = [sys.executable, "-m", "ircore", "instances", "import", "colours", "colours.txt", "--out", "set"]
    environment = {**os.environ, "PYTHONPATH": str(packages)}
    subprocess.run(command, env=environment, cwd=tmp_path, check=True)
    lines = (tmp_path / "set" / "instances.jsonl").read_text().splitlines()
    assert [json.loads(line)["instance_id"] for line in lines] == ["colours-easy-01", "colours-easy-02"]


@pytest.mark.parametrize(("kind", "name"), NAMES.items())
def test_the_page_shows_what_is_written(kind: str, name: str) -> None:
    """So that the page's examples are the packages of the tests above, word for word."""
    assert f"ircore new plugin {kind} {name} --out" in PAGE
    files = build_plugin_files(kind, name)
    (module,) = (text for path, text in files.items() if "/" not in path and path.endswith(".py"))
    shown = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert module in shown


def test_plug_ins_of_one_name_can_be_installed_together() -> None:
    """A project or module of the same name would replace the one that was installed before."""
    written = [build_plugin_files(kind, "chess") for kind in KINDS]
    projects = {re.findall(r'^name = "(.+)"', files["pyproject.toml"], re.MULTILINE)[0] for files in written}
    modules = {path for files in written for path in files if path != "pyproject.toml"}
    assert {"ircore-game-chess", "ircore-player-chess"} <= projects
    assert {"ircore_game_chess.py", "tests/test_game_chess.py"} <= modules
    assert (len(projects), len(modules)) == (len(KINDS), 2 * len(KINDS))


def test_nothing_is_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine").write_text("precious")
    assert ircore(["new", "plugin", "metric", "sharpness", "--out", str(tmp_path)]) == 2
    assert "exists already" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


@pytest.mark.parametrize(("kind", "name", "problem"), [
    ("metric", "Sharp Ness", "not a name of a plug-in"),
    ("metric", "../up", "not a name of a plug-in"),
    ("metric", "ssim", "metric ssim: is installed already"),
    ("player", "canvas", "player canvas: is installed already"),
    ("category", "geometry", "category geometry: is installed already"),
    ("table", "board", "table board: is installed already"),
    ("game", "payload", "game payload: means something else"),
    ("player", "drawing", "player drawing: means something else"),
    ("judge", "human", "judge human: means people's ratings, recorded answers or a whole board"),
    ("player", "recorded", "player recorded: means people's ratings"),
    ("category", "all", "category all: means"),
    ("category", "easy", "category easy: means"),
    ("table", "overall", "table overall: means"),
    ("game", "index", "game index: is kept by the site or by Windows"),
    ("metric", "con", "metric con: is kept by the site or by Windows"),
    ("judge", "text-f1", "judge text-f1: is installed already"),
])  # fmt: skip
def test_a_name_that_cannot_be_had_is_refused(
    kind: str, name: str, problem: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ircore(["new", "plugin", kind, name, "--out", str(tmp_path / "new")]) == 2
    assert problem in capsys.readouterr().err
    assert not (tmp_path / "new").exists()
