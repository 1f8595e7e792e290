"""Checks of notebook 06: two layouts by hand, whose weights a piece of code fits, rotation, and weights across layouts."""

import torch
from torch import Generator, Tensor

from posenc_helpers.classroom.exercises.checking import as_tensor, need, run_check
from posenc_helpers.encodings import apply_rope, convert_layout, frequencies, layout_permutation
from posenc_helpers.encodings.rope import rotate_pairs

VERDICTS = ("half", "interleaved", "neither")


def check_by_hand(answer) -> None:
    """Check [1, 0, 1, 0] turned at position 1, interleaved and half, to two decimals."""

    def test() -> None:
        given = as_tensor(answer, "turned", (2, 4))
        x, place = torch.tensor([[1.0, 0.0, 1.0, 0.0]], dtype=torch.float64), torch.tensor([1.0], dtype=torch.float64)
        turn = lambda layout, p=place: apply_rope(x, p, layout=layout)[0]  # noqa: E731
        right = torch.stack([turn("interleaved"), turn("half")])  # (2, 4)
        fits = lambda row, other, to=0.006: bool((row - other).abs().max() < to)  # noqa: E731
        need(not (fits(given[0], right[1]) and fits(given[1], right[0])), "Right numbers, but the rows are swapped: the "
             "interleaved layout comes first.")  # fmt: skip
        for row, layout in zip(given, ("interleaved", "half"), strict=True):
            if fits(row, turn(layout)):
                continue
            other = "half" if layout == "interleaved" else "interleaved"
            where = f"The {layout} row: "
            pairs = "(0, 1) and (2, 3)" if layout == "interleaved" else "(0, 2) and (1, 3)"
            need(not fits(row, turn(other)), where + f"this is the {other} layout; here columns {pairs} are pairs.")
            need(not fits(row, turn(layout, -place)), where + "you turned the other way. (a, b) becomes (a cos - b sin, "
                 "a sin + b cos).")  # fmt: skip
            need(not fits(row, x[0]), where + "this is position 0, where nothing turns.")
            one_speed = rotate_pairs(x, torch.ones(1, 2, dtype=x.dtype), layout)[0]
            need(not fits(row, one_speed), where + "pair 1 has a speed of its own, 0.01.")
            swapped = rotate_pairs(x, torch.tensor([[0.01, 1.0]], dtype=x.dtype), layout)[0]
            need(not fits(row, swapped), where + "the speeds are swapped: pair 0 is the fast one.")
            degrees = apply_rope(x, torch.deg2rad(place), layout=layout)[0]
            need(not fits(row, degrees), where + "your calculator works in degrees; the angles are radians.")
            order = layout_permutation(4, to=other)
            need(not fits(row, turn(layout)[order]), where + "right numbers in the wrong columns: each goes back to the "
                 "column that it came from.")  # fmt: skip
            need(not fits(row, turn(layout), 0.06), where + "almost. Give two decimals; pair 1 turns by 0.01.")
            need(False, where + f"pairs are columns {pairs}, and pair i turns by w_i. (a, b) becomes (a cos - b sin, "
                 "a sin + b cos).")  # fmt: skip

    run_check("two layouts", answer, test, "One vector, two results: that is why weights do not carry over.")


# What the notebook's six snippets are, and where to look again if the verdict is another one.
SNIPPETS = {
    "a": ("half", "which columns does chunk(2) put together?"),
    "b": ("half", "complex numbers say nothing; which columns become the real and which the imaginary parts?"),
    "c": ("interleaved", "which columns does the stacked part swap, and do these two take one angle?"),
    "d": ("neither", "write down which angle columns 0 and 1 take, then which columns are swapped."),
    "e": ("interleaved", "what counts is which columns *meet*; where the result is written is the same for q and k."),
    "g": ("neither", "write down which angle columns 0 and d_head/2 take; these are the two that meet."),
}


