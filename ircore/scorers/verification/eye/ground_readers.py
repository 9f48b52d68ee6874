"""Observations of grounds, panels and coloured shapes, and of extras: drawn areas where the target shows nothing.

``READERS`` says which part of the eye looks at which kind of mark.
"""

import math
from functools import partial

import numpy as np
from scipy import ndimage

from ircore.core.records import Box, Element
from ircore.core.score_records import ExtraBox
from ircore.scorers.verification.eye import figure_readers, line_readers
from ircore.scorers.verification.eye.forms import compute_form, find_nearest_form, lay_over, measure_turn
from ircore.scorers.verification.eye.line_readers import read_line_colour
from ircore.scorers.verification.eye.look import Look, Observations, Reader, read_texts
from ircore.scorers.verification.eye.regions import (
    APART,
    AreaPlace,
    SeenArea,
    Target,
    draw_hole_mask,
    draw_outline_ring,
    find_area,
    find_place,
)
from ircore.scorers.verification.eye.strokes import SMOOTH
from ircore.scorers.verification.eye.view import (
    EyeView,
    Floats,
    Mask,
    Observed,
    cut_window,
    find_commonest_colour,
    format_rgb,
    grow_box,
    measure_delta_e2000,
    measure_lab_distance,
    parse_lab,
)
from ircore.scorers.verification.scene_facts import Mark
from ircore.scorers.verification.scene_facts.shapes import compute_radius, find_relations, is_hollow

VISIBLE = 0.75
"""Share of a shape that must lie open for its form to be told."""
THIN = 6.0
"""Pixels of an outline below which hard compression changes its colour."""
MOST_GROWTH = 2.5
"""Times the area of a shape in the target from which on a patch in its place is the ground, not the shape."""
SHADE, TINTED = 15.0, 9.0
"""Distance in L*a*b*, and ΔE2000, up to which an area of the ground may have another shade of its colour: of strong
colours, the first one alone would allow less than of pale ones."""
LEAST_COLOURED = 12
"""Pixels of its colour by which an element of a kind that nobody knows is looked for."""
LEAST_RADIUS = 13.0
"""Pixels: the form of smaller shapes is not told."""
DEEP, DEEPEST, BARE = 2.0, 4.0, 4.0
"""Pixels within a rim, or beyond it, from which on what is missing or added is no matter of a shaky hand or of coarse
pixels; how deep it is somewhere, or it is a strip that other proportions leave along a side; distance in L*a*b* up to
which the ground shows where a part is missing."""

EXTRA_APART = 16.0
"""Distance in L*a*b* from every ground from which on a pixel is drawn."""
LEAST = 45
"""Pixels of a thing that counts; specks and rims do not."""
THINNEST = 2.2
"""Pixels of mean width: what is thinner and not long is the rim of something expected."""

LITTERED, LOST = 0.25, 0.6
"""Shares of the free ground: covered from the first on, it casts doubt on all that is found, which may be chance; from
the second on, nothing can be told from chance."""
MOST_LITTERED = 0.99
"""Largest doubt, 0–1: a bound on the weight of what covers the ground."""
FRINGE = 5
"""Pixels beyond the slack: what reaches no farther is the blurred rim of something expected."""


def read_background(look: Look, mark: Mark) -> Observations:
    """Say which colour the ground has, outside panels and other areas of the ground."""
    free = ~look.target.explained
    for index, element in enumerate(look.target.scene.elements):
        if element.type in {"panel", "background"}:
            free &= ~look.target.outline(index)
    if free.sum() < 200:
        return {f"{mark.key}/colour": Observed(None, "too little of it is seen")}
    colour = find_commonest_colour(look.view.sample_lab(free))
    # Only pixels near the commonest colour: what else is drawn there would shift the colour.
    near = free & (measure_lab_distance(look.view.lab, colour) < 6)
    return {f"{mark.key}/colour": Observed(format_rgb(look.view.compute_median(near)))}


