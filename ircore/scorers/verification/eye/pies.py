"""Pies: the circle is fitted to its rim, then read in rings about its middle, degree by degree."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import ndimage
from scipy.optimize import linear_sum_assignment

from ircore.core.records import Element
from ircore.scorers.verification.eye.strokes import sample_colours
from ircore.scorers.verification.eye.view import EyeView, Floats, format_rgb, measure_lab_distance, parse_lab

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


ROUND = 0.6
"""Share of its directions in which a circle is the rim of a pie; pulled-out wedges and labels interrupt it."""
FLAT, STEEP = 0.94, 0.35
"""Ratios of height and width of a pie between which it is seen tilted."""


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
