"""Looking for bars and pies.

A bar is an area of one colour along the axis of values, measured from base to end in the figure's own axis. A pie's
circle is fitted to its rim, then read in rings about its middle, degree by degree.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import ndimage
from scipy.optimize import linear_sum_assignment

from ircore.core.drawing import AxisScale
from ircore.core.records import Box, Element
from ircore.scorers.verification.eye.regions import ONE_COLOUR, find_shades
from ircore.scorers.verification.eye.strokes import sample_colours
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

BAR_APART = 8.0
"""Distance in L*a*b* by which a bar differs from what it stands on."""
LEAST_SHARE = 0.08
"""Share of a bar's box that is not ground, from which on there is a bar."""
SOFT = 9
"""Pixels within which the border of a bar lies."""
GAP = 24
"""Pixels: a label on a bar may interrupt it."""

TURNS = 720
"""Directions in which a pie is read."""
APART = 7.0
"""Distance in L*a*b* between a wedge and the ground, or the wedge beside it."""
HATCHED = 15.0
"""Distance in L*a*b*, by channels, by which the pixels along most directions differ where wedges are hatched."""
LEAST_FREE = 3
"""Places of a direction beside labels, at least, for its colour to be told by them alone."""
THIN = 2.5
"""Degrees: what is thinner is an edge line."""

ROUND = 0.6
"""Share of its directions in which a circle is the rim of a pie; pulled-out wedges and labels interrupt it."""
FLAT, STEEP = 0.94, 0.35
"""Ratios of height and width of a pie between which it is seen tilted."""


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
    is_bar = (measure_lab_distance(inside, surface) > BAR_APART) & free
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
    drawn = is_bar & ~np.any([measure_lab_distance(inside, rival) < BAR_APART for rival in _list_bar_colours(view)
                              if float(measure_lab_distance(colour, rival)) > 9.0] or
                              [np.zeros_like(is_bar)], axis=0)  # fmt: skip
    if (own[core.top : core.bottom] & drawn).sum() < ONE_COLOUR * drawn.sum():
        shaded = find_shades(column, colour) & (measure_lab_distance(column, surface) > max(BAR_APART, 0.35 * apart))
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


def compute_value(bar: SeenBar, element: Element, scale: AxisScale) -> float:
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


@dataclass(frozen=True)
class Disc:
    """The pie as a whole: middle and radius in pixels, the hole as a share of the radius."""

    x: float
    y: float
    radius: float
    hole: float


@dataclass(frozen=True)
class Sector:
    """A wedge as seen: colour, first direction and width in degrees clockwise from 3 o'clock, reach outwards.

    Example:
        >>> Sector("#d62828", start=-90.0, sweep=90.0, reach=1.0).middle
        315.0
    """

    colour: str
    start: float
    sweep: float
    reach: float

    @property
    def middle(self) -> float:
        """Direction of the wedge's middle in degrees, 0–360."""
        return (self.start + self.sweep / 2) % 360


def find_disc(view: EyeView, wedges: Sequence[Element]) -> Disc | None:
    """Fit a circle to the rim of the pie; None if no circle fits."""
    about = next((wedge for wedge in wedges if not wedge.parameters["exploded"]), wedges[0]).parameters
    x, y = (float(part) for part in about["centre"])  # type: ignore[union-attr, arg-type]
    radius, hole = float(about["radius"]), float(about["hole"])  # type: ignore[arg-type]
    for _ in range(2):
        rim = _fit_rim(view, x, y, radius, max(0.55, 0.6 + 0.4 * hole / radius if hole else 0.0))
        if rim is None:
            return None
        x, y, radius = rim
    return Disc(round(x, 2), round(y, 2), round(radius, 2), _measure_hole(view, x, y, radius))


def is_round(view: EyeView, disc: Disc) -> bool:
    """Return whether a circle is the rim of what is drawn there: whether the ground begins beyond it, mostly."""
    rays = _sample_rays(view, disc.x, disc.y, np.array([0.94, 1.07], np.float32) * disc.radius)
    ground = measure_lab_distance(rays, view.background) < APART
    return bool((~ground[:, 0] & ground[:, 1]).mean() > ROUND)


