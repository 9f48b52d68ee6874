"""What was drawn beside what was to be drawn: the items of a finished canvas against the scene of its target.

Both are lists of things with places in pixels, so nothing has to be recognised. A thing counts only if it is drawn with
the right meaning: a bar as a rectangle, a line of a chart as one line.
"""

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageColor, ImageDraw
from scipy.optimize import linear_sum_assignment

from ircore.core.drawing import Point
from ircore.core.records import Element, Scene
from ircore.instances.targets.simple_shapes import compute_corners
from ircore.players.builtin.canvas.render import smooth
from ircore.players.builtin.canvas.shapes import Blob, Canvas, Item, LineItem, PieItem

Floats = npt.NDArray[np.float64]
SAME_COLOUR = 40.0
"""Euclidean distance in RGB (0–441) up to which colours are the same."""
NEAR_SHAPE, NEAR_SEGMENT, NEAR_VALUE = 0.04, 0.03, 5.0
"""Shares of the image width for shapes and for geometry, and points of a chart's range."""
GUESS = 1 / 3
"""Mean distance of two random heights, as a share of the height: what counts where a line is missing."""
ROUND = {"circle", "dot", "ellipse"}


def colours_apart(one: str | None, other: str | None) -> float:
    """Return the distance of two colours in RGB; infinity if one is missing."""
    if one is None or other is None:
        return math.inf
    return math.dist(ImageColor.getrgb(one)[:3], ImageColor.getrgb(other)[:3])


def about(element: Element) -> dict[str, Any]:
    """Return an element's parameters; what they hold is known from its type."""
    return element.parameters


def matched(costs: Sequence[Sequence[float]], limit: float) -> list[tuple[int, int]]:
    """Pair rows with columns at the least cost; pairs that cost more than ``limit`` do not count."""
    if not costs or not costs[0]:
        return []
    table = np.minimum(np.array(costs, float), 1e6)
    rows, columns = linear_sum_assignment(table)
    return [(int(row), int(column)) for row, column in zip(rows, columns, strict=True) if table[row, column] <= limit]


def shapes(scene: Scene, canvas: Canvas) -> dict[str, float]:
    """Share of shapes right in class, colour and place: all four sides of the box within 4 % of the width."""
    wanted = [element for element in scene.elements if element.type != "background"]
    drawn = [item for item in canvas.items if isinstance(item, Blob | PieItem)]
    costs = [[_sides_apart(element, item) + 50 * (not _alike(element, item)) for item in drawn] for element in wanted]
    near = NEAR_SHAPE * scene.width
    right = sum(
        _sides_apart(wanted[row], drawn[column]) <= near and _alike(wanted[row], drawn[column])
        for row, column in matched(costs, 1e6)
    )
    return {"elements right": right / len(wanted)}


def _sides_apart(element: Element, item: Blob | PieItem) -> float:
    grown = item.stroke / 2 if isinstance(item, Blob) and item.outline else 0.0
    left, top, right, bottom = item.box
    box = (left - grown, top - grown, right + grown, bottom + grown)
    return max(abs(item - other) for item, other in zip(box, element.box, strict=True))


def _alike(element: Element, item: Blob | PieItem) -> bool:
    """Whether class and colour are right."""
    hollow = about(element).get("filled") is False
    fill = item.fill if isinstance(item, Blob) else item.colour
    colour = item.colour if hollow else fill
    same_fill = hollow == (fill is None)
    return same_fill and colours_apart(element.colour, colour) <= SAME_COLOUR and _same_class(element, item)


def _same_class(element: Element, item: Blob | PieItem) -> bool:
    """Round things by name, others by their number of corners and by how far they cover each other when centred."""
    if isinstance(item, PieItem):
        return element.type == "ring" and item.hole > 0 and len(item.slices) == 1
    if element.type == "ring" or item.kind == "ring":
        return element.type == item.kind
    path, wanted = item.path(), _outline(element)
    if element.type in {"circle", "ellipse"}:
        return item.kind in ROUND and _overlap(path, wanted) > 0.85
    if element.type in {"half_circle", "quarter_circle"}:
        return item.kind not in ROUND and _overlap(path, wanted) > 0.85
    return len(path) == len(wanted) and _overlap(path, wanted) > 0.8


