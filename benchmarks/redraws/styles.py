"""How a redraw looks: who draws it, font, widths, shades, layout; and what is done to the finished picture."""

import io
import random
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from PIL import Image, ImageFilter

from ircore.scorers.verification.eye.view import difference

DRAWERS = ("matplotlib", "pillow", "resvg")
FONTS = (
    "DejaVuSans.ttf", "DejaVuSerif.ttf", "DejaVuSansMono.ttf", "DejaVuSans-Bold.ttf", "STIXGeneral.ttf",
    "STIXGeneralBol.ttf", "DejaVuSans-Oblique.ttf",
)  # fmt: skip
"""Files of the fonts that come with matplotlib."""
SHADE = 7.0
"""ΔE2000 by which a colour is off at most."""


@dataclass(frozen=True)
class Style:
    """A way of drawing.

    Attributes:
        drawer: One of ``DRAWERS``.
        font: One of ``FONTS``.
        letters: Factor of font sizes.
        widths: Factor of the widths of lines.
        shades: Seed of the shades by which colours are off.
        move: Pixels of 512 to the right and down.
        scale: Factor of the layout about its middle.
    """

    drawer: str
    font: str
    letters: float
    widths: float
    shades: int
    move: tuple[float, float]
    scale: float

    def place(self, x: float, y: float) -> tuple[float, float]:
        """Return where a point of the target lies in the redraw, in pixels of 512."""
        return 256 + (x - 256) * self.scale + self.move[0], 256 + (y - 256) * self.scale + self.move[1]

    def shade(self, colour: str) -> str:
        """Return a colour that is a shade off, always the same for the same colour."""
        rng = random.Random(f"{self.shades}/{colour}")
        for reach in (16, 12, 8, 5, 3):
            parts = [int(colour[at : at + 2], 16) + rng.randint(-reach, reach) for at in (1, 3, 5)]
            shaded = "#" + "".join(f"{min(255, max(0, part)):02x}" for part in parts)
            if difference(colour, shaded) <= SHADE:
                return shaded
        return colour


def random_style(rng: random.Random, shifted: bool) -> Style:
    """Choose a style; a shifted layout is moved by up to 5 % and between 95 and 105 % large, others by up to 1 %."""
    reach = 0.05 if shifted else 0.01
    font = rng.choice(FONTS)
    letters = rng.uniform(0.85, 1.0) if "Mono" in font or "Bold" in font else rng.uniform(0.9, 1.15)
    move = (rng.uniform(-reach, reach) * 512, rng.uniform(-reach, reach) * 512)
    return Style(
        rng.choice(DRAWERS), font, letters, rng.uniform(0.75, 1.5), rng.randrange(1000), move,
        1 + rng.uniform(-reach, reach),
    )  # fmt: skip


@cache
def font_path(name: str) -> Path:
    """Return the file of a font that comes with matplotlib."""
    import matplotlib as mpl

    return Path(mpl.get_data_path()) / "fonts" / "ttf" / name


def damaged(image: Image.Image, how: str, rng: random.Random) -> Image.Image:
    """Return a picture after ``jpeg-50``, ``blur-1``, ``rough`` (blur 1, noise and JPEG 50 at once) or nothing."""
    if how in {"blur-1", "rough"}:
        image = image.filter(ImageFilter.GaussianBlur(1))
    if how == "rough":
        noise = np.random.default_rng(rng.randrange(2**32)).normal(0, 3, (image.height, image.width, 3))
        image = Image.fromarray(np.clip(np.asarray(image, float) + noise, 0, 255).astype(np.uint8))
    if how in {"jpeg-50", "rough"}:
        buffer = io.BytesIO()
        image.save(buffer, "JPEG", quality=50)
        image = Image.open(buffer).convert("RGB")
    return image
