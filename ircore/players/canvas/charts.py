"""Parts of charts: axes, ticks, labels, grid lines, bars and pies."""

import re
from dataclasses import replace

from ircore.drawing import Point
from ircore.players.canvas import quantities as q
from ircore.players.canvas.places import absolute_place
from ircore.players.canvas.shapes import Blob, Item, Label, Pie, Slice, Stroke, bounded
from ircore.players.canvas.sheet import Sheet
from ircore.players.canvas.text import Clause
from ircore.players.canvas.things import anchor, label, thickness, with_markers

BLACK = "#000000"
_LENGTH = rf"{q.N}(px|%)?"
_GRID = re.compile(r"\bgrid ?lines?\b|\bgrid\b")
_TICK_LABELS = re.compile(r"\b(?:tick|axis|category|value)?\s*labels?\b|\btexts\b|\bnumbers\b")
_TICKS = re.compile(r"\bticks?(?: marks?)?\b")
_AXIS = re.compile(r"\b(?:(x|y|horizontal|vertical)\s+)?ax(?:is|es)\b")
_BARS = re.compile(r"\b(?:bars?|columns?)\b")
_PIE = re.compile(r"\bpie\b|\b(?:donut|doughnut|ring|annulus)\b|\b(?:wedges|slices|sectors)\b")
_SLICE = re.compile(rf"{q.HEX}[^#%;]{{0,40}}?{q.N}\s*(%|deg)|{q.N}\s*(%|deg)[^#%;]{{0,30}}?{q.HEX}")
_BASE = re.compile(rf"\b(?:on|from|at|of|baseline|base)\s+(?:the\s+)?(?:baseline\s+|base\s+)?([xy])\s*=?\s*{_LENGTH}")
_BAR_SPAN = re.compile(rf"\bfrom\s+(?:([xy])\s*=?\s*)?{_LENGTH}\s+to\s+(?:[xy]\s*=?\s*)?{_LENGTH}")
_BAR_END = re.compile(
    rf"\b(?:(?:up|down|out|reaching|reaches|reach|left|right|rising|growing|top|until"
    rf"|ending)\s+)+(?:at\s+|to\s+|is\s+)?(?:(?:up|out)\s+to\s+)?([xy])\s*=?\s*{_LENGTH}"
    rf"|\bto\s+([xy])\s*=?\s*{_LENGTH}\s*$"
)
_FROM_BASE = re.compile(rf"\bfrom\s+([xy])\s*=?\s*{_LENGTH}\s+(?:up|down|out)\s+to\s+(?:[xy]\s*=?\s*)?{_LENGTH}")


def read_chart_part(clause: Clause, sheet: Sheet) -> bool:
    """Add what a clause says of a chart; return whether it was about one."""
    words = clause.words
    head = words.split(":")[0][:160]
    if (
        clause.continues
        and sheet.context in {"bars", "wedges"}
        and re.match(rf"(?:and\s+)?(?:an?\s+)?{q.HEX}|{q.N}%", words)
    ):
        return _bars(clause, sheet) if sheet.context == "bars" else _more_wedges(words, sheet)
    sheet.context = ""
    if _PIE.search(head) and _SLICE.search(words):
        return _pie(words, sheet)
    if re.search(r"\bpie\b", head) and "radius" in words:
        return _pie(words, sheet)
    if _GRID.search(head):
        return _grid(words, sheet)
    if _TICK_LABELS.search(head) and (found := _tick_labels(clause, sheet)):
        return sheet.add(found)
    if _TICKS.search(head) and "label" not in head:
        return _ticks(words, sheet)
    if _BARS.search(head):
        sheet.lead = words
        return _bars(clause, sheet)
    return bool(_AXIS.search(head)) and "label" not in head and '"' not in head and _axes(words, sheet)


def axis_items(sheet: Sheet, kind: str) -> list[Stroke]:
    """Return the axes of a kind ("x axis", "y axis") on the sheet."""
    return [item for item in sheet.items if isinstance(item, Stroke) and item.kind == kind]