def read_panel(look: Look, mark: Mark) -> Observations:
    """Read the panel behind the data: whether its colour differs from the ground, and which colour it is."""
    mask = look.target.outline(mark.elements[0])
    free = mask & ~look.target.explained
    outside = ~mask & ~look.target.explained
    if free.sum() < 200 or outside.sum() < 200:
        return {f"{mark.key}/presence": Observed(None, "too little of it is seen")}
    colour, around = (
        find_commonest_colour(look.view.sample_lab(free)),
        find_commonest_colour(look.view.sample_lab(outside)),
    )
    if float(measure_lab_distance(colour, around)) < 2.0:
        return {f"{mark.key}/presence": Observed(False)}
    near = free & (measure_lab_distance(look.view.lab, colour) < 6)
    shown = format_rgb(look.view.compute_median(near))
    return {f"{mark.key}/presence": Observed(True), f"{mark.key}/colour": Observed(shown)}


def read_ground(look: Look, mark: Mark) -> Observations:
    """Read a ground of several colours: whether its areas have their own colours, not the main colour.

    Where every colour is a shade off, an area may look more like the target's main colour than like its own: it counts
    as well where it is near its own and stands out from the main colour that is seen.
    """
    scene = look.target.scene
    base = parse_lab(scene.background or "#ffffff")
    seen_base = look.view.compute_once("grounds", partial(_list_ground_colours, look.target, look.view))[-1]
    right = total = 0
    for index in mark.elements:
        element = scene.elements[index]
        free = look.target.outline(index) & ~look.target.find_hidden(index)
        if free.sum() < 120 or element.colour is None:
            continue
        own, seen_colour = parse_lab(element.colour), np.median(look.view.sample_lab(free), axis=0)
        total += 1
        off, contrast = (
            float(measure_lab_distance(seen_colour, own)),
            float(measure_lab_distance(seen_colour, seen_base)),
        )
        shade = measure_delta_e2000(format_rgb(look.view.compute_median(free)), element.colour)
        stands_out = min(off / SHADE, shade / TINTED) < 1 and contrast > 0.5 * float(measure_lab_distance(own, base))
        # A pale ground may be nearer to its colour than to the main one and differ from both: 2 is always near enough.
        right += off < max(2.0, float(measure_lab_distance(seen_colour, base))) or stands_out
    if not total:
        return {f"{mark.key}/presence": Observed(None, "too little of it is seen")}
    return {f"{mark.key}/presence": Observed(right >= 0.7 * total)}


def read_shape(look: Look, mark: Mark) -> Observations:
    """Read a shape: presence, form, colours, size, place and turn."""
    index = mark.elements[0]
    hidden, expected = look.target.find_hidden(index), look.target.shape(index)
    area, own = (_find_area(look.target, view, index) for view in (look.view, look.target.view))
    if area is None or own is None or _is_ground(look, area, own):
        return {f"{mark.key}/presence": Observed(False)}
    look.view.notes.setdefault("shapes", {})[mark.key] = area
    fill = _check_filling(area, expected, hidden)
    readings = {
        f"{mark.key}/presence": Observed(True),
        f"{mark.key}/colour": _read_colour(look, area, look.target.scene.elements[index]),
        f"{mark.key}/fill": Observed(fill, "" if fill else "too small to be told"),
        f"{mark.key}/outline": Observed(None, "too thin to be told"),
    }
    open_share = 1 - float((expected & hidden).sum()) / max(1, int(expected.sum()))
    if open_share < VISIBLE:
        why = "partly hidden by another shape"
        names = ("shape", "whole", "size", "place", "angle")
        return readings | {f"{mark.key}/{name}": Observed(None, why) for name in names}
    return readings | _compare_form(look.target, mark, area, own) | _measure_completeness(look, mark, area, own)


