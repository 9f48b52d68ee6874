"""What of a release can be computed again: scores by judges and metrics, and episodes by the rules of their game.

Computed judges and metrics depend on pictures alone. A value is the same if it agrees exactly, or, of metrics, to
``TOLERANCE``: their sums of floating-point numbers may end otherwise in the last digits on another processor.

Transcripts keep no answer as it came. The game makes answers of the steps that its protocol reads as these steps
(``Game.retell``); it is played on them and must come to the same episode: steps, tokens, budget, outcome.
"""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache
from math import isclose
from pathlib import Path
from typing import Any

from ircore.core.episode_records import TECHNICAL_REASONS, Episode
from ircore.core.errors import InputError
from ircore.core.plugins import list_available, load_plugin
from ircore.core.private_text import redact_leaks
from ircore.core.records import Instance
from ircore.core.score_records import HUMAN, JudgeIdentity, Score
from ircore.core.submission_records import Run
from ircore.core.untrusted_text import format_one_line
from ircore.games.base import Game, Retelling
from ircore.instances.records import Instances
from ircore.instances.store import InstanceSet
from ircore.runs.events import Call, End, Failure
from ircore.scorers.judges.base import Judge, describe_identity
from ircore.scorers.material import Material, Scored, compute_scores, load_judge
from ircore.scorers.metrics.base import MetricKey, find_metric_version, load_metrics
from ircore.submissions.rescoring.rules import TranscriptReplay as RuleReplay


@dataclass(frozen=True)
class EpisodeReplay:
    """An episode to be played again.

    >>> from dataset_card.checking.release_check import check_release
    >>> (run,) = check_release(Path("release")).runs
    >>> episodes = {instance.instance_id: instance for instance in run.instances.instances}
    >>> [fault for episode in run.ended
    ...  for fault in replay_faults(EpisodeReplay(run.run, episodes[episode.instance_id], episode))]
    []
    """

    run: Run
    instance: Instance
    episode: Episode


def find_replay_obstacle(run: Run) -> str | None:
    """Return the reason why the episodes of a run cannot be played again here; None if they can."""
    return None if run.game in list_available("games") else f"the game {run.game} is not installed here"


def replay_faults(replay: EpisodeReplay) -> Iterator[str]:
    """Yield the parts of an episode that cannot follow from the rules, a line each."""
    run, episode = replay.run, replay.episode
    where = f"run {run.run_id}, episode {episode.episode_id}, {episode.outcome}"
    # Without files: rules that are played on retold answers look at no pixel.
    known = InstanceSet(Path(), run.instance_set, Instances.of((replay.instance,)))
    game, prompts = _load_game(run.game)
    retelling = game.retell(episode, game.read_rules(run), prompts)
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
    return game, game.read_prompts(None)


TOLERANCE = 1e-9
"""Tolerance for metrics: relative to the value, and absolute near 0."""


@dataclass(frozen=True)
class TargetPiece:
    """Scores and episodes of several runs about the same target, which is decoded once.

    >>> recompute(TargetPiece(materials=(), replays=())).faults
    ()
    """

    materials: tuple[tuple[str, Material], ...]
    replays: tuple[EpisodeReplay, ...]


@dataclass(frozen=True)
class _Recomputed:
    """Result of a piece: the scores and facts of each material, and the faults that the rules find in the episodes."""

    scored: tuple[tuple[str, Scored], ...]
    faults: tuple[str, ...]


def recompute(piece: TargetPiece) -> _Recomputed:
    """Compute the scores of a piece and play its episodes again; called in worker processes."""
    scored = tuple((run_id, compute_scores(material)) for run_id, material in piece.materials)
    return _Recomputed(scored, tuple(fault for replay in piece.replays for fault in replay_faults(replay)))


