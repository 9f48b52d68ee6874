"""Coloured primitives at clear positions on varied backgrounds.

Easy: two to four large shapes, apart, upright, on a plain or two-coloured ground. Hard: six to ten of many sizes,
turned, outlined or hollow, some partly over others, rows of growing sizes, on patterned grounds.
"""

import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ircore.core import exact
from ircore.core.drawing import Point, arc_points
from ircore.core.records import Difficulty
from ircore.instances.targets.base import SIZE, Drawn, SceneDrawing, point_at_angle
from ircore.instances.targets.palettes import (
    GROUND_COLOURS,
    SHAPE_COLOURS,
    measure_contrast,
    mix_colours,
    select_distinct_colours,
)

Pattern = Callable[[SceneDrawing, str, random.Random], list[str]]
"""Paints over a plain ground of the given colour and returns the colours it added."""

EDGE = 14
"""Free pixels along each edge."""

CLEAR = 0.45
"""Contrast with the ground that a thin outline needs to be seen well."""

EASY_KINDS = (
    "circle", "ellipse", "square", "rectangle", "triangle", "diamond", "pentagon", "hexagon", "star", "cross", "ring",
    "half_circle",
)  # fmt: skip
HARD_KINDS = (*EASY_KINDS, "right_triangle", "octagon", "trapezoid", "parallelogram", "arrow", "quarter_circle")

HOLLOW_KINDS = frozenset(EASY_KINDS) - {"ring", "cross"}
"""Kinds that may be drawn as an outline only."""

_SIDES = {"triangle": (3, -90.0), "pentagon": (5, -90.0), "hexagon": (6, 0.0), "octagon": (8, 22.5)}
"""Regular polygons: number of corners and direction of the first, in degrees clockwise from 3 o'clock."""

_ARCS = {
    "circle": (1.0, 1.0, 0, 360),
    "ellipse": (1.0, 0.6, 0, 360),
    "half_circle": (1.0, 1.0, 180, 360),
    "quarter_circle": (1.0, 1.0, 270, 360),
    "ring": (1.0, 1.0, 0, 360),
}
"""Round shapes: half-axes as parts of the radius, then the arc's ends in degrees clockwise from 3 o'clock."""

_POINTS: dict[str, list[Point]] = {
    "square": [(-0.7, -0.7), (0.7, -0.7), (0.7, 0.7), (-0.7, 0.7)],
    "rectangle": [(-0.88, -0.46), (0.88, -0.46), (0.88, 0.46), (-0.88, 0.46)],
    "diamond": [(0, -1), (0.68, 0), (0, 1), (-0.68, 0)],
    "cross": [
        (-0.3, -0.9), (0.3, -0.9), (0.3, -0.3), (0.9, -0.3), (0.9, 0.3), (0.3, 0.3), (0.3, 0.9), (-0.3, 0.9),
        (-0.3, 0.3), (-0.9, 0.3), (-0.9, -0.3), (-0.3, -0.3),
    ],
    "right_triangle": [(-0.7, -0.7), (0.7, 0.7), (-0.7, 0.7)],
    "trapezoid": [(-0.45, -0.5), (0.45, -0.5), (0.85, 0.5), (-0.85, 0.5)],
    "parallelogram": [(-0.5, -0.45), (0.88, -0.45), (0.5, 0.45), (-0.88, 0.45)],
    "arrow": [(-0.95, -0.22), (0.15, -0.22), (0.15, -0.6), (0.95, 0), (0.15, 0.6), (0.15, 0.22), (-0.95, 0.22)],
}  # fmt: skip
"""Other polygons: corners as parts of the radius."""

EDGE_COLOURS = ("#111111", "#ffffff", "#172554", "#7f4f24", "#d62828", "#ffd60a")
"""Colours of outlines: of three random colours unlike the ground, the one most unlike the filling is used."""

EDGE_APART = 0.25
"""Contrast with the ground that the edge of a filled shape needs, or nobody sees where it ends."""

RING_HOLE = 0.58
"""Inner radius of a ring as part of its outer one."""


def paint_ground(difficulty: Difficulty, rng: random.Random) -> tuple[SceneDrawing, list[str]]:
    """Start a picture with a background.

    Args:
        difficulty: Easy ones are plain or in two halves.
        rng: The only source of chance.

    Returns:
        The picture, and the colours on it.
    """
    first = rng.choice(GROUND_COLOURS)
    scene = SceneDrawing(first)
    patterns: list[Pattern] = [_paint_plain, _paint_plain, _paint_halves] if difficulty == "easy" else _PATTERNS
    return scene, [first, *rng.choice(patterns)(scene, first, rng)]


