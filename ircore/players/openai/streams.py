"""Answers that a service streams although they were asked for whole: server-sent events, put together again.

The format is that of the HTML standard, section 9.2; what the events mean is OpenAI's: pieces of a message for chat
completions, a last event with the whole answer for Responses and images.
"""

import json
import re
from collections.abc import Iterator
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


_COMPLETE = ("response.completed", "response.incomplete", "response.failed")
_LINE_END = re.compile(r"\r\n|\n|\r")
"""The only ends of lines in a stream: a text may hold the other characters at which Python splits."""

_PICTURES = ("image_generation.completed", "image_edit.completed")


def is_stream(content_type: str, data: bytes | bytearray) -> bool:
    """Return whether a reply is a stream of events, by its type or, where servers state none, by its beginning.

    >>> is_stream("text/event-stream; charset=utf-8", b""), is_stream("application/json", b"{}")
    (True, False)
    """
    return content_type.startswith("text/event-stream") or data.lstrip()[:6].startswith((b"data:", b"event:"))


def assembled(data: bytes | bytearray) -> dict[str, Any]:
    """Return the document that a stream's events add up to.

    >>> assembled(b'data: {"choices": [{"delta": {"content": "Hi"}, "finish_reason": "stop"}]}')["choices"]
    [{'message': {'content': 'Hi'}, 'finish_reason': 'stop'}]

    Args:
        data: The whole body.

    Raises:
        ValueError: It is no such stream, or breaks off before its end.
    """
    chunks, ended = [], False
    for text in _events(data):
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
    return _chat(chunks, ended)


def _events(data: bytes | bytearray) -> Iterator[str]:
    """Yield the data of each event; comments and other fields are left out."""
    lines: list[str] = []
    # The empty line at the end closes a last event that the server left open.
    for line in [*_LINE_END.split(data.decode("utf-8-sig", "replace")), ""]:
        if line.startswith("data:"):
            lines.append(line[5:].removeprefix(" "))
        elif not line and lines:
            yield "\n".join(lines)
            lines = []


def _chat(chunks: list[dict[str, Any]], ended: bool) -> dict[str, Any]:
    """Return the reply of chat completions that the pieces of its first choice make up."""
    texts: dict[str, str] = {}
    pictures: list[Any] = []
    document: dict[str, Any] = {}
    finish = None
    for chunk in chunks:
        document |= {name: chunk[name] for name in ("model", "system_fingerprint", "usage") if chunk.get(name)}
        choice = _first(chunk.get("choices"))
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


def _first(choices: Any) -> dict[str, Any]:
    firsts = [choice for choice in choices if isinstance(choice, dict) and not choice.get("index")] if choices else []
    return firsts[0] if firsts else {}
