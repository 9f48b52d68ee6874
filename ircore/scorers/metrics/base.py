"""What an image metric is, how metrics are taken by name and applied, and what several metrics share.

A measurement is a value, or the reason why the metric has no value. Metrics that compare two pictures bring them to
equal size and sum over sliding windows; metrics of two sets of pictures take the Fréchet distance between features from
any network, as in FID.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import exp
from pathlib import Path
from typing import Literal, NamedTuple, TypeVar, get_args

import numpy as np
import numpy.typing as npt
from PIL import Image

from ircore.core.errors import InputError, WorkError
from ircore.core.images import (
    BACKDROP,
    Loading,
    Pixels,
    decode_stored_pixels,
    decode_viewed_pixels,
    read_picture,
    read_stored_pixels,
)
from ircore.core.plugins import (
    BrokenPluginError,
    check_finite,
    convert_plugin_errors,
    list_available,
    list_unused,
    load_plugin,
)

Over = Literal["pair", "set"]
"""A metric of one pair of pictures, or of two sets of pictures."""

LOADINGS: tuple[Loading, ...] = get_args(Loading)

SMALLEST_SIDE = 11
"""Pixels: the window of SSIM; smaller pictures hold no whole window."""

T = TypeVar("T", np.int32, np.float64)

_last: tuple[Pixels, Pixels, Pixels] | None = None
"""Target, image and resized image of the last call: metrics of one pair follow upon each other."""

FEWEST = 2
"""Features a set must have for a covariance."""

SCALE = 60.0
"""FID at which the score falls to 1/e."""


class MetricUnavailableError(Exception):
    """The metric has no value for these pictures, or a package or file is missing; the text says why.

    Example:
        >>> raise MetricUnavailableError("identical pictures")
        Traceback (most recent call last):
            ...
        ircore.scorers.metrics.base.MetricUnavailableError: identical pictures
    """


def report_no_obstacle() -> str | None:
    """Return None: the metric needs only the package itself."""
    return None


@dataclass(frozen=True)
class Metric:
    """A named image metric.

    Attributes:
        name: As in ``--metric`` and in scores.
        title: For tables.
        unit: Such as ``"dB"``; empty if it has none.
        higher_is_better: Direction.
        low: Smallest possible value; None if unbounded.
        high: Largest possible value; None if unbounded.
        source: Where the formula comes from.
        compute: Takes target and image, both height × width × 3 RGB 0–255, not necessarily of one size; raises
            ``MetricUnavailableError`` where it has no value.
        version: Of the definition and of the code; another one whenever a value may differ. Recorded with every value,
            so that values of an older version are computed again.
        over: ``pair``, or ``set`` for a metric that has no value for two pictures alone.
        reference: Whether it looks at the target at all.
        needs: What it needs beyond the package, for people, such as ``"extra clip, IRCORE_CLIP_MODEL"``; empty if
            nothing. What needs something is computed only where it is asked for by name.
        obstacle: Returns the reason why it cannot be computed here, such as missing weights; None if it can.
        trap: What is easily misread about its values; empty if nothing is.
        weights: Returns which weights it computes with, to be recorded beside the version; None if it has none.

    Example:
        >>> import numpy as np
        >>> def largest(target, image):
        ...     return float(np.abs(target.astype(int) - image).max())
        >>> metric = Metric(
        ...     "largest", "Largest difference", "", False, low=0, high=255, source="by hand", compute=largest
        ... )
        >>> metric.compute(np.zeros((2, 2, 3), np.uint8), np.full((2, 2, 3), 9, np.uint8))
        9.0
    """

    name: str
    title: str
    unit: str
    higher_is_better: bool
    low: float | None
    high: float | None
    source: str
    compute: Callable[[Pixels, Pixels], float]
    version: str = "1"
    over: Over = "pair"
    reference: bool = True
    needs: str = ""
    obstacle: Callable[[], str | None] = report_no_obstacle
    trap: str = ""
    weights: Callable[[], str | None] = report_no_obstacle

    @property
    def full_version(self) -> str:
        """Version of the definition and, if there are weights, which: the version that is recorded with a value."""
        weights = self.weights()
        return self.version if weights is None else f"{self.version}, {weights}"


def load_pixels(image: "str | Path | Image.Image", loading: Loading) -> Pixels:
    """Return the pixels of a file or of an opened picture.

    Args:
        image: A path, or a PIL image.
        loading: How it is read.

    Returns:
        Height × width × 3 RGB, 0–255.

    Raises:
        ImageError: The file is missing, unreadable or not a usable picture.
    """
    if isinstance(image, Image.Image):
        return decode_stored_pixels(image) if loading == "upstream" else decode_viewed_pixels(image)
    return read_stored_pixels(Path(image)) if loading == "upstream" else read_picture(Path(image)).pixels


def fit_into(target: Pixels, image: Pixels) -> Pixels:
    """Return ``image`` in a frame of the target's size: bicubic, proportions kept, centred, the rest white.

    Args:
        target: Its size is the frame's.
        image: Height × width × 3 RGB, 0–255; returned as it is if its size is the target's.
    """
    (height, width), (tall, wide) = target.shape[:2], image.shape[:2]
    # Resampling at the same size would still change values, and identical pictures must stay identical.
    if (height, width) == (tall, wide):
        return image
    scale = min(height / tall, width / wide)
    # A strip of 2000 × 1 pixels would else be scaled to a height of 0.
    size = (max(1, round(wide * scale)), max(1, round(tall * scale)))
    frame = Image.new("RGB", (width, height), BACKDROP)
    scaled = Image.fromarray(image).resize(size, Image.Resampling.BICUBIC)
    frame.paste(scaled, ((width - size[0]) // 2, (height - size[1]) // 2))
    return np.asarray(frame)


@dataclass(frozen=True)
class Measurement:
    """Value of one metric for one pair of pictures."""

    value: float | None
    """Value in the metric's unit; None if there is none."""

    reason: str | None
    """Reason why there is no value; None if there is a value."""

    version: str | None = None
    """Version of the metric, with the weights that it computed with; None if it could not be loaded."""

    loading: Loading = "upstream"
    """How the pictures were loaded and brought to one size."""


