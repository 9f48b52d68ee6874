"""Boards reward playing: episodes that were not played count as nothing, technical failures as no result yet."""

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest
from hand_made import Fate, HandMadeRun, hand_made_run
from invented import invented_results, invented_run, invented_set, under_budget
from known_values import known
from scipy import stats

from ircore.core.score_records import JudgeIdentity
from ircore.games.reconstruction.records import Rules
from ircore.results.cells import Cell
from ircore.results.effects import average_player, pair_effects, select_usual_runs
from ircore.results.model import BoardRow, Order, Results
from ircore.results.statistics.effects import Effects, decompose, find_complete_grid
from ircore.results.statistics.mixed import MixedEffects, Unavailable, fit_mixed_effects
from ircore.results.subsets import split_by_rules
from ircore.results.tables.comparisons import comparisons_table
from ircore.results.tables.model import Table, Value
from ircore.results.tables.turns import trajectories_table

pytestmark = pytest.mark.slow


SET = invented_set(3)  # 7 categories × 2 difficulties × 3 = 42 instances
SIZE = len(SET.instances)

HONEST: Sequence[Fate] = [5.0] * 13 + [10.0] * 29
"""Quality (13 · 5 + 29 · 10) / 42 = 8.45, and so main score 84.5."""

EVASIVE: Sequence[Fate] = ["aborted"] * 13 + [10.0] * 29
"""The same pair without its 13 worst episodes: quality 10, main score 100 · 29 / 42 = 69.0."""


def board(*runs: HandMadeRun, order: Order = "main") -> dict[str, BoardRow]:
    rows = Results.from_runs(runs).board("eye", order=order)
    return {row.submission.slug: row for row in rows}


def ranks(rows: dict[str, BoardRow]) -> dict[str, tuple[int | None, int | None]]:
    return {slug: (row.rank_low, row.rank_high) for slug, row in rows.items()}


def pair(slug: str, fates: Sequence[Fate]) -> HandMadeRun:
    return hand_made_run(slug, SET, fates)


def test_giving_up_the_worst_episodes_does_not_raise_a_rank() -> None:
    rows = board(pair("evasive", EVASIVE), pair("honest", HONEST))
    assert list(rows) == ["honest", "evasive"]
    assert rows["honest"].cell.main_score == pytest.approx(100 * (13 * 0.5 + 29) / 42)
    assert rows["evasive"].cell.main_score == pytest.approx(100 * 29 / 42)
    assert ranks(rows) == {"honest": (1, 1), "evasive": (2, 2)}
    # Its quality is the higher one: what was played is all 10. Ordered by it the evasive pair comes first, ranks stay.
    by_quality = board(pair("evasive", EVASIVE), pair("honest", HONEST), order="quality")
    assert list(by_quality) == ["evasive", "honest"]
    assert ranks(by_quality) == ranks(rows)


def test_a_pair_that_played_nothing_has_main_score_0_and_the_last_rank() -> None:
    rows = board(pair("refuser", ["aborted"] * SIZE), pair("honest", HONEST))
    assert rows["refuser"].cell.main_score == 0
    assert rows["refuser"].cell.score.mean is None
    assert ranks(rows) == {"honest": (1, 1), "refuser": (2, 2)}


@pytest.mark.parametrize("fate", ["failed", None])
def test_technical_failures_and_episodes_never_begun_leave_a_run_without_a_rank(fate: Fate) -> None:
    # Half of the targets have to tell the two apart, too.
    runs = [pair("broken", [fate, *[10.0] * 41]), pair("honest", [5.0] * 26 + [10.0] * 16)]
    rows = board(*runs)
    assert list(rows) == ["honest", "broken"]  # 100 of what has ended, yet below those that have a rank
    assert ranks(rows) == {"honest": (1, 1), "broken": (None, None)}
    cell = rows["broken"].cell
    assert (cell.unranked, cell.unfinished) == ("incomplete", 1)
    assert cell.main_score == pytest.approx(100)
    assert known(cell.main.low) < 100 * 41 / 42  # what is missing could be 0
    # Conditions without such an episode have ranks; the first instance is of the set's first category, easy.
    first = SET.instances[0]
    results = Results.from_runs(runs)
    incomplete = {key[1:3] for key, cell in results.cells.items() if cell.unranked == "incomplete"}
    assert incomplete == {(c, d) for c in (None, first.category) for d in (None, first.difficulty)}
    other = "hard" if first.difficulty == "easy" else "easy"
    assert ranks({row.submission.slug: row for row in results.board("eye", None, other)}) == {
        "broken": (1, 1),
        "honest": (2, 2),
    }


