"""What is remembered of pictures so that copies are found: descriptors of renderings, patches, fine detail.

Descriptors of a run's renderings are kept beside it, so that later runs are compared without decoding every published
picture.

Patches of one picture are sought in another in every place, turned, mirrored, scaled, brightened or inverted, by
normalised cross-correlation (J. P. Lewis, *Fast Normalized Cross-Correlation*, 1995) on small grey pictures without
their slow gradients. Its absolute value is the same after gain, offset and inversion, and each patch is sought for
itself, so that borders, crops, shifts and further things in the picture cost only the patches they touch.

The fine detail of a drawn target is sought where it belongs in a rendering: how its edges and letters fade into the
ground. A figure that is drawn anew from words, however well, has edges and letters of its own program; a copy keeps the
target's, after other levels, borders, patches, re-encoding and fewer colours too. So a run in which the fine detail of
many drawn targets comes back holds copies; likeness of the whole picture cannot show it, since good words lead there.
"""

import os
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ircore.core.episode_records import Rendering, list_renderings
from ircore.core.errors import WorkError
from ircore.core.files import write_bytes
from ircore.core.images import SMALL_SIDE, Pixels
from ircore.results.played_run import RunSource
from ircore.runs.folder import RunFolder, read_small_pictures
from ircore.seeing.descriptors import compute_descriptor, describe_small_picture

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Descriptors = npt.NDArray[np.int8]
    Floats = npt.NDArray[np.float32]

INDEX = "copies.npz"
"""File of a run folder with the descriptors of its renderings."""

REACH = 3
"""Shift, in pixels of a descriptor, up to which two pictures are compared: a tenth of the picture."""

PATCH = 32
"""Side of a patch in pixels of the small picture."""

PATCHES = 16
"""Patches of a picture that are sought: a quarter of them from each quarter of the picture, those with the most detail.

So a pasted half is found beside a half that has more detail.
"""

SCALES = (1.0, 0.92, 1.09, 0.84, 1.19, 0.5, 2.0)
"""Sizes of the source in the copy: a border or crop of up to a tenth a side, quarters tiled, and a quarter enlarged.

A patch is still recognised when the size differs from its true size by 4 %.
"""

DETAIL = 3.0
"""Least standard deviation of a patch, in grey levels of 255, without slow gradients; flat patches are everywhere."""

ALIKE = 0.85
"""Correlation from which on a patch counts as taken from the other picture."""

FINE_PATCH = 48
"""Side of a patch, in pixels of the target."""

FINE_REACH = 16
"""Pixels by which a patch may lie elsewhere than in the target."""

COARSE = 2.0
"""Standard deviation, in pixels, of the Gaussian whose picture is not fine detail."""

FINE_DETAIL = 2.0
"""Least standard deviation of a patch's fine detail, in grey levels of 255."""

FINE_ALIKE = 0.95
"""Correlation from which on a patch counts as found.

Measured on two targets of each drawn category: of figures drawn anew by matplotlib, Pillow and resvg with exact
colours and places, four fifths of the patches are found in at most three of twelve; of copies changed in ten ways, in
all twelve.
"""

LEAST = 4
"""Patches with detail that a target must have, so that it says anything."""


def compute_likeness(descriptor: "Descriptors", descriptors: "Descriptors") -> "npt.NDArray[np.float32]":
    """Return the correlation of a picture with each of many, 0 to 1: turned, mirrored or shifted, the best counts.

    Args:
        descriptor: Of the picture.
        descriptors: Count × ``SMALL_SIDE`` × ``SMALL_SIDE``.
    """
    import numpy as np

    own = descriptor.astype(np.float32)
    padded = np.pad(own, REACH)
    shifts = [
        padded[y : y + SMALL_SIDE, x : x + SMALL_SIDE] for y in range(2 * REACH + 1) for x in range(2 * REACH + 1)
    ]
    variants = np.stack([
        # Four turns and their mirror images are all ways to lay a square upon itself.
        variant for shifted in shifts for turns in range(4)
        for variant in (np.rot90(shifted, turns), np.rot90(shifted, turns)[:, ::-1])
    ]).reshape(-1, SMALL_SIDE * SMALL_SIDE)  # fmt: skip
    many = descriptors.reshape(len(descriptors), -1).astype(np.float32)
    norms = np.maximum(np.linalg.norm(variants, axis=1)[:, None] * np.linalg.norm(many, axis=1), 1)
    # The absolute value finds an inverted picture too.
    best: npt.NDArray[np.float32] = np.abs(variants @ many.T / norms).max(axis=0)
    return best


