"""A generator's place at the game: a describer's message is shown, a person draws or types a description."""

import base64
import binascii
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from ircore.core.errors import InputError
from ircore.core.files import write_bytes
from ircore.core.images import MAX_BYTES, ImageError, Picture, read_picture
from ircore.core.records import Instance
from ircore.players.base import Generator, GeneratorView
from leaderboard.live.play_me.describer_seat import LONGEST, Table

DATA = "data:image/png;base64,"
MOST_WORDS = 40
"""Descriptions that are typed for one drawing."""


@dataclass
class DrawingTable(Table):
    """Contents of the page for a run in which a person draws.

    >>> DrawingTable(Path("nowhere")).question is None
    True

    Attributes:
        generator: Draws what a person types instead of drawing; None if nobody does.
    """

    PAGE: ClassVar[str] = "draw.html"
    ASKED: ClassVar[str] = "generator"

    generator: Generator | None = field(default=None, repr=False)

    def is_answered(self, question: Path) -> bool:
        """Return whether a question has its answer."""
        return (question / "picture.png").exists()

    def take(self, posted: dict[str, Any]) -> bool:
        """Take a drawing: JSON with ``question`` and ``picture``, a PNG as a data address.

        Raises:
            ValueError: A field is missing, or no picture.
        """
        if not all(isinstance(posted.get(key), str) for key in ("question", "picture")):
            raise ValueError("question and picture are needed")
        drawn, question = decode_data_address(posted["picture"]), self.question
        # The page may still show a question that was answered in another tab.
        if question is None or question.name != posted["question"]:
            return False
        write_bytes(question / "picture.png", drawn.data)
        return True

    async def drawn(self, posted: dict[str, Any]) -> str:
        """Return the generator's drawing of typed descriptions, as a data address.

        Args:
            posted: JSON with ``texts``, all descriptions so far.

        Raises:
            ValueError: There are no such texts, or nobody draws.
        """
        texts = posted.get("texts")
        if self.generator is None or not isinstance(texts, list) or not 0 < len(texts) <= MOST_WORDS:
            raise ValueError("texts are needed")
        if not all(isinstance(text, str) and 0 < len(text.strip()) <= LONGEST for text in texts):
            raise ValueError("texts are needed")
        view = GeneratorView(len(texts), texts[-1], tuple(texts[:-1]), None, 0, "")
        answer = await self.generator.render(view)
        return DATA + base64.b64encode(answer.picture.data).decode()

    def _describe_question(self, question: Path) -> dict[str, Any] | None:
        """Return a question: the message, the person's last drawing, and its score, but nothing of the target."""
        try:
            message = (question / "message.txt").read_text(encoding="utf-8").strip()
            previous = read_picture(question / "previous.png") if (question / "previous.png").exists() else None
        except (ImageError, OSError):
            return None  # still being written
        turn = int(question.name.split("-")[2])
        instance = self._find_target(turn, message)
        checked = None
        if previous is not None and instance is not None:
            checked = self._verified(instance, self.instances.picture(instance, "target"), previous)
        return {
            "name": question.name,
            "turn": turn,
            "message": message,
            "previous": None if previous is None else f"{question.name}/previous.png",
            "score": None if checked is None else checked.score,
            "width": None if instance is None else instance.pictures["target"].width,
            "height": None if instance is None else instance.pictures["target"].height,
        }

    def _find_target(self, turn: int, message: str) -> Instance | None:
        """Return the target that a message is about, by the run's record; None if the record lags behind."""
        run = self._run("run")
        ended = {episode.episode_id for episode in run.episodes()} if run is not None else set()
        for call in run.calls().values() if run is not None else ():
            said = call.role == "describer" and call.turn == turn and message in (call.text or "")
            # Two targets may have had the same message; only one episode is still being played.
            if said and call.episode_id not in ended:
                return next(iter(self.instances.instances.named({call.episode_id})), None)
        return None

    def target(self, name: str) -> Path | None:
        """Return the file of a target whose episode has ended, for the page to show beside the drawing."""
        run = self._run("run")
        ended = {episode.episode_id: episode for episode in run.episodes()} if run is not None else {}
        if name not in ended:
            return None
        instance = next(iter(self.instances.instances.named({ended[name].instance_id})))
        return self.instances.folder / instance.pictures["target"].image


def decode_data_address(address: str) -> Picture:
    """Return the picture of a data address.

    Raises:
        ValueError: It is no PNG, or too large.
    """
    # Base64 is a third longer than its bytes: twice the limit is surely too large, and is not decoded.
    if not address.startswith(DATA) or len(address) > 2 * MAX_BYTES:
        raise ValueError("no picture")
    try:
        return Picture.from_untrusted(base64.b64decode(address.removeprefix(DATA), validate=True), "the drawing")
    except (binascii.Error, ImageError, InputError) as error:
        raise ValueError("no picture") from error
