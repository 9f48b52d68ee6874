"""Learning curves of games: worked by hand, people's own, and as the published games have them."""

import json
import os
from pathlib import Path
from typing import Any, cast

import pytest
from known_values import known
from recorded_reference import MANIFEST, write_recorded_game

from ircore.commands.main import run as ircore
from ircore.games.base import Curve, Pages
from ircore.games.conversation.game import ConversationGame
from ircore.games.reference.game import ReferenceGame
from ircore.games.reference.icca import import_icca
from ircore.instances.requests import ImportRequest
from ircore.results.curves import SteppedEpisode, compute_curve_points, list_recorded_episodes, run_episodes
from ircore.results.model import Results
from ircore.results.tables.catalogue import Question, find_tables
from ircore.results.tables.game_curves import list_stepped_tables
from ircore.results.tables.model import Table
from ircore.runs.folder import RunFolder

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
    games = [wordy(9)] * 8 + [wordy(4, 4, 4)] * 6
    points = compute_curve_points(games, WORDS, Curve("message_words", over="repetition"))
    assert {place: (point.mean, point.n) for place, point in points.items()} == {1: (4, 6), 2: (4, 6), 3: (4, 6)}


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


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Return the results of a run in which people play both seats of a recorded game; two answers are wrong."""
    folder = tmp_path_factory.mktemp("people")
    import_icca(ImportRequest(write_recorded_game(folder / "games", wrong=(0, 5)), folder / "set"))
    (folder / "people").mkdir()
    (folder / "people" / "submission.yaml").write_text(MANIFEST)
    run = folder / "run"
    assert ircore(["play", str(folder / "people"), "--instances", str(folder / "set"), "--out", str(run)]) == 0
    assert ircore(["score", str(run)]) == 0
    opened = RunFolder(run)
    return Results.from_runs([opened])


def made(results: Results, name: str) -> Table:
    return find_tables(results.game)[name].table(results, Question())


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
    figures = dict(
        zip((v.value for v in published.column("who")), (v.value for v in published.column("value")), strict=True)
    )
    assert figures["people, repetition 6"] == 0.9954
    assert figures["GPT-4, L1, repetition 5"] == 0.925
    seats = made(people, "players").column("seat")
    assert [value.value for value in seats] == ["speaker", "listener"]


@pytest.mark.skipif(not ICCA.is_dir(), reason="needs ICCA's recorded games")
@pytest.mark.slow
def test_people_of_the_recorded_games_have_the_known_means_and_intervals(tmp_path: Path) -> None:
    import_icca(ImportRequest(ICCA / "games", tmp_path / "set"))
    (tmp_path / "people").mkdir()
    (tmp_path / "people" / "submission.yaml").write_text(MANIFEST)
    run = tmp_path / "run"
    command = ["play", str(tmp_path / "people"), "--instances", str(tmp_path / "set"), "--out", str(run)]
    assert ircore(command) == 0
    assert ircore(["score", str(run)]) == 0
    opened = RunFolder(run)
    results = Results.from_runs([opened])
    expected = json.loads((ICCA / "expected_aggregate.json").read_text())
    # Theirs are percentiles of the bootstrap, which knows nothing of what was not seen near the end of a scale.
    for measure, key in ((CORRECT, "accuracy"), (WORDS, "length_words")):
        for episodes in (list_recorded_episodes(results), run_episodes(results, results.every_run[0])):
            points = compute_curve_points(episodes, measure, BY_REPETITION).values()
            assert [point.mean for point in points] == pytest.approx(expected[key]["mean"], abs=1e-9)
            for point, low, high in zip(points, expected[key]["lo"], expected[key]["hi"], strict=True):
                assert point.low is not None
                assert point.high is not None
                assert point.low - 0.3 * (key != "accuracy") <= low <= high <= point.high + 0.3 * (key != "accuracy")