class RunIndex(NamedTuple):
    """The descriptors of all renderings of a run, the same picture of an episode once.

    >>> from ircore.runs.folder import RunFolder
    >>> index = index_of(RunFolder(Path("run")))
    >>> len(index.sha256) == len(index.descriptors)
    True
    """

    episodes: tuple[str, ...]
    """Episode of each rendering."""

    sha256: tuple[str, ...]
    """What each rendering is known by."""

    descriptors: "Descriptors"
    """Count × ``SMALL_SIDE`` × ``SMALL_SIDE``."""

    def keys(self) -> Iterator[tuple[str, str]]:
        """Yield episode and hash of each rendering."""
        return zip(self.episodes, self.sha256, strict=True)

    @property
    def places(self) -> dict[str, list[int]]:
        """The positions of the renderings of each episode."""
        places: dict[str, list[int]] = {}
        for position, episode in enumerate(self.episodes):
            places.setdefault(episode, []).append(position)
        return places


def index_of(folder: RunFolder) -> RunIndex:
    """Return the index of a run: the stored one, or a new one, which is stored in the run folder where that can be."""
    path = folder.path / INDEX
    known = find_stored_index(folder, path)
    if known is not None:
        return known
    index = compute_index(folder)
    # A run that can only be read is compared all the same.
    with suppress(OSError, WorkError):
        write_bytes(path, index_bytes(index))
    return index


def find_stored_index(run: RunSource, stored: Path) -> RunIndex | None:
    """Return a stored index if it is of the renderings of a run."""
    index = read_index(stored) if stored.is_file() else None
    return index if index is not None and list(index.keys()) == list_rendering_keys(run) else None


def list_rendering_keys(run: RunSource) -> list[tuple[str, str]]:
    """Return episode and hash of each rendering of a run, in the order of its index."""
    return [(name, sha256) for name, sha256, _ in _list_renderings(run)]


def compute_index(run: RunSource) -> RunIndex:
    """Return the index of a run, computed from its pictures."""
    from concurrent.futures import ThreadPoolExecutor

    import numpy as np

    wanted = list(_list_renderings(run))
    # A release has no such file, and a run that was taken up again may lack the pictures of its beginning.
    known = read_small_pictures(run.path) if isinstance(run, RunFolder) else {}

    def described(rendering: Rendering) -> "Descriptors":
        grey = known.get(rendering.sha256)
        return compute_descriptor(run.rendering(rendering)) if grey is None else describe_small_picture(grey)

    # Threads, since most of the time goes into decoding, which holds up no other.
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        descriptors = list(pool.map(described, (rendering for _, _, rendering in wanted)))
    stacked = np.stack(descriptors) if descriptors else np.zeros((0, SMALL_SIDE, SMALL_SIDE), np.int8)
    names, hashes = tuple(name for name, _, _ in wanted), tuple(sha256 for _, sha256, _ in wanted)
    return RunIndex(names, hashes, stacked)


def index_bytes(index: RunIndex) -> bytes:
    """Return the content of a file with an index; the same index gives the same bytes."""
    import numpy as np

    texts: dict[str, Any] = {name: np.asarray(getattr(index, name), "U") for name in ("episodes", "sha256")}
    data = BytesIO()
    np.savez_compressed(data, descriptors=index.descriptors, **texts)
    return data.getvalue()


def read_index(path: Path) -> RunIndex | None:
    """Return a stored index; None if the file is no index of this version."""
    import numpy as np

    try:
        # A pickle could run code of whoever made the file.
        with np.load(path, allow_pickle=False) as stored:
            texts = [tuple(map(str, stored[name])) for name in ("episodes", "sha256")]
            descriptors = np.asarray(stored["descriptors"])
    except (OSError, KeyError, ValueError, zipfile.BadZipFile):
        return None
    # The file may come with a stranger's release, and arrays of another form would fail where they are used.
    if descriptors.dtype != np.int8 or descriptors.shape != (len(texts[0]), SMALL_SIDE, SMALL_SIDE):
        return None
    return RunIndex(texts[0], texts[1], descriptors)


