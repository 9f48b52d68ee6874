"""SSIM and PSNR per pair beside scikit-image, and how long everything that ``ircore score`` computes takes.

Run with ``python benchmarks/metrics.py``. Both sides are timed in turn in one process, so that the ratio holds on a
busy machine too; the best of several rounds counts.
"""

from collections.abc import Callable
from functools import partial
from time import process_time
from typing import Any

import numpy as np
from skimage import metrics as scikit_image

from ircore.core.images import Picture, Pixels
from ircore.scorers.judges.structural import StructuralJudge
from ircore.scorers.metrics.base import load_metrics
from ircore.scorers.metrics.pixel_metrics import psnr, ssim

SIZES = ((384, 512), (512, 512), (1280, 721))
ROUNDS = 7
REFERENCE: Any = scikit_image


def main() -> None:
    """Print the table."""
    print(f"{'CPU ms per pair':<28}{'ircore':>9}{'scikit-image':>14}{'ratio':>8}")
    for height, width in SIZES:
        target, image = _pair(height, width)
        for name, ours, theirs in (("ssim", ssim, _reference_ssim), ("psnr", psnr, _reference_psnr)):
            mine, other = _best(partial(ours, target, image), partial(theirs, target, image))
            print(f"{name} {width} × {height:<20}{mine:9.2f}{other:14.2f}{mine / other:8.2f}")
    _print_all(*_pair(512, 512))


def _print_all(target: Pixels, image: Pixels) -> None:
    print("\nCPU ms per pair of 512 × 512")
    for name, metric in load_metrics()[0].items():
        (mine,) = _best(partial(metric.compute, target, image))
        print(f"{name:<28}{mine:9.2f}")
    judge = StructuralJudge()
    (mine,) = _best(lambda: judge.rate(_picture(target), _picture(image)))
    print(f"{'structural judge':<28}{mine:9.2f}")


def _picture(pixels: Pixels) -> Picture:
    """A picture that counts as decoded but not as seen before."""
    picture = Picture(b"", pixels.shape[1], pixels.shape[0])
    picture.__dict__["pixels"] = pixels
    return picture


def _pair(height: int, width: int) -> tuple[Pixels, Pixels]:
    """A smooth picture and the same with noise, seeded."""
    rng = np.random.default_rng(0)
    waves = np.sin(np.arange(height) / 40)[:, None, None] + np.cos(np.arange(width) / 25)[None, :, None]
    smooth = 127 + 60 * waves * np.array([1.0, 0.8, 0.6])
    noisy = smooth + rng.normal(0, 20, smooth.shape)
    return smooth.clip(0, 255).astype(np.uint8), noisy.clip(0, 255).astype(np.uint8)


def _reference_ssim(target: Pixels, image: Pixels) -> float:
    return float(
        REFERENCE.structural_similarity(
            target, image, win_size=11, use_sample_covariance=False, data_range=255, channel_axis=2
        )
    )


def _reference_psnr(target: Pixels, image: Pixels) -> float:
    return float(REFERENCE.peak_signal_noise_ratio(target, image, data_range=255))


def _best(*works: Callable[[], object]) -> list[float]:
    """Return the shortest time of each work in milliseconds, taking turns."""
    best = [float("inf")] * len(works)
    for _ in range(ROUNDS):
        for index, work in enumerate(works):
            begun = process_time()
            work()
            best[index] = min(best[index], 1000 * (process_time() - begun))
    return best


if __name__ == "__main__":
    main()