def _axes(words: str, sheet: Sheet) -> bool:
    found: list[Item] = []
    width = thickness(re.sub(r"\([^()]{0,40}\)", " () ", words)) or 2.0
    colour, given = q.first_colour(words) or BLACK, q.points(words, sheet.space)
    names = {"horizontal": "x", "vertical": "y"}
    asked = [names.get(match[1], match[1]) for match in _AXIS.finditer(words) if match[1]] or ["x", "y"]
    for index, name in enumerate(dict.fromkeys(asked)):
        ends = given[2 * index : 2 * index + 2]
        if len(ends) < 2:
            ends = _axis_ends(name, words, sheet, ends)
        line = Stroke(f"{name} axis", tuple(ends), colour, width, q.dash_pattern(words, width) or ())
        found.append(replace(line, arrow="end") if re.search(r"\barrow(?:s|head|heads)?\b", words) else line)
    return sheet.add(found)


def _axis_ends(name: str, words: str, sheet: Sheet, given: list[Point]) -> list[Point]:
    """An axis without both ends runs where charts have it, or where "at y 450 from x 60 to 480" says."""
    wide, high = sheet.canvas.width, sheet.canvas.height
    along = q.span(words, name, sheet.space)
    at = q.numbers(words, "y" if name == "x" else "x", sheet.space)
    if name == "x":
        level = at[0] if at else given[0][1] if given else high / 2 if "centre" in words else high * 0.88
        low, high_end = along or (wide * 0.12, wide * 0.95)
        return [(low, level), (high_end, level)]
    level = at[0] if at else given[0][0] if given else wide / 2 if "centre" in words else wide * 0.12
    low, high_end = along or (high * 0.05, high * 0.88)
    return [(level, low), (level, high_end)]


def _ticks(words: str, sheet: Sheet) -> bool:
    length_said = re.search(
        rf"\b(?:ticks?(?: marks?)?\s+(?:of\s+)?(?:length\s+)?|length\s+(?:of\s+)?){q.N}px"
        rf"|{q.N}px\s+(?:long\b|(?:{q.HEX}\s+)?ticks?)",
        words,
    )
    length = abs(float(length_said[1] or length_said[2])) if length_said else 6.0
    named = re.search(r"\b(x|y|horizontal|vertical)\s+axis\b", words)
    on_x = named[1] in {"x", "horizontal"} if named else bool(q.numbers(words, "x", sheet.space))
    at = q.numbers(re.sub(r"\b[xy] axis\b", " axis ", words), "x" if on_x else "y", sheet.space)
    axis = next(iter(axis_items(sheet, "x axis" if on_x else "y axis")), None)
    other = q.numbers(re.sub(r"\b[xy] axis\b", " axis ", words), "y" if on_x else "x", sheet.space)
    default = sheet.canvas.height * 0.88 if on_x else sheet.canvas.width * 0.12
    level = other[0] if len(other) == 1 else (axis.points[0][1 if on_x else 0] if axis else default)
    if not at and axis:
        at = _evenly(axis, on_x, words)
    width = re.search(rf"{q.N}px\s+(?:wide|thick)", words)
    stroke = bounded(float(width[1]), 0.25, 50) if width else min(axis.stroke, 2.0) if axis else 1.0
    before, after = _tick_reach(words, length, on_x)
    colour = q.first_colour(words) or (axis.colour if axis else BLACK)
    ends = [
        ((x, level - before), (x, level + after)) if on_x else ((level - before, x), (level + after, x)) for x in at
    ]
    return sheet.add([Stroke("tick", pair, colour, stroke) for pair in ends])


def _tick_reach(words: str, length: float, on_x: bool) -> tuple[float, float]:
    """How far ticks go towards smaller and larger coordinates: away from the chart unless said otherwise."""
    if re.search(r"\bacross\b|\bboth sides\b|\bcentred\b|\bthrough\b", words):
        return length / 2, length / 2
    inward = bool(re.search(r"\binside\b|\binwards?\b|\binto\b", words))
    return (length, 0.0) if on_x == inward else (0.0, length)


def _evenly(axis: Stroke, on_x: bool, words: str) -> list[float]:
    count = re.search(r"\b(\d{1,3})\s+(?:evenly\s+|equally\s+|regular(?:ly)?\s+)?(?:spaced\s+)?ticks?", words)
    number = min(100, max(2, int(count[1]))) if count else 6
    low, high = (point[0 if on_x else 1] for point in (axis.points[0], axis.points[-1]))
    return [low + (high - low) * step / (number - 1) for step in range(number)]


