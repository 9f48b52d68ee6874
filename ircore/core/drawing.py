"""Drawing, antialiased, the same on every machine, and knowing afterwards which pixels were touched.

Each shape is filled as a mask at four times the size, reduced to coverage 0–255, and painted through. Each method
returns the smallest box of pixels it touched, so a scene written while drawing is exact by construction.

Coordinates are pixels with the origin at the top left corner of the top left pixel, so ``(0, 0, 512, 512)`` is a whole
512 px picture and ``x + 0.5`` is the middle of pixel column ``x``. Angles are degrees, clockwise from 3 o'clock.
"""

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from ircore.core import exact, raster
from ircore.core.images import Pixels
from ircore.core.records import Box

SCALE = 4
"""Supersampling factor: coverage has 16 steps plus those of Pillow's own rounding."""

Point = tuple[float, float]
Anchor = str
"""Two letters as in Pillow: ``l m r`` and ``t m b``; ``"mm"`` centres the ink of the text on the point."""


class Drawing:
    """An RGB picture that is drawn shape by shape, back to front.

    >>> drawing = Drawing(40, 20)
    >>> drawing.rectangle(10, 5, 20, 15, fill="#d62728")  # the pixels that were touched
    Box(left=10, top=5, right=20, bottom=15)
    >>> drawing.pixels[6, 11].tolist()
    [214, 39, 40]

    Args:
        width: In pixels.
        height: In pixels.
        background: Any colour that Pillow's ``ImageColor`` reads.
    """

    def __init__(self, width: int, height: int, background: str = "#ffffff") -> None:
        self.width = width
        self.height = height
        self.image = Image.new("RGB", (width, height), background)

    @classmethod
    def over(cls, pixels: Pixels) -> "Drawing":
        """Return a drawing that begins with a picture: height × width × 3, RGB."""
        drawing = cls(pixels.shape[1], pixels.shape[0])
        drawing.image.paste(Image.fromarray(np.asarray(pixels)))
        return drawing

    @property
    def pixels(self) -> Pixels:
        """The picture as drawn so far: height × width × 3, RGB."""
        return np.asarray(self.image).copy()

    def polygon(
        self, points: Sequence[Point], fill: str | None = None, outline: str | None = None, width: float = 2.0
    ) -> Box:
        """Draw a closed polygon; an outline, ``width`` pixels wide, is centred on the edge."""
        boxes = []
        if fill is not None:
            boxes.append(self._paint(_extent(points, 0), fill, lambda at, *size: raster.filled(at(points), *size)))
        if outline is not None:
            # After the filling, which would otherwise cover the inner half of the outline.
            boxes.append(self.line(points, outline, width, closed=True))
        return _union(boxes)

    def rectangle(
        self, left: float, top: float, right: float, bottom: float, fill: str | None = None, outline: str | None = None,
        width: float = 2.0,
    ) -> Box:  # fmt: skip
        """Draw an upright rectangle."""
        return self.polygon([(left, top), (right, top), (right, bottom), (left, bottom)], fill, outline, width)

    def ellipse(
        self, centre: Point, radii: Point, fill: str | None = None, outline: str | None = None, width: float = 2.0,
        rotation: float = 0.0,
    ) -> Box:  # fmt: skip
        """Draw an ellipse with half-axes ``radii``; two equal half-axes make a circle."""
        return self.polygon(arc_points(centre, radii, 0, 360, rotation)[:-1], fill, outline, width)

    def wedge(
        self, centre: Point, radius: float, start: float, end: float, fill: str | None = None,
        outline: str | None = None, width: float = 2.0, hole: float = 0.0,
    ) -> Box:  # fmt: skip
        """Draw a pie wedge from angle ``start`` clockwise to ``end``; ``hole`` is the inner radius of a ring."""
        rim = arc_points(centre, (radius, radius), start, end)
        inner = arc_points(centre, (hole, hole), end, start) if hole else [centre]
        return self.polygon([*rim, *inner], fill, outline, width)

    def line(
        self, points: Sequence[Point], colour: str, width: float = 2.0, dash: Sequence[float] = (), closed: bool = False
    ) -> Box:
        """Draw a line through ``points`` with round joints.

        Args:
            points: At least two.
            colour: Of the stroke.
            width: In pixels.
            dash: Lengths of stroke and gap in turn, in pixels; empty for a solid line.
            closed: Whether the last point is joined to the first.
        """
        path = [*points, points[0]] if closed else list(points)
        pieces = dashes(path, dash) if dash else [path]

        def fill(at: "_Scaler", wide: int, high: int) -> raster.Mask:
            parts = [part for piece in pieces for part in _stroke(piece, width / 2, round_ends=not dash)]
            return raster.filled_together([at(part) for part in parts], wide, high)

        return self._paint(_extent(points, width), colour, fill)

    def text(
        self, at: Point, text: str, size: float, colour: str = "#000000", anchor: Anchor = "mm", rotation: float = 0.0
    ) -> Box:
        """Write a single line of text.

        Args:
            at: The point that ``anchor`` names.
            text: The characters.
            size: Of the font, in pixels.
            colour: Of the ink.
            anchor: Which point of the text's ink ``at`` is.
            rotation: Degrees counter-clockwise, about ``at``; 90 reads upwards.

        The font is the one inside Pillow: ASCII, Latin letters and ``°``, but no Greek or mathematical signs.
        """
        mask = _text_mask(text, round(size * SCALE))
        # The mask is turned, since Pillow writes only level text.
        if rotation:
            mask = Image.fromarray(raster.turned(np.asarray(mask), rotation))
        across, down = mask.width / SCALE, mask.height / SCALE
        left = at[0] - {"l": 0.0, "m": across / 2, "r": across}[anchor[0]]
        top = at[1] - {"t": 0.0, "m": down / 2, "b": down}[anchor[1]]
        corner = (round(left * SCALE), round(top * SCALE))

        def fill(scaler: "_Scaler", wide: int, high: int) -> raster.Grey:
            large = Image.new("L", (wide, high), 0)
            large.paste(mask, (corner[0] - scaler.left * SCALE, corner[1] - scaler.top * SCALE))
            return np.asarray(large)

        return self._paint((left, top, left + across, top + down), colour, fill)

    def _paint(self, extent: tuple[float, float, float, float], colour: str, fill: "_Fill") -> Box:
        # Only the part of the picture that the shape may touch is enlarged, with two pixels to spare on each side.
        left, top = max(0, math.floor(extent[0]) - 2), max(0, math.floor(extent[1]) - 2)
        right, bottom = min(self.width, math.ceil(extent[2]) + 2), min(self.height, math.ceil(extent[3]) + 2)
        if right <= left or bottom <= top:
            return Box(0, 0, 0, 0)
        large = fill(_Scaler(left, top), (right - left) * SCALE, (bottom - top) * SCALE)
        grey = large if large.dtype == np.uint8 else large.astype(np.uint8) * np.uint8(255)
        mask = Image.fromarray(grey).reduce(SCALE)
        self.image.paste(colour, (left, top), mask)
        touched = mask.getbbox()
        if touched is None:
            return Box(0, 0, 0, 0)
        return Box(touched[0] + left, touched[1] + top, touched[2] + left, touched[3] + top)


