"""Help: commands by what they are for, an example of each, and words that people mean."""

import re
import shlex
from itertools import pairwise

import click
import pytest
from click.testing import CliRunner
from command_lines import leaves

from ircore.commands.main import MEANT, SECTIONS, app, examples, run
from ircore.core.plugins import builtin
from ircore.core.records import CATEGORIES

LEAVES = leaves()


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
    assert sorted(listed) == sorted(builtin("commands"))


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
