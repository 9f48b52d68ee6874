"""Metrics that compare pixels: SSIM, multi-scale SSIM, PSNR and UQI.

SSIM is there with the uniform window of published values, and with its definition's Gaussian window.

Two indices go by the name of universal quality index; they differ widely and are kept apart by name. ``uqi`` is the
index as Wang and Bovik defined it in 2002. ``uqi_sewar`` is what ConvGenVisMo published under that name: the formula of
the package sewar, which puts window means where the index has window sums. Randomly shuffled pixels still reach about
0.75 by it, so it is here only so that published figures can be compared.
"""

import functools
from dataclasses import replace
from functools import partial
from math import log10

import numpy as np
import numpy.typing as npt

from ircore.core.images import Pixels
from ircore.scorers.metrics.base import (
    SMALLEST_SIDE,
    Metric,
    MetricUnavailableError,
    compute_mean_over_bands,
    compute_window_sums,
    resize_to_target,
)

WINDOW = SMALLEST_SIDE
BAND = 48
"""Rows of windows computed at a time: keeps the work in the processor's cache and the memory bounded."""

SIGMA = 1.5
"""Of the Gaussian window, in pixels."""

Floats = npt.NDArray[np.float64]

_N = WINDOW * WINDOW
_C1 = (0.01 * 255) ** 2 * _N**2
_C2 = (0.03 * 255) ** 2 * _N**2

EXPONENTS = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333)
"""Weight of each scale, finest first (Wang, Simoncelli and Bovik 2003, section 3.2)."""

MS_SSIM_SIDE = WINDOW * 2 ** (len(EXPONENTS) - 1)
"""Pixels: 176, so that the coarsest scale holds a whole window."""

CHUNK = 32_000
"""Values taken at a time: the sum of their squared differences is sure to fit 32 bits, 32 000 · 255² < 2³¹."""

UQI_WINDOW = 8
UQI_BAND = 64
"""Rows of windows computed at a time."""

_UQI_N = UQI_WINDOW * UQI_WINDOW
_Sums = npt.NDArray[np.float64]


def ssim(target: Pixels, image: Pixels) -> float:
    """Return the mean structural similarity, −1 to 1, over all 11 × 11 windows and the three channels.

    Formula of Wang, Bovik, Sheikh and Simoncelli (2004), K1 0.01, K2 0.03, range 255, but with a uniform window
    instead of a Gaussian one and variances with divisor N: what ConvGenVisMo published. Only whole windows count.

    Args:
        target: Height × width × 3 RGB, 0–255.
        image: The same; of another size it is resized to the target's.

    Raises:
        MetricUnavailableError: A picture is smaller than 11 pixels a side.
    """
    return compute_mean_over_bands(target, resize_to_target(target, image), WINDOW, BAND, _compute_ssim_map)


def ssim_gaussian(target: Pixels, image: Pixels) -> float:
    """Return the mean structural similarity, −1 to 1, with the Gaussian window of Wang et al. (2004).

    11 × 11 pixels, σ 1.5, K1 0.01, K2 0.03, range 255; only whole windows count; mean over channels. It lies about 0.09
    above the uniform window's value on photographs.

    Args:
        target: Height × width × 3 RGB, 0–255.
        image: The same; of another size it is resized to the target's.

    Raises:
        MetricUnavailableError: A picture is smaller than 11 pixels a side.
    """
    luminance, contrast = compute_gaussian_terms(
        target.astype(np.float64), resize_to_target(target, image).astype(np.float64)
    )
    return float((luminance * contrast).mean())


