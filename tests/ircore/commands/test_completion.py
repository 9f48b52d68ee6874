"""Shells complete what the parser knows."""

import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

from ircore.commands.completion import categories
from ircore.commands.main import run as ircore


def completed(*words: str) -> list[str]:
    """What bash is offered for the last of the words."""
    environment = {
        **os.environ, "_IRCORE_COMPLETE": "bash_complete", "COMP_WORDS": " ".join(("ircore", *words)),
        "COMP_CWORD": str(len(words)),
    }  # fmt: skip
    command = [sys.executable, "-c", "from ircore.commands.main import main; main()"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert not done.stderr
    return [line.partition(",")[2] for line in done.stdout.splitlines()]


@pytest.mark.slow
def test_commands_options_and_names_are_completed() -> None:
    assert completed("pla") == ["play", "play-me"]
    assert completed("release", "pu") == ["pull", "push"]
    assert completed("play", "--cat") == ["--category"]
    assert completed("play", "-c", "pi") == ["pie_graph"]
    assert completed("results", "--judge", "stru") == ["structural"]
    assert completed("games", "show", "refe") == ["reference"]
    assert completed("play", "classical+c")[:1] == ["classical+canvas"]


def test_categories_of_plug_ins_are_offered_and_not_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    about = tmp_path / "discs-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: discs\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[ircore.instances]\ncategory.discs = no_such_module:build\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    context, parameter = click.Context(click.Command("play")), click.Option(["--category"])
    assert categories(context, parameter, "di") == ["discs"]
    assert categories(context, parameter, "ta") == ["tangrams"]
    assert "simple_shapes" in categories(context, parameter, "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_each_shell_is_printed(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert ircore(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert f"_IRCORE_COMPLETE={shell}_complete" in script
