"""Requests over aiohttp are those that the client of the package openai sends."""

import asyncio

# ruff: noqa: E501 - what a service sends stands in one line
import base64
import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import certifi
import numpy as np
import openai
import pytest
from openai_server import OpenAIServer, Seen
from PIL import Image, PngImagePlugin
from pydantic import BaseModel
from service_errors import ErrorService, answering

from ircore.core.images import Picture
from ircore.core.records import PlayerSpec
from ircore.players import calls
from ircore.players.base import PlayerError, Question
from ircore.players.calls import FaultError
from ircore.players.openai.connection import Connection
from ircore.players.openai.players import OpenAIChatGenerator, OpenAIImagesGenerator, OpenAIResponsesGenerator
from ircore.players.openai.replies import decode_picture
from ircore.players.openai.settings import choose_transport
from ircore.players.openai.transport import (
    DataUrl,
    FormBody,
    JsonBody,
    PictureAddress,
    can_send,
    decode_base64,
    parse_picture_source,
)

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


@pytest.mark.slow
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


def encoded(image: Image.Image, kind: str = "PNG", **options: Any) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()


def disc() -> Image.Image:
    image = Image.new("RGB", (67, 64), "white")
    image.paste((220, 30, 30), (8, 8, 40, 40))
    return image


PIXELS = np.asarray(disc())
PNG = encoded(disc())
B64 = base64.b64encode(PNG).decode()
URL_SAFE = base64.urlsafe_b64encode(PNG).decode()
LINES = "\r\n".join(B64[start : start + 76] for start in range(0, len(B64), 76))

