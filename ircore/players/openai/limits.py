"""Limits of services that a question passed: which one, as far as the words of an error tell.

The words are those of vLLM, SGLang, llama.cpp, Ollama, TGI, LiteLLM and of the public services; all name the limit in
prose, and few give it a code.
"""

import re
from typing import NamedTuple

from ircore.core.episode_records import FaultKind

_PICTURES = re.compile(
    r"at most \d+ (image|multi-?modal item)|too many (images|pictures|image)|up to \d+ images"
    r"|(maximum|limit|number|count) of( \d+)? images?\b[^.]{0,40}(exceed|limit|maximum|greater|allowed|per)"
    r"|(maximum|limit) of \d+ images",
    re.IGNORECASE,
)
_CONTEXT = re.compile(
    r"context[ _-]?(length|window|size)|maximum (model|sequence) length|prompt is too long|too many (input )?tokens"
    r"|input is too long|exceeds the (maximum|model\'?s maximum) number of tokens|token count[^.]{0,60}exceeds"
    r"|max_?tokens[^.]{0,60}too large|inputs? tokens[^.]{0,60}must be",
    re.IGNORECASE,
)
_WHOLE = re.compile(
    r"(?:maximum (?:context|model|sequence) length|context (?:length|window|size))\D{0,30}?(\d[\d,]*)", re.I
)
_READ = (
    re.compile(r"(\d[\d,]*) (?:input tokens|in the messages|tokens from the input|of text input)", re.IGNORECASE),
    re.compile(r"messages resulted in (\d[\d,]*) tokens", re.IGNORECASE),
    re.compile(r"prompt contains (?:at least )?(\d[\d,]*)(?: input)? tokens", re.IGNORECASE),
)
SMALLEST_ROOM = 64
"""Tokens; an answer with less room would break off."""


class Limit(NamedTuple):
    """A limit that a question passed.

    >>> passed_limit("At most 4 image(s) may be provided in one prompt.")
    Limit(kind='too_many_pictures', room=None)

    Attributes:
        kind: ``too_many_pictures``; ``context_too_long``; or ``answer_too_long`` if the question itself would fit.
        room: Tokens that an answer may have, for ``answer_too_long``.
    """

    kind: FaultKind
    room: int | None = None


def passed_limit(message: str, codes: str = "") -> Limit | None:
    """Return the limit that an error tells of; None for other errors.

    Args:
        message: The error's words.
        codes: Its codes, in lower case.
    """
    if _PICTURES.search(message) or "too_many_images" in codes:
        return Limit("too_many_pictures")
    if not _CONTEXT.search(message) and not re.search(r"context_length_exceeded|exceed_context_size", codes):
        return None
    whole = _WHOLE.search(message)
    read = next((match for pattern in _READ if (match := pattern.search(message))), None)
    # Without both numbers nobody knows whether a shorter answer would fit.
    room = _number(whole[1]) - _number(read[1]) if whole and read else 0
    return Limit("answer_too_long", room) if room >= SMALLEST_ROOM else Limit("context_too_long")


def _number(text: str) -> int:
    return int(text.replace(",", ""))
