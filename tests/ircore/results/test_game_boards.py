"""Boards of games other than reconstruction follow the rules of the reconstruction boards: they share their code."""

import json
import os
import re
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, cast

import pytest
from documented_blocks import read_blocks
from invented_games import GUESSER, Erring, Guessing, guessed, guessing_set
from known_values import known
from rated_games import ONE, Drawing, drawn_run, rendering
from recorded_reference import MANIFEST, write_recorded_game
from shared_folders import ROOT

from ircore.commands.main import run as ircore
from ircore.core.records import GameRules, PlayerSpec
from ircore.core.score_records import HUMAN, Score
from ircore.core.submission_records import Submission
from ircore.games.base import Curve, Measure, Pages
from ircore.games.conversation.game import ConversationGame
from ircore.games.declarations import NOT_NEGATIVE
from ircore.games.reference.game import PUBLISHED, ReferenceGame
from ircore.games.reference.icca import import_icca
from ircore.games.registry import find_declaration_faults
from ircore.instances.requests import ImportRequest
from ircore.results.curves import SteppedEpisode, compute_curve_points, list_recorded_episodes, run_episodes
from ircore.results.judged_measures import LONGEST_KEY, JudgedMeasures
from ircore.results.model import Results
from ircore.results.subsets import list_board_rows
from ircore.results.tables.board import board_table, leaderboard_table
from ircore.results.tables.catalogue import TableQuestion, find_tables
from ircore.results.tables.formats import Format, render
from ircore.results.tables.game_curves import list_stepped_tables, players_table
from ircore.results.tables.model import Table
from ircore.results.tables.variance import variance_table
from ircore.runs.folder import RunFolder

TEN = guessing_set(5)  # 20 instances: five of each condition
PAIRS = [("one", 9.0), ("two", 1.0)]
FILES: tuple[Format, ...] = ("markdown", "latex")
SPREAD = [4.0, 5.0, 6.0, 5.0]


def board_of(outcomes: Results) -> Table:
    return board_table(outcomes, outcomes.game.headline.key)


def results(*runs: object) -> Results:
    return Results.from_runs(game=Guessing(), runs=runs)  # type: ignore[arg-type]


def test_people_see_the_condition_of_each_of_many_boards() -> None:
    run = guessed("one", TEN, SPREAD * 5)
    lines = render(leaderboard_table(results(run)), "text").splitlines()
    assert lines[0].split()[:4] == ["Category", "Difficulty", "Judge", "rank"]
    conditions = [line.split()[:3] for line in lines[2:5]]
    assert conditions == [["all", "all", "points"], ["all", "easy", "points"], ["all", "hard", "points"]]
    assert "Category" not in render(board_of(results(run)), "text")


def test_the_luck_of_a_single_run_is_told_once() -> None:
    alone, two = (
        variance_table(results(*(guessed(name, TEN, SPREAD * 5) for name in names)), "points")
        for names in (("one",), ("one", "two"))
    )
    sources = ["picture", "picture and pair", "luck of play"]
    assert [value.value for value in alone.column("source")] == sources
    assert [value.value for value in two.column("source")] == [*sources, "luck of play", "luck of play"]


def test_the_page_on_pages_of_a_game_shows_figures_and_a_table_that_work() -> None:
    code: dict[str, Any] = {}
    for block in read_blocks((ROOT / "docs" / "game-pages.md").read_text("utf-8")):
        if block.language == "python":
            exec(compile(block.text, f"docs/game-pages.md, line {block.line}", "exec"), code)
    assert [figure.place for figure in code["published"]] == [0, 1, 2]
    table = code["correct_table"](results(guessed("low", TEN, SPREAD * 5), guessed("high", TEN, [9.0] * 20)))
    assert [(name.value, correct.value) for name, correct in table.rows] == [("high", 9.0), ("low", 5.0)]


def test_ranks_are_ranges_that_paired_comparisons_allow() -> None:
    low, close = (
        [float(value) for value in SPREAD * 5],
        [value + 0.01 * (-1) ** at for at, value in enumerate(SPREAD * 5)],
    )
    board = results(guessed("low", TEN, low), guessed("close", TEN, close), guessed("high", TEN, [9.0] * 20)).board()
    ranks = {row.submission.run.slug: (row.rank_low, row.rank_high) for row in board}
    # Nobody can tell a difference of 0.01 that changes its sign; everybody can tell 4 points of 10.
    assert ranks == {"high": (1, 1), "low": (2, 3), "close": (2, 3)}
    assert [row.top for row in board] == [True, False, False]


