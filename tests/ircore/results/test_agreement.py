"""Correlation, percentage agreement, Cohen's κ and Krippendorff's α with their intervals."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from invented import InventedRun, invented_run, invented_set, judged_also
from known_values import known
from samples import rating_of
from scipy import stats

from ircore.core.episode_records import Episode, Rendering
from ircore.core.errors import InputError
from ircore.core.score_records import Score, Task
from ircore.games.reconstruction.published.paper_tables import compute_mean_preferences, read_published_scores
from ircore.games.reconstruction.records import Turn, list_rendered_turns
from ircore.games.registry import load_game
from ircore.results.agreement import collect_similarity, cross_tabulate_ratings
from ircore.results.episodes import EpisodeResult, judge_episodes
from ircore.results.image_metrics import compare_metrics
from ircore.results.model import Results
from ircore.results.statistics.agreement import (
    Agreement,
    Level,
    cohens_kappa,
    krippendorffs_alpha,
    observed_agreement,
    pearson,
    spearman,
)
from ircore.results.statistics.resamples import count_draws
from ircore.results.tables.games import published_table
from ircore.results.tables.judges import metric_agreement_table, ratings_table
from ircore.runs.folder import RunFolder
from ircore.scorers.scoring import ScoringPlan, score_runs

GAME = load_game("reconstruction")

Measure = Callable[..., Agreement]
PAIRWISE = (pearson, spearman, observed_agreement, cohens_kappa)
NONE = float("nan")

KRIPPENDORFF = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, NONE, NONE, NONE],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NONE, 3],
    [NONE, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NONE],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NONE],
]
"""Krippendorff 2011, *Computing Krippendorff's Alpha-Reliability*, section C: four observers, twelve units."""


@pytest.mark.parametrize(("level", "published"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_alpha_of_the_published_example(level: Level, published: float) -> None:
    alpha = krippendorffs_alpha(KRIPPENDORFF, level)
    assert alpha.value == pytest.approx(published, abs=0.0005)
    assert alpha.n == 11, "the unit with one observer is left out"


def test_kappa_worked_by_hand() -> None:
    # 20 yes-yes, 5 yes-no, 10 no-yes, 15 no-no: p = 0.7, e = 0.5 · 0.6 + 0.5 · 0.4 = 0.5, κ = 0.2 / 0.5.
    item = [1] * 25 + [0] * 25
    other = [1] * 20 + [0] * 5 + [1] * 10 + [0] * 15
    assert cohens_kappa(item, other).value == pytest.approx(0.4)
    assert observed_agreement(item, other).value == pytest.approx(0.7)


@pytest.mark.slow
def test_correlations_are_scipys() -> None:
    rng = np.random.default_rng(1)
    item = rng.integers(0, 11, 80)
    other = np.clip(item + rng.normal(0, 3, 80), 0, 10).round()
    assert pearson(item, other).value == pytest.approx(stats.pearsonr(item, other).statistic)
    assert spearman(item, other).value == pytest.approx(stats.spearmanr(item, other).statistic)


@pytest.mark.parametrize("measure", [pearson, spearman])
def test_every_resample_is_the_measure_of_the_drawn_pairs(measure: Measure) -> None:
    # The interval of 3 resamples spans their extremes: draw the same instances here, and correlate with scipy.
    rng = np.random.default_rng(2)
    clusters = np.repeat(np.arange(12), 3)
    item, other = rng.integers(0, 11, 36), rng.integers(0, 11, 36)
    weights = count_draws(12, 3, 5).astype(int)
    plain: dict[Measure, Any] = {pearson: stats.pearsonr, spearman: stats.spearmanr}
    drawn = [plain[measure](item.repeat(w[clusters]), other.repeat(w[clusters])).statistic for w in weights.T]
    interval = measure(item, other, clusters, resamples=3, seed=5)
    assert min(drawn) - 1e-9 <= known(interval.low) < known(interval.high) <= max(drawn) + 1e-9


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=3, max_size=30))
@settings(max_examples=40, deadline=None)
@pytest.mark.slow
def test_order_and_roles_do_not_matter(pairs: list[tuple[int, int]]) -> None:
    item, other = np.array(pairs).T
    mixed = np.random.default_rng(0).permutation(len(pairs))
    for measure in PAIRWISE:
        interval = measure(item, other, resamples=50)
        for again in (measure(item[mixed], other[mixed], resamples=50), measure(other, item, resamples=50)):
            assert again.n == interval.n
            assert again.value == (None if interval.value is None else pytest.approx(interval.value))
        assert interval.value is None or -1 <= interval.value <= 1
        assert (interval.value is None) <= (interval.reason is not None)


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_alpha_is_one_for_equal_raters_and_about_zero_for_chance(level: Level) -> None:
    rng = np.random.default_rng(3)
    row = rng.integers(0, 5, 200).astype(float)
    assert krippendorffs_alpha([row, row, row], level).value == pytest.approx(1)
    chance = krippendorffs_alpha(rng.integers(0, 5, (3, 2000)), level, resamples=200)
    assert chance.value == pytest.approx(0, abs=0.04)
    assert known(chance.low) < known(chance.value) < known(chance.high)


