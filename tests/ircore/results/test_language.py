"""Rates of correction language, lengths, novelty and token budgets of runs worked out by hand."""

from dataclasses import replace
from random import Random

import pytest
from hand_made import short_episode
from invented import InventedRun, invented_run, invented_set
from known_values import known

from ircore.games.reconstruction.game import ReconstructionGame
from ircore.games.reconstruction.records import Outcome, list_turns
from ircore.results.effects import compare_budgets
from ircore.results.episodes import EpisodeResult
from ircore.results.language import analyse_messages, count_corrections, select_messages, turn_language
from ircore.results.model import Results
from ircore.results.statistics.intervals import estimate_clustered_share


def played(name: str, *messages: str, category: str = "geometry", outcome: Outcome = "converged") -> EpisodeResult:
    """An episode of these messages, 10 tokens each, closed by a done turn."""
    renderings = [f"{number:064x}" for number in range(1, len(messages) + 1)]
    episode = short_episode(name, renderings, messages, outcome, category, done=True, message_tokens=10)
    return EpisodeResult("run", "pair", episode, {}, {})


EPISODES = (
    played("one", "A red circle left of a blue bar", "Move the circle left", "Make the bar blue", "Circle: left!"),
    played("two", "Two bars", "Move the left bar", category="bar_graph"),
    played("three", "A thing on the left"),
    played("four", "A wave", "Move it left", outcome="aborted"),
)
MESSAGES = analyse_messages(ReconstructionGame(), EPISODES)


def test_usage_is_the_share_of_correction_messages() -> None:
    profile = count_corrections(MESSAGES)
    assert (profile.messages, profile.episodes) == (4, 2)
    assert profile.usage["position"].mean == pytest.approx(3 / 4)
    assert profile.usage["colour"].mean == pytest.approx(1 / 4)
    assert profile.usage["numeric"].mean == 0
    assert profile.usage["position"].n == 2
    assert profile.top_tokens["position"] == (("left", 3), ("move", 2))
    assert profile.top_tokens["colour"] == (("blue", 1),)
    assert profile.top_tokens["numeric"] == ()
    assert profile.lexicon.startswith("built-in ")


def test_first_messages_and_aborted_episodes_do_not_count() -> None:
    assert {message.episode_id for message in MESSAGES} == {"one", "two", "three"}
    assert all(message.marks == () for message in MESSAGES if message.turn == 1)


def test_a_profile_can_be_narrowed_to_a_turn_or_a_category() -> None:
    third = count_corrections(select_messages(MESSAGES, turn=3))
    assert (third.messages, third.usage["colour"].mean, third.usage["position"].mean) == (1, 1, 0)
    bars = count_corrections(select_messages(MESSAGES, category="bar_graph"))
    assert (bars.messages, bars.usage["position"].mean) == (1, 1)


def test_lengths_and_novelty_turn_by_turn() -> None:
    first, second, third, fourth = turn_language(MESSAGES)
    assert [item.messages for item in (first, second, third, fourth)] == [3, 2, 1, 1]
    # Episode three has a first message alone, so that its five words are in no point.
    assert (first.words.mean, first.words.n) == ((8 + 2) / 2, 2)
    assert (first.tokens.mean, first.novelty.mean, first.similarity.mean) == (10, None, None)
    # Episode one: move, not circle, left. Episode two: move, left, bar of which "bars" is another word.
    assert second.novelty.mean == pytest.approx((1 / 3 + 3 / 3) / 2)
    # {move, circle, left} of {red, circle, left, blue, bar}, and {move, left, bar} of {two, bars}
    assert second.similarity.mean == pytest.approx((2 / 6 + 0) / 2)
    # One of three episodes is left.
    assert all(item.words.mean is item.novelty.mean is None for item in (third, fourth))


