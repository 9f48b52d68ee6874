"""Corrections applied to one item: its new colour, size, place, rotation, style or text."""

import re
from dataclasses import dataclass, replace

from ircore.players.builtin.canvas import quantities as q
from ircore.players.builtin.canvas.items import (
    BLACK,
    add_markers,
    build_corners,
    find_anchor,
    find_line_width,
    place_item,
)
from ircore.players.builtin.canvas.shapes import (
    Blob,
    Item,
    Label,
    LineItem,
    PieItem,
    build_polygon,
    centre_at,
    clamp,
    compute_font_size,
    limit_font_size,
)
from ircore.players.builtin.canvas.sheet import CanvasSheet
from ircore.players.builtin.canvas.text import NOUN, Clause, find_kind

_PERCENT = re.compile(
    rf"\bby\s+{q.N}%|{q.N}\s*%\s+(?:larger|bigger|smaller|wider|narrower|taller|shorter|longer|thinner|thicker|higher)"
)
_PIXELS_MORE = re.compile(
    rf"{q.N}px\s+(larger|bigger|smaller|wider|narrower|taller|shorter|longer|thinner|thicker)\b|\b(?:by)\s+{q.N}px"
)
_TWICE = (("three times", 3.0), ("3 times", 3.0), ("twice", 2.0), ("2 times", 2.0), ("double", 2.0), ("half", 0.5),
    ("1.5 times", 1.5), ("a third", 1 / 3), ("4 times", 4.0))  # fmt: skip
_SMALLER = re.compile(r"\b(?:smaller|narrower|shorter|thinner|decrease|less)\b")
_LARGER = re.compile(r"\b(?:larger|bigger|wider|taller|longer|thicker|increase|extend|higher)\b")
_NOT = re.compile(
    r"(?:,\s*)?\b(?:and not|not|instead of|rather than|no longer)\s+(?:an?\s+)?(?:#[0-9a-f]{6}"
    r"|\(-?[\d.]+%?,-?[\d.]+%?\)|\"\d+\"|-?[\d.]+(?:px|%|deg)?|\w+(?=\s*$))"
)
_FROM = re.compile(r"\bfrom\s+(#[0-9a-f]{6}|\"\d+\"|-?[\d.]+(?:px|%|deg)?|\(-?[\d.]+%?,-?[\d.]+%?\))\s+(?=to\b)")
_NOT_CLOSED = frozenset({"", "any", "text", "line", "curve", "polyline", "arrow", "arc", "pie", "wedge"})
"""Kinds that a closed shape cannot become."""

_REACH = re.compile(
    rf"\b(?:reach(?:es)?|up to|down to|out to|end(?:s)?(?: at)?|extend|stop(?:s)? at|top(?: at| to)?"
    rf"|to)\s+(?:at |to |as far as )?([xy])\s*=?\s*{q.N}(px|%)?"
)


def resize_item(item: Item, words: str, space: q.Space) -> Item | None:
    """Return ``item`` in the size that the words ask for; None if the words name no size."""
    # The hole of a pie is changed elsewhere, and its radius is not that of the pie.
    words = re.sub(rf"\b(?:hole|inner radius)\b[^,;]{{0,24}}?{q.N}(?:px)?", " ", words)
    if isinstance(item, LineItem):
        return _change_line_size(item, words)
    if isinstance(item, Label) and (size := re.search(rf"\b(?:font(?: size)?|size)\s+(?:to\s+|of\s+)?{q.N}", words)):
        return replace(item, size=limit_font_size(item.text, abs(float(size[1]))))
    dimensions = q.find_dimensions(
        re.sub(
            r"\b(radius|diameter|width|height|size|side|sides|length)\s+(?:should\s+)?(?:be|to be|must be|from)\s+",
            r"\1 ",
            words,
        ),
        space,
    )
    bare = re.search(rf"\b(?:to|be)\s+{q.N}(px)?\s*$", words)
    if isinstance(item, Label) and "height" in dimensions:
        return replace(item, size=compute_font_size(item.text, dimensions["height"]))
    if dimensions and not (_PERCENT.search(words) or re.search(r"\bby\s+\d", words)):
        return _set_size(item, dimensions)
    if bare and (name := re.search(r"\b(size|side|width|height|radius|diameter)\b", words)):
        return _set_size(item, {name[1].replace("size", "side"): abs(float(bare[1]))})
    across, down = _parse_factors(item, words)
    return item.scale(across, down) if (across, down) != (1.0, 1.0) else None


