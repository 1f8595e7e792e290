"""The likely mistakes in a rotation and in reordered rows, for the exercises of notebook 06."""

import torch
from torch import Tensor

from posenc_helpers.classroom.exercises.checking import need
from posenc_helpers.classroom.exercises.speeds import STILL, mistaken_speeds
from posenc_helpers.encodings import apply_rope, frequencies, layout_permutation
from posenc_helpers.encodings.rope import rotate_pairs


def hint_rotation(given: Tensor, x: Tensor, ids: Tensor, layout: str, rotary: int) -> None:
    """Raise NotYet with the likely mistake unless `given` is x (B, H, L, d_head) turned by ids (B, L)."""
    width, other = x.shape[-1], "half" if layout == "interleaved" else "interleaved"
    turn = lambda p=ids, which=layout, part=rotary: apply_rope(x, p.double(), layout=which, rotary_dim=part)  # noqa: E731
    fits = lambda wanted: bool((given - wanted).abs().max() < 2e-3)  # noqa: E731
    if fits(turn()):
        return
    where = f'layout="{layout}", rotary_dim={rotary} of {width}: '
    flat = apply_rope(x, (ids.double() * 1e-8).clamp(max=1e-6), layout=layout, rotary_dim=rotary)
    need(not fits(x) and not fits(flat), f"Nothing turns. (Are there speeds? {STILL})", where, name="nothing turns")
    need(not fits(turn(which=other)), f"This is the {other} layout.", where)
    need(not fits(turn(-ids)), "You turn the other way: (1, 0) should turn towards (0, 1).", where)
    need(not fits(turn(torch.arange(5).expand(2, 5))), "Positions are ignored: tokens are counted 0, 1, 2 ..., or a "
         "table is sliced from its start.", where)  # fmt: skip
    need(not fits(turn(ids[:1].expand(2, 5))), "Every row of the batch takes the positions of the first.", where)
    need(not fits(turn(ids.sort(-1).values)), "Positions are sorted: every token keeps its own, in any order.", where)
    need(not fits(turn(ids + 1)) and not fits(turn(ids - 1)), "Positions are off by one.", where)
    need(not fits(turn(2 * ids)), "It turns twice, by twice the angle.", where)
    counted = ids[:, :1] + torch.arange(5)
    need(not fits(turn(counted)) and not fits(turn(ids - ids[:, :1])), "Tokens are counted from the first one; each "
         "has a position of its own.", where)  # fmt: skip
    need(not any(fits(turn(ids.to(kind))) for kind in (torch.bfloat16, torch.float16)), "Positions are rounded: "
         "bfloat16 counts to 256, float16 to 2048.", where)  # fmt: skip
    angled = lambda speeds: ids[..., None].double() * speeds  # (B, L, pairs)  # noqa: E731
    part, rest = x[..., :rotary], x[..., rotary:]
    turned_by = lambda angle: torch.cat([rotate_pairs(part, angle[:, None], layout), rest], -1)  # noqa: E731
    w = frequencies(rotary, dtype=torch.float64)  # (pairs,)
    need(not fits(turned_by(angled(w).trunc())), "Angles are cut to whole numbers: they have the type of the "
         "positions.", where)  # fmt: skip
    need(not fits(turned_by(angled(w * (torch.arange(len(w)) == 0)))), "Only pair 0 turns.", where)
    if rotary < width:
        need(not fits(turn(part=width)), "All columns turn; only the first rotary_dim should.", where)
        need(not fits(turned_by(angled(frequencies(width, dtype=torch.float64)[: rotary // 2]))), "The exponent runs "
             "over d_head; it should run over rotary_dim.", where)  # fmt: skip
        last = apply_rope(x[..., width - rotary :], ids.double(), layout=layout)
        need(not fits(torch.cat([x[..., : width - rotary], last], -1)), "The last columns turn; the first should.",
             where)  # fmt: skip
        need(bool((given[..., rotary:] - x[..., rotary:]).abs().max() < 1e-4), "Columns beyond rotary_dim should "
             "stay as they are.", where)  # fmt: skip
    if len(w) > 5:
        by_token = (ids.double() * w[:5])[..., None].expand(2, 5, len(w))
        need(not fits(turned_by(by_token)), "All pairs of a token take one speed, the token's: in einsum, is one "
             "letter used for two axes?", where)  # fmt: skip
    for mistake, speeds in mistaken_speeds(rotary).items():
        miss = (given - turned_by(angled(speeds))).abs().amax(dim=(1, 3))  # (B, L)
        need(bool(miss[ids < 10].max() > 0.02), mistake, where)  # huge angles are rounded too much to compare
    written = x.clone()
    written[..., :rotary] = turn()[..., layout_permutation(rotary, to=other)]
    need(not fits(written), "Each pair should go back to the columns that it came from.", where)
    norms = (given.norm(dim=-1) / x.norm(dim=-1) - 1).abs().max()
    need(bool(norms < 1e-3), "The norm changes, so this is no rotation. Do both columns of a pair take one angle, do "
         "the signs differ, and is the old a still there when b is turned?", where)  # fmt: skip
    need(bool((given - x).abs().amax(dim=(1, 3))[ids == 0].max() < 2e-3), "The token at position 0 turns; angles are "
         "positions times speeds.", where)  # fmt: skip
    off = (given - turn()).abs().amax(dim=(1, 3)) > 2e-3  # (B, L)
    need(False, "A rotation, but another one. Which columns are a pair, which speed has each, and whose position?",
         where + f"the token at position {int(ids[off].min())} is the first to differ. ")  # fmt: skip


def hint_rows(name: str, new: Tensor, old: Tensor, heads: int, others: int) -> None:
    """Raise NotYet with the likely mistake unless `new` holds the rows of `old`, each of the heads interleaved."""

    def reordered(count: int, to: str = "interleaved", rows: Tensor = old) -> Tensor:
        per_head = rows.unflatten(0, (count, -1))  # (H, d_head, d)
        return per_head[:, layout_permutation(per_head.shape[1], to)].flatten(0, 1)

    same = lambda wanted: bool((new - wanted).abs().max() < 1e-5)  # noqa: E731
    if same(reordered(heads)):
        return
    where = f"{name}: "
    need(not same(old), "It came back as it was.", where)
    need(not same(reordered(heads, "half")), "It is reordered the other way, from interleaved to half. (At d_head = "
         "4 you would not notice.)", where)  # fmt: skip
    need(not same(reordered(1)), "It is reordered across all heads. Each head should keep its own rows.", where)
    need(not same(reordered(heads, rows=reordered(heads))), "It is reordered twice.", where)
    need(not same(reordered(others)), f"It has {heads} heads here, and you cut it into {others}.", where,
         name="number of the other's heads")  # fmt: skip
    columns = old[:, layout_permutation(old.shape[1], "interleaved")]
    need(not same(columns), "The columns are reordered; it should be the rows.", where)
    need(not same(reordered(heads).view(-1, 2, old.shape[1]).flip(1).view(old.shape)), "In every pair the two rows are "
         "swapped: the one of the first half comes first.", where)  # fmt: skip
    need(not any(same(reordered(heads).roll(by, 0)) for by in (1, -1)), "All rows stand one place too far on: the "
         "first row of a head is row 0.", where)  # fmt: skip
    need(bool((new.abs() - reordered(heads).abs()).abs().max() > 1e-5), "Some signs are turned: rows move, and keep "
         "their numbers.", where)  # fmt: skip
    at = torch.cdist(new, old).argmin(1)  # (rows,) the old row that stands in each new one
    need(same(old[at]) and len(at.unique()) == len(old), "It should hold the same rows, in another order.", where)
    width = len(old) // heads
    need(bool((at // width == torch.arange(len(old)) // width).all()), "Rows leave their head: each head keeps its "
         "own.", where)  # fmt: skip
    wrong = int((old[at] != reordered(heads)).any(-1).int().argmax())
    need(False, "The right rows in another order: the two that were one pair should now be neighbours, pair after pair.",
         where + f"new row {wrong} is old row {int(at[wrong])}. ")  # fmt: skip
