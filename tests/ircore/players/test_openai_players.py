"""Players behind an OpenAI-compatible service: the real client, real HTTP on loopback, the real command."""

import base64
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from openai_server import OpenAIServer, serving
from pairs import play_pair as play
from pairs import write_pair

from ircore.commands.main import run as ircore
from ircore.core.errors import InputError
from ircore.core.records import PlayerSpec
from ircore.games.reconstruction.records import Rules, list_rendered_turns
from ircore.instances.store import InstanceSet
from ircore.players.builtin import editor as editor
from ircore.players.calls import sum_usage
from ircore.players.openai.players import OpenAIDescriber
from ircore.runs.events import Call, Failure
from ircore.runs.folder import RunFolder

pytestmark = pytest.mark.slow

KEY = "sk-planted/Key+4242=secret"
PAIRS = (("openai-images", "chat"), ("openai-chat", "responses"), ("openai-responses", "chat"))
GENERATORS = tuple(generator for generator, _ in PAIRS)


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_API_KEY", KEY)


def manifest(
    folder: Path,
    server: OpenAIServer,
    generator: str = "openai-images",
    describer: dict[str, Any] | None = None,
    draws: dict[str, Any] | None = None,
) -> Path:
    """Write a submission whose two models are at the server; ``describer`` and ``draws`` are their parameters."""
    seats = {
        seat: {
            "player": player, "model": f"a-{seat}", "base_url": server.base_url, "api_key_env": "TEST_API_KEY",
            "parameters": parameters or {},
        }
        for seat, player, parameters in (("describer", "openai", describer), ("generator", generator, draws))
    }  # fmt: skip
    return write_pair(folder, **seats)


def attempts(run: RunFolder) -> Counter[str]:
    """Count the attempts in the journal by kind."""
    asked: list[Call | Failure] = [*run.calls().values(), *run.failures()]
    return Counter(attempt.kind for answer in asked for attempt in answer.attempts)


@pytest.mark.parametrize(("generator", "api"), PAIRS)
def test_a_run_from_end_to_end(
    tmp_path: Path, instances: InstanceSet, server: OpenAIServer, generator: str, api: str
) -> None:
    assert play(manifest(tmp_path, server, generator, {"api": api}), instances, tmp_path / "run") == 0
    run = RunFolder(tmp_path / "run")
    assert {episode.outcome for episode in run.episodes()} == {"converged"}
    assert {len(list_rendered_turns(episode)) for episode in run.episodes()} == {2}
    # 4 episodes: 3 questions to the describer (two messages, done) and 2 to the generator, each asked once.
    assert server.count() == 20 == sum(attempts(run).values())
    assert len(list((run.path / "renderings").iterdir())) == 8
    first = run.calls()[("geometry-easy-01", 1, "describer")]  # type: ignore[index]
    assert (first.usage.requests, first.usage.prompt_tokens, first.usage.reasoning_tokens) == (1, 900, 64)
    assert first.attempts[0].status == 200
    assert first.attempts[0].received > 100


def test_what_a_describer_is_sent(tmp_path: Path, instances: InstanceSet, server: OpenAIServer) -> None:
    parameters = {"detail": "high", "temperature": 0.5, "reasoning_effort": "low", "extra_body": {"top_k": 5}}
    play(manifest(tmp_path, server, describer=parameters), instances, tmp_path / "run", "--limit", "1")
    run = RunFolder(tmp_path / "run")
    last = [request for request in server.seen if request.path == "/chat/completions"][-1]
    assert last.headers["authorization"] == f"Bearer {KEY}"
    assert {name: item for name, item in last.document.items() if name != "messages"} == {
        "model": "a-describer", "max_completion_tokens": 16_000, "temperature": 0.5, "reasoning_effort": "low",
        "top_k": 5, "stream": False,
    }  # fmt: skip
    messages = last.document["messages"]
    assert [message["role"] for message in messages] == ["user", "assistant"] * 2 + ["user"]
    shown = [message["content"][1]["image_url"] for message in messages if message["role"] == "user"]
    assert {item["detail"] for item in shown} == {"high"}
    sent = [base64.b64decode(item["url"].removeprefix("data:image/png;base64,")) for item in shown]
    instance, episode = run.instances.instances[0], run.episodes()[0]
    renderings = [run.rendering(turn.rendering).data for turn in list_rendered_turns(episode) if turn.rendering]
    assert sent == [run.instances.picture(instance, "target").data, *renderings]
    assert messages[1]["content"].startswith("<DESCRIPTION>Message 1")


