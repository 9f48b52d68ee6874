"""Commands that take runs: folders of runs and releases, of reconstruction and of other games."""

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from command_lines import leaves
from releases import sample_release
from samples import sample_instances, sample_run

from ircore.commands.main import run
from ircore.commands.main import run as ircore
from ircore.commands.options import SeveralPathsCommand, runs_option
from ircore.commands.run_paths import find_results_to_read, find_runs_to_change, find_runs_to_read, run_to_read

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


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
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


TAKING_RUNS = {
    "annotate build", "export clembench", "export inspect", "language novelty", "maintain decisions",
    "maintain reproduce", "maintain season gap", "merge", "ratings import", "release build", "results", "score",
    "show", "site build", "submission check", "submission pack",
}  # fmt: skip


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of the runs ``centre-block`` and ``other-block``, beside which ``runs`` lie; not to be changed."""
    return sample_release(tmp_path_factory.mktemp("released"))


@pytest.mark.slow
def test_every_command_that_takes_runs_takes_folders_of_runs() -> None:
    callbacks = {find_runs_to_read, find_runs_to_change, run_to_read, find_results_to_read}
    taking = {name for name, command in leaves().items() if callbacks & {param.callback for param in command.params}}
    assert taking == TAKING_RUNS
    for name in set(leaves()) - TAKING_RUNS:
        for param in leaves()[name].params:
            assert param.human_readable_name not in ("runs", "run") or not isinstance(param.type, click.Path), name


@pytest.mark.slow
def test_a_folder_of_runs_stands_for_its_runs(release: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs = release.parent / "runs"
    assert run(["results", str(runs / "centre-block"), str(runs / "other-block"), "--json"]) == 0
    both = json.loads(capsys.readouterr().out)
    assert run(["results", str(runs), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == both
    assert [row["submission"] for row in both["rows"]] == ["centre-block", "other-block"]


@pytest.mark.slow
def test_a_release_stands_for_its_runs(release: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["show", str(release), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert {summary["run"]["slug"] for summary in shown} == {"centre-block", "other-block"}


@pytest.mark.slow
def test_the_next_step_names_what_was_typed(release: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["results", str(release)]) == 0
    assert capsys.readouterr().err.splitlines()[-1] == f"next: ircore site build --runs {release} --out SITE"


@pytest.mark.slow
def test_nothing_is_written_into_a_release(release: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = {path: path.stat().st_mtime_ns for path in release.rglob("*")}
    assert run(["score", str(release)]) == 2
    problem, remedy = capsys.readouterr().err.splitlines()
    assert problem == f"ircore: {release}: a release, which nothing is written into"
    assert remedy == f"  Bring its runs back first: ircore release pull {release} --out pulled"
    assert {path: path.stat().st_mtime_ns for path in release.rglob("*")} == before


@pytest.mark.slow
def test_several_runs_are_refused_where_one_is_taken(release: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["submission", "pack", str(release.parent / "runs"), "--out", str(release.parent / "packed")]) == 2
    assert capsys.readouterr().err.splitlines()[1] == "  Name one: centre-block, other-block"


@click.command(cls=SeveralPathsCommand)
@runs_option
@click.option("--out", type=click.Path(path_type=Path))
@click.option("--strict", is_flag=True)
def show(runs: tuple[Path, ...], out: Path | None, strict: bool) -> None:
    click.echo(f"{' '.join(map(str, runs))} | {out} | {strict}")


@pytest.mark.parametrize(
    "words",
    [
        "--runs a b c --out o", "--out o --runs a b c", "--runs a --runs b --runs c --out o",
        "--runs a --out o --runs b c", "--runs=a b c --out=o", "--out=o --runs=a --runs=b c",
    ],
)  # fmt: skip
def test_several_paths_after_one_name(words: str) -> None:
    result = CliRunner().invoke(show, words.split())
    assert result.output == "a b c | o | False\n", words


def test_a_flag_ends_the_list() -> None:
    assert CliRunner().invoke(show, ["--runs", "a", "--strict", "--runs", "b"]).output == "a b | None | True\n"


@pytest.mark.parametrize("words", ["", "--runs", "x --out o", "--runs a --strict b"])
def test_wrong_usage_stays_wrong(words: str) -> None:
    assert CliRunner().invoke(show, words.split()).exit_code == 2


def test_without_a_set_the_games_own_beside_the_run_is_played(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sample_instances(tmp_path / "runs" / "instances-reconstruction", per_condition=1)
    play = ["play", "classical+canvas", "--out", str(tmp_path / "runs" / "a"), "--limit", "1", "--max-turns", "1"]
    assert run(play) == 0
    assert run(["show", str(tmp_path / "runs")]) == 0
    assert "pair      classical + canvas" in capsys.readouterr().out
