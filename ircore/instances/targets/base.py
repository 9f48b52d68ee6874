"""Shared by all builders of targets: the size of a picture, drawing that records its scene, and plane geometry.

Geometry is in pixels: y grows downwards, angles are degrees clockwise from 3 o'clock, as in ``drawing``. A category of
targets keeps the contract of this module, which ``check_category`` tests.
"""

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from ircore.core import exact
from ircore.core.conformance import ConformanceError, expect, watch_outside_calls
from ircore.core.drawing import Anchor, Drawing, Point
from ircore.core.images import Picture
from ircore.core.plugins import load_plugin
from ircore.core.records import Box, Difficulty, Element, Scene
from ircore.instances.scene_percepts import NEEDED, find_missing_parameters

SIZE = 512
"""Width and height of every procedural target, in pixels."""

MARGIN = 6
"""Pixels along each edge that no element may touch, so that nothing looks cut off."""


@dataclass(frozen=True)
class Drawn:
    """A finished target.

    >>> from ircore.instances.targets.categories import draw_target
    >>> drawn = draw_target("geometry", "easy", seed=7)
    >>> drawn.drawing.width, len(drawn.scene.elements) > 0
    (512, True)

    Attributes:
        drawing: The picture.
        scene: Everything in it, back to front.
        kind: Kind of the drawn figure; empty if the builder does not tell. The first pictures of a set
            are of different kinds.
    """

    drawing: Drawing
    scene: Scene
    kind: str = ""


Builder = Callable[[Difficulty, random.Random], Drawn]
"""Draws one target of a category; the same difficulty and state of the generator give the same target to the pixel."""


class SceneDrawing:
    """A picture that records its scene during drawing.

    Draw with ``drawing`` and hand the returned box to ``add``; ``line`` and ``text`` do both at once.

    >>> scene = SceneDrawing()
    >>> label = scene.text("label", (256, 256), "A", 20, "#000000")
    >>> [element.text for element in scene.finish().scene.elements]
    ['A']

    Args:
        background: ``#rrggbb``, lower case.
        width: In pixels.
        height: In pixels.
        kinds: The category's own types of elements, and what the presence of one weighs in the judge ``verified``; the
            presence of a bar weighs 1, which is also the weight of own types that are not named here.

    Attributes:
        drawing: The picture as drawn so far.
    """

    def __init__(
        self,
        background: str = "#ffffff",
        width: int = SIZE,
        height: int = SIZE,
        kinds: Mapping[str, float] | None = None,
    ) -> None:
        self._kinds = dict(kinds or {})
        self.drawing = Drawing(width, height, background)
        self._background: str | None = background
        self._elements: list[Element] = []
        self._bleeding: list[int] = []

    @property
    def elements(self) -> tuple[Element, ...]:
        """The elements added so far, back to front."""
        return tuple(self._elements)

    def add(
        self, type: str, box: Box, colour: str | None = None, text: str | None = None, *, bleeds: bool = False,  # noqa: A002 - the field's name
        **parameters: Any,
    ) -> Element:  # fmt: skip
        """Append the element that was drawn last to the scene.

        Args:
            type: Of the element, such as ``bar``.
            box: As the drawing call returned it.
            colour: Its main colour as drawn, ``#rrggbb``.
            text: The characters, if it is a text.
            bleeds: Whether it is meant to reach the picture's edge, as part of a background does.
            parameters: What defines it, as JSON values; in pixels unless the key says otherwise.
        """
        element = Element(type=type, text=text, colour=colour, box=box, parameters=parameters)
        if bleeds:
            self._bleeding.append(len(self._elements))
        self._elements.append(element)
        return element

    def line(
        self, type: str, points: Sequence[Point], colour: str, width: float = 2.0, dash: Sequence[float] = (),  # noqa: A002
        *, closed: bool = False, **parameters: Any,
    ) -> Element:  # fmt: skip
        """Draw a line as ``Drawing.line`` does and add it to the scene with its ``points``, ``width`` and ``dash``."""
        box = self.drawing.line(points, colour, width, dash, closed)
        return self.add(type, box, colour, points=round_points(points), width=width, dash=list(dash), **parameters)

    def text(
        self, type: str, at: Point, text: str, size: float, colour: str, anchor: Anchor = "mm", rotation: float = 0.0,  # noqa: A002
        **parameters: Any,
    ) -> Element:  # fmt: skip
        """Write a text as ``Drawing.text`` does and add it to the scene with its ``size`` of font."""
        box = self.drawing.text(at, text, size, colour, anchor, rotation)
        if rotation:
            parameters["rotation"] = rotation
        return self.add(type, box, colour, text, size=size, **parameters)

    def finish(self) -> Drawn:
        """Return the finished target.

        Raises:
            AssertionError: An element is not wholly inside the picture's margin: a mistake in the builder.
        """
        width, height = self.drawing.width, self.drawing.height
        for index, element in enumerate(self._elements):
            box = element.box
            inside = min(box.left, box.top, width - box.right, height - box.bottom) >= MARGIN
            if not inside and index not in self._bleeding:
                raise AssertionError(f"{element.type} {element.text or ''} at {tuple(box)} leaves the margin")
        scene = Scene(
            width=width,
            height=height,
            background=self._background,
            elements=tuple(self._elements),
            kinds=self._kinds,
        )
        return Drawn(self.drawing, scene)


