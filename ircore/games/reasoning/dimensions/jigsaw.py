"""*Jigsaw*: a picture whose tiles were exchanged is to be put together again."""

import random
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from PIL import Image

from ircore.core.drawing import Drawing, arc_points
from ircore.core.images import Picture, Pixels
from ircore.games.reasoning.tasks import Dimension, Task, TaskVerdict
from ircore.instances.targets.photos import Photo, Shot, load_shots
from ircore.seeing.grids import cut_tiles, find_tile_order, join_tiles

SIZE = 480
"""Pixels a side: a multiple of 2, 3 and 4."""
DIFFERENT = 8.0
"""Least mean difference of two tiles, so that every tile has one place."""
UNLIKE = 20.0
"""Mean difference from which on a tile shows something else, even if it is redrawn."""
COARSE = 8
"""Pixels a side of the blocks whose means are compared, so that a small shift does not count."""


class JigsawPuzzle(NamedTuple):
    """A picture and the order in which its tiles are shown.

    >>> JigsawPuzzle(np.zeros((4, 4, 3), np.uint8), order=(1, 0, 2, 3)).shuffled.shape
    (4, 4, 3)

    Attributes:
        whole: The picture.
        order: For each place, row by row, the tile of the whole that is shown there.
        photo: The photograph that it shows; None for a drawn picture.
    """

    whole: Pixels
    order: tuple[int, ...]
    photo: Photo | None = None

    @property
    def shuffled(self) -> Pixels:
        """The picture with its tiles exchanged."""
        return join_tiles(cut_tiles(self.whole, round(len(self.order) ** 0.5)), self.order)


def make_jigsaw(count: int, rng: random.Random) -> JigsawPuzzle:
    """Return a jigsaw of ``count`` × ``count`` tiles, drawn or of a photograph, that its edges alone solve.

    Args:
        count: Tiles a side.
        rng: Decides everything.
    """
    while True:
        whole, photo = _choose_photograph(rng) if rng.random() < 0.5 else (draw_patchwork(SIZE, rng), None)
        tiles = cut_tiles(whole, count)
        puzzle = JigsawPuzzle(whole, _draw_exchanged_order(len(tiles), rng), photo)
        # A patch of even sky could lie in two places, and a picture whose edges mislead has no one solution.
        if _are_all_different(tiles) and find_tile_order(tiles) == tuple(range(len(tiles))):
            return puzzle


def check_tiles_in_place(answer: Pixels, whole: Pixels, count: int) -> tuple[bool, ...]:
    """Return for each place whether an answer shows the right tile there.

    The answer is brought to the size of the picture; both are compared as means of blocks of 8 × 8 pixels. A tile is in
    place if no tile of the whole resembles it more than the one that belongs there, and that one does resemble it.

    Args:
        answer: The answer, of any size.
        whole: The picture.
        count: Tiles a side.
    """
    high, wide = whole.shape[:2]
    # Models answer in sizes of their own.
    scaled = np.asarray(Image.fromarray(answer).resize((wide, high), Image.Resampling.BOX))
    wanted = [_average_blocks(tile) for tile in cut_tiles(whole, count)]
    in_place = []
    for place, tile in enumerate(map(_average_blocks, cut_tiles(scaled, count))):
        differences = [float(np.abs(tile - other).mean()) for other in wanted]
        in_place.append(differences[place] == min(differences) and differences[place] < UNLIKE)
    return tuple(in_place)


@cache
def _load_shots() -> tuple[Shot, ...]:
    return (*load_shots("easy"), *load_shots("hard"))


def _choose_photograph(rng: random.Random) -> tuple[Pixels, Photo]:
    """Return the middle of a photograph of the package, and its record."""
    shot = rng.choice(_load_shots())
    image = Image.fromarray(np.asarray(shot.picture.pixels))
    side = min(image.size)
    left, top = (image.width - side) // 2, (image.height - side) // 2
    cropped = image.resize((SIZE, SIZE), Image.Resampling.BICUBIC, box=(left, top, left + side, top + side))
    return np.asarray(cropped), shot.photo


