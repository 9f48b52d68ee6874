"""Finds the item that a phrase means: by kind, colour, point, quoted text, side, size, order, or "it"."""

import math
import re
from dataclasses import dataclass

from ircore.core import exact
from ircore.core.drawing import Point
from ircore.players.builtin.canvas.geometry import BoxF
from ircore.players.builtin.canvas.kinds import NOUN, is_plural, kind_of, mismatch
from ircore.players.builtin.canvas.quantities import first_colour, points
from ircore.players.builtin.canvas.shapes import Blob, Label, Pie, Stroke
from ircore.players.builtin.canvas.sheet import Sheet
from ircore.seeing.colours import difference

TOO_DIFFERENT = 45.0
"""Colour difference (see ``colours.difference``) above which another thing must be meant."""

_PRONOUN = re.compile(r"\b(?:it|its|them|this|that(?: one)?|the last one)\b")
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
_ORDER = re.compile(rf"\b({'|'.join(_ORDINALS)}|last|\d+(?:st|nd|rd|th))\b")
_EXTREME = re.compile(
    r"\b(largest|biggest|smallest|tallest|shortest|widest|narrowest|longest|leftmost|rightmost"
    r"|topmost|uppermost|bottommost"
    r"|lowest|highest|larger|bigger|smaller)\b"
)
_ALL = re.compile(r"\b(?:all|both|every|each)\b")


@dataclass(frozen=True)
class Target:
    """An item, or a wedge of a pie."""

    index: int
    part: int | None = None


def resolve(words: str, strings: tuple[str, ...], sheet: Sheet) -> list[Target]:
    """Return the items that ``words`` ("the red circle at (10,20)") mean; empty if there is no match.

    Several are returned only if the words ask for all of them ("all circles", "the bars").
    """
    noun = NOUN.search(words)
    colour, near = first_colour(words), points(words, sheet.space, 1)
    quoted = [strings[int(key)] for key in re.findall(r'"(\d{1,4})"', words) if int(key) < len(strings)]
    # "It" alone is the thing spoken of last; with any other word the words decide.
    if noun is None and colour is None and not quoted and not near:
        return [Target(sheet.last)] if _PRONOUN.search(words) and sheet.last is not None else []
    wanted_kind = kind_of(noun[0]) if noun else "any"
    ranked = [
        (cost, target)
        for target in _candidates(wanted_kind, sheet)
        if (cost := _cost(target, wanted_kind, colour, quoted, sheet)) < 1e9
    ]
    if not ranked:
        return []
    if near:
        ranked = [(cost + _distance(target, near[0], sheet), target) for cost, target in ranked]
    return _chosen(ranked, words, bool(noun and is_plural(noun[0])), bool(near), sheet)


def _candidates(wanted_kind: str, sheet: Sheet) -> list[Target]:
    candidates = []
    for index, item in enumerate(sheet.items):
        if isinstance(item, Pie) and wanted_kind in {"wedge", "any"}:
            candidates += [Target(index, part) for part in range(len(item.slices))]
        if not (isinstance(item, Pie) and wanted_kind == "wedge"):
            candidates.append(Target(index))
    return candidates


def _cost(target: Target, wanted_kind: str, colour: str | None, quoted: list[str], sheet: Sheet) -> float:
    item = sheet.items[target.index]
    cost = 0.0 if target.part is not None and wanted_kind == "wedge" else 30 * mismatch(wanted_kind, item.kind)
    # Without a noun, a whole thing is meant rather than a wedge.
    if target.part is not None and wanted_kind == "any":
        cost += 1.0
    if quoted and not (isinstance(item, Label) and item.text in quoted):
        close = isinstance(item, Label) and item.text.lower() in [text.lower() for text in quoted]
        cost += 2.0 if close else float("inf")
    if colour is not None and math.isfinite(cost):
        apart = min((difference(colour, shown) for shown in colours_of(target, sheet)), default=99.0)
        cost += apart if apart <= TOO_DIFFERENT else float("inf")
    return cost


