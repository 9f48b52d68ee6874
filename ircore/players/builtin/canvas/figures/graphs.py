"""Graphs of functions: formulas, points that curves go through, marked points, areas; and the plane that holds them."""

import math
import re
from dataclasses import dataclass, field, replace

from ircore.core.drawing import AxisScale, Point
from ircore.players.builtin.canvas.figures.figure import Figure, find_axis_mentions
from ircore.players.builtin.canvas.figures.frame import (
    DASHES,
    FONT,
    PALETTE,
    build_frame_lines,
    build_ground,
    build_titles,
    choose_ink,
    find_span,
    list_ticks,
    mix_tint,
)
from ircore.players.builtin.canvas.figures.prose import (
    HEX,
    NUMBER,
    count_decimals,
    find_colours,
    find_quoted,
    format_number,
)
from ircore.players.builtin.canvas.figures.values import Function, find_dash_style, find_formula
from ircore.players.builtin.canvas.quantities import find_first_colour
from ircore.players.builtin.canvas.shapes import Blob, Item, Label, LineItem, build_polygon
from ircore.players.builtin.canvas.sheet import Place

_AT = rf"\(\s*({NUMBER})\s*,\s*({NUMBER})\s*\)"
_POINT = re.compile(_AT)
_NOUN = re.compile(
    r"\b(?:curves?|parabolas?|hyperbola|cubic|function|branch(?:es)?|pieces?|segments?|straight line|tangent"
    r"|sine|cosine|wave|graph"
    r"|line(?! (?:at|chart|width)))\b", re.IGNORECASE,
)  # fmt: skip
_NOT_OF_CURVE = re.compile(
    rf"{HEX}(?=[^,.;#]{{0,30}}\b(?:background|panel|grid|frame|axes|axis|canvas|dots?|points?|lines? (?:at"
    rf"|mark)|plot area)\b)"
    rf"|\b(?:background|panel|area|filled with)\W+(?:\w+\W+){{0,3}}{HEX}", re.IGNORECASE,
)  # fmt: skip
_ALONG = (
    (
        re.compile(
            rf"\bcross\w*\s+(?:the x axis |it |zero )?(?:again )?at\s+(?:x = )?({NUMBER}(?:(?:, | and "
            rf"|, and ){NUMBER})*)"
        ),
        "x",
    ),
    (re.compile(rf"\b(?:zeros?|roots?) at\s+(?:x = )?({NUMBER}(?:(?:, | and |, and | and x = ){NUMBER})*)"), "x"),
    (re.compile(rf"\bcross\w*\s+the y axis at\s+(?:y = )?({NUMBER})"), "y"),
)
_LEVEL_AT = re.compile(rf"\b(?:to|of|at|is)\s+(?:y = )?({NUMBER})\s+(?:near|at|for|when|around)\s+x = ({NUMBER})")
_AT_LEVEL = re.compile(rf"\bx = ({NUMBER})\s+(?:at|and|,)\s+y = ({NUMBER})")
_ORIGIN = re.compile(r"\b(?:through|at|cross\w*|touch\w*)\s+the origin\b")
_DOT = re.compile(
    rf"((?:\b(?:open|hollow|empty|filled|solid|closed|small|black|marked)\s+|{HEX}\s+)*)(?:dots?|circles?|points?)\b"
    rf"(?:\s+(?!\()[\w,]+){{0,6}}?\s*,?\s*(?:at|is"
    rf"|:)?\s*(?:([A-Z])\s+(?:at\s+)?)?{_AT}(?:,? labeled \"([^\"]{{1,20}})\")?"
)
_NAMED_POINT = re.compile(rf"\b([A-Z])\b\s*(?:is\s+)?(?:at|=|:)?\s*{_AT}")
_JSON_POINT = re.compile(rf"^point\b.*?\"([^\"]{{1,12}})\".*?\bx: ({NUMBER}), y: ({NUMBER})")
_AREA = re.compile(
    rf"\barea\b[^.;]*?\bx = ({NUMBER})\s*(?:to|and)\s*x = ({NUMBER})[^.;]*?(?:({HEX})|$)"
    rf"|\barea\b[^.;]*?({NUMBER}) to ({NUMBER})"
)
_ENDS_OPEN = re.compile(r"\bend\w* (?:in|with|at) an? (open|hollow|filled|solid|closed) (?:circle|dot)\b(?! at)")
_ZERO = re.compile(
    r"\blines?\b[^.;]{0,30}\b(?:mark|at)\b[^.;]{0,12}\b([xy]) = 0(?:\s+and\s+(?:at\s+)?([xy]) = 0)?|\bzero lines\b",
    re.IGNORECASE,
)
SAMPLES = 400
LINE = 2.2
_AXIS_PIXELS = re.compile(
    rf"\b([xy]) axis from \(\s*({NUMBER})\s*,\s*({NUMBER})\s*\) to \(\s*({NUMBER})\s*,\s*({NUMBER})\s*\)"
)
_UNIT = re.compile(rf"\b(?:one|1) unit\s*(?:=|is|equals)\s*({NUMBER})\s*(?:px)?", re.IGNORECASE)
_CENTRED = re.compile(
    r"\barrow|\bcross(?:ing)? (?:at|in) the (?:origin|center)|\baxes (?:through|meet)|\bcoordinate system",
    re.IGNORECASE,
)


