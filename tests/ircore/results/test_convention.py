"""Conventions of describers, worked by hand: over turns of an episode and over repetitions of one target."""

import pytest
from invented import invented_results

from ircore.core.episode_records import Episode, Outcome, Rendering, Turn
from ircore.results.convention import ConventionPoint, convention
from ircore.results.episodes import EpisodeResult
from ircore.results.tables.convention import convention_table


def played(instance_id: str, *messages: str, outcome: Outcome = "converged") -> EpisodeResult:
    rendering = Rendering(sha256="0" * 64, width=20, height=20)
    turns = [
        Turn(turn=number, action="describe", message=message, message_tokens=5, rendering=rendering)
        for number, message in enumerate(messages, start=1)
    ]
    episode = Episode(
        episode_id=instance_id,
        instance_id=instance_id,
        category="geometry",
        difficulty="easy",
        outcome=outcome,
        abort_reason="generator_refused" if outcome == "aborted" else None,
        turns=(*turns, Turn(turn=len(turns) + 1, action="done")),
    )
    return EpisodeResult("run", "pair", episode, {}, {})


def points(*episodes: EpisodeResult, targets: dict[str, str]) -> dict[tuple[str, int], ConventionPoint]:
    return {(point.over, point.place): point for point in convention(episodes, targets)}


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
