"""A deterministic judge that needs no model: an arithmetic of published similarity measures.

It is neither a human's nor a language model's judgement, and is labelled so wherever it is shown. It sees pixels, not
meaning: a right drawing in the wrong place gets little.
"""

from functools import lru_cache

import numpy as np
import numpy.typing as npt
from PIL import Image

from ircore.core.images import Picture
from ircore.core.score_records import JudgeKind
from ircore.scorers.judges.base import Judgement, compare_ratings
from ircore.scorers.metrics.base import compute_window_sums

SIDE = 256
"""Both pictures are brought to this square before anything is computed, in pixels."""

SCALES = 5
"""Side 256, 128, 64, 32 and 16: fine scales ask for the exact place, coarse ones forgive a shift."""

WINDOW = 8
"""Side of the windows of the structure term, in pixels of each scale."""

ROUNDING = 1e-6
"""Variances up to this, in squared grey levels, are nothing but rounding."""

_Planes = npt.NDArray[np.float64]


class StructuralJudge:
    """Rates by ink that agrees in place, colour and structure.

    Ink is what differs from a background b, a picture's commonest colour. At each of five scales (means of 2 × 2 pixels
    lead from one to the next) two agreements of target t and image i are computed, each 0–1:

    * colour: 1 − Σ|t − i| / Σ(|t| + |i|) of the inks, the similarity of Bray and Curtis (1957). A blank page has no ink
      and gets 0 on any target. The image's ink is taken from the target's background or from its own, whichever agrees
      better; its own costs a factor of 1 − the mean difference of the two backgrounds / 255.
    * structure: the contrast–structure term of SSIM (Wang et al. 2004), 2·cov(t, i) / (var(t) + var(i)), summed over
      the colours of each 8 × 8 window, not below 0, and averaged with √(var(t) + var(i)) as weight, in the manner of
      information-weighted SSIM (Wang and Li 2011), so that plain background, which always agrees, does not count.

    The rating is 10 times the mean over scales of √(colour · structure), rounded to two decimals. Identical pictures
    get 10, all others at most 9.99.

    It sees pixels, not content, and orders only 71 % of the judge test's pairs right (`ircore judge-test structural`,
    42 targets). Means there: every label exchanged 9.7, all text removed 9.4, every mark in a wrong colour 7.3 and all
    bars 40 % shorter 7.3, all of them wrong, against 6.4 for the perfect picture shifted by 5 px, 1 % of the side (line
    graphs 3.9, functions 4.7, geometry 5.0, simple shapes 8.1), and 4.8 shifted by 10 px. A blank page gets 0, noise
    0.4, another target of the same category 1.6.

    Example:
        >>> import numpy as np
        >>> square = np.full((64, 64, 3), 255, np.uint8)
        >>> square[16:48, 16:48] = (200, 30, 30)
        >>> target = Picture.from_pixels(square)
        >>> StructuralJudge().rate(target, target).value
        10.0
    """

    name = "structural"
    label = "structural (computed, no human or LLM judgement)"
    kind: JudgeKind = "computed"
    version = "1"

    def rate(self, target: Picture, image: Picture) -> Judgement:
        """Rate the similarity, 0–10, by the formula above."""
        return Judgement(_rate_pair(target, image))

    def prefer(self, target: Picture, first: Picture, final: Picture) -> Judgement:
        """Prefer the rendering with the higher rating; equal ratings are a tie."""
        return compare_ratings(self.rate(target, first), self.rate(target, final))


@lru_cache(maxsize=4)
def _rate_pair(target: Picture, image: Picture) -> float:
    """Rate a pair; the rating is kept for the next few calls, since a preference needs the same ratings."""
    if np.array_equal(target.pixels, image.pixels):
        return 10.0
    # A picture that differs by a pixel may round to 10, which only identical pictures get.
    return min(9.99, round(10 * compute_similarity(_convert_to_planes(target), _convert_to_planes(image)), 2))


def compute_similarity(target: _Planes, image: _Planes) -> float:
    """Return the mean agreement over scales, 0–1, of two square pictures of side ``SIDE`` × 3 colours."""
    background, own = find_commonest_colour(target), find_commonest_colour(image)
    likeness = 1 - float(np.abs(background - own).mean()) / 255
    x, y, shift = target - background, image - background, background - own
    agreements = []
    for _ in range(SCALES):
        # The rest on a ground of another shade would else be ink all over, and nothing of it would agree.
        colour = max(compute_colour_agreement(x, y), likeness * compute_colour_agreement(x, y + shift))
        agreements.append((colour * compute_structure_agreement(x, y)) ** 0.5)
        x, y = _halve(x), _halve(y)
    return float(np.mean(agreements))


def compute_colour_agreement(x: _Planes, y: _Planes) -> float:
    """Return the Bray–Curtis similarity of two inks (differences from the background), 0–1; 1 without any ink."""
    ink = float(np.abs(x).sum() + np.abs(y).sum())
    return 1.0 if ink == 0 else 1 - float(np.abs(x - y).sum()) / ink


def compute_structure_agreement(x: _Planes, y: _Planes) -> float:
    """Return the contrast–structure term of SSIM pooled by deviation, 0–1; 1 if nothing varies in either."""
    mean_x, mean_y = _compute_window_means(x), _compute_window_means(y)
    squares = _compute_window_means(x * x + y * y) - mean_x**2 - mean_y**2
    products = _compute_window_means(x * y) - mean_x * mean_y
    variance = squares.sum(axis=2).clip(0)
    # A negative of the target is as wrong as anything unrelated, not worse.
    covariance = products.sum(axis=2).clip(0)
    weight = np.sqrt(variance)
    total = float(weight.sum())
    # Plain windows, 0/0, count nothing: their weight is 0, too.
    agreement = np.divide(2 * covariance, variance, out=np.zeros_like(variance), where=variance > ROUNDING)
    return 1.0 if total <= ROUNDING else min(1.0, float((weight * agreement).sum()) / total)


def find_commonest_colour(picture: _Planes) -> _Planes:
    """Return the mean of the pixels in the fullest of 4096 bins of colour."""
    # 16 levels of each colour, so that a slightly uneven ground still falls into one bin.
    levels = (picture // 16).astype(np.int64)
    bins = (levels[..., 0] * 256 + levels[..., 1] * 16 + levels[..., 2]).ravel()
    chosen = np.compress(bins == np.bincount(bins).argmax(), picture.reshape(-1, 3), axis=0)
    colour: _Planes = np.einsum("ij->j", chosen) / len(chosen)
    return colour


def _convert_to_planes(picture: Picture) -> _Planes:
    small = Image.fromarray(picture.pixels).resize((SIDE, SIDE), Image.Resampling.BOX)
    return np.asarray(small, dtype=np.float64)


def _halve(planes: _Planes) -> _Planes:
    side = planes.shape[0] // 2
    result: _Planes = planes.reshape(side, 2, side, 2, 3).mean(axis=(1, 3))
    return result


def _compute_window_means(planes: _Planes) -> _Planes:
    return compute_window_sums(planes, WINDOW) / WINDOW**2
