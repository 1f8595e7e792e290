"""Mistakes in the helpers that some claim of notebook 06 must notice: (what, file, text, text with the mistake)."""

from tests.notebooks.mistakes.common import ROPE, TASKS, TRANSFORMER, shared

MISTAKES = [
    # angles
    ("positions from 1", ROPE, "return angles(positions, frequencies)", "return angles(positions + 1, frequencies)"),
    ("angles rounded to bfloat16", ROPE, "return angles(positions, frequencies)",
     "return angles(positions, frequencies).bfloat16().to(frequencies.dtype)"),
    ("positions ignored", ROPE, "return angles(positions, frequencies)", "return 0 * angles(positions, frequencies)"),
    ("negative positions made positive", ROPE,
     "return angles(positions, frequencies)", "return angles(positions.abs(), frequencies)"),
    ("base ignored by the module", ROPE, "pair_frequencies(self.rotary_dim, self.base,",
     "pair_frequencies(self.rotary_dim, 10000.0,"),
    # turning
    ("halves stretched, not turned", ROPE, "torch.addcmul(a * cos, b, sin, value=-1)", "torch.addcmul(a * cos, b, sin)"),
    ("halves turn the other way", ROPE, "torch.addcmul(a * cos, b, sin, value=-1), torch.addcmul(b * cos, a, sin)",
     "torch.addcmul(a * cos, b, sin), torch.addcmul(b * cos, a, sin, value=-1)"),
    ("neighbours taken apart, written as halves", ROPE,
     "a, b = turned.unflatten(-1, pairs).unbind(axis)", "a, b = turned.unflatten(-1, (-1, 2)).unbind(-1)"),
    ("layout ignored by the module", ROPE, "over_heads(self.angles(positions, k_positions), x), self.layout,",
     'over_heads(self.angles(positions, k_positions), x), "interleaved",'),
    ("keys not turned", ROPE, 'self._turn("k", k, k_positions, k_positions)', "k"),
    ("queries not turned", ROPE, 'return self._turn("q", q, q_positions, k_positions),', "return q,"),
    ("door 2 never opened", TRANSFORMER, "q, k = encoding.rotate(q, k,", "_, _ = encoding.rotate(q, k,"),
    # partial rotary, p-RoPE
    ("partial rotary: all columns turn", ROPE, "width = _rotary_width(x.shape[-1], rotary_dim)",
     "width = _rotary_width(x.shape[-1], None)"),
    ("partial rotary: the rest is lost", ROPE, "torch.cat([turned, x[..., width:]]",
     "torch.cat([turned, 0 * x[..., width:]]"),
    ("partial rotary: exponent over the head", ROPE,
     "frequencies = pair_frequencies(width, base, dtype=real_positions(positions).dtype, device=x.device)",
     "frequencies = pair_frequencies(x.shape[-1], base, device=x.device)[: width // 2]"),
    ("p-RoPE keeps the slow pairs", ROPE, "< int(proportion * pairs)", ">= int((1 - proportion) * pairs)"),
    # weights
    ("conversion across the whole width", ROPE, "weight.unflatten(0, (heads, -1))", "weight.unflatten(0, (1, -1))"),
    ("conversion forgets that only a part of each head turns", ROPE,
     "order = layout_permutation(per_head.shape[1], to, rotary_dim)", "order = layout_permutation(per_head.shape[1], to)"),
    ("permutation the wrong way round", ROPE, '(-1, 2) if to == "half" else (2, -1)',
     '(2, -1) if to == "half" else (-1, 2)'),
    # decoding
    ("positions of the cached keys in the wrong order", TRANSFORMER,
     "torch.cat([before, positions], dim=axis)", "torch.cat([positions, before], dim=axis)"),
    ("scores not divided by the root of the width", TRANSFORMER,
     "q @ k.transpose(-2, -1) / scale", "q @ k.transpose(-2, -1)"),
    ("the mask narrows nothing", TRANSFORMER, "causal if mask is None else causal &", "causal if True else causal &"),
    # the base, and what is measured
    ("lag task: the label is the token itself", TASKS,
     "labels[:, self.lag :] = tokens[:, : -self.lag]", "labels[:, self.lag :] = tokens[:, self.lag :]"),
    # what other notebooks notice, too
    *shared("exponent doubled", "slowest pair first", "base ignored by the function",
        "half-precision positions let through", "neighbours turn the other way", "neighbours in both layouts",
        "odd head width let through", "cache: keys are counted from 0", "causal mask lines up the first query",
        "by-parts: turns counted in radians", "differences are always 0", "no training step",
        "another encoding never reaches the layers"),
]  # fmt: skip
