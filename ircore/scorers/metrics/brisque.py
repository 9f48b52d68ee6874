"""BRISQUE: how natural a picture looks by itself, without any target (Mittal, Moorthy and Bovik 2012).

The statistics are computed here with NumPy and SciPy; the regression model is the one of the PyPI package ``brisque``
(see ``brisque_model.md``). Of two pictures only the second is looked at, at its own size.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import exp, inf, sqrt

import numpy as np
import numpy.typing as npt

# SciPy is imported in the functions that compute: every other metric starts half a second sooner without it.
from ircore.core.images import Pixels
from ircore.scorers.metrics.base import Metric, MetricUnavailableError, refuse_tiny

_Values = npt.NDArray[np.float64]

GREY = (0.2125, 0.7154, 0.0721)
"""Weights of red, green and blue."""

HALVING = np.array([-0.09375, 0.59375, 0.59375, -0.09375])
"""Cubic interpolation (a = −0.75) half-way between pixels: weights of the four neighbours."""

SHAPES = (0.05, 100.0)
"""Range in which the shape of the generalised Gaussian is sought."""


def compute_brisque(target: Pixels, image: Pixels) -> float:  # noqa: ARG001 - a metric takes both
    """Return the BRISQUE score: about 0 (natural) to 100 (distorted), not cut off at either end; lower is better.

    Flat parts make it slightly unsure: there the sign of a coefficient is rounding noise, which can move the score by
    some tenths between platforms.

    Args:
        target: Not looked at.
        image: Height × width × 3 RGB, 0–255.

    Raises:
        MetricUnavailableError: The picture is flat, or smaller than 11 pixels a side.
    """
    refuse_tiny(image)
    if (image == image[0, 0]).all():
        raise MetricUnavailableError("flat picture: no texture to judge")
    red, green, blue = (image[..., channel] / 255 * weight for channel, weight in enumerate(GREY))
    grey = red + green + blue
    # Both sides by cubic interpolation without antialiasing, the border pixels repeated outside.
    half = _halve(_halve(grey).T).T
    features = np.array([*_compute_features(grey), *_compute_features(half)])
    return _load_model().predict(features)


def _compute_features(grey: _Values) -> Iterator[float]:
    """Yield the 18 features of one scale: shape and variance, then four numbers for each of four neighbourhoods."""
    coefficients = _normalise(grey)
    shape, left, right = _fit_gaussian(coefficients)
    yield from (shape, (left + right) / 2)
    for neighbours in (
        coefficients[:, :-1] * coefficients[:, 1:],
        coefficients[:-1] * coefficients[1:],
        coefficients[:-1, :-1] * coefficients[1:, 1:],
        coefficients[1:, :-1] * coefficients[:-1, 1:],
    ):
        shape, left, right = _fit_gaussian(neighbours)
        yield from (shape, _compute_fitted_mean(shape, left, right), left, right)


def _normalise(grey: _Values) -> _Values:
    """Return (value − local mean) / (local deviation + 1/255) under a 7 × 7 Gaussian of σ 7/6, zero outside."""
    mean = _smooth(grey)
    # The absolute value, since rounding makes the variance of flat parts slightly negative.
    deviation = np.sqrt(np.abs(mean * mean - _smooth(grey * grey)))
    result: _Values = (grey - mean) / (deviation + 1 / 255)
    return result


def _smooth(values: _Values) -> _Values:
    """Smooth with the full 7 × 7 kernel: as two passes the sign of flat parts would come out far from published."""
    from scipy.ndimage import correlate

    offsets, variance = np.arange(-3, 4), (7 / 6) ** 2
    distances = offsets[:, None] ** 2 + offsets[None, :] ** 2
    # The density's constant cancels, but not to the last bit, on which flat parts depend.
    weights = np.exp(-distances / (2 * variance)) * (1 / (2 * np.pi * variance))
    return np.asarray(correlate(values, weights / weights.sum(), mode="constant"), dtype=np.float64)


def _halve(values: _Values) -> _Values:
    rows = round(values.shape[0] / 2)
    # Four neighbours a point: one before the pair in its middle and one after it, and one more for an odd last row.
    padded = np.pad(values, ((1, 2), (0, 0)), mode="edge")
    taken = [weight * padded[start : start + 2 * rows : 2][:rows] for start, weight in enumerate(HALVING)]
    result: _Values = np.sum(taken, axis=0)
    return result


def _fit_gaussian(values: _Values) -> tuple[float, float, float]:
    """Fit an asymmetric generalised Gaussian by moments (Lasmar, Stitou and Berthoumieu 2009).

    Returns:
        Shape, and the mean squares of the values below and from 0.

    Raises:
        MetricUnavailableError: The values do not vary on both sides of 0.
    """
    squares = values * values
    below = values < 0
    count = int(np.count_nonzero(below))
    left_sum = float(squares[below].sum())
    total = float(squares.sum())
    # Without values on one side the skew below would be 0 or infinite.
    if not 0 < count < values.size or left_sum <= 0 or total - left_sum <= 0:
        raise MetricUnavailableError("nearly flat picture: no texture to judge")
    left, right = left_sum / count, float(squares[~below].mean())
    ratio = float(np.abs(values).mean()) ** 2 / (total / values.size)
    skew = sqrt(left / right)
    return _fit_shape(ratio * (skew**3 + 1) * (skew + 1) / (skew**2 + 1) ** 2), left, right


def _fit_shape(moment: float) -> float:
    """Return the shape a with Γ(2/a)² / (Γ(1/a)Γ(3/a)) = ``moment``; the quotient grows with a from 0 to 3/4."""
    from scipy.optimize import brentq

    if not _compute_moment_ratio(SHAPES[0]) < moment < _compute_moment_ratio(SHAPES[1]):
        raise MetricUnavailableError("nearly flat picture: its statistics fit no generalised Gaussian")
    return float(brentq(lambda shape: _compute_moment_ratio(shape) - moment, *SHAPES, xtol=1e-13))


def _compute_moment_ratio(shape: float) -> float:
    from scipy.special import gammaln

    return float(np.exp(2 * gammaln(2 / shape) - gammaln(1 / shape) - gammaln(3 / shape)))


def _compute_fitted_mean(shape: float, left: float, right: float) -> float:
    """Return the mean of the fitted distribution: (σr − σl) · √(Γ(1/a)/Γ(3/a)) · Γ(2/a)/Γ(1/a)."""
    from scipy.special import gammaln

    first, second, third = (float(gammaln(k / shape)) for k in (1, 2, 3))
    return (sqrt(right) - sqrt(left)) * exp((first - third) / 2 + second - first)


@dataclass(frozen=True)
class _Model:
    """An ε-support-vector regression with a radial kernel."""

    coefficients: _Values
    vectors: _Values
    lowest: _Values
    highest: _Values
    gamma: float
    rho: float

    def predict(self, features: _Values) -> float:
        scaled = -1 + 2 * (features - self.lowest) / (self.highest - self.lowest)
        distances = ((self.vectors - scaled) ** 2).sum(axis=1)
        score = float(self.coefficients @ np.exp(-self.gamma * distances)) - self.rho
        # Also false for NaN, which a comparison with either end alone would let pass.
        if not -inf < score < inf:
            raise MetricUnavailableError("its statistics lie outside the model")
        return score


@cache
def _load_model() -> _Model:
    with files("ircore.scorers.metrics").joinpath("brisque_model.npz").open("rb") as file, np.load(file) as stored:
        return _Model(
            coefficients=stored["coefficients"],
            vectors=stored["vectors"],
            lowest=stored["lowest"],
            highest=stored["highest"],
            gamma=float(stored["gamma"]),
            rho=float(stored["rho"]),
        )


METRIC = Metric(
    name="brisque",
    title="BRISQUE",
    unit="",
    higher_is_better=False,
    low=None,
    high=None,
    source="Mittal et al. 2012 with the model of the PyPI package brisque; the image alone",
    compute=compute_brisque,
    reference=False,
    trap="Says nothing of the target. Below 0 is possible; flat parts move it by some tenths between platforms.",
)
