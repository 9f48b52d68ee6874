"""Targets for the reconstruction game: discs and clocks, drawn; and plain pictures, one for each line of a file."""

import math
import random
from collections.abc import Iterator

from ircore.core.drawing import Drawing
from ircore.core.images import Picture
from ircore.core.records import Difficulty, Instance, PictureFile
from ircore.instances.requests import ImportRequest
from ircore.instances.store import InstanceSet, write_instances
from ircore.instances.targets.base import Drawn, SceneDrawing

SIDE = 32


def build(difficulty: Difficulty, rng: random.Random) -> Drawn:
    """Draw a red disc in a place of its own, or two if it is to be hard."""
    page = SceneDrawing()
    for _ in range(1 if difficulty == "easy" else 2):
        centre = rng.randrange(100, 400), rng.randrange(100, 400)
        page.add("circle", page.drawing.ellipse(centre, (40, 40), fill="#ff0000"), colour="#ff0000")
    return page.finish()


KINDS = {"dial": 0.5, "hand": 2.0}
"""Kinds of elements that are the category's own, with weights; numerals have none."""


def build_clock(difficulty: Difficulty, rng: random.Random) -> Drawn:
    """Draw a clock with one hand, or with two if it is to be hard; its numerals are texts of a kind of their own."""
    page = SceneDrawing(kinds=KINDS)
    page.add("dial", page.drawing.ellipse((256, 256), (180, 180), fill="#f2e8c9"), "#f2e8c9")
    for hour in range(1, 13):
        page.text("numeral", _on_dial(30 * hour, 150), str(hour), 26, "#222222")
    for colour, length in (("#c0392b", 90), ("#2c3e50", 125))[: 1 if difficulty == "easy" else 2]:
        page.line("hand", ((256, 256), _on_dial(rng.randrange(360), length)), colour, 10)
    return page.finish()


def _on_dial(degrees: float, radius: float) -> tuple[float, float]:
    turn = math.radians(degrees - 90)
    return 256 + radius * math.cos(turn), 256 + radius * math.sin(turn)


def read_colours(request: ImportRequest) -> InstanceSet:
    """Make a plain picture for each line of a file."""
    return write_instances(request.out, _pictures(request))


def _pictures(request: ImportRequest) -> Iterator[tuple[Instance, dict[str, Picture]]]:
    for number, colour in enumerate(request.path.read_text().split(), start=1):
        picture = Picture.from_pixels(Drawing(SIDE, SIDE, colour).pixels)
        instance = Instance(
            instance_id=f"colour-{number:02d}",
            category=request.category or "colours",
            difficulty="easy",
            game="reconstruction",
            pictures={"target": PictureFile.of(f"images/colour-{number:02d}.png", picture)},
            source=f"line {number} of {request.path.name}",
            licence=request.licence or "CC0-1.0",
        )
        yield instance, {"target": picture}
