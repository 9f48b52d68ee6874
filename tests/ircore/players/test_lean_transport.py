"""Requests over aiohttp are those that the client of the package openai sends."""

import asyncio
from pathlib import Path
from typing import Any

import certifi
import numpy as np
import openai
import pytest
from openai_server import OpenAIServer, Seen
from pydantic import BaseModel

from ircore.core.images import Picture
from ircore.players.calls import FaultError
from ircore.players.openai.connection import Connection
from ircore.players.openai.settings import choose_transport
from ircore.players.openai.transport import DataUrl, FormBody, JsonBody, can_send

PICTURE = Picture.from_pixels(np.zeros((64, 64, 3), dtype=np.uint8))
ASKED = [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": DataUrl(PICTURE)}}]}]


class Anything(BaseModel):
    """Any JSON object."""


def sent(server: OpenAIServer, transport: str, path: str, body: JsonBody | FormBody) -> Seen:
    """Send a request and return it as the server saw it."""

    async def post() -> None:
        connection = Connection(server.base_url, "a-key", transport, 20.0)
        try:
            await connection.post(path, body, Anything)
        finally:
            await connection.close()

    asyncio.run(post())
    return server.seen[-1]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/chat/completions", JsonBody({"model": "m", "messages": ASKED, "temperature": 0.5})),
        ("/images/generations", JsonBody({"model": "m", "prompt": "Ein blauer Kreis, größer.", "n": 1})),
        ("/images/edits", FormBody({"model": "m", "prompt": "mehr Grün", "n": 2, "raw": True}, (PICTURE,))),
        ("/images/edits", FormBody({"model": "m", "prompt": "x"}, (PICTURE, PICTURE))),
    ],
)
def test_both_transports_send_the_same(server: OpenAIServer, path: str, body: JsonBody | FormBody) -> None:
    ours, theirs = (sent(server, transport, path, body) for transport in ("aiohttp", "httpx"))
    assert (ours.path, ours.document, ours.files) == (theirs.path, theirs.document, theirs.files)
    differing = {"accept-encoding", "connection", "content-length", "content-type", "transfer-encoding"}
    if isinstance(body, JsonBody):
        differing -= {"content-length", "content-type"}
    assert without(ours, differing) == without(theirs, differing)
    assert ours.headers["authorization"] == "Bearer a-key"


def without(seen: Seen, names: set[str]) -> dict[str, str]:
    return {name: value for name, value in seen.headers.items() if name not in names}


def test_a_form_with_nested_fields_is_left_to_the_client(server: OpenAIServer) -> None:
    nested: dict[str, Any] = {"model": "m", "prompt": "x", "options": {"steps": 4, "tags": ["a", "b"]}}
    assert not can_send(FormBody(nested, (PICTURE,)))
    ours, theirs = (
        sent(server, transport, "/images/edits", FormBody(nested, (PICTURE,))) for transport in ("aiohttp", "httpx")
    )
    assert ours.document == theirs.document


@pytest.mark.parametrize(
    "fault", ["rate_limit", "server_error", "html", "wrong_type", "error_in_body", "redirect", "drop", "truncate"]
)
def test_faults_are_told_alike(server: OpenAIServer, fault: str) -> None:
    """Kind, status and words of a fault do not hang on the transport."""
    told = []
    for transport in ("aiohttp", "httpx"):
        server.fail(fault)
        with pytest.raises(FaultError) as caught:
            sent(server, transport, "/chat/completions", JsonBody({"model": "m", "messages": ASKED}))
        error = caught.value.fault
        told.append((error.kind, error.status, error.retry_after, error.detail if error.status else ""))
    assert told[0] == told[1]


def test_the_account_of_the_environment_goes_to_openai_alone(
    server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "our-organisation")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "our-project")
    seen = sent(server, "aiohttp", "/chat/completions", JsonBody({"model": "m", "messages": ASKED}))
    assert not {"openai-organization", "openai-project"} & seen.headers.keys()


