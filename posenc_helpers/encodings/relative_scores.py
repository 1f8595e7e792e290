"""Relative positions that meet the content (door 3): Transformer-XL's four terms and DeBERTa's cross terms.

    Transformer-XL   q.k + q.(W R[m - n]) + u.k + v.(W R[m - n])     all / sqrt(d_head)
                     R a sinusoid of the distance, W trained; u and v stand in for a query that has no position
    DeBERTa          q.k + q.K[delta(m, n)] + k.Q[delta(n, m)]       all / sqrt(3 d_head)
                     delta(m, n) = clip(m - n + k, 0, 2k - 1): content to content, to position, position to content

Both papers write query minus key, m - n, the opposite of `relative_positions`.
"""

import math

import torch
from torch import Tensor, nn

from posenc_helpers.checks import (
    check_choice,
    check_count,
    check_even,
    check_floating,
    exact_positions,
    real_positions,
    whole_positions,
)
from posenc_helpers.encodings.base import PositionalEncoding, check_scores
from posenc_helpers.encodings.precision import angles, full_precision, product
from posenc_helpers.encodings.relative import START, pick, relative_positions
from posenc_helpers.encodings.sinusoidal import frequencies, sinusoidal

FORMULAS = ("released", "paper")


def from_first_key(q_positions: Tensor, k_positions: Tensor) -> tuple[Tensor, Tensor]:
    """Count both from the first key: differences stay and numbers get small, which keeps float32 angles sharp.

    Integers become int64, reals stay; without keys, nothing is taken off.
    """
    q_positions, k_positions = exact_positions(q_positions, "q_positions"), exact_positions(k_positions, "k_positions")
    first = k_positions[..., :1] if k_positions.shape[-1] else k_positions.new_zeros(1)
    return q_positions - first, k_positions - first  # (L_q,) or (B, L_q), (L_k,) or (B, L_k)


def distance_scores(x: Tensor, projection: Tensor, q_positions: Tensor, k_positions: Tensor) -> Tensor:
    """Return x_m . (W R[m - n]): x (B, H, L_q, d_head), W = projection (H, d_head, width) -> (B, H, L_q, L_k).

    R holds all sines, then all cosines, of the distance m - n (query minus key). No (L_q, L_k, width) tensor is built:
    sin(a - b) and cos(a - b) split into products of functions of a and of b. Raises what `sinusoidal` raises.
    Source: Dai et al. 2019 (arXiv 1901.02860), section 3.3.
    """
    q_positions, k_positions = from_first_key(q_positions, k_positions)
    width = projection.shape[-1]
    for_sin, for_cos = product(x, projection).chunk(2, dim=-1)  # (B, H, L_q, width / 2) each
    speed = frequencies(width, dtype=real_positions(q_positions).dtype, device=x.device)  # (width / 2,)
    angle = angles(q_positions, speed)[..., None, :, :]  # (1 or B, 1, L_q, width / 2) or (1, L_q, width / 2)
    sin, cos = angle.sin(), angle.cos()
    turned = torch.cat([for_cos * sin - for_sin * cos, for_sin * sin + for_cos * cos], dim=-1)  # (B, H, L_q, width)
    code = sinusoidal(k_positions, width, layout="half")[..., None, :, :]  # (1, L_k, width) or (B, 1, L_k, width)
    return product(turned, code.to(turned.dtype).transpose(-2, -1))


class TransformerXLEncoding(PositionalEncoding):
    """Door 3: terms b, c and d of Transformer-XL's four; term a is q . k itself.

    Parameters: W (heads, head_dim, width), u and v (heads, head_dim); in the authors' code every layer has a W of its
    own, and all share u and v.
    Source: Dai et al. 2019 (arXiv 1901.02860), section 3.3.
    """

    def __init__(self, width: int, heads: int):
        super().__init__()
        check_even("width", width)
        check_count("heads", heads)
        if width % heads:
            raise ValueError(f"heads={heads} does not divide width={width}")
        self.projection = nn.Parameter(torch.randn(heads, width // heads, width) / math.sqrt(width))  # W
        self.u = nn.Parameter(torch.randn(heads, width // heads) * START)
        self.v = nn.Parameter(torch.randn(heads, width // heads) * START)

    def bias(self, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> Tensor:
        check_scores(q, k, q_positions, k_positions, *self.u.shape)
        position = distance_scores(q + self.v[:, None], self.projection, q_positions, k_positions)  # b + d
        content = product(k, self.u[..., None]).transpose(-2, -1)  # (B, H, 1, L_k)   c
        return ((position + content) / math.sqrt(q.shape[-1])).to(q.dtype)


def deberta_scores(
    q: Tensor, k: Tensor, key_table: Tensor, query_table: Tensor, distance: Tensor, formula: str = "released"
) -> Tensor:
    """Return content-to-position plus position-to-content, unscaled: q, k (B, H, L, d_head) -> (B, H, L_q, L_k).

    Tables (H, 2k, d_head); distance (L_q, L_k) or (B, L_q, L_k) is query minus key.
        c2p = q_m . key_table[delta(m, n)]
        p2c = k_n . query_table[delta(n, m)] in formula="paper" (eq. 4), delta(m, n) in "released", which all models use
    Raises TypeError for distances that are not integers, ValueError for an unknown `formula`.
    Source: He et al. 2020 (arXiv 2006.03654), eq. 4 and its released code.
    """
    check_choice("formula", formula, FORMULAS)
    distance, span = whole_positions(distance, "distance"), key_table.shape[-2] // 2
    delta = (distance + span).clamp(0, 2 * span - 1)
    reverse = delta if formula == "released" else (span - distance).clamp(0, 2 * span - 1)
    to_position = pick(product(q, key_table.transpose(-2, -1)), delta)  # (B, H, L_q, L_k)
    to_content = pick(product(k, query_table.transpose(-2, -1)), reverse.transpose(-2, -1))  # (B, H, L_k, L_q)
    return to_position + to_content.transpose(-2, -1)


class DebertaEncoding(PositionalEncoding):
    """Door 3, and door 2 for the scale alone: q / sqrt(3), since three terms are added where there was one.

    Parameters: two tables (heads, 2 * max_distance, head_dim). In DeBERTa each is the product of one table of the model
    and a projection of the layer; v2 and v3 share rows among far distances, which this does not.
    Source: He et al. 2020 (arXiv 2006.03654), section 3.1.
    """

    def __init__(self, heads: int, head_dim: int, max_distance: int = 512, formula: str = "released"):
        super().__init__()
        check_count("heads", heads)
        check_count("head_dim", head_dim)
        check_count("max_distance", max_distance)
        check_choice("formula", formula, FORMULAS)
        self.max_distance, self.formula = max_distance, formula
        shape = (heads, 2 * max_distance, head_dim)
        self.key_table = nn.Parameter(torch.randn(shape) * START)
        self.query_table = nn.Parameter(torch.randn(shape) * START)

    def rotate(self, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> tuple[Tensor, Tensor]:
        check_floating("q", q), check_floating("k", k)
        return q / math.sqrt(3), k

    def bias(self, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> Tensor:
        check_scores(q, k, q_positions, k_positions, self.key_table.shape[0], self.key_table.shape[2])
        distance = -relative_positions(q_positions, k_positions)  # query minus key
        query_table = full_precision(self.query_table) / math.sqrt(3)  # q is divided already, by `rotate`
        scores = deberta_scores(q, k, self.key_table, query_table, distance, self.formula)
        return (scores / math.sqrt(q.shape[-1])).to(q.dtype)
