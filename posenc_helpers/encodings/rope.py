"""Rotary position embedding, RoPE (door 2): every pair of columns of q and k turns by its position times its frequency.

    a' = a cos(p w_i) - b sin(p w_i)    b' = a sin(p w_i) + b cos(p w_i)    w_i = base^(-2i/d_head)    (a, b): pair i

Turning q by m and k by n leaves q . k with the relative position n - m alone.

Which two columns make pair i differs between code bases, and weights trained with one layout mean nothing in the other:
    layout="interleaved"  columns 2i and 2i + 1: the paper, Meta's Llama, GPT-J, GLM-4, Cohere, DeepSeek-V2 and V3
    layout="half"         columns i and i + d_head/2: GPT-NeoX, Hugging Face's Llama and Mistral, Qwen, Gemma, GLM-4.5
Who turns what differs too:
    rotary_dim=r          partial rotary: the first r columns only, w_i = base^(-2i/r) (GPT-NeoX, GPT-J, Phi)
    p_rope                all columns, but the slowest pairs get frequency 0, w_i = base^(-2i/d_head) (Gemma 4)
"""

from collections.abc import Callable

import torch
from torch import Tensor

from posenc_helpers.checks import check_choice, check_count, check_even, check_floating, check_positive, real_positions
from posenc_helpers.encodings.base import PositionalEncoding
from posenc_helpers.encodings.precision import angles
from posenc_helpers.encodings.sinusoidal import frequencies as pair_frequencies

LAYOUTS = ("interleaved", "half")


def rotate_pairs(x: Tensor, angle: Tensor, layout: str = "interleaved", scale: float = 1.0) -> Tensor:
    """Turn the first 2 * pairs columns of x (..., L, d_head) by `angle` (..., L, pairs); the rest stays as it is.

    `scale` stretches the turned columns, as YaRN's attention factor does.
    Arithmetic is float32 or better, the result has the dtype of x.
    Raises TypeError unless x is a floating-point tensor, ValueError for an unknown layout or too few columns.
    Source: Su et al. 2021 (arXiv 2104.09864), section 3.4.2.
    """
    check_choice("layout", layout, LAYOUTS)
    check_floating("x", x)
    width = 2 * angle.shape[-1]
    if width > x.shape[-1]:
        raise ValueError(f"x has {x.shape[-1]} columns; {angle.shape[-1]} pairs of angles need at least {width}")
    turned = x[..., :width].to(torch.promote_types(x.dtype, torch.float32))  # (..., L, 2 pairs)
    cos, sin = scale * angle.cos(), scale * angle.sin()  # (..., L, pairs)
    if layout == "interleaved" and _can_be_complex(turned):
        turn = torch.complex(cos, sin)  # (a + ib) e^(ip w): the same numbers in one pass, where neighbours are pairs
        turned = torch.view_as_real(torch.view_as_complex(turned.unflatten(-1, (-1, 2))) * turn).flatten(-2)
    else:
        pairs, axis = ((-1, 2), -1) if layout == "interleaved" else ((2, -1), -2)  # the layouts differ here, only here
        cos, sin = cos.to(turned.dtype), sin.to(turned.dtype)
        a, b = turned.unflatten(-1, pairs).unbind(axis)  # (..., L, pairs) each
        if turned.requires_grad or sin.requires_grad:
            turned_a, turned_b = torch.addcmul(a * cos, b, sin, value=-1), torch.addcmul(b * cos, a, sin)
            turned = torch.stack([turned_a, turned_b], dim=axis).flatten(-2)  # (..., L, 2 pairs)
        else:  # the same sums, added where they will lie: half the time, but more than before with gradients
            turned = turned * torch.stack([cos, cos], dim=axis).flatten(-2)  # a cos, b cos
            turned.unflatten(-1, pairs).select(axis, 0).addcmul_(b, sin, value=-1)
            turned.unflatten(-1, pairs).select(axis, 1).addcmul_(a, sin)
    turned = turned.to(x.dtype)
    return turned if width == x.shape[-1] else torch.cat([turned, x[..., width:]], dim=-1)  # (..., L, d_head)


def _can_be_complex(x: Tensor) -> bool:
    """Say whether neighbouring columns of x can be read as complex numbers where they lie."""
    if torch.compiler.is_compiling() or x.device.type not in ("cpu", "cuda"):
        return False  # compiled and exported graphs, and MPS, stay with real numbers
    *outer, last = x.stride()
    return last == 1 and x.storage_offset() % 2 == 0 and all(stride % 2 == 0 for stride in outer)