def compute_gaussian_terms(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Return the two factors of SSIM in every whole Gaussian window.

    Args:
        x: Height × width × channels, 0–255, at least 11 pixels a side.
        y: Of the same shape.

    Returns:
        Luminance (2μxμy + C1) / (μx² + μy² + C1) and contrast with structure (2σxy + C2) / (σx² + σy² + C2), each
        (height − 10) × (width − 10) × channels.
    """
    c1, c2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    mean_x, mean_y = _smooth(x), _smooth(y)
    product, squares = mean_x * mean_y, mean_x**2 + mean_y**2
    covariance, variances = _smooth(x * y) - product, _smooth(x * x + y * y) - squares
    return (2 * product + c1) / (squares + c1), (2 * covariance + c2) / (variances + c2)


SSIM = Metric(
    name="ssim",
    title="SSIM",
    unit="",
    higher_is_better=True,
    low=-1.0,
    high=1.0,
    source="Wang et al. 2004 with a uniform 11 × 11 window; as published by ConvGenVisMo",
    compute=ssim,
    trap="A uniform window, as published; the Gaussian one of Wang et al. is ssim_gaussian.",
)

GAUSSIAN_METRIC = replace(
    SSIM,
    name="ssim_gaussian",
    title="SSIM with a Gaussian window",
    source="Wang, Bovik, Sheikh and Simoncelli 2004, 11 × 11 Gaussian window of σ 1.5",
    compute=ssim_gaussian,
    trap="What papers cite as SSIM; ConvGenVisMo's published values are those of ssim, about 0.09 lower.",
)


def ms_ssim(target: Pixels, image: Pixels) -> float:
    """Return multi-scale structural similarity, 0 to 1: contrast and structure at five scales, luminance at the last.

    The product of eq. 7 of Wang, Simoncelli and Bovik (2003) for each channel, then the mean of the channels. A scale
    has half the size of the one before, by means of 2 × 2 pixels. A negative factor, which no power is defined for,
    counts as 0.

    Args:
        target: Height × width × 3 RGB, 0–255.
        image: The same; of another size it is resized to the target's.

    Raises:
        MetricUnavailableError: The target is smaller than 176 pixels a side, or the image than 11.
    """
    y = resize_to_target(target, image).astype(np.float64)
    height, width = target.shape[:2]
    if min(height, width) < MS_SSIM_SIDE:
        raise MetricUnavailableError(f"{width} × {height} pixels: smaller than {MS_SSIM_SIDE} pixels a side")
    x = target.astype(np.float64)
    product = np.ones(x.shape[2])
    for scale, exponent in enumerate(EXPONENTS, start=1):
        luminance, contrast = compute_gaussian_terms(x, y)
        last = scale == len(EXPONENTS)
        factors = (luminance * contrast if last else contrast).mean(axis=(0, 1))
        product *= np.maximum(factors, 0) ** exponent
        x, y = _halve(x), _halve(y)
    return float(product.mean())


MS_SSIM = Metric(
    name="ms_ssim",
    title="MS-SSIM",
    unit="",
    higher_is_better=True,
    low=0.0,
    high=1.0,
    source="Wang, Simoncelli and Bovik 2003, five scales, Gaussian windows",
    compute=ms_ssim,
    trap="Needs 176 pixels a side; lies far above SSIM for the same pictures.",
)


def psnr(target: Pixels, image: Pixels) -> float:
    """Return 10 · log10(255² / MSE) in dB, the mean squared error taken over all pixels and channels.

    Args:
        target: Height × width × 3 RGB, 0–255.
        image: The same; of another size it is resized to the target's.

    Raises:
        MetricUnavailableError: The pictures are identical (the ratio is infinite) or smaller than 11 pixels a side.
    """
    x, y = target.ravel(), resize_to_target(target, image).ravel()
    squares = 0
    for start in range(0, x.size, CHUNK):
        difference = np.subtract(x[start : start + CHUNK], y[start : start + CHUNK], dtype=np.int32)
        squares += int(np.dot(difference, difference))
    if squares == 0:
        raise MetricUnavailableError("identical pictures: infinite")
    return 10 * log10(255**2 * x.size / squares)


PSNR = Metric(
    name="psnr",
    title="PSNR",
    unit="dB",
    higher_is_better=True,
    low=0.0,
    high=None,
    source="10·log10(255²/MSE) over all pixels and channels; as published by ConvGenVisMo",
    compute=psnr,
    trap="Infinite, so without a value, for identical pictures; a shift by few pixels costs more than a wrong colour.",
)


def uqi_sewar(target: Pixels, image: Pixels) -> float:
    """Return sewar's variant, −1 to 1: 4(N·m(xy) − m(x)m(y))·m(x)m(y) / [(N(m(xx) + m(yy)) − s)·s], s = m(x)² + m(y)².

    m is the mean over an 8 × 8 window and N = 64; where the denominator is 0 see ``_compute_quality_index``. The last
    row and column of windows are left out, as sewar's cropping does.

    Args:
        target: Height × width × 3 RGB, 0–255.
        image: The same; of another size it is resized to the target's.

    Raises:
        MetricUnavailableError: A picture is smaller than 11 pixels a side.
    """
    fitted = resize_to_target(target, image)
    return compute_mean_over_bands(
        target[:-1, :-1], fitted[:-1, :-1], UQI_WINDOW, UQI_BAND, partial(_compute_quality_index, divisor=_UQI_N)
    )


def uqi(target: Pixels, image: Pixels) -> float:
    """Return the universal quality index of Wang and Bovik (2002), −1 to 1, over 8 × 8 windows and channels.

    4(N·Σxy − ΣxΣy)·ΣxΣy / [(N(Σxx + Σyy) − s)·s] with s = (Σx)² + (Σy)² and N = 64.

    Args:
        target: Height × width × 3 RGB, 0–255.
        image: The same; of another size it is resized to the target's.

    Raises:
        MetricUnavailableError: A picture is smaller than 11 pixels a side.
    """
    return compute_mean_over_bands(
        target, resize_to_target(target, image), UQI_WINDOW, UQI_BAND, partial(_compute_quality_index, divisor=1)
    )


SEWAR_METRIC = Metric(
    name="uqi_sewar",
    title="UQI by sewar's formula (not the index of Wang and Bovik)",
    unit="",
    higher_is_better=True,
    low=-1.0,
    high=1.0,
    source="sewar's formula with window means for sums; as published by ConvGenVisMo",
    compute=uqi_sewar,
    trap="Not UQI: randomly shuffled pixels still reach about 0.75. For comparison with published values only.",
)

UQI = replace(
    SEWAR_METRIC,
    name="uqi",
    title="UQI",
    source="Wang and Bovik 2002, 8 × 8 windows",
    compute=uqi,
    version="2",
    trap="Until version 2 this name stood for sewar's formula, now uqi_sewar; the two differ by 0.5 on average.",
)


def _compute_ssim_map(x: npt.NDArray[np.int32], y: npt.NDArray[np.int32]) -> npt.NDArray[np.float64]:
    """Every term is N² times the formula's term, so that all sums are whole numbers and exact in 32 bits."""
    sum_x, sum_y = compute_window_sums(x, WINDOW), compute_window_sums(y, WINDOW)
    # At most 121² · 2 · 255², about 1.9 · 10⁹, which is below 2³¹.
    squares = _N * compute_window_sums(x * x + y * y, WINDOW)
    mean_squares = sum_x * sum_x + sum_y * sum_y
    mean_product = sum_x * sum_y
    covariance = _N * compute_window_sums(x * y, WINDOW) - mean_product
    top = (2 * mean_product + _C1) * (2 * covariance + _C2)
    result: npt.NDArray[np.float64] = top / ((mean_squares + _C1) * ((squares - mean_squares) + _C2))
    return result


def _smooth(values: Floats) -> Floats:
    """Weigh every whole window by a Gaussian of σ 1.5, one axis after the other."""
    offsets = np.arange(WINDOW) - WINDOW // 2
    weights = np.exp(-(offsets**2) / (2 * SIGMA**2))
    weights /= weights.sum()
    for axis in (0, 1):
        count = values.shape[axis] - WINDOW + 1
        parts = (weight * values.take(range(at, at + count), axis) for at, weight in enumerate(weights))
        values = functools.reduce(np.add, parts)
    return values


def _halve(values: Floats) -> Floats:
    """Return the means of 2 × 2 pixels; a last odd row or column is left out."""
    height, width = values.shape[0] // 2 * 2, values.shape[1] // 2 * 2
    even = values[:height, :width]
    halves: Floats = (even[::2, ::2] + even[1::2, ::2] + even[::2, 1::2] + even[1::2, 1::2]) / 4
    return halves


def _compute_quality_index(x: npt.NDArray[np.int32], y: npt.NDArray[np.int32], divisor: int) -> _Sums:
    """Return the index of every window.

    With divisor 1 all terms are sums. With divisor N the means stand for the sums: of N·m(xy) = Σxy and
    m(x)m(y) = ΣxΣy/N² the factor N² is multiplied out, so that everything stays whole.
    Where the second bracket is 0 but s is not, the index is 2·ΣxΣy/s; where s is 0 too, it is 1.
    """
    sum_x, sum_y = compute_window_sums(x, UQI_WINDOW), compute_window_sums(y, UQI_WINDOW)
    scale = _UQI_N if divisor == 1 else float(divisor) ** 2
    product = sum_x.astype(np.float64) * sum_y
    squares = sum_x.astype(np.float64) ** 2 + sum_y.astype(np.float64) ** 2
    covariance = scale * compute_window_sums(x * y, UQI_WINDOW) - product
    variance = scale * compute_window_sums(x * x + y * y, UQI_WINDOW) - squares
    # Two black windows: 0/0, and they are equal.
    luminance = np.divide(2 * product, squares, out=np.ones_like(squares), where=squares != 0)
    # Two plain windows: only their brightness can differ.
    structure = np.divide(2 * covariance, variance, out=np.ones_like(squares), where=variance != 0)
    quality: _Sums = luminance * structure
    return quality
