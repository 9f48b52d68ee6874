"""Areas of one colour: shapes, panels, filled areas, and the ground behind them.

A target is prepared once for all its renderings: readings of the target itself.
"""

import math
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from PIL import Image, ImageDraw
from scipy import ndimage

from ircore.core.images import Picture
from ircore.core.records import Box, Element, Scene
from ircore.instances.scene_percepts import complete_scene
from ircore.scorers.verification.eye.texts import Block, find_blocks
from ircore.scorers.verification.eye.view import (
    EyeView,
    Floats,
    Mask,
    cut_window,
    find_commonest_colour,
    format_rgb,
    grow_box,
    measure_lab_distance,
    select_distinct,
)
from ircore.scorers.verification.scene_facts import Fact, Mark, list_facts, list_marks

APART = 7.0
"""Distance in L*a*b* between an area and its ground."""

ONE_COLOUR = 0.93
"""Share of what is drawn in a place that has one colour; where it is less, the face is shaded or hatched."""
NEAR = 10
"""Pixels about its place within which shades belong to an area."""
LEAST_INSIDE, THIN = 12, 0.15
"""Pixels well inside an area, and parts of all that are visible, below which it is thin."""
SAME_HUE, DARKER, STRONGER = 13.0, 48.0, 1.25
"""Chroma by which a shade may be off its colour's, lightness by which it may differ, and times the chroma of the
commonest shade that the colour itself has at most."""

ROUND = {
    "circle": (1.0, 1.0, 0.0, 360.0), "ring": (1.0, 1.0, 0.0, 360.0), "ellipse": (1.0, 0.6, 0.0, 360.0),
    "half_circle": (1.0, 1.0, 180.0, 180.0), "quarter_circle": (1.0, 1.0, 270.0, 90.0),
}  # fmt: skip
"""Round shapes: half-axes as parts of the radius, first direction and sweep in degrees clockwise from 3 o'clock."""

TINT = 3.5
"""Distance in L*a*b* by which the middle colour of a tinted area differs from what lies around it."""

REMEMBERED = 16
"""Targets whose side is kept."""
SLACK = 7
"""Pixels about everything expected within which nothing counts as extra."""

_targets: "OrderedDict[str, Target]" = OrderedDict()


@dataclass(frozen=True, eq=False)
class SeenArea:
    """An area as seen: its colour #rrggbb, its pixels, and their box.

    Example:
        >>> area = SeenArea("#d62828", np.ones((2, 3), bool), Box(0, 0, 3, 2))
        >>> int(area.mask.sum())
        6
    """

    colour: str
    mask: Mask
    box: Box


def find_shades(lab: Floats, colour: Floats) -> Mask:
    """Return which pixels are darker or paler shades of a colour, as gradients, gloss and hatching show them.

    Example:
        >>> red, dark_red, blue = (np.array(lab, np.float32) for lab in ([53, 80, 67], [30, 46, 38], [32, 79, -108]))
        >>> find_shades(np.stack([red, dark_red, blue]), red).tolist()
        [True, True, False]
    """
    lightness = float(np.clip(colour[0], 5, 95))
    # Towards black and towards white a colour loses its chroma; what is seen may itself be a shade of a stronger one.
    parts = lab[..., 0] / lightness, (100.0 - lab[..., 0]) / (100.0 - lightness)
    least, most = np.minimum(*parts), np.clip(np.maximum(*parts), 1.0, STRONGER)
    chroma = max(float(np.hypot(colour[1], colour[2])), 1e-3)
    along = (lab[..., 1] * colour[1] + lab[..., 2] * colour[2]) / chroma
    across = (lab[..., 1] * colour[2] - lab[..., 2] * colour[1]) / chroma
    off = np.hypot(across, along - np.clip(along, least * chroma, most * chroma))
    shades: Mask = (off < SAME_HUE) & (np.abs(lab[..., 0] - colour[0]) < DARKER)
    return shades


def draw_polygon_mask(points: Sequence[Sequence[float]], height: int, width: int) -> Mask:
    """Return which pixels lie inside a polygon, x and y in pixels."""
    image = Image.new("1", (width, height))
    # Pillow counts from the middles of pixels, scenes from their corners.
    ImageDraw.Draw(image).polygon([(float(x) - 0.5, float(y) - 0.5) for x, y in points], fill=1)
    return np.array(image, dtype=bool)


