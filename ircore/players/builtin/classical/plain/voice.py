"""The plain voice: sentences about a picture, turn by turn, then corrections of the rendering."""

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ircore.core.plain_words import add_article
from ircore.players.builtin.classical.plain.axes import (
    USUAL_GAP,
    WITH_MARKS,
    PlotSides,
    ReadAxis,
    describe_scale,
    format_rounded,
    format_step,
    has_marks,
    parse_label_value,
    read_area,
    read_crossed,
)
from ircore.players.builtin.classical.plain.everyday_names import (
    ColourWords,
    Points,
    describe_letters,
    describe_place,
    describe_points,
    describe_tangent,
    find_named_points,
    list_circles,
    list_colours,
    name_shape,
    replace_with_names,
    use_plain_colours,
)
from ircore.players.builtin.classical.plain.mark_words import (
    describe_bars_by_value,
    describe_curve,
    describe_line,
    describe_wedges,
)
from ircore.players.builtin.classical.statements import Statement, format_number, quote_text
from ircore.players.builtin.classical.wording import (
    describe_percept,
    describe_scene,
    describe_shape,
    describe_texts,
    weigh_percept,
)
from ircore.seeing.colours import describe_colour
from ircore.seeing.percepts import Bars, Grid, Percept, Perception, Pie, Shape, Stroke, Text, Ticks

FIRST = 1e9
"""Weight of what everything else builds on."""
UNEVEN = 2.5
"""Pixels that labels may stand off even steps."""
AT_END = 1.3
"""Pixels that a label may stand off the end of its axis."""
OFF_LINE = 2.5
"""Pixels that a grid line may lie off its label."""
FEW = 6
"""Things of a picture up to which each is also placed in words, such as "in the upper left"."""


def describe_area(area: PlotSides, colours: ColourWords) -> str:
    """Say where the plot lies, and the size and colour of its letters."""
    label = area.y.labels[0]
    return (
        f"The plot spans {area.left:.0f} to {area.right:.0f} px across and {area.top:.0f} to {area.bottom:.0f} px "
        f"down, with letters of {format_number(label.size)} px in {colours(label.colour)}."
    )


def describe_axis(axis: ReadAxis, percepts: Sequence[Percept], colours: ColourWords, as_words: bool) -> Statement:
    """Return the description of an axis: its line, its values or (``as_words``) its categories, and its tick marks."""
    line = _describe_line(axis.line, colours)
    parts = [f"is {line}" if line else "", _describe_labels(axis) if as_words else _describe_range(axis)]
    text = f"The {axis.name} axis {' and '.join(part for part in parts if part)}"
    slant = axis.labels[0].rotation
    text += ", slanting" if 20 < slant < 70 else ", upright" if slant >= 70 else ""
    marks = has_marks(axis, percepts)
    if marks:
        text += ", with tick marks" + (" inside" if marks == "inside" else "")
    usual = WITH_MARKS if marks == "outside" else USUAL_GAP
    if abs(axis.gap - usual) > 1.6:
        text += f", labels {format_number(axis.gap)} px away"
    return Statement("", (text,), weight=FIRST)


def describe_title(axis: ReadAxis) -> Statement | None:
    """Return the name of an axis; None if the axis has no name."""
    if axis.title is None:
        return None
    return Statement("", (f"The {axis.name} axis is called {quote_text(axis.title.text)}",), weight=FIRST / 4, order=60)


def describe_panel(area: PlotSides, colours: ColourWords) -> Statement | None:
    """Return the colour of the panel behind a plot; None without a panel."""
    if area.panel is None or area.panel.colour is None:
        return None
    return Statement("", (f"The panel of the plot is {colours(area.panel.colour)}",), weight=FIRST / 2, order=-3)


def describe_frame(area: PlotSides, colours: ColourWords) -> Statement | None:
    """Return the frame around a plot; None without a frame."""
    if area.frame is None or area.frame.outline is None:
        return None
    colour, width = area.frame.outline
    text = add_article(f"{format_number(width)} px {colours(colour)} frame closes the plot")
    return Statement("", (text,), weight=FIRST / 8, order=5)


