"""ALiBi, attention with linear biases (door 3): subtract a slope times the distance from every score.

    causal      -slope_h (m - n)                   m query, n key: the signed distance; keys after the query are masked
    symmetric   -slope_h |m - n|                   for encoders
    two-sided   -left_h (m - n) or -right_h (n - m)   a slope of its own for each side, so that direction shows

The bias is not divided by sqrt(d_head), and there is nothing to train.

Slopes of H heads, two conventions for H that is not a power of two:
    formula="released"   2^(-8/p), 2^(-16/p) ... for the power p below H, then every second slope of 2p: Bloom, MPT ...
    formula="paper"      2^(-8/H), 2^(-16/H) ...

Press, Smith, Lewis 2022, "Train Short, Test Long"; the authors' code is ofirpress/attention_with_linear_biases.
"""

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn

from posenc_helpers.checks import check_choice, check_count, check_positive, exact_positions, real_positions
from posenc_helpers.encodings.base import PositionalEncoding, check_scores
from posenc_helpers.encodings.precision import full_precision
from posenc_helpers.encodings.relative import relative_positions

FORMULAS = ("released", "paper")
KINDS = ("causal", "symmetric", "two-sided")
SHORTCUTS = ("bloom", "mpt")


def alibi_slopes(
    heads: int, formula: str = "released", max_exponent: float = 8.0, *, dtype: torch.dtype = torch.float32, device=None
) -> Tensor:
    """Return the slope of every head: (heads,), values in (0, 1). For 8 heads 1/2, 1/4 ... 1/256.

    "released" is not sorted: the slopes that follow the power of two start again at a steep one. `max_exponent` is MPT's
    `alibi_bias_max`.
    Raises ValueError for `heads` below 1, an unknown `formula` or a `max_exponent` not above 0.
    Source: Press et al. 2022 (arXiv 2108.12409), section 3, and the authors' code.
    """
    heads = check_count("heads", heads)
    check_choice("formula", formula, FORMULAS)
    check_positive("max_exponent", max_exponent)
    wide = torch.promote_types(dtype, torch.float32)  # bfloat16 cannot count the heads beyond 256
    power = heads if formula == "paper" else 2 ** math.floor(math.log2(heads))  # "released": the largest 2^a <= heads
    step = torch.arange(1, power + 1, dtype=wide, device=device) / power
    between = (2 * torch.arange(heads - power, dtype=wide, device=device) + 1) / (2 * power)
    return torch.exp2(-max_exponent * torch.cat([step, between])).to(dtype)  # (heads,)


def alibi_bias(relative: Tensor, slopes: Tensor, kind: str = "causal") -> Tensor:
    """Return the bias: relative (L_q, L_k) or (B, L_q, L_k), slopes (H,) -> (H, L_q, L_k) or (B, H, L_q, L_k).

    `relative` is key minus query, integer or real. kind="two-sided" takes slopes (2, H), left then right. In
    kind="causal" the cells of keys after the query are above 0: they must be masked.
    Raises ValueError for an unknown `kind` or slopes of another shape.
    Source: Press et al. 2022 (arXiv 2108.12409), section 3; authors' issue 5 for the other two kinds.
    """
    check_choice("kind", kind, KINDS)
    if slopes.ndim != (2 if kind == "two-sided" else 1) or (kind == "two-sided" and len(slopes) != 2):
        allowed = "(2, H)" if kind == "two-sided" else "(H,)"
        raise ValueError(f"slopes has shape {tuple(slopes.shape)}; allowed for kind={kind!r}: {allowed}")
    relative = real_positions(relative, "relative")[..., None, :, :]  # (..., 1, L_q, L_k)
    slopes = full_precision(slopes)[..., None, None]  # (H, 1, 1) or (2, H, 1, 1)
    if kind == "causal":
        return slopes * relative
    if kind == "symmetric":
        return -slopes * relative.abs()
    left, right = slopes
    return left * relative.clamp(max=0) - right * relative.clamp(min=0)


def alibi_shortcut(k_positions: Tensor, slopes: Tensor, variant: str = "bloom") -> Tensor:
    """Return one row that serves every query: k_positions (L_k,) or (B, L_k) -> (H, 1, L_k) or (B, H, 1, L_k).

    variant="bloom" is slope n, which grows from 0; "mpt" slope (n - last key), which ends at 0. Either differs from the
    causal bias by a number per row, which softmax ignores; for -slope |m - n|, as in an encoder, both are wrong.
    Raises ValueError for an unknown `variant` and what `real_positions` raises.
    Source: the code of Bloom and MPT.
    """
    check_choice("variant", variant, SHORTCUTS)
    positions = exact_positions(k_positions, "k_positions")
    if variant == "mpt":
        positions = positions - positions[..., -1:]
    real = real_positions(positions)[..., None, None, :]  # (1, 1, L_k) or (B, 1, 1, L_k)
    return full_precision(slopes)[:, None, None] * real


def alibi_score_mod(q_positions: Tensor, k_positions: Tensor, slopes: Tensor) -> Callable[..., Tensor]:
    """Return the causal bias as a `score_mod` for torch's `flex_attention`: no (H, L_q, L_k) tensor is ever built.

    Positions (L_q,) and (L_k,), slopes (H,). Mask the keys after the query with a `block_mask`.
    Raises ValueError for positions of another shape.
    """
    q_positions, k_positions = exact_positions(q_positions, "q_positions"), exact_positions(k_positions, "k_positions")
    for name, positions in (("q_positions", q_positions), ("k_positions", k_positions)):
        if positions.ndim != 1:
            raise ValueError(f"{name} has shape {tuple(positions.shape)}; allowed: (L,)")
    slopes = full_precision(slopes)

    def score_mod(score: Tensor, batch: Tensor, head: Tensor, query: Tensor, key: Tensor) -> Tensor:
        return score + slopes[head] * (k_positions[key] - q_positions[query])

    return score_mod


class AlibiEncoding(PositionalEncoding):
    """Door 3: the bias of `alibi_bias`. No table, no buffer: slopes and distances are computed when asked for.

    learned=True trains the slopes from there: heads parameters, or 2 * heads for kind="two-sided", whose right slopes
    are the left ones in reverse order, so that every head tells left from right.
    Source: Press et al. 2022 (arXiv 2108.12409), section 3.
    """

    def __init__(self, heads: int, kind: str = "causal", formula: str = "released", learned: bool = False):
        super().__init__()
        check_choice("kind", kind, KINDS)
        self.heads, self.kind, self.formula = check_count("heads", heads), kind, formula
        start = self._fixed_slopes(torch.float32, None)  # refuses a bad formula
        self.slopes = nn.Parameter(start) if learned else None

    def _fixed_slopes(self, dtype: torch.dtype, device: torch.device | None) -> Tensor:
        slopes = alibi_slopes(self.heads, self.formula, dtype=dtype, device=device)
        return torch.stack([slopes, slopes.flip(0)]) if self.kind == "two-sided" else slopes

    def bias(self, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> Tensor:
        check_scores(q, k, q_positions, k_positions, self.heads)
        relative = real_positions(relative_positions(q_positions, k_positions), "relative")
        slopes = self._fixed_slopes(relative.dtype, q.device) if self.slopes is None else self.slopes
        return alibi_bias(relative, slopes, self.kind).to(q.dtype)  # cast last: bfloat16 merges distances
