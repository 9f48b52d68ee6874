"""The generators ``openai-images``, ``openai-chat`` and ``openai-responses``: image models behind three endpoints.

All three are sent one user message and no system message: on turn 1 the describer's message alone; later the dialogue
so far, in the words of the prompt ``generator_later``, with their own previous rendering.
"""

import asyncio
import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Generic, TypeVar

from ircore.core.images import Picture
from ircore.core.records import PlayerSpec
from ircore.players.base import GeneratorView, PictureAnswer
from ircore.players.calls import Called
from ircore.players.openai.bodies import DataUrl, FormBody, JsonBody
from ircore.players.openai.provider import Provider, given
from ircore.players.openai.replies import (
    ChatReply,
    ImagesReply,
    ResponsesReply,
    decoded_picture,
    first_picture,
    image_datum,
)
from ircore.players.openai.settings import (
    CallSettings,
    ChatImageSettings,
    ImagesSettings,
    ResponsesImageSettings,
    read_settings,
)

Settings = TypeVar("Settings", bound=CallSettings)


class _Generator(Generic[Settings]):
    """What the three have in common.

    Args:
        spec: With ``model``, and ``parameters`` as in the player's settings.

    Raises:
        InputError: A setting is wrong, or the key is not in the environment.
    """

    settings_kind: type[Settings]

    def __init__(self, spec: PlayerSpec) -> None:
        self._model = spec.model
        self._settings = read_settings(spec, self.settings_kind)
        self._provider = Provider(spec, self._settings)

    @classmethod
    def check(cls, spec: PlayerSpec) -> None:
        """Check the settings, without the key."""
        read_settings(spec, cls.settings_kind)

    async def close(self) -> None:
        """Close the connections."""
        await self._provider.close()


class OpenAIImagesGenerator(_Generator[ImagesSettings]):
    """Generates on turn 1; edits its previous rendering afterwards."""

    settings_kind = ImagesSettings

    async def render(self, view: GeneratorView) -> PictureAnswer:
        """Ask for the picture of this turn."""
        path = "/images/generations" if view.previous is None else "/images/edits"
        called = await self._provider.ask("generator", path, lambda: self._body(view), ImagesReply, _images_picture)
        return _answer(called)

    def _body(self, view: GeneratorView) -> JsonBody | FormBody:
        settings = self._settings
        fields = {
            "model": self._model,
            "prompt": view.prompt,
            "size": settings.size,
            "quality": settings.quality,
            "background": settings.background,
            "response_format": settings.response_format,
        }
        if view.previous is None:
            return self._provider.json(**fields, moderation=settings.moderation)
        form = self._provider.form_fields(**fields, input_fidelity=settings.input_fidelity)
        return FormBody(form, view.previous)


class OpenAIChatGenerator(_Generator[ChatImageSettings]):
    """Chat completions that answer with pictures, as OpenRouter, Gemini's compatible endpoint and others serve them."""

    settings_kind = ChatImageSettings

    async def render(self, view: GeneratorView) -> PictureAnswer:
        """Ask for the picture of this turn."""
        called = await self._provider.ask(
            "generator", "/chat/completions", lambda: self._body(view), ChatReply, _first_picture
        )
        return _answer(called)

    def _body(self, view: GeneratorView) -> JsonBody:
        settings = self._settings
        content: list[dict[str, Any]] = [{"type": "text", "text": view.prompt}]
        if view.previous is not None:
            content.append({"type": "image_url", "image_url": {"url": DataUrl(view.previous)}})
        return self._provider.json(
            model=self._model,
            messages=[{"role": "user", "content": content}],
            modalities=list(settings.modalities),
            image_config=settings.image_config,
            max_completion_tokens=settings.max_completion_tokens,
            temperature=settings.temperature,
            top_p=settings.top_p,
            reasoning_effort=settings.reasoning_effort,
        )


class OpenAIResponsesGenerator(_Generator[ResponsesImageSettings]):
    """The Responses API with the tool image_generation, which the model is told to use."""

    settings_kind = ResponsesImageSettings

    async def render(self, view: GeneratorView) -> PictureAnswer:
        """Ask for the picture of this turn."""
        called = await self._provider.ask(
            "generator", "/responses", lambda: self._body(view), ResponsesReply, _first_picture
        )
        return _answer(called)

    def _body(self, view: GeneratorView) -> JsonBody:
        settings = self._settings
        content: list[dict[str, Any]] = [{"type": "input_text", "text": view.prompt}]
        if view.previous is not None:
            content.append({"type": "input_image", "image_url": DataUrl(view.previous)})
        tool = {
            "type": "image_generation",
            "model": settings.image_model,
            "size": settings.size,
            "quality": settings.quality,
            "background": settings.background,
            "moderation": settings.moderation,
            "input_fidelity": settings.input_fidelity if view.previous is not None else None,
        }
        return self._provider.json(
            model=self._model,
            input=[{"role": "user", "content": content}],
            store=False,
            tools=[given(tool)],
            tool_choice={"type": "image_generation"},
            reasoning=given({"effort": settings.reasoning_effort}) or None,
        )


async def _first_picture(reply: ChatReply | ResponsesReply) -> Picture:
    return await _decoded(first_picture(reply))


async def _images_picture(reply: ImagesReply) -> Picture:
    return await _decoded(image_datum(reply))


_DECODERS = ThreadPoolExecutor(max_workers=min(4, os.cpu_count() or 1), thread_name_prefix="pictures")
"""Few threads: more would not be faster, and each may hold a picture several times while it decodes it."""


async def _decoded(data: str) -> Picture:
    return await asyncio.get_running_loop().run_in_executor(_DECODERS, decoded_picture, data)


def _answer(called: Called[Picture]) -> PictureAnswer:
    return PictureAnswer(called.value, usage=called.usage, attempts=called.attempts)
