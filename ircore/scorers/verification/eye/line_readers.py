"""Observations of lines: charts, graphs, axes and grids."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ircore.core.drawing import AxisScale
from ircore.core.records import Element
from ircore.scorers.verification.eye.forms import USUAL_SIZE, read_marker_colour, read_marker_shape
from ircore.scorers.verification.eye.look import Look, Observations, find_axis_move
from ircore.scorers.verification.eye.strokes import (
    LEAST_CONTRAST,
    SMOOTH,
    STRONGER,
    Course,
    find_colour,
    follow_course,
    is_dashed,
    sample_colours,
    sample_mask,
    sample_places_along,
)
from ircore.scorers.verification.eye.view import (
    EyeView,
    Floats,
    Mask,
    Observed,
    cut_window,
    find_runs,
    grow_box,
    measure_delta_e2000,
    parse_lab,
    parse_rgb,
)
from ircore.scorers.verification.scene_facts import Fact, Mark
from ircore.scorers.verification.scene_facts.charts import NO_MARKERS

PRESENT = {"grid": 0.35, "squares": 0.35, "leaders": 0.4, "frame": 0.5, "axis": 0.5, "zero_line": 0.45}
"""Share of the places of a course at which a line must be seen for the mark to be there; dashes leave gaps."""
TOO_ROUGH = "the rendering is too rough for the colours of small things"
PALE, TURNED = 12.0, 0.3
"""Chroma in L*a*b* below which a colour has no hue, and cosine of the angle by which hues differ clearly."""
LOST, KEPT = 35.0, 11.0
"""ΔE2000 by which hard compression may change the colour of a thin line, and up to which it hardly makes the right
colour out of another one."""
FAINT_SHARE, MOST_FAINT = 0.25, 40.0
"""Part of the contrast of a line's colour, and levels of RGB, from which on something may be the line."""
FAINT = 0.4
"""Part of a line's usual contrast below which something is no part of it but a grid."""
UNDER = 4.0
"""Pixels by which a line that runs below writing may be off at most."""
CLEARLY_DARKER = 1.5
"""Times the contrast of the grid from which on a line at zero can be told from the grid."""
PALEST = 0.2
"""Part of its contrast that a line at zero keeps at least; thin and blurred lines keep a quarter and more."""
BESIDE_BARS = 3
"""Pixels about bars in which a line at zero is not looked for."""
REACH, LINE_REACH = 7.0, 9.0
"""Pixels to both sides within which a line of the figure, and one that carries data, is looked for."""
LOST_SHARE, MOST_LOST = 0.5, 3
"""Share of the places about a vertex of a line below which it is not seen there; vertices that are not seen, at most,
where one of them is moved."""
MARKER_SHADE = 8.0
"""ΔE2000 up to which markers have the colour of a line: a tint, or a little compression."""
FOUND = {False: 0.6, True: 0.3}
"""Share of the places from a vertex to its neighbours at which a line is seen, by whether it is dashed."""
LEAST_SEEN = {False: 0.5, True: 0.3}
"""Share of the places of a line at which it is seen as steadily as at its neighbours, by whether it is dashed."""
BESIDE, LEAST_BESIDE = 0.6, {False: 0.85, True: 0.6}
"""The same where the line runs beside its course at most places, as a stretched one does, and as lines of the grid and
of another chart do that cross it. Of 574 lines in pictures of six graphs, 75 that were not there were found so, none at
0.84 of the places, dashed ones at 0.56; stretched ones that were there at 0.89 and more."""
BESIDE_VERTEX = (0.0, -4.0, 4.0)
"""Pixels beside a vertex at which a line is looked for, too: a dash may end there."""


