"""The contents of a graph of functions, before its look is chosen: window, functions and additions.

Functions are of the families that school books draw; their curves are polylines in pixels.
"""

import itertools
import math
import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from ircore.core import exact
from ircore.core.drawing import Point
from ircore.instances.targets.axes import Plot, format_number

Values = npt.NDArray[np.float64]

SAMPLES = 1601
"""Abscissas across the window at which a function is computed: about four per pixel column."""

TOLERANCE = 0.12
"""Pixels by which a drawn polyline may miss the computed points."""


@dataclass(frozen=True)
class Window:
    """The part of the plane that is shown; ``is_degrees`` if x is an angle."""

    x_low: float
    x_high: float
    y_low: float
    y_high: float
    is_degrees: bool = False


@dataclass(frozen=True)
class Function:
    """A real function of x.

    >>> Function("linear", "2*x + 1", {"slope": 2, "intercept": 1}, lambda x: 2 * x + 1).at(3)
    7.0

    Attributes:
        family: Such as ``quadratic``.
        formula: Right-hand side of y = …, for people and, with ``^`` as power, for programs.
        coefficients: The numbers in the formula by name.
        compute: Returns the values; nan outside the domain.
        vertical: Abscissas of vertical asymptotes, where the curve is cut.
        horizontal: Ordinates of horizontal asymptotes.
        special: Abscissas of points worth marking, such as a vertex or roots.
        domain: Interval in which the curve is drawn.
    """

    family: str
    formula: str
    coefficients: dict[str, float]
    compute: Callable[[Values], Values]
    vertical: tuple[float, ...] = ()
    horizontal: tuple[float, ...] = ()
    special: tuple[float, ...] = ()
    domain: tuple[float, float] = field(default=(-math.inf, math.inf))

    def at(self, x: float) -> float:
        """Return the function's value at an abscissa."""
        with np.errstate(all="ignore"):
            return float(self.compute(np.array([x], dtype=np.float64))[0])


def plan_linear(rng: random.Random, window: Window) -> Function:
    """Return a straight line whose slope is simple for the window's proportions."""
    m = rng.choice((-1.5, -1, -0.75, -0.5, -0.25, 0.25, 0.5, 0.75, 1, 1.5)) * _choose_simple_factor(
        _compute_slope_scale(window)
    )
    c = _choose_level(rng, window)
    return Function(
        "linear", f"{_format_factor(m)}x{_format_signed(c)}", {"slope": m, "intercept": c}, lambda x: m * x + c,
        special=(0.0, -c / m),
    )  # fmt: skip


def plan_quadratic(rng: random.Random, window: Window) -> Function:
    """Return a parabola with its vertex on the grid."""
    a = rng.choice((-2, -1, -0.5, -0.25, 0.25, 0.5, 1, 2)) * _choose_simple_factor(_compute_slope_scale(window))
    h, k = _choose_place(rng, window), _choose_level(rng, window)
    return Function(
        "quadratic", f"{_format_factor(a)}{_format_shift(h)}^2{_format_signed(k)}", {"a": a, "h": h, "k": k},
        lambda x: a * exact.square(x - h) + k, special=(h, h + 1, h - 2),
    )  # fmt: skip


def plan_cubic(rng: random.Random, window: Window) -> Function:
    """Return a cubic with three different whole roots."""
    p, q, r = sorted(rng.sample(range(math.ceil(window.x_low) + 1, math.floor(window.x_high)), 3))
    a = rng.choice((-1, -0.5, -0.25, -0.2, -0.1, 0.1, 0.2, 0.25, 0.5, 1)) * _choose_simple_factor(
        _compute_slope_scale(window)
    )
    formula = f"{_format_factor(a)}{_format_shift(p)}*{_format_shift(q)}*{_format_shift(r)}"
    roots: dict[str, float] = {"a": a, "p": p, "q": q, "r": r}
    return Function(
        "cubic", formula, roots, lambda x: a * (x - p) * (x - q) * (x - r),
        special=(float(p), float(q), float(r)),
    )  # fmt: skip


