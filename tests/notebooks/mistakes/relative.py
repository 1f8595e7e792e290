"""Mistakes in the helpers that some claim of notebook 05 must notice: (what, file, text, text with the mistake)."""

from tests.notebooks.mistakes.common import ALIBI, TASKS, TRAINING, TRANSFORMER, shared

RELATIVE = "posenc_helpers/encodings/relative.py"
SCORES = "posenc_helpers/encodings/relative_scores.py"

MISTAKES = [
    # relative positions and clipping
    ("query minus key", RELATIVE,
     "return k_positions[..., None, :] - q_positions[..., :, None]",
     "return q_positions[..., :, None] - k_positions[..., None, :]"),
    ("distances without a sign", RELATIVE,
     "return k_positions[..., None, :] - q_positions[..., :, None]",
     "return (k_positions[..., None, :] - q_positions[..., :, None]).abs()"),
    ("clipped to 2k - 1 rows", RELATIVE,
     ".clamp(-max_distance, max_distance) + max_distance", ".clamp(1 - max_distance, max_distance - 1) + max_distance"),
    ("not clipped but wrapped", RELATIVE,
     ".clamp(-max_distance, max_distance) + max_distance", " % (2 * max_distance + 1)"),
    ("positions clipped before they are subtracted", RELATIVE,
     "return k_positions[..., None, :] - q_positions[..., :, None]",
     "return k_positions.clamp(max=16)[..., None, :] - q_positions.clamp(max=16)[..., :, None]"),
    # tables
    ("bias identically zero", RELATIVE,
     "return functional.embedding(index, table).movedim(-1, -3)",
     "return 0 * functional.embedding(index, table).movedim(-1, -3)"),
    ("one bias for all heads", RELATIVE,
     "return functional.embedding(index, table).movedim(-1, -3)",
     "return functional.embedding(index, table.mean(-1, keepdim=True).expand(table.shape)).movedim(-1, -3)"),
    ("bias transposed", RELATIVE,
     "return functional.embedding(index, table).movedim(-1, -3)",
     "return functional.embedding(index, table).movedim(-1, -3).transpose(-2, -1)"),
    # T5
    ("all buckets exact", RELATIVE, "    exact = side // 2\n", "    exact = side - 1\n"),
    ("16 exact buckets on both sides", RELATIVE,
     "side = num_buckets // 2 if bidirectional else num_buckets", "side = num_buckets"),
    ("left and right buckets swapped", RELATIVE,
     "return bucket + (relative > 0) * side if", "return bucket + (relative < 0) * side if"),
    ("a decoder that keeps distances to the right", RELATIVE,
     "if bidirectional else (-relative).clamp(min=0)", "if bidirectional else relative.abs()"),
    ("logarithm to base 2 over natural logarithm", RELATIVE, "/ exact).log() / math", "/ exact).log2() / math"),
    ("the last bucket is lost", RELATIVE, ".clamp(max=side - 1)", ".clamp(max=side - 2)"),
    ("logarithmic part counts from 0", RELATIVE, "far = (exact + (beyond", "far = (0 + (beyond"),
    ("T5 module: bidirectional ignored", RELATIVE,
     "self.num_buckets, self.max_distance, self.bidirectional)", "self.num_buckets, self.max_distance)"),
    # Shaw
    ("Shaw: score not scaled", RELATIVE,
     "scores = shaw_scores(q, self.key_table, index) / math.sqrt(q.shape[-1])",
     "scores = shaw_scores(q, self.key_table, index)"),
    ("Shaw: value side dropped", RELATIVE,
     "return weights @ v + shaw_values(weights, self.value_table, index)", "return weights @ v"),
    ("Shaw: values take the keys' table", RELATIVE,
     "shaw_values(weights, self.value_table, index)", "shaw_values(weights, self.key_table, index)"),
    ("Shaw: looked up in the wrong row", RELATIVE,
     "return pick(product(q, table.T), index)", "return pick(product(q, table.T), index.mT)"),
    ("looked up by the naive way", RELATIVE,
     "return pick(product(q, table.T), index)", "return shaw_scores_naive(q, table, index)"),
    # the skew
    ("skew: the last row dropped", RELATIVE, "queries)[..., 1:, :]", "queries)[..., :-1, :]"),
    ("skew: padded at the end", RELATIVE, "functional.pad(scores, (1, 0)), keys)", "functional.pad(scores, (0, 1)), keys)"),
    # Transformer-XL and DeBERTa
    ("Transformer-XL: key minus query", SCORES,
     "[for_cos * sin - for_sin * cos,", "[for_sin * cos - for_cos * sin,"),
    ("Transformer-XL: u and v swapped", SCORES,
     "content = product(k, self.u[..., None])", "content = product(k, self.v[..., None])"),
    ("Transformer-XL: not scaled", SCORES,
     "return ((position + content) / math.sqrt(q.shape[-1])).to(q.dtype)", "return (position + content).to(q.dtype)"),
    ("Transformer-XL: term d lost", SCORES, "distance_scores(q + self.v[:, None], self", "distance_scores(q, self"),
    ("DeBERTa: sqrt(d_head) where sqrt(3 d_head) belongs", SCORES, "return q / math.sqrt(3), k", "return q, k"),
    ("DeBERTa: key minus query", SCORES,
     "distance = -relative_positions(q_positions, k_positions)", "distance = relative_positions(q_positions, k_positions)"),
    ("DeBERTa: the paper's sign in the released formula", SCORES, 'if formula == "released" else', 'if formula == "" else'),
    # the layer
    ("bias in the first layer only", TRANSFORMER,
     "Block(width, heads, one, causal) for one in of_layers(self.encoding, layers)",
     "Block(width, heads, NOPE if k else one, causal) for k, one in enumerate(of_layers(self.encoding, layers))"),
    ("a table for every layer", TRANSFORMER,
     "Block(width, heads, one, causal) for one in of_layers(self.encoding, layers)",
     "Block(width, heads, __import__('copy').deepcopy(one), causal) for one in of_layers(self.encoding, layers)"),
    ("bias never added", TRANSFORMER, "        scores = scores + bias\n", "        pass\n"),
    ("ALiBi trains its slopes", ALIBI, "nn.Parameter(start) if learned else None", "nn.Parameter(start)"),
    ("bias positions in the activations' dtype", RELATIVE,
     "index = clipped_index(relative_positions(q_positions, k_positions), self.max_distance)\n"
     "        return table_bias(self.table[buckets]",
     "index = clipped_index(relative_positions(q_positions.to(q.dtype).int(), k_positions.to(q.dtype).int()), "
     "self.max_distance)\n        return table_bias(self.table[buckets]"),
    # what is measured
    ("lag task: asks for the next token", TASKS,
     "labels[:, self.lag :] = tokens[:, : -self.lag]", "labels[:, : -self.lag] = tokens[:, self.lag :]"),
    ("the encoding is never trained", TRAINING,
     ' + ([{"params": own, "lr": learning_rate * encoding_rate}] if own else [])', ""),
    # what other notebooks notice, too
    *shared("bias divided with the scores", "a row that sees nothing averages everything",
        "cache: keys are counted from 0", "half-precision positions let through", "differences are always 0",
        "no training step", "accuracy: always at 16 tokens"),
]  # fmt: skip
