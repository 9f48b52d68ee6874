"""``ircore score`` and ``results`` on runs of other games, alone and together with reconstruction runs."""

import json
from pathlib import Path

import pytest
from samples import sample_instances, sample_run

from ircore.commands.main import run as ircore

QUICK = ("--judge", "structural", "--metric", "psnr")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run of reconstruction, ``squares``, and a run of the game reference, ``lineups``."""
    folder = tmp_path_factory.mktemp("score-of-games")
    build = ["instances", "build", "--game", "reference", "--per-condition", "1", "-c", "lineup", "-d", "easy"]
    assert ircore([*build, "--out", str(folder / "contexts")]) == 0
    assert ircore(["play", "looker", "--instances", str(folder / "contexts"), "--out", str(folder / "lineups")]) == 0
    sample_run(folder / "squares", sample_instances(folder / "set"))
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("option", [
    ("--metric", "psnr"), ("--every-turn",), ("--facts",), ("--executor", "local"),
    ("--max-cost", "2"), ("--concurrency", "8"),
])  # fmt: skip
def test_an_option_that_no_given_run_can_take_is_refused(
    option: tuple[str, ...], runs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ircore(["score", str(runs / "lineups"), *option]) == 2
    assert capsys.readouterr().err.splitlines() == [
        f"ircore: {option[0]}: does not apply to runs of the game reference",
        f"  Leave out {option[0]}: the game's own measures are computed.",
    ]


def test_a_judge_of_a_game_without_pictures_to_rate_is_refused(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ircore(["score", str(runs / "lineups"), "--judge", "structural", "--every-turn"]) == 2
    assert capsys.readouterr().err.splitlines() == [
        "ircore: --judge: nothing of the game reference can be rated: it names no pictures to compare",
        "  Leave out --judge: the game's own measures are computed.",
    ]


@pytest.mark.slow
def test_options_apply_to_the_reconstruction_runs_of_a_mixed_list(
    runs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ircore(["score", str(runs / "lineups"), str(runs / "squares"), *QUICK]) == 0
    said = capsys.readouterr()
    assert "--judge: nothing of the game reference can be rated: it names no pictures to compare" in said.err
    assert "--metric: for runs that judges rate alone; of the game reference the game's own " in said.err
    assert "(reference): 1 played episode:" in said.out
    assert "structural: " in said.out


def test_a_mixed_list_is_one_json_document(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ircore(["score", str(runs / "lineups"), str(runs / "squares"), *QUICK, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["runs"] == 1
    assert [measured["episodes"] for measured in document["games"].values()] == [1]


def test_a_dry_run_says_what_a_game_would_compute(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = sorted((runs / "lineups").iterdir())
    assert ircore(["score", str(runs / "lineups"), "--dry-run"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert "(reference): of 1 played episode it would compute accuracy, " in line
    assert line.endswith("; no model would be asked")
    assert sorted((runs / "lineups").iterdir()) == before


def test_tables_of_a_mixed_list_stand_below_the_titles_of_their_games(
    runs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("lineups", "squares"):
        assert ircore(["score", str(runs / name), *(QUICK if name == "squares" else ())]) == 0
    capsys.readouterr()
    assert ircore(["results", str(runs / "lineups"), str(runs / "squares")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Reference games"
    captions = [line for line in lines if line.startswith("All contexts, main score made of Accuracy;")]
    assert lines.index("Image Reconstruction Game") > lines.index(captions[0])
    # A table of reconstruction alone needs no --game.
    assert ircore(["results", str(runs / "lineups"), str(runs / "squares"), "--table", "judges"]) == 0
    assert "Reference games" not in capsys.readouterr().out
    # A table that reconstruction does not have is shown of the games that have it.
    assert ircore(["results", str(runs / "lineups"), str(runs / "squares"), "--table", "players"]) == 0
    said = capsys.readouterr()
    assert said.out.splitlines()[0].split() == ["Seat", "Player", "Accuracy", "(0–1)", "Runs"]
    assert "Reconstruction" not in said.out
    assert "ircore: " not in said.err
    assert ircore(["results", str(runs / "lineups"), str(runs / "squares"), "--table", "nonsense"]) == 2
