"""Replies of the three kinds of endpoint, as far as the game needs them, with the tokens and cost that they report.

Unknown fields are ignored: servers add their own. A missing text or picture is a ``FaultError`` with the provider's
words.
"""

import json
import re
from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, Any

from pydantic import (
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    model_validator,
)

from ircore.core.images import ImageError, Picture
from ircore.players.calls import FaultError, RequestFault, Tokens
from ircore.players.openai.provider_errors import find_body_error_status, find_response_fault
from ircore.players.openai.transport import (
    DATA_ADDRESS_IN_TEXT,
    PictureAddress,
    decode_base64,
    parse_picture_source,
)
from ircore.players.spoken_answers import Spoken, extract_spoken

SMALLEST_SIDE = 16
"""Pixels; a smaller picture is a placeholder, not an answer."""

_STOPPED = frozenset(
    {"stop", "end_turn", "end", "eos", "eos_token", "stop_sequence", "stop_token", "completed", "complete"}
)
"""Reasons to finish of an answer that the model itself ended, in lower case."""

_CUT = frozenset(
    {
        "length",
        "max_tokens",
        "max_output_tokens",
        "model_length",
        "token_limit",
        "max_length",
        "context_length",
        "model_context_window_exceeded",
    }
)
"""Reasons to finish of an answer that a limit of tokens ended."""

_WITHHELD = re.compile(
    r"content[_ -]?filter|(image_)?(safety|prohibited_content|recitation)\b|blocklist|spii|sensitive|refusal|moderation"
    r"|guardrail",
    re.IGNORECASE,
)
"""Reasons to finish of an answer that a filter withheld: OpenAI's, Gemini's, Anthropic's, Zhipu's."""

_THINKING = re.compile("think|thought|reason", re.IGNORECASE)
"""Types of message parts that are no answer."""

_CUT_OFF = "no visible text before the limit of tokens; parameters.max_completion_tokens raises it"

COST_HEADER = "x-litellm-response-cost"
"""Header in which LiteLLM's proxy reports US dollars."""

XAI_TICKS = 10_000_000_000
"""Units of xAI's ``cost_in_usd_ticks`` in a US dollar."""

MOST_USD = 1e6
"""No answer costs as much; a larger figure is an error of the service."""

MOST_TOKENS = 10**15
"""No answer takes as many; nor can a larger figure be multiplied by a price."""


