"""Costs of runs, and answers that a cache spares."""

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from openai_server import OpenAIServer
from pairs import play_pair, served_pair

from ircore.commands.main import run as ircore
from ircore.core.episode_records import Attempt, Rendering, Usage
from ircore.core.errors import InputError
from ircore.core.records import PlayerSpec
from ircore.core.submission_records import Submission
from ircore.games.reconstruction.records import list_turns
from ircore.games.reconstruction.rules import GENERATOR
from ircore.instances.store import InstanceSet
from ircore.players.base import GeneratorView, PictureAnswer
from ircore.players.calls import sum_usage
from ircore.runs.answers import Cache
from ircore.runs.costs.limit import check_limit
from ircore.runs.costs.prices import Billed, Price, Prices, RunPrices, count_doubtful_images, read_prices
from ircore.runs.costs.totals import Totals
from ircore.runs.events import Call, Failure
from ircore.runs.folder import RunFolder
from ircore.runs.summary import summarise

SEEN: dict[str, Any] = {"date": date(2026, 1, 1), "source": "a price list"}
PRICES = """models:
  a-describer: {input: 10, output: 100, date: 2026-01-01, source: invented for a test}
  a-generator: {input: 20, output: 50, images: {64x64/low: 0.5}, date: 2026-01-01, source: invented for a test}
"""


def prices_of(generator: dict[str, Any], player: str = "openai-images", **prices: Price) -> RunPrices:
    words = PlayerSpec(player="openai", model="words", base_url="https://models.example/v1")
    pictures = PlayerSpec(player=player, model="pictures", parameters=generator)
    pair = Submission(schema_=1, name="Pair", describer=words, generator=pictures, licence="CC0-1.0")
    return RunPrices(Prices(prices), pair)


def spoken(**usage: Any) -> Call:
    return Call(episode_id="e", turn=1, role="describer", text="words", usage=Usage(**usage), seconds=1)


def drawn(*failed: str, **used: Any) -> Call:
    made = [Attempt.model_validate({"kind": kind, "seconds": 1}) for kind in (*failed, "answered")]
    picture, usage = Rendering(sha256="0" * 64, width=8, height=8), Usage(requests=len(made), **used)
    about: dict[str, Any] = {"episode_id": "e", "turn": 1, "role": "generator", "seconds": 1}
    return Call(rendering=picture, usage=usage, attempts=tuple(made), **about)


def test_tokens_are_priced_by_the_million() -> None:
    prices = prices_of({}, words=Price(input=2.5, output=10, **SEEN))
    call = spoken(prompt_tokens=1_000_000, completion_tokens=200_000, reasoning_tokens=150_000)
    assert prices.cost(call) == pytest.approx(2.5 + 2.0)
    prices = prices_of({}, words=Price(input=2.5, output=10, reasoning=4, **SEEN))
    assert prices.cost(call) == pytest.approx(2.5 + 0.5 + 0.6)


def test_tokens_from_the_cache_have_a_price_of_their_own() -> None:
    call = spoken(prompt_tokens=1_000_000, completion_tokens=0, cached_tokens=600_000)
    assert prices_of({}, words=Price(input=5, output=25, cached=0.5, **SEEN)).cost(call) == pytest.approx(2.0 + 0.3)
    assert prices_of({}, words=Price(input=5, output=25, **SEEN)).cost(call) == pytest.approx(5.0)


def test_what_the_provider_reports_goes_before_any_table() -> None:
    prices = prices_of({}, words=Price(input=2.5, output=10, **SEEN))
    assert prices.cost(spoken(prompt_tokens=10, completion_tokens=10, cost_usd=0.75)) == 0.75


def test_nothing_is_guessed() -> None:
    assert prices_of({}).cost(spoken(prompt_tokens=10, completion_tokens=10)) is None
    assert prices_of({}, words=Price(input=1, output=1, **SEEN)).cost(spoken()) is None
    elsewhere = Price(host="other.example", input=1, output=1, **SEEN)
    assert prices_of({}, words=elsewhere).cost(spoken(prompt_tokens=10)) is None


@pytest.mark.parametrize(
    ("parameters", "cost"),
    [
        ({"size": "512x512", "quality": "low"}, 0.01),
        ({"size": "512x512", "quality": "high"}, 0.04),
        ({"size": "64x64", "quality": "low"}, None),
        ({}, None),
    ],
)
def test_images_are_priced_by_size_and_quality(parameters: dict[str, Any], cost: float | None) -> None:
    table = Price(input=1, output=1, images={"512x512/low": 0.01, "512x512/*": 0.04}, **SEEN)
    assert prices_of(parameters, pictures=table).cost(drawn()) == cost


