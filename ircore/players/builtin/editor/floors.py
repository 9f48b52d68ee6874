"""Editors that solve nothing, as floors: the same picture again, and a random answer of the right kind."""

import random

import numpy as np

from ircore.core.images import Picture, Pixels
from ircore.core.records import PlayerSpec
from ircore.players.base import ChoiceAnswer, PictureAnswer, Question, refuse_settings
from ircore.players.builtin.editor.painting import areas_of
from ircore.players.builtin.editor.player import (
    PAINT,
    UnsolvedError,
    edit_for,
    paint,
    solve_jigsaw,
    tiles_a_side,
    with_digits,
)
from ircore.players.traits import EDITS_AS_REFERENCE
from ircore.seeing.grids import EMPTY, find_grid, read_cells
from ircore.seeing.tiles import joined, tiles_of

BLANK = 512
"""Pixels a side of the white picture where no picture was given."""


class IdentityEditor:
    """Returns the picture that it was given, or a white picture; of choices it takes the first.

    >>> import asyncio
    >>> question = Question(1, "Draw a stop sign.", answers="picture")
    >>> answer = asyncio.run(IdentityEditor(PlayerSpec(player="identity-editor")).answer(question))
    >>> int(answer.picture.pixels.min())
    255
    """

    TRAITS = EDITS_AS_REFERENCE

    def __init__(self, spec: PlayerSpec) -> None:
        refuse_settings(spec)

    async def answer(self, question: Question) -> PictureAnswer | ChoiceAnswer:
        """Return the picture of the question."""
        if question.choices:
            return ChoiceAnswer(question.choices[0])
        return PictureAnswer(_shown(question))


class RandomEditor:
    """Returns a random answer of the right kind: an order of tiles, digits for empty cells, a painted region.

    >>> import asyncio
    >>> question = Question(1, "Which is it?", choices=("carrot", "snowman"), seed=7)
    >>> player = RandomEditor(PlayerSpec(player="random-editor"))
    >>> asyncio.run(player.answer(question)).choice in question.choices
    True
    """

    TRAITS = EDITS_AS_REFERENCE

    def __init__(self, spec: PlayerSpec) -> None:
        refuse_settings(spec)

    async def answer(self, question: Question) -> PictureAnswer | ChoiceAnswer:
        """Return an answer drawn with the question's seed; a white picture where none was given."""
        # The seed of the question, so that a resumed run draws the same answers.
        rng = random.Random(question.seed)
        if question.choices:
            return ChoiceAnswer(rng.choice(question.choices))
        picture = _shown(question)
        try:
            return PictureAnswer(Picture.from_pixels(_random_edit(picture.pixels, question.prompt, rng)))
        except UnsolvedError as reason:
            return PictureAnswer(picture, (str(reason),))


def _shown(question: Question) -> Picture:
    if question.in_sight:
        return question.in_sight[0].picture
    return Picture.from_pixels(np.full((BLANK, BLANK, 3), 255, np.uint8))


def _random_edit(pixels: Pixels, prompt: str, rng: random.Random) -> Pixels:
    edit = edit_for(prompt)
    if edit is solve_jigsaw:
        tiles = tiles_of(pixels, tiles_a_side(prompt))
        return joined(tiles, rng.sample(range(len(tiles)), len(tiles)))
    if edit is paint:
        painted, areas = np.array(pixels), areas_of(pixels)
        if areas:
            painted[rng.choice(areas)] = PAINT
        return painted
    grid = find_grid(pixels)
    if grid is None:
        raise UnsolvedError("no grid of 4 × 4 or 9 × 9 cells is seen")
    cells = read_cells(pixels, grid)
    digits = "".join(rng.choice("123456789"[: grid.side]) if cell == EMPTY else cell for cell in cells)
    return with_digits(pixels, grid, cells, digits)
