"""Checkpoints of LipSim made in the published layout, whole and broken; the judge on them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason='torch is not installed: make test-models, or pip install "ircore[lipsim]"')

import torch

from ircore.core.errors import InputError
from ircore.scorers.judges.lipsim_network import Architecture, LipSimNetwork, load_network

SMALL = Architecture(conv_layers=3, channels=7, linear_layers=2, linear_inner=12, conv_inner=4, outputs=20, side=32)
State = dict[str, Any]


def published(network: LipSimNetwork) -> State:
    """Name the parameters as in the published files: each layer twice."""
    state = {}
    for key, value in network.state_dict().items():
        kind, number, name = key.split(".")
        state[f"module.model.{key}"] = value
        # In the order of computation: padding, convolutions with poolings after them, flattening and linear layers.
        place = f"1.{number}" if kind == "convs" else f"2.{int(number) + 1}"
        state[f"module.model.base.{place}.{name}"] = value
    return state


def save(path: Path, state: State) -> Path:
    torch.save({"epoch": 1, "global_step": 9, "model_state_dict": state, "optimizer_state_dict": {}}, path)
    return path


@pytest.fixture
def network() -> LipSimNetwork:
    torch.set_num_threads(1)
    torch.manual_seed(3)
    made = LipSimNetwork(SMALL)
    made.draw()
    return made


@pytest.fixture
def state(network: LipSimNetwork) -> State:
    return published(network)


def test_a_published_checkpoint_gives_the_same_network(tmp_path: Path, network: LipSimNetwork, state: State) -> None:
    loaded = load_network(save(tmp_path / "model.ckpt-9.pth", state), SMALL)
    picture = torch.rand(1, 3, 32, 32)
    assert torch.equal(loaded(picture), network(picture))


def test_a_fine_tuned_checkpoint_is_read_as_well(tmp_path: Path, network: LipSimNetwork, state: State) -> None:
    tuned = {key.replace("module.", "module.backbone.", 1): value for key, value in state.items()}
    tuned["module.backbone.model.base.2.1.alpha"] = torch.ones(3)
    tuned |= {"module.means": torch.zeros(3, 1, 1), "module.stds": torch.ones(3, 1, 1)}
    loaded = load_network(save(tmp_path / "tuned.pth", tuned), SMALL)
    assert torch.equal(loaded.linears[0].kernel, network.linears[0].kernel)


def without(key: str) -> Callable[[State], None]:
    return lambda state: state.pop(key)


def with_(key: str, value: Any) -> Callable[[State], None]:
    return lambda state: state.__setitem__(key, value)


BOTH = ("module.model.convs.1.kernel", "module.model.base.1.1.kernel")


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda state: [state.pop(key) for key in BOTH], "the parameter convs.1.kernel is missing"),
        (without(BOTH[1]), "module.model.convs.1.kernel has no counterpart"),
        (lambda state: state.update(dict.fromkeys(BOTH, torch.zeros(4, 7, 5, 5))), r"shape \(4, 7, 5, 5\) and not"),
        (with_(BOTH[1], torch.zeros(4, 7, 3, 3)), "base.1.1.kernel differs from module.model.convs.1.kernel"),
        (lambda state: state.update(dict.fromkeys(BOTH, torch.full((4, 7, 3, 3), torch.nan))), "not finite"),
        (with_("module.model.head.weight", torch.zeros(2, 2)), "unexpected parameter module.model.head.weight"),
        (with_("module.model.other.0.bias", torch.zeros(4)), "unexpected parameter module.model.other.0.bias"),
        (with_("model.convs.0.q", torch.zeros(4)), "unexpected parameter model.convs.0.q"),
        (
            lambda state: state.update(
                {
                    f"module.model.convs.3.{name}": state[f"module.model.convs.2.{name}"]
                    for name in ("kernel", "bias", "q")
                }
            ),
            "no counterpart|more layers",
        ),
        (with_("module.model.convs.1.bias", 3), "not a tensor"),
        (with_("module.model.convs.1.bias", torch.ones(4).to_sparse()), "not a tensor of floating-point"),
        (with_("module.model.convs.1.bias", torch.zeros(4, dtype=torch.int64)), "not a tensor of floating-point"),
        (with_("module.means", torch.full((3, 1, 1), 0.5)), "module.means is not 0: it was trained on other input"),
    ],
)
def test_broken_checkpoints_are_refused(
    tmp_path: Path, state: State, change: Callable[[State], Any], problem: str
) -> None:
    change(state)
    path = save(tmp_path / "broken.pth", state)
    with pytest.raises(InputError, match=problem) as raised:
        load_network(path, SMALL)
    assert raised.value.problem.startswith(str(path))
    assert raised.value.remedy