def test_the_main_score_counts_what_was_aborted_as_the_worst_and_the_headline_leaves_it_out() -> None:
    values = [8.0] * 15 + ["rule_broken"] * 5
    outcomes = results(guessed("pair", TEN, values))
    (row,) = outcomes.board()
    assert outcomes.mean(row.submission.run_id, "points").mean == pytest.approx(8.0)
    assert row.cell.main.mean == pytest.approx(80 * 15 / 20)
    assert (row.cell.played, row.cell.episodes) == (15, 20)


def test_where_less_is_better_the_best_has_the_fewest() -> None:
    runs = [guessed(name, TEN, [errors] * 20, measure="errors") for name, errors in (("many", 7.0), ("few", 1.0))]
    results = Results.from_runs(game=Erring(), runs=runs)
    assert [(row.submission.run.slug, row.rank_low) for row in results.board()] == [("few", 1), ("many", 2)]
    assert [row.cell.main.mean for row in results.board()] == pytest.approx([90.0, 30.0])
    players = players_table(results).column("player")
    assert [str(value.value).partition("-")[0] for value in players] == ["few", "many"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ([5.0] * 19, "incomplete: 1 of 20 episodes have no result yet"),
        ([5.0] * 19 + ["provider_error"], "incomplete: 1 of 20 episodes have no result yet"),
        ([5.0] * 17 + [None] * 3, "only 17 of 20 played episodes have a value, 90 % are needed"),
    ],
)
def test_a_run_without_all_results_has_no_rank_and_the_board_says_why(values: list[float | None], reason: str) -> None:
    outcomes = results(guessed("whole", TEN, [5.0] * 20), guessed("gaps", TEN, values))
    ranks = {row.submission.run.slug: row.rank_low for row in outcomes.board()}
    assert ranks == {"whole": 1, "gaps": None}
    assert board_of(outcomes).entry(1, "rank").missing == f"no rank: {reason}"


def test_a_reference_stands_on_the_board_without_a_rank_and_takes_none_from_others() -> None:
    floor = guessed("floor", TEN, [9.5] * 20, reference=True)
    outcomes = results(guessed("good", TEN, [9.0] * 20), floor, guessed("poor", TEN, [1.0] * 20))
    board = [(row.submission.run.slug, row.rank_low, row.top) for row in list_board_rows(outcomes)]
    assert board == [("good", 1, True), ("poor", 2, False), ("floor", None, False)]
    table = board_of(outcomes)
    assert table.entry(2, "rank").missing == "no rank: a reference, shown as a ceiling or floor"
    assert table.entry(2, "unranked").value == "reference"


@pytest.mark.slow
def test_a_board_of_several_rules_says_by_which_of_them_pairs_are_told_apart() -> None:
    pairs = [(name, [value + step % 3 for step in range(20)]) for name, value in (("one", 5.0), ("two", 1.0))]
    runs = [guessed(name, TEN, values, rules) for rules in ({}, {"rounds": 3}) for name, values in pairs]
    said = board_of(results(*runs)).caption
    assert "Under the default rules two pairs whose main scores differ by" in said
    assert "Under rounds: 3 two pairs whose main scores differ by" in said
    assert "By its rule" not in said


@pytest.mark.slow
def test_where_rules_differ_a_board_says_each_set_of_rules_once_above_its_runs() -> None:
    usual = [guessed(name, TEN, [points] * 20, rules={"rounds": 2, "hints": True}) for name, points in PAIRS]
    longer = guessed("one", TEN, [5.0] * 20, rules={"rounds": 3, "hints": True, "loud": False})
    table = board_of(results(*usual, longer))
    assert [value.value for value in table.column("pair")] == ["one-model", "two-model", "one-model"]
    assert [value.value for value in table.column("rules")] == [
        "hints=true,rounds=2", "hints=true,rounds=2", "hints=true,loud=false,rounds=3"
    ]  # fmt: skip
    assert "Ranks are among the pairs under the same rules." in table.caption
    assert "under the same rules" not in board_of(results(*usual)).caption
    # At a terminal that is wide, at one that is too narrow for a row, and in files for people.
    said = ("With rounds: 2", "one-model", "two-model", "With loud off, rounds: 3", "one-model")
    for text in (*(render(table, "text", columns=width) for width in (None, 30)), *map(partial(render, table), FILES)):
        assert tuple(re.findall(r"With [a-z ,]+: \d|\w+-model", text)) == said


