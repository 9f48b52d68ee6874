"""A plug-in that cannot be imported, is something else or breaks at work is named, and everything else works."""

import io
import json
import re
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from installed_packages import install_package
from samples import sample_instances, sample_run

from ircore.commands.main import run as ircore_command
from ircore.core import plugins
from ircore.core.drawing import Drawing
from ircore.core.errors import InputError
from ircore.core.images import Picture
from ircore.core.plugins import (
    EXTRAS,
    BrokenPluginError,
    find_missing_package,
    list_available,
    list_builtin,
    load_plugin,
    load_pretrained,
)

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


WRONG_KIND = "METRIC = Judge = Player = TABLE = Game = command = None\n"

AT_WORK = """\
from ircore.results.tables.catalogue import TableEntry
from ircore.scorers.metrics.base import Metric

def fail(*_):
    raise ZeroDivisionError("the glass is broken")

class Judge:
    name, label, kind = "splinter", "splinter (computed)", "computed"
    rate = prefer = fail

METRIC = Metric("crack", "Crack", "", True, 0, 1, "by hand", fail)
TABLE = TableEntry("breaks when it is asked for", fail)
Game = fail

class Player:
    __init__ = describe = fail
"""


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """Where an installed package lies whose module raises when it is imported."""
    return installed(tmp_path / "packages", 'raise RuntimeError("the glass\\n is broken")\n')


def installed(packages: Path, module: str, entry_points: str = ENTRY_POINTS) -> Path:
    return install_package(packages, "shattered", entry_points, module)


def glass_pair(folder: Path) -> Path:
    """Write the manifest of a pair whose describer comes with the package."""
    folder.mkdir()
    manifest = "schema: 1\nname: Glass\ndescriber: {player: glass}\ngenerator: {player: canvas}\nlicence: CC0-1.0\n"
    (folder / "submission.yaml").write_text(manifest)
    return folder


def played_contexts(folder: Path) -> Path:
    """Play a few lineups of the reference game, and return the run."""
    build = ["instances", "build", "--game", "reference", "--per-condition", "1", "-c", "lineup", "-d", "easy"]
    assert ircore_command([*build, "--out", str(folder / "contexts")]) == 0
    play = ["play", "looker", "--instances", str(folder / "contexts"), "--out", str(folder / "game")]
    assert ircore_command(play) == 0
    return folder / "game"


@pytest.fixture
def picture(tmp_path: Path) -> Path:
    path = tmp_path / "picture.png"
    path.write_bytes(Picture.from_pixels(Drawing(64, 64, "#ff0000").pixels).data)
    return path


def ircore(packages: Path, *words: object) -> "subprocess.CompletedProcess[str]":
    """Run a command with the package installed, in this process, which spares starting one."""
    arguments = [str(word) for word in words]
    out, errors = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(errors):
        patch.syspath_prepend(packages)
        patch.delitem(sys.modules, "shattered", raising=False)  # of a test before
        status = ircore_command(arguments)
    return subprocess.CompletedProcess(arguments, status, out.getvalue(), errors.getvalue())


def test_help_lists_a_broken_command_with_its_reason(broken: Path) -> None:
    said = ircore(broken, "--help")
    assert said.returncode == 0
    assert "broken: RuntimeError: the glass is broken" in said.stdout
    assert "Score the renderings of runs." in said.stdout
    assert ircore(broken, "shatter").returncode == 1


