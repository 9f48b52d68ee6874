"""What would tell neighbours apart: the luck of play, the fewest repeats, the commands, and following them."""

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from known_values import known
from samples import sample_instances, sample_submission

from ircore.commands.main import run as ircore
from ircore.core.episode_records import EpisodeCost
from ircore.games.reconstruction.prompts import load_prompts
from ircore.games.reconstruction.records import Rules
from ircore.instances.store import InstanceSet
from ircore.results.judge_ratings import RATED, InstanceRating
from ircore.results.next_episodes import PlannedRun, SeparationPlan, plan_separation
from ircore.results.statistics.intervals import Estimate
from ircore.results.statistics.repeats import (
    CrossedValues,
    Luck,
    RepeatGroup,
    compute_needed_variance,
    count_needed_pictures,
    find_fewest_repeats,
    find_further_critical,
    find_uniform_repeats,
    measure_luck,
    shrink_variances,
)
from ircore.runs.play import make_run


def test_luck_is_the_mean_square_within_instances() -> None:
    # Squares (1 + 1) and (1 + 1 + 4), of one and two degrees of freedom; a single episode says nothing.
    luck = measure_luck([[1.0, 3.0], [5.0], [2.0, 2.0, 5.0]])
    assert luck.variance == pytest.approx((2 + 6) / 3)
    assert luck.freedom == 3
    assert measure_luck([[1.0], [2.0]]) == Luck(0.0, 0)


def test_luck_of_few_episodes_is_drawn_towards_that_of_all() -> None:
    # Pooled (100 · 4 + 0 · 4) / 8 = 50; each condition then (4 · 50 + 4 · own) / 8.
    assert shrink_variances({"a": Luck(100.0, 4), "b": Luck(0.0, 4)}) == {"a": 75.0, "b": 25.0}


def test_the_fewest_repeats_are_those_of_a_search_over_all_plans() -> None:
    groups = [
        RepeatGroup("calm", 3, (2, 2, 2), 4.0, 0.01),
        RepeatGroup("lucky", 3, (2, 2, 2), 400.0, 0.01),
        RepeatGroup("wild", 6, (1,) * 6, 100.0, 0.02),
    ]
    before = sum(group.variance(0) for group in groups)
    for excess in (0.1, 0.5, 0.99, 1.95):
        plans = (dict(zip(("calm", "lucky", "wild"), counts, strict=True)) for counts in product(range(12), repeat=3))
        enough = [plan for plan in plans if before - sum(group.variance(plan[group.key]) for group in groups) >= excess]
        fewest = min(sum(plan[group.key] * group.instances for group in groups) for plan in enough)
        plan = known(find_fewest_repeats(groups, excess))
        # Greedy is best step by step; at the end it may hold what a smaller group would do with.
        assert fewest <= sum(plan[group.key] * group.instances for group in groups if group.key in plan) <= fewest + 3
    assert find_fewest_repeats(groups, before + 0.01) is None
    assert find_uniform_repeats(groups, 0.99) == next(
        k for k in range(50) if before - sum(group.variance(k) for group in groups) >= 0.99
    )


def test_the_chance_of_a_plan_is_80_percent_if_the_difference_stays() -> None:
    critical, before = find_further_critical(2.0), 4.0
    variance = compute_needed_variance(3.0, before, critical)
    rng = np.random.default_rng(7)
    later = rng.normal(3.0, (variance * (1 - variance / before)) ** 0.5, 200_000)
    assert (later > critical * variance**0.5).mean() == pytest.approx(0.8, abs=0.005)


def planned(
    instances: InstanceSet, slug: str, values: dict[str, list[float]], costs: dict[str, float | None]
) -> PlannedRun:
    run = make_run(sample_submission(slug), instances, Rules(), load_prompts("reconstruction"), 0)
    episodes = [InstanceRating(name, RATED, value / 10) for name, of_one in values.items() for value in of_one]
    return PlannedRun(run, episodes, {name: EpisodeCost(usd=usd) for name, usd in costs.items()})


@pytest.fixture
def instances(tmp_path: Path) -> InstanceSet:
    return sample_instances(tmp_path / "set", per_condition=5)


def plan_of(instances: InstanceSet, hard_luck: float, usd: float | None = 0.5) -> SeparationPlan:
    """Return the plan for two pairs that differ by 4 points, the second with luck on hard targets alone."""
    calm, lucky = {}, {}
    for place, instance in enumerate(instances.instances):
        luck = hard_luck if instance.difficulty == "hard" else 0.0
        calm[instance.instance_id] = [60.0, 60.0]
        lucky[instance.instance_id] = [56.0 - luck * (-1) ** place, 56.0 + luck * (-1) ** place]
    couple = (planned(instances, "calm", calm, {"a": 0.0}), planned(instances, "lucky", lucky, {"a": usd}))
    return plan_separation(list(instances.instances), couple, Estimate(4.0, -0.5, 8.5, 20), None)


