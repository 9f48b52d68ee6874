"""LipSim: its network, its distance, and the largest change of a target that cannot turn its choice.

Source: Ghazanfari, Araujo, Krishnamurthy, Khorrami and Garg, "LipSim: a provably robust perceptual similarity metric",
ICLR 2024 (arXiv 2310.18274).

SLL layers: residual layers with a Lipschitz constant of at most 1 for any weights.

Source: Araujo, Havens, Delattre, Allauzen and Hu, "A unified algebraic perspective on Lipschitz neural networks",
ICLR 2023, theorem 3: x ↦ x − 2·Kᵀ(t ⊙ ReLU(Kx + b)) is 1-Lipschitz if 1/tᵢ ≥ Σⱼ |KKᵀ|ᵢⱼ·e^{qⱼ − qᵢ} for some q.

``t`` depends on the weights alone, so it is computed once and kept until the weights are loaded anew.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional


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


def _clear_cached_kernel(module: nn.Module, _: Any) -> None:
    module._kept = None


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


POOL = 4
"""Side of the windows that are brought together, twice, in pixels."""

SMALLEST_NORM = 1e-6
"""Embeddings shorter than this are divided by it and not by their length."""


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
