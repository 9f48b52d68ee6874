"""Makes one item from the words about it: closed shapes with their corners, lines and texts."""

import math
import re
from dataclasses import replace

from ircore.core import exact
from ircore.core.drawing import Point, arc_points
from ircore.players.builtin.canvas import quantities as q
from ircore.players.builtin.canvas.quantities import find_absolute_place, word_place
from ircore.players.builtin.canvas.shapes import (
    Blob,
    Item,
    Label,
    LineItem,
    build_polygon,
    centre_at,
    clamp,
    compute_font_size,
    limit_font_size,
    measure_size,
)

SIDES = {"pentagon": 5, "hexagon": 6, "heptagon": 7, "octagon": 8, "polygon": 6}
CIRCULAR = frozenset({"star", "semicircle", *SIDES})
"""Kinds whose corners lie on a circle that "radius" speaks of."""

Corners = tuple[Point, ...]
BLACK = "#000000"
STROKES = frozenset({"line", "arrow", "curve", "arc", "polyline"})
_SIZES = {"dot": 0.03, "bar": 0.08}
"""Usual size as a share of the picture's shorter side; 0.25 for other kinds."""

_HEIGHTS = {"rectangle": 0.6, "ellipse": 0.6, "bar": 2.0, "trapezoid": 0.6, "parallelogram": 0.6}
"""Usual height as a share of the width; 1 for other kinds."""

_MARKER_SHAPES = {"circular": "round", "circle": "round", "dot": "round", "triangular": "triangle", "x": "cross"}
_HOLLOW = re.compile(
    r"\b(?:unfilled|hollow|empty|not filled|no fill|without fill|outlines? only|just an outline"
    r"|outline of|transparent|open|wireframe"
    r"|(?:circle|disc|ellipse|oval|square|rectangle|triangle|polygon|star|[a-z]{4,5}agon|diamond) outline)\b"
)
_OUTLINED = re.compile(r"\b(?:outlined?|outlines|border(?:ed|s)?|edged|rimmed|framed|contour)\b")
_NO_OUTLINE = re.compile(r"\b(?:no|without(?: an?| any)?)\s+(?:visible\s+)?(?:outline|border|edge|frame)\b")
_CORNERS = re.compile(r"\b(?:corners?|vertices|vertex|points|angles)\b")
_CORNER_AT = re.compile(
    r"\b(?:(top|upper|bottom|lower)\s+(left|right)|(left|right)\s+(top|upper|bottom"
    r"|lower))(?:\s+(?:hand\s+)?corner)?\s+(?:is\s+|being\s+)?(?:at|in|on|=|:)?\s*\("
)
_BARE = re.compile(rf"\b{q.N}px\b(?!\s+(?:outline|border|stroke|edge|rim|to|left|right|above|below|from|away))")
_THICKNESS = re.compile(
    rf"{q.N}px\s+(?:wide|thick|thin|in width|stroke)\b|\b(?:width|thickness|stroke)\s*(?:of\s+|is\s+|=\s*|:\s*)?{q.N}px"
    rf"|(?<!radius )(?<!radius of )(?<!length )(?<!length of )\b{q.N}px\s*(?!\s*(?:long|tall|high"
    rf"|radius|left|right|up|down|above|below|from|centred|at))"
)
_LENGTH = re.compile(rf"{q.N}(px|%)\s+long\b|\blength\s+(?:of\s+|is\s+)?{q.N}(px|%)?")
_MARKERS = re.compile(
    r"\b(?:(round|circular|circle|square|triangular|triangle|diamond|cross|x|dot)\s+)?(?:data\s+)?(?:markers?|dots)\b"
)

_ARROW = ((-0.5, -0.18), (0.08, -0.18), (0.08, -0.5), (0.5, 0.0), (0.08, 0.5), (0.08, 0.18), (-0.5, 0.18))
_WAYS = {"right": 0.0, "down": 90.0, "left": 180.0, "up": 270.0}

_HALF_DISC = tuple((-0.5 * exact.cos(math.pi * step / 40), -0.5 * exact.sin(math.pi * step / 40)) for step in range(41))

_ARM = 1 / 6


