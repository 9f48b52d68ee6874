"""Measures that judges and people give: a column for each judge, means over annotators, nothing where nobody rated."""

from rated_games import ONE, Drawing, drawn_run, rendering

from ircore.core.score_records import HUMAN, Score
from ircore.games.declarations import declaration_faults
from ircore.results.games import GameResults
from ircore.results.judged_measures import LONGEST_KEY, JudgedMeasures


def rating(step: int, value: float | None, judge: str = "gpt", annotator: str | None = None, of: int = 0) -> Score:
    return Score(
        episode_id=ONE, turn=step, task="similarity", judge=judge, value=value, annotator=annotator,
        reason=None if value is not None else "judge_refused: no", rendering=rendering(of or step).sha256,
    )  # fmt: skip


def person(step: int, value: float, annotator: str) -> Score:
    return rating(step, value, HUMAN, annotator)


def means(*given: Score, steps: int = 2) -> dict[str, float | None]:
    """Return the means of the measures that somebody gave, by key."""
    run = drawn_run(*given, steps=steps)
    results = GameResults.from_runs(Drawing(), [run])
    measures = results.cell(run.run.run_id).measures
    return {key: estimate.mean for key, estimate in measures.items() if key != "points"}


def test_declarations_with_measures_of_judges_and_people_are_sound() -> None:
    assert declaration_faults(Drawing()) == ()


def test_without_ratings_a_board_has_no_column_of_a_judge() -> None:
    results = GameResults.from_runs(Drawing(), [drawn_run()])
    assert [measure.key for measure in results.shown] == ["points"]
    assert (results.game.pages.figures, results.game.pages.curves) == ((), ())


def test_each_judge_has_columns_of_its_own() -> None:
    given = (rating(1, 2.0), rating(2, 8.0), rating(1, 1.0, "eye"), rating(2, 3.0, "eye"))
    assert means(*given) == {
        "judged_eye": 2.0, "judged_gpt": 5.0, "final_judged_eye": 3.0, "final_judged_gpt": 8.0
    }  # fmt: skip
    results = GameResults.from_runs(Drawing(), [drawn_run(*given)])
    assert [measure.title for measure in results.shown] == ["Points", "Judged, last: eye", "Judged, last: gpt"]
    assert [curve.measure for curve in results.game.pages.curves] == ["judged_eye", "judged_gpt"]
    # The class keeps what it declared.
    assert [measure.key for measure in Drawing.measures] == ["points", "judged", "final_judged", "final_rated"]


def test_people_count_by_their_mean_of_a_picture() -> None:
    """The last picture has 9 and 6 by two people; the first one is in no measure that people give."""
    assert means(person(1, 0.0, "anna"), person(2, 9.0, "anna"), person(2, 6.0, "ben")) == {"final_rated": 7.5}


def test_a_measure_per_step_is_of_episodes_of_which_every_picture_was_rated() -> None:
    assert means(rating(1, 2.0), rating(3, 8.0), steps=3) == {"judged_gpt": None, "final_judged_gpt": 8.0}
    rated = (rating(1, 2.0), rating(2, None), rating(3, 8.0))
    assert means(*rated, steps=3) == {"judged_gpt": 5.0, "final_judged_gpt": 8.0}


def test_what_was_refused_is_empty_and_never_zero() -> None:
    assert means(rating(1, None), rating(2, None)) == {"judged_gpt": None, "final_judged_gpt": None}
    run = drawn_run(rating(2, None))
    (value,) = JudgedMeasures(Drawing(), {"gpt": "GPT"}).values(run.instances, run.ended, run.given)
    assert (value.measure, value.value, value.reason) == ("final_judged_gpt", None, "judge_refused: no")


def test_a_later_rating_counts_and_one_of_a_picture_that_was_drawn_anew_does_not() -> None:
    assert means(rating(2, 1.0), rating(2, 4.0))["final_judged_gpt"] == 4.0
    assert means(rating(2, 4.0), rating(2, 9.0, of=7))["final_judged_gpt"] == 4.0


def test_keys_of_judges_with_like_names_are_apart_and_short() -> None:
    judged = JudgedMeasures(Drawing(), {"a-b": "one", "a.b": "two", "x" * 90: "three"})
    keys = [measure.key for measure in judged.game.measures if measure.key.startswith("final_judged")]
    assert keys == ["final_judged_a_b", "final_judged_a_b_2", f"final_judged_{'x' * 90}"[:LONGEST_KEY]]
    assert declaration_faults(judged.game) == ()
