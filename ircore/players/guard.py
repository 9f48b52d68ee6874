"""Waiting for an answer of a player that somebody else wrote."""

import asyncio
from collections.abc import Awaitable
from typing import TypeVar, get_args

from ircore.core.episode_records import AbortReason, AnyAbortReason, Attempt
from ircore.core.errors import WorkError
from ircore.core.plugin_work import plugin_work
from ircore.core.score_records import JudgeReason
from ircore.core.untrusted_text import writable
from ircore.players.base import JudgeError, PlayerError

Answer = TypeVar("Answer")

PLAYER_REMEDY = "This is a fault of the player, not of the run: mend it and give the same command again."

_REASONS: dict[type[Exception], frozenset[str]] = {
    PlayerError: frozenset((*get_args(AbortReason), *get_args(get_args(AnyAbortReason)[1]))),
    JudgeError: frozenset(get_args(JudgeReason)),
}


async def unbroken(pending_answer: Awaitable[Answer], who: str) -> Answer:
    """Wait for an answer; an unexpected exception of a player becomes an error of one line.

    Args:
        pending_answer: The answer of a player, not yet awaited.
        who: The question and the player, such as ``geometry-easy-01, turn 1: the describer``.

    Raises:
        WorkError: The player raised an unexpected exception, or a refusal that no record can hold; errors of the
            contract pass unchanged.
    """
    with plugin_work(who, PlayerError, JudgeError, remedy=PLAYER_REMEDY):
        try:
            return await pending_answer
        except (PlayerError, JudgeError) as refusal:
            if problem := _problem(refusal):
                raise WorkError(f"{who} broke: its {type(refusal).__name__} has {problem}", PLAYER_REMEDY) from refusal
            raise
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            # Raised by the player, it would end the episode without a word.
            raise WorkError(f"{who} broke with CancelledError", PLAYER_REMEDY) from error
        except (Exception, SystemExit, KeyboardInterrupt, GeneratorExit):
            raise
        except BaseException as error:
            raise WorkError(
                f"{who} broke with {type(error).__name__}: {writable(str(error))}", PLAYER_REMEDY
            ) from error


def _problem(refusal: PlayerError | JudgeError) -> str | None:
    """Return why a refusal cannot be recorded; None if it can."""
    known = _REASONS[PlayerError if isinstance(refusal, PlayerError) else JudgeError]
    if not isinstance(refusal.reason, str) or refusal.reason not in known:
        return f"the reason {ascii(refusal.reason)[:80]}, which is none of: {', '.join(sorted(known))}"
    if not isinstance(refusal.detail, str) or not _can_be_written(refusal.detail):
        return "a detail that is no text, or that UTF-8 cannot write"
    attempts = refusal.attempts
    if not isinstance(attempts, tuple | list) or not all(isinstance(attempt, Attempt) for attempt in attempts):
        return "attempts that are no records of requests"
    return None


def _can_be_written(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:  # lone surrogates
        return False
    return True
