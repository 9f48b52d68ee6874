"""Counting tokens offline, and the game master's words."""

from pathlib import Path

import pytest

from ircore.core.errors import InputError
from ircore.core.tokens import count_tokens, truncate_tokens
from ircore.games.reconstruction.prompts import load_prompts


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("hello", 1), ("hello world", 2), ("one two three four five six", 6), ("<|endoftext|>", 7)],
)
def test_o200k_counts(text: str, tokens: int) -> None:
    assert count_tokens(text) == tokens


def test_a_lone_surrogate_counts_as_a_question_mark() -> None:
    assert count_tokens("a\ud800b") == count_tokens("a?b")


def test_cutting_keeps_whole_characters() -> None:
    for budget in range(1, 12):
        cut = truncate_tokens("naïve 🙂🙂🙂 日本語", budget)
        assert "\N{REPLACEMENT CHARACTER}" not in cut
        assert count_tokens(cut) <= budget


def test_the_built_in_prompts_carry_the_requirements() -> None:
    prompts = load_prompts("reconstruction")
    assert "at most 10 tokens" in prompts.describer(1, 10)
    assert "<DESCRIPTION>" in prompts.describer(1, 10)
    later = prompts.describer(2, 50)
    assert "at most 50 tokens" in later
    assert "<DONE>" in later
    assert "do not describe the whole picture again" in later


def test_other_prompts_have_another_version(tmp_path: Path) -> None:
    for name in ("describer_first", "describer_later"):
        (tmp_path / f"{name}.txt").write_text(f"{name}: at most {{token_budget}} tokens")
    (tmp_path / "generator_later.txt").write_text("Before: {earlier} Now: {message}")
    prompts = load_prompts("reconstruction", tmp_path)
    assert prompts.describer(1, 7) == "describer_first: at most 7 tokens"
    assert prompts.generator("{earlier}", ["a {message}", "b"]) == "Before: 1. a {message}\n\n2. b Now: {earlier}"
    assert prompts.version != load_prompts("reconstruction").version


def test_a_folder_that_would_pass_for_the_built_in_prompts_is_refused(tmp_path: Path) -> None:
    (tmp_path / "built-in").mkdir()
    with pytest.raises(InputError, match="would pass for the built-in prompts"):
        load_prompts("reconstruction", tmp_path / "built-in")


def test_the_generator_reads_the_message_and_later_the_dialogue() -> None:
    prompts = load_prompts("reconstruction")
    assert prompts.generator("A red square.", []) == "A red square."
    later = prompts.generator("Make it blue.", ["A red square."])
    assert later.index("1. A red square.") < later.index("Make it blue.")


def test_prompts_must_tell_the_budget(tmp_path: Path) -> None:
    (tmp_path / "describer_first.txt").write_text("Describe it.")
    with pytest.raises(InputError, match=r"describer_first\.txt: lacks the placeholder \{token_budget\}"):
        load_prompts("reconstruction", tmp_path)


def test_a_missing_prompt_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"describer_first\.txt: cannot be read"):
        load_prompts("reconstruction", tmp_path)
