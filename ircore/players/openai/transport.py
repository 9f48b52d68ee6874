"""Sending the requests of the package ``openai`` straight over aiohttp: bodies with pictures, and streamed answers.

The client decides what is sent: address, headers and key are its own, and a test holds every request to the bytes that
the client sends. Only the way to the socket is shorter: the client's own layers take more processor time a request than
everything else that playing does.

Request bodies are encoded piece by piece while they are sent: a describer's request may hold ten pictures of megabytes
each, many requests wait at the same time, and base64 exists only in the piece that is being sent.

Some services stream answers although they were asked for whole. Their events (HTML standard, section 9.2) are put
together again: pieces of a message for chat completions, a last event with the whole answer for Responses and images.
"""

import json
import re
from base64 import b64encode
from binascii import Error, a2b_base64
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from secrets import token_hex
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote

from pydantic_core import from_json

from ircore.core.images import Picture
from ircore.core.untrusted_text import replace_half_characters

if TYPE_CHECKING:
    import ssl

    import aiohttp
    from openai import AsyncOpenAI

_COMPLETE = ("response.completed", "response.incomplete", "response.failed")
_LINE_END = re.compile(r"\r\n|\n|\r")
"""The only ends of lines in a stream: a text may hold the other characters at which Python splits."""

_PICTURES = ("image_generation.completed", "image_edit.completed")

PIECE = 192 * 1024
"""Bytes of a picture that are encoded at a time; a multiple of 3, so that the pieces' base64 can be joined."""

ANSWER_LIMITS = ("max_completion_tokens", "max_output_tokens", "max_tokens")
"""Fields of a request that limit the tokens of its answer."""

LONGEST_ADDRESS = 8_192
"""Characters of an address; whatever is longer is a picture."""

DATA_ADDRESS_IN_TEXT = re.compile(
    r"data:image/[a-z0-9+.-]{1,40}(?:;[a-z0-9=_-]{1,40}){0,4};base64,"
    # Lines as mail wraps them; a shorter line ends the picture, so that no word of the text behind is taken for it.
    r"(?:[A-Za-z0-9+/_-]{60,}\r?\n)*[A-Za-z0-9+/_%-]*={0,2}",
    re.IGNORECASE,
)
"""A picture inside of prose, such as Markdown."""

_DATA_ADDRESS = re.compile(r"\s*data:[^,;]{0,100}(?:;[^,;]{1,100}){0,8},", re.IGNORECASE)
_URL_SAFE = bytes.maketrans(b"-_", b"+/")
_WHITE_SPACE = b" \t\r\n\v\f"

CONNECTIONS = 1000
"""Most connections to a service at a time, as in the client."""

FieldValue = str | int | float | bool


def read_document(data: bytes | bytearray) -> Any:
    r"""Return a JSON document with whole characters, read leniently where strict reading fails.

    >>> read_document(b'{"content": "half \\ud83d"}')
    {'content': 'half \ufffd'}

    Raises:
        ValueError: It is no JSON document.
    """
    try:
        # Strict reading refuses half characters, so that nothing is left to mend.
        return from_json(data)
    except ValueError:
        return mend_characters(parse_part(data.decode("utf-8-sig", "replace")))


def parse_part(text: str) -> Any:
    """Return a JSON document, or one of those that make up a stream; half characters stay, see ``mended``.

    Raises:
        ValueError: It is no JSON document.
    """
    try:
        return from_json(text)
    except ValueError:
        try:
            # Python's reader takes half characters and, so told, control characters inside texts.
            return json.loads(text, strict=False)
        except RecursionError:
            raise ValueError("nested too deep") from None


def mend_characters(document: Any) -> Any:
    r"""Return a document with whole characters in all of its texts; the document itself is changed.

    >>> mend_characters({"choices": [{"text": "half \ud83d"}]})
    {'choices': [{'text': 'half \ufffd'}]}
    """
    # A stack of our own: strangers nest documents deeper than Python calls functions.
    root = [document]
    waiting: list[Any] = [root]
    while waiting:
        container = waiting.pop()
        items = container.items() if isinstance(container, dict) else enumerate(container)
        for key, value in list(items):
            if isinstance(value, str):
                container[key] = replace_half_characters(value)
            elif isinstance(value, (dict, list)):
                waiting.append(value)
    return root[0]


