"""SLL layers: residual layers with a Lipschitz constant of at most 1 for any weights.

Source: Araujo, Havens, Delattre, Allauzen and Hu, "A unified algebraic perspective on Lipschitz neural networks",
ICLR 2023, theorem 3: x ↦ x − 2·Kᵀ(t ⊙ ReLU(Kx + b)) is 1-Lipschitz if 1/tᵢ ≥ Σⱼ |KKᵀ|ᵢⱼ·e^{qⱼ − qᵢ} for some q.

``t`` depends on the weights alone, so it is computed once and kept until the weights are loaded anew.
"""

from abc import ABC, abstractmethod
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
        self.register_load_state_dict_post_hook(_forget)

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


def _forget(module: nn.Module, _: Any) -> None:
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
