"""Free lines and curves of one colour: traced, joined across gaps, and named by the function that they resemble.

Each family of functions is fitted by linear least squares on a grid of its one parameter that does not enter linearly.
The one that stays closest to the curve is named, if it stays within about a pixel; simpler families are preferred.
"""

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from ircore.core import exact
from ircore.players.builtin.classical import outlines, strokes
from ircore.players.builtin.classical.outlines import Points, approximate_path, fit_circle
from ircore.seeing.arrays import EIGHT, Floats, Mask, compute_dot, dilate, erode, interpolate, solve_linear_systems
from ircore.seeing.percepts import Likeness, Percept, Point, Shape, Stroke, build_circle

CLOSE = 1.6
"""Pixels that a curve may stray from a family, except for its farthest twentieth."""
BETTER = 0.75
"""A less simple family must come within this share of a simpler family's distance."""
LEAST_WIDE, LEAST_HIGH = 40.0, 12.0
"""Pixels: smaller curves are not named."""
LEAST_BEND = 8.0
"""Pixels that a parabola must bend; below, the curve is a straight line."""
STEPS = 120
"""Points at which a curve is compared."""
GAP = 16.0
"""Pixels over which a line may continue straight behind another line."""
DASHED_GAP = 34.0
MORE = 3
"""How many more points a smooth curve may take than straight pieces, since it is closer to a function."""
STRAY = 1.5
"""Pixels that straight pieces may stray from a curve."""
LOOK_BACK = 14
"""Points over which the direction of a path's end is measured."""
AROUND = 0.55
"""Share of a circle that must be drawn to count as a circle."""


def find_likeness(path: Floats) -> Likeness | None:
    """Return the function family that a curve resembles; None for other curves.

    Args:
        path: Points on it from end to end, N × 2: x and y in pixels.
    """
    graph = _sample_graph(path)
    if graph is None:
        return None
    x, y = graph
    best: Likeness | None = None
    for fit in (
        _fit_parabola,
        _fit_absolute,
        _fit_sine,
        _fit_exponential,
        _fit_hyperbola,
        _fit_root,
        _fit_logarithm,
        _fit_cubic,
    ):
        curve_likeness = fit(x, y)
        if (
            curve_likeness is not None
            and curve_likeness.off <= CLOSE
            and (best is None or curve_likeness.off < BETTER * best.off - 0.05)
        ):
            best = curve_likeness
    return best


