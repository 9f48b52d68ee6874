"""Everyday names for the colours of a picture, no two alike."""

import math
import re
from collections.abc import Iterable
from dataclasses import replace
from functools import cache

from ircore.core.exact import hypot
from ircore.players.builtin.canvas.colours import NAMES, lab, named
from ircore.players.builtin.classical.colours import exact_names, plain_name
from ircore.players.builtin.classical.statements import Statement

NEAR = 3.0
"""Difference (ΔE*94) up to which a more common name is taken although another name is nearer."""
FAR = 9.0
"""Difference from which on the hex value is said as well."""
ALIKE = 4.0
"""Difference below which two colours may share a name."""
CLEARER = 1.6
"""How many times farther another colour must be from what a name says."""
_BASIC = ("black", "white", "grey", "red", "orange", "yellow", "green", "blue", "purple", "pink", "brown", "turquoise")
_SHADES = ("light", "dark", "pale")
_ODD = re.compile(r"ish$|^(?:gainsboro|peru|thistle|papaya|navajo|rebecca|lemon|web|burly|dodger|old lace|bisque)")
_HEX = re.compile(r"(?:(?:dark |light )?[a-z]+ \(#[0-9a-f]{6}\))|#[0-9a-f]{6}")
_ARTICLE = re.compile(r"\b([Aa])n? (?=[a-z])([a-z])")
_RUN_TOGETHER = {name: re.compile(rf"\b{name}\b", re.IGNORECASE) for name in set(exact_names().values())}


@cache
def _candidates() -> tuple[tuple[str, str, float], ...]:
    """Return names, their colours, and how uncommon each name is, as a difference in colour."""
    spaced = {name: value for name, value in NAMES.items() if name in _BASIC or _is_common(name)}
    made = {f"{shade} {name}": named(f"{shade} {name}") for shade in _SHADES for name in _BASIC[2:]}
    uncommon = {name: 0.0 if name in _BASIC else 1.5 if name in made else 3.0 for name in (*spaced, *made)}
    return tuple((name, {**spaced, **made}[name], uncommon[name]) for name in uncommon)


def _is_common(name: str) -> bool:
    """Tell whether people know a name: not run together, no grey spelled "gray", none of the odd names of CSS."""
    joined = name.replace(" ", "") != name or not any(
        name != other and other.replace(" ", "") == name for other in NAMES
    )
    return joined and "gray" not in name and _ODD.search(name) is None


class ColourWords:
    """Names for colours, chosen together so that different colours of a picture get different names.

    >>> words = ColourWords(["#ff0000", "#0000ff"])
    >>> words("#ff0000"), words.said("A #0000ff circle")
    ('red', 'A blue circle')

    Args:
        colours: The colours of a picture, as #rrggbb, the most important first.
    """

    def __init__(self, colours: Iterable[str]) -> None:
        self._names: dict[str, str] = {}
        self._all = tuple(dict.fromkeys(colours))
        for colour in self._all:
            self(colour)

    def __call__(self, colour: str) -> str:
        """Return the name of a colour; with its hex value if no name is near or all near names are taken."""
        if colour not in self._names:
            name = self._names[colour] = self._named(colour)
            if not name.endswith(")"):
                # What is drawn by the name has the name's colour, and is to be called the same.
                self._names.setdefault(named(name), name)
        return self._names[colour]

    def _named(self, colour: str) -> str:
        taken = {name: other for other, name in reversed(self._names.items())}
        ranked = sorted(
            (max(0.0, apart(colour, value) - NEAR) + uncommon, apart(colour, value), name)
            for name, value, uncommon in _candidates()
        )
        for _, off, name in ranked[:12]:
            is_free = name not in taken or apart(taken[name], colour) < ALIKE
            if off < FAR and is_free and not self._is_mistakable(colour, named(name), off):
                return name
        return f"{plain_name(colour)} ({colour})"

    def _is_mistakable(self, colour: str, shown: str, off: float) -> bool:
        """Return whether a colour's name is nearly as near to another colour of the picture."""
        others = [other for other in self._all if apart(other, colour) >= ALIKE]
        return any(apart(other, shown) < CLEARER * off for other in others)

    def shown(self, colour: str) -> str:
        """Return the colour that the name of a colour says."""
        name = self(colour)
        return colour if name.endswith(")") else named(name)

    def said(self, words: str) -> str:
        """Return a text in which every colour, by hex value or by a CSS name in one word, has its everyday name."""
        words = _HEX.sub(lambda match: self(match[0][-8:-1] if match[0].endswith(")") else match[0]), words)
        for name, pattern in _RUN_TOGETHER.items():
            if name in words.casefold() and name not in _BASIC:
                words = pattern.sub(_spaced(name), words)
        # A new name may need the other article.
        return _ARTICLE.sub(lambda match: f"{match[1]}{'n' * (match[2] in 'aeiou')} {match[2]}", words)


def plainly(statement: Statement, colours: ColourWords) -> Statement:
    """Return a statement with everyday names for its colours."""
    return replace(
        statement, head=colours.said(statement.head), parts=tuple(colours.said(part) for part in statement.parts),
        tail=colours.said(statement.tail), again=colours.said(statement.again),
        shorter=tuple(plainly(variant, colours) for variant in statement.shorter),
    )  # fmt: skip


@cache
def apart(first: str, second: str) -> float:
    """Return the difference of two colours: ΔE*94 (CIE 116-1995, graphic arts), about 1 where just noticeable."""
    (light, a, b), (other_light, other_a, other_b) = lab(first), lab(second)
    chroma, other_chroma = hypot(a, b), hypot(other_a, other_b)
    off = chroma - other_chroma
    hue = max(0.0, (a - other_a) * (a - other_a) + (b - other_b) * (b - other_b) - off * off)
    return round(
        hypot(hypot(light - other_light, off / (1 + 0.045 * chroma)), math.sqrt(hue) / (1 + 0.015 * chroma)), 6
    )


@cache
def _spaced(name: str) -> str:
    spaced = [other for other in NAMES if " " in other and other.replace(" ", "") == name]
    return max(spaced, key=lambda other: (other.count(" "), other), default=name)
