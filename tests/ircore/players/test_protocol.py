"""Services that answer otherwise than OpenAI: streams, addresses, other shapes, small limits; on loopback."""

import json
from pathlib import Path
from typing import Any

import pytest
from openai_server import OpenAIServer, serving
from pairs import play_pair, write_pair

from ircore.commands.main import run as ircore
from ircore.core.conformance import ConformanceError
from ircore.core.plugins import list_builtin, load_plugin
from ircore.core.records import PlayerSpec
from ircore.games.reconstruction.records import list_turns
from ircore.instances.store import InstanceSet, read_instances
from ircore.players.base import DescriberView, PlayerError, TextAnswer, Traits, refuse_settings
from ircore.players.conformance import check_player
from ircore.players.openai import provider
from ircore.players.openai.provider_errors import find_meaning, read_error
from ircore.players.openai.transport import assemble_document
from ircore.players.traits import load_traits
from ircore.runs.events import Call, Failure
from ircore.runs.folder import RunFolder

pytestmark = pytest.mark.slow


def seat(server: OpenAIServer, player: str, model: str, **parameters: Any) -> dict[str, Any]:
    return {"player": player, "model": model, "base_url": server.base_url, "parameters": parameters}


def played(
    folder: Path,
    server: OpenAIServer,
    instances: InstanceSet,
    *more: str,
    generator: str = "openai-images",
    describer: dict[str, Any] | None = None,
    status: int = 0,
) -> RunFolder:
    """Play one episode by a pair at the server, and return the run."""
    pair = write_pair(folder, seat(server, "openai", "eyes", **describer or {}), seat(server, generator, "hands"))
    assert play_pair(pair, instances, folder / "run", *(more or ("--limit", "1"))) == status
    return RunFolder(folder / "run")


def kinds(run: RunFolder, seat: str) -> list[str]:
    """Return the outcomes of all requests of a seat, in order."""
    asked: list[Call | Failure] = [*run.calls().values(), *run.failures()]
    return [attempt.kind for question in asked if question.role == seat for attempt in question.attempts]


@pytest.mark.parametrize("api", ["chat", "responses"])
@pytest.mark.parametrize("generator", ["openai-images", "openai-chat", "openai-responses"])
@pytest.mark.parametrize("transport", ["aiohttp", "httpx"])
def test_answers_that_a_service_streams_are_put_together(
    tmp_path: Path, instances: InstanceSet, server: OpenAIServer, api: str, generator: str, transport: str
) -> None:
    server.fail(*["streamed"] * 5)
    describer = {"api": api, "transport": transport}
    run = played(tmp_path, server, instances, generator=generator, describer=describer)
    (episode,) = run.episodes()
    assert (episode.outcome, server.count()) == ("converged", 5)
    assert list_turns(episode)[0].message == "Message 1: a red circle in the middle, larger than before."
    assert run.calls()[("geometry-easy-01", 1, "describer")].usage.prompt_tokens == 900  # type: ignore[index]


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_the_three_ends_of_lines_of_the_standard_are_known(ending: str) -> None:
    text = "a\u2028b\u2029c\x85d\x0be\x0cf\x1cg\x1dh\x1ei"
    chunk = json.dumps({"choices": [{"delta": {"content": "\u2028\u2029\x85"}}]}, ensure_ascii=False)
    lines = [f"data: {chunk}", "", f": {text}", "data: [DONE]", ""]
    stream = "".join(line + ending for line in lines).encode()
    assert assemble_document(stream)["choices"][0]["message"] == {"content": "\u2028\u2029\x85"}


@pytest.mark.parametrize("generator", ["openai-chat", "openai-responses", "openai-images"])
def test_half_a_stream_is_asked_for_again(
    tmp_path: Path, instances: InstanceSet, server: OpenAIServer, generator: str
) -> None:
    server.fail("streamed_half", model="hands")
    assert kinds(played(tmp_path, server, instances, generator=generator), "generator")[0] == "malformed"


def test_events_over_several_lines_and_with_comments_are_one_document() -> None:
    lines = (
        b": hello", b"event: x", b'data: {"choices": [{"delta":', b'data: {"content": "a b"}}]}', b"", b"data: [DONE]",
    )  # fmt: skip
    stream = b"\r\n".join([*lines, b"", b""])
    assert assemble_document(stream)["choices"][0]["message"] == {"content": "a b"}


