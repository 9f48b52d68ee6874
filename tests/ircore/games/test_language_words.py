"""Words, novelty and similarity on sentences worked out by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ircore.games.reconstruction.language.words import novelty, similarity, stop_words, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Move the bar's top-left corner to x=3.", ["move", "the", "bar", "top", "left", "corner", "to", "x", "3"]),
        ("It doesn’t fit, DOESN'T IT?", ["it", "doesn't", "fit", "doesn't", "it"]),
        ("snake_case 10% naïve Ünïcode", ["snake", "case", "10", "naïve", "ünïcode"]),
        ("", []),
        ("—…!? '' ’", []),
    ],
)
def test_a_word_is_a_run_of_letters_and_digits(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def content_words(text: str) -> frozenset[str]:
    return frozenset(words(text)) - stop_words()


def test_words_of_place_size_and_number_are_content() -> None:
    assert not stop_words() & {"left", "right", "above", "below", "larger", "more", "up", "down", "two", "under"}


def test_novelty_counts_words_that_no_earlier_message_used() -> None:
    first, second = content_words("A red circle above a blue bar"), content_words("Move the red circle left")
    third = content_words("Circle left, bar taller")
    assert novelty(second, [first]) == 2 / 4  # move, left; not red, circle
    assert novelty(third, [first, second]) == 1 / 4  # taller
    assert novelty(first, []) == 1
    assert novelty(content_words("the of it"), [first]) is None


def test_similarity_is_shared_over_all_words() -> None:
    assert similarity(frozenset("abc"), frozenset("bcd")) == 2 / 4
    assert similarity(frozenset("ab"), frozenset("ab")) == 1
    assert similarity(frozenset("ab"), frozenset()) == 0
    assert similarity(frozenset(), frozenset()) is None


letters = st.frozensets(st.sampled_from("abcdef"))


@pytest.mark.slow
@given(letters, letters)
def test_both_are_shares_and_an_unchanged_message_is_old_and_the_same(
    one: frozenset[str], other: frozenset[str]
) -> None:
    for value in (novelty(one, [other]), similarity(one, other)):
        assert value is None or 0 <= value <= 1
    assert similarity(one, other) == similarity(other, one)
    if one:
        assert (novelty(one, [other, one]), similarity(one, one)) == (0, 1)
