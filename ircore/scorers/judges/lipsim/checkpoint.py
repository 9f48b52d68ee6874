"""Reads a published checkpoint of LipSim strictly: every parameter is given, and no tensor is left over.

The file is a torch pickle with ``model_state_dict``, saved from DataParallel (``module.``) around a normalising wrapper
around the network (``model.``). The network lists its layers twice, once by their kind and once in the order of
computation (``module.model.convs.3.kernel`` is also ``module.model.base.1.3.kernel``). Which list holds which kind of
layer is told by the shape of its kernels. Numbers of the layers follow on each other: what has a pooling between two
layers is another network.
"""

import re
from pathlib import Path
from pickle import UnpicklingError
from zipfile import is_zipfile

import torch
from torch import Tensor

from ircore.core.errors import InputError
from ircore.scorers.judges.lipsim.model import ARCHITECTURES, Architecture, LipSimNetwork

NORMALISATION = {"module.means": 0.0, "module.stds": 1.0}
"""Constants of the wrapper: a checkpoint with others wants other input than LipSim's, which is pictures as they are."""

# "module.model.convs.3.kernel" and, in the list in order of computation, "module.model.base.1.3.kernel".
_KEY = re.compile(
    r"module\.model\.(?P<stack>[a-z_0-9]+(?:\.\d+)?)\.(?P<index>\d+)\.(?P<parameter>kernel|weights?|bias|q)"
)
_REMEDY = "Give the file of a published LipSim checkpoint as it was downloaded."


def load_network(path: Path, architecture: Architecture | None = None) -> LipSimNetwork:
    """Read a checkpoint.

    Nothing in the file is executed: only tensors and plain values are accepted.

    Args:
        path: The file.
        architecture: What it must hold; if None, the published one that has its number of channels.

    Returns:
        The network, ready for use.

    Raises:
        InputError: The file is missing or damaged; it holds other things than tensors; a parameter is missing, not
            finite or of another shape; doubled ones differ; something is left over. The message names file and key.
    """
    state = _read_state(path)
    places = _find_keys(path, state)
    network = LipSimNetwork(architecture or _find_architecture(path, state, places))
    tensors = {}
    for name, parameter in network.state_dict().items():
        if name not in places:
            raise _build_error(path, f"the parameter {name} is missing")
        tensors[name] = _read_tensor(path, state, places.pop(name), tuple(parameter.shape))
    # What was not taken above is left over: the checkpoint is of a deeper network.
    for keys in places.values():
        raise _build_error(path, f"unexpected parameter {keys[0]}: there are more layers than the network has")
    network.load_state_dict(tensors, assign=True)
    for layer in (*network.convs, *network.linears):
        # Computed now, once, and not at the first picture.
        layer.factor()
    return network.eval().requires_grad_(False)


def _build_error(path: Path, problem: str) -> InputError:
    return InputError(f"{path}: {problem}", _REMEDY)


def _read_state(path: Path) -> dict[str, Tensor]:
    """Read the tensors of the network, under names that the two published layouts share."""
    try:
        with path.open("rb"):
            mapped = is_zipfile(path)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})", "Check the path.") from error
    try:
        # Only the zip format of torch can be mapped into memory; the older one is read as a whole.
        read = torch.load(path, map_location="cpu", weights_only=True, mmap=mapped)
    except (UnpicklingError, RuntimeError, OSError, EOFError, ValueError, LookupError, AttributeError) as error:
        # Not what torch says: it advises to let the file execute code.
        raise _build_error(
            path, "is damaged, is not a torch file, or holds more than tensors and plain values"
        ) from error
    state = read.get("model_state_dict") if isinstance(read, dict) else None
    if not isinstance(state, dict) or not state:
        raise _build_error(path, "has no model_state_dict")
    for key, value in state.items():
        # Sparse tensors have no plain rows of numbers to compare and copy.
        dense = isinstance(value, Tensor) and value.layout is torch.strided
        if not isinstance(key, str) or not dense or not value.is_floating_point():
            raise _build_error(path, f"{key!r} is not a tensor of floating-point numbers")
    # Fine-tuned checkpoints have one more level, "module.backbone.model.", and parameters "alpha" that take no part.
    return {key.replace("module.backbone.", "module.", 1): value for key, value in state.items() if "alpha" not in key}