def find_curve_features(path: Floats, axis: float | None) -> tuple[tuple[str, float], ...]:
    """Return inner minima and maxima of a curve, and its zeros on an axis at this height, as x in pixels."""
    graph = _sample_graph(path)
    if graph is None:
        return ()
    x, y = graph
    inner = np.flatnonzero((y[1:-1] - y[:-2]) * (y[2:] - y[1:-1]) <= 0) + 1
    rim = len(x) // 20
    turns = [_find_turn(x, y, at) for at in _select_apart(inner, len(x) // 12) if rim <= at < len(x) - rim]
    if axis is not None:
        crossed = np.flatnonzero((y[:-1] - axis) * (y[1:] - axis) < 0)
        turns += [("zero", float(x[at] + x[at + 1]) / 2) for at in crossed]
    return tuple(turns)


@dataclass(frozen=True, eq=False)
class Path:
    """A traced line.

    >>> Path(np.array([[0.0, 0.0], [30.0, 40.0]]), width=2.0).length
    50.0
    """

    points: Points
    width: float
    dash: str = "solid"

    @property
    def length(self) -> float:
        """In pixels."""
        return float(exact.hypot(*np.diff(self.points, axis=0).T).sum())


def trace_piece(piece: Mask, corner: tuple[int, int], ink: float) -> tuple[list[Path], list[tuple[Point, float]]]:
    """Trace a thin component.

    Args:
        piece: Pixels of the component, cropped to its box.
        corner: Column and row of the crop.
        ink: Sum of its coverage over all pixels.

    Returns:
        The paths, and middle and area of each round thickening, which may be a marker.
    """
    traces = [Path(points, 1.0) for points in outlines.trace_middle_lines(piece, corner)]
    length = math.fsum(path.length for path in traces)
    markers = _find_markers(piece, corner) if length > 60 else []
    ink -= math.fsum(area for _, area in markers) * 0.7
    width = max(1.0, round(2 * ink / max(length, 1)) / 2)
    strokes = [
        Path(path.points, width)
        for path in traces
        if path.length >= max(12, 6 * width - 20) and (path.length >= 0.04 * length or len(traces) <= 4)
    ]
    return strokes, markers


def build_dashed_path(chain: list[strokes.DashPiece]) -> Path:
    """Return the path of a chain of dashes."""
    width = float(max(1.0, round(float(np.median([piece.width for piece in chain])))))
    corners = strokes.build_chain_path(chain)
    steps = [max(1, round(float(exact.hypot(*step)))) for step in np.diff(corners, axis=0)]
    dense = [corners[i] + (np.arange(n) / n)[:, None] * (corners[i + 1] - corners[i]) for i, n in enumerate(steps)]
    return Path(np.vstack([*dense, corners[-1:]]), width, strokes.name_chain_pattern(chain))


def build_percepts(traces: list[Path], colour: str) -> list[Percept]:
    """Join paths of one colour that continue each other, and classify them."""
    whole, rest = _find_circles(_join_paths(traces), colour)
    return [*whole, *(build_curve(path.points, colour, path.width, path.dash) for path in rest)]


def find_broken_line(mask: Mask, colour: str, dots: list[Shape]) -> Stroke | None:
    """Return a broken line, dashed or cut by others, that has one height at each x, as lines of charts have.

    Args:
        mask: All strokes of one colour, the whole picture.
        colour: That colour.
        dots: Small round shapes; those of this colour on the line become its markers.

    Returns:
        The line; None if the strokes form one or two pieces, or many columns have several heights.
    """
    used = np.flatnonzero(mask.any(axis=0))
    if len(used) < 60 or used[-1] - used[0] < 120 or len(used) < 0.45 * (used[-1] - used[0]):
        return None
    columns = mask[:, used]
    count = columns.sum(axis=0)
    top, bottom = columns.argmax(axis=0), len(mask) - columns[::-1].argmax(axis=0)
    single = count >= 0.6 * (bottom - top)
    rows = (top + bottom) / 2
    if single.mean() < 0.88 or np.ptp(rows[single]) < 14 or ndimage.label(mask, EIGHT)[1] < 3:
        return None
    path = np.column_stack([used[single] + 0.5, rows[single]])
    steps = np.diff(path, axis=0)
    if steps[:, 0].max() > 26 or (np.abs(steps[:, 1]) > 3 * steps[:, 0] + 14)[steps[:, 0] > 2].any():
        return None
    markers = _find_markers(mask, (0, 0))
    markers += [(dot.centre, dot.area) for dot in dots if dot.colour == colour]
    slope = np.gradient(path[:, 1], path[:, 0])
    # Across a slope, a column holds more pixels than the line is wide.
    width = max(1.0, round(2 * float(np.median(count[single] / np.sqrt(1 + slope * slope)))) / 2)
    gaps = 1 - len(used) / (used[-1] - used[0] + 1)
    dash = "dashed" if gaps > 0.08 else "solid"
    if len(markers) >= 3:
        points = tuple((round(x, 1), round(y, 1)) for (x, y), _ in sorted(markers))
        radius = round(math.sqrt(float(np.median([area for _, area in markers])) / math.pi) * 2) / 2
        if min(b[0] - a[0] for a, b in itertools.pairwise(points)) > 6 and _is_covering_path(points, path):
            return Stroke(colour, width, points, False, dash, radius, "curve")
    return build_curve(path, colour, width, dash)


def build_curve(path: Points, colour: str, width: float, dash: str) -> Stroke:
    """Return a path as a line or curve of few points, with the function that the path resembles."""
    like = None if _is_straight(path, width) else find_likeness(path)
    if like is not None and like.family == "absolute":
        return Stroke(colour, width, _find_bend_points(path, like), False, dash, role="curve", likeness=like)
    bent = outlines.find_smooth_points(path) if like is not None else None
    if bent is not None and len(bent) <= len(approximate_path(path, STRAY)) + MORE:
        points, smooth = bent, True
    else:
        points, smooth = _select_path_points(path, width)
    return Stroke(colour, width, points, smooth, dash, role="curve" if len(points) > 2 else "line", likeness=like)


def _find_turn(x: Floats, y: Floats, at: int) -> tuple[str, float]:
    """Return the kind of turn near an index, and the middle of its flat part."""
    window = slice(max(0, at - len(x) // 12), at + len(x) // 12)
    near = y[window]
    lowest = abs(near.max() - y[at]) < abs(near.min() - y[at])
    level = np.abs(near - (near.max() if lowest else near.min())) < 0.8
    return ("lowest" if lowest else "highest"), float(x[window][level].mean())


def _select_apart(places: npt.NDArray[np.intp], least: int) -> list[int]:
    """Return the indices, leaving out each index closer than ``least`` to the index before."""
    separate: list[int] = []
    for at in places:
        if not separate or at - separate[-1] > least:
            separate.append(int(at))
    return separate


def _sample_graph(path: Floats) -> tuple[Floats, Floats] | None:
    """Return a curve as evenly spaced points from left to right; None if the curve runs backwards."""
    if len(path) < 3:
        return None
    if path[0, 0] > path[-1, 0]:
        path = path[::-1]
    if np.ptp(path[:, 0]) < LEAST_WIDE or np.ptp(path[:, 1]) < LEAST_HIGH:
        return None
    steps = np.diff(path, axis=0)
    # Skeletons step back by a pixel here and there.
    if (np.maximum.accumulate(path[:, 0]) - path[:, 0]).max() > 2:
        return None
    along = np.concatenate([[0.0], exact.hypot(*steps.T).cumsum()])
    even = np.linspace(0, along[-1], STEPS)
    return interpolate(even, along, path[:, 0]), interpolate(even, along, path[:, 1])


@dataclass(frozen=True, eq=False)
class _Fits:
    """Fits of a function family, one per value of its nonlinear parameter."""

    options: Floats
    solved: Floats
    off: Floats

    @property
    def best(self) -> int:
        """Index of the closest fit."""
        return int(self.off.argmin())


def _fit_options(x: Floats, y: Floats, options: Floats, terms: Floats) -> _Fits:
    """Fit y = c + Σ aᵢ · termᵢ for each option, a value of the parameter; ``terms``: options × terms × points."""
    terms = np.concatenate([np.ones((len(options), 1, len(x))), terms], axis=1)
    size = np.abs(terms).max(axis=2, keepdims=True)
    scaled = terms / np.maximum(size, 1e-12)
    # The small term keeps the system solvable where two functions are nearly alike.
    squares = compute_dot(scaled[:, :, None], scaled[:, None]) + 1e-9 * len(x) * np.eye(terms.shape[1])
    factors = solve_linear_systems(squares, compute_dot(scaled, y))
    fitted = compute_dot(scaled.transpose(0, 2, 1), factors[:, None])
    # Measured across the curve: where it is steep, a step to the side is a long way up.
    slope = np.gradient(fitted, axis=1) / np.maximum(np.gradient(x), 1e-6)
    off = np.percentile(np.abs(y - fitted) / np.sqrt(1 + slope * slope), 95, axis=1)
    return _Fits(options, factors / np.maximum(size[..., 0], 1e-12), off)


def _find_closest_fits(x: Floats, y: Floats, options: Floats, terms: Callable[[Floats], Floats]) -> _Fits:
    """Fit all options, then finer options around the best; ``terms`` returns options × terms × points."""
    coarse = _fit_options(x, y, options, terms(options))
    low, high = max(0, coarse.best - 1), min(len(options) - 1, coarse.best + 1)
    finer = np.linspace(options[low], options[high], 17)
    return _fit_options(x, y, finer, terms(finer))


def _build_progression(first: float, last: float, count: int) -> Floats:
    """Return numbers in geometric progression from first to last."""
    return exact.exp(np.linspace(exact.log(first), exact.log(last), count))


def _fit_polynomial(x: Floats, y: Floats, degree: int) -> _Fits:
    along = (x - x.mean()) / np.ptp(x)
    return _fit_options(x, y, np.zeros(1), np.repeat(along[None], degree, axis=0).cumprod(axis=0)[None])


def _fit_parabola(x: Floats, y: Floats) -> Likeness | None:
    fits = _fit_polynomial(x, y, 2)
    bend = float(fits.solved[0, 2])
    return Likeness("parabola", float(fits.off[0]), upward=bend < 0) if abs(bend) > LEAST_BEND else None


def _fit_cubic(x: Floats, y: Floats) -> Likeness | None:
    return Likeness("cubic", float(_fit_polynomial(x, y, 3).off[0]))


def _fit_absolute(x: Floats, y: Floats) -> Likeness | None:
    # A corner at the very end would be a straight line.
    inner = np.linspace(x[0], x[-1], 62)[3:-3]
    fits = _find_closest_fits(x, y, inner, lambda corners: np.abs(x - corners[:, None])[:, None])
    corner, rise = float(fits.options[fits.best]), float(fits.solved[fits.best, 1])
    return Likeness("absolute", float(fits.off.min()), levels=(("x", corner),), upward=rise < 0)


def _fit_sine(x: Floats, y: Floats) -> Likeness | None:
    """Fit sine waves with periods from 0.12 to 1.5 times the width."""

    def waves(periods: Floats) -> Floats:
        turn = 2 * math.pi * x / periods[:, None]
        return np.stack([exact.sin(turn), exact.cos(turn)], axis=1)

    fits = _find_closest_fits(x, y, float(np.ptp(x)) * _build_progression(0.12, 1.5, 90), waves)
    return Likeness("sine", float(fits.off.min()), period=float(fits.options[fits.best]))


def _fit_exponential(x: Floats, y: Floats) -> Likeness | None:
    along = (x - x.mean()) / np.ptp(x)
    rates = _build_progression(0.8, 16, 20)
    options = np.concatenate([-rates[::-1], rates])
    fits = _find_closest_fits(x, y, options, lambda some: exact.exp(some[:, None] * along)[:, None])
    return Likeness("exponential", float(fits.off.min()), levels=(("y", float(fits.solved[fits.best, 0])),))


def _fit_poles_beside(x: Floats, y: Floats, terms: Callable[[Floats], Floats]) -> _Fits:
    """Fit places to the left and to the right of a curve, dense near its ends; return the better side."""
    away = float(np.ptp(x)) * _build_progression(0.001, 1.2, 24)
    sides = (_find_closest_fits(x, y, x[0] - away, terms), _find_closest_fits(x, y, x[-1] + away, terms))
    return min(sides, key=lambda fits: float(fits.off.min()))


def _fit_hyperbola(x: Floats, y: Floats) -> Likeness | None:
    fits = _fit_poles_beside(x, y, lambda poles: (1 / (x - poles[:, None]))[:, None])
    levels = (("x", float(fits.options[fits.best])), ("y", float(fits.solved[fits.best, 0])))
    return Likeness("hyperbola", float(fits.off.min()), levels=levels)


def _fit_logarithm(x: Floats, y: Floats) -> Likeness | None:
    fits = _fit_poles_beside(x, y, lambda poles: exact.log(np.abs(x - poles[:, None]))[:, None])
    return Likeness("logarithm", float(fits.off.min()), levels=(("x", float(fits.options[fits.best])),))


def _fit_root(x: Floats, y: Floats) -> Likeness | None:
    away = float(np.ptp(x)) * np.linspace(0, 0.02, 6)
    sides = (_find_closest_fits(x, y, end, lambda ends: np.sqrt(np.abs(x - ends[:, None]))[:, None])
             for end in (x[0] - away, x[-1] + away))  # fmt: skip
    return Likeness("root", min(float(fits.off.min()) for fits in sides))


def _is_covering_path(points: tuple[Point, ...], path: Points) -> bool:
    """Tell whether straight lines through the points stay on the path from end to end."""
    reach = abs(points[0][0] - path[0, 0]) < 14 and abs(points[-1][0] - path[-1, 0]) < 14
    rows = interpolate(path[:, 0], *np.array(points).T)
    return bool(reach and np.percentile(np.abs(rows - path[:, 1]), 80) < 5)


def _join_paths(traces: list[Path]) -> list[Path]:
    """Join the ends that meet head-on across a small gap, the nearest first."""
    left = list(traces)
    while True:
        gaps = [
            (gap, i, side, j, other_side)
            for (i, trace), (j, other_trace) in itertools.combinations(enumerate(left), 2)
            for side, other_side in itertools.product((0, 1), repeat=2)
            if (gap := _measure_gap(trace, side, other_trace, other_side)) is not None
        ]
        if not gaps:
            return left
        _, i, side, j, other_side = min(gaps, key=lambda entry: entry[0])
        trace, other_trace = left[i], left[j]
        first = trace.points if side else trace.points[::-1]
        second = other_trace.points[::-1] if other_side else other_trace.points
        left = [path for n, path in enumerate(left) if n not in (i, j)]
        left.append(Path(np.vstack([first, second]), max(trace.width, other_trace.width), trace.dash))


def _measure_gap(path: Path, side: int, other_path: Path, other_side: int) -> float | None:
    """Return the distance between two ends in pixels; None if the paths do not continue each other."""
    if (path.dash == "solid") != (other_path.dash == "solid") or abs(path.width - other_path.width) > 1.5:
        return None
    a, b = path.points[-side], other_path.points[-other_side]
    gap = float(exact.hypot(*(b - a)))
    if gap > (GAP if path.dash == "solid" else DASHED_GAP) or min(path.length, other_path.length) < 8:
        return None
    out = outlines.compute_end_direction(path.points, side, LOOK_BACK)
    back = outlines.compute_end_direction(other_path.points, other_side, LOOK_BACK)
    along = (b - a) / max(gap, 1e-9)
    straight = 0.85 if path.dash == "solid" else 0.5
    if float(compute_dot(out, back)) > -straight:
        return None
    if gap > 4 and (float(compute_dot(out, along)) < straight or float(compute_dot(back, along)) > -straight):
        return None
    return gap


def _find_circles(traces: list[Path], colour: str) -> tuple[list[Percept], list[Path]]:
    """Find the paths that together make most of a circle."""
    fits = [(path, circle) for path in traces if (circle := _find_circle(path)) is not None]
    circles: list[Percept] = []
    used: set[int] = set()
    for path, (centre, radius) in sorted(fits, key=lambda fit: -fit[0].length):
        if id(path) in used:
            continue
        same = [
            other
            for other, (middle, size) in fits
            if id(other) not in used and exact.dist(middle, centre) <= 6 and abs(size - radius) <= 4
        ]
        points = np.vstack([other.points for other in same])
        # All arcs together determine the circle more exactly than the longest alone.
        better = fit_circle(points)
        if better is None or math.fsum(other.length for other in same) < AROUND * 2 * math.pi * better[1]:
            continue
        used |= {id(other) for other in same}
        area = 2 * math.pi * better[1] * path.width
        circles.append(build_circle(*better, area, outline=(colour, path.width)))
    return circles, [path for path in traces if id(path) not in used]


def _find_circle(path: Path) -> tuple[Point, float] | None:
    """Return the circle on which a path runs; None if the path bends too little to tell."""
    if path.length < 30:
        return None
    circle = fit_circle(path.points)
    if circle is None or circle[1] < 8 or path.length < 0.5 * circle[1]:
        return None
    off = np.abs(exact.hypot(*(path.points - circle[0]).T) - circle[1])
    return circle if float(np.percentile(off, 95)) < 1.3 else None


def _find_bend_points(path: Points, like: Likeness) -> tuple[Point, ...]:
    """Return ends and corner of an absolute value."""
    corner = path[int(np.abs(path[:, 0] - like.levels[0][1]).argmin())]
    return tuple((round(float(x), 1), round(float(y), 1)) for x, y in (path[0], corner, path[-1]))


def _is_straight(path: Points, width: float) -> bool:
    chord = path[-1] - path[0]
    length = float(exact.hypot(*chord))
    off = np.abs(compute_dot(path - path[0], np.array([-chord[1], chord[0]]))) / max(length, 1e-9)
    return bool(length > 6 and off.max() <= max(1.6, 0.5 * width + 0.6))


def _select_path_points(path: Points, width: float) -> tuple[tuple[Point, ...], bool]:
    """Return two points for a straight path, else the fewest points that describe the path."""
    if _is_straight(path, width):
        ends = np.round(path[[0, -1]], 1)
        return ((float(ends[0, 0]), float(ends[0, 1])), (float(ends[1, 0]), float(ends[1, 1]))), False
    return outlines.simplify_path(path)


def _find_markers(piece: Mask, corner: tuple[int, int]) -> list[tuple[Point, float]]:
    """Return middle and area of the round thickenings of a stroke."""
    # An octagon of five by five pixels fits where both of these do.
    core = erode(piece, 2, 1) & erode(piece, 1, 2)
    spots, _ = ndimage.label(core, EIGHT)
    markers = []
    for index, box in enumerate(ndimage.find_objects(spots), 1):
        height, width = (side.stop - side.start + 4 for side in box)
        if max(height, width) > 20 or abs(height - width) > 3:
            continue
        spot = np.pad(spots[box] == index, 2)
        rows, columns = np.nonzero(dilate(spot, 2, 1) | dilate(spot, 1, 2))
        x = corner[0] - 2 + box[1].start + float(columns.mean()) + 0.5
        y = corner[1] - 2 + box[0].start + float(rows.mean()) + 0.5
        markers.append(((x, y), float(len(rows))))
    return markers
