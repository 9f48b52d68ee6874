"""A sheet of geometry: lines, circles, marks and points at once, labels last, where there is room for them."""

import itertools
import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ircore.core import exact
from ircore.core.drawing import Point, arc_points, text_size
from ircore.instances.targets.base import (
    SIZE,
    Drawn,
    SceneDrawing,
    compute_centroid,
    measure_direction,
    point_ahead,
    point_along,
    point_at_angle,
    point_beside,
)

CLEAR = 3
"""Free pixels around a label."""

LABEL_EDGE = 9
"""Free pixels between a label and the picture's edge."""


class CrowdedError(Exception):
    """A label found no free place.

    >>> str(CrowdedError("A"))
    'A'
    """


@dataclass(frozen=True)
class Style:
    """How a sheet looks.

    >>> choose_style(random.Random(1), dense=True).font in (17, 18, 19)
    True

    Attributes:
        paper: Background.
        squared: Colour of the lines of squared paper; None for plain paper.
        ink: Colour of most lines and of the labels.
        accents: Colours that set constructions off.
        tints: Light colours for areas.
        width: Width of main lines, in pixels.
        font: Size of labels, in pixels.
        dot: Radius of the dot at a named point, in pixels; 0 for none.
    """

    paper: str
    squared: str | None
    ink: str
    accents: tuple[str, ...]
    tints: tuple[str, ...]
    width: float
    font: int
    dot: float


PAPERS = ("#ffffff", "#ffffff", "#fffdf5", "#f7faff", "#f6f6f2", "#fdf6e9")
INKS = ("#111827", "#1f2937", "#1e3a5f", "#3b2a20")
ACCENTS = ("#c62828", "#1d4ed8", "#2e7d32", "#d9660a", "#7b2cbf", "#0f8b8d")
TINTS = ("#dbeafe", "#fde9b8", "#d9f2dd", "#fde0e0", "#ece3fb", "#d6f1f1")


def choose_style(rng: random.Random, dense: bool) -> Style:
    """Choose a style; a dense figure gets thinner lines and smaller labels."""
    return Style(
        paper=rng.choice(PAPERS),
        squared="#dfe7ee" if rng.random() < 0.2 else None,
        ink=rng.choice(INKS),
        accents=tuple(rng.sample(ACCENTS, 4)),
        tints=tuple(rng.sample(TINTS, 4)),
        width=rng.choice((1.5, 2.0)) if dense else rng.choice((2.0, 2.5, 3.0)),
        font=rng.randint(17, 19) if dense else rng.randint(20, 25),
        dot=rng.choice((3.0, 3.5)) if dense else rng.choice((0.0, 3.5, 4.5)),
    )


@dataclass(frozen=True)
class _Label:
    at: Point
    text: str
    size: float
    colour: str
    towards: float
    nearest: float
    farthest: float
    centred: bool
    spread: int


