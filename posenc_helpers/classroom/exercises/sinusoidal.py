"""Checks of notebook 03: a row by hand, the shift matrix, and a million positions apart."""

import torch
from torch import Tensor

from posenc_helpers.classroom.exercises.checking import as_number, as_tensor, need, run_check
from posenc_helpers.encodings import frequencies, sinusoidal


def check_row_by_hand(answer) -> None:
    """Check the six numbers of PE(2) for d = 6, interleaved, to two decimals."""

    def test() -> None:
        row = as_tensor(answer, "row", (6,))
        right = sinusoidal(torch.tensor(2.0), 6).double()
        fits = lambda other: bool((row - other).abs().max() < 0.006)  # noqa: E731
        column = torch.arange(6)
        doubled = 2 * 10000.0 ** (-2 * (column // 2 * 2) / 6)
        need(not fits(torch.where(column % 2 == 0, doubled.sin(), doubled.cos())), "The exponent is doubled: i counts "
             "pairs, 0, 1, 2, so the speeds are 1, 10000^(-2/6), 10000^(-4/6).")  # fmt: skip
        need(not fits(sinusoidal(torch.tensor(2.0), 6, layout="half")), "These are the right numbers in the other "
             "layout: the paper puts each cosine beside its sine.")  # fmt: skip
        need(not fits(right.view(3, 2).flip(-1).flatten()), "Sine and cosine are swapped: column 2i is the sine.")
        need(
            not fits(sinusoidal(torch.tensor(1.0), 6)),
            "This is position 1; positions count from 0, and 2 is asked for.",
        )
        degrees = torch.deg2rad(2.0 * frequencies(6))
        need(not fits(torch.stack([degrees.sin(), degrees.cos()], -1).flatten()), "Your calculator works in degrees. The "
             "angles are radians.")  # fmt: skip
        single = 2 * 10000.0 ** (-column / 6)
        need(not fits(torch.where(column % 2 == 0, single.sin(), single.cos())), "Each column has a speed of its own here; "
             "the two columns of a pair share one.")  # fmt: skip
        need(not fits(sinusoidal(torch.tensor(2.0), 6, base=1 / 10000)), "The sign of the exponent is lost: from pair to "
             "pair, hands get slower.")  # fmt: skip
        need(not fits(sinusoidal(torch.tensor(2.0), 6, formula="tensor2tensor")), "Your speeds are 10000^(-i/2), as if d "
             "were 4, or as in the formula with d/2 - 1. Here i is divided by d/2 = 3.")  # fmt: skip
        need(fits(right), "Angle of pair i: 2 / 10000^(2i/6). Then sine and cosine of it, to two decimals at least.")

    run_check("row", answer, test, "Pair 2 has hardly moved: that is the slow hand.")


def check_shift_matrix(answer) -> None:
    """Check `shift_matrix(k, d)`: (d, d) with PE(p + k) = M PE(p) for every p, half layout."""

    def test() -> None:
        for k, d in ((3, 8), (-2, 6), (40, 10)):
            order = torch.arange(d).view(2, -1).T.flatten()  # interleaved column -> column of the half layout
            ask = lambda k: as_tensor(answer(k, d), f"shift_matrix({k}, {d})", (d, d))  # noqa: B023, E731
            given = ask(k)
            matrix = given[order][:, order]  # the same, interleaved: each pair is then a block on the diagonal
            positions = torch.tensor([0.0, 1.0, 7.0, 260.0, 999.0], dtype=torch.float64)
            before, after = sinusoidal(positions, d), sinusoidal(positions + k, d)  # (5, d) each
            miss = lambda m: (before @ m.T - after).abs().max().item()  # noqa: B023, E731
            if miss(matrix) < 1e-4:
                continue
            if k < 0 and miss(ask(-k)[order][:, order].T) < 1e-4:
                need(False, f"Right for k = {-k}, but not for k = {k}: a negative k turns the hands back.")
            need(miss(matrix.T) > 1e-4, "Your matrix shifts by -k: swap the two sines' signs, or transpose it.")
            need(min(miss(given), miss(given.T)) > 1e-4, "Your matrix has the interleaved layout. In the half layout row i "
                 "makes the new sine of pair i, and row i + d/2 its new cosine.")  # fmt: skip
            need(not _turns_pairs(matrix), "Your matrix is a rotation, but by other angles: pair i turns by "
                 "k * 10000^(-2i/d).")  # fmt: skip
            need(False, "PE(p + k) is not M PE(p). For one pair: sin(a + b) = sin a cos b + cos a sin b, and "
                 "cos(a + b) = cos a cos b - sin a sin b.")  # fmt: skip

    run_check("shift_matrix", answer, test, "One matrix for every p, also for shifts to the left.")


def _turns_pairs(matrix: Tensor) -> bool:
    """Return whether `matrix` (d, d) turns every pair of columns by some angle and does nothing else."""
    cos, sin = matrix.diagonal()[::2], matrix.diagonal(1)[::2]  # (d/2,) each
    blocks = torch.stack([cos, sin, -sin, cos], dim=-1).view(-1, 2, 2)
    length = (cos**2 + sin**2).sqrt()
    return torch.allclose(matrix, torch.block_diag(*blocks), atol=1e-4) and bool(((length - 1).abs() < 1e-4).all())


def check_million(answer) -> None:
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
        need(smallest > 0.5, f"Positions {at} apart are only {smallest:.3f} apart. "
             + ("Most hands have hardly moved by then: they are too slow, so lower the base." if too_slow else
                "The hands come back together there: another base, or more columns."))  # fmt: skip
        need(d <= 12, f"{smallest:.2f} apart with {int(d)} columns: it works. Fewer columns will do; try 12.")

    run_check("a million positions", answer, test, "12 columns are the fewest that we found.")
