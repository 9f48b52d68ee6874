"""Foreign drawers: three programs that draw outlines, their fonts, and how a picture of theirs looks.

The programs are matplotlib, Pillow (three times as large, then reduced) and resvg. Fonts (serif, sans, mono and hand)
come out of packages, so that every machine has the same. A look is drawer, font, widths, shades, canvas and layout, and
damage to the finished picture.
"""

import importlib.util
import io
import math
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from ircore.core.errors import InputError
from ircore.core.plugins import install_words
from ircore.core.records import Scene
from ircore.scorers.judge_test.edits import measure_colour_difference
from ircore.scorers.judge_test.outlines import (
    FilledArea,
    Outline,
    OutlineStroke,
    OutlineText,
    Points,
    change_outlines,
    finish_picture,
    trace_scene,
)

FONTS = {
    "DejaVuSans": "", "DejaVuSans-Bold": "", "DejaVuSans-Oblique": "", "DejaVuSerif": "", "DejaVuSansMono": "",
    "STIXGeneral": "", "STIXGeneralBol": "", "STIXGeneralItalic": "", "cmr10": "", "cmss10": "", "cmtt10": "",
    "AmaticSC-Bold": "font_amatic_sc", "Intuitive": "font_intuitive", "Caladea-Regular": "font_caladea",
    "Caladea-Italic": "font_caladea", "FredokaOne-Regular": "font_fredoka_one",
    "HankenGrotesk-Regular": "font_hanken_grotesk", "Lato-Regular": "font_lato", "Manrope-Regular": "font_manrope",
    "Lato-Bold": "font_lato", "SourceSansPro-Regular": "font_source_sans_pro",
    "SourceSerifPro-Regular": "font_source_serif_pro", "SourceSerifPro-Semibold": "font_source_serif_pro",
}  # fmt: skip
"""Each font with the package that holds its file; none for those of matplotlib."""

KINDS = {
    "serif": ("DejaVuSerif", "STIXGeneral", "cmr10", "Caladea", "SourceSerifPro"),
    "mono": ("DejaVuSansMono", "cmtt10"),
    "hand": ("AmaticSC", "Intuitive"),
}
"""Beginnings of the names of fonts by kind; the others are sans."""

HAND = ("AmaticSC-Bold", "Intuitive")

NARROW = {"AmaticSC-Bold": 1.5, "Intuitive": 1.15}
"""Factors by which fonts of small letters are set larger, as anybody would."""

PLAIN = frozenset(map(ord, " ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.,%()+"))

REMEDY = f"Install what foreign drawers need: {install_words('judge-test')}"

DRAWERS = ("matplotlib", "pillow", "resvg")

SQUARE = ((512, 512), (1024, 1024), (768, 768), (640, 640), (300, 300))
OBLONG = (
    (1536, 1024), (1024, 1536), (768, 512), (512, 768), (640, 480), (480, 640), (1280, 720), (720, 1280),
)  # fmt: skip
"""Sizes of canvases, width and height in pixels: those of today's generators, of videos, of small pictures."""

SHADE = (0.0, 7.0)
"""ΔE2000 by which a colour is off, at least and at most."""

FAITHFUL_SHADE = (0.0, 2.0)
"""Shades that a person takes for the same colour."""

FINE = 3
"""Times by which Pillow's drawings are larger than the picture."""

WIDER = 1.1
"""Times by which a text may be wider than in the target: wider ones would cover their neighbours."""


def classify_font(name: str) -> str:
    """Return whether a font is ``serif``, ``sans``, ``mono`` or ``hand``.

    >>> classify_font("Caladea-Italic"), classify_font("DejaVuSans-Bold")
    ('serif', 'sans')
    """
    return next((kind for kind, starts in KINDS.items() if name.startswith(starts)), "sans")


