"""Pictures at a terminal: half blocks, two pixels of a picture a cell."""

import io
import re
from collections.abc import Callable

import numpy as np
import pytest
from PIL import Image

from ircore.core.errors import InputError
from ircore.core.images import Picture
from ircore.core.strict_yaml import parse_mapping, parse_value
from ircore.core.terminal import make_printable
from ircore.core.terminal_pictures import can_show_pictures, show_pictures
from ircore.core.untrusted_text import (
    encode_unprintable,
    escape_name,
    format_one_line,
    format_plain_line,
    make_visible,
    replace_controls,
    shorten_text,
)


class Terminal(io.StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("variables", "shows"),
    [
        ({"TERM": "xterm-256color"}, True),
        ({"TERM": "xterm-kitty"}, True),
        ({"TERM": "dumb"}, False),
        ({"TERM": "xterm-256color", "NO_COLOR": "1"}, False),
        ({"TERM": "xterm-256color", "IRCORE_PICTURES": "none"}, False),
    ],
)
def test_a_terminal_with_colours_shows_pictures(
    variables: dict[str, str], shows: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NO_COLOR", "IRCORE_PICTURES"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert can_show_pictures(Terminal()) is shows
    assert not can_show_pictures(io.StringIO())


def test_an_unknown_choice_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IRCORE_PICTURES", "ascii")
    with pytest.raises(InputError, match="IRCORE_PICTURES: 'ascii' is unknown"):
        can_show_pictures(Terminal())


@pytest.fixture
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal of 42 columns."""
    for name, value in {"NO_COLOR": "", "IRCORE_PICTURES": "", "TERM": "xterm", "COLUMNS": "42"}.items():
        monkeypatch.setenv(name, value)


@pytest.mark.usefixtures("wide")
def test_half_blocks_show_two_pixels_a_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "5")
    image = Image.new("RGB", (40, 40), (255, 0, 0))
    image.paste((0, 0, 255), (0, 20, 40, 40))
    screen = Terminal()
    assert show_pictures({"two": Picture.from_pixels(np.asarray(image))}, screen)
    red, blue, white = "38;2;255;0;0;48;2;255;0;0", "38;2;0;0;255;48;2;0;0;255", "38;2;255;255;255;48;2;255;255;255"
    assert screen.getvalue().splitlines() == [
        f"\x1b[{red}m▀" * 4 + f"\x1b[{white}m▀\x1b[0m",
        f"\x1b[{blue}m▀" * 4 + f"\x1b[{white}m▀\x1b[0m",
        "two",
    ]


@pytest.mark.usefixtures("wide")
def test_pictures_stand_side_by_side_with_their_names() -> None:
    white = Picture.from_pixels(np.full((30, 30, 3), 255, np.uint8))
    screen = Terminal()
    assert show_pictures({"target": white, "your picture": white}, screen)
    *lines, names = re.sub(r"\x1b\[[0-9;]*m", "", screen.getvalue()).splitlines()
    assert len(lines) == 10
    assert {len(line) for line in lines} == {42}
    assert names == "target               your picture"
    assert not show_pictures({"target": white}, io.StringIO())


OVERRIDE, JOINER = "\u202e", "\u200d"


@pytest.mark.parametrize(
    ("made_harmless", "expected"),
    [
        (make_visible, f"a⟦U+202E⟧b\n\U0001f469{JOINER}\U0001f3a8"),
        (encode_unprintable, "a⟦U+202E⟧b⟦U+000A⟧\U0001f469⟦U+200D⟧\U0001f3a8"),
        (format_one_line, f"a⟦U+202E⟧b \U0001f469{JOINER}\U0001f3a8"),
        (format_plain_line, "a b \U0001f469 \U0001f3a8"),
        (make_printable, "a\ufffdb\n\U0001f469\ufffd\U0001f3a8"),
        (escape_name, "a\\u202eb\\n\U0001f469\\u200d\U0001f3a8"),
        (replace_controls, "a b \U0001f469 \U0001f3a8"),
    ],
)
def test_each_reader_has_a_form_of_its_own(made_harmless: Callable[[str], str], expected: str) -> None:
    assert made_harmless(f"a{OVERRIDE}b\n\U0001f469{JOINER}\U0001f3a8") == expected


def test_a_cut_text_has_the_sign_of_the_cut_within_its_length() -> None:
    assert (shorten_text("abcdef", 4), shorten_text("abcd", 4), shorten_text("abcdef", None)) == (
        "abc…",
        "abcd",
        "abcdef",
    )
    # A name that is cut behind a word has no space before the sign of the cut; a line of a log keeps it.
    assert (format_one_line("abc def", 5), format_plain_line("abc def", 5)) == ("abc…", "abc …")


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
