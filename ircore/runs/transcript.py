"""One episode for reading: what was said and drawn turn by turn, and what it took."""

from collections.abc import Sequence
from difflib import get_close_matches
from textwrap import wrap
from typing import Any, NamedTuple

from ircore.core.errors import InputError
from ircore.core.records import Attempt, Episode, Instance, Turn
from ircore.core.terminal import printable
from ircore.runs.costs.prices import RunPrices
from ircore.runs.costs.totals import Totals
from ircore.runs.events import Call, Failure
from ircore.runs.folder import RunFolder

WIDTH = 100
"""Characters in a line of text."""

INDENT = " " * 12


class Dialogue(NamedTuple):
    """Everything recorded of one episode.

    Attributes:
        instance: What was to be reconstructed.
        episode: How it ended; None if it has not.
        questions: What was asked, in the order of the answers, questions asked in vain included.
    """

    instance: Instance
    episode: Episode | None
    questions: tuple[Call | Failure, ...]


def read_dialogue(folder: RunFolder, episode_id: str) -> Dialogue:
    """Find an episode of a run.

    Raises:
        InputError: The run has no such episode; the nearest ones are named.
    """
    known = {one.instance_id: one for one in folder.instances.instances}
    if episode_id not in known:
        near = get_close_matches(episode_id, known, n=3, cutoff=0.4) or list(known)[:3]
        raise InputError(
            f"{folder.path}: no episode {episode_id!r} among {len(known)}", f"Did you mean {' or '.join(near)}?"
        )
    questions = tuple(
        one for one in folder.events() if isinstance(one, Call | Failure) and one.episode_id == episode_id
    )
    ended = [one for one in folder.episodes() if one.episode_id == episode_id]
    return Dialogue(known[episode_id], ended[0] if ended else None, questions)


def as_dict(dialogue: Dialogue, prices: RunPrices) -> dict[str, Any]:
    """Return a dialogue as JSON."""
    return {
        "episode": dialogue.episode.model_dump(mode="json") if dialogue.episode else None,
        "instance": dialogue.instance.model_dump(mode="json", exclude={"scene"}),
        "questions": [one.model_dump(mode="json", exclude_none=True) for one in dialogue.questions],
        **Totals.of(dialogue.questions, prices).as_dict(),
    }


def as_text(dialogue: Dialogue, prices: RunPrices) -> str:
    """Return a dialogue for people: who said what, what was drawn, what it took."""
    instance = dialogue.instance
    lines = [
        f"episode     {instance.instance_id}  ({instance.category}, {instance.difficulty})",
        f"target      instances/{instance.image}  {instance.width} × {instance.height} px",
        f"outcome     {_outcome(dialogue.episode)}",
        f"took        {_took(dialogue, prices)}",
    ]
    turns = {one.turn: one for one in dialogue.episode.turns} if dialogue.episode else {}
    for number in sorted({one.turn for one in dialogue.questions} | turns.keys()):
        asked = [one for one in dialogue.questions if one.turn == number]
        lines += ["", f"turn {number}", *_turn(turns.get(number), asked)]
    return "\n".join(lines)


def _took(dialogue: Dialogue, prices: RunPrices) -> str:
    episode = dialogue.episode
    if episode is not None and episode.turns and not dialogue.questions:
        seconds = sum(turn.seconds for turn in episode.turns)
        return (
            f"{len(episode.rendered_turns)} images, {seconds:.1f} s; requests are not recorded, since the run was "
            "pulled from a release"
        )
    totals = Totals.of(dialogue.questions, prices)
    return (
        f"{totals.requests} requests, {totals.tokens:,} tokens (provider's count), {totals.images} images, "
        f"{totals.seconds:.1f} s, cost {totals.cost_text()}"
    )


def _outcome(episode: Episode | None) -> str:
    if episode is None:
        return "not ended yet"
    rendered = f"{len(episode.rendered_turns)} renderings"
    if episode.abort_reason is None:
        return f"{episode.outcome}, {rendered}"
    return printable(f"aborted: {episode.abort_reason}, {rendered}. {episode.detail or ''}".strip())


def _turn(turn: Turn | None, asked: Sequence[Call | Failure]) -> list[str]:
    if turn is not None and not asked:
        return _pulled_turn(turn)
    lines = []
    for one in asked:
        if isinstance(one, Failure):
            lines += _row(one.role, f"no answer: {one.reason}: {one.detail}")
        elif one.text is not None:
            lines += _row("describer", _said(turn, one.text))
            lines += _small([_size(turn), *(turn.leniencies if turn else ()), *_effort(one)])
        elif one.rendering is not None:
            picture = one.rendering
            lines += _row("generator", f"renderings/{picture.sha256}.png")
            lines += _small([f"{picture.width} × {picture.height} px", *_effort(one)])
            lines += [line for note in one.notes for line in _row("", f"note: {note}")]
        lines += [line for try_ in one.attempts if try_.kind != "answered" for line in _row("", _attempt(try_))]
    return lines


def _pulled_turn(turn: Turn) -> list[str]:
    """Show a turn of which the answers as they came are not recorded."""
    lines = _row("describer", _said(turn, ""))
    lines += _small([_size(turn), *turn.leniencies, f"{turn.seconds:.2f} s for both"])
    if turn.rendering is not None:
        picture = turn.rendering
        lines += _row("generator", f"renderings/{picture.sha256}.png")
        lines += _small([f"{picture.width} × {picture.height} px"])
    return [*lines, *(line for note in turn.notes for line in _row("", f"note: {note}"))]


def _said(turn: Turn | None, text: str) -> str:
    """Return a describer's words: its message where the protocol found one, else its raw answer."""
    if turn is None:
        return text
    return "(done)" if turn.message is None else turn.message


def _size(turn: Turn | None) -> str:
    if turn is None or turn.message is None:
        return ""
    return f"{turn.message_tokens} tokens in the message{', over the budget' if turn.over_budget else ''}"


def _effort(call: Call) -> list[str]:
    usage = call.usage
    counts = ((usage.prompt_tokens, "read"), (usage.completion_tokens, "written"), (usage.reasoning_tokens, "reasoned"))
    tokens = [f"{count:,} tokens {what}" for count, what in counts if count is not None]
    return [*tokens, f"{call.seconds:.2f} s", f"{usage.requests} requests" if usage.requests > 1 else ""]


def _attempt(attempt: Attempt) -> str:
    status = f" {attempt.status}" if attempt.status else ""
    return f"failed: {attempt.kind}{status} after {attempt.seconds:.2f} s: {attempt.detail or '–'}"


def _small(parts: Sequence[str]) -> list[str]:
    return _row("", f"[{', '.join(part for part in parts if part)}]")


def _row(name: str, text: str) -> list[str]:
    """Return text broken into lines, the first one behind a name."""
    broken = [line for part in printable(text).split("\n") for line in wrap(part, WIDTH - len(INDENT)) or [""]]
    return [f"  {name:<9} {broken[0]}", *(f"{INDENT}{line}" for line in broken[1:])]