def plan_wave(rng: random.Random, window: Window) -> Function:
    """Return a sine or cosine; of degrees if the window's x is an angle, else of radians."""
    high = min(window.y_high, -window.y_low) if window.y_low < 0 else (window.y_high - window.y_low) / 2
    middle = 0.0 if window.y_low < 0 else high
    a = rng.choice((-1, 1, 1)) * rng.choice(
        [factor for factor in (0.5, 1, 1.5, 2, 3, 4) if 0.3 * high <= factor <= 0.85 * high]
    )
    b, d = rng.choice((0.5, 1, 1, 2)), middle or rng.choice((0.0, 0.0, round(high / 4)))
    name, function = rng.choice((("sine", exact.sin), ("cosine", exact.cos)))
    inner, unit = ("x" if b == 1 else f"{format_number(b)}*x"), (math.pi / 180 if window.is_degrees else 1.0)
    quarter = math.pi / 2 / unit / b
    return Function(
        name,
        f"{_format_factor(a)}{name[:3]}({inner}){_format_signed(d)}", {"amplitude": a, "frequency": b, "middle": d},
        lambda x: a * function(b * x * unit) + d, special=(0.0, quarter, -quarter, 2 * quarter),
    )  # fmt: skip


def plan_exponential(rng: random.Random, window: Window) -> Function:
    """Return a growing or falling exponential with a horizontal asymptote."""
    a, b = (
        rng.choice((-1, -0.5, 0.5, 1, 1, 2)) * _choose_simple_factor(_compute_slope_scale(window)),
        rng.choice((0.5, 2, 2, 1.5, 3)),
    )
    c = _choose_level(rng, window)
    return Function(
        "exponential", f"{_format_factor(a)}{format_number(b)}^x{_format_signed(c)}", {"a": a, "base": b, "c": c},
        lambda x: a * exact.power(b, x) + c, horizontal=(c,), special=(0.0, 1.0, -1.0),
    )  # fmt: skip


def plan_logarithm(rng: random.Random, window: Window) -> Function:
    """Return a natural logarithm with a vertical asymptote."""
    a, p = (
        rng.choice((-2, -1, 1, 1, 2)) * _choose_simple_factor(_compute_slope_scale(window)),
        min(_choose_place(rng, window), window.x_low / 2),
    )
    p, c = math.floor(p), _choose_level(rng, window)
    return Function(
        "logarithm",
        f"{_format_factor(a)}ln({_format_shift(p).strip('()')}){_format_signed(c)}", {"a": a, "p": p, "c": c},
        lambda x: a * exact.log(x - p) + c, vertical=(float(p),), special=(p + 1.0,), domain=(float(p), math.inf),
    )  # fmt: skip


def plan_rational(rng: random.Random, window: Window) -> Function:
    """Return a hyperbola with both asymptotes on the grid."""
    a = rng.choice((-4, -2, -1, 1, 2, 3, 4)) * _choose_simple_factor(_compute_slope_scale(window))
    p, q = _choose_place(rng, window), _choose_level(rng, window)
    return Function(
        "rational", f"{format_number(a)}/{_format_shift(p)}{_format_signed(q)}", {"a": a, "p": p, "q": q},
        lambda x: a / (x - p) + q, vertical=(p,), horizontal=(q,), special=(p + 1, p - 1, p + 2),
    )  # fmt: skip


def plan_absolute(rng: random.Random, window: Window) -> Function:
    """Return an absolute value with its corner on the grid."""
    a = rng.choice((-2, -1, -0.5, 0.5, 1, 2)) * _choose_simple_factor(_compute_slope_scale(window))
    h, k = _choose_place(rng, window), _choose_level(rng, window)
    return Function(
        "absolute",
        f"{_format_factor(a)}abs({_format_shift(h).strip('()')}){_format_signed(k)}", {"a": a, "h": h, "k": k},
        lambda x: a * np.abs(x - h) + k, special=(h, h + 2, h - 2),
    )  # fmt: skip


