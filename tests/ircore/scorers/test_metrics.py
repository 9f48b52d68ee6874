"""Metrics against published values, against other implementations, and at their edges."""

import json
import os
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pytest
from PIL import Image

from ircore.core.drawing import Drawing
from ircore.core.images import Picture, Pixels, read_stored_pixels
from ircore.scorers.judges.structural import StructuralJudge
from ircore.scorers.metrics.base import MetricKey, MetricUnavailableError, load_metrics, measure
from ircore.scorers.metrics.brisque import compute_brisque
from ircore.scorers.metrics.pixel_metrics import ms_ssim, psnr, ssim, ssim_gaussian, uqi, uqi_sewar
from ircore.scorers.metrics.text import F1, RECALL, PlacedText, compute_label_scores, select_labels
from ircore.seeing.ocr import TextLine, find_missing_ocr_package

SHARED = Path(os.environ.get("IRCORE_SHARED_DATA", Path(__file__).resolve().parents[3].parent / "shared" / "data"))
PUBLISHED = SHARED / "metrics" / "expected.json"
PAIRS: list[dict[str, Any]] = json.loads(PUBLISHED.read_text())["pairs"] if PUBLISHED.is_file() else []
published = pytest.mark.skipif(not PAIRS, reason="the published values are not beside the checkout")

RNG = np.random.default_rng(20)
NOISE: Pixels = RNG.integers(0, 256, (40, 57, 3), dtype=np.uint8)
OTHER: Pixels = RNG.integers(0, 256, (40, 57, 3), dtype=np.uint8)
LARGEST = 600_000
"""Pixels of the largest target on which the window metrics are tried, to spare the processor."""


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
    off = {pair["pair"]: compute_brisque(image, image) - pair["published"]["brisque"] for pair, image in _generated()}
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
        compute_brisque(NOISE, tiny)


def test_brisque_of_flat_pictures_has_no_value() -> None:
    for value in (0, 255):
        with pytest.raises(MetricUnavailableError, match="flat picture"):
            compute_brisque(NOISE, np.full((40, 40, 3), value, np.uint8))


def test_image_of_another_size_is_brought_to_the_targets() -> None:
    halved = np.asarray(Image.fromarray(OTHER).resize((30, 20)))
    enlarged = np.asarray(Image.fromarray(halved).resize((57, 40), Image.Resampling.BICUBIC))
    assert ssim(NOISE, halved) == ssim(NOISE, enlarged)
    assert psnr(NOISE, halved) == psnr(NOISE, enlarged)


needs_ocr = pytest.mark.skipif(find_missing_ocr_package() is not None, reason="the extra ocr is not installed")

TARGET = [
    PlacedText(*placed) for placed in (("Mon", 0.1, 0.9), ("Tue", 0.5, 0.9), ("10", 0.05, 0.2), ("10", 0.05, 0.6))
]


def test_equal_labels_in_their_places_are_perfect() -> None:
    scores = compute_label_scores(TARGET, TARGET)
    assert (scores.precision, scores.recall, scores.f1, scores.texts_f1) == (1, 1, 1, 1)


def test_case_and_blanks_do_not_matter() -> None:
    assert compute_label_scores([PlacedText("Left Side", 0.5, 0.5)], [PlacedText("LEFT  side", 0.5, 0.5)]).f1 == 1


def test_exchanged_labels_are_right_texts_in_wrong_places() -> None:
    exchanged = [PlacedText("Tue", 0.1, 0.9), PlacedText("Mon", 0.5, 0.9), *TARGET[2:]]
    scores = compute_label_scores(TARGET, exchanged)
    assert (scores.recall, scores.texts_f1) == (0.5, 1)


def test_missing_and_invented_labels_by_hand() -> None:
    # Two of four are there, one of them twice as near as the other; one more was invented.
    scores = compute_label_scores(
        TARGET, [PlacedText("Mon", 0.12, 0.9), PlacedText("10", 0.05, 0.55), PlacedText("Wed", 0.9, 0.9)]
    )
    assert (scores.precision, scores.recall) == (2 / 3, 2 / 4)
    assert scores.f1 == pytest.approx(2 * 2 / (4 + 3))


def test_one_label_cannot_stand_for_two() -> None:
    assert compute_label_scores([PlacedText("A", 0.5, 0.5)] * 2, [PlacedText("A", 0.5, 0.5)]).recall == 0.5


