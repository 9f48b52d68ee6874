"""Checks of facts about charts and graphs, their texts, axes and grids."""

import itertools
import math
from collections.abc import Sequence

import numpy as np

from fact_checks.canvas_view import (
    Checks,
    Drawn,
    Fact,
    Readers,
    is_near,
    items,
    labels,
    pies,
    placed,
    plain,
    same_colour,
    wedges,
    whole,
)
from ircore.core.drawing import Point
from ircore.players.builtin.canvas.render import smooth
from ircore.players.builtin.canvas.shapes import Blob, Canvas, Item, Label, LineItem, PieItem

OFF_VALUE = 0.05
"""Share of the axis by which a value may be off."""
OFF_SHARE = 2.5
"""Points by which a wedge's share may be off."""


def _text(fact: Fact, label: Label | None, drawn: Drawn) -> Checks:
    if label is None:
        return {key: False for key in ("text", "at", "colour") if key in fact}
    checks = {"text": plain(label.text) == plain(str(fact["text"]))}
    if "at" in fact:
        checks["at"] = is_near(fact, drawn.share(label.centre))
    if "colour" in fact:
        checks["colour"] = same_colour(fact["colour"], label.colour)
    return checks


def _ticks(fact: Fact, _: Canvas, drawn: Drawn) -> Checks:
    """Each text counts if it stands in one row or column with the others."""
    across = 1 if fact["axis"] == "x" else 0
    matches = [[label for label in drawn.labels if plain(label.text) == text] for text in fact["texts"]]
    levels = [drawn.share(label.centre)[across] for labels in matches for label in labels]
    level = max(levels, key=lambda entry: sum(abs(entry - other) < 4 for other in levels), default=0.0)
    return {
        f"tick {text}": any(abs(drawn.share(label.centre)[across] - level) < 4 for label in labels)
        for text, labels in zip(fact["texts"], matches, strict=True)
    }


def _is_upright(item: Item, axis: str, drawn: Drawn) -> bool:
    """Whether a line runs along an axis over much of the picture."""
    if not isinstance(item, LineItem) or len(item.points) != 2:
        return False
    wide, high = drawn.share((item.box[2] - item.box[0], item.box[3] - item.box[1]))
    return (wide > 40 and high < 1) if axis == "x" else (high > 40 and wide < 1)


def _axis(fact: Fact, item: Item | None, drawn: Drawn) -> Checks:
    if item is None or not isinstance(item, LineItem):
        return {key: False for key in ("axis", "colour", "arrow") if key in fact}
    checks = {"axis": item.kind == f"{fact['axis']} axis" and _is_upright(item, fact["axis"], drawn)}
    if "colour" in fact:
        checks["colour"] = same_colour(fact["colour"], item.colour)
    if "arrow" in fact:
        checks["arrow"] = bool(item.arrow) == fact["arrow"]
    return checks


def _grid(fact: Fact, _: Canvas, drawn: Drawn) -> Checks:
    """The lines from the ticks of the x axis stand, those from the y axis lie."""
    lying = "y" if fact["axis"] == "x" else "x"
    lines = [item for item in drawn.canvas.items if _is_upright(item, lying, drawn) and item.kind in {"grid", "line"}]
    strokes = [line for line in lines if isinstance(line, LineItem)]
    checks = {"is": len(strokes) >= 2}
    if "colour" in fact:
        checks["colour"] = checks["is"] and same_colour(fact["colour"], strokes[0].colour)
    if "dash" in fact:
        checks["dash"] = checks["is"] and bool(strokes[0].dash) == fact["dash"]
    return checks


def _bar(fact: Fact, item: Item | None, drawn: Drawn) -> Checks:
    if not isinstance(item, Blob) or item.kind not in {"bar", "rectangle", "square"} or item.fill is None:
        return {"is": False, "text": False, "value": False, "colour": False}
    along = 0 if fact.get("lying") else 1
    middle, thick = item.centre[1 - along], (item.width if along else item.height)
    named = [label for label in drawn.labels if plain(label.text) == str(fact["text"])]
    text = any(abs(label.centre[1 - along] - middle) <= thick / 2 + 6 for label in named)
    scale = drawn.y if along else drawn.x
    value = False
    if scale is not None:
        ends = sorted(scale.value(pixel) for pixel in (item.box[along], item.box[along + 2]))
        base = float(fact.get("base", 0.0))
        wanted = sorted((base, base + fact["value"]))
        value = all(abs(a - b) <= OFF_VALUE * (scale.high - scale.low) for a, b in zip(ends, wanted, strict=True))
    wide, high = drawn.share((item.width, item.height))
    is_bar = not (wide > 40 and high > 40) and (text or value)
    return {"is": is_bar, "text": text, "value": value, "colour": same_colour(fact["colour"], item.fill)}


