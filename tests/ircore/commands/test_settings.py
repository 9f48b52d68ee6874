"""The user's settings: values of options in ``ircore.toml``, keys in ``.env``."""

import json
import os
from pathlib import Path

import pytest

from ircore.commands.main import run as ircore
from ircore.commands.settings import load_keys
from ircore.core.errors import InputError
from ircore.runs.folder import RunFolder


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder in which commands are given, and no settings of the user's own."""
    place = tmp_path / "here"
    place.mkdir()
    monkeypatch.chdir(place)
    monkeypatch.delenv("IRCORE_CONFIG", raising=False)
    monkeypatch.setattr("click.get_app_dir", lambda _: str(tmp_path / "user"))
    return place


def played(where: Path) -> int:
    document = json.loads((where / "run.json").read_text())
    seed = document["seed"]
    assert isinstance(seed, int)
    return seed


def play(run: RunFolder, out: Path, *options: str) -> int:
    return ircore(["play", "captioner+sketch", "--instances", str(run.path / "instances"), "--out", str(out), *options])


@pytest.mark.slow
def test_a_table_holds_options_of_the_command_of_its_name(folder: Path, run: RunFolder) -> None:
    (folder / "ircore.toml").write_text("[play]\nseed = 7\nlimit = 1\n")
    assert play(run, folder / "a") == 0
    assert played(folder / "a") == 7
    assert play(run, folder / "b", "--seed", "8") == 0
    assert played(folder / "b") == 8


@pytest.mark.slow
def test_the_file_of_the_folder_counts_before_the_file_of_the_user(folder: Path, run: RunFolder) -> None:
    (folder.parent / "user").mkdir()
    (folder.parent / "user" / "ircore.toml").write_text("[play]\nseed = 1\nlimit = 1\n")
    (folder / "ircore.toml").write_text("[play]\nseed = 2\n")
    assert play(run, folder / "a") == 0
    assert played(folder / "a") == 2
    assert len(list(RunFolder(folder / "a").episodes())) == 1


@pytest.mark.slow
def test_a_sub_command_has_a_table_of_its_own(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "ircore.toml").write_text('[instances.build]\nper-condition = 1\ncategory = ["pie_graph"]\n')
    assert ircore(["instances", "build", "--out", "set"]) == 0
    assert ircore(["instances", "show", "set", "--json"]) == 0
    counted = capsys.readouterr().out
    assert "pie_graph" in counted
    assert "geometry" not in counted


@pytest.mark.parametrize(
    ("text", "problem", "remedy"),
    [
        ("[play\n", "ircore.toml: no TOML: ", "See docs/command-line.md for an example."),
        ("[paly]\n", "ircore.toml: unknown command 'paly'", "Did you mean play?"),
        ("[games]\njsn = true\n", "ircore.toml: games: unknown option 'jsn'", "Did you mean json?"),
        ("games = 3\n", "ircore.toml: games: not a table of options", "Write [games], and the options below."),
        ("[games]\njson = [true]\n", "ircore.toml: games.json: a list, and the option takes one value", "Write one"),
        ("[games]\njson = 7\n", "games: Invalid value for '--json'", "See: ircore games --help"),
    ],
)
def test_a_wrong_setting_is_named(
    text: str, problem: str, remedy: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "ircore.toml").write_text(text)
    assert ircore(["games"]) == 2
    first, second = capsys.readouterr().err.splitlines()
    assert first.startswith(f"ircore: {problem}")
    assert second.strip().startswith(remedy)


@pytest.mark.slow
@pytest.mark.parametrize("option", ["as-maintainers", "final", "only-outside"])
def test_what_must_be_meant_is_given_by_hand(
    option: str, folder: Path, run: RunFolder, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "ircore.toml").write_text(f"[play]\n{option} = true\n")
    assert play(run, folder / "a") == 2
    assert f"ircore.toml: play.{option}: is given by hand only" in capsys.readouterr().err
    assert not (folder / "a").exists()


def test_another_file_or_none_can_be_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "ircore.toml").write_text("[games]\njson = true\n")
    monkeypatch.setenv("IRCORE_CONFIG", "")
    assert ircore(["games"]) == 0
    assert not capsys.readouterr().out.startswith("[")
    monkeypatch.setenv("IRCORE_CONFIG", "missing.toml")
    assert ircore(["games"]) == 2
    assert "IRCORE_CONFIG: missing.toml: no such file" in capsys.readouterr().err


def test_keys_are_read_from_the_folder_and_the_environment_counts_first(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("FIRST_API_KEY", "SECOND_TOKEN", "THIRD_KEY", "PATH_LIKE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("THIRD_KEY", "outside")
    (folder / ".env").write_text(
        "# keys\n\nexport FIRST_API_KEY=abc  # of March\nSECOND_TOKEN='d e#f'\nTHIRD_KEY=inside\nPATH_LIKE=/tmp\n"
    )
    load_keys()
    assert os.environ["FIRST_API_KEY"] == "abc"
    assert os.environ["SECOND_TOKEN"] == "d e#f"
    assert os.environ["THIRD_KEY"] == "outside"
    assert "PATH_LIKE" not in os.environ
    monkeypatch.delenv("FIRST_API_KEY")
    monkeypatch.delenv("SECOND_TOKEN")


def test_a_wrong_line_is_named_and_not_shown(folder: Path) -> None:
    (folder / ".env").write_text("A_KEY=1\nsk-very-secret\n")
    with pytest.raises(InputError) as error:
        load_keys()
    assert error.value.problem == ".env: line 2: not NAME=value"
    assert "secret" not in f"{error.value.problem}{error.value.remedy}"


def test_a_missing_key_names_both_places(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "pair").mkdir()
    (folder / "pair" / "submission.yaml").write_text(
        "schema: 1\nname: a pair\ndescriber: {player: openai, model: m, base_url: https://api.example.org/v1, "
        "api_key_env: NO_SUCH_KEY}\ngenerator: {player: canvas}\nlicence: Apache-2.0\n"
    )
    assert ircore(["doctor", "pair"]) in (1, 2)
    captured = capsys.readouterr()
    assert "export NO_SUCH_KEY=…" in captured.out + captured.err
    assert ".env" in captured.out + captured.err
