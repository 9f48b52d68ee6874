"""Dimensions of things that people know: drawn by name or description, and recognised, also in what is wrong with them.

A thing has a name, an implicit description, a drawing with variations of its own, and attributes.
"""

import random
from abc import abstractmethod
from collections.abc import Callable, Mapping
from itertools import product
from typing import Any, NamedTuple

from ircore.core.drawing import Drawing, Point, arc_points
from ircore.core.images import Picture
from ircore.games.reasoning.attributes import Above, Areas, Attribute, Formed, Shows, Within
from ircore.games.reasoning.tasks import Dimension, Task, TaskVerdict

REFERENCES = 3
"""Reference pictures of each thing."""

CHOICES = 4

SIZE = 384
SKIES = ("#dbeafe", "#e0f2fe", "#ede9fe", "#f1f5f9")
"""Light grounds on which every part can be seen."""

MANY = 4
"""Attributes from which on a thing is hard to draw."""


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


class ThingSheet:
    """A drawing whose figure may be larger or smaller and stand a little aside; coordinates are 0–100.

    >>> sheet = ThingSheet(random.Random(1))
    >>> sheet.drawing.width
    384

    Args:
        rng: Decides ground, size and place.
        grounds: Colours of the ground to choose from.
    """

    def __init__(self, rng: random.Random, grounds: tuple[str, ...] = SKIES) -> None:
        self.rng = rng
        self.ground = rng.choice(grounds)
        self.drawing = Drawing(SIZE, SIZE, self.ground)
        self.scale = SIZE / 100 * rng.uniform(0.8, 0.96)
        margin = SIZE - 100 * self.scale
        self.left, self.top = rng.uniform(0.3, 0.7) * margin, rng.uniform(0.3, 0.7) * margin

    def at(self, x: float, y: float) -> Point:
        """Return a place of the figure in pixels."""
        return self.left + self.scale * x, self.top + self.scale * y

    def disc(self, x: float, y: float, radius: float, colour: str, flat: float = 1.0) -> None:
        """Draw a disc, or an ellipse ``flat`` times as high as wide."""
        self.drawing.ellipse(self.at(x, y), (radius * self.scale, radius * flat * self.scale), fill=colour)

    def box(self, left: float, top: float, right: float, bottom: float, colour: str) -> None:
        """Draw an upright rectangle."""
        self.drawing.rectangle(*self.at(left, top), *self.at(right, bottom), fill=colour)

    def polygon(self, points: list[Point], colour: str) -> None:
        """Draw a polygon."""
        self.drawing.polygon([self.at(*point) for point in points], fill=colour)

    def wedge(self, x: float, y: float, radius: float, start: float, end: float, colour: str) -> None:
        """Draw a part of a disc from an angle clockwise to another, 0 at 3 o'clock."""
        self.drawing.wedge(self.at(x, y), radius * self.scale, start, end, fill=colour)

    def one_of(self, *colours: str) -> str:
        """Return one of the colours."""
        return self.rng.choice(colours)


def draw_traffic_light(rng: random.Random) -> Drawing:
    """Draw three lamps, one above another, in a dark housing on a pole."""
    sheet = ThingSheet(rng)
    sheet.box(46, 70, 54, 100, "#6b7280")
    sheet.box(30, 2, 70, 80, sheet.one_of("#111111", "#1c1c1c"))
    radius = rng.uniform(8.5, 11)
    for y, colour in (
        (16, sheet.one_of("#e02020", "#d01818")),
        (41, sheet.one_of("#ffd60a", "#facc15")),
        (66, "#22a948"),
    ):
        sheet.disc(50, y, radius, colour)
    return sheet.drawing


def stop_sign(rng: random.Random) -> Drawing:
    """Draw a red octagon with the word STOP on a pole."""
    sheet = ThingSheet(rng)
    sheet.box(47, 60, 53, 100, "#6b7280")
    corners = [_round_about((50, 40), 42, 22.5 + 45 * number) for number in range(8)]
    sheet.polygon(corners, sheet.one_of("#c1121f", "#d62828"))
    sheet.drawing.text(sheet.at(50, 40), "STOP", size=rng.uniform(24, 28) * sheet.scale, colour="#ffffff")
    return sheet.drawing


