"""Request bodies with pictures in them, encoded piece by piece while they are sent.

A describer's request may hold ten pictures of megabytes each, and many requests wait at the same time: base64 exists
only in the piece that is being sent, never as a whole.
"""

import json
import re
from base64 import b64encode
from binascii import Error, a2b_base64
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from secrets import token_hex
from typing import Any, NamedTuple
from urllib.parse import unquote

from ircore.core.images import Picture

PIECE = 192 * 1024
"""Bytes of a picture that are encoded at a time; a multiple of 3, so that the pieces' base64 can be joined."""

ANSWER_LIMITS = ("max_completion_tokens", "max_output_tokens", "max_tokens")
"""Fields of a request that limit the tokens of its answer."""


@dataclass(frozen=True)
class DataUrl:
    """Stands for a picture in a request: sent as a ``data:`` address.

    >>> DataUrl(Picture(b"", 64, 48)).picture.width
    64
    """

    picture: Picture


def media_type(data: bytes) -> str:
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
        self._texts = json.dumps(document, default=self._stand_in).split(self._mark)
        self.length = sum(map(len, self._texts)) + self._encoded

    def fitted(self, room: int) -> "JsonBody":
        """Return the same request with a lower limit on the tokens of its answer.

        >>> b"".join(JsonBody({"max_completion_tokens": 16000}).fitted(900).pieces())
        b'{"max_completion_tokens": 900}'

        Args:
            room: Tokens that an answer may have; a limit below stays, and no limit is added.
        """
        # Services name the limit differently, and extra_body may bring one of its own.
        limits = [name for name in ANSWER_LIMITS if isinstance(self._document.get(name), int)]
        return JsonBody({**self._document, **{name: min(room, self._document[name]) for name in limits}})

    def _stand_in(self, value: object) -> str:
        if not isinstance(value, DataUrl):
            raise TypeError(f"{type(value).__name__} cannot be sent")
        # Asked for once here and once when it is sent: the picture may lie in a file.
        data = value.picture.data
        head = f"data:{media_type(data)};base64,"
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


class PictureAddress(NamedTuple):
    """The address of a picture that a reply names instead of holding the picture."""

    url: str


def picture_source(text: str) -> str | PictureAddress:
    """Return the address that a text is, or the text itself where it is a picture.

    >>> picture_source("https://127.0.0.1/1.png"), picture_source("data:image/png;base64,AAAA")
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