def _outline(element: Element) -> list[Point]:
    facts = about(element)
    if "corners" in facts:
        return [(float(x), float(y)) for x, y in facts["corners"]]
    turn = math.radians(facts.get("rotation", 0))
    flat = compute_corners(element.type, float(facts["radius"]))
    return [(x * math.cos(turn) - y * math.sin(turn), x * math.sin(turn) + y * math.cos(turn)) for x, y in flat]


def _overlap(one: Sequence[Point], other: Sequence[Point]) -> float:
    """Return the intersection over the union of two outlines, the middles of their boxes put on each other."""
    masks = [_mask(one), _mask(other)]
    return float((masks[0] & masks[1]).sum() / max(1, (masks[0] | masks[1]).sum()))


def _mask(path: Sequence[Point]) -> npt.NDArray[np.bool_]:
    xs, ys = zip(*path, strict=True)
    middle = (min(xs) + max(xs)) / 2 - 300, (min(ys) + max(ys)) / 2 - 300
    picture = Image.new("1", (600, 600))
    ImageDraw.Draw(picture).polygon([(x - middle[0], y - middle[1]) for x, y in path], fill=1)
    return np.asarray(picture)


def bars(scene: Scene, canvas: Canvas) -> dict[str, float]:
    """Whether the number of bars is right, and the share whose length is within 5 points of the axis."""
    wanted = [element for element in scene.elements if element.type == "bar"]
    drawn = [item for item in canvas.items if isinstance(item, Blob) and _is_bar(item, canvas)]
    along = 1 if about(wanted[0])["orientation"] == "vertical" else 0
    name = "y" if along else "x"
    axis = next(
        (element for element in scene.elements if element.type == "axis" and about(element)["axis"] == name), None
    )
    low, high = about(axis)["pixel_range"] if axis else (0, 0.8 * scene.height)
    costs = [[_bar_cost(name.box, item.box, along) for item in drawn] for name in wanted]
    right = 0
    for row, column in matched(costs, 0.08 * scene.width):
        box, other = wanted[row].box, drawn[column].box
        length, drawn_length = box[along + 2] - box[along], other[along + 2] - other[along]
        right += 100 * abs(length - drawn_length) / abs(high - low) <= NEAR_VALUE
    return {"right number": float(len(drawn) == len(wanted)), "values within 5 points": right / len(wanted)}


def _is_bar(item: Blob, canvas: Canvas) -> bool:
    """A filled rectangle that is no panel behind the chart."""
    large = item.width > 0.6 * canvas.width and item.height > 0.6 * canvas.height
    return item.kind in {"bar", "rectangle", "square"} and item.fill is not None and not item.rotation and not large


def _bar_cost(box: Sequence[float], other: Sequence[float], along: int) -> float:
    across = 1 - along
    sides = abs(box[across] - other[across]), abs(box[across + 2] - other[across + 2])
    ends = abs(box[along] - other[along]), abs(box[along + 2] - other[along + 2])
    return max(sides) + min(ends) / 2


def wedges(scene: Scene, canvas: Canvas) -> dict[str, float]:
    """Whether the number of wedges is right, and the share of them within 5 points, by place and colour."""
    wanted = [element for element in scene.elements if element.type == "wedge"]
    drawn = []
    for pie in (item for item in canvas.items if isinstance(item, PieItem)):
        for part, (start, end) in zip(pie.slices, pie.angles(), strict=True):
            drawn.append((part.colour, (start + end) / 2, (end - start) / 3.6))
    costs = []
    for name in wanted:
        middle = (about(name)["start"] + about(name)["end"]) / 2
        costs.append([abs((at - middle + 180) % 360 - 180) + _far(name.colour, colour) for colour, at, _ in drawn])
    right = sum(abs(drawn[column][2] - about(wanted[row])["share"]) <= NEAR_VALUE for row, column in matched(costs, 45))
    return {"right number": float(len(drawn) == len(wanted)), "values within 5 points": right / len(wanted)}


