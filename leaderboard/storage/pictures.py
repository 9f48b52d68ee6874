"""Targets and renderings as small WebP files, each encoded only once."""

import io
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from ircore.core.errors import WorkError
from ircore.core.files import write_bytes
from ircore.core.images import RESTORE, Picture, read_image_bytes
from ircore.core.terminal import track_progress
from ircore.core.workers import map_in_order
from leaderboard.storage.output_folder import take_over

SMALL = 256
LARGE = 512
"""Longest sides in pixels; smaller pictures are not enlarged."""

QUALITY = 84
METHOD = 2
"""WebP settings: quality 0–100; effort 0–6, where 2 takes half the time of 4 and gives files 2 % larger."""

ENCODING = f"webp q{QUALITY} m{METHOD} {SMALL} {LARGE}"
"""Pictures made with other settings are not taken over from an earlier build."""

FOLDER = "img"
_FEW = 24
"""Number of pictures below which starting a second process takes longer than it saves."""


@dataclass(frozen=True)
class Shown:
    """Addresses and size of a picture in a page."""

    small: str
    """File for thumbnails, relative to the site's root."""

    large: str
    """File for zooming, relative to the site's root; or the address of the original, if that lies elsewhere."""

    width: int
    """Width of the small file, in pixels."""

    height: int
    """Height of the small file, in pixels."""


class _Source(NamedTuple):
    path: str
    sha256: str
    width: int
    height: int


class PictureBook:
    """Collects the pictures that pages show, then encodes each of them once.

    Args:
        originals: Where the files lie from which pictures are made, an address that ends in a slash and names one
            revision: each as ``<sha256>`` and the suffix of its file. Readers who zoom see these then, and the site
            holds thumbnails alone. Empty if they are not published: the site holds pictures for zooming too.

    Example:
        >>> len(PictureBook())
        0
    """

    def __init__(self, originals: str = "") -> None:
        self._sources: dict[str, _Source] = {}
        self._shown: dict[str, Shown] = {}
        self.originals = originals

    def __len__(self) -> int:
        return len(self._sources)

    def add(self, path: Path, sha256: str, width: int, height: int) -> Shown:
        """Say that a picture is shown.

        Args:
            path: Its file, read when the book is written.
            sha256: What the picture is known by; equal pictures are stored once.
            width: In pixels.
            height: In pixels.
        """
        if sha256 not in self._sources:
            source = self._sources[sha256] = _Source(str(path), sha256, width, height)
            self._shown[sha256] = self._measure_picture(source)
        return self._shown[sha256]

    def shown(self, sha256: str) -> Shown | None:
        """Return the files and sizes under which a picture is shown; None if the picture is not registered."""
        return self._shown.get(sha256)

    def _measure_picture(self, source: _Source) -> Shown:
        width, height = _fit(source.width, source.height, SMALL)
        original = f"{self.originals}{source.sha256}{Path(source.path).suffix}" if self.originals else ""
        return Shown(_name(source.sha256, SMALL), original or _name(source.sha256, LARGE), width, height)

    def write(self, folder: Path, earlier: Path | None = None) -> int:
        """Encode every picture into ``folder/img``, on all cores.

        Args:
            folder: Root of the site's files.
            earlier: Root of an earlier build with the same ``ENCODING``, whose files are taken over.

        Returns:
            How many pictures had to be encoded.

        Raises:
            ImageError: A file is missing or is not the one that the records name.
            WorkError: The disk is full.
        """
        sides = (SMALL,) if self.originals else (LARGE, SMALL)
        todo = [source for source in self._sources.values() if not _reuse_pictures(source, folder, earlier, sides)]
        for _ in track_progress(_encode_all([(source, folder, sides) for source in todo]), "pictures", len(todo)):
            pass
        return len(todo)


_Job = tuple[_Source, Path, tuple[int, ...]]
"""Encoding task: source, target folder, and longest sides in pixels, descending."""


def _encode_all(jobs: list[_Job]) -> Iterator[None]:
    yield from map_in_order(_encode, jobs, 1 if len(jobs) < _FEW else min(os.cpu_count() or 1, 8))


def _encode(job: _Job) -> None:
    from PIL import Image

    source, folder, sides = job
    data = read_image_bytes(Path(source.path), RESTORE)
    image = Image.fromarray(Picture.from_own_file(data, source, source.path).pixels)
    for side in sides:
        # Works in place: the small picture is made of the large one, since sides descend.
        image.thumbnail((side, side), Image.Resampling.LANCZOS)
        buffer = io.BytesIO()
        image.save(buffer, "WEBP", quality=QUALITY, method=METHOD)
        write_bytes(folder / _name(source.sha256, side), buffer.getvalue())


def _reuse_pictures(source: _Source, folder: Path, earlier: Path | None, sides: tuple[int, ...]) -> bool:
    if earlier is None:
        return False
    names = [_name(source.sha256, side) for side in sides]
    if not all(_is_whole(earlier / name) for name in names):
        return False
    try:
        for name in names:
            take_over(earlier / name, folder / name)
    except OSError as error:
        raise WorkError(f"{folder}: cannot be written ({error.strerror})", "Free some space.") from error
    return True


def _is_whole(path: Path) -> bool:
    """Tell whether a WebP file is there and as long as it says; a truncated one is made again."""
    try:
        with path.open("rb") as file:
            head = file.read(8)
        return head[:4] == b"RIFF" and int.from_bytes(head[4:], "little") + 8 == path.stat().st_size
    except FileNotFoundError:
        return False


def _name(sha256: str, side: int) -> str:
    # 16 hex digits are 64 bits: no two pictures of a site share a name by chance.
    return f"{FOLDER}/{sha256[:16]}-{side}.webp"


def _fit(width: int, height: int, side: int) -> tuple[int, int]:
    scale = min(1.0, side / max(width, height))
    # A very long picture still has a pixel of height.
    return max(1, round(width * scale)), max(1, round(height * scale))
