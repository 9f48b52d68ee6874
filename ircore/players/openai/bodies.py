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

from ircore.images import Picture

PIECE = 192 * 1024
"""Bytes of a picture that are encoded at a time; a multiple of 3, so that the pieces' base64 can be joined."""


@dataclass(frozen=True)
class DataUrl:
    """Stands for a picture in a request: sent as a ``data:`` address."""

    picture: Picture

    @property
    def head(self) -> str:
        """What comes before the base64."""
        return f"data:{media_type(self.picture)};base64,"


def media_type(picture: Picture) -> str:
    """Return a picture's type by its first bytes; ``Picture`` holds PNG or JPEG."""
    return "image/jpeg" if picture.data.startswith(b"\xff\xd8") else "image/png"


class JsonBody:
    """A JSON document in which ``DataUrl`` may stand for strings.

    Attributes:
        length: Bytes.
    """

    def __init__(self, document: dict[str, Any]) -> None:
        self._pictures: list[DataUrl] = []
        # Nobody can foresee the mark, so that no text in the document can be taken for it.
        self._mark = token_hex(16)
        self._texts = json.dumps(document, default=self._stand_in).split(self._mark)
        sizes = (len(one.head) + 4 * -(-len(one.picture.data) // 3) for one in self._pictures)
        self.length = sum(map(len, self._texts)) + sum(sizes)

    def _stand_in(self, value: object) -> str:
        if not isinstance(value, DataUrl):
            raise TypeError(f"{type(value).__name__} cannot be sent")
        self._pictures.append(value)
        return self._mark

    def pieces(self) -> Iterator[bytes]:
        """Yield the body in pieces of about a quarter of a megabyte."""
        buffer = bytearray()
        for index, text in enumerate(self._texts):
            buffer += text.encode("ascii")
            if index == len(self._pictures):
                break
            one = self._pictures[index]
            buffer += one.head.encode("ascii")
            view = memoryview(one.picture.data)
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
    """A form with one picture, as the Images API takes it for edits."""

    fields: dict[str, Any]
    picture: Picture
