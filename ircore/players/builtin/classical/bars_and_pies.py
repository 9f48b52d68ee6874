"""Bars, upright rectangles on a common baseline, and the wedges of a pie, read off circles around its middle."""

import itertools
import math
from collections import defaultdict

import numpy as np
from scipy import ndimage

from ircore.core import exact
from ircore.players.builtin.classical.outlines import Points, fit_circle, trace_contour
from ircore.players.builtin.classical.shapes import SolidRegion
from ircore.seeing.arrays import EIGHT, dilate, erode, fill_holes
from ircore.seeing.flat_colours import Labels, Segmentation
from ircore.seeing.percepts import Bar, Bars, Box, Pie, Point, Shape, compute_middle, join_boxes

ALIGNED = 2.0
"""Pixels that the feet of two bars on one baseline may differ."""
BORDER_SHARE = 0.012
"""Share of the whole up to which a sector may be a thick border."""
TRIES = 120
"""Circles that are tried."""
ON_CIRCLE = 0.7
"""Share of the way along a circle, in one direction, that an outline must run on it to have an arc there."""
RAYS = 1440
"""Directions in which a pie is sampled: 0.25 degrees, 0.07 % of it, apart."""


def find_bars(shapes: list[Shape]) -> list[Bars]:
    """Find the upright rectangles that stand on, or hang from, a common baseline.

    Returns:
        At most one group of upright and stacked bars; empty for fewer than three rectangles on a baseline.
    """
    boxes = [shape for shape in shapes if shape.kind in {"rectangle", "square"} and not shape.rotation and shape.colour]
    if len(boxes) < 3:
        return []
    groups = [group for upright in (True, False) if (group := _find_bars(boxes, upright)) is not None]
    best = max(groups, key=lambda group: (len(group.bars), group.area), default=None)
    return [best] if best is not None else []


def _compute_edges(shape: Shape, upright: bool) -> tuple[float, float, float, float]:
    """Return start and end across, low and high along, of a box inside its outline."""
    (x, y), (width, height) = shape.centre, shape.size
    left, top, right, bottom = x - width / 2, y - height / 2, x + width / 2, y + height / 2
    return (left, right, top, bottom) if upright else (top, bottom, left, right)


def _find_bars(shapes: list[Shape], upright: bool) -> Bars | None:
    """Return the bars on the baseline that most rectangles touch, with the bars stacked on them."""
    edges = [_compute_edges(shape, upright) for shape in shapes]
    places = [edge for _, _, low, high in edges for edge in (low, high)]
    base = max(places, key=lambda at: (sum(abs(at - other) <= ALIGNED for other in places), at if upright else -at))
    on = [i for i, (_, _, low, high) in enumerate(edges) if min(abs(low - base), abs(high - base)) <= ALIGNED]
    if len(on) < 3 or _are_overlapping([edges[i] for i in on]):
        return None
    # The feet differ by a pixel or two; one of them decided which bars belong together.
    base = float(np.median([min(edges[i][2:], key=lambda edge: abs(edge - base)) for i in on]))
    chosen = dict.fromkeys(on)
    # From the baseline outwards, so that the bar under each bar is chosen before it.
    for i in sorted(range(len(shapes)), key=lambda i: min(abs(edges[i][2] - base), abs(edges[i][3] - base))):
        if i not in chosen and any(_are_stacked(edges[i], edges[j]) for j in chosen):
            chosen[i] = None
    bars = [_build_bar(shapes[i], edges[i], base) for i in chosen]
    bars.sort(key=lambda bar: (-abs(bar.tip - base), bar.start))
    return Bars(upright, base, tuple(bars))


def _are_overlapping(edges: list[tuple[float, float, float, float]]) -> bool:
    """Tell whether two of the bars stand at the same place, on the same side."""
    for number, (start, end, low, high) in enumerate(edges):
        for other_start, other_end, other_low, other_high in edges[:number]:
            across = min(end, other_end) - max(start, other_start)
            along = min(high, other_high) - max(low, other_low)
            if across > 3 and along > 3:
                return True
    return False


def _are_stacked(upper: tuple[float, float, float, float], lower: tuple[float, float, float, float]) -> bool:
    same = abs(upper[0] - lower[0]) <= ALIGNED and abs(upper[1] - lower[1]) <= ALIGNED
    return same and (abs(upper[3] - lower[2]) <= 3 or abs(upper[2] - lower[3]) <= 3)


def _build_bar(shape: Shape, edges: tuple[float, float, float, float], base: float) -> Bar:
    start, end, low, high = edges
    tip = low if abs(low - base) > abs(high - base) else high
    return Bar(shape.colour or "#000000", start, end, tip, shape.box, shape.outline)


