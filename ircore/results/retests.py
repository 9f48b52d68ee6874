"""How far a judge agrees with itself: what it gave the same pictures when it was asked a second time."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from ircore.core.score_records import Score, Task
from ircore.results.statistics.agreement import Agreement, observed_agreement, pearson
from ircore.runs.folder import AnyRunFolder


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


def retest_agreements(runs: Iterable[object], judge: str) -> Iterator[RetestAgreement]:
    """Yield how far a judge agrees with itself on runs, task by task; nothing without second answers.

    Second answers are in run folders; runs of a release have none.
    """
    pairs: dict[Task, list[tuple[float, float, str]]] = {}
    for run in runs:
        for first, second, instance in retested(run, judge) if isinstance(run, AnyRunFolder) else ():
            if first.value is not None and second.value is not None:
                pairs.setdefault(first.task, []).append((first.value, second.value, instance))
    for task, answers in sorted(pairs.items()):
        once, again = np.array([answer[:2] for answer in answers], np.float64).T
        clusters = [instance for *_, instance in answers]
        yield RetestAgreement(
            judge,
            task,
            len(answers),
            observed_agreement(once, again, clusters),
            pearson(once, again, clusters),
            float(np.sqrt(np.mean((again - once) ** 2) / 2)),
            float(np.mean(again - once)),
        )


def retested(run: AnyRunFolder, judge: str) -> Iterator[tuple[Score, Score, str]]:
    """Yield first and second answer of a judge to each question of a run that has both, and the instance's id."""
    second = {_question(score): score for score in run.retests() if score.judge == judge}
    if not second:
        return
    # Of two scores of the same thing the later line counts, as in results.
    first = {_question(score): score for score in run.scores() if score.judge == judge}
    instances = {name: episode.instance_id for name, episode in run.ended().items()}
    for question, score in second.items():
        if question in first and score.episode_id in instances:
            yield first[question], score, instances[score.episode_id]


def _question(score: Score) -> tuple[str, Task, str]:
    # Turns that share a rendering share its answer.
    return score.episode_id, score.task, score.rendering
