"""An episode of a release, played again by the rules of its game from the data in the release.

Transcripts keep messages and not the answers that they were taken from. From each turn an answer is made that the
protocol reads as this turn, with the leniencies that it names; the game is played on these answers and must come to the
same episode: turns, tokens, budget, outcome. What the answers said beside their messages is not known here.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ircore.core.episode_records import TECHNICAL_REASONS, Episode
from ircore.core.plugins import available, load
from ircore.core.records import Instance
from ircore.core.submission_records import Run
from ircore.core.tokens import count_tokens
from ircore.games.base import Game
from ircore.games.reconstruction.prompts import Prompts, load_prompts
from ircore.games.reconstruction.records import Rules, Turn, turns_of
from ircore.instances.records import Instances
from ircore.instances.store import InstanceSet
from ircore.players.base import Role
from ircore.runs.events import Call, End, Failure
from ircore.submissions.rescoring.rules import Replay as RuleReplay

OF_THE_RULES = frozenset({"describer_over_budget"})
"""Reasons of an abort that the game finds in a message by itself; of all others the release only says that."""


SEATS: tuple[Role, ...] = ("describer", "generator")


@dataclass(frozen=True)
class Replay:
    """An episode to be played again.

    >>> from dataset_card.checking.release_check import check_release
    >>> (run,) = check_release(Path("release")).runs
    >>> episodes = {instance.instance_id: instance for instance in run.instances.instances}
    >>> [fault for episode in run.ended
    ...  for fault in replay_faults(Replay(run.run, episodes[episode.instance_id], episode))]
    []
    """

    run: Run
    instance: Instance
    episode: Episode


def not_replayable(run: Run) -> str | None:
    """Return the reason why the episodes of a run cannot be played again here; None if they can."""
    return None if run.game in available("games") else f"the game {run.game} is not installed here"


def replay_faults(replay: Replay) -> Iterator[str]:
    """Yield the parts of an episode that cannot follow from the rules, a line each."""
    run, episode = replay.run, replay.episode
    where = f"run {run.run_id}, episode {episode.episode_id}, {episode.outcome}"
    # Without files, since the rules of reconstruction look at no pixel of a target.
    known = InstanceSet(Path(), run.instance_set, Instances.of((replay.instance,)))
    game, prompts = _game(run.game)
    rewritten = _as_answered(episode, run)
    due = frozenset([episode.episode_id])
    for fault in RuleReplay(run, known, game, prompts, due=due).faults(tuple(_events(rewritten, run, prompts))):
        yield f"{where}, rules: {fault.removeprefix(f'{episode.episode_id}: ')}"
    if (reason := episode.abort_reason) and _seat_of(reason) not in (None, role := _where_it_ended(episode)[1]):
        yield f"{where}, rules: abort_reason is {reason!r}, where the {role} had to answer"
    for turn in turns_of(episode):
        # The cut message says nothing of its former length, but the stated one must be over the budget.
        if _is_cut(turn, run) and turn.message_tokens <= Rules.of(run).token_budget:
            yield f"{where}, rules: turn {turn.turn}: message_tokens is {turn.message_tokens}, within the budget"


def _as_answered(episode: Episode, run: Run) -> Episode:
    """Return the episode with the tokens of the messages as they are; the rest of a truncated message is unknown."""
    turns = tuple(
        turn.model_copy(update={"message_tokens": count_tokens(turn.message or ""), "over_budget": False})
        if _is_cut(turn, run)
        else turn
        for turn in turns_of(episode)
    )
    return episode.with_steps(turns)


def _is_cut(turn: Turn, run: Run) -> bool:
    return Rules.of(run).over_budget == "truncate" and turn.over_budget and turn.action == "describe"


def _events(episode: Episode, run: Run, prompts: Prompts) -> Iterator[Call | Failure | End]:
    """Yield the events of a journal that gives the episode."""
    name = episode.episode_id
    for turn in turns_of(episode):
        prompt = prompts.describer(turn.turn, Rules.of(run).token_budget)
        answer = _answer(turn)
        yield Call(episode_id=name, turn=turn.turn, role="describer", prompt=prompt, text=answer, seconds=turn.seconds)
        if turn.rendering is not None:
            # A release has the time of both players together, which is with the describer already.
            yield Call(
                episode_id=name, turn=turn.turn, role="generator", rendering=turn.rendering, notes=turn.notes, seconds=0
            )
    reason = episode.abort_reason
    if reason is not None and (_seat_of(reason) is not None or reason in TECHNICAL_REASONS):
        turn_number, role = _where_it_ended(episode)
        yield Failure(episode_id=name, turn=turn_number, role=role, reason=reason, detail=episode.detail or "")
    yield End(episode=episode)


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


def _seat_of(reason: str) -> Role | None:
    """Return the seat that caused an abort; None for an abort by the game, or for another reason."""
    if reason in OF_THE_RULES:
        return None
    return next((seat for seat in SEATS if reason.startswith(f"{seat}_")), None)


def _where_it_ended(episode: Episode) -> tuple[int, Role]:
    """Return the turn and the seat at which an aborted episode ended: who had not answered yet."""
    last = turns_of(episode)[-1] if turns_of(episode) else None
    if last is not None and last.action == "describe" and last.rendering is None:
        return last.turn, "generator"
    return (last.turn + 1 if last is not None else 1), "describer"


@cache
def _game(name: str) -> tuple[Game[Any], Prompts]:
    game: Game[Any] = load("games", name)()
    return game, load_prompts(name)
