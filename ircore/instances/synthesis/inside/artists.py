"""Reading a drawn figure: each artist becomes elements of a scene, or a reason why it does not."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ircore.instances.synthesis.inside import lines, shapes
from ircore.instances.synthesis.inside import lines as axes_reading
from ircore.instances.synthesis.inside.figure_elements import FigureElements, compute_box

TEXTS = {"geometry": "label", "pie_graph": "wedge_label", "line_graph": "series_label", "functions": "point_label"}
"""Names of free texts by category; those of others are labels of values."""


def read_figure(figure: Any, category: str) -> FigureElements:
    """Return the elements of a figure.

    Args:
        figure: A matplotlib figure that was drawn.
        category: Category of the target.
    """
    page = FigureElements(figure, category)
    if figure._suptitle is not None and figure._suptitle.get_text().strip():
        page.titles.append(figure._suptitle.get_text()[:200])
    page.legends += len(figure.legends)
    for number, axes in enumerate(sorted(figure.axes, key=lambda axes: axes.get_zorder())):
        if axes.get_visible():
            _read_axes(page, axes, first=number == 0)
    for text in figure.texts:
        if text is not figure._suptitle:
            page.text(TEXTS.get(category, "value_label"), text)
    for artist in (*figure.patches, *figure.lines, *figure.images, *figure.artists):
        page.skip(f"{type(artist).__name__} outside of axes")
    return page


def _read_axes(page: FigureElements, axes: Any, *, first: bool) -> None:
    if axes.name != "rectilinear":
        _read_bent(page, axes)
        return
    if not first:
        page.skip("a second pair of axes: its values")
    axes_reading.read_ground(page, axes)
    page.titles += [title.get_text()[:200] for title in (axes.title, axes._left_title, axes._right_title)
                    if title.get_text().strip()]  # fmt: skip
    in_bars = _map_bars(page, axes) if first else {}
    wedges = [patch for patch in axes.patches if _is_wedge(patch, page)]
    done: set[int] = {id(axes.patch), id(axes.title), id(axes._left_title), id(axes._right_title)}
    for artist in sorted(axes.get_children(), key=lambda artist: artist.get_zorder()):
        if not artist.get_visible() or id(artist) in done:
            continue
        if id(artist) in in_bars:
            # All bars of a container are read at the first of them.
            container, series = in_bars[id(artist)]
            done |= {id(bar) for bar in container.patches}
            shapes.read_bars(page, axes, container, series)
        elif artist in wedges:
            done |= {id(wedge) for wedge in wedges}
            shapes.read_wedges(page, wedges)
        else:
            _read_artist(page, axes, artist, first=first)


def _read_bent(page: FigureElements, axes: Any) -> None:
    """Read polar axes, or axes in space: texts, and lines as they run on the page; no values."""
    from matplotlib.lines import Line2D
    from matplotlib.text import Text

    page.skip(f"{axes.name} axes: their values")
    page.titles += [axes.title.get_text()[:200]] if axes.title.get_text().strip() else []
    done = {id(axes.title), id(axes._left_title), id(axes._right_title)}
    flat = axes.name == "polar"
    for artist in axes.get_children():
        if artist.get_visible() and isinstance(artist, Line2D) and flat:
            lines.read_drawn_line(page, axes, artist)
        elif not isinstance(artist, Text) and artist is not axes.patch and artist in (*axes.patches, *axes.collections):
            page.skip(f"{type(artist).__name__} in {axes.name} axes")
    for text in axes.findobj(Text):
        if text.get_visible() and id(text) not in done:
            page.text(TEXTS.get(page.category, "value_label") if text in axes.texts else "value_label", text)


def _is_wedge(patch: Any, page: FigureElements) -> bool:
    return type(patch).__name__ == "Wedge" and page.category == "pie_graph" and bool(patch.get_visible())


def _map_bars(page: FigureElements, axes: Any) -> dict[int, tuple[Any, int]]:
    """Return the container and the number of the series of each bar, by the bar's identity."""
    if page.category not in ("bar_graph", "line_graph"):
        return {}
    containers = [container for container in axes.containers if type(container).__name__ == "BarContainer"]
    return {
        id(bar): (container, series)
        for series, container in enumerate(containers, start=1)
        for bar in container.patches
    }