def build_corners(kind: str, words: str) -> Corners:
    """Return the corners of a kind of shape; empty for round kinds and rectangles."""
    if kind == "star":
        return build_star(_parse_count(words, 5))
    if kind in SIDES:
        return build_regular_polygon(_parse_count(words, SIDES[kind]))
    if kind == "triangle":
        return _build_triangle(words)
    if kind == "arrow":
        return _build_arrow(words)
    if kind == "semicircle":
        return _turn_to_direction(_HALF_DISC, words)
    return _FIXED.get(kind, ())


def build_star(spikes: int) -> Corners:
    """Return a star with a spike up; inner corners lie where lines between spikes cross."""
    reach = 2 if spikes >= 5 else 1
    inner = exact.cos(reach * math.pi / spikes) / exact.cos((reach - 1) * math.pi / spikes) if spikes >= 5 else 0.38
    ring = []
    for step in range(2 * spikes):
        angle, far = math.pi * step / spikes, 0.5 if step % 2 == 0 else 0.5 * inner
        ring.append((far * exact.sin(angle), -far * exact.cos(angle)))
    return tuple(ring)


def build_regular_polygon(sides: int) -> Corners:
    """Return a regular polygon with a corner up."""
    return tuple(
        (0.5 * exact.sin(2 * math.pi * step / sides), -0.5 * exact.cos(2 * math.pi * step / sides))
        for step in range(sides)
    )


def stretch_corners(corners: Corners) -> Corners:
    """Return corners that fill their box in both directions."""
    xs, ys = [x for x, _ in corners], [y for _, y in corners]
    wide, high = max(xs) - min(xs), max(ys) - min(ys)
    return tuple(((x - min(xs)) / wide - 0.5, (y - min(ys)) / high - 0.5) for x, y in corners)


def build_blob(kind: str, words: str, space: q.Space) -> Blob:
    """Return a closed shape as described; its centre is the picture's until it is placed."""
    stated = q.find_points(words, space)
    corner_words = _CORNERS.search(words) and not _CORNER_AT.search(words)
    if (
        len(stated) >= 3
        and kind not in {"circle", "ellipse", "dot", "ring", "star"}
        and (corner_words or kind in {"triangle", "polygon", "trapezoid", "parallelogram"})
    ):
        return _style_shape(build_polygon(kind, stated), words)
    spanned = _build_spanned_shape(kind, words, space, stated)
    if spanned is not None:
        return _style_shape(spanned, words)
    wide, high, circular = _parse_size(kind, words, space)
    corners = build_corners(kind, words)
    # Width and height are those of the box, a radius that of the circle around the corners.
    if corners and not circular and kind in CIRCULAR:
        corners = stretch_corners(corners)
    named = {"dot": "circle"}.get(kind, kind)
    shape = Blob(named, space.middle, wide, high, corners=corners, rotation=_parse_rotation(words))
    if named == "ring":
        shape = replace(shape, hole=_parse_hole(words, wide, space))
    return _style_shape(shape, words)


def find_corner_shift(words: str, size: Point) -> Point:
    """Return how far the middle is from the corner in "with its top left corner at (10,20)"."""
    match = _CORNER_AT.search(words)
    if match is None:
        return 0.0, 0.0
    named = {group for group in match.groups() if group}
    return size[0] / 2 * (1 if "left" in named else -1), size[1] / 2 * (1 if named & {"top", "upper"} else -1)


def place_item(item: Item, words: str, space: q.Space) -> Item | None:
    """Return ``item`` at the place that the words name; None if the words name no place."""
    size = measure_size(item)
    at = find_absolute_place(words, space, size)
    if at is None:
        return None
    shift = find_corner_shift(words, size)
    return centre_at(item, (at[0] + shift[0], at[1] + shift[1]))


def stroke(kind: str, words: str, space: q.Space) -> LineItem:
    """Return a line, curve, polyline, arc or arrow as the words say."""
    plain = re.sub(r"\([^()]{0,40}\)", " () ", words)
    width = find_line_width(plain) or 2.0
    # A colour named behind the markers is theirs, unless the line has no colour of its own.
    colour = q.find_first_colour(_MARKERS.split(words)[0]) or q.find_first_colour(words) or BLACK
    line = LineItem(
        kind, _find_line_points(kind, words, space), colour, width,
        q.find_dash_pattern(plain, width) or (), smooth=kind == "curve" and "straight" not in words,
    )  # fmt: skip
    if re.search(r"\bsmooth(?:ly)?\b|\bcurved\b", words):
        line = replace(line, smooth=True)
    if kind == "arrow" or re.search(r"\barrow(?:head)?s?\b", words):
        both = re.search(r"\bdouble|both ends|two headed|double headed|2 headed\b", words)
        line = replace(line, arrow="both" if both else "end")
    return add_markers(line, words)


