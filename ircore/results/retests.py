"""How far a judge agrees with itself: what it gave the same pictures when it was asked a second time."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ircore.core.score_records import Score, Task
from ircore.results.statistics.agreement import Agreement, observed_agreement, pearson
from ircore.runs.folder import RunFolder


@dataclass(frozen=True)
class RetestAgreement:
    """One judge's first and second answers to the same questions."""

    judge: str
    """The judge's name."""

    task: Task
    """Similarity, or preference."""

    n: int
    """Questions that were answered twice."""

    same: Agreement
    """Share of them with the same answer."""

    correlation: Agreement
    """Pearson's r of the two answers, the test-retest reliability."""

    deviation: float
    """Standard deviation of a single answer around the judge's own mean, √(Σd² / 2n) (Bland and Altman 1996,
    *Measurement Error*, BMJ 312)."""

    shift: float
    """Mean of second less first answer."""

    def text(self) -> str:
        """Return the agreement for people."""
        r = "" if self.correlation.value is None else f", r {self.correlation.value:.2f}"
        unit = " of 10" if self.task == "similarity" else ""
        return (
            f"{self.judge}, {self.task}, {self.n} asked twice: {100 * (self.same.value or 0):.0f} % alike{r}, a single "
            f"answer is off by {self.deviation:.2f}{unit} (standard deviation), the second by {self.shift:+.2f}"
        )


class TwoAnswers(NamedTuple):
    """First and second answer of a judge to the same question."""

    judge: str
    task: Task
    instance_id: str
    first: float
    second: float


def measure_retests(answers: Iterable[TwoAnswers], judge: str) -> Iterator[RetestAgreement]:
    """Yield how far a judge agrees with itself, task by task; nothing without second answers.

    Args:
        answers: Of any runs and judges (``PlayedRun.second_answers``).
        judge: The judge's name.
    """
    by_task: dict[Task, list[TwoAnswers]] = {}
    for answer in answers:
        if answer.judge == judge:
            by_task.setdefault(answer.task, []).append(answer)
    for task, both in sorted(by_task.items()):
        once, again = np.array([(answer.first, answer.second) for answer in both], np.float64).T
        clusters = [answer.instance_id for answer in both]
        yield RetestAgreement(
            judge,
            task,
            len(both),
            observed_agreement(once, again, clusters),
            pearson(once, again, clusters),
            float(np.sqrt(np.mean((again - once) ** 2) / 2)),
            float(np.mean(again - once)),
        )


def pair_answers(run: RunFolder) -> Iterator[TwoAnswers]:
    """Yield first and second answer of each judge to each question of a run that has both."""
    # Of two scores of the same thing the later line counts, as in results.
    second = {_build_question_key(score): score for score in run.retests()}
    if not second:
        return
    first = {question: score for score in run.scores() if (question := _build_question_key(score)) in second}
    instances = {name: episode.instance_id for name, episode in run.ended().items()}
    for question, again in second.items():
        once = first.get(question)
        if once is None or once.value is None or again.value is None or again.episode_id not in instances:
            continue
        yield TwoAnswers(again.by, again.task, instances[again.episode_id], once.value, again.value)


def _build_question_key(score: Score) -> tuple[str, str, Task, str]:
    # Turns that share a rendering share its answer.
    return score.by, score.episode_id, score.task, score.picture[1]
