"""What a message corrects and where: hand-worked messages for every category, boundaries, hostile messages."""

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from yardstick import rounds

from ircore.results import corrections
from ircore.results.corrections import CORRECTIONS, ENDING, Choice, Correction, find_corrections, load_lexicon
from ircore.results.language import compute_novelty, compute_similarity, load_stop_words, split_words


def corrections_in(message: str) -> set[Correction]:
    return {mark.correction for mark in find_corrections(message)}


def fired(message: str, correction: Correction) -> list[str]:
    return [mark.token for mark in find_corrections(message) if mark.correction == correction]


@pytest.mark.parametrize(
    ("message", "correction", "tokens"),
    [
        ("Move it to the upper-left.", "position", ["move", "left"]),
        ("The top-right corner is further up.", "position", ["top", "right", "corner", "further up"]),
        ("Shrink the bar, it is too wide.", "size", ["shrink", "too wide"]),
        ("Scale up the largest one; slightly narrower.", "size", ["scale up", "largest", "narrower"]),
        ("A darker shade of GREEN, reddish.", "colour", ["darker", "shade of", "green", "reddish"]),
        ("Fill with #1F77B4.", "colour", ["#1f77b4"]),
        ("Delete the grid; the dot should not be there.", "add_remove", ["delete", "should not be there"]),
        ("It is missing, so insert a line.", "add_remove", ["missing", "insert"]),
        ("It should be a square with rounded corners.", "shape", ["square", "rounded"]),
        ("Should be a star in the shape of a triangle.", "shape", ["should be a star", "in the shape of", "triangle"]),
        ("The y-axis has wrong labels and tick marks, text.", "label", ["axis", "labels", "tick", "text"]),
        ("A dashed line with line thickness 2, no shadows.", "style", ["dashed", "line thickness", "shadows"]),
        ("It doesn’t match: red instead of blue.", "comparison", ["doesn’t match", "instead of"]),
        ("Should be different, compared to the original.", "comparison",
         ["should be", "different", "compared to the original"]),
        ("At x=3.2, y≈1, 20% wide, about 45 degrees.", "numeric", ["x=3.2", "y≈1", "20%", "about 45 degrees"]),
        ("Use y \\approx 1 and approximately half.", "numeric", ["y \\approx 1", "approximately"]),
        ("Now correct; otherwise good and nearly.", "acknowledgement", ["correct", "good", "nearly"]),
        ("Close enough other than that.", "acknowledgement", ["close enough", "other than that"]),
    ],
)  # fmt: skip
def test_each_category_fires_on_what_it_lists(message: str, correction: Correction, tokens: list[str]) -> None:
    assert fired(message, correction) == tokens


@pytest.mark.parametrize(
    ("message", "correction", "expected"),
    [
        ("leftover", "position", True),  # left + 4 characters
        ("leftovers", "position", True),  # left + 5
        ("left_margins", "position", False),  # left + 8: an underscore is a word character
        ("cleft", "position", False),  # the stem must begin the word
        ("addition", "add_remove", True),  # add + 5
        ("additional", "add_remove", False),  # add + 7
        ("color-coded", "colour", True),  # a hyphen ends a word
        ("discoloured", "colour", False),
        ("incorrect", "acknowledgement", False),
        ("incorrect", "comparison", True),
        ("misaligned", "position", False),
        ("misaligned", "label", True),
        ("reduce", "colour", True),  # red + 3: what the paper's scheme does, and why tokens are shown
        ("differentiate", "comparison", False),  # differ + 7
        ("LEFT", "position", True),
        ("shoulder be", "comparison", False),
        ("should  \n be", "comparison", True),
        ("20 %", "numeric", True),
        ("20 percentage", "numeric", True),
        ("twenty", "numeric", False),
        ("v20%", "numeric", False),  # a phrase begins where a word begins
    ],
)
def test_boundaries(message: str, correction: Correction, expected: bool) -> None:
    assert (correction in corrections_in(message)) is expected


def test_marks_say_where_so_that_a_page_can_tint_the_words() -> None:
    message = "Make the RED circle smaller."
    marked = [(mark.correction, message[mark.start : mark.end]) for mark in find_corrections(message)]
    assert marked == [("colour", "RED"), ("shape", "circle"), ("size", "smaller")]


def test_places_hold_where_lower_case_is_longer_than_upper_case() -> None:
    message = "İİ İstanbul: Left"  # each İ becomes two characters in lower case
    (mark,) = find_corrections(message)
    assert message[mark.start : mark.end] == "Left"


@pytest.mark.parametrize(
    "message", ["", " \n\t", "…!?;—()[]{}*+\\", "𝟙🎨\u200d👩", "左に移動してください", "\x00\ud800"]
)
def test_messages_without_english_words_fire_nothing(message: str) -> None:
    assert find_corrections(message) == ()


vocabulary = st.sampled_from(
    [
        "left", "Leftmost", "the", "top", "right", "corner", "should be", "20%", "x = 3", "ß", "İ", "-", "too", "wide",
        "\n",
    ]
)  # fmt: skip


@pytest.mark.slow
@given(st.lists(vocabulary, max_size=30).map(" ".join) | st.text(max_size=60))
def test_marks_lie_in_order_inside_the_message_and_apart_within_a_category(message: str) -> None:
    marks = find_corrections(message)
    assert list(marks) == sorted(marks, key=lambda mark: mark.start)
    for correction in CORRECTIONS:
        own = [mark for mark in marks if mark.correction == correction]
        assert all(item.end <= other.start for item, other in pairwise(own))
    assert all(0 <= mark.start < mark.end <= len(message) for mark in marks)


