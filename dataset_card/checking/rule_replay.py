"""An episode of a release, played again by the rules of its game from the data in the release.

Transcripts keep no answer as it came. The game makes answers of the steps that its protocol reads as these steps
(``Game.retold``); it is played on them and must come to the same episode: steps, tokens, budget, outcome.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ircore.core.episode_records import TECHNICAL_REASONS, Episode
from ircore.core.plugins import list_available, load_plugin
from ircore.core.records import Instance
from ircore.core.submission_records import Run
from ircore.games.base import Game
from ircore.games.retelling import Retelling
from ircore.instances.records import Instances
from ircore.instances.store import InstanceSet
from ircore.runs.events import Call, End, Failure
from ircore.submissions.rescoring.rules import Replay as RuleReplay


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


def find_replay_obstacle(run: Run) -> str | None:
    """Return the reason why the episodes of a run cannot be played again here; None if they can."""
    return None if run.game in list_available("games") else f"the game {run.game} is not installed here"


def replay_faults(replay: Replay) -> Iterator[str]:
    """Yield the parts of an episode that cannot follow from the rules, a line each."""
    run, episode = replay.run, replay.episode
    where = f"run {run.run_id}, episode {episode.episode_id}, {episode.outcome}"
    # Without files: rules that are played on retold answers look at no pixel.
    known = InstanceSet(Path(), run.instance_set, Instances.of((replay.instance,)))
    game, prompts = _load_game(run.game)
    retelling = game.retold(episode, game.rules_of(run), prompts)
    if retelling is None:
        return
    due = frozenset([episode.episode_id])
    for fault in RuleReplay(run, known, game, prompts, due=due).faults(tuple(_list_events(retelling))):
        yield f"{where}, rules: {fault.removeprefix(f'{episode.episode_id}: ')}"
    if retelling.blamed not in (None, seat := retelling.waiting[1]):
        yield f"{where}, rules: abort_reason is {episode.abort_reason!r}, where the {seat} had to answer"
    for fault in retelling.faults:
        yield f"{where}, rules: {fault}"


def _list_events(retelling: Retelling) -> Iterator[Call | Failure | End]:
    """Yield the events of a journal that gives the episode."""
    episode = retelling.episode
    for answer in retelling.answers:
        yield Call(
            episode_id=episode.episode_id, turn=answer.step, role=answer.seat, prompt=answer.prompt, text=answer.text,
            rendering=answer.rendering, notes=answer.notes, seconds=answer.seconds,
        )  # fmt: skip
    reason = episode.abort_reason
    if reason is not None and (retelling.blamed is not None or reason in TECHNICAL_REASONS):
        step, seat = retelling.waiting
        yield Failure(episode_id=episode.episode_id, turn=step, role=seat, reason=reason, detail=episode.detail or "")
    yield End(episode=episode)


@cache
def _load_game(name: str) -> tuple[Game[Any], Any]:
    game: Game[Any] = load_plugin("games", name)()
    return game, game.prompts(None)