def read_group(look: Look, mark: Mark) -> Observations:
    """Say whether an axis, a grid, a frame … is drawn."""
    if mark.kind == "ticks":
        return {f"{mark.key}/presence": Observed(None, "too small to be told")}
    courses = _find_courses(look, look.view, mark)
    if not courses:
        return {f"{mark.key}/presence": Observed(None, "hidden by something else")}
    share = float(np.median([_compute_steady_share(course) for course in courses]))
    if mark.kind in {"grid", "squares"} and look.is_rough and share < PRESENT[mark.kind]:
        return {f"{mark.key}/presence": Observed(None, "the rendering is too rough for faint lines")}
    if mark.kind == "zero_line" and share >= PRESENT[mark.kind] and _is_pale_as_grid(look, mark):
        return {f"{mark.key}/presence": Observed(False, "only the grid runs there")}
    return {f"{mark.key}/presence": Observed(share >= PRESENT[mark.kind])}


def find_course(
    view: EyeView, element: Element, reach: float, step: float, ends: float = 0.0, two_sided: bool = False
) -> Course:
    """Look for a drawn line along its course in the target; arguments as of ``sample_places_along`` and ``follow``."""
    about: Any = element.parameters
    points = about.get("points") or [about["start"], about["end"]]
    if element.type in {"polygon", "circle"}:
        points = [*points, points[0]]
    places, normals = sample_places_along(points, step, ends)
    return follow_course(view, places, normals, reach, two_sided)


def read_line(look: Look, mark: Mark) -> Observations:
    """Read a line of a chart or a curve: presence, colour, style and values."""
    elements = [look.target.scene.elements[index] for index in mark.elements]
    paths = [element for element in elements if element.type in {"polyline", "curve"}]
    points = [_move_with_axes(look, path.parameters["points"]) for path in paths]
    courses = [_find_line_along(look, path, along) for path, along in zip(paths, points, strict=True)]
    if mark.kind == "line" and (further := _relocate_vertex(look, paths[0], points[0], courses[0])) is not None:
        points, courses = [further], [_find_line_along(look, paths[0], further)]
    usable = sum(int(course.usable.sum()) for course in courses)
    share = sum(course.steady * int(course.usable.sum()) for course in courses) / max(1, usable)
    dashed = bool(paths[0].parameters.get("dash"))
    main = max(courses, key=lambda course: int(course.usable.sum()))
    is_beside = mark.kind == "line" and main.beside >= BESIDE
    if share < (LEAST_BESIDE if is_beside else LEAST_SEEN)[dashed]:
        return {f"{mark.key}/presence": Observed(False)}
    kinds = {"polyline", "curve", "segment", "circle", "polygon", "arc"}
    drawn = sorted({other.colour for other in look.target.scene.elements if other.type in kinds and other.colour})
    colour = find_colour(main, drawn, paths[0].colour, look.roughness)
    solid = read_marker_colour(look, points[0], _read_target_markers(look, mark)) if mark.kind == "line" else None
    by_markers = _find_marker_colour(solid, drawn)
    colour = by_markers or colour
    clear = main.seen & main.usable
    typical = float(np.median(main.contrast[clear])) if clear.any() else 0.0
    gaps = is_dashed(main)
    style = None if gaps is None else "dashed" if gaps else "solid"
    return {
        f"{mark.key}/presence": Observed(True),
        f"{mark.key}/colour": Observed(by_markers) if by_markers else read_line_colour(look, colour, paths[0].colour),
        f"{mark.key}/line_style": Observed(style, "" if style else "gaps cannot be told from crossings"),
        **(_read_markers(look, mark, points[0], colour) if mark.kind == "line" else {}),
    } | _read_values(look, mark, points, colour, FAINT * typical)


def leave_out_grid(course: Course, colour: str | None) -> Course:
    """Leave out places at which far less is seen than a line of a colour would show: a grid, not the line."""
    if colour is None:
        return course
    full = np.sqrt(((course.grounds - parse_rgb(colour)) ** 2).sum(axis=1))
    return replace(course, seen=course.seen & (course.contrast >= np.minimum(MOST_FAINT, FAINT_SHARE * full)))


