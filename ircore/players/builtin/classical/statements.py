"""Sentences that can be cut to fit a budget of tokens; bars, pies and grids in words."""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ircore.core.tokens import count_tokens
from ircore.seeing.colours import find_shortest_name, name_colour
from ircore.seeing.percepts import Bar, Bars, Grid, Pie, Point, compute_middle

ColourWords = Callable[[str], str]


@dataclass(frozen=True)
class Statement:
    """A sentence of a message; a sentence that lists things can be cut to the first few.

    >>> Statement("Dots at ", ("(1, 2)", "(3, 4)"), joint=", ").text
    'Dots at (1, 2), (3, 4).'

    Attributes:
        parts: Listed things; a single part if the sentence lists nothing.
        tail: Text after the list, the full stop included.
        weight: How much it tells, about the pixels it sets right.
        order: Place in the order of painting.
        least: Parts that it must keep if it is cut.
        shorter: Other statements to take if it does not fit.
        again: The sentence in other words, without full stop, to repeat it if it had no effect.
    """

    head: str
    parts: tuple[str, ...]
    tail: str = "."
    weight: float = 0.0
    order: int = 0
    joint: str = "; "
    least: int = 1
    shorter: tuple["Statement", ...] = ()
    again: str = ""

    @property
    def text(self) -> str:
        """The sentence."""
        return self.head + self.joint.join(self.parts) + self.tail

    def cut(self, count: int) -> "Statement":
        """Return the statement with only the first ``count`` parts."""
        return replace(self, parts=self.parts[:count], weight=self.weight * count / len(self.parts))

    def reword(self) -> "Statement":
        """Return the same in other words, if there are any."""
        if self.again:
            return replace(self, head="", parts=(self.again,), tail=".", shorter=(), again="")
        for usual, other in (("Add ", "There should be "), ("Remove ", "Delete ")):
            if self.head.startswith(usual):
                shorter = tuple(variant.reword() for variant in self.shorter)
                return replace(self, head=other + self.head.removeprefix(usual), shorter=shorter)
        return self

    def after(self, opening: str) -> "Statement":
        """Return the statement and its shorter variants in lower case, each behind ``opening``."""
        if self.head:
            head, parts = opening + self.head[0].lower() + self.head[1:], self.parts
        else:
            head, parts = opening, (self.parts[0][0].lower() + self.parts[0][1:], *self.parts[1:])
        return replace(self, head=head, parts=parts, shorter=tuple(variant.after(opening) for variant in self.shorter))


def format_number(value: float) -> str:
    """Return a pixel measure without needless decimals."""
    return f"{value:.0f}" if abs(value - round(value)) < 0.26 or abs(value) > 24 else f"{value:.1f}"


def format_point(point: Point) -> str:
    """Return a position as ``(x, y)`` in whole pixels."""
    return f"({round(point[0])}, {round(point[1])})"


def format_half_pixels(point: Point) -> str:
    """Return a position in half pixels, for lines that must fall on whole pixels."""
    return "(" + ", ".join(f"{round(2 * value) / 2:g}" for value in point) + ")"


def format_places(values: list[float]) -> str:
    """List positions in whole pixels, or say from where to where and every how many pixels."""
    count = len(values) - 1
    step = round((values[-1] - values[0]) / max(count, 1))
    if count >= 3 and all(abs(value - values[0] - step * n) < 1 for n, value in enumerate(values)):
        return f"{values[0]:.0f} to {values[0] + step * count:.0f} every {step}"
    return ", ".join(f"{value:.0f}" for value in values)


def quote_text(text: str) -> str:
    """Return a text in double quotes; its own double quotes become single, since they would end the text."""
    return '"' + text.replace('"', "'") + '"'


def is_number(text: str) -> bool:
    """Tell whether a text is a number in digits, such as ``-2.5``."""
    return text.removeprefix("-").replace(".", "", 1).isdigit()


def pack_statements(statements: Sequence[Statement], budget: int, opening: str = "") -> str:
    """Choose the statements that tell most and fit, and put them in the order of painting."""
    left = budget - count_tokens(opening) - 1
    chosen: list[Statement] = []
    for statement in sorted(statements, key=lambda s: -s.weight):
        fitting = _shorten_to_fit(statement, left, alone=not chosen)
        if fitting is not None:
            chosen.append(fitting)
            left -= count_tokens(" " + fitting.text)
    ordered = sorted(chosen, key=lambda s: s.order)
    return " ".join([opening, *(s.text for s in ordered)]).strip()


