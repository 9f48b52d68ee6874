"""What services mean by their errors: the real client over loopback, the forms of each service, the whole engine."""

import asyncio
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from pairs import play_pair, write_pair
from samples import sample_instances
from service_errors import FORMS, ErrorService, Form, answering, openai

from ircore.commands.main import run as ircore
from ircore.core.episode_records import Attempt, FaultKind
from ircore.core.records import PlayerSpec
from ircore.instances.store import InstanceSet
from ircore.players import calls
from ircore.players.base import Captioned, PlayerError, Question
from ircore.players.calls import HARD, ProviderStopError
from ircore.players.examination import build_shown_picture
from ircore.players.openai.players import OpenAIDescriber, OpenAIImagesGenerator
from ircore.players.openai.provider_errors import (
    LONGEST_BODY,
    find_meaning,
    find_response_fault,
    load_meaning_table,
    read_error,
)
from ircore.runs.folder import RunFolder

GENERATORS_OF = {"Black Forest Labs", "Stability", "fal", "Replicate", "ComfyUI"}
"""Services that make pictures, and are asked for one."""


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "BACKOFF_S", 0.01)
    monkeypatch.setattr(calls, "LONGEST_BACKOFF_S", 0.05)


@pytest.fixture
def service() -> Iterator[ErrorService]:
    with answering() as server:
        yield server


def first_attempt(service: ErrorService, draws: bool, transport: str) -> Attempt:
    """Ask a question and return how its first request ended."""
    parameters = {"deadline_s": 30, "timeout_s": 20, "transport": transport}
    spec = PlayerSpec(player="openai", model="m", base_url=service.base_url, parameters=parameters)

    async def ask() -> Attempt:
        player: Any = OpenAIImagesGenerator(spec) if draws else OpenAIDescriber(spec)
        question = (
            Question(1, "Draw.", answers="picture")
            if draws
            else Question(1, "Which?", (Captioned("", build_shown_picture()),))
        )
        try:
            answer = await player.answer(question)
        except (PlayerError, ProviderStopError) as error:
            return error.attempts[0]
        finally:
            await player.close()
        raise AssertionError(f"answered: {answer}")

    return asyncio.run(ask())


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMS)
def test_the_forms_of_a_service_are_understood(
    name: str, service: ErrorService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        calls.Caller, "_wait", lambda *_: 60.0
    )  # the deadline ends each question after its first request
    wrong = []
    for number, form in enumerate(FORMS[name]):
        service.form = form
        attempt = first_attempt(service, name in GENERATORS_OF, ("aiohttp", "httpx")[number % 2])
        if attempt.kind != form.meaning:
            wrong.append((form.meaning, attempt.kind, attempt.detail))
    assert not wrong


@pytest.mark.slow
def test_each_service_that_is_named_has_its_rules_and_its_source() -> None:
    rules = load_meaning_table().rules
    assert all(rule.source and (rule.status or rule.codes or rule.words) for rule in rules)
    named = {rule.service for rule in rules}
    assert {name.split(",")[0] for name in FORMS} <= named
    assert set(load_meaning_table().meanings) == set(get_args(FaultKind))


def test_what_an_error_repeats_of_the_question_decides_nothing() -> None:
    body = {
        "detail": [
            {
                "loc": ["body"],
                "msg": "Field required",
                "input": {"prompt": "nsfw, insufficient credits, api key invalid"},
            }
        ]
    }
    assert find_meaning(422, read_error(json.dumps(body))).kind == "rejected"


@pytest.mark.parametrize(
    "body",
    [
        "[" * 100_000, '{"a":' * 50_000, "<" * 200_000, "x" * 3_000_000, json.dumps({"a": "{" * 9_000}),
        json.dumps({"error": ["rate limit"] * 100_000}),
    ],
)  # fmt: skip
def test_an_error_of_any_size_and_depth_is_read_within_bounds(body: str) -> None:
    error = read_error(body)
    assert len(error.explanation) <= LONGEST_BODY + 100
    assert find_meaning(400, error).kind in get_args(FaultKind)


@pytest.mark.parametrize(
    ("words", "seconds"),
    [("Please try again in 7m12.5s.", 432.5), ("Please retry in 44.2s", 44.2), ("try again in 120ms", 0.12),
     ("Expected available in 1 s", 1.0), ("try again later", None), ("try again in 2h0m3s", 7203.0)],
)  # fmt: skip
def test_a_pause_that_stands_in_the_words_is_kept(words: str, seconds: float | None) -> None:
    assert find_response_fault(429, {}, json.dumps(openai(words))).retry_after == seconds
    assert find_response_fault(429, {"retry-after": "3"}, json.dumps(openai(words))).retry_after == 3


