"""Corrections: visible differences between target and rendering, the largest first.

Both are perceived with the same eyes. Whether a thing is there is then asked of the pixels, so that a thing perceived
in two ways is not corrected twice; only things that differ are matched and put into words.
"""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ircore.core.exact import cos, dist, sin
from ircore.core.images import Pixels
from ircore.players.builtin.classical import perceive
from ircore.players.builtin.classical.matching import (
    NamedThing,
    list_items,
    match_cheapest,
    measure_missing,
    pair_items,
)
from ircore.players.builtin.classical.statements import Statement, describe_bar, format_number, format_point, quote_text
from ircore.players.builtin.classical.wording import describe_percept, describe_texts, name_percept, weigh_percept
from ircore.seeing.arrays import compute_lengths
from ircore.seeing.colours import describe_colour, find_shortest_name, measure_rgb_distance, name_colour
from ircore.seeing.percepts import Backdrop, Bars, Box, Perception, Pie, Shape, Stroke, Text

ALREADY = 0.7
"""Share of a text's ink that must be drawn for it to count as written."""
NEAR = 26.0
"""Largest distance in pixels of two texts that are taken for the same text."""
IN_PLACE = 0.7
"""Pixels that a text may be off without a word."""
OTHER_COLOUR = 12.0
"""Distance in RGB, 0–441, from which on two colours differ."""
MISSING = 0.3
"""Share of differing visible points from which on a thing is corrected."""
SAME = 0.02
"""Share of a shape's visible points that may differ without a word."""
EXTRA = 0.6
"""Share of differing points from which on a thing of the rendering is removed."""
LEG = 0.5
"""Share of the points of a leg of a line that differ from which on the leg is not drawn."""
WORTH = 60.0
"""Pixels, weighed as in ``weigh_percept``, that a correction must set right to be worth a turn."""


MOST_PATCHES = 8
"""Patches of a photograph that one message names at most."""


@dataclass(frozen=True)
class TextManner:
    """How places of texts are corrected.

    Attributes:
        in_place: Pixels that a text may be off without a word.
        by_shift: Whether to say how far to move a text rather than where to.
    """

    in_place: float = IN_PLACE
    by_shift: bool = False


EXACTLY = TextManner()
ROUGHLY = TextManner(in_place=2.5, by_shift=True)
"""As people correct: a pixel or two do not matter, and a text is moved by so much."""


def correct_texts(
    target: Perception, rendering: Perception, target_pixels: Pixels, drawn: Pixels, manner: TextManner = EXACTLY
) -> list[Statement]:
    """Return corrections of missing, different and surplus texts; unreadable text in their place is left alone.

    Arguments are those of ``compare.corrections``.
    """
    pairs = match_cheapest(target.texts, rendering.texts, _compute_distance, NEAR)
    met = {id(text) for pair in pairs for text in pair}
    absent = [
        text
        for text in target.texts
        if id(text) not in met
        and not _is_covered(text.box, rendering.unread)
        and not _is_text_drawn(text, target_pixels, drawn)
    ]
    statements = [
        replace(statement.after("Add "), order=100)
        for statement in describe_texts(absent, find_shortest_name, target.backdrop)
    ]
    for wanted_text, drawn_text in pairs:
        statements += [
            Statement("", (words,), weight=share * weigh_percept(wanted_text, target.backdrop), order=80, again=again)
            for words, again, share in _list_text_changes(wanted_text, drawn_text, rendering.texts, manner)
        ]
    for text in rendering.texts:
        if id(text) not in met and not _is_covered(text.box, target.unread):
            weight = weigh_percept(text, rendering.backdrop)
            statements.append(Statement("Remove ", (_name_text(text, rendering.texts),), weight=weight, order=-1))
    return statements


def _compute_distance(first: Text, second: Text) -> float:
    """Return the distance of two texts in pixels, larger if they differ in words."""
    if first.rotation != second.rotation:
        return math.inf
    # Texts of equal words are paired even if another text is a little nearer.
    return dist(first.centre, second.centre) + (0 if first.text == second.text else NEAR / 2)