def describe_bars(bars: Bars, words: ColourWords) -> Statement:
    """Return a statement about bars in as few words as possible, with shorter variants that drop bars."""
    singly = _describe_each_bar(bars, words)
    layers = _describe_layers(bars, words)
    whole = _describe_stacks(bars, words)
    if layers:
        return replace(whole or layers[0], shorter=(*(layers if whole else layers[1:]), singly))
    # One sentence for all bars takes far fewer tokens than a part for each.
    together = _describe_alike_bars(bars, words)
    return replace(together, shorter=(*_describe_fewer_bars(bars, words), singly)) if together else singly


def describe_outline(group: Bars) -> str:
    """Return the outline that all bars share in words; empty if they have no outline or differ."""
    outlines = {bar.outline for bar in group.bars}
    outline = next(iter(outlines)) if len(outlines) == 1 else None
    return f" with a {format_number(outline[1])} px {find_shortest_name(outline[0])} outline" if outline else ""


def describe_bar(bar: Bar) -> str:
    """Name a single bar by colour and place."""
    return f"{name_colour(bar.colour)} bar at {format_point(compute_middle(bar.box))}"


def describe_pie(pie: Pie, words: ColourWords) -> Statement:
    """Return a statement about a pie, wedge by wedge; with everyday colours, shares are rounded."""
    brief = words is name_colour
    hole = f" with a hole of radius {pie.hole:.0f} px" if pie.hole else ""
    start = "12 o'clock" if abs(pie.start) < 1 else f"{pie.start % 360:.0f} degrees"
    border = (
        f" with {find_shortest_name(pie.border[0])} {format_number(pie.border[1])} px wedge borders"
        if pie.border
        else ""
    )
    kind = "donut" if pie.hole else "pie"
    place = f" at {format_point(pie.centre)}" if brief else f" centred at {format_point(pie.centre)}{border}"
    round_ = f"A {kind} of radius {pie.radius:.0f} px{hole}{place}"
    pulled = [f" pulled out {far:.0f} px" if far else "" for far in pie.pulled or [0.0] * len(pie.wedges)]
    wedges = [
        f"{words(colour)} {_format_percent(round(share, 2) if brief else share)}{out}"
        for (colour, share), out in zip(pie.wedges, pulled, strict=True)
    ]
    return Statement(f"{round_}, clockwise from {start}: ", tuple(wedges), joint=", ")


def describe_grid(grid: Grid, words: ColourWords) -> str:
    """Say where the lines of a grid are and from where to where they run."""
    across, along, name = ("y", "x", "Horizontal") if grid.horizontal else ("x", "y", "Vertical")
    # Thin lines fill one row of pixels, which the generator takes as a whole number.
    lines = format_places([math.floor(value) if grid.width <= 1.2 else value for value in grid.at])
    dash = "" if grid.dash == "solid" else f"{grid.dash} "
    return (
        f"{name} {dash}grid lines in {words(grid.colour)}, {format_number(grid.width)} px, at {across} {lines} "
        f"from {along} {grid.low:.0f} to {along} {grid.high:.0f}"
    )


def _shorten_to_fit(statement: Statement, left: int, alone: bool) -> Statement | None:
    """Return the longest variant that fits; a line is cut only if the message has nothing else."""
    for variant in (statement, *statement.shorter):
        least = len(variant.parts) if variant.least > 1 and not alone else min(variant.least, len(variant.parts))
        for count in range(len(variant.parts), least - 1, -1):
            if count_tokens(" " + (fitting := variant.cut(count)).text) <= left:
                return replace(fitting, weight=statement.weight, order=statement.order)
    return None


def _describe_each_bar(bars: Bars, words: ColourWords) -> Statement:
    along, across = ("y", "x") if bars.upright else ("x", "y")
    way = f"standing on y {bars.base:.0f}" if bars.upright else f"growing right from x {bars.base:.0f}"
    head = f"Bars{describe_outline(bars)} {way}: "
    to = "up to" if bars.upright else "out to"
    parts = []
    for bar in bars.bars:
        foot = bars.foot(bar)
        on = "" if foot == bars.base else f" from {along} {foot:.0f}"
        sides = f"from {across} {bar.start:.0f} to {bar.end:.0f}"
        parts.append(f"{words(bar.colour)} {sides}{on} {to} {along} {bar.tip:.0f}")
    return Statement(head, tuple(parts))


