"""The player ``openai``, in every seat that answers with words or a choice, and as judge.

A vision-language model behind chat completions or the Responses API.
"""

import asyncio
import re
from collections import OrderedDict
from io import BytesIO

from PIL import Image
from pydantic import JsonValue

from ircore.core.images import Picture
from ircore.core.records import PlayerSpec
from ircore.players.base import ChoiceAnswer, DescriberView, JudgeView, PlayerError, Question, Role, TextAnswer
from ircore.players.calls import FaultError, RequestFault
from ircore.players.openai.conversations import (
    ChatMessage,
    add_system_text,
    build_chat_fields,
    build_dialogue,
    build_judge_messages,
    build_question_messages,
    build_responses_fields,
)
from ircore.players.openai.provider import Provider
from ircore.players.openai.replies import ChatReply, ResponsesReply, read_visible_text
from ircore.players.openai.settings import IMMATERIAL, DescriberSettings, read_settings
from ircore.players.spoken_answers import find_choice

LONGEST_PROBLEM = 500
"""Characters of an invalid choice that an error quotes."""


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


_KEPT = 128
"""Smaller pictures that are kept, the oldest going first."""


def shrink_picture(picture: Picture, longest: int) -> Picture:
    """Return a picture resized so that its longer side has ``longest`` pixels (Lanczos filter)."""
    scale = longest / max(picture.width, picture.height)
    size = max(1, round(picture.width * scale)), max(1, round(picture.height * scale))
    buffer = BytesIO()
    with Image.open(BytesIO(picture.data)) as image:
        image.convert("RGB").resize(size, Image.Resampling.LANCZOS).save(buffer, "PNG")
    return Picture(buffer.getvalue(), *size)


async def _read_text(reply: ChatReply | ResponsesReply) -> str:
    return read_visible_text(reply)


async def _read_message(reply: ChatReply | ResponsesReply) -> str:
    text = read_visible_text(reply)
    # Tags around nothing are as empty as no text at all.
    if _NOTHING_SAID.fullmatch(text):
        raise FaultError(RequestFault("empty", "there is nothing between the tags"))
    return text


_NOTHING_SAID = re.compile(r"\s*<DESCRIPTION>\s*(</DESCRIPTION>\s*)?", re.IGNORECASE)
