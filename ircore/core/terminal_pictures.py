"""Pictures at a terminal: by the protocol of kitty, iTerm2 or sixel, else as half blocks in colours.

The protocols: https://sw.kovidgoyal.net/kitty/graphics-protocol, https://iterm2.com/documentation-images.html and
https://vt100.net/docs/vt3xx-gp/chapter14.html. The terminal is known by its environment variables alone: nothing is
sent to the terminal that would have to be answered.
"""

import base64
import io
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, TextIO, cast, get_args

from PIL import Image

from ircore.core.errors import InputError
from ircore.core.images import Picture
from ircore.core.terminal import shows_colours, terminal_width

Protocol = Literal["kitty", "iterm", "sixel", "blocks", "none"]

CHOICE = "IRCORE_PICTURES"
"""Environment variable that names a protocol, where the terminal is not recognised."""

WIDEST = 96
"""Columns that pictures side by side take at most."""

CELL = (10, 20)
"""Pixels of a character cell, for sixels, whose size is in pixels."""

SIXEL_COLOURS = 64
CHUNK = 4096
"""Characters of base64 in a command to kitty."""


def protocol_for(stream: TextIO, variables: Mapping[str, str] | None = None) -> Protocol:
    """Return how a stream shows pictures; ``none`` for files, pipes and terminals without colours.

    Args:
        stream: Where the pictures would go.
        variables: Environment variables; those of the process if None.

    Raises:
        InputError: ``IRCORE_PICTURES`` names no protocol.
    """
    known = os.environ if variables is None else variables
    choice = known.get(CHOICE, "")
    if choice and choice not in get_args(Protocol):
        raise InputError(f"{CHOICE}: unknown protocol {choice!r}", f"Choose one of: {', '.join(get_args(Protocol))}")
    if not stream.isatty():
        return "none"
    if choice:
        return cast("Protocol", choice)
    if not shows_colours(stream):
        return "none"
    return _recognised(known)


def _recognised(variables: Mapping[str, str]) -> Protocol:
    terminal, program = variables.get("TERM", ""), variables.get("TERM_PROGRAM", "")
    if variables.get("TMUX") or terminal.startswith(("screen", "tmux")):
        return "blocks"  # a multiplexer swallows the commands of the three protocols
    if variables.get("KITTY_WINDOW_ID") or terminal in ("xterm-kitty", "xterm-ghostty") or program == "ghostty":
        return "kitty"
    if program in ("iTerm.app", "WezTerm"):
        return "iterm"
    if "sixel" in terminal or terminal.startswith(("foot", "mlterm", "contour")):
        return "sixel"
    return "blocks"


def show_pictures(pictures: Mapping[str, Picture], stream: TextIO) -> bool:
    """Show pictures side by side, each with its name below; return whether the stream shows pictures at all."""
    protocol = protocol_for(stream)
    if protocol == "none" or not pictures:
        return False
    columns = min(terminal_width(stream) or WIDEST, WIDEST)
    each = max(columns // len(pictures) - 1, 1)
    names = "".join(name[:each].ljust(each + 1) for name in pictures)
    stream.write(f"{drawn(_side_by_side(list(pictures.values()), each), each, protocol)}\n{names.rstrip()}\n")
    stream.flush()
    return True


def _side_by_side(pictures: Sequence[Picture], columns: int) -> Image.Image:
    """Return one image: each picture in a square, with a gap of one column of the terminal behind each."""
    side = columns * CELL[0]
    strip = Image.new("RGB", ((side + CELL[0]) * len(pictures), side), "white")
    for place, picture in enumerate(pictures):
        with Image.open(io.BytesIO(picture.data)) as image:
            shrunk = image.convert("RGB")
            shrunk.thumbnail((side, side))
        strip.paste(shrunk, (place * (side + CELL[0]), 0))
    return strip


def drawn(strip: Image.Image, columns: int, protocol: Protocol) -> str:
    """Return the characters that show an image at a terminal.

    Args:
        strip: The image; its height fills ``columns // 2`` lines, since a cell is twice as high as wide.
        columns: Columns that the height of the image would take as a width.
        protocol: How.
    """
    width, lines = max(strip.width // CELL[0], 1), max(columns // 2, 1)
    if protocol == "kitty":
        return "".join(_kitty(_png(strip), width, lines))
    if protocol == "iterm":
        return f"\x1b]1337;File=inline=1;width={width};height={lines}:{_png(strip)}\x07"
    if protocol == "sixel":
        return "".join(_sixel(strip))
    return "\n".join(_blocks(strip, width, lines))


def _png(strip: Image.Image) -> str:
    """Return an image as the base64 of a PNG file."""
    file = io.BytesIO()
    strip.save(file, "PNG")
    return base64.standard_b64encode(file.getvalue()).decode()


def _kitty(data: str, width: int, lines: int) -> Iterator[str]:
    # Kitty takes 4,096 characters a command; the last command says that no more follow.
    for start in range(0, len(data), CHUNK):
        more = int(start + CHUNK < len(data))
        head = f"f=100,a=T,q=2,c={width},r={lines},m={more}" if start == 0 else f"m={more}"
        yield f"\x1b_G{head};{data[start : start + CHUNK]}\x1b\\"


def _blocks(strip: Image.Image, width: int, lines: int) -> Iterator[str]:
    """Yield lines of upper half blocks: the letter's colour is the upper pixel, the background's the lower pixel."""
    # Two pixels a line: a half block shows one above the other.
    small = strip.resize((width, lines * 2), Image.Resampling.BOX)
    for line in range(lines):
        cells = []
        for column in range(width):
            upper, lower = small.getpixel((column, 2 * line)), small.getpixel((column, 2 * line + 1))
            cells.append(
                "\x1b[38;2;{};{};{};48;2;{};{};{}m▀".format(*cast("tuple[int]", upper), *cast("tuple[int]", lower))
            )
        yield "".join(cells) + "\x1b[0m"


def _sixel(strip: Image.Image) -> Iterator[str]:
    """Yield an image as sixels: bands of six rows, each colour of a band as a line of its own, runs counted."""
    image = strip.quantize(SIXEL_COLOURS)
    palette = image.getpalette() or []
    yield f'\x1bPq"1;1;{image.width};{image.height}'
    for number in range(len(palette) // 3):
        red, green, blue = (round(value * 100 / 255) for value in palette[3 * number : 3 * number + 3])
        yield f"#{number};2;{red};{green};{blue}"
    for top in range(0, image.height, 6):
        rows = range(top, min(top + 6, image.height))
        masks: dict[int, list[int]] = {}
        for column in range(image.width):
            for bit, row in enumerate(rows):
                colour = cast("int", image.getpixel((column, row)))
                masks.setdefault(colour, [0] * image.width)[column] |= 1 << bit
        # "$" goes back to the beginning of the band for the next colour, "-" on to the next band.
        yield "$".join(f"#{colour}{_runs(columns)}" for colour, columns in masks.items()) + "-"
    yield "\x1b\\"


def _runs(masks: Sequence[int]) -> str:
    """Return a line of sixels, in which repeated characters are counted: ``!5~`` is ``~~~~~``."""
    from itertools import groupby

    parts = []
    for mask, group in groupby(masks):
        count = len(list(group))
        parts.append(f"!{count}{chr(63 + mask)}" if count > 3 else chr(63 + mask) * count)
    return "".join(parts)
