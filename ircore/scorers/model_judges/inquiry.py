"""The part of a question to a judge that is a model which all such questions share: record, answer, refusal."""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Hashable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ircore.core.untrusted_text import writable
from ircore.players.base import JudgeView, JudgingPlayer, TextAnswer
from ircore.players.calls import ProviderStopError, usage_of
from ircore.runs.engine import Inquiry, Refusal
from ircore.runs.judge_answers import LONGEST
from ircore.runs.judge_questions import JudgementEntry, JudgeQuestion


@dataclass(frozen=True)
class JudgementInquiry(Inquiry[JudgementEntry, TextAnswer], ABC):
    """A question whose answer is a line of ``judgements.jsonl``.

    Attributes:
        folder: The run, or another folder with such a file.
        player: Who is asked; None for a forecast, which asks nobody.
        known: Settled questions by ``key``.

    Example:
        >>> JudgementInquiry.__abstractmethods__ == {"where", "draft", "view"}
        True
    """

    folder: Path
    player: JudgingPlayer | None
    known: Mapping[Any, JudgeQuestion]

    @property
    @abstractmethod
    def draft(self) -> JudgeQuestion:
        """The question without its answer."""

    @property
    @abstractmethod
    def view(self) -> JudgeView:
        """Words and pictures that the player is shown."""

    @property
    def asks(self) -> str:
        """Name of the judge that is asked."""
        return self.draft.judge

    @property
    def key(self) -> Hashable:
        """Key of the question in the cache: the hash of the asked model and of the words."""
        return self.draft.asked_as

    def recorded(self) -> JudgementEntry | None:
        """Return the recorded question; None if it has not been settled."""
        known = self.known.get(self.key)
        return None if known is None else JudgementEntry(self.folder, known)

    def cached(self) -> JudgementEntry | None:
        """Return None: the answer of another run is not taken."""
        return None

    def ask(self) -> Awaitable[TextAnswer]:
        """Send the question to the player."""
        if self.player is None:
            raise TypeError("a forecast asks nobody")
        return self.player.judge(self.view)

    def answered(self, answer: TextAnswer, seconds: float) -> JudgementEntry:
        """Return the question with its answer."""
        # One more character than can be used says that it was longer.
        text = writable(answer.text)[: LONGEST + 1]
        return self.entry(text=text, usage=answer.usage, seconds=seconds, attempts=answer.attempts)

    def refused(self, refusal: Refusal) -> JudgementEntry:
        """Return the question with the reason why it has no answer."""
        return self.entry(
            reason="stopped" if isinstance(refusal, ProviderStopError) else refusal.reason,
            detail=writable(str(refusal))[:2000],
            usage=usage_of(refusal.attempts),
            seconds=round(sum(attempt.seconds for attempt in refusal.attempts), 4),
            attempts=refusal.attempts,
        )

    def entry(self, **update: object) -> JudgementEntry:
        """Return the question as a line of the record, with further fields."""
        return JudgementEntry(self.folder, self.draft.model_copy(update=update))