@pytest.mark.parametrize("generator", GENERATORS)
def test_a_generator_is_sent_the_dialogue_and_its_own_picture(
    tmp_path: Path, instances: InstanceSet, server: OpenAIServer, generator: str
) -> None:
    play(manifest(tmp_path, server, generator), instances, tmp_path / "run", "--limit", "1")
    run = RunFolder(tmp_path / "run")
    first, second = (request for request in server.seen if request.document["model"] == "a-generator")
    messages = [turn.message or "" for turn in list_rendered_turns(run.episodes()[0])]
    assert messages[0] in json.dumps(first.document)
    assert "oldest first" not in json.dumps(first.document)
    later = json.dumps(second.document)
    assert later.index(messages[0]) < later.index(messages[1])
    rendering = list_rendered_turns(run.episodes()[0])[0].rendering
    assert rendering is not None
    picture = run.rendering(rendering).data
    assert picture == second.files.get("image") or base64.b64encode(picture).decode() in later
    target = base64.b64encode(run.instances.picture(run.instances.instances[0], "target").data).decode()
    assert target not in json.dumps(first.document) + later


RETRIED = {
    "rate_limit": "rate_limit", "rate_limit_ms": "rate_limit", "rate_limit_bare": "rate_limit",
    "server_error": "server", "drop": "dropped", "truncate": "dropped", "html": "server", "wrong_type": "malformed",
    "error_in_body": "server", "empty_choices": "malformed", "cut_off": "cut_off", "empty": "empty",
    "filtered": "filtered",
}  # fmt: skip
PICTURES = {
    "drop": "dropped", "truncate": "dropped", "wrong_type": "malformed", "tiny": "bad_image", "huge": "bad_image",
    "not_image": "bad_image", "no_image": "no_image",
}  # fmt: skip


@pytest.mark.parametrize(
    ("generator", "api", "transport"),
    [
        ("openai-images", "chat", "httpx"),
        ("openai-chat", "responses", "httpx"),
        ("openai-responses", "chat", "aiohttp"),
    ],
)
def test_every_passing_fault_is_retried_and_recorded(
    tmp_path: Path, instances: InstanceSet, generator: str, api: str, transport: str
) -> None:
    if transport == "aiohttp":
        pytest.importorskip("aiohttp")
    with serving(turns=30) as server:
        submission = manifest(
            tmp_path, server, generator, {"api": api, "transport": transport}, {"transport": transport}
        )
        for fault in RETRIED:
            server.fail(fault, "ok", model="a-describer")
        for fault in PICTURES:
            server.fail(fault, "ok", model="a-generator")
        assert play(submission, instances, tmp_path / "run", "--limit", "1", "--max-turns", "13") == 0
        expected = Counter((*RETRIED.values(), *PICTURES.values()))
        assert attempts(RunFolder(tmp_path / "run")) == expected + Counter(answered=26)
        assert server.count() == expected.total() + 26
    assert ircore(["show", str(tmp_path / "run"), "--json"]) == 0


@pytest.mark.parametrize(
    ("model", "fault", "times", "reason", "said"),
    [
        ("a-describer", "refusal", 1, "describer_refused", "I cannot help with that"),
        ("a-describer", "moderation", 1, "describer_refused", "rejected by the safety system"),
        ("a-describer", "filtered", 2, "describer_refused", "filter withheld"),
        ("a-describer", "empty", 3, "describer_empty", "the answer is empty"),
        ("a-generator", "refusal", 1, "generator_refused", "I cannot help with that"),
        ("a-generator", "moderation", 1, "generator_refused", "rejected by the safety system"),
        ("a-generator", "no_image", 3, "generator_no_image", "Shall I draw it in oil?"),
        ("a-generator", "tiny", 3, "generator_no_image", "1 × 1 pixels"),
        ("a-generator", "not_image", 3, "generator_no_image", "not a PNG, JPEG, WebP or GIF"),
        ("a-generator", "huge", 3, "generator_no_image", "8000 × 6250 pixels is too large"),
    ],
)  # fmt: skip
def test_an_answer_withheld_ends_the_episode_with_what_the_provider_said(
    tmp_path: Path,
    instances: InstanceSet,
    server: OpenAIServer,
    model: str,
    fault: str,
    times: int,
    reason: str,
    said: str,
) -> None:
    server.fail(*[fault] * times, model=model)
    submission = manifest(tmp_path, server, "openai-chat")
    assert play(submission, instances, tmp_path / "run", "--concurrency", "1") == 0
    first, *others = RunFolder(tmp_path / "run").episodes()
    assert first.abort_reason == reason
    assert said in (first.detail or "")
    assert {episode.outcome for episode in others} == {"converged"}
    (failure,) = RunFolder(tmp_path / "run").failures()
    assert len(failure.attempts) == times
    # Such an episode is over: it is not played again.
    before = server.count()
    assert play(submission, instances, tmp_path / "run") == 0
    assert server.count() == before


