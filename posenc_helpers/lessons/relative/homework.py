"""Homework of notebook 05: read the bias table back from the attention weights that it makes."""

from collections.abc import Callable

import torch
from torch import Tensor

from posenc_helpers.classroom.exercises.answers import as_tensor, watched
from posenc_helpers.classroom.exercises.checking import check
from posenc_helpers.classroom.exercises.mistakes import Mistake, compare
from posenc_helpers.classroom.exercises.questions import drawn, whole
from posenc_helpers.encodings.relative import clipped_index, relative_positions


def reading(
    number: Callable = lambda weight, own: (weight / own).log(),
    pool: Callable = lambda numbers: numbers[:, 0],
    sign: int = 1,
    table: Callable = lambda table: table,
) -> Callable:
    """Return an answer that makes a number of each weight and of its query's weight on itself, collects those of each
    clipped difference, (H, pairs), pools them, and changes the table (2K + 1, H) by `table`."""

    def answer(weights: Tensor, K: int) -> Tensor:
        p = torch.arange(weights.shape[-1])
        index = clipped_index(sign * relative_positions(p, p), K)  # (L, L)
        numbers = number(weights, weights.diagonal(dim1=-2, dim2=-1)[..., None])  # (H, L, L)
        return table(torch.stack([pool(numbers[:, index == row]) for row in range(2 * K + 1)]))

    return answer


right = reading()
MISTAKES = {
    "no logarithm": Mistake(
        "The softmax takes e to the power of a bias. You give weights, or quotients of weights, and do not undo that.",
        reading(lambda weight, own: weight / own),
        reading(lambda weight, own: weight - own),
        reading(lambda weight, own: weight),
    ),
    "another logarithm": Mistake(
        "The softmax is made with e, so the natural logarithm undoes it. Yours has another base, or its sign is turned.",
        reading(lambda weight, own: (weight / own).log2()),
        reading(lambda weight, own: (weight / own).log10()),
        reading(lambda weight, own: (own / weight).log()),
    ),
    "left and right swapped": Mistake(
        "Row 0 belongs to keys K or more to the left, and the last row to those on the right: key minus query.",
        reading(sign=-1),
        lambda weights, K: right(weights.mT, K),
    ),
    "logarithms of different queries mixed": Mistake(
        "Every query divides by a sum of its own. Logarithms of weights can be compared within one row of weights only: "
        "take the difference first, and then look for other rows.",
        reading(lambda weight, own: weight.log()),
        reading(lambda weight, own: weight.log(), table=lambda table: table - table[len(table) // 2]),
        reading(lambda weight, own: weight, lambda n: n.mean(-1), table=lambda t: (t / t[len(t) // 2]).log()),
    ),
    "another row set to 0": Mistake(
        "The table is known up to a constant for each head. Here the row of the token itself is 0; you make another row "
        "0, or the mean.",
        reading(table=lambda table: table - table[0]),
        reading(table=lambda table: table - table[-1]),
        reading(table=lambda table: table - table.mean(0)),
        reading(table=lambda table: table - table.max(0).values),
        reading(table=lambda table: table - table.logsumexp(0)),
    ),
    "far keys added up": Mistake(
        "K or more away, each key gets the bias of the last row for itself. Take one of them; you add up several.",
        reading(pool=lambda numbers: numbers.sum(-1)),
        lambda weights, K: summed(weights, K),
    ),
    "one head for all": Mistake(
        "Each head has biases of its own, and you give all the same.",
        reading(table=lambda table: table[:, :1].expand_as(table)),
        reading(table=lambda table: table.mean(1, keepdim=True).expand_as(table)),
    ),
}


def summed(weights: Tensor, K: int) -> Tensor:
    """Return the table of whoever adds the weights of all keys beyond K to that of the key at K."""
    first, last = weights[:, 0], weights[:, -1].flip(-1)  # (H, L)  from the query outwards
    folded = [torch.cat([row[:, :K], row[:, K:].sum(-1, keepdim=True)], dim=1) for row in (first, last)]
    to_right, to_left = ((row / row[:, :1]).log() for row in folded)  # (H, K + 1) each
    return torch.cat([to_left.flip(-1), to_right[:, 1:]], dim=1).T


@check("read_table", "Silent words, and the weights tell every bias up to a constant.")
def check_homework(answer) -> None:
    """Check `read_table(weights, K)`: (H, L, L) -> (2K + 1, H), with 0 in the row of the token itself."""
    ask = watched(answer)
    generator = drawn(50)
    other = whole(generator, 1, 6)
    for heads, K, length, dtype in (
        (3, 2, 7, torch.float64),
        (2, 4, 5, torch.float32),
        (1, 1, 12, torch.float64),
        (whole(generator, 1, 5), other, other + whole(generator, 1, 9), torch.float64),
    ):
        table = torch.randn(2 * K + 1, heads, generator=drawn(K), dtype=dtype)
        p = torch.arange(length)
        bias = table[clipped_index(relative_positions(p, p), K)].permute(2, 0, 1)  # (H, L, L)
        given = bias.softmax(dim=-1), K
        found = as_tensor(ask(*given), "read_table", (2 * K + 1, heads), whole=False)
        otherwise = "Put through a softmax, your table does not give these weights."
        compare(found, table - table[K], MISTAKES, otherwise, given, f"K = {K}: ", within=1e-4)
