"""An episode for reading: every question and answer, step by step, with tokens, time and cost."""

from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from textwrap import wrap
from typing import Any, NamedTuple

from ircore.core.episode_records import Attempt, Episode, Rendering, list_renderings
from ircore.core.errors import InputError
from ircore.core.plain_words import format_count
from ircore.core.records import Fields, Instance, format_rule_value
from ircore.core.terminal import find_terminal_width, make_printable
from ircore.games.base import StepAnswer, read_ending
from ircore.games.registry import find_step_word, load_game
from ircore.runs.costs.prices import RunPrices
from ircore.runs.costs.totals import Totals
from ircore.runs.events import Call, Failure
from ircore.runs.folder import RunFolder

WIDTH = 100
"""Characters in a line of text, where the terminal is not narrower."""

INDENT = " " * 12


class EpisodeDialogue(NamedTuple):
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


def read_dialogue(folder: RunFolder, episode_id: str) -> EpisodeDialogue:
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
    return EpisodeDialogue(folder.game, known[episode_id], folder.ended().get(episode_id), questions)


def convert_to_dict(dialogue: EpisodeDialogue, prices: RunPrices) -> dict[str, Any]:
    """Return a dialogue as JSON."""
    return {
        "episode": dialogue.episode.model_dump(mode="json") if dialogue.episode else None,
        "instance": dialogue.instance.model_dump(mode="json", exclude={"payload": {"scene"}}),
        "questions": [question.model_dump(mode="json", exclude_none=True) for question in dialogue.questions],
        **Totals.of(dialogue.questions, prices).as_dict(),
    }


def format_dialogue(dialogue: EpisodeDialogue, prices: RunPrices) -> str:
    """Return a dialogue for people: messages, renderings, tokens, time and cost."""
    instance, word = dialogue.instance, find_step_word(dialogue.game)
    lines = [
        f"episode     {instance.instance_id}  ({instance.category}, {instance.difficulty})",
        *(
            f"{name:<11} instances/{file.image}  {file.width} × {file.height} px"
            for name, file in instance.pictures.items()
        ),
        f"outcome     {_format_outcome(dialogue.episode, word)}",
        f"took        {_format_effort_line(dialogue, prices)}",
    ]
    steps = {step.number: step for step in _list_steps(dialogue)}
    # A failed question has no step, and the steps of a pulled run have no questions.
    for number in sorted({question.turn for question in dialogue.questions} | steps.keys()):
        questions = [question for question in dialogue.questions if question.turn == number]
        lines += ["", f"{word} {number}", *_step(steps.get(number), questions)]
    return "\n".join(lines)


class _Step(NamedTuple):
    """A step of an episode that is read."""

    number: int
    fields: Fields
    answers: tuple[StepAnswer, ...]
    """As the game tells them; none if it does not."""

    seconds: float | None
    """Until all seats had answered; None where steps hold no times."""


def _list_steps(dialogue: EpisodeDialogue) -> Iterator[_Step]:
    episode = dialogue.episode
    if episode is None:
        return
    game = load_game(dialogue.game)
    ending = read_ending(game, episode)
    for place, (fields, step) in enumerate(zip(episode.steps, ending.steps, strict=True), start=1):
        answers = tuple(game.step_answers(step))
        # Beside the questions there is nothing to say of a step whose game tells no answers.
        if answers or not dialogue.questions:
            seconds = game.effort(ending._replace(steps=(step,))).seconds
            yield _Step(game.step_number(place, step), fields, answers, seconds)


def _format_effort_line(dialogue: EpisodeDialogue, prices: RunPrices) -> str:
    episode = dialogue.episode
    # Steps without questions: the run came from a release, which has no answers as they came.
    if episode is not None and episode.steps and not dialogue.questions:
        game = load_game(dialogue.game)
        seconds = game.effort(read_ending(game, episode)).seconds
        took = "" if seconds is None else f", {seconds:.1f} s"
        return (
            f"{format_count(len(list_renderings(episode)), 'image')}{took}; requests are not recorded, since the run "
            "was pulled from a release"
        )
    totals = Totals.of(dialogue.questions, prices)
    return (
        f"{format_count(totals.requests, 'request')}, {format_count(totals.tokens, 'token')} (provider's count), "
        f"{format_count(totals.images, 'image')}, {totals.seconds:.1f} s, cost {totals.cost_text()}"
    )