def _draw_exchanged_order(number: int, rng: random.Random) -> tuple[int, ...]:
    """Return an order in which at least half of the places show another tile: chosen places pass their tiles on."""
    # Tiles are passed on in one ring, so every chosen place shows another tile.
    places = rng.sample(range(number), rng.randint((number + 1) // 2, number))
    order = list(range(number))
    for place, other in zip(places, [*places[1:], places[0]], strict=True):
        order[place] = other
    return tuple(order)


def _are_all_different(tiles: Sequence[Pixels]) -> bool:
    blocks = [_average_blocks(tile) for tile in tiles]
    return all(
        float(np.abs(tile - other).mean()) >= DIFFERENT for index, tile in enumerate(blocks) for other in blocks[:index]
    )


def _average_blocks(tile: Pixels) -> "np.ndarray[tuple[int, ...], np.dtype[np.float64]]":
    """Return the mean colour of each block of a tile."""
    high, wide = (size // COARSE for size in tile.shape[:2])
    blocks = tile[: high * COARSE, : wide * COARSE].reshape(high, COARSE, wide, COARSE, 3)
    means: np.ndarray[tuple[int, ...], np.dtype[np.float64]] = blocks.mean(axis=(1, 3))
    return means


COLOURS = ("#c1121f", "#e76f51", "#f4a261", "#ffd166", "#2a9d8f", "#118ab2", "#1d3557", "#7b2cbf", "#9d4edd", "#6d4c41")
SHAPES, BANDS = 10, 4


def draw_patchwork(size: int, rng: random.Random) -> Pixels:
    """Draw a picture of ``size`` × ``size`` pixels in which no part looks like another."""
    drawing = Drawing.over(_draw_ground(size, rng))
    for _ in range(BANDS):
        _draw_band(drawing, rng)
    for _ in range(SHAPES):
        _draw_shape(drawing, rng)
    return drawing.pixels


def _draw_ground(size: int, rng: random.Random) -> Pixels:
    """Return a ground whose colours run from corner to corner, in whole numbers."""
    corners = np.array([[rng.randrange(110, 250) for _ in range(3)] for _ in range(4)], np.int64).reshape(2, 2, 1, 1, 3)
    down, right = (np.arange(size).reshape(shape) for shape in ((size, 1, 1), (1, size, 1)))
    top = corners[0, 0] * (size - right) + corners[0, 1] * right
    bottom = corners[1, 0] * (size - right) + corners[1, 1] * right
    ground: Pixels = ((top * (size - down) + bottom * down) // (size * size)).astype(np.uint8)
    return ground


def _draw_band(drawing: Drawing, rng: random.Random) -> None:
    """Draw a curved band from one side of the picture to the other."""
    size = drawing.width
    centre = (rng.uniform(-0.3, 1.3) * size, rng.choice((rng.uniform(-1.0, -0.3), rng.uniform(1.3, 2.0))) * size)
    radius = rng.uniform(0.9, 1.5) * size
    drawing.line(arc_points(centre, (radius, radius), 0, 360), rng.choice(COLOURS), width=rng.uniform(8, 26))


def _draw_shape(drawing: Drawing, rng: random.Random) -> None:
    size = drawing.width
    centre = (rng.uniform(0.05, 0.95) * size, rng.uniform(0.05, 0.95) * size)
    radii = (rng.uniform(0.06, 0.18) * size, rng.uniform(0.06, 0.18) * size)
    fill, outline = rng.sample(COLOURS, 2)
    if rng.random() < 0.5:
        drawing.ellipse(centre, radii, fill, outline, width=5, rotation=rng.uniform(0, 180))
    else:
        start = rng.uniform(0, 360)
        turns = [start + 360 * corner / 5 + rng.uniform(-20, 20) for corner in range(rng.choice((3, 4, 5)))]
        drawing.polygon([arc_points(centre, radii, turn, turn + 1)[0] for turn in turns], fill, outline, width=5)


class Jigsaw(Dimension):
    """Two or three tiles a side (easy) or four (hard), at least half of them moved.

    >>> task = Jigsaw().build("easy", random.Random(1))
    >>> Jigsaw().verify(task.payload, task.pictures, task.pictures["truth"]).corrected
    1.0
    """

    name = "jigsaw"
    part = "edit"
    title = "Jigsaw"

    def build(self, difficulty: str, rng: random.Random) -> Task:
        """Return a jigsaw of our own."""
        count = 4 if difficulty == "hard" else rng.choice((2, 3))
        puzzle = make_jigsaw(count, rng)
        prompt = (
            f"This picture was cut into {count} × {count} square tiles, and tiles were exchanged; none was turned. "
            "Draw the picture with every tile back in its place."
        )
        pictures = {"input": Picture.from_pixels(puzzle.shuffled), "truth": Picture.from_pixels(puzzle.whole)}
        payload = {"tiles": count, "order": list(puzzle.order)}
        if puzzle.photo is None:
            return Task(prompt, payload, pictures)
        source = f"{puzzle.photo.title}, {puzzle.photo.author}, {puzzle.photo.source}; its middle, cut into tiles"
        return Task(prompt, payload, pictures, source=source, licence=puzzle.photo.licence)

    def verify(self, payload: Mapping[str, Any], pictures: Mapping[str, Picture], answer: Picture) -> TaskVerdict:
        """Return the share of moved tiles that are in place again; a tile that left its place counts as one more.

        GIR-Bench's own score is one FID over all pictures of a set, so a single picture has none.
        """
        truth, count = pictures["truth"].pixels, payload["tiles"]
        in_place_before = check_tiles_in_place(pictures["input"].pixels, truth, count)
        in_place = check_tiles_in_place(answer.pixels, truth, count)
        moved = in_place_before.count(False)
        back = sum(now for now, before in zip(in_place, in_place_before, strict=True) if not before)
        lost = sum(not now for now, before in zip(in_place, in_place_before, strict=True) if before)
        reasons = [f"{back} of {moved} moved tiles are in place"]
        if lost:
            reasons.append(f"{lost} of {in_place_before.count(True)} other tiles are no longer where they were")
        # Lost tiles join the denominator, so that redrawing the whole picture is no way to a good score.
        denominator = moved + lost
        return TaskVerdict(None, back / denominator if denominator else 1.0, all(in_place), tuple(reasons))
