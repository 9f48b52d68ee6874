"""Boards of other games on the site keep the rules of all boards."""

import json
import re
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import rated_games
from invented import InventedRun
from invented_games import GUESSER, Guessing, guessed, guessing_set

from ircore.commands.main import run as ircore
from ircore.core.episode_records import Rendering, repeat_id
from ircore.core.errors import WorkError
from ircore.core.records import GameRules, PlayerSpec, Record
from ircore.core.score_records import Score
from ircore.games.base import Contrast, Curve, GameOutcome, Measure, Pages, PublishedFigure, Seat
from ircore.games.declarations import NOT_NEGATIVE
from ircore.games.reference.build import build as build_contexts
from ircore.games.reference.records import CONDITIONS
from ircore.instances.requests import BuildRequest
from ircore.players.base import Question, TextAnswer
from ircore.results.model import Results
from ircore.results.questions import answer_questions
from ircore.results.statistics.intervals import Estimate
from ircore.results.tables.game_curves import players_table
from ircore.runs.folder import RunFolder
from leaderboard.games.contrasts import make_contrast_charts
from leaderboard.games.episodes import render_episode
from leaderboard.games.figures import _build_track, make_curve_charts, scale_ends
from leaderboard.games.pages import build_game_pages
from leaderboard.model.section import GameSection
from leaderboard.pages.citation import render_share_strip
from leaderboard.pages.feed import build_feed_files
from leaderboard.pages.overview import build_games_front_page
from leaderboard.pages.pair_comparison import Comparisons
from leaderboard.pages.search_entries import list_page_entries
from leaderboard.rendering.render import Renderer
from leaderboard.storage.pictures import Shown
from leaderboard.words import format_category, scale_end

HELPER: Seat[Question, TextAnswer] = Seat("helper", "Helper", "the prompt", "text", when="helped")


class Helped(Guessing):
    """The same game with a seat that is asked under some rules alone."""

    seats = (GUESSER, HELPER)


def html_of(section: GameSection, name: str) -> str:
    """Return the HTML of one of the section's pages."""
    page = next(page for page in build_game_pages([section]) if page.path == section.path(name))
    return Renderer(None, {}).block(page)


@pytest.mark.slow
@pytest.mark.parametrize(("per_condition", "few"), [(1, True), (5, False)])
def test_of_fewer_than_five_episodes_nothing_has_an_interval(per_condition: int, few: bool) -> None:
    run = guessed("pair", guessing_set(per_condition), [4.0, 6.0] * 2 * per_condition)
    section = GameSection(Results.from_runs(game=Guessing(), runs=[run]))
    pages = {page.path: Renderer(None, {}).block(page) for page in build_game_pages([section])}
    cells = re.findall('<a class="heat ([^ "]+)" [^>]* title="([^"]+)"', pages["games/guessing/boards/index"])
    assert len(cells) == 4
    assert {colour == "few" for colour, _ in cells} == {few}
    assert all(f"n {per_condition}" in title and ("too few" in title) == few for _, title in cells)
    # An interval is drawn over all four cells together, if these are five and more.
    assert ('class="whisker"' in pages["games/guessing/figures"]) == (4 * per_condition >= 5)


def test_a_board_says_its_conditions_and_leads_to_its_files() -> None:
    run = guessed("pair", guessing_set(5), [4.0, 6.0] * 10)
    ruled = replace(run, run=run.run.model_copy(update={"rules": {"hops": 8, "live": False, "preset": ""}}))
    section = GameSection(Results.from_runs(game=Guessing(), runs=[ruled]))
    board = next(page for page in build_game_pages([section]) if page.path == "games/guessing/boards/index")
    html = Renderer(None, {}).block(board)
    words = " ".join(re.sub("<[^>]+>", "", html).split())
    assert "20 episodes a run; hops: 8, live off." in words
    assert set(re.findall(r'href="../../../games/guessing/board\.(\w+)"', html)) == {"csv", "json"}
    # Set and version are for those who cite it.
    assert run.run.instance_set[:12] not in words
    entry = render_share_strip(board, section)
    assert f"instance set {run.run.instance_set[:12]}; rules " in entry
    assert f"ircore {run.run.version}" in entry
    assert "judged by" not in entry


def test_the_page_of_a_run_names_the_settings_of_its_players() -> None:
    run = guessed("pair", guessing_set(5), [4.0, 6.0] * 10)
    careful = PlayerSpec(player="seeker", model="m", parameters={"careful": True, "desk": "/home/a/desk"}, revision="7")
    submission = run.run.submission.with_players({"guesser": careful})
    played = replace(run, run=run.run.model_copy(update={"submission": submission}))
    section = GameSection(Results.from_runs(game=Guessing(), runs=[played]))
    words = " ".join(re.sub("<[^>]+>", " ", html_of(section, "pairs/pair")).split())
    assert "m, player seeker, revision 7, with {&#34;careful&#34;: true, &#34;desk&#34;: " in words
    assert "/home/a" not in words


@pytest.mark.parametrize(("values", "labels"), [([4.0, 6.0] * 10, ["Worst", "Best"]), ([5.0] * 20, ["As all others"])])
def test_no_episode_is_best_or_worst_where_all_are_equal(values: list[float], labels: list[str]) -> None:
    section = GameSection(Results.from_runs(game=Guessing(), runs=[guessed("pair", guessing_set(5), values)]))
    assert re.findall(r"<figcaption><a [^>]+><strong>([^<]+)</strong>", html_of(section, "pairs/pair")) == labels


