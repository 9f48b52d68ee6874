"""``release check --rescore``: values computed again from the embedded pictures, episodes played again by the rules."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from dataset_card.card.verification import RunVerification, run_key
from dataset_card.checking.copies import check_descriptors
from dataset_card.checking.recomputing import TargetPiece, recompute
from dataset_card.checking.rescored_game import rescore_game_run
from dataset_card.checking.rescored_run import Draw, RunTask
from dataset_card.releases.record import read_release
from dataset_card.tables.release_source import ReleasedRun
from ircore.core.errors import InputError
from ircore.core.plain_words import format_count
from ircore.core.records import Instance
from ircore.core.terminal import track_progress
from ircore.core.workers import map_in_order
from ircore.games.registry import has_support
from ircore.instances.store import InstanceSet

RUNS_AT_ONCE = 16
"""Runs that are gone through together, target by target; of each a row group of pictures is held."""

_SHARE = re.compile(r"(\d+(?:\.\d+)?|\.\d+)\s*(%?)")


@dataclass(frozen=True)
class Rescoring:
    """Result of computing values of a release again.

    Attributes:
        faults: One line each: run, episode, turn, judge or metric, what is stated and what was computed.
        runs: Verification of each run, by the run's id.

    >>> list(Rescoring(faults=(), runs={}).lines())
    ['computed again: 0 runs, 0 episodes']
    """

    faults: tuple[str, ...]
    runs: dict[str, RunVerification]

    def lines(self) -> Iterator[str]:
        """Yield lines for people: values that were computed again, and values that were not, with the reason."""
        episodes = sum(run.episodes for run in self.runs.values())
        shares = {(run.share, run.seed) for run in self.runs.values()}
        drawn = "".join(f", {100 * share:g} % drawn with seed {seed}" for share, seed in shares if share < 1)
        count = format_count(len(self.runs), "run")
        rules = " by the rules" if any(run.rules for run in self.runs.values()) else ""
        yield f"computed again: {count}, {format_count(episodes, 'episode')}{rules}{drawn}"
        for kind in ("judges", "metrics"):
            counts = Counter[str]()
            for run in self.runs.values():
                counts.update(getattr(run, kind))
            if counts:
                yield f"computed again: {kind} {', '.join(f'{name} {counts[name]:,}' for name in sorted(counts))}"
        for name, reason in sorted({obstacle for run in self.runs.values() for obstacle in run.not_verified.items()}):
            yield f"not recomputed: {name}: {reason}"


def parse_share(text: str) -> float:
    """Return a share: ``0.25`` or ``25%``.

    Raises:
        InputError: It is neither above 0 and up to 1, nor above 0 % and up to 100 %.
    """
    match = _SHARE.fullmatch(text.strip())
    value = float(match[1]) / (100 if match[2] else 1) if match else 0.0
    if not 0 < value <= 1:
        raise InputError(
            f"--rescore {text}: not a share of a release",
            "Give 0.25 or 25%, or no value for all; the folder stands before the option.",
        )
    return value


def rescore_release(folder: Path, runs: Sequence[ReleasedRun], draw: Draw, processes: int) -> Rescoring:
    """Compute values again from the pictures of a release, and play the episodes again by the rules.

    The descriptors of renderings, by which later runs are compared, are computed again too. Where a game can be
    replayed, its rules are played again; else its measures are computed again from the recorded steps and pictures.

    Args:
        folder: The release; its tables have no fault.
        runs: Runs to compute again, as they were read back.
        draw: Choice of the episodes.
        processes: Number of processes.

    Raises:
        InputError: A picture has changed since it was checked.
        WorkError: A process was killed.
    """
    parts = read_release(folder).parts
    ruled = [run for run in runs if has_support("replay", run.run.game)]
    tasks = {run.run.run_id: RunTask(run, draw) for run in ruled}
    faults: list[str] = []
    for start in range(0, len(tasks), RUNS_AT_ONCE):
        faults += _rescore_runs(list(tasks.values())[start : start + RUNS_AT_ONCE], processes)
    for run in ruled:
        faults += check_descriptors(folder, run, tasks[run.run.run_id].drawn, processes)
    verified = {run_id: task.verification(run_key(parts, run_id), draw) for run_id, task in tasks.items()}
    for run in (run for run in runs if run.run.run_id not in tasks):
        run_faults, verification = rescore_game_run(run, run_key(parts, run.run.run_id), draw)
        faults += run_faults
        verified[run.run.run_id] = verification
    # Several runs share a judge, and a fault of its identity is told once.
    return Rescoring(tuple(dict.fromkeys(faults)), verified)


def _rescore_runs(tasks: Sequence[RunTask], processes: int) -> Iterator[str]:
    """Yield the faults of some runs, target by target, so that each target is decoded once."""
    instances = tasks[0].instances
    # Targets without a drawn episode are not decoded.
    drawn_instances = [
        instance for instance in instances.instances if any(task.episodes.get(instance.instance_id) for task in tasks)
    ]
    pieces = (_build_piece(instances, instance, tasks) for instance in drawn_instances)
    by_run = {task.run_id: task for task in tasks}
    computed = map_in_order(recompute, pieces, min(processes, len(drawn_instances)))
    for recomputed in track_progress(computed, "rescoring", len(drawn_instances)):
        yield from recomputed.faults
        for run_id, scored in recomputed.scored:
            yield from by_run[run_id].differences(scored)


def _build_piece(instances: InstanceSet, instance: Instance, tasks: Sequence[RunTask]) -> TargetPiece:
    target = instances.picture(instance, "target")
    played = [(task, episode) for task in tasks for episode in task.episodes.get(instance.instance_id, ())]
    scored = [(task, episode) for task, episode in played if task.is_scored(episode)]
    return TargetPiece(
        tuple((task.run_id, task.material(target, episode, instance.scene)) for task, episode in scored),
        tuple(task.replay(instance, episode) for task, episode in played if task.is_replayed),
    )