@pytest.mark.parametrize(
    ("work", "status", "words"),
    [
        ("1 / 0", 1, "ircore: command 'shatter' broke with ZeroDivisionError: division by zero (shattered.py:4)\n"),
        ("raise click.UsageError('one file is enough')", 2, "one file is enough"),
        ("raise WorkError('the disk is full', 'Free some space.')", 1, "ircore: the disk is full\n  Free some space."),
    ],
)
def test_a_command_that_breaks_at_work_is_named_and_its_own_errors_stay(
    tmp_path: Path, work: str, status: int, words: str
) -> None:
    lines = ["import click", "from ircore.core.errors import WorkError", "def work():", f"    {work}"]
    packages = installed(tmp_path / "packages", "\n".join([*lines, "command = click.command(work)", ""]))
    said = ircore(packages, "shatter")
    assert said.returncode == status
    assert words in said.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "reason"),
    [
        ("import sys\nsys.exit(3)\n", "SystemExit: 3"),
        ("raise BaseException('no exception')\n", "BaseException: no exception"),
        (WRONG_KIND, "TypeError: NoneType has no "),
    ],
)
def test_a_package_that_exits_or_holds_something_else_is_broken_too(
    tmp_path: Path, picture: Path, module: str, reason: str
) -> None:
    packages = installed(tmp_path / "packages", module)
    said = ircore(packages, "--help")
    assert (said.returncode, said.stderr) == (0, "")
    assert f"broken: {reason}" in said.stdout
    compared = json.loads(ircore(packages, "compare", picture, picture, "--json").stdout)
    assert reason in compared["unavailable"]["crack"]
    metrics = ircore(packages, "metrics", "--json")
    assert [entry["name"] for entry in json.loads(metrics.stdout)["broken"]] == ["crack"]
    games = json.loads(ircore(packages, "games", "--json").stdout)
    assert [entry["name"] for entry in games["broken"]] == ["shards"]
    assert ircore(packages, "shatter").returncode == 1
    said = ircore(packages, "plugins", "--json")
    assert said.returncode == 1
    listed = {plugin["group"]: plugin for plugin in json.loads(said.stdout)["plugins"]}
    assert set(listed) == {"commands", "games", "judges", "metrics", "players", "tables"}
    assert reason.removesuffix("no ") in listed["judges"]["broken"]


@pytest.mark.slow
def test_without_other_packages_no_plug_in_is_listed_and_all_of_this_project_work(tmp_path: Path) -> None:
    assert "no other package adds a plug-in" in ircore(tmp_path, "plugins").stdout
    said = ircore(tmp_path, "plugins", "--all", "--json")
    assert said.returncode == 0
    plugins = json.loads(said.stdout)["plugins"]
    assert {"ssim", "verified", "reference", "classical"} <= {plugin["name"] for plugin in plugins}


def test_a_metric_that_breaks_at_work_has_no_value_and_the_others_have(tmp_path: Path, picture: Path) -> None:
    said = ircore(installed(tmp_path / "packages", AT_WORK), "compare", picture, picture, "--json")
    assert said.returncode == 0
    document = json.loads(said.stdout)
    assert document["metrics"]["ssim"] == 1
    assert document["metrics"]["crack"] is None
    reason = document["unavailable"]["crack"]
    assert reason == "metric 'crack' broke with ZeroDivisionError: the glass is broken (shattered.py:5)"


@pytest.mark.slow
@pytest.mark.parametrize("value", ["float('nan')", "float('inf')", "'high'", "None"])
def test_a_metric_that_computes_no_finite_number_has_no_value(tmp_path: Path, picture: Path, value: str) -> None:
    module = AT_WORK.replace('raise ZeroDivisionError("the glass is broken")', f"return {value}")
    said = ircore(installed(tmp_path / "packages", module), "compare", picture, picture, "--json")
    assert "which is no finite number" in json.loads(said.stdout)["unavailable"]["crack"]


@pytest.mark.slow
def test_a_name_of_this_project_stays_this_projects(tmp_path: Path, picture: Path) -> None:
    points = "[ircore.metrics]\nssim = shattered:METRIC\n[ircore.games]\nreconstruction = shattered:Game\n"
    packages = installed(tmp_path / "packages", AT_WORK, points)
    assert json.loads(ircore(packages, "compare", picture, picture, "--json").stdout)["metrics"]["ssim"] == 1
    listed = json.loads(ircore(packages, "metrics", "--json").stdout)
    assert listed["broken"] == [{"name": "ssim (shattered)", "broken": "the name belongs to the package ircore"}]
    games = json.loads(ircore(packages, "games", "--json").stdout)
    assert [entry["name"] for entry in games["broken"]] == ["reconstruction (shattered)"]


