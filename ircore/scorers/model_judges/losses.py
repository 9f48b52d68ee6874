"""Number of questions that a model judge lost: asked and answered, or declined, without a usable answer."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ircore.core.plain_words import format_count
from ircore.runs.judge_answers import AnswerError
from ircore.runs.judge_questions import JudgeQuestion

LOSS_LIMIT = 0.1
"""Share of its questions that a judge may lose before its command ends with exit status 1."""

EXAMPLE_CHARACTERS = 60
"""Characters of an unusable answer that are shown."""


@dataclass
class Losses:
    """Counts of a judge's questions by outcome; a repair counts with the question that it repairs.

    Example:
        >>> losses = Losses(asked=20)
        >>> losses.reasons["the reply holds no number"] += 3
        >>> losses.lost, losses.too_many
        (3, True)
    """

    asked: int = 0
    """Questions that were answered or declined. Those that only failed technically are not among them."""

    reasons: Counter[str] = field(default_factory=Counter)
    """Number of lost questions by reason: judge_format, judge_refused, judge_empty."""

    technical: int = 0
    """Questions that failed technically, or whose repair did; the same command asks them again."""

    example: str = ""
    """One of the unusable answers and why it is one, cut; empty if none came as a text."""

    @property
    def lost(self) -> int:
        """Questions without a usable answer."""
        return self.reasons.total()

    @property
    def too_many(self) -> bool:
        """Whether more than ``LOSS_LIMIT`` of the questions are lost."""
        return self.lost > LOSS_LIMIT * self.asked

    def line(self, judge: str) -> str:
        """Return a line for people: how many scores are lost, why, an example, and a remedy."""
        counts = ", ".join(f"{reason} ({count})" for reason, count in sorted(self.reasons.items()))
        example = f"; for example {self.example}" if self.example else ""
        technical = f"; {self.technical:,} more failed technically and are no part of this" if self.technical else ""
        remedy = _REMEDIES[self.reasons.most_common(1)[0][0]]
        questions = format_count(self.asked, "question")
        return f"{judge}: {self.lost:,} of {questions} are lost: {counts}{example}{technical}. {remedy}"


_OTHER = "what was asked and answered is kept"
_REMEDIES = {
    "judge_format": "Give the judge parameters.structured: true, other prompts or another model, "
    f"under another name; {_OTHER}.",
    "judge_refused": f"Ask a service that does not withhold answers, or another model, under another name; {_OTHER}.",
    "judge_empty": "Let the model write more (parameters.max_completion_tokens), or ask another one, "
    f"under another name; {_OTHER}.",
}


class _Asked(NamedTuple):
    """Key of a question that its repairs share."""

    target: str
    shown: tuple[str, ...]
    order: str | None
    words: str | None


def count_losses(runs: Iterable[Sequence[JudgeQuestion]]) -> Losses:
    """Count the questions of one judge by outcome.

    Args:
        runs: Of each run, the questions to this judge in the order in which they were answered.
    """
    losses = Losses()
    for questions in runs:
        groups: defaultdict[_Asked, list[JudgeQuestion]] = defaultdict(list)
        for question in questions:
            groups[_Asked(question.target, question.shown, question.order, question.words)].append(question)
        for group in groups.values():
            _count_question(losses, group)
    return losses


def _count_question(losses: Losses, group: Sequence[JudgeQuestion]) -> None:
    """Count a question with its repair and its failed attempts."""
    if any(question.readable for question in group):
        losses.asked += 1
        return
    # A first answer in a bad form is no end: it was sent back, and the repair decides.
    last = [question for question in group if question.settled and (question.repair or question.text is None)]
    if not last:  # only technical failures, or the repair of an unusable answer has not been answered
        losses.technical += 1
        return
    losses.asked += 1
    # An answer with a text that got here is the repair, and could not be used either.
    losses.reasons["judge_format" if last[-1].text is not None else str(last[-1].reason)] += 1
    losses.example = losses.example or next(
        map(_format_unusable_answer, (question for question in group if question.text is not None)), ""
    )


def _format_unusable_answer(question: JudgeQuestion) -> str:
    """Return an unusable answer, shortened, with the reason why no score can be read from it."""
    text = " ".join((question.text or "").split())
    try:
        question.read()
    except AnswerError as error:
        return f"{_shorten_answer(text)!r} ({error})"
    return repr(_shorten_answer(text))


def _shorten_answer(text: str) -> str:
    return text if len(text) <= EXAMPLE_CHARACTERS else f"{text[: EXAMPLE_CHARACTERS - 1]}…"