def _is_covered(box: Box, others: Sequence[Box]) -> bool:
    """Tell whether something that could not be read is where a text should be."""
    return any(
        min(box[2], other[2]) - max(box[0], other[0]) > 0.3 * (box[2] - box[0])
        and min(box[3], other[3]) - max(box[1], other[1]) > 0.3 * (box[3] - box[1])
        for other in others
    )


def _is_text_drawn(text: Text, target_pixels: Pixels, drawn: Pixels) -> bool:
    """Whether most of a text's ink is drawn, even if other things there make the text unreadable."""
    left, top, right, bottom = text.box
    wanted, made = (pixels[top:bottom, left:right].astype(np.float64) for pixels in (target_pixels, drawn))
    ground = np.median(wanted.reshape(-1, 3), axis=0)
    ink = compute_lengths(wanted - ground)
    strong = ink > 0.5 * ink.max()
    off = compute_lengths(wanted - made)[strong]
    return bool((off < 0.5 * ink[strong]).mean() > ALREADY)


def _list_text_changes(
    wanted: Text, drawn: Text, texts: Sequence[Text], manner: TextManner
) -> list[tuple[str, str, float]]:
    """Return each change of a text, the same in other words, and the share of the text concerned, 0–1."""
    changes, name = [], _name_text(drawn, texts)
    its = f"T{name[1:]}"
    if wanted.text != drawn.text:
        changes.append((f'Change {name} to "{wanted.text}"', f'{its} should be "{wanted.text}"', 0.8))
        # Later corrections of the same message find the text under its new words.
        name, its = (words.replace(f'"{drawn.text}"', f'"{wanted.text}"') for words in (name, its))
    if abs(wanted.size - drawn.size) >= 0.5:
        changes.append(
            (f"{its} should have font size {wanted.size:g}", f"Set {name} to font size {wanted.size:g}", 0.5)
        )
    off = dist(wanted.centre, drawn.centre)
    if off >= manner.in_place:
        # Readings are exact to a quarter of a pixel; see ``typeface``.
        x, y = (round(4 * value) / 4 for value in wanted.centre)
        place = f"({x:g}, {y:g})"
        where = _format_shift(wanted, drawn) if manner.by_shift else f"to {place}"
        changes.append((f"Move {name} {where}", f"{its} should be centred at {place}", min(1.0, off / 4)))
    if measure_rgb_distance(wanted.colour, drawn.colour) >= OTHER_COLOUR:
        share = measure_rgb_distance(wanted.colour, drawn.colour) / 441
        ink = find_shortest_name(wanted.colour)
        changes.append((f"Change the colour of {name} to {ink}", f"The colour of {name} must be {ink}", share))
    return changes


def _format_shift(text: Text, drawn: Text) -> str:
    """Return how far a text is to be moved, such as ``3 px right and 2 px up``."""
    across, down = (round(wanted - made) for wanted, made in zip(text.centre, drawn.centre, strict=True))
    ways = [f"{abs(across)} px {'right' if across > 0 else 'left'}"] if across else []
    ways += [f"{abs(down)} px {'down' if down > 0 else 'up'}"] if down else []
    return " and ".join(ways)


def _name_text(text: Text, texts: Sequence[Text]) -> str:
    """Return the name of a text: its words, and its place if others have the same words."""
    same = sum(other.text == text.text for other in texts) > 1
    return f"the text {quote_text(text.text)}" + (f" at {format_point(text.centre)}" if same else "")