def compute_circle_points(
    x: float, y: float, radius: float, start: float = 0.0, sweep: float = 360.0
) -> list[tuple[float, float]]:
    """Return points on a circle, clockwise from ``start`` degrees."""
    turns = [math.radians(start + sweep * k / 60) for k in range(61)]
    return [(x + radius * math.cos(turn), y + radius * math.sin(turn)) for turn in turns]


class AreaPlace(NamedTuple):
    """Where an area should be: visible pixels well inside, and visible pixels of the ground close around.

    Example:
        >>> expected = draw_polygon_mask([[4, 4], [16, 4], [16, 16], [4, 16]], 20, 20)
        >>> place = find_place(expected, np.zeros((20, 20), bool))
        >>> bool((place.inner & ~expected).any())
        False
    """

    inner: Mask
    around: Mask


def find_place(expected: Mask, hidden: Mask) -> AreaPlace:
    """Return where to look for an area.

    Args:
        expected: Which pixels it covers in the target.
        hidden: Which pixels something else of the target covers.
    """
    inner = ndimage.binary_erosion(expected, iterations=2) & ~hidden
    visible = expected & ~hidden
    # Of a small or thin area hardly anything is inside, an outline's corners at most: it is looked at whole.
    if inner.sum() < max(LEAST_INSIDE, THIN * visible.sum()):
        inner = visible
    beyond = ndimage.binary_dilation(expected, iterations=9) & ~ndimage.binary_dilation(expected, iterations=4)
    return AreaPlace(inner, beyond & ~hidden)


def find_area(view: EyeView, place: AreaPlace) -> SeenArea | None:
    """Look for an area of one colour about its expected place.

    Args:
        view: The rendering over its target.
        place: Where it should be.

    Returns:
        The area; None if nothing there differs from the ground.
    """
    inner, around = place
    if inner.sum() < 6:
        return None
    ground = find_commonest_colour(view.sample_lab(around)) if around.sum() >= 12 else view.background
    far = measure_lab_distance(view.lab, ground)
    differs = inner & (far > APART)
    if differs.sum() < 0.2 * inner.sum():
        return None
    colour = find_commonest_colour(view.sample_lab(differs))
    if float(measure_lab_distance(colour, ground)) < APART:
        return None
    own = measure_lab_distance(view.lab, colour) < min(
        14.0, max(5.0, 0.5 * float(measure_lab_distance(colour, ground)))
    )
    if (own & differs).sum() < ONE_COLOUR * differs.sum():
        shaded = find_shades(view.lab, colour) & (far > max(APART, 0.3 * float(measure_lab_distance(colour, ground))))
        # Lines of a hatching, of whatever colour, are part of the face.
        shaded = ndimage.binary_closing(own | shaded, iterations=2)
        # Shades of a shape beside may be much the same.
        shaded &= own | ndimage.binary_dilation(inner, iterations=NEAR)
        own = shaded if shaded[inner].mean() > own[inner].mean() else own
    parts, _ = ndimage.label(own)
    numbers, sizes = np.unique(parts[inner & own], return_counts=True)
    # Parts that hardly reach into the expected place belong to something else.
    mask = np.isin(parts, numbers[(numbers > 0) & (sizes > 0.04 * inner.sum())])
    if mask.sum() < 0.15 * inner.sum():
        return None
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    box = Box(int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1)
    return SeenArea(format_rgb(view.compute_median(mask & inner)), mask, box)


def find_hidden_pixels(scene: Scene, index: int) -> Mask:
    """Return which pixels are covered by elements that are drawn after the element ``index``."""
    mask = np.zeros((scene.height, scene.width), bool)
    for element in scene.elements[index + 1 :]:
        mask |= draw_covered_mask(scene, element)
    return mask


def draw_covered_mask(scene: Scene, element: Element) -> Mask:
    """Return which pixels an element covers, two more on each side for lines and writing."""
    height, width = scene.height, scene.width
    about: Any = element.parameters
    if element.text is not None:
        mask = np.zeros((height, width), bool)
        cut_window(mask, grow_box(element.box, 2))[...] = True
        return mask
    if element.type in ROUND and "radius" in about and "points" not in about:
        return draw_shape_mask(element, height, width)
    if "points" in about and element.type != "area":
        image = Image.new("1", (width, height))
        points = [(float(x), float(y)) for x, y in about["points"]]
        if element.type in {"polygon", "circle"}:
            points.append(points[0])
        ImageDraw.Draw(image).line(points, fill=1, width=math.ceil(float(about.get("width", 2))) + 4)
        return np.array(image, dtype=bool)
    return draw_filled_mask(element, height, width)


