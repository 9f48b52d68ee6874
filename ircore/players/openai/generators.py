"""The generators ``openai-images``, ``openai-chat`` and ``openai-responses``: image models behind three endpoints.

As generators all three are sent one user message: on turn 1 the describer's message alone; later the dialogue so far.
Which words surround the dialogue, and whether their own previous rendering goes with it, is the rule ``drawing``. In
other games' seats they are sent the question as it is, pictures behind their captions.
"""

import asyncio
import os
from abc import ABC, abstractmethod
from concurrent.futures import ThreadPoolExecutor
from typing import Generic, TypeVar

from ircore.core.errors import InputError
from ircore.core.images import Picture
from ircore.core.records import PlayerSpec
from ircore.players.base import GeneratorView, PictureAnswer, PlayerError, Question, Role
from ircore.players.calls import Called
from ircore.players.openai.conversations import (
    ChatMessage,
    add_system_text,
    build_chat_messages,
    build_drawing_messages,
    build_question_messages,
    build_responses_input,
)
from ircore.players.openai.provider import EDITS, Provider, select_stated_fields
from ircore.players.openai.replies import (
    ChatReply,
    ImagesReply,
    ResponsesReply,
    decode_picture,
    find_first_picture,
    find_image_datum,
    read_visible_text,
)
from ircore.players.openai.settings import (
    IMMATERIAL,
    TEXT_FIELDS,
    ChatImageSettings,
    DrawingSettings,
    ImagesSettings,
    ResponsesImageSettings,
    read_settings,
)
from ircore.players.openai.transport import FormBody, JsonBody, PictureAddress

Settings = TypeVar("Settings", bound=DrawingSettings)

NOTE_CHARACTERS = 1_900

LONGEST_PROMPT = 30_000
"""Characters of a rewriter's prompt that are drawn from."""


class _Generator(ABC, Generic[Settings]):
    """Shared part of the three generators."""

    IMMATERIAL = IMMATERIAL

    settings_kind: type[Settings]
    path: str
    kind: type[ChatReply | ResponsesReply]

    def __init__(self, spec: PlayerSpec) -> None:
        self._model = spec.model
        self._settings = read_settings(spec, self.settings_kind)
        self._provider = Provider(spec, self._settings)

    @classmethod
    def check(cls, spec: PlayerSpec) -> None:
        """Check the settings, without the key."""
        read_settings(spec, cls.settings_kind)

    async def render(self, view: GeneratorView) -> PictureAnswer:
        """Ask for the picture of this turn; first for a prompt, where a rewriter is to merge the dialogue."""
        if not view.rewrite:
            return _build_answer(await self._called("generator", build_drawing_messages(view)))
        written = await self._ask_rewriter(view.prompt)
        prompt = written.value[:LONGEST_PROMPT]
        try:
            drawn = await self._called("generator", [ChatMessage("user", (prompt,))])
        # With the requests of the rewriter, which cost tokens too.
        except PlayerError as error:
            raise PlayerError(error.reason, error.detail, (*written.attempts, *error.attempts)) from None
        return _build_answer(Called(drawn.value, (*written.attempts, *drawn.attempts)), *_build_prompt_notes(prompt))

    async def _ask_rewriter(self, words: str) -> Called[str]:
        """Ask the rewriter for a prompt."""
        if self._settings.rewriter is None:
            raise InputError(
                "parameters.rewriter is missing, which the rule drawing: rewrite needs",
                "Name a text model of the same service, or play with --rule drawing=redraw.",
            )
        messages = build_chat_messages([ChatMessage("user", (words,))])
        body = self._provider.json(model=self._settings.rewriter, messages=messages, stream=False)
        ask = self._provider.ask
        return await ask("generator", "/chat/completions", lambda: body, ChatReply, _read_prompt, purpose="rewriter")

    async def answer(self, question: Question) -> PictureAnswer:
        """Answer a question of any game with a picture."""
        return _build_answer(await self._called(None, build_question_messages(question)))

    async def close(self) -> None:
        """Close the connections."""
        await self._provider.close()

    async def _read_first_picture(self, reply: ChatReply | ResponsesReply | ImagesReply) -> Picture:
        """Return the first picture of a reply; a picture at an address of the service itself is fetched."""
        drawn = find_image_datum(reply) if isinstance(reply, ImagesReply) else find_first_picture(reply)
        data = await self._provider.fetched(drawn.url) if isinstance(drawn, PictureAddress) else drawn
        return await asyncio.get_running_loop().run_in_executor(_DECODERS, decode_picture, data)

    async def _called(self, seat: Role | None, messages: list[ChatMessage]) -> Called[Picture]:
        return await self._provider.ask(
            seat, self.path, lambda: self._body(messages), self.kind, self._read_first_picture
        )

    @abstractmethod
    def _body(self, messages: list[ChatMessage]) -> JsonBody | FormBody:
        """Return the body of a request for a picture."""


