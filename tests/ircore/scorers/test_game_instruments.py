"""Instruments that games measure pictures with: the same values as ``ircore score`` gives, or a reason."""

import numpy as np
import pytest

from ircore.core.images import Picture
from ircore.games.reconstruction.build_targets import draw
from ircore.scorers.game_instruments import EpisodeInstruments
from ircore.scorers.verification.judge import VerifiedJudge

DRAWN = draw("simple_shapes", "easy", seed=5)
TARGET = Picture.from_pixels(DRAWN.drawing.pixels)
BLANK = Picture.from_pixels(np.full_like(TARGET.pixels, 255))


@pytest.fixture
def instruments() -> EpisodeInstruments:
    return EpisodeInstruments({"target": TARGET}, lambda rendering: BLANK)


@pytest.mark.slow
def test_a_perfect_drawing_has_the_best_values(instruments: EpisodeInstruments) -> None:
    target = instruments.picture("target")
    for name in ("ssim", "uqi", "ep_precision", "ep_recall", "ep_f1", "iou_common", "iou_precision", "iou_recall"):
        assert instruments.metric(name, target, TARGET, DRAWN.scene) == (1.0, None), name
    assert instruments.judge("verified", target, TARGET, DRAWN.scene).value == 10


@pytest.mark.slow
def test_an_empty_drawing_shows_no_element(instruments: EpisodeInstruments) -> None:
    assert instruments.metric("ep_recall", TARGET, BLANK, DRAWN.scene).value == 0
    assert instruments.metric("ep_f1", TARGET, BLANK, DRAWN.scene).value == 0
    missing = instruments.metric("ep_precision", TARGET, BLANK, DRAWN.scene)
    assert missing.value is None
    assert missing.reason
    rated = VerifiedJudge(DRAWN.scene).rate(TARGET, BLANK)
    assert instruments.judge("verified", TARGET, BLANK, DRAWN.scene) == (rated.value, rated.reason)


def test_what_cannot_be_measured_has_a_reason(instruments: EpisodeInstruments, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("IRCORE_CLIP_MODEL", "IRCORE_DETR_MODEL", "IRCORE_LIPSIM_CHECKPOINT"):
        monkeypatch.delenv(variable, raising=False)
    for name in ("clip", "ep_f1"):  # without a scene, elements are a detector's
        value, reason = instruments.metric(name, TARGET, BLANK)
        assert value is None
        assert reason
    assert instruments.judge("lipsim", TARGET, BLANK).value is None
    assert instruments.metric("psnr", TARGET, TARGET).reason  # identical pictures have no finite PSNR


def test_a_picture_that_the_instance_lacks_is_named_with_those_it_has(instruments: EpisodeInstruments) -> None:
    with pytest.raises(LookupError, match="the instance has no picture 'original'; it has target"):
        instruments.picture("original")
