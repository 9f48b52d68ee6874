"""LipSim's network, its distance and its certificate; and its published checkpoints, read strictly. Needs torch.

Written from the published descriptions; no line of another implementation is used. Sources: Ghazanfari, Araujo,
Krishnamurthy, Khorrami and Garg, "LipSim: a provably robust perceptual similarity metric", ICLR 2024 (arXiv
2310.18274); and, for its layers, Araujo, Havens, Delattre, Allauzen and Hu, "A unified algebraic perspective on
Lipschitz neural networks", ICLR 2023, theorem 3: x ↦ x − 2·Kᵀ(t ⊙ ReLU(Kx + b)) is 1-Lipschitz if
1/tᵢ ≥ Σⱼ |KKᵀ|ᵢⱼ·e^{qⱼ − qᵢ} for some q. ``t`` depends on the weights alone, so it is computed once and kept until the
weights are loaded anew.

A checkpoint is a torch pickle with ``model_state_dict``, saved from DataParallel (``module.``) around a normalising
wrapper around the network (``model.``). The network lists its layers twice, once by their kind and once in the order of
computation (``module.model.convs.3.kernel`` is also ``module.model.base.1.3.kernel``). Which list holds which kind of
layer is told by the shape of its kernels. Numbers of the layers follow on each other: what has a pooling between two
layers is another network.
"""

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from pickle import UnpicklingError
from typing import Any
from zipfile import is_zipfile

import torch
from torch import Tensor, nn
from torch.nn import functional

from ircore.core.errors import InputError

POOL = 4
"""Side of the windows that are brought together, twice, in pixels."""

SMALLEST_NORM = 1e-6
"""Embeddings shorter than this are divided by it and not by their length."""

NORMALISATION = {"module.means": 0.0, "module.stds": 1.0}
"""Constants of the wrapper: a checkpoint with others wants other input than LipSim's, which is pictures as they are."""

# "module.model.convs.3.kernel" and, in the list in order of computation, "module.model.base.1.3.kernel".
_KEY = re.compile(
    r"module\.model\.(?P<stack>[a-z_0-9]+(?:\.\d+)?)\.(?P<index>\d+)\.(?P<parameter>kernel|weights?|bias|q)"
)
_REMEDY = "Give the file of a published LipSim checkpoint as it was downloaded."


class _SLLLayer(nn.Module, ABC):
    """Shared part of both kinds of layer: parameters ``kernel``, ``bias``, ``q``, and the factor t made of them.

    The parameters have no values until they are loaded or drawn.

    Args:
        kernel: Shape of K; its first number is the inner dimension, the shape of ``bias`` and ``q``.
    """

    def __init__(self, *kernel: int) -> None:
        super().__init__()
        self.kernel = nn.Parameter(torch.empty(kernel))
        self.bias = nn.Parameter(torch.empty(kernel[0]))
        self.q = nn.Parameter(torch.empty(kernel[0]))
        self._kept: Tensor | None = None
        # Without the hook, t of the former weights would go on being used.
        self.register_load_state_dict_post_hook(_clear_cached_kernel)

    def draw(self) -> None:
        """Give the parameters random values; rows of K have a length of about 1."""
        scale = self.kernel[0].numel() ** -0.5
        kernel, bias, q = (torch.randn_like(tensor) for tensor in (self.kernel, self.bias, self.q))
        self.load_state_dict({"kernel": scale * kernel, "bias": scale * bias, "q": q})

    def factor(self) -> Tensor:
        """Return t, a value ≥ 0 for each inner unit."""
        if self._kept is None:
            with torch.no_grad():
                bound = self.bound()
                self._kept = torch.where(bound > 0, 1 / bound, torch.zeros_like(bound))
        return self._kept

    @abstractmethod
    def bound(self) -> Tensor:
        """Return 1/t, a value ≥ 0 for each inner unit; at 0 the unit does nothing and t is 0."""


class SLLLinear(_SLLLayer):
    """The layer for vectors.

    Args:
        width: Length of the vectors.
        inner: Rows of K.

    Example:
        >>> layer = SLLLinear(width=4, inner=3)
        >>> layer(torch.zeros(1, 4)).shape
        torch.Size([1, 4])
    """

    def __init__(self, width: int, inner: int) -> None:
        super().__init__(inner, width)

    def bound(self) -> Tensor:
        """Return Σⱼ |KKᵀ|ᵢⱼ·e^{qⱼ − qᵢ}."""
        return ((self.kernel @ self.kernel.T).abs() * torch.exp(self.q[None, :] - self.q[:, None])).sum(dim=1)

    def forward(self, x: Tensor) -> Tensor:
        """Map batch × width to the same shape."""
        inner = self.factor() * functional.relu(functional.linear(x, self.kernel, self.bias))
        return x - 2 * functional.linear(inner, self.kernel.T)


class SLLConv(_SLLLayer):
    """The layer for pictures: K is a convolution with zero padding that keeps height and width.

    The checkpoints hold ``q`` for it too, but the network they belong to multiplies by e^{q} and e^{−q} of the same
    unit, so that it has no effect. It is loaded and not used.

    Args:
        channels: Of the picture.
        inner: Channels of Kx.
        side: Of the kernel in pixels, odd.

    Example:
        >>> layer = SLLConv(channels=2, inner=3)
        >>> layer(torch.zeros(1, 2, 5, 5)).shape
        torch.Size([1, 2, 5, 5])
    """

    def __init__(self, channels: int, inner: int, side: int = 3) -> None:
        super().__init__(inner, channels, side, side)
        self.padding = side // 2

    def bound(self) -> Tensor:
        """Return Σ |K ⋆ K| over the other channel and all offsets: rows of |KKᵀ| far from the border.

        Cutting the picture off at its border makes KKᵀ no larger as a quadratic form, so the bound holds there too.
        """
        # Padding by a side less 1 gives every offset at which two kernels still overlap.
        products = functional.conv2d(self.kernel, self.kernel, padding=self.kernel.shape[-1] - 1)
        return products.abs().sum(dim=(1, 2, 3))

    def forward(self, x: Tensor) -> Tensor:
        """Map batch × channels × height × width to the same shape."""
        inner = functional.relu(functional.conv2d(x, self.kernel, self.bias, padding=self.padding))
        back = functional.conv_transpose2d(self.factor()[:, None, None] * inner, self.kernel, padding=self.padding)
        return x - 2 * back


