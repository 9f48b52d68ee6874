"""Measuring runs: for each turn of each played episode with a drawn target, which facts were stated and shown."""

import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ircore.core.episode_records import Episode
from ircore.core.images import Picture
from ircore.core.progress import show_progress
from ircore.core.records import Instance, Scene
from ircore.core.score_records import VERIFIED, format_verdict_letter
from ircore.core.workers import map_in_order
from ircore.games.base import list_messages
from ircore.games.registry import load_game
from ircore.players.builtin_language import draw_messages
from ircore.runs.folder import RunFolder, read_facts
from ircore.scorers.scoring import RUNS_AT_ONCE
from ircore.scorers.stated_facts.said_turns import GRAMMAR, SaidTurn, add_said, read_said, select_latest_turns
from ircore.scorers.verification.score import VERSION as EYE
from ircore.scorers.verification.score import verify_picture

if TYPE_CHECKING:
    from ircore.scorers.verification.score import Verification


def format_verdicts(verification: "Verification") -> str:
    """Return the verdicts of a verification, one letter a fact."""
    return "".join(format_verdict_letter(checked.verdict, checked.fact.weight) for checked in verification.facts)


VERSION = f"1-eye-{EYE}"
"""Changes whenever the same turn may be read otherwise."""


class GrammarReader:
    """Reads the turns of one episode.

    Args:
        instance: Its target's; it has a scene.
        target: The target.
        shown: Verdicts that are known already, by the hash of a rendering: a letter a fact, of this version of the eye.

    Example:
        >>> from pathlib import Path
        >>> from ircore.instances.store import read_instances
        >>> instances = read_instances(Path("targets"))
        >>> target = instances.picture(instances.instances[0], "target")
        >>> reading = GrammarReader(instances.instances[0], target).turn("e", 1, ["A red circle."], target)
        >>> set(reading.shown) <= set("01?")
        True
    """

    def __init__(self, instance: Instance, target: Picture, shown: Mapping[str, str] | None = None) -> None:
        assert instance.scene is not None  # noqa: S101 - the caller passes over what was not drawn
        self._scene: Scene = instance.scene
        self._target = target
        self._seen: dict[str, str] = dict(shown or {})

    def turn(self, episode_id: str, turn: int, messages: Sequence[str], rendering: Picture) -> SaidTurn:
        """Return the facts of a turn.

        Args:
            episode_id: The episode's.
            turn: 1-based.
            messages: Up to this turn, oldest first.
            rendering: Of this turn.
        """
        stated = self._read_stated_facts(tuple(messages))
        # Before the first message nothing is stated.
        before = self._read_stated_facts(tuple(messages[:-1])) if len(messages) > 1 else "0" * len(stated)
        alone = self._read_stated_facts((messages[-1],)) if len(messages) > 1 else stated
        return SaidTurn(
            episode_id=episode_id,
            turn=turn,
            rendering=rendering.sha256,
            reader=GRAMMAR,
            version=VERSION,
            stated=stated,
            named="".join(map(_find_named_facts, before, stated, alone)),
            shown=self._read_picture(rendering),
        )

    def _read_stated_facts(self, messages: tuple[str, ...]) -> str:
        return self._read_picture(_draw(messages))

    def _read_picture(self, picture: Picture) -> str:
        """Return the facts that a picture shows; equal pictures are analysed once."""
        if picture.sha256 not in self._seen:
            self._seen[picture.sha256] = format_verdicts(verify_picture(self._target, self._scene, picture))
        return self._seen[picture.sha256]


_draw = lru_cache(maxsize=64)(draw_messages)


def _find_named_facts(before: str, stated: str, alone: str) -> str:
    """Return whether a message is about a fact: the message states the fact or changes an earlier statement."""
    # Alone too: a message that repeats a fact changes nothing, but is about the fact.
    return "1" if alone == "1" or before != stated else "0"


