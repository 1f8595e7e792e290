"""Rotary encodings that real configurations ask for and no notebook teaches: other axes, learned frequencies, warm queries.

Sources: the code of transformers 5.24 for the model types named below; Llama 4 and Ministral 3 for warmer queries.
"""

from collections.abc import Sequence
from functools import partial

import torch
from torch import Tensor, nn

from posenc_helpers.checks import check_positive, real_positions
from posenc_helpers.encodings.base import PositionalEncoding
from posenc_helpers.encodings.precision import angles
from posenc_helpers.encodings.rope import RotaryEncoding, check_rotated, over_heads


class AxesRotaryEncoding(RotaryEncoding):
    """Door 2: positions (L, n) or (B, L, n) of n coordinates; pair i is turned by coordinate axes[i] at frequency i.

    `steps` names for each pair one of the frequencies w_k = base^(-2k / (2 pairs)): "the same for row and column" is
    steps 0, 2, 4, ... twice. Columns beyond the pairs stay as they are.
    Raises ValueError for lists of different lengths, more pairs than the head has, what `RotaryEncoding` raises.
    Source: the vision towers of Step 3.7, Kimi K2.5 and MiniMax M3, ERNIE 4.5 VL, NeoMME in transformers 5.24.
    """

    def __init__(self, head_dim: int, axes: Sequence[int], steps: Sequence[int], base: float, layout: str = "half"):
        if len(axes) != len(steps):
            raise ValueError(f"axes has {len(axes)} entries, but steps has {len(steps)}")
        super().__init__(head_dim, base, layout, 2 * len(axes), partial(_pick, list(steps)))
        self.axes, self.coordinates = list(axes), (max(axes) + 1,)

    def angles(self, positions: Tensor, k_positions: Tensor) -> Tensor:
        frequencies = self.frequencies(1, real_positions(positions).dtype, positions.device)  # (pairs,)
        return angles(positions[..., self.axes], frequencies[..., None])[..., 0]  # (..., L, pairs)


def _pick(steps: list[int], frequencies: Tensor, length: Tensor) -> Tensor:
    return frequencies[..., steps]


class BlocksRotaryEncoding(RotaryEncoding):
    """Door 2: positions (L, 2) or (B, L, 2); one half of the head turns by the row, the other half by the column.

    Each half is a head of its own: with layout="half" pair i is columns i and i + head_dim / 4.
    Source: the vision tower of Gemma 4 in transformers 5.24.
    """

    coordinates = (2,)

    def __init__(self, head_dim: int, base: float = 100.0, layout: str = "half"):
        super().__init__(head_dim, base, layout, head_dim // 2)
        self.block = RotaryEncoding(head_dim // 2, base, layout)

    def rotate(self, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> tuple[Tensor, Tensor]:
        check_rotated("q", q, q_positions, self.coordinates)
        check_rotated("k", k, k_positions, self.coordinates)
        halves = [x.tensor_split(2, dim=-1) for x in (q, k)] + [p.unbind(-1) for p in (q_positions, k_positions)]
        turned = [self.block.rotate(*half) for half in zip(*halves, strict=True)]  # by the row, by the column
        return tuple(torch.cat(parts, dim=-1) for parts in zip(*turned, strict=True))


class LearnedRotaryEncoding(RotaryEncoding):
    """Door 2: RoPE whose frequencies are multiplied by exp(alpha) (pairs,), learned and 0 at first.

    Source: Mistral Large 4 in transformers 5.24.
    """

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.alpha = nn.Parameter(torch.zeros(self.rotary_dim // 2))

    def frequencies(self, *args, **options) -> Tensor:
        frequencies = super().frequencies(*args, **options)
        made = "alpha" in self._parameters  # not yet when __init__ checks its arguments
        return frequencies * self.alpha.exp().to(frequencies.dtype) if made else frequencies


def warmed(q: Tensor, positions: Tensor, beta: float, length: float, first: int = 0) -> Tensor:
    """Return queries (..., L, d_head) times 1 + beta ln(1 + floor((p + first) / length)): sharper far from the start.

    Raises ValueError unless beta and length are finite numbers above 0.
    Source: Llama 4 (floor_scale, attn_scale, first=1), Ministral 3 (llama_4_scaling_beta); Nakanishi 2025, "Scalable-
    Softmax" (arXiv 2501.19399), which has ln(n) instead.
    """
    check_positive("beta", beta)
    check_positive("length", length)
    factor = 1 + beta * ((real_positions(positions) + first) / length).floor().log1p()  # (L,) or (B, L)
    return (q * over_heads(factor[..., None], q)).to(q.dtype)


class WarmQueries(PositionalEncoding):
    """Door 2: queries grow with their position as in `warmed`, nothing turns (Llama 4's layers without RoPE)."""

    def __init__(self, beta: float, length: float, first: int = 0):
        super().__init__()
        self.beta, self.length, self.first = beta, length, first

    def rotate(self, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> tuple[Tensor, Tensor]:
        return warmed(q, q_positions, self.beta, self.length, self.first), k


class WarmRotaryEncoding(RotaryEncoding):
    """Door 2: RoPE, then queries grow with their position as in `warmed` (Ministral 3).

    Where only a part of the head is encoded (multi-head latent attention), the other part of q grows as well.
    """

    def __init__(self, *args, beta: float, length: float, **options):
        super().__init__(*args, **options)
        self.beta, self.length = beta, length

    def rotate(self, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> tuple[Tensor, Tensor]:
        q, k = super().rotate(q, k, q_positions, k_positions)
        return warmed(q, q_positions, self.beta, self.length), k
