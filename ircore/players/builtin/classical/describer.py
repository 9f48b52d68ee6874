"""The describer: perceives, words, compares, and knows when to stop."""

import asyncio
import itertools
from dataclasses import replace

from ircore.core.errors import InputError
from ircore.core.records import PlayerSpec
from ircore.players.base import DescriberView, TextAnswer, refuse_settings
from ircore.players.builtin.classical.compare import corrections, photo_corrections
from ircore.players.builtin.classical.ocr import require
from ircore.players.builtin.classical.perceive import in_size_of, perceive
from ircore.players.builtin.classical.percepts import Perception
from ircore.players.builtin.classical.statements import Statement, pack
from ircore.players.builtin.classical.wording import first_message

DONE = "<DONE>"
NAMED_OFTEN = 2
"""How often a difference is named, the second time in other words, before the describer gives up on it."""
PHOTO_TURNS = 5
"""Turns spent on a photograph, which a rendering never matches."""


class ClassicalDescriber:
    """Sees by classical computer vision and writes plain English. Deterministic, offline, without state.

    >>> from ircore.players.conformance import sample_questions
    >>> red_square = sample_questions("describe")[0]
    >>> asyncio.run(ClassicalDescriber(PlayerSpec(player="classical")).describe(red_square)).text.split(". ")[1]
    'A red (#d62728) square of side 30 px centred at (27, 31).</DESCRIPTION>'

    Args:
        spec: Names the player. It has no model; its one parameter ``ocr: true`` also reads what is written in targets
            in other fonts than the built-in one, with the extra ``ocr``. Only if asked for, so that an installed
            package never changes what a submission says.

    Raises:
        InputError: Another setting is given, or the extra is asked for and not installed.
    """

    def __init__(self, spec: PlayerSpec) -> None:
        self.check(spec)
        self._ocr = bool(spec.parameters.get("ocr", False))
        if self._ocr:
            require()

    @classmethod
    def check(cls, spec: PlayerSpec) -> None:
        """Check the settings, without looking at installed packages."""
        others = {name: value for name, value in spec.parameters.items() if name != "ocr"}
        refuse_settings(spec.model_copy(update={"parameters": others}))
        if not isinstance(spec.parameters.get("ocr", False), bool):
            raise InputError("parameters.ocr: must be true or false", "Write ocr: true, or remove ocr.")

    async def describe(self, view: DescriberView) -> TextAnswer:
        """Describe the target, name changes to the last rendering, or declare the rendering done."""
        message = await asyncio.to_thread(lambda: message_about(perceive(view.target, self._ocr), view))
        return TextAnswer(f"<DESCRIPTION>{message}</DESCRIPTION>" if message else DONE)


def message_about(target: Perception, view: DescriberView) -> str:
    """Return the message of a turn about a perceived target; empty when done.

    Args:
        target: The perceived target.
        view: Of the turn; its last rendering is looked at.
    """
    if not view.renderings:
        return first_message(target, view.token_budget)
    # The last two messages changed nothing.
    if len(view.renderings) >= 3 and len({picture.sha256 for picture in view.renderings[-3:]}) == 1:
        return ""
    seen, drawn = view.target.pixels, in_size_of(view.target, view.renderings[-1])
    if target.photo:
        statements = photo_corrections(target, seen, drawn.pixels, 8) if view.turn <= PHOTO_TURNS else []
    else:
        statements = corrections(target, perceive(drawn), seen, drawn.pixels)
    return pack(_not_again(statements, view.messages), view.token_budget)


def _not_again(statements: list[Statement], messages: tuple[str, ...]) -> list[Statement]:
    """Reword corrections that had no effect once; drop corrections that had no effect twice."""
    kept = []
    for statement in statements:
        whole = statement.least > 1 or len(statement.parts) == 1
        cores = [statement.joint.join(statement.parts[: statement.least])] if whole else list(statement.parts)
        times = [_times(core, messages) + _times(statement.again, messages) for core in cores]
        if max(times) == 0:
            kept.append(statement)
            continue
        left = [n < NAMED_OFTEN for n in times]
        if any(left):
            parts = statement.parts if whole else tuple(itertools.compress(statement.parts, left))
            kept.append(replace(statement, parts=parts).reworded())
    return kept


def _times(part: str, messages: tuple[str, ...]) -> int:
    """Count the messages in which something was said already."""
    core = part.casefold().removeprefix("a ").removeprefix("an ")
    return bool(core) * sum(core in message.casefold() for message in messages)
