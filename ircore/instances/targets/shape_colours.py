"""Colours that people can name, and how far apart two colours look."""

import math

SHAPE_COLOURS = (
    "#d62828",  # red
    "#f77f00",  # orange
    "#ffd60a",  # yellow
    "#8ac926",  # light green
    "#2a9d4a",  # green
    "#14532d",  # dark green
    "#17a2a2",  # teal
    "#4cc9f0",  # light blue
    "#1d4ed8",  # blue
    "#172554",  # navy
    "#7b2cbf",  # purple
    "#e01e9b",  # magenta
    "#ff8fb1",  # pink
    "#7f4f24",  # brown
    "#6c757d",  # grey
    "#111111",  # black
    "#ffffff",  # white
)

GROUND_COLOURS = (
    "#ffffff", "#f4f1de", "#e9ecef", "#fff3b0", "#d8f3dc", "#cfe8ff", "#ffe5ec", "#e7dcf7", "#ffd8be", "#c9d6df",
    "#3d405b", "#1b263b", "#2d3a2e",
)  # fmt: skip
"""Plain grounds: light ones and three dark ones."""


def contrast(colour: str, other_colour: str) -> float:
    """Return how far apart two colours look, 0 to 1.

    Args:
        colour: ``#rrggbb``.
        other_colour: ``#rrggbb``.

    The weighted distance in RGB known as "redmean" (a low-cost approximation of perceived difference, T. Riemersma,
    compuphase.com), divided by its value for black and white.
    """
    first, second = bytes.fromhex(colour[1:]), bytes.fromhex(other_colour[1:])
    red, green, blue = ((a - b) / 255 for a, b in zip(first, second, strict=True))
    mean = (first[0] + second[0]) / 2 / 256
    square = (2 + mean) * red * red + 4 * green * green + (3 - mean) * blue * blue
    return math.sqrt(square / 9)


def distinct_from(others: list[str], colours: tuple[str, ...], least: float = 0.3) -> list[str]:
    """Return the ``colours`` that are at least ``least`` away from each of ``others``."""
    return [colour for colour in colours if all(contrast(colour, other) >= least for other in others)]
