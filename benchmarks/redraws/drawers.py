"""Three programs that draw outlines: matplotlib, Pillow (four times as large, then reduced) and resvg."""

import io
import math
from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from ircore.core.records import Scene
from redraws.outlines import Filled, Outline, Points, Stroke, Writing, outlines_of
from redraws.styles import Style, font_path

SIDE = 512
FINE = 4
"""Times by which Pillow's drawings are larger than the picture."""


def redrawn(scene: Scene, style: Style) -> Image.Image:
    """Draw a scene in a style, 512 × 512."""
    outlines = [_styled(outline, style) for outline in outlines_of(scene)]
    ground = style.shade(scene.background or "#ffffff")
    return {"matplotlib": _by_matplotlib, "pillow": _by_pillow, "resvg": _by_resvg}[style.drawer](
        outlines, ground, style
    )


def _styled(outline: Outline, style: Style) -> Outline:
    if isinstance(outline, Writing):
        size = outline.size * style.letters * style.scale
        return Writing(style.place(*outline.at), outline.text, style.shade(outline.colour), size, outline.turn)
    if isinstance(outline, Stroke):
        points, width = [style.place(*point) for point in outline.points], max(0.8, outline.width * style.widths)
        return Stroke(points, style.shade(outline.colour), width, outline.dash, outline.closed)
    rims = tuple([style.place(*point) for point in rim] for rim in outline.rims)
    colour, edge = (part and style.shade(part) for part in (outline.colour, outline.edge))
    return Filled(rims, colour, edge, outline.width * (1 + (style.widths - 1) / 2))


def _by_matplotlib(outlines: Sequence[Outline], ground: str, style: Style) -> Image.Image:
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.12, 5.12), dpi=100, facecolor=ground)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_xlim(0, SIDE)
    axes.set_ylim(SIDE, 0)
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
                  font=font_path(style.font), fontsize=outline.size * point, zorder=order)  # fmt: skip
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
    page = Image.new("RGB", (SIDE * FINE, SIDE * FINE), ground)
    for outline in outlines:
        _paint(page, outline, style)
    return page.resize((SIDE, SIDE), Image.Resampling.LANCZOS)


def _paint(page: Image.Image, outline: Outline, style: Style) -> None:
    pen = ImageDraw.Draw(page)
    if isinstance(outline, Writing):
        _write(page, outline, style)
    elif isinstance(outline, Stroke):
        path = [*outline.points, outline.points[0]] if outline.closed else outline.points
        for piece in _dashes(path, outline.dash):
            pen.line(_large(piece), outline.colour, round(outline.width * FINE), joint="curve")
    else:
        mask = Image.new("1", page.size)
        marker = ImageDraw.Draw(mask)
        for fill, rim in zip((1, 0), outline.rims, strict=False):
            marker.polygon(_large(rim), fill=fill)
        if outline.colour:
            page.paste(outline.colour, (0, 0, *page.size), mask)
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
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{SIDE}" height="{SIDE}" viewBox="0 0 {SIDE} {SIDE}">'
        f'<rect width="{SIDE}" height="{SIDE}" fill="{ground}"/>{body}</svg>'
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
