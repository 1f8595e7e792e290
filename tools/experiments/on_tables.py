"""Experiments on a learned table: how alike its rows become, and does training lay them along a line?"""

import copy
from functools import partial

import torch
from torch import Tensor, nn

from posenc_helpers.encodings import LearnedEncoding
from posenc_helpers.lab.shootout import TRAINED, Contestant
from posenc_helpers.transformer import TinyTransformer
from tools.experiments.common import learn_text, on_test_text, text_model

NEAR = 8  # keys in sight where each token sees the last few alone
_losses = partial(on_test_text, windows=100)


def table(seed: int, steps: int = 400, every: int = 100) -> list[dict]:
    """Train a learned table on the text and take snapshots: how alike rows are that stand `offset` apart (cosine).

    `norm` is the mean norm of the trained rows, `untrained` of those beyond the trained length.
    """
    model, rows = _reader_with_a_table(seed, std=0.02), []

    def watch(step: int) -> None:
        learned, rest = model.encoding.table.detach().split(TRAINED)  # (32, d) each
        alike = torch.nn.functional.cosine_similarity(learned[:, None], learned, dim=-1)  # (32, 32)
        norms = {"norm": learned.norm(dim=-1).mean().item(), "untrained": rest.norm(dim=-1).mean().item()}
        for offset in (1, 2, 4, 8, 16, 24):
            rows.append({"step": step, "offset": offset, "cosine": alike.diagonal(offset).mean().item(), **norms})

    learn_text(model, seed, steps, warm_up=0.1, watch=watch, every=every)
    return rows


def on_a_line(change: Tensor) -> float:
    """Return which share of the variance of rows (L, d) lies on a straight line in the position, 0 to 1."""
    p = torch.arange(len(change), dtype=change.dtype)
    p, centred = p - p.mean(), change - change.mean(dim=0)  # (L,), (L, d)
    return ((p / p.norm() @ centred).square().sum() / centred.square().sum()).item()


def ruler(std: float, seed: int, steps: int = 400) -> list[dict]:
    """Train a learned table that starts with `std` on 32 characters; return what it became, by `what` and `value`.

    "on a line": the share of what training changed (rows 0 to 30) that lies on a straight line in the position.
    "loss" on 32 characters of the test text, "as drawn" with the rows as drawn, all moved alike; "moved by 16": 16
    characters, read at 16 less read at 0. "random, all keys" and so on: the loss at positions 40 to 63, where no row was
    trained, with the rows as they are or the first 32 again ("copied"), with all keys or the last 8 in sight; "inside, 8
    keys" is that at positions 8 to 31. "own row, token 16": what row 0 in place of its own costs that token; "other
    rows, token 16": what the mean row in place of all others' costs it.
    """
    model = _reader_with_a_table(seed, std)
    first = model.encoding.table.detach().clone()  # (64, d)
    learn_text(model, seed, steps, warm_up=0.1)
    table = model.encoding.table.detach().clone()
    change = (table - first)[:TRAINED]  # (32, d)
    drawn = _with_rows(model, first + change.mean(dim=0))
    copied = _with_rows(model, torch.cat([table[:TRAINED], table[:TRAINED]]))
    short, moved = (_losses(model, TRAINED // 2, shift=k).mean().item() for k in (0, TRAINED // 2))
    found = {
        "on a line": on_a_line(change[:-1]),
        "loss": _losses(model, TRAINED).mean().item(),
        "as drawn": _losses(drawn, TRAINED).mean().item(),
        "moved by 16": moved - short,
        "inside, 8 keys": _losses(model, TRAINED, keys=NEAR)[NEAR:].mean().item(),
    }
    for name, other in (("random", model), ("copied", copied)):
        for which, keys in (("all keys", None), ("8 keys", NEAR)):
            far = _losses(other, 2 * TRAINED, keys=keys)[TRAINED + NEAR :]  # (24,)
            found[f"{name}, {which}"] = far.mean().item()
    for token in (16, TRAINED - 1):
        own, others = table.clone(), table[:TRAINED].mean(dim=0).repeat(len(table), 1)
        own[token], others[token] = table[0], table[token]
        read = (_losses(_with_rows(model, rows), TRAINED)[token].item() for rows in (table, own, others))
        usual, alone, without = read
        found |= {f"own row, token {token}": alone - usual, f"other rows, token {token}": without - usual}
    return [{"what": what, "value": value} for what, value in found.items()]


def _reader_with_a_table(seed: int, std: float) -> TinyTransformer:
    entry = Contestant(lambda width, heads, length: LearnedEncoding(width, length, std))
    return text_model(entry, seed, 2 * TRAINED)


def _with_rows(model: TinyTransformer, rows: Tensor) -> TinyTransformer:
    other = copy.deepcopy(model)
    other.encoding.table = nn.Parameter(rows)
    return other
