"""Help: commands by what they are for, an example of each, words that people mean; pages show commands that exist."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from shutil import which

import click
import pytest
from click.shell_completion import BashComplete
from click.testing import CliRunner
from command_lines import leaves, parsed
from installed_packages import install_package
from samples import sample_run, sample_submission

from ircore.commands.completion import complete_categories
from ircore.commands.main import MEANT, SECTIONS, app, examples, run
from ircore.commands.main import run as ircore
from ircore.commands.next_steps import fill_template, read_next_steps
from ircore.core.errors import InputError
from ircore.core.plugins import list_builtin
from ircore.games.reconstruction.records import CATEGORIES
from ircore.games.registry import load_installed_games
from ircore.instances.benchmark import RECORDS, read_versions
from ircore.instances.store import InstanceSet
from ircore.results.tables.catalogue import TABLES, find_tables
from ircore.runs.folder import RunFolder
from leaderboard.building.site_build import MARKER

LEAVES = leaves()


@pytest.mark.slow
def test_every_command_has_an_example_that_it_understands() -> None:
    """Of targets and categories of the benchmark: a category by another name would be refused when it is run."""
    for name, command in LEAVES.items():
        program, *words = shlex.split(examples()[name])
        assert (program, words[: len(name.split())]) == ("ircore", name.split())
        command.make_context(name, words[len(name.split()) :], parent=click.Context(app))
        ids = [word for word in words if re.fullmatch(r"\w+-(easy|hard)-\d+", word)]
        named = [word for option, word in pairwise(words) if option in ("--category", "-c")]
        assert {*named, *(word.split("-")[0] for word in ids)} <= set(CATEGORIES), name


def test_every_command_stands_in_one_section() -> None:
    listed = [name for names in SECTIONS.values() for name in names]
    assert sorted(listed) == sorted(list_builtin("commands"))


def test_help_is_grouped_and_ends_with_an_example(monkeypatch: pytest.MonkeyPatch) -> None:
    said = CliRunner().invoke(app, ["--help"]).output
    assert said.index("Begin:") < said.index("  demo") < said.index("Play:") < said.index("  show")
    monkeypatch.setattr("sys.argv", ["ircore", "play", "--help"])
    assert "Example: ircore play classical+canvas" in CliRunner().invoke(app, ["play", "--help"]).output


def test_words_that_people_mean_are_answered(capsys: pytest.CaptureFixture[str]) -> None:
    for word, meant in MEANT.items():
        assert run(word.split()) == 2, word
        assert capsys.readouterr().err.splitlines()[1].startswith("  Did you mean: ircore "), word
        assert meant.startswith("--") or any(
            f"{name} ".startswith(f"{meant} ") or meant.startswith(name) for name in LEAVES
        ), word


def completed(*words: str) -> list[str]:
    """What bash is offered for the last of the words."""
    *given, last = words
    offered = BashComplete(app, {}, "ircore", "_IRCORE_COMPLETE").get_completions(given, last)
    return [item.value for item in offered]


def test_commands_options_and_names_are_completed() -> None:
    assert completed("pla") == ["play", "play-me"]
    assert completed("release", "pu") == ["pull", "push"]
    assert completed("play", "--cat") == ["--category"]
    assert completed("play", "-c", "pi") == ["pie_graph"]
    assert completed("results", "--judge", "stru") == ["structural"]
    assert completed("games", "show", "refe") == ["reference"]
    assert completed("play", "classical+c")[:1] == ["classical+canvas"]


def test_categories_of_plug_ins_are_offered_and_not_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    points = "[ircore.instances]\ncategory.discs = no_such_module:build\n"
    monkeypatch.syspath_prepend(install_package(tmp_path, "discs", points))
    context, parameter = click.Context(click.Command("play")), click.Option(["--category"])
    assert complete_categories(context, parameter, "di") == ["discs"]
    assert complete_categories(context, parameter, "ta") == ["tangrams"]
    assert "simple_shapes" in complete_categories(context, parameter, "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_each_shell_is_printed(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert ircore(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert f"_IRCORE_COMPLETE={shell}_complete" in script


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_behind_stdout_is_told_in_one_line(run: RunFolder) -> None:
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-m", "ircore", "show", str(run.path), "--json"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "ircore: No space left on device\n")


@pytest.mark.slow
def test_show_says_players_once_where_they_are_the_name(
    tmp_path: Path, instances: InstanceSet, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, told in (("Mine", "Mine  (classical + canvas)"), ("classical + canvas", "classical + canvas")):
        run = sample_run(tmp_path / name, instances, sample_submission(name=name), limit=1)
        assert ircore(["show", str(run.path)]) == 0
        assert capsys.readouterr().out.splitlines()[0] == f"pair      {told}"


@pytest.mark.slow
def test_show_as_json_has_the_published_keys(run: RunFolder, capsys: pytest.CaptureFixture[str]) -> None:
    assert ircore(["show", str(run.path), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["episodes"] == 4
    assert shown["outcomes"] == {"converged": 4, "turn_limit": 0, "aborted": 0}
    assert shown["turns"] == 12
    assert shown["requests"] == {"describer": 12, "generator": 8, "judge": 0}
    assert {"run", "tokens", "seconds"} <= shown.keys()


@pytest.mark.parametrize("command", [["score"], ["results"], ["show"], ["submission", "check"]])
def test_a_link_to_itself_is_refused(command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "loop").symlink_to("loop")
    assert ircore([*command, str(tmp_path / "loop")]) == 2
    assert str(tmp_path / "loop") in capsys.readouterr().err


@pytest.mark.parametrize("text", [None, "{", '{"run_id": "x"}'])
def test_a_folder_without_a_readable_run_is_refused(
    text: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if text is not None:
        (tmp_path / "run.json").write_text(text)
    assert ircore(["show", str(tmp_path)]) == 2
    assert str(tmp_path) in capsys.readouterr().err


@pytest.mark.slow
def test_names_of_strangers_cannot_steer_the_terminal(
    tmp_path: Path, instances: InstanceSet, capsys: pytest.CaptureFixture[str]
) -> None:
    played = sample_run(tmp_path / "run", instances, sample_submission(name="safe\u202eevil\u2028\u009b"))
    assert ircore(["show", str(played.path)]) == 0
    out = capsys.readouterr().out
    assert "safe\ufffdevil\ufffd\ufffd" in out
    assert all(item.isprintable() or item == "\n" for item in out)


WITHOUT_JSON = {
    "completion", "demo", "elements detect", "instances probe", "instances synthesize", "new plugin", "play-me",
    "site record", "site serve", "study run", "submission hand-in", "submission new", "submission pin",
    "maintain channel-test", "maintain clear", "maintain correct", "maintain decisions", "maintain dispute",
    "maintain evaluate", "maintain evaluate-pending", "maintain paid", "maintain preview", "maintain reinstate",
    "maintain retire", "maintain season begin", "maintain season restore", "maintain season reveal",
    "maintain season slice", "maintain settle", "maintain spot-replay", "maintain update", "maintain withdraw",
}  # fmt: skip
"""Commands that serve, ask, sign or record; the others answer, or make a folder whose contents a script may ask for."""


def options_of(name: str) -> set[str]:
    return {word for option in LEAVES[name].params if isinstance(option, click.Option) for word in option.opts}


def test_every_command_with_an_answer_has_json() -> None:
    assert {name for name in LEAVES if "--json" not in options_of(name)} == WITHOUT_JSON


def test_categories_and_difficulties_have_their_short_forms() -> None:
    for name in LEAVES:
        options = options_of(name)
        assert ("--category" in options) == ("-c" in options), name
        assert ("--difficulty" in options) == ("-d" in options), name


def answer(capsys: pytest.CaptureFixture[str], *words: str, status: int = 0) -> object:
    """Give a command and return the JSON document that it prints."""
    assert ircore([*words, "--json"]) == status
    return json.loads(capsys.readouterr().out)


@pytest.mark.slow
def test_play_answers_with_the_contents_of_the_run(
    tmp_path: Path, run: RunFolder, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("play", "captioner+sketch", "--instances", str(run.path / "instances"), "--out", str(tmp_path / "new"))
    made = answer(capsys, *words, "-c", "simple_shapes", "-d", "easy")
    assert isinstance(made, dict)
    assert made["episodes"] == len(run.instances.select(("simple_shapes",), ("easy",)))
    assert made == answer(capsys, "show", str(tmp_path / "new"))


@pytest.mark.slow
def test_doctor_answers_by_seat(capsys: pytest.CaptureFixture[str]) -> None:
    seats = answer(capsys, "doctor", "captioner+canvas")
    assert isinstance(seats, dict)
    assert list(seats) == ["describer", "generator"]
    assert all(finding["works"] for seat in seats.values() for finding in seat["findings"])


@pytest.mark.slow
def test_a_planned_study_says_which_targets_it_took(
    tmp_path: Path, run: RunFolder, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("study", "build", "--instances", str(run.path / "instances"), "--out", str(tmp_path / "study"))
    study = answer(capsys, *words, "--targets", "2", "--participants", "3")
    assert isinstance(study, dict)
    assert (len(study["targets"]), study["participants"]) == (2, 3)
    assert set(study["targets"]) <= {instance.instance_id for instance in run.instances.instances}


ROOT = Path(__file__).resolve().parents[3]
WRITTEN = sorted(path.name for path in (ROOT / "docs").glob("*.md") if path.name != "commands.md")  # made from the code
PAGES = [".github/PULL_REQUEST_TEMPLATE.md", "CONTRIBUTING.md", "README.md", *(f"docs/{name}" for name in WRITTEN)]
COMMAND = re.compile(r"^ {4}(?:\.venv/bin/)?ircore (.+)$|`ircore ([^`|…]+)`", re.MULTILINE)


def shown(page: Path) -> list[str]:
    """The commands of a page, in blocks, without what stands apart behind them, and in running text."""
    text = re.sub(r"\\\n\s*", " ", page.read_text("utf-8"))
    return [re.split(" {3,}", block)[0] or inline for block, inline in COMMAND.findall(text)]


@pytest.mark.slow
def test_every_command_on_a_page_exists() -> None:
    commands = [(page, item) for page in PAGES for item in shown(ROOT / page)]
    packed = "submission pin submissions/my-pair --repo you/your-transcripts --packed build/packed"
    # One in a block, one in running text.
    assert {packed, "maintain history submissions/my-pair"} <= {item for _, item in commands}
    for name, item in commands:
        try:
            parsed(shlex.split(item, comments=True))
        except (click.MissingParameter, click.exceptions.NoArgsIsHelpError, click.exceptions.Exit):
            pass  # named without what it is given, or asked for its help
        except (click.UsageError, InputError, ValueError) as error:
            raise AssertionError(f"{name}: ircore {item}: {error}") from error


def test_the_page_on_tables_has_a_row_for_every_table() -> None:
    rows = [line for line in (ROOT / "docs" / "results.md").read_text("utf-8").splitlines() if line.startswith("| `")]
    names = [name for row in rows for name in re.findall("`([a-z_]+)`", row.split(" | ")[0])]
    assert sorted(names) == sorted(TABLES)


def test_every_table_that_a_page_names_exists() -> None:
    games, _ = load_installed_games()
    known = {*TABLES, *(name for game in games.values() for name in find_tables(game))}
    for name in PAGES:
        named = re.findall(r"--table ([a-z_]+)", (ROOT / name).read_text("utf-8"))
        # The page on plug-ins adds a table of its own.
        added = {"played"} if name == "docs/adding-plug-ins.md" else set()
        assert {*named} <= {*known, *added}, name


def documented(beginning: str) -> list[str]:
    """The commands of all pages that begin so."""
    return [command for name in PAGES for command in shown(ROOT / name) if command.startswith(f"{beginning} ")]


@pytest.mark.parametrize("command", documented("site record"))
def test_a_version_that_a_page_records_is_not_there_yet(command: str, tmp_path: Path) -> None:
    """The command is run upon a copy of the project's own records, for a site of another instance set."""
    words, site, versions = shlex.split(command), tmp_path / "site", tmp_path / RECORDS.name
    site.mkdir()
    (site / MARKER).write_text(json.dumps({"instance_set": "0" * 64, "prompts": "built-in 000000000000"}))
    shutil.copyfile(RECORDS, versions)
    before = read_versions(versions)
    words[words.index("build/site")] = str(site)
    assert ircore([*words, "--versions", str(versions)]) == 0
    assert read_versions(versions)[:-1] == before


