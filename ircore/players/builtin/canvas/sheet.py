"""State of the reader, the only object that changes while messages are read, and the items on it that a phrase means.

An item is found by kind, colour, point, quoted text, side, size, order, or "it".
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from ircore.core import exact
from ircore.core.drawing import AxisScale, PlotArea, Point
from ircore.core.untrusted_text import replace_controls
from ircore.players.builtin.canvas.quantities import Space, find_first_colour, find_points
from ircore.players.builtin.canvas.shapes import Blob, BoxF, Canvas, Item, Label, LineItem, PieItem
from ircore.players.builtin.canvas.text import NOUN, find_kind, is_plural, rate_mismatch
from ircore.seeing.colours import measure_difference

Kind = Literal["bar", "line", "pie", "graph"]
MAX_ITEMS = 2_000
MAX_NOTES = 20
MAX_NOTE = 200
"""Characters of a note."""
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
class Area:
    """The area of a plot as far as it was described; sides in pixels.

    >>> Area(60.0, 460.0, 20.0, 420.0, ranges={"x": (0, 10)}).scale("x")(5)
    260.0

    Attributes:
        ranges: Values at both ends of an axis of numbers, by axis.
        places: Pixels of the categories of an axis of words, by axis.
        labelled: Pixels of the labels of an axis, by axis.
    """

    left: float
    right: float
    top: float
    bottom: float
    letters: float = 13.0
    ink: str = "#222222"
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    places: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    labelled: Mapping[str, tuple[float, ...]] = field(default_factory=dict)

    def scale(self, axis: str) -> AxisScale | None:
        """Return the scale of an axis of numbers; None if its range was not told."""
        ends = (self.left, self.right) if axis == "x" else (self.bottom, self.top)
        low, high = self.ranges.get(axis, (0.0, 0.0))
        return AxisScale(low, high, *ends) if low != high else None

    def point(self, x: float, y: float) -> Point | None:
        """Return the pixels of a point in the units of the plot; None if a range is unknown."""
        across, down = self.scale("x"), self.scale("y")
        return None if across is None or down is None else (across(x), down(y))


@dataclass(frozen=True)
class Place(PlotArea):
    """The plot area of a figure, and the colour of its axes and labels.

    >>> from ircore.core.drawing import AxisScale
    >>> Place(AxisScale(0, 10, 50, 450), AxisScale(0, 100, 400, 20), "#222222").x(5)
    250.0
    """

    ink: str


@dataclass(frozen=True)
class DescribedFigure:
    """The figure that was described last, kept for corrections in its own terms."""

    kind: Kind
    words: tuple[str, ...]
    place: Place | None = None
    is_lying: bool = False


@dataclass
class CanvasSheet:
    """A canvas in the making.

    >>> sheet = CanvasSheet()
    >>> sheet.paint("#ff0000")
    >>> sheet.finish().background
    '#ff0000'

    Attributes:
        canvas: Size and background; its own items are not used.
        last: Index of the item that was spoken of last.
        context: Which list is being read ("bars", "wedges" …), for clauses after a semicolon.
        lead: The words that opened that list.
        naive: Whether "the red circle" is taken for a new thing unless another is placed by it.
        told: The items of a figure that was told in its own terms.
        figure: Kind, place and categories of that figure, for corrections in its terms.
        area: The area of a plot that is told sentence by sentence.
        points: Named points in pixels, by their names in lower case.
    """

    canvas: Canvas = field(default_factory=Canvas)
    items: list[Item] = field(default_factory=list)
    last: int | None = None
    context: str = ""
    lead: str = ""
    notes: list[str] = field(default_factory=list)
    naive: bool = False
    told: tuple[Item, ...] = ()
    figure: DescribedFigure | None = None
    area: Area | None = None
    points: dict[str, Point] = field(default_factory=dict)

    @property
    def space(self) -> Space:
        """The picture's size, for percent and places."""
        return Space(*self.size)

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the picture in pixels."""
        return self.canvas.width, self.canvas.height

    def add(self, items: Sequence[Item]) -> bool:
        """Put items in front of all others, as long as there is room; return whether there were any."""
        for item in items:
            if len(self.items) < MAX_ITEMS:
                self.items.append(item)
                self.last = len(self.items) - 1
        return bool(items)

    def put(self, index: int, item: Item) -> None:
        """Replace the item at an index."""
        self.items[index] = item
        self.last = index

    def remove(self, indices: Sequence[int]) -> None:
        """Take items away."""
        # From the back, so that the remaining indices stay valid.
        for index in sorted(set(indices), reverse=True):
            del self.items[index]
        self.last = None

    def paint(self, background: str) -> None:
        """Give the picture a plain background."""
        self.canvas = replace(self.canvas, background=background, fade=None)

    def forget_figure(self) -> None:
        """Remove the items of the figure described before, unless a correction changed them since."""
        # By identity: a corrected item is a new record and stays.
        remaining = [item for item in self.items if not any(item is mentioned for mentioned in self.told)]
        self.items[:], self.told, self.figure, self.last = remaining, (), None, None

    def note(self, text: str) -> None:
        """Keep a note of at most 200 characters, as long as there are few."""
        if len(self.notes) < MAX_NOTES:
            # Notes are shown in terminals, where control characters of a message could do harm.
            plain = replace_controls(text)
            self.notes.append(plain if len(plain) <= MAX_NOTE else plain[: MAX_NOTE - 2] + '…"')

    def finish(self) -> Canvas:
        """Return the canvas to draw."""
        return replace(self.canvas, items=tuple(self.items))


@dataclass(frozen=True)
class EditTarget:
    """An item, or a wedge of a pie."""

    index: int
    part: int | None = None


def resolve(words: str, strings: tuple[str, ...], sheet: CanvasSheet) -> list[EditTarget]:
    """Return the items that ``words`` ("the red circle at (10,20)") mean; empty if there is no match.

    Several are returned only if the words ask for all of them ("all circles", "the bars").
    """
    noun = NOUN.search(words)
    colour, near = find_first_colour(words), find_points(words, sheet.space, 1)
    quoted = [strings[int(key)] for key in re.findall(r'"(\d{1,4})"', words) if int(key) < len(strings)]
    # "It" alone is the thing spoken of last; with any other word the words decide.
    if noun is None and colour is None and not quoted and not near:
        return [EditTarget(sheet.last)] if _PRONOUN.search(words) and sheet.last is not None else []
    wanted_kind = find_kind(noun[0]) if noun else "any"
    ranked = [
        (cost, target)
        for target in _list_candidates(wanted_kind, sheet)
        if (cost := _compute_cost(target, wanted_kind, colour, quoted, sheet)) < 1e9
    ]
    if not ranked:
        return []
    if near:
        ranked = [(cost + _compute_distance(target, near[0], sheet), target) for cost, target in ranked]
    return _choose_targets(ranked, words, bool(noun and is_plural(noun[0])), bool(near), sheet)


def _list_candidates(wanted_kind: str, sheet: CanvasSheet) -> list[EditTarget]:
    candidates = []
    for index, item in enumerate(sheet.items):
        if isinstance(item, PieItem) and wanted_kind in {"wedge", "any"}:
            candidates += [EditTarget(index, part) for part in range(len(item.slices))]
        if not (isinstance(item, PieItem) and wanted_kind == "wedge"):
            candidates.append(EditTarget(index))
    return candidates


def _compute_cost(
    target: EditTarget, wanted_kind: str, colour: str | None, quoted: list[str], sheet: CanvasSheet
) -> float:
    item = sheet.items[target.index]
    cost = 0.0 if target.part is not None and wanted_kind == "wedge" else 30 * rate_mismatch(wanted_kind, item.kind)
    # Without a noun, a whole thing is meant rather than a wedge.
    if target.part is not None and wanted_kind == "any":
        cost += 1.0
    if quoted and not (isinstance(item, Label) and item.text in quoted):
        close = isinstance(item, Label) and item.text.lower() in [text.lower() for text in quoted]
        cost += 2.0 if close else float("inf")
    if colour is not None and math.isfinite(cost):
        apart = min((measure_difference(colour, shown) for shown in list_colours(target, sheet)), default=99.0)
        cost += apart if apart <= TOO_DIFFERENT else float("inf")
    return cost


def list_colours(target: EditTarget, sheet: CanvasSheet) -> list[str]:
    """Return the colours a thing may be named by."""
    item = sheet.items[target.index]
    if isinstance(item, PieItem):
        return [item.slices[target.part].colour] if target.part is not None else []
    if isinstance(item, Blob):
        return [shown for shown in ((item.fill,) if item.fill else (item.outline,)) if shown]
    if isinstance(item, LineItem) and item.marker_colour:
        return [item.colour, item.marker_colour]
    return [item.colour]


def box_of(target: EditTarget, sheet: CanvasSheet) -> BoxF:
    """Return the box of an item, or the middle of a wedge as a box without size."""
    item = sheet.items[target.index]
    if isinstance(item, PieItem) and target.part is not None:
        x, y = item.slice_centre(target.part)
        return x, y, x, y
    return item.box


def _compute_distance(target: EditTarget, near: Point, sheet: CanvasSheet) -> float:
    """Return the distance of an item from a point, in pixels / 4; items around the point are near."""
    left, top, right, bottom = box_of(target, sheet)
    item = sheet.items[target.index]
    outside = exact.hypot(max(left - near[0], 0, near[0] - right), max(top - near[1], 0, near[1] - bottom))
    if isinstance(item, LineItem):
        # The box of a slanting line is mostly empty, so the points of the line count too.
        outside = min(outside + 4, *(exact.dist(near, point) for point in item.points))
    return outside / 4 + exact.dist(near, ((left + right) / 2, (top + bottom) / 2)) / 16


def _choose_targets(
    ranked: list[tuple[float, EditTarget]], words: str, plural: bool, near: bool, sheet: CanvasSheet
) -> list[EditTarget]:
    best = min(cost for cost, _ in ranked)
    alike = [target for cost, target in ranked if cost <= best + (12 if not near else 0.001)]
    if _ALL.search(words) or (plural and not near):
        return alike
    extreme, order, side = _EXTREME.search(words), _ORDER.search(words), _find_side_words(words)
    if extreme:
        return [_find_extreme(extreme[1], alike, sheet)]
    if side and not near:
        return [min(alike, key=lambda target: _measure_sidedness(side, box_of(target, sheet)))]
    if order:
        place = (
            _ORDINALS.index(order[1]) if order[1] in _ORDINALS else -1 if order[1] == "last" else int(order[1][:-2]) - 1
        )
        in_order = sorted(alike, key=lambda target: (target.part or 0, box_of(target, sheet)[0], target.index))
        return [in_order[place]] if -1 <= place < len(alike) else []
    # Of equally likely items, the one that was drawn last.
    return [min(ranked, key=lambda pair: (pair[0], -pair[1].index))[1]]


def _find_side_words(words: str) -> str:
    names = {"left": "left", "right": "right", "top": "top", "upper": "top", "bottom": "bottom", "lower": "bottom"}
    return " ".join(
        dict.fromkeys(names[word] for word in re.findall(r"\b(left|right|top|upper|bottom|lower)\b", words))
    )


def _measure_sidedness(side: str, box: BoxF) -> float:
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    each = {"left": x, "right": -x, "top": y, "bottom": -y}
    return math.fsum(each[part] for part in side.split())


def _find_extreme(word: str, targets: list[EditTarget], sheet: CanvasSheet) -> EditTarget:
    def measure(target: EditTarget) -> float:
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
