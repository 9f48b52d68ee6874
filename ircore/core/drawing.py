"""Drawing, antialiased, the same on every machine, that knows which pixels were touched; scales of a plot area.

Each shape is filled as a mask at four times the size, reduced to coverage 0–255, and painted through. Each method
returns the smallest box of pixels it touched, so a scene written while drawing is exact by construction. Polygons are
filled and masks turned in whole numbers: Pillow does both with floats of 32 bits, which processors with fused
multiply-add round in another way.

Coordinates are pixels with the origin at the top left corner of the top left pixel, so ``(0, 0, 512, 512)`` is a whole
512 px picture and ``x + 0.5`` is the middle of pixel column ``x``. Angles are degrees, clockwise from 3 o'clock.
"""

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

from ircore.core import exact
from ircore.core.images import Pixels
from ircore.core.records import Box

Point = tuple[float, float]
Polygon = Sequence[Point]
Mask = npt.NDArray[np.bool_]
Grey = npt.NDArray[np.uint8]

_FINE = 256
"""Steps of a pixel to which corners are rounded."""

SCALE = 4
"""Supersampling factor: coverage has 16 steps plus those of Pillow's own rounding."""

Anchor = str
"""Two letters as in Pillow: ``l m r`` and ``t m b``; ``"mm"`` centres the ink of the text on the point."""


def fill_polygon(polygon: Polygon, width: int, height: int) -> Mask:
    """Return the pixels whose middle lies inside a polygon, by the even-odd rule.

    Args:
        polygon: Corners in pixels; (0, 0) is the upper left corner of the first pixel.
        width: Width of the mask in pixels.
        height: Height of the mask in pixels.
    """
    return np.asarray(_count_windings([polygon], width, height) & 1, np.bool_)


def fill_polygons(polygons: Sequence[Polygon], width: int, height: int) -> Mask:
    """Return the pixels whose middle lies inside at least a polygon of several; no polygon may cross itself."""
    return np.asarray(_count_windings([_orient_clockwise(polygon) for polygon in polygons], width, height), np.bool_)


def rotate_mask(mask: Grey, degrees: float) -> Grey:
    """Return a mask turned counter-clockwise by bilinear interpolation, enlarged to hold all of the turned picture."""
    # Quarter turns move whole pixels; interpolation would blur them.
    if degrees % 90 == 0:
        return np.rot90(mask, round(degrees / 90))
    height, width = mask.shape
    cosine, sine = exact.cos(math.radians(degrees)), exact.sin(math.radians(degrees))
    wide = math.ceil(abs(width * cosine) + abs(height * sine))
    high = math.ceil(abs(width * sine) + abs(height * cosine))
    right, down = np.arange(wide) + 0.5 - wide / 2, (np.arange(high) + 0.5 - high / 2)[:, None]
    # In a picture y grows downwards; a rim of one blank pixel saves asking what lies beyond.
    x = (right * cosine - down * sine + width / 2 + 0.5).clip(0, width + 1)
    y = (right * sine + down * cosine + height / 2 + 0.5).clip(0, height + 1)
    framed = np.pad(mask, ((1, 2), (1, 2))).astype(np.float64)
    column, row = np.floor(x).astype(np.intp), np.floor(y).astype(np.intp)
    across, along = x - column, y - row
    upper = framed[row, column] * (1 - across) + framed[row, column + 1] * across
    lower = framed[row + 1, column] * (1 - across) + framed[row + 1, column + 1] * across
    return np.asarray(np.rint(upper * (1 - along) + lower * along), np.uint8)


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
            boxes.append(
                self._paint(_compute_extent(points, 0), fill, lambda at, *size: fill_polygon(at(points), *size))
            )
        if outline is not None:
            # After the filling, which would otherwise cover the inner half of the outline.
            boxes.append(self.line(points, outline, width, closed=True))
        return _merge_boxes(boxes)

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
        pieces = split_into_dashes(path, dash) if dash else [path]

        def fill(at: "_Scaler", wide: int, high: int) -> Mask:
            parts = [part for piece in pieces for part in _build_stroke(piece, width / 2, round_ends=not dash)]
            return fill_polygons([at(part) for part in parts], wide, high)

        return self._paint(_compute_extent(points, width), colour, fill)

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
        mask = _draw_text_mask(text, round(size * SCALE))
        # The mask is turned, since Pillow writes only level text.
        if rotation:
            mask = Image.fromarray(rotate_mask(np.asarray(mask), rotation))
        across, down = mask.width / SCALE, mask.height / SCALE
        left = at[0] - {"l": 0.0, "m": across / 2, "r": across}[anchor[0]]
        top = at[1] - {"t": 0.0, "m": down / 2, "b": down}[anchor[1]]
        corner = (round(left * SCALE), round(top * SCALE))

        def fill(scaler: "_Scaler", wide: int, high: int) -> Grey:
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


