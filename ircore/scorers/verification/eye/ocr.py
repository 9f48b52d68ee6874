"""Reading labels by optical character recognition, with the model of ``rapidocr`` that comes with the package.

Labels that are not set in the target's font, or that the comparison of letterings cannot tell, are read patch by patch,
enlarged. What the recogniser is unsure of stays as the shapes of the letters have it.
"""

from functools import lru_cache

import numpy as np
from PIL import Image

from ircore.core.errors import InputError
from ircore.scorers.verification.eye.look import Look, Observations, fold_text
from ircore.scorers.verification.eye.texts import is_there, read_turn
from ircore.scorers.verification.eye.view import Observed, cut_window, grow_box
from ircore.seeing.ocr import LINE_HEIGHT, describe_ocr_version, find_missing_reader_package, read_line

SURE, SURE_OTHERWISE = 0.6, 0.85
"""Confidence, 0–1, from which on a reading counts: one that confirms a label, and one that says otherwise."""
STRAY = "|.,'`_-~:;! "
"""Marks that are read where a line or a speck lies beside a text."""
LOOK_ALIKE = str.maketrans("0l1|", "oiii")
"""Letters, in lower case, that many fonts draw alike."""


def describe_recogniser() -> str | None:
    """Return name and version of the installed recogniser; None if the extra ``ocr`` is not installed."""
    return None if find_missing_reader_package() else describe_ocr_version()


def read_words(look: Look, known: Observations) -> Observations:
    """Read the texts of a rendering whose wording is not told by the target's own letters.

    Args:
        look: At the rendering.
        known: What the comparison of letterings says.

    Returns:
        Observations of what texts say; texts that are not there, or that the recogniser is unsure of, are left out.

    Raises:
        InputError: The extra ``ocr`` is not installed.
    """
    missing = find_missing_reader_package()
    if missing is not None:
        raise InputError(
            f"reading labels needs the package {missing}, which is not installed",
            "Install it with: pip install 'ircore[ocr]' – or say --no-ocr.",
        )
    readings: Observations = {}
    marks = [mark for mark in look.target.marks if mark.form == "text"]
    for mark, element, own, block in zip(marks, look.target.texts, look.target.blocks, look.blocks, strict=True):
        by_shape = known.get(f"{mark.key}/text")
        is_told = by_shape is not None and by_shape.seen is not None
        # In the target's own font the comparison with the target's letters is better than any reading.
        if (is_told and look.in_target_font) or block is None or not is_there(element, block, own):
            continue
        patch = cut_window(look.view.pixels, grow_box(block.box, 4))
        # As bytes, which the cache can compare: arrays have no hash.
        text, score = _recognise_patch(patch.tobytes(), len(patch), read_turn(element))
        seen = correct_slips(text, element.text or "")
        # The model was trained on words: of a single letter it is sure and wrong at times, and it passes over a minus.
        expected = _normalise_text(element.text or "")
        is_telling = seen == element.text or (len(expected) > 1 and _normalise_text(text) != expected.lstrip("-"))
        is_right = seen == element.text
        if text and is_telling and (is_right or look.is_legible) and score >= (SURE if is_right else SURE_OTHERWISE):
            readings[f"{mark.key}/text"] = Observed(seen)
    return readings


def correct_slips(text: str, expected: str) -> str:
    """Return the expected text if a reading differs by a recogniser's usual slips alone, else the reading.

    These are stray marks at its ends, such as a piece of an axis, letters that look the same, and blanks.

    >>> correct_slips("200|", "200"), correct_slips("0", "O"), correct_slips("18%", "18 %"), correct_slips("Rod", "Red")
    ('200', 'O', '18 %', 'Rod')
    """
    forms = {_normalise_text(text), _normalise_text(text.strip(STRAY))}
    return expected if _normalise_text(expected) in forms else text


def _normalise_text(text: str) -> str:
    return fold_text(text).replace(" ", "").translate(LOOK_ALIKE)


@lru_cache(maxsize=4096)
def _recognise_patch(patch: bytes, height: int, turn: float) -> tuple[str, float]:
    """Return the text of a patch and how sure the recogniser is, 0–1."""
    pixels = np.frombuffer(patch, np.uint8).reshape(height, -1, 3)
    image = Image.fromarray(pixels)
    if turn:
        fill = tuple(int(value) for value in np.median(pixels.reshape(-1, 3), axis=0))
        image = image.rotate(-turn, Image.Resampling.BICUBIC, expand=True, fillcolor=fill)
    size = (max(8, round(image.width * LINE_HEIGHT / image.height)), LINE_HEIGHT)
    return read_line(np.asarray(image.resize(size, Image.Resampling.BICUBIC)))
