"""Backgrounds for coloured shapes: plain, halves, bands, stripes, checkers, frames, quarters, all in flat colours."""

import random
from collections.abc import Callable

from ircore.core.drawing import Point
from ircore.core.records import Difficulty
from ircore.instances.targets.base import SIZE, SceneDrawing
from ircore.instances.targets.palettes import GROUND_COLOURS, contrast, mix


def paint_ground(difficulty: Difficulty, rng: random.Random) -> tuple[SceneDrawing, list[str]]:
    """Start a picture with a background.

    Args:
        difficulty: Easy ones are plain or in two halves.
        rng: The only source of chance.

    Returns:
        The picture, and the colours on it.
    """
    first = rng.choice(GROUND_COLOURS)
    scene = SceneDrawing(first)
    patterns: list[Pattern] = [_plain, _plain, _halves] if difficulty == "easy" else _PATTERNS
    return scene, [first, *rng.choice(patterns)(scene, first, rng)]


Pattern = Callable[[SceneDrawing, str, random.Random], list[str]]
"""Paints over a plain ground of the given colour and returns the colours it added."""


def _plain(scene: SceneDrawing, first: str, rng: random.Random) -> list[str]:  # noqa: ARG001 - a Pattern
    return []


def _halves(scene: SceneDrawing, first: str, rng: random.Random) -> list[str]:
    second, at = _companion(first, rng), rng.choice((208, 256, 304))
    _band(scene, at, SIZE - at, second, down=rng.random() < 0.5)
    return [second]


def _diagonal(scene: SceneDrawing, first: str, rng: random.Random) -> list[str]:
    second = _companion(first, rng)
    corner = rng.choice(((0, 0), (SIZE, 0)))
    _area(scene, [corner, (SIZE - corner[0], SIZE), (corner[0], SIZE)], second)
    return [second]


def _checker(scene: SceneDrawing, first: str, rng: random.Random) -> list[str]:
    second, cell = mix(first, _companion(first, rng), 0.45), rng.choice((64, 128))
    for row in range(SIZE // cell):
        for column in range(row % 2, SIZE // cell, 2):
            left, top = column * cell, row * cell
            _area(scene, [(left, top), (left + cell, top), (left + cell, top + cell), (left, top + cell)], second)
    return [second]


def _bands(scene: SceneDrawing, first: str, rng: random.Random) -> list[str]:
    """Flat steps from one colour to another, down or across: a gradient that can be told in words."""
    last, count, down = _companion(first, rng), rng.choice((4, 8)), rng.random() < 0.5
    colours = [mix(first, last, step / (count - 1)) for step in range(1, count)]
    wide = SIZE // count
    for step, colour in enumerate(colours, start=1):
        _band(scene, step * wide, wide, colour, down)
    return colours


def _stripes(scene: SceneDrawing, first: str, rng: random.Random) -> list[str]:
    second, wide, down = mix(first, _companion(first, rng), 0.45), rng.choice((32, 64)), rng.random() < 0.5
    for at in range(wide, SIZE, 2 * wide):
        _band(scene, at, wide, second, down)
    return [second]


def _frame(scene: SceneDrawing, first: str, rng: random.Random) -> list[str]:
    second, inset = _companion(first, rng), rng.choice((32, 48, 64))
    far = SIZE - inset
    _area(scene, [(inset, inset), (far, inset), (far, far), (inset, far)], second)
    return [second]


def _quarters(scene: SceneDrawing, first: str, rng: random.Random) -> list[str]:
    second, third = _companion(first, rng), _companion(first, rng)
    half = SIZE // 2
    _area(scene, [(half, 0), (SIZE, 0), (SIZE, half), (half, half)], second)
    _area(scene, [(0, half), (half, half), (half, SIZE), (0, SIZE)], third)
    return [second, third]


_PATTERNS: list[Pattern] = [_plain, _halves, _diagonal, _checker, _bands, _stripes, _frame, _quarters]


def _companion(first: str, rng: random.Random) -> str:
    """Choose a ground colour that can be told from ``first`` without leaving the light or the dark ones."""
    dark = contrast(first, "#000000") < 0.5
    near = [colour for colour in GROUND_COLOURS if colour != first and (contrast(colour, "#000000") < 0.5) == dark]
    return rng.choice([colour for colour in near if contrast(colour, first) > 0.05] or near)


def _band(scene: SceneDrawing, at: int, wide: int, colour: str, down: bool) -> None:
    if down:
        _area(scene, [(0, at), (SIZE, at), (SIZE, at + wide), (0, at + wide)], colour)
    else:
        _area(scene, [(at, 0), (at + wide, 0), (at + wide, SIZE), (at, SIZE)], colour)


def _area(scene: SceneDrawing, points: list[Point], colour: str) -> None:
    box = scene.drawing.polygon(points, colour)
    scene.add("background", box, colour, bleeds=True, corners=[list(point) for point in points])
