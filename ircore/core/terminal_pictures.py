"""Pictures at a terminal: lines of half blocks in colours, which every terminal with colours shows."""

import io
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import TextIO, cast

from PIL import Image

from ircore.core.errors import InputError
from ircore.core.images import Picture
from ircore.core.terminal import find_terminal_width, has_colours

CHOICE = "IRCORE_PICTURES"
"""Environment variable that turns pictures off, where it says ``none``."""

WIDEST = 96
"""Columns that pictures side by side take at most."""


def can_show_pictures(stream: TextIO) -> bool:
    """Return whether a stream shows pictures: a terminal with colours, whose user has not turned them off.

    Raises:
        InputError: ``IRCORE_PICTURES`` says something else than ``none``.
    """
    choice = os.environ.get(CHOICE, "")
    if choice not in ("", "none"):
        raise InputError(f"{CHOICE}: {choice!a} is unknown", "Write none, or unset it to see pictures.")
    return not choice and has_colours(stream)


def show_pictures(pictures: Mapping[str, Picture], stream: TextIO) -> bool:
    """Show pictures side by side, each with its name below; return whether the stream shows pictures at all."""
    if not can_show_pictures(stream) or not pictures:
        return False
    columns = min(find_terminal_width(stream) or WIDEST, WIDEST)
    each = max(columns // len(pictures) - 1, 1)
    names = "".join(name[:each].ljust(each + 1) for name in pictures)
    lines = _render_half_blocks(_join_side_by_side(list(pictures.values()), each))
    stream.write("\n".join((*lines, names.rstrip())) + "\n")
    stream.flush()
    return True


def _join_side_by_side(pictures: Sequence[Picture], side: int) -> Image.Image:
    """Return one image: each picture in a square of ``side`` pixels, with a gap of one pixel behind each."""
    # A line shows two rows of pixels.
    strip = Image.new("RGB", ((side + 1) * len(pictures), max(side // 2, 1) * 2), "white")
    for place, picture in enumerate(pictures):
        with Image.open(io.BytesIO(picture.data)) as image:
            scale = min(side / image.width, strip.height / image.height)
            size = (max(round(image.width * scale), 1), max(round(image.height * scale), 1))
            strip.paste(image.convert("RGB").resize(size, Image.Resampling.BOX), (place * (side + 1), 0))
    return strip


def _render_half_blocks(strip: Image.Image) -> Iterator[str]:
    """Yield lines of upper half blocks: the letter's colour is the upper pixel, the background's the lower pixel."""
    for top in range(0, strip.height, 2):
        cells = []
        for column in range(strip.width):
            upper, lower = (cast("tuple[int, ...]", strip.getpixel((column, row))) for row in (top, top + 1))
            cells.append("\x1b[38;2;{};{};{};48;2;{};{};{}m▀".format(*upper, *lower))
        yield "".join(cells) + "\x1b[0m"
