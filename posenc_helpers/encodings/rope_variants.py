"""What real configurations ask for and no notebook teaches: queries that grow with their position (Llama 4, Ministral 3)."""

from torch import Tensor

from posenc_helpers.checks import check_positive, real_positions
from posenc_helpers.encodings.base import PositionalEncoding
from posenc_helpers.encodings.rope import RotaryEncoding, over_heads


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
