"""The still picture of a figure: plain SVG from the same data and layout that Plotly gets.

It stands on the page without JavaScript, in print, and until the live figure is there. It draws what our figures are
made of and no more: marks with whiskers, lines, bands, bars, heat maps, words, straight lines, axes with given ticks.
Colours stay CSS variables, so it follows the reader's scheme.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from html import escape, unescape
from typing import Any

from markupsafe import Markup

from leaderboard.charts.parts import Json
from leaderboard.theme import FONT_SIZE, GENERATOR_PATHS, token

WIDTH = {False: 760, True: 358}
"""Width of the picture in CSS pixels, by whether the layout is narrow; browsers only ever scale it down."""

_DASHES = {
    "solid": "",
    "dash": "6 4",
    "dot": "2 3",
    "dashdot": "6 3 2 3",
    "longdash": "10 5",
    "longdashdot": "10 4 2 4",
}

_ANCHORS = {"left": "start", "center": "middle", "right": "end"}

_LINE_HEIGHT = 1.3


def still_picture(figure: Mapping[str, Any], narrow: bool) -> Markup:
    """Return a figure as SVG.

    Args:
        figure: ``data``, ``layout`` and ``narrow``, as ``Chart.figure``.
        narrow: Which layout.
    """
    shape = figure["narrow" if narrow else "layout"]
    frame = _Frame(shape, WIDTH[narrow])
    parts = [*_grid(frame), *_shapes(frame, "below")]
    parts += [part for trace in _traces(figure["data"], frame) for part in trace]
    parts += [*_ticks(frame), *_words(frame)]
    kind = "narrow" if narrow else "wide"
    size = f'viewBox="0 0 {frame.width} {frame.height}" width="{frame.width}" height="{frame.height}"'
    family = escape(shape["font"]["family"], quote=True)
    return Markup(  # noqa: S704 - every text in it is escaped by ``_text``, every other value is a number or a token
        f'<svg class="still-{kind}" {size} font-family="{family}" font-size="{FONT_SIZE}">{"".join(parts)}</svg>'
    )


class _Frame:
    """Coordinates of axes and data in the picture."""

    def __init__(self, layout: Mapping[str, Any], width: int) -> None:
        self.layout = layout
        self.width, self.height = width, round(layout["height"])
        margin = layout["margin"]
        self.left, self.top = margin["l"], margin["t"]
        self.across = width - margin["l"] - margin["r"]
        self.down = self.height - margin["t"] - margin["b"]

    def axis(self, name: str) -> Mapping[str, Any]:
        """Return an axis by the short name that traces use: ``x``, ``y2``."""
        settings: Mapping[str, Any] = self.layout[f"{name[0]}axis{name[1:]}"]
        return settings

    def at(self, name: str, value: float) -> float:
        """Return where a value of an axis stands, pixels from the left or from above."""
        low, high = self.axis(name)["range"]
        return self.share(name, (value - low) / (high - low))

    def share(self, name: str, share: float) -> float:
        """Return where a share of the length of an axis stands."""
        first, last = self.axis(name).get("domain", (0, 1))
        return self.paper(name[0], first + share * (last - first))

    def paper(self, letter: str, share: float) -> float:
        """Return where a share of the plotting area stands; upright it counts from below."""
        if letter == "x":
            return float(self.left + share * self.across)
        return float(self.top + (1 - share) * self.down)

    def refer(self, letter: str, reference: str, value: float) -> float:
        """Return where a value stands that refers to the paper, to an axis, or to an axis's length."""
        if reference == "paper":
            return self.paper(letter, value)
        name, _, domain = reference.partition(" ")
        return self.share(name, value) if domain else self.at(name, value)

    def axes(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Yield every axis with its short name."""
        for key in self.layout:
            if match := re.fullmatch(r"([xy])axis(\d*)", key):
                yield match[1] + match[2], self.layout[key]


def _grid(frame: _Frame) -> Iterator[str]:
    for name, axis in frame.axes():
        if axis.get("visible") is False:
            continue
        other = axis.get("anchor", "y" if name[0] == "x" else "x")
        start, end = frame.share(other, 0), frame.share(other, 1)
        if axis.get("showgrid", True):
            yield from (
                _rule(name[0], frame.at(name, value), start, end, axis["gridcolor"]) for value in axis["tickvals"]
            )
        if axis.get("showline"):
            first, last = frame.share(name, 0), frame.share(name, 1)
            yield _rule("y" if name[0] == "x" else "x", start, first, last, axis["linecolor"])


def _rule(letter: str, at: float, start: float, end: float, colour: str, width: float = 1) -> str:
    """A straight line: upright at an x, level at a y."""
    if letter == "x":
        return _line(at, start, at, end, colour, width)
    return _line(start, at, end, at, colour, width)


def _line(x1: float, y1: float, x2: float, y2: float, colour: str, width: float) -> str:
    ends = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
    return f'<line {ends} stroke="{colour}" stroke-width="{width}"/>'


def _shapes(frame: _Frame, layer: str) -> Iterator[str]:
    for shape in frame.layout.get("shapes", ()):
        if shape.get("layer", "above") == layer:
            x1, x2 = (frame.refer("x", shape["xref"], shape[end]) for end in ("x0", "x1"))
            y1, y2 = (frame.refer("y", shape["yref"], shape[end]) for end in ("y0", "y1"))
            yield _line(x1, y1, x2, y2, shape["line"]["color"], shape["line"]["width"])


def _traces(data: Sequence[Json], frame: _Frame) -> Iterator[Iterator[str]]:
    stacked: dict[float, float] = {}
    for trace in data:
        x, y = trace.get("xaxis", "x"), trace.get("yaxis", "y")
        if trace["type"] == "bar":
            yield _bars(trace, frame, stacked)
        elif trace["type"] == "heatmap":
            yield _heat(trace, frame, x, y)
        else:
            yield _scatter(trace, frame, x, y)


def _bars(trace: Json, frame: _Frame, stacked: dict[float, float]) -> Iterator[str]:
    thick = abs(frame.at("y", 1) - frame.at("y", 0)) * (1 - frame.layout.get("bargap", 0))
    colour, border = trace["marker"]["color"], trace["marker"]["line"]["color"]
    for length, row, text in zip(trace["x"], trace["y"], trace["text"], strict=True):
        start = stacked.get(row, 0.0)
        stacked[row] = start + length
        if not length:
            continue
        left, right, middle = frame.at("x", start), frame.at("x", start + length), frame.at("y", row)
        yield _rectangle(left, middle - thick / 2, right - left, thick, colour, f' stroke="{border}"')
        if text:
            yield _text(text, (left + right) / 2, middle, trace["textfont"]["color"], "middle")


def _heat(trace: Json, frame: _Frame, x: str, y: str) -> Iterator[str]:
    wide, high = (abs(frame.at(name, 1) - frame.at(name, 0)) - 1 for name in (x, y))
    scale, top = trace["colorscale"], trace["zmax"]
    for row, values in zip(trace["y"], trace["z"], strict=True):
        for column, value in zip(trace["x"], values, strict=True):
            if value is not None:
                share = min(1.0, max(0.0, value / top))
                colour = scale[round(share * (len(scale) - 1))][1]
                left, above = frame.at(x, column) - wide / 2, frame.at(y, row) - high / 2
                yield _rectangle(left, above, wide, high, colour)


def _rectangle(left: float, top: float, width: float, height: float, colour: str, more: str = "") -> str:
    return f'<rect x="{left:.1f}" y="{top:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{colour}"{more}/>'


def _scatter(trace: Json, frame: _Frame, x: str, y: str) -> Iterator[str]:
    points = [
        None if across is None or other is None else (frame.at(x, across), frame.at(y, other))
        for across, other in zip(trace["x"], trace["y"], strict=True)
    ]
    if "lines" in trace["mode"]:
        yield _path(points, trace)
    if "markers" in trace["mode"]:
        yield from _whiskers(trace, frame, x, y)
        yield from _marks(trace, points)


def _path(points: Sequence[tuple[float, float] | None], trace: Json) -> str:
    steps, pen = [], "M"
    for point in points:
        if point is not None:
            steps.append(f"{pen}{point[0]:.1f} {point[1]:.1f}")
        pen = "M" if point is None else "L"
    if trace.get("fill"):
        return f'<path d="{"".join(steps)}Z" fill="{trace["fillcolor"]}"/>' if steps else ""
    style = trace["line"]
    dash = _DASHES[style.get("dash", "solid")]
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return f'<path d="{"".join(steps)}" fill="none" stroke="{style["color"]}" stroke-width="{style["width"]}"{dashed}/>'


def _whiskers(trace: Json, frame: _Frame, x: str, y: str) -> Iterator[str]:
    for key, name in (("error_x", x), ("error_y", y)):
        error = trace.get(key)
        if error is None:
            continue
        for index, (across, other) in enumerate(zip(trace["x"], trace["y"], strict=True)):
            middle = across if key == "error_x" else other
            if middle is None:
                continue
            first, last = (
                frame.at(name, middle - error["arrayminus"][index]),
                frame.at(name, middle + error["array"][index]),
            )
            level = frame.at(y, other) if key == "error_x" else frame.at(x, across)
            yield _rule("y" if key == "error_x" else "x", level, first, last, error["color"], error["thickness"])


def _marks(trace: Json, points: Sequence[tuple[float, float] | None]) -> Iterator[str]:
    marker = trace["marker"]
    sizes = marker["size"] if isinstance(marker["size"], list) else [marker["size"]] * len(points)
    name, _, hollow = marker["symbol"].partition("-open")
    hollow = marker["symbol"].endswith("-open")
    path = GENERATOR_PATHS[name]
    colour = marker["color"]
    paint = f'fill="{token("background")}" stroke="{colour}" stroke-width=".25"' if hollow else f'fill="{colour}"'
    for point, size in zip(points, sizes, strict=True):
        if point is None:
            continue
        yield f'<path transform="translate({point[0]:.1f} {point[1]:.1f}) scale({0.6 * size:.2f})" d="{path}" {paint}/>'


def _ticks(frame: _Frame) -> Iterator[str]:
    for name, axis in frame.axes():
        if axis.get("visible") is False:
            continue
        other = axis.get("anchor", "y" if name[0] == "x" else "x")
        base, colour = frame.share(other, 0), axis["tickfont"]["color"]
        shown = zip(axis["tickvals"], axis["ticktext"], strict=True) if axis.get("showticklabels", True) else ()
        for value, text in shown:
            at = frame.at(name, value)
            if name[0] == "x":
                yield _text(text, at, base + 12, colour, "middle", from_top=True)
            else:
                yield _text(text, base - 5, at, colour, "end")
        if title := axis.get("title", {}).get("text"):
            yield _axis_title(frame, name, title, token("text"))


def _axis_title(frame: _Frame, name: str, title: str, colour: str) -> str:
    if name[0] == "x":
        return _text(title, frame.share(name, 0.5), frame.height - 8, colour, "middle")
    at = frame.share(name, 0.5)
    return f'<g transform="translate(12 {at:.1f}) rotate(-90)">{_text(title, 0, 0, colour, "middle")}</g>'


def _words(frame: _Frame) -> Iterator[str]:
    for annotation in frame.layout.get("annotations", ()):
        x = frame.refer("x", annotation.get("xref", "x"), annotation["x"]) + annotation.get("xshift", 0)
        y = frame.refer("y", annotation.get("yref", "y"), annotation["y"]) - annotation.get("yshift", 0)
        size = annotation["font"].get("size", FONT_SIZE)
        lines = annotation["text"].count("<br>") + 1
        height = size * _LINE_HEIGHT * lines
        middle = {"top": y + height / 2, "bottom": y - height / 2}.get(annotation.get("yanchor", ""), y)
        anchor = _ANCHORS[annotation.get("xanchor", "center")]
        colour = annotation["font"]["color"]
        if angle := annotation.get("textangle"):
            text = _text(annotation["text"], 0, 0, colour, "start", size)
            yield f'<g transform="translate({x:.1f} {y - 6:.1f}) rotate({angle})">{text}</g>'
        elif weight := annotation["font"].get("weight"):
            yield f'<g font-weight="{weight}">{_text(annotation["text"], x, middle, colour, anchor, size)}</g>'
        else:
            yield _text(annotation["text"], x, middle, colour, anchor, size)


def _text(
    text: str, x: float, y: float, colour: str, anchor: str, size: float = FONT_SIZE, from_top: bool = False
) -> str:
    """Words in the small markup that our figures use: line breaks.

    ``y`` is the middle of all lines, or of the first.
    """
    lines = [_escaped(line) for line in text.split("<br>")]
    first = y + 0.35 * size - (0 if from_top else (len(lines) - 1) * size * _LINE_HEIGHT / 2)
    smaller = f' font-size="{size}"' if size != FONT_SIZE else ""
    start = f'<text x="{x:.1f}" y="{first:.1f}" fill="{colour}" text-anchor="{anchor}"{smaller}>'
    if len(lines) == 1:
        return f"{start}{lines[0]}</text>"
    spans = (
        f'<tspan x="{x:.1f}" dy="{size * _LINE_HEIGHT * (at > 0):.1f}">{line}</tspan>' for at, line in enumerate(lines)
    )
    return f"{start}{''.join(spans)}</text>"


def _escaped(text: str) -> str:
    """Escape words anew, whether or not they were: nothing of ours means an entity by its name."""
    return escape(unescape(text), quote=False)
