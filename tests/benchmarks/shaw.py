"""What Shaw's scores cost, naive, skewed and looked up, in the same run: python -m tests.benchmarks.shaw [--store]

The three take turns in one process, and each starts from the positions. Forward alone, and forward and backward
together; the median time and the peak memory, as ratios to the naive way. The naive tensor (L, L, d_head) serves all
heads and texts, what the other two build grows with B x H: the ratios of memory are those of this batch and these heads.
Only ratios mean something; --store keeps them in data/.
"""

from collections.abc import Callable

import torch
from torch import Tensor

from posenc_helpers.encodings.relative import (
    clipped_index,
    relative_positions,
    shaw_scores,
    shaw_scores_naive,
    shaw_scores_skewed,
)
from tests.benchmarks.timing import parse, peak_bytes, store, take_turns

BATCH, HEADS, HEAD_DIM, MAX_DISTANCE = 1, 8, 64, 16  # clipped at 16, as Shaw et al. 2018 trained it
LENGTHS = (128, 256, 512, 1024)
NAIVE = "naive"


def contestants(length: int, backward: bool) -> dict[str, Callable[[], tuple[Tensor, ...]]]:
    """Return name -> function that makes the scores (B, H, L, L), or with `backward` the gradients of q and table."""
    q = torch.randn(BATCH, HEADS, length, HEAD_DIM, requires_grad=backward)
    table = torch.randn(2 * MAX_DISTANCE + 1, HEAD_DIM, requires_grad=backward)
    upstream = torch.randn(BATCH, HEADS, length, length)
    positions = torch.arange(length)

    def index() -> Tensor:
        return clipped_index(relative_positions(positions, positions), MAX_DISTANCE)

    ways = {
        NAIVE: lambda: shaw_scores_naive(q, table, index()),
        "skewed": lambda: shaw_scores_skewed(q, table, length),
        "lookup": lambda: shaw_scores(q, table, index()),
    }
    if not backward:
        return {name: lambda way=way: (way(),) for name, way in ways.items()}
    return {name: lambda way=way: torch.autograd.grad(way(), (q, table), upstream) for name, way in ways.items()}


def measure(length: int, rounds: int, backward: bool) -> dict[str, dict]:
    """Return, per contestant, milliseconds, peak memory, and the ratios of both to the naive way."""
    runners = contestants(length, backward)
    expected = runners[NAIVE]()
    for run in runners.values():  # nobody may win by doing something else
        for result, right in zip(run(), expected, strict=True):
            torch.testing.assert_close(result, right, atol=1e-4 * float(right.abs().max()), rtol=0)
    peaks = {name: peak_bytes(run) for name, run in runners.items()}
    rows = take_turns(runners, rounds, (NAIVE,))
    for name, row in rows.items():
        memory = round(peaks[name] / peaks[NAIVE], 3)
        row["peak_mib"] = round(peaks[name] / 2**20, 1)
        row["ratios"] = {"time to naive": row["ratios"][NAIVE], "memory to naive": memory}
    return rows


def main() -> None:
    options = parse(__doc__, rounds=20)
    torch.manual_seed(0)
    tables = {}
    for title, backward in (("forward", False), ("forward and backward", True)):
        print(f"\n{title}, B = {BATCH}, H = {HEADS}, d_head = {HEAD_DIM}, float32")
        print(f"  {'L':<6}{'':<10}{'median ms':>11}{'peak MiB':>10}{'time / naive':>14}{'memory / naive':>16}")
        tables[title] = {}
        for length in LENGTHS:
            rows = tables[title][f"L = {length}"] = measure(length, options.rounds, backward)
            for name, row in rows.items():
                time, memory = row["ratios"].values()
                cost = f"{row['median_ms']:>11.2f}{row['peak_mib']:>10.1f}"
                print(f"  {length:<6}{name:<10}{cost}{time:>14.2f}{memory:>16.2f}")
    if options.store:
        shape = {"batch": BATCH, "heads": HEADS, "head_dim": HEAD_DIM, "max_distance": MAX_DISTANCE}
        store("shaw", (), {"shape": shape, "dtype": "float32", "rounds": options.rounds, "tables": tables})


if __name__ == "__main__":
    main()