class Match(NamedTuple):
    """The result of seeking the patches of one picture in another.

    >>> Match(taken=9, sought=12, in_place=2).share
    0.75
    """

    taken: int
    """Patches found in the other picture."""

    sought: int
    """Patches with detail that were sought, at most ``PATCHES``."""

    in_place: int
    """Patches found where they belong, neither turned nor scaled nor moved by more than two pixels of ``GREY_SIDE``."""

    @property
    def share(self) -> float:
        """Part of the sought patches that was found; 0 if there was none to seek."""
        return self.taken / self.sought if self.sought else 0.0


def match(picture: "Floats", source: "Floats") -> Match:
    """Seek the patches of a picture in a source.

    Args:
        picture: From ``small``.
        source: From ``small``.
    """
    import numpy as np

    corners = _find_corners(picture)
    if not corners or min(source.shape) < PATCH // 2:
        return Match(0, len(corners), 0)
    patches = np.stack([picture[y : y + PATCH, x : x + PATCH] for y, x in corners])
    best, in_place = np.zeros(len(corners), np.float32), 0
    for number, variant in enumerate(_list_variants(source)):
        planes = _compute_correlations(patches, variant)
        peaks = planes.max(axis=(1, 2))
        # The first variant is the source as it is, the only one with patches in their places.
        if number == 0:
            in_place = sum(
                float(plane[max(0, y - 2) : y + 3, max(0, x - 2) : x + 3].max(initial=0)) >= ALIKE
                for plane, (y, x) in zip(planes, corners, strict=True)
            )
        best = np.maximum(best, peaks)
        # The likely variants come first, so that the search in a plain copy ends early.
        if (best >= ALIKE).all():
            break
    return Match(int((best >= ALIKE).sum()), len(corners), in_place)


def compute_window_norms(values: "npt.NDArray[np.float64]", side: int) -> "npt.NDArray[np.float64]":
    """Return the norm of the pixels less their mean, for each place of a square of ``side`` pixels."""
    import numpy as np

    def sums(values: "npt.NDArray[np.float64]") -> "npt.NDArray[np.float64]":
        total = np.pad(values.cumsum(0).cumsum(1), ((1, 0), (1, 0)))
        window: npt.NDArray[np.float64] = (
            total[side:, side:] - total[:-side, side:] - total[side:, :-side] + total[:-side, :-side]
        )
        return window

    squared = sums(values**2) - sums(values) ** 2 / side**2
    # A flat place can come out slightly below 0, as the difference of two rounded sums.
    norms: npt.NDArray[np.float64] = np.sqrt(np.maximum(squared, 0))
    return norms


def compute_fine_detail(pixels: Pixels) -> "Floats":
    """Return a picture in grey without structures coarser than ``COARSE`` pixels."""
    import numpy as np
    from PIL import Image
    from scipy.ndimage import gaussian_filter

    grey = np.asarray(Image.fromarray(pixels).convert("L"), np.float32)
    detail: Floats = grey - gaussian_filter(grey, COARSE)
    return detail


def compute_fine_share(rendering: Pixels, target: Pixels) -> float:
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
    wanted, drawn = compute_fine_detail(target), compute_fine_detail(rendering)
    corners = _find_fine_corners(wanted)
    if len(corners) < LEAST:
        return 0.0
    return sum(_is_found(wanted, drawn, y, x) for y, x in corners) / len(corners)


def _list_renderings(run: RunSource) -> Iterator[tuple[str, str, Rendering]]:
    for episode in run.episodes():
        for sha256, rendering in {rendering.sha256: rendering for _, rendering in list_renderings(episode)}.items():
            yield episode.episode_id, sha256, rendering


