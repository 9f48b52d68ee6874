"""Request bodies with pictures in them, encoded piece by piece while they are sent.

A describer's request may hold ten pictures of megabytes each, and many requests wait at the same time: base64 exists
only in the piece that is being sent, never as a whole.
"""

import json
from base64 import b64encode
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from secrets import token_hex
from typing import Any

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
