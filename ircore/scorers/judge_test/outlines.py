"""What any drawer can draw: filled areas, lines and texts, in the order in which a scene shows them.

And ways of drawing the same content. ``gradient``: fills that grow darker downwards; ``shadow``: shadows under marks;
``texture``: grain of paper; ``wobble``: wobbly lines; ``bar-depth`` and ``pie-depth``: bars and pies with depth;
``scrawl``: strokes for letters.
"""

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from PIL import Image, ImageDraw

from ircore.core.drawing import find_sector_start
from ircore.core.records import Element, Scene
from ircore.scorers.verification.scene_facts.shapes import is_hollow, is_shape

Points: TypeAlias = list[tuple[float, float]]

FILLED_MARKS = {"bar", "wedge", "disc"}
"""Types of filled elements that show content, beside shapes."""

FLAT = 0.62
"""Height of a pie with depth, in parts of its width."""

DEPTH = 22
"""Pixels of 512 from the top of such a pie to its foot."""


@dataclass(frozen=True)
class FilledArea:
    """An area: its rims (the second is a hole), its colour or None, its edge's colour or None, and width in pixels."""

    rims: tuple[Points, ...]
    colour: str | None
    edge: str | None = None
    width: float = 0.0
    mark: str = ""
    """Type of the element if it shows content; empty for ground, ticks and the like."""


@dataclass(frozen=True)
class OutlineStroke:
    """A line, with dashes in pixels; empty if it is solid."""

    points: Points
    colour: str
    width: float
    dash: tuple[float, ...] = ()
    closed: bool = False


@dataclass(frozen=True)
class OutlineText:
    """A text about its middle: size of the font in pixels, degrees anticlockwise, room along its line or 0 for any."""

    at: tuple[float, float]
    text: str
    colour: str
    size: float
    turn: float
    room: float = 0.0


Outline: TypeAlias = FilledArea | OutlineStroke | OutlineText


def trace_scene(scene: Scene) -> Iterator[Outline]:
    """Yield what a scene shows, the lowest first."""
    for element in scene.elements:
        for outline in _trace_element(scene, element):
            is_mark = isinstance(outline, FilledArea) and (element.type in FILLED_MARKS or is_shape(element))
            yield replace(outline, mark=element.type) if isinstance(outline, FilledArea) and is_mark else outline


def trace_arc(centre: Any, radius: float, start: float, end: float) -> Points:
    """Return points of an arc, clockwise, degrees from 3 o'clock."""
    count = max(3, round(abs(end - start) / 3) + 1)
    turns = np.radians(np.linspace(start, end, count))
    return [(float(centre[0] + radius * math.cos(turn)), float(centre[1] + radius * math.sin(turn))) for turn in turns]


def change_outlines(outlines: list[Outline], scene: Scene, ways: Sequence[str], seed: int) -> list[Outline]:
    """Return outlines as some ways draw them, in pixels of the target."""
    rng = random.Random(f"ways/{seed}")
    if "pie-depth" in ways:
        outlines = _tilt_pie(outlines, scene)
    if "bar-depth" in ways:
        outlines = [part for outline in outlines for part in _add_sides(outline)]
    if "shadow" in ways:
        outlines = _add_shadows(outlines, scene.background or "#ffffff")
    if "scrawl" in ways:
        outlines = [part for outline in outlines for part in _scrawl_text(outline, rng)]
    if "wobble" in ways:
        outlines = [_wobble_outline(outline, rng) for outline in outlines]
    return outlines


def finish_picture(image: Image.Image, outlines: Sequence[Outline], ways: Sequence[str], seed: int) -> Image.Image:
    """Return the finished picture as some ways shade it; outlines in pixels of the picture."""
    if "gradient" in ways:
        image = _shade_marks(image, outlines)
    if "texture" in ways:
        image = _add_paper_grain(image, seed)
    return image


def mix_colours(colour: str, other: str, share: float) -> str:
    """Return a colour with a share of another one mixed in."""
    parts = zip(bytes.fromhex(colour[1:7]), bytes.fromhex(other[1:7]), strict=True)
    return "#" + "".join(f"{round(own * (1 - share) + new * share):02x}" for own, new in parts)


