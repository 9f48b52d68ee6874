"""Built-in pairs by name: ``ircore play classical+canvas``."""

from pathlib import Path

import pytest

from ircore.commands.main import run as ircore
from ircore.instances.store import InstanceSet
from ircore.players.builtin_pairs import builtin_pairs, submission_place
from ircore.players.submission import read_manifest
from ircore.runs.folder import RunFolder


@pytest.mark.parametrize(
    "name", ["captioner+canvas", "captioner+sketch", "classical+canvas", "classical+sketch", "plain+canvas"]
)
def test_a_name_is_describer_and_generator(name: str) -> None:
    submission = read_manifest(builtin_pairs()[name]).submission
    assert f"{submission.describer.player}+{submission.generator.player}" == name


def test_a_pair_is_played_by_its_name(tmp_path: Path, instances: InstanceSet) -> None:
    words = ["--instances", str(instances.folder), "--out", str(tmp_path / "run"), "--limit", "1"]
    assert ircore(["play", "captioner+sketch", *words]) == 0
    assert RunFolder.open(tmp_path / "run").run.slug == "builtin-captioner-sketch"


def test_a_folder_of_that_name_goes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("classical+canvas").mkdir()
    assert submission_place(Path("classical+canvas")) == Path("classical+canvas")


def test_an_unknown_pair_names_the_nearest(instances: InstanceSet, capsys: pytest.CaptureFixture[str]) -> None:
    assert ircore(["play", "classic+canvas", "--instances", str(instances.folder), "--out", "run"]) == 2
    assert "Did you mean classical+canvas?" in capsys.readouterr().err


def test_what_is_no_pair_is_a_path(tmp_path: Path) -> None:
    for path in (Path("submissions/my-pair"), tmp_path / "a+b", Path("my-pair")):
        assert submission_place(path) == path