def find_pie(blobs: list[SolidRegion], segmentation: Segmentation) -> tuple[Pie, list[SolidRegion]] | None:
    """Return a pie: at least two blobs that together fill a disc or ring, each a sector.

    Returns:
        The pie and the blobs it consists of.
    """
    large = [blob for blob in blobs if blob.area >= 250][:40]
    for group in _group_touching(large, segmentation.labels):
        if len(group) < 2:
            continue
        edge, box = _trace_outline(group)
        circle = _fit_circle(edge, box)
        sector_circle = circle or _fit_partial_circle(edge)
        if sector_circle is None:
            continue
        whole = _add_pulled_wedges(group, large, sector_circle)
        pie = _read_sectors(sector_circle, whole, segmentation)
        # Two sectors of a disc are a pie only if its other wedges lie beside them, pulled out.
        if pie is not None and (circle or len(whole) > 2):
            return pie, whole
    return None


def _add_pulled_wedges(
    group: list[SolidRegion], blobs: list[SolidRegion], circle: tuple[Point, float]
) -> list[SolidRegion]:
    """Add the blobs that lie about the circle: wedges pulled out so far that they touch no other."""
    (x, y), radius = circle
    reach = 1.4 * radius

    def belongs(blob: SolidRegion) -> bool:
        left, top, right, bottom = blob.box
        near = min(x - left, y - top, right - x, bottom - y) > -reach
        inside = max(x - left, y - top, right - x, bottom - y) < reach
        return near and inside and exact.dist(compute_middle(blob.box), (x, y)) < radius

    return [*group, *(b for b in blobs if not any(b is member for member in group) and belongs(b))]


def _group_touching(blobs: list[SolidRegion], labels: Labels) -> list[list[SolidRegion]]:
    """Group the blobs that are at most a few pixels apart."""
    owner = np.zeros(labels.shape, np.int16)
    for number, blob in enumerate(blobs, 1):
        left, top, right, bottom = blob.box
        owner[top:bottom, left:right][blob.mask] = number
    # Every second row and column is enough to see which blobs touch.
    small = owner[::2, ::2]
    groups_at, _ = ndimage.label(dilate(small > 0, 2), EIGHT)
    groups: dict[int, list[SolidRegion]] = defaultdict(list)
    for number, blob in enumerate(blobs, 1):
        near = groups_at[small == number]
        if len(near):
            groups[int(near[0])].append(blob)
    return list(groups.values())


def _trace_outline(group: list[SolidRegion]) -> tuple[Points, Box]:
    """Return the outer edge of blobs together, the gaps between them closed, and their box."""
    left, top, right, bottom = box = join_boxes([blob.box for blob in group])
    area = np.zeros((bottom - top + 16, right - left + 16), bool)
    for blob in group:
        height, width = blob.mask.shape
        area[blob.top - top + 8 :, blob.left - left + 8 :][:height, :width] |= blob.mask
    return trace_contour(fill_holes(erode(dilate(area, 5), 5))) + np.array([left - 8, top - 8]), box


def _fit_circle(edge: Points, box: Box) -> tuple[Point, float] | None:
    """Return centre and radius if an outline is a circle."""
    left, top, right, bottom = box
    centre = compute_middle(box)
    away = exact.hypot(edge[:, 0] - centre[0], edge[:, 1] - centre[1])
    radius = ((right - left) + (bottom - top)) / 4
    return (centre, radius) if np.abs(away - radius).mean() < 2 and np.abs(away - radius).max() < 7 else None


def _fit_partial_circle(edge: Points) -> tuple[Point, float] | None:
    """Return the circle on which most of an outline lies, by trying circles through three of its points.

    Source: M. Fischler and R. Bolles, "Random sample consensus", 1981.
    """
    # A fixed seed: the same picture is always seen in the same way.
    draw = np.random.default_rng(0)
    best = np.zeros(len(edge), bool)
    for three in edge[draw.integers(len(edge), size=(TRIES, 3))]:
        tried = _compute_circle(three)
        if tried is not None:
            near = np.abs(exact.hypot(edge[:, 0] - tried[0], edge[:, 1] - tried[1]) - tried[2]) < 1.5
            best = near if near.sum() > best.sum() else best
    circle = fit_circle(edge[best]) if best.sum() > 8 else None
    if circle is None or circle[1] < 30:
        return None
    (x, y), radius = circle
    on = np.abs(exact.hypot(edge[:, 0] - x, edge[:, 1] - y) - radius) < 2
    turns = np.degrees(exact.atan2(edge[on, 1] - y, edge[on, 0] - x)) // 10
    # The sides of a polygon touch a circle in all directions, but lie on it nowhere for long.
    _, lengths = np.unique(turns, return_counts=True)
    full = (lengths > ON_CIRCLE * radius * math.radians(10)).sum()
    return ((float(x), float(y)), float(radius)) if full >= 19 else None


