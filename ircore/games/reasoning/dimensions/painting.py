"""*Painting*: a region that is only described is to be painted pure green.

The green of the picture that a model painted is held against the region's mask.
"""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from ircore.core.drawing import Drawing, Point, arc_points
from ircore.core.images import Picture, Pixels
from ircore.games.reasoning.tasks import Dimension, Task, TaskVerdict

SIDE = 512
"""Pixels a side to which both pictures are brought."""

BAND = (123, 159, 87)
"""A second green, red, green and blue, around which GIR-Bench takes a band."""

EIGHT = np.ones((3, 3), bool)
LEAST_SHARE = 0.03
"""Of the picture: smaller parts of the mask are dropped at the end."""

GROWTH_STEPS, GROWTH_DISTANCE = 5, 6.0

Mask = npt.NDArray[np.bool_]

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

Draw = Callable[[Drawing, str], object]
"""Draws a region in a colour."""

THINGS = {
    "sun": "#ffd60a", "cloud": "#f4f4f4", "roof": "#b5442e", "wall": "#f3e3c3", "door": "#7f4f24",
    "tree": "#f77f00", "lake": "#2b6cb0", "sail": "#fdfdfd",
}  # fmt: skip
"""What can be seen in a landscape, with its colour."""

AS_MANY_CORNERS = {
    0: "without any corner",
    3: "with as many corners as a tricycle has wheels",
    4: "with as many corners as a year has seasons",
    5: "with as many corners as a hand has fingers",
    6: "with as many corners as an insect has legs",
}
RANKS = {1: "", 2: "second ", 3: "third "}
SIZES = {"bars": ("bar", "tallest", "shortest"), "pie": ("slice", "largest", "smallest")}
"""What regions of a scene are called, and the words for the greatest and the least of them."""

WAYS = {
    "shapes": {"to the right of": (0, 1), "to the left of": (0, -1), "below": (1, 0), "above": (-1, 0)},
    "bars": {"to the right of": (0, 1), "to the left of": (0, -1)},
    "pie": {"clockwise after": (0, 1), "clockwise before": (0, -1)},
}
"""Steps to a neighbour, as rows and places, by scene."""

USES = {
    "sun": ("what gives light by day", "what will have set by midnight and rise again in the morning"),
    "cloud": ("what rain falls from", "what would hide the sun if the wind moved it there"),
    "roof": ("what keeps the rain off the people in the house", "what a chimney would stand on"),
    "wall": ("what a painter would paint white to make the house look new", "what the door is set in"),
    "door": ("what the people go in and out through", "what needs a key"),
    "tree": ("what will lose its leaves before winter", "what a bird would build its nest in"),
    "lake": ("what fish live in", "what keeps the boat from lying on the ground"),
    "sail": ("what catches the wind and moves the boat", "what is taken down when the boat is to stay where it is"),
}
"""An easy and a hard description of each thing in a landscape."""

RIGHT = 0.5
"""Least IoU with which the region counts as found (Everingham et al. 2010, PASCAL VOC)."""


def compute_paint_iou(
    painted: Pixels, mask: npt.NDArray[np.uint8], original: "Pixels | None" = None, t: int = 100
) -> float:
    """Return the IoU of green paint and an object's mask as GIR-Bench computes it, 0–1; 1 if both are empty.

    Args:
        painted: Height × width × 3 RGB: the model's picture.
        mask: Height × width, 0–255: the object where above 127.
        original: The picture before, for the second attempt where no plain green is there.
        t: Tolerance. At 100, the command's default, the second green's bounds wrap round in 8 bits and match nothing;
            at 50 plain grey counts as green.
    """
    return _compute_iou(find_published_green(painted, t, original), resize_mask(mask))


def compute_corrected_paint_iou(
    painted: Pixels, mask: npt.NDArray[np.uint8], original: "Pixels | None" = None
) -> float:
    """Return the IoU of green paint and an object's mask: green pixels are clearly more green than red and blue.

    Args:
        painted: Height × width × 3 RGB.
        mask: Height × width, 0–255: the object where above 127.
        original: The picture before, if there is one: what was as green there is no paint.
    """
    return _compute_iou(find_green(painted, original), resize_mask(mask))


