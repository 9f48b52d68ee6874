"""``--json`` and the short forms of options, over all commands."""

import json
from pathlib import Path

import click
import pytest
from command_lines import leaves

from ircore.commands.main import run as ircore
from ircore.runs.folder import RunFolder

LEAVES = leaves()

WITH_JSON = {
    "annotate build", "compare", "doctor", "elements compare", "export clembench", "export inspect", "games",
    "games show", "import clembench", "instances accept", "instances build", "instances diff", "instances import",
    "instances pull", "instances push", "instances review", "instances show", "instances stats", "judge-test",
    "language naming", "language novelty", "merge", "metrics", "metrics fid", "metrics show", "play",
    "ratings import", "release build", "release check", "release eval", "release pull",
    "release push", "release verify", "results", "sandbox check", "score", "show", "site build", "site check",
    "site freeze", "study build", "study import", "submission check", "submission check-change", "submission commit",
    "submission history", "submission links", "submission pack", "submission pending", "submission reproduce",
    "submission rescore", "submission season gap", "submission season verify", "verify",
}  # fmt: skip
"""Commands that answer, or make a folder whose contents a script may ask for; the others serve, ask or sign."""


def options_of(name: str) -> set[str]:
    return {word for option in LEAVES[name].params if isinstance(option, click.Option) for word in option.opts}


def test_every_command_with_an_answer_has_json() -> None:
    assert {name for name in WITH_JSON if "--json" not in options_of(name)} == set()


def test_categories_and_difficulties_have_their_short_forms() -> None:
    for name in LEAVES:
        options = options_of(name)
        assert ("--category" in options) == ("-c" in options), name
        assert ("--difficulty" in options) == ("-d" in options), name


def answer(capsys: pytest.CaptureFixture[str], *words: str, status: int = 0) -> object:
    """Give a command and return the JSON document that it prints."""
    assert ircore([*words, "--json"]) == status
    return json.loads(capsys.readouterr().out)


@pytest.mark.slow
def test_play_answers_with_the_contents_of_the_run(
    tmp_path: Path, run: RunFolder, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("play", "captioner+sketch", "--instances", str(run.path / "instances"), "--out", str(tmp_path / "new"))
    made = answer(capsys, *words, "-c", "simple_shapes", "-d", "easy")
    assert isinstance(made, dict)
    assert made["episodes"] == len(run.instances.select(("simple_shapes",), ("easy",)))
    assert made == answer(capsys, "show", str(tmp_path / "new"))


@pytest.mark.slow
def test_doctor_answers_by_seat(capsys: pytest.CaptureFixture[str]) -> None:
    seats = answer(capsys, "doctor", "captioner+canvas")
    assert isinstance(seats, dict)
    assert list(seats) == ["describer", "generator"]
    assert all(finding["works"] for seat in seats.values() for finding in seat["findings"])


@pytest.mark.slow
def test_a_planned_study_says_which_targets_it_took(
    tmp_path: Path, run: RunFolder, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("study", "build", "--instances", str(run.path / "instances"), "--out", str(tmp_path / "study"))
    study = answer(capsys, *words, "--targets", "2", "--participants", "3")
    assert isinstance(study, dict)
    assert (len(study["targets"]), study["participants"]) == (2, 3)
    assert set(study["targets"]) <= {instance.instance_id for instance in run.instances.instances}