class MetricKey(NamedTuple):
    """A metric with a way of loading; written ``ssim`` for upstream, ``ssim.native`` for native.

    Example:
        >>> str(MetricKey("ssim", "native"))
        'ssim.native'
    """

    name: str
    loading: Loading = "upstream"

    def __str__(self) -> str:
        """Return the key as written in scores and column names."""
        return self.name if self.loading == "upstream" else f"{self.name}.{self.loading}"

    @classmethod
    def parse(cls, text: str) -> "MetricKey":
        """Return the key of a text such as ``"ssim.native"``; any other dot belongs to the name."""
        # Only the two known endings are split off, so that a plug-in may be called "acme.sharpness".
        for loading in LOADINGS:
            if text.endswith(f".{loading}"):
                return cls(text.removesuffix(f".{loading}"), loading)
        return cls(text)


def load_metrics(names: Sequence[str] = ()) -> tuple[dict[str, Metric], dict[str, str]]:
    """Load metrics.

    Args:
        names: Their names or keys (``ssim.native``); all that need nothing beyond the package if empty.

    Returns:
        The metrics by name or key, in the order asked for, and for each that cannot be
        loaded or computed here the reason.

    Raises:
        InputError: There is no metric of that name; the message names the nearest one.
    """
    metrics: dict[str, Metric] = {}
    lacking: dict[str, str] = {}
    for name in dict.fromkeys(names or list_available("metrics")):
        try:
            metric: Metric = load_plugin("metrics", MetricKey.parse(name).name)
        except BrokenPluginError as error:
            lacking[name] = error.problem
            continue
        # Metrics with needs are left out below where none was named, so their obstacles need not be looked for.
        reason = find_obstacle(metric) if names else None
        if reason is not None:
            lacking[name] = reason
        elif names or not metric.needs:
            metrics[name] = metric
    return metrics, lacking


def find_obstacle(metric: Metric) -> str | None:
    """Return the reason why a metric cannot be computed here; None if it can."""
    try:
        with convert_plugin_errors(f"metric {metric.name!r}"):
            return metric.obstacle()
    except WorkError as error:
        return error.problem


def list_installed_metrics() -> tuple[dict[str, Metric], dict[str, str]]:
    """Return the installed metrics by name, and for each that cannot be used the reason."""
    metrics: dict[str, Metric] = {}
    broken = {plugin.label: plugin.reason for plugin in list_unused("metrics")}
    for name in list_available("metrics"):
        try:
            metrics[name] = load_plugin("metrics", name)
        except BrokenPluginError as error:
            broken[name] = error.problem
    return metrics, broken


def find_metric_version(key: str) -> str | None:
    """Return the version of a metric, by name or key; None if the metric is not installed or cannot be loaded."""
    name = MetricKey.parse(key).name
    if name not in list_available("metrics"):
        return None
    try:
        metric: Metric = load_plugin("metrics", name)
        with convert_plugin_errors(f"metric {name!r}"):
            return metric.full_version
    except InputError:
        return None


