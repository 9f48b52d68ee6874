"""Pictures at a terminal: half blocks, two pixels of a picture a cell."""

import io
import re

import numpy as np
import pytest
from PIL import Image

from ircore.core.errors import InputError
from ircore.core.images import Picture
from ircore.core.terminal_pictures import show_pictures, shows_pictures


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
    assert shows_pictures(Terminal()) is shows
    assert not shows_pictures(io.StringIO())


def test_an_unknown_choice_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IRCORE_PICTURES", "ascii")
    with pytest.raises(InputError, match="IRCORE_PICTURES: 'ascii' is unknown"):
        shows_pictures(Terminal())


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
