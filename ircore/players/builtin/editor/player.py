"""The offline editor: solves jigsaws and sudokus from the picture, paints described regions, and draws.

Without a picture it draws, as ``canvas`` does, what the words say; of things that it knows by name it knows the
words. What a riddle or an implicit description means it cannot tell.
"""

import asyncio
import random
import re
from collections.abc import Callable, Sequence
from functools import cache
from importlib.resources import files

import numpy as np
import numpy.typing as npt

from ircore.core.drawing import Drawing
from ircore.core.images import Picture, Pixels
from ircore.core.records import PlayerSpec
from ircore.players.base import ChoiceAnswer, PictureAnswer, PlayerError, Question, refuse_settings
from ircore.players.builtin.canvas.generator import answer
from ircore.players.builtin.canvas.generator import answer as drawn
from ircore.players.builtin.canvas.reader import read
from ircore.players.builtin.editor.painting import areas_of, described_region
from ircore.players.traits import EDITS_AS_REFERENCE, EDITS_OFFLINE
from ircore.seeing.grids import EMPTY, RuledGrid, deduced, find_grid, read_cells
from ircore.seeing.tiles import joined, solved_order, tiles_of

PAINT = (0, 255, 0)
DIGIT = 0.6
"""Size of the font of a digit that is filled in, as a share of a cell."""

Edit = Callable[[Pixels, str], Pixels]
"""Returns the edited picture; raises ``UnsolvedError`` where words or picture are not understood."""


class UnsolvedError(Exception):
    """A task that the editor cannot solve; the text is the reason.

    >>> raise UnsolvedError("no grid is seen")
    Traceback (most recent call last):
    ...
    ircore.players.builtin.editor.player.UnsolvedError: no grid is seen
    """


class EditorPlayer:
    """Draws, edits and recognises in the reasoning game, offline.

    >>> question = Question(1, "Draw a stop sign.", answers="picture")
    >>> answer = asyncio.run(EditorPlayer(PlayerSpec(player="editor")).answer(question))
    >>> answer.picture.pixels[150, 256].tolist()
    [255, 0, 0]
    """

    TRAITS = EDITS_OFFLINE

    def __init__(self, spec: PlayerSpec) -> None:
        refuse_settings(spec)

    async def answer(self, question: Question) -> PictureAnswer | ChoiceAnswer:
        """Draw, edit or choose.

        Raises:
            PlayerError: A choice is asked for and none of the choices is known.
        """
        return await asyncio.to_thread(_chosen if question.choices else _edited, question)


def _chosen(question: Question) -> ChoiceAnswer:
    choice = recognised(question.in_sight[0].picture, question.choices) if question.in_sight else None
    if choice is None:
        raise PlayerError("rule_broken", "no picture is shown of a thing that the editor knows")
    return ChoiceAnswer(choice)


def _edited(question: Question) -> PictureAnswer:
    if not question.in_sight:
        name = named_thing(question.prompt)
        return drawn(*read([known_things()[name] if name else question.prompt]))
    shown = question.in_sight[0].picture
    try:
        pixels = edit_for(question.prompt)(shown.pixels, question.prompt)
    except UnsolvedError as reason:
        return PictureAnswer(shown, (str(reason),))
    return PictureAnswer(Picture.from_pixels(pixels))


def edit_for(prompt: str) -> Edit:
    """Return the edit that a prompt asks for.

    Raises:
        UnsolvedError: The prompt names no edit that the editor knows.
    """
    for word, edit in (("sudoku", solve_sudoku), ("tiles", solve_jigsaw), ("paint", paint)):
        if word in prompt.lower():
            return edit
    raise UnsolvedError("the prompt asks for no edit that the editor knows")


