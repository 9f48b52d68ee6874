"""Ready questions: every number is worked out again from the scores, target by target."""

from dataclasses import replace
from statistics import fmean

import numpy as np
import pytest
from invented import invented_results, invented_run, invented_set

from ircore.games.reconstruction.records import CATEGORIES
from ircore.results.model import Results
from ircore.results.questions import PICTURES, Answer, answer_questions, compute_adjusted_means

pytestmark = pytest.mark.slow

JUDGE = "structural"


@pytest.fixture(scope="module")
def results() -> Results:
    return invented_results(["seer", "poet"], ["painter", "sketcher"], per_condition=6)


def final(results: Results, run_id: str, instance: str) -> float | None:
    episode = next(item for item in results.episodes[run_id] if item.episode.instance_id == instance)
    return episode.judged[JUDGE].final if JUDGE in episode.judged else None


def test_every_answer_has_a_sentence_with_its_interval_a_table_and_pictures(results: Results) -> None:
    asked = answer_questions(results, JUDGE)
    assert {"best-describer", "best-generator", "refinement", "nobody", "hardest", "hard"} <= {
        item.key for item in asked
    }
    for answer in asked:
        assert "95 % interval" in answer.sentence
        assert answer.question.endswith("?")
        assert answer.lines
        assert 0 < len(answer.episodes) <= PICTURES
        played = {(run, item.episode.instance_id) for run in results.episodes for item in results.episodes[run]}
        assert set(answer.episodes) <= played


def test_the_best_describer_has_the_highest_mean_over_hard_pies(results: Results) -> None:
    answer = next(item for item in answer_questions(results, JUDGE) if item.key == "best-describer")
    assert answer.question == "Which describer is best on hard pie graphs?"
    means = {}
    pies = [item.instance_id for item in results.instances if (item.category, item.difficulty) == ("pie_graph", "hard")]
    for label in ("seer", "poet"):
        runs = [item.run_id for item in results.submissions if item.describer == label]
        by_target = [[score for run in runs if (score := final(results, run, pie)) is not None] for pie in pies]
        means[label] = fmean(fmean(scores) for scores in by_target if scores)
    shown = {line.label: line.value.mean for line in answer.lines}
    assert shown == pytest.approx(means)
    best = max(means, key=lambda label: means[label])
    assert f"is of {best}; " in answer.sentence or answer.sentence.startswith(f"{best}, with a mean score of")


def test_a_generator_that_only_the_best_describer_tried_does_not_lead_by_its_luck() -> None:
    instances = invented_set(6)
    skills = {("seer", "painter"): 7.0, ("poet", "painter"): 3.0, ("seer", "sketcher"): 6.0, ("poet", "sketcher"): 2.0}
    # Easier for it: its only partner is the better describer.
    runs = [invented_run(instances, *pair, skill, 0.3) for pair, skill in skills.items()]
    runs.append(invented_run(instances, "seer", "lucky", 6.0, 0.3))
    answer = next(item for item in answer_questions(Results.from_runs(runs), JUDGE) if item.key == "best-generator")
    assert [line.label for line in answer.lines] == ["painter", "sketcher"]
    assert answer.sentence.startswith("painter, with a mean score of")
    assert "over the same 2 partners" in answer.sentence
    assert answer.sentence.endswith("Not compared, for want of the same partners: lucky, played with seer alone.")


def test_no_describer_is_best_while_one_with_a_single_partner_may_be_better() -> None:
    instances = invented_set(6)
    skills = {("classical", "canvas"): 6.0, ("classical", "sketch"): 6.0, ("captioner", "canvas"): 3.0,
              ("captioner", "sketch"): 3.0, ("plain", "canvas"): 8.0}  # fmt: skip
    results = Results.from_runs([invented_run(instances, *pair, skill, 0.1) for pair, skill in skills.items()])
    assert results.board(JUDGE)[0].submission.describer == "plain"
    sentence = next(item for item in answer_questions(results, JUDGE) if item.key == "best-describer").sentence
    assert sentence.startswith("It cannot be told: the highest mean score, ")
    assert "over the same 2 partners, is of classical; it leads captioner by" in sentence
    assert "plain is not clearly worse with canvas, where classical leads by −" in sentence
    assert "Not compared, for want of the same partners: plain, played with canvas alone." in sentence


def test_the_best_of_many_describers_by_chance_is_not_named() -> None:
    # Ten describers that are all alike: the first would lead the second by more than one comparison allows for.
    instances = invented_set(6)
    runs = [invented_run(instances, f"seer-{at}", "painter", 5.0, 0.0) for at in range(10)]
    sentence = next(i for i in answer_questions(Results.from_runs(runs), JUDGE) if i.key == "best-describer").sentence
    assert sentence.startswith("It cannot be told: ")


def test_a_target_on_which_weak_pairs_failed_does_not_look_easy() -> None:
    # Both pairs lose one point on the second target; the weak one has no score there. By hand: 6, and 6 − 1.
    assert compute_adjusted_means(np.array([[8.0, 4.0], [7.0, np.nan]])) == pytest.approx([6.0, 5.0])
    assert compute_adjusted_means(np.array([[8.0, 4.0], [np.nan, np.nan]]))[0] == 6.0
    assert np.isnan(compute_adjusted_means(np.array([[8.0, 4.0], [np.nan, np.nan]]))[1])


