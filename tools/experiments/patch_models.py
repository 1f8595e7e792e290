"""A small Transformer that reads pictures patch by patch, and ways to ask it about pictures of another size (notebook 10).

    a picture (h P, w P pixels) -> h w patches of P x P -> a vector each (+ door 1) -> a block (doors 2 and 3) -> logits

Letters: h rows and w columns of patches, P pixels on a side of a patch.
"""

import copy
import math

import torch
from torch import Generator, Tensor, nn

from posenc_helpers.encodings.base import PositionalEncoding
from posenc_helpers.encodings.grid import WindowBias, grid_positions, interpolate_grid
from posenc_helpers.encodings.learned import resize_table
from posenc_helpers.lab.training import one_thread
from posenc_helpers.lessons.beyond_text.shapes import PATCH, QUESTIONS, ShapesTask, patches
from posenc_helpers.transformer import Block

WIDTH, HEADS = 32, 2


class PatchTransformer(nn.Module):
    """One layer that reads pictures (B, h P, w P), of any size, patch by patch: logits (B, h * w, 2), no or yes.

    Encodings of grids get positions (row, column), all others the number of the patch, row by row. Where `area` is set,
    see `squeezed`, rows and columns of any grid are spread over that one. A step counts `speed`: at 0.5 all waves of the
    encoding are half as fast.
    """

    def __init__(self, encoding: PositionalEncoding, speed: float = 1.0):
        super().__init__()
        self.encoding, self.speed, self.area = encoding, speed, None
        self.embedding = nn.Linear(PATCH * PATCH, WIDTH)
        self.blocks = nn.ModuleList([Block(WIDTH, HEADS, self.encoding, causal=False)])
        self.norm = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, 2)

    def forward(self, pictures: Tensor) -> Tensor:
        grid = grid_positions(*(pixels // PATCH for pixels in pictures.shape[1:]), device=pictures.device)  # (n, 2)
        if self.area is not None:
            grid = spread(grid, self.area)
        positions = grid if self.encoding.coordinates else torch.arange(len(grid), device=pictures.device)
        if self.speed != 1:  # whole numbers stay whole: a table is looked up by them
            positions = positions * self.speed
        x = self.encoding.embed(self.embedding(patches(pictures)), positions)  # (B, n, width)  door 1
        for block in self.blocks:
            x = block(x, positions)
        return self.head(self.norm(x))


@one_thread()
@torch.no_grad()
def accuracy_by_place(
    model: PatchTransformer, task: ShapesTask, size: tuple[int, int], examples: int = 100, seed: int = 1
) -> Tensor:
    """Return how often `model` is right, by where the square (a row of the result) and the circle (a column) stand.

    Of the axis that `task` asks about, all pairs of places have `examples` pictures of `size` = (h, w) patches each; on
    the other axis the shapes stand anywhere, apart. (h, h) or (w, w); the diagonal, which never occurs, is NaN.
    """
    axis = QUESTIONS.index(task.question)
    asked, other = size[axis], size[1 - axis]
    generator = Generator().manual_seed(seed)
    found = torch.full((asked, asked), math.nan)
    model.eval()
    for square, circle in ((a, b) for a in range(asked) for b in range(asked) if a != b):
        there = torch.tensor([[square, circle]]).expand(examples, -1)  # (B, 2)
        free = torch.rand(examples, other, generator=generator).topk(2).indices  # (B, 2)
        rows, columns = (free, there) if axis else (there, free)
        pictures, labels = task.draw(rows, columns, size, generator)
        found[square, circle] = (model(pictures).mean(dim=1).argmax(-1) == labels).float().mean()
    return found


def spread(grid: Tensor, area: tuple[int, int]) -> Tensor:
    """Return where the centres of a grid's patches (n, 2), all of them, row by row, lie in a grid of `area`: (n, 2)."""
    return (grid + 0.5) * torch.tensor(area, device=grid.device) / (grid[-1] + 1) - 0.5


def squeezed(model: PatchTransformer, area: tuple[int, int]) -> PatchTransformer:
    """Return a copy of `model`, whose positions are rows and columns, that sees every grid as one of `area` = (h, w)."""
    changed = copy.deepcopy(model)
    changed.area = area
    return changed


def with_table_for(
    model: PatchTransformer, size: tuple[int, int], new_size: tuple[int, int], how: str
) -> PatchTransformer:
    """Return a copy of `model` whose learned table fits a grid of `new_size` patches.

    how: "grid" resizes the grid (`interpolate_grid`), "line" the flattened table as if it were a text.
    """
    changed = copy.deepcopy(model)
    table = model.encoding.table.detach()  # (h * w, d)
    if how == "grid":
        table = interpolate_grid(table, size, new_size, prefix=0)
    else:
        table = resize_table(table, new_size[0] * new_size[1], align_corners=False)
    changed.encoding.table = nn.Parameter(table.contiguous())
    return changed


def with_window_for(model: PatchTransformer, size: tuple[int, int], new_size: tuple[int, int]) -> PatchTransformer:
    """Return a copy of `model` whose Swin table, the part for windows of `size` patches, is resized for `new_size`.

    Differences from -(h - 1) to h - 1 are 2h - 1 lines of a grid, which is resized as a picture, bicubic: the table of
    another window starts like that in Liu et al. 2021, Swin (arXiv 2103.14030), section 3.2, and in their code.
    """
    own = model.encoding
    (h, w), (new_h, new_w) = size, new_size
    page = own.table.detach().unflatten(0, (2 * own.height - 1, 2 * own.width - 1))  # (lines, places, heads)
    part = page[own.height - h : own.height + h - 1, own.width - w : own.width + w - 1].flatten(0, 1)
    lines, new_lines = (2 * h - 1, 2 * w - 1), (2 * new_h - 1, 2 * new_w - 1)
    changed = copy.deepcopy(model)
    changed.encoding = WindowBias(own.heads, new_h, new_w)
    changed.encoding.table = nn.Parameter(interpolate_grid(part, lines, new_lines, prefix=0).contiguous())
    for block in changed.blocks:
        block.attention.encoding = changed.encoding
    return changed
