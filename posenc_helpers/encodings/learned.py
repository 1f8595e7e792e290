"""Learned absolute embeddings (door 1): one trained vector for every position, looked up and added.

    x_p + E[p]     E of shape (max_length, d), p = 0 ... max_length - 1

max_length * d parameters (GPT-2 small: 1024 * 768 = 786,432).
"""

import torch
from torch import Tensor, nn
from torch.nn import functional

from posenc_helpers.checks import check_count, check_embedded, check_floating, check_positive, whole_positions
from posenc_helpers.encodings.base import PositionalEncoding


def _check_table(table: Tensor) -> None:
    """Refuse a table of positions unless it is (rows, dim)."""
    if not isinstance(table, Tensor) or table.ndim != 2:
        shape = tuple(table.shape) if isinstance(table, Tensor) else type(table).__name__
        raise ValueError(f"table has shape {shape}; allowed: (rows, dim)")


def learned(table: Tensor, positions: Tensor) -> Tensor:
    """Look the rows of `positions` (...) up in table (rows, dim): returns (..., dim).

    Raises ValueError that names both lengths when a position has no row, except in compiled code, which cannot look at
    the numbers, and TypeError for positions that are not integers.
    Source: Gehring et al. 2017 (arXiv 1705.03122), section 3.1.
    """
    _check_table(table)
    positions, rows = whole_positions(positions), len(table)
    if positions.numel() and not (torch.compiler.is_compiling() or positions.is_meta):
        first, last = int(positions.min()), int(positions.max())
        if last >= rows:
            raise ValueError(
                f"positions go up to {last}, which takes a table of {last + 1} rows, but this one has {rows} "
                f"(positions 0 to {rows - 1}); shorten the text or resize the table"
            )
        if first < 0:
            raise ValueError(f"positions go down to {first}; allowed: 0 to {rows - 1}")
    return functional.embedding(positions, table)  # (..., dim)


def resize_table(table: Tensor, rows: int, align_corners: bool = True) -> Tensor:
    """Interpolate table (old rows, dim) linearly along the positions: returns (rows, dim) in the table's dtype.

    align_corners=True keeps the first and the last row as they are; False lines up the edges of the cells, as ViT
    code does. Raises ValueError for a table that is not (rows, dim) or `rows` below 1, TypeError for one of integers.
    Source: Dosovitskiy et al. 2020 (arXiv 2010.11929), section 3.2, there in 2-D.
    """
    _check_table(table)
    check_floating("table", table)
    check_count("rows", rows)
    columns = table.to(torch.promote_types(table.dtype, torch.float32)).T[None]  # (1, dim, old rows)
    resized = functional.interpolate(columns, size=rows, mode="linear", align_corners=align_corners)
    return resized[0].T.to(table.dtype)  # (rows, dim)


class LearnedEncoding(PositionalEncoding):
    """Door 1: x (B, L, dim) -> x + table[positions]; positions are integers from 0 to max_length - 1.

    The rows start at normal numbers of standard deviation `std` (0.02 in BERT and in Hugging Face's GPT-2).
    Raises what `learned` raises, and ValueError when x and positions do not fit.
    Source: Gehring et al. 2017 (arXiv 1705.03122), section 3.1.
    """

    def __init__(self, dim: int, max_length: int, std: float = 0.02):
        super().__init__()
        check_count("dim", dim)
        check_count("max_length", max_length)
        check_positive("std", std)
        self.table = nn.Parameter(torch.randn(max_length, dim) * std)

    def embed(self, x: Tensor, positions: Tensor) -> Tensor:
        check_embedded(x, positions, self.table.shape[1])
        return x + learned(self.table, positions).to(x.dtype)  # one (L, dim) for the whole batch, not (B, L, dim)

    def resized(self, max_length: int, align_corners: bool = True) -> "LearnedEncoding":
        """Return a copy for `max_length` positions, its rows interpolated by `resize_table`."""
        table = resize_table(self.table.detach(), max_length, align_corners)
        longer = LearnedEncoding(table.shape[1], max_length)
        longer.table = nn.Parameter(table)
        return longer
