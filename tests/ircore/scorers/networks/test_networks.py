"""Metrics by networks, on small models that each test makes: strict loading, hand-computed values, plain refusals."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from ircore.core.errors import InputError
from ircore.core.images import Pixels
from ircore.scorers.metrics.base import MetricUnavailableError

torch: Any = pytest.importorskip("torch", reason='torch is not installed: pip install "ircore[perceptual]"')

from ircore.scorers.metrics import networks  # noqa: E402
from ircore.scorers.metrics.network_weights import compute_inception_features, dreamsim, fid  # noqa: E402
from ircore.scorers.metrics.networks import list_head_shapes, list_shapes, lpips  # noqa: E402

RNG = np.random.default_rng(5)
NOISE: Pixels = RNG.integers(0, 256, (64, 64, 3), dtype=np.uint8)
OTHER: Pixels = RNG.integers(0, 256, (64, 64, 3), dtype=np.uint8)


@pytest.fixture
def weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Random weights of AlexNet's shapes, and heads that are all one."""
    torch.manual_seed(0)
    backbone = {name: torch.randn(shape) * 0.05 for name, shape in list_shapes().items()}
    torch.save(backbone | {"classifier.1.weight": torch.zeros(1)}, tmp_path / "alexnet.pth")
    torch.save({name: torch.ones(shape) for name, shape in list_head_shapes().items()}, tmp_path / "heads.pth")
    monkeypatch.setenv("IRCORE_LPIPS_BACKBONE", str(tmp_path / "alexnet.pth"))
    monkeypatch.setenv("IRCORE_LPIPS_HEADS", str(tmp_path / "heads.pth"))
    return tmp_path


def test_lpips_equals_a_network_built_of_modules(weights: Path) -> None:
    nn = torch.nn
    features = nn.Sequential(
        nn.Conv2d(3, 64, 11, 4, 2), nn.ReLU(), nn.MaxPool2d(3, 2), nn.Conv2d(64, 192, 5, 1, 2), nn.ReLU(),
        nn.MaxPool2d(3, 2), nn.Conv2d(192, 384, 3, 1, 1), nn.ReLU(), nn.Conv2d(384, 256, 3, 1, 1), nn.ReLU(),
        nn.Conv2d(256, 256, 3, 1, 1), nn.ReLU(),
    )  # fmt: skip
    state = torch.load(weights / "alexnet.pth")
    features.load_state_dict({name.removeprefix("features."): state[name] for name in list_shapes()})
    expected, pair = 0.0, []
    for pixels in (NOISE, OTHER):
        x = torch.tensor(pixels / 127.5 - 1).permute(2, 0, 1)[None].float()
        shift, scale = torch.tensor([-0.030, -0.088, -0.188]), torch.tensor([0.458, 0.448, 0.450])
        pair.append((x - shift[None, :, None, None]) / scale[None, :, None, None])
    for layer in features:
        pair = [layer(x).detach() for x in pair]
        if isinstance(layer, nn.ReLU):
            x, y = (value / value.pow(2).sum(1, keepdim=True).sqrt() for value in pair)
            expected += float(((x - y) ** 2).sum(1).mean())
    assert lpips(NOISE, OTHER) == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda state: state.pop("features.0.bias"), "features.0.bias is missing"),
        (lambda state: state.update(surplus=torch.zeros(1)), "unexpected tensor surplus"),
        (lambda state: state.update({"features.0.bias": torch.zeros(3)}), "has shape"),
        (lambda state: state["features.0.bias"].fill_(float("nan")), "not finite"),
    ],
)
def test_weights_that_are_not_exactly_the_networks_are_refused(weights: Path, change: Any, problem: str) -> None:
    state = torch.load(weights / "alexnet.pth")
    change(state)
    torch.save(state, weights / "alexnet.pth")
    networks._load_network.cache_clear()
    with pytest.raises(MetricUnavailableError, match=problem):
        lpips(NOISE, OTHER)


