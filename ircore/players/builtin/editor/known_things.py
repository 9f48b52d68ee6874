"""Things that the editor knows by name: it draws them from words, and tells them apart by their colours."""

from collections.abc import Sequence
from functools import cache
from importlib.resources import files

import numpy as np
import numpy.typing as npt

from ircore.core.images import Picture, Pixels
from ircore.players.builtin.canvas.generator import answer
from ircore.players.builtin.canvas.reader import read

LEVELS = 4
"""Steps of each channel in which colours are counted."""


@cache
def known_things() -> dict[str, str]:
    """Return the words from which each known thing is drawn, by its name."""
    lines = (files(__package__) / "known_things.txt").read_text(encoding="utf-8").splitlines()
    return {name: words for name, _, words in (line.partition(": ") for line in lines)}


def named_thing(prompt: str) -> str | None:
    """Return the known thing with the longest name in a prompt; None if it names none."""
    names = [name for name in known_things() if name.lower() in prompt.lower()]
    return max(names, key=len, default=None)


@cache
def _drawn(name: str) -> Picture:
    return answer(*read([known_things()[name]])).picture


def recognised(picture: Picture, choices: Sequence[str]) -> str | None:
    """Return the choice whose drawing has the most similar colours; None if no choice is a known thing."""
    known = [choice for choice in choices if choice in known_things()]
    colours = _colours(picture.pixels)
    # The name decides between equally similar things, so that the order of the choices does not.
    return min(
        known, key=lambda name: (float(np.abs(colours - _colours(_drawn(name).pixels)).sum()), name), default=None
    )


def _colours(pixels: Pixels) -> npt.NDArray[np.float64]:
    """Return the share of each colour among pixels that differ from the colour of the corner."""
    channels = pixels.astype(np.int64) * LEVELS // 256
    names = (channels[..., 0] * LEVELS + channels[..., 1]) * LEVELS + channels[..., 2]
    # The ground would outweigh the thing.
    counts = np.bincount(names[names != names[0, 0]], minlength=LEVELS * LEVELS * LEVELS)
    return counts / max(1, int(counts.sum()))
