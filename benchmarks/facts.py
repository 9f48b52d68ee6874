"""Whether a stated fact reached the picture: the items of a finished canvas against what a description says.

A fact is a mapping with ``is``, the kind of thing, and what is stated of it: ``at`` and ``size`` in percent of the
picture, ``colour``, ``outline``, ``text``, ``value`` … Each of these counts by itself, and so does that the thing is
there at all. Values of charts are read off the drawn tick labels, as a reader of the picture would.
"""

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from PIL import ImageColor
from scipy.optimize import linear_sum_assignment

from ircore.drawing import Point, arc_points
from ircore.players.canvas.colours import family
from ircore.players.canvas.render import smooth
from ircore.players.canvas.shapes import Blob, BoxF, Canvas, Item, Label, Pie, Stroke, extent

Fact = dict[str, Any]
Checks = dict[str, bool]
"""What was stated of a thing, and whether the picture has it."""

SAME_COLOUR = 100.0
"""Euclidean distance in RGB (0–441) up to which a stated colour counts as drawn; so do colours of one everyday name."""
NEAR, ROUGHLY = 6.0, 14.0
"""Percent of the picture by which a place may be off that is stated in numbers, and one stated in words."""
OFF_VALUE = 0.05
"""Share of the axis by which a value may be off."""
OFF_SHARE = 2.5
"""Points by which a wedge's share may be off."""


@dataclass(frozen=True)
class Scale:
    """What value lies at a pixel: ``value = pixel * slope + start``; ``span`` of the labels it was read from."""

    slope: float
    start: float
    span: float

    def value(self, pixel: float) -> float:
        """Return the value at a pixel."""
        return pixel * self.slope + self.start

    def pixel(self, value: float) -> float:
        """Return the pixel of a value."""
        return (value - self.start) / self.slope


class Drawn:
    """A canvas, with what a reader sees in it."""

    def __init__(self, canvas: Canvas) -> None:
        self.canvas = canvas

    @cached_property
    def labels(self) -> list[Label]:
        """All texts."""
        return [item for item in self.canvas.items if isinstance(item, Label)]

    @cached_property
    def pies(self) -> list[Pie]:
        """All pies of several wedges."""
        return [item for item in self.canvas.items if isinstance(item, Pie) and len(item.slices) > 1]

    @cached_property
    def x(self) -> Scale | None:
        """The scale of the numbers in a row, if there are such."""
        return _read_scale(self.labels, 0)

    @cached_property
    def y(self) -> Scale | None:
        """The scale of the numbers in a column, if there are such."""
        return _read_scale(self.labels, 1)

    def share(self, point: Point) -> Point:
        """Return a point in percent of the picture."""
        return 100 * point[0] / self.canvas.width, 100 * point[1] / self.canvas.height


def checked(facts: Sequence[Fact], canvas: Canvas) -> list[tuple[Fact, Checks]]:
    """Return every fact with what of it is in the picture; each drawn thing stands for one fact of its kind only."""
    drawn, found = Drawn(canvas), []
    for kind in dict.fromkeys(str(fact["is"]) for fact in facts):
        alike = [fact for fact in facts if fact["is"] == kind]
        check, things = _READERS.get(kind, (_shape, _items))
        if things is _whole:
            found += [(fact, check(fact, drawn.canvas, drawn)) for fact in alike]
            continue
        candidates = list(things(drawn))
        table = [[check(fact, thing, drawn) for thing in candidates] for fact in alike]
        for fact, row, column in _assigned(alike, table):
            nothing = dict.fromkeys(check(fact, None, drawn), False)
            found.append((fact, table[row][column] if column is not None else nothing))
    return found


def _assigned(facts: list[Fact], table: list[list[Checks]]) -> list[tuple[Fact, int, int | None]]:
    """Give each fact the thing that has most of it, no thing twice; a thing of another kind has nothing."""
    scores = np.array([[sum(checks.values()) if _is_there(checks) else -1 for checks in row] for row in table])
    best: dict[int, int] = {}
    if scores.size:
        rows, columns = linear_sum_assignment(-scores)
        best = {int(row): int(col) for row, col in zip(rows, columns, strict=True) if scores[row, col] > 0}
    return [(fact, row, best.get(row)) for row, fact in enumerate(facts)]


def _is_there(checks: Checks) -> bool:
    return next(iter(checks.values()), False)


def _items(drawn: Drawn) -> list[Item]:
    return list(drawn.canvas.items)


def _whole(drawn: Drawn) -> list[Canvas]:
    return [drawn.canvas]