def test_a_model_that_lets_another_one_draw_pays_for_both() -> None:
    thinks = Price(input=10, output=10, **SEEN)
    paints = Price(input=0, output=0, images={"*/low": 0.04}, **SEEN)
    call = drawn(prompt_tokens=1000, completion_tokens=0)
    unnamed = {"quality": "low"}
    named = {"quality": "low", "image_model": "brush"}
    assert prices_of(unnamed, "openai-responses", pictures=thinks, brush=paints).cost(call) is None
    assert prices_of(named, "openai-responses", pictures=thinks, brush=paints).cost(call) == pytest.approx(0.05)


def test_a_picture_that_got_lost_may_have_been_billed() -> None:
    prices = prices_of({}, pictures=Price(input=0, output=0, images={"*/*": 0.04}, **SEEN))
    assert prices.cost(drawn("rate_limit", "server")) == pytest.approx(0.04)
    assert prices.cost(drawn("timeout", "dropped")) == pytest.approx(0.12)


PICTURES = Price(input=0, output=0, images={"*/*": 0.04}, **SEEN)


def failed(role: str, *attempts: Attempt) -> Failure:
    return Failure(episode_id="e", turn=1, role=role, reason="provider_error", detail="lost", attempts=attempts)


@pytest.mark.parametrize("game", ["reasoning", "a-game-that-is-not-installed"])
def test_pictures_that_got_lost_count_in_every_seat_that_draws(game: str) -> None:
    """The seat that draws in another game has another name."""
    where = "https://models.example/v1"
    players = {
        "drawer": PlayerSpec(player="openai-images", model="pictures", base_url=where),
        "reader": PlayerSpec(player="openai", model="words", base_url=where),
    }
    pair = Submission.model_validate({"schema": 1, "name": "Pair", "game": game, "licence": "CC0-1.0", **players})
    prices = RunPrices(Prices({"pictures": PICTURES}), pair)
    lost = failed("drawer", *[Attempt(kind="timeout", seconds=1)] * 5)
    assert count_doubtful_images(lost, prices) == 5
    assert prices.cost(lost) == pytest.approx(5 * 0.04)
    assert count_doubtful_images(failed("reader", *lost.attempts), prices) == 0


def test_what_the_provider_reports_and_what_got_lost_add_up() -> None:
    prices = prices_of({}, pictures=PICTURES)
    attempts = (Attempt(kind="timeout", seconds=1), Attempt(kind="answered", status=200, seconds=1, cost_usd=0.25))
    call = drawn().model_copy(update={"attempts": attempts, "usage": sum_usage(attempts)})
    assert prices.cost(call) == pytest.approx(0.25 + 0.04)
    # The picture that got lost has no known price, so the sum has none.
    assert prices_of({}).cost(call) is None
    assert prices_of({}).compute_bill(call) == Billed(known=0.25, lost=1, dearest=0.25)


def test_a_rewriters_requests_are_words_at_a_price_of_their_own() -> None:
    written = Attempt(kind="answered", seconds=1, prompt_tokens=1000, completion_tokens=100, purpose="rewriter")
    lost = Attempt(kind="timeout", seconds=1, purpose="rewriter")
    made = Attempt(kind="answered", seconds=1)
    call = drawn().model_copy(update={"attempts": (lost, written, made), "usage": sum_usage((lost, written, made))})
    words = Price(input=1, output=10, **SEEN)
    prices = prices_of({"rewriter": "pen"}, pictures=PICTURES, pen=words)
    assert count_doubtful_images(call, prices) == 0
    assert prices.cost(call) == pytest.approx(0.04 + (1000 * 1 + 100 * 10) / 1e6)
    assert prices_of({"rewriter": "pen"}, pictures=PICTURES).cost(call) is None


def test_an_unreadable_reply_makes_the_sum_unknown_and_words_that_were_cut_off_do_not() -> None:
    prices = prices_of({}, words=Price(input=1, output=10, **SEEN))
    whole = Attempt(kind="answered", status=200, seconds=1, prompt_tokens=1000, completion_tokens=100)
    for lost, cost in (
        (Attempt(kind="malformed", status=200, seconds=1), None),
        (Attempt(kind="timeout", seconds=1), 0.002),
        (Attempt(kind="malformed", status=200, seconds=1, cost_usd=0.5), 0.502),
    ):
        call = spoken().model_copy(update={"attempts": (lost, whole), "usage": sum_usage((lost, whole))})
        assert prices.cost(call) == (None if cost is None else pytest.approx(cost))


