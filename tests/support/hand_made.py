"""Runs written by hand: what became of each instance, one word or score each, so that results can be worked out."""

from collections.abc import Sequence
from pathlib import Path

from invented import InventedRun

from ircore.core.episode_records import Episode, Rendering, Turn
from ircore.core.records import Instance, PlayerSpec, Rules
from ircore.core.score_records import JudgeIdentity, Score
from ircore.core.submission_records import Run, Submission
from ircore.instances.store import InstanceSet

Fate = float | str | None
"""The score of an episode's one rendering; ``refused`` (the judge), ``not yet`` (judged), ``aborted`` (by the pair),
``failed`` (a provider), ``given up`` (declared final); None for an episode that was never begun."""

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
    submission = Submission(
        schema_=1,
        name=slug,
        describer=PlayerSpec(player="openai", model=f"{slug}-describer"),
        generator=PlayerSpec(player="openai-images", model=f"{slug}-generator"),
        licence="CC0-1.0",
    )
    run = Run(
        schema_=1,
        run_id=slug,
        slug=slug,
        submission=submission,
        instance_set=instances.identity,
        rules=rules or Rules(),
        prompts="reconstruction-test",
        seed=0,
        version="0",
        started="2026-01-01T00:00:00Z",
    )
    pairs = list(zip(instances.instances, fates, strict=True))
    episodes = tuple(_episode(instance, fate) for instance, fate in pairs if fate is not None)
    scores = tuple(_score(instance, fate) for instance, fate in pairs if fate == "refused" or isinstance(fate, float))
    made = HandMadeRun(Path(slug), run, instances, episodes, scores)
    object.__setattr__(made, "identities", (judge or JudgeIdentity(name="eye", label="Eye", kind="model"),))
    return made


def _episode(instance: Instance, fate: Fate) -> Episode:
    reason = _ABORTED.get(fate) if isinstance(fate, str) else None
    turn = Turn(
        turn=1, action="describe", message="A square.", rendering=Rendering(sha256="a" * 64, width=512, height=512)
    )
    return Episode.model_validate(
        {
            "episode_id": instance.instance_id,
            "instance_id": instance.instance_id,
            "category": instance.category,
            "difficulty": instance.difficulty,
            "outcome": "aborted" if reason else "converged",
            "abort_reason": reason,
            "steps": () if reason else (turn,),
        }
    )


def _score(instance: Instance, fate: Fate) -> Score:
    value = fate if isinstance(fate, float) else None
    return Score(
        episode_id=instance.instance_id,
        turn=1,
        task="similarity",
        judge="eye",
        value=value,
        reason="judge_refused: no" if value is None else None,
        rendering="a" * 64,
    )
