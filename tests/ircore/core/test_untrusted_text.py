"""Texts of strangers: what a reader, a terminal and a program see of characters that cannot be seen."""

from collections.abc import Callable

import pytest

from ircore.core.errors import InputError
from ircore.core.strict_yaml import parse_mapping, parse_value
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


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("5e-2", 0.05), ("1e3", 1000.0), ("9E-1", 0.9), ("1.e3", 1000.0), ("+1e3", 1000.0), ("-2.5e-4", -0.00025),
        ("1.5e3", 1500.0), (".5e1", 5.0), ("1.0e+3", 1000.0), ("0.5", 0.5), ("7", 7),
    ],
)  # fmt: skip
def test_a_number_with_an_exponent_of_any_form_is_a_number(text: str, number: float) -> None:
    value = parse_mapping(f"a: {{b: {text}}}".encode(), "m.yaml", "").mapping["a"]["b"]
    assert (value, type(value)) == (number, type(number))
    assert parse_value(text, "--rule") == number


@pytest.mark.parametrize("text", ["0o17", "017", "0x1F", "1_000", "1:30", "1e400"])
def test_a_number_that_is_read_in_two_ways_or_by_nobody_is_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"m\.yaml:2: not valid YAML"):
        parse_mapping(f"a: 1\nb: {text}\n".encode(), "m.yaml", "")


@pytest.mark.parametrize("text", ["'5e-2'", '"1e3"', "e3", "1e", "1e3x", "1-e3", "v1e3", "1.2.3", "2e3-preview"])
def test_what_is_no_number_stays_a_text(text: str) -> None:
    assert isinstance(parse_value(text, "m.yaml"), str)
