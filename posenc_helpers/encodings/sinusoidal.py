"""Sinusoidal encoding (door 1): every pair of columns is a clock hand that turns at its own speed.

    PE(p, 2i) = sin(p w_i)    PE(p, 2i + 1) = cos(p w_i)    w_i = base^(-2i/d)    i = 0 ... d/2 - 1 (the pair index)

Two conventions differ between code bases, and both are arguments here:
    layout="interleaved"     sin, cos, sin, cos ...  the paper
    layout="half"            all sines, then all cosines: tensor2tensor, Marian, Whisper; the same columns permuted
    formula="paper"          w_i = base^(-i / (d/2))
    formula="tensor2tensor"  w_i = base^(-i / (d/2 - 1)): tensor2tensor, fairseq, Whisper; other frequencies, so no
                             permutation leads to the paper's table
"""

import torch
from torch import Tensor

from posenc_helpers.checks import check_choice, check_embedded, check_even, check_positive, real_positions
from posenc_helpers.encodings.base import PositionalEncoding
from posenc_helpers.encodings.precision import angles

LAYOUTS = ("interleaved", "half")
FORMULAS = ("paper", "tensor2tensor")


def frequencies(
    dim: int, base: float = 10000.0, formula: str = "paper", *, dtype: torch.dtype = torch.float32, device=None
) -> Tensor:
    """Return the frequency w_i of every pair, fastest first, in radians per position: shape (dim / 2,).

    Raises ValueError for an odd `dim`, a `base` that is not above 0, an unknown `formula`, and dim=2 with
    formula="tensor2tensor", whose exponent would divide by zero.
    """
    check_choice("formula", formula, FORMULAS)
    pairs = check_even("dim", dim, least=2 if formula == "paper" else 4) // 2
    check_positive("base", base)
    wide = torch.promote_types(dtype, torch.float32)  # half precision would round the exponents: it is for the result
    pair = torch.arange(pairs, dtype=wide, device=device)  # (dim/2,)  i
    return (base ** (-pair / (pairs if formula == "paper" else pairs - 1))).to(dtype)  # (dim/2,)


def sinusoidal(
    positions: Tensor, dim: int, base: float = 10000.0, layout: str = "interleaved", formula: str = "paper"
) -> Tensor:
    """Return the sinusoidal code of every position: positions (...) -> (..., dim), values in [-1, 1].

    `positions` may be integers or reals, negative or fractional. Angles are float32, or float64 for float64 positions.
    Raises what `frequencies` raises, ValueError for an unknown `layout` or half-precision positions, and TypeError for
    positions that are no real tensor.
    Source: Vaswani et al. 2017 (arXiv 1706.03762), section 3.5.
    """
    check_choice("layout", layout, LAYOUTS)
    speed = frequencies(dim, base, formula, dtype=real_positions(positions).dtype, device=positions.device)  # (dim/2,)
    angle = angles(positions, speed)  # (..., dim/2)
    if layout == "half":
        return torch.cat([angle.sin(), angle.cos()], dim=-1)  # (..., dim)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(-2)  # (..., dim)


class SinusoidalEncoding(PositionalEncoding):
    """Door 1: x (B, L, dim) -> x + scale * sinusoidal(positions, dim), same shape and dtype as x.

    There is no table: the formula is cheap, so any position works, nothing is stored and nothing is trained.
    Raises what `sinusoidal` raises, and ValueError when x and positions do not fit.
    Source: Vaswani et al. 2017 (arXiv 1706.03762), section 3.5.
    """

    def __init__(
        self, dim: int, base: float = 10000.0, layout: str = "interleaved", formula: str = "paper", scale: float = 1.0
    ):
        super().__init__()
        frequencies(dim, base, formula)  # refuse bad arguments now, not at the first batch
        check_choice("layout", layout, LAYOUTS)
        check_positive("scale", scale)
        self.dim, self.base, self.layout, self.formula, self.scale = dim, base, layout, formula, scale

    def embed(self, x: Tensor, positions: Tensor) -> Tensor:
        check_embedded(x, positions, self.dim)
        table = sinusoidal(positions, self.dim, self.base, self.layout, self.formula)  # (L, dim) or (B, L, dim)
        return x + (self.scale * table).to(x.dtype)  # cast last: angles stay float32 in a bfloat16 model
