"""The columns above which the corners of a chart's lines stand: at ticks, upright grid lines, labels or markers."""

from collections.abc import Sequence

import numpy as np

from ircore.seeing.percepts import Grid, Percept, Shape, Stroke, Text, Ticks

MOST_COLUMNS = 24
IN_ROW = 2.0
"""Pixels that the middles of two labels of a row may differ."""
LEAST_LABELS = 4
EDGE = 2.0
"""Pixels from the upper edge within which graph paper begins."""


def is_ruled(percepts: Sequence[Percept]) -> bool:
    """Tell whether ticks or upright grid lines say where the columns are."""
    return len(columns_of(percepts, (), 0)) >= 3


def columns_of(percepts: Sequence[Percept], dots: Sequence[Shape], width: int) -> list[float]:
    """Return x of the columns in pixels, from left to right; empty if neither ticks, grid, labels nor markers show any.

    Args:
        percepts: Axes, ticks, grids, lines and texts of the picture.
        dots: Small round shapes, which may be markers.
        width: Of the picture in pixels.
    """
    ticks = [percept for percept in percepts if isinstance(percept, Ticks) and percept.axis == "x"]
    # Lines from edge to edge are graph paper; a chart's grid has a margin.
    upright = [percept for percept in percepts if isinstance(percept, Grid) and not percept.horizontal]
    grids = [grid for grid in upright if grid.low > EDGE]
    for at in [*(tick.at for tick in ticks), *(grid.at for grid in grids)]:
        if len(at) >= 3:
            return sorted(at)
    marked = [dot.centre for dot in dots]
    for percept in percepts:
        if isinstance(percept, Stroke) and percept.marker:
            marked += percept.points
    places = sorted(x for x, _ in marked)
    return _under_labels(percepts, places) or _regular(places, width)


def _under_labels(percepts: Sequence[Percept], places: list[float]) -> list[float]:
    """Return the middles of the lowest row of texts, if they are evenly spaced and markers stand above them."""
    texts = [percept for percept in percepts if isinstance(percept, Text)]
    rows = [[other.centre[0] for other in texts if abs(other.centre[1] - text.centre[1]) <= IN_ROW] for text in texts]
    for row in sorted((sorted(row) for row in rows if len(row) >= LEAST_LABELS), key=len, reverse=True):
        steps = np.diff(row)
        above = sum(any(abs(place - x) < 3 for x in row) for place in places)
        if np.ptp(steps) <= 2.5 and above >= max(LEAST_LABELS, 0.7 * len(places)):
            return [float(x) for x in np.linspace(row[0], row[-1], len(row))]
    return []


def _regular(places: list[float], width: int) -> list[float]:
    """Return evenly spaced columns in which most places stand; empty if most places stand in no such columns."""
    groups: list[list[float]] = []
    for x in places:
        if groups and x - groups[-1][-1] < 2.5:
            groups[-1].append(x)
        else:
            groups.append([x])
    middles = [float(np.mean(group)) for group in groups]
    if len(middles) < 3:
        return []
    step = float(np.median(np.diff(middles)))
    count = round((middles[-1] - middles[0]) / step) if step > 9 else 0
    if not 2 <= count < MOST_COLUMNS:
        return []
    even = np.linspace(middles[0], middles[-1], count + 1)
    off = [float(np.abs(even - x).min()) for x in middles]
    if max(off) >= 2.5:
        return []
    # Markers that melt into a thick line are not seen, so columns go on to both sides.
    step = (middles[-1] - middles[0]) / count
    before = [middles[0] - step * n for n in range(1, 9) if middles[0] - step * n > 20]
    after = [middles[-1] + step * n for n in range(1, 9) if middles[-1] + step * n < width - 10]
    return [*before[::-1], *(float(x) for x in even), *after]
