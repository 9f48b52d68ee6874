"""Everyday names for the colours, shapes, points and places of a picture.

No two colours have names alike, and the picture can be had in the colours that were named. Polygons get the names that
people have for them, points the letters that stand at them.
"""

import itertools
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache

import numpy as np

from ircore.core.exact import atan2, dist
from ircore.core.images import Pixels
from ircore.players.builtin.classical.statements import Statement, format_number, format_point
from ircore.seeing.colours import (
    NAMES,
    compute_delta_e94,
    convert_to_lab,
    list_exact_names,
    name_colour,
    parse_colour_name,
    parse_hex,
    replace_colour_words,
)
from ircore.seeing.percepts import Bar, Bars, Percept, Perception, Pie, Point, Shape, Stroke, Text

FAR = 2.6
"""Difference (ΔE*94) up to which the most common name is taken, and from which on the hex value is said as well.

What is drawn by a name is then within about 3 of what was seen by the newer ΔE00 (CIEDE2000), which a person sees only
when the two lie side by side.
"""
ALIKE = 1.5
"""Difference below which two colours may share a name."""
CLEARER = 1.6
"""How many times farther another colour must be from what a name says."""
_BASIC = ("black", "white", "grey", "red", "orange", "yellow", "green", "blue", "purple", "pink", "brown", "turquoise")
_SHADES = ("light", "dark", "pale")
_EVERYDAY = (
    "lavender", "lilac", "violet", "indigo", "plum", "mauve", "rose", "magenta", "maroon", "burgundy", "crimson",
    "coral", "salmon", "peach", "rust", "terracotta", "tan", "beige", "cream", "ivory", "gold", "mustard", "khaki",
    "olive", "lime", "mint", "sage", "emerald", "teal", "cyan", "aqua", "sky blue", "steel blue", "slate blue",
    "royal blue", "navy", "slate grey", "silver", "charcoal",
)  # fmt: skip
"""Names that everybody knows; finer shades are made of these alone."""
_FINER = ("light", "dark", "pale", "very light", "very pale", "very dark", "muted", "vivid")
_ODD = re.compile(r"ish$|^(?:gainsboro|peru|thistle|papaya|navajo|rebecca|lemon|web|burly|dodger|old lace|bisque)")
_HEX = re.compile(r"(?:(?:dark |light )?[a-z]+ \(#[0-9a-f]{6}\))|#[0-9a-f]{6}")
_ARTICLE = re.compile(r"\b([Aa])n? (?=[a-z])([a-z])")
_RUN_TOGETHER = {name: re.compile(rf"\b{name}\b", re.IGNORECASE) for name in set(list_exact_names().values())}
_Edge = tuple[str, float] | None

LIKE = 0.05
"""Share of its size by which a corner may be off that of the named shape."""
CROSS_REACH = math.sqrt(0.09 + 0.81)
"""Distance of the outer corners of a cross from its middle; its arms are 1.8 long from end to end."""
REACH = 36.0
"""Pixels between a point and the middle of its letter."""
SAME = 5.0
"""Pixels that a place may be off a named point and still be called by its name."""
DOT = 7.0
"""Radius up to which a filled circle is a dot on a point, in pixels."""
ON_CIRCLE = 2.0
"""Pixels that a named point may be off a circle that is said to run through it."""
TOUCH = 3.0
"""Pixels that a line may be off touching a circle."""
_PLACE = re.compile(r"\((-?\d+(?:\.\d+)?), (-?\d+(?:\.\d+)?)\)")
_CIRCLE = re.compile(r"circle of radius ([\d.]+) px centred at point ([A-Z])")

Points = Mapping[str, Point]


