"""Fine detail of a drawn target sought where it belongs in a rendering: how its edges and letters fade into the ground.

A figure that is drawn anew from words, however well, has edges and letters of its own program; a copy keeps the
target's, after other levels, borders, patches, re-encoding and fewer colours too. So a run in which the fine detail of
many drawn targets comes back holds copies; likeness of the whole picture cannot show it, since good words lead there.
"""

from typing import TYPE_CHECKING

from ircore.core.images import Pixels
from ircore.submissions.copies.patches import window_norms

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float32]

PATCH = 48
"""Side of a patch, in pixels of the target."""

PATCHES = 16
"""Patches of a target that are sought, those with the most detail."""

REACH = 16
"""Pixels by which a patch may lie elsewhere than in the target."""

COARSE = 2.0
"""Standard deviation, in pixels, of the Gaussian whose picture is not fine detail."""

DETAIL = 2.0
"""Least standard deviation of a patch's fine detail, in grey levels of 255."""

ALIKE = 0.95
"""Correlation from which on a patch counts as found.

Measured on two targets of each drawn category: of figures drawn anew by matplotlib, Pillow and resvg with exact
colours and places, four fifths of the patches are found in at most three of twelve; of copies changed in ten ways, in
all twelve.
"""

LEAST = 4
"""Patches with detail that a target must have, so that it says anything."""


def fine_detail(pixels: Pixels) -> "Floats":
    """Return a picture in grey without structures coarser than ``COARSE`` pixels."""
    import numpy as np
    from PIL import Image
    from scipy.ndimage import gaussian_filter

    grey = np.asarray(Image.fromarray(pixels).convert("L"), np.float32)
    detail: Floats = grey - gaussian_filter(grey, COARSE)
    return detail


def fine_share(rendering: Pixels, target: Pixels) -> float:
    """Return the share of a target's patches whose fine detail comes back in a rendering, 0 to 1.

    Args:
        rendering: The rendering; one of another size is scaled to the target's.
        target: The target.

    Returns:
        The share; 0 for a target with fewer than ``LEAST`` patches of detail.
    """
    import numpy as np
    from PIL import Image

    if rendering.shape != target.shape:
        size = (target.shape[1], target.shape[0])
        rendering = np.asarray(Image.fromarray(rendering).resize(size, Image.Resampling.BICUBIC))
    wanted, drawn = fine_detail(target), fine_detail(rendering)
    corners = _corners(wanted)
    if len(corners) < LEAST:
        return 0.0
    return sum(_is_found(wanted, drawn, y, x) for y, x in corners) / len(corners)


def _corners(detail: "Floats") -> list[tuple[int, int]]:
    """Return the upper left corners of the patches with the most detail, overlapping by less than half."""
    height, width = detail.shape
    spreads = sorted(
        (
            (float(detail[y : y + PATCH, x : x + PATCH].std()), y, x)
            for y in range(0, height - PATCH + 1, PATCH // 2)
            for x in range(0, width - PATCH + 1, PATCH // 2)
        ),
        reverse=True,
    )
    chosen: list[tuple[int, int]] = []
    for spread, y, x in spreads:
        if spread < DETAIL or len(chosen) == PATCHES:
            break
        if all(max(abs(y - row), abs(x - column)) > PATCH // 2 for row, column in chosen):
            chosen.append((y, x))
    return chosen


def _is_found(wanted: "Floats", drawn: "Floats", y: int, x: int) -> bool:
    """Return whether a patch comes back within ``REACH`` pixels: the normalised correlation of a place with it."""
    import numpy as np
    from scipy.fft import irfft2, next_fast_len, rfft2

    patch = wanted[y : y + PATCH, x : x + PATCH]
    # Without its mean, so that a change of brightness costs nothing.
    patch = patch - patch.mean()
    # In double precision: running sums of squares lose small differences in single precision.
    window = drawn[max(0, y - REACH) : y + PATCH + REACH, max(0, x - REACH) : x + PATCH + REACH].astype(np.float64)
    shape = tuple(next_fast_len(length + PATCH, real=True) for length in window.shape)
    crossed = irfft2(rfft2(window, shape) * np.conj(rfft2(patch, shape)), shape)
    crossed = crossed[: window.shape[0] - PATCH + 1, : window.shape[1] - PATCH + 1]
    # A place without detail matches nothing.
    spread = np.maximum(window_norms(window, PATCH), PATCH * DETAIL / 4)
    # The absolute value finds an inverted copy too.
    return bool(np.abs(crossed / (np.sqrt((patch**2).sum()) * spread)).max() >= ALIKE)