@dataclass(frozen=True)
class Architecture:
    """The sizes of a network.

    Example:
        >>> Architecture(conv_layers=20, channels=45, linear_layers=7, linear_inner=1024).side
        224
    """

    conv_layers: int
    """SLL layers on the picture."""

    channels: int
    """The three colours are padded with zeros to so many."""

    linear_layers: int
    """SLL layers on the vector."""

    linear_inner: int
    """Inner units of each of these."""

    conv_inner: int = 5
    """Inner channels of each layer on the picture."""

    outputs: int = 1792
    """The first so many numbers of the vector are the embedding: 1792 for the published teacher, an ensemble."""

    side: int = 224
    """Side of the pictures, in pixels."""

    @property
    def width(self) -> int:
        """Length of the vector."""
        return self.channels * (self.side // POOL**2) ** 2


ARCHITECTURES = {
    "small": Architecture(20, 45, 7, 1024),
    "medium": Architecture(30, 60, 10, 2048),
    "large": Architecture(50, 90, 10, 2048),
    "xlarge": Architecture(70, 120, 15, 2048),
}
"""The published ones; checkpoints are published of ``small``."""


class LipSimNetwork(nn.Module):
    """Embeds pictures so that ‖f(x) − f(y)‖ ≤ ‖x − y‖ for all pictures x and y and for any weights.

    Each step keeps that: zeros are added, the layers are SLL, windows of 16 numbers are summed and divided by 4 = √16,
    and numbers are left out. The weights have no values until they are loaded or drawn.

    Example:
        >>> tiny = Architecture(conv_layers=1, channels=3, linear_layers=1, linear_inner=2, outputs=4, side=8)
        >>> LipSimNetwork(tiny) is not None
        True
    """

    def __init__(self, architecture: Architecture) -> None:
        super().__init__()
        a = self.architecture = architecture
        self.convs = nn.ModuleList(SLLConv(a.channels, a.conv_inner) for _ in range(a.conv_layers))
        self.linears = nn.ModuleList(SLLLinear(a.width, a.linear_inner) for _ in range(a.linear_layers))

    def draw(self) -> None:
        """Give all layers random weights."""
        for layer in (*self.convs, *self.linears):
            layer.draw()

    def forward(self, pictures: Tensor) -> Tensor:
        """Embed a batch.

        Args:
            pictures: Batch × 3 × side × side, RGB, 0–1, neither centred nor scaled.

        Returns:
            Batch × ``outputs``, of any length.
        """
        x = functional.pad(pictures, (0, 0, 0, 0, 0, self.architecture.channels - pictures.shape[1]))
        for layer in self.convs:
            x = layer(x)
        for _ in range(2):
            # Divided by 4 and not by 16: the plain mean would shrink every distance by four.
            x = functional.avg_pool2d(x, POOL, divisor_override=POOL)
        x = x.flatten(1)
        for layer in self.linears:
            x = layer(x)
        return x[:, : self.architecture.outputs]


def normalise(embedding: Tensor) -> Tensor:
    """Return an embedding of length 1 in double precision, so that near distances are not equal by rounding."""
    exact = embedding.double()
    return exact / exact.norm().clamp_min(SMALLEST_NORM)


def compute_distance(a: Tensor, b: Tensor) -> float:
    """Return 1 − the cosine of two embeddings, 0–2."""
    return 1 - float(normalise(a) @ normalise(b))


def compute_certified_radius(target: Tensor, first: Tensor, final: Tensor) -> float:
    """Say how far the target may be moved without turning the choice between two renderings.

    With unit embeddings the published radius is r = |d₀ − d₁| / ‖f(x₀) − f(x₁)‖. It bounds how far the *unit* embedding
    of the target may move, and is a radius for pictures only if making embeddings unit ones moves them no further
    apart, which short ones do not grant. An embedding of length m that moves by ε < m turns by arcsin(ε/m) at most; so
    its unit embedding has moved by r, which is never above 1, no earlier than at ε = m·r·√(1 − r²/4). The smaller of r
    and ε is returned: the published radius wherever it is proven.

    Args:
        target: Embedding of the target.
        first: Embedding of the first rendering.
        final: Embedding of the final one.

    Returns:
        Euclidean distance in pictures of values 0–1 as the network sees them: no change of the target that is smaller
        turns the choice. 0 where there is no choice: equal distances, as of two equal renderings (where r is 0/0).
    """
    length = float(target.double().norm())
    gap = abs(compute_distance(target, first) - compute_distance(target, final))
    apart = float((normalise(first) - normalise(final)).norm())
    if gap == 0 or apart == 0 or length < SMALLEST_NORM:
        return 0.0
    # Never above 1 in exact numbers; rounding may bring it there.
    r = min(1.0, gap / apart)
    return min(1.0, length * (1 - r * r / 4) ** 0.5) * r


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


def _clear_cached_kernel(module: nn.Module, _: Any) -> None:
    module._kept = None


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