def test_the_interval_takes_episodes_as_the_units() -> None:
    # Shares 4/4, 0/4, 4/4, 0/4: four episodes, not sixteen messages. Wilson for 2 of 4 is 0.1500 to 0.8500.
    share = estimate_clustered_share([4, 0, 4, 0], [4, 4, 4, 4])
    assert (share.mean, share.n) == (0.5, 4)
    assert (share.low, share.high) == pytest.approx((0.1500, 0.8500), abs=1e-4)
    # Hand-worked with unequal sizes: R = 12/24, residuals hit − R·size = (2, −2, 0, 2, −1, −1), their squares 14 / 24²;
    # as many messages as 24² / 120 = 4.8 episodes of one size. r = 14 / 24² · 4.8 / 0.25 = 0.466667. With
    # t(0.975, 5)² = 6.607892: base = 14 / 24² · (6.607892 · 6/5 · (1 − r) + 3.841459 · r) = 0.146362. The slope at the
    # middle is 1/2 − 0.116667 / (1/2) = 0.266667, its weight r + (1 − r) · 0.1 = 0.52, times 3.841459 / 4.8:
    # 1.416158 d² = 0.146362 + 0.110975 d, so that d = 0.363043.
    share = estimate_clustered_share([5, 1, 1, 5, 0, 0], [6, 6, 2, 6, 2, 2])
    assert (share.mean, share.low, share.high) == pytest.approx((0.5, 0.136957, 0.863043), abs=1e-6)


def test_where_none_or_all_hit_the_interval_is_wilsons_over_episodes() -> None:
    # Wilson for 0 of 10: z² / (10 + z²) with z = 1.959964.
    none = estimate_clustered_share([0] * 10, [3] * 10)
    assert (none.mean, none.low, none.n) == (0, 0, 10)
    assert none.high == pytest.approx(3.841459 / 13.841459, abs=1e-6)
    every = estimate_clustered_share([3] * 10, [3] * 10)
    assert (every.mean, every.high) == (1, 1)
    assert every.low == pytest.approx(10 / 13.841459, abs=1e-6)
    assert estimate_clustered_share([2], [2]).low is None


@pytest.mark.slow
def test_the_interval_holds_the_true_share_in_about_95_of_100_cases() -> None:
    random = Random(1)

    def held() -> bool:
        # Each episode has its own inclination, 0.4 on average, and 1 to 9 messages.
        sizes = [random.randint(1, 9) for _ in range(40)]
        shares = [random.betavariate(2, 3) for _ in sizes]
        hits = [sum(random.random() < share for _ in range(size)) for share, size in zip(shares, sizes, strict=True)]
        result = estimate_clustered_share(hits, sizes)
        return known(result.low) <= 0.4 <= known(result.high)

    # In the middle of the scale a little wider than need be.
    assert 0.94 <= sum(held() for _ in range(1500)) / 1500 <= 0.98


def with_budget(run: InventedRun, budget: int, turns: int = 10) -> InventedRun:
    """The same run under another budget; its messages have 40 tokens each."""
    rules = {**run.run.rules, "token_budget": budget, "max_turns": turns}
    changed = run.run.model_copy(update={"rules": rules, "run_id": f"{run.run.run_id}-{budget}-{turns}"})
    episodes = tuple(
        episode.with_steps(
            tuple(turn.model_copy(update={"over_budget": turn.message_tokens > budget}) for turn in list_turns(episode))
        )
        for episode in run.played
    )
    return replace(run, run=changed, played=episodes)


@pytest.mark.slow
def test_budgets_of_one_pair_stand_side_by_side() -> None:
    instances = invented_set(2, ("geometry", "photos"))
    pair, other = (invented_run(instances, name, "painter", 5, 0.3) for name in ("seer", "mole"))
    results = Results.from_runs(
        [with_budget(pair, 50), with_budget(pair, 10), with_budget(pair, 200), with_budget(pair, 10, turns=3), other]
    )
    (series,) = compare_budgets(results, "structural")
    assert (series.describer, series.generator) == ("seer", "painter")
    assert [point.budget for point in series.points] == [10, 50, 200]
    assert [point.cell.amounts["over_budget"].mean for point in series.points] == [1, 0, 0]
    (photos,) = compare_budgets(results, "structural", "photos", "hard")
    assert [(point.cell.category, point.cell.difficulty) for point in photos.points] == [("photos", "hard")] * 3
