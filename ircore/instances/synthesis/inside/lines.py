"""Reading axes, lines and markers of a figure.

Of axes: their lines, ticks, grids, labels and panels. Of lines: polylines, curves, segments, asymptotes, points.
"""

from itertools import pairwise
from typing import Any

import numpy as np

from ircore.instances.synthesis.inside.figure_elements import FigureElements, compute_box

MOST_POINTS = 400
"""Points that an element lists; of longer lines as many are taken evenly."""
SHAPES = {"o": "circle", "s": "square", "D": "diamond", "d": "diamond", "^": "triangle", "v": "triangle", ".": "circle"}


def read_ground(page: FigureElements, axes: Any) -> None:
    """Read the panel behind the data, if it has a colour of its own."""
    page.ground = page.background
    if not (axes.axison and axes.get_frame_on() and axes.patch.get_visible()):
        return
    colour = page.colour(axes.patch.get_facecolor())
    if colour and colour != page.background:
        page.add("panel", page.sheet.box(axes.patch), colour)
        page.ground = colour


def read_spine(page: FigureElements, axes: Any, side: str, spine: Any, *, numeric: bool) -> None:
    """Read a line around the plot area; the bottom and the left one are axes with their scales."""
    if not (axes.axison and axes.get_frame_on() and spine.get_visible() and spine.get_linewidth() > 0):
        return
    colour, box = page.colour(spine.get_edgecolor()), page.sheet.box(spine)
    points = page.sheet.pixels(spine.get_path().vertices, spine.get_patch_transform() + axes.transData)
    if spine.spine_type == "line":
        points = page.sheet.pixels(spine.get_path().vertices, spine.get_transform())
    shape = {"points": points[:2], "width": page.sheet.width_of(spine.get_linewidth()), "dash": []}
    name = {"bottom": "x", "left": "y"}.get(side)
    if colour is None:
        return
    if name is None or not numeric or not is_linear(axes, name):
        page.add("frame", box, colour, side=side, **shape)
        return
    page.add("axis", box, colour, axis=name, **describe_scale(page, axes, name), **shape)


def is_linear(axes: Any, name: str) -> bool:
    """Return whether an axis has a linear scale."""
    return bool((axes.get_xscale() if name == "x" else axes.get_yscale()) == "linear")


def describe_scale(page: FigureElements, axes: Any, name: str) -> dict[str, Any]:
    """Return the range of an axis in values and in pixels."""
    low, high = (float(end) for end in (axes.get_xlim() if name == "x" else axes.get_ylim()))
    corners = page.sheet.pixels([[0.0, 0.0], [1.0, 1.0]], axes.transAxes)
    place = 0 if name == "x" else 1
    start, end = corners[0][place], corners[1][place]
    if low > high:
        # matplotlib draws an axis backwards where its limits are given in falling order.
        low, high, start, end = high, low, end, start
    return {"data_range": [low, high], "pixel_range": [start, end]}


def read_axis(page: FigureElements, axes: Any, axis: Any, name: str, *, numeric: bool) -> None:
    """Read grid, ticks, their labels and the label of an axis.

    Args:
        page: To write on.
        axes: Of the axis.
        axis: The axis.
        name: ``x`` or ``y``.
        numeric: Whether positions along it are values of the figure; else its labels are texts alone.
    """
    if not axes.axison or not axis.get_visible():
        return
    numeric = numeric and is_linear(axes, name)
    if not is_linear(axes, name):
        page.skip(f"an axis with a scale that is not linear ({name}): its values")
    for tick in axis._update_ticks():
        about = {"axis": name, "value": round(float(tick.get_loc()), 6)} if numeric else {}
        if tick.gridline.get_visible():
            read_stroke(page, "gridline", tick.gridline, **{"axis": name, **about})
        for mark, label in ((tick.tick1line, tick.label1), (tick.tick2line, tick.label2)):
            if mark.get_visible() and mark.get_markersize() > 0:
                _read_tick(page, mark, name, about)
            page.text("tick_label" if numeric else "value_label", label, **about)
    page.text("axis_label" if numeric else "value_label", axis.get_label(), **({"axis": name} if numeric else {}))
    page.text("value_label", axis.get_offset_text())


def read_stroke(page: FigureElements, kind: str, line: Any, **parameters: Any) -> None:
    """Read a line of a grid."""
    points = page.sheet.pixels(line.get_path().vertices, line.get_transform())
    width, dash = page.sheet.width_of(line.get_linewidth()), [6, 4] if line.is_dashed() else []
    page.add(kind, page.sheet.box(line), page.colour_of(line), points=points, width=width, dash=dash, **parameters)