def text_size(text: str, size: float) -> Point:
    """Return width and height in pixels of the ink of ``text`` at font size ``size``."""
    mask = _draw_text_mask(text, round(size * SCALE))
    return mask.width / SCALE, mask.height / SCALE


def arc_points(centre: Point, radii: Point, start: float, end: float, rotation: float = 0.0) -> list[Point]:
    """Return points along an elliptic arc from ``start`` to ``end`` degrees, close enough to look round."""
    return [
        (centre[0] + right_by_x - right_by_y, centre[1] + down_by_x + down_by_y)
        for right_by_x, right_by_y, down_by_x, down_by_y in _arc(radii, start, end, rotation)
    ]


def find_sector_start(centre: Point, radius: float, degrees: float, box: Sequence[int]) -> int:
    """Return where a sector begins, in whole degrees clockwise from 3 o'clock, so that it fills a box best.

    Scenes record the box of the tint of an angle, but not where it begins.
    """

    def distance(start: int) -> float:
        corners = [centre, *arc_points(centre, (radius, radius), start, start + degrees)]
        xs, ys = [x for x, _ in corners], [y for _, y in corners]
        sides = zip((min(xs), min(ys), max(xs), max(ys)), box, strict=True)
        return math.fsum(abs(side - wanted) for side, wanted in sides)

    return min(range(360), key=distance)


def split_into_dashes(points: Sequence[Point], pattern: Sequence[float]) -> list[list[Point]]:
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


@dataclass(frozen=True)
class AxisScale:
    """A linear axis in pixels: the value ``low`` lies at pixel ``start``, ``high`` at pixel ``end``.

    >>> scale = AxisScale(low=0, high=10, start=50, end=450)
    >>> scale(5), scale.value(90)
    (250.0, 1.0)
    """

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """Return the pixel coordinate of a data value."""
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)

    def value(self, pixel: float) -> float:
        """Return the data value at a pixel coordinate."""
        return self.low + (pixel - self.start) / (self.end - self.start) * (self.high - self.low)


@dataclass(frozen=True)
class PlotArea:
    """Two scales at right angles; where they begin and end are the sides of the area, in pixels.

    >>> area = PlotArea(AxisScale(0, 10, 50, 450), AxisScale(0, 5, 400, 40))
    >>> area.left, area.top
    (50, 40)
    """

    x: AxisScale
    y: AxisScale

    @property
    def left(self) -> float:
        """Left side."""
        return self.x.start

    @property
    def right(self) -> float:
        """Right side."""
        return self.x.end

    @property
    def top(self) -> float:
        """Upper side."""
        return self.y.end

    @property
    def bottom(self) -> float:
        """Lower side."""
        return self.y.start


def _orient_clockwise(polygon: Polygon) -> Polygon:
    # Overlapping polygons that turn in opposite directions would cancel each other out.
    xs, ys = zip(*polygon, strict=True)
    area = math.fsum(x * y1 - x1 * y for x, y, x1, y1 in zip(xs, ys, xs[1:] + xs[:1], ys[1:] + ys[:1], strict=True))
    return polygon if area >= 0 else polygon[::-1]


