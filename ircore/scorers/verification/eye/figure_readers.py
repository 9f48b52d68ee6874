"""Observations of geometry figures (lines, circles, small marks, dots, tinted areas), and of bars and pies."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ircore.core.records import Box, Element
from ircore.scorers.verification.eye import chart_marks
from ircore.scorers.verification.eye.line_readers import (
    find_course,
    leave_out_grid,
    read_line_colour,
    read_small_colour,
)
from ircore.scorers.verification.eye.look import Look, Observations
from ircore.scorers.verification.eye.regions import find_tint
from ircore.scorers.verification.eye.strokes import Course, find_colour, is_dashed
from ircore.scorers.verification.eye.view import (
    EyeView,
    Floats,
    Observed,
    clip_box,
    find_commonest_colour,
    format_rgb,
    measure_delta_e2000,
    measure_lab_distance,
)
from ircore.scorers.verification.scene_facts import Mark

LEAST_INK = 10.0
"""Distance in L*a*b* by which a dot differs from its ground."""
FULL = 0.66
"""Share of a dot's inside that differs from the ground; a line through it covers less."""

REACH = 9.0
SMALL_REACH = 4.0
"""Pixels to both sides within which a line, or a small mark, is looked for."""
BESIDE = 2.0
"""Pixels off its course from which on a line may be another line of the target."""
SMALL = {"angle", "right_angle", "tick", "arrowhead"}
HIDDEN = 0.6
"""Share of a dot that lines of the target cover, from which on it cannot be told from their crossing."""


class _Dot(NamedTuple):
    """A dot as seen: its colour, middle in pixels, and whether it is filled."""

    colour: str
    at: tuple[float, float]
    is_filled: bool


def find_dot(view: EyeView, x: float, y: float, radius: float, ring: bool) -> _Dot | None:
    """Look for a dot about its expected place.

    Args:
        view: The rendering over its target.
        x: Of its middle in the target, in pixels.
        y: Of its middle.
        radius: In pixels.
        ring: Whether it is hollow in the target.
    """
    reach = round(radius + 9)
    box = Box(round(x) - reach, round(y) - reach, round(x) + reach + 1, round(y) + reach + 1)
    box = clip_box(box, *view.lab.shape[:2])
    patch = view.lab[box.top : box.bottom, box.left : box.right]
    if min(patch.shape[:2]) < 5:
        return None
    ground = find_commonest_colour(patch.reshape(-1, 3))
    far = measure_lab_distance(patch, ground)
    # Not the maximum, which may be a single bright pixel of compression.
    most = float(np.percentile(far, 97))
    if most < LEAST_INK:
        return None
    # Pixels with four fifths of the strongest ink count in full: small dots are soft all over.
    ink = np.minimum(1.0, far / (0.8 * most))
    rows, columns = np.mgrid[box.top : box.bottom, box.left : box.right] + 0.5
    best = max(_measure_candidates(ink, rows, columns, x, y, radius, ring), default=None)
    if best is None or best[0] < FULL:
        return None
    at_x, at_y = best[1], best[2]
    # Without the rim of a filled dot, whose colour is mixed with the ground.
    inside = np.hypot(columns - at_x, rows - at_y) <= (radius if ring else 0.75 * radius)
    strong = inside & (far >= 0.6 * most)
    pixels = view.rgb[box.top : box.bottom, box.left : box.right][strong if strong.any() else inside]
    middle = np.hypot(columns - at_x, rows - at_y) <= 0.42 * radius
    return _Dot(
        format_rgb(np.median(pixels, axis=0)), (round(at_x, 1), round(at_y, 1)), float(ink[middle].mean()) > 0.55
    )


