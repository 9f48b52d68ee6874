"""Lines and curves in words: the function that a curve resembles, its turns, zeros and asymptotes."""

import math
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from ircore.core.counted import article
from ircore.players.builtin.classical.families import features
from ircore.players.builtin.classical.paths import smooth_curve
from ircore.players.builtin.classical.statements import ColourWords, Statement, at, number
from ircore.seeing.percepts import Likeness, Percept, Stroke

MOST_PLACES = 4
"""Zeros, or lowest or highest points, that are listed."""
FAR = 2048.0
"""Pixels: asymptotes outside any picture are not told."""


def stroke_noun(stroke: Stroke) -> str:
    """Return the noun for a line, by role, function family or the way in which its points are joined."""
    if stroke.role in {"x axis", "y axis"}:
        return stroke.role
    if stroke.likeness is not None and (stroke.smooth or stroke.likeness.family == "absolute"):
        return family_words(stroke.likeness)
    if stroke.likeness is not None and stroke.likeness.family not in {"parabola", "absolute"}:
        return f"polyline like {article(stroke.likeness.family).lower()}"
    return "line" if len(stroke.points) == 2 else "curve" if stroke.smooth else "polyline"


def family_words(like: Likeness) -> str:
    """Name a family."""
    if like.family == "parabola":
        return f"parabola opening {'upward' if like.upward else 'downward'}"
    if like.family == "absolute":
        return "V-shaped polyline" if like.upward else "polyline like an upside-down V"
    if like.family == "sine":
        return f"sine wave of period {like.period:.0f} px"
    return f"{like.family} curve"


def stroke_statement(stroke: Stroke, words: ColourWords, axis: float | None = None, telling: bool = False) -> Statement:
    """Say a line or curve.

    Args:
        stroke: The perceived line.
        words: How colours are said.
        axis: Height of the x axis in pixels, if one is seen.
        telling: Whether to say where a curve turns, crosses the axis and levels off too.
    """
    stroke = _crisp(stroke)
    kind, dash = stroke_noun(stroke), "" if stroke.dash == "solid" else f"{stroke.dash} "
    if kind in {"x axis", "y axis"}:
        ends = f"from {at(stroke.points[0])} to {at(stroke.points[1])}"
        return Statement("", (f"A {words(stroke.colour)} {kind}, {number(stroke.width)} px, {ends}",))
    text = f"A {number(stroke.width)} px {words(stroke.colour)} {dash}{kind}"
    marked = f" with round markers of radius {number(stroke.marker)} px" if stroke.marker else ""
    points = tuple(at(point) for point in stroke.points)
    if len(points) == 2:
        return Statement("", (f"{text} from {points[0]} to {points[1]}{marked}",))
    # A part of a smooth curve would run otherwise at its end; what lacks of a polyline can be added later.
    least = len(points) if stroke.smooth else 2
    plain = Statement(f"{text} through ", points, f"{marked}.", joint=", ", least=least)
    turns = _told(stroke, axis) if telling else ""
    return replace(plain, head=f"{text}, {turns}, through ", shorter=(plain,)) if turns else plain


def _told(stroke: Stroke, axis: float | None) -> str:
    """Say where a curve turns, crosses the x axis, and levels off."""
    if stroke.likeness is None:
        return ""
    points = np.array(stroke.points)
    path = smooth_curve(points, [16] * (len(points) - 1)) if stroke.smooth else points
    landmarks = features(path, axis)
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


def x_axis_height(percepts: Iterable[Percept]) -> float | None:
    """Return the height of the x axis in pixels; None if there is no x axis."""
    heights = [percept.points[0][1] for percept in percepts if isinstance(percept, Stroke) and percept.role == "x axis"]
    return float(heights[0]) if heights else None


def _crisp(stroke: Stroke) -> Stroke:
    """Return a 1 px upright or level line at the whole row or column of pixels that the line fills."""
    if stroke.width > 1.2 or len(stroke.points) != 2:
        return stroke
    (x0, y0), (x1, y1) = stroke.points
    if abs(y0 - y1) < 0.6:
        return replace(stroke, points=((x0, math.floor(y0)), (x1, math.floor(y0))))
    if abs(x0 - x1) < 0.6:
        return replace(stroke, points=((math.floor(x0), y0), (math.floor(x0), y1)))
    return stroke
