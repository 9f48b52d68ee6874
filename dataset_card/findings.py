"""Faults that a check collects while reading."""

import hashlib
import io
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from math import isclose
from typing import Any, NamedTuple

import numpy as np
from PIL import Image

from ircore.core.images import FORMATS, MAX_PIXELS, UNDECODABLE, hash_pixels, plain_rgb
from ircore.core.untrusted_text import without_controls


@dataclass
class Findings:
    """Faults so far, each a line ``place: fault``.

    >>> findings = Findings()
    >>> findings.add("scores.parquet:3", "no value for judge")
    >>> findings.faults
    ['scores.parquet:3: no value for judge']
    """

    faults: list[str] = field(default_factory=list)
    rows: int = 0
    """Rows read."""

    def add(self, where: str, fault: str) -> None:
        """Note a fault as a single short line; strangers' words may be part of the fault."""
        self.faults.append(without_controls(f"{where}: {fault}", "\N{REPLACEMENT CHARACTER}")[:400])


def same_value(value: object, wanted: object) -> bool:
    """Return whether a value of a row equals the wanted value; numbers may differ by rounding, tuples equal lists."""
    if isinstance(value, float) and isinstance(wanted, int | float):
        # Sums may differ in the last digits from one processor to another.
        return isclose(value, wanted, rel_tol=1e-9, abs_tol=1e-9)
    return value == (list(wanted) if isinstance(wanted, tuple) else wanted)


def short_value(value: object) -> str:
    """Return a value for a message."""
    return f"{value:.6g}" if isinstance(value, float) else str(value)[:60]


METADATA = frozenset(
    {"exif", "xmp", "xml:com.adobe.xmp", "comment", "photoshop", "raw profile type exif", "parameters"}
)
"""Names, in lower case, of picture metadata in Pillow: camera, place, author or prompt."""


class DecodedPicture(NamedTuple):
    """What an embedded picture shows."""

    sha256: str
    """Hash of the pixels."""

    width: int
    """Pixels."""

    height: int
    """Pixels."""


Decode = Callable[[Iterable[bytes]], Iterable["DecodedPicture | str"]]
"""Function that decodes several files at once; returns the result of ``decoded`` for each."""


class Pictures:
    """Checks embedded pictures, every distinct picture once.

    Args:
        findings: Collects the faults.
        decode: Function that decodes several pictures at once, where that is faster.

    >>> findings = Findings()
    >>> Pictures(findings).check("row 1", None, "0" * 64)
    >>> findings.faults
    ['row 1: picture without bytes or without its SHA-256']
    """

    def __init__(self, findings: Findings, decode: Decode | None = None) -> None:
        self._findings = findings
        self._decode = decode
        self._known: dict[bytes, DecodedPicture | str] = {}
        """Results by the hash of the file, so that the target of many turns is decoded once."""

    def __len__(self) -> int:
        return len(self._known)

    def look_ahead(self, columns: Iterable[str], rows: Iterable[Mapping[str, Any]]) -> None:
        """Decode the pictures of the next rows together, where that is faster."""
        if self._decode is None:
            return
        held = (row[name] for row in rows for name in columns)
        cells = [picture for cell in held for picture in (cell if isinstance(cell, list) else [cell])]
        files = {_file_key(cell["bytes"]): cell["bytes"] for cell in cells if cell and cell["bytes"]}
        new = {key: data for key, data in files.items() if key not in self._known}
        self._known |= zip(new, self._decode(new.values()), strict=True)

    def check(self, where: str, cell: object, sha256: object) -> DecodedPicture | None:
        """Check a picture against the hash beside it.

        Args:
            where: File, row and column.
            cell: The value of the image column.
            sha256: What its pixels must hash to.

        Returns:
            The picture; None if there is none or it is at fault.
        """
        data = cell.get("bytes") if isinstance(cell, dict) else None
        if data is None or sha256 is None:
            # A cell without bytes is no missing picture: readers would get an empty mapping.
            if (cell is None) != (sha256 is None) or isinstance(cell, dict):
                self._findings.add(where, "picture without bytes or without its SHA-256")
            return None
        picture = self.look_at(where, cell)
        if picture is not None and picture.sha256 != sha256:
            shown, stated = picture.sha256[:12], str(sha256)[:12]
            self._findings.add(where, f"the picture's SHA-256 is {shown}…, the row says {stated}…")
            return None
        return picture

    def look_at(self, where: str, cell: Any) -> DecodedPicture | None:
        """Return the picture of a cell that has bytes; None if it is at fault."""
        # Whoever stores the picture under this name would leave the own folder.
        if set(str(cell["path"])) & set("/\\"):
            self._findings.add(where, "the picture's file name has folders in it")
        key = _file_key(cell["bytes"])
        if key not in self._known:
            self._known[key] = decoded(cell["bytes"])
        picture = self._known[key]
        if isinstance(picture, str):
            self._findings.add(where, picture)
            return None
        return picture


def _file_key(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def decoded(data: bytes) -> DecodedPicture | str:
    """Decode a picture fully; return what it shows, or its fault as a text."""
    try:
        # Pillow would try many further formats, one of them by starting Ghostscript.
        with Image.open(io.BytesIO(data), formats=FORMATS) as image:
            # Before decoding: a file of some kilobytes can hold a picture that fills the memory.
            if image.width * image.height > MAX_PIXELS:
                return f"picture of {image.width} × {image.height} pixels is too large"
            # Opening has read the header alone.
            image.load()
            shown = hash_pixels(np.asarray(plain_rgb(image)))
            return _carried(image) or DecodedPicture(shown, image.width, image.height)
    except (*UNDECODABLE, Image.DecompressionBombError) as error:
        return f"picture cannot be decoded ({type(error).__name__})"


def _carried(image: Image.Image) -> str | None:
    """Return the names of a picture's metadata, text chunks of PNG files included; None without metadata."""
    names = {str(name) for name in image.info if str(name).lower() in METADATA} | set(getattr(image, "text", {}))
    if image.getexif():
        names.add("EXIF")
    return f"picture carries metadata ({', '.join(sorted(names))[:80]})" if names else None
