"""Mistakes in the helpers that some claim of notebook 01 must notice: (what, file, text, text with the mistake)."""

from tests.notebooks.mistakes.common import BASE, SCORECARD, TASKS, TRANSFORMER, shared

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
    ("NoPE adds a position after all", BASE, "        return x\n", "        return x + 0.1 * positions[..., None]\n"),
    # tasks and training
    ("odd one out: the label is where it stands", TASKS, "odd.squeeze(1)", "place.squeeze(1) % 8"),
    # the scorecard
    ("ranked: texts with A after B count too", "posenc_helpers/lab/answers.py", "    return b > a\n", "    return b >= 0\n"),
    ("scorecard: the model gets no encoding", SCORECARD, "encoding, causal=False, outputs", "None, causal=False, outputs"),
    ("scorecard: the model is causal", SCORECARD, "causal=False, outputs", "causal=True, outputs"),
    # what other notebooks notice, too
    *shared("door 1 never opened", "sum computed and thrown away", "positions ignored",
        "encoding along the batch axis", "exponent doubled", "sine in the place of cosine",
        "order task: the label has nothing to do with order", "no training step",
        "unique: the largest distance, not the smallest", "unique: a code compared with itself",
        "consistent: other positions compared", "shift: nothing moved", "distance: measured at twice the length",
        "ranked: measured at the trained length"),
]  # fmt: skip