def test_repeats_of_a_run_stand_apart_and_all_count() -> None:
    once = guessed("pair", guessing_set(1), [8.0] * 4)
    name = once.played[0].instance_id
    again = once.played[0].model_copy(update={"episode_id": repeat_id(name, 2)})
    score = once.given[0].model_copy(update={"episode_id": again.episode_id, "value": 2.0})
    twice = once.run.model_copy(update={"more_seeds": (1,)})
    run = replace(once, run=twice, played=(*once.played, again), given=(*once.given, score))
    section = GameSection(Results.from_runs(game=Guessing(), runs=[run]))
    page = next(page for page in build_game_pages([section]) if page.path == f"games/guessing/gallery/{name}")
    assert re.findall('<section class="[^"]+" id="([^"]+)"', Renderer(None, {}).block(page.complete())) == [
        "pair",
        "pair.r2",
    ]
    pair = html_of(section, "pairs/pair")
    assert f'{name}.html#pair.r2"><strong>Worst</strong>' in pair
    assert "ircore play submissions/pair --instances INSTANCES --out pair --seed 0 --repeats 2" in pair
    assert "2.00–8.00<" in html_of(section, "gallery/index")


def test_a_game_is_asked_in_its_own_words_and_answers_in_main_scores() -> None:
    run = guessed("pair", guessing_set(5), [*[9.0] * 10, *[3.0] * 10])
    html = html_of(GameSection(Results.from_runs(game=Guessing(), runs=[run])), "ask")
    asked = " ".join(re.sub("<[^>]+>", " ", html).split())
    assert "What can nobody solve?" in asked
    assert "10 of the 20 rated instances are solved by nobody to a main score of 50, least of all" in asked
    assert "where no run scores above 30.0. On average the best main score of an instance is 60.0" in asked
    assert "over the same runs" in asked
    # A single seat has no partners to be compared over, and nobody ends an episode satisfied.
    assert not re.search("pairs|is best on|satisfied", asked)


def test_a_rank_is_among_the_runs_that_have_one() -> None:
    runs = [guessed("whole", guessing_set(5), [9.0] * 20), guessed("part", guessing_set(5), [9.0] * 3)]
    section = GameSection(Results.from_runs(game=Guessing(), runs=runs))
    assert "rank 1 of 1" in html_of(section, "pairs/whole")
    assert "no rank" in html_of(section, "pairs/part")


def test_the_best_runs_by_two_sets_of_rules_are_compared() -> None:
    runs = [guessed(f"with-{rounds}", guessing_set(5), [3.0 * rounds] * 20, {"rounds": rounds}) for rounds in (1, 3)]
    answers = answer_questions(Results.from_runs(game=Guessing(), runs=runs), "points")
    (answer,) = (answer for answer in answers if answer.key == "rules")
    said = "With rounds: 3 the best run, with-3, has a main score that is higher by 60.0 (95 % interval"
    assert answer.sentence.startswith(said)
    assert answer.reservations == ("Their players differ, too.",)


def test_of_equal_episodes_an_answer_shows_those_that_left_a_picture() -> None:
    instances = guessing_set(2)
    silent, drawing = (guessed(slug, instances, [8.0] * 8) for slug in ("silent", "with-drawings"))
    step = {"drawing": rated_games.rendering(1).model_dump(mode="json")}
    drawn = tuple(episode.model_copy(update={"steps": (step,)}) for episode in drawing.played)
    results = Results.from_runs(game=rated_games.Drawing(), runs=[silent, replace(drawing, played=drawn)])
    answers = answer_questions(results, "points")
    assert {answer.key for answer in answers} >= {"nobody", "hardest", "hard"}
    assert {run for answer in answers for run, _ in answer.episodes} == {drawing.run.run_id}


@pytest.mark.slow
def test_history_changes_and_feeds_of_a_game_tell_of_its_runs_and_stay_in_its_folder() -> None:
    runs = [guessed(slug, guessing_set(5), [value] * 20) for slug, value in (("first", 5.0), ("second", 9.0))]
    days = {"first": "2026-01-01T00:00:00+00:00", "second": "2026-01-02T00:00:00+00:00"}
    began = [replace(run, run=run.run.model_copy(update={"started": days[run.run.slug]})) for run in runs]
    section = GameSection(Results.from_runs(game=Guessing(), runs=began))
    history, changes = html_of(section, "history"), html_of(section, "changes")
    assert "1 of 2, place 1 none, it leads first-model" in " ".join(re.sub("<[^>]+>", " ", history).split())
    assert "second-model, number 2 of 2 to enter, has the best main score: 90.0" in history
    # Pages of versions, and those in the root, are of another game.
    assert not re.findall(r'href="../../(?!games/guessing/|charts/game-guessing-)[^"]*"', history + changes)
    feeds = dict(build_feed_files(section))
    assert list(feeds) == ["games/guessing/feed.atom", "games/guessing/feed.json"]
    items = json.loads(feeds["games/guessing/feed.json"])["items"]
    assert [item["title"] for item in items] == [
        "New run: second-model", "New run: first-model", f"First run played with ircore {runs[0].run.version}",
    ]  # fmt: skip
    assert "It entered with rank 1 of 2, place 1 of 2 by main score" in items[0]["content_text"]
    assert "judged by" not in feeds["games/guessing/feed.json"]


