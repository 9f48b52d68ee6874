"""A new submission: from flags, or from answers at a terminal that are checked one by one."""

import sys
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
import yaml
from installed_packages import install_package

from ircore.commands.main import run as ircore
from ircore.core.errors import InputError
from ircore.players.submission import read_manifest
from ircore.submissions.drafts import SCHEMA, QuestionContext, complete
from ircore.submissions.texts import format_seat_options

pytestmark = pytest.mark.slow


MODELS = [
    *("--describer", "openai", "--describer-model", "gpt-5.2-2026-01-15", "--describer-parameter", "temperature=0"),
    *("--generator", "openai-images", "--generator-model", "gpt-image-1.5", "--generator-revision", "2026-01"),
    *("--generator-parameter", "size=1024x1024", "--generator-parameter", "quality=low"),
    *("--author", "Someone", "--hardware", "OpenAI's service", "--link", "code=https://github.com/someone/pair"),
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a new submission goes, with git knowing an author and no terminal to ask at."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "config"))
    (tmp_path / "config").write_text("[user]\n\tname = Git Knows\n")
    monkeypatch.delenv("IRCORE_SITE_URL", raising=False)
    monkeypatch.setattr(sys, "stdin", (tmp_path / "config").open())
    return tmp_path / "submissions" / "my-pair"


def test_flags_alone_make_a_manifest_that_nothing_is_wrong_with(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = date.today().isoformat()  # noqa: DTZ011 - the day on the user's calendar
    assert ircore(["submission", "new", str(folder), *MODELS]) == 0
    out, err = capsys.readouterr()
    assert "my-pair: valid: describer: gpt-5.2-2026-01-15, generator: gpt-image-1.5" in out
    assert "warning" not in err
    entry = read_manifest(folder).submission
    assert (entry.name, entry.licence) == ("gpt-5.2-2026-01-15 + gpt-image-1.5", "CC-BY-4.0")
    assert entry.players["describer"].api_key_env == entry.players["generator"].api_key_env == "OPENAI_API_KEY"
    assert entry.players["generator"].parameters == {"size": "1024x1024", "quality": "low"}
    assert entry.dates is not None
    assert entry.dates.submitted in (before, date.today().isoformat())  # noqa: DTZ011


def test_what_is_known_is_filled_in(folder: Path) -> None:
    assert (
        ircore(
            ["submission", "new", str(folder / "submission.yaml"), "--describer", "classical", "--generator", "canvas"]
        )
        == 0
    )
    assert yaml.safe_load((folder / "submission.yaml").read_text()) == {
        "schema": 1, "name": "classical + canvas", "describer": {"player": "classical"},
        "generator": {"player": "canvas"}, "rules": {"token_budget": 200, "max_turns": 10}, "authors": ["Git Knows"],
        "licence": "CC-BY-4.0",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("options", "problem", "remedy"),
    [
        ([], "describer.player: is missing", "--player describer=PLAYER"),
        (["--describer", "openai"], "describer.model: is missing", "--player describer.model=MODEL"),
        (["--describer", "canvas"], "describer.player: canvas is no describer", "Name another player."),
        (["--describer", "clasical"], "describer.player: unknown player 'clasical'", "Did you mean classical"),
        ([*MODELS, "--licence", "Free"], "licence: no licence that SPDX lists", "SPDX"),
        ([*MODELS, "--name", "<b>x</b>"], "name: holds markup", "Take"),
        ([*MODELS, "--describer-key", "GITHUB_KEY"], "describer.api_key_env: GITHUB_KEY is a name", "service"),
        (
            [*MODELS, "--describer-url", "https://10.0.0.1/v1", "--describer-key", "MY_KEY"],
            "inside a network",
            "transcripts",
        ),
        ([*MODELS, "--max-turns", "0"], "rules.max_turns: must be at least 1", "from 1 to 100"),
        ([*MODELS, "--describer-parameter", "temperature"], "not NAME=VALUE", "temperature=0"),
        ([*MODELS, "--link", "https://github.com"], "not NAME=URL", "code="),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_written(
    folder: Path, options: list[str], problem: str, remedy: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ircore(["submission", "new", str(folder), *options]) == 2
    first, second, *_ = capsys.readouterr().err.splitlines()
    assert problem in first
    assert remedy in second
    assert not folder.exists()


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("My-Pair", "Such as my-pair."),
        ("con", "Begin"),
        ("a pair", "Such as a-pair."),
        ("builtin-mine", "another name"),
    ],
)
def test_a_folder_that_could_not_be_handed_in_is_refused(
    folder: Path, name: str, remedy: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ircore(["submission", "new", str(folder.parent / name), *MODELS]) == 2
    assert remedy in capsys.readouterr().err


def test_a_player_that_others_have_not_says_which_seat_it_takes(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    points = "[ircore.players]\nown-describer = ircore.players.builtin.captioner:CaptionerDescriber\n"
    monkeypatch.syspath_prepend(install_package(folder.parents[2] / "package", "own", points))
    pair = ["--describer", "own-describer", "--generator"]
    assert ircore(["submission", "new", str(folder), *pair, "own-describer"]) == 2
    assert "generator.player: own-describer is no generator" in capsys.readouterr().err
    assert ircore(["submission", "new", str(folder), *pair, "canvas"]) == 0
    assert "own-describer is no player of this project" in capsys.readouterr().err


def test_a_proposed_name_is_nobody_elses(folder: Path) -> None:
    pair = ["--describer", "classical", "--generator", "canvas"]
    assert ircore(["submission", "new", str(folder), *pair]) == 0
    assert ircore(["submission", "new", str(folder.with_name("again")), *pair]) == 0
    assert read_manifest(folder.with_name("again")).submission.name == "classical + canvas, again"


def test_what_is_there_is_not_overwritten(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder.mkdir(parents=True)
    (folder / "submission.yaml").write_text("mine")
    assert ircore(["submission", "new", str(folder), *MODELS]) == 2
    assert "not a mapping" in capsys.readouterr().err
    assert (folder / "submission.yaml").read_text() == "mine"


def test_a_draft_is_gone_on_with(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What the file says stands; only what it lacks is filled in, and an option that contradicts it is refused."""
    folder.mkdir(parents=True)
    draft = "# mine\nschema: 1\nname: A draft\ndescriber: {player: classical}\n"
    (folder / "submission.yaml").write_text(draft)
    assert ircore(["submission", "new", str(folder), "--describer", "captioner"]) == 2
    assert "player: is 'classical', not 'captioner'" in capsys.readouterr().err
    assert (folder / "submission.yaml").read_text() == draft
    assert ircore(["submission", "new", str(folder), "--generator", "canvas"]) == 0
    made = read_manifest(folder).submission
    names = (made.name, made.players["describer"].player, made.players["generator"].player)
    assert names == ("A draft", "classical", "canvas")
    complete_text = (folder / "submission.yaml").read_text().replace("schema:", "# kept\nschema:")
    (folder / "submission.yaml").write_text(complete_text)
    assert ircore(["submission", "new", str(folder)]) == 0
    assert "nothing is missing" in capsys.readouterr().out
    assert (folder / "submission.yaml").read_text() == complete_text


def test_a_server_of_ones_own_is_named_as_self_reported_at_once() -> None:
    told: list[str] = []
    answers = ["openai", "Qwen3-VL", "http://127.0.0.1:8000/v1", "", "", "canvas", "", "", "", "", ""]
    complete({}, scripted(answers, told))
    assert any("self-reported" in line and "describer" in line for line in told)


def scripted(answers: list[str], told: list[str]) -> QuestionContext:
    left: Iterator[str] = iter(answers)
    return QuestionContext("my-pair", (), lambda question, proposal: next(left) or proposal, told.append)


def test_answers_are_checked_as_they_are_given() -> None:
    told: list[str] = []
    answers = [
        *("canvas", "openai", "gрt-5.2", "gpt-5.2", "https://169.254.169.254/v1", "https://openrouter.ai/api/v1"),
        *("OPENAI_API_KEY", "", "2026-01-15", "temprature=0", "temperature", "'", "temperature=0 top_p=0.9"),
        *("sketch", "", "A, B", "Free", "MIT", "", "javascript:x", "https://arxiv.org/abs/2606.01901"),
    ]
    made = complete({}, scripted(answers, told))
    assert made["describer"] == {
        "player": "openai", "model": "gpt-5.2", "base_url": "https://openrouter.ai/api/v1",
        "api_key_env": "OPENROUTER_API_KEY", "revision": "2026-01-15", "parameters": {"temperature": 0, "top_p": 0.9},
    }  # fmt: skip
    assert made["generator"] == {"player": "sketch"}
    assert (made["authors"], made["licence"]) == (["A", "B"], "MIT")
    assert made["links"] == {"paper": "https://arxiv.org/abs/2606.01901"}
    problems = [line.split(":")[0].strip() for line in told if line.startswith("  ")]
    assert problems == [
        *("describer.player", "describer.model", "describer.base_url", "describer.api_key_env"),
        *("describer.parameters.temprature", "settings 'temperature'", "settings", "licence", "links.code"),
    ]


def test_the_schema_that_editors_read_is_the_one_that_is_checked_by() -> None:
    import json

    from leaderboard.building.sources import build_json_schemas

    assert json.loads(SCHEMA.read_text()) == build_json_schemas()["submission"]


def test_a_seat_is_one_line() -> None:
    line = "openai gpt-5.2 2026-01-15 https://openrouter.ai/api/v1 OPENROUTER_API_KEY temperature=0"
    assert format_seat_options("describer", line) == [
        *("--player", "describer=openai", "--player", "describer.model=gpt-5.2"),
        *("--player", "describer.revision=2026-01-15", "--player", "describer.url=https://openrouter.ai/api/v1"),
        *("--player", "describer.key=OPENROUTER_API_KEY", "--player", "describer.parameter.temperature=0"),
    ]
    with pytest.raises(InputError, match="names no player"):
        format_seat_options("speaker", "")
    with pytest.raises(InputError, match="'more' has no meaning"):
        format_seat_options("speaker", "openai a b more")
