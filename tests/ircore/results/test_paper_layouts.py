"""Tables in the paper's layouts: Table 3 as one grid, outcomes pooled over judges, bars of one standard error."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from invented import InventedRun, invented_run, invented_set, preferring
from samples import rating_of, sample_instances

from ircore.commands.main import run as ircore
from ircore.games.reconstruction.records import list_rendered_turns
from ircore.results.model import Results
from ircore.results.statistics.intervals import estimate_clustered_share
from ircore.results.tables.catalogue import Question, find_table_entry
from ircore.results.tables.intervals import use_standard_errors
from ircore.results.tables.model import Table

INSTANCES = invented_set(1, ("geometry",))


def rated(run: InventedRun, scores: dict[str, dict[str, tuple[float, ...]]]) -> InventedRun:
    """The same run with these scores by judge and episode, one a rendering: the first, then the final."""
    given = [
        rating_of(episode, turn, value, judge)
        for judge, by_episode in scores.items()
        for episode in run.played
        for value, turn in zip(
            by_episode[episode.episode_id],
            [list_rendered_turns(episode)[0], *list_rendered_turns(episode)[1:][-1:]],
            strict=False,
        )
        if turn.rendering is not None
    ]
    return replace(run, given=tuple(given))


@pytest.fixture
def results() -> Results:
    """Results of one pair that played easy and hard geometry, each in several turns."""
    runs = (invented_run(INSTANCES, "seer", "painter", skill, 0.3) for skill in range(3, 9))
    run = next(
        run for run in runs if all(len(list_rendered_turns(episode)) > 1 and episode.played for episode in run.played)
    )
    scores: dict[str, dict[str, tuple[float, ...]]] = {
        "structural": {"geometry-easy-01": (4.0, 6.0), "geometry-hard-01": (5.0, 5.0)},
        "gpt": {"geometry-easy-01": (4.0, 7.0), "geometry-hard-01": (5.0, 3.0)},
        "claude": {"geometry-easy-01": (6.0, 8.0), "geometry-hard-01": (5.0, 4.0)},
    }
    return Results.from_runs([rated(run, scores)])


def table(results: Results, name: str, judge: str | None = None) -> Table:
    return find_table_entry(name).table(results, Question(judge=judge))


def test_conditions_are_one_grid_of_pair_category_difficulty_and_judge(results: Results) -> None:
    grid = table(results, "conditions")
    assert [value.value for value in grid.column("difficulty")] == ["easy", "hard"]
    assert [value.value for value in grid.column("gpt")] == [7.0, 3.0]
    assert [value.value for value in grid.column("claude")] == [8.0, 4.0]


def test_who_only_compares_has_a_share_and_no_score() -> None:
    run = preferring(invented_run(invented_set(6, ("geometry",)), "seer", "painter", 5, 0.3))
    lipsim = [score.model_copy(update={"by": "lipsim"}) for score in run.given if score.task == "preference"]
    grid = table(Results.from_runs([replace(run, given=(*run.given, *lipsim))]), "conditions")
    keys = [column.key for column in grid.columns]
    assert "lipsim" not in keys
    ended = {episode.episode_id for episode in run.played if episode.played and episode.difficulty == "easy"}
    preferred = [score.value or 0.0 for score in lipsim if score.episode_id in ended]
    assert grid.entry(0, "lipsim_preferred").value == pytest.approx(sum(preferred) / len(preferred))


def test_outcomes_pool_the_judges_that_are_models(results: Results) -> None:
    # gpt and claude: both see easy improve and hard regress; structural, a formula, is left out.
    pooled = table(results, "outcomes_pooled")
    assert [pooled.entry(0, key).value for key in ("improved", "stable", "regressed", "ratings")] == [0.5, 0, 0.5, 4]
    assert "gpt" in pooled.notes[0]
    assert "structural" not in pooled.notes[0]
    # Two pictures stand behind four ratings.
    assert pooled.entry(0, "improved").n == 2


def test_pooled_intervals_do_not_take_judges_of_one_picture_as_independent() -> None:
    run = invented_run(invented_set(12, ("geometry",)), "seer", "painter", 5, 0.3, judge="gpt")
    for judge in ("claude", "qwen3"):
        # The same ratings again: three judges that always agree are worth one.
        run = replace(
            run, given=(*run.given, *(s.model_copy(update={"by": judge}) for s in run.given if s.by == "gpt"))
        )
    results = Results.from_runs([run])
    pooled, alone = table(results, "outcomes_pooled"), table(results, "outcomes", "gpt")
    improved = pooled.entry(0, "improved")
    assert improved.value == pytest.approx(alone.entry(0, "improved").value)
    assert pooled.entry(0, "ratings").value == 3 * (alone.entry(0, "improved").n or 0)
    outcomes = [result.judged["gpt"].convergence for result in results.episodes[run.run.run_id] if result.judged]
    hits = [3 * (outcome == "improved") for outcome in outcomes]
    expected = estimate_clustered_share(hits, [3] * len(hits))
    assert (improved.low, improved.high) == pytest.approx((expected.low, expected.high))


def test_a_standard_error_is_the_deviation_over_the_root_of_n(results: Results) -> None:
    # Final scores 7 and 3: mean 5, s = √8, s / √2 = 2. ΔQ 3 and −2: mean 0.5, s = 5 / √2, s / √2 = 2.5.
    board = use_standard_errors(table(results, "board", "gpt"), results)
    score, delta = board.entry(0, "score"), board.entry(0, "delta")
    assert (score.value, score.low, score.high) == pytest.approx((5.0, 3.0, 7.0))
    assert (delta.value, delta.low, delta.high) == pytest.approx((0.5, -2.0, 3.0))
    # A main score is no mean of one number an episode, so it has no bar.
    assert board.entry(0, "main_score").low is None
    assert score.marks[-1] == "sem"
    assert "one standard error" in board.marks["sem"]
    assert not any("half the 95 %" in note for note in board.notes)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A scored run of a built-in pair, as a folder."""
    folder = tmp_path_factory.mktemp("paper")
    instances = sample_instances(folder / "set", per_condition=2)
    out = folder / "run"
    assert ircore(["play", "classical+sketch", "--instances", str(instances.folder), "--out", str(out)]) == 0
    assert ircore(["score", str(out), "--judge", "structural"]) == 0
    return out


