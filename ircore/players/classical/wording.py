"""Percepts in plain English, as much of it as the token budget allows, the most telling first."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ircore.players.classical.colours import distance, exact, plain_name
from ircore.players.classical.percepts import (
    Backdrop,
    Bar,
    Bars,
    Grid,
    Percept,
    Perception,
    Pie,
    Point,
    Shape,
    Stroke,
    Ticks,
)
from ircore.tokens import count_tokens

ColourWords = Callable[[str], str]
NUMBERS = {3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight"}
REGULAR = {5: "pentagon", 6: "hexagon", 7: "heptagon", 8: "octagon"}


@dataclass(frozen=True)
class Statement:
    """One sentence; if it lists several things, it may be cut to the first few of them.

    Attributes:
        head: What stands before the list.
        parts: What is listed; one part if it is no list.
        joint: Between two parts.
        tail: After the list, the full stop included.
        weight: How much it tells, about the pixels it sets right.
        order: Its place in the order of painting.
    """

    head: str
    parts: tuple[str, ...]
    tail: str = "."
    weight: float = 0.0
    order: int = 0
    joint: str = "; "
    least: int = 1
    shorter: tuple["Statement", ...] = ()

    @property
    def text(self) -> str:
        """The sentence."""
        return self.head + self.joint.join(self.parts) + self.tail

    def cut(self, count: int) -> "Statement":
        """Return it with only the first ``count`` parts."""
        return replace(self, parts=self.parts[:count], weight=self.weight * count / len(self.parts))

    def after(self, opening: str) -> "Statement":
        """Return it with its first letter in lower case and ``opening`` before it, and what is shorter likewise."""
        if self.head:
            head, parts = opening + self.head[0].lower() + self.head[1:], self.parts
        else:
            head, parts = opening, (self.parts[0][0].lower() + self.parts[0][1:], *self.parts[1:])
        return replace(self, head=head, parts=parts, shorter=tuple(one.after(opening) for one in self.shorter))


def full_colour(colour: str) -> str:
    """Return name and hex: ``red (#d62728)``; only the name if that says it exactly."""
    words = exact(colour)
    return f"{plain_name(colour)} ({colour})" if words == colour else words


def number(value: float) -> str:
    """Return a pixel measure without needless decimals."""
    return f"{value:.0f}" if abs(value - round(value)) < 0.26 or abs(value) > 24 else f"{value:.1f}"


def at(point: Point) -> str:
    """Return a position as ``(x, y)`` in whole pixels."""
    return f"({round(point[0])}, {round(point[1])})"


def _half(point: Point) -> str:
    """Return a position in half pixels, for lines that shall fall on whole ones."""
    return "(" + ", ".join(f"{round(2 * value) / 2:g}" for value in point) + ")"


def first_message(perception: Perception, budget: int) -> str:
    """Describe a picture.

    Args:
        perception: What was seen.
        budget: Tokens the message may have.
    """
    if budget < 30:
        return _shortest(perception, budget)
    scene = _scene(perception)
    # A pie without some of its wedges says less than one in everyday colours.
    rough = (plain_name,) if budget < 100 and any(isinstance(one, Pie) for one in perception.percepts) else ()
    for words in (full_colour, exact, *rough):
        statements = statements_of(perception, words)
        message = pack(statements, budget, scene)
        if count_tokens(" ".join([scene, *(s.text for s in statements)])) <= budget:
            return message
    return message


def statements_of(perception: Perception, words: ColourWords) -> list[Statement]:
    """Return a statement for each percept, in the order of painting."""
    return [
        replace(statement_of(percept, words), weight=weight_of(percept, perception.backdrop), order=order)
        for order, percept in enumerate(perception.percepts)
    ]


def weight_of(percept: Percept, backdrop: Backdrop) -> float:
    """Return how much a percept tells: its pixels, by how far they stand out; lines count more than areas."""
    factor = {Stroke: 5.0, Grid: 1.2, Ticks: 1.0}.get(type(percept), 1.0)
    contrast = min(1.0, distance(_colour_of(percept), backdrop.colour) / 220)
    return float(factor * percept.area * contrast**1.3)


def _colour_of(percept: Percept) -> str:
    if isinstance(percept, Bars):
        return percept.bars[0].colour
    if isinstance(percept, Pie):
        return max(percept.wedges, key=lambda wedge: wedge[1])[0]
    if isinstance(percept, Shape):
        return percept.colour or (percept.outline[0] if percept.outline else "#000000")
    return percept.colour


def pack(statements: Sequence[Statement], budget: int, opening: str = "") -> str:
    """Choose the statements that tell most and fit, and put them in the order of painting."""
    left = budget - count_tokens(opening) - 1
    chosen: list[Statement] = []
    for statement in sorted(statements, key=lambda s: -s.weight):
        fitting = _fitted(statement, left, alone=not chosen)
        if fitting is not None:
            chosen.append(fitting)
            left -= count_tokens(" " + fitting.text)
    ordered = sorted(chosen, key=lambda s: s.order)
    return " ".join([opening, *(s.text for s in ordered)]).strip()


def _fitted(statement: Statement, left: int, alone: bool) -> Statement | None:
    """Return as much of a statement as fits; a line is cut only if nothing else is said, else it waits for its turn."""
    for one in (statement, *statement.shorter):
        least = len(one.parts) if one.least > 1 and not alone else min(one.least, len(one.parts))
        for count in range(len(one.parts), least - 1, -1):
            if count_tokens(" " + (fitting := one.cut(count)).text) <= left:
                return replace(fitting, weight=statement.weight, order=statement.order)
    return None


def _scene(perception: Perception) -> str:
    backdrop = perception.backdrop
    size = f" is {perception.width} by {perception.height} pixels with"
    if backdrop.last is not None:
        ends = ("at the top", "at the bottom") if backdrop.direction == "down" else ("on the left", "on the right")
        where = f"The background fades from {backdrop.colour} {ends[0]} to {backdrop.last} {ends[1]}."
        usual = (perception.width, perception.height) == (512, 512)
        return where if usual else f"The picture{size.removesuffix(' with')}. {where}"
    has = " has" if (perception.width, perception.height) == (512, 512) else size
    return f"The picture{has} a {full_colour(backdrop.colour)} background."


def _shortest(perception: Perception, budget: int) -> str:
    """Say the single most telling thing in very few tokens."""
    named = sorted(perception.percepts, key=lambda p: -weight_of(p, perception.backdrop))
    options = []
    for percept in named[:1]:
        full = statement_of(percept, plain_name)
        options += [full.cut(count).text for count in range(len(full.parts), 0, -1)]
        options.append(_brief(percept))
        options.append(_brief(percept).split(" at ")[0] + ".")
    options.append(f"A {plain_name(perception.backdrop.colour)} background.")
    options.append(f"{plain_name(perception.backdrop.colour).capitalize()}.")
    return next((text for text in options if count_tokens(text) <= budget), options[-1])


def _brief(percept: Percept) -> str:
    left, top, right, bottom = percept.box
    middle = at(((left + right) / 2, (top + bottom) / 2))
    if isinstance(percept, Bars):
        return f"{len(percept.bars)} {plain_name(percept.bars[0].colour)} bars at {middle}."
    if isinstance(percept, Pie):
        return f"A pie chart with {len(percept.wedges)} wedges at {middle}."
    colour = plain_name(_colour_of(percept)).capitalize()
    return f"{colour} {noun(percept)} at {middle}."


def noun(percept: Percept) -> str:
    """Return the word for what a percept is."""
    if isinstance(percept, Shape):
        if percept.kind == "regular":
            return REGULAR.get(len(percept.corners), "polygon")
        return percept.kind
    if isinstance(percept, Stroke):
        if percept.role in {"x axis", "y axis"}:
            return percept.role
        return "line" if len(percept.points) == 2 else "curve" if percept.smooth else "polyline"
    return {Grid: "grid", Ticks: "ticks", Bars: "bars", Pie: "pie"}[type(percept)]


def statement_of(percept: Percept, words: ColourWords) -> Statement:
    """Return the sentence that says what a percept is, where, and in which colour."""
    if isinstance(percept, Shape):
        return Statement("", (_shape(percept, words),))
    if isinstance(percept, Stroke):
        return _stroke(_crisp(percept), words)
    if isinstance(percept, Bars):
        together = _stacks(percept, words) or _alike_bars(percept, words)
        singly = _bars(percept, words)
        return replace(together, shorter=(*_fewer(percept, words), singly)) if together else singly
    if isinstance(percept, Pie):
        return _pie(percept, words)
    if isinstance(percept, Grid):
        return Statement("", (_grid(percept, words),))
    places = _places(list(percept.at))
    return Statement("", (f"Ticks of {percept.length:.0f} px on the {percept.axis} axis at {percept.axis} {places}",))


def _places(values: list[float]) -> str:
    """List positions, or say from where to where and every how many pixels."""
    count = len(values) - 1
    step = round((values[-1] - values[0]) / max(count, 1))
    if count >= 3 and all(abs(value - values[0] - step * n) < 1 for n, value in enumerate(values)):
        return f"{values[0]:.0f} to {values[0] + step * count:.0f} every {step}"
    return ", ".join(f"{value:.0f}" for value in values)


def article(words: str) -> str:
    """Put ``A`` or ``An`` before words."""
    return f"An {words}" if words[0] in "aeiou" else f"A {words}"


def _shape(shape: Shape, words: ColourWords) -> str:
    colour = "unfilled" if shape.colour is None else words(shape.colour)
    text = article(f"{colour} {_measures(shape)}")
    if shape.outline:
        line, width = shape.outline
        with_ = "outlined in" if shape.colour is None else "with a"
        end = f"{number(width)} px {exact(line)}"
        text += f", {with_} {end}" + ("" if shape.colour is None else " outline")
    return text


def _measures(shape: Shape) -> str:
    """Return kind, size and place of a shape."""
    width, height = shape.size
    thin = shape.colour is None and shape.kind in {"rectangle", "square"} and not shape.rotation
    middle = f"centred at {_half(shape.centre) if thin else at(shape.centre)}"
    turned = f", rotated {shape.rotation:.0f} degrees" if abs(shape.rotation) >= 1 else ""
    if shape.kind == "circle":
        return f"circle of radius {number(width / 2)} px {middle}"
    if shape.kind == "ring":
        return f"ring of radius {number(width / 2)} px with a hole of radius {number(height / 2)} px {middle}"
    if shape.kind == "square":
        return f"square of side {width:.0f} px {middle}{turned}"
    if shape.kind in {"rectangle", "ellipse"}:
        return f"{shape.kind} {width:.0f} px wide and {height:.0f} px high {middle}{turned}"
    if shape.kind == "star" and len(shape.corners) == 10 and abs(height / width - 0.42) < 0.07:
        return f"five-pointed star of radius {width / 2:.0f} px {middle}{turned}"
    if shape.kind == "regular" and len(shape.corners) in REGULAR:
        return f"regular {REGULAR[len(shape.corners)]} of radius {width / 2:.0f} px {middle}{turned}"
    kind = "triangle" if shape.kind == "triangle" else "polygon"
    return f"{kind} with corners {', '.join(at(corner) for corner in shape.corners)}"


def _crisp(stroke: Stroke) -> Stroke:
    """Name the row or column that a level or upright line of 1 px fills, not its middle half a pixel further."""
    if stroke.width > 1.2 or len(stroke.points) != 2:
        return stroke
    (x0, y0), (x1, y1) = stroke.points
    if abs(y0 - y1) < 0.6:
        return replace(stroke, points=((x0, math.floor(y0)), (x1, math.floor(y0))))
    if abs(x0 - x1) < 0.6:
        return replace(stroke, points=((math.floor(x0), y0), (math.floor(x0), y1)))
    return stroke


def _stroke(stroke: Stroke, words: ColourWords) -> Statement:
    dash = "" if stroke.dash == "solid" else f"{stroke.dash} "
    kind = noun(stroke)
    if kind in {"x axis", "y axis"}:
        ends = f"from {at(stroke.points[0])} to {at(stroke.points[1])}"
        return Statement("", (f"A {words(stroke.colour)} {kind}, {number(stroke.width)} px, {ends}",))
    text = f"A {number(stroke.width)} px {words(stroke.colour)} {dash}{kind}"
    marked = f" with round markers of radius {number(stroke.marker)} px" if stroke.marker else ""
    points = tuple(at(point) for point in stroke.points)
    if kind == "line":
        return Statement("", (f"{text} from {points[0]} to {points[1]}{marked}",))
    # A part of a smooth curve would run otherwise at its end; what lacks of a polyline can be added later.
    least = len(points) if stroke.smooth else 2
    return Statement(f"{text} through ", points, f"{marked}.", joint=", ", least=least)


def _bars(bars: Bars, words: ColourWords) -> Statement:
    along, across = ("y", "x") if bars.upright else ("x", "y")
    head = f"Bars standing on y {bars.base:.0f}: " if bars.upright else f"Bars growing right from x {bars.base:.0f}: "
    to = "up to" if bars.upright else "out to"
    parts = []
    for bar in bars.bars:
        foot = bars.foot(bar)
        on = "" if foot == bars.base else f" from {along} {foot:.0f}"
        sides = f"from {across} {bar.start:.0f} to {bar.end:.0f}"
        parts.append(f"{words(bar.colour)} {sides}{on} {to} {along} {bar.tip:.0f}")
    return Statement(head, tuple(parts))


def _stacks(group: Bars, words: ColourWords) -> Statement | None:
    """Say stacked bars series by series, from the base on; none if the stacks differ in width or order of colours."""
    stacks: dict[int, list[Bar]] = {}
    for bar in sorted(group.bars, key=lambda bar: (bar.start + bar.end, abs(bar.tip - group.base))):
        middle = round((bar.start + bar.end) / 2)
        stacks.setdefault(next((at for at in stacks if abs(at - middle) <= 2), middle), []).append(bar)
    rows = list(zip(*stacks.values(), strict=False))
    wide = round(sum(bar.end - bar.start for bar in group.bars) / len(group.bars))
    even = len({len(stack) for stack in stacks.values()}) == 1 and all(
        abs(bar.end - bar.start - wide) <= 3 for bar in group.bars
    )
    if len(rows) < 2 or len(stacks) < 2 or not even or any(len({bar.colour for bar in row}) > 1 for row in rows):
        return None
    outlines = {bar.outline for bar in group.bars}
    outline = next(iter(outlines)) if len(outlines) == 1 else None
    edge = f" with a {number(outline[1])} px {exact(outline[0])} outline" if outline else ""
    places = ", ".join(f"{at}" for at in stacks)
    along, to = ("y", "up to y") if group.upright else ("x", "out to x")
    size = f"{wide} px wide{edge} at x {places}" if group.upright else f"{wide} px high{edge} at y {places}"
    way = "standing on" if group.upright else "growing right from"
    parts = [f"{words(row[0].colour)} {to} {', '.join(f'{bar.tip:.0f}' for bar in row)}" for row in rows]
    return Statement(f"Stacked bars {size} {way} {along} {group.base:.0f}: ", tuple(parts))


def _alike_bars(group: Bars, words: ColourWords) -> Statement | None:
    """Say bars of one colour and width in few words; none if they differ."""
    bars = sorted(group.bars, key=lambda bar: bar.start)
    wide = round(sum(bar.end - bar.start for bar in bars) / len(bars))
    one_kind = all(bar.colour == bars[0].colour and bar.outline == bars[0].outline for bar in bars)
    even = all(group.foot(bar) == group.base and abs(bar.end - bar.start - wide) <= 1.6 for bar in bars)
    if len(bars) < 3 or not one_kind or not even:
        return None
    middles = ", ".join(f"{(bar.start + bar.end) / 2:.0f}" for bar in bars)
    tips = ", ".join(f"{bar.tip:.0f}" for bar in bars)
    colour = words(bars[0].colour)
    if group.upright:
        text = f"{colour} bars {wide} px wide standing on y {group.base:.0f} at x {middles} up to y {tips}"
    else:
        text = f"{colour} bars {wide} px high growing right from x {group.base:.0f} at y {middles} out to x {tips}"
    return Statement("", (text[0].upper() + text[1:],))


def _fewer(group: Bars, words: ColourWords) -> tuple[Statement, ...]:
    """Say only some of the bars of one colour and width, those first that cover most."""
    lowest = [bar for bar in group.bars if group.foot(bar) == group.base]
    bars = sorted(lowest, key=lambda bar: -abs(bar.tip - group.base) * (bar.end - bar.start))
    parts = (
        Bars(group.upright, group.base, tuple(bars[:count]))
        for count in range(min(len(bars), len(group.bars) - 1), 2, -1)
    )
    return tuple(said for some in parts if (said := _alike_bars(some, words)) is not None)


def bar_words(bar: Bar) -> str:
    """Name a single bar by colour and place."""
    left, top, right, bottom = bar.box
    return f"{plain_name(bar.colour)} bar at {at(((left + right) / 2, (top + bottom) / 2))}"


def _pie(pie: Pie, words: ColourWords) -> Statement:
    brief = words is plain_name
    hole = f" with a hole of radius {pie.hole:.0f} px" if pie.hole else ""
    start = "12 o'clock" if abs(pie.start) < 1 else f"{pie.start % 360:.0f} degrees"
    border = f" with {exact(pie.border[0])} {number(pie.border[1])} px wedge borders" if pie.border else ""
    kind = "donut" if pie.hole else "pie"
    place = f" at {at(pie.centre)}" if brief else f" centred at {at(pie.centre)}{border}"
    round_ = f"A {kind} of radius {pie.radius:.0f} px{hole}{place}"
    pulled = [f" pulled out {far:.0f} px" if far else "" for far in pie.pulled or [0.0] * len(pie.wedges)]
    wedges = [
        f"{words(colour)} {_percent(round(share, 2) if brief else share)}{out}"
        for (colour, share), out in zip(pie.wedges, pulled, strict=True)
    ]
    return Statement(f"{round_}, clockwise from {start}: ", tuple(wedges), joint=", ")


def _percent(share: float) -> str:
    return f"{100 * share:.1f}".removesuffix(".0") + "%"


def _grid(grid: Grid, words: ColourWords) -> str:
    across, along, name = ("y", "x", "Horizontal") if grid.horizontal else ("x", "y", "Vertical")
    places = _places([math.floor(value) if grid.width <= 1.2 else value for value in grid.at])
    dash = "" if grid.dash == "solid" else f"{grid.dash} "
    return (
        f"{name} {dash}grid lines in {words(grid.colour)}, {number(grid.width)} px, at {across} {places} "
        f"from {along} {grid.low:.0f} to {along} {grid.high:.0f}"
    )
