"""The forecast of costs, for every game: worked out by hand from the rules, the game master's words and the set."""

from pathlib import Path
from typing import Any

import pytest
from samples import sample_instances

from ircore.core.submission_records import Submission
from ircore.core.tokens import count_tokens
from ircore.games.base import Game
from ircore.games.reconstruction.prompts import load_prompts
from ircore.games.registry import load_game
from ircore.instances.requests import BuildRequest, find_builder
from ircore.instances.store import InstanceSet
from ircore.runs.costs.forecast import CostForecast, PlannedPlay, estimate, format_estimate
from ircore.runs.costs.prices import RunPrices, read_prices

PRICES = "models: {a-model: {input: 1, output: 10, date: 2026-11-01, source: 'https://example.org'}}"


def planned(game: Game[Any], instances: InstanceSet, **rules: Any) -> PlannedPlay:
    """A run in which one model takes every seat that the rules ask."""
    stated, model = game.rules(**rules), {"player": "openai", "model": "a-model", "api_key_env": "A_KEY"}
    seats = {seat.name: model for seat in game.list_seats(stated)}
    submission = Submission.model_validate(
        {"schema": 1, "name": "one", "licence": "CC0-1.0", "game": game.name, **seats}
    )
    return PlannedPlay(game, submission, stated, game.read_prompts(None), instances)


def forecast(tmp_path: Path, plan: PlannedPlay, episodes: dict[str, int]) -> CostForecast:
    (tmp_path / "prices.yaml").write_text(PRICES)
    prices = RunPrices(read_prices(tmp_path / "prices.yaml"), plan.submission)
    estimated = estimate(plan, episodes, prices)
    assert all(f"at most {seat.requests} {name} request" in format_estimate(estimated, prices)
               for name, seat in estimated.seats.items())  # fmt: skip
    assert estimated.cost_usd is not None
    assert f"together at most about {estimated.cost_usd:.2f} US$" in format_estimate(estimated, prices)
    return estimated


def numbers(estimated: CostForecast, seat: str) -> tuple[int, int, int | None, int | None]:
    """Requests, images, tokens read and tokens written of a seat."""
    known = estimated.seats[seat]
    return known.requests, known.images, known.usage.prompt_tokens, known.usage.completion_tokens


def built(game: str, tmp_path: Path, **chosen: Any) -> InstanceSet:
    return find_builder(game)(BuildRequest(tmp_path / game, per_condition=1, **chosen))


def test_reconstruction_takes_all_turns_and_every_message_its_budget(tmp_path: Path) -> None:
    instances = sample_instances(tmp_path / "set")
    plan = planned(load_game("reconstruction"), instances, max_turns=2, token_budget=10)
    estimated = forecast(tmp_path, plan, {instances.instances[0].instance_id: 3})
    first, later = (count_tokens(load_prompts("reconstruction").describer(turn, 10)) for turn in (1, 2))
    # The second question repeats the first one with its reply, and shows target and rendering.
    read = (first + 1000) + (first + later + 10 + 2 * 1000)
    assert numbers(estimated, "describer") == (3 * 2, 0, 3 * read, 3 * 2 * 10)
    # One message, then both, with the picture that is edited.
    assert numbers(estimated, "generator") == (3 * 2, 3 * 2, 3 * (10 + 2 * 10 + 1000), 3 * 2 * 1000)
    cost = 3 * (read * 1 + 20 * 10 + 1030 * 1 + 2000 * 10) / 1e6
    assert estimated.cost_usd == pytest.approx(cost)


@pytest.mark.slow
def test_a_reference_game_asks_both_seats_in_every_round(tmp_path: Path) -> None:
    instances = built("reference", tmp_path)
    # The one with most targets: each is a round.
    context = max(instances.instances, key=lambda instance: len(str(instance.payload["targets"])))
    count = len(context.pictures)
    plan = planned(load_game("reference"), instances, repetitions=1, history=False)
    estimated = forecast(tmp_path, plan, {context.instance_id: 1})
    words = 0
    prompts: Any = plan.prompts
    labels = ("A", "B", "C", "D", "E", "F", "G", "H", "I", "J")[:count]
    names = {"count": count, "labels": ", ".join(labels)}
    targets: Any = context.payload["targets"]
    shown: Any = context.payload["context"]
    rounds = len(targets[:count])
    assert rounds > 1
    for number, target in enumerate(targets[:count], start=1):
        told = prompts.words("speaker_round", round=number, label=labels[shown.index(target)], **names)
        words += count_tokens(f"{prompts.words('speaker_simple', **names)}\n\n{told}")
    # Without history every round is alone, and shows every picture to both.
    assert numbers(estimated, "speaker") == (rounds, 0, words + rounds * count * 1000, rounds * 200)
    requests, images, read, written = numbers(estimated, "listener")
    assert (requests, images, written) == (rounds, 0, rounds * 10)
    # Beside the pictures the messages of 200 tokens, in the game master's words.
    assert rounds * 200 < (read or 0) - rounds * count * 1000 < rounds * 400


@pytest.mark.slow
def test_a_reasoning_task_is_drawn_once_or_read_once(tmp_path: Path) -> None:
    instances = built("reasoning", tmp_path)
    for thinking in (False, True):
        plan = planned(load_game("reasoning"), instances, thinking=thinking)
        estimated = forecast(tmp_path, plan, dict.fromkeys(instances.instances.ids, 1))
        payloads: list[dict[str, Any]] = [instance.payload for instance in instances.instances]
        drawn = [payload for payload in payloads if not payload.get("choices")]
        assert estimated.seats["drawer"].requests == estimated.seats["drawer"].images == len(drawn)
        assert estimated.seats["reader"].requests == len(payloads) - len(drawn)
        pictures = len([name for payload in drawn for name in payload["shown"]])
        if thinking:
            assert numbers(estimated, "thinker")[:2] == (len(drawn), 0)
        else:
            read = sum(count_tokens(str(payload["prompt"])) for payload in drawn) + 1000 * pictures
            assert numbers(estimated, "drawer") == (len(drawn), len(drawn), read, 1000 * len(drawn))
            assert "thinker" not in estimated.seats


@pytest.mark.slow
def test_a_conversation_draws_after_every_hop(tmp_path: Path) -> None:
    instances = built("conversation", tmp_path)
    dialogue = instances.instances[0]
    recorded: Any = dialogue.payload["dialogue"]
    hops = min(2, len(recorded))
    plan = planned(load_game("conversation"), instances, hops=hops, token_budget=20)
    estimated = forecast(tmp_path, plan, {dialogue.instance_id: 1})
    # The generator reads a prompt of 20 tokens, and nothing before it.
    assert numbers(estimated, "generator") == (hops, hops, hops * 20, hops * 1000)
    assert numbers(estimated, "summariser")[3] == hops * 20
    assert estimated.seats.keys() == {"summariser", "generator"}
    live = forecast(
        tmp_path, planned(load_game("conversation"), instances, hops=2, live=True), {dialogue.instance_id: 1}
    )
    assert {name: seat.requests for name, seat in live.seats.items()} == dict.fromkeys(
        ("summariser", "generator", "asker", "answerer"), 2
    )
    # The answerer alone sees the picture.
    assert (live.seats["answerer"].usage.prompt_tokens or 0) > 2 * 1000 > (live.seats["asker"].usage.prompt_tokens or 0)