@pytest.mark.slow
def test_the_lexicon_and_the_bars_are_chosen_on_the_command_line(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ircore(["results", str(run), "--table", "corrections", "--lexicon", "paper", "--json"])
    assert "lexicon paper " in json.loads(capsys.readouterr().out)["notes"][1]
    ircore(["results", str(run), "--table", "corrections", "--json"])
    assert "lexicon built-in " in json.loads(capsys.readouterr().out)["notes"][1]
    ircore(["results", str(run), "--judge", "structural", "--bars", "sem", "--json"])
    document = json.loads(capsys.readouterr().out)
    assert "one standard error" in document["marks"]["sem"]
    ircore(["results", str(run), "--table", "paper", "--judge", "structural", "--json"])
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert {row["here"] for row in rows} <= {"holds", "exceptions", "does not hold", "open", "no data"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--lexicon", "paper"), "--lexicon goes with --table corrections, corrections_by_turn or words"),
        (("--lexicon", "mine", "--table", "words"), "'mine' is not one of 'built-in', 'paper'"),
        (("--bars", "sem", "--format", "csv"), "--bars sem goes with text, json, markdown and latex, not with csv"),
        (("--bars", "sem", "--table", "targets"), "the table targets has no means of episodes"),
        (("--bars", "sem", "--out", "new"), "--bars sem goes with one --table, not with --out"),
    ],
)
def test_options_that_do_not_fit_are_refused_in_a_line(
    run: Path, options: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ircore(["results", str(run), "--judge", "structural", *options]) == 2
    assert said in capsys.readouterr().err
