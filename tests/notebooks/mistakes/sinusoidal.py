"""Mistakes in the helpers that some claim of notebook 03 must notice: (what, file, text, text with the mistake)."""

CHECKS = "posenc_helpers/encodings/checks.py"
SINUSOIDAL = "posenc_helpers/encodings/sinusoidal.py"
TRANSFORMER = "posenc_helpers/transformer.py"
SCORECARD = "posenc_helpers/lab/scorecard.py"
TASKS = "posenc_helpers/lab/tasks.py"
TRAINING = "posenc_helpers/lab/training.py"
CLAIMS = "posenc_helpers/classroom/claims.py"

MISTAKES = [
    # frequencies
    ("exponent doubled", SINUSOIDAL, "base ** (-pair /", "base ** (-2 * pair /"),
    ("sign of the exponent lost", SINUSOIDAL, "base ** (-pair /", "base ** (pair /"),
    ("integer division in the exponent", SINUSOIDAL, "base ** (-pair /", "base ** (-pair //"),
    ("pairs counted from 1", SINUSOIDAL, "base ** (-pair /", "base ** (-(pair + 1) /"),
    ("slowest hand first", SINUSOIDAL, "base ** (-pair /", "base ** (-pair.flip(0) /"),
    ("d/2 - 1 in the paper's formula", SINUSOIDAL, '(pairs if formula == "paper" else pairs - 1)', "(pairs - 1)"),
    ("d/2 in tensor2tensor's formula", SINUSOIDAL, '(pairs if formula == "paper" else pairs - 1)', "(pairs)"),
    ("base ignored", SINUSOIDAL, "return base ** (", "return 10000.0 ** ("),
    ("base not handed on", SINUSOIDAL, "frequencies(dim, base, formula, dtype", "frequencies(dim, 10000.0, formula, dtype"),
    ("formula not handed on", SINUSOIDAL, "frequencies(dim, base, formula, dtype", 'frequencies(dim, base, "paper", dtype'),
    # angles and columns
    ("degrees", SINUSOIDAL, "angle = positions[..., None] * speed", "angle = torch.deg2rad(positions[..., None] * speed)"),
    ("positions from 1", SINUSOIDAL, "angle = positions[..., None]", "angle = (positions[..., None] + 1)"),
    ("angles rounded to bfloat16", SINUSOIDAL,
     "angle = positions[..., None] * speed", "angle = (positions[..., None] * speed).bfloat16().to(positions.dtype)"),
    ("float32 frequencies for float64 positions", SINUSOIDAL,
     "formula, dtype=positions.dtype,", "formula, dtype=torch.float32,"),
    ("float64 positions computed in float32", CHECKS,
     "return positions if positions.dtype is torch.float64 else positions.to(torch.float32)",
     "return positions.to(torch.float32)"),
    ("positions end at 8192", SINUSOIDAL, "angle = positions[..., None]", "angle = positions[..., None].clamp(max=8191)"),
    ("sine and cosine swapped", SINUSOIDAL,
     "torch.stack([angle.sin(), angle.cos()]", "torch.stack([angle.cos(), angle.sin()]"),
    ("half layout: sine and cosine swapped", SINUSOIDAL,
     "torch.cat([angle.sin(), angle.cos()]", "torch.cat([angle.cos(), angle.sin()]"),
    ("sine in the place of cosine", SINUSOIDAL,
     "torch.stack([angle.sin(), angle.cos()]", "torch.stack([angle.sin(), angle.sin()]"),
    ("cosine of the next pair", SINUSOIDAL,
     "torch.stack([angle.sin(), angle.cos()]", "torch.stack([angle.sin(), angle.roll(-1, -1).cos()]"),
    ("layouts swapped", SINUSOIDAL, 'if layout == "half":', 'if layout != "half":'),
    ("half layout in both", SINUSOIDAL, "angle.cos()], dim=-1).flatten(-2)", "angle.cos()], dim=-2).flatten(-2)"),
    # the module
    ("sum computed and thrown away", SINUSOIDAL, "return x + (self.scale * table).to(x.dtype)", "return x"),
    ("scale ignored", SINUSOIDAL, "return x + (self.scale * table)", "return x + (table)"),
    ("encoding along the batch axis", SINUSOIDAL,
     "table = sinusoidal(positions, self.dim, self.base, self.layout, self.formula)",
     "table = sinusoidal(torch.arange(len(x)), self.dim, self.base, self.layout, self.formula)[:, None]"),
    ("positions ignored", SINUSOIDAL, "sinusoidal(positions, self.dim,", "sinusoidal(0 * positions, self.dim,"),
    ("door 1 never opened", TRANSFORMER, "self.encoding.embed(self.embedding(tokens), positions)", "self.embedding(tokens)"),
    # what is measured
    ("differences are always 0", CLAIMS, "return (left - right).abs().max()", "return 0 * (left - right).abs().max()"),
    ("difference: the smallest, not the largest", CLAIMS, "(left - right).abs().max()", "(left - right).abs().min()"),
    ("accuracy: always at 16 tokens", TRAINING, "task.sample(examples, length, Gen", "task.sample(examples, 16, Gen"),
    ("no training step", TRAINING, "        optimizer.step()\n", ""),
    ("gap task: the label has nothing to do with the gap", TASKS,
     "labels[:, None].bool(), _pick(yes", "labels[:, None].bool() & False, _pick(yes"),
    ("consistent: other positions compared", SCORECARD, "short - long[: len(short)]", "short - long[:1]"),
    ("bounded: the sum, not the largest", SCORECARD, "far.abs().max().item()", "far.abs().sum().item()"),
    ("distance: measured at twice the length", SCORECARD,
     "found[near].append(accuracy(model, task, LENGTH))", "found[near].append(accuracy(model, task, 2 * LENGTH))"),
    ("beyond: measured at the trained length", SCORECARD,
     "found[far].append(accuracy(model, task, 2 * LENGTH))", "found[far].append(accuracy(model, task, LENGTH))"),
    # what no claim noticed at first
    ("later: odd width let through", CHECKS, "    if value % 2:", "    if False:"),
    ("later: negative positions made positive", SINUSOIDAL,
     "positions = real_positions(positions)", "positions = real_positions(positions).abs()"),
    ("later: positions cast to the activations' dtype", SINUSOIDAL,
     "table = sinusoidal(positions, self.dim", "table = sinusoidal(positions.to(x.dtype).float(), self.dim"),
    ("later: base of the module ignored", SINUSOIDAL,
     "table = sinusoidal(positions, self.dim, self.base,", "table = sinusoidal(positions, self.dim, 10.0,"),
]  # fmt: skip