class Alone(Guessing):
    """A game of three seats, of which the rules leave one empty."""

    seats = tuple(replace(GUESSER, name=name) for name in ("thinker", "drawer", "reader"))


def test_one_player_in_several_seats_is_named_once() -> None:
    run = guessed("solo", TEN, [5.0] * 20)
    player = PlayerSpec(player="openai", model="editor-model")
    fields = {"name": "editor", "drawer": player, "reader": player}
    submission = Submission.model_validate({"schema": 1, "game": "guessing", "licence": "CC0-1.0", **fields})
    solo: Any = replace(run, run=run.run.model_copy(update={"submission": submission}))
    table = board_of(Results.from_runs(game=Alone(), runs=[solo]))
    assert table.entry(0, "pair").value == "editor"


def test_runs_go_by_the_names_of_submissions_where_any_has_more_than_two_players() -> None:
    def play(name: str, rounds: int, *seats: str) -> Any:
        run = guessed(name, TEN, [5.0] * 20, {"rounds": rounds})
        players = {seat: PlayerSpec(player="openai", model=f"{seat}-model") for seat in seats}
        stated = {"schema": 1, "game": "guessing", "licence": "CC0-1.0", "name": f"team {name}", **players}
        return replace(run, run=run.run.model_copy(update={"submission": Submission.model_validate(stated)}))

    whole, part = play("whole", 2, "thinker", "drawer", "reader"), play("part", 3, "thinker", "drawer")
    alone = "thinker-model + drawer-model (rounds: 3)"
    for runs, names in (([whole, part], {"team whole", "team part"}), ([part], {alone})):
        table = board_of(Results.from_runs(game=Alone(), runs=runs))
        assert {entry.value for entry in table.column("pair")} == names


class Told(GameRules):
    """Rules of a game that has columns of them."""

    hints: bool = False


class Telling(Guessing):
    """The same game, whose boards have a column of a rule in files."""

    rules = Told
    pages = Pages(rules=("hints",))


def test_a_game_may_have_columns_of_its_rules() -> None:
    runs = [guessed("one", TEN, [9.0] * 20), guessed("two", TEN, [1.0] * 20, rules={"hints": True})]
    table = board_of(Results.from_runs(game=Telling(), runs=runs))
    # The first run states no rules, as one of before the rule was added.
    named = zip(table.column("submission"), table.column("hints"), strict=True)
    assert {name.value: hints.value for name, hints in named} == {"one": False, "two": True}
    unknown = type("Unknown", (Telling,), {"pages": Pages(rules=("hint",), columns=("word",), figures=("word",))})
    assert find_declaration_faults(unknown()) == (
        "pages name the measure word, which is not declared", "pages name the rule hint, which is not declared"
    )  # fmt: skip


class Comparing(Guessing):
    """A game in which some episodes have a first number, others a second one."""

    measures = (
        Measure("points", "Points", "points", (0, 10)),
        Measure("first", "First", range=(0, 1)),
        Measure("second", "Second", range=(0, 1)),
        Measure("gap", "Gap", range=(-1, 1), needs="means", difference=("first", "second")),
    )
    pages = Pages(columns=("gap",))


def test_a_difference_is_that_of_the_means_over_different_episodes() -> None:
    played = guessed("pair", TEN, [5.0] * 20)
    shares = [("first", 1.0), ("first", 0.5), ("second", 0.25), ("second", 0.25)] * 5
    values = tuple(
        Score(episode_id=episode.episode_id, measure=measure, by="guessing", value=value)
        for episode, (measure, value) in zip(played.episodes(), shares, strict=True)
    )
    run = replace(played, given=(*played.given, *values))
    gap = Results.from_runs(game=Comparing(), runs=[run]).mean(run.run.run_id, "gap")
    assert gap.mean == pytest.approx(0.75 - 0.25)
    assert -1 <= known(gap.low) < 0.5 < known(gap.high) <= 1