def describe_grids(area: PlotSides, grids: Sequence[Grid], colours: ColourWords) -> tuple[Statement | None, list[Grid]]:
    """Return the grid lines that lie at labels, and which grids these are."""
    labelled = [grid for grid in grids if _is_at_labels(grid, area.y if grid.horizontal else area.x)]
    if not labelled or len({(grid.colour, grid.dash) for grid in labelled}) > 1:
        labelled = labelled[:1]
    if not labelled:
        return None, []
    ways = {grid.horizontal for grid in labelled}
    way = "" if len(ways) == 2 else "horizontal " if True in ways else "vertical "
    dash = "" if labelled[0].dash == "solid" else f"{labelled[0].dash} "
    text = f"{way}{dash}{colours(labelled[0].colour)} grid lines run at all labels"
    return Statement("", (text[0].upper() + text[1:],), weight=FIRST / 16, order=6), labelled


def list_described_ids(perception: Perception, area: PlotSides, grids: Sequence[Grid]) -> set[int]:
    """Return the identities of the percepts that the sentences about a plot tell."""
    identities: set[int] = {id(label) for label in (*area.x.labels, *area.y.labels)}
    identities |= {id(title) for title in (area.x.title, area.y.title) if title is not None}
    identities |= {id(grid) for grid in grids}
    identities |= {id(shape) for shape in (area.frame, area.panel) if shape is not None}
    identities |= {id(line) for line in (area.x.line, area.y.line) if line is not None}
    return identities | {id(percept) for percept in perception.percepts if isinstance(percept, Ticks)}


def list_undescribed(perception: Perception, described_ids: set[int]) -> tuple[list[Percept], list[Text]]:
    """Return the things and the texts that were not told."""
    rest = [percept for percept in perception.percepts if id(percept) not in described_ids]
    return [p for p in rest if not isinstance(p, Text)], [p for p in rest if isinstance(p, Text)]


@dataclass(frozen=True)
class VoicePlan:
    """Everything that the voice would say of a picture.

    >>> from ircore.seeing.percepts import Backdrop
    >>> plan_statements(Perception(512, 512, Backdrop("#ffffff"), ())).opening
    'The picture has a white background.'

    Attributes:
        opening: The first sentences, which everything else builds on.
    """

    opening: str
    statements: tuple[Statement, ...]
    colours: ColourWords


def plan_statements(target: Perception) -> VoicePlan:
    """Return everything that the voice would say of a picture."""
    large_first = sorted(target.percepts, key=lambda percept: -percept.area)
    colours = ColourWords([target.backdrop.colour, *itertools.chain(*map(list_colours, large_first))])
    scene = colours.replace_colours(describe_scene(target))
    area = read_area(target)
    plotted = _describe_plot(target, area, colours) if area is not None else None
    if area is not None and plotted is not None:
        statements, described = plotted
        things, texts = list_undescribed(target, described)
        opening = f"{scene} {describe_area(area, colours)}"
    elif (crossed := read_crossed(target)) is not None and (curves := _describe_curves(target, crossed, colours))[0]:
        statements, described = curves
        things, texts = list_undescribed(target, described)
        opening = f"{scene} {describe_scale(crossed)}"
    else:
        return _describe_figure(target, scene, colours)
    statements += _describe_rest(things, texts, target, colours)
    return VoicePlan(opening, tuple(statements), colours)


def adapt_to_later_turn(statement: Statement) -> Statement:
    """Return a statement as it is said when there is a rendering already: things are added, a plot is told further."""
    text = statement.text
    if (
        text.startswith(("The x axis", "The y axis", "The panel", "The plot", "Beside the", "Inside the"))
        or " grid lines run at " in text
    ):
        return statement
    return replace(statement.after("Add "), weight=statement.weight, order=statement.order)


def is_already_told(statement: Statement, messages: tuple[str, ...]) -> bool:
    """Tell whether a statement was in a message, whole or in a shorter form."""
    earlier_text = "\n".join(messages).casefold()
    forms = (statement, *statement.shorter)
    return any(form.text.casefold().removeprefix("a ").removeprefix("an ") in earlier_text for form in forms)


def _describe_line(line: Stroke | Shape | None, colours: ColourWords) -> str:
    if isinstance(line, Stroke):
        return _lower_first_letter(add_article(f"{format_number(line.width)} px {colours(line.colour)} line"))
    if line is not None and line.outline:
        colour, width = line.outline
        return _lower_first_letter(add_article(f"{format_number(width)} px {colours(colour)} line"))
    return ""