@dataclass
class GraphCurve:
    """A curve of a graph, by formula or by points.

    >>> GraphCurve(points=[(-1.0, 2.0), (0.0, 0.0)], colour="#ff0000").is_straight
    False

    Attributes:
        points: Points of the curve otherwise, in the graph's values.
        dash: "dashed" and the like.
        name: Written beside it.
    """

    function: Function | None = None
    points: list[Point] = field(default_factory=list)
    colour: str | None = None
    dash: str = ""
    is_straight: bool = False
    name: str = ""


@dataclass(frozen=True)
class GraphMark:
    """A marked point of a graph, drawn as a dot or as a ring, with its label.

    >>> GraphMark((-1.0, 2.0), "A").is_open
    False
    """

    at: Point
    text: str = ""
    colour: str | None = None
    is_open: bool = False


@dataclass
class Graph:
    """Curves, marked points and areas of a graph; axes are kept apart.

    >>> Graph(curves=[GraphCurve(points=[(-1.0, 2.0), (0.0, 0.0)])]).marks
    []
    """

    curves: list[GraphCurve] = field(default_factory=list)
    marks: list[GraphMark] = field(default_factory=list)
    area: tuple[float, float] | None = None
    area_colour: str | None = None
    zero_lines: set[str] = field(default_factory=set)


def read_graph(sentences: list[str]) -> tuple[Graph, set[int]]:
    """Return the curves and points that sentences tell, and which sentences these were."""
    graph, used = Graph(), set[int]()
    shade: str | None = None
    for index, sentence in enumerate(sentences):
        # Readers change the lists of the graph in place, so only its text tells whether anything was added.
        before = repr(graph)
        own = find_first_colour(_NOT_OF_CURVE.sub(" ", sentence))
        curve = _read_curve(sentence, graph)
        # A colour holds for the following sentences too, which go on about the same curve.
        if _NOUN.search(sentence) and own:
            shade = own
        if curve is not None:
            curve.colour = own or shade
            graph.curves.append(curve)
        _read_marks(sentence, graph)
        _read_extras(sentence, graph)
        if repr(graph) != before:
            used.add(index)
    return graph, used


def _read_curve(sentence: str, graph: Graph) -> GraphCurve | None:
    """Return the curve that a sentence describes; None if the sentence only explains an earlier formula."""
    formula = find_formula(sentence)
    name = next((text for text in find_quoted(sentence) if re.fullmatch(r"[a-z]", text)), "")
    plain = re.sub(r'"[^"]*"', " ", sentence)
    if formula and "x" in formula[0] and not re.search(r"\basymptote\W+$", plain):
        return GraphCurve(formula[1], dash=find_dash_style(_remove_grid_words(sentence)), name=name)
    # Points in a sentence without such a word are dots or labels.
    if not _NOUN.search(plain) and not re.search(r"\b(?:pass|rises|falls|starts|starting|through)\w*\b", plain):
        return None
    if re.search(r"\b(?:dots|points)\b", plain, re.IGNORECASE) and not re.search(r"\bthrough|\bfrom \(", plain):
        return None
    points = _read_points(plain)
    if len(points) < 2 or any(_is_on_known_curve(other, points) for other in graph.curves):
        return None
    straight = bool(re.search(r"\bstraight|\btangent line|\blinear\b|\bsegment\b", plain)) or len(points) == 2
    return GraphCurve(None, points, dash=find_dash_style(_remove_grid_words(sentence)), is_straight=straight, name=name)


def _remove_grid_words(sentence: str) -> str:
    return re.sub(r"[^,;]*\bgrid ?(?:lines?)?\b[^,;]*", " ", sentence)