def list_corrections(
    target: Perception, rendering: Perception, target_pixels: Pixels, drawn: Pixels, manner: TextManner = EXACTLY
) -> list[Statement]:
    """Return the differences as statements, the largest first.

    Args:
        target: Perceived in ``target_pixels``.
        rendering: Perceived in ``drawn``.
        target_pixels: Pixels of the target.
        drawn: Pixels of the last rendering, in the target's size.
        manner: How places of texts are corrected.

    Returns:
        Statements, each with the pixels it concerns as weight.
    """
    statements = _correct_backdrop(target.backdrop, rendering.backdrop, target)
    for pie in (percept for percept in target.percepts if isinstance(percept, Pie)):
        if rest := _add_rest_of_pie(pie, target.backdrop, drawn):
            # A budget cut the list of wedges short; the rest of them comes before any correction.
            return [rest]
    # Patches of a photograph are no things that could be matched.
    wanted, made = list_items(target), ([] if rendering.photo else list_items(rendering))
    pairs = pair_items(wanted, made)
    partner = {id(item): match for item, match in pairs}
    paired = {id(other) for _, other in pairs}
    absent: list[tuple[NamedThing, float]] = []
    for order, item in enumerate(wanted):
        share = measure_missing(item.percept, item.colour, target_pixels, drawn)
        weight = share * weigh_percept(item.percept, target.backdrop)
        other = partner.get(id(item))
        if other is not None:
            statements += [
                replace(s, weight=max(weight, s.weight), order=order)
                for s in _list_changes(item, other, share, drawn, target_pixels)
            ]
        elif share >= MISSING:
            absent.append((item, weight))
    statements += _list_additions(absent, target)
    for item in made:
        if id(item) not in paired and _is_worth_removing(item):
            share = measure_missing(item.percept, item.colour, drawn, target_pixels)
            if share >= EXTRA:
                weight = share * weigh_percept(item.percept, rendering.backdrop)
                statements.append(Statement("Remove the ", (_format_reference(item),), weight=weight, order=-1))
    statements += correct_texts(target, rendering, target_pixels, drawn, manner)
    return sorted((s for s in statements if s.weight >= WORTH), key=lambda s: -s.weight)


def _is_worth_removing(item: NamedThing) -> bool:
    """Whether a thing is thick and large enough to be no mere soft edge of a thing that was drawn rightly."""
    percept = item.percept
    return isinstance(percept, Shape) and percept.colour is not None and percept.area > 120


def _correct_backdrop(target: Backdrop, rendering: Backdrop, perception: Perception) -> list[Statement]:
    pixels = perception.width * perception.height
    if target.last is not None:
        same = rendering.last is not None and measure_rgb_distance(target.colour, rendering.colour) < 25
        if same and measure_rgb_distance(target.last, rendering.last or "") < 25:
            return []
        ends = ("at the top", "at the bottom") if target.direction == "down" else ("on the left", "on the right")
        text = f"The background should fade from {target.colour} {ends[0]} to {target.last} {ends[1]}"
        return [Statement("", (text,), weight=pixels / 4, order=-2)]
    off = measure_rgb_distance(target.colour, rendering.colour)
    if off < 8 and rendering.last is None:
        return []
    text = f"The background should be {describe_colour(target.colour)} instead of {name_colour(rendering.colour)}"
    return [Statement("", (text,), weight=pixels * (0.05 + off / 441), order=-2)]


def _list_additions(absent: list[tuple[NamedThing, float]], target: Perception) -> list[Statement]:
    """Return statements that add things; bars of one chart share a statement."""
    statements = []
    groups: dict[int, list[tuple[NamedThing, float]]] = {}
    for item, weight in absent:
        if item.bars is not None:
            groups.setdefault(id(item.bars[0]), []).append((item, weight))
            continue
        statement = describe_percept(item.percept, find_shortest_name).after("Add ")
        order = next((n for n, percept in enumerate(target.percepts) if percept is item.percept), 0)
        statements.append(replace(statement, weight=weight, order=100 + order))
    for members in groups.values():
        group = members[0][0].bars[0] if members[0][0].bars else None
        if group is None:
            continue
        numbers = [item.bars[1] for item, _ in members if item.bars]
        statement = describe_percept(
            Bars(group.upright, group.base, tuple(group.bars[n] for n in numbers)), find_shortest_name
        )
        weight = math.fsum(weight for _, weight in members)
        statements.append(replace(statement.after("Add "), weight=weight, order=100))
    return statements


