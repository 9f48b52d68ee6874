"""From items to pixels."""

import itertools
import math
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from PIL import Image

from ircore.core import exact
from ircore.core.drawing import Drawing, Point
from ircore.core.images import Pixels
from ircore.players.builtin.canvas.shapes import Blob, Canvas, Item, Label, LineItem, PieItem, step_in_direction
from ircore.seeing.colours import parse_hex

MAX_COST = 16_000_000
"""Limit of painting, in pixels of the items' boxes or work that takes as long: about two seconds."""
STEPS = 12
"""Straight pieces that a curve is drawn with from point to point."""


def draw(canvas: Canvas) -> Pixels:
    """Return the picture of a canvas: height × width × 3, RGB."""
    drawing = Drawing(canvas.width, canvas.height, canvas.background)
    if canvas.fade is not None:
        drawing.image.paste(Image.fromarray(_compute_fade(canvas, canvas.fade)))
    paint(drawing, canvas.items)
    return drawing.pixels


def paint(drawing: Drawing, items: Iterable[Item]) -> None:
    """Draw items back to front: grid lines below everything else but panels under them, texts above."""
    for item in _sort_by_layer(items):
        _draw_item(drawing, item)


def keep_affordable_items(canvas: Canvas) -> Canvas:
    """Return the canvas with only as many items, from the back, as can be drawn in reasonable time."""
    cost = 0.0
    for index, item in enumerate(canvas.items):
        cost += _estimate_cost(canvas, item)
        if cost > MAX_COST:
            return replace(canvas, items=canvas.items[:index])
    return canvas


def _estimate_cost(canvas: Canvas, item: Item) -> float:
    left, top, right, bottom = item.box
    wide = min(right, canvas.width) - max(left, 0)
    high = min(bottom, canvas.height) - max(top, 0)
    # An item without any area takes time too.
    area = max(wide, 8.0) * max(high, 8.0)
    if isinstance(item, PieItem):
        return area * (1 + len(item.slices) * (2 if item.outline else 1))
    if isinstance(item, Label) or (isinstance(item, Blob) and item.outline is None):
        return area
    length = 2 * (right - left + bottom - top)
    strokes = length / (math.fsum(item.dash) or 20.0) if item.dash or isinstance(item, Blob) else 0.0
    points = 12 * len(item.points) if isinstance(item, LineItem) and item.smooth else 40
    return 2 * area + 400 * (strokes + points)


def _sort_by_layer(items: Iterable[Item]) -> list[Item]:
    items = list(items)
    grid = [item.box for item in items if item.kind == "grid"]
    places = {"grid": 0, "text": 2}
    # Sorting is stable: within a layer the order of the description stays.
    return sorted(items, key=lambda item: -1 if _is_panel(item, grid) else places.get(item.kind, 1))


def _is_panel(item: Item, grid: list[tuple[float, float, float, float]]) -> bool:
    """Tell whether a filled rectangle would hide most of the grid."""
    if not grid or not isinstance(item, Blob) or item.kind not in {"rectangle", "square"} or item.fill is None:
        return False
    left, top, right, bottom = item.box
    middles = [((box[0] + box[2]) / 2, (box[1] + box[3]) / 2) for box in grid]
    return sum(left <= x <= right and top <= y <= bottom for x, y in middles) > 0.6 * len(middles)


def _compute_fade(canvas: Canvas, other: str) -> Pixels:
    ys, xs = np.mgrid[0 : canvas.height, 0 : canvas.width]
    down = (ys + 0.5) / canvas.height
    across = (xs + 0.5) / canvas.width
    share = {
        "bottom": down,
        "right": across,
        "bottom right": (down + across) / 2,
        "bottom left": (down + 1 - across) / 2,
        "edges": np.minimum(1.0, exact.hypot(down - 0.5, across - 0.5) / math.sqrt(0.5)),
    }[canvas.fade_to][..., None]
    mixed = np.array(parse_hex(canvas.background)) * (1 - share) + np.array(parse_hex(other)) * share
    return np.asarray(mixed.round(), np.uint8)


def _draw_item(drawing: Drawing, item: Item) -> None:
    if isinstance(item, Blob):
        _draw_blob(drawing, item)
    elif isinstance(item, PieItem):
        for part, (start, end) in zip(item.slices, item.angles(), strict=True):
            if end > start:
                centre = step_in_direction(item.centre, math.radians((start + end) / 2), part.pulled)
                drawing.wedge(centre, item.radius, start, end, part.colour, item.outline, item.stroke, hole=item.hole)
    elif isinstance(item, LineItem):
        _draw_stroke(drawing, item)
    elif item.text.strip():
        drawing.text(item.at, item.text, item.size, item.colour, item.anchor, item.rotation)