@cache
def locate_font(name: str) -> Path:
    """Return the file of a font.

    Raises:
        InputError: Its package is not installed.
    """
    package = FONTS[name] or "matplotlib"
    found = importlib.util.find_spec(package)
    if found is None or found.origin is None:
        raise InputError(f"font {name}: the package {package} is not installed", REMEDY)
    folder = Path(found.origin).parent / ("files" if FONTS[name] else "mpl-data/fonts/ttf")
    return next(path for ending in ("ttf", "otf") if (path := folder / f"{name}.{ending}").is_file())


def list_fonts_with(letters: Iterable[str]) -> tuple[str, ...]:
    """Return the fonts that have every one of these letters."""
    wanted = {ord(letter) for letter in letters}
    return tuple(name for name in FONTS if wanted <= _read_letters(name))


@cache
def measure_text_width(text: str, name: str) -> float:
    """Return how wide a text is in a font, in parts of the font's size."""
    return float(_load_large_font(name).getlength(text)) / 100


@dataclass(frozen=True)
class DrawingStyle:
    """A way of drawing.

    Attributes:
        drawer: One of ``DRAWERS``.
        font: One of ``FONTS``.
        letters: Factor of font sizes.
        widths: Factor of the widths of lines.
        shades: Seed of the shades by which colours are off.
        move: Shares of the canvas by which the drawing lies to the right of the middle, and below it.
        scale: Share of the shorter side of the canvas that the drawing takes.
        canvas: Width and height in pixels.
        off: ΔE2000 by which colours are off, at least and at most.
        ways: Ways of drawing, see ``ircore.scorers.judge_test.outlines``.
        quality: Of JPEG; 0 for PNG.
    """

    drawer: str
    font: str
    letters: float
    widths: float
    shades: int
    move: tuple[float, float]
    scale: float
    canvas: tuple[int, int] = (512, 512)
    off: tuple[float, float] = SHADE
    ways: tuple[str, ...] = ()
    quality: int = 0

    def shade(self, colour: str) -> str:
        """Return a colour that is a shade off, always the same for the same colour."""
        return _shade_colour(colour, self.shades, self.off)


def choose_faithful_style(rng: random.Random, scene: Scene, drawer: str | None = None) -> DrawingStyle:
    """Choose the style of a faithful picture on a square canvas: any drawer, any font that has the scene's letters."""
    texts = [element.text for element in scene.elements if element.text]
    fonts = list_fonts_with("".join(texts))
    return DrawingStyle(
        drawer=drawer or rng.choice(DRAWERS),
        font=rng.choice(fonts),
        letters=rng.uniform(0.9, 1.15),
        widths=rng.uniform(0.8, 1.4),
        shades=rng.randrange(10_000),
        move=(rng.uniform(-0.01, 0.01), rng.uniform(-0.01, 0.01)),
        scale=rng.uniform(0.95, 1.0),
        canvas=rng.choice(SQUARE),
        off=FAITHFUL_SHADE,
        quality=rng.choice((0, 0, 90, 75)),
    )


def compress_as_jpeg(image: Image.Image, quality: int) -> Image.Image:
    """Return a picture as it is after JPEG of a quality; as it was for quality 0."""
    if not quality:
        return image
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", quality=quality)
    return Image.open(buffer).convert("RGB")


def redraw_scene(scene: Scene, style: DrawingStyle) -> Image.Image:
    """Draw a scene in a style, on the style's canvas.

    Raises:
        InputError: The program that shall draw it is not installed.
    """
    outlines = change_outlines(list(trace_scene(scene)), scene, style.ways, style.shades)
    placed = [_apply_style(outline, scene, style) for outline in outlines]
    ground = style.shade(scene.background or "#ffffff")
    try:
        image = {"matplotlib": _draw_with_matplotlib, "pillow": _draw_with_pillow, "resvg": _draw_with_resvg}[
            style.drawer
        ](placed, ground, style)
    except ImportError as error:
        raise InputError(f"drawer {style.drawer}: {error.name} is not installed", REMEDY) from None
    return compress_as_jpeg(finish_picture(image, placed, style.ways, style.shades), style.quality)


def compute_unit(scene: Scene, style: DrawingStyle) -> float:
    """Return the pixels of a picture that one pixel of the target becomes."""
    width, height = style.canvas
    return style.scale * min(width / scene.width, height / scene.height)


