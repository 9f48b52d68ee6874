"""Descriptors of pictures: small grey pictures without slow gradients, by which copies are found among many.

A descriptor is computed when a rendering is written, while its pixels are in memory, and stands beside the run's
renderings from then on: later comparisons and releases need not decode them.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING
from zlib import crc32

from ircore.core.images import Picture, Pixels

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Descriptors = npt.NDArray[np.int8]
    Floats = npt.NDArray[np.float32]

SIDE = 32
"""Longer side of a descriptor, in pixels."""

GREY_SIDE = 128
"""Longer side of the small pictures, in pixels: noise and the marks of compression average out."""

SLOW = 6.0
"""Standard deviation, in pixels, of the Gaussian whose picture is taken for slow gradients."""

_HASH, _CHECK = 32, 4
"""Bytes of a SHA-256 and of a CRC-32."""


def compute_descriptor(picture: Picture) -> "Descriptors":
    """Return a picture in grey, ``SIDE`` × ``SIDE``, without slow gradients, of norm 127 × 8; all 0 without detail.

    >>> import numpy as np
    >>> compute_descriptor(Picture.from_pixels(np.zeros((64, 64, 3), np.uint8))).any()
    np.False_
    """
    import numpy as np

    detail = np.zeros((SIDE, SIDE), np.float32)
    grey = shrink_to_grey(picture.pixels, SIDE)
    detail[: grey.shape[0], : grey.shape[1]] = grey
    norm = float(np.sqrt((detail * detail).sum()))
    # A norm of SIDE is a deviation of one grey level: what is below has no detail.
    scaled = np.clip(np.round(detail * (1016 / norm)), -127, 127) if norm > SIDE else np.zeros_like(detail)
    return scaled.astype(np.int8)


def shrink_to_grey(pixels: Pixels, side: int = GREY_SIDE) -> "Floats":
    """Return a picture in grey, its longer side scaled to ``side`` pixels, less its slow gradients."""
    import numpy as np
    from PIL import Image
    from scipy.ndimage import gaussian_filter

    image = Image.fromarray(pixels).convert("L")
    scale = side / max(image.size)
    size = (max(1, round(image.width * scale)), max(1, round(image.height * scale)))
    grey = np.asarray(image.resize(size, Image.Resampling.BOX), np.float32)
    detail: Floats = grey - gaussian_filter(grey, SLOW * side / GREY_SIDE)
    return detail


def pack_descriptor(sha256: str, descriptor: "Descriptors") -> bytes:
    """Return a picture's record: the bytes of its hash, those of its descriptor, row by row, and their CRC-32."""
    record = bytes.fromhex(sha256) + descriptor.tobytes()
    return record + crc32(record).to_bytes(_CHECK)


def unpack_descriptors(records: bytes) -> Iterator[tuple[str, "Descriptors"]]:
    """Yield hash and descriptor of each record that is whole.

    >>> import numpy as np
    >>> record = pack_descriptor("ab" * 32, np.ones((SIDE, SIDE), np.int8))
    >>> [sha256[:4] for sha256, _ in unpack_descriptors(record + record[:-9])]
    ['abab']
    """
    import numpy as np

    size = _HASH + SIDE * SIDE
    for start in range(0, len(records), size + _CHECK):
        record = records[start : start + size]
        if crc32(record).to_bytes(_CHECK) == records[start + size : start + size + _CHECK]:
            yield record[:_HASH].hex(), np.frombuffer(record, np.int8, SIDE * SIDE, _HASH).reshape(SIDE, SIDE)
