"""Checks of notebook 03: a row by hand, the shift matrix, and a million positions apart."""

import torch
from torch import Tensor

from posenc_helpers.classroom.exercises.answers import as_number, as_tensor, watched
from posenc_helpers.classroom.exercises.checking import Outcome, need, run_check
from posenc_helpers.classroom.exercises.speeds import STILL, mistaken_speeds
from posenc_helpers.encodings import frequencies, sinusoidal


def check_row_by_hand(answer) -> Outcome:
    """Check the six numbers of PE(2) for d = 6, interleaved, to two decimals."""

    def test() -> None:
        row = as_tensor(answer, "row", (6,))
        right = sinusoidal(torch.tensor(2.0), 6).double()
        fits = lambda other, to=0.006: bool((row - other).abs().max() < to)  # noqa: E731
        at = lambda angle: torch.stack([angle.sin(), angle.cos()], -1).flatten()  # noqa: E731
        if fits(right):
            return
        need(not fits(sinusoidal(torch.tensor(2.0), 6, layout="half")), "These are the right numbers in the other "
             "layout: the paper puts each cosine beside its sine.")  # fmt: skip
        need(not fits(right.view(3, 2).flip(-1).flatten()), "Sine and cosine are swapped: column 2i is the sine.")
        for p in (0, 1, 3, 4):
            need(not fits(at(p * frequencies(6))), f"This is position {p}; positions count from 0, and 2 is asked "
                 f"for." + " (Or ** and * meet in the exponent without brackets.)" * (p == 0), name="another "
                 "position")  # fmt: skip
        for mistake, speeds in mistaken_speeds(6).items():
            need(not fits(at(2 * speeds)), mistake)
        column = torch.arange(6)
        single = 2 * 10000.0 ** (-column / 6)
        need(not fits(torch.where(column % 2 == 0, single.sin(), single.cos())), "Each column has a speed of its own "
             "here; the two columns of a pair share one.")  # fmt: skip
        need(not fits(right.abs()), "A sign is lost: the cosine of an angle beyond a quarter turn is negative.")
        need(not fits(right, 0.06), "Almost: give two decimals.")
        need(bool((row != row.round()).any()), "Whole numbers alone: fractions are cut off.")
        pairs = row.view(3, 2)
        off = (pairs.norm(dim=-1) - 1).abs()
        need(bool(off.max() < 0.02), "These two numbers cannot be sine and cosine of one angle: their squares do not "
             "sum to 1.", f"Pair {int((off > 0.02).int().argmax())}: ")  # fmt: skip
        wrong = int((pairs - right.view(3, 2)).abs().amax(-1).gt(0.006).int().argmax())
        need(False, "This is sine and cosine of one angle, but of another one. What is the pair's speed, and what the "
             "position?", f"Pair {wrong}: ")  # fmt: skip

    return run_check("row", answer, test, "Pair 2 has hardly moved: that is the slow hand.")


def check_shift_matrix(answer) -> Outcome:
    """Check `shift_matrix(k, d)`: (d, d) with PE(p + k) = M PE(p) for every p, half layout."""

    def test() -> None:
        ask = watched(answer)
        for k, d in ((3, 8), (-2, 6), (40, 10), (5, 8)):
            given = as_tensor(ask(k, d), f"shift_matrix({k}, {d})", (d, d), whole=False)
            if _shifts(_interleaved(given), k):
                continue
            if k < 0 and _shifts(_interleaved(as_tensor(ask(-k, d), "shift_matrix", (d, d))).T, k):
                need(False, f"Right for k = {-k}, but not for k = {k}: a negative k turns the hands back.",
                     name="negative k")  # fmt: skip
            _hint_shift(given, k)

    return run_check("shift_matrix", answer, test, "One matrix for every p, also for shifts to the left.")


def _interleaved(half: Tensor) -> Tensor:
    """Return `half` (d, d) in the interleaved layout, where every pair is a block on the diagonal."""
    order = torch.arange(len(half)).view(2, -1).T.flatten()
    return half[order][:, order]


def _shifts(matrix: Tensor, k: int) -> bool:
    """Return whether `matrix` (d, d), interleaved, takes PE(p) to PE(p + k)."""
    p, d = torch.tensor([0.0, 1.0, 7.0, 260.0, 999.0], dtype=torch.float64), len(matrix)
    return bool((sinusoidal(p, d) @ matrix.T - sinusoidal(p + k, d)).abs().max() < 1e-4)