def _format_outcome(episode: Episode | None, word: str) -> str:
    if episode is None:
        return "not ended yet"
    rendered = f"{format_count(len(episode.steps), word)}, {format_count(len(list_renderings(episode)), 'rendering')}"
    if episode.abort_reason is None:
        return f"{episode.outcome}, {rendered}"
    return make_printable(f"aborted: {episode.abort_reason}, {rendered}. {episode.detail or ''}".strip())


def _step(step: _Step | None, questions: Sequence[Call | Failure]) -> list[str]:
    if step is not None and not questions:
        return _format_pulled_answers(step) if step.answers else _format_pulled_fields(step.fields)
    answers = {answer.seat: answer for answer in step.answers} if step else {}
    lines = []
    for question in questions:
        if isinstance(question, Failure):
            lines += _format_row(question.role, f"no answer: {question.reason}: {question.detail}")
        elif question.rendering is not None:
            picture = question.rendering
            lines += _format_row(question.role, f"renderings/{picture.sha256}.png")
            lines += _format_remarks([f"{picture.width} × {picture.height} px", *_format_effort(question)])
        else:
            # The words that count if the answer was well formed, else the raw answer.
            known = answers.get(question.role)
            lines += _format_row(question.role, known.text if known else question.text or question.choice or "")
            lines += _format_remarks([*(known.remarks if known else ()), *_format_effort(question)])
        notes = question.notes if isinstance(question, Call) else ()
        lines += [line for note in notes for line in _format_row("", f"note: {note}")]
        failed = [attempt for attempt in question.attempts if attempt.kind != "answered"]
        lines += [line for attempt in failed for line in _format_row("", _format_attempt(attempt))]
    return lines


def _format_pulled_answers(step: _Step) -> list[str]:
    """Show the answers of a step of which the journal as it came is not there."""
    lines = []
    for place, answer in enumerate(step.answers):
        if answer.rendering is not None:
            picture = answer.rendering
            lines += _format_row(answer.seat, f"renderings/{picture.sha256}.png")
            lines += _format_remarks([f"{picture.width} × {picture.height} px", *answer.remarks])
        elif answer.text:
            took = [f"{step.seconds:.2f} s for all seats"] if place == 0 and step.seconds is not None else []
            lines += _format_row(answer.seat, answer.text)
            lines += _format_remarks([*answer.remarks, *took])
        lines += [line for note in answer.notes for line in _format_row("", f"note: {note}")]
    return lines


def _format_pulled_fields(step: Fields) -> list[str]:
    """Show the fields of a step whose game does not tell its answers, pictures by their files."""
    lines = []
    for name, value in step.items():
        if isinstance(value, dict) and value.keys() == Rendering.model_fields.keys():
            lines += _format_row(name, f"renderings/{value['sha256']}.png")
            lines += _format_remarks([f"{value['width']} × {value['height']} px"])
        elif value not in ("", None):
            lines += _format_row(name, value if isinstance(value, str) else format_rule_value(value))
    return lines


def _format_effort(call: Call) -> list[str]:
    usage = call.usage
    counts = ((usage.prompt_tokens, "read"), (usage.completion_tokens, "written"), (usage.reasoning_tokens, "reasoned"))
    tokens = [f"{format_count(count, 'token')} {purpose}" for count, purpose in counts if count is not None]
    return [*tokens, f"{call.seconds:.2f} s", f"{usage.requests} requests" if usage.requests > 1 else ""]


def _format_attempt(attempt: Attempt) -> str:
    status = f" {attempt.status}" if attempt.status else ""
    return f"failed: {attempt.kind}{status} after {attempt.seconds:.2f} s: {attempt.detail or '–'}"


def _format_remarks(parts: Sequence[str]) -> list[str]:
    return _format_row("", f"[{', '.join(part for part in parts if part)}]")


def _format_row(name: str, text: str) -> list[str]:
    """Return text broken into lines, the first line behind a name."""
    broken = [
        line
        for part in make_printable(text).split("\n")
        # wrap returns no line for an empty paragraph, which is a line all the same.
        for line in wrap(part, min(WIDTH, find_terminal_width() or WIDTH) - len(INDENT)) or [""]
    ]
    return [f"  {name:<9} {broken[0]}", *(f"{INDENT}{line}" for line in broken[1:])]
