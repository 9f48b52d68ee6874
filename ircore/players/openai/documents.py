"""JSON of services that is not quite JSON: half characters, bytes that are no UTF-8, line breaks inside texts."""

import json
from typing import Any

from pydantic_core import from_json

from ircore.core.untrusted_text import whole_characters


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
        return mended(parse_part(data.decode("utf-8-sig", "replace")))


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


def mended(document: Any) -> Any:
    r"""Return a document with whole characters in all of its texts; the document itself is changed.

    >>> mended({"choices": [{"text": "half \ud83d"}]})
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
                container[key] = whole_characters(value)
            elif isinstance(value, (dict, list)):
                waiting.append(value)
    return root[0]