def _read_points(sentence: str) -> list[Point]:
    """Return the points that a sentence says a curve goes through, from left to right."""
    points = [(float(match[1]), float(match[2])) for match in _POINT.finditer(sentence)]
    for pattern, axis in _ALONG:
        for match in pattern.finditer(sentence):
            values = [float(value) for value in re.findall(NUMBER, match[1])]
            points += [(value, 0.0) if axis == "x" else (0.0, value) for value in values]
    points += [(float(match[2]), float(match[1])) for match in _LEVEL_AT.finditer(sentence)]
    points += [(float(match[1]), float(match[2])) for match in _AT_LEVEL.finditer(sentence)]
    if _ORIGIN.search(sentence):
        points.append((0.0, 0.0))
    # A function has one value at each x; the first one told counts.
    by_place = {point[0]: point for point in reversed(points)}
    return [by_place[x] for x in sorted(by_place)]


def _is_on_known_curve(curve: GraphCurve, points: list[Point]) -> bool:
    """Whether most of some points lie on a curve that is known already."""
    if curve.function is None:
        return False
    near = [abs(curve.function(x) - y) <= 0.05 * max(1.0, abs(y)) + 0.05 for x, y in points]
    return near.count(True) >= 0.5 * len(near)


def _read_marks(sentence: str, graph: Graph) -> None:
    point = _JSON_POINT.match(sentence)
    if point:
        graph.marks.append(GraphMark((float(point[2]), float(point[3])), point[1]))
        return
    known = {mark.at for mark in graph.marks}
    marks: list[GraphMark] = []
    for match in _DOT.finditer(sentence):
        at, is_open = (float(match[3]), float(match[4])), bool(re.search(r"open|hollow|empty", match[1]))
        marks.append(GraphMark(at, match[5] or match[2] or "", find_first_colour(match[1]), is_open))
    if re.search(r"\b(?:dots?|points?)\b", sentence, re.IGNORECASE) and not _is_curve_only(sentence):
        shade = find_first_colour(sentence)
        plain = re.sub(r'"[^"]*"', " ", sentence)
        names = {(float(m[2]), float(m[3])): m[1] for m in _NAMED_POINT.finditer(plain)}
        places = [(float(m[1]), float(m[2])) for m in _POINT.finditer(plain)]
        marks += [GraphMark(at, names.get(at, ""), shade) for at in places]
        if not marks and (name := re.search(r"\borigin\b[^.;]{0,20}\blabeled \"?([A-Z])\b", sentence)):
            marks.append(GraphMark((0.0, 0.0), name[1], shade))
    if (end := _ENDS_OPEN.search(sentence)) and (points := list(_POINT.finditer(sentence[: end.start()]))):
        marks.append(GraphMark((float(points[-1][1]), float(points[-1][2])), is_open=end[1] in {"open", "hollow"}))
    for mark in marks:
        if mark.at not in known:
            known.add(mark.at)
            graph.marks.append(mark)


def _is_curve_only(sentence: str) -> bool:
    """Whether the points in a sentence only lead a curve, so that no dots are drawn."""
    return bool(re.search(r"\b(?:through|from|starts?|starting)\b", sentence)) or bool(find_formula(sentence))


def _read_extras(sentence: str, graph: Graph) -> None:
    area = _AREA.search(sentence)
    if area and re.search(r"\bfill|\bshad|\bcolor", sentence):
        low, high = (area[1], area[2]) if area[1] else (area[4], area[5])
        graph.area = (float(low), float(high))
        shades = find_colours(sentence)
        graph.area_colour = shades[-1] if shades else None
    for match in _ZERO.finditer(sentence):
        graph.zero_lines |= {name for name in match.groups() if name} or {"x", "y"}


def describes_graph(text: str, sentences: list[str]) -> bool:
    """Whether a message tells a graph of functions rather than a chart."""
    about = re.search(
        r"\b(?:functions?|curves?|parabola|hyperbola|cubic|sine|cosine|exponential|coordinate system|piecewise"
        r"|mathematical graph)\b",
        text, re.IGNORECASE,
    )  # fmt: skip
    has_axes = (
        any(True for sentence in sentences for _ in find_axis_mentions(sentence))
        or " range" in text
        or "x from" in text
    )
    return bool((about and has_axes) or any(find_formula(sentence) for sentence in sentences))


