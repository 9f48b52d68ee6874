"""The words between game master and describer: prompts, and the answers that they ask for.

Prompts are text files, replaceable with ``--prompts DIR`` and versioned by their hash. An answer is a message between
tags, or the done tag, and nothing else. Small deviations that leave no doubt about what was meant are accepted and
named; anything else is a violation.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Literal

from ircore.core.episode_records import AbortReason
from ircore.core.files import compute_prompts_version, read_prompts
from ircore.games.reconstruction.records import Action

PLACEHOLDERS: dict[str, tuple[str, ...]] = {
    "describer_first": ("{token_budget}",),
    "describer_later": ("{token_budget}",),
    "generator_later": ("{earlier}", "{message}"),
}
"""The texts of a set by name, and what each must have a place for."""

ANEW: dict[str, tuple[str, ...]] = {
    "generator_redraw": ("{earlier}", "{message}"),
    "rewriter": ("{earlier}", "{message}"),
}
"""Texts of generators that draw anew. A folder of prompts may leave them out: the built-in ones then hold."""


@dataclass(frozen=True)
class Prompts:
    """The prompts of a run.

    >>> prompts = load_prompts("reconstruction")
    >>> prompts.generator("Move the circle up.", earlier=["A red circle."]).count("A red circle.")
    1

    Attributes:
        version: Name of the set and a hash of its texts: part of a result's identity.
        describer_first: For turn 1, with ``{token_budget}`` where the budget goes.
        describer_later: For later turns, likewise.
        generator_later: For later turns, with ``{earlier}`` and ``{message}`` where the describer's messages go; on
            turn 1 the generator reads the message alone.
        generator_redraw: The same for a generator that draws anew, without its last rendering.
        rewriter: The same for a rewriter model, which merges the messages into one prompt.
    """

    version: str
    describer_first: str
    describer_later: str
    generator_later: str
    generator_redraw: str
    rewriter: str

    def describer(self, turn: int, token_budget: int) -> str:
        """Return the words that the describer reads at a turn (1-based)."""
        text = self.describer_first if turn == 1 else self.describer_later
        return text.replace("{token_budget}", str(token_budget))

    def generator(
        self, message: str, earlier: Sequence[str], mode: Literal["edit", "redraw", "rewrite"] = "edit"
    ) -> str:
        """Return the words for a generator that reads a single text.

        Args:
            message: The describer's message of this turn.
            earlier: Its messages of all earlier turns, oldest first; none on turn 1.
            mode: How later turns are drawn, see ``Rules.drawing``; for ``rewrite`` the words go to the rewriter.
        """
        if not earlier:
            return message
        numbered = "\n\n".join(f"{number}. {text}" for number, text in enumerate(earlier, start=1))
        text = {"edit": self.generator_later, "redraw": self.generator_redraw, "rewrite": self.rewriter}[mode]
        # One pass over the template: braces in a describer's message must not be filled in turn.
        places = {"{earlier}": numbered, "{message}": message}
        return re.sub(r"\{earlier\}|\{message\}", lambda place: places[place[0]], text)


def load_prompts(game: str, folder: Path | None = None) -> Prompts:
    """Read the prompts of a game.

    Args:
        game: Name of the game.
        folder: A folder with ``describer_first.txt``, ``describer_later.txt`` and ``generator_later.txt``, and
            ``generator_redraw.txt`` or ``rewriter.txt`` if they are to differ; the built-in ones if None.

    Raises:
        InputError: A file is missing, too large, not UTF-8, or lacks a place for what it must tell.
    """
    built_in = files(f"ircore.games.{game}") / "prompt_texts"
    own = {name: places for name, places in ANEW.items() if folder is not None and (folder / f"{name}.txt").is_file()}
    texts = read_prompts(PLACEHOLDERS | own, built_in, folder, "--prompts")
    # The built-in texts of ANEW belong to a version of the package, so that versions from before them stay the same.
    version = compute_prompts_version(list(texts.values()), folder)
    anew = read_prompts({name: ANEW[name] for name in ANEW if name not in own}, built_in, None, "--prompts")
    return Prompts(version, **texts, **anew)


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
    ircore.games.reconstruction.prompts.ProtocolViolationError: Done before anything was drawn.
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
    text = _unwrap_reply(reply, leniencies)
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
    return Move("describe", _extract_message(text, leniencies), tuple(leniencies))


def _unwrap_reply(reply: str, leniencies: list[str]) -> str:
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


def _extract_message(text: str, leniencies: list[str]) -> str:
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
