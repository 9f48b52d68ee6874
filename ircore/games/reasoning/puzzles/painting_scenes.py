"""Scenes for painting: regions with exact masks, in every colour but green."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from ircore.core.drawing import Drawing, Point, arc_points
from ircore.core.images import Pixels

SIZE = 512
COLOURS = {
    "red": "#d62828", "orange": "#f77f00", "yellow": "#ffd60a", "blue": "#1d4ed8", "purple": "#7b2cbf",
    "brown": "#7f4f24", "pink": "#ff8fb1", "grey": "#8d99ae",
}  # fmt: skip
PAINT = (0, 255, 0)
"""Pure green."""

CORNERS = (0, 3, 4, 5, 6)
"""Corners of the forms in a scene of shapes; 0 is a circle."""

RIM = 8
"""Pixels around a mask that keep the picture's edge out of the way when tips are taken off."""

Mask = npt.NDArray[np.bool_]
Draw = Callable[[Drawing, str], object]
"""Draws a region in a colour."""


class Region(NamedTuple):
    """A region that may be asked for.

    >>> Region("bar 2", "red", size=240, order=1).corners is None
    True

    Attributes:
        name: Unique in its scene.
        colour: By name.
        size: Height of a bar or share of a slice, in any unit; 0 where sizes do not count.
        order: Place from the left, or clockwise from the top, from 0.
        corners: Of a shape; 0 for a circle, None for other things.
        row: Row of a shape, from 0 at the top.
    """

    name: str
    colour: str
    size: float = 0.0
    order: int = 0
    corners: int | None = None
    row: int = 0


@dataclass
class PaintingScene:
    """A picture with its regions: facts and exact pixels of each.

    >>> scene = PaintingScene("bars")
    >>> scene.add(Region("bar 1", "red"), "#d62828", lambda drawing, colour: drawing.rectangle(0, 0, 10, 20, colour))
    >>> int(scene.masks["bar 1"].sum())
    200
    """

    kind: str
    drawing: Drawing = field(default_factory=lambda: Drawing(SIZE, SIZE))
    regions: list[Region] = field(default_factory=list)
    masks: dict[str, Mask] = field(default_factory=dict)

    def add(self, region: Region, colour: str, draw: Draw) -> None:
        """Draw a region over the picture; a pixel that is at least half covered belongs to the region alone."""
        self.regions.append(region)
        self.masks[region.name] = self.cover(colour, draw)

    def cover(self, colour: str, draw: Draw) -> Mask:
        """Draw a thing that covers regions and is not asked for; return the pixels it covers."""
        draw(self.drawing, colour)
        stencil = Drawing(SIZE, SIZE, "#000000")
        draw(stencil, "#ffffff")
        # The stencil is drawn by the same program, so soft edges fall alike in the picture and in the mask.
        mask: Mask = stencil.pixels[..., 0] >= 128
        for other in self.masks.values():
            # A region that is partly covered keeps only the pixels that can still be seen.
            other &= ~mask
        return mask

    def mask_of(self, region: Region) -> Mask:
        """Return the region's pixels without tips of a pixel or two, which verifiers take for specks."""
        framed = np.pad(self.masks[region.name], RIM, mode="edge")
        opened = ndimage.binary_opening(framed, np.ones((3, 3), bool))
        closed = ndimage.binary_closing(opened, np.ones((5, 5), bool))
        smooth: Mask = closed[RIM:-RIM, RIM:-RIM]
        return smooth

    def painted(self, region: Region) -> Pixels:
        """Return the picture with a region painted."""
        pixels = self.drawing.pixels
        pixels[self.mask_of(region)] = PAINT
        return pixels


