"""CLIP, DINO and DETR on tiny models with random weights, saved and loaded as published ones are."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from ircore.core.images import Pixels
from ircore.scorers.metrics.base import MetricUnavailableError

torch: Any = pytest.importorskip("torch", reason='torch is not installed: pip install "ircore[perceptual]"')
transformers: Any = pytest.importorskip("transformers", reason="transformers is not installed")

from ircore.scorers.elements import detr  # noqa: E402
from ircore.scorers.metrics.networks.embeddings import (  # noqa: E402
    CLIP_METRIC,
    DINO,
    DINO_METRIC,
    clip_similarity,
    compute_embedding,
    dino_similarity,
)

RNG = np.random.default_rng(5)
NOISE: Pixels = RNG.integers(0, 256, (40, 60, 3), dtype=np.uint8)
OTHER: Pixels = RNG.integers(0, 256, (40, 60, 3), dtype=np.uint8)
SMALL = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}


@pytest.fixture(autouse=True)
def _offline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    torch.manual_seed(0)


def saved_clip(folder: Path) -> Path:
    config = transformers.CLIPConfig(
        vision_config={**SMALL, "image_size": 32, "patch_size": 8}, projection_dim=8,
        text_config={**SMALL, "vocab_size": 30, "bos_token_id": 1, "eos_token_id": 2},
    )  # fmt: skip
    transformers.CLIPModel(config).save_pretrained(folder)
    transformers.CLIPImageProcessor(size={"shortest_edge": 32}, crop_size=32).save_pretrained(folder)
    return folder


def test_clip_similarity_is_a_cosine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IRCORE_CLIP_MODEL", str(saved_clip(tmp_path / "clip")))
    assert clip_similarity(NOISE, NOISE) == pytest.approx(1, abs=1e-5)
    assert -1 <= clip_similarity(NOISE, OTHER) < 1
    assert CLIP_METRIC.full_version.startswith("1, sha256:")


def saved_dino(folder: Path, side: int = 224) -> Path:
    config = transformers.Dinov2Config(
        hidden_size=16, num_hidden_layers=1, num_attention_heads=2, mlp_ratio=2, image_size=side, patch_size=14
    )
    transformers.Dinov2Model(config).save_pretrained(folder)
    transformers.BitImageProcessor(size={"shortest_edge": 256}, crop_size=224).save_pretrained(folder)
    return folder


@pytest.mark.parametrize("side", [224, 518])  # 518: the size that published DINOv2 models were trained at
def test_dino_similarity_is_a_cosine(side: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IRCORE_DINO_MODEL", str(saved_dino(tmp_path / "dino", side)))
    assert dino_similarity(NOISE, NOISE) == pytest.approx(1, abs=1e-5)
    assert dino_similarity(NOISE, OTHER) < 1


def test_dino_sees_the_whole_picture_squashed_as_gir_bench_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A picture that was squashed before is the same picture to DINO; a crop of its middle is another one."""
    monkeypatch.setenv("IRCORE_DINO_MODEL", str(saved_dino(tmp_path / "dino")))
    wide: Pixels = np.repeat(np.repeat(RNG.integers(0, 256, (8, 16, 3), dtype=np.uint8), 56, 0), 56, 1)
    whole = np.asarray(Image.fromarray(wide).resize((224, 224), Image.Resampling.BILINEAR))
    assert dino_similarity(wide, whole) == pytest.approx(1, abs=1e-5)
    pixels = torch.tensor(whole.transpose(2, 0, 1)[None] / 255.0, dtype=torch.float32)
    mean, deviation = torch.tensor([0.485, 0.456, 0.406]), torch.tensor([0.229, 0.224, 0.225])
    model = transformers.AutoModel.from_pretrained(tmp_path / "dino").eval()
    with torch.inference_mode():
        expected = model((pixels - mean[:, None, None]) / deviation[:, None, None]).last_hidden_state[0, 0]
    assert torch.allclose(compute_embedding(DINO, wide), expected, atol=1e-5)


def test_dino_without_a_model_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("IRCORE_DINO_MODEL", raising=False)
    assert "IRCORE_DINO_MODEL names none" in (DINO_METRIC.obstacle() or "")
    with pytest.raises(MetricUnavailableError, match="IRCORE_DINO_MODEL names no weights"):
        dino_similarity(NOISE, OTHER)


def test_a_model_that_lacks_weights_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from safetensors.torch import load_file, save_file

    folder = saved_clip(tmp_path / "clip")
    state = load_file(folder / "model.safetensors")
    del state["visual_projection.weight"]
    save_file(state, folder / "model.safetensors", metadata={"format": "pt"})
    monkeypatch.setenv("IRCORE_CLIP_MODEL", str(folder))
    with pytest.raises(MetricUnavailableError, match=r"missing weights: visual_projection\.weight"):
        clip_similarity(NOISE, OTHER)


def saved_detr(folder: Path) -> Path:
    backbone = transformers.ResNetConfig(
        embedding_size=8, hidden_sizes=[8, 8, 8, 8], depths=[1, 1, 1, 1], layer_type="basic", out_features=["stage4"]
    )
    config = transformers.DetrConfig(
        backbone_config=backbone, use_timm_backbone=False, use_pretrained_backbone=False, backbone=None, d_model=16,
        encoder_layers=1, decoder_layers=1, encoder_attention_heads=2, decoder_attention_heads=2,
        encoder_ffn_dim=16, decoder_ffn_dim=16, num_queries=5,
        id2label={0: "Cat", 1: "dog"}, label2id={"Cat": 0, "dog": 1},
    )  # fmt: skip
    transformers.DetrForObjectDetection(config).save_pretrained(folder)
    transformers.DetrImageProcessor(size={"height": 64, "width": 64}).save_pretrained(folder)
    return folder


def test_detr_lists_elements_in_pixels_of_the_picture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IRCORE_DETR_MODEL", str(saved_detr(tmp_path / "detr")))
    elements = detr.detect(NOISE, threshold=0.0)
    assert (elements.width, elements.height, len(elements.elements)) == (60, 40, 5)
    assert set(elements.counts) <= {"cat", "dog"}
    assert elements.source.startswith("detr sha256:")
    assert detr.detect(NOISE, threshold=1.0).elements == ()