def _list_changes(
    item: NamedThing, other: NamedThing, share: float, drawn: Pixels, target_pixels: Pixels
) -> list[Statement]:
    """Say how a thing that is there differs."""
    wanted, drawn_percept = item.percept, other.percept
    reference = _format_reference(other)
    area = max(wanted.area, 1.0)
    if isinstance(wanted, Pie) and isinstance(drawn_percept, Pie) and _have_same_shares(wanted, drawn_percept):
        return _change_of_wedges(wanted, drawn_percept)
    if isinstance(wanted, Shape) and wanted.colour is None and share < MISSING:
        return []
    if (
        isinstance(wanted, Shape)
        and isinstance(drawn_percept, Shape)
        and wanted.kind == drawn_percept.kind
        and not wanted.corners
    ):
        # Looked at from both sides, since a shape that is too large covers all of the wanted one.
        if share < SAME and measure_missing(drawn_percept, other.colour, drawn, target_pixels) < SAME:
            return _change_of_outline(wanted, drawn_percept, reference) if item.bars is None else []
        return _change_of_shape(wanted, drawn_percept, reference, item)
    if share < MISSING and measure_missing(drawn_percept, other.colour, drawn, target_pixels) < MISSING:
        return _change_of_colour(item, other, reference, area)
    statement = describe_percept(wanted, find_shortest_name)
    if isinstance(wanted, Stroke):
        whole = statement.after(f"Replace the {reference} with ")
        rest = tuple(_add_rest_of_line(wanted, target_pixels, drawn))
        return [replace(whole, weight=share * area * 3, least=len(whole.parts), shorter=rest)]
    return [replace(statement.after(f"Remove the {reference}. Add "), weight=share * area)]


def _add_rest_of_line(line: Stroke, target_pixels: Pixels, drawn: Pixels) -> list[Statement]:
    """Return the undrawn parts of a bent line; empty if nothing of the line is drawn."""
    if line.smooth or len(line.points) < 3:
        return []
    legs = [replace(line, points=leg) for leg in itertools.pairwise(line.points)]
    lacks = [measure_missing(leg, line.colour, target_pixels, drawn) >= LEG for leg in legs]
    if all(lacks):
        return []
    statements: list[Statement] = []
    for lacking, run in itertools.groupby(zip(lacks, legs, strict=True), key=lambda entry: entry[0]):
        run_legs = [leg for _, leg in run]
        if lacking:
            points = (run_legs[0].points[0], *(leg.points[1] for leg in run_legs))
            part = replace(line, points=points)
            statements.append(
                replace(describe_percept(part, find_shortest_name).after("Add "), weight=3 * part.area, order=100)
            )
    return statements


def _have_same_shares(first: Pie, second: Pie) -> bool:
    alike = len(first.wedges) == len(second.wedges) and abs(first.radius - second.radius) < 4
    return alike and all(abs(a[1] - b[1]) < 0.02 for a, b in zip(first.wedges, second.wedges, strict=True))


def _add_rest_of_pie(pie: Pie, backdrop: Backdrop, drawn: Pixels) -> Statement | None:
    """Return the wedges after the last drawn wedge; None if every wedge is drawn, or not even the first wedge."""
    there, turn = [], pie.start
    for colour, share in pie.wedges:
        place = _find_wedge_middle(pie, turn + 180 * share)
        turn += 360 * share
        row, column = (min(max(int(at), 0), size - 1) for at, size in zip(place[::-1], drawn.shape, strict=False))
        now = "#{:02x}{:02x}{:02x}".format(*(int(level) for level in drawn[row, column]))
        there.append(
            measure_rgb_distance(now, backdrop.colour) > min(20.0, measure_rgb_distance(colour, backdrop.colour) / 2)
        )
    count = there.index(False) if False in there else len(there)
    if count in {0, len(there)} or any(there[count:]):
        return None
    words = describe_percept(pie, find_shortest_name).parts[count:]
    return Statement("Next wedges: ", words, weight=pie.area, joint=", ")


