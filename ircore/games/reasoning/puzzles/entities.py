"""Things to be drawn or recognised: name, implicit description, drawing and attributes."""

import random
from collections.abc import Callable
from typing import NamedTuple

from ircore.core.drawing import Drawing
from ircore.games.reasoning.puzzles import entity_drawings as drawings
from ircore.games.reasoning.puzzles.attributes import Above, Areas, Attribute, Formed, Shows, Within


class Entity(NamedTuple):
    """A thing.

    >>> ENTITIES["snowman"].family
    'white'

    Attributes:
        description: Words that fit nothing else and do not name it.
        draw: Draws it, a little differently each time.
        attributes: What a picture of it must show.
        family: Colour that is seen first; things of a family are harder to tell apart.
    """

    description: str
    draw: Callable[[random.Random], Drawing]
    attributes: tuple[Attribute, ...]
    family: str

    def shown(self, areas: Areas) -> dict[str, bool]:
        """Return for each attribute in words whether a picture shows it."""
        return {attribute.words: attribute.holds(areas) for attribute in self.attributes}


ENTITIES: dict[str, Entity] = {
    "traffic light": Entity(
        "the device at a crossing that tells drivers by three lamps, one above another, when to halt and when to go",
        drawings.traffic_light,
        (Within("red", "black"), Within("yellow", "black"), Within("green", "black"), Above("red", "yellow"),
         Above("yellow", "green"), Formed("black", "tall")),
        "green",
    ),
    "stop sign": Entity(
        "the board with eight sides at a junction that makes every driver come to a halt, with its order written on it",
        drawings.stop_sign,
        (Shows("red", share=0.06), Formed("red", "octagonal"), Within("white", "red", least=3, most=6)),
        "red",
    ),
    "snowman": Entity(
        "the figure that children roll together in the garden in winter, with a vegetable for its nose",
        drawings.snowman,
        (Formed("white", "tall"), Within("orange", "white"), Within("black", "white", least=4),
         Above("black", "white")),
        "white",
    ),
    "ladybird": Entity(
        "the small round beetle that gardeners like because it eats greenfly, and that is said to bring luck",
        drawings.ladybird,
        (Formed("red", "round"), Within("black", "red", least=4), Shows("red", share=0.06)),
        "red",
    ),
    "fly agaric": Entity(
        "the poisonous mushroom of fairy tales, whose cap looks as if snow had fallen on it in flakes",
        drawings.fly_agaric,
        (Formed("red", "wide"), Within("white", "red", least=3), Above("red", "white")),
        "red",
    ),
    "sunflower": Entity(
        "the tall plant that turns its face to the light all day and whose seeds are pressed for oil",
        drawings.sunflower,
        (Within("brown", "yellow"), Formed("yellow", "round"), Above("yellow", "green")),
        "green",
    ),
    "slice of watermelon": Entity(
        "the piece of a heavy summer fruit that is nearly all water, ready to be eaten down to its rind",
        drawings.watermelon,
        (Formed("red", "wide"), Within("black", "red", least=3), Above("red", "green")),
        "red",
    ),
    "fried egg": Entity(
        "the breakfast dish made by breaking a hen's product into a hot pan without stirring",
        drawings.fried_egg,
        (Within("yellow or orange", "white", least=1, most=1), Formed("yellow or orange", "round"),
         Shows("white", share=0.1)),
        "white",
    ),
    "rainbow": Entity(
        "the arch that appears in the sky opposite the sun when it shines on falling drops",
        drawings.rainbow,
        (Above("red", "orange"), Above("orange", "yellow"), Above("yellow", "green"), Above("green", "blue"),
         Formed("red", "wide")),
        "green",
    ),
    "face of a die that shows five": Entity(
        "the side of a gaming cube that lies on top when a player may move one field less than six",
        drawings.die,
        (Formed("white", "square"), Within("black", "white", least=5, most=5)),
        "white",
    ),
    "sailing boat": Entity(
        "the vessel that crosses a lake without oars or engine as long as there is wind",
        drawings.sailing_boat,
        (Above("white", "brown"), Above("brown", "blue"), Formed("white", "pointed upwards"),
         Shows("blue", share=0.05)),
        "white",
    ),
    "Christmas tree": Entity(
        "what families put up in December, hang with shining balls and lay presents under",
        drawings.christmas_tree,
        (Formed("green", "pointed upwards"), Within("red", "green", least=3), Above("yellow", "green"),
         Above("green", "brown")),
        "green",
    ),
    "carrot": Entity(
        "the root that rabbits are said to love and that is good for the eyes",
        drawings.carrot,
        (Formed("orange", "tall"), Above("green", "orange"), Shows("orange", share=0.05)),
        "green",
    ),
    "archery target": Entity(
        "the round board of rings at which people shoot arrows",
        drawings.archery_target,
        (Formed("red", "round"), Shows("red", least=3), Within("white", "red", least=2)),
        "red",
    ),
}  # fmt: skip
"""By name."""

MANY = 4
"""Attributes from which on a thing is hard to draw."""


def names_of(difficulty: str) -> tuple[str, ...]:
    """Return the things of a difficulty.

    >>> "snowman" in names_of("hard"), "snowman" in names_of("easy")
    (True, False)
    """
    hard = difficulty == "hard"
    return tuple(name for name, entity in ENTITIES.items() if (len(entity.attributes) >= MANY) == hard)
