"""Shared parts of the metrics that compare two pictures: equal size, and sums over sliding windows."""

from collections.abc import Callable
from typing import TypeVar

import numpy as np
import numpy.typing as npt
from PIL import Image

from ircore.core.images import Pixels
from ircore.scorers.metrics.base import MetricUnavailableError

SMALLEST_SIDE = 11
"""Pixels: the window of SSIM; smaller pictures hold no whole window."""

T = TypeVar("T", np.int32, np.float64)


def refuse_tiny(*pictures: Pixels) -> None:
    """Raise ``MetricUnavailableError`` if a picture has a side of fewer than ``SMALLEST_SIDE`` pixels."""
    for pixels in pictures:
        height, width = pixels.shape[:2]
        if min(height, width) < SMALLEST_SIDE:
            raise MetricUnavailableError(f"{width} × {height} pixels: smaller than {SMALLEST_SIDE} pixels a side")


_last: tuple[Pixels, Pixels, Pixels] | None = None
"""Target, image and resized image of the last call: metrics of one pair follow upon each other."""


def resize_to_target(target: Pixels, image: Pixels) -> Pixels:
    """Return ``image`` at the size of ``target``: bicubic, proportions not kept, as published.

    Raises:
        MetricUnavailableError: Either is smaller than 11 pixels a side.
    """
    refuse_tiny(target, image)
    if target.shape == image.shape:
        return image
    global _last
    last = _last
    # By identity and not by value: to compare the pixels would take as long as to resize them.
    if last is not None and last[0] is target and last[1] is image:
        return last[2]
    height, width = target.shape[:2]
    resized = np.asarray(Image.fromarray(image).resize((width, height), Image.Resampling.BICUBIC))
    if not (target.flags.writeable or image.flags.writeable):  # else they may change between two calls
        _last = (target, image, resized)
    return resized


def compute_mean_over_bands(
    target: Pixels,
    image: Pixels,
    window: int,
    band: int,
    values: Callable[[npt.NDArray[np.int32], npt.NDArray[np.int32]], npt.NDArray[np.float64]],
) -> float:
    """Return the mean of an index over all windows, computed in bands of rows from top to bottom.

    Args:
        target: Height × width × 3 RGB, 0–255.
        image: Of the same size.
        window: Side of a window in pixels.
        band: Rows of windows computed at a time.
        values: Returns the index of every window of a band.
    """
    total, count = 0.0, 0
    for top in range(0, target.shape[0] - window + 1, band):
        # Neighbouring bands share rows, so that no window is lost between two bands.
        rows = slice(top, top + band + window - 1)
        indices = values(target[rows].astype(np.int32), image[rows].astype(np.int32))
        total += float(indices.sum())
        count += indices.size
    return total / count


def compute_window_sums(values: npt.NDArray[T], size: int) -> npt.NDArray[T]:
    """Sum over every window that lies wholly inside, exactly if the values are whole numbers.

    Args:
        values: Height × width × channels. The largest sum must fit their type.
        size: Side of the square window in pixels.

    Returns:
        (Height − size + 1) × (width − size + 1) × channels.
    """
    return _compute_run_sums(_compute_run_sums(values, size, 0), size, 1)


def _compute_run_sums(values: npt.NDArray[T], size: int, axis: int) -> npt.NDArray[T]:
    """Sum ``size`` neighbours along an axis: two halves, and one more value if ``size`` is odd."""
    if size == 1:
        return values
    halves = _compute_run_sums(values, size // 2, axis)
    count = values.shape[axis] - size + 1
    total = _take_slice(halves, 0, count, axis) + _take_slice(halves, size // 2, count, axis)
    return total + _take_slice(values, size - 1, count, axis) if size % 2 else total


def _take_slice(values: npt.NDArray[T], start: int, count: int, axis: int) -> npt.NDArray[T]:
    return values[start : start + count] if axis == 0 else values[:, start : start + count]