def _line(fact: Fact, item: Item | None, drawn: Drawn) -> Checks:
    if not isinstance(item, LineItem) or len(item.points) < 3:
        return {key: False for key in ("is", "colour", "dash", "marker") if key == "is" or key in fact} | dict.fromkeys(
            (f"value {index}" for index in range(len(fact["values"]))), False
        )
    checks = {"is": item.kind in {"polyline", "curve", "line"}}
    if "colour" in fact:
        checks["colour"] = same_colour(fact["colour"], item.colour)
    if "dash" in fact:
        checks["dash"] = bool(item.dash) == fact["dash"]
    if "marker" in fact:
        checks["marker"] = {"round": "circle", "ring": "circle"}.get(item.marker, item.marker) == fact["marker"]
    path = sorted(item.points)
    places = np.linspace(path[0][0], path[-1][0], len(fact["values"]))
    heights = np.interp(places, *np.array(path).T)
    for index, (value, height) in enumerate(zip(fact["values"], heights, strict=True)):
        read = drawn.y and abs(drawn.y.value(float(height)) - value) <= OFF_VALUE * (drawn.y.high - drawn.y.low)
        checks[f"value {index}"] = bool(read)
    return checks


def _area(fact: Fact, item: Item | None, drawn: Drawn) -> Checks:
    filled = isinstance(item, Blob) and item.fill is not None and len(item.corners) >= 4
    checks = {"is": filled and item is not None and math.prod(drawn.share((item.box[2] - item.box[0], 1))) > 0}
    if "colour" in fact:
        checks["colour"] = isinstance(item, Blob) and same_colour(fact["colour"], item.fill)
    return checks


def _pie(fact: Fact, pie: PieItem | None, drawn: Drawn) -> Checks:
    if pie is None:
        return {key: False for key in ("is", "at", "size", "outline", "hole") if key == "is" or key in fact}
    checks = {"is": True} | placed(fact, pie, drawn)
    if "outline" in fact:
        checks["outline"] = same_colour(fact["outline"], pie.outline)
    if "hole" in fact:
        checks["hole"] = abs(pie.hole / pie.radius - fact["hole"]) < 0.12
    return checks


def _wedge(fact: Fact, wedge: tuple[PieItem, int] | None, drawn: Drawn) -> Checks:
    keys = [key for key in ("value", "colour", "text", "starts", "pulled") if key in fact]
    if wedge is None:
        return dict.fromkeys(["is", *keys], False)
    pie, part = wedge
    item, (start, end) = pie.slices[part], pie.angles()[part]
    share = (end - start) / 3.6
    checks = {
        "value": abs(share - fact["value"]) <= OFF_SHARE,
        "colour": same_colour(fact["colour"], item.colour),
        "text": any(_names(label, str(fact["text"]), pie, (start, end)) for label in drawn.labels),
        "starts": "starts" in fact and abs((start + 90 - fact["starts"] + 180) % 360 - 180) < 6,
        "pulled": item.pulled > 0,
    }
    return {"is": checks["value"] or checks["colour"]} | {key: checks[key] for key in keys}


def _names(label: Label, text: str, pie: PieItem, span: tuple[float, float]) -> bool:
    """Whether a label, with or without a percentage, stands in or beside a wedge."""
    same = plain(label.text) == text or plain(label.text).startswith(f"{text} ")
    x, y = label.centre[0] - pie.centre[0], label.centre[1] - pie.centre[1]
    turn = (math.degrees(math.atan2(y, x)) - span[0] + 8) % 360
    return same and turn <= span[1] - span[0] + 16


def _curve(fact: Fact, item: Item | None, drawn: Drawn) -> Checks:
    keys = [key for key in ("colour", "dash") if key in fact]
    if not isinstance(item, LineItem) or item.kind not in {"curve", "polyline", "line", "arc"}:
        return dict.fromkeys(["is", *keys, *(f"through {x}, {y}" for x, y in fact["through"])], False)
    path = smooth(item.points) if item.smooth else list(item.points)
    through = {
        f"through {x}, {y}": drawn.x is not None
        and drawn.y is not None
        and _distance((drawn.x(x), drawn.y(y)), path) <= 0.03 * drawn.canvas.width
        for x, y in fact["through"]
    }
    own = {"colour": same_colour(fact.get("colour", "black"), item.colour), "dash": bool(item.dash) == fact.get("dash")}
    return {"is": True} | {key: own[key] for key in keys} | through


def _distance(point: Point, path: Sequence[Point]) -> float:
    """Return how far a point is from a polyline."""
    return min(_from_segment(point, a, b) for a, b in itertools.pairwise(path))


def _from_segment(point: Point, a: Point, b: Point) -> float:
    dx, dy = b[0] - a[0], b[1] - a[1]
    length = dx * dx + dy * dy
    part = min(1.0, max(0.0, ((point[0] - a[0]) * dx + (point[1] - a[1]) * dy) / length)) if length else 0.0
    return math.dist(point, (a[0] + part * dx, a[1] + part * dy))


CHARTS: Readers = {
    "area": (_area, items), "axis": (_axis, items), "bar": (_bar, items), "curve": (_curve, items),
    "grid": (_grid, whole), "line": (_line, items), "pie": (_pie, pies), "text": (_text, labels),
    "ticks": (_ticks, whole), "wedge": (_wedge, wedges),
}  # fmt: skip
