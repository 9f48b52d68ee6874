"""Results of many pairs that nobody played: drawn by chance from a seed, for figures and tables with many rows."""

import re
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from random import Random

from ircore.instances.store import InstanceSet
from ircore.records import (
    CATEGORIES,
    DIFFICULTIES,
    Episode,
    Instance,
    JudgeIdentity,
    PlayerSpec,
    Rendering,
    Rules,
    Run,
    Score,
    Submission,
    Turn,
)
from ircore.results.model import Results

SHA = "0" * 63


@dataclass(frozen=True)
class InventedRun:
    """What results are computed from, without a folder."""

    path: Path
    run: Run
    instances: InstanceSet
    played: tuple[Episode, ...]
    given: tuple[Score, ...]

    def episodes(self) -> tuple[Episode, ...]:
        return self.played

    def scores(self) -> tuple[Score, ...]:
        return self.given

    def judges(self) -> dict[str, JudgeIdentity]:
        return {}


def invented_set(per_condition: int, categories: tuple[str, ...] = CATEGORIES) -> InstanceSet:
    """A set of instances without pictures."""
    made = tuple(
        Instance.model_validate(
            {
                "instance_id": f"{category}-{difficulty}-{index:02d}",
                "category": category,
                "difficulty": difficulty,
                "image": f"images/{category}-{difficulty}-{index:02d}.png",
                "sha256": SHA + "0",
                "width": 512,
                "height": 512,
                "source": "invented for a test",
                "licence": "CC0-1.0",
            }
        )
        for category, difficulty, index in product(categories, DIFFICULTIES, range(1, per_condition + 1))
    )
    return InstanceSet(Path("nowhere"), SHA + "1", made)


def invented_run(
    instances: InstanceSet, describer: str, generator: str, skill: float, gain: float, judge: str = "structural"
) -> InventedRun:
    """A run whose episodes begin near ``skill`` and change by about ``gain`` a turn."""
    slug = re.sub("[^a-z0-9.]+", "-", f"{describer}-{generator}".lower()).strip("-")
    random = Random(f"{slug}-{skill}")
    submission = Submission(
        schema_=1,
        name=slug,
        describer=PlayerSpec(player="openai", model=describer),
        generator=PlayerSpec(player="openai-images", model=generator),
        licence="CC0-1.0",
    )
    run = Run(
        schema_=1,
        run_id=slug,
        slug=slug,
        submission=submission,
        instance_set=instances.identity,
        rules=Rules(),
        prompts="reconstruction-test",
        seed=0,
        version="0",
        started="2026-01-01T00:00:00Z",
    )
    pairs = [_episode(one, random, skill, gain, judge) for one in instances.instances]
    return InventedRun(
        Path(slug),
        run,
        instances,
        tuple(one for one, _ in pairs),
        tuple(score for _, scores in pairs for score in scores),
    )


def invented_results(describers: list[str], generators: list[str], per_condition: int = 3) -> Results:
    """Results of every describer with every generator."""
    instances = invented_set(per_condition)
    grid = product(enumerate(describers), enumerate(generators))
    return Results.from_runs(
        [
            invented_run(instances, one, other, 3.5 + 1.1 * row + 0.4 * column, 0.5 - 0.35 * column)
            for (row, one), (column, other) in grid
        ]
    )


def _episode(
    instance: Instance, random: Random, skill: float, gain: float, judge: str
) -> tuple[Episode, tuple[Score, ...]]:
    harder = 1.2 if instance.difficulty == "hard" else 0.0
    level = random.gauss(skill - harder + 0.3 * CATEGORIES.index(instance.category), 0.8)
    turns, scores = [], []
    for turn in range(1, random.choice((1, 2, 3, 4, 6, 10)) + 1):
        rendering = Rendering(sha256=f"{turn:064x}", width=512, height=512)
        turns.append(
            Turn(turn=turn, action="describe", message="words", message_tokens=40, rendering=rendering, seconds=1.0)
        )
        value = round(min(10.0, max(0.0, level)), 3)
        scores.append(_score(instance, turn, judge, value, rendering))
        level += random.gauss(gain / turn, 0.5)
    outcome = "aborted" if random.random() < 0.04 else "turn_limit" if len(turns) == 10 else "converged"
    episode = Episode.model_validate(
        {
            "episode_id": instance.instance_id,
            "instance_id": instance.instance_id,
            "category": instance.category,
            "difficulty": instance.difficulty,
            "outcome": outcome,
            "abort_reason": "describer_format" if outcome == "aborted" else None,
            "turns": turns,
        }
    )
    return episode, tuple(scores)


def _score(instance: Instance, turn: int, judge: str, value: float, rendering: Rendering) -> Score:
    return Score(
        episode_id=instance.instance_id,
        turn=turn,
        task="similarity",
        judge=judge,
        value=value,
        rendering=rendering.sha256,
    )
