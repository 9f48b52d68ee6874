"""Two ways of loading pictures for metrics, recorded with every value.

``upstream`` is how ConvGenVisMo's published values were computed: pixels as stored (EXIF orientation ignored, alpha
dropped), the image squashed to the target's size. ``native`` is what a viewer shows: upright, transparent parts on
white, sRGB; an image of other proportions is fitted into the target's frame and the rest of the frame is white.
"""

from pathlib import Path
from typing import get_args

import numpy as np
from PIL import Image

from ircore.core.images import BACKDROP, Loading, Pixels, read_picture, read_stored_pixels, shown_pixels, stored_pixels

LOADINGS: tuple[Loading, ...] = get_args(Loading)


def load_pixels(image: "str | Path | Image.Image", loading: Loading) -> Pixels:
    """Return the pixels of a file or of an opened picture.

    Args:
        image: A path, or a PIL image.
        loading: How it is read.

    Returns:
        Height × width × 3 RGB, 0–255.

    Raises:
        ImageError: The file is missing, unreadable or not a usable picture.
    """
    if isinstance(image, Image.Image):
        return stored_pixels(image) if loading == "upstream" else shown_pixels(image)
    return read_stored_pixels(Path(image)) if loading == "upstream" else read_picture(Path(image)).pixels


def fit_into(target: Pixels, image: Pixels) -> Pixels:
    """Return ``image`` in a frame of the target's size: bicubic, proportions kept, centred, the rest white.

    Args:
        target: Its size is the frame's.
        image: Height × width × 3 RGB, 0–255; returned as it is if its size is the target's.
    """
    (height, width), (tall, wide) = target.shape[:2], image.shape[:2]
    # Resampling at the same size would still change values, and identical pictures must stay identical.
    if (height, width) == (tall, wide):
        return image
    scale = min(height / tall, width / wide)
    # A strip of 2000 × 1 pixels would else be scaled to a height of 0.
    size = (max(1, round(wide * scale)), max(1, round(tall * scale)))
    frame = Image.new("RGB", (width, height), BACKDROP)
    scaled = Image.fromarray(image).resize(size, Image.Resampling.BICUBIC)
    frame.paste(scaled, ((width - size[0]) // 2, (height - size[1]) // 2))
    return np.asarray(frame)