@pytest.mark.parametrize("fault", ["own_address", "own_path"])
@pytest.mark.parametrize("transport", ["aiohttp", "httpx"])
def test_a_picture_at_the_services_own_address_is_fetched(
    tmp_path: Path, instances: InstanceSet, server: OpenAIServer, fault: str, transport: str
) -> None:
    server.fail(fault, fault, model="hands")
    run = played(tmp_path, server, instances, describer={"transport": transport})
    assert run.episodes()[0].outcome == "converged"
    assert server.count("/pictures") == 2


@pytest.mark.parametrize("transport", ["aiohttp", "httpx"])
def test_a_picture_whose_fetch_fails_is_fetched_again_and_not_made_again(
    tmp_path: Path, instances: InstanceSet, server: OpenAIServer, transport: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(provider, "FETCH_PAUSE_S", 0.01)
    server.fail("own_address", "own_path", model="hands")
    server.lost_pictures = 3
    run = played(tmp_path, server, instances, describer={"transport": transport})
    assert run.episodes()[0].outcome == "converged"
    assert server.count("/pictures") == 2 + 3
    assert server.count("/images/generations") + server.count("/images/edits") == 2
    assert kinds(run, "generator") == ["answered", "answered"]


@pytest.mark.parametrize("transport", ["aiohttp", "httpx"])
def test_a_picture_that_cannot_be_fetched_is_put_aside_and_not_paid_again(
    tmp_path: Path, instances: InstanceSet, server: OpenAIServer, transport: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(provider, "FETCH_PAUSE_S", 0.01)
    monkeypatch.setattr(provider, "choose_transport", lambda _: transport)
    server.fail("own_address", model="hands")
    server.lost_pictures = 1000
    run = played(tmp_path, server, instances, status=1)
    assert server.count("/images/generations") == 1
    assert server.count("/pictures") == provider.FETCHES
    assert run.episodes()[0].abort_reason == "provider_error"
    (failure,) = run.failures()
    assert "its picture could not be fetched: HTTP 503" in failure.detail
    # With the tokens that the reply stated: the picture was made and billed.
    assert [attempt.completion_tokens for attempt in failure.attempts] == [272]


@pytest.mark.attack
def test_a_picture_at_another_server_is_never_fetched(
    tmp_path: Path, instances: InstanceSet, server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another port of the same machine is another server: it may be one that only this machine reaches."""
    with serving() as inside:
        monkeypatch.setattr(
            server, "_images", lambda fault: {"data": [{"url": f"http://127.0.0.1:{inside.port}/pictures/secret.png"}]}
        )
        (episode,) = played(tmp_path, server, instances).episodes()
        assert episode.abort_reason == "generator_no_image"
        assert "another server and not asked" in (episode.detail or "")
        assert inside.count() == 0


@pytest.mark.parametrize(
    ("fault", "reason", "remedy"),
    [
        ("too_many_pictures", "too_many_pictures", "--limit-mm-per-prompt"),
        ("context", "context_too_long", "history: last N"),
    ],
)
def test_a_limit_of_the_service_ends_an_episode_for_good_with_its_remedy(
    tmp_path: Path, instances: InstanceSet, server: OpenAIServer, fault: str, reason: str, remedy: str
) -> None:
    server.fail("ok", fault, model="eyes")
    (episode,) = played(tmp_path, server, instances).episodes()
    assert episode.abort_reason == reason
    assert remedy in (episode.detail or "")
    before = server.count()
    played(tmp_path, server, instances)
    assert server.count() == before


def test_an_answer_is_given_the_room_that_a_small_context_leaves(
    tmp_path: Path, instances: InstanceSet, server: OpenAIServer
) -> None:
    server.fail("small_context", "small_context", model="eyes")
    run = played(tmp_path, server, instances)
    assert run.episodes()[0].outcome == "converged"
    limits = [
        request.document["max_completion_tokens"] for request in server.seen if request.document["model"] == "eyes"
    ]
    assert limits[:2] == [16_000, 8192 - 900]
    assert kinds(run, "describer")[:2] == ["answer_too_long", "answered"]


def test_a_service_without_edits_is_told_from_an_unknown_model(
    tmp_path: Path, instances: InstanceSet, server: OpenAIServer, capsys: pytest.CaptureFixture[str]
) -> None:
    server.fail("ok", "no_edits", model="hands")
    played(tmp_path, server, instances, status=1)
    assert "play with the rule drawing: redraw" in capsys.readouterr().err


def test_a_limit_is_known_by_its_words_with_the_room_that_it_leaves() -> None:
    said = (
        "This model's maximum context length is 8192 tokens. However, you requested 17000 tokens (1000 in the "
        "messages, 16000 in the completion)."
    )
    assert find_meaning(400, read_error(said))[::2] == ("answer_too_long", 7192)
    for said in ("The image exceeds the maximum size of 20 MB", "temperature must be at most 2", "Unsupported image"):
        assert find_meaning(400, read_error(said)).kind == "rejected"


def test_a_run_in_which_everything_fails_is_stopped(
    tmp_path: Path, server: OpenAIServer, capsys: pytest.CaptureFixture[str]
) -> None:
    build = ["instances", "build", "--per-condition", "6", "--category", "geometry", "--out", str(tmp_path / "set")]
    assert ircore(build) == 0  # 12 targets
    instances = read_instances(tmp_path / "set")
    server.rates = {"rejected": 1.0}
    run = played(tmp_path, server, instances, "--concurrency", "1", status=1)
    assert "the describer: 10 questions failed in a row" in capsys.readouterr().err
    assert server.count() == 10
    server.rates = {}
    run = played(tmp_path, server, instances, "--concurrency", "1")
    assert {episode.outcome for episode in run.episodes()} == {"converged"}


@pytest.mark.parametrize("api", ["chat", "responses"])
def test_a_declared_system_text_is_sent_first(
    tmp_path: Path, instances: InstanceSet, server: OpenAIServer, api: str
) -> None:
    played(tmp_path, server, instances, describer={"api": api, "system": "Reply in English."})
    asked = [request.document for request in server.seen if request.document["model"] == "eyes"]
    sent = [document["messages" if api == "chat" else "input"] for document in asked]
    assert [messages[0] for messages in sent] == [{"role": "system", "content": "Reply in English."}] * 3
    assert [messages[1]["role"] for messages in sent] == ["user"] * 3


@pytest.mark.parametrize("name", sorted(list_builtin("players")))
def test_players(name: str) -> None:
    check_player(load_plugin("players", name), traits=load_traits(name))


class Echo:
    """A describer that keeps the contract; those below break it in one place each."""

    TRAITS = Traits(needs="nothing", methods=("describe",), parameters=())

    def __init__(self, spec: PlayerSpec) -> None:
        refuse_settings(spec)
        self.asked = 0

    async def describe(self, view: DescriberView) -> Any:
        return TextAnswer(f"<DESCRIPTION>{view.target.width} pixels wide</DESCRIPTION>")


class Forgetful(Echo):
    TRAITS = None  # type: ignore[assignment]


class Stateful(Echo):
    async def describe(self, view: DescriberView) -> Any:
        self.asked += 1
        return TextAnswer(f"question {self.asked}")


class Silent(Echo):
    async def describe(self, view: DescriberView) -> Any:
        return "a square"


class Careless(Echo):
    def __init__(self, spec: PlayerSpec) -> None:
        pass


class Puzzled(Echo):
    async def describe(self, view: DescriberView) -> Any:
        return TextAnswer(view.messages[7])


class Drawing(Echo):
    TRAITS = Traits(needs="nothing", methods=("render",))


class Moody(Echo):
    """Refuses with another reason at every second question."""

    async def describe(self, view: DescriberView) -> Any:
        self.asked += 1
        raise PlayerError("describer_refused" if self.asked % 2 else "given_up", f"Question {self.asked}.")


class Shy(Echo):
    """Refuses with the same reason in other words, which is no fault."""

    async def describe(self, view: DescriberView) -> Any:
        self.asked += 1
        raise PlayerError("given_up", f"Question {self.asked} is too much.")


@pytest.mark.parametrize(
    ("player", "fault"),
    [
        (Forgetful, "player Forgetful: declares no TRAITS"),
        (Stateful, "player Stateful: describe: an answer depends on what was asked before"),
        (Moody, "player Moody: describe: an answer depends on what was asked before"),
        (Silent, "player Silent: describe: answers with a str, not a TextAnswer"),
        (Puzzled, r"describe: breaks with IndexError: .*when asked 'Describe the target.'.*questions={'describe': "),
        (Careless, "player Careless: takes parameters.no_such_setting"),
        (Drawing, "player Drawing: TRAITS.methods names render, which it does not have"),
    ],
)
def test_faults_of_players(player: type[Any], fault: str) -> None:
    check_player(Echo)
    check_player(Shy)
    with pytest.raises(ConformanceError, match=fault):
        check_player(player)