def colours_of(target: Target, sheet: Sheet) -> list[str]:
    """Return the colours a thing may be named by."""
    item = sheet.items[target.index]
    if isinstance(item, Pie):
        return [item.slices[target.part].colour] if target.part is not None else []
    if isinstance(item, Blob):
        return [shown for shown in ((item.fill,) if item.fill else (item.outline,)) if shown]
    if isinstance(item, Stroke) and item.marker_colour:
        return [item.colour, item.marker_colour]
    return [item.colour]


def box_of(target: Target, sheet: Sheet) -> BoxF:
    """Return the box of an item, or the middle of a wedge as a box without size."""
    item = sheet.items[target.index]
    if isinstance(item, Pie) and target.part is not None:
        x, y = item.slice_centre(target.part)
        return x, y, x, y
    return item.box


def _distance(target: Target, near: Point, sheet: Sheet) -> float:
    """Return the distance of an item from a point, in pixels / 4; items around the point are near."""
    left, top, right, bottom = box_of(target, sheet)
    item = sheet.items[target.index]
    outside = exact.hypot(max(left - near[0], 0, near[0] - right), max(top - near[1], 0, near[1] - bottom))
    if isinstance(item, Stroke):
        # The box of a slanting line is mostly empty, so the points of the line count too.
        outside = min(outside + 4, *(exact.dist(near, point) for point in item.points))
    return outside / 4 + exact.dist(near, ((left + right) / 2, (top + bottom) / 2)) / 16


def _chosen(ranked: list[tuple[float, Target]], words: str, plural: bool, near: bool, sheet: Sheet) -> list[Target]:
    best = min(cost for cost, _ in ranked)
    alike = [target for cost, target in ranked if cost <= best + (12 if not near else 0.001)]
    if _ALL.search(words) or (plural and not near):
        return alike
    extreme, order, side = _EXTREME.search(words), _ORDER.search(words), _side(words)
    if extreme:
        return [_by_extreme(extreme[1], alike, sheet)]
    if side and not near:
        return [min(alike, key=lambda target: _sidedness(side, box_of(target, sheet)))]
    if order:
        place = (
            _ORDINALS.index(order[1]) if order[1] in _ORDINALS else -1 if order[1] == "last" else int(order[1][:-2]) - 1
        )
        in_order = sorted(alike, key=lambda target: (target.part or 0, box_of(target, sheet)[0], target.index))
        return [in_order[place]] if -1 <= place < len(alike) else []
    # Of equally likely items, the one that was drawn last.
    return [min(ranked, key=lambda pair: (pair[0], -pair[1].index))[1]]


def _side(words: str) -> str:
    names = {"left": "left", "right": "right", "top": "top", "upper": "top", "bottom": "bottom", "lower": "bottom"}
    return " ".join(
        dict.fromkeys(names[word] for word in re.findall(r"\b(left|right|top|upper|bottom|lower)\b", words))
    )


def _sidedness(side: str, box: BoxF) -> float:
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    each = {"left": x, "right": -x, "top": y, "bottom": -y}
    return math.fsum(each[part] for part in side.split())


def _by_extreme(word: str, targets: list[Target], sheet: Sheet) -> Target:
    def measure(target: Target) -> float:
        left, top, right, bottom = box_of(target, sheet)
        if word in {"leftmost", "rightmost"}:
            return (left + right) / 2 * (1 if word == "rightmost" else -1)
        if word in {"topmost", "uppermost", "highest", "bottommost", "lowest"}:
            return (top + bottom) / 2 * (1 if word in {"bottommost", "lowest"} else -1)
        if word in {"tallest", "shortest"}:
            return (bottom - top) * (1 if word == "tallest" else -1)
        if word in {"widest", "narrowest"}:
            return (right - left) * (1 if word == "widest" else -1)
        size = exact.hypot(right - left, bottom - top)
        return -size if word in {"smallest", "smaller"} else size

    return max(targets, key=measure)
