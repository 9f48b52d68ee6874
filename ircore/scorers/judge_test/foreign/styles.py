"""How a foreign picture looks: drawer, font, widths, shades, canvas and layout; damage to the finished picture."""

import io
import random
from dataclasses import dataclass
from functools import cache

import numpy as np
from PIL import Image, ImageFilter

from ircore.core.records import Scene
from ircore.scorers.judge_test.foreign.fonts import fonts_with
from ircore.scorers.judge_test.scene_edits import colour_difference

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


@dataclass(frozen=True)
class Style:
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
        ways: Ways of drawing, see ``ircore.scorers.judge_test.foreign.ways``.
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
        return _shaded(colour, self.shades, self.off)


@cache
def _shaded(colour: str, seed: int, off: tuple[float, float]) -> str:
    rng = random.Random(f"{seed}/{colour}")
    least, most = off
    for attempt in range(300):
        reach = max(2, round((16 if least < 4 else 30) * (1 - attempt / 320)))
        parts = [int(colour[at : at + 2], 16) + rng.randint(-reach, reach) for at in (1, 3, 5)]
        shaded = "#" + "".join(f"{min(255, max(0, part)):02x}" for part in parts)
        if least <= colour_difference(colour, shaded) <= most:
            return shaded
    return colour


def random_style(rng: random.Random, shifted: bool) -> Style:
    """Choose a style; a shifted layout is moved by up to 5 % and between 95 and 105 % large, others by up to 1 %."""
    reach = 0.05 if shifted else 0.01
    font = rng.choice(PLAIN_FONTS)
    letters = rng.uniform(0.85, 1.0) if "Mono" in font or "Bold" in font else rng.uniform(0.9, 1.15)
    move = (rng.uniform(-reach, reach), rng.uniform(-reach, reach))
    return Style(
        rng.choice(DRAWERS), font, letters, rng.uniform(0.75, 1.5), rng.randrange(1000), move,
        1 + rng.uniform(-reach, reach),
    )  # fmt: skip


PLAIN_FONTS = (
    "DejaVuSans", "DejaVuSerif", "DejaVuSansMono", "DejaVuSans-Bold", "STIXGeneral", "STIXGeneralBol",
    "DejaVuSans-Oblique",
)  # fmt: skip
"""Fonts that come with matplotlib and have every letter."""


def faithful_style(rng: random.Random, scene: Scene, drawer: str | None = None) -> Style:
    """Choose the style of a faithful picture on a square canvas: any drawer, any font that has the scene's letters."""
    texts = [element.text for element in scene.elements if element.text]
    fonts = fonts_with("".join(texts))
    return Style(
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


def damaged(image: Image.Image, how: str, rng: random.Random) -> Image.Image:
    """Return a picture after ``jpeg-50``, ``blur-1``, ``rough`` (blur 1, noise and JPEG 50 at once) or nothing."""
    if how in {"blur-1", "rough"}:
        image = image.filter(ImageFilter.GaussianBlur(1))
    if how == "rough":
        noise = np.random.default_rng(rng.randrange(2**32)).normal(0, 3, (image.height, image.width, 3))
        image = Image.fromarray(np.clip(np.asarray(image, float) + noise, 0, 255).astype(np.uint8))
    return as_jpeg(image, 50) if how in {"jpeg-50", "rough"} else image


def as_jpeg(image: Image.Image, quality: int) -> Image.Image:
    """Return a picture as it is after JPEG of a quality; as it was for quality 0."""
    if not quality:
        return image
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", quality=quality)
    return Image.open(buffer).convert("RGB")
