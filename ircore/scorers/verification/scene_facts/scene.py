"""All facts of a scene, of every category."""

from collections.abc import Callable, Iterator

from ircore.core.records import Scene
from ircore.scorers.verification.scene_facts import axes, charts, figures, lines, shapes
from ircore.scorers.verification.scene_facts.records import Fact, Mark

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
    **dict.fromkeys(axes.TEXTS, axes.text_facts),
}
COUNTED = {
    "bar": "bars", "wedge": "wedges", "line": "lines", "curve": "curves", "shape": "shapes", "segment": "lines",
    "point": "dots", "polygon": "polygons", "circle": "circles",
}  # fmt: skip
"""Kinds whose number is a fact, in the plural."""


def marks_of(scene: Scene) -> list[Mark]:
    """Return the marks of a scene, the things that a person would list, marks that carry data first."""
    return [
        *charts.bar_marks(scene),
        *charts.wedge_marks(scene),
        *lines.line_marks(scene),
        *lines.curve_marks(scene),
        *lines.detail_marks(scene),
        *figures.figure_marks(scene),
        *shapes.shape_marks(scene),
        *axes.text_marks(scene),
        *axes.grouped_marks(scene),
        *axes.background_mark(scene),
    ]


def facts_of(scene: Scene) -> list[Fact]:
    """Return all facts of a target, each with part, weight, tolerance and sentence.

    Args:
        scene: Of a target; of the six drawn categories, or of any other that uses their types of elements.

    Returns:
        Facts, those of marks that carry data first; none for elements of types that nobody knows.
    """
    marks = marks_of(scene)
    facts = [fact for mark in marks for fact in _facts_of_mark(scene, mark)]
    return [*facts, *shapes.relation_facts(scene, marks), *_counts(marks)]


def _facts_of_mark(scene: Scene, mark: Mark) -> Iterator[Fact]:
    if mark.kind == "area":
        return (figures.figure_facts if figures.is_figure(scene) else lines.area_facts)(scene, mark)
    return _FACTS.get(mark.kind, figures.figure_facts)(scene, mark)


def _counts(marks: list[Mark]) -> Iterator[Fact]:
    for kind, plural in COUNTED.items():
        number = sum(mark.kind == kind for mark in marks)
        if number:
            words = f"there is 1 {plural[:-1]}" if number == 1 else f"there are {number} {plural}"
            sentence = f"{words[0].upper()}{words[1:]}."
            yield Fact(f"count/{kind}", kind, kind, "count", "count", number, 0, 1.0, sentence)
