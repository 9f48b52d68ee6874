"""Requests over aiohttp are those that the client of the package openai sends."""

import asyncio
from collections.abc import Iterator
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
        await connection.post(path, body, Anything)
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