def solve_sudoku(pixels: Pixels, prompt: str) -> Pixels:  # noqa: ARG001 - the picture says everything
    """Fill in the digits of a sudoku that follow from the digits in the picture.

    Raises:
        UnsolvedError: No grid is seen, or a digit cannot be read, or digits contradict each other.
    """
    grid = find_grid(pixels)
    if grid is None:
        raise UnsolvedError("no grid of 4 × 4 or 9 × 9 cells is seen")
    cells = read_cells(pixels, grid)
    # An unreadable mark would make the deduction fill in wrong digits.
    solution = deduced(cells) if set(cells) <= set(f"{EMPTY}123456789") else None
    if solution is None:
        raise UnsolvedError(f"the digits are not understood: {cells}")
    return with_digits(pixels, grid, cells, solution)


def with_digits(pixels: Pixels, grid: RuledGrid, cells: str, digits: str) -> Pixels:
    """Return a picture with digits written into the empty cells of a grid.

    Args:
        pixels: The picture.
        grid: Where the cells are.
        cells: What stands in them.
        digits: What is to stand there; cells that are not empty stay as they are.
    """
    drawing = Drawing.over(pixels)
    for place, (old, new) in enumerate(zip(cells, digits, strict=True)):
        if old == EMPTY and new != EMPTY:
            drawing.text(grid.middle(place), new, size=DIGIT * grid.cell, colour="#101010")
    return drawing.pixels


def solve_jigsaw(pixels: Pixels, prompt: str) -> Pixels:
    """Put tiles back so that neighbours continue each other; the prompt says how many there are a side.

    Raises:
        UnsolvedError: The prompt names no grid.
    """
    tiles = tiles_of(pixels, tiles_a_side(prompt))
    return joined(tiles, solved_order(tiles))


def tiles_a_side(prompt: str) -> int:
    """Return the tiles a side that a prompt names, such as ``3 × 3``.

    >>> tiles_a_side("The picture was cut into 3 × 3 tiles.")
    3

    Raises:
        UnsolvedError: It names none.
    """
    grid = re.search(r"\b(\d) ?[×x] ?\1\b", prompt)
    if grid is None:
        raise UnsolvedError("the prompt does not say how many tiles there are")
    return int(grid[1])


def paint(pixels: Pixels, prompt: str) -> Pixels:
    """Paint the region that a prompt describes pure green.

    Raises:
        UnsolvedError: The description is not understood.
    """
    mask = described_region(pixels, prompt)
    if mask is None:
        raise UnsolvedError("the description is not understood")
    painted = np.array(pixels)
    painted[mask] = PAINT
    return painted


LEVELS = 4
"""Steps of each channel in which colours are counted."""


@cache
def known_things() -> dict[str, str]:
    """Return the words from which each known thing is drawn, by its name."""
    lines = (files(__package__) / "known_things.txt").read_text(encoding="utf-8").splitlines()
    return {name: words for name, _, words in (line.partition(": ") for line in lines)}


def named_thing(prompt: str) -> str | None:
    """Return the known thing with the longest name in a prompt; None if it names none."""
    names = [name for name in known_things() if name.lower() in prompt.lower()]
    return max(names, key=len, default=None)


@cache
def _drawn(name: str) -> Picture:
    return answer(*read([known_things()[name]])).picture


def recognised(picture: Picture, choices: Sequence[str]) -> str | None:
    """Return the choice whose drawing has the most similar colours; None if no choice is a known thing."""
    known = [choice for choice in choices if choice in known_things()]
    colours = _colours(picture.pixels)
    # The name decides between equally similar things, so that the order of the choices does not.
    return min(
        known, key=lambda name: (float(np.abs(colours - _colours(_drawn(name).pixels)).sum()), name), default=None
    )


def _colours(pixels: Pixels) -> npt.NDArray[np.float64]:
    """Return the share of each colour among pixels that differ from the colour of the corner."""
    channels = pixels.astype(np.int64) * LEVELS // 256
    names = (channels[..., 0] * LEVELS + channels[..., 1]) * LEVELS + channels[..., 2]
    # The ground would outweigh the thing.
    counts = np.bincount(names[names != names[0, 0]], minlength=LEVELS * LEVELS * LEVELS)
    return counts / max(1, int(counts.sum()))


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
