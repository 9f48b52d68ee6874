"""False sentences about a target, each made from a fact that is true of it: another colour, number, word or relation.

A judge that is asked only true sentences is right whenever it says yes; false ones among them show whether it looks.
No sentence here is true of the target by accident: where that cannot be ruled out, none is made.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random

from ircore.core import exact
from ircore.core.records import Element, Scene
from ircore.scorers.verification.eye.look import fold_text
from ircore.scorers.verification.eye.view import measure_delta_e2000
from ircore.scorers.verification.scene_facts import Fact
from ircore.scorers.verification.scene_facts.records import describe_colour, format_number
from ircore.scorers.verification.scene_facts.shapes import RELATIONS
from ircore.seeing.colours import name_colour

OTHER_COLOURS = ("#d62728", "#1f77b4", "#2ca02c", "#ffd400", "#9467bd", "#ff7f0e", "#111111", "#ffffff", "#8c564b")
"""Colours for a target whose own are all alike."""

CLEARLY_OTHER = 25.0
"""ΔE2000 from the true colour from which a colour is certainly another one."""

OTHER_WORDS = ("Harbour", "Walnut", "Lantern", "Glacier", "Saddle", "Orchid", "Copper", "Meadow", "Violin", "Basalt")
"""Words for a mark that is not there."""

FAR = 0.25
"""Share of the picture's width from which a thing is certainly somewhere else."""

FAMILIES = (
    {"circle", "ellipse", "ring", "octagon", "hexagon", "half_circle", "quarter_circle"},
    {"square", "rectangle", "diamond", "trapezoid", "parallelogram"},
    {"triangle", "right_triangle", "arrow"},
    {"star"},
)
"""Shapes that a hasty look may take for one another; another kind is of another family. The first is the plainest."""
PLAINEST = ("circle", "square", "triangle", "star")

_QUOTED = re.compile(r'"([^"]+)"')
_PLACE = re.compile(r"at (\d+) % from the left and (\d+) % from the top")
_NUMBER = re.compile(r"(?<![\w.#-])-?\d+(?:\.\d+)?(?![\w.]*\d)")


@dataclass(frozen=True)
class FalseFact:
    """A false sentence and the true fact that it was made from."""

    fact: int
    """Place of the true fact in the list of facts, from 0."""

    sentence: str


def make_false_facts(scene: Scene, facts: Sequence[Fact], random: Random) -> Iterator[FalseFact]:
    """Yield a false sentence for each fact that one can be made from, at most one a fact.

    Args:
        scene: What the target shows.
        facts: Its facts (``list_facts``).
        random: Chooses colours, numbers and words.
    """
    target = _Target(scene, facts)
    true = {fold_text(fact.sentence) for fact in facts}
    for place, fact in enumerate(facts):
        make = _MAKERS.get(fact.attribute)
        sentence = make(target, fact, random) if make is not None else None
        if sentence is not None and fold_text(sentence) not in true:
            yield FalseFact(place, sentence)


@dataclass(frozen=True)
class _Target:
    scene: Scene
    facts: Sequence[Fact]

    @cached_property
    def colours(self) -> list[str]:
        """Colours of the marks, each once."""
        return list(dict.fromkeys(str(fact.expected) for fact in self.facts if fact.attribute == "colour"))

    @cached_property
    def words(self) -> list[str]:
        """Texts of the target, each once."""
        return list(dict.fromkeys(element.text for element in self.scene.elements if element.text))

    def saying(self, word: str) -> list[Element]:
        """Return the elements whose text is a word."""
        return [element for element in self.scene.elements if fold_text(element.text or "") == fold_text(word)]

    def middle(self, element: Element) -> tuple[float, float]:
        """Return where an element lies, in shares of the picture."""
        box = element.box
        return (box.left + box.right) / 2 / self.scene.width, (box.top + box.bottom) / 2 / self.scene.height

    def reaches(self, element: Element, place: tuple[float, float]) -> bool:
        """Return whether an element covers a place, in shares of the picture, or has its middle near it."""
        x, y = place[0] * self.scene.width, place[1] * self.scene.height
        inside = element.box.left <= x <= element.box.right and element.box.top <= y <= element.box.bottom
        return inside or exact.dist(self.middle(element), place) < FAR