def test_a_missing_file_and_no_variable_are_said_plainly(weights: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IRCORE_LPIPS_BACKBONE", str(weights / "nowhere.pth"))
    with pytest.raises(MetricUnavailableError, match=r"nowhere\.pth: there is no such file"):
        lpips(NOISE, OTHER)
    monkeypatch.delenv("IRCORE_LPIPS_BACKBONE")
    assert "IRCORE_LPIPS_BACKBONE names none" in (networks.LPIPS_METRIC.obstacle() or "")


class MeanColours(torch.nn.Module):  # type: ignore[misc]
    """Three features of a picture of 8 bits: the mean of each colour."""

    def forward(self, picture: Any) -> Any:
        return picture.float().mean(dim=(2, 3))


class MeanDifference(torch.nn.Module):  # type: ignore[misc]
    """Distance of two pictures: the mean difference of their values."""

    def forward(self, one: Any, other: Any) -> Any:
        return (one - other).abs().mean()


def exported(module: Any, path: Path, *example: Any) -> str:
    torch.jit.trace(module, example).save(str(path))
    return str(path)


def test_fid_of_a_network_of_mean_colours_by_hand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    network = exported(MeanColours(), tmp_path / "fid.pt", torch.zeros(1, 3, 8, 8, dtype=torch.uint8))
    monkeypatch.setenv("IRCORE_FID_NETWORK", network)
    dark, light = ([np.full((20, 30, 3), base + step, np.uint8) for step in (0, 2)] for base in (10, 20))
    assert compute_inception_features(dark).tolist() == [[10] * 3, [12] * 3]
    assert fid(dark, light) == pytest.approx(3 * 10**2)  # equal spreads, means 10 apart in three features
    with pytest.raises(InputError, match="at least two pictures"):
        fid(dark[:1], light)


def test_dreamsim_by_an_exported_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    example = torch.zeros(1, 3, 8, 8)
    monkeypatch.setenv("IRCORE_DREAMSIM_NETWORK", exported(MeanDifference(), tmp_path / "d.pt", example, example))
    white, black = np.full((40, 50, 3), 255, np.uint8), np.zeros((40, 50, 3), np.uint8)
    assert (dreamsim(white, black), dreamsim(white, white)) == (1, 0)
    (tmp_path / "broken.pt").write_bytes(b"no network")
    monkeypatch.setenv("IRCORE_DREAMSIM_NETWORK", str(tmp_path / "broken.pt"))
    with pytest.raises(MetricUnavailableError, match="not a TorchScript file"):
        dreamsim(white, black)


transformers: Any = pytest.importorskip("transformers", reason="transformers is not installed")

from ircore.scorers import element_metrics  # noqa: E402
from ircore.scorers.metrics.networks import (  # noqa: E402
    CLIP_METRIC,
    DINO,
    DINO_METRIC,
    clip_similarity,
    compute_embedding,
    dino_similarity,
)

SMALL_NOISE: Pixels = RNG.integers(0, 256, (40, 60, 3), dtype=np.uint8)
OTHER_NOISE: Pixels = RNG.integers(0, 256, (40, 60, 3), dtype=np.uint8)
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
    assert clip_similarity(SMALL_NOISE, SMALL_NOISE) == pytest.approx(1, abs=1e-5)
    assert -1 <= clip_similarity(SMALL_NOISE, OTHER_NOISE) < 1
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
    assert dino_similarity(SMALL_NOISE, SMALL_NOISE) == pytest.approx(1, abs=1e-5)
    assert dino_similarity(SMALL_NOISE, OTHER_NOISE) < 1


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
        dino_similarity(SMALL_NOISE, OTHER_NOISE)


def test_a_model_that_lacks_weights_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from safetensors.torch import load_file, save_file

    folder = saved_clip(tmp_path / "clip")
    state = load_file(folder / "model.safetensors")
    del state["visual_projection.weight"]
    save_file(state, folder / "model.safetensors", metadata={"format": "pt"})
    monkeypatch.setenv("IRCORE_CLIP_MODEL", str(folder))
    with pytest.raises(MetricUnavailableError, match=r"missing weights: visual_projection\.weight"):
        clip_similarity(SMALL_NOISE, OTHER_NOISE)


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
    elements = element_metrics.detect(SMALL_NOISE, threshold=0.0)
    assert (elements.width, elements.height, len(elements.elements)) == (60, 40, 5)
    assert set(elements.counts) <= {"cat", "dog"}
    assert elements.source.startswith("detr sha256:")
    assert element_metrics.detect(SMALL_NOISE, threshold=1.0).elements == ()
