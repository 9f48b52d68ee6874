"""The facts of a scene of any category, each with part, weight, tolerance and a sentence in plain English.

The facts of a scene together weigh 100. What they weigh beside each other within a share is stated where they are drawn
up; here each share is brought to its size, the same whatever the number of labels or bars.

Of elements of kinds that this project does not draw, such as those of a category from a plug-in, the program knows what
every element states: that it is there, its colour, its place, its text. The same goes for an element of a known type
that lacks what the type defines, see ``ircore.instances.scene_percepts``.
"""

from collections import OrderedDict
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import replace
from math import fsum
from typing import Literal

from ircore.core.records import Scene
from ircore.instances.scene_percepts import complete_scene
from ircore.scorers.verification.scene_facts import charts, shapes
from ircore.scorers.verification.scene_facts.charts import GROUP_WEIGHTS, compute_middle
from ircore.scorers.verification.scene_facts.records import (
    PARTS,
    Fact,
    Mark,
    Part,
    build_fact,
    describe_colour,
    describe_place,
)

__all__ = [
    "COLOURS",
    "GROUNDS",
    "PARTS",
    "SHARES",
    "Fact",
    "Mark",
    "Part",
    "Share",
    "find_share",
    "list_facts",
    "list_marks",
    "weigh_facts",
]  # fmt: skip

PLACE = 0.05
"""Share of the picture's width by which an element's middle may be off its place."""

REMEMBERED = 256
"""Scenes whose facts are kept: every run of a set, and every rendering of a target, asks for the same ones."""

_remembered: "OrderedDict[str, tuple[Fact, ...]]" = OrderedDict()
"""Facts by the scene as JSON."""

UNMARKED = {"patch", "arrow_head", "background"}
"""Types without a mark of their own: parts of other things, and areas of the ground."""


def list_other_marks(scene: Scene, marks: Sequence[Mark]) -> list[Mark]:
    """Return a mark for each element that has none and is neither a part of something else nor of the ground.

    Args:
        scene: What a target shows.
        marks: Of the kinds that this project knows, and of texts.
    """
    covered = {index for mark in marks for index in mark.elements}
    keys = {mark.key for mark in marks}
    others: list[Mark] = []
    for index, element in enumerate(scene.elements):
        if index in covered or element.type in UNMARKED:
            continue
        number = 1
        while (key := f"{element.type}-{number}") in keys:
            number += 1
        keys.add(key)
        words = element.type.replace("_", " ")
        others.append(Mark(key, element.type, "other", f"the {words} {describe_place(scene, element)}", (index,)))
    return others


def list_other_facts(scene: Scene, mark: Mark) -> Iterator[Fact]:
    """Yield presence, colour and place of an element of which no more is known."""
    element = scene.elements[mark.elements[0]]
    weight = scene.kinds.get(element.type, 1.0)
    yield build_fact(mark, "presence", True, weight, f"{mark.name} is there.")
    if element.colour is not None:
        yield build_fact(
            mark, "colour", element.colour, weight / 2, f"{mark.name} is {describe_colour(element.colour)}."
        )
    at = [compute_middle(element.box, axis) for axis in "xy"]
    yield build_fact(mark, "place", at, weight / 2, f"{mark.name} has its middle there.", PLACE * scene.width)


Share = Literal["data", "data colours", "writing", "frame", "ground"]

SHARES: Mapping[Share, float] = {"data": 52, "data colours": 16, "writing": 22, "frame": 6, "ground": 4}
"""Weight of each share: what marks that carry data show, and their colours; all labels; axes, grids, frames and tick
marks; the colours of the ground. Where a scene lacks a share, the others grow in proportion."""

COLOURS = frozenset({"colour", "outline"})
"""Attributes that are colours."""

GROUNDS = frozenset({"background", "ground", "panel"})
"""Kinds of marks on which everything else is drawn."""


def find_share(fact: Fact, written: Container[str]) -> Share:
    """Return the share of the whole in which a fact counts.

    Args:
        fact: Of a scene.
        written: Keys of the scene's marks that are texts.
    """
    if fact.mark in written:
        return "writing"
    if fact.kind in GROUNDS or fact.kind in GROUP_WEIGHTS:
        return "ground" if fact.attribute in COLOURS else "frame"
    return "data colours" if fact.attribute in COLOURS else "data"