def build(difficulty: Difficulty, rng: random.Random) -> Drawn:
    """Draw a target of coloured shapes.

    Args:
        difficulty: ``easy`` or ``hard``.
        rng: The only source of chance.
    """
    scene, ground = paint_ground(difficulty, rng)
    slots = _place_easy_slots(rng) if difficulty == "easy" else _place_hard_slots(rng)
    kinds = _choose_kinds(len(slots), difficulty, rng)
    colours = _choose_colours(len(slots), ground, difficulty, rng)
    for slot, kind, colour in zip(slots, kinds, colours, strict=True):
        if difficulty == "easy":
            _draw_shape(scene, kind, slot, colour, None, 0.0, 0.0)
        else:
            _draw_hard(scene, kind, slot, colour, rng, ground)
    return scene.finish()


def compute_corners(kind: str, radius: float) -> list[Point]:
    """Return the outline of an upright shape about (0, 0), wholly within ``radius`` of the origin, in pixels."""
    if kind in _SIDES:
        count, start = _SIDES[kind]
        return [point_at_angle((0, 0), radius, start + 360 * k / count) for k in range(count)]
    if kind in _ARCS:
        wide, high, start, end = _ARCS[kind]
        rim = arc_points((0, 0), (radius * wide, radius * high), start, end)
        # A full turn ends where it began; a part of a disc has its corner in the centre.
        return rim[:-1] if end - start == 360 else [*rim, (0.0, 0.0)]
    if kind == "star":
        return [point_at_angle((0, 0), radius * (1 if k % 2 == 0 else 0.42), 36 * k - 90) for k in range(10)]
    return [(round(x * radius), round(y * radius)) for x, y in _POINTS[kind]]


def _paint_plain(scene: SceneDrawing, first: str, rng: random.Random) -> list[str]:  # noqa: ARG001 - a Pattern
    return []


def _paint_halves(scene: SceneDrawing, first: str, rng: random.Random) -> list[str]:
    second, at = _choose_companion(first, rng), rng.choice((208, 256, 304))
    _paint_band(scene, at, SIZE - at, second, down=rng.random() < 0.5)
    return [second]


def _paint_diagonal(scene: SceneDrawing, first: str, rng: random.Random) -> list[str]:
    second = _choose_companion(first, rng)
    corner = rng.choice(((0, 0), (SIZE, 0)))
    _paint_area(scene, [corner, (SIZE - corner[0], SIZE), (corner[0], SIZE)], second)
    return [second]


