"""Attributes of drawn things, verified on pixels: parts by colour, and how parts lie to one another."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from ircore.core.images import Pixels
from ircore.seeing.colours import name_colour

LEAST = 0.0008
"""Share of the picture: smaller areas of a colour are specks."""
THICK = 0.006
"""Distance of an area's innermost pixel from the area's edge as a share of the picture; thinner ones are soft edges."""
STEP = 8
"""Values of a channel that are named alike."""
FORMS = {"round": (0.7, 0.805), "octagonal": (0.805, 0.86), "square": (0.9, 1.0)}
"""Share of its box that a form fills; a disc fills π / 4 = 0.785, a regular octagon 0.828."""

Mask = npt.NDArray[np.bool_]

COLOURS = (
    "black", "white", "grey", "red", "orange", "yellow", "green", "turquoise", "blue", "purple", "pink", "brown",
    "olive", "pale", "ground",
)  # fmt: skip
"""Names of colours; ``pale`` stands for everything light that is neither white nor grey."""
_NO_THING = ("white", "pale", "ground")
"""Names that are no thing's colour: the ground, its shades, and highlights."""
_NUMBERS = {colour: number for number, colour in enumerate(COLOURS)}


@dataclass(frozen=True)
class ColourArea:
    """A connected area of a colour; places and sizes as shares of the picture's width and height.

    Attributes:
        left: Left edge of its box; ``top``, ``right`` and ``bottom`` are the other edges.
        x: Middle of its pixels across; ``y`` is down.
        share: Its pixels as a share of the picture.
        fill: Its pixels as a share of its box.
        enclosed: The same with its holes filled.
    """

    left: float
    top: float
    right: float
    bottom: float
    x: float
    y: float
    share: float
    fill: float
    enclosed: float

    def holds(self, other: "ColourArea", slack: float = 0.02) -> bool:
        """Return whether the box of this area holds the other's box."""
        return (
            self.left - slack <= other.left
            and self.top - slack <= other.top
            and other.right <= self.right + slack
            and other.bottom <= self.bottom + slack
        )


class Areas:
    """The areas of a picture by colour, largest first; the ground, which most of the picture's edge shows, is none.

    >>> picture = np.full((10, 10, 3), 255, np.uint8)
    >>> picture[4:6, 3:8] = (220, 30, 30)
    >>> [round(area.share, 2) for area in Areas(picture).of("red")], Areas(picture).of("white")
    ([0.1], ())

    Args:
        pixels: Height × width × 3, RGB.
    """

    def __init__(self, pixels: Pixels) -> None:
        self._names = _clear_ground(_name_pixels(pixels))

    def of(self, *colours: str) -> tuple[ColourArea, ...]:
        """Return the areas of one or several colours, taken together."""
        mask = np.isin(self._names, [_NUMBERS[colour] for colour in colours])
        parts, _ = ndimage.label(mask, np.ones((3, 3)))
        areas = []
        for number, place in enumerate(ndimage.find_objects(parts), start=1):
            part = parts[place] == number
            if place is not None and part.sum() >= LEAST * mask.size:
                areas.append(_measure_area(part, place, mask.shape))
        return tuple(sorted(areas, key=lambda area: -area.share))

    def things(self, alike: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, ColourArea]]:
        """Yield colour and area of each thing, with its outline, highlights and soft edge as parts of it.

        Of areas that hang together the thickest is a thing; so is every other one, as of things that touch, unless its
        box holds the thing or is held by it.

        Args:
            alike: For a colour, names of others that are taken for it.
        """
        taken_for = {name: colour for colour, names in alike.items() for name in names}
        clusters, _ = ndimage.label(~np.isin(self._names, [_NUMBERS[name] for name in _NO_THING]), np.ones((3, 3)))
        for number, place in enumerate(ndimage.find_objects(clusters), start=1):
            cluster, names = clusters[place] == number, self._names[place]
            if cluster.sum() < LEAST * clusters.size:
                continue
            masks: dict[str, Mask] = {}
            for value in np.unique(names[cluster]):
                colour = taken_for.get(COLOURS[value], COLOURS[value])
                masks[colour] = masks.get(colour, np.zeros_like(cluster)) | (cluster & (names == value))
            areas = [
                (depth, colour, area)
                for colour, mask in masks.items()
                for depth, area in _find_thick_areas(mask, place, self._names.shape)
            ]
            whole: list[ColourArea] = []
            # Outlines and highlights are thinner than the thing that they belong to, so the thickest area comes first.
            for _, colour, area in sorted(areas, key=lambda thick: -thick[0]):
                if not any(area.holds(thing) or thing.holds(area) for thing in whole):
                    whole.append(area)
                    yield colour, area

    def pale_things(self) -> Iterator[ColourArea]:
        """Yield light areas that stand for themselves: neither the ground, nor the soft edge of a thing."""
        mask = self._names == _NUMBERS["pale"]
        parts, _ = ndimage.label(mask, np.ones((3, 3)))
        at_edge = set(_select_edge(parts).tolist())
        for number, place in enumerate(ndimage.find_objects(parts), start=1):
            if number not in at_edge:
                yield from (area for _, area in _find_thick_areas(parts[place] == number, place, mask.shape))


