"""Everyday names for the colours of a picture, no two alike, and the picture in the colours that were named."""

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import cache, lru_cache

import numpy as np

from ircore.core.images import Pixels
from ircore.players.builtin.classical.statements import Statement
from ircore.seeing.colours import (
    NAMES,
    compute_delta_e94,
    convert_to_lab,
    list_exact_names,
    name_colour,
    parse_colour_name,
    parse_hex,
    replace_colour_words,
)
from ircore.seeing.percepts import Bar, Bars, Percept, Perception, Pie, Shape

FAR = 2.6
"""Difference (ΔE*94) up to which the most common name is taken, and from which on the hex value is said as well.

What is drawn by a name is then within about 3 of what was seen by the newer ΔE00 (CIEDE2000), which a person sees only
when the two lie side by side.
"""
ALIKE = 1.5
"""Difference below which two colours may share a name."""
CLEARER = 1.6
"""How many times farther another colour must be from what a name says."""
_BASIC = ("black", "white", "grey", "red", "orange", "yellow", "green", "blue", "purple", "pink", "brown", "turquoise")
_SHADES = ("light", "dark", "pale")
_EVERYDAY = (
    "lavender", "lilac", "violet", "indigo", "plum", "mauve", "rose", "magenta", "maroon", "burgundy", "crimson",
    "coral", "salmon", "peach", "rust", "terracotta", "tan", "beige", "cream", "ivory", "gold", "mustard", "khaki",
    "olive", "lime", "mint", "sage", "emerald", "teal", "cyan", "aqua", "sky blue", "steel blue", "slate blue",
    "royal blue", "navy", "slate grey", "silver", "charcoal",
)  # fmt: skip
"""Names that everybody knows; finer shades are made of these alone."""
_FINER = ("light", "dark", "pale", "very light", "very pale", "very dark", "muted", "vivid")
_ODD = re.compile(r"ish$|^(?:gainsboro|peru|thistle|papaya|navajo|rebecca|lemon|web|burly|dodger|old lace|bisque)")
_HEX = re.compile(r"(?:(?:dark |light )?[a-z]+ \(#[0-9a-f]{6}\))|#[0-9a-f]{6}")
_ARTICLE = re.compile(r"\b([Aa])n? (?=[a-z])([a-z])")
_RUN_TOGETHER = {name: re.compile(rf"\b{name}\b", re.IGNORECASE) for name in set(list_exact_names().values())}
_Edge = tuple[str, float] | None


@cache
def _list_candidates() -> tuple[tuple[str, str, float], ...]:
    """Return names, their colours, and how uncommon each name is, as a difference in colour."""
    spaced = {name: value for name, value in NAMES.items() if name in _BASIC or _is_common(name)}
    made = {f"{shade} {name}": parse_colour_name(f"{shade} {name}") for shade in _SHADES for name in _BASIC[2:]}
    uncommon = {name: 0.0 if name in _BASIC else 1.5 if name in made else 3.0 for name in (*spaced, *made)}
    known = [(name, {**spaced, **made}[name], uncommon[name]) for name in uncommon]
    # A shade of a name, two shades of one, then a colour between two: "muted lavender", "dark muted teal", "grey rose".
    lightness = {name: convert_to_lab(NAMES[name])[0] for name in (*_BASIC[2:], *_EVERYDAY)}
    # Nobody says "pale navy" or "very dark charcoal".
    shaded = [f"{shade} {name}" for shade in _FINER for name, light in lightness.items() if light > 40]
    shaded += [f"{shade} {name}" for shade in _FINER[-2:] for name, light in lightness.items() if light <= 40]
    lasting = [f"{shade} {name}" for shade in _FINER[-2:] for name, light in lightness.items() if light > 40]
    twice = [f"{shade} {name}" for shade in _FINER[:-2] for name in lasting]
    between = [f"{first} {name}" for first in _BASIC for name in (*_BASIC, *_EVERYDAY) if name != first]
    finer = [(name, 4.0) for name in shaded if name not in uncommon]
    finer += [(name, 5.0) for name in twice] + [(name, 6.0) for name in between]
    # Some read as a name of their own, such as "sky blue".
    return (
        *known,
        *(
            (name, parse_colour_name(name), rare)
            for name, rare in finer
            if replace_colour_words(name) == parse_colour_name(name)
        ),
    )


