"""Checks of facts about shapes, backgrounds and what constructions consist of."""

import itertools
import math

from fact_checks.canvas_view import ROUGHLY, Checks, Drawn, Fact, Readers, dots, items, placed, same_colour, whole
from ircore.core.drawing import Point
from ircore.players.builtin.canvas.shapes import Blob, Canvas, Item, LineItem, PieItem


def shape(fact: Fact, item: Item | None, drawn: Drawn) -> Checks:
    """Check kind, colours, place and size of a shape."""
    if item is None:
        return {key: False for key in ("is", "colour", "outline", "at", "size") if key in fact}
    checks = {"is": _is_kind(str(fact["is"]), item)}
    if "colour" in fact:
        fill = item.fill if isinstance(item, Blob) else item.colour
        checks["colour"] = same_colour(fact["colour"], fill)
    if "outline" in fact:
        edge = item.outline if isinstance(item, Blob | PieItem) else item.colour if isinstance(item, LineItem) else None
        checks["outline"] = same_colour(fact["outline"], edge)
    return checks | placed(fact, item, drawn)


_ALSO = {"circle": {"dot"}, "square": {"rectangle"}, "rectangle": {"square", "bar"}}


def _is_kind(kind: str, item: Item) -> bool:
    """Whether an item is of a kind, by its name or by its form."""
    if isinstance(item, PieItem):
        turn = sum(end - start for start, end in item.angles())
        form = {"ring": turn > 359 and item.hole > 0, "semicircle": abs(turn - 180) < 9}
        return len(item.slices) == 1 and form.get(kind, kind == "quarter_circle" and abs(turn - 90) < 9)
    if isinstance(item, LineItem):
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
    return drawn.x(point[0]), drawn.y(point[1])


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
    if not isinstance(item, LineItem):
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
    if not isinstance(item, LineItem | PieItem):
        return dict.fromkeys(["is", *keys], False)
    vertex = fact["at"][0] * drawn.canvas.width / 100, fact["at"][1] * drawn.canvas.height / 100
    if isinstance(item, PieItem):
        is_arc, reach, colour = math.dist(item.centre, vertex) < 16, item.radius, item.outline or item.colour
    else:
        far = [math.dist(point, vertex) for point in item.points]
        reach, colour = sum(far) / len(far), item.colour
        is_arc = len(far) >= 4 and max(far) - min(far) < 0.3 * reach and reach < 0.2 * drawn.canvas.width
    own = {"colour": same_colour(fact.get("colour", "black"), colour),
           "radius": abs(100 * reach / drawn.canvas.width - fact.get("radius", 0)) < 3}  # fmt: skip
    return {"is": is_arc} | {key: own[key] for key in keys}


def _mark(fact: Fact, item: Item | None, drawn: Drawn) -> Checks:
    if not isinstance(item, LineItem):
        return {"at": False}
    left, top, right, bottom = item.box
    small = max(drawn.share((right - left, bottom - top))) < 8
    return {"at": small and math.dist(drawn.share(item.centre), fact["at"]) <= 4}


FORMS: Readers = {
    "arc": (_arc, items), "background": (_background, whole), "dot": (_dot, dots), "fade": (_background, whole),
    "mark": (_mark, items), "panel": (_panel, items), "polygon": (_polygon, items), "segment": (_segment, items),
}  # fmt: skip
