"""Judges, humans and annotators side by side, and judges' scores on the humans' scale, from episodes."""

from collections.abc import Mapping

import numpy as np
import pytest
from known_values import known

from ircore.core.episode_records import Episode, Rendering
from ircore.core.score_records import Orders, Score
from ircore.games.reconstruction.records import Turn
from ircore.games.registry import load_game
from ircore.results.agreement import RaterPair, Raters, collect_similarity
from ircore.results.calibration import calibrate
from ircore.results.episodes import EpisodeResult, judge_episodes
from ircore.results.statistics.calibration_map import Recalibration
from ircore.results.statistics.recalibration import Refusal

GAME = load_game("reconstruction")

Ratings = Mapping[str, tuple[float | None, ...]]
"""Similarity of each rendering in turn, by judge; a name of one letter is an annotator."""


def rendering(turn: int) -> str:
    return f"{turn:064x}"


def episode(instance: str, turns: int, category: str = "photos", outcome: str = "converged") -> Episode:
    made = (Rendering(sha256=rendering(turn), width=8, height=8) for turn in range(1, turns + 1))
    return Episode.model_validate(
        {
            "episode_id": instance,
            "instance_id": instance,
            "category": category,
            "difficulty": "easy",
            "outcome": outcome,
            "abort_reason": "provider_error" if outcome == "aborted" else None,
            "steps": [
                Turn(turn=at, action="describe", message="words", rendering=item)
                for at, item in enumerate(made, start=1)
            ],
        }
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
    assert [(pair.first_rater, pair.second_rater, pair.kind) for pair in agreement.pairs] == [
        ("gpt", "human", "judge-human"),
        ("a", "b", "human-human"),
    ]
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
