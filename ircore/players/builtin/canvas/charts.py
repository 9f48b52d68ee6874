"""Parts of charts by pixels: axes, ticks, labels, grid lines, bars; and whole charts in few words, drawn plainly."""

import re
from dataclasses import replace

from ircore.core.drawing import Point
from ircore.players.builtin.canvas import quantities as q
from ircore.players.builtin.canvas.figures.frame import PALETTE
from ircore.players.builtin.canvas.items import BLACK, find_anchor, find_line_width, label
from ircore.players.builtin.canvas.quantities import find_absolute_place
from ircore.players.builtin.canvas.shapes import Blob, Item, LineItem, PieItem, Slice, clamp
from ircore.players.builtin.canvas.sheet import CanvasSheet
from ircore.players.builtin.canvas.text import Clause

_STYLE = re.compile(rf"{q.N}px (?:high|tall)|#[0-9a-f]{{6}}|font size \d{{1,3}}|rotated {q.N}deg(?: clockwise)?")
AXIS = re.compile(r"\b(?:(x|y|horizontal|vertical)\s+)?ax(?:is|es)\b")
_ACROSS = {"x": "y", "y": "x"}
_BASE = re.compile(rf"\b(?:on|from|at|of|baseline|base)\s+(?:the\s+)?(?:baseline\s+|base\s+)?([xy])\s*=?\s*{q.LENGTH}")
_BAR_SPAN = re.compile(rf"\bfrom\s+(?:([xy])\s*=?\s*)?{q.LENGTH}\s+to\s+(?:[xy]\s*=?\s*)?{q.LENGTH}")
_BAR_END = re.compile(
    rf"\b(?:(?:up|down|out|reaching|reaches|reach|left|right|rising|growing|top|until"
    rf"|ending)\s+)+(?:at\s+|to\s+|is\s+)?(?:(?:up|out)\s+to\s+)?([xy])\s*=?\s*{q.LENGTH}"
    rf"|\bto\s+([xy])\s*=?\s*{q.LENGTH}\s*$"
)
_FROM_BASE = re.compile(rf"\bfrom\s+([xy])\s*=?\s*{q.LENGTH}\s+(?:up|down|out)\s+to\s+(?:[xy]\s*=?\s*)?{q.LENGTH}")
_CHART = re.compile(r"\b(bar|column|pie|donut|doughnut|ring|line)\s+(?:chart|graph|plot|diagram)\b|\b(pie|donut)\b")
_PARTS = re.compile(
    r"\b(\d{1,2})\s+(?:\S+\s+){0,3}?(?:bars?|columns?|wedges?|slices?|sectors?|parts?|segments?|lines?|series)\b"
)


def find_axis_items(sheet: CanvasSheet, kind: str) -> list[LineItem]:
    """Return the axes of a kind ("x axis", "y axis") on the sheet."""
    return [item for item in sheet.items if isinstance(item, LineItem) and item.kind == kind]


def read_axes(words: str, sheet: CanvasSheet) -> bool:
    """Add the x axis, the y axis or both to the sheet."""
    items: list[Item] = []
    # Coordinates in brackets are no thickness.
    width = find_line_width(re.sub(r"\([^()]{0,40}\)", " () ", words)) or 2.0
    colour, stated = q.find_first_colour(words) or BLACK, q.find_points(words, sheet.space)
    names = {"horizontal": "x", "vertical": "y"}
    axis_names = [names.get(match[1], match[1]) for match in AXIS.finditer(words) if match[1]] or ["x", "y"]
    for index, name in enumerate(dict.fromkeys(axis_names)):
        ends = stated[2 * index : 2 * index + 2]
        if len(ends) < 2:
            ends = _find_axis_ends(name, words, sheet, ends)
        arrow = re.search(r"\barrow(?:s|head|heads)?\b", words)
        if arrow and name == "y":
            # The head is drawn at the last point, which on a y axis is the upper end.
            ends = sorted(ends, key=lambda point: -point[1])
        line = LineItem(f"{name} axis", tuple(ends), colour, width, q.find_dash_pattern(words, width) or ())
        items.append(replace(line, arrow="end") if arrow else line)
    return sheet.add(items)


