"""*Entity*: a thing is to be drawn, told by its name, or told by a description that does not name it."""

import random
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

from ircore.core.images import Picture
from ircore.games.reasoning.dimensions.base import Dimension, Task, Verdict
from ircore.games.reasoning.puzzles.attributes import Areas
from ircore.games.reasoning.puzzles.entities import ENTITIES, names_of

REFERENCES = 3
"""Reference pictures of each thing."""


class _EntityDimension(Dimension):
    """Drawn things: with two or three attributes (easy), or with more (hard)."""

    part = "understand"
    things = "entity"
    likeness = "dino"

    def build(self, difficulty: str, rng: random.Random) -> Task:
        """Return a thing to be drawn, with reference pictures that nobody is shown."""
        name = rng.choice(names_of(difficulty))
        draw = ENTITIES[name].draw
        pictures = {f"reference_{number}": Picture.from_pixels(draw(rng).pixels) for number in range(1, REFERENCES + 1)}
        payload = {"entity": name, "references": list(pictures)}
        return Task(f"Draw {self.words_for(name)}, alone on a plain ground.", payload, pictures)

    @abstractmethod
    def words_for(self, name: str) -> str:
        """Return the words for a thing in a prompt."""

    def verify(self, payload: Mapping[str, Any], pictures: Mapping[str, Picture], answer: Picture) -> Verdict:  # noqa: ARG002 - attributes need no reference
        """Return the share of the thing's attributes that the answer shows.

        GIR-Bench's own score, the similarity to reference pictures, needs a network: see ``likeness``.
        """
        # Imported tasks are about real things, whose attributes nobody has written down.
        if payload["entity"] not in ENTITIES:
            return Verdict(None, None, False, ("attributes are known of the project's own things alone",))
        shown = ENTITIES[payload["entity"]].shown(Areas(answer.pixels))
        reasons = tuple(f"{'shown' if holds else 'not shown'}: {words}" for words, holds in shown.items())
        return Verdict(None, sum(shown.values()) / len(shown), all(shown.values()), reasons)


class EntityNamed(_EntityDimension):
    """A thing told by its name.

    >>> task = EntityNamed().build("hard", random.Random(1))
    >>> task.payload["entity"] in task.prompt
    True
    """

    name = "entity-named"
    title = "Entity by name"

    def words_for(self, name: str) -> str:
        """Return the name with its article."""
        article = "the" if " that " in name else "an" if name[0] in "aeiou" else "a"
        return f"{article} {name}"


class EntityDescribed(_EntityDimension):
    """A thing told by a description that does not name it.

    >>> task = EntityDescribed().build("hard", random.Random(1))
    >>> EntityDescribed().verify(task.payload, task.pictures, task.pictures["reference_1"]).corrected
    1.0
    """

    name = "entity-described"
    title = "Entity by description"

    def words_for(self, name: str) -> str:
        """Return the description."""
        return ENTITIES[name].description
