"""Five encodings that come to mind first (door 1). Each breaks one of the wishes of notebook 01; notebook 02 measures which.

    index        the position itself              grows without bound
    normalised   position / (L - 1)               the same position has another code in a longer text
    random       a fixed random vector a place    neighbours are no nearer than strangers, nothing beyond the table
    one-hot      a 1 in column p                  all distances are equal, as many columns as positions
    binary       the bits of the position         bounded and unique, but 7 -> 8 flips four bits and 0 -> 8 one

They have no inventor to cite.
"""

import torch
from torch import Generator, Tensor

from posenc_helpers.checks import check_count, check_embedded, check_positive, check_range, check_reach, real_positions
from posenc_helpers.encodings.base import PositionalEncoding


def index(positions: Tensor, dim: int) -> Tensor:
    """Return the position itself in every column: positions (...) -> (..., dim).

    Raises ValueError for dim below 1, and for integers from 2^24 on, of which float32 has no more than every second.
    """
    check_count("dim", dim)
    real = real_positions(positions)
    check_reach("positions", positions)
    return real[..., None].repeat_interleave(dim, dim=-1)  # (..., dim)


def normalised(positions: Tensor, dim: int, length: int) -> Tensor:
    """Return position / (length - 1) in every column, 0 for a text of one token: positions (...) -> (..., dim).

    Positions 0 to length - 1 give values from 0 to 1. Raises ValueError for dim or length below 1.
    """
    check_count("length", length)
    return index(positions, dim) / (length - 1 or 1)  # (..., dim)


def random_codes(positions: Tensor, dim: int, length: int) -> Tensor:
    """Return a fixed standard normal vector for every position below `length`: integers (...) -> (..., dim).

    Raises ValueError for positions outside 0 ... length - 1 or counts below 1, TypeError for positions not integer.
    """
    positions = check_range("positions", positions, length)
    return random_table(dim, length).to(positions.device)[positions]  # (..., dim)


def random_table(dim: int, length: int) -> Tensor:
    """Return a table of standard normal numbers, always the same: (length, dim). Raises for counts below 1.

    On the CPU and in float32, whatever the defaults are: another device or type would draw other numbers.
    """
    check_count("dim", dim)
    check_count("length", length)
    rows = length + -length % 16  # drawn 16 numbers at a time: a longer table starts with the shorter one
    kind = {"generator": Generator("cpu").manual_seed(0), "dtype": torch.float32, "device": "cpu"}
    return torch.randn(rows, dim, **kind)[:length].clone()  # (length, dim)


def one_hot(positions: Tensor, dim: int) -> Tensor:
    """Return a 1 in column p and 0 elsewhere: integers (...) -> (..., dim).

    Raises ValueError for positions outside 0 ... dim - 1 or dim below 1, TypeError for positions that are not integer.
    """
    check_count("dim", dim)
    positions = check_range("positions", positions, dim)
    return (positions[..., None] == torch.arange(dim, device=positions.device)).float()  # (..., dim)


def binary(positions: Tensor, dim: int) -> Tensor:
    """Return the bits of the position, lowest first, as 0 and 1: integers (...) -> (..., dim).

    Raises ValueError for positions outside 0 ... 2^dim - 1 or dim outside 1 ... 62, TypeError for positions not integer.
    """
    check_count("dim", dim)
    bits = min(dim, 62)  # an int64 has no more; further columns stay 0
    positions = check_range("positions", positions, 2**bits)
    column = torch.arange(bits, device=positions.device)  # (bits,)
    code = (positions[..., None] >> column & 1).float()  # (..., bits)
    return torch.nn.functional.pad(code, (0, dim - bits))  # (..., dim)


class _Added(PositionalEncoding):
    """Door 1: x (B, L, dim) -> x + scale * codes in the first `columns` columns, same shape and dtype as x."""

    def __init__(self, dim: int, scale: float = 1.0, columns: int | None = None):
        super().__init__()
        dim = check_count("dim", dim)
        check_positive("scale", scale)
        self.dim, self.scale = dim, scale
        self.columns = check_count("columns", dim if columns is None else columns)
        if self.columns > dim:
            raise ValueError(f"columns={columns} must be at most dim={dim}")

    def codes(self, positions: Tensor, length: int) -> Tensor:
        raise NotImplementedError

    def embed(self, x: Tensor, positions: Tensor) -> Tensor:
        check_embedded(x, positions, self.dim)
        code = self.scale * self.codes(positions, x.shape[1])  # (L, columns) or (B, L, columns)
        return x + torch.nn.functional.pad(code, (0, self.dim - self.columns)).to(x.dtype)


class IndexEncoding(_Added):
    """Add `scale` times the position. A value that is the same in every column is removed exactly by a LayerNorm: give
    `columns=1` to a model that has one. Raises ValueError where x and positions do not fit."""

    def codes(self, positions: Tensor, length: int) -> Tensor:
        return index(positions, self.columns)


class NormalisedEncoding(_Added):
    """Add `scale` times position / (L - 1), where L is the number of tokens *in this call*: that is its flaw."""

    reads_length = True

    def codes(self, positions: Tensor, length: int) -> Tensor:
        return normalised(positions, self.columns, length or 1)


class RandomEncoding(_Added):
    """Add `scale` times a fixed random vector a position, for positions below `length`.

    The table is fixed: not trained, not saved, drawn again after every move and when it is loaded.
    """

    def __init__(self, dim: int, length: int, scale: float = 1.0):
        super().__init__(dim, scale)
        table = random_table(self.dim, length)
        self.register_buffer("table", table.to(torch.empty(0).device), persistent=False)  # where parameters are made

    def _apply(self, fn, recurse=True):
        super()._apply(fn, recurse)
        # to_empty() leaves any numbers, a half-precision type blunt ones: draw again, and cast last
        self.table = random_table(self.dim, len(self.table)).to(self.table.device)
        return self

    def _load_from_state_dict(self, *state) -> None:
        super()._load_from_state_dict(*state)
        if self.table.is_meta:  # load_state_dict(assign=True) gives memory to what is saved alone
            self.table = random_table(self.dim, len(self.table))

    def codes(self, positions: Tensor, length: int) -> Tensor:
        return self.table[check_range("positions", positions, len(self.table))]  # (L, dim) or (B, L, dim)


class OneHotEncoding(_Added):
    """Add `scale` in column p. Raises ValueError for positions from `dim` on."""

    def codes(self, positions: Tensor, length: int) -> Tensor:
        return one_hot(positions, self.dim)


class BinaryEncoding(_Added):
    """Add `scale` times the bits of the position, lowest first."""

    def codes(self, positions: Tensor, length: int) -> Tensor:
        return binary(positions, self.dim)
