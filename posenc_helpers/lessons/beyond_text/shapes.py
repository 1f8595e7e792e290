"""Small pictures whose right answers are known, and a Transformer that reads their patches.

    a picture (h P, w P pixels) -> h w patches of P x P -> a vector each (+ door 1) -> blocks (doors 2 and 3) -> logits

A square and a circle stand somewhere among noise, each within a patch of its own and never cut by its edge. How a patch
looks tells nothing about where it is, unless the light is on: `lit` pictures are brighter at the top.

Letters: h rows and w columns of patches, P pixels on a side of a patch.
"""

import copy
import math

import torch
from torch import Generator, Tensor, nn

from posenc_helpers.checks import check_choice, check_count, check_positive
from posenc_helpers.encodings.base import PositionalEncoding, of_layers
from posenc_helpers.encodings.grid import WindowBias, grid_positions, interpolate_grid, sinusoidal_2d
from posenc_helpers.encodings.learned import LearnedEncoding, resize_table
from posenc_helpers.encodings.sinusoidal import SinusoidalEncoding
from posenc_helpers.lab.training import one_thread
from posenc_helpers.transformer import Block

PATCH = 6  # pixels on a side
QUESTIONS = ("above", "left")  # of the circle: is the square there?


def shape(kind: str, side: int = PATCH) -> Tensor:
    """Return a filled "square" or "circle" of side - 2 pixels in the middle of a patch: (side, side), 0 or 1.

    Raises ValueError for another kind and for a side below 5.
    """
    check_choice("kind", kind, ("square", "circle"))
    check_count("side", side, least=5)
    away = (torch.arange(side) - (side - 1) / 2).abs()  # (P,)  of each pixel from the middle
    radius = (side - 2) / 2
    if kind == "square":
        inside = torch.maximum(away[:, None], away) < radius
    else:
        inside = away[:, None] ** 2 + away**2 < radius**2
    return inside.float()


def patches(pictures: Tensor, side: int = PATCH) -> Tensor:
    """Cut pictures (B, h P, w P) into patches, row by row: (B, h * w, P * P).

    Raises ValueError unless P = `side` divides both sides of the picture.
    """
    if pictures.ndim != 3 or pictures.shape[1] % side or pictures.shape[2] % side:
        raise ValueError(f"pictures has shape {tuple(pictures.shape)}; allowed: (B, h * {side}, w * {side})")
    cut = pictures.unfold(1, side, side).unfold(2, side, side)  # (B, h, w, P, P)
    return cut.flatten(3).flatten(1, 2)


class ShapesTask:
    """A square and a circle in different rows and columns: is the square above the circle, or left of it? Chance 0.5.

    Raises ValueError for another question.
    """

    classes, chance = 2, 0.5

    def __init__(self, question: str = "above", side: int = PATCH, noise: float = 0.3, lit: bool = False):
        check_choice("question", question, QUESTIONS)
        self.question, self.side, self.noise, self.lit = question, side, noise, lit

    def sample(self, batch: int, length: tuple[int, int], generator: Generator) -> tuple[Tensor, Tensor]:
        """Return pictures (B, h P, w P) of `length` = (h, w) patches and labels (B,), 1 = yes.

        Raises ValueError for fewer than two rows or columns.
        """
        check_count("batch", batch)
        h, w = (check_count("length", count, least=2) for count in length)
        rows = torch.rand(batch, h, generator=generator).topk(2).indices  # (B, 2)  of the square and of the circle
        columns = torch.rand(batch, w, generator=generator).topk(2).indices  # (B, 2)
        return self.draw(rows, columns, (h, w), generator)

    def draw(
        self, rows: Tensor, columns: Tensor, length: tuple[int, int], generator: Generator
    ) -> tuple[Tensor, Tensor]:
        """Return pictures of `length` and labels, as `sample` does, with the square in row and column [:, 0] of rows
        (B, 2) and columns (B, 2), and the circle in [:, 1]."""
        (h, w), batch = length, len(rows)
        pictures = self.noise * torch.randn(batch, h, self.side, w, self.side, generator=generator)
        for which, kind in enumerate(("square", "circle")):
            pictures[torch.arange(batch), rows[:, which], :, columns[:, which]] += shape(kind, self.side)
        pictures = pictures.flatten(3).flatten(1, 2)  # (B, h P, w P)
        if self.lit:
            pictures = pictures + torch.linspace(1, -1, h * self.side)[:, None]
        places = rows if self.question == "above" else columns
        return pictures, (places[:, 0] < places[:, 1]).long()


class Sinusoidal2d(PositionalEncoding):
    """Door 1: x (B, n, width) + scale * sinusoidal_2d(positions (n, 2)). Raises what `sinusoidal_2d` raises."""

    coordinates = (2,)

    def __init__(self, width: int, base: float = 10000.0, scale: float = 1.0):
        super().__init__()
        self.width, self.base, self.scale = width, base, scale

    def embed(self, x: Tensor, positions: Tensor) -> Tensor:
        return x + self.scale * sinusoidal_2d(positions, self.width, self.base).to(x.dtype)


