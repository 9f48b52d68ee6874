"""Reading the axes of a figure: lines of the axes, ticks, grids, labels and panels."""

from typing import Any

from ircore.instances.synthesis.inside.page import Page


def read_ground(page: Page, axes: Any) -> None:
    """Read the panel behind the data, if it has a colour of its own."""
    page.ground = page.background
    if not (axes.axison and axes.get_frame_on() and axes.patch.get_visible()):
        return
    colour = page.colour(axes.patch.get_facecolor())
    if colour and colour != page.background:
        page.add("panel", page.sheet.box(axes.patch), colour)
        page.ground = colour


def read_spine(page: Page, axes: Any, side: str, spine: Any, *, numeric: bool) -> None:
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


def describe_scale(page: Page, axes: Any, name: str) -> dict[str, Any]:
    """Return the range of an axis in values and in pixels."""
    low, high = (float(end) for end in (axes.get_xlim() if name == "x" else axes.get_ylim()))
    corners = page.sheet.pixels([[0.0, 0.0], [1.0, 1.0]], axes.transAxes)
    place = 0 if name == "x" else 1
    start, end = corners[0][place], corners[1][place]
    if low > high:
        # matplotlib draws an axis backwards where its limits are given in falling order.
        low, high, start, end = high, low, end, start
    return {"data_range": [low, high], "pixel_range": [start, end]}


def read_axis(page: Page, axes: Any, axis: Any, name: str, *, numeric: bool) -> None:
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


def read_stroke(page: Page, kind: str, line: Any, **parameters: Any) -> None:
    """Read a line of a grid."""
    points = page.sheet.pixels(line.get_path().vertices, line.get_transform())
    width, dash = page.sheet.width_of(line.get_linewidth()), [6, 4] if line.is_dashed() else []
    page.add(kind, page.sheet.box(line), page.colour_of(line), points=points, width=width, dash=dash, **parameters)


def _read_tick(page: Page, mark: Any, name: str, about: dict[str, Any]) -> None:
    """Read a tick, which matplotlib draws as a marker at a single point."""
    box = page.sheet.box(mark)
    if box is None:
        return
    left, top, right, bottom = box
    x, y = (left + right) / 2, (top + bottom) / 2
    points = [[x, float(top)], [x, float(bottom)]] if name == "x" else [[float(left), y], [float(right), y]]
    width = page.sheet.width_of(mark.get_markeredgewidth())
    page.add("tick", box, page.colour(mark.get_markeredgecolor()), points=points, width=width, dash=[], **about)


def find_category(axis: Any, value: float) -> str:
    """Return the label of the tick at a value, or the value itself in digits."""
    for tick in axis.get_major_ticks():
        words = tick.label1.get_text().strip()
        if words and abs(tick.get_loc() - value) < 1e-6 * max(1.0, abs(value)):
            return str(words)[:100]
    return f"{value:g}"