def _draw_blob(drawing: Drawing, blob: Blob) -> None:
    if blob.kind == "ring" and blob.fill:
        radius = min(blob.width, blob.height) / 2
        drawing.wedge(blob.centre, radius, 0, 360, blob.fill, hole=radius * blob.hole)
    else:
        drawing.polygon(blob.path(), blob.fill)
    if blob.outline:
        drawing.line(blob.path(), blob.outline, blob.stroke, blob.dash, closed=True)


def _draw_stroke(drawing: Drawing, item: LineItem) -> None:
    points = _snap_line(item) if item.kind != "curve" else item.points
    path = smooth(points) if item.smooth else list(points)
    if item.arrow:
        path = _draw_arrowhead(drawing, item, path)
    if item.arrow == "both":
        path = _draw_arrowhead(drawing, item, path[::-1])[::-1]
    # A line whose points coincide has no direction to be drawn in.
    if any(a != b for a, b in itertools.pairwise(path)):
        drawing.line(path, item.colour, item.stroke, item.dash)
    if item.marker:
        for point in item.points:
            _draw_marker(drawing, item, point)


def _snap_line(item: LineItem) -> tuple[Point, ...]:
    """Return the points of a line; an upright 1 px line is put onto whole pixels, to stay sharp."""
    if item.stroke != 1 or len(item.points) != 2:
        return item.points
    (x0, y0), (x1, y1) = item.points
    if y0 == y1 == round(y0):
        return (x0, y0 + 0.5), (x1, y1 + 0.5)
    if x0 == x1 == round(x0):
        return (x0 + 0.5, y0), (x1 + 0.5, y1)
    return item.points


def _draw_marker(drawing: Drawing, item: LineItem, at: Point) -> None:
    size, colour = item.marker_size, item.marker_colour or item.colour
    x, y = at
    if item.marker == "square":
        drawing.rectangle(x - size, y - size, x + size, y + size, colour)
    elif item.marker == "triangle":
        drawing.polygon([(x, y - size), (x + size, y + size), (x - size, y + size)], colour)
    elif item.marker == "diamond":
        drawing.polygon([(x, y - size), (x + size, y), (x, y + size), (x - size, y)], colour)
    elif item.marker == "cross":
        for tilt in (1, -1):
            drawing.line([(x - size, y - size * tilt), (x + size, y + size * tilt)], colour, max(1.0, item.stroke))
    else:
        drawing.ellipse(at, (size, size), colour)


def _draw_arrowhead(drawing: Drawing, item: LineItem, path: list[Point]) -> list[Point]:
    """Draw an arrow's head at the end of a path; return the path, cut so that it ends inside the head."""
    tip, tail = path[-1], next((point for point in reversed(path[:-1]) if point != path[-1]), None)
    if tail is None:
        return path
    length = exact.dist(tip, tail)
    ux, uy = (tip[0] - tail[0]) / length, (tip[1] - tail[1]) / length
    long = max(8.0, 4 * item.stroke)
    half = long * 0.45
    base = (tip[0] - ux * long, tip[1] - uy * long)
    sides = [(base[0] - uy * half, base[1] + ux * half), (base[0] + uy * half, base[1] - ux * half)]
    drawing.polygon([tip, *sides], item.colour)
    return [*path[:-1], base] if length > long else path


def smooth(points: tuple[Point, ...]) -> list[Point]:
    """Return points of a curve through ``points``: a Catmull–Rom spline (uniform, tension 0.5).

    Source: E. Catmull and R. Rom, "A class of local interpolating splines", 1974.
    """
    if len(points) < 3:
        return list(points)
    padded = [_mirror_point(points[1], points[0]), *points, _mirror_point(points[-2], points[-1])]
    curve = [points[0]]
    for a, b, c, d in zip(padded, padded[1:], padded[2:], padded[3:], strict=False):
        for step in range(1, STEPS + 1):
            t = step / STEPS
            curve.append(
                (_interpolate_spline(a[0], b[0], c[0], d[0], t), _interpolate_spline(a[1], b[1], c[1], d[1], t))
            )
    return curve


def _mirror_point(point: Point, about: Point) -> Point:
    return 2 * about[0] - point[0], 2 * about[1] - point[1]


def _interpolate_spline(a: float, b: float, c: float, d: float, t: float) -> float:
    return 0.5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t * t + (3 * b - a - 3 * c + d) * t * t * t)