class _Scaler:
    """Turns points of the picture into points of the enlarged mask."""

    def __init__(self, left: int, top: int) -> None:
        self.left = left
        self.top = top

    def __call__(self, points: Sequence[Point]) -> list[Point]:
        return [((x - self.left) * SCALE, (y - self.top) * SCALE) for x, y in points]


_Fill = Callable[[_Scaler, int, int], "raster.Mask | raster.Grey"]
"""Fills an enlarged mask of some width and height."""


def text_size(text: str, size: float) -> Point:
    """Return width and height in pixels of the ink of ``text`` at font size ``size``."""
    mask = _text_mask(text, round(size * SCALE))
    return mask.width / SCALE, mask.height / SCALE


def arc_points(centre: Point, radii: Point, start: float, end: float, rotation: float = 0.0) -> list[Point]:
    """Return points along an elliptic arc from ``start`` to ``end`` degrees, close enough to look round."""
    return [
        (centre[0] + right_by_x - right_by_y, centre[1] + down_by_x + down_by_y)
        for right_by_x, right_by_y, down_by_x, down_by_y in _arc(radii, start, end, rotation)
    ]


def sector_start(centre: Point, radius: float, degrees: float, box: Sequence[int]) -> int:
    """Return where a sector begins, in whole degrees clockwise from 3 o'clock, so that it fills a box best.

    Scenes record the box of the tint of an angle, but not where it begins.
    """

    def distance(start: int) -> float:
        corners = [centre, *arc_points(centre, (radius, radius), start, start + degrees)]
        xs, ys = [x for x, _ in corners], [y for _, y in corners]
        sides = zip((min(xs), min(ys), max(xs), max(ys)), box, strict=True)
        return math.fsum(abs(side - wanted) for side, wanted in sides)

    return min(range(360), key=distance)


