"""Relative positions (door 3): the score of a pair depends on how far apart it is, not on where it stands.

relative position = n - m = key minus query     left of the query is negative (T5, Shaw and ALiBi use this
                                                sign; Transformer-XL, DeBERTa and Swin query minus key)

bias table   score + b_h[clip(n - m)]                      one number per head and distance, clipped at k: 2k + 1
Shaw         q_m . (k_n + a[clip(n - m)]) / sqrt(d_head)   one vector per distance; a second table for the values
T5           score + b_h[bucket(n - m)]                    buckets: exact near, logarithmic far
"""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from posenc_helpers.checks import check_count, check_even, exact_positions, whole_positions
from posenc_helpers.encodings.base import PositionalEncoding, check_scores
from posenc_helpers.encodings.precision import product

START = 0.02  # standard deviation of the numbers that a trained table starts with


def relative_positions(q_positions: Tensor, k_positions: Tensor) -> Tensor:
    """Return key minus query: (L_q,) and (L_k,) -> (L_q, L_k); if either has a batch axis, (B, L_q, L_k).

    Integers stay integers (int64, exact), reals float32 or float64. Raises what `real_positions` raises.
    """
    q_positions, k_positions = exact_positions(q_positions, "q_positions"), exact_positions(k_positions, "k_positions")
    return k_positions[..., None, :] - q_positions[..., :, None]


def clipped_index(relative: Tensor, max_distance: int) -> Tensor:
    """Clip relative positions at k = max_distance and count from 0: (...) -> (...), values 0 to 2k, 2k + 1 of them.

    Raises TypeError for relative positions that are not integers, ValueError for `max_distance` below 1.
    Source: Shaw et al. 2018 (arXiv 1803.02155), section 3.2.
    """
    check_count("max_distance", max_distance)
    return whole_positions(relative, "relative").clamp(-max_distance, max_distance) + max_distance


def table_bias(table: Tensor, index: Tensor) -> Tensor:
    """Look up one number per head: table (rows, H), index (L_q, L_k) or (B, L_q, L_k) -> (..., H, L_q, L_k)."""
    return functional.embedding(index, table).movedim(-1, -3)


def pick(scores: Tensor, index: Tensor) -> Tensor:
    """Take column index[m, n] of every row m: scores (B, H, L_q, R), index (..., L_q, L_k) -> (B, H, L_q, L_k)."""
    return scores.gather(-1, index[..., None, :, :].expand(*scores.shape[:2], *index.shape[-2:]))


def relative_shift(scores: Tensor, keys: int) -> Tensor:
    """Turn columns that mean distances into columns that mean keys: scores (..., L_q, R) -> (..., L_q, keys).

    For consecutive positions: key n of query row m takes column n - m + L_q - 1. R = L_q + L_k - 1 columns, relative
    positions in rising order, give all keys. R = L_k columns, up to relative position 0, give the keys at or before
    the query only; the cells right of it hold numbers of the next row, and a causal mask must hide them.
    Pad one column, read the same memory as rows of another length, drop the first row: nothing is computed.
    Raises ValueError for `keys` below 1, and unless R is L_q + keys - 1 or keys.
    Source: Dai et al. 2019 (arXiv 1901.02860), appendix B; Huang et al. 2018 (arXiv 1809.04281), section 3.4.
    """
    check_count("keys", keys)
    queries, columns = scores.shape[-2:]
    if columns not in (queries + keys - 1, keys):
        raise ValueError(
            f"scores has {columns} columns; allowed for {queries} queries and keys={keys}: {queries + keys - 1} or {keys}"
        )
    return read_shifted(functional.pad(scores, (1, 0)), keys)


def read_shifted(padded: Tensor, keys: int) -> Tensor:
    """Read padded scores (..., L_q, 1 + R), whose first column may hold anything, as `relative_shift` says.

    A view of the same memory: with a column to spare from the start, nothing is copied.
    """
    queries, columns = padded.shape[-2:]
    rows = padded.reshape(*padded.shape[:-2], columns, queries)[..., 1:, :]
    return rows.reshape(*padded.shape[:-1], columns - 1)[..., :keys]


def shaw_scores_naive(q: Tensor, table: Tensor, index: Tensor) -> Tensor:
    """Return q_m . a[index[m, n]]: q (B, H, L_q, d_head), table (R, d_head), index (L_q, L_k) -> (B, H, L_q, L_k).

    As eq. 4 is written. It builds a (L_q, L_k, d_head) tensor: 256 MB at L = 1024 and d_head = 64 in float32.
    """
    return torch.einsum("bhmd,mnd->bhmn", q, table[index])


def shaw_scores(q: Tensor, table: Tensor, index: Tensor) -> Tensor:
    """Return the same as `shaw_scores_naive`, one product per *distance*, then looked up: no tensor of that size.

    `index` may also be (B, L_q, L_k).
    Source: Shaw et al. 2018 (arXiv 1803.02155), eq. 4 and section 3.3.
    """
    return pick(product(q, table.T), index)