def find_published_green(painted: Pixels, t: int = 100, original: "Pixels | None" = None) -> Mask:
    """Return where GIR-Bench sees green paint, 512 × 512.

    Red and blue at most t and green at least 255 − t, or within t of a second green, its bounds wrapping round as 8-bit
    numbers do; opened by 3, closed by 5, parts below max(50, 0.05 %) dropped, closed by 3. If nothing is left: green
    1.15 times red and blue and raised by more than 10, cleaned alike and grown by five steps of colour distance 6 in
    Lab. At last parts below 3 % of the picture are dropped.
    """
    pixels = resize_pixels(painted)
    red, green, blue = (pixels[..., channel] for channel in range(3))
    plain = (blue <= t) & (green >= 255 - t) & (red <= t)
    # The published code adds and subtracts in 8 bits, where 159 + 100 wraps round to 3.
    low, high = ((np.array(BAND) + sign * t).astype(np.uint8) for sign in (-1, 1))
    band = ((pixels >= low) & (pixels <= high)).all(axis=2)
    mask = _clean_mask(plain | band)
    if not mask.any():
        # As in the published code: a paler green is sought only where no plain green is found.
        mask = _find_green_again(pixels, original)
    return _remove_small_parts(mask, LEAST_SHARE * SIDE * SIDE)


def find_green(painted: Pixels, original: "Pixels | None" = None) -> Mask:
    """Return the mask of paint: green leads red and blue by 40 or more, and by 20 more than before painting."""
    # Signed, because differences of bytes would wrap round below zero.
    pixels = resize_pixels(painted).astype(np.int16)
    lead = pixels[..., 1] - np.maximum(pixels[..., 0], pixels[..., 2])
    mask = lead >= 40
    if original is not None:
        before = resize_pixels(original).astype(np.int16)
        mask &= lead - (before[..., 1] - np.maximum(before[..., 0], before[..., 2])) >= 20
    return _clean_mask(mask)


def resize_pixels(pixels: Pixels) -> Pixels:
    """Bring a picture to 512 × 512 by linear interpolation without antialiasing, its proportions not kept."""
    if pixels.shape[:2] == (SIDE, SIDE):
        return pixels
    rows, row_weights = _compute_neighbours(pixels.shape[0])
    columns, column_weights = _compute_neighbours(pixels.shape[1])
    values = pixels.astype(np.float64)
    tall = values[rows[0]] * (1 - row_weights)[:, None, None] + values[rows[1]] * row_weights[:, None, None]
    weights = column_weights[None, :, None]
    return np.rint(tall[:, columns[0]] * (1 - weights) + tall[:, columns[1]] * weights).astype(np.uint8)


