"""Three programs that draw outlines: matplotlib, Pillow (three times as large, then reduced) and resvg."""

import io
import math
from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from ircore.core.errors import InputError
from ircore.core.records import Scene
from ircore.scorers.judge_test.foreign.fonts import NARROW, REMEDY, font_path, width_of
from ircore.scorers.judge_test.foreign.outlines import Filled, Outline, Points, Stroke, Writing, outlines_of
from ircore.scorers.judge_test.foreign.styles import Style, as_jpeg
from ircore.scorers.judge_test.foreign.ways import after_drawing, before_drawing

FINE = 3
"""Times by which Pillow's drawings are larger than the picture."""

WIDER = 1.1
"""Times by which a text may be wider than in the target: wider ones would cover their neighbours."""


def redrawn(scene: Scene, style: Style) -> Image.Image:
    """Draw a scene in a style, on the style's canvas.

    Raises:
        InputError: The program that shall draw it is not installed.
    """
    outlines = before_drawing(list(outlines_of(scene)), scene, style.ways, style.shades)
    placed = [_styled(outline, scene, style) for outline in outlines]
    ground = style.shade(scene.background or "#ffffff")
    try:
        image = {"matplotlib": _by_matplotlib, "pillow": _by_pillow, "resvg": _by_resvg}[style.drawer](
            placed, ground, style
        )
    except ImportError as error:
        raise InputError(f"drawer {style.drawer}: {error.name} is not installed", REMEDY) from None
    return as_jpeg(after_drawing(image, placed, style.ways, style.shades), style.quality)


def _styled(outline: Outline, scene: Scene, style: Style) -> Outline:
    (width, height), unit = style.canvas, unit_of(scene, style)
    left = (width - scene.width * unit) / 2 + style.move[0] * width
    top = (height - scene.height * unit) / 2 + style.move[1] * height

    def place(points: Points) -> Points:
        return [(left + x * unit, top + y * unit) for x, y in points]

    if isinstance(outline, Writing):
        size = outline.size * style.letters * NARROW.get(style.font, 1.0)
        if outline.room:
            size = min(size, WIDER * outline.room / max(width_of(outline.text, style.font), 0.1))
        [at] = place([outline.at])
        return Writing(at, outline.text, style.shade(outline.colour), size * unit, outline.turn)
    if isinstance(outline, Stroke):
        line = max(0.8, outline.width * style.widths * unit)
        dash = tuple(part * unit for part in outline.dash)
        return Stroke(place(outline.points), style.shade(outline.colour), line, dash, outline.closed)
    rims = tuple(place(rim) for rim in outline.rims)
    colour, edge = (part and style.shade(part) for part in (outline.colour, outline.edge))
    line = outline.width * (1 + (style.widths - 1) / 2) * unit
    return Filled(rims, colour, edge, line, outline.mark)


def unit_of(scene: Scene, style: Style) -> float:
    """Return the pixels of a picture that one pixel of the target becomes."""
    width, height = style.canvas
    return style.scale * min(width / scene.width, height / scene.height)


def _by_matplotlib(outlines: Sequence[Outline], ground: str, style: Style) -> Image.Image:
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib.figure import Figure

    width, height = style.canvas
    figure = Figure(figsize=(width / 100, height / 100), dpi=100, facecolor=ground)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_xlim(0, width)
    axes.set_ylim(height, 0)
    axes.axis("off")
    for order, outline in enumerate(outlines):
        _plot(axes, outline, style, order + 10)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=100, facecolor=ground)
    return Image.open(buffer).convert("RGB")


def _plot(axes: Any, outline: Outline, style: Style, order: int) -> None:
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    point = 0.72
    if isinstance(outline, Writing):
        axes.text(*outline.at, outline.text, color=outline.colour, ha="center", va="center", rotation=outline.turn,
                  parse_math=False, font=font_path(style.font), fontsize=outline.size * point,
                  zorder=order)  # fmt: skip
    elif isinstance(outline, Stroke):
        points = [*outline.points, outline.points[0]] if outline.closed else outline.points
        width = outline.width * point
        dash: Any = (0, [part * point / max(width, 1e-6) for part in outline.dash]) if outline.dash else "-"
        axes.plot(*zip(*points, strict=True), color=outline.colour, linewidth=width, linestyle=dash, zorder=order)
    else:
        path = Path.make_compound_path(*(Path([*rim, rim[0]], closed=True) for rim in outline.rims))
        axes.add_patch(PathPatch(path, facecolor=outline.colour or "none", edgecolor=outline.edge or "none",
                                 linewidth=outline.width * point, zorder=order))  # fmt: skip


def _by_pillow(outlines: Sequence[Outline], ground: str, style: Style) -> Image.Image:
    width, height = style.canvas
    page = Image.new("RGB", (width * FINE, height * FINE), ground)
    for outline in outlines:
        _paint(page, outline, style)
    return page.resize((width, height), Image.Resampling.LANCZOS)