def find_category(axis: Any, value: float) -> str:
    """Return the label of the tick at a value, or the value itself in digits."""
    for tick in axis.get_major_ticks():
        words = tick.label1.get_text().strip()
        if words and abs(tick.get_loc() - value) < 1e-6 * max(1.0, abs(value)):
            return str(words)[:100]
    return f"{value:g}"


def read_line(page: FigureElements, axes: Any, line: Any) -> None:
    """Read a line with its markers."""
    # All four are matplotlib's words for no line.
    drawn = line.get_linestyle() not in ("None", "none", "", " ") and line.get_linewidth() > 0
    if drawn:
        if is_straight_across(line, axes):
            _add_across(page, axes, line)
        else:
            _READERS.get(page.category, _add_segments)(page, axes, line)
    if line.get_marker() not in (None, "None", "none", "", " "):
        _add_markers(page, axes, line, joined=drawn)


def read_drawn_line(page: FigureElements, axes: Any, line: Any) -> None:
    """Read how a line runs on the page, for axes whose values are not read."""
    if line.get_linestyle() in ("None", "none", "", " ") or not line.get_linewidth() > 0:
        page.skip("markers without a line: their values")
    elif page.category == "functions":
        _add_curve(page, axes, line)
    else:
        _add_segments(page, axes, line)


def describe_style(page: FigureElements, line: Any) -> dict[str, Any]:
    """Return width and dashes of a line in pixels."""
    return {"width": page.sheet.width_of(line.get_linewidth()), "dash": [6, 4] if line.is_dashed() else []}


def is_straight_across(line: Any, axes: Any) -> bool:
    """Return whether a line was drawn right across the axes, as ``axhline`` and ``axvline`` do."""
    return line.get_transform() in (axes.get_xaxis_transform("grid"), axes.get_yaxis_transform("grid"))


