"""Ranks and comparisons: hand-worked cases, ties, and by simulation how often every range on a board holds."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from charts import chart_instances
from hand_made import RENDERING, Fate, HandMadeRun, hand_made_run
from invented import invented_set
from known_values import known
from scipy import stats

from ircore.core.episode_records import Rendering
from ircore.core.records import PlayerSpec
from ircore.core.score_records import PartShare, RenderingFacts
from ircore.games.reconstruction.records import Rules, Turn
from ircore.results.effects import average_player, compare_budgets
from ircore.results.judge_ratings import Coverage
from ircore.results.model import Results
from ircore.results.questions import PICTURES, answer_questions
from ircore.results.statistics.bootstrap import resample
from ircore.results.statistics.comparison import compare
from ircore.results.statistics.intervals import Estimate
from ircore.results.statistics.ranks import (
    RankRange,
    Standing,
    bound_differences,
    compute_detectable,
    estimate_best_chances,
    estimate_couples,
    group_means,
    rank_pairs,
)
from ircore.results.tables.fact_tables import parts_table
from ircore.results.tables.pairs import describe_ties
from ircore.results.witnesses import match_checks
from ircore.scorers.verification.judge import compute_facts_version
from ircore.scorers.verification.scene_facts import list_facts

NAN = float("nan")
NOTHING = Estimate(None, None, None, 0)


def ranked(values: np.ndarray, most: np.ndarray | None = None) -> Standing:
    return rank_pairs(values, values if most is None else most, resample(["all"] * len(values), 2_000))


def ranges(values: np.ndarray, most: np.ndarray | None = None) -> list[tuple[int, int] | None]:
    return [None if span is None else (span.best, span.worst) for span in ranked(values, most).ranges]


def levels(*means: float, instances: int = 20, noise: float = 0.5) -> np.ndarray:
    """Main scores of pairs with these means, in tens, on instances of very different difficulty."""
    rng = np.random.default_rng(4)
    hard = rng.normal(0, 2, (instances, 1))
    return np.asarray(10 * (np.array(means) + hard - hard.mean() + rng.normal(0, noise, (instances, len(means)))))


def test_pairs_are_told_apart_on_the_same_instances_where_intervals_overlap() -> None:
    values = levels(6, 5)
    gap = stats.t.ppf(0.975, 19) * stats.sem(values)
    assert values[:, 0].mean() - gap[0] < values[:, 1].mean() + gap[1]
    assert ranges(values) == [(1, 1), (2, 2)]


def test_ties_look_like_ties_and_the_top_group_is_whoever_may_be_first() -> None:
    assert ranges(levels(6, 6.1, 3)) == [(1, 2), (1, 2), (3, 3)]
    assert [known(item).top for item in ranked(levels(6, 6.1, 3)).ranges] == [True, True, False]
    assert ranges(np.tile(levels(5), 3)) == [(1, 3)] * 3
    assert RankRange(2, 3).top is False


def test_little_data() -> None:
    assert ranges(np.full((5, 1), 90.0)) == [(1, 1)]
    assert ranges(np.empty((7, 0))) == []
    assert ranked(np.array([[90.0], [80.0]])).detectable is None
    # Ninety points apart on each of ten instances is a difference; four pictures rank nobody.
    assert ranges(np.tile([95.0, 5.0], (10, 1))) == [(1, 1), (2, 2)]
    assert ranges(np.tile([95.0, 5.0], (4, 1))) == [None, None]
    assert ranked(np.tile([95.0, 5.0], (4, 1))).detectable is None


def test_what_is_not_known_is_held_against_the_better_pair() -> None:
    known = np.tile([70.0, 60.0], (20, 1))
    assert ranges(known) == [(1, 1), (2, 2)]
    # Three of twenty of the first pair are not known: as 0 they bring its mean down to 59.5.
    least, most = known.copy(), known.copy()
    least[:3, 0], most[:3, 0] = 0, 100
    assert ranges(least, most) == [(1, 2), (1, 2)]
    # The same of the second one: as 100 they take it to 66, and the first one stays ahead by 4 points but for chance.
    least, most = known.copy(), known.copy()
    least[:3, 1], most[:3, 1] = 0, 100
    assert ranges(least, most) == [(1, 2), (1, 2)]
    assert ranges(least[3:], most[3:]) == [(1, 1), (2, 2)]


def test_a_difference_by_hand() -> None:
    # Differences 10, 20, 0, −10, 20, 20: mean 10, s = √160, t(0.975, 5) = 2.570582: 176.21 is Student's half, squared.
    # Unseen failures of the first pair, whose mean is 65 and whose variance is 291.67: 65 + 291.67 / 65 = 69.49, of the
    # weight r + (1 − r) · (0.1 + 0.9 · 0.3^1.5) = 0.34432 with r = 291.67 / (65 · 35). So the lower half solves
    # d² = 176.21 + 0.7 · 3.841459 / 6 · 23.926 · d; the upper one has (35 + 291.67 / 35) · 0.34432 = 14.921 instead.
    values = np.array([[50.0, 60, 70, 40, 80, 90], [40.0, 40, 70, 50, 60, 70]]).T
    drawn = resample(["all"] * 6)
    # The board's own critical value is never below that of one comparison.
    critical = known(rank_pairs(values, values, drawn).critical)
    assert 2.5705 < critical < 3.5
    (difference,), (wider,) = estimate_couples([10], np.array([[0, 1]]), values, values, drawn, [None, critical])
    assert difference.mean == 10
    assert difference.n == 6
    assert (difference.low, difference.high) == pytest.approx((10 - 19.678, 10 + 17.033), abs=1e-3)
    base = critical**2 * 160 / 6
    assert wider.low == pytest.approx(10 - (10.723 + (10.723**2 + 4 * base) ** 0.5) / 2, abs=1e-3)
    assert wider.high == pytest.approx(10 + (6.687 + (6.687**2 + 4 * base) ** 0.5) / 2, abs=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("instances", [10, 140])
def test_every_range_of_a_board_holds_in_95_of_100_cases(instances: int) -> None:
    # Four pairs a point apart and four that are the same: integer scores, instances of different difficulty.
    rng = np.random.default_rng(1)
    truth = np.array([4, 5, 6, 7, 5.5, 5.5, 5.5, 5.5])
    best = 1 + (truth[None, :] > truth[:, None]).sum(axis=1)
    worst = (truth[None, :] >= truth[:, None]).sum(axis=1)
    held, trials = 0, 150
    for seed in range(trials):
        values = truth + rng.normal(0, 1, (instances, 1)) + rng.normal(0, 1.4, (instances, 8))
        drawn = resample(["all"] * instances, 1_000, seed)
        result = rank_pairs(10 * values.round(), 10 * values.round(), drawn).ranges
        held += all(
            item is not None and item.best <= low and item.worst >= high
            for item, low, high in zip(result, best, worst, strict=True)
        )
    assert held / trials >= 0.93  # 95 %, and what chance does to 150 trials


def test_comparison_by_hand() -> None:
    # Differences 1, 2, 0, −1, 2, 2 on what both have: mean 1, s = √1.6.
    first = np.array([5.0, 6, 7, 4, 8, 9, NAN, 3])
    second = np.array([4.0, 4, 7, 5, 6, 7, 2, NAN])
    scores = [np.stack(couple, axis=1) for couple in ((first, second), (second, first))]
    bounds = [(np.nan_to_num(couple, nan=0), np.nan_to_num(couple, nan=10)) for couple in scores]
    comparison, other = compare(scores, ["all"] * 8, bounds, [NOTHING] * 2, [NOTHING] * 2)
    assert (comparison.n, comparison.difference.mean) == (6, 1)
    assert (comparison.wins, comparison.ties, comparison.losses) == (4, 1, 1)
    # The longer half of the interval, by hand as in the test above, and t(0.80, 5) = 0.919544 standard errors.
    assert comparison.difference.low == pytest.approx(1 - 1.9678, abs=1e-4)
    assert comparison.detectable == pytest.approx(1.9678 + 0.919544 * (1.6 / 6) ** 0.5, abs=1e-4)
    # At worst 0 for the first and 10 for the second where one is missing: 42 and 45 points; at best 52 and 35.
    assert (comparison.least, comparison.most) == ((42 - 45) / 8, (52 - 35) / 8)
    assert other.difference.mean == -1
    assert (other.wins, other.losses) == (1, 4)


def test_scores_that_print_the_same_are_a_tie() -> None:
    # Float noise and 0.04 print as 0.0 among differences of one decimal; 0.05 and 0.06 do not.
    first = np.array([0.1 + 0.2, 5.04, 5.0, 0.05, 5.06, 5.0])
    second = np.array([0.3, 5.0, 5.04, 0.0, 5.0, 5.06])
    (comparison,) = compare(
        [np.stack((first, second), axis=1)], ["all"] * 6, [(np.empty((0, 2)),) * 2], [NOTHING], [NOTHING]
    )
    assert [f"{gap:.1f}" for gap in abs(first - second)] == ["0.0", "0.0", "0.0", "0.1", "0.1", "0.1"]
    assert (comparison.wins, comparison.ties, comparison.losses) == (2, 3, 1)


@pytest.mark.slow
@pytest.mark.parametrize("instances", [10, 140])
@pytest.mark.parametrize("gap", [0.0, 1.0])
def test_ranges_hold_where_a_pair_refuses_hard_pictures(instances: int, gap: float) -> None:
    # Four pairs; the last one is the best on every picture and refuses those below 4 points, about a seventh of them.
    rng = np.random.default_rng(2)
    skills = gap * np.arange(4) - 1.5 * gap

    def board(size: int) -> np.ndarray:
        made = 6 + skills + rng.normal(0, 1, (size, 1)) + rng.normal(0, 1.4, (size, 4))
        values = 10 * made.clip(0, 10).round()
        values[:, 3] *= made[:, 3] > 4
        return np.asarray(values)

    truth = board(400_000).mean(axis=0)
    apart = truth[:, None] - truth[None, :]
    better, worse = (apart > 0.2).sum(axis=0), (apart < -0.2).sum(axis=0)
    held, trials = 0, 150
    for seed in range(trials):
        values = board(instances)
        result = rank_pairs(values, values, resample(["all"] * instances, 1_000, seed)).ranges
        held += all(
            item is not None and item.best <= 1 + over and item.worst >= 4 - under
            for item, over, under in zip(result, better, worse, strict=True)
        )
    assert held / trials >= 0.93


def test_pairs_that_differ_by_what_a_board_says_are_told_apart_on_that_board() -> None:
    # Forty pairs of one spread: the standard error of every difference is the same but for chance, so that whichever
    # two differ by the detectable difference are told apart by the board's own rule.
    values = np.clip(levels(*np.linspace(4, 6, 40), instances=60, noise=1.5), 0, 100)
    board = ranked(values)
    means = values.mean(axis=0)
    assert board.detectable is not None
    error = float(np.median([stats.sem(values[:, 0] - values[:, other]) for other in range(1, 40)]))
    alone = known(compute_detectable(stats.t.ppf(0.975, 59) * error, error, 59))
    assert board.detectable > alone  # 780 comparisons under one error rate need more than one comparison
    low = bound_differences(values, values, resample(["all"] * 60, 2_000), board.critical)
    far = np.abs(means[:, None] - means[None, :]) >= board.detectable
    assert far.any()
    assert (np.maximum(low, low.T)[far] > 0).all()


@pytest.mark.parametrize(
    ("better", "groups"),
    [
        # The first is surely better than the second alone: the third varies more, and may be the best.
        ("01 03", [1, 2, 1, 2]),
        ("02 03 13", [1, 1, 2, 2]),
        # A group ends where its leader is better, and not where a neighbour is.
        ("01 02 03 13", [1, 2, 2, 3]),
        ("", [1, 1, 1, 1]),
    ],
)
def test_the_first_of_a_group_is_better_than_the_first_of_the_next(better: str, groups: list[int]) -> None:
    table = np.zeros((4, 4), bool)
    for couple in better.split():
        table[int(couple[0]), int(couple[1])] = True
    assert group_means([90, 80, 70, 60], table) == groups
    assert group_means([60, 70, 80, 90], table[::-1, ::-1]) == groups[::-1]


def test_chance_of_being_best_is_the_share_of_resamples_in_which_a_pair_leads() -> None:
    means, deviations = np.array([5.0, 4.0, 1.0]), np.array([[0, -2, 0, 0], [0, 0, 1, 2], [0, 0, 0, 0]])
    # Leads by resample: the first, the second, a tie of the first two, the second.
    assert estimate_best_chances(means, deviations) == [0.375, 0.625, 0.0]


@pytest.mark.parametrize(
    ("values", "expected", "told", "couples"),
    [(np.tile(levels(5), 4), [(1, 0.25)] * 4, 0, 6), (levels(6, 3), [(1, 1.0), (2, 0.0)], 1, 1)],
)
def test_equal_pairs_share_the_chance_of_being_best_and_of_two_far_apart_the_better_one_has_it(
    values: np.ndarray, expected: list[tuple[int, float]], told: int, couples: int
) -> None:
    board = ranked(values)
    assert [(rank.group, rank.chance) for rank in board.ranges if rank] == expected
    assert (board.told, board.couples) == (told, couples)


def test_the_headline_names_the_top_group_and_its_best_chance() -> None:
    ranges = (RankRange(1, 4, 1, 0.92), RankRange(1, 12, 1, 0.08), *(RankRange(3, 12, 2, 0.0) for _ in range(10)))
    words = describe_ties(Standing(ranges, detectable=3.0, critical=4.0, told=30, couples=66))
    assert words.endswith("any of the 2 in the first of 2 groups may be the best, the likeliest with a chance of 92 %.")


@pytest.mark.parametrize("seed", range(4))
def test_pairs_that_share_a_rank_are_not_given_99_and_1_percent(seed: int) -> None:
    """Twelve pairs, of which the two best are 5.5 points apart, which so many comparisons do not tell apart."""
    rng = np.random.default_rng(seed)
    means = np.array([75.5, 70.0, *np.linspace(30, 40, 10)])
    noise = rng.normal(0, 8, (42, 12))
    values = means + rng.normal(0, 5, (42, 1)) + noise - noise.mean(axis=0)
    first, second = ranked(values).ranges[:2]
    assert first is not None
    assert second is not None
    if first.worst > 1:
        assert 0.5 < first.chance <= 0.98
        assert second.chance >= 0.02
    else:
        assert first.chance > 0.95


SET = invented_set(1)  # 14 instances, easy and hard by turns
HARD = [instance.instance_id for instance in SET.instances if instance.difficulty == "hard"]


@dataclass(frozen=True)
class SeenRun(HandMadeRun):
    """A run with what judges saw in its renderings."""

    seen: tuple[RenderingFacts, ...] = ()

    def facts(self) -> tuple[RenderingFacts, ...]:
        return self.seen


def of_pair(slug: str, generator: str, fates: Sequence[Fate], rules: Rules | None = None) -> HandMadeRun:
    """A run of the describer seer."""
    run = hand_made_run(slug, SET, fates, rules=rules)
    players = {"describer": "seer", "generator": generator}
    specs = {seat: PlayerSpec(player="openai", model=name) for seat, name in players.items()}
    made = run.run.model_copy(update={"submission": run.run.submission.model_copy(update=specs)})
    return replace(run, run=made)


@pytest.mark.slow
def test_of_equal_scores_the_first_target_and_then_the_first_run_is_shown() -> None:
    without_the_first: list[Fate] = [
        "refused" if instance.instance_id == HARD[0] else 5.0 for instance in SET.instances
    ]
    results = Results.from_runs([hand_made_run("a", SET, without_the_first), hand_made_run("b", SET, [5.0] * 14)])
    (answer,) = (answer for answer in answer_questions(results, "eye") if answer.question == "Is hard harder?")
    assert answer.episodes == (("b", HARD[0]), *(("a", name) for name in HARD[1:PICTURES]))


@pytest.mark.slow
def test_runs_under_the_same_budget_stand_in_the_order_of_their_ids() -> None:
    runs = []
    for slug, run_id, budget, score in (("a", "r9", 10, 9.0), ("b", "r1", 10, 1.0), ("c", "r5", 5, 5.0)):
        run = of_pair(slug, "painter", [score] * 14, Rules(token_budget=budget))
        runs.append(replace(run, run=run.run.model_copy(update={"run_id": run_id})))
    (series,) = compare_budgets(Results.from_runs(runs), "eye")
    assert [(point.budget, point.cell.score.mean) for point in series.points] == [(5, 5.0), (10, 1.0), (10, 9.0)]


@pytest.mark.slow
def test_a_player_counts_on_pictures_that_every_partner_has_a_score_for() -> None:
    runs = [of_pair("a", "painter", [8.0] + [6.0] * 13), of_pair("b", "sketcher", ["refused"] + [2.0] * 13)]
    score = average_player(Results.from_runs(runs), "describer", "seer", "eye").score
    assert (score.mean, score.n) == (4.0, 13)


@pytest.mark.slow
def test_pairs_without_a_value_stand_last() -> None:
    runs = []
    for slug, share in (("a", None), ("b", 0.25), ("c", 0.75)):
        run = hand_made_run(slug, SET, [5.0] * 14)
        seen = (
            ()
            if share is None
            else (seen_by("verified", HARD[0], RENDERING, "", {"colour": PartShare(share, 1, 4, 4)}),)
        )
        runs.append(SeenRun(run.path, run.run, run.instances, run.played, run.given, seen=seen))
    table = parts_table(Results.from_runs(runs), order="colour")
    assert [value.value for value in table.column("colour")] == [0.75, 0.25, None]


def seen_by(
    judge: str,
    episode_id: str,
    rendering: Rendering,
    verdicts: str,
    parts: dict[str, PartShare] | None = None,
    version: str = "1",
) -> RenderingFacts:
    about = {"judge": judge, "episode_id": episode_id, "rendering": rendering.sha256}
    return RenderingFacts.model_validate(
        {**about, "version": version, "verdicts": verdicts, "parts": parts or {}, "decided": 1.0}
    )


def test_verdicts_on_a_rendering_belong_to_the_first_turn_that_shows_it(tmp_path: Path) -> None:
    instances = chart_instances(tmp_path / "charts")
    run = hand_made_run("a", instances, [5.0, 5.0])
    shown = [RENDERING, Rendering(sha256="b" * 64, width=200, height=200), RENDERING]
    steps = tuple(
        Turn(turn=number, action="describe", message="A chart.", rendering=rendering)
        for number, rendering in enumerate(shown, start=1)
    )
    played = tuple(episode.with_steps(steps) for episode in run.played)
    scene = next(instance.scene for instance in instances.instances if instance.instance_id == "pets")
    assert scene is not None
    facts = list_facts(scene)
    seen = tuple(
        seen_by(judge, "pets", rendering, "1" * len(facts), version=compute_facts_version(facts))
        for judge in ("verified", "model")
        for rendering in shown[:2]
    )
    results = Results.from_runs([SeenRun(run.path, run.run, instances, played, run.given, seen=seen)])
    assert Counter(line.turn for line in match_checks(results, "model")) == {1: len(facts), 2: len(facts)}


def test_of_several_reasons_against_a_rank_the_one_to_be_mended_first_is_told() -> None:
    states: dict[str, Any] = {
        "held": {"held": True},
        "past_budget": {"past_budget": True},
        "incomplete": {"unfinished": 3},
        "underrated": {"rated": 3},
        "too_few": {"counted": 3},
    }
    whole: dict[str, Any] = dict.fromkeys(("episodes", "applicable", "rated", "counted"), 42)
    whole |= dict.fromkeys(("unfinished", "refused", "pending"), 0)
    assert Coverage(**whole).unranked is None
    names = list(states)
    for place, name in enumerate(names):
        changes = {key: value for later in names[place:] for key, value in states[later].items()}
        assert Coverage(**{**whole, **changes}).unranked == name