@pytest.mark.parametrize(
    ("values", "said"), [([[4.0, 6.0]], ["4.00", "6.00"]), ([[4.0, 6.0], [5.0, 6.0]], ["4.00–5.00", "6.00"])]
)
def test_the_gallery_says_a_value_that_all_runs_share_once(values: list[list[float]], said: list[str]) -> None:
    runs = [guessed(f"pair-{number}", guessing_set(5), own * 10) for number, own in enumerate(values)]
    section = GameSection(Results.from_runs(game=Guessing(), runs=runs))
    # The first section holds the worst ones once more.
    shown = re.findall('class="muted final">([^<]+)<', html_of(section, "gallery/index").split("</section>")[1])
    assert shown[:2] == said


def test_instances_are_named_as_in_the_main_gallery_and_found_by_their_ids() -> None:
    run = guessed("pair", guessing_set(5), [4.0, 6.0] * 10)
    section = GameSection(Results.from_runs(game=Guessing(), runs=[run]))
    pages = {page.path: page for page in build_game_pages([section])}
    second = section.instances[1]
    title = f"{format_category(second.category)}, {second.difficulty}, 2"
    html = Renderer(None, {}).block(pages[section.instance_path(second)])
    for said in (f"<h1>{title}</h1>", f"← {title[:-1]}1</a>", f"{title[:-1]}3 →</a>"):
        assert said in html
    (entry,) = list_page_entries([pages[section.instance_path(second)]])
    assert entry[1:3] == [f"{section.game.title}: {title}", second.instance_id]


WORDS = Measure("words", "Words", "words", direction="lower")


@pytest.mark.parametrize(
    ("means", "ends"),
    [
        # An interval that reaches below 0 brings no negative count, one of too few instances nothing.
        ([Estimate(12.4, -16.4124, 34.4124, 6), Estimate(20.0, -90.0, 90.0, 4)], ["0", "40"]),
        ([Estimate(-0.31, -0.5, -0.1, 9), Estimate(0.5, 0.2, 0.7, 9)], ["−0.4", "0.8"]),
        ([], ["0", "1"]),
    ],
)
def test_a_scale_without_a_declared_range_has_round_ends(means: list[Estimate], ends: list[str]) -> None:
    assert [scale_end(end) for end in scale_ends(WORDS, means)] == ends
    assert scale_ends(replace(WORDS, range=(-1, 1)), means) == (-1, 1)


@pytest.mark.slow
def test_a_run_by_other_rules_says_so_beside_its_players_and_is_ranked_among_those_by_the_same() -> None:
    instances = guessing_set(5)
    usual = [guessed(name, instances, [points] * 20, {"rounds": 2}) for name, points in (("one", 9.0), ("two", 1.0))]
    longer = guessed("one", instances, [5.0] * 20, {"rounds": 3, "word": "a\u202eb"})
    section = GameSection(Results.from_runs(game=Guessing(), runs=[*usual, longer]))
    assert [(pair.name, section.row(pair).rank_low) for pair in section.ranked] == [
        ("one-model", 1), ("two-model", 2), ("one-model (rounds: 3, word: a\\u202eb)", 1)
    ]  # fmt: skip
    assert "rank 2 of 2" in html_of(section, "pairs/two")


def test_the_two_that_are_compared_first_were_played_by_the_same_rules() -> None:
    instances = guessing_set(2)
    alone = guessed("alone", instances, [9.0] * 8, {"rounds": 3})
    usual = [guessed(name, instances, [points] * 8, {"rounds": 2}) for name, points in (("two", 1.0), ("one", 5.0))]
    silent = guessed("silent", instances, ["answer_refused"] * 8, {"rounds": 3})
    for runs, names in (([alone, *usual, silent], ["one", "two"]), ([alone, usual[0]], ["alone", "two"])):
        section = GameSection(Results.from_runs(game=Guessing(), runs=runs))
        assert [pair.key for pair in Comparisons(section).two_best] == names


def test_the_best_runs_stand_below_the_name_of_their_rules_the_best_rules_first() -> None:
    instances = guessing_set(5)
    usual = [guessed(name, instances, [points] * 20, {"rounds": 2}) for name, points in (("one", 5.0), ("two", 1.0))]
    longer = guessed("three", instances, [9.0] * 20, {"rounds": 3})
    section = GameSection(Results.from_runs(game=Guessing(), runs=[*usual, longer]))
    front = Renderer(None, charts={}).block(build_games_front_page([section]))
    start = html_of(section, "index").partition('<section class="front-board">')[2]
    for html in (front, start):
        said = re.findall(r"With rounds: \d|[a-z]+-model", re.sub("<[^>]+>", "", html))
        assert said[:5] == ["With rounds: 3", "three-model", "With rounds: 2", "one-model", "two-model"]
    # Of boards by single rules none holds all three.
    assert '<a href="../../games/guessing/boards/all-rules/index.html">The whole board' in start


@pytest.mark.parametrize("value", ["answer_refused", None])
def test_rules_under_which_nothing_has_a_value_have_their_pages_and_a_main_score(value: str | None) -> None:
    """No player got to an end under them, or no value could be computed: the board is no board of preferences."""
    instances = guessing_set(2)
    usual = guessed("one", instances, [5.0] * 8, {"rounds": 2})
    empty = guessed("two", instances, [value] * 8, {"rounds": 3})
    if value is None:
        missing = [
            Score(episode_id=instance.instance_id, measure="points", by="guessing", value=None, reason="unseen")
            for instance in instances.instances
        ]
        empty = replace(empty, given=tuple(missing))
    section = GameSection(Results.from_runs(game=Guessing(), runs=[usual, empty]))
    pages = {page.path: Renderer(None, {}).block(page) for page in build_game_pages([section])}
    board = pages["games/guessing/boards/rounds-3/index"]
    assert 'data-name="Main score"' in board
    assert "Final preferred" not in board


