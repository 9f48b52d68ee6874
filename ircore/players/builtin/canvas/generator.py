"""The built-in generators ``canvas`` and ``sketch``: read plain English, draw with Pillow.

``sketch`` is weaker on purpose: it reads the whole dialogue as one description. A correction is read as if it described
a new thing, positions snap to a coarse grid, sizes to steps, colours to ten; texts and dash patterns are left out. So a
describer's refinement can make its picture worse, which a benchmark of refinement must be able to show.
"""

import asyncio
from dataclasses import replace

from ircore.core.drawing import Point
from ircore.core.images import Picture
from ircore.core.plain_words import format_count
from ircore.core.records import PlayerSpec
from ircore.players.base import GeneratorView, PictureAnswer, Question, refuse_settings
from ircore.players.builtin.canvas.reader import read
from ircore.players.builtin.canvas.render import draw, keep_affordable_items
from ircore.players.builtin.canvas.shapes import Blob, Canvas, Item, Label, LineItem, PieItem, Slice
from ircore.players.builtin.canvas.sheet import MAX_NOTES
from ircore.seeing.colours import measure_difference


class CanvasGenerator:
    """Draws the whole dialogue, and changes only the things that a correction names.

    The generator sees only text: at every turn it reads all messages again from the first.

    >>> view = GeneratorView(1, "A red circle of radius 40 px centred at (100, 100).", (), None, 0, "")
    >>> answer = asyncio.run(CanvasGenerator(PlayerSpec(player="canvas")).render(view))
    >>> answer.picture.pixels[100, 100].tolist()
    [255, 0, 0]
    """

    def __init__(self, spec: PlayerSpec) -> None:
        refuse_settings(spec)

    async def render(self, view: GeneratorView) -> PictureAnswer:
        """Return the picture of all messages so far, with notes on the words of the last message not understood."""
        return await asyncio.to_thread(lambda: answer(*read((*view.earlier, view.message))))

    async def answer(self, question: Question) -> PictureAnswer:
        """Return the picture of the words of a question; pictures that are shown with it are not looked at."""
        return await asyncio.to_thread(lambda: answer(*read([question.prompt])))


def answer(canvas: Canvas, notes: tuple[str, ...]) -> PictureAnswer:
    """Draw a canvas, up to the items that can be drawn in reasonable time; a note tells if items are left out."""
    # A message from anyone may ask for thousands of large things.
    drawable = keep_affordable_items(canvas)
    if len(drawable.items) < len(canvas.items):
        notes = (
            f"only {len(drawable.items):,} of {format_count(len(canvas.items), 'thing')} drawn: too much to draw",
            *notes,
        )
    return PictureAnswer(Picture.from_pixels(draw(drawable)), notes[:MAX_NOTES])


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
    if isinstance(item, PieItem):
        slices = tuple(
            Slice(_find_nearest_colour(part.colour), max(5.0, round(part.share / 5) * 5.0)) for part in item.slices
        )
        radius = _find_nearest_size(SIZES, item.radius * 2) / 2
        return replace(
            item, centre=_snap_point(item.centre), radius=radius, hole=min(item.hole, radius / 2), slices=slices
        )
    if isinstance(item, LineItem):
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
