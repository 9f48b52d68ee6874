"""What cells say beyond means: people, orders, families, costs, budgets, main score, and how sure all that is."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hand_made import short_episode
from invented import InventedRun, invented_run, invented_set, judged_also
from known_values import known
from samples import rating_of, sample_instances, sample_run
from target_instances import with_scene

from ircore.core.records import Scene
from ircore.core.score_records import HUMAN, JudgeIdentity, Orders, Score
from ircore.games.reconstruction.records import list_rendered_turns, list_turns
from ircore.games.registry import load_game
from ircore.instances.records import Instances
from ircore.instances.store import InstanceSet
from ircore.results import cells
from ircore.results.agreement import cross_tabulate_ratings
from ircore.results.episodes import EpisodeResult, VouchedScores, count_vouched_scores, judge_episodes
from ircore.results.headline import describe_headline, find_headline_judge, sort_judges
from ircore.results.model import Results
from ircore.results.statistics.intervals import Estimate, estimate_share
from ircore.results.tables.board import leaderboard_table
from ircore.results.tables.catalogue import TABLES, TableQuestion
from ircore.runs.provenance import Provenance

GAME = load_game("reconstruction")
EPISODE = short_episode("one", ["a" * 64, "b" * 64])


def rating(turn: int, value: float, annotator: str) -> Score:
    return rating_of(EPISODE, list_turns(EPISODE)[turn - 1], value, HUMAN, annotator=annotator)


def result(*scores: Score) -> EpisodeResult:
    (result,) = judge_episodes(GAME, "pair-1", "pair", [EPISODE], scores)
    return result


def test_people_are_one_judge_and_stay_apart() -> None:
    outcome = result(rating(1, 4, "ann"), rating(1, 6, "bob"), rating(2, 9, "ann"), rating(2, 6, "bob"))
    human = outcome.judged["human"]
    assert (human.first, human.final, human.delta) == (5, 7.5, 2.5)
    assert {name: item.delta for name, item in outcome.annotations.items()} == {"ann": 5, "bob": 0}
    assert outcome.judged.keys() == {"human"}


def test_people_who_rated_half_count_where_they_rated() -> None:
    outcome = result(rating(1, 4, "ann"), rating(2, 8, "ann"), rating(2, 6, "bob"), rating(2, 7, "ann"))
    assert (outcome.judged["human"].first, outcome.judged["human"].final) == (4, 6.5)
    assert (outcome.annotations["bob"].first, outcome.annotations["bob"].delta) == (None, None)


def test_what_each_order_said_is_kept() -> None:
    orders = Orders(first_leading=1, final_leading=0)
    asked = Score(
        episode_id="one", step=2, measure="preference", by="eye", value=0.5, rendering="b" * 64, orders=orders
    )
    assert result(asked).judged["eye"].orders == orders
    assert result(asked).judged["eye"].preference == 0.5


GPT = JudgeIdentity(name="structural", label="GPT", kind="model", family="gpt", prompts="one")


class Judged(InventedRun):
    """An invented run that says who its judge is."""

    identity = GPT

    def judges(self) -> dict[str, JudgeIdentity]:
        return {self.identity.name: self.identity}


def judged(describer: str, identity: JudgeIdentity = GPT, per_condition: int = 2) -> Judged:
    run = invented_run(invented_set(per_condition, ("geometry",)), describer, "painter", 6, 0.5)
    made = Judged(run.path, run.run, run.instances, run.played, run.given)
    object.__setattr__(made, "identity", identity)
    return made


def test_shares_and_main_score_have_intervals() -> None:
    results = Results.from_runs([judged("seer", per_condition=10)])
    (pair,) = results.submissions
    cell = results.cell(pair.run_id, "structural")
    assert cell.played_rate == estimate_share(cell.played, 20)
    assert cell.score.mean is not None
    assert cell.main.mean == pytest.approx(10 * cell.score.mean * cell.played_share)
    assert 0 < known(cell.main.low) < 10 * cell.score.mean * cell.played_share < known(cell.main.high) <= 100
    rated = sum(cell.convergence.values())
    assert cell.convergence_shares["improved"] == estimate_share(cell.convergence["improved"], rated)
    assert cell.preference == Estimate(None, None, None, 0)
    assert 0 < known(cell.detectable) < 5


def test_messages_over_budget_are_a_share_of_messages() -> None:
    run = judged("seer", per_condition=5)
    turns = [
        episode.with_steps(tuple(turn.model_copy(update={"over_budget": True}) for turn in list_turns(episode)))
        for episode in run.played[:4]
    ]
    long = replace(run, played=(*turns, *run.played[4:]))
    results = Results.from_runs([long])
    played = [episode for episode in long.played if episode.played]
    over = sum(turn.over_budget for episode in played for turn in list_turns(episode))
    cell = results.cell(long.run.run_id, "structural")
    assert cell.amounts["over_budget"].mean == pytest.approx(over / sum(len(list_turns(episode)) for episode in played))
    assert cell.amounts["over_budget"].n == len(played)


@pytest.mark.slow
def test_offline_play_costs_nothing_and_unknown_costs_have_no_mean(tmp_path: Path) -> None:
    run = sample_run(tmp_path / "run", sample_instances(tmp_path / "set"))
    episode = run.episodes()[0]
    run.add_scores([rating_of(episode, list_rendered_turns(episode)[-1], 5)])
    cell = Results.from_runs([run]).cell(run.run.run_id, "eye")
    assert (cell.amounts["cost"].mean, cell.amounts["cost"].n) == (0, 4)
    invented = judged("gpt-5.2")
    assert Results.from_runs([invented]).cell(invented.run.run_id, "structural").amounts["cost"].mean is None


@pytest.mark.slow
def test_many_runs_are_ranked_in_several_processes_as_in_one(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = [judged(name, per_condition=6) for name in ("seer", "gpt-5.2", "qwen3-vl")]
    alone = Results.from_runs(runs).standings
    monkeypatch.setattr(cells, "_MANY", 3)
    monkeypatch.setattr(cells, "active_count", lambda: 1)
    assert Results.from_runs(runs).standings == alone


HERE = Provenance(kind="maintainers", when="2026-01-01T00:00:00+00:00", version="1", manifest="a" * 64)


def rated_episode() -> EpisodeResult:
    """One that was rated at every turn by two judges, and by people."""
    run = invented_run(invented_set(1, ("geometry",)), "seer", "painter", 4.0, 0.5)
    everyone = judged_also(judged_also(run, "eye", 0.5, 0.2), "human", 0.2, 0.2, "a")
    results = Results.from_runs([everyone])
    return max(results.episodes["seer-painter"], key=lambda entry: len(entry.judged))


def test_nobody_vouches_for_a_run_without_provenance() -> None:
    item = rated_episode()
    count = sum(len(judged.trajectory) for judged in item.judged.values())
    assert count_vouched_scores(item, None) == VouchedScores(0, count)
    assert count_vouched_scores(item, None).share == 0


def test_what_the_maintainers_had_judged_is_vouched_for_and_what_people_gave_is_imported() -> None:
    item = rated_episode()
    assert set(item.judged) == {"eye", "human", "structural"}
    rows = count_vouched_scores(item, HERE)
    assert rows.vouched == len(item.judged["eye"].trajectory) + len(item.judged["structural"].trajectory)
    assert rows.scores - rows.vouched == len(item.judged["human"].trajectory) > 0
    assert 0 < known(rows.share) < 1


def test_an_episode_without_scores_has_no_share() -> None:
    run = rated_episode()
    empty = EpisodeResult(run.run_id, run.slug, run.episode, {}, {})
    assert count_vouched_scores(empty, HERE) == VouchedScores(0, 0)
    assert count_vouched_scores(empty, HERE).share is None


VERIFIED = JudgeIdentity(name="verified", label="verified", kind="computed", categories=("geometry",))


def a_set(drawn: bool = True) -> InstanceSet:
    """Geometry with scenes (if it is drawn), photographs without."""
    made = invented_set(3, ("geometry", "photos"))
    scene = Scene(width=9, height=9, elements=()) if drawn else None
    instances = [
        with_scene(instance, scene if instance.category == "geometry" else None) for instance in made.instances
    ]
    return replace(made, instances=Instances.of(instances))


def a_run(instances: InstanceSet, describer: str, *more: str) -> InventedRun:
    """A run rated by structural; by verified, on what it applies to, and by people, if they are named."""
    run = invented_run(instances, describer, "painter", 5, 0.2)
    for judge in more:
        run = judged_also(run, judge, -1, 0.3, "p1" if judge == HUMAN else None)
    photographs = {episode.episode_id for episode in run.played if episode.category == "photos"}
    given = tuple(score for score in run.given if not (score.by == "verified" and score.episode_id in photographs))
    run = replace(run, given=given)
    object.__setattr__(run, "judges", lambda: {"verified": VERIFIED} if "verified" in more else {})
    return run


def results(*judges: str, drawn: bool = True, runs: int = 2) -> Results:
    instances = a_set(drawn)
    return Results.from_runs([a_run(instances, f"seer-{number}", *judges) for number in range(runs)])


@pytest.mark.slow
def test_verified_is_the_headline_wherever_it_rated_even_beside_people() -> None:
    every = results("verified", HUMAN)
    assert sort_judges(every) == ("verified", "human", "structural")
    assert find_headline_judge(every, "geometry", "hard") == "verified"


@pytest.mark.slow
def test_where_there_are_photographs_alone_the_next_judge_is_the_headline_and_the_board_says_so() -> None:
    both = results("verified")
    assert find_headline_judge(both, "photos") == "structural"
    assert "no target here has a scene" in str(describe_headline(both, "photos"))
    board = TABLES["board"].table(both, TableQuestion(category="photos"))
    assert "judged by structural" in board.caption
    assert describe_headline(both, "photos") in board.notes


@pytest.mark.slow
def test_a_board_says_to_how_many_targets_verified_is_applicable() -> None:
    both = results("verified")
    assert "6 of 12 targets" in str(describe_headline(both))
    assert describe_headline(both, "geometry") is None
    run_id = both.submissions[0].run_id
    cell, geometry = both.cell(run_id, "verified"), both.cell(run_id, "verified", "geometry")
    assert cell.applicable == cell.rated == geometry.played < cell.played


@pytest.mark.slow
def test_verified_of_one_pair_in_three_makes_no_board() -> None:
    instances = a_set()
    runs = [a_run(instances, "seer", "verified"), *(a_run(instances, f"other-{number}") for number in range(2))]
    assert find_headline_judge(Results.from_runs(runs)) == "structural"


@pytest.mark.slow
def test_the_long_board_begins_with_the_headline() -> None:
    judges = [value.value for value in leaderboard_table(results("verified")).column("judge")]
    assert (judges[0], judges[-1]) == ("verified", "structural")


def test_halves_of_points_go_up() -> None:
    ratings = {"first": np.array([6.5, 7.5, 0.5]), "human": np.array([2.5, 3.5, 1.5])}
    (crossed,) = cross_tabulate_ratings(SimpleNamespace(judges=ratings))  # type: ignore[arg-type]
    assert crossed.counts == {(7, 3): 1, (8, 4): 1, (1, 2): 1}