def _paint(page: Image.Image, outline: Outline, style: Style) -> None:
    pen = ImageDraw.Draw(page)
    if isinstance(outline, Writing):
        _write(page, outline, style)
    elif isinstance(outline, Stroke):
        path = [*outline.points, outline.points[0]] if outline.closed else outline.points
        for piece in _dashes(path, outline.dash):
            pen.line(_large(piece), outline.colour, round(outline.width * FINE), joint="curve")
    else:
        large = [_large(rim) for rim in outline.rims]
        left, top = (max(0, math.floor(min(point[axis] for point in large[0]))) for axis in (0, 1))
        right, bottom = (math.ceil(max(point[axis] for point in large[0])) + 1 for axis in (0, 1))
        box = (left, top, min(right, page.width), min(bottom, page.height))
        if outline.colour and box[2] > left and box[3] > top:
            mask = Image.new("1", (box[2] - left, box[3] - top))
            marker = ImageDraw.Draw(mask)
            for fill, rim in zip((1, 0), large, strict=False):
                marker.polygon([(x - left, y - top) for x, y in rim], fill=fill)
            page.paste(outline.colour, box, mask)
        if outline.edge:
            for rim in outline.rims:
                pen.line(_large([*rim, *rim[:2]]), outline.edge, round(outline.width * FINE), joint="curve")


def _large(points: Points) -> list[tuple[float, float]]:
    return [(x * FINE, y * FINE) for x, y in points]


def _write(page: Image.Image, writing: Writing, style: Style) -> None:
    font = ImageFont.truetype(str(font_path(style.font)), writing.size * FINE)
    left, top, right, bottom = font.getbbox(writing.text)
    mask = Image.new("L", (math.ceil(right - left) + 4, math.ceil(bottom - top) + 4))
    ImageDraw.Draw(mask).text((2 - left, 2 - top), writing.text, font=font, fill=255)
    mask = mask.rotate(writing.turn, Image.Resampling.BICUBIC, expand=True)
    x, y = (round(at * FINE) for at in writing.at)
    page.paste(writing.colour, (x - mask.width // 2, y - mask.height // 2), mask)


def _dashes(points: Points, dash: Sequence[float]) -> list[Points]:
    """Return the pieces of a dashed path that are drawn."""
    if not dash:
        return [points]
    path = np.array(points, float)
    along = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(path, axis=0).T))])
    pieces: list[Points] = []
    start, turn = 0.0, 0
    while start < along[-1]:
        end = min(start + dash[turn % len(dash)], float(along[-1]))
        if turn % 2 == 0:
            at = np.arange(start, end + 0.5, 1.0)
            pieces.append(
                [(float(np.interp(a, along, path[:, 0])), float(np.interp(a, along, path[:, 1]))) for a in at]
            )
        start, turn = end, turn + 1
    return [piece for piece in pieces if len(piece) > 1]


def _by_resvg(outlines: Sequence[Outline], ground: str, style: Style) -> Image.Image:
    import resvg_py

    name = ImageFont.truetype(str(font_path(style.font)), 12)
    body = "".join(_markup(outline, *name.getname()) for outline in outlines)
    width, height = style.canvas
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
        f'<rect width="{width}" height="{height}" fill="{ground}"/>{body}</svg>'
    )
    png = resvg_py.svg_to_bytes(svg_string=svg, skip_system_fonts=True, font_files=[str(font_path(style.font))])
    return Image.open(io.BytesIO(bytes(png))).convert("RGB")


def _markup(outline: Outline, family: str | None, face: str | None) -> str:
    if isinstance(outline, Writing):
        x, y = outline.at
        turn = f' transform="rotate({-outline.turn} {x:.2f} {y:.2f})"' if outline.turn else ""
        weight = ' font-weight="bold"' if face and "Bold" in face else ""
        slant = ' font-style="oblique"' if face and "Oblique" in face else ""
        return (
            f'<text x="{x:.2f}" y="{y + 0.35 * outline.size:.2f}" font-family="{family}" font-size="{outline.size:.2f}"'
            f'{weight}{slant} fill="{outline.colour}" text-anchor="middle"{turn}>{escape(outline.text)}</text>'
        )
    if isinstance(outline, Stroke):
        dash = f' stroke-dasharray="{" ".join(f"{part:g}" for part in outline.dash)}"' if outline.dash else ""
        return (
            f'<path d="{_path(outline.points, outline.closed)}" fill="none" stroke="{outline.colour}" '
            f'stroke-width="{outline.width:.2f}" stroke-linejoin="round"{dash}/>'
        )
    edge = f' stroke="{outline.edge}" stroke-width="{outline.width:.2f}"' if outline.edge else ""
    rims = " ".join(_path(rim, True) for rim in outline.rims)
    return f'<path d="{rims}" fill="{outline.colour or "none"}" fill-rule="evenodd"{edge}/>'


def _path(points: Points, closed: bool) -> str:
    return "M" + " L".join(f"{x:.2f} {y:.2f}" for x, y in points) + (" Z" if closed else "")