def _read_artist(page: FigureElements, axes: Any, artist: Any, *, first: bool) -> None:
    from matplotlib import axis, collections, legend, patches, spines, text
    from matplotlib.lines import Line2D

    if isinstance(artist, spines.Spine):
        side = next((name for name, spine in axes.spines.items() if spine is artist), "outline")
        axes_reading.read_spine(page, axes, side, artist, numeric=first)
    elif isinstance(artist, axis.XAxis | axis.YAxis):
        axes_reading.read_axis(page, axes, artist, artist.axis_name, numeric=first)
    elif isinstance(artist, legend.Legend):
        page.legends += 1
    elif isinstance(artist, text.Text):
        if getattr(artist, "arrow_patch", None) is not None:
            page.skip("the arrow of an annotation")
        page.text(TEXTS.get(page.category, "value_label"), artist)
    elif not first and isinstance(artist, Line2D):
        lines.read_drawn_line(page, axes, artist)
    elif not first:
        page.skip(f"{type(artist).__name__} in a second pair of axes")
    elif isinstance(artist, Line2D):
        lines.read_line(page, axes, artist)
    elif isinstance(artist, patches.Patch):
        _PATCHES.get(page.category, _read_area)(page, artist)
    elif isinstance(artist, collections.Collection):
        _read_collection(page, axes, artist)
    else:
        page.skip(type(artist).__name__)


def _read_area(page: FigureElements, patch: Any) -> None:
    face, edge = shapes.find_colours(page, patch)
    points = shapes.find_corners(page, patch)
    page.add("area", page.sheet.box(patch), face or edge, corners=points[:: max(1, len(points) // 50)])


def _read_collection(page: FigureElements, axes: Any, artist: Any) -> None:
    from matplotlib import collections

    if isinstance(artist, collections.PathCollection):
        _read_scatter(page, axes, artist)
    elif isinstance(artist, collections.LineCollection):
        _read_strokes(page, axes, artist)
    elif isinstance(artist, collections.PolyCollection):
        _read_filled(page, artist)
    else:
        page.skip(type(artist).__name__)


def _read_filled(page: FigureElements, artist: Any) -> None:
    """Read areas that are filled at once, as ``fill_between`` makes them."""
    faces = artist.get_facecolor()
    for number, path in enumerate(artist.get_paths()):
        colour = page.colour(faces[number % len(faces)]) if len(faces) else None
        corners = page.sheet.pixels(path.vertices[:: max(1, len(path.vertices) // 50)], artist.get_transform())
        box = compute_box(page.sheet.pixels(path.vertices, artist.get_transform()), 0, *page.sheet.size)
        if colour:
            page.add("area", box, colour, corners=corners)


def _read_scatter(page: FigureElements, axes: Any, artist: Any) -> None:
    """Read the points of a scatter, each with its own size and colour as far as it has one."""
    offsets = np.asarray(np.ma.filled(artist.get_offsets(), np.nan), float)
    sizes, faces, edges = artist.get_sizes(), artist.get_facecolor(), artist.get_edgecolor()
    corners = len(artist.get_paths()[0].vertices) if artist.get_paths() else 0
    # A scatter keeps its marker's path alone: five points close a square, four a triangle.
    marker = {5: "s", 4: "^"}.get(corners, "o")
    for number, offset in enumerate(offsets):
        if not np.isfinite(offset).all():
            continue
        size = page.sheet.width_of(float(np.sqrt(sizes[number % len(sizes)]))) if len(sizes) else 1.0
        face = page.colour(faces[number % len(faces)]) if len(faces) else None
        edge = page.colour(edges[number % len(edges)]) if len(edges) else None
        lines.add_markers(page, axes, [offset], artist.get_offset_transform(), size, marker, face, edge)


def _read_strokes(page: FigureElements, axes: Any, artist: Any) -> None:
    """Read separate lines: of figures as segments, of graphs as asymptotes where they cross the plot area."""
    colours, widths = artist.get_color(), artist.get_linewidth()
    # matplotlib gives offset and pattern of each line; a solid one has no pattern.
    dashed = artist.get_linestyle()[0][1] is not None
    for number, segment in enumerate(artist.get_segments()):
        points = page.sheet.pixels(segment, artist.get_transform())
        if len(points) < 2:
            continue
        width = page.sheet.width_of(float(widths[number % len(widths)]))
        shape = {"width": width, "dash": [6, 4] if dashed else []}
        colour = page.colour(colours[number % len(colours)])
        (x0, y0), (x1, y1) = segment[0], segment[-1]
        across = abs(points[0][1] - points[-1][1]) > 0.8 * axes.bbox.height
        along = abs(points[0][0] - points[-1][0]) > 0.8 * axes.bbox.width
        box = compute_box(points, width / 2, *page.sheet.size)
        if page.category != "geometry" and (x0 == x1 and across):
            page.add("asymptote", box, colour, points=points, x=round(float(x0), 6), **shape)
        elif page.category != "geometry" and (y0 == y1 and along):
            page.add("asymptote", box, colour, points=points, y=round(float(y0), 6), **shape)
        else:
            lines.add_path(page, points, colour, shape, box)


_PATCHES: dict[str, Callable[[FigureElements, Any], None]] = {
    "simple_shapes": shapes.read_shape,
    "geometry": shapes.read_figure_patch,
}
