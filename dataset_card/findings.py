"""Faults that a check collects while reading."""

import io
import os
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import zip_longest
from math import isclose
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from PIL import Image

from dataset_card.tables.rows import Row
from ircore.core.images import (
    FORMATS,
    MAX_PIXELS,
    UNDECODABLE,
    compute_intact_key,
    convert_to_rgb,
    hash_file,
    hash_pixels,
    is_known_intact,
    list_metadata_names,
    remember_intact,
)
from ircore.core.untrusted_text import replace_controls


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
        self.faults.append(replace_controls(f"{where}: {fault}", "\N{REPLACEMENT CHARACTER}")[:400])


def are_same_value(value: object, wanted: object) -> bool:
    """Return whether a value of a row equals the wanted value; numbers may differ by rounding, tuples equal lists."""
    if isinstance(value, float) and isinstance(wanted, int | float):
        # Sums may differ in the last digits from one processor to another.
        return isclose(value, wanted, rel_tol=1e-9, abs_tol=1e-9)
    return value == (list(wanted) if isinstance(wanted, tuple) else wanted)


def shorten_value(value: object) -> str:
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


AHEAD = 32
"""Rows whose pictures are decoded while the rows before them are checked."""


class Pictures:
    """Checks embedded pictures, every distinct picture once.

    Args:
        findings: Collects the faults.

    >>> findings = Findings()
    >>> Pictures(findings).check("row 1", None, "0" * 64)
    >>> findings.faults
    ['row 1: picture without bytes or without its SHA-256']
    """

    def __init__(self, findings: Findings) -> None:
        self._findings = findings
        self._known: dict[bytes, Future[DecodedPicture | str]] = {}
        """Results by the hash of the file, so that the target of many turns is decoded once."""
        self._lock = Lock()
        self._begun: dict[int, Future[DecodedPicture | str]] = {}
        """Results of cells that wait to be checked, by ``id`` of the cell."""
        self._former: dict[tuple[str, int], tuple[bytes, Future[DecodedPicture | str]]] = {}
        """The last file of a column and a position in its cells, and what it shows."""

    def __len__(self) -> int:
        return len(self._known)

    def decode_ahead(self, columns: Sequence[str], rows: Iterable[tuple[str, Row]]) -> Iterator[tuple[str, Row]]:
        """Yield rows, each with its place, while threads decode the pictures of the next ``AHEAD`` rows.

        Args:
            columns: Names of the columns with pictures.
            rows: Rows with their places.
        """
        waiting = deque[tuple[str, Row]]()
        # Threads, since neither Pillow nor hashing holds up another thread.
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            for place_and_row in rows:
                self._begin(columns, place_and_row[1], pool)
                waiting.append(place_and_row)
                if len(waiting) > AHEAD:
                    yield waiting[0]
                    self._end(columns, waiting.popleft()[1])
            while waiting:
                yield waiting[0]
                self._end(columns, waiting.popleft()[1])
        self._former.clear()

    def _begin(self, columns: Sequence[str], row: Row, pool: ThreadPoolExecutor) -> None:
        """Have the pictures of a row hashed, and those decoded that are new."""
        for name in columns:
            for position, (cell, stated) in enumerate(_pair_with_hashes(row, name)):
                if cell and (data := cell["bytes"]):
                    # Rows that follow each other often share a picture, and comparing is faster than hashing.
                    former = self._former.get((name, position))
                    shared = former is not None and former[0] == data
                    begun = former[1] if former and shared else pool.submit(self._look_once, data, str(stated))
                    self._former[name, position] = data, begun
                    self._begun[id(cell)] = begun

    def _end(self, columns: Sequence[str], row: Row) -> None:
        """Forget the results of the cells of a row."""
        for cell, _ in (pair for name in columns for pair in _pair_with_hashes(row, name)):
            self._begun.pop(id(cell), None)

    def _look_once(self, data: bytes, stated: str) -> DecodedPicture | str:
        """Return what a picture shows, or its fault; each distinct file is looked at once."""
        file = hash_file(data)
        with self._lock:
            known = self._known.get(file)
            looked = self._known.setdefault(file, Future())
        # Whoever came first is looking at it now, and never waits for another.
        if known is not None:
            return known.result()
        try:
            looked.set_result(_look_at(data, file, stated))
        except BaseException as error:
            looked.set_exception(error)
            raise
        return looked.result()

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
        begun = self._begun.get(id(cell))
        picture = self._look_once(cell["bytes"], "") if begun is None else begun.result()
        if isinstance(picture, str):
            self._findings.add(where, picture)
            return None
        return picture


def _pair_with_hashes(row: Row, name: str) -> Iterable[tuple[Any, object]]:
    """Return the pictures of a cell, each with the hash that is stated beside it; None where there is none."""
    cell, stated = row[name], row.get(f"{name}_sha256")
    if not isinstance(cell, list):
        return [(cell, stated)]
    return zip_longest(cell, stated if isinstance(stated, list) else ())


def decode_picture(data: bytes) -> DecodedPicture | str:
    """Decode a picture fully; return what it shows, or its fault as a text."""
    try:
        # Pillow would try many further formats, one of them by starting Ghostscript.
        with Image.open(io.BytesIO(data), formats=FORMATS) as image:
            # Before decoding: a file of some kilobytes can hold a picture that fills the memory.
            if image.width * image.height > MAX_PIXELS:
                return f"picture of {image.width} × {image.height} pixels is too large"
            # Opening has read the header alone.
            image.load()
            shown = hash_pixels(np.asarray(convert_to_rgb(image)))
            names = list_metadata_names(image)
    except (*UNDECODABLE, Image.DecompressionBombError) as error:
        return f"picture cannot be decoded ({type(error).__name__})"
    if names:
        return f"picture carries metadata ({', '.join(sorted(names))[:80]})"
    return DecodedPicture(shown, image.width, image.height)


def _look_at(data: bytes, file: bytes, stated: str) -> DecodedPicture | str:
    """Return what a picture shows, decoded unless it was found before to show what is stated; or its fault.

    Args:
        data: The file.
        file: The file's hash.
        stated: What its pixels should hash to.
    """
    try:
        with Image.open(io.BytesIO(data), formats=FORMATS) as image:  # its header alone
            size = image.size
    except (*UNDECODABLE, Image.DecompressionBombError):
        return decode_picture(data)
    if is_known_intact(compute_intact_key(file, *size, stated, True)):
        return DecodedPicture(stated, *size)
    picture = decode_picture(data)
    if not isinstance(picture, str):
        remember_intact(compute_intact_key(file, picture.width, picture.height, picture.sha256, bare=True))
    return picture
