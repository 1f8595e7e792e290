"""Exercises of notebook 06: two layouts by hand, whose weights code fits, rotation, and weights across layouts."""

import torch
from torch import Tensor

from posenc_helpers.classroom.exercises.answers import as_tensor, watched
from posenc_helpers.classroom.exercises.checking import NotYet, check, need
from posenc_helpers.classroom.exercises.forbidden import forbidding
from posenc_helpers.classroom.exercises.mistakes import name_mistake, refuse
from posenc_helpers.classroom.exercises.questions import drawn, whole
from posenc_helpers.encodings import apply_rope, convert_layout
from posenc_helpers.lessons.rope.mistakes import BY_HAND, CONVERTS, ROTATES, SNIPPETS, TURNED, VERDICTS

PAIRS = {"interleaved": "(0, 1) and (2, 3)", "half": "(0, 2) and (1, 3)"}


@check("two layouts", "One vector, two results: that is why weights do not carry over.")
def check_by_hand(answer) -> None:
    """Check [1, 0, 1, 0] turned at position 1, interleaved and half, to two decimals."""
    given = as_tensor(answer, "turned", (2, 4))
    for row, layout in enumerate(("interleaved", "half")):
        if (given[row] - TURNED[row]).abs().max() > 0.006:
            where = f"The {layout} row: "
            name_mistake(BY_HAND, given[row], where=where, within=0.006, read=lambda rows: rows[row])  # noqa: B023
            where = f"The {layout} row, where columns {PAIRS[layout]} are pairs: "
            refuse(BY_HAND, given[row], TURNED[row], layout, where=where)
            raise NotYet("Each pair turns, but by another angle: each has a speed of its own.", where)


@check("whose weights", "You can read a layout off code that you have never seen.")
def check_snippets(answer) -> None:
    """Check {"a": "half", ...}: for each of the six snippets, the layout whose weights it fits, or "neither"."""
    need(isinstance(answer, dict), 'Give a dict: {"a": "half", "b": ...}.')
    need({str(name) for name in answer} == set(VERDICTS), f"Give one verdict for each of {', '.join(VERDICTS)}.")
    verdicts = {name: str(verdict).strip().lower() for name, verdict in answer.items()}
    allowed = ("half", "interleaved", "neither")
    for name, verdict in verdicts.items():
        need(answer[name] is not ..., f"{name} is still the dots.", name="still the dots")
        known = f'{name}: "{verdict}" is no verdict; allowed: {", ".join(allowed)}.'
        need(verdict in allowed, known, name="no verdict")
    wrong = sum(verdicts[name] != verdict for name, verdict in VERDICTS.items())
    refuse(SNIPPETS, verdicts, where=f"To look at again: {wrong} of {len(VERDICTS)}. ")


@check("rotate", "Any positions, both layouts, any part of a head.")
def check_rotate(answer) -> None:
    """Check `rotate(x, positions, layout, rotary_dim)` on ids of any order, one row of them per row of the batch."""
    generator, used = drawn(61), ("frequencies", "rotate_pairs")
    alone = "Of the package you may use `frequencies` and `rotate_pairs`, nothing else."
    ask = watched(forbidding(answer, alone, package=True, but=used))
    ids = torch.tensor([[7, 3, 2049, 0, 41], [2, 90, 5, 1, 8]])  # (B, L)
    for layout in ("interleaved", "half"):
        for rotary, width in ((12, 12), (8, 12)):
            x = torch.randn(2, 3, 5, width, generator=generator)  # (B, H, L, d_head)
            made = as_tensor(ask(x, ids, layout, rotary), "rotate(...)", (2, 3, 5, width), whole=False)
            _compare_rotation(made, (x.double(), ids, layout, rotary))
    B, H, L, pairs, more = (whole(generator, *ends) for ends in ((1, 4), (1, 4), (2, 9), (2, 16), (0, 4)))
    ids = torch.randint(1000, (B, L), generator=generator) * (torch.arange(L) != L // 2)  # 0 in the middle
    for layout in ("interleaved", "half"):
        x = torch.randn(B, H, L, 2 * (pairs + more), generator=generator)
        made = as_tensor(ask(x, ids, layout, 2 * pairs), "rotate(...)", tuple(x.shape), whole=False)
        _compare_rotation(made, (x.double(), ids, layout, 2 * pairs))


def _compare_rotation(made: Tensor, inputs: tuple) -> None:
    x, ids, layout, rotary = inputs
    right = apply_rope(x, ids.double(), layout=layout, rotary_dim=rotary)
    off = (made - right).abs().amax(dim=(1, 3))  # (B, L)
    if off.max() < 2e-3:
        return
    where = f'layout="{layout}", rotary_dim={rotary} of {x.shape[-1]}: '

    def near(y: Tensor) -> Tensor:
        return y.transpose(1, 2)[ids < 10]  # huge angles are rounded too much to compare

    name_mistake(ROTATES, made, inputs, where, within=2e-3)
    if off[ids < 10].max() > 0.02:
        name_mistake(ROTATES, near(made), inputs, where, within=0.02, read=near)
    refuse(ROTATES, made, x, rotary, where=where)
    need(bool(off[ids == 0].max() < 2e-3), "The token at position 0 turns; angles are positions times speeds.", where)
    raise NotYet(
        "A rotation, but another one. Which columns are a pair, which speed has each, and whose position?",
        f"{where}the token at position {int(ids[off > 2e-3].min())} is the first to differ. ",
    )


@check("convert", "The converted model is the same model.")
def check_convert(answer) -> None:
    """Check `convert(W_q, W_k, heads, key_heads)`: rows from the half into the interleaved layout."""
    generator = drawn(62)
    ask = watched(forbidding(answer, "Reorder the rows yourself, without the package.", package=True))
    groups, key, pairs, other = (whole(generator, *ends) for ends in ((1, 4), (1, 4), (3, 20), (4, 12)))
    for heads, key_heads, width, d in ((3, 3, 10, 6), (4, 2, 12, 8), (groups * key, key, 2 * pairs, other)):
        W_q, W_k = (torch.randn(h * width, d, generator=generator) for h in (heads, key_heads))
        inputs = (W_q, W_k, heads, key_heads)
        given = ask(*inputs)
        need(given is not None, "convert returned nothing. Is the `return` missing?", name="return missing")
        need(isinstance(given, tuple | list) and len(given) == 2, "Return two matrices, W_q and W_k, as a tuple.")
        for part, (old, count) in enumerate(((W_q, heads), (W_k, key_heads))):
            name = ("W_q", "W_k")[part]
            new = as_tensor(given[part], name, tuple(old.shape), whole=False)
            right, old = convert_layout(old, count, to="interleaved").double(), old.double()
            if torch.allclose(new, right, rtol=0, atol=1e-5):
                continue
            name_mistake(CONVERTS, new, inputs, f"{name}: ", read=lambda both: both[part])  # noqa: B023
            at = torch.cdist(new, old).argmin(1).tolist()  # the old row that stands in each new one
            refuse(CONVERTS, new, old, at, len(old) // count, where=f"{name}: ")
            row = int((new != right).any(-1).int().argmax())
            raise NotYet(
                "The right rows in another order: the two that were one pair should now be neighbours, pair after pair.",
                f"{name}: new row {row} is old row {at[row]}. ",
            )
