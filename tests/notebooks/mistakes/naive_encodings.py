"""Mistakes in the helpers that some claim of notebook 02 must notice: (what, file, text, text with the mistake)."""

from tests.notebooks.mistakes.common import NAIVE, SCORECARD, SINUSOIDAL, TASKS, shared

PROBES = "posenc_helpers/lab/probes.py"

MISTAKES = [
    # the five functions
    ("index: counts from 1", NAIVE,
     "real = real_positions(positions)\n", "real = real_positions(positions + 1)\n"),
    ("normalised: divided by L", NAIVE, "/ (length - 1 or 1)", "/ length"),
    ("normalised: integer division", NAIVE, "/ (length - 1 or 1)", "// (length - 1 or 1)"),
    ("normalised: length ignored", NAIVE, "/ (length - 1 or 1)", "/ 15"),
    ("random: drawn anew at each call", NAIVE,
     "torch.randn(rows, dim, **kind)", "torch.randn(rows, dim)"),
    ("random: a walk, so neighbours are near", NAIVE,
     "torch.randn(rows, dim, **kind)",
     "torch.randn(rows, dim, **kind).cumsum(0)"),
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
     "normalised(positions, self.columns, length or 1)", "normalised(positions, self.columns, 32)"),
    ("one-hot encoding: positions ignored", NAIVE, "return one_hot(positions,", "return one_hot(0 * positions,"),
    ("binary encoding: positions ignored", NAIVE,
     "return binary(positions, self.dim)", "return binary(0 * positions + 1, self.dim)"),
    # the sinusoidal code, where it is added to words
    ("sinusoidal: positions ignored", SINUSOIDAL,
     "angle = angles(positions, speed)", "angle = angles(0 * positions, speed)"),
    ("drowned words: no code added", PROBES,
     "embeddings, sinusoidal(torch.arange(length), width),", "embeddings, 0 * sinusoidal(torch.arange(length), width),"),
    # what is measured
    ("consistent: always 0", SCORECARD, "short - long[: len(short)]", "short - short"),
    ("bounded: looks at 64 positions only", SCORECARD, "code(end)", "code(64)"),
    # what no claim noticed at first
    ("later: gap task off by one", TASKS,
     "yes, no = (distance == self.gap).nonzero(), ((distance != self.gap)",
     "yes, no = (distance == self.gap + 1).nonzero(), ((distance != self.gap + 1)"),
    ("later: labels of the gap task inverted", TASKS,
     "        return tokens, labels\n\n\nclass OddOneOut", "        return tokens, 1 - labels\n\n\nclass OddOneOut"),
    ("later: labels of the order task inverted", TASKS,
     "(places[:, 0] > places[:, 1]).long()", "(places[:, 0] < places[:, 1]).long()"),
    ("later: beyond the random table, its last row", NAIVE, 'positions = check_range("positions", positions, length)',
     "positions = positions.clamp(max=length - 1)"),
    ("later: scale of the naive codes ignored", NAIVE, "code = self.scale * self.codes", "code = self.codes"),
    ("later: random encoding drawn anew at each call", NAIVE,
     "return self.table[check_range", "return torch.randn_like(self.table)[check_range"),
    ("later: random table trained", NAIVE,
     'self.register_buffer("table", table.to(torch.empty(0).device), persistent=False)',
     "self.table = torch.nn.Parameter(table)"),
    ("later: probe asked about what it was fitted on", PROBES,
     "((inputs[new] @ weights).argmax(-1) == labels[new])", "((inputs[known] @ weights).argmax(-1) == labels[known])"),
    # what other notebooks notice, too
    *shared("sine in the place of cosine", "sinusoidal encoding: scale ignored", "door 1 never opened",
        "differences are always 0", "no training step", "accuracy: always at 16 tokens",
        "gap task: the label has nothing to do with the gap", "ranked: measured at the trained length",
        "order task: the label has nothing to do with order", "unique: the largest distance, not the smallest",
        "shift: nothing moved", "unique: a code compared with itself", "half-precision positions let through"),
]  # fmt: skip