def _tick_labels(clause: Clause, sheet: Sheet) -> list[Item]:
    """Several texts at once: their list, and a list of places along one direction or of points."""
    words = re.sub(r"\b([xy]) axis\b", r"\1axis", clause.words)
    texts = _listed_texts(words, clause)
    points = q.points(words, sheet.space)
    usual = "rm" if re.search(r"\b(?:yaxis|vertical axis)\b|left of", words) and not points else "mm"
    if not points:
        points = _label_points(words, sheet, len(texts))
    if len(texts) < 1 or len(points) < 1 or (len(texts) == 1) != (len(points) == 1):
        return []
    style = (
        words.split(" at ")[0]
        + " "
        + " ".join(
            re.findall(rf"{q.N}px\s+(?:high|tall)|\b(?:left|right) aligned|#[0-9a-f]{{6}}|font size \d+", words)
            and _style_words(words)
        )
    )
    return [label(text, style, at, anchor(words, usual)) for text, at in zip(texts, points, strict=False)]


def _style_words(words: str) -> list[str]:
    return [
        match[0]
        for match in re.finditer(
            rf"{q.N}px (?:high|tall)|#[0-9a-f]{{6}}|font size \d{{1,3}}|rotated {q.N}deg(?: clockwise)?", words
        )
    ]


def _listed_texts(words: str, clause: Clause) -> list[str]:
    quoted = [clause.strings[int(key)] for key in re.findall(r'"(\d{1,4})"', words) if int(key) < len(clause.strings)]
    if quoted:
        return quoted
    match = re.search(
        r"\b(?:labels?|texts|numbers)\s*(?:of|are|:|reading|saying"
        r"|with)?\s+(.{1,600}?)(?=\s+(?:beside|below|above|under|along|next|left|right|on|at|in|for"
        r"|beneath|to the|from [xy])\b|,\s*(?:right|left|centred|#|\d+px|at|in)\b|$)",
        words,
    )
    if match is None:
        return []
    series = re.fullmatch(rf"{q.N} to {q.N}(?:,? (?:in steps of|every|by|step) {q.N})?", match[1].strip())
    if series:
        return _series(float(series[1]), float(series[2]), float(series[3] or 1))
    parts = [part.strip() for part in re.split(r",\s*and\s+|,|\band\b", match[1])]
    return [_as_written(part, clause.source) for part in parts if part][:200]


def _series(low: float, high: float, step: float) -> list[str]:
    step = abs(step) or 1.0
    count = min(200, int(abs(high - low) / step + 1.001))
    return [f"{low + index * (step if high >= low else -step):g}" for index in range(count)]


def _as_written(part: str, source: str) -> str:
    at = source.lower().find(part)
    return source[at : at + len(part)] if at >= 0 else part


def _label_points(words: str, sheet: Sheet, count: int) -> list[Point]:
    xs, ys = q.numbers(words, "x", sheet.space), q.numbers(words, "y", sheet.space)
    on_x, on_y = axis_items(sheet, "x axis"), axis_items(sheet, "y axis")
    if not ys and xs:
        ys = [on_x[0].points[0][1] + 16 if on_x else sheet.canvas.height * 0.93]
    if not xs and ys:
        xs = [on_y[0].points[0][0] - 10 if on_y else sheet.canvas.width * 0.1]
    many = max(len(xs), len(ys))
    if not xs or not ys or (many > 1 and 1 < min(len(xs), len(ys)) < many):
        return []
    count = min(many, count) if many > 1 else 1
    return [(xs[min(i, len(xs) - 1)], ys[min(i, len(ys) - 1)]) for i in range(count)]


