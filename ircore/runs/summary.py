"""A run in numbers, and an episode for reading: the answers of ``ircore show``.

An episode is told step by step: every question and answer, with tokens, time and cost.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from math import fsum
from textwrap import wrap
from typing import Any, NamedTuple

from ircore.core.episode_records import UNKNOWN_COST, Attempt, Episode, EpisodeCost, Rendering, list_renderings
from ircore.core.errors import InputError
from ircore.core.plain_words import format_count
from ircore.core.records import Fields, Instance, format_rule_value
from ircore.core.terminal import find_terminal_width, make_printable
from ircore.games.base import Game, StepAnswer, read_ending
from ircore.games.registry import find_step_word, load_game
from ircore.runs.costs.prices import Asked, RunPrices, find_usage, load_run_prices
from ircore.runs.costs.totals import Totals, compute_episode_costs
from ircore.runs.events import Call, Failure
from ircore.runs.folder import RunFolder
from ircore.runs.judge_questions import JudgeQuestion, read_judgements

_UNKNOWN_TOKENS = dict.fromkeys(("prompt_tokens", "completion_tokens", "reasoning_tokens"))

MESSAGE_TOKENS = "message_tokens"
"""Field of a game's steps that counts the tokens of a message, by the tokenizer of this project."""

WIDTH = 100
"""Characters in a line of text, where the terminal is not narrower."""

INDENT = " " * 12


def summarise(folder: RunFolder, prices: RunPrices | None = None, *, by_episode: bool = True) -> dict[str, Any]:
    """Count outcomes, turns, requests, tokens and cost of a run of any game.

    Args:
        folder: The run.
        prices: Prices of the run; by default the prices that it was played with.
        by_episode: Whether to count each episode, too.

    Returns:
        ``run`` (its identity), ``planned`` and ``episodes`` (of the set; ended), ``unfinished`` (without a result yet:
        never ended, or failed for a technical reason and not declared final), ``outcomes``, ``abort_reasons``,
        ``turns`` (or what the game calls its steps, such as ``rounds``), ``requests`` by seat and ``failed_requests``
        among them by fault (whether the answer came later or not), ``served`` by seat (answers of each model as the
        service named it, with its fingerprint), ``tokens`` (``messages`` where the game's steps count
        them; the rest as providers count them), ``images`` and ``images_perhaps_billed`` (besides
        them, by requests that failed), ``seconds`` (sum of waiting for answers), ``cost_usd`` (as providers report it,
        else by prices; null where nothing is known), ``cost_known`` (whether it covers every answer), ``per_episode``
        (``episode_id``, ``outcome``, ``turns`` as above, and the same sums for each) and ``judging`` (the same sums
        for the judges that are models, each apart under ``per_judge``; their requests are ``requests.judge``). All
        other sums are the players' own.

        A run that was pulled from a release has no answers as they came: its requests, and its tokens as providers
        count them, are null; images, seconds and cost are those of its episodes, as far as its steps tell.
    """
    prices = prices or load_run_prices(folder)
    episodes = tuple(folder.read_endings().values())
    questions = folder.questions()
    summary = _build_summary(folder, episodes, questions, prices)
    # Steps without questions: the run came from a release, which has no answers as they came.
    pulled = not questions and any(episode.steps for episode in episodes)
    if pulled:
        summary |= _summarise_pulled(folder, episodes, summary)
    if by_episode:
        of_episodes = _summarise_pulled_episodes if pulled else _summarise_episodes
        summary["per_episode"] = of_episodes(folder, episodes, questions, prices)
    return summary


def count_served_models(questions: Sequence[Call | Failure]) -> dict[str, dict[str, int]]:
    """Count by seat the answers of each model, as services name the models that answered; seats without any left out.

    Args:
        questions: Questions of a run.
    """
    served: dict[str, Counter[str]] = defaultdict(Counter)
    for question in questions:
        served[question.role].update(attempt.served for attempt in question.attempts if attempt.served)
    return {seat: dict(names.most_common()) for seat, names in served.items() if names}


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
    return EpisodeDialogue(folder.game, known[episode_id], folder.read_endings().get(episode_id), questions)


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


def _build_summary(
    folder: RunFolder, episodes: Sequence[Episode], questions: Sequence[Call | Failure], prices: RunPrices
) -> dict[str, Any]:
    outcomes = Counter(episode.outcome for episode in episodes)
    planned = len(folder.instances.instances) * folder.run.repeats
    sums = Totals.of(questions, prices).as_dict()
    attempts = (attempt.kind for question in questions for attempt in question.attempts)
    summary = {
        "run": folder.run.model_dump(mode="json", by_alias=True),
        "planned": planned,
        "episodes": len(episodes),
        # A technical failure has ended and is not finished: it is played again.
        "unfinished": planned - sum(episode.finished for episode in episodes),
        # Declared outcomes come first, and are listed also where they did not occur.
        "outcomes": {name: outcomes[name] for name in dict.fromkeys([*_list_outcomes(folder), *outcomes])},
        "abort_reasons": dict(Counter(episode.abort_reason for episode in episodes if episode.abort_reason)),
        f"{find_step_word(folder.game)}s": sum(len(episode.steps) for episode in episodes),
        **sums,
        "requests": {
            seat: sum(find_usage(question).requests for question in questions if question.role == seat)
            for seat in folder.run.submission.players
        },
        "failed_requests": dict(Counter(kind for kind in attempts if kind != "answered")),
        "served": count_served_models(questions),
    }
    game = _find_game(folder)
    if game is not None and MESSAGE_TOKENS in game.step.model_fields:
        # Messages are counted by one tokenizer for all models, unlike what providers count.
        written = sum(int(str(step[MESSAGE_TOKENS])) for episode in episodes for step in episode.steps)
        summary["tokens"] = {"messages": written, **sums["tokens"]}
    judging = _summarise_judging(read_judgements(folder), prices)
    summary["requests"]["judge"] = judging["requests"]
    summary["judging"] = judging
    return summary


