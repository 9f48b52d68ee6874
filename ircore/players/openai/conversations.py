"""Conversations with pictures, as the two kinds of endpoint that answer with text take them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import JsonValue

from ircore.core.images import Picture
from ircore.players.base import Captioned, DescriberView, GeneratorView, JudgeView, Question
from ircore.players.openai.settings import TEXT_FIELDS, DescriberSettings
from ircore.players.openai.transport import DataUrl

ANSWER = "judgement"
"""Name under which the schema of an answer is sent."""


CHOOSE = "Answer with exactly one of these, as it stands here, and with nothing else:"
"""Said before the choices, one a line."""


@dataclass(frozen=True)
class ChatMessage:
    """A message of a conversation: words and pictures in order.

    >>> build_chat_messages([ChatMessage("user", ("Hello",))])
    [{'role': 'user', 'content': [{'type': 'text', 'text': 'Hello'}]}]
    """

    role: Literal["system", "user", "assistant"]
    parts: tuple[str | Picture, ...]


def add_system_text(system: str | None, messages: list[ChatMessage]) -> list[ChatMessage]:
    """Return a conversation behind a manifest's own system text, if it has one.

    >>> [message.role for message in add_system_text("Reply in English.", [ChatMessage("user", ("Hello",))])]
    ['system', 'user']
    """
    return messages if system is None else [ChatMessage("system", (system,)), *messages]


def build_dialogue(view: DescriberView) -> list[ChatMessage]:
    """Return a dialogue: a user message with prompt and picture for each turn, raw answers in between."""
    messages = []
    pictures = (view.target, *view.renderings)
    # There is one picture more than replies: that of the question at the end.
    for prompt, reply, picture in zip(view.prompts, view.replies, pictures, strict=False):
        messages += [ChatMessage("user", (prompt, picture)), ChatMessage("assistant", (reply,))]
    return [*messages, ChatMessage("user", (view.prompt, pictures[-1]))]


def build_judge_messages(view: JudgeView) -> list[ChatMessage]:
    """Return a question to a judge: prompt, captioned pictures, then rejected answers with their repairs."""
    messages = [ChatMessage("user", (view.prompt, *_list_picture_parts(view.pictures)))]
    for exchange in view.exchanges:
        messages += [ChatMessage("assistant", (exchange.reply,)), ChatMessage("user", (exchange.repair,))]
    return messages


def build_drawing_messages(view: GeneratorView) -> list[ChatMessage]:
    """Return the message to a generator: the prompt, then the generator's previous rendering, if any."""
    return [ChatMessage("user", (view.prompt, *(() if view.previous is None else (view.previous,))))]


def build_question_messages(question: Question) -> list[ChatMessage]:
    """Return a question of any game: earlier exchanges, prompt, captioned pictures, choices."""
    messages = []
    for exchange in question.earlier:
        messages += [
            ChatMessage("user", (exchange.prompt, *_list_picture_parts(exchange.pictures))),
            ChatMessage("assistant", (exchange.answer,)),
        ]
    offered = ["\n".join([CHOOSE, *question.choices])] if question.answers == "choice" else []
    return [*messages, ChatMessage("user", (question.prompt, *_list_picture_parts(question.pictures), *offered))]


def _list_picture_parts(pictures: Sequence[Captioned]) -> list[str | Picture]:
    return [part for captioned in pictures for part in (captioned.caption, captioned.picture)]


def build_chat_fields(
    messages: list[ChatMessage], settings: DescriberSettings, schema: dict[str, JsonValue] | None
) -> dict[str, Any]:
    """Return the fields of a request for chat completions, but for the model."""
    answer = {"name": ANSWER, "strict": True, "schema": schema}
    return {
        "messages": build_chat_messages(messages, settings.detail),
        **settings.model_dump(include=TEXT_FIELDS),
        "response_format": {"type": "json_schema", "json_schema": answer} if schema else None,
        "stream": False,
    }


def build_responses_fields(
    messages: list[ChatMessage], settings: DescriberSettings, schema: dict[str, JsonValue] | None
) -> dict[str, Any]:
    """The same for the Responses API."""
    answer = {"type": "json_schema", "name": ANSWER, "strict": True, "schema": schema}
    return {
        "input": build_responses_input(messages, settings.detail),
        # By default the Responses API keeps each answer on the provider's servers.
        "store": False,
        "max_output_tokens": settings.max_completion_tokens,
        "temperature": settings.temperature,
        "top_p": settings.top_p,
        "reasoning": {"effort": settings.reasoning_effort} if settings.reasoning_effort else None,
        "text": {"format": answer} if schema else None,
        "stream": False,
    }


def build_chat_messages(messages: list[ChatMessage], detail: str | None = None) -> list[dict[str, Any]]:
    """Return a conversation as chat completions expect it; ``detail`` applies to every picture."""
    return _build_turns(messages, _build_chat_part, detail)


def build_responses_input(messages: list[ChatMessage], detail: str | None = None) -> list[dict[str, Any]]:
    """The same for the Responses API."""
    return _build_turns(messages, _build_responses_part, detail)


def _build_turns(
    messages: list[ChatMessage], as_part: Callable[[str | Picture, dict[str, str]], dict[str, Any]], detail: str | None
) -> list[dict[str, Any]]:
    """Return the turns of a conversation; all but the user's messages are sent as plain text."""
    extra = {"detail": detail} if detail else {}
    turns = []
    for message in messages:
        words = "".join(part for part in message.parts if isinstance(part, str))
        content = words if message.role != "user" else [as_part(part, extra) for part in message.parts]
        turns.append({"role": message.role, "content": content})
    return turns


def _build_chat_part(part: str | Picture, extra: dict[str, str]) -> dict[str, Any]:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    return {"type": "image_url", "image_url": {"url": DataUrl(part), **extra}}


def _build_responses_part(part: str | Picture, extra: dict[str, str]) -> dict[str, Any]:
    if isinstance(part, str):
        return {"type": "input_text", "text": part}
    return {"type": "input_image", "image_url": DataUrl(part), **extra}
