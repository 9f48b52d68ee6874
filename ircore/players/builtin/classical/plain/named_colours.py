"""A picture in the colours that were named: the plain voice is content with the shade that its words say."""

from dataclasses import replace

import numpy as np

from ircore.core.images import Pixels
from ircore.players.builtin.classical.plain.colour_words import ColourWords
from ircore.seeing.colours import rgb
from ircore.seeing.percepts import Bar, Bars, Percept, Perception, Pie, Shape

_Edge = tuple[str, float] | None


def perception_as_named(perception: Perception, colours: ColourWords) -> Perception:
    """Return a perception with the colours that the names of its colours say."""
    backdrop = perception.backdrop
    last = None if backdrop.last is None else colours.shown(backdrop.last)
    return replace(
        perception,
        backdrop=replace(backdrop, colour=colours.shown(backdrop.colour), last=last),
        percepts=tuple(_as_named(percept, colours) for percept in perception.percepts),
    )


def _as_named(percept: Percept, colours: ColourWords) -> Percept:
    if isinstance(percept, Shape):
        colour = None if percept.colour is None else colours.shown(percept.colour)
        return replace(percept, colour=colour, outline=_edge(percept.outline, colours))
    if isinstance(percept, Bars):
        return replace(percept, bars=tuple(_bar(bar, colours) for bar in percept.bars))
    if isinstance(percept, Pie):
        wedges = tuple((colours.shown(colour), share) for colour, share in percept.wedges)
        return replace(percept, wedges=wedges, border=_edge(percept.border, colours))
    return replace(percept, colour=colours.shown(percept.colour))


def _bar(bar: Bar, colours: ColourWords) -> Bar:
    return replace(bar, colour=colours.shown(bar.colour), outline=_edge(bar.outline, colours))


def _edge(edge: _Edge, colours: ColourWords) -> _Edge:
    return None if edge is None else (colours.shown(edge[0]), edge[1])


def pixels_as_named(pixels: Pixels, perception: Perception, colours: ColourWords) -> Pixels:
    """Return the pixels of a picture with its plain areas in the colours that their names say."""
    red, green, blue = (pixels[..., channel].astype(np.int64) for channel in range(3))
    codes = (red * 256 + green) * 256 + blue
    fresh = pixels.copy()
    for colour in {c for percept in perception.percepts for c in colours_of(percept)} | {perception.backdrop.colour}:
        if colours.shown(colour) != colour:
            fresh[codes == int(colour[1:], 16)] = rgb(colours.shown(colour))
    return fresh


def colours_of(percept: Percept) -> list[str]:
    """Return the colours of a percept: of each bar or wedge, of a shape its fill and its outline."""
    if isinstance(percept, Shape):
        return [colour for colour in (percept.colour, percept.outline and percept.outline[0]) if colour]
    if isinstance(percept, Bars):
        return [bar.colour for bar in percept.bars]
    if isinstance(percept, Pie):
        return [colour for colour, _ in percept.wedges]
    return [percept.colour]
