"""Waiting for an answer of a player that somebody else wrote."""

import traceback
from collections.abc import Awaitable
from pathlib import Path
from typing import TypeVar

from ircore.core.errors import InputError, WorkError
from ircore.players.base import JudgeError, PlayerError

Answer = TypeVar("Answer")


async def unbroken(asked: Awaitable[Answer], who: str) -> Answer:
    """Wait for an answer; an unexpected exception of a player becomes an error of one line.

    Args:
        asked: The answer of a player, not yet awaited.
        who: The question and the player, such as ``geometry-easy-01, turn 1: the describer``.

    Raises:
        WorkError: The player raised an unexpected exception; errors of the contract pass unchanged.
    """
    try:
        return await asked
    # These are the contract's own errors, which callers tell apart.
    except (PlayerError, JudgeError, InputError):
        raise
    except Exception as error:
        raise WorkError(
            f"{who} broke with {type(error).__name__}: {error} ({_place(error)})",
            "This is a fault of the player, not of the run: mend it and give the same command again.",
        ) from error


def _place(error: Exception) -> str:
    """Return file and line where an error was raised."""
    # The last frame is the player's own line, where its author has to look.
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{Path(frame.filename).name}:{frame.lineno}"