class _Loose(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class _ChatMessage(_Loose):
    """A model's message: text or parts, a refusal, and pictures where OpenRouter and others put them."""

    content: Any = None
    refusal: Any = None
    images: Any = None


class _ChatChoice(_Loose):
    """An answer among the choices of a reply."""

    message: _ChatMessage
    finish_reason: Any = None
    native_finish_reason: Any = None
    error: Any = None


def _select_first_choice(choices: Any) -> Any:
    """Return the first choice alone: a fault in another one, which nobody asked for, loses no answer."""
    if not isinstance(choices, list):
        return choices
    return [choice for choice in choices if isinstance(choice, dict)][:1]


class ChatReply(_Loose):
    """A reply of ``/chat/completions``.

    >>> ChatReply.model_validate({"choices": [{"message": {"content": "Hello"}}]}).text
    'Hello'
    """

    choices: Annotated[list[_ChatChoice], BeforeValidator(_select_first_choice)] = Field(min_length=1)
    usage: Any = None
    model: Any = None
    system_fingerprint: Any = None

    @property
    def text(self) -> str:
        """Visible text, without the thoughts in front of it."""
        return self._spoken.text

    @cached_property
    def _spoken(self) -> Spoken:
        choice = self.choices[0]
        return extract_spoken(
            _collect_words(choice.message.content), stopped=_convert_to_text(choice.finish_reason).lower() in _STOPPED
        )

    @property
    def pictures(self) -> list["str | PictureAddress"]:
        """Pictures in base64 or their addresses, wherever they are."""
        message = self.choices[0].message
        content = message.content if isinstance(message.content, list) else [message.content]
        images = _convert_to_list(message.images)
        shown = [
            part if isinstance(part, str) else _find_picture_source(part)
            for part in (images if isinstance(images, list) else ())
        ]
        parts = (part for part in content if isinstance(message.content, list) or isinstance(part, dict))
        sources = [source for source in (*shown, *map(_find_picture_source, parts)) if source]
        if not sources and isinstance(message.content, str):
            # Some servers write the picture into the text, as a data address.
            sources = [match[0] for match in DATA_ADDRESS_IN_TEXT.finditer(message.content)]
        found = [parse_picture_source(source) for source in sources]
        # A picture in the reply itself needs no further request.
        return sorted(found, key=lambda source: isinstance(source, PictureAddress))

    def check(self) -> None:
        """Raise ``FaultError`` if the provider withheld the answer or broke off."""
        choice = self.choices[0]
        if refusal := _convert_to_text(choice.message.refusal):
            raise FaultError(RequestFault("refused", refusal))
        finish = _convert_to_text(choice.finish_reason)
        if choice.error:
            code = find_body_error_status({"error": choice.error}) or 500
            raise FaultError(find_response_fault(code, {}, json.dumps({"error": choice.error})))
        if _WITHHELD.match(finish) or _WITHHELD.match(_convert_to_text(choice.native_finish_reason)):
            raise FaultError(
                RequestFault("filtered", f"the provider's filter withheld the answer {self.text!r} ({finish})")
            )
        if finish == "error":
            raise FaultError(RequestFault("server", "the provider broke off"))
        # Cut-off words are still an answer; only an answer without any is a technical fault.
        ended_early = finish.lower() in _CUT or self._spoken.unfinished
        if ended_early and not self.text.strip() and not self.pictures:
            raise FaultError(RequestFault("cut_off", _CUT_OFF))


class _ImageDatum(_Loose):
    """A picture of a reply."""

    b64_json: Any = None
    url: Any = None
    respect_moderation: Any = None

    @model_validator(mode="before")
    @classmethod
    def _text(cls, datum: Any) -> Any:
        """Take a bare text for a picture, or for its address."""
        if not isinstance(datum, str):
            return datum
        return {"b64_json": datum}


def _select_first_picture(value: Any) -> Any:
    """Return the first picture alone, in a list."""
    pictures = _convert_to_list(value)
    return pictures[:1] if isinstance(pictures, list) else pictures


class ImagesReply(_Loose):
    """A reply of ``/images/generations`` or ``/images/edits``.

    >>> find_image_datum(ImagesReply.model_validate({"data": [{"b64_json": "AAAA"}]}))
    'AAAA'
    """

    data: Annotated[list[_ImageDatum], BeforeValidator(_select_first_picture)] = Field(
        min_length=1, validation_alias=AliasChoices("data", "images")
    )
    usage: Any = None
    model: Any = None
    system_fingerprint: Any = None

    @model_validator(mode="before")
    @classmethod
    def _whole(cls, document: Any) -> Any:
        """Take a bare list of pictures, or a single picture, for a reply."""
        if isinstance(document, list):
            return {"data": document}
        single = isinstance(document, dict) and not {"data", "images"} & document.keys()
        return {"data": [document]} if single and {"b64_json", "url"} & document.keys() else document


def _select_objects(items: Any) -> Any:
    """Return the objects of a list, since one odd item beside an answer loses no answer."""
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else items


class _OutputItem(_Loose):
    """An item of output: a message or a generated picture."""

    type: Any = None
    content: Any = None
    phase: Any = None
    result: Any = None
    status: Any = None
    error: Any = None


class ResponsesReply(_Loose):
    """A reply of ``/responses``.

    >>> item = {"type": "message", "content": [{"text": "Hello"}]}
    >>> ResponsesReply.model_validate({"output": [item]}).text
    'Hello'
    """

    output: Annotated[list[_OutputItem], BeforeValidator(_select_objects)] = Field(min_length=1)
    status: Any = None
    incomplete_details: Any = None
    usage: Any = None
    model: Any = None

    @property
    def text(self) -> str:
        """Visible text, without the thoughts in front of it."""
        return self._spoken.text

    @cached_property
    def _spoken(self) -> Spoken:
        messages = [item for item in self.output if item.type == "message"]
        # What a model says while it works is no answer where it says which message is.
        final = [item for item in messages if item.phase != "commentary"] or messages
        return extract_spoken(
            "".join(_collect_words(item.content) for item in final), stopped=self.status == "completed"
        )

    @property
    def pictures(self) -> list[str | PictureAddress]:
        """Pictures in base64."""
        drawn = [
            item.result
            for item in self.output
            if item.type == "image_generation_call" and _convert_to_text(item.result)
        ]
        return [parse_picture_source(source) for source in drawn]

    @property
    def _refusals(self) -> list[str]:
        parts = (part for item in self.output if isinstance(item.content, list) for part in item.content)
        said = (part.get("refusal") for part in parts if isinstance(part, dict))
        return [refusal for refusal in said if isinstance(refusal, str) and refusal]

    def check(self) -> None:
        """Raise ``FaultError`` if the provider withheld the answer or broke off."""
        if refusals := self._refusals:
            raise FaultError(RequestFault("refused", " ".join(refusals)))
        failed = [item for item in self.output if item.type == "image_generation_call" and item.status == "failed"]
        if failed and not self.pictures:
            raise FaultError(RequestFault("filtered", f"the picture was not made: {failed[0].error or self.text}"))
        reason = self.incomplete_details.get("reason") if isinstance(self.incomplete_details, dict) else None
        if reason == "content_filter":
            raise FaultError(RequestFault("filtered", "the provider's filter withheld the answer"))
        ended_early = reason == "max_output_tokens" or self._spoken.unfinished
        if ended_early and not self.text.strip() and not self.pictures:
            raise FaultError(RequestFault("cut_off", _CUT_OFF))


def read_visible_text(reply: ChatReply | ResponsesReply) -> str:
    """Return a describer's or a judge's answer.

    Raises:
        FaultError: The answer was withheld or cut off, or is empty.
    """
    reply.check()
    text = reply.text
    if not text.strip():
        raise FaultError(RequestFault("empty", "the answer is empty"))
    return text


def find_first_picture(reply: ChatReply | ResponsesReply) -> str | PictureAddress:
    """Return a generator's picture in base64, or its address; the first if there are several.

    Raises:
        FaultError: The reply has no picture.
    """
    reply.check()
    if not reply.pictures:
        raise FaultError(RequestFault("no_image", f"no picture; it said {reply.text!r}"))
    return reply.pictures[0]


def find_image_datum(reply: ImagesReply) -> str | PictureAddress:
    """Return the picture of an Images API reply in base64, or its address.

    Raises:
        FaultError: The reply has no picture.
    """
    datum = reply.data[0]
    source = _convert_to_text(datum.b64_json) or _convert_to_text(datum.url)
    # xAI answers with a place for a picture that its filter withheld.
    if datum.respect_moderation is False:
        raise FaultError(RequestFault("filtered", "the provider's filter withheld the picture"))
    if not source:
        raise FaultError(RequestFault("no_image", "no picture"))
    return parse_picture_source(source)


def decode_picture(data: str | bytes) -> Picture:
    """Decode and check a stranger's picture; slow, meant for a thread.

    Args:
        data: Base64 as text, or the picture's own bytes.

    Raises:
        FaultError: The data are no usable picture.
    """
    try:
        picture = Picture.read_untrusted(data if isinstance(data, bytes) else decode_base64(data), "the picture")
    except ValueError as error:
        raise FaultError(RequestFault("bad_image", f"not base64 ({error})")) from None
    except ImageError as error:
        raise FaultError(RequestFault("bad_image", error.problem)) from None
    if min(picture.width, picture.height) < SMALLEST_SIDE:
        raise FaultError(RequestFault("bad_image", f"a picture of {picture.width} × {picture.height} pixels"))
    # An episode keeps its renderings until it ends.
    return picture.without_pixels()


def read_tokens(usage: Any, headers: Mapping[str, str]) -> Tokens:
    """Return tokens and cost of a reply from any endpoint; unreadable values are None.

    Args:
        usage: The reply's ``usage``.
        headers: Headers of the reply, names in lower case or of any case if the mapping ignores it.
    """
    if not isinstance(usage, dict):
        return Tokens(cost_usd=_parse_dollars(headers.get(COST_HEADER)))
    read = usage.get("prompt_tokens_details") or usage.get("input_tokens_details")
    written = usage.get("completion_tokens_details") or usage.get("output_tokens_details")
    # DeepSeek counts what its cache held beside the details that OpenAI introduced.
    cached = read.get("cached_tokens") if isinstance(read, dict) else usage.get("prompt_cache_hit_tokens")
    return Tokens(
        prompt=_parse_count(usage.get("prompt_tokens", usage.get("input_tokens"))),
        completion=_parse_count(usage.get("completion_tokens", usage.get("output_tokens"))),
        reasoning=_parse_count(written.get("reasoning_tokens")) if isinstance(written, dict) else None,
        cached=_parse_count(cached),
        cost_usd=_read_reported_cost(usage, headers),
    )


def _convert_to_list(value: Any) -> Any:
    """Return a mapping of pictures, or a single picture, as a list, since servers answer with either."""
    if not isinstance(value, dict):
        return [value] if isinstance(value, str) else value
    return [value] if {"b64_json", "url", "image_url"} & value.keys() else list(value.values())


def _convert_to_text(value: Any) -> str:
    """Return a field's text; empty if it is of another kind: an answer is not lost for a fault beside it."""
    return value if isinstance(value, str) else ""


def _collect_words(content: Any) -> str:
    """Return the text of a message, without the parts that are thoughts or pictures."""
    if isinstance(content, str):
        return content
    texts = []
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, dict) and not part.get("thought") and not _THINKING.search(str(part.get("type") or "")):
            text = part.get("text")
            text = text.get("value") if isinstance(text, dict) else text
            texts.append(text if isinstance(text, str) else "")
        elif isinstance(part, str):
            texts.append(part)
    return "".join(texts)


