"""Correlation, percentage agreement, Cohen's κ and Krippendorff's α with their intervals."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hand_made import short_episode
from hypothesis import given, settings
from hypothesis import strategies as st
from invented import InventedRun, invented_run, invented_set, judged_also
from known_values import known
from samples import rating_of
from scipy import stats

from ircore.core.episode_records import Episode
from ircore.core.errors import InputError
from ircore.core.score_records import HUMAN, JudgeIdentity, Orders, Score
from ircore.games.reconstruction.paper_tables import compute_mean_preferences, read_published_scores
from ircore.games.reconstruction.records import list_rendered_turns, list_turns
from ircore.games.registry import load_game
from ircore.results.agreement import RaterPair, collect_similarity, cross_tabulate_ratings
from ircore.results.calibration import calibrate
from ircore.results.episodes import EpisodeResult, judge_episodes
from ircore.results.image_metrics import compare_metrics
from ircore.results.judges_of_runs import Raters
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
from ircore.results.statistics.calibration_map import Recalibration
from ircore.results.statistics.recalibration import Refusal
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


def test_alpha_of_the_published_example_of_two_observers() -> None:
    # Krippendorff 2011, section A: α = 0.095 for these two observers of ten units.
    item, other = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0], [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
    assert krippendorffs_alpha([item, other], "nominal").value == pytest.approx(0.095, abs=0.0005)


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
    judges = [(item.first_judge, item.second_judge) for item in rows]
    assert judges == [("kind", "human"), ("structural", "human"), ("kind", "structural")]
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
        episode = short_episode(name, [f"{number}{turn}".ljust(64, "0") for turn in (1, 2)])
        first, final = list_turns(episode)
        played.append(episode)
        scores += [
            rating_of(episode, first, 2.0),
            rating_of(episode, final, 8.0),
            rating_of(episode, final, 1.0, task="preference"),
            *(
                rating_of(episode, turn, value, metric, "metric")
                for turn, value in zip((first, final), values, strict=True)
            ),
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


@pytest.mark.slow
def test_values_of_two_versions_of_a_metric_are_not_mixed_within_a_run_or_between_runs() -> None:
    instances = invented_set(3)
    seer, poet = (invented_run(instances, name, "painter", 5.0, 0.0) for name in ("seer", "poet"))
    assert Results.from_runs([measured(seer, "1"), measured(poet, "1")]).metrics == ("ssim",)
    with pytest.raises(InputError, match=r"seer-painter: metric ssim was computed by two versions .*\(1; 2\)"):
        Results.from_runs([measured(seer, "1", "2")])
    with pytest.raises(InputError, match=r"poet-painter and seer-painter: metric ssim .*\(2; 1\)") as refused:
        Results.from_runs([measured(seer, "1"), measured(poet, "2")])
    assert "ircore score seer-painter --metric ssim" in str(refused.value.remedy)


Ratings = Mapping[str, tuple[float | None, ...]]
"""Similarity of each rendering in turn, by judge; a name of one letter is an annotator."""


def rendering(turn: int) -> str:
    return f"{turn:064x}"


def episode(instance: str, turns: int, category: str = "photos", outcome: str = "converged") -> Episode:
    return short_episode(
        instance, [rendering(turn) for turn in range(1, turns + 1)], outcome=outcome, category=category
    )


def scores(
    instance: str, similar: Ratings, preferred: Mapping[str, float] | None = None, orders: Orders | None = None
) -> list[Score]:
    def score(task: str, name: str, turn: int, value: float) -> Score:
        human = len(name) == 1
        return Score.model_validate(
            {
                "episode_id": instance,
                "step": turn,
                "measure": task,
                "by": "human" if human else name,
                "annotator": name if human else None,
                "value": value,
                "rendering": rendering(turn),
                "orders": orders if task == "preference" and not human else None,
            }
        )

    last = max((len(values) for values in similar.values()), default=2)
    return [
        *(
            score("similarity", name, turn, value)
            for name, values in similar.items()
            for turn, value in enumerate(values, start=1)
            if value is not None
        ),
        *(score("preference", name, last, value) for name, value in (preferred or {}).items()),
    ]


def played(run_id: str, parts: list[tuple[Episode, list[Score]]]) -> tuple[EpisodeResult, ...]:
    return judge_episodes(
        GAME, run_id, run_id, [item for item, _ in parts], [score for _, given in parts for score in given]
    )


def row(pairs: tuple[RaterPair, ...], one: str, other: str) -> RaterPair:
    return next(pair for pair in pairs if (pair.first_rater, pair.second_rater) == (one, other))


def test_similarity_is_matched_by_run_instance_and_turn() -> None:
    first = played(
        "run-1",
        [
            (episode("x", 3), scores("x", {"gpt": (1, None, 5), "claude": (2, 3, 6)})),
            (episode("y", 1), scores("y", {"gpt": (4,)})),
            (episode("z", 1, outcome="aborted"), scores("z", {"gpt": (9,), "claude": (9,)})),
        ],
    )
    second = played("run-2", [(episode("x", 1), scores("x", {"gpt": (8,), "claude": (7,)}))])
    task = collect_similarity({"run-1": first, "run-2": second})
    assert task.judges["gpt"] == pytest.approx([1, np.nan, 5, 4, 8], nan_ok=True)
    assert task.judges["claude"] == pytest.approx([2, 3, 6, np.nan, 7], nan_ok=True)
    assert task.instances.tolist() == [0, 0, 0, 1, 0], "one instance, whichever run played it"
    line = row(Raters({"run-1": first, "run-2": second}).agreement.pairs, "claude", "gpt")
    assert line.kind == "judge-judge"
    assert (line.pearson.n, line.pearson.clusters) == (3, 1)
    assert line.pearson.value == pytest.approx(np.corrcoef([1, 5, 8], [2, 6, 7])[0, 1])
    assert line.spearman.value == pytest.approx(1)


def test_humans_are_the_mean_of_annotators_and_each_annotator_with_each() -> None:
    results = {
        "run": played("run", [(episode("x", 3), scores("x", {"gpt": (1, 2, 3), "a": (2, 4, 6), "b": (4, 8, 5)}))])
    }
    assert collect_similarity(results).judges["human"].tolist() == [3, 6, 5.5]
    agreement = Raters(results).agreement
    assert agreement.annotators == ("a", "b")
    pairs = [(pair.first_rater, pair.second_rater, pair.kind) for pair in agreement.pairs]
    assert pairs == [("gpt", "human", "judge-human"), ("a", "b", "human-human")]
    assert agreement.pairs[0].pearson.value == pytest.approx(np.corrcoef([1, 2, 3], [3, 6, 5.5])[0, 1])
    assert agreement.similarity_alpha["interval"].n == 3


def test_a_tie_is_an_answer_and_the_decided_stand_beside() -> None:
    # gpt: final, final, first, tie; claude: final, first, first, tie.
    answers = [(1, 1), (1, 0), (0, 0), (0.5, 0.5)]
    parts = [
        (episode(f"x{at}", 2), scores(f"x{at}", {}, {"gpt": item, "claude": other}))
        for at, (item, other) in enumerate(answers)
    ]
    line = row(Raters({"run": played("run", parts)}).agreement.pairs, "claude", "gpt")
    # p = 3/4; e = (1·2 + 2·1 + 1·1) / 16 = 5/16; κ = (12 − 5) / (16 − 5)
    assert line.agreement.value == pytest.approx(0.75)
    assert line.kappa.value == pytest.approx(7 / 11)
    # without the tie: p = 2/3; e = (1·2 + 2·1) / 9; κ = (6 − 4) / (9 − 4)
    assert line.decided_agreement.value == pytest.approx(2 / 3)
    assert line.decided_agreement.n == 3
    assert line.decided_kappa.value == pytest.approx(2 / 5)
    assert line.pearson.reason == "nothing was rated by both"


def test_order_bias_counts_disagreeing_orders_and_the_first_shown() -> None:
    # Always the final rendering; always the one shown first (twice); shown first, then a tie.
    asked = [Orders(1, 1), Orders(0, 1), Orders(0, 1), Orders(0, 0.5)]
    parts = [(episode(f"x{at}", 2), scores(f"x{at}", {}, {"gpt": 0.5}, item)) for at, item in enumerate(asked)]
    (result,) = Raters({"run": played("run", parts)}).agreement.orders
    assert (result.judge, result.disagree.mean, result.disagree.n) == ("gpt", 0.75, 4)
    assert result.first_shown.mean == pytest.approx((0.5 + 1 + 1 + 1) / 4)
    assert known(result.first_shown.low) < 0.5, "four episodes prove no bias"


def rated_runs(instances: int = 40) -> dict[str, tuple[EpisodeResult, ...]]:
    """A judge two points below the humans, who rated the shapes of one run but none of the photos."""
    rng = np.random.default_rng(0)
    runs: dict[str, list[tuple[Episode, list[Score]]]] = {"rated": [], "unrated": []}
    for run_id, parts in runs.items():
        for at in range(instances):
            for category in ("simple_shapes", "photos"):
                name = f"{category}-{at:02d}"
                truth = rng.uniform(3, 9, 2).round()
                given: dict[str, tuple[float | None, ...]] = {"gpt": tuple(truth - 2), "lone": tuple(truth)}
                if run_id == "rated" and category == "simple_shapes":
                    given |= {who: tuple((truth + rng.normal(0, 0.5, 2)).clip(0, 10)) for who in "ab"}
                    del given["lone"]
                parts.append((episode(name, 2, category), scores(name, given)))
    return {run_id: played(run_id, parts) for run_id, parts in runs.items()}


def rated_runs_of(name: str, bias: float | None, instances: int = 40) -> tuple[EpisodeResult, ...]:
    """A pair that people score so much higher than the judge does, plus a little noise; None: they did not rate it."""
    rng = np.random.default_rng(len(name) + ord(name[0]))
    parts = []
    for at in range(instances):
        given = rng.uniform(3, 7, 2).round()
        ratings: dict[str, tuple[float | None, ...]] = {"gpt": tuple(given)}
        if bias is not None:
            ratings |= {who: tuple((given + bias + rng.normal(0, 0.3, 2)).clip(0, 10)) for who in "ab"}
        parts.append((episode(f"photo-{at:02d}", 2), scores(f"photo-{at:02d}", ratings)))
    return played(name, parts)


@pytest.mark.slow
def test_a_judges_scores_on_the_humans_scale() -> None:
    runs = rated_runs()
    calibration = calibrate(runs)
    gpt = calibration.maps["gpt"]
    assert isinstance(gpt, Recalibration)
    assert (gpt.fitted_for, gpt.groups, gpt.n, gpt.instances) == ("gpt", frozenset({"simple_shapes"}), 80, 40)
    assert gpt.before.bias.mean == pytest.approx(-2, abs=0.2)
    assert gpt.after.bias.mean == pytest.approx(0, abs=0.2)
    shapes = calibration.cells["unrated", "simple_shapes", None, "gpt"]
    assert shapes.score is not None
    finals = [run.judged["gpt"].final or 0 for run in runs["unrated"] if run.episode.category == "simple_shapes"]
    assert shapes.score.n == 40
    assert shapes.score.value == pytest.approx(np.mean(finals) + 2, abs=0.3)
    # People rated one pair alone, and this is another one.
    assert (shapes.score.low, shapes.score.high) == (None, None)
    assert shapes.marks == ("unrated_pair", "single_pair")
    assert known(gpt.pairs).names == {"rated"}


@pytest.mark.slow
def test_the_interval_goes_by_how_far_single_pairs_are_off_the_map() -> None:
    """Three pairs of which the judge likes one by a point, one not at all: nobody rated the fourth, which has none."""
    runs = {name: rated_runs_of(name, bias) for name, bias in {"a": 1.0, "b": 0.0, "c": -1.0, "d": None}.items()}
    calibration = calibrate(runs)
    gpt = calibration.maps["gpt"]
    assert isinstance(gpt, Recalibration)
    assert gpt.pairs is not None
    assert gpt.pairs.names == {"a", "b", "c"}
    assert gpt.pairs.deviation == pytest.approx(1, abs=0.15)
    # t(0.975, 2) = 4.302653, and a fourth draw beside the mean of three.
    assert gpt.pairs.reach == pytest.approx(4.302653 * gpt.pairs.deviation * (4 / 3) ** 0.5)
    rated, unrated = (calibration.cells[name, None, None, "gpt"] for name in "bd")
    assert (rated.marks, unrated.marks) == ((), ("unrated_pair",))
    assert rated.score is not None
    assert rated.score.low == pytest.approx(max(0, known(rated.score.value) - known(gpt.pairs.reach)), abs=0.1)
    assert unrated.score is not None
    assert unrated.score.value is not None
    assert (unrated.score.low, unrated.score.high) == (None, None)


@pytest.mark.slow
def test_a_judge_whose_scores_no_human_rated_gets_no_value_but_a_reason() -> None:
    calibration = calibrate(rated_runs())
    lone = calibration.maps["lone"]
    assert isinstance(lone, Refusal)
    assert lone.reason == "0 renderings rated by both judge and humans; at least 30 are needed"
    assert calibration.cells["unrated", None, None, "lone"].score is None
    assert calibration.cells["unrated", None, None, "lone"].reason == lone.reason
    assert calibration.cells["rated", "simple_shapes", None, "lone"].score is None


TARGETS = invented_set(3, ("geometry",))


def test_an_outage_of_a_judge_is_no_refusal() -> None:
    run = invented_run(TARGETS, "seer", "painter", 4.0, 0.3)
    episode = run.played[0]
    last = list_rendered_turns(episode)[-1]
    score = next(score for score in run.given if score.episode_id == episode.episode_id and score.step == last.turn)

    def refusal(judge: str, *reasons: str) -> str | None:
        people = [f"p-{number}" for number in range(len(reasons))]
        values: dict[str, Any] = {"by": judge, "value": None}
        scores = [
            score.model_copy(update={**values, "reason": reason, "annotator": person if judge == HUMAN else None})
            for person, reason in zip(people, reasons, strict=True)
        ]
        (result,) = judge_episodes(GAME, "run", "pair", [episode], scores)
        return result.judged[judge].refusal

    assert refusal("eye", "provider_error: down") is None
    assert refusal("eye", "judge_format: no number") == "judge_format: no number"
    # Of several people the one who would not rate says it, and not the one who was not asked.
    assert refusal(HUMAN, "provider_error: down", "judge_refused: no") == "judge_refused: no"


@pytest.mark.parametrize(("describer", "generator", "is_own"), [
    ("gpt-5.2", "flux", True), ("claude-opus-4", "gpt-image-1", False),
])  # fmt: skip
def test_a_judge_is_marked_where_it_rates_its_own_familys_describer(
    describer: str, generator: str, is_own: bool
) -> None:
    run = invented_run(TARGETS, describer, generator, 4.0, 0.3)
    judge = JudgeIdentity(
        name="structural", label="A model", kind="model", family="gpt", player=run.run.submission.players["describer"]
    )
    object.__setattr__(run, "judges", lambda: {"structural": judge})
    results = Results.from_runs([run])
    assert results.cell(run.run.run_id, "structural").same_family is is_own
    assert results.judge_identities == {"structural": judge}
