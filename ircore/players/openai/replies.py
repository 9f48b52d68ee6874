"""Replies of the three kinds of endpoint, as far as the game needs them.

Unknown fields are ignored: servers add their own. A missing text or picture is a ``FaultError`` with the provider's
words.
"""

import re
from base64 import b64decode
from binascii import Error as Base64Error
from typing import Annotated, Any, NamedTuple

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from ircore.core.images import ImageError, Picture
from ircore.players.calls import FaultError
from ircore.players.faults import Fault

SMALLEST_SIDE = 16
"""Pixels; a smaller picture is a placeholder, not an answer."""

_THOUGHTS = re.compile(r"\A\s*(?:<think(?:ing)?>)?.*?</think(?:ing)?>", re.DOTALL)
_DATA_URL = re.compile(r"data:image/[a-z+.-]+;base64,(?P<data>[A-Za-z0-9+/=\s]+)")


class PictureAddress(NamedTuple):
    """The address of a picture that a reply names instead of holding the picture."""

    url: str


def _listed(value: Any) -> Any:
    """Return a mapping of pictures, or a single picture, as a list, since servers answer with either."""
    if not isinstance(value, dict):
        return [value] if isinstance(value, str) else value
    return [value] if {"b64_json", "url", "image_url"} & value.keys() else list(value.values())


class _Loose(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class _ChatMessage(_Loose):
    """A model's message: text or parts, a refusal, and pictures where OpenRouter and others put them."""

    content: str | list[Any] | None = None
    refusal: str | None = None
    images: Annotated[list[Any] | None, BeforeValidator(_listed)] = None


class _ChatChoice(_Loose):
    """An answer among the choices of a reply."""

    message: _ChatMessage
    finish_reason: str | None = None


class ChatReply(_Loose):
    """A reply of ``/chat/completions``.

    >>> ChatReply.model_validate({"choices": [{"message": {"content": "Hello"}}]}).text
    'Hello'
    """

    choices: list[_ChatChoice] = Field(min_length=1)
    usage: Any = None
    model: Any = None
    system_fingerprint: Any = None

    @property
    def text(self) -> str:
        """Visible text, without thoughts that some local servers put in front."""
        content = self.choices[0].message.content
        parts: list[Any] = content if isinstance(content, list) else [{"text": content}]
        content_text = "".join(
            part["text"] for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str)
        )
        return _THOUGHTS.sub("", content_text, count=1).strip() if "</think" in content_text else content_text

    @property
    def pictures(self) -> list["str | PictureAddress"]:
        """Pictures in base64 or their addresses, wherever they are."""
        message = self.choices[0].message
        content = message.content if isinstance(message.content, list) else []
        addresses = [address for part in (*(message.images or ()), *content) if (address := _address(part))]
        links: list[str | PictureAddress] = [
            PictureAddress(address) for address in addresses if address.startswith(("http:", "https:", "/"))
        ]
        if not addresses and isinstance(message.content, str):
            # Some servers write the picture into the text, as a data address.
            addresses = [message.content]
        return [*(match["data"] for address in addresses for match in _DATA_URL.finditer(address)), *links]

    def check(self) -> None:
        """Raise ``FaultError`` if the provider withheld the answer or broke off."""
        choice = self.choices[0]
        if choice.message.refusal:
            raise FaultError(Fault("refused", choice.message.refusal))
        if choice.finish_reason == "content_filter":
            raise FaultError(Fault("filtered", f"the provider's filter withheld the answer {self.text!r}"))
        if choice.finish_reason == "error":
            raise FaultError(Fault("server", "the provider broke off"))
        # Cut-off words are still an answer; only an answer without any is a technical fault.
        if choice.finish_reason == "length" and not self.text.strip() and not self.pictures:
            raise FaultError(Fault("cut_off", _CUT_OFF))


_CUT_OFF = "no visible text before the limit of tokens; parameters.max_completion_tokens raises it"


class _ImageDatum(_Loose):
    """A picture of a reply."""

    b64_json: str | None = None
    url: str | None = None
    revised_prompt: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _text(cls, datum: Any) -> Any:
        """Take a bare text for an address if it looks like an address, else for base64."""
        if not isinstance(datum, str):
            return datum
        return {"url": datum} if datum.startswith(("data:", "http:", "https:")) else {"b64_json": datum}


