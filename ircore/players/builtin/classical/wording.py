"""Percepts in plain English within the token budget, the most telling first."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace

from ircore.core.exact import power
from ircore.core.tokens import count_tokens
from ircore.players.builtin.canvas.colours import named
from ircore.players.builtin.classical.chart_wording import bars_statement, grid_words, pie_statement
from ircore.players.builtin.classical.colours import distance, exact, exact_names, plain_name
from ircore.players.builtin.classical.curve_wording import stroke_noun, stroke_statement, x_axis_height
from ircore.players.builtin.classical.percepts import (
    Backdrop,
    Bars,
    Box,
    Grid,
    Percept,
    Perception,
    Pie,
    Point,
    Shape,
    Stroke,
    Text,
    Ticks,
    middle_of,
)
from ircore.players.builtin.classical.plain.axes import read_area
from ircore.players.builtin.classical.plain.colour_words import apart
from ircore.players.builtin.classical.statements import (
    ColourWords,
    Statement,
    article,
    at,
    full_colour,
    half_pixels,
    in_quotes,
    number,
    pack,
    places,
)
from ircore.players.builtin.classical.text_wording import text_groups, text_statement

NUMBERS = {3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight"}
BRIEF = 30
"""Tokens below which a message tells one thing."""
LINES_TOLD = 8
"""Messages after which the colour of lines is told at the latest."""
AFTER_ALL = 90
"""Place of texts in the order of painting."""
REGULAR = {5: "pentagon", 6: "hexagon", 7: "heptagon", 8: "octagon"}


def first_message(perception: Perception, budget: int) -> str:
    """Describe a picture.

    Args:
        perception: Percepts of the picture.
        budget: Tokens the message may have.
    """
    # So few tokens hold no background together with a thing.
    if budget < BRIEF:
        return next(iter(brief_messages(perception, budget)), "White background.")
    scene = scene_words(perception)
    # A pie without some of its wedges says less than one in everyday colours.
    rough = (plain_name,) if budget < 100 and any(isinstance(percept, Pie) for percept in perception.percepts) else ()
    # From the fullest wording to the shortest; the first one in which everything fits is taken.
    ways = [(full_colour, True), (full_colour, False), (exact, False), *((words, False) for words in rough)]
    for words, telling in ways:
        statements = statements_of(perception, words, telling)
        message = pack(statements, budget, scene)
        if count_tokens(" ".join([scene, *(s.text for s in statements)])) <= budget:
            return message
    return message


def statements_of(perception: Perception, words: ColourWords, telling: bool = False) -> list[Statement]:
    """Return a statement for each percept in the order of painting; related texts share a statement.

    Args:
        perception: Percepts of the picture.
        words: How colours are said.
        telling: Whether to say of curves where they turn, cross the axis and level off.
    """
    axis = x_axis_height(perception.percepts)
    statements = [
        replace(statement_of(thing, words, axis, telling), weight=weight_of(thing, perception.backdrop), order=order)
        for order, thing in enumerate(perception.percepts)
        if not isinstance(thing, Text)
    ]
    return statements + text_statements(perception.texts, words, perception.backdrop)


def text_statements(texts: Sequence[Text], words: ColourWords, backdrop: Backdrop) -> list[Statement]:
    """Return a statement for each group of texts that can be said together."""
    statements = []
    for group in text_groups(texts):
        weight = math.fsum(weight_of(text, backdrop) for text in group)
        statements.append(replace(text_statement(group, words), weight=weight, order=AFTER_ALL))
    return statements


def weight_of(percept: Percept, backdrop: Backdrop) -> float:
    """Return how much a percept tells: pixels, weighted by contrast; lines count more than areas."""
    if isinstance(percept, Shape) and percept.colour and percept.outline:
        bare = replace(percept, outline=None)
        rim = 2 * math.fsum(percept.size) * percept.outline[1]
        edge = min(1.0, distance(percept.outline[0], backdrop.colour) / 220)
        return weight_of(bare, backdrop) + float(5.0 * rim * power(edge, 1.3))
    factor = {Stroke: 5.0, Grid: 1.2, Ticks: 1.0, Text: 3.0}.get(type(percept), 1.0)
    contrast = min(1.0, distance(_colour_of(percept), backdrop.colour) / 220)
    return float(factor * percept.area * power(contrast, 1.3))


def _colour_of(percept: Percept) -> str:
    if isinstance(percept, Bars):
        return percept.bars[0].colour
    if isinstance(percept, Pie):
        return max(percept.wedges, key=lambda wedge: wedge[1])[0]
    if isinstance(percept, Shape):
        return percept.colour or (percept.outline[0] if percept.outline else "#000000")
    return percept.colour


def scene_words(perception: Perception) -> str:
    """Say the background, and the size if it is not the usual size."""
    backdrop = perception.backdrop
    size = f" is {perception.width} by {perception.height} pixels with"
    if backdrop.last is not None:
        ends = ("at the top", "at the bottom") if backdrop.direction == "down" else ("on the left", "on the right")
        where = f"The background fades from {backdrop.colour} {ends[0]} to {backdrop.last} {ends[1]}."
        usual = (perception.width, perception.height) == (512, 512)
        return where if usual else f"The picture{size.removesuffix(' with')}. {where}"
    has = " has" if (perception.width, perception.height) == (512, 512) else size
    return f"The picture{has} a {full_colour(backdrop.colour)} background."


def brief_messages(perception: Perception, budget: int) -> list[str]:
    """Return messages of very few tokens that together draw a picture, the most telling first.

    Each is one thing with its place and size in the fewest tokens that ``canvas`` reads, never cut off: a circle as
    ``Red circle radius 40 (100,200)``, bars by the values of their axis as ``Bars 79,57,96``, a pie wedge by wedge, a
    bent line leg by leg, and the background once the largest thing is there.

    Args:
        perception: Percepts of the picture.
        budget: Tokens that a message may have.
    """
    backdrop = perception.backdrop
    thing = max((weight_of(percept, backdrop) for percept in perception.percepts), default=0.0)
    weighed: list[tuple[float, str]] = []
    if distance(backdrop.colour, "#ffffff") > 6:
        # Almost all of a picture is background, but a page without a thing shows nothing of the target.
        ground = [f"{name} background" for name in (exact(backdrop.colour), *_near_names(backdrop.colour))]
        weighed.append((0.9 * thing, _first_within(ground, budget)))
    bars = [percept for percept in perception.percepts if isinstance(percept, Bars)]
    charted = _brief_bars(perception, bars[0], budget) if len(bars) == 1 else []
    for percept in perception.percepts:
        weight = weight_of(percept, backdrop)
        if charted and (isinstance(percept, Bars) or _is_furniture(percept)):
            continue
        texts = [text for options in _brief(percept) if (text := _first_within(options, budget))]
        weighed += [(weight / len(texts) * (1 - 0.001 * place), text) for place, text in enumerate(texts)]
        if isinstance(percept, Shape) and texts:
            weighed += [(weight * share, text) for share, text in _brief_touches(percept, perception, budget)]
    weighed += [(2 * thing - place, text) for place, text in enumerate(charted)]
    ordered = [text for _, text in sorted(weighed, key=lambda entry: -entry[0]) if text]
    lines = [place for place, text in enumerate(ordered, start=1) if " line (" in f" {text.casefold()}"]
    if lines and (colour := _brief_line_colour(perception, budget)):
        # It colours the lines that are there; usual rules have ten turns.
        ordered.insert(min(lines[-1], LINES_TOLD), colour)
    # What is drawn twice hides what was drawn between.
    return list(dict.fromkeys(ordered))


def _brief_touches(shape: Shape, perception: Perception, budget: int) -> list[tuple[float, str]]:
    """Return messages that set the exact colour and turn of a shape that is alone of its kind, with their worth."""
    kind = noun(shape)
    alike = [other for other in perception.percepts if isinstance(other, Shape) and noun(other) == kind]
    if len(alike) > 1 or kind == "polygon" or shape.colour is None:
        return []
    told = _first_within(_brief_shape(shape), budget)
    name = told.casefold().partition(f" {kind}")[0]
    touches = [(min(0.9, distance(named(name), shape.colour) / 150), f"The {kind} is {exact(shape.colour)}")]
    if abs(shape.rotation) >= 3 and kind not in {"circle", "ring"}:
        touches.append((min(0.8, abs(shape.rotation) / 60), f"Rotate the {kind} {shape.rotation:.0f} degrees"))
    return [(worth, text) for worth, text in touches if worth > 0.01 and count_tokens(text) <= budget]


def _brief_line_colour(perception: Perception, budget: int) -> str:
    """Return a message with the colour of most lines; empty where that is black, in which lines are drawn."""
    weights: dict[str, float] = {}
    for percept in perception.percepts:
        if isinstance(percept, Stroke):
            weights[percept.colour] = weights.get(percept.colour, 0.0) + weight_of(percept, perception.backdrop)
    colour = max(weights, key=lambda shade: weights[shade])
    if distance(colour, "#000000") < 60:
        return ""
    return _first_within([f"The lines are {name}" for name in (exact(colour), *_near_names(colour))], budget)


def _is_furniture(percept: Percept) -> bool:
    """Return whether a chart that is told by its values has a percept of its own accord."""
    return isinstance(percept, Grid | Ticks) or (isinstance(percept, Stroke) and percept.role in {"x axis", "y axis"})


def _first_within(options: Sequence[str], budget: int) -> str:
    return next((text for text in options if count_tokens(text) <= budget), "")


def _near_names(colour: str) -> list[str]:
    """Return the names of CSS by how near they are to a colour, then its everyday name: both may have fewer tokens."""
    nearest = sorted(exact_names().values(), key=lambda name: (apart(named(name), colour), name))
    return [*nearest[:12], plain_name(colour)]


def _brief(percept: Percept) -> list[list[str]]:
    """Return the messages that draw a percept, each as texts from the fullest to the shortest."""
    if isinstance(percept, Bars):
        boxes = [(bar.colour, bar.box) for bar in percept.bars]
        return [_brief_box(colour, "rectangle", box) for colour, box in boxes]
    if isinstance(percept, Pie):
        return _brief_pie(percept)
    if isinstance(percept, Text):
        return [[f"{in_quotes(percept.text)}{_place(percept.centre)}"]]
    if isinstance(percept, Stroke):
        names = [*_near_names(percept.colour), ""]
        points = percept.points if len(percept.points) < 12 else percept.points[:: len(percept.points) // 8]
        return [
            [f"{name} line {_place(start)}-{_place(end)}".strip().capitalize() for name in names]
            for start, end in itertools.pairwise(points)
        ]
    if isinstance(percept, Shape):
        return [_brief_shape(percept)]
    return []


def _place(point: Point) -> str:
    return f"({round(point[0])},{round(point[1])})"


def _brief_box(colour: str, kind: str, box: Box) -> list[str]:
    size = f"{round(box[2] - box[0])}x{round(box[3] - box[1])}"
    x, y = middle_of(box)
    names = [name.capitalize() for name in _near_names(colour)]
    full = [f"{name} {kind} {size} {round(x)},{round(y)}" for name in names]
    return [*full, *(f"{name} {kind} {_place((x, y))}" for name in names), *(f"{name} {kind}" for name in names)]


def _brief_shape(shape: Shape) -> list[str]:
    colour = shape.colour or (shape.outline[0] if shape.outline else "#000000")
    kind = noun(shape)
    if shape.kind in {"rectangle", "ellipse"}:
        return _brief_box(colour, kind, shape.box)
    if shape.colour is None and shape.kind == "circle":
        return [f"Thin circle radius {round(shape.size[0] / 2)} {_place(shape.centre)}"]
    kind = {"polygon": "rectangle"}.get(kind, kind)
    if kind == "rectangle":
        return _brief_box(colour, kind, shape.box)
    measure = f"side {round(shape.size[0])}" if kind == "square" else f"radius {round(shape.size[0] / 2)}"
    where = middle_of(shape.box) if kind == "triangle" else shape.centre
    if kind == "triangle":
        measure = f"radius {round((shape.box[2] - shape.box[0]) / 2)}"
    names = [name.capitalize() for name in _near_names(colour)]
    full = [f"{name} {kind} {measure} {_place(where)}" for name in names]
    return [*full, *(f"{name} {kind} {_place(where)}" for name in names), *(f"{name} {kind}" for name in names)]


def _brief_pie(pie: Pie) -> list[list[str]]:
    """Return a pie wedge by wedge, two where they fit."""
    wedges = [[f"{name} {round(100 * share)}%" for name in _near_names(colour)] for colour, share in pie.wedges]
    messages = []
    for at_wedge, own in enumerate(wedges):
        head = "Next wedges: " if at_wedge else "Pie "
        messages.append([f"{head}{text}" for text in own])
    return messages


def _brief_bars(perception: Perception, bars: Bars, budget: int) -> list[str]:
    """Return a bar chart by the values of its axis, then the colour of the bars; empty if these cannot be told so."""
    area = read_area(perception)
    scale = None if area is None else (area.y if bars.upright else area.x).scale
    shades = {bar.colour for bar in bars.bars}
    if scale is None or not bars.upright or len(shades) > 1 or abs(scale(0) - bars.base) > 3:
        return []
    values = ",".join(f"{round(scale.value(bar.tip))}" for bar in bars.bars)
    colours = [f"The bars are {name}" for name in (exact(next(iter(shades))), *_near_names(next(iter(shades))))]
    texts = [_first_within([f"Bars {values}"], budget), _first_within(colours, budget)]
    return [] if not texts[0] else [text for text in texts if text]


def noun(percept: Percept) -> str:
    """Return the noun for a percept."""
    if isinstance(percept, Shape):
        return REGULAR.get(len(percept.corners), "polygon") if percept.kind == "regular" else percept.kind
    if isinstance(percept, Stroke):
        return stroke_noun(percept)
    return {Grid: "grid", Ticks: "ticks", Bars: "bars", Pie: "pie", Text: "text"}[type(percept)]


def statement_of(percept: Percept, words: ColourWords, axis: float | None = None, telling: bool = False) -> Statement:
    """Return the statement about a percept: its kind, place and colour; arguments as of ``stroke_statement``."""
    if isinstance(percept, Shape):
        return Statement("", (shape_sentence(percept, words),))
    if isinstance(percept, Stroke):
        return stroke_statement(percept, words, axis, telling)
    if isinstance(percept, Bars):
        return bars_statement(percept, words)
    if isinstance(percept, Pie):
        return pie_statement(percept, words)
    if isinstance(percept, Grid):
        return Statement("", (grid_words(percept, words),))
    if isinstance(percept, Text):
        return text_statement((percept,), words)
    marks = places(list(percept.at))
    side = "" if percept.side == "outside" else f" {percept.side}"
    text = f"Ticks of {percept.length:.0f} px{side} on the {percept.axis} axis at {percept.axis} {marks}"
    return Statement("", (text,))


def shape_sentence(shape: Shape, words: ColourWords, measures: str = "") -> str:
    """Say a shape: its colour, kind, size, place and outline.

    Args:
        shape: The perceived shape.
        words: How colours are said.
        measures: Kind, size and place in words; by default as exactly as they are seen.
    """
    colour = "unfilled" if shape.colour is None else words(shape.colour)
    text = article(f"{colour} {measures or _measures(shape)}")
    if shape.outline:
        line, width = shape.outline
        with_ = "outlined in" if shape.colour is None else "with a"
        end = f"{number(width)} px {exact(line)}"
        text += f", {with_} {end}" + ("" if shape.colour is None else " outline")
    return text


def _measures(shape: Shape) -> str:
    """Return kind, size and place of a shape."""
    width, height = shape.size
    thin = shape.colour is None and shape.kind in {"rectangle", "square"} and not shape.rotation
    middle = f"centred at {half_pixels(shape.centre) if thin else at(shape.centre)}"
    turned = f", rotated {shape.rotation:.0f} degrees" if abs(shape.rotation) >= 1 else ""
    if shape.kind == "circle":
        return f"circle of radius {number(width / 2)} px {middle}"
    if shape.kind == "ring":
        return f"ring of radius {number(width / 2)} px with a hole of radius {number(height / 2)} px {middle}"
    if shape.kind == "square":
        return f"square of side {width:.0f} px {middle}{turned}"
    if shape.kind in {"rectangle", "ellipse"}:
        return f"{shape.kind} {width:.0f} px wide and {height:.0f} px high {middle}{turned}"
    if shape.kind == "star" and len(shape.corners) == 10 and abs(height / width - 0.42) < 0.07:
        return f"five-pointed star of radius {width / 2:.0f} px {middle}{turned}"
    if shape.kind == "regular" and len(shape.corners) in REGULAR:
        return f"regular {REGULAR[len(shape.corners)]} of radius {width / 2:.0f} px {middle}{turned}"
    kind = "triangle" if shape.kind == "triangle" else "polygon"
    return f"{kind} with corners {', '.join(at(corner) for corner in shape.corners)}"