def choose_graph_place(figure: Figure, graph: Graph, sentences: list[str], size: tuple[int, int]) -> Place:
    """Return the plot area of a graph: as described in pixels, else the middle of the picture."""
    ink = choose_ink(figure.look.background or "#ffffff")
    text = "\n".join(sentences)
    axes = {m[1]: [float(value) for value in m.groups()[1:]] for m in _AXIS_PIXELS.finditer(text)}
    unit = _UNIT.search(text)
    if len(axes) == 2 and unit and float(unit[1]) > 0:
        return _build_pixel_place(axes, float(unit[1]), ink)
    points = [point for curve in graph.curves for point in curve.points] + [mark.at for mark in graph.marks]
    x_low, x_high = find_span(figure.x, [x for x, _ in points], from_zero=False)
    if figure.x.low is None and not points and not figure.x.ticks:
        x_low, x_high = -5.0, 5.0
    heights = [y for _, y in points] or [y for curve in graph.curves for y in _sample_values(curve, x_low, x_high)]
    y_low, y_high = find_span(figure.y, heights if figure.y.low is None else [], from_zero=False)
    wide, high = size
    margin = 0.08 if _CENTRED.search(text) else 0.1
    x_scale = AxisScale(x_low, x_high, margin * wide, 0.94 * wide)
    return Place(x_scale, AxisScale(y_low, y_high, (1 - margin) * high, 0.07 * high), ink)


def _build_pixel_place(ends: dict[str, list[float]], unit: float, ink: str) -> Place:
    left, right = sorted((ends["x"][0], ends["x"][2]))
    top, bottom = sorted((ends["y"][1], ends["y"][3]))
    x0, y0 = ends["y"][0], ends["x"][1]
    return Place(
        AxisScale((left - x0) / unit, (right - x0) / unit, left, right),
        AxisScale((y0 - bottom) / unit, (y0 - top) / unit, bottom, top), ink,
    )  # fmt: skip


