"""GIR-Bench's tasks with a picture to edit: jigsaws, sudokus and regions to be painted."""

import re
from collections.abc import Iterator
from math import isqrt
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from scipy.optimize import linear_sum_assignment

from ircore.core.errors import InputError
from ircore.core.images import Picture, Pixels
from ircore.games.reasoning.dimensions.base import Task
from ircore.games.reasoning.gir_bench_files import (
    RESTORE,
    Entry,
    Imported,
    entries_of,
    json_of,
    numbered,
    picture_at,
    pictures_in,
)
from ircore.seeing.tiles import tiles_of

TILES = range(2, 9)
"""Tiles a side that are looked for in a jigsaw, whose files do not state their number."""

SAME = 12.0
"""Mean difference of two tiles, 0–255, up to which they are the same: files may have been scaled and compressed."""

FINE = 16
"""Pixels a side to which tiles are brought before they are compared."""

GREEN = (0, 255, 0)
SUDOKU_FIELDS = {
    "puzzle": ("puzzle", "question", "problem", "grid"),
    "solution": ("solution", "answer", "ground_truth"),
}
"""Names under which a sudoku's file may hold its digits; the published code reads ``grid_size`` alone."""


def jigsaws(root: Path) -> Iterator[Imported]:
    """Yield the jigsaws; the number of tiles is what makes every tile of the puzzle one of the solution's."""
    folder = root / "VisualPuzzle"
    solutions = pictures_in(folder / "solution")
    if not solutions:
        return
    # The published code names no folder of puzzles.
    puzzles_folder = _other_folder(folder, "solution")
    puzzles = pictures_in(puzzles_folder)
    prompts = {entry.number: entry.prompt for entry in entries_of(root, "VisualPuzzle", Entry)}
    for number in solutions:
        truth = picture_at(solutions, number, folder / "solution")
        shown = picture_at(puzzles, number, puzzles_folder)
        count, order = _tiles(shown.pixels, truth.pixels, puzzles[number])
        prompt = prompts.get(number) or (
            f"This picture was cut into {count} × {count} square tiles, and tiles were exchanged; none was turned. "
            "Draw the picture with every tile back in its place."
        )
        yield Imported(number, Task(prompt, {"tiles": count, "order": order}, {"input": shown, "truth": truth}))


def sudokus(root: Path) -> Iterator[Imported]:
    """Yield the sudokus; 4 × 4 is easy, 9 × 9 hard."""
    folder = root / "VisualLogic"
    questions, answers = pictures_in(folder / "question"), pictures_in(folder / "answer")
    prompts = {entry.number: entry.prompt for entry in entries_of(root, "VisualLogic", Entry)}
    for path in sorted((folder / "sudoku").glob("*.json")):
        number = numbered(path.stem)
        cells, solution = _digits(path)
        side = isqrt(len(cells))
        prompt = prompts.get(number) or (
            f"Solve this {side} × {side} sudoku: draw the same picture with the missing digit in every empty cell."
        )
        pictures = {
            "input": picture_at(questions, number, folder / "question"),
            "truth": picture_at(answers, number, folder / "answer"),
        }
        task = Task(prompt, {"cells": cells, "solution": solution}, pictures)
        yield Imported(number, task, "easy" if side == 4 else "hard")


def paintings(root: Path) -> Iterator[Imported]:
    """Yield the regions to be painted, each with its description, which cannot be done without."""
    folder = root / "ReasoningPerception"
    shown = pictures_in(folder / "image")
    if not shown:
        return
    masks = pictures_in(folder / "mask")
    prompts = {entry.number: entry.prompt for entry in entries_of(root, "ReasoningPerception", Entry)}
    for number in shown:
        if number not in prompts:
            raise InputError(
                f"{root}: prompt/ReasoningPerception.json: no entry of the number {number}",
                "Restore it: the task cannot be told without its description.",
            )
        before, mask = picture_at(shown, number, folder / "image"), picture_at(masks, number, folder / "mask")
        if (before.width, before.height) != (mask.width, mask.height):
            raise InputError(f"{masks[number]}: not of the size of {shown[number]}", RESTORE)
        painted = before.pixels.copy()
        # The threshold of the published masks' grey values, as in the verifier.
        painted[mask.pixels[..., 0] > 127] = GREEN
        pictures = {"input": before, "truth": Picture.from_pixels(painted), "mask": mask}
        yield Imported(number, Task(prompts[number], {"description": prompts[number]}, pictures))


