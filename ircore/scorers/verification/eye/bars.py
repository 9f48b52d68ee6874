"""Bars: areas of one colour along the axis of values, measured from base to end in the figure's own axis."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from ircore.core.drawing import Scale
from ircore.core.records import Box, Element
from ircore.scorers.verification.eye.regions import ONE_COLOUR, find_shades
from ircore.scorers.verification.eye.view import (
    EyeView,
    Floats,
    clip_box,
    cut_window,
    find_commonest_colour,
    find_runs,
    format_rgb,
    measure_lab_distance,
    parse_lab,
)

APART = 8.0
"""Distance in L*a*b* by which a bar differs from what it stands on."""
LEAST_SHARE = 0.08
"""Share of a bar's box that is not ground, from which on there is a bar."""
SOFT = 9
"""Pixels within which the border of a bar lies."""
GAP = 24
"""Pixels: a label on a bar may interrupt it."""


@dataclass(frozen=True)
class SeenBar:
    """A bar as seen.

    Attributes:
        colour: #rrggbb.
        low: Where it begins along the axis of values, in pixels, from the top or left.
        high: Where it ends.

    Example:
        >>> bar = SeenBar("#1d4ed8", low=0.0, high=0.75)
        >>> bar.high - bar.low
        0.75
    """

    colour: str
    low: float
    high: float


def find_surface_colour(view: EyeView, boxes: list[Box]) -> Floats:
    """Return the commonest colour between bars, L*a*b*.

    Args:
        view: The rendering over its target.
        boxes: Of the target's bars; the surface is looked for within their common box, one bar wider.
    """
    area = Box(
        min(box.left for box in boxes), min(box.top for box in boxes),
        max(box.right for box in boxes), max(box.bottom for box in boxes),
    )  # fmt: skip
    height, width = view.lab.shape[:2]
    area = clip_box(area, height, width)
    free = np.ones((height, width), bool)
    free[view.texts] = False
    for box in boxes:
        cut_window(free, Box(box.left - 2, box.top - 2, box.right + 2, box.bottom + 2))[...] = False
    mask = cut_window(free, area)
    if mask.sum() < 50:
        return view.background
    return find_commonest_colour(cut_window(view.lab, area)[mask])


def find_bar(view: EyeView, element: Element, surface: Floats, roughness: float = 0.0) -> SeenBar | None:
    """Look for a bar about its expected place; None if no bar is seen there."""
    lying = element.parameters["orientation"] == "horizontal"
    lab, rgb, texts = (_turn_upright(array, lying) for array in (view.lab, view.rgb, view.texts))
    box = Box(element.box.top, element.box.left, element.box.bottom, element.box.right) if lying else element.box
    thick = box.right - box.left
    # The inner three fifths: the rims are soft, and an outline or a bar beside may lie on them.
    core = Box(round(box.left + 0.2 * thick), box.top, max(round(box.right - 0.2 * thick), box.left + 1), box.bottom)
    core = clip_box(core, *lab.shape[:2])
    if core.right <= core.left or core.bottom <= core.top:
        return None
    inside, free = cut_window(lab, core), ~cut_window(texts, core)
    # A label covers nearly all of a short bar: then its pixels must do.
    if free.sum() < 0.2 * free.size:
        free[...] = True
    is_bar = (measure_lab_distance(inside, surface) > APART) & free
    if is_bar.sum() < LEAST_SHARE * free.sum():
        return None
    colour = find_commonest_colour(inside[is_bar])
    apart = float(measure_lab_distance(colour, surface))
    rivals = [float(measure_lab_distance(colour, rival)) for rival in _list_bar_colours(view)]
    # A rival within 9 is the bar's own colour, as seen.
    nearest = min((rival for rival in rivals if rival > 9.0), default=apart)
    # What compression does to a colour must not end a bar, even where another bar has a colour near it.
    limit = min(13.0 + 30 * roughness, max(5.0 + 60 * roughness, 0.5 * min(apart, nearest)))
    column = lab[:, core.left : core.right]
    own_distance = measure_lab_distance(column, colour)
    own = own_distance < limit
    for rival in (surface, *_list_bar_colours(view)):
        # A bar ends where the ground or another bar on top of it is nearer, however rough the picture.
        if float(measure_lab_distance(colour, rival)) > 9.0:
            own &= own_distance <= measure_lab_distance(column, rival)
    drawn = is_bar & ~np.any([measure_lab_distance(inside, rival) < APART for rival in _list_bar_colours(view)
                              if float(measure_lab_distance(colour, rival)) > 9.0] or
                              [np.zeros_like(is_bar)], axis=0)  # fmt: skip
    if (own[core.top : core.bottom] & drawn).sum() < ONE_COLOUR * drawn.sum():
        shaded = find_shades(column, colour) & (measure_lab_distance(column, surface) > max(APART, 0.35 * apart))
        shaded = ndimage.binary_closing(own | shaded, iterations=2, border_value=0)
        own_distance = np.where(shaded, np.minimum(own_distance, 1.0), own_distance)
        own |= shaded
    ends = _find_longest_run(own.mean(axis=1), texts[:, core.left : core.right].any(axis=1), core)
    if ends is None:
        return None
    members = own[core.top : core.bottom] & free
    shown = cut_window(rgb, core)[members] if members.sum() >= 3 else cut_window(rgb, core)[is_bar]
    # The median across the bar, so that letters and lines that cross it hardly count.
    profile = np.median(own_distance, axis=1)
    # The lower end is sought in the mirrored profile, so that both ends are measured alike.
    low, high = _find_edge(profile[::-1], len(profile) - ends[0]), _find_edge(profile, ends[1])
    return SeenBar(format_rgb(np.median(shown, axis=0)), len(profile) - low, high)