def test_a_sum_holds_the_known_part_of_an_answer_of_unknown_cost() -> None:
    attempts = (Attempt(kind="malformed", status=200, seconds=1, cost_usd=0.5), Attempt(kind="timeout", seconds=1))
    totals = Totals.of([failed("describer", *attempts)], prices_of({}))
    assert totals.cost_text() == "0.5000 US$ and 1 answer of unknown cost"
    assert (totals.as_dict()["cost_usd"], totals.as_dict()["cost_known"]) == (0.5, False)


def test_the_built_in_table_says_when_and_where() -> None:
    models = read_prices().models
    assert models["gpt-4o"].input == 2.5
    assert all(model.source.startswith("https://") and model.date.year >= 2025 for model in models.values())


def test_a_table_of_ones_own_goes_on_top(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("models: {gpt-4o: {input: 1, output: 2, date: 2026-01-01, source: a contract}}")
    models = read_prices(tmp_path / "mine.yaml").models
    assert (models["gpt-4o"].input, models["gpt-4.1"].input) == (1, 2)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("models: {m: {input: -1, output: 1, date: 2026-01-01, source: x}}", "models.m.input"),
        ("models: {m: {input: 1, output: 1, source: x}}", "models.m.date: is missing"),
        ("models: {m: {input: 1, date: 2026-01-01, source: x}}", "both input and output"),
        ("models: {m: {date: 2026-01-01, source: x}}", "give input and output, or images"),
        ("models: {m: {inptu: 1, output: 1, date: 2026-01-01, source: x}}", "models.m.inptu: unknown key"),
        ("models: {m: {input: 1, output: 1, images: {1x1/low: -2}, date: 2026-01-01, source: x}}", "models.m.images"),
        ("models: {m: {input: 1, output: 1, images: {1x1: 2}, date: 2026-01-01, source: x}}", "models.m.images.1x1"),
        ("models: [", "not valid YAML"),
        ("- 1", "not a mapping"),
    ],
)  # fmt: skip
def test_a_bad_table_is_refused_in_one_line(tmp_path: Path, text: str, problem: str) -> None:
    (tmp_path / "mine.yaml").write_text(text)
    with pytest.raises(InputError) as caught:
        read_prices(tmp_path / "mine.yaml")
    assert problem in caught.value.problem
    assert "mine.yaml" in caught.value.problem


def shown(run: Path, capsys: pytest.CaptureFixture[str], *more: str) -> dict[str, Any]:
    capsys.readouterr()
    assert ircore(["show", str(run), "--json", *more]) == 0
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    return document


@pytest.mark.slow
def test_show_says_tokens_images_and_cost_of_run_and_episodes(
    tmp_path: Path, instances: InstanceSet, server: OpenAIServer, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "prices.yaml").write_text(PRICES)
    submission = served_pair(tmp_path, server.base_url, {"api": "responses"}, size="64x64", quality="low")
    server.fail("drop", model="a-generator")
    more = ("--prices", str(tmp_path / "prices.yaml"), "--limit", "2", "--concurrency", "1")
    assert play_pair(submission, instances, tmp_path / "run", *more) == 0
    (tmp_path / "prices.yaml").unlink()
    # A message: 900 tokens read and 100 written. A picture: 50 and 272. One of five pictures got lost on its way.
    episode = 3 * (900 * 10 + 100 * 100) / 1e6 + 2 * (50 * 20 + 272 * 50) / 1e6
    summary = shown(tmp_path / "run", capsys)
    assert summary["tokens"]["prompt_tokens"] == 2 * (3 * 900 + 2 * 50)
    assert (summary["images"], summary["images_perhaps_billed"], summary["cost_known"]) == (4, 1, True)
    assert summary["cost_usd"] == pytest.approx(2 * episode + 0.5)
    assert [item["cost_usd"] for item in summary["per_episode"]] == pytest.approx([episode + 0.5, episode])
    assert summary["requests"] == {"describer": 6, "generator": 5, "judge": 0}
    assert ircore(["show", str(tmp_path / "run")]) == 0
    out = capsys.readouterr().out
    assert "images    4; 1 more may have been billed" in out
    assert f"cost      {2 * episode + 0.5:.4f} US$\n" in out


