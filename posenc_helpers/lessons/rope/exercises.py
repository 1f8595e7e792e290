"""Checks of notebook 06: two layouts by hand, whose weights a piece of code fits, rotation, and weights across layouts."""

import torch
from torch import Generator

from posenc_helpers.classroom.exercises.answers import as_tensor, watched
from posenc_helpers.classroom.exercises.checking import Outcome, need, run_check
from posenc_helpers.classroom.exercises.forbidden import forbidding
from posenc_helpers.classroom.exercises.speeds import STILL, mistaken_speeds
from posenc_helpers.encodings import apply_rope, convert_layout, frequencies, layout_permutation
from posenc_helpers.encodings.rope import rotate_pairs
from posenc_helpers.lessons.rope.hints import hint_rotation, hint_rows

VERDICTS = ("half", "interleaved", "neither")


def check_by_hand(answer) -> Outcome:
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
            need(not fits(row, turn(other)), f"This is the {other} layout; here columns {pairs} are pairs.", where)
            need(not fits(row, turn(layout, -place)), "You turned the other way: (1, 0) should turn towards (0, 1).",
                 where)  # fmt: skip
            need(not fits(row, x[0]), f"This is position 0, where nothing turns. (Or: {STILL[0].lower()}{STILL[1:]})",
                 where)  # fmt: skip
            need(not fits(row, turn(layout, 2 * place)), "This is position 2; position 1 is asked for.", where)
            need(not fits(row.abs(), turn(layout).abs()), "A sign is wrong; the numbers are right but for that.", where)
            angles = {"Sine and cosine are swapped: at angle 0 nothing turns.": torch.pi / 2 - place * frequencies(4)}
            for mistake, speeds in (angles | mistaken_speeds(4)).items():
                need(not fits(row, rotate_pairs(x, speeds[None].to(x.dtype), layout)[0]), mistake, where)
            order = layout_permutation(4, to=other)
            need(not any(fits(row, turned[order]) for turned in (turn(layout), turn(other))), "Right numbers in the "
                 "wrong columns: each goes back to the column that it came from.", where)  # fmt: skip
            need(not fits(row, turn(layout), 0.06), "Almost: give two decimals, also of the slow pair.", where)
            alone = x[0] * apply_rope(torch.ones_like(x), place, layout=layout)[0]
            need(bool((row != row.round()).any()), "Whole numbers alone: fractions are cut off.", where)
            axis = -1 if layout == "interleaved" else 0
            lengths = lambda v: v.unflatten(0, (2, 2)).norm(dim=axis)  # of the two pairs  # noqa: B023, E731
            off = (lengths(row) - lengths(x[0])).abs()
            need(bool(off.max() < 0.02) and not fits(row, alone), f"A pair got longer or shorter, which no turn "
                 f"does: both columns of a pair take part. Pairs are columns {pairs}.", where)  # fmt: skip
            need(False, f"Each pair turns, but by another angle: pairs are columns {pairs}, each with a speed of its "
                 f"own.", where)  # fmt: skip

    return run_check("two layouts", answer, test, "One vector, two results: that is why weights do not carry over.")


# What the notebook's six snippets are, and where to look again if the verdict is another one.
SNIPPETS = {
    "a": ("half", "which columns does chunk(2) put together?"),
    "b": ("half", "complex numbers say nothing; which columns become the real and which the imaginary parts?"),
    "c": ("interleaved", "which columns does the stacked part swap, and do these two take one angle?"),
    "d": ("neither", "write down which angle columns 0 and 1 take, then which columns are swapped."),
    "e": ("interleaved", "what counts is which columns *meet*; where the result is written is the same for q and k."),
    "g": ("neither", "write down which angle columns 0 and d_head/2 take; these are the two that meet."),
}


def check_snippets(answer) -> Outcome:
    """Check {"a": "half", ...}: for each of the six snippets, the layout whose weights it fits, or "neither"."""

    def test() -> None:
        need(isinstance(answer, dict), 'Give a dict: {"a": "half", "b": ...}.')
        names = {str(name) for name in answer}
        verdicts = {name: str(verdict).strip().lower() for name, verdict in answer.items()}
        need(names == set(SNIPPETS), f"Give one verdict for each of {', '.join(SNIPPETS)}.",
             name="other snippets")  # fmt: skip
        for name, verdict in verdicts.items():
            need(answer[name] is not ..., f"{name} is still the dots.", name="still the dots")
            need(verdict in VERDICTS, f'{name}: "{verdict}" is no verdict; allowed: {", ".join(VERDICTS)}.',
                 name="no verdict")  # fmt: skip
        wrong = [name for name, (truth, _) in SNIPPETS.items() if verdicts[name] != truth]
        if wrong:
            more = f" (To look at again: {len(wrong)} of {len(SNIPPETS)}.)"
            need(False, f"Snippet {wrong[0]}: {SNIPPETS[wrong[0]][1]}{more}", name=f"snippet {wrong[0]}")

    return run_check("whose weights", answer, test, "You can read a layout off code that you have never seen.")


def check_rotate(answer) -> Outcome:
    """Check `rotate(x, positions, layout, rotary_dim)` on ids of any order, one row of them per row of the batch."""

    def test() -> None:
        generator, used = Generator().manual_seed(61), ("frequencies", "rotate_pairs")
        alone = "Of the package you may use `frequencies` and `rotate_pairs`, nothing else."
        ask = watched(forbidding(answer, alone, package=True, but=used))
        for layout in ("interleaved", "half"):
            for rotary, width in ((12, 12), (8, 12)):
                x = torch.randn(2, 3, 5, width, generator=generator)  # (B, H, L, d_head)
                ids = torch.tensor([[7, 3, 2049, 0, 41], [2, 90, 5, 1, 8]])  # (B, L)
                given = as_tensor(ask(x, ids, layout, rotary), "rotate(...)", (2, 3, 5, width), whole=False)
                hint_rotation(given, x.double(), ids, layout, rotary)

    return run_check("rotate", answer, test, "Any positions, both layouts, any part of a head.")


def check_convert(answer) -> Outcome:
    """Check `convert(W_q, W_k, heads, key_heads)`: rows from the half into the interleaved layout."""

    def test() -> None:
        generator = Generator().manual_seed(62)
        ask = watched(forbidding(answer, "Reorder the rows yourself, without the package.", package=True))
        for heads, key_heads, width, d in ((3, 3, 10, 6), (4, 2, 12, 8)):
            W_q, W_k = (torch.randn(h * width, d, generator=generator) for h in (heads, key_heads))
            given = ask(W_q, W_k, heads, key_heads)
            need(given is not None, "convert returned nothing. Is the `return` missing?", name="return missing")
            need(isinstance(given, tuple | list) and len(given) == 2, "Return two matrices, W_q and W_k, as a tuple.")
            for name, new, old, count in zip(("W_q", "W_k"), given, (W_q, W_k), (heads, key_heads), strict=True):
                new = as_tensor(new, name, tuple(old.shape), whole=False)
                if heads == key_heads:
                    exchanged = convert_layout(W_k if name == "W_q" else W_q, heads, to="interleaved").double()
                    need(not torch.allclose(new, exchanged), "Return W_q first, then W_k.")
                hint_rows(name, new, old.double(), count, key_heads if name == "W_q" else heads)

    return run_check("convert", answer, test, "The converted model is the same model.")
