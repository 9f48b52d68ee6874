"""What a reader sees in a finished canvas: its things, their places, and the values at its tick labels."""

import math
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from PIL import ImageColor

from ircore.core.drawing import AxisScale, Point, arc_points
from ircore.players.builtin.canvas.shapes import Blob, BoxF, Canvas, Item, Label, PieItem, find_extent
from ircore.seeing.colours import name_hue_family

Fact = dict[str, Any]
Checks = dict[str, bool]
"""What was stated of a thing, and whether the picture has it."""

SAME_COLOUR = 100.0
"""Euclidean distance in RGB (0–441) up to which a stated colour counts as drawn; so do colours of one everyday name."""
NEAR, ROUGHLY = 6.0, 14.0
"""Percent of the picture by which a place may be off that is stated in numbers, and one stated in words."""


class Drawn:
    """A canvas, with what a reader sees in it."""

    def __init__(self, canvas: Canvas) -> None:
        self.canvas = canvas

    @cached_property
    def labels(self) -> list[Label]:
        """All texts."""
        return [item for item in self.canvas.items if isinstance(item, Label)]

    @cached_property
    def pies(self) -> list[PieItem]:
        """All pies of several wedges."""
        return [item for item in self.canvas.items if isinstance(item, PieItem) and len(item.slices) > 1]

    @cached_property
    def x(self) -> AxisScale | None:
        """The scale of the numbers in a row, if there are such."""
        return _read_scale(self.labels, 0)

    @cached_property
    def y(self) -> AxisScale | None:
        """The scale of the numbers in a column, if there are such."""
        return _read_scale(self.labels, 1)

    def share(self, point: Point) -> Point:
        """Return a point in percent of the picture."""
        return 100 * point[0] / self.canvas.width, 100 * point[1] / self.canvas.height


Readers = dict[str, tuple[Callable[..., Checks], Callable[[Drawn], Sequence[Any]]]]
"""How to check each kind of fact, and against which things."""


def same_colour(stated: str, shown: str | None, most: float = SAME_COLOUR) -> bool:
    """Whether a drawn colour is the stated one, as far as words can tell."""
    if shown is None:
        return False
    wanted = "#{:02x}{:02x}{:02x}".format(*ImageColor.getrgb(stated)[:3])
    apart = math.dist(ImageColor.getrgb(wanted)[:3], ImageColor.getrgb(shown)[:3])
    return apart <= most or (most == SAME_COLOUR and name_hue_family(wanted) == name_hue_family(shown))


def box_of(item: Item) -> BoxF:
    """Return the box of a thing, of a lone wedge that of its own part of the circle."""
    if isinstance(item, PieItem) and len(item.slices) == 1:
        start, end = item.angles()[0]
        rim = arc_points(item.centre, (item.radius, item.radius), start, end)
        return find_extent(rim if item.hole or end - start > 359 else [*rim, item.centre])
    return item.box


def placed(fact: Fact, item: Item, drawn: Drawn) -> Checks:
    """Check place and size of a thing's box."""
    left, top, right, bottom = box_of(item)
    checks: Checks = {}
    if "at" in fact:
        checks["at"] = is_near(fact, drawn.share(((left + right) / 2, (top + bottom) / 2)))
    if "size" in fact:
        sides = drawn.share((right - left, bottom - top))
        checks["size"] = all(abs(a - b) <= max(3.0, 0.25 * b) for a, b in zip(sides, fact["size"], strict=True))
    return checks


def is_near(fact: Fact, at: Point, most: float = NEAR) -> bool:
    """Whether a point, in percent, is where a fact says; words may be off by more than numbers."""
    return math.dist(at, fact["at"]) <= (ROUGHLY if fact.get("roughly") else most)


def plain(text: str) -> str:
    """Return a text with a plain minus and without blanks around it."""
    return text.replace("−", "-").strip()


def items(drawn: Drawn) -> list[Item]:
    """Return all things."""
    return list(drawn.canvas.items)


def whole(drawn: Drawn) -> list[Canvas]:
    """Return the canvas, of which some facts speak as a whole."""
    return [drawn.canvas]


def labels(drawn: Drawn) -> list[Label]:
    """Return all texts."""
    return drawn.labels


def wedges(drawn: Drawn) -> list[tuple[PieItem, int]]:
    """Return the wedges of all pies, as pie and number."""
    return [(pie, part) for pie in drawn.pies for part in range(len(pie.slices))]


def pies(drawn: Drawn) -> list[PieItem]:
    """Return all pies of several wedges."""
    return drawn.pies


def dots(drawn: Drawn) -> list[tuple[Point, str | None]]:
    """Return the small discs and rings of the picture, with their colours."""
    small = 0.06 * drawn.canvas.width
    blobs = [item for item in drawn.canvas.items if isinstance(item, Blob) and max(item.width, item.height) <= small]
    return [(blob.centre, blob.colour) for blob in blobs if blob.kind in {"circle", "dot", "ring"}]


def _read_scale(labels: Sequence[Label], along: int) -> AxisScale | None:
    """Return the scale of the longest row (``along`` 0) or column (1) of numbers that lie evenly."""
    numbers = [(label.centre, float(plain(label.text).rstrip("°"))) for label in labels if _is_number(label.text)]
    best: list[tuple[float, float]] = []
    for middle, _ in numbers:
        row = [(at[along], value) for at, value in numbers if abs(at[1 - along] - middle[1 - along]) < 14]
        # A label of the other axis may stand in the corner.
        for some in (row, *(row[:index] + row[index + 1 :] for index in range(len(row)) if len(row) > 3)):
            if len({value for _, value in some}) > max(1, len({value for _, value in best})) and _is_even(some):
                best = some
    if not best:
        return None
    slope, start = np.polyfit([at for at, _ in best], [value for _, value in best], 1)
    low, high = min(value for _, value in best), max(value for _, value in best)
    return AxisScale(low, high, float((low - start) / slope), float((high - start) / slope))


def _is_number(text: str) -> bool:
    try:
        float(plain(text).rstrip("°"))
    except ValueError:
        return False
    return True


def _is_even(row: list[tuple[float, float]]) -> bool:
    """Whether values grow with place along a straight line, up to a hundredth."""
    places, values = np.array(row).T
    if np.ptp(places) < 20 or np.ptp(values) == 0:
        return False
    slope, start = np.polyfit(places, values, 1)
    return bool(np.abs(places * slope + start - values).max() < 0.02 * np.ptp(values))