@lru_cache(maxsize=4096)  # A line has a disc of one size at each of its joints.
def _arc(radii: Point, start: float, end: float, rotation: float) -> tuple[tuple[float, float, float, float], ...]:
    """Return how far right and down the two half-axes lead to each point of an arc."""
    # An arc departs from its chord by the radius times the squared angle, so the steps grow as the radius' root.
    steps = max(8, math.ceil(abs(end - start) * math.sqrt(max(radii)) / 20))
    cosine, sine = exact.cos(math.radians(rotation)), exact.sin(math.radians(rotation))
    parts = []
    for step in range(steps + 1):
        angle = math.radians(start + (end - start) * step / steps)
        x, y = radii[0] * exact.cos(angle), radii[1] * exact.sin(angle)
        parts.append((x * cosine, y * sine, x * sine, y * cosine))
    return tuple(parts)


def dashes(points: Sequence[Point], pattern: Sequence[float]) -> list[list[Point]]:
    """Cut a line into the strokes of a dash pattern.

    Args:
        points: The line.
        pattern: Lengths of stroke and gap in turn, in the points' unit, all positive.
    """
    pieces: list[list[Point]] = []
    index, left, current = 0, pattern[0], [points[0]]
    for start, end in itertools.pairwise(points):
        length, offset = exact.dist(start, end), 0.0
        while length - offset > left:
            offset += left
            here = (start[0] + (end[0] - start[0]) * offset / length, start[1] + (end[1] - start[1]) * offset / length)
            if index % 2 == 0:
                pieces.append([*current, here])
            index += 1
            left, current = pattern[index % len(pattern)], [here]
        left -= length - offset
        current.append(end)
    if index % 2 == 0 and len(current) > 1:
        pieces.append(current)
    return pieces


def _stroke(points: Sequence[Point], half: float, round_ends: bool) -> Iterator[list[Point]]:
    """Yield the polygons of a stroke: a rectangle for each straight piece, a disc for each joint."""
    for (x0, y0), (x1, y1) in itertools.pairwise(points):
        length = exact.hypot(x1 - x0, y1 - y0)
        if length:
            dx, dy = (y1 - y0) / length * half, (x0 - x1) / length * half
            yield [(x0 + dx, y0 + dy), (x1 + dx, y1 + dy), (x1 - dx, y1 - dy), (x0 - dx, y0 - dy)]
    # The ends of dashes stay straight: discs would lengthen each dash and close its gap.
    for joint in points if round_ends else points[1:-1]:
        yield arc_points(joint, (half, half), 0, 360)[:-1]


def _extent(points: Sequence[Point], width: float) -> tuple[float, float, float, float]:
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return min(xs) - width, min(ys) - width, max(xs) + width, max(ys) + width


def _union(boxes: list[Box]) -> Box:
    drawn = [box for box in boxes if box.right > box.left]
    if not drawn:
        return Box(0, 0, 0, 0)
    lefts, tops, rights, bottoms = zip(*drawn, strict=True)
    return Box(min(lefts), min(tops), max(rights), max(bottoms))


@cache
def _font(size: int) -> ImageFont.FreeTypeFont:
    font = ImageFont.load_default(size)
    assert isinstance(font, ImageFont.FreeTypeFont)  # noqa: S101 - Pillow's wheels always have FreeType
    return font


def _text_mask(text: str, size: int) -> Image.Image:
    """Return a mask cropped to the ink of ``text``; a single blank pixel if the text has no ink."""
    font = _font(size)
    left, top, right, bottom = font.getbbox(text)
    mask = Image.new("L", (max(1, math.ceil(right - left)), max(1, math.ceil(bottom - top))), 0)
    ImageDraw.Draw(mask).text((-left, -top), text, font=font, fill=255)
    ink = mask.getbbox()
    return mask.crop(ink) if ink else mask.crop((0, 0, 1, 1))