def _trace_element(scene: Scene, element: Element) -> Iterator[Outline]:
    about: Any = element.parameters
    colour, box = element.colour or "#000000", element.box
    if element.text is not None:
        at = ((box.left + box.right) / 2, (box.top + box.bottom) / 2)
        turn = float(about.get("rotation", 0))
        room = {0: box.right - box.left, 90: box.bottom - box.top}.get(round(turn) % 180, 0)
        yield OutlineText(at, element.text, colour, float(about.get("size", 13)), turn, float(room))
    elif element.type == "wedge":
        yield _trace_wedge(element, colour)
    elif element.type == "marker":
        yield _trace_marker(scene, element, colour)
    elif is_shape(element):
        yield _trace_shape(scene, element, colour)
    elif "points" in about and element.type != "area":
        closed = element.type in {"polygon", "circle"}
        dash = tuple(float(part) for part in about.get("dash") or ())
        yield OutlineStroke(_build_path(about["points"]), colour, float(about.get("width") or 1.0), dash, closed)
    elif element.type == "grid_line":
        yield OutlineStroke(_build_path([about["start"], about["end"]]), colour, 1.0)
    elif element.type == "sector":
        start = float(find_sector_start(element.point("centre"), about["radius"], about["degrees"], box))
        rim = trace_arc(about["centre"], about["radius"], start, start + about["degrees"])
        yield FilledArea(([*rim, tuple(about["centre"])],), colour)
    elif element.type == "arrow_head":
        yield FilledArea((_trace_arrow_head(box),), colour)
    elif element.type in {"disc", "point"}:
        yield FilledArea((trace_arc(about["centre"], about["radius"], 0, 360),), colour)
    else:
        corners = about.get("corners") or about.get("points") or _list_corners(box)
        edge = about.get("outline")
        yield FilledArea((_build_path(corners),), colour, edge, 1.0 if edge else 0.0)


def _build_path(points: Any) -> Points:
    return [(float(x), float(y)) for x, y in points]


def _list_corners(box: Any) -> Points:
    return [(box.left, box.top), (box.right, box.top), (box.right, box.bottom), (box.left, box.bottom)]


def _trace_arrow_head(box: Any) -> Points:
    across, down = (box.left + box.right) / 2, (box.top + box.bottom) / 2
    if box.right - box.left > box.bottom - box.top:
        return [(box.left, box.bottom), (box.right, box.bottom), (across, box.top)]
    return [(box.left, box.top), (box.left, box.bottom), (box.right, down)]


def _trace_wedge(element: Element, colour: str) -> FilledArea:
    about: Any = element.parameters
    end = about["start"] + 3.6 * about["share"]
    outer = trace_arc(about["centre"], about["radius"], about["start"], end)
    hole = about.get("hole") or 0.0
    inner = trace_arc(about["centre"], hole, end, about["start"]) if hole else [tuple(about["centre"])]
    return FilledArea(([*outer, *inner],), colour, about.get("outline"), float(about.get("outline_width") or 0.0))


def _trace_marker(scene: Scene, element: Element, colour: str) -> FilledArea:
    about: Any = element.parameters
    (x, y), half = about["centre"], float(about.get("size", 8)) / 2
    shape = about.get("shape", "circle")
    if shape in {"circle", "ring", "dot"}:
        fill = scene.background if shape == "ring" else colour
        return FilledArea((trace_arc((x, y), half, 0, 360),), fill, colour if shape == "ring" else None, 1.8)
    corners: dict[str, Points] = {
        "square": [(-1, -1), (1, -1), (1, 1), (-1, 1)], "diamond": [(0, -1.2), (1.2, 0), (0, 1.2), (-1.2, 0)],
        "triangle": [(0, -1.1), (1.1, 0.9), (-1.1, 0.9)],
    }  # fmt: skip
    return FilledArea(([(x + half * a, y + half * b) for a, b in corners.get(shape, corners["square"])],), colour)