def _lower_first_letter(words: str) -> str:
    return words[0].lower() + words[1:]


def _describe_labels(axis: ReadAxis) -> str:
    listed = ", ".join(quote_text(label.text) for label in axis.labels)
    first, last, steps = axis.places[0], axis.places[-1], max(1, len(axis.places) - 1)
    if all(abs(place - first - (last - first) * n / steps) <= UNEVEN for n, place in enumerate(axis.places)):
        return f"has the labels {listed} from {format_number(first)} to {format_number(last)} px"
    return f"has the labels {listed} at {', '.join(format_number(place) for place in axis.places)} px"


def _describe_range(axis: ReadAxis) -> str:
    scale = axis.scale
    if scale is None:
        return ""
    unit = abs(scale.high - scale.low) / abs(scale.end - scale.start)
    low, high = (_format_axis_end(value, axis, unit) for value in (scale.low, scale.high))
    step = format_step(axis)
    degrees = " degrees" if axis.labels[0].text.endswith("°") else ""
    labels = f"every {step}{degrees}" if step else ", ".join(quote_text(label.text) for label in axis.labels)
    return f"runs from {low} to {high}, labelled {labels}"


def _format_axis_end(value: float, axis: ReadAxis, unit: float) -> str:
    """Return the value at the end of an axis: that of a label which stands there, else as exact as is seen."""
    nearest = min((parse_label_value(label) or 0.0 for label in axis.labels), key=lambda other: abs(other - value))
    return format_rounded(nearest if abs(nearest - value) <= AT_END * unit else value, 0.6 * unit)


def _is_at_labels(grid: Grid, axis: ReadAxis) -> bool:
    """Tell whether a grid has a line at most labels of an axis and nowhere else; lines under a frame are not seen."""
    met = [any(abs(at - place) <= OFF_LINE for place in axis.places) for at in grid.at]
    return all(met) and len(grid.at) >= len(axis.places) - 2


def _describe_curves(target: Perception, area: PlotSides, colours: ColourWords) -> tuple[list[Statement], set[int]]:
    """Return the curves of a graph whose axes cross inside, in the graph's units, and the percepts that they tell."""
    statements, described = list[Statement](), set[int]()
    for order, stroke in enumerate(percept for percept in target.percepts if isinstance(percept, Stroke)):
        statement = describe_curve(stroke, area, colours) if stroke.role == "curve" else None
        if statement is not None:
            statements.append(replace(statement, weight=weigh_percept(stroke, target.backdrop), order=60 + order))
            described.add(id(stroke))
    return statements, described


def _describe_rest(
    things: Iterable[Percept], texts: Sequence[Text], target: Perception, colours: ColourWords
) -> list[Statement]:
    """Return statements in pixels about the percepts that no other statement tells."""
    statements = []
    for order, thing in enumerate(things):
        statement = use_plain_colours(describe_percept(thing, describe_colour), colours)
        statements.append(replace(statement, weight=weigh_percept(thing, target.backdrop), order=20 + order))
    return statements + [
        use_plain_colours(statement, colours) for statement in describe_texts(texts, describe_colour, target.backdrop)
    ]


def _describe_figure(target: Perception, scene: str, colours: ColourWords) -> VoicePlan:
    """Return statements about shapes and about figures with named points."""
    points, circles = find_named_points(target), list_circles(target)
    statements = list[Statement]()
    for order, thing in enumerate(percept for percept in target.percepts if not isinstance(percept, Text)):
        plain_statement = use_plain_colours(_describe_thing(thing, target, points, circles), colours)
        weight = weigh_percept(thing, target.backdrop)
        statements.append(replace(replace_with_names(plain_statement, points), weight=weight, order=20 + order))
    pie = next((percept for percept in target.percepts if isinstance(percept, Pie)), None)
    labels, labelled = describe_wedges(pie, target.texts, colours) if pie is not None else ([], [])
    weight = math.fsum(weigh_percept(text, target.backdrop) for text in labelled)
    statements += [replace(statement, weight=weight, order=95) for statement in labels]
    letters = [text for text in target.texts if text.text in points and text not in labelled]
    by_look: dict[tuple[str, float], list[Text]] = {}
    for letter in letters:
        by_look.setdefault((letter.colour, letter.size), []).append(letter)
    for alike in by_look.values():
        weight = math.fsum(weigh_percept(letter, target.backdrop) for letter in alike)
        statement = describe_letters(alike, points, colours)
        statements += [replace(statement, weight=weight, order=90)] if statement else []
    rest = [text for text in target.texts if text not in letters and text not in labelled]
    statements += [
        use_plain_colours(statement, colours) for statement in describe_texts(rest, describe_colour, target.backdrop)
    ]
    return VoicePlan(" ".join(filter(None, [scene, describe_points(points)])), tuple(statements), colours)