def _falsify_colour(target: _Target, fact: Fact, random: Random) -> str | None:
    words = describe_colour(str(fact.expected))
    name = name_colour(str(fact.expected))
    others = [
        [
            colour
            for colour in colours
            if measure_delta_e2000(colour, str(fact.expected)) >= CLEARLY_OTHER and name_colour(colour) != name
        ]
        for colours in (target.colours, OTHER_COLOURS)
    ]
    chosen = others[0] or others[1]
    if fact.sentence.count(words) != 1 or not chosen:
        return None
    return fact.sentence.replace(words, describe_colour(random.choice(chosen)))


def _falsify_text(target: _Target, fact: Fact, random: Random) -> str | None:
    """Exchange the wording for that of a label far away, or for a word that the target does not have."""
    word = str(fact.expected)
    if fact.sentence.count(f'"{word}"') != 1:
        return None
    own = [target.middle(element) for element in target.saying(word)]
    others = [
        other
        for other in target.words
        if fold_text(other) != fold_text(word)
        and all(
            exact.dist(target.middle(element), place) >= FAR for element in target.saying(other) for place in own
        )
    ]  # fmt: skip
    return fact.sentence.replace(f'"{word}"', f'"{random.choice(others or _list_unused_words(target))}"')


def _list_unused_words(target: _Target) -> list[str]:
    """Return words that stand nowhere in the target."""
    names = " ".join([*target.words, *(fact.sentence for fact in target.facts)]).casefold()
    return [word for word in OTHER_WORDS if word.casefold() not in names]


def _falsify_presence(target: _Target, fact: Fact, random: Random) -> str | None:
    """State a mark that is not there: of another name, or at another place."""
    quoted = _QUOTED.findall(fact.sentence)
    if fact.kind == "axis" and (ends := re.search(r"runs from (-?[\d.]+) to (-?[\d.]+?)\.?$", fact.sentence)):
        low, high = float(ends[1]), float(ends[2])
        return fact.sentence.replace(f"to {ends[2]}", f"to {format_number(high + 1.5 * (high - low))}")
    if len(quoted) == 1:
        return fact.sentence.replace(f'"{quoted[0]}"', f'"{random.choice(_list_unused_words(target))}"')
    return _falsify_place(target, fact, random)


def _falsify_place(target: _Target, fact: Fact, random: Random) -> str | None:
    """Move a thing to a place that is far from everything that could be taken for it."""
    places = _PLACE.findall(fact.sentence)
    quoted = _QUOTED.findall(fact.sentence)
    rivals = target.saying(quoted[0]) if quoted else _find_similar_elements(target, fact.kind)
    if len(places) != 1 or not rivals:
        return None
    grid = [(x / 10, y / 10) for x in range(1, 10) for y in range(1, 10)]
    free = [place for place in grid if not any(target.reaches(element, place) for element in rivals)]
    if not free:
        return None
    x, y = random.choice(free)
    new = f"at {round(100 * x)} % from the left and {round(100 * y)} % from the top"
    return _PLACE.sub(new, fact.sentence)


def _find_similar_elements(target: _Target, kind: str) -> list[Element]:
    """Return the elements that a mark of a kind may be taken for; none where their middles do not tell their place."""
    if kind in {"segment", "polygon", "area", "arc", "line", "curve", "pie"}:
        return []
    if kind == "shape":
        return [element for element in target.scene.elements if "centre" in element.parameters]
    return [element for element in target.scene.elements if element.type == kind]


def _falsify_number(_: _Target, fact: Fact, random: Random) -> str | None:
    """Change the value so far that no reading of the figure can take one for the other."""
    if not isinstance(fact.expected, (int, float)):
        return None
    if "without a hole" in fact.sentence:
        return "The pie is a ring; its hole is 50 % of it wide."
    if "hole is" in fact.sentence:
        return "The pie is a full disc, without a hole."
    true = float(fact.expected)
    outside = _QUOTED.sub(lambda quoted: "_" * len(quoted[0]), fact.sentence)
    written = {format_number(true), format_number(round(true, 2))}
    spans = [match.span() for match in _NUMBER.finditer(outside) if match[0] in written]
    # A number that stands there twice, such as that of the series, may not be the value.
    if len(spans) != 1:
        return None
    off = max(6 * (fact.tolerance or 0), 0.4 * abs(true), 1.0)
    signs = [1] if true >= 0 and true - off < 0 else [-1, 1]
    value = true + random.choice(signs) * off
    if fact.kind == "wedge":
        value = true + 25 if true < 50 else true - 25
    (start, end), digits = spans[0], 0 if true == round(true) else 2
    return f"{fact.sentence[:start]}{format_number(round(value, digits))}{fact.sentence[end:]}"


