"""Relatives of ALiBi (door 3): other functions of the distance d = |m - n|, and one that counts by content.

    KERPLE     -p ln(1 + a d)                        p, a > 0 trained, per head
    Sandwich   (sum_t cos(d w_t) - D / 2) H / (8 h)  w_t = base^(-2t/D), t = 1 ... D/2; h = 1 ... H; nothing trained
    FIRE       MLP(psi(d) / psi(max(m, L)))          psi(x) = ln(c x + 1); c, L and the MLP trained
    CoPE       q_m . e[p_mn]                         p_mn = sum of sigmoid(q_m . k_j) over keys j = n ... m

Code: chijames/KERPLE, NeMo (Sandwich), mcleish7/arithmetic (FIRE).
"""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from posenc_helpers.checks import check_count, check_positive, real_positions
from posenc_helpers.encodings.base import PositionalEncoding, check_scores
from posenc_helpers.encodings.precision import angles, full_precision, product, without_autocast
from posenc_helpers.encodings.relative import START, relative_positions
from posenc_helpers.encodings.relative_scores import from_first_key

LEAST = 0.01  # the authors' clamp of p and a
SANDWICH_DIM, SANDWICH_BASE = 128, 10000.0


def kerple_bias(relative: Tensor, p: Tensor, a: Tensor) -> Tensor:
    """Return -p ln(1 + a d): relative (..., L_q, L_k), p and a (H,) above 0 -> (..., H, L_q, L_k).

    Raises what `real_positions` raises.
    Source: Chi et al. 2022 (arXiv 2205.09921), the logarithmic variant.
    """
    distance = real_positions(relative, "relative").abs()[..., None, :, :]
    p, a = full_precision(p)[:, None, None], full_precision(a)[:, None, None]
    return -p * torch.log1p(a * distance)