def add_markers(line: LineItem, words: str) -> LineItem:
    """Return ``line`` with the markers that the words speak of."""
    match = _MARKERS.search(words)
    if (
        match is None
        or (match[0] == "dots" and "with" not in words)
        or re.search(r"\b(?:no|without)\s+markers?\b", words)
    ):
        return line
    name = match[1] or "round"
    shape = _MARKER_SHAPES.get(name, name)
    # The size may stand before the noun: "8 px markers".
    rest = words[max(0, match.start() - 24) :]
    size = re.search(rf"\b(?:radius|half width)\s+(?:of\s+)?{q.N}", rest)
    whole = re.search(rf"\b(?:size|diameter|width)\s+(?:of\s+)?{q.N}|{q.N}px\s+(?:wide|across|markers?)", rest)
    half = float(size[1]) if size else float(whole[1] or whole[2]) / 2 if whole else max(3.0, 1.5 * line.stroke)
    colour = q.find_first_colour(words[match.start() :])
    return replace(line, marker=shape, marker_size=clamp(abs(half), 0.5, 200), marker_colour=colour)


def find_line_width(words: str) -> float | None:
    """Return the width of a line in pixels, if given."""
    match = _THICKNESS.search(words)
    if match:
        return clamp(abs(float(next(group for group in match.groups() if group))), 0.25, 200)
    if re.search(r"\bthick\b|\bbold\b|\bheavy\b", words):
        return 5.0
    return 1.0 if re.search(r"\bthin\b|\bfine\b|\bhairline\b", words) else None


def label(text: str, words: str, at: Point, usual_anchor: str = "mm") -> Label:
    """Return a text in the size, colour, alignment and turn that the words say."""
    # Coordinates in brackets are no sizes.
    words = re.sub(r"\([^()]{0,40}\)", " () ", words)
    ink = re.search(rf"{q.N}px\s+(?:high|tall)\b|\bheight\s+(?:of\s+)?{q.N}px", words)
    font = re.search(
        rf"\b(?:font(?:\s+size)?|size|sized)\s+(?:of\s+)?{q.N}|{q.N}px\s+(?:\w{{1,12}}\s+)?(?:font"
        rf"|text|letters?|type|labels?)\b",
        words,
    )
    if ink:
        size = compute_font_size(text, abs(float(ink[1] or ink[2])))
    elif font:
        size = abs(float(font[1] or font[2]))
    else:
        size = 16 + 40 * ((q.find_size_word(words) or 0.15) - 0.15)
    turn = _parse_text_turn(words)
    return Label(
        text[:200],
        at,
        limit_font_size(text, size),
        q.find_first_colour(words) or BLACK,
        find_anchor(words, usual_anchor),
        turn,
    )


def find_anchor(words: str, usual: str = "mm") -> str:
    """Return the anchor of a text: the point of it that stands at its position."""
    corner = _CORNER_AT.search(words.replace("()", "("))
    if corner:
        named = {group for group in corner.groups() if group}
        return ("l" if "left" in named else "r") + ("t" if named & {"top", "upper"} else "b")
    match = re.search(r"\b(left|right)\s+(?:aligned|justified|edge|end)|\b(starting|beginning|ending)\s+at", words)
    if match is None:
        return usual
    side = match[1] or {"ending": "right"}.get(match[2], "left")
    return side[0] + "m"


def _parse_count(words: str, usual: int) -> int:
    match = re.search(
        r"\b(\d{1,2})\s*(?:px)?\s*(?:pointed|points?|spikes?|spiked|arms?|armed|sided|sides|corners|cornered)\b", words
    )
    return min(24, max(3, int(match[1]))) if match else usual


def _build_triangle(words: str) -> Corners:
    if re.search(r"\bright(?:\s+angled?)\b", words):
        return (-0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)
    return _turn_to_direction(((0.0, -0.5), (0.5, 0.5), (-0.5, 0.5)), words)


