"""What pairs get right part by part, from the facts that are kept beside the score of judge verified."""

import json
from pathlib import Path

import pytest
from charts import chart_instances
from samples import sample_run

from ircore.commands.main import run as ircore
from ircore.core.errors import InputError
from ircore.core.fact_records import PARTS, PartShare
from ircore.results.model import Results
from ircore.results.parts import part_results
from ircore.results.tables.hops import by_turn_table, normalised_table
from ircore.results.tables.parts import episode_facts_table, facts_table, parts_table
from ircore.runs.folder import RunFolder
from ircore.scorers.scoring import ScoringPlan, score_runs


@pytest.fixture
def charts_run(tmp_path: Path) -> RunFolder:
    """A run on two bar charts: one block in the colour of the middle, so that most is missing."""
    run = sample_run(tmp_path / "run", chart_instances(tmp_path / "charts"))
    score_runs([run], ScoringPlan(metrics=(), every_turn=True), workers=1)
    return run


def test_a_part_is_the_mean_over_episodes_and_its_facts_are_counted() -> None:
    shares = (PartShare(0.5, 1, 2, 3), PartShare(1.0, 2, 2, 2), PartShare(None, 0, 0, 4))
    text = part_results({"text": share} for share in shares)["text"]
    assert (text.share.mean, text.share.n) == (0.75, 2)
    assert (text.held, text.decided, text.total) == (3, 4, 9)


@pytest.mark.slow
def test_facts_are_counted_by_category_difficulty_and_part(charts_run: RunFolder) -> None:
    table = facts_table(Results.from_runs([charts_run]))
    rows = {
        tuple(table.entry(row, key).value for key in ("category", "difficulty", "part")): table.entry(
            row, "facts"
        ).value
        for row in range(len(table.rows))
    }
    # Two charts with three bars each: presence, value and colour of each bar, and one count of bars a chart.
    assert rows["all", "all", "count"] == 2
    assert rows["bar_graph", "easy", "value"] == 6
    assert {part for _, _, part in rows} == set(PARTS)


@pytest.mark.slow
def test_parts_over_the_turns_end_where_the_table_of_parts_is(charts_run: RunFolder) -> None:
    results = Results.from_runs([charts_run])
    finals = parts_table(results)
    turns, places = by_turn_table(results), normalised_table(results)
    measures = [row.value for row in turns.column("measure")]
    for part in PARTS:
        final = finals.entry(0, part).value
        last = len(measures) - 1 - measures[::-1].index(f"verified.{part}")
        assert turns.entry(last, "latest").value == final
        values = [
            places.entry(row, "value").value
            for row, measure in enumerate(places.column("measure"))
            if measure.value == f"verified.{part}"
        ]
        assert len(values) == 20
        assert values[-1] == final


@pytest.mark.slow
def test_pairs_are_ordered_by_any_part(charts_run: RunFolder) -> None:
    results = Results.from_runs([charts_run])
    table = parts_table(results, order="colour")
    assert "Ordered by colour" in table.caption
    assert [column.key for column in table.columns][-7:] == list(PARTS)
    with pytest.raises(InputError, match="no part is called 'colours'"):
        parts_table(results, order="colours")


@pytest.mark.slow
def test_the_facts_of_an_episode_stand_turn_by_turn(charts_run: RunFolder, capsys: pytest.CaptureFixture[str]) -> None:
    table = episode_facts_table(Results.from_runs([charts_run]), "pets")
    turns = [int(value.value or 0) for value in table.column("turn")]
    assert turns == sorted(turns)
    assert set(turns) == {1, 2}
    assert 'The bar for "Dogs" shows the value 80.' in {value.value for value in table.column("sentence")}
    assert ircore(["results", str(charts_run.path), "--table", "facts", "--episode", "pets", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["rows"]) == len(turns)
