"""The players behind services: ``openai`` in every seat that answers with words or a choice, and as judge; generators.

``openai`` is a vision-language model behind chat completions or the Responses API. ``openai-images``, ``openai-chat``
and ``openai-responses`` are image models behind three endpoints. As generators all three are sent one user message: on
turn 1 the describer's message alone; later the dialogue so far. Which words surround the dialogue, and whether their
own previous rendering goes with it, is the rule ``drawing``. In other games' seats they are sent the question as it is,
pictures behind their captions.
"""

import asyncio
import os
import re
from abc import ABC, abstractmethod
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from typing import Generic, TypeVar

from PIL import Image
from pydantic import JsonValue

from ircore.core.errors import InputError
from ircore.core.images import Picture
from ircore.core.records import PlayerSpec
from ircore.players.base import (
    ChoiceAnswer,
    DescriberView,
    GeneratorView,
    JudgeView,
    PictureAnswer,
    PlayerError,
    Question,
    Role,
    TextAnswer,
)
from ircore.players.calls import Called, FaultError, RequestFault
from ircore.players.openai.conversations import (
    ChatMessage,
    add_system_text,
    build_chat_fields,
    build_chat_messages,
    build_dialogue,
    build_drawing_messages,
    build_judge_messages,
    build_question_messages,
    build_responses_fields,
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
    DescriberSettings,
    DrawingSettings,
    ImagesSettings,
    ResponsesImageSettings,
    read_settings,
)
from ircore.players.openai.transport import FormBody, JsonBody, PictureAddress
from ircore.players.spoken_answers import find_choice

LONGEST_PROBLEM = 500
"""Characters of an invalid choice that an error quotes."""

_KEPT = 128
"""Smaller pictures that are kept, the oldest going first."""

_NOTHING_SAID = re.compile(r"\s*<DESCRIPTION>\s*(</DESCRIPTION>\s*)?", re.IGNORECASE)

Settings = TypeVar("Settings", bound=DrawingSettings)

NOTE_CHARACTERS = 1_900

LONGEST_PROMPT = 30_000
"""Characters of a rewriter's prompt that are drawn from."""

_DECODERS = ThreadPoolExecutor(max_workers=min(4, os.cpu_count() or 1), thread_name_prefix="pictures")
"""Few threads: more would not be faster, and each may hold a picture several times while it decodes it."""


