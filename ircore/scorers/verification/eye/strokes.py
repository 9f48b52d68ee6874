"""Lines, looked for along their expected course by the contrast of short profiles across the course.

At each place of the course the eye looks some pixels to both sides for the point that differs most from what lies
around it, prefers what is near, and remembers how far off it was and its colour. A line is there if most places have
such a point about equally far off; a dashed one has gaps. Thin lines never show their full colour, so colour is told by
direction: which of the scene's colours, mixed with the ground, explains what is seen.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from ircore.scorers.verification.eye.view import EyeView, Floats, format_rgb, measure_delta_e2000, parse_lab, parse_rgb

LEAST_CONTRAST = 7.0
"""Levels of RGB, Euclidean, by which a line differs from its ground at least."""
SHADE, ROUGH_SHADE = 13.0, 16.0
"""ΔE2000 up to which a line, unmixed, is a shade of its colour; compressed, thin lines lose much of it."""
SIDES = 5
"""Pixels from the middle of a line to the ground on its sides; a line is no mixture of both, the rim of an area is."""
OVERSHOT = 1.08
"""Contrast of a thin line, in parts of its own, that bringing a rendering to the target's size leaves at most: bicubic
weights overshoot at its sides."""
WIDE, COVERED = 5.0, 0.85
"""Pixels from which on the middle of a line shows its colour, and how much of the ground it covers there at least."""
VIVID, LEAST_CHROMA, PALED, SAME_HUE = 24.0, 4.0, 0.1, 0.85
"""Chroma in L*a*b*, against the ground, of a colour that has a clear hue, and of a line that keeps some of the hue; the
least part of the chroma that a paled line keeps, and the cosine up to which directions of hue are the same."""
STRONGER = 15.0
"""Chroma in L*a*b*, against the ground, by which a line is stronger than blur and compression, which pale, can leave
another colour."""
LEANS, AWAY = 0.7, 0.5
"""Cosines of directions of hue from which on little hue leads towards a colour, and below which it leads elsewhere."""
UNLIKE_GROUND = 15.0
"""Lightness in L*a*b* by which a colour differs from its ground from which on the lightness says how much is mixed."""
WINDOW, STEADY, OFF = 9, 1.6, 2.0
"""Places that are compared, pixels by which a line may be off what they say, and from which on it is off its course."""
SMOOTH = 0.01
"""Roughness up to which a rendering was hardly compressed."""
STEP = 3.0
"""Pixels between the places at which a course is looked at."""
MARGIN = 5.0
"""Pixels beyond the reach of a line that show its ground."""


@dataclass(frozen=True, eq=False)
class Course:
    """Profiles seen along the expected course of a line, one row a place.

    Attributes:
        places: Points of the course, x and y in pixels.
        normals: Unit vectors across it.
        offsets: Pixels along the normal at which the line was seen.
        seen: Whether a line was seen there.
        lines: RGB at the point that differs most.
        grounds: RGB of what lies around it.
        usable: Whether the place says anything: nothing else of the target lies on it.
        widths: Pixels about that point that differ by more than half as much.

    Example:
        >>> places, normals = sample_places_along([[0, 0], [40, 0]], step=10)
        >>> places.tolist()[1]
        [10.0, 0.0]
    """

    places: Floats
    normals: Floats
    offsets: Floats
    seen: npt.NDArray[np.bool_]
    lines: Floats
    grounds: Floats
    usable: npt.NDArray[np.bool_]
    widths: Floats

    @property
    def steady(self) -> float:
        """Share of the usable places where a line was seen about as far off its course as at neighbouring places."""
        usable = self.usable & self.seen
        if not usable.any():
            return 0.0
        padded = np.pad(np.where(usable, self.offsets, np.nan), WINDOW // 2, constant_values=np.nan)
        around = np.lib.stride_tricks.sliding_window_view(padded, WINDOW)
        near = _compute_medians(around, least=3)
        steady = usable & (np.abs(self.offsets - near) <= STEADY)
        return float(steady.sum() / self.usable.sum())

    @property
    def beside(self) -> float:
        """Share of the places where a line was seen that lie clearly beside the course."""
        seen = self.usable & self.seen
        return float((seen & (np.abs(self.offsets) >= OFF)).sum() / max(1, seen.sum()))

    @property
    def contrast(self) -> Floats:
        """Distance of line and ground in RGB, a place."""
        apart: Floats = np.sqrt(((self.lines - self.grounds) ** 2).sum(axis=1))
        return apart


def _compute_medians(rows: Floats, least: int) -> Floats:
    """Return the median of the finite values of each row; NaN where a row has fewer than ``least`` of them."""
    counts = np.isfinite(rows).sum(axis=1)
    # NaN comes last in every row.
    ordered, every = np.sort(rows, axis=1), np.arange(len(rows))
    middle = (ordered[every, np.maximum(counts - 1, 0) // 2] + ordered[every, counts // 2]) / 2
    medians: Floats = np.where(counts >= least, middle, np.nan)
    return medians


def sample_places_along(
    points: Sequence[Sequence[float]], step: float = STEP, ends: float = 0.0
) -> tuple[Floats, Floats]:
    """Return points at even steps along a path, and unit vectors across the path.

    Args:
        points: The path, x and y in pixels.
        step: Pixels.
        ends: Pixels left out at both ends.
    """
    path = np.array(points, dtype=np.float64)
    lengths = np.hypot(*np.diff(path, axis=0).T)
    along = np.concatenate([[0.0], np.cumsum(lengths)])
    total = float(along[-1])
    count = max(2, round((total - 2 * ends) / step) + 1)
    # Of a short path at least the middle third is looked at.
    wanted = np.linspace(min(ends, total / 3), total - min(ends, total / 3), count)
    places = np.column_stack([np.interp(wanted, along, path[:, axis]) for axis in (0, 1)])
    piece = np.clip(np.searchsorted(along, wanted, side="right") - 1, 0, len(lengths) - 1)
    # Two equal points in a row have no length to divide by.
    directions = np.diff(path, axis=0)[piece] / np.maximum(lengths[piece], 1e-6)[:, None]
    normals = np.column_stack([-directions[:, 1], directions[:, 0]])
    return places.astype(np.float32), normals.astype(np.float32)


def follow_course(view: EyeView, places: Floats, normals: Floats, reach: float, two_sided: bool = False) -> Course:
    """Look for a line along a course.

    Args:
        view: The rendering over its target.
        places: Of the course.
        normals: Across it.
        reach: Pixels to both sides within which the line may lie.
        two_sided: Whether a line must differ from the ground on both sides; the rim of an area does not count then.
    """
    half = reach + MARGIN
    offsets = np.arange(-np.ceil(half), np.ceil(half) + 0.5, 1.0, dtype=np.float32)
    points = places[:, None, :] + offsets[None, :, None] * normals[:, None, :]
    profile = sample_colours(view.rgb, points)
    # A line is narrower than half of its profile, so the median shows the ground.
    ground = np.median(profile, axis=1)
    apart = np.sqrt(((profile - ground[:, None, :]) ** 2).sum(axis=2))
    near = np.abs(offsets) <= reach
    if two_sided:
        apart = np.minimum(apart, _measure_side_difference(profile))
    preferred = apart / (1.0 + (offsets / 3.0) ** 2)[None, :]
    preferred[:, ~near] = -1.0
    index = preferred.argmax(axis=1)
    rows = np.arange(len(places))
    contrast = apart[rows, index]
    inside = are_inside(view, points[rows, index])
    usable = are_inside(view, places) & ~sample_mask(view.texts, places)
    line_mask = (contrast > LEAST_CONTRAST) & inside
    close = np.abs(offsets[None, :] - offsets[index][:, None]) <= WIDE
    far = np.sqrt(((profile - ground[:, None, :]) ** 2).sum(axis=2))
    widths = (close & (far > 0.5 * far[rows, index][:, None])).sum(axis=1).astype(np.float32)
    return Course(places, normals, offsets[index], line_mask, profile[rows, index], ground, usable, widths)


def _measure_side_difference(profile: Floats) -> Floats:
    """Return how far each point of profiles differs from every mixture of the colours on both sides."""
    count = profile.shape[1]
    before = profile[:, np.maximum(np.arange(count) - SIDES, 0)]
    across = profile[:, np.minimum(np.arange(count) + SIDES, count - 1)] - before
    from_before = profile - before
    part = (from_before * across).sum(axis=2) / np.maximum((across**2).sum(axis=2), 1e-6)
    far = from_before - np.clip(part, 0.0, 1.0)[..., None] * across
    apart: Floats = np.sqrt((far**2).sum(axis=2))
    return apart


def sample_colours(rgb: Floats, points: Floats) -> Floats:
    """Return colours at points (… × 2, x and y) by linear interpolation; outside, the colours of the border."""
    coordinates = [points[..., 1] - 0.5, points[..., 0] - 0.5]
    channels = [ndimage.map_coordinates(rgb[..., k], coordinates, order=1, mode="nearest") for k in range(3)]
    colours: Floats = np.stack(channels, axis=-1)
    return colours


def are_inside(view: EyeView, points: Floats) -> npt.NDArray[np.bool_]:
    """Tell which points lie inside the picture."""
    height, width = view.pixels.shape[:2]
    inside: npt.NDArray[np.bool_] = (
        (points[:, 0] >= 0) & (points[:, 0] < width) & (points[:, 1] >= 0) & (points[:, 1] < height)
    )
    return inside


def sample_mask(mask: npt.NDArray[np.bool_], points: Floats) -> npt.NDArray[np.bool_]:
    """Return a mask's values at points."""
    rows = np.clip(points[:, 1].astype(np.int64), 0, mask.shape[0] - 1)
    columns = np.clip(points[:, 0].astype(np.int64), 0, mask.shape[1] - 1)
    values: npt.NDArray[np.bool_] = mask[rows, columns]
    return values