class KerpleEncoding(PositionalEncoding):
    """Door 3: `kerple_bias` with trained p and a: 2 * heads parameters for the whole model.

    They start uniform, p in (0, 2), a in (0, 1), and act as if clamped to at least 0.01 while their gradient passes, as
    with the authors' clamp of the stored numbers.
    Source: Chi et al. 2022 (arXiv 2205.09921).
    """

    def __init__(self, heads: int):
        super().__init__()
        self.heads = check_count("heads", heads)
        self.p, self.a = nn.Parameter(2 * torch.rand(heads)), nn.Parameter(torch.rand(heads))

    def bias(self, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> Tensor:
        check_scores(q, k, q_positions, k_positions, self.heads)
        p = self.p + (self.p.clamp(LEAST) - self.p).detach()
        a = self.a + (self.a.clamp(LEAST) - self.a).detach()
        return kerple_bias(relative_positions(q_positions, k_positions), p, a).to(q.dtype)


class SandwichEncoding(PositionalEncoding):
    """Door 3: the bias of Sandwich for D = 128 and base = 10,000; nothing trained.

    The sum of cosines of the distance is the product of two sinusoidal codes, so no (L_q, L_k, D) tensor is built.
    0 at distance 0, below 0 elsewhere; steepest for head 1. Frequencies start at t = 1, one later than in 1706.03762.
    Source: Chi et al. 2022 (arXiv 2212.10356); the scale and t = 1 as in NeMo.
    """

    def __init__(self, heads: int):
        super().__init__()
        self.heads = check_count("heads", heads)

    def bias(self, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> Tensor:
        check_scores(q, k, q_positions, k_positions, self.heads)
        codes = []
        for positions in from_first_key(q_positions, k_positions):
            t = torch.arange(1, SANDWICH_DIM // 2 + 1, dtype=real_positions(positions).dtype, device=q.device)
            angle = angles(positions, SANDWICH_BASE ** (-2 * t / SANDWICH_DIM))  # (..., L, D / 2)
            codes.append(torch.cat([angle.sin(), angle.cos()], dim=-1))  # (..., L, D)
        below = product(codes[0], codes[1].transpose(-2, -1)) - SANDWICH_DIM / 2  # (..., L_q, L_k)
        head = torch.arange(1, self.heads + 1, dtype=below.dtype, device=q.device)[:, None, None]
        return (below[..., None, :, :] * self.heads / (8 * head)).to(q.dtype)  # (..., H, L_q, L_k)


def fire_distance(relative: Tensor, q_positions: Tensor, c: Tensor, threshold: Tensor) -> Tensor:
    """Return psi(d) / psi(max(m, threshold)): relative (..., L_q, L_k), q_positions (..., L_q) -> (..., L_q, L_k).

    Up to the threshold this is a function of the distance; for queries beyond it, it shrinks with the query's own
    position m, so that causal distances never leave [0, 1]: FIRE is not invariant to shifts there.
    Raises what `real_positions` raises.
    Source: Li et al. 2023 (arXiv 2310.04418); c and threshold by absolute value, 1e-6 as in the code.
    """
    distance = real_positions(relative, "relative").abs()
    reach = torch.maximum(real_positions(q_positions, "q_positions"), threshold.abs())[..., None]  # (..., L_q, 1)
    return torch.log1p(c.abs() * distance) / (torch.log1p(c.abs() * reach) + 1e-6)


class FireEncoding(PositionalEncoding):
    """Door 3: a small MLP, 1 -> 32 -> heads, of `fire_distance`.

    c starts at 0.1; the threshold is `length` times a trained factor that starts at 1.
    Source: Li et al. 2023 (arXiv 2310.04418).
    """

    def __init__(self, heads: int, length: float = 512):
        super().__init__()
        check_positive("length", length)
        self.heads, self.length = check_count("heads", heads), length
        self.c, self.factor = nn.Parameter(torch.tensor(0.1)), nn.Parameter(torch.tensor(1.0))
        self.inner, self.outer = nn.Linear(1, 32), nn.Linear(32, heads)

    def bias(self, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> Tensor:
        check_scores(q, k, q_positions, k_positions, self.heads)
        relative, threshold = relative_positions(q_positions, k_positions), self.length * full_precision(self.factor)
        x = fire_distance(relative, q_positions, full_precision(self.c), threshold)[..., None]  # (..., L_q, L_k, 1)
        with without_autocast(x.device):  # in float32 even in a bfloat16 model, which would merge distances
            for layer in (self.inner, self.outer):
                x = x if layer is self.inner else x.relu()
                x = functional.linear(x, layer.weight.to(x.dtype), layer.bias.to(x.dtype))
        return x.movedim(-1, -3).to(q.dtype)  # (..., H, L_q, L_k)


def cope_positions(q: Tensor, k: Tensor) -> Tensor:
    """Count gates from every key to the query: q (B, H, L_q, d_head), k (B, H, L_k, d_head) -> (B, H, L_q, L_k), real.

    A gate is sigmoid(q . k / sqrt(d_head)); keys after the query count nothing. "After" is by place, the last query at
    the last key as in a causal mask, not by position ids: positions are what this method works out itself.
    Source: Golovneva et al. 2024 (arXiv 2405.18719); the logits are scaled as in its appendix B.
    """
    gates = (product(full_precision(q), full_precision(k).transpose(-2, -1)) / math.sqrt(q.shape[-1])).sigmoid()
    gates = gates.tril(k.shape[-2] - q.shape[-2])  # a bfloat16 sum would stop at 256
    return gates.flip(-1).cumsum(dim=-1).flip(-1)


def cope_bias(q: Tensor, positions: Tensor, table: Tensor) -> Tensor:
    """Return q . e[p], interpolated between whole p: q (B, H, L_q, d_head), table (rows, d_head) -> positions' shape.

    Positions beyond the last row take the last row.
    Source: Golovneva et al. 2024 (arXiv 2405.18719), appendix B.
    """
    positions = positions.clamp(0, len(table) - 1)
    floor = positions.floor()
    scores = product(q, table.T)  # (B, H, L_q, rows)
    below, above = (scores.gather(-1, whole.to(torch.int64)) for whole in (floor, positions.ceil()))
    return below + (above - below) * (positions - floor)


class CopeEncoding(PositionalEncoding):
    """Door 3 of a *causal* model: `cope_bias` at `cope_positions`; max_position * head_dim parameters.

    Source: Golovneva et al. 2024 (arXiv 2405.18719).
    """

    def __init__(self, head_dim: int, max_position: int = 64):
        super().__init__()
        check_count("head_dim", head_dim)
        check_count("max_position", max_position, least=2)
        self.table = nn.Parameter(torch.randn(max_position, head_dim) * START)

    def bias(self, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> Tensor:
        check_scores(q, k, q_positions, k_positions, head_dim=self.table.shape[1])
        return cope_bias(q, cope_positions(q, k), self.table).to(q.dtype)