def read_line_colour(look: Look, colour: str | None, expected: str | None) -> Observed:
    """Return the reading of a thin line's colour: hard compression leaves its lightness and little of its hue.

    Compression pales colours and never makes them stronger. A line in another colour of the scene, not a grey, has it.
    """
    if colour is None:
        return Observed(None, "too little of it is seen")
    if not expected or colour == expected or not look.is_rough or is_other_hue(colour, expected):
        return Observed(colour)
    is_another = colour in look.target.colours and _compute_chroma(colour) > PALE
    if is_another or _compute_chroma(colour) > _compute_chroma(expected) + STRONGER:
        return Observed(colour)
    if _is_right_colour(look, colour, expected):
        return Observed(expected)
    if measure_delta_e2000(colour, expected) <= LOST:
        return Observed(None, "the rendering is too rough for the colours of thin lines")
    return Observed(colour)


def is_other_hue(colour: str, expected: str) -> bool:
    """Return whether a hue differs clearly from the expected hue; compression pales thin lines but keeps hues."""
    (_, a, b), (_, other_a, other_b) = parse_lab(colour).tolist(), parse_lab(expected).tolist()
    chroma, other_chroma = _compute_chroma(colour), _compute_chroma(expected)
    if min(chroma, other_chroma) < PALE:
        return bool(chroma > 2.5 * PALE)
    return bool(a * other_a + b * other_b < TURNED * chroma * other_chroma)


def read_small_colour(look: Look, colour: str, expected: str | None) -> Observed:
    """Return the reading of a dot's or thin outline's colour, which even slight compression pales."""
    if look.roughness <= SMOOTH or expected is None:
        return Observed(colour)
    if _is_right_colour(look, colour, expected):
        return Observed(expected)
    return (
        Observed(None, TOO_ROUGH)
        if look.is_rough or measure_delta_e2000(colour, expected) <= LOST
        else Observed(colour)
    )


def read_asymptote(look: Look, mark: Mark) -> Observations:
    """Say whether an asymptote is drawn."""
    places, normals = sample_places_along(
        _move_with_axes(look, look.target.scene.elements[mark.elements[0]].parameters["points"]).tolist(), 2.0
    )
    course = follow_course(look.view, places, normals, LINE_REACH, two_sided=True)
    return {f"{mark.key}/presence": Observed(_compute_steady_share(course) > 0.25)}


def _find_courses(look: Look, view: EyeView, mark: Mark) -> list[Course]:
    """Follow the lines of a group; a line at zero is looked for between the bars, whose rims run along the line."""
    reach = REACH if mark.kind != "squares" else 5.0
    elements = look.target.scene.elements
    courses = [find_course(view, elements[index], reach, 4.0, ends=6.0) for index in mark.elements]
    if mark.kind == "zero_line":
        bars = np.zeros(view.pixels.shape[:2], bool)
        for element in elements:
            if element.type == "bar":
                cut_window(bars, grow_box(element.box, BESIDE_BARS))[...] = True
        courses = [replace(course, usable=course.usable & ~sample_mask(bars, course.places)) for course in courses]
    return [course for course in courses if course.usable.sum() >= 4]


def _is_pale_as_grid(look: Look, mark: Mark) -> bool:
    """Return whether a line at zero stands out far less than in the target, by itself or compared with the grid."""
    key = {"zero_line-x": "grid-y", "zero_line-y": "grid-x"}[mark.key]  # parallel to x: a line of the grid from y
    grid = next((other for other in look.target.marks if other.key == key), None)
    if grid is None:
        return False
    views = (look.view, look.target.view)
    line, own_line = (_compute_strength(_find_courses(look, view, mark)) for view in views)
    net, own_net = (max(1.0, _compute_strength(_find_courses(look, view, grid))) for view in views)
    own_ratio = own_line / own_net
    # Half of the ratio, as of logarithms: blur and thinner lines weaken line and grid, but not alike.
    return own_ratio >= CLEARLY_DARKER and (line / net < own_ratio**0.5 or line < PALEST * own_line)


def _compute_strength(courses: Sequence[Course]) -> float:
    """Return the usual contrast of lines, in levels of RGB; 0 where none is seen."""
    contrasts = [float(np.median(course.contrast[course.usable])) for course in courses]
    return float(np.median(contrasts)) if contrasts else 0.0