FORMS = {
    "standard": B64, "without padding": B64.rstrip("="), "URL-safe": URL_SAFE,
    "URL-safe without padding": URL_SAFE.rstrip("="), "in lines": LINES,
    "in lines, with a last line break": LINES + "\n", "white space around": f" \n{B64} ",
    "a data address": f"data:image/png;base64,{B64}",
    "a data address of another type": f"data:application/octet-stream;base64,{B64}",
    "a data address without a type": f"data:;base64,{B64}",
    "a data address with parameters": f"data:image/png;name=a.png;charset=utf-8;base64,{B64}",
    "a data address in capitals": f"DATA:IMAGE/PNG;BASE64,{B64}",
    "a data address, URL-safe, without padding": f"data:image/png;base64,{URL_SAFE.rstrip('=')}",
    "a data address in lines": f"data:image/png;base64,\n{LINES}",
    "a data address with percent signs": "data:image/png;base64,"
    + B64.replace("+", "%2B").replace("/", "%2F").replace("=", "%3D"),
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_base64_gives_the_same_pixels(form: str) -> None:
    assert decode_base64(FORMS[form]) == PNG
    assert np.array_equal(decode_picture(FORMS[form]).pixels, PIXELS)


def test_padding_of_every_length_may_be_left_out() -> None:
    for size in range(1, 9):
        data = bytes(range(250, 250 - size, -1))
        assert decode_base64(base64.b64encode(data).decode().rstrip("=")) == data
        assert decode_base64(base64.urlsafe_b64encode(data).decode()) == data


@pytest.mark.parametrize(
    "text",
    [
        B64[:40] + "!" + B64[40:], B64[:40] + "é" + B64[40:], B64[:40] + "\0" + B64[40:], B64 + "<br>", "{" + B64 + "}",
        B64[:40] + "=" + B64[40:], B64 + "===", "A", "AAAAA", "", "====", "ab+_", "-/ab", "data:image/png,hello",
        "https//not-an-address", f'"{B64}"',
    ],
)  # fmt: skip
def test_other_characters_are_an_error_and_are_not_dropped(text: str) -> None:
    with pytest.raises(ValueError):
        decode_base64(text)
    with pytest.raises(FaultError, match="not base64") as caught:
        decode_picture(text)
    assert caught.value.fault.kind == "bad_image"


@pytest.mark.parametrize(
    ("text", "address"),
    [("https://127.0.0.1/a.png", True), ("/files/a.png", True), ("/9j/4AAQSkZJRg", False), (B64, False), ("data:,", False),
     ("https://127.0.0.1/" + "a" * 9_000, False)],
)  # fmt: skip
def test_an_address_is_told_from_a_picture(text: str, address: bool) -> None:
    assert isinstance(parse_picture_source(text), PictureAddress) is address


def images(datum: Any) -> Callable[[str], Any]:
    """Return a reply of the Images API around a picture in base64."""
    return lambda text: {"created": 0, "data": [datum(text)]}


def chat(message: Any) -> Callable[[str], Any]:
    return lambda text: {"choices": [{"finish_reason": "stop", "message": message(text)}]}


PLACES: dict[str, tuple[type[Any], Callable[[str], Any]]] = {
    "b64_json": (OpenAIImagesGenerator, images(lambda text: {"b64_json": text, "url": None})),
    "url": (OpenAIImagesGenerator, images(lambda text: {"url": text})),
    "b64_json is empty": (OpenAIImagesGenerator, images(lambda text: {"b64_json": "", "url": text})),
    "a bare text": (OpenAIImagesGenerator, images(lambda text: text)),
    "a bare list": (OpenAIImagesGenerator, lambda text: [{"b64_json": text}]),
    "a mapping": (OpenAIImagesGenerator, lambda text: {"data": {"0": {"b64_json": text}}}),
    "images": (OpenAIImagesGenerator, lambda text: {"images": [text]}),
    "a second one that is none": (OpenAIImagesGenerator, lambda text: {"data": [{"b64_json": text, "url": 4}, 7]}),
    "image_url": (OpenAIChatGenerator, chat(lambda text: {"images": [{"type": "image_url", "image_url": {"url": text}}]})),
    "images of texts": (OpenAIChatGenerator, chat(lambda text: {"content": "Here.", "images": [text]})),
    "a part with base64": (OpenAIChatGenerator, chat(lambda text: {"content": [{"type": "output_image", "b64_json": text}]})),
    "Anthropic's part": (OpenAIChatGenerator, chat(lambda text: {"content": [{"type": "image", "source": {"type": "base64", "data": text}}]})),
    "Gemini's part": (OpenAIChatGenerator, chat(lambda text: {"content": [{"inline_data": {"mime_type": "image/png", "data": text}}]})),
    "Responses": (
        OpenAIResponsesGenerator,
        lambda text: {"output": [{"type": "image_generation_call", "status": "completed", "result": text}], "status": "completed"},
    ),
}  # fmt: skip


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[ErrorService]:
    monkeypatch.setattr(calls, "BACKOFF_S", 0.01)
    with answering() as server:
        server.first = 0
        yield server


def drawn(service: ErrorService, player: type[Any], reply: Any) -> Any:
    """Ask for a picture, which the service answers so; return its pixels."""
    service.good, service.asked = reply, 0
    name = {OpenAIImagesGenerator: "openai-images", OpenAIChatGenerator: "openai-chat"}.get(player, "openai-responses")
    spec = PlayerSpec(player=name, model="m", base_url=service.base_url)

    async def ask() -> Any:
        seat = player(spec)
        try:
            return (await seat.answer(Question(1, "Draw.", answers="picture"))).picture.pixels
        finally:
            await seat.close()

    return asyncio.run(ask())


@pytest.mark.slow
@pytest.mark.parametrize("place", PLACES)
def test_a_picture_is_found_in_every_place(service: ErrorService, place: str) -> None:
    player, around = PLACES[place]
    for form in ("standard", "URL-safe without padding", "a data address in lines"):
        assert np.array_equal(drawn(service, player, around(FORMS[form])), PIXELS)
        assert service.asked == 1  # at the first request


@pytest.mark.parametrize(
    "content",
    [
        f"Here it is: ![a disc](data:image/png;base64,{B64}) as asked.", f"data:image/png;base64,{B64} is the picture",
        f"Here it is:\ndata:image/png;base64,{LINES}\nIs it right?", f'<img src="data:image/png;base64,{URL_SAFE}">',
    ],
)  # fmt: skip
def test_a_picture_inside_of_words_ends_where_they_go_on(service: ErrorService, content: str) -> None:
    assert np.array_equal(drawn(service, OpenAIChatGenerator, chat(lambda text: {"content": text})(content)), PIXELS)


def test_what_is_no_base64_is_asked_for_again_and_then_named(service: ErrorService) -> None:
    with pytest.raises(PlayerError, match="not base64") as caught:
        drawn(service, OpenAIImagesGenerator, images(lambda text: {"b64_json": text})(B64[:9] + "!" + B64[9:]))
    assert [attempt.kind for attempt in caught.value.attempts] == ["bad_image"] * 3


def test_a_picture_that_a_filter_withheld_is_told_as_that(service: ErrorService) -> None:
    with pytest.raises(PlayerError) as caught:
        drawn(service, OpenAIImagesGenerator, {"data": [{"url": "", "respect_moderation": False}]})
    assert caught.value.reason == "answer_refused"


def test_a_picture_with_long_texts_inside_is_drawn(service: ErrorService) -> None:
    info = PngImagePlugin.PngInfo()
    info.add_text("workflow", "node " * 400_000, zip=True)
    text = base64.b64encode(encoded(disc(), pnginfo=info)).decode()
    reply = {"data": [{"b64_json": f"data:image/png;base64,{text}"}]}
    assert np.array_equal(drawn(service, OpenAIImagesGenerator, reply), PIXELS)
