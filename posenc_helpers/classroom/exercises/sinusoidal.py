"""Checks of notebook 03: a row by hand, the shift matrix, and a million positions apart."""

import torch

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
        need(fits(right), "Angle of pair i: 2 / 10000^(2i/6). Then sine and cosine of it, to two decimals at least.")

    run_check("row", answer, test, "Pair 2 has hardly moved: that is the slow hand.")


def check_shift_matrix(answer) -> None:
    """Check `shift_matrix(k, d)`: (d, d) with PE(p + k) = M PE(p) for every p, interleaved layout."""

    def test() -> None:
        for k, d in ((3, 8), (-2, 6), (40, 10)):
            matrix = as_tensor(answer(k, d), f"shift_matrix({k}, {d})", (d, d))
            positions = torch.tensor([0.0, 1.0, 7.0, 260.0, 999.0], dtype=torch.float64)
            before, after = sinusoidal(positions, d), sinusoidal(positions + k, d)  # (5, d) each
            miss = lambda m: (before @ m.T - after).abs().max().item()  # noqa: B023, E731
            if miss(matrix) < 1e-4:
                continue
            need(miss(matrix.T) > 1e-4, "Your matrix shifts by -k: swap the two sines' signs, or transpose it.")
            half = torch.arange(d).view(2, -1).T.flatten()  # interleaved column -> column of the half layout
            need(miss(matrix[half][:, half]) > 1e-4, "Your matrix is right for the half layout. In the interleaved one the "
                 "blocks stand along the diagonal.")  # fmt: skip
            need(not torch.allclose(matrix @ matrix.T, torch.eye(d, dtype=torch.float64), atol=1e-4), "Your matrix is a "
                 "rotation, but by other angles: pair i turns by k * 10000^(-2i/d).")  # fmt: skip
            need(False, "PE(p + k) is not M PE(p). For one pair: sin(a + b) = sin a cos b + cos a sin b, and "
                 "cos(a + b) = cos a cos b - sin a sin b.")  # fmt: skip

    run_check("shift_matrix", answer, test, "One matrix for every p, also for shifts to the left.")


def check_million(answer) -> None:
    """Check (base, d): codes of 0 ... 999,999 at least 0.5 apart, with d columns, as few as possible."""

    def test() -> None:
        need(isinstance(answer, tuple | list) and len(answer) == 2, "Give two numbers: (base, d).")
        base, d = (as_number(value, name) for value, name in zip(answer, ("base", "d"), strict=True))
        need(d == int(d) and d >= 2 and d % 2 == 0, "d should be an even whole number of columns.")
        need(base > 0, "The base should be above 0.")
        need(d <= 64, "That many columns are not needed: stay at 64 or below.")
        offsets = torch.arange(1, 1_000_000, dtype=torch.float64)
        squared = torch.zeros_like(offsets)
        for speed in frequencies(int(d), base, dtype=torch.float64):
            squared += 4 * (offsets * speed / 2).sin() ** 2
        smallest, at = squared.min().sqrt().item(), int(offsets[squared.argmin()])
        need(smallest > 0.5, f"Positions {at} apart are only {smallest:.3f} apart. "
             + ("Neighbours are too near: the hands are too slow, so lower the base." if at <= 3 else
                "The hands come back together there: another base, or more columns."))  # fmt: skip
        need(d <= 16, f"{smallest:.2f} apart with {int(d)} columns: it works. Fewer columns will do; try 16 or less.")

    run_check("a million positions", answer, test, "12 columns are the fewest that we found.")
