"""The describer: perceives, words, compares, and knows when to stop. The first message depends on the token budget."""

import asyncio
import itertools
from collections.abc import Sequence
from dataclasses import replace

from ircore.core.errors import InputError
from ircore.core.records import PlayerSpec
from ircore.core.tokens import count_tokens
from ircore.players.base import DescriberView, TextAnswer, refuse_settings
from ircore.players.builtin.classical.compare import ROUGHLY, correct_photo, list_corrections
from ircore.players.builtin.classical.perceive import perceive_picture, resize_to_target
from ircore.players.builtin.classical.plain.axes import read_area
from ircore.players.builtin.classical.plain.everyday_names import (
    ColourWords,
    recolour_perception,
    recolour_pixels,
    use_plain_colours,
)
from ircore.players.builtin.classical.plain.voice import adapt_to_later_turn, is_already_told, plan_statements
from ircore.players.builtin.classical.statements import Statement, pack_statements, quote_text
from ircore.players.builtin.classical.wording import describe_perception, describe_scene, name_percept, weigh_percept
from ircore.seeing.colours import (
    compute_delta_e94,
    describe_colour,
    find_shortest_name,
    list_exact_names,
    measure_rgb_distance,
    name_colour,
    parse_colour_name,
)
from ircore.seeing.ocr import require_ocr
from ircore.seeing.percepts import (
    Bars,
    Box,
    Grid,
    Percept,
    Perception,
    Pie,
    Point,
    Shape,
    Stroke,
    Text,
    Ticks,
    compute_middle,
)

BRIEF = 30
"""Tokens below which a message tells one thing."""
LINES_TOLD = 8
"""Messages after which the colour of lines is told at the latest."""
NAMED_OFTEN = 2
"""How often a difference is named, the second time in other words, before the describer gives up on it."""
PHOTO_TURNS = 5
"""Turns spent on a photograph, which a rendering never matches."""
SHORT = 100
"""Tokens below which a picture is described by ``plain`` in the shortest words of ``classical``."""


def write_first_message(perception: Perception, budget: int) -> str:
    """Describe a picture.

    Args:
        perception: Percepts of the picture.
        budget: Tokens the message may have.
    """
    # So few tokens hold no background together with a thing.
    if budget < BRIEF:
        return next(iter(write_brief_messages(perception, budget)), "White background.")
    scene = describe_scene(perception)
    # A pie without some of its wedges says less than one in everyday colours.
    rough = (name_colour,) if budget < 100 and any(isinstance(percept, Pie) for percept in perception.percepts) else ()
    # From the fullest wording to the shortest; the first one in which everything fits is taken.
    ways = [
        (describe_colour, True),
        (describe_colour, False),
        (find_shortest_name, False),
        *((words, False) for words in rough),
    ]
    for words, telling in ways:
        statements = describe_perception(perception, words, telling)
        message = pack_statements(statements, budget, scene)
        if count_tokens(" ".join([scene, *(s.text for s in statements)])) <= budget:
            return message
    return message


def write_brief_messages(perception: Perception, budget: int) -> list[str]:
    """Return messages of very few tokens that together draw a picture, the most telling first.

    Each is one thing with its place and size in the fewest tokens that ``canvas`` reads, never cut off: a circle as
    ``Red circle radius 40 (100,200)``, bars by the values of their axis as ``Bars 79,57,96``, a pie wedge by wedge, a
    bent line leg by leg, and the background once the largest thing is there.

    Args:
        perception: Percepts of the picture.
        budget: Tokens that a message may have.
    """
    backdrop = perception.backdrop
    thing = max((weigh_percept(percept, backdrop) for percept in perception.percepts), default=0.0)
    weighed: list[tuple[float, str]] = []
    if measure_rgb_distance(backdrop.colour, "#ffffff") > 6:
        # Almost all of a picture is background, but a page without a thing shows nothing of the target.
        ground = [
            f"{name} background" for name in (find_shortest_name(backdrop.colour), *_list_near_names(backdrop.colour))
        ]
        weighed.append((0.9 * thing, _select_first_within(ground, budget)))
    bars = [percept for percept in perception.percepts if isinstance(percept, Bars)]
    charted = _write_brief_bars(perception, bars[0], budget) if len(bars) == 1 else []
    for percept in perception.percepts:
        weight = weigh_percept(percept, backdrop)
        if charted and (isinstance(percept, Bars) or _is_furniture(percept)):
            continue
        texts = [text for options in _write_brief_texts(percept) if (text := _select_first_within(options, budget))]
        weighed += [(weight / len(texts) * (1 - 0.001 * place), text) for place, text in enumerate(texts)]
        if isinstance(percept, Shape) and texts:
            weighed += [(weight * share, text) for share, text in _write_brief_touches(percept, perception, budget)]
    weighed += [(2 * thing - place, text) for place, text in enumerate(charted)]
    ordered = [text for _, text in sorted(weighed, key=lambda entry: -entry[0]) if text]
    lines = [place for place, text in enumerate(ordered, start=1) if " line (" in f" {text.casefold()}"]
    if lines and (colour := _write_brief_line_colour(perception, budget)):
        # It colours the lines that are there; usual rules have ten turns.
        ordered.insert(min(lines[-1], LINES_TOLD), colour)
    # What is drawn twice hides what was drawn between.
    return list(dict.fromkeys(ordered))


