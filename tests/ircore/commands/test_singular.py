"""What commands say of a single thing: "1 episode", never "1 episodes"."""

import re
from pathlib import Path

import pytest

from ircore.commands.main import run as ircore
from ircore.core.counted import counted

NOUNS = (
    "episode|picture|run|pair|score|turn|target|instance|message|token|fact|rendering|element|row|question|request|"
    "image|file|item|value|shard"
)
PLURAL_OF_ONE = re.compile(rf"(?<![\d.,–/])1 (?:[a-z]+ )?(?:{NOUNS})s\b")


@pytest.mark.parametrize(
    ("count", "words"), [(0, "0 episodes"), (1, "1 episode"), (2, "2 episodes"), (1200, "1,200 episodes")]
)
def test_a_count_has_its_noun_in_the_singular_or_the_plural(count: int, words: str) -> None:
    assert counted(count, "episode") == words


def test_the_pattern_finds_a_plural_of_one_alone() -> None:
    assert PLURAL_OF_ONE.search("1 played episodes of 1 run")
    assert not PLURAL_OF_ONE.search("1 played episode of 21 runs, 0.1 turns, 0–1 turns")


@pytest.mark.slow
def test_every_command_on_one_episode_of_one_run_speaks_of_it_in_the_singular(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    play = "play classical+canvas --instances set --out run"
    for command in (
        "instances build --out set --per-condition 1 -c pie_graph -d easy",
        f"{play} --dry-run",
        f"{play} --max-turns 1",
        "score run --facts",
        "show run",
        "show run --episode pie_graph-easy-01",
        "results run",
        "results run --table outcomes",
        "results run --table comparisons",
        "merge run --out merged",
        "annotate build run --out study",
        "release build --runs run --instances set --out dataset",
        "release check dataset --no-load",
        "release pull dataset --out pulled",
    ):
        assert ircore(command.split()) == 0, command
        said = capsys.readouterr()
        assert not PLURAL_OF_ONE.search(said.out + said.err), command
    card = (tmp_path / "dataset" / "README.md").read_text("utf-8")
    assert not PLURAL_OF_ONE.search(card), PLURAL_OF_ONE.search(card)
