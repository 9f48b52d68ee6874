"""The still picture of a chart: plain SVG of the same figure that Plotly draws live.

It stands on the page without JavaScript, in print, and until the live figure is there. One renderer reads the traces,
axes, annotations and shapes that our charts are made of, the template's defaults included. Colours stay CSS variables,
so that the picture follows the reader's scheme.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import unescape
from itertools import chain, groupby
from typing import Any, NamedTuple

from markupsafe import Markup

from leaderboard.charts.grammar import Json
from leaderboard.components.markup import macro
from leaderboard.theme import FONT_SIZE, GENERATOR_PATHS, token

WIDTH = {False: 760, True: 358}
"""Width of the picture in CSS pixels, by whether the layout is narrow; browsers only ever scale it down."""

_DASHES = {"dash": "6 4", "dot": "2 3", "dashdot": "6 3 2 3", "longdash": "10 5", "longdashdot": "10 4 2 4"}

_ANCHORS = {"left": "start", "center": "middle", "right": "end"}

_LINE_HEIGHT = 1.3

Point = tuple[float, float] | None
"""Where a mark stands, CSS pixels from the left and from above; None where there is no value."""


class _Path(NamedTuple):
    """A path of SVG."""

    d: str
    fill: str = ""
    stroke: str = ""
    width: float = 1
    dash: str = ""
    transform: str = ""


class _Rectangle(NamedTuple):
    """A rectangle of SVG; numbers in CSS pixels, as they are written."""

    x: str
    y: str
    width: str
    height: str
    fill: str
    stroke: str


class _Text(NamedTuple):
    """Words in SVG; numbers in CSS pixels, as they are written."""

    x: str
    y: str
    fill: str
    anchor: str
    size: float | None
    """None for the size of the picture's font."""

    step: str
    """From each line to the next."""

    lines: Sequence[str]
    """Not escaped yet."""

    weight: int | None = None
    transform: str = ""


_Mark = _Path | _Rectangle | _Text

_ELEMENTS: Mapping[type[_Mark], str] = {_Path: "path", _Rectangle: "rect", _Text: "text"}
"""Element of SVG that each kind of mark is."""


class _Line(NamedTuple):
    """A straight line: its ends, CSS pixels, and its look."""

    x1: float
    y1: float
    x2: float
    y2: float
    colour: str
    width: float


def draw_still(figure: Mapping[str, Any], narrow: bool) -> Markup:
    """Return a figure as SVG.

    Args:
        figure: ``data``, ``layout``, ``narrow`` and ``template``, as ``Drawing.plotly`` returns them.
        narrow: Which layout.

    Raises:
        ValueError: A trace is of a type that this renderer does not draw.
    """
    frame = _Frame(figure["narrow" if narrow else "layout"], figure["template"]["layout"], WIDTH[narrow])
    marks: Iterable[_Mark] = chain(
        _draw_lines(_draw_grid(frame)),
        _draw_lines(_draw_shapes(frame)),
        _draw_traces(figure, frame),
        _draw_ticks(frame),
        _draw_annotations(frame),
    )
    # Marks of one element at a time: the template looks it up once for hundreds of marks.
    layers = [(_ELEMENTS[kind], list(alike)) for kind, alike in groupby(marks, key=type)]
    font = frame.layout["font"]
    return macro("still")(
        "narrow" if narrow else "wide", frame.width, frame.height, font["family"], font["size"], layers
    )


def _fill_defaults(settings: Mapping[str, Any], defaults: Mapping[str, Any]) -> Json:
    """Return settings with a template's defaults where they say nothing."""
    filled = {**defaults, **settings}
    for name in settings.keys() & defaults.keys():
        if isinstance(settings[name], Mapping):
            filled[name] = _fill_defaults(settings[name], defaults[name])
    return filled


