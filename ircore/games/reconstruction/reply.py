"""Reading a describer's answer: a message between tags, or the done tag, and nothing else.

Small deviations that leave no doubt about what was meant are accepted and named; anything else is a violation.
"""

import re
from dataclasses import dataclass

from ircore.core.episode_records import AbortReason
from ircore.games.reconstruction.records import Action

MAX_REPLY_CHARACTERS = 100_000
"""Longer answers are a violation: nothing downstream has to cope with more."""

_OPEN, _CLOSE, _DONE = "<DESCRIPTION>", "</DESCRIPTION>", "<DONE>"
_ANY_TAG = re.compile(r"</?(?:DESCRIPTION|DONE)>", re.IGNORECASE)
_FENCE = re.compile(r"```[a-zA-Z]*\s*\n(?P<inside>.*?)\n?```", re.DOTALL)


class ProtocolViolationError(Exception):
    """The answer breaks the protocol; the episode is aborted.

    >>> parse_reply("<DONE>", turn=1)
    Traceback (most recent call last):
    ...
    ircore.games.reconstruction.reply.ProtocolViolationError: Done before anything was drawn.
    """

    def __init__(self, reason: AbortReason, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail


@dataclass(frozen=True)
class Move:
    """The describer's move.

    >>> parse_reply("<DESCRIPTION>A red circle.</DESCRIPTION>", turn=1).message
    'A red circle.'
    >>> parse_reply("Done", turn=2).leniencies
    ('bare_done',)

    Attributes:
        action: ``describe`` or ``done``.
        message: The text between the tags, stripped; empty when done.
        leniencies: Names of the deviations that were accepted: ``surrounding_whitespace``, ``code_fence``,
            ``letter_case``, ``bare_done``, ``missing_closing_tag``.
    """

    action: Action
    message: str
    leniencies: tuple[str, ...]


def parse_reply(reply: str, turn: int) -> Move:
    """Read a describer's answer.

    Args:
        reply: The raw answer.
        turn: 1-based; done is not allowed on turn 1, before anything was drawn.

    Raises:
        ProtocolViolationError: It is neither a message nor done, or is empty, or comes too early.
    """
    leniencies: list[str] = []
    text = _unwrap(reply, leniencies)
    if not text:
        raise ProtocolViolationError("describer_empty", "The answer is empty.")
    if text.upper() in (_DONE, "DONE"):
        # Done on turn 1 would end an episode without a rendering to score.
        if turn == 1:
            raise ProtocolViolationError("describer_done_first", "Done before anything was drawn.")
        if not text.startswith("<"):
            leniencies.append("bare_done")
        elif text != _DONE:
            leniencies.append("letter_case")
        return Move("done", "", tuple(leniencies))
    return Move("describe", _message(text, leniencies), tuple(leniencies))


def _unwrap(reply: str, leniencies: list[str]) -> str:
    # Before any search: a hostile answer of megabytes would keep the patterns below busy.
    if len(reply) > MAX_REPLY_CHARACTERS:
        raise ProtocolViolationError("describer_format", f"The answer has {len(reply)} characters.")
    text = reply.strip()
    if text != reply:
        leniencies.append("surrounding_whitespace")
    fence = _FENCE.fullmatch(text)
    # Models often wrap their answers in Markdown; the fence says nothing about the message.
    if fence:
        leniencies.append("code_fence")
        text = fence["inside"].strip()
    return text


def _message(text: str, leniencies: list[str]) -> str:
    upper = text.upper()
    if not upper.startswith(_OPEN):
        raise ProtocolViolationError("describer_format", f"The answer does not begin with {_OPEN} and is not {_DONE}.")
    body, tags = text[len(_OPEN) :], [text[: len(_OPEN)]]
    if upper.endswith(_CLOSE):
        tags.append(body[-len(_CLOSE) :])
        body = body[: -len(_CLOSE)]
    else:
        leniencies.append("missing_closing_tag")
    # A second tag leaves it open which words are the message.
    if _ANY_TAG.search(body):
        raise ProtocolViolationError("describer_format", "There are further tags inside the message.")
    if any(tag != tag.upper() for tag in tags):
        leniencies.append("letter_case")
    if not body.strip():
        raise ProtocolViolationError("describer_empty", "There is nothing between the tags.")
    return body.strip()