def plan_root(rng: random.Random, window: Window) -> Function:
    """Return a square root that starts on the grid."""
    a = rng.choice((-2, -1, 1, 1, 2, 3)) * _choose_simple_factor(_compute_slope_scale(window))
    h, k = math.floor(min(_choose_place(rng, window), window.x_low / 3)), _choose_level(rng, window)
    return Function(
        "root", f"{_format_factor(a)}sqrt({_format_shift(h).strip('()')}){_format_signed(k)}", {"a": a, "h": h, "k": k},
        lambda x: a * np.sqrt(x - h) + k, special=(float(h), h + 1.0, h + 4.0), domain=(float(h), math.inf),
    )  # fmt: skip


Family = Callable[[random.Random, Window], Function]

FAMILIES: tuple[Family, ...] = (
    plan_linear, plan_quadratic, plan_cubic, plan_wave, plan_exponential, plan_logarithm, plan_rational,
    plan_absolute, plan_root,
)  # fmt: skip


def pick_function(rng: random.Random, window: Window, families: tuple[Family, ...] = FAMILIES) -> Function:
    """Draw a function whose shape shows in the window: it crosses much of the window and is not nearly level."""
    while True:
        family = plan_wave if window.is_degrees else rng.choice(families)
        # Several tries each, or families with few good coefficients would hardly ever be drawn.
        for _ in range(20):
            function = family(rng, window)
            if _is_visible(function, window):
                return function


def sample_function(function: Function, window: Window, samples: int = SAMPLES) -> tuple[Values, Values]:
    """Return evenly spaced abscissas where the function is drawn, and its values there."""
    low, high = max(window.x_low, function.domain[0]), min(window.x_high, function.domain[1])
    x = np.linspace(low, high, samples)
    with np.errstate(all="ignore"):
        return x, np.asarray(function.compute(x), dtype=np.float64)


def compute_branches(function: Function, window: Window, plot: Plot) -> list[list[Point]]:
    """Return the curve in pixels: a polyline for each part inside the window, with as few points as possible."""
    x = _add_near_asymptotes(sample_function(function, window)[0], function.vertical)
    with np.errstate(all="ignore"):
        y = np.asarray(function.compute(x), dtype=np.float64)
    parts = []
    for cut in _split_at_cuts(x, function.vertical):
        for run_x, run_y in _clip_to_levels(x[cut], y[cut], window.y_low, window.y_high):
            pixels = np.column_stack([_convert_to_pixels(run_x, plot, "x"), _convert_to_pixels(run_y, plot, "y")])
            if len(pixels) > 1 and np.ptp(pixels, axis=0).max() > 3:
                parts.append([(float(pixel[0]), float(pixel[1])) for pixel in pixels[_select_needed_points(pixels)]])
    return parts


WINDOWS: tuple[Window, ...] = (
    Window(-5, 5, -5, 5), Window(-4, 4, -4, 4), Window(-6, 6, -6, 6), Window(-3, 5, -2, 6), Window(-2, 8, -3, 7),
    Window(-5, 5, -10, 10), Window(-4, 4, -8, 8), Window(-10, 10, -10, 10), Window(0, 10, 0, 10), Window(-1, 7, -4, 4),
    Window(-3, 3, -2, 10), Window(-6, 6, -4, 4), Window(0, 6, -3, 9),
)  # fmt: skip

ANGLES: tuple[Window, ...] = (
    Window(-180, 180, -2, 2, True), Window(0, 360, -2, 2, True), Window(-360, 360, -3, 3, True),
    Window(0, 540, -4, 4, True),
)  # fmt: skip
"""Windows for sine and cosine of degrees."""

BENT = (plan_quadratic, plan_cubic, plan_wave)
CUT = (plan_rational, plan_rational, plan_exponential, plan_logarithm)