def resize_mask(mask: npt.NDArray[np.uint8]) -> Mask:
    """Bring a mask to 512 × 512, each place taking the pixel at its corner, and keep pixels above 127."""
    rows, columns = (np.arange(SIDE) * size // SIDE for size in mask.shape[:2])
    above: Mask = mask[rows][:, columns] > 127
    return above


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

    def paint(self, region: Region) -> Pixels:
        """Return the picture with a region painted."""
        pixels = self.drawing.pixels
        pixels[self.mask_of(region)] = PAINT
        return pixels


def draw_bars(rng: random.Random) -> PaintingScene:
    """Draw five or six bars of different heights on a line."""
    scene, count = PaintingScene("bars"), rng.choice((5, 6))
    width, gap = (70, 24) if count == 5 else (62, 16)
    heights = [130 + 300 * step // (count - 1) + rng.randint(-10, 10) for step in range(count)]
    rng.shuffle(heights)
    left = (SIZE - count * width - (count - 1) * gap) // 2
    for place, (colour, height) in enumerate(zip(rng.sample(list(COLOURS), count), heights, strict=True)):
        start = left + place * (width + gap)
        region = Region(f"bar {place + 1}", colour, size=height, order=place)
        scene.add(region, COLOURS[colour], _draw_box_with(start, 470 - height, start + width, 470))
    scene.drawing.rectangle(left - 20, 470, SIZE - left + 20, 474, fill="#222222")
    return scene


def draw_pie(rng: random.Random) -> PaintingScene:
    """Draw a pie of five slices of different sizes."""
    scene = PaintingScene("pie")
    shares = [36, 54, 72, 90, 108]
    rng.shuffle(shares)
    start = rng.randrange(-90, 0)
    for place, (colour, share) in enumerate(zip(rng.sample(list(COLOURS), len(shares)), shares, strict=True)):
        region = Region(f"slice {place + 1}", colour, size=share, order=place)
        scene.add(region, COLOURS[colour], _draw_wedge_with(start, start + share))
        start += share
    return scene


def draw_shapes(rng: random.Random) -> PaintingScene:
    """Draw a circle, polygons with 3, 4, 5 and 6 corners, and a second copy of a form, in two rows of three."""
    scene = PaintingScene("shapes")
    corners = [*CORNERS, rng.choice(CORNERS)]
    rng.shuffle(corners)
    for place, (colour, count) in enumerate(zip(rng.sample(list(COLOURS), len(corners)), corners, strict=True)):
        row, column = divmod(place, 3)
        centre = (90.0 + 166 * column + rng.randint(-4, 4), 135.0 + 240 * row + rng.randint(-20, 20))
        region = Region(f"shape {place + 1}", colour, order=column, corners=count, row=row)
        scene.add(region, COLOURS[colour], _draw_shape_with(centre, count, 80 if count == 3 else 70))
    return scene


def draw_landscape(rng: random.Random) -> PaintingScene:
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
    add("sun", _draw_disc_with((x(sun), height), 56))
    add(
        "cloud",
        _draw_discs_with([(x(cloud + across), height + down) for across, down in ((-55, 12), (0, 0), (55, 12))]),
    )
    add("wall", _draw_box_with(*_order_sides(x(30), x(230), 240, 420)))
    add("roof", _draw_polygon_with([(x(10), 240), (x(130), 140 + rng.randint(0, 30)), (x(250), 240)]))
    door = rng.randint(45, 125)
    add("door", _draw_box_with(*_order_sides(x(door), x(door + 85), 310, 420)))
    scene.cover("#7f4f24", _draw_box_with(*_order_sides(x(282), x(306), 300, 420)))
    add("tree", _draw_disc_with((x(294), 250 + rng.randint(-10, 10)), 58))
    add("lake", _draw_polygon_with([(x(330), 512), (x(350), 400), (x(512), 400), (x(512), 512)]))
    scene.cover("#5c2e0e", _draw_polygon_with([(x(375), 425), (x(495), 425), (x(475), 450), (x(395), 450)]))
    add("sail", _draw_polygon_with([(x(440), 200), (x(440), 420), (x(350), 420)]))
    return scene


SCENES: dict[str, Callable[[random.Random], PaintingScene]] = {
    "bars": draw_bars, "pie": draw_pie, "shapes": draw_shapes, "landscape": draw_landscape,
}  # fmt: skip

Select = Callable[[Sequence[Region]], Sequence[Region]]
"""Returns the regions that a description fits, among all regions of a scene."""


class Description(NamedTuple):
    """Words, and the regions that they fit."""

    text: str
    select: Select


def describe_region(scene: PaintingScene, hard: bool, rng: random.Random) -> tuple[str, Region]:
    """Return a description that fits exactly one region of a scene, and the region.

    Args:
        scene: The scene.
        hard: Whether the description takes two steps, such as finding a region by its neighbour.
        rng: Chooses among the descriptions that fit a single region.
    """
    matches = [(known.text, known.select(scene.regions)) for known in list_descriptions(scene.kind, hard)]
    text, regions = rng.choice([(text, regions) for text, regions in matches if len(regions) == 1])
    return text, regions[0]


def list_descriptions(kind: str, hard: bool) -> Iterator[Description]:
    """Yield every description of a kind of scene, whether or not it fits a single region."""
    if kind == "landscape":
        for name, texts in USES.items():
            yield Description(texts[hard], _select_by_name(name))
        return
    if kind == "shapes":
        easy = [
            Description(f"the shape {words}", _select_by_corners(corners)) for corners, words in AS_MANY_CORNERS.items()
        ]
    else:
        easy = list(_describe_by_size(kind, (1,)))
    if not hard:
        yield from easy
        return
    if kind != "shapes":
        yield from _describe_by_size(kind, (2, 3))
    noun = SIZES[kind][0] if kind in SIZES else "shape"
    for known in easy:
        for words, step in WAYS[kind].items():
            text = f"the {noun} directly {words} {known.text}"
            yield Description(text, _select_neighbours(known.select, step, round_about=kind == "pie"))


class Painting(Dimension):
    """Bars, slices, shapes and things of a landscape, described in one step (easy) or two (hard).

    >>> task = Painting().build("easy", random.Random(1))
    >>> Painting().verify(task.payload, task.pictures, task.pictures["truth"]).corrected
    1.0
    """

    name = "painting"
    part = "edit"
    title = "Painting"

    def build(self, difficulty: str, rng: random.Random) -> Task:
        """Return a scene of our own with a description that fits a single region."""
        scene = SCENES[rng.choice(list(SCENES))](rng)
        description, region = describe_region(scene, difficulty == "hard", rng)
        prompt = (
            f"In this picture, paint {description} pure green (#00ff00): all of it, and nothing else. "
            "Everything else stays as it is."
        )
        # Pictures of an instance are RGB, so the mask is stored in three equal channels.
        mask = np.repeat(scene.mask_of(region)[:, :, None], 3, axis=2).astype(np.uint8) * np.uint8(255)
        pictures = {
            "input": Picture.from_pixels(scene.drawing.pixels),
            "truth": Picture.from_pixels(scene.paint(region)),
            "mask": Picture.from_pixels(mask),
        }
        return Task(prompt, {"description": description, "region": region.name}, pictures)

    def verify(self, payload: Mapping[str, Any], pictures: Mapping[str, Picture], answer: Picture) -> TaskVerdict:  # noqa: ARG002 - the mask says all
        """Return the IoU of the green area of the answer and the region's mask."""
        mask, before = pictures["mask"].pixels[..., 0], pictures["input"].pixels
        corrected = compute_corrected_paint_iou(answer.pixels, mask, before)
        return TaskVerdict(
            compute_paint_iou(answer.pixels, mask, before),
            corrected,
            corrected >= RIGHT,
            _describe_reasons(answer, pictures, corrected),
        )


def _compute_neighbours(size: int) -> tuple[tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]], npt.NDArray[np.float64]]:
    """Return for each of 512 places the two neighbours among ``size``, and the weight of the second."""
    places = np.clip((np.arange(SIDE) + 0.5) * size / SIDE - 0.5, 0, size - 1)
    first = np.floor(places).astype(np.intp)
    return (first, np.minimum(first + 1, size - 1)), places - first