class Sheet:
    """A figure in the making.

    >>> sheet = Sheet(choose_style(random.Random(1), dense=False), random.Random(1))
    >>> sheet.segment((100, 100), (400, 100))
    >>> sheet.point((100, 100), "A")
    >>> "A" in [element.text for element in sheet.finish().scene.elements]
    True

    Args:
        style: How it looks.
        rng: The only source of chance.

    Attributes:
        ink: The colour of most lines.
    """

    def __init__(self, style: Style, rng: random.Random) -> None:
        self.style, self.rng, self.ink = style, rng, style.ink
        self.scene = SceneDrawing(style.paper)
        self._used = np.zeros((SIZE, SIZE), dtype=bool)
        self._labels: list[_Label] = []
        self._points: list[tuple[Point, str]] = []
        if style.squared is not None:
            self._draw_squares(style.squared)

    def area(self, points: Sequence[Point], colour: str) -> None:
        """Fill a polygon, which labels may cover."""
        box = self.scene.drawing.polygon(points, colour)
        self.scene.add("area", box, colour, corners=_round_points(points))

    def disc(self, centre: Point, radius: float, colour: str) -> None:
        """Fill a circle, which labels may cover."""
        box = self.scene.drawing.ellipse(centre, (radius, radius), colour)
        self.scene.add("disc", box, colour, centre=_round_point(centre), radius=round(radius, 1))

    def segment(
        self, start: Point, end: Point, colour: str | None = None, *, thin: bool = False, dashed: bool = False
    ) -> None:
        """Draw a straight line."""
        width = max(1.2, self.style.width - 0.8) if thin else self.style.width
        dash = (7.0, 5.0) if dashed else ()
        self.scene.line(
            "segment",
            [start, end],
            colour or self.ink,
            width,
            dash,
            start=_round_point(start),
            end=_round_point(end),
            dashed=dashed,
        )
        self._use([start, end], width)

    def polygon(self, points: Sequence[Point], colour: str | None = None, fill: str | None = None) -> None:
        """Draw a closed polygon, filled or not."""
        if fill is not None:
            self.area(points, fill)
        width = self.style.width
        self.scene.line("polygon", points, colour or self.ink, width, closed=True, corners=_round_points(points))
        self._use([*points, points[0]], width)

    def circle(self, centre: Point, radius: float, colour: str | None = None, *, thin: bool = False) -> None:
        """Draw a circle."""
        width = max(1.2, self.style.width - 0.8) if thin else self.style.width
        path = arc_points(centre, (radius, radius), 0, 360)
        self.scene.line(
            "circle",
            path,
            colour or self.ink,
            width,
            centre=_round_point(centre),
            radius=round(radius, 1),
            dashed=False,
        )
        self._use(path, width)

    def angle(
        self, vertex: Point, on_first: Point, on_second: Point, text: str = "", colour: str | None = None, *,
        radius: float = 30, arcs: int = 1, tint: str | None = None,
    ) -> None:  # fmt: skip
        """Mark the angle below 180° between two directions with ``arcs`` arcs, a tint and a text inside."""
        start, end = measure_direction(vertex, on_first), measure_direction(vertex, on_second)
        if (end - start) % 360 > 180:
            start, end = end, start
        sweep = (end - start) % 360
        if tint is not None:
            box = self.scene.drawing.wedge(vertex, radius, start, start + sweep, tint)
            self.scene.add("sector", box, tint, centre=_round_point(vertex), radius=radius, degrees=round(sweep, 1))
        for ring in range(arcs):
            reach = radius - 5 * ring
            path = arc_points(vertex, (reach, reach), start, start + sweep)
            self.scene.line(
                "angle",
                path,
                colour or self.ink,
                1.5,
                vertex=_round_point(vertex),
                radius=reach,
                degrees=round(sweep, 1),
            )
            self._use(path, 1.5)
        if text:
            # A text of some width lies wholly between the arms only at some distance from the vertex.
            wide = text_size(text, self.style.font - 3)[0] / 2 + CLEAR
            reach = max(radius + 6, wide / max(0.2, exact.sin(math.radians(sweep / 2))))
            middle_way = start + sweep / 2
            self.label(
                point_at_angle(vertex, reach + 6, middle_way),
                text,
                middle_way,
                colour,
                size=-3,
                centred=True,
                spread=30,
            )

    def right_angle(
        self, vertex: Point, on_first: Point, on_second: Point, colour: str | None = None, size: float = 14
    ) -> None:
        """Mark a right angle with a small square."""
        first, second = point_ahead(vertex, on_first, size), point_ahead(vertex, on_second, size)
        corner = (first[0] + second[0] - vertex[0], first[1] + second[1] - vertex[1])
        self.scene.line("right_angle", [first, corner, second], colour or self.ink, 1.5, vertex=_round_point(vertex))
        self._use([first, corner, second], 1.5)

    def ticks(self, start: Point, end: Point, count: int = 1, colour: str | None = None) -> None:
        """Mark a segment with ``count`` short strokes across the middle, as for sides of equal length."""
        centre = compute_centroid(start, end)
        for number in range(count):
            at = point_ahead(centre, end, 6.0 * (number - (count - 1) / 2)) if count > 1 else centre
            stroke = [point_beside(at, start, end, 7), point_beside(at, start, end, -7)]
            self.scene.line(
                "tick", stroke, colour or self.ink, 1.8, start=_round_point(stroke[0]), end=_round_point(stroke[1])
            )
            self._use(stroke, 2)

    def arrowhead(self, start: Point, end: Point) -> None:
        """Mark a line with an open arrowhead, as for parallel lines."""
        tip, back = point_ahead(point_along(start, end, 0.86), end, 0.1), measure_direction(end, start)
        path = [point_at_angle(tip, 11, back - 28), tip, point_at_angle(tip, 11, back + 28)]
        self.scene.line("arrowhead", path, self.ink, 1.8, tip=_round_point(tip))
        self._use(path, 2)

    def point(self, at: Point, name: str, away_from: Point | None = None) -> None:
        """Name a point; the label lies on the side away from ``away_from``. The dot is drawn over all lines."""
        towards = measure_direction(away_from, at) if away_from is not None and exact.dist(away_from, at) > 1 else -45.0
        if self.style.dot:
            self._points.append((at, name))
            self._use([at, at], 2 * self.style.dot)
        self.label(at, name, towards, nearest=self.style.dot + 3, farthest=30)

    def beside(self, start: Point, end: Point, text: str, away_from: Point, colour: str | None = None) -> None:
        """Write a text beside the middle of a segment, on the side away from a point."""
        centre = compute_centroid(start, end)
        outer = point_beside(centre, start, end, 10)
        if exact.dist(outer, away_from) < exact.dist(centre, away_from):
            outer = point_beside(centre, start, end, -10)
        self.label(centre, text, measure_direction(centre, outer), colour, size=-2, nearest=5, farthest=26)

    def label(
        self, at: Point, text: str, towards: float, colour: str | None = None, *, size: int = 0, nearest: float = 4,
        farthest: float = 30, centred: bool = False, spread: int = 180,
    ) -> None:  # fmt: skip
        """Write a text near a point once all lines are drawn.

        Args:
            at: The point.
            text: The characters.
            towards: The direction in which it would best lie, in degrees.
            colour: Of the text.
            size: Pixels to add to the style's font size.
            nearest: Least pixels between the point and the text's box.
            farthest: Most pixels.
            centred: Whether the best place is on the point itself.
            spread: Most degrees by which the label may lie off its best direction.
        """
        self._labels.append(
            _Label(at, text, self.style.font + size, colour or self.ink, towards, nearest, farthest, centred, spread)
        )

    def finish(self) -> Drawn:
        """Draw dots and labels and return the target.

        Raises:
            CrowdedError: A label found no free place.
        """
        for at, name in self._points:
            radius = self.style.dot
            box = self.scene.drawing.ellipse(at, (radius, radius), self.ink)
            self.scene.add("point", box, self.ink, name=name, centre=_round_point(at), radius=radius)
        for label in self._labels:
            place = self._place(label)
            element = self.scene.text("label", place, label.text, label.size, label.colour)
            box = element.box
            self._used[box.top - 2 : box.bottom + 2, box.left - 2 : box.right + 2] = True
        return self.scene.finish()

    def _place(self, label: _Label) -> Point:
        """Return the free place for a label's middle that is nearest to the label's best place."""
        wide, high = text_size(label.text, label.size)
        if label.centred and self._is_free(*label.at, wide, high):
            return label.at
        best, least = None, math.inf
        for distance, turn in itertools.product(
            np.arange(label.nearest, label.farthest + 1, 3.0), range(-label.spread, label.spread + 1, 15)
        ):
            angle = math.radians(label.towards + turn)
            x, y = exact.cos(angle), exact.sin(angle)
            # The box touches a circle of radius `distance` about the point.
            reach = min(
                (wide / 2 + distance) / abs(x) if x else math.inf, (high / 2 + distance) / abs(y) if y else math.inf
            )
            # In a slanting direction a corner of the box comes nearest.
            reach = min(reach, distance + exact.hypot(wide, high) / 2)
            middle_x, middle_y = label.at[0] + reach * x, label.at[1] + reach * y
            # A pixel farther away counts as much as eight degrees aside.
            cost = 2 * float(distance) + abs(turn) / 4
            if cost < least and self._is_free(middle_x, middle_y, wide, high):
                best, least = (middle_x, middle_y), cost
        if best is None:
            raise CrowdedError(label.text)
        return best

    def _is_free(self, x: float, y: float, wide: float, high: float) -> bool:
        left, top = math.floor(x - wide / 2 - CLEAR), math.floor(y - high / 2 - CLEAR)
        right, bottom = math.ceil(x + wide / 2 + CLEAR), math.ceil(y + high / 2 + CLEAR)
        if min(left, top, SIZE - right, SIZE - bottom) < LABEL_EDGE - CLEAR:
            return False
        return not self._used[top:bottom, left:right].any()

    def _use(self, path: Sequence[Point], width: float) -> None:
        """Remember the pixels of a line, so that no label is put there."""
        half = max(1, math.ceil(width / 2))
        for start, end in itertools.pairwise(path):
            steps = max(1, math.ceil(exact.dist(start, end)))
            for step in range(steps + 1):
                x, y = point_along(start, end, step / steps)
                column, row = int(x), int(y)
                self._used[max(0, row - half) : row + half + 1, max(0, column - half) : column + half + 1] = True

    def _draw_squares(self, colour: str) -> None:
        """Draw squared paper, which labels may cover."""
        step = 32
        for at in range(step, SIZE, step):
            # A line one pixel wide is centred on a pixel's middle, or it would blur over two.
            for path in ([(at + 0.5, 0.0), (at + 0.5, SIZE)], [(0.0, at + 0.5), (SIZE, at + 0.5)]):
                box = self.scene.drawing.line(path, colour, 1)
                self.scene.add("grid_line", box, colour, bleeds=True, start=list(path[0]), end=list(path[1]))


def _round_point(point: Point) -> list[float]:
    return [round(point[0], 1), round(point[1], 1)]


def _round_points(points: Sequence[Point]) -> list[list[float]]:
    return [_round_point(point) for point in points]
