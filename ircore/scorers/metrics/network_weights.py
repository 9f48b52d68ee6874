"""Published networks, loaded strictly: weights of which none is missing or left over, and exported TorchScript files.

DreamSim and FID come as TorchScript: the exported network, without the code that made it.
"""

import importlib.util
import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from pickle import UnpicklingError
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ircore.core.errors import InputError
from ircore.core.files import compute_file_sha256
from ircore.core.images import Pixels
from ircore.scorers.metrics.base import FEWEST, Metric, MetricUnavailableError, compute_frechet_distance

if TYPE_CHECKING:
    from torch import Tensor

DREAMSIM, FID = "IRCORE_DREAMSIM_NETWORK", "IRCORE_FID_NETWORK"
DREAMSIM_SIDE = 224
FID_SIDE = 299


def build_obstacle_check(*variables: str, packages: tuple[str, ...] = ("torch",)) -> Callable[[], str | None]:
    """Return a function that names a metric's missing package or variable; None where nothing is missing.

    Args:
        variables: Environment variables, each naming weights.
        packages: Importable packages that it needs.
    """

    def obstacle() -> str | None:
        for package in packages:
            if importlib.util.find_spec(package) is None:
                return f"the package {package} is not installed; pip install 'ircore[perceptual]'"
        for variable in variables:
            if not os.environ.get(variable):
                return (
                    f"no weights: the environment variable {variable} names none (docs/network-metrics.md says which)"
                )
        return None

    return obstacle


def build_weights_check(*variables: str) -> Callable[[], str | None]:
    """Return a function that identifies the weights that the variables name, or returns None if a variable is unset."""

    def weights() -> str | None:
        named = [os.environ.get(variable, "") for variable in variables]
        return ", ".join(map(compute_fingerprint, named)) if all(named) else None

    return weights


def read_variable(variable: str) -> str:
    """Return the path or hub name in an environment variable.

    Raises:
        InputError: Nothing.
    """
    value = os.environ.get(variable, "")
    if not value:
        raise InputError(
            f"the environment variable {variable} names no weights", "Set the variable as docs/network-metrics.md says."
        )
    return value


def compute_fingerprint(place: str) -> str:
    """Return an identity of weights: the hash of a file or of a folder's weights, or a model's name on the Hub."""
    path = Path(place)
    if path.is_dir():
        files = sorted(path.glob("*.safetensors")) or sorted(path.glob("*.bin"))
        # The time of change is part of the cache's key, so that a file that was replaced is hashed again.
        return "+".join(_hash_file(str(file), file.stat().st_mtime_ns) for file in files) or "no weights"
    # Neither folder nor file: a name on the Hub, such as facebook/dinov2-base.
    return _hash_file(place, path.stat().st_mtime_ns) if path.is_file() else place


def read_state(path: Path) -> dict[str, "Tensor"]:
    """Read a file of named tensors; nothing in it is executed.

    Raises:
        InputError: It is missing, damaged, or holds other things than tensors.
    """
    import torch

    try:
        state = torch.load(path, map_location="cpu", weights_only=True)
    except FileNotFoundError as error:
        raise InputError(f"{path}: there is no such file", "Check the path.") from error
    except (UnpicklingError, RuntimeError, OSError, EOFError, ValueError, LookupError, AttributeError) as error:
        raise InputError(f"{path}: is damaged, or not a file of tensors", "Download the file again.") from error
    if not isinstance(state, dict) or not all(isinstance(value, torch.Tensor) for value in state.values()):
        raise InputError(f"{path}: holds more than named tensors", "Save the state_dict alone.")
    return state


def select_tensors(
    path: Path, state: Mapping[str, "Tensor"], shapes: Mapping[str, tuple[int, ...]], unused: tuple[str, ...] = ()
) -> dict[str, "Tensor"]:
    """Return the tensors of a network, each of its shape; anything else in the state is refused.

    Args:
        path: For messages.
        state: What was read.
        shapes: Name and shape of every tensor of the network.
        unused: Beginnings of names that belong to parts of the published network which are not needed.

    Raises:
        InputError: A tensor is missing, unexpected, of another shape or not finite.
    """
    for name, shape in shapes.items():
        if name not in state:
            raise InputError(f"{path}: {name} is missing", "Name the published weights.")
        if tuple(state[name].shape) != shape:
            raise InputError(
                f"{path}: {name} has shape {tuple(state[name].shape)}, not {shape}", "Name the published weights."
            )
        if not bool(state[name].isfinite().all()):
            raise InputError(f"{path}: {name} holds numbers that are not finite", "Download the file again.")
    for name in state:
        if name not in shapes and not name.startswith(unused):
            raise InputError(f"{path}: unexpected tensor {name}", "Name the published weights.")
    return {name: state[name].float() for name in shapes}