@pytest.mark.slow
def test_a_player_and_a_judge_that_break_at_work_are_named_in_a_line(tmp_path: Path) -> None:
    packages = installed(tmp_path / "packages", AT_WORK)
    sample_run(tmp_path / "run", sample_instances(tmp_path / "set"))
    play = ("play", glass_pair(tmp_path / "pair"), "--instances", tmp_path / "set", "--out", tmp_path / "played")
    for words, named in (
        (play, "player 'glass'"),
        (("score", tmp_path / "run", "--judge", "splinter"), "judge 'splinter'"),
    ):
        said = ircore(packages, *words)
        assert said.returncode == 1
        assert f"{named} broke with ZeroDivisionError: the glass is broken (shattered.py:5)" in said.stderr
        assert "Traceback" not in said.stderr


def test_a_broken_player_is_an_error_where_it_is_named_alone(broken: Path, tmp_path: Path) -> None:
    said = ircore(broken, "play", glass_pair(tmp_path / "pair"), "--instances", tmp_path, "--out", tmp_path / "run")
    assert said.returncode == 1
    assert "player 'glass' cannot be loaded: RuntimeError: the glass is broken (shattered.py:1)" in said.stderr
    assert "Mend its package, or install it again." in said.stderr
    assert "Traceback" not in said.stderr


def test_the_doctor_says_how_a_player_of_a_single_game_is_told_apart(tmp_path: Path) -> None:
    player = """
from ircore.players.base import Traits

class Player:
    TRAITS = Traits(needs="nothing", methods=("answer",), answers=("choice",))

    def __init__(self, spec):
        pass

    async def answer(self, question):
        return question.pictures[1]
"""
    packages = installed(tmp_path / "packages", player, "[ircore.players]\nbell = shattered:Player\n")
    pair = tmp_path / "pair"
    pair.mkdir()
    seats = "speaker: {player: looker}\nlistener: {player: bell}"
    (pair / "submission.yaml").write_text(f"schema: 1\ngame: reference\nname: Glass\n{seats}\nlicence: CC0-1.0\n")
    said = ircore(packages, "doctor", pair)
    assert said.returncode == 1
    assert "FAILS  a choice: broke with IndexError: tuple index out of range" in said.stdout
    assert "answers questions of its own game only leaves answers out of its TRAITS" in said.stdout


GAME_TABLES = """\
[ircore.game_tables]
reference.pane = shattered:fail
reference.players = shattered:fail
chess.openings = shattered:fail
[ircore.instances]
glass = shattered:fail
[ircore.metrics]
chip = shattered:METRIC
"""


@pytest.mark.slow
def test_a_broken_table_of_a_game_is_left_out_of_all_and_an_error_where_it_is_named(tmp_path: Path) -> None:
    packages, game = installed(tmp_path / "packages", AT_WORK, GAME_TABLES), played_contexts(tmp_path)
    assert ircore_command(["score", str(game)]) == 0
    said = ircore(packages, "results", game, "--out", tmp_path / "tables")
    assert said.returncode == 0
    fault = "table 'reference.pane' broke with ZeroDivisionError: the glass is broken (shattered.py:5)"
    assert f"left out: {fault}" in said.stderr
    assert (tmp_path / "tables" / "board.csv").is_file()
    named = ircore(packages, "results", game, "--table", "pane")
    assert named.returncode == 1
    assert named.stderr.startswith(f"ircore: {fault}")
    unknown = ircore(packages, "results", game, "--table", "penalties")
    assert "unknown table 'penalties'" in unknown.stderr
    assert re.search(r"Known: at_k, board, .* outcomes, pane, players, published, ", unknown.stderr)


