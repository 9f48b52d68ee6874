"""Dimensions of pictures of real things by name or description, and of telling what is wrong with a picture."""

import random
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

from ircore.core.images import Picture
from ircore.games.reasoning.attributes import Areas
from ircore.games.reasoning.dimensions.base import Dimension, Task, TaskVerdict
from ircore.games.reasoning.entities import ENTITIES, list_names

REFERENCES = 3
"""Reference pictures of each thing."""


class _EntityDimension(Dimension):
    """Drawn things: with two or three attributes (easy), or with more (hard)."""

    part = "understand"
    things = "entity"
    likeness = "dino"

    def build(self, difficulty: str, rng: random.Random) -> Task:
        """Return a thing to be drawn, with reference pictures that nobody is shown."""
        name = rng.choice(list_names(difficulty))
        draw = ENTITIES[name].draw
        pictures = {f"reference_{number}": Picture.from_pixels(draw(rng).pixels) for number in range(1, REFERENCES + 1)}
        payload = {"entity": name, "references": list(pictures)}
        return Task(f"Draw {self.words_for(name)}, alone on a plain ground.", payload, pictures)

    @abstractmethod
    def words_for(self, name: str) -> str:
        """Return the words for a thing in a prompt."""

    def verify(self, payload: Mapping[str, Any], pictures: Mapping[str, Picture], answer: Picture) -> TaskVerdict:  # noqa: ARG002 - attributes need no reference
        """Return the share of the thing's attributes that the answer shows.

        GIR-Bench's own score, the similarity to reference pictures, needs a network: see ``likeness``.
        """
        # Imported tasks are about real things, whose attributes nobody has written down.
        if payload["entity"] not in ENTITIES:
            return TaskVerdict(None, None, False, ("attributes are known of the project's own things alone",))
        shown = ENTITIES[payload["entity"]].shown(Areas(answer.pixels))
        reasons = tuple(f"{'shown' if holds else 'not shown'}: {words}" for words, holds in shown.items())
        return TaskVerdict(None, sum(shown.values()) / len(shown), all(shown.values()), reasons)


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
        name = rng.choice(list_names(difficulty))
        family, hard = ENTITIES[name].family, difficulty == "hard"
        # Hard choices are of the same family of colours, easy ones of other families.
        others = [other for other in ENTITIES if other != name and (ENTITIES[other].family == family) == hard]
        choices = [name, *rng.sample(others, CHOICES - 1)]
        rng.shuffle(choices)
        prompt = f"What does this picture show? Answer with one of these and nothing else: {', '.join(choices)}."
        pictures = {"input": Picture.from_pixels(ENTITIES[name].draw(rng).pixels)}
        return Task(prompt, {"entity": name}, pictures, tuple(choices), name)

    def verify(self, payload: Mapping[str, Any], pictures: Mapping[str, Picture], answer: Picture) -> TaskVerdict:
        """Judge a picture in the place of a choice: as if the thing had been asked for."""
        return EntityNamed().verify(payload, pictures, answer)
