"""Describer and generator effects: worked out by hand, against analysis of variance, and through results."""

from itertools import product

import numpy as np
import pytest
from invented import invented_results, invented_run, invented_set, under_budget
from known_values import known
from scipy import stats

from ircore.games.reconstruction.records import Rules
from ircore.results.effects import average_player, pair_effects, select_usual_runs
from ircore.results.model import Results
from ircore.results.statistics.effects import Effects, decompose, find_complete_grid
from ircore.results.statistics.mixed import MixedEffects, Unavailable, fit_mixed_effects
from ircore.results.subsets import list_rule_sets

pytestmark = pytest.mark.slow


def grid(means: list[list[float]], instances: int = 40, noise: float = 0.5) -> np.ndarray:
    """Scores of a grid with these means exactly, and instances of different levels."""
    rng = np.random.default_rng(2)
    made = rng.normal(0, noise, (instances, *np.shape(means)))
    return np.asarray(made - made.mean(axis=0) + rng.normal(0, 1, instances)[:, None, None] + means)


def test_two_by_two_by_hand() -> None:
    # Rows 7 and 3, columns 4 and 6, grand 5; 8 − 5 − 2 − 1 = 0 but for the interaction of 0.5.
    scores = grid([[6.5, 7.5], [1.5, 4.5]])
    scores -= scores.mean(axis=(0, 1, 2)) - 5
    parts = known(decompose(scores, ["a", "b"], ["x", "y"], ["all"] * 40))
    assert parts.grand.mean == pytest.approx(5)
    assert {name: row.mean for name, row in parts.describer.items()} == pytest.approx({"a": 2, "b": -2})
    assert {name: row.mean for name, row in parts.generator.items()} == pytest.approx({"x": -1, "y": 1})
    assert parts.interaction["a", "x"].mean == pytest.approx(0.5)
    # Sums of squares 16, 4 and 1 of 21; spreads √8, √2 and 1.
    assert [share.mean for share in parts.shares.values()] == pytest.approx([16 / 21, 4 / 21, 1 / 21])
    assert [row.mean for row in parts.spread.values()] == pytest.approx([8**0.5, 2**0.5, 1])
    assert parts.dominance.mean == pytest.approx(2**0.5)
    assert known(parts.dominance.low) > 1


@pytest.mark.parametrize("n", [3, 5])
def test_effects_of_few_pictures_are_students_t(n: int) -> None:
    """Two describers and two generators: an effect is half the mean of n differences, whose interval scipy knows."""
    scores = np.array([[[7.0, 6], [4, 5]], [[9, 6], [2, 3]], [[6, 5], [4, 4]], [[8, 8], [6, 3]], [[7, 6], [6, 5]]])[:n]
    parts = known(decompose(scores, ["a", "b"], ["x", "y"], ["all"] * n))
    halves = (scores[:, 0].mean(axis=1) - scores[:, 1].mean(axis=1)) / 2
    effect = parts.describer["a"]
    assert effect.mean == pytest.approx(halves.mean())
    assert effect.n == n
    # What was not seen at the ends of the scale weighs a quarter of what it does for a single pair's mean.
    half = stats.t.ppf(0.975, n - 1) * stats.sem(halves)
    assert half <= known(effect.half_width) <= 1.3 * half


@pytest.mark.parametrize("n", [3, 5, 10])
def test_effects_of_few_pictures_cover(n: int) -> None:
    rng = np.random.default_rng(n)
    held, trials = 0, 400
    for _ in range(trials):
        level, taste = rng.normal(0, 1, (n, 1, 1)), rng.normal(0, 1, (n, 2, 1))
        scores = 5 + np.array([[1.0], [-1.0]]) + level + taste + rng.normal(0, 1, (n, 2, 2))
        parts = known(decompose(scores, ["a", "b"], ["x", "y"], ["all"] * n, interaction=False))
        effect = parts.describer["a"]
        held += known(effect.low) <= 1 <= known(effect.high)
    # Below five pictures the ends of the scale weigh much, and the interval is on the safe side.
    assert 0.92 <= held / trials <= (0.985 if n >= 5 else 1)


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ("ax ay bx by", ("ab", "xy")),
        ("ax ay az bx by cx", ("ab", "xy")),
        ("ax bx cx ay", ("abc", "x")),
        ("ax by", ("a", "x")),
        ("", ("", "")),
    ],
)
def test_largest_complete_grid(pairs: str, expected: tuple[str, str]) -> None:
    grid = find_complete_grid(tuple((pair[0], pair[1]) for pair in pairs.split()))
    assert grid == tuple(tuple(names) for names in expected)