@dataclass(frozen=True)
class GraphPlan:
    """The contents of a graph.

    >>> graph = plan_easy(random.Random(1))
    >>> len(graph.functions), graph.has_asymptotes
    (1, False)

    Attributes:
        window: The part of the plane.
        functions: The curves; all of the same colour if they are pieces of a function.
        is_pieces: Whether the curves are pieces of a function.
        tangent_at: Abscissa of the point where the last function touches the first.
        area: From and to which abscissa the area between the first curve and the x-axis is filled.
        has_asymptotes: Whether asymptotes are drawn.
        marked: Number of marked points at most.
        is_annotated: Whether every curve has its name, and every marked point its coordinates.
    """

    window: Window
    functions: tuple[Function, ...]
    is_pieces: bool = False
    tangent_at: float | None = None
    area: tuple[float, float] | None = None
    has_asymptotes: bool = False
    marked: int = 0
    is_annotated: bool = False


def plan_easy(rng: random.Random) -> GraphPlan:
    """Plan a single curve, without gaps unless its asymptote causes them."""
    window = _choose_window(rng)
    while True:
        function = pick_function(rng, window)
        if function.vertical or _is_connected(function, window):
            return GraphPlan(window, (function,), marked=rng.choice((0, 0, 0, 1)))


def _plan_several(rng: random.Random) -> GraphPlan:
    window, count = _choose_window(rng), rng.choice((2, 2, 3))
    functions: list[Function] = []
    for _ in range(200):
        candidate = pick_function(rng, window)
        if all(_are_apart(candidate, other, window) for other in functions):
            functions.append(candidate)
        if len(functions) == count:
            break
    return GraphPlan(window, tuple(functions), marked=rng.choice((0, 2, 3)))


def _plan_asymptotes(rng: random.Random) -> GraphPlan:
    window = rng.choice(WINDOWS)
    while True:
        first = pick_function(rng, window, CUT)
        is_seen = all(window.x_low < at < window.x_high for at in first.vertical)
        if is_seen and any((*first.vertical, *first.horizontal)):
            break  # One asymptote at least lies neither on the frame nor on an axis.
    while True:
        second = pick_function(rng, window, (plan_linear, plan_root, plan_absolute))
        if _are_apart(first, second, window):
            return GraphPlan(window, (first, second), has_asymptotes=True, marked=rng.choice((1, 2, 3)))


def _plan_pieces(rng: random.Random) -> GraphPlan:
    window = rng.choice(WINDOWS)
    third = (window.x_high - window.x_low) / 3
    cuts = [round(window.x_low + third), round(window.x_high - third)]
    ends = [window.x_low, *map(float, cuts), window.x_high]
    pieces = tuple(_draw_piece(rng, window, low, high) for low, high in itertools.pairwise(ends))
    return GraphPlan(window, pieces, is_pieces=True, marked=rng.choice((0, 1)))


def _plan_tangent(rng: random.Random) -> GraphPlan:
    window = rng.choice(WINDOWS)
    while True:
        curve = pick_function(rng, window, BENT)
        at = float(rng.randint(math.ceil(window.x_low) + 1, math.floor(window.x_high) - 1))
        slope, height = (curve.at(at + 1e-4) - curve.at(at - 1e-4)) / 2e-4, curve.at(at)
        rim = (window.y_high - window.y_low) / 8
        line = _build_tangent(slope, height - slope * at)
        is_inside = window.y_low + rim < height < window.y_high - rim
        steep = abs(slope) * (window.x_high - window.x_low) / (window.y_high - window.y_low)
        # A tangent close to its curve for long could not be told apart from the curve.
        if is_inside and 0.1 < steep < 2 and _are_apart(curve, line, window, 0.2):
            break
    return GraphPlan(window, (curve, line), tangent_at=at, marked=rng.choice((0, 1)))


