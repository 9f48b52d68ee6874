"""Figures of ICCA's and KiloGram's papers, shown as reported beside ours."""

from ircore.games.base import PublishedFigure

ICCA = "https://arxiv.org/abs/2408.01417"
KILOGRAM = "https://arxiv.org/abs/2211.16492"

_ACCURACY = {
    "people, repetition 6": 99.54,
    "GPT-4, L1, repetition 1": 88.9,
    "GPT-4, L1, repetition 6": 91.2,
    "GPT-4, L2, repetition 1": 87.5,
    "GPT-4, L2, repetition 6": 83.8,
    "GPT-4, L7, before misleading rounds": 99.5,
    "GPT-4, L7, misleading rounds": 27.3,
    "Gemini, L2, repetition 1": 80.2,
    "Gemini, L2, repetition 6": 78.8,
    "LLaVA, L2, repetition 1": 72.7,
    "LLaVA, L2, repetition 6": 71.3,
    "Claude, L2, repetition 1": 57.4,
    "Claude, L2, repetition 6": 55.5,
    "Claude, L7, misleading rounds": 22.2,
    "IDEFICS, L1, repetition 1": 46.8,
    "IDEFICS, L2, repetition 1": 45.8,
}
"""Accuracy in per cent as the paper's text reports it."""

_TANGRAMS = {
    "people, whole + black": 47.7,
    "people, parts + black": 49.1,
    "people, whole + color": 49.5,
    "people, parts + color": 63.0,
    "chance, ten tangrams": 10.0,
}
"""Accuracy in per cent of people on KiloGram's development split, ten pictures."""

PUBLISHED = tuple(
    PublishedFigure(label, "accuracy", round(percent / 100, 4), source)
    for figures, source in ((_ACCURACY, ICCA), (_TANGRAMS, KILOGRAM))
    for label, percent in figures.items()
)
