"""Changes of a picture: levels, noise, frames, crops, turns, waves and whatever else hides where it comes from."""

import io
import random

import numpy as np
from PIL import Image, ImageDraw
from scipy.ndimage import map_coordinates

from ircore.core.images import Pixels


def image_of(pixels: Pixels) -> Image.Image:
    """Return pixels as a picture of Pillow."""
    return Image.fromarray(np.ascontiguousarray(pixels))


def resized(pixels: Pixels, width: int, height: int, how: Image.Resampling = Image.Resampling.BICUBIC) -> Pixels:
    """Return a picture in another size."""
    return np.asarray(image_of(pixels).resize((max(1, width), max(1, height)), how))


def levels(values: object) -> Pixels:
    """Return numbers as levels of 0 to 255."""
    limited: Pixels = np.clip(np.asarray(values), 0, 255).astype(np.uint8)
    return limited


def saved(pixels: Pixels, kind: str, quality: int) -> Pixels:
    """Save with losses, and open again."""
    file = io.BytesIO()
    image_of(pixels).save(file, kind, quality=quality)
    return np.asarray(Image.open(file).convert("RGB"))


def noisy(pixels: Pixels, spread: float) -> Pixels:
    """Add noise of a standard deviation in levels."""
    return levels(pixels + np.random.default_rng(0).normal(0, spread, pixels.shape))


def framed(pixels: Pixels, width: int, level: int = 128) -> Pixels:
    """Paint a border over the picture."""
    changed = np.full_like(pixels, level)
    changed[width:-width, width:-width] = pixels[width:-width, width:-width]
    return changed


def cropped(pixels: Pixels, share: float) -> Pixels:
    """Cut a share off each side, and enlarge the rest."""
    down, across = (round(length * share) for length in pixels.shape[:2])
    return resized(pixels[down : pixels.shape[0] - down, across : pixels.shape[1] - across], *pixels.shape[1::-1])


def shrunk(pixels: Pixels, share: float) -> Pixels:
    """Put the picture, smaller, on a page."""
    page = Image.new("RGB", pixels.shape[1::-1], (90, 90, 90))
    inner = image_of(resized(pixels, round(pixels.shape[1] * share), round(pixels.shape[0] * share)))
    page.paste(inner, ((page.width - inner.width) // 2, (page.height - inner.height) // 2))
    return np.asarray(page)


def with_patches(pixels: Pixels, count: int) -> Pixels:
    """Paint squares of a twelfth of the height over the picture."""
    changed, drawn = pixels.copy(), np.random.default_rng(3)
    side = pixels.shape[0] // 12
    for _ in range(count):
        y, x = drawn.integers(0, (pixels.shape[0] - side, pixels.shape[1] - side))
        changed[y : y + side, x : x + side] = drawn.integers(0, 255, 3)
    return changed


def corner(pixels: Pixels, side: int) -> Pixels:
    """Invert a corner."""
    changed = pixels.copy()
    changed[:side, :side] = 255 - changed[:side, :side]
    return changed


def tiled(pixels: Pixels, count: int) -> Pixels:
    """Repeat the picture, smaller."""
    return np.tile(resized(pixels, pixels.shape[1] // count, pixels.shape[0] // count), (count, count, 1))


def turned(pixels: Pixels, degrees: float) -> Pixels:
    """Turn by a few degrees."""
    return np.asarray(image_of(pixels).rotate(degrees, Image.Resampling.BICUBIC, fillcolor=(200, 200, 200)))


def waved(pixels: Pixels, reach: float) -> Pixels:
    """Bend by waves of a height in pixels."""
    rows, columns = np.mgrid[: pixels.shape[0], : pixels.shape[1]].astype(float)
    places = [rows + reach * np.sin(columns / 40), columns + reach * np.sin(rows / 40)]
    parts = [map_coordinates(pixels[..., part], places, order=1, mode="nearest") for part in range(3)]
    return np.stack(parts, axis=2).astype(np.uint8)


def halftoned(pixels: Pixels) -> Pixels:
    """Turn grey levels into black and white dots."""
    return np.asarray(image_of(pixels).convert("L").convert("1").convert("RGB"))


def dithered(pixels: Pixels, colours: int) -> Pixels:
    """Use a few colours only."""
    return np.asarray(image_of(pixels).quantize(colours).convert("RGB"))


def shaded(pixels: Pixels) -> Pixels:
    """Darken from right to left."""
    return levels(pixels * np.linspace(0.5, 1.1, pixels.shape[1])[None, :, None])


def written(pixels: Pixels) -> Pixels:
    """Write over the picture."""
    image = image_of(pixels)
    ImageDraw.Draw(image).text((20, image.height // 2), "drawn by a model", fill=(255, 0, 0), font_size=36)
    return np.asarray(image)


def striped(pixels: Pixels, every: int) -> Pixels:
    """Blank every so many rows."""
    changed = pixels.copy()
    changed[::every] = 128
    return changed


def shuffled(pixels: Pixels, count: int) -> Pixels:
    """Cut into squares that change places."""
    height, width = pixels.shape[0] // count, pixels.shape[1] // count
    places = [(y, x) for y in range(count) for x in range(count)]
    changed = pixels.copy()
    for (y, x), (to_y, to_x) in zip(places, random.Random(5).sample(places, len(places)), strict=True):
        part = pixels[y * height : (y + 1) * height, x * width : (x + 1) * width]
        changed[to_y * height : (to_y + 1) * height, to_x * width : (to_x + 1) * width] = part
    return changed


def perspective(pixels: Pixels) -> Pixels:
    """Look at the picture from aside."""
    image = image_of(pixels)
    wide, high = image.size
    corners = (0, 0, wide * 0.04, high, wide, high * 0.96, wide * 0.97, 0)
    return np.asarray(image.transform(image.size, Image.Transform.QUAD, corners, Image.Resampling.BICUBIC))