def _turn_to_direction(corners: Corners, words: str) -> Corners:
    """Turn corners that point up to where the words say."""
    match = re.search(r"\b(?:pointing|facing|points|opening)\s+(?:to\s+the\s+)?(up|down|left|right)", words)
    if match is None:
        return tuple((x, -y) for x, y in corners) if re.search(r"\binverted\b|\bupside down\b", words) else corners
    if match[1] == "down":
        return tuple((x, -y) for x, y in corners)
    if match[1] == "left":
        return tuple((y, x) for x, y in corners)
    return tuple((-y, x) for x, y in corners) if match[1] == "right" else corners


def _build_arrow(words: str) -> Corners:
    """Return a block arrow in a unit box, pointing right if the words name no direction."""
    match = re.search(
        r"\b(?:pointing|facing|points|directed|towards?)\s+(?:to(?:wards)?\s+)?(?:the\s+)?(?:(up|upper|top|down|lower|bottom)\w*)?[\s,]*"
        r"(?:and\s+)?(?:slightly\s+|to the\s+)?(left|right)?",
        words,
    )
    up = {"upper": "up", "top": "up", "lower": "down", "bottom": "down"}
    parts = [up.get(word, word) for word in match.groups() if word] if match else []
    if len(parts) == 2 and "slightly" not in words and not re.search(r"\bup and\b|\bdown and\b", words):
        turn = {"up right": 315.0, "up left": 225.0, "down right": 45.0, "down left": 135.0}[" ".join(parts)]
    else:
        turn = _WAYS[parts[0]] if parts else 0.0
    way = math.radians(turn)
    cosine, sine = exact.cos(way), exact.sin(way)
    return stretch_corners(tuple((x * cosine - 0.62 * y * sine, x * sine + 0.62 * y * cosine) for x, y in _ARROW))


def _build_heart() -> Corners:
    """The heart curve x = 16 sin³ t, y = 13 cos t − 5 cos 2t − 2 cos 3t − cos 4t (MathWorld, "Heart Curve")."""
    curve = []
    for t in (2 * math.pi * step / 60 for step in range(60)):
        up = 13 * exact.cos(t) - 5 * exact.cos(2 * t) - 2 * exact.cos(3 * t) - exact.cos(4 * t)
        curve.append((16 * exact.whole_power(exact.sin(t), 3), -up))
    return stretch_corners(tuple(curve))


_FIXED: dict[str, Corners] = {
    "diamond": ((0.0, -0.5), (0.5, 0.0), (0.0, 0.5), (-0.5, 0.0)),
    "trapezoid": ((-0.3, -0.5), (0.3, -0.5), (0.5, 0.5), (-0.5, 0.5)),
    "parallelogram": ((-0.25, -0.5), (0.5, -0.5), (0.25, 0.5), (-0.5, 0.5)),
    "cross": ((-_ARM, -0.5), (_ARM, -0.5), (_ARM, -_ARM), (0.5, -_ARM), (0.5, _ARM), (_ARM, _ARM), (_ARM, 0.5),
              (-_ARM, 0.5), (-_ARM, _ARM), (-0.5, _ARM), (-0.5, -_ARM), (-_ARM, -_ARM)),
    "heart": _build_heart(),
}  # fmt: skip


def _parse_rotation(words: str) -> float:
    if not re.search(r"\b(?:rotat\w{0,4}|turned|tilt\w{0,3}|slanted|at an angle|inclined|upside)\b", words):
        return 45.0 if re.search(r"\bx shaped\b", words) else 0.0
    return (q.find_angle(words) or 0.0) % 360


def _parse_size(kind: str, words: str, space: q.Space) -> tuple[float, float, bool]:
    """Return width, height, and whether they belong to a circle around the shape."""
    dimensions = q.find_dimensions(words, space)
    for name, factor in (("radius", 2.0), ("diameter", 1.0)):
        if name in dimensions and kind != "ellipse":
            size = clamp(dimensions[name] * factor, 0.5, 4096)
            return size, size, True
    shorter = min(space.width, space.height)
    guess = (
        dimensions.get("side")
        or _parse_bare_size(words)
        or (q.find_size_word(words) or _SIZES.get(kind, 0.25)) * shorter
    )
    wide = dimensions.get("width", dimensions["radius"] * 2 if "radius" in dimensions else 0.0)
    high = dimensions.get("height", 0.0)
    if not wide and not high:
        wide, high = guess, guess * _HEIGHTS.get(kind, 1.0)
    wide, high = clamp(wide or high, 0.5, 4096), clamp(high or wide, 0.5, 4096)
    return wide, high, not dimensions.keys() & {"width", "height"}


