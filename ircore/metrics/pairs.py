"""What the metrics that compare two pictures share: equal size, and sums over sliding windows."""

import numpy as np
import numpy.typing as npt
from PIL import Image

from ircore.images import Pixels
from ircore.metrics.base import MetricUnavailableError

SMALLEST_SIDE = 11
"""Pixels: the window of SSIM; smaller pictures hold no whole window."""


def refuse_tiny(*pictures: Pixels) -> None:
    """Raise ``MetricUnavailableError`` if a picture has a side of fewer than ``SMALLEST_SIDE`` pixels."""
    for pixels in pictures:
        height, width = pixels.shape[:2]
        if min(height, width) < SMALLEST_SIDE:
            raise MetricUnavailableError(f"{width} × {height} pixels: smaller than {SMALLEST_SIDE} pixels a side")


def at_size_of(target: Pixels, image: Pixels) -> Pixels:
    """Return ``image`` at the size of ``target``: bicubic, proportions not kept, as published.

    Raises:
        MetricUnavailableError: Either is smaller than 11 pixels a side.
    """
    refuse_tiny(target, image)
    if target.shape == image.shape:
        return image
    height, width = target.shape[:2]
    return np.asarray(Image.fromarray(image).resize((width, height), Image.Resampling.BICUBIC))


def window_sums(values: npt.NDArray[np.int32], size: int) -> npt.NDArray[np.int32]:
    """Sum over every window that lies wholly inside, exactly.

    Args:
        values: Height × width × channels. The largest sum must fit 32 bits.
        size: Side of the square window in pixels.

    Returns:
        (Height − size + 1) × (width − size + 1) × channels.
    """
    return _run_sums(_run_sums(values, size, 0), size, 1)


def _run_sums(values: npt.NDArray[np.int32], size: int, axis: int) -> npt.NDArray[np.int32]:
    """Sum ``size`` neighbours along an axis by adding runs of 1, 2, 4 … of them, which takes log2(size) passes."""
    count = values.shape[axis] - size + 1
    total = None
    run, length, start = values, 1, 0
    while True:
        if size & length:
            part = _slice(run, start, count, axis)
            total = part if total is None else total + part
            start += length
        if length * 2 > size:
            return values[:0] if total is None else total
        shorter = run.shape[axis] - length
        run = _slice(run, 0, shorter, axis) + _slice(run, length, shorter, axis)
        length *= 2


def _slice(values: npt.NDArray[np.int32], start: int, count: int, axis: int) -> npt.NDArray[np.int32]:
    return values[start : start + count] if axis == 0 else values[:, start : start + count]
