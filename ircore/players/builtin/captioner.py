"""A describer weaker on purpose: the captioner names things and rough places, and soon gives up.

It sees with the same eyes as the classical describer but measures nothing: no pixels, no exact colours, no shares.
"""

import asyncio

from ircore.core import exact
from ircore.core.plain_words import add_article
from ircore.core.records import PlayerSpec
from ircore.core.tokens import count_tokens
from ircore.players.base import DescriberView, TextAnswer, refuse_settings
from ircore.players.builtin.classical.matching import NamedThing, list_items, pair_items
from ircore.players.builtin.classical.perceive import perceive_picture, resize_to_target
from ircore.players.builtin.classical.wording import NUMBERS, name_percept, weigh_percept
from ircore.seeing.colours import name_colour
from ircore.seeing.percepts import (
    Bars,
    Grid,
    Percept,
    Perception,
    Pie,
    Shape,
    Text,
    Ticks,
    compute_middle,
)

MOST_TOKENS = 60
MOST_CORRECTIONS = 2
LAST_TURN = 3
"""First turn at which any rendering is accepted."""
OFF = 0.08
"""Shares of the picture's width or height by which something must be off to be noticed."""


class CaptionerDescriber:
    """Writes captions. Deterministic, offline, without state.

    >>> from ircore.players.conformance import build_sample_questions
    >>> red_square = build_sample_questions("describe")[0]
    >>> asyncio.run(CaptionerDescriber(PlayerSpec(player="captioner")).describe(red_square)).text
    '<DESCRIPTION>A white background. A large red square on the left.</DESCRIPTION>'
    """

    def __init__(self, spec: PlayerSpec) -> None:
        refuse_settings(spec)

    async def describe(self, view: DescriberView) -> TextAnswer:
        """Caption the target, or name at most two things that look wrong, or be content."""
        message = await asyncio.to_thread(_write_message, view)
        return TextAnswer.from_message(message)


def _write_message(view: DescriberView) -> str:
    if view.turn >= LAST_TURN:
        return ""
    target = perceive_picture(view.target)
    if view.renderings:
        return " ".join(_write_complaints(target, perceive_picture(resize_to_target(view.target, view.renderings[-1]))))
    return _write_caption(target, min(view.token_budget, MOST_TOKENS))


def _write_caption(perception: Perception, budget: int) -> str:
    """Say the largest things, as many as fit."""
    things = [percept for percept in perception.percepts if not isinstance(percept, Text)]
    largest = sorted(things, key=lambda percept: -weigh_percept(percept, perception.backdrop))
    phrases: list[str] = []
    for percept in largest:
        phrase = _write_phrase(percept, perception)
        if phrase not in phrases and count_tokens(_join_sentences([*phrases, phrase], perception)) <= budget:
            phrases.append(phrase)
    # Even the background alone may not fit.
    text = _join_sentences(phrases, perception)
    return text if count_tokens(text) <= budget else f"{name_colour(perception.backdrop.colour).capitalize()}."


def _join_sentences(phrases: list[str], perception: Perception) -> str:
    background = add_article(f"{name_colour(perception.backdrop.colour)} background")
    return " ".join(f"{phrase}." for phrase in (background, *phrases))


def _write_phrase(percept: Percept, perception: Perception) -> str:
    """Return a thing with its rough size and place in words."""
    if isinstance(percept, Bars):
        count = NUMBERS.get(len(percept.bars), "several")
        return f"{count.capitalize()} {name_colour(percept.bars[0].colour)} bars {_name_place(percept, perception)}"
    if isinstance(percept, Pie):
        wedges = ", ".join(name_colour(colour) for colour, _ in percept.wedges)
        return f"A {'donut' if percept.hole else 'pie'} chart {_name_place(percept, perception)}: {wedges}"
    if isinstance(percept, Text):
        return "Some text"
    if isinstance(percept, (Grid, Ticks)):
        return f"A {name_colour(percept.colour)} grid" if isinstance(percept, Grid) else "Some ticks"
    if isinstance(percept, Shape):
        colour = name_colour(percept.colour) if percept.colour else "unfilled"
        return add_article(
            f"{_describe_size(percept, perception)}{colour} {name_percept(percept)} {_name_place(percept, perception)}"
        )
    dash = "" if percept.dash == "solid" else f"{percept.dash} "
    return add_article(
        f"{name_colour(percept.colour)} {dash}{name_percept(percept)} {_name_place(percept, perception)}"
    )


def _describe_size(shape: Shape, perception: Perception) -> str:
    share = max(shape.box[2] - shape.box[0], shape.box[3] - shape.box[1]) / max(perception.width, perception.height)
    return "large " if share > 0.3 else "small " if share < 0.12 else ""


def _name_place(percept: Percept, perception: Perception) -> str:
    """Return the name of the place of a thing, one of nine places in the picture."""
    x, y = compute_middle(percept.box)
    column, row = min(2, int(3 * x / perception.width)), min(2, int(3 * y / perception.height))
    if (row, column) == (1, 1):
        return "near the centre"
    if row == 1:
        return "on the left" if column == 0 else "on the right"
    height = "upper" if row == 0 else "lower"
    return f"in the {height} {('left', 'middle', 'right')[column]}"


def _write_complaints(target: Perception, rendering: Perception) -> list[str]:
    """Name at most two differences, without measures."""
    wanted = [item for item in list_items(target) if isinstance(item.percept, (Shape, Pie))]
    made = [item for item in list_items(rendering) if isinstance(item.percept, (Shape, Pie))]
    pairs = pair_items(wanted, made)
    complaints = [
        words for wanted_item, drawn_item in pairs if (words := _write_complaint(wanted_item, drawn_item, target))
    ]
    paired = {id(wanted_item) for wanted_item, _ in pairs}
    reach = 0.2 * target.width
    absent = [
        item.percept
        for item in wanted
        if id(item) not in paired and item.bars is None and not target.photo
        if all(exact.dist(item.middle, drawn_item.middle) > reach for drawn_item in made)
    ]
    phrases = [_write_phrase(percept, target) for percept in sorted(absent, key=lambda percept: -percept.area)]
    complaints += [f"Add {phrase[0].lower()}{phrase[1:]}." for phrase in phrases]
    return complaints[:MOST_CORRECTIONS]


def _write_complaint(wanted: NamedThing, drawn: NamedThing, perception: Perception) -> str:
    colour = f"{name_colour(drawn.colour)} " if drawn.colour else ""
    kind = "bar" if drawn.bars is not None else name_percept(drawn.percept)
    across = (wanted.middle[0] - drawn.middle[0]) / perception.width
    down = (wanted.middle[1] - drawn.middle[1]) / perception.height
    if max(abs(across), abs(down)) > OFF:
        sideways = "right" if across > 0 else "left"
        upright = "down" if down > 0 else "up"
        return f"The {colour}{kind} should be further {sideways if abs(across) >= abs(down) else upright}."
    sizes = [item.percept.box[2] - item.percept.box[0] for item in (wanted, drawn)]
    if sizes[0] > 1.3 * sizes[1] or sizes[1] > 1.3 * sizes[0]:
        return f"The {colour}{kind} should be {'larger' if sizes[0] > sizes[1] else 'smaller'}."
    return ""
