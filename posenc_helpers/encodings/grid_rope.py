"""RoPE with more than one coordinate (door 2): images and videos.

    axial     some pairs turn by the row, the others by the column
    mixed     every pair turns by a learned combination of row and column
    M-RoPE    text and vision in one sequence: every position is (time, row, column), equal for text

What real vision encoders do differs in the frequencies and in the unit of a position:
    Qwen2-VL                    variant="shared": both axes have the d_head/4 frequencies of a head of width d_head/2
    Pixtral                     variant="alternating": of d_head/2 frequencies the row takes every even one
    DINOv3                      variant="shared", base=100, positions 2 pi * patch_centres(h, w)
    rotary-embedding-torch      frequencies pi * linspace(1, max_freq/2), positions linspace(-1, 1): `axial_angles`
All put the pairs of the row first; but for the last one, in layout="half".
"""

from collections.abc import Callable, Sequence
from numbers import Integral

import torch
from torch import Tensor

from posenc_helpers.checks import check_choice, check_count, real_positions
from posenc_helpers.encodings.grid import check_coordinates, grid_positions
from posenc_helpers.encodings.precision import angles
from posenc_helpers.encodings.rope import RotaryEncoding, text_length
from posenc_helpers.encodings.sinusoidal import frequencies as pair_frequencies

VARIANTS = ("shared", "alternating")


def patch_centres(height: int, width: int) -> Tensor:
    """Return where the centre of every patch lies when both sides of the image run from -1 to 1: (h * w, 2)."""
    return (2 * grid_positions(height, width) + 1).float() / torch.tensor([height, width]) - 1


