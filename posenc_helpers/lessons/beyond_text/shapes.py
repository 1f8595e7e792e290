"""Small pictures whose right answers are known, cut into patches: h w of P x P pixels.

A square and a circle stand somewhere among noise, each within a patch of its own and never cut by its edge. How a patch
looks tells nothing about where it is, unless the light is on: `lit` pictures are brighter at the top.

Letters: h rows and w columns of patches, P pixels on a side of a patch.
"""

import torch
from torch import Generator, Tensor

from posenc_helpers.checks import check_choice, check_count
from posenc_helpers.encodings.base import PositionalEncoding
from posenc_helpers.encodings.grid import sinusoidal_2d

PATCH = 6  # pixels on a side
QUESTIONS = ("above", "left")  # of the circle: is the square there?


def shape(kind: str) -> Tensor:
    """Return a filled "square" or "circle", a pixel from the edges of its patch: (P, P), 0 or 1.

    Raises ValueError for another kind.
    """
    check_choice("kind", kind, ("square", "circle"))
    away = (torch.arange(PATCH) - (PATCH - 1) / 2).abs()  # (P,)  of each pixel from the middle
    radius = (PATCH - 2) / 2
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

    def __init__(self, question: str = "above", noise: float = 0.3, lit: bool = False):
        check_choice("question", question, QUESTIONS)
        self.question, self.noise, self.lit = question, noise, lit

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
        pictures = self.noise * torch.randn(batch, h, PATCH, w, PATCH, generator=generator)
        for which, kind in enumerate(("square", "circle")):
            pictures[torch.arange(batch), rows[:, which], :, columns[:, which]] += shape(kind)
        pictures = pictures.flatten(3).flatten(1, 2)  # (B, h P, w P)
        if self.lit:
            pictures = pictures + torch.linspace(1, -1, h * PATCH)[:, None]
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