def _falsify_size(_: _Target, fact: Fact, __: Random) -> str | None:
    match = re.search(r"(\d+) % of the picture", fact.sentence)
    if match is None:
        return None
    wide = int(match[1])
    # Twice as large, or half where that would not fit into the picture.
    other = 2 * wide if wide <= 45 else wide // 2
    return fact.sentence.replace(match[0], f"{other} % of the picture")


def _falsify_angle(_: _Target, fact: Fact, random: Random) -> str | None:
    if clock := re.search(r"([\d.]+) o'clock", fact.sentence):
        hour = (float(clock[1]) + random.choice([3, 4, 5, 6, 7, 8, 9]) - 1) % 12 + 1
        return fact.sentence.replace(clock[0], f"{format_number(round(hour, 1))} o'clock")
    turn = re.search(r"(-?[\d.]+)°", fact.sentence)
    period = float(fact.details.get("period", 360))
    # Half a turn of the shape is as far as it can be off.
    if turn is None or period < 45:
        return None
    off = period / 2 if "period" in fact.details else 50
    return fact.sentence.replace(turn[0], f"{format_number((float(turn[1]) + off) % period)}°")


def _falsify_shape(target: _Target, fact: Fact, random: Random) -> str | None:
    true = str(fact.expected)
    ending = re.search(rf" is an? {true.replace('_', ' ')}\.$", fact.sentence)
    present = {element.type for element in target.scene.elements}
    # A shape behind or in front of it may be of the other kind.
    kinds = [
        kind
        for kind, family in zip(PLAINEST, FAMILIES, strict=True)
        if true not in family and not family & present
    ]  # fmt: skip
    return fact.sentence[: ending.start()] + f" is a {random.choice(kinds)}." if ending and kinds else None


def _falsify_count(_: _Target, fact: Fact, random: Random) -> str | None:
    match = re.fullmatch(r"There (?:is|are) (\d+) (\w+?)s?\.", fact.sentence)
    # Whether the sides of a polygon are lines, people count differently.
    if match is None or fact.kind == "segment":
        return None
    count = int(fact.expected)
    other = count + random.choice([2, 3] if count < 4 else [-2, 2, 3])
    return f"There are {other} {match[2]}s."


def _falsify_relation(_: _Target, fact: Fact, __: Random) -> str | None:
    opposites = {"left_of": "right_of", "right_of": "left_of", "above": "below", "below": "above"}
    if fact.expected not in opposites:
        return None
    words, other = f" lies {RELATIONS[fact.expected]} ", f" lies {RELATIONS[opposites[fact.expected]]} "
    return fact.sentence.replace(words, other) if fact.sentence.count(words) == 1 else None


def _build_phrase_swapper(*pairs: tuple[str, str]) -> Callable[[_Target, Fact, Random], str | None]:
    """Return a maker that exchanges the end of a sentence for its opposite."""

    def make(_: _Target, fact: Fact, __: Random) -> str | None:
        for word, other in (*pairs, *(pair[::-1] for pair in pairs)):
            if fact.sentence.endswith(f" {word}."):
                return f"{fact.sentence.removesuffix(f'{word}.')}{other}."
        return None

    return make


def _falsify_markers(_: _Target, fact: Fact, __: Random) -> str | None:
    if match := re.search(r" has a \w+ at each of its points\.$", fact.sentence):
        return f"{fact.sentence[: match.start()]} has no markers."
    return fact.sentence.replace(" has no markers.", " has a circle at each of its points.")


_MAKERS: dict[str, Callable[[_Target, Fact, Random], str | None]] = {
    "presence": _falsify_presence,
    "text": _falsify_text,
    "colour": _falsify_colour,
    "outline": _falsify_colour,
    "value": _falsify_number,
    "size": _falsify_size,
    "angle": _falsify_angle,
    "place": _falsify_place,
    "shape": _falsify_shape,
    "count": _falsify_count,
    "relation": _falsify_relation,
    "line_style": _build_phrase_swapper(("solid", "dashed")),
    "fill": _build_phrase_swapper(("hollow: an outline only", "filled"), ("hollow", "filled")),
    "markers": _falsify_markers,
}