class Attribute(Protocol):
    """A property of a thing that a picture shows or does not show.

    >>> attribute: Attribute = Shows("white", least=1)
    >>> attribute.words, attribute.holds(Areas(np.zeros((10, 10, 3), np.uint8)))
    ('something white', False)
    """

    @property
    def words(self) -> str:
        """The property in words."""
        ...

    def holds(self, areas: Areas) -> bool:
        """Return whether a picture shows the property."""
        ...


@dataclass(frozen=True)
class Shows:
    """A number of areas of a colour, the smallest of which has a share of the picture.

    >>> Shows("red", least=2, most=2).words
    '2 red parts'
    """

    colour: str
    least: int = 1
    most: int | None = None
    share: float = LEAST

    @property
    def words(self) -> str:
        """The property in words."""
        if self.least == 1:
            return f"something {self.colour}"
        return f"{self.least if self.least == self.most else f'at least {self.least}'} {self.colour} parts"

    def holds(self, areas: Areas) -> bool:
        """Return whether there are as many areas."""
        count = sum(area.share >= self.share for area in areas.of(*self.colour.split(" or ")))
        return self.least <= count and (self.most is None or count <= self.most)


@dataclass(frozen=True)
class Above:
    """The largest area of a colour lies above that of another colour.

    >>> Above("red", "green").words
    'red above green'
    """

    upper: str
    lower: str

    @property
    def words(self) -> str:
        """The property in words."""
        return f"{self.upper} above {self.lower}"

    def holds(self, areas: Areas) -> bool:
        """Return whether both are there and the middle of the upper area is clearly higher."""
        upper, lower = (areas.of(*colour.split(" or ")) for colour in (self.upper, self.lower))
        # Middles that differ by less than 1.5 % of the height count as level.
        return bool(upper and lower) and upper[0].y + 0.015 < lower[0].y


@dataclass(frozen=True)
class Within:
    """A number of areas of a colour lie within the largest area of another colour.

    >>> Within("black", "white", least=5, most=5).words
    '5 black parts within white'
    """

    inner: str
    outer: str
    least: int = 1
    most: int | None = None

    @property
    def words(self) -> str:
        """The property in words."""
        if self.least == 1:
            return f"{self.inner} within {self.outer}"
        number = self.least if self.least == self.most else f"at least {self.least}"
        return f"{number} {self.inner} parts within {self.outer}"

    def holds(self, areas: Areas) -> bool:
        """Return whether as many of them lie in the outer area's box."""
        outer = areas.of(*self.outer.split(" or "))
        if not outer:
            return False
        inner = [area for area in areas.of(*self.inner.split(" or ")) if area.share < outer[0].share]
        count = sum(outer[0].holds(area) for area in inner)
        return self.least <= count and (self.most is None or count <= self.most)


@dataclass(frozen=True)
class Formed:
    """The largest area of a colour, its holes filled, has a form.

    >>> Formed("red", "round").words
    'red is round'

    Attributes:
        form: ``round``, ``square``, ``octagonal``, ``wide``, ``tall`` or ``pointed upwards``.
    """

    colour: str
    form: str

    @property
    def words(self) -> str:
        """The property in words."""
        return f"{self.colour} is {self.form}"

    def holds(self, areas: Areas) -> bool:
        """Return whether the form fits: how much of its box the area fills, and the box's proportions."""
        coloured_areas = areas.of(*self.colour.split(" or "))
        return bool(coloured_areas) and _has_form(coloured_areas[0], self.form)


