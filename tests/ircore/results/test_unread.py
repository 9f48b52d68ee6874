"""Facts that could not be told: an interval beside every score, and no rank while labels are unread that weigh much."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from charts import chart_instances
from hand_made import HandMadeRun, hand_made_run
from invented import invented_set
from samples import sample_run

from ircore.commands.main import run as ircore
from ircore.core.errors import InputError
from ircore.core.score_records import PARTS, JudgeIdentity, PartShare, Score
from ircore.results.fact_shares import estimate_parts
from ircore.results.model import Results
from ircore.results.tables.board import board_table, leaderboard_table
from ircore.results.tables.facts import episode_facts_table, facts_table, parts_table
from ircore.results.tables.pairs import list_remedies
from ircore.results.tables.turns import by_turn_table, normalised_table
from ircore.runs.folder import RunFolder
from ircore.scorers.scoring import ScoringPlan, score_runs
from ircore.scorers.verification import judge as verified
from ircore.scorers.verification.score import VERSION

SET = invented_set(1)  # 14 instances


def run(slug: str, undecided: float, unread: bool, low: float = 5.0, high: float = 9.0) -> HandMadeRun:
    """A run whose every rendering is rated 7, with an interval."""
    eye = JudgeIdentity(name="eye", label="Eye", kind="computed")
    made = hand_made_run(slug, SET, [7.0] * len(SET.instances), judge=eye)
    doubt = {"low": low, "high": high, "undecided": undecided, "unread": unread}
    object.__setattr__(made, "given", tuple(score.model_copy(update=doubt) for score in made.scores()))
    return made


@pytest.mark.parametrize(
    ("undecided", "unread", "unranked"),
    [(0.05, True, None), (0.051, True, "unread"), (0.4, True, "unread"), (0.4, False, None), (0.0, True, None)],
)
def test_a_run_has_no_rank_while_its_labels_are_unread_and_weigh_too_much(
    undecided: float, unread: bool, unranked: str | None
) -> None:
    results = Results.from_runs([run("foggy", undecided, unread), run("clear", 0.0, unread=False)])
    ranks = {row.submission.slug: row.rank_low for row in results.board("eye")}
    assert ranks == {"clear": 1, "foggy": 1 if unranked is None else None}
    cell = results.cell("foggy", "eye")
    assert cell.unranked == unranked
    assert cell.score.mean == 7  # its numbers stay


def test_the_row_says_why_and_what_to_do() -> None:
    results = Results.from_runs([run("foggy", 0.223, unread=True), run("clear", 0.0, unread=False, low=7, high=7)])
    cell = results.cell("foggy", "eye")
    assert cell.unranked_words == "labels were not read, so 22 % of the facts are open, 5 % may be"
    assert list_remedies(["unread"]) == [
        "Install what reads labels (make ocr, or pip install 'ircore[ocr]') and run ircore score again."
    ]
    table = board_table(results, "eye")
    entries = {row[0].value: row for row in table.rows}
    keys = [column.key for column in table.columns]
    foggy, clear = entries["foggy"], entries["clear"]
    assert foggy[keys.index("score_range")].value == "5.00–9.00 (22 % open)"
    assert clear[keys.index("score_range")].missing == "every fact could be told"
    assert [foggy[keys.index(key)].value for key in ("lowest", "highest", "undecided", "unread")] == [
        5.0, 9.0, pytest.approx(0.223), 1,
    ]  # fmt: skip
    assert foggy[keys.index("unranked")].value == "unread"
    assert "no rank: labels were not read" in str(foggy[keys.index("rank")].missing)
    assert any("make ocr" in note for note in table.notes)


def test_where_every_fact_is_told_a_board_has_no_column_of_dashes() -> None:
    results = Results.from_runs([run("clear", 0.0, unread=False, low=7, high=7)])
    assert "score_range" not in [column.key for column in board_table(results, "eye").columns]
    assert "lowest" in [column.key for column in leaderboard_table(results).columns]


@pytest.mark.parametrize(
    "fields",
    [
        {"low": 3.0}, {"high": 9.0}, {"low": 8.0, "high": 9.0}, {"low": 1.0, "high": 6.9}, {"undecided": 1.5},
        {"measure": "preference", "value": 1.0, "low": 1.0, "high": 1.0},
        {"value": None, "reason": "no", "low": 1, "high": 2},
    ],
)  # fmt: skip
def test_an_interval_holds_its_value_and_belongs_to_a_rating(fields: dict[str, object]) -> None:
    about = {"episode_id": "a", "step": 1, "measure": "similarity", "by": "eye", "value": 7.0, "rendering": "a" * 64}
    with pytest.raises(ValueError, match=r"low|undecided"):
        Score.model_validate(about | fields)


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch) -> Callable[[str | None], None]:
    """Let the judge say that texts are read by somebody; None for nobody."""
    # The real recogniser is an extra that need not be installed; what it reads is tested elsewhere.
    return lambda name: monkeypatch.setattr(verified, "describe_recogniser", lambda: name)


@pytest.mark.slow
def test_a_run_scored_without_a_reader_is_scored_anew_with_one_and_never_the_other_way_round(
    tmp_path: Path, reader: Callable[[str | None], None], capsys: pytest.CaptureFixture[str]
) -> None:
    made = sample_run(tmp_path / "run", chart_instances(tmp_path / "charts"))
    plan = ScoringPlan(("verified",), metrics=())
    reader(None)
    first = score_runs([made], plan, workers=1)
    assert made.judges()["verified"].version == f"{VERSION}, texts unread"
    assert score_runs([RunFolder(made.path)], plan, workers=1).new == 0
    reader("a reader 1")
    again = score_runs([RunFolder(made.path)], plan, workers=1)
    assert again.new == first.new > 0
    assert RunFolder(made.path).judges()["verified"].version == f"{VERSION}, texts read by a reader 1"
    assert score_runs([RunFolder(made.path)], plan, workers=1).new == 0
    reader(None)
    assert ircore(["score", str(made.path), "--judge", "verified"]) == 2
    assert "the judge verified of this run is another one" in capsys.readouterr().err


def test_boards_never_mix_judges_that_read_with_judges_that_do_not() -> None:
    versions = ("7, texts read by a reader 1", "7, texts unread")
    eyes = (JudgeIdentity(name="eye", label="E", kind="computed", version=version) for version in versions)
    read, unread = (hand_made_run(slug, SET, [7.0] * 14, judge=eye) for slug, eye in zip("ab", eyes, strict=True))
    with pytest.raises(InputError, match="judge eye is not the same"):
        Results.from_runs([read, unread])


@pytest.fixture
def charts_run(tmp_path: Path) -> RunFolder:
    """A run on two bar charts: one block in the colour of the middle, so that most is missing."""
    run = sample_run(tmp_path / "run", chart_instances(tmp_path / "charts"))
    score_runs([run], ScoringPlan(metrics=(), every_turn=True), workers=1)
    return run


def test_a_part_is_the_mean_over_episodes_and_its_facts_are_counted() -> None:
    shares = (PartShare(0.5, 1, 2, 3), PartShare(1.0, 2, 2, 2), PartShare(None, 0, 0, 4))
    text = estimate_parts({"text": share} for share in shares)["text"]
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
