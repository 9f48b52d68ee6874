"""The describer: perceives, words, compares, and knows when to stop."""

import asyncio
import itertools
from dataclasses import replace

from ircore.core.errors import InputError
from ircore.core.records import PlayerSpec
from ircore.players.base import DescriberView, TextAnswer, refuse_settings
from ircore.players.builtin.classical.compare import corrections, photo_corrections
from ircore.players.builtin.classical.opening import BRIEF, brief_messages, first_message
from ircore.players.builtin.classical.perceive import in_size_of, perceive
from ircore.players.builtin.classical.plain.colour_words import ColourWords, plainly
from ircore.players.builtin.classical.plain.named_colours import perception_as_named, pixels_as_named
from ircore.players.builtin.classical.plain.voice import in_later_turn, plan_of, told_already
from ircore.players.builtin.classical.statements import Statement, pack
from ircore.players.builtin.classical.text_corrections import ROUGHLY
from ircore.seeing.ocr import require_ocr
from ircore.seeing.percepts import Perception

NAMED_OFTEN = 2
"""How often a difference is named, the second time in other words, before the describer gives up on it."""
PHOTO_TURNS = 5
"""Turns spent on a photograph, which a rendering never matches."""
SHORT = 100
"""Tokens below which a picture is described by ``plain`` in the shortest words of ``classical``."""


class ClassicalDescriber:
    """Sees by classical computer vision and writes English. Deterministic, offline, without state.

    >>> from ircore.players.conformance import sample_questions
    >>> red_square = sample_questions("describe")[0]
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
        message = await asyncio.to_thread(lambda: self._message(perceive(view.target, self._ocr), view))
        return TextAnswer.from_message(message)

    def _message(self, target: Perception, view: DescriberView) -> str:
        return message_about(target, view)


class PlainDescriber(ClassicalDescriber):
    """Sees as the classical describer, and names things, places and relations as a person would.

    >>> from ircore.players.conformance import sample_questions
    >>> red_square = sample_questions("describe")[0]
    >>> asyncio.run(PlainDescriber(PlayerSpec(player="plain")).describe(red_square)).text.split(". ")[1]
    'A red (#d62728) square of side 30 px centred at (27, 31), on the left.</DESCRIPTION>'

    Raises:
        InputError: A setting other than ``ocr`` is given.
    """

    def _message(self, target: Perception, view: DescriberView) -> str:
        return plain_message(target, view)


def message_about(target: Perception, view: DescriberView) -> str:
    """Return the message of a turn about a perceived target; empty when done."""
    if not view.renderings:
        return first_message(target, view.token_budget)
    if view.token_budget < BRIEF:
        untold = (message for message in brief_messages(target, view.token_budget) if message not in view.messages)
        if message := next(untold, ""):
            return message
    statements = [] if _in_vain(view) else _differences(target, view)
    return pack(_not_again(statements, view.messages), view.token_budget)


def plain_message(target: Perception, view: DescriberView) -> str:
    """Return the message of a turn in the plain voice: new statements, then corrections; empty when done."""
    # One thing a message is told in the fewest tokens: everyday names could have more.
    if view.token_budget < BRIEF:
        return message_about(target, view)
    # Few tokens or patches of a photograph leave nothing to say in units or names.
    if target.photo or view.token_budget < SHORT:
        return ColourWords(()).said(message_about(target, view))
    plan = plan_of(target)
    untold = [statement for statement in plan.statements if not told_already(statement, view.messages)]
    if not view.renderings:
        return pack(untold, view.token_budget, plan.opening)
    if untold and (message := pack([in_later_turn(statement) for statement in untold], view.token_budget)):
        return message
    if _in_vain(view):
        return ""
    drawn = in_size_of(view.target, view.renderings[-1])
    target_pixels = pixels_as_named(view.target.pixels, target, plan.colours)
    statements = corrections(
        perception_as_named(target, plan.colours), perceive(drawn), target_pixels, drawn.pixels, ROUGHLY
    )
    plain_statements = [plainly(statement, plan.colours) for statement in statements]
    return pack(_not_again(plain_statements, view.messages), view.token_budget)


def _in_vain(view: DescriberView) -> bool:
    """Whether the last two messages changed nothing."""
    return len(view.renderings) >= 3 and len({picture.sha256 for picture in view.renderings[-3:]}) == 1


def _differences(target: Perception, view: DescriberView) -> list[Statement]:
    """Return the differences of the last rendering as statements, the largest first."""
    target_pixels, drawn = view.target.pixels, in_size_of(view.target, view.renderings[-1])
    if target.photo:
        return photo_corrections(target, target_pixels, drawn.pixels) if view.turn <= PHOTO_TURNS else []
    return corrections(target, perceive(drawn), target_pixels, drawn.pixels)


def _not_again(statements: list[Statement], messages: tuple[str, ...]) -> list[Statement]:
    """Reword corrections that had no effect once; drop corrections that had no effect twice."""
    fitting = []
    for statement in statements:
        # A sentence that must not be cut is repeated or dropped as a whole.
        whole = statement.least > 1 or len(statement.parts) == 1
        cores = [statement.joint.join(statement.parts[: statement.least])] if whole else list(statement.parts)
        times = [_times(core, messages) + _times(statement.again, messages) for core in cores]
        if max(times) == 0:
            fitting.append(statement)
            continue
        left = [n < NAMED_OFTEN for n in times]
        if any(left):
            parts = statement.parts if whole else tuple(itertools.compress(statement.parts, left))
            fitting.append(replace(statement, parts=parts).reworded())
    return fitting


def _times(part: str, messages: tuple[str, ...]) -> int:
    """Count the messages in which something was said already."""
    # In a later message the same words may stand behind "Add" or another article.
    core = part.casefold().removeprefix("a ").removeprefix("an ")
    return bool(core) * sum(core in message.casefold() for message in messages)