def axial_frequencies(
    head_dim: int, base: float = 10000.0, variant: str = "shared", *, dtype: torch.dtype = torch.float32, device=None
) -> Tensor:
    """Return the frequencies of the row's pairs and of the column's: (2, head_dim / 4), fastest first.

    Raises ValueError unless `head_dim` is a multiple of 4, and for an unknown variant.
    Source: Qwen2-VL (shared) and Pixtral (alternating), as released.
    """
    check_choice("variant", variant, VARIANTS)
    check_count("head_dim", head_dim)
    if head_dim % 4:
        raise ValueError(f"head_dim={head_dim} must be a multiple of 4: two axes, and a pair of columns per frequency")
    if variant == "shared":
        return pair_frequencies(head_dim // 2, base, dtype=dtype, device=device).expand(2, -1)
    return pair_frequencies(head_dim, base, dtype=dtype, device=device).unflatten(0, (-1, 2)).T


def axial_angles(positions: Tensor, frequencies: Tensor) -> Tensor:
    """Return the angle of every pair: positions (..., axes), frequencies (axes, n) -> (..., axes * n), axis by axis.

    Raises ValueError where the axes differ.
    """
    check_coordinates(positions, len(frequencies))
    return angles(positions, frequencies).flatten(-2)


def mixed_angles(positions: Tensor, matrix: Tensor) -> Tensor:
    """Return angles that read every axis: positions (..., axes), matrix (axes, pairs), learned -> (..., pairs).

    Axial angles are the case of a matrix with one entry per pair. Raises ValueError where the axes differ.
    Source: Heo et al. 2024 (arXiv 2403.13298), RoPE-Mixed: one matrix per layer and head.
    """
    check_coordinates(positions, len(matrix))
    return angles(positions, matrix).sum(-2)


class AxialRotaryEncoding(RotaryEncoding):
    """Door 2: q and k (B, H, L, head_dim) turned by positions (L, 2) or (B, L, 2), (row, column).

    A token at (0, 0) does not turn. Raises what `axial_frequencies` and `RotaryEncoding` raise.
    Source: Heo et al. 2024 (arXiv 2403.13298).
    """

    coordinates = (2,)

    def __init__(self, head_dim: int, base: float = 10000.0, layout: str = "half", variant: str = "shared"):
        self.variant = variant
        super().__init__(head_dim, base, layout)  # it asks for frequencies, which refuse a bad variant

    def frequencies(self, length: int | Tensor = 1, dtype: torch.dtype = torch.float32, device=None) -> Tensor:
        """Return the frequencies (pairs,), those of the row first, at any length."""
        return axial_frequencies(self.head_dim, self.base, self.variant, dtype=dtype, device=device).flatten()

    def angles(self, positions: Tensor, k_positions: Tensor) -> Tensor:
        frequencies = self.frequencies(1, real_positions(positions).dtype, positions.device)
        return axial_angles(positions, frequencies.unflatten(0, (2, -1)))


def mrope_axes(sections: Sequence[int], interleaved: bool = False, device=None) -> Tensor:
    """Return which coordinate turns each pair, 0 time, 1 row, 2 column: sections (3 counts) -> (pairs,).

    interleaved=False: the fastest sections[0] pairs for time, then rows, then columns (Qwen2-VL). interleaved=True:
    time, row, column in turn while they last, then time (Qwen3-VL).
    Raises ValueError unless there are three counts; interleaved, also for more than a third of rows or columns.
    """
    if len(sections) != 3:
        raise ValueError(f"sections={list(sections)} must be three counts of pairs: time, row, column")
    sections = [check_count("sections", count, least=0) for count in sections]
    if not interleaved:
        return torch.cat([torch.full((count,), axis, device=device) for axis, count in enumerate(sections)])
    pairs = sum(sections)
    if 3 * sections[1] > pairs + 1 or 3 * sections[2] > pairs:
        raise ValueError(f"sections={sections}: interleaved, rows and columns may have a third of the pairs each")
    axes = torch.zeros(pairs, dtype=torch.long, device=device)
    axes[1 : 3 * sections[1] : 3] = 1
    axes[2 : 3 * sections[2] : 3] = 2
    return axes


def mrope_positions(parts: Sequence[int | tuple[int, int, int]], start: int = 0) -> tuple[Tensor, int]:
    """Return the ids (L, 3) of text and vision in a row, and the id of the token that comes next.

    A part is a number of text tokens, or the (times, rows, columns) of an image or video after merging patches. Text
    counts on in all three coordinates; what follows a picture starts behind its longest side, not its last token.
    Raises ValueError for counts below 1 and for a part that is neither, TypeError for counts that are not integers.
    Source: Wang et al. 2024, Qwen2-VL (arXiv 2409.12191), section 2.1.
    """
    start, ids = check_count("start", start, least=0), []
    if not isinstance(parts, Sequence):
        raise TypeError(f"parts={parts!r} must be a list of parts, each a number of tokens or (times, rows, columns)")
    for part in parts:
        text = isinstance(part, Integral)
        if not (text or (isinstance(part, Sequence) and len(part) == 3)):
            raise ValueError(f"parts has {part!r}; allowed: a number of tokens, or (times, rows, columns)")
        counts = [check_count("parts", count) for count in ([part] if text else part)]
        axes = [torch.arange(start, start + count) for count in counts]
        ids.append(axes[0][:, None].expand(-1, 3) if text else torch.cartesian_prod(*axes))
        start += max(counts)
    return torch.cat(ids) if ids else torch.zeros(0, 3, dtype=torch.long), start


class MultimodalRotaryEncoding(RotaryEncoding):
    """Door 2, M-RoPE: q and k (B, H, L, head_dim) turned by positions (L, 3) or (B, L, 3), (time, row, column).

    Where all three ids are equal this is RoPE. `sections` sum to rotary_dim / 2; the other columns stay as they are.
    Raises ValueError for other sections, and what `mrope_axes` and `RotaryEncoding` raise.
    Source: Wang et al. 2024, Qwen2-VL (arXiv 2409.12191), section 2.1, as released.
    """

    coordinates = (3,)

    def __init__(
        self,
        head_dim: int,
        sections: Sequence[int],
        base: float = 1e6,
        layout: str = "half",
        interleaved: bool = False,
        scaling: Callable[[Tensor, Tensor], Tensor] | None = None,
        attention_factor: float = 1.0,
        rotary_dim: int | None = None,
    ):
        super().__init__(head_dim, base, layout, rotary_dim, scaling, attention_factor)
        if len(mrope_axes(sections, interleaved)) != self.rotary_dim // 2:
            width = "head_dim" if rotary_dim is None else "rotary_dim"
            raise ValueError(f"sections={list(sections)} must sum to {width} / 2 = {self.rotary_dim // 2}")
        self.sections, self.interleaved = tuple(map(int, sections)), interleaved

    def angles(self, positions: Tensor, k_positions: Tensor) -> Tensor:
        axes = mrope_axes(self.sections, self.interleaved, positions.device)  # (pairs,)
        length = text_length(k_positions, coordinates=1)[..., None, None]  # (1, 1) or (B, 1, 1)
        frequencies = self.frequencies(length, real_positions(positions).dtype, positions.device)  # (..., pairs)
        return angles(positions[..., axes], frequencies[..., None])[..., 0]  # (..., L, pairs): each pair by its axis
