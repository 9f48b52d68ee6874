"""The describer: perceives, words, compares, and knows when to stop."""

import asyncio
from dataclasses import replace

from ircore.players.base import DescriberView, TextAnswer, refuse_settings
from ircore.players.classical.compare import corrections, photo_corrections
from ircore.players.classical.perceive import perceive
from ircore.players.classical.probes import as_large_as
from ircore.players.classical.statements import Statement, pack
from ircore.players.classical.wording import first_message
from ircore.records import PlayerSpec

DONE = "<DONE>"
NAMED_OFTEN = 2
"""Times a difference is named before it is put in other words."""
PHOTO_TURNS = 5
"""A photograph is never right; so many turns are spent on it."""


class ClassicalDescriber:
    """Sees by classical computer vision and writes plain English. Deterministic, offline, without state.

    Args:
        spec: Names the player; this one has no model and no parameters.
    """

    def __init__(self, spec: PlayerSpec) -> None:
        refuse_settings(spec)

    async def describe(self, view: DescriberView) -> TextAnswer:
        """Describe the target, or say what to change in the last rendering, or that nothing is."""
        message = await asyncio.to_thread(_message, view)
        return TextAnswer(f"<DESCRIPTION>{message}</DESCRIPTION>" if message else DONE)


def _message(view: DescriberView) -> str:
    """Return the message of this turn; empty when done."""
    target = perceive(view.target)
    if not view.renderings:
        return first_message(target, view.token_budget)
    if _unmoved(view):
        return ""
    drawn = as_large_as(view.target.pixels, view.renderings[-1].pixels)
    if target.photo:
        statements = photo_corrections(target, view.target.pixels, drawn, 8) if view.turn <= PHOTO_TURNS else []
    else:
        rendering = perceive(view.renderings[-1])
        statements = corrections(target, rendering, view.target.pixels, drawn)
    return pack(_not_again(statements, view.messages), view.token_budget)


def _unmoved(view: DescriberView) -> bool:
    """Tell whether the last two messages changed nothing."""
    return len({picture.sha256 for picture in view.renderings[-3:]}) == 1 and len(view.renderings) >= 3


def _not_again(statements: list[Statement], messages: tuple[str, ...]) -> list[Statement]:
    """Rephrase what was said twice in vain; leave what was rephrased in vain."""
    kept = []
    for statement in statements:
        if statement.least > 1:
            if _times(statement.joint.join(statement.parts[: statement.least]), messages) < NAMED_OFTEN:
                kept.append(statement)
            continue
        parts = tuple(part for part in statement.parts if _times(part, messages) < NAMED_OFTEN)
        if parts:
            kept.append(replace(statement, parts=parts))
    return kept


def _times(part: str, messages: tuple[str, ...]) -> int:
    """Count the messages in which something was said already."""
    core = part.casefold().removeprefix("a ").removeprefix("an ")
    return sum(core in message.casefold() for message in messages)
