"""Reading filled things: bars, wedges, coloured shapes, areas."""

import math
from typing import Any

from ircore.instances.synthesis.inside.figure_elements import FigureElements
from ircore.instances.synthesis.inside.lines import add_path, find_category

CORNERS = {3: "triangle", 5: "pentagon", 6: "hexagon", 7: "arrow", 8: "octagon", 10: "star", 12: "cross"}
"""Names of polygons by the number of their corners; those of four are told by their sides."""
SMALL = 36.0
"""Pixels up to which a square of a figure of geometry is the mark of a right angle, and an arc that of an angle."""


def read_bars(page: FigureElements, axes: Any, container: Any, series: int) -> None:
    """Read the bars of one series."""
    lying = container.orientation == "horizontal"
    for bar in container.patches:
        start, length = (bar.get_x(), bar.get_width()) if lying else (bar.get_y(), bar.get_height())
        middle = bar.get_y() + bar.get_height() / 2 if lying else bar.get_x() + bar.get_width() / 2
        colour, outline = find_colours(page, bar)
        page.add(
            "bar", page.sheet.box(bar), colour, value=round(float(length), 6), baseline=round(float(start), 6),
            category=find_category(axes.yaxis if lying else axes.xaxis, float(middle)), series=series,
            orientation="horizontal" if lying else "vertical", **({"outline": outline} if outline else {}),
        )  # fmt: skip


def find_colours(page: FigureElements, patch: Any) -> tuple[str | None, str | None]:
    """Return the colour inside of a patch and the colour of its outline; None for no such part."""
    face = page.colour(patch.get_facecolor()) if patch.get_fill() else None
    edge = page.colour(patch.get_edgecolor()) if patch.get_linewidth() > 0 else None
    return face, edge if edge != face else None


def read_wedges(page: FigureElements, wedges: list[Any]) -> None:
    """Read the wedges of a pie."""
    middles = [tuple(round(float(value), 6) for value in wedge.center) for wedge in wedges]
    # A wedge that is pulled out has a middle of its own; all others share one.
    usual = max(middles, key=middles.count)
    for wedge, middle in zip(wedges, middles, strict=True):
        centre, rim = page.sheet.pixels([wedge.center, (wedge.center[0] + wedge.r, wedge.center[1])],
                                        wedge.get_data_transform())  # fmt: skip
        radius = round(abs(rim[0] - centre[0]), 2)
        inner = 0.0 if wedge.width is None else round(radius * (1 - wedge.width / wedge.r), 2)
        # A single wedge goes from an angle to the same angle, which is the whole pie and not nothing.
        share = ((wedge.theta2 - wedge.theta1) % 360 or 360.0) / 3.6
        face, edge = find_colours(page, wedge)
        label = str(wedge.get_label())
        page.add(
            "wedge", page.sheet.box(wedge), face or edge, category="" if label.startswith("_") else label[:100],
            share=round(float(share), 2), start=round(float(-wedge.theta2 % 360), 2),
            end=round(float(-wedge.theta2 % 360 + 3.6 * share), 2), centre=centre, radius=radius, hole=inner,
            exploded=middle != usual and middles.count(usual) > 1, **describe_outline(page, wedge, edge),
        )  # fmt: skip


def describe_outline(page: FigureElements, patch: Any, edge: str | None) -> dict[str, Any]:
    """Return the fields of an outline; none if there is none."""
    return {} if edge is None else {"outline": edge, "outline_width": page.sheet.width_of(patch.get_linewidth())}


def find_corners(page: FigureElements, patch: Any) -> list[list[float]]:
    """Return the corners of a patch in pixels, each once."""
    from matplotlib.transforms import IdentityTransform

    path = patch.get_path().transformed(patch.get_transform())
    polygons = path.to_polygons(closed_only=False)
    points = page.sheet.pixels(polygons[0], IdentityTransform()) if polygons else []
    return [point for number, point in enumerate(points) if point not in points[:number]]


def find_middle(points: list[list[float]]) -> list[float]:
    """Return the middle of the box around points."""
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return [round((min(xs) + max(xs)) / 2, 2), round((min(ys) + max(ys)) / 2, 2)]


def measure_size(points: list[list[float]]) -> tuple[float, float]:
    """Return width and height of the box around points."""
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return max(xs) - min(xs), max(ys) - min(ys)


def read_shape(page: FigureElements, patch: Any) -> None:
    """Read a coloured shape."""
    points = find_corners(page, patch)
    face, edge = find_colours(page, patch)
    if not points or (face is None and edge is None):
        return
    kind = name_shape(patch, points)
    about: dict[str, Any] = {"centre": find_middle(points), "filled": face is not None}
    if len(points) <= 12:
        about["corners"] = points
    if kind in ("circle", "ring", "half_circle", "quarter_circle", "ellipse"):
        about["radius"] = round(max(measure_size(points)) / 2, 2)
    outline = describe_outline(page, patch, edge) if face is not None else {}
    page.add(kind, page.sheet.box(patch), face or edge, **about, **outline)


