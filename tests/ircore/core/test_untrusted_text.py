"""Texts of strangers: what a reader, a terminal and a program see of characters that cannot be seen."""

from collections.abc import Callable

import pytest

from ircore.core.terminal import printable
from ircore.core.untrusted_text import coded, escaped, one_line, plain_line, shortened, visible, without_controls

OVERRIDE, JOINER = "\u202e", "\u200d"


@pytest.mark.parametrize(
    ("made_harmless", "expected"),
    [
        (visible, f"a⟦U+202E⟧b\n\U0001f469{JOINER}\U0001f3a8"),
        (coded, "a⟦U+202E⟧b⟦U+000A⟧\U0001f469⟦U+200D⟧\U0001f3a8"),
        (one_line, f"a⟦U+202E⟧b \U0001f469{JOINER}\U0001f3a8"),
        (plain_line, "a b \U0001f469 \U0001f3a8"),
        (printable, "a\ufffdb\n\U0001f469\ufffd\U0001f3a8"),
        (escaped, "a\\u202eb\\n\U0001f469\\u200d\U0001f3a8"),
        (without_controls, "a b \U0001f469 \U0001f3a8"),
    ],
)
def test_each_reader_has_a_form_of_its_own(made_harmless: Callable[[str], str], expected: str) -> None:
    assert made_harmless(f"a{OVERRIDE}b\n\U0001f469{JOINER}\U0001f3a8") == expected


def test_a_cut_text_has_the_sign_of_the_cut_within_its_length() -> None:
    assert (shortened("abcdef", 4), shortened("abcd", 4), shortened("abcdef", None)) == ("abc…", "abcd", "abcdef")
    # A name that is cut behind a word has no space before the sign of the cut; a line of a log keeps it.
    assert (one_line("abc def", 5), plain_line("abc def", 5)) == ("abc…", "abc …")