def find_colour(
    course: Course, candidates: Sequence[str], expected: str | None, roughness: float = 0.0, is_thin: bool = False
) -> str | None:
    """Return the colour of a line: the candidate that explains most places, else the seen colour.

    Args:
        course: What was seen.
        candidates: Colours of the scene's lines, #rrggbb.
        expected: The line's true colour; it wins where two explain alike.
        roughness: Of the rendering, 0–1.
        is_thin: Whether the line is too thin to show its full colour, however wide a blur makes it.

    Returns:
        None if too little was seen.
    """
    usable = course.seen & course.usable
    if usable.sum() < 3:
        return None
    # Places far off the others show another line.
    usable &= np.abs(course.offsets - np.median(course.offsets[usable])) <= 3.0
    if not usable.any():
        return None
    strong = usable & (course.contrast >= 0.5 * np.median(course.contrast[usable]))
    lines, grounds = course.lines[strong], course.grounds[strong]
    colours = sorted({*candidates, *([expected] if expected else [])})
    costs = np.stack([compute_mixing_costs(lines, grounds, colour) for colour in colours])
    if expected:
        costs[colours.index(expected)] -= 0.12
    voted = np.where(costs.min(axis=0) <= 0.75, costs.argmin(axis=0), -1)
    votes = np.bincount(voted[voted >= 0], minlength=len(colours)) / len(lines)
    if expected and votes[colours.index(expected)] >= max(0.3, 0.5 * votes.max()):
        wide = not is_thin and float(np.median(course.widths[strong])) >= WIDE
        own = voted == colours.index(expected)  # near its ends other lines may be seen
        if roughness >= SMOOTH and _is_stronger(lines[own], grounds[own], expected):
            others = (other for other in colours if other != expected)
            kept = next((other for other in others if _has_hue(lines[own], grounds[own], other)), None)
            return kept or format_rgb(np.median(lines[own], axis=0))
        pure = _remove_ground(lines[own], grounds[own], expected, COVERED if wide else 0.3)
        if measure_delta_e2000(pure, expected) <= (SHADE if roughness < SMOOTH else ROUGH_SHADE):
            return expected
        return expected if roughness >= SMOOTH and _has_hue(lines[own], grounds[own], expected) else pure
    best = colours[int(votes.argmax())] if votes.max() >= 0.5 else None
    if expected and (best is None or roughness > SMOOTH) and _has_hue(lines, grounds, expected):
        return expected
    if expected and best and roughness > SMOOTH and _has_hue_towards(lines, grounds, expected, best):
        return _remove_ground(lines, grounds, expected, 0.3)
    return best or format_rgb(np.median(lines, axis=0))