def _grid(words: str, sheet: Sheet) -> bool:
    space = sheet.space
    plain = re.sub(
        r"\bfrom\s+[xy]\s*=?\s*[\d.%px-]+\s+to\s+(?:[xy]\s*)?[\d.%px-]+(?!\s*,?\s*(?:every|in steps))", " ", words
    )
    width, colour = thickness(plain) or 1.0, q.first_colour(words) or "#d3d3d3"
    both = not re.search(r"\bhorizontal|\bvertical", words)
    rows = q.numbers(plain, "y", space) if both or "horizontal" in words else []
    columns = q.numbers(plain, "x", space) if both or "vertical" in words else []
    every = re.search(
        rf"\bevery\s+{q.N}px|{q.N}px\s+(?:apart|cells|squares|spacing)|\bspac(?:ing|ed)\s+(?:of\s+|by\s+)?{q.N}", words
    )
    if not rows and not columns:
        step = max(4.0, abs(float(next(g for g in every.groups() if g)))) if every else 64.0
        rows = [] if "vertical" in words and not both else _steps(step, space.height)
        columns = [] if "horizontal" in words and not both else _steps(step, space.width)
    across, down = q.span(words, "x", space), q.span(words, "y", space)
    left, right = across or _extent_of(sheet, "x axis", 0) or (0.0, float(space.width))
    top, bottom = down or _extent_of(sheet, "y axis", 1) or (0.0, float(space.height))
    dash = q.dash_pattern(words, width) or ()
    lines = [((left, y), (right, y)) for y in rows] + [((x, top), (x, bottom)) for x in columns]
    return sheet.add([Stroke("grid", pair, colour, width, dash) for pair in lines])


def _steps(step: float, end: int) -> list[float]:
    return [step * index for index in range(1, min(200, int(end / step) + 1))]


def _extent_of(sheet: Sheet, kind: str, side: int) -> tuple[float, float] | None:
    axes = axis_items(sheet, kind)
    if not axes:
        return None
    ends = sorted(point[side] for point in axes[0].points)
    return ends[0], ends[-1]


def _bars(clause: Clause, sheet: Sheet) -> bool:
    """Read a list of bars; what the opening words say (base line, colour, outline) holds for all of them."""
    lead, _, rest = clause.words.partition(":") if ":" in clause.words else ("", "", clause.words)
    lead = lead or sheet.lead.partition(":")[0]
    found: list[Item] = list(_parallel_bars(clause.words, sheet)) if not clause.continues else []
    if not found:
        for part in re.split(r",\s*(?:and\s+)?(?=#)|\band\s+(?=#)|;", rest):
            bar = _bar(part, lead if lead != part else "", sheet)
            found += [bar] if bar else []
    sheet.context = "bars" if found or clause.words.endswith(":") or ":" not in clause.words else ""
    return sheet.add(found)


def _base(lead: str, sheet: Sheet) -> tuple[str, float]:
    """Return which coordinate a bar's length is measured in, and where it starts."""
    match = _BASE.search(lead)
    if match:
        axis = match[1]
        return axis, (sheet.space.x if axis == "x" else sheet.space.y)(match[2], match[3])
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
        scale = sheet.space.x if axis == "x" else sheet.space.y
        base, end = scale(own_base[2], own_base[3]), scale(own_base[4], own_base[5])
        part = part.replace(own_base[0], " ")
    else:
        reached = _BAR_END.search(part)
        if reached is None:
            return None
        axis = reached[1] or reached[4]
        end = (sheet.space.x if axis == "x" else sheet.space.y)(reached[2] or reached[5], reached[3] or reached[6])
        part = part.replace(reached[0], " ")
    sides = _bar_sides(part, both, axis, sheet)
    if sides is None:
        return None
    return _bar_blob(
        axis, base, end, sides, q.first_colour(q.without_outline(part)) or q.first_colour(q.without_outline(lead)), both
    )


def _bar_sides(part: str, both: str, axis: str, sheet: Sheet) -> tuple[float, float] | None:
    scale = sheet.space.x if axis == "y" else sheet.space.y
    between = _BAR_SPAN.search(part)
    if between:
        return scale(between[2], between[3]), scale(between[4], between[5])
    middle = q.numbers(part, "x" if axis == "y" else "y", sheet.space) or [
        scale(match[1], match[2]) for match in re.finditer(rf"\bat\s+{_LENGTH}", part)
    ]
    thick = q.dimensions(both, sheet.space)
    half = thick.get("width" if axis == "y" else "height", thick.get("width", 30.0)) / 2
    return (middle[0] - half, middle[0] + half) if middle else None