def _find_green_again(pixels: Pixels, original: "Pixels | None") -> Mask:
    values = pixels.astype(np.float64)
    red, green, blue = (values[..., channel] for channel in range(3))
    before = resize_pixels(original)[..., 1].astype(np.float64) if original is not None else np.maximum(red, blue)
    mask = _clean_mask((green > 1.15 * red) & (green > 1.15 * blue) & (green - before > 10))
    return _grow_mask(mask, pixels) if mask.any() else mask


def _grow_mask(mask: Mask, pixels: Pixels) -> Mask:
    """Add neighbours whose colour is near the mean of the mask, step by step."""
    from skimage.color import rgb2lab

    lab = np.asarray(rgb2lab(pixels))
    for _ in range(GROWTH_STEPS):
        near = np.linalg.norm(lab - lab[mask].mean(axis=0), axis=2) < GROWTH_DISTANCE
        mask = mask | (ndimage.binary_dilation(mask, EIGHT) & near)
    return mask


def _clean_mask(mask: Mask) -> Mask:
    opened = _close_mask(_open_mask(mask, 3), 5)
    return _close_mask(_remove_small_parts(opened, max(50, 0.0005 * SIDE * SIDE)), 3)


def _open_mask(mask: Mask, size: int) -> Mask:
    kernel = np.ones((size, size), bool)
    return ndimage.binary_dilation(ndimage.binary_erosion(mask, kernel, border_value=1), kernel)