def measure(metric: Metric, target: Pixels, image: Pixels, loading: Loading = "upstream") -> Measurement:
    """Apply a metric.

    Args:
        metric: Which.
        target: Height × width × 3 RGB, 0–255.
        image: The same, not necessarily of that size.
        loading: ``upstream`` squashes the image to the target's size where the metric needs both alike, ``native`` fits
            it in with its proportions. The pixels must have been loaded in this way, see ``loading.load_pixels``.
    """
    version = None
    try:
        with convert_plugin_errors(f"metric {metric.name!r}", MetricUnavailableError):
            version = metric.full_version
            if loading == "native" and metric.reference:
                refuse_tiny(target, image)  # fitted into a frame, a single pixel would pass for a picture
                image = fit_into(target, image)
            return Measurement(check_finite(metric.compute(target, image)), None, version, loading)
    except MetricUnavailableError as error:
        return Measurement(None, str(error), version, loading)
    # Its fault is no reason to lose the values of other metrics.
    except WorkError as error:
        return Measurement(None, error.problem, version, loading)


def refuse_tiny(*pictures: Pixels) -> None:
    """Raise ``MetricUnavailableError`` if a picture has a side of fewer than ``SMALLEST_SIDE`` pixels."""
    for pixels in pictures:
        height, width = pixels.shape[:2]
        if min(height, width) < SMALLEST_SIDE:
            raise MetricUnavailableError(f"{width} × {height} pixels: smaller than {SMALLEST_SIDE} pixels a side")


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


def compute_frechet_distance(first: npt.ArrayLike, second: npt.ArrayLike) -> float:
    """Return the squared Fréchet distance between Gaussians fitted to two sets of features.

    ‖μ₁ − μ₂‖² + tr(Σ₁ + Σ₂ − 2(Σ₁Σ₂)^½), covariances with divisor n − 1 (Heusel et al. 2017, eq. 6; Dowson and Landau
    1982). The trace of the root is the sum of the roots of the eigenvalues of Σ₁Σ₂, which are never negative; what
    rounding makes of zero is cut off.

    Args:
        first: Shape (pictures, features), at least two pictures.
        second: The same number of features.

    Returns:
        0 or more; 0 for equal means and covariances.

    Raises:
        ValueError: A set has fewer than two pictures, or the numbers of features differ.
    """
    x, y = (np.asarray(features, np.float64) for features in (first, second))
    if x.ndim != 2 or y.ndim != 2 or min(len(x), len(y)) < FEWEST or x.shape[1] != y.shape[1]:
        raise ValueError("two sets of at least two pictures each, with the same features, are needed")
    difference = x.mean(axis=0) - y.mean(axis=0)
    # With centred X and Y, (Σ₁Σ₂)^½ has the trace of the singular values of X Yᵀ: no root of a large matrix is taken.
    centred_x, centred_y = ((f - f.mean(axis=0)) / np.sqrt(len(f) - 1) for f in (x, y))
    shared = np.linalg.svd(centred_x @ centred_y.T, compute_uv=False).sum()
    spread = (centred_x**2).sum() + (centred_y**2).sum() - 2 * shared
    return float(max(difference @ difference + spread, 0.0))


def normalise_distance(distance: float) -> float:
    """Return exp(−distance / 60), 0–1; 1 for a distance of 0."""
    return min(max(exp(-distance / SCALE), 0.0), 1.0)


def score_jigsaw_set(references: npt.ArrayLike, generated: npt.ArrayLike) -> float:
    """Return GIR-Bench's score: one FID over the whole set, normalised.

    It does not know which picture belongs to which, so a set in which all pictures are exchanged is perfect.

    Args:
        references: Features of the originals, shape (pictures, features): 2048 of the Inception network, of pictures
            squashed to 512 × 512 (``metrics.fid``).
        generated: The same of the answers.
    """
    return normalise_distance(compute_frechet_distance(references, generated))


def score_each_jigsaw(references: npt.ArrayLike, generated: npt.ArrayLike) -> tuple[float, ...]:
    """Return the score of each picture against its own original: the same distance of two points, normalised.

    The Gaussian of a single picture has no spread, so that the distance is ‖f₁ − f₂‖².

    Args:
        references: Features of the originals, shape (pictures, features).
        generated: Features of the answers in the same order.

    Returns:
        0–1 each; their mean is the corrected score of the set.

    Raises:
        ValueError: The shapes differ.
    """
    originals, answers = (np.asarray(features, np.float64) for features in (references, generated))
    if originals.shape != answers.shape:
        raise ValueError("as many answers as originals, with the same features, are needed")
    return tuple(normalise_distance(float(distance)) for distance in ((originals - answers) ** 2).sum(axis=1))


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