def _write_brief_touches(shape: Shape, perception: Perception, budget: int) -> list[tuple[float, str]]:
    """Return messages that set the exact colour and turn of a shape that is alone of its kind, with their worth."""
    kind = name_percept(shape)
    alike = [other for other in perception.percepts if isinstance(other, Shape) and name_percept(other) == kind]
    if len(alike) > 1 or kind == "polygon" or shape.colour is None:
        return []
    short = _select_first_within(_write_brief_shape(shape), budget)
    name = short.casefold().partition(f" {kind}")[0]
    touches = [
        (
            min(0.9, measure_rgb_distance(parse_colour_name(name), shape.colour) / 150),
            f"The {kind} is {find_shortest_name(shape.colour)}",
        )
    ]
    if abs(shape.rotation) >= 3 and kind not in {"circle", "ring"}:
        touches.append((min(0.8, abs(shape.rotation) / 60), f"Rotate the {kind} {shape.rotation:.0f} degrees"))
    return [(worth, text) for worth, text in touches if worth > 0.01 and count_tokens(text) <= budget]


def _write_brief_line_colour(perception: Perception, budget: int) -> str:
    """Return a message with the colour of most lines; empty where that is black, in which lines are drawn."""
    weights: dict[str, float] = {}
    for percept in perception.percepts:
        if isinstance(percept, Stroke):
            weights[percept.colour] = weights.get(percept.colour, 0.0) + weigh_percept(percept, perception.backdrop)
    colour = max(weights, key=lambda shade: weights[shade])
    if measure_rgb_distance(colour, "#000000") < 60:
        return ""
    return _select_first_within(
        [f"The lines are {name}" for name in (find_shortest_name(colour), *_list_near_names(colour))], budget
    )


def _is_furniture(percept: Percept) -> bool:
    """Return whether a chart that is told by its values has a percept of its own accord."""
    return isinstance(percept, Grid | Ticks) or (isinstance(percept, Stroke) and percept.role in {"x axis", "y axis"})


def _select_first_within(options: Sequence[str], budget: int) -> str:
    return next((text for text in options if count_tokens(text) <= budget), "")


def _list_near_names(colour: str) -> list[str]:
    """Return the names of CSS by how near they are to a colour, then its everyday name: both may have fewer tokens."""
    nearest = sorted(
        list_exact_names().values(), key=lambda name: (compute_delta_e94(parse_colour_name(name), colour), name)
    )
    return [*nearest[:12], name_colour(colour)]


