"""Requests over aiohttp are those that the client of the package openai sends."""

import asyncio
import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from openai_server import OpenAIServer, Seen, serving
from pydantic import BaseModel

from ircore.core.images import Picture
from ircore.players.calls import FaultError
from ircore.players.openai.bodies import DataUrl, FormBody, JsonBody
from ircore.players.openai.connection import Connection
from ircore.players.openai.lean import can_send

PICTURE = Picture.from_pixels(np.zeros((64, 64, 3), dtype=np.uint8))
ASKED = [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": DataUrl(PICTURE)}}]}]


class Anything(BaseModel):
    """Any JSON object."""


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with serving() as service:
        yield service


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


@pytest.mark.slow
@pytest.mark.parametrize("name", ["http_proxy", "ALL_PROXY"])
@pytest.mark.parametrize("transport", ["aiohttp", "httpx"])
def test_requests_go_through_the_proxy_of_the_environment(
    monkeypatch: pytest.MonkeyPatch, name: str, transport: str
) -> None:
    heads = []

    async def proxy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heads.append((await reader.readuntil(b"\r\n\r\n")).decode().lower().splitlines())
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}")
        writer.close()

    async def post(base_url: str) -> None:
        connection = Connection(base_url, "a-key", transport, 20.0)
        try:
            await connection.post("/chat/completions", JsonBody({"model": "m"}), Anything)
        finally:
            await connection.close()

    async def through_proxy() -> None:
        async with await asyncio.start_server(proxy, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            monkeypatch.setenv(name, f"http://somebody:word@127.0.0.1:{port}")
            await post("http://models.invalid/v1")
            monkeypatch.setenv("no_proxy", "models.invalid")
            with pytest.raises(FaultError):
                await post("http://models.invalid/v1")

    asyncio.run(through_proxy())
    (head,) = heads
    assert head[0] == "post http://models.invalid/v1/chat/completions http/1.1"
    assert f"proxy-authorization: basic {base64.b64encode(b'somebody:word').decode().lower()}" in head
