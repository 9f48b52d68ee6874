"""The answers of a published episode, made from its turns; see ``ircore.games.base.Game.retold``."""

from collections.abc import Iterator

from ircore.core.episode_records import Episode
from ircore.core.tokens import count_tokens
from ircore.games.reconstruction.prompts import Prompts
from ircore.games.reconstruction.records import Rules, Turn, turns_of
from ircore.games.reconstruction.rules import DESCRIBER, GENERATOR
from ircore.games.retelling import Retelling, RetoldAnswer

OF_THE_RULES = frozenset({"describer_over_budget"})
"""Reasons of an abort that the rules find in a message by themselves; of all others a transcript only says that."""


def retell(episode: Episode, rules: Rules, prompts: Prompts) -> Retelling:
    """Return the answers that give an episode, from turns that keep messages alone."""
    turns = tuple(
        turn.model_copy(update={"message_tokens": count_tokens(turn.message or ""), "over_budget": False})
        # The rest of a message that was cut is not known.
        if _is_cut(turn, rules)
        else turn
        for turn in turns_of(episode)
    )
    faults = tuple(
        f"turn {turn.turn}: message_tokens is {turn.message_tokens}, within the budget"
        for turn in turns_of(episode)
        # The cut message says nothing of its former length, but the stated one must be over the budget.
        if _is_cut(turn, rules) and turn.message_tokens <= rules.token_budget
    )
    answers = tuple(answer for turn in turns for answer in _answers(turn, rules, prompts))
    return Retelling(episode.with_steps(turns), answers, _waiting(turns), _blamed(episode.abort_reason), faults)


def _is_cut(turn: Turn, rules: Rules) -> bool:
    return rules.over_budget == "truncate" and turn.over_budget and turn.action == "describe"


def _answers(turn: Turn, rules: Rules, prompts: Prompts) -> Iterator[RetoldAnswer]:
    prompt = prompts.describer(turn.turn, rules.token_budget)
    # A transcript has the time of both players together.
    yield RetoldAnswer(turn.turn, DESCRIBER.name, _answer(turn), prompt, seconds=turn.seconds)
    if turn.rendering is not None:
        yield RetoldAnswer(turn.turn, GENERATOR.name, rendering=turn.rendering, notes=turn.notes)


def _answer(turn: Turn) -> str:
    """Return an answer that the protocol reads as this turn."""
    lenient = frozenset(turn.leniencies)
    if turn.action == "done":
        text = "DONE" if "bare_done" in lenient else "<DONE>"
    else:
        closing = "" if "missing_closing_tag" in lenient else "</DESCRIPTION>"
        text = f"<DESCRIPTION>{turn.message or ''}{closing}"
    if "letter_case" in lenient:
        # The first tag alone: the same letters in the message must stay as they are.
        text = text.replace("<DESCRIPTION>", "<description>", 1) if turn.action == "describe" else text.lower()
    # From the inside out: the protocol takes white space off first, then the fence, then the tags.
    if "code_fence" in lenient:
        text = f"```\n{text}\n```"
    return f" {text}" if "surrounding_whitespace" in lenient else text


def _waiting(turns: tuple[Turn, ...]) -> tuple[int, str]:
    last = turns[-1] if turns else None
    if last is not None and last.action == "describe" and last.rendering is None:
        return last.turn, GENERATOR.name
    return (last.turn + 1 if last is not None else 1), DESCRIBER.name


def _blamed(reason: str | None) -> str | None:
    if reason is None or reason in OF_THE_RULES:
        return None
    return next((seat.name for seat in (DESCRIBER, GENERATOR) if reason.startswith(f"{seat.name}_")), None)