def test_a_seat_that_the_rules_leave_empty_has_no_player() -> None:
    instances = guessing_set(5)
    alone = guessed("alone", instances, [5.0] * 20)
    asked = guessed("asked", instances, [9.0] * 20, {"helped": True})
    helped = asked.run.submission.model_copy(update={"helper": PlayerSpec(player="looker")})
    runs = [alone, replace(asked, run=asked.run.model_copy(update={"submission": helped}))]
    results = Results.from_runs(game=Helped(), runs=runs)
    page = html_of(GameSection(results), "pairs/index")
    listed = re.findall('<h2 id="([a-z]+)">|<th scope="row"><bdi[^>]*>([^<]+)<', page)
    assert [*map("".join, listed)] == ["guesser", "asked-model", "alone-model", "helper", "looker"]
    players = [value.value for value in players_table(results).column("player")]
    assert players == ["asked-model", "alone-model", "looker"]


def helped_by(guesser: str, helper: str) -> InventedRun:
    run = guessed(f"{guesser}-{helper}", guessing_set(5), [5.0] * 20, {"helped": True})
    players = {"guesser": PlayerSpec(player=guesser), "helper": PlayerSpec(player=helper)}
    submission = run.run.submission.with_players(players)
    return replace(run, run=run.run.model_copy(update={"submission": submission}))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pairs", "lead"),
    [
        ([("one", "looker")], "What each pair scores."),
        ([("one", "looker"), ("one", "reader")], "What each pair scores."),
        ([("one", "looker"), ("two", "reader")], "Does it matter more who is the guesser, or who is the helper?"),
    ],
)
def test_a_matrix_asks_which_seat_matters_only_where_each_has_several_players(
    pairs: list[tuple[str, str]], lead: str
) -> None:
    results = Results.from_runs(game=Helped(), runs=[helped_by(*pair) for pair in pairs])
    (page,) = (page for page in build_game_pages([GameSection(results)]) if page.path.endswith("/matrix"))
    words = re.sub("<[^>]+>", "", Renderer(None, {}).block(page))
    assert lead in words
    assert "Each row has one guesser, each column one helper." in words
    assert ("?" in words) == ("?" in lead)


@pytest.mark.parametrize(("normalised", "sizes"), [(False, [11, 11, 11]), (True, [11, 4, 11])])
def test_a_normalised_curve_has_large_marks_at_its_ends_alone(normalised: bool, sizes: list[float]) -> None:
    section = GameSection(Results.from_runs(game=Guessing(), runs=[guessed("pair", guessing_set(5), [5.0] * 20)]))
    points = {place: Estimate(5.0, 4.0, 6.0, 20) for place in (1, 2, 3)}
    spots = _build_track(section.ranked[0], points, Curve("points", normalised=normalised), "step").spots
    assert [4 + 7 * spot.weight**0.5 for spot in spots] == sizes


class Normalising(Guessing):
    """The same game with one curve on both axes."""

    measures = (*Guessing.measures, Measure("echo", "Echo", range=(0, 10), per="step"))
    pages = Pages(curves=(Curve("echo"), Curve("echo", normalised=True)))


def test_the_same_curve_on_both_axes_has_two_titles() -> None:
    run = guessed("pair", guessing_set(2), [5.0] * 8)
    echoes = [
        Score(episode_id=episode.episode_id, measure="echo", by="guessing", value=float(step), step=step)
        for episode in run.played
        for step in (1, 2)
    ]
    played = tuple(episode.model_copy(update={"steps": ({}, {})}) for episode in run.played)
    runs = [replace(run, played=played, given=(*run.given, *echoes))]
    charts = make_curve_charts(GameSection(Results.from_runs(game=Normalising(), runs=runs)))
    assert [chart.title.split(":")[0] for chart in charts] == ["Echo by step", "Echo from the first step to the last"]
    assert "those that reach its last one" in charts[0].reading_aid
    assert "each from its first step to its last" in charts[1].reading_aid


class Turn(Record):
    """A step with several words, of which every field is in its card."""

    words: tuple[str, ...] = ()
    done: bool = False


class Timing(Guessing):
    """A game whose lengths have no upper end, with a curve and what its paper reports beyond the runs of the test."""

    step, step_word = Turn, "round"
    measures = (
        *Guessing.measures, Measure("length", "Length", "words", range=NOT_NEGATIVE, direction="lower", per="step"),
        Measure("novelty", "Novelty", range=NOT_NEGATIVE), Measure("echo", "Echo", range=(0, 9), per="step"),
        Measure("noise", "Noise", range=(0, 9), per="step"),
    )  # fmt: skip
    pages = Pages(columns=("length", "novelty"), figures=("points", "length"), curves=(Curve("length"),))
    published = tuple(
        PublishedFigure(f"step {place}", "length", value, "https://a.example", "people", place, low=8.0, high=value + 1)
        for place, value in ((1, 9.0), (6, 700.0))
    )


def timed_run() -> InventedRun:
    """A run of 20 episodes of two steps, of 3 and 4 words; echo and noise are 5 and 6, 7 and 8."""
    run = guessed("pair", guessing_set(5), [4.0, 6.0] * 10)
    lengths = tuple(
        Score(episode_id=episode.episode_id, measure=measure, by="guessing", step=step, value=step + least)
        for episode in run.played
        for measure, least in (("length", 2.0), ("echo", 4.0), ("noise", 6.0))
        for step in (1, 2)
    )
    ended = tuple(episode.model_copy(update={"steps": ({"words": ["a", "b"]}, {})}) for episode in run.played)
    return replace(run, played=ended, given=(*run.given, *lengths))