class _Frame:
    """Coordinates of axes and data in the picture."""

    def __init__(self, layout: Mapping[str, Any], defaults: Mapping[str, Any], width: int) -> None:
        self.layout = _fill_defaults(layout, defaults)
        self.width, self.height = width, round(layout["height"])
        margin = layout["margin"]
        self.left, self.top = margin["l"], margin["t"]
        self.across = width - margin["l"] - margin["r"]
        self.down = self.height - margin["t"] - margin["b"]
        self.axes = {
            match[1] + match[2]: _fill_defaults(layout[key], defaults[f"{match[1]}axis"])
            for key in layout
            if (match := re.fullmatch(r"([xy])axis(\d*)", key))
        }

    def items(self, name: str, defaults: str) -> Iterator[Json]:
        """Yield the annotations or shapes of the layout."""
        for item in self.layout.get(name, ()):
            yield _fill_defaults(item, self.layout[defaults])

    def at(self, name: str, value: float) -> float:
        """Return where a value of an axis (``x``, ``y2``) stands, pixels from the left or from above."""
        low, high = self.axes[name]["range"]
        return self.share(name, (value - low) / (high - low))

    def share(self, name: str, share: float) -> float:
        """Return where a share of the length of an axis stands."""
        first, last = self.axes[name].get("domain", (0, 1))
        return self.paper(name[0], first + share * (last - first))

    def paper(self, letter: str, share: float) -> float:
        """Return the pixel position of a share (0–1) of the plotting area; on the y axis, shares count from below."""
        if letter == "x":
            return float(self.left + share * self.across)
        return float(self.top + (1 - share) * self.down)

    def refer(self, letter: str, reference: str, value: float) -> float:
        """Return where a value stands that refers to the paper, to an axis, or to an axis's length."""
        if reference == "paper":
            return self.paper(letter, value)
        name, _, domain = reference.partition(" ")
        return self.share(name, value) if domain else self.at(name, value)

    def unit(self, name: str) -> float:
        """Return the length of one unit of an axis, pixels."""
        return abs(self.at(name, 1) - self.at(name, 0))

    def points(self, trace: Json) -> list[Point]:
        """Return where the values of a trace stand."""
        x, y = trace.get("xaxis", "x"), trace.get("yaxis", "y")
        return [
            None if across is None or up is None else (self.at(x, across), self.at(y, up))
            for across, up in zip(trace["x"], trace["y"], strict=True)
        ]


def _draw_grid(frame: _Frame) -> Iterator[_Line]:
    for name, axis in frame.axes.items():
        if axis.get("visible") is False:
            continue
        other = axis.get("anchor", "y" if name[0] == "x" else "x")
        ends = frame.share(other, 0), frame.share(other, 1)
        if axis.get("showgrid", True):
            for value in axis.get("tickvals", ()):
                yield _make_straight_line(name[0], frame.at(name, value), *ends, axis["gridcolor"])
        if axis["showline"]:
            along = "y" if name[0] == "x" else "x"
            yield _make_straight_line(along, ends[0], frame.share(name, 0), frame.share(name, 1), axis["linecolor"])


def _make_straight_line(letter: str, at: float, start: float, end: float, colour: str, width: float = 1) -> _Line:
    """A straight line: upright at an x, level at a y."""
    return _Line(at, start, at, end, colour, width) if letter == "x" else _Line(start, at, end, at, colour, width)


def _draw_lines(lines: Iterable[_Line]) -> Iterator[_Path]:
    """Draw lines, equal lines in a row as a single path: a board's figures have hundreds of grid lines."""
    for (colour, width), alike in groupby(lines, key=lambda line: (line.colour, line.width)):
        drawn = "".join(f"M{line.x1:.1f} {line.y1:.1f}L{line.x2:.1f} {line.y2:.1f}" for line in alike)
        yield _Path(drawn, stroke=colour, width=width)