def _set_size(item: Item, dimensions: dict[str, float]) -> Item | None:
    if isinstance(item, PieItem):
        radius = dimensions.get(
            "radius", (dimensions.get("diameter") or dimensions.get("width") or 2 * item.radius) / 2
        )
        return replace(item, radius=clamp(radius, 1, 4096))
    if not isinstance(item, Blob):
        return None
    whole = dimensions.get("radius", 0.0) * 2 or dimensions.get("diameter") or dimensions.get("side")
    if whole is None or not whole:
        round_one = item.kind == "circle" and len(dimensions.keys() & {"width", "height"}) == 1
        wide = dimensions.get("width", dimensions.get("height", item.width) if round_one else item.width)
        high = dimensions.get("height", dimensions.get("width", item.height) if round_one else item.height)
        return replace(item, width=clamp(wide, 0.5, 4096), height=clamp(high, 0.5, 4096))
    ratio = (
        item.height / item.width
        if item.kind in {"ellipse", "triangle", "rectangle"} and "side" not in dimensions
        else 1.0
    )
    return replace(item, width=clamp(whole, 0.5, 4096), height=clamp(whole * ratio, 0.5, 4096))


def _parse_factors(item: Item, words: str) -> tuple[float, float]:
    """Return by how much to stretch across and down for "20% smaller", "twice as large", "10px wider", "larger"."""
    grows, shrinks = bool(_LARGER.search(words)), bool(_SMALLER.search(words))
    left, top, right, bottom = item.box
    percent, pixels = _PERCENT.search(words), _PIXELS_MORE.search(words)
    upright = re.search(r"\b(?:taller|shorter|height|higher|tall|high)\b", words)
    sideways = re.search(r"\b(?:wider|narrower|width|length|wide|long)\b", words)
    only = "width" if sideways else "height" if upright else ""
    times = next((factor for phrase, factor in _TWICE if phrase in words), None)
    if percent and (grows or shrinks):
        share = abs(float(percent[1] or percent[2])) / 100
        factor = max(0.02, 1 - share) if shrinks else 1 + share
    elif pixels and (grows or shrinks):
        more = abs(float(pixels[1] or pixels[3])) * (2 if "radius" in words else 1) * (-1 if shrinks else 1)
        wide, high = max(right - left, 1.0), max(bottom - top, 1.0)
        across, down = max(0.02, 1 + more / wide), max(0.02, 1 + more / high)
        return across if only != "height" else 1.0, down if only != "width" else 1.0
    elif times is not None:
        factor = times
    elif grows or shrinks:
        factor = (
            (1.1 if grows else 1 / 1.1) if re.search(r"\bslightly|little|bit\b", words) else (1.25 if grows else 0.8)
        )
    else:
        return 1.0, 1.0
    return factor if only != "height" else 1.0, factor if only != "width" else 1.0


def _change_line_size(item: LineItem, words: str) -> LineItem | None:
    plain = re.sub(r"\([^()]{0,40}\)", " ", words)
    size = re.search(rf"\bmarkers?\b.{{0,30}}?\b(radius|size|diameter)\s+(?:of\s+|to\s+)?{q.N}", plain)
    if size:
        return replace(item, marker_size=clamp(abs(float(size[2])) / (1 if size[1] == "radius" else 2), 0.5, 200))
    factor = next((value for phrase, value in _TWICE if phrase in words), None)
    if re.search(r"\bthicker\b|\bthinner\b|\bas (?:thick|wide)\b", words):
        more = re.search(rf"{q.N}px\s+(?:thicker|thinner)", plain)
        thin = "thinner" in words
        width = item.stroke * (factor or (0.6 if thin else 1.6))
        if more:
            width = item.stroke + float(more[1]) * (-1 if thin else 1)
        return replace(item, stroke=clamp(width, 0.5, 200))
    width_said = re.search(rf"\b(?:width|thickness)\s+(?:should\s+)?(?:be\s+|of\s+|to\s+)?{q.N}", plain)
    new_width = float(width_said[1]) if width_said else find_line_width(plain)
    if new_width is not None and not re.search(r"\blonger|shorter|length\b", words):
        return replace(item, stroke=clamp(abs(new_width), 0.25, 200))
    across, down = _parse_factors(item, words)
    # A line has one length, whichever of the two factors changes it.
    both = max(across, down) if max(across, down) != 1 else min(across, down)
    return item.scale(both, both) if both != 1.0 else None


