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


@pytest.mark.parametrize("name", sorted(LEAVES))
def test_every_command_has_an_example_that_it_understands(name: str) -> None:
    program, *words = shlex.split(examples()[name])
    assert program == "ircore"
    assert words[: len(name.split())] == name.split()
    LEAVES[name].make_context(name, words[len(name.split()) :], parent=click.Context(app))


@pytest.mark.parametrize("name", sorted(LEAVES))
def test_examples_name_targets_and_categories_of_the_benchmark(name: str) -> None:
    """A category by another name is refused; ids of targets are a category, a difficulty and a number."""
    words = shlex.split(examples()[name])
    ids = [word for word in words if re.fullmatch(r"\w+-(easy|hard)-\d+", word)]
    named = [word for option, word in pairwise(words) if option in ("--category", "-c")]
    assert {*named, *(word.split("-")[0] for word in ids)} <= set(CATEGORIES)


def test_every_command_stands_in_one_section() -> None:
    listed = [name for names in SECTIONS.values() for name in names]
    assert sorted(listed) == sorted(builtin("commands"))


def test_help_is_grouped_and_ends_with_an_example(monkeypatch: pytest.MonkeyPatch) -> None:
    said = CliRunner().invoke(app, ["--help"]).output
    assert said.index("Begin:") < said.index("  demo") < said.index("Play:") < said.index("  show")
    monkeypatch.setattr("sys.argv", ["ircore", "play", "--help"])
    assert "Example: ircore play classical+canvas" in CliRunner().invoke(app, ["play", "--help"]).output


@pytest.mark.parametrize("word", sorted(MEANT))
def test_words_that_people_mean_are_answered(word: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(word.split()) == 2
    said = capsys.readouterr().err.splitlines()
    assert said[1].startswith("  Did you mean: ircore ")
    meant = MEANT[word]
    assert meant.startswith("--") or any(
        f"{name} ".startswith(f"{meant} ") or meant.startswith(name) for name in LEAVES
    )