def _draw_shapes(frame: _Frame) -> Iterator[_Line]:
    for shape in frame.items("shapes", "shapedefaults"):
        x1, x2 = (frame.refer("x", shape["xref"], shape[end]) for end in ("x0", "x1"))
        y1, y2 = (frame.refer("y", shape["yref"], shape[end]) for end in ("y0", "y1"))
        yield _Line(x1, y1, x2, y2, shape["line"]["color"], shape["line"]["width"])


def _draw_traces(figure: Mapping[str, Any], frame: _Frame) -> Iterator[_Mark]:
    stacked: dict[float, float] = {}
    for drawn in figure["data"]:
        trace = _fill_defaults(drawn, figure["template"]["data"].get(drawn["type"], ({},))[0])
        if trace["type"] == "bar":
            yield from _draw_bars(trace, frame, stacked)
        elif trace["type"] == "heatmap":
            yield from _draw_cells(trace, frame)
        elif trace["type"] == "scatter":
            yield from _draw_scatter(trace, frame)
        else:
            raise ValueError(f"a still picture has no {trace['type']} traces")


def _draw_bars(trace: Json, frame: _Frame, stacked: dict[float, float]) -> Iterator[_Mark]:
    thick = frame.unit("y") * (1 - frame.layout.get("bargap", 0))
    colour, border = trace["marker"]["color"], trace["marker"]["line"]["color"]
    for length, row, text in zip(trace["x"], trace["y"], trace["text"], strict=True):
        start = stacked.get(row, 0.0)
        stacked[row] = start + length
        if not length:
            continue
        left, right, middle = frame.at("x", start), frame.at("x", start + length), frame.at("y", row)
        yield _draw_rectangle(left, middle - thick / 2, right - left, thick, colour, border)
        if text:
            yield _draw_text(text, (left + right) / 2, middle, trace["textfont"]["color"], "middle")


def _draw_cells(trace: Json, frame: _Frame) -> Iterator[_Rectangle]:
    x, y = trace.get("xaxis", "x"), trace.get("yaxis", "y")
    wide, high = frame.unit(x) - trace["xgap"], frame.unit(y) - trace["ygap"]
    scale, top = frame.layout[trace["coloraxis"]]["colorscale"], frame.layout[trace["coloraxis"]]["cmax"]
    for row, values in zip(trace["y"], trace["z"], strict=True):
        for column, value in zip(trace["x"], values, strict=True):
            if value is not None:
                colour = scale[round(min(1.0, max(0.0, value / top)) * (len(scale) - 1))][1]
                yield _draw_rectangle(frame.at(x, column) - wide / 2, frame.at(y, row) - high / 2, wide, high, colour)


def _draw_rectangle(left: float, top: float, width: float, height: float, fill: str, stroke: str = "") -> _Rectangle:
    return _Rectangle(f"{left:.1f}", f"{top:.1f}", f"{width:.1f}", f"{height:.1f}", fill, stroke)


def _draw_scatter(trace: Json, frame: _Frame) -> Iterator[_Path]:
    points = frame.points(trace)
    if "lines" in trace["mode"]:
        yield from _draw_path(points, trace)
    if "markers" in trace["mode"]:
        yield from _draw_lines(_draw_whiskers(trace, frame, points))
        yield from _draw_marks(trace["marker"], points)


def _draw_path(points: Sequence[Point], trace: Json) -> Iterator[_Path]:
    drawn, pen = [], "M"
    for point in points:
        if point is not None:
            drawn.append(f"{pen}{point[0]:.1f} {point[1]:.1f}")
        pen = "M" if point is None else "L"
    d, line = "".join(drawn), trace["line"]
    if not trace.get("fill"):
        yield _Path(d, "none", line["color"], line["width"], _DASHES.get(line.get("dash", "solid"), ""))
    elif drawn:
        yield _Path(f"{d}Z", trace["fillcolor"])


