"""From episodes and scores to cells and boards, on values worked out by hand."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hand_made import HandMadeRun, hand_made_run, short_episode
from invented import InventedRun, invented_run, invented_set
from samples import rating_of, sample_instances, sample_run

from ircore.commands.main import run as ircore
from ircore.core.episode_records import Episode, Rendering, repeat_id
from ircore.core.errors import InputError
from ircore.core.records import Instance
from ircore.core.score_records import Score, Task
from ircore.games.reconstruction.records import Outcome, Rules, Turn, list_rendered_turns, list_turns
from ircore.games.registry import load_game
from ircore.results.arrays import arrange_values
from ircore.results.cells import Tally
from ircore.results.effects import select_player_runs
from ircore.results.episodes import EpisodeResult, average_final_scores, judge_episodes, select_counting_scores
from ircore.results.judge_ratings import PENDING, RATED, UNFINISHED, UNPLAYED, judge_ratings
from ircore.results.model import Results
from ircore.results.played_run import PlayedRun
from ircore.results.subsets import split_by_rules
from ircore.runs.folder import RunFolder

GAME = load_game("reconstruction")


def episode(renderings: str, outcome: Outcome = "converged") -> Episode:
    """An episode with one rendering a letter; the same letter is the same rendering. 5 tokens and 2 s a turn."""
    return short_episode("one", [letter * 64 for letter in renderings], outcome=outcome, message_tokens=5, seconds=2.0)


def score(letter: str, turn: int, value: float | None, task: Task = "similarity", judge: str = "eye") -> Score:
    reason = "no answer" if value is None else None
    measure = judge if task == "metric" else task
    return Score(
        episode_id="one", step=turn, measure=measure, by=judge, value=value, reason=reason, rendering=letter * 64
    )


def judged(played: Episode, *scores: Score) -> EpisodeResult:
    (result,) = judge_episodes(GAME, "pair-1", "pair", [played], scores)
    return result


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ((4, 1, 6.5), (4, 6.5, 2.5, "improved")),
        ((6, 1, 6), (6, 6, 0, "stable")),
        ((7, 1, 5), (7, 5, -2, "regressed")),
        ((8,), (8, 8, None, "no_refinement")),
        ((None,), (None, None, None, None)),  # a single rendering that was refused is in no share of rated episodes
        ((None, 8), (None, 8, None, None)),
    ],
)
def test_delta_and_convergence(given: tuple[float | None, ...], expected: tuple[object, ...]) -> None:
    letters = "abc"[: len(given)]
    scores = [score(letter, turn, value) for turn, (letter, value) in enumerate(zip(letters, given, strict=True), 1)]
    eye = judged(episode(letters), *scores).judged["eye"]
    assert (eye.first, eye.final, eye.delta, eye.convergence) == expected
    assert eye.trajectory == {turn: value for turn, value in enumerate(given, 1) if value is not None}


def test_preference_and_metrics_are_kept_apart_from_similarity() -> None:
    result = judged(
        episode("ab"),
        score("b", 2, 0.5, "preference", "other-eye"),
        score("a", 1, 31.0, "metric", "psnr"),
        score("b", 2, None, "metric", "psnr"),
    )
    assert result.judged["other-eye"].preference == 0.5
    assert result.judged["other-eye"].final is None
    assert result.metrics == {"psnr": {1: 31.0, 2: None}}
    assert (result.effort.tokens, result.effort.seconds) == (10, 4.0)


def rate(run: RunFolder, values: dict[str, tuple[float, float]], judge: str = "eye") -> RunFolder:
    """Give first and final rendering of episodes these ratings."""
    episodes = {episode.episode_id: episode for episode in run.episodes()}
    for name, pair in values.items():
        turns = list_rendered_turns(episodes[name])
        run.add_scores(
            rating_of(episodes[name], turn, value, judge)
            for turn, value in zip((turns[0], turns[-1]), pair, strict=True)
        )
    return run


EASY, HARD = "simple_shapes-easy-01", "simple_shapes-hard-01"


@pytest.mark.slow
def test_unplayed_episodes_count_as_missing(tmp_path: Path) -> None:
    # 12 instances: 5 were begun, of which the third (geometry, easy) is refused by the describer.
    run = sample_run(tmp_path / "run", sample_instances(tmp_path / "set", 3), limit=5)
    rate(run, {"geometry-easy-01": (2, 6), "geometry-easy-02": (6, 8), "geometry-hard-01": (5, 4)})
    results = Results.from_runs([run])
    (pair,) = results.submissions
    whole = results.cell(pair.run_id, "eye")
    assert (whole.episodes, whole.played, whole.outcomes) == (12, 4, {"converged": 4, "turn_limit": 0, "aborted": 1})
    assert whole.played_share == pytest.approx(1 / 3)
    assert (whole.score.mean, whole.score.n) == (6, 3)
    # 7 were never begun, so they say nothing: of the 5 that ended, 4 were played, 6 × 10 × 4/5.
    assert whole.unfinished == 7
    assert whole.main_score == pytest.approx(48)
    assert (whole.applicable, whole.rated, whole.refused, whole.pending) == (4, 3, 0, 1)
    assert whole.unranked == "incomplete"
    assert whole.delta.mean == pytest.approx(5 / 3)
    assert whole.delta.n == 3
    assert whole.convergence == {"improved": 2, "stable": 0, "regressed": 1, "no_refinement": 0}
    assert whole.amounts["steps"].mean == 2

    easy = results.cell(pair.run_id, "eye", "geometry", "easy")
    assert (easy.episodes, easy.played, easy.score.mean) == (3, 2, 7)
    assert easy.main_score == pytest.approx(7 * 10 * 2 / 3)  # the third was refused by the describer
    assert easy.unranked == "too_few"
    unplayed = results.cell(pair.run_id, "eye", "simple_shapes")
    assert (unplayed.episodes, unplayed.played, unplayed.score.mean, unplayed.main_score) == (6, 0, None, None)


@pytest.mark.slow
def test_runs_of_different_sets_are_refused(tmp_path: Path) -> None:
    item = sample_run(tmp_path / "one", sample_instances(tmp_path / "set"))
    other = sample_run(tmp_path / "other", sample_instances(tmp_path / "larger", 2))
    with pytest.raises(InputError, match=r"one and .*other were played on different instance sets"):
        Results.from_runs([item, other])


@pytest.mark.slow
def test_two_runs_of_one_pair_are_refused(tmp_path: Path) -> None:
    instances = sample_instances(tmp_path / "set")
    runs = [sample_run(tmp_path / name, instances) for name in ("first", "again")]
    with pytest.raises(InputError, match=r"again and .*first are both runs of centre-block"):
        Results.from_runs(runs)


@pytest.mark.slow
def test_results_command_asks_for_ratings_and_ranks_by_the_headline_judge(
    run: RunFolder, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ircore(["results", str(run.path)]) == 2
    assert "no judge has rated anything yet" in capsys.readouterr().err
    ratings = {EASY: (5.0, 7.0), HARD: (5.0, 9.0)}
    rate(rate(run, ratings), ratings, judge="ear")
    assert ircore(["results", str(run.path)]) == 0
    table = capsys.readouterr().out
    assert all(text in table for text in ("judged by ear", "classical + canvas", "8.00", "4/4", "80.0"))
    assert ircore(["results", str(run.path), "--judge", "eye"]) == 0
    assert "judged by eye" in capsys.readouterr().out


SET = invented_set(1)  # 14 instances


def run(slug: str, rules: Rules, over: bool) -> HandMadeRun:
    made = hand_made_run(slug, SET, [8.0] * len(SET.instances), rules=rules)
    first, *rest = made.played
    said = tuple(turn.model_copy(update={"over_budget": over}) for turn in list_turns(first))
    object.__setattr__(made, "played", (first.with_steps(said), *rest))
    return made


@pytest.mark.slow
@pytest.mark.attack
@pytest.mark.parametrize("over_budget", ["allow", "truncate", "abort"])
@pytest.mark.parametrize("over", [False, True])
def test_a_single_message_over_the_budget_that_was_let_through_costs_the_rank(over: bool, over_budget: str) -> None:
    rules = Rules(over_budget=over_budget)
    results = Results.from_runs([run("wordy", rules, over), run("brief", rules, over=False)])
    ranked = {row.submission.slug: row.rank_low for row in results.board("eye")}
    if over and over_budget == "allow":
        assert ranked == {"brief": 1, "wordy": None}
        cell = results.cell("wordy", "eye")
        assert cell.unranked == "past_budget"
        assert cell.unranked_words == "messages over the token budget reached the generator"
        assert cell.main_score == 80  # its numbers stay
    else:
        assert ranked == {"brief": 1, "wordy": 1}


@pytest.mark.slow
def test_what_holds_of_all_runs_holds_of_those_by_the_same_rules() -> None:
    runs = [
        run("wordy", Rules(), over=True),
        run("brief", Rules(), over=False),
        run("other", Rules(max_turns=5), False),
    ]
    for part in split_by_rules(Results.from_runs(runs)):
        ranks = {row.submission.slug: row.rank_low for row in part.board("eye")}
        assert ranks in ({"brief": 1, "wordy": None}, {"other": 1})


SHA256 = "0" * 64


def results(instance: Instance, finals: list[float | None], unrated: int = 0) -> tuple[EpisodeResult, ...]:
    """Return episodes of one rendering with these ratings; None stands for one that the pair aborted."""
    episodes, scores = [], []
    for repeat, final in enumerate([*finals, *[0.0] * unrated], start=1):
        name = repeat_id(instance.instance_id, repeat)
        outcome = "aborted" if final is None else "turn_limit"
        turn = Turn(turn=1, action="describe", rendering=Rendering(sha256=SHA256, width=8, height=8))
        episodes.append(
            Episode(
                episode_id=name, instance_id=instance.instance_id, category=instance.category,
                difficulty=instance.difficulty, outcome=outcome,
                abort_reason="describer_format" if final is None else None, steps=(turn,),
            )
        )  # fmt: skip
        if final is not None and repeat <= len(finals):
            scores.append(Score(episode_id=name, step=1, measure="similarity", by="eye", value=final, rendering=SHA256))
    return judge_episodes(GAME, "run", "pair", episodes, scores)


@pytest.fixture
def instances(tmp_path: Path) -> list[Instance]:
    return list(sample_instances(tmp_path / "set").instances)


def test_the_main_score_is_the_mean_over_instances_of_their_own_means(instances: list[Instance]) -> None:
    # 8 and 4 of two episodes, 0 (aborted) and 6, 9 of one, 2 three times.
    every = [
        *results(instances[0], [8.0, 4.0]),
        *results(instances[1], [None, 6.0]),
        *results(instances[2], [9.0]),
        *results(instances[3], [2.0, 2.0, 2.0]),
    ]
    ratings = judge_ratings(instances, {"run": every}, "eye")
    least, most = ratings.main
    assert least[:, 0].tolist() == most[:, 0].tolist() == [60.0, 30.0, 90.0, 20.0]
    assert ratings.main_scores().tolist() == [50.0]
    assert ratings.final[:, 0].tolist() == [6.0, 6.0, 9.0, 2.0]
    assert average_final_scores(every, "eye") == dict(
        zip([i.instance_id for i in instances], [6.0, 6.0, 9.0, 2.0], strict=True)
    )


def test_an_unrated_episode_leaves_its_part_of_the_instance_open(instances: list[Instance]) -> None:
    ratings = judge_ratings(instances[:1], {"run": results(instances[0], [8.0], unrated=1)}, "eye")
    assert ratings.status.tolist() == [[PENDING]]
    assert [end.tolist() for end in ratings.quality] == [[[4.0]], [[9.0]]]
    assert [end.tolist() for end in ratings.main] == [[[40.0]], [[90.0]]]


def test_a_repeat_is_due_of_a_whole_condition_or_not_at_all(tmp_path: Path) -> None:
    first, second, *others = sample_instances(tmp_path / "two", per_condition=2).instances
    instances = [first, second, *others]
    once = [episode for other in others for episode in results(other, [5.0])]
    # The second target of the same condition lacks the repeat that the first one has.
    lacking = [*results(first, [8.0, 4.0]), *results(second, [6.0]), *once]
    assert judge_ratings(instances, {"run": lacking}, "eye").status[:, 0].tolist() == [RATED, UNFINISHED, *[RATED] * 6]
    whole = [*results(first, [8.0, 4.0]), *results(second, [6.0, 6.0]), *once]
    ratings = judge_ratings(instances, {"run": whole}, "eye")
    assert ratings.status[:, 0].tolist() == [RATED] * 8
    assert ratings.episodes(RATED).tolist() == [10]
    assert ratings.count(RATED).tolist() == [8]
    assert judge_ratings(instances, {"run": results(first, [None])}, "eye").status[0].tolist() == [UNPLAYED]


def test_amounts_are_means_over_the_episodes_of_an_instance(instances: list[Instance]) -> None:
    every = results(instances[0], [8.0, 4.0])
    values = {"geometry-easy-01": 1.0, "geometry-easy-01.r2": 3.0}
    amounts = arrange_values(instances, [every], lambda result: values[result.episode.episode_id])
    np.testing.assert_array_equal(amounts[:, 0], [2.0, np.nan, np.nan, np.nan])


def test_preferences_rest_on_instances_and_not_on_episodes(instances: list[Instance], tmp_path: Path) -> None:
    run = sample_run(tmp_path / "run", sample_instances(tmp_path / "again"))
    tally = Tally(outcome.name for outcome in GAME.outcomes)
    turns = list_turns(run.episodes()[0])
    for repeat in (1, 2, 3):
        name = repeat_id(instances[0].instance_id, repeat)
        episode = run.episodes()[0].model_copy(update={"episode_id": name})
        drawn = turns[1].rendering
        assert drawn is not None
        score = Score(episode_id=name, step=2, measure="preference", by="eye", value=1.0, rendering=drawn.sha256)
        (result,) = judge_episodes(GAME, "run", "pair", [episode], [score])
        tally.add(result, "eye")
    assert (tally.preference().mean, tally.preference().n) == (1.0, 1)


TARGETS = invented_set(3, ("geometry",))


def run_of(describer: str, slug: str = "", generator: str = "painter") -> InventedRun:
    run = invented_run(TARGETS, describer, generator, 4.0, 0.3)
    return replace(run, run=run.run.model_copy(update={"slug": slug, "run_id": slug})) if slug else run


def test_results_do_not_depend_on_the_order_in_which_runs_are_named() -> None:
    runs = [run_of("seer"), run_of("poet"), run_of("seer", generator="sketcher")]
    made, again = Results.from_runs(runs), Results.from_runs(runs[::-1])
    assert [each.run_id for each in made.submissions] == [each.run_id for each in again.submissions]
    assert [row.submission.run_id for row in made.board("structural")] == [
        row.submission.run_id for row in again.board("structural")
    ]


def rated() -> tuple[Any, list[Score]]:
    run = invented_run(invented_set(1, ("geometry",)), "seer", "painter", 4.0, 0.3)
    return run.played[0], [score for score in run.given if score.episode_id == run.played[0].episode_id]


def test_the_later_of_two_scores_of_the_same_rendering_counts_and_people_are_told_apart() -> None:
    episode, scores = rated()
    later = scores[0].model_copy(update={"value": 9.5})
    people = [scores[0].model_copy(update={"by": "human", "annotator": name}) for name in ("a", "b")]
    kept = [*select_counting_scores(GAME, [episode], [*scores, *people, later])]
    assert later in kept
    assert scores[0] not in kept
    assert [score.annotator for score in kept if score.by == "human"] == ["a", "b"]
    # In whatever order they were made, they stand in the same one.
    again = [*select_counting_scores(GAME, [episode], [*people[::-1], *scores[1:][::-1], later])]
    assert again == kept


def test_a_score_of_a_rendering_that_is_gone_is_of_nothing() -> None:
    episode, scores = rated()
    gone = scores[0].model_copy(update={"rendering": "f" * 64})
    assert [*select_counting_scores(GAME, [episode], [gone])] == []
    # Nor does it take the place of a score of the picture that is there.
    assert [*select_counting_scores(GAME, [episode], [scores[0], gone])] == scores[:1]


def test_where_runs_lie_decides_their_order_only_where_all_their_rules_are_the_same() -> None:
    def is_first(path: str, other: str) -> bool:
        run = run_of("seer")
        rules = {**run.run.rules, "drawing": "redraw"}
        redrawn = replace(run, path=Path(other), run=run.run.model_copy(update={"rules": rules}))
        return PlayedRun.of(replace(run, path=Path(path))).sort_key < PlayedRun.of(redrawn).sort_key

    assert is_first("a", "b") == is_first("b", "a")


def test_what_an_episode_earned_before_it_broke_the_rules_does_not_count() -> None:
    run = run_of("seer")
    broken = run.played[0].model_copy(update={"outcome": "aborted", "abort_reason": "describer_format", "detail": "x"})
    (result,) = judge_episodes(GAME, "run", "pair", [broken], run.given)
    assert (result.judged, result.episode.played) == ({}, False)


def test_a_player_has_one_run_with_each_partner_the_first_by_slug() -> None:
    runs = [run_of("seer", "b-second"), run_of("seer", "a-first"), run_of("seer", generator="sketcher")]
    results = Results.from_runs(runs)
    assert select_player_runs(results, "describer", "seer") == ("a-first", "seer-sketcher")
    assert select_player_runs(results, "generator", "painter") == ("a-first",)
