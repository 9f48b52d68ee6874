"""Runs written by hand: what became of each instance, one word or score each, so that results can be worked out."""

from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

from invented import InventedRun, invented_run

from ircore.core.episode_records import Episode, Rendering
from ircore.core.records import Instance
from ircore.core.score_records import JudgeIdentity, Score
from ircore.games.reconstruction.records import Rules, Turn
from ircore.instances.store import InstanceSet

Fate = float | str | None
"""The score of an episode's one rendering; ``refused`` (the judge), ``not yet`` (judged), ``aborted`` (by the pair),
``failed`` (a provider), ``given up`` (declared final); None for an episode that was never begun."""

RENDERING = Rendering(sha256="a" * 64, width=512, height=512)
_ABORTED = {"aborted": "generator_refused", "failed": "provider_error", "given up": "given_up"}


class HandMadeRun(InventedRun):
    """A run that says who its judges are."""

    def judges(self) -> dict[str, JudgeIdentity]:
        return {entry.name: entry for entry in getattr(self, "identities", ())}


def hand_made_run(
    slug: str,
    instances: InstanceSet,
    fates: Sequence[Fate],
    judge: JudgeIdentity | None = None,
    rules: Rules | None = None,
) -> HandMadeRun:
    """Make a run of these fates, one an instance in the order of the set, rated by ``judge`` (named ``eye``)."""
    made = invented_run(instances, f"{slug}-describer", f"{slug}-generator", 5.0, 0.0).run
    named = made.submission.model_copy(update={"name": slug})
    stated = (rules or Rules()).model_dump(mode="json")
    run = made.model_copy(update={"run_id": slug, "slug": slug, "submission": named, "rules": stated})
    pairs = list(zip(instances.instances, fates, strict=True))
    episodes = tuple(episode_of(instance, fate, RENDERING) for instance, fate in pairs if fate is not None)
    scores = tuple(score_of(instance, fate, "eye", RENDERING) for instance, fate in pairs if is_judged(fate))
    hand_made = HandMadeRun(Path(slug), run, instances, episodes, scores)
    object.__setattr__(hand_made, "identities", (judge or JudgeIdentity(name="eye", label="Eye", kind="model"),))
    return hand_made


def is_judged(fate: Fate) -> bool:
    """Whether a judge was asked about an episode of this fate and answered."""
    return fate == "refused" or isinstance(fate, float)


def episode_of(instance: Instance, fate: Fate, rendering: Rendering) -> Episode:
    """Return an episode of this fate."""
    reason = _ABORTED.get(fate) if isinstance(fate, str) else None
    turn = Turn(turn=1, action="describe", message="A square.", rendering=rendering)
    about = {name: getattr(instance, name) for name in ("instance_id", "category", "difficulty")}
    outcome = {"outcome": "aborted" if reason else "converged", "abort_reason": reason}
    turns = () if reason else (turn,)
    return Episode.model_validate({**about, **outcome, "episode_id": instance.instance_id, "steps": turns})


def short_episode(
    name: str,
    renderings: Sequence[str],
    messages: Sequence[str] = (),
    outcome: str = "converged",
    category: str = "geometry",
    done: bool = False,
    **turn: Any,
) -> Episode:
    """Return an easy episode of these renderings (by SHA-256) and messages; all turns have the fields of ``turn``."""
    described = enumerate(zip_longest(renderings, messages, fillvalue="…"), start=1)
    steps = [
        Turn(turn=at, action="describe", message=words, rendering=Rendering(sha256=shown, width=20, height=20), **turn)
        for at, (shown, words) in described
    ]
    about = {"episode_id": name, "instance_id": name, "category": category, "difficulty": "easy", "outcome": outcome}
    last = [Turn(turn=len(steps) + 1, action="done")] if done else []
    reason = "describer_format" if outcome == "aborted" else None
    return Episode.model_validate({**about, "abort_reason": reason, "steps": (*steps, *last)})


def score_of(instance: Instance, fate: Fate, judge: str, rendering: Rendering) -> Score:
    """Return what a judge gives to an episode of this fate."""
    value = fate if isinstance(fate, float) else None
    reason = "judge_refused: no" if value is None else None
    return Score(
        episode_id=instance.instance_id, step=1, measure="similarity", by=judge, value=value, reason=reason,
        rendering=rendering.sha256,
    )  # fmt: skip