def _describe_stacks(group: Bars, words: ColourWords) -> Statement | None:
    """Return stacked bars series by series, from the base on; None if stacks differ in width or order of colours."""
    stacks = _group_by_stack(group)
    rows = list(zip(*stacks.values(), strict=False))
    wide = round(math.fsum(bar.end - bar.start for bar in group.bars) / len(group.bars))
    even = len({len(stack) for stack in stacks.values()}) == 1 and all(
        abs(bar.end - bar.start - wide) <= 3 for bar in group.bars
    )
    if len(rows) < 2 or len(stacks) < 2 or not even or any(len({bar.colour for bar in row}) > 1 for row in rows):
        return None
    return _describe_stacked_series(group, list(stacks), rows, words)


def _group_by_stack(group: Bars) -> dict[int, list[Bar]]:
    """Return the bars of each stack, from the base on, by where the stack stands."""
    stacks: dict[int, list[Bar]] = {}
    for bar in sorted(group.bars, key=lambda bar: (bar.start + bar.end, abs(bar.tip - group.base))):
        middle = round((bar.start + bar.end) / 2)
        stacks.setdefault(next((at for at in stacks if abs(at - middle) <= 2), middle), []).append(bar)
    return stacks


def _describe_stacked_series(
    group: Bars, places: Sequence[int], rows: Sequence[Sequence[Bar]], words: ColourWords
) -> Statement:
    """Return a statement about series of stacked bars, each bar on top of the bar before."""
    bars = [bar for row in rows for bar in row]
    wide, edge = round(math.fsum(bar.end - bar.start for bar in bars) / len(bars)), describe_outline(group)
    where = ", ".join(f"{place}" for place in places)
    along, to = ("y", "up to y") if group.upright else ("x", "out to x")
    size = f"{wide} px wide{edge} at x {where}" if group.upright else f"{wide} px high{edge} at y {where}"
    way = "standing on" if group.upright else "growing right from"
    parts = [f"{words(row[0].colour)} {to} {', '.join(f'{bar.tip:.0f}' for bar in row)}" for row in rows]
    return Statement(f"Stacked bars {size} {way} {along} {group.base:.0f}: ", tuple(parts))


def _describe_layers(group: Bars, words: ColourWords) -> tuple[Statement, ...]:
    """Return statements about the stacks' lowest bars of one colour, each with a bar fewer; empty without stacks."""
    if all(group.foot(bar) == group.base for bar in group.bars):
        return ()
    lowest = [(place, stack[0]) for place, stack in _group_by_stack(group).items()]
    colour = Counter(bar.colour for _, bar in lowest).most_common(1)[0][0]
    alike = [(place, bar) for place, bar in lowest if bar.colour == colour]
    counts = range(len(alike), 0, -1)
    return tuple(
        _describe_stacked_series(
            group, [place for place, _ in alike[:count]], [[bar for _, bar in alike[:count]]], words
        )
        for count in counts
    )


def _describe_alike_bars(group: Bars, words: ColourWords) -> Statement | None:
    """Return a single statement about bars of one colour and width; None if the bars differ in either."""
    bars = sorted(group.bars, key=lambda bar: bar.start)
    wide = round(math.fsum(bar.end - bar.start for bar in bars) / len(bars))
    one_kind = all(bar.colour == bars[0].colour for bar in bars)
    even = all(group.foot(bar) == group.base and abs(bar.end - bar.start - wide) <= 1.6 for bar in bars)
    if len(bars) < 3 or not one_kind or not even:
        return None
    middles = ", ".join(f"{(bar.start + bar.end) / 2:.0f}" for bar in bars)
    tips = ", ".join(f"{bar.tip:.0f}" for bar in bars)
    colour, edge = words(bars[0].colour), describe_outline(group)
    if group.upright:
        text = f"{colour} bars {wide} px wide{edge} standing on y {group.base:.0f} at x {middles} up to y {tips}"
    else:
        text = (
            f"{colour} bars {wide} px high{edge} growing right from x {group.base:.0f} at y {middles} out to x {tips}"
        )
    return Statement("", (text[0].upper() + text[1:],))


def _describe_fewer_bars(group: Bars, words: ColourWords) -> tuple[Statement, ...]:
    """Return statements about fewer and fewer bars of one colour and width, the largest bars kept longest."""
    lowest = [bar for bar in group.bars if group.foot(bar) == group.base]
    bars = sorted(lowest, key=lambda bar: -abs(bar.tip - group.base) * (bar.end - bar.start))
    parts = (
        Bars(group.upright, group.base, tuple(bars[:count]))
        for count in range(min(len(bars), len(group.bars) - 1), 2, -1)
    )
    return tuple(statement for some in parts if (statement := _describe_alike_bars(some, words)) is not None)


def _format_percent(share: float) -> str:
    return f"{100 * share:.1f}".removesuffix(".0") + "%"