def untilt_pie(view: EyeView, wedges: Sequence[Element]) -> tuple[EyeView, Disc] | None:
    """Return the view in which a tilted pie, with or without a wall below, is round; None if it is not tilted.

    The upper half of the rim shows no wall: with the widest place of the pie it gives the ellipse of the pie's face.
    """
    about = wedges[0].parameters
    x, y = (float(part) for part in about["centre"])  # type: ignore[union-attr, arg-type]
    radius = float(about["radius"])  # type: ignore[arg-type]
    height, width = view.lab.shape[:2]
    drawn = (measure_lab_distance(view.lab, view.background) >= APART) & ~view.texts
    parts, _ = ndimage.label(ndimage.binary_opening(drawn, iterations=2))
    number = parts[min(max(round(y), 0), height - 1), min(max(round(x), 0), width - 1)]
    if not number:
        return None
    # Holes that writing leaves are part of the pie.
    pie = ndimage.binary_closing(parts == number, iterations=6)
    columns = np.flatnonzero(pie.any(axis=0))
    left, right = float(columns[0]), float(columns[-1] + 1)
    x, half = (left + right) / 2, (right - left) / 2
    if not 0.5 * radius < half < 1.6 * radius:
        return None
    at = np.arange(round(x - 0.85 * half), round(x + 0.85 * half))
    at = at[(at >= 0) & (at < width)]
    at = at[pie[:, at].any(axis=0)]
    tops = pie[:, at].argmax(axis=0).astype(float)
    arch = np.sqrt(np.maximum(0.0, 1 - ((at + 0.5 - x) / half) ** 2))
    (middle, high), *_ = np.linalg.lstsq(np.column_stack([np.ones(len(at)), -arch]), tops, rcond=None)
    off = float(np.median(np.abs(middle - high * arch - tops)))
    if not STEEP < high / half < FLAT or off > 0.03 * half:
        return None
    rows = middle + (np.arange(height) + 0.5 - middle) * high / half
    near = np.clip(np.floor(rows).astype(int), 0, height - 1)
    return EyeView(view.pixels[near], view.scene), Disc(round(x, 2), round(middle, 2), round(half, 2), 0.0)


def find_sectors(view: EyeView, disc: Disc, hole: float, roughness: float = 0.0) -> list[Sector]:
    """Read the pie degree by degree and return its wedges, clockwise.

    Args:
        view: The rendering over its target.
        disc: Where the pie is.
        hole: Share of the radius that is hole in the target; the rendering's own counts, too.
        roughness: Of the rendering, 0–1.
    """
    inner = max(hole, disc.hole, 0.25)
    shares = np.linspace(inner + 0.3 * (1 - inner), 0.93, 9, dtype=np.float32)
    rays = _sample_rays(view, disc.x, disc.y, shares * disc.radius, TURNS)
    colours = _take_median_beside_texts(view, disc, shares, rays)
    spread = np.median(np.abs(rays - colours[:, None]).sum(axis=2).max(axis=1))
    is_hatched = bool(spread > HATCHED)
    if is_hatched:
        # Lines of a hatching run along some of the directions: those beside show the face between the lines.
        colours = np.median(np.concatenate([np.roll(rays, by, axis=0) for by in range(-6, 7)], axis=1), axis=1)
    # Where wedges of one colour lie side by side, a line between them is their border.
    segments = _find_segments(colours, roughness, is_hatched)
    sectors = [_build_sector(view, disc, colours, *segment) for segment in segments]
    # Where the ground shows, a wedge is missing.
    return [
        sector for sector in sectors if float(measure_lab_distance(parse_lab(sector.colour), view.background)) >= APART
    ]


def assign_wedges(
    wedges: Sequence[Element], sectors: Sequence[Sector], apart: npt.NDArray[np.float64]
) -> dict[int, int]:
    """Assign the wedges to the best-suited sectors by direction, width and colour (an optimal assignment).

    Args:
        wedges: Of the target.
        sectors: Seen.
        apart: wedges × sectors, ΔE2000 of their colours.

    Returns:
        Position of the sector by position of the wedge; wedges without one are left out.
    """
    costs = np.zeros((len(wedges), len(sectors)))
    for row, wedge in enumerate(wedges):
        share, start = (float(wedge.parameters[key]) for key in ("share", "start"))  # type: ignore[arg-type]
        for column, sector in enumerate(sectors):
            turn = abs((sector.middle - start - 1.8 * share + 180) % 360 - 180)
            costs[row, column] = turn / 20 + abs(sector.sweep / 3.6 - share) / 8 + min(apart[row, column], 40) / 20
    rows, columns = linear_sum_assignment(costs)
    return {int(row): int(column) for row, column in zip(rows, columns, strict=True)}


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


