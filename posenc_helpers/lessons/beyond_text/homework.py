"""Homework 10: pictures packed into a row, and likely mistakes."""

from collections.abc import Callable
from operator import itemgetter

import torch
from torch import Tensor

from posenc_helpers.classroom.exercises.answers import as_tensor, watched
from posenc_helpers.classroom.exercises.checking import check, need
from posenc_helpers.classroom.exercises.mistakes import Mistake, compare
from posenc_helpers.classroom.exercises.questions import drawn, whole
from posenc_helpers.encodings import grid_positions


def owners(sizes: list[tuple[int, int]], length: int) -> Tensor:
    """Return the number of each token's picture, and a number of its own below 0 for each pad, (n,)."""
    pictures = [torch.full((h * w,), i) for i, (h, w) in enumerate(sizes)]
    return torch.cat([*pictures, -1 - torch.arange(length - sum(map(len, pictures)))])


def packed(
    grid: Callable = lambda before, h, w: grid_positions(h, w),
    at: Callable = lambda places, sizes: places,
    own: Callable = lambda owner: owner[:, None] == owner,
    average: Callable = lambda hits, owner: hits / hits.sum(dim=1, keepdim=True),
) -> Callable:
    """Return an answer that is right but for one of its parts; `before`: the rows of the pictures before this one."""

    def pack(sizes: list[tuple[int, int]], length: int) -> tuple[Tensor, Tensor, Tensor]:
        owner = owners(sizes, length)
        places = torch.cat([grid(sum(h for h, _ in sizes[:i]), h, w) for i, (h, w) in enumerate(sizes)])
        places = at(torch.cat([places, places.new_zeros(length - len(places), 2)]), sizes)
        hits = (torch.arange(len(sizes))[:, None] == owner).float()
        return places, own(owner), average(hits, owner)

    return pack


def one_grid(columns: Callable) -> Callable:
    """Return the answer of whoever numbers all tokens in one go, in a grid of columns(sizes)."""

    def at(places: Tensor, sizes: list[tuple[int, int]]) -> Tensor:
        n, w = torch.arange(len(places)), columns(sizes)
        return torch.stack([n // w, n % w], dim=-1) * (owners(sizes, len(n)) >= 0)[:, None]

    return packed(at=at)


MISTAKES = {
    "rows and columns exchanged": Mistake(
        "Rows and columns are exchanged: first the row, and the columns of one row come one after the other.",
        packed(lambda before, h, w: grid_positions(w, h)),
        packed(lambda before, h, w: grid_positions(h, w).flip(1)),
        packed(lambda before, h, w: grid_positions(w, h).flip(1)),
    ),
    "one grid for all": Mistake(
        "Every picture counts its own rows and columns, by its own width.",
        one_grid(lambda sizes: sizes[0][1]),
        one_grid(lambda sizes: max(w for _, w in sizes)),
    ),
    "counts run on": Mistake(
        "Every picture counts from row 0 and column 0, wherever it stands in the row of the batch.",
        packed(lambda before, h, w: grid_positions(h, w) + torch.tensor([before, 0])),
        packed(lambda before, h, w: grid_positions(h, w) + before),
        packed(lambda before, h, w: grid_positions(h, w) + 1),
    ),
    "pictures see each other": Mistake(
        "The mask lets pictures see each other: compare the owners of two tokens.",
        packed(own=lambda owner: torch.ones(len(owner), len(owner), dtype=torch.bool)),
        packed(own=lambda owner: (owner[:, None] >= 0) & (owner >= 0) | (owner[:, None] == owner)),
    ),
    "mask turned over, or causal": Mistake(
        "True means: may attend; and patches of a picture see each other both ways.",
        packed(own=lambda owner: owner[:, None] != owner),
        packed(own=lambda owner: (owner[:, None] == owner).tril()),
    ),
    "pads together, or blind": Mistake(
        "A pad sees itself alone: not the other pads, and not nothing, since softmax needs a key.",
        packed(own=lambda owner: owner.clamp(min=-1)[:, None] == owner.clamp(min=-1)),
        packed(own=lambda owner: (owner[:, None] == owner) & (owner >= 0)),
    ),
    "sums, or one mean for all": Mistake(
        "Each row of the averages belongs to one picture and sums to 1, over its own tokens.",
        packed(average=lambda hits, owner: hits),
        packed(average=lambda hits, owner: hits / len(owner)),
        packed(average=lambda hits, owner: hits / (owner >= 0).sum()),
        packed(average=lambda hits, owner: torch.full(hits.shape, 1 / len(owner))),
    ),
}


@check("pack", "A row of pictures that do not disturb each other.")
def check_homework(answer) -> None:
    """Check `pack(sizes, length)`: positions (n, 2), mask (n, n) and averages (pictures, n)."""
    ask = watched(answer)
    generator = drawn(100)
    other = [(whole(generator, 1, 5), whole(generator, 1, 5)) for _ in range(whole(generator, 2, 5))]
    long = sum(h * w for h, w in other) + whole(generator, 0, 6)
    for sizes, length in (([(2, 3), (4, 2), (1, 5)], 22), ([(3, 2)], 6), ([(1, 2), (3, 4)], 15), (other, long)):
        made, right = ask(sizes, length), packed()(sizes, length)
        is_three = isinstance(made, tuple | list) and len(made) == 3
        need(is_three, "Return three tensors: positions, mask, averages.", name="not three tensors")
        for part, name in enumerate(("at", "own", "average")):
            given = as_tensor(made[part], name, tuple(right[part].shape), whole=False if part == 2 else None)
            where, read = f"{name} of {sizes} in {length}: ", itemgetter(part)
            otherwise = f"A number of {name} is another: go through the example by hand."
            compare(given, right[part], MISTAKES, otherwise, (sizes, length), where, read=read)