def read_other(look: Look, mark: Mark) -> Observations:
    """Read an element of which only box and colour are known: presence, colour and place of what has that colour."""
    index = mark.elements[0]
    place = look.target.view.compute_once(f"other {index}", lambda: _find_place(look.target, index))
    area, own = (find_area(view, place) for view in (look.view, look.target.view))
    if own is None:
        return {f"{mark.key}/presence": Observed(None, "too small or too faint to be told")}
    if area is None:
        return {f"{mark.key}/presence": Observed(False)}
    box = look.target.scene.elements[index].box
    (x, y, _), (own_x, own_y, _) = _compute_extent(area), _compute_extent(own)
    # As of shapes: what the eye misjudges in target and rendering alike cancels out.
    at = [(box.left + box.right) / 2 + x - own_x, (box.top + box.bottom) / 2 + y - own_y]
    return {
        f"{mark.key}/presence": Observed(True),
        f"{mark.key}/colour": Observed(area.colour),
        f"{mark.key}/place": Observed(at),
    }


def read_relations(look: Look) -> Observations:
    """Read the relations of shapes to one another, by their seen boxes."""
    areas: dict[str, SeenArea] = look.view.notes.get("shapes", {})
    readings: Observations = {}
    for mark in look.target.marks:
        for fact in look.facts.get(mark.key, []):
            if fact.attribute == "relation":
                both = areas.get(mark.key), areas.get(fact.details["other"])
                if both[0] and both[1]:
                    names = find_relations(both[0].box, both[1].box)
                    readings[fact.key] = Observed(
                        fact.expected if fact.expected in names else "/".join(names) or "none"
                    )
                else:
                    readings[fact.key] = Observed("absent", "one of the two is not there")
    return readings


def find_extras(look: Look) -> list[ExtraBox]:
    """Find drawn areas where nothing is expected, the largest first."""
    return [*look.view.compute_once("extras", lambda: _find_extra_areas(look))]


READERS: dict[str, Reader] = {
    "bar": figure_readers.read_bar,
    "pie": figure_readers.read_pie,
    "wedge": figure_readers.read_wedge,
    "line": line_readers.read_line,
    "curve": line_readers.read_line,
    "asymptote": line_readers.read_asymptote,
    **dict.fromkeys(("axis", "frame", "grid", "leaders", "squares", "ticks", "zero_line"), line_readers.read_group),
    **dict.fromkeys(
        ("segment", "polygon", "circle", "arc", "angle", "right_angle", "tick", "arrowhead"), figure_readers.read_stroke
    ),
    **dict.fromkeys(("point", "dot"), figure_readers.read_point),
    **dict.fromkeys(("area", "disc", "sector"), figure_readers.read_tint),
    "background": read_background,
    "panel": read_panel,
    "ground": read_ground,
    "shape": read_shape,
}


def read_all(look: Look) -> Observations:
    """Return the reading of each fact of a target; facts without a reading are left out."""
    return {**look.view.compute_once("readings", lambda: _read_marks(look))}


def _find_place(target: Target, index: int) -> AreaPlace:
    """Return where to look for an element: where the target has its colour, or all of its outline if hardly there."""
    element, hidden, outline = target.scene.elements[index], target.find_hidden(index), target.outline(index)
    if element.colour is not None:
        coloured = outline & (measure_lab_distance(target.view.lab, parse_lab(element.colour)) < APART)
        if (coloured & ~hidden).sum() >= LEAST_COLOURED:
            return find_place(coloured, hidden)
    return find_place(outline, hidden)


def _read_colour(look: Look, area: SeenArea, element: Element) -> Observed:
    """Return the reading of a shape's colour; a thin outline's colour may be lost in a rough rendering."""
    width = float(element.parameters.get("outline_width") or 0)  # type: ignore[arg-type]
    if is_hollow(element) and width < THIN and look.roughness > SMOOTH:
        return read_line_colour(look, area.colour, element.colour)
    return Observed(area.colour)