def _plan_area(rng: random.Random) -> GraphPlan:
    window = _choose_window(rng)
    while True:
        curve = pick_function(rng, window, (plan_quadratic, plan_cubic, plan_wave, plan_root, plan_exponential))
        unit = 30 if window.is_degrees else 1
        low, high = sorted(rng.sample(range(math.ceil(window.x_low / unit), math.floor(window.x_high / unit) + 1), 2))
        piece = replace(curve, domain=(low * unit, high * unit))
        _, y = sample_function(piece, window, 60)
        wide = (high - low) * unit > (window.x_high - window.x_low) / 6
        # An area must be wide enough to be seen, and must not be cut by the window.
        if wide and np.isfinite(y).all() and y.min() > window.y_low and y.max() < window.y_high and np.ptp(y) > 0:
            return GraphPlan(window, (curve,), area=piece.domain, marked=rng.choice((1, 2)))


HARD: tuple[Callable[[random.Random], GraphPlan], ...] = (
    _plan_several, _plan_several, _plan_asymptotes, _plan_pieces, _plan_tangent, _plan_area,
)  # fmt: skip
"""Several curves, asymptotes, a function in pieces, a tangent, an area."""


def _add_near_asymptotes(x: Values, asymptotes: tuple[float, ...]) -> Values:
    """Add abscissas that halve their distance to each asymptote, for a logarithm falls slowly there."""
    steps = np.ldexp(1.0, -np.arange(4, 44))
    extra = [at + sign * steps for at in asymptotes for sign in (-1, 1)]
    every: Values = np.unique(np.concatenate([x, *extra]))
    inside: Values = every[(every >= x[0]) & (every <= x[-1])]
    return inside


def _is_visible(function: Function, window: Window) -> bool:
    x, y = sample_function(function, window, 201)
    inside = np.isfinite(y) & (y >= window.y_low) & (y <= window.y_high)
    width, height = window.x_high - window.x_low, window.y_high - window.y_low
    covered = float(inside.mean()) * (x[-1] - x[0]) / width
    centre = inside & (np.abs(x - (window.x_low + window.x_high) / 2) < 0.3 * width)
    return bool(inside.any() and centre.any() and covered > 0.4 and np.ptp(y[inside]) > 0.4 * height)


def _convert_to_pixels(values: Values, plot: Plot, axis: str) -> Values:
    scale = plot.x if axis == "x" else plot.y
    return scale.start + (values - scale.low) / (scale.high - scale.low) * (scale.end - scale.start)


def _split_at_cuts(x: Values, cuts: tuple[float, ...]) -> list[npt.NDArray[np.bool_]]:
    """Return a selection of ``x`` for each stretch between cuts."""
    ends = [-math.inf, *sorted(cuts), math.inf]
    return [(x > low) & (x < high) for low, high in itertools.pairwise(ends)]


def _clip_to_levels(x: Values, y: Values, low: float, high: float) -> list[tuple[Values, Values]]:
    """Return the runs of a curve between two levels, cut exactly where the curve crosses a level."""
    inside = np.isfinite(y) & (y >= low) & (y <= high)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], inside, [False]]).astype(np.int8)))
    runs = []
    for first, stop in zip(edges[::2], edges[1::2], strict=True):
        run_x, run_y = list(x[first:stop]), list(y[first:stop])
        if first > 0 and np.isfinite(y[first - 1]):
            crossing = _find_crossing(x[first - 1], y[first - 1], x[first], y[first], low, high)
            run_x.insert(0, crossing[0])
            run_y.insert(0, crossing[1])
        if stop < len(x) and np.isfinite(y[stop]):
            crossing = _find_crossing(x[stop], y[stop], x[stop - 1], y[stop - 1], low, high)
            run_x.append(crossing[0])
            run_y.append(crossing[1])
        runs.append((np.array(run_x), np.array(run_y)))
    return runs


def _find_crossing(x0: float, y0: float, x1: float, y1: float, low: float, high: float) -> Point:
    """Return where the line from an outer to an inner point meets the level between them."""
    level = low if y0 < low else high
    return float(x0 + (x1 - x0) * (level - y0) / (y1 - y0)) if y1 != y0 else float(x1), float(level)