def test_a_key_for_the_host_in_netrc_is_not_used(
    server: OpenAIServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login somebody password secret\n")
    (tmp_path / "netrc").chmod(0o600)
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    seen = sent(server, "aiohttp", "/chat/completions", JsonBody({"model": "m", "messages": ASKED}))
    assert seen.headers["authorization"] == "Bearer a-key"


VARIABLES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy", "ssl_cert_file", "ssl_cert_dir")
ENVIRONMENTS: dict[str, tuple[dict[str, str], str]] = {
    "nothing": ({}, "service"),
    "a proxy": ({"http_proxy": "http://127.0.0.1:{proxy}"}, "proxy"),
    "in capitals, without a scheme": ({"HTTP_PROXY": "127.0.0.1:{proxy}"}, "proxy"),
    "for every scheme": ({"ALL_PROXY": "http://127.0.0.1:{proxy}"}, "proxy"),
    "for another scheme": ({"HTTPS_PROXY": "http://127.0.0.1:{proxy}"}, "service"),
    "with a name and a word": ({"HTTP_PROXY": "http://somebody:word@127.0.0.1:{proxy}"}, "proxy"),
    "SOCKS": ({"ALL_PROXY": "socks5://127.0.0.1:{socks}"}, "socks"),
    "but not for this host": ({"HTTP_PROXY": "127.0.0.1:{proxy}", "NO_PROXY": "localhost,127.0.0.1"}, "service"),
    "but not for this port": ({"HTTP_PROXY": "127.0.0.1:{proxy}", "NO_PROXY": "127.0.0.1:{service}"}, "service"),
    "but not for another port": ({"HTTP_PROXY": "127.0.0.1:{proxy}", "NO_PROXY": "127.0.0.1:1"}, "proxy"),
    "but not for this network": ({"HTTP_PROXY": "127.0.0.1:{proxy}", "NO_PROXY": "127.0.0.0/8"}, ""),
    "but for nobody": ({"HTTP_PROXY": "127.0.0.1:{proxy}", "no_proxy": "*"}, "service"),
    "certificates of one's own": ({"SSL_CERT_FILE": "{certificates}"}, "service"),
}
"""Variables of the environment, and who then gets the request; empty where the client alone knows."""


@pytest.mark.slow
@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_requests_go_where_the_client_sends_them(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """The default transport, those that a manifest names, and a bare client of ``openai``, in one environment."""
    variables, expected = ENVIRONMENTS[name]
    asked: list[str] = []

    def listener(who: str, greeting: bytes = b"") -> Any:
        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            if greeting:
                # SOCKS 5: a choice of methods, then a request; both are answered, the rest is HTTP.
                await reader.read(64)
                writer.write(greeting)
                await reader.read(64)
                writer.write(b"\x05\x00\x00\x01\x7f\x00\x00\x01\x00\x50")
            await reader.readuntil(b"\r\n\r\n")
            asked.append(who)
            body = b'{"id": "c", "object": "chat.completion", "created": 0, "model": "m", "choices": []}'
            head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
            writer.write(f"{head}Connection: close\r\n\r\n".encode() + body)
            writer.close()

        return answer

    async def ask_all() -> None:
        greetings = {"service": b"", "proxy": b"", "socks": b"\x05\x00"}
        servers = {
            who: await asyncio.start_server(listener(who, said), "127.0.0.1", 0) for who, said in greetings.items()
        }
        places = {who: server.sockets[0].getsockname()[1] for who, server in servers.items()}
        for variable in VARIABLES:
            for spelling in (variable, variable.upper()):
                monkeypatch.delenv(spelling, raising=False)
        for variable, value in variables.items():
            monkeypatch.setenv(variable, value.format(**places, certificates=certifi.where()))
        base_url = f"http://127.0.0.1:{places['service']}/v1"
        for transport in (None, "aiohttp", "httpx"):
            connection = Connection(base_url, "a-key", choose_transport(transport), 20.0)
            await connection.post("/chat/completions", JsonBody({"model": "m"}), Anything)
            await connection.close()
        async with openai.AsyncOpenAI(api_key="a-key", base_url=base_url) as client:
            await client.chat.completions.create(model="m", messages=[])
        for server in servers.values():
            server.close()

    asyncio.run(ask_all())
    assert len(asked) == 4
    assert {*asked} == {expected or asked[-1]}