def round_points(points: Sequence[Point]) -> list[list[float]]:
    """Return points as a scene holds them: ``[x, y]`` to the hundredth of a pixel."""
    return [[round(x, 2), round(y, 2)] for x, y in points]


SEEDS = range(3)
"""Seeds of the generators that a category is tried with."""


def check_category(build: Builder, name: str = "") -> None:
    """Check a category: draws easy and hard targets from the generator alone, with a scene that fits the picture.

    The judge ``verified`` looks at each target, so that whatever scores, pages and releases read of a scene is read.

    Args:
        build: The function that the entry point names.
        name: Name of the category, for messages; the name of the function's module if empty.

    Raises:
        ConformanceError: The first fault.
    """
    for difficulty in get_args(Difficulty):
        where = f"category {name or build.__module__}, {difficulty}"
        targets = [_check_target(build, difficulty, seed, where) for seed in SEEDS]
        with watch_outside_calls() as calls:
            again = build(difficulty, random.Random(SEEDS[0]))
        expect(not calls, f"{where}: {calls[0] if calls else ''}: draw from the given generator alone")
        same = _hash_drawing(again) == _hash_drawing(targets[0]) and again.scene == targets[0].scene
        expect(same, f"{where}: the same generator gives another target the second time")
        hashes = [_hash_drawing(drawn) for drawn in targets]
        expect(len(set(hashes)) > 1, f"{where}: {len(SEEDS)} different seeds give the same picture")


def _check_target(build: Builder, difficulty: Difficulty, seed: int, where: str) -> Drawn:
    drawn = build(difficulty, random.Random(seed))
    if not isinstance(drawn, Drawn):
        raise ConformanceError(f"{where}: returns a {type(drawn).__name__}, not a Drawn: end with SceneDrawing.finish")
    width, height = drawn.drawing.width, drawn.drawing.height
    expect((drawn.scene.width, drawn.scene.height) == (width, height), f"{where}: scene and picture differ in size")
    expect(bool(drawn.scene.elements), f"{where}: the scene of seed {seed} is empty")
    for element in drawn.scene.elements:
        left, top, right, bottom = element.box
        inside = 0 <= left <= right <= width and 0 <= top <= bottom <= height
        expect(inside, f"{where}: {element.type} at {tuple(element.box)} leaves the picture")
        missing = find_missing_parameters(element)
        expect(
            not missing,
            f"{where}: {element.type} at {tuple(element.box)} states no {', '.join(missing)} in the form that"
            f" elements of this type have: state it, or give the type a name of your own",
        )
        expect(
            element.text is None or element.type not in NEEDED,
            f"{where}: {element.type} has the text {element.text!r}: give texts a type of their own, such as label",
        )
    common = sorted(set(drawn.scene.kinds) & set(NEEDED))
    expect(
        not common,
        f"{where}: kinds gives a weight to {', '.join(common)}, whose weight is fixed since this project draws it too:"
        f" leave it out of kinds, or give the type a name of your own",
    )
    picture = Picture.from_pixels(drawn.drawing.pixels)
    seen = load_plugin("judges", "verified")().with_scene(drawn.scene).rate(picture, picture)
    expect(
        seen.value == 10,
        f"{where}: the judge verified rates the target of seed {seed} itself with {seen.value}"
        f" ({seen.reason or 'not all is seen'}): draw what the scene says, in its colour and large enough to be told",
    )
    return drawn


def _hash_drawing(drawn: Drawn) -> str:
    return Picture.from_pixels(drawn.drawing.pixels).sha256


Circle = tuple[Point, float]
"""Centre and radius."""


def point_along(start: Point, end: Point, part: float) -> Point:
    """Return the point ``part`` of the way from ``start`` to ``end``; beyond them for parts outside 0 to 1."""
    return start[0] + (end[0] - start[0]) * part, start[1] + (end[1] - start[1]) * part


def compute_centroid(*points: Point) -> Point:
    """Return the centroid of some points."""
    return math.fsum(x for x, _ in points) / len(points), math.fsum(y for _, y in points) / len(points)


def point_at_angle(centre: Point, radius: float, degrees: float) -> Point:
    """Return the point at a distance and direction from ``centre``."""
    turn = math.radians(degrees)
    return centre[0] + radius * exact.cos(turn), centre[1] + radius * exact.sin(turn)


def measure_direction(start: Point, end: Point) -> float:
    """Return the direction from a point to another, in degrees, 0 to 360."""
    return math.degrees(exact.atan2(end[1] - start[1], end[0] - start[0])) % 360


def point_ahead(start: Point, end: Point, distance: float) -> Point:
    """Return the point ``distance`` from ``start`` towards ``end``."""
    return point_along(start, end, distance / exact.dist(start, end))