def _find_wedge_middle(pie: Pie, degrees: float) -> tuple[float, float]:
    """Return the point halfway from the hole to the rim of a pie, in a direction clockwise from 12 o'clock."""
    angle, far = math.radians(degrees), (pie.radius + pie.hole) / 2
    return pie.centre[0] + far * sin(angle), pie.centre[1] - far * cos(angle)


def _change_of_wedges(wanted: Pie, drawn_pie: Pie) -> list[Statement]:
    """Say which wedges have another colour."""
    statements, turn = [], drawn_pie.start
    for (colour, share), (drawn, its) in zip(wanted.wedges, drawn_pie.wedges, strict=True):
        middle, turn = turn + 180 * its, turn + 360 * its
        if measure_rgb_distance(colour, drawn) >= 12:
            place = format_point(_find_wedge_middle(drawn_pie, middle))
            weight = wanted.area * share * measure_rgb_distance(colour, drawn) / 441
            words = f"The wedge at {place} should be {find_shortest_name(colour)}"
            statements.append(Statement("", (words,), weight=weight))
    return statements


def _change_of_colour(item: NamedThing, other: NamedThing, reference: str, area: float) -> list[Statement]:
    thin = not isinstance(item.percept, Shape) or item.percept.colour is None
    if thin or not item.colour or not other.colour or measure_rgb_distance(item.colour, other.colour) < 12:
        return []
    weight = area * measure_rgb_distance(item.colour, other.colour) / 441
    return [
        Statement("Change the colour of the ", (f"{reference} to {find_shortest_name(item.colour)}",), weight=weight)
    ]


def _change_of_shape(wanted: Shape, drawn: Shape, reference: str, item: NamedThing) -> list[Statement]:
    """Say how far to move, how to resize, turn and recolour a round or four-sided shape."""
    changes = []
    dx, dy = round(wanted.centre[0] - drawn.centre[0]), round(wanted.centre[1] - drawn.centre[1])
    width, height = wanted.size
    wider, higher = width - drawn.size[0], height - drawn.size[1]
    resized = abs(wider) > 2 or abs(higher) > 2
    moved = abs(dx) >= 2 or abs(dy) >= 2
    if item.bars is not None and (resized or moved):
        return _change_of_bar(wanted, drawn, item)
    if moved:
        ways = [f"{abs(dx)} px {'right' if dx > 0 else 'left'}"] * (abs(dx) >= 2)
        ways += [f"{abs(dy)} px {'down' if dy > 0 else 'up'}"] * (abs(dy) >= 2)
        weight = min(wanted.area, abs(dx) * height + abs(dy) * width)
        again = f"The {reference} should be centred at {format_point(wanted.centre)}"
        changes.append(Statement("Move the ", (f"{reference} {' and '.join(ways)}",), weight=weight, again=again))
    if resized:
        size = (
            f"radius {width / 2:.0f} px" if wanted.kind == "circle" else f"{width:.0f} px wide and {height:.0f} px high"
        )
        larger = "larger" if wider + higher > 0 else "smaller"
        text = f"Make the {reference} {larger}: {size}"
        again = f"The {reference} should {'have a ' + size if wanted.kind == 'circle' else 'be ' + size}"
        weight = min(wanted.area, abs(wider) * height + abs(higher) * width)
        changes.append(Statement("", (text,), weight=weight, again=again))
    # Upside down, a shape of two equal halves looks the same.
    turned = (wanted.rotation - drawn.rotation + 90) % 180 - 90
    if abs(turned) >= 3 and wanted.kind != "circle":
        way = "clockwise" if turned > 0 else "counterclockwise"
        text = f"Rotate the {reference} by {abs(turned):.0f} degrees {way}"
        again = f"The {reference} should be rotated by {abs(turned):.0f} degrees {way}"
        changes.append(Statement("", (text,), weight=wanted.area * min(1.0, abs(turned) / 60), again=again))
    own = wanted.colour or (wanted.outline[0] if wanted.outline else None)
    its = drawn.colour or (drawn.outline[0] if drawn.outline else None)
    if own and its and measure_rgb_distance(own, its) >= 12:
        weight = wanted.area * measure_rgb_distance(own, its) / 441
        again = f"The colour of the {reference} must be {find_shortest_name(own)}"
        words = (f"{reference} to {find_shortest_name(own)}",)
        changes.append(Statement("Change the colour of the ", words, weight=weight, again=again))
    return changes + _change_of_outline(wanted, drawn, reference)