def _find_picture_source(part: object) -> str:
    """Return the picture or the address in a message part such as ``{"image_url": {"url": "data:…"}}``; else empty."""
    if isinstance(part, str):
        # A text among the parts of a message is no picture, unless it says so.
        return part if part.startswith(("data:", "http:", "https:", "/")) else ""
    if not isinstance(part, dict):
        return ""
    for key in ("image_url", "url", "b64_json", "image_base64", "inline_data", "inlineData", "source", "image"):
        value = part.get(key)
        if isinstance(value, dict):
            value = value.get("url") or value.get("data") or value.get("b64_json")
        if isinstance(value, str) and value:
            return value
    return ""


def _read_reported_cost(usage: dict[str, Any], headers: Mapping[str, str]) -> float | None:
    """Return the US dollars that a service reports: OpenRouter and xAI in the usage, LiteLLM's proxy in a header."""
    cost, details = _parse_dollars(usage.get("cost")), usage.get("cost_details")
    if cost is not None and usage.get("is_byok") and isinstance(details, dict):
        # With a key of the user's own, OpenRouter's cost is its fee alone; the provider bills the rest.
        cost += _parse_dollars(details.get("upstream_inference_cost")) or 0.0
    if cost is None and (ticks := _parse_count(usage.get("cost_in_usd_ticks"))) is not None:
        cost = ticks / XAI_TICKS
    return _parse_dollars(headers.get(COST_HEADER)) if cost is None else cost


def _parse_dollars(value: object) -> float | None:
    """Return a sum of money, also from the text of a header; None if it is none."""
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    known = isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < MOST_USD
    return float(value) if known else None  # type: ignore[arg-type]


def _parse_count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < MOST_TOKENS else None