def test_every_command_has_a_next_step() -> None:
    assert sorted(read_next_steps()) == sorted(LEAVES)


@pytest.mark.slow
def test_every_next_step_is_a_command_that_can_be_given() -> None:
    """The template, filled with the parameters of the command's example, is read as the command line would."""
    for name, command in LEAVES.items():
        words = shlex.split(examples()[name])[1 + len(name.split()) :]
        context = command.make_context(name, words, parent=click.Context(click.Command("ircore")))
        program, *step = shlex.split(fill_template(read_next_steps()[name], context.params))
        if program == "pip":
            continue  # `new plugin` makes a package, which pip installs
        assert program == "ircore", name
        try:
            parsed(step)
        except click.exceptions.Exit:
            assert "--help" in step, name


@pytest.mark.slow
def test_a_run_that_was_scored_is_shown_next(run: RunFolder, capsys: pytest.CaptureFixture[str]) -> None:
    assert ircore(["score", str(run.path)]) == 0
    assert capsys.readouterr().err.splitlines()[-1] == f"next: ircore results {run.path}"


@pytest.mark.slow
def test_what_was_only_tried_is_done_next(run: RunFolder, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    play = ["play", "classical+canvas", "--instances", str(run.path / "instances"), "--out", str(tmp_path / "a run")]
    assert ircore([*play, "--dry-run", "--limit", "1"]) == 0
    assert capsys.readouterr().err.splitlines()[-1] == f"next: ircore {shlex.join([*play, '--limit', '1'])}"


@pytest.mark.slow
def test_a_next_step_is_left_out_where_something_else_is_said(
    run: RunFolder, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    show = ["show", str(run.path)]
    assert ircore([*show, "--json"]) == 0  # a document and nothing else
    assert ircore(show, nested=True) == 0  # another command goes on from here
    monkeypatch.setenv("IRCORE_NEXT", "none")  # a Makefile says it itself
    assert ircore(show) == 0
    assert "next:" not in capsys.readouterr().err


def test_values_are_quoted_for_a_shell() -> None:
    assert fill_template("ircore results {runs}", {"runs": (Path("a b"), Path("c"))}) == "ircore results 'a b' c"
    assert fill_template("ircore results {runs}", {"runs": ()}) == "ircore results RUNS"


@pytest.mark.slow
def test_the_next_step_names_the_program_as_it_was_called(run: RunFolder, tmp_path: Path) -> None:
    """Of a clone whose ``.venv`` is not activated, a shell does not know ``ircore``."""
    program = which("ircore", path=str(Path(sys.executable).parent))
    assert program, "the command is installed beside the interpreter of the tests"

    def told(path: str) -> str:
        words = [program, "score", str(run.path)]
        done = subprocess.run(words, check=True, capture_output=True, text=True, env={**os.environ, "PATH": path})
        return done.stderr.splitlines()[-1]

    assert told(str(tmp_path)) == f"next: {program} results {run.path}"
    assert told(str(Path(program).parent)) == f"next: ircore results {run.path}"


@pytest.mark.slow
def test_a_set_of_another_game_is_played_by_a_manifest(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    build = ["instances", "build", "--game", "conversation", "--per-condition", "1", "--out", str(tmp_path / "set")]
    assert ircore(build) == 0
    told = "next: ircore submission new MY-PAIR --game conversation"
    assert capsys.readouterr().err.splitlines()[-1] == told
    assert ircore(["instances", "show", str(tmp_path / "set")]) == 0
    assert capsys.readouterr().err.splitlines()[-1] == told