@pytest.mark.parametrize(("measured_range", "low"), [(NOT_NEGATIVE, 0.0), (None, 8 - 18.91)])
def test_the_interval_of_a_length_does_not_reach_below_nothing(
    measured_range: tuple[float, float] | None, low: float
) -> None:
    """0, 0, 0 and 32 have a mean of 8 and a standard error of 8; Student's quantile of three degrees is 3.182.

    Their third central moment over their variance is 3072 / 192 = 16, which takes away from the lower half: it solves
    d² = 25.46² − 3.8415 / 4 · 16 · d.
    """

    class Counting(Guessing):
        measures = (*Guessing.measures[:1], Measure("words", "Words", range=measured_range, direction="lower"))

    few = guessing_set(1)
    run = guessed("pair", few, [5.0] * 4)
    words = tuple(
        Score(episode_id=instance.instance_id, measure="words", by="guessing", value=value)
        for instance, value in zip(few.instances, (0.0, 0.0, 0.0, 32.0), strict=True)
    )
    counted = Results.from_runs(game=Counting(), runs=[replace(run, given=(*run.given, *words))])
    mean = counted.mean(run.run.run_id, "words")
    assert mean.mean == 8
    assert mean.low == pytest.approx(low, abs=0.01)


def rating(step: int, value: float | None, judge: str = "gpt", annotator: str | None = None, of: int = 0) -> Score:
    return Score(
        episode_id=ONE, step=step, measure="similarity", by=judge, value=value, annotator=annotator,
        reason=None if value is not None else "judge_refused: no", rendering=rendering(of or step).sha256,
    )  # fmt: skip


def person(step: int, value: float, annotator: str) -> Score:
    return rating(step, value, HUMAN, annotator)


def means(*given: Score, steps: int = 2) -> dict[str, float | None]:
    """Return the means of the measures that somebody gave, by key."""
    run = drawn_run(*given, steps=steps)
    results = Results.from_runs(game=Drawing(), runs=[run])
    keys = [measure.key for measure in results.game.measures if measure.key != "points"]
    return {key: results.mean(run.run.run_id, key).mean for key in keys}


def test_without_ratings_a_board_has_no_column_of_a_judge() -> None:
    results = Results.from_runs(game=Drawing(), runs=[drawn_run()])
    assert [measure.key for measure in results.shown] == ["points"]
    assert (results.game.pages.figures, results.game.pages.curves) == ((), ())


def test_each_judge_has_columns_of_its_own() -> None:
    given = (rating(1, 2.0), rating(2, 8.0), rating(1, 1.0, "eye"), rating(2, 3.0, "eye"))
    assert means(*given) == {
        "judged_eye": 2.0, "judged_gpt": 5.0, "final_judged_eye": 3.0, "final_judged_gpt": 8.0
    }  # fmt: skip
    results = Results.from_runs(game=Drawing(), runs=[drawn_run(*given)])
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
    (value,) = JudgedMeasures(Drawing(), {"gpt": "GPT"}).values(run.instances, run.played, run.given)
    assert (value.measure, value.value, value.reason) == ("final_judged_gpt", None, "judge_refused: no")


def test_a_later_rating_counts_and_one_of_a_picture_that_was_drawn_anew_does_not() -> None:
    assert means(rating(2, 1.0), rating(2, 4.0))["final_judged_gpt"] == 4.0
    assert means(rating(2, 4.0), rating(2, 9.0, of=7))["final_judged_gpt"] == 4.0


def test_a_column_of_a_judge_stays_that_judges_when_one_of_a_like_name_comes() -> None:
    def keys(*judges: str) -> dict[str, str]:
        made = JudgedMeasures(Drawing(), {name: name for name in judges}).game
        assert find_declaration_faults(made) == ()
        return {measure.title: measure.key for measure in made.measures if measure.key.startswith("final_judged")}

    (alone,) = keys("a.b").values()
    several = keys("a-b", "a.b", "a_b", "x" * 90)
    assert several["Judged, last: a.b"] == alone
    assert several["Judged, last: a_b"] == "final_judged_a_b"
    assert len({*several.values()}) == 4
    assert max(map(len, several.values())) <= LONGEST_KEY