def _sample_rays(view: EyeView, x: float, y: float, reaches: Floats, turns: int = 180) -> Floats:
    """Return colours along rays: directions × reaches × 3, L*a*b*."""
    angles = np.arange(turns) * (2 * math.pi / turns)
    points = np.stack(
        [x + reaches[None, :] * np.cos(angles)[:, None], y + reaches[None, :] * np.sin(angles)[:, None]], axis=-1
    )
    return sample_colours(view.lab, points.astype(np.float32))


def _fit_rim(view: EyeView, x: float, y: float, radius: float, inner: float) -> tuple[float, float, float] | None:
    """Fit a circle to where the ground begins, looked for from ``inner`` (a share of the radius) outwards."""
    reaches = np.arange(inner * radius, 1.35 * radius, 1.0, dtype=np.float32)
    rays = _sample_rays(view, x, y, reaches)
    ground = measure_lab_distance(rays, view.background) < APART
    # The rim is where ground begins and goes on for some pixels.
    quiet = ndimage.uniform_filter1d(ground.astype(np.float32), 5, axis=1, origin=-2) > 0.99
    first = quiet.argmax(axis=1)
    usable = quiet.any(axis=1) & (first > 0)
    if usable.mean() < 0.4:
        return None
    angles = np.arange(len(rays)) * (2 * math.pi / len(rays))
    rim = reaches[first]
    keep = usable.copy()
    for _ in range(3):
        # x, y and radius by least squares: for small moves, reach = radius + dx cos + dy sin.
        matrix = np.column_stack([np.cos(angles[keep]), np.sin(angles[keep]), np.ones(int(keep.sum()))])
        solution = np.linalg.lstsq(matrix, rim[keep], rcond=None)[0]
        residual = np.abs(np.cos(angles) * solution[0] + np.sin(angles) * solution[1] + solution[2] - rim)
        limit = max(2.0, 2.0 * float(np.median(residual[keep])))
        closer = usable & (residual < limit)
        if closer.sum() < 0.25 * len(rays):
            break
        keep = closer
    moved, size = math.hypot(float(solution[0]), float(solution[1])), float(solution[2])
    if not 0.6 * radius < size < 1.5 * radius or moved > 0.35 * radius:
        return None
    return x + float(solution[0]), y + float(solution[1]), size


def _measure_hole(view: EyeView, x: float, y: float, radius: float) -> float:
    """Return the radius of the hole as a share of the pie's radius, 0 without a hole."""
    reaches = np.linspace(0.03, 0.9, 88, dtype=np.float32) * radius
    ground = measure_lab_distance(_sample_rays(view, x, y, reaches, 90), view.background) < APART
    shares = ground.mean(axis=0) > 0.6
    if not shares[:6].any():
        return 0.0
    end = int(np.argmin(shares[3:])) + 3 if not shares[3:].all() else len(shares)
    return round(float(reaches[min(end, len(reaches) - 1)] / radius), 3)


def _take_median_beside_texts(view: EyeView, disc: Disc, shares: Floats, rays: Floats) -> Floats:
    """Return the median colour of each direction, without what lies under a label, which may look like a border."""
    turns = np.arange(len(rays)) * (2 * math.pi / len(rays))
    reaches = shares[None, :] * disc.radius
    rows = np.clip((disc.y + reaches * np.sin(turns)[:, None]).astype(int), 0, view.texts.shape[0] - 1)
    columns = np.clip((disc.x + reaches * np.cos(turns)[:, None]).astype(int), 0, view.texts.shape[1] - 1)
    covered = view.texts[rows, columns]
    colours = np.median(rays, axis=1).astype(np.float32)
    beside = np.flatnonzero(covered.any(axis=1) & ((~covered).sum(axis=1) >= LEAST_FREE))
    colours[beside] = np.nanmedian(np.where(covered[beside, :, None], np.nan, rays[beside]), axis=1)
    return colours