def find_foot(point: Point, start: Point, end: Point) -> Point:
    """Return the foot of the perpendicular from ``point`` to the line through ``start`` and ``end``."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    part = ((point[0] - start[0]) * dx + (point[1] - start[1]) * dy) / (dx * dx + dy * dy)
    return point_along(start, end, part)


def intersect_lines(a: Point, b: Point, c: Point, d: Point) -> Point:
    """Return where the lines ``ab`` and ``cd`` meet; they must not be parallel."""
    abx, aby, cdx, cdy = b[0] - a[0], b[1] - a[1], d[0] - c[0], d[1] - c[1]
    part = ((c[0] - a[0]) * cdy - (c[1] - a[1]) * cdx) / (abx * cdy - aby * cdx)
    return point_along(a, b, part)


def point_beside(at: Point, start: Point, end: Point, length: float) -> Point:
    """Return the point ``length`` from ``at``, at right angles to the left of the way ``start`` to ``end``."""
    distance = exact.dist(start, end)
    return at[0] + (end[1] - start[1]) / distance * length, at[1] - (end[0] - start[0]) / distance * length


def build_circumcircle(a: Point, b: Point, c: Point) -> Circle:
    """Return the circle through three points, which must not be collinear."""
    along_ab, along_ac = compute_centroid(a, b), compute_centroid(a, c)
    centre = intersect_lines(along_ab, point_beside(along_ab, a, b, 1), along_ac, point_beside(along_ac, a, c, 1))
    return centre, exact.dist(centre, a)


def build_incircle(a: Point, b: Point, c: Point) -> Circle:
    """Return the circle that touches the three sides of a triangle from inside."""
    sides = exact.dist(b, c), exact.dist(c, a), exact.dist(a, b)
    total = math.fsum(sides)
    centre = (
        (sides[0] * a[0] + sides[1] * b[0] + sides[2] * c[0]) / total,
        (sides[0] * a[1] + sides[1] * b[1] + sides[2] * c[1]) / total,
    )
    return centre, exact.dist(centre, find_foot(centre, a, b))


def find_orthocentre(a: Point, b: Point, c: Point) -> Point:
    """Return where the altitudes of a triangle, or their extensions, meet."""
    return intersect_lines(a, find_foot(a, b, c), b, find_foot(b, a, c))


def find_tangent_points(point: Point, circle: Circle) -> tuple[Point, Point]:
    """Return where the two tangents from an outer point touch a circle."""
    centre, radius = circle
    half = math.degrees(exact.acos(radius / exact.dist(point, centre)))
    towards = measure_direction(centre, point)
    return point_at_angle(centre, radius, towards - half), point_at_angle(centre, radius, towards + half)


def intersect_circles(first: Circle, second: Circle) -> tuple[Point, Point]:
    """Return where two circles that cross each other do so."""
    (centre, radius), distance = first, exact.dist(first[0], second[0])
    cosine = (distance * distance + radius * radius - second[1] * second[1]) / (2 * distance * radius)
    half, towards = math.degrees(exact.acos(cosine)), measure_direction(centre, second[0])
    return point_at_angle(centre, radius, towards - half), point_at_angle(centre, radius, towards + half)


def build_triangle(at_a: float, at_b: float) -> list[Point]:
    """Return a triangle with base AB of length 1 from (0, 0) and these angles in degrees; C lies above (negative y)."""
    height = 1 / (1 / exact.tan(math.radians(at_a)) + 1 / exact.tan(math.radians(at_b)))
    return [(0.0, 0.0), (1.0, 0.0), (height / exact.tan(math.radians(at_a)), -height)]


def build_regular_polygon(count: int, start: float = -90.0) -> list[Point]:
    """Return the corners of a regular polygon of circumradius 1 about (0, 0), the first in direction ``start``."""
    return [point_at_angle((0.0, 0.0), 1.0, start + 360 * k / count) for k in range(count)]


def rotate_points(points: Sequence[Point], degrees: float) -> list[Point]:
    """Return points turned clockwise about (0, 0)."""
    return [
        point_at_angle((0.0, 0.0), exact.hypot(*point), measure_direction((0.0, 0.0), point) + degrees)
        for point in points
    ]


def mirror_points(points: Sequence[Point]) -> list[Point]:
    """Return points reflected left to right."""
    return [(-x, y) for x, y in points]


def fit_points(points: Sequence[Point], within: float, centre: Point, reach: Sequence[Point] = ()) -> list[Point]:
    """Scale and move points so that they fill a square.

    Args:
        points: The points to move.
        within: Side of the square, in pixels.
        centre: Centre of the square.
        reach: More points that must lie in the square but are not returned, such as the ends of a circle.
    """
    xs, ys = zip(*points, *reach, strict=True)
    scale = within / max(max(xs) - min(xs), max(ys) - min(ys))
    x0, y0 = (max(xs) + min(xs)) / 2, (max(ys) + min(ys)) / 2
    return [(centre[0] + (x - x0) * scale, centre[1] + (y - y0) * scale) for x, y in points]


def find_extreme_points(circle: Circle) -> list[Point]:
    """Return the leftmost, rightmost, highest and lowest point of a circle, for ``fitted``."""
    (x, y), radius = circle
    return [(x - radius, y), (x + radius, y), (x, y - radius), (x, y + radius)]
