"""A plug-in that cannot be imported is named with its reason, and everything else works."""

import io
import json
import subprocess
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest
from samples import sample_instances, sample_run

from ircore.commands.main import run as ircore_command
from ircore.core.drawing import Drawing
from ircore.core.images import Picture

ENTRY_POINTS = """\
[ircore.commands]
shatter = shattered:command
[ircore.games]
shards = shattered:Game
[ircore.judges]
splinter = shattered:Judge
[ircore.metrics]
crack = shattered:METRIC
[ircore.players]
glass = shattered:Player
[ircore.tables]
pane = shattered:TABLE
"""


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """Where an installed package lies whose module raises when it is imported."""
    packages = tmp_path / "packages"
    about = packages / "shattered-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: shattered\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(ENTRY_POINTS)
    (packages / "shattered.py").write_text('raise RuntimeError("the glass\\n is broken")\n')
    return packages


def ircore(packages: Path, *words: object) -> "subprocess.CompletedProcess[str]":
    """Run a command with the package installed, in this process, which spares starting one."""
    arguments = [str(word) for word in words]
    out, errors = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(errors):
        patch.syspath_prepend(packages)
        status = ircore_command(arguments)
    return subprocess.CompletedProcess(arguments, status, out.getvalue(), errors.getvalue())


def test_help_lists_a_broken_command_with_its_reason(broken: Path) -> None:
    said = ircore(broken, "--help")
    assert said.returncode == 0
    assert "broken: RuntimeError: the glass is broken" in said.stdout
    assert "Score the renderings of runs." in said.stdout
    assert ircore(broken, "shatter").returncode == 1


def test_games_lists_a_broken_game_with_its_reason(broken: Path) -> None:
    said = ircore(broken, "games", "--json")
    assert {"reconstruction", "reference"} <= {game["name"] for game in json.loads(said.stdout)["games"]}
    assert json.loads(said.stdout)["broken"] == [{"name": "shards", "broken": "RuntimeError: the glass is broken"}]


def test_compare_leaves_a_broken_metric_out(broken: Path, tmp_path: Path) -> None:
    path = tmp_path / "picture.png"
    path.write_bytes(Picture.from_pixels(Drawing(64, 64, "#ff0000").pixels).data)
    said = ircore(broken, "compare", path, path, "--json")
    assert said.returncode == 0
    assert "ircore: crack is left out" in said.stderr
    document = json.loads(said.stdout)
    assert document["metrics"]["ssim"] == 1
    assert document["metrics"]["crack"] is None
    assert "the glass is broken" in document["unavailable"]["crack"]


def test_a_broken_player_is_an_error_where_it_is_named_alone(broken: Path, tmp_path: Path) -> None:
    folder = tmp_path / "pair"
    folder.mkdir()
    (folder / "submission.yaml").write_text(
        "schema: 1\nname: Glass\ndescriber: {player: glass}\ngenerator: {player: canvas}\nlicence: CC0-1.0\n"
    )
    said = ircore(broken, "play", folder, "--instances", tmp_path, "--out", tmp_path / "run")
    assert said.returncode == 1
    assert "player 'glass' cannot be loaded: RuntimeError: the glass is broken" in said.stderr
    assert "Traceback" not in said.stderr


@pytest.mark.slow
def test_a_broken_table_is_left_out_of_all_and_an_error_where_it_is_named(broken: Path, tmp_path: Path) -> None:
    sample_run(tmp_path / "run", sample_instances(tmp_path / "set"))
    assert ircore(broken, "score", tmp_path / "run").returncode == 0
    said = ircore(broken, "results", tmp_path / "run", "--out", tmp_path / "tables")
    assert said.returncode == 0
    assert "left out: table 'pane' cannot be loaded: RuntimeError: the glass is broken" in said.stderr
    assert (tmp_path / "tables" / "board.csv").is_file()
    assert not (tmp_path / "tables" / "pane.csv").exists()
    assert ircore(broken, "results", tmp_path / "run", "--table", "pane").returncode == 1