def read_ticks(words: str, sheet: CanvasSheet) -> bool:
    """Add ticks along an axis."""
    length_said = re.search(
        rf"\b(?:ticks?(?: marks?)?\s+(?:of\s+)?(?:length\s+)?|length\s+(?:of\s+)?){q.N}px"
        rf"|{q.N}px\s+(?:long\b|(?:{q.HEX}\s+)?ticks?)",
        words,
    )
    length = abs(float(length_said[1] or length_said[2])) if length_said else 6.0
    named = re.search(r"\b(x|y|horizontal|vertical)\s+axis\b", words)
    on_x = named[1] in {"x", "horizontal"} if named else bool(q.find_listed_coordinates(words, "x", sheet.space))
    at = q.find_listed_coordinates(re.sub(r"\b[xy] axis\b", " axis ", words), "x" if on_x else "y", sheet.space)
    axis = next(iter(find_axis_items(sheet, "x axis" if on_x else "y axis")), None)
    other = q.find_listed_coordinates(re.sub(r"\b[xy] axis\b", " axis ", words), "y" if on_x else "x", sheet.space)
    default = sheet.canvas.height * 0.88 if on_x else sheet.canvas.width * 0.12
    level = other[0] if len(other) == 1 else (axis.points[0][1 if on_x else 0] if axis else default)
    if not at:
        line = axis or LineItem("axis", tuple(_find_axis_ends("x" if on_x else "y", "", sheet, [])))
        at = _space_ticks_evenly(line, on_x, words)
    width = re.search(rf"{q.N}px\s+(?:wide|thick)", words)
    stroke = clamp(float(width[1]), 0.25, 50) if width else min(axis.stroke, 2.0) if axis else 1.0
    before, after = _parse_tick_reach(words, length, on_x)
    colour = q.find_first_colour(words) or (axis.colour if axis else BLACK)
    ends = [
        ((x, level - before), (x, level + after)) if on_x else ((level - before, x), (level + after, x)) for x in at
    ]
    return sheet.add([LineItem("tick", pair, colour, stroke) for pair in ends])


def read_tick_labels(clause: Clause, sheet: CanvasSheet) -> list[Item]:
    """Return the labels of a clause that lists several texts and their positions."""
    words = re.sub(r"\b([xy]) axis\b", r"\1axis", clause.words)
    texts = _parse_listed_texts(words, clause)
    points = q.find_points(words, sheet.space)
    usual = "rm" if re.search(r"\b(?:yaxis|vertical axis)\b|left of", words) and not points else "mm"
    if not points:
        points = _find_label_points(words, sheet, len(texts))
    # One text at several points, or several texts at one point, are no labels along an axis.
    if len(texts) < 1 or len(points) < 1 or (len(texts) == 1) != (len(points) == 1):
        return []
    style = words.split(" at ")[0] + " "
    if re.search(rf"{q.N}px\s+(?:high|tall)|\b(?:left|right) aligned|#[0-9a-f]{{6}}|font size \d+", words):
        style += " ".join(match[0] for match in _STYLE.finditer(words))
    return [label(text, style, at, find_anchor(words, usual)) for text, at in zip(texts, points, strict=False)]


def read_grid(words: str, sheet: CanvasSheet) -> bool:
    """Add grid lines."""
    space = sheet.space
    # The ends of the lines would be read as places of further lines.
    plain = re.sub(
        r"\bfrom\s+[xy]\s*=?\s*[\d.%px-]+\s+to\s+(?:[xy]\s*)?[\d.%px-]+(?!\s*,?\s*(?:every|in steps))", " ", words
    )
    # The distance between lines is not their thickness.
    plain_width = re.sub(
        rf"\b(?:every|spac\w+\s+(?:of|by))\s+{q.N}px|{q.N}px\s+(?:apart|cells|squares|spacing)", " ", plain
    )
    width, colour = find_line_width(plain_width) or 1.0, q.find_first_colour(words) or "#d3d3d3"
    both = not re.search(r"\bhorizontal|\bvertical", words)
    rows = q.find_listed_coordinates(plain, "y", space) if both or "horizontal" in words else []
    columns = q.find_listed_coordinates(plain, "x", space) if both or "vertical" in words else []
    every = re.search(
        rf"\bevery\s+{q.N}px|{q.N}px\s+(?:apart|cells|squares|spacing)|\bspac(?:ing|ed)\s+(?:of\s+|by\s+)?{q.N}", words
    )
    if not rows and not columns:
        step = max(4.0, abs(float(next(g for g in every.groups() if g)))) if every else 64.0
        rows = [] if "vertical" in words and not both else _list_steps(step, space.height)
        columns = [] if "horizontal" in words and not both else _list_steps(step, space.width)
    across, down = q.find_range(words, "x", space), q.find_range(words, "y", space)
    left, right = across or _find_extent(sheet, "x axis", 0) or (0.0, float(space.width))
    top, bottom = down or _find_extent(sheet, "y axis", 1) or (0.0, float(space.height))
    dash = q.find_dash_pattern(words, width) or ()
    lines = [((left, y), (right, y)) for y in rows] + [((x, top), (x, bottom)) for x in columns]
    return sheet.add([LineItem("grid", pair, colour, width, dash) for pair in lines])