# --- colours and places


def same_colour(stated: str, shown: str | None, most: float = SAME_COLOUR) -> bool:
    """Whether a drawn colour is the stated one, as far as words can tell."""
    if shown is None:
        return False
    wanted = "#{:02x}{:02x}{:02x}".format(*ImageColor.getrgb(stated)[:3])
    apart = math.dist(ImageColor.getrgb(wanted)[:3], ImageColor.getrgb(shown)[:3])
    return apart <= most or (most == SAME_COLOUR and family(wanted) == family(shown))


def _box(item: Item) -> BoxF:
    if isinstance(item, Pie) and len(item.slices) == 1:
        start, end = item.angles()[0]
        rim = arc_points(item.centre, (item.radius, item.radius), start, end)
        return extent(rim if item.hole or end - start > 359 else [*rim, item.centre])
    return item.box


def _placed(fact: Fact, item: Item, drawn: Drawn) -> Checks:
    """Check place and size of a thing's box."""
    left, top, right, bottom = _box(item)
    checks: Checks = {}
    if "at" in fact:
        checks["at"] = _is_near(fact, drawn.share(((left + right) / 2, (top + bottom) / 2)))
    if "size" in fact:
        sides = drawn.share((right - left, bottom - top))
        checks["size"] = all(abs(a - b) <= max(3.0, 0.25 * b) for a, b in zip(sides, fact["size"], strict=True))
    return checks


def _is_near(fact: Fact, at: Point, most: float = NEAR) -> bool:
    return math.dist(at, fact["at"]) <= (ROUGHLY if fact.get("roughly") else most)


# --- shapes


def _shape(fact: Fact, item: Item | None, drawn: Drawn) -> Checks:
    if item is None:
        return {key: False for key in ("is", "colour", "outline", "at", "size") if key in fact}
    checks = {"is": _is_kind(str(fact["is"]), item)}
    if "colour" in fact:
        fill = item.fill if isinstance(item, Blob) else item.colour
        checks["colour"] = same_colour(fact["colour"], fill)
    if "outline" in fact:
        edge = item.outline if isinstance(item, Blob | Pie) else item.colour if isinstance(item, Stroke) else None
        checks["outline"] = same_colour(fact["outline"], edge)
    return checks | _placed(fact, item, drawn)


_ALSO = {"circle": {"dot"}, "square": {"rectangle"}, "rectangle": {"square", "bar"}}


def _is_kind(kind: str, item: Item) -> bool:
    """Whether an item is of a kind, by its name or by its form."""
    if isinstance(item, Pie):
        turn = sum(end - start for start, end in item.angles())
        form = {"ring": turn > 359 and item.hole > 0, "semicircle": abs(turn - 180) < 9}
        return len(item.slices) == 1 and form.get(kind, kind == "quarter_circle" and abs(turn - 90) < 9)
    if isinstance(item, Stroke):
        return item.kind == kind == "arrow" or (
            kind == "circle" and item.kind == "arc" and math.dist(item.points[0], item.points[-1]) < 3
        )
    if not isinstance(item, Blob):
        return False
    if kind in {"triangle", "right_triangle"} and len(item.corners) == 3:
        return kind == "triangle" or _right_angled(item.path())
    square = kind != "square" or abs(item.width - item.height) <= 0.1 * item.width
    return item.kind.replace(" ", "_") in {kind, *_ALSO.get(kind, set())} and square


def _right_angled(path: list[Point]) -> bool:
    sides = sorted(math.dist(a, b) for a, b in itertools.pairwise([*path, path[0]]))
    return abs(math.hypot(sides[0], sides[1]) - sides[2]) < 0.03 * sides[2]


def _background(fact: Fact, _: Canvas, drawn: Drawn) -> Checks:
    shown = drawn.canvas.fade if fact["is"] == "fade" else drawn.canvas.background
    return {"colour": same_colour(fact["colour"], shown, 60.0)}


def _panel(fact: Fact, item: Item | None, drawn: Drawn) -> Checks:
    if not isinstance(item, Blob):
        return {"is": False, "colour": False}
    wide, high = drawn.share((item.width, item.height))
    large = item.kind in {"rectangle", "square"} and wide > 40 and high > 40
    return {"is": large, "colour": same_colour(fact["colour"], item.fill, 60.0)}


# --- texts


def _plain(text: str) -> str:
    return text.replace("−", "-").strip()