def read_stroke(look: Look, mark: Mark) -> Observations:
    """Read a line of a figure: presence, colour, style, place and size."""
    element = look.target.scene.elements[mark.elements[0]]
    small = mark.kind in SMALL
    reach, step = (SMALL_REACH, 1.5) if small else (REACH, 2.0)
    course = find_course(look.view, element, reach, step, two_sided=element.type not in SMALL)
    if not small:
        course = leave_out_grid(_leave_out_near_others(look, mark.elements[0], course), element.colour)
    if course.usable.sum() < 4:
        return {f"{mark.key}/presence": Observed(None, "hidden by something else")}
    # A segment that is gone is not seen in the lines that meet at its ends.
    share = min(course.steady, _compute_middle_share(course)) if mark.kind == "segment" else course.steady
    dashed = bool(element.parameters.get("dash"))
    # Of a dashed line the gaps count among the places, up to half of them.
    if share < (0.3 if dashed else 0.5):
        return {f"{mark.key}/presence": Observed(False)}
    colours = sorted({other.colour for other in look.target.scene.elements if other.colour and other.text is None})
    colour = find_colour(course, colours, element.colour, look.roughness, small)
    readings = {
        f"{mark.key}/presence": Observed(True),
        f"{mark.key}/colour": read_line_colour(look, colour, element.colour),
    }
    if mark.kind in {"segment", "circle"}:
        gaps = is_dashed(course)
        style = None if gaps is None else "dashed" if gaps else "solid"
        readings[f"{mark.key}/line_style"] = Observed(style, "" if style else "gaps cannot be told from crossings")
    return readings | _read_measures(mark, element, course)


def read_point(look: Look, mark: Mark) -> Observations:
    """Read a dot of a figure or graph: presence and look."""
    element = look.target.scene.elements[mark.elements[0]]
    about: Any = element.parameters
    (x, y), radius = about["centre"], float(about.get("radius", float(about.get("size", 8)) / 2))
    ring = about.get("shape") == "ring"
    dot = find_dot(look.view, float(x), float(y), radius, ring)
    if dot is None:
        return {f"{mark.key}/presence": Observed(False)}
    if not ring and _compute_crossed_share(look, mark.elements[0], x, y, radius) > HIDDEN:
        return {
            f"{mark.key}/presence": Observed(None, "lines cross there"),
            f"{mark.key}/colour": read_small_colour(look, dot.colour, element.colour),
        }
    fill = "filled" if dot.is_filled else "hollow"
    return {
        f"{mark.key}/presence": Observed(True),
        f"{mark.key}/fill": Observed(fill),
        f"{mark.key}/colour": read_small_colour(look, dot.colour, element.colour),
    }


def read_tint(look: Look, mark: Mark) -> Observations:
    """Say whether an area of a figure or graph is filled, and with which colour."""
    index = mark.elements[0]
    colour = find_tint(look.view, look.target.outline(index), look.target.find_hidden(index))
    if colour is None:
        return {f"{mark.key}/presence": Observed(False)}
    if not colour:
        return {f"{mark.key}/presence": Observed(None, "too small to be told")}
    return {f"{mark.key}/presence": Observed(True), f"{mark.key}/colour": Observed(colour)}


def read_bar(look: Look, mark: Mark) -> Observations:
    """Read a bar: presence, value in the figure's own axis, and colour."""
    element = look.target.scene.elements[mark.elements[0]]
    boxes = [other.box for other in look.target.scene.elements if other.type == "bar"]
    surface = look.view.compute_once("surface", lambda: chart_marks.find_surface_colour(look.view, boxes))
    bar = chart_marks.find_bar(look.view, element, surface, look.roughness)
    if bar is None:
        return {f"{mark.key}/presence": Observed(False)}
    scale = look.scale("x" if element.parameters["orientation"] == "horizontal" else "y")
    value = (
        Observed(chart_marks.compute_value(bar, element, scale)) if scale else Observed(None, "the axis has no scale")
    )
    look.view.notes.setdefault("bars", {})[mark.key] = bar
    return {
        f"{mark.key}/presence": Observed(True),
        f"{mark.key}/value": value,
        f"{mark.key}/colour": Observed(bar.colour),
        f"{mark.key}/outline": Observed(None, "too thin to be told"),
    }


