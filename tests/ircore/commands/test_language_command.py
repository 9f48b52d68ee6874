"""``ircore language``: naming divergence at the command line."""

import json
from pathlib import Path

import pytest

from ircore.commands.main import run

PARTS = {"1": "head", **dict.fromkeys("234567", "body")}


@pytest.mark.slow
def test_names_that_all_share(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "names.json"
    path.write_text(json.dumps({"bird": [{"whole": "a bird", "part": PARTS}, {"whole": "the bird", "part": PARTS}]}))
    assert run(["language", "naming", str(path), "--json"]) == 0
    (bird,) = json.loads(capsys.readouterr().out)["pictures"].values()
    assert (bird["n"], bird["snd"], bird["pnd"], bird["psa"]) == (2, 0, 0, 7)
    assert run(["language", "naming", str(path)]) == 0
    assert "bird" in capsys.readouterr().out


def test_a_bad_file_is_one_line_and_exit_code_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "names.json"
    path.write_text('{"bird": 3}')
    assert run(["language", "naming", str(path)]) == 2
    problem, remedy = capsys.readouterr().err.splitlines()
    assert problem == f"ircore: {path}: bird: annotations is not a list"
    assert remedy.startswith("  Write {picture")


def test_novelty_is_of_runs_of_the_reference_game(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["language", "novelty", str(tmp_path)]) == 2
    assert str(tmp_path) in capsys.readouterr().err
