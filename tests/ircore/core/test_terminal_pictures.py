"""Pictures at a terminal, each protocol read back by the rules of its own description."""

import base64
import io
import re

import numpy as np
import pytest
from PIL import Image

from ircore.core.errors import InputError
from ircore.core.images import Picture
from ircore.core.terminal_pictures import drawn, protocol_for, show_pictures


class Terminal(io.StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


def halves() -> Image.Image:
    """An image of 40 × 40 pixels, red above and blue below."""
    image = Image.new("RGB", (40, 40), (255, 0, 0))
    image.paste((0, 0, 255), (0, 20, 40, 40))
    return image


@pytest.mark.parametrize(
    ("variables", "protocol"),
    [
        ({"TERM": "xterm-kitty"}, "kitty"),
        ({"TERM": "xterm-256color", "KITTY_WINDOW_ID": "1"}, "kitty"),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app"}, "iterm"),
        ({"TERM": "foot"}, "sixel"),
        ({"TERM": "xterm-256color"}, "blocks"),
        ({"TERM": "tmux-256color", "KITTY_WINDOW_ID": "1"}, "blocks"),
        ({"TERM": "xterm-256color", "IRCORE_PICTURES": "sixel"}, "sixel"),
        ({"TERM": "xterm-kitty", "IRCORE_PICTURES": "none"}, "none"),
    ],
)
def test_a_terminal_is_known_by_its_variables(
    variables: dict[str, str], protocol: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", variables["TERM"])
    assert protocol_for(Terminal(), variables) == protocol
    assert protocol_for(io.StringIO(), variables) == "none"


def test_who_wants_no_colours_gets_no_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert protocol_for(Terminal(), {"TERM": "xterm-kitty"}) == "none"


def test_an_unknown_protocol_is_refused() -> None:
    with pytest.raises(InputError, match="IRCORE_PICTURES: unknown protocol 'ascii'"):
        protocol_for(Terminal(), {"IRCORE_PICTURES": "ascii"})


def test_half_blocks_show_two_pixels_a_cell() -> None:
    red, blue = "38;2;255;0;0;48;2;255;0;0", "38;2;0;0;255;48;2;0;0;255"
    assert drawn(halves(), 4, "blocks").splitlines() == [
        f"\x1b[{red}m▀" * 4 + "\x1b[0m",
        f"\x1b[{blue}m▀" * 4 + "\x1b[0m",
    ]


def test_kitty_gets_the_file_in_chunks() -> None:
    noise = Image.fromarray(np.random.default_rng(1).integers(0, 256, (60, 60, 3), dtype=np.uint8))
    commands = re.findall(r"\x1b_G([^;]*);([^\x1b]*)\x1b\\", drawn(noise, 6, "kitty"))
    assert len(commands) > 1
    assert all(len(data) <= 4096 for _, data in commands)
    assert [keys[-3:] for keys, _ in commands] == ["m=1"] * (len(commands) - 1) + ["m=0"]
    with Image.open(io.BytesIO(base64.b64decode("".join(data for _, data in commands)))) as read:
        assert (np.asarray(read) == np.asarray(noise)).all()


def test_iterm_gets_the_file_whole() -> None:
    match = re.fullmatch(r"\x1b\]1337;File=inline=1;width=4;height=2:(.+)\x07", drawn(halves(), 4, "iterm"))
    assert match
    with Image.open(io.BytesIO(base64.b64decode(match[1]))) as read:
        assert (np.asarray(read) == np.asarray(halves())).all()


def test_sixels_give_the_same_pixels() -> None:
    assert (unsixel(drawn(halves(), 4, "sixel")) == np.asarray(halves())).all()


def unsixel(text: str) -> np.ndarray:
    """Read sixels back: ``#n;2;r;g;b`` defines a colour, ``#n`` takes it, ``$`` returns, ``-`` ends the band."""
    head = re.match(r'\x1bPq"1;1;(\d+);(\d+)', text)
    assert head
    width, height = int(head[1]), int(head[2])
    pixels = np.zeros((height + 6, width, 3), np.uint8)
    colours: dict[int, tuple[int, ...]] = {}
    row = column = 0
    colour = 0
    for token in re.findall(r"#\d+;2;\d+;\d+;\d+|#\d+|!\d+[?-~]|[?-~]|[$-]", text[head.end() : -2]):
        if token.startswith("#"):
            colour, *values = map(int, token[1:].replace(";2;", ";", 1).split(";"))
            if values:
                colours[colour] = tuple(round(value * 255 / 100) for value in values)
        elif token == "$":
            column = 0
        elif token == "-":
            row, column = row + 6, 0
        else:
            count = int(token[1:-1]) if token.startswith("!") else 1
            for bit in range(6):
                if (ord(token[-1]) - 63) >> bit & 1:
                    pixels[row + bit, column : column + count] = colours[colour]
            column += count
    return pixels[:height]


def test_pictures_stand_side_by_side_with_their_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IRCORE_PICTURES", "blocks")
    monkeypatch.setenv("COLUMNS", "42")
    white = Picture.from_pixels(np.full((30, 30, 3), 255, np.uint8))
    screen = Terminal()
    assert show_pictures({"target": white, "your picture": white}, screen)
    *lines, names = re.sub(r"\x1b\[[0-9;]*m", "", screen.getvalue()).splitlines()
    assert len(lines) == 10
    assert {len(line) for line in lines} == {42}
    assert names == "target               your picture"
    assert not show_pictures({"target": white}, io.StringIO())