def _find_corners(picture: "Floats") -> list[tuple[int, int]]:
    """Return the upper left corners of the patches with the most detail, overlapping by no more than half."""
    height, width = picture.shape
    quarters: dict[tuple[bool, bool], list[tuple[float, int, int]]] = {}
    for y in range(0, height - PATCH + 1, PATCH // 2):
        for x in range(0, width - PATCH + 1, PATCH // 2):
            spread = float(picture[y : y + PATCH, x : x + PATCH].std())
            if spread >= DETAIL:
                # A patch belongs to the quarter in which its middle lies.
                quarter = (2 * y + PATCH > height, 2 * x + PATCH > width)
                quarters.setdefault(quarter, []).append((spread, y, x))
    best = [place for places in quarters.values() for place in sorted(places, reverse=True)[: PATCHES // 4]]
    return [(y, x) for _, y, x in best]


def _list_variants(source: "Floats") -> Iterator["Floats"]:
    """Yield the source as it is, then turned, mirrored and scaled; every variant holds a patch."""
    import numpy as np
    from PIL import Image

    for scale in SCALES:
        size = (round(source.shape[1] * scale), round(source.shape[0] * scale))
        scaled = source if scale == 1 else np.asarray(Image.fromarray(source).resize(size, Image.Resampling.BILINEAR))
        if min(scaled.shape) < PATCH:
            continue
        for turns in range(4):
            turned = np.rot90(scaled, turns)
            yield turned
            yield turned[:, ::-1]


def _compute_correlations(patches: "Floats", source: "Floats") -> "Floats":
    """Return the absolute normalised correlation of each patch with every place of a source."""
    import numpy as np
    from scipy.fft import irfft2, next_fast_len, rfft2

    # Longer by a patch, because a transform wraps around at its edges.
    shape = tuple(next_fast_len(length + PATCH, real=True) for length in source.shape)
    centred = patches - patches.mean(axis=(1, 2), keepdims=True)
    norms = np.sqrt((centred**2).sum(axis=(1, 2)))
    spectrum = rfft2(source, shape)
    crossed = irfft2(spectrum * np.conj(rfft2(centred, shape)), shape)
    height, width = source.shape[0] - PATCH + 1, source.shape[1] - PATCH + 1
    spread = np.asarray(compute_window_norms(source.astype(np.float64), PATCH), np.float32)
    floor = DETAIL / 2 * PATCH  # a place with less than half the least detail matches nothing
    return np.asarray(
        np.abs(crossed[:, :height, :width]) / (norms[:, None, None] * np.maximum(spread, floor)), np.float32
    )


def _find_fine_corners(detail: "Floats") -> list[tuple[int, int]]:
    """Return the upper left corners of the patches with the most detail, overlapping by less than half."""
    height, width = detail.shape
    spreads = sorted(
        (
            (float(detail[y : y + FINE_PATCH, x : x + FINE_PATCH].std()), y, x)
            for y in range(0, height - FINE_PATCH + 1, FINE_PATCH // 2)
            for x in range(0, width - FINE_PATCH + 1, FINE_PATCH // 2)
        ),
        reverse=True,
    )
    chosen: list[tuple[int, int]] = []
    for spread, y, x in spreads:
        if spread < FINE_DETAIL or len(chosen) == PATCHES:
            break
        if all(max(abs(y - row), abs(x - column)) > FINE_PATCH // 2 for row, column in chosen):
            chosen.append((y, x))
    return chosen


def _is_found(wanted: "Floats", drawn: "Floats", y: int, x: int) -> bool:
    """Return whether a patch comes back within ``FINE_REACH`` pixels: the normalised correlation of a place with it."""
    import numpy as np
    from scipy.fft import irfft2, next_fast_len, rfft2

    patch = wanted[y : y + FINE_PATCH, x : x + FINE_PATCH]
    # Without its mean, so that a change of brightness costs nothing.
    patch = patch - patch.mean()
    # In double precision: running sums of squares lose small differences in single precision.
    bottom, right = y + FINE_PATCH + FINE_REACH, x + FINE_PATCH + FINE_REACH
    window = drawn[max(0, y - FINE_REACH) : bottom, max(0, x - FINE_REACH) : right].astype(np.float64)
    shape = tuple(next_fast_len(length + FINE_PATCH, real=True) for length in window.shape)
    crossed = irfft2(rfft2(window, shape) * np.conj(rfft2(patch, shape)), shape)
    crossed = crossed[: window.shape[0] - FINE_PATCH + 1, : window.shape[1] - FINE_PATCH + 1]
    # A place without detail matches nothing.
    spread = np.maximum(compute_window_norms(window, FINE_PATCH), FINE_PATCH * FINE_DETAIL / 4)
    # The absolute value finds an inverted copy too.
    return bool(np.abs(crossed / (np.sqrt((patch**2).sum()) * spread)).max() >= FINE_ALIKE)