@lru_cache(maxsize=8192)
def _rank_names(colour: str) -> tuple[tuple[float, str, str], ...]:
    """Return the names whose colours are near one, the most common first: difference, name and its colour."""
    near = [
        (uncommon, off, name, value)
        for name, value, uncommon in _list_candidates()
        if (off := compute_delta_e94(colour, value)) < FAR
    ]
    return tuple((off, name, value) for _, off, name, value in sorted(near)[:24])


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
            name = self._names[colour] = self._choose_name(colour)
            if not name.endswith(")"):
                # What is drawn by the name has the name's colour, and is to be called the same.
                self._names.setdefault(parse_colour_name(name), name)
        return self._names[colour]

    def _choose_name(self, colour: str) -> str:
        taken = {name: other for other, name in reversed(self._names.items())}
        for off, name, value in _rank_names(colour):
            is_free = name not in taken or compute_delta_e94(taken[name], colour) < ALIKE
            if is_free and not self._is_mistakable(colour, value, off):
                return name
        return f"{name_colour(colour)} ({colour})"

    def _is_mistakable(self, colour: str, shown: str, off: float) -> bool:
        """Return whether a colour's name is nearly as near to another colour of the picture."""
        others = [other for other in self._all if compute_delta_e94(other, colour) >= ALIKE]
        return any(compute_delta_e94(other, shown) < CLEARER * off for other in others)

    def shown(self, colour: str) -> str:
        """Return the colour that the name of a colour says."""
        name = self(colour)
        return colour if name.endswith(")") else parse_colour_name(name)

    def said(self, words: str) -> str:
        """Return a text in which every colour, by hex value or by a CSS name in one word, has its everyday name."""
        words = _HEX.sub(lambda match: self(match[0][-8:-1] if match[0].endswith(")") else match[0]), words)
        for name, pattern in _RUN_TOGETHER.items():
            if name in words.casefold() and name not in _BASIC:
                words = pattern.sub(_restore_spaces(name), words)
        # A new name may need the other article.
        return _ARTICLE.sub(lambda match: f"{match[1]}{'n' * (match[2] in 'aeiou')} {match[2]}", words)


def use_plain_colours(statement: Statement, colours: ColourWords) -> Statement:
    """Return a statement with everyday names for its colours."""
    return replace(
        statement, head=colours.said(statement.head), parts=tuple(colours.said(part) for part in statement.parts),
        tail=colours.said(statement.tail), again=colours.said(statement.again),
        shorter=tuple(use_plain_colours(variant, colours) for variant in statement.shorter),
    )  # fmt: skip


@cache
def _restore_spaces(name: str) -> str:
    spaced = [other for other in NAMES if " " in other and other.replace(" ", "") == name]
    return max(spaced, key=lambda other: (other.count(" "), other), default=name)


def recolour_perception(perception: Perception, colours: ColourWords) -> Perception:
    """Return a perception with the colours that the names of its colours say."""
    backdrop = perception.backdrop
    last = None if backdrop.last is None else colours.shown(backdrop.last)
    return replace(
        perception,
        backdrop=replace(backdrop, colour=colours.shown(backdrop.colour), last=last),
        percepts=tuple(_recolour_percept(percept, colours) for percept in perception.percepts),
    )


def _recolour_percept(percept: Percept, colours: ColourWords) -> Percept:
    if isinstance(percept, Shape):
        colour = None if percept.colour is None else colours.shown(percept.colour)
        return replace(percept, colour=colour, outline=_recolour_edge(percept.outline, colours))
    if isinstance(percept, Bars):
        return replace(percept, bars=tuple(_recolour_bar(bar, colours) for bar in percept.bars))
    if isinstance(percept, Pie):
        wedges = tuple((colours.shown(colour), share) for colour, share in percept.wedges)
        return replace(percept, wedges=wedges, border=_recolour_edge(percept.border, colours))
    return replace(percept, colour=colours.shown(percept.colour))


def _recolour_bar(bar: Bar, colours: ColourWords) -> Bar:
    return replace(bar, colour=colours.shown(bar.colour), outline=_recolour_edge(bar.outline, colours))


def _recolour_edge(edge: _Edge, colours: ColourWords) -> _Edge:
    return None if edge is None else (colours.shown(edge[0]), edge[1])


def recolour_pixels(pixels: Pixels, perception: Perception, colours: ColourWords) -> Pixels:
    """Return the pixels of a picture with its plain areas in the colours that their names say."""
    red, green, blue = (pixels[..., channel].astype(np.int64) for channel in range(3))
    codes = (red * 256 + green) * 256 + blue
    fresh = pixels.copy()
    for colour in {c for percept in perception.percepts for c in list_colours(percept)} | {perception.backdrop.colour}:
        if colours.shown(colour) != colour:
            fresh[codes == int(colour[1:], 16)] = parse_hex(colours.shown(colour))
    return fresh


def list_colours(percept: Percept) -> list[str]:
    """Return the colours of a percept: of each bar or wedge, of a shape its fill and its outline."""
    if isinstance(percept, Shape):
        return [colour for colour in (percept.colour, percept.outline and percept.outline[0]) if colour]
    if isinstance(percept, Bars):
        return [bar.colour for bar in percept.bars]
    if isinstance(percept, Pie):
        return [colour for colour, _ in percept.wedges]
    return [percept.colour]
