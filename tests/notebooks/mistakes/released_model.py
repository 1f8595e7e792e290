"""Mistakes in the helpers that some claim of notebook 12 must notice: (what, file, text, text with the mistake).

What was measured beforehand is not here: no cell computes the turns of `smollm2.py` or `rope_scaling.py` anew.
"""

from tests.notebooks.mistakes.common import shared

SMOLLM2 = "posenc_helpers/lessons/released_model/smollm2.py"
MINILM = "posenc_helpers/lessons/released_model/minilm.py"
STRETCHES = "posenc_helpers/lessons/released_model/stretches.py"

MISTAKES = [
    # turning
    # the model's file
    ("rows of q read in half order", SMOLLM2, "t.tensor_type)) for t in file.tensors}",
     "t.tensor_type)) for t in file.tensors}\n    for name in (name for name in weights if 'attn_q.' in name):\n"
     "        weights[name] = weights[name].unflatten(0, (-1, 32, 2)).transpose(1, 2).flatten(0, 2)"),
    ("merges from the last to the first", SMOLLM2, '["tokenizer.ggml.merges"].contents()]',
     '["tokenizer.ggml.merges"].contents()][::-1]'),
    # its forward pass
    ("queries are not turned", SMOLLM2, "q, k = turn(q), turn(k)", "q, k = q, turn(k)"),
    ("values are turned, too", SMOLLM2, "q, k = turn(q), turn(k)", "q, k, v = turn(q), turn(k), turn(v)"),
    ("key heads dealt round and round", SMOLLM2, "(t.repeat_interleave(model.heads // model.key_heads, dim=0) for",
     "(t.repeat(model.heads // model.key_heads, 1, 1) for"),
    ("later tokens in sight", SMOLLM2, "keep, is_causal=keep is None)", "keep, is_causal=False)"),
    ("another gate", SMOLLM2, "functional.silu(", "functional.sigmoid("),
    ("what a layer was given is dropped", SMOLLM2, "x = x + mixed.transpose", "x = mixed.transpose"),
    ("the loss of the token that was read", SMOLLM2, "tokens[1:].split(1024)", "tokens[:-1].split(1024)"),
    # the texts
    ("the ends of the texts for the beginnings", STRETCHES, ")[:length] for name in STRETCHES",
     ")[-length:] for name in STRETCHES"),
    # the encoder
    ("rows from 0, whatever the positions", MINILM, "words + model.table[positions],",
     "words + model.table[: len(tokens)],"),
    ("no positions", MINILM, "_norm(words + model.table[positions], w,", "_norm(words, w,"),
    ("the words' table for that of positions", MINILM, "embeddings.position_embeddings.weight",
     "embeddings.word_embeddings.weight"),
    ("a layer left out", MINILM, "HEADS, LAYERS, EPS = 12, 6, 1e-12", "HEADS, LAYERS, EPS = 12, 5, 1e-12"),
    ("the first token for the mean of all", MINILM, "functional.normalize(x.mean(dim=0), dim=0)",
     "functional.normalize(x[0], dim=0)"),
    ("a vector of any length", MINILM, "functional.normalize(x.mean(dim=0), dim=0)", "x.mean(dim=0)"),
    # what other notebooks notice, too
    *shared("neighbours turn the other way", "neighbours in both layouts", "base ignored by the function"),
]  # fmt: skip
