"""The referee is fair: same first weights, same batches, nobody's result depends on who else takes part."""

import pytest
import torch
from torch import nn

from posenc_helpers.lab.shootout import CONTESTANTS, FAR, HEADS, WIDTH, fresh_encoding, reader


def others(model: nn.Module) -> dict[str, torch.Tensor]:
    """Return the weights that are not the encoding's."""
    return {name: weight.detach().clone() for name, weight in model.state_dict().items() if "encoding" not in name}


def same(a: dict[str, torch.Tensor], b: dict[str, torch.Tensor]) -> bool:
    return a.keys() == b.keys() and all(torch.equal(a[name], b[name]) for name in a)


# ------------------------------------------------------------------------------------------------------ how it starts


def test_all_start_from_the_same_weights_and_another_seed_from_others():
    def started(name: str, seed: int) -> dict[str, torch.Tensor]:
        return others(reader(fresh_encoding(CONTESTANTS[name], WIDTH, HEADS, FAR, seed), 29, seed))

    first = started("nope", 0)
    assert len(first) == 2 + 2 * 6  # embedding, head; per layer qkv, out, two weights and two biases of feed-forward
    for name in CONTESTANTS:
        assert same(started(name, 0), first), name
        assert not same(started(name, 1), first), name


@pytest.mark.parametrize("seed", [0, 1, 7])
def test_no_row_of_a_table_starts_as_a_multiple_of_an_embedding(seed):
    """Drawn from the seed of the model, position 32 was 0.5 times "c"; cosines of 64 random numbers stay below 0.65."""
    encoding = fresh_encoding(CONTESTANTS["learned"], WIDTH, HEADS, FAR, seed)
    embedding = reader(encoding, 29, seed).embedding.weight
    alike = nn.functional.cosine_similarity(encoding.table[:, None], embedding, dim=-1)  # (512, 29)
    assert alike.abs().max() < 0.65
    again = fresh_encoding(CONTESTANTS["learned"], WIDTH, HEADS, FAR, seed)
    other = fresh_encoding(CONTESTANTS["learned"], WIDTH, HEADS, FAR, seed + 1)
    assert torch.equal(encoding.table, again.table) and not torch.equal(encoding.table, other.table)
