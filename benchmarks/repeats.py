"""Whether following the table ``next`` tells two pairs apart, with how many episodes, and how often it errs.

    python benchmarks/repeats.py                150 studies a line, a few minutes
    python benchmarks/repeats.py --studies 1000

The first lines are of variance components: how often their 95 % intervals hold the truth.

A study plays two pairs twice on every target, values 0-100, with a known difference. Where the board does not tell them
apart, the plan is followed: half of its repeats, a look, then the rest and a second look. A line says in how many
studies the board told them apart at once, in how many there was no plan, and of the plans that were followed: the share
that told the right one apart, the episodes, and these as a share of those that repeats of everything by both would have
taken for the same chance. For pairs without a difference it says how often they were told apart nevertheless.
"""

import argparse
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from ircore.core.records import Instance
from ircore.core.submission_records import Run, Submission
from ircore.games.reconstruction.records import Rules
from ircore.results.arrays import strata
from ircore.results.cells import estimate_main_differences
from ircore.results.judge_ratings import RATED, InstanceRating, JudgeRatings, arrange_ratings
from ircore.results.next_episodes import Group, PlannedRun, SeparationPlan, plan_separation
from ircore.results.statistics.bootstrap import resample
from ircore.results.statistics.intervals import Estimate
from ircore.results.statistics.repeats import MOST_FURTHER, CrossedValues, VarianceComponents, find_further_critical

Floats = NDArray[np.float64]

CATEGORIES = ("bar_graph", "functions", "geometry", "line_graph", "pie_graph", "simple_shapes", "photos")

OF_TARGET, OF_TARGET_AND_PAIR = 10.0, 3.0
"""Standard deviations of targets, the same for both pairs, and of what a target is to one of them, in points."""


@dataclass(frozen=True)
class Shape:
    """Luck of the two pairs by difficulty, standard deviations in points, and targets per condition."""

    name: str
    easy: tuple[float, float]
    hard: tuple[float, float]
    per_condition: int
    difference: float


SHAPES = (
    Shape("hard targets by luck, 84 targets", (2, 2), (20, 20), 6, 3.5),
    Shape("hard targets by luck, 42 targets", (2, 2), (20, 20), 3, 5.0),
    Shape("one pair without luck, 84 targets", (15, 0), (15, 0), 6, 3.0),
    Shape("one pair luckier, 84 targets", (4, 8), (10, 20), 6, 3.0),
    Shape("luck alike everywhere, 84 targets", (12, 12), (12, 12), 6, 3.0),
    Shape("luck alike everywhere, 42 targets", (12, 12), (12, 12), 3, 4.0),
)

RUN = Run(
    run_id="pair-0", slug="pair", instance_set="0" * 64, rules=Rules(), prompts="built-in", seed=0, version="1",
    started="2026-01-01T00:00:00+00:00",
    submission=Submission.model_validate(
        {"schema": 1, "name": "pair", "licence": "CC0-1.0", "describer": {"player": "classical"},
         "generator": {"player": "canvas"}}
    ),
)  # fmt: skip


@dataclass
class Study:
    """Two pairs on the same targets."""

    shape: Shape
    rng: np.random.Generator
    instances: list[Instance]
    means: Floats
    played: list[list[list[float]]] = field(default_factory=list)

    @classmethod
    def of(cls, shape: Shape, difference: float, rng: np.random.Generator) -> "Study":
        """Draw the targets, and play each twice."""
        instances = [
            Instance(
                instance_id=f"{category}-{difficulty}-{number}",
                game="reconstruction",
                category=category,
                difficulty=difficulty,
                source="invented",
                licence="CC0-1.0",
            )
            for category in CATEGORIES
            for difficulty in ("easy", "hard")
            for number in range(shape.per_condition)
        ]
        size = len(instances)
        own = rng.normal(0, OF_TARGET_AND_PAIR / 2**0.5, (size, 2)) + np.array([difference / 2, -difference / 2])
        study = cls(shape, rng, instances, rng.normal(60, OF_TARGET, (size, 1)) + own)
        study.played = [[[] for _ in instances] for _ in range(2)]
        for pair in (0, 1):
            for row in range(size):
                study.play(pair, row, 2)
        return study

    def play(self, pair: int, row: int, repeats: int) -> None:
        """Play a target so often."""
        luck = getattr(self.shape, self.instances[row].difficulty)[pair]
        values = self.rng.normal(self.means[row, pair], luck, repeats)
        self.played[pair][row] += np.clip(values, 0, 100).tolist()

    def columns(self) -> list[list[InstanceRating]]:
        """Return the episodes of both pairs as results count them."""
        return [
            [
                InstanceRating(self.instances[row].instance_id, RATED, value / 10, repeat=repeat)
                for row, values in enumerate(of_pair)
                for repeat, value in enumerate(values, start=1)
            ]
            for of_pair in self.played
        ]

    def look(self, critical: float) -> Estimate:
        """Return the difference with its interval."""
        ratings: JudgeRatings = arrange_ratings(self.instances, self.columns())
        return estimate_main_differences(self.instances, ratings, [(0, 1)], [critical])[0][0]

    def follow(self, further: Mapping[Group, int], odd: int) -> int:
        """Play half of a plan, and return the episodes that it took."""
        episodes = 0
        for row, instance in enumerate(self.instances):
            for pair in (0, 1):
                half = (further.get((pair, instance.category, instance.difficulty), 0) + odd) // 2
                self.play(pair, row, half)
                episodes += half
        return episodes