def read_bars(clause: Clause, sheet: CanvasSheet) -> bool:
    """Read a list of bars; base line, colour and outline in the opening words hold for all of them."""
    lead, _, rest = clause.words.partition(":") if ":" in clause.words else ("", "", clause.words)
    lead = lead or sheet.lead.partition(":")[0]
    items: list[Item] = list(_read_parallel_bars(clause.words, sheet)) if not clause.continues else []
    if re.search(r"\bstacked\b", lead):
        items = list(_read_stacked_bars(lead, rest, sheet))
    if not items:
        for part in re.split(r",\s*(?:and\s+)?(?=#)|\band\s+(?=#)|;", rest):
            # Without a colon the opening words are the part itself, and would be read twice.
            bar = _read_bar(part, lead if lead != part else "", sheet)
            items += [bar] if bar else []
    sheet.context = "bars" if items or clause.words.endswith(":") or ":" not in clause.words else ""
    return sheet.add(items)


def read_whole(words: str, sheet: CanvasSheet) -> bool:
    """Add a chart that is only named, such as "a pie chart"; return whether the words name any."""
    match = _CHART.search(words)
    if match is None or len(q.find_points(words, sheet.space, 2)) > 1:
        return False
    kind, space = match[1] or match[2], sheet.space
    count = _PARTS.search(words)
    colours = re.findall(q.HEX, words)
    number = min(20, max(1, int(count[1]))) if count else max(len(colours), 4 if kind != "line" else 1)
    shades = [(colours or PALETTE)[index % len(colours or PALETTE)] for index in range(number)]
    size = 0.7 * min(space.width, space.height)
    centre = find_absolute_place(words, space, (size, size)) or space.middle
    if kind in {"bar", "column"}:
        return sheet.add(_build_bars(shades, centre, size))
    if kind == "line":
        return sheet.add(_build_lines(shades, centre, size))
    hole = 0.0 if kind == "pie" else 0.5 * size / 2
    return sheet.add([PieItem(centre, size / 2, 0.0, tuple(Slice(shade, 100 / number) for shade in shades), hole)])


def _find_axis_ends(name: str, words: str, sheet: CanvasSheet, ends: list[Point]) -> list[Point]:
    """Return the ends of an axis: from words such as "at y 450 from x 60 to 480", else at the usual place in charts."""
    wide, high = sheet.canvas.width, sheet.canvas.height
    along = q.find_range(words, name, sheet.space)
    central = "centre" in words and not re.search(r"\b(?:lower|bottom|left|right|top|upper)\b", words)
    at = q.find_listed_coordinates(words, "y" if name == "x" else "x", sheet.space)
    if name == "x":
        level = at[0] if at else ends[0][1] if ends else high / 2 if central else high * 0.88
        low, high_end = along or (wide * 0.12, wide * 0.95)
        return [(low, level), (high_end, level)]
    level = at[0] if at else ends[0][0] if ends else wide / 2 if central else wide * 0.12
    low, high_end = along or (high * 0.05, high * 0.88)
    return [(level, low), (level, high_end)]


def _parse_tick_reach(words: str, length: float, on_x: bool) -> tuple[float, float]:
    """How far ticks go towards smaller and larger coordinates: away from the chart unless said otherwise."""
    if re.search(r"\bacross\b|\bboth sides\b|\bcentred\b|\bthrough\b", words):
        return length / 2, length / 2
    inward = bool(re.search(r"\binside\b|\binwards?\b|\binto\b", words))
    return (length, 0.0) if on_x == inward else (0.0, length)


def _space_ticks_evenly(axis: LineItem, on_x: bool, words: str) -> list[float]:
    count = re.search(r"\b(\d{1,3})\s+(?:evenly\s+|equally\s+|regular(?:ly)?\s+)?(?:spaced\s+)?ticks?", words)
    number = min(100, max(2, int(count[1]))) if count else 6
    low, high = (point[0 if on_x else 1] for point in (axis.points[0], axis.points[-1]))
    return [low + (high - low) * step / (number - 1) for step in range(number)]