def _trace_shape(scene: Scene, element: Element, colour: str) -> FilledArea:
    # Only here: the site, which needs of this package what cards say, begins without the eye.
    from skimage.measure import find_contours

    from ircore.scorers.verification.eye.regions import draw_filled_mask, draw_shape_mask

    about: Any = element.parameters
    if element.type == "ring":
        rims = (
            trace_arc(about["centre"], about["radius"], 0, 360),
            trace_arc(about["centre"], about["inner_radius"], 360, 0),
        )
        return FilledArea(rims, colour)
    if about.get("corners"):
        rim = _build_path(about["corners"])
    else:
        mask = (draw_shape_mask if is_shape(element) else draw_filled_mask)(element, scene.height, scene.width)
        rim = [(float(x) - 0.5, float(y) - 0.5) for y, x in find_contours(np.pad(mask, 1).astype(float), 0.5)[0]]  # type: ignore[no-untyped-call]
    width = float(about.get("outline_width") or 4.0)
    if is_hollow(element):
        return FilledArea((rim,), None, about.get("outline") or colour, width)
    edge = about.get("outline")
    return FilledArea((rim,), colour, edge, width if edge else 0.0)


def _add_sides(outline: Outline) -> Iterator[Outline]:
    """Yield the top and the right side of a bar that stands in space, then its front."""
    if isinstance(outline, FilledArea) and outline.mark == "bar" and outline.colour:
        xs, ys = [x for x, _ in outline.rims[0]], [y for _, y in outline.rims[0]]
        left, top, right, bottom = min(xs), min(ys), max(xs), max(ys)
        reach = max(3.0, min(9.0, 0.3 * min(right - left, bottom - top)))
        across, up = reach, -0.8 * reach
        lid = [(left, top), (left + across, top + up), (right + across, top + up), (right, top)]
        side = [(right, top), (right + across, top + up), (right + across, bottom + up), (right, bottom)]
        yield FilledArea((lid,), mix_colours(outline.colour, "#ffffff", 0.25))
        yield FilledArea((side,), mix_colours(outline.colour, "#000000", 0.25))
    yield outline


def _tilt_pie(outlines: list[Outline], scene: Scene) -> list[Outline]:
    """Return a pie that is seen from above at a slant, with its rim."""
    wedge = next((element for element in scene.elements if element.type == "wedge"), None)
    if wedge is None:
        return outlines
    x, y = (float(part) for part in wedge.parameters["centre"])  # type: ignore[union-attr, arg-type]
    reach = 1.45 * float(wedge.parameters["radius"])  # type: ignore[arg-type]

    def back(points: Points) -> Points:
        return [(a, y + (b - y) * FLAT if math.hypot(a - x, b - y) <= reach else b) for a, b in points]

    laid: list[Outline] = []
    for outline in outlines:
        if isinstance(outline, OutlineText):
            laid.append(replace(outline, at=back([outline.at])[0]))
        elif isinstance(outline, OutlineStroke):
            laid.append(replace(outline, points=back(outline.points)))
        else:
            laid.append(replace(outline, rims=tuple(back(rim) for rim in outline.rims)))
    wedges = [outline for outline in laid if isinstance(outline, FilledArea) and outline.mark == "wedge"]
    first = next(index for index, outline in enumerate(laid) if outline in wedges)
    rim = [
        FilledArea(
            tuple([(a, b + down) for a, b in part] for part in each.rims),
            mix_colours(each.colour or "#888888", "#000000", 0.3),
        )
        for down in range(DEPTH, 0, -2)
        for each in wedges
    ]
    return [*laid[:first], *rim, *laid[first:]]


def _add_shadows(outlines: list[Outline], ground: str) -> list[Outline]:
    """Return outlines with the shadows of all marks beneath the lowest mark, darker towards their middles."""
    marks = [part for part in outlines if isinstance(part, FilledArea) and part.mark and part.colour]
    if not marks:
        return outlines
    shadows = [
        FilledArea(
            tuple([(x + reach, y + reach) for x, y in rim] for rim in mark.rims), mix_colours(ground, "#202028", share)
        )
        for reach, share in ((6.0, 0.07), (4.5, 0.14), (3.0, 0.22))
        for mark in marks
    ]
    lowest = outlines.index(marks[0])
    return [*outlines[:lowest], *shadows, *outlines[lowest:]]