def _find_keys(path: Path, state: dict[str, Tensor]) -> dict[str, list[str]]:
    """Return for each parameter of the network the keys that hold it, a key from each list of layers."""
    parts = {}
    for key, value in state.items():
        if key in NORMALISATION:
            if not bool((value == NORMALISATION[key]).all()):
                raise _build_error(path, f"{key} is not {NORMALISATION[key]:g}: it was trained on other input")
        elif match := _KEY.fullmatch(key):
            name = "kernel" if match["parameter"].startswith("weight") else match["parameter"]
            parts[key] = (match["stack"], int(match["index"]), name)
        else:
            raise _build_error(path, f"unexpected parameter {key}")
    kinds = {stack: state[key].dim() for key, (stack, _, name) in parts.items() if name == "kernel"}
    begins: dict[str, int] = {}
    for stack, index, _ in parts.values():
        # In the list of all layers the linear ones do not begin at 0; the smallest number is the first of its kind.
        begins[stack] = min(index, begins.get(stack, index))
    places: dict[str, list[str]] = {}
    for key, (stack, index, name) in parts.items():
        # Kernels of layers on pictures have four axes, of layers on vectors two.
        kind = {4: "convs", 2: "linears"}.get(kinds.get(stack, 0))
        if kind is None:
            raise _build_error(path, f"unexpected parameter {key}")
        places.setdefault(f"{kind}.{index - begins[stack]}.{name}", []).append(key)
    _check_layer_lists(path, places)
    return places


def _check_layer_lists(path: Path, places: dict[str, list[str]]) -> None:
    """Refuse a list of layers that lacks a parameter of another list of the same layers."""
    lists: dict[str, int] = {}
    for name, keys in places.items():
        kind = name.split(".")[0]
        lists[kind] = max(len(keys), lists.get(kind, 0))
    for name, keys in places.items():
        if len(keys) != lists[name.split(".")[0]]:
            raise _build_error(path, f"{keys[0]} has no counterpart in another list of the same layers")


def _find_architecture(path: Path, state: dict[str, Tensor], places: dict[str, list[str]]) -> Architecture:
    if "convs.0.kernel" not in places:
        raise _build_error(path, "the parameter convs.0.kernel is missing")
    channels = state[places["convs.0.kernel"][0]].shape[1]
    known = {architecture.channels: architecture for architecture in ARCHITECTURES.values()}
    if channels not in known:
        sizes = ", ".join(f"{name} {architecture.channels}" for name, architecture in ARCHITECTURES.items())
        raise _build_error(path, f"has {channels} channels, unlike any published network ({sizes})")
    return known[channels]


def _read_tensor(path: Path, state: dict[str, Tensor], keys: list[str], shape: tuple[int, ...]) -> Tensor:
    """Return the tensor that all keys hold; a vector may be stored with additional axes of length 1."""
    first, *others = (state[key].squeeze() if len(shape) == 1 else state[key] for key in keys)
    if tuple(first.shape) != shape:
        raise _build_error(path, f"{keys[0]} has shape {tuple(first.shape)} and not {shape}")
    if not bool(first.isfinite().all()):
        raise _build_error(path, f"{keys[0]} holds numbers that are not finite")
    for key, other in zip(keys[1:], others, strict=True):
        if not torch.equal(first, other):
            raise _build_error(path, f"{key} differs from {keys[0]}, which is the same layer")
    # A copy, since the file is only mapped into memory.
    return first.to(torch.float32, copy=True)