def test_only_what_is_played_by_luck_is_played_again(instances: InstanceSet) -> None:
    plan = plan_of(instances, hard_luck=20.0)
    assert plan.further
    # A quarter of the luck is lent to easy targets too, so hard ones get the most.
    assert {key[0] for key in plan.further} == {1}
    hard = [count for (_, _, difficulty), count in plan.further.items() if difficulty == "hard"]
    easy = [count for (_, _, difficulty), count in plan.further.items() if difficulty == "easy"]
    assert min(hard) >= max(easy, default=0)
    assert plan.episodes == 5 * sum(plan.further.values())
    assert plan.episodes < 0.6 * known(plan.uniform)
    assert plan.usd == pytest.approx(0.5 * plan.episodes)
    assert all(line.startswith(("first: ", "then: ")) for line in plan.commands)
    seeds = [int(line.split("--seed ")[1].split()[0]) for line in plan.commands]
    assert len(set(seeds)) == len(seeds)
    assert min(seeds) == 1
    assert plan_of(instances, hard_luck=20.0, usd=None).usd is None


def test_a_look_after_further_play_asks_for_more(instances: InstanceSet) -> None:
    values = {instance.instance_id: [60.0] for instance in instances.instances}
    couple = planned(instances, "one", values, {}), planned(instances, "other", values, {})
    # Half widths of 1.96 standard errors of 1: a further look asks for 2.24.
    verdicts = [
        plan_separation(list(instances.instances), couple, Estimate(mean, mean - 1.96, mean + 1.96, 20), 1.96)
        for mean in (2.0, 2.3)
    ]
    assert [(plan.is_told_apart, plan.at_further_look) for plan in verdicts] == [(True, False), (True, True)]


def test_without_luck_only_more_targets_help(instances: InstanceSet) -> None:
    plan = plan_of(instances, hard_luck=0.0)
    assert (plan.episodes, plan.commands) == (None, ())
    assert known(plan.targets) > len(instances.instances)
    assert plan.reason.startswith("50 further repeats would not do")


def test_a_difference_that_no_number_of_plays_could_tell_asks_for_none(instances: InstanceSet) -> None:
    values = {instance.instance_id: [60.0] for instance in instances.instances}
    couple = planned(instances, "one", values, {}), planned(instances, "other", values, {})
    # Half widths of 20 shrink to 20 / √51 at most.
    for mean, feasible in ((0.0, False), (0.2, False), (10.0, True)):
        plan = plan_separation(list(instances.instances), couple, Estimate(mean, mean - 20, mean + 20, 20), None)
        assert (plan.episodes is not None) == feasible


@pytest.mark.slow
def test_a_command_that_is_followed_is_part_of_the_result(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    root = Path(__file__).parents[3]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "submissions").symlink_to(root / "submissions")
    sample_instances(tmp_path / "set", per_condition=2)
    for pair in ("captioner+sketch", "captioner+canvas"):
        assert ircore(["play", pair, "--instances", "set", "--out", f"runs/{pair}", "--max-turns", "1"]) == 0
    assert ircore(["score", "runs", "--judge", "structural", "--metric", "psnr"]) == 0
    capsys.readouterr()
    assert ircore(["results", "runs", "--table", "next", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert row["verdict"] == "not told apart"
    # Nothing was repeated, so that everything is to be played once more.
    assert row["episodes"] == 16
    for line in row["commands"].splitlines():
        words = line.removeprefix("first: ").replace("INSTANCES", "set").replace("--out ", "--out runs/").split()
        assert ircore(words[1:]) == 0
    assert ircore(["score", "runs", "--judge", "structural", "--metric", "psnr"]) == 0
    capsys.readouterr()
    assert ircore(["results", "runs", "--table", "next", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    # The built-in players play alike each time.
    assert row["episodes"] is None
    assert row["about"]["episodes"]["missing"].startswith("50 further repeats would not do")


def test_variance_components_are_those_of_a_hand_computed_design() -> None:
    # Cells 10, 12 and 20, 22: pairs differ by 2 on both instances, so nothing is particular to a pair.
    cells = CrossedValues.of([[[9.0, 11.0], [11.0, 13.0]], [[19.0, 21.0], [21.0, 23.0]]])
    found = cells.components()
    # Within each cell the mean square is 2; instances' means 11 and 21 have the variance 50, less what luck leaves.
    assert found.luck == pytest.approx(2.0)
    assert found.picture_and_pair == 0.0
    assert found.picture == pytest.approx((2 * 50.0 - 0.0) / 2)


@pytest.mark.slow
def test_components_are_found_again_on_average() -> None:
    rng, found = np.random.default_rng(5), []
    for _ in range(60):
        means = rng.normal(0, 10, (60, 1)) + rng.normal(0, 5, (60, 4))
        repeats = rng.integers(1, 4, (60, 4))
        values = [
            [rng.normal(means[i, j], 8, repeats[i, j]).tolist() for j in range(4)] for i in range(60)
        ]  # fmt: skip
        found.append(CrossedValues.of(values).components())
    np.testing.assert_allclose(np.mean(found, axis=0), [100, 25, 64], rtol=0.08)


def test_pictures_needed_fall_with_repeats_down_to_what_pictures_are_to_pairs() -> None:
    # n = 2 · (100 + 200 / r) · ((1.96 + 0.8416) / 5)²
    assert [count_needed_pictures(5.0, 100.0, 200.0, repeats) for repeats in (1, 2, 1000)] == [189, 126, 63]
