"""Scenes drawn in random styles, and damage to pictures, as the benchmarks of the eye need them."""

import random

import numpy as np
from PIL import Image, ImageFilter

from ircore.scorers.judge_test.drawers import DRAWERS, DrawingStyle, compress_as_jpeg

PLAIN_FONTS = (
    "DejaVuSans", "DejaVuSerif", "DejaVuSansMono", "DejaVuSans-Bold", "STIXGeneral", "STIXGeneralBol",
    "DejaVuSans-Oblique",
)  # fmt: skip
"""Fonts that come with matplotlib and have every letter."""


def choose_random_style(rng: random.Random, shifted: bool) -> DrawingStyle:
    """Choose a style; a shifted layout is moved by up to 5 % and between 95 and 105 % large, others by up to 1 %."""
    reach = 0.05 if shifted else 0.01
    font = rng.choice(PLAIN_FONTS)
    letters = rng.uniform(0.85, 1.0) if "Mono" in font or "Bold" in font else rng.uniform(0.9, 1.15)
    move = (rng.uniform(-reach, reach), rng.uniform(-reach, reach))
    return DrawingStyle(
        rng.choice(DRAWERS), font, letters, rng.uniform(0.75, 1.5), rng.randrange(1000), move,
        1 + rng.uniform(-reach, reach),
    )  # fmt: skip


def damage_image(image: Image.Image, how: str, rng: random.Random) -> Image.Image:
    """Return a picture after ``jpeg-50``, ``blur-1``, ``rough`` (blur 1, noise and JPEG 50 at once) or nothing."""
    if how in {"blur-1", "rough"}:
        image = image.filter(ImageFilter.GaussianBlur(1))
    if how == "rough":
        noise = np.random.default_rng(rng.randrange(2**32)).normal(0, 3, (image.height, image.width, 3))
        image = Image.fromarray(np.clip(np.asarray(image, float) + noise, 0, 255).astype(np.uint8))
    return compress_as_jpeg(image, 50) if how in {"jpeg-50", "rough"} else image
