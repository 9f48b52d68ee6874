"""Reading a picture that may be a HEIC file: a format of telephones that needs the extra ``heif``."""

import io
from pathlib import Path

from ircore.core.images import MAX_PIXELS, ImageError, Picture, read_image_bytes, read_picture, shown_pixels

HEIF = (".heic", ".heif")
SMALLEST_SIDE = 11
"""Pixels: the window of SSIM."""

LONGEST_SIDE = 2048
"""Pixels: larger photographs are reduced, so that a picture can be stored, shown to models and measured in seconds."""


def read_any_picture(path: Path) -> Picture:
    """Read a picture as a viewer shows it, HEIC included; one larger than ``LONGEST_SIDE`` is reduced.

    Raises:
        ImageError: The file is no usable picture, or it is HEIC and the extra is not installed.
    """
    from PIL import Image

    pixels = _heif(path).pixels if path.suffix.lower() in HEIF else read_picture(path).pixels
    height, width = pixels.shape[:2]
    if min(height, width) < SMALLEST_SIDE:
        raise ImageError(
            f"{path}: {width} × {height} pixels", f"Metrics need at least {SMALLEST_SIDE} pixels a side; remove it."
        )
    if max(height, width) <= LONGEST_SIDE:
        return Picture.from_pixels(pixels)
    import numpy as np

    image = Image.fromarray(pixels)
    # A thumbnail keeps the proportions of the sides.
    image.thumbnail((LONGEST_SIDE, LONGEST_SIDE), Image.Resampling.LANCZOS)
    return Picture.from_pixels(np.asarray(image))


def _heif(path: Path) -> Picture:
    data = read_image_bytes(path)
    try:
        import pillow_heif
    except ImportError as error:
        remedy = "Install it: pip install 'ircore[heif]', or put a JPEG of the same name beside it."
        raise ImageError(f"{path}: a HEIC picture needs the extra heif", remedy) from error
    try:
        file = pillow_heif.open_heif(io.BytesIO(data), convert_hdr_to_8bit=True)
        # Checked before decoding: the header of a small file may claim gigabytes of pixels.
        if file.size[0] * file.size[1] > MAX_PIXELS:
            raise ImageError(f"{path}: {file.size[0]} × {file.size[1]} pixels is too large", "Reduce it.")
        return Picture.from_pixels(shown_pixels(file.to_pillow()))
    # libheif's binding and Pillow raise all of these on damaged files.
    except (ValueError, EOFError, SyntaxError, RuntimeError, OSError) as error:
        raise ImageError(f"{path}: damaged or no HEIC picture ({error})", "Save it again from its source.") from error
