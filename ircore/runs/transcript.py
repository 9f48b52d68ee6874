"""An episode for reading: every question and answer, step by step, with tokens, time and cost."""

from collections.abc import Sequence
from difflib import get_close_matches
from textwrap import wrap
from typing import Any, NamedTuple

from ircore.core.counted import counted
from ircore.core.episode_records import Attempt, Episode, Rendering, drawn_renderings
from ircore.core.errors import InputError
from ircore.core.game_records import rule_word
from ircore.core.records import Fields, Instance
from ircore.core.terminal import printable, terminal_width
from ircore.games.reconstruction.records import Turn, turns_of
from ircore.games.registry import load_game, step_word
from ircore.runs.costs.prices import RunPrices
from ircore.runs.costs.totals import Totals
from ircore.runs.events import Call, Failure
from ircore.runs.folder import RunFolder

WIDTH = 100
"""Characters in a line of text, where the terminal is not narrower."""

INDENT = " " * 12


class Dialogue(NamedTuple):
    """All records of an episode.

    >>> from pathlib import Path
    >>> from ircore.runs.folder import RunFolder
    >>> dialogue = read_dialogue(RunFolder(Path("run")), "simple_shapes-easy-01")
    >>> dialogue.episode.outcome, dialogue.questions[0].role
    ('converged', 'describer')

    Attributes:
        episode: How it ended; None if it has not.
        questions: All questions in the order of their answers, also questions that brought no answer.
    """

    game: str
    instance: Instance
    episode: Episode | None
    questions: tuple[Call | Failure, ...]


def read_dialogue(folder: RunFolder, episode_id: str) -> Dialogue:
    """Find an episode of a run.

    Raises:
        InputError: The run has no such episode; the nearest ones are named.
    """
    known = {
        name: instance
        for instance in folder.instances.instances
        for name in folder.run.episode_ids([instance.instance_id])
    }
    if episode_id not in known:
        near = get_close_matches(episode_id, known, n=3, cutoff=0.4) or list(known)[:3]
        raise InputError(
            f"{folder.path}: no episode {episode_id!r} among {len(known)}", f"Did you mean {' or '.join(near)}?"
        )
    events = (event for event in folder.events() if isinstance(event, Call | Failure))
    questions = tuple(question for question in events if question.episode_id == episode_id)
    return Dialogue(folder.game, known[episode_id], folder.ended().get(episode_id), questions)


def as_dict(dialogue: Dialogue, prices: RunPrices) -> dict[str, Any]:
    """Return a dialogue as JSON."""
    return {
        "episode": dialogue.episode.model_dump(mode="json") if dialogue.episode else None,
        "instance": dialogue.instance.model_dump(mode="json", exclude={"payload": {"scene"}}),
        "questions": [question.model_dump(mode="json", exclude_none=True) for question in dialogue.questions],
        **Totals.of(dialogue.questions, prices).as_dict(),
    }


def as_text(dialogue: Dialogue, prices: RunPrices) -> str:
    """Return a dialogue for people: messages, renderings, tokens, time and cost."""
    instance, word = dialogue.instance, step_word(dialogue.game)
    lines = [
        f"episode     {instance.instance_id}  ({instance.category}, {instance.difficulty})",
        *(
            f"{name:<11} instances/{file.image}  {file.width} × {file.height} px"
            for name, file in instance.pictures.items()
        ),
        f"outcome     {_outcome(dialogue.episode, word)}",
        f"took        {_took(dialogue, prices)}",
    ]
    episode = dialogue.episode
    turns = {turn.turn: turn for turn in _turns(dialogue)}
    # A failed question has no turn, and the turns of a pulled run have no questions.
    for number in sorted({question.turn for question in dialogue.questions} | turns.keys()):
        questions = [question for question in dialogue.questions if question.turn == number]
        lines += ["", f"{word} {number}", *_turn(turns.get(number), questions)]
    if episode is not None and not turns and not dialogue.questions:
        for number, step in enumerate(episode.steps, start=1):
            lines += ["", f"{word} {number}", *_pulled_step(step)]
    return "\n".join(lines)


def _turns(dialogue: Dialogue) -> tuple[Turn, ...]:
    """Return the steps of an episode if they are turns; those of other games say nothing of times."""
    episode = dialogue.episode
    return () if episode is None or load_game(dialogue.game).step is not Turn else turns_of(episode)


