"""Metrics against published values, against other implementations, and at their edges."""

import json
import os
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pytest
from PIL import Image

from ircore.core.images import Pixels, read_stored_pixels
from ircore.scorers.metrics.base import MetricUnavailableError
from ircore.scorers.metrics.brisque import brisque
from ircore.scorers.metrics.psnr import psnr
from ircore.scorers.metrics.ssim import ssim
from ircore.scorers.metrics.uqi import uqi_sewar, uqi_wang_bovik

SHARED = Path(os.environ.get("IRCORE_SHARED_DATA", Path(__file__).resolve().parents[3].parent / "shared" / "data"))
PUBLISHED = SHARED / "metrics" / "expected.json"
PAIRS: list[dict[str, Any]] = json.loads(PUBLISHED.read_text())["pairs"] if PUBLISHED.is_file() else []
published = pytest.mark.skipif(not PAIRS, reason="the published values are not beside the checkout")

RNG = np.random.default_rng(20)
NOISE: Pixels = RNG.integers(0, 256, (40, 57, 3), dtype=np.uint8)
OTHER: Pixels = RNG.integers(0, 256, (40, 57, 3), dtype=np.uint8)
LARGEST = 2_000_000
"""Pixels of the largest target on which the window metrics are tried, to spare the processor."""


@cache
def pixels(name: str) -> Pixels:
    return read_stored_pixels(SHARED / "metrics" / name)


@published
@pytest.mark.parametrize("pair", PAIRS, ids=[pair["pair"] for pair in PAIRS])
def test_published_values_of_a_pair(pair: dict[str, Any]) -> None:
    target, image = pixels(pair["reference"]), pixels(pair["generated"])
    expected, recomputed = pair["published"], pair["recomputed"]["A_new"]
    assert psnr(target, image) == pytest.approx(expected["psnr"], abs=1e-3)
    if target.shape[0] * target.shape[1] <= LARGEST:
        assert ssim(target, image) == pytest.approx(expected["ssim"], abs=1e-4)
        assert uqi_sewar(target, image) == pytest.approx(expected["uqi"], abs=1e-4)
        assert uqi_wang_bovik(target, image) == pytest.approx(recomputed["uqi_wang_bovik_ws8"], abs=1e-4)


@published
def test_published_brisque() -> None:
    # In flat parts rounding decides the sign of coefficients: hence a bound on each and on the median.
    off = {pair["pair"]: brisque(image, image) - pair["published"]["brisque"] for pair, image in _generated()}
    assert max(map(abs, off.values())) <= 0.75
    assert median(map(abs, off.values())) <= 0.02
    assert abs(off["45_0"]) <= 1e-6


def _generated() -> list[tuple[dict[str, Any], Pixels]]:
    return [(pair, pixels(pair["generated"])) for pair in PAIRS]


def test_psnr_by_hand() -> None:
    # All values differ by one: MSE 1, so 20·log10(255).
    dark = np.full((11, 11, 3), 100, dtype=np.uint8)
    assert psnr(dark, dark + 1) == pytest.approx(48.130804, abs=1e-6)
    assert psnr(np.zeros((50, 900, 3), np.uint8), np.full((50, 900, 3), 255, np.uint8)) == 0


def test_ssim_and_psnr_equal_scikit_image() -> None:
    from skimage import metrics

    judge: Any = metrics
    options = {"win_size": 11, "use_sample_covariance": False, "data_range": 255, "channel_axis": 2}
    blend = ((NOISE.astype(int) + 2 * OTHER) // 3).astype(np.uint8)
    tall = np.vstack([NOISE] * 4)  # more rows than are computed at a time
    for target, image in ((NOISE, OTHER), (NOISE, blend), (tall, tall[::-1])):
        assert ssim(target, image) == pytest.approx(judge.structural_similarity(target, image, **options), abs=1e-12)
        assert psnr(target, image) == pytest.approx(judge.peak_signal_noise_ratio(target, image), abs=1e-12)


def test_wang_bovik_by_its_definition() -> None:
    x, y = NOISE[:12, :13].astype(float), (NOISE[:12, :13] // 2 + OTHER[:12, :13] // 3).astype(float)
    found = []
    for channel in range(3):
        for top in range(5):
            for left in range(6):
                a = x[top : top + 8, left : left + 8, channel]
                b = y[top : top + 8, left : left + 8, channel]
                covariance = ((a - a.mean()) * (b - b.mean())).mean()
                squares = (a.var() + b.var()) * (a.mean() ** 2 + b.mean() ** 2)
                found.append(4 * covariance * a.mean() * b.mean() / squares)
    assert uqi_wang_bovik(x.astype(np.uint8), y.astype(np.uint8)) == pytest.approx(np.mean(found), abs=1e-12)


def test_sewars_variant_hardly_notices_shuffled_pixels() -> None:
    # This is why it is kept apart from the index of Wang and Bovik.
    grey = RNG.normal(128, 40, (96, 96, 1)).clip(1, 255).astype(np.uint8).repeat(3, axis=2)
    shuffled = RNG.permutation(grey.reshape(-1, 3)).reshape(grey.shape)
    assert uqi_sewar(grey, shuffled) > 0.7
    assert abs(uqi_wang_bovik(grey, shuffled)) < 0.05


@pytest.mark.parametrize("metric", [ssim, uqi_sewar, uqi_wang_bovik])
def test_identical_pictures_get_one(metric: Any) -> None:
    assert metric(NOISE, NOISE) == pytest.approx(1, abs=1e-12)
    black = np.zeros((20, 20, 3), np.uint8)
    assert metric(black, black) == 1


def test_uqi_of_flat_pictures_compares_their_means() -> None:
    dark, light = np.full((11, 11, 3), 50, np.uint8), np.full((11, 11, 3), 100, np.uint8)
    assert uqi_wang_bovik(dark, light) == pytest.approx(2 * 50 * 100 / (50**2 + 100**2))
    assert uqi_wang_bovik(np.zeros_like(dark), light) == 0


def test_psnr_of_identical_pictures_is_infinite_and_therefore_no_value() -> None:
    with pytest.raises(MetricUnavailableError, match="identical pictures: infinite"):
        psnr(NOISE, NOISE)


@pytest.mark.parametrize("metric", [psnr, ssim, uqi_sewar, uqi_wang_bovik])
@pytest.mark.parametrize("shape", [(1, 1), (10, 10), (9, 128)])
def test_pictures_below_eleven_pixels_are_refused(metric: Any, shape: tuple[int, int]) -> None:
    tiny = np.zeros((*shape, 3), np.uint8)
    for target, image in ((tiny, NOISE), (NOISE, tiny), (tiny, tiny)):
        with pytest.raises(MetricUnavailableError, match="smaller than 11 pixels a side"):
            metric(target, image)
    with pytest.raises(MetricUnavailableError, match="smaller than 11 pixels a side"):
        brisque(NOISE, tiny)


def test_brisque_of_flat_pictures_has_no_value() -> None:
    for value in (0, 255):
        with pytest.raises(MetricUnavailableError, match="flat picture"):
            brisque(NOISE, np.full((40, 40, 3), value, np.uint8))


def test_image_of_another_size_is_brought_to_the_targets() -> None:
    halved = np.asarray(Image.fromarray(OTHER).resize((30, 20)))
    enlarged = np.asarray(Image.fromarray(halved).resize((57, 40), Image.Resampling.BICUBIC))
    assert ssim(NOISE, halved) == ssim(NOISE, enlarged)
    assert psnr(NOISE, halved) == psnr(NOISE, enlarged)