def _parse_bare_size(words: str) -> float | None:
    match = _BARE.search(re.sub(r"\(.{0,30}?\)", " ", q.remove_outline_words(words)))
    return abs(float(match[1])) if match and not _OUTLINED.search(words[: match.end() + 12]) else None


def _parse_hole(words: str, wide: float, space: q.Space) -> float:
    match = re.search(rf"\b(?:hole|inner)\b[^,;]{{0,24}}?{q.N}(px|%)?", words)
    return clamp(2 * space.both(match[1], match[2]) / wide, 0.02, 0.98) if match else 0.6


def _build_spanned_shape(kind: str, words: str, space: q.Space, points: list[Point]) -> Blob | None:
    """Return a shape that fills a box given by two corners or by ranges of x and y; None without such a box."""
    across, down = (q.find_range(words, axis, space) or _parse_range(words, axis, space) for axis in ("x", "y"))
    ends = re.search(r"\bfrom\s+\([^)]{0,40}\)\s*(?:to|until)\s*\(", words) or (
        _CORNERS.search(words) and not _CORNER_AT.search(words)
    )
    if across and down:
        box = across[0], down[0], across[1], down[1]
    elif len(points) == 2 and ends:
        box = (*points[0], *points[1])
    else:
        return None
    left, right = sorted((box[0], box[2]))
    top, bottom = sorted((box[1], box[3]))
    corners = stretch_corners(build_corners(kind, words)) if build_corners(kind, words) else ()
    wide, high = max(right - left, 0.5), max(bottom - top, 0.5)
    return Blob(
        "circle" if kind == "dot" else kind, ((left + right) / 2, (top + bottom) / 2), wide, high, corners=corners
    )


def _parse_range(words: str, axis: str, space: q.Space) -> tuple[float, float] | None:
    scale = space.scale(axis)
    match = re.search(rf"\b{axis}\s*=?\s*{q.N}(px|%)?\s*(?:to|-|\.\.)\s*(?:{axis}\s*=?\s*)?{q.N}(px|%)?", words)
    return (scale(match[1], match[2]), scale(match[3], match[4])) if match else None


def _style_shape(shape: Blob, words: str) -> Blob:
    edge, width = q.outline_colour(words), q.stroke_width(words)
    inside = q.find_first_colour(q.remove_outline_words(words)) if edge else q.find_first_colour(words)
    outlined = bool(_OUTLINED.search(words)) and not _NO_OUTLINE.search(words)
    hollow = (
        bool(_HOLLOW.search(words))
        or (outlined and inside is None)
        or (inside is None and shape.kind != "bar" and "dot" not in words)
    )
    if hollow and not re.search(r"\bfilled (?:with|in)\b", words.replace("not filled", "").replace("unfilled", "")):
        stroke = width or _parse_line_width(words) or 2.0
        return replace(
            shape,
            fill=None,
            outline=edge or inside or BLACK,
            stroke=stroke,
            dash=q.find_dash_pattern(words, stroke) or (),
        )
    shape = replace(shape, fill=inside or BLACK)
    if not outlined:
        return shape
    stroke = width or 2.0
    return replace(shape, outline=edge or BLACK, stroke=stroke, dash=q.find_dash_pattern(words, stroke) or ())


def _parse_line_width(words: str) -> float | None:
    match = re.search(rf"{q.N}px\s+(?:line|stroke|thick)|\blines?\s+(?:of\s+)?{q.N}px", words)
    return clamp(abs(float(next(g for g in match.groups() if g))), 0.25, 200) if match else None


