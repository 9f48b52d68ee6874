"""Pies, rings and their wedges."""

import re
from dataclasses import replace

from ircore.players.builtin.canvas import quantities as q
from ircore.players.builtin.canvas.geometry import bounded
from ircore.players.builtin.canvas.item_builder import BLACK
from ircore.players.builtin.canvas.places import absolute_place
from ircore.players.builtin.canvas.shapes import Pie, Slice
from ircore.players.builtin.canvas.sheet import Sheet

SLICE = re.compile(rf"{q.HEX}[^#%;]{{0,40}}?{q.N}\s*(%|deg)|{q.N}\s*(%|deg)[^#%;]{{0,30}}?{q.HEX}")


def _slices(words: str) -> tuple[Slice, ...]:
    slices = []
    matches = list(SLICE.finditer(words))[:100]
    for index, match in enumerate(matches):
        colour, amount, unit = (match[1], match[2], match[3]) if match[1] else (match[6], match[4], match[5])
        until = matches[index + 1].start() if index + 1 < len(matches) else len(words)
        share = bounded(float(amount) / (3.6 if unit == "deg" else 1), 0, 1000)
        slices.append(Slice(colour, share, _pulled(words[match.end() : until])))
    return tuple(slices)


def _pulled(words: str) -> float:
    """Return how far a wedge is pulled out, in pixels, from the words after the wedge's share."""
    match = re.search(rf"\b(?:pulled|exploded|detached|slid|offset)(?:\s+out)?(?:\s+(?:by\s+)?{q.N}px)?", words)
    if match is None:
        return 0.0
    return bounded(abs(float(match[1])), 0, 200) if match[1] else 14.0


def read_pie(words: str, sheet: Sheet) -> bool:
    """Add a pie or ring chart."""
    head, _, tail = words.partition(":") if ":" in words else (words, "", words)
    dimensions, space = q.dimensions(re.sub(r"\b(?:hole|inner)\b[^,;:]{0,40}", " ", head), sheet.space), sheet.space
    radius = dimensions.get(
        "radius",
        dimensions.get("diameter", dimensions.get("width", 0.7 * min(space.width, space.height)))
        / (1 if "radius" in dimensions else 2),
    )
    radius = bounded(radius, 1, 4096)
    hole = re.search(rf"\b(?:hole|inner)\b[^,;:]{{0,24}}?{q.LENGTH}", head)
    inner = (
        space.both(hole[1], hole[2]) if hole else 0.55 * radius if re.search(r"\bdon?u|\bdough|\bring\b", head) else 0.0
    )
    centre = absolute_place(head, space, (2 * radius, 2 * radius)) or space.middle
    edge = re.search(r"\b(?:border|outline|edge|separat)", words)
    outline = (q.outline_colour(words) or q.first_colour(head) or "#ffffff") if edge else None
    slices = _slices(re.sub(r"\bstarting at [^,:;]{0,12}", " ", tail))
    pie = Pie(
        centre, radius, _start(head), slices, bounded(inner, 0, radius * 0.98), outline, q.stroke_width(words) or 2.0,
        not q.counter_clockwise(head),
    )  # fmt: skip
    sheet.context = "wedges"
    return sheet.add([pie])


def _start(head: str) -> float:
    """Degrees clockwise from 12 o'clock."""
    clock = re.search(r"\b(\d{1,2})(?::00)? ?o.?clock", head)
    turn = re.search(
        rf"\b(?:start(?:ing|s)?|from|begin(?:ning|s)?)\s+(?:at|from|with)?\s*(?:an angle of\s+)?{q.N}deg", head
    )
    if turn:
        return bounded(float(turn[1]), -720, 720)
    return float(int(clock[1]) % 12 * 30) if clock else 0.0


def more_wedges(words: str, sheet: Sheet) -> bool:
    """Add wedges to the pie that was mentioned last."""
    slices = _slices(words)
    last = [] if sheet.last is None else [sheet.last]
    # The pie spoken of last, else the front one.
    at = next((n for n in (*last, *range(len(sheet.items) - 1, -1, -1)) if isinstance(sheet.items[n], Pie)), None)
    if not slices or at is None or not isinstance(pie := sheet.items[at], Pie):
        return False
    sheet.put(at, replace(pie, slices=pie.slices + slices))
    return True


def lone_wedge(words: str, sheet: Sheet) -> Pie | None:
    """Return a single wedge with angles: "a red wedge of radius 40 px centred at (…) from 30 to 90 degrees"."""
    span = re.search(rf"\bfrom\s+{q.N}(?:deg)?\s+to\s+{q.N}deg", words)
    dimensions = q.dimensions(re.sub(r"\b(?:hole|inner)\b[^,;:]{0,40}", " ", words), sheet.space)
    if span is None or "radius" not in dimensions:
        return None
    low, high = sorted((float(span[1]), float(span[2])))
    centres = q.points(words, sheet.space, 1) or [sheet.space.middle]
    # Shares above 95 would be stretched to the whole circle.
    share = bounded((high - low) / 3.6, 0.1, 95)
    colour = q.first_colour(q.without_outline(words)) or BLACK
    edge = q.outline_colour(words)
    return Pie(
        centres[0],
        bounded(dimensions["radius"], 1, 4096),
        # Pies count from 12 o'clock, the angles of the message from 3 o'clock.
        low + 90,
        (Slice(colour, share),),
        hole=_hole(words, sheet),
        outline=edge,
        stroke=q.stroke_width(words) or 2.0,
    )


def _hole(words: str, sheet: Sheet) -> float:
    match = re.search(rf"\b(?:hole|inner)\b[^,;:]{{0,24}}?{q.LENGTH}", words)
    return bounded(abs(sheet.space.both(match[1], match[2])), 0, 4000) if match else 0.0


def changed_wedge(pie: Pie, part: int, words: str) -> Pie | None:
    """Return a pie with one wedge changed; None if the words name neither a share nor a colour."""
    old = pie.slices[part]
    words = re.sub(r"\b(?:from|not|instead of|rather than)\s+(?:#[0-9a-f]{6}|-?[\d.]+\s*%)", " ", words)
    share = re.search(rf"{q.N}\s*(%|deg)", words)
    colour = q.first_colour(words)
    if share is None and colour is None:
        return None
    amount = abs(float(share[1])) / (3.6 if share[2] == "deg" else 1) if share else old.share
    if share and (relative := re.search(r"%\s+(?:points?\s+)?(larger|bigger|wider|smaller|narrower)", words)):
        amount = old.share * (1 + amount / 100 * (1 if relative[1] in {"larger", "bigger", "wider"} else -1))
    fresh = Slice(colour or old.colour, min(1000.0, max(0.0, amount)))
    return replace(pie, slices=(*pie.slices[:part], fresh, *pie.slices[part + 1 :]))
