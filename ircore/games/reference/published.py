"""Figures of ICCA's and KiloGram's papers, shown as reported beside ours."""

from collections.abc import Iterator, Mapping

from ircore.games.base import PublishedFigure

ICCA = "https://arxiv.org/abs/2408.01417"
KILOGRAM = "https://arxiv.org/abs/2211.16492"

_BY_REPETITION: Mapping[str, Mapping[int, float]] = {
    "people": {6: 99.54},
    "GPT-4, L1": {1: 88.9, 5: 92.5, 6: 91.2},
    "GPT-4, L2": {1: 87.5, 6: 83.8},
    "GPT-4, L3": {6: 100.0},
    "Gemini, L2": {1: 80.2, 6: 78.8},
    "LLaVA, L2": {1: 72.7, 6: 71.3},
    "Claude, L2": {1: 57.4, 6: 55.5},
    "Claude, L3": {6: 100.0},
    "IDEFICS, L1": {1: 46.8},
    "IDEFICS, L2": {1: 45.8},
}
"""Accuracy in per cent by repetition, as the text of ICCA's paper reports it."""

_MISLED = {"GPT-4": (99.5, 27.3), "Claude": (98.6, 22.2), "IDEFICS": (87.5, 69.4)}
"""Accuracy in per cent under L7 before the misleading rounds and in them."""

_TANGRAMS = {
    "people, whole + black": 47.7,
    "people, parts + black": 49.1,
    "people, whole + color": 49.5,
    "people, parts + color": 63.0,
    "chance, ten tangrams": 10.0,
}
"""Accuracy in per cent of people on KiloGram's development split, ten pictures."""


def _figures() -> Iterator[PublishedFigure]:
    for series, curve in _BY_REPETITION.items():
        for place, percent in curve.items():
            label, (who, _, preset) = f"{series}, repetition {place}", series.partition(", ")
            yield PublishedFigure(label, "correct", round(percent / 100, 4), ICCA, who, place, preset)
    for model, (before, misled) in _MISLED.items():
        yield PublishedFigure(f"{model}, L7, before misleading rounds", "accuracy", round(before / 100, 4), ICCA)
        yield PublishedFigure(f"{model}, L7, misleading rounds", "accuracy", round(misled / 100, 4), ICCA)
    for label, percent in _TANGRAMS.items():
        who, _, condition = label.partition(", ")
        row = condition.replace(" + ", "_") if who == "people" else ""
        yield PublishedFigure(label, "accuracy", round(percent / 100, 4), KILOGRAM, who if row else "", row=row)


PUBLISHED = tuple(_figures())