def draw_filled_mask(element: Element, height: int, width: int) -> Mask:
    """Return which pixels a filled element covers."""
    about = element.parameters
    corners = about.get("corners") or (about.get("points") if element.type == "area" else None)
    if corners:
        return draw_polygon_mask(corners, height, width)  # type: ignore[arg-type]
    if element.type in {"sector", "wedge"}:
        x, y = (float(part) for part in about["centre"])  # type: ignore[union-attr, arg-type]
        rim = compute_circle_points(x, y, float(about["radius"]), *_compute_span(element))  # type: ignore[arg-type]
        return draw_polygon_mask([*rim, (x, y)], height, width)
    box = element.box
    if element.type in {"disc", "point", "circle", "marker"}:
        x, y, radius = (box.left + box.right) / 2, (box.top + box.bottom) / 2, (box.right - box.left) / 2
        return draw_polygon_mask(compute_circle_points(x, y, radius), height, width)
    mask = np.zeros((height, width), bool)
    cut_window(mask, box)[...] = True
    return mask


def draw_shape_mask(element: Element, height: int, width: int) -> Mask:
    """Return which pixels lie within the rim of a coloured shape."""
    about: Any = element.parameters
    if element.type not in ROUND:
        return draw_polygon_mask(about["corners"], height, width)
    (x, y), radius = about["centre"], float(about["radius"])
    wide, high, start, sweep = ROUND[element.type]
    rim = compute_circle_points(0, 0, 1, start, sweep)
    # A part of a disc has a corner in the disc's centre.
    if sweep < 360:
        rim.append((0.0, 0.0))
    turn = math.radians(float(about.get("rotation", 0)))
    points = [(radius * wide * px, radius * high * py) for px, py in rim]
    turned = [(float(x) + px * math.cos(turn) - py * math.sin(turn), float(y) + px * math.sin(turn) + py *
    math.cos(turn))
              for px, py in points]  # fmt: skip
    return draw_polygon_mask(turned, height, width)


def draw_hole_mask(element: Element, filled: Mask) -> Mask:
    """Return which pixels lie in the hole of a shape within whose rim ``filled`` lies; none if it has no hole."""
    inner = element.parameters.get("inner_radius")
    if not inner:
        return np.zeros_like(filled)
    x, y = (float(part) for part in element.parameters["centre"])  # type: ignore[union-attr, arg-type]
    return filled & draw_polygon_mask(compute_circle_points(x, y, float(inner)), *filled.shape)  # type: ignore[arg-type]


def draw_outline_ring(element: Element, filled: Mask) -> Mask:
    """Return which pixels the outline of a hollow shape covers."""
    width = max(2, round(float(element.parameters.get("outline_width", 4))))  # type: ignore[arg-type]
    return filled & ~ndimage.binary_erosion(filled, iterations=width)


def find_tint(view: EyeView, expected: Mask, hidden: Mask) -> str | None:
    """Return the colour of an area that may be lightly tinted, #rrggbb.

    Returns:
        None if it is not tinted; an empty text if the area is too small to say.
    """
    inner = ndimage.binary_erosion(expected, iterations=3) & ~hidden
    if inner.sum() < 25:
        inner = expected & ~hidden
    if inner.sum() < 16:
        return ""
    around = ndimage.binary_dilation(expected, iterations=14) & ~ndimage.binary_dilation(expected, iterations=5)
    around &= ~hidden
    ground = np.median(view.sample_lab(around), axis=0) if around.sum() >= 30 else view.background
    colour = np.median(view.sample_lab(inner), axis=0)
    if min(float(measure_lab_distance(colour, ground)), float(measure_lab_distance(colour, view.background))) < TINT:
        return None
    return format_rgb(view.compute_median(inner))