def test_a_stalled_answer_is_given_up_and_asked_for_again(
    tmp_path: Path, instances: InstanceSet, server: OpenAIServer
) -> None:
    server.fail("stall", model="a-generator")
    server.fail("stall", model="a-describer")
    submission = manifest(tmp_path, server, describer={"timeout_s": 1}, draws={"timeout_s": 1})
    assert play(submission, instances, tmp_path / "run", "--limit", "1") == 0
    made = attempts(RunFolder(tmp_path / "run"))
    # On a machine that stands still for a second, other answers come too late as well.
    assert (set(made), made["answered"], server.faults["stall"]) == ({"answered", "timeout"}, 5, 2)
    assert made["timeout"] >= 2


@pytest.mark.parametrize("transport", ["httpx", "aiohttp"])
def test_a_server_that_is_not_there(
    tmp_path: Path, instances: InstanceSet, transport: str, capsys: pytest.CaptureFixture[str]
) -> None:
    if transport == "aiohttp":
        pytest.importorskip("aiohttp")
    with serving() as server:
        pass
    submission = manifest(tmp_path, server, describer={"transport": transport})
    assert play(submission, instances, tmp_path / "run", "--concurrency", "1") == 1
    problem, advice = capsys.readouterr().err.splitlines()[-2:]
    assert problem.startswith(f"ircore: openai, model a-describer at {server.base_url}: ")
    assert advice.startswith("  Check base_url in the manifest and the network")
    (failure,) = RunFolder(tmp_path / "run").failures()
    assert [attempt.kind for attempt in failure.attempts] == ["unreachable"] * 5
    assert sum_usage(failure.attempts).requests == 0