def _is_ground(look: Look, area: SeenArea, own: SeenArea) -> bool:
    """Return whether the area seen at a shape's place is ground: it has the ground's colour or is much too large."""
    if area.mask.sum() > MOST_GROWTH * own.mask.sum():
        return True
    colour, wanted = parse_lab(area.colour), parse_lab(own.colour)
    grounds = [
        view.compute_once("grounds", partial(_list_ground_colours, look.target, view))
        for view in (look.view, look.target.view)
    ]
    pairs = zip(*grounds, strict=True)
    # Unless the shape has the ground's colour in the target, too.
    return any(
        float(measure_lab_distance(colour, ground)) < APART <= float(measure_lab_distance(wanted, former))
        for ground, former in pairs
    )


def _list_ground_colours(target: Target, view: EyeView) -> list[Floats]:
    """Return the colours of the areas of the ground in a view."""
    areas = [target.outline(k) for k, element in enumerate(target.scene.elements) if element.type == "background"]
    rest = ~np.any(areas, axis=0) if areas else np.ones_like(target.explained)
    free = [area & ~target.explained for area in [*areas, rest]]
    return [find_commonest_colour(view.sample_lab(mask)) if mask.sum() > 60 else view.background for mask in free]


def _find_area(target: Target, view: EyeView, index: int) -> SeenArea | None:
    """Look for a shape in a view; an area seen in the target's own view is kept in that view."""
    place = target.view.compute_once(f"place {index}", lambda: _find_shape_place(target, index))
    return view.compute_once(f"area {index}", lambda: find_area(view, place))


def _find_shape_place(target: Target, index: int) -> AreaPlace:
    """Return where to look for a shape: of a hollow shape its rim, of a ring all but its hole."""
    element, expected = target.scene.elements[index], target.shape(index)
    sought = (
        draw_outline_ring(element, expected) if is_hollow(element) else expected & ~draw_hole_mask(element, expected)
    )
    return find_place(sought, target.find_hidden(index))


def _check_filling(area: SeenArea, expected: Mask, hidden: Mask) -> str | None:
    """Return whether the middle of a shape has the shape's colour; None if the middle is hidden or too small."""
    rows, columns = np.nonzero(expected)
    x, y, wide, high = columns.mean(), rows.mean(), np.ptp(columns) / 5, np.ptp(rows) / 5
    middle = np.zeros_like(expected)
    middle[int(y - high) : int(y + high) + 1, int(x - wide) : int(x + wide) + 1] = True
    middle &= expected & ~hidden
    if middle.sum() < 20:
        return None
    return "filled" if float(area.mask[middle].mean()) > 0.5 else "hollow"


def _compare_form(target: Target, mark: Mark, area: SeenArea, own: SeenArea) -> Observations:
    """Compare a shape with the same shape as seen in the target."""
    element = target.scene.elements[mark.elements[0]]
    (x, y, size), (own_x, own_y, own_size) = _compute_extent(area), _compute_extent(own)
    box, radius = element.box, compute_radius(element)
    # By the difference to the eye's own reading of the target: what it misjudges in both cancels out.
    at = [(box.left + box.right) / 2 + x - own_x, (box.top + box.bottom) / 2 + y - own_y]
    readings = {
        f"{mark.key}/size": Observed(round(radius * size / own_size, 2)),
        f"{mark.key}/place": Observed(at),
    }
    if radius < LEAST_RADIUS:
        return readings | {f"{mark.key}/{name}": Observed(None, "too small to be told") for name in ("shape", "angle")}
    seen_form, wanted = (
        compute_form(area.mask),
        target.view.compute_once(f"form {mark.key}", lambda: compute_form(own.mask)),
    )
    kind = find_nearest_form(seen_form, wanted, element.type)
    readings[f"{mark.key}/shape"] = Observed(kind, "" if kind else "too much like several forms")
    if kind == element.type:
        turn = (float(element.parameters.get("rotation", 0)) + measure_turn(wanted, seen_form)) % 360  # type: ignore[arg-type]
        readings[f"{mark.key}/angle"] = Observed(round(turn, 1))
    return readings