class SinusoidalFrom(SinusoidalEncoding):
    """Door 1: sinusoids of the number of the patch, but the fastest wave repeats every `wavelength` patches, not 2 pi.

    Raises what `SinusoidalEncoding` raises, and ValueError for a wavelength that is not above 0.
    """

    def __init__(self, wavelength: float, dim: int, base: float = 10000.0, scale: float = 1.0):
        super().__init__(dim, base, scale=scale)
        check_positive("wavelength", wavelength)
        self.wavelength = wavelength

    def embed(self, x: Tensor, positions: Tensor) -> Tensor:
        return super().embed(x, positions * (2 * math.pi / self.wavelength))


class PatchTransformer(nn.Module):
    """A Transformer that reads pictures (B, h P, w P), of any size, patch by patch: logits (B, h * w, outputs).

    Encodings of grids get positions (row, column), all others the number of the patch, row by row. Where `area` is set,
    see `squeezed`, rows and columns of any grid are spread over that one. Rows and columns count `speed` each: at 0.5
    all waves of the encoding are half as fast.
    Raises ValueError where `heads` does not divide `width`, and for a `speed` that is not above 0.
    """

    def __init__(
        self,
        encoding: PositionalEncoding | None = None,
        side: int = PATCH,
        width: int = 32,
        heads: int = 2,
        layers: int = 1,
        outputs: int = 2,
        speed: float = 1.0,
    ):
        super().__init__()
        self.encoding = PositionalEncoding() if encoding is None else encoding
        check_positive("speed", speed)
        self.side, self.area, self.speed = side, None, speed
        self.embedding = nn.Linear(side * side, width)
        self.blocks = nn.ModuleList(Block(width, heads, own, False) for own in of_layers(self.encoding, layers))
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, outputs)

    def forward(self, pictures: Tensor) -> Tensor:
        grid = grid_positions(*(pixels // self.side for pixels in pictures.shape[1:]), device=pictures.device)  # (n, 2)
        if self.area is not None:
            grid = spread(grid, self.area)
        if self.speed != 1:
            grid = grid * self.speed
        positions = grid if self.encoding.coordinates else torch.arange(len(grid), device=pictures.device)
        x = self.encoding.embed(self.embedding(patches(pictures, self.side)), positions)  # (B, n, width)  door 1
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
    """Return a copy of `model` that sees every grid in the coordinates of one of `area` = (h, w) patches.

    Raises ValueError for a model whose positions are no rows and columns.
    """
    if not model.encoding.coordinates:
        raise ValueError(f"model has the encoding {type(model.encoding).__name__}; allowed: one with rows and columns")
    changed = copy.deepcopy(model)
    changed.area = tuple(check_count("area", count) for count in area)
    return changed


def with_table_for(
    model: PatchTransformer, size: tuple[int, int], new_size: tuple[int, int], how: str
) -> PatchTransformer:
    """Return a copy of `model` whose learned table fits a grid of `new_size` patches.

    how: "grid" resizes the grid (`interpolate_grid`), "line" the flattened table as if it were a text, "as it is" leaves
    it alone, which needs as many patches as before. Raises ValueError for another one and for another encoding.
    """
    check_choice("how", how, ("grid", "line", "as it is"))
    if not isinstance(model.encoding, LearnedEncoding):
        raise ValueError(f"model has the encoding {type(model.encoding).__name__}; allowed: LearnedEncoding")
    changed = copy.deepcopy(model)
    table = model.encoding.table.detach()  # (h * w, d)
    if how == "grid":
        table = interpolate_grid(table, size, new_size, prefix=0)
    elif how == "line":
        table = resize_table(table, new_size[0] * new_size[1], align_corners=False)
    changed.encoding.table = nn.Parameter(table.contiguous())
    return changed


def with_window_for(model: PatchTransformer, size: tuple[int, int], new_size: tuple[int, int]) -> PatchTransformer:
    """Return a copy of `model` whose Swin table, the part for windows of `size` patches, is resized for `new_size`.

    Differences from -(h - 1) to h - 1 are 2h - 1 lines of a grid, which is resized as a picture, bicubic: the table of
    another window starts like that in Liu et al. 2021, Swin (arXiv 2103.14030), section 3.2, and in their code.
    Raises ValueError for a `size` that the table has no room for, and for another encoding.
    """
    if not isinstance(model.encoding, WindowBias):
        raise ValueError(f"model has the encoding {type(model.encoding).__name__}; allowed: WindowBias")
    own = model.encoding
    (h, w), (new_h, new_w) = size, new_size
    if not (1 <= h <= own.height and 1 <= w <= own.width):
        raise ValueError(f"size={tuple(size)} must be at least 1 and at most {(own.height, own.width)}, the window")
    page = own.table.detach().unflatten(0, (2 * own.height - 1, 2 * own.width - 1))  # (lines, places, heads)
    part = page[own.height - h : own.height + h - 1, own.width - w : own.width + w - 1].flatten(0, 1)
    lines, new_lines = (2 * h - 1, 2 * w - 1), (2 * new_h - 1, 2 * new_w - 1)
    changed = copy.deepcopy(model)
    changed.encoding = WindowBias(own.heads, new_h, new_w)
    changed.encoding.table = nn.Parameter(interpolate_grid(part, lines, new_lines, prefix=0).contiguous())
    for block in changed.blocks:
        block.attention.encoding = changed.encoding
    return changed
