"""Mistakes that notebook 07 must notice."""

from tests.notebooks.mistakes.common import ALIBI, BASE, TASKS, TRANSFORMER, shared

KIN = "posenc_helpers/encodings/distance_bias.py"
MEMORY = "posenc_helpers/lab/memory.py"
RELATIVE = "posenc_helpers/encodings/relative.py"

MISTAKES = [
    # slopes
    ("slopes start at 1", ALIBI, "torch.arange(1, power + 1, dtype", "torch.arange(0, power, dtype"),
    ("formulas swapped", ALIBI, 'power = heads if formula == "paper" else', 'power = heads if formula != "paper" else'),
    ("formula of the module ignored", ALIBI,
     "alibi_slopes(self.heads, self.formula, dtype", "alibi_slopes(self.heads, dtype"),
    ("appended slopes: the wrong ones of twice as many", ALIBI,
     "device=device) + 1) / (2 * power)", "device=device) + 2) / (2 * power)"),
    ("slopes sorted", ALIBI, "torch.cat([step, between]))", "torch.cat([step, between]).sort().values)"),
    ("bias_max ignored", ALIBI, "torch.exp2(-max_exponent *", "torch.exp2(-8.0 *"),
    # the bias
    ("symmetric: signed distance", ALIBI, "return -slopes * relative.abs()", "return slopes * relative"),
    ("two-sided: sides swapped", ALIBI, "left, right = slopes", "right, left = slopes"),
    ("two-sided: keys after the query rewarded", ALIBI,
     "- right * relative.clamp(min=0)", "+ right * relative.clamp(min=0)"),
    ("kind of the module ignored", ALIBI, "alibi_bias(relative, slopes, self.kind)", "alibi_bias(relative, slopes)"),
    ("query minus key", RELATIVE,
     "k_positions[..., None, :] - q_positions[..., :, None]", "q_positions[..., :, None] - k_positions[..., None, :]"),
    ("shortcuts swapped", ALIBI, 'if variant == "mpt":', 'if variant != "mpt":'),
    ("MPT's row starts at 0", ALIBI, "positions - positions[..., -1:]", "positions - positions[..., :1]"),
    ("shortcut without slopes", ALIBI, "return full_precision(slopes)[:, None, None] * real",
     "return 0 * full_precision(slopes)[:, None, None] + real"),
    ("score_mod: sign reversed", ALIBI, "k_positions[key] - q_positions[query]", "q_positions[query] - k_positions[key]"),
    ("score_mod: one slope for all heads", ALIBI, "score + slopes[head] *", "score + slopes[0] *"),
    ("learned slopes not trained", ALIBI, "nn.Parameter(start) if learned", "nn.Parameter(start, False) if learned"),
    # attention
    ("decoded token at position 0", TRANSFORMER,
     "torch.arange(past, past + tokens.shape[1], device", "torch.arange(tokens.shape[1], device"),
    ("something added to the embeddings", BASE, "        return x\n", "        return x + 1\n"),
    # relatives
    ("FIRE: not squeezed beyond L", KIN,
     'torch.maximum(real_positions(q_positions, "q_positions"), threshold.abs())',
     '(0 * real_positions(q_positions, "q_positions") + threshold.abs())'),
    # what is measured
    ("lag: copy the token itself", TASKS, "labels[:, self.lag :] = tokens[:, : -self.lag]", "labels[:] = tokens"),
    ("largest tensor: the smallest", MEMORY, "self.largest = max(self.largest,", "self.largest = min(self.largest or 1e9,"),
    # what other notebooks notice, too
    *shared("ALiBi: sign reversed", "door 3 never opened", "bias divided with the scores",
        "causal mask lines up the first query", "a row that sees nothing averages everything",
        "differences are always 0", "no training step", "recall: the last token",
        "loss by position: fewer keys ignored", "another encoding never reaches the layers"),
]  # fmt: skip