def test_episodes_that_broke_off_are_no_unsatisfied_describers() -> None:
    # Half of the episodes broke off; in all others the describer was satisfied: that is all of them, not half.
    instances = invented_set(6, ("geometry",))
    run = invented_run(instances, "seer", "painter", 8.0, 0.0)
    played = tuple(
        episode.model_copy(
            update={"outcome": "aborted", "abort_reason": "provider_error"}
            if number % 2
            else {"outcome": "converged", "abort_reason": None}
        )
        for number, episode in enumerate(run.played)
    )
    sentence = next(
        item
        for item in answer_questions(Results.from_runs([replace(run, played=played)]), JUDGE)
        if item.key == "satisfied"
    ).sentence
    assert "describers end 100 % (" in sentence
    assert "n = 6) of the played episodes as satisfied" in sentence


def test_nobody_draws_the_target_whose_best_score_is_lowest(results: Results) -> None:
    answer = next(item for item in answer_questions(results, JUDGE) if item.key == "nobody")
    best = {
        item.instance_id: max(
            score for run in results.episodes if (score := final(results, run, item.instance_id)) is not None
        )
        for item in results.instances
    }
    worst = sorted(best, key=lambda instance: best[instance])
    assert [instance for _, instance in answer.episodes] == worst[:PICTURES]
    assert answer.lines[0].value.mean == pytest.approx(best[worst[0]])


def test_refinement_is_the_mean_change_over_targets(results: Results) -> None:
    answer = next(item for item in answer_questions(results, JUDGE) if item.key == "refinement")
    by_target: dict[str, list[float]] = {}
    for episodes in results.episodes.values():
        for item in episodes:
            judged = item.judged.get(JUDGE)
            if judged is not None and judged.delta is not None:
                by_target.setdefault(item.episode.instance_id, []).append(judged.delta)
    mean = fmean(fmean(deltas) for deltas in by_target.values())
    assert f"changes by {mean:.1f} (" in answer.sentence


def asked_of(easier: dict[str, float], per_condition: int = 6) -> dict[str, str]:
    """Sentences about one pair whose scores spread by about a point, and are so much higher in some categories."""
    instances = invented_set(per_condition, ("geometry", "photos"))
    run = invented_run(instances, "seer", "painter", 5.0, 0.1)
    place = {item.instance_id: (item.category, number) for number, item in enumerate(instances.instances)}
    scores = tuple(
        score.model_copy(
            update={"value": 5.0 + (place[score.episode_id][1] % 3) / 2 + easier.get(place[score.episode_id][0], 0)}
        )
        for score in run.given
    )
    results = Results.from_runs([replace(run, given=scores)])
    return {answer.key: answer.sentence for answer in answer_questions(results, JUDGE)}


def test_the_hardest_category_is_named_only_where_the_difference_is_clear() -> None:
    assert asked_of({"photos": 3.0})["hardest"].startswith("Geometry, with a mean score of 5.5 (")
    tied = asked_of({"photos": 0.1})["hardest"]
    assert tied.startswith("It cannot be told: ")
    assert "cannot be told from it" in tied


def test_nobody_is_called_best_on_too_few_targets() -> None:
    answer = asked(per_condition=1, categories=("pie_graph",))["best-describer"]
    assert answer.question == "Which describer is best on all targets?"
    assert answer.sentence.startswith("It cannot be told: the highest mean score, ")
    assert "which so few targets do not tell apart" in answer.sentence


def asked(per_condition: int, categories: tuple[str, ...] = CATEGORIES) -> dict[str, Answer]:
    """Answers about two describers with one generator, the one much better than the other."""
    instances = invented_set(per_condition, categories)
    runs = [invented_run(instances, label, "painter", skill, 0.1) for label, skill in (("seer", 8.0), ("poet", 4.0))]
    return {answer.key: answer for answer in answer_questions(Results.from_runs(runs), JUDGE)}


@pytest.mark.parametrize(
    ("harder", "per_condition", "verdict"),
    [
        (1.0, 6, "Mostly: "),  # final renderings score about 6.5, of n that leave no doubt that this is above 5
        (-1.5, 6, "Not much: "),
        (-0.5, 6, "It cannot be told: "),
        (1.0, 1, "It cannot be told: "),  # fewer than five targets
    ],
)
def test_a_satisfied_describer_is_right_or_wrong_only_by_enough_targets(
    harder: float, per_condition: int, verdict: str
) -> None:
    sentence = asked_of({"geometry": harder, "photos": harder}, per_condition)["satisfied"]
    assert sentence.startswith(f"{verdict}describers end ")


def test_what_nobody_draws_says_how_many_targets_the_judge_does_not_rate() -> None:
    # One of the 24 episodes is aborted, so its target has no score.
    assert asked_of({})["nobody"].startswith("Nothing: every one of the 23 rated targets (1 more is not rated) is ")
    assert "of the 23 rated targets (1 more is not rated) are drawn by nobody" in asked_of({"photos": -3.0})["nobody"]