def apply_rope(
    x: Tensor, positions: Tensor, base: float = 10000.0, layout: str = "interleaved", rotary_dim: int | None = None
) -> Tensor:
    """Turn queries or keys x (..., L, d_head) by positions (L,) or (B, L): same shape and dtype as x.

    `positions` may be integers or reals, in any order, negative or fractional; `rotary_dim` defaults to d_head.
    Raises ValueError for an unknown layout, an odd width, a `rotary_dim` above d_head, shapes that do not fit,
    half-precision positions; TypeError for tensors that are no real numbers.
    Source: Su et al. 2021 (arXiv 2104.09864), section 3.4.2.
    """
    check_rotated("x", x, positions)
    width = _rotary_width(x.shape[-1], rotary_dim)
    frequencies = pair_frequencies(width, base, dtype=real_positions(positions).dtype, device=x.device)  # (pairs,)
    return rotate_pairs(x, over_heads(angles(positions, frequencies), x), layout)


def check_rotated(name: str, x: Tensor, positions: Tensor, coordinates: tuple[int, ...] = ()) -> None:
    """Refuse an input of door 2 unless x is a real (..., L, d_head), positions (L,) or (B, L), then `coordinates`."""
    check_floating(name, x)
    real_positions(positions)
    if x.ndim < 2:
        raise ValueError(f"{name} has shape {tuple(x.shape)}; allowed: (B, H, L, d_head), (B, L, d_head), (L, d_head)")
    allowed = [(x.shape[-2], *coordinates)]
    if x.ndim in (3, 4):
        allowed.append((x.shape[0], x.shape[-2], *coordinates))
    if tuple(positions.shape) in allowed:
        return
    hint = ""
    if x.ndim == 4 and positions.ndim > len(coordinates) and positions.shape[-1 - len(coordinates)] == x.shape[1]:
        hint = "; x looks like (B, L, H, d_head), and heads come before the length here: pass x.transpose(1, 2)"
    raise ValueError(
        f"positions has shape {tuple(positions.shape)}; allowed for {name} of shape {tuple(x.shape)}: "
        f"{' or '.join(map(str, allowed))}{hint}"
    )


def text_length(k_positions: Tensor, coordinates: int = 0) -> Tensor:
    """Return the largest key position + 1, or 1 without keys: (..., L_k), then `coordinates` axes -> (...)."""
    if not k_positions.numel():
        return k_positions.new_ones(k_positions.shape[: k_positions.ndim - 1 - coordinates])
    return k_positions.amax(dim=tuple(range(-1 - coordinates, 0))) + 1


def over_heads(angle: Tensor, x: Tensor) -> Tensor:
    """Give angles (B, L, pairs) an axis for the heads of x (B, H, L, d_head)."""
    return angle[:, None] if angle.ndim == 3 and x.ndim == 4 else angle


def p_rope(frequencies: Tensor, proportion: float) -> Tensor:
    """Keep the fastest floor(proportion * pairs) of the frequencies (pairs,) and set the others to 0 (no rotation).

    Not partial rotary: the exponents still run over all of d_head. Raises ValueError unless 0 <= proportion <= 1.
    Source: Barbero, Vitvitskyi, Perivolaropoulos, Pascanu, Velickovic 2024 (arXiv 2410.06205), appendix D.
    """
    if not 0 <= proportion <= 1:
        raise ValueError(f"proportion={proportion} must lie between 0 and 1")
    pairs = frequencies.shape[-1]
    return torch.where(torch.arange(pairs, device=frequencies.device) < int(proportion * pairs), frequencies, 0.0)


def layout_permutation(head_dim: int, to: str = "half", rotary_dim: int | None = None) -> Tensor:
    """Return the column order (head_dim,) with x[..., order] in layout `to` where x is in the other one.

    Raises ValueError for an unknown layout, odd widths and a `rotary_dim` above `head_dim`.
    """
    check_choice("to", to, LAYOUTS)
    rotary_dim = _rotary_width(head_dim, rotary_dim)
    order = torch.arange(rotary_dim)
    order = order.unflatten(0, (-1, 2) if to == "half" else (2, -1)).T.flatten()  # (rotary_dim,)
    return torch.cat([order, torch.arange(rotary_dim, head_dim)])  # (head_dim,)


