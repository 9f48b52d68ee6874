"""``--runs`` takes what a shell makes of ``runs/*``."""

from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from ircore.commands.options import SeveralPathsCommand, runs_option


@click.command(cls=SeveralPathsCommand)
@runs_option
@click.option("--out", type=click.Path(path_type=Path))
@click.option("--strict", is_flag=True)
def show(runs: tuple[Path, ...], out: Path | None, strict: bool) -> None:
    click.echo(f"{' '.join(map(str, runs))} | {out} | {strict}")


@pytest.mark.parametrize(
    "words",
    [
        "--runs a b c --out o",
        "--out o --runs a b c",
        "--runs a --runs b --runs c --out o",
        "--runs a --out o --runs b c",
        "--runs=a b c --out=o",
        "--out=o --runs=a --runs=b c",
    ],
)
def test_several_paths_after_one_name(words: str) -> None:
    result = CliRunner().invoke(show, words.split())
    assert result.output == "a b c | o | False\n", words


def test_a_flag_ends_the_list() -> None:
    assert CliRunner().invoke(show, ["--runs", "a", "--strict", "--runs", "b"]).output == "a b | None | True\n"


@pytest.mark.parametrize("words", ["", "--runs", "x --out o", "--runs a --strict b"])
def test_wrong_usage_stays_wrong(words: str) -> None:
    assert CliRunner().invoke(show, words.split()).exit_code == 2