def _scrawl_text(outline: Outline, rng: random.Random) -> Iterator[Outline]:
    """Yield strokes in place of a text's letters: of their height and width, and none of them a letter."""
    if not isinstance(outline, OutlineText):
        yield outline
        return
    step, turn = 0.58 * outline.size, math.radians(outline.turn)
    start = -step * len(outline.text) / 2
    for place, letter in enumerate(outline.text):
        if letter.isspace():
            continue
        points = []
        for bend in range(rng.randint(3, 5)):
            along = start + step * (place + rng.uniform(0.05, 0.85))
            # Up and down in turn: as high as letters, a third of them capital ones.
            across = outline.size * (rng.uniform(0.2, 0.36) if bend % 2 else rng.uniform(-0.36, -0.1))
            points.append(
                (
                    outline.at[0] + along * math.cos(turn) + across * math.sin(turn),
                    outline.at[1] - along * math.sin(turn) + across * math.cos(turn),
                )
            )
        yield OutlineStroke(points, outline.colour, max(1.0, 0.09 * outline.size))


def _wobble_outline(outline: Outline, rng: random.Random) -> Outline:
    if isinstance(outline, OutlineText):
        x, y = outline.at
        return replace(outline, at=(x + rng.uniform(-1.5, 1.5), y + rng.uniform(-1.5, 1.5)))
    if isinstance(outline, OutlineStroke):
        return replace(outline, points=_wobble_path(outline.points, outline.closed, rng), closed=False)
    return replace(outline, rims=tuple(_wobble_path(rim, True, rng) for rim in outline.rims))


def _wobble_path(points: Points, closed: bool, rng: random.Random) -> Points:
    """Return a path as a hand draws it: off by a pixel or two, in slow waves."""
    path = np.array([*points, points[0]] if closed else points, float)
    along = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(path, axis=0).T))])
    length = float(along[-1])
    if length < 12:  # marks of ticks and small markers
        return points
    at = np.union1d(np.arange(0.0, length, 4.0), along)
    waves = np.zeros((2, len(at)))
    for axis in (0, 1):
        for period in (37.0, 90.0):
            # A closed path meets its start: whole numbers of waves.
            turns = max(1, round(length / period))
            waves[axis] += rng.uniform(0.3, 0.7) * np.sin(2 * np.pi * turns * at / length + rng.uniform(0, 6.28))
    return [
        (float(np.interp(a, along, path[:, 0]) + dx), float(np.interp(a, along, path[:, 1]) + dy))
        for a, dx, dy in zip(at, waves[0], waves[1], strict=True)
    ]


def _shade_marks(image: Image.Image, outlines: Sequence[Outline]) -> Image.Image:
    """Lighten the top and darken the foot of every mark."""
    pixels = np.asarray(image, float).copy()
    for outline in outlines:
        if not (isinstance(outline, FilledArea) and outline.mark and outline.colour):
            continue
        mask = Image.new("L", image.size)
        pen = ImageDraw.Draw(mask)
        for fill, rim in zip((255, 0), outline.rims, strict=False):
            pen.polygon(rim, fill=fill)
        inside = np.asarray(mask) > 0
        rows = np.flatnonzero(inside.any(axis=1))
        if len(rows) < 2:
            continue
        ramp = np.interp(np.arange(image.height), (rows[0], rows[-1]), (0.22, -0.2))[:, None, None]
        shaded = np.where(ramp > 0, pixels + ramp * (255 - pixels), pixels * (1 + ramp))
        pixels = np.where(inside[:, :, None], shaded, pixels)
    return Image.fromarray(np.clip(np.round(pixels), 0, 255).astype(np.uint8))


def _add_paper_grain(image: Image.Image, seed: int) -> Image.Image:
    """Lay the grain of paper over a picture: soft patches and fine specks, some levels strong."""
    rng = np.random.default_rng(seed)
    coarse = rng.normal(0, 1, (max(2, image.height // 24), max(2, image.width // 24)))
    patches = Image.fromarray(coarse.astype(np.float32)).resize(image.size, Image.Resampling.BICUBIC)
    grain = 2.5 * np.asarray(patches) + rng.normal(0, 3.0, (image.height, image.width))
    return Image.fromarray(np.clip(np.asarray(image, float) + grain[:, :, None], 0, 255).astype(np.uint8))