def _has_hue_towards(lines: Floats, grounds: Floats, colour: str, other: str) -> bool:
    """Return whether the little hue that compression left leads from the ground to a colour and not to another one."""
    line, ground = (parse_lab(format_rgb(np.median(colours, axis=0)))[1:] for colours in (lines, grounds))
    seen = line - ground

    def cosine(end: str) -> float:
        full = parse_lab(end)[1:] - ground
        size = float(np.hypot(*full) * np.hypot(*seen))
        return float(full @ seen) / size if float(np.hypot(*full)) > LEAST_CHROMA else 0.0

    return float(np.hypot(*seen)) >= LEAST_CHROMA and cosine(colour) >= LEANS and cosine(other) < AWAY


def _is_stronger(lines: Floats, grounds: Floats, colour: str) -> bool:
    """Return whether seen colours have more of a hue than any mixture of a colour with the ground that is as strong."""
    line, ground = np.median(lines, axis=0), np.median(grounds, axis=0)
    towards = parse_rgb(colour) - ground
    cover = float(np.clip((line - ground) @ towards / max(float(towards @ towards), 1e-6), 0.0, 1.0))
    seen, own, ground_hue = (parse_lab(format_rgb(rgb))[1:] for rgb in (line, ground + cover * towards, ground))
    return float(np.hypot(*(seen - ground_hue))) > float(np.hypot(*(own - ground_hue))) + STRONGER


