"""Faults that a check collects while reading."""

import io
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import zip_longest
from math import isclose
from typing import Any, NamedTuple

import numpy as np
from PIL import Image

from ircore.core.images import (
    FORMATS,
    MAX_PIXELS,
    UNDECODABLE,
    file_hash,
    found_intact,
    hash_pixels,
    intact_key,
    metadata_names,
    plain_rgb,
    remember_intact,
)
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
        """Decode the pictures of the next rows together, where that is faster, but those known to be intact."""
        if self._decode is None:
            return
        new: dict[bytes, bytes] = {}
        for cell, sha256 in (pair for row in rows for name in columns for pair in _beside(row, name)):
            data = cell["bytes"] if cell else None
            if not data or (file := file_hash(data)) in self._known or file in new:
                continue
            if (known := _recalled(file, data, sha256)) is None:
                new[file] = data
            else:
                self._known[file] = known
        for file, picture in zip(new, self._decode(new.values()), strict=True):
            self._known[file] = picture
            if not isinstance(picture, str):
                remember_intact(intact_key(file, picture.width, picture.height, picture.sha256, bare=True))

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
        key = file_hash(cell["bytes"])
        if key not in self._known:
            self._known[key] = decoded(cell["bytes"])
        picture = self._known[key]
        if isinstance(picture, str):
            self._findings.add(where, picture)
            return None
        return picture


def _beside(row: Mapping[str, Any], name: str) -> Iterable[tuple[Any, object]]:
    """Return the pictures of a cell, each with the hash that is stated beside it; None where there is none."""
    cell, stated = row[name], row.get(f"{name}_sha256")
    if not isinstance(cell, list):
        return [(cell, stated)]
    return zip_longest(cell, stated if isinstance(stated, list) else ())


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
            names = metadata_names(image)
    except (*UNDECODABLE, Image.DecompressionBombError) as error:
        return f"picture cannot be decoded ({type(error).__name__})"
    if names:
        return f"picture carries metadata ({', '.join(sorted(names))[:80]})"
    return DecodedPicture(shown, image.width, image.height)


def _recalled(file: bytes, data: bytes, sha256: object) -> DecodedPicture | None:
    """Return what a file shows if it was found to show what is stated beside it, here or by a command before."""
    try:
        with Image.open(io.BytesIO(data), formats=FORMATS) as image:  # its header alone
            size = image.size
    except (*UNDECODABLE, Image.DecompressionBombError):
        return None
    return DecodedPicture(str(sha256), *size) if found_intact(intact_key(file, *size, str(sha256), True)) else None