def timed() -> GameSection:
    """The run alone."""
    return GameSection(Results.from_runs(game=Timing(), runs=[timed_run()]))


def test_a_measure_without_an_upper_end_names_its_unit_and_no_infinity() -> None:
    section = timed()
    pages = {page.path: Renderer(None, {}).block(page) for page in build_game_pages([section])}
    assert not [path for path, html in pages.items() if re.search(r"(?<![a-z])inf(?![a-z])|∞", html)]
    assert 'Length</abbr> <span class="unit">words</span>' in pages["games/guessing/boards/index"]
    assert "In words, lower is better, per round." in pages["games/guessing/method"]
    assert '<h2 id="curves">Round by round</h2>' in pages["games/guessing/figures"]


class Helping(GameRules):
    """The rule under which the second seat is asked."""

    helped: bool = False


class Unrated(Helped):
    """The same game with a curve of what is measured, and one of what nobody measured."""

    measures = (*Normalising.measures, Measure("noise", "Noise", range=(0, 9), per="step"))
    pages = Pages(curves=(Curve("noise"), Curve("echo")))
    rules = Helping


def test_a_curve_says_whose_colours_it_has_and_measures_without_values_stand_on_one_line_below() -> None:
    runs = []
    for run in (helped_by("one", "looker"), helped_by("one", "reader")):
        echoes = [
            Score(episode_id=of.episode_id, measure="echo", by="guessing", value=4.0, step=1) for of in run.played
        ]
        played = tuple(episode.model_copy(update={"steps": ({},)}) for episode in run.played)
        runs.append(replace(run, played=played, given=(*run.given, *echoes)))
    page = html_of(GameSection(Results.from_runs(game=Unrated(), runs=runs)), "figures")
    assert "Colour stands for the helper here, since all have the same guesser." in page
    below = page.partition("</figure>")[2]
    missing = re.sub("<[^>]+>", "", below.partition('<p class="chart-missing">')[2].partition("</p>")[0])
    assert missing == "Noise by step No step of any run has a value: it was not measured."


class Memory(GameRules):
    """A rule that a paper has names for."""

    memory: bool = True


class Remembering(Timing):
    """The same game with settings, of one of which its paper reports a curve."""

    rules = Memory
    published = tuple(
        PublishedFigure(
            f"{who}, round {place}", "length", float(place), "https://example.org/paper", who, place, setting
        )
        for who, setting in (("people", ""), ("Model", "F2"))
        for place in (1, 2)
    )

    def name_setting(self, rules: Any) -> str:
        return "F1" if rules.memory else "F2"


def test_published_series_stand_beside_the_runs_of_their_setting_alone() -> None:
    run = timed_run()
    forgetful = replace(run, run=run.run.model_copy(update={"rules": {"memory": False}, "run_id": "x" * 16}))
    section = GameSection(Results.from_runs(game=Remembering(), runs=[run, forgetful]))
    (chart,) = make_curve_charts(section)
    texts = (note["text"] for note in chart.figure["layout"]["annotations"])
    said = [text for text in texts if text in {"F1", "F2", "people", "Model"}]
    assert said == ["F2", "Model", "people", "F1", "people"]
    told = [f"from 3.0 to 4.0 with pair-model ({setting})" for setting in ("F2", "F1")]
    assert chart.title == f"Length by round: {told[0]}, {told[1]}"


class Rounds(GameRules):
    """A rule that tells runs apart."""

    rounds: int = 2


class Contrasting(Guessing):
    """The same game, with a chart of its headline by category, beside which its paper has figures."""

    pages = Pages(contrasts=(Contrast("points", beside=("points", "points")), Contrast("points")), stories=("points",))
    rules = Rounds
    published = tuple(
        PublishedFigure(f"people, {row}", "points", 7.0, "https://example.org/paper", "people", row=row)
        for row in ("birds", "fish")
    )


def test_a_contrast_says_where_runs_differ_most_on_the_first_page() -> None:
    same = [5.0] * 10
    runs = [guessed("a", guessing_set(5), [*same, *[9.0] * 10]), guessed("b", guessing_set(5), [*same, *[3.0] * 10])]
    section = GameSection(Results.from_runs(game=Contrasting(), runs=runs))
    start = " ".join(re.sub("<[^>]+>", " ", html_of(section, "index")).split())
    assert "Points by category: a-model and b-model differ most in Birds, 9.00 and 3.00" in start
    _, chart = make_contrast_charts(section)
    reported, _, best = chart.figure["data"]
    # Beasts are the uppermost row; the paper's figures stand under the runs of their rows, and fish in a row without.
    assert (best["x"], [round(y) for y in best["y"]]) == ([5.0, 9.0], [2, 1])
    assert (reported["x"], reported["y"]) == ([7.0, 7.0], [0.7, -0.3])


def test_a_contrast_shows_runs_with_values_and_calls_them_best_under_one_set_of_rules_alone() -> None:
    instances = guessing_set(2)
    usual = [guessed(f"run-{number}", instances, [float(number)] * 8, {"rounds": 2}) for number in range(1, 5)]
    empty = guessed("empty", instances, ["answer_refused"] * 8, {"rounds": 2})
    other = guessed("other", instances, [9.0] * 8, {"rounds": 3})
    for runs, words in (
        ([*usual, empty], ""),
        ([*usual, empty, guessed("run-5", instances, [5.0] * 8, {"rounds": 2})], "The best 4 of 5 are shown."),
        ([*usual, empty, other], "Shown are 4 of 5, the best by each set of rules."),
    ):
        _, chart = make_contrast_charts(GameSection(Results.from_runs(game=Contrasting(), runs=runs)))
        only = "Only the paper has Fish: nothing of this kind was played here."
        assert chart.reading_aid.partition(" is better.")[2].strip() == f"{words} {only}".strip()
        assert "empty" not in str(chart.figure)