def _compute_circle(three: Points) -> tuple[float, float, float] | None:
    """Return x, y and radius of the circle through three points; None if they are collinear."""
    (x0, y0), (x1, y1), (x2, y2) = three.tolist()
    a, b, c, e = x1 - x0, y1 - y0, x2 - x0, y2 - y0
    twice = 2 * (a * e - b * c)
    if abs(twice) < 1:
        return None
    first, second = a * a + b * b, c * c + e * e
    x, y = (e * first - b * second) / twice, (a * second - c * first) / twice
    return x0 + x, y0 + y, exact.hypot(x, y)


def _read_sectors(circle: tuple[Point, float], group: list[SolidRegion], segmentation: Segmentation) -> Pie | None:
    """Read the wedges off the labels on circles around the middle."""
    (x, y), radius = circle
    solid = {blob.label for blob in group}
    angles = (np.arange(RAYS) + 0.5) * 2 * math.pi / RAYS
    shares = np.linspace(0.68, 0.95, 10)
    columns = np.floor(x + radius * np.outer(shares, exact.sin(angles))).astype(int)
    rows = np.floor(y - radius * np.outer(shares, exact.cos(angles))).astype(int)
    rows = np.clip(rows, 0, segmentation.labels.shape[0] - 1)
    ray_labels = segmentation.labels[rows, np.clip(columns, 0, segmentation.labels.shape[1] - 1)]
    votes = np.stack([(ray_labels == label).sum(axis=0) for label in sorted(solid)])
    winner = np.where(votes.max(axis=0) >= 4, np.array(sorted(solid))[votes.argmax(axis=0)], -1)
    runs = _find_runs(winner)
    borders = _find_border_labels(runs)
    # Without the blobs of the borders, their rays become gaps between the wedges.
    if borders:
        return _read_sectors(circle, [blob for blob in group if blob.label not in borders], segmentation)
    if not 2 <= len(runs) <= 24 or len(runs) > 2 * len(group):
        return None
    agree = np.isin(ray_labels, sorted(solid)).mean()
    if agree < 0.7:
        return None
    border = _measure_border(runs, radius, group, segmentation, ray_labels)
    pulled = _measure_pulls(circle, runs, segmentation.labels)
    runs = _share_gaps(runs, pulled)
    wedges, start = _list_wedges(runs, segmentation)
    if pulled:
        # The distances follow the order in which the wedges are told.
        first = runs.index(_rotate_to_noon(runs)[0])
        pulled = (*pulled[first:], *pulled[:first])
    hole = _measure_hole(circle, segmentation.labels, solid)
    box: Box = join_boxes([blob.box for blob in group])
    with_border = radius + (border[1] / 2 if border and group[0].outline else 0)
    return Pie((x, y), with_border, hole, start, wedges, border, box, pulled)


def _find_border_labels(runs: list[tuple[int, float, float]]) -> set[int]:
    """Return the colours of which there are several very narrow sectors and no other: borders between wedges."""
    wide: dict[int, list[float]] = defaultdict(list)
    for label, first, last in runs:
        wide[label].append((last - first) / RAYS)
    return {label for label, shares in wide.items() if len(shares) >= 3 and max(shares) < BORDER_SHARE}


def _measure_pulls(
    circle: tuple[Point, float], runs: list[tuple[int, float, float]], labels: Labels
) -> tuple[float, ...]:
    """Return how far each sector reaches beyond the circle; empty if no sector does."""
    (x, y), radius = circle
    reaches = np.arange(2.0, 0.35 * radius)
    pulled = []
    for label, first, last in runs:
        middle = (first + last) / 2
        rays = (middle + np.linspace(-0.2, 0.2, 5) * (last - first)) * 2 * math.pi / RAYS
        columns = np.floor(x + np.outer(radius + reaches, exact.sin(rays))).astype(int).clip(0, labels.shape[1] - 1)
        rows = np.floor(y - np.outer(radius + reaches, exact.cos(rays))).astype(int).clip(0, labels.shape[0] - 1)
        beyond = (labels[rows, columns] == label).mean(axis=1) > 0.5
        # Of a sector pulled out by d, the middle reaches d beyond the circle.
        pulled.append(float(round(reaches[beyond].max() + 1)) if beyond[:3].all() else 0.0)
    return tuple(pulled) if any(pulled) else ()