@dataclass(frozen=True)
class _Wish:
    words: str
    strings: tuple[str, ...]
    space: q.Space


def apply_change(item: Item, words: str, clause: Clause, sheet: CanvasSheet, only: str = "") -> Item | None:
    """Return ``item`` changed as the words ask; None if the words ask for no change that this item allows.

    Args:
        item: The item to change.
        words: The predicate, plain spelling, such as ``"larger: radius 50px"``.
        clause: For quoted texts.
        sheet: For places.
        only: ``"place"`` to read nothing but a place.
    """
    # What a thing is not to be, or was before, would be read as the wish.
    words = _FROM.sub(" ", _NOT.sub(" ", words))
    # The place comes last, because the middle of a thing named by a corner depends on its new size.
    every = (
        _change_kind,
        _change_text,
        _change_reach,
        _change_points,
        _change_colours,
        _change_size,
        _change_style,
        _change_turn,
        _change_place,
    )
    steps = (_change_place,) if only == "place" else every
    fresh, wish = item, _Wish(words, clause.strings, sheet.space)
    for step in steps:
        # A step that does not apply returns None and leaves the item as it is.
        fresh = step(fresh, wish) or fresh
    # Words that ask for something definite are understood even if the item is so already.
    return fresh if fresh != item or re.search(r"#|\d|\"|unfilled|solid|filled|outline", words) else None


def _change_kind(item: Item, wish: _Wish) -> Item | None:
    words = wish.words
    match = re.search(
        r"\b(?:to|into|be|is)\s+(?:an?\s+)?(?:#[0-9a-f]{6}\s+|\d+ pointed |regular |smooth |straight )*", words
    )
    noun = NOUN.match(words, match.end()) if match else None
    kind = find_kind(noun[1]) if noun else ""
    if isinstance(item, LineItem) and kind in {"curve", "polyline", "line", "arrow"}:
        return replace(item, kind=kind, smooth=kind == "curve", arrow="end" if kind == "arrow" else item.arrow)
    if not isinstance(item, Blob) or kind in _NOT_CLOSED:
        return None
    if kind in {"circle", "square", "dot"}:
        side = min(item.width, item.height)
        item = replace(item, width=side, height=side)
    return replace(
        item,
        kind={"dot": "circle"}.get(kind, kind),
        corners=build_corners(kind, words),
        hole=0.6 if kind == "ring" else 0.0,
    )


def _change_text(item: Item, wish: _Wish) -> Item | None:
    keys = [int(key) for key in re.findall(r'"(\d{1,4})"', wish.words) if int(key) < len(wish.strings)]
    return replace(item, text=wish.strings[keys[-1]][:200]) if keys and isinstance(item, Label) else None


def _change_reach(item: Item, wish: _Wish) -> Item | None:
    """Return a bar with its free end moved to the coordinate that the words name."""
    match = _REACH.search(wish.words)
    if match is None or not isinstance(item, Blob):
        return None
    left, top, right, bottom = item.box
    if match[1] == "y":
        end = wish.space.y(match[2], match[3])
        # The free end moves, the end on the base line stays.
        low, high = sorted((end, bottom if end < bottom else top))
        return replace(item, centre=(item.centre[0], (low + high) / 2), height=max(high - low, 0.5))
    end = wish.space.x(match[2], match[3])
    low, high = sorted((end, left if end > left else right))
    return replace(item, centre=((low + high) / 2, item.centre[1]), width=max(high - low, 0.5))


