"""LipSim on random weights: its bound, its choice, what cannot turn it."""

import math
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ircore.commands.main import run as ircore
from ircore.core.images import Picture
from ircore.runs.folder import SCORES, RunFolder
from ircore.scorers.judges.lipsim import CHECKPOINT, LipSimJudge

pytest.importorskip("torch", reason='torch is not installed: make test-models, or pip install "ircore[lipsim]"')

import torch
from torch import Tensor

from ircore.scorers.judges.lipsim_network import (
    ARCHITECTURES,
    Architecture,
    LipSimNetwork,
    SLLConv,
    SLLLinear,
    compute_certified_radius,
    compute_distance,
    normalise,
)

SMALL = Architecture(conv_layers=3, channels=7, linear_layers=2, linear_inner=12, conv_inner=4, outputs=20, side=32)


@pytest.fixture(autouse=True)
def one_thread_and_one_seed() -> None:
    torch.set_num_threads(1)
    torch.manual_seed(7)


def network(architecture: Architecture = SMALL) -> LipSimNetwork:
    made = LipSimNetwork(architecture)
    made.requires_grad_(False)
    made.draw()
    return made


def stretch(f: torch.nn.Module, x: Tensor, y: Tensor) -> Tensor:
    """‖f(x) − f(y)‖ / ‖x − y‖ in double precision."""
    return (f(x) - f(y)).norm() / (x - y).norm()


def test_the_published_network_has_its_number_of_parameters_and_shapes() -> None:
    whole = LipSimNetwork(ARCHITECTURES["small"])
    assert sum(parameter.numel() for parameter in whole.parameters()) == 63_276_796
    assert {tuple(layer.kernel.shape) for layer in whole.convs} == {(5, 45, 3, 3)}
    assert {tuple(layer.kernel.shape) for layer in whole.linears} == {(1024, 45 * 14 * 14)}
    assert (len(whole.convs), len(whole.linears)) == (20, 7)


@pytest.mark.parametrize("layer", [SLLConv(6, 5), SLLLinear(30, 8)], ids=["convolution", "linear"])
def test_no_layer_stretches_even_when_an_attack_looks_for_it(layer: SLLConv | SLLLinear) -> None:
    layer = layer.double().requires_grad_(False)
    layer.draw()
    shape = (1, 6, 9, 9) if isinstance(layer, SLLConv) else (1, 30)
    x = torch.randn(shape, dtype=torch.double)
    y = (x + 0.01 * torch.randn_like(x)).requires_grad_()
    for _ in range(60):
        (ascent,) = torch.autograd.grad(stretch(layer, x, y), y)
        y = (y + 0.02 * ascent / ascent.norm()).detach().requires_grad_()
    assert 0.5 < float(stretch(layer, x, y).detach()) <= 1 + 1e-12


def test_the_factor_of_a_linear_layer_by_hand() -> None:
    layer = SLLLinear(2, 2)
    layer.load_state_dict(
        {"kernel": torch.tensor([[1.0, 0], [1, 1]]), "bias": torch.zeros(2), "q": torch.tensor([0, math.log(2)])}
    )
    # KKᵀ = [[1, 1], [1, 2]]: rows 1 + 1·2 and 1·(1/2) + 2.
    assert layer.factor().tolist() == pytest.approx([1 / 3, 1 / 2.5])
    # x = (1, 0): Kx = (1, 1); 2·Kᵀ(t ⊙ Kx) = 2·(1/3 + 1/2.5, 1/2.5).
    assert layer(torch.tensor([[1.0, 0]]))[0].tolist() == pytest.approx([1 - 2 / 3 - 0.8, -0.8])