def _bar_blob(axis: str, base: float, end: float, sides: tuple[float, float], colour: str | None, words: str) -> Blob:
    middle, far = (sides[0] + sides[1]) / 2, (base + end) / 2
    thick, long = max(abs(sides[1] - sides[0]), 0.5), max(abs(end - base), 0.5)
    outline = q.outline_colour(words) or (BLACK if re.search(r"\boutline|\bborder", words) else None)
    width = q.stroke_width(words) or 2.0
    if axis == "y":
        return Blob("bar", (middle, far), thick, long, colour or BLACK, outline, width)
    return Blob("bar", (far, middle), long, thick, colour or BLACK, outline, width)


def _parallel_bars(words: str, sheet: Sheet) -> list[Blob]:
    """Bars of one colour as lists: "at x 100, 160, 220 up to y 220, 300, 120, each 40 px wide"."""
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
    middles = q.numbers(rest, "x" if axis == "y" else "y", sheet.space)
    _, base = _base(words[: reached.start()], sheet)
    said = q.dimensions(words, sheet.space)
    half = said.get("width" if axis == "y" else "height", said.get("width", 30.0)) / 2
    colour = q.first_colour(q.without_outline(words))
    return [
        _bar_blob(axis, base, end, (at - half, at + half), colour, words)
        for at, end in zip(middles, ends, strict=False)
    ]


def _slices(words: str) -> tuple[Slice, ...]:
    found = []
    for match in list(_SLICE.finditer(words))[:100]:
        colour, amount, unit = (match[1], match[2], match[3]) if match[1] else (match[6], match[4], match[5])
        found.append(Slice(colour, bounded(float(amount) / (3.6 if unit == "deg" else 1), 0, 1000)))
    return tuple(found)


def _pie(words: str, sheet: Sheet) -> bool:
    head, _, tail = words.partition(":") if ":" in words else (words, "", words)
    said, space = q.dimensions(re.sub(r"\b(?:hole|inner)\b[^,;:]{0,40}", " ", head), sheet.space), sheet.space
    radius = said.get(
        "radius",
        said.get("diameter", said.get("width", 0.7 * min(space.width, space.height))) / (1 if "radius" in said else 2),
    )
    radius = bounded(radius, 1, 4096)
    hole = re.search(rf"\b(?:hole|inner)\b[^,;:]{{0,24}}?{_LENGTH}", head)
    inner = (
        space.both(hole[1], hole[2]) if hole else 0.55 * radius if re.search(r"\bdon?u|\bdough|\bring\b", head) else 0.0
    )
    centre = absolute_place(head, space, (2 * radius, 2 * radius)) or (space.width / 2, space.height / 2)
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


def _more_wedges(words: str, sheet: Sheet) -> bool:
    slices = _slices(words)
    if not slices or sheet.last is None or not isinstance(pie := sheet.items[sheet.last], Pie):
        return False
    sheet.put(sheet.last, replace(pie, slices=pie.slices + slices))
    return True


def lone_wedge(words: str, sheet: Sheet) -> Pie | None:
    """Return a single wedge with its own angles: "a red wedge of radius 40 px centred at (…) from 30 to 90 degrees"."""
    span = re.search(rf"\bfrom\s+{q.N}(?:deg)?\s+to\s+{q.N}deg", words)
    said = q.dimensions(words, sheet.space)
    if span is None or "radius" not in said:
        return None
    low, high = sorted((float(span[1]), float(span[2])))
    given = q.points(words, sheet.space, 1) or [(sheet.canvas.width / 2, sheet.canvas.height / 2)]
    share = bounded((high - low) / 3.6, 0.1, 95)
    colour = q.first_colour(q.without_outline(words)) or BLACK
    edge = q.outline_colour(words)
    return Pie(
        given[0],
        bounded(said["radius"], 1, 4096),
        low + 90,
        (Slice(colour, share),),
        outline=edge,
        stroke=q.stroke_width(words) or 2.0,
    )


__all__ = ["Label", "axis_items", "lone_wedge", "read_chart_part", "with_markers"]