def _list_outcomes(folder: RunFolder) -> Sequence[str]:
    """Return the outcomes that a game declares; an empty list if the game is not installed."""
    game = _find_game(folder)
    return [outcome.name for outcome in game.outcomes] if game else []


def _find_game(folder: RunFolder) -> Game[Any] | None:
    """Return the game of a run; None if it is not installed."""
    try:
        return load_game(folder.game)
    except InputError:
        return None


def _summarise_pulled(folder: RunFolder, episodes: Sequence[Episode], summary: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of the summary that differ for a run with episodes but without recorded answers."""
    judged = summary["requests"]["judge"]
    return {
        **_sum_pulled(episodes, compute_episode_costs(folder)),
        "requests": {**dict.fromkeys(summary["requests"]), "judge": judged},
        "failed_requests": None,
        "tokens": {**summary["tokens"], **_UNKNOWN_TOKENS},
    }


def _summarise_pulled_episodes(folder: RunFolder, episodes: Sequence[Episode], *_: object) -> list[dict[str, Any]]:
    costs, steps = compute_episode_costs(folder), f"{find_step_word(folder.game)}s"
    return [
        {
            "episode_id": episode.episode_id,
            "outcome": episode.outcome,
            steps: len(episode.steps),
            "requests": None,
            "tokens": _UNKNOWN_TOKENS,
            **_sum_pulled([episode], costs),
        }
        for episode in episodes
    ]


def _sum_pulled(episodes: Sequence[Episode], costs: Mapping[str, EpisodeCost]) -> dict[str, Any]:
    of_episodes = [costs.get(episode.episode_id, UNKNOWN_COST) for episode in episodes]
    seconds = [cost.seconds for cost in of_episodes if cost.seconds is not None]
    known = [cost.usd for cost in of_episodes if cost.usd is not None]
    return {
        "images": sum(len(list_renderings(episode)) for episode in episodes),
        "images_perhaps_billed": None,
        # Null where the release does not say how long answers took.
        "seconds": round(fsum(seconds), 3) if len(seconds) == len(episodes) else None,
        "cost_usd": round(fsum(known), 6) if known else None,
        "cost_known": len(known) == len(episodes),
    }


def _summarise_judging(questions: Sequence[JudgeQuestion], prices: RunPrices) -> dict[str, Any]:
    by_judge: dict[str, list[Asked]] = defaultdict(list)
    for question in questions:
        by_judge[question.judge].append(question)
    per_judge = {name: Totals.of(own, prices).as_dict() for name, own in sorted(by_judge.items())}
    return {**Totals.of(questions, prices).as_dict(), "per_judge": per_judge}


def _summarise_episodes(
    folder: RunFolder, episodes: Sequence[Episode], questions: Sequence[Call | Failure], prices: RunPrices
) -> list[dict[str, Any]]:
    """Return the sums of every begun episode; an episode that has not ended has no outcome."""
    by_episode: dict[str, list[Call | Failure]] = defaultdict(list)
    for question in questions:
        by_episode[question.episode_id].append(question)
    outcomes = {episode.episode_id: episode.outcome for episode in episodes}
    # Once for all episodes, since finding a game takes longer than adding up an episode.
    steps = f"{find_step_word(folder.game)}s"
    return [
        {
            "episode_id": name,
            "outcome": outcomes.get(name),
            steps: max(question.turn for question in by_episode[name]),
            **Totals.of(by_episode[name], prices).as_dict(),
        }
        for name in by_episode
    ]


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
        answers = tuple(game.list_step_answers(step))
        # Beside the questions there is nothing to say of a step whose game tells no answers.
        if answers or not dialogue.questions:
            seconds = game.measure_effort(ending._replace(steps=(step,))).seconds
            yield _Step(game.step_number(place, step), fields, answers, seconds)


def _format_effort_line(dialogue: EpisodeDialogue, prices: RunPrices) -> str:
    episode = dialogue.episode
    # Steps without questions: the run came from a release, which has no answers as they came.
    if episode is not None and episode.steps and not dialogue.questions:
        game = load_game(dialogue.game)
        seconds = game.measure_effort(read_ending(game, episode)).seconds
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