def _text(fact: Fact, label: Label | None, drawn: Drawn) -> Checks:
    if label is None:
        return {key: False for key in ("text", "at", "colour") if key in fact}
    checks = {"text": _plain(label.text) == _plain(str(fact["text"]))}
    if "at" in fact:
        checks["at"] = _is_near(fact, drawn.share(label.centre))
    if "colour" in fact:
        checks["colour"] = same_colour(fact["colour"], label.colour)
    return checks


def _ticks(fact: Fact, _: Canvas, drawn: Drawn) -> Checks:
    """Each text counts if it stands in one row or column with the others."""
    across = 1 if fact["axis"] == "x" else 0
    found = [[label for label in drawn.labels if _plain(label.text) == text] for text in fact["texts"]]
    levels = [drawn.share(label.centre)[across] for labels in found for label in labels]
    level = max(levels, key=lambda one: sum(abs(one - other) < 4 for other in levels), default=0.0)
    return {
        f"tick {text}": any(abs(drawn.share(label.centre)[across] - level) < 4 for label in labels)
        for text, labels in zip(fact["texts"], found, strict=True)
    }


def _labels(drawn: Drawn) -> list[Label]:
    return drawn.labels


def _read_scale(labels: Sequence[Label], along: int) -> Scale | None:
    """Return the scale of the longest row (``along`` 0) or column (1) of numbers that lie evenly."""
    numbers = [(label.centre, float(_plain(label.text).rstrip("°"))) for label in labels if _is_number(label.text)]
    best: list[tuple[float, float]] = []
    for middle, _ in numbers:
        row = [(at[along], value) for at, value in numbers if abs(at[1 - along] - middle[1 - along]) < 14]
        # A label of the other axis may stand in the corner.
        for some in (row, *(row[:index] + row[index + 1 :] for index in range(len(row)) if len(row) > 3)):
            if len({value for _, value in some}) > max(1, len({value for _, value in best})) and _is_even(some):
                best = some
    if not best:
        return None
    slope, start = np.polyfit([at for at, _ in best], [value for _, value in best], 1)
    values = [value for _, value in best]
    return Scale(float(slope), float(start), max(values) - min(values))


def _is_number(text: str) -> bool:
    try:
        float(_plain(text).rstrip("°"))
    except ValueError:
        return False
    return True


def _is_even(row: list[tuple[float, float]]) -> bool:
    """Whether values grow with place along a straight line, up to a hundredth."""
    places, values = np.array(row).T
    if np.ptp(places) < 20 or np.ptp(values) == 0:
        return False
    slope, start = np.polyfit(places, values, 1)
    return bool(np.abs(places * slope + start - values).max() < 0.02 * np.ptp(values))


# --- axes and grids


def _is_upright(item: Item, axis: str, drawn: Drawn) -> bool:
    """Whether a line runs along an axis over much of the picture."""
    if not isinstance(item, Stroke) or len(item.points) != 2:
        return False
    wide, high = drawn.share((item.box[2] - item.box[0], item.box[3] - item.box[1]))
    return (wide > 40 and high < 1) if axis == "x" else (high > 40 and wide < 1)


def _axis(fact: Fact, item: Item | None, drawn: Drawn) -> Checks:
    if item is None or not isinstance(item, Stroke):
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
    strokes = [line for line in lines if isinstance(line, Stroke)]
    checks = {"is": len(strokes) >= 2}
    if "colour" in fact:
        checks["colour"] = checks["is"] and same_colour(fact["colour"], strokes[0].colour)
    if "dash" in fact:
        checks["dash"] = checks["is"] and bool(strokes[0].dash) == fact["dash"]
    return checks


# --- charts


def _bar(fact: Fact, item: Item | None, drawn: Drawn) -> Checks:
    if not isinstance(item, Blob) or item.kind not in {"bar", "rectangle", "square"} or item.fill is None:
        return {"is": False, "text": False, "value": False, "colour": False}
    along = 0 if fact.get("lying") else 1
    middle, thick = item.centre[1 - along], (item.width if along else item.height)
    named = [label for label in drawn.labels if _plain(label.text) == str(fact["text"])]
    text = any(abs(label.centre[1 - along] - middle) <= thick / 2 + 6 for label in named)
    scale = drawn.y if along else drawn.x
    value = False
    if scale is not None:
        ends = sorted(scale.value(pixel) for pixel in (item.box[along], item.box[along + 2]))
        base = float(fact.get("base", 0.0))
        wanted = sorted((base, base + fact["value"]))
        value = all(abs(a - b) <= OFF_VALUE * scale.span for a, b in zip(ends, wanted, strict=True))
    wide, high = drawn.share((item.width, item.height))
    is_bar = not (wide > 40 and high > 40) and (text or value)
    return {"is": is_bar, "text": text, "value": value, "colour": same_colour(fact["colour"], item.fill)}