def _hint_shift(given: Tensor, k: int) -> None:
    """Raise NotYet with the likely mistake of `given` (d, d), half layout, which does not shift by k."""
    d, matrix = len(given), _interleaved(given)
    need(not torch.allclose(given, torch.eye(d).double(), atol=1e-4), f"Nothing turns. (Is k used? {STILL})", name=
         "nothing turns")  # fmt: skip
    need(not _shifts(matrix.T, k), "Your matrix shifts by -k: the two sines have each other's sign.")
    need(not _shifts(given, k) and not _shifts(given.T, k), "Your matrix has the interleaved layout. Here the "
         "columns of a pair stand d/2 apart.")  # fmt: skip
    cos, sin = given.diagonal()[: d // 2], given.diagonal(d // 2)
    turned = _half(cos, sin)
    swapped = any(_shifts(_interleaved(m), j) for m in (_half(sin, cos), _half(sin, cos).T) for j in (k, -k))
    need(not swapped, "Sines stand where the cosines belong: for k = 0 nothing may change.")
    one_sign = torch.allclose(given.diagonal(-(d // 2)), sin) and any(_shifts(_interleaved(turned), j) for j in (k, -k))
    need(not one_sign, "The two sines have one sign: a turn needs opposite ones.")
    for by in (k - 1, k + 1, 1):
        need(not _shifts(matrix, by), f"This shifts by {by}, not by {k}.", name="k is off by one")
    for mistake, speeds in mistaken_speeds(d).items():
        for way in (k, -k):
            angle = way * speeds
            need(not torch.allclose(given, _half(angle.cos(), angle.sin()), atol=1e-5), mistake)
    outside = given.clone()
    for part in (0, d // 2, -(d // 2)):
        outside.diagonal(part).zero_()
    need(bool((outside.abs() < 1e-4).all()), "Pairs are mixed: outside its own two columns a row should hold zeros. "
         "Are your quarters diagonal?")  # fmt: skip
    need(torch.allclose(given @ given.T, torch.eye(d).double(), atol=1e-4), "Your matrix changes lengths: a shift turns "
         "every pair and stretches none.")  # fmt: skip
    need(torch.allclose(given, turned, atol=1e-4), "A pair is mirrored, not turned: the signs of its four numbers.")
    need(False, "Every pair turns, but by another angle: M PE(0) should be PE(k).")


def _half(cos: Tensor, sin: Tensor) -> Tensor:
    """Return the (d, d) matrix, half layout, that turns pair i by the angle with cos[i] and sin[i]."""
    cos, sin = cos.diag(), sin.diag()
    return torch.cat([torch.cat([cos, sin], dim=1), torch.cat([-sin, cos], dim=1)])


def check_million(answer) -> Outcome:
    """Check (base, d): codes of 0 ... 999,999 at least 0.5 apart, with d columns, as few as possible."""

    def test() -> None:
        pair = answer.tolist() if hasattr(answer, "tolist") else answer
        need(isinstance(pair, tuple | list) and len(pair) == 2, "Give two numbers: (base, d).")
        base, d = (as_number(value, name) for value, name in zip(pair, ("base", "d"), strict=True))
        need(d <= 64 or base > 64, "Give (base, d) in this order: the base first.")
        need(d == int(d) and d >= 2 and d % 2 == 0, "d should be an even whole number of columns.")
        need(base > 0, "The base should be above 0.")
        need(d <= 64, "That many columns are not needed: stay at 64 or below.")
        offsets = torch.arange(1, 1_000_000, dtype=torch.float64)
        squared = torch.zeros_like(offsets)
        speeds = frequencies(int(d), base, dtype=torch.float64)  # (d/2,)
        for speed in speeds:
            squared += 4 * (offsets * speed / 2).sin() ** 2
        smallest, at = squared.min().sqrt().item(), int(offsets[squared.argmin()])
        too_slow = (at * speeds).median() < 1
        need(smallest > 0.5, "Most hands have hardly moved by then: they are too slow, so lower the base." if too_slow else
             "The hands come back together there: another base, or more columns.", f"Positions {at} apart are only "
             f"{smallest:.3f} apart. ")  # fmt: skip
        need(d <= 12, "It works, but fewer columns will do: 12 or fewer pass.", f"{smallest:.2f} apart with {int(d)} "
             f"columns. ")  # fmt: skip

    return run_check("a million positions", answer, test, "12 columns are the fewest that we found.")