def test_comparison_says_the_difference_on_common_instances_and_its_worst_case() -> None:
    results = Results.from_runs([pair("evasive", EVASIVE), pair("honest", HONEST)])
    comparison = results.compare("evasive", "honest", "eye")
    assert (comparison.n, comparison.difference.mean, comparison.ties) == (29, 0, 29)
    # 13 episodes of one pair could have been 0 or 10, where the other has 5.
    assert comparison.least == pytest.approx(-5 * 13 / 42)
    assert comparison.most == pytest.approx(5 * 13 / 42)
    assert comparison.main.mean == pytest.approx(-50 * 13 / 42)
    assert comparison.main.high is not None
    assert comparison.main.high < 0  # which is why the board tells the two apart
    back = results.compare("honest", "evasive", "eye")
    assert (back.least, back.most) == pytest.approx((-known(comparison.most), -known(comparison.least)))
    assert back.main.low == pytest.approx(-comparison.main.high)


def drawn_pair(rng: np.random.Generator, index: int, skill: float, refusing: float, unrated: float) -> HandMadeRun:
    """A pair of some skill that gives up some hard pictures, of which the judge rated not quite everything."""
    values = np.clip(skill + rng.normal(0, 2, SIZE), 0, 10).round()
    fates: list[Fate] = [float(value) for value in values]
    for place in np.flatnonzero((values < 5) & (rng.random(SIZE) < refusing)):
        fates[place] = "aborted"
    for place in np.flatnonzero(rng.random(SIZE) < unrated):
        if fates[place] != "aborted":
            fates[place] = "refused"
    return pair(f"pair-{index}", fates)


@pytest.mark.parametrize("seed", range(12))
def test_no_two_pairs_have_separate_ranks_that_their_comparison_denies(seed: int) -> None:
    rng = np.random.default_rng(seed)
    runs = [drawn_pair(rng, index, 3 + index, rng.uniform(0, 1), rng.choice((0, 0.04))) for index in range(7)]
    results = Results.from_runs(runs)
    separate = 0
    for category, difficulty in ((None, None), (None, "hard"), ("photos", None)):
        rows = [row for row in results.board("eye", category, difficulty) if row.rank_low is not None]
        for row, other in product(rows, rows):
            if (row.rank_high or 0) < (other.rank_low or 0):
                pairs = row.submission.run_id, other.submission.run_id
                low = known(results.compare(*pairs, "eye", category, difficulty).main.low)
                assert low > 0
                separate += 1
    assert separate


def test_ranks_among_pairs_under_the_same_rules_are_those_of_their_own_comparisons() -> None:
    runs = [hand_made_run(f"{slug}-{budget}", SET, fates, rules=Rules(token_budget=budget))
            for slug, fates in (("honest", HONEST), ("evasive", EVASIVE)) for budget in (50, 200)]  # fmt: skip
    for part in split_by_rules(Results.from_runs(runs)):
        assert [(row.rank_low, row.rank_high) for row in part.board("eye")] == [(1, 1), (2, 2)]


def test_a_judge_says_which_categories_it_rates() -> None:
    some = JudgeIdentity(name="eye", label="Eye", kind="model", categories=("geometry",))
    few = invented_set(5, ("geometry", "photos"))
    fates: Sequence[Fate] = [8.0] * 10 + ["not yet"] * 9 + ["aborted"]
    results = Results.from_runs([hand_made_run("pair", few, fates, some)])
    whole, photos = results.cell("pair", "eye"), results.cell("pair", "eye", "photos")
    assert (whole.played, whole.applicable, whole.rated, whole.pending) == (19, 10, 10, 0)
    assert (whole.score.mean, whole.main_score, whole.unranked) == (8, 80, None)
    assert (photos.played, photos.applicable, photos.unranked) == (9, 0, "inapplicable")
    assert photos.main_score is None


LARGE = invented_set(6)  # 7 × 2 × 6 = 84 instances
POOR: Sequence[Fate] = [4.0] * 58 + [9.0] * 26
"""Mean (58 · 4 + 26 · 9) / 84 = 5.55."""
FAIR: Sequence[Fate] = [7.0, 6.0] * 42


def cell(fates: Sequence[Fate]) -> Cell:
    return Results.from_runs([rated("pair", fates)]).cell("pair", "eye")