def read_pie(look: Look, mark: Mark) -> Observations:
    """Read a pie: presence, size, place and hole; the pie's wedges are read, too."""
    wedges = [look.target.scene.elements[index] for index in mark.elements]
    view, disc = look.view, chart_marks.find_disc(look.view, wedges)
    if disc is None or not chart_marks.is_round(view, disc):
        view, disc = chart_marks.untilt_pie(look.view, wedges) or (view, disc)
    if disc is None:
        return {f"{mark.key}/presence": Observed(False)}
    sectors = _assign_sectors(view, wedges, disc, look.roughness)
    look.view.notes["sectors"] = sectors
    return {
        # A disc of one colour is a circle, not a pie.
        f"{mark.key}/presence": Observed(len(sectors) > 1),
        f"{mark.key}/size": Observed(disc.radius),
        f"{mark.key}/place": Observed([disc.x, disc.y]),
        f"{mark.key}/value/hole": Observed(disc.hole),
    }


def read_wedge(look: Look, mark: Mark) -> Observations:
    """Read a wedge: presence, share, colour and direction; the pie was read before."""
    sector = look.view.notes.get("sectors", {}).get(mark.key)
    if sector is None:
        return {f"{mark.key}/presence": Observed(False)}
    own = look.target.view.compute_once("sectors", lambda: _read_target_sectors(look)).get(mark.key)
    about = look.target.scene.elements[mark.elements[0]].parameters
    share, turned = sector.sweep / 3.6, sector.middle
    pulled = _check_pulled_out(sector, own) if about["exploded"] else None
    uneven = any(element.parameters.get("exploded") for element in look.target.scene.elements)
    if own is not None and pulled != "in its place" and uneven:
        # A wedge that is pulled out hides part of its neighbours, and looks narrower from the middle of the pie.
        share += float(about["share"]) - own.sweep / 3.6  # type: ignore[arg-type]
        turned += (float(about["start"]) + 1.8 * float(about["share"]) - own.middle + 180) % 360 - 180  # type: ignore[arg-type]
    return {
        f"{mark.key}/presence": Observed(True),
        f"{mark.key}/value": Observed(round(share, 2)),
        f"{mark.key}/colour": Observed(sector.colour),
        f"{mark.key}/angle": Observed(round(turned % 360, 2)),
        f"{mark.key}/place/pulled": Observed(pulled, "" if pulled else "the rim does not tell"),
    }


def _measure_candidates(
    ink: Floats, rows: Floats, columns: Floats, x: float, y: float, radius: float, ring: bool
) -> list[tuple[float, float, float]]:
    """Return how full a dot at each of some places is: that share, x and y."""
    results = []
    for down in np.arange(-5, 6):
        for across in np.arange(-5, 6):
            at_x, at_y = x + float(across), y + float(down)
            far = np.hypot(columns - at_x, rows - at_y)
            inside = (far <= 1.15 * radius) & (far >= 0.75 * radius) if ring else far <= 0.9 * radius
            if not inside.any():
                continue
            # Of places that are about as full, the nearest to the expected place.
            share = float(ink[inside].mean()) - 0.01 * float(np.hypot(across, down))
            results.append((round(share, 4), at_x, at_y))
    return results


def _leave_out_near_others(look: Look, index: int, course: Course) -> Course:
    """Leave out places at which another line of the target is nearer to the seen line than the course itself."""
    points = course.places + course.offsets[:, None] * course.normals
    off = np.abs(course.offsets)
    usable = course.usable.copy()
    for number, other in enumerate(look.target.scene.elements):
        path = _read_path(other)
        if number != index and path is not None:
            usable &= (off <= BESIDE) | (_measure_distances(points, path) >= off)
    return replace(course, usable=usable)


