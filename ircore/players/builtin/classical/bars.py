"""Bars of charts: upright rectangles on a common baseline."""

import itertools
from collections import defaultdict

import numpy as np

from ircore.seeing.percepts import Bar, Bars, Shape

ALIGNED = 2.0
"""Pixels that the feet of two bars on one baseline may differ."""


def find_bars(shapes: list[Shape]) -> list[Bars]:
    """Find the upright rectangles that stand on, or hang from, a common baseline.

    Returns:
        At most one group of upright and stacked bars; empty for fewer than three rectangles on a baseline.
    """
    boxes = [shape for shape in shapes if shape.kind in {"rectangle", "square"} and not shape.rotation and shape.colour]
    if len(boxes) < 3:
        return []
    groups = [group for upright in (True, False) if (group := _bars_on(boxes, upright)) is not None]
    best = max(groups, key=lambda group: (len(group.bars), group.area), default=None)
    return [best] if best is not None else []


def by_series(group: Bars) -> list[Bars]:
    """Split bars into a group for each colour, if each colour has several bars and no bar covers another."""
    colours: dict[str, list[Bar]] = defaultdict(list)
    for bar in group.bars:
        colours[bar.colour].append(bar)
    spans = sorted((bar.start, bar.end) for bar in group.bars)
    # Bars of one stack lie over each other along the axis.
    stacked = any(later[0] < earlier[1] - 3 for earlier, later in itertools.pairwise(spans))
    if len(colours) == 1 or stacked or min(len(bars) for bars in colours.values()) < 3:
        return [group]
    return [Bars(group.upright, group.base, tuple(bars)) for bars in colours.values()]


def _edges(shape: Shape, upright: bool) -> tuple[float, float, float, float]:
    """Return start and end across, low and high along, of a box inside its outline."""
    (x, y), (width, height) = shape.centre, shape.size
    left, top, right, bottom = x - width / 2, y - height / 2, x + width / 2, y + height / 2
    return (left, right, top, bottom) if upright else (top, bottom, left, right)


def _bars_on(shapes: list[Shape], upright: bool) -> Bars | None:
    """Return the bars on the baseline that most rectangles touch, with the bars stacked on them."""
    edges = [_edges(shape, upright) for shape in shapes]
    places = [edge for _, _, low, high in edges for edge in (low, high)]
    base = max(places, key=lambda at: (sum(abs(at - other) <= ALIGNED for other in places), at if upright else -at))
    on = [i for i, (_, _, low, high) in enumerate(edges) if min(abs(low - base), abs(high - base)) <= ALIGNED]
    if len(on) < 3 or _overlap([edges[i] for i in on]):
        return None
    # The feet differ by a pixel or two; one of them decided which bars belong together.
    base = float(np.median([min(edges[i][2:], key=lambda edge: abs(edge - base)) for i in on]))
    chosen = dict.fromkeys(on)
    # From the baseline outwards, so that the bar under each bar is chosen before it.
    for i in sorted(range(len(shapes)), key=lambda i: min(abs(edges[i][2] - base), abs(edges[i][3] - base))):
        if i not in chosen and any(_stacked(edges[i], edges[j]) for j in chosen):
            chosen[i] = None
    bars = [_bar(shapes[i], edges[i], base) for i in chosen]
    bars.sort(key=lambda bar: (-abs(bar.tip - base), bar.start))
    return Bars(upright, base, tuple(bars))


def _overlap(edges: list[tuple[float, float, float, float]]) -> bool:
    """Tell whether two of the bars stand at the same place, on the same side."""
    for number, (start, end, low, high) in enumerate(edges):
        for other_start, other_end, other_low, other_high in edges[:number]:
            across = min(end, other_end) - max(start, other_start)
            along = min(high, other_high) - max(low, other_low)
            if across > 3 and along > 3:
                return True
    return False


def _stacked(upper: tuple[float, float, float, float], lower: tuple[float, float, float, float]) -> bool:
    same = abs(upper[0] - lower[0]) <= ALIGNED and abs(upper[1] - lower[1]) <= ALIGNED
    return same and (abs(upper[3] - lower[2]) <= 3 or abs(upper[2] - lower[3]) <= 3)


def _bar(shape: Shape, edges: tuple[float, float, float, float], base: float) -> Bar:
    start, end, low, high = edges
    tip = low if abs(low - base) > abs(high - base) else high
    return Bar(shape.colour or "#000000", start, end, tip, shape.box, shape.outline)