@pytest.mark.slow
def test_a_plug_in_that_nothing_asks_for_is_broken_with_the_reason(tmp_path: Path) -> None:
    said = ircore(installed(tmp_path / "packages", AT_WORK, GAME_TABLES), "plugins", "--json")
    assert said.returncode == 1
    assert {plugin["name"]: plugin["broken"] for plugin in json.loads(said.stdout)["plugins"]} == {
        "chess.openings": "unknown game 'chess'",
        "chip": "TypeError: its name is crack, its entry point's chip",
        "glass": "its name is none of build.GAME, import.FORMAT and category.NAME",
        "reference.pane": None,
        "reference.players": "the game reference has a table players of its own",
    }


BUILDER = """\
from ircore.core.records import Instance
from ircore.instances.store import write_instances

def build(request):
    made = dict(category="fruit", difficulty="easy", game="guess", payload={}, source="by hand", licence="CC0-1.0")
    return write_instances(request.out, [(Instance(instance_id="apple", **made), {})])
"""
GUESS = """
from ircore.core.records import Record
from ircore.games.declarations import Pages

class Game:
    class payload(Record):
        pass
    shown_pictures, pages = (), Pages(compared="")
"""
POINTS_OF_BUILDER = "[ircore.instances]\nbuild.guess = shattered:build\nimport.guesses = shattered:build\n"


@pytest.mark.parametrize(("option", "name"), [("--category", "stars"), ("--difficulty", "hard")])
def test_a_builder_that_makes_what_nobody_asked_for_is_named(tmp_path: Path, option: str, name: str) -> None:
    packages, made = installed(tmp_path / "packages", BUILDER, POINTS_OF_BUILDER), tmp_path / "set"
    build = ("instances", "build", "--game", "guess", "--out", made)
    said = ircore(packages, *build, option, name)
    assert said.returncode == 1
    assert f"builder of guess: does not heed {option}" in said.stderr
    assert "request.places(CATEGORIES)" in said.stderr
    assert not made.exists()
    assert ircore(packages, *build, "--category", "fruit", "--difficulty", "easy").returncode == 0


@pytest.mark.parametrize(
    ("right", "wrong", "fault"),
    [
        ("return write", "write", "builder of guess: returned a NoneType, not the set that it wrote"),
        ('game="guess"', 'game="chess"', "builder of guess: wrote instances of the game chess"),
        ("payload={}", 'payload={"secert": "apple"}', "builder of guess: apple: payload: secert: unknown key"),
        ('compared=""', 'compared="apple"', "game guess: pages.compared: no instance has a picture 'apple'"),
    ],
)
def test_a_builder_whose_set_nobody_could_play_is_named(tmp_path: Path, right: str, wrong: str, fault: str) -> None:
    points = f"{POINTS_OF_BUILDER}[ircore.games]\nguess = shattered:Game\n"
    code = (BUILDER + GUESS).replace(right, wrong)
    packages, made = installed(tmp_path / "packages", code, points), tmp_path / "set"
    said = ircore(packages, "instances", "build", "--game", "guess", "--out", made)
    assert said.returncode == 1
    assert said.stderr.startswith("ircore: ")
    assert fault in said.stderr
    assert made.exists() is (right == "return write")  # without its answer nothing says where the set is


@pytest.mark.slow
def test_runs_of_a_broken_game_hold_up_no_other_run(broken: Path, tmp_path: Path) -> None:
    pairs, game = sample_run(tmp_path / "pairs", sample_instances(tmp_path / "set")), played_contexts(tmp_path)
    for file in (game / "run.json", game / "instances" / "instances.jsonl"):
        file.write_text(file.read_text().replace('"reference"', '"shards"'))
    scored = ircore(broken, "score", pairs.path, game, "--judge", "structural", "--metric", "psnr")
    assert scored.returncode == 1
    assert "left out: game 'shards' cannot be loaded: RuntimeError: the glass is broken" in scored.stderr
    assert "structural: " in scored.stdout
    shown = ircore(broken, "results", pairs.path, game)
    assert shown.returncode == 1
    assert "left out: game 'shards' cannot be loaded" in shown.stderr
    assert "main (0–100)" in shown.stdout