def _change_points(item: Item, wish: _Wish) -> Item | None:
    """New corners, new ends, new points; or the box "from x 80 to 120 and from y 10 to 60"."""
    words = wish.words
    points = q.find_points(words, wish.space)
    if isinstance(item, LineItem) and len(points) >= 2:
        return replace(item, points=tuple(points))
    across, down = q.find_range(words, "x", wish.space), q.find_range(words, "y", wish.space)
    if isinstance(item, Blob):
        if len(points) >= 3 and ("corner" in words or item.corners):
            return replace(
                build_polygon(item.kind, points),
                fill=item.fill,
                outline=item.outline,
                stroke=item.stroke,
                dash=item.dash,
            )
        if across:
            middle, wide = (across[0] + across[1]) / 2, abs(across[1] - across[0])
            item = replace(item, centre=(middle, item.centre[1]), width=max(0.5, wide))
        if down:
            middle, high = (down[0] + down[1]) / 2, abs(down[1] - down[0])
            item = replace(item, centre=(item.centre[0], middle), height=max(0.5, high))
        return item
    if isinstance(item, LineItem) and len(item.points) == 2 and (across or down):
        (x0, y0), (x1, y1) = item.points
        ax, ay = across or (x0, x1), down or (y0, y1)
        return replace(item, points=((ax[0], ay[0]), (ax[1], ay[1])))
    if (
        isinstance(item, LineItem)
        and len(item.points) == 2
        and len(points) == 1
        and (end := re.search(r"\b(start|begin|end)", words))
    ):
        return replace(item, points=(item.points[0], points[0]) if end[1] == "end" else (points[0], item.points[1]))
    return None


def _change_colours(item: Item, wish: _Wish) -> Item | None:
    words = wish.words
    edge = q.outline_colour(words)
    if (
        edge is None
        and re.search(r"\b(?:outline|border|edge)s?\b", words)
        and len(re.findall(q.HEX, words)) == 1
        and not re.search(r"\bfill", words)
    ):
        edge = q.find_first_colour(words)
    inside = (
        q.find_first_colour(q.remove_outline_words(words))
        if edge is None or len(re.findall(q.HEX, words)) > 1
        else None
    )
    if isinstance(item, Blob | PieItem) and edge is not None:
        item = replace(item, outline=edge)
    if inside is not None:
        if isinstance(item, Blob) and re.search(r"\bfill", words):
            return replace(item, fill=inside)
        if isinstance(item, LineItem) and re.search(r"\bmarkers?\b", words):
            return replace(item, marker_colour=inside)
        return item.recolour(inside)
    shade = re.search(r"\b(darker|lighter)\b", words)
    return item.recolour(_shade_colour(item.colour, shade[1])) if shade and item.colour else item


def _shade_colour(colour: str, how: str) -> str:
    parts = [int(colour[i : i + 2], 16) for i in (1, 3, 5)]
    mixed = [part * 0.75 if how == "darker" else part + (255 - part) * 0.35 for part in parts]
    return "#" + "".join(f"{round(part):02x}" for part in mixed)


def _change_size(item: Item, wish: _Wish) -> Item | None:
    return resize_item(item, wish.words, wish.space)


def _change_style(item: Item, wish: _Wish) -> Item | None:
    words = wish.words
    if isinstance(item, LineItem):
        dash = q.find_dash_pattern(words, item.stroke)
        item = item if dash is None else replace(item, dash=dash)
        if re.search(r"\b(?:no|without)\s+(?:arrow\s?heads?|markers?)\b", words):
            return replace(
                item, arrow="" if "arrow" in words else item.arrow, marker="" if "marker" in words else item.marker
            )
        if "arrow" in words:
            item = replace(item, arrow="end")
        if re.search(r"\bsmooth|\bcurved\b", words):
            return replace(item, smooth=True)
        return replace(item, smooth=False) if re.search(r"\bstraight\b", words) else add_markers(item, words)
    if isinstance(item, Blob):
        return _change_blob_style(item, words)
    if isinstance(item, PieItem):
        return _change_pie_style(item, words, wish.space)
    return replace(item, anchor=find_anchor(words, item.anchor))


