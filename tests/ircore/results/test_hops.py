"""Measures over the turns: published series, cases by hand, and the tables of runs."""

import json
import os
from math import nan
from pathlib import Path
from typing import Any

import pytest
from hand_made import short_episode
from invented import invented_results

from ircore.games.reconstruction.game import ReconstructionGame
from ircore.games.reconstruction.records import Outcome
from ircore.results.curves import Series, estimate_by_turn, estimate_normalised_means, normalise_series
from ircore.results.episodes import EpisodeResult
from ircore.results.statistics.complete_cases import SameEpisodes, select_same_episodes
from ircore.results.tables.language import ConventionPoint, convention_table, measure_convention

SHARED = Path(os.environ.get("IRCORE_SHARED_DATA", Path(__file__).resolve().parents[3].parent / "shared" / "data"))
VECTORS = SHARED / "metrics" / "hop_vectors.json"
MEASURES: dict[str, Any] = json.loads(VECTORS.read_text())["metrics"] if VECTORS.is_file() else {}


@pytest.mark.skipif(not MEASURES, reason="the published values are not beside the checkout")
@pytest.mark.parametrize("measure", sorted(MEASURES))
def test_published_means_of_85_conversations(measure: str) -> None:
    series = list(MEASURES[measure]["series"].values())
    assert len(series) == 85
    turns = [point.at.mean for point in estimate_by_turn(series)]
    assert turns == pytest.approx(MEASURES[measure]["mean_by_hop_index"], abs=1e-12)
    places = estimate_normalised_means(series)
    assert [point.mean for point in places] == pytest.approx(MEASURES[measure]["mean_normalised_20"], abs=1e-12)
    assert all(point.low is not None and point.low < (point.mean or nan) < (point.high or nan) for point in places)


def test_the_normalised_axis_by_hand() -> None:
    assert normalise_series([2.0, 4.0, 8.0], 5) == (2, 3, 4, 6, 8)
    assert normalise_series([7.0], 3) == (7, 7, 7)
    assert normalise_series([]) == ()
    assert normalise_series([None, None]) == ()


def test_up_to_turn_k_by_hand() -> None:
    first, second, third = estimate_by_turn([[1.0, 5.0, 3.0], [2.0]])
    assert (first.at.mean, first.at.n) == (1.5, 2)
    assert (second.at.mean, second.at.n) == (5, 1)  # the other episode has ended
    assert (second.latest.mean, second.latest.n) == (3.5, 2)  # and keeps its 2
    assert (third.latest.mean, third.best.mean) == (2.5, 3.5)


def test_a_turn_that_easy_episodes_do_not_reach_shows_no_fall_on_the_same_episodes() -> None:
    # Nothing changes within any episode: ten easy ones end at once with 9, six hard ones go on with 4.
    first, second, third = estimate_by_turn([[9.0]] * 10 + [[4.0, 4.0, 4.0]] * 6)
    assert (first.at.mean, third.at.mean) == (7.125, 4)  # whoever is left: a fall that no episode shows
    assert [(point.same.mean, point.same.n) for point in (first, second, third)] == [(4, 6)] * 3
    assert [(point.latest.mean, point.latest.n) for point in (first, third)] == [(7.125, 16)] * 2


def test_a_curve_ends_at_the_last_turn_that_five_episodes_reach() -> None:
    points = estimate_by_turn([[1.0, 2.0]] * 5 + [[1.0, 2.0, 9.0]] * 4)
    assert [(point.same.mean, point.same.n) for point in points] == [(1, 9), (2, 9), (None, 0)]
    assert (points[2].at.mean, points[2].at.n) == (9, 4)


def test_of_few_episodes_half_have_to_reach_the_last_turn() -> None:
    # Six games of the demo: two break off after the first repetition, in which they needed more words.
    points = estimate_by_turn([[9.0]] * 2 + [[4.5, 3.0]] * 4)
    assert [(point.same.mean, point.same.n) for point in points] == [(4.5, 4), (3, 4)]
    assert estimate_by_turn([[9.0]] * 4 + [[4.5, 3.0]] * 2)[1].same.n == 0


