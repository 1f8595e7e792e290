"""Wrong encodings, each refused by the rule that it is a mistake for, and what readers bring that is right."""

import torch
from torch import Tensor, nn
from torch.nn import functional

from posenc_helpers.checks import check_embedded
from posenc_helpers.encodings import PerLayer, PositionalEncoding, T5Encoding, sinusoidal


class Embed(PositionalEncoding):
    """Door 1 as a function of x, positions and the module, which holds what it is given."""

    def __init__(self, function, **held):
        super().__init__()
        self.function = function
        for name, value in held.items():
            setattr(self, name, value)

    def embed(self, x: Tensor, positions: Tensor) -> Tensor:
        return self.function(x, positions, self)


class Bias(PositionalEncoding):
    """Door 3 as a function of q, k and their positions."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def bias(self, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> Tensor:
        return self.function(q, k, q_positions, k_positions)


class Rotate(Bias):
    """Door 2 likewise."""

    def bias(self, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> None:
        return None

    def rotate(self, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> tuple[Tensor, Tensor]:
        return self.function(q, k, q_positions, k_positions)


class Misspelt(PositionalEncoding):
    def embedd(self, x: Tensor, positions: Tensor) -> Tensor:
        return x + sinusoidal(positions, x.shape[-1])


class OtherName(PositionalEncoding):
    def embed(self, x: Tensor, index: Tensor) -> Tensor:
        return x


class Looked(PositionalEncoding):
    """What a reader writes first: a table, looked up unchecked, IndexError beyond."""

    def __init__(self, width: int, length: int):
        super().__init__()
        self.table = nn.Parameter(0.3 * torch.randn(length, width))

    def embed(self, x: Tensor, positions: Tensor) -> Tensor:
        return x + functional.embedding(positions, self.table)


class Sliced(Looked):
    """The same, of which as many rows are taken as there are tokens: RuntimeError beyond."""

    def embed(self, x: Tensor, positions: Tensor) -> Tensor:
        return x + self.table[: x.shape[1]]


class Counted(PositionalEncoding):
    """Sinusoids of where a token is stored."""

    def embed(self, x: Tensor, positions: Tensor) -> Tensor:
        return x + 0.3 * sinusoidal(torch.arange(x.shape[1]), x.shape[-1]).to(x.dtype)


class ShortBias(PositionalEncoding):
    """Door 3 whose table of distances ends, as T5's does not: only a text that is long enough shows it."""

    def __init__(self, length: int):
        super().__init__()
        self.table = nn.Parameter(torch.zeros(length))

    def bias(self, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> Tensor:
        apart = (k_positions[..., None, :] - q_positions[..., None]).abs()
        return self.table[apart if apart.ndim == 2 else apart[:, None]]


class Zero(nn.Module):
    """A parameter that starts, and stays when it is moved, at a place with an infinite slope."""

    def __init__(self):
        super().__init__()
        self.a = nn.Parameter(torch.zeros(1))

    def abs(self) -> Tensor:
        return (self.a - self.a.detach()).abs()


def embed(function, **held):
    """A builder of Embed; what it holds is made afresh each time."""
    return lambda width, heads, length: Embed(function, **{name: make() for name, make in held.items()})


def bias(function):
    return lambda width, heads, length: Bias(function)


def rotate(function):
    return lambda width, heads, length: Rotate(function)


def add(x: Tensor, positions: Tensor) -> Tensor:
    return x + sinusoidal(positions, x.shape[-1]).to(x.dtype)


def checked(x: Tensor, positions: Tensor, rows: Tensor, first: int = 0) -> Tensor:
    """A table that is asked for rows it does not have, below `first` or beyond its end."""
    check_embedded(x, positions, rows.shape[-1])
    if positions.max() >= len(rows) or positions.min() < first:
        raise ValueError(f"{len(rows)} rows, positions {positions.min()} to {positions.max()}")
    return x + rows[positions]


def table(rows: int = 320) -> nn.Parameter:
    return nn.Parameter(torch.randn(rows, 64, generator=torch.Generator().manual_seed(0)))


def fixed(stored: bool = False) -> nn.Buffer:
    return nn.Buffer(table().data, persistent=stored)


def drawn() -> nn.Buffer:
    return nn.Buffer(torch.randn(320, 64), persistent=False)


def one() -> nn.Parameter:
    return nn.Parameter(torch.ones(1))


def codes(rows: int = 320) -> Tensor:
    return sinusoidal(torch.arange(rows), 64)


def sheer(q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> Tensor:
    """A bias whose rows and columns are those of positions (L,)."""
    return -0.5 * (k_positions[..., None, :] - q_positions[..., None]).abs().to(q.dtype)


def summed(q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> Tensor:
    """The same for positions of each row, and one bias, their sum, for all rows."""
    apart = far_apart(q, q_positions, k_positions)
    return apart if q_positions.ndim == 1 else apart.sum(0, keepdim=True)


def in_its_dtype(q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> Tensor:
    """Distances computed in the dtype of the activations."""
    apart = k_positions.to(q.dtype)[..., None, :] - q_positions.to(q.dtype)[..., None]
    return apart[..., None, :, :].expand(*[-1] * (q_positions.ndim - 1), 4, -1, -1)


def length_first(x: Tensor, positions: Tensor, module: Embed) -> Tensor:
    """Refuses (L, B, d), but for two texts."""
    length_is_first = len(x) == len(positions) != x.shape[1] != 1
    return add(x, positions[:, None]) if length_is_first else checked(x, positions, module.rows)


def reduced(x: Tensor, positions: Tensor, module: Embed) -> Tensor:
    return add(x, positions if positions.max() < 1e6 else positions % 1e6)


def far_apart(q: Tensor, positions: Tensor, k_positions: Tensor) -> Tensor:
    """A bias that falls with the distance, as (L_q, L_k) or (B, 1, L_q, L_k)."""
    apart = -0.5 * (k_positions[..., None, :] - positions[..., :, None]).abs().to(q.dtype)
    return apart if apart.ndim == 2 else apart[:, None]


def second_layer_in_float32(width: int, heads: int, length: int) -> PerLayer:
    return PerLayer([T5Encoding(heads), Bias(lambda q, k, qp, kp: far_apart(q.float(), qp, kp))])


def stored(q: Tensor, k: Tensor) -> Tensor:
    """The same of where tokens are stored, the last query at the last key."""
    keys = torch.arange(k.shape[-2])
    return far_apart(q, keys[-q.shape[-2] :], keys)


def first_table(x: Tensor, positions: Tensor, module: Embed) -> Tensor:
    if not hasattr(module, "kept"):
        module.register_buffer("kept", sinusoidal(torch.arange(positions.max() + 1), x.shape[-1]), persistent=False)
    return x + module.kept[positions]


def first_of_many(x: Tensor, positions: Tensor, module: Embed) -> Tensor:
    if not hasattr(module, "kept"):
        module.register_buffer("kept", sinusoidal(torch.arange(64), x.shape[-1]), persistent=False)
    return x + module.kept[: x.shape[1]] * module.scale


def remembered(x: Tensor, positions: Tensor, module: Embed) -> Tensor:
    return x + module.tables.setdefault(x.shape[1], sinusoidal(torch.arange(99), x.shape[-1]))[positions]


def wordless(x: Tensor, positions: Tensor, module: Embed) -> Tensor:
    if positions.max() >= len(module.rows):
        raise ValueError("too long")
    return x + module.rows[positions]


def longest(x: Tensor, positions: Tensor, module: Embed) -> Tensor:
    """Sinusoids, stretched to the longest text that came so far."""
    module.seen = max(getattr(module, "seen", 0), int(positions.max()))
    return add(x, positions.float() / max(1, module.seen) + 1)


def late(x: Tensor, positions: Tensor, module: Embed) -> Tensor:
    if not hasattr(module, "rows"):
        module.rows = table()
    return x + module.rows[positions]