def draw_snowman(rng: random.Random) -> Drawing:
    """Draw two or three balls of snow with a carrot for a nose, black eyes and buttons, and a hat."""
    # White would hardly be seen on the lighter grounds.
    sheet = ThingSheet(rng, ("#93c5fd", "#7db7f5", "#a5b4fc"))
    sheet.disc(50, 76, 23, "#ffffff")
    sheet.disc(50, 44, 17, "#ffffff")
    sheet.disc(50, 21, 13, "#ffffff")
    sheet.box(40, 0, 60, 9, "#111111")
    sheet.box(34, 8, 66, 12, "#111111")
    for x, y in ((45, 19), (55, 19), (50, 42), (50, 50), (50, 70), (50, 80)):
        sheet.disc(x, y, 2.2, "#111111")
    reach = sheet.rng.choice((-12.0, 12.0))
    sheet.polygon([(50, 22), (50, 27), (50 + reach, 25)], "#f97316")
    return sheet.drawing


def draw_ladybird(rng: random.Random) -> Drawing:
    """Draw a red beetle with black spots."""
    sheet = ThingSheet(rng)
    sheet.disc(50, 20, 14, "#111111")
    sheet.disc(50, 55, 37, sheet.one_of("#d62828", "#e02020"), flat=1.05)
    spots = [(36, 42), (64, 42), (32, 60), (68, 60), (41, 76), (59, 76)]
    for x, y in spots[: rng.choice((4, 6))]:
        sheet.disc(x, y, rng.uniform(4.5, 6), "#111111")
    return sheet.drawing


def draw_fly_agaric(rng: random.Random) -> Drawing:
    """Draw a mushroom with a red cap and white spots."""
    sheet = ThingSheet(rng, ("#bfdbfe", "#c7d2fe", "#a5b4fc"))
    sheet.box(40, 50, 60, 98, "#fafafa")
    sheet.wedge(50, 55, 45, 180, 360, sheet.one_of("#d62828", "#c1121f"))
    for x, y in ((50, 22), (28, 40), (70, 38), (48, 44), (86, 49))[: rng.choice((4, 5))]:
        sheet.disc(x, y, rng.uniform(3.5, 5), "#fafafa")
    return sheet.drawing


def draw_sunflower(rng: random.Random) -> Drawing:
    """Draw yellow petals around a brown disc on a green stem."""
    sheet = ThingSheet(rng)
    sheet.box(47, 40, 53, 100, "#2e8b3d")
    sheet.disc(62, 82, 11, "#2e8b3d", flat=0.5)
    count = rng.choice((10, 12, 14))
    for number in range(count):
        x, y = _round_about((50, 36), 24, 360 * number / count)
        sheet.disc(x, y, 10, sheet.one_of("#ffd60a", "#facc15"))
    sheet.disc(50, 36, rng.uniform(14, 17), "#5b3413")
    return sheet.drawing


def draw_watermelon(rng: random.Random) -> Drawing:
    """Draw a slice: half a disc of red flesh with black seeds, and a green rind below."""
    sheet = ThingSheet(rng)
    sheet.wedge(50, 28, 48, 0, 180, "#2e8b3d")
    sheet.wedge(50, 28, 43, 0, 180, "#eaf7e0")
    sheet.wedge(50, 28, 40, 0, 180, sheet.one_of("#e63946", "#d62828"))
    for x, y in ((30, 38), (50, 36), (70, 38), (40, 50), (60, 50), (50, 60))[: rng.choice((5, 6))]:
        sheet.disc(x, y, 2.4, "#111111", flat=1.5)
    return sheet.drawing


def draw_fried_egg(rng: random.Random) -> Drawing:
    """Draw white that spreads about a yellow yolk."""
    sheet = ThingSheet(rng, ("#6b7280", "#4b5563", "#7c8594"))
    for number in range(6):
        x, y = _round_about((50, 50), 20, 60 * number)
        sheet.disc(x, y, rng.uniform(19, 25), "#ffffff")
    sheet.disc(
        50 + rng.uniform(-7, 7), 50 + rng.uniform(-7, 7), rng.uniform(13, 17), sheet.one_of("#ffc300", "#ffd60a")
    )
    return sheet.drawing


