"""Which of two things counts, by examples in which they differ: leader and neighbour, two reasons, two runs."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from invented import InventedRun, invented_run, invented_set
from target_instances import with_scene

from ircore.core.records import Box, Element, Scene
from ircore.core.score_records import HUMAN, JudgeIdentity, Score
from ircore.games.reconstruction.records import collect_renderings, list_rendered_turns
from ircore.games.registry import load_game
from ircore.results.agreement import cross_tabulate_ratings
from ircore.results.arrays import estimate_target_mean
from ircore.results.coverage import Coverage
from ircore.results.effects import select_player_runs
from ircore.results.episodes import judge_episodes, select_counting_scores
from ircore.results.fact_shares import compute_said_points
from ircore.results.model import Results
from ircore.results.played_run import PlayedRun
from ircore.results.statistics.intervals import SCORE
from ircore.results.statistics.ranks import group_means
from ircore.results.tables.turns import average_trajectories
from ircore.scorers.stated_facts.measuring import SaidTurn
from ircore.scorers.verification.scene_facts import list_facts

GAME = load_game("reconstruction")

SET = invented_set(3, ("geometry",))


def run_of(describer: str, slug: str = "", generator: str = "painter") -> InventedRun:
    run = invented_run(SET, describer, generator, 4.0, 0.3)
    return replace(run, run=run.run.model_copy(update={"slug": slug, "run_id": slug})) if slug else run


def test_a_group_ends_where_its_leader_is_better_and_not_where_a_neighbour_is() -> None:
    better = np.zeros((4, 4), bool)
    better[0, 1:] = True  # the first is better than all; of the others the second alone is better than the last
    better[1, 3] = True
    assert group_means([90, 80, 70, 60], better) == [1, 2, 2, 3]


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


def test_an_outage_of_a_judge_is_no_refusal() -> None:
    run = run_of("seer")
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


def test_what_an_episode_earned_before_it_broke_the_rules_does_not_count() -> None:
    run = run_of("seer")
    broken = run.played[0].model_copy(update={"outcome": "aborted", "abort_reason": "describer_format", "detail": "x"})
    (result,) = judge_episodes(GAME, "run", "pair", [broken], run.given)
    assert (result.judged, result.episode.played) == ({}, False)


def test_results_do_not_depend_on_the_order_in_which_runs_are_named() -> None:
    runs = [run_of("seer"), run_of("poet"), run_of("seer", generator="sketcher")]
    made, again = Results.from_runs(runs), Results.from_runs(runs[::-1])
    assert [each.run_id for each in made.submissions] == [each.run_id for each in again.submissions]
    assert [row.submission.run_id for row in made.board("structural")] == [
        row.submission.run_id for row in again.board("structural")
    ]


def test_a_player_has_one_run_with_each_partner_the_first_by_slug() -> None:
    runs = [run_of("seer", "b-second"), run_of("seer", "a-first"), run_of("seer", generator="sketcher")]
    results = Results.from_runs(runs)
    assert select_player_runs(results, "describer", "seer") == ("a-first", "seer-sketcher")
    assert select_player_runs(results, "generator", "painter") == ("a-first",)


@pytest.mark.parametrize(("describer", "generator", "is_own"), [
    ("gpt-5.2", "flux", True), ("claude-opus-4", "gpt-image-1", False),
])  # fmt: skip
def test_a_judge_is_marked_where_it_rates_its_own_familys_describer(
    describer: str, generator: str, is_own: bool
) -> None:
    run = run_of(describer, generator=generator)
    judge = JudgeIdentity(
        name="structural", label="A model", kind="model", family="gpt", player=run.run.submission.players["describer"]
    )
    object.__setattr__(run, "judges", lambda: {"structural": judge})
    results = Results.from_runs([run])
    assert results.cell(run.run.run_id, "structural").same_family is is_own


def test_halves_of_points_go_up() -> None:
    ratings = {"first": np.array([6.5, 7.5, 0.5]), "human": np.array([2.5, 3.5, 1.5])}
    (crossed,) = cross_tabulate_ratings(SimpleNamespace(judges=ratings))  # type: ignore[arg-type]
    assert crossed.counts == {(7, 3): 1, (8, 4): 1, (1, 2): 1}


def test_turns_that_few_were_rated_at_have_no_point() -> None:
    run = run_of("seer")
    ends = {episode.episode_id: {1, list_rendered_turns(episode)[-1].turn} for episode in run.played}
    sparse = replace(run, given=tuple(score for score in run.given if score.step in ends[score.episode_id]))
    longest = max(max(turns) for turns in ends.values())
    every, few = (
        [point.turn for point in average_trajectories(PlayedRun.of(each).results, "structural", [None])[None]]
        for each in (run, sparse)
    )
    assert every == list(range(1, longest + 1))
    assert {1, longest} <= set(few) < set(every)


def test_facts_that_were_not_stated_do_not_count_and_ended_episodes_keep_their_last_turn() -> None:
    circle = Element(
        type="circle", colour="#d62728", box=Box(10, 10, 50, 50), parameters={"centre": [30, 30], "radius": 20}
    )
    scene = Scene(width=64, height=64, background="#ffffff", elements=(circle,))
    count = len(list_facts(scene))
    assert count >= 2
    instances = [with_scene(instance, scene) for instance in SET.instances]
    lengths = {episode.episode_id: len(collect_renderings(episode)) for episode in run_of("seer").played}
    short, long = min(lengths, key=lengths.__getitem__), max(lengths, key=lengths.__getitem__)
    assert lengths[short] < lengths[long]
    episodes = [episode for episode in run_of("seer").played if episode.episode_id in (short, long)]
    turns = [
        SaidTurn(
            episode_id=episode.episode_id, turn=turn, rendering=rendering.sha256, reader="grammar", version="1",
            stated="1" + "0" * (count - 1), named="0" * count,
            shown=("1" if episode.episode_id == short else "0") + "0" * (count - 1),
        )
        for episode in episodes
        for turn, rendering in collect_renderings(episode).items()
    ]  # fmt: skip
    points = {point.turn: point for point in compute_said_points(turns, episodes, instances)}
    # Of the one fact that was stated, one episode shows all and the other nothing, at every turn.
    assert {(point.drawn.mean, point.drawn.n) for point in points.values()} == {(0.5, 2)}
    assert max(turn or 0 for turn in points) == lengths[long]


def test_a_group_without_any_target_has_no_mean() -> None:
    """As of a question about hard targets, where none of them has a score from every pair."""
    nothing = estimate_target_mean(np.empty((0, 1)), (), SCORE)
    assert (nothing.mean, nothing.low, nothing.high, nothing.n) == (None, None, None, 0)


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