def _change_of_outline(shape: Shape, drawn: Shape, reference: str) -> list[Statement]:
    """Return the correction of a filled shape's outline; empty if the outline is right."""
    if shape.colour is None or drawn.colour is None:
        return []
    wanted, made = shape.outline, drawn.outline
    around = 2 * math.fsum(shape.size)
    if wanted is None:
        text = f"The {reference} should have no outline"
        return [] if made is None else [Statement("", (text,), weight=around * made[1])]
    same = made is not None and abs(wanted[1] - made[1]) < 1 and measure_rgb_distance(wanted[0], made[0]) < 40
    if same:
        return []
    text = f"The {reference} should have a {format_number(wanted[1])} px {find_shortest_name(wanted[0])} outline"
    again = f"Give the {reference} a {format_number(wanted[1])} px {find_shortest_name(wanted[0])} outline"
    return [Statement("", (text,), weight=around * wanted[1], again=again)]


def _change_of_bar(wanted: Shape, drawn: Shape, item: NamedThing) -> list[Statement]:
    if item.bars is None:
        return []
    group, number = item.bars
    bar = group.bars[number]
    same_place = abs(wanted.box[0] - drawn.box[0]) <= 2 and abs(wanted.box[2] - drawn.box[2]) <= 2
    off = (
        abs(wanted.size[1] - drawn.size[1]) * wanted.size[0] + abs(wanted.centre[0] - drawn.centre[0]) * wanted.size[1]
    )
    if group.upright and same_place:
        place = format_point(drawn.centre)
        name = f"{name_colour(drawn.colour or bar.colour)} bar at {place}"
        again = f"The {name} should reach y {bar.tip:.0f}"
        return [Statement("", (f"Change the {name} to reach y {bar.tip:.0f}",), weight=off, again=again)]
    statement = describe_percept(Bars(group.upright, group.base, (bar,)), find_shortest_name)
    shown = describe_bar(replace(bar, colour=drawn.colour or bar.colour, box=drawn.box))
    return [replace(statement.after(f"Remove the {shown}. Add "), weight=off)]


def _format_reference(item: NamedThing) -> str:
    """Name a thing of the rendering by colour, kind and place."""
    percept = item.percept
    if item.bars is not None:
        return describe_bar(item.bars[0].bars[item.bars[1]])
    colour = f"{name_colour(item.colour)} " if item.colour else ""
    place = percept.centre if isinstance(percept, Shape) else item.middle
    if isinstance(percept, Stroke):
        # The middle of the box of a bent line may lie far from the line.
        place = percept.points[len(percept.points) // 2] if len(percept.points) > 2 else item.middle
    exactly = f" ({item.colour})" if item.colour and find_shortest_name(item.colour) == item.colour else ""
    return f"{colour.strip()}{exactly} {name_percept(percept)} at {format_point(place)}".strip()


def correct_photo(target: Perception, target_pixels: Pixels, drawn: Pixels) -> list[Statement]:
    """Say which patches would bring a rendering nearer to a picture of many colours."""
    grid, now = perceive.reduce_to_cells(target_pixels), perceive.reduce_to_cells(drawn)
    before = float(np.square(grid - now).sum())
    statements = []
    for order, patch in enumerate(perceive.choose_patches(grid, now, MOST_PATCHES)):
        if patch.gain < 0.012 * before:
            break
        shape = perceive.convert_to_shape(patch, target.width, target.height)
        words = describe_percept(shape, find_shortest_name).text.removesuffix(".")
        statements.append(Statement("Add ", (words[0].lower() + words[1:],), weight=1000.0 - order, order=order))
    return statements