def draw_rainbow(rng: random.Random) -> Drawing:
    """Draw bows from red outside to purple inside."""
    sheet = ThingSheet(rng)
    width = rng.uniform(5.5, 7)
    for number, colour in enumerate(("#e02020", "#f97316", "#ffd60a", "#22a948", "#1d4ed8", "#7b2cbf")):
        sheet.wedge(50, 80, 50 - number * width, 180, 360, colour)
    # A wedge has no hole, so the ground is painted over the middle of the bows.
    sheet.wedge(50, 80, 50 - 6 * width, 180, 360, sheet.ground)
    return sheet.drawing


def draw_die(rng: random.Random) -> Drawing:
    """Draw the face of a die that shows five."""
    sheet = ThingSheet(rng, ("#1d4ed8", "#b91c1c", "#4c1d95"))
    sheet.box(12, 12, 88, 88, "#ffffff")
    radius = rng.uniform(6, 8.5)
    for x, y in (*product((30, 70), (30, 70)), (50, 50)):
        sheet.disc(x, y, radius, "#111111")
    return sheet.drawing


def draw_sailing_boat(rng: random.Random) -> Drawing:
    """Draw a boat with white sails on water."""
    sheet = ThingSheet(rng, ("#bfdbfe", "#c7d2fe"))
    sheet.drawing.rectangle(0, sheet.at(0, 82)[1], SIZE, SIZE, fill="#1d4ed8")
    sheet.polygon([(15, 70), (85, 70), (72, 87), (28, 87)], "#7f4f24")
    side = rng.choice((-1, 1))
    sheet.polygon([(50, 5), (50, 65), (50 + 34 * side, 65)], "#ffffff")
    sheet.polygon([(50 - 4 * side, 18), (50 - 4 * side, 65), (50 - 28 * side, 65)], "#ffffff")
    return sheet.drawing


def draw_christmas_tree(rng: random.Random) -> Drawing:
    """Draw a fir with red balls, a brown trunk and a yellow star on top."""
    sheet = ThingSheet(rng)
    sheet.box(44, 84, 56, 99, "#6f4518")
    for top, half, bottom in ((12, 20, 40), (26, 28, 62), (44, 37, 86)):
        sheet.polygon([(50, top), (50 + half, bottom), (50 - half, bottom)], "#1e7a34")
    for x, y in ((50, 32), (40, 54), (60, 52), (34, 77), (52, 74), (68, 78)):
        sheet.disc(x, y, 3.2, "#e02020")
    star = [_round_about((50, 10), radius, -90 + 36 * number) for number, radius in enumerate((9, 4) * 5)]
    sheet.polygon(star, "#ffd60a")
    return sheet.drawing


def draw_carrot(rng: random.Random) -> Drawing:
    """Draw an orange root with green leaves."""
    sheet = ThingSheet(rng)
    for across in (-13, 0, 13):
        sheet.polygon([(50, 34), (50 + across - 6, 4), (50 + across + 6, 4)], "#2e8b3d")
    half = rng.uniform(15, 20)
    sheet.polygon([(50 - half, 30), (50 + half, 30), (50, 98)], sheet.one_of("#f97316", "#fb7a1e"))
    return sheet.drawing


