"""Colours in words."""

import colorsys
from functools import cache

import numpy as np
import numpy.typing as npt
from PIL import ImageColor

from ircore.core.exact import dist
from ircore.players.builtin.canvas.colours import rgb


@cache
def exact_names() -> dict[str, str]:
    """Return the shortest CSS name of each colour that has a name, by #rrggbb."""
    names: dict[str, str] = {}
    # Sorted from the longest to the shortest name, so that the shortest one is the last to be kept.
    for name, value in sorted(ImageColor.colormap.items(), key=lambda entry: (-len(entry[0]), entry[0])):
        if "gray" not in name:
            # Pillow puts numbers in the place of a colour that anybody in this process has drawn with.
            names[value.lower() if isinstance(value, str) else "#{:02x}{:02x}{:02x}".format(*value)] = name
    return names


def exact(colour: str) -> str:
    """Return the shortest exact name of a colour: its CSS name, else #rrggbb."""
    return exact_names().get(colour, colour)


def plain_name(colour: str) -> str:
    """Return an everyday name, such as ``dark red``, for #rrggbb."""
    red, green, blue = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    hue, lightness, saturation = colorsys.rgb_to_hls(red, green, blue)
    chroma = max(red, green, blue) - min(red, green, blue)
    if chroma < 0.09:
        return _grey(lightness)
    if lightness < 0.09:
        return "black"
    name = _hue(hue * 360)
    # Dark orange is called brown, dark yellow olive.
    if name in {"orange", "yellow"} and lightness < 0.38:
        name = "brown" if hue * 360 < 48 else "olive"
    if name == "red" and lightness > 0.7:
        name = "pink"
    if chroma < 0.2 and saturation < 0.25:
        return f"{_shade(lightness)}grey" if chroma < 0.12 else f"{_shade(lightness)}{name}"
    return f"{_shade(lightness)}{name}"


def _grey(lightness: float) -> str:
    limits = ((0.12, "black"), (0.4, "dark grey"), (0.68, "grey"), (0.93, "light grey"))
    return next((name for limit, name in limits if lightness < limit), "white")


def _shade(lightness: float) -> str:
    return "dark " if lightness < 0.28 else "light " if lightness > 0.74 else ""


def _hue(degrees: float) -> str:
    limits = ((14, "red"), (42, "orange"), (68, "yellow"), (165, "green"), (188, "turquoise"), (255, "blue"),
              (292, "purple"), (335, "pink"))  # fmt: skip
    return next((name for limit, name in limits if degrees < limit), "red")


def rgb_array(colour: str) -> npt.NDArray[np.float64]:
    """Return #rrggbb as an array of three numbers 0–255."""
    return np.array(rgb(colour), np.float64)


def distance(first: str, second: str) -> float:
    """Return the Euclidean distance of two colours in RGB, 0–441."""
    return float(dist(rgb(first), rgb(second)))