def _far(one: str | None, other: str | None) -> float:
    return 1000.0 * (colours_apart(one, other) > SAME_COLOUR)


def lines(scene: Scene, canvas: Canvas) -> dict[str, float]:
    """Whether the number of lines is right, and the mean vertical error in % of the plot height."""
    wanted = [element for element in scene.elements if element.type == "polyline"]
    drawn = _graphs(canvas, scene)
    high = _plot_height(scene)
    errors = [[_vertical(about(name)["points"], [item], high) for item in drawn] for name in wanted]
    costs = [
        [
            error + 0.2 * (colours_apart(candidate.colour, item.colour) > 60)
            for error, item in zip(row, drawn, strict=True)
        ]
        for candidate, row in zip(wanted, errors, strict=True)
    ]
    pairs = matched(costs, math.inf)
    matches = [errors[row][column] for row, column in pairs]
    matches += [GUESS] * (len(wanted) - len(pairs))
    return {"right number": float(len(drawn) == len(wanted)), "mean vertical error %": 100 * float(np.mean(matches))}


def curves(scene: Scene, canvas: Canvas) -> dict[str, float]:
    """Whether the mean vertical error of the curves is at most 8 % of the plot height, and that error."""
    wanted = [element for element in scene.elements if element.type == "curve"]
    drawn, high = _graphs(canvas, scene, 0.03), _plot_height(scene)
    errors, weights = [], []
    for name in wanted:
        alike = [item for item in drawn if colours_apart(name.colour, item.colour) <= 90]
        errors.append(_vertical(about(name)["points"], alike, high))
        weights.append(len(_columns(about(name)["points"])))
    mean = float(np.average(errors, weights=weights))
    return {"within 8 %": float(mean <= 0.08), "mean vertical error %": 100 * mean}


def _plot_height(scene: Scene) -> float:
    for element in scene.elements:
        if element.type == "axis" and about(element)["axis"] == "y":
            low, high = about(element)["pixel_range"]
            return float(abs(high - low))
    return 0.8 * scene.height


def _graphs(canvas: Canvas, scene: Scene, least: float = 0.25) -> list[LineItem]:
    """Drawn lines that may show data: as wide as ``least`` of the picture, and not level or upright."""
    strokes = [item for item in canvas.items if isinstance(item, LineItem)]
    data = [item for item in strokes if item.kind in {"line", "curve", "polyline", "arc", "arrow"}]
    return [item for item in data if _slanted(item.points) and item.box[2] - item.box[0] >= least * scene.width]


def _slanted(points: Sequence[Point]) -> bool:
    xs, ys = zip(*points, strict=True)
    return len(points) > 2 or min(max(xs) - min(xs), max(ys) - min(ys)) > 3


def _path(item: LineItem) -> list[Point]:
    return smooth(item.points) if item.smooth else list(item.points)


def _columns(points: Sequence[Sequence[float]]) -> Floats:
    xs = [point[0] for point in points]
    return np.arange(math.ceil(min(xs)), math.floor(max(xs)) + 1, 2.0)


def _heights(path: Sequence[Sequence[float]], columns: Floats) -> Floats:
    """Return y of each piece of a path at each column, NaN where it does not pass."""
    result = np.full((len(path) - 1, len(columns)), np.nan)
    for index, ((x0, y0), (x1, y1)) in enumerate(itertools.pairwise(path)):
        passed = (columns >= min(x0, x1)) & (columns <= max(x0, x1))
        share = (columns[passed] - x0) / (x1 - x0) if x1 != x0 else 0.5
        result[index, passed] = y0 + (y1 - y0) * share
    return result


