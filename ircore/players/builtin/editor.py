"""The offline editor: solves jigsaws and sudokus from the picture, paints described regions, and draws.

A region is found by the meaning of its description in a picture of flat colours: bars, slices of a pie, shapes. Without
a picture it draws, as ``canvas`` does, what the words say; of things that it knows by name it knows the words. What a
riddle or an implicit description means it cannot tell.
"""

import asyncio
import random
import re
from collections.abc import Callable, Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from ircore.core import exact
from ircore.core.drawing import Drawing
from ircore.core.images import Picture, Pixels
from ircore.core.records import PlayerSpec
from ircore.players.base import ChoiceAnswer, PictureAnswer, PlayerError, Question, refuse_settings
from ircore.players.builtin.canvas.generator import answer
from ircore.players.builtin.canvas.generator import answer as drawn
from ircore.players.builtin.canvas.reader import read
from ircore.players.traits import EDITS_AS_REFERENCE, EDITS_OFFLINE
from ircore.seeing.grids import (
    EMPTY,
    RuledGrid,
    cut_tiles,
    deduce_sudoku,
    find_grid,
    find_tile_order,
    join_tiles,
    read_cells,
)

LEAST = 0.01
"""Share of the picture: smaller areas are no regions."""

CORNERS = {"tricycle": 3, "year": 4, "hand": 5, "insect": 6}
"""What the editor knows: wheels, seasons, fingers, legs."""
FIGURES = {0: (0.785, 1.0), 3: (0.5, 0.866), 4: (1.0, 1.0), 5: (0.691, 0.951), 6: (0.75, 1.155)}
"""Regular figures that stand upright: share of their box that they fill, and its height over its width, by corners."""
RANKS = {"": 1, "second ": 2, "third ": 3}
STEPS = {
    "to the right of": (0, 1), "to the left of": (0, -1), "below": (1, 0), "above": (-1, 0),
    "clockwise after": (0, 1), "clockwise before": (0, -1),
}  # fmt: skip
_NEIGHBOUR = re.compile(rf"directly ({'|'.join(STEPS)}) (the .+)")
_RANK = re.compile(r"(second |third |)(tallest|largest|shortest|smallest) (bar|slice)")
_FORM = re.compile(r"without any corner|as many corners as an? (\w+)")

Mask = npt.NDArray[np.bool_]

PAINT = (0, 255, 0)
DIGIT = 0.6
"""Size of the font of a digit that is filled in, as a share of a cell."""

Edit = Callable[[Pixels, str], Pixels]
"""Returns the edited picture; raises ``UnsolvedError`` where words or picture are not understood."""

LEVELS = 4
"""Steps of each channel in which colours are counted."""

BLANK = 512
"""Pixels a side of the white picture where no picture was given."""


class SeenRegion(NamedTuple):
    """A region that was seen in a picture.

    Attributes:
        mask: Its pixels.
        size: Height of a bar, pixels of anything else.
        row: Of shapes, 0 in the upper half of the picture and 1 in the lower half.
        order: From the left in its row; of slices, clockwise.
        corners: Of a shape; None if they were not seen.
    """

    mask: Mask
    size: int
    row: int
    order: int
    corners: int | None


def find_described_region(pixels: Pixels, description: str) -> Mask | None:
    """Return the pixels of the region that a description means; None if the words or the picture are not understood."""
    kind = re.search(r"\b(bar|slice|shape)\b", description)
    if kind is None:
        return None
    matches = _select_matching(description, detect_regions(pixels, kind[0]), kind[0])
    return matches[0].mask if len(matches) == 1 else None


def detect_regions(pixels: Pixels, kind: str) -> tuple[SeenRegion, ...]:
    """Return the regions of a picture in the order in which their kind (bar, slice or shape) is counted."""
    masks = list_areas(pixels)
    if not masks:
        return ()
    places = [_compute_middle(mask) for mask in masks]
    rows = [int(kind == "shape" and 2 * y > len(pixels)) for _, y in places]
    if kind == "slice":
        left, top, right, bottom = _compute_box(np.logical_or.reduce(masks))
        centre = ((left + right) / 2, (top + bottom) / 2)
        keys = [exact.atan2(y - centre[1], x - centre[0]) for x, y in places]
    else:
        keys = [x for x, _ in places]
    regions = []
    for row in sorted(set(rows)):
        members = sorted((key, index) for index, key in enumerate(keys) if rows[index] == row)
        for order, (_, index) in enumerate(members):
            _, top, _, bottom = _compute_box(masks[index])
            size = bottom - top if kind == "bar" else int(np.count_nonzero(masks[index]))
            corners = _count_corners(masks[index]) if kind == "shape" else None
            regions.append(SeenRegion(masks[index], size, row, order, corners))
    return tuple(regions)