def test_of_equal_runs_by_the_same_rules_one_is_drawn_and_the_headline_tells_of_every_rule() -> None:
    several = [(f"{points:g}{name}", points, rounds) for points, rounds in ((9.0, 3), (5.0, 2)) for name in "ab"]
    runs = [guessed(slug, guessing_set(3), [points] * 12, {"rounds": rounds}) for slug, points, rounds in several]
    gap, chart = make_contrast_charts(GameSection(Results.from_runs(game=Contrasting(), runs=runs)))
    best, other = "9a-model (rounds: 3)", "5a-model (rounds: 2)"
    names = [f"● {best} and 1 alike", f"○ {other} and 1 alike", "◇ people, published"]
    assert [note["text"] for note in chart.figure["layout"]["annotations"]] == names
    said = (
        "Points less Points is 0.00 with rounds: 3 and with rounds: 2 in the best run of each; rounds: 3 and rounds: 2"
    )
    for told, whose in ((chart, f"{best} and {other}"), (gap, said)):
        assert told.title == f"Points by category: {whose} differ most in Beasts, Birds, 9.00 and 5.00"


def test_of_fewer_than_five_episodes_a_contrast_claims_nothing() -> None:
    few = "lowest in Beasts, 5.00; fewer than 5 episodes are too few to tell"
    for pictures, said in ((2, few), (3, "lowest in Beasts, 5.00")):
        run = guessed("a", guessing_set(pictures), [*[5.0] * 2 * pictures, *[9.0] * 2 * pictures])
        _, chart = make_contrast_charts(GameSection(Results.from_runs(game=Contrasting(), runs=[run])))
        assert chart.title == f"Points by category: {said}"


class SketchStep(Record):
    """A step that is a drawing."""

    drawing: Rendering


class Sketching(Guessing):
    """The same game, whose drawings are compared with a picture of the instance."""

    step, step_word = SketchStep, "sketch"
    measures = Timing.measures
    pages = Pages(curves=(Curve("length"), Curve("echo")), compared="truth", compared_title="The truth")


