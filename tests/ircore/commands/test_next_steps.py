"""Every command ends with the command that people give next."""

import shlex
from pathlib import Path

import click
import pytest
from command_lines import leaves, parsed

from ircore.commands.main import examples
from ircore.commands.main import run as ircore
from ircore.commands.next_step import filled, next_steps
from ircore.runs.folder import RunFolder

LEAVES = leaves()


def test_every_command_has_a_next_step() -> None:
    assert sorted(next_steps()) == sorted(LEAVES)


@pytest.mark.parametrize("name", sorted(LEAVES))
def test_the_next_step_is_a_command_that_can_be_given(name: str) -> None:
    """The template, filled with the parameters of the command's example, is read as the command line would."""
    words = shlex.split(examples()[name])[1 + len(name.split()) :]
    context = LEAVES[name].make_context(name, words, parent=click.Context(click.Command("ircore")))
    program, *step = shlex.split(filled(next_steps()[name], context.params))
    if program == "pip":
        return  # `new plugin` makes a package, which pip installs
    assert program == "ircore"
    try:
        parsed(step)
    except click.exceptions.Exit:
        assert "--help" in step


def test_a_run_that_was_scored_is_shown_next(run: RunFolder, capsys: pytest.CaptureFixture[str]) -> None:
    assert ircore(["score", str(run.path)]) == 0
    assert capsys.readouterr().err.splitlines()[-1] == f"next: ircore results {run.path}"


def test_nothing_but_the_document_where_json_is_asked_for(run: RunFolder, capsys: pytest.CaptureFixture[str]) -> None:
    assert ircore(["show", str(run.path), "--json"]) == 0
    assert "next:" not in capsys.readouterr().err


def test_a_command_that_another_command_gives_leaves_the_next_step_to_it(
    run: RunFolder, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ircore(["show", str(run.path)], given=True) == 0
    assert "next:" not in capsys.readouterr().err


def test_values_are_quoted_for_a_shell() -> None:
    assert filled("ircore results {runs}", {"runs": (Path("a b"), Path("c"))}) == "ircore results 'a b' c"
    assert filled("ircore results {runs}", {"runs": ()}) == "ircore results RUNS"