def convert_layout(weight: Tensor, heads: int, to: str = "half", rotary_dim: int | None = None) -> Tensor:
    """Reorder the rows of W_q or W_k (heads * d_head, d), or of its bias, from the other layout into layout `to`.

    The converted model is the same model. W_k of a grouped-query model has fewer `heads`. Never convert twice, and
    leave W_v alone: its columns do not turn.
    Raises ValueError where `heads` does not divide the rows, and what `layout_permutation` raises.
    """
    check_count("heads", heads)
    if weight.shape[0] % heads:
        raise ValueError(f"heads={heads} does not divide the {weight.shape[0]} rows of weight")
    per_head = weight.unflatten(0, (heads, -1))  # (heads, d_head, ...)
    order = layout_permutation(per_head.shape[1], to, rotary_dim).to(weight.device)
    return per_head[:, order].flatten(0, 1)


def _rotary_width(head_dim: int, rotary_dim: int | None) -> int:
    """Return the number of columns that turn, refused unless even and at most `head_dim`."""
    if rotary_dim is None:
        check_even("head_dim", head_dim)
        return head_dim
    check_even("rotary_dim", rotary_dim)
    if rotary_dim > head_dim:
        raise ValueError(f"rotary_dim={rotary_dim} exceeds head_dim={head_dim}")
    return rotary_dim


class RotaryEncoding(PositionalEncoding):
    """Door 2: q (B, H, L_q, head_dim) and k (B, H_k, L_k, head_dim) -> both turned by their own positions.

    H_k may be smaller than H (grouped-query attention). `scaling` maps the frequencies (pairs,) and the length (the
    largest key position + 1; one per row of a batch) to new frequencies, as the functions of `rope_scaling` do;
    `attention_factor` multiplies what turns. Nothing is stored and nothing is trained.
    Raises ValueError for an odd width, a `rotary_dim` above `head_dim`, an unknown layout, shapes that do not fit.
    Source: Su et al. 2021 (arXiv 2104.09864), eq. 15.
    """

    def __init__(
        self,
        head_dim: int,
        base: float = 10000.0,
        layout: str = "interleaved",
        rotary_dim: int | None = None,
        scaling: Callable[[Tensor, Tensor], Tensor] | None = None,
        attention_factor: float = 1.0,
    ):
        super().__init__()
        check_choice("layout", layout, LAYOUTS)
        check_positive("attention_factor", attention_factor)
        self.head_dim, self.base, self.layout = head_dim, base, layout
        self.rotary_dim = _rotary_width(head_dim, rotary_dim)
        self.scaling, self.attention_factor = scaling, attention_factor
        self.frequencies()  # refuse bad arguments now, those of the scaling too

    def frequencies(self, length: int | Tensor = 1, dtype: torch.dtype = torch.float32, device=None) -> Tensor:
        """Return the frequencies (pairs,) in use at this length; (B, 1, pairs) where length is (B, 1, 1)."""
        frequencies = pair_frequencies(self.rotary_dim, self.base, dtype=dtype, device=device)  # (pairs,)
        if self.scaling is None:
            return frequencies
        return self.scaling(frequencies, torch.as_tensor(length, device=device))

    def angles(self, positions: Tensor, k_positions: Tensor) -> Tensor:
        """Return the angle of every pair: positions (L,) or (B, L) -> (L, pairs) or (B, L, pairs)."""
        length = text_length(k_positions)[..., None, None] if self.scaling is not None else 1  # (1, 1) or (B, 1, 1)
        frequencies = self.frequencies(length, real_positions(positions).dtype, positions.device)
        return angles(positions, frequencies)

    def rotate(self, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> tuple[Tensor, Tensor]:
        return self._turn("q", q, q_positions, k_positions), self._turn("k", k, k_positions, k_positions)

    def _turn(self, name: str, x: Tensor, positions: Tensor, k_positions: Tensor) -> Tensor:
        if x.shape[-1] != self.head_dim:
            raise ValueError(f"{name} has head width {x.shape[-1]}, but the encoding was made for {self.head_dim}")
        check_rotated(name, x, positions, self.coordinates)
        return rotate_pairs(x, over_heads(self.angles(positions, k_positions), x), self.layout, self.attention_factor)

    def extra_repr(self) -> str:
        return f"head_dim={self.head_dim}, base={self.base}, layout={self.layout!r}, rotary_dim={self.rotary_dim}"
