"""The nouns: which words name which kind of thing."""

import re

from ircore.core.tables import read_table

_TABLE = read_table("ircore.players.builtin.canvas", "words")
KINDS: dict[str, str] = {noun: kind for kind, nouns in _TABLE["kinds"].items() for noun in nouns}
"""Noun in the singular → kind. ``any`` is for references only."""

_PLURALS: dict[str, str] = _TABLE["plurals"]


def _plural(noun: str) -> str:
    head, _, last = noun.rpartition(" ")
    return f"{head} {_PLURALS.get(last, last + 's')}".strip()


_WORDS = {**{_plural(noun): kind for noun, kind in KINDS.items()}, **KINDS}
# The longest nouns first, since an alternation takes the first one that fits.
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


def mismatch(wanted_kind: str, kind: str) -> float:
    """Return 0 for the same kind, 1 for kinds that people mix up, infinity for others."""
    if wanted_kind in {kind, "any", ""}:
        return 0.0
    if wanted_kind == "axis" and kind in {"x axis", "y axis"}:
        return 0.0
    return 1.0 if any({wanted_kind, kind} <= group for group in ALIKE) else float("inf")
