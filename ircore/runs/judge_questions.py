"""The record of questions to judges that are models: file ``judgements.jsonl`` of a run, append only.

A question is identified by who is asked and with which words (``asked_as``), the pictures and their order. What
was answered is never asked again: scores are worked out anew from what stands here.
"""

import hashlib
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Literal, NamedTuple, Self

from pydantic import Field, TypeAdapter

from ircore.core.episode_records import Attempt, Usage
from ircore.core.journal import JournalWriter, read_records
from ircore.core.records import Line, Name, Record, Sha256
from ircore.core.score_records import JudgeIdentity, JudgeReason
from ircore.runs.folder import RunFolder
from ircore.runs.judge_answers import AnswerError, read_choice, read_score, read_verdicts

JUDGEMENTS = "judgements.jsonl"

JudgedTask = Literal["similarity", "preference", "facts", "sentences"]
"""``facts``: which facts messages state; no rendering is shown. ``sentences``: which are true of one rendering."""

Order = Literal["first_leading", "final_leading"]
"""Order of a preference's two renderings."""


class AnswerValue(NamedTuple):
    """The value in a judge's answer."""

    value: float
    """The rating 0–10, or 1 for the final rendering and 0 for the first."""

    leniencies: tuple[str, ...]
    """Accepted deviations, see ``ircore.runs.judge_answers``."""


class JudgeQuestion(Record):
    """A question to a judge, with its answer or the reason why there is no answer.

    >>> question = JudgeQuestion(judge="eye", asked_as="0" * 64, prompts="built-in", episode_id="a", turn=3,
    ...                          task="similarity", target="1" * 64, shown=("2" * 64,), text='{"score": 7}')
    >>> question.settled, question.read().value
    (True, 7)
    """

    judge: Name = Field(description="As in scores.")
    asked_as: Sha256 = Field(
        description="Hash of the player (model, address, parameters), its package's and the prompts' version."
    )
    prompts: Line = Field(description="Version of the judge's prompts.")
    episode_id: Name = Field(description="The first episode that wanted to know.")
    turn: int = Field(ge=1, description="Of the rendering that is judged; the final one for a preference.")
    task: JudgedTask
    target: Sha256 = Field(description="The original; it is shown for similarity and preference only.")
    shown: tuple[Sha256, ...] = Field(max_length=2, description="The renderings, as they were shown; none for facts.")
    order: Order | None = Field(default=None, description="Of a preference.")
    words: Sha256 | None = Field(default=None, description="Of sentences: hash of the words that were asked.")
    sentences: int | None = Field(default=None, ge=1, le=200, description="Of sentences: how many there were.")
    repair: bool = Field(default=False, description="Whether the first answer could not be used and was sent back.")
    again: bool = Field(
        default=False,
        exclude_if=lambda value: not value,  # as before there were second ratings
        description="Whether it was asked a second time, to see how far the judge agrees with itself.",
    )
    text: str | None = Field(default=None, description="The answer as it came, cut at a bound; null if there is none.")
    reason: JudgeReason | Literal["stopped"] | None = Field(default=None, description="Why there is no answer.")
    detail: str | None = Field(default=None, max_length=2000, description="What was seen instead.")
    usage: Usage = Field(default_factory=Usage)
    seconds: float = Field(default=0.0, ge=0, description="Wall-clock seconds until the answer was there.")
    attempts: tuple[Attempt, ...] = Field(default=(), description="The requests it took; usage is their sum.")

    @property
    def settled(self) -> bool:
        """Whether the question is answered or declined, so that it need not be asked again."""
        return self.text is not None or self.reason in ("judge_refused", "judge_empty")

    def read(self) -> AnswerValue:
        """Return the rating or preference in the answer, or the share of sentences that it calls true.

        Raises:
            AnswerError: There is none that can be used.
        """
        if self.text is None:
            raise AnswerError("there is no answer")
        if self.task == "facts":
            raise AnswerError("the question is about facts, so the answer holds no rating")
        if self.sentences is not None:
            verdicts = read_verdicts(self.text, self.sentences)
            return AnswerValue(verdicts.value.count("1") / self.sentences, verdicts.leniencies)
        if self.order is None:
            score = read_score(self.text)
            return AnswerValue(score.value, score.leniencies)
        choice = read_choice(self.text)
        # The judge sees two unnamed pictures: which of them is the final one, the order alone says.
        final = "B" if self.order == "first_leading" else "A"
        return AnswerValue(float(choice.value == final), choice.leniencies)

    @property
    def readable(self) -> bool:
        """Whether there is an answer that can be used."""
        try:
            self.read()
        except AnswerError:
            return False
        return True

    @property
    def key(self) -> "QuestionKey":
        """The identity of the question."""
        return QuestionKey(
            self.judge, self.asked_as, self.target, self.shown, self.order, self.repair, self.words, self.again
        )