def load_script(variable: str) -> Any:
    """Load the TorchScript file that a variable names.

    Raises:
        InputError: It names none, or the file is missing or no TorchScript.
    """
    import torch

    path = Path(read_variable(variable))
    if not path.is_file():
        raise InputError(f"{variable}: {path}: there is no such file", "Name a TorchScript file.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # torch is leaving TorchScript, published networks not
            script = torch.jit.load(str(path), map_location="cpu")
    except (RuntimeError, OSError, ValueError) as error:
        raise InputError(
            f"{variable}: {path}: is damaged, or not a TorchScript file", "Download the file again."
        ) from error
    return script.eval()


def convert_to_tensor(pixels: Pixels, side: int | None = None) -> "Tensor":
    """Return a picture as 1 × 3 × height × width, 0–1; if ``side`` is given, squashed to a square (bicubic)."""
    import numpy as np
    import torch
    from PIL import Image

    if side is not None and pixels.shape[:2] != (side, side):
        pixels = np.asarray(Image.fromarray(pixels).resize((side, side), Image.Resampling.BICUBIC))
    # A copy, since pixels of pictures are read-only and torch warns of tensors over such memory.
    return torch.from_numpy(np.ascontiguousarray(pixels.transpose(2, 0, 1)).copy()).float().div(255).unsqueeze(0)


def dreamsim(target: Pixels, image: Pixels) -> float:
    """Return DreamSim's distance, 0 or more (Fu et al. 2023).

    Both pictures are squashed to 224 × 224 (bicubic) with values 0–1, as the authors' preprocessing does.

    Raises:
        MetricUnavailableError: The network cannot be loaded, or does not give one number for two pictures.
    """
    import torch

    try:
        network = _load_script(DREAMSIM, read_variable(DREAMSIM))
        with torch.inference_mode():
            value = network(convert_to_tensor(target, DREAMSIM_SIDE), convert_to_tensor(image, DREAMSIM_SIDE))
    except InputError as error:
        raise MetricUnavailableError(error.problem) from error
    # TorchScript raises this error for any wrong number, type or shape of arguments.
    except RuntimeError as error:
        raise MetricUnavailableError(f"{DREAMSIM}: the network does not take two pictures") from error
    if not isinstance(value, torch.Tensor) or value.numel() != 1 or not bool(value.isfinite().all()):
        raise MetricUnavailableError(f"{DREAMSIM}: the network gives no single finite number")
    return float(value)


def compute_inception_features(pictures: Sequence[Pixels]) -> npt.NDArray[np.float64]:
    """Return the features of pictures by the network that ``IRCORE_FID_NETWORK`` names, shape (pictures, features).

    Args:
        pictures: Each height × width × 3 RGB; they are squashed to ``FID_SIDE`` pixels a side first.

    Raises:
        InputError: The network cannot be loaded, or gives no row of finite numbers for a picture.
    """
    import torch

    network = _load_script(FID, read_variable(FID))
    rows = []
    with torch.inference_mode():
        for pixels in pictures:
            # Rounded: multiplied back, a level may lie just below its whole number, and the cast would cut it off.
            picture = (convert_to_tensor(pixels, FID_SIDE) * 255).round().to(torch.uint8)
            try:
                features = network(picture)
            except RuntimeError as error:
                raise InputError(
                    f"{FID}: the network does not take pictures of 8 bits", "Name another network."
                ) from error
            if not isinstance(features, torch.Tensor) or features.dim() != 2 or not bool(features.isfinite().all()):
                raise InputError(f"{FID}: the network returns no row of finite features", "Name another network.")
            rows.append(features[0].double().numpy())
    return np.stack(rows)


def fid(targets: Sequence[Pixels], images: Sequence[Pixels]) -> float:
    """Return the Fréchet Inception distance of two sets of pictures, 0 or more.

    Args:
        targets: At least two pictures.
        images: At least two pictures; not necessarily as many.

    Raises:
        InputError: A set is too small, or the network cannot be used.
    """
    if min(len(targets), len(images)) < FEWEST:
        raise InputError("FID needs at least two pictures in each set", "Give more pictures.")
    return compute_frechet_distance(compute_inception_features(targets), compute_inception_features(images))


@lru_cache(maxsize=32)
def _hash_file(path: str, _changed: int) -> str:
    return f"sha256:{compute_file_sha256(Path(path))[:16]}"


DREAMSIM_METRIC = Metric(
    name="dreamsim",
    title="DreamSim",
    unit="",
    higher_is_better=False,
    low=0.0,
    high=None,
    source="Fu, Tamir, Sundaram, Chai, Zhang, Dekel and Isola 2023",
    compute=dreamsim,
    needs=f"extra perceptual; {DREAMSIM}: TorchScript of the model, two pictures to one distance",
    obstacle=build_obstacle_check(DREAMSIM),
    weights=build_weights_check(DREAMSIM),
    trap="Which of the published ensembles was exported is known by its hash alone.",
)


def _refuse_pair(target: Pixels, image: Pixels) -> float:  # noqa: ARG001 - a metric takes both
    raise MetricUnavailableError("compares two sets of pictures, not two pictures: ircore metrics fid TARGETS IMAGES")


FID_METRIC = replace(
    DREAMSIM_METRIC,
    name="fid",
    title="FID",
    source="Heusel, Ramsauer, Unterthiner, Nessler and Hochreiter 2017, 2048 features of Inception",
    compute=_refuse_pair,
    over="set",
    needs=f"extra perceptual; {FID}: TorchScript of Inception, pictures of 8 bits to features",
    obstacle=build_obstacle_check(FID),
    weights=build_weights_check(FID),
    trap="Of two sets, not of a picture; below some thousand pictures it is biased upwards.",
)


@lru_cache(maxsize=2)
def _load_script(variable: str, _place: str) -> Any:
    import torch

    torch.set_num_threads(1)  # scoring has a process for each core
    return load_script(variable)