class ColourWords:
    """Names for colours, chosen together so that different colours of a picture get different names.

    >>> words = ColourWords(["#ff0000", "#0000ff"])
    >>> words("#ff0000"), words.replace_colours("A #0000ff circle")
    ('red', 'A blue circle')

    Args:
        colours: The colours of a picture, as #rrggbb, the most important first.
    """

    def __init__(self, colours: Iterable[str]) -> None:
        self._names: dict[str, str] = {}
        self._all = tuple(dict.fromkeys(colours))
        for colour in self._all:
            self(colour)

    def __call__(self, colour: str) -> str:
        """Return the name of a colour; with its hex value if no name is near or all near names are taken."""
        if colour not in self._names:
            name = self._names[colour] = self._choose_name(colour)
            if not name.endswith(")"):
                # What is drawn by the name has the name's colour, and is to be called the same.
                self._names.setdefault(parse_colour_name(name), name)
        return self._names[colour]

    def _choose_name(self, colour: str) -> str:
        taken = {name: other for other, name in reversed(self._names.items())}
        for off, name, value in _rank_names(colour):
            is_free = name not in taken or compute_delta_e94(taken[name], colour) < ALIKE
            if is_free and not self._is_mistakable(colour, value, off):
                return name
        return f"{name_colour(colour)} ({colour})"

    def _is_mistakable(self, colour: str, shown: str, off: float) -> bool:
        """Return whether a colour's name is nearly as near to another colour of the picture."""
        others = [other for other in self._all if compute_delta_e94(other, colour) >= ALIKE]
        return any(compute_delta_e94(other, shown) < CLEARER * off for other in others)

    def find_shown_colour(self, colour: str) -> str:
        """Return the colour that the name of a colour says."""
        name = self(colour)
        return colour if name.endswith(")") else parse_colour_name(name)

    def replace_colours(self, words: str) -> str:
        """Return a text in which every colour, by hex value or by a CSS name in one word, has its everyday name."""
        words = _HEX.sub(lambda match: self(match[0][-8:-1] if match[0].endswith(")") else match[0]), words)
        for name, pattern in _RUN_TOGETHER.items():
            if name in words.casefold() and name not in _BASIC:
                words = pattern.sub(_restore_spaces(name), words)
        # A new name may need the other article.
        return _ARTICLE.sub(lambda match: f"{match[1]}{'n' * (match[2] in 'aeiou')} {match[2]}", words)


def use_plain_colours(statement: Statement, colours: ColourWords) -> Statement:
    """Return a statement with everyday names for its colours."""
    plain = colours.replace_colours
    return replace(
        statement, head=plain(statement.head), parts=tuple(plain(part) for part in statement.parts),
        tail=plain(statement.tail), again=plain(statement.again),
        shorter=tuple(use_plain_colours(variant, colours) for variant in statement.shorter),
    )  # fmt: skip


def recolour_perception(perception: Perception, colours: ColourWords) -> Perception:
    """Return a perception with the colours that the names of its colours say."""
    backdrop = perception.backdrop
    last = None if backdrop.last is None else colours.find_shown_colour(backdrop.last)
    return replace(
        perception,
        backdrop=replace(backdrop, colour=colours.find_shown_colour(backdrop.colour), last=last),
        percepts=tuple(_recolour_percept(percept, colours) for percept in perception.percepts),
    )


def recolour_pixels(pixels: Pixels, perception: Perception, colours: ColourWords) -> Pixels:
    """Return the pixels of a picture with its plain areas in the colours that their names say."""
    red, green, blue = (pixels[..., channel].astype(np.int64) for channel in range(3))
    codes = (red * 256 + green) * 256 + blue
    fresh = pixels.copy()
    for colour in {c for percept in perception.percepts for c in list_colours(percept)} | {perception.backdrop.colour}:
        if colours.find_shown_colour(colour) != colour:
            fresh[codes == int(colour[1:], 16)] = parse_hex(colours.find_shown_colour(colour))
    return fresh


def list_colours(percept: Percept) -> list[str]:
    """Return the colours of a percept: of each bar or wedge, of a shape its fill and its outline."""
    if isinstance(percept, Shape):
        return [colour for colour in (percept.colour, percept.outline and percept.outline[0]) if colour]
    if isinstance(percept, Bars):
        return [bar.colour for bar in percept.bars]
    if isinstance(percept, Pie):
        return [colour for colour, _ in percept.wedges]
    return [percept.colour]


@dataclass(frozen=True)
class Named:
    """A polygon with a name.

    >>> Named("semicircle of radius 40 px", (100.0, 120.0), 90.0).words
    'semicircle of radius 40 px centred at (100, 120), rotated 90 degrees'
    """

    kind: str
    centre: Point
    rotation: float

    @property
    def words(self) -> str:
        """Kind, size and place in words."""
        turn = round(self.rotation)
        return f"{self.kind} centred at {format_point(self.centre)}" + (f", rotated {turn} degrees" if turn else "")