def test_the_rules_with_most_runs_come_first_though_others_are_the_defaults() -> None:
    runs = [guessed(name, TEN, [points] * 20, rules={"rounds": 3}) for name, points in PAIRS]
    board = list_board_rows(results(guessed("three", TEN, [9.5] * 20), *runs))
    assert [(row.submission.run.slug, len(row.submission.run.rules)) for row in board] == [
        ("one", 1), ("two", 1), ("three", 0)
    ]  # fmt: skip


SHARED = Path(os.environ.get("IRCORE_SHARED_DATA") or Path(__file__).resolve().parents[3].parent / "shared" / "data")
ICCA = SHARED / "lang" / "icca"
CORRECT, WORDS = (
    next(measure for measure in ReferenceGame.measures if measure.key == key) for key in ("correct", "message_words")
)
BY_REPETITION = Curve("correct", over="repetition")


def episode(*repetitions: tuple[float, float]) -> SteppedEpisode:
    """Return an episode of two rounds a repetition, each right (1) or wrong (0)."""
    steps = [{"repetition": number} for number in range(1, len(repetitions) + 1) for _ in range(2)]
    values = dict(enumerate((right for pair in repetitions for right in pair), start=1))
    return SteppedEpisode("shapes easy", steps, {"correct": values})


def test_a_point_is_the_mean_over_games_of_the_means_within_each() -> None:
    points = compute_curve_points([episode((1, 0), (1, 1)), episode((0, 0), (1, 1))], CORRECT, BY_REPETITION)
    assert {place: (point.mean, point.n) for place, point in points.items()} == {1: (0.25, 2), 2: (1.0, 2)}


def test_games_are_drawn_again_and_not_rounds() -> None:
    # Within a game all rounds agree, so twice as many rounds say nothing more: the interval stays as wide.
    games = [episode((right, right)) for right in (0, 1, 1, 1, 1, 0, 1, 1, 1, 1)]
    longer = [
        SteppedEpisode(
            game.stratum, [{"repetition": 1}] * 4, {"correct": dict(enumerate([game.values["correct"][1]] * 4, 1))}
        )
        for game in games
    ]
    (one,), (other,) = (list(compute_curve_points(some, CORRECT, BY_REPETITION).values()) for some in (games, longer))
    assert one == other
    assert known(one.low) < 0.8 < known(one.high)


def test_games_that_break_off_are_in_no_point_of_a_reference_curve() -> None:
    # Eight games of wordy players break off after the first repetition; in the others nothing changes.
    games = [wordy(9)] * 8 + [wordy(4, 4, 4)] * 4
    points = compute_curve_points(games, WORDS, Curve("message_words", over="repetition"))
    assert {place: (point.mean, point.n) for place, point in points.items()} == {1: (4, 4), 2: (4, 4), 3: (4, 4)}


def wordy(*repetitions: float) -> SteppedEpisode:
    """Return a game with one round a repetition, whose messages have so many words."""
    steps = [{"repetition": number} for number in range(1, len(repetitions) + 1)]
    return SteppedEpisode("shapes easy", steps, {"message_words": dict(enumerate(repetitions, start=1))})


def test_short_dialogues_are_in_no_point_of_a_conversation_curve() -> None:
    game = ConversationGame()
    curve = next(curve for curve in game.pages.curves if curve.axis == "hop")
    measure = next(measure for measure in game.measures if measure.key == curve.measure)
    # Short dialogues have pictures that are easy to draw; within every dialogue all hops are alike.
    dialogues = [
        SteppedEpisode("dialogues easy", [{}] * hops, {measure.key: dict.fromkeys(range(1, hops + 1), value)})
        for hops, value in [(1, 0.9)] * 7 + [(2, 0.8)] * 3 + [(4, 0.2)] * 5
    ]
    points = compute_curve_points(dialogues, measure, curve)
    assert {place: round(point.mean or 0, 6) for place, point in points.items()} == dict.fromkeys((1, 2, 3, 4), 0.2)
    assert {point.n for point in points.values()} == {5}


class Curved(ReferenceGame):
    pages = Pages(
        curves=(
            Curve("correct"),
            Curve("message_words", normalised=True),
            Curve("correct", over="repetition", axis="guess"),
            Curve("message_words", axis="longest word", normalised=True),
        )
    )