class ImagesReply(_Loose):
    """A reply of ``/images/generations`` or ``/images/edits``.

    >>> image_datum(ImagesReply.model_validate({"data": [{"b64_json": "AAAA"}]}))
    'AAAA'
    """

    data: Annotated[list[_ImageDatum], BeforeValidator(_listed)] = Field(
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


class _OutputItem(_Loose):
    """An item of output: a message or a generated picture."""

    type: str
    content: list[Any] | None = None
    result: str | None = None
    status: str | None = None
    error: Any = None
    revised_prompt: str | None = None


class ResponsesReply(_Loose):
    """A reply of ``/responses``.

    >>> item = {"type": "message", "content": [{"text": "Hello"}]}
    >>> ResponsesReply.model_validate({"output": [item]}).text
    'Hello'
    """

    output: list[_OutputItem] = Field(min_length=1)
    status: str | None = None
    incomplete_details: Any = None
    usage: Any = None
    model: Any = None

    @property
    def text(self) -> str:
        """The visible text."""
        return "".join(self._parts("text"))

    @property
    def pictures(self) -> list[str | PictureAddress]:
        """Pictures in base64."""
        return [item.result for item in self.output if item.type == "image_generation_call" and item.result]

    def _parts(self, key: str) -> list[str]:
        parts = (part for item in self.output if item.type == "message" for part in item.content or ())
        return [part[key] for part in parts if isinstance(part, dict) and isinstance(part.get(key), str)]

    def check(self) -> None:
        """Raise ``FaultError`` if the provider withheld the answer or broke off."""
        if refusals := self._parts("refusal"):
            raise FaultError(Fault("refused", " ".join(refusals)))
        failed = [item for item in self.output if item.type == "image_generation_call" and item.status == "failed"]
        if failed and not self.pictures:
            raise FaultError(Fault("filtered", f"the picture was not made: {failed[0].error or self.text}"))
        reason = self.incomplete_details.get("reason") if isinstance(self.incomplete_details, dict) else None
        if reason == "content_filter":
            raise FaultError(Fault("filtered", "the provider's filter withheld the answer"))
        if reason == "max_output_tokens" and not self.text.strip() and not self.pictures:
            raise FaultError(Fault("cut_off", _CUT_OFF))


def visible_text(reply: ChatReply | ResponsesReply) -> str:
    """Return a describer's or a judge's answer.

    Raises:
        FaultError: The answer was withheld or cut off, or is empty.
    """
    reply.check()
    text = reply.text
    if not text.strip():
        raise FaultError(Fault("empty", "the answer is empty"))
    return text


def first_picture(reply: ChatReply | ResponsesReply) -> str | PictureAddress:
    """Return a generator's picture in base64, or its address; the first if there are several.

    Raises:
        FaultError: The reply has no picture.
    """
    reply.check()
    if not reply.pictures:
        raise FaultError(Fault("no_image", f"no picture; it said {reply.text!r}"))
    return reply.pictures[0]


def image_datum(reply: ImagesReply) -> str | PictureAddress:
    """Return the picture of an Images API reply in base64, or its address.

    Raises:
        FaultError: The reply has no picture.
    """
    datum = reply.data[0]
    if datum.b64_json:
        return datum.b64_json
    # Some servers put the picture itself where an address belongs.
    inline = _DATA_URL.match(datum.url or "")
    if inline:
        return inline["data"]
    if datum.url:
        return PictureAddress(datum.url)
    raise FaultError(Fault("no_image", "no picture"))


def decoded_picture(data: str | bytes) -> Picture:
    """Decode and check a stranger's picture; slow, meant for a thread.

    Args:
        data: Base64 as text, or the picture's own bytes.

    Raises:
        FaultError: The data are no usable picture.
    """
    try:
        picture = Picture.from_untrusted(data if isinstance(data, bytes) else b64decode(data), "the picture")
    except (Base64Error, ValueError) as error:
        raise FaultError(Fault("bad_image", f"not base64 ({error})")) from None
    except ImageError as error:
        raise FaultError(Fault("bad_image", error.problem)) from None
    if min(picture.width, picture.height) < SMALLEST_SIDE:
        raise FaultError(Fault("bad_image", f"a picture of {picture.width} × {picture.height} pixels"))
    # A new record without the decoded pixels: an episode keeps its renderings until it ends.
    return Picture(picture.data, picture.width, picture.height, picture.changes)


def _address(part: object) -> str:
    """Return the URL in a message part such as ``{"image_url": {"url": "data:…"}}``; empty without a URL."""
    if isinstance(part, str):
        return part
    inner = part.get("image_url", part if "url" in part else None) if isinstance(part, dict) else None
    address = inner.get("url") if isinstance(inner, dict) else inner
    return address if isinstance(address, str) else ""