def name_shape(shape: Shape) -> Named | None:
    """Return the name of a polygon with its size, middle and rotation; None if no name fits its corners."""
    corners = shape.corners
    if shape.kind != "polygon" or len(corners) < 4:
        return None
    if len(corners) == 4:
        return _recognise_diamond(corners)
    return _recognise_semicircle(corners) if len(corners) != 12 else _recognise_cross(corners)


def describe_place(shape: Shape, size: tuple[int, int]) -> str:
    """Return where a shape lies in the picture: "in the upper left", "in the middle"."""
    (x, y), (wide, high) = shape.centre, size
    rows = "upper" if y < high / 3 else "lower" if y > 2 * high / 3 else ""
    columns = "left" if x < wide / 3 else "right" if x > 2 * wide / 3 else ""
    if rows and columns:
        return f"in the {rows} {columns}"
    if rows:
        return "at the top" if rows == "upper" else "at the bottom"
    return f"on the {columns}" if columns else "in the middle"


def find_named_points(target: Perception) -> dict[str, Point]:
    """Return the points of a figure in alphabetical order: a letter names the nearest dot, corner or line end."""
    letters = [text for text in target.texts if re.fullmatch(r"[A-Z]", text.text)]
    places = [(place, rank) for percept in target.percepts for place, rank in _list_places(percept)]
    # The nearest pairs first, so that each letter takes its own point before a neighbour can.
    pairs = sorted(
        (dist(letter.centre, place) + rank, letter.text, place)
        for letter in letters
        for place, rank in places
        if dist(letter.centre, place) <= REACH
    )
    named: dict[str, Point] = {}
    for _, name, place in pairs:
        if name not in named and all(dist(place, other) > SAME for other in named.values()):
            named[name] = place
    return dict(sorted(named.items()))


def describe_points(points: Points) -> str:
    """Say where the named points are; empty without any."""
    if not points:
        return ""
    listed = ", ".join(f"point {name} at {format_point(place)}" for name, place in points.items())
    return listed[0].upper() + listed[1:].replace(" at ", " is at ", 1) + "."


def replace_with_names(statement: Statement, points: Points) -> Statement:
    """Return a statement with the names of points in the place of their coordinates."""
    return replace(
        statement, head=_replace_places(statement.head, points),
        parts=tuple(_replace_places(part, points) for part in statement.parts),
        shorter=tuple(replace_with_names(variant, points) for variant in statement.shorter),
    )  # fmt: skip


def list_circles(target: Perception) -> list[Shape]:
    """Return the circles of a figure, without its dots."""
    shapes = [percept for percept in target.percepts if isinstance(percept, Shape)]
    return [shape for shape in shapes if shape.kind == "circle" and shape.size[0] > 4 * DOT]


def describe_tangent(stroke: Stroke, points: Points, circles: Sequence[Shape]) -> str:
    """Say that a line touches a circle at a named point; empty if the line does not."""
    if len(stroke.points) != 2:
        return ""
    (x0, y0), (x1, y1) = stroke.points
    length = dist((x0, y0), (x1, y1))
    if not length:
        return ""
    for circle in circles:
        x, y = circle.centre
        off = abs((x1 - x0) * (y0 - y) - (x0 - x) * (y1 - y0)) / length
        part = ((x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)) / (length * length)
        foot = x0 + part * (x1 - x0), y0 + part * (y1 - y0)
        name = next((name for name, place in points.items() if dist(place, foot) <= 2 * SAME), None)
        if abs(off - circle.size[0] / 2) <= TOUCH and -0.05 <= part <= 1.05 and name:
            return f", a tangent that touches the circle at point {name}"
    return ""


def describe_letters(texts: Sequence[Text], points: Points, colours: ColourWords) -> Statement | None:
    """Return where the letters of named points, of one colour and size, stand from their points; None without any."""
    if not texts:
        return None
    listed = ", ".join(f'"{text.text}"' for text in texts)
    places = ", ".join(_describe_letter_offset(text, points[text.text]) for text in texts)
    look = f"in {colours(texts[0].colour)}, font size {format_number(texts[0].size)}"
    return Statement("", (f"The letters {listed} {look}, {places}",))