def plan_of(study: Study, main: Estimate) -> SeparationPlan:
    """Return the plan for a study."""
    first, second = (PlannedRun(RUN, episodes, {}) for episodes in study.columns())
    return plan_separation(study.instances, (first, second), main, None)


def measure(shape: Shape, difference: float, studies: int, rng: np.random.Generator) -> str:
    """Return a line about studies of a known difference."""
    at_once = without = right = wrong = episodes = uniform = 0
    for _ in range(studies):
        study = Study.of(shape, difference, rng)
        drawn = resample(strata(study.instances))
        freedom = len(study.instances) - len(set(drawn.strata.tolist()))
        critical = float(stdtrit(freedom, 0.975))
        main = study.look(critical)
        plan = plan_of(study, main)
        if plan.is_told_apart:
            at_once += 1
            continue
        if plan.episodes is None:
            without += 1
            continue
        everything = 2 * len(study.instances)
        uniform += plan.uniform or MOST_FURTHER * everything
        for odd in (1, 0):
            episodes += study.follow(plan.further, odd)
            main = study.look(find_further_critical(critical))
            if main.low is not None and main.high is not None and (main.low > 0 or main.high < 0):
                right, wrong = right + (main.low > 0), wrong + (main.high < 0)
                break
    asked = studies - at_once
    followed = asked - without
    told = f"right {100 * right / max(followed, 1):5.1f} %" if difference else " " * 13
    errors = 100 * (right + wrong if not difference else wrong) / max(asked, 1)
    return (
        f"{difference:4.1f}  {100 * at_once / studies:5.1f} %  {100 * without / studies:5.1f} %  {told}  "
        f"wrong {errors:4.1f} % of those that asked  {episodes / max(followed, 1):6.0f} episodes, "
        f"{100 * episodes / max(uniform, 1):3.0f} % of uniform"
    )


def components(instances: int, pairs: int, repeats: int, studies: int, rng: np.random.Generator) -> str:
    """Return how often the intervals of components with deviations of 10, 5 and 8 points hold them."""
    truth = np.array([100.0 if pairs > 1 else 125.0, 25.0, 64.0])
    hits = np.zeros(3)
    for _ in range(studies):
        means = rng.normal(0, 10, (instances, 1)) + rng.normal(0, 5, (instances, pairs))
        values = means[:, :, None] + rng.normal(0, 8, (instances, pairs, repeats))
        low, high = (np.array(end) for end in CrossedValues.of(values.tolist()).intervals())
        hits += (low <= truth) & (truth <= high)
    shares = dict(zip(VarianceComponents._fields, 100 * hits / studies, strict=True))
    words = ", ".join(
        f"{name} {share:.0f} %" for name, share in shares.items() if pairs > 1 or name != "picture_and_pair"
    )
    return f"{instances} targets, {pairs} pairs, {repeats} episodes: {words}"


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--studies", type=int, default=150)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    for design in ((42, 1, 2), (42, 2, 2), (42, 4, 2), (84, 4, 3)):
        print(components(*design, options.studies, rng), flush=True)
    print("difference, told apart at once, no plan, of the followed")
    for shape in SHAPES:
        print(shape.name)
        for difference in (shape.difference, 0.0):
            print(" ", measure(shape, difference, options.studies, rng), flush=True)


if __name__ == "__main__":
    main()