@cache
def _read_letters(name: str) -> frozenset[int]:
    from matplotlib.ft2font import FT2Font

    letters = frozenset(FT2Font(str(locate_font(name))).get_charmap())
    # Computer Modern has other signs than its table says from some places on: "°" would be drawn as "ß".
    return letters & PLAIN if name.startswith("cm") else letters


@cache
def _load_large_font(name: str) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(str(locate_font(name)), 100)


@cache
def _shade_colour(colour: str, seed: int, off: tuple[float, float]) -> str:
    rng = random.Random(f"{seed}/{colour}")
    least, most = off
    for attempt in range(300):
        reach = max(2, round((16 if least < 4 else 30) * (1 - attempt / 320)))
        parts = [int(colour[at : at + 2], 16) + rng.randint(-reach, reach) for at in (1, 3, 5)]
        shaded = "#" + "".join(f"{min(255, max(0, part)):02x}" for part in parts)
        if least <= measure_colour_difference(colour, shaded) <= most:
            return shaded
    return colour


def _apply_style(outline: Outline, scene: Scene, style: DrawingStyle) -> Outline:
    (width, height), unit = style.canvas, compute_unit(scene, style)
    left = (width - scene.width * unit) / 2 + style.move[0] * width
    top = (height - scene.height * unit) / 2 + style.move[1] * height

    def place(points: Points) -> Points:
        return [(left + x * unit, top + y * unit) for x, y in points]

    if isinstance(outline, OutlineText):
        size = outline.size * style.letters * NARROW.get(style.font, 1.0)
        if outline.room:
            size = min(size, WIDER * outline.room / max(measure_text_width(outline.text, style.font), 0.1))
        [at] = place([outline.at])
        return OutlineText(at, outline.text, style.shade(outline.colour), size * unit, outline.turn)
    if isinstance(outline, OutlineStroke):
        line = max(0.8, outline.width * style.widths * unit)
        dash = tuple(part * unit for part in outline.dash)
        return OutlineStroke(place(outline.points), style.shade(outline.colour), line, dash, outline.closed)
    rims = tuple(place(rim) for rim in outline.rims)
    colour, edge = (part and style.shade(part) for part in (outline.colour, outline.edge))
    line = outline.width * (1 + (style.widths - 1) / 2) * unit
    return FilledArea(rims, colour, edge, line, outline.mark)


def _draw_with_matplotlib(outlines: Sequence[Outline], ground: str, style: DrawingStyle) -> Image.Image:
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
        _plot_outline(axes, outline, style, order + 10)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=100, facecolor=ground)
    return Image.open(buffer).convert("RGB")


def _plot_outline(axes: Any, outline: Outline, style: DrawingStyle, order: int) -> None:
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    point = 0.72
    if isinstance(outline, OutlineText):
        axes.text(*outline.at, outline.text, color=outline.colour, ha="center", va="center", rotation=outline.turn,
                  parse_math=False, font=locate_font(style.font), fontsize=outline.size * point,
                  zorder=order)  # fmt: skip
    elif isinstance(outline, OutlineStroke):
        points = [*outline.points, outline.points[0]] if outline.closed else outline.points
        width = outline.width * point
        dash: Any = (0, [part * point / max(width, 1e-6) for part in outline.dash]) if outline.dash else "-"
        axes.plot(*zip(*points, strict=True), color=outline.colour, linewidth=width, linestyle=dash, zorder=order)
    else:
        path = Path.make_compound_path(*(Path([*rim, rim[0]], closed=True) for rim in outline.rims))
        axes.add_patch(PathPatch(path, facecolor=outline.colour or "none", edgecolor=outline.edge or "none",
                                 linewidth=outline.width * point, zorder=order))  # fmt: skip


def _draw_with_pillow(outlines: Sequence[Outline], ground: str, style: DrawingStyle) -> Image.Image:
    width, height = style.canvas
    page = Image.new("RGB", (width * FINE, height * FINE), ground)
    for outline in outlines:
        _paint_outline(page, outline, style)
    return page.resize((width, height), Image.Resampling.LANCZOS)