class QuestionKey(NamedTuple):
    """The identity of a question within a run: each is asked once. The task shows in the number of pictures."""

    judge: str
    asked_as: str
    target: str
    shown: tuple[str, ...]
    order: Order | None
    repair: bool
    words: str | None = None
    again: bool = False


QUESTIONS = TypeAdapter(JudgeQuestion)
"""Reads and checks one line of the file."""


def hash_identity(identity: JudgeIdentity) -> str:
    """Return the hash of who is asked and with which words; a judge's name, label and family change nothing."""
    return hashlib.sha256(identity.model_dump_json(include={"player", "prompts", "version"}).encode()).hexdigest()


def read_judgements(folder: RunFolder) -> tuple[JudgeQuestion, ...]:
    """Return every question to a judge so far, in the order in which they were answered.

    Raises:
        InputError: A line is damaged.
    """
    return tuple(read_records(folder.path / JUDGEMENTS, QUESTIONS))


class JudgementEntry(NamedTuple):
    """A question to be recorded, with the path of its run.

    >>> question = JudgeQuestion(judge="eye", asked_as="0" * 64, prompts="built-in", episode_id="a", turn=3,
    ...                          task="similarity", target="1" * 64, shown=("2" * 64,), text='{"score": 7}')
    >>> with JudgementWriter() as writer:
    ...     writer.record([JudgementEntry(Path("run"), question)])
    >>> from ircore.runs.folder import RunFolder
    >>> [recorded.judge for recorded in read_judgements(RunFolder(Path("run")))]
    ['eye']
    """

    run: Path
    question: JudgeQuestion

    @property
    def counted(self) -> JudgeQuestion:
        """The question whose requests, tokens and cost are counted."""
        return self.question


class JudgementWriter:
    """Records questions of several runs; a context manager. The caller holds the locks of the runs.

    >>> with JudgementWriter() as writer:
    ...     writer.record([])  # see JudgementEntry for a full example
    """

    def __init__(self) -> None:
        self._journals: dict[Path, JournalWriter] = {}
        self._open = ExitStack()

    def record(self, entries: Sequence[JudgementEntry]) -> None:
        """Record questions; on return they are on the disk itself.

        Raises:
            WorkError: They cannot be written.
        """
        for run in dict.fromkeys(entry.run for entry in entries):
            # Opened with the first question: a run about which no question is asked gets no empty file.
            if run not in self._journals:
                self._journals[run] = self._open.enter_context(JournalWriter(run / JUDGEMENTS))
            # On the disk itself: an answer that was paid for must not be asked again after a loss of power.
            self._journals[run].append(
                format_questions(entry.question for entry in entries if entry.run == run), durable=True
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._open.close()


def format_questions(questions: Iterable[JudgeQuestion]) -> list[bytes]:
    """Return questions as lines of the file."""
    return [question.model_dump_json(exclude_none=True).encode() for question in questions]
