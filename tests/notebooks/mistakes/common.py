"""What the tables of mistakes share: the files, and the mistakes that several notebooks must notice."""

ALIBI = "posenc_helpers/encodings/alibi.py"
BASE = "posenc_helpers/encodings/base.py"
CHECKS = "posenc_helpers/checks.py"
CLAIMS = "posenc_helpers/classroom/claims.py"
EVALUATION = "posenc_helpers/lab/evaluation.py"
NAIVE = "posenc_helpers/encodings/naive.py"
ROPE = "posenc_helpers/encodings/rope.py"
SCALING = "posenc_helpers/encodings/rope_scaling.py"
SCORECARD = "posenc_helpers/lab/scorecard.py"
SINUSOIDAL = "posenc_helpers/encodings/sinusoidal.py"
TASKS = "posenc_helpers/lab/tasks.py"
TRAINING = "posenc_helpers/lab/training.py"
TRANSFORMER = "posenc_helpers/transformer.py"

SHARED = [
    ("ALiBi: sign reversed", ALIBI, "return slopes * relative", "return -slopes * relative"),
    ("door 3 never opened", TRANSFORMER, "        scores = scores + bias\n", "        scores = scores + 0 * bias\n"),
    ("bias divided with the scores", TRANSFORMER,
     "        scores = scores + bias\n", "        scores = scores + bias / math.sqrt(q.shape[-1])\n"),
    ("causal mask lines up the first query", TRANSFORMER, ".tril(keys - queries)", ".tril()"),
    ("a row that sees nothing averages everything", TRANSFORMER, "mixed * some.to(mixed.dtype)", "mixed"),
    ("differences are always 0", CLAIMS, "return (left - right).abs().max()", "return 0 * (left - right).abs().max()"),
    ("no training step", TRAINING, "        optimizer.step()\n", ""),
    ("recall: the last token", TASKS, "labels = tokens[:, :1].repeat", "labels = tokens[:, -1:].repeat"),
    ("loss by position: fewer keys ignored", EVALUATION, ".triu(1 - keys)", ".triu(-length)"),
    ("another encoding never reaches the layers", TRANSFORMER,
     "block.attention.encoding = own\n", "block.attention.encoding = self.encoding\n"),
    ("the next character is the last one", TASKS,
     "return window[:, :-1], window[:, 1:]", "return window[:, :-1], window[:, :-1]"),
    ("accuracy: always at 16 tokens", TRAINING, "task.sample(examples, length, Gen", "task.sample(examples, 16, Gen"),
    ("by-parts: turns counted in radians", SCALING, "return original_length * frequencies / (2 * math.pi)",
     "return original_length * frequencies"),
    ("slowest pair first", SINUSOIDAL, "base ** (-pair /", "base ** (-pair.flip(0) /"),
    ("sine in the place of cosine", SINUSOIDAL,
     "torch.stack([angle.sin(), angle.cos()]", "torch.stack([angle.sin(), angle.sin()]"),
    ("sinusoidal encoding: scale ignored", SINUSOIDAL, "return x + (self.scale * table)", "return x + (table)"),
    ("order task: the label has nothing to do with order", TASKS,
     "(places[:, 0] > places[:, 1]).long()", "(tokens[:, 0] > 1).long()"),
    ("unique: the largest distance, not the smallest", SCORECARD, "torch.pdist(long).min()", "torch.pdist(code).max()"),
    ("shift: nothing moved", SCORECARD, "torch.arange(length) + shift", "torch.arange(length)"),
    ("unique: a code compared with itself", SCORECARD, "torch.pdist(long).min()", "torch.cdist(code, code).min()"),
    ("half-precision positions let through", CHECKS,
     "if positions.dtype in (torch.bfloat16, torch.float16):", "if False:"),
    ("cache: keys are counted from 0", TRANSFORMER, "past = len(caches[0]) if caches else 0", "past = 0"),
    ("neighbours turn the other way", ROPE, "torch.complex(cos, sin)", "torch.complex(cos, -sin)"),
    ("neighbours in both layouts", ROPE, "else ((2, -1), -2)", "else ((-1, 2), -1)"),
    ("base ignored by the function", ROPE, "pair_frequencies(width, base, dtype", "pair_frequencies(width, 10000.0, dtype"),
    ("exponent doubled", SINUSOIDAL, "base ** (-pair /", "base ** (-2 * pair /"),
    ("odd head width let through", CHECKS, "    if value % 2:", "    if False:"),
    ("sum computed and thrown away", SINUSOIDAL, "return x + (self.scale * table).to(x.dtype)", "return x"),
    ("encoding along the batch axis", SINUSOIDAL,
     "table = sinusoidal(positions, self.dim, self.base, self.layout, self.formula)",
     "table = sinusoidal(torch.arange(len(x)), self.dim, self.base, self.layout, self.formula)[:, None]"),
    ("positions ignored", SINUSOIDAL, "sinusoidal(positions, self.dim,", "sinusoidal(0 * positions, self.dim,"),
    ("consistent: other positions compared", SCORECARD, "short - long[: len(short)]", "short - long[:1]"),
    ("distance: measured at twice the length", SCORECARD,
     "found[near].append(accuracy(model, task, LENGTH))", "found[near].append(accuracy(model, task, 2 * LENGTH))"),
    ("ranked: measured at the trained length", SCORECARD,
     "ranking(model, task, 2 * LENGTH)", "ranking(model, task, LENGTH)"),
    ("door 1 never opened", TRANSFORMER,
     "self.encoding.embed(self.embedding(tokens), positions)", "self.embedding(tokens)"),
    ("gap task: the label has nothing to do with the gap", TASKS,
     "labels[:, None].bool(), right", "labels[:, None].bool() & False, right"),
]  # fmt: skip


def shared(*whats: str) -> list[tuple[str, str, str, str]]:
    """Return the rows of SHARED that are described so."""
    rows = {row[0]: row for row in SHARED}
    return [rows[what] for what in whats]
