"""Graphs of functions: formulas, points that curves go through, marked points, areas."""

import re
from dataclasses import dataclass, field

from ircore.core.drawing import Point
from ircore.players.builtin.canvas.figures.axes import mentions
from ircore.players.builtin.canvas.figures.formulas import Function, formula_in
from ircore.players.builtin.canvas.figures.prose import HEX, NUMBER, colours, quoted
from ircore.players.builtin.canvas.figures.values import dash_words
from ircore.players.builtin.canvas.quantities import first_colour

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


@dataclass
class Curve:
    """A curve of a graph, by formula or by points.

    >>> Curve(points=[(-1.0, 2.0), (0.0, 0.0)], colour="#ff0000").is_straight
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
class Mark:
    """A marked point of a graph, drawn as a dot or as a ring, with its label.

    >>> Mark((-1.0, 2.0), "A").is_open
    False
    """

    at: Point
    text: str = ""
    colour: str | None = None
    is_open: bool = False


@dataclass
class Graph:
    """Curves, marked points and areas of a graph; axes are kept apart.

    >>> Graph(curves=[Curve(points=[(-1.0, 2.0), (0.0, 0.0)])]).marks
    []
    """

    curves: list[Curve] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
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
        own = first_colour(_NOT_OF_CURVE.sub(" ", sentence))
        curve = _curve(sentence, graph)
        # A colour holds for the following sentences too, which go on about the same curve.
        if _NOUN.search(sentence) and own:
            shade = own
        if curve is not None:
            curve.colour = own or shade
            graph.curves.append(curve)
        _marks(sentence, graph)
        _extras(sentence, graph)
        if repr(graph) != before:
            used.add(index)
    return graph, used


def _curve(sentence: str, graph: Graph) -> Curve | None:
    """Return the curve that a sentence describes; None if the sentence only explains an earlier formula."""
    formula = formula_in(sentence)
    name = next((text for text in quoted(sentence) if re.fullmatch(r"[a-z]", text)), "")
    plain = re.sub(r'"[^"]*"', " ", sentence)
    if formula and "x" in formula[0] and not re.search(r"\basymptote\W+$", plain):
        return Curve(formula[1], dash=dash_words(_without_grid(sentence)), name=name)
    # Points in a sentence without such a word are dots or labels.
    if not _NOUN.search(plain) and not re.search(r"\b(?:pass|rises|falls|starts|starting|through)\w*\b", plain):
        return None
    if re.search(r"\b(?:dots|points)\b", plain, re.IGNORECASE) and not re.search(r"\bthrough|\bfrom \(", plain):
        return None
    points = _points(plain)
    if len(points) < 2 or any(_explains(other, points) for other in graph.curves):
        return None
    straight = bool(re.search(r"\bstraight|\btangent line|\blinear\b|\bsegment\b", plain)) or len(points) == 2
    return Curve(None, points, dash=dash_words(_without_grid(sentence)), is_straight=straight, name=name)


def _without_grid(sentence: str) -> str:
    return re.sub(r"[^,;]*\bgrid ?(?:lines?)?\b[^,;]*", " ", sentence)


def _points(sentence: str) -> list[Point]:
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


def _explains(curve: Curve, points: list[Point]) -> bool:
    """Whether most of some points lie on a curve that is known already."""
    if curve.function is None:
        return False
    near = [abs(curve.function(x) - y) <= 0.05 * max(1.0, abs(y)) + 0.05 for x, y in points]
    return near.count(True) >= 0.5 * len(near)


def _marks(sentence: str, graph: Graph) -> None:
    point = _JSON_POINT.match(sentence)
    if point:
        graph.marks.append(Mark((float(point[2]), float(point[3])), point[1]))
        return
    known = {mark.at for mark in graph.marks}
    marks: list[Mark] = []
    for match in _DOT.finditer(sentence):
        at, is_open = (float(match[3]), float(match[4])), bool(re.search(r"open|hollow|empty", match[1]))
        marks.append(Mark(at, match[5] or match[2] or "", first_colour(match[1]), is_open))
    if re.search(r"\b(?:dots?|points?)\b", sentence, re.IGNORECASE) and not _is_curve_only(sentence):
        shade = first_colour(sentence)
        plain = re.sub(r'"[^"]*"', " ", sentence)
        names = {(float(m[2]), float(m[3])): m[1] for m in _NAMED_POINT.finditer(plain)}
        places = [(float(m[1]), float(m[2])) for m in _POINT.finditer(plain)]
        marks += [Mark(at, names.get(at, ""), shade) for at in places]
        if not marks and (name := re.search(r"\borigin\b[^.;]{0,20}\blabeled \"?([A-Z])\b", sentence)):
            marks.append(Mark((0.0, 0.0), name[1], shade))
    if (end := _ENDS_OPEN.search(sentence)) and (points := list(_POINT.finditer(sentence[: end.start()]))):
        marks.append(Mark((float(points[-1][1]), float(points[-1][2])), is_open=end[1] in {"open", "hollow"}))
    for mark in marks:
        if mark.at not in known:
            known.add(mark.at)
            graph.marks.append(mark)


def _is_curve_only(sentence: str) -> bool:
    """Whether the points in a sentence only lead a curve, so that no dots are drawn."""
    return bool(re.search(r"\b(?:through|from|starts?|starting)\b", sentence)) or bool(formula_in(sentence))


def _extras(sentence: str, graph: Graph) -> None:
    area = _AREA.search(sentence)
    if area and re.search(r"\bfill|\bshad|\bcolor", sentence):
        low, high = (area[1], area[2]) if area[1] else (area[4], area[5])
        graph.area = (float(low), float(high))
        shades = colours(sentence)
        graph.area_colour = shades[-1] if shades else None
    for match in _ZERO.finditer(sentence):
        graph.zero_lines |= {name for name in match.groups() if name} or {"x", "y"}


def tells_graph(text: str, sentences: list[str]) -> bool:
    """Whether a message tells a graph of functions rather than a chart."""
    about = re.search(
        r"\b(?:functions?|curves?|parabola|hyperbola|cubic|sine|cosine|exponential|coordinate system|piecewise"
        r"|mathematical graph)\b",
        text, re.IGNORECASE,
    )  # fmt: skip
    has_axes = any(True for sentence in sentences for _ in mentions(sentence)) or " range" in text or "x from" in text
    return bool((about and has_axes) or any(formula_in(sentence) for sentence in sentences))