@pytest.mark.slow
@given(st.lists(vocabulary, max_size=30).map(" ".join) | st.text(max_size=60))
def test_a_stem_fires_exactly_where_its_pattern_matches(message: str) -> None:
    for listed in load_lexicon().lists:
        if any(re.search(rf"\b{stem.text}\w{{0,{ENDING}}}\b", message.lower()) for stem in listed.stems):
            assert listed.correction in corrections_in(message)


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece", ["1", "a", " ", "-", "make the ", "top - ", "( 1 ,", "1.", "x = ", "left", "é", "İ", "the " + " " * 7]
)
def test_time_grows_with_the_length_only(piece: str) -> None:
    huge = piece * (100_000 // len(piece))
    assert rounds(lambda: find_corrections(huge), 1) < 250  # a second; a second try would find words it knows


def test_the_lists_are_complete_sourced_and_versioned() -> None:
    lexicon = load_lexicon()
    assert [list_name.correction for list_name in lexicon.lists] == list(CORRECTIONS)
    assert re.fullmatch(r"built-in [0-9a-f]{12}", lexicon.version)
    of_paper = {
        list_name.correction: sum(stem.source == "paper" for stem in list_name.stems) for list_name in lexicon.lists
    }
    assert of_paper == {  # counted in Table 5
        "position": 20, "size": 16, "colour": 19, "add_remove": 16, "shape": 19, "label": 16, "style": 18,
        "comparison": 8, "numeric": 5, "acknowledgement": 5,
    }  # fmt: skip
    for listed in lexicon.lists:
        texts = [stem.text for stem in listed.stems]
        assert len(texts) == len(set(texts))
        assert all(re.fullmatch("[a-z]+", text) for text in texts)


def test_the_papers_patterns_alone_leave_out_what_completes_them() -> None:
    # Table 5 lists neither "middle" nor "wider" nor "twice the"; it does list "move", "narrow" and "should be".
    message = "Move it to the middle. The bar should be wider, twice the width, not narrow."

    def tokens(lexicon: Choice) -> dict[Correction, list[str]]:
        by_category: dict[Correction, list[str]] = {}
        for mark in find_corrections(message, lexicon):
            by_category.setdefault(mark.correction, []).append(mark.token)
        return by_category

    assert tokens("paper") == {"position": ["move"], "size": ["narrow"], "comparison": ["should be"]}
    assert tokens("built-in")["size"] == ["wider", "twice the", "width", "narrow"]


def test_the_papers_lexicon_has_its_own_version_and_none_of_our_patterns() -> None:
    of_paper = load_lexicon("paper")
    assert re.fullmatch(r"paper [0-9a-f]{12}", of_paper.version)
    assert of_paper.version.split()[1] != load_lexicon().version.split()[1]
    patterns = [pattern for group in of_paper.lists for pattern in (*group.stems, *group.phrases)]
    assert {pattern.source for pattern in patterns} == {"paper"}
    assert sum(len(group.stems) for group in of_paper.lists) == 142  # the sum of the counts in Table 5


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
    assert split_words(text) == expected


def content_words(text: str) -> frozenset[str]:
    return frozenset(split_words(text)) - load_stop_words()


def test_words_of_place_size_and_number_are_content() -> None:
    assert not load_stop_words() & {"left", "right", "above", "below", "larger", "more", "up", "down", "two", "under"}


def test_novelty_counts_words_that_no_earlier_message_used() -> None:
    first, second = content_words("A red circle above a blue bar"), content_words("Move the red circle left")
    third = content_words("Circle left, bar taller")
    assert compute_novelty(second, [first]) == 2 / 4  # move, left; not red, circle
    assert compute_novelty(third, [first, second]) == 1 / 4  # taller
    assert compute_novelty(first, []) == 1
    assert compute_novelty(content_words("the of it"), [first]) is None


def test_similarity_is_shared_over_all_words() -> None:
    assert compute_similarity(frozenset("abc"), frozenset("bcd")) == 2 / 4
    assert compute_similarity(frozenset("ab"), frozenset("ab")) == 1
    assert compute_similarity(frozenset("ab"), frozenset()) == 0
    assert compute_similarity(frozenset(), frozenset()) is None


letters = st.frozensets(st.sampled_from("abcdef"))


@pytest.mark.slow
@given(letters, letters)
def test_both_are_shares_and_an_unchanged_message_is_old_and_the_same(
    one: frozenset[str], other: frozenset[str]
) -> None:
    for value in (compute_novelty(one, [other]), compute_similarity(one, other)):
        assert value is None or 0 <= value <= 1
    assert compute_similarity(one, other) == compute_similarity(other, one)
    if one:
        assert (compute_novelty(one, [other, one]), compute_similarity(one, one)) == (0, 1)


def test_the_version_of_the_word_lists_hangs_on_every_pattern(monkeypatch: pytest.MonkeyPatch) -> None:
    lists = corrections.load_lexicon().lists
    versions = [corrections.load_lexicon().version]
    for part in ("stems", "phrases"):
        kept = {words.correction: words for words in lists}
        one = next(words for words in lists if getattr(words, part))
        changes = {
            name: getattr(one, name)[1:] if name == part else getattr(one, name) for name in ("stems", "phrases")
        }
        kept[one.correction] = corrections.WordList(one.correction, **changes)
        monkeypatch.setattr(corrections, "_read_word_list", lambda correction, *more, kept=kept: kept[correction])
        versions.append(corrections.load_lexicon.__wrapped__().version)
    assert len(set(versions)) == 3
