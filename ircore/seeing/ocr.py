"""Optical character recognition by ``rapidocr``, an extra: the lines of text in a picture, with their places.

Two things are read. Single lines, cut out of a picture, need the recognising model alone and nothing of OpenCV
(``read_line``; part of ``make install``). Whole pictures, in which lines have to be found first, need all of the extra.

Each picture is read once: lines are cached in memory for this process and in a folder for later ones, by the hash of
the pixels and the version of the engine. The models (PP-OCRv6, small; Apache-2.0) come with the package, so
nothing is downloaded.
"""

import importlib.util
import math
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
from ircore.core.files import cache_folder, write_bytes
from ircore.core.images import Pixels, hash_pixels

PACKAGES = ("rapidocr", "onnxruntime")
"""What recognises: the models and their engine."""

FINDERS = {"cv2": "opencv-python-headless"}
"""What finds lines in pictures, beside ``PACKAGES``: modules, and the packages that they are of."""

LINE_HEIGHT, LEAST_WIDTH = 48, 320
"""Pixels: height of a line for the recognising model, and the width to which shorter lines are filled up."""

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


def find_missing_ocr_package() -> str | None:
    """Return the name of the first package that reading whole pictures lacks; None if all are installed."""
    finders = (package for module, package in FINDERS.items() if importlib.util.find_spec(module) is None)
    return find_missing_reader_package() or next(finders, None)


def find_missing_reader_package() -> str | None:
    """Return the name of the first package that reading single lines lacks; None if all are installed."""
    return next((name for name in PACKAGES if importlib.util.find_spec(name) is None), None)


def require_ocr(where: str, otherwise: str = "") -> None:
    """Refuse to go on without the extra ``ocr``.

    Args:
        where: The feature that needs OCR, such as ``"metric text_f1"``, for the message.
        otherwise: An alternative, appended to the remedy.

    Raises:
        InputError: ``rapidocr`` or its engine is not installed.
    """
    missing = find_missing_ocr_package()
    if missing is not None:
        raise InputError(
            f"{where}: reading with OCR needs the package {missing}, which is not installed",
            f"Install it with: pip install 'ircore[ocr]'{otherwise or '.'}",
        )


@cache
def describe_ocr_version() -> str:
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
    key = hash_pixels(pixels)
    # One picture at a time: two threads that ask for the same picture would both have it recognised.
    with _ONE_AT_A_TIME:
        lines = _remembered.pop(key, None)
        if lines is None:
            lines = _read_with_cache(pixels, key, folder or cache_folder())
        _remembered[key] = lines
        if len(_remembered) > REMEMBERED:
            _remembered.popitem(last=False)
    return lines


def _read_with_cache(pixels: Pixels, key: str, folder: Path | None) -> tuple[TextLine, ...]:
    """Take the lines from the cache folder, or recognise them and store them there."""
    require_ocr("text in pictures")
    path = None if folder is None else _locate_cache_file(folder, key)
    lines = None if path is None else _read_cache(path)
    if lines is None:
        lines = _recognise_lines(pixels)
        if path is not None:
            with suppress(WorkError):  # without a cache file the picture is read again next time
                write_bytes(path, _LINES.dump_json(lines))
    return lines


def _locate_cache_file(folder: Path, sha256: str) -> Path:
    # A folder for each version, since another engine may read the same picture otherwise.
    engine = "-".join(describe_ocr_version().replace(",", "").split())
    return folder / "ocr" / engine / sha256[:2] / f"{sha256}.json"


def _read_cache(path: Path) -> tuple[TextLine, ...] | None:
    """Return the lines of a cache file; None if the file is missing or damaged, so that the picture is read anew."""
    try:
        return _LINES.validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return None


def read_line(pixels: Pixels) -> tuple[str, float]:
    """Read a single line of text.

    Args:
        pixels: ``LINE_HEIGHT`` × any width × 3, RGB: the line alone.

    Returns:
        The text, and how sure the recogniser is, 0–1, two decimals: empty and 0 if it reads nothing.
    """
    import numpy as np

    session, letters = _load_recogniser()
    # As the model was trained: blue first, from -1 to 1, and 0 beside the line.
    line = np.zeros((1, 3, LINE_HEIGHT, max(LEAST_WIDTH, pixels.shape[1])), np.float32)
    line[0, :, :, : pixels.shape[1]] = np.moveaxis((pixels[..., ::-1] / np.float32(255) - 0.5) / 0.5, 2, 0)
    (shares,) = session.run(None, {session.get_inputs()[0].name: line})
    best = shares[0].argmax(axis=1)
    # CTC: of equal neighbours one counts, and place 0 stands for no letter.
    counted = np.concatenate([[True], best[1:] != best[:-1]]) & (best > 0)
    if not counted.any():
        return "", 0.0
    text = "".join(letters[place] for place in best[counted])
    return text, round(float(shares[0].max(axis=1)[counted].mean()), 2)


@cache
def _load_recogniser() -> tuple[Any, tuple[str, ...]]:
    """Return the session of the recognising model, made once a process, and the letter of each of its places."""
    import onnxruntime

    # Found and not imported: the package would import OpenCV, which a line does not need.
    spec = importlib.util.find_spec(PACKAGES[0])
    folders = [] if spec is None else [Path(folder) / "models" for folder in spec.submodule_search_locations or ()]
    models = sorted(model for folder in folders for model in folder.glob("*_rec_small.onnx"))
    if not models:
        raise WorkError(f"{PACKAGES[0]} has no model *_rec_small.onnx", "Install it again: pip install 'ircore[ocr]'")
    options = onnxruntime.SessionOptions()
    # More threads wait busily for a model as small as this: twice the processor time, the same readings.
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(models[-1]), options, providers=["CPUExecutionProvider"])
    return session, ("", *session.get_modelmeta().custom_metadata_map["character"].splitlines(), " ")


@cache
def load_ocr_engine() -> Any:
    """Return the recogniser of ``rapidocr``, made once a process; the caller has asked ``require_ocr``."""
    from rapidocr import RapidOCR

    # More threads wait busily for models as small as these: up to six times the processor time, the same readings.
    threads = {f"EngineConfig.onnxruntime.{which}_op_num_threads": 1 for which in ("intra", "inter")}
    return RapidOCR(params={"Global.log_level": "error", **threads})


def _recognise_lines(pixels: Pixels) -> tuple[TextLine, ...]:
    import numpy as np

    # The engine takes blue first, as OpenCV does.
    answer = load_ocr_engine()(np.ascontiguousarray(pixels[..., ::-1]))
    if answer.txts is None:
        return ()
    return tuple(
        TextLine(str(text), tuple((float(x), float(y)) for x, y in corners), float(score))
        for text, corners, score in zip(answer.txts, answer.boxes, answer.scores, strict=True)
    )
