"""Waiting for an answer of a player that somebody else wrote."""

from collections.abc import Awaitable
from typing import TypeVar

from ircore.core.plugin_work import plugin_work
from ircore.players.base import JudgeError, PlayerError

Answer = TypeVar("Answer")


async def unbroken(pending_answer: Awaitable[Answer], who: str) -> Answer:
    """Wait for an answer; an unexpected exception of a player becomes an error of one line.

    Args:
        pending_answer: The answer of a player, not yet awaited.
        who: The question and the player, such as ``geometry-easy-01, turn 1: the describer``.

    Raises:
        WorkError: The player raised an unexpected exception; errors of the contract pass unchanged.
    """
    remedy = "This is a fault of the player, not of the run: mend it and give the same command again."
    with plugin_work(who, PlayerError, JudgeError, remedy=remedy):
        return await pending_answer