def list_areas(pixels: Pixels) -> list[Mask]:
    """Return the pixels of each area of a single colour; the colour of the first pixel is the ground."""
    packed = pixels.astype(np.int64) @ np.array([65536, 256, 1])  # exact: adds whole numbers
    colours, counts = np.unique(packed, return_counts=True)
    masks = []
    for colour, count in zip(colours, counts, strict=True):
        if colour == packed[0, 0] or count < LEAST * packed.size:
            continue
        parts, number = ndimage.label(packed == colour)
        areas = (parts == part for part in range(1, number + 1))
        masks += [area for area in areas if np.count_nonzero(area) >= LEAST * packed.size]
    return masks


class UnsolvedError(Exception):
    """A task that the editor cannot solve; the text is the reason.

    >>> raise UnsolvedError("no grid is seen")
    Traceback (most recent call last):
    ...
    ircore.players.builtin.editor.UnsolvedError: no grid is seen
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
        return await asyncio.to_thread(_answer_choice if question.choices else _answer_edit, question)


def edit_for(prompt: str) -> Edit:
    """Return the edit that a prompt asks for.

    Raises:
        UnsolvedError: The prompt names no edit that the editor knows.
    """
    for word, edit in (("sudoku", solve_sudoku), ("tiles", solve_jigsaw), ("paint", paint_region)):
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
    solution = deduce_sudoku(cells) if set(cells) <= set(f"{EMPTY}123456789") else None
    if solution is None:
        raise UnsolvedError(f"the digits are not understood: {cells}")
    return write_digits(pixels, grid, cells, solution)


def write_digits(pixels: Pixels, grid: RuledGrid, cells: str, digits: str) -> Pixels:
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
    tiles = cut_tiles(pixels, parse_tiles_per_side(prompt))
    return join_tiles(tiles, find_tile_order(tiles))


def parse_tiles_per_side(prompt: str) -> int:
    """Return the tiles a side that a prompt names, such as ``3 × 3``.

    >>> parse_tiles_per_side("The picture was cut into 3 × 3 tiles.")
    3

    Raises:
        UnsolvedError: It names none.
    """
    grid = re.search(r"\b(\d) ?[×x] ?\1\b", prompt)
    if grid is None:
        raise UnsolvedError("the prompt does not say how many tiles there are")
    return int(grid[1])


def paint_region(pixels: Pixels, prompt: str) -> Pixels:
    """Paint the region that a prompt describes pure green.

    Raises:
        UnsolvedError: The description is not understood.
    """
    mask = find_described_region(pixels, prompt)
    if mask is None:
        raise UnsolvedError("the description is not understood")
    painted = np.array(pixels)
    painted[mask] = PAINT
    return painted


@cache
def load_known_things() -> dict[str, str]:
    """Return the words from which each known thing is drawn, by its name."""
    lines = (files(__package__) / "known_things.txt").read_text(encoding="utf-8").splitlines()
    return {name: words for name, _, words in (line.partition(": ") for line in lines)}


def find_named_thing(prompt: str) -> str | None:
    """Return the known thing with the longest name in a prompt; None if it names none."""
    names = [name for name in load_known_things() if name.lower() in prompt.lower()]
    return max(names, key=len, default=None)


def recognise_thing(picture: Picture, choices: Sequence[str]) -> str | None:
    """Return the choice whose drawing has the most similar colours; None if no choice is a known thing."""
    known = [choice for choice in choices if choice in load_known_things()]
    colours = _measure_colour_shares(picture.pixels)
    # The name decides between equally similar things, so that the order of the choices does not.
    return min(
        known,
        key=lambda name: (float(np.abs(colours - _measure_colour_shares(_draw_thing(name).pixels)).sum()), name),
        default=None,
    )


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
        return PictureAnswer(_select_shown_picture(question))


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
        picture = _select_shown_picture(question)
        try:
            return PictureAnswer(Picture.from_pixels(_draw_random_edit(picture.pixels, question.prompt, rng)))
        except UnsolvedError as reason:
            return PictureAnswer(picture, (str(reason),))


def _select_matching(description: str, regions: Sequence[SeenRegion], kind: str) -> list[SeenRegion]:
    """Return the regions that a description fits: first the regions of the neighbour that it names, if any."""
    if neighbour := _NEIGHBOUR.search(description):
        known = _select_matching(neighbour[2], regions, kind)
        if len(known) != 1:
            return []
        row, order = known[0].row + STEPS[neighbour[1]][0], known[0].order + STEPS[neighbour[1]][1]
        # Slices follow each other around the pie; bars and shapes end at both sides.
        order = order % len(regions) if kind == "slice" else order
        return [region for region in regions if (region.row, region.order) == (row, order)]
    if rank := _RANK.search(description):
        sizes = sorted((region.size for region in regions), reverse=rank[2] in ("tallest", "largest"))
        place = RANKS[rank[1]] - 1
        return [region for region in regions if place < len(sizes) and region.size == sizes[place]]
    if form := _FORM.search(description):
        corners = 0 if form[1] is None else CORNERS.get(form[1])
        return [region for region in regions if corners is not None and region.corners == corners]
    return []


def _count_corners(mask: Mask) -> int:
    """Return the corners of an upright regular figure, by how much of its box it fills and how tall the box is."""
    left, top, right, bottom = _compute_box(mask)
    high, wide = bottom - top, right - left
    fill, tall = int(np.count_nonzero(mask)) / (high * wide), high / wide
    return min(FIGURES, key=lambda corners: abs(FIGURES[corners][0] - fill) + abs(FIGURES[corners][1] - tall))


def _compute_middle(mask: Mask) -> tuple[float, float]:
    rows, columns = np.nonzero(mask)
    return int(columns.sum()) / len(columns), int(rows.sum()) / len(rows)


def _compute_box(mask: Mask) -> tuple[int, int, int, int]:
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    return int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1


def _answer_choice(question: Question) -> ChoiceAnswer:
    choice = recognise_thing(question.in_sight[0].picture, question.choices) if question.in_sight else None
    if choice is None:
        raise PlayerError("rule_broken", "no picture is shown of a thing that the editor knows")
    return ChoiceAnswer(choice)


def _answer_edit(question: Question) -> PictureAnswer:
    if not question.in_sight:
        name = find_named_thing(question.prompt)
        return drawn(*read([load_known_things()[name] if name else question.prompt]))
    shown = question.in_sight[0].picture
    try:
        pixels = edit_for(question.prompt)(shown.pixels, question.prompt)
    except UnsolvedError as reason:
        return PictureAnswer(shown, (str(reason),))
    return PictureAnswer(Picture.from_pixels(pixels))


@cache
def _draw_thing(name: str) -> Picture:
    return answer(*read([load_known_things()[name]])).picture


def _measure_colour_shares(pixels: Pixels) -> npt.NDArray[np.float64]:
    """Return the share of each colour among pixels that differ from the colour of the corner."""
    channels = pixels.astype(np.int64) * LEVELS // 256
    names = (channels[..., 0] * LEVELS + channels[..., 1]) * LEVELS + channels[..., 2]
    # The ground would outweigh the thing.
    counts = np.bincount(names[names != names[0, 0]], minlength=LEVELS * LEVELS * LEVELS)
    return counts / max(1, int(counts.sum()))


def _select_shown_picture(question: Question) -> Picture:
    if question.in_sight:
        return question.in_sight[0].picture
    return Picture.from_pixels(np.full((BLANK, BLANK, 3), 255, np.uint8))


def _draw_random_edit(pixels: Pixels, prompt: str, rng: random.Random) -> Pixels:
    edit = edit_for(prompt)
    if edit is solve_jigsaw:
        tiles = cut_tiles(pixels, parse_tiles_per_side(prompt))
        return join_tiles(tiles, rng.sample(range(len(tiles)), len(tiles)))
    if edit is paint_region:
        painted, areas = np.array(pixels), list_areas(pixels)
        if areas:
            painted[rng.choice(areas)] = PAINT
        return painted
    grid = find_grid(pixels)
    if grid is None:
        raise UnsolvedError("no grid of 4 × 4 or 9 × 9 cells is seen")
    cells = read_cells(pixels, grid)
    digits = "".join(rng.choice("123456789"[: grid.side]) if cell == EMPTY else cell for cell in cells)
    return write_digits(pixels, grid, cells, digits)