def test_a_turn_that_was_not_scored_is_left_out_and_not_the_episodes() -> None:
    finals_only: list[Series] = [[3.0, None, 6.0]] * 6
    assert select_same_episodes([{1: 3, 3: 6}] * 6) == SameEpisodes((1, 3), tuple(range(6)))
    assert [point.same.mean for point in estimate_by_turn(finals_only)] == [3, None, 6]
    # One episode without a value at turn 2 goes, rather than the turn of five others.
    assert select_same_episodes([{1: 3, 2: 4, 3: 6}] * 5 + [{1: 3, 3: 6}]) == SameEpisodes((1, 2, 3), (0, 1, 2, 3, 4))


def test_up_to_turn_k_every_mean_is_over_the_episodes_that_have_a_first_value() -> None:
    points = estimate_by_turn([[1.0, 3.0], [None, 9.0]])
    assert [(point.latest.mean, point.latest.n) for point in points] == [(1, 1), (3, 1)]


def test_what_is_best_depends_on_the_direction() -> None:
    assert estimate_by_turn([[4.0, 2.0, 9.0]], higher_is_better=False)[-1].best.mean == 2


def test_episodes_without_a_value_count_nowhere() -> None:
    assert estimate_by_turn([[], [None, 6.0]])[0].at.n == 0
    assert estimate_by_turn([[], [None, 6.0]])[1].latest.mean == 6
    assert estimate_normalised_means([[], [None]]) == ()
    assert estimate_by_turn([]) == ()


def played(instance_id: str, *messages: str, outcome: Outcome = "converged") -> EpisodeResult:
    episode = short_episode(instance_id, ["0" * 64] * len(messages), messages, outcome, done=True, message_tokens=5)
    return EpisodeResult("run", "pair", episode, {}, {})


def points(*episodes: EpisodeResult, targets: dict[str, str]) -> dict[tuple[str, int], ConventionPoint]:
    return {(point.over, point.place): point for point in measure_convention(ReconstructionGame(), episodes, targets)}


def test_over_turns_a_message_is_compared_with_the_one_before() -> None:
    episodes = (played("one", "a tall red house", "red house"), played("two", "blue bar", "green bar left"))
    by_place = points(*episodes, targets={"one": "a", "two": "b"})
    assert set(by_place) == {("turn", 1), ("turn", 2)}  # no target occurs twice
    assert by_place["turn", 1].words.mean == (4 + 2) / 2
    assert by_place["turn", 1].compared["wnr"].mean is None
    # tall red house → red house: 1 dropped word costs one in the code and nothing in the paper;
    # blue bar → green bar left: 1 substituted, 1 inserted, of 2.
    assert by_place["turn", 2].compared["wnd"].mean == (1 + 2) / 2
    assert by_place["turn", 2].compared["wnd_paper"].mean == (0 + 2) / 2
    assert by_place["turn", 2].compared["wnr"].mean == pytest.approx((1 / 3 + 2 / 2) / 2)
    assert by_place["turn", 2].compared["overlap"].mean == pytest.approx((2 / 3 + 1 / 4) / 2)


def test_over_repetitions_of_a_target_first_messages_are_compared() -> None:
    episodes = (
        played("one", "a tall red house", "higher"),
        played("again", "the red house"),
        played("other", "blue bar"),
        played("lost", "another house", outcome="aborted"),
    )
    targets = {"one": "a", "again": "a", "lost": "a", "other": "b"}
    by_place = points(*episodes, targets=targets)
    assert [place for over, place in by_place if over == "repetition"] == [1, 2]
    first, second = by_place["repetition", 1], by_place["repetition", 2]
    # The target that was played once is in no point of the curve.
    assert (first.words.mean, first.words.n) == (4, 1)
    assert (second.words.mean, second.compared["wnd_paper"].mean) == (3, 0)


@pytest.mark.slow
def test_the_table_has_a_row_for_each_pair_and_place() -> None:
    table = convention_table(invented_results(["a", "b"], ["x"]))
    assert {value.value for value in table.column("describer")} == {"a", "b"}
    assert table.entry(0, "over").value == "turn"
    assert table.entry(0, "wnr").missing == "no message before"