def _draw_whiskers(trace: Json, frame: _Frame, points: Sequence[Point]) -> Iterator[_Line]:
    for letter, other in (("x", "y"), ("y", "x")):
        error, name = trace[f"error_{letter}"], trace.get(f"{letter}axis", letter)
        for point, middle, less, more in zip(
            points, trace[letter], error.get("arrayminus", ()), error.get("array", ()), strict=False
        ):
            if point is not None:
                ends = frame.at(name, middle - less), frame.at(name, middle + more)
                yield _make_straight_line(other, point["xy".index(other)], *ends, error["color"], error["thickness"])


def _draw_marks(marker: Json, points: Sequence[Point]) -> Iterator[_Path]:
    sizes = marker["size"] if isinstance(marker["size"], list | tuple) else [marker["size"]] * len(points)
    hollow, colour = marker["symbol"].endswith("-open"), marker["color"]
    path = GENERATOR_PATHS[marker["symbol"].removesuffix("-open")]
    fill, stroke = (token("background"), colour) if hollow else (colour, "")
    for point, size in zip(points, sizes, strict=True):
        if point is not None:
            place = f"translate({point[0]:.1f} {point[1]:.1f}) scale({0.6 * size:.2f})"
            yield _Path(path, fill, stroke, width=0.25, transform=place)


def _draw_ticks(frame: _Frame) -> Iterator[_Text]:
    for name, axis in frame.axes.items():
        if axis.get("visible") is False:
            continue
        base, colour = frame.share(axis.get("anchor", "y" if name[0] == "x" else "x"), 0), axis["tickfont"]["color"]
        for value, text in zip(axis.get("tickvals", ()), axis.get("ticktext", ()), strict=True):
            if not axis.get("showticklabels", True):
                break
            at = frame.at(name, value)
            if name[0] == "x":
                yield _draw_text(text, at, base + 12, colour, "middle", from_top=True)
            else:
                yield _draw_text(text, base - 5, at, colour, "end")
        if title := axis.get("title", {}).get("text"):
            yield _draw_axis_title(frame, name, title)


def _draw_axis_title(frame: _Frame, name: str, title: str) -> _Text:
    colour, at = frame.layout["font"]["color"], frame.share(name, 0.5)
    if name[0] == "x":
        return _draw_text(title, at, frame.height - 8, colour, "middle")
    turned = _draw_text(title, 0, 0, colour, "middle")
    return turned._replace(transform=f"translate(12 {at:.1f}) rotate(-90)")


def _draw_annotations(frame: _Frame) -> Iterator[_Text]:
    for note in frame.items("annotations", "annotationdefaults"):
        x = frame.refer("x", note["xref"], note["x"]) + note.get("xshift", 0)
        y = frame.refer("y", note["yref"], note["y"]) - note.get("yshift", 0)
        font, text = note["font"], note["text"]
        size = font.get("size", FONT_SIZE)
        if angle := note.get("textangle"):
            turned = _draw_text(text, 0, 0, font["color"], "start", size)
            yield turned._replace(transform=f"translate({x:.1f} {y - 6:.1f}) rotate({angle})")
            continue
        half = size * _LINE_HEIGHT * (text.count("<br>") + 1) / 2
        middle = y + {"top": half, "middle": 0, "bottom": -half}[note["yanchor"]]
        level = _draw_text(text, x, middle, font["color"], _ANCHORS[note["xanchor"]], size)
        yield level._replace(weight=font.get("weight"))


def _draw_text(
    text: str, x: float, y: float, colour: str, anchor: str, size: float = FONT_SIZE, from_top: bool = False
) -> _Text:
    """Words in the small markup that our figures use: line breaks.

    ``y`` is the middle of all lines, or of the first.
    """
    # What is escaped already would be escaped twice: nothing of ours means an entity by its name.
    lines = [unescape(line) for line in text.split("<br>")]
    step = size * _LINE_HEIGHT
    first = y + 0.35 * size - (0 if from_top else (len(lines) - 1) * step / 2)
    own_size = None if size == FONT_SIZE else size
    return _Text(f"{x:.1f}", f"{first:.1f}", colour, anchor, own_size, f"{step:.1f}", lines)
