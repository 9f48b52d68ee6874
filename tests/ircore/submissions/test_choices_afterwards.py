"""Choices that look back, and times, tokens and costs that cannot be: cheats are listed, honest play is not."""

import random
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from samples import sample_instances, sample_run

from ircore.core.episode_records import AbortReason, Attempt, Episode, Usage
from ircore.core.records import Difficulty, PlayerSpec
from ircore.core.submission_records import Run
from ircore.games.reconstruction.records import collect_renderings, list_turns
from ircore.results.ranking import find_held_runs
from ircore.runs.events import Call
from ircore.runs.provenance import GRAVE_RULES
from ircore.submissions.rescoring.flags import check_clock, compute_most_correlation, flag_answers_of_models
from ircore.submissions.rescoring.selection import (
    Peers,
    check_failures,
    check_stopping,
    compute_chance_of_low,
    compute_common_share,
    compute_tail,
    count_ends_at_best,
    select_peers,
)

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run whose describer is a model of a service with known prices."""
    folder = tmp_path_factory.mktemp("played")
    played = sample_run(folder / "run", sample_instances(folder / "instances")).run
    describer = PlayerSpec(player="openai", model="gpt-4.1")
    submission = played.submission.model_copy(update={"describer": describer})
    return played.model_copy(update={"submission": submission, "started": "2026-11-30T10:00:00+00:00"})


def answers(count: int, seed: int = 0, speed: float = 60.0) -> list[Call]:
    """Answers as a service gives them: a wait, then tokens at a speed that varies, and a network in between."""
    rng, calls = random.Random(seed), []
    for number in range(count):
        words = rng.randint(15, 120)
        tokens = words + rng.randint(0, 12)
        seconds = round(rng.uniform(0.3, 0.8) + tokens / (speed * rng.lognormvariate(0, 0.25)), 4)
        usage = Usage(prompt_tokens=900, completion_tokens=tokens, cost_usd=0.002)
        text = " ".join(["circle"] * words)
        attempts = (Attempt(kind="answered", status=200, seconds=seconds),)
        about = {"episode_id": f"a-{number // 5}", "turn": number % 5 + 1, "role": "describer", "seconds": seconds}
        calls.append(Call.model_validate({**about, "text": text, "usage": usage, "attempts": attempts}))
    return calls


def rules(run: Run, calls: Sequence[Call]) -> list[str]:
    return [flag.rule for flag in flag_answers_of_models(run, calls)]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_answers_of_an_honest_service_have_no_finding(run: Run, seed: int) -> None:
    calls = answers(60 + 5 * seed, seed, speed=(20, 60, 200)[seed % 3])
    assert rules(run, calls) == []
    assert list(check_clock(run, calls[:10], NOW)) == []


def test_waiting_for_a_service_that_was_busy_is_no_time_of_writing(run: Run) -> None:
    rng, calls = random.Random(3), answers(1000)
    busy = [
        call.model_copy(
            update={
                "attempts": (Attempt(kind="rate_limit", status=429, seconds=wait), *call.attempts),
                "seconds": round(call.seconds + wait, 4),
            }
        )
        for call in calls
        for wait in (round(rng.uniform(0, 60), 3),)
    ]
    assert rules(run, busy) == []


def changed(calls: Sequence[Call], **fields: object) -> list[Call]:
    return [call.model_copy(update={"attempts": (), **fields}) for call in calls]


def test_times_that_were_made_up_are_listed(run: Run) -> None:
    calls = answers(100)
    assert rules(run, changed(calls, seconds=0.0)) == ["time"]
    assert "time" in rules(run, changed(calls, seconds=1.5))
    assert "time" in rules(run, changed(calls, seconds=0.002))  # 60 tokens in 2 ms: 30,000 a second
    rng = random.Random(1)
    drawn = [call for source in answers(1000) for call in changed([source], seconds=round(rng.uniform(1, 3), 4))]
    assert rules(run, drawn) == ["time"]


def test_tokens_and_costs_of_nothing_are_listed(run: Run) -> None:
    calls = answers(20)
    free = [call.model_copy(update={"usage": call.usage.model_copy(update={"cost_usd": 0.0})}) for call in calls]
    assert rules(run, free) == ["no_cost"]
    none = Usage(prompt_tokens=0, completion_tokens=0)
    assert rules(run, [call.model_copy(update={"usage": none}) for call in calls]) == ["tokens"]


def test_a_rank_correlation_is_bounded_as_fisher_did() -> None:
    """Of 100 pairs without any correlation: tanh(3.09 · 1.03 / √97) = 0.312."""
    alternating = [(float(10 + number), float(number % 2)) for number in range(100)]
    assert compute_most_correlation(alternating) == pytest.approx(0.32, abs=0.02)
    assert compute_most_correlation(alternating[:29]) is None
    assert compute_most_correlation([(50.0, float(number)) for number in range(100)]) is None


@pytest.mark.parametrize(
    ("started", "what"), [("1970-01-01T00:00:00+00:00", "it began on 1970-01-01"), ("2026-05-01T00:00:00+00:00", "")]
)
def test_a_start_before_the_game_is_listed(run: Run, started: str, what: str) -> None:
    (flag,) = check_clock(run.model_copy(update={"started": started}), [], NOW)
    assert flag.rule == "clock"
    assert what in flag.what


def test_a_released_set_is_played_after_its_release(run: Run) -> None:
    """Version 2026.1-demo was released on 2026-11-22; a day of slack is for time zones."""
    released = {
        "instance_set": "8cf53a11998d67f45cae60616f6f25f4519d415b417cfbe9de3403d88e52564b",
        "prompts": "built-in 78b6eb7c0e60",
    }
    early = run.model_copy(update={**released, "started": "2026-11-20T10:00:00+00:00"})
    assert "version 2026.1-demo was released on 2026-11-22" in next(check_clock(early, [], NOW)).what
    assert list(check_clock(early.model_copy(update={"started": "2026-11-21T10:00:00+00:00"}), [], NOW)) == []


def test_an_episode_lasts_no_longer_than_the_time_since_the_start(run: Run) -> None:
    """Two hours after the start, an episode of five turns cannot have taken 5 × 3,000 s."""
    calls = changed(answers(5), seconds=3000.0)
    (flag,) = check_clock(run, calls, NOW)
    assert (flag.rule, flag.where) == ("clock", "a-0")
    assert list(check_clock(run, changed(answers(25), seconds=600.0), NOW)) == []  # five episodes side by side


# Stopping.


def wandering(rng: random.Random, turns: int) -> list[float]:
    """Similarities of a pair that corrects and spoils: a rise that flattens, and noise."""
    return [5 + 3 * (1 - 0.6**turn) + rng.gauss(0, 0.6) for turn in range(turns)]


def honest_curves(seed: int, count: int = 60) -> list[list[float]]:
    rng = random.Random(seed)
    return [wandering(rng, rng.randint(2, 10)) for _ in range(count)]


def cut(curve: Sequence[float]) -> list[float]:
    """The curve up to its best rendering, as whoever knows all of it would cut it."""
    return list(curve[: max(range(len(curve)), key=curve.__getitem__) + 1])


def chance(curves: Sequence[Sequence[float]], common: float) -> float:
    at_best, wavering = count_ends_at_best(curves)
    return compute_tail(at_best, wavering, common)


def test_episodes_cut_at_their_best_are_told_from_honest_ones() -> None:
    peers = [honest_curves(1000 + number) for number in range(4)]
    common = compute_common_share(peers)
    assert common is not None
    assert common < 0.6
    assert [seed for seed in range(50) if chance(honest_curves(seed), common) < 0.001] == []
    cheats = [[cut(wandering(random.Random(f"{seed} {number}"), 10)) for number in range(60)] for seed in range(20)]
    assert [seed for seed, curves in enumerate(cheats) if chance(curves, common) >= 0.001] == []


def test_nothing_is_said_about_stopping_beside_few_episodes() -> None:
    assert compute_common_share([]) is None
    assert compute_common_share([honest_curves(0, 5)]) is None
    assert count_ends_at_best([[1.0, 2.0], [3.0, 1.0]]) == (0, 0)


@pytest.mark.slow
def test_stopping_is_measured_on_the_renderings(tmp_path: Path) -> None:
    """The sample pair draws a block too far right, then the exact one twice: no episode wavers."""
    instances = sample_instances(tmp_path / "instances", per_condition=3)
    played = sample_run(tmp_path / "run", instances)
    peers = Peers([[[3.0, 2.0, 1.0]] * 30], {})
    assert list(check_stopping(played.read_endings(), instances, played.rendering, peers)) == []
    backwards = {
        name: episode.with_steps(
            tuple(
                turn.model_copy(update={"turn": number, "rendering": renderings[place]})
                for number, (turn, place) in enumerate(
                    zip([*list_turns(episode)[:2], list_turns(episode)[1]], (1, 0, 1), strict=True), start=1
                )
            )
        )
        for name, episode in played.read_endings().items()
        if isinstance(episode, Episode) and len(renderings := list(collect_renderings(episode).values())) == 2
    }
    (flag,) = check_stopping(backwards, instances, played.rendering, peers)
    assert flag.rule == "stops_at_best"
    assert f"{len(backwards)} of {len(backwards)} episodes" in flag.what


@pytest.mark.slow
def test_peers_are_other_pairs_on_the_same_targets(tmp_path: Path, run: Run) -> None:
    folder = sample_run(tmp_path / "run", sample_instances(tmp_path / "instances"))
    assert select_peers(run.model_copy(update={"slug": "another"}), [folder]) == Peers([[]], {})  # not scored yet
    assert select_peers(folder.run, [folder]) == Peers([], {})


# Failures.


def episodes(failed: Sequence[str], reason: AbortReason = "given_up") -> dict[str, Episode]:
    levels: tuple[Difficulty, ...] = ("easy", "hard")
    return {
        name: Episode(
            episode_id=name,
            instance_id=name,
            category="geometry",
            difficulty=level,
            outcome="aborted" if name in failed else "turn_limit",
            abort_reason=reason if name in failed else None,
            steps=(),
        )
        for level in levels
        for name in (f"geometry-{level}-{number:02d}" for number in range(60))
    }


def similarities(seed: int = 0) -> dict[str, float]:
    rng = random.Random(seed)
    return {name: rng.gauss(6, 1.5) for name in episodes([])}


def test_a_permutation_test_knows_the_chance() -> None:
    """Two of five values can be drawn in ten ways; one of these has a sum as low as the two lowest."""
    assert compute_chance_of_low([1, 2], [1, 2, 3, 4, 5]) == pytest.approx(0.1, abs=0.01)
    assert compute_chance_of_low([], [1, 2, 3]) == 1.0


@pytest.mark.slow
def test_failures_on_the_hardest_targets_are_listed_however_few() -> None:
    known = similarities()
    worst = sorted(known, key=known.__getitem__)[:5]
    (flag,) = check_failures(episodes(worst), Peers([], known))
    assert flag.rule == "chosen_failures"
    assert "5 technical failures" in flag.what


@pytest.mark.slow
def test_failures_on_hard_targets_are_listed_without_other_pairs() -> None:
    """Half of all targets are hard: twelve of them by chance are less likely than one in 2 ** 12."""
    hard = [name for name in episodes([]) if "hard" in name][:12]
    assert [flag.rule for flag in check_failures(episodes(hard), Peers([], {}))] == ["many_failures", "chosen_failures"]


@pytest.mark.slow
def test_failures_by_chance_are_not_listed() -> None:
    known = similarities()
    for seed in range(50):
        failed = random.Random(seed).sample(sorted(known), seed % 6)
        assert list(check_failures(episodes(failed), Peers([], known))) == []


def test_none_of_these_findings_holds_a_run() -> None:
    """A describer that sees well, or a service that counts oddly, could come by them honestly."""
    assert not {"clock", "time", "tokens", "no_cost", "stops_at_best", "chosen_failures"} & GRAVE_RULES
    assert find_held_runs([("run", None)]) == frozenset()
