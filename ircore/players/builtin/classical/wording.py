"""Percepts in plain English, each with how much it tells; texts of one look in one row or column share a statement."""

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from operator import attrgetter

import numpy as np

from ircore.core.exact import power
from ircore.core.plain_words import add_article
from ircore.players.builtin.classical.curves import find_curve_features
from ircore.players.builtin.classical.outlines import smooth_curve
from ircore.players.builtin.classical.statements import (
    ColourWords,
    Statement,
    describe_bars,
    describe_grid,
    describe_pie,
    format_half_pixels,
    format_number,
    format_places,
    format_point,
    is_number,
    quote_text,
)
from ircore.seeing.colours import describe_colour, find_shortest_name, measure_rgb_distance
from ircore.seeing.percepts import Backdrop, Bars, Grid, Likeness, Percept, Perception, Pie, Shape, Stroke, Text, Ticks

IN_LINE = 0.55
"""Pixels that texts of one row or column may be out of line."""
Place = Callable[[Text], float]
PLACES: dict[str, Place] = {
    "row": lambda text: text.centre[1],
    "right": lambda text: text.centre[0] + text.width / 2,
    "column": lambda text: text.centre[0],
    "left": lambda text: text.centre[0] - text.width / 2,
}
"""Coordinates that texts in one line share, by how they are aligned."""
MOST_PLACES = 4
"""Zeros, or lowest or highest points, that are listed."""
FAR = 2048.0
"""Pixels: asymptotes outside any picture are not told."""
NUMBERS = {3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight"}
AFTER_ALL = 90
"""Place of texts in the order of painting."""
REGULAR = {5: "pentagon", 6: "hexagon", 7: "heptagon", 8: "octagon"}


def group_texts(texts: Sequence[Text]) -> list[tuple[Text, ...]]:
    """Group texts of one colour, size and rotation into rows, columns and the rest.

    Each text is in one group; the largest rows and columns come first, the rest stays together.
    """
    groups = []
    look = attrgetter("colour", "size", "rotation")
    for _, alike in itertools.groupby(sorted(texts, key=look), key=look):
        left = list(alike)
        # A row of two counts only if nothing else is left: two texts are easily in line by chance.
        while (row := max((_find_texts_in_line(left, place) for place in PLACES.values()), key=len)) and (
            len(row) > 2 or len(row) == len(left) > 1
        ):
            groups.append(tuple(row))
            left = [text for text in left if text not in row]
        if left:
            groups.append(tuple(left))
    return groups


def describe_text_group(texts: Sequence[Text], words: ColourWords) -> Statement:
    """Return a statement about texts of one look; its shorter variants name only the first texts."""
    level = len(texts) > 1 and all(abs(text.centre[1] - texts[0].centre[1]) <= IN_LINE for text in texts)
    ordered = sorted(texts, key=PLACES["column" if level else "row"])
    full, plain = _describe_texts(ordered, words, exactly=True), _describe_texts(ordered, words, exactly=False)
    fewer = tuple(
        Statement("", (_describe_texts(ordered[:count], words, exactly=False),))
        for count in range(len(texts) - 1, 0, -1)
    )
    return Statement("", (full,), shorter=(Statement("", (plain,)), *fewer))


def name_stroke(stroke: Stroke) -> str:
    """Return the noun for a line, by role, function family or the way in which its points are joined."""
    if stroke.role in {"x axis", "y axis"}:
        return stroke.role
    if stroke.likeness is not None and (stroke.smooth or stroke.likeness.family == "absolute"):
        return name_function_family(stroke.likeness)
    if stroke.likeness is not None and stroke.likeness.family not in {"parabola", "absolute"}:
        return f"polyline like {add_article(stroke.likeness.family).lower()}"
    return "line" if len(stroke.points) == 2 else "curve" if stroke.smooth else "polyline"


def name_function_family(like: Likeness) -> str:
    """Name a family."""
    if like.family == "parabola":
        return f"parabola opening {'upward' if like.upward else 'downward'}"
    if like.family == "absolute":
        return "V-shaped polyline" if like.upward else "polyline like an upside-down V"
    if like.family == "sine":
        return f"sine wave of period {like.period:.0f} px"
    return f"{like.family} curve"


def describe_stroke(stroke: Stroke, words: ColourWords, axis: float | None = None, telling: bool = False) -> Statement:
    """Say a line or curve.

    Args:
        stroke: The perceived line.
        words: How colours are said.
        axis: Height of the x axis in pixels, if one is seen.
        telling: Whether to say where a curve turns, crosses the axis and levels off too.
    """
    stroke = _sharpen_stroke(stroke)
    kind, dash = name_stroke(stroke), "" if stroke.dash == "solid" else f"{stroke.dash} "
    if kind in {"x axis", "y axis"}:
        ends = f"from {format_point(stroke.points[0])} to {format_point(stroke.points[1])}"
        return Statement("", (f"A {words(stroke.colour)} {kind}, {format_number(stroke.width)} px, {ends}",))
    text = f"A {format_number(stroke.width)} px {words(stroke.colour)} {dash}{kind}"
    marked = f" with round markers of radius {format_number(stroke.marker)} px" if stroke.marker else ""
    points = tuple(format_point(point) for point in stroke.points)
    if len(points) == 2:
        return Statement("", (f"{text} from {points[0]} to {points[1]}{marked}",))
    # A part of a smooth curve would run otherwise at its end; what lacks of a polyline can be added later.
    least = len(points) if stroke.smooth else 2
    plain = Statement(f"{text} through ", points, f"{marked}.", joint=", ", least=least)
    turns = _describe_features(stroke, axis) if telling else ""
    return replace(plain, head=f"{text}, {turns}, through ", shorter=(plain,)) if turns else plain


def find_x_axis_height(percepts: Iterable[Percept]) -> float | None:
    """Return the height of the x axis in pixels; None if there is no x axis."""
    heights = [percept.points[0][1] for percept in percepts if isinstance(percept, Stroke) and percept.role == "x axis"]
    return float(heights[0]) if heights else None


def describe_perception(perception: Perception, words: ColourWords, telling: bool = False) -> list[Statement]:
    """Return a statement for each percept in the order of painting; related texts share a statement.

    Args:
        perception: Percepts of the picture.
        words: How colours are said.
        telling: Whether to say of curves where they turn, cross the axis and level off.
    """
    axis = find_x_axis_height(perception.percepts)
    statements = [
        replace(
            describe_percept(thing, words, axis, telling), weight=weigh_percept(thing, perception.backdrop), order=order
        )
        for order, thing in enumerate(perception.percepts)
        if not isinstance(thing, Text)
    ]
    return statements + describe_texts(perception.texts, words, perception.backdrop)


def describe_texts(texts: Sequence[Text], words: ColourWords, backdrop: Backdrop) -> list[Statement]:
    """Return a statement for each group of texts that can be said together."""
    statements = []
    for group in group_texts(texts):
        weight = math.fsum(weigh_percept(text, backdrop) for text in group)
        statements.append(replace(describe_text_group(group, words), weight=weight, order=AFTER_ALL))
    return statements


def weigh_percept(percept: Percept, backdrop: Backdrop) -> float:
    """Return how much a percept tells: pixels, weighted by contrast; lines count more than areas."""
    if isinstance(percept, Shape) and percept.colour and percept.outline:
        bare = replace(percept, outline=None)
        rim = 2 * math.fsum(percept.size) * percept.outline[1]
        edge = min(1.0, measure_rgb_distance(percept.outline[0], backdrop.colour) / 220)
        return weigh_percept(bare, backdrop) + float(5.0 * rim * power(edge, 1.3))
    factor = {Stroke: 5.0, Grid: 1.2, Ticks: 1.0, Text: 3.0}.get(type(percept), 1.0)
    contrast = min(1.0, measure_rgb_distance(_colour_of(percept), backdrop.colour) / 220)
    return float(factor * percept.area * power(contrast, 1.3))


def describe_scene(perception: Perception) -> str:
    """Say the background, and the size if it is not the usual size."""
    backdrop = perception.backdrop
    size = f" is {perception.width} by {perception.height} pixels with"
    if backdrop.last is not None:
        ends = ("at the top", "at the bottom") if backdrop.direction == "down" else ("on the left", "on the right")
        where = f"The background fades from {backdrop.colour} {ends[0]} to {backdrop.last} {ends[1]}."
        usual = (perception.width, perception.height) == (512, 512)
        return where if usual else f"The picture{size.removesuffix(' with')}. {where}"
    has = " has" if (perception.width, perception.height) == (512, 512) else size
    return f"The picture{has} a {describe_colour(backdrop.colour)} background."


def name_percept(percept: Percept) -> str:
    """Return the noun for a percept."""
    if isinstance(percept, Shape):
        return REGULAR.get(len(percept.corners), "polygon") if percept.kind == "regular" else percept.kind
    if isinstance(percept, Stroke):
        return name_stroke(percept)
    return {Grid: "grid", Ticks: "ticks", Bars: "bars", Pie: "pie", Text: "text"}[type(percept)]


def describe_percept(
    percept: Percept, words: ColourWords, axis: float | None = None, telling: bool = False
) -> Statement:
    """Return the statement about a percept: its kind, place and colour; arguments as of ``describe_stroke``."""
    if isinstance(percept, Shape):
        return Statement("", (describe_shape(percept, words),))
    if isinstance(percept, Stroke):
        return describe_stroke(percept, words, axis, telling)
    if isinstance(percept, Bars):
        return describe_bars(percept, words)
    if isinstance(percept, Pie):
        return describe_pie(percept, words)
    if isinstance(percept, Grid):
        return Statement("", (describe_grid(percept, words),))
    if isinstance(percept, Text):
        return describe_text_group((percept,), words)
    marks = format_places(list(percept.at))
    side = "" if percept.side == "outside" else f" {percept.side}"
    text = f"Ticks of {percept.length:.0f} px{side} on the {percept.axis} axis at {percept.axis} {marks}"
    return Statement("", (text,))


def describe_shape(shape: Shape, words: ColourWords, measures: str = "") -> str:
    """Say a shape: its colour, kind, size, place and outline.

    Args:
        shape: The perceived shape.
        words: How colours are said.
        measures: Kind, size and place in words; by default as exactly as they are seen.
    """
    colour = "unfilled" if shape.colour is None else words(shape.colour)
    text = add_article(f"{colour} {measures or _describe_measures(shape)}")
    if shape.outline:
        line, width = shape.outline
        with_ = "outlined in" if shape.colour is None else "with a"
        end = f"{format_number(width)} px {find_shortest_name(line)}"
        text += f", {with_} {end}" + ("" if shape.colour is None else " outline")
    return text


def _find_texts_in_line(texts: Sequence[Text], place: Place) -> list[Text]:
    """Return the largest set of texts on one level or upright line."""
    lines = [[other for other in texts if abs(place(other) - place(text)) <= IN_LINE] for text in texts]
    return max(lines, key=len, default=[])


def _describe_texts(texts: Sequence[Text], words: ColourWords, exactly: bool) -> str:
    """Say all of the texts, their places to a quarter of a pixel or to whole pixels."""
    first = texts[0]
    turn = f", rotated {format_number(first.rotation)} degrees" if first.rotation else ""
    look = f"{words(first.colour)}, font size {format_number(first.size)}{turn}"
    if len(texts) == 1:
        return f"The text {quote_text(first.text)} in {look}, centred at {_format_point(first, exactly)}"
    for anchor, place in PLACES.items():
        if all(abs(place(text) - place(first)) <= IN_LINE for text in texts):
            line = math.fsum(place(text) for text in texts) / len(texts)
            return (
                f"Tick labels {_format_texts(texts)} in {look}, {_describe_text_places(texts, anchor, line, exactly)}"
            )
    listed = ", ".join(quote_text(text.text) for text in texts)
    return f"Texts {listed} in {look}, at {', '.join(_format_point(text, exactly) for text in texts)}"


def _describe_text_places(texts: Sequence[Text], anchor: str, line: float, exactly: bool) -> str:
    fixed = _format_measure(line, exactly)
    if anchor == "row":
        return f"at y {fixed} and x {_format_steps([text.centre[0] for text in texts], exactly)}"
    down = _format_steps([text.centre[1] for text in texts], exactly)
    if anchor == "column":
        return f"at x {fixed} and y {down}"
    return f"{anchor}-aligned at x {fixed}, at y {down}"


def _format_texts(texts: Sequence[Text]) -> str:
    """List texts; numbers at even steps by the first, the last and the step, other numbers without quotes."""
    strings = [text.text for text in texts]
    numbers = [_parse_whole(text) for text in strings]
    if len(strings) > 3 and all(number is not None for number in numbers):
        values = [number for number in numbers if number is not None]
        step = values[1] - values[0]
        if step and all(b - a == step for a, b in itertools.pairwise(values)):
            return f"{values[0]} to {values[-1]} every {abs(step)}"
    if all(is_number(text) for text in strings):
        return ", ".join(strings)
    return ", ".join(quote_text(text) for text in strings)


def _parse_whole(text: str) -> int | None:
    return int(text) if text.removeprefix("-").isdigit() and str(int(text)) == text else None


def _format_point(text: Text, exactly: bool) -> str:
    return f"({_format_measure(text.centre[0], exactly)}, {_format_measure(text.centre[1], exactly)})"


def _format_measure(value: float, exactly: bool) -> str:
    return f"{round(4 * value) / 4:g}" if exactly else f"{value:.0f}"


def _format_steps(values: Sequence[float], exactly: bool) -> str:
    """List places, or say from where to where and every how many pixels."""
    count = len(values) - 1
    step = round(4 * (values[-1] - values[0]) / max(count, 1)) / 4
    if count >= 3 and all(abs(value - values[0] - step * n) <= IN_LINE for n, value in enumerate(values)):
        first = round(4 * values[0]) / 4
        return f"{first:g} to {first + step * count:g} every {abs(step):g}"
    return ", ".join(_format_measure(value, exactly) for value in values)


def _describe_features(stroke: Stroke, axis: float | None) -> str:
    """Say where a curve turns, crosses the x axis, and levels off."""
    if stroke.likeness is None:
        return ""
    points = np.array(stroke.points)
    path = smooth_curve(points, [16] * (len(points) - 1)) if stroke.smooth else points
    landmarks = find_curve_features(path, axis)
    parts = []
    for name, words in (("highest", "highest at x"), ("lowest", "lowest at x"), ("zero", "with zeros at x")):
        places = [f"{x:.0f}" for kind, x in landmarks if kind == name]
        if 0 < len(places) <= MOST_PLACES:
            phrase = words.replace("zeros", "a zero") if len(places) == 1 else words
            parts.append(f"{phrase} {' and '.join(places)}")
    # The level of an absolute value is its corner, which is among the points anyway.
    for along, level in stroke.likeness.levels if stroke.likeness.family != "absolute" else ():
        if -FAR < level < FAR:
            parts.append(f"with asymptote {along} {level:.0f}" if along == "x" else f"levelling off at y {level:.0f}")
    return ", ".join(parts)


def _sharpen_stroke(stroke: Stroke) -> Stroke:
    """Return a 1 px upright or level line at the whole row or column of pixels that the line fills."""
    if stroke.width > 1.2 or len(stroke.points) != 2:
        return stroke
    (x0, y0), (x1, y1) = stroke.points
    if abs(y0 - y1) < 0.6:
        return replace(stroke, points=((x0, math.floor(y0)), (x1, math.floor(y0))))
    if abs(x0 - x1) < 0.6:
        return replace(stroke, points=((math.floor(x0), y0), (math.floor(x0), y1)))
    return stroke


def _colour_of(percept: Percept) -> str:
    if isinstance(percept, Bars):
        return percept.bars[0].colour
    if isinstance(percept, Pie):
        return max(percept.wedges, key=lambda wedge: wedge[1])[0]
    if isinstance(percept, Shape):
        return percept.colour or (percept.outline[0] if percept.outline else "#000000")
    return percept.colour


def _describe_measures(shape: Shape) -> str:
    """Return kind, size and place of a shape."""
    width, height = shape.size
    thin = shape.colour is None and shape.kind in {"rectangle", "square"} and not shape.rotation
    middle = f"centred at {format_half_pixels(shape.centre) if thin else format_point(shape.centre)}"
    turned = f", rotated {shape.rotation:.0f} degrees" if abs(shape.rotation) >= 1 else ""
    if shape.kind == "circle":
        return f"circle of radius {format_number(width / 2)} px {middle}"
    if shape.kind == "ring":
        return (
            f"ring of radius {format_number(width / 2)} px with a hole of radius "
            f"{format_number(height / 2)} px {middle}"
        )
    if shape.kind == "square":
        return f"square of side {width:.0f} px {middle}{turned}"
    if shape.kind in {"rectangle", "ellipse"}:
        return f"{shape.kind} {width:.0f} px wide and {height:.0f} px high {middle}{turned}"
    if shape.kind == "star" and len(shape.corners) == 10 and abs(height / width - 0.42) < 0.07:
        return f"five-pointed star of radius {width / 2:.0f} px {middle}{turned}"
    if shape.kind == "regular" and len(shape.corners) in REGULAR:
        return f"regular {REGULAR[len(shape.corners)]} of radius {width / 2:.0f} px {middle}{turned}"
    kind = "triangle" if shape.kind == "triangle" else "polygon"
    return f"{kind} with corners {', '.join(format_point(corner) for corner in shape.corners)}"
