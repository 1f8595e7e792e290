"""Positions that are no line of words: cells of a grid, points in a plane, moments in time.

    grid_positions       (row, column) of every patch, row by row, as a flattened image lists them
    sinusoidal_2d        half of the columns code the row, half the column (door 1)
    interpolate_grid     a learned table at another resolution: the grid is resized, the class token's row is not
    WindowBias           Swin: one learned number per head and relative place (door 3)
    Time2Vec             a learned line and learned sine waves of time (door 1)
    fourier_features     cosines and sines of random projections of coordinates

Rotary encodings of grids are in `grid_rope`. Letters: h rows, w columns, n = h * w cells.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional

from posenc_helpers.checks import (
    check_choice,
    check_count,
    check_embedded,
    check_floating,
    real_positions,
    whole_positions,
)
from posenc_helpers.encodings.base import PositionalEncoding, check_scores
from posenc_helpers.encodings.precision import angles, full_precision
from posenc_helpers.encodings.relative import START, table_bias
from posenc_helpers.encodings.sinusoidal import sinusoidal


def grid_positions(height: int, width: int, device=None) -> Tensor:
    """Return (row, column) of every cell, row by row: (height * width, 2), integers from 0."""
    check_count("height", height)
    check_count("width", width)
    rows, columns = torch.arange(height, device=device), torch.arange(width, device=device)
    return torch.cartesian_prod(rows, columns)


def sinusoidal_2d(positions: Tensor, dim: int, base: float = 10000.0) -> Tensor:
    """Return the code of every (row, column): positions (..., 2) -> (..., dim), first dim/2 columns for the row.

    Raises ValueError unless `dim` is a multiple of 4 and positions have two coordinates, and what `sinusoidal` raises.
    Source: Carion et al. 2020, "End-to-End Object Detection with Transformers" (arXiv 2005.12872), appendix A.4. DETR
    itself counts from 1 and scales both axes to 2 pi: pass such positions.
    """
    if dim % 4:
        raise ValueError(f"dim={dim} must be a multiple of 4: two axes, and a sine and a cosine for each frequency")
    check_coordinates(positions, 2)
    return sinusoidal(positions, dim // 2, base).flatten(-2)  # (..., 2, dim/2) -> (..., dim)


def interpolate_grid(
    table: Tensor,
    size: tuple[int, int],
    new_size: tuple[int, int],
    prefix: int = 1,
    mode: str = "bicubic",
    align_corners: bool = False,
) -> Tensor:
    """Resize a learned table (prefix + h * w, d) from `size` (h, w) to `new_size`: (prefix + h' * w', d).

    The first `prefix` rows (class token, registers) belong to no cell and are kept as they are. align_corners=False lines
    up the edges of the outer cells (DINOv2, Swin); True lines up their centres, so that cells in the corners stay as they
    are (Qwen3-VL and ViT's released code, both mode="bilinear").
    Raises ValueError where the rows are not prefix + h * w, for sizes below 1, an unknown mode; TypeError for integers.
    Source: Dosovitskiy et al. 2020, ViT (arXiv 2010.11929), section 3.2.
    """
    check_floating("table", table)
    check_choice("mode", mode, ("bicubic", "bilinear"))
    check_count("prefix", prefix, least=0)
    for name, pair in (("size", size), ("new_size", new_size)):
        if len(pair) != 2:
            raise ValueError(f"{name}={pair} must be (height, width)")
        check_count(f"{name}[0]", pair[0])
        check_count(f"{name}[1]", pair[1])
    height, width = size
    if table.ndim != 2 or table.shape[0] != prefix + height * width:
        raise ValueError(
            f"table has shape {tuple(table.shape)}; allowed for prefix={prefix} and size={tuple(size)}: "
            f"({prefix + height * width}, d)"
        )
    if tuple(size) == tuple(new_size):
        return table
    grid = full_precision(table[prefix:]).unflatten(0, (height, width)).permute(2, 0, 1)[None]  # (1, d, h, w)
    # size=, not scale_factor=: rounding h * (h'/h) down loses a row for some sizes
    grid = functional.interpolate(grid, size=tuple(new_size), mode=mode, align_corners=align_corners)  # (1, d, h', w')
    return torch.cat([table[:prefix], grid[0].flatten(1).T.to(table.dtype)])  # (prefix + h' * w', d)


def window_index(relative: Tensor, height: int, width: int) -> Tensor:
    """Return the row of Swin's table for relative places (..., 2), (rows, columns), key - query: (...), integers.

    The table has (2h - 1)(2w - 1) rows: (dy + h - 1)(2w - 1) + (dx + w - 1). Swin's released tables take query - key:
    flip them (`table.flip(0)`), or pass -relative.
    Raises ValueError for a place outside the window, TypeError for places that are not integers.
    Source: Liu et al. 2021, Swin (arXiv 2103.14030), section 3.2.
    """
    check_count("height", height)
    check_count("width", width)
    check_coordinates(relative, 2, "relative")
    relative = whole_positions(relative, "relative")
    size = torch.tensor([height, width], device=relative.device)
    if not (torch.compiler.is_compiling() or relative.is_meta) and (relative.abs() >= size).any():
        farthest = tuple(relative.abs().flatten(0, -2).amax(0).tolist())
        most = f"{height - 1} rows and {width - 1} columns"
        raise ValueError(
            f"relative reaches {farthest}; two places of a window of {height} x {width} are at most {most} apart"
        )
    dy, dx = (relative + size - 1).unbind(-1)
    return dy * (2 * width - 1) + dx


class WindowBias(PositionalEncoding):
    """Door 3: positions (L, 2) or (B, L, 2) in a window of height x width -> bias (H, L_q, L_k) or (B, H, L_q, L_k).

    (2 height - 1)(2 width - 1) * heads parameters, normal with standard deviation 0.02.
    Raises ValueError for places outside the window and for q, k and positions that do not fit, TypeError for positions
    that are not integers.
    Source: Liu et al. 2021, Swin (arXiv 2103.14030), section 3.2.
    """

    coordinates = (2,)

    def __init__(self, heads: int, height: int, width: int):
        super().__init__()
        check_count("heads", heads)
        window_index(torch.zeros(1, 2, dtype=torch.long), height, width)  # refuse bad sizes now
        self.heads, self.height, self.width = heads, height, width
        self.table = nn.Parameter(torch.randn((2 * height - 1) * (2 * width - 1), heads) * START)

    def bias(self, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> Tensor:
        check_scores(q, k, q_positions, k_positions, self.heads, coordinates=self.coordinates)
        m, n = whole_positions(q_positions, "q_positions"), whole_positions(k_positions, "k_positions")
        relative = n[..., None, :, :] - m[..., :, None, :]  # (..., L_q, L_k, 2)
        return table_bias(self.table, window_index(relative, self.height, self.width)).to(q.dtype)  # (..., H, L_q, L_k)


class Time2Vec(PositionalEncoding):
    """Door 1: x (B, L, dim) + t2v(times), where times (L,) or (B, L) are reals: seconds, days, anything near 1.

    t2v(t)[0] = w_0 t + phi_0    t2v(t)[i] = sin(w_i t + phi_i)    2 dim learned parameters
    Raises ValueError for dim below 2 or shapes that do not fit.
    Source: Kazemi et al. 2019, "Time2Vec" (arXiv 1907.05321), eq. 1.
    """

    def __init__(self, dim: int):
        super().__init__()
        check_count("dim", dim, least=2)
        self.dim = dim
        self.frequency = nn.Parameter(torch.randn(dim))
        self.phase = nn.Parameter(torch.randn(dim))

    def forward(self, times: Tensor) -> Tensor:
        """Return the vector of every moment: times (...) -> (..., dim)."""
        real = real_positions(times, "times")
        frequency, phase = self.frequency.to(real.dtype), self.phase.to(real.dtype)  # (dim,) each
        line = real[..., None] * frequency[:1] + phase[:1]  # (..., 1)
        return torch.cat([line, (angles(times, frequency[1:]) + phase[1:]).sin()], dim=-1)  # (..., dim)

    def embed(self, x: Tensor, positions: Tensor) -> Tensor:
        check_embedded(x, positions, self.dim)
        return x + self(positions).to(x.dtype)


def fourier_features(coordinates: Tensor, projection: Tensor) -> Tensor:
    """Return cos and sin of 2 pi B v: coordinates v (..., axes), projection B (m, axes) -> (..., 2m), in [-1, 1].

    B = sigma * torch.randn(m, axes) is drawn once. Raises ValueError where the axes differ.
    Source: Tancik et al. 2020 (arXiv 2006.10739).
    """
    coordinates = real_positions(coordinates, "coordinates")
    check_coordinates(coordinates, projection.shape[-1], "coordinates")
    turn = 2 * torch.pi * (coordinates[..., None, :] * projection).sum(-1)  # (..., m)
    return torch.cat([turn.cos(), turn.sin()], dim=-1)


def check_coordinates(positions: Tensor, axes: int, name: str = "positions") -> None:
    """Refuse positions whose last axis does not hold `axes` coordinates."""
    if positions.ndim < 1 or positions.shape[-1] != axes:
        raise ValueError(f"{name} has shape {tuple(positions.shape)}; allowed: (..., {axes}), {axes} coordinates each")