def _close_mask(mask: Mask, size: int) -> Mask:
    kernel = np.ones((size, size), bool)
    # Beyond the picture counts as set, so that closing takes nothing away at the edges.
    return ndimage.binary_erosion(ndimage.binary_dilation(mask, kernel), kernel, border_value=1)


def _remove_small_parts(mask: Mask, least: float) -> Mask:
    parts, count = ndimage.label(mask, EIGHT)
    large_labels = np.bincount(parts.ravel(), minlength=count + 1) >= least
    # Label 0 is the ground between the parts.
    large_labels[0] = False
    return large_labels[parts]


def _compute_iou(first: Mask, second: Mask) -> float:
    union = int((first | second).sum())
    return int((first & second).sum()) / union if union else 1.0


def _order_sides(first: float, second: float, top: float, bottom: float) -> tuple[float, float, float, float]:
    return min(first, second), top, max(first, second), bottom


def _draw_box_with(left: float, top: float, right: float, bottom: float) -> Draw:
    return lambda drawing, colour: drawing.rectangle(left, top, right, bottom, fill=colour)


def _draw_polygon_with(points: list[Point]) -> Draw:
    return lambda drawing, colour: drawing.polygon(points, fill=colour)


def _draw_disc_with(centre: Point, radius: float) -> Draw:
    return lambda drawing, colour: drawing.ellipse(centre, (radius, radius), fill=colour)


def _draw_discs_with(centres: list[Point]) -> Draw:
    return lambda drawing, colour: [_draw_disc_with(centre, 48)(drawing, colour) for centre in centres]


def _draw_wedge_with(start: float, end: float) -> Draw:
    return lambda drawing, colour: drawing.wedge((SIZE / 2, SIZE / 2), 225, start, end, fill=colour)


def _draw_shape_with(centre: Point, corners: int, radius: float) -> Draw:
    if corners == 0:
        return _draw_disc_with(centre, radius - 8)
    turn = -90 + (45 if corners == 4 else 0)
    angles = [turn + 360 * number / corners for number in range(corners)]
    return _draw_polygon_with([arc_points(centre, (radius, radius), angle, angle + 1)[0] for angle in angles])


def _describe_by_size(kind: str, ranks: Sequence[int]) -> Iterator[Description]:
    noun, greatest, least = SIZES[kind]
    for rank in ranks:
        yield Description(f"the {RANKS[rank]}{greatest} {noun}", _select_by_rank(rank, from_greatest=True))
        yield Description(f"the {RANKS[rank]}{least} {noun}", _select_by_rank(rank, from_greatest=False))


def _select_by_name(name: str) -> Select:
    return lambda regions: [region for region in regions if region.name == name]


def _select_by_corners(corners: int) -> Select:
    return lambda regions: [region for region in regions if region.corners == corners]


def _select_by_rank(rank: int, from_greatest: bool) -> Select:
    """Select the region with the ``rank``-th size; all of them if several have the same."""

    def select(regions: Sequence[Region]) -> Sequence[Region]:
        sizes = sorted({region.size for region in regions}, reverse=from_greatest)
        return [region for region in regions if region.size == sizes[rank - 1]]

    return select


def _select_neighbours(known: Select, step: tuple[int, int], round_about: bool) -> Select:
    """Select the neighbours of a region that is described, if no other region fits the description."""

    def select(regions: Sequence[Region]) -> Sequence[Region]:
        marks = known(regions)
        if len(marks) != 1:
            return ()
        row, order = marks[0].row + step[0], marks[0].order + step[1]
        # The first slice of a pie lies beside the last.
        place = (row, order % len(regions) if round_about else order)
        return [region for region in regions if (region.row, region.order) == place]

    return select


def _describe_reasons(answer: Picture, pictures: Mapping[str, Picture], iou: float) -> tuple[str, ...]:
    """Return in words how much of the region is painted, and how much beside it."""
    painted = find_green(answer.pixels, pictures["input"].pixels)
    if not painted.any():
        return ("nothing is painted green",)
    region = resize_mask(pictures["mask"].pixels[..., 0])
    inside = int((painted & region).sum())
    return (
        f"{inside / max(1, int(region.sum())):.0%} of the region is painted",
        f"{1 - inside / int(painted.sum()):.0%} of the paint lies outside of it",
        f"IoU {iou:.2f}",
    )
