"""xPos: RoPE whose scores also fade with the distance (door 2)."""

import torch
from torch import Tensor

from posenc_helpers.checks import exact_positions, real_positions
from posenc_helpers.encodings.rope import RotaryEncoding, over_heads


class XPosEncoding(RotaryEncoding):
    """Door 2: RoPE, then q times zeta_i^m, k times zeta_i^-n: the share of each pair shrinks with m - n. For causal models.

    zeta_i = ((2i + 0.4 d_head) / (1.4 d_head))^(1 / 512). Exponents count from the middle of the keys, which cancels in
    the score; float32 ends where keys lie some 35,000 tokens from it. Raises what `RotaryEncoding` raises.
    Source: Sun et al. 2022, "A Length-Extrapolatable Transformer" (arXiv 2212.10554); constants as in torchscale.
    """

    def rotate(self, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> tuple[Tensor, Tensor]:
        q, k = super().rotate(q, k, q_positions, k_positions)
        if not k_positions.numel():
            return q, k  # nothing to score
        m, n = exact_positions(q_positions), exact_positions(k_positions)
        ends = n.amin(dim=-1, keepdim=True) + n.amax(dim=-1, keepdim=True)  # (1,) or (B, 1): twice the middle
        return self._stretch(q, real_positions(2 * m - ends) / 2), self._stretch(k, real_positions(ends - 2 * n) / 2)

    def _stretch(self, x: Tensor, exponent: Tensor) -> Tensor:
        pair = torch.arange(self.head_dim // 2, dtype=exponent.dtype, device=x.device)
        base = (2 * pair + 0.4 * self.head_dim) / (1.4 * self.head_dim)  # (pairs,) the slow pairs are nearest to 1
        base = base.repeat_interleave(2) if self.layout == "interleaved" else base.repeat(2)  # (d_head,)
        decay = base ** (exponent[..., None] / 512)  # (L, d_head) or (B, L, d_head)
        return (x * over_heads(decay, x)).to(x.dtype)
