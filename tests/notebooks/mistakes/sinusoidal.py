"""Mistakes in the helpers that some claim of notebook 03 must notice: (what, file, text, text with the mistake)."""

from tests.notebooks.mistakes.common import CHECKS, CLAIMS, SCORECARD, SINUSOIDAL, shared

MISTAKES = [
    # frequencies
    ("sign of the exponent lost", SINUSOIDAL, "base ** (-pair /", "base ** (pair /"),
    ("integer division in the exponent", SINUSOIDAL, "base ** (-pair /", "base ** (-pair //"),
    ("pairs counted from 1", SINUSOIDAL, "base ** (-pair /", "base ** (-(pair + 1) /"),
    ("d/2 - 1 in the paper's formula", SINUSOIDAL, '(pairs if formula == "paper" else pairs - 1)', "(pairs - 1)"),
    ("d/2 in tensor2tensor's formula", SINUSOIDAL, '(pairs if formula == "paper" else pairs - 1)', "(pairs)"),
    ("base ignored", SINUSOIDAL, "return (base ** (", "return (10000.0 ** ("),
    ("base not handed on", SINUSOIDAL, "frequencies(dim, base, formula, dtype", "frequencies(dim, 10000.0, formula, dtype"),
    ("formula not handed on", SINUSOIDAL, "frequencies(dim, base, formula, dtype", 'frequencies(dim, base, "paper", dtype'),
    # angles and columns
    ("degrees", SINUSOIDAL, "angle = angles(positions, speed)", "angle = torch.deg2rad(angles(positions, speed))"),
    ("positions from 1", SINUSOIDAL, "angle = angles(positions, speed)", "angle = angles(positions + 1, speed)"),
    ("angles rounded to bfloat16", SINUSOIDAL,
     "angle = angles(positions, speed)", "angle = angles(positions, speed).bfloat16().to(speed.dtype)"),
    ("float32 frequencies for float64 positions", SINUSOIDAL,
     "formula, dtype=real_positions(positions).dtype,", "formula, dtype=torch.float32,"),
    ("float64 positions computed in float32", CHECKS,
     "return positions if positions.dtype is torch.float64 else positions.to(torch.float32)",
     "return positions.to(torch.float32)"),
    ("positions end at 8192", SINUSOIDAL,
     "angle = angles(positions, speed)", "angle = angles(positions.clamp(max=8191), speed)"),
    ("sine and cosine swapped", SINUSOIDAL,
     "torch.stack([angle.sin(), angle.cos()]", "torch.stack([angle.cos(), angle.sin()]"),
    ("half layout: sine and cosine swapped", SINUSOIDAL,
     "torch.cat([angle.sin(), angle.cos()]", "torch.cat([angle.cos(), angle.sin()]"),
    ("cosine of the next pair", SINUSOIDAL,
     "torch.stack([angle.sin(), angle.cos()]", "torch.stack([angle.sin(), angle.roll(-1, -1).cos()]"),
    ("layouts swapped", SINUSOIDAL, 'if layout == "half":', 'if layout != "half":'),
    ("half layout in both", SINUSOIDAL, "angle.cos()], dim=-1).flatten(-2)", "angle.cos()], dim=-2).flatten(-2)"),
    # what is measured
    ("difference: the smallest, not the largest", CLAIMS, "(left - right).abs().max()", "(left - right).abs().min()"),
    ("bounded: the sum, not the largest", SCORECARD, "far.abs().max().item()", "far.abs().sum().item()"),
    # what no claim noticed at first
    ("later: negative positions made positive", SINUSOIDAL,
     "angle = angles(positions, speed)", "angle = angles(positions.abs(), speed)"),
    ("later: positions cast to the activations' dtype", SINUSOIDAL,
     "table = sinusoidal(positions, self.dim", "table = sinusoidal(positions.to(x.dtype).float(), self.dim"),
    ("later: base of the module ignored", SINUSOIDAL,
     "table = sinusoidal(positions, self.dim, self.base,", "table = sinusoidal(positions, self.dim, 10.0,"),
    # what other notebooks notice, too
    *shared("exponent doubled", "slowest pair first", "sine in the place of cosine", "sum computed and thrown away",
        "sinusoidal encoding: scale ignored", "encoding along the batch axis", "positions ignored",
        "door 1 never opened", "differences are always 0", "no training step", "accuracy: always at 16 tokens",
        "gap task: the label has nothing to do with the gap", "ranked: measured at the trained length",
        "consistent: other positions compared", "distance: measured at twice the length",
        "odd head width let through"),
]  # fmt: skip
