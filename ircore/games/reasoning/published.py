"""Figures of GIR-Bench's paper, shown as reported beside ours."""

from collections.abc import Iterator, Mapping

from ircore.games.base import PublishedFigure

SOURCE = "https://openreview.net/forum?id=4c1gAsVd9C"

_OVERALL: Mapping[str, Mapping[str, float]] = {
    "entities drawn, overall": {
        "SD-3.5-Large": 0.288, "Qwen-Image": 0.429, "BAGEL-7B": 0.295, "BAGEL-7B with thinking": 0.341,
        "Gemini-2.5-Flash-Image": 0.593, "GPT-Image-1": 0.689,
    },
    "generate, overall": {
        "FLUX.1-schnell": 0.159, "BAGEL-7B": 0.169, "BAGEL-7B with thinking": 0.276, "Gemini-2.5-Flash-Image": 0.399,
        "GPT-Image-1": 0.622,
    },
    "edit, overall": {
        "FLUX.1-Kontext-dev": 0.105, "BAGEL-7B": 0.098, "BAGEL-7B with thinking": 0.140,
        "Gemini-2.5-Flash-Image": 0.343, "GPT-Image-1": 0.351,
    },
    "quantity": {"BAGEL-7B": 0.056, "BAGEL-7B with thinking": 0.249},
    "layout": {"BAGEL-7B": 0.287, "BAGEL-7B with thinking": 0.460},
    "text": {"BAGEL-7B": 0.163, "BAGEL-7B with thinking": 0.120},
}  # fmt: skip
"""Scores by GIR-Bench's rules on its own instances, by model. Drawn entities are scored by DINOv3 features."""

_RECOGNISED: Mapping[str, float] = {"BAGEL-7B": 0.937, "BAGEL-7B with thinking": 0.968, "GPT-5": 0.994}
"""Accuracy of recognition."""


def _figures() -> Iterator[PublishedFigure]:
    for part, scores in _OVERALL.items():
        for model, score in scores.items():
            yield PublishedFigure(f"{model}: {part}", "published", score, SOURCE)
    for model, accuracy in _RECOGNISED.items():
        yield PublishedFigure(f"{model}: recognition, overall", "recognised", accuracy, SOURCE)


PUBLISHED = tuple(_figures())