@pytest.mark.parametrize("known", [True, False])
def test_drawings_are_compared_where_the_instance_has_the_declared_picture(
    known: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawing = {"sha256": "c" * 64, "width": 8, "height": 8}
    run = guessed("pair", guessing_set(5), [5.0] * 20)
    echoes = tuple(
        Score(episode_id=episode.episode_id, measure="echo", by="guessing", step=step, value=4.5 * step)
        for episode in run.played
        for step in (1, 2)
    )
    steps = ({"drawing": drawing}, {"drawing": drawing})
    played = tuple(episode.model_copy(update={"steps": steps}) for episode in run.played)
    runs = [replace(run, played=played, given=(*run.given, *echoes))]
    section = GameSection(Results.from_runs(game=Sketching(), runs=runs))
    shown = Shown("small.webp", "large.png", 8, 8)
    monkeypatch.setattr(section, "instance_pictures", lambda _: {"truth": shown} if known else {})
    monkeypatch.setattr(section, "rendering", lambda *_: shown)
    html = html_of(section, "gallery/beasts-easy-00")
    # Echo, from 0 to 9, is the first curve with both ends: 4.5 is in the middle of it.
    places = re.findall('<span class="drawing" id="pair~([12])" data-turn="[12]" data-score="([0-9.]+)"><img', html)
    assert places == ([("1", "5.000"), ("2", "10.000")] if known else [])
    assert ('data-step="sketch"' in html) == (">The truth<" in html) == known
    assert ("data-gallery" in html) == ('id="pair" data-pair="pair"' in html) == known


def test_a_step_without_a_template_is_a_card_with_its_own_values() -> None:
    section = timed()
    pair, instance = section.ranked[0], section.instances[0]
    episode = next(each for each in section.get_run(pair).episodes if each.instance_id == instance.instance_id)
    cards = str(render_episode(section, pair, instance, episode, "../")).split('<li class="turn">')[1:]
    assert [" ".join(re.sub("<[^>]+>", " ", card).split()) for card in cards] == [
        "Round 1 words a, b done no Echo 5.00 Length 3.00 Noise 7.00",
        "Round 2 words done no Echo 6.00 Length 4.00 Noise 8.00",
    ]


def test_published_points_beyond_the_runs_are_on_the_curve() -> None:
    (chart,) = make_curve_charts(timed())
    (points,) = [trace for trace in chart.figure["data"] if "published, not run here" in trace.get("hovertemplate", "")]
    assert (points["x"], points["y"]) == ([1, 6], [9, 700])
    band = ["toself", [1, 6, 6, 1], [10, 701, 8, 8]]
    assert [chart.figure["data"][0][key] for key in ("fill", "x", "y")] == band
    ends = [chart.figure["layout"][axis]["range"] for axis in ("xaxis", "yaxis")]
    assert all(low <= first < last <= high for (low, high), first, last in zip(ends, (1, 0), (6, 701), strict=True))


MANY = tuple(Seat[Question, TextAnswer](name, name.title(), "the prompt", "text") for name in ("one", "two", "three"))


class Crowded(Guessing):
    """A game of three seats."""

    seats = MANY


def crowd(slug: str, name: str, values: Sequence[float | str], taken: int = 3) -> InventedRun:
    run = guessed(slug, guessing_set(5), values)
    players = {seat.name: PlayerSpec(player="openai", model=f"model-{seat.name}") for seat in MANY[:taken]}
    submission = run.run.submission.model_copy(update={"name": name, **players})
    return replace(run, run=run.run.model_copy(update={"submission": submission}))


@pytest.mark.slow
def test_runs_of_many_seats_go_by_the_name_of_the_submission() -> None:
    runs = [crowd("a", "The quick team", [9.0] * 20), crowd("b", "Twins", [5.0] * 20), crowd("c", "Twins", [4.0] * 20)]
    section = GameSection(Results.from_runs(game=Crowded(), runs=runs))
    assert [pair.name for pair in section.ranked] == ["The quick team", "Twins (b)", "Twins (c)"]
    pages = {page.path: Renderer(None, {}).block(page) for page in build_game_pages([section])}
    board = pages["games/guessing/boards/index"]
    # The submission's name stands first, below it who sat where.
    assert board.index("The quick team</") < board.index("<bdi>model-one</bdi> + <bdi>model-two</bdi>")
    assert 'title="one: model-one, two: model-two, three: model-three"' in board
    assert all(f"model-{seat.name}" in pages["games/guessing/pairs/a"] for seat in MANY)


@pytest.mark.slow
def test_players_of_any_two_seats_are_crossed_in_a_matrix() -> None:
    runs = [crowd("a", "The quick team", [9.0] * 20), crowd("b", "Twins", [5.0] * 20)]
    third = runs[1].run.submission.with_players({"three": PlayerSpec(player="openai", model="third")})
    runs[1] = replace(runs[1], run=runs[1].run.model_copy(update={"submission": third}))
    section = GameSection(Results.from_runs(game=Crowded(), runs=runs))
    pages = {page.path: Renderer(None, {}).block(page) for page in build_game_pages([section])}
    usual, other = pages["games/guessing/matrix"], pages["games/guessing/matrix/of-one-three"]
    # Two runs share a cell of the first two seats, and each has one of its own where their players differ.
    assert len(re.findall("<td>", usual)) == 1
    cells = [re.findall("The quick team|Twins", cell) for cell in other.split("<td>")[1:]]
    assert cells == [["The quick team"], ["Twins"]]
    assert "of-two-three" in usual
    assert "games/guessing/matrix/of-one-two" not in pages


def test_a_run_that_leaves_one_of_three_seats_empty_goes_by_its_name_as_the_others_do() -> None:
    runs = [crowd("a", "The quick team", [9.0] * 20), crowd("b", "Twins", [5.0] * 20, taken=1)]
    section = GameSection(Results.from_runs(game=Crowded(), runs=runs))
    assert [pair.name for pair in section.ranked] == ["The quick team", "Twins"]
    assert "Colour stands for the submission" in html_of(section, "boards/index")


class Witnessed(Crowded):
    """The same game, whose names have plurals and spaces of their own."""

    seats = tuple(replace(seat, title=f"{seat.title} witness") for seat in MANY)
    outcomes = (*Guessing.outcomes, GameOutcome("walked_out", played=True))
    measures = (Guessing.measures[0], Measure("words", "Words", "words", direction="lower"))


@pytest.mark.slow
def test_pages_name_seats_outcomes_and_units_in_words() -> None:
    runs = [crowd("a", "The quick team", [9.0] * 20), crowd("b", "Twins", [5.0] * 19 + ["answer_format"])]
    section = GameSection(Results.from_runs(game=Witnessed(), runs=runs))
    texts = {
        name: " ".join(re.sub("<[^>]+>", " ", html_of(section, name)).split())
        for name in ("compare", "matrix", "method", "boards/quality")
    }
    assert "One witnesses Two witnesses" in texts["compare"]
    assert "First run less second" in texts["compare"]
    assert not re.search("target|pair", texts["compare"])
    assert "One witnesses × two witnesses" in texts["matrix"]
    assert "walked out" in texts["method"]
    assert "Words Lower is better" in texts["method"]
    assert "1 of 20 episodes of Twins" in texts["boards/quality"]


class Drawing(GameRules):
    """A rule that was added after some runs."""

    rounds: int = 3
    drawing: bool = False


class Drawn(Crowded):
    """The same game with rules."""

    rules = Drawing


@pytest.mark.slow
def test_a_row_by_other_rules_says_so_even_of_a_run_of_before_a_rule_was_added() -> None:
    usual = [crowd(slug, slug.title(), [points] * 20) for slug, points in (("a", 9.0), ("b", 5.0))]
    rules = {"rounds": 3, "drawing": True}
    usual = [replace(each, run=each.run.model_copy(update={"rules": rules})) for each in usual]
    before = crowd("c", "C", [7.0] * 20)
    before = replace(before, run=before.run.model_copy(update={"rules": {"rounds": 3}}))
    section = GameSection(Results.from_runs(game=Drawn(), runs=[*usual, before]))
    names = [(pair.name, section.row(pair).rank_low) for pair in section.ranked]
    assert names == [("A", 1), ("B", 2), ("C (drawing off)", 1)]
    assert "; drawing on." in html_of(section, "boards/index")
    assert "; usual rules." in html_of(section, "boards/drawing-off/index")


@pytest.mark.slow
def test_a_run_of_a_part_of_its_set_has_a_site(tmp_path: Path) -> None:
    """It holds the pictures of that part alone: the pages of the others are without pictures."""
    build_contexts(BuildRequest(tmp_path / "contexts", per_condition=1, categories=("lineup",)))
    pair = Path(__file__).parents[3] / "submissions" / "looker"
    run, site = str(tmp_path / "run"), tmp_path / "site"
    assert ircore(["play", str(pair), "--instances", str(tmp_path / "contexts"), "--out", run, "--limit", "1"]) == 0
    assert ircore(["score", run]) == 0
    assert ircore(["site", "build", "--runs", run, "--out", str(site)]) == 0
    gallery = site / "games" / "reference" / "gallery"
    easy, hard = ((gallery / f"lineup-{name}-01.html").read_text() for name in ("easy", "hard"))
    assert "games/reference" in hard
    assert easy.count("<img") > hard.count("<img")


@pytest.mark.slow
def test_a_damaged_run_of_any_game_stops_the_site(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    build_contexts(BuildRequest(tmp_path / "contexts", 0, 1, ("lineup",), ("easy",)))
    run, site = tmp_path / "run", tmp_path / "site"
    assert ircore(["play", "looker", "--instances", str(tmp_path / "contexts"), "--out", str(run)]) == 0
    assert ircore(["score", str(run)]) == 0

    def build(*runs: Path) -> tuple[int, str]:
        capsys.readouterr()
        return ircore(["site", "build", "--runs", *map(str, runs), "--out", str(site)]), capsys.readouterr().err

    status, said = build(run, run)
    assert (status, "are both runs of looker" in said) == (2, True)
    scores = run / "scores.jsonl"
    whole = scores.read_bytes()
    scores.write_bytes(b'{"task": "game"}\n' + whole)
    status, said = build(run)
    assert (status, f"{scores}:1: the line is damaged" in said, "Remove this line" in said) == (2, True, True)
    scores.write_bytes(whole[:-9])
    status, said = build(run)
    assert (status, f"{scores}: the last line is cut off" in said) == (0, True)
    shutil.rmtree(site)
    record = run / "run.json"
    record.write_text(record.read_text().replace('"game": "reference"', '"game": "chess"'))
    status, said = build(run)
    assert (status, "the game chess is left out: unknown game 'chess'. Known: " in said) == (2, True)
    assert "Install the packages of their games" in said
    assert not site.exists()


@pytest.mark.slow
def test_people_stand_in_the_row_of_each_condition_of_kilogram_that_was_played(tmp_path: Path) -> None:
    build_contexts(BuildRequest(tmp_path / "set", 0, 1, tuple(CONDITIONS), ("easy",)))
    run = tmp_path / "run"
    assert ircore(["play", "looker", "--instances", str(tmp_path / "set"), "--out", str(run)]) == 0
    assert ircore(["score", str(run)]) == 0
    section = GameSection(Results.from_runs([RunFolder(run)]))
    # Its accuracy is its main score over 100, which is shown alone.
    assert "Accuracy" not in html_of(section, "index").partition("<tbody>")[0]
    (chart,) = make_contrast_charts(section)
    names = dict(zip(*(chart.figure["layout"]["yaxis"][key] for key in ("tickvals", "ticktext")), strict=True))
    people, marks = chart.figure["data"]
    beside = {names[round(place + 0.3)]: value for place, value in zip(people["y"], people["x"], strict=True)}
    assert beside == {"Whole black": 0.477, "Whole color": 0.495, "Parts black": 0.491, "Parts color": 0.63}
    assert sorted(marks["y"]) == sorted(names)


def shown(template: str, first: float | str = 4.0) -> str:
    """Render the first episode of a game of guessing, with a value or a reason to abort it, with a template."""

    class Templated(Guessing):
        pages = Pages(episode=template)

    run = guessed("pair", guessing_set(1), [first, 6.0, 4.0, 6.0])
    section = GameSection(Results.from_runs(game=Templated(), runs=[run]))
    (pair,), instance = section.ranked, section.instances[0]
    episode = next(episode for episode in run.episodes() if episode.instance_id == instance.instance_id)
    return str(render_episode(section, pair, instance, episode, "../"))


def test_a_number_is_written_with_its_noun() -> None:
    assert shown("{{ 1|counted('token') }}, {{ 1200|counted('token') }}") == "1 token, 1,200 tokens"


def test_a_declared_measure_without_a_value_has_none_and_another_name_is_a_fault() -> None:
    template = "{{ number(values.points) }}|{{ notes.points }}|{{ step_values.points|length }}"
    assert shown(template) == "4.00||0"
    assert shown(template, first="answer_refused") == "–||0"
    said = r"'poins' is no measure of the game; episode beasts-easy-00 of pair-0, aborted"
    with pytest.raises(WorkError, match=said):
        shown("{{ values.poins }}", first="answer_refused")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("template", "words"),
    [
        ("<p>\n{% if %}</p>", "is broken in line 2: Expected an expression, got 'end of statement block'"),
        ("<p>\n\n{{ nowhere }}</p>", "is broken in line 3: 'nowhere' is undefined"),
        ("<p>{{ 1|shout }}</p>", "is broken in line 1: No filter named 'shout'."),
        ("{{ 1 / 0 }}", "is broken in line 1: ZeroDivisionError: division by zero"),
        ("\n{{ payload.__class__.__mro__ }}", "is broken in line 2: access to attribute '__class__'"),
    ],
)
def test_a_fault_is_named_with_the_game_and_the_line(template: str, words: str) -> None:
    with pytest.raises(WorkError, match=r"the game guessing: its template of an episode") as caught:
        shown(template)
    assert words in caught.value.problem