def _find_line_points(kind: str, words: str, space: q.Space) -> tuple[Point, ...]:
    places = q.find_points(words, space)
    if kind == "arc":
        return _compute_arc_points(words, space, places)
    if len(places) >= 2:
        return tuple(places)
    ends = re.search(r"\bfrom\s+(.{1,60}?)\s+(?:to|towards?)\s+(.{1,80})", words)
    across, down = q.find_range(words, "x", space), q.find_range(words, "y", space)
    middle = places[0] if places else None
    if across or down or re.search(r"\b(?:horizontal|vertical)\b", words):
        return _find_upright_points(words, space, across, down, middle)
    if ends:
        first, last = (find_absolute_place(part, space, (0, 0)) for part in ends.groups())
        if first and last and first != last:
            return _extend_to_corner(ends[1], first, space), _extend_to_corner(ends[2], last, space)
    return _find_points_by_length(words, space, middle)


def _extend_to_corner(words: str, at: Point, space: q.Space) -> Point:
    """A line "from the top left to the bottom right" starts at the corner itself."""
    if q.find_points(words, space, 1):
        return at
    x = 0.0 if "left" in words else float(space.width) if "right" in words else at[0]
    y = 0.0 if re.search("top|upper", words) else float(space.height) if re.search("bottom|lower", words) else at[1]
    return x, y


def _find_upright_points(
    words: str,
    space: q.Space,
    across: tuple[float, float] | None,
    down: tuple[float, float] | None,
    middle: Point | None,
) -> tuple[Point, ...]:
    at = middle or find_absolute_place(re.sub(r"\bfrom\s+[xy]\s.{1,40}", " ", words), space, (0, 0)) or space.middle
    length = _parse_length(words, space)
    if across and down:
        return (across[0], down[0]), (across[1], down[1])
    if (down and not across) or (re.search(r"\bvertical\b", words) and not across):
        half = (length or space.height * 0.6) / 2
        low, high = down or (
            (0.0, float(space.height)) if re.search("whole|entire|full|across", words) else (at[1] - half, at[1] + half)
        )
        return (at[0], low), (at[0], high)
    half = (length or space.width * 0.6) / 2
    low, high = across or (
        (0.0, float(space.width)) if re.search("whole|entire|full|across", words) else (at[0] - half, at[0] + half)
    )
    return (low, at[1]), (high, at[1])


def _parse_length(words: str, space: q.Space) -> float | None:
    match = _LENGTH.search(words)
    return abs(space.both(match[1] or match[3], match[2] or match[4])) if match else None


def _find_points_by_length(words: str, space: q.Space, middle: Point | None) -> tuple[Point, ...]:
    at = middle or word_place(words, space, (0, 0)) or space.middle
    half = (_parse_length(words, space) or (q.find_size_word(words) or 0.4) * min(space.width, space.height)) / 2
    flat = LineItem("line", ((at[0] - half, at[1]), (at[0] + half, at[1])))
    turn = q.find_angle(words)
    if turn is None and re.search(r"\bdiagonal(?:ly)?\b", words):
        turn = -45.0
    return flat.rotate(turn).points if turn else flat.points


def _compute_arc_points(words: str, space: q.Space, places: list[Point]) -> tuple[Point, ...]:
    """Return the points of an arc, with angles in degrees clockwise from 3 o'clock, or of a curve through points."""
    span = re.search(rf"\bfrom\s+{q.N}(?:deg)?\s+to\s+{q.N}deg", words)
    radius = q.find_dimensions(words, space).get("radius")
    if len(places) >= 2 and not (radius and span):
        return tuple(places)
    start, end = (float(span[1]), float(span[2])) if span else (180.0, 360.0)
    if span and "clockwise" in words and q.is_counter_clockwise(words):
        start, end = -start, -end
    centre = places[0] if places else word_place(words, space, (0, 0)) or space.middle
    far = radius or (q.find_size_word(words) or 0.25) * min(space.width, space.height)
    return tuple(arc_points(centre, (far, far), clamp(start, -720, 720), clamp(end, -720, 720)))


def _parse_text_turn(words: str) -> float:
    if re.search(r"\b(?:rotated|turned|tilted|rotation)\b", words):
        turn = q.find_angle(words) or 0.0
        return turn % 360 if "clockwise" not in words else -turn % 360
    return 90.0 if re.search(r"\b(?:vertical(?:ly)?|reading up(?:wards)?|sideways)\b", words) else 0.0
