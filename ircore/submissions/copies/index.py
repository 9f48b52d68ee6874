"""Descriptors of a run's renderings, so that later runs are compared without decoding every published picture."""

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
from ircore.core.images import Picture
from ircore.results.played_run import RunSource
from ircore.runs.folder import RunFolder
from ircore.submissions.copies.patches import shrink_to_grey

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Descriptors = npt.NDArray[np.int8]

INDEX = "copies.npz"
"""File of a run folder with the descriptors of its renderings."""

SIDE = 32
"""Longer side of a descriptor, in pixels."""

REACH = 3
"""Shift, in pixels of a descriptor, up to which two pictures are compared: a tenth of the picture."""


class ComparedRendering(NamedTuple):
    """A rendering as it is compared with others.

    >>> import numpy as np
    >>> look_at(Picture.from_pixels(np.zeros((64, 64, 3), np.uint8))).flat
    True
    """

    descriptor: "Descriptors"
    """The picture in grey, ``SIDE`` × ``SIDE``, without slow gradients, of norm 127 × 8."""

    @property
    def flat(self) -> bool:
        """Whether the picture has no detail to compare."""
        return not self.descriptor.any()


def look_at(picture: Picture) -> ComparedRendering:
    """Return the descriptor of a picture."""
    import numpy as np

    detail = np.zeros((SIDE, SIDE), np.float32)
    grey = shrink_to_grey(picture.pixels, SIDE)
    detail[: grey.shape[0], : grey.shape[1]] = grey
    norm = float(np.sqrt((detail**2).sum()))
    # A norm of SIDE is a deviation of one grey level: what is below has no detail.
    scaled = np.clip(np.round(detail * (1016 / norm)), -127, 127) if norm > SIDE else np.zeros_like(detail)
    return ComparedRendering(scaled.astype(np.int8))


def compute_likeness(look: ComparedRendering, descriptors: "Descriptors") -> "npt.NDArray[np.float32]":
    """Return the correlation of a picture with each of many, 0 to 1: turned, mirrored or shifted, the best counts.

    Args:
        look: The picture.
        descriptors: Count × ``SIDE`` × ``SIDE``.
    """
    import numpy as np

    own = look.descriptor.astype(np.float32)
    padded = np.pad(own, REACH)
    shifts = [padded[y : y + SIDE, x : x + SIDE] for y in range(2 * REACH + 1) for x in range(2 * REACH + 1)]
    variants = np.stack([
        # Four turns and their mirror images are all ways to lay a square upon itself.
        variant for shifted in shifts for turns in range(4)
        for variant in (np.rot90(shifted, turns), np.rot90(shifted, turns)[:, ::-1])
    ]).reshape(-1, SIDE * SIDE)  # fmt: skip
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
    """Count × ``SIDE`` × ``SIDE``."""

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


def _list_renderings(run: RunSource) -> Iterator[tuple[str, str, Rendering]]:
    for episode in run.episodes():
        for sha256, rendering in {rendering.sha256: rendering for _, rendering in list_renderings(episode)}.items():
            yield episode.episode_id, sha256, rendering


def compute_index(run: RunSource) -> RunIndex:
    """Return the index of a run, computed from its pictures."""
    from concurrent.futures import ThreadPoolExecutor

    import numpy as np

    wanted = list(_list_renderings(run))
    # Threads, since most of the time goes into decoding, which holds up no other.
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        looks = list(pool.map(lambda known: look_at(run.rendering(known[2])), wanted))
    stacked = np.stack([look.descriptor for look in looks]) if looks else np.zeros((0, SIDE, SIDE), np.int8)
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
    if descriptors.dtype != np.int8 or descriptors.shape != (len(texts[0]), SIDE, SIDE):
        return None
    return RunIndex(texts[0], texts[1], descriptors)
