"""Percepts in plain English, each with how much it tells."""

import math
from collections.abc import Sequence
from dataclasses import replace

from ircore.core.counted import article
from ircore.core.exact import power
from ircore.players.builtin.classical.chart_wording import bars_statement, grid_words, pie_statement
from ircore.players.builtin.classical.curve_wording import stroke_noun, stroke_statement, x_axis_height
from ircore.players.builtin.classical.statements import ColourWords, Statement, at, half_pixels, number, places
from ircore.players.builtin.classical.text_wording import text_groups, text_statement
from ircore.seeing.colours import distance, full_colour, shortest_name
from ircore.seeing.percepts import (
    Backdrop,
    Bars,
    Grid,
    Percept,
    Perception,
    Pie,
    Shape,
    Stroke,
    Text,
    Ticks,
)

NUMBERS = {3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight"}
AFTER_ALL = 90
"""Place of texts in the order of painting."""
REGULAR = {5: "pentagon", 6: "hexagon", 7: "heptagon", 8: "octagon"}


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
        end = f"{number(width)} px {shortest_name(line)}"
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