@cache
def _build_name_table() -> npt.NDArray[np.uint8]:
    """Return the number of the name of each colour whose channels are told apart in steps of ``STEP``."""
    steps = range(STEP // 2, 256, STEP)
    # Naming a colour is slow, so 32,768 colours are named once and every pixel is looked up.
    names = (name_colour(f"#{red:02x}{green:02x}{blue:02x}") for red, green, blue in product(steps, repeat=3))
    return np.array([_NUMBERS[_simplify_name(name)] for name in names], np.uint8)


def _simplify_name(name: str) -> str:
    shade, _, colour = name.rpartition(" ")
    return "pale" if shade == "light" and colour != "grey" else colour


def _name_pixels(pixels: Pixels) -> npt.NDArray[np.uint8]:
    count = 256 // STEP
    # Wider than a byte, which an index into the table would overflow.
    red, green, blue = (pixels[..., channel].astype(np.int64) // STEP for channel in range(3))
    names: npt.NDArray[np.uint8] = _build_name_table()[(red * count + green) * count + blue]
    return names


def _select_edge(values: "np.ndarray[Any, Any]") -> "np.ndarray[Any, Any]":
    return np.concatenate([values[0], values[-1], values[:, 0], values[:, -1]])


def _clear_ground(names: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Return the names with every area as ground that reaches the edge and has the edge's commonest colour."""
    parts, _ = ndimage.label(names == np.bincount(_select_edge(names)).argmax(), np.ones((3, 3)))
    at_edge = np.unique(_select_edge(parts))
    ground = np.isin(parts, at_edge[at_edge > 0])
    return np.where(ground, np.uint8(_NUMBERS["ground"]), names)


def _find_thick_areas(
    mask: Mask, place: tuple[slice, ...], size: tuple[int, ...]
) -> Iterator[tuple[float, ColourArea]]:
    """Yield thickness and area of each mark in a part of a picture, except specks and thin lines."""
    parts, count = ndimage.label(mask, np.ones((3, 3)))
    for number in range(1, count + 1):
        part = parts == number
        if part.sum() < LEAST * size[0] * size[1]:
            continue
        # The frame of one pixel lets an area that touches its box have an edge there, too.
        depth = float(ndimage.distance_transform_edt(np.pad(part, 1)).max())
        if depth >= THICK * min(size):
            rows, columns = np.flatnonzero(part.any(axis=1)), np.flatnonzero(part.any(axis=0))
            box = (slice(int(rows[0]), int(rows[-1]) + 1), slice(int(columns[0]), int(columns[-1]) + 1))
            within = tuple(
                slice(outer.start + inner.start, outer.start + inner.stop)
                for outer, inner in zip(place, box, strict=True)
            )
            yield depth, _measure_area(part[box], within, size)


def _measure_area(part: Mask, place: tuple[slice, ...], size: tuple[int, ...]) -> ColourArea:
    rows, columns = np.nonzero(part)
    (top, bottom), (left, right) = ((edge.start, edge.stop) for edge in place)
    filled = ndimage.binary_fill_holes(part)
    return ColourArea(
        left=left / size[1],
        top=top / size[0],
        right=right / size[1],
        bottom=bottom / size[0],
        # A pixel's middle lies half a pixel from its edge.
        x=(left + float(columns.mean()) + 0.5) / size[1],
        y=(top + float(rows.mean()) + 0.5) / size[0],
        share=len(rows) / (size[0] * size[1]),
        fill=len(rows) / part.size,
        enclosed=int(filled.sum()) / part.size,
    )


def _has_form(area: ColourArea, form: str) -> bool:
    tall = (area.bottom - area.top) / (area.right - area.left)
    if form == "wide":
        return tall < 0.8
    if form == "tall":
        return tall > 1.25
    if form == "pointed upwards":
        # A triangle on its base fills half of its box and has its middle at two thirds of the height.
        return area.y > (area.top + area.bottom) / 2 + 0.05 * (area.bottom - area.top) and area.enclosed < 0.72
    low, high = FORMS[form]
    # With holes filled, because spots and letters on a thing do not change the thing's form.
    return low <= area.enclosed <= high and 0.75 < tall < 1.33
