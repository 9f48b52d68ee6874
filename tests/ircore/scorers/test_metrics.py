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
from ircore.scorers.metrics.measure import MetricKey, load_metrics, measure
from ircore.scorers.metrics.ms_ssim import ms_ssim
from ircore.scorers.metrics.psnr import psnr
from ircore.scorers.metrics.ssim import ssim, ssim_gaussian
from ircore.scorers.metrics.uqi import uqi, uqi_sewar

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


def _marks(pair: dict[str, Any]) -> tuple[pytest.MarkDecorator, ...]:
    """Mark as slow whatever compares more than 0.2 megapixels."""
    with Image.open(SHARED / "metrics" / pair["reference"]) as picture:
        return (pytest.mark.slow,) if picture.width * picture.height > 200_000 else ()


@published
@pytest.mark.parametrize("pair", [pytest.param(pair, id=pair["pair"], marks=_marks(pair)) for pair in PAIRS])
def test_published_values_of_a_pair(pair: dict[str, Any]) -> None:
    target, image = pixels(pair["reference"]), pixels(pair["generated"])
    expected, recomputed = pair["published"], pair["recomputed"]["A_new"]
    assert psnr(target, image) == pytest.approx(expected["psnr"], abs=1e-3)
    if target.shape[0] * target.shape[1] <= LARGEST:
        assert ssim(target, image) == pytest.approx(expected["ssim"], abs=1e-4)
        assert uqi_sewar(target, image) == pytest.approx(expected["uqi"], abs=1e-4)
        assert uqi(target, image) == pytest.approx(recomputed["uqi_wang_bovik_ws8"], abs=1e-4)
        assert ssim_gaussian(target, image) == pytest.approx(recomputed["ssim_gauss"], abs=1e-4)


@published
@pytest.mark.slow
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


def test_gaussian_ssim_equals_scikit_image() -> None:
    from skimage import metrics

    judge: Any = metrics
    options = {"gaussian_weights": True, "use_sample_covariance": False, "data_range": 255, "channel_axis": 2}
    expected = judge.structural_similarity(NOISE, OTHER, **options)
    assert ssim_gaussian(NOISE, OTHER) == pytest.approx(expected, abs=1e-10)


def by_definition(x: Any, y: Any) -> tuple[Any, Any]:
    """Contrast with structure, and luminance, in every whole window: sums over an 11 × 11 Gaussian, in two loops."""
    offsets = np.arange(-5, 6)
    window = np.exp(-(offsets[:, None] ** 2 + offsets**2) / (2 * 1.5**2))
    window /= window.sum()
    contrast, luminance = [], []
    for top in range(x.shape[0] - 10):
        for left in range(x.shape[1] - 10):
            a, b = x[top : top + 11, left : left + 11], y[top : top + 11, left : left + 11]
            mean_a, mean_b = (window * a).sum(), (window * b).sum()
            spread = (window * (a - mean_a) ** 2).sum() + (window * (b - mean_b) ** 2).sum()
            together = (window * (a - mean_a) * (b - mean_b)).sum()
            contrast.append((2 * together + 7.65**2) / (spread + 7.65**2))
            luminance.append((2 * mean_a * mean_b + 2.55**2) / (mean_a**2 + mean_b**2 + 2.55**2))
    return np.mean(contrast), np.mean(np.array(contrast) * luminance)