@dataclass(frozen=True, eq=False)
class Target:
    """A target with its scene, its facts, and the eye's own view of the target.

    Example:
        >>> from ircore.instances.targets.categories import draw_target
        >>> drawn = draw_target("pie_graph", "easy", seed=1)
        >>> target = Target(Picture.from_pixels(drawn.drawing.pixels), drawn.scene)
        >>> {fact.mark for fact in target.facts} >= {mark.key for mark in target.marks if mark.kind == "wedge"}
        True
    """

    picture: Picture
    scene: Scene

    @cached_property
    def facts(self) -> list[Fact]:
        """All facts."""
        return list_facts(self.scene)

    @cached_property
    def marks(self) -> list[Mark]:
        """All marks."""
        return list_marks(self.scene)

    @cached_property
    def view(self) -> EyeView:
        """The target as the eye sees it."""
        return EyeView(self.picture.pixels, self.scene)

    @cached_property
    def texts(self) -> list[Element]:
        """The elements that are texts."""
        return [element for element in self.scene.elements if element.text is not None]

    @cached_property
    def blocks(self) -> list[Block | None]:
        """The writing of each text, in the target."""
        return find_blocks(self.view, self.texts)

    @cached_property
    def colours(self) -> list[str]:
        """The scene's colours that differ."""
        return select_distinct([*(element.colour for element in self.scene.elements), self.scene.background])

    def find_hidden(self, index: int) -> Mask:
        """Return which pixels of an element something else covers."""
        return self.view.compute_once(f"hidden {index}", lambda: find_hidden_pixels(self.scene, index))

    def others(self, index: int) -> Mask:
        """Return where anything else than an element is drawn, above it or below it, or close by."""
        return self.view.compute_once(
            f"others {index}", lambda: ndimage.binary_dilation(self._draw_element_mask(index), iterations=3)
        )

    def outline(self, index: int) -> Mask:
        """Return which pixels a filled element covers."""
        element, size = self.scene.elements[index], (self.scene.height, self.scene.width)
        return self.view.compute_once(f"outline {index}", lambda: draw_filled_mask(element, *size))

    def shape(self, index: int) -> Mask:
        """Return which pixels lie within a shape's rim, any hole included."""
        element, size = self.scene.elements[index], (self.scene.height, self.scene.width)
        return self.view.compute_once(f"shape {index}", lambda: draw_shape_mask(element, *size))

    @cached_property
    def explained(self) -> Mask:
        """Where anything is expected, with some slack."""
        return np.asarray(ndimage.binary_dilation(self.drawn, iterations=SLACK))

    @cached_property
    def beside(self) -> Mask:
        """The ground close beside drawn elements, which is uneven in a heavily compressed rendering."""
        return self.explained & ~np.asarray(ndimage.binary_dilation(self.drawn, iterations=3))

    @cached_property
    def drawn(self) -> Mask:
        """Where anything is drawn."""
        return self._draw_element_mask()

    def _draw_element_mask(self, without: int | None = None) -> Mask:
        mask = np.zeros((self.scene.height, self.scene.width), bool)
        for index, element in enumerate(self.scene.elements):
            if index != without and element.type not in {"background", "panel"}:
                mask |= draw_covered_mask(self.scene, element)
        return mask


def prepare_target(picture: Picture, scene: Scene) -> Target:
    """Return a target prepared for the eye; the last few prepared targets are kept."""
    scene = complete_scene(scene)
    target = _targets.get(picture.sha256)
    if target is None or target.scene != scene:
        target = Target(picture, scene)
        _targets[picture.sha256] = target
        while len(_targets) > REMEMBERED:
            _targets.popitem(last=False)
    return target


def _compute_span(element: Element) -> tuple[float, float]:
    about = element.parameters
    if element.type == "wedge":
        return float(about["start"]), 3.6 * float(about["share"])  # type: ignore[arg-type]
    return _find_sector_start(element), float(about["degrees"])  # type: ignore[arg-type]


def _find_sector_start(element: Element) -> float:
    """Return the first direction of a tinted angle, for which the sector's box is the element's box."""
    about = element.parameters
    x, y = (float(part) for part in about["centre"])  # type: ignore[union-attr, arg-type]
    radius, degrees = float(about["radius"]), float(about["degrees"])  # type: ignore[arg-type]
    best, least = 0.0, math.inf
    for start in range(0, 360, 2):
        points = np.array([*compute_circle_points(x, y, radius, start, degrees), (x, y)])
        (left, top), (right, bottom) = points.min(axis=0), points.max(axis=0)
        off = sum(abs(edge - side) for edge, side in zip(element.box, (left, top, right, bottom), strict=True))
        if off < least:
            best, least = float(start), off
    return best