def _parse_listed_texts(words: str, clause: Clause) -> list[str]:
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
        return _format_series(float(series[1]), float(series[2]), float(series[3] or 1))
    parts = [part.strip() for part in re.split(r",\s*and\s+|,|\band\b", match[1])]
    return [_restore_case(part, clause.source) for part in parts if part][:200]


def _format_series(low: float, high: float, step: float) -> list[str]:
    step = abs(step) or 1.0
    count = min(200, int(abs(high - low) / step + 1.001))
    return [f"{low + index * (step if high >= low else -step):g}" for index in range(count)]


def _restore_case(part: str, source: str) -> str:
    # The plain spelling is lower case; only the source still has the capitals.
    at = source.lower().find(part)
    return source[at : at + len(part)] if at >= 0 else part


def _find_label_points(words: str, sheet: CanvasSheet, count: int) -> list[Point]:
    xs, ys = q.find_listed_coordinates(words, "x", sheet.space), q.find_listed_coordinates(words, "y", sheet.space)
    on_x, on_y = find_axis_items(sheet, "x axis"), find_axis_items(sheet, "y axis")
    if not ys and xs:
        ys = [on_x[0].points[0][1] + 16 if on_x else sheet.canvas.height * 0.93]
    if not xs and ys:
        xs = [on_y[0].points[0][0] - 10 if on_y else sheet.canvas.width * 0.1]
    many = max(len(xs), len(ys))
    if not xs or not ys or (many > 1 and 1 < min(len(xs), len(ys)) < many):
        return []
    count = min(many, count) if many > 1 else 1
    return [(xs[min(i, len(xs) - 1)], ys[min(i, len(ys) - 1)]) for i in range(count)]


def _list_steps(step: float, end: int) -> list[float]:
    return [step * index for index in range(1, min(200, int(end / step) + 1))]


def _find_extent(sheet: CanvasSheet, kind: str, side: int) -> tuple[float, float] | None:
    axes = find_axis_items(sheet, kind)
    if not axes:
        return None
    ends = sorted(point[side] for point in axes[0].points)
    return ends[0], ends[-1]


def _read_stacked_bars(lead: str, words: str, sheet: CanvasSheet) -> list[Blob]:
    """Return one series of stacked bars, such as "#d62728 up to y 300, 250", each on top of the bars there so far."""
    axis, base = _find_base(re.sub(r"\bat\s+(?=[xy]\b)", "", lead), sheet)
    reached = re.search(r"\b(?:up|down|out|reaching)\b.*$", words)
    ends = q.find_listed_coordinates(reached[0], axis, sheet.space) if reached else []
    middles = q.find_listed_coordinates(lead, _ACROSS[axis], sheet.space)
    half = _compute_half_thickness(q.remove_outline_words(lead), axis, sheet)
    blobs = []
    # Lists of unlike length are read as far as both reach, since a message may come from anyone.
    for at, end in zip(middles, ends, strict=False):
        foot = _find_top_of_stack(axis, at, base, end, sheet)
        colour = q.find_first_colour(q.remove_outline_words(words))
        blobs.append(_build_bar(axis, foot, end, (at - half, at + half), colour, f"{lead} {words}"))
    return blobs


def _find_top_of_stack(axis: str, at: float, base: float, end: float, sheet: CanvasSheet) -> float:
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


def _find_base(lead: str, sheet: CanvasSheet) -> tuple[str, float]:
    """Return the coordinate along which bars are measured, ``"x"`` or ``"y"``, and where they start."""
    match = _BASE.search(lead)
    if match:
        axis = match[1]
        return axis, sheet.space.scale(axis)(match[2], match[3])
    across = bool(re.search(r"\bhorizontal\b|\bgrowing (?:right|left)\b", lead))
    axes = find_axis_items(sheet, "y axis" if across else "x axis")
    if axes:
        return ("x", axes[0].points[0][0]) if across else ("y", axes[0].points[0][1])
    return ("x", sheet.canvas.width * 0.12) if across else ("y", sheet.canvas.height * 0.88)


def _read_bar(part: str, lead: str, sheet: CanvasSheet) -> Blob | None:
    both = f"{lead} {part}"
    axis, base = _find_base(lead or both, sheet)
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
    sides = _find_bar_sides(part, both, axis, sheet)
    if sides is None:
        return None
    return _build_bar(
        axis,
        base,
        end,
        sides,
        q.find_first_colour(q.remove_outline_words(part)) or q.find_first_colour(q.remove_outline_words(lead)),
        both,
    )