def test_without_labels_there_is_nothing_to_say() -> None:
    assert compute_label_scores([], []).f1 is None
    assert compute_label_scores([], TARGET).recall is None
    assert compute_label_scores(TARGET, []).f1 == 0


def test_labels_of_recognised_lines_are_shares_of_the_picture() -> None:
    line = TextLine("km", ((90, 0), (110, 0), (110, 20), (90, 20)), 0.9)
    assert select_labels([line], 200, 100) == (PlacedText("km", 0.5, 0.1),)
    assert select_labels([TextLine("—", line.corners, 0.9), TextLine("km", line.corners, 0.5)], 200, 100) == ()


def sign(*texts: tuple[str, float, float]) -> Pixels:
    drawing = Drawing(400, 200)
    for text, x, y in texts:
        drawing.text((x, y), text, 26, "#000000")
    return drawing.pixels


@needs_ocr
def test_a_rendering_that_lost_a_label() -> None:
    target = sign(("Monday", 90, 50), ("Friday", 300, 150))
    assert F1.compute(target, target) == 1
    assert RECALL.compute(target, sign(("Monday", 90, 50))) == 0.5
    with pytest.raises(MetricUnavailableError, match="no text in the target"):
        RECALL.compute(sign(), target)
    assert "rapidocr" in F1.full_version


JUDGE = StructuralJudge()


def chart(heights: tuple[int, ...] = (120, 260, 190, 80), colour: str = "#1f77b4", dx: float = 0) -> Pixels:
    """Sparse bars on white, as in the game's bar graphs."""
    drawing = Drawing(512, 384)
    drawing.line([(60 + dx, 20), (60 + dx, 340), (490 + dx, 340)], "#222222", 2)
    for index, height in enumerate(heights):
        left = 90 + 100 * index + dx
        drawing.rectangle(left, 340 - height, left + 60, 340, fill=colour)
    return drawing.pixels


def shapes(colour: str = "#d62728", background: str = "#ffffff", at: tuple[int, int] = (150, 150)) -> Pixels:
    drawing = Drawing(512, 512, background)
    drawing.ellipse(at, (70, 70), fill=colour)
    drawing.rectangle(300, 320, 430, 400, fill="#2ca02c")
    return drawing.pixels


def rate(target: Pixels, image: Pixels) -> float:
    value = JUDGE.rate(Picture.from_pixels(target), Picture.from_pixels(image)).value
    assert value is not None
    return value


def flat(like: Pixels, value: int) -> Pixels:
    return np.full_like(like, value)


def test_ten_is_for_identical_pictures_only() -> None:
    target = chart()
    assert rate(target, target.copy()) == 10
    touched = target.copy()
    touched[5, 5] = 254
    assert rate(target, touched) == 9.99


@pytest.mark.slow
@pytest.mark.parametrize("target", [chart(), shapes()], ids=["chart", "shapes"])
def test_blank_pages_get_nothing_though_their_ssim_is_high(target: Pixels) -> None:
    white = flat(target, 255)
    assert ssim(target, white) > 0.65
    assert rate(target, white) < 0.5
    assert rate(target, flat(target, 0)) < 0.5
    assert rate(target, flat(target, 128)) < 0.5


@pytest.mark.slow
def test_the_further_off_the_lower() -> None:
    shifted = [rate(chart(), chart(dx=step)) for step in (0, 1, 4, 10, 30)]
    assert shifted == sorted(shifted, reverse=True)
    assert 5 <= shifted[3] <= 8
    higher = [rate(chart(), chart((120 + step, 260, 190, 80))) for step in (0, 5, 20, 80)]
    assert higher == sorted(higher, reverse=True)


@pytest.mark.slow
def test_a_colour_slightly_off_costs_little_and_a_wrong_one_more() -> None:
    slightly, wrong = rate(shapes(), shapes("#c83c3c")), rate(shapes(), shapes("#1f77b4"))
    assert 8.5 <= slightly < 10
    assert wrong < slightly - 0.5


@pytest.mark.slow
def test_the_better_rendering_is_preferred_and_equal_ones_tie() -> None:
    target, near, far = (Picture.from_pixels(chart(dx=step)) for step in (0, 4, 30))
    assert JUDGE.prefer(target, far, near).value == 1
    assert JUDGE.prefer(target, near, far).value == 0
    assert JUDGE.prefer(target, near, near).value == 0.5
