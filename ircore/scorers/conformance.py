"""Check that judges and metrics keep the contracts of their rooms, ``judges.base`` and ``metrics.base``."""

from collections.abc import Callable
from functools import partial
from itertools import product
from math import isfinite
from typing import Any, get_args

from ircore.core.conformance import ConformanceError, expect, sample_pictures, watch_outside_calls
from ircore.core.images import Picture
from ircore.core.score_records import JudgeKind
from ircore.scorers.judges.base import BOTH_TASKS, Judge, Judgement, list_tasks
from ircore.scorers.metrics.base import Metric, MetricUnavailableError


def check_metric(metric: object) -> None:
    """Check a metric: declaration, range, renderings of other sizes, and that the metric only computes.

    Args:
        metric: What its entry point names.

    Raises:
        ConformanceError: The first fault.
    """
    if not isinstance(metric, Metric):
        raise ConformanceError(f"metric: {type(metric).__name__} is no ircore.scorers.metrics.base.Metric")
    where = f"metric {metric.name}"
    for field in ("name", "title", "source", "version"):
        expect(bool(getattr(metric, field)), f"{where}: {field} is empty")
    if metric.low is not None and metric.high is not None:
        expect(metric.low < metric.high, f"{where}: low is not below high")
    # Four times as large, so that metrics that need a least number of pixels have a value for some pair.
    pairs = tuple(product(sample_pictures(scale=4), repeat=2))
    values = [_compute_metric_value(metric, target, image, where) for target, image in pairs]
    expect(any(value is not None for value in values), f"{where}: has no value for any of {len(pairs)} pairs")
    # The second round alone is watched: the first may read the metric's own files, such as a model that is then kept.
    with watch_outside_calls() as calls:
        again = [_compute_metric_value(metric, target, image, where) for target, image in pairs]
    expect(not calls, f"{where}: {calls[0] if calls else ''}: compute from the pixels alone")
    expect(values == again, f"{where}: two computations of the same pair differ")


def check_judge(judge: Any) -> None:
    """Check a judge: declaration, ranges, reasons, renderings of other sizes, and equal answers when asked again.

    A computed judge must also prefer the same rendering whichever is shown first.

    Args:
        judge: The judge, made.

    Raises:
        ConformanceError: The first fault.
    """
    where = f"judge {getattr(judge, 'name', type(judge).__name__)}"
    for field in ("name", "label", "kind"):
        expect(bool(getattr(judge, field, None)), f"{where}: {field} is missing")
    expect(
        judge.kind in get_args(JudgeKind), f"{where}: kind is {judge.kind!r}, not {' or '.join(get_args(JudgeKind))}"
    )
    tasks = list_tasks(judge)
    expect(bool(tasks) and tasks <= BOTH_TASKS, f"{where}: tasks are {sorted(tasks)}, not {sorted(BOTH_TASKS)}")
    if "similarity" in tasks:
        _check_ratings(judge, where)
    if "preference" in tasks:
        _check_preferences(judge, where)


def _compute_metric_value(metric: Metric, target: Picture, image: Picture, where: str) -> float | None:
    """Return a metric's value of a pair of pictures; None where the metric gives a reason instead."""
    # Copies, so that a metric that writes into its arguments is found out below.
    pixels, image_pixels = target.pixels.copy(), image.pixels.copy()
    sizes = f"{target.width}×{target.height} and {image.width}×{image.height} px"
    try:
        value = metric.compute(pixels, image_pixels)
    except MetricUnavailableError as unavailable:
        expect(bool(str(unavailable)), f"{where}: says that it has no value, and not why")
        return None
    except Exception as error:
        raise ConformanceError(f"{where}: {type(error).__name__} on pictures of {sizes}: {error}") from error
    unchanged = bool((pixels == target.pixels).all() and (image_pixels == image.pixels).all())
    expect(unchanged, f"{where}: changes the pixels that it is given")
    _check_within(value, metric.low, metric.high, where)
    return float(value)


def _check_ratings(judge: Judge, where: str) -> None:
    pictures = sample_pictures()
    rated = {
        (a, b): _ask_twice(partial(judge.rate, pictures[a], pictures[b]), f"{where}: rate", where)
        for a, b in product(range(len(pictures)), repeat=2)
    }
    for (target, _), judgement in rated.items():
        if judgement.value is not None:
            _check_within(judgement.value, 0, 10, f"{where}: rate")
            same = rated[target, target].value
            expect(
                # "At least", not "more": a judge may see no difference between two pictures.
                same is None or same >= judgement.value,
                f"{where}: rate: gives another picture more than the target itself",
            )


def _check_preferences(judge: Judge, where: str) -> None:
    target, *renderings = sample_pictures()
    for first, final in product((target, *renderings), repeat=2):
        chosen = _ask_twice(partial(judge.prefer, target, first, final), f"{where}: prefer", where)
        if chosen.value is None:
            continue
        expect(chosen.value in (0, 0.5, 1), f"{where}: prefer: the value {chosen.value:g} is none of 0, 0.5, 1")
        # A model may be drawn to the picture that is shown first; a computation has no such excuse.
        if judge.kind == "computed":
            turned = judge.prefer(target, final, first).value
            expect(turned == 1 - chosen.value, f"{where}: prefer: depends on which rendering is shown first")


def _ask_twice(ask: Callable[[], Judgement], method: str, where: str) -> Judgement:
    """Return a judgement that has a value or a reason, and is the same when asked again."""
    try:
        judgement, again = ask(), ask()
    except Exception as error:
        raise ConformanceError(f"{method}: raises {type(error).__name__}: {error}") from error
    expect(isinstance(judgement, Judgement), f"{method}: returns a {type(judgement).__name__}, not a Judgement")
    expect(
        (judgement.value is None) == bool(judgement.reason),
        f"{method}: give either a value or a reason why there is none",
    )
    expect(judgement == again, f"{where}: judges the same pictures differently the second time")
    return judgement


def _check_within(value: Any, low: float | None, high: float | None, where: str) -> None:
    # NumPy's numbers, such as float32, are neither int nor float.
    expect(isinstance(value, int | float) or hasattr(value, "__float__"), f"{where}: {value!r} is no number")
    expect(isfinite(value), f"{where}: the value is {value}: say why there is none instead")
    expect(low is None or value >= low, f"{where}: the value {value:g} is below its low of {low}")
    expect(high is None or value <= high, f"{where}: the value {value:g} is above its high of {high}")