def _has_hue(lines: Floats, grounds: Floats, colour: str) -> bool:
    """Return whether seen colours lead from the ground towards a colour's hue; blur and compression pale thin lines."""
    line, ground = (np.median(colours, axis=0) for colours in (lines, grounds))
    light, *hue = parse_lab(format_rgb(line)) - parse_lab(format_rgb(ground))
    full_light, *full_hue = parse_lab(colour) - parse_lab(format_rgb(ground))
    chroma, full = float(np.hypot(*hue)), float(np.hypot(*full_hue))
    towards = float(np.dot(hue, full_hue))
    # Paling takes as much from the hue as from the lightness, or more: what is vivid and light is another colour.
    if abs(full_light) > UNLIKE_GROUND and chroma > (1.3 * max(0.0, light / full_light) + 0.2) * full:
        return False
    return (
        full >= VIVID
        and chroma >= max(LEAST_CHROMA, PALED * full)
        and towards >= SAME_HUE * chroma * full
        and light * full_light >= 0
        and abs(light) <= 1.2 * abs(full_light) + LEAST_CHROMA
    )


def _remove_ground(lines: Floats, grounds: Floats, colour: str, least: float) -> str:
    """Return the colour of a line without its ground, by the coverage that ``colour`` would have, or ``least``."""
    apart = np.sqrt(((lines - grounds) ** 2).sum(axis=1))
    # The places of most contrast are least mixed with the ground.
    strong = apart >= np.percentile(apart, 60)
    line, ground = np.median(lines[strong], axis=0), np.median(grounds[strong], axis=0)
    towards = parse_rgb(colour) - ground
    cover = float(((line - ground) * towards).sum() / max(float((towards**2).sum()), 1e-6))
    return format_rgb(ground + (line - ground) / min(OVERSHOT, max(least, cover)))


def compute_mixing_costs(lines: Floats, grounds: Floats, colour: str) -> Floats:
    """Return how badly a colour, mixed with the ground, explains the seen colours: 0 well, above 0.75 not at all.

    Args:
        lines: RGB seen, a row a place.
        grounds: RGB around it.
        colour: #rrggbb.
    """
    towards, differences = parse_rgb(colour) - grounds, lines - grounds
    length, far = np.sqrt((towards**2).sum(axis=1)), np.sqrt((differences**2).sum(axis=1))
    product = (towards * differences).sum(axis=1)
    cosine, cover = product / np.maximum(length * far, 1e-6), product / np.maximum(length**2, 1e-6)
    cost = 9 * (1 - cosine) + 1.2 * np.maximum(0.0, 0.6 - cover) + 1.5 * np.maximum(0.0, cover - 1.15)
    costs: Floats = np.where((length < LEAST_CONTRAST) | (far < LEAST_CONTRAST), 2.0, np.round(cost, 4))
    return costs


def is_dashed(course: Course) -> bool | None:
    """Tell whether a line has gaps at regular steps; None if too little of it was seen.

    The course must have been followed in steps of a pixel or two.
    """
    usable = course.usable
    if usable.sum() < 12:
        return None
    contrast = course.contrast[usable]
    full = float(np.percentile(contrast, 90))
    if full < LEAST_CONTRAST:
        return None
    gaps = float((contrast < 0.45 * full).mean())
    return gaps > 0.12 if gaps > 0.17 or gaps < 0.08 else None
