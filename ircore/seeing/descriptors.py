"""Descriptors of pictures: small grey pictures without slow gradients, by which copies are found among many.

A rendering is made small when it is written, while its pixels are in memory, and the small picture stands beside the
run's renderings from then on: later comparisons and releases need not decode them.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING
from zlib import crc32

from ircore.core.images import SMALL_SIDE, Picture, Pixels, shrink_image

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from PIL import Image

    Descriptors = npt.NDArray[np.int8]
    Floats = npt.NDArray[np.float32]

GREY_SIDE = 128
"""Longer side of the pictures whose patches are compared, in pixels: noise and the marks of compression average out."""

SLOW = 6.0
"""Standard deviation, in pixels, of the Gaussian whose picture is taken for slow gradients."""

_HASH, _CHECK = 32, 4
"""Bytes of a SHA-256 and of a CRC-32."""


def compute_descriptor(picture: Picture) -> "Descriptors":
    """Return a picture in grey, ``SMALL_SIDE`` each way, without slow gradients, of norm 127 × 8; all 0 without detail.

    >>> import numpy as np
    >>> compute_descriptor(Picture.from_pixels(np.zeros((64, 64, 3), np.uint8))).any()
    np.False_
    """
    from PIL import Image

    return describe_small_picture(picture.small_grey or shrink_image(Image.fromarray(picture.pixels)))


def describe_small_picture(grey: "Image.Image") -> "Descriptors":
    """Return the descriptor of a picture that ``shrink_image`` has made small."""
    import numpy as np

    detail = np.zeros((SMALL_SIDE, SMALL_SIDE), np.float32)
    detail[: grey.height, : grey.width] = _remove_gradients(grey)
    norm = float(np.sqrt((detail * detail).sum()))
    # A norm of 32 is a deviation of one grey level: what is below has no detail.
    scaled = np.clip(np.round(detail * (1016 / norm)), -127, 127) if norm > SMALL_SIDE else np.zeros_like(detail)
    return scaled.astype(np.int8)


def shrink_to_grey(pixels: Pixels) -> "Floats":
    """Return a picture in grey, its longer side scaled to ``GREY_SIDE`` pixels, less its slow gradients."""
    from PIL import Image

    return _remove_gradients(shrink_image(Image.fromarray(pixels), GREY_SIDE))


def _remove_gradients(image: "Image.Image") -> "Floats":
    import numpy as np
    from scipy.ndimage import gaussian_filter

    grey = np.asarray(image, np.float32)
    detail: Floats = grey - gaussian_filter(grey, SLOW * max(image.size) / GREY_SIDE)
    return detail


def pack_small_picture(sha256: str, grey: "Image.Image") -> bytes:
    """Return the record of a small picture: the bytes of its hash, its sides, its rows, and their CRC-32."""
    rows = grey.tobytes().ljust(SMALL_SIDE * SMALL_SIDE, b"\0")
    record = bytes.fromhex(sha256) + bytes(grey.size) + rows
    return record + crc32(record).to_bytes(_CHECK)


def unpack_small_pictures(records: bytes) -> Iterator[tuple[str, "Image.Image"]]:
    """Yield hash and small picture of each record that is whole.

    >>> from PIL import Image
    >>> record = pack_small_picture("ab" * 32, Image.new("L", (32, 24)))
    >>> [(sha256[:4], grey.size) for sha256, grey in unpack_small_pictures(record + record[:-9])]
    [('abab', (32, 24))]
    """
    from PIL import Image

    size = _HASH + 2 + SMALL_SIDE * SMALL_SIDE
    for start in range(0, len(records), size + _CHECK):
        record = records[start : start + size]
        if crc32(record).to_bytes(_CHECK) == records[start + size : start + size + _CHECK]:
            sides = record[_HASH], record[_HASH + 1]
            rows = record[_HASH + 2 :][: sides[0] * sides[1]]
            yield record[:_HASH].hex(), Image.frombytes("L", sides, rows)
