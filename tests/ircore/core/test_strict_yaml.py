"""Numbers in files that people write are read as YAML 1.2 reads them, or refused; nothing becomes a text unseen."""

import pytest

from ircore.core.errors import InputError
from ircore.core.strict_yaml import parse_mapping, parse_value


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