def weigh_facts(facts: Sequence[Fact], unasked: Container[str] = ()) -> list[Fact]:
    """Return facts with weights that add up to 100, each share at its size.

    Args:
        facts: Of one scene; their weights count within a share.
        unasked: Keys of facts that are not asked of renderings; their weight becomes 0.
    """
    written = {fact.mark for fact in facts if fact.attribute == "text"}
    sums: dict[Share, float] = {}
    for share in SHARES:
        own = [fact.weight for fact in facts if find_share(fact, written) == share and fact.key not in unasked]
        if own:
            sums[share] = fsum(own)
    whole = fsum(SHARES[share] for share in sums)
    factors = {share: 100 * SHARES[share] / whole / own for share, own in sums.items()}
    return [
        replace(
            fact,
            weight=0.0 if fact.key in unasked else round(fact.weight * factors[find_share(fact, written)], 6),
        )
        for fact in facts
    ]  # fmt: skip


_FACTS: dict[str, Callable[[Scene, Mark], Iterator[Fact]]] = {
    "bar": charts.list_bar_facts,
    "pie": charts.list_pie_facts,
    "wedge": charts.list_wedge_facts,
    "line": charts.list_line_facts,
    "curve": charts.list_curve_facts,
    "dot": charts.list_dot_facts,
    "asymptote": charts.list_asymptote_facts,
    "shape": shapes.shape_facts,
    "ground": shapes.list_ground_facts,
    "background": charts.list_background_facts,
    **dict.fromkeys(charts.GROUP_WEIGHTS, charts.group_facts),
}
COUNTED = {
    "bar": "bars", "wedge": "wedges", "line": "lines", "curve": "curves", "shape": "shapes", "segment": "lines",
    "point": "dots", "polygon": "polygons", "circle": "circles",
}  # fmt: skip
"""Kinds whose number is a fact, in the plural."""


def list_marks(scene: Scene) -> list[Mark]:
    """Return the marks of a scene, the things that a person would list, marks that carry data first."""
    scene = complete_scene(scene)
    known = [
        *charts.list_bar_marks(scene),
        *charts.list_wedge_marks(scene),
        *charts.list_line_marks(scene),
        *charts.list_curve_marks(scene),
        *charts.list_detail_marks(scene),
        *shapes.list_figure_marks(scene),
        *shapes.shape_marks(scene),
    ]
    texts, others = (
        charts.list_text_marks(scene),
        [*charts.list_grouped_marks(scene), *charts.build_background_mark(scene)],
    )
    return [*known, *list_other_marks(scene, [*known, *texts, *others]), *texts, *others]


def list_facts(scene: Scene) -> list[Fact]:
    """Return all facts of a target, each with part, weight, tolerance and sentence.

    Args:
        scene: Of a target of any category; of elements of types that this project does not know, and of those that
            lack what their type defines, the facts are presence, colour, place and text.

    Returns:
        Facts, those of marks that carry data first; their weights add up to 100, see ``weights``.
    """
    key = scene.model_dump_json()
    facts = _remembered.get(key)
    if facts is None:
        facts = _remembered[key] = tuple(_draw_up_facts(scene))
        while len(_remembered) > REMEMBERED:
            _remembered.popitem(last=False)
    return list(facts)


def _draw_up_facts(scene: Scene) -> list[Fact]:
    scene = complete_scene(scene)
    marks = list_marks(scene)
    facts = [fact for mark in marks for fact in _list_facts_of_mark(scene, mark)]
    return weigh_facts([*facts, *shapes.list_relation_facts(scene, marks), *_count_facts(marks)])


def _list_facts_of_mark(scene: Scene, mark: Mark) -> Iterator[Fact]:
    if mark.form == "text":
        return charts.list_text_facts(scene, mark)
    if mark.form == "other":
        return list_other_facts(scene, mark)
    if mark.kind == "area":
        return (shapes.list_figure_facts if shapes.is_figure(scene) else charts.list_area_facts)(scene, mark)
    return _FACTS.get(mark.kind, shapes.list_figure_facts)(scene, mark)


def _count_facts(marks: list[Mark]) -> Iterator[Fact]:
    kinds = [mark.kind for mark in marks if mark.form not in ("text", "other")]
    for kind, plural in COUNTED.items():
        number = kinds.count(kind)
        if number:
            words = f"there is 1 {plural[:-1]}" if number == 1 else f"there are {number} {plural}"
            sentence = f"{words[0].upper()}{words[1:]}."
            yield Fact(f"count/{kind}", kind, kind, "count", "count", number, 0, 1.0, sentence)