def _vertical(points: Sequence[Sequence[float]], drawn: Sequence[LineItem], high: float) -> float:
    """Return the mean over columns of the distance to the nearest drawn line, as a share of the plot height.

    A column counts with what a guess would get if nothing is drawn in it, or what is drawn is further off.
    """
    columns = _columns(points)
    if not drawn or not len(columns):
        return GUESS
    target = _heights(points, columns)
    other = np.concatenate([_heights(_path(item), columns) for item in drawn])
    apart = np.abs(target[:, None, :] - other[None, :, :])
    nearest = np.nanmin(np.where(np.isnan(apart), math.inf, apart), axis=1)
    passes = ~np.isnan(target)
    return float(np.minimum(nearest[passes] / high, GUESS).mean())


def geometry(scene: Scene, canvas: Canvas) -> dict[str, float]:
    """Share of segments (sides of polygons among them) and circles within 3 % of the width."""
    near, sides, rounds = NEAR_SEGMENT * scene.width, _sides(canvas.items), _circles(canvas.items)
    checks: list[bool] = []
    for element in scene.elements:
        facts = about(element)
        if element.type == "segment":
            checks.append(_covered(facts["points"][0], facts["points"][-1], sides, near))
        elif element.type == "polygon":
            ring = [*facts["points"], facts["points"][0]]
            checks += [_covered(a, b, sides, near) for a, b in itertools.pairwise(ring)]
        elif element.type == "circle":
            checks.append(_has_circle(facts["centre"], facts["radius"], rounds, near))
    return {"segments and circles right": sum(checks) / len(checks)} if checks else {}


def _sides(items: Iterable[Item]) -> list[tuple[Point, Point]]:
    sides: list[tuple[Point, Point]] = []
    for item in items:
        if isinstance(item, LineItem) and not item.smooth and item.kind != "grid":
            sides += itertools.pairwise(item.points)
        elif isinstance(item, Blob) and item.kind not in {"circle", "ellipse", "ring", "dot"}:
            path = item.path()
            sides += itertools.pairwise([*path, path[0]])
    return sides


def _covered(start: Sequence[float], end: Sequence[float], sides: list[tuple[Point, Point]], near: float) -> bool:
    """Whether a segment is drawn: all of it lies near drawn sides of its direction, of which one ends near each end.

    Long lines may be drawn in one piece where the scene has two that continue each other, so an end may also lie
    inside a drawn side.
    """
    length = math.dist(start, end)
    if not length:
        return True
    way = (end[0] - start[0]) / length, (end[1] - start[1]) / length
    steps = np.linspace(0, 1, 21)[:, None]
    points = np.array(start) + steps * (np.array(end) - np.array(start))
    close = np.zeros(len(points), bool)
    for a, b in sides:
        long = math.dist(a, b)
        if long < 2 or abs((b[0] - a[0]) * way[1] - (b[1] - a[1]) * way[0]) / long > math.sin(math.radians(8)):
            continue
        along = np.clip(((points - a) @ (np.array(b) - a)) / long**2, 0, 1)[:, None]
        close |= np.hypot(*(points - (np.array(a) + along * (np.array(b) - a))).T) <= near
    return bool(close.all())


def _circles(items: Iterable[Item]) -> list[tuple[Point, float]]:
    collected = []
    for item in items:
        if isinstance(item, Blob) and item.kind in {"circle", "ellipse", "ring"}:
            collected.append((item.centre, (item.width + item.height) / 4))
        elif isinstance(item, LineItem) and item.smooth and math.dist(item.points[0], item.points[-1]) < 12:
            path = np.array(_path(item))
            centre = path.mean(axis=0)
            collected.append(((float(centre[0]), float(centre[1])), float(np.hypot(*(path - centre).T).mean())))
    return collected


def _has_circle(centre: Sequence[float], radius: float, rounds: list[tuple[Point, float]], near: float) -> bool:
    return any(math.dist(centre, at) <= near and abs(radius - far) <= near for at, far in rounds)


CHECKS: dict[str, Callable[[Scene, Canvas], dict[str, float]]] = {
    "simple_shapes": shapes, "bar_graph": bars, "pie_graph": wedges, "line_graph": lines, "functions": curves,
    "geometry": geometry,
}  # fmt: skip
"""What is measured in each category; geometry without segments or circles gives nothing."""
