"""Functions that curves resemble, and their turning points, zeros and asymptotes.

Each family is fitted by linear least squares on a grid of its one parameter that does not enter linearly. The one that
stays closest to the curve is named, if it stays within about a pixel; simpler families are preferred.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ircore.core import exact
from ircore.seeing.algebra import Floats, dot, interpolated, solved
from ircore.seeing.percepts import Likeness

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


def likeness(path: Floats) -> Likeness | None:
    """Return the function family that a curve resembles; None for other curves.

    Args:
        path: Points on it from end to end, N × 2: x and y in pixels.
    """
    graph = _graph(path)
    if graph is None:
        return None
    x, y = graph
    best: Likeness | None = None
    for fit in (_parabola, _absolute, _sine, _exponential, _hyperbola, _root, _logarithm, _cubic):
        curve_likeness = fit(x, y)
        if (
            curve_likeness is not None
            and curve_likeness.off <= CLOSE
            and (best is None or curve_likeness.off < BETTER * best.off - 0.05)
        ):
            best = curve_likeness
    return best


def features(path: Floats, axis: float | None) -> tuple[tuple[str, float], ...]:
    """Return inner minima and maxima of a curve, and its zeros on an axis at this height, as x in pixels."""
    graph = _graph(path)
    if graph is None:
        return ()
    x, y = graph
    inner = np.flatnonzero((y[1:-1] - y[:-2]) * (y[2:] - y[1:-1]) <= 0) + 1
    rim = len(x) // 20
    turns = [_turn(x, y, at) for at in _apart(inner, len(x) // 12) if rim <= at < len(x) - rim]
    if axis is not None:
        crossed = np.flatnonzero((y[:-1] - axis) * (y[1:] - axis) < 0)
        turns += [("zero", float(x[at] + x[at + 1]) / 2) for at in crossed]
    return tuple(turns)


def _turn(x: Floats, y: Floats, at: int) -> tuple[str, float]:
    """Return the kind of turn near an index, and the middle of its flat part."""
    window = slice(max(0, at - len(x) // 12), at + len(x) // 12)
    near = y[window]
    lowest = abs(near.max() - y[at]) < abs(near.min() - y[at])
    level = np.abs(near - (near.max() if lowest else near.min())) < 0.8
    return ("lowest" if lowest else "highest"), float(x[window][level].mean())


def _apart(places: npt.NDArray[np.intp], least: int) -> list[int]:
    """Return the indices, leaving out each index closer than ``least`` to the index before."""
    separate: list[int] = []
    for at in places:
        if not separate or at - separate[-1] > least:
            separate.append(int(at))
    return separate


def _graph(path: Floats) -> tuple[Floats, Floats] | None:
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
    return interpolated(even, along, path[:, 0]), interpolated(even, along, path[:, 1])


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


def _fit(x: Floats, y: Floats, options: Floats, terms: Floats) -> _Fits:
    """Fit y = c + Σ aᵢ · termᵢ for each option, a value of the parameter; ``terms``: options × terms × points."""
    terms = np.concatenate([np.ones((len(options), 1, len(x))), terms], axis=1)
    size = np.abs(terms).max(axis=2, keepdims=True)
    scaled = terms / np.maximum(size, 1e-12)
    # The small term keeps the system solvable where two functions are nearly alike.
    squares = dot(scaled[:, :, None], scaled[:, None]) + 1e-9 * len(x) * np.eye(terms.shape[1])
    factors = solved(squares, dot(scaled, y))
    fitted = dot(scaled.transpose(0, 2, 1), factors[:, None])
    # Measured across the curve: where it is steep, a step to the side is a long way up.
    slope = np.gradient(fitted, axis=1) / np.maximum(np.gradient(x), 1e-6)
    off = np.percentile(np.abs(y - fitted) / np.sqrt(1 + slope * slope), 95, axis=1)
    return _Fits(options, factors / np.maximum(size[..., 0], 1e-12), off)


def _closest(x: Floats, y: Floats, options: Floats, terms: Callable[[Floats], Floats]) -> _Fits:
    """Fit all options, then finer options around the best; ``terms`` returns options × terms × points."""
    coarse = _fit(x, y, options, terms(options))
    low, high = max(0, coarse.best - 1), min(len(options) - 1, coarse.best + 1)
    finer = np.linspace(options[low], options[high], 17)
    return _fit(x, y, finer, terms(finer))


def _geometric(first: float, last: float, count: int) -> Floats:
    """Return numbers in geometric progression from first to last."""
    return exact.exp(np.linspace(exact.log(first), exact.log(last), count))


def _powers(x: Floats, y: Floats, degree: int) -> _Fits:
    along = (x - x.mean()) / np.ptp(x)
    return _fit(x, y, np.zeros(1), np.repeat(along[None], degree, axis=0).cumprod(axis=0)[None])


def _parabola(x: Floats, y: Floats) -> Likeness | None:
    fits = _powers(x, y, 2)
    bend = float(fits.solved[0, 2])
    return Likeness("parabola", float(fits.off[0]), upward=bend < 0) if abs(bend) > LEAST_BEND else None


def _cubic(x: Floats, y: Floats) -> Likeness | None:
    return Likeness("cubic", float(_powers(x, y, 3).off[0]))


def _absolute(x: Floats, y: Floats) -> Likeness | None:
    # A corner at the very end would be a straight line.
    inner = np.linspace(x[0], x[-1], 62)[3:-3]
    fits = _closest(x, y, inner, lambda corners: np.abs(x - corners[:, None])[:, None])
    corner, rise = float(fits.options[fits.best]), float(fits.solved[fits.best, 1])
    return Likeness("absolute", float(fits.off.min()), levels=(("x", corner),), upward=rise < 0)


def _sine(x: Floats, y: Floats) -> Likeness | None:
    """Fit sine waves with periods from 0.12 to 1.5 times the width."""

    def waves(periods: Floats) -> Floats:
        turn = 2 * math.pi * x / periods[:, None]
        return np.stack([exact.sin(turn), exact.cos(turn)], axis=1)

    fits = _closest(x, y, float(np.ptp(x)) * _geometric(0.12, 1.5, 90), waves)
    return Likeness("sine", float(fits.off.min()), period=float(fits.options[fits.best]))


def _exponential(x: Floats, y: Floats) -> Likeness | None:
    along = (x - x.mean()) / np.ptp(x)
    rates = _geometric(0.8, 16, 20)
    options = np.concatenate([-rates[::-1], rates])
    fits = _closest(x, y, options, lambda some: exact.exp(some[:, None] * along)[:, None])
    return Likeness("exponential", float(fits.off.min()), levels=(("y", float(fits.solved[fits.best, 0])),))


def _beside(x: Floats, y: Floats, terms: Callable[[Floats], Floats]) -> _Fits:
    """Fit places to the left and to the right of a curve, dense near its ends; return the better side."""
    away = float(np.ptp(x)) * _geometric(0.001, 1.2, 24)
    sides = (_closest(x, y, x[0] - away, terms), _closest(x, y, x[-1] + away, terms))
    return min(sides, key=lambda fits: float(fits.off.min()))


def _hyperbola(x: Floats, y: Floats) -> Likeness | None:
    fits = _beside(x, y, lambda poles: (1 / (x - poles[:, None]))[:, None])
    levels = (("x", float(fits.options[fits.best])), ("y", float(fits.solved[fits.best, 0])))
    return Likeness("hyperbola", float(fits.off.min()), levels=levels)


def _logarithm(x: Floats, y: Floats) -> Likeness | None:
    fits = _beside(x, y, lambda poles: exact.log(np.abs(x - poles[:, None]))[:, None])
    return Likeness("logarithm", float(fits.off.min()), levels=(("x", float(fits.options[fits.best])),))


def _root(x: Floats, y: Floats) -> Likeness | None:
    away = float(np.ptp(x)) * np.linspace(0, 0.02, 6)
    sides = (_closest(x, y, end, lambda ends: np.sqrt(np.abs(x - ends[:, None]))[:, None])
             for end in (x[0] - away, x[-1] + away))  # fmt: skip
    return Likeness("root", min(float(fits.off.min()) for fits in sides))
