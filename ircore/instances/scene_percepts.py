"""A scene as an error-free percept, so that the built-in describer's words can state it.

Any category may use any type of element with any parameters. The types that this project draws itself are read in a
form of their own, such as a bar with value, baseline, category, series and orientation. Programs rest only on scenes in
which every element states what its type defines.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from ircore.core import exact
from ircore.core.drawing import AxisScale, Point, arc_points, find_sector_start
from ircore.core.records import Element, Scene
from ircore.instances.synthesis.scenes import is_fitting_parameter
from ircore.seeing.percepts import (
    Backdrop,
    Bar,
    Bars,
    Grid,
    Percept,
    Perception,
    Pie,
    Shape,
    Stroke,
    Text,
    Ticks,
    join_boxes,
    split_series,
)

PLAIN = "plain_"
"""Before the type of an element that lacks what the type defines."""

NEEDED: dict[str, tuple[str, ...]] = {
    "angle": ("points", "degrees"), "arc": ("points",), "arrowhead": ("points",), "asymptote": ("points",),
    "axis": ("axis", "data_range", "pixel_range", "points"),
    "bar": ("value", "baseline", "category", "series", "orientation"), "curve": ("points", "function", "formula"),
    "frame": ("points",), "grid_line": ("start", "end"), "gridline": ("axis", "points"), "leader": ("points",),
    "area": (), "disc": (), "marker": ("shape", "centre"), "panel": (),
    "point": ("name", "centre", "radius"), "polygon": ("corners", "points"),
    "polyline": ("points", "series", "values", "categories"), "right_angle": ("points",),
    "sector": ("centre", "radius", "degrees"), "segment": ("points", "start", "end"), "tick": ("points",),
    "wedge": ("category", "share", "start", "centre", "radius", "hole", "exploded"), "zero_line": ("axis", "points"),
    **dict.fromkeys(
        ("arrow", "cross", "diamond", "hexagon", "octagon", "parallelogram", "pentagon", "rectangle", "right_triangle",
         "square", "star", "trapezoid", "triangle"), ("centre", "corners"),
    ),
    **dict.fromkeys(("circle", "ellipse", "half_circle", "quarter_circle", "ring"), ("centre", "radius")),
}  # fmt: skip
"""Parameters of each drawn type that facts and eye rest on, beside the colour."""


def complete_scene(scene: Scene) -> Scene:
    """Return a scene in which every element states what its type defines, each parameter in its own form.

    Parameters in another form are left out, and an element that then lacks something is of a kind of its own: its type
    begins with ``plain_``. A scene of this project comes back as it is.
    """
    elements = tuple(map(_complete_element, scene.elements))
    same = all(new is old for new, old in zip(elements, scene.elements, strict=True))
    return scene if same else scene.model_copy(update={"elements": elements})


def find_missing_parameters(element: Element) -> tuple[str, ...]:
    """Return what an element of a known type does not state, or states in another form; empty of unknown types."""
    if element.type in NEEDED and element.colour is None:
        return ("colour",)
    needed = NEEDED.get(element.type, ())
    if element.type == "marker" and "series" not in element.parameters:
        needed = (*needed, "x", "y")
    if element.type == "asymptote" and "x" not in element.parameters:
        needed = (*needed, "y")
    if element.type == "tick_label" and "axis" in element.parameters:
        needed = ("axis", "value")
    missing = tuple(name for name in needed if element.parameters.get(name) is None or name in _find_misfits(element))
    about = element.parameters
    if element.type == "polyline" and not missing:
        counts = [len(about[name]) for name in ("points", "values", "categories")]  # type: ignore[arg-type]
        return () if len(set(counts)) == 1 else ("values",)
    return missing


def _find_misfits(element: Element) -> set[str]:
    """Return the names of parameters that are not in the form that facts and eye read under these names."""
    return {
        name
        for name, value in element.parameters.items()
        if not is_fitting_parameter(element.type, name, value) and (name, value) != ("outline", None)
    }


def _complete_element(element: Element) -> Element:
    misfits = _find_misfits(element)
    # A text is read as a text, whatever else its type would be.
    is_plain = element.type in NEEDED and (bool(find_missing_parameters(element)) or element.text is not None)
    if element.type == "tick_label" and find_missing_parameters(element):
        misfits.add("axis")
    if not misfits and not is_plain:
        return element
    kept = {name: value for name, value in element.parameters.items() if name not in misfits}
    return element.model_copy(
        update={"type": (PLAIN + element.type)[:100] if is_plain else element.type, "parameters": kept}
    )


REGULAR = ("pentagon", "hexagon", "octagon")
SAME = 1e-6

RIM = 7
"""Straight pieces by which half or a quarter of a circle is said."""


def perceive_scene(scene: Scene) -> Perception:
    """Return a scene as percepts, back to front; things drawn alike share a percept."""
    scene = complete_scene(scene)
    percepts: list[Percept] = []
    done: set[str] = set()
    for element in scene.elements:
        group = _GROUPS.get(element.type)
        # In geometry a tick is a short stroke that marks equal sides.
        if element.type == "tick" and "axis" not in element.parameters:
            group = None
        if group is None:
            percepts += _perceive_single(element)
        elif element.type not in done:
            done.add(element.type)
            percepts += group(scene)
    backdrop = Backdrop(scene.background or "#ffffff")
    return Perception(scene.width, scene.height, backdrop, tuple(percepts))


def _select_by_type(scene: Scene, kind: str) -> list[Element]:
    return [element for element in scene.elements if element.type == kind]


def _perceive_bars(scene: Scene) -> Iterator[Percept]:
    bars = _select_by_type(scene, "bar")
    upright = bars[0].parameters["orientation"] == "vertical"
    base = _find_zero(scene, "y" if upright else "x", bars)
    bar_percepts = [_perceive_bar(element, upright) for element in bars]
    yield from split_series(Bars(upright, base, tuple(bar_percepts)))


def _perceive_bar(element: Element, upright: bool) -> Bar:
    left, top, right, bottom = element.box
    start, end = (left, right) if upright else (top, bottom)
    negative = element.number("value") < 0
    tip = (bottom if negative else top) if upright else (left if negative else right)
    outline = element.parameters.get("outline")
    edge = (str(outline), 1.0) if outline else None
    return Bar(element.colour or "", float(start), float(end), float(tip), element.box, edge)


def _find_zero(scene: Scene, axis: str, bars: Sequence[Element]) -> float:
    """Return the pixel at which bars begin: of the value 0 on their axis."""
    for element in _select_by_type(scene, "axis"):
        if element.parameters.get("axis") == axis:
            low, high = element.numbers("data_range")
            start, end = element.numbers("pixel_range")
            return round(AxisScale(low, high, start, end)(0.0))
    upright = axis == "y"
    lowest = [bar for bar in bars if abs(bar.number("baseline")) < SAME and bar.number("value") > 0]
    return float(lowest[0].box.bottom if upright else lowest[0].box.left)


def _perceive_pie(scene: Scene) -> Iterator[Percept]:
    wedges = _select_by_type(scene, "wedge")
    # A wedge that is pulled out has a centre of its own, which is not the pie's.
    whole = next((wedge for wedge in wedges if not wedge.parameters["exploded"]), wedges[0])
    centre, radius = whole.point("centre"), whole.number("radius")
    pulled = tuple(float(round(exact.dist(wedge.point("centre"), centre))) for wedge in wedges)
    yield Pie(
        centre=centre,
        radius=radius,
        hole=whole.number("hole"),
        # Scenes count from 3 o'clock, describers from 12 o'clock, both clockwise; brought to −180 to 180.
        start=(wedges[0].number("start") + 90 + 180) % 360 - 180,
        wedges=tuple((wedge.colour or "", wedge.number("share") / 100) for wedge in wedges),
        border=(str(whole.parameters["outline"]), whole.number("outline_width")),
        box=join_boxes([wedge.box for wedge in wedges]),
        pulled=pulled if any(pulled) else (),
    )


def _perceive_grids(scene: Scene) -> Iterator[Percept]:
    """Yield parallel gridlines of one look together."""
    groups: dict[tuple[bool, str, str], list[Element]] = {}
    for element in [*_select_by_type(scene, "gridline"), *_select_by_type(scene, "grid_line")]:
        first, last = _find_ends(element)
        groups.setdefault((abs(first[1] - last[1]) < SAME, element.colour or "", _describe_dash(element)), []).append(
            element
        )
    for (horizontal, colour, dash), lines in groups.items():
        along, across = (0, 1) if horizontal else (1, 0)
        low, high = sorted(end[along] for end in _find_ends(lines[0]))
        places = sorted(_find_ends(line)[0][across] for line in lines)
        yield Grid(colour, lines[0].number("width", 1.0), horizontal, tuple(places), low, high, dash)


def _perceive_lines(scene: Scene) -> Iterator[Percept]:
    """Yield the lines of a chart; round markers belong to the percept of their line."""
    for line in _select_by_type(scene, "polyline"):
        markers = [
            marker
            for marker in _select_by_type(scene, "marker")
            if marker.parameters.get("series") == line.parameters["series"]
        ]
        # The describer's words for a line know round markers alone; others are told as shapes of their own.
        if markers and all(marker.parameters["shape"] in ("circle", "ring") for marker in markers):
            yield replace(_perceive_stroke(line), marker=markers[0].number("size") / 2)
        else:
            yield _perceive_stroke(line)
            yield from map(_perceive_area, markers)


def _perceive_points(scene: Scene) -> Iterator[Percept]:
    """Yield the marked points of graphs; markers of lines in charts belong to their lines."""
    yield from (
        _perceive_area(marker) for marker in _select_by_type(scene, "marker") if "series" not in marker.parameters
    )


def _perceive_ticks(scene: Scene) -> Iterator[Percept]:
    """Yield the ticks of each axis together."""
    ticks = [element for element in _select_by_type(scene, "tick") if "axis" in element.parameters]
    for axis in dict.fromkeys(str(element.parameters["axis"]) for element in ticks):
        own = [element for element in ticks if element.parameters["axis"] == axis]
        along, across = (0, 1) if axis == "x" else (1, 0)
        low, high = sorted(end[across] for end in _find_ends(own[0]))
        line = next(
            (
                _find_ends(known)[0][across]
                for known in _select_by_type(scene, "axis")
                if known.parameters["axis"] == axis
            ),
            low,
        )
        side = "across" if low < line - 1.5 and high > line + 1.5 else "outside"
        if side == "outside" and (high <= line + 1.5) == (axis == "x"):
            side = "inside"
        places = tuple(sorted(_find_ends(element)[0][along] for element in own))
        boxes = [element.box for element in own]
        yield Ticks(own[0].colour or "", high - low, axis, places, join_boxes(boxes), side)


_GROUPS: dict[str, Callable[[Scene], Iterator[Percept]]] = {
    "bar": _perceive_bars,
    "wedge": _perceive_pie,
    "gridline": _perceive_grids,
    "grid_line": _perceive_grids,
    "tick": _perceive_ticks,
    "polyline": _perceive_lines,
    "marker": _perceive_points,
}
"""Elements that are said together."""


def _perceive_single(element: Element) -> Iterator[Percept]:
    """Yield the percepts of one element."""
    if element.text is not None:
        yield _perceive_text(element)
    elif element.type in ("segment", "axis", "frame", "leader", "zero_line", "asymptote", "tick"):
        yield _perceive_stroke(element)
    elif element.type in ("curve", "arc", "angle", "right_angle", "arrowhead"):
        path = np.array(element.points("points"))
        # Only here: what draws and reads language takes longer to import than most commands take.
        from ircore.players.builtin_language import name_curve

        yield name_curve(path, element.colour or "", element.number("width"), _describe_dash(element))
    elif element.type in ("circle", "polygon") and "width" in element.parameters:
        yield _perceive_outline(element)
    elif element.type in ("patch", "arrow_head"):
        return  # too small to be worth a word
    else:
        yield _perceive_area(element)


def _perceive_text(element: Element) -> Text:
    box = element.box
    centre = ((box.left + box.right) / 2, (box.top + box.bottom) / 2)
    ink = 0.35 * (box.right - box.left) * (box.bottom - box.top)
    size, turn = element.number("size"), element.number("rotation")
    return Text(element.text or "", element.colour or "", size, centre, turn, ink, box)


def _perceive_stroke(element: Element) -> Stroke:
    axis = element.parameters.get("axis")
    role = f"{axis} axis" if element.type == "axis" else "curve" if element.type == "polyline" else "line"
    return Stroke(
        element.colour or "",
        element.number("width"),
        tuple(element.points("points")),
        dash=_describe_dash(element),
        role=role,
    )


def _perceive_outline(element: Element) -> Shape:
    """Return a closed line of geometry as an unfilled shape."""
    edge = (element.colour or "", element.number("width"))
    if element.type == "circle":
        radius = element.number("radius")
        return _build_round_shape("circle", None, element.point("centre"), (2 * radius, 2 * radius), edge, element)
    corners = tuple(element.points("corners"))
    return _build_shape("triangle" if len(corners) == 3 else "polygon", None, corners, edge, element)


def _perceive_area(element: Element) -> Shape:
    """Return a filled shape, a dot, or the tint of an area."""
    about = element.parameters
    width = element.number("outline_width")
    edge = (str(about["outline"]), width) if about.get("outline") else None
    colour = element.colour if about.get("filled", True) else None
    if element.type in ("marker", "point", "disc") and "centre" in about:
        radius = element.number("radius") or element.number("size") / 2
        return _build_round_shape("circle", colour, element.point("centre"), (2 * radius, 2 * radius), None, element)
    if element.type in ("circle", "ellipse", "ring"):
        radius = element.number("radius") - width / 2
        second = {"circle": radius, "ellipse": 0.6 * radius, "ring": element.number("inner_radius")}[element.type]
        return _build_round_shape(
            element.type, colour, element.point("centre"), (2 * radius, 2 * second), edge, element
        )
    corners = _compute_corners(element)
    kind = element.type if element.type in ("triangle", "star") else "regular" if element.type in REGULAR else "polygon"
    return _build_shape(kind, colour, corners, edge, element)


def _compute_corners(element: Element) -> tuple[Point, ...]:
    about = element.parameters
    if "corners" in about or "points" in about:
        return tuple(element.points("corners" if "corners" in about else "points"))
    if element.type == "sector":
        centre, radius, degrees = element.point("centre"), element.number("radius"), element.number("degrees")
        start = find_sector_start(centre, radius, degrees, element.box)
        return (centre, *arc_points(centre, (radius, radius), start, start + degrees))
    if element.type in ("half_circle", "quarter_circle"):
        begin, end = (180, 360) if element.type == "half_circle" else (270, 360)
        turn, radius = element.number("rotation"), element.number("radius") - element.number("outline_width") / 2
        rim = arc_points(element.point("centre"), (radius, radius), begin + turn, end + turn)
        few = [rim[round(share * (len(rim) - 1) / RIM)] for share in range(RIM + 1)]
        return (*few, element.point("centre")) if element.type == "quarter_circle" else tuple(few)
    left, top, right, bottom = element.box
    return ((left, top), (right, top), (right, bottom), (left, bottom))


def _build_round_shape(
    kind: str, colour: str | None, centre: Point, size: Point, edge: tuple[str, float] | None, element: Element
) -> Shape:
    rotation = element.number("rotation") if kind == "ellipse" else 0.0
    area = math.pi * size[0] * size[1] / 4 if colour else math.pi * size[0] * (edge[1] if edge else 1.0)
    return Shape(kind, colour, centre, size, rotation, (), edge, area, element.box)


def _build_shape(
    kind: str, colour: str | None, corners: tuple[Point, ...], edge: tuple[str, float] | None, element: Element
) -> Shape:
    xs, ys = [x for x, _ in corners], [y for _, y in corners]
    centre, size, rotation = (
        ((min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2),
        (max(xs) - min(xs), max(ys) - min(ys)),
        0.0,
    )
    if kind in ("star", "regular"):
        centre = (math.fsum(xs) / len(xs), math.fsum(ys) / len(ys))
        outer, inner = exact.dist(centre, corners[0]), exact.dist(centre, corners[1])
        size = (2 * outer, 2 * inner)
        # From 12 o'clock, clockwise: y grows downwards.
        noon = math.degrees(exact.atan2(corners[0][0] - centre[0], centre[1] - corners[0][1]))
        # A star has two corners for each of its points, an outer and an inner one.
        step = 360 / (len(corners) / (2 if kind == "star" else 1))
        # The smallest turn that looks the same, such as −10° in place of 62° for a pentagon.
        rotation = (noon + step / 2) % step - step / 2
    elif len(corners) == 4 and len({round(x) for x, _ in corners}) == len({round(y) for _, y in corners}) == 2:
        kind = "square" if abs(size[0] - size[1]) <= 1 else "rectangle"
        corners = ()
    area = size[0] * size[1] * (0.6 if corners else 1.0) if colour else 2 * math.fsum(size) * (edge[1] if edge else 1)
    return Shape(kind, colour, centre, size, rotation, corners, edge, area, element.box)


def _find_ends(element: Element) -> tuple[Point, Point]:
    if "points" in element.parameters:
        first, *_, last = element.points("points")
        return first, last
    return element.point("start"), element.point("end")


def _describe_dash(element: Element) -> str:
    lengths = element.numbers("dash") if "dash" in element.parameters else []
    if not lengths:
        return "solid"
    return "dash-dot" if len(lengths) > 2 else "dotted" if lengths[0] <= 3 else "dashed"