def _compute_steady_share(course: Course) -> float:
    """Return the share of places at which something was seen about equally far off as at most places."""
    usable = course.seen & course.usable
    if not usable.any():
        return 0.0
    offset = np.median(course.offsets[usable])
    # A line lies equally far off everywhere; chance finds lie now here, now there.
    steady = usable & (np.abs(course.offsets - offset) <= 1.5)
    return float(steady.sum() / max(1, course.usable.sum()))


def _find_line_along(look: Look, path: Element, points: Floats) -> Course:
    """Look for a line along points of the rendering."""
    places, normals = sample_places_along(points.tolist(), 2.0)
    return leave_out_grid(follow_course(look.view, places, normals, LINE_REACH, two_sided=True), path.colour)


def _relocate_vertex(look: Look, path: Element, points: Floats, course: Course) -> Floats | None:
    """Return the points of a line with the one vertex that lies far from its place moved to where the line runs.

    Args:
        look: At the rendering.
        path: The line in the target.
        points: Where its vertices should be.
        course: What is seen along them.

    Returns:
        None where no vertex is lost, or where the line runs elsewhere in several places: then it is another line.
    """
    lost = [place for place in range(len(points)) if _is_lost(look, path, points, place, course)]
    if not 0 < len(lost) <= MOST_LOST:
        return None
    best, most = None, FOUND[bool(path.parameters.get("dash"))]
    for place in lost:
        for height in _find_heights(look, path, points[place]):
            moved = points.copy()
            moved[place, 1] = height
            share = _find_line_along(look, path, moved[max(0, place - 1) : place + 2]).steady
            if share > most:
                best, most = moved, share
    return best


def _is_lost(look: Look, path: Element, points: Floats, place: int, course: Course) -> bool:
    """Return whether a line is seen neither at one of its vertices nor half way to the vertices beside it."""
    x = points[:, 0]
    low, high = (x[max(0, place - 1)] + x[place]) / 2, (x[place] + x[min(len(x) - 1, place + 1)]) / 2
    near = course.usable & (course.places[:, 0] >= low) & (course.places[:, 0] <= high)
    if not near.any() or float(course.seen[near].mean()) >= LOST_SHARE:
        return False
    # Where other lines cross or lie beside it, its own colour tells.
    shown = parse_rgb(path.colour or "#000000")
    least = FAINT * float(np.median(np.sqrt(((course.grounds - shown) ** 2).sum(axis=1))))
    steps = filter(None, (_find_point_beside(points, points[place], aside, False) for aside in BESIDE_VERTEX))
    return all(_measure_offset(look, at, normal, LINE_REACH, shown, least, True) is None for at, normal in steps)


def _find_heights(look: Look, path: Element, vertex: Floats) -> list[float]:
    """Return where anything as strong as a line is drawn straight above and below a vertex, in pixels from the top."""
    down = np.arange(0.5, look.view.pixels.shape[0], dtype=np.float32)
    heights: list[float] = []
    for aside in BESIDE_VERTEX:
        profile = sample_colours(look.view.rgb, np.column_stack([np.full_like(down, vertex[0] + aside), down]))
        ground = np.median(profile, axis=0)
        full = float(np.sqrt(((ground - parse_rgb(path.colour or "#000000")) ** 2).sum()))
        far = np.sqrt(((profile - ground) ** 2).sum(axis=1))
        runs = find_runs(far >= max(LEAST_CONTRAST, min(MOST_FAINT, FAINT_SHARE * full)))
        middles = [float((down[start:end] * far[start:end]).sum() / far[start:end].sum()) for start, end in runs]
        heights += [
            middle for middle in middles
            if min(abs(middle - known) for known in (float(vertex[1]), *heights)) > LINE_REACH / 3
        ]  # fmt: skip
    return [height for height in heights if abs(height - float(vertex[1])) > LINE_REACH]