def test_a_convolution_is_the_linear_layer_of_its_matrix_with_a_smaller_or_equal_factor() -> None:
    layer = SLLConv(2, 3).double().requires_grad_(False)
    layer.draw()
    # The matrix of K, column by column, on pictures of 5 × 5.
    columns = torch.eye(2 * 25, dtype=torch.double).reshape(50, 2, 5, 5)
    matrix = torch.nn.functional.conv2d(columns, layer.kernel, padding=1).reshape(50, -1).T
    t = layer.factor().repeat_interleave(25)
    x = torch.randn(1, 2, 5, 5, dtype=torch.double)
    inner = torch.relu(matrix @ x.flatten() + layer.bias.repeat_interleave(25))
    expected = x.flatten() - 2 * matrix.T @ (t * inner)
    torch.testing.assert_close(layer(x).flatten(), expected)
    # What makes it 1-Lipschitz: diag(1/t) − KKᵀ has no negative eigenvalue, at the border either.
    assert float(torch.linalg.eigvalsh(torch.diag(1 / t) - matrix @ matrix.T).min()) >= 0


def test_the_network_never_stretches_even_when_an_attack_looks_for_it() -> None:
    f = network().double()
    x = torch.rand(1, 3, 32, 32, dtype=torch.double)
    y = torch.rand(1, 3, 32, 32, dtype=torch.double)
    apart = float(stretch(f, x, y))
    y.requires_grad_()
    for _ in range(40):
        (ascent,) = torch.autograd.grad(stretch(f, x, y), y)
        y = (y + 0.5 * ascent / ascent.norm()).detach().requires_grad_()
    assert apart < float(stretch(f, x, y).detach()) <= 1


def test_distance_is_one_less_cosine() -> None:
    a, b = torch.tensor([3.0, 4]), torch.tensor([4.0, 3])
    assert compute_distance(a, b) == pytest.approx(1 - 24 / 25)
    assert compute_distance(a, -2 * a) == pytest.approx(2)
    assert compute_distance(a, 5 * a) == pytest.approx(0, abs=1e-12)
    assert compute_distance(a, torch.zeros(2)) == 1


def test_the_radius_by_hand() -> None:
    first, final = torch.tensor([1.0, 0]), torch.tensor([0.0, 1])
    target = torch.tensor([4.0, 3])
    r = 0.2 / math.sqrt(2)  # cosines 0.8 and 0.6; the renderings are √2 apart
    assert compute_certified_radius(target, first, final) == pytest.approx(r)
    # In the plane the choice turns at the diagonal: exactly the distance of the target to that line.
    short = target / 50
    assert compute_certified_radius(short, first, final) <= float((short[0] - short[1]) / math.sqrt(2)) + 1e-9
    assert compute_certified_radius(short, first, final) == pytest.approx(0.1 * r * math.sqrt(1 - r * r / 4))


def test_no_radius_where_there_is_no_choice() -> None:
    target, first = torch.tensor([1.0, 1, 0]), torch.tensor([1.0, 0, 0])
    assert compute_certified_radius(target, first, first) == 0
    assert compute_certified_radius(target, first, torch.tensor([0.0, 1, 0])) == 0
    assert compute_certified_radius(torch.zeros(3), first, target) == 0


@pytest.mark.parametrize("seed", range(6))
def test_no_change_smaller_than_the_radius_turns_the_choice(seed: int) -> None:
    torch.manual_seed(seed)
    f = network().double()
    target, first, final = torch.rand(3, 1, 3, 32, 32, dtype=torch.double)
    a, b = normalise(f(first)[0]), normalise(f(final)[0])
    radius = compute_certified_radius(f(target)[0], a, b)
    assert radius > 0
    sign = math.copysign(1, compute_distance(f(target)[0], a) - compute_distance(f(target)[0], b))

    def margin(x: Tensor) -> Tensor:
        """Above 0 while the choice is the same."""
        return sign * (normalise(f(x)[0]) @ (b - a))

    def attacked(budget: float) -> float:
        change = 1e-3 * torch.randn_like(target)
        for _ in range(60):
            change.requires_grad_()
            (ascent,) = torch.autograd.grad(margin(target + change), change)
            change = (change - budget / 8 * ascent / ascent.norm()).detach()
            change = change * min(1.0, budget / float(change.norm()))
        return float(margin(target + change))

    start = float(margin(target))
    assert 0 < attacked(0.999 * radius) < start
    # The attack is worth something: with more room it turns the choice.
    assert attacked(200 * radius) < 0