def is_stream(content_type: str, data: bytes | bytearray) -> bool:
    """Return whether a reply is a stream of events, by its type or, where servers state none, by its beginning.

    >>> is_stream("text/event-stream; charset=utf-8", b""), is_stream("application/json", b"{}")
    (True, False)
    """
    return content_type.startswith("text/event-stream") or data.lstrip()[:6].startswith((b"data:", b"event:"))


def assemble_document(data: bytes | bytearray) -> dict[str, Any]:
    """Return the document that a stream's events add up to.

    >>> assemble_document(b'data: {"choices": [{"delta": {"content": "Hi"}, "finish_reason": "stop"}]}')["choices"]
    [{'message': {'content': 'Hi'}, 'finish_reason': 'stop'}]

    Args:
        data: The whole body.

    Raises:
        ValueError: It is no such stream, or breaks off before its end.
    """
    chunks, ended = [], False
    for text in _parse_events(data):
        if text == "[DONE]":
            ended = True
            continue
        event = parse_part(text)
        if not isinstance(event, dict):
            raise ValueError("an event that is no object")
        if event.get("type") in _COMPLETE and isinstance(event.get("response"), dict):
            return dict(event["response"])
        if event.get("type") in _PICTURES:
            return {"data": [event], "usage": event.get("usage")}
        if event.get("error"):
            return {"error": event["error"]}
        chunks.append(event)
    return _assemble_chat(chunks, ended)


@dataclass(frozen=True)
class DataUrl:
    """Stands for a picture in a request: sent as a ``data:`` address.

    >>> DataUrl(Picture(b"", 64, 48)).picture.width
    64
    """

    picture: Picture


def detect_media_type(data: bytes) -> str:
    """Return the media type of a picture by its first bytes; ``Picture`` holds PNG or JPEG."""
    return "image/jpeg" if data.startswith(b"\xff\xd8") else "image/png"