def _measure_completeness(look: Look, mark: Mark, area: SeenArea, own: SeenArea) -> Observations:
    """Say how much of a shape is missing or added, in parts of its area: notches, bumps, cut-off parts."""
    index, key = mark.elements[0], f"{mark.key}/whole"
    element = look.target.scene.elements[index]
    # Pixels of the rendering that are larger than those of the target count as such.
    finest = min(1.0, look.detail)
    if compute_radius(element) * finest < LEAST_RADIUS:
        return {key: Observed(None, "too small to be told")}
    wanted = [own.mask]
    if element.parameters.get("outline"):
        # Where colours run into each other, the face reaches to the outer rim of a dark outline.
        wanted.append(look.target.shape(index) & ~draw_hole_mask(element, look.target.shape(index)))
    share = min(_compute_deviating_share(look, area, mask, index, finest) for mask in wanted)
    return {key: Observed(share, f"{100 * share:.1f} % of it is missing or added")}


def _compute_deviating_share(look: Look, area: SeenArea, wanted: Mask, index: int, finest: float) -> float:
    """Return the share of a shape, laid over the seen area, that the area lacks or has too much, beyond the rim."""
    rows, columns = (np.flatnonzero((wanted | area.mask).any(axis=axis)) for axis in (1, 0))
    box = grow_box(Box(int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1), 12)
    seen, expected = cut_window(area.mask, box), lay_over(cut_window(wanted, box), cut_window(area.mask, box))
    # A shaded part has another colour than the rest, but the ground's only where the ground shows.
    grounds = look.view.compute_once("grounds", partial(_list_ground_colours, look.target, look.view))
    bare = np.any([measure_lab_distance(cut_window(look.view.lab, box), ground) < BARE for ground in grounds], axis=0)
    free = ~cut_window(look.target.others(index), box)
    missing = _find_deviating_parts(~seen & bare & free, np.asarray(ndimage.distance_transform_edt(expected)), finest)
    added = _find_deviating_parts(seen & free, np.asarray(ndimage.distance_transform_edt(~expected)), finest)
    off = missing | added
    return round(float(off.sum() / expected.sum()), 4)


def _find_deviating_parts(off: Mask, depths: Floats, finest: float) -> Mask:
    """Return the pixels of notches, bumps and cut-off parts: connected, and somewhere far from the rim.

    Args:
        off: What is missing, or added.
        depths: Pixels from the rim.
        finest: Pixels of the rendering for a pixel of the target, at most 1.
    """
    pieces, count = ndimage.label(off & (depths > DEEP / finest), np.ones((3, 3)))
    deepest = np.asarray(ndimage.maximum(depths, pieces, np.arange(1, count + 1)))
    mask: Mask = np.concatenate([[False], deepest >= DEEPEST / finest])[pieces]
    return mask


def _compute_extent(area: SeenArea) -> tuple[float, float, float]:
    """Return the middle of an area's box, x and y, and the half of its longer side, in pixels."""
    box = area.box
    return (
        (box.left + box.right) / 2,
        (box.top + box.bottom) / 2,
        max(box.right - box.left, box.bottom - box.top) / 2,
    )


