"""The describer ``openai``: a vision-language model behind chat completions or the Responses API."""

import asyncio
from collections import OrderedDict
from io import BytesIO
from typing import Any

from PIL import Image

from ircore.images import Picture
from ircore.players.base import DescriberView, TextAnswer
from ircore.players.openai.bodies import DataUrl, JsonBody
from ircore.players.openai.provider import Provider, given
from ircore.players.openai.replies import ChatReply, ResponsesReply, visible_text
from ircore.players.openai.settings import DescriberSettings, read_settings
from ircore.records import PlayerSpec

LONGEST_TEXT = 200_000
"""Characters of an answer that are kept; the game refuses fewer already."""


class OpenAIDescriber:
    """Asks a model for each message.

    The dialogue is sent as it happened, and no system message: the game master speaks as ``user`` (turn 1: its words,
    then the target; later: its words, then the rendering that the last message led to), the model's own raw answers
    stand as ``assistant`` in between. So every rendering is seen, each picture is sent once a request, and providers
    can reuse what they read before.

    Only the visible text is the answer; reasoning is counted apart. An answer that ended for length before any
    visible text is a technical fault and asked again.

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

    @classmethod
    def check(cls, spec: PlayerSpec) -> None:
        """Check the settings, without the key."""
        read_settings(spec, DescriberSettings)

    async def describe(self, view: DescriberView) -> TextAnswer:
        """Ask for the message of this turn."""
        pictures = [await self._shown(one) for one in (view.target, *view.renderings)]
        if self._settings.api == "chat":
            called = await self._provider.ask(
                "describer", "/chat/completions", lambda: self._chat(view, pictures), ChatReply, _text
            )
        else:
            called = await self._provider.ask(
                "describer", "/responses", lambda: self._responses(view, pictures), ResponsesReply, _text
            )
        return TextAnswer(self._provider.scrub(called.value)[:LONGEST_TEXT], called.usage, attempts=called.attempts)

    async def close(self) -> None:
        """Close the connections."""
        await self._provider.close()

    def _chat(self, view: DescriberView, pictures: list[Picture]) -> JsonBody:
        settings = self._settings
        messages: list[dict[str, Any]] = []
        for (prompt, reply), picture in zip(_dialogue(view), pictures, strict=True):
            image = given({"url": DataUrl(picture), "detail": settings.detail})
            content = [{"type": "text", "text": prompt}, {"type": "image_url", "image_url": image}]
            messages.append({"role": "user", "content": content})
            if reply is not None:
                messages.append({"role": "assistant", "content": reply})
        return self._provider.json(
            model=self._model,
            messages=messages,
            max_completion_tokens=settings.max_completion_tokens,
            temperature=settings.temperature,
            top_p=settings.top_p,
            reasoning_effort=settings.reasoning_effort,
        )

    def _responses(self, view: DescriberView, pictures: list[Picture]) -> JsonBody:
        settings = self._settings
        items: list[dict[str, Any]] = []
        for (prompt, reply), picture in zip(_dialogue(view), pictures, strict=True):
            image = given({"type": "input_image", "image_url": DataUrl(picture), "detail": settings.detail})
            items.append({"role": "user", "content": [{"type": "input_text", "text": prompt}, image]})
            if reply is not None:
                items.append({"role": "assistant", "content": reply})
        return self._provider.json(
            model=self._model,
            input=items,
            store=False,
            max_output_tokens=settings.max_completion_tokens,
            temperature=settings.temperature,
            top_p=settings.top_p,
            reasoning=given({"effort": settings.reasoning_effort}) or None,
        )

    async def _shown(self, picture: Picture) -> Picture:
        """Return a picture as it is sent: smaller if the manifest says so, made once and kept for some turns."""
        longest = self._settings.max_side
        if longest is None or max(picture.width, picture.height) <= longest:
            return picture
        known = self._smaller.get(picture.sha256)
        if known is None:
            known = await asyncio.to_thread(smaller, picture, longest)
            self._smaller[picture.sha256] = known
            if len(self._smaller) > _KEPT:
                self._smaller.popitem(last=False)
        return known


_KEPT = 128
"""Smaller pictures that are kept, the oldest going first."""


def smaller(picture: Picture, longest: int) -> Picture:
    """Return a picture made smaller so that its longer side has ``longest`` pixels (Lanczos filter)."""
    scale = longest / max(picture.width, picture.height)
    size = max(1, round(picture.width * scale)), max(1, round(picture.height * scale))
    buffer = BytesIO()
    with Image.open(BytesIO(picture.data)) as image:
        image.convert("RGB").resize(size, Image.Resampling.LANCZOS).save(buffer, "PNG")
    return Picture(buffer.getvalue(), *size)


def _dialogue(view: DescriberView) -> list[tuple[str, str | None]]:
    """Return what the game master said and the describer's raw answer, turn by turn; none yet at the last."""
    return [*zip(view.prompts, view.replies, strict=True), (view.prompt, None)]


async def _text(reply: ChatReply | ResponsesReply) -> str:
    return visible_text(reply)