class _SaidCount(NamedTuple):
    """Counts of measured turns."""

    new: int
    """Turns that were measured."""

    kept: int
    """Turns that had been measured before."""

    without_scene: int
    """Played episodes that are passed over: their targets were not drawn."""


class _Work(NamedTuple):
    """An episode to be measured, with everything that a worker process needs."""

    run: Path
    episode: Episode
    shown: dict[str, str]
    """Stored verdicts by the hash of the rendering, a letter a fact."""


def measure_said(runs: Sequence[RunFolder], workers: int | None = None) -> _SaidCount:
    """Measure the turns of runs that have not been measured.

    Args:
        runs: Each one once.
        workers: Processes; as many as there are cores if None. The result does not depend on it.

    Raises:
        InputError: Another process works on a run, or a picture of it is damaged.
        WorkError: What was measured cannot be written; that of earlier episodes is kept.
    """
    works: list[tuple[RunFolder, _Work]] = []
    kept_count = without_scene = 0
    with ExitStack() as locks:
        for run in runs:
            locks.enter_context(run.lock())
            known = {
                (turn.episode_id, turn.turn, turn.rendering)
                for turn in select_latest_turns(read_said(run))
                if turn.version == VERSION
            }
            drawn = {instance.instance_id for instance in run.instances.instances if instance.scene is not None}
            shown = _read_stored_verdicts(run)
            for episode in run.episodes():
                if not episode.played:
                    continue
                if episode.instance_id not in drawn:
                    without_scene += 1
                # An episode is measured as a whole: each of its readings builds on all messages before it.
                elif list_turn_keys(episode) <= known:
                    kept_count += len(list_turn_keys(episode))
                else:
                    works.append((run, _Work(run.path, episode, shown.get(episode.episode_id, {}))))
        new = _measure_all(works, workers or os.cpu_count() or 1)
    return _SaidCount(new, kept_count, without_scene)


def _read_stored_verdicts(run: RunFolder) -> dict[str, dict[str, str]]:
    """Return the verdicts that scoring stored, by episode and rendering; verdicts of another eye are left out."""
    verdicts: dict[str, dict[str, str]] = {}
    for line in read_facts(run):
        if line.judge == VERIFIED and line.version == EYE:
            verdicts.setdefault(line.episode_id, {})[line.rendering] = line.verdicts
    return verdicts


def list_turn_keys(episode: Episode) -> set[tuple[str, int, str]]:
    """Return episode, turn and rendering of each turn that has a message and a rendering."""
    return {(episode.episode_id, turn, rendering.sha256) for turn, rendering in episode.renderings.items()}


def _measure_all(works: Sequence[tuple[RunFolder, _Work]], workers: int) -> int:
    new = 0
    measured = map_in_order(_measure_episode, [work for _, work in works], min(workers, len(works)))
    with show_progress("facts", len(works)) as shown:
        for (run, _), turns in zip(works, measured, strict=True):
            add_said(run, turns)
            new += len(turns)
            shown.advance()
    return new


def _measure_episode(work: _Work) -> list[SaidTurn]:
    """Measure one episode; runs in a process of its own."""
    run, instances = _open_run(work.run)
    instance = instances[work.episode.instance_id]
    reader = GrammarReader(instance, run.instances.picture(instance, "target"), work.shown)
    spoken = {message.step: message.text for message in list_messages(load_game(run.game), work.episode)}
    messages: list[str] = []
    turns = []
    for turn, rendering in work.episode.renderings.items():
        messages.append(spoken.get(turn, ""))
        turns.append(reader.turn(work.episode.episode_id, turn, messages, run.rendering(rendering)))
    return turns


@lru_cache(maxsize=RUNS_AT_ONCE)
def _open_run(path: Path) -> tuple[RunFolder, dict[str, Instance]]:
    """Return a run and its instances by id; the last few runs of a worker process are kept."""
    run = RunFolder(path)
    return run, {instance.instance_id: instance for instance in run.instances.instances}