def test_tables_by_step_have_a_plural_and_a_normalised_curve_takes_no_plain_ones_place() -> None:
    tables = list_stepped_tables(Curved())
    assert list(tables) == ["steps", "guesses", "longest_words", "at_k", "normalised"]
    assert not cast(Any, tables["steps"]).keywords["curve"].normalised


def play_recorded(folder: Path, games: Path) -> Results:
    """Return the results of a run in which people play both seats of recorded games."""
    import_icca(ImportRequest(games, folder / "set"))
    (folder / "people").mkdir()
    (folder / "people" / "submission.yaml").write_text(MANIFEST)
    run = folder / "run"
    assert ircore(["play", str(folder / "people"), "--instances", str(folder / "set"), "--out", str(run)]) == 0
    assert ircore(["score", str(run)]) == 0
    return Results.from_runs([RunFolder(run)])


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Results of a recorded game in which two answers are wrong."""
    folder = tmp_path_factory.mktemp("people")
    return play_recorded(folder, write_recorded_game(folder / "games", wrong=(0, 5)))


def made(results: Results, name: str) -> Table:
    return find_tables(results.game)[name].table(results, TableQuestion())


@pytest.mark.slow
def test_people_replayed_have_the_curve_of_people_as_recorded(people: Results) -> None:
    table = made(people, "repetitions")
    assert [value.value for value in table.column("run")] == ["people"] * 6 + ["people, as recorded"] * 6
    for key, expected in (("correct", [0.75, 0.75, 1, 1, 1, 1]), ("message_words", [6, 3, 2, 1, 1, 1])):
        assert [value.value for value in table.column(key)] == expected * 2
    # the big red circle on white → the red circle, by the list of content words: big red circle on white → red circle
    assert table.entry(1, "message_wnr_paper").value == 0
    assert table.entry(0, "message_wnr").missing == "no value at this place"


def test_a_game_has_tables_of_its_players_and_of_its_papers(people: Results) -> None:
    assert "repetitions" in find_tables(people.game)
    caption = made(people, "repetitions").caption
    assert "Rows of 'people, as recorded' are computed from what the instances hold." in caption
    published = made(people, "published")
    assert published.origin == "reported by the paper"
    figures = {(who.value, measure.value): value for who, measure, value, *_ in published.rows}
    # Of people ICCA's paper prints the last accuracy alone; the others are measured on the games that it took.
    last = figures["people in 54 published games, repetition 6", "Accuracy"]
    assert last.value == pytest.approx(0.9954, abs=5e-5)
    assert (last.low, last.high) == (0.9861, 1) == tuple(end.value for end in published.rows[5][3:5])
    assert figures["GPT-4, L1, repetition 5", "Accuracy"].value == 0.925
    seats = made(people, "players").column("seat")
    assert [value.value for value in seats] == ["speaker", "listener"]


@pytest.mark.skipif(not ICCA.is_dir(), reason="needs ICCA's recorded games")
@pytest.mark.slow
def test_people_of_the_recorded_games_have_the_known_means_and_intervals(tmp_path: Path) -> None:
    results = play_recorded(tmp_path, ICCA / "games")
    expected = json.loads((ICCA / "expected_aggregate.json").read_text())
    for name, key in (("correct", "accuracy"), ("message_words", "length_words"), ("message_wnr", "wnr_icca_code")):
        of_all = [each for each in PUBLISHED if (each.series, each.measure) == ("people", name)]
        # Half of the published games: their means lie within the intervals of all of them.
        for figure, mean in zip(of_all, expected[key]["mean"], strict=True):
            assert (figure.low or 0) <= mean <= (figure.high or 0)
    # Theirs are percentiles of the bootstrap, which knows nothing of what was not seen near the end of a scale.
    for measure, key in ((CORRECT, "accuracy"), (WORDS, "length_words")):
        for episodes in (list_recorded_episodes(results), run_episodes(results, results.every_run[0])):
            points = compute_curve_points(episodes, measure, BY_REPETITION).values()
            assert [point.mean for point in points] == pytest.approx(expected[key]["mean"], abs=1e-9)
            for point, low, high in zip(points, expected[key]["lo"], expected[key]["hi"], strict=True):
                assert point.low is not None
                assert point.high is not None
                assert point.low - 0.3 * (key != "accuracy") <= low <= high <= point.high + 0.3 * (key != "accuracy")
