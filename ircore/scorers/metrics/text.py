"""Labels: which texts of the target a rendering shows, and whether they stand where they should.

Both pictures are read by OCR (``ircore.seeing.ocr``), each once however many metrics ask. Labels may also come from a
scene or from a person: ``compute_label_scores`` takes them as they are.
"""

import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import hypot

import numpy as np

from ircore.core.errors import InputError
from ircore.core.images import Pixels
from ircore.scorers.metrics.base import Metric, MetricUnavailableError
from ircore.seeing.ocr import TextLine, describe_ocr_version, find_missing_ocr_package, read_text

NEAR = 0.1
"""Distance of two centres, in shares of the picture's sides, up to which a label stands in its place."""

LEAST_SCORE = 0.5
"""Confidence above which a line of OCR counts."""


@dataclass(frozen=True)
class PlacedText:
    """A text and its place."""

    text: str
    """The characters."""

    x: float
    """Centre, 0–1 of the picture's width."""

    y: float
    """Centre, 0–1 of the picture's height."""


@dataclass(frozen=True)
class _LabelScores:
    """How the labels of two pictures agree."""

    precision: float | None
    """Share of the rendering's labels that the target has there, 0–1; None if the rendering has none."""

    recall: float | None
    """Share of the target's labels that the rendering has there, 0–1; None if the target has none."""

    f1: float | None
    """2 · shared / (labels of both), 0–1; None if neither has any."""

    texts_f1: float | None
    """The same wherever labels stand."""


def normalise_text(text: str) -> str:
    """Return a text as labels are compared: NFKC, without case and blanks."""
    # OCR reads one label with blanks and the next without: "10 %" and "10%" are one text.
    return "".join(unicodedata.normalize("NFKC", text).casefold().split())


def compute_label_scores(target: Sequence[PlacedText], image: Sequence[PlacedText]) -> _LabelScores:
    """Compare labels: equal texts are matched in pairs, so that as many as possible are near their place.

    Args:
        target: Labels that should be there.
        image: Labels that are.
    """
    placed = sum(_count_matches(target, image, text) for text in {normalise_text(label.text) for label in target})
    anywhere = (_count_texts(target) & _count_texts(image)).total()
    target_count, image_count = len(target), len(image)
    return _LabelScores(
        precision=placed / image_count if image_count else None,
        recall=placed / target_count if target_count else None,
        f1=2 * placed / (target_count + image_count) if target_count + image_count else None,
        texts_f1=2 * anywhere / (target_count + image_count) if target_count + image_count else None,
    )


def select_labels(lines: Sequence[TextLine], width: int, height: int) -> tuple[PlacedText, ...]:
    """Return the lines of OCR that have a letter or digit and a confidence above 0.5, as labels."""
    return tuple(
        PlacedText(
            line.text,
            sum(x for x, _ in line.corners) / len(line.corners) / width,
            sum(y for _, y in line.corners) / len(line.corners) / height,
        )
        for line in lines
        # Ticks and gridlines are read as "-", "|" or "." at times.
        if line.score > LEAST_SCORE and any(character.isalnum() for character in line.text)
    )


def _count_matches(target: Sequence[PlacedText], image: Sequence[PlacedText], text: str) -> int:
    """Return how many of the target's labels with this text match a near label of the image, each at most once."""
    from scipy.optimize import linear_sum_assignment

    wanted = [label for label in target if normalise_text(label.text) == text]
    drawn = [label for label in image if normalise_text(label.text) == text]
    close = np.array([[hypot(a.x - b.x, a.y - b.y) <= NEAR for b in drawn] for a in wanted]).reshape(
        len(wanted), len(drawn)
    )
    # Each to its nearest would lose pairs: two labels may have the same neighbour.
    rows, columns = linear_sum_assignment(close, maximize=True)
    return int(close[rows, columns].sum())


def _count_texts(labels: Sequence[PlacedText]) -> Counter[str]:
    return Counter(normalise_text(label.text) for label in labels)


def _read_labels(pixels: Pixels) -> tuple[PlacedText, ...]:
    try:
        return select_labels(read_text(pixels), pixels.shape[1], pixels.shape[0])
    except InputError as error:
        raise MetricUnavailableError(error.problem) from error


def _build_metric(name: str, title: str, part: Callable[[_LabelScores], float | None], missing: str) -> Metric:
    def compute(target: Pixels, image: Pixels) -> float:
        value = part(compute_label_scores(_read_labels(target), _read_labels(image)))
        if value is None:
            raise MetricUnavailableError(missing)
        return value

    return Metric(
        name=name,
        title=title,
        unit="",
        higher_is_better=True,
        low=0.0,
        high=1.0,
        source="labels read by OCR in both pictures, equal texts within 0.1 of the sides of each other",
        compute=compute,
        needs="extra ocr",
        obstacle=_find_obstacle,
        weights=lambda: None if find_missing_ocr_package() else describe_ocr_version(),
        trap="What OCR misreads in both pictures alike counts as right, what it misreads in one as wrong.",
    )


def _find_obstacle() -> str | None:
    missing = find_missing_ocr_package()
    return missing and f"the package {missing} is not installed; install it with: pip install 'ircore[ocr]'"


PRECISION = _build_metric("text_precision", "Labels, precision", lambda s: s.precision, "no text in the image")
RECALL = _build_metric("text_recall", "Labels, recall", lambda s: s.recall, "no text in the target")
F1 = _build_metric("text_f1", "Labels, F1", lambda s: s.f1, "no text in either picture")