@pytest.mark.parametrize(
    ("fault", "line", "remedy"),
    [
        ("unauthorized", "HTTP 401: Incorrect API key provided", "Check the key in TEST_API_KEY"),
        ("no_model", "HTTP 404: The model does not exist", "Check model and base_url"),
        ("no_quota", "HTTP 429: You exceeded your current quota", "Add credit"),
    ],
)
def test_a_hard_failure_stops_the_run_at_once_and_loses_nothing(
    tmp_path: Path,
    instances: InstanceSet,
    server: OpenAIServer,
    fault: str,
    line: str,
    remedy: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    server.fail("ok", "ok", fault, model="a-generator")
    submission = manifest(tmp_path, server)
    assert play(submission, instances, tmp_path / "run", "--concurrency", "1") == 1
    problem, advice = [line for line in capsys.readouterr().err.splitlines() if line.startswith(("ircore:", "  "))][-2:]
    assert problem == f"ircore: openai-images, model a-generator at {server.base_url}: {line}"
    assert advice.startswith(f"  {remedy}")
    run = RunFolder(tmp_path / "run")
    assert [failure.reason for failure in run.failures()] == ["stopped"]
    assert (len(run.calls()), server.count()) == (6, 7)
    assert play(submission, instances, tmp_path / "run") == 0
    assert server.count() == 21


@pytest.mark.parametrize(("generator", "api"), PAIRS)
def test_the_key_is_nowhere_but_in_the_request(
    tmp_path: Path, instances: InstanceSet, generator: str, api: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """The server repeats what it got in headers, errors, refusals and the describer's own words."""
    with serving(echo=True) as server:
        submission = manifest(tmp_path, server, generator, {"api": api})
        server.fail("rate_limit", "server_error", "rate_limit_long", "ok", "refusal", "ok", "ok", model="a-describer")
        server.fail("server_error", "moderation", "long", "no_model", model="a-generator")
        statuses = [play(submission, instances, tmp_path / "run", "--concurrency", "1") for _ in range(3)]
        assert statuses == [1, 1, 0]
        assert server.faults["long"] == server.faults["no_model"] == 1
        ircore(["show", str(tmp_path / "run")])
        assert any(KEY in json.dumps(request.headers) for request in server.seen)
    seen = capfd.readouterr()
    files = [path for path in tmp_path.rglob("*") if path.is_file() and path.suffix != ".png"]
    texts = [seen.out, seen.err, *(path.read_text(errors="replace") for path in files)]
    assert any("[key]" in text for text in texts)
    for text in texts:
        for form in (KEY[:6], KEY[3:-3], "sk-planted%2F", base64.b64encode(KEY.encode()).decode()[:12]):
            assert form not in text


def spec(**given: Any) -> PlayerSpec:
    return PlayerSpec.model_validate({"player": "openai", "model": "m", "base_url": "http://127.0.0.1:1/v1", **given})


@pytest.mark.parametrize(
    ("given", "problem", "remedy"),
    [
        ({"model": None}, "model is missing", "as its provider does"),
        ({"parameters": {"temprature": 1}}, "parameters: unknown parameter 'temprature'", "Did you mean temperature?"),
        ({"parameters": {"temperature": 3}}, "parameters.temperature: must be at most 2", "docs/players.md"),
        ({"parameters": {"temperature": "0"}}, "parameters.temperature: must be a number", "Correct it"),
        ({"parameters": {"top_p": True}}, "parameters.top_p: must be a number", ""),
        ({"parameters": {"timeout_s": 0}}, "parameters.timeout_s: must be more than 0", ""),
        ({"parameters": {"max_side": 99.5}}, "parameters.max_side: must be a whole number", ""),
        ({"parameters": {"structured": "maybe"}}, "parameters.structured: must be true or false", ""),
        ({"parameters": {"extra_body": [1]}}, "parameters.extra_body: must be a mapping", ""),
        ({"parameters": {"api": "completions"}}, "parameters.api: must be 'chat' or 'responses'", ""),
        ({"parameters": {"extra_body": {"stream": True}}}, "parameters.extra_body.stream: is sent by", "Take it out"),
        ({"base_url": "https://api.example/v1"}, "api_key_env is missing", "OPENAI_API_KEY"),
        ({"base_url": None}, "api_key_env is missing", "OPENAI_API_KEY"),
    ],
)
def test_a_wrong_setting_is_named(given: dict[str, Any], problem: str, remedy: str) -> None:
    for make in (OpenAIDescriber.check, OpenAIDescriber):
        with pytest.raises(InputError) as caught:
            make(spec(**given))
        assert caught.value.problem.startswith(problem)
        assert remedy in caught.value.remedy


def test_a_key_with_a_line_break_is_trimmed_and_a_strange_one_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_API_KEY", f"{KEY}\n")
    OpenAIDescriber(spec(api_key_env="TEST_API_KEY"))
    monkeypatch.setenv("TEST_API_KEY", f"{KEY}\nx")
    with pytest.raises(InputError) as caught:
        OpenAIDescriber(spec(api_key_env="TEST_API_KEY"))
    assert KEY not in caught.value.problem + caught.value.remedy


def test_random_faults_lose_no_episode_and_play_none_twice(tmp_path: Path) -> None:
    from samples import sample_instances

    instances = sample_instances(tmp_path / "instances", per_condition=5)
    rates = {"rate_limit": 0.05, "server_error": 0.02, "drop": 0.01, "truncate": 0.01}
    with serving(turns=4, rates=rates, seed=3) as server:
        assert play(manifest(tmp_path, server), instances, tmp_path / "run", "--concurrency", "8") == 0
        run = RunFolder(tmp_path / "run")
        assert [episode.outcome for episode in run.episodes()] == ["converged"] * 20
        assert sum(isinstance(event, Call) for event in run.events()) == 20 * 9 == server.faults["ok"]
        assert sum(attempts(run).values()) == server.count() > 180


def ruled(submission: Path, **rules: str) -> Path:
    document = json.loads(submission.read_text())
    submission.write_text(json.dumps({**document, "rules": rules}))
    return submission


def test_a_service_that_only_draws_from_text_plays_under_redraw(
    tmp_path: Path, instances: InstanceSet, server: OpenAIServer
) -> None:
    submission = ruled(manifest(tmp_path, server), drawing="redraw")
    assert play(submission, instances, tmp_path / "run", "--limit", "1") == 0
    assert (server.count("/images/generations"), server.count("/images/edits")) == (2, 0)
    later = [seen for seen in server.seen if seen.path == "/images/generations"][-1].document["prompt"]
    assert "Message 1: " in later
    assert "Message 2: " in later


def test_a_rewriter_merges_the_dialogue_and_its_prompt_is_kept(
    tmp_path: Path, instances: InstanceSet, server: OpenAIServer
) -> None:
    submission = ruled(manifest(tmp_path, server, draws={"rewriter": "a-rewriter"}), drawing="rewrite")
    assert play(submission, instances, tmp_path / "run", "--limit", "1") == 0
    asked = [seen.document for seen in server.seen if seen.document["model"] == "a-rewriter"]
    (words,) = asked[0]["messages"][0]["content"]
    assert "Message 1: " in words["text"]
    run = RunFolder(tmp_path / "run")
    second = run.calls()[("geometry-easy-01", 2, "generator")]  # type: ignore[index]
    drawn_from = [seen for seen in server.seen if seen.path == "/images/generations"][-1].document["prompt"]
    assert second.notes == (f"prompt 1 of 1: {drawn_from}",)
    assert (len(asked), len(second.attempts), second.usage.requests) == (1, 2, 2)


def test_the_key_is_in_no_prompt_of_a_rewriter(tmp_path: Path, instances: InstanceSet) -> None:
    """The rewriter repeats the key where its prompt is cut into notes."""
    with serving(echo=True) as server:
        server.place = "x" * 1840
        submission = ruled(manifest(tmp_path, server, draws={"rewriter": "a-rewriter"}), drawing="rewrite")
        assert play(submission, instances, tmp_path / "run", "--limit", "1") == 0
    journal = (tmp_path / "run" / "journal.jsonl").read_text()
    assert "[key]" in journal
    notes = [note for call in RunFolder(tmp_path / "run").calls().values() for note in call.notes]
    assert any(note.startswith("prompt 2 of ") for note in notes)
    joined = "".join(note.partition(": ")[2] for note in notes)
    assert KEY[:6] not in journal + joined
    assert KEY[-6:] not in journal + joined


@pytest.mark.parametrize(
    ("draws", "rules", "problem"),
    [
        ({}, {"drawing": "rewrite"}, "generator.parameters.rewriter: is missing"),
        ({"rewriter": "a-rewriter"}, {}, "generator.parameters.rewriter: is asked only with the rule drawing: rewrite"),
    ],
)
def test_a_rewriter_and_its_rule_go_together(
    tmp_path: Path,
    instances: InstanceSet,
    server: OpenAIServer,
    capsys: pytest.CaptureFixture[str],
    draws: dict[str, Any],
    rules: dict[str, str],
    problem: str,
) -> None:
    submission = ruled(manifest(tmp_path, server, draws=draws), **rules)
    assert play(submission, instances, tmp_path / "run") == 2
    assert problem in capsys.readouterr().err


def test_pictures_in_the_context_stay_within_the_rule(
    tmp_path: Path, instances: InstanceSet, server: OpenAIServer
) -> None:
    server.turns = 6
    submission = manifest(tmp_path, server)
    assert play(submission, instances, tmp_path / "run", "--limit", "1", "--rule", "history=last 2") == 0
    asked = [seen.document["messages"] for seen in server.seen if seen.path == "/chat/completions"]
    shown = [
        sum(len(message["content"]) == 2 for message in messages if message["role"] == "user") for messages in asked
    ]
    assert shown[:3] == [1, 2, 3]
    assert max(shown) == 3  # the target and two renderings
    assert Rules.of(RunFolder(tmp_path / "run").run).key == "b200-t10-allow-last2"