def _find_bar_sides(part: str, both: str, axis: str, sheet: CanvasSheet) -> tuple[float, float] | None:
    scale = sheet.space.scale(_ACROSS[axis])
    between = _BAR_SPAN.search(part)
    if between:
        return scale(between[2], between[3]), scale(between[4], between[5])
    middle = q.find_listed_coordinates(part, _ACROSS[axis], sheet.space) or [
        scale(match[1], match[2]) for match in re.finditer(rf"\bat\s+{q.LENGTH}", part)
    ]
    half = _compute_half_thickness(both, axis, sheet)
    return (middle[0] - half, middle[0] + half) if middle else None


def _compute_half_thickness(words: str, axis: str, sheet: CanvasSheet) -> float:
    """Return half the thickness of bars whose length is measured along ``axis``, in pixels."""
    dimensions = q.find_dimensions(words, sheet.space)
    return dimensions.get("width" if axis == "y" else "height", dimensions.get("width", 30.0)) / 2


def _build_bar(axis: str, base: float, end: float, sides: tuple[float, float], colour: str | None, words: str) -> Blob:
    middle, far = (sides[0] + sides[1]) / 2, (base + end) / 2
    thick, long = max(abs(sides[1] - sides[0]), 0.5), max(abs(end - base), 0.5)
    outline = q.outline_colour(words) or (BLACK if re.search(r"\boutline|\bborder", words) else None)
    width = q.stroke_width(words) or 2.0
    if axis == "y":
        return Blob("bar", (middle, far), thick, long, colour or BLACK, outline, width)
    return Blob("bar", (far, middle), long, thick, colour or BLACK, outline, width)


def _read_parallel_bars(words: str, sheet: CanvasSheet) -> list[Blob]:
    """Return bars of one colour given as lists: "at x 100, 160, 220 up to y 220, 300, 120, each 40 px wide"."""
    reached = re.search(
        rf"\b(?:up|down|out|reaching)(?:\s+to)?\s+([xy])\s*=?\s*{q.N}(?:px|%)?\s*(?:,|and)\s*{q.N}", words
    )
    if reached is None or len(set(re.findall(q.HEX, q.remove_outline_words(words)))) > 1:
        return []
    axis = reached[1]
    ends = q.find_listed_coordinates(words[reached.start() :], axis, sheet.space)
    rest = _BASE.sub(
        lambda m: " " if m[1] == axis else m[0],
        words[: reached.start()] + " " + re.sub(r"^.*?(?=$|each|every)", " ", words[reached.end() :]),
    )
    middles = q.find_listed_coordinates(rest, _ACROSS[axis], sheet.space)
    _, base = _find_base(words[: reached.start()], sheet)
    half = _compute_half_thickness(words, axis, sheet)
    colour = q.find_first_colour(q.remove_outline_words(words))
    return [
        _build_bar(axis, base, end, (at - half, at + half), colour, words)
        for at, end in zip(middles, ends, strict=False)
    ]


def _build_axes(centre: Point, size: float) -> list[Item]:
    left, top, right, bottom = (centre[0] - size / 2, centre[1] - size / 2, centre[0] + size / 2, centre[1] + size / 2)
    return [
        LineItem("x axis", ((left, bottom), (right, bottom)), BLACK),
        LineItem("y axis", ((left, top), (left, bottom)), BLACK),
    ]


def _build_bars(shades: list[str], centre: Point, size: float) -> list[Item]:
    """Return bars of equal height; a describer corrects them later."""
    step, high = size / len(shades), 0.6 * size
    low = centre[1] + size / 2 - high / 2
    bars: list[Item] = [
        Blob("bar", (centre[0] - size / 2 + (index + 0.5) * step, low), 0.6 * step, high, shade)
        for index, shade in enumerate(shades)
    ]
    return [*bars, *_build_axes(centre, size)]


def _build_lines(shades: list[str], centre: Point, size: float) -> list[Item]:
    """Return rising lines, each above the line before."""
    left, bottom = centre[0] - size / 2, centre[1] + size / 2
    lines: list[Item] = []
    for index, shade in enumerate(shades):
        lift = size * index / (len(shades) + 1)
        ends = ((left, bottom - lift - 0.1 * size), (left + size, bottom - lift - 0.5 * size))
        lines.append(LineItem("polyline", ends, shade))
    return [*_build_axes(centre, size), *lines]