def _paint_checker(scene: SceneDrawing, first: str, rng: random.Random) -> list[str]:
    second, cell = mix_colours(first, _choose_companion(first, rng), 0.45), rng.choice((64, 128))
    for row in range(SIZE // cell):
        for column in range(row % 2, SIZE // cell, 2):
            left, top = column * cell, row * cell
            _paint_area(scene, [(left, top), (left + cell, top), (left + cell, top + cell), (left, top + cell)], second)
    return [second]


def _paint_bands(scene: SceneDrawing, first: str, rng: random.Random) -> list[str]:
    """Flat steps from one colour to another, down or across: a gradient that can be told in words."""
    last, count, down = _choose_companion(first, rng), rng.choice((4, 8)), rng.random() < 0.5
    colours = [mix_colours(first, last, step / (count - 1)) for step in range(1, count)]
    wide = SIZE // count
    for step, colour in enumerate(colours, start=1):
        _paint_band(scene, step * wide, wide, colour, down)
    return colours


def _paint_stripes(scene: SceneDrawing, first: str, rng: random.Random) -> list[str]:
    second, wide, down = (
        mix_colours(first, _choose_companion(first, rng), 0.45),
        rng.choice((32, 64)),
        rng.random() < 0.5,
    )
    for at in range(wide, SIZE, 2 * wide):
        _paint_band(scene, at, wide, second, down)
    return [second]


def _paint_frame(scene: SceneDrawing, first: str, rng: random.Random) -> list[str]:
    second, inset = _choose_companion(first, rng), rng.choice((32, 48, 64))
    far = SIZE - inset
    _paint_area(scene, [(inset, inset), (far, inset), (far, far), (inset, far)], second)
    return [second]


def _paint_quarters(scene: SceneDrawing, first: str, rng: random.Random) -> list[str]:
    second, third = _choose_companion(first, rng), _choose_companion(first, rng)
    half = SIZE // 2
    _paint_area(scene, [(half, 0), (SIZE, 0), (SIZE, half), (half, half)], second)
    _paint_area(scene, [(0, half), (half, half), (half, SIZE), (0, SIZE)], third)
    return [second, third]


_PATTERNS: list[Pattern] = [
    _paint_plain,
    _paint_halves,
    _paint_diagonal,
    _paint_checker,
    _paint_bands,
    _paint_stripes,
    _paint_frame,
    _paint_quarters,
]


def _choose_companion(first: str, rng: random.Random) -> str:
    """Choose a ground colour that can be told from ``first`` without leaving the light or the dark ones."""
    dark = measure_contrast(first, "#000000") < 0.5
    near = [
        colour for colour in GROUND_COLOURS if colour != first and (measure_contrast(colour, "#000000") < 0.5) == dark
    ]
    return rng.choice([colour for colour in near if measure_contrast(colour, first) > 0.05] or near)


def _paint_band(scene: SceneDrawing, at: int, wide: int, colour: str, down: bool) -> None:
    if down:
        _paint_area(scene, [(0, at), (SIZE, at), (SIZE, at + wide), (0, at + wide)], colour)
    else:
        _paint_area(scene, [(at, 0), (at + wide, 0), (at + wide, SIZE), (at, SIZE)], colour)


def _paint_area(scene: SceneDrawing, points: list[Point], colour: str) -> None:
    box = scene.drawing.polygon(points, colour)
    scene.add("background", box, colour, bleeds=True, corners=[list(point) for point in points])


@dataclass(frozen=True)
class _Slot:
    """Room for a shape: a circle that encloses the shape, in pixels."""

    x: float
    y: float
    radius: float

    def gap(self, other: "_Slot") -> float:
        """Return the distance between the two circles; negative if they overlap."""
        return exact.dist((self.x, self.y), (other.x, other.y)) - self.radius - other.radius


def _choose_kinds(count: int, difficulty: Difficulty, rng: random.Random) -> list[str]:
    """Choose kinds: all different when easy; when hard a kind may come several times."""
    if difficulty == "easy":
        return rng.sample(EASY_KINDS, count)
    chosen = rng.sample(HARD_KINDS, count)
    repeats = rng.choice((0, 2, 3))
    # A repeated kind comes first, where shapes lie apart or in a row.
    return [chosen[0]] * repeats + chosen[: count - repeats]


def _choose_colours(count: int, ground: list[str], difficulty: Difficulty, rng: random.Random) -> list[str]:
    """Choose colours unlike the ground's; a repeated colour comes first, where shapes lie apart."""
    usable = select_distinct_colours(ground, SHAPE_COLOURS)
    repeat = difficulty == "hard" and rng.random() < 0.5
    chosen = rng.sample(usable, min(count - repeat, len(usable)))
    return [chosen[0]] * (count - len(chosen)) + chosen


def _place_easy_slots(rng: random.Random) -> list[_Slot]:
    count = rng.randint(2, 4)
    return _scatter_circles(rng, [rng.randint(12, 24) * 4 for _ in range(count)], gap=26)


def _place_hard_slots(rng: random.Random) -> list[_Slot]:
    count = rng.randint(6, 10)
    return rng.choice((_place_freely, _place_freely, _place_growing_row, _place_in_grid))(rng, count)


def _place_freely(rng: random.Random, count: int) -> list[_Slot]:
    """Shapes of all sizes at random places, with up to three shapes partly over others."""
    over = rng.randint(1, 3) if count > 7 else 1
    least, most = (18, 42) if count > 7 else (26, 46)
    slots = _scatter_circles(rng, [rng.randint(least, most) * 2 for _ in range(count - over)], gap=10)
    for _ in range(over):
        slots.append(_place_overlapping(rng, slots))
    return slots


def _place_growing_row(rng: random.Random, count: int) -> list[_Slot]:
    """A row of growing shapes across the picture, with the other shapes above and below."""
    steps = 5 if count > 8 else 4
    first, growth = rng.randint(18, 26), rng.randint(6, 9)
    radii = [first + growth * step for step in range(steps)]
    gap = (SIZE - 2 * EDGE - 2 * math.fsum(radii)) / (steps + 1)
    row, x, y = [], EDGE + gap, rng.choice((150, 256, 362))
    for radius in radii:
        row.append(_Slot(round(x + radius), y, radius))
        x += 2 * radius + gap
    if rng.random() < 0.5:
        row = [_Slot(SIZE - slot.x, slot.y, slot.radius) for slot in row]
    others = [rng.randint(22, 38) * 2 for _ in range(count - steps)]
    return [*row, *_scatter_circles(rng, others, gap=10, taken=row)[len(row) :]]


def _place_in_grid(rng: random.Random, count: int) -> list[_Slot]:
    """Cells of a grid, some of them empty, each shape of its own size."""
    columns = 3 if count <= 8 else 4
    cell, high = (SIZE - 2 * EDGE) / columns, (SIZE - 2 * EDGE) / 3
    slots = []
    for index in sorted(rng.sample(range(columns * 3), count)):
        radius = rng.randint(20, math.floor(cell / 4) - 3) * 2
        x, y = EDGE + (index % columns + 0.5) * cell, EDGE + (index // columns + 0.5) * high
        slots.append(_Slot(round(x), round(y), radius))
    return slots


def _scatter_circles(rng: random.Random, radii: list[int], gap: float, taken: list[_Slot] | None = None) -> list[_Slot]:
    """Place circles of these radii at random, ``gap`` apart; the largest first, made smaller when there is no room."""
    slots = list(taken or [])
    for radius in sorted(radii, reverse=True):
        room: _Slot | None = None
        while room is None:
            room = _find_room(rng, slots, radius, gap)
            radius = radius if room else max(16, radius - 4)
        slots.append(room)
    return slots


def _find_room(rng: random.Random, slots: list[_Slot], radius: int, gap: float) -> _Slot | None:
    low, high = EDGE + radius, SIZE - EDGE - radius
    for _ in range(60):
        slot = _Slot(rng.randint(low, high), rng.randint(low, high), radius)
        if all(slot.gap(other) >= gap for other in slots):
            return slot
    return None


def _place_overlapping(rng: random.Random, slots: list[_Slot]) -> _Slot:
    """Place a circle partly over another, away from the rest where there is room."""
    best, best_gap = slots[0], -math.inf
    for _ in range(80):
        base = rng.choice(slots)
        radius = rng.randint(17, 30) * 2
        # Less than both radii, so that the circles overlap, but more than either, so that both are seen.
        x, y = point_at_angle((0, 0), 0.78 * (base.radius + radius), rng.uniform(0, 360))
        slot = _Slot(round(base.x + x), round(base.y + y), radius)
        inside = min(slot.x, slot.y, SIZE - slot.x, SIZE - slot.y) >= EDGE + radius
        gap = min((slot.gap(other) for other in slots if other is not base), default=math.inf)
        if inside and gap > best_gap:
            best, best_gap = slot, gap
    return best


def _draw_hard(
    scene: SceneDrawing, kind: str, slot: _Slot, colour: str, rng: random.Random, ground: list[str]
) -> None:  # fmt: skip
    """Draw a shape turned and in a random style; hollow only if its colour differs clearly from the ground's."""
    clear = bool(select_distinct_colours(ground, (colour,), CLEAR))
    rotation = rng.choice((0.0, 0.0, *range(15, 360, 15)))
    style = rng.choice(("plain", "plain", "outlined", "outlined", "hollow"))
    if style == "hollow" and clear and kind in HOLLOW_KINDS:
        _draw_shape(scene, kind, slot, None, colour, float(rng.choice((4, 6, 8))), rotation)
    elif style == "outlined" and kind != "ring":
        usable = select_distinct_colours(ground, EDGE_COLOURS, EDGE_APART)
        edge = max(rng.sample(usable, 3), key=lambda candidate: measure_contrast(candidate, colour))
        _draw_shape(scene, kind, slot, colour, edge, float(rng.choice((3, 4, 5))), rotation)
    else:
        _draw_shape(scene, kind, slot, colour, None, 0.0, rotation)


def _draw_shape(
    scene: SceneDrawing, kind: str, slot: _Slot, fill: str | None, outline: str | None, width: float, rotation: float
) -> None:
    """Draw and record a shape; the outline lies on the inner side of the slot's circle."""
    # A circle looks the same however it is turned.
    rotation = 0.0 if kind in {"circle", "ring"} else rotation
    points = [_turn_point(point, slot, rotation) for point in compute_corners(kind, slot.radius - width / 2)]
    about: dict[str, Any] = {"centre": [slot.x, slot.y]}
    if kind in _ARCS:
        about["radius"] = slot.radius
    else:
        about["corners"] = [[round(x, 1), round(y, 1)] for x, y in points]
    if rotation:
        about["rotation"] = rotation
    if outline is not None:
        about |= {"outline": outline, "outline_width": width, "filled": fill is not None}
    if kind == "ring":
        hole = round(slot.radius * RING_HOLE)
        about["inner_radius"] = hole
        box = scene.drawing.wedge((slot.x, slot.y), slot.radius, 0, 360, fill, hole=hole)
    else:
        box = scene.drawing.polygon(points, fill, outline, width)
    scene.add(kind, box, fill or outline, **about)


def _turn_point(point: Point, slot: _Slot, rotation: float) -> Point:
    turn = math.radians(rotation)
    x, y = point
    return slot.x + x * exact.cos(turn) - y * exact.sin(turn), slot.y + x * exact.sin(turn) + y * exact.cos(turn)