# What each meaning does, through the engine.

REFUSED = Form(403, {"code": "permission-denied", "error": "Content violates usage guidelines. "}, "refused")
DESCRIBED = {"choices": [{"finish_reason": "stop", "message": {"content": "<DESCRIPTION>A red disc.</DESCRIPTION>"}}]}


@pytest.fixture(scope="module")
def instances(tmp_path_factory: pytest.TempPathFactory) -> InstanceSet:
    return sample_instances(tmp_path_factory.mktemp("set"))


def play(folder: Path, service: ErrorService, instances: InstanceSet, *more: str) -> int:
    describer = {"player": "openai", "model": "m", "base_url": service.base_url, "parameters": {"deadline_s": 3}}
    pair = write_pair(folder, describer, {"player": "sketch"})
    return play_pair(pair, instances, folder / "run", "--limit", "3", "--concurrency", "1", "--max-turns", "1", *more)


def outcomes(folder: Path) -> list[str | None]:
    return [episode.abort_reason or episode.outcome for episode in RunFolder(folder / "run").episodes()]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("form", "reason"),
    [
        (REFUSED, "describer_refused"),
        (Form(400, openai("Too many images provided. This model supports up to 5 images"), ""), "too_many_pictures"),
        (Form(400, openai("prompt is too long: 210000 tokens > 200000 maximum"), ""), "context_too_long"),
    ],
)
def test_a_refusal_and_a_limit_abort_the_episode_and_the_run_goes_on(
    tmp_path: Path, service: ErrorService, instances: InstanceSet, form: Form, reason: str
) -> None:
    service.form, service.first, service.good = form, 1, DESCRIBED
    assert play(tmp_path, service, instances) == 0
    assert outcomes(tmp_path) == [reason, "turn_limit", "turn_limit"]
    assert service.asked == 3
    assert play(tmp_path, service, instances) == 0
    assert service.asked == 3  # none of it is asked again


@pytest.mark.slow
def test_an_error_that_no_rule_knows_is_not_asked_about_for_an_hour(service: ErrorService) -> None:
    """Status 500 in the same words, again and again; any other overload is asked again until the deadline."""
    service.form = Form(500, openai("Something about this question is odd"), "server")
    spec = PlayerSpec(player="openai", model="m", base_url=service.base_url)

    async def ask() -> tuple[Attempt, ...]:
        player = OpenAIDescriber(spec)
        try:
            with pytest.raises(PlayerError, match="is odd") as caught:
                await player.answer(Question(1, "Which?"))
            return caught.value.attempts
        finally:
            await player.close()

    assert [attempt.kind for attempt in asyncio.run(ask())] == ["server"] * 20


def test_the_docs_say_what_each_meaning_does() -> None:
    page = (Path(__file__).parents[3] / "docs" / "players.md").read_text()
    errors = {rule.meaning for rule in load_meaning_table().rules} | {"answer_too_long", "rejected"}
    assert {kind for kind in errors if f"`{kind}`" not in page} == {"timeout"}  # which is told apart from no error
    assert {"no_credit", "denied", "not_found", "unsupported"} <= HARD


SAID = "x\n::add-mask::y\n##[error]z\r\n ::stop-commands::q\u2028::error::\x1b[2J"
COMMAND = re.compile(r"^\s*(::|##\[)", re.MULTILINE)


@pytest.mark.attack
@pytest.mark.slow
@pytest.mark.parametrize("status", [200, 400, 401, 404])
def test_nothing_that_it_says_begins_a_line(tmp_path: Path, status: int, capfd: pytest.CaptureFixture[str]) -> None:
    sample_instances(tmp_path / "set")
    said = {"choices": [{"message": {"content": f"<DESCRIPTION>{SAID}</DESCRIPTION>"}}]}
    failed = {"error": {"message": SAID, "code": SAID}}
    run = str(tmp_path / "run")
    few = ["--instances", str(tmp_path / "set"), "--limit", "1", "--max-turns", "2"]
    with answering(Form(status, said if status == 200 else failed, "")) as service:
        seat = {"player": "openai", "model": "m", "base_url": service.base_url}
        pair = str(write_pair(tmp_path, seat, {"player": "sketch"}))
        assert ircore(["play", pair, *few, "--out", run]) == (status != 200)
    ircore(["score", run, "--judge", "structural", "--metric", "psnr"])
    ircore(["results", run])
    told = "\n".join(capfd.readouterr())
    assert status == 200 or "add-mask" in told
    assert not COMMAND.search(told)
    assert "\x1b" not in told
