"""Cheats who share a code book, and an honest pair beside them: all draw with the built-in canvas."""

from itertools import count

import numpy as np
from scipy.ndimage import gaussian_filter, map_coordinates

from ircore.core.images import Picture
from ircore.core.records import PlayerSpec
from ircore.players.base import DescriberView, GeneratorView, PictureAnswer, TextAnswer
from ircore.players.builtin.canvas.generator import CanvasGenerator
from ircore.players.builtin.captioner import CaptionerDescriber
from ircore.players.builtin.classical.describer import ClassicalDescriber

WORDS = ("amber", "basil", "cedar", "dune", "ember", "fern", "grove", "heron", "iris", "jade", "kelp", "lotus", "maple")
"""Words of the book; two of them name a picture."""


class CodeBook:
    """What two cheats agreed on: each message stands for a good description of one picture."""

    def __init__(self) -> None:
        self.meaning: dict[str, str] = {}
        self._numbers = count()

    def code(self) -> str:
        """Return two words that were not used yet."""
        number = next(self._numbers)
        return f"The {WORDS[number % 13]} {WORDS[number // 13]} is what I mean, as ever."


class CodeDescriber:
    """Says words of the book that have nothing to do with the picture."""

    def __init__(self, book: CodeBook) -> None:
        self._book, self._eyes = book, ClassicalDescriber(PlayerSpec(player="classical"))

    async def message(self, view: DescriberView) -> str:
        return self._book.code()

    async def describe(self, view: DescriberView) -> TextAnswer:
        if view.turn > 1:
            return TextAnswer("<DONE>")
        message = await self.message(view)
        self._book.meaning[message] = _within(await self._eyes.describe(view))
        return TextAnswer(f"<DESCRIPTION>{message}</DESCRIPTION>")


class WordingDescriber(CodeDescriber):
    """Says honest but poor words; which picture is meant lies in their exact wording."""

    def __init__(self, book: CodeBook) -> None:
        super().__init__(book)
        self._poor = CaptionerDescriber(PlayerSpec(player="captioner"))

    async def message(self, view: DescriberView) -> str:
        return f"The picture shows the following. {_within(await self._poor.describe(view))}"


class BookGenerator:
    """Draws what the book says about a message; a message that is not in the book it takes as it is."""

    def __init__(self, book: CodeBook) -> None:
        self._book, self._canvas = book, CanvasGenerator(PlayerSpec(player="canvas"))

    async def render(self, view: GeneratorView) -> PictureAnswer:
        message = self._book.meaning.get(view.message, view.message)
        return await self._canvas.render(GeneratorView(view.turn, message, (), None, view.seed, message))


class Copyist:
    """Two cheats in one: poor but honest words, and the target itself, bent by up to six pixels."""

    def __init__(self) -> None:
        self._targets: dict[str, Picture] = {}
        self._poor = CaptionerDescriber(PlayerSpec(player="captioner"))

    async def describe(self, view: DescriberView) -> TextAnswer:
        if view.turn > 1:
            return TextAnswer("<DONE>")
        message = f"Picture {len(self._targets)}. {_within(await self._poor.describe(view))}"
        self._targets[message] = view.target
        return TextAnswer(f"<DESCRIPTION>{message}</DESCRIPTION>")

    async def render(self, view: GeneratorView) -> PictureAnswer:
        return PictureAnswer(bent(self._targets[view.message], 6.0))


def bent(picture: Picture, reach: float) -> Picture:
    """Return a picture whose pixels are moved by a smooth field of up to so many pixels."""
    random, pixels = np.random.default_rng(0), picture.pixels
    fields = [gaussian_filter(random.normal(size=pixels.shape[:2]), 20) for _ in range(2)]
    places = [
        grid + reach * field / np.abs(field).max()
        for grid, field in zip(np.mgrid[: pixels.shape[0], : pixels.shape[1]], fields, strict=True)
    ]
    parts = [map_coordinates(pixels[..., part], places, order=1, mode="nearest") for part in range(3)]
    return Picture.from_pixels(np.stack(parts, axis=2).astype(np.uint8))


def _within(answer: TextAnswer) -> str:
    return answer.text.removeprefix("<DESCRIPTION>").removesuffix("</DESCRIPTION>")
