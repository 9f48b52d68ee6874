"""Bars, pies and grids in words."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from ircore.players.builtin.classical.statements import ColourWords, Statement, at, number, places
from ircore.seeing.colours import plain_name, shortest_name
from ircore.seeing.percepts import Bar, Bars, Grid, Pie, middle_of


def bars_statement(bars: Bars, words: ColourWords) -> Statement:
    """Return a statement about bars in as few words as possible, with shorter variants that drop bars."""
    singly = _each_bar(bars, words)
    layers = _layers(bars, words)
    whole = _stacks(bars, words)
    if layers:
        return replace(whole or layers[0], shorter=(*(layers if whole else layers[1:]), singly))
    # One sentence for all bars takes far fewer tokens than a part for each.
    together = _alike_bars(bars, words)
    return replace(together, shorter=(*_fewer(bars, words), singly)) if together else singly


def _each_bar(bars: Bars, words: ColourWords) -> Statement:
    along, across = ("y", "x") if bars.upright else ("x", "y")
    way = f"standing on y {bars.base:.0f}" if bars.upright else f"growing right from x {bars.base:.0f}"
    head = f"Bars{edge_words(bars)} {way}: "
    to = "up to" if bars.upright else "out to"
    parts = []
    for bar in bars.bars:
        foot = bars.foot(bar)
        on = "" if foot == bars.base else f" from {along} {foot:.0f}"
        sides = f"from {across} {bar.start:.0f} to {bar.end:.0f}"
        parts.append(f"{words(bar.colour)} {sides}{on} {to} {along} {bar.tip:.0f}")
    return Statement(head, tuple(parts))


def _stacks(group: Bars, words: ColourWords) -> Statement | None:
    """Return stacked bars series by series, from the base on; None if stacks differ in width or order of colours."""
    stacks = _columns(group)
    rows = list(zip(*stacks.values(), strict=False))
    wide = round(math.fsum(bar.end - bar.start for bar in group.bars) / len(group.bars))
    even = len({len(stack) for stack in stacks.values()}) == 1 and all(
        abs(bar.end - bar.start - wide) <= 3 for bar in group.bars
    )
    if len(rows) < 2 or len(stacks) < 2 or not even or any(len({bar.colour for bar in row}) > 1 for row in rows):
        return None
    return _stacked(group, list(stacks), rows, words)


def _columns(group: Bars) -> dict[int, list[Bar]]:
    """Return the bars of each stack, from the base on, by where the stack stands."""
    stacks: dict[int, list[Bar]] = {}
    for bar in sorted(group.bars, key=lambda bar: (bar.start + bar.end, abs(bar.tip - group.base))):
        middle = round((bar.start + bar.end) / 2)
        stacks.setdefault(next((at for at in stacks if abs(at - middle) <= 2), middle), []).append(bar)
    return stacks


def _stacked(group: Bars, places: Sequence[int], rows: Sequence[Sequence[Bar]], words: ColourWords) -> Statement:
    """Return a statement about series of stacked bars, each bar on top of the bar before."""
    bars = [bar for row in rows for bar in row]
    wide, edge = round(math.fsum(bar.end - bar.start for bar in bars) / len(bars)), edge_words(group)
    where = ", ".join(f"{place}" for place in places)
    along, to = ("y", "up to y") if group.upright else ("x", "out to x")
    size = f"{wide} px wide{edge} at x {where}" if group.upright else f"{wide} px high{edge} at y {where}"
    way = "standing on" if group.upright else "growing right from"
    parts = [f"{words(row[0].colour)} {to} {', '.join(f'{bar.tip:.0f}' for bar in row)}" for row in rows]
    return Statement(f"Stacked bars {size} {way} {along} {group.base:.0f}: ", tuple(parts))


def _layers(group: Bars, words: ColourWords) -> tuple[Statement, ...]:
    """Return statements about the stacks' lowest bars of one colour, each with a bar fewer; empty without stacks."""
    if all(group.foot(bar) == group.base for bar in group.bars):
        return ()
    lowest = [(place, stack[0]) for place, stack in _columns(group).items()]
    colour = Counter(bar.colour for _, bar in lowest).most_common(1)[0][0]
    alike = [(place, bar) for place, bar in lowest if bar.colour == colour]
    counts = range(len(alike), 0, -1)
    return tuple(
        _stacked(group, [place for place, _ in alike[:count]], [[bar for _, bar in alike[:count]]], words)
        for count in counts
    )


