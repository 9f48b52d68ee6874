"""The nouns: which words name which kind of thing."""

import re

KINDS: dict[str, str] = {
    "circle": "circle", "disc": "circle", "disk": "circle", "dot": "dot", "spot": "dot", "ball": "circle",
    "point": "dot", "bullet": "dot", "blob": "circle", "sphere": "circle", "sun": "circle", "moon": "circle",
    "marker": "dot", "roundel": "circle",
    "ellipse": "ellipse", "oval": "ellipse",
    "donut": "ring", "doughnut": "ring", "ring": "ring", "annulus": "ring",
    "square": "square", "rectangle": "rectangle", "rect": "rectangle", "box": "rectangle", "block": "rectangle",
    "panel": "rectangle", "strip": "rectangle", "band": "rectangle", "stripe": "rectangle", "frame": "rectangle",
    "triangle": "triangle", "polygon": "polygon", "quadrilateral": "polygon", "quadrangle": "polygon",
    "trapezoid": "trapezoid", "trapezium": "trapezoid", "parallelogram": "parallelogram", "rhombus": "diamond",
    "diamond": "diamond", "kite": "diamond", "star": "star", "asterisk": "star", "pentagon": "pentagon",
    "hexagon": "hexagon", "heptagon": "heptagon", "octagon": "octagon", "cross": "cross", "plus sign": "cross",
    "plus": "cross", "heart": "heart", "semicircle": "semicircle", "half circle": "semicircle",
    "semi circle": "semicircle", "half disc": "semicircle", "arrow": "arrow", "line segment": "line", "line": "line",
    "segment": "line", "stroke": "line", "edge line": "line", "dashes": "line",
    "curve": "curve", "graph": "curve", "wave": "curve", "parabola": "curve", "arc": "arc", "polyline": "polyline",
    "zigzag": "polyline", "broken line": "polyline", "path": "polyline", "chain": "polyline",
    "text": "text", "label": "text", "letter": "text", "word": "text", "number": "text", "caption": "text",
    "title": "text", "digit": "text", "writing": "text",
    "bar": "bar", "column": "bar", "wedge": "wedge", "slice": "wedge", "sector": "wedge", "pie chart": "pie",
    "pie": "pie", "donut chart": "pie", "ring chart": "pie", "x axis": "x axis", "y axis": "y axis",
    "horizontal axis": "x axis", "vertical axis": "y axis", "axis": "axis", "tick mark": "tick", "tick": "tick",
    "tick label": "text", "axis label": "text", "grid line": "grid", "gridline": "grid", "grid": "grid",
    "line graph": "any", "line chart": "any", "bar chart": "any", "bar graph": "any",
    "shape": "any", "object": "any", "figure": "any", "thing": "any", "item": "any", "element": "any",
}  # fmt: skip
"""Noun in the singular → kind. ``any`` is for references only."""

_PLURALS = {"axis": "axes", "box": "boxes", "ellipse": "ellipses", "rhombus": "rhombuses", "cross": "crosses",
    "annulus": "annuli", "plus": "pluses", "dashes": "dashes"}  # fmt: skip


def _plural(noun: str) -> str:
    head, _, last = noun.rpartition(" ")
    return f"{head} {_PLURALS.get(last, last + 's')}".strip()


_WORDS = {**{_plural(noun): kind for noun, kind in KINDS.items()}, **KINDS}
NOUN = re.compile(rf"\b({'|'.join(sorted(_WORDS, key=len, reverse=True))})\b")
"""A noun of the lexicon, singular or plural."""

ALIKE = (
    {"circle", "ellipse", "dot", "ring", "semicircle"},
    {"square", "rectangle", "bar", "trapezoid", "parallelogram", "diamond", "polygon"},
    {"triangle", "polygon"},
    {"pentagon", "hexagon", "heptagon", "octagon", "polygon", "star"},
    {"line", "curve", "polyline", "arrow", "arc", "x axis", "y axis", "axis", "tick", "grid"},
    {"wedge", "pie", "ring"},
    {"cross", "star", "heart"},
)
"""Kinds that people mix up."""


OWN_READERS = frozenset({"text", "x axis", "y axis", "axis", "tick", "grid", "bar", "wedge", "pie", "any"})
"""Kinds that are read by modules of their own, or only referred to."""

PRONOUN = re.compile(r"\s+(?:it|that|this|them|which|the former|the latter)\b")
"""A word that stands for the thing spoken of last."""


def kind_of(noun: str) -> str:
    """Return the kind that a noun matched by ``NOUN`` names."""
    return _WORDS[noun]


def is_plural(noun: str) -> bool:
    """Whether a noun matched by ``NOUN`` is in the plural."""
    return noun not in KINDS


def mismatch(asked: str, kind: str) -> float:
    """Return 0 for the same kind, 1 for kinds that people mix up, infinity for others."""
    if asked in {kind, "any", ""}:
        return 0.0
    if asked == "axis" and kind in {"x axis", "y axis"}:
        return 0.0
    return 1.0 if any({asked, kind} <= group for group in ALIKE) else float("inf")