def _sample_values(curve: GraphCurve, low: float, high: float) -> list[float]:
    """Return the middle nine tenths of the values of a formula, for an axis without a range."""
    if curve.function is None:
        return []
    # Values near a pole would stretch the axis until the rest of the curve is flat.
    values = sorted(y for step in range(81) if not math.isnan(y := curve.function(low + (high - low) * step / 80)))
    return values[len(values) // 20 : len(values) - len(values) // 20]


def build_graph_items(figure: Figure, graph: Graph, place: Place, sentences: list[str]) -> list[Item]:
    """Return everything of a graph, back to front."""
    centred = bool(_CENTRED.search("\n".join(sentences)))
    items = [*build_ground(figure, place), *_build_area(figure, graph, place)]
    if not centred:
        items += _build_zero_lines(graph, place)
    items += _build_axes(figure, place, centred)
    for index, curve in enumerate(graph.curves):
        items += _build_curve_items(curve, index, place)
    return [*items, *_build_mark_items(figure, graph, place)]


def _build_axes(figure: Figure, place: Place, centred: bool) -> list[Item]:
    """Return axes through the origin with arrows, or at the left and below, with ticks and labels."""
    inside = centred and place.x.low <= 0 <= place.x.high and place.y.low <= 0 <= place.y.high
    level, upright = (place.y(0), place.x(0)) if inside else (place.bottom, place.left)
    # Arrows reach beyond the last tick.
    more = 12.0 if inside else 0.0
    x_ink, y_ink = figure.x.colour or place.ink, figure.y.colour or figure.x.colour or place.ink
    x_axis = LineItem("x axis", ((place.left, level), (place.right + more, level)), x_ink, 1.4)
    y_axis = LineItem("y axis", ((upright, place.bottom), (upright, place.top - more)), y_ink, 1.4)
    if inside:
        x_axis, y_axis = replace(x_axis, arrow="end"), replace(y_axis, arrow="end")
    items: list[Item] = [x_axis, y_axis]
    if not inside:
        items += build_frame_lines(figure.look, place)
    items += _build_ticks(figure, place, (upright, level), inside)
    if not inside:
        return [*items, *build_titles(figure, place, items)]
    for name, at in ((figure.x.name, (place.right + 14, level - 14)), (figure.y.name, (upright + 15, place.top - 8))):
        if name:
            items.append(Label(name, at, FONT, place.ink))
    return items


def _build_ticks(figure: Figure, place: Place, cross: Point, inside: bool) -> list[Item]:
    items = list[Item]()
    xs, ys = list_ticks(figure.x, place.x.low, place.x.high), list_ticks(figure.y, place.y.low, place.y.high)
    half = 4.0 if inside else 0.0
    for value in (x for x in xs if place.x.low <= x <= place.x.high and (x or not inside)):
        at = place.x(value)
        items.append(LineItem("tick", ((at, cross[1] - half), (at, cross[1] + 5)), place.ink, 1.0))
        items.append(Label(format_number(value, count_decimals(xs)), (at, cross[1] + 8), FONT - 1, place.ink, "mt"))
    for value in (y for y in ys if place.y.low <= y <= place.y.high and (y or not inside)):
        at = place.y(value)
        items.append(LineItem("tick", ((cross[0] - 5, at), (cross[0] + half, at)), place.ink, 1.0))
        items.append(Label(format_number(value, count_decimals(ys)), (cross[0] - 8, at), FONT - 1, place.ink, "rm"))
    return items


def _build_zero_lines(graph: Graph, place: Place) -> list[Item]:
    items = list[Item]()
    if "x" in graph.zero_lines and place.x.low < 0 < place.x.high:
        items.append(LineItem("line", ((place.x(0), place.top), (place.x(0), place.bottom)), "#8c8c8c", 1.0))
    if "y" in graph.zero_lines and place.y.low < 0 < place.y.high:
        items.append(LineItem("line", ((place.left, place.y(0)), (place.right, place.y(0))), "#8c8c8c", 1.0))
    return items


def _convert_to_pixels(points: list[Point], place: Place) -> tuple[Point, ...]:
    return tuple((place.x(x), place.y(y)) for x, y in points)


def _build_curve_items(curve: GraphCurve, index: int, place: Place) -> list[Item]:
    colour = curve.colour or PALETTE[index % len(PALETTE)]
    items = list[Item]()
    if curve.function is None:
        kind = "line" if len(curve.points) == 2 else "polyline" if curve.is_straight else "curve"
        items.append(
            LineItem(kind, _convert_to_pixels(curve.points, place), colour, LINE, DASHES[curve.dash], kind == "curve")
        )
    else:
        for part in _split_branches(curve, place):
            items.append(LineItem("polyline", _convert_to_pixels(part, place), colour, LINE, DASHES[curve.dash]))
    if curve.name and items:
        path = items[-1].points if isinstance(items[-1], LineItem) else ((0.0, 0.0),)
        x, y = path[int(0.8 * (len(path) - 1))]
        items.append(Label(curve.name, (x + 14, y - 8), FONT + 1, colour))
    return items


def _split_branches(curve: GraphCurve, place: Place) -> list[list[Point]]:
    """Return the parts of a curve inside the plot area, cut where it leaves the area, jumps or is undefined."""
    low, high, rim = place.x.low, place.x.high, place.y.high - place.y.low
    parts: list[list[Point]] = [[]]
    assert curve.function is not None  # noqa: S101 - the caller asks first
    for step in range(SAMPLES + 1):
        x = low + (high - low) * step / SAMPLES
        y = curve.function(x)
        inside = not math.isnan(y) and place.y.low - 0.02 * rim <= y <= place.y.high + 0.02 * rim
        # Between two samples no smooth curve climbs half the height; there is a pole between them.
        jumps = bool(parts[-1]) and abs(y - parts[-1][-1][1]) > 0.5 * rim
        if not inside or jumps:
            parts.append([])
        if inside:
            parts[-1].append((x, min(max(y, place.y.low), place.y.high)))
    return [part for part in parts if len(part) > 1]


def _build_area(figure: Figure, graph: Graph, place: Place) -> list[Item]:
    if graph.area is None or not graph.curves:
        return []
    low, high = graph.area
    curve = graph.curves[0]
    if curve.function is not None:
        xs = [low + (high - low) * step / 60 for step in range(61)]
        rim = [(x, y) for x in xs if not math.isnan(y := curve.function(x))]
    else:
        rim = [point for point in curve.points if low <= point[0] <= high]
    if len(rim) < 2:
        return []
    shade = graph.area_colour or mix_tint(figure.look.background, curve.colour or PALETTE[0])
    return [
        build_polygon(
            "polygon", list(_convert_to_pixels([(rim[0][0], 0.0), *rim, (rim[-1][0], 0.0)], place)), fill=shade
        )
    ]


def _build_mark_items(figure: Figure, graph: Graph, place: Place) -> list[Item]:
    items = list[Item]()
    paper = figure.look.panel or figure.look.background or "#ffffff"
    for mark in graph.marks:
        x, y = place.x(mark.at[0]), place.y(mark.at[1])
        colour = mark.colour or (graph.curves[0].colour if mark.is_open and graph.curves else None) or place.ink
        dot = Blob("circle", (x, y), 9.0, 9.0, paper if mark.is_open else colour)
        items.append(replace(dot, outline=colour, stroke=2.0) if mark.is_open else dot)
        if mark.text:
            items.append(Label(mark.text, (x - 12, y - 13), FONT, place.ink))
    return items