def _find_segments(colours: Floats, roughness: float, hatched: bool) -> list[tuple[int, int]]:
    """Return first index and length of each stretch of one colour around the circle, edge lines shared out."""
    smooth = ndimage.median_filter(colours, size=(5 + 2 * round(10 * roughness), 1), mode="wrap")
    # Rough pictures have soft borders: a step is then spread over more directions.
    lag = 3 if roughness < 0.02 else 6 + round(8 * roughness)
    step = measure_lab_distance(smooth, np.roll(smooth, lag, axis=0))
    borders = (step > APART + 8 * roughness) & (step >= ndimage.maximum_filter1d(step, 2 * lag + 1, mode="wrap"))
    places = np.flatnonzero(borders)
    if len(places) < 2:
        return [(0, len(colours))]
    stretches = [(int(start), int((end - start - 1) % len(colours)) + 1)
                 for start, end in zip(places, np.roll(places, -1), strict=True)]  # fmt: skip
    least = THIN / 360 * len(colours)
    medians = [np.median(smooth[np.arange(start + 1, start + max(2, length)) % len(colours)], axis=0)
               for start, length in stretches]  # fmt: skip
    return _merge_stretches(stretches, medians, least, len(colours), hatched)


def _merge_stretches(
    stretches: list[tuple[int, int]], medians: list[npt.NDArray[np.float32]], least: float, around: int, hatched: bool
) -> list[tuple[int, int]]:
    """Share edge lines out among the stretches on both sides; join neighbours of one colour."""
    wide = [k for k, (_, length) in enumerate(stretches) if length > 2 * least]
    if not wide:
        return [(0, around)]
    widened_stretches: list[tuple[float, float, npt.NDArray[np.float32]]] = []
    for at, k in enumerate(wide):
        start, length = stretches[k]
        before, after = stretches[wide[at - 1]], stretches[wide[(at + 1) % len(wide)]]
        gap_before = (start - before[0] - before[1]) % around
        gap_after = (after[0] - start - length) % around
        widened_stretches.append((start - gap_before / 2, length + (gap_before + gap_after) / 2, medians[k]))
    joined: list[tuple[float, float, npt.NDArray[np.float32]]] = []
    edges = [(stretches[k][0] - stretches[wide[at - 1]][0] - stretches[wide[at - 1]][1]) % around
             for at, k in enumerate(wide)]  # fmt: skip
    for (first, width, colour), edge in zip(widened_stretches, edges, strict=True):
        if (
            joined
            and edge <= 2 * least
            and float(measure_lab_distance(joined[-1][2], colour)) < APART
            and (edge == 0 or hatched)
        ):
            joined[-1] = (joined[-1][0], joined[-1][1] + width, joined[-1][2])
        else:
            joined.append((first, width, colour))
    if (
        len(joined) > 1
        and (edges[0] == 0 or (hatched and edges[0] <= 2 * least))
        and float(measure_lab_distance(joined[-1][2], joined[0][2])) < APART
    ):
        first, width, colour = joined.pop()
        joined[0] = (first, width + joined[0][1], colour)
    return [(round(first) % around, round(width)) for first, width, _ in joined]


def _build_sector(view: EyeView, disc: Disc, colours: Floats, start: int, length: int) -> Sector:
    per_degree = len(colours) / 360
    middle = math.radians((start + length / 2) / per_degree)
    reaches = np.linspace(0.5, 0.9, 12) if disc.hole < 0.45 else np.linspace(disc.hole + 0.1, 0.95, 12)
    width = min(math.radians(length / per_degree) * 0.3, 0.5)
    angles = np.linspace(middle - width, middle + width, 9)
    points = np.stack(
        [
            disc.x + disc.radius * reaches[:, None] * np.cos(angles)[None],
            disc.y + disc.radius * reaches[:, None] * np.sin(angles)[None],
        ],
        axis=-1,
    ).astype(np.float32)
    colour = format_rgb(np.median(sample_colours(view.rgb, points).reshape(-1, 3), axis=0))
    return Sector(
        colour, round((start / per_degree) % 360, 2), round(length / per_degree, 2), _measure_reach(view, disc, middle)
    )


def _measure_reach(view: EyeView, disc: Disc, middle: float) -> float:
    """Return how far a wedge reaches outwards, as a share of the radius."""
    reaches = np.arange(0.8 * disc.radius, 1.3 * disc.radius, 1.0)
    points = np.stack([disc.x + reaches * math.cos(middle), disc.y + reaches * math.sin(middle)], axis=-1).astype(
        np.float32
    )
    ground = measure_lab_distance(sample_colours(view.lab, points), view.background) < APART
    quiet = ndimage.uniform_filter1d(ground.astype(np.float32), 3, origin=-1) > 0.99
    return round(float(reaches[int(quiet.argmax())] / disc.radius), 3) if quiet.any() else 1.3
