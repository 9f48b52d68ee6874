"""The area of a plot, its axes and furniture in plain words."""

from collections.abc import Sequence

from ircore.core.counted import article
from ircore.players.builtin.classical.plain.axes import (
    USUAL_GAP,
    WITH_MARKS,
    Area,
    Axis,
    has_marks,
    rounded,
    step_of,
    value_of,
)
from ircore.players.builtin.classical.plain.colour_words import ColourWords
from ircore.players.builtin.classical.statements import Statement, in_quotes, number
from ircore.seeing.percepts import Grid, Percept, Perception, Shape, Stroke, Text, Ticks

FIRST = 1e9
"""Weight of what everything else builds on."""
UNEVEN = 2.5
"""Pixels that labels may stand off even steps."""
AT_END = 1.3
"""Pixels that a label may stand off the end of its axis."""
OFF_LINE = 2.5
"""Pixels that a grid line may lie off its label."""


def area_words(area: Area, colours: ColourWords) -> str:
    """Say where the plot lies, and the size and colour of its letters."""
    label = area.y.labels[0]
    return (
        f"The plot spans {area.left:.0f} to {area.right:.0f} px across and {area.top:.0f} to {area.bottom:.0f} px "
        f"down, with letters of {number(label.size)} px in {colours(label.colour)}."
    )


def axis_statement(axis: Axis, percepts: Sequence[Percept], colours: ColourWords, as_words: bool) -> Statement:
    """Return the description of an axis: its line, its values or (``as_words``) its categories, and its tick marks."""
    line = _line_words(axis.line, colours)
    parts = [f"is {line}" if line else "", _labels_words(axis) if as_words else _range_words(axis)]
    text = f"The {axis.name} axis {' and '.join(part for part in parts if part)}"
    slant = axis.labels[0].rotation
    text += ", slanting" if 20 < slant < 70 else ", upright" if slant >= 70 else ""
    marks = has_marks(axis, percepts)
    if marks:
        text += ", with tick marks" + (" inside" if marks == "inside" else "")
    usual = WITH_MARKS if marks == "outside" else USUAL_GAP
    if abs(axis.gap - usual) > 1.6:
        text += f", labels {number(axis.gap)} px away"
    return Statement("", (text,), weight=FIRST)


def _line_words(line: Stroke | Shape | None, colours: ColourWords) -> str:
    if isinstance(line, Stroke):
        return _lower(article(f"{number(line.width)} px {colours(line.colour)} line"))
    if line is not None and line.outline:
        colour, width = line.outline
        return _lower(article(f"{number(width)} px {colours(colour)} line"))
    return ""


def _lower(words: str) -> str:
    return words[0].lower() + words[1:]


def _labels_words(axis: Axis) -> str:
    listed = ", ".join(in_quotes(label.text) for label in axis.labels)
    first, last, steps = axis.places[0], axis.places[-1], max(1, len(axis.places) - 1)
    if all(abs(place - first - (last - first) * n / steps) <= UNEVEN for n, place in enumerate(axis.places)):
        return f"has the labels {listed} from {number(first)} to {number(last)} px"
    return f"has the labels {listed} at {', '.join(number(place) for place in axis.places)} px"


def _range_words(axis: Axis) -> str:
    scale = axis.scale
    if scale is None:
        return ""
    unit = abs(scale.high - scale.low) / abs(scale.end - scale.start)
    low, high = (_end(value, axis, unit) for value in (scale.low, scale.high))
    step = step_of(axis)
    degrees = " degrees" if axis.labels[0].text.endswith("°") else ""
    labels = f"every {step}{degrees}" if step else ", ".join(in_quotes(label.text) for label in axis.labels)
    return f"runs from {low} to {high}, labelled {labels}"


def _end(value: float, axis: Axis, unit: float) -> str:
    """Return the value at the end of an axis: that of a label which stands there, else as exact as is seen."""
    nearest = min((value_of(label) or 0.0 for label in axis.labels), key=lambda other: abs(other - value))
    return rounded(nearest if abs(nearest - value) <= AT_END * unit else value, 0.6 * unit)


def title_statement(axis: Axis) -> Statement | None:
    """Return the name of an axis; None if the axis has no name."""
    if axis.title is None:
        return None
    return Statement("", (f"The {axis.name} axis is called {in_quotes(axis.title.text)}",), weight=FIRST / 4, order=60)


def panel_statement(area: Area, colours: ColourWords) -> Statement | None:
    """Return the colour of the panel behind a plot; None without a panel."""
    if area.panel is None or area.panel.colour is None:
        return None
    return Statement("", (f"The panel of the plot is {colours(area.panel.colour)}",), weight=FIRST / 2, order=-3)


def frame_statement(area: Area, colours: ColourWords) -> Statement | None:
    """Return the frame around a plot; None without a frame."""
    if area.frame is None or area.frame.outline is None:
        return None
    colour, width = area.frame.outline
    text = article(f"{number(width)} px {colours(colour)} frame closes the plot")
    return Statement("", (text,), weight=FIRST / 8, order=5)


def grid_statement(area: Area, grids: Sequence[Grid], colours: ColourWords) -> tuple[Statement | None, list[Grid]]:
    """Return the grid lines that lie at labels, and which grids these are."""
    labelled = [grid for grid in grids if _at_labels(grid, area.y if grid.horizontal else area.x)]
    if not labelled or len({(grid.colour, grid.dash) for grid in labelled}) > 1:
        labelled = labelled[:1]
    if not labelled:
        return None, []
    ways = {grid.horizontal for grid in labelled}
    way = "" if len(ways) == 2 else "horizontal " if True in ways else "vertical "
    dash = "" if labelled[0].dash == "solid" else f"{labelled[0].dash} "
    text = f"{way}{dash}{colours(labelled[0].colour)} grid lines run at all labels"
    return Statement("", (text[0].upper() + text[1:],), weight=FIRST / 16, order=6), labelled


def _at_labels(grid: Grid, axis: Axis) -> bool:
    """Tell whether a grid has a line at most labels of an axis and nowhere else; lines under a frame are not seen."""
    met = [any(abs(at - place) <= OFF_LINE for place in axis.places) for at in grid.at]
    return all(met) and len(grid.at) >= len(axis.places) - 2


def told_of_area(perception: Perception, area: Area, grids: Sequence[Grid]) -> set[int]:
    """Return the identities of the percepts that the sentences about a plot tell."""
    identities: set[int] = {id(label) for label in (*area.x.labels, *area.y.labels)}
    identities |= {id(title) for title in (area.x.title, area.y.title) if title is not None}
    identities |= {id(grid) for grid in grids}
    identities |= {id(shape) for shape in (area.frame, area.panel) if shape is not None}
    identities |= {id(line) for line in (area.x.line, area.y.line) if line is not None}
    return identities | {id(percept) for percept in perception.percepts if isinstance(percept, Ticks)}


def left_over(perception: Perception, described_ids: set[int]) -> tuple[list[Percept], list[Text]]:
    """Return the things and the texts that were not told."""
    rest = [percept for percept in perception.percepts if id(percept) not in described_ids]
    return [p for p in rest if not isinstance(p, Text)], [p for p in rest if isinstance(p, Text)]