def _other_folder(folder: Path, known: str) -> Path:
    """Return the one folder beside a known one: the published code never reads it, and so does not name it."""
    others = [path for path in sorted(folder.iterdir()) if path.is_dir() and path.name != known]
    if len(others) != 1:
        named = ", ".join(path.name for path in others) or "none"
        raise InputError(f"{folder}: one folder beside {known} holds the puzzles; there are: {named}", RESTORE)
    return others[0]


def _tiles(shown: Pixels, truth: Pixels, path: Path) -> tuple[int, list[int]]:
    """Return the tiles a side, and for each place of the puzzle the solution's tile that it shows.

    Raises:
        InputError: No number of tiles turns one picture into the other.
    """
    for count in TILES:
        wanted = [_fine(tile) for tile in tiles_of(truth, count)]
        cut = [_fine(tile) for tile in tiles_of(shown, count)]
        differences = np.array([[float(np.abs(tile - other).mean()) for other in wanted] for tile in cut])
        # Tiles that look alike, such as those of a clear sky, could each stand for the other: the best pairs count.
        places, tiles = linear_sum_assignment(differences)
        order = [int(tile) for tile in tiles]
        # The identity would make any two equal pictures a puzzle with nothing to move.
        if float(differences[places, tiles].max()) <= SAME and order != sorted(order):
            return count, order
    raise InputError(
        f"{path}: its tiles are not the solution's, from {TILES.start} to {TILES.stop - 1} a side", RESTORE
    )


def _fine(tile: Pixels) -> "np.ndarray[Any, Any]":
    return np.asarray(Image.fromarray(tile).resize((FINE, FINE), Image.Resampling.BOX), np.float64)


def _digits(path: Path) -> tuple[str, str]:
    """Return given digits and solution, row by row, ``.`` for an empty cell.

    Raises:
        InputError: The file lacks them, or the solution is not one of the puzzle.
    """
    document = json_of(path)
    document = document if isinstance(document, dict) else {}
    cells, solution = (_cells(document, names, path) for names in SUDOKU_FIELDS.values())
    side = isqrt(len(solution))
    if side not in (4, 9) or side * side != len(solution) or len(cells) != len(solution):
        raise InputError(f"{path}: {len(cells)} and {len(solution)} cells are no sudoku of 4 × 4 or 9 × 9", RESTORE)
    if "." in solution or any(cell not in (".", right) for cell, right in zip(cells, solution, strict=True)):
        raise InputError(f"{path}: the solution leaves cells empty or changes given digits", RESTORE)
    return cells, solution


def _cells(document: dict[str, Any], names: tuple[str, ...], path: Path) -> str:
    """Return the cells of a field: rows as lists or texts, or a single text; 0, null and dots are empty."""
    value = next((document[name] for name in names if name in document), None)
    if value is None:
        raise InputError(f"{path}: lacks {' or '.join(names)}", RESTORE)
    rows = value if isinstance(value, list) else [value]
    written = "".join(_characters(cell) for row in rows for cell in (row if isinstance(row, list) else [row]))
    # Grids come as lists of numbers, lists of texts or one text, so the cells are checked after joining.
    wrong = next((cell for cell in written if cell not in "123456789."), None)
    if wrong is not None or not written:
        raise InputError(f"{path}: {names[0]}: {wrong!r} is no digit", RESTORE)
    return written


def _characters(cell: object) -> str:
    """Return a cell, or a row that is written as one text, with a dot for every empty cell."""
    return re.sub(r"[0_ ]", ".", str(cell)) if cell not in (None, "") else "."