def name_shape(patch: Any, points: list[list[float]]) -> str:
    """Return the name of a shape."""
    from matplotlib import patches

    width, height = measure_size(points)
    if isinstance(patch, patches.Wedge):
        turn = round((patch.theta2 - patch.theta1) % 360)
        whole = "ring" if patch.width is not None else "circle"
        return {180: "half_circle", 90: "quarter_circle"}.get(turn, whole if turn == 0 else "sector")
    if isinstance(patch, patches.Annulus):
        return "ring"
    if isinstance(patch, patches.Arrow | patches.FancyArrow | patches.FancyArrowPatch):
        return "arrow"
    if isinstance(patch, patches.FancyBboxPatch):
        return "rectangle"
    if isinstance(patch, patches.Ellipse | patches.CirclePolygon) or len(points) > 20:
        radii = [
            math.dist(point, find_middle(points)) for point in points
        ]  # a box tells no turned ellipse from a circle
        return "circle" if max(radii) - min(radii) <= 0.03 * max(width, height) else "ellipse"
    return name_quadrilateral(points) if len(points) == 4 else CORNERS.get(len(points), "polygon")


def name_quadrilateral(points: list[list[float]]) -> str:
    """Return the name of a shape with four corners, from its sides and corners."""
    sides = [(b[0] - a[0], b[1] - a[1]) for a, b in zip(points, [*points[1:], points[0]], strict=True)]
    lengths = [math.hypot(*side) for side in sides]
    if min(lengths) == 0:
        return "triangle"
    near = 0.04 * max(lengths)
    opposite = [math.hypot(sides[k][0] + sides[k + 2][0], sides[k][1] + sides[k + 2][1]) <= near for k in (0, 1)]
    right = abs(sides[0][0] * sides[1][0] + sides[0][1] * sides[1][1]) <= 0.04 * lengths[0] * lengths[1]
    equal = max(lengths) - min(lengths) <= near
    if not all(opposite):
        parallel = [abs(sides[k][0] * sides[k + 2][1] - sides[k][1] * sides[k + 2][0]) <= near * lengths[k + 2]
                    for k in (0, 1)]  # fmt: skip
        return "trapezoid" if any(parallel) else "polygon"
    upright = all(min(abs(x), abs(y)) <= near for x, y in sides)
    if right:
        return "diamond" if equal and not upright else "square" if equal else "rectangle"
    return "diamond" if equal else "parallelogram"


def read_figure_patch(page: FigureElements, patch: Any) -> None:
    """Read a patch of a figure of geometry: its filling and its outline are two things."""
    from matplotlib import patches

    points, box = find_corners(page, patch), page.sheet.box(patch)
    face = page.colour(patch.get_facecolor()) if patch.get_fill() else None
    edge = page.colour(patch.get_edgecolor()) if patch.get_linewidth() > 0 else None
    if not points or isinstance(patch, patches.FancyArrowPatch):
        page.skip("an arrow" if points else "a patch without corners")
        return
    shape = {"width": page.sheet.width_of(patch.get_linewidth()), "dash": list_dashes(patch)}
    is_round = isinstance(patch, patches.Ellipse) and not isinstance(patch, patches.Arc)
    about = {"centre": find_middle(points), "radius": round(max(measure_size(points)) / 2, 2)}
    if face and is_round:
        page.add("disc", box, face, **about)
    elif face and not isinstance(patch, patches.Arc):
        kind = "sector" if isinstance(patch, patches.Wedge) else "area"
        page.add(kind, box, face, corners=points[:: max(1, len(points) // 50)])
    if edge and is_round:
        page.add("circle", box, edge, points=points[:: max(1, len(points) // 100)], **about, **shape)
    elif edge and isinstance(patch, patches.Arc):
        _add_arc(page, patch, points, edge, shape, box)
    elif edge and len(points) == 4 and not face and max(measure_size(points)) <= SMALL:
        page.add("right_angle", box, edge, points=points, vertex=points[0], **shape)
    elif edge:
        add_path(page, points, edge, shape, box, closed=len(points) <= 12)


def list_dashes(patch: Any) -> list[int]:
    """Return the dashes of an outline: none for a solid line."""
    return [] if patch.get_linestyle() in ("solid", "-") else [6, 4]


def _add_arc(
    page: FigureElements, arc: Any, points: list[list[float]], colour: str, shape: dict[str, Any], box: Any
) -> None:
    turn = round(float((arc.theta2 - arc.theta1) % 360), 2)
    small = max(measure_size(points)) <= 2 * SMALL
    about = {"degrees": turn} if small and turn else {}
    page.add("angle" if about else "arc", box, colour, points=points[:: max(1, len(points) // 50)], **about, **shape)
