"""Rules about where a token stands: positions are read, and nothing else says where a token is."""

import torch

from posenc_helpers.encodings.base import PositionalEncoding
from posenc_helpers.lab.rules.candidate import Candidate, parts
from posenc_helpers.lab.rules.rule import differ, rule, smallest


@rule(
    "reads positions",
    "A key cache, padding or packing puts a token where `positions` says, not where it is stored.",
    "Compute from `positions`, not from torch.arange(x.shape[1]); and check the names of your doors. Gates on the content "
    "(CoPE, FoX, CARoPE) break this by nature: they count tokens, and are fine if they decode with a key cache.",
)
def reads_positions(given: Candidate) -> str | None:
    def test(positions: list[int]) -> str | None:
        model = given.model(causal=False)
        before = given.read(model, positions)
        for moved in ([1, 0], *([0, n] for n in (*range(2, 10), 16, 32, 64))):
            try:
                after = given.read(model, moved)
            except Exception:  # it has read that there is no such row
                return None
            if not torch.equal(before, after):
                return None
        return "moved to [1, 0], or to [0, n] for any n tried, they give the same logits"

    return smallest([[0, 1]], "two tokens at positions {}", test)


@rule(
    "decodes with a key cache",
    "While generating, a model is shown one new token a call, and must say what it says of the whole text.",
    "Take queries from `q_positions` and keys from `k_positions`; use no length of the call. With gates on the content, "
    "queries are the last L_q of the L_k keys.",
)
def decodes(given: Candidate) -> str | None:
    def test(positions: list[int]) -> str | None:
        model, text, places = given.model(), given.tokens(len(positions)), torch.tensor(positions)
        caches = model.new_caches()
        parts = [model(text[:, [i]], places[[i]], caches=caches) for i in range(len(places))]
        return differ(torch.cat(parts, dim=1), model(text, places))

    return smallest([[0, 1], [3, 4], [0, 1, 2], [0, 1, 2, 3, 4]], "tokens at positions {}, one a call", test)


@rule(
    "leaves gaps",
    "A token that the mask hides, and one that is not there, come to the same: the others keep their places.",
    "Use differences of positions, not of indices. Gates on the content (CoPE, FoX, CARoPE) "
    "count tokens, and break this by nature.",
)
def leaves_gaps(given: Candidate) -> str | None:
    def test(kept: list[int]) -> str | None:
        model, length = given.model(), kept[-1] + 1
        text, seen = given.tokens(length), torch.zeros(length, dtype=torch.bool)
        seen[kept] = True
        whole = model(text, torch.arange(length), seen.expand(length, length))[:, kept]
        return differ(model(text[:, kept], torch.tensor(kept)), whole)

    return smallest([[0, 2], [1, 3, 4]], "tokens at positions {}, the others hidden or left out", test)


@rule(
    "takes positions of each row",
    "Rows of a batch that start elsewhere, as with padding on the left, need positions of shape (B, L).",
    "Index from the end: positions[..., None]. Then make room for the heads by [..., None, :, :]: for positions (B, L), "
    "angles have shape (B, 1, L, pairs), a bias (B, H or 1, L_q, L_k).",
)
def takes_rows(given: Candidate) -> str | None:
    def test(rows: list[list[int]]) -> str | None:
        places, model = torch.tensor(rows), given.model()
        text = given.tokens(places.shape[1], len(rows))
        alone = [model(text[[b]], places[b]) for b in range(len(rows))]
        return differ(model(text, places), torch.cat(alone))

    as_many_as_heads = [[b % 2, b % 3 + 2] for b in range(given.heads)]
    return smallest([[[1], [1]], [[0, 1], [0, 1]], [[0, 1], [3, 1]], as_many_as_heads], "positions {}", test)


@rule(
    "refuses (L, B, d)",
    "nn.MultiheadAttention takes (L, B, d) unless told otherwise; here the wrong axis would be counted without a word.",
    "Call check_embedded(x, positions, width) of posenc_helpers.checks first, or compare the shapes yourself.",
)
def refuses_length_first(given: Candidate) -> str | None:
    door = parts(given.encoding())[0]
    if type(door).embed is PositionalEncoding.embed:
        return None
    for batch in (1, 2):
        x = torch.zeros(3, batch, given.width)
        try:
            out = door.embed(x, torch.arange(3))
        except Exception:
            continue
        return f"x of shape {tuple(x.shape)} with 3 positions: embed returns shape {tuple(out.shape)} without a word"
    return None