def _find_runs(winner: Labels) -> list[tuple[int, float, float]]:
    """Return the sectors as label, first and last ray."""
    changes = np.flatnonzero(winner != np.roll(winner, 1))
    if not len(changes):
        return []
    runs: list[tuple[int, float, float]] = []
    for number, first in enumerate(changes):
        last = changes[(number + 1) % len(changes)]
        length = (last - first) % RAYS or RAYS
        if winner[first] >= 0 and length >= 5:
            runs.append((int(winner[first]), float(first), float(first + length)))
    return runs


def _share_gaps(runs: list[tuple[int, float, float]], pulled: tuple[float, ...]) -> list[tuple[int, float, float]]:
    """Extend neighbouring sectors over the gap between them; a pulled-out sector gives up the whole gap."""
    out = pulled or (0.0,) * len(runs)
    shared: list[tuple[int, float, float]] = []
    for number, (label, begin, end) in enumerate(runs):
        before = runs[number - 1][2] - (RAYS if number == 0 else 0)
        after = runs[(number + 1) % len(runs)][1] + (RAYS if number == len(runs) - 1 else 0)
        following = out[(number + 1) % len(runs)]
        shared.append(
            (
                label,
                _find_side(begin, before, out[number], out[number - 1]),
                _find_side(end, after, out[number], following),
            )
        )
    return shared


def _find_side(own: float, other: float, own_pulled: float, other_pulled: float) -> float:
    """Return the ray between two sectors."""
    if bool(own_pulled) == bool(other_pulled):
        return (own + other) / 2
    return other if own_pulled else own


def _list_wedges(
    runs: list[tuple[int, float, float]], segmentation: Segmentation
) -> tuple[tuple[tuple[str, float], ...], float]:
    """Return colours and shares from the sector nearest to 12 o'clock on, and the start of that sector in degrees."""
    ordered = _rotate_to_noon(runs)
    start = (ordered[0][1] * 360 / RAYS + 180) % 360 - 180
    return tuple((segmentation.hex(label), (last - begin) / RAYS) for label, begin, last in ordered), start


def _rotate_to_noon(runs: list[tuple[int, float, float]]) -> list[tuple[int, float, float]]:
    """Return the sectors in the given order, from the sector that begins nearest to 12 o'clock."""
    first = min(range(len(runs)), key=lambda i: abs((runs[i][1] + RAYS / 2) % RAYS - RAYS / 2))
    return [*runs[first:], *runs[:first]]


def _measure_border(
    runs: list[tuple[int, float, float]],
    radius: float,
    group: list[SolidRegion],
    segmentation: Segmentation,
    ray_labels: Labels,
) -> tuple[str, float] | None:
    """Return colour and width of the lines between the wedges."""
    widths = [(after[1] - before[2]) % RAYS for before, after in itertools.pairwise([*runs, runs[0]])]
    # The gaps beside a wedge that is pulled out are wider than a border.
    usual = sorted(widths)[len(widths) // 4]
    narrow = np.zeros(RAYS, bool)
    for (_, _, last), width in zip(runs, widths, strict=True):
        if width <= 1.5 * usual + 2:
            narrow[np.arange(int(last), int(last + width)) % RAYS] = True
    gaps = ray_labels[:, narrow]
    others = gaps[~np.isin(gaps, [blob.label for blob in group])]
    if not others.size:
        return None
    label = int(np.bincount(others).argmax())
    width = usual * 2 * math.pi * radius * 0.8 / RAYS
    return (segmentation.hex(label), float(max(1, round(width)))) if width < 12 else None


def _measure_hole(circle: tuple[Point, float], labels: Labels, solid: set[int]) -> float:
    """Return the radius of the hole; 0 if there is no hole."""
    (x, y), radius = circle
    angles = np.linspace(0, 2 * math.pi, 72, endpoint=False)
    inner = []
    for angle in angles:
        steps = np.arange(1, radius * 0.9, 0.5)
        rows = np.floor(y - steps * exact.cos(angle)).astype(int)
        columns = np.floor(x + steps * exact.sin(angle)).astype(int)
        reached = np.flatnonzero(np.isin(labels[rows, columns], list(solid)))
        inner.append(float(steps[reached[0]]) if len(reached) else radius * 0.9)
    middle = float(np.median(inner))
    return middle if middle > 0.12 * radius else 0.0