@cache
def _list_candidates() -> tuple[tuple[str, str, float], ...]:
    """Return names, their colours, and how uncommon each name is, as a difference in colour."""
    spaced = {name: value for name, value in NAMES.items() if name in _BASIC or _is_common(name)}
    made = {f"{shade} {name}": parse_colour_name(f"{shade} {name}") for shade in _SHADES for name in _BASIC[2:]}
    uncommon = {name: 0.0 if name in _BASIC else 1.5 if name in made else 3.0 for name in (*spaced, *made)}
    known = [(name, {**spaced, **made}[name], uncommon[name]) for name in uncommon]
    # A shade of a name, two shades of one, then a colour between two: "muted lavender", "dark muted teal", "grey rose".
    lightness = {name: convert_to_lab(NAMES[name])[0] for name in (*_BASIC[2:], *_EVERYDAY)}
    # Nobody says "pale navy" or "very dark charcoal".
    shaded = [f"{shade} {name}" for shade in _FINER for name, light in lightness.items() if light > 40]
    shaded += [f"{shade} {name}" for shade in _FINER[-2:] for name, light in lightness.items() if light <= 40]
    lasting = [f"{shade} {name}" for shade in _FINER[-2:] for name, light in lightness.items() if light > 40]
    twice = [f"{shade} {name}" for shade in _FINER[:-2] for name in lasting]
    between = [f"{first} {name}" for first in _BASIC for name in (*_BASIC, *_EVERYDAY) if name != first]
    finer = [(name, 4.0) for name in shaded if name not in uncommon]
    finer += [(name, 5.0) for name in twice] + [(name, 6.0) for name in between]
    # Some read as a name of their own, such as "sky blue".
    return (
        *known,
        *(
            (name, parse_colour_name(name), rare)
            for name, rare in finer
            if replace_colour_words(name) == parse_colour_name(name)
        ),
    )


@lru_cache(maxsize=8192)
def _rank_names(colour: str) -> tuple[tuple[float, str, str], ...]:
    """Return the names whose colours are near one, the most common first: difference, name and its colour."""
    near = [
        (uncommon, off, name, value)
        for name, value, uncommon in _list_candidates()
        if (off := compute_delta_e94(colour, value)) < FAR
    ]
    return tuple((off, name, value) for _, off, name, value in sorted(near)[:24])


def _is_common(name: str) -> bool:
    """Tell whether people know a name: not run together, no grey spelled "gray", none of the odd names of CSS."""
    joined = name.replace(" ", "") != name or not any(
        name != other and other.replace(" ", "") == name for other in NAMES
    )
    return joined and "gray" not in name and _ODD.search(name) is None


@cache
def _restore_spaces(name: str) -> str:
    spaced = [other for other in NAMES if " " in other and other.replace(" ", "") == name]
    return max(spaced, key=lambda other: (other.count(" "), other), default=name)


def _recolour_percept(percept: Percept, colours: ColourWords) -> Percept:
    if isinstance(percept, Shape):
        colour = None if percept.colour is None else colours.find_shown_colour(percept.colour)
        return replace(percept, colour=colour, outline=_recolour_edge(percept.outline, colours))
    if isinstance(percept, Bars):
        return replace(percept, bars=tuple(_recolour_bar(bar, colours) for bar in percept.bars))
    if isinstance(percept, Pie):
        wedges = tuple((colours.find_shown_colour(colour), share) for colour, share in percept.wedges)
        return replace(percept, wedges=wedges, border=_recolour_edge(percept.border, colours))
    return replace(percept, colour=colours.find_shown_colour(percept.colour))


def _recolour_bar(bar: Bar, colours: ColourWords) -> Bar:
    return replace(bar, colour=colours.find_shown_colour(bar.colour), outline=_recolour_edge(bar.outline, colours))


def _recolour_edge(edge: _Edge, colours: ColourWords) -> _Edge:
    return None if edge is None else (colours.find_shown_colour(edge[0]), edge[1])


def _compute_middle(points: Sequence[Point]) -> Point:
    count = len(points)
    return math.fsum(x for x, _ in points) / count, math.fsum(y for _, y in points) / count


def _compute_direction(start: Point, end: Point) -> float:
    """Return a direction in degrees clockwise from 12 o'clock."""
    return (math.degrees(atan2(end[1] - start[1], end[0] - start[0])) + 90) % 360


