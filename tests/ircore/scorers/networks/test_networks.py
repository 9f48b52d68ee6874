"""Metrics by networks, on small models that each test makes: strict loading, hand-computed values, plain refusals."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ircore.core.errors import InputError
from ircore.core.images import Pixels
from ircore.scorers.metrics.base import MetricUnavailableError

torch: Any = pytest.importorskip("torch", reason='torch is not installed: pip install "ircore[perceptual]"')

from ircore.scorers.metrics.networks import lpips as lpips_module  # noqa: E402
from ircore.scorers.metrics.networks.lpips import list_head_shapes, list_shapes, lpips  # noqa: E402
from ircore.scorers.metrics.networks.weights import compute_inception_features, dreamsim, fid  # noqa: E402

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
    lpips_module._load_network.cache_clear()
    with pytest.raises(MetricUnavailableError, match=problem):
        lpips(NOISE, OTHER)


def test_a_missing_file_and_no_variable_are_said_plainly(weights: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IRCORE_LPIPS_BACKBONE", str(weights / "nowhere.pth"))
    with pytest.raises(MetricUnavailableError, match=r"nowhere\.pth: there is no such file"):
        lpips(NOISE, OTHER)
    monkeypatch.delenv("IRCORE_LPIPS_BACKBONE")
    assert "IRCORE_LPIPS_BACKBONE names none" in (lpips_module.METRIC.obstacle() or "")


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
