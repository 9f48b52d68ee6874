"""*Text*: the answer of a riddle is to be written into the picture."""

import random
from collections.abc import Mapping
from typing import Any

import numpy as np
from PIL import Image

from ircore.core.drawing import Drawing
from ircore.core.images import Picture, Pixels
from ircore.core.ocr import ocr_missing, read_text
from ircore.games.reasoning.dimensions.base import Dimension, Task, Verdict
from ircore.games.reasoning.puzzles.words import make_word
from ircore.games.reasoning.verifiers.word_coverage import word_coverage, word_coverage_published
from ircore.players.builtin.classical.grounds import find_grounds
from ircore.players.builtin.classical.palette import segment
from ircore.players.builtin.classical.writing import find_writing

SIDE, SIZE = 512, 24
SHRINKS = (1, 2, 4)
"""Times that a picture is made smaller, in turn, until writing is seen: our own reader knows small print."""
CERTAIN = 0.5
"""Confidence above which a line of OCR counts, as in GIR-Bench."""


class Text(Dimension):
    """A word hidden once (easy) or twice (hard), or a day or month counted from a name (easy) or a fact (hard).

    >>> task = Text().build("easy", random.Random(1))
    >>> Text().verify(task.payload, task.pictures, task.pictures["truth"]).correct
    True
    """

    name = "text"
    part = "generate"
    title = "Text"

    def build(self, difficulty: str, rng: random.Random) -> Task:
        """Return a riddle of our own, and a picture with its answer."""
        riddle = make_word(difficulty == "hard", rng)
        prompt = (
            f"Work out a word. {riddle.words} Draw a white picture with this word alone in the middle, in black "
            "capital letters of a plain typeface."
        )
        drawing = Drawing(SIDE, SIDE)
        drawing.text((SIDE / 2, SIDE / 2), riddle.answer, size=SIZE, colour="#000000")
        return Task(prompt, {"answer": riddle.answer}, {"truth": Picture.from_pixels(drawing.pixels)})

    def verify(self, payload: Mapping[str, Any], pictures: Mapping[str, Picture], answer: Picture) -> Verdict:  # noqa: ARG002 - words need no picture
        """Read the picture: by OCR where it is installed, else by the forms of common print."""
        read, wanted = lines_of(answer.pixels), payload["answer"]
        corrected = word_coverage(wanted, read) or 0.0
        right = corrected == 1 and " ".join(" ".join(read).split()).casefold() == wanted.casefold()
        reading = f"read: {', '.join(read)[:200]}" if read else "nothing can be read"
        return Verdict(word_coverage_published(wanted, read), corrected, right, (f"wanted: {wanted}", reading))


def lines_of(pixels: Pixels) -> tuple[str, ...]:
    """Return the lines of writing in a picture."""
    if not ocr_missing():
        return tuple(line.text for line in read_text(pixels) if line.score > CERTAIN)
    for shrink in SHRINKS:
        smaller = pixels if shrink == 1 else _shrunk(pixels, shrink)
        texts = find_writing(smaller, find_grounds(segment(smaller))).texts
        if texts:
            return tuple(text.text for text in texts)
    return ()


def _shrunk(pixels: Pixels, times: int) -> Pixels:
    image = Image.fromarray(pixels)
    return np.asarray(image.resize((image.width // times, image.height // times), Image.Resampling.LANCZOS))