def _paint_outline(page: Image.Image, outline: Outline, style: DrawingStyle) -> None:
    pen = ImageDraw.Draw(page)
    if isinstance(outline, OutlineText):
        _paint_text(page, outline, style)
    elif isinstance(outline, OutlineStroke):
        path = [*outline.points, outline.points[0]] if outline.closed else outline.points
        for piece in _split_into_dashes(path, outline.dash):
            pen.line(_enlarge(piece), outline.colour, round(outline.width * FINE), joint="curve")
    else:
        large = [_enlarge(rim) for rim in outline.rims]
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
                pen.line(_enlarge([*rim, *rim[:2]]), outline.edge, round(outline.width * FINE), joint="curve")


def _enlarge(points: Points) -> list[tuple[float, float]]:
    return [(x * FINE, y * FINE) for x, y in points]


def _paint_text(page: Image.Image, writing: OutlineText, style: DrawingStyle) -> None:
    font = ImageFont.truetype(str(locate_font(style.font)), writing.size * FINE)
    left, top, right, bottom = font.getbbox(writing.text)
    mask = Image.new("L", (math.ceil(right - left) + 4, math.ceil(bottom - top) + 4))
    ImageDraw.Draw(mask).text((2 - left, 2 - top), writing.text, font=font, fill=255)
    mask = mask.rotate(writing.turn, Image.Resampling.BICUBIC, expand=True)
    x, y = (round(at * FINE) for at in writing.at)
    page.paste(writing.colour, (x - mask.width // 2, y - mask.height // 2), mask)


def _split_into_dashes(points: Points, dash: Sequence[float]) -> list[Points]:
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


def _draw_with_resvg(outlines: Sequence[Outline], ground: str, style: DrawingStyle) -> Image.Image:
    import resvg_py

    name = ImageFont.truetype(str(locate_font(style.font)), 12)
    body = "".join(_render_svg(outline, *name.getname()) for outline in outlines)
    width, height = style.canvas
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
        f'<rect width="{width}" height="{height}" fill="{ground}"/>{body}</svg>'
    )
    png = resvg_py.svg_to_bytes(svg_string=svg, skip_system_fonts=True, font_files=[str(locate_font(style.font))])
    return Image.open(io.BytesIO(bytes(png))).convert("RGB")


def _render_svg(outline: Outline, family: str | None, face: str | None) -> str:
    if isinstance(outline, OutlineText):
        x, y = outline.at
        turn = f' transform="rotate({-outline.turn} {x:.2f} {y:.2f})"' if outline.turn else ""
        weight = ' font-weight="bold"' if face and "Bold" in face else ""
        slant = ' font-style="oblique"' if face and "Oblique" in face else ""
        return (
            f'<text x="{x:.2f}" y="{y + 0.35 * outline.size:.2f}" font-family="{family}" font-size="{outline.size:.2f}"'
            f'{weight}{slant} fill="{outline.colour}" text-anchor="middle"{turn}>{escape(outline.text)}</text>'
        )
    if isinstance(outline, OutlineStroke):
        dash = f' stroke-dasharray="{" ".join(f"{part:g}" for part in outline.dash)}"' if outline.dash else ""
        return (
            f'<path d="{_format_svg_path(outline.points, outline.closed)}" fill="none" stroke="{outline.colour}" '
            f'stroke-width="{outline.width:.2f}" stroke-linejoin="round"{dash}/>'
        )
    edge = f' stroke="{outline.edge}" stroke-width="{outline.width:.2f}"' if outline.edge else ""
    rims = " ".join(_format_svg_path(rim, True) for rim in outline.rims)
    return f'<path d="{rims}" fill="{outline.colour or "none"}" fill-rule="evenodd"{edge}/>'


def _format_svg_path(points: Points, closed: bool) -> str:
    return "M" + " L".join(f"{x:.2f} {y:.2f}" for x, y in points) + (" Z" if closed else "")