def shaw_scores_skewed(q: Tensor, table: Tensor, keys: int) -> Tensor:
    """Return the same for consecutive positions, the last query at the last key, by the shift of `relative_shift`.

    One distance more than there are, in place of the pad, which would copy all scores: half the memory.
    Source: Huang et al. 2018 (arXiv 1809.04281), section 3.4.
    """
    check_count("keys", keys, least=q.shape[-2])
    relative = torch.arange(-keys, q.shape[-2], device=q.device)  # (L_q + L_k,)
    return read_shifted(product(q, table[clipped_index(relative, len(table) // 2)].T), keys)


def shaw_values(weights: Tensor, table: Tensor, index: Tensor) -> Tensor:
    """Return sum_n weights_mn a[index[m, n]]: weights (B, H, L_q, L_k), table (R, d_head) -> (B, H, L_q, d_head).

    The weights of all keys at one distance are summed first.
    Source: Shaw et al. 2018 (arXiv 1803.02155), eq. 3.
    """
    per_distance = weights.new_zeros(*weights.shape[:-1], len(table))  # (B, H, L_q, R)
    per_distance = per_distance.scatter_add(-1, index[..., None, :, :].expand(weights.shape), weights)
    return product(per_distance, table)


def t5_buckets(relative: Tensor, num_buckets: int = 32, max_distance: int = 128, bidirectional: bool = True) -> Tensor:
    """Return T5's bucket of every relative position (key minus query): (...) -> (...), values 0 to num_buckets - 1.

    Near distances get a bucket each, far ones share buckets that grow logarithmically up to `max_distance`, and all
    beyond share the last. bidirectional=True (encoder) gives half of the buckets to keys right of the query: of 32,
    8 exact and 8 logarithmic per direction (bucket 16 stays empty: distance 0 counts as left). False (decoder): 16
    exact and 16 logarithmic, and all keys after the query in bucket 0.
    Raises TypeError for relative positions that are not integers, ValueError for `num_buckets` below 2 (below 4 or
    odd when bidirectional) or a `max_distance` within the exact buckets.
    Source: Raffel et al. 2020 (arXiv 1910.10683), section 2.1; the formula is that of the authors' code.
    """
    check_even("num_buckets", num_buckets, least=4) if bidirectional else check_count("num_buckets", num_buckets, 2)
    side = num_buckets // 2 if bidirectional else num_buckets
    exact = side // 2
    check_count("max_distance", max_distance, least=exact + 1)
    relative = whole_positions(relative, "relative")
    distance = relative.abs() if bidirectional else (-relative).clamp(min=0)
    beyond = (distance.clamp(min=1).float() / exact).log() / math.log(max_distance / exact)  # 1 at max_distance
    far = (exact + (beyond * (side - exact)).to(torch.int64)).clamp(max=side - 1)
    bucket = torch.where(distance < exact, distance, far)
    return bucket + (relative > 0) * side if bidirectional else bucket


class RelativeBiasEncoding(PositionalEncoding):
    """Door 3: one trained number per head and clipped distance, (2 * max_distance + 1) * heads parameters.

    Source: Shaw et al. 2018 (arXiv 1803.02155), section 3.2, with numbers in place of vectors.
    """

    def __init__(self, heads: int, max_distance: int):
        super().__init__()
        self.heads, self.max_distance = check_count("heads", heads), check_count("max_distance", max_distance)
        self.table = nn.Parameter(torch.randn(2 * max_distance + 1, heads) * START)

    def bias(self, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> Tensor:
        check_scores(q, k, q_positions, k_positions, self.heads)
        index = clipped_index(relative_positions(q_positions, k_positions), self.max_distance)
        return table_bias(self.table, index).to(q.dtype)


class ShawEncoding(PositionalEncoding):
    """Door 3, and the side window for the values: one trained vector per clipped distance, shared by the heads.

    Parameters: (2 * max_distance + 1) * head_dim, twice that with values=True (many uses drop the value term).
    Source: Shaw et al. 2018 (arXiv 1803.02155), eq. 3 and 4.
    """

    def __init__(self, head_dim: int, max_distance: int, values: bool = True):
        super().__init__()
        check_count("head_dim", head_dim)
        check_count("max_distance", max_distance)
        self.max_distance = max_distance
        self.key_table = nn.Parameter(torch.randn(2 * max_distance + 1, head_dim) * START)
        self.value_table = nn.Parameter(torch.randn(2 * max_distance + 1, head_dim) * START) if values else None

    def bias(self, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> Tensor:
        check_scores(q, k, q_positions, k_positions, head_dim=self.key_table.shape[1])
        index = clipped_index(relative_positions(q_positions, k_positions), self.max_distance)
        scores = shaw_scores(q, self.key_table, index) / math.sqrt(q.shape[-1])  # scaled like q . k, which it joins
        return scores.to(q.dtype)

    def mix(self, weights: Tensor, v: Tensor, q_positions: Tensor, k_positions: Tensor) -> Tensor:
        if self.value_table is None:
            return weights @ v
        index = clipped_index(relative_positions(q_positions, k_positions), self.max_distance)
        return weights @ v + shaw_values(weights, self.value_table, index).to(v.dtype)


class T5Encoding(PositionalEncoding):
    """Door 3: one trained number per head and bucket, num_buckets * heads parameters however many layers share them.

    T5 itself leaves its scores unscaled (no 1 / sqrt(d_head)); with the attention of this course, put the factor
    sqrt(d_head) into W_q.
    Source: Raffel et al. 2020 (arXiv 1910.10683), section 2.1.
    """

    def __init__(self, heads: int, num_buckets: int = 32, max_distance: int = 128, bidirectional: bool = True):
        super().__init__()
        t5_buckets(torch.tensor([0]), num_buckets, max_distance, bidirectional)  # refuse bad numbers now
        self.heads, self.num_buckets = check_count("heads", heads), num_buckets
        self.max_distance, self.bidirectional = max_distance, bidirectional
        self.table = nn.Parameter(torch.randn(num_buckets, heads) * START)

    def bias(self, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> Tensor:
        check_scores(q, k, q_positions, k_positions, self.heads)
        # A clipped table whose rows share numbers: work out the bucket of every distance, not of every pair.
        distances = torch.arange(-self.max_distance, self.max_distance + 1, device=q.device)
        buckets = t5_buckets(distances, self.num_buckets, self.max_distance, self.bidirectional)
        index = clipped_index(relative_positions(q_positions, k_positions), self.max_distance)
        return table_bias(self.table[buckets], index).to(q.dtype)
