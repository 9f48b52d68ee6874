"""All facts of a scene, of every category."""

from collections.abc import Callable, Iterator

from ircore.core.records import Scene
from ircore.instances.readable_scenes import readable_scene
from ircore.scorers.verification.scene_facts import axes, charts, figures, lines, other_kinds, shapes
from ircore.scorers.verification.scene_facts.records import Fact, Mark
from ircore.scorers.verification.scene_facts.weights import weighed

_FACTS: dict[str, Callable[[Scene, Mark], Iterator[Fact]]] = {
    "bar": charts.bar_facts,
    "pie": charts.pie_facts,
    "wedge": charts.wedge_facts,
    "line": lines.line_facts,
    "curve": lines.curve_facts,
    "dot": lines.dot_facts,
    "asymptote": lines.asymptote_facts,
    "shape": shapes.shape_facts,
    "ground": shapes.ground_facts,
    "background": axes.background_facts,
    **dict.fromkeys(axes.GROUP_WEIGHTS, axes.group_facts),
}
COUNTED = {
    "bar": "bars", "wedge": "wedges", "line": "lines", "curve": "curves", "shape": "shapes", "segment": "lines",
    "point": "dots", "polygon": "polygons", "circle": "circles",
}  # fmt: skip
"""Kinds whose number is a fact, in the plural."""


def marks_of(scene: Scene) -> list[Mark]:
    """Return the marks of a scene, the things that a person would list, marks that carry data first."""
    scene = readable_scene(scene)
    known = [
        *charts.bar_marks(scene),
        *charts.wedge_marks(scene),
        *lines.line_marks(scene),
        *lines.curve_marks(scene),
        *lines.detail_marks(scene),
        *figures.figure_marks(scene),
        *shapes.shape_marks(scene),
    ]
    texts, others = axes.text_marks(scene), [*axes.grouped_marks(scene), *axes.background_mark(scene)]
    return [*known, *other_kinds.other_marks(scene, [*known, *texts, *others]), *texts, *others]


def facts_of(scene: Scene) -> list[Fact]:
    """Return all facts of a target, each with part, weight, tolerance and sentence.

    Args:
        scene: Of a target of any category; of elements of types that this project does not know, and of those that
            lack what their type defines, the facts are presence, colour, place and text.

    Returns:
        Facts, those of marks that carry data first; their weights add up to 100, see ``weights``.
    """
    scene = readable_scene(scene)
    marks = marks_of(scene)
    facts = [fact for mark in marks for fact in _facts_of_mark(scene, mark)]
    return weighed([*facts, *shapes.relation_facts(scene, marks), *_counts(marks)])


def _facts_of_mark(scene: Scene, mark: Mark) -> Iterator[Fact]:
    if mark.form == "text":
        return axes.text_facts(scene, mark)
    if mark.form == "other":
        return other_kinds.other_facts(scene, mark)
    if mark.kind == "area":
        return (figures.figure_facts if figures.is_figure(scene) else lines.area_facts)(scene, mark)
    return _FACTS.get(mark.kind, figures.figure_facts)(scene, mark)


def _counts(marks: list[Mark]) -> Iterator[Fact]:
    kinds = [mark.kind for mark in marks if mark.form not in ("text", "other")]
    for kind, plural in COUNTED.items():
        number = kinds.count(kind)
        if number:
            words = f"there is 1 {plural[:-1]}" if number == 1 else f"there are {number} {plural}"
            sentence = f"{words[0].upper()}{words[1:]}."
            yield Fact(f"count/{kind}", kind, kind, "count", "count", number, 0, 1.0, sentence)