def _find_extra_areas(look: Look) -> list[ExtraBox]:
    lab = look.view.lab
    # Labels may stand some pixels off their place, so writing that was found is explained where it is.
    explained = look.target.explained.copy()
    for block in look.writing:
        if block is not None:
            cut_window(explained, grow_box(block.box, 4))[...] = True
    grounds = _list_extra_grounds(look, explained)
    far = np.min([measure_lab_distance(lab, ground) for ground in grounds], axis=0)
    # Compression leaves ripples beside everything drawn: in rough pictures ink must differ more.
    ink = (far > EXTRA_APART + min(24.0, 80 * look.roughness)) & ~explained
    litter = _find_littered_page(look, far > EXTRA_APART, ~explained)
    # Lines a pixel wide are rims of blur and compression.
    ink = _open_mask(ink)
    if not ink.any():
        return [*litter, *sorted(look.beyond.things, key=lambda extra: -extra.weight)[: 40 - len(litter)]]
    parts, count = ndimage.label(ink, np.ones((3, 3)))
    sizes = ndimage.sum_labels(ink, parts, np.arange(1, count + 1))
    away = ink & ~ndimage.binary_dilation(explained, iterations=FRINGE)
    reaching = ndimage.sum_labels(away, parts, np.arange(1, count + 1))
    extras, places = [*look.beyond.things], ndimage.find_objects(parts)
    for number in np.flatnonzero((sizes >= LEAST * (2 if look.is_rough else 1)) & (reaching > 0)) + 1:
        extra = _build_extra(places[number - 1], float(sizes[number - 1]))
        if extra is not None:
            extras.append(extra)
    return [*litter, *sorted(extras, key=lambda extra: -extra.weight)[: 40 - len(litter)]]


def _open_mask(ink: Mask) -> Mask:
    """Return the part of a mask that squares of 2 × 2 pixels fill: its opening by them."""
    squares = ink[:-1, :-1] & ink[1:, :-1] & ink[:-1, 1:] & ink[1:, 1:]
    thick = np.zeros_like(ink)
    for rows in (slice(None, -1), slice(1, None)):
        for columns in (slice(None, -1), slice(1, None)):
            thick[rows, columns] |= squares
    return thick


def _find_littered_page(look: Look, drawn: Mask, free: Mask) -> list[ExtraBox]:
    """Return the whole page as an extra if much of its free ground is covered, as by noise, or much lies beyond it.

    On such a page something is found wherever the eye looks. The weight is the odds of the doubt, in weights of all
    facts, so that even a page on which every fact is found keeps one less the doubt of its score.
    """
    covered = float((drawn & free).sum()) / max(1, int(free.sum()))
    height, width = free.shape
    doubts = [
        (min(MOST_LITTERED, (covered - LITTERED) / (LOST - LITTERED)), Box(0, 0, width, height)),
        # The drawing may lie on another picture.
        (look.beyond.doubt, look.beyond.canvas),
    ]
    weights = math.fsum(fact.weight for fact in look.target.facts)
    return [ExtraBox(box, round(weights * doubt / (1 - doubt), 3)) for doubt, box in doubts if doubt > 0]


def _list_extra_grounds(look: Look, explained: Mask) -> list[Floats]:
    """Return the colours of the ground: the commonest colour, and the colours of panels and ground areas."""
    free = ~explained
    plain, areas = free.copy(), []
    for index, element in enumerate(look.target.scene.elements):
        if element.type in {"panel", "background"}:
            areas.append(look.target.outline(index) & free)
        if element.type == "background":
            plain &= ~look.target.outline(index)
    outside = free.copy()
    # The rim of the page: a renderer may leave a margin of another colour about its figure.
    outside[20:-20, 20:-20] = False
    visible_areas = [area for area in (*areas, plain, outside) if area.sum() > 60]
    return [look.view.background, *(find_commonest_colour(look.view.sample_lab(area)) for area in visible_areas)]


def _build_extra(place: tuple[slice, ...], size: float) -> ExtraBox | None:
    rows, columns = place
    box = Box(columns.start, rows.start, columns.stop, rows.stop)
    long = max(box.right - box.left, box.bottom - box.top)
    if size / long < THINNEST and long < 40:
        return None
    return ExtraBox(box, round(min(3.0, 0.4 + size / 1500 + long / 200), 3))


def _read_marks(look: Look) -> Observations:
    readings = read_texts(look)
    for mark in look.target.marks:
        reader = read_other if mark.form == "other" else READERS.get(mark.kind)
        if reader is not None and mark.form != "text":
            readings |= reader(look, mark)
    return readings | read_relations(look)