@pytest.mark.slow
def test_ms_ssim_by_its_definition() -> None:
    rng = np.random.default_rng(3)
    target = rng.integers(0, 256, (176, 178), dtype=np.uint8)
    image = (target.astype(int) * 3 // 4 + rng.integers(0, 64, target.shape)).astype(np.uint8)
    x, y, value = target.astype(float), image.astype(float), 1.0
    for exponent in (0.0448, 0.2856, 0.3001, 0.2363, 0.1333):
        contrast, whole = by_definition(x, y)
        value *= (whole if exponent == 0.1333 else contrast) ** exponent
        x, y = (np.array([[p[r : r + 2, c : c + 2].mean() for c in range(0, p.shape[1] - 1, 2)]
                          for r in range(0, p.shape[0] - 1, 2)]) for p in (x, y))  # fmt: skip
    grey = [picture[..., None].repeat(3, axis=2) for picture in (target, image)]
    assert ms_ssim(*grey) == pytest.approx(value, abs=1e-10)
    assert ms_ssim(grey[0], grey[0]) == pytest.approx(1)


def test_ms_ssim_needs_room_for_five_scales() -> None:
    with pytest.raises(MetricUnavailableError, match="57 × 40 pixels: smaller than 176"):
        ms_ssim(NOISE, OTHER)


def test_native_loading_keeps_proportions_and_upstream_squashes() -> None:
    # A black square, asked for in a frame twice as wide: squashed it fills the frame, fitted it stands between white.
    metric = load_metrics(["psnr"])[0]["psnr"]
    target = np.full((40, 80, 3), 255, np.uint8)
    target[:, 20:60] = 0
    square = np.zeros((40, 40, 3), np.uint8)
    assert measure(metric, target, square, "native").reason == "identical pictures: infinite"
    squashed = measure(metric, target, square, "upstream")
    assert squashed.value == pytest.approx(10 * np.log10(2))  # half of the pixels are 255 off
    assert (squashed.loading, squashed.version) == ("upstream", "1")


def test_keys_of_metrics_say_how_pictures_were_loaded() -> None:
    assert MetricKey.parse("ssim.native") == ("ssim", "native")
    assert MetricKey.parse("ssim") == ("ssim", "upstream")
    assert [str(MetricKey("ssim", loading)) for loading in ("upstream", "native")] == ["ssim", "ssim.native"]


def test_a_resized_picture_that_was_changed_since_is_resized_again() -> None:
    small = OTHER[:20, :30].copy()
    before = ssim(NOISE, small)
    small[:] = 0
    assert ssim(NOISE, small) != before


def test_wang_bovik_by_its_definition() -> None:
    x, y = NOISE[:12, :13].astype(float), (NOISE[:12, :13] // 2 + OTHER[:12, :13] // 3).astype(float)
    collected = []
    for channel in range(3):
        for top in range(5):
            for left in range(6):
                a = x[top : top + 8, left : left + 8, channel]
                b = y[top : top + 8, left : left + 8, channel]
                covariance = ((a - a.mean()) * (b - b.mean())).mean()
                squares = (a.var() + b.var()) * (a.mean() ** 2 + b.mean() ** 2)
                collected.append(4 * covariance * a.mean() * b.mean() / squares)
    assert uqi(x.astype(np.uint8), y.astype(np.uint8)) == pytest.approx(np.mean(collected), abs=1e-12)


def test_sewars_variant_hardly_notices_shuffled_pixels() -> None:
    # This is why it is kept apart from the index of Wang and Bovik.
    grey = RNG.normal(128, 40, (96, 96, 1)).clip(1, 255).astype(np.uint8).repeat(3, axis=2)
    shuffled = RNG.permutation(grey.reshape(-1, 3)).reshape(grey.shape)
    assert uqi_sewar(grey, shuffled) > 0.7
    assert abs(uqi(grey, shuffled)) < 0.05


@pytest.mark.parametrize("metric", [ssim, ssim_gaussian, uqi_sewar, uqi])
def test_identical_pictures_get_one(metric: Any) -> None:
    assert metric(NOISE, NOISE) == pytest.approx(1, abs=1e-12)
    black = np.zeros((20, 20, 3), np.uint8)
    assert metric(black, black) == 1


def test_uqi_of_flat_pictures_compares_their_means() -> None:
    dark, light = np.full((11, 11, 3), 50, np.uint8), np.full((11, 11, 3), 100, np.uint8)
    assert uqi(dark, light) == pytest.approx(2 * 50 * 100 / (50**2 + 100**2))
    assert uqi(np.zeros_like(dark), light) == 0


def test_psnr_of_identical_pictures_is_infinite_and_therefore_no_value() -> None:
    with pytest.raises(MetricUnavailableError, match="identical pictures: infinite"):
        psnr(NOISE, NOISE)


@pytest.mark.parametrize("metric", [psnr, ssim, ssim_gaussian, ms_ssim, uqi_sewar, uqi])
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
