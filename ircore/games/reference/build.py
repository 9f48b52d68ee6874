"""Contexts of our own, free to publish: drawn shapes and tangrams, with distractors that differ much or little.

``shapes`` and ``tangrams`` are repeated games (four pictures, six repetitions, as ICCA's), ``lineup`` is one-shot (ten
tangrams, one target, as KiloGram's). KiloGram's four conditions are that very game, in which the speaker is told what
to name and the pieces are black or coloured. Hard contexts hold pictures that share what is named first: two shapes in
two colours, or figures that differ by the place of two pieces.
"""

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import NamedTuple

from ircore.core import exact
from ircore.core.drawing import Drawing
from ircore.core.images import Picture
from ircore.core.records import Instance, derive_seed
from ircore.games.reference.records import CONDITIONS, PART_COLOURS, SEEDS, Context
from ircore.instances.requests import BuildRequest, SetPlace
from ircore.instances.store import InstanceSet, write_instances
from ircore.instances.tangrams import PIECES, Tangram, draw_tangram, make_tangram

SIZE = 256
COLOURS = ("#d62828", "#f77f00", "#ffd60a", "#2a9d4a", "#4cc9f0", "#1d4ed8", "#7b2cbf", "#7f4f24")
FORMS = ("circle", "square", "triangle", "pentagon", "star", "cross")
CATEGORIES = ("shapes", "tangrams", "lineup", *CONDITIONS)
REPETITIONS = 6
LINEUP = 10
"""Pictures of a one-shot game."""

PIECE_COLOURS = dict(zip(PIECES, PART_COLOURS, strict=True))
MOVED_PIECES = 2
"""Pieces that lie elsewhere in the other figures of a hard context."""


class _Look(NamedTuple):
    form: str
    colour: str
    filled: bool
    large: bool


def build(request: BuildRequest) -> InstanceSet:
    """Build an instance set of the reference game.

    Raises:
        InputError: A category is none of this game's, or the folder holds something.
    """
    places = request.places(CATEGORIES)
    return write_instances(request.out, (_build_instance(place, request.seed) for place in places))


def _build_instance(place: SetPlace, set_seed: int) -> tuple[Instance, dict[str, Picture]]:
    one_shot, hard = place.category in {"lineup", *CONDITIONS}, place.difficulty == "hard"
    # The same game under every condition, so that only what is named and shown differs.
    seed = derive_seed(set_seed, (replace(place, category="lineup") if one_shot else place).instance_id)
    rng = random.Random(seed)
    if place.category == "shapes":
        drawn = _draw_shapes(hard, rng)
    else:
        colours = PIECE_COLOURS if place.category.endswith("color") else {}
        drawn = _draw_tangrams(hard, LINEUP if one_shot else 4, colours, rng)
    # Names are those of places: a release has a column for each name, which its instances share.
    pictures = {f"p{number}": Picture.from_pixels(drawing.pixels) for number, drawing in enumerate(drawn, start=1)}
    context = Context(
        context=tuple(pictures),
        targets=_draw_targets(list(pictures), one_shot, rng),
        seed=rng.randrange(SEEDS),
        naming=CONDITIONS.get(place.category, ""),
    )
    instance = Instance(
        instance_id=place.instance_id,
        category=place.category,
        difficulty=place.difficulty,
        game="reference",
        payload=context.model_dump(mode="json"),
        source="procedural",
        licence="CC0-1.0",
        seed=seed,
    )
    return instance, pictures


def _draw_targets(names: Sequence[str], one_shot: bool, rng: random.Random) -> tuple[str, ...]:
    """Return a single target, or every picture once a repetition in a drawn order."""
    if one_shot:
        return (rng.choice(names),)
    return tuple(name for _ in range(REPETITIONS) for name in rng.sample(names, len(names)))


def _draw_tangrams(hard: bool, count: int, colours: Mapping[str, str], rng: random.Random) -> list[Drawing]:
    first = make_tangram(rng)
    figures, shown = [first], {_draw_silhouette(first)}
    while len(figures) < count:
        figure = make_tangram(rng, first.without_last(MOVED_PIECES) if hard else None)
        # Two equal pictures would leave the listener no right answer.
        if _draw_silhouette(figure) not in shown:
            shown.add(_draw_silhouette(figure))
            figures.append(figure)
    rng.shuffle(figures)
    return [draw_tangram(figure, SIZE, colours) for figure in figures]


def _draw_silhouette(figure: Tangram) -> bytes:
    return draw_tangram(figure, 32).pixels.tobytes()


def _draw_shapes(hard: bool, rng: random.Random) -> list[Drawing]:
    if hard:
        forms, colours = rng.sample(FORMS, 2), rng.sample(COLOURS, 2)
        filled, large = rng.random() < 0.5, rng.random() < 0.5
        looks = [_Look(form, colour, filled, large) for form, colour in product(forms, colours)]
    else:
        looks = [
            _Look(form, colour, rng.random() < 0.5, rng.random() < 0.5)
            for form, colour in zip(rng.sample(FORMS, 4), rng.sample(COLOURS, 4), strict=True)
        ]
    rng.shuffle(looks)
    return [_draw_shape(look) for look in looks]


def _draw_shape(look: _Look) -> Drawing:
    drawing = Drawing(SIZE, SIZE)
    middle, radius = SIZE / 2, SIZE * (0.36 if look.large else 0.2)
    fill, outline = (look.colour, None) if look.filled else (None, look.colour)
    if look.form == "circle":
        drawing.ellipse((middle, middle), (radius, radius), fill, outline, width=8)
    else:
        corners = [(middle + radius * x, middle + radius * y) for x, y in _compute_corners(look.form)]
        drawing.polygon(corners, fill, outline, width=8)
    return drawing


def _compute_corners(form: str) -> list[tuple[float, float]]:
    if form == "square":
        return [(-0.85, -0.85), (0.85, -0.85), (0.85, 0.85), (-0.85, 0.85)]
    if form == "cross":
        return [
            (-0.3, -1), (0.3, -1), (0.3, -0.3), (1, -0.3), (1, 0.3), (0.3, 0.3),
            (0.3, 1), (-0.3, 1), (-0.3, 0.3), (-1, 0.3), (-1, -0.3), (-0.3, -0.3),
        ]  # fmt: skip
    count = {"triangle": 3, "pentagon": 5, "star": 10}[form]
    radii = [0.42 if form == "star" and number % 2 else 1.0 for number in range(count)]
    turns = [2 * math.pi * number / count for number in range(count)]
    return [(radius * exact.sin(turn), -radius * exact.cos(turn)) for radius, turn in zip(radii, turns, strict=True)]