def test_mixed_model_is_the_analysis_of_variance_of_a_balanced_grid() -> None:
    scores = grid([[6.5, 7.5, 7], [1.5, 4.5, 3]])
    effects = fit_mixed_effects(scores, ["a", "b"], ["x", "y", "z"])
    assert isinstance(effects, MixedEffects)
    means = scores.mean(axis=0)
    assert effects.grand.mean == pytest.approx(means.mean())
    assert effects.describer["a"].mean == pytest.approx(means[0].mean() - means.mean())
    assert effects.generator["z"].mean == pytest.approx(means[:, 2].mean() - means.mean())
    # Blocks: instances. What is left after instances and pairs, over (40 − 1)(6 − 1).
    flat = scores.reshape(40, 6)
    rest = flat - flat.mean(axis=1, keepdims=True) - flat.mean(axis=0) + flat.mean()
    mean_square = (rest**2).sum() / (39 * 5)
    between = 6 * flat.mean(axis=1).var(ddof=1)
    assert effects.rest_deviation == pytest.approx(mean_square**0.5, rel=1e-4)
    assert effects.instance_deviation == pytest.approx(((between - mean_square) / 6) ** 0.5, rel=1e-3)
    # Of two describers the effect is half a paired difference, whose interval and p scipy knows.
    halves = (scores[:, 0].mean(axis=1) - scores[:, 1].mean(axis=1)) / 2
    low, high = stats.t.interval(0.95, 39, halves.mean(), stats.sem(halves))
    assert (effects.describer["a"].low, effects.describer["a"].high) == pytest.approx((low, high), abs=1e-6)
    assert effects.p["describer"] == pytest.approx(stats.ttest_1samp(halves, 0).pvalue, rel=1e-4)


def test_p_of_several_effects_is_the_analysis_of_repeated_measures() -> None:
    """Three generators: F of the repeated measures, degrees of freedom times ε of Greenhouse and Geisser, by hand."""
    scores = grid([[6.0, 6.2, 6.4], [5.9, 6.2, 6.5]], 12)
    effects = fit_mixed_effects(scores, ["a", "b"], ["x", "y", "z"])
    assert isinstance(effects, MixedEffects)
    table = scores.mean(axis=1)
    rest = table - table.mean(axis=1, keepdims=True) - table.mean(axis=0) + table.mean()
    between = 12 * ((table.mean(axis=0) - table.mean()) ** 2).sum() / 2
    f = between / ((rest**2).sum() / (2 * 11))
    covariance = np.cov(rest.T)
    epsilon = np.trace(covariance) ** 2 / (2 * (covariance**2).sum())
    assert effects.p["generator"] == pytest.approx(stats.f.sf(f, 2 * epsilon, 22 * epsilon), rel=1e-6)


def test_mixed_model_is_that_of_statsmodels_where_scores_are_missing() -> None:
    linear = pytest.importorskip("statsmodels.regression.mixed_linear_model")
    rng = np.random.default_rng(3)
    scores = 5 + rng.normal(size=(30, 1, 1)) + rng.normal(size=(1, 3, 2)) + rng.normal(size=(30, 3, 2))
    scores[rng.random(scores.shape) < 0.15] = np.nan
    effects = fit_mixed_effects(scores, ["a", "b", "c"], ["x", "y"])
    assert isinstance(effects, MixedEffects)

    known = ~np.isnan(scores)
    groups, item, other = np.nonzero(known)
    describers = np.array([[1, 0], [0, 1], [-1, -1]])[item]
    generators = np.array([[1], [-1]])[other]
    design = np.column_stack([np.ones(len(item)), describers, generators, describers * generators])
    fit = linear.MixedLM(scores[known], design, groups).fit(reml=True, method="powell")
    assert effects.grand.mean == pytest.approx(fit.fe_params[0], abs=1e-4)
    assert effects.describer["b"].mean == pytest.approx(fit.fe_params[2], abs=1e-4)
    assert effects.instance_deviation == pytest.approx(float(fit.cov_re[0, 0]) ** 0.5, rel=1e-2)
    assert effects.rest_deviation == pytest.approx(fit.scale**0.5, rel=1e-3)


def test_mixed_model_says_why_not() -> None:
    assert fit_mixed_effects(np.full((9, 2, 2), 7.0), ["a", "b"], ["x", "y"]) == Unavailable(
        "the scores do not vary, or are too few"
    )
    assert isinstance(fit_mixed_effects(np.ones((9, 1, 2)), ["a"], ["x", "y"]), Unavailable)


def test_effects_of_results() -> None:
    effects = pair_effects(invented_results(["seer", "teller"], ["painter", "sketcher"], 5), "structural")
    assert isinstance(effects.decomposition, Effects)
    assert effects.decomposition.describers == ("seer", "teller")
    assert effects.run_ids == ("seer-painter", "seer-sketcher", "teller-painter", "teller-sketcher")
    assert effects.decomposition.dominance.mean is not None
    single = pair_effects(invented_results(["seer"], ["painter", "sketcher"]), "structural")
    assert isinstance(single.decomposition, Unavailable)


def test_players_are_seen_under_the_rules_that_boards_show_first() -> None:
    """As many runs under a short budget as under the usual one, and worse: the usual one counts, as on boards."""
    instances = invented_set(2, ("geometry", "photos"))
    pairs = list(product(["seer", "teller"], ["painter", "sketcher"]))
    usual = [invented_run(instances, item, other, 6.0, 0.3) for item, other in pairs]
    short = [under_budget(invented_run(instances, item, other, 2.0, 0.3), 10) for item, other in pairs]
    results = Results.from_runs([*short, *usual])
    assert list_rule_sets(results)[0] == Rules()
    assert {rule.rules for rule in select_usual_runs(results)} == {Rules()}
    mean = average_player(results, "describer", "seer", "structural").score.mean
    assert mean == average_player(Results.from_runs(usual), "describer", "seer", "structural").score.mean
