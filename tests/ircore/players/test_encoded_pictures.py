"""Pictures in replies: the same pixels from every form of base64 and every place, strictly read; over loopback."""

# ruff: noqa: E501 - what a service sends stands in one line

import asyncio
import base64
import io
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from PIL import Image, PngImagePlugin
from service_errors import ErrorService, answering

from ircore.core.records import PlayerSpec
from ircore.players import calls
from ircore.players.base import PlayerError, Question
from ircore.players.calls import FaultError
from ircore.players.openai.generators import OpenAIChatGenerator, OpenAIImagesGenerator, OpenAIResponsesGenerator
from ircore.players.openai.replies import decode_picture
from ircore.players.openai.transport import PictureAddress, decode_base64, parse_picture_source


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
    "standard": B64,
    "without padding": B64.rstrip("="),
    "URL-safe": URL_SAFE,
    "URL-safe without padding": URL_SAFE.rstrip("="),
    "in lines": LINES,
    "in lines, with a last line break": LINES + "\n",
    "white space around": f" \n{B64} ",
    "a data address": f"data:image/png;base64,{B64}",
    "a data address of another type": f"data:application/octet-stream;base64,{B64}",
    "a data address without a type": f"data:;base64,{B64}",
    "a data address with parameters": f"data:image/png;name=a.png;charset=utf-8;base64,{B64}",
    "a data address in capitals": f"DATA:IMAGE/PNG;BASE64,{B64}",
    "a data address, URL-safe, without padding": f"data:image/png;base64,{URL_SAFE.rstrip('=')}",
    "a data address in lines": f"data:image/png;base64,\n{LINES}",
    "a data address with percent signs": "data:image/png;base64,"
    + B64.replace("+", "%2B").replace("/", "%2F").replace("=", "%3D"),
}


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
def test_a_picture_is_found_in_every_place_in_every_form(service: ErrorService, place: str) -> None:
    player, around = PLACES[place]
    for text in FORMS.values():
        assert np.array_equal(drawn(service, player, around(text)), PIXELS)
        assert service.asked == 1  # at the first request


@pytest.mark.parametrize(
    "content",
    [
        f"Here it is: ![a disc](data:image/png;base64,{B64}) as asked.",
        f"data:image/png;base64,{B64} is the picture",
        f"Here it is:\ndata:image/png;base64,{LINES}\nIs it right?",
        f'<img src="data:image/png;base64,{URL_SAFE}">',
    ],
)
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