def check_snippets(answer) -> None:
    """Check {"a": "half", ...}: for each of the six snippets, the layout whose weights it fits, or "neither"."""

    def test() -> None:
        need(isinstance(answer, dict), 'Give a dict: {"a": "half", "b": ...}.')
        names = {str(name) for name in answer}
        need(names == set(SNIPPETS), f"Give one verdict for each of {', '.join(SNIPPETS)}.")
        for name, verdict in answer.items():
            need(verdict in VERDICTS, f'{name}: "{verdict}" is no verdict; allowed: {", ".join(VERDICTS)}.')
        wrong = [name for name, (truth, _) in SNIPPETS.items() if answer[name] != truth]
        if wrong:
            more = f" (To look at again: {len(wrong)} of {len(SNIPPETS)}.)"
            need(False, f"Snippet {wrong[0]}: {SNIPPETS[wrong[0]][1]}{more}")

    run_check("whose weights", answer, test, "You can read a layout off code that you have never seen.")


def check_rotate(answer) -> None:
    """Check `rotate(x, positions, layout, rotary_dim)` on ids of any order, one row of them per row of the batch."""

    def test() -> None:
        generator = Generator().manual_seed(61)
        for layout in ("interleaved", "half"):
            for rotary, width in ((10, 10), (6, 10)):
                x = torch.randn(2, 3, 5, width, generator=generator)  # (B, H, L, d_head)
                ids = torch.tensor([[7, 3, 2049, 0, 41], [2, 90, 5, 1, 8]])  # (B, L)
                before = x.clone()
                given = as_tensor(answer(x, ids, layout, rotary), "rotate(...)", (2, 3, 5, width))
                need(torch.equal(x, before), "Your code changes its input x. Work on a copy.")
                _hint_rotation(given, x.double(), ids, layout, rotary)

    run_check("rotate", answer, test, "Any positions, both layouts, any part of a head.")