def _line(fact: Fact, item: Item | None, drawn: Drawn) -> Checks:
    if not isinstance(item, Stroke) or len(item.points) < 3:
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
        read = drawn.y and abs(drawn.y.value(float(height)) - value) <= OFF_VALUE * drawn.y.span
        checks[f"value {index}"] = bool(read)
    return checks


def _area(fact: Fact, item: Item | None, drawn: Drawn) -> Checks:
    filled = isinstance(item, Blob) and item.fill is not None and len(item.corners) >= 4
    checks = {"is": filled and item is not None and math.prod(drawn.share((item.box[2] - item.box[0], 1))) > 0}
    if "colour" in fact:
        checks["colour"] = isinstance(item, Blob) and same_colour(fact["colour"], item.fill)
    return checks


def _pie(fact: Fact, pie: Pie | None, drawn: Drawn) -> Checks:
    if pie is None:
        return {key: False for key in ("is", "at", "size", "outline", "hole") if key == "is" or key in fact}
    checks = {"is": True} | _placed(fact, pie, drawn)
    if "outline" in fact:
        checks["outline"] = same_colour(fact["outline"], pie.outline)
    if "hole" in fact:
        checks["hole"] = abs(pie.hole / pie.radius - fact["hole"]) < 0.12
    return checks


def _wedge(fact: Fact, wedge: tuple[Pie, int] | None, drawn: Drawn) -> Checks:
    keys = [key for key in ("value", "colour", "text", "starts", "pulled") if key in fact]
    if wedge is None:
        return dict.fromkeys(["is", *keys], False)
    pie, part = wedge
    one, (start, end) = pie.slices[part], pie.angles()[part]
    share = (end - start) / 3.6
    checks = {
        "value": abs(share - fact["value"]) <= OFF_SHARE,
        "colour": same_colour(fact["colour"], one.colour),
        "text": any(_names(label, str(fact["text"]), pie, (start, end)) for label in drawn.labels),
        "starts": "starts" in fact and abs((start + 90 - fact["starts"] + 180) % 360 - 180) < 6,
        "pulled": one.pulled > 0,
    }
    return {"is": checks["value"] or checks["colour"]} | {key: checks[key] for key in keys}


def _names(label: Label, text: str, pie: Pie, span: tuple[float, float]) -> bool:
    """Whether a label, with or without a percentage, stands in or beside a wedge."""
    same = _plain(label.text) == text or _plain(label.text).startswith(f"{text} ")
    x, y = label.centre[0] - pie.centre[0], label.centre[1] - pie.centre[1]
    turn = (math.degrees(math.atan2(y, x)) - span[0] + 8) % 360
    return same and turn <= span[1] - span[0] + 16


def _wedges(drawn: Drawn) -> list[tuple[Pie, int]]:
    return [(pie, part) for pie in drawn.pies for part in range(len(pie.slices))]


def _pies(drawn: Drawn) -> list[Pie]:
    return drawn.pies


# --- graphs of functions and geometry


