"""Mistakes in the helpers that some claim of notebook 01 must notice: (what, file, text, text with the mistake)."""

from tests.notebooks.mistakes.common import BASE, DOOR_1_SHUT, SCORECARD, SINUSOIDAL, TASKS, TRAINING, TRANSFORMER

MISTAKES = [
    # the causal mask
    ("causal mask dropped", TRANSFORMER, "        if self.causal:", "        if False:"),
    ("causal mask always on", TRANSFORMER, "        if self.causal:", "        if True:"),
    ("causal mask flipped: a query sees the future", TRANSFORMER, ".tril(keys - queries)", ".triu(keys - queries)"),
    ("causal mask off by one: a query does not see itself", TRANSFORMER,
     ".tril(keys - queries)", ".tril(keys - queries - 1)"),
    ("causal mask off by one: a query sees the next token", TRANSFORMER,
     ".tril(keys - queries)", ".tril(keys - queries + 1)"),
    ("mask inverted: True = may not attend", TRANSFORMER,
     ".masked_fill(~mask & some", ".masked_fill(mask & some"),
    # attention
    ("softmax along the queries, with a mask", TRANSFORMER, "hidden).softmax(dim=-1)", "hidden).softmax(dim=-2)"),
    ("softmax along the queries, without a mask", TRANSFORMER, "scores.softmax(dim=-1)", "scores.softmax(dim=-2)"),
    ("scores not divided by sqrt(d_head)", TRANSFORMER, " / scale  # (B", "  # (B"),
    ("weights transposed when values are averaged", BASE, "return weights @ v", "return weights.transpose(-2, -1) @ v"),
    ("keys averaged in the place of values", TRANSFORMER, "mixed = attend(q, k, v,", "mixed = attend(q, k, k,"),
    # the encoding and its door
    DOOR_1_SHUT,
    ("sum computed and thrown away", SINUSOIDAL, "return x + (self.scale * table).to(x.dtype)", "return x"),
    ("positions ignored", SINUSOIDAL, "sinusoidal(positions, self.dim,", "sinusoidal(0 * positions, self.dim,"),
    ("encoding along the batch axis", SINUSOIDAL,
     "table = sinusoidal(positions, self.dim, self.base, self.layout, self.formula)",
     "table = sinusoidal(torch.arange(len(x)), self.dim, self.base, self.layout, self.formula)[:, None]"),
    ("exponent doubled", SINUSOIDAL, "base ** (-pair /", "base ** (-2 * pair /"),
    ("sine in the place of cosine", SINUSOIDAL,
     "torch.stack([angle.sin(), angle.cos()]", "torch.stack([angle.sin(), angle.sin()]"),
    ("NoPE adds a position after all", BASE, "        return x\n", "        return x + 0.1 * positions[..., None]\n"),
    # tasks and training
    ("order task: the label has nothing to do with order", TASKS,
     "(places[:, 0] > places[:, 1]).long()", "(tokens[:, 0] > 1).long()"),
    ("odd one out: the label is where it stands", TASKS, "odd.squeeze(1)", "place.squeeze(1) % 8"),
    ("no training step", TRAINING, "        optimizer.step()\n", ""),
    # the scorecard
    ("unique: the largest distance, not the smallest", SCORECARD, "torch.pdist(long).min()", "torch.pdist(code).max()"),
    ("unique: a code compared with itself", SCORECARD, "torch.pdist(long).min()", "torch.cdist(code, code).min()"),
    ("consistent: other positions compared", SCORECARD, "short - long[: len(short)]", "short - long[:1]"),
    ("shift: nothing moved", SCORECARD, "torch.arange(length) + shift", "torch.arange(length)"),
    ("distance: measured at twice the length", SCORECARD,
     "found[near].append(accuracy(model, task, LENGTH))", "found[near].append(accuracy(model, task, 2 * LENGTH))"),
    ("ranked: measured at the trained length", SCORECARD,
     "ranking(model, task, 2 * LENGTH)", "ranking(model, task, LENGTH)"),
    ("ranked: texts with A after B count too", "posenc_helpers/lab/answers.py", "    return b > a\n", "    return b >= 0\n"),
    ("scorecard: the model gets no encoding", SCORECARD, "encoding, causal=False, outputs", "None, causal=False, outputs"),
    ("scorecard: the model is causal", SCORECARD, "causal=False, outputs", "causal=True, outputs"),
]  # fmt: skip