class OpenAIDescriber:
    """Asks a model for each message of a describer, each answer of another seat, or each of a judge.

    The dialogue is sent as it happened, behind no system message but a declared one: the game master speaks as
    ``user`` (turn 1: its words, then the target; later: its words, then the rendering that the last message led to),
    the model's own raw answers stand as ``assistant`` in between. So each picture is sent once a request, and providers
    can reuse what they read before. A judge is sent one message; see ``judge``.

    Only the visible text is the answer; reasoning is counted apart. An answer that ended for length before any
    visible text is a technical fault and asked again.

    >>> OpenAIDescriber.check(PlayerSpec(player="openai", model="m", base_url="http://127.0.0.1:8000/v1"))
    >>> sorted(OpenAIDescriber.IMMATERIAL)
    ['deadline_s', 'requests_per_minute', 'timeout_s', 'tokens_per_minute', 'transport']

    Args:
        spec: With ``model``, and ``parameters`` as in ``DescriberSettings``.

    Raises:
        InputError: A setting is wrong, or the key is not in the environment.
    """

    def __init__(self, spec: PlayerSpec) -> None:
        self._settings = read_settings(spec, DescriberSettings)
        self._model = spec.model
        self._provider = Provider(spec, self._settings)
        self._smaller: OrderedDict[str, Picture] = OrderedDict()

    IMMATERIAL = IMMATERIAL

    @classmethod
    def check(cls, spec: PlayerSpec) -> None:
        """Check the settings, without the key."""
        read_settings(spec, DescriberSettings)

    async def describe(self, view: DescriberView) -> TextAnswer:
        """Ask for the message of this turn."""
        return await self._answer("describer", build_dialogue(view))

    async def answer(self, question: Question) -> TextAnswer | ChoiceAnswer:
        """Answer a question of any game with words or with a choice.

        Raises:
            PlayerError: The question could not be answered, or not with a choice (``answer_format``).
        """
        answer = await self._answer(None, build_question_messages(question))
        if question.answers != "choice":
            return answer
        choice = find_choice(answer.text, question)
        if choice is None:
            problem = f"none of the choices ({', '.join(question.choices)}): {answer.text!r}"
            raise PlayerError("answer_format", problem[:LONGEST_PROBLEM], answer.attempts)
        return ChoiceAnswer(*choice, usage=answer.usage, attempts=answer.attempts)

    async def judge(self, view: JudgeView) -> TextAnswer:
        """Answer a judge's question: a user message of the prompt, then each picture behind its caption.

        The schema of the answer is sent only if ``parameters.structured`` asks for it.
        """
        return await self._answer(
            "judge", build_judge_messages(view), view.schema if self._settings.structured else None
        )

    async def close(self) -> None:
        """Close the connections."""
        await self._provider.close()

    async def _answer(
        self, seat: Role | None, messages: list[ChatMessage], schema: dict[str, JsonValue] | None = None
    ) -> TextAnswer:
        messages = add_system_text(self._settings.system, messages)
        shown = [
            ChatMessage(message.role, tuple([await self._limit_picture_size(part) for part in message.parts]))
            for message in messages
        ]
        provider, settings = self._provider, self._settings
        is_chat = settings.api == "chat"
        fields = (build_chat_fields if is_chat else build_responses_fields)(shown, settings, schema)
        path = "/chat/completions" if is_chat else "/responses"
        kind: type[ChatReply | ResponsesReply] = ChatReply if is_chat else ResponsesReply
        read = _read_message if seat == "describer" else _read_text
        # Made anew for each attempt, which may have to fit into less room.
        called = await provider.ask(seat, path, lambda: provider.json(model=self._model, **fields), kind, read)
        return TextAnswer(called.value, called.usage, attempts=called.attempts)

    async def _limit_picture_size(self, part: str | Picture) -> str | Picture:
        """Return words unchanged, and a picture resized if the manifest limits the longer side."""
        longest = self._settings.max_side
        if isinstance(part, str) or longest is None or max(part.width, part.height) <= longest:
            return part
        known = self._smaller.get(part.sha256)
        if known is None:
            # In a thread, because resizing a large picture would hold up all other episodes.
            known = await asyncio.to_thread(shrink_picture, part, longest)
            self._smaller[part.sha256] = known
            if len(self._smaller) > _KEPT:
                self._smaller.popitem(last=False)
        return known


def shrink_picture(picture: Picture, longest: int) -> Picture:
    """Return a picture resized so that its longer side has ``longest`` pixels (Lanczos filter)."""
    scale = longest / max(picture.width, picture.height)
    size = max(1, round(picture.width * scale)), max(1, round(picture.height * scale))
    buffer = BytesIO()
    with Image.open(BytesIO(picture.data)) as image:
        image.convert("RGB").resize(size, Image.Resampling.LANCZOS).save(buffer, "PNG")
    return Picture(buffer.getvalue(), *size)


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
            return _build_answer(await self._call("generator", build_drawing_messages(view)))
        written = await self._ask_rewriter(view.prompt)
        prompt = written.value[:LONGEST_PROMPT]
        try:
            drawn = await self._call("generator", [ChatMessage("user", (prompt,))])
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
        return _build_answer(await self._call(None, build_question_messages(question)))

    async def close(self) -> None:
        """Close the connections."""
        await self._provider.close()

    async def _read_first_picture(self, reply: ChatReply | ResponsesReply | ImagesReply) -> Picture:
        """Return the first picture of a reply; a picture at an address of the service itself is fetched."""
        drawn = find_image_datum(reply) if isinstance(reply, ImagesReply) else find_first_picture(reply)
        data = await self._provider.fetch(drawn.url) if isinstance(drawn, PictureAddress) else drawn
        return await asyncio.get_running_loop().run_in_executor(_DECODERS, decode_picture, data)

    async def _call(self, seat: Role | None, messages: list[ChatMessage]) -> Called[Picture]:
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

    async def _call(self, seat: Role | None, messages: list[ChatMessage]) -> Called[Picture]:
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


async def _read_text(reply: ChatReply | ResponsesReply) -> str:
    return read_visible_text(reply)


async def _read_message(reply: ChatReply | ResponsesReply) -> str:
    text = read_visible_text(reply)
    # Tags around nothing are as empty as no text at all.
    if _NOTHING_SAID.fullmatch(text):
        raise FaultError(RequestFault("empty", "there is nothing between the tags"))
    return text


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