def _curve(fact: Fact, item: Item | None, drawn: Drawn) -> Checks:
    keys = [key for key in ("colour", "dash") if key in fact]
    if not isinstance(item, Stroke) or item.kind not in {"curve", "polyline", "line", "arc"}:
        return dict.fromkeys(["is", *keys, *(f"through {x}, {y}" for x, y in fact["through"])], False)
    path = smooth(item.points) if item.smooth else list(item.points)
    through = {
        f"through {x}, {y}": drawn.x is not None
        and drawn.y is not None
        and _distance((drawn.x.pixel(x), drawn.y.pixel(y)), path) <= 0.03 * drawn.canvas.width
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


def _dot(fact: Fact, item: tuple[Point, str | None] | None, drawn: Drawn) -> Checks:
    if item is None:
        return {key: False for key in ("at", "value", "colour") if key in fact}
    (x, y), colour = item
    checks: Checks = {}
    if "at" in fact:
        checks["at"] = math.dist(drawn.share((x, y)), fact["at"]) <= 3
    else:
        wanted = fact["value"]
        known = drawn.x is not None and drawn.y is not None
        checks["value"] = known and math.dist(_pixel(wanted, drawn), (x, y)) <= 0.03 * drawn.canvas.width
    if "colour" in fact:
        checks["colour"] = same_colour(fact["colour"], colour)
    return checks


def _pixel(point: Point, drawn: Drawn) -> Point:
    assert drawn.x is not None
    assert drawn.y is not None
    return drawn.x.pixel(point[0]), drawn.y.pixel(point[1])


def _dots(drawn: Drawn) -> list[tuple[Point, str | None]]:
    """Return the small discs and rings of the picture, with their colours."""
    small = 0.06 * drawn.canvas.width
    blobs = [item for item in drawn.canvas.items if isinstance(item, Blob) and max(item.width, item.height) <= small]
    return [(blob.centre, blob.colour) for blob in blobs if blob.kind in {"circle", "dot", "ring"}]


def _polygon(fact: Fact, item: Item | None, drawn: Drawn) -> Checks:
    keys = [key for key in ("colour", "outline") if key in fact]
    if not isinstance(item, Blob) or not item.corners:
        return dict.fromkeys(["is", "corners", *keys], False)
    corners = [drawn.share(point) for point in item.path()]
    most = ROUGHLY if fact.get("roughly") else 4.0
    near = all(min(math.dist(corner, tuple(wanted)) for corner in corners) <= most for wanted in fact["corners"])
    checks = {"is": len(corners) == len(fact["corners"]), "corners": near}
    own = {"colour": same_colour(fact.get("colour", "black"), item.fill),
           "outline": same_colour(fact.get("outline", "black"), item.outline)}  # fmt: skip
    return checks | {key: own[key] for key in keys}


def _segment(fact: Fact, item: Item | None, drawn: Drawn) -> Checks:
    keys = [key for key in ("colour", "dash") if key in fact]
    if not isinstance(item, Stroke):
        return dict.fromkeys(["ends", *keys], False)
    ends = [drawn.share(item.points[0]), drawn.share(item.points[-1])]
    most = 8.0 if fact.get("roughly") else 4.0
    near = min(
        max(math.dist(a, b) for a, b in zip(ends, way, strict=True)) for way in (fact["ends"], fact["ends"][::-1])
    )
    own = {"colour": same_colour(fact.get("colour", "black"), item.colour), "dash": bool(item.dash) == fact.get("dash")}
    return {"ends": near <= most} | {key: own[key] for key in keys}


def _arc(fact: Fact, item: Item | None, drawn: Drawn) -> Checks:
    keys = [key for key in ("colour", "radius") if key in fact]
    if not isinstance(item, Stroke | Pie):
        return dict.fromkeys(["is", *keys], False)
    vertex = fact["at"][0] * drawn.canvas.width / 100, fact["at"][1] * drawn.canvas.height / 100
    if isinstance(item, Pie):
        is_arc, reach, colour = math.dist(item.centre, vertex) < 16, item.radius, item.outline or item.colour
    else:
        far = [math.dist(point, vertex) for point in item.points]
        reach, colour = sum(far) / len(far), item.colour
        is_arc = len(far) >= 4 and max(far) - min(far) < 0.3 * reach and reach < 0.2 * drawn.canvas.width
    own = {"colour": same_colour(fact.get("colour", "black"), colour),
           "radius": abs(100 * reach / drawn.canvas.width - fact.get("radius", 0)) < 3}  # fmt: skip
    return {"is": is_arc} | {key: own[key] for key in keys}


def _mark(fact: Fact, item: Item | None, drawn: Drawn) -> Checks:
    if not isinstance(item, Stroke):
        return {"at": False}
    left, top, right, bottom = item.box
    small = max(drawn.share((right - left, bottom - top))) < 8
    return {"at": small and math.dist(drawn.share(item.centre), fact["at"]) <= 4}


_READERS: dict[str, tuple[Callable[..., Checks], Callable[[Drawn], Sequence[Any]]]] = {
    "arc": (_arc, _items), "area": (_area, _items), "axis": (_axis, _items), "background": (_background, _whole),
    "bar": (_bar, _items), "curve": (_curve, _items), "dot": (_dot, _dots), "fade": (_background, _whole),
    "grid": (_grid, _whole), "line": (_line, _items), "mark": (_mark, _items), "panel": (_panel, _items),
    "pie": (_pie, _pies), "polygon": (_polygon, _items), "segment": (_segment, _items), "text": (_text, _labels),
    "ticks": (_ticks, _whole), "wedge": (_wedge, _wedges),
}  # fmt: skip
"""How to check each kind of fact, and against which things; all other kinds are shapes."""