def _read_markers(look: Look, mark: Mark, points: Floats, colour: str | None) -> Observations:
    """Say which shape the markers of a line of a chart have."""
    width = look.target.scene.elements[mark.elements[0]].number("width")
    return {f"{mark.key}/markers": read_marker_shape(look, points, _read_target_markers(look, mark), width, colour)}


def _read_target_markers(look: Look, mark: Mark) -> tuple[str, float]:
    """Return the shape of a line's markers in the target, and how many pixels they are wide."""
    _, *markers = (look.target.scene.elements[index] for index in mark.elements)
    return (str(markers[0].parameters["shape"]), markers[0].number("size")) if markers else (NO_MARKERS, USUAL_SIZE)


def _find_marker_colour(solid: str | None, candidates: Sequence[str]) -> str | None:
    """Return which colour of the scene's lines a line clearly has in its markers; None if they do not tell.

    A thin line never shows its full colour, so that half of a dark colour and a lighter one of its hue look alike.

    Args:
        solid: Colour in the middle of the markers; None where it is not seen.
        candidates: Colours of the scene's lines.
    """
    if solid is None or len(candidates) < 2:
        return None
    nearest, other = sorted(candidates, key=lambda candidate: measure_delta_e2000(solid, candidate))[:2]
    is_clear = measure_delta_e2000(solid, nearest) <= min(MARKER_SHADE, measure_delta_e2000(solid, other) / 2)
    return nearest if is_clear else None


def _compute_chroma(colour: str) -> float:
    """Return how colourful a colour is: 0 for greys, up to about 130."""
    _, a, b = parse_lab(colour).tolist()
    return float(np.hypot(a, b))


def _is_right_colour(look: Look, colour: str, expected: str) -> bool:
    """Return whether a colour seen in a rough picture is the right one, as well as compression lets it be seen."""
    off = measure_delta_e2000(colour, expected)
    others = (other for other in look.target.colours if other != expected)
    return off <= KEPT and all(off < measure_delta_e2000(colour, other) for other in others)


def _move_with_axes(look: Look, points: Any) -> Floats:
    """Return points of the plot area where the rendering's own axes put them."""
    (slope_x, offset_x), (slope_y, offset_y) = find_axis_move(look, "x"), find_axis_move(look, "y")
    moved: Floats = np.array(points, dtype=np.float32) * (slope_x, slope_y) + (offset_x, offset_y)
    return moved.astype(np.float32)


def _read_values(look: Look, mark: Mark, paths: Sequence[Floats], colour: str | None, least: float) -> Observations:
    """Read the heights of a line at the places of its values.

    Args:
        look: At the rendering.
        mark: The line or curve.
        paths: Its points where the rendering shows it, a branch each.
        colour: As seen.
        least: Contrast that the line has at least.
    """
    scale = look.scale("y")
    facts = [fact for fact in look.facts[mark.key] if fact.attribute == "value"]
    if scale is None:
        return {fact.key: Observed(None, "the axis has no scale") for fact in facts}
    if mark.kind == "curve":
        ats = _move_with_axes(look, [fact.details["at"] for fact in facts])
        paths = [sample_places_along(path.tolist(), 2.0)[0] for path in paths]
    else:
        ats = paths[0]
    shown = parse_rgb(colour) if colour else None
    return {
        fact.key: _read_value(look, fact, at, paths, shown, scale, least) for fact, at in zip(facts, ats, strict=True)
    }