def _find_edge(profile: Floats, end: float) -> float:
    """Return where a bar ends, in pixels: half way from the bar's colour to the colour beyond, also at a soft border.

    The profile is the distance from the bar's colour, pixel by pixel, towards the end, which is about at ``end``.
    """
    start = max(0, round(end) - 2)
    near = profile[start : start + SOFT]
    if len(near) < 3:
        return end
    half = 0.5 * float(near.max())
    beyond = np.flatnonzero(near >= half)
    first = int(beyond[0]) if len(beyond) else 0
    if first == 0:
        return end
    rise = float(near[first] - near[first - 1])
    part = (half - float(near[first - 1])) / rise if rise > 0 else 0.5
    return round(start + first - 0.5 + part, 2)


def _list_bar_colours(view: EyeView) -> list[Floats]:
    """Return the colours of the target's bars, L*a*b*."""
    colours = {element.colour for element in view.scene.elements if element.type == "bar" and element.colour}
    return [parse_lab(colour) for colour in sorted(colours)]


def _turn_upright(array: Any, lying: bool) -> Any:
    """Return an array in which bars stand upright."""
    return array.swapaxes(0, 1) if lying else array


def _find_longest_run(shares: Floats, written: npt.NDArray[np.bool_], core: Box) -> tuple[float, float] | None:
    """Return start and end of the longest run of a bar's colour that meets the bar's place, in pixels."""
    joined: list[list[int]] = []
    for start, end in find_runs(shares >= 0.5):
        # Small letters on the ground, blurred, have the colour of a grey bar: what lies in writing alone is no bar.
        is_beside = end <= core.top or start >= core.bottom
        if (joined or is_beside) and written[start:end].all():
            continue
        if joined and start - joined[-1][1] <= (GAP if written[joined[-1][1] : start].mean() > 0.6 else 3):
            joined[-1][1] = end
        else:
            joined.append([start, end])
    meeting = [run for run in joined if run[0] < core.bottom and run[1] > core.top]
    if not meeting:
        return None
    start, end = max(meeting, key=lambda run: min(run[1], core.bottom) - max(run[0], core.top))
    return float(start), float(end)


def compute_value(bar: SeenBar, element: Element, scale: Scale) -> float:
    """Return the value that a bar shows, from its base to its end.

    Args:
        bar: As seen.
        element: The bar in the target: which way it goes from its base.
        scale: Where values lie in the rendering.
    """
    ends = sorted((scale.value(bar.low), scale.value(bar.high)))
    size = ends[1] - ends[0]
    if float(element.parameters["value"]) >= 0:  # type: ignore[arg-type]
        return round(size, 4)
    return round(-size, 4)
