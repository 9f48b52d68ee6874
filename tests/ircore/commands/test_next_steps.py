"""Every command ends with the command that people give next."""

import os
import shlex
import subprocess
import sys
from pathlib import Path
from shutil import which

import click
import pytest
from command_lines import leaves, parsed

from ircore.commands.main import examples
from ircore.commands.main import run as ircore
from ircore.commands.options import fill_template, read_next_steps
from ircore.runs.folder import RunFolder

LEAVES = leaves()


def test_every_command_has_a_next_step() -> None:
    assert sorted(read_next_steps()) == sorted(LEAVES)


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