class JsonBody:
    """A JSON document in which ``DataUrl`` may stand for strings.

    >>> b"".join(JsonBody({"model": "m"}).pieces())
    b'{"model": "m"}'
    """

    def __init__(self, document: dict[str, Any]) -> None:
        self._document = document
        self._pictures: list[Picture] = []
        self._encoded = 0
        # Nobody can foresee the mark, so that no text in the document can be taken for it.
        self._mark = token_hex(16)
        self._texts = json.dumps(document, default=self._encode_data_url).split(self._mark)
        self.length = sum(map(len, self._texts)) + self._encoded

    def limit_answer(self, room: int) -> "JsonBody":
        """Return the same request with a lower limit on the tokens of its answer.

        >>> b"".join(JsonBody({"max_completion_tokens": 16000}).limit_answer(900).pieces())
        b'{"max_completion_tokens": 900}'

        Args:
            room: Tokens that an answer may have; a limit below stays, and no limit is added.
        """
        # Services name the limit differently, and extra_body may bring one of its own.
        limits = [name for name in ANSWER_LIMITS if isinstance(self._document.get(name), int)]
        return JsonBody({**self._document, **{name: min(room, self._document[name]) for name in limits}})

    def _encode_data_url(self, value: object) -> str:
        if not isinstance(value, DataUrl):
            raise TypeError(f"{type(value).__name__} cannot be sent")
        # Asked for once here and once when it is sent: the picture may lie in a file.
        data = value.picture.data
        head = f"data:{detect_media_type(data)};base64,"
        # Base64 writes four characters for every three bytes begun.
        self._encoded += 4 * -(-len(data) // 3)
        self._pictures.append(value.picture)
        return head + self._mark

    def pieces(self) -> Iterator[bytes]:
        """Yield the body in pieces of about a quarter of a megabyte."""
        buffer = bytearray()
        for index, text in enumerate(self._texts):
            buffer += text.encode("ascii")
            if index == len(self._pictures):
                break
            view = memoryview(self._pictures[index].data)
            for start in range(0, len(view), PIECE):
                buffer += b64encode(view[start : start + PIECE])
                if len(buffer) >= PIECE:
                    yield bytes(buffer)
                    buffer.clear()
        yield bytes(buffer)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Yield the pieces to a client."""
        for piece in self.pieces():
            yield piece


@dataclass(frozen=True)
class FormBody:
    """A form with pictures, as the Images API expects for edits."""

    fields: dict[str, Any]
    pictures: tuple[Picture, ...]


class PictureAddress(NamedTuple):
    """The address of a picture that a reply names instead of holding the picture."""

    url: str


def parse_picture_source(text: str) -> str | PictureAddress:
    """Return the address that a text is, or the text itself where it is a picture.

    >>> parse_picture_source("https://127.0.0.1/1.png"), parse_picture_source("data:image/png;base64,AAAA")
    (PictureAddress(url='https://127.0.0.1/1.png'), 'data:image/png;base64,AAAA')

    Args:
        text: From a field for base64 or for an address: services put either into both.
    """
    beginning = text[:8].lower()
    # A JPEG file in base64 begins with a slash, too.
    local = beginning.startswith("/") and not beginning.startswith("/9j/")
    if len(text) <= LONGEST_ADDRESS and (beginning.startswith(("http:", "https:")) or local):
        return PictureAddress(text)
    return text


def decode_base64(text: str) -> bytes:
    r"""Return the bytes of a base64 text: standard or URL-safe, in lines, without padding, or as data address.

    >>> decode_base64("data:image/png;base64,aGVs\nbG8"), decode_base64("_-8")
    (b'hello', b'\xff\xef')

    Raises:
        ValueError: It has other characters, both alphabets, or a length that no bytes have.
    """
    if (head := _DATA_ADDRESS.match(text)) is not None:
        if "base64" not in head[0].lower():
            raise ValueError("a data address that is not in base64")
        text = text[head.end() :]
        text = unquote(text) if "%" in text else text
    if not text:
        raise ValueError("an empty text")
    try:
        # Nearly all: as the standard has it, which is the fastest way too.
        return a2b_base64(text, strict_mode=True)
    except (Error, ValueError):
        pass
    try:
        data = text.encode("ascii").translate(None, _WHITE_SPACE)
    except UnicodeEncodeError as error:
        raise ValueError(f"the character {text[error.start]!r}") from None
    if (b"-" in data or b"_" in data) and (b"+" in data or b"/" in data):
        raise ValueError("characters of two alphabets")
    bare = data.rstrip(b"=")
    if not bare or len(data) - len(bare) > 2 or len(bare) % 4 == 1:
        raise ValueError("a length that no bytes have")
    padded = bare.translate(_URL_SAFE) + b"=" * (-len(bare) % 4)
    try:
        return a2b_base64(padded, strict_mode=True)
    except Error as error:
        raise ValueError(str(error)) from None


class LeanResponse:
    """A reply whose body is still to be read, with the names that ``httpx`` uses.

    >>> from types import SimpleNamespace
    >>> LeanResponse(SimpleNamespace(status=429, headers={"Retry-After": "2"})).status_code
    429
    """

    def __init__(self, response: "aiohttp.ClientResponse") -> None:
        self._response = response
        self.status_code = response.status
        self.headers: Mapping[str, str] = response.headers

    async def aiter_bytes(self) -> AsyncIterator[bytes]:
        """Yield the body, decompressed, as it arrives."""
        async for piece in self._response.content.iter_any():
            yield piece

    async def aclose(self) -> None:
        """Give the connection back, or close it if the body was not read to its end."""
        self._response.release()


class LeanClient:
    """Sends requests as a client of ``openai`` would.

    >>> import asyncio, openai
    >>> async def to_nobody() -> str:
    ...     client = LeanClient(openai.AsyncOpenAI(api_key="k", base_url="http://127.0.0.1:1/v1"), timeout=5, connect=5)
    ...     try:
    ...         await client.post("/chat/completions", JsonBody({"model": "m"}))
    ...     except OSError as error:
    ...         return type(error).__name__
    ...     finally:
    ...         await client.close()
    >>> asyncio.run(to_nobody())
    'ClientConnectorError'

    Args:
        client: Knows address, headers and key.
        timeout: Seconds between two bytes.
        connect: Seconds until a connection must stand.
    """

    def __init__(self, client: "AsyncOpenAI", timeout: float, connect: float) -> None:
        import aiohttp

        self._base_url = str(client.base_url).rstrip("/")
        headers = {**client.default_headers, **client.auth_headers, "X-Stainless-Retry-Count": "0"}
        # What the client leaves out on purpose is no string.
        self._headers = {name: value for name, value in headers.items() if isinstance(value, str)}
        self._headers["X-Stainless-Read-Timeout"] = str(timeout)
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=CONNECTIONS, ssl=_load_certificates()),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=connect, sock_read=timeout),
            cookie_jar=aiohttp.DummyCookieJar(),
            # By itself aiohttp reads environment and .netrc again for each request, and refuses a key beside .netrc's.
            # Where the environment names proxies, the client's own way is taken (``choose_transport``).
            trust_env=False,
        )

    async def post(self, path: str, body: JsonBody | FormBody) -> LeanResponse:
        """Send a request; a redirect is not followed."""
        if isinstance(body, JsonBody):
            headers = {**self._headers, "Content-Type": "application/json", "Content-Length": str(body.length)}
            data: Any = body
        else:
            # aiohttp writes the type of a form itself, with the boundary between its fields.
            headers = {name: value for name, value in self._headers.items() if name.lower() != "content-type"}
            data = _build_form(body)
        sent = self._session.post(f"{self._base_url}{path}", data=data, headers=headers, allow_redirects=False)
        return LeanResponse(await sent)

    async def get(self, url: str) -> LeanResponse:
        """Ask for the file at an address of the service; a redirect is not followed."""
        headers = {name: value for name, value in self._headers.items() if name.lower() != "content-type"}
        return LeanResponse(await self._session.get(url, headers=headers, allow_redirects=False))

    async def close(self) -> None:
        """Close all connections."""
        await self._session.close()


def can_send(body: JsonBody | FormBody) -> bool:
    """Return whether a request is simple enough: the client alone knows how it writes nested fields into a form."""
    return isinstance(body, JsonBody) or all(isinstance(value, FieldValue) for value in body.fields.values())


def build_picture_files(pictures: tuple[Picture, ...]) -> list[tuple[str, tuple[str, bytes, str]]]:
    """Return the files of a form: ``image``, or ``image[]`` for each of several."""
    # The client's own names for one picture and for several.
    name = "image" if len(pictures) == 1 else "image[]"
    kinds = [(picture.data, detect_media_type(picture.data)) for picture in pictures]
    return [(name, (f"picture.{kind.removeprefix('image/')}", data, kind)) for data, kind in kinds]


def _parse_events(data: bytes | bytearray) -> Iterator[str]:
    """Yield the data of each event; comments and other fields are left out."""
    lines: list[str] = []
    # The empty line at the end closes a last event that the server left open.
    for line in [*_LINE_END.split(data.decode("utf-8-sig", "replace")), ""]:
        if line.startswith("data:"):
            lines.append(line[5:].removeprefix(" "))
        elif not line and lines:
            yield "\n".join(lines)
            lines = []


def _assemble_chat(chunks: list[dict[str, Any]], ended: bool) -> dict[str, Any]:
    """Return the reply of chat completions that the pieces of its first choice make up."""
    texts: dict[str, str] = {}
    pictures: list[Any] = []
    document: dict[str, Any] = {}
    finish = None
    for chunk in chunks:
        document |= {name: chunk[name] for name in ("model", "system_fingerprint", "usage") if chunk.get(name)}
        choice = _select_first_choice(chunk.get("choices"))
        delta = choice.get("delta") if isinstance(choice.get("delta"), dict) else choice.get("message")
        for name in ("content", "refusal"):
            if isinstance(delta, dict) and isinstance(delta.get(name), str):
                texts[name] = texts.get(name, "") + delta[name]
        if isinstance(delta, dict) and isinstance(delta.get("images"), list):
            pictures += delta["images"]
        finish = choice.get("finish_reason") or finish
    # A reason to finish or the mark [DONE] shows that the stream came to its end; one of them is enough.
    if finish is None and not ended:
        raise ValueError("a stream of events that breaks off before its end")
    message = {**texts, **({"images": pictures} if pictures else {})}
    return {**document, "choices": [{"message": message, "finish_reason": finish}]}


def _select_first_choice(choices: Any) -> dict[str, Any]:
    firsts = [choice for choice in choices if isinstance(choice, dict) and not choice.get("index")] if choices else []
    return firsts[0] if firsts else {}


@cache
def _load_certificates() -> "ssl.SSLContext":
    """Return the certificates that the client trusts; making them takes some milliseconds."""
    import httpx2

    return httpx2.create_ssl_context()


def _build_form(body: FormBody) -> "aiohttp.FormData":
    import aiohttp

    form = aiohttp.FormData()
    for name, value in body.fields.items():
        form.add_field(name, str(value).lower() if isinstance(value, bool) else str(value))
    for name, (filename, data, kind) in build_picture_files(body.pictures):
        form.add_field(name, data, filename=filename, content_type=kind)
    return form