@pytest.mark.slow
def test_values_of_a_metric_that_is_broken_now_are_still_shown(tmp_path: Path) -> None:
    sound = AT_WORK.replace('raise ZeroDivisionError("the glass is broken")', "return 0.25")
    sample_run(tmp_path / "run", sample_instances(tmp_path / "set"))
    scored = ircore(installed(tmp_path / "sound", sound), "score", tmp_path / "run", "--metric", "crack")
    assert scored.returncode == 0
    broken = installed(tmp_path / "broken", "raise RuntimeError('gone')\n")
    said = ircore(broken, "results", tmp_path / "run", "--out", tmp_path / "tables")
    assert said.returncode == 0
    assert any("crack" in table.read_text() for table in (tmp_path / "tables").glob("*.csv"))


@pytest.mark.slow
def test_a_package_installed_while_the_process_runs_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def install(name: str) -> None:
        install_package(tmp_path, name, f"[ircore.metrics]\n{name} = {name}:METRIC\n", f"METRIC = {name!r}\n")

    own = set(list_available("metrics"))
    install("sharpness")
    assert set(list_available("metrics")) == own
    monkeypatch.syspath_prepend(tmp_path)
    assert set(list_available("metrics")) == own | {"sharpness"}
    install("warmth")
    assert set(list_available("metrics")) == own | {"sharpness", "warmth"}
    with pytest.raises(BrokenPluginError, match="'warmth' cannot be loaded: TypeError: str has no needs"):
        load_plugin("metrics", "warmth")
    assert list_builtin("metrics") == own


def test_a_folder_that_does_not_exist_may_stand_on_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path / "gone")
    assert "ssim" in list_available("metrics")


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(InputError, match=r"unknown metric 'sism'\nDid you mean ssim"):
        load_plugin("metrics", "sism")


def test_of_several_extras_the_one_that_brings_most_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugins, "find_spec", lambda name: None)
    holders = {package: [extra for extra in EXTRAS if package in EXTRAS[extra]] for package in ("torch", "pandas")}
    for package, names in holders.items():
        assert len(names) > 1
        error = find_missing_package(ModuleNotFoundError(name=f"{package}.part"))
        assert error is not None
        most = max(len(EXTRAS[name]) for name in names)
        assert [name for name in names if f"[{name}]" in error.remedy and len(EXTRAS[name]) == most]


@pytest.mark.parametrize("fault", ["missing_keys", "unexpected_keys", "mismatched_keys"])
def test_weights_that_are_missing_left_over_or_of_another_size_are_refused(
    monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    """``transformers`` would fill them with random numbers and only warn; its classes stand in for, with a report."""
    parts = {name: ModuleType(name) for name in ("torch", "transformers", "transformers.utils")}
    for name, part in parts.items():
        monkeypatch.setitem(sys.modules, name, part)
    parts["torch"].set_num_threads = lambda count: None  # type: ignore[attr-defined]
    quiet = SimpleNamespace(set_verbosity_error=lambda: None, disable_progress_bar=lambda: None)
    parts["transformers.utils"].logging = quiet  # type: ignore[attr-defined]
    report: dict[str, list[str]] = {"missing_keys": [], "unexpected_keys": []}
    model = SimpleNamespace(eval=lambda: "the model")
    kind = SimpleNamespace(from_pretrained=lambda place, output_loading_info: (model, report))
    processor = SimpleNamespace(from_pretrained=lambda place: "its processor")
    assert load_pretrained("IRCORE_MODEL", "somewhere", kind, processor) == ("the model", "its processor")
    report[fault] = ["head.weight"]
    with pytest.raises(InputError, match=f"{fault.removesuffix('_keys')} weights: head.weight of 1"):
        load_pretrained("IRCORE_MODEL", "somewhere", kind, processor)
