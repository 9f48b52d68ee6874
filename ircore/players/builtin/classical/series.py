"""Data series of line charts: strokes of one colour with equal dots on them become lines with markers."""

import itertools
import math
from collections import defaultdict

import numpy as np

from ircore.core import exact
from ircore.players.builtin.classical.corners import off_path
from ircore.seeing.percepts import Percept, Shape, Stroke

MAX_MARKER = 20
"""Pixels across."""


def join_series(percepts: list[Percept], dots: list[Shape]) -> tuple[list[Percept], list[Shape]]:
    """Return the percepts with strokes and dots of one colour joined to a line with markers, and the remaining dots."""
    by_colour: dict[str, list[Shape]] = defaultdict(list)
    for dot in dots:
        by_colour[dot.colour or ""].append(dot)
    rest, loose = list(percepts), []
    for colour, group in by_colour.items():
        strokes = [p for p in rest if isinstance(p, Stroke) and p.colour == colour and p.role in {"line", "curve"}]
        markers = _alike(group)
        line = _series(strokes, markers) if len(markers) >= 3 else None
        if line is not None:
            rest = [percept for percept in rest if not any(percept is stroke for stroke in strokes)]
            rest.append(line)
            loose += [dot for dot in group if not any(dot is marker for marker in markers)]
            continue
        for stroke in strokes:
            own = [dot for dot in group if off_path(dot.centre, stroke.points) <= 4]
            line = _series([stroke], _alike(own)) if len(own) >= 3 else None
            if line is not None:
                rest = [line if percept is stroke else percept for percept in rest]
                group = [dot for dot in group if not any(dot is marker for marker in own)]
        loose += group
    return rest, loose


def _alike(group: list[Shape]) -> list[Shape]:
    usual = float(np.median([min(dot.size) for dot in group]))
    return [dot for dot in group if abs(min(dot.size) - usual) <= max(2.0, 0.3 * usual) and usual <= MAX_MARKER]


def _series(strokes: list[Stroke], markers: list[Shape]) -> Stroke | None:
    """Return one line through the markers from left to right; None if the strokes do not run between them."""
    ordered = sorted(markers, key=lambda dot: dot.centre[0])
    centres = [dot.centre for dot in ordered]
    if len(centres) < 3 or not strokes or min(b[0] - a[0] for a, b in itertools.pairwise(centres)) < 4:
        return None
    near = sum(off_path(point, centres) <= 7 for stroke in strokes for point in stroke.points)
    if near < 0.7 * sum(len(stroke.points) for stroke in strokes):
        return None
    length = math.fsum(exact.dist(a, b) for a, b in itertools.pairwise(centres))
    drawn = math.fsum(exact.dist(a, b) for s in strokes for a, b in itertools.pairwise(s.points))
    # Dots that only happen to lie in a row are joined by no line.
    if drawn < 0.45 * length:
        return None
    widest = max(strokes, key=lambda stroke: stroke.area)
    radius = round(float(np.median([min(dot.size) for dot in ordered]))) / 2
    points = tuple((round(x, 1), round(y, 1)) for x, y in centres)
    return Stroke(widest.colour, widest.width, points, False, widest.dash, radius, "curve")
