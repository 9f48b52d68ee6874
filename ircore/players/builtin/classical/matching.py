"""Which thing in the rendering is meant to be which thing of the target."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from ircore.core import exact
from ircore.seeing.colours import distance
from ircore.seeing.percepts import Bars, Percept, Perception, Pie, Shape, Stroke, Text, middle_of

T = TypeVar("T")
SAME_COLOUR, OTHER_COLOUR = 60.0, 12.0
"""Distances in RGB, 0–441, up to which colours are alike, and from which on they are not the same."""


@dataclass(frozen=True, eq=False)
class Item:
    """A thing that a correction can name: a percept, or a single bar of a chart.

    >>> from ircore.seeing.percepts import circle_shape
    >>> Item(circle_shape((50.0, 50.0), 20.0, 1257.0, "#ff0000")).colour
    '#ff0000'

    Attributes:
        percept: The percept; for a bar, its rectangle.
        bars: The group a bar belongs to, and its number there.
    """

    percept: Percept
    bars: tuple[Bars, int] | None = None

    @property
    def colour(self) -> str | None:
        """Colour of the thing; None if the thing has several colours."""
        if isinstance(self.percept, Shape):
            return self.percept.colour or (self.percept.outline[0] if self.percept.outline else None)
        return None if isinstance(self.percept, (Pie, Bars)) else self.percept.colour

    @property
    def middle(self) -> tuple[float, float]:
        """Middle of the thing's box."""
        return middle_of(self.percept.box)


def items_of(perception: Perception) -> list[Item]:
    """Return all percepts but texts as items, with an item for each bar."""
    items = []
    for percept in perception.percepts:
        if isinstance(percept, Bars):
            items += [Item(_rectangle(percept, n), (percept, n)) for n in range(len(percept.bars))]
        elif not isinstance(percept, Text):
            items.append(Item(percept))
    return items


def _rectangle(group: Bars, index: int) -> Shape:
    bar = group.bars[index]
    low, high = sorted((bar.tip, group.foot(bar)))
    left, right, top, bottom = (bar.start, bar.end, low, high) if group.upright else (low, high, bar.start, bar.end)
    size = (right - left, bottom - top)
    centre = ((left + right) / 2, (top + bottom) / 2)
    return Shape("rectangle", bar.colour, centre, size, 0.0, (), bar.outline, size[0] * size[1], bar.box)


def pair(targets: list[Item], renderings: list[Item]) -> list[tuple[Item, Item]]:
    """Pair the things of target and rendering that are the same thing, the surest pairs first."""
    return cheapest(targets, renderings, _cost, 1.0)


def cheapest(ones: Sequence[T], others: Sequence[T], cost: Callable[[T, T], float], most: float) -> list[tuple[T, T]]:
    """Pair things of two lists, each at most once, cheapest pairs first and no pair above ``most``."""
    # Equal costs are decided by the order of the lists, so that the same pictures always give the same pairs.
    costs = sorted((cost(first, second), i, j) for i, first in enumerate(ones) for j, second in enumerate(others))
    left = set(range(len(ones))), set(range(len(others)))
    pairs = []
    for spent, i, j in costs:
        if spent <= most and i in left[0] and j in left[1]:
            left[0].remove(i)
            left[1].remove(j)
            pairs.append((ones[i], others[j]))
    return pairs


def _cost(first: Item, second: Item) -> float:
    """Return how unlike two things are; above 1 they cannot be the same."""
    family = _family(first.percept)
    if family != _family(second.percept):
        return math.inf
    away = exact.dist(first.middle, second.middle)
    boxes = first.percept.box, second.percept.box
    sizes = [max(right - left, bottom - top, 1) for left, top, right, bottom in boxes]
    unlike = abs(exact.log(sizes[0] / sizes[1])) / 2
    off_colour = distance(first.colour, second.colour) / 441 if first.colour and second.colour else 0.0
    # Things of unlike colours are the same thing only at the same place.
    if off_colour > OTHER_COLOUR / 441 and away > (0.5 if off_colour < SAME_COLOUR / 441 else 0.3) * sizes[0]:
        return math.inf
    # A hidden or blurred shape may be taken for another kind.
    kinds = 0.15 if getattr(first.percept, "kind", "") != getattr(second.percept, "kind", "") else 0.0
    return away / max(120.0 if sizes[0] > 20 else 30.0, 1.5 * sizes[0]) + unlike + off_colour + kinds


def _family(percept: Percept) -> str:
    if isinstance(percept, Shape):
        return "filled" if percept.colour else "outlined"
    if isinstance(percept, Stroke) and len(percept.points) == 2:
        horizontal = abs(percept.points[0][1] - percept.points[1][1]) < abs(percept.points[0][0] - percept.points[1][0])
        return f"line {horizontal}"
    return type(percept).__name__