def _read_path(element: Element) -> Any:
    """Return the points of a drawn line, a closed line ending where it begins; None for other elements."""
    points: Any = element.parameters.get("points")
    if not points or element.type == "area":
        return None
    return np.array([*points, points[0]] if element.type in {"polygon", "circle"} else points, np.float64)


def _measure_distances(points: Any, path: Any) -> Any:
    """Return how far points lie from a path, in pixels."""
    starts, steps = path[:-1], np.diff(path, axis=0)
    from_starts = points[:, None, :] - starts[None, :, :]
    lengths = np.maximum((steps**2).sum(axis=1), 1e-9)
    parts = np.clip((from_starts * steps).sum(axis=2) / lengths, 0.0, 1.0)
    return np.sqrt(((from_starts - parts[..., None] * steps) ** 2).sum(axis=2)).min(axis=1)


def _compute_middle_share(course: Course) -> float:
    """Return the share of a course's middle half where a line is seen; near its ends other lines may be seen."""
    count = len(course.places)
    part = slice(count // 4, count - count // 4)
    share = _compute_seen_share(course, part)
    return 1.0 if share is None else share


def _read_measures(mark: Mark, element: Element, course: Course) -> Observations:
    if mark.kind == "segment":
        return _read_segment(mark, element, course)
    if mark.kind == "circle":
        return _read_circle(mark, element, course)
    if mark.kind == "polygon":
        return _read_corners(mark, element, course)
    if mark.kind == "angle":
        return {f"{mark.key}/angle": Observed(None, "told by the lines that it marks")}
    return {}


def _read_segment(mark: Mark, element: Element, course: Course) -> Observations:
    about: Any = element.parameters
    count = max(3, len(course.places) // 7)
    ends = [_compute_seen_share(course, slice(None, count)), _compute_seen_share(course, slice(-count, None))]
    least = 0.25 if element.parameters.get("dash") else 0.5
    reaches = all(end is None or end >= least for end in ends)
    wanted = [about["start"], about["end"]]
    usable = course.seen & course.usable
    along = np.hypot(*(course.places - course.places[0]).T)
    readings = {f"{mark.key}/place": Observed(wanted if reaches else [], "" if reaches else "an end is not seen")}
    if usable.sum() >= 6 and np.ptp(along[usable]) > 20:
        slope = _fit_slope(along[usable], course.offsets[usable])
        # Counter-clockwise from the horizontal, as in mathematics: y grows downwards, so it is turned round.
        turn = math.degrees(math.atan2(wanted[0][1] - wanted[1][1], wanted[1][0] - wanted[0][0]))
        readings[f"{mark.key}/angle"] = Observed(round((turn - math.degrees(math.atan(slope))) % 180, 2))
    return readings


def _fit_slope(along: Any, offsets: Any) -> float:
    """Return the slope of offsets along a line, robustly: the median over pairs that lie far apart."""
    half = len(along) // 2
    slopes = (offsets[half : 2 * half] - offsets[:half]) / np.maximum(along[half : 2 * half] - along[:half], 1e-6)
    return float(np.median(slopes))


def _compute_seen_share(course: Course, part: slice) -> float | None:
    usable = course.usable[part]
    return float(course.seen[part][usable].mean()) if usable.sum() >= 2 else None


def _read_circle(mark: Mark, element: Element, course: Course) -> Observations:
    about: Any = element.parameters
    usable = course.seen & course.usable
    offset = float(np.median(course.offsets[usable]))
    towards = course.places + course.offsets[:, None] * course.normals
    # Places that are off otherwise than most belong to lines that cross or touch the circle.
    inliers = usable & (np.abs(course.offsets - offset) < 4)
    matrix = np.column_stack([towards[inliers], np.ones(int(inliers.sum()))])
    # x² + y² = 2ax + 2by + c is linear in a, b and c: the circle that fits best without iterations.
    solution = np.linalg.lstsq(matrix, (towards[inliers] ** 2).sum(axis=1), rcond=None)[0]
    x, y = float(solution[0]) / 2, float(solution[1]) / 2
    radius = math.sqrt(max(0.0, float(solution[2]) + x * x + y * y))
    # A short arc fits circles of nearly any size: such a fit says nothing.
    if math.dist((x, y), about["centre"]) > 0.5 * about["radius"]:
        return {}
    return {
        f"{mark.key}/size": Observed(round(radius, 2)),
        f"{mark.key}/place": Observed([round(x, 2), round(y, 2)]),
    }


def _read_corners(mark: Mark, element: Element, course: Course) -> Observations:
    """Return for each corner whether lines from both sides are seen up to the corner."""
    corners: Sequence[Sequence[float]] = element.parameters["corners"]  # type: ignore[assignment]
    readings: Observations = {}
    for count, corner in enumerate(corners, start=1):
        near = np.hypot(*(course.places - np.array(corner, np.float32)).T) < 22
        usable = near & course.usable
        share = float(course.seen[usable].mean()) if usable.sum() >= 4 else 1.0
        off = float(np.median(np.abs(course.offsets[usable & course.seen]))) if (usable & course.seen).any() else 99.0
        # The verdict takes a distance: the corner is as far off as its lines are, 99 pixels where they are missing.
        place = [corner[0] + (off if share >= 0.5 else 99.0), corner[1]]
        readings[f"{mark.key}/place/{count}"] = Observed(place)
    return readings


def _compute_crossed_share(look: Look, index: int, x: float, y: float, radius: float) -> float:
    """Return the share of a dot that lines of the target cover."""
    height, width = look.view.pixels.shape[:2]
    rows, columns = np.mgrid[0:height, 0:width][:, int(y) - 8 : int(y) + 9, int(x) - 8 : int(x) + 9]
    inside = np.hypot(columns + 0.5 - x, rows + 0.5 - y) <= radius
    covered = np.zeros(inside.shape, bool)
    # Only lines below the dot: those above it are seen anyway.
    for other in look.target.scene.elements[:index]:
        path = _read_path(other)
        if path is not None:
            reach = float(other.parameters.get("width", 2)) / 2 + 0.4  # type: ignore[arg-type]
            middles = np.column_stack([columns.ravel(), rows.ravel()]) + 0.5
            covered |= (_measure_distances(middles, path) <= reach).reshape(covered.shape)
    return float(covered[inside].mean()) if inside.any() else 0.0


def _assign_sectors(
    view: EyeView, wedges: list[Element], disc: chart_marks.Disc, roughness: float = 0.0
) -> dict[str, chart_marks.Sector]:
    """Return the sector of each wedge, by the wedge's key."""
    about = wedges[0].parameters
    sectors = chart_marks.find_sectors(view, disc, float(about["hole"]) / float(about["radius"]), roughness)  # type: ignore[arg-type]
    if len(sectors) < 2:
        return {}
    apart = np.array(
        [[measure_delta_e2000(wedge.colour or "#000000", sector.colour) for sector in sectors] for wedge in wedges]
    )
    pairs = chart_marks.assign_wedges(wedges, sectors, apart)
    return {f"wedge-{row + 1}": sectors[column] for row, column in pairs.items()}


def _read_target_sectors(look: Look) -> dict[str, chart_marks.Sector]:
    """Return the sectors that the eye sees in the target itself: a wedge that is pulled out looks narrower."""
    wedges = [element for element in look.target.scene.elements if element.type == "wedge"]
    disc = chart_marks.find_disc(look.target.view, wedges)
    return {} if disc is None else _assign_sectors(look.target.view, wedges, disc)


def _check_pulled_out(sector: chart_marks.Sector, own: chart_marks.Sector | None) -> str | None:
    """Return whether a wedge reaches out as far as in the target; None where the target does not show it."""
    if own is None or own.reach < 1.02:
        return None
    return "pulled out" if sector.reach > (1 + own.reach) / 2 else "in its place"