def _write_brief_texts(percept: Percept) -> list[list[str]]:
    """Return the messages that draw a percept, each as texts from the fullest to the shortest."""
    if isinstance(percept, Bars):
        boxes = [(bar.colour, bar.box) for bar in percept.bars]
        return [_write_brief_box(colour, "rectangle", box) for colour, box in boxes]
    if isinstance(percept, Pie):
        return _write_brief_pie(percept)
    if isinstance(percept, Text):
        return [[f"{quote_text(percept.text)}{_format_place(percept.centre)}"]]
    if isinstance(percept, Stroke):
        names = [*_list_near_names(percept.colour), ""]
        points = percept.points if len(percept.points) < 12 else percept.points[:: len(percept.points) // 8]
        return [
            [f"{name} line {_format_place(start)}-{_format_place(end)}".strip().capitalize() for name in names]
            for start, end in itertools.pairwise(points)
        ]
    if isinstance(percept, Shape):
        return [_write_brief_shape(percept)]
    return []


def _format_place(point: Point) -> str:
    return f"({round(point[0])},{round(point[1])})"


def _write_brief_box(colour: str, kind: str, box: Box) -> list[str]:
    size = f"{round(box[2] - box[0])}x{round(box[3] - box[1])}"
    x, y = compute_middle(box)
    names = [name.capitalize() for name in _list_near_names(colour)]
    full = [f"{name} {kind} {size} {round(x)},{round(y)}" for name in names]
    return [*full, *(f"{name} {kind} {_format_place((x, y))}" for name in names), *(f"{name} {kind}" for name in names)]


def _write_brief_shape(shape: Shape) -> list[str]:
    colour = shape.colour or (shape.outline[0] if shape.outline else "#000000")
    kind = name_percept(shape)
    if shape.kind in {"rectangle", "ellipse"}:
        return _write_brief_box(colour, kind, shape.box)
    if shape.colour is None and shape.kind == "circle":
        return [f"Thin circle radius {round(shape.size[0] / 2)} {_format_place(shape.centre)}"]
    kind = {"polygon": "rectangle"}.get(kind, kind)
    if kind == "rectangle":
        return _write_brief_box(colour, kind, shape.box)
    measure = f"side {round(shape.size[0])}" if kind == "square" else f"radius {round(shape.size[0] / 2)}"
    where = compute_middle(shape.box) if kind == "triangle" else shape.centre
    if kind == "triangle":
        measure = f"radius {round((shape.box[2] - shape.box[0]) / 2)}"
    names = [name.capitalize() for name in _list_near_names(colour)]
    full = [f"{name} {kind} {measure} {_format_place(where)}" for name in names]
    return [*full, *(f"{name} {kind} {_format_place(where)}" for name in names), *(f"{name} {kind}" for name in names)]


def _write_brief_pie(pie: Pie) -> list[list[str]]:
    """Return a pie wedge by wedge, two where they fit."""
    wedges = [[f"{name} {round(100 * share)}%" for name in _list_near_names(colour)] for colour, share in pie.wedges]
    messages = []
    for at_wedge, own in enumerate(wedges):
        head = "Next wedges: " if at_wedge else "Pie "
        messages.append([f"{head}{text}" for text in own])
    return messages


def _write_brief_bars(perception: Perception, bars: Bars, budget: int) -> list[str]:
    """Return a bar chart by the values of its axis, then the colour of the bars; empty if these cannot be told so."""
    area = read_area(perception)
    scale = None if area is None else (area.y if bars.upright else area.x).scale
    shades = {bar.colour for bar in bars.bars}
    if scale is None or not bars.upright or len(shades) > 1 or abs(scale(0) - bars.base) > 3:
        return []
    values = ",".join(f"{round(scale.value(bar.tip))}" for bar in bars.bars)
    colours = [
        f"The bars are {name}"
        for name in (find_shortest_name(next(iter(shades))), *_list_near_names(next(iter(shades))))
    ]
    texts = [_select_first_within([f"Bars {values}"], budget), _select_first_within(colours, budget)]
    return [] if not texts[0] else [text for text in texts if text]


class ClassicalDescriber:
    """Sees by classical computer vision and writes English. Deterministic, offline, without state.

    >>> from ircore.players.conformance import build_sample_questions
    >>> red_square = build_sample_questions("describe")[0]
    >>> asyncio.run(ClassicalDescriber(PlayerSpec(player="classical")).describe(red_square)).text.split(". ")[1]
    'A red (#d62728) square of side 30 px centred at (27, 31).</DESCRIPTION>'

    Args:
        spec: Names the player. It has no model. Its parameter ``ocr: true`` also reads what is written in targets
            in other fonts than the built-in one, with the extra ``ocr``. Only if asked for, so that an installed
            package never changes what a submission says.

    Raises:
        InputError: Another setting is given, or the extra is asked for and not installed.
    """

    def __init__(self, spec: PlayerSpec) -> None:
        self.check(spec)
        self._ocr = bool(spec.parameters.get("ocr", False))
        if self._ocr:
            require_ocr("parameters.ocr", " – or leave parameters.ocr out.")

    @classmethod
    def check(cls, spec: PlayerSpec) -> None:
        """Check the settings, without looking at installed packages."""
        others = {name: value for name, value in spec.parameters.items() if name != "ocr"}
        # Every other parameter is refused, as for players without any settings.
        refuse_settings(spec.model_copy(update={"parameters": others}))
        if not isinstance(spec.parameters.get("ocr", False), bool):
            raise InputError("parameters.ocr: must be true or false", "Write ocr: true, or remove ocr.")

    async def describe(self, view: DescriberView) -> TextAnswer:
        """Describe the target, name changes to the last rendering, or declare the rendering done."""
        message = await asyncio.to_thread(lambda: self._message(perceive_picture(view.target, self._ocr), view))
        return TextAnswer.from_message(message)

    def _message(self, target: Perception, view: DescriberView) -> str:
        return write_message(target, view)


class PlainDescriber(ClassicalDescriber):
    """Sees as the classical describer, and names things, places and relations as a person would.

    >>> from ircore.players.conformance import build_sample_questions
    >>> red_square = build_sample_questions("describe")[0]
    >>> asyncio.run(PlainDescriber(PlayerSpec(player="plain")).describe(red_square)).text.split(". ")[1]
    'A red (#d62728) square of side 30 px centred at (27, 31), on the left.</DESCRIPTION>'

    Raises:
        InputError: A setting other than ``ocr`` is given.
    """

    def _message(self, target: Perception, view: DescriberView) -> str:
        return write_plain_message(target, view)


def write_message(target: Perception, view: DescriberView) -> str:
    """Return the message of a turn about a perceived target; empty when done."""
    if not view.renderings:
        return write_first_message(target, view.token_budget)
    if view.token_budget < BRIEF:
        untold = (
            message for message in write_brief_messages(target, view.token_budget) if message not in view.messages
        )
        if message := next(untold, ""):
            return message
    statements = [] if _is_in_vain(view) else _list_differences(target, view)
    return pack_statements(_drop_repeated(statements, view.messages), view.token_budget)


def write_plain_message(target: Perception, view: DescriberView) -> str:
    """Return the message of a turn in the plain voice: new statements, then corrections; empty when done."""
    # One thing a message is told in the fewest tokens: everyday names could have more.
    if view.token_budget < BRIEF:
        return write_message(target, view)
    # Few tokens or patches of a photograph leave nothing to say in units or names.
    if target.photo or view.token_budget < SHORT:
        return ColourWords(()).replace_colours(write_message(target, view))
    plan = plan_statements(target)
    untold = [statement for statement in plan.statements if not is_already_told(statement, view.messages)]
    if not view.renderings:
        return pack_statements(untold, view.token_budget, plan.opening)
    if untold and (
        message := pack_statements([adapt_to_later_turn(statement) for statement in untold], view.token_budget)
    ):
        return message
    if _is_in_vain(view):
        return ""
    drawn = resize_to_target(view.target, view.renderings[-1])
    target_pixels = recolour_pixels(view.target.pixels, target, plan.colours)
    statements = list_corrections(
        recolour_perception(target, plan.colours), perceive_picture(drawn), target_pixels, drawn.pixels, ROUGHLY
    )
    plain_statements = [use_plain_colours(statement, plan.colours) for statement in statements]
    return pack_statements(_drop_repeated(plain_statements, view.messages), view.token_budget)


def _is_in_vain(view: DescriberView) -> bool:
    """Whether the last two messages changed nothing."""
    return len(view.renderings) >= 3 and len({picture.sha256 for picture in view.renderings[-3:]}) == 1


def _list_differences(target: Perception, view: DescriberView) -> list[Statement]:
    """Return the differences of the last rendering as statements, the largest first."""
    target_pixels, drawn = view.target.pixels, resize_to_target(view.target, view.renderings[-1])
    if target.photo:
        return correct_photo(target, target_pixels, drawn.pixels) if view.turn <= PHOTO_TURNS else []
    return list_corrections(target, perceive_picture(drawn), target_pixels, drawn.pixels)


def _drop_repeated(statements: list[Statement], messages: tuple[str, ...]) -> list[Statement]:
    """Reword corrections that had no effect once; drop corrections that had no effect twice."""
    fitting = []
    for statement in statements:
        # A sentence that must not be cut is repeated or dropped as a whole.
        whole = statement.least > 1 or len(statement.parts) == 1
        cores = [statement.joint.join(statement.parts[: statement.least])] if whole else list(statement.parts)
        times = [_count_repeats(core, messages) + _count_repeats(statement.again, messages) for core in cores]
        if max(times) == 0:
            fitting.append(statement)
            continue
        left = [n < NAMED_OFTEN for n in times]
        if any(left):
            parts = statement.parts if whole else tuple(itertools.compress(statement.parts, left))
            fitting.append(replace(statement, parts=parts).reword())
    return fitting


def _count_repeats(part: str, messages: tuple[str, ...]) -> int:
    """Count the messages in which something was said already."""
    # In a later message the same words may stand behind "Add" or another article.
    core = part.casefold().removeprefix("a ").removeprefix("an ")
    return bool(core) * sum(core in message.casefold() for message in messages)
