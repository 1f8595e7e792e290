"""Mistakes in the helpers that some claim of notebook 09 must notice: (what, file, text, text with the mistake)."""

from tests.notebooks.mistakes.common import EVALUATION, ROPE, SCALING, shared

CONFIG = "posenc_helpers/encodings/rope_config.py"
METHODS = "posenc_helpers/encodings/rope_methods.py"

MISTAKES = [
    # the rules
    ("interpolation multiplies", SCALING, "    return frequencies / factor\n", "    return frequencies * factor\n"),
    ("interpolation divides nothing", SCALING, "    return frequencies / factor\n", "    return frequencies\n"),
    ("NTK-aware: one pair too many in the exponent", SCALING,
     "factor ** (-pair / (len(pair) - 1))", "factor ** (-pair / len(pair))"),
    ("NTK-aware: the sign lost", SCALING, "factor ** (-pair /", "factor ** (pair /"),
    ("by-parts: zones inverted", SCALING, "return keep * frequencies + (1 - keep) * frequencies / factor",
     "return (1 - keep) * frequencies + keep * frequencies / factor"),
    ("by-parts: a step for a ramp", SCALING,
     ".clamp(0, 1) if beta > alpha else", ".clamp(0, 1).round() if beta > alpha else"),
    ("llama3: bounds swapped", SCALING,
     "return by_parts(frequencies, factor, original_length, low_freq_factor, high_freq_factor)",
     "return by_parts(frequencies, factor, original_length, low_freq_factor, 2 * high_freq_factor)"),
    ("YaRN: the ramp the other way", SCALING, "return (1 - divide) * frequencies + divide * frequencies / factor",
     "return divide * frequencies + (1 - divide) * frequencies / factor"),
    ("YaRN: ends rounded inwards", SCALING, "first, last = first.floor(), last.ceil()",
     "first, last = first.ceil(), last.floor()"),
    ("YaRN: as in the paper", SCALING, "    pair = pair_indices(frequencies)\n    log_turns",
     "    return by_parts(frequencies, factor, original_length, beta_slow, beta_fast)\n    log_turns"),
    ("YaRN: the temperature without the 1", SCALING, "return 0.1 * mscale * math.log(factor) + 1",
     "return 0.1 * mscale * math.log(factor)"),
    ("dynamic: the factor of the length alone", SCALING, "original_length - (factor - 1)).clamp(min=1))",
     "original_length).clamp(min=1))"),
    ("longrope: switches a token late", SCALING, "torch.where(length > original_length, long, short)",
     "torch.where(length > original_length + 1, long, short)"),
    ("a factor below 1 is let through", SCALING, "    if factor < 1:\n", "    if False:\n"),
    # configurations
    ("base of the file ignored", CONFIG, 'first_of(config, cell_of(row, "base", kind))', "10000.0"),
    ("local base ignored", CONFIG, 'cell_of(row, "base", kind)', 'cell_of(row, "base", "full_attention")'),
    ("old files: local layers are stretched too", CONFIG, 'elif by_kind and not cell_of(row, "scaling", kind):',
     "elif False:"),
    ("layers that differ are not refused", CONFIG, "    if len(groups) > 1:\n", "    if False:\n"),
    ("unknown keys are let through", METHODS,
     "    if unknown := sorted(set(rope) - known):\n", "    if unknown := []:\n"),
    ("llama3: trained length is the declared one", METHODS,
     "return config.get(original) or value_of(rope, original)", 'return value_of(config, "max_position_embeddings")'),
    ("DeepSeek: the temperature twice", METHODS, 'if rope.get("mscale") and rope.get("mscale_all_dim"):', "if False:"),
    # the model and what is measured
    ("attention factor ignored", ROPE, "self.layout, self.attention_factor)", "self.layout, 1.0)"),
    ("scaling ignored", ROPE, "        if self.scaling is None:\n            return frequencies\n",
     "        if True:\n            return frequencies\n"),
    ("the loss ignores positions", EVALUATION,
     "positions = torch.arange(length) + shift", "positions = 0 * torch.arange(length) + shift"),
    # what other notebooks notice, too
    *shared("by-parts: turns counted in radians", "slowest pair first", "another encoding never reaches the layers",
        "differences are always 0"),
]  # fmt: skip