@pytest.mark.slow
def test_what_is_not_known_is_said(
    tmp_path: Path, instances: InstanceSet, server: OpenAIServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert play_pair(served_pair(tmp_path, server.base_url), instances, tmp_path / "run", "--limit", "1") == 0
    # The describer's provider reports 0.001 US$ an answer; nobody knows what a picture costs.
    summary = shown(tmp_path / "run", capsys)
    assert (summary["cost_usd"], summary["cost_known"]) == (pytest.approx(0.003), False)
    assert ircore(["show", str(tmp_path / "run")]) == 0
    assert "0.0030 US$, not counting answers of unknown cost" in capsys.readouterr().out
    (tmp_path / "prices.yaml").write_text(PRICES)
    later = shown(tmp_path / "run", capsys, "--prices", str(tmp_path / "prices.yaml"))
    assert (later["cost_usd"], later["cost_known"]) == (pytest.approx(0.003 + 2 * 0.0146), True)


def test_a_dry_run_says_what_a_run_may_cost(
    tmp_path: Path, instances: InstanceSet, server: OpenAIServer, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "prices.yaml").write_text(PRICES)
    submission = served_pair(tmp_path, server.base_url, size="64x64", quality="low")
    more = ("--dry-run", "--max-turns", "1", "--token-budget", "100", "--prices", str(tmp_path / "prices.yaml"))
    assert play_pair(submission, instances, tmp_path / "run", *more) == 0
    out = capsys.readouterr().out
    # 4 episodes of one turn: 4 messages of 100 tokens, 4 pictures at 0.5 US$ for 4 messages read.
    assert "at most 4 describer requests, " in out
    assert f"4 images, 400 tokens read, 4,000 written: about {4 * 0.5 + 400 * 20 / 1e6:.2f} US$" in out
    assert "a picture read is 1,000 tokens" in out
    assert server.count() == 0
    assert play_pair(submission, instances, tmp_path / "run", "--dry-run") == 0
    assert "no price of a-describer is known (--prices FILE)" in capsys.readouterr().out


@pytest.mark.slow
def test_a_run_stops_at_its_cost_and_goes_on_with_more(
    tmp_path: Path, instances: InstanceSet, server: OpenAIServer, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "prices.yaml").write_text(PRICES)
    submission = served_pair(tmp_path, server.base_url)
    more = ("--prices", str(tmp_path / "prices.yaml"), "--concurrency", "1")
    # 0.001 + 0.0146 US$ a turn: the second picture brings the run to 0.0312.
    assert play_pair(submission, instances, tmp_path / "run", *more, "--max-cost", "0.03") == 1
    assert server.count() == 4
    error = capsys.readouterr().err
    assert "ircore: --max-cost: 0.0312 US$ of 0.03 US$ spent\n" in error
    assert "Traceback" not in error
    assert play_pair(submission, instances, tmp_path / "run", *more, "--max-cost", "0.03") == 1
    assert server.count() == 4
    assert play_pair(submission, instances, tmp_path / "run", *more, "--max-cost", "10") == 0
    assert server.count() == 20


def test_a_limit_needs_prices_before_anything_is_asked(
    tmp_path: Path, instances: InstanceSet, server: OpenAIServer, capsys: pytest.CaptureFixture[str]
) -> None:
    submission = served_pair(tmp_path, server.base_url)
    assert play_pair(submission, instances, tmp_path / "run", "--max-cost", "5") == 2
    assert server.count() == 0
    assert not (tmp_path / "run").exists()
    problem, remedy = capsys.readouterr().err.splitlines()
    assert problem == f"ircore: --max-cost: what the describer costs is not known (a-describer at {server.base_url})"
    assert remedy == (
        "  A server of your own costs nothing: leave --max-cost out, or give prices with --prices FILE "
        "(docs/costs.md), such as models: {a-describer: {input: 0, output: 0, date: YYYY-MM-DD, source: …}}"
    )


def test_only_a_service_without_a_price_is_refused_a_limit() -> None:
    known = Prices({"priced": Price(input=1, output=1, date="2026-11-22", source="by hand")})
    check_limit({"describer": PlayerSpec(player="openai", model="priced")}, known)
    check_limit({"describer": PlayerSpec(player="classical")}, known)
    check_limit({"describer": PlayerSpec(player="openai", model="m", base_url="https://openrouter.ai/api/v1")}, known)
    with pytest.raises(InputError, match=r"what the describer costs is not known \(m\)") as refused:
        check_limit({"describer": PlayerSpec(player="openai", model="m")}, known)
    assert refused.value.remedy.startswith("Leave --max-cost out, or give prices with --prices FILE")


def play(folder: Path, server: OpenAIServer, instances: InstanceSet, out: str, *more: str) -> RunFolder:
    pair = served_pair(folder, server.base_url)
    assert play_pair(pair, instances, folder / out, "--cache", str(folder / "cache"), *more) == 0
    return RunFolder(folder / out)


@pytest.mark.slow
def test_a_second_run_asks_nothing(tmp_path: Path, instances: InstanceSet, server: OpenAIServer) -> None:
    first = play(tmp_path, server, instances, "one", "--cache-generators")
    asked = server.count()
    second = play(tmp_path, server, instances, "two", "--cache-generators")
    assert server.count() == asked == 4 * 5
    shown = [[turn.rendering for turn in list_turns(episode)] for episode in second.episodes()]
    assert shown == [[turn.rendering for turn in list_turns(episode)] for episode in first.episodes()]
    assert all(second.rendering(item).pixels.size for row in shown for item in row if item)
    assert sum(summarise(second)["requests"].values()) == 0


@pytest.mark.slow
def test_generators_are_asked_again_unless_told_otherwise(
    tmp_path: Path, instances: InstanceSet, server: OpenAIServer
) -> None:
    play(tmp_path, server, instances, "one")
    play(tmp_path, server, instances, "two")
    # Four first messages were kept; what follows a new picture is a new question.
    assert server.count("/images/generations") == 8
    assert server.count("/chat/completions") == 12 + 8


@pytest.mark.slow
def test_another_seed_is_another_sample(tmp_path: Path, instances: InstanceSet, server: OpenAIServer) -> None:
    play(tmp_path, server, instances, "one", "--cache-generators", "--limit", "1")
    asked = server.count()
    play(tmp_path, server, instances, "two", "--cache-generators", "--limit", "1", "--seed", "1")
    assert server.count() == 2 * asked


SPEC = PlayerSpec(player="openai", model="m", api_key_env="A_KEY", parameters={"temperature": 0})


PLAYERS = {"describer": SPEC, "generator": SPEC}


@pytest.mark.parametrize("content", [b"", b'{"text": 3}', b'{"tex', b"\xff\xfe"])
def test_a_damaged_or_empty_file_of_the_cache_is_a_miss(tmp_path: Path, instances: InstanceSet, content: bytes) -> None:
    picture = instances.picture(instances.instances[0], "target")
    cache = Cache(tmp_path, PLAYERS, generators=True)
    question = GeneratorView(1, "A square.", (), None, 7, "A square.")
    drawn = PictureAnswer(picture, ("a note",))
    cache.keep(GENERATOR, question, drawn)
    kept = cache.answer(GENERATOR, question)
    assert isinstance(kept, PictureAnswer)
    assert (kept.picture.data, kept.notes, kept.usage.requests) == (picture.data, ("a note",), 0)
    for pattern in ("pictures/*/*.png", "answers/*/*.json"):
        (file,) = tmp_path.glob(pattern)
        file.write_bytes(content)
        assert cache.answer(GENERATOR, question) is None
        cache.keep(GENERATOR, question, drawn)  # and is mended by the next answer
        again = cache.answer(GENERATOR, question)
        assert isinstance(again, PictureAnswer)
        assert again.picture.sha256 == kept.picture.sha256


def test_a_picture_that_was_changed_without_changing_its_size_is_a_miss(tmp_path: Path, instances: InstanceSet) -> None:
    picture = instances.picture(instances.instances[0], "target")
    cache = Cache(tmp_path, PLAYERS, generators=True)
    question = GeneratorView(1, "A square.", (), None, 7, "A square.")
    cache.keep(GENERATOR, question, PictureAnswer(picture))
    (file,) = tmp_path.glob("pictures/*/*.png")
    file.write_bytes(picture.data[:60] + bytes(len(picture.data) - 60))
    assert cache.answer(GENERATOR, question) is None
    cache.keep(GENERATOR, question, PictureAnswer(picture))
    assert cache.answer(GENERATOR, question) is not None


@pytest.mark.slow
def test_a_cache_that_cannot_be_written_costs_no_answer(
    tmp_path: Path, server: OpenAIServer, instances: InstanceSet, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "cache").write_text("a file where a folder should be")
    run = play(tmp_path, server, instances, "one", "--concurrency", "4")
    assert len(run.calls()) == server.count() == 4 * 5
    said = [line for line in capsys.readouterr().err.splitlines() if "--cache" in line]
    assert len(said) == 1
    assert "answers are kept in the run all the same" in said[0]


def test_generators_need_a_cache(tmp_path: Path, instances: InstanceSet) -> None:
    given = ["--instances", str(instances.folder), "--out", str(tmp_path / "run"), "--cache-generators"]
    assert ircore(["play", "submissions/builtin-classical-canvas", *given]) == 2