def _change_blob_style(item: Blob, words: str) -> Blob:
    if re.search(r"\b(?:no|without(?: an?)?|not have an?|not be)\s+(?:outline|border|edge)d?\b", words):
        return replace(item, outline=None, fill=item.fill or item.outline)
    if re.search(r"\b(?:unfilled|hollow|empty|no fill|not filled|outline only)\b", words):
        return replace(item, fill=None, outline=item.outline or item.fill or BLACK)
    if re.search(r"\bfilled\b|\bsolid\b", words) and item.fill is None:
        item = replace(item, fill=item.outline or BLACK)
    if re.search(r"\b(?:outlined?|border(?:ed)?|edge|stroke)\b", words):
        width = q.stroke_width(words) or _parse_bare_width(words)
        item = replace(item, outline=item.outline or BLACK, stroke=width or item.stroke)
    dash = q.find_dash_pattern(words, item.stroke)
    return item if dash is None or item.outline is None else replace(item, dash=dash)


def _parse_bare_width(words: str) -> float | None:
    match = re.search(rf"{q.N}px", words)
    return clamp(abs(float(match[1])), 0.25, 200) if match else None


def _change_pie_style(item: PieItem, words: str, space: q.Space) -> PieItem:
    hole = re.search(rf"\b(?:hole|inner radius)\b[^,;]{{0,24}}?{q.N}(px|%)?", words)
    if hole:
        item = replace(item, hole=clamp(abs(space.both(hole[1], hole[2])), 0, item.radius * 0.98))
    if re.search(r"\bno hole\b|\bwithout (?:a )?hole\b", words):
        item = replace(item, hole=0.0)
    start = re.search(rf"\bstart\w{{0,3}}\s+(?:at\s+|from\s+|angle\s+|to\s+|be\s+)*{q.N}deg", words)
    if start:
        item = replace(item, start=float(start[1]))
    if re.search(r"\b(?:no|without)\s+(?:outline|border|edge)s?\b", words):
        return replace(item, outline=None)
    return (
        replace(item, stroke=q.stroke_width(words) or item.stroke) if re.search(r"\boutline|\bborder", words) else item
    )


def _change_turn(item: Item, wish: _Wish) -> Item | None:
    words = wish.words
    turn = q.find_angle(words)
    if turn is None or re.search(r"\bstart", words):
        return None
    if re.search(r"\bby\s+-?\d|\bfurther\b", words):
        return item.rotate(turn)
    if isinstance(item, Blob):
        return replace(item, rotation=turn % 360)
    if isinstance(item, Label):
        # Texts turn counter-clockwise, unlike shapes; see ``shapes``.
        return replace(item, rotation=(turn if "clockwise" not in words else -turn) % 360)
    return item.rotate(turn)


def _change_place(item: Item, wish: _Wish) -> Item | None:
    words = wish.words
    if (isinstance(item, LineItem) and len(q.find_points(words, wish.space, 2)) > 1) or _REACH.search(words):
        return _change_level(item, words, wish.space)
    if re.search(r"\bcorners\b|\bthrough\b|\bfrom\s+[xy(]|\bstart|\bend\b", words):
        return None
    place_words = (
        re.sub(r"\b(?:top|bottom|left|right)\s+(?:edge|side)\b(?! of the)", " ", words)
        if re.search(r"\bwide|high\b", words)
        else words
    )
    places = q.find_points(place_words, wish.space, 1)
    if places and isinstance(item, Label):
        return replace(item, at=places[0])
    axis = re.findall(r"\b([xy])\s*=?\s*(-?\d{1,6}(?:\.\d{1,6})?)(px|%)?", place_words)
    x, y = item.centre
    if places or not axis:
        return place_item(item, place_words, wish.space)
    for name, value, unit in axis[:2]:
        x, y = (wish.space.x(value, unit), y) if name == "x" else (x, wish.space.y(value, unit))
    return centre_at(item, (x, y))


def _change_level(item: Item, words: str, space: q.Space) -> Item | None:
    """Return an upright or level line moved to the coordinate in "to y 120"; bars were handled before."""
    match = _REACH.search(words)
    if match is None or isinstance(item, Blob):
        return None
    x, y = item.centre
    if match[1] == "y":
        return item.move(0, space.y(match[2], match[3]) - y)
    return item.move(space.x(match[2], match[3]) - x, 0)
