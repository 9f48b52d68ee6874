"""*Recognition*: which of four things a picture shows; the same things as of *entity*, so that both can be compared."""

import random
from collections.abc import Mapping
from typing import Any

from ircore.core.images import Picture
from ircore.games.reasoning.dimensions.base import Dimension, Task, Verdict
from ircore.games.reasoning.dimensions.entity import EntityNamed
from ircore.games.reasoning.puzzles.entities import ENTITIES, names_of

CHOICES = 4


class Recognition(Dimension):
    """Drawn things as multiple choice: the others look different (easy) or have the same colours (hard).

    >>> task = Recognition().build("easy", random.Random(1))
    >>> task.answer in task.choices, len(task.choices)
    (True, 4)
    """

    name = "recognition"
    part = "understand"
    title = "Recognition"
    things = "entity"

    def build(self, difficulty: str, rng: random.Random) -> Task:
        """Return a picture of a thing with four names to choose from."""
        name = rng.choice(names_of(difficulty))
        family, hard = ENTITIES[name].family, difficulty == "hard"
        # Hard choices are of the same family of colours, easy ones of other families.
        others = [other for other in ENTITIES if other != name and (ENTITIES[other].family == family) == hard]
        choices = [name, *rng.sample(others, CHOICES - 1)]
        rng.shuffle(choices)
        prompt = f"What does this picture show? Answer with one of these and nothing else: {', '.join(choices)}."
        pictures = {"input": Picture.from_pixels(ENTITIES[name].draw(rng).pixels)}
        return Task(prompt, {"entity": name}, pictures, tuple(choices), name)

    def verify(self, payload: Mapping[str, Any], pictures: Mapping[str, Picture], answer: Picture) -> Verdict:
        """Judge a picture in the place of a choice: as if the thing had been asked for."""
        return EntityNamed().verify(payload, pictures, answer)