def _select_needed_points(points: Values) -> list[int]:
    """Return which points keep a polyline within ``TOLERANCE`` of all (the Ramer–Douglas–Peucker algorithm)."""
    keep, stack = {0, len(points) - 1}, [(0, len(points) - 1)]
    while stack:
        first, last = stack.pop()
        if last - first < 2:
            continue
        chord = points[last] - points[first]
        away = points[first + 1 : last] - points[first]
        distance = np.abs(chord[0] * away[:, 1] - chord[1] * away[:, 0]) / max(1e-9, float(exact.hypot(*chord)))
        farthest = int(distance.argmax())
        if distance[farthest] > TOLERANCE:
            middle = first + 1 + farthest
            keep.add(middle)
            stack += [(first, middle), (middle, last)]
    return sorted(keep)


def _choose_simple_factor(value: float) -> float:
    """Return the nearest of a few simple factors."""
    return min((0.1, 0.2, 0.5, 1.0, 2.0, 5.0), key=lambda step: abs(exact.log(step / value)))


def _compute_slope_scale(window: Window) -> float:
    return (window.y_high - window.y_low) / (window.x_high - window.x_low)


def _choose_place(rng: random.Random, window: Window) -> float:
    """Return a whole abscissa in the middle half of the window."""
    quarter = (window.x_high - window.x_low) / 4
    return float(rng.randint(math.ceil(window.x_low + quarter), math.floor(window.x_high - quarter)))


def _choose_level(rng: random.Random, window: Window) -> float:
    """Return a whole ordinate in the middle three fifths of the window."""
    rim = (window.y_high - window.y_low) / 5
    return float(rng.randint(math.ceil(window.y_low + rim), math.floor(window.y_high - rim)))


def _format_factor(a: float) -> str:
    return {1.0: "", -1.0: "-"}.get(a, f"{format_number(a)}*")


def _format_signed(value: float) -> str:
    return "" if value == 0 else f" {'+' if value > 0 else '-'} {format_number(abs(value))}"


def _format_shift(place: float) -> str:
    return "x" if place == 0 else f"(x{_format_signed(-place)})"


def _choose_window(rng: random.Random) -> Window:
    return rng.choice(ANGLES if rng.random() < 0.15 else WINDOWS)


def _is_connected(function: Function, window: Window) -> bool:
    """Return whether a curve never leaves the window to come back, so that all its turns can be seen."""
    _, y = sample_function(function, window, 401)
    inside = (y >= window.y_low) & (y <= window.y_high)
    return int(np.count_nonzero(np.diff(inside.astype(np.int8)) == 1) + bool(inside[0])) == 1


def _draw_piece(rng: random.Random, window: Window, low: float, high: float) -> Function:
    """Draw a function that stays in the window from ``low`` to ``high``."""
    rim = (window.y_high - window.y_low) / 20
    while True:
        function = rng.choice((plan_linear, plan_quadratic, plan_absolute, plan_wave))(rng, window)
        piece = replace(function, domain=(low, high))
        _, y = sample_function(piece, window, 60)
        if y.min() > window.y_low + rim and y.max() < window.y_high - rim:
            return piece


def _build_tangent(slope: float, intercept: float) -> Function:
    m, c = round(slope, 6), round(intercept, 6)
    formula = f"{format_number(m)}*x {'+' if c >= 0 else '-'} {format_number(abs(c))}"
    return Function("linear", formula, {"slope": m, "intercept": c}, lambda x: m * x + c)


def _are_apart(first: Function, second: Function, window: Window, most: float = 0.12) -> bool:
    """Return whether two curves are close over at most this share of the window."""
    x = np.linspace(window.x_low, window.x_high, 201)
    with np.errstate(all="ignore"):
        gap = np.abs(first.compute(x) - second.compute(x)) / (window.y_high - window.y_low)
    return first.formula != second.formula and float((gap < 0.04).mean()) < most