def _hint_rotation(given: Tensor, x: Tensor, ids: Tensor, layout: str, rotary: int) -> None:
    """Raise NotYet with the likely mistake unless `given` is x (B, H, L, d_head) turned by ids (B, L)."""
    width, other = x.shape[-1], "half" if layout == "interleaved" else "interleaved"
    turn = lambda p=ids, which=layout, part=rotary: apply_rope(x, p.double(), layout=which, rotary_dim=part)  # noqa: E731
    fits = lambda wanted: bool((given - wanted).abs().max() < 2e-3)  # noqa: E731
    if fits(turn()):
        return
    where = f'layout="{layout}", rotary_dim={rotary} of {width}: '
    need(not fits(x), where + "nothing turns.")
    need(not fits(turn(which=other)), where + f"this is the {other} layout.")
    need(not fits(turn(-ids)), where + "you turn the other way: a' = a cos - b sin, b' = a sin + b cos.")
    need(not fits(turn(torch.arange(5).expand(2, 5))), where + "positions are ignored: tokens are counted 0, 1, 2 ...")
    need(not fits(turn(ids[:1].expand(2, 5))), where + "every row of the batch takes the positions of the first.")
    need(not fits(turn(ids + 1)) and not fits(turn(ids - 1)), where + "positions are off by one.")
    counted = ids[:, :1] + torch.arange(5)
    need(not fits(turn(counted)) and not fits(turn(ids - ids[:, :1])), where + "tokens are counted from the first one; each "
         "has a position of its own.")  # fmt: skip
    need(not any(fits(turn(ids.to(kind))) for kind in (torch.bfloat16, torch.float16)), where + "positions are rounded: "
         "bfloat16 counts to 256, float16 to 2048.")  # fmt: skip
    if rotary < width:
        need(not fits(turn(part=width)), where + "all columns turn; only the first rotary_dim should.")
        whole = ids[..., None].double() * frequencies(width, dtype=torch.float64)[: rotary // 2]  # (B, L, pairs)
        need(not fits(rotate_pairs(x, whole[:, None], layout)), where + "the exponent runs over d_head; it should run over "
             "rotary_dim.")  # fmt: skip
        last = torch.cat(
            [x[..., : width - rotary], apply_rope(x[..., width - rotary :], ids.double(), layout=layout)], -1
        )
        need(not fits(last), where + "the last columns turn; the first should.")
        need(bool((given[..., rotary:] - x[..., rotary:]).abs().max() < 1e-4), where + "columns beyond rotary_dim should "
             "stay as they are.")  # fmt: skip
    w = frequencies(rotary, dtype=torch.float64)  # (pairs,)
    for speeds, mistake in (
        (w**2, "the exponent is doubled: i counts pairs."),
        (w**0.5, "the exponent is halved: it is -2i / rotary_dim, and i counts pairs."),
        (1 / w, "the sign of the exponent is lost: pair 0 is the fastest."),
        (w.flip(0), "the speeds are in reverse order: pair 0 is the fastest."),
        (w**0, "all pairs take one speed. (Whole-number division in the exponent?)"),
        (w ** (len(w) / (len(w) - 1)), "the exponent divides by one pair too few, or the base is not 10,000."),
    ):
        angle = ids[..., None].double() * speeds  # (B, L, pairs)
        miss = (given - rotate_pairs(x, angle[:, None], layout)).abs().amax(dim=(1, 3))  # (B, L)
        need(bool(miss[ids < 10].max() > 0.02), where + mistake)  # huge angles are rounded too much to compare
    norms = (given.norm(dim=-1) / x.norm(dim=-1) - 1).abs().max()
    need(bool(norms < 1e-3), where + "the norm changes, so this is no rotation. Do both columns of a pair take one angle, "
         "do the signs differ, and does the second line use the a from before the first?")  # fmt: skip
    written = x.clone()
    written[..., :rotary] = turn()[..., layout_permutation(rotary, to=other)]
    need(not fits(written), where + "each pair should go back to the columns that it came from.")
    need(False, where + "a rotation, but another one. Which columns are a pair? Does pair i turn by "
         "p * 10000^(-2i/rotary_dim), with the position p of its own token?")  # fmt: skip


def check_convert(answer) -> None:
    """Check `convert(W_q, W_k, heads, key_heads)`: rows from the half into the interleaved layout."""

    def test() -> None:
        generator = Generator().manual_seed(62)
        for heads, key_heads, width, d in ((3, 3, 10, 6), (4, 2, 12, 8)):
            W_q, W_k = (torch.randn(h * width, d, generator=generator) for h in (heads, key_heads))
            before = W_q.clone(), W_k.clone()
            given = answer(W_q, W_k, heads, key_heads)
            need(given is not None, "convert returned nothing. Is the `return` missing?")
            need(isinstance(given, tuple | list) and len(given) == 2, "Return two matrices, W_q and W_k, as a tuple.")
            need(torch.equal(W_q, before[0]) and torch.equal(W_k, before[1]), "Your code changes its inputs. Work on "
                 "copies.")  # fmt: skip
            for name, new, old, count in zip(("W_q", "W_k"), given, (W_q, W_k), (heads, key_heads), strict=True):
                new = as_tensor(new, name, tuple(old.shape))
                if heads == key_heads:
                    exchanged = convert_layout(W_k if name == "W_q" else W_q, heads, to="interleaved").double()
                    need(not torch.allclose(new, exchanged), "Return W_q first, then W_k.")
                _hint_rows(name, new, old.double(), count, key_heads if name == "W_q" else heads)

    run_check("convert", answer, test, "The converted model is the same model.")


def _hint_rows(name: str, new: Tensor, old: Tensor, heads: int, others: int) -> None:
    """Raise NotYet with the likely mistake unless `new` holds the rows of `old`, each of the heads interleaved."""

    def reordered(count: int, to: str = "interleaved", rows: Tensor = old) -> Tensor:
        per_head = rows.unflatten(0, (count, -1))  # (H, d_head, d)
        return per_head[:, layout_permutation(per_head.shape[1], to)].flatten(0, 1)

    same = lambda wanted: bool((new - wanted).abs().max() < 1e-5)  # noqa: E731
    if same(reordered(heads)):
        return
    need(not same(old), f"{name} came back as it was.")
    need(not same(reordered(heads, "half")), f"{name} is reordered the other way, from interleaved to half. (At d_head = 4 "
         "you would not notice.)")  # fmt: skip
    need(not same(reordered(1)), f"{name} is reordered across all heads. Each head should keep its own rows.")
    need(not same(reordered(heads, rows=reordered(heads))), f"{name} is reordered twice.")
    need(not same(reordered(others)), f"{name} has {heads} heads here, and you cut it into {others}.")
    columns = old[:, layout_permutation(old.shape[1], "interleaved")]
    need(not same(columns), f"The columns of {name} are reordered; it should be the rows.")
    sort = lambda rows: rows[rows[:, 0].argsort()]  # noqa: E731
    need(bool((sort(new) - sort(old)).abs().max() < 1e-5), f"{name} should hold the same rows, in another order.")
    need(False, f"{name}: the right rows in another order. Within a head, new rows 2i and 2i + 1 are old rows i "
         "and i + d_head/2.")  # fmt: skip
