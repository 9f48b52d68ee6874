"""Corrections of a size: "radius 50 px", "20 % smaller", "twice as large", "10 px wider", "thicker"."""

import re
from dataclasses import replace

from ircore.players.builtin.canvas import quantities as q
from ircore.players.builtin.canvas.geometry import bounded, font_size, text_bound
from ircore.players.builtin.canvas.item_builder import thickness
from ircore.players.builtin.canvas.shapes import Blob, Item, Label, Pie, Stroke

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


def resized(item: Item, words: str, space: q.Space) -> Item | None:
    """Return ``item`` in the size that the words ask for; None if the words name no size."""
    # The hole of a pie is changed elsewhere, and its radius is not that of the pie.
    words = re.sub(rf"\b(?:hole|inner radius)\b[^,;]{{0,24}}?{q.N}(?:px)?", " ", words)
    if isinstance(item, Stroke):
        return _line_size(item, words)
    if isinstance(item, Label) and (size := re.search(rf"\b(?:font(?: size)?|size)\s+(?:to\s+|of\s+)?{q.N}", words)):
        return replace(item, size=text_bound(item.text, abs(float(size[1]))))
    dimensions = q.dimensions(
        re.sub(
            r"\b(radius|diameter|width|height|size|side|sides|length)\s+(?:should\s+)?(?:be|to be|must be|from)\s+",
            r"\1 ",
            words,
        ),
        space,
    )
    bare = re.search(rf"\b(?:to|be)\s+{q.N}(px)?\s*$", words)
    if isinstance(item, Label) and "height" in dimensions:
        return replace(item, size=font_size(item.text, dimensions["height"]))
    if dimensions and not (_PERCENT.search(words) or re.search(r"\bby\s+\d", words)):
        return _set_size(item, dimensions)
    if bare and (name := re.search(r"\b(size|side|width|height|radius|diameter)\b", words)):
        return _set_size(item, {name[1].replace("size", "side"): abs(float(bare[1]))})
    across, down = _factors(item, words)
    return item.scaled(across, down) if (across, down) != (1.0, 1.0) else None


def _set_size(item: Item, dimensions: dict[str, float]) -> Item | None:
    if isinstance(item, Pie):
        radius = dimensions.get(
            "radius", (dimensions.get("diameter") or dimensions.get("width") or 2 * item.radius) / 2
        )
        return replace(item, radius=bounded(radius, 1, 4096))
    if not isinstance(item, Blob):
        return None
    whole = dimensions.get("radius", 0.0) * 2 or dimensions.get("diameter") or dimensions.get("side")
    if whole is None or not whole:
        round_one = item.kind == "circle" and len(dimensions.keys() & {"width", "height"}) == 1
        wide = dimensions.get("width", dimensions.get("height", item.width) if round_one else item.width)
        high = dimensions.get("height", dimensions.get("width", item.height) if round_one else item.height)
        return replace(item, width=bounded(wide, 0.5, 4096), height=bounded(high, 0.5, 4096))
    ratio = (
        item.height / item.width
        if item.kind in {"ellipse", "triangle", "rectangle"} and "side" not in dimensions
        else 1.0
    )
    return replace(item, width=bounded(whole, 0.5, 4096), height=bounded(whole * ratio, 0.5, 4096))


def _factors(item: Item, words: str) -> tuple[float, float]:
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


def _line_size(item: Stroke, words: str) -> Stroke | None:
    plain = re.sub(r"\([^()]{0,40}\)", " ", words)
    size = re.search(rf"\bmarkers?\b.{{0,30}}?\b(radius|size|diameter)\s+(?:of\s+|to\s+)?{q.N}", plain)
    if size:
        return replace(item, marker_size=bounded(abs(float(size[2])) / (1 if size[1] == "radius" else 2), 0.5, 200))
    factor = next((value for phrase, value in _TWICE if phrase in words), None)
    if re.search(r"\bthicker\b|\bthinner\b|\bas (?:thick|wide)\b", words):
        more = re.search(rf"{q.N}px\s+(?:thicker|thinner)", plain)
        thin = "thinner" in words
        width = item.stroke * (factor or (0.6 if thin else 1.6))
        if more:
            width = item.stroke + float(more[1]) * (-1 if thin else 1)
        return replace(item, stroke=bounded(width, 0.5, 200))
    width_said = re.search(rf"\b(?:width|thickness)\s+(?:should\s+)?(?:be\s+|of\s+|to\s+)?{q.N}", plain)
    new_width = float(width_said[1]) if width_said else thickness(plain)
    if new_width is not None and not re.search(r"\blonger|shorter|length\b", words):
        return replace(item, stroke=bounded(abs(new_width), 0.25, 200))
    across, down = _factors(item, words)
    # A line has one length, whichever of the two factors changes it.
    both = max(across, down) if max(across, down) != 1 else min(across, down)
    return item.scaled(both, both) if both != 1.0 else None
