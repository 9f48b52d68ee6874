"""What every two judges give the same renderings."""

from dataclasses import replace

import pytest
from invented import invented_run, invented_set, judged_also

from ircore.games.reconstruction.published.paper_tables import mean_preferences, published_scores
from ircore.results.agreement import rated_similarity
from ircore.results.crossed_ratings import crossed_ratings
from ircore.results.model import Results
from ircore.results.tables.agreement import ratings_table
from ircore.results.tables.published import published_means_table


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
    task = rated_similarity(made.episodes)
    (item,) = (
        rating
        for rating in crossed_ratings(task)
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
    split = (*run.given[:half], *(score.model_copy(update={"judge": "late"}) for score in run.given[half:]))
    assert Results.from_runs([replace(run, given=split)]).raters.crossed == ()


def test_published_means_are_those_of_the_papers_table() -> None:
    table = published_means_table()
    assert table.entry(0, "pair").value == "gpt-5.2 + gemini-3.1"
    assert [round(float(value.value or 0), 2) for value in table.column("gpt")] == [8.09, 7.09, 7.02, 6.69]
    for pair, share in mean_preferences().items():
        known = [
            score.final_preferred
            for score in published_scores()
            if score.pair == pair and score.final_preferred is not None
        ]
        assert share == pytest.approx(sum(known) / len(known))
        assert 0 < share < 1
