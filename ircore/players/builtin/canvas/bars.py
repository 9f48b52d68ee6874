"""Lists of bars, upright and lying."""

import re

from ircore.players.builtin.canvas import quantities as q
from ircore.players.builtin.canvas.axes import axis_items
from ircore.players.builtin.canvas.item_builder import BLACK
from ircore.players.builtin.canvas.shapes import Blob, Item
from ircore.players.builtin.canvas.sheet import Sheet
from ircore.players.builtin.canvas.text import Clause

_ACROSS = {"x": "y", "y": "x"}
_BASE = re.compile(rf"\b(?:on|from|at|of|baseline|base)\s+(?:the\s+)?(?:baseline\s+|base\s+)?([xy])\s*=?\s*{q.LENGTH}")
_BAR_SPAN = re.compile(rf"\bfrom\s+(?:([xy])\s*=?\s*)?{q.LENGTH}\s+to\s+(?:[xy]\s*=?\s*)?{q.LENGTH}")
_BAR_END = re.compile(
    rf"\b(?:(?:up|down|out|reaching|reaches|reach|left|right|rising|growing|top|until"
    rf"|ending)\s+)+(?:at\s+|to\s+|is\s+)?(?:(?:up|out)\s+to\s+)?([xy])\s*=?\s*{q.LENGTH}"
    rf"|\bto\s+([xy])\s*=?\s*{q.LENGTH}\s*$"
)
_FROM_BASE = re.compile(rf"\bfrom\s+([xy])\s*=?\s*{q.LENGTH}\s+(?:up|down|out)\s+to\s+(?:[xy]\s*=?\s*)?{q.LENGTH}")


def read_bars(clause: Clause, sheet: Sheet) -> bool:
    """Read a list of bars; base line, colour and outline in the opening words hold for all of them."""
    lead, _, rest = clause.words.partition(":") if ":" in clause.words else ("", "", clause.words)
    lead = lead or sheet.lead.partition(":")[0]
    items: list[Item] = list(_parallel_bars(clause.words, sheet)) if not clause.continues else []
    if re.search(r"\bstacked\b", lead):
        items = list(_stacked_bars(lead, rest, sheet))
    if not items:
        for part in re.split(r",\s*(?:and\s+)?(?=#)|\band\s+(?=#)|;", rest):
            # Without a colon the opening words are the part itself, and would be read twice.
            bar = _bar(part, lead if lead != part else "", sheet)
            items += [bar] if bar else []
    sheet.context = "bars" if items or clause.words.endswith(":") or ":" not in clause.words else ""
    return sheet.add(items)


def _stacked_bars(lead: str, words: str, sheet: Sheet) -> list[Blob]:
    """Return one series of stacked bars, such as "#d62728 up to y 300, 250", each on top of the bars there so far."""
    axis, base = _base(re.sub(r"\bat\s+(?=[xy]\b)", "", lead), sheet)
    reached = re.search(r"\b(?:up|down|out|reaching)\b.*$", words)
    ends = q.numbers(reached[0], axis, sheet.space) if reached else []
    middles = q.numbers(lead, _ACROSS[axis], sheet.space)
    half = _half(q.without_outline(lead), axis, sheet)
    blobs = []
    # Lists of unlike length are read as far as both reach, since a message may come from anyone.
    for at, end in zip(middles, ends, strict=False):
        foot = _top_of_stack(axis, at, base, end, sheet)
        colour = q.first_colour(q.without_outline(words))
        blobs.append(_bar_blob(axis, foot, end, (at - half, at + half), colour, f"{lead} {words}"))
    return blobs


def _top_of_stack(axis: str, at: float, base: float, end: float, sheet: Sheet) -> float:
    """Return the coordinate where the next bar of a stack begins, on the side of the base where it ends."""
    top = base
    for item in sheet.items:
        if isinstance(item, Blob) and item.kind == "bar":
            left, upper, right, lower = item.box
            across, sides = (item.centre[0], (upper, lower)) if axis == "y" else (item.centre[1], (left, right))
            far = max(sides, key=lambda side: abs(side - base))
            if abs(across - at) <= 2 and (far - base) * (end - base) > 0 and abs(far - base) > abs(top - base):
                top = far
    return top