def _recognise_diamond(corners: Sequence[Point]) -> Named | None:
    """Return a quadrilateral of four equal sides with its longer diagonal first upright."""
    sides = [dist(a, b) for a, b in itertools.pairwise([*corners, corners[0]])]
    if max(sides) - min(sides) > 2 * LIKE * max(sides):
        return None
    diagonals = [(corners[0], corners[2]), (corners[1], corners[3])]
    (top, bottom), (left, right) = sorted(diagonals, key=lambda ends: -dist(*ends))
    if dist(top, bottom) < 1.1 * dist(left, right):
        return None
    turn = _compute_direction(bottom, top) % 180
    turn = turn if turn <= 90 else turn - 180
    size = f"{dist(left, right):.0f} px wide and {dist(top, bottom):.0f} px high"
    return Named(f"diamond {size}", _compute_middle(corners), turn if abs(turn) >= 1 else 0.0)


def _recognise_semicircle(corners: Sequence[Point]) -> Named | None:
    """Return a half disc if all corners lie on a circle around the middle of the longest side."""
    sides = list(itertools.pairwise([*corners, corners[0]]))
    start, end = max(sides, key=lambda ends: dist(*ends))
    centre, radius = _compute_middle((start, end)), dist(start, end) / 2
    if len(corners) < 7 or any(abs(dist(corner, centre) - radius) > LIKE * radius + 1 for corner in corners):
        return None
    turn = _compute_direction(centre, _compute_middle(corners))
    turn = turn if turn <= 180 else turn - 360
    return Named(f"semicircle of radius {radius:.0f} px", centre, turn if abs(turn) >= 1.5 else 0.0)


def _recognise_cross(corners: Sequence[Point]) -> Named | None:
    """Return a cross of four equal arms: eight corners far from the middle, four near."""
    centre = _compute_middle(corners)
    far = sorted(corners, key=lambda corner: -dist(corner, centre))[:8]
    reach = math.fsum(dist(corner, centre) for corner in far) / 8
    if any(abs(dist(corner, centre) - reach) > LIKE * reach for corner in far):
        return None
    near = [corner for corner in corners if corner not in far]
    if any(abs(dist(corner, centre) - reach * 0.3 * math.sqrt(2) / CROSS_REACH) > 2 * LIKE * reach for corner in near):
        return None
    turn = (_compute_direction(centre, near[0]) + 45) % 90
    turn = turn if turn <= 45 else turn - 90
    size = f"{1.8 * reach / CROSS_REACH:.0f}"
    return Named(f"cross {size} px wide and {size} px high", centre, turn if abs(turn) >= 1 else 0.0)


def _list_places(percept: Percept) -> Iterator[tuple[Point, float]]:
    """Yield the places that a letter may name, with how much less likely each is than a dot, in pixels."""
    if isinstance(percept, Shape):
        is_dot = percept.kind == "circle" and percept.colour is not None and percept.size[0] <= 2 * DOT
        if is_dot:
            yield percept.centre, 0.0
        elif percept.kind in {"circle", "ring"}:
            yield percept.centre, 8.0
        for corner in percept.corners if percept.outline else ():
            yield corner, 6.0
    elif isinstance(percept, Stroke) and percept.role in {"line", "curve", "x axis", "y axis"}:
        for place in percept.points:
            yield place, 6.0


def _replace_places(words: str, points: Points) -> str:
    def name(match: re.Match[str]) -> str:
        place = float(match[1]), float(match[2])
        nearest = min(points, key=lambda other: dist(points[other], place), default=None)
        return f"point {nearest}" if nearest and dist(points[nearest], place) <= SAME else match[0]

    return _CIRCLE.sub(lambda match: _name_circle(match, points), _PLACE.sub(name, words))


def _name_circle(match: re.Match[str], points: Points) -> str:
    """Return "circle around point M through point B" where a named point lies on the circle."""
    radius, centre = float(match[1]), points[match[2]]
    for name, place in points.items():
        if name != match[2] and abs(dist(place, centre) - radius) <= ON_CIRCLE:
            return f"circle around point {match[2]} through point {name}"
    return match[0]


def _describe_letter_offset(letter: Text, point: Point) -> str:
    """Say where a letter stands from its point, such as "19 px above and 3 px left of point A"."""
    across, down = (round(of_letter - of_point) for of_letter, of_point in zip(letter.centre, point, strict=True))
    ways = [f"{abs(down)} px {'below' if down > 0 else 'above'}"] if down else []
    ways += [f"{abs(across)} px {'right' if across > 0 else 'left'}"] if across else []
    words = " and ".join(ways) or "0 px above"
    return f"{words} {'of ' if across else ''}point {letter.text}"
