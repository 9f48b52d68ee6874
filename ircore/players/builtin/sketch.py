"""The generator ``sketch``, weaker on purpose: reads the whole dialogue as one description.

A correction is read as if it described a new thing, positions snap to a coarse grid, sizes to steps, colours to ten;
texts and dash patterns are left out. So a describer's refinement can make its picture worse, which a benchmark of
refinement must be able to show.
"""

import asyncio
from dataclasses import replace

from ircore.core.drawing import Point
from ircore.core.records import PlayerSpec
from ircore.players.base import GeneratorView, PictureAnswer, refuse_settings
from ircore.players.builtin.canvas.generator import answer
from ircore.players.builtin.canvas.reader import read
from ircore.players.builtin.canvas.shapes import Blob, Canvas, Item, Label, Pie, Slice, Stroke
from ircore.seeing.colours import measure_difference

GRID = 32
"""Pixels between the points that positions snap to."""

PALETTE = (
    "#000000", "#ffffff", "#808080", "#e02020", "#f08010", "#f0d020", "#20a040", "#2060d0", "#8030a0", "#905020",
)  # fmt: skip
"""The colours it has: black, white, grey, red, orange, yellow, green, blue, purple, brown."""

SIZES = (4.0, 16.0, 32.0, 64.0, 96.0, 128.0, 192.0, 256.0, 384.0, 512.0, 1024.0, 2048.0)
"""Widths and heights it has, in pixels."""

STROKES = (1.0, 3.0, 6.0)
"""Widths of lines it has, in pixels."""


class SketchGenerator:
    """Draws a rough sketch of the whole dialogue, from scratch each turn.

    >>> view = GeneratorView(1, "A red circle of radius 40 px centred at (100, 100).", (), None, 0, "")
    >>> answer = asyncio.run(SketchGenerator(PlayerSpec(player="sketch")).render(view))
    >>> answer.picture.pixels[96, 96].tolist()  # its own red, #e02020
    [224, 32, 32]
    """

    def __init__(self, spec: PlayerSpec) -> None:
        refuse_settings(spec)

    async def render(self, view: GeneratorView) -> PictureAnswer:
        """Answer with a sketch of everything said so far."""
        return await asyncio.to_thread(_build_answer, view)


def _build_answer(view: GeneratorView) -> PictureAnswer:
    canvas, notes = read(["\n".join((*view.earlier, view.message))], corrections=False)
    return answer(coarsen_canvas(canvas), notes)


def coarsen_canvas(canvas: Canvas) -> Canvas:
    """Return a canvas with positions, sizes and colours made coarse, without texts, dashes and fades."""
    items = tuple(_coarsen_item(item) for item in canvas.items if not isinstance(item, Label))
    return replace(canvas, background=_find_nearest_colour(canvas.background), fade=None, items=items)


def _coarsen_item(item: Item) -> Item:
    if isinstance(item, Blob):
        return replace(
            item, centre=_snap_point(item.centre), width=_find_nearest_size(SIZES, item.width),
            height=_find_nearest_size(SIZES, item.height),
            fill=_coarsen_optional_colour(item.fill), outline=_coarsen_optional_colour(item.outline), dash=(),
            stroke=_find_nearest_size(STROKES, item.stroke), rotation=round(item.rotation / 45) * 45.0,
        )  # fmt: skip
    if isinstance(item, Pie):
        slices = tuple(
            Slice(_find_nearest_colour(part.colour), max(5.0, round(part.share / 5) * 5.0)) for part in item.slices
        )
        radius = _find_nearest_size(SIZES, item.radius * 2) / 2
        return replace(
            item, centre=_snap_point(item.centre), radius=radius, hole=min(item.hole, radius / 2), slices=slices
        )
    if isinstance(item, Stroke):
        points = tuple(_snap_point(point) for point in item.points)
        return replace(
            item,
            points=points,
            colour=_find_nearest_colour(item.colour),
            stroke=_find_nearest_size(STROKES, item.stroke),
            dash=(),
            marker="",
        )
    return item


def _snap_point(point: Point) -> Point:
    return round(point[0] / GRID) * float(GRID), round(point[1] / GRID) * float(GRID)


def _find_nearest_size(steps: tuple[float, ...], size: float) -> float:
    return min(steps, key=lambda step: abs(step - size))


def _coarsen_optional_colour(colour: str | None) -> str | None:
    return None if colour is None else _find_nearest_colour(colour)


def _find_nearest_colour(colour: str) -> str:
    return min(PALETTE, key=lambda other: measure_difference(colour, other))