def _count_windings(polygons: Sequence[Polygon], width: int, height: int) -> npt.NDArray[np.int16]:
    """Return how many times the polygons go round the middle of each pixel, clockwise less counter-clockwise."""
    # Whole numbers from here on: no step below rounds, whatever the processor.
    corners = [np.rint(np.array(polygon, np.float64) * _FINE).astype(np.int64) for polygon in polygons]
    starts = np.concatenate(corners)
    ends = np.concatenate([np.roll(points, -1, axis=0) for points in corners])
    (x0, y0), (x1, y1) = starts.T, ends.T
    sign = np.sign(y1 - y0)
    upper, lower = np.where(sign > 0, (x0, y0, x1, y1), (x1, y1, x0, y0)).reshape(2, 2, -1)
    # The rows whose middle a side passes: from its upper end on, without its lower one.
    first = ((upper[1] + _FINE // 2 - 1) // _FINE).clip(0, height)
    last = ((lower[1] + _FINE // 2 - 1) // _FINE).clip(0, height)
    counts = last - first
    side = np.repeat(np.arange(len(counts)), counts)
    row = np.arange(len(side)) - np.repeat(counts.cumsum() - counts, counts) + first[side]
    high = lower[1, side] - upper[1, side]
    middle = row * _FINE + _FINE // 2 - upper[1, side]
    crossed = upper[0, side] * high + middle * (lower[0, side] - upper[0, side])
    # The first pixel whose middle is not left of the crossing: rounded up, in whole numbers.
    column = (-((high * (_FINE // 2) - crossed) // (high * _FINE))).clip(0, width)
    # From each crossing to the next one all pixels are alike. Polygons are closed, so that every row ends with 0.
    crossings = row * (width + 1) + column
    order = np.argsort(crossings)
    windings = np.concatenate([[0], sign[side][order].cumsum()]).astype(np.int16)
    lengths = np.diff(crossings[order], prepend=0, append=height * (width + 1))
    return np.repeat(windings, lengths).reshape(height, width + 1)[:, :width]


class _Scaler:
    """Turns points of the picture into points of the enlarged mask."""

    def __init__(self, left: int, top: int) -> None:
        self.left = left
        self.top = top

    def __call__(self, points: Sequence[Point]) -> list[Point]:
        return [((x - self.left) * SCALE, (y - self.top) * SCALE) for x, y in points]


_Fill = Callable[[_Scaler, int, int], "Mask | Grey"]
"""Fills an enlarged mask of some width and height."""


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


def _build_stroke(points: Sequence[Point], half: float, round_ends: bool) -> Iterator[list[Point]]:
    """Yield the polygons of a stroke: a rectangle for each straight piece, a disc for each joint."""
    for (x0, y0), (x1, y1) in itertools.pairwise(points):
        length = exact.hypot(x1 - x0, y1 - y0)
        if length:
            dx, dy = (y1 - y0) / length * half, (x0 - x1) / length * half
            yield [(x0 + dx, y0 + dy), (x1 + dx, y1 + dy), (x1 - dx, y1 - dy), (x0 - dx, y0 - dy)]
    # The ends of dashes stay straight: discs would lengthen each dash and close its gap.
    for joint in points if round_ends else points[1:-1]:
        yield arc_points(joint, (half, half), 0, 360)[:-1]


def _compute_extent(points: Sequence[Point], width: float) -> tuple[float, float, float, float]:
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return min(xs) - width, min(ys) - width, max(xs) + width, max(ys) + width


def _merge_boxes(boxes: list[Box]) -> Box:
    drawn = [box for box in boxes if box.right > box.left]
    if not drawn:
        return Box(0, 0, 0, 0)
    lefts, tops, rights, bottoms = zip(*drawn, strict=True)
    return Box(min(lefts), min(tops), max(rights), max(bottoms))


@cache
def _load_font(size: int) -> ImageFont.FreeTypeFont:
    font = ImageFont.load_default(size)
    assert isinstance(font, ImageFont.FreeTypeFont)  # noqa: S101 - Pillow's wheels always have FreeType
    return font


def _draw_text_mask(text: str, size: int) -> Image.Image:
    """Return a mask cropped to the ink of ``text``; a single blank pixel if the text has no ink."""
    font = _load_font(size)
    left, top, right, bottom = font.getbbox(text)
    mask = Image.new("L", (max(1, math.ceil(right - left)), max(1, math.ceil(bottom - top))), 0)
    ImageDraw.Draw(mask).text((-left, -top), text, font=font, fill=255)
    ink = mask.getbbox()
    return mask.crop(ink) if ink else mask.crop((0, 0, 1, 1))