def _base(lead: str, sheet: Sheet) -> tuple[str, float]:
    """Return the coordinate along which bars are measured, ``"x"`` or ``"y"``, and where they start."""
    match = _BASE.search(lead)
    if match:
        axis = match[1]
        return axis, sheet.space.scale(axis)(match[2], match[3])
    across = bool(re.search(r"\bhorizontal\b|\bgrowing (?:right|left)\b", lead))
    axes = axis_items(sheet, "y axis" if across else "x axis")
    if axes:
        return ("x", axes[0].points[0][0]) if across else ("y", axes[0].points[0][1])
    return ("x", sheet.canvas.width * 0.12) if across else ("y", sheet.canvas.height * 0.88)


def _bar(part: str, lead: str, sheet: Sheet) -> Blob | None:
    both = f"{lead} {part}"
    axis, base = _base(lead or both, sheet)
    own_base = _FROM_BASE.search(part)
    if own_base:
        axis = own_base[1]
        scale = sheet.space.scale(axis)
        base, end = scale(own_base[2], own_base[3]), scale(own_base[4], own_base[5])
        part = part.replace(own_base[0], " ")
    else:
        reached = _BAR_END.search(part)
        if reached is None:
            return None
        axis = reached[1] or reached[4]
        end = sheet.space.scale(axis)(reached[2] or reached[5], reached[3] or reached[6])
        part = part.replace(reached[0], " ")
    sides = _bar_sides(part, both, axis, sheet)
    if sides is None:
        return None
    return _bar_blob(
        axis, base, end, sides, q.first_colour(q.without_outline(part)) or q.first_colour(q.without_outline(lead)), both
    )


def _bar_sides(part: str, both: str, axis: str, sheet: Sheet) -> tuple[float, float] | None:
    scale = sheet.space.scale(_ACROSS[axis])
    between = _BAR_SPAN.search(part)
    if between:
        return scale(between[2], between[3]), scale(between[4], between[5])
    middle = q.numbers(part, _ACROSS[axis], sheet.space) or [
        scale(match[1], match[2]) for match in re.finditer(rf"\bat\s+{q.LENGTH}", part)
    ]
    half = _half(both, axis, sheet)
    return (middle[0] - half, middle[0] + half) if middle else None


def _half(words: str, axis: str, sheet: Sheet) -> float:
    """Return half the thickness of bars whose length is measured along ``axis``, in pixels."""
    dimensions = q.dimensions(words, sheet.space)
    return dimensions.get("width" if axis == "y" else "height", dimensions.get("width", 30.0)) / 2


def _bar_blob(axis: str, base: float, end: float, sides: tuple[float, float], colour: str | None, words: str) -> Blob:
    middle, far = (sides[0] + sides[1]) / 2, (base + end) / 2
    thick, long = max(abs(sides[1] - sides[0]), 0.5), max(abs(end - base), 0.5)
    outline = q.outline_colour(words) or (BLACK if re.search(r"\boutline|\bborder", words) else None)
    width = q.stroke_width(words) or 2.0
    if axis == "y":
        return Blob("bar", (middle, far), thick, long, colour or BLACK, outline, width)
    return Blob("bar", (far, middle), long, thick, colour or BLACK, outline, width)


def _parallel_bars(words: str, sheet: Sheet) -> list[Blob]:
    """Return bars of one colour given as lists: "at x 100, 160, 220 up to y 220, 300, 120, each 40 px wide"."""
    reached = re.search(
        rf"\b(?:up|down|out|reaching)(?:\s+to)?\s+([xy])\s*=?\s*{q.N}(?:px|%)?\s*(?:,|and)\s*{q.N}", words
    )
    if reached is None or len(set(re.findall(q.HEX, q.without_outline(words)))) > 1:
        return []
    axis = reached[1]
    ends = q.numbers(words[reached.start() :], axis, sheet.space)
    rest = _BASE.sub(
        lambda m: " " if m[1] == axis else m[0],
        words[: reached.start()] + " " + re.sub(r"^.*?(?=$|each|every)", " ", words[reached.end() :]),
    )
    middles = q.numbers(rest, _ACROSS[axis], sheet.space)
    _, base = _base(words[: reached.start()], sheet)
    half = _half(words, axis, sheet)
    colour = q.first_colour(q.without_outline(words))
    return [
        _bar_blob(axis, base, end, (at - half, at + half), colour, words)
        for at, end in zip(middles, ends, strict=False)
    ]