def _read_value(
    look: Look, fact: Fact, at: Floats, paths: Sequence[Floats], colour: Floats | None, scale: AxisScale, least: float
) -> Observed:
    """Read the height at the place of a value: straight up and down on a line chart, across a curve."""
    tolerance = abs(scale(float(fact.tolerance or 0)) - scale(0.0))
    reach = max(10.0, 2.0 * tolerance + 6.0)
    is_curve = fact.kind == "curve"
    path = min(paths, key=lambda points: float(np.hypot(*(points - at).T).min()))
    # Beside the place where another line crosses it or a marker covers it; the first step that shows the line counts.
    steps = [
        _find_point_beside(path, at, aside, is_curve) for aside in (0.0, 2.0, -2.0, 4.0, -4.0, 6.0, -6.0, 9.0, -9.0)
    ]
    # Writing has the line's colour at times, so places with writing are the last resort, and only close by.
    for written, most in ((False, reach), (True, UNDER)):
        for place, normal in filter(None, steps):
            off = _measure_offset(look, place, normal, reach, colour, least, written)
            if off is None or abs(off) > most:
                continue
            height = float(at[1]) + off * (1.0 if not is_curve else float(np.sign(normal[1]) or 1.0))
            return Observed(round(scale.value(height), 4))
    # A value beyond the tolerance, so that the fact fails instead of being undecided.
    return Observed(round(scale.value(float(at[1]) + 1.5 * reach), 4), "no line runs there")


def _find_point_beside(path: Floats, at: Floats, aside: float, is_curve: bool) -> tuple[Floats, Floats] | None:
    """Return a point of a path some pixels beside a place, and the direction in which to look from it."""
    if is_curve:
        lengths = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(path, axis=0).T))])
        nearest = lengths[int(np.hypot(*(path - at).T).argmin())] + aside
        if not 0 <= nearest <= lengths[-1]:
            return None
        points = [[np.interp(nearest + by, lengths, path[:, axis]) for axis in (0, 1)] for by in (-1.5, 0.0, 1.5)]
        along = np.subtract(points[2], points[0])
        size = float(np.hypot(*along)) or 1.0
        return np.array(points[1], np.float32), np.array([-along[1] / size, along[0] / size], np.float32)
    x = float(at[0]) + aside
    if not float(path[0, 0]) - 0.5 <= x <= float(path[-1, 0]) + 0.5:
        return None
    return np.array([x, np.interp(x, path[:, 0], path[:, 1])], np.float32), np.array([0.0, 1.0], np.float32)


def _measure_offset(
    look: Look, place: Floats, normal: Floats, reach: float, colour: Floats | None, least: float, written: bool
) -> float | None:
    """Return how many pixels off a place the line of a colour is seen; None if no such line is seen.

    Writing has the colour of its line at times: it counts for one only if ``written``.
    """
    offsets = np.arange(-np.ceil(reach) - 8, np.ceil(reach) + 8.5, 0.5, dtype=np.float32)
    points = place[None, :] + offsets[:, None] * normal[None, :]
    profile = sample_colours(look.view.rgb, points)
    ground = np.median(profile, axis=0)
    differences = profile - ground
    far = np.sqrt((differences**2).sum(axis=1))
    # The line has about the ground's colour here: its direction from the ground would be noise.
    if colour is None or float(np.sqrt(((colour - ground) ** 2).sum())) < LEAST_CONTRAST:
        cover = far
    else:
        towards = colour - ground
        part = (differences @ towards) / float((towards**2).sum())
        beside = np.sqrt(((differences - part[:, None] * towards) ** 2).sum(axis=1))
        cover = np.where(beside < 0.45 * np.maximum(far, 1e-6) + 6, part, 0.0) * float(np.sqrt((towards**2).sum()))
    near = np.abs(offsets) <= reach
    if not written:
        near &= ~sample_mask(look.view.compute_once("writing", lambda: _find_writing(look)), points)
        if not near.any():
            return None
    top = float(cover[near].max())
    if top < max(LEAST_CONTRAST * 1.5, least):
        return None
    runs = find_runs((cover > 0.5 * top) & near)
    middles = [float((offsets[start:end] * cover[start:end]).sum() / cover[start:end].sum()) for start, end in runs]
    # Of several lines of the colour, the nearest to where the value lies.
    return min(middles, key=abs)


def _find_writing(look: Look) -> Mask:
    """Return where writing was found in the rendering."""
    mask = np.zeros(look.view.pixels.shape[:2], bool)
    for block in look.blocks:
        if block is not None:
            cut_window(mask, grow_box(block.box, 2))[...] = True
    return mask
