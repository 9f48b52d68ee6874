"""Optical character recognition by ``rapidocr``, an extra: the lines of text in a picture, with their places.

Each picture is read once: lines are cached in memory for this process and in a folder for later ones, by the hash of
the pixels and the version of the engine. The models (PP-OCRv6, small; Apache-2.0) come with the package, so
nothing is downloaded.
"""

import hashlib
import importlib.util
import math
import os
import sys
import threading
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

from pydantic import TypeAdapter, ValidationError

from ircore.core import exact
from ircore.core.errors import InputError, WorkError
from ircore.core.files import write_bytes
from ircore.core.images import Pixels

FOLDER_VARIABLE = "IRCORE_CACHE"
"""Environment variable that names the folder of the cache; empty for no folder."""

PACKAGES = ("rapidocr", "onnxruntime")
REMEMBERED = 256
"""Pictures whose lines stay in memory."""

LEVEL = 8.0
"""Degrees up to which a line counts as level or upright."""

Box: TypeAlias = tuple[int, int, int, int]
"""Left, top, right and bottom in pixels."""

_ONE_AT_A_TIME = threading.Lock()
_remembered: "OrderedDict[str, tuple[TextLine, ...]]" = OrderedDict()


@dataclass(frozen=True)
class TextLine:
    """A line of text that was recognised in a picture.

    >>> line = TextLine("Rainfall", ((10.0, 5.2), (60.0, 5.2), (60.0, 15.0), (10.0, 15.0)), 0.98)
    >>> line.box, line.rotation
    ((10, 5, 60, 15), 0.0)
    """

    text: str
    """The characters."""

    corners: tuple[tuple[float, float], ...]
    """Four corners, x and y in pixels, clockwise from the upper left of the text as it is read."""

    score: float
    """Confidence of the engine, 0–1."""

    @property
    def box(self) -> Box:
        """Smallest upright box around the corners."""
        xs, ys = zip(*self.corners, strict=True)
        return math.floor(min(xs)), math.floor(min(ys)), math.ceil(max(xs)), math.ceil(max(ys))

    @property
    def rotation(self) -> float:
        """Degrees counter-clockwise; a line of several letters that is higher than wide reads upwards."""
        (x0, y0), (x1, y1) = self.corners[:2]
        (x3, y3) = self.corners[3]
        if exact.dist((x0, y0), (x3, y3)) > 1.5 * exact.dist((x0, y0), (x1, y1)) and len(self.text) > 1:
            return 90.0
        turn = -math.degrees(exact.atan2(y1 - y0, x1 - x0))
        return 0.0 if abs(turn) <= LEVEL else round(turn / 5) * 5.0


_LINES = TypeAdapter(tuple[TextLine, ...])


def ocr_missing() -> str | None:
    """Return the name of the first package that OCR lacks; None if all are installed."""
    return next((name for name in PACKAGES if importlib.util.find_spec(name) is None), None)


def require_ocr(where: str, otherwise: str = "") -> None:
    """Refuse to go on without the extra ``ocr``.

    Args:
        where: The feature that needs OCR, such as ``"metric text_f1"``, for the message.
        otherwise: An alternative, appended to the remedy.

    Raises:
        InputError: ``rapidocr`` or its engine is not installed.
    """
    missing = ocr_missing()
    if missing is not None:
        raise InputError(
            f"{where}: reading with OCR needs the package {missing}, which is not installed",
            f"Install it with: pip install 'ircore[ocr]'{otherwise or '.'}",
        )


@cache
def ocr_version() -> str:
    """Return name and version of the OCR engine, such as ``"rapidocr 3.10.0, onnxruntime 1.31.1"``.

    The version is part of the key under which recognised lines are cached.
    """
    from importlib.metadata import version

    return ", ".join(f"{name} {version(name)}" for name in PACKAGES)


def read_text(pixels: Pixels, folder: Path | None = None) -> tuple[TextLine, ...]:
    """Return the lines of text in a picture; the same picture is read only once.

    Args:
        pixels: Height × width × 3, RGB. Of a picture without text the answer is empty.
        folder: Cache folder for later processes; ``cache_folder()`` if None.

    Returns:
        The lines in the order of the engine, of every confidence.

    Raises:
        InputError: The extra ``ocr`` is not installed.
    """
    key = pixels_hash(pixels)
    # One picture at a time: two threads that ask for the same picture would both have it recognised.
    with _ONE_AT_A_TIME:
        lines = _remembered.pop(key, None)
        if lines is None:
            lines = _read(pixels, key, folder or cache_folder())
        _remembered[key] = lines
        if len(_remembered) > REMEMBERED:
            _remembered.popitem(last=False)
    return lines


def pixels_hash(pixels: Pixels) -> str:
    """Return the SHA-256 of a picture's size and pixels, independent of the file's format."""
    digest = hashlib.sha256(repr(pixels.shape).encode())
    digest.update(pixels.tobytes())
    return digest.hexdigest()


def _read(pixels: Pixels, key: str, folder: Path | None) -> tuple[TextLine, ...]:
    """Take the lines from the cache folder, or recognise them and store them there."""
    require_ocr("text in pictures")
    path = None if folder is None else _path(folder, key)
    lines = None if path is None else _cached(path)
    if lines is None:
        lines = _recognise(pixels)
        if path is not None:
            with suppress(WorkError):  # without a cache file the picture is read again next time
                write_bytes(path, _LINES.dump_json(lines))
    return lines


def cache_folder() -> Path | None:
    """Return the cache folder for recognised lines: ``IRCORE_CACHE`` if set, else the user's folder for caches.

    Returns:
        None if the variable is set and empty, or the user has no home.
    """
    named = os.environ.get(FOLDER_VARIABLE)
    if named is not None:
        return Path(named) if named else None
    try:
        home = Path.home()
    except RuntimeError:
        return None
    places = {"win32": ("LOCALAPPDATA", home / "AppData" / "Local"), "darwin": ("", home / "Library" / "Caches")}
    variable, usual = places.get(sys.platform, ("XDG_CACHE_HOME", home / ".cache"))
    return Path(os.environ.get(variable) or usual) / "ircore"


def _path(folder: Path, sha256: str) -> Path:
    # A folder for each version, since another engine may read the same picture otherwise.
    engine = "-".join(ocr_version().replace(",", "").split())
    return folder / "ocr" / engine / sha256[:2] / f"{sha256}.json"


def _cached(path: Path) -> tuple[TextLine, ...] | None:
    """Return the lines of a cache file; None if the file is missing or damaged, so that the picture is read anew."""
    try:
        return _LINES.validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return None


@cache
def ocr_engine() -> Any:
    """Return the recogniser of ``rapidocr``, made once a process; the caller has asked ``require_ocr``."""
    from rapidocr import RapidOCR

    # More threads wait busily for models as small as these: up to six times the processor time, the same readings.
    threads = {f"EngineConfig.onnxruntime.{which}_op_num_threads": 1 for which in ("intra", "inter")}
    return RapidOCR(params={"Global.log_level": "error", **threads})


def _recognise(pixels: Pixels) -> tuple[TextLine, ...]:
    import numpy as np

    # The engine takes blue first, as OpenCV does.
    answer = ocr_engine()(np.ascontiguousarray(pixels[..., ::-1]))
    if answer.txts is None:
        return ()
    return tuple(
        TextLine(str(text), tuple((float(x), float(y)) for x, y in corners), float(score))
        for text, corners, score in zip(answer.txts, answer.boxes, answer.scores, strict=True)
    )