def _took(dialogue: Dialogue, prices: RunPrices) -> str:
    episode = dialogue.episode
    # Steps without questions: the run came from a release, which has no answers as they came.
    if episode is not None and episode.steps and not dialogue.questions:
        # Steps of other games hold no times.
        seconds = f", {sum(turn.seconds for turn in turns):.1f} s" if (turns := _turns(dialogue)) else ""
        return (
            f"{counted(len(drawn_renderings(episode)), 'image')}{seconds}; requests are not recorded, since the run "
            "was pulled from a release"
        )
    totals = Totals.of(dialogue.questions, prices)
    return (
        f"{counted(totals.requests, 'request')}, {counted(totals.tokens, 'token')} (provider's count), "
        f"{counted(totals.images, 'image')}, {totals.seconds:.1f} s, cost {totals.cost_text()}"
    )


def _outcome(episode: Episode | None, word: str) -> str:
    if episode is None:
        return "not ended yet"
    rendered = f"{counted(len(episode.steps), word)}, {counted(len(drawn_renderings(episode)), 'rendering')}"
    if episode.abort_reason is None:
        return f"{episode.outcome}, {rendered}"
    return printable(f"aborted: {episode.abort_reason}, {rendered}. {episode.detail or ''}".strip())


def _turn(turn: Turn | None, questions: Sequence[Call | Failure]) -> list[str]:
    if turn is not None and not questions:
        return _pulled_turn(turn)
    lines = []
    for question in questions:
        if isinstance(question, Failure):
            lines += _row(question.role, f"no answer: {question.reason}: {question.detail}")
        elif question.rendering is not None:
            picture = question.rendering
            lines += _row(question.role, f"renderings/{picture.sha256}.png")
            lines += _small([f"{picture.width} × {picture.height} px", *_effort(question)])
        else:
            lines += _row(question.role, _said(turn, question.text or question.choice or ""))
            lines += _small([_size(turn), *(turn.leniencies if turn else ()), *_effort(question)])
        notes = question.notes if isinstance(question, Call) else ()
        lines += [line for note in notes for line in _row("", f"note: {note}")]
        failed = [attempt for attempt in question.attempts if attempt.kind != "answered"]
        lines += [line for attempt in failed for line in _row("", _attempt(attempt))]
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


def _pulled_step(step: Fields) -> list[str]:
    """Show the fields of a step of another game, pictures by their files."""
    lines = []
    for name, value in step.items():
        if isinstance(value, dict) and value.keys() == Rendering.model_fields.keys():
            lines += _row(name, f"renderings/{value['sha256']}.png")
            lines += _small([f"{value['width']} × {value['height']} px"])
        elif value not in ("", None):
            lines += _row(name, value if isinstance(value, str) else rule_word(value))
    return lines


def _said(turn: Turn | None, text: str) -> str:
    """Return the words of an answer: the describer's message if the reply was well formed, else the raw answer."""
    if turn is None:
        return text
    return "(done)" if turn.message is None else turn.message


def _size(turn: Turn | None) -> str:
    if turn is None or turn.message is None:
        return ""
    return f"{counted(turn.message_tokens, 'token')} in the message{', over the budget' if turn.over_budget else ''}"


def _effort(call: Call) -> list[str]:
    usage = call.usage
    counts = ((usage.prompt_tokens, "read"), (usage.completion_tokens, "written"), (usage.reasoning_tokens, "reasoned"))
    tokens = [f"{counted(count, 'token')} {purpose}" for count, purpose in counts if count is not None]
    return [*tokens, f"{call.seconds:.2f} s", f"{usage.requests} requests" if usage.requests > 1 else ""]


def _attempt(attempt: Attempt) -> str:
    status = f" {attempt.status}" if attempt.status else ""
    return f"failed: {attempt.kind}{status} after {attempt.seconds:.2f} s: {attempt.detail or '–'}"


def _small(parts: Sequence[str]) -> list[str]:
    return _row("", f"[{', '.join(part for part in parts if part)}]")


def _row(name: str, text: str) -> list[str]:
    """Return text broken into lines, the first line behind a name."""
    broken = [
        line
        for part in printable(text).split("\n")
        # wrap returns no line for an empty paragraph, which is a line all the same.
        for line in wrap(part, min(WIDTH, terminal_width() or WIDTH) - len(INDENT)) or [""]
    ]
    return [f"  {name:<9} {broken[0]}", *(f"{INDENT}{line}" for line in broken[1:])]