def _describe_thing(percept: Percept, target: Perception, points: Points, circles: Sequence[Shape]) -> Statement:
    """Return a statement about a thing: a shape by its name and place, a line that touches a circle as a tangent."""
    if isinstance(percept, Stroke) and (tangent := describe_tangent(percept, points, circles)):
        statement = describe_percept(percept, describe_colour)
        return replace(statement, parts=(*statement.parts[:-1], statement.parts[-1] + tangent), shorter=(statement,))
    if not isinstance(percept, Shape):
        return describe_percept(percept, describe_colour)
    named = name_shape(percept)
    if named is None and (points or len(target.percepts) > FEW):
        return describe_percept(percept, describe_colour)
    sentence = describe_shape(percept, describe_colour, named.words if named else "")
    # Named points say where things are better than "in the upper left" does.
    place = (
        "" if points or len(target.percepts) > FEW else f", {describe_place(percept, (target.width, target.height))}"
    )
    return Statement("", (sentence + place,), shorter=(describe_percept(percept, describe_colour),))


def _describe_plot(
    target: Perception, area: PlotSides, colours: ColourWords
) -> tuple[list[Statement], set[int]] | None:
    """Return statements about a plot in its own units, and the identities of the percepts told so; None if no plot."""
    grids = [percept for percept in target.percepts if isinstance(percept, Grid)]
    grid, told_grids = describe_grids(area, grids, colours)
    described = list_described_ids(target, area, told_grids)
    marks, of_marks, categories = _describe_marks(target, area, colours)
    if not marks or not all(axis.scale or axis.name == categories for axis in (area.x, area.y)):
        return None
    axes = [describe_axis(axis, target.percepts, colours, axis.name == categories) for axis in (area.y, area.x)]
    furniture = [describe_panel(area, colours), describe_frame(area, colours), grid,
                 describe_title(area.x), describe_title(area.y)]  # fmt: skip
    return [*axes, *(statement for statement in furniture if statement is not None), *marks], described | of_marks


def _describe_marks(target: Perception, area: PlotSides, colours: ColourWords) -> tuple[list[Statement], set[int], str]:
    """Return bars, lines and curves by their values, the percepts told so, and the axis of categories, if any."""
    statements, described, categories = list[Statement](), set[int](), ""
    groups = [percept for percept in target.percepts if isinstance(percept, Bars)]
    for order, group in enumerate(groups):
        if (bars := describe_bars_by_value(group, area, target, colours)) is not None:
            categories = "x" if group.upright else "y"
            weight = FIRST / 100 + weigh_percept(group, target.backdrop)
            statements += [replace(statement, weight=weight, order=10 + order) for statement in bars[0]]
            described |= {id(group)} | bars[1]
    if groups:
        return statements, described, categories
    strokes = [p for p in target.percepts if isinstance(p, Stroke) and p.role not in {"x axis", "y axis"}]
    lines = [(stroke, describe_line(stroke, area, target, colours)) for stroke in strokes]
    if any(line is not None for _, line in lines):
        categories = "x"
    for order, (stroke, line) in enumerate(lines):
        curve = None if categories else describe_curve(stroke, area, colours)
        statement, labels = line if line is not None else (curve, set[int]())
        if statement is not None:
            weight = FIRST / 100 + weigh_percept(stroke, target.backdrop)
            statements.append(replace(statement, weight=weight, order=10 + order))
            described |= {id(stroke)} | labels
    return statements, described, categories
