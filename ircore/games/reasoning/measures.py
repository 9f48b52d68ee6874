"""Measures of the reasoning game, from a verifier's judgement of the answer."""

from collections.abc import Iterator, Sequence
from statistics import fmean

from ircore.core.images import Picture
from ircore.games.base import Ending, Instruments, Measure, Measured
from ircore.games.declarations import MeasuredValue
from ircore.games.reasoning.build import DIMENSIONS
from ircore.games.reasoning.detections import Detections
from ircore.games.reasoning.tasks import DETECTOR, UNDECIDED, SeenThings, TaskAttempt, TaskRecord, TaskVerdict

MEASURES = (
    Measure(
        "verified",
        "Verified",
        range=(0, 1),
        needs="pictures",
        about="A program checks the answer against the task; no answer is 0.",
    ),
    Measure(
        "right", "Right in full", range=(0, 1), needs="pictures", about="1 where nothing about the answer is wrong."
    ),
    Measure(
        "published",
        "GIR-Bench's rule",
        range=(0, 1),
        needs="pictures",
        about="Score by the rule of GIR-Bench's code, which leaves missing pictures out.",
    ),
    Measure("answered", "Answered", range=(0, 1), about="1 where there is an answer to judge."),
    Measure("recognised", "Recognised", range=(0, 1), about="How often the right picture of a thing was chosen."),
    Measure(
        "drawn",
        "Drawn",
        range=(0, 1),
        needs="pictures",
        about="How right the drawings of the same things are, by the same check.",
    ),
    Measure(
        "gap",
        "Gap",
        range=(-1, 1),
        direction="lower",
        needs="means",
        difference=("recognised", "drawn"),
        about="Mean of Recognised less mean of Drawn.",
    ),
)

DRAWN = ("entity-named", "entity-described")
"""Dimensions whose things are also asked for in recognition."""


def measure_attempt(task: TaskRecord, ending: Ending, instruments: Instruments) -> Iterator[Measured]:
    """Yield the measures of an episode that need pictures."""
    attempt = _find_attempt(ending)
    verdict = judge_attempt(task, attempt, instruments)
    note = "; ".join(verdict.reasons) or None
    # A verdict without a score always says why in its first reason.
    unknown = None if verdict.corrected is not None else verdict.reasons[0]
    yield Measured("verified", None, verdict.corrected, unknown, note)
    # Without a verdict nothing is known, which is not the same as wrong.
    yield Measured("right", None, None if unknown else float(verdict.correct), unknown)
    published = _score_as_published(task, attempt, verdict, instruments)
    yield Measured("published", None, published.value, published.reason)
    if task.dimension in DRAWN:
        yield Measured("drawn", None, verdict.corrected, unknown)


def _score_as_published(
    task: TaskRecord, attempt: TaskAttempt, verdict: TaskVerdict, instruments: Instruments
) -> MeasuredValue:
    """Return the score by GIR-Bench's rule, or why there is none."""
    if attempt.missing is not None:
        return MeasuredValue(None, f"GIR-Bench's code leaves missing pictures out: {attempt.missing}")
    likeness = DIMENSIONS[task.dimension].likeness
    if not likeness or attempt.rendering is None:
        return MeasuredValue(verdict.published, verdict.unpublished)
    answer = instruments.rendering(attempt.rendering)
    references = task.task.get("references")
    names = [str(name) for name in references] if isinstance(references, list) else []
    readings = [instruments.metric(likeness, instruments.picture(name), answer) for name in names]
    values = [reading.value for reading in readings if reading.value is not None]
    # One missing embedding would turn the mean over all references into a mean over some of them.
    if len(values) < len(readings):
        return next(reading for reading in readings if reading.value is None)
    similarity = compute_entity_similarity(values)
    return MeasuredValue(similarity, None if readings else "no reference pictures")


def measure_choice(task: TaskRecord, ending: Ending) -> Iterator[Measured]:
    """Yield the measures of an episode that need no picture."""
    attempt = _find_attempt(ending)
    yield Measured("answered", None, float(attempt.missing is None))
    if task.choices:
        yield Measured("recognised", None, float(attempt.choice == task.answer))


def judge_attempt(task: TaskRecord, attempt: TaskAttempt, instruments: Instruments) -> TaskVerdict:
    """Return the verifier's judgement of an attempt; a missing answer scores 0, and has no published score."""
    if attempt.missing is not None:
        return TaskVerdict(None, 0.0, False, (f"no answer: {attempt.missing}",))
    if task.choices:
        right = attempt.choice == task.answer
        finding = "right" if right else f"{attempt.choice} instead of {task.answer}"
        return TaskVerdict(float(right), float(right), right, (finding,))
    assert attempt.rendering is not None  # noqa: S101 - an attempt without a missing answer has one
    dimension, answer = DIMENSIONS[task.dimension], instruments.rendering(attempt.rendering)
    if isinstance(dimension, SeenThings) and task.task.get(DETECTOR):
        elements = instruments.elements(answer, dimension.labels(task.task))
        return UNDECIDED if elements is None else dimension.judge(task.task, Detections.of_elements(elements))
    return dimension.verify(task.task, _Pictures(instruments), answer)


class _Pictures(dict[str, Picture]):
    """The pictures of an instance, read when they are asked for."""

    def __init__(self, instruments: Instruments) -> None:
        super().__init__()
        self._instruments = instruments

    def __missing__(self, name: str) -> Picture:
        # Pictures are decoded on demand: most verifiers look at one or two of them.
        return self._instruments.picture(name)


def _find_attempt(ending: Ending) -> TaskAttempt:
    attempt: TaskAttempt
    (attempt,) = ending.steps
    return attempt


def compute_entity_similarity(cosines: Sequence[float]) -> float | None:
    """Return the similarity of a picture to an entity by GIR-Bench's rule: the mean cosine with all its references.

    A mean below 0 counts as 0, where the game's scores begin. GIR-Bench leaves missing pictures out of the mean over
    a category; the table ``girbench`` has that mean, and the corrected one in which they count 0.

    Args:
        cosines: Cosine of the picture's embedding with that of each reference picture, −1 to 1; GIR-Bench takes
            DINOv3 ViT-7B/16 at 224 × 224 pixels (metric ``dino``).

    Returns:
        0–1; None without a reference picture.
    """
    return max(0.0, fmean(cosines)) if cosines else None
