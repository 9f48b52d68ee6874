"""The first message about a picture within the token budget, and messages of very few tokens."""

import itertools
from collections.abc import Sequence

from ircore.core.tokens import count_tokens
from ircore.players.builtin.classical.plain.axes import read_area
from ircore.players.builtin.classical.statements import in_quotes, pack
from ircore.players.builtin.classical.wording import (
    noun,
    scene_words,
    statements_of,
    weight_of,
)
from ircore.seeing.colours import apart, distance, exact_names, full_colour, named, plain_name, shortest_name
from ircore.seeing.percepts import (
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

BRIEF = 30
"""Tokens below which a message tells one thing."""
LINES_TOLD = 8
"""Messages after which the colour of lines is told at the latest."""


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
    ways = [(full_colour, True), (full_colour, False), (shortest_name, False), *((words, False) for words in rough)]
    for words, telling in ways:
        statements = statements_of(perception, words, telling)
        message = pack(statements, budget, scene)
        if count_tokens(" ".join([scene, *(s.text for s in statements)])) <= budget:
            return message
    return message


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
        ground = [f"{name} background" for name in (shortest_name(backdrop.colour), *_near_names(backdrop.colour))]
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
    short = _first_within(_brief_shape(shape), budget)
    name = short.casefold().partition(f" {kind}")[0]
    touches = [(min(0.9, distance(named(name), shape.colour) / 150), f"The {kind} is {shortest_name(shape.colour)}")]
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
    return _first_within([f"The lines are {name}" for name in (shortest_name(colour), *_near_names(colour))], budget)


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
    colours = [f"The bars are {name}" for name in (shortest_name(next(iter(shades))), *_near_names(next(iter(shades))))]
    texts = [_first_within([f"Bars {values}"], budget), _first_within(colours, budget)]
    return [] if not texts[0] else [text for text in texts if text]
