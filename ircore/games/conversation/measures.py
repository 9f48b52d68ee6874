"""Measures of conversations: ConvGenVisMo's metrics after every hop, and of the drawing after the last one."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from ircore.core.images import Picture
from ircore.core.records import Scene
from ircore.games.base import Direction, Instruments, Measure, Measured
from ircore.games.conversation.records import Hop
from ircore.games.declarations import NOT_NEGATIVE, MeasuredValue

JUDGE = "verified"
_TEN = 10
"""Best rating of a judge: the share of verified facts is its tenth."""


class _Metric(NamedTuple):
    """A metric of a drawing: name, title, unit, range, direction and a sentence."""

    key: str
    title: str
    unit: str = ""
    range: tuple[float, float] | None = (0, 1)
    direction: Direction = "higher"
    about: str = ""

    def measure(self, final: bool) -> Measure:
        if final:
            return replace(self.measure(False), key=f"final_{self.key}", title=f"{self.title}, last hop", per="episode")
        return Measure(
            self.key, self.title, self.unit, self.range, self.direction, "step", "pictures", about=self.about
        )


_BOXES = "Intersection by union of the boxes of a class, mean over the classes"

METRICS = (
    _Metric("ep_f1", "Element F1", about="Harmonic mean of element precision and element recall."),
    _Metric(
        JUDGE, "Verified facts", about="Share of the scene's facts that the drawing shows; of drawn pictures alone."
    ),
    _Metric("ssim", "SSIM", "", (-1, 1), about="Structural similarity of drawing and picture."),
    _Metric("psnr", "PSNR", "dB", None, about="Peak signal-to-noise ratio of drawing and picture."),
    _Metric("uqi", "UQI", "", (-1, 1), about="Universal quality index of drawing and picture."),
    _Metric("uqi_sewar", "UQI, published form", "", (-1, 1), about="By the formula with which it was published."),
    _Metric("brisque", "BRISQUE", "", None, "lower", about="How unnatural the drawing looks, without the picture."),
    _Metric("clip", "CLIP", "", (-1, 1), about="Similarity of what a network says about drawing and picture."),
    _Metric("ep_precision", "Element precision", about="Share of the drawing's elements that the picture has."),
    _Metric("ep_recall", "Element recall", about="Share of the picture's elements that the drawing has."),
    _Metric("ep_precision_published", "Element precision, published form", about="As the paper's code computes it."),
    _Metric("ep_recall_published", "Element recall, published form", about="As the paper's code computes it."),
    _Metric("ep_f1_published", "Element F1, published form", about="As the paper's code computes it."),
    _Metric("iou_common", "Common IoU", about=f"{_BOXES} that both have."),
    _Metric("iou_precision", "Precision IoU", about=f"{_BOXES} of the drawing."),
    _Metric("iou_recall", "Recall IoU", about=f"{_BOXES} of the picture."),
)
"""ConvGenVisMo's metrics, published forms beside corrected ones, and the facts that are verified in drawn pictures."""

CURVES = (
    "ep_f1", JUDGE, "ssim", "psnr", "brisque", "uqi_sewar", "clip",
    "ep_precision_published", "ep_recall_published", "ep_f1_published", "named", "judged",
)  # fmt: skip
"""Measures that are drawn over the hops: among them all whose means by hop the paper's repository prints."""

NORMALISED = ("ep_f1", JUDGE, "ssim", "clip")
"""Measures that are drawn from the first hop to the last, too."""

_EVERY = "Similarity of drawing and picture; of dialogues of which every drawing was rated."
_NAMED = "Share of the annotated elements of which the prompt holds every word."

MEASURES = (
    # First, because a game's first measure is its headline.
    METRICS[0].measure(final=True),
    *(metric.measure(final=False) for metric in METRICS),
    *(metric.measure(final=True) for metric in METRICS[1:]),
    Measure("judged", "Judged similarity", "points", (0, 10), per="step", needs="judge", about=_EVERY),
    Measure("final_judged", "Judged similarity, last hop", "points", (0, 10), needs="judge"),
    Measure("final_rated", "Similarity as people rate it, last hop", "points", (0, 10), needs="person"),
    Measure("named", "Elements named in the prompt", "", (0, 1), per="step", about=_NAMED),
    Measure("final_named", "Elements named in the prompt, last hop", "", (0, 1), about=_NAMED),
    Measure(
        "prompt_tokens",
        "Tokens of a prompt",
        "tokens",
        NOT_NEGATIVE,
        direction="lower",
        about="Mean of the episode's prompts.",
    ),
    Measure("cut", "Prompts cut to the budget", "", (0, 1), direction="lower", about="Share of the prompts."),
)
"""The first one is the headline; those called ``final_…`` are of the drawing after the last hop."""

NOT_DRAWN = "the picture was not drawn, so nobody wrote down its facts"
NOT_LISTED = "nobody listed the elements of the picture"


def measure_prompts(hops: Sequence[Hop], elements: Sequence[str]) -> Iterator[Measured]:
    """Compute the measures of the prompts of a played episode.

    Args:
        hops: In order, at least one.
        elements: What the picture shows, as annotators listed it.
    """
    shares = [compute_share_named(hop.prompt, elements) for hop in hops]
    reason = None if elements else NOT_LISTED
    yield from (Measured("named", hop.hop, share, reason) for hop, share in zip(hops, shares, strict=True))
    yield Measured("final_named", None, shares[-1], reason)
    yield Measured("prompt_tokens", None, sum(hop.tokens for hop in hops) / len(hops))
    yield Measured("cut", None, sum(hop.cut for hop in hops) / len(hops))


def compute_share_named(prompt: str, elements: Sequence[str]) -> float | None:
    """Return the share of elements of which a prompt holds every word of two letters or more, in any order.

    Endings of plurals do not count.

    >>> compute_share_named("Three red balloons and a hat.", ("three balloons", "hat", "present box"))
    0.6666666666666666

    Args:
        prompt: The text.
        elements: Names of things; None is returned if there are none.
    """
    if not elements:
        return None
    words = _split_words(prompt)
    return sum(_split_words(element) <= words for element in elements) / len(elements)


def _split_words(text: str) -> set[str]:
    return {word.removesuffix("s") for word in re.findall(r"\w{2,}", text.lower().replace("_", " "))}


def measure_drawings(
    hops: Sequence[Hop], target: Picture, scene: Scene | None, instruments: Instruments
) -> Iterator[Measured]:
    """Compute the measures of a played episode's drawings, hop by hop; the last hop counts twice, once as the final.

    Args:
        hops: In order, at least one.
        target: The picture that was talked about.
        scene: What it shows, if it was drawn.
        instruments: Metrics and judges.
    """
    last = hops[-1].hop
    for hop in hops:
        drawing = instruments.rendering(hop.drawing)
        for metric in METRICS:
            value, reason = _measure_drawing(metric, target, drawing, scene, instruments)
            yield Measured(metric.key, hop.hop, value, reason)
            # Metrics are slow, so the last drawing is measured once for both measures.
            if hop.hop == last:
                yield Measured(f"final_{metric.key}", None, value, reason)


def _measure_drawing(
    metric: _Metric, target: Picture, drawing: Picture, scene: Scene | None, instruments: Instruments
) -> MeasuredValue:
    if metric.key != JUDGE:
        return instruments.metric(metric.key, target, drawing, scene)
    if scene is None:
        return MeasuredValue(None, NOT_DRAWN)
    rated = instruments.judge(JUDGE, target, drawing, scene)
    return rated if rated.value is None else MeasuredValue(rated.value / _TEN)