def rated(slug: str, fates: Sequence[Fate]) -> HandMadeRun:
    return hand_made_run(slug, LARGE, fates)


@pytest.mark.parametrize("fate", ["refused", "not yet"])
def test_ratings_that_are_missing_raise_no_rank_and_shrink_no_interval(fate: str) -> None:
    nulled: Sequence[Fate] = [*[fate] * 58, *POOR[58:]]
    before, after = cell(POOR), cell(nulled)
    assert before.score.mean == pytest.approx((58 * 4 + 26 * 9) / 84)
    assert after.score.mean == 9
    for full, gap in ((before.score, after.score), (before.main, after.main)):
        assert known(gap.low) < known(full.low) < known(full.high) < known(gap.high)
    rows = Results.from_runs([rated("fair", FAIR), rated("nulled", nulled)]).board("eye")
    ranked = [(row.submission.slug, row.rank_low, row.rank_high) for row in rows]
    assert ranked == [("fair", 1, 1), ("nulled", None, None)]
    assert rows[1].cell.unranked == "underrated"
    assert "26 of 84" in str(rows[1].cell.unranked_words)


@pytest.mark.parametrize(("unrated", "unranked"), [(8, None), (9, "underrated")])
def test_a_rank_takes_nine_tenths_of_what_applies(unrated: int, unranked: str | None) -> None:
    assert cell(["refused"] * unrated + [5.0] * (84 - unrated)).unranked == unranked


def test_main_score_of_what_is_partly_rated_is_quality_times_share() -> None:
    shown = cell(["refused"] * 4 + ["aborted"] * 20 + [6.0] * 60)
    assert shown.main_score == pytest.approx(60 * 64 / 84)
    # At worst the four are 0, at best 10: 100 · (60 · 0.6) / 84 and 100 · (60 · 0.6 + 4) / 84.
    assert known(shown.main.low) < 100 * 36 / 84
    assert known(shown.main.high) > 100 * 40 / 84


def test_a_few_missing_ratings_cannot_separate_two_pairs() -> None:
    # 8 of 84 are missing; with them as 0 the better pair is no better.
    better: Sequence[Fate] = ["refused"] * 8 + [6.5] * 76
    worse: Sequence[Fate] = [6.0] * 84
    rows = Results.from_runs([rated("better", better), rated("worse", worse)]).board("eye")
    assert [(row.rank_low, row.rank_high) for row in rows] == [(1, 2), (1, 2)]
    complete = Results.from_runs([rated("better", [6.5] * 84), rated("worse", worse)]).board("eye")
    assert [(row.rank_low, row.rank_high) for row in complete] == [(1, 1), (2, 2)]


COUNTS = ("played", "applicable", "rated", "refused", "not_yet")


def counts(table: Table, row: int = 0, prefix: str = "") -> list[Any]:
    return [table.entry(row, prefix + key).value for key in COUNTS]


def test_tables_of_turns_and_comparisons_count_what_is_rated() -> None:
    gaps: Sequence[Fate] = ["refused"] * 3 + ["not yet"] * 2 + ["aborted"] * 4 + [5.0] * 75
    results = Results.from_runs([rated("gaps", gaps), rated("whole", [7.0] * 84)])
    cell = results.cell("gaps", "eye")
    assert (cell.episodes, cell.unfinished, cell.unranked, cell.score.n) == (84, 0, None, 75)
    turns = trajectories_table(results, "eye")
    assert counts(turns, turns.column("run_id").index(Value("gaps"))) == [80, 80, 75, 3, 2]
    # The first category has 12 episodes: of these 3 refused, 2 not yet, 4 aborted.
    first = LARGE.instances[0].category
    assert counts(trajectories_table(results, "eye", first)) == [8, 8, 3, 3, 2]
    compared = comparisons_table(results, "eye")
    assert counts(compared) == [84, 84, 84, 0, 0]
    assert counts(compared, prefix="other_") == [80, 80, 75, 3, 2]


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


@pytest.mark.parametrize("n", [3, 5])
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
        ("by ax", ("b", "y")),  # of several as large the one whose pairs come first
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
    assert results.rule_sets[0] == Rules()
    assert {rule.rules for rule in select_usual_runs(results)} == {Rules()}
    mean = average_player(results, "describer", "seer", "structural").score.mean
    assert mean == average_player(Results.from_runs(usual), "describer", "seer", "structural").score.mean