def _alike_bars(group: Bars, words: ColourWords) -> Statement | None:
    """Return a single statement about bars of one colour and width; None if the bars differ in either."""
    bars = sorted(group.bars, key=lambda bar: bar.start)
    wide = round(math.fsum(bar.end - bar.start for bar in bars) / len(bars))
    one_kind = all(bar.colour == bars[0].colour for bar in bars)
    even = all(group.foot(bar) == group.base and abs(bar.end - bar.start - wide) <= 1.6 for bar in bars)
    if len(bars) < 3 or not one_kind or not even:
        return None
    middles = ", ".join(f"{(bar.start + bar.end) / 2:.0f}" for bar in bars)
    tips = ", ".join(f"{bar.tip:.0f}" for bar in bars)
    colour, edge = words(bars[0].colour), edge_words(group)
    if group.upright:
        text = f"{colour} bars {wide} px wide{edge} standing on y {group.base:.0f} at x {middles} up to y {tips}"
    else:
        text = (
            f"{colour} bars {wide} px high{edge} growing right from x {group.base:.0f} at y {middles} out to x {tips}"
        )
    return Statement("", (text[0].upper() + text[1:],))


def _fewer(group: Bars, words: ColourWords) -> tuple[Statement, ...]:
    """Return statements about fewer and fewer bars of one colour and width, the largest bars kept longest."""
    lowest = [bar for bar in group.bars if group.foot(bar) == group.base]
    bars = sorted(lowest, key=lambda bar: -abs(bar.tip - group.base) * (bar.end - bar.start))
    parts = (
        Bars(group.upright, group.base, tuple(bars[:count]))
        for count in range(min(len(bars), len(group.bars) - 1), 2, -1)
    )
    return tuple(statement for some in parts if (statement := _alike_bars(some, words)) is not None)


def edge_words(group: Bars) -> str:
    """Return the outline that all bars share in words; empty if they have no outline or differ."""
    outlines = {bar.outline for bar in group.bars}
    outline = next(iter(outlines)) if len(outlines) == 1 else None
    return f" with a {number(outline[1])} px {shortest_name(outline[0])} outline" if outline else ""


def bar_words(bar: Bar) -> str:
    """Name a single bar by colour and place."""
    return f"{plain_name(bar.colour)} bar at {at(middle_of(bar.box))}"


def pie_statement(pie: Pie, words: ColourWords) -> Statement:
    """Return a statement about a pie, wedge by wedge; with everyday colours, shares are rounded."""
    brief = words is plain_name
    hole = f" with a hole of radius {pie.hole:.0f} px" if pie.hole else ""
    start = "12 o'clock" if abs(pie.start) < 1 else f"{pie.start % 360:.0f} degrees"
    border = f" with {shortest_name(pie.border[0])} {number(pie.border[1])} px wedge borders" if pie.border else ""
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


def grid_words(grid: Grid, words: ColourWords) -> str:
    """Say where the lines of a grid are and from where to where they run."""
    across, along, name = ("y", "x", "Horizontal") if grid.horizontal else ("x", "y", "Vertical")
    # Thin lines fill one row of pixels, which the generator takes as a whole number.
    lines = places([math.floor(value) if grid.width <= 1.2 else value for value in grid.at])
    dash = "" if grid.dash == "solid" else f"{grid.dash} "
    return (
        f"{name} {dash}grid lines in {words(grid.colour)}, {number(grid.width)} px, at {across} {lines} "
        f"from {along} {grid.low:.0f} to {along} {grid.high:.0f}"
    )
