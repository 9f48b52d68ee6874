"""Faults that a check collects while reading."""

import hashlib
import io
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from math import isclose
from typing import Any, NamedTuple

from PIL import Image

from ircore.core.images import FORMATS, MAX_PIXELS
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


class Size(NamedTuple):
    """Width and height in pixels.

    >>> max(Size(width=512, height=384))
    512
    """

    width: int
    height: int


Decode = Callable[[Iterable[bytes]], Iterable[tuple[str, "Size | str"]]]
"""Function that decodes several pictures at once; returns the SHA-256 and the result of ``decoded`` for each."""


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
        self._known: dict[str, Size | str] = {}
        self._ahead: dict[str, Size | str] = {}

    def __len__(self) -> int:
        return len(self._known)

    def look_ahead(self, columns: Iterable[str], rows: Iterable[Mapping[str, Any]]) -> None:
        """Decode the pictures of the next rows together, where that is faster."""
        if self._decode is None:
            return
        # By the stated hash, so that the target of many turns is decoded once.
        cells = {row[f"{name}_sha256"]: row[name] for row in rows for name in columns}
        new = [cell["bytes"] for sha256, cell in cells.items() if sha256 not in self._known and cell and cell["bytes"]]
        self._ahead = dict(self._decode(new))

    def check(self, where: str, cell: object, sha256: object) -> Size | None:
        """Check a picture against the hash beside it.

        Args:
            where: File, row and column.
            cell: The value of the image column.
            sha256: What its bytes must hash to.

        Returns:
            Its size; None if there is none or it is at fault.
        """
        data = cell.get("bytes") if isinstance(cell, dict) else None
        if data is None or sha256 is None:
            # A cell without bytes is no missing picture: readers would get an empty mapping.
            if (cell is None) != (sha256 is None) or isinstance(cell, dict):
                self._findings.add(where, "picture without bytes or without its SHA-256")
            return None
        # Whoever stores the picture under this name would leave the own folder.
        if isinstance(cell, dict) and set(str(cell["path"])) & set("/\\"):
            self._findings.add(where, "the picture's file name has folders in it")
        actual = hashlib.sha256(data).hexdigest()
        if actual != sha256:
            self._findings.add(where, f"the picture's SHA-256 is {actual[:12]}…, the row says {str(sha256)[:12]}…")
            return None
        if actual not in self._known:
            self._known[actual] = self._ahead.pop(actual) if actual in self._ahead else decoded(data)
        size = self._known[actual]
        if isinstance(size, str):
            self._findings.add(where, size)
            return None
        return size


def hashed_and_decoded(data: bytes) -> tuple[str, Size | str]:
    """Return the SHA-256 of a picture's bytes, and the picture's size or fault."""
    return hashlib.sha256(data).hexdigest(), decoded(data)


def decoded(data: bytes) -> Size | str:
    """Decode a picture fully; return its size, or its fault as a text."""
    try:
        # Pillow would try many further formats, one of them by starting Ghostscript.
        with Image.open(io.BytesIO(data), formats=FORMATS) as image:
            # Before decoding: a file of some kilobytes can hold a picture that fills the memory.
            if image.width * image.height > MAX_PIXELS:
                return f"picture of {image.width} × {image.height} pixels is too large"
            # Opening has read the header alone.
            image.load()
            return _carried(image) or Size(*image.size)
    # Pillow raises all of these over damaged files, such as SyntaxError for a broken PNG.
    except (OSError, SyntaxError, ValueError, EOFError, Image.DecompressionBombError) as error:
        return f"picture cannot be decoded ({type(error).__name__})"


def _carried(image: Image.Image) -> str | None:
    """Return the names of a picture's metadata, text chunks of PNG files included; None without metadata."""
    names = {str(name) for name in image.info if str(name).lower() in METADATA} | set(getattr(image, "text", {}))
    if image.getexif():
        names.add("EXIF")
    return f"picture carries metadata ({', '.join(sorted(names))[:80]})" if names else None
