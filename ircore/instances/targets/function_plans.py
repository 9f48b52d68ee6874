"""The contents of a graph of functions, before its look is chosen: window, functions and additions."""

import itertools
import math
import random
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ircore.instances.targets.axes import number
from ircore.instances.targets.curves import (
    Function,
    Window,
    absolute,
    cubic,
    exponential,
    linear,
    logarithm,
    pick_function,
    quadratic,
    rational,
    root,
    values_across,
    wave,
)

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

BENT = (quadratic, cubic, wave)
CUT = (rational, rational, exponential, logarithm)


@dataclass(frozen=True)
class Graph:
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


def _window(rng: random.Random) -> Window:
    return rng.choice(ANGLES if rng.random() < 0.15 else WINDOWS)


def plan_easy(rng: random.Random) -> Graph:
    """Plan a single curve, without gaps unless its asymptote causes them."""
    window = _window(rng)
    while True:
        function = pick_function(rng, window)
        if function.vertical or _is_connected(function, window):
            return Graph(window, (function,), marked=rng.choice((0, 0, 0, 1)))


def _is_connected(function: Function, window: Window) -> bool:
    """Return whether a curve never leaves the window to come back, so that all its turns can be seen."""
    _, y = values_across(function, window, 401)
    inside = (y >= window.y_low) & (y <= window.y_high)
    return int(np.count_nonzero(np.diff(inside.astype(np.int8)) == 1) + bool(inside[0])) == 1


def _plan_several(rng: random.Random) -> Graph:
    window, count = _window(rng), rng.choice((2, 2, 3))
    functions: list[Function] = []
    for _ in range(200):
        candidate = pick_function(rng, window)
        if all(_are_apart(candidate, other, window) for other in functions):
            functions.append(candidate)
        if len(functions) == count:
            break
    return Graph(window, tuple(functions), marked=rng.choice((0, 2, 3)))


def _plan_asymptotes(rng: random.Random) -> Graph:
    window = rng.choice(WINDOWS)
    while True:
        first = pick_function(rng, window, CUT)
        is_seen = all(window.x_low < at < window.x_high for at in first.vertical)
        if is_seen and any((*first.vertical, *first.horizontal)):
            break  # One asymptote at least lies neither on the frame nor on an axis.
    while True:
        second = pick_function(rng, window, (linear, root, absolute))
        if _are_apart(first, second, window):
            return Graph(window, (first, second), has_asymptotes=True, marked=rng.choice((1, 2, 3)))


def _plan_pieces(rng: random.Random) -> Graph:
    window = rng.choice(WINDOWS)
    third = (window.x_high - window.x_low) / 3
    cuts = [round(window.x_low + third), round(window.x_high - third)]
    ends = [window.x_low, *map(float, cuts), window.x_high]
    pieces = tuple(_piece(rng, window, low, high) for low, high in itertools.pairwise(ends))
    return Graph(window, pieces, is_pieces=True, marked=rng.choice((0, 1)))


def _piece(rng: random.Random, window: Window, low: float, high: float) -> Function:
    """Draw a function that stays in the window from ``low`` to ``high``."""
    rim = (window.y_high - window.y_low) / 20
    while True:
        function = rng.choice((linear, quadratic, absolute, wave))(rng, window)
        piece = replace(function, domain=(low, high))
        _, y = values_across(piece, window, 60)
        if y.min() > window.y_low + rim and y.max() < window.y_high - rim:
            return piece


def _plan_tangent(rng: random.Random) -> Graph:
    window = rng.choice(WINDOWS)
    while True:
        curve = pick_function(rng, window, BENT)
        at = float(rng.randint(math.ceil(window.x_low) + 1, math.floor(window.x_high) - 1))
        slope, height = (curve.at(at + 1e-4) - curve.at(at - 1e-4)) / 2e-4, curve.at(at)
        rim = (window.y_high - window.y_low) / 8
        line = _tangent(slope, height - slope * at)
        is_inside = window.y_low + rim < height < window.y_high - rim
        steep = abs(slope) * (window.x_high - window.x_low) / (window.y_high - window.y_low)
        # A tangent close to its curve for long could not be told apart from the curve.
        if is_inside and 0.1 < steep < 2 and _are_apart(curve, line, window, 0.2):
            break
    return Graph(window, (curve, line), tangent_at=at, marked=rng.choice((0, 1)))


def _tangent(slope: float, intercept: float) -> Function:
    m, c = round(slope, 6), round(intercept, 6)
    formula = f"{number(m)}*x {'+' if c >= 0 else '-'} {number(abs(c))}"
    return Function("linear", formula, {"slope": m, "intercept": c}, lambda x: m * x + c)


def _plan_area(rng: random.Random) -> Graph:
    window = _window(rng)
    while True:
        curve = pick_function(rng, window, (quadratic, cubic, wave, root, exponential))
        unit = 30 if window.is_degrees else 1
        low, high = sorted(rng.sample(range(math.ceil(window.x_low / unit), math.floor(window.x_high / unit) + 1), 2))
        piece = replace(curve, domain=(low * unit, high * unit))
        _, y = values_across(piece, window, 60)
        wide = (high - low) * unit > (window.x_high - window.x_low) / 6
        # An area must be wide enough to be seen, and must not be cut by the window.
        if wide and np.isfinite(y).all() and y.min() > window.y_low and y.max() < window.y_high and np.ptp(y) > 0:
            return Graph(window, (curve,), area=piece.domain, marked=rng.choice((1, 2)))


def _are_apart(first: Function, second: Function, window: Window, most: float = 0.12) -> bool:
    """Return whether two curves are close over at most this share of the window."""
    x = np.linspace(window.x_low, window.x_high, 201)
    with np.errstate(all="ignore"):
        gap = np.abs(first.compute(x) - second.compute(x)) / (window.y_high - window.y_low)
    return first.formula != second.formula and float((gap < 0.04).mean()) < most


HARD: tuple[Callable[[random.Random], Graph], ...] = (
    _plan_several, _plan_several, _plan_asymptotes, _plan_pieces, _plan_tangent, _plan_area,
)  # fmt: skip
"""Several curves, asymptotes, a function in pieces, a tangent, an area."""