def is_same_score(stated: Score, score: Score) -> bool:
    """Return whether a stated score agrees with the computed score; the wording of a reason may differ."""
    if stated.orders is not None:  # only models are asked in both orders
        return False
    return are_equal(stated.value, score.value) if stated.task == "metric" else stated.value == score.value


def are_equal(stated: float | None, computed: float | None) -> bool:
    """Return whether two numbers are equal to ``TOLERANCE``, or neither is there."""
    if stated is None or computed is None:
        return stated is computed
    return isclose(stated, computed, rel_tol=TOLERANCE, abs_tol=TOLERANCE)


def judge_obstacle(name: str, identity: JudgeIdentity | None) -> str | None:
    """Return the reason why a judge's values cannot be computed again here; None if they can.

    Args:
        name: The judge.
        identity: Identity of the judge in the release; None if the release states none.
    """
    if name == HUMAN:
        return "people rated"
    if name not in list_available("judges"):
        model = identity is not None and identity.kind == "model"
        return "a model's answers" if model else "this judge is not installed here"
    installed = _judge(name)
    if isinstance(installed, str):
        return installed
    if installed.kind != "computed":
        return "a model's answers"
    ours = describe_identity(name, installed)
    # Another version of a judge may rate otherwise without being wrong.
    if identity is not None and identity.kind == "computed" and identity.version != ours.version:
        return f"version {identity.version or 'unknown'} in the release, {ours.version or 'unknown'} here"
    return None


def check_identity(name: str, identity: JudgeIdentity) -> str | None:
    """Return how the identity of an installed computed judge differs from what the judge says of itself; None if not.

    Of another version only the kind is compared: its label and its categories may be others.
    """
    # Such an identity would exempt a computed judge from being computed again.
    try:
        installed_kind = load_plugin("judges", name).kind
    except InputError:
        return None
    if installed_kind != "computed":
        return None
    if identity.kind != "computed":
        return f"judge {name} is said to be a {identity.kind}; it is computed"
    installed = _judge(name)
    # A judge of scenes rates further categories of the scored set, those of plug-ins.
    ours = identity if isinstance(installed, str) else describe_identity(name, installed, identity.categories or ())
    if ours.version != identity.version:
        return None
    for field in JudgeIdentity.model_fields:
        if getattr(identity, field) != getattr(ours, field):
            stated = format_one_line(str(getattr(identity, field)), 60)
            return f"judge {name}: {field} is {stated}, the judge itself says {getattr(ours, field)}"
    return None


def find_metric_obstacle(name: str, versions: Set[str | None]) -> str | None:
    """Return the reason why a metric's values cannot be computed again here; None if they can.

    Args:
        name: The metric, or ``ssim.native`` where the pictures were loaded natively.
        versions: Those that its values in the release state.
    """
    if MetricKey.parse(name).name not in list_available("metrics"):
        return "this metric is not installed here"
    _, lacking = load_metrics((name,))
    ours = find_metric_version(name)
    others = sorted(version or "unknown" for version in versions - {ours})
    return lacking.get(name) or (f"version {', '.join(others)} in the release, {ours} here" if others else None)


def find_obstacles(scores: Sequence[Score], identities: Mapping[str, JudgeIdentity]) -> dict[str, str]:
    """Return the obstacles to computing scores again, by judge or metric."""
    metrics: dict[str, set[str | None]] = {}
    for score in scores:
        if score.task == "metric":
            metrics.setdefault(score.by, set()).add(score.version)
    judges = {score.by for score in scores if score.task != "metric"}
    reasons = {name: find_metric_obstacle(name, versions) for name, versions in metrics.items()}
    reasons |= {name: judge_obstacle(name, identities.get(name)) for name in judges}
    # A reason can be the message of a failed import, with paths of this machine.
    return {name: redact_leaks(reason)[:300] for name, reason in sorted(reasons.items()) if reason is not None}


@cache
def _judge(name: str) -> Judge | str:
    try:
        return load_judge(name)
    except InputError as error:
        return error.problem
