"""Which judge a board is ordered by when nobody names one, and what is said of judge verified beside it."""

from dataclasses import replace

import pytest
from invented import InventedRun, invented_run, invented_set, judged_also
from target_instances import with_scene

from ircore.core.records import Scene
from ircore.core.score_records import HUMAN, JudgeIdentity
from ircore.instances.records import Instances
from ircore.instances.store import InstanceSet
from ircore.results.headline import describe_headline, find_headline_judge, sort_judges
from ircore.results.model import Results
from ircore.results.tables.board import leaderboard_table
from ircore.results.tables.catalogue import TABLES, Question

pytestmark = pytest.mark.slow

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


def test_verified_is_the_headline_wherever_it_rated_even_beside_people() -> None:
    every = results("verified", HUMAN)
    assert sort_judges(every) == ("verified", "human", "structural")
    assert find_headline_judge(every, "geometry", "hard") == "verified"


def test_where_there_are_photographs_alone_the_next_judge_is_the_headline_and_the_board_says_so() -> None:
    both = results("verified")
    assert find_headline_judge(both, "photos") == "structural"
    assert "no target here has a scene" in str(describe_headline(both, "photos"))
    board = TABLES["board"].table(both, Question(category="photos"))
    assert "judged by structural" in board.caption
    assert describe_headline(both, "photos") in board.notes


def test_a_board_says_to_how_many_targets_verified_is_applicable() -> None:
    both = results("verified")
    assert "6 of 12 targets" in str(describe_headline(both))
    assert describe_headline(both, "geometry") is None
    run_id = both.submissions[0].run_id
    cell, geometry = both.cell(run_id, "verified"), both.cell(run_id, "verified", "geometry")
    assert cell.applicable == cell.rated == geometry.played < cell.played


def test_verified_of_one_pair_in_three_makes_no_board() -> None:
    instances = a_set()
    runs = [a_run(instances, "seer", "verified"), *(a_run(instances, f"other-{number}") for number in range(2))]
    assert find_headline_judge(Results.from_runs(runs)) == "structural"


def test_the_long_board_begins_with_the_headline() -> None:
    judges = [value.value for value in leaderboard_table(results("verified")).column("judge")]
    assert (judges[0], judges[-1]) == ("verified", "structural")
