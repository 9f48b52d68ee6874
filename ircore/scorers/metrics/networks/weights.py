"""Finding and loading weights strictly: every number of the network is given, and nothing is left over."""

import hashlib
import importlib.util
import os
import warnings
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from pickle import UnpicklingError
from typing import TYPE_CHECKING, Any

from ircore.core.errors import InputError
from ircore.core.images import Pixels

if TYPE_CHECKING:
    from torch import Tensor


def obstacle_of(*variables: str, packages: tuple[str, ...] = ("torch",)) -> Callable[[], str | None]:
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


def weights_of(*variables: str) -> Callable[[], str | None]:
    """Return a function that identifies the weights that the variables name, or returns None if a variable is unset."""

    def weights() -> str | None:
        named = [os.environ.get(variable, "") for variable in variables]
        return ", ".join(map(fingerprint, named)) if all(named) else None

    return weights


def named(variable: str) -> str:
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


def fingerprint(place: str) -> str:
    """Return an identity of weights: the hash of a file or of a folder's weights, or a model's name on the Hub."""
    path = Path(place)
    if path.is_dir():
        files = sorted(path.glob("*.safetensors")) or sorted(path.glob("*.bin"))
        # The time of change is part of the cache's key, so that a file that was replaced is hashed again.
        return "+".join(_hash(str(file), file.stat().st_mtime_ns) for file in files) or "no weights"
    # Neither folder nor file: a name on the Hub, such as facebook/dinov2-base.
    return _hash(place, path.stat().st_mtime_ns) if path.is_file() else place


@lru_cache(maxsize=32)
def _hash(path: str, _changed: int) -> str:
    with Path(path).open("rb") as file:
        return f"sha256:{hashlib.file_digest(file, 'sha256').hexdigest()[:16]}"


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


def take(
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

    path = Path(named(variable))
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


def as_tensor(pixels: Pixels, side: int | None = None) -> "Tensor":
    """Return a picture as 1 × 3 × height × width, 0–1; if ``side`` is given, squashed to a square (bicubic)."""
    import numpy as np
    import torch
    from PIL import Image

    if side is not None and pixels.shape[:2] != (side, side):
        pixels = np.asarray(Image.fromarray(pixels).resize((side, side), Image.Resampling.BICUBIC))
    # A copy, since pixels of pictures are read-only and torch warns of tensors over such memory.
    return torch.from_numpy(np.ascontiguousarray(pixels.transpose(2, 0, 1)).copy()).float().div(255).unsqueeze(0)