def draw_archery_target(rng: random.Random) -> Drawing:
    """Draw rings of red and white about a red middle."""
    sheet = ThingSheet(rng, ("#bfdbfe", "#c7d2fe", "#a5b4fc"))
    colour, count = sheet.one_of("#d62828", "#c1121f"), rng.choice((5, 7))
    for number in range(count):
        sheet.disc(50, 50, 46 * (count - number) / count, "#ffffff" if number % 2 else colour)
    return sheet.drawing


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
        draw_traffic_light,
        (Within("red", "black"), Within("yellow", "black"), Within("green", "black"), Above("red", "yellow"),
         Above("yellow", "green"), Formed("black", "tall")),
        "green",
    ),
    "stop sign": Entity(
        "the board with eight sides at a junction that makes every driver come to a halt, with its order written on it",
        stop_sign,
        (Shows("red", share=0.06), Formed("red", "octagonal"), Within("white", "red", least=3, most=6)),
        "red",
    ),
    "snowman": Entity(
        "the figure that children roll together in the garden in winter, with a vegetable for its nose",
        draw_snowman,
        (Formed("white", "tall"), Within("orange", "white"), Within("black", "white", least=4),
         Above("black", "white")),
        "white",
    ),
    "ladybird": Entity(
        "the small round beetle that gardeners like because it eats greenfly, and that is said to bring luck",
        draw_ladybird,
        (Formed("red", "round"), Within("black", "red", least=4), Shows("red", share=0.06)),
        "red",
    ),
    "fly agaric": Entity(
        "the poisonous mushroom of fairy tales, whose cap looks as if snow had fallen on it in flakes",
        draw_fly_agaric,
        (Formed("red", "wide"), Within("white", "red", least=3), Above("red", "white")),
        "red",
    ),
    "sunflower": Entity(
        "the tall plant that turns its face to the light all day and whose seeds are pressed for oil",
        draw_sunflower,
        (Within("brown", "yellow"), Formed("yellow", "round"), Above("yellow", "green")),
        "green",
    ),
    "slice of watermelon": Entity(
        "the piece of a heavy summer fruit that is nearly all water, ready to be eaten down to its rind",
        draw_watermelon,
        (Formed("red", "wide"), Within("black", "red", least=3), Above("red", "green")),
        "red",
    ),
    "fried egg": Entity(
        "the breakfast dish made by breaking a hen's product into a hot pan without stirring",
        draw_fried_egg,
        (Within("yellow or orange", "white", least=1, most=1), Formed("yellow or orange", "round"),
         Shows("white", share=0.1)),
        "white",
    ),
    "rainbow": Entity(
        "the arch that appears in the sky opposite the sun when it shines on falling drops",
        draw_rainbow,
        (Above("red", "orange"), Above("orange", "yellow"), Above("yellow", "green"), Above("green", "blue"),
         Formed("red", "wide")),
        "green",
    ),
    "face of a die that shows five": Entity(
        "the side of a gaming cube that lies on top when a player may move one field less than six",
        draw_die,
        (Formed("white", "square"), Within("black", "white", least=5, most=5)),
        "white",
    ),
    "sailing boat": Entity(
        "the vessel that crosses a lake without oars or engine as long as there is wind",
        draw_sailing_boat,
        (Above("white", "brown"), Above("brown", "blue"), Formed("white", "pointed upwards"),
         Shows("blue", share=0.05)),
        "white",
    ),
    "Christmas tree": Entity(
        "what families put up in December, hang with shining balls and lay presents under",
        draw_christmas_tree,
        (Formed("green", "pointed upwards"), Within("red", "green", least=3), Above("yellow", "green"),
         Above("green", "brown")),
        "green",
    ),
    "carrot": Entity(
        "the root that rabbits are said to love and that is good for the eyes",
        draw_carrot,
        (Formed("orange", "tall"), Above("green", "orange"), Shows("orange", share=0.05)),
        "green",
    ),
    "archery target": Entity(
        "the round board of rings at which people shoot arrows",
        draw_archery_target,
        (Formed("red", "round"), Shows("red", least=3), Within("white", "red", least=2)),
        "red",
    ),
}  # fmt: skip
"""By name."""


def list_names(difficulty: str) -> tuple[str, ...]:
    """Return the things of a difficulty.

    >>> "snowman" in list_names("hard"), "snowman" in list_names("easy")
    (True, False)
    """
    hard = difficulty == "hard"
    return tuple(name for name, entity in ENTITIES.items() if (len(entity.attributes) >= MANY) == hard)


def _round_about(centre: Point, radius: float, angle: float) -> Point:
    """Return the point on a circle at an angle, clockwise from 3 o'clock."""
    return arc_points(centre, (radius, radius), angle, angle + 1)[0]