def test_alpha_of_the_published_example_of_two_observers() -> None:
    # Krippendorff 2011, section A: α = 0.095 for these two observers of ten units.
    item, other = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0], [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
    assert krippendorffs_alpha([item, other], "nominal").value == pytest.approx(0.095, abs=0.0005)


@pytest.mark.slow
def test_interval_is_wider_where_ratings_of_one_instance_are_alike() -> None:
    rng = np.random.default_rng(4)
    instance = np.repeat(np.arange(30), 10)
    easy, taste = rng.normal(0, 1, 30)[instance], rng.normal(0, 1, 30)[instance]
    item, other = easy + rng.normal(0, 0.3, 300), easy + taste + rng.normal(0, 0.3, 300)
    for measure in (pearson, spearman):
        clustered, naive = measure(item, other, instance, 2000), measure(item, other, None, 2000)
        assert clustered.value == pytest.approx(naive.value)
        assert _width(clustered) > 1.8 * _width(naive)


@pytest.mark.slow
@pytest.mark.parametrize("instances", [20, 140])
def test_intervals_cover(instances: int) -> None:
    """The true r of 0.6, both raters with noise of their own and of the instance, in 94 of 100 studies or so."""
    rng = np.random.default_rng(5)
    hits, studies = 0, 400
    clusters = np.repeat(np.arange(instances), 4)
    for _ in range(studies):
        shared = np.sqrt(0.6) * (0.8 * rng.normal(size=instances)[clusters] + 0.6 * rng.normal(size=4 * instances))
        item, other = (shared + np.sqrt(0.4) * rng.normal(size=4 * instances) for _ in range(2))
        correlation = pearson(item, other, clusters, resamples=600)
        hits += known(correlation.low) <= 0.6 <= known(correlation.high)
    assert 0.91 <= hits / studies <= 0.98


@pytest.mark.parametrize("measure", PAIRWISE)
def test_what_is_not_defined_says_why(measure: Measure) -> None:
    assert measure([], []).reason == "nothing was rated by both"
    assert measure([1, NONE], [NONE, 1]).reason == "nothing was rated by both"
    assert measure([1, 2], [1, 2]).reason == "fewer than 3 matched pairs"
    assert measure([5] * 9, [5] * 9).reason is not None
    score = measure([1, 2, 3, 3], [1, 2, 3, 1], ["a"] * 4)
    assert score.value is not None
    assert (score.low, score.clusters, score.reason) == (None, 1, "no interval from fewer than 5 instances")
    with pytest.raises(ValueError, match="infinite"):
        measure([1, 2, float("inf")], [1, 2, 3])
    with pytest.raises(ValueError, match="match"):
        measure([1, 2], [1, 2, 3])


def _width(found: Agreement) -> float:
    return known(found.high) - known(found.low)


def results() -> Results:
    run = invented_run(invented_set(2, ("geometry",)), "seer", "painter", 4.0, 0.6)
    return Results.from_runs([judged_also(judged_also(run, "kind", 1.0, 0.5), "human", 0.4, 0.2, "a")])


def test_people_come_first_and_every_rendering_that_both_rated_counts_once() -> None:
    rows = results().raters.crossed
    assert [(item.first_judge, item.second_judge) for item in rows] == [
        ("kind", "human"),
        ("structural", "human"),
        ("kind", "structural"),
    ]
    assert all(sum(item.counts.values()) == item.renderings > 0 for item in rows)


def test_scores_are_taken_to_whole_points_and_nearness_before_that() -> None:
    made = results()
    task = collect_similarity(made.episodes)
    (item,) = (
        rating
        for rating in cross_tabulate_ratings(task)
        if (rating.first_judge, rating.second_judge) == ("kind", "structural")
    )
    pairs = list(zip(task.judges["kind"], task.judges["structural"], strict=True))
    assert item.near == pytest.approx(sum(abs(x - y) <= 1 for x, y in pairs) / len(pairs))
    assert sum(item.counts[key] for key in item.counts if key[0] == int(pairs[0][0] + 0.5)) >= 1
    assert {score for key in item.counts for score in key} <= set(range(11))


@pytest.mark.slow
def test_one_judge_alone_has_nobody_to_be_held_against() -> None:
    run = invented_run(invented_set(1), "seer", "painter", 4.0, 0.2)
    alone = Results.from_runs([run])
    assert alone.raters.crossed == ()
    assert ratings_table(alone).notes == ("No two judges rated the same renderings.",)


@pytest.mark.slow
def test_a_judge_that_rated_other_renderings_is_left_out() -> None:
    run = invented_run(invented_set(1), "seer", "painter", 4.0, 0.2)
    half = len(run.given) // 2
    split = (*run.given[:half], *(score.model_copy(update={"by": "late"}) for score in run.given[half:]))
    assert Results.from_runs([replace(run, given=split)]).raters.crossed == ()


def test_published_means_are_those_of_the_papers_table() -> None:
    table = published_table(load_game("reconstruction"), "published_means")
    assert table.entry(0, "pair").value == "gpt-5.2 + gemini-3.1"
    assert [round(float(value.value or 0), 2) for value in table.column("gpt")] == [8.09, 7.09, 7.02, 6.69]
    for pair, share in compute_mean_preferences().items():
        known = [
            score.final_preferred
            for score in read_published_scores()
            if score.pair == pair and score.final_preferred is not None
        ]
        assert share == pytest.approx(sum(known) / len(known))
        assert 0 < share < 1


def episodes(metric: str, measured: Sequence[tuple[float, float]]) -> tuple[EpisodeResult, ...]:
    """Episodes of two renderings that the eye rates 2 and 8, preferring the final one, with these metric values."""
    played, scores = [], []
    for number, values in enumerate(measured):
        name = f"e{number}"
        renderings = [Rendering(sha256=f"{number}{turn}".ljust(64, "0"), width=9, height=9) for turn in (1, 2)]
        turns = [
            Turn(turn=turn, action="describe", message="…", rendering=rendering)
            for turn, rendering in enumerate(renderings, start=1)
        ]
        played.append(
            Episode(episode_id=name, instance_id=name, category="photos", difficulty="easy", outcome="turn_limit",
                    steps=(*turns,))
        )  # fmt: skip
        given: list[tuple[int, Task, str, float]] = [
            (1, "similarity", "eye", 2.0), (2, "similarity", "eye", 8.0), (2, "preference", "eye", 1.0),
            (1, "metric", metric, values[0]), (2, "metric", metric, values[1]),
        ]  # fmt: skip
        scores += [
            Score(
                episode_id=name,
                step=turn,
                measure=judge if task == "metric" else task,
                by=judge,
                value=value,
                rendering=renderings[turn - 1].sha256,
            )
            for turn, task, judge, value in given
        ]
    return judge_episodes(GAME, "run", "slug", played, scores)


def test_a_metric_that_moves_with_the_rater_agrees_whatever_its_direction() -> None:
    for metric, measured in (("ssim", (0.1, 0.7)), ("brisque", (70.0, 10.0))):
        (agreement,) = compare_metrics({"run": episodes(metric, [measured] * 6)}, [metric], ["eye"])
        assert agreement.pearson.value == pytest.approx(1)
        assert agreement.spearman.value == pytest.approx(1)
        assert (agreement.preference.value, agreement.preference.n) == (1, 6)


def test_a_metric_that_prefers_the_first_rendering_disagrees() -> None:
    measured = [(0.1, 0.7)] * 3 + [(0.7, 0.1)] * 3 + [(0.4, 0.4)]  # the last one is a tie and counts for nothing
    (agreement,) = compare_metrics({"run": episodes("ssim", measured)}, ["ssim"], ["eye"])
    assert (agreement.preference.value, agreement.preference.n) == (0.5, 6)
    assert agreement.pearson.value == pytest.approx(0, abs=1e-12)


@pytest.mark.slow
def test_the_table_of_a_run_has_a_row_for_every_metric_and_judge(run: RunFolder) -> None:
    score_runs([run], ScoringPlan(metrics=("psnr", "ssim")))
    table = metric_agreement_table(Results.from_runs([run]))
    rows = [(table.entry(row, "metric").value, table.entry(row, "rater").value) for row in range(len(table.rows))]
    assert rows == [("psnr", "structural"), ("ssim", "structural")]
    assert float(table.entry(1, "pearson").value or 0) > 0.5  # the final rendering is exact by both
    assert table.entry(0, "pearson").n == 4  # an identical picture has no PSNR


def measured(run: InventedRun, *versions: str) -> InventedRun:
    """The same run with SSIM of every final rendering, computed in turn by these versions."""
    scores = [
        rating_of(
            episode, list_rendered_turns(episode)[-1], 0.5, "ssim", "metric", version=versions[number % len(versions)]
        )
        for number, episode in enumerate(run.played)
    ]
    return replace(run, given=(*run.given, *scores))


def test_values_of_two_versions_of_a_metric_are_not_mixed_within_a_run_or_between_runs() -> None:
    instances = invented_set(3)
    seer, poet = (invented_run(instances, name, "painter", 5.0, 0.0) for name in ("seer", "poet"))
    assert Results.from_runs([measured(seer, "1"), measured(poet, "1")]).metrics == ("ssim",)
    with pytest.raises(InputError, match=r"seer-painter: metric ssim was computed by two versions .*\(1; 2\)"):
        Results.from_runs([measured(seer, "1", "2")])
    with pytest.raises(InputError, match=r"poet-painter and seer-painter: metric ssim .*\(2; 1\)") as refused:
        Results.from_runs([measured(seer, "1"), measured(poet, "2")])
    assert "ircore score seer-painter --metric ssim" in str(refused.value.remedy)