def bars(rng: random.Random) -> PaintingScene:
    """Draw five or six bars of different heights on a line."""
    scene, count = PaintingScene("bars"), rng.choice((5, 6))
    width, gap = (70, 24) if count == 5 else (62, 16)
    heights = [130 + 300 * step // (count - 1) + rng.randint(-10, 10) for step in range(count)]
    rng.shuffle(heights)
    left = (SIZE - count * width - (count - 1) * gap) // 2
    for place, (colour, height) in enumerate(zip(rng.sample(list(COLOURS), count), heights, strict=True)):
        start = left + place * (width + gap)
        region = Region(f"bar {place + 1}", colour, size=height, order=place)
        scene.add(region, COLOURS[colour], _box(start, 470 - height, start + width, 470))
    scene.drawing.rectangle(left - 20, 470, SIZE - left + 20, 474, fill="#222222")
    return scene


def pie(rng: random.Random) -> PaintingScene:
    """Draw a pie of five slices of different sizes."""
    scene = PaintingScene("pie")
    shares = [36, 54, 72, 90, 108]
    rng.shuffle(shares)
    start = rng.randrange(-90, 0)
    for place, (colour, share) in enumerate(zip(rng.sample(list(COLOURS), len(shares)), shares, strict=True)):
        region = Region(f"slice {place + 1}", colour, size=share, order=place)
        scene.add(region, COLOURS[colour], _wedge(start, start + share))
        start += share
    return scene


def shapes(rng: random.Random) -> PaintingScene:
    """Draw a circle, polygons with 3, 4, 5 and 6 corners, and a second copy of a form, in two rows of three."""
    scene = PaintingScene("shapes")
    corners = [*CORNERS, rng.choice(CORNERS)]
    rng.shuffle(corners)
    for place, (colour, count) in enumerate(zip(rng.sample(list(COLOURS), len(corners)), corners, strict=True)):
        row, column = divmod(place, 3)
        centre = (90.0 + 166 * column + rng.randint(-4, 4), 135.0 + 240 * row + rng.randint(-20, 20))
        region = Region(f"shape {place + 1}", colour, order=column, corners=count, row=row)
        scene.add(region, COLOURS[colour], _shape(centre, count, 80 if count == 3 else 70))
    return scene


THINGS = {
    "sun": "#ffd60a", "cloud": "#f4f4f4", "roof": "#b5442e", "wall": "#f3e3c3", "door": "#7f4f24",
    "tree": "#f77f00", "lake": "#2b6cb0", "sail": "#fdfdfd",
}  # fmt: skip
"""What can be seen in a landscape, with its colour."""


def landscape(rng: random.Random) -> PaintingScene:
    """Draw a house, an autumn tree, a lake with a boat, the sun and a cloud; each half may be on either side."""
    scene, mirrored, sunny = PaintingScene("landscape"), rng.random() < 0.5, rng.random() < 0.5
    scene.drawing.rectangle(0, 0, SIZE, SIZE, fill="#cfe8ff")
    scene.drawing.rectangle(0, 330, SIZE, SIZE, fill="#d9b98a")

    def add(name: str, draw: Draw) -> None:
        scene.add(Region(name, name), THINGS[name], draw)

    def x(value: float) -> float:
        return SIZE - value if mirrored else value

    sun, cloud = (80, 330) if sunny else (420, 150)
    sun, cloud, height = sun + rng.randint(-15, 15), cloud + rng.randint(-25, 25), rng.randint(70, 85)
    add("sun", _disc((x(sun), height), 56))
    add("cloud", _discs([(x(cloud + across), height + down) for across, down in ((-55, 12), (0, 0), (55, 12))]))
    add("wall", _box(*_sides(x(30), x(230), 240, 420)))
    add("roof", _polygon([(x(10), 240), (x(130), 140 + rng.randint(0, 30)), (x(250), 240)]))
    door = rng.randint(45, 125)
    add("door", _box(*_sides(x(door), x(door + 85), 310, 420)))
    scene.cover("#7f4f24", _box(*_sides(x(282), x(306), 300, 420)))
    add("tree", _disc((x(294), 250 + rng.randint(-10, 10)), 58))
    add("lake", _polygon([(x(330), 512), (x(350), 400), (x(512), 400), (x(512), 512)]))
    scene.cover("#5c2e0e", _polygon([(x(375), 425), (x(495), 425), (x(475), 450), (x(395), 450)]))
    add("sail", _polygon([(x(440), 200), (x(440), 420), (x(350), 420)]))
    return scene


SCENES: dict[str, Callable[[random.Random], PaintingScene]] = {
    "bars": bars, "pie": pie, "shapes": shapes, "landscape": landscape,
}  # fmt: skip


def _sides(first: float, second: float, top: float, bottom: float) -> tuple[float, float, float, float]:
    return min(first, second), top, max(first, second), bottom


def _box(left: float, top: float, right: float, bottom: float) -> Draw:
    return lambda drawing, colour: drawing.rectangle(left, top, right, bottom, fill=colour)


def _polygon(points: list[Point]) -> Draw:
    return lambda drawing, colour: drawing.polygon(points, fill=colour)


def _disc(centre: Point, radius: float) -> Draw:
    return lambda drawing, colour: drawing.ellipse(centre, (radius, radius), fill=colour)


def _discs(centres: list[Point]) -> Draw:
    return lambda drawing, colour: [_disc(centre, 48)(drawing, colour) for centre in centres]


def _wedge(start: float, end: float) -> Draw:
    return lambda drawing, colour: drawing.wedge((SIZE / 2, SIZE / 2), 225, start, end, fill=colour)


def _shape(centre: Point, corners: int, radius: float) -> Draw:
    if corners == 0:
        return _disc(centre, radius - 8)
    turn = -90 + (45 if corners == 4 else 0)
    angles = [turn + 360 * number / corners for number in range(corners)]
    return _polygon([arc_points(centre, (radius, radius), angle, angle + 1)[0] for angle in angles])