def add_path(
    page: FigureElements,
    points: list[list[float]],
    colour: str | None,
    shape: dict[str, Any],
    box: Any,
    *,
    closed: bool = False,
) -> None:
    """Add a drawn path: a polygon if it closes, a segment for each part if it has few, else an arc."""
    if len(points) > 3 and points[0] == points[-1]:
        points, closed = points[:-1], True
    if closed and 3 <= len(points) <= 12:
        page.add("polygon", box, colour, points=points, corners=points, **shape)
    elif len(points) > 12:
        page.add("arc", box, colour, points=points[:: max(1, len(points) // 100)], **shape)
    else:
        for start, end in pairwise(points):
            ends = [start, end]
            own = compute_box(ends, shape["width"] / 2, *page.sheet.size)
            page.add("segment", own, colour, points=ends, start=start, end=end, dashed=bool(shape["dash"]), **shape)


def add_markers(
    page: FigureElements, axes: Any, data: Any, transform: Any, size: float, marker: str,
    face: str | None, edge: str | None, series: int | None = None,
) -> None:  # fmt: skip
    """Add a marker for each point: of a line, of a scatter, or points of a figure of geometry."""
    hollow = face is None or face == page.ground
    shape = "ring" if hollow and SHAPES.get(marker) == "circle" else SHAPES.get(marker, "circle")
    colour = (edge if hollow else face) or edge
    for (x, y), centre in zip(data, page.sheet.pixels(data, transform), strict=False):
        box = compute_box([centre], size / 2, *page.sheet.size)
        about: dict[str, Any] = {"shape": shape, "centre": centre, "size": size}
        if page.category == "geometry":
            page.add("point", box, colour, name="", centre=centre, radius=round(size / 2, 2))
        elif series is not None:
            words = find_category(axes.xaxis, float(x))
            page.add("marker", box, colour, series=series, value=round(float(y), 6), category=words, **about)
        else:
            page.add("marker", box, colour, x=round(float(x), 6), y=round(float(y), 6), **about)


def _read_tick(page: FigureElements, mark: Any, name: str, about: dict[str, Any]) -> None:
    """Read a tick, which matplotlib draws as a marker at a single point."""
    box = page.sheet.box(mark)
    if box is None:
        return
    left, top, right, bottom = box
    x, y = (left + right) / 2, (top + bottom) / 2
    points = [[x, float(top)], [x, float(bottom)]] if name == "x" else [[float(left), y], [float(right), y]]
    width = page.sheet.width_of(mark.get_markeredgewidth())
    page.add("tick", box, page.colour(mark.get_markeredgecolor()), points=points, width=width, dash=[], **about)


def _add_across(page: FigureElements, axes: Any, line: Any) -> None:
    upright = line.get_transform() == axes.get_xaxis_transform("grid")
    place = float(np.asarray(line.get_xdata() if upright else line.get_ydata(), float)[0])
    points = page.sheet.pixels(line.get_path().vertices, line.get_transform())
    box, colour, shape = page.sheet.box(line), page.colour_of(line), describe_style(page, line)
    if place == 0:
        page.add("zero_line", box, colour, points=points, axis="y" if upright else "x", **shape)
    else:
        page.add("asymptote", box, colour, points=points, **{"x" if upright else "y": round(place, 6)}, **shape)


def _add_polyline(page: FigureElements, axes: Any, line: Any) -> None:
    page.series += 1
    data = _select_finite(line.get_xydata())
    if not 2 <= len(data) <= MOST_POINTS:
        page.skip(f"a line of {len(data)} points: its values")
        return
    points = page.sheet.pixels(data, line.get_transform())
    page.add(
        "polyline", page.sheet.box(line), page.colour_of(line), points=points, series=page.series,
        values=[round(float(y), 6) for _, y in data],
        categories=[find_category(axes.xaxis, float(x)) for x, _ in data], **describe_style(page, line),
    )  # fmt: skip


def _add_curve(page: FigureElements, axes: Any, line: Any) -> None:
    page.series += 1
    label = str(line.get_label())
    formula = f"function {page.series}" if label.startswith("_") else label[:100]
    for branch in _split_branches(page, axes, line):
        reach = page.sheet.width_of(line.get_linewidth()) / 2
        box = compute_box(branch, reach, *page.sheet.size)
        page.add(
            "curve", box, page.colour_of(line), points=branch, function=page.series, formula=formula,
            **describe_style(page, line),
        )  # fmt: skip


def _split_branches(page: FigureElements, axes: Any, line: Any) -> list[list[list[float]]]:
    """Return the parts of a line that can be seen, as points in pixels, evenly thinned."""
    data = np.asarray(line.get_xydata(), float)
    # What is not finite goes far outside, where it is not seen.
    moved = line.get_transform().transform(np.nan_to_num(data, nan=-1e9, posinf=1e9, neginf=-1e9))
    area = axes.bbox
    in_view = (
        np.isfinite(data).all(axis=1)
        & (moved[:, 0] >= area.x0 - 1) & (moved[:, 0] <= area.x1 + 1)
        & (moved[:, 1] >= area.y0 - 1) & (moved[:, 1] <= area.y1 + 1)
    )  # fmt: skip
    # A curve that leaves the plot area comes back as another branch.
    runs = np.split(np.arange(len(in_view)), np.flatnonzero(np.diff(in_view.astype(int))) + 1)
    visible = [run for run in runs if len(run) > 1 and in_view[run[0]]]
    thinned = [run[np.unique(np.linspace(0, len(run) - 1, min(len(run), MOST_POINTS)).astype(int))] for run in visible]
    return [page.sheet.pixels(data[run], line.get_transform()) for run in thinned]


def _add_segments(page: FigureElements, axes: Any, line: Any) -> None:  # noqa: ARG001 - as the other readers
    points = page.sheet.pixels(line.get_xydata(), line.get_transform())
    add_path(page, points, page.colour_of(line), describe_style(page, line), page.sheet.box(line))


def _add_markers(page: FigureElements, axes: Any, line: Any, *, joined: bool) -> None:
    face, edge = line.get_markerfacecolor(), line.get_markeredgecolor()
    data = _select_finite(line.get_xydata())
    # matplotlib draws the marker of a point half as large as that of a circle.
    size = page.sheet.width_of(line.get_markersize() * (0.5 if line.get_marker() == "." else 1))
    every = line.get_markevery()
    data = data[::every] if isinstance(every, int) else data
    add_markers(
        page, axes, data, line.get_transform(), size, str(line.get_marker()), page.colour(face), page.colour(edge),
        series=page.series if joined and page.category in ("line_graph", "bar_graph") else None,
    )  # fmt: skip


def _select_finite(data: Any) -> Any:
    array = np.asarray(data, float)
    return array[np.isfinite(array).all(axis=1)]


_READERS = {"line_graph": _add_polyline, "bar_graph": _add_polyline, "functions": _add_curve}
