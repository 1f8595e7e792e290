"""How long it takes to make a bias, against other code in the same run: python -m tests.benchmarks.bias [--store]

All take turns in one process, and each starts from the positions. Bloom and MPT make one row per head that serves all
queries, which is right under a causal mask only; so their rows are compared with our row, full biases with one another,
and both kinds once more as they are used, added to the scores. The floor is copying a result of the same size.
Only ratios mean something; --store keeps them in data/.
"""

from collections.abc import Callable

import torch
from torch import Tensor
from transformers import T5Config
from transformers.models.bloom.modeling_bloom import build_alibi_tensor
from transformers.models.mpt.modeling_mpt import build_mpt_alibi_tensor
from transformers.models.t5.modeling_t5 import T5Attention
from x_transformers.x_transformers import AlibiPositionalBias, RelativePositionBias

from posenc_helpers.encodings.alibi import alibi_bias, alibi_shortcut, alibi_slopes
from posenc_helpers.encodings.relative import T5Encoding, relative_positions
from posenc_helpers.transformer import causal_mask
from tests.benchmarks.timing import parse, show, store, take_turns

HEADS, LENGTH = 8, 1024
FLOOR, BLOOM, MPT, T5 = "copy the result", "Hugging Face Bloom", "Hugging Face MPT", "Hugging Face T5"
ROW, FULL, ADDED, BUCKETS = "ALiBi, one row", "ALiBi, full bias", "ALiBi, added to the scores", "T5 bias, both sides"
AGAINST = {ROW: (FLOOR, BLOOM), FULL: (FLOOR, "x-transformers"), ADDED: (FLOOR, BLOOM), BUCKETS: (FLOOR, T5)}


def alibi() -> dict[str, dict[str, Callable[[], Tensor]]]:
    """Return table -> name -> function for ALiBi: rows (H, 1, L), full biases (H, L, L), scores (1, H, L, L)."""
    positions, everything_is_text = torch.arange(LENGTH), torch.ones(1, LENGTH, dtype=torch.long)
    scores = torch.randn(1, HEADS, LENGTH, LENGTH)
    package = AlibiPositionalBias(HEADS)
    rows = {
        "posenc": lambda: alibi_shortcut(positions, alibi_slopes(HEADS)),
        BLOOM: lambda: build_alibi_tensor(everything_is_text, HEADS, torch.float32),
        MPT: lambda: build_mpt_alibi_tensor(HEADS, LENGTH),
    }
    # Of x-transformers the way that takes positions: the other one keeps its first result.
    full = {
        "posenc, causal": lambda: alibi_bias(relative_positions(positions, positions), alibi_slopes(HEADS)),
        "posenc": lambda: alibi_bias(relative_positions(positions, positions), alibi_slopes(HEADS), "symmetric"),
        "x-transformers": lambda: package.forward_custom_pos(positions),
    }
    added = {
        "posenc, one row": rows["posenc"],
        "posenc, full bias": full["posenc, causal"],
        BLOOM: rows[BLOOM],
        MPT: rows[MPT],
        "x-transformers": full["x-transformers"],
    }
    row, bias = rows["posenc"](), full["posenc"]()
    return {
        ROW: {FLOOR: row.clone} | rows,
        FULL: {FLOOR: bias.clone} | full,
        ADDED: {FLOOR: scores.clone} | {name: lambda make=make: scores + make() for name, make in added.items()},
    }


def t5() -> dict[str, dict[str, Callable[[], Tensor]]]:
    """Return table -> name -> function for T5's bias with one table of numbers for all: (H, L, L) or (1, H, L, L)."""
    ours = T5Encoding(HEADS)
    theirs = T5Attention(T5Config(num_heads=HEADS), has_relative_attention_bias=True)
    package = RelativePositionBias(scale=1.0, heads=HEADS)
    for table in (theirs.relative_attention_bias, package.relative_attention_bias):
        table.weight.data = ours.table.data
    positions, q = torch.arange(LENGTH), torch.zeros(1, HEADS, LENGTH, 1)
    bias = ours.bias(q, q, positions, positions)
    return {
        BUCKETS: {
            FLOOR: bias.clone,
            "posenc": lambda: ours.bias(q, q, positions, positions),
            T5: lambda: theirs.compute_bias(LENGTH, LENGTH),
            "x-transformers": lambda: package(LENGTH, LENGTH),
        }
    }


def check(table: str, runners: dict[str, Callable[[], Tensor]]) -> None:
    """Raise AssertionError unless all contestants mean the same: nobody may win by doing something else."""
    hidden = torch.zeros(LENGTH, LENGTH).masked_fill(~causal_mask(LENGTH, LENGTH), -torch.inf)
    results = {name: run() for name, run in runners.items() if name != FLOOR}
    if table == BUCKETS:
        results = {name: bias.expand(1, HEADS, LENGTH, LENGTH) for name, bias in results.items()}
    else:  # rows, causal and symmetric biases differ from one another by what softmax or the mask takes away
        results = {name: (bias + hidden).softmax(-1) for name, bias in results.items()}
    expected = results.popitem()[1]
    for result in results.values():
        torch.testing.assert_close(result, expected, atol=2e-4, rtol=0)


def main() -> None:
    options = parse(__doc__, rounds=60)
    torch.manual_seed(0)
    tables = {}
    with torch.inference_mode():
        for table, runners in (alibi() | t5()).items():
            check(table, runners)
            tables[table] = take_turns(runners, options.rounds, AGAINST[table])
            show(f"{table}, H = {HEADS}, L = {LENGTH}, float32", tables[table])
    if options.store:
        result = {"heads": HEADS, "length": LENGTH, "dtype": "float32", "rounds": options.rounds, "tables": tables}
        store("bias", ("transformers", "x-transformers"), result)


if __name__ == "__main__":
    main()