with_torch = pytest.mark.skipif(
    find_spec("torch") is None, reason='torch is not installed: make test-models, or pip install "ircore[lipsim]"'
)
without_torch = pytest.mark.skipif(find_spec("torch") is not None, reason="torch is installed")


def score_lines(run: RunFolder, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Give the command, which must refuse, and return what it says."""
    assert ircore(["score", str(run.path), "--judge", "lipsim"]) == 2
    assert not (run.path / SCORES).exists()
    return capsys.readouterr().err.splitlines()


@pytest.mark.slow
@without_torch
def test_without_torch_it_says_how_to_get_it(run: RunFolder, capsys: pytest.CaptureFixture[str]) -> None:
    said = " ".join(score_lines(run, capsys))
    assert "judge lipsim: torch cannot be imported (No module named 'torch')" in said
    assert 'pip install "ircore[lipsim]"' in said


@with_torch
def test_without_a_checkpoint_it_says_where_one_is(
    run: RunFolder, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(CHECKPOINT, raising=False)
    said = " ".join(score_lines(run, capsys))
    assert f"the environment variable {CHECKPOINT} names no checkpoint" in said
    assert "arXiv 2310.18274" in said


@pytest.fixture
def checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small random network in the published layout, its size known beside the published ones."""
    torch = pytest.importorskip("torch", reason="torch is not installed")
    from ircore.scorers.judges.lipsim_network import ARCHITECTURES, Architecture, LipSimNetwork

    tiny = Architecture(conv_layers=2, channels=4, linear_layers=2, linear_inner=16, outputs=50)
    monkeypatch.setitem(ARCHITECTURES, "tiny", tiny)
    torch.manual_seed(5)
    network = LipSimNetwork(tiny)
    network.draw()
    state = {f"module.model.{key}": value for key, value in network.state_dict().items()}
    path = tmp_path / "model.ckpt-1.pth"
    torch.save({"model_state_dict": state}, path)
    monkeypatch.setenv(CHECKPOINT, str(path))
    return path


def pictures(number: int) -> Iterator[Picture]:
    rng = np.random.default_rng(2)
    for _ in range(number):
        yield Picture.from_pixels(rng.integers(0, 256, (40, 60, 3), dtype=np.uint8))


def test_the_nearer_rendering_is_preferred_in_either_place(checkpoint: Path) -> None:
    judge = LipSimJudge()
    target, noise = pictures(2)
    close = Picture.from_pixels(np.clip(target.pixels.astype(int) + 3, 0, 255).astype(np.uint8))
    assert judge.prefer(target, noise, close).value == 1
    assert judge.prefer(target, close, noise).value == 0
    assert judge.prefer(target, noise, Picture.from_pixels(noise.pixels)).value == 0.5
    assert judge.certified_radius(target, noise, close) > 0
    assert judge.certified_radius(target, noise, noise) == 0


def test_each_picture_of_an_episode_is_embedded_once(checkpoint: Path) -> None:
    from torch.nn.modules.module import register_module_forward_hook

    judge = LipSimJudge()
    target, first, final = pictures(3)
    seen: list[Any] = []
    hook = register_module_forward_hook(lambda module, *_: seen.append(type(module).__name__))
    judge.prefer(target, first, final)
    judge.certified_radius(target, first, final)
    hook.remove()
    assert seen.count("LipSimNetwork") == 3


def test_the_network_sees_squashed_pictures_of_values_from_0_to_1(checkpoint: Path) -> None:
    import torch
    from torch.nn.modules.module import register_module_forward_pre_hook

    judge = LipSimJudge()
    given: list[torch.Tensor] = []
    hook = register_module_forward_pre_hook(
        lambda module, inputs: given.append(inputs[0]) if type(module).__name__ == "LipSimNetwork" else None
    )
    half = np.zeros((50, 400, 3), dtype=np.uint8)
    half[:, 200:] = (255, 51, 0)
    judge.prefer(*[Picture.from_pixels(half)] * 3)
    hook.remove()
    (seen,) = given
    assert seen.shape == (1, 3, 224, 224)
    assert seen[0, :, 100, 10].tolist() == [0, 0, 0]
    assert seen[0, :, 100, 210].tolist() == pytest.approx([1, 0.2, 0])
