"""Taking metrics by name and applying them: the result is a value, or the reason why the metric has no value."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, get_args

import numpy as np
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
from ircore.scorers.metrics.base import Metric, MetricUnavailableError
from ircore.scorers.metrics.pairs import refuse_tiny

LOADINGS: tuple[Loading, ...] = get_args(Loading)


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
