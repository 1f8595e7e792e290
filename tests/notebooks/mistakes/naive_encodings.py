"""Mistakes in the helpers that some claim of notebook 02 must notice: (what, file, text, text with the mistake)."""

CHECKS = "posenc_helpers/encodings/checks.py"
NAIVE = "posenc_helpers/encodings/naive.py"
SINUSOIDAL = "posenc_helpers/encodings/sinusoidal.py"
TRANSFORMER = "posenc_helpers/transformer.py"
SCORECARD = "posenc_helpers/lab/scorecard.py"
TASKS = "posenc_helpers/lab/tasks.py"
TRAINING = "posenc_helpers/lab/training.py"
CLAIMS = "posenc_helpers/classroom/claims.py"
DRAWINGS = "posenc_helpers/classroom/drawings/naive_encodings.py"

MISTAKES = [
    # the five functions
    ("index: counts from 1", NAIVE,
     "return real_positions(positions)[..., None]", "return real_positions(positions + 1)[..., None]"),
    ("normalised: divided by L", NAIVE, "/ max(1, length - 1)", "/ length"),
    ("normalised: integer division", NAIVE, "/ max(1, length - 1)", "// max(1, length - 1)"),
    ("normalised: length ignored", NAIVE, "/ max(1, length - 1)", "/ 15"),
    ("random: drawn anew at each call", NAIVE,
     "torch.randn(length, dim, generator=Generator().manual_seed(seed))", "torch.randn(length, dim)"),
    ("random: a walk, so neighbours are near", NAIVE,
     "torch.randn(length, dim, generator=Generator().manual_seed(seed))",
     "torch.randn(length, dim, generator=Generator().manual_seed(seed)).cumsum(0)"),
    ("random: one vector for all beyond position 16", NAIVE,
     ".to(positions.device)[positions]", ".to(positions.device)[positions.clamp(max=15)]"),
    ("one-hot: shifted by one column", NAIVE, "(positions[..., None] == ", "(positions[..., None] + 1 == "),
    ("one-hot: 0 beyond column 16", NAIVE, "(positions[..., None] == ", "(positions[..., None].clamp(max=16) == "),
    ("binary: highest bit first", NAIVE, ">> column & 1", ">> column.flip(0) & 1"),
    ("binary: lowest bit lost", NAIVE, ">> column & 1", ">> column + 1 & 1"),
    ("binary: a Gray code", NAIVE, "(positions[..., None] >>", "((positions ^ positions >> 1)[..., None] >>"),
    # the modules
    ("nothing added", NAIVE, "return x + torch.nn.functional.pad(code,", "return x + 0 * torch.nn.functional.pad(code,"),
    ("encoding along the batch axis", NAIVE, "self.scale * self.codes(positions, x.shape[1])",
     "self.scale * self.codes(positions[torch.arange(len(x)) % x.shape[1]], x.shape[1])[:, None]"),
    ("index in all columns, in front of a LayerNorm", NAIVE, "dim if columns is None else columns", "dim"),
    ("index encoding: does not grow", NAIVE, "return index(positions, self.columns)",
     "return index(positions % 32, self.columns)"),
    ("normalised encoding: a fixed length", NAIVE,
     "normalised(positions, self.columns, length)", "normalised(positions, self.columns, 32)"),
    ("one-hot encoding: positions ignored", NAIVE, "return one_hot(positions,", "return one_hot(0 * positions,"),
    ("binary encoding: positions ignored", NAIVE,
     "return binary(positions, self.dim)", "return binary(0 * positions + 1, self.dim)"),
    # the sinusoidal code, where it is added to words
    ("sinusoidal: positions ignored", SINUSOIDAL,
     "angle = positions[..., None] * speed", "angle = 0 * positions[..., None] * speed"),
    ("sinusoidal: sine in the place of cosine", SINUSOIDAL,
     "torch.stack([angle.sin(), angle.cos()]", "torch.stack([angle.sin(), angle.sin()]"),
    ("sinusoidal encoding: scale ignored", SINUSOIDAL, "return x + (self.scale * table)", "return x + (table)"),
    ("door 1 never opened", TRANSFORMER, "self.encoding.embed(self.embedding(tokens), positions)", "self.embedding(tokens)"),
    ("drowned words: no code added", DRAWINGS,
     "embeddings, sinusoidal(torch.arange(length), width),", "embeddings, 0 * sinusoidal(torch.arange(length), width),"),
    # what is measured
    ("differences are always 0", CLAIMS, "return (left - right).abs().max()", "return 0 * (left - right).abs().max()"),
    ("no training step", TRAINING, "        optimizer.step()\n", ""),
    ("accuracy: always at 16 tokens", TRAINING, "task.sample(examples, length, Gen", "task.sample(examples, 16, Gen"),
    ("order task: the label has nothing to do with order", TASKS,
     "(places[:, 0] > places[:, 1]).long()", "(tokens[:, 0] > 1).long()"),
    ("gap task: the label has nothing to do with the gap", TASKS,
     "labels[:, None].bool(), _pick(yes", "labels[:, None].bool() & False, _pick(yes"),
    ("beyond: measured at the trained length", SCORECARD,
     "found[far].append(accuracy(model, task, 2 * LENGTH))", "found[far].append(accuracy(model, task, LENGTH))"),
    ("unique: the largest distance, not the smallest", SCORECARD, "torch.pdist(code).min()", "torch.pdist(code).max()"),
    ("consistent: always 0", SCORECARD, "short - long[: len(short)]", "short - short"),
    ("bounded: looks at 64 positions only", SCORECARD, "far = code(4096)", "far = code(64)"),
    ("shift: nothing moved", SCORECARD, "torch.arange(length) + shift", "torch.arange(length)"),
    # what no claim noticed at first
    ("later: gap task off by one", TASKS,
     "yes, no = (distance == self.gap).nonzero(), ((distance != self.gap)",
     "yes, no = (distance == self.gap + 1).nonzero(), ((distance != self.gap + 1)"),
    ("later: labels of the gap task inverted", TASKS,
     "        return tokens, labels\n", "        return tokens, 1 - labels\n"),
    ("later: labels of the order task inverted", TASKS,
     "(places[:, 0] > places[:, 1]).long()", "(places[:, 0] < places[:, 1]).long()"),
    ("later: unique compares a code with itself", SCORECARD,
     "torch.pdist(code).min()", "torch.cdist(code, code).min()"),
    ("later: half precision let through", CHECKS,
     "if positions.dtype in (torch.bfloat16, torch.float16):", "if False:"),
    ("later: beyond the random table, its last row", NAIVE, 'positions = check_range("positions", positions, length)',
     "positions = positions.clamp(max=length - 1)"),
    ("later: scale of the naive codes ignored", NAIVE, "code = self.scale * self.codes", "code = self.codes"),
    ("later: random encoding drawn anew at each call", NAIVE,
     "return self.table[check_range", "return torch.randn_like(self.table)[check_range"),
    ("later: random table trained", NAIVE, """self.register_buffer(
            "table", random_table(dim, length, seed), persistent=False
        )""", "self.table = torch.nn.Parameter(random_table(dim, length, seed))"),
    ("later: probe asked about what it was fitted on", DRAWINGS,
     "((inputs[new] @ weights).argmax(-1) == labels[new])", "((inputs[known] @ weights).argmax(-1) == labels[known])"),
]  # fmt: skip