class OpenAIImagesGenerator(_Generator[ImagesSettings]):
    """A generator behind the Images API: edits where a picture is shown, such as its last rendering, else generates.

    >>> address = "http://127.0.0.1:8000/v1"
    >>> OpenAIImagesGenerator.check(PlayerSpec(player="openai-images", model="m", base_url=address))
    >>> OpenAIImagesGenerator.settings_kind.__name__
    'ImagesSettings'
    """

    settings_kind = ImagesSettings

    async def _called(self, seat: Role | None, messages: list[ChatMessage]) -> Called[Picture]:
        path = EDITS if _has_pictures(messages) else "/images/generations"
        return await self._provider.ask(seat, path, lambda: self._body(messages), ImagesReply, self._read_first_picture)

    def _body(self, messages: list[ChatMessage]) -> JsonBody | FormBody:
        settings, parts = self._settings, [part for message in messages for part in message.parts]
        words = "\n\n".join(part for part in parts if isinstance(part, str))
        pictures = tuple(part for part in parts if isinstance(part, Picture))
        look = settings.model_dump(include={"size", "quality", "background", "response_format"})
        fields = {"model": self._model, "prompt": words, **look}
        if not pictures:
            return self._provider.json(**fields, moderation=settings.moderation)
        return FormBody(self._provider.form_fields(**fields, input_fidelity=settings.input_fidelity), pictures)


class OpenAIChatGenerator(_Generator[ChatImageSettings]):
    """Chat completions that answer with pictures, as OpenRouter, Gemini's compatible endpoint and others serve them.

    >>> address = "http://127.0.0.1:8000/v1"
    >>> OpenAIChatGenerator.check(PlayerSpec(player="openai-chat", model="m", base_url=address))
    >>> OpenAIChatGenerator.settings_kind.__name__
    'ChatImageSettings'
    """

    settings_kind = ChatImageSettings

    path = "/chat/completions"
    kind = ChatReply

    def _body(self, messages: list[ChatMessage]) -> JsonBody:
        settings = self._settings
        return self._provider.json(
            model=self._model,
            messages=build_chat_messages(add_system_text(settings.system, messages)),
            modalities=list(settings.modalities),
            image_config=settings.image_config,
            **settings.model_dump(include=TEXT_FIELDS),
            stream=False,
        )


class OpenAIResponsesGenerator(_Generator[ResponsesImageSettings]):
    """The Responses API with the tool image_generation, which the model is told to use.

    >>> address = "http://127.0.0.1:8000/v1"
    >>> OpenAIResponsesGenerator.check(PlayerSpec(player="openai-responses", model="m", base_url=address))
    >>> OpenAIResponsesGenerator.settings_kind.__name__
    'ResponsesImageSettings'
    """

    settings_kind = ResponsesImageSettings

    path = "/responses"
    kind = ResponsesReply

    def _body(self, messages: list[ChatMessage]) -> JsonBody:
        settings = self._settings
        tool = {
            "type": "image_generation",
            "model": settings.image_model,
            **settings.model_dump(include={"size", "quality", "background", "moderation"}),
            "input_fidelity": settings.input_fidelity if _has_pictures(messages) else None,
        }
        return self._provider.json(
            model=self._model,
            input=build_responses_input(messages),
            # By default the Responses API keeps each answer on the provider's servers.
            store=False,
            tools=[select_stated_fields(tool)],
            tool_choice={"type": "image_generation"},
            reasoning=select_stated_fields({"effort": settings.reasoning_effort}) or None,
            stream=False,
        )


_DECODERS = ThreadPoolExecutor(max_workers=min(4, os.cpu_count() or 1), thread_name_prefix="pictures")
"""Few threads: more would not be faster, and each may hold a picture several times while it decodes it."""


def _has_pictures(messages: list[ChatMessage]) -> bool:
    return any(isinstance(part, Picture) for message in messages for part in message.parts)


def _build_prompt_notes(prompt: str) -> list[str]:
    """Return a rewriter's prompt as notes, each of which a transcript may hold."""
    pieces = [prompt[start : start + NOTE_CHARACTERS] for start in range(0, len(prompt), NOTE_CHARACTERS)]
    return [f"prompt {number} of {len(pieces)}: {piece}" for number, piece in enumerate(pieces, start=1)]


async def _read_prompt(reply: ChatReply) -> str:
    return read_visible_text(reply).strip()


def _build_answer(called: Called[Picture], *notes: str) -> PictureAnswer:
    return PictureAnswer(called.value, notes, usage=called.usage, attempts=called.attempts)
