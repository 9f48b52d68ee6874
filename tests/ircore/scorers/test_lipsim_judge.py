"""The judge lipsim: what it lacks is said first; its choices on a small random network."""

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ircore.commands.main import run as ircore
from ircore.core.images import Picture
from ircore.runs.folder import SCORES, RunFolder
from ircore.scorers.judges.lipsim.judge import CHECKPOINT, LipSimJudge

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
    from ircore.scorers.judges.lipsim.model import ARCHITECTURES, Architecture, LipSimNetwork

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
